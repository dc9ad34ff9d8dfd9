-- Rows older than the trigger can contain anything: code that reads a key from them
-- raises an error, and everything else continues.
CREATE SCHEMA t_stored;
SET search_path = t_stored, dynamo;
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;

-- the result of a statement: its number of rows, or its SQLSTATE
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE statement;
	GET DIAGNOSTICS n = ROW_COUNT;
	RETURN n || ' rows';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

-- a table with an invalid row, which is older than its definition
CREATE FUNCTION plant(pk text, n numeric, item text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS tab, "tab$table", "tab$shards";
	CREATE TABLE tab ("PK" text COLLATE "C" NOT NULL, "N" numeric NOT NULL, g text COLLATE "C", item item NOT NULL, PRIMARY KEY ("PK", "N"));
	CREATE INDEX "tab$inline" ON tab (g, "PK", "N") WHERE g IS NOT NULL;
	INSERT INTO tab VALUES (pk, n, 'g', item::item);
	CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
		"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "N", "type": "N", "column": "N"}, {"name": "g", "type": "S", "column": "g"}],
		"partition": ["PK"], "sort": ["N"], "indexes": [{"name": "inline", "local": false, "partition": ["g"], "sort": [], "projection": "ALL",
		"non_key_attributes": [], "storage": "inline", "shards": 0, "shard_by": null, "relation": "tab$inline", "status": "ACTIVE"}]}');
	PERFORM put_item('tab', '{"PK": {"S": "a"}, "N": {"N": "1"}, "g": {"S": "g"}}');
END $$;

CREATE TABLE cases (name text, pk text, n numeric, item text);
INSERT INTO cases VALUES
	('empty', 'a', 0, '{}'),
	('no sort key', 'a', 0, '{"PK": {"S": "a"}, "g": {"S": "g"}}'),
	('another type', 'a', 0, '{"PK": {"S": "a"}, "N": {"S": "0"}, "g": {"S": "g"}}'),
	('types exchanged', 'a', 0, '{"PK": {"N": "1"}, "N": {"B": "/////////////////////w=="}, "g": {"L": []}}'),
	('empty key', '', 0, '{"PK": {"S": ""}, "N": {"N": "0"}, "g": {"S": "g"}}'),
	('U+0000', 'a', 0, '{"PK": {"S": "a\u0000"}, "N": {"N": "0"}, "g": {"S": "g"}}'),
	('too long', repeat('a', 2100), 0, jsonb_build_object('PK', jsonb_build_object('S', repeat('a', 2100)), 'N', '{"N": "0"}'::jsonb, 'g', '{"S": "g"}'::jsonb)),
	('another key', 'a', 0, '{"PK": {"S": "b"}, "N": {"N": "7"}, "g": {"S": "h"}}'),
	('NaN', 'a', 'NaN', '{"PK": {"S": "a"}, "N": {"N": "0"}, "g": {"S": "g"}}'),
	('40 digits', 'a', 1234567890123456789012345678901234567890, '{"PK": {"S": "a"}, "N": {"N": "0"}, "g": {"S": "g"}}');

CREATE FUNCTION run(statement text) RETURNS TABLE (name text, result text) LANGUAGE plpgsql AS $$
DECLARE c record;
BEGIN
	FOR c IN SELECT * FROM cases LOOP
		PERFORM plant(c.pk, c.n, c.item);
		name := c.name;
		result := try(statement);
		RETURN NEXT;
	END LOOP;
END $$;

