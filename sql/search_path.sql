-- Objects that come first in search_path must not be used by the extension's own
-- statements: every function, operator, type and relation is shadowed by a trap.
CREATE SCHEMA t_path;
CREATE SCHEMA t_trap;
SET client_min_messages = warning;
SET check_function_bodies = off;
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION t_trap.spring(what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'trap sprung: %', what; END $$;
CREATE FUNCTION t_trap.shadow_function(name text, arguments oid[], result oid, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE FUNCTION t_trap.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', name,
		(SELECT string_agg(format_type(a, NULL), ', ' ORDER BY n) FROM unnest(arguments) WITH ORDINALITY u(a, n)),
		format_type(result, NULL), format('BEGIN PERFORM t_trap.spring(%L); END', what));
END $$;
-- functions that users can create
CREATE FUNCTION t_trap.is_ordinary(types oid[]) RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(typtype <> 'p' OR typname ~ '^(any.+|record)$') FROM unnest(types) u JOIN pg_type ON oid = u $$;

SELECT count(t_trap.shadow_function(proname, proargtypes, result, 'function ' || proname)) > 2000
FROM (SELECT proname, proargtypes, min(prorettype) AS result FROM pg_proc
	WHERE pronamespace IN ('pg_catalog'::regnamespace, 'dynamo'::regnamespace, 'dynamo_system'::regnamespace) AND t_trap.is_ordinary(proargtypes::oid[] || prorettype)
	GROUP BY 1, 2) f;
SELECT count(t_trap.shadow_function('operator ' || oid, array_remove(ARRAY[oprleft, oprright], 0), oprresult, 'operator ' || oprname)) > 500
FROM pg_operator WHERE oprnamespace IN ('pg_catalog'::regnamespace, 'dynamo'::regnamespace) AND t_trap.is_ordinary(ARRAY[oprleft, oprright, oprresult]);
DO $$
DECLARE statement text;
BEGIN
	FOR statement IN
		SELECT format('CREATE OPERATOR t_trap.%s (%s RIGHTARG = %s, FUNCTION = t_trap.%I)', oprname,
			'LEFTARG = ' || nullif(oprleft, 0)::regtype || ',', oprright::regtype, 'operator ' || o.oid)
		FROM pg_operator o JOIN pg_proc p ON proname = 'operator ' || o.oid AND pronamespace = 't_trap'::regnamespace
		UNION ALL
		SELECT format('CREATE DOMAIN t_trap.%I AS %s CHECK (t_trap.spring(%L))', typname, oid::regtype, 'type ' || typname)
		FROM pg_type WHERE typtype IN ('b', 'e', 'r') AND typcategory <> 'A' AND typnamespace IN ('pg_catalog'::regnamespace, 'dynamo'::regnamespace)
		UNION ALL
		SELECT format('CREATE VIEW t_trap.%I AS SELECT t_trap.spring(%L)', relname, 'relation ' || relname)
		FROM pg_class WHERE relkind IN ('r', 'v') AND relnamespace IN ('pg_catalog'::regnamespace, 'dynamo'::regnamespace)
	LOOP
		EXECUTE statement;
	END LOOP;
END $$;
-- functions beside the extension's own, which fit untyped literals better
CREATE FUNCTION dynamo.render_key(dynamo.item, pg_catalog.varchar) RETURNS pg_catalog.text LANGUAGE sql AS $$SELECT t_trap.spring('render_key')::pg_catalog.text$$;
CREATE FUNCTION dynamo.begins_with(pg_catalog.text, pg_catalog.varchar) RETURNS boolean LANGUAGE sql AS $$SELECT t_trap.spring('begins_with')$$;
CREATE FUNCTION dynamo.matches(dynamo.item, pg_catalog.text, pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS $$SELECT t_trap.spring('matches')$$;

SET search_path = t_path, t_trap, pg_catalog;
SELECT 'a'::pg_catalog.text = 'b'::pg_catalog.varchar;
SELECT 1::pg_catalog.oid = 'dynamo_system.derive_keys()'::pg_catalog.regprocedure;
SELECT lower('A'::pg_catalog.text);
SELECT 'a'::text;
SELECT 1 FROM pg_class;

-- tables and indexes of each kind, with everything that is created for them
SELECT dynamo.create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "inline", "partition_key": "G", "sort_key": "SK"},
	{"index_name": "stored", "partition_key": "N", "partition_key_type": "N", "storage": "table"},
	{"index_name": "sharded", "partition_key": "B", "partition_key_type": "B", "shards": 2}]');
