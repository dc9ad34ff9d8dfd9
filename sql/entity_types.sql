-- values that cannot be cast to the types that entities declare: declared, stored, shown, refused
CREATE SCHEMA t_types;
SET search_path = t_types, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN present AS text NOT NULL;
CREATE DOMAIN few AS int[] CHECK (cardinality(VALUE) < 3);
CREATE TYPE mood AS ENUM ('calm', 'cross');

-- defaults and constants are cast when they are declared
SELECT create_table('ord', 'pk', 'sk');
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "qty": {"type": "int", "default": "now()"}}');
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "qty": {"type": "positive", "constant": -1}}');
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "tags": {"type": "int[]", "default": ["a"]}}');
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "qty": {"type": "int", "default": 1}, "tags": {"type": "int[]", "default": [1, 2]}, "any": {"default": {"a": 1}}}');
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "qty": {"type": "mood", "default": "happy"}}', replace => true);
SELECT s FROM import_model('{"format": "dynamo:1", "tables": [{"table_name": "model", "partition_key": "pk", "entities": [
	{"entity_name": "o", "keys": {"pk": "O#{id}"}, "attributes": {"id": "int", "n": {"type": "int", "default": "x"}}}]}]}') s \gexec

-- every type: what casts is shown, and what does not names the item
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "i": "int", "s": "smallint", "l": "bigint", "n": "numeric", "n2": "numeric(6,2)", "f": "float8",
	"b": "boolean", "t": "text", "v": "varchar(3)", "at": "timestamptz", "d": "date", "u": "uuid", "x": "bytea", "j": "jsonb", "a": "int[]", "m": "mood", "p": "positive", "few": "few"}', replace => true);
SELECT create_entity_view('ords', 'ord', entity_name => 'o');
SELECT create_entity_view('ords_or_null', 'ord', entity_name => 'o', invalid_values => 'null');
SELECT create_entity_view('no', 'ord', entity_name => 'o', invalid_values => 'zero');
SELECT create_entity_view('no', 'ord', entity_name => 'o', invalid_values => NULL);
SELECT put_item('ord', '{"id": 1, "i": 1, "s": 1, "l": 5000000000, "n": 1.5, "n2": 1.555, "f": 2.5, "b": true, "t": "t", "v": "varchar", "at": "2026-01-01T00:00:00Z",
	"d": "2026-01-01", "u": "c4ca4238-a0b9-2382-0dcc-509a6f75849b", "j": [1], "a": [1, 2], "m": "calm", "p": 1, "few": [1]}'::jsonb);
SELECT put_item('ord', '{"id": 2, "i": "1", "s": "2", "l": "3", "n": "4.5", "n2": "5", "f": "6", "b": "off", "t": 7, "v": 8888, "at": "tomorrow", "d": "today", "a": ["1"], "p": "2", "few": null}'::jsonb);
SELECT put_item('ord', '{"id": 3}'::jsonb);
SELECT put_item('ord', '{"pk": {"S": "O#4"}, "id": {"N": "4"}, "x": {"B": "AAEC"}, "a": {"NS": ["3", "4"]}, "j": {"NULL": true}, "i": {"NULL": true}}'::item);
SELECT id, i, s, l, n, n2, f, b, t, v, at > '2026-01-01' AS late, d > '2026-01-01' AS later, u, x, j, a, m, p, few FROM ords ORDER BY id;
SELECT * FROM check_entity('ord');
SELECT put_item('ord', '{"pk": {"S": "O#5"}, "id": {"N": "5"}, "i": {"N": "1.5"}, "s": {"N": "40000"}, "l": {"BOOL": true}, "n": {"S": "many"}, "n2": {"N": "123456"}, "f": {"L": []}, "b": {"N": "3"},
	"t": {"S": "nul\u0000"}, "v": {"S": "nul\u0000"}, "at": {"S": "yesterday-ish"}, "d": {"S": "2026-02-30"}, "u": {"S": "u"}, "x": {"S": "x"}, "a": {"S": "1"}, "m": {"S": "happy"}, "p": {"N": "-1"}, "few": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}}'::item);
DO $$
DECLARE
	name text;
	message text;
	detail text;
BEGIN
	FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = 'ords'::regclass AND attnum > 3 ORDER BY attnum LOOP
		BEGIN
			EXECUTE format('SELECT count(%I) FROM ords', name);
			RAISE NOTICE '% is shown', name;
		EXCEPTION WHEN others THEN
			GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
			RAISE NOTICE '% (%) %', message, SQLSTATE, detail;
		END;
	END LOOP;
END $$;
SELECT problem FROM check_entity('ord');
SELECT rule, severity, object, evidence, fix FROM advise('ord');
-- a view can show null instead; the rest of the item is there
SELECT * FROM ords_or_null WHERE id = 5;
SELECT id, t IS NULL AS t, i, l FROM ords_or_null ORDER BY id;
SELECT max(i), sum(n), count(at) FROM ords_or_null;
-- names of others and columns that are not asked for do no harm
SELECT id, j FROM ords ORDER BY id;

