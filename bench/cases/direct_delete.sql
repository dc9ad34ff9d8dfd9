-- title: by SQL statements: delete_item
-- setup: new_items
-- params: SELECT bench_key(json_text::jsonb), pk, sk FROM new_sample
-- count: 10000
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- before: TRUNCATE shop_new; INSERT INTO shop_new (item) SELECT item_text::dynamo.item FROM new_sample
SELECT dynamo.delete_item('shop_new', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- before: TRUNCATE shop_new; INSERT INTO shop_new (item) SELECT item_text::dynamo.item FROM new_sample
SELECT dynamo.delete_item('shop_new', $1)
