-- title: get_item of 380 kB
-- setup: large
-- params: SELECT bench_key(jsonb_build_object('PK', pk, 'SK', sk)), pk, sk FROM raw_huge
-- modes: pipeline
-- executions: 40
--:: dynamo
-- use: 1
SELECT dynamo.get_item('huge', $1)
--:: SQL over jsonb
-- use: 2,3
SELECT item FROM raw_huge WHERE pk = $1 AND sk = $2
