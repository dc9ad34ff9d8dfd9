-- streams and ordinary DDL: names, schemas, owners, dropping, closing
CREATE SCHEMA t_stream_ddl;
CREATE SCHEMA t_stream_ddl_2;
SET search_path = t_stream_ddl, t_stream_ddl_2, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION streams_here() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT concat_ws(' ', schema_name, table_name, relname, CASE owner WHEN CURRENT_USER THEN 'me' ELSE owner END, view_type, status)
	FROM dynamo.streams JOIN pg_class c ON c.oid = stream_relation WHERE schema_name::text LIKE 't_stream_ddl%' ORDER BY label
$$;
CREATE FUNCTION counted(name text) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM dynamo.read_stream(name)';
CREATE FUNCTION put(name text) RETURNS void LANGUAGE sql AS $$
	SELECT dynamo.put_item(name, dynamo.build_item('PK', 'p', 'SK', clock_timestamp()::text)) $$;
SELECT create_table('shop', 'PK', 'SK');
SELECT enable_stream('shop') IS NOT NULL;
SELECT tgname, tgenabled, tgtype FROM pg_trigger WHERE tgrelid = 'shop'::regclass ORDER BY 1;
SELECT tgname, tgenabled, tgtype FROM pg_trigger WHERE tgrelid = '"shop$stream"'::regclass ORDER BY 1;
SELECT put('shop');

