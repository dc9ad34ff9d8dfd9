-- title: by SQL statements: query, 10 items in order from 8 shards
-- setup: sharded8
-- params: SELECT json_build_object(':o', json_build_object('S', 'ORDERS' || i % 4), ':d', json_build_object('S', 'OPEN#' || lpad(i::text, 8, '0'))), 'ORDERS' || i % 4, 'OPEN#' || lpad(i::text, 8, '0') FROM generate_series(1, 39000, 97) i
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
SELECT dynamo.query('sharded8', 'GSI2PK = :o AND GSI2SK >= :d', $1, index_name => 'GSI2', max_items => 10)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
SELECT dynamo.query('sharded8', 'GSI2PK = :o AND GSI2SK >= :d', $1, index_name => 'GSI2', max_items => 10)
