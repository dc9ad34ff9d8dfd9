-- title: scan of 210,000 items with a filter
-- setup: shop
-- modes: pipeline
-- executions: 1
--:: dynamo
SELECT count(*) FROM dynamo.scan('shop', 'quantity > :q AND #s = :s', '{":q": {"N": "15"}, ":s": {"S": "OPEN"}}'::jsonb::text::dynamo.item, '{"#s": "status"}')
--:: SQL over jsonb
SELECT count(*) FROM raw_shop WHERE (item ->> 'quantity')::numeric > 15 AND item ->> 'status' = 'OPEN'
