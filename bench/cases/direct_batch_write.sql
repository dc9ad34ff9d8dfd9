-- title: by SQL statements: dynamo.request('BatchWriteItem'), 25 items
-- setup: shop
-- params: SELECT json_build_object('RequestItems', json_build_object('shop', json_agg(json_build_object('PutRequest', json_build_object('Item', item_text::json))))), min(pk), min(sk), min(json_text) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- weight: 25
-- before: VACUUM shop
SELECT dynamo.request('BatchWriteItem', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- weight: 25
-- before: VACUUM shop
SELECT dynamo.request('BatchWriteItem', $1)
