-- title: get_item of 100 kB, one attribute
-- setup: large
-- params: SELECT bench_key(jsonb_build_object('PK', pk, 'SK', sk)), pk, sk FROM raw_large
-- modes: pipeline
-- executions: 40
--:: dynamo
-- use: 1
SELECT dynamo.get_item('large', $1, projection_expression => 'author')
--:: SQL over jsonb
-- use: 2,3
SELECT item -> 'author' FROM raw_large WHERE pk = $1 AND sk = $2