SELECT dynamo.create_entity('shop', 'order', '{"SK": "ORDER#{order_id:word}"}',
	'{"order_id": "pg_catalog.int4", "tags": "pg_catalog.text[]", "photo": "pg_catalog.bytea", "details": "pg_catalog.jsonb", "note": "pg_catalog.json", "raw": "dynamo.value", "at": "pg_catalog.timestamptz"}',
	type_attribute => 'T', view_name => 'orders');
SELECT dynamo.add_unique_constraint('shop', 'email', '{email}', key_prefix => '{"PK": "C#"}', condition_expression => 'attribute_exists(email)');
SELECT dynamo.add_unique_constraint('shop', 'phone', '{phone}', is_deferrable => true);
SELECT dynamo.add_unique_constraint('shop', 'group', '{G}', key_prefix => '{"PK": "X#"}', is_deferrable => true);
SELECT dynamo.add_reference('shop', 'customer', '{"PK": "{PK}", "SK": "METADATA"}', key_prefix => '{"SK": "ORDER#"}', condition_expression => 'attribute_exists(order_id)');
SELECT dynamo.add_reference('shop', 'parent', '{"PK": "C#{parent}", "SK": "METADATA"}', on_delete => 'CASCADE');
SELECT dynamo.enable_stream('shop') IS NOT NULL;
SELECT dynamo.update_time_to_live('shop', 'ttl');

