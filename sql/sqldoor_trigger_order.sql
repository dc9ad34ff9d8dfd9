-- A trigger that fires after key columns were derived from the item, and changes the
-- item: a notice when it is created, an error when it changes the item.
CREATE SCHEMA t_order;
SET search_path = t_order, dynamo;
\set SHOW_CONTEXT never
CREATE ROLE order_owner;
CREATE ROLE order_other;
GRANT USAGE, CREATE ON SCHEMA t_order TO order_owner, order_other;
SET ROLE order_owner;
-- makes the change named by the item's attribute "act"
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CASE NEW.item ->> 'act'
		WHEN 'key' THEN NEW.item := NEW.item::jsonb || '{"PK": "moved"}';
		WHEN 'index' THEN NEW.item := NEW.item::jsonb || '{"G": "moved"}';
		WHEN 'no index' THEN NEW.item := NEW.item::jsonb - 'G';
		WHEN 'expiry' THEN NEW.item := NEW.item::jsonb || '{"e": 1}';
		WHEN 'broken' THEN NEW.item := NEW.item::jsonb - 'PK';
		WHEN 'wrong' THEN NEW.item := NEW.item::jsonb || '{"G": 1}';
		WHEN 'column' THEN NEW."G" := 'moved';
		WHEN 'other' THEN NEW.item := NEW.item::jsonb || '{"n": 1}';
		ELSE
	END CASE;
	RETURN NEW;
END $$;
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "inl", "partition_key": "G"}]'), update_time_to_live('shop', 'e');
CREATE VIEW our_triggers AS SELECT tgrelid::regclass AS relation, tgname, tgenabled FROM pg_trigger
	WHERE tgname LIKE '~dynamo%' AND tgname NOT LIKE '~dynamo_guard%' AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 't_order'::regnamespace);
GRANT SELECT ON our_triggers TO PUBLIC;
SELECT * FROM our_triggers ORDER BY 1, 2;

-- notices
CREATE TRIGGER before_ours BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION change();
CREATE TRIGGER zafter AFTER INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION change();
CREATE TRIGGER "~delete" BEFORE DELETE ON shop FOR EACH ROW EXECUTE FUNCTION change();
DROP TRIGGER "~delete" ON shop;
DROP TRIGGER zafter ON shop;
SELECT * FROM our_triggers ORDER BY 1, 2;
CREATE TRIGGER "~z_later" BEFORE INSERT OR UPDATE OF item ON shop FOR EACH ROW EXECUTE FUNCTION change();
SELECT * FROM our_triggers ORDER BY 1, 2;
DROP TRIGGER "~z_later" ON shop;
SELECT * FROM our_triggers ORDER BY 1, 2;
-- a setting of dumps is not enough to be one
SET check_function_bodies = off;
CREATE TRIGGER "~z_later" BEFORE INSERT OR UPDATE OF item ON shop FOR EACH ROW EXECUTE FUNCTION change();
SELECT * FROM our_triggers ORDER BY 1, 2;
DROP TRIGGER "~z_later" ON shop;
RESET check_function_bodies;
SELECT * FROM our_triggers ORDER BY 1, 2;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "early"}, "act": {"S": "index"}}');
SELECT "PK", "G", item FROM shop;
DELETE FROM shop;
ALTER TRIGGER before_ours ON shop RENAME TO "~e";
SELECT * FROM our_triggers ORDER BY 1, 2;
CREATE OR REPLACE TRIGGER "~e" BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION change();
SELECT create_index('shop', 'more', 'H');

-- errors, whatever the way of writing
\set VERBOSITY terse
CREATE FUNCTION attempt(what text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE what;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "there"}, "G": {"S": "g"}}');
SELECT d, w, attempt(format(w, d)) FROM unnest(ARRAY['nothing', 'other', 'key', 'index', 'no index', 'expiry', 'broken', 'wrong', 'column']) WITH ORDINALITY AS x(d, n),
	unnest(ARRAY['INSERT INTO shop (item) VALUES (''{"PK": {"S": "inserted %1$s"}, "G": {"S": "g"}, "act": {"S": "%1$s"}}'') ON CONFLICT DO NOTHING',
		'UPDATE shop SET item = ''{"PK": {"S": "there"}, "G": {"S": "g"}, "act": {"S": "%1$s"}}'' WHERE "PK" = ''there''',
		'MERGE INTO shop USING (SELECT 1) s ON "PK" = ''there'' WHEN MATCHED THEN UPDATE SET item = ''{"PK": {"S": "there"}, "G": {"S": "g"}, "act": {"S": "%1$s"}}''',
		'SELECT put_item(''shop'', ''{"PK": {"S": "there"}, "G": {"S": "g"}, "act": {"S": "%1$s"}}'')',
		'SELECT put_item(''shop'', ''{"PK": {"S": "new %1$s"}, "G": {"S": "g"}, "act": {"S": "%1$s"}}'')',
		'SELECT update_item(''shop'', ''{"PK": {"S": "there"}}'', ''SET act = :d'', expression_attribute_values => ''{":d": {"S": "%1$s"}}'')',
		'SELECT transact_write_items(''[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "there"}, "act": {"S": "%1$s"}}}}]'')']) WITH ORDINALITY AS y(w, m)
