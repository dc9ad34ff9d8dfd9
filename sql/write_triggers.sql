-- Writes fire the same triggers, constraints and foreign keys as SQL
CREATE SCHEMA t_trig;
SET search_path = t_trig, dynamo;
SELECT dynamo.create_table('base', partition_key => 'id');

CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '% % % %: % -> %', TG_NAME, TG_WHEN, TG_LEVEL, TG_OP,
		CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'INSERT' THEN OLD.item -> 'n' END,
		CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN NEW.item -> 'n' END;
	RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

-- the same operations with both settings
CREATE PROCEDURE run(statements text[]) LANGUAGE plpgsql AS $$
DECLARE
	setting text;
	statement text;
	result dynamo.item;
BEGIN
	FOREACH setting IN ARRAY ARRAY['on', 'off'] LOOP
		PERFORM set_config('dynamo.direct_access', setting, false);
		RAISE NOTICE 'direct_access = %', setting;
		FOREACH statement IN ARRAY statements LOOP
			BEGIN
				EXECUTE statement INTO result;
				RAISE NOTICE '=> %', result;
			EXCEPTION WHEN OTHERS THEN
				RAISE NOTICE 'ERROR % %', SQLSTATE, SQLERRM;
			END;
		END LOOP;
	END LOOP;
	RESET dynamo.direct_access;
END $$;

-- row triggers
CREATE TRIGGER before_row BEFORE INSERT OR UPDATE OR DELETE ON base FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER after_row AFTER INSERT OR UPDATE OR DELETE ON base FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER of_item AFTER UPDATE OF item ON base FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER of_id AFTER UPDATE OF id ON base FOR EACH ROW EXECUTE FUNCTION tell();
CALL run(ARRAY[
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 1), return_values => 'ALL_OLD')$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 2), return_values => 'ALL_OLD')$$,
	$$SELECT dynamo.update_item('base', jsonb_build_object('id', 'a'), 'SET n = n + n', return_values => 'ALL_NEW')$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'a'), return_values => 'ALL_OLD')$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'a'), return_values => 'ALL_OLD')$$]);
DROP TRIGGER before_row ON base;
DROP TRIGGER after_row ON base;
DROP TRIGGER of_item ON base;
DROP TRIGGER of_id ON base;

-- a trigger that inserts the item itself, which is then replaced
CREATE FUNCTION insert_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF pg_trigger_depth() = 1 THEN
		INSERT INTO base (item) VALUES (dynamo.apply_update(NEW.item, 'SET n = :n', '{":n": {"S": "the trigger''s"}}'));
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER insert_first BEFORE INSERT ON base FOR EACH ROW EXECUTE FUNCTION insert_first();
CALL run(ARRAY[
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 1), return_values => 'ALL_OLD')$$,
	$$SELECT dynamo.get_item('base', jsonb_build_object('id', 'a'))$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'a'))$$]);
DROP TRIGGER insert_first ON base;

-- statement triggers, with transition tables
CREATE FUNCTION tell_tables() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '% %: % new', TG_NAME, TG_OP, (SELECT count(*) FROM new_rows);
	RETURN NULL;
END $$;
CREATE TRIGGER statement BEFORE INSERT OR UPDATE OR DELETE ON base FOR EACH STATEMENT EXECUTE FUNCTION tell();
CREATE TRIGGER with_table AFTER INSERT ON base REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_tables();
CALL run(ARRAY[
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 1))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 2))$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'a'), 'n = :n', jsonb_build_object(':n', 2))$$]);
DROP TRIGGER statement ON base;
DROP TRIGGER with_table ON base;

-- row triggers with transition tables
CREATE TRIGGER row_with_table AFTER INSERT ON base REFERENCING NEW TABLE AS new_rows FOR EACH ROW EXECUTE FUNCTION tell_tables();
CREATE TRIGGER row_with_updates AFTER UPDATE ON base REFERENCING NEW TABLE AS new_rows FOR EACH ROW EXECUTE FUNCTION tell_tables();
CREATE TRIGGER row_with_deleted AFTER DELETE ON base REFERENCING OLD TABLE AS new_rows FOR EACH ROW EXECUTE FUNCTION tell_tables();
CALL run(ARRAY[
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 1))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'a', 'n', 2))$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'a'))$$]);
DROP TRIGGER row_with_table ON base;
DROP TRIGGER row_with_updates ON base;
DROP TRIGGER row_with_deleted ON base;

