-- A statement whose triggers or functions change rows that the statement also
-- changes: events fire in another order than that of the changes.
CREATE SCHEMA t_nested;
SET search_path = t_nested, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SELECT create_table('shop', 'id');
SELECT create_index('shop', 'inl', 'g', 'n', sort_key_type => 'N');
SELECT create_index('shop', 'own', 'g', projection => 'INCLUDE', non_key_attributes => ARRAY['n'], storage => 'table');
SELECT create_index('shop', 'spread', 'g', shards => 3);
SELECT create_index('shop', 'by_n', 'g', projection => 'KEYS_ONLY', shards => 4, shard_by => 'n');
SELECT enable_stream('shop') IS NOT NULL;

-- the new records of the stream, and whether the old image of every record is the
-- previous new image of its item
CREATE TABLE mirror (id text PRIMARY KEY, item item, number numeric);
CREATE FUNCTION news() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE r record; was dynamo.item;
BEGIN
	FOR r IN SELECT *, keys ->> 'id' AS id FROM dynamo.read_stream('shop', (SELECT max(number) FROM mirror)) ORDER BY id, sequence_number LOOP
		SELECT item INTO was FROM mirror WHERE id = r.id;
		RETURN NEXT pg_catalog.format('%s %s: %s%s -> %s%s%s', r.event_name, r.id, r.old_image ->> 'g', r.old_image ->> 'n',
			r.new_image ->> 'g', r.new_image ->> 'n', CASE WHEN was IS DISTINCT FROM r.old_image THEN ', out of order' END);
		INSERT INTO mirror VALUES (r.id, r.new_image, r.sequence_number)
		ON CONFLICT (id) DO UPDATE SET item = EXCLUDED.item, number = EXCLUDED.number;
	END LOOP;
END $$;
CREATE VIEW problems AS
SELECT index_name || ': ' || problem || ' ' || (key ->> 'id') FROM dynamo.indexes i, LATERAL dynamo.verify_index('shop', index_name) v WHERE table_name = 'shop'
UNION ALL
SELECT 'stream: ' || COALESCE(m.id, s.id) FROM (SELECT * FROM mirror WHERE item IS NOT NULL) m FULL JOIN shop s USING (id) WHERE m.item IS DISTINCT FROM s.item;

CREATE FUNCTION thing(id text, g text, n int) RETURNS item LANGUAGE sql AS $$ SELECT jsonb_build_object('id', id, 'g', g, 'n', n)::dynamo.item $$;

-- the first event of a statement executes the statement in "todo", once
CREATE TABLE todo (statement text);
CREATE FUNCTION run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE s text;
BEGIN
	DELETE FROM t_nested.todo RETURNING statement INTO s;
	IF s IS NOT NULL THEN EXECUTE s; END IF;
	IF TG_WHEN = 'BEFORE' AND TG_OP = 'DELETE' THEN RETURN OLD; END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER first AFTER INSERT OR UPDATE OR DELETE ON shop FOR EACH ROW EXECUTE FUNCTION run();

-- starts again with three items
CREATE PROCEDURE fresh(nested text) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE t_nested.shop;
	DELETE FROM t_nested.todo;
	INSERT INTO t_nested.shop (item) SELECT t_nested.thing(id, 'x', 1) FROM unnest(ARRAY['a', 'b', 'c']) id;
	PERFORM t_nested.news();
	INSERT INTO t_nested.todo SELECT nested WHERE nested IS NOT NULL;
END $$;
SET client_min_messages = warning;

-- an update overtaken by an update: with another key, another projection,
-- the previous content, no index key
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3) WHERE id = 'b'$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'y', 3) WHERE id = 'b'$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'x', 1) WHERE id = 'b'$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
CALL fresh($$SELECT dynamo.update_item('shop', '{"id": {"S": "b"}}', 'REMOVE g')$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
-- the same content twice: the second event finds nothing to change
CALL fresh($$UPDATE shop SET item = item || '{"more": {"N": "1"}}' WHERE id = 'b'$$);
UPDATE shop SET item = thing(id, 'x', 2);
SELECT news(); TABLE problems;

-- an update or an insertion overtaken by a deletion
CALL fresh($$DELETE FROM shop WHERE id = 'c'$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
CALL fresh($$SELECT dynamo.delete_item('shop', '{"id": {"S": "e"}}')$$);
INSERT INTO shop (item) VALUES (thing('d', 'y', 2)), (thing('e', 'y', 2));
SELECT news(); TABLE problems;

-- a deletion overtaken by a new item with the same key, and its deletion
CALL fresh($$SELECT dynamo.put_item('shop', thing('c', 'x', 9))$$);
DELETE FROM shop;
SELECT news(); TABLE problems;
CALL fresh($$INSERT INTO shop (item) VALUES (thing('c', 'x', 9)); UPDATE shop SET item = thing(id, 'w', 8) WHERE id = 'c'; DELETE FROM shop$$);
DELETE FROM shop;
SELECT news(); TABLE problems;
-- the item gets another key, and its old one is used again
CALL fresh($$INSERT INTO shop (item) VALUES (thing('c', 'x', 9))$$);
UPDATE shop SET item = thing(id || id, 'x', 1);
SELECT news(); TABLE problems;

-- INSERT ... ON CONFLICT, MERGE, COPY, functions
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3)$$);
INSERT INTO shop (item) VALUES (thing('b', 'y', 2)), (thing('d', 'y', 2)) ON CONFLICT (id) DO UPDATE SET item = EXCLUDED.item;
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3)$$);
MERGE INTO shop USING (VALUES ('b'), ('c'), ('d')) AS v(id) ON shop.id = v.id WHEN MATCHED AND v.id = 'b' THEN DELETE
WHEN MATCHED THEN UPDATE SET item = thing(v.id, 'y', 2) WHEN NOT MATCHED THEN INSERT (item) VALUES (thing(v.id, 'y', 2));
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3)$$);
COPY shop (item) FROM STDIN;
{"id": {"S": "d"}, "g": {"S": "y"}, "n": {"N": "2"}}
{"id": {"S": "e"}, "g": {"S": "y"}, "n": {"N": "2"}}
\.
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3)$$);
SELECT put_item('shop', thing('b', 'y', 2));
SELECT news(); TABLE problems;
SET dynamo.direct_access = off;
CALL fresh($$SELECT dynamo.put_item('shop', thing('b', 'z', 3))$$);
SELECT put_item('shop', thing('b', 'y', 2));
SELECT news(); TABLE problems;
RESET dynamo.direct_access;

