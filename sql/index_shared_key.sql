-- Indexes that share a key attribute and allow different lengths of it.  Each contains
-- exactly the items within its own limits, whatever the order and way in which the
-- indexes are created, and later writes do not change that.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_shared CASCADE;
CREATE SCHEMA t_shared;
SET search_path = t_shared, dynamo;
-- text that cannot be compressed
CREATE FUNCTION long(n int, seed text DEFAULT '') RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT left(string_agg(md5(seed || i), '' ORDER BY i), n) FROM generate_series(1, 80) i $$;
CREATE FUNCTION sized(n int, seed text DEFAULT '') RETURNS item LANGUAGE sql IMMUTABLE AS $$
	SELECT jsonb_build_object('PK', 'p', 'SK', seed || 'x' || n, 'k', 'k', 'x', long(n, seed))::item $$;

-- the contents of each index of a table, by a scan and by queries, and the result of verify_index
CREATE FUNCTION contents(table_name text) RETURNS TABLE (index_name text, items text, by_query bigint, problems text) LANGUAGE plpgsql AS $$
DECLARE
	i record;
	condition text;
BEGIN
	FOR i IN SELECT * FROM dynamo.indexes d WHERE d.table_name = contents.table_name ORDER BY d.index_name LOOP
		index_name := i.index_name;
		SELECT string_agg(s ->> 'SK', ' ' ORDER BY s ->> 'SK') INTO items FROM dynamo.scan(table_name, index_name => i.index_name) s;
		condition := (SELECT string_agg(format('%s = :%s', k, k), ' AND ') FROM unnest(i.partition_key) k);
		EXECUTE format('SELECT sum((SELECT count(*) FROM dynamo.query(%L, %L, v, index_name => %L)))
			FROM (SELECT DISTINCT (SELECT jsonb_object_agg('':'' || k, item::jsonb -> k) FROM unnest(%L::text[]) k) AS v FROM %I
				WHERE item::jsonb ?& %L AND octet_length(item ->> %L) <= 2048) v',
			table_name, condition, i.index_name, i.partition_key, table_name, i.partition_key, i.partition_key[1]) INTO by_query;
		SELECT string_agg(concat_ws(' ', p.problem, p.key ->> 'SK'), ', ' ORDER BY p.problem, p.key ->> 'SK') INTO problems
		FROM dynamo.verify_index(table_name, i.index_name) p;
		RETURN NEXT;
	END LOOP;
END $$;

-- All ways to create two indexes: hash has x as partition key (up to 2048 bytes), range as
-- sort key (up to 1024).  Prints those with different results.
CREATE PROCEDURE all_ways() LANGUAGE plpgsql AS $$
DECLARE
	way text;
	n int := 0;
	found text;
	expected text := 'hash: x1000 x1024 x1025 x1500 x2048 (5), unusable key x2049
range: x1000 x1024 (2), unusable key x1025, unusable key x1500, unusable key x2048, unusable key x2049';
	first text;
	storage1 text;
	storage2 text;
	place text;
BEGIN
	FOREACH place IN ARRAY ARRAY['-1', '0'] LOOP
	FOREACH first IN ARRAY ARRAY['hash', 'range'] LOOP
	FOREACH storage1 IN ARRAY CASE place WHEN '-1' THEN ARRAY['inline', 'table'] ELSE ARRAY['inline'] END LOOP
	FOREACH storage2 IN ARRAY ARRAY['inline', 'table', 'sharded'] LOOP
		way := format('%s first, %s then %s, limit %s', first, storage1, storage2, place);
		PERFORM dynamo.create_table('tab', 'PK', 'SK');
		INSERT INTO tab (item) SELECT sized(l) FROM unnest(ARRAY[1000, 1024, 1025, 1500, 2048, 2049]) l;
		INSERT INTO tab (item) VALUES (jsonb_build_object('PK', 'p', 'SK', 'none', 'k', 'k'));
		COMMIT;
		PERFORM set_config('dynamo.in_place_build_limit', place, false);
		FOR i IN 1 .. 2 LOOP
			IF (first = 'hash') = (i = 1) THEN
				PERFORM dynamo.create_index('tab', 'hash', 'x', storage => CASE i WHEN 1 THEN storage1 ELSE nullif(storage2, 'sharded') END,
					shards => CASE WHEN i = 2 AND storage2 = 'sharded' THEN 3 END);
			ELSE
				PERFORM dynamo.create_index('tab', 'range', 'k', 'x', storage => CASE i WHEN 1 THEN storage1 ELSE nullif(storage2, 'sharded') END,
					shards => CASE WHEN i = 2 AND storage2 = 'sharded' THEN 3 END);
			END IF;
			COMMIT;
			CALL dynamo.build_indexes('tab');
		END LOOP;
		FOR step IN 1 .. 4 LOOP
			SELECT string_agg(format('%s: %s (%s), %s', c.index_name, c.items, c.by_query, c.problems), E'\n' ORDER BY c.index_name) INTO found FROM contents('tab') c;
			IF found IS DISTINCT FROM expected THEN
				RAISE WARNING '%, step %: %', way, step, found;
			END IF;
			n := n + 1;
			CASE step
				-- what is left out stays out, however the rest is written
				WHEN 1 THEN
					PERFORM dynamo.update_item('tab', jsonb_build_object('PK', 'p', 'SK', "SK"), 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}') FROM tab;
					UPDATE tab SET item = (item::jsonb || '{"m": 1}')::item;
					ALTER TABLE tab ADD COLUMN note text;
					UPDATE tab SET note = 'changed';
				WHEN 2 THEN PERFORM dynamo.reindex('tab', 'hash');
				WHEN 3 THEN PERFORM dynamo.reindex('tab', 'range');
				ELSE NULL;
			END CASE;
		END LOOP;
		PERFORM dynamo.drop_table('tab');
		COMMIT;
	END LOOP;
	END LOOP;
	END LOOP;
	END LOOP;
	RAISE WARNING '% states', n;
