-- title: by SQL statements: update_item, ADD to a counter, with a condition
-- setup: shop
-- params: SELECT key, pk, sk FROM shop_sample
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- before: VACUUM shop
SELECT dynamo.update_item('shop', $1, 'ADD quantity :one', condition_expression => 'EntityType = :type', expression_attribute_values => '{":one": {"N": "1"}, ":type": {"S": "Order"}}')
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- before: VACUUM shop
SELECT dynamo.update_item('shop', $1, 'ADD quantity :one', condition_expression => 'EntityType = :type', expression_attribute_values => '{":one": {"N": "1"}, ":type": {"S": "Order"}}')
