-- vector indexes with an HNSW index; needs pgvector (vectors_hnsw_1.out: without)
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE SCHEMA t_vectors_hnsw;
SET search_path = t_vectors_hnsw, dynamo;
SELECT dynamo.create_table('docs', 'pk');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 8, method => 'quick');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 2001, method => 'hnsw');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 8, method => 'hnsw');
SELECT EXISTS (SELECT FROM pg_available_extension_versions WHERE name = 'vector' AND string_to_array(version, '.')::int[] >= '{0,8}') AS available \gset
\if :available
\else
DROP SCHEMA t_vectors_hnsw CASCADE;
\quit
\endif
SET client_min_messages = warning;
CREATE SCHEMA t_vectors_pgvector;
CREATE EXTENSION vector SCHEMA t_vectors_pgvector;
RESET client_min_messages;

-- the same vectors in exact and approximate indexes: 2200 in one partition, 40 in the other
SELECT setseed(0.5);
CREATE TABLE points AS SELECT i, array_agg((random() - 0.5)::numeric(6, 4)) AS emb FROM generate_series(1, 2240) i, generate_series(1, 8) GROUP BY i;
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 8, method => 'hnsw', partition_key => 'part', filters => ARRAY['lang']);
SELECT dynamo.create_vector_index('docs', 'euc', 'emb', 8, 'EUCLIDEAN', method => 'hnsw', projection => 'KEYS_ONLY');
SELECT dynamo.create_vector_index('docs', 'dot', 'emb', 8, 'DOT_PRODUCT', method => 'hnsw', projection => 'KEYS_ONLY');
SELECT count(dynamo.put_item('docs', jsonb_build_object('pk', i::text, 'part', CASE WHEN i <= 2200 THEN 'big' ELSE 'small' END,
	'lang', CASE WHEN i % 40 = 0 THEN 'rare' ELSE 'often' END, 'emb', to_jsonb(emb)))) FROM points;
SELECT dynamo.create_vector_index('docs', 'exact', 'emb', 8, partition_key => 'part', filters => ARRAY['lang']);
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN ('docs$vec'::regclass, 'docs$dot'::regclass) AND pg_get_indexdef(indexrelid) ~ 'USING hnsw' ORDER BY 1;
SELECT index_name, method FROM dynamo.vector_indexes ORDER BY 1;
SELECT problem, count(*) FROM dynamo.verify_index('docs', 'vec') GROUP BY 1;

-- how many of the nearest ten it finds, over ten searches, at least
CREATE FUNCTION recall(approximate text, condition text, vals jsonb) RETURNS boolean LANGUAGE sql AS $$
	SELECT count(*) >= 95 FROM generate_series(1, 10) n
		CROSS JOIN LATERAL (SELECT emb::real[] AS emb FROM points WHERE i = n * 37) q
		CROSS JOIN LATERAL (
			SELECT a.item ->> 'pk' FROM dynamo.search_vectors('docs', approximate, q.emb, 10, condition, vals) a
			INTERSECT SELECT e.item ->> 'pk' FROM dynamo.search_vectors('docs', 'exact', q.emb, 10, condition, vals) e) r $$;
SELECT recall('vec', 'part = :p', '{":p": "big"}');
SELECT recall('vec', 'part = :p', '{":p": "small"}');
SELECT recall('vec', 'part = :p AND lang = :l', '{":p": "big", ":l": "rare"}');
SELECT recall('vec', 'part = :p AND lang = :l', '{":p": "big", ":l": "often"}');
SELECT count(*) FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0,0,0,0,0}', 10, 'part = :p AND lang = :l', '{":p": "big", ":l": "none"}'::jsonb);
-- scores and order are exact
SELECT bool_and(a.score = dynamo.cosine_distance(d.item -> 'emb', q.emb)), count(*), bool_and(a.score >= a.before)
FROM (SELECT emb::real[] AS emb FROM points WHERE i = 5) q
	CROSS JOIN LATERAL (SELECT *, lag(score, 1, score) OVER () AS before FROM dynamo.search_vectors('docs', 'vec', q.emb, 50, 'part = :p', '{":p": "big"}'::jsonb)) a
	JOIN docs d ON d.pk = a.item ->> 'pk';
SELECT count(*), bool_and(a.score = dynamo.euclidean_distance(d.item -> 'emb', q.emb)), min(a.score)
FROM (SELECT emb::real[] AS emb FROM points WHERE i = 5) q
	CROSS JOIN LATERAL dynamo.search_vectors('docs', 'euc', q.emb, 20) a JOIN docs d ON d.pk = a.item ->> 'pk';
