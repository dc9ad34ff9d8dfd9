-- DDL statements on tables and their index tables
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_ddl, t_ddl_other CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_ddl;
CREATE SCHEMA t_ddl_other;
SET search_path = t_ddl, t_ddl_other;
CREATE ROLE t_ddl_owner;
CREATE ROLE t_ddl_trigger;
GRANT ALL ON SCHEMA t_ddl, t_ddl_other TO t_ddl_owner;
GRANT USAGE ON SCHEMA t_ddl TO t_ddl_trigger;
CREATE VIEW relations AS
SELECT n.nspname, c.relname, c.relkind, pg_get_userbyid(c.relowner) = 't_ddl_owner' AS given
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('t_ddl', 't_ddl_other') AND c.relkind IN ('r', 'p') ORDER BY 1, 2;
CREATE VIEW problems AS
SELECT i.index_name, v.* FROM dynamo.indexes i, LATERAL dynamo.verify_index('tab', i.index_name) v
WHERE i.table_name = 'tab' ORDER BY 1, 2;

SELECT dynamo.create_table('tab', 'PK', indexes => '[
	{"index_name": "inl", "partition_key": "G"},
	{"index_name": "own", "partition_key": "G", "storage": "table"},
	{"index_name": "spread", "partition_key": "G", "shards": 2}]');
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a"}, "G": {"S": "g"}}'), ('{"PK": {"S": "b"}, "G": {"S": "g"}}');

-- objects named by the definition cannot be dropped separately
DROP INDEX "tab$inl";
DROP INDEX CONCURRENTLY "tab$inl";
SELECT indisvalid FROM pg_index WHERE indexrelid = '"tab$inl"'::regclass;
DROP TABLE "tab$own";
DROP TABLE "tab$spread";
-- index tables get the new schema and owner of their table
ALTER TABLE tab SET SCHEMA t_ddl_other;
ALTER TABLE tab OWNER TO t_ddl_owner;
TABLE relations;
TABLE problems;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "c"}, "G": {"S": "g"}}');
ALTER TABLE "tab$own" OWNER TO current_user;
-- an index created by another user belongs to the table's owner
SELECT dynamo.create_index('tab', 'later', 'G', shards => 2);
SELECT count(*), bool_and(given) FROM relations WHERE relname LIKE 'tab%';
SELECT dynamo.drop_index('tab', 'later');
-- after renaming, the definition has the new names
ALTER TABLE tab RENAME TO renamed;
ALTER TABLE renamed RENAME TO tab;
ALTER INDEX "tab$inl" RENAME TO plain_btree;
ALTER TABLE "tab$own" RENAME TO plain_table;
SELECT index_name, relation_name FROM dynamo.indexes WHERE schema_name = 't_ddl_other' ORDER BY 1;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "d"}, "G": {"S": "g"}}');
TABLE problems;
SELECT count(*) FROM plain_table;
-- ENABLE TRIGGER ALL, as pg_restore runs it, keeps the extension's triggers ENABLE ALWAYS
ALTER TABLE tab DISABLE TRIGGER ALL;
ALTER TABLE tab ENABLE TRIGGER ALL;
ALTER TABLE plain_table DISABLE TRIGGER ALL;
ALTER TABLE plain_table ENABLE TRIGGER ALL;
TABLE problems;
-- rewriting the table and its btrees changes nothing
REINDEX TABLE tab;
ALTER TABLE tab SET (fillfactor = 70);
VACUUM FULL tab;
TABLE problems;
-- index tables are dropped with their table
DROP TABLE tab;
TABLE relations;

-- also by DROP OWNED and DROP SCHEMA
SET search_path = t_ddl;
SELECT dynamo.create_table('tab', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
ALTER TABLE tab OWNER TO t_ddl_owner;
DROP OWNED BY t_ddl_owner;
GRANT ALL ON SCHEMA t_ddl TO t_ddl_owner;
TABLE relations;
SELECT dynamo.create_table('tab', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
-- the TRIGGER privilege does not allow writes to other tables
CREATE TABLE secret (LIKE "tab$own" INCLUDING ALL);
GRANT INSERT, TRIGGER ON tab TO t_ddl_trigger;
SET ROLE t_ddl_trigger;
CREATE TRIGGER aa BEFORE INSERT ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
 "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "G", "type": "S", "column": "G"}], "partition": ["PK"], "sort": [],
 "indexes": [{"name": "own", "local": false, "partition": ["G"], "sort": [], "projection": "ALL", "non_key_attributes": [],
 "storage": "table", "shards": 0, "shard_by": null, "relation": "secret", "status": "ACTIVE"}]}');
RESET ROLE;
-- only tables can have a definition, and only one
CREATE TRIGGER "~~" BEFORE INSERT ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{}');
CREATE TRIGGER aa INSTEAD OF INSERT ON relations FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{}');
-- a definition by the owner cannot name tables of others, either
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
CREATE TRIGGER aa BEFORE INSERT ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
 "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "G", "type": "S", "column": "G"}], "partition": ["PK"], "sort": [],
 "indexes": [{"name": "own", "local": false, "partition": ["G"], "sort": [], "projection": "ALL", "non_key_attributes": [],
 "storage": "table", "shards": 0, "shard_by": null, "relation": "secret", "status": "ACTIVE"}]}');
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "x"}, "G": {"S": "g"}}');
SELECT count(*) FROM secret;
DROP TRIGGER aa ON tab;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "x"}, "G": {"S": "g"}}');
SELECT count(*) FROM "tab$own";
DROP TABLE secret;
DROP SCHEMA t_ddl_other CASCADE;
SET client_min_messages = warning;
DROP SCHEMA t_ddl CASCADE;
DROP ROLE t_ddl_owner, t_ddl_trigger;
