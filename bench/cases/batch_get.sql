-- title: batch_get_item, 25 keys
-- setup: shop
-- params: SELECT json_build_object('shop', json_build_object('Keys', json_agg(key::json))), array_agg(key), array_agg(pk), array_agg(sk) FROM (SELECT *, (row_number() OVER () - 1) / 25 AS batch FROM shop_sample) s GROUP BY batch HAVING count(*) = 25
-- modes: pipeline clients
--:: dynamo
-- use: 2
SELECT dynamo.batch_get_item('shop', $1::dynamo.item[])
--:: join with unnest
-- use: 3,4
-- target: >= 1.1
SELECT r.item FROM unnest($1::text[], $2::text[]) k (pk, sk) JOIN raw_shop r ON r.pk = k.pk AND r.sk = k.sk
--:: (pk, sk) IN
-- use: 3,4
-- target: >= 3
SELECT item FROM raw_shop WHERE (pk, sk) IN ((($1::text[])[1], ($2::text[])[1]), (($1::text[])[2], ($2::text[])[2]), (($1::text[])[3], ($2::text[])[3]), (($1::text[])[4], ($2::text[])[4]), (($1::text[])[5], ($2::text[])[5]), (($1::text[])[6], ($2::text[])[6]), (($1::text[])[7], ($2::text[])[7]), (($1::text[])[8], ($2::text[])[8]), (($1::text[])[9], ($2::text[])[9]), (($1::text[])[10], ($2::text[])[10]), (($1::text[])[11], ($2::text[])[11]), (($1::text[])[12], ($2::text[])[12]), (($1::text[])[13], ($2::text[])[13]), (($1::text[])[14], ($2::text[])[14]), (($1::text[])[15], ($2::text[])[15]), (($1::text[])[16], ($2::text[])[16]), (($1::text[])[17], ($2::text[])[17]), (($1::text[])[18], ($2::text[])[18]), (($1::text[])[19], ($2::text[])[19]), (($1::text[])[20], ($2::text[])[20]), (($1::text[])[21], ($2::text[])[21]), (($1::text[])[22], ($2::text[])[22]), (($1::text[])[23], ($2::text[])[23]), (($1::text[])[24], ($2::text[])[24]), (($1::text[])[25], ($2::text[])[25]))
