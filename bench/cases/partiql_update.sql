-- title: PartiQL UPDATE by key
-- setup: shop
-- params: SELECT json_build_object('Statement', 'UPDATE shop SET quantity = quantity + 1 WHERE PK = ? AND SK = ?', 'Parameters', json_build_array(json_build_object('S', pk), json_build_object('S', sk))), json_build_object('TableName', 'shop', 'Key', key::json, 'UpdateExpression', 'SET quantity = quantity + :one', 'ConditionExpression', 'attribute_exists(PK)', 'ExpressionAttributeValues', json_build_object(':one', json_build_object('N', '1'))), pk, sk FROM shop_sample
-- modes: pipeline
--:: ExecuteStatement
-- use: 1
-- before: VACUUM shop
SELECT dynamo.request('ExecuteStatement', $1)
--:: UpdateItem
-- use: 2
-- before: VACUUM shop
SELECT dynamo.request('UpdateItem', $1)
--:: UPDATE with jsonb_set
-- use: 3,4
-- before: VACUUM raw_shop
UPDATE raw_shop SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::numeric + 1)) WHERE pk = $1 AND sk = $2
