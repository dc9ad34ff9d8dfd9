-- DDL that would damage a table, its triggers or its index tables
CREATE SCHEMA t_guards;
CREATE SCHEMA t_guards_2;
SET search_path = t_guards, dynamo;
\set SHOW_CONTEXT never
CREATE ROLE guards_owner;
CREATE ROLE guards_other;
GRANT ALL ON SCHEMA t_guards, t_guards_2 TO guards_owner;
SET ROLE guards_owner;
SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "inl", "partition_key": "G"},
	{"index_name": "own", "partition_key": "G", "storage": "table"},
	{"index_name": "shs", "partition_key": "G", "sort_key": "n", "sort_key_type": "N", "shards": 2}]');
-- an index table's name that leaves no room for the numbers of its shards
SELECT create_index('shop', 'a_rather_long_name_of_an_index_whose_shards_have_hashed_na', 'G', shards => 2);
INSERT INTO shop (item) SELECT build_item('PK', 'p' || i, 'SK', 's', 'G', 'g' || i % 3, 'n', i) FROM generate_series(1, 9) i;
CREATE VIEW problems AS SELECT i.index_name, v.* FROM dynamo.indexes i, LATERAL verify_index('shop', i.index_name) v
WHERE i.schema_name = 't_guards' ORDER BY index_name COLLATE "C", problem, detail, key;

-- a single shard: TRUNCATE, DROP, DETACH, ATTACH, owner, schema
TRUNCATE "shop$shs$1";
TRUNCATE shop, "shop$shs$0";
DROP TABLE "shop$shs$1";
DROP TABLE "shop$shs$1", "shop$shs$0" CASCADE;
SELECT relname AS shard FROM pg_inherits JOIN pg_class ON oid = inhrelid
WHERE inhparent = '"shop$a_rather_long_name_of_an_index_whose_shards_have_hashed_na"'::regclass ORDER BY 1 LIMIT 1 \gset
SELECT :'shard' LIKE 'shop$a_rather%' AS shard, length(:'shard') AS length;
DROP TABLE :"shard";
ALTER TABLE "shop$shs" DETACH PARTITION "shop$shs$1";
RESET ROLE;
ALTER TABLE "shop$shs" DETACH PARTITION "shop$shs$1" CONCURRENTLY;
SET ROLE guards_owner;
CREATE TABLE foreign_shard (LIKE "shop$shs" INCLUDING ALL);
ALTER TABLE "shop$shs" ATTACH PARTITION foreign_shard FOR VALUES IN (2);
CREATE TABLE more PARTITION OF "shop$shs" DEFAULT;
CREATE TABLE parent (LIKE "shop$own") PARTITION BY LIST ("G");
ALTER TABLE parent ATTACH PARTITION "shop$own" DEFAULT;
RESET ROLE;
ALTER TABLE "shop$shs$1" OWNER TO guards_other;
ALTER TABLE "shop$own" OWNER TO guards_other;
ALTER TABLE "shop$own" OWNER TO guards_owner;
SET ROLE guards_owner;
ALTER TABLE "shop$shs$1" SET SCHEMA t_guards_2;
ALTER TABLE "shop$own" SET SCHEMA t_guards_2;
ALTER TABLE "shop$own" SET UNLOGGED;
-- the shape of an index table
ALTER TABLE "shop$own" ADD COLUMN more int;
ALTER TABLE "shop$own" RENAME COLUMN "G" TO h;
ALTER TABLE "shop$own" ALTER COLUMN "G" TYPE varchar;
ALTER TABLE "shop$own" DROP CONSTRAINT "shop$own_pkey";
ALTER TABLE "shop$shs$0" DROP CONSTRAINT "shop$shs$0_pkey";
-- inheritance: a child would have neither the triggers nor the key
CREATE TABLE child () INHERITS (shop);
CREATE TABLE child () INHERITS ("shop$own");
CREATE TABLE child (LIKE shop);
ALTER TABLE child INHERIT shop;
DROP TABLE child;
-- statements that only the owner may run
ALTER TABLE "shop$shs$1" RENAME TO shard_one;
ALTER TABLE "shop$own" SET (fillfactor = 80);
ALTER TABLE "shop$own" ADD CONSTRAINT mine CHECK (true);
ALTER TABLE "shop$own" DROP CONSTRAINT mine;
TABLE problems;

