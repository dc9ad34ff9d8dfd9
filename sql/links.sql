-- An index table and a stream are linked to their table by identity, whatever their
-- names are, and no user can claim those of another.
CREATE SCHEMA t_links;
CREATE SCHEMA t_links_other;
SET search_path = t_links, dynamo;
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE ROLE link_owner;
CREATE ROLE link_other;
GRANT USAGE, CREATE ON SCHEMA t_links, t_links_other TO link_owner, link_other;
CREATE VIEW links AS
	SELECT t.tgrelid::regclass AS relation, t.tgconstrrelid::regclass AS belongs_to, rtrim(convert_from(t.tgargs, 'UTF8'), E'\001') AS label,
		pg_get_userbyid(c.relowner) AS owner, c.relnamespace::regnamespace AS schema
	FROM (SELECT tgrelid, tgconstrrelid, decode(regexp_replace(encode(tgargs, 'hex'), '00$', '01'), 'hex') AS tgargs FROM pg_trigger
		WHERE tgname = '~dynamo_belongs_to' AND tgparentid = 0) t JOIN pg_class c ON c.oid = t.tgrelid
	WHERE c.relnamespace IN ('t_links'::regnamespace, 't_links_other'::regnamespace);
GRANT SELECT ON links TO PUBLIC;

SET ROLE link_owner;
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"},
	{"index_name": "shs", "partition_key": "G", "shards": 2}, {"index_name": "inl", "partition_key": "G"}]');
SELECT enable_stream('shop') IS NOT NULL AS enabled;
SELECT put_item('shop', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
CREATE FUNCTION found(name text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(index_name || ' ' || (SELECT count(*) FROM query(name, 'G = :g', '{":g": {"S": "g"}}', index_name => i.index_name)) ||
		' ' || (SELECT count(*) FROM verify_index(name, i.index_name)) || ' ' || relation_name, ', ' ORDER BY index_name)
	FROM indexes i WHERE table_name = name AND schema_name = 't_links'
$$;
SELECT * FROM links ORDER BY 1;
SELECT found('shop');

-- other names
ALTER TABLE "shop$own" RENAME TO a;
ALTER TABLE "shop$shs" RENAME TO b;
ALTER TABLE "shop$stream" RENAME TO c;
ALTER INDEX "shop$inl" RENAME TO d;
SELECT found('shop');
ALTER TABLE shop RENAME TO store;
SELECT put_item('store', '{"PK": {"S": "b"}, "G": {"S": "g"}}');
SELECT found('store');
SELECT count(*) AS records FROM c;
SELECT describe_table('store') #> '{stream,relation}' AS stream, table_name, stream_relation FROM streams WHERE schema_name = 't_links';
-- another table gets the first name, and new relations for it
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
SELECT found('shop'), found('store');
DROP TABLE shop;
-- new relations get names that have not been used
SELECT change_index('store', 'own', storage => 'inline');
SELECT change_index('store', 'own', storage => 'table');
SELECT disable_stream('store'), enable_stream('store') IS NOT NULL AS enabled;
SELECT reshard_index('store', 'shs', 3);
SELECT reindex('store', 'inl');
SELECT * FROM links ORDER BY 1;
SELECT found('store');

-- another schema and owner
ALTER TABLE store SET SCHEMA t_links_other;
SELECT DISTINCT schema, owner FROM links;
ALTER TABLE t_links_other.store SET SCHEMA t_links;
SELECT DISTINCT schema, owner FROM links;
RESET ROLE;
ALTER TABLE store OWNER TO link_other;
SELECT DISTINCT schema, owner FROM links;
REASSIGN OWNED BY link_other TO link_owner;
SELECT DISTINCT schema, owner FROM links;
SELECT found('store');
SET ROLE link_owner;
ALTER TABLE "store$own" SET SCHEMA t_links_other;
ALTER TRIGGER "~dynamo_belongs_to" ON "store$own" RENAME TO x;
DROP TRIGGER "~dynamo_belongs_to" ON "store$own";

-- a link requires the owner of both tables, and a relation has only one
SET ROLE link_owner;
GRANT ALL ON store, "store$own" TO link_other;
SET ROLE link_other;
CREATE TABLE mine (LIKE "store$own" INCLUDING ALL);
SELECT create_table('theirs', 'PK');
GRANT ALL ON mine, theirs TO link_owner;
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON mine FROM store FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('store$own');
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON store FROM theirs FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('x');
SET ROLE link_owner;
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON mine FROM store FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('store$own');
CREATE TABLE twin (LIKE "store$own" INCLUDING ALL);
SELECT count(*) FROM links WHERE relation = 'twin'::regclass;
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON twin FROM store FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('store$own');
-- a trigger whose label is not in the table's definition is not a link
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON twin FROM store FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('other');
ALTER TABLE twin ADD COLUMN x int;
ALTER TABLE twin SET SCHEMA t_links_other;
DROP TABLE t_links_other.twin;
RESET ROLE;
DROP TABLE mine, theirs;

-- a copy with other names, such as a shard of Citus, has its own btree
SET ROLE link_owner;
CREATE TABLE shard_102144 (LIKE store);
ALTER TABLE shard_102144 ADD CONSTRAINT shard_pkey_102144 PRIMARY KEY ("PK");
CREATE INDEX other_102144 ON shard_102144 ("G", "PK") WHERE "PK" > 'a';
CREATE UNIQUE INDEX unique_102144 ON shard_102144 ("G", "PK");
DO $$
DECLARE definition text;
BEGIN
	SELECT replace(replace(pg_get_triggerdef(oid), 't_links.store ', 't_links.shard_102144 '), '~dynamo_derive_keys', '~dynamo_derive_keys_102144') INTO definition
	FROM pg_trigger WHERE tgrelid = 'store'::regclass AND tgname = '~dynamo_derive_keys';
	EXECUTE definition;
END $$;
INSERT INTO shard_102144 (item) VALUES ('{"PK": {"S": "c"}, "G": {"S": "g"}}');
SELECT query('shard_102144', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inl');
CREATE INDEX "store$inl_102144" ON shard_102144 ("G", "PK") WHERE "G" IS NOT NULL;
SELECT query('shard_102144', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inl');
SELECT replace(explain_query('shard_102144', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inl'), ', by SQL statements', '');
SELECT query('shard_102144', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own');
DROP TABLE shard_102144;

-- all linked relations are dropped with the table, except streams
SELECT found('store');
DROP TABLE store;
SELECT * FROM links;
SELECT table_name, status FROM streams WHERE schema_name = 't_links';
SET client_min_messages = error;
DROP OWNED BY link_owner;
SELECT relname FROM pg_class WHERE relnamespace = 't_links'::regnamespace AND relkind IN ('r', 'p');

RESET ROLE;

-- DDL looks for all links of a table at once
SELECT create_table('many', 'PK');
SELECT count(create_index('many', 'i' || i, 'G', storage => 'table')) FROM generate_series(1, 20) i;
ALTER TABLE many ADD COLUMN note text;
BEGIN;
SELECT coalesce(sum(idx_scan), 0) AS scans FROM pg_stat_xact_sys_tables WHERE relname = 'pg_trigger' \gset
ALTER TABLE many ALTER COLUMN note SET DEFAULT 'x';
SELECT sum(idx_scan) - :scans < 200 AS few FROM pg_stat_xact_sys_tables WHERE relname = 'pg_trigger';
ROLLBACK;

SET client_min_messages = warning;
DROP SCHEMA t_links, t_links_other CASCADE;
DROP OWNED BY link_owner, link_other;
DROP ROLE link_owner, link_other;
