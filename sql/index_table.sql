-- Index tables: maintained exactly by every way of writing
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_table CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_table;
SET search_path = t_index_table;

SELECT dynamo.create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "every", "partition_key": "G", "sort_key": "n", "sort_key_type": "N", "storage": "table"},
	{"index_name": "keys", "partition_key": "SK", "sort_key": "PK", "storage": "table", "projection": "KEYS_ONLY"},
	{"index_name": "some", "partition_key": "G", "storage": "table", "projection": "INCLUDE",
	 "non_key_attributes": ["v", "absent"]}]');
\d "shop$every"
CREATE VIEW entries AS
SELECT 'every' AS index, "G" || ' ' || n || ' ' || "PK" || ' ' || "SK" AS key, item::text FROM "shop$every"
UNION ALL SELECT 'keys', "SK" || ' ' || "PK", item::text FROM "shop$keys"
UNION ALL SELECT 'some', "G" || ' ' || "PK" || ' ' || "SK", item::text FROM "shop$some"
ORDER BY 1, 2;

INSERT INTO shop (item) VALUES
	('{"PK": {"S": "a"}, "SK": {"S": "1"}, "G": {"S": "g"}, "n": {"N": "1.50"}, "v": {"S": "x"}, "w": {"S": "y"}}'),
	('{"PK": {"S": "a"}, "SK": {"S": "2"}, "G": {"S": "g"}}'),
	('{"PK": {"S": "a"}, "SK": {"S": "3"}, "n": {"N": "3"}}');
TABLE entries;
-- an update that changes nothing in an entry writes no row of an index table
CREATE TABLE before AS SELECT 'every' AS index, ctid AS tid, xmin::text AS x FROM "shop$every"
UNION ALL SELECT 'keys', ctid, xmin::text FROM "shop$keys" UNION ALL SELECT 'some', ctid, xmin::text FROM "shop$some";
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "2"}, "G": {"S": "g"}, "w": {"S": "z"}}' WHERE "SK" = '2';
UPDATE shop SET item = item;
SELECT index, count(*) FROM (TABLE before EXCEPT (SELECT 'every', ctid, xmin::text FROM "shop$every"
UNION ALL SELECT 'keys', ctid, xmin::text FROM "shop$keys" UNION ALL SELECT 'some', ctid, xmin::text FROM "shop$some")) d GROUP BY 1;
-- an attribute appears, changes and disappears
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "2"}, "G": {"S": "g"}, "n": {"N": "2"}}' WHERE "SK" = '2';
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "1"}, "G": {"S": "h"}, "n": {"N": "10"}, "v": {"S": "x2"}}' WHERE "SK" = '1';
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "3"}}' WHERE "SK" = '3';
TABLE entries;
-- the table's own key changes
UPDATE shop SET item = '{"PK": {"S": "b"}, "SK": {"S": "1"}, "G": {"S": "h"}, "n": {"N": "10"}}' WHERE "SK" = '1';
TABLE entries;
-- all other ways of writing
INSERT INTO shop (item) VALUES ('{"PK": {"S": "b"}, "SK": {"S": "1"}, "G": {"S": "i"}}')
ON CONFLICT ("PK", "SK") DO UPDATE SET item = excluded.item;
MERGE INTO shop USING (VALUES ('2'), ('9')) AS s (k) ON "SK" = k
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT (item) VALUES ('{"PK": {"S": "m"}, "SK": {"S": "9"}, "G": {"S": "m"}}');
COPY shop (item) FROM stdin;
{"PK": {"S": "c"}, "SK": {"S": "1"}, "G": {"S": "c"}}
{"PK": {"S": "c"}, "SK": {"S": "2"}}
\.
DELETE FROM shop WHERE "PK" = 'c' AND "SK" = '2';
TABLE entries;
-- several writes of one item in one transaction, a savepoint rolled back
BEGIN;
UPDATE shop SET item = '{"PK": {"S": "c"}, "SK": {"S": "1"}, "G": {"S": "c2"}}' WHERE "PK" = 'c';
SAVEPOINT s;
UPDATE shop SET item = '{"PK": {"S": "c"}, "SK": {"S": "1"}, "G": {"S": "c3"}}' WHERE "PK" = 'c';
DELETE FROM shop WHERE "PK" = 'c';
INSERT INTO shop (item) VALUES ('{"PK": {"S": "c"}, "SK": {"S": "1"}, "G": {"S": "c4"}}');
SELECT * FROM entries WHERE key LIKE 'c%';
ROLLBACK TO s;
UPDATE shop SET item = '{"PK": {"S": "c"}, "SK": {"S": "1"}, "G": {"S": "c5"}}' WHERE "PK" = 'c';
COMMIT;
SELECT * FROM entries WHERE key LIKE 'c%';
-- a refused write changes nothing
UPDATE shop SET item = '{"PK": {"S": "c"}, "SK": {"S": "1"}, "G": {"N": "1"}}' WHERE "PK" = 'c';
SELECT * FROM entries WHERE key LIKE 'c%';
-- other writes than those of the maintenance are skipped
INSERT INTO "shop$some" SELECT 'x', "PK", "SK", item FROM "shop$some";
UPDATE "shop$some" SET "G" = 'x';
DELETE FROM "shop$every";
COPY "shop$keys" FROM stdin;
k	p	{"PK": {"S": "p"}, "SK": {"S": "k"}}
\.
TRUNCATE "shop$some";
SET session_replication_role = replica;
DELETE FROM "shop$some";
INSERT INTO shop (item) VALUES ('{"PK": {"S": "r"}, "SK": {"S": "1"}, "G": {"S": "r"}}');
RESET session_replication_role;
TABLE entries;
TRUNCATE shop;
SELECT count(*) FROM entries;