-- triggers
ALTER TABLE shop DISABLE TRIGGER "~dynamo_derive_keys";
ALTER TABLE shop DISABLE TRIGGER USER;
ALTER TABLE "shop$shs$0" DISABLE TRIGGER ALL;
DROP TRIGGER "~dynamo_derive_keys" ON shop;
DROP TRIGGER IF EXISTS "~dynamo_maintain_indexes" ON t_guards.shop;
DROP TRIGGER "~dynamo_guard_truncate" ON "shop$own";
DROP TRIGGER none ON shop;
ALTER TRIGGER "~dynamo_derive_keys" ON shop DEPENDS ON EXTENSION plpgsql;
ALTER TRIGGER "~dynamo_guard_truncate" ON "shop$own" DEPENDS ON EXTENSION plpgsql;
ALTER INDEX "shop$inl" DEPENDS ON EXTENSION plpgsql;
ALTER INDEX "shop$inl" NO DEPENDS ON EXTENSION plpgsql;

-- nor replaced, by whom ever, also as in scripts of pg_dump
CREATE FUNCTION t_guards.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
GRANT TRIGGER ON shop, "shop$own" TO guards_other;
RESET ROLE;
GRANT USAGE ON SCHEMA t_guards TO guards_other;
SET ROLE guards_other;
SET check_function_bodies = off;
CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT ON shop FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE OR REPLACE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT ON shop FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE OR REPLACE TRIGGER "~dynamo_guard_index" AFTER INSERT ON "shop$own" FOR EACH ROW EXECUTE FUNCTION nothing();
RESET check_function_bodies;
RESET ROLE;
SET ROLE guards_owner;
CREATE OR REPLACE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT OR UPDATE OR DELETE ON shop FOR EACH ROW WHEN (false)
	EXECUTE FUNCTION dynamo_system.maintain_indexes();
CREATE OR REPLACE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT OR UPDATE OF "G" OR DELETE ON shop FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
CREATE OR REPLACE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
CREATE OR REPLACE TRIGGER "~dynamo_truncate_indexes" AFTER DELETE ON shop FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.maintain_indexes();
CREATE OR REPLACE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT OR UPDATE OR DELETE ON shop FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
CREATE OR REPLACE TRIGGER mine BEFORE INSERT ON shop FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE OR REPLACE TRIGGER mine AFTER DELETE ON shop FOR EACH ROW EXECUTE FUNCTION nothing();
DROP TRIGGER mine ON shop;
DROP FUNCTION nothing();
TABLE problems;
TABLE problems;
-- keys
ALTER TABLE shop DROP CONSTRAINT shop_pkey;
ALTER TABLE shop ALTER COLUMN "SK" SET DEFAULT 's';
ALTER TABLE shop ALTER COLUMN "PK" TYPE text COLLATE "POSIX";
ALTER TABLE shop ALTER COLUMN n TYPE numeric(8, 2);
ALTER TABLE shop ALTER COLUMN "PK" DROP NOT NULL;
-- another btree can replace the primary key
CREATE UNIQUE INDEX new_pkey ON shop ("PK", "SK");
ALTER TABLE shop DROP CONSTRAINT shop_pkey, ADD CONSTRAINT shop_pkey PRIMARY KEY USING INDEX new_pkey;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "p10"}, "SK": {"S": "s"}, "G": {"S": "g0"}, "n": {"N": "10"}}');
TABLE problems;

