-- title: three inline indexes: put_item, every index key changes
-- setup: indexed
-- params: SELECT item, pk, sk, json FROM indexed_moves
-- target: >= 0.95
--:: dynamo
-- use: 1
-- before: VACUUM shop3
SELECT dynamo.put_item('shop3', $1)
--:: expert's expression indexes
-- use: 2,3,4
-- before: VACUUM raw_shop3
INSERT INTO raw_shop3 VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