-- a trigger that changes the item: the stored item is returned
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.item = dynamo.apply_update(NEW.item, 'SET stamped = :t', '{":t": {"BOOL": true}}');
	RETURN NEW;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON base FOR EACH ROW EXECUTE FUNCTION stamp();
CALL run(ARRAY[
	$$SELECT dynamo.update_item('base', jsonb_build_object('id', 'b'), 'ADD n :n', NULL, jsonb_build_object(':n', 1), return_values => 'ALL_NEW')$$,
	$$SELECT dynamo.update_item('base', jsonb_build_object('id', 'b'), 'ADD n :n', NULL, jsonb_build_object(':n', 1), return_values => 'ALL_NEW')$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'b'), return_values => 'ALL_OLD')$$]);
DROP TRIGGER stamp ON base;

-- a trigger that suppresses the write, and one that changes the key
CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER skip BEFORE INSERT OR UPDATE OR DELETE ON base FOR EACH ROW EXECUTE FUNCTION skip();
CALL run(ARRAY[$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'c', 'n', 1))$$]);
ALTER TABLE base DISABLE TRIGGER skip;
INSERT INTO base (item) VALUES (jsonb_build_object('id', 'c', 'n', 1));
ALTER TABLE base ENABLE TRIGGER skip;
CALL run(ARRAY[
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'c', 'n', 2), return_values => 'ALL_OLD')$$,
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'c'), 'attribute_exists(n)', return_values => 'ALL_OLD')$$]);
SELECT * FROM base;
DROP TRIGGER skip ON base;
CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.item = jsonb_build_object('id', 'c', 'moved', true);
	RETURN NEW;
END $$;
CREATE TRIGGER move BEFORE INSERT ON base FOR EACH ROW EXECUTE FUNCTION move();
CALL run(ARRAY[$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'd', 'n', 1))$$]);
DROP TRIGGER move ON base;

-- constraints, and users' own columns
ALTER TABLE base ADD CONSTRAINT small CHECK ((item ->> 'n')::numeric < 10);
ALTER TABLE base ADD COLUMN changed int DEFAULT 7, ADD COLUMN note text,
	ADD COLUMN double_n numeric GENERATED ALWAYS AS ((item ->> 'n')::numeric * 2) STORED;
CREATE UNIQUE INDEX ON base ((item ->> 'mail'));
CALL run(ARRAY[
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'e', 'n', 10))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'e', 'n', 9, 'mail', 'x'))$$,
	$$SELECT dynamo.update_item('base', jsonb_build_object('id', 'e'), 'SET n = n + :n', NULL, jsonb_build_object(':n', 1))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'f', 'mail', 'x'))$$]);
SELECT * FROM base ORDER BY id;
ALTER TABLE base DROP COLUMN double_n, DROP COLUMN changed;
UPDATE base SET note = 'kept' WHERE id = 'e';
CALL run(ARRAY[
	$$SELECT dynamo.update_item('base', jsonb_build_object('id', 'e'), 'SET n = :n', NULL, jsonb_build_object(':n', 1))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'f', 'mail', 'x'))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'f', 'n', 11))$$]);
SELECT * FROM base ORDER BY id;

-- foreign keys in both directions
CREATE TABLE child (id text COLLATE "C" REFERENCES base DEFERRABLE);
INSERT INTO child VALUES ('e');
CALL run(ARRAY[
	$$SELECT dynamo.delete_item('base', jsonb_build_object('id', 'e'))$$,
	$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'e', 'n', 5), return_values => 'ALL_OLD')$$]);
DROP TABLE child;
CREATE TABLE parent (name text COLLATE "C" PRIMARY KEY);
ALTER TABLE base ADD FOREIGN KEY (id) REFERENCES parent (name) NOT VALID;
CALL run(ARRAY[$$SELECT dynamo.put_item('base', jsonb_build_object('id', 'g'))$$]);

SET client_min_messages = warning;
DROP SCHEMA t_trig CASCADE;
