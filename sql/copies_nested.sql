-- totals and copies when statements run within statements: events fire in
-- another order than changes were made, and each child counts once
CREATE SCHEMA t_copies_nested;
SET search_path = t_copies_nested, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SELECT create_table('shop', 'PK', 'SK');
SELECT create_entity('shop', 'p', '{"PK": "P#{id}", "SK": "P"}', type_attribute => 'kind');
SELECT create_entity('shop', 'c', '{"PK": "P#{id}", "SK": "C#{n:02}"}', type_attribute => 'kind');
SELECT create_total('shop', 't', 'p', 'c', '{"count": "count", "sum": "sum(n)", "min": "min(n)", "max": "max(n)"}');
SELECT create_copy('shop', 'c', 'p', 'c', '{"of": "name"}');

CREATE FUNCTION parent(id text) RETURNS item LANGUAGE sql AS $$ SELECT jsonb_build_object('kind', 'p', 'id', id, 'name', 'of ' || id)::dynamo.item $$;
CREATE FUNCTION child(id text, n int) RETURNS item LANGUAGE sql AS $$ SELECT jsonb_build_object('kind', 'c', 'id', id, 'n', n)::dynamo.item $$;
CREATE VIEW state AS SELECT item ->> 'id' AS id, item ->> 'count' AS count, item ->> 'sum' AS sum, item ->> 'min' AS min, item ->> 'max' AS max FROM shop WHERE "SK" = 'P' ORDER BY 1;
CREATE VIEW wrong AS SELECT * FROM check_copies('shop');

-- the first event of a statement runs the statement kept here, once
CREATE TABLE todo (statement text);
CREATE FUNCTION run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE s text;
BEGIN
	DELETE FROM t_copies_nested.todo RETURNING statement INTO s;
	IF s IS NOT NULL THEN EXECUTE s; END IF;
	RETURN COALESCE(NEW, OLD);
END $$;
SET client_min_messages = warning;
-- what a statement does with another one in its first event: before ours, after it
CREATE PROCEDURE try(statement text, nested text) LANGUAGE plpgsql AS $$
DECLARE name text; time text; result text;
BEGIN
	FOREACH time IN ARRAY ARRAY['AFTER', 'BEFORE'] LOOP
		FOREACH name IN ARRAY ARRAY['first', '~~last'] LOOP
			DELETE FROM t_copies_nested.shop;
			INSERT INTO t_copies_nested.shop (item) SELECT t_copies_nested.parent('a') UNION ALL SELECT t_copies_nested.child('a', n) FROM generate_series(1, 4) n;
			EXECUTE format('CREATE TRIGGER %I %s INSERT OR UPDATE OR DELETE ON t_copies_nested.shop FOR EACH ROW EXECUTE FUNCTION t_copies_nested.run()', name, time);
			DELETE FROM t_copies_nested.todo;
			INSERT INTO t_copies_nested.todo VALUES (nested);
			BEGIN
				EXECUTE statement;
				SELECT string_agg(s::text, ' ') FROM t_copies_nested.state s INTO result;
			EXCEPTION WHEN triggered_data_change_violation OR unique_violation THEN
				result := SQLERRM;
			END;
			EXECUTE format('DROP TRIGGER %I ON t_copies_nested.shop', name);
			RAISE WARNING '% %: % %', time, name, result, (SELECT string_agg('wrong: ' || problem, ' ') FROM t_copies_nested.wrong);
		END LOOP;
	END LOOP;
END $$;

-- children of a new parent, which another statement inserts, and the other way round
CALL try('INSERT INTO shop (item) VALUES (child(''b'', 1)), (child(''b'', 2))', 'INSERT INTO shop (item) VALUES (parent(''b''))');
CALL try('INSERT INTO shop (item) VALUES (child(''b'', 1)), (parent(''b'')), (child(''b'', 2))', 'INSERT INTO shop (item) VALUES (child(''b'', 3)), (child(''a'', 9))');
CALL try('INSERT INTO shop (item) VALUES (parent(''b''))', 'INSERT INTO shop (item) VALUES (child(''b'', 3)), (child(''b'', 4))');
CALL try('INSERT INTO shop (item) VALUES (parent(''b'')), (child(''b'', 1))', 'DELETE FROM shop WHERE "PK" = ''P#b'' AND "SK" = ''C#01''');
CALL try('INSERT INTO shop (item) VALUES (parent(''b'')), (child(''b'', 1))', 'DELETE FROM shop WHERE "PK" = ''P#b''');
-- children that are changed again
CALL try('INSERT INTO shop (item) VALUES (child(''a'', 0)), (child(''a'', 9))', 'DELETE FROM shop WHERE "SK" IN (''C#00'', ''C#09'')');
CALL try('UPDATE shop SET item = (item - ''SK'') || build_item(''n'', (item ->> ''n'')::int + 10) WHERE "SK" <> ''P''',
	'UPDATE shop SET item = (item - ''SK'') || build_item(''n'', (item ->> ''n'')::int + 20) WHERE "SK" <> ''P''');