-- by key, an item can be changed and deleted whatever its other columns are
UPDATE ords SET j = '{"a": 1}' WHERE id = 5 RETURNING id, j;
UPDATE ords SET i = 5, s = 0, n = 4, p = 1 WHERE id = 5 RETURNING id, i, s, n, p;
UPDATE ords SET l = NULL, n2 = NULL, f = NULL, b = NULL, at = NULL, d = NULL, u = NULL, x = NULL, a = NULL, m = NULL, few = NULL WHERE id = 5 RETURNING id, l;
SELECT get_item('ord', '{"pk": {"S": "O#5"}, "sk": {"S": "O"}}');
-- a column that is set to what it is does not change its attribute
SELECT put_item('ord', '{"pk": {"S": "O#6"}, "id": {"N": "6"}, "i": {"S": "7"}, "a": {"L": [{"S": "1"}, {"N": "2"}]}, "at": {"S": "2026-01-01T01:00:00+01"}, "n2": {"S": "1.50"}}'::item);
UPDATE ords SET i = 7, a = '{1,2}', at = '2026-01-01', n2 = 1.5 WHERE id = 6;
SELECT get_item('ord', '{"pk": {"S": "O#6"}, "sk": {"S": "O"}}');
-- zero is not what stands for a value that cannot be cast; parameters, prepared plans
SELECT put_item('ord', '{"id": 7, "i": "a", "n2": "b", "at": "c", "u": "d", "a": "e"}'::jsonb);
PREPARE set_all(int, numeric, timestamptz, uuid, int[]) AS UPDATE ords SET i = $1, n2 = $2, at = $3, u = $4, a = $5 WHERE id = 7;
SET plan_cache_mode = force_generic_plan;
EXECUTE set_all(0, 0, '2000-01-01', '00000000-0000-0000-0000-000000000000', '{}');
SELECT get_item('ord', '{"pk": {"S": "O#7"}, "sk": {"S": "O"}}');
SELECT put_item('ord', '{"id": 7, "i": "a", "n2": "b", "at": "c", "u": "d", "a": "e"}'::jsonb);
EXECUTE set_all(NULL, NULL, NULL, NULL, NULL);
SELECT get_item('ord', '{"pk": {"S": "O#7"}, "sk": {"S": "O"}}');
RESET plan_cache_mode;
-- what reads the column fails, and names the item
SELECT put_item('ord', '{"id": 7, "i": "a", "n": "b"}'::jsonb);
UPDATE ords SET i = i + 1 WHERE id = 7;
UPDATE ords SET i = 1 WHERE id = 7 AND i = 1;
UPDATE ords SET s = 1 WHERE id = 7 RETURNING i;
DELETE FROM ords WHERE id = 7 RETURNING *;
UPDATE ords SET i = (SELECT 1), n = (random() * 0)::int WHERE id = 7;
WITH d AS (DELETE FROM ords WHERE id = 7 RETURNING id) SELECT * FROM d;
-- through a view on the view
CREATE VIEW outer_ords AS SELECT id, j FROM ords;
SELECT put_item('ord', '{"id": 8, "i": "a"}'::jsonb);
UPDATE outer_ords SET j = '1' WHERE id = 8;
DELETE FROM outer_ords WHERE id = 8;
-- a trigger of a user may read the row: it is computed
SELECT create_entity_view('watched', 'ord', entity_name => 'o');
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'i is %', OLD.i; RETURN OLD; END $$;
CREATE TRIGGER a_watch INSTEAD OF DELETE ON watched FOR EACH ROW EXECUTE FUNCTION watch();
SELECT put_item('ord', '{"id": 8, "i": "a"}'::jsonb), put_item('ord', '{"id": 9, "i": 1}'::jsonb);
DELETE FROM watched WHERE id = 8;
DELETE FROM watched WHERE id = 9;
DELETE FROM ords;
SELECT count(*) FROM ord;