-- the extension's own changes work, also with shards that users have renamed
SELECT reshard_index('shop', 'shs', 3), reindex('shop', 'shs'), change_index('shop', 'own', projection => 'KEYS_ONLY');
TRUNCATE "shop$shs$2";
RESET ROLE;
ALTER TABLE shop SET SCHEMA t_guards_2;
ALTER TABLE t_guards_2.shop OWNER TO guards_other;
ALTER TABLE t_guards_2.shop OWNER TO guards_owner;
ALTER TABLE t_guards_2.shop SET SCHEMA t_guards;
SELECT count(*), count(DISTINCT relowner) FROM pg_class WHERE relkind IN ('r', 'p') AND relname LIKE 'shop%' AND relnamespace = 't_guards'::regnamespace;
TABLE problems;
SET ROLE guards_owner;

-- a restore of a dump drops triggers one by one, and so can users with its settings
SET check_function_bodies = off;
DROP TRIGGER "~dynamo_maintain_indexes" ON shop;
RESET check_function_bodies;
SELECT put_item('shop', '{"PK": {"S": "p11"}, "SK": {"S": "s"}}');
SELECT * FROM query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'shs');
SELECT count(*) FROM query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'inl');
DELETE FROM shop WHERE "PK" = 'p1';
SELECT index_name, problem, detail FROM problems WHERE index_name IN ('own', 'shs');
SELECT reindex('shop', 'own');
SELECT reindex('shop', 'shs'), reindex('shop', 'a_rather_long_name_of_an_index_whose_shards_have_hashed_na');
TABLE problems;

-- without event triggers: no wrong results, and reindex repairs the index
RESET ROLE;
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER TABLE "shop$shs" DETACH PARTITION "shop$shs$0";
DROP TABLE "shop$shs$1";
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
SET ROLE guards_owner;
TABLE problems;
SELECT * FROM query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'shs');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "p12"}, "SK": {"S": "s"}, "G": {"S": "g0"}, "n": {"N": "10"}}');
ALTER TABLE shop ADD COLUMN remark text;
SELECT reindex('shop', 'shs');
TABLE problems;
SELECT count(*) FROM query('shop', 'G = :g', '{":g": {"S": "g0"}}', index_name => 'shs');

-- tables are dropped with all their relations; detached ones remain
DROP TABLE foreign_shard, parent, "shop$shs$0";
SELECT drop_index('shop', 'shs');
DROP TABLE shop CASCADE;
SELECT relname FROM pg_class WHERE relnamespace = 't_guards'::regnamespace AND relkind IN ('r', 'p');
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "shs", "partition_key": "G", "shards": 2}]');
DROP TABLE shop, "shop$shs", "shop$shs$0";
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "shs", "partition_key": "G", "shards": 2}]');
RESET ROLE;
DROP OWNED BY guards_owner;
SELECT count(*) FROM pg_class WHERE relnamespace = 't_guards'::regnamespace;
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "shs", "partition_key": "G", "shards": 2}]');