-- both in one statement, and both overtaken
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3) WHERE id = 'c'$$);
WITH gone AS (DELETE FROM shop RETURNING id) INSERT INTO shop (item) SELECT thing(id, 'y', 2) FROM gone;
SELECT news(); TABLE problems;

-- a change that is rolled back overtakes nothing
CALL fresh($n$DO $do$ BEGIN UPDATE shop SET item = thing(id, 'z', 3); RAISE EXCEPTION 'no'; EXCEPTION WHEN raise_exception THEN UPDATE shop SET item = thing(id, 'v', 4) WHERE id = 'b'; END $do$$n$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3)$$);
BEGIN;
SAVEPOINT s;
UPDATE shop SET item = thing(id, 'y', 2);
ROLLBACK TO s;
UPDATE shop SET item = thing(id, 'w', 5) WHERE id = 'c';
COMMIT;
SELECT news(); TABLE problems;

-- three levels: each change is overtaken by the next one
CALL fresh($$INSERT INTO todo VALUES ('UPDATE shop SET item = thing(id, ''w'', 4)'); UPDATE shop SET item = thing(id, 'z', 3)$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;

-- a BEFORE trigger changes a row that the statement has already changed; for a
-- row that the statement has not reached yet PostgreSQL raises an error
DROP TRIGGER first ON shop;
CREATE TRIGGER first BEFORE UPDATE ON shop FOR EACH ROW WHEN (NEW.id = 'b') EXECUTE FUNCTION run();
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3) WHERE id = 'a'$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3) WHERE id = 'c'$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
DROP TRIGGER first ON shop;

-- a function in the statement makes such changes
CREATE FUNCTION meddle(id text) RETURNS item LANGUAGE plpgsql AS $$
BEGIN
	UPDATE t_nested.shop SET item = t_nested.thing(shop.id, 'z', 3) WHERE shop.id < meddle.id;
	RETURN t_nested.thing(id, 'y', 2);
END $$;
CALL fresh(NULL);
UPDATE shop SET item = meddle(id);
SELECT news(); TABLE problems;

-- a deferred trigger fires after all of them
CREATE CONSTRAINT TRIGGER first AFTER UPDATE ON shop DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION run();
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3)$$);
UPDATE shop SET item = thing(id, 'y', 2);
SELECT news(); TABLE problems;
DROP TRIGGER first ON shop;

-- a foreign key between items of one table, with actions
ALTER TABLE shop ADD parent text COLLATE "C" REFERENCES shop ON DELETE CASCADE;
CREATE TRIGGER first AFTER DELETE ON shop FOR EACH ROW EXECUTE FUNCTION run();
CALL fresh(NULL);
UPDATE shop SET parent = CASE id WHEN 'b' THEN 'a' WHEN 'c' THEN 'b' END;
INSERT INTO todo VALUES ($$SELECT dynamo.put_item('shop', thing('c', 'z', 3))$$);
DELETE FROM shop WHERE id = 'a';
SELECT news(); TABLE problems;

-- rows frozen by COPY
DROP TRIGGER first ON shop;
CREATE TRIGGER first AFTER INSERT ON shop FOR EACH ROW EXECUTE FUNCTION run();
BEGIN;
CALL fresh($$UPDATE shop SET item = thing(id, 'z', 3) WHERE id = 'e'$$);
TRUNCATE shop;
COPY shop (item) FROM STDIN (FREEZE);
{"id": {"S": "d"}, "g": {"S": "y"}, "n": {"N": "2"}}
{"id": {"S": "e"}, "g": {"S": "y"}, "n": {"N": "2"}}
\.
COMMIT;
SELECT news(); TABLE problems;

DROP SCHEMA t_nested CASCADE;
