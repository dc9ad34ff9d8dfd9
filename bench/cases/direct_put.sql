-- title: by SQL statements: put_item over an existing key
-- setup: shop
-- params: SELECT item_text, pk, sk, json_text FROM shop_sample
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- before: VACUUM shop
SELECT dynamo.put_item('shop', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- before: VACUUM shop
SELECT dynamo.put_item('shop', $1)
