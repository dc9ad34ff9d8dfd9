-- dynamo.delete_expired: who runs which code, what stops a call, where calls continue
CREATE SCHEMA t_expire;
SET search_path = t_expire, dynamo;
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
CREATE ROLE expire_owner;
CREATE ROLE expire_scheduler;
CREATE ROLE expire_nobody;
GRANT USAGE, CREATE ON SCHEMA t_expire TO expire_owner;
GRANT USAGE ON SCHEMA t_expire TO PUBLIC;
-- all items expire before the same moment, so that their order does not depend on run time
SELECT floor(extract(epoch FROM now()))::bigint AS start \gset
CREATE FUNCTION past(seconds int) RETURNS bigint LANGUAGE sql RETURN :start - seconds;
CREATE FUNCTION expired(key text, seconds int) RETURNS dynamo.item LANGUAGE sql AS $$ SELECT dynamo.build_item('id', key, 'e', t_expire.past(seconds)) $$;
CREATE TABLE told (what text);
GRANT INSERT, SELECT ON told TO PUBLIC;

-- ---- the owner's code runs as the owner with restrictions if a superuser calls, otherwise as the user ----
SET ROLE expire_owner;
SELECT create_table('tab', 'id'), update_time_to_live('tab', 'e'), create_index('tab', 'far', 'g', storage => 'table'), enable_stream('tab') IS NOT NULL;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO t_expire.told VALUES (TG_WHEN || ' as ' || current_user || ', search_path ' || current_setting('search_path'));
	PERFORM set_config('work_mem', '77MB', false);
	BEGIN
		ALTER ROLE expire_owner SUPERUSER;
	EXCEPTION WHEN insufficient_privilege THEN NULL; END;
	BEGIN SET ROLE NONE; EXCEPTION WHEN OTHERS THEN INSERT INTO t_expire.told VALUES (SQLERRM); END;
	RETURN OLD;
END $$;
CREATE TRIGGER b_tell BEFORE DELETE ON tab FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER a_tell AFTER DELETE ON tab FOR EACH ROW EXECUTE FUNCTION tell();
INSERT INTO tab (item) VALUES (expired('a', 10)), (expired('b', 5));
GRANT DELETE ON tab TO expire_scheduler;
RESET ROLE;
SELECT delete_expired('tab', 1);
SELECT what, count(*) FROM told GROUP BY what ORDER BY what;
SELECT current_setting('work_mem') <> '77MB', current_user = session_user, rolsuper FROM pg_roles WHERE rolname = 'expire_owner';
DELETE FROM told;
-- users with the DELETE privilege may call it, unless row security applies to them
SET ROLE expire_nobody;
SELECT delete_expired('tab');
SELECT delete_expired();
SET SESSION AUTHORIZATION expire_scheduler;
SELECT delete_expired();
RESET SESSION AUTHORIZATION;
SELECT what, count(*) FROM told GROUP BY what ORDER BY what;
SELECT keys, expired FROM dynamo.read_stream('tab') WHERE event_name = 'REMOVE';
SET ROLE expire_owner;
ALTER TABLE tab ENABLE ROW LEVEL SECURITY;
INSERT INTO tab (item) VALUES (expired('c', 5));
SET ROLE expire_scheduler;
SELECT delete_expired('tab');
SELECT delete_expired();
RESET ROLE;
SELECT delete_expired('tab');
SET ROLE expire_owner;
ALTER TABLE tab FORCE ROW LEVEL SECURITY;
RESET ROLE;
INSERT INTO tab (item) VALUES (expired('d', 5));
SELECT delete_expired('tab');
-- for a superuser, code that would run later as another user is refused
SET ROLE expire_owner;
ALTER TABLE tab NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
CREATE TABLE later (i int);
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tell();
CREATE FUNCTION queue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t_expire.later VALUES (1); RETURN OLD; END $$;
CREATE TRIGGER c_queue BEFORE DELETE ON tab FOR EACH ROW EXECUTE FUNCTION queue();
INSERT INTO tab (item) VALUES (expired('e', 5));
RESET ROLE;
SELECT delete_expired('tab');
SET ROLE expire_owner;
DROP TRIGGER c_queue ON tab;
DROP TRIGGER b_tell ON tab;
DROP TRIGGER a_tell ON tab;