-- other names, another schema, another owner: the stream follows
ALTER TABLE shop RENAME TO store;
SELECT put('store');
SELECT counted('store');
SELECT counted('shop');
ALTER TABLE store SET SCHEMA t_stream_ddl_2;
SELECT put('store');
CREATE ROLE stream_ddl_owner;
GRANT CREATE, USAGE ON SCHEMA t_stream_ddl, t_stream_ddl_2 TO stream_ddl_owner;
ALTER TABLE store OWNER TO stream_ddl_owner;
SELECT put('store');
ALTER TABLE t_stream_ddl_2."store$stream" RENAME TO changes;
SELECT put('store');
SELECT streams_here(), counted('store'), counted('t_stream_ddl_2.store');
SELECT relowner::regrole FROM pg_class WHERE relname = 'shop$stream_number_seq';
ALTER TABLE changes OWNER TO CURRENT_USER;
-- a sequence whose numbers are not in the order in which they are taken
ALTER SEQUENCE t_stream_ddl_2."shop$stream_number_seq" CACHE 10;
SELECT put('store');
ALTER TABLE t_stream_ddl_2.changes ALTER number SET CACHE 1 SET INCREMENT -1 SET MINVALUE -9;
SELECT put('store');
ALTER TABLE t_stream_ddl_2.changes ALTER number SET INCREMENT 1 SET CYCLE;
SELECT put('store');
ALTER TABLE t_stream_ddl_2.changes ALTER number SET NO CYCLE;
SELECT put('store');
-- objects that the stream requires
ALTER TABLE changes DROP COLUMN horizon;
ALTER TABLE changes ADD COLUMN more int;
ALTER TABLE changes DROP CONSTRAINT "shop$stream_pkey";
ALTER TABLE changes SET UNLOGGED;
ALTER TABLE changes SET SCHEMA t_stream_ddl;
DROP TRIGGER "~dynamo_guard_stream" ON changes;
ALTER TRIGGER "!dynamo_capture_changes" ON store RENAME TO capture;
ALTER TABLE store DISABLE TRIGGER "!dynamo_capture_truncate";
SELECT put('store');
SELECT disable_stream('store');
ALTER TABLE changes DROP COLUMN horizon;
SELECT counted('store');
DROP TABLE changes;
-- invalid definitions
CREATE TABLE none (a int);
CREATE TRIGGER t BEFORE INSERT ON none FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{');
CREATE TRIGGER t BEFORE INSERT ON store FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{}');
CREATE TRIGGER t BEFORE INSERT ON none FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{"table": "store", "label": "x", "view": "NEW_IMAGE", "partition": "PK"}');
SELECT enable_stream('store', 'KEYS_ONLY') IS NOT NULL;
SELECT put('store');
DROP TABLE t_stream_ddl_2."store$stream";
DROP TABLE t_stream_ddl_2."store$stream" CASCADE;
ALTER TABLE store DISABLE TRIGGER ALL;
ALTER TABLE store ENABLE TRIGGER ALL;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'store'::regclass ORDER BY 1;
SELECT (describe_table('store') -> 'stream') - 'label'::text;
-- a user's own index
CREATE INDEX ON t_stream_ddl_2."store$stream" ((keys ->> 'PK'), number);
SELECT put('store');
SELECT counted('store'), count(*) FROM t_stream_ddl_2."store$stream" WHERE keys ->> 'PK' = 'p';

-- unlogged and back
ALTER TABLE store SET UNLOGGED;
SELECT relname, relpersistence FROM pg_class WHERE relname IN ('store', 'store$stream', 'store$stream_pkey', 'store$stream_number_seq') ORDER BY 1;
SELECT put('store');
ALTER TABLE store SET LOGGED;
SELECT DISTINCT relpersistence FROM pg_class WHERE relname IN ('store', 'store$stream', 'store$stream_pkey', 'store$stream_number_seq');

-- statements that change no item
SELECT counted('store') AS before \gset
SELECT create_index('store', 'gsi', 'G', storage => 'table');
SELECT update_time_to_live('store', 'e');
ALTER TABLE store ADD COLUMN remark text DEFAULT 'x';
UPDATE store SET remark = 'y';
VACUUM FULL store;
SELECT reindex('store', 'gsi');
SELECT counted('store') - :before;

-- a second stream besides the first; both are found by name
SELECT disable_stream('store'), enable_stream('store', 'OLD_IMAGE') IS NOT NULL;
SELECT streams_here();
SELECT counted('store'), (SELECT count(*) FROM read_stream('store', label => (SELECT min(label) FROM dynamo.streams WHERE table_name = 'store')));
-- the table is dropped: its streams remain until they are trimmed
SELECT put('store');
DROP TABLE store;
SELECT streams_here(), counted('store');
SELECT create_table('store', 'PK', 'SK');
SELECT counted('store');
SELECT enable_stream('store') IS NOT NULL;
SELECT counted('store');
SELECT trim_streams('store', '0'), trim_streams('t_stream_ddl_2.store', '0');
SELECT streams_here();
BEGIN;
SELECT drop_table('store');
SELECT streams_here();
ROLLBACK;
DROP SCHEMA t_stream_ddl_2 CASCADE;
DROP TABLE store;

-- partitions
CREATE TABLE parts ("PK" text COLLATE "C" NOT NULL, item item NOT NULL, PRIMARY KEY ("PK")) PARTITION BY LIST ("PK");
CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE part_b PARTITION OF parts FOR VALUES IN ('b', 'c');
SELECT create_table('model', 'PK');
SELECT regexp_replace(pg_get_triggerdef(oid), '"id": "[^"]*", ', '') AS def FROM pg_trigger WHERE tgrelid = 'model'::regclass \gset
SELECT replace(:'def', 'ON t_stream_ddl.model', 'ON t_stream_ddl.parts') \gexec
SELECT enable_stream('parts') IS NOT NULL;
INSERT INTO parts ("PK", item) SELECT p, build_item('PK', p, 'n', 1) FROM unnest('{a,b}'::text[]) p;
UPDATE parts SET item = set_attribute(item, 'n', to_value(2));
UPDATE parts SET "PK" = 'c', item = build_item('PK', 'c') WHERE "PK" = 'a';
TRUNCATE parts;
CREATE TABLE part_c (LIKE parts);
ALTER TABLE parts ATTACH PARTITION part_c FOR VALUES IN ('x');
ALTER TABLE parts DETACH PARTITION part_a;
SELECT event_name, keys, old_image ->> 'n', new_image ->> 'n' FROM read_stream('parts');

SET client_min_messages = warning;
DROP SCHEMA t_stream_ddl CASCADE;
DROP ROLE stream_ddl_owner;
