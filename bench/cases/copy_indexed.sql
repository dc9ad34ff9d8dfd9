-- title: COPY of 200,000 items, three inline indexes
-- setup: copy
-- modes: pipeline
-- rounds: 3
-- count: 1
-- executions: 1
-- target: >= 0.9
--:: dynamo
-- before: TRUNCATE copy3; CHECKPOINT
COPY copy3 (item) FROM PROGRAM 'cat copy_item.txt'
--:: expert's expression indexes
-- before: TRUNCATE raw_copy3; CHECKPOINT
COPY raw_copy3 FROM PROGRAM 'cat copy_raw.txt'
