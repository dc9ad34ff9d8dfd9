-- title: PartiQL SELECT by key
-- setup: shop
-- params: SELECT json_build_object('Statement', 'SELECT * FROM shop WHERE PK = ? AND SK = ?', 'Parameters', json_build_array(json_build_object('S', pk), json_build_object('S', sk))), json_build_object('TableName', 'shop', 'Key', key::json), pk, sk FROM shop_sample
-- modes: pipeline
--:: ExecuteStatement
-- use: 1
SELECT dynamo.request('ExecuteStatement', $1)
--:: GetItem
-- use: 2
SELECT dynamo.request('GetItem', $1)
--:: SQL over jsonb
-- use: 3,4
SELECT item FROM raw_shop WHERE pk = $1 AND sk = $2
