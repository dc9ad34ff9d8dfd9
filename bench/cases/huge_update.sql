-- title: update_item of 380 kB, one attribute
-- setup: large
-- params: SELECT bench_key(jsonb_build_object('PK', pk, 'SK', sk)), pk, sk FROM raw_huge
-- modes: pipeline
-- executions: 40
--:: dynamo
-- use: 1
-- before: VACUUM huge
SELECT dynamo.update_item('huge', $1, 'ADD version :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: UPDATE with jsonb_set
-- use: 2,3
-- before: VACUUM raw_huge
UPDATE raw_huge SET item = jsonb_set(item, '{version}', to_jsonb((item ->> 'version')::int + 1)) WHERE pk = $1 AND sk = $2