-- commands for other objects that also rename tables and columns
SELECT create_table('cart', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
SELECT enable_stream('cart') IS NOT NULL AS enabled;
SELECT update_time_to_live('cart', 'ends');
ALTER VIEW cart RENAME COLUMN "PK" TO x;
ALTER MATERIALIZED VIEW cart RENAME COLUMN "PK" TO x;
ALTER FOREIGN TABLE cart RENAME COLUMN item TO x;
ALTER TYPE cart RENAME ATTRIBUTE "PK" TO x;
ALTER VIEW "cart$own" RENAME COLUMN "G" TO x;
ALTER TYPE "cart$own" RENAME ATTRIBUTE "G" TO x;
SELECT request('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/cart", "Tags": [{"Key": "a", "Value": "b"}]}') IS NULL AS tagged;
ALTER INDEX cart RENAME TO basket;
SELECT relation::regclass FROM dynamo_internal.table_tags JOIN dynamo_internal.table_settings USING (table_id) WHERE relation = 'basket'::regclass;
SELECT tgconstrrelid::regclass FROM pg_trigger WHERE tgrelid = to_regclass('"basket$own"') AND tgname = '~dynamo_belongs_to';
SELECT put_item('basket', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
SELECT count(*) FROM query('basket', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own');

-- tables of the same statement, and what a statement changes beside its table
SELECT create_table('kept', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}, {"index_name": "shs", "partition_key": "G", "shards": 2}]');
SELECT enable_stream('kept') IS NOT NULL AS enabled;
CREATE SCHEMA t_guards_3 CREATE TABLE child () INHERITS (t_guards.kept);
CREATE SCHEMA t_guards_3 CREATE TABLE child () INHERITS (t_guards."kept$own");
CREATE SCHEMA t_guards_3 CREATE TABLE shard PARTITION OF t_guards."kept$shs" DEFAULT;
CREATE SCHEMA t_guards_3 CREATE TABLE kept (a int) CREATE TABLE child () INHERITS (kept);
DROP SCHEMA t_guards_3 CASCADE;
SELECT format('CREATE SCHEMA t_guards_3 CREATE TABLE twin (LIKE t_guards.kept INCLUDING ALL) CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON twin FOR EACH ROW
	EXECUTE FUNCTION dynamo_system.derive_keys(%L)', jsonb_set(definition::jsonb, '{indexes}', '[]')) AS twin FROM dynamo.tables WHERE table_name = 'kept' AND schema_name = 't_guards' \gset
:twin;
SELECT count(DISTINCT definition::jsonb ->> 'id') FROM dynamo.tables WHERE table_name IN ('kept', 'twin');
DROP SCHEMA t_guards_3 CASCADE;
CREATE TABLE grown (item item NOT NULL, "PK" text COLLATE "C" PRIMARY KEY);
CREATE TABLE child () INHERITS (grown);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON grown FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(
	'{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}], "partition": ["PK"], "sort": [], "indexes": []}');
CREATE TABLE above ("PK" text COLLATE "C" NOT NULL);
CREATE TABLE beside (item item NOT NULL, "PK" text COLLATE "C" NOT NULL);
ALTER TABLE beside INHERIT above;
ALTER TABLE kept INHERIT above;
ALTER TABLE above RENAME COLUMN "PK" TO key;
ALTER TABLE above ALTER COLUMN "PK" SET DEFAULT 'x';
ALTER TABLE above ALTER COLUMN "PK" TYPE varchar(9);
ALTER TABLE above DROP COLUMN "PK", ADD COLUMN note text;
ALTER TABLE above RENAME COLUMN note TO remark;
ALTER TABLE kept NO INHERIT above;
CREATE TYPE shape AS ("PK" text COLLATE "C", item item);
CREATE TYPE wide AS ("G" text COLLATE "C", "PK" text COLLATE "C", item item);
SELECT create_table('typed', 'PK', indexes => '[{"index_name": "own", "partition_key": "PK", "storage": "table"}]');
ALTER TABLE typed OF shape;
ALTER TYPE shape RENAME ATTRIBUTE "PK" TO key CASCADE;
ALTER TYPE shape DROP ATTRIBUTE "PK" CASCADE;
ALTER TYPE shape ALTER ATTRIBUTE "PK" TYPE text COLLATE "POSIX" CASCADE;
ALTER TYPE shape ALTER ATTRIBUTE "PK" TYPE varchar CASCADE;
ALTER TYPE shape ADD ATTRIBUTE note text CASCADE;
ALTER TABLE "kept$own" OF wide;
ALTER TABLE "kept$stream" OF wide;
SELECT put_item('typed', '{"PK": {"S": "a"}}');
SELECT put_item('kept', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
SELECT enable_stream('typed') IS NOT NULL AS enabled;
SELECT relname FROM pg_class WHERE relname LIKE 'typed%' AND relkind = 'r' ORDER BY 1;
DROP TYPE shape CASCADE;
SELECT relname FROM pg_class WHERE relname LIKE 'typed%' AND relkind = 'r' ORDER BY 1;
SET client_min_messages = warning;
DROP SCHEMA t_guards, t_guards_2 CASCADE;
DROP ROLE guards_owner, guards_other;
