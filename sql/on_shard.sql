-- The functions that nodes of Citus call on each other do nothing to other tables.
SET search_path = public, dynamo, dynamo_system;
\set VERBOSITY terse
SELECT create_table('plain', partition_key => 'PK');
SELECT put_item('plain', '{"PK": {"S": "a"}}');
SELECT request_on_shard('GetItem', '{"TableName": "plain", "Key": {"PK": {"S": "a"}}}');
SELECT request_on_shard('PutItem', '{"TableName": "plain", "Item": {"PK": {"S": "b"}}}');
SELECT request_on_shard('PutItem', '{"TableName": "plain"}');
SELECT request_on_shard('Scan', '{"TableName": "plain"}');
SELECT request_on_shard('None', '{}');
SELECT request_on_shard('GetItem', NULL);

-- 6d: not here
SELECT dynamo_internal.item_send('{"PK": {"S": "a"}}') AS key \gset
SELECT action, row_on_shard(action, 'public', 'plain', 15, :'key') FROM generate_series(0, 8) action;
SELECT row_on_shard(-1, 'public', 'plain', 15, :'key');
SELECT row_on_shard(9, 'public', 'plain', 15, :'key');
SELECT row_on_shard(0, 'public', 'plain', 15, '');
SELECT row_on_shard(0, 'public', 'plain', 15, '\x00');
SELECT row_on_shard(0, 'public', 'plain', 15, '\x01ffffff');
SELECT row_on_shard(0, 'public', 'none', 15, :'key');
SELECT row_on_shard(0, 'none', 'plain', 15, :'key');
SELECT row_on_shard(5, 'pg_catalog', 'pg_class', 15, :'key');
SELECT row_on_shard(5, 'dynamo', 'tables', 15, :'key');
CREATE TABLE other (a int);
SELECT row_on_shard(5, 'public', 'other', 15, :'key');

-- settings of another session: only those that anybody may set and no library has, until the end of the transaction
CREATE ROLE regress_on_shard;
SET ROLE regress_on_shard;
BEGIN;
SET t_shard.own = 'mine';
SELECT take_settings('{t_shard.tenant, t_shard.own, dynamo.http_role, dynamo.none, t_shard.bad name}', '{a, theirs, x, x, x}');
SELECT current_setting('t_shard.tenant'), current_setting('t_shard.own'), current_setting('dynamo.http_role') = 'x' AS http_role,
	current_setting('dynamo.none', true), current_setting('t_shard.bad name', true);
SELECT take_settings('{work_mem}', '{64kB}');
ROLLBACK;
BEGIN;
SELECT take_settings('{t_shard.tenant}', '{b}');
SELECT current_setting('t_shard.tenant');
COMMIT;
SELECT current_setting('t_shard.tenant'), current_setting('t_shard.own', true);
SELECT take_settings('{t_shard.a, t_shard.b}', '{1}');
SELECT take_settings(ARRAY['t_shard.a', NULL], '{1, 2}');
SELECT take_settings('{}', '{}');
SELECT take_settings(NULL, '{}');
RESET ROLE;
DROP ROLE regress_on_shard;