END $$;
CALL all_ways();

-- One of these ways, step by step.
SET dynamo.in_place_build_limit = 8192;
RESET client_min_messages;
SELECT create_table('tab', 'PK', 'SK');
ALTER TABLE tab ADD COLUMN note text;
INSERT INTO tab (item) SELECT sized(l) FROM unnest(ARRAY[1024, 1025, 2049]) l;
SELECT create_index('tab', 'hash', 'x');
SELECT create_index('tab', 'range', 'k', 'x');
SELECT indexdef FROM pg_indexes WHERE schemaname = 't_shared' AND tablename = 'tab' ORDER BY indexname COLLATE "C";
SELECT key ->> 'SK' AS sk, problem, detail FROM verify_index('tab', 'range') ORDER BY 1;
SELECT "SK", length(x) FROM tab ORDER BY 1;
-- a statement that includes the test can use the btree
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT item FROM tab WHERE k = 'k' AND x > 'a' ORDER BY x;
EXPLAIN (COSTS OFF) SELECT item FROM tab WHERE k = 'k' AND x > 'a' AND dynamo_system.fits_index(1, 1, k, x, "PK", "SK") ORDER BY x;
RESET enable_seqscan;
RESET enable_bitmapscan;
-- new values outside an index's limits are refused by every way of writing
SELECT put_item('tab', sized(1025, 'new '));
SELECT put_item('tab', sized(1025));
SELECT update_item('tab', '{"PK": {"S": "p"}, "SK": {"S": "x1024"}}', 'SET x = :x', expression_attribute_values => jsonb_build_object(':x', long(1025)));
SELECT update_item('tab', '{"PK": {"S": "p"}, "SK": {"S": "x1025"}}', 'SET x = :x', expression_attribute_values => jsonb_build_object(':x', long(1026)));
SELECT update_item('tab', '{"PK": {"S": "p"}, "SK": {"S": "x1025"}}', 'SET x = y', expression_attribute_values => NULL);
INSERT INTO tab (item) VALUES (sized(1025, 'new '));
UPDATE tab SET item = (item::jsonb || jsonb_build_object('x', long(1100)))::item WHERE "SK" = 'x1025';
UPDATE tab SET item = (item::jsonb || '{"SK": "moved"}')::item WHERE "SK" = 'x1025';
SELECT request('ExecuteStatement', json_build_object('Statement', $$UPDATE tab SET x = '$$ || long(1025) || $$' WHERE PK = 'p' AND SK = 'x1024'$$));
-- an item that is left out keeps that state if another attribute changes
SELECT update_item('tab', '{"PK": {"S": "p"}, "SK": {"S": "x1025"}}', 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}');
SELECT request('ExecuteStatement', '{"Statement": "UPDATE tab SET m = 1 WHERE PK = ''p'' AND SK = ''x2049''"}');
SELECT transact_write_items('[{"Update": {"TableName": "tab", "Key": {"PK": {"S": "p"}, "SK": {"S": "x2049"}}, "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}}]');
MERGE INTO tab USING (VALUES (1)) v(n) ON "SK" = 'x1025' WHEN MATCHED THEN UPDATE SET item = (item::jsonb || '{"m": 2}')::item, note = 'merged';
SELECT "SK", item ->> 'n' AS n, item ->> 'm' AS m, note FROM tab ORDER BY 1;
SELECT * FROM contents('tab');
-- a value within all limits, and back
SELECT update_item('tab', '{"PK": {"S": "p"}, "SK": {"S": "x1025"}}', 'SET x = :x', expression_attribute_values => jsonb_build_object(':x', long(1024)));
UPDATE tab SET item = (item::jsonb - 'x')::item WHERE "SK" = 'x2049';
SELECT * FROM contents('tab');
-- no item is left out any more: after a rebuild plain SQL can use the index
SELECT reindex('tab', 'range');
SELECT indexdef FROM pg_indexes WHERE schemaname = 't_shared' AND indexname = 'tab$range';
SELECT * FROM contents('tab');
SELECT drop_table('tab');

