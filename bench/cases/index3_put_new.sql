-- title: three inline indexes: put_item of a new key
-- setup: indexed
-- params: SELECT item_text, pk, sk, json_text FROM indexed_new
-- count: 10000
-- target: >= 1.05
--:: dynamo
-- use: 1
-- before: TRUNCATE shop3_new
SELECT dynamo.put_item('shop3_new', $1)
--:: expert's expression indexes
-- use: 2,3,4
-- before: TRUNCATE raw_shop3_new
INSERT INTO raw_shop3_new VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
