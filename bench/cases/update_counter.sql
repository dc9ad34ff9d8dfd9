-- title: update_item, ADD to a counter, with a condition
-- setup: shop
-- params: SELECT key, pk, sk FROM shop_sample
-- target: >= 1.15
--:: dynamo
-- use: 1
-- before: VACUUM shop
SELECT dynamo.update_item('shop', $1, 'ADD quantity :one', condition_expression => 'EntityType = :type', expression_attribute_values => '{":one": {"N": "1"}, ":type": {"S": "Order"}}')
--:: UPDATE with jsonb_set
-- use: 2,3
-- before: VACUUM raw_shop
UPDATE raw_shop SET item = jsonb_set(item, '{quantity}', to_jsonb(coalesce((item ->> 'quantity')::numeric, 0) + 1)) WHERE pk = $1 AND sk = $2 AND item ->> 'EntityType' = 'Order'
