-- title: access pattern, 5 rows between two numbers
-- setup: entities
-- params: SELECT customer_id, order_id, order_id::int + 4000, json_build_object(':pk', json_build_object('S', pk), ':first', json_build_object('S', sk), ':last', json_build_object('S', 'ORDER#' || lpad((order_id::int + 4000)::text, 8, '0'))) FROM lookup_sample WHERE order_id::int <= 16000
-- count: 5000
--:: dynamo
-- use: 1,2,3
SELECT * FROM orders_between($1, $2::int, $3::int)
--:: dynamo.query with the same condition and columns
-- use: 4
-- target: >= 0.9
SELECT item ->> 'PK', item ->> 'SK', item ->> 'customer_id', (item ->> 'order_id')::int, item ->> 'name', (item ->> 'total')::numeric FROM dynamo.query('shop_composed', 'PK = :pk AND SK BETWEEN :first AND :last', $1) AS item
