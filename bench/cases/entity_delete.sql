-- title: DELETE of one row of an entity view
-- setup: shop entity_delete
-- params: SELECT pk, sk FROM shop_sample
-- count: 10000
-- modes: pipeline
--:: entity view
-- use: 1,2
-- before: INSERT INTO shop_deleted (item) SELECT item_text::dynamo.item FROM shop_sample ON CONFLICT DO NOTHING; VACUUM shop_deleted
DELETE FROM deleted_view WHERE "PK" = $1 AND "SK" = $2
--:: DELETE over jsonb
-- use: 1,2
-- before: INSERT INTO raw_deleted SELECT pk, sk, json_text::jsonb FROM shop_sample ON CONFLICT DO NOTHING; VACUUM raw_deleted
DELETE FROM raw_deleted WHERE pk = $1 AND sk = $2
