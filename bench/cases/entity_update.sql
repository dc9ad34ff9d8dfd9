-- title: UPDATE of one row of an entity view
-- setup: shop entity
-- params: SELECT pk, sk FROM shop_sample
-- modes: pipeline
--:: entity view
-- use: 1,2
-- before: VACUUM shop
UPDATE order_view SET quantity = quantity + 1 WHERE "PK" = $1 AND "SK" = $2
--:: UPDATE with jsonb_set
-- use: 1,2
-- before: VACUUM raw_shop
UPDATE raw_shop SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::int + 1)) WHERE pk = $1 AND sk = $2
