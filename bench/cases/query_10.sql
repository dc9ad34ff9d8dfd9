-- title: query, the 10 items of a collection
-- setup: shop
-- params: SELECT json_build_object(':pk', json_build_object('S', pk)), pk FROM shop_sample
--:: dynamo
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk', $1)
--:: SQL over jsonb
-- use: 2
-- target: >= 1.05
SELECT item FROM raw_shop WHERE pk = $1 ORDER BY sk
--:: SQL over items
-- use: 2
-- target: >= 0.95
SELECT item FROM raw_item WHERE pk = $1 ORDER BY sk
