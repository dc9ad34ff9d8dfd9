-- vector indexes: creating, searching, maintenance through every door, verification
CREATE SCHEMA t_vectors;
SET search_path = t_vectors, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the keys and scores of a search
CREATE FUNCTION found(index_name text, vector real[], count int DEFAULT 10, condition text DEFAULT NULL, vals jsonb DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg((s.item ->> 'sk') || ' ' || round(s.score::numeric, 5), ', ' ORDER BY s.n), 'nothing')
	FROM dynamo.search_vectors('docs', index_name, vector, count, condition, vals) WITH ORDINALITY AS s(item, score, n) $$;
CREATE FUNCTION doc(sk text, tenant text, lang text, VARIADIC emb numeric[]) RETURNS dynamo.item LANGUAGE sql AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object('pk', 'p', 'sk', sk, 'tenant', tenant, 'lang', lang, 'emb', to_jsonb(emb), 'note', 'of ' || sk))::dynamo.item $$;

SELECT dynamo.create_table('docs', 'pk', 'sk');
-- rows that are older than the indexes: one without vector, one with a vector that does not fit
SELECT dynamo.put_item('docs', doc('a', 't1', 'de', 10, 0, 0, 0));
SELECT dynamo.put_item('docs', doc('b', 't1', 'en', 0.7071, 0.7071, 0, 0));
SELECT dynamo.put_item('docs', jsonb_build_object('pk', 'p', 'sk', 'none'));
SELECT dynamo.put_item('docs', doc('short', 't1', 'en', 1, 2));

