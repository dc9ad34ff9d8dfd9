-- Cached facts about index tables are dropped by every change.
\set VERBOSITY terse
CREATE SCHEMA t_known;
SET search_path = t_known, dynamo;
SET client_min_messages = warning;
CREATE ROLE regress_dynamo_known;
GRANT ALL ON SCHEMA t_known TO regress_dynamo_known;
SELECT create_table('tab', 'PK', indexes => jsonb_build_array(
	jsonb_build_object('index_name', 'own', 'partition_key', 'G', 'storage', 'table'),
	jsonb_build_object('index_name', 'cut', 'partition_key', 'H', 'shards', 2)));
CREATE FUNCTION put(pk text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM put_item('tab', jsonb_build_object('PK', pk, 'G', 'g' || pk, 'H', 'h' || pk));
	RETURN 'put';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT put('a');

-- Event triggers are disabled, so that they refuse none of the following statements.
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER EVENT TRIGGER dynamo_sql_drop DISABLE;

-- The guard is dropped and created again.
DROP TRIGGER "~dynamo_guard_truncate" ON "tab$own";
DROP TRIGGER "~dynamo_guard_index" ON "tab$own";
SELECT put('b');
CREATE TRIGGER "~dynamo_guard_index" BEFORE INSERT OR UPDATE OR DELETE ON "tab$own"
	FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index();
SELECT put('b');

-- The index table gets another owner.
ALTER TABLE "tab$own" OWNER TO regress_dynamo_known;
SELECT put('c');
ALTER TABLE "tab$own" OWNER TO CURRENT_USER;
SELECT put('c');

-- A change in a subtransaction that is rolled back.
BEGIN;
SAVEPOINT s;
ALTER TABLE "tab$own" OWNER TO regress_dynamo_known;
SELECT put('d');
ROLLBACK TO s;
SELECT put('d');
SAVEPOINT s;
DROP TABLE "tab$own";
SELECT put('e');
ROLLBACK TO s;
SELECT put('e');
COMMIT;

-- Another table takes the name.
ALTER TABLE "tab$own" RENAME TO kept;
CREATE TABLE "tab$own" (LIKE kept INCLUDING ALL);
SELECT put('f');
DROP TABLE "tab$own";
ALTER TABLE kept RENAME TO "tab$own";
SELECT put('f');

-- An index added by the owner contains later entries, too.
CREATE INDEX mine ON "tab$own" (upper("G"));
SELECT put('h');
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT "G" FROM "tab$own" WHERE upper("G") = 'GH';
SELECT "G" FROM "tab$own" WHERE upper("G") = 'GH';
DROP INDEX mine;
SELECT put('i');

-- A shard is detached and attached again.
ALTER TABLE "tab$cut" DETACH PARTITION "tab$cut$1";
SELECT put('j');
DROP TABLE "tab$cut$1";
SELECT reindex('tab', 'cut');
SELECT put('j');

-- A column is added, and remains as a dropped column.
ALTER TABLE "tab$own" ADD COLUMN more int;
SELECT put('k');
ALTER TABLE "tab$own" DROP COLUMN more;
SELECT put('k');
SELECT reindex('tab', 'own');
SELECT put('k');
SELECT problem, count(*) FROM verify_index('tab', 'own') GROUP BY 1;
SELECT problem, count(*) FROM verify_index('tab', 'cut') GROUP BY 1;
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE;
ALTER EVENT TRIGGER dynamo_sql_drop ENABLE;

-- For a partition, the owner of its root table counts.
CREATE TABLE part ("PK" text COLLATE "C" NOT NULL, item dynamo.item NOT NULL, PRIMARY KEY ("PK"))
	PARTITION BY HASH ("PK");
CREATE TABLE part0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON part FOR EACH ROW
	EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}],
 "partition": ["PK"], "sort": [], "indexes": []}');
SELECT create_index('part', 'own', 'G', storage => 'table');
CREATE FUNCTION put_parts(n int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO part ("PK", item) SELECT n || 'k' || i, jsonb_build_object('PK', n || 'k' || i, 'G', 'g')
	FROM generate_series(1, 8) i;
	RETURN 'put';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT put_parts(1), put_parts(2);
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE part OWNER TO regress_dynamo_known;
SELECT put_parts(3);
ALTER TABLE part OWNER TO CURRENT_USER;
SELECT put_parts(4);
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE;
SELECT problem, count(*) FROM verify_index('part', 'own') GROUP BY 1;
DROP SCHEMA t_known CASCADE;
DROP ROLE regress_dynamo_known;