CALL try('UPDATE shop SET item = item || build_item(''x'', 1) WHERE "SK" <> ''P''', 'DELETE FROM shop WHERE "SK" = ''C#01''');
CALL try('DELETE FROM shop WHERE "SK" IN (''C#01'', ''C#02'')', 'INSERT INTO shop (item) VALUES (child(''a'', 1))');
CALL try('DELETE FROM shop WHERE "SK" = ''C#04''', 'DELETE FROM shop WHERE "SK" = ''C#01''');
-- the parent goes and comes
CALL try('DELETE FROM shop WHERE "SK" <> ''C#02''', 'INSERT INTO shop (item) VALUES (parent(''a''))');
CALL try('DELETE FROM shop WHERE "SK" = ''P''', 'INSERT INTO shop (item) VALUES (parent(''a'')), (child(''a'', 7))');
CALL try('UPDATE shop SET item = item || build_item(''name'', ''new'')', 'UPDATE shop SET item = item || build_item(''name'', ''newer'') WHERE "SK" = ''P''');
-- a function in the statement, before any event
CREATE FUNCTION also(statement text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RETURN 5; END $$;
DELETE FROM shop;
INSERT INTO shop (item) SELECT child('a', CASE i WHEN 2 THEN also('INSERT INTO shop (item) VALUES (parent(''a''))') WHEN 3 THEN also('DELETE FROM shop WHERE "SK" = ''C#01''') ELSE 5 END + i)
FROM generate_series(1, 4) i;
TABLE state; TABLE wrong;
-- and one that rolls back what has counted the children
CREATE FUNCTION in_vain(statement text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RAISE SQLSTATE 'ZZ001'; EXCEPTION WHEN SQLSTATE 'ZZ001' THEN RETURN 5; END $$;
DELETE FROM shop;
INSERT INTO shop (item) VALUES (parent('a'));
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE shop SET item = item - 'count' - 'sum';
SET LOCAL session_replication_role = origin;
INSERT INTO shop (item) SELECT child('a', CASE i WHEN 2 THEN in_vain('INSERT INTO shop (item) VALUES (child(''a'', 77))') ELSE 0 END + i) FROM generate_series(1, 4) i;
TABLE state; TABLE wrong;
COMMIT;
DELETE FROM shop;
INSERT INTO shop (item) SELECT child('a', CASE i WHEN 2 THEN in_vain('INSERT INTO shop (item) VALUES (parent(''a''))') WHEN 3 THEN also('INSERT INTO shop (item) VALUES (parent(''a''))') ELSE 0 END + i) FROM generate_series(1, 4) i;
TABLE state; TABLE wrong;
-- a repair in the middle of a statement
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE shop SET item = item || build_item('count', 50) WHERE "SK" = 'P';
SET LOCAL session_replication_role = origin;
INSERT INTO shop (item) SELECT child('a', CASE i WHEN 12 THEN also('SELECT dynamo.repair_copies(''shop'')') ELSE 20 END + i) FROM generate_series(11, 14) i;
TABLE state; TABLE wrong;
ROLLBACK;
-- one statement with parts, of which each sees none of the others
WITH gone AS (DELETE FROM shop WHERE "SK" = 'C#01'), more AS (INSERT INTO shop (item) VALUES (child('b', 1))), moved AS (UPDATE shop SET item = (item - 'PK') || build_item('id', 'b') WHERE "SK" = 'C#07')
INSERT INTO shop (item) VALUES (parent('b')), (child('a', 50));
TABLE state; TABLE wrong;

-- definitions that are changed while their statement waits
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF pg_trigger_depth() = 1 THEN PERFORM dynamo.create_total('t_copies_nested.shop', 'u', 'p', 'c', '{"a": "count", "b": "min(n)", "c": "max(n)"}'); END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER changes AFTER INSERT ON shop FOR EACH ROW WHEN (NEW.item ->> 'n' = '61') EXECUTE FUNCTION change();
CREATE TRIGGER "~~changes" AFTER INSERT ON shop FOR EACH ROW WHEN (NEW.item ->> 'n' = '71') EXECUTE FUNCTION change();
INSERT INTO shop (item) VALUES (child('a', 61));
SELECT drop_total('shop', 'u');
INSERT INTO shop (item) VALUES (child('a', 71)), (child('b', 72));
INSERT INTO shop (item) VALUES (child('a', 70)), (child('b', 61)), (child('a', 71));
TABLE state; TABLE wrong;

-- a trigger of a child that gets a copy changes the parent, and gives another child another key
DELETE FROM shop;
DELETE FROM todo;
DROP TRIGGER IF EXISTS changes ON shop;
DROP TRIGGER IF EXISTS "~~changes" ON shop;
INSERT INTO shop (item) SELECT parent('a') UNION ALL SELECT child('a', n) FROM generate_series(1, 4) n;
CREATE TRIGGER first AFTER UPDATE ON shop FOR EACH ROW WHEN (NEW."SK" LIKE 'C#%') EXECUTE FUNCTION run();
INSERT INTO todo VALUES ($$UPDATE t_copies_nested.shop SET item = dynamo.set_attribute(item, 'name', dynamo.to_value('again'::text)) WHERE "SK" = 'P'$$);
UPDATE shop SET item = set_attribute(item, 'name', to_value('renamed'::text)) WHERE "SK" = 'P';
SELECT "SK", item ->> 'of' FROM shop WHERE "SK" <> 'P' ORDER BY 1;
INSERT INTO todo VALUES ($$UPDATE t_copies_nested.shop SET item = t_copies_nested.child('a', 10 + (item ->> 'n')::int) WHERE "SK" <> 'P' AND item ->> 'of' <> 'last'$$);
UPDATE shop SET item = set_attribute(item, 'name', to_value('last'::text)) WHERE "SK" = 'P';
SELECT "SK", item ->> 'of' FROM shop WHERE "SK" <> 'P' ORDER BY 1;
TABLE wrong;
DROP TRIGGER first ON shop;

-- BEFORE triggers of rows that get a copy or a total, when the nested statement leaves what was stored, but not what is about to be
CREATE FUNCTION rename(name text) RETURNS text LANGUAGE sql AS $$ SELECT format('UPDATE t_copies_nested.shop SET item = dynamo.set_attribute(item, ''name'', dynamo.to_value(%L::text)) WHERE "SK" = ''P''', name) $$;
DELETE FROM shop;
INSERT INTO shop (item) SELECT parent('a') UNION ALL SELECT child('a', n) FROM generate_series(1, 4) n;
CREATE TRIGGER first BEFORE UPDATE ON shop FOR EACH ROW WHEN (NEW."SK" = 'C#02') EXECUTE FUNCTION run();
INSERT INTO todo VALUES (rename('of a'));
UPDATE shop SET item = set_attribute(item, 'name', to_value('renamed'::text)) WHERE "SK" = 'P';
TABLE wrong;
DROP TRIGGER first ON shop;
DELETE FROM todo;
CREATE TRIGGER first BEFORE UPDATE ON shop FOR EACH ROW WHEN (NEW."SK" = 'P') EXECUTE FUNCTION run();
INSERT INTO todo VALUES ($$INSERT INTO t_copies_nested.shop (item) VALUES (t_copies_nested.child('a', 1))$$);
DELETE FROM shop WHERE "SK" = 'C#01';
TABLE state; TABLE wrong;
DROP TRIGGER first ON shop;
DELETE FROM todo;
-- and later BEFORE triggers of children that are new, or come to another parent
DELETE FROM shop;
INSERT INTO shop (item) VALUES (parent('a')), (parent('b'));
CREATE TRIGGER "~~last" BEFORE INSERT OR UPDATE ON shop FOR EACH ROW WHEN (NEW."SK" LIKE 'C#%') EXECUTE FUNCTION run();
INSERT INTO todo VALUES (rename('new'));
INSERT INTO shop (item) VALUES (child('a', 1));
INSERT INTO todo VALUES (rename('newer') || $$ AND "PK" = 'P#b'$$);
UPDATE shop SET item = (item - 'PK') || build_item('id', 'b') WHERE "SK" = 'C#01';
SELECT "PK", "SK", item ->> 'of' FROM shop WHERE "SK" <> 'P';
TABLE wrong;
DROP TRIGGER "~~last" ON shop;

DROP SCHEMA t_copies_nested CASCADE;