-- access patterns that return rows: of the table, and of the items of an index table
SELECT create_table('asked', 'pk', 'sk', indexes => '[{"index_name": "own", "partition_key": "g", "sort_key": "sk", "storage": "table"}]');
SELECT create_entity('asked', 'a', '{"pk": "A#{id}", "sk": "A", "g": "G#{kind}"}', '{"id": "int", "kind": "text", "n": "int"}', view_name => 'asks');
SELECT create_access_pattern('asked', 'ask', 'id = :id', view_name => 'asks');
SELECT create_access_pattern('asked', 'asks_of', 'kind = :kind', view_name => 'asks', index_name => 'own');
SELECT put_item('asked', '{"id": 1, "kind": "k", "n": "x"}'::jsonb);
SELECT kind FROM ask(1);
SELECT n FROM ask(1);
SELECT n FROM asks_of('k');
-- a condition does not cast the attributes of other entities
SELECT create_entity('asked', 'flag', '{}', '{"on": "boolean"}', type_attribute => 'type', view_name => 'flags');
SELECT create_entity('asked', 'word', '{}', '{"on": "text"}', type_attribute => 'type');
SELECT put_item('asked', '{"pk": "w", "sk": "w", "type": "word", "on": "word"}'::jsonb), put_item('asked', '{"pk": "f", "sk": "f", "type": "flag", "on": true}'::jsonb);
SELECT pk FROM flags WHERE "on";
SELECT pk FROM (SELECT * FROM flags ORDER BY sk) f WHERE "on" AND NOT "on" IS NULL;
DELETE FROM asked WHERE pk IN ('w', 'f');
-- a view of all items, without an entity
SELECT create_entity_view('all_asked', 'asked', '{"n": "int", "id": "bigint"}', invalid_values => 'null');
SELECT n, id FROM all_asked;
UPDATE all_asked SET n = NULL WHERE pk = 'A#1';
SELECT item FROM asked;

-- times in keys, which may be numbers, too
SELECT create_table('log', 'pk', 'sk');
SELECT create_entity('log', 'l', '{"pk": "L", "sk": "{at:s}#{n}"}', '{"at": "timestamptz", "n": "int", "day": "date"}', view_name => 'logs');
SELECT put_item('log', '{"at": 1767225600, "n": 1}'::jsonb), put_item('log', '{"pk": "L", "sk": "2026-01-01T00:00:00Z#99999999999"}'::jsonb);
SELECT at FROM logs;
SELECT n FROM logs;
SELECT * FROM check_entity('log');

-- check_types refuses such values in every write
DROP VIEW outer_ords;
SELECT drop_entity('ord', 'o');
SELECT create_entity('ord', 'o', '{"pk": "O#{id}", "sk": "O"}', '{"id": "int", "qty": {"type": "int", "default": 1}, "at": "timestamptz", "p": "positive", "must": "present", "a": "int[]", "extra": {}}',
	check_types => true, view_name => 'typed');
SELECT describe_entity('ord', 'o') -> 'check_types' AS check_types, describe_entity('ord', 'o') #> '{attributes,3}' AS domain;
SELECT put_item('ord', '{"id": 1, "must": "x", "at": "2026-01-01", "p": 1, "a": [1], "extra": {"b": 1}}'::jsonb);
SELECT put_item('ord', '{"id": 2, "must": "x", "qty": 1.5}'::jsonb);
SELECT put_item('ord', '{"id": 2, "must": "x", "at": "yesterday-ish"}'::jsonb);
SELECT put_item('ord', '{"id": 2, "must": "x", "p": 0}'::jsonb);
SELECT put_item('ord', '{"id": 2}'::jsonb);
SELECT put_item('ord', '{"id": 2, "must": "x", "a": [1, "b"]}'::jsonb);
SELECT put_item('ord', '{"pk": "O#99999999999", "sk": "O", "must": "x"}'::jsonb);
SELECT update_item('ord', '{"pk": "O#1", "sk": "O"}'::jsonb, 'SET qty = :q', expression_attribute_values => '{":q": "many"}'::jsonb);
SELECT update_item('ord', '{"pk": "O#1", "sk": "O"}'::jsonb, 'SET qty = :q', expression_attribute_values => '{":q": 2}'::jsonb);
SELECT update_item('ord', '{"pk": "O#1", "sk": "O"}'::jsonb, 'REMOVE must');
\set VERBOSITY terse
INSERT INTO ord (item) VALUES ('{"id": {"N": "2"}, "must": {"S": "x"}, "qty": {"S": "many"}}');
UPDATE ord SET item = set_attribute(item, 'qty', to_value('many'::text));
COPY ord (item) FROM stdin;
{"id": {"N": "2"}, "must": {"S": "x"}, "qty": {"S": "many"}}
\.
INSERT INTO typed (id, must, p) VALUES (3, 'x', 3) RETURNING id, qty, must, p;
SELECT batch_write_item('ord', ARRAY['{"id": {"N": "2"}, "must": {"S": "x"}, "qty": {"S": "many"}}'::item]);
SELECT request('BatchWriteItem', '{"RequestItems": {"ord": [{"PutRequest": {"Item": {"pk": {"S": "O#2"}, "sk": {"S": "O"}, "must": {"S": "x"}, "qty": {"S": "many"}}}}]}}');
SELECT transact_write_items('[{"Put": {"TableName": "ord", "Item": {"id": {"N": "2"}, "must": {"S": "x"}, "qty": {"S": "many"}}}}]');
SELECT request('PutItem', '{"TableName": "ord", "Item": {"id": {"N": "2"}, "must": {"S": "x"}, "qty": {"S": "many"}}}');
SELECT request('ExecuteStatement', '{"Statement": "INSERT INTO ord VALUE {''pk'': ''O#2'', ''sk'': ''O'', ''id'': 2, ''must'': ''x'', ''qty'': ''many''}"}');
SELECT request('ExecuteStatement', '{"Statement": "UPDATE ord SET qty = ''many'' WHERE pk = ''O#1'' AND sk = ''O''"}');
\set VERBOSITY default
-- an item of which another attribute changes stays as it is
SET session_replication_role = replica;
UPDATE ord SET item = set_attribute(item, 'qty', to_value('many'::text)) WHERE pk = 'O#1';
RESET session_replication_role;
SELECT update_item('ord', '{"pk": "O#1", "sk": "O"}'::jsonb, 'SET extra = :f', expression_attribute_values => '{":f": 2}'::jsonb, return_values => 'UPDATED_NEW');
SELECT * FROM check_entity('ord');
UPDATE typed SET qty = 3 WHERE id = 1 RETURNING id, qty;
-- the model keeps the option; names of types do not depend on the path of the writer
SELECT e -> 'check_types' AS check_types, e #> '{attributes,p}' AS p FROM json_array_elements(export_model('ord') #> '{tables,0,entities}') e;
SET search_path = dynamo;
SELECT put_item('t_types.ord', '{"id": 4, "must": "x", "p": -4}'::jsonb);
CREATE DOMAIN pg_temp.positive AS text;
SET search_path = pg_temp, dynamo;
SELECT put_item('t_types.ord', '{"id": 4, "must": "x", "p": -4}'::jsonb);
SET search_path = t_types, dynamo;
DROP DOMAIN pg_temp.positive;
ALTER DOMAIN positive RENAME TO above_zero;
SELECT put_item('ord', '{"id": 4, "must": "x", "p": 4}'::jsonb);
ALTER DOMAIN above_zero RENAME TO positive;
SELECT put_item('ord', '{"id": 4, "must": "x", "p": 4}'::jsonb);
ALTER DOMAIN positive ADD CHECK (VALUE < 9);
SELECT put_item('ord', '{"id": 4, "must": "x", "p": 44}'::jsonb);

