-- Maintenance of another user's table runs the owner's code as the owner
SET client_min_messages = warning;
CREATE ROLE regress_dynamo_owner;
CREATE SCHEMA t_maintenance;
GRANT ALL ON SCHEMA t_maintenance TO regress_dynamo_owner;
RESET client_min_messages;
SET search_path = t_maintenance, dynamo;
\set SHOW_CONTEXT never

SET ROLE regress_dynamo_owner;
CREATE FUNCTION tell(name text, item dynamo.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE '% by %', name, CASE current_user WHEN 'regress_dynamo_owner' THEN 'the owner' ELSE 'another' END;
	RETURN name;
END $$;
CREATE FUNCTION tell_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM t_maintenance.tell(TG_NAME, NEW.item);
	RETURN NEW;
END $$;
SELECT dynamo.create_table('tab', 'PK', indexes => '[{"index_name": "own", "partition_key": "g", "storage": "table"}]');
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a"}, "g": {"S": "x"}, "h": {"S": "y"}, "until": {"N": "1"}}');
SELECT dynamo.enable_stream('tab') IS NOT NULL AS enabled;
SET client_min_messages = warning;
CREATE INDEX ON tab (tell('expression of an index of the table', item));
CREATE INDEX ON "tab$own" (tell('expression of an index of the index table', item));
CREATE INDEX ON "tab$stream" (tell('expression of an index of the stream', keys));
CREATE TRIGGER a_trigger BEFORE UPDATE ON tab FOR EACH ROW EXECUTE FUNCTION tell_trigger();
RESET client_min_messages;
UPDATE tab SET item = dynamo.apply_update(item, 'SET v = :v', '{":v": {"N": "1"}}');

-- a superuser
RESET ROLE;
SELECT dynamo.create_index('tab', 'late', 'h');
SELECT dynamo.reindex('tab', 'own');
SELECT dynamo.update_time_to_live('tab', 'until');
SELECT dynamo.trim_streams('tab', '0') > 0 AS trimmed;
SELECT * FROM tab;
SELECT * FROM dynamo.import_lines('tab', ARRAY['{"Item": {"PK": {"S": "b"}}}']);

-- all rows, even if row security is forced on the owner
SET ROLE regress_dynamo_owner;
SELECT dynamo.create_table('forced', 'PK');
INSERT INTO forced (item) VALUES ('{"PK": {"S": "a"}, "until": {"N": "1"}}');
ALTER TABLE forced ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT dynamo.update_time_to_live('forced', 'until');
SELECT count(*) FROM forced;
RESET ROLE;
SELECT * FROM forced;
SELECT dynamo.update_time_to_live('forced', 'until', false);
SELECT dynamo.update_time_to_live('forced', 'until');
SELECT * FROM forced;

-- no triggers and deferred constraints fire if items do not change
SELECT dynamo.update_time_to_live('forced', 'until', false);
SET ROLE regress_dynamo_owner;
CREATE TRIGGER a_trigger BEFORE UPDATE ON forced FOR EACH ROW EXECUTE FUNCTION tell_trigger();
SELECT dynamo.add_reference('forced', 'other', '{"PK": "{other}"}', initially_deferred => true);
SELECT dynamo.update_time_to_live('forced', 'until');
RESET ROLE;

-- the owner's code cannot change to another role, and its settings are restored
SET ROLE regress_dynamo_owner;
CREATE FUNCTION set_anything(item dynamo.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'search_path is %', current_setting('search_path');
	PERFORM set_config('search_path', 't_maintenance', false), set_config('array_nulls', 'off', true);
	PERFORM set_config('role', 'regress_dynamo_owner', false);
	RETURN 'set';
EXCEPTION WHEN insufficient_privilege THEN
	PERFORM set_config('search_path', 't_maintenance', false), set_config('array_nulls', 'off', true);
	RETURN SQLERRM;
END $$;
SET client_min_messages = warning;
CREATE INDEX settings ON forced (set_anything(item));
RESET client_min_messages;
RESET ROLE;
BEGIN;
SELECT dynamo.create_index('forced', 'late', 'until', partition_key_type => 'N', storage => 'table');
SELECT dynamo.update_time_to_live('forced', 'until', false);
SELECT dynamo.update_time_to_live('forced', 'until');
SHOW search_path;
SHOW array_nulls;
COMMIT;

SET client_min_messages = warning;
DROP SCHEMA t_maintenance CASCADE;
DROP ROLE regress_dynamo_owner;
