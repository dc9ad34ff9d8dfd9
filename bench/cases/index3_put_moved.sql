-- title: three inline indexes: put_item, every index key changes
-- setup: indexed
-- params: SELECT item, pk, sk, json FROM (SELECT moved_item AS item, pk, sk, moved_json AS json, 1 AS turn, ctid AS place FROM indexed_sample UNION ALL SELECT same_item, pk, sk, same_json, 2, ctid FROM indexed_sample) s ORDER BY turn, place
-- target: >= 0.95
--:: dynamo
-- use: 1
-- before: VACUUM shop3
SELECT dynamo.put_item('shop3', $1)
--:: expert's expression indexes
-- use: 2,3,4
-- before: VACUUM raw_shop3
INSERT INTO raw_shop3 VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
