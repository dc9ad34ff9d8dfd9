-- title: put_item over an existing key
-- setup: shop
-- params: SELECT item_text, pk, sk, json_text FROM shop_sample
--:: dynamo
-- use: 1
-- before: VACUUM shop
SELECT dynamo.put_item('shop', $1)
--:: SQL over jsonb
-- use: 2,3,4
-- before: VACUUM raw_shop
-- target: >= 1.10
INSERT INTO raw_shop VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
--:: SQL over items
-- use: 2,3,1
-- before: VACUUM raw_item
-- target: >= 0.9
INSERT INTO raw_item VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
