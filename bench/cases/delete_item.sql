-- title: delete_item
-- setup: new_items
-- params: SELECT bench_key(json_text::jsonb), pk, sk FROM new_sample
-- count: 10000
--:: dynamo
-- use: 1
-- before: TRUNCATE shop_new; INSERT INTO shop_new (item) SELECT item_text::dynamo.item FROM new_sample
SELECT dynamo.delete_item('shop_new', $1)
--:: SQL over jsonb
-- use: 2,3
-- before: TRUNCATE raw_new; INSERT INTO raw_new SELECT pk, sk, json_text::jsonb FROM new_sample
-- target: >= 1.0
DELETE FROM raw_new WHERE pk = $1 AND sk = $2
