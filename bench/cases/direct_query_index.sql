-- title: by SQL statements: query, 10 items of an inline index
-- setup: indexed
-- params: SELECT json_build_object(':pk', json_build_object('S', gsi1pk)), gsi1pk FROM indexed_sample
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
SELECT dynamo.query('shop3', 'GSI1PK = :pk', $1, index_name => 'GSI1', max_items => 10)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
SELECT dynamo.query('shop3', 'GSI1PK = :pk', $1, index_name => 'GSI1', max_items => 10)
