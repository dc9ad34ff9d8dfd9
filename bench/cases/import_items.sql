-- title: import_items of 50,000 lines
-- setup: copy_sharded
-- modes: pipeline
-- rounds: 3
-- count: 1
-- executions: 1
--:: dynamo
-- before: TRUNCATE imported; CHECKPOINT
SELECT dynamo.import_items('imported', current_setting('data_directory') || '/import_lines.txt')
--:: COPY of jsonb
-- before: TRUNCATE raw_imported; CHECKPOINT
COPY raw_imported FROM PROGRAM 'cat copy8_raw.txt'
