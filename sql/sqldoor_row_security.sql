-- Row security: fine-grained access by leading key, with every way of access
CREATE SCHEMA t_rls;
SET search_path = t_rls, dynamo;
\set SHOW_CONTEXT never

SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "inline", "partition_key": "G", "sort_key": "SK"},
	{"index_name": "stored", "partition_key": "G", "sort_key": "SK", "storage": "table"},
	{"index_name": "sharded", "partition_key": "G", "sort_key": "SK", "shards": 3}]');
INSERT INTO shop (item) SELECT build_item('PK', t || '#' || p, 'SK', 's' || s, 'G', 'g', 'n', s, 'owner', t)
FROM unnest('{alice,bob}'::text[]) t, generate_series(1, 2) p, generate_series(1, 2) s;
SELECT create_entity_view('rows', 'shop', '{"owner": "text", "n": "int"}');

CREATE ROLE alice_rls;
GRANT USAGE ON SCHEMA t_rls TO alice_rls;
GRANT SELECT, INSERT, UPDATE, DELETE ON shop, rows TO alice_rls;
CREATE POLICY tenant ON shop TO alice_rls USING (begins_with("PK", 'alice#'));
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
ANALYZE shop;
-- counts of items, for users who may count them and for others
CREATE VIEW counts AS SELECT d ->> 'item_count' AS items, (d ->> 'table_size_bytes')::bigint > 0 AS bytes,
	d #>> '{global_secondary_indexes,1,item_count}' AS stored,
	(d #>> '{global_secondary_indexes,1,index_size_bytes}')::bigint > 0 AS stored_bytes,
	r #>> '{Table,ItemCount}' AS request_items, (r #>> '{Table,TableSizeBytes}')::bigint > 0 AS request_bytes,
	r #>> '{Table,GlobalSecondaryIndexes,1,ItemCount}' AS request_index,
	(SELECT item_count FROM dynamo.tables WHERE schema_name = 't_rls') AS listed
FROM describe_table('shop') d, request('DescribeTable', '{"TableName": "shop"}') r;
GRANT SELECT ON counts TO PUBLIC;
ANALYZE "shop$stored";
TABLE counts;
SET ROLE alice_rls;
TABLE counts;
RESET ROLE;
CREATE ROLE nobody_rls;
GRANT USAGE ON SCHEMA t_rls TO nobody_rls;
SET ROLE nobody_rls;
TABLE counts;
SET ROLE alice_rls;

-- reading
SELECT get_item('shop', '{"PK": {"S": "alice#1"}, "SK": {"S": "s1"}}') ->> 'owner' AS own,
	get_item('shop', '{"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}') ->> 'owner' AS others;
SELECT count(*) FROM query('shop', 'PK = :p', '{":p": {"S": "bob#1"}}');
SELECT count(*), min(i ->> 'owner'), max(i ->> 'owner') FROM scan('shop') i;
SELECT count(*), min(i ->> 'owner'), max(i ->> 'owner') FROM scan('shop', segment => 0, total_segments => 1) i;
SELECT name, (SELECT count(*) FROM query('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => name)) AS query,
	(SELECT string_agg(DISTINCT i ->> 'PK', ' ') FROM query('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => name) i) AS keys,
	(SELECT count(*) FROM scan('shop', index_name => name)) AS scan
FROM unnest('{inline,stored,sharded}'::text[]) name ORDER BY name;
SELECT (query_page('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => 'sharded', page_size => 3)).scanned_count;
SELECT batch_get_item('shop', ARRAY['{"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}', '{"PK": {"S": "alice#1"}, "SK": {"S": "s1"}}']::item[]) ->> 'PK' AS batch;
SELECT transact_get_items('[{"Get": {"TableName": "shop", "Key": {"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}}}]');
SELECT request('GetItem', '{"TableName": "shop", "Key": {"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}}');
SELECT request('Query', '{"TableName": "shop", "IndexName": "stored", "Select": "COUNT", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g"}}}');
SELECT count(*) FROM shop;
SELECT DISTINCT "PK" FROM rows ORDER BY 1;
SELECT count(*) FROM verify_index('shop', 'stored');
SELECT count(*) FROM "shop$stored";

-- writing: only own items; items of others are not accessible
SELECT put_item('shop', '{"PK": {"S": "alice#3"}, "SK": {"S": "s"}, "G": {"S": "g"}}');
SELECT put_item('shop', '{"PK": {"S": "bob#3"}, "SK": {"S": "s"}}');
SELECT put_item('shop', '{"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}');
SELECT put_item('shop', '{"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}', 'attribute_exists(PK)');
SELECT update_item('shop', '{"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}', 'SET n = :n', expression_attribute_values => '{":n": {"N": "9"}}');
SELECT delete_item('shop', '{"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}', return_values => 'ALL_OLD');
SELECT delete_item('shop', '{"PK": {"S": "alice#3"}, "SK": {"S": "s"}}', return_values => 'ALL_OLD');
SELECT batch_write_item('shop', put_items => ARRAY['{"PK": {"S": "bob#4"}, "SK": {"S": "s"}}']::item[]);
SELECT transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "bob#4"}, "SK": {"S": "s"}}}}]');
SELECT transact_write_items('[{"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "bob#1"}, "SK": {"S": "s1"}}, "ConditionExpression": "attribute_exists(PK)"}}]');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "bob#5"}, "SK": {"S": "s"}}');
INSERT INTO rows ("PK", "SK") VALUES ('bob#5', 's');
UPDATE rows SET n = 0;
UPDATE rows SET "PK" = 'bob#9' WHERE "PK" = 'alice#1' AND "SK" = 's1';
DELETE FROM rows WHERE "PK" LIKE 'bob%';
SELECT * FROM import_lines('shop', ARRAY['{"Item": {"PK": {"S": "bob#6"}, "SK": {"S": "s"}}}']);
RESET ROLE;

