-- vector indexes: the btree of sketches, which tells what an exact search need not read
CREATE SCHEMA t_vectors_sketches;
SET search_path = t_vectors_sketches, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse

-- a sketch: scale, error, length and one byte for each number
SELECT length(dynamo_system.vector_sketch('{1,-0.5,0.25}', 64)), substr(dynamo_system.vector_sketch('{1,-0.5,0.25}', 64), 13);
-- none for zeros, extreme numbers, what is no vector, and beside a long key
SELECT dynamo_system.vector_sketch(v, 64) FROM (VALUES ('{0,0}'::real[]), ('{1e30,1}'), ('{1e-30,0}'), ('{}'), ('{1,NULL}'), ('{1,NaN}'), ('{{1,2},{3,4}}')) a(v);
SELECT length(dynamo_system.vector_sketch(array_fill(1::real, ARRAY[768]), k)) FROM unnest(ARRAY[0, 1800, 2000, 2147483647]) k;

SELECT setseed(0.25);
SELECT dynamo.create_table('docs', 'pk');
SELECT dynamo.create_vector_index('docs', 'part', 'emb', 12, partition_key => 'part', filters => ARRAY['lang']);
SELECT dynamo.create_vector_index('docs', 'num', 'emb', 12, 'EUCLIDEAN', partition_key => 'num', partition_key_type => 'N', projection => 'KEYS_ONLY');
SELECT dynamo.create_vector_index('docs', 'whole', 'emb', 12, 'DOT_PRODUCT', projection => 'KEYS_ONLY');
CREATE TABLE points AS SELECT i, array_agg((random() - 0.5)::numeric(6, 4)) AS emb FROM generate_series(1, 2000) i, generate_series(1, 12) GROUP BY i;
INSERT INTO docs (item) SELECT jsonb_build_object('pk', i::text, 'part', 'p' || i % 2, 'num', i % 2, 'lang', 'l' || i % 3, 'emb', to_jsonb(emb))::dynamo.item FROM points;
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN ('docs$part'::regclass, 'docs$num'::regclass, 'docs$whole'::regclass) AND NOT indisprimary ORDER BY 1;
SELECT attrelid::regclass, attname FROM pg_attribute WHERE attrelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'docs$part'::regclass) AND attstattarget = 0;

