-- title: by SQL statements: get_item
-- setup: shop
-- params: SELECT key, pk, sk FROM shop_sample
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
SELECT dynamo.get_item('shop', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
SELECT dynamo.get_item('shop', $1)
