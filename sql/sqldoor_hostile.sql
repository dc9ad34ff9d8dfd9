-- what stands first in search_path must not come into the extension's own
-- statements: shadowed functions, operators, types and tables
CREATE SCHEMA t_hostile;
CREATE SCHEMA t_trap;
SET search_path = t_trap;
\set SHOW_CONTEXT never

CREATE FUNCTION sprung() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'trap sprung'; END $$;

-- operators of the types the extension's SQL uses, better placed than pg_catalog's
CREATE FUNCTION trap(pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION trap(pg_catalog.numeric, pg_catalog.numeric) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION trap(pg_catalog.bytea, pg_catalog.bytea) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION trap(pg_catalog.oid, pg_catalog.oid) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION trap(pg_catalog.name, pg_catalog.name) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION trap(dynamo.item, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION trap(dynamo.value, dynamo.value) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
DO $$
DECLARE o text; t text;
BEGIN
	FOREACH o IN ARRAY '{=,<>,<,<=,>,>=}'::text[] LOOP
		FOREACH t IN ARRAY '{text,numeric,bytea,oid,name}'::text[] LOOP
			EXECUTE format('CREATE OPERATOR %s (LEFTARG = pg_catalog.%I, RIGHTARG = pg_catalog.%I, FUNCTION = trap)', o, t, t);
		END LOOP;
		EXECUTE format('CREATE OPERATOR %s (LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = trap)', o);
	END LOOP;
	EXECUTE 'CREATE OPERATOR -> (LEFTARG = dynamo.item, RIGHTARG = pg_catalog.text, FUNCTION = trap)';
	EXECUTE 'CREATE OPERATOR ->> (LEFTARG = dynamo.item, RIGHTARG = pg_catalog.text, FUNCTION = trap)';
	EXECUTE 'CREATE OPERATOR ? (LEFTARG = dynamo.item, RIGHTARG = pg_catalog.text, FUNCTION = trap)';
END $$;
-- functions, types and catalogs of the same names
CREATE FUNCTION begins_with(pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION matches(dynamo.item, pg_catalog.text, dynamo.item, pg_catalog.jsonb) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION render_key(dynamo.item, pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT t_trap.sprung()::pg_catalog.text';
CREATE FUNCTION prefix_upper(pg_catalog.text) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT t_trap.sprung()::pg_catalog.text';
CREATE FUNCTION format(pg_catalog.text, VARIADIC "any") RETURNS pg_catalog.text LANGUAGE internal AS 'text_format';
CREATE FUNCTION json_each(pg_catalog.json) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE TYPE text AS (sprung boolean);
CREATE TYPE "numeric" AS (sprung boolean);
CREATE TYPE bytea AS (sprung boolean);
CREATE TYPE item AS (sprung boolean);
CREATE TYPE value AS (sprung boolean);
CREATE VIEW pg_class AS SELECT sprung();
CREATE VIEW pg_trigger AS SELECT sprung();
CREATE VIEW pg_depend AS SELECT sprung();
CREATE VIEW pg_namespace AS SELECT sprung();
-- and beside the extension's own, nearer to literals without a type
CREATE FUNCTION dynamo.render_key(dynamo.item, pg_catalog.varchar) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT t_trap.sprung()::pg_catalog.text';
CREATE FUNCTION dynamo.begins_with(pg_catalog.text, pg_catalog.varchar) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';
CREATE FUNCTION dynamo.matches(dynamo.item, pg_catalog.text, pg_catalog.text, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT t_trap.sprung()';

SET search_path = t_hostile, t_trap, pg_catalog;
SELECT 1 = 1 AS untrapped, 'a'::pg_catalog.text = 'b'::pg_catalog.text AS trapped;

SELECT dynamo.create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "inline", "partition_key": "G", "sort_key": "SK"},
	{"index_name": "stored", "partition_key": "N", "partition_key_type": "N", "storage": "table"},
	{"index_name": "sharded", "partition_key": "B", "partition_key_type": "B", "shards": 2}]');
SELECT dynamo.create_entity_view('orders', 'shop', '{"order_id": "int", "tags": "pg_catalog.text[]", "photo": "pg_catalog.bytea"}',
	keys => '{"SK": "ORDER#{order_id}"}', key_prefix => '{"PK": "C#"}', attributes => '{"T": {"S": "order"}}',
	condition_expression => 'attribute_exists(order_id)');
SELECT dynamo.add_unique_constraint('shop', 'email', '{email}', key_prefix => '{"PK": "C#"}', condition_expression => 'attribute_exists(email)');
SELECT dynamo.add_unique_constraint('shop', 'phone', '{phone}', is_deferrable => true);
SELECT dynamo.add_reference('shop', 'customer', '{"PK": "{PK}", "SK": "METADATA"}', key_prefix => '{"SK": "ORDER#"}', condition_expression => 'attribute_exists(order_id)');
SELECT dynamo.add_reference('shop', 'parent', '{"PK": "C#{parent}", "SK": "METADATA"}', on_delete => 'CASCADE');

SELECT dynamo.put_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}, "email": {"S": "e"}, "phone": {"S": "p"}, "G": {"S": "g"}, "N": {"N": "1"}, "B": {"B": "AA=="}}');
INSERT INTO orders ("PK", order_id, tags, photo) VALUES ('C#1', 7, '{a}', '\x00') RETURNING *;
UPDATE orders SET tags = '{b}', order_id = 8 RETURNING *;
SELECT dynamo.update_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}}', 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "ORDER#8"}}');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}}');
SET dynamo.direct_access = off;
SELECT dynamo.put_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}, "parent": {"S": "1"}, "G": {"S": "g"}, "N": {"N": "1"}, "B": {"B": "AA=="}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}}', 'PK');
SELECT dynamo.query('shop', 'PK = :p AND begins_with(SK, :s)', '{":p": {"S": "C#1"}, ":s": {"S": "ORDER"}}', projection_expression => 'SK');
SELECT dynamo.query('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inline', projection_expression => 'PK');
SELECT dynamo.query('shop', 'N = :n', '{":n": {"N": "1"}}', index_name => 'stored', projection_expression => 'PK');
SELECT count(*) FROM dynamo.query('shop', 'B = :b', '{":b": {"B": "AA=="}}', index_name => 'sharded');
SELECT count(*) FROM dynamo.scan('shop', segment => 0, total_segments => 1);
RESET dynamo.direct_access;
SELECT count(*) FROM dynamo.query('shop', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": {"S": "C#1"}, ":a": {"S": "A"}, ":b": {"S": "Z"}}');
SELECT count(*) FROM dynamo.query('shop', 'B = :b', '{":b": {"B": "AA=="}}', index_name => 'sharded', scan_index_forward => false);
SELECT i.n, (SELECT count(*) FROM dynamo.verify_index('shop', i.n::pg_catalog.text)) AS problems FROM (VALUES ('inline'), ('stored'), ('sharded')) i(n);
SELECT dynamo.reindex('shop', 'stored');
SELECT * FROM dynamo.import_lines('shop', ARRAY['{"Item": {"PK": {"S": "C#3"}, "SK": {"S": "METADATA"}}}']::pg_catalog.text[]);
SELECT dynamo.describe_table('shop') IS NOT NULL AS described;
SELECT dynamo.create_index('shop', 'late', 'x', storage => 'table');
SELECT dynamo.drop_index('shop', 'late');
ALTER TABLE shop RENAME TO store;
DELETE FROM orders;
SELECT dynamo.delete_item('store', '{"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}}');
SELECT dynamo.drop_constraint('store', 'customer');
SELECT dynamo.drop_table('store');


-- our trigger functions where they do not belong, with definitions of any kind
SET search_path = t_hostile, pg_catalog;
SELECT dynamo.create_table('shop', 'PK', 'SK');
CREATE TABLE plain (a int PRIMARY KEY, item dynamo.item);
CREATE VIEW no_table AS SELECT 1 AS a;
CREATE VIEW of_values AS SELECT * FROM (VALUES (1)) v(a);
CREATE VIEW of_plain AS SELECT a FROM plain;
CREATE VIEW of_shop AS SELECT 1 AS a, "PK" FROM shop;
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT v, d, try(format('CREATE OR REPLACE TRIGGER t INSTEAD OF INSERT ON %s FOR EACH ROW EXECUTE FUNCTION dynamo.entity_view_write(%L)', v, d)) AS create,
	try(format('INSERT INTO %s (a) VALUES (1)', v)) AS insert
FROM (VALUES ('no_table'), ('of_values'), ('of_plain'), ('of_shop')) v(v),
	(VALUES ('{}'), ('x'), ('{"columns": {"L": [{"S": "a"}, {"M": {"column": {"N": "1"}, "attribute": {"S": "a"}}}]}, "keys": {"M": {"PK": {"N": "1"}}}}'),
		('{"columns": {"L": [{"M": {"column": {"S": "a"}, "attribute": {"S": "PK"}}}]}, "prefix": {"M": {"PK": {"L": []}}}, "condition": {"S": "("}}')) d(d)
ORDER BY v, d COLLATE "C";
SELECT r, d, try(format('CREATE CONSTRAINT TRIGGER t AFTER INSERT ON shop FROM %s FOR EACH ROW EXECUTE FUNCTION dynamo.check_reference(%L)', r, d)) AS create,
	try($i$INSERT INTO shop (item) VALUES ('{"PK": {"S": "a"}, "SK": {"S": "b"}}')$i$) AS insert,
	try('DROP TRIGGER IF EXISTS t ON shop') AS drop
FROM (VALUES ('shop'), ('plain')) r(r),
	(VALUES ('{}'), ('x'), ('{"name": {"S": "n"}, "keys": {"M": {}}}'), ('{"name": {"S": "n"}, "keys": {"M": {"PK": {"NS": ["1"]}, "SK": {"S": "{"}}}}')) d(d)
ORDER BY r, d COLLATE "C";
-- definitions that nobody could read, and that everybody's DROP TABLE would read
CREATE TABLE parts (a int) PARTITION BY LIST (a);
CREATE TABLE part PARTITION OF parts FOR VALUES IN (1);
CREATE TRIGGER t BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION dynamo.derive_keys('x');
CREATE TRIGGER t BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION dynamo.guard_stream('x');
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo.guard_stream('{}', '{}');
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo.guard_stream();
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo.guard_stream('{"table": "a", "label": "infinity", "view": "b", "partition": "c"}');
ALTER TABLE parts DETACH PARTITION part;
DROP TABLE part, parts;
-- definitions that name what is another's: it can be dropped all the same
CREATE ROLE t_hostile_a;
CREATE ROLE t_hostile_b;
GRANT ALL ON SCHEMA t_hostile TO t_hostile_a, t_hostile_b;
SET ROLE t_hostile_a;
CREATE TABLE of_a (a int PRIMARY KEY);
CREATE TABLE of_a_2 (a int);
CREATE INDEX index_of_a ON of_a_2 (a);
SET ROLE t_hostile_b;
CREATE TABLE of_b ("PK" text COLLATE "C" PRIMARY KEY, g text COLLATE "C", item dynamo.item NOT NULL);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON of_b FOR EACH ROW EXECUTE FUNCTION dynamo.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "g", "type": "S", "column": "g"}], "partition": ["PK"], "sort": [],
	"indexes": [{"name": "one", "local": false, "partition": ["g"], "sort": [], "projection": "ALL", "non_key_attributes": [],
		"storage": "table", "shards": 0, "shard_by": null, "relation": "of_a", "status": "ACTIVE"},
		{"name": "two", "local": false, "partition": ["g"], "sort": [], "projection": "ALL", "non_key_attributes": [],
		"storage": "inline", "shards": 0, "shard_by": null, "relation": "index_of_a", "status": "ACTIVE"}]}');
