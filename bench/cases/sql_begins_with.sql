-- title: begins_with in plain SQL
-- setup: shop
-- params: SELECT DISTINCT ON (pk) pk, left(sk, -1), left(sk, -2) || chr(ascii(right(left(sk, -1), 1)) + 1) FROM shop_sample ORDER BY pk, sk
--:: dynamo.begins_with
-- use: 1,2
SELECT item FROM shop WHERE "PK" = $1 AND dynamo.begins_with("SK", $2) ORDER BY "SK"
--:: explicit range
-- use: 1,2,3
-- target: >= 0.95
SELECT item FROM shop WHERE "PK" = $1 AND "SK" >= $2 AND "SK" < $3 ORDER BY "SK"
--:: LIKE
-- use: 1,2
-- target: >= 2.3
SELECT item FROM shop WHERE "PK" = $1 AND "SK" LIKE $2 || '%' ORDER BY "SK"
