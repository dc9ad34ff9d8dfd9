-- title: begins_with in plain SQL, 10 of 100 items
-- setup: wide
-- params: SELECT DISTINCT ON ("PK") "PK", left("SK", -1), left("SK", -2) || chr(ascii(right(left("SK", -1), 1)) + 1) FROM wide ORDER BY "PK", md5("SK")
--:: dynamo.begins_with
-- use: 1,2
SELECT item FROM wide WHERE "PK" = $1 AND dynamo.begins_with("SK", $2) ORDER BY "SK"
--:: explicit range
-- use: 1,2,3
-- target: >= 0.95
SELECT item FROM wide WHERE "PK" = $1 AND "SK" >= $2 AND "SK" < $3 ORDER BY "SK"
--:: LIKE
-- use: 1,2
-- target: >= 2.3
SELECT item FROM wide WHERE "PK" = $1 AND "SK" LIKE $2 || '%' ORDER BY "SK"
