-- title: by SQL statements: query, the 10 items of a collection
-- setup: shop
-- params: SELECT json_build_object(':pk', json_build_object('S', pk)), pk FROM shop_sample
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk', $1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk', $1)
