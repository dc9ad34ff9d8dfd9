-- title: PutItem over HTTP, signed
-- kind: instructions
-- setup: shop
-- params: SELECT json_build_object('TableName', 'shop', 'Item', item_text::json) FROM shop_sample
--:: HTTP
-- http: PutItem
-- use: 1
--:: dynamo.request
-- use: 1
SELECT dynamo.request('PutItem', $1)
