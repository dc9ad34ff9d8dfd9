-- title: 16 partitions: get_item
-- setup: shop partitioned
-- params: SELECT key FROM shop_sample
-- modes: pipeline
-- target: >= 0.83
--:: partitioned
-- use: 1
SELECT dynamo.get_item('parts', $1)
--:: one table
-- use: 1
SELECT dynamo.get_item('shop', $1)
