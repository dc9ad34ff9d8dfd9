-- Privileges: those on the table decide, for functions, SQL and views
CREATE SCHEMA t_privileges;
SET search_path = t_privileges, dynamo;
\set SHOW_CONTEXT never

-- create_table requires CREATE on the schema, and nothing else
CREATE ROLE priv_owner;
CREATE ROLE priv_user;
GRANT USAGE ON SCHEMA t_privileges TO priv_owner, priv_user;
SET ROLE priv_owner;
SELECT create_table('shop', 'PK', 'SK');
RESET ROLE;
GRANT CREATE ON SCHEMA t_privileges TO priv_owner;
SET ROLE priv_owner;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "stored", "partition_key": "G", "storage": "table"}]');
SELECT create_index('shop', 'inline', 'G', 'SK');
SELECT put_item('shop', '{"PK": {"S": "a"}, "SK": {"S": "1"}, "G": {"S": "g"}}');
SELECT create_entity_view('rows', 'shop', '{"n": "int"}');

-- no privilege: no access, not even to the number of rows
RESET ROLE;
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := 'done';
BEGIN
	IF statement LIKE 'SELECT%' THEN
		EXECUTE statement INTO result;
	ELSE
		EXECUTE statement;
	END IF;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
GRANT CREATE ON SCHEMA t_privileges TO priv_user;
CREATE TABLE calls (n int, call text);
INSERT INTO calls VALUES
	(1, $$SELECT get_item('shop', '{"PK": {"S": "a"}, "SK": {"S": "1"}}')$$),
	(2, $$SELECT count(*) FROM query('shop', 'PK = :p', '{":p": {"S": "a"}}')$$),
	(3, $$SELECT count(*) FROM query('shop', 'G = :p', '{":p": {"S": "g"}}', index_name => 'stored')$$),
	(4, $$SELECT count(*) FROM query('shop', 'G = :p', '{":p": {"S": "g"}}', index_name => 'inline')$$),
	(5, $$SELECT count(*) FROM scan('shop')$$),
	(6, $$SELECT count(*) FROM scan('shop', index_name => 'stored')$$),
	(7, $$SELECT batch_get_item('shop', ARRAY['{"PK": {"S": "a"}, "SK": {"S": "1"}}']::item[])$$),
	(8, $$SELECT transact_get_items('[{"Get": {"TableName": "shop", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}}}]')$$),
	(9, $$SELECT count(*) FROM shop$$),
	(10, $$SELECT count(*) FROM rows$$),
	(11, $$SELECT put_item('shop', '{"PK": {"S": "p"}, "SK": {"S": "1"}, "G": {"S": "g"}}')$$),
	(12, $$SELECT update_item('shop', '{"PK": {"S": "p"}, "SK": {"S": "1"}}', 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}')$$),
	(13, $$SELECT batch_write_item('shop', put_items => ARRAY['{"PK": {"S": "b"}, "SK": {"S": "1"}}']::item[])$$),
	(14, $$SELECT transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "t"}, "SK": {"S": "1"}}}}]')$$),
	(15, $$INSERT INTO shop (item) VALUES ('{"PK": {"S": "i"}, "SK": {"S": "1"}, "G": {"S": "g"}}')$$),
	(16, $$INSERT INTO rows ("PK", "SK") VALUES ('v', '1')$$),
	(17, $$UPDATE shop SET item = set_attribute(item, 'G', to_value('h'::text)) WHERE "PK" = 'i'$$),
	(18, $$UPDATE rows SET n = 1 WHERE "PK" = 'i'$$),
	(19, $$SELECT delete_item('shop', '{"PK": {"S": "a"}, "SK": {"S": "1"}}')$$),
	(20, $$DELETE FROM rows WHERE "PK" = 'i'$$),
	(21, $$SELECT describe_table('shop') IS NOT NULL$$),
	(22, $$SELECT verify_index('shop', 'stored')$$),
	(23, $$SELECT reindex('shop', 'stored')$$),
	(24, $$SELECT create_index('shop', 'mine', 'x')$$),
	(25, $$SELECT drop_index('shop', 'inline')$$),
	(26, $$SELECT add_unique_constraint('shop', 'mine', '{x}')$$),
	(27, $$SELECT drop_table('shop')$$),
	(28, $$SELECT count(*) FROM "shop$stored"$$),
	(29, $$INSERT INTO "shop$stored" ("G", "PK", "SK", item) VALUES ('g', 'x', 'y', '{}')$$),
	(30, $$SELECT request('GetItem', '{"TableName": "shop", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}}')$$),
	(31, $$SELECT request('DeleteTable', '{"TableName": "shop"}')$$),
	(32, $$SELECT create_entity_view('mine', 'shop', '{}')$$),
	(33, $$SELECT count(*) FROM mine$$);
