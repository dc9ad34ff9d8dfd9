-- title: update_item of 100 kB, one attribute
-- setup: large
-- params: SELECT bench_key(jsonb_build_object('PK', pk, 'SK', sk)), pk, sk FROM raw_large
-- modes: pipeline
-- executions: 40
--:: dynamo
-- use: 1
-- before: VACUUM large
SELECT dynamo.update_item('large', $1, 'ADD version :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: UPDATE with jsonb_set
-- use: 2,3
-- before: VACUUM raw_large
UPDATE raw_large SET item = jsonb_set(item, '{version}', to_jsonb((item ->> 'version')::int + 1)) WHERE pk = $1 AND sk = $2
