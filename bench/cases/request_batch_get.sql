-- title: dynamo.request('BatchGetItem'), 25 keys
-- setup: shop
-- params: SELECT json_build_object('RequestItems', json_build_object('shop', json_build_object('Keys', json_agg(key::json)))), min(pk), min(sk) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch
-- modes: clients
-- target: >= 3
--:: request
-- use: 1
-- weight: 25
SELECT dynamo.request('BatchGetItem', $1)
--:: 25 single statements over jsonb
-- use: 2,3
SELECT item FROM raw_shop WHERE pk = $1 AND sk = $2
