-- title: an index of 8 shards: delete_item
-- setup: sharded8
-- params: SELECT bench_key(item), item ->> 'PK', item ->> 'SK' FROM sharded8_deleted
-- count: 5000
-- modes: pipeline
--:: dynamo
-- use: 1
-- before: INSERT INTO sharded8 (item) SELECT item FROM sharded8_deleted ON CONFLICT DO NOTHING; VACUUM sharded8
SELECT dynamo.delete_item('sharded8', $1)
--:: expert's shard number in the row
-- use: 2,3
-- before: INSERT INTO raw_sharded8 (pk, sk, item) SELECT item ->> 'PK', item ->> 'SK', item FROM sharded8_deleted ON CONFLICT DO NOTHING; VACUUM raw_sharded8
DELETE FROM raw_sharded8 WHERE pk = $1 AND sk = $2
