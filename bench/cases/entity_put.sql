-- title: put_item whose entity composes the key
-- setup: entities
-- params: SELECT parts_text, item_text FROM composed_sample
-- count: 10000
-- target: >= 0.9
--:: dynamo
-- use: 1
-- before: TRUNCATE shop_composed
SELECT dynamo.put_item('shop_composed', $1)
--:: put_item of an item with its key
-- use: 2
-- before: TRUNCATE shop_supplied
SELECT dynamo.put_item('shop_supplied', $1)