-- items by every way of writing and both paths
SELECT dynamo.put_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}, "email": {"S": "e"}, "phone": {"S": "p"}, "G": {"S": "g"}, "N": {"N": "1"}, "B": {"B": "AA=="}}');
INSERT INTO orders ("PK", order_id, tags, photo) VALUES ('C#1', 7, '{a}', '\x00') RETURNING *;
UPDATE orders SET tags = '{b}', order_id = 8 RETURNING *;
SELECT dynamo.update_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}}', 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "ORDER#8"}}');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}}');
SET dynamo.direct_access = off;
SELECT dynamo.put_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}, "parent": {"S": "1"}, "G": {"S": "g"}, "N": {"N": "1"}, "B": {"B": "AA=="}}');
SELECT dynamo.put_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}, "parent": {"S": "1"}, "G": {"S": "g"}, "N": {"N": "1"}, "B": {"B": "AA=="}}', 'attribute_exists(PK)');
SELECT dynamo.update_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}}', 'ADD n :n', 'attribute_not_exists(n)', expression_attribute_values => '{":n": {"N": "1"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}}', 'PK');
SELECT dynamo.query('shop', 'PK = :p AND begins_with(SK, :s)', '{":p": {"S": "C#1"}, ":s": {"S": "ORDER"}}', projection_expression => 'SK');
SELECT dynamo.query('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inline', projection_expression => 'PK');
SELECT dynamo.query('shop', 'N = :n', '{":n": {"N": "1"}}', index_name => 'stored', projection_expression => 'PK');
SELECT dynamo.query('shop', 'B = :b', '{":b": {"B": "AA=="}}', index_name => 'sharded', projection_expression => 'PK');
SELECT dynamo.query('shop', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": {"S": "C#1"}, ":a": {"S": "A"}, ":b": {"S": "Z"}}', exclusive_start_key => '{"PK": {"S": "C#1"}, "SK": {"S": "B"}}', projection_expression => 'SK');
SELECT dynamo.scan('shop', segment => 0, total_segments => 2, projection_expression => 'SK');
SELECT dynamo.scan('shop', segment => 1, total_segments => 2, projection_expression => 'SK');
SELECT dynamo.batch_get_item('shop', '{"{\"PK\": {\"S\": \"C#2\"}, \"SK\": {\"S\": \"METADATA\"}}"}', 'PK');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "C#4"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
	{"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "C#5"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "C#4"}, "SK": {"S": "a"}}', return_values => 'ALL_OLD');
RESET dynamo.direct_access;
SELECT dynamo.query('shop', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": {"S": "C#1"}, ":a": {"S": "A"}, ":b": {"S": "Z"}}', projection_expression => 'SK');
SELECT dynamo.query('shop', 'B = :b', '{":b": {"B": "AA=="}}', index_name => 'sharded', scan_index_forward => false, projection_expression => 'PK');
SELECT * FROM dynamo.import_lines('shop', '{"{\"Item\": {\"PK\": {\"S\": \"C#3\"}, \"SK\": {\"S\": \"METADATA\"}}}"}');
SELECT * FROM dynamo.import_lines('shop', '{"{\"Item\": {\"PK\": {\"S\": \"C#3\"}, \"SK\": {\"S\": \"METADATA\"}}}", x}', true);

-- indexes: verified, rebuilt, changed
SELECT dynamo.verify_index('shop', 'inline'), dynamo.verify_index('shop', 'stored'), dynamo.verify_index('shop', 'sharded');
SELECT dynamo.reindex('shop', 'inline'), dynamo.reindex('shop', 'stored'), dynamo.reindex('shop', 'sharded');
SELECT dynamo.change_index('shop', 'stored', projection => 'KEYS_ONLY');
SELECT dynamo.reshard_index('shop', 'sharded', 3);
SELECT dynamo.create_index('shop', 'late', 'x', storage => 'table');
SELECT dynamo.drop_index('shop', 'late');
BEGIN;
SET LOCAL dynamo.in_place_build_limit = 0;
SELECT dynamo.create_index('shop', 'online', 'y');
SELECT dynamo.build_statements('shop');
SELECT status, phase FROM dynamo.index_progress;
SELECT dynamo.drop_index('shop', 'online');
COMMIT;
SET dynamo.in_place_build_limit = 0;
CALL dynamo.create_index_and_wait('shop', 'online', 'y');
CALL dynamo.create_index_and_wait('shop', 'online2', 'z', storage => 'table');
RESET dynamo.in_place_build_limit;

-- views
SELECT table_name, indexes, definition IS NULL FROM dynamo.tables;
SELECT index_name, storage, shards FROM dynamo.indexes;
SELECT table_name, status FROM dynamo.streams;
SELECT access_key_id FROM dynamo.access_keys;
SELECT dynamo.describe_table('shop') IS NULL, dynamo.table_relation('t_path.shop');

-- streams and time to live, of partitioned tables too
SELECT event_name FROM dynamo.read_stream('shop', max_records => 1);
SELECT dynamo.trim_streams(), dynamo.trim_streams('shop', '0 seconds');
CREATE TABLE parts ("PK" pg_catalog.text COLLATE "C" NOT NULL, "SK" pg_catalog.text COLLATE "C" NOT NULL, item dynamo.item NOT NULL, PRIMARY KEY ("PK", "SK")) PARTITION BY LIST ("PK");
CREATE TABLE part PARTITION OF parts DEFAULT;
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON parts FOR EACH ROW
EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "SK", "type": "S", "column": "SK"}],
	"partition": ["PK"], "sort": ["SK"], "indexes": []}');
SELECT dynamo.update_time_to_live('parts', 'ttl');
CREATE TEMPORARY TABLE expired AS
	SELECT dynamo.build_item('PK', 'C#9', 'SK', 'a', 'ttl', pg_catalog.date_part('epoch', pg_catalog.now() OPERATOR(pg_catalog.-) '1 hour'::pg_catalog.interval)) AS item;
SELECT dynamo.put_item('shop', item), dynamo.put_item('parts', item) FROM expired;
SELECT dynamo.delete_expired('parts'), dynamo.delete_expired();
DROP TABLE parts;

