-- Objects that are dropped with a table in plain SQL, objects that prevent a drop,
-- and definitions of other users, which do not prevent it.
CREATE SCHEMA t_drop;
SET search_path = t_drop, dynamo;
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE ROLE drop_owner;
CREATE ROLE drop_other;
GRANT USAGE, CREATE ON SCHEMA t_drop TO drop_owner, drop_other;
CREATE FUNCTION make(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM create_table(name, 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"},
		{"index_name": "shs", "partition_key": "G", "shards": 2}, {"index_name": "inl", "partition_key": "G"}]');
	PERFORM request('TagResource', json_build_object('ResourceArn', request('DescribeTable', json_build_object('TableName', name)) #> '{Table,TableArn}',
		'Tags', '[{"Key": "k", "Value": "v"}]'::json));
	PERFORM enable_stream(name), disable_stream(name), enable_stream(name);
END $$;
SELECT COALESCE(array_agg(table_id), '{}') AS before FROM dynamo_internal.table_settings s WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = s.relation) \gset
CREATE VIEW left_over AS
	SELECT relname || CASE relkind WHEN 'p' THEN ' (partitioned)' ELSE '' END AS what FROM pg_class
	WHERE relnamespace = 't_drop'::regnamespace AND relkind IN ('r', 'p') AND relname NOT LIKE '%$stream%'
	UNION ALL SELECT 'stream ' || status FROM dynamo.streams WHERE schema_name = 't_drop'
	UNION ALL SELECT 'stream of ' || tgconstrrelid::regclass FROM pg_trigger
	WHERE tgname = '~dynamo_belongs_to' AND tgrelid::regclass::text LIKE '%$stream%' AND tgrelid::regclass::text ~ '^"?shop'
	UNION ALL SELECT 'settings' FROM dynamo_internal.table_settings WHERE relation IN (SELECT oid FROM pg_class WHERE relnamespace = 't_drop'::regnamespace)
	UNION ALL SELECT 'settings of nothing' FROM dynamo_internal.table_settings s WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = s.relation) AND table_id <> ALL (:'before')
	UNION ALL SELECT 'tags' FROM dynamo_internal.table_tags t WHERE NOT EXISTS (SELECT FROM dynamo_internal.table_settings s WHERE s.table_id = t.table_id AND relation NOT IN (SELECT oid FROM pg_class WHERE relnamespace = 't_drop'::regnamespace))
	UNION ALL SELECT 'builds' FROM dynamo_internal.index_builds b WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = b.relation);
GRANT SELECT ON left_over TO PUBLIC;
CREATE FUNCTION clean_up() RETURNS void LANGUAGE plpgsql AS $$
DECLARE stream regclass;
BEGIN
	FOR stream IN SELECT stream_relation FROM dynamo.streams WHERE schema_name = 't_drop' LOOP
		EXECUTE format('DROP TABLE %s', stream);
	END LOOP;
END $$;

-- a table is dropped with all its relations; its streams are closed
SET ROLE drop_owner;
SELECT make('shop');
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
BEGIN;
DROP TABLE shop;
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
-- after other DDL in the transaction, also in a subtransaction that is rolled back
BEGIN;
SELECT drop_index('shop', 'own'), change_index('shop', 'shs', shards => 3);
SAVEPOINT s;
DROP TABLE shop;
ROLLBACK TO s;
SELECT create_index('shop', 'more', 'H', storage => 'table');
DROP TABLE shop;
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
-- relations that contain an index or the stream cannot be dropped
DROP TABLE "shop$own";
DROP TABLE "shop$shs" CASCADE;
DROP TABLE "shop$stream$2";
DROP INDEX "shop$inl";
RESET ROLE;
DROP TABLE "shop$own";
BEGIN;
DROP TABLE "shop$own", shop, "shop$shs";
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
-- by any statement
BEGIN;
DROP OWNED BY drop_owner;
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
-- the owner of the schema need not be the owner of the table
BEGIN;
ALTER SCHEMA t_drop OWNER TO drop_other;
SET ROLE drop_other;
DROP TABLE shop;
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
SET ROLE drop_owner;
DROP TABLE shop;
RESET ROLE;
SELECT clean_up();

