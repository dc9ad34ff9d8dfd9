-- title: dynamo.request('GetItem')
-- setup: shop
-- params: SELECT json_build_object('TableName', 'shop', 'Key', key::json), key FROM shop_sample
-- target: >= 0.75
--:: request
-- use: 1
SELECT dynamo.request('GetItem', $1)
--:: get_item
-- use: 2
SELECT dynamo.get_item('shop', $1)
