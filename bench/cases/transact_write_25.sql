-- title: transact_write_items of 25 puts
-- setup: shop
-- params: SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'shop', 'Item', item_text::json))), min(pk), min(sk), min(json_text), min(item_text), json_build_object('TransactItems', json_agg(json_build_object('Put', json_build_object('TableName', 'shop', 'Item', item_text::json)))) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch
-- modes: pipeline
--:: dynamo
-- use: 1
-- weight: 25
-- before: VACUUM shop
SELECT dynamo.transact_write_items($1)
--:: 25 statements over jsonb, one transaction
-- use: 2,3,4
-- batch: 25
-- before: VACUUM raw_shop
INSERT INTO raw_shop VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
--:: 25 calls of put_item, one transaction
-- use: 5
-- batch: 25
-- before: VACUUM shop
SELECT dynamo.put_item('shop', $1)
--:: dynamo.request
-- use: 6
-- weight: 25
-- before: VACUUM shop
SELECT dynamo.request('TransactWriteItems', $1)