-- casts run as the caller, and errors tell a role no more than it may read
CREATE ROLE regress_types_owner;
CREATE ROLE regress_types_reader;
GRANT USAGE, CREATE ON SCHEMA t_types TO regress_types_owner;
GRANT USAGE ON SCHEMA t_types TO regress_types_reader;
SET ROLE regress_types_owner;
CREATE FUNCTION tell(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'checked by %', current_user; RETURN $1 <> 'bad'; END $$;
CREATE DOMAIN told AS text CHECK (tell(VALUE));
SELECT create_table('own', 'pk');
SELECT create_entity('own', 'o', '{"pk": "O#{id}"}', '{"id": "int", "told": "told", "n": "int", "secret": "int"}', view_name => 'owns');
SELECT put_item('own', '{"id": 1, "told": "bad", "n": "top secret", "secret": "hidden"}'::jsonb);
GRANT SELECT ON owns TO regress_types_reader;
SET ROLE regress_types_reader;
SELECT n FROM owns;
SET ROLE regress_types_owner;
ALTER VIEW owns SET (security_invoker = false);
SET ROLE regress_types_reader;
SELECT n FROM owns;
SELECT told FROM owns;
SET ROLE regress_types_owner;
REVOKE ALL ON owns FROM regress_types_reader;
GRANT SELECT (id, n), UPDATE (n), DELETE ON owns TO regress_types_reader;
CREATE VIEW by_secret AS SELECT id FROM owns WHERE secret > 1;
GRANT SELECT ON by_secret TO regress_types_reader;
SET ROLE regress_types_reader;
SELECT n FROM owns;
SELECT * FROM by_secret;
UPDATE owns SET n = n + 1 WHERE id = 1;
UPDATE owns SET n = 2 WHERE id = 1 RETURNING n;
SELECT n FROM owns;
DELETE FROM owns WHERE id = 1;
SET ROLE regress_types_owner;
SELECT put_item('own', '{"id": 1, "told": "bad", "n": "top secret"}'::jsonb);
GRANT SELECT ON own TO regress_types_reader;
SET ROLE regress_types_reader;
SELECT n FROM owns;
SELECT type_problems('own'::regclass, '{"pk": "O#1", "told": "bad"}'::jsonb, NULL);
SELECT * FROM check_entity('own');
RESET ROLE;
SELECT * FROM check_entity('own');
SET client_min_messages = warning;
DROP SCHEMA t_types CASCADE;
DROP ROLE regress_types_owner, regress_types_reader;
