-- dynamo.create_table, drop_table, describe_table and the views
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_table CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_table;
SET search_path = t_table;

SELECT dynamo.create_table('ecommerce', 'PK', 'SK');
-- the id is different in every run
SELECT regexp_replace(replace(pg_get_triggerdef(oid), 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), '"id": "[^"]*", ', '') AS definition
FROM pg_trigger WHERE tgrelid = 'ecommerce'::regclass AND tgname = '~dynamo_derive_keys' \gset
:definition;
\d ecommerce
SELECT reloptions FROM pg_class WHERE oid = 'ecommerce'::regclass;
SELECT dynamo.create_table('numbers', partition_key => 'n', partition_key_type => 'N',
	sort_key => 'b', sort_key_type => 'B', fillfactor => 100);
SELECT attname, format_type(atttypid, atttypmod), collname, attnotnull
FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = attcollation
WHERE attrelid = 'numbers'::regclass AND attnum > 0 ORDER BY attnum;
SELECT reloptions FROM pg_class WHERE oid = 'numbers'::regclass;
-- a DynamoDB name can contain dots and dashes
SELECT dynamo.create_table('my.table-1', 'id');
-- a dot after the name of a schema separates it
BEGIN;
SELECT dynamo.create_table('public.table', 'id');
ROLLBACK;

-- views and descriptions
SELECT schema_name, table_name, relation, partition_key, partition_key_type,
	sort_key, sort_key_type, indexes, item_count
FROM dynamo.tables WHERE schema_name = 't_table' ORDER BY table_name;
SELECT dynamo.describe_table('numbers') - 'table_size_bytes';
SELECT (dynamo.describe_table('numbers') ->> 'table_size_bytes')::int > 0 AS has_size;

-- names are resolved as in operations
SELECT dynamo.table_relation('ecommerce'), dynamo.table_relation('my.table-1'),
	dynamo.table_relation('t_table.ecommerce');
SET search_path = pg_catalog;
SELECT dynamo.table_relation('t_table.ecommerce'), dynamo.table_relation('t_table.my.table-1');
SELECT dynamo.table_relation('ecommerce');
SET search_path = t_table;

-- definitions that the service refuses
SELECT dynamo.create_table('', 'PK');
SELECT dynamo.create_table(repeat('x', 256), 'PK');
SELECT dynamo.create_table('a table', 'PK');
SELECT dynamo.create_table('ecommerce', 'PK');
SELECT dynamo.create_table('twice', 'PK', 'PK');
SELECT dynamo.create_table('typed', 'PK', partition_key_type => 'SS');
SELECT dynamo.create_table('typed', 'PK', partition_key_type => 'string');
SELECT dynamo.create_table('empty', '');
SELECT dynamo.create_table('long', repeat('k', 256));
SELECT dynamo.create_table(NULL, 'PK');
SELECT dynamo.create_table('fill', 'PK', fillfactor => 5);
SELECT dynamo.describe_table('missing');
SELECT dynamo.drop_table('missing');
CREATE TABLE plain (item dynamo.item);
SELECT dynamo.describe_table('plain');
SELECT dynamo.drop_table('plain');

-- names that no identifier can hold are mapped
SELECT dynamo.create_table(repeat('t', 70), repeat('k', 70), 'xmin');
SELECT dynamo.create_table('item_table', 'item', 'dynamo_shard');
SELECT table_name, relation, partition_key, sort_key FROM dynamo.tables
WHERE schema_name = 't_table' AND (length(table_name) > 63 OR table_name = 'item_table')
ORDER BY table_name;
SELECT attrelid::regclass, attname FROM pg_attribute
WHERE attrelid IN (dynamo.table_relation(repeat('t', 70)), 'item_table'::regclass) AND attnum > 0
ORDER BY 1, attnum;
DO $$
BEGIN
	EXECUTE format('INSERT INTO %s (item) VALUES (%L)', dynamo.table_relation(repeat('t', 70)),
		json_build_object(repeat('k', 70), json_build_object('S', 'long'), 'xmin', json_build_object('S', 'system')));
END $$;
INSERT INTO item_table (item) VALUES ('{"item": {"S": "i"}, "dynamo_shard": {"S": "s"}}');
TABLE item_table;

-- a definition and its columns cannot be changed separately
ALTER TABLE ecommerce RENAME COLUMN "SK" TO sort_key;
ALTER TABLE ecommerce DROP COLUMN "SK";
ALTER TABLE ecommerce ALTER COLUMN "SK" TYPE varchar;
ALTER TABLE ecommerce ADD COLUMN note text, ALTER COLUMN "SK" SET STATISTICS 200;
ALTER TABLE ecommerce RENAME TO shop;
INSERT INTO shop (item, note) VALUES ('{"PK": {"S": "a"}, "SK": {"S": "b"}}', 'mine');
TABLE shop;
CREATE TABLE broken (item dynamo.item);
CREATE TRIGGER k BEFORE INSERT ON broken FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{}');
CREATE TRIGGER k BEFORE INSERT ON broken FOR EACH ROW EXECUTE FUNCTION
	dynamo_system.derive_keys('{"version": 1, "attributes": [], "partition": ["PK"], "sort": [], "indexes": []}');

-- only the owner can drop a table
CREATE ROLE t_table_other;
GRANT USAGE ON SCHEMA t_table TO t_table_other;
SET ROLE t_table_other;
SELECT dynamo.drop_table('shop');
SELECT dynamo.create_table('mine', 'PK');
SELECT count(*) > 0 AS sees_tables FROM dynamo.tables;
RESET ROLE;
SELECT dynamo.drop_table('shop');
SELECT to_regclass('shop');

SET client_min_messages = warning;
DROP SCHEMA t_table CASCADE;
DROP ROLE t_table_other;
