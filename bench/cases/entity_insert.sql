-- title: INSERT of one row into an entity view
-- setup: shop entity_delete
-- params: SELECT pk, sk, 'Customer', 12.5, 3, true, '2026-01-31T12:00:00Z' FROM shop_sample
-- count: 10000
-- modes: pipeline
--:: entity view
-- use: 1,2,3,4,5,6,7
-- before: TRUNCATE shop_deleted
INSERT INTO deleted_view ("PK", "SK", customer, total, quantity, active, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
--:: INSERT of jsonb
-- use: 1,2,3,4,5,6,7
-- before: TRUNCATE raw_deleted
INSERT INTO raw_deleted VALUES ($1, $2, jsonb_build_object('PK', $1::text, 'SK', $2::text, 'EntityType', 'Order', 'name', $3::text, 'total', $4::numeric, 'quantity', $5::int, 'active', $6::boolean, 'created_at', $7::timestamptz))