-- The table's key attributes in an inverted index.
SELECT create_table('inverted', 'PK', 'SK');
INSERT INTO inverted (item) SELECT jsonb_build_object('PK', long(l), 'SK', 's' || l) FROM unnest(ARRAY[1000, 1024, 1025, 2048]) l;
SELECT create_index('inverted', 'inline', 'SK', 'PK');
SELECT create_index('inverted', 'own', 'SK', 'PK', storage => 'table');
SELECT * FROM contents('inverted');
SELECT update_item('inverted', jsonb_build_object('PK', long(1025), 'SK', 's1025'), 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}');
SELECT put_item('inverted', jsonb_build_object('PK', long(1025), 'SK', 's1025'));
SELECT * FROM contents('inverted');
SELECT drop_table('inverted');

-- Several attributes share one limit, and all columns together must fit into a btree entry after compression.
SELECT create_table('several', 'PK', 'SK', indexes => '[{"index_name": "only_x", "partition_key": "x"}, {"index_name": "only_y", "partition_key": "y"}]');
INSERT INTO several (item) SELECT jsonb_build_object('PK', 'p', 'SK', a || ' ' || b, 'x', long(a, 'a'), 'y', long(b, 'b'), 'k', 'k')
FROM (VALUES (1000, 1048), (1000, 1049), (512, 512), (513, 512), (1800, 1000), (2048, 500)) v(a, b);
INSERT INTO several (item) VALUES (jsonb_build_object('PK', 'p', 'SK', 'packed', 'x', repeat('a', 2000), 'y', repeat('b', 1000), 'k', 'k'));
SELECT create_index('several', 'hash', ARRAY['x', 'y']);
SELECT create_index('several', 'hash_table', ARRAY['x', 'y'], storage => 'table');
SELECT create_index('several', 'range', ARRAY['k'], ARRAY['x', 'y']);
SELECT create_index('several', 'both', ARRAY['x'], ARRAY['y']);
SELECT create_index('several', 'both_shards', ARRAY['x'], ARRAY['y'], shards => 2);
SELECT * FROM contents('several') WHERE index_name NOT LIKE 'only%';
SELECT key ->> 'SK' AS sk, detail FROM verify_index('several', 'both') ORDER BY 1;
-- change_index converts one storage to the other
SELECT change_index('several', 'both', storage => 'table');
SELECT change_index('several', 'both_shards', storage => 'inline');
SELECT * FROM contents('several') WHERE index_name LIKE 'both%';
SELECT drop_table('several');

-- A missing sort attribute: the btree contains the row, unless it is too long.
SELECT create_table('partly', 'PK', 'SK');
INSERT INTO partly (item) SELECT jsonb_build_object('PK', long(l, 'p'), 'SK', long(900, 's'), 'x', long(2000, 'x')) FROM unnest(ARRAY[10, 900]) l;
SELECT create_index('partly', 'inline', 'x', 'y');
SELECT create_index('partly', 'own', 'x', 'y', storage => 'table');
SELECT items, by_query, problems IS NULL AS same FROM contents('partly');
SELECT count(*) FROM partly;
SELECT put_item('partly', jsonb_build_object('PK', long(900, 'q'), 'SK', long(900, 's'), 'x', long(2000, 'x')));
SELECT drop_table('partly');

-- Entries that pglz makes short enough, and lz4 does not.
SELECT set_config('default_toast_compression', 'lz4', false) IS NOT NULL AS set FROM pg_settings
WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals) \gset
SELECT create_table('packed', 'PK');
INSERT INTO packed (item) SELECT jsonb_build_object('PK', (SELECT string_agg(md5(i || '.' || j), '') FROM generate_series(1, 47) j), 'x',
	(SELECT string_agg(chr(35 + w * 31 % 83) || chr(35 + w * 17 % 83) || chr(35 + w * 57 % 83), '' ORDER BY j)
		FROM generate_series(1, 680) j, LATERAL (SELECT ('x' || substr(md5(i || '.' || j), 1, 6))::bit(24)::int % 16 AS w) v))
