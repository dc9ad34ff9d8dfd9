-- title: by SQL statements: three inline indexes: put_item, every index key changes
-- setup: indexed
-- params: SELECT item, pk, sk, json FROM indexed_moves
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- before: VACUUM shop3
SELECT dynamo.put_item('shop3', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- before: VACUUM shop3
SELECT dynamo.put_item('shop3', $1)
