-- title: dynamo.request('BatchWriteItem'), 25 items
-- setup: shop
-- params: SELECT json_build_object('RequestItems', json_build_object('shop', json_agg(json_build_object('PutRequest', json_build_object('Item', item_text::json))))), min(pk), min(sk), min(json_text) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch
-- modes: clients
-- target: >= 3
--:: request
-- use: 1
-- weight: 25
-- before: VACUUM shop
SELECT dynamo.request('BatchWriteItem', $1)
--:: 25 single statements over jsonb
-- use: 2,3,4
-- before: VACUUM raw_shop
INSERT INTO raw_shop VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