SELECT dynamo.create_vector_index('docs', 'cos', 'emb', 4, partition_key => 'tenant', filters => ARRAY['lang']);
SELECT dynamo.create_vector_index('docs', 'euc', 'emb', 4, 'EUCLIDEAN', projection => 'KEYS_ONLY');
SELECT dynamo.create_vector_index('docs', 'dot', 'emb', 4, 'DOT_PRODUCT', projection => 'INCLUDE', non_key_attributes => ARRAY['note'], filters => ARRAY['lang', 'tenant']);
SELECT index_name, vector_attribute, dimensions, distance, partition_key, filters, projection, non_key_attributes, relation_name, status FROM dynamo.vector_indexes;
-- it is no index to query
SELECT count(*) FROM dynamo.indexes WHERE table_name = 'docs';
SELECT indexes FROM dynamo.tables WHERE table_name = 'docs';
SELECT jsonb_pretty(dynamo.describe_table('docs') -> 'vector_indexes' -> 0 #- '{item_count}' #- '{index_size_bytes}');
\d docs$cos
SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'docs$cos'::regclass AND attname = 'dynamo_vector';
-- the largest target that a page allows, which depends on the server's alignment
SELECT regexp_replace(reloptions::text, 'toast_tuple_target=20[0-9]{2}', 'toast_tuple_target=20..') FROM pg_class WHERE oid = 'docs$cos'::regclass;

-- scores of the service's documentation
SELECT dynamo.put_item('docs', doc('c', 't1', 'en', -1, 0, 0, 0));
SELECT dynamo.put_item('docs', doc('zero', 't1', NULL, 0, 0, 0, 0));
SELECT dynamo.put_item('docs', doc('other', 't2', 'de', 1, 1, 1, 1));
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t1"}');
SELECT found('euc', '{1,0,0,0}');
SELECT found('dot', '{1,0,0,0}');
SELECT found('euc', '{1,0,0,0}', 2);
-- a zero vector is as far from all
SELECT found('cos', '{0,0,0,0}', 10, 'tenant = :t', '{":t": "t1"}');
-- partitions and filters
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t AND lang = :l', '{":t": "t1", ":l": "en"}');
SELECT found('cos', '{1,0,0,0}', 10, ':l = lang AND (:t = tenant)', '{":t": "t2", ":l": "de"}');
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t3"}');
SELECT found('dot', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t1"}');
-- no score is infinite, none is lost
SELECT item ->> 'sk', score FROM dynamo.search_vectors('docs', 'euc', ARRAY[3.4028235e38, 0, 0, -3.4028235e38]::real[], 1);
SELECT score FROM dynamo.search_vectors('docs', 'dot', ARRAY[3.4028235e38, 3.4028235e38, 0, 0]::real[], 1);
-- projections; the vector is returned as the index holds it
SELECT * FROM dynamo.search_vectors('docs', 'euc', '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('docs', 'dot', '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('docs', 'cos', '{1,1,0,0}', 1, 'tenant = :t', '{":t": "t1"}'::jsonb, NULL, 'sk, emb, note');
SELECT * FROM dynamo.search_vectors('docs', 'cos', '{1,1,0,0}', 1, '#t = :t', '{":t": "t1"}'::jsonb, '{"#t": "tenant"}', 'emb[1], missing');

-- plain SQL: distances over an attribute, joins
SELECT (item ->> 'sk'), round(dynamo.cosine_distance(item -> 'emb', '{1,0,0,0}')::numeric, 5) AS d FROM docs ORDER BY d NULLS LAST, 1;
SELECT round(dynamo.euclidean_distance(item -> 'emb', '{1,0,0,0}')::numeric, 5), round(dynamo.dot_product(item -> 'emb', '{1,0,0,0}')::numeric, 5), dynamo.vector(item -> 'emb')
FROM docs WHERE sk = 'b';
SELECT dynamo.vector('{"S": "x"}'), dynamo.vector('{"L": []}'), dynamo.vector('{"L": [{"N": "1"}, {"S": "1"}]}'), dynamo.cosine_distance('{"L": [{"N": "1"}]}', '{1,2}');
CREATE TABLE notes (sk text, grade int);
INSERT INTO notes VALUES ('a', 1), ('b', 2), ('c', 3);
SELECT n.grade, s.item ->> 'sk' FROM dynamo.search_vectors('docs', 'euc', '{1,0,0,0}', 4) s JOIN notes n ON n.sk = s.item ->> 'sk' ORDER BY s.score;

-- entries follow their items through every door
INSERT INTO docs (item) VALUES (doc('sql', 't3', 'de', 1, 0, 0, 0));
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t3"}');
UPDATE docs SET item = doc('sql', 't4', 'de', 0, 1, 0, 0) WHERE sk = 'sql';
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t3"}'), found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t4"}');
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "sql"}'::jsonb, 'SET emb[0] = :one', expression_attribute_values => '{":one": 1}'::jsonb);
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t4"}');
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "sql"}'::jsonb, 'REMOVE emb');
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t4"}');
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "sql"}'::jsonb, 'SET emb = :v', expression_attribute_values => '{":v": [1,0,0,1]}'::jsonb);
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "sql"}'::jsonb, 'REMOVE tenant');
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t4"}'), found('dot', '{1,0,0,0}', 1);
COPY docs (item) FROM STDIN;
{"pk": {"S": "p"}, "sk": {"S": "copied"}, "tenant": {"S": "t5"}, "emb": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "4"}]}}
\.
SELECT found('cos', '{1,2,3,4}', 10, 'tenant = :t', '{":t": "t5"}');
SELECT dynamo.delete_item('docs', '{"pk": "p", "sk": "copied"}'::jsonb);
SELECT found('cos', '{1,2,3,4}', 10, 'tenant = :t', '{":t": "t5"}');
-- in one transaction, seen before it ends, and gone with it
BEGIN;
SELECT dynamo.put_item('docs', doc('mine', 't6', NULL, 1, 2, 3, 4));
SELECT found('cos', '{1,2,3,4}', 10, 'tenant = :t', '{":t": "t6"}');
ROLLBACK;
SELECT found('cos', '{1,2,3,4}', 10, 'tenant = :t', '{":t": "t6"}');
-- two changes of a row in one statement
WITH w AS (SELECT dynamo.put_item('docs', doc('twice', 't7', NULL, 1, 0, 0, 0)))
SELECT count(dynamo.put_item('docs', doc('twice', 't8', NULL, 0, 1, 0, 0))) FROM w;
SELECT found('cos', '{0,1,0,0}', 10, 'tenant = :t', '{":t": "t7"}'), found('cos', '{0,1,0,0}', 10, 'tenant = :t', '{":t": "t8"}');
-- a vector whose digits differ, but not as single-precision numbers
SELECT dynamo.put_item('docs', doc('near', 't9', NULL, 0.1, 0, 0, 0));
SELECT ctid AS before FROM docs$cos WHERE tenant = 't9' \gset
SELECT dynamo.put_item('docs', doc('near', 't9', NULL, 0.1000000001, 0, 0, 0));
SELECT ctid = :'before' AS kept FROM docs$cos WHERE tenant = 't9';

