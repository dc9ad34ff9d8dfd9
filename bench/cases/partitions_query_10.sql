-- title: 16 partitions: query, the 10 items of a collection
-- setup: shop partitioned
-- params: SELECT json_build_object(':pk', json_build_object('S', pk)) FROM shop_sample
-- modes: pipeline
-- target: >= 0.83
--:: partitioned
-- use: 1
SELECT dynamo.query('parts', 'PK = :pk', $1)
--:: one table
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk', $1)
