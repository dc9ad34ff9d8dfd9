-- title: transact_get_items, 25 keys
-- setup: shop
-- params: SELECT json_agg(json_build_object('Get', json_build_object('TableName', 'shop', 'Key', key::json))), array_agg(key), array_agg(pk), array_agg(sk) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch HAVING count(*) = 25
-- modes: pipeline
--:: dynamo
-- use: 1
SELECT dynamo.transact_get_items($1)
--:: join with unnest
-- use: 3,4
SELECT r.item FROM unnest($1::text[], $2::text[]) k (pk, sk) JOIN raw_shop r ON r.pk = k.pk AND r.sk = k.sk
--:: batch_get_item
-- use: 2
SELECT dynamo.batch_get_item('shop', $1::dynamo.item[])
