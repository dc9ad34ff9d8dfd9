-- vector indexes: definitions, vectors and searches that are refused
CREATE SCHEMA t_vectors_checks;
SET search_path = t_vectors_checks, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SELECT dynamo.create_table('docs', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}]');

-- definitions
SELECT dynamo.create_vector_index('docs', '', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'gsi', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 0);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4097);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', NULL);
SELECT dynamo.create_vector_index('docs', 'vec', '', 4);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, 'MANHATTAN');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, partition_key => 'emb');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, filters => ARRAY['emb']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, filters => ARRAY['a', 'a']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, partition_key => 'a', filters => ARRAY['a']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, filters => ARRAY['g'], filter_types => ARRAY['N']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, filters => ARRAY['a'], filter_types => ARRAY['L']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, filters => ARRAY['a'], filter_types => ARRAY['S', 'S']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, filters => (SELECT array_agg('f' || i) FROM generate_series(1, 19) i));
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, partition_key => 'g', partition_key_type => 'N');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, projection => 'INCLUDE');
SELECT dynamo.create_vector_index('none', 'vec', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4, partition_key => 'tenant', filters => ARRAY['lang', 'year'], filter_types => ARRAY['S', 'N']);
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'other', 'emb', 5);
SELECT dynamo.create_vector_index('docs', 'vec2', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'vec3', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'vec4', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'vec5', 'emb', 4);
SELECT dynamo.create_vector_index('docs', 'vec6', 'emb', 4);
SELECT dynamo.drop_vector_index('docs', 'vec' || i) FROM generate_series(2, 5) i;
SELECT dynamo.create_index('docs', 'vec', 'g');

-- vectors of the wrong form: the service's words
CREATE FUNCTION put(attributes text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.put_item('docs', ('{"pk": {"S": "p"}, "sk": {"S": "s"}, ' || attributes || '}')::dynamo.item);
	RETURN 'stored';
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT put('"emb": {"S": "1"}');
SELECT put('"emb": {"NS": ["1", "2", "3", "4"]}');
SELECT put('"emb": {"NULL": true}');
SELECT put('"emb": {"L": []}');
SELECT put('"emb": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}');
SELECT put('"emb": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "4"}, {"N": "5"}]}');
SELECT put('"emb": {"L": [{"N": "1"}, {"S": "2"}, {"N": "3"}, {"N": "4"}]}');
SELECT put('"emb": {"L": [{"N": "1"}, {"N": "2"}, {"L": [{"N": "3"}]}, {"N": "4"}]}');
SELECT put('"emb": {"L": [{"N": "1.3E+40"}, {"N": "2"}, {"N": "3"}, {"N": "4"}]}');
SELECT put('"emb": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "-4E38"}]}');
SELECT put('"emb": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "3.4028235E38"}]}');
SELECT put('"tenant": {"N": "1"}, "emb": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "4"}]}');
SELECT put('"tenant": {"N": "1"}');
SELECT put('"tenant": {"S": ""}');
SELECT put('"tenant": {"S": "' || repeat('x', 2049) || '"}');
SELECT put('"lang": {"N": "1"}');
SELECT put('"year": {"S": "1"}');
SELECT put('"lang": {"S": "' || repeat('x', 10241) || '"}');
SELECT put('"lang": {"S": "' || repeat('x', 10240) || '"}, "tenant": {"S": "t"}, "emb": {"L": [{"N": "0"}, {"N": "0"}, {"N": "0"}, {"N": "0"}]}');
-- every door has them
INSERT INTO docs (item) VALUES ('{"pk": {"S": "p"}, "sk": {"S": "t"}, "emb": {"S": "x"}}');
UPDATE docs SET item = '{"pk": {"S": "p"}, "sk": {"S": "s"}, "emb": {"L": []}}';
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "s"}'::jsonb, 'SET emb = :v', expression_attribute_values => '{":v": [1]}'::jsonb);
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "s"}'::jsonb, 'SET emb[1] = :v', expression_attribute_values => '{":v": "x"}'::jsonb);
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "s"}'::jsonb, 'SET tenant = :v', expression_attribute_values => '{":v": 1}'::jsonb);
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "s"}'::jsonb, 'SET tenant = :v', expression_attribute_values => '{":v": ""}'::jsonb);
SELECT dynamo.update_item('docs', '{"pk": "p", "sk": "s"}'::jsonb, 'SET lang = :v', expression_attribute_values => '{":v": 1}'::jsonb);

-- an item that a backfill has skipped can still be changed, but not its vector
SELECT dynamo.create_table('old', 'pk');
SELECT dynamo.put_item('old', '{"pk": "a", "emb": [1, 2, 3], "tag": 5}'::jsonb);
SELECT dynamo.create_vector_index('old', 'vec', 'emb', 4, filters => ARRAY['tag']);
SELECT problem, key, detail FROM dynamo.verify_index('old', 'vec');
SELECT dynamo.update_item('old', '{"pk": "a"}'::jsonb, 'SET x = :v', expression_attribute_values => '{":v": 1}'::jsonb);
UPDATE old SET item = item || '{"y": {"N": "2"}}';
SELECT dynamo.update_item('old', '{"pk": "a"}'::jsonb, 'SET emb[0] = :v', expression_attribute_values => '{":v": 2}'::jsonb);
SELECT item FROM old;

-- searches
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0}', 1, 'tenant = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', ARRAY[1,0,0,NULL]::real[], 1, 'tenant = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,NaN}', 1, 'tenant = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,Infinity}', 1, 'tenant = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{{1,0},{0,0}}', 1, 'tenant = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{}', 1);
SELECT * FROM dynamo.search_vectors('docs', 'vec', NULL, 1);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 0);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 101);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', NULL);
SELECT * FROM dynamo.search_vectors('docs', 'no', '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('docs', 'gsi', '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('docs', NULL, '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('no', 'vec', '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'lang = :l', '{":l": "de"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant = :t AND x = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant = :t AND lang = :l', '{":t": "t", ":l": 1}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant = :t', '{":t": ""}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant >= :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant = :t OR tenant = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant = lang');
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant.x = :t', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'begins_with(tenant, :t)', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant =', '{":t": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, 'tenant = :t', '{":t": "t", ":u": "t"}'::jsonb);
SELECT * FROM dynamo.search_vectors('docs', 'vec', '{1,0,0,0}', 1, expression_attribute_values => '{":t": "t"}'::jsonb);
-- neither a query nor a scan reads it
SELECT dynamo.query('docs', 'tenant = :t', '{":t": "t"}'::jsonb, index_name => 'vec');
SELECT dynamo.scan('docs', index_name => 'vec');
DROP SCHEMA t_vectors_checks CASCADE;
