-- title: access pattern in the select list, 10 items
-- setup: entities
-- params: SELECT customer_id, json_build_object(':pk', json_build_object('S', pk), ':sk', json_build_object('S', 'ORDER#')) FROM lookup_sample
-- count: 5000
--:: dynamo
-- use: 1
SELECT order_items_of($1)
--:: dynamo.query with the same condition
-- use: 2
-- target: >= 0.9
SELECT dynamo.query('shop_composed', 'PK = :pk AND begins_with(SK, :sk)', $1, max_items => 10)