FROM generate_series(1, 5) i;
SELECT create_index('packed', 'inline', 'x');
SELECT create_index('packed', 'own', 'x', storage => 'table');
SELECT create_index('packed', 'shards', 'x', shards => 2);
UPDATE packed SET item = set_attribute(item, 'n', to_value(1));
SELECT items, by_query, problems IS NULL AS same FROM contents('packed');
SELECT drop_table('packed');
RESET default_toast_compression;

-- Entries at the limit: columns of rows have shorter headers than what is derived from items.
SELECT create_table('edge', 'PK', 'SK');
INSERT INTO edge (item) SELECT jsonb_build_object('PK', left(hashes, 2040), 'SK', left('sorted', n), 'x', left(reverse(hashes), 640))
FROM generate_series(1, 6) n, LATERAL (SELECT string_agg(md5(n || '.' || j), '') AS hashes FROM generate_series(1, 64) j) h;
SELECT create_index('edge', 'inline', 'x');
SELECT create_index('edge', 'own', 'x', storage => 'table');
SET dynamo.in_place_build_limit = 0;
SET client_min_messages = error;
CALL create_index_and_wait('edge', 'online', 'x', storage => 'table');
RESET client_min_messages;
RESET dynamo.in_place_build_limit;
SELECT problem, key ->> 'SK' AS sk, string_agg(index_name, ' ') FROM dynamo.indexes i, verify_index('edge', index_name) WHERE i.table_name = 'edge' GROUP BY 1, 2 ORDER BY 2;
SELECT index_name, count(*) FROM dynamo.indexes i, scan('edge', index_name => i.index_name) WHERE i.table_name = 'edge' GROUP BY 1 ORDER BY 1;
SELECT drop_table('edge');
-- a null makes the header of an entry longer
SELECT create_table('edge', 'PK');
INSERT INTO edge (item) SELECT jsonb_build_object('PK', left(hashes, n), 'x', left(reverse(hashes), 640))
FROM unnest(ARRAY[2032, 2040, 2044]) n, LATERAL (SELECT string_agg(md5(n || '.' || j), '') AS hashes FROM generate_series(1, 64) j) h;
SELECT create_index('edge', 'inline', 'x', 'missing');
SELECT put_item('edge', set_attribute(item, 'x', to_value(reverse(item ->> 'x')))) FROM edge ORDER BY length("PK");
SELECT length("PK"), dynamo_system.fits_index(1, 1, x, missing, "PK") FROM edge ORDER BY 1;
SELECT * FROM verify_index('edge', 'inline');
SELECT drop_table('edge');

-- Partitions.
CREATE TABLE parted ("PK" text COLLATE "C" NOT NULL, "SK" text COLLATE "C" NOT NULL, item item NOT NULL, PRIMARY KEY ("PK", "SK")) PARTITION BY HASH ("PK");
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON parted FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(
	'{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "SK", "type": "S", "column": "SK"}], "partition": ["PK"], "sort": ["SK"], "indexes": []}');
ALTER TABLE parted ENABLE ALWAYS TRIGGER "~dynamo_derive_keys";
INSERT INTO parted ("PK", "SK", item) SELECT 'p' || p, 'x' || l, jsonb_build_object('PK', 'p' || p, 'SK', 'x' || l, 'k', 'k', 'x', long(l)) FROM unnest(ARRAY[1024, 1025]) l, generate_series(1, 3) p;
SELECT create_index('parted', 'hash', 'x');
SELECT create_index('parted', 'range', 'k', 'x');
SELECT create_index('parted', 'range_table', 'k', 'x', storage => 'table');
SELECT * FROM contents('parted');
SELECT reindex('parted', 'range');
SELECT * FROM contents('parted');

-- The function of the test.
SELECT dynamo_system.fits_index(1, 0, long(2048)), dynamo_system.fits_index(1, 0, long(2049)), dynamo_system.fits_index(1, 1, 'k'::text, long(1025)), dynamo_system.fits_index(0, 1, long(1024)::bytea),
	dynamo_system.fits_index(1, 1, 1::numeric, NULL::text), dynamo_system.fits_index(1, 1, long(2000), long(1000)), dynamo_system.fits_index(1, 1, repeat('a', 2000), repeat('b', 1000)), dynamo_system.fits_index(NULL, 1, 'a'::text);
SELECT dynamo_system.fits_index(2, 0, 'a'::text);
SELECT dynamo_system.fits_index(1, 0, 1);
SELECT dynamo_system.fits_index(1, 0, VARIADIC ARRAY['a', 'b']);

SET client_min_messages = warning;
DROP SCHEMA t_shared CASCADE;
