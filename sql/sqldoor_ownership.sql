-- The extension uses an owner's rights only for that owner's objects
CREATE SCHEMA t_ownership;
SET search_path = t_ownership, dynamo;
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE ROLE own_thief;
CREATE ROLE own_victim;
GRANT USAGE, CREATE ON SCHEMA t_ownership TO own_thief, own_victim;

-- a definition that names another user's table, created before that table
SET ROLE own_thief;
SELECT create_table('bait', 'PK', 'SK', indexes => '[{"index_name": "GSI", "partition_key": "G", "storage": "table"}]');
CREATE FUNCTION replant(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON bait FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
		(SELECT replace(definition::text, 'bait$GSI', name) FROM tables WHERE schema_name = 't_ownership'));
END $$;
SELECT replant('secrets');
SET ROLE own_victim;
CREATE TABLE secrets (a int);
SELECT create_table('shop', 'PK', 'SK');
SELECT put_item('shop', '{"PK": {"S": "a"}, "SK": {"S": "b"}}');
GRANT SELECT, INSERT, DELETE, TRIGGER ON shop TO own_thief;
RESET ROLE;
ALTER TABLE bait ADD COLUMN remark text;
ALTER TABLE bait SET UNLOGGED;
SELECT relname, relowner::regrole, relpersistence FROM pg_class
WHERE relnamespace = 't_ownership'::regnamespace AND relkind = 'r' ORDER BY 1;

-- a user's own reference, created on a table on which the user has only the TRIGGER privilege
SET ROLE own_thief;
SELECT create_table('own', 'PK', 'SK');
SELECT create_table('links', 'PK', 'SK');
SELECT add_reference('links', 'link', '{"PK": "{p}", "SK": "{q}"}', referenced_table => 'own', on_delete => 'CASCADE');
SELECT add_reference('links', 'stolen', '{"PK": "{p}", "SK": "{q}"}', referenced_table => 'shop', on_delete => 'CASCADE');
CREATE FUNCTION plant(function text, what text, tables text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE CONSTRAINT TRIGGER planted AFTER UPDATE OR %s ON %s FOR EACH ROW EXECUTE FUNCTION dynamo_system.%s(%L)', what, tables, function,
		'{"name": {"S": "r"}, "cascade": {"BOOL": true}, "keys": {"M": {"PK": {"S": "{p}"}, "SK": {"S": "{q}"}}}}');
END $$;
SELECT plant('check_referenced', 'DELETE', 'shop FROM links');
SELECT plant('check_referenced', 'DELETE', 'links FROM shop');
SELECT plant('check_reference', 'INSERT', 'links FROM shop');
SELECT plant('check_reference', 'INSERT', 'shop FROM links');

-- the triggers of the referencing table run as its owner, even if a superuser owns the other
CREATE FUNCTION who() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'deleted by %', current_user;
	RETURN old;
END $$;
CREATE TRIGGER who BEFORE DELETE ON links FOR EACH ROW EXECUTE FUNCTION who();
SELECT put_item('own', '{"PK": {"S": "a"}, "SK": {"S": "b"}}');
SELECT put_item('links', '{"PK": {"S": "l"}, "SK": {"S": "1"}, "p": {"S": "a"}, "q": {"S": "b"}}');
RESET ROLE;
ALTER TABLE own OWNER TO CURRENT_USER;
DELETE FROM own;
SELECT count(*) FROM links;

SET client_min_messages = warning;
DROP SCHEMA t_ownership CASCADE;
DROP ROLE own_thief;
DROP ROLE own_victim;
