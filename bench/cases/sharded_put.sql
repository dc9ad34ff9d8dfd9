-- title: an index of 8 shards: put_item, the index key changes
-- setup: sharded8
-- params: SELECT item_text, pk, sk, json_text FROM sharded8_sample
-- modes: pipeline
--:: dynamo
-- use: 1
-- before: VACUUM sharded8
SELECT dynamo.put_item('sharded8', $1)
--:: expert's shard number in the row
-- use: 2,3,4
-- before: VACUUM raw_sharded8
INSERT INTO raw_sharded8 (pk, sk, item) VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