-- reads without a position continue; a position requires valid key and columns
SELECT * FROM run($$SELECT scan('tab')$$);
SELECT * FROM run($$SELECT scan_page('tab', page_size => 1)$$);
SELECT * FROM run($$SELECT scan_page('tab', index_name => 'inline', page_size => 1)$$);
SELECT * FROM run($$SELECT query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', page_size => 1)$$);
SELECT * FROM run($$SELECT count(*) FROM generate_series(0, 4) s, scan('tab', segment => s, total_segments => 5)$$);
SELECT * FROM run($$SELECT scan_page('tab', segment => s, total_segments => 5, page_size => 1) FROM generate_series(0, 4) s$$);
SELECT * FROM run($$SELECT request('ExecuteStatement', '{"Statement": "SELECT * FROM tab WHERE PK IN [''a'', ''b''] ORDER BY N"}')$$);
-- an update keeps the key; other operations can replace or delete the item
SELECT * FROM run($$SELECT update_item('tab', '{"PK": {"S": "a"}, "N": {"N": "0"}}', 'SET z = :z', expression_attribute_values => '{":z": {"S": "z"}}')$$);
SELECT * FROM run($$SELECT request('UpdateItem', '{"TableName": "tab", "Key": {"PK": {"S": "a"}, "N": {"N": "0"}}, "UpdateExpression": "REMOVE z", "ReturnConsumedCapacity": "INDEXES"}')$$);
SELECT * FROM run($$SELECT put_item('tab', '{"PK": {"S": "a"}, "N": {"N": "0"}, "g": {"S": "g"}}', return_values => 'ALL_OLD')$$);
SELECT * FROM run($$SELECT delete_item('tab', '{"PK": {"S": "a"}, "N": {"N": "0"}}', return_values => 'ALL_OLD')$$);
SELECT * FROM run($$UPDATE tab SET item = item$$);
SELECT * FROM run($$DELETE FROM tab$$);
-- verify_index reports the rows, and reindex leaves those that it cannot correct
SELECT * FROM run($$SELECT * FROM verify_index('tab', 'inline')$$);
SELECT * FROM run($$SELECT reindex('tab', 'inline'); SELECT FROM tab WHERE "PK" IS NULL OR "N" IS NULL$$);
SELECT plant('a', 0, '{"PK": {"S": "a"}, "N": {"S": "0"}, "g": {"S": "g"}}');
SELECT * FROM verify_index('tab', 'inline');
-- indexes are built, and their entries can be read
SELECT * FROM run($$SELECT create_index('tab', 'table', 'g', storage => 'table'); SELECT * FROM verify_index('tab', 'table')$$);
SELECT * FROM run($$SELECT create_index('tab', 'shards', 'g', shards => 2); SELECT * FROM verify_index('tab', 'shards')$$);
SELECT * FROM run($$SELECT create_index('tab', 'shards', 'g', shards => 2); SELECT scan('tab', index_name => 'shards')$$);
SELECT * FROM run($$SELECT create_index('tab', 'table', 'g', storage => 'table'); SELECT scan_page('tab', index_name => 'table', page_size => 1)$$);
SELECT * FROM run($$SELECT create_index('tab', 'late', 'late', storage => 'table'); UPDATE tab SET item = item; DELETE FROM tab$$);
-- streams have keys from the columns
SELECT * FROM run($$SELECT enable_stream('tab'); DELETE FROM tab; SELECT * FROM read_stream('tab')$$);
SELECT * FROM run($$SELECT enable_stream('tab'); TRUNCATE tab; SELECT * FROM read_stream('tab')$$);
-- other operations
SELECT * FROM run($$SELECT update_time_to_live('tab', 'PK'); SELECT delete_expired('tab')$$);
SELECT * FROM run($$ANALYZE tab; SELECT describe_table('tab'); SELECT count(*) FROM tables$$);
SELECT * FROM run($$CREATE TABLE copy AS SELECT * FROM tab; DROP TABLE copy$$);

-- an attribute that is not part of a key is checked like one
CREATE TABLE other ("PK" text COLLATE "C" PRIMARY KEY, n numeric, s text COLLATE "C", item item NOT NULL);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON other FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "n", "type": "N", "column": "n"}, {"name": "s", "type": "S", "column": "s"}],
	"partition": ["PK"], "sort": [], "indexes": []}');
INSERT INTO other (item) VALUES (build_item('PK', 'a'::text, 'n', decode(repeat('e0', 20000), 'hex')));
INSERT INTO other (item) VALUES (build_item('PK', 'a'::text, 's', '\xfffe41ff'::bytea));
SELECT put_item('other', build_item('PK', 'a'::text, 's', '\xfffe41ff'::bytea));
SELECT put_item('other', build_item('PK', 'a'::text, 's', ''::text));
SELECT put_item('other', '{"PK": {"S": "a"}, "n": {"N": "1"}, "s": {"S": "x"}}');
SELECT update_item('other', '{"PK": {"S": "a"}}', 'SET n = s');
SELECT "PK", n, s FROM other;

