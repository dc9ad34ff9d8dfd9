-- title: by SQL statements: batch_get_item, 25 keys
-- setup: shop
-- params: SELECT json_build_object('shop', json_build_object('Keys', json_agg(key::json))), array_agg(key), array_agg(pk), array_agg(sk) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch HAVING count(*) = 25
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 2
SELECT dynamo.batch_get_item('shop', $1::dynamo.item[])
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 2
SELECT dynamo.batch_get_item('shop', $1::dynamo.item[])
