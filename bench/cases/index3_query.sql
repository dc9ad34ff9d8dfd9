-- title: query, 10 items of an inline index
-- setup: indexed
-- params: SELECT json_build_object(':pk', json_build_object('S', gsi1pk)), gsi1pk FROM indexed_sample
-- target: >= 0.95
--:: dynamo
-- use: 1
SELECT dynamo.query('shop3', 'GSI1PK = :pk', $1, index_name => 'GSI1', max_items => 10)
--:: expert's expression index
-- use: 2
SELECT item FROM raw_shop3 WHERE (item ->> 'GSI1PK') COLLATE "C" = $1 ORDER BY (item ->> 'GSI1SK') COLLATE "C" LIMIT 10