CREATE TRIGGER c AFTER INSERT ON of_b FOR EACH ROW EXECUTE FUNCTION dynamo.capture_changes('of_a_2', 'KEYS_ONLY', '2026-11-21T11:20:47.123');
SET ROLE t_hostile_a;
DROP INDEX index_of_a;
DROP TABLE of_a, of_a_2;
RESET ROLE;
DROP TABLE of_b;
-- the owner of the schema drops tables of others whole
CREATE SCHEMA t_hostile_a AUTHORIZATION t_hostile_a;
GRANT ALL ON SCHEMA t_hostile_a TO t_hostile_b;
SET search_path = t_hostile_a;
SET ROLE t_hostile_b;
SELECT dynamo.create_table('tab', 'PK', indexes => '[{"index_name": "GSI", "partition_key": "g", "storage": "table"}]');
SELECT dynamo.enable_stream('tab') IS NOT NULL AS enabled;
SET ROLE t_hostile_a;
DROP TABLE "tab$GSI";
DROP TABLE "tab$stream";
DROP TABLE tab, "tab$GSI";
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_hostile_a CASCADE;
RESET client_min_messages;
SET search_path = t_hostile, pg_catalog;
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo.check_reference('{}');
INSERT INTO plain VALUES (1, '{}');
SELECT dynamo.check_reference();
SELECT dynamo.entity_view_write();

SET search_path = pg_catalog;
SET client_min_messages = warning;
DROP SCHEMA t_trap CASCADE;
DROP SCHEMA t_hostile CASCADE;
DROP ROLE t_hostile_a, t_hostile_b;
DROP FUNCTION dynamo.render_key(dynamo.item, varchar), dynamo.begins_with(text, varchar), dynamo.matches(dynamo.item, text, text, text);
