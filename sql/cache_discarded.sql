-- catalog entries can disappear from PostgreSQL's caches at every lookup
SET client_min_messages = warning;
CREATE SCHEMA t_discard;
SET search_path = t_discard, dynamo;
\set VERBOSITY terse
SELECT dynamo.create_table('tab', 'PK', indexes => '[{"index_name": "own", "partition_key": "g", "storage": "table"}]');
SELECT dynamo.create_table('other', 'PK');
SELECT dynamo.enable_stream('tab') IS NOT NULL AS enabled;
CREATE INDEX added ON "tab$own" ("PK");
CREATE INDEX added_too ON "tab$stream" (created_at);
SELECT dynamo.add_reference('tab', 'to_other', '{"PK": "{o}"}', 'other');
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';

-- discards them at every lookup, if the server was built for tests
DO $$ BEGIN
	PERFORM set_config('debug_discard_caches', '1', false);
EXCEPTION WHEN OTHERS THEN
	NULL;
END $$;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a"}, "g": {"S": "x"}}');
SELECT dynamo.put_item('tab', '{"PK": {"S": "b"}, "g": {"S": "x"}}');
SELECT dynamo.query('tab', 'g = :g', '{":g": {"S": "x"}}', index_name => 'own', projection_expression => 'PK');
CREATE TRIGGER users AFTER INSERT ON tab FOR EACH ROW EXECUTE FUNCTION nothing();
ALTER TABLE tab DISABLE TRIGGER "~dynamo_derive_keys";
DROP TRIGGER "!dynamo_capture_changes" ON tab;
DROP TRIGGER to_other ON tab;
SELECT * FROM dynamo.verify_index('tab', 'own');
SELECT event_name, keys FROM dynamo.read_stream('tab');
RESET debug_discard_caches;

-- users' indexes on index tables and streams are maintained
SET enable_seqscan = off;
SELECT count(*) FROM "tab$own" WHERE "PK" IN ('a', 'b');
SELECT count(*) FROM "tab$stream" WHERE created_at > '2000-01-01';

-- definitions that errors leave in use are freed by the rollback
SELECT dynamo.create_entity('other', 'of_type', '{}', type_attribute => 'kind');
INSERT INTO other (item) VALUES ('{"PK": {"S": "stray"}, "kind": {"S": "x"}}');
BEGIN;
DO $$ BEGIN
	FOR i IN 1 .. 100 LOOP
		BEGIN
			ALTER TABLE other SET (fillfactor = 90);
			PERFORM dynamo.migrate_entity('other', 'of_type', type_value => 'x');
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT count(*) < 20 AS freed FROM pg_backend_memory_contexts WHERE name = 'dynamo table definition';
COMMIT;
SELECT count(*) < 20 AS freed FROM pg_backend_memory_contexts WHERE name = 'dynamo table definition';
-- a cursor keeps its definition when a subtransaction that has fetched from it is rolled back
SELECT dynamo.create_table('many', 'PK', 'SK');
INSERT INTO many (item) SELECT jsonb_build_object('PK', 'p', 'SK', 's' || i)::item FROM generate_series(1, 4) i;
BEGIN;
DECLARE items CURSOR FOR SELECT dynamo.query_each('many', 'PK = :p', ARRAY['{":p": {"S": "p"}}'::dynamo.item]) ->> 'SK' AS item;
SAVEPOINT before_fetch;
FETCH items;
ROLLBACK TO before_fetch;
GRANT SELECT ON many, other TO CURRENT_USER;
SELECT dynamo.get_item('other', '{"PK": {"S": "none"}}') IS NULL AS reads_another_definition;
SAVEPOINT before_fetch;
FETCH items;
RELEASE before_fetch;
REVOKE SELECT ON many FROM CURRENT_USER;
GRANT SELECT ON many TO CURRENT_USER;
FETCH ALL FROM items;
COMMIT;
-- statements of a batch that fail before they run
SELECT json_array_length(dynamo.request('BatchExecuteStatement', '{"Statements": [{"Statement": "SELECT * FROM many"}, {"Statement": "SELECT * FROM many WHERE PK = ''p''"}]}')::json -> 'Responses') AS answers;
DROP SCHEMA t_discard CASCADE;
