-- title: query, begins_with by parameter, 3 of 10 items
-- setup: shop
-- params: SELECT json_build_object(':pk', json_build_object('S', pk), ':p', json_build_object('S', p)), pk, p, left(p, -1) || chr(ascii(right(p, 1)) + 1) FROM (SELECT DISTINCT ON (pk) pk, left(sk, -1) AS p FROM shop_sample ORDER BY pk, sk) s
--:: dynamo
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk AND begins_with(SK, :p)', $1, max_items => 3)
--:: explicit range over jsonb
-- use: 2,3,4
-- target: >= 1.05
SELECT item FROM raw_shop WHERE pk = $1 AND sk >= $2 AND sk < $3 ORDER BY sk LIMIT 3
--:: LIKE over jsonb
-- use: 2,3
-- target: >= 2.3
SELECT item FROM raw_shop WHERE pk = $1 AND sk LIKE $2 || '%' ORDER BY sk LIMIT 3
