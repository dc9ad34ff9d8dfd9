-- title: get_item of 100 kB uncompressed
-- setup: large
-- params: SELECT bench_key(jsonb_build_object('PK', pk, 'SK', sk)), pk, sk FROM raw_large_plain
-- modes: pipeline
-- executions: 40
--:: dynamo
-- use: 1
SELECT dynamo.get_item('large_plain', $1)
--:: SQL over jsonb
-- use: 2,3
SELECT item FROM raw_large_plain WHERE pk = $1 AND sk = $2