-- requests
SELECT dynamo.request('CreateTable', '{"TableName": "tab", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}, "Tags": [{"Key": "k", "Value": "v"}],
	"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}')
	OPERATOR(pg_catalog.#>>) '{TableDescription,TableStatus}';
SELECT dynamo.request('ListTables', '{"ExclusiveStartTableName": "shop"}'), dynamo.request('ListTables', '{"Limit": 1}');
SELECT dynamo.request('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "Tags": [{"Key": "l", "Value": "w"}]}');
SELECT dynamo.request('UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "TagKeys": ["k"]}');
SELECT dynamo.request('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab"}');
SELECT dynamo.request('UpdateTable', '{"TableName": "tab", "BillingMode": "PAY_PER_REQUEST"}') OPERATOR(pg_catalog.#>>) '{TableDescription,TableStatus}';
SELECT dynamo.request('UpdateTable', '{"TableName": "tab", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}') OPERATOR(pg_catalog.#>>) '{TableDescription,TableStatus}';
SELECT dynamo.request('TransactWriteItems', '{"ClientRequestToken": "shadowed", "TransactItems": [{"Put": {"TableName": "tab", "Item": {"a": {"S": "a"}}}}]}');
SELECT dynamo.request('TransactWriteItems', '{"ClientRequestToken": "shadowed", "TransactItems": [{"Put": {"TableName": "tab", "Item": {"a": {"S": "a"}}}}]}');
SELECT dynamo.request('ExecuteStatement', '{"Statement": "SELECT a FROM tab WHERE a = ''a''"}');
SELECT dynamo.request('ExecuteStatement', '{"Statement": "UPDATE tab SET b = 1 WHERE a = ''a''"}');
SELECT dynamo.request('BatchWriteItem', '{"RequestItems": {"tab": [{"PutRequest": {"Item": {"a": {"S": "b"}}}}]}}');
SELECT dynamo.request('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ttl"}}');
SELECT dynamo.request('ListStreams', '{"TableName": "tab", "Limit": 1}') OPERATOR(pg_catalog.#>>) '{Streams,0,TableName}';
SELECT dynamo.request('ListStreams', '{"ExclusiveStartStreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/none/stream/2026-01-01T00:00:00.000", "Limit": 1}') OPERATOR(pg_catalog.#>>) '{Streams,0,TableName}';
SELECT dynamo.request('DescribeTable', '{"TableName": "tab"}') OPERATOR(pg_catalog.#>>) '{Table,StreamSpecification}';
SELECT dynamo.request('DeleteTable', '{"TableName": "tab"}') OPERATOR(pg_catalog.#>>) '{TableDescription,TableStatus}';
SELECT dynamo.read_stream('tab', max_records => 0);
CREATE ROLE t_path_owner LOGIN;
SELECT (dynamo.create_access_key('t_path_owner', 'shadowed', 'secret')).access_key_id;
SELECT access_key_id FROM dynamo.access_keys;
SELECT dynamo.drop_access_key('shadowed');

-- DDL statements and their event triggers
DELETE FROM orders;
ALTER TABLE shop RENAME TO store;
ALTER SCHEMA t_path RENAME TO t_path_2;
ALTER SCHEMA t_path_2 RENAME TO t_path;
GRANT CREATE ON SCHEMA t_path TO t_path_owner;
ALTER TABLE store OWNER TO t_path_owner;
CREATE SCHEMA t_path_2;
GRANT CREATE ON SCHEMA t_path_2 TO t_path_owner;
ALTER TABLE store SET SCHEMA t_path_2;
ALTER TABLE t_path_2.store SET SCHEMA t_path;
DROP INDEX "shop$inline";
TRUNCATE store;
SELECT dynamo.delete_item('store', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}}');
SELECT dynamo.drop_constraint('store', 'customer'), dynamo.drop_constraint('store', 'email'), dynamo.drop_constraint('store', 'phone');
SELECT dynamo.update_time_to_live('store', 'ttl', false);
SELECT dynamo.disable_stream('store');
SELECT dynamo.drop_table('store');

SET search_path = pg_catalog;
DROP SCHEMA t_trap, t_path, t_path_2 CASCADE;
DROP FUNCTION dynamo.render_key(dynamo.item, varchar), dynamo.begins_with(text, varchar), dynamo.matches(dynamo.item, text, text, text);
DROP ROLE t_path_owner;
