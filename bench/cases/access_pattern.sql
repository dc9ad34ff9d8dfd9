-- title: access pattern, 10 rows of a view
-- setup: entities
-- params: SELECT customer_id, json_build_object(':pk', json_build_object('S', pk), ':sk', json_build_object('S', 'ORDER#')) FROM lookup_sample
-- count: 5000
--:: dynamo
-- use: 1
SELECT * FROM orders_of($1)
--:: dynamo.query with the same condition and columns
-- use: 2
-- target: >= 0.9
SELECT item ->> 'PK', item ->> 'SK', item ->> 'customer_id', (item ->> 'order_id')::int, item ->> 'name', (item ->> 'total')::numeric FROM dynamo.query('shop_composed', 'PK = :pk AND begins_with(SK, :sk)', $1, max_items => 10) AS item
