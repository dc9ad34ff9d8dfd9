-- the extension's trigger functions on unsuitable objects, with all kinds of definitions
CREATE SCHEMA t_hostile;
\set SHOW_CONTEXT never
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
SELECT v, d, try(format('CREATE OR REPLACE TRIGGER t INSTEAD OF INSERT ON %s FOR EACH ROW EXECUTE FUNCTION dynamo_system.entity_view_write(%L)', v, d)) AS create,
	try(format('INSERT INTO %s (a) VALUES (1)', v)) AS insert
FROM (VALUES ('no_table'), ('of_values'), ('of_plain'), ('of_shop')) v(v),
	(VALUES ('{}'), ('x'), ('{"columns": {"L": [{"S": "a"}, {"M": {"column": {"N": "1"}, "attribute": {"S": "a"}}}]}}'),
		('{"columns": {"L": [{"M": {"column": {"S": "a"}, "attribute": {"S": "PK"}}}]}, "entity": {"L": []}}'),
		('{"columns": {"L": [{"M": {"column": {"S": "a"}, "attribute": {"S": "PK"}}}]}, "entity": {"S": "none"}}')) d(d)
ORDER BY v, d COLLATE "C";
SELECT r, d, try(format('CREATE CONSTRAINT TRIGGER t AFTER INSERT ON shop FROM %s FOR EACH ROW EXECUTE FUNCTION dynamo_system.check_reference(%L)', r, d)) AS create,
	try($i$INSERT INTO shop (item) VALUES ('{"PK": {"S": "a"}, "SK": {"S": "b"}}')$i$) AS insert,
	try('DROP TRIGGER IF EXISTS t ON shop') AS drop
FROM (VALUES ('shop'), ('plain')) r(r),
	(VALUES ('{}'), ('x'), ('{"name": {"S": "n"}, "keys": {"M": {}}}'), ('{"name": {"S": "n"}, "keys": {"M": {"PK": {"S": "{PK}"}, "SK": {"S": "{"}}}}'), ('{"name": {"S": "n"}, "keys": {"M": {"PK": {"NS": ["1"]}, "SK": {"S": "{"}}}}')) d(d)
ORDER BY r, d COLLATE "C";
-- definitions that cannot be read, but that every DROP TABLE might read
CREATE TABLE parts (a int) PARTITION BY LIST (a);
CREATE TABLE part PARTITION OF parts FOR VALUES IN (1);
CREATE TRIGGER t BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('x');
CREATE TRIGGER t BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('x');
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{}', '{}');
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream();
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{"table": "a", "label": "infinity", "view": "b", "partition": "c"}');
ALTER TABLE parts DETACH PARTITION part;
DROP TABLE part, parts;
-- definitions that name another user's object: it can still be dropped
CREATE ROLE t_hostile_a;
CREATE ROLE t_hostile_b;
GRANT ALL ON SCHEMA t_hostile TO t_hostile_a, t_hostile_b;
SET ROLE t_hostile_a;
CREATE TABLE of_a (a int PRIMARY KEY);
CREATE TABLE of_a_2 (a int);
CREATE INDEX index_of_a ON of_a_2 (a);
SET ROLE t_hostile_b;
CREATE TABLE of_b ("PK" text COLLATE "C" PRIMARY KEY, g text COLLATE "C", item dynamo.item NOT NULL);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON of_b FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "g", "type": "S", "column": "g"}], "partition": ["PK"], "sort": [],
	"indexes": [{"name": "one", "local": false, "partition": ["g"], "sort": [], "projection": "ALL", "non_key_attributes": [],
		"storage": "table", "shards": 0, "shard_by": null, "relation": "of_a", "status": "ACTIVE"},
		{"name": "two", "local": false, "partition": ["g"], "sort": [], "projection": "ALL", "non_key_attributes": [],
		"storage": "inline", "shards": 0, "shard_by": null, "relation": "index_of_a", "status": "ACTIVE"}]}');
CREATE TRIGGER c AFTER INSERT ON of_b FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('of_a_2', 'KEYS_ONLY', '2026-11-21T11:20:47.123');
SET ROLE t_hostile_a;
DROP INDEX index_of_a;
DROP TABLE of_a, of_a_2;
RESET ROLE;
DROP TABLE of_b;
-- the owner of the schema can drop tables of others completely
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
CREATE TRIGGER t BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo_system.check_reference('{}');
INSERT INTO plain VALUES (1, '{}');
SELECT dynamo_system.check_reference();
SELECT dynamo_system.entity_view_write();

SET search_path = pg_catalog;
SET client_min_messages = warning;
DROP SCHEMA t_hostile CASCADE;
DROP ROLE t_hostile_a, t_hostile_b;