-- users with all privileges in a schema see no more in index tables
SELECT create_index('shop', 'later', 'G', shards => 2);
GRANT ALL ON ALL TABLES IN SCHEMA t_rls TO alice_rls;
SELECT DISTINCT relrowsecurity FROM pg_class WHERE relname LIKE 'shop%' AND relkind IN ('r', 'p') AND relnamespace = 't_rls'::regnamespace;
SET ROLE alice_rls;
SELECT (SELECT count(*) FROM "shop$stored") AS stored, (SELECT count(*) FROM "shop$sharded") AS sharded,
	(SELECT count(*) FROM "shop$later$0") + (SELECT count(*) FROM "shop$later$1") AS shards,
	(SELECT count(*) FROM query('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => 'later')) AS query;
INSERT INTO "shop$stored" VALUES ('g', 's1', 'bob#1', '{}');
DELETE FROM "shop$stored";
TRUNCATE "shop$stored";
RESET ROLE;
ALTER TABLE "shop$stored" DISABLE ROW LEVEL SECURITY;
ALTER TABLE "shop$stored" FORCE ROW LEVEL SECURITY;
BEGIN;
ALTER TABLE shop DISABLE ROW LEVEL SECURITY;
SELECT DISTINCT relrowsecurity FROM pg_class WHERE relname LIKE 'shop%' AND relkind IN ('r', 'p') AND relnamespace = 't_rls'::regnamespace;
ROLLBACK;
SELECT drop_index('shop', 'later');

SELECT "PK", "SK", item ->> 'n' AS n FROM shop ORDER BY 1, 2;
SELECT name, (SELECT count(*) FROM verify_index('shop', name)) AS problems FROM unnest('{inline,stored,sharded}'::text[]) name;

SET client_min_messages = warning;
DROP SCHEMA t_rls CASCADE;
DROP ROLE alice_rls, nobody_rls;
