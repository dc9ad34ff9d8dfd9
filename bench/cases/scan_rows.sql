-- title: scan of 20,000 items, without output
-- setup: shop
-- modes: pipeline
-- executions: 2
--:: dynamo
SELECT count(item) FROM (SELECT dynamo.scan('shop', max_items => 20000) AS item) s
--:: SQL over jsonb in order of the key
SELECT count(item) FROM (SELECT item FROM raw_shop ORDER BY pk, sk LIMIT 20000) s
--:: SQL over jsonb in any order
SELECT count(item) FROM (SELECT item FROM raw_shop LIMIT 20000) s