-- an operation on an item
SELECT write_on_shard(0, 'plain', '{"PK": {"S": "b"}}', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT write_on_shard(1, 'plain', '{"PK": {"S": "a"}}', 'SET a = :a', NULL, '{":a": {"S": "b"}}', NULL, 'ALL_NEW', NULL);
SELECT write_on_shard(2, 'plain', '{"PK": {"S": "a"}}', NULL, 'attribute_exists(#p)', NULL, '{"#p": "PK"}', 'ALL_OLD', 'ALL_OLD');
SELECT write_on_shard(2, 'plain', '{"SK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT write_on_shard(2, 'plain', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, 'SOME', NULL);
SELECT write_on_shard(0, 'other', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT write_on_shard(0, 'none', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT write_on_shard(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT write_on_shard(kind, 'plain', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL) FROM (VALUES (-1)) k (kind);
SELECT write_on_shard(kind, 'plain', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL) FROM (VALUES (3)) k (kind);
SELECT write_on_shard(NULL, 'plain', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL);

-- rows of a range
CREATE FUNCTION range(range_text text) RETURNS bytea LANGUAGE sql RETURN dynamo_internal.item_send(range_text::item);
SELECT create_table('sorted', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N');
SELECT operator, rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}, "upper": {"M": {"SK": {"N": "2"}}}}'), operator, 1, 0, 100)
FROM generate_series(0, 6) operator;
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}}}, "start": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}}'), 0, -1, 1, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}}'), 7, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}}'), operator, 1, 0, 100) FROM (VALUES (-1)) o (operator);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}}'), operator, 1, 0, 100) FROM (VALUES (8)) o (operator);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}}'), 6, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}}}}'), 1, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"N": "1"}}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}}}, "start": {"M": {"PK": {"S": "a"}}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"S": "a"}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', '', 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"keys": {"L": [{"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}]}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"keys": {"M": {}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"keys": {"L": [{"M": {}}, {"N": "1"}]}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"shard": {"S": "1"}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"shard": {"S": ""}, "start": {"M": {"PK": {"S": "a"}, "SK": {"N": "1"}}}}'), 0, -1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"shard": {"N": "1"}}'), 0, 1, 0, 100);
SELECT create_index('sorted', 'gsi', ARRAY['G'], ARRAY['H', 'I'], ARRAY['S'], ARRAY['N', 'S'], storage => 'table');
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"G": {"S": "a"}, "H": {"N": "1"}, "I": {"S": "a"}}}}'), operator, 1, 0, 100)
FROM generate_series(0, 6) operator WHERE operator <> 6;
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"G": {"S": "a"}, "H": {"N": "1"}, "I": {"S": "a"}}}}'), 6, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"G": {"S": "a"}, "H": {"N": "1"}, "I": {"S": "a"}}}}'), 7, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"G": {"S": "a"}, "H": {"N": "1"}}}}'), 7, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"G": {"S": "a"}}}}'), 1, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"PK": {"S": "a"}}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "gsi"}, "key": {"M": {"G": {"S": "a"}}}, "start": {"M": {"G": {"S": "a"}}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"S": "none"}, "key": {"M": {"G": {"S": "a"}}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"index": {"N": "1"}, "key": {"M": {"G": {"S": "a"}}}}'), 0, 1, 0, 100);
SELECT rows_on_shard('public', 'other', range('{}'), 0, 1, 0, 100);

-- the caller needs the rights of the action, whatever it asks for
CREATE ROLE regress_on_shard;
SET ROLE regress_on_shard;
SELECT row_on_shard(0, 'public', 'plain', 0, :'key');
SELECT rows_on_shard('public', 'sorted', '\x01', 0, 1, 0, 100);
SELECT rows_on_shard('public', 'sorted', range('{"key": {"M": {"PK": {"S": "a"}}}}'), 0, 1, 0, 100);
RESET ROLE;
GRANT SELECT ON plain TO regress_on_shard;
SET ROLE regress_on_shard;
SELECT row_on_shard(0, 'public', 'plain', 0, :'key');
SELECT row_on_shard(1, 'public', 'plain', 0, :'key');
SELECT row_on_shard(4, 'public', 'plain', 0, :'key');
SELECT row_on_shard(5, 'public', 'plain', 2, :'key');
SELECT row_on_shard(6, 'public', 'plain', 2, :'key');
SELECT change_shard('plain', 0, '');
SELECT write_on_shard(2, 'plain', '{"PK": {"S": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL);
RESET ROLE;
SELECT count(*) FROM plain;

-- rows of a shard whose definition has changed
SELECT change_shard('plain', 0, '');
SELECT change_shard('none', 0, '');
BEGIN;
LOCK TABLE plain;
SELECT change_shard('plain', 0, '');
ROLLBACK;

-- the entry of an item
SELECT create_index('plain', 'by_g', 'G', 'H', projection => 'KEYS_ONLY');
SELECT entry_of_item('public', 'plain', 'by_g', '{"PK": {"S": "a"}, "G": {"S": "g"}, "H": {"S": "h"}, "I": {"S": "i"}}');
SELECT entry_of_item('public', 'plain', 'by_g', '{"PK": {"S": "a"}, "G": {"S": "g"}}') IS NULL AS none;
SELECT entry_of_item('public', 'plain', 'by_g', '{"G": {"N": "1"}, "H": {"S": "h"}}') IS NULL AS none;
SELECT entry_of_item('public', 'plain', 'none', '{"PK": {"S": "a"}}');
SELECT entry_of_item('public', 'other', 'by_g', '{"PK": {"S": "a"}}');
DROP TABLE plain, other, sorted;
DROP FUNCTION range;
DROP ROLE regress_on_shard;
