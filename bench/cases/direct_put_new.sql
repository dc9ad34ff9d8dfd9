-- title: by SQL statements: put_item of a new key
-- setup: new_items
-- params: SELECT item_text, pk, sk, json_text FROM new_sample
-- count: 10000
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- before: TRUNCATE shop_new
SELECT dynamo.put_item('shop_new', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- before: TRUNCATE shop_new
SELECT dynamo.put_item('shop_new', $1)
