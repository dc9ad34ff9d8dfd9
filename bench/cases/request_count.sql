-- title: dynamo.request('Query') with Select COUNT, the 10 items of a collection
-- setup: shop
-- params: SELECT json_build_object('TableName', 'shop', 'KeyConditionExpression', 'PK = :p', 'Select', 'COUNT', 'ExpressionAttributeValues', json_build_object(':p', json_build_object('S', pk))), pk FROM shop_sample
--:: request
-- use: 1
SELECT dynamo.request('Query', $1)
--:: count(*)
-- use: 2
-- target: >= 0.9
SELECT count(*) FROM raw_shop WHERE pk = $1