-- a moved entry replaces a damaged one that has its new key already; also where the owner has added an index
INSERT INTO shop (item) VALUES ('{"PK": {"S": "x"}, "SK": {"S": "1"}, "G": {"S": "x1"}}');
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE "shop$some" DISABLE TRIGGER "~dynamo_guard_index";
INSERT INTO "shop$some" ("G", "PK", "SK", item) VALUES ('x2', 'x', '1', '{"damaged": {"S": "2"}}'), ('x3', 'x', '1', '{"damaged": {"S": "3"}}');
ALTER TABLE "shop$some" ENABLE ALWAYS TRIGGER "~dynamo_guard_index";
SELECT dynamo.put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "G": {"S": "x2"}}');
SELECT "G", item FROM "shop$some" WHERE "PK" = 'x' ORDER BY "G";
CREATE INDEX own ON "shop$some" (("G" || "PK"));
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
SELECT dynamo.put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "G": {"S": "x3"}}');
SELECT "G", item FROM "shop$some" WHERE "PK" = 'x' ORDER BY "G";
SELECT problem, key FROM dynamo.verify_index('shop', 'some');
-- another trigger after the write fires beside the one that maintains entries
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '%: % entries', TG_OP, (SELECT count(*) FROM "shop$some" WHERE "PK" = 'x');
	RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON shop FOR EACH ROW EXECUTE FUNCTION tell();
SELECT dynamo.put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "2"}, "G": {"S": "x"}}');
SELECT dynamo.put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "2"}, "G": {"S": "y"}}');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "2"}}');
DROP TRIGGER tell ON shop;
CREATE TRIGGER tell AFTER UPDATE ON shop FOR EACH STATEMENT EXECUTE FUNCTION tell();
SELECT dynamo.put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "G": {"S": "x4"}}');
DROP TRIGGER tell ON shop;
SELECT dynamo.delete_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}}');
TABLE entries;
-- entries are written as the owner, whoever writes the table
CREATE ROLE t_index_table_writer;
GRANT USAGE ON SCHEMA t_index_table TO t_index_table_writer;
GRANT INSERT, UPDATE, DELETE, SELECT, TRUNCATE ON shop TO t_index_table_writer;
SET ROLE t_index_table_writer;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "w"}, "SK": {"S": "1"}, "G": {"S": "w"}}');
SELECT * FROM "shop$some";
RESET ROLE;
SELECT count(*) FROM entries;
SET ROLE t_index_table_writer;
TRUNCATE shop;
RESET ROLE;
SELECT count(*) FROM entries;

-- an index on a table that has items
INSERT INTO shop (item) SELECT format('{"PK": {"S": "p%s"}, "SK": {"S": "1"}, "late": {"N": "%s"}}', i, i % 7)::dynamo.item
FROM generate_series(1, 500) i;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "bad"}, "SK": {"S": "1"}, "late": {"S": "x"}}');
SELECT dynamo.create_index('shop', 'late', 'late', 'PK', 'N', storage => 'table', projection => 'KEYS_ONLY');
SELECT count(*), count(DISTINCT late), min(item::text) FROM "shop$late";
SELECT dynamo.drop_index('shop', 'late');
SELECT to_regclass('"shop$late"');
DROP VIEW entries;
SELECT dynamo.drop_index('shop', 'every'), dynamo.drop_index('shop', 'keys'), dynamo.drop_index('shop', 'some');
SELECT tgname FROM pg_trigger WHERE tgrelid = 'shop'::regclass;

SET client_min_messages = warning;
DROP SCHEMA t_index_table CASCADE;
DROP ROLE t_index_table_writer;
