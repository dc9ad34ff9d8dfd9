-- title: get_item
-- setup: shop
-- params: SELECT key, pk, sk FROM shop_sample
--:: dynamo
-- use: 1
SELECT dynamo.get_item('shop', $1)
--:: SQL over jsonb
-- use: 2,3
-- target: >= 1.05
SELECT item FROM raw_shop WHERE pk = $1 AND sk = $2
--:: SQL over items
-- use: 2,3
-- target: >= 0.95
SELECT item FROM raw_item WHERE pk = $1 AND sk = $2
