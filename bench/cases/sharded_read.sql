-- title: 1,000 items in order from 16 shards, without output
-- setup: sharded
-- params: SELECT json_build_object(':o', json_build_object('S', 'ORDERS'), ':d', json_build_object('S', 'OPEN#' || lpad(i::text, 8, '0'))), 'OPEN#' || lpad(i::text, 8, '0') FROM generate_series(1, 90000, 97) i
-- modes: pipeline
-- target: >= 1.2
--:: dynamo
-- use: 1
SELECT count(item) FROM (SELECT dynamo.query('sharded', 'GSI2PK = :o AND GSI2SK >= :d', $1, index_name => 'GSI2', max_items => 1000) AS item) s
--:: MergeAppend
-- use: 2
SELECT count(item) FROM (SELECT item FROM "sharded$GSI2" WHERE "GSI2PK" = 'ORDERS' AND "GSI2SK" >= $1 ORDER BY "GSI2SK" LIMIT 1000) s
