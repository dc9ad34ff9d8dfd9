-- The functions that nodes of Citus call on each other do nothing to other tables.
SET search_path = public, dynamo;
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
SELECT action, row_on_shard(action, 'public', 'plain', 15, :'key') FROM generate_series(0, 6) action;
SELECT row_on_shard(-1, 'public', 'plain', 15, :'key');
SELECT row_on_shard(7, 'public', 'plain', 15, :'key');
SELECT row_on_shard(0, 'public', 'plain', 15, '');
SELECT row_on_shard(0, 'public', 'plain', 15, '\x00');
SELECT row_on_shard(0, 'public', 'plain', 15, '\x01ffffff');
SELECT row_on_shard(0, 'public', 'none', 15, :'key');
SELECT row_on_shard(0, 'none', 'plain', 15, :'key');
SELECT row_on_shard(5, 'pg_catalog', 'pg_class', 15, :'key');
SELECT row_on_shard(5, 'dynamo', 'tables', 15, :'key');
CREATE TABLE other (a int);
SELECT row_on_shard(5, 'public', 'other', 15, :'key');

-- the caller needs the rights of the action, whatever it asks for
CREATE ROLE regress_on_shard;
SET ROLE regress_on_shard;
SELECT row_on_shard(0, 'public', 'plain', 0, :'key');
RESET ROLE;
GRANT SELECT ON plain TO regress_on_shard;
SET ROLE regress_on_shard;
SELECT row_on_shard(0, 'public', 'plain', 0, :'key');
SELECT row_on_shard(1, 'public', 'plain', 0, :'key');
SELECT row_on_shard(4, 'public', 'plain', 0, :'key');
SELECT row_on_shard(5, 'public', 'plain', 2, :'key');
SELECT row_on_shard(6, 'public', 'plain', 2, :'key');
RESET ROLE;
SELECT count(*) FROM plain;
DROP TABLE plain, other;
DROP ROLE regress_on_shard;
