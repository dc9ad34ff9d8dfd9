-- title: VACUUM of 100,000 items, three inline indexes, a tenth of them written anew
-- setup: indexed
-- kind: instructions
-- executions: 1
--:: dynamo
-- before: DELETE FROM shop3 WHERE "PK" LIKE '%7'; INSERT INTO shop3 (item) SELECT dynamo_item FROM indexed_source WHERE item ->> 'PK' LIKE '%7'
VACUUM shop3
--:: expert's expression indexes
-- before: DELETE FROM raw_shop3 WHERE pk LIKE '%7'; INSERT INTO raw_shop3 SELECT item ->> 'PK', item ->> 'SK', item FROM indexed_source WHERE item ->> 'PK' LIKE '%7'
VACUUM raw_shop3
