-- title: put_item of a new key
-- setup: new_items
-- params: SELECT item_text, pk, sk, json_text FROM new_sample
-- count: 10000
--:: dynamo
-- use: 1
-- before: TRUNCATE shop_new
SELECT dynamo.put_item('shop_new', $1)
--:: SQL over jsonb
-- use: 2,3,4
-- before: TRUNCATE raw_new
-- target: >= 1.05
INSERT INTO raw_new VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
--:: SQL over items
-- use: 2,3,1
-- before: TRUNCATE raw_item_new
-- target: >= 0.9
INSERT INTO raw_item_new VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
