-- title: dynamo.request('PutItem')
-- setup: shop
-- params: SELECT json_build_object('TableName', 'shop', 'Item', item_text::json), item_text FROM shop_sample
-- target: >= 0.75
--:: request
-- use: 1
-- before: VACUUM shop
SELECT dynamo.request('PutItem', $1)
--:: put_item
-- use: 2
-- before: VACUUM shop
SELECT dynamo.put_item('shop', $1)
