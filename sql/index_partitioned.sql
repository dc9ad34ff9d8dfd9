-- A table that its owner has partitioned
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_part CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_part;
SET search_path = t_part;
CREATE TABLE part ("PK" text COLLATE "C" NOT NULL, item dynamo.item NOT NULL, PRIMARY KEY ("PK"))
PARTITION BY HASH ("PK");
CREATE TABLE part0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
-- a partition with its columns in another order
CREATE TABLE part1 (item dynamo.item NOT NULL, gone int, "PK" text COLLATE "C" NOT NULL);
ALTER TABLE part1 DROP COLUMN gone;
ALTER TABLE part ATTACH PARTITION part1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON part FOR EACH ROW
EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}],
 "partition": ["PK"], "sort": [], "indexes": []}');
SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'part%' ORDER BY 1;

-- rows are routed by the key column, so it must be set
INSERT INTO part ("PK", item) SELECT 'a' || i, jsonb_build_object('PK', 'a' || i, 'G', 'g' || i % 3) FROM generate_series(1, 20) i;
INSERT INTO part ("PK", item) VALUES ('a1', jsonb_build_object('PK', 'a2'));
SELECT count(*) > 0 FROM part0;
SELECT count(*) > 0 FROM part1;
SELECT dynamo.get_item('part', '{"PK": {"S": "a3"}}');

SELECT dynamo.create_index('part', 'inl', 'G');
SELECT dynamo.create_index('part', 'own', 'G', storage => 'table');
SELECT dynamo.create_index('part', 'spread', 'G', shards => 2, projection => 'KEYS_ONLY');
CREATE VIEW problems AS
SELECT i.index_name, v.* FROM dynamo.indexes i, LATERAL dynamo.verify_index('part', i.index_name) v
WHERE i.schema_name = 't_part' ORDER BY index_name, problem, key, detail;
TABLE problems;
SELECT dynamo.put_item('part', '{"PK": {"S": "b1"}, "G": {"S": "new"}}');
SELECT dynamo.update_item('part', '{"PK": {"S": "a3"}}', 'SET G = :g', expression_attribute_values => '{":g": {"S": "new"}}');
SELECT dynamo.delete_item('part', '{"PK": {"S": "a4"}}');
SELECT dynamo.query('part', 'G = :g', '{":g": {"S": "new"}}', index_name => 'inl');
SELECT dynamo.query('part', 'G = :g', '{":g": {"S": "new"}}', index_name => 'own');
SELECT dynamo.query('part', 'G = :g', '{":g": {"S": "new"}}', index_name => 'spread');
TABLE problems;

-- index tables contain the entries of all partitions: partitions cannot be attached or removed
TRUNCATE part0;
ALTER TABLE part DETACH PARTITION part0;
DROP TABLE part0;
CREATE TABLE part2 (LIKE part);
ALTER TABLE part ATTACH PARTITION part2 FOR VALUES WITH (MODULUS 4, REMAINDER 3);
SET check_function_bodies = off;
ALTER TABLE part ATTACH PARTITION part2 FOR VALUES WITH (MODULUS 4, REMAINDER 3);
RESET check_function_bodies;
CREATE TABLE whole ("PK" text COLLATE "C" NOT NULL, item dynamo.item NOT NULL, PRIMARY KEY ("PK")) PARTITION BY LIST ("PK");
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON whole FOR EACH ROW
EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}],
 "partition": ["PK"], "sort": [], "indexes": []}');
