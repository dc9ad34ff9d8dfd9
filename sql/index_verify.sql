-- dynamo.verify_index finds all differences, dynamo.reindex repairs them
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_verify CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_verify;
SET search_path = t_verify;
SELECT dynamo.create_table('tab', 'PK', 'SK', indexes => '[
	{"index_name": "inl", "partition_key": "G", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "own", "partition_key": "G", "storage": "table", "projection": "INCLUDE", "non_key_attributes": ["v"]},
	{"index_name": "spread", "partition_key": "G", "sort_key": "n", "sort_key_type": "N", "shards": 3, "projection": "KEYS_ONLY"}]');
CREATE VIEW problems AS
SELECT i.index_name, v.* FROM dynamo.indexes i, LATERAL dynamo.verify_index('tab', i.index_name) v
WHERE i.schema_name = 't_verify' ORDER BY index_name COLLATE "C", problem, key, detail;
CREATE PROCEDURE repair() LANGUAGE sql BEGIN ATOMIC
	SELECT dynamo.reindex('tab', index_name) FROM dynamo.indexes WHERE schema_name = 't_verify';
END;
INSERT INTO tab (item)
SELECT format('{"PK": {"S": "p%s"}, "SK": {"S": "s"}, "G": {"S": "g%s"}, "n": {"N": "%s"}, "v": {"N": "%s"}}', i, i % 3, i, i)::dynamo.item
FROM generate_series(1, 9) i;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "sparse"}, "SK": {"S": "s"}, "n": {"N": "1"}}');
TABLE problems;

-- rows changed without the extension's triggers: stale columns and entries
-- (event triggers would prevent this)
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE tab DISABLE TRIGGER "~dynamo_derive_keys";
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
UPDATE tab SET item = '{"PK": {"S": "p1"}, "SK": {"S": "s"}, "G": {"S": "new"}, "n": {"N": "1"}, "v": {"N": "99"}}' WHERE "PK" = 'p1';
UPDATE tab SET "G" = 'wrong' WHERE "PK" = 'p2';
UPDATE tab SET item = '{"PK": {"S": "p3"}, "SK": {"S": "s"}}' WHERE "PK" = 'p3';
TABLE problems;
CALL repair();
TABLE problems;
SELECT "PK", "G", n FROM tab WHERE "PK" IN ('p1', 'p2', 'p3') ORDER BY 1;

-- index maintenance disabled: missing, surplus and stale entries
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE tab DISABLE TRIGGER "~dynamo_maintain_indexes";
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
DELETE FROM tab WHERE "PK" = 'p4';
UPDATE tab SET item = '{"PK": {"S": "p5"}, "SK": {"S": "s"}, "G": {"S": "moved"}, "n": {"N": "5"}}' WHERE "PK" = 'p5';
UPDATE tab SET item = '{"PK": {"S": "p6"}, "SK": {"S": "s"}, "G": {"S": "g0"}, "n": {"N": "6"}, "v": {"N": "66"}}' WHERE "PK" = 'p6';
INSERT INTO tab (item) VALUES ('{"PK": {"S": "p10"}, "SK": {"S": "s"}, "G": {"S": "g"}, "n": {"N": "10"}}');
TABLE problems;
CALL repair();
TABLE problems;

-- damaged entries
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE "tab$own" DISABLE TRIGGER "~dynamo_guard_index";
DELETE FROM "tab$own" WHERE "PK" = 'p7';
UPDATE "tab$own" SET "G" = 'elsewhere' WHERE "PK" = 'p8';
UPDATE "tab$own" SET item = '{"PK": {"S": "p9"}, "SK": {"S": "s"}, "G": {"S": "g0"}, "v": {"N": "-9"}}' WHERE "PK" = 'p9';
SELECT format('ALTER TABLE %s DISABLE TRIGGER "~dynamo_guard_index"', inhrelid::regclass) FROM pg_inherits WHERE inhparent = '"tab$spread"'::regclass \gexec
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
UPDATE "tab$spread" SET dynamo_shard = (dynamo_shard + 1) % 3 WHERE "PK" = 'p7';
TABLE problems;
SELECT dynamo.reindex('tab', 'own');
SELECT index_name, problem, key FROM problems;
SELECT dynamo.reindex('tab', 'spread');
TABLE problems;
SELECT * FROM dynamo.verify_index('tab', 'none');
SELECT dynamo.reindex('tab', 'none');

-- btrees: entries missing because catalogs were changed directly
UPDATE pg_index SET indisready = false, indislive = true WHERE indexrelid = '"tab$inl"'::regclass;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "p11"}, "SK": {"S": "s"}, "G": {"S": "g"}, "n": {"N": "11"}}');
UPDATE pg_index SET indisready = true WHERE indexrelid = '"tab$inl"'::regclass;
TABLE problems;
SELECT dynamo.reindex('tab', 'inl');
TABLE problems;
-- a dropped index
UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"tab$inl"'::regclass;
TABLE problems;
CALL repair();
TABLE problems;
SET session_replication_role = replica;
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_sql_drop DISABLE;
DROP INDEX "tab$inl";
DROP TABLE "tab$own";
ALTER EVENT TRIGGER dynamo_sql_drop ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
RESET session_replication_role;
TABLE problems;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "p12"}, "SK": {"S": "s"}, "G": {"S": "g"}, "n": {"N": "12"}}');
CALL repair();
TABLE problems;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "p12"}, "SK": {"S": "s"}, "G": {"S": "g"}, "n": {"N": "12"}}');
TABLE problems;

-- triggers that are missing, fire too early, or do not always fire
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
DROP TRIGGER "~dynamo_truncate_indexes" ON tab;
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER "~~~" BEFORE INSERT ON tab FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT index_name, problem, detail FROM problems;
DROP TRIGGER "~~~" ON tab;
CALL repair();
TABLE problems;

-- items older than their index
SET client_min_messages = warning;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "bad"}, "SK": {"S": "s"}, "late": {"N": "1"}}');
SELECT dynamo.create_index('tab', 'late', 'late');
TABLE problems;
CALL repair();
TABLE problems;

-- only the owner may call the functions
CREATE ROLE t_verify_other;
GRANT USAGE ON SCHEMA t_verify TO t_verify_other;
GRANT SELECT ON tab TO t_verify_other;
SET ROLE t_verify_other;
SELECT * FROM dynamo.verify_index('tab', 'inl');
SELECT dynamo.reindex('tab', 'inl');
RESET ROLE;

-- the number of shards for a workload: 3 million orders, a fifth of them open, 250 bytes each
SELECT dynamo.recommend_shards(600000, 250), dynamo.recommend_shards(3000000, 250, 0.2),
	dynamo.recommend_shards(3000000, 250, fraction => 0.2, padding => 0.2),
	dynamo.recommend_shards(48000, 250), dynamo.recommend_shards(48001, 250),
	dynamo.recommend_shards(3000, 8192), dynamo.recommend_shards(0, 1);
SELECT dynamo.recommend_shards(1, 0);
SELECT dynamo.recommend_shards(1, 1, 'NaN');

DROP SCHEMA t_verify CASCADE;
DROP ROLE t_verify_other;
