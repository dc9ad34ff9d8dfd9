-- title: by SQL statements: query, 100 of 10,000 items
-- setup: shop
-- params: SELECT json_build_object(':pk', json_build_object('S', 'BIG'), ':from', json_build_object('S', sk)), sk FROM raw_shop WHERE pk = 'BIG' ORDER BY random() LIMIT 2000
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk AND SK >= :from', $1, max_items => 100)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk AND SK >= :from', $1, max_items => 100)