ORDER BY n, m;
TABLE shop ORDER BY 1;
SELECT * FROM verify_index('shop', 'inl');
COPY shop (item) FROM stdin;
{"PK": {"S": "copied"}, "G": {"S": "g"}, "act": {"S": "nothing"}}
{"PK": {"S": "copied 2"}, "G": {"S": "g"}, "act": {"S": "index"}}
\.
COPY shop (item) FROM stdin;
{"PK": {"S": "copied"}, "G": {"S": "g"}, "act": {"S": "nothing"}}
\.
SELECT count(*) FROM shop WHERE "PK" LIKE 'copied%';
-- an UPDATE that does not change items
UPDATE shop SET "PK" = "PK";
-- the way a subscription writes
ALTER TABLE shop ENABLE ALWAYS TRIGGER "~e";
RESET ROLE;
SET session_replication_role = replica;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "replicated"}, "act": {"S": "index"}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "replicated"}, "act": {"S": "other"}}');
RESET session_replication_role;
SET ROLE order_owner;
\set VERBOSITY default
INSERT INTO shop (item) VALUES ('{"PK": {"S": "another"}, "act": {"S": "index"}}');

-- the check remains as long as it is needed
DROP TRIGGER "~dynamo_maintain_indexes" ON shop;
ALTER TABLE shop DISABLE TRIGGER "~dynamo_maintain_indexes";
SELECT create_index('shop', 'own', 'O', storage => 'table');
SELECT drop_index('shop', 'own');
SELECT * FROM our_triggers ORDER BY 1, 2;
RESET ROLE;
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
DROP TRIGGER "~dynamo_maintain_indexes" ON shop;
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
SET ROLE order_owner;
SELECT put_item('shop', '{"PK": {"S": "unchecked"}, "act": {"S": "nothing"}}');
ALTER TABLE shop ADD COLUMN remark text;
SELECT put_item('shop', '{"PK": {"S": "checked"}, "act": {"S": "nothing"}}');
SELECT put_item('shop', '{"PK": {"S": "checked"}, "act": {"S": "index"}}');
DROP TRIGGER "~e" ON shop;
SELECT * FROM our_triggers ORDER BY 1, 2;

-- created by a user who may create triggers, but not the extension's
GRANT TRIGGER ON shop TO order_other;
GRANT EXECUTE ON FUNCTION change() TO order_other;
SET ROLE order_other;
CREATE TRIGGER "~theirs" BEFORE INSERT ON shop FOR EACH ROW EXECUTE FUNCTION change();
SELECT * FROM our_triggers ORDER BY 1, 2;
SET ROLE order_owner;
DROP TRIGGER "~theirs" ON shop;

-- a definition that is created after the trigger
CREATE TABLE late ("PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY ("PK"));
CREATE TRIGGER "~y" BEFORE INSERT OR UPDATE ON late FOR EACH ROW EXECUTE FUNCTION change();
CREATE TRIGGER "~z" BEFORE INSERT OR UPDATE ON late FOR EACH ROW EXECUTE FUNCTION change();
CREATE TRIGGER derive BEFORE INSERT OR UPDATE ON late FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(
	'{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}], "partition": ["PK"], "sort": [], "indexes": []}');
SELECT * FROM our_triggers ORDER BY 1, 2;

-- partitions: triggers of the whole table, and of a partition
SELECT create_table('parts', 'PK', indexes => '[{"index_name": "inl", "partition_key": "G"}]');
ALTER TABLE parts RENAME TO whole;
CREATE TABLE parts (LIKE whole INCLUDING ALL) PARTITION BY RANGE ("PK");
DO $$ BEGIN EXECUTE replace(pg_get_triggerdef(oid), 'whole', 'parts') FROM pg_trigger WHERE tgrelid = 'whole'::regclass AND tgname = '~dynamo_derive_keys'; END $$;
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES FROM (MINVALUE) TO ('4');
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('4') TO (MAXVALUE);
DROP TABLE whole;
CREATE TRIGGER "~p" BEFORE INSERT OR UPDATE ON parts_1 FOR EACH ROW EXECUTE FUNCTION change();
SELECT relation, tgname FROM our_triggers WHERE relation::text LIKE 'part%' ORDER BY 1, 2;
SELECT attempt(format('INSERT INTO parts ("PK", item) VALUES (%1$s, ''{"PK": {"S": "%1$s"}, "act": {"S": "index"}}'')', i)) FROM generate_series(1, 6) i;
DROP TRIGGER "~p" ON parts_1;
SELECT relation, tgname FROM our_triggers WHERE relation::text LIKE 'part%' ORDER BY 1, 2;
CREATE TRIGGER "~p" BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION change();
SELECT attempt(format('INSERT INTO parts ("PK", item) VALUES (%1$s, ''{"PK": {"S": "%1$s"}, "act": {"S": "index"}}'')', i)) FROM generate_series(1, 6) i;
SELECT count(*) FROM parts;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_order CASCADE;
DROP ROLE order_owner, order_other;
