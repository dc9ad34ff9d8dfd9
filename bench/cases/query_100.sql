-- title: query, 100 of 10,000 items
-- setup: shop
-- params: SELECT json_build_object(':pk', json_build_object('S', 'BIG'), ':from', json_build_object('S', sk)), sk FROM raw_shop WHERE pk = 'BIG' ORDER BY random() LIMIT 2000
--:: dynamo
-- use: 1
SELECT dynamo.query('shop', 'PK = :pk AND SK >= :from', $1, max_items => 100)
--:: SQL over jsonb
-- use: 2
-- target: >= 1.2
SELECT item FROM raw_shop WHERE pk = 'BIG' AND sk >= $1 ORDER BY sk LIMIT 100
--:: SQL over items
-- use: 2
-- target: >= 0.95
SELECT item FROM raw_item WHERE pk = 'BIG' AND sk >= $1 ORDER BY sk LIMIT 100