-- ---- an item that cannot be deleted does not stop the others, whatever its error pretends to be ----
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN IF OLD.id LIKE 'keep%' THEN RAISE 'kept by a trigger' USING ERRCODE = CASE OLD.id WHEN 'keep 1' THEN 'query_canceled' ELSE 'admin_shutdown' END; END IF; RETURN CASE WHEN OLD.id LIKE 'stay%' THEN NULL ELSE OLD END; END $$;
CREATE TRIGGER keep BEFORE DELETE ON tab FOR EACH ROW EXECUTE FUNCTION keep();
INSERT INTO tab (item) SELECT expired('x' || i, i) FROM generate_series(1, 30) i;
INSERT INTO tab (item) VALUES (expired('keep 1', 1000)), (expired('keep 2', 15)), (expired('stay', 20));
RESET ROLE;
SELECT delete_expired('tab');
SELECT id FROM tab ORDER BY id;
-- a limit counts deleted items only
INSERT INTO tab (item) SELECT expired('x' || i, i) FROM generate_series(1, 30) i;
SELECT delete_expired('tab', 7), delete_expired('tab', 7), delete_expired('tab', 100);
-- references: of this extension and of PostgreSQL
SET ROLE expire_owner;
DROP TRIGGER keep ON tab;
DELETE FROM tab;
CREATE TABLE child (id text PRIMARY KEY COLLATE "C" REFERENCES tab);
SELECT create_table('order', 'id');
SELECT add_reference('order', 'for_tab', '{"id": "{tab_id}"}', 'tab');
INSERT INTO tab (item) SELECT expired('x' || i, i) FROM generate_series(1, 30) i;
INSERT INTO child VALUES ('x7');
SELECT put_item('order', '{"id": {"S": "1"}, "tab_id": {"S": "x11"}}');
SELECT put_item('order', '{"id": {"S": "2"}, "tab_id": {"S": "none"}}');
RESET ROLE;
SELECT delete_expired('tab');
SELECT id FROM tab ORDER BY id;
DROP TABLE child;
SELECT delete_expired('tab');
-- other tables are processed even if one has errors
SET ROLE expire_owner;
SELECT drop_table('order');
SELECT create_table('broken', 'id'), update_time_to_live('broken', 'e'), create_table('sound', 'id'), update_time_to_live('sound', 'e');
INSERT INTO broken (item) VALUES (expired('a', 5));
INSERT INTO sound (item) VALUES (expired('a', 5));
REVOKE ALL ON broken FROM expire_owner;
RESET ROLE;
SELECT delete_expired();
SELECT count(*) FROM broken;
-- every table gets a share of the limit
GRANT ALL ON broken TO expire_owner;
INSERT INTO broken (item) SELECT expired('x' || i, 3) FROM generate_series(1, 30) i;
INSERT INTO sound (item) SELECT expired('x' || i, 3) FROM generate_series(1, 5) i;
SELECT delete_expired(max_items => 20);
SELECT (SELECT count(*) FROM broken), (SELECT count(*) FROM sound);
SELECT delete_expired();

-- ---- continuing ----
-- a call continues where the last one ended, also among items with the same time
INSERT INTO sound (item) SELECT build_item('id', 'y' || i, 'e', past(3)) FROM generate_series(1, 5000) i;
INSERT INTO sound (item) SELECT expired('z' || i, i) FROM generate_series(10, 4010) i;
VACUUM ANALYZE sound;
CREATE FUNCTION hits(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint;
END $$;
-- nothing is removed while this transaction can see it
BEGIN;
CREATE TEMPORARY TABLE cost AS SELECT i, hits('SELECT delete_expired(''sound'', 1000)') FROM generate_series(1, 8) i;
SELECT max(hits) < 1.5 * min(hits) AS steady FROM cost;
COMMIT;
SELECT count(*) FROM sound;
-- items that expire before the position of the last call are found, too
INSERT INTO sound (item) VALUES (expired('older', 5000));
SELECT delete_expired('sound', 500), delete_expired('sound'), count(*) FROM sound;
SELECT count(*) FROM sound;
-- after the table was rewritten, rows have other positions
INSERT INTO sound (item) SELECT build_item('id', 'y' || i, 'e', past(3)) FROM generate_series(1, 100) i;
SELECT delete_expired('sound', 50);
VACUUM FULL sound;
SELECT delete_expired('sound'), count(*) FROM sound;
SELECT count(*) FROM sound;
-- without the index on expiry times
SELECT create_table('whole', 'id', 'part', sort_key_type => 'N');
SELECT update_time_to_live('whole', 'e');
DROP INDEX whole_dynamo_expires_at_idx;
CREATE TRIGGER keep BEFORE DELETE ON whole FOR EACH ROW EXECUTE FUNCTION keep();
INSERT INTO whole (item) SELECT build_item('id', CASE WHEN i = 20 THEN 'keep' ELSE 'p' || i % 7 END, 'part', i, 'e', past(i % 3)) FROM generate_series(1, 2500) i;
SELECT delete_expired('whole', 600), delete_expired('whole');
SELECT id, part FROM whole;
-- a partitioned table
CREATE TABLE parts (id text COLLATE "C" NOT NULL, part numeric NOT NULL, item item NOT NULL, PRIMARY KEY (id, part)) PARTITION BY LIST (id);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN ('p1');
CREATE TABLE part_2 PARTITION OF parts DEFAULT;
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON parts FOR EACH ROW
EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "id", "type": "S", "column": "id"}, {"name": "part", "type": "N", "column": "part"}],
	"partition": ["id"], "sort": ["part"], "indexes": []}');
SELECT update_time_to_live('parts', 'e');
CREATE TRIGGER keep BEFORE DELETE ON parts FOR EACH ROW EXECUTE FUNCTION keep();
INSERT INTO parts SELECT id, i, build_item('id', id, 'part', i, 'e', past(i % 3)) FROM generate_series(1, 1500) i, LATERAL (SELECT CASE WHEN i = 20 THEN 'keep' ELSE 'p' || i % 7 END) t (id);
SELECT delete_expired('parts', 600), delete_expired('parts');
SELECT id, part FROM parts;
-- errors: no time to live, no table
SELECT create_table('plain', 'id'), delete_expired('plain');
SELECT delete_expired('told');
-- a trigger that calls the function again
SET ROLE expire_owner;
CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM dynamo.delete_expired('t_expire.tab'); RETURN OLD; END $$;
CREATE TRIGGER again AFTER DELETE ON tab FOR EACH ROW EXECUTE FUNCTION again();
INSERT INTO tab (item) SELECT expired('x' || i, i) FROM generate_series(1, 12) i;
RESET ROLE;
SELECT delete_expired('tab', 5) > 0, count(*) < 12 FROM tab;
SELECT count(*) FROM tab;
BEGIN READ ONLY;
SELECT delete_expired('tab');
ROLLBACK;

SET client_min_messages = warning;
DROP SCHEMA t_expire CASCADE;
DROP ROLE expire_owner, expire_scheduler, expire_nobody;
