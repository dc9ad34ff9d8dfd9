-- title: 16 partitions: put_item over an existing key
-- setup: shop partitioned
-- params: SELECT item_text FROM shop_sample
-- modes: pipeline
-- target: >= 0.83
--:: partitioned
-- use: 1
-- before: VACUUM parts
SELECT dynamo.put_item('parts', $1)
--:: one table
-- use: 1
-- before: VACUUM shop
SELECT dynamo.put_item('shop', $1)
