-- title: ANALYZE of 100,000 items, three inline indexes
-- setup: indexed
-- kind: instructions
-- executions: 1
--:: dynamo
ANALYZE shop3
--:: expert's expression indexes
ANALYZE raw_shop3