-- a partition uses the definition of its table
CREATE TABLE parts ("PK" text COLLATE "C" NOT NULL, g text COLLATE "C", item item NOT NULL, PRIMARY KEY ("PK")) PARTITION BY LIST ("PK");
CREATE TABLE part PARTITION OF parts FOR VALUES IN ('a');
CREATE INDEX "parts$g" ON parts (g, "PK") WHERE g IS NOT NULL;
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON part FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}], "partition": ["PK"], "sort": [], "indexes": []}');
CREATE TRIGGER l BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "g", "type": "S", "column": "g"}], "partition": ["PK"], "sort": [],
	"indexes": [{"name": "one", "local": false, "partition": ["g"], "sort": [], "projection": "ALL",
	"non_key_attributes": [], "storage": "inline", "shards": 0, "shard_by": null, "relation": "parts$g", "status": "ACTIVE"}]}');
SELECT try($$SELECT * FROM verify_index('parts', 'one')$$), try($$SELECT reindex('parts', 'one')$$);

-- records that cannot be read
SELECT create_table('streamed', 'PK');
SELECT enable_stream('streamed') IS NOT NULL AS enabled;
CREATE FUNCTION read_planted(columns text, record text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE definition text;
BEGIN
	SELECT encode(tgargs, 'escape') INTO definition FROM pg_trigger WHERE tgname = '~dynamo_guard_stream' AND tgrelid = 'streamed$stream'::regclass;
	DROP TABLE IF EXISTS hand;
	EXECUTE format('CREATE TABLE hand (%s)', columns);
	EXECUTE format('INSERT INTO hand VALUES (%s)', record);
	EXECUTE format('CREATE TRIGGER g BEFORE INSERT OR UPDATE OR DELETE ON hand FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream(%L)',
		jsonb_set(replace(definition, '\000', '')::jsonb, '{table}', '"hand"') - 'relation');
	RETURN try($t$SELECT * FROM read_stream('hand')$t$) || ', trimmed: ' || try($t$SELECT trim_streams('hand', '0')$t$);
END $$;
SELECT r AS record, read_planted('number bigint PRIMARY KEY, created_at timestamptz, horizon xid8, event "char", keys item, new_item item, old_item item', r)
FROM (VALUES ($$1, now(), '1', 'I', NULL, NULL, NULL$$),
	($$1, NULL, NULL, NULL, NULL, NULL, NULL$$),
	($$1, now(), '1', 'Z', '{"PK": {"S": "a"}}', '{}', '{}'$$),
	($$1, now(), '1', 'I', '{"PK": {"S": "a"}}', NULL, NULL$$),
	($$1, now(), '1', 'R', '{"PK": {"S": "a"}}', '{}', NULL$$),
	($$1, now(), '1', 'M', '{"PK": {"L": []}}', '{}', '{}'$$),
	($$1, now(), '1', 'M', '{}', '{}', '{}'$$),
	($$1, now(), '1', 'M', '{"PK": {"S": "a"}}', '{}', '{}'$$),
	($$-5, now(), '1', 'M', '{"PK": {"S": "a"}}', '{}', '{}'$$),
	($$9223372036854775807, now(), '1', 'M', '{"PK": {"S": "a"}}', '{}', '{}'$$),
	($$9223372036854775806, now(), '1', 'M', '{"PK": {"S": "a"}}', '{}', '{}'$$)) v(r);
SELECT read_planted('number bigint, created_at timestamptz, horizon xid8, event "char", keys item PRIMARY KEY, new_item item, old_item item',
	$$1, now(), '1', 'I', '{"PK": {"S": "a"}}', '{}', NULL$$);

SET client_min_messages = warning;
DROP SCHEMA t_stored CASCADE;
