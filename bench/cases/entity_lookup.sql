-- title: look-up by the parts of a key in an entity's view
-- setup: entities
-- params: SELECT customer_id, order_id, pk, sk FROM lookup_sample
-- count: 5000
-- target: >= 0.8
--:: dynamo
-- use: 1,2
SELECT name, total FROM composed_orders WHERE customer_id = $1 AND order_id = $2::int
--:: the view by PK and SK
-- use: 3,4
SELECT name, total FROM composed_orders WHERE "PK" = $1 AND "SK" = $2