-- all nearest of ten searches, by each distance, against plain SQL
CREATE FUNCTION same(index_name text, best text, condition text, vals jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM generate_series(1, 10) n
		CROSS JOIN LATERAL (SELECT emb::real[] AS emb FROM points WHERE i = n * 37) q
		CROSS JOIN LATERAL (
			SELECT s.item ->> ''pk'' FROM dynamo.search_vectors(''docs'', $1, q.emb, 7, $2, $3) s
			INTERSECT (SELECT pk FROM docs WHERE $3 IS NULL OR item -> coalesce(substring($2 FROM ''^\w+''), '''') = ($3::dynamo.item -> '':v'')
				ORDER BY dynamo.%s(item -> ''emb'', q.emb) %s LIMIT 7)) r', split_part(best, ' ', 1), split_part(best, ' ', 2))
		INTO result USING index_name, condition, vals;
	RETURN result;
END $$;
SELECT same('part', 'cosine_distance ASC', 'part = :v', '{":v": "p1"}');
SELECT same('num', 'euclidean_distance ASC', 'num = :v', '{":v": 1}');
SELECT same('whole', 'dot_product DESC', NULL, NULL);
SELECT count(*) FROM dynamo.search_vectors('docs', 'part', (SELECT emb::real[] FROM points WHERE i = 37), 100, 'part = :v AND lang = :l', '{":v": "p1", ":l": "l1"}'::jsonb);
-- what was read: every sketch, and few entries
SELECT pg_stat_force_next_flush();
SELECT relname, idx_tup_fetch BETWEEN 70 AND 10 * tuples / 2 FROM pg_stat_user_indexes, LATERAL (SELECT CASE relname WHEN 'docs$whole' THEN 2000 ELSE 1000 END AS tuples) t
WHERE schemaname = 't_vectors_sketches' AND relname IN ('docs$num', 'docs$whole') AND indexrelname LIKE '%sketch%' ORDER BY 1;

-- entries that an update moves or a delete removes; what a savepoint takes back
UPDATE docs SET item = item || jsonb_build_object('emb', (SELECT to_jsonb(emb) FROM points WHERE i = 2))::dynamo.item WHERE pk::int <= 1000;
DELETE FROM docs WHERE pk::int % 7 = 0;
BEGIN;
SAVEPOINT s;
DELETE FROM docs;
SELECT same('whole', 'dot_product DESC', NULL, NULL);
ROLLBACK TO s;
UPDATE docs SET item = item || jsonb_build_object('emb', (SELECT to_jsonb(emb) FROM points WHERE i = pk::int))::dynamo.item WHERE pk::int <= 1000;
SELECT same('part', 'cosine_distance ASC', 'part = :v', '{":v": "p1"}'), same('num', 'euclidean_distance ASC', 'num = :v', '{":v": 1}'), same('whole', 'dot_product DESC', NULL, NULL);
COMMIT;
SELECT count(*) FROM dynamo.verify_index('docs', 'part');

-- without a partition, zeros and extreme numbers are found, too
SELECT dynamo.put_item('docs', jsonb_build_object('pk', 'huge', 'emb', to_jsonb(array_fill(1e30::numeric, ARRAY[12]))));
SELECT dynamo.put_item('docs', jsonb_build_object('pk', 'zero', 'emb', to_jsonb(array_fill(0, ARRAY[12]))));
SELECT item ->> 'pk' FROM dynamo.search_vectors('docs', 'whole', array_fill(1::real, ARRAY[12]), 1);
SELECT count(*) FROM dynamo.search_vectors('docs', 'whole', array_fill(0::real, ARRAY[12]), 3);
SELECT item ->> 'pk' FROM dynamo.search_vectors('docs', 'whole', array_fill(1e30::real, ARRAY[12]), 1);

-- a key that leaves no room for a sketch
SELECT string_agg(md5(i::text), '') AS long FROM generate_series(1, 62) i \gset
SELECT dynamo.create_table('long', 'pk');
SELECT dynamo.create_vector_index('long', 'vec', 'emb', 1500, partition_key => 'part');
SELECT dynamo.put_item('long', jsonb_build_object('pk', i::text, 'part', :'long', 'emb', (SELECT jsonb_agg(i + j) FROM generate_series(1, 1500) j))) FROM generate_series(1, 3) i;
SELECT item ->> 'pk' FROM dynamo.search_vectors('long', 'vec', (SELECT array_agg(j) FROM generate_series(1, 1500) j)::real[], 1, 'part = :p', jsonb_build_object(':p', :'long'));
-- vectors that are too long for sketches
SELECT dynamo.create_vector_index('long', 'longer', 'v', 2049);
SELECT count(*) FROM pg_index WHERE indrelid = 'long$longer'::regclass;

-- without the btree, a search reads the entries; a rebuild brings it back, and indexes of the owner's do not stand for it
CREATE FUNCTION vector_sketch(real[], int) RETURNS bytea IMMUTABLE LANGUAGE sql AS 'SELECT ''''::bytea';
DO $$ BEGIN EXECUTE (SELECT format('DROP INDEX %s', indexrelid::regclass) FROM pg_index WHERE indrelid = 'docs$whole'::regclass AND NOT indisprimary); END $$;
CREATE INDEX ON docs$whole (t_vectors_sketches.vector_sketch(dynamo_vector, 64));
CREATE INDEX ON docs$whole (dynamo_system.vector_sketch(dynamo_vector, 64)) WHERE pk > '5';
CREATE INDEX ON docs$whole (pk, dynamo_system.vector_sketch(dynamo_vector, 64));
SELECT same('whole', 'dot_product DESC', NULL, NULL);
SELECT dynamo.reindex('docs', 'whole');
SELECT count(*) FROM pg_index WHERE indrelid = 'docs$whole'::regclass;
SELECT same('whole', 'dot_product DESC', NULL, NULL);
DROP SCHEMA t_vectors_sketches CASCADE;