GRANT SELECT ON calls TO priv_user;
SET ROLE priv_user;
SELECT n, try(call) FROM calls ORDER BY n;
RESET ROLE;

-- SELECT only
GRANT SELECT ON shop, rows TO priv_user;
SET ROLE priv_user;
SELECT n, try(call) FROM calls WHERE n < 21 OR n IN (28, 33) ORDER BY n;
RESET ROLE;

-- writing without reading
REVOKE SELECT ON shop, rows FROM priv_user;
GRANT INSERT, UPDATE, DELETE ON shop, rows TO priv_user;
SET ROLE priv_user;
SELECT n, try(call) FROM calls WHERE n IN (1, 11, 15, 16) ORDER BY n;
RESET ROLE;

-- all privileges; index tables still belong to the owner
GRANT SELECT ON shop, rows TO priv_user;
SET ROLE priv_user;
SELECT n, try(call) FROM calls WHERE n < 21 OR n IN (28, 29) ORDER BY n;
RESET ROLE;
SELECT "PK" FROM shop ORDER BY 1;
SELECT name, (SELECT count(*) FROM verify_index('shop', name)) AS problems FROM unnest('{inline,stored}'::text[]) name;

-- a view shows no user more than the table: it runs as its user
REVOKE ALL ON shop FROM priv_user;
SET ROLE priv_user;
SELECT count(*) FROM rows;
RESET ROLE;

-- users cannot write the extension's own tables, even if they can write every table
CREATE FUNCTION write_own(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
GRANT pg_write_all_data, pg_read_all_data TO priv_user;
GRANT EXECUTE ON FUNCTION write_own(text) TO priv_user;
SET ROLE priv_user;
SELECT t, write_own(format('INSERT INTO dynamo_internal.%I SELECT * FROM dynamo_internal.%I', t, t)) AS inserts, write_own(format('DELETE FROM dynamo_internal.%I', t)) AS deletes
FROM unnest('{table_settings,index_settings,table_tags,table_attachments,request_tokens,index_builds,access_key_secrets}'::text[]) t;
SELECT write_own('UPDATE dynamo_internal.table_settings SET deletion_protection = true');
SELECT write_own('UPDATE dynamo_internal.index_builds SET block = 1000000000');
SELECT write_own('MERGE INTO dynamo_internal.table_tags t USING (VALUES (1)) v ON false WHEN NOT MATCHED THEN INSERT VALUES (''id'', ''a'', ''b'')');
SELECT left(write_own('COPY dynamo_internal.table_tags FROM PROGRAM ''true'''), 5) AS sqlstate;    -- 16 says it otherwise
RESET ROLE;
SET session_replication_role = replica;
SET ROLE priv_user;
SELECT write_own('DELETE FROM dynamo_internal.request_tokens');
RESET ROLE;
RESET session_replication_role;
REVOKE pg_write_all_data, pg_read_all_data FROM priv_user;

SET client_min_messages = warning;
DROP SCHEMA t_privileges CASCADE;
DROP ROLE priv_owner;
DROP ROLE priv_user;