-- another user's definition that names what is dropped
SET ROLE drop_owner;
SELECT make('shop');
SELECT label AS open_label FROM dynamo.streams WHERE schema_name = 't_drop' AND status = 'ENABLED' \gset
SET ROLE drop_other;
SELECT create_table('claim', 'PK');
CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON claim FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(
'{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}], "partition": ["PK"], "sort": [], "indexes": [{"name": "own", "local": false,
"partition": ["PK"], "sort": [], "projection": "ALL", "non_key_attributes": [], "storage": "table", "shards": 0, "shard_by": null, "relation": "shop$own", "status": "ACTIVE"},
{"name": "two", "local": false, "partition": ["PK"], "sort": [], "projection": "ALL", "non_key_attributes": [], "storage": "table", "shards": 0, "shard_by": null,
"relation": "shop", "status": "ACTIVE"}]}');
CREATE TRIGGER "!dynamo_capture_changes" AFTER INSERT OR DELETE OR UPDATE ON claim FOR EACH ROW
	EXECUTE FUNCTION dynamo_system.capture_changes('shop$stream$2', 'KEYS_ONLY', :'open_label');
RESET ROLE;
BEGIN;
DROP TABLE claim;
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
BEGIN;
DROP TABLE shop, "shop$own", "shop$stream$2";
SELECT what, count(*) FROM left_over GROUP BY 1 ORDER BY 1;
ROLLBACK;
SET ROLE drop_owner;
DROP TABLE shop;
RESET ROLE;
SELECT clean_up();
SET ROLE drop_other;
DROP TABLE claim;

-- invalid definitions, created without event triggers
RESET ROLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
SET ROLE drop_other;
CREATE TABLE torn (a int);
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON torn FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{torn');
CREATE TABLE torn_stream (a int);
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON torn_stream FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{torn');
CREATE TABLE torn_index (a int);
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON torn_index FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index('torn', 'x');
CREATE TABLE nothing (a int);
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON nothing FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys();
CREATE TRIGGER b BEFORE INSERT OR UPDATE ON nothing FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream();
CREATE TABLE expiring (a int);
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON expiring FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"indexes": [{"status": "CREATING"}], "torn');
RESET ROLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
SET ROLE drop_owner;
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
DROP TABLE shop;
SELECT create_table('shop', 'PK');
SELECT request('ListTables', '{}');
RESET ROLE;
SELECT delete_expired();
CALL dynamo.build_indexes(wait => false);
SELECT * FROM dynamo.build_statements();
SELECT drop_table('shop');
DROP TABLE torn, torn_stream, torn_index, nothing, expiring;

-- ListTables returns names in order, including long ones
SELECT create_table(repeat('n', 46) || n, 'PK') FROM unnest(ARRAY['', '0', 'a', repeat('z', 30), repeat('b', 30), '$', repeat('b', 16)]) n WHERE n <> '$';
SELECT create_table(n, 'PK') FROM unnest(ARRAY['nnn', 'zzz', 'AAA', repeat('n', 45)]) n;
CREATE TABLE ordinary (a int);
SELECT request('ListTables', '{}');
SELECT request('ListTables', '{"Limit": 1}');
SELECT request('ListTables', '{"Limit": 2, "ExclusiveStartTableName": "nnn"}');
SELECT request('ListTables', json_build_object('Limit', 2, 'ExclusiveStartTableName', repeat('n', 46) || repeat('b', 30)));
SELECT request('ListTables', '{"ExclusiveStartTableName": "zzz"}');

SET client_min_messages = warning;
DROP SCHEMA t_drop CASCADE;
SELECT count(*) FROM dynamo_internal.table_settings s WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = s.relation) AND table_id <> ALL (:'before');
DROP ROLE drop_owner, drop_other;
