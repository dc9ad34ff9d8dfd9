-- title: SELECT of one row of an entity view
-- setup: shop entity
-- params: SELECT pk, sk FROM shop_sample
-- modes: pipeline
--:: entity view
-- use: 1,2
SELECT customer, total, quantity, active, created_at FROM order_view WHERE "PK" = $1 AND "SK" = $2
--:: jsonb expressions
-- use: 1,2
SELECT item ->> 'name', (item ->> 'total')::numeric, (item ->> 'quantity')::int, (item ->> 'active')::boolean, (item ->> 'created_at')::timestamptz FROM raw_shop WHERE pk = $1 AND sk = $2 AND item ->> 'EntityType' = 'Order'