-- verification finds what is wrong, and a rebuild repairs it
SELECT problem, key, detail FROM dynamo.verify_index('docs', 'cos') ORDER BY 2;
UPDATE docs$cos SET dynamo_vector = '{1,1,1,1}';
SELECT DISTINCT dynamo_vector FROM docs$cos WHERE "sk" = 'a';
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE docs$cos DISABLE TRIGGER "~dynamo_guard_index";
UPDATE docs$cos SET dynamo_vector = '{1,1,1,1}' WHERE "sk" = 'a';
DELETE FROM docs$cos WHERE "sk" = 'b';
UPDATE docs$cos SET "sk" = 'ghost' WHERE "sk" = 'c';
SELECT problem, key, detail FROM dynamo.verify_index('docs', 'cos') ORDER BY 1, 2, 3;
SELECT dynamo.reindex('docs', 'cos');
SELECT problem, key, detail FROM dynamo.verify_index('docs', 'cos') ORDER BY 1, 2;
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t1"}');

-- a stored vector that the extension has not written
ALTER TABLE docs$cos DISABLE TRIGGER "~dynamo_guard_index";
UPDATE docs$cos SET dynamo_vector = '{1,NULL,1,1}' WHERE "sk" = 'a';
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t1"}');
SELECT dynamo.reindex('docs', 'cos');
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
SELECT found('cos', '{1,0,0,0}', 10, 'tenant = :t', '{":t": "t1"}');

-- long vectors are stored beside their rows
SELECT dynamo.create_table('long', 'pk');
SELECT dynamo.create_vector_index('long', 'vec', 'v', 4096, 'DOT_PRODUCT');
SELECT attstorage FROM pg_attribute WHERE attrelid = 'long$vec'::regclass AND attname = 'dynamo_vector';
SELECT dynamo.put_item('long', jsonb_build_object('pk', i::text, 'v', (SELECT jsonb_agg(i * j) FROM generate_series(1, 4096) j))) FROM generate_series(1, 2) i;
SELECT item, score FROM dynamo.search_vectors('long', 'vec', array_fill(1::real, ARRAY[4096]), 5);

-- truncation, and the end
TRUNCATE docs;
SELECT found('euc', '{1,0,0,0}');
SELECT dynamo.change_index('docs', 'cos', projection => 'KEYS_ONLY');
SELECT dynamo.drop_vector_index('docs', 'no');
SELECT dynamo.create_index('docs', 'gsi', 'g');
SELECT dynamo.drop_vector_index('docs', 'gsi');
SELECT dynamo.drop_vector_index('docs', 'cos');
SELECT dynamo.drop_index('docs', 'dot');
SELECT index_name FROM dynamo.vector_indexes WHERE table_name = 'docs';
SELECT attname FROM pg_attribute WHERE attrelid = 'docs'::regclass AND attnum > 0 AND NOT attisdropped;
SELECT dynamo.drop_table('docs');
SELECT count(*) FROM pg_class WHERE relname LIKE 'docs$%';
DROP SCHEMA t_vectors CASCADE;