SELECT dynamo.create_index('whole', 'own', 'G', storage => 'table');
-- a new partition gets all triggers
CREATE TABLE piece PARTITION OF whole FOR VALUES IN ('a', 'b') PARTITION BY LIST ("PK");
CREATE TABLE piece_a PARTITION OF piece FOR VALUES IN ('a');
SELECT dynamo.put_item('whole', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
TRUNCATE piece_a;
TRUNCATE piece;
DROP TABLE piece_a;
SELECT count(*) FROM dynamo.query('whole', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own');
TRUNCATE whole;
SELECT count(*) FROM "whole$own";
-- each partition has its own btrees; attached rows may differ from their items
SELECT dynamo.change_index('whole', 'own', storage => 'inline');
SELECT tgrelid::regclass, tgname FROM pg_trigger WHERE tgrelid IN ('whole'::regclass, 'piece'::regclass, 'piece_a'::regclass) ORDER BY 1, 2;
SELECT dynamo.put_item('whole', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
TRUNCATE piece_a;
CREATE TABLE piece_b (LIKE whole);
INSERT INTO piece_b ("PK", item) VALUES ('b', '{"PK": {"S": "b"}, "G": {"S": "g"}}');
ALTER TABLE piece ATTACH PARTITION piece_b FOR VALUES IN ('b');
SELECT problem, key FROM dynamo.verify_index('whole', 'own');
SELECT dynamo.reindex('whole', 'own');
SELECT count(*) FROM dynamo.query('whole', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own');
ALTER TABLE whole DETACH PARTITION piece;
DROP TABLE whole, piece, part2;

-- damage in each partition is found and repaired
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE part DISABLE TRIGGER USER;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
UPDATE part SET "G" = 'wrong' WHERE "PK" IN ('a1', 'a2');
DELETE FROM part WHERE "PK" = 'a5';
SELECT index_name, problem, key FROM problems WHERE problem NOT LIKE 'trigger%';
SELECT dynamo.reindex('part', 'inl'), dynamo.reindex('part', 'own'), dynamo.reindex('part', 'spread');
TABLE problems;
TRUNCATE part;
SELECT count(*) FROM "part$own";
SELECT dynamo.drop_table('part');
DROP VIEW problems;
SELECT dynamo.drop_table('part');
SELECT count(*) FROM pg_class WHERE relnamespace = 't_part'::regnamespace;

-- partitions in other schemas and of other owners use the index table and stream of their table
CREATE SCHEMA t_part_2;
CREATE ROLE t_part_other;
CREATE TABLE far ("PK" text COLLATE "C" NOT NULL, item dynamo.item NOT NULL, PRIMARY KEY ("PK")) PARTITION BY LIST ("PK");
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON far FOR EACH ROW
EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}],
 "partition": ["PK"], "sort": [], "indexes": []}');
CREATE TABLE t_part_2.far_a PARTITION OF far FOR VALUES IN ('a') PARTITION BY LIST ("PK");
CREATE TABLE t_part_2.far_aa PARTITION OF t_part_2.far_a FOR VALUES IN ('a');
ALTER TABLE t_part_2.far_aa OWNER TO t_part_other;
SELECT dynamo.put_item('far', '{"PK": {"S": "a"}, "G": {"S": "before"}}');
SELECT dynamo.create_index('far', 'own', 'G', storage => 'table');
SELECT dynamo.enable_stream('far') IS NOT NULL;
SELECT dynamo.put_item('far', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
UPDATE t_part_2.far_aa SET item = '{"PK": {"S": "a"}, "G": {"S": "h"}}';
SELECT dynamo.query('far', 'G = :g', '{":g": {"S": "h"}}', index_name => 'own');
SELECT count(*) FROM "far$own";
SELECT * FROM dynamo.verify_index('far', 'own');
SELECT dynamo.reindex('far', 'own');
TRUNCATE far;
SELECT count(*) FROM "far$own";
SELECT event_name, keys FROM dynamo.read_stream('far');
-- a parallel pg_restore creates triggers that write to other tables after the rows of all partitions, because of these dependencies
CREATE TABLE t_part_2.far_b PARTITION OF far FOR VALUES IN ('b');
CREATE VIEW waiting AS
SELECT t.tgname, d.refobjid::regclass AS partition FROM pg_depend d JOIN pg_trigger t ON t.oid = d.objid
WHERE d.classid = 'pg_trigger'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'n' AND t.tgrelid = 'far'::regclass;
SELECT * FROM waiting ORDER BY tgname COLLATE "C", partition;
-- a table keeps these triggers when partitions would be dropped with something else
SET client_min_messages = warning;
DROP SCHEMA t_part_2 CASCADE;
DROP OWNED BY t_part_other CASCADE;
SET check_function_bodies = off;
DROP OWNED BY t_part_other CASCADE;
RESET check_function_bodies;
RESET client_min_messages;
SELECT dynamo.create_index('far', 'more', 'H', storage => 'table');
SELECT count(*) FROM waiting;
SELECT dynamo.disable_stream('far');
SELECT dynamo.drop_index('far', 'own'), dynamo.drop_index('far', 'more');
SELECT * FROM waiting;
DROP VIEW waiting;
DROP OWNED BY t_part_other CASCADE;
SELECT dynamo.put_item('far', '{"PK": {"S": "b"}, "G": {"S": "g"}}');

SET client_min_messages = warning;
DROP SCHEMA t_part, t_part_2 CASCADE;
DROP ROLE t_part_other;
