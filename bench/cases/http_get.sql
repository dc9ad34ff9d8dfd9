-- title: GetItem over HTTP, signed
-- kind: instructions
-- setup: shop
-- params: SELECT json_build_object('TableName', 'shop', 'Key', key::json) FROM shop_sample
--:: HTTP
-- http: GetItem
-- use: 1
--:: dynamo.request
-- use: 1
SELECT dynamo.request('GetItem', $1)
