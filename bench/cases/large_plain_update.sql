-- title: update_item of 100 kB uncompressed, one attribute
-- setup: large
-- params: SELECT bench_key(jsonb_build_object('PK', pk, 'SK', sk)), pk, sk FROM raw_large_plain
-- modes: pipeline
-- executions: 40
--:: dynamo
-- use: 1
-- before: VACUUM large_plain
SELECT dynamo.update_item('large_plain', $1, 'ADD version :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: UPDATE with jsonb_set
-- use: 2,3
-- before: VACUUM raw_large_plain
UPDATE raw_large_plain SET item = jsonb_set(item, '{version}', to_jsonb((item ->> 'version')::int + 1)) WHERE pk = $1 AND sk = $2
