-- title: PartiQL INSERT
-- setup: new_items
-- params: SELECT json_build_object('Statement', 'INSERT INTO shop_new VALUE {''PK'': ?, ''SK'': ?, ''status'': ?, ''quantity'': ?}', 'Parameters', json_build_array(item_text::json -> 'PK', item_text::json -> 'SK', item_text::json -> 'status', item_text::json -> 'quantity')), json_build_object('TableName', 'shop_new', 'Item', json_build_object('PK', item_text::json -> 'PK', 'SK', item_text::json -> 'SK', 'status', item_text::json -> 'status', 'quantity', item_text::json -> 'quantity'), 'ConditionExpression', 'attribute_not_exists(PK)'), pk, sk, json_text::jsonb ->> 'status', json_text::jsonb ->> 'quantity' FROM new_sample
-- count: 10000
-- modes: pipeline
--:: ExecuteStatement
-- use: 1
-- before: TRUNCATE shop_new
SELECT dynamo.request('ExecuteStatement', $1)
--:: PutItem with a condition
-- use: 2
-- before: TRUNCATE shop_new
SELECT dynamo.request('PutItem', $1)
--:: INSERT over jsonb
-- use: 3,4,5,6
-- before: TRUNCATE raw_new
INSERT INTO raw_new VALUES ($1, $2, jsonb_build_object('PK', $1::text, 'SK', $2::text, 'status', $3::text, 'quantity', $4::int))