SELECT count(*), bool_and(a.score = dynamo.dot_product(d.item -> 'emb', q.emb))
FROM (SELECT emb::real[] AS emb FROM points WHERE i = 5) q
	CROSS JOIN LATERAL dynamo.search_vectors('docs', 'dot', q.emb, 20) a JOIN docs d ON d.pk = a.item ->> 'pk';
-- the search reads through the index
SELECT pg_stat_force_next_flush();
SELECT idx_scan > 0 FROM pg_stat_user_indexes WHERE indexrelname = 'docs$euc_dynamo_vector_idx';

-- what pgvector cannot order: a zero vector among opposite ones, and numbers beyond its range
SELECT dynamo.put_item('docs', '{"pk": "zero", "part": "odd", "emb": [0, 0, 0, 0, 0, 0, 0, 0]}'::jsonb);
SELECT dynamo.put_item('docs', '{"pk": "huge", "part": "odd", "emb": [1e30, 0, 0, 0, 0, 0, 0, 0]}'::jsonb);
SELECT item ->> 'pk', score FROM dynamo.search_vectors('docs', 'euc', '{1e30,0,0,0,0,0,0,0}', 1);
SELECT item ->> 'pk', score FROM dynamo.search_vectors('docs', 'vec', '{0,0,0,0,0,0,0,0}', 1, 'part = :p', '{":p": "odd"}'::jsonb) ORDER BY 1;
SELECT item ->> 'pk' FROM dynamo.search_vectors('docs', 'vec', '{-1,0,0,0,0,0,0,0}', 2, 'part = :p', '{":p": "odd"}'::jsonb);
SELECT dynamo.delete_item('docs', jsonb_build_object('pk', k)) FROM unnest(ARRAY['zero', 'huge']) k;

-- row security decides before entries are counted
CREATE ROLE regress_vectors_reader;
GRANT USAGE ON SCHEMA t_vectors_hnsw, t_vectors_pgvector TO regress_vectors_reader;
GRANT SELECT ON docs, points TO regress_vectors_reader;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY evens ON docs FOR SELECT TO regress_vectors_reader USING (pk::int % 50 = 0);
SET ROLE regress_vectors_reader;
SELECT count(*), bool_and((item ->> 'pk')::int % 50 = 0) FROM dynamo.search_vectors('docs', 'vec', (SELECT emb::real[] FROM points WHERE i = 5), 30, 'part = :p', '{":p": "big"}'::jsonb);
SELECT count(*), bool_and((item ->> 'pk')::int % 50 = 0) FROM dynamo.search_vectors('docs', 'exact', (SELECT emb::real[] FROM points WHERE i = 5), 30, 'part = :p', '{":p": "big"}'::jsonb);
SELECT count(*) FROM docs$vec;
RESET ROLE;

-- who may not name pgvector's objects searches exactly
REVOKE USAGE ON SCHEMA t_vectors_pgvector FROM regress_vectors_reader;
SET ROLE regress_vectors_reader;
DISCARD PLANS;
SELECT count(*), bool_and((item ->> 'pk')::int % 50 = 0) FROM dynamo.search_vectors('docs', 'vec', (SELECT emb::real[] FROM points WHERE i = 5), 30, 'part = :p', '{":p": "big"}'::jsonb);
RESET ROLE;
ALTER TABLE docs DISABLE ROW LEVEL SECURITY;

-- an HNSW index can be dropped; searches are then exact, and a rebuild brings it back
DO $$ BEGIN EXECUTE (SELECT format('DROP INDEX %s', indexrelid::regclass) FROM pg_index WHERE indrelid = 'docs$vec'::regclass AND pg_get_indexdef(indexrelid) ~ 'USING hnsw'); END $$;
SELECT problem, detail FROM dynamo.verify_index('docs', 'vec');
SELECT recall('vec', 'part = :p', '{":p": "big"}');
SELECT dynamo.reindex('docs', 'vec');
SELECT problem, detail FROM dynamo.verify_index('docs', 'vec');
SELECT recall('vec', 'part = :p', '{":p": "big"}');
SET client_min_messages = warning;
DROP EXTENSION vector CASCADE;
SELECT recall('vec', 'part = :p', '{":p": "big"}');
SELECT dynamo.reindex('docs', 'vec');
DROP SCHEMA t_vectors_pgvector;
DROP OWNED BY regress_vectors_reader;
DROP ROLE regress_vectors_reader;
DROP SCHEMA t_vectors_hnsw CASCADE;
