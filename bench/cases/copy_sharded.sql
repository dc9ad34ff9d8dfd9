-- title: COPY of 50,000 items, an index of 8 shards
-- setup: copy_sharded
-- modes: pipeline
-- rounds: 3
-- count: 1
-- executions: 1
--:: dynamo
-- before: TRUNCATE copy8; CHECKPOINT
COPY copy8 (item) FROM PROGRAM 'cat copy8_item.txt'
--:: expert's shard number in the row
-- before: TRUNCATE raw_copy8; CHECKPOINT
COPY raw_copy8 (pk, sk, item) FROM PROGRAM 'cat copy8_raw.txt'
