-- title: scan of 20,000 items with a filter
-- setup: shop
-- modes: pipeline
-- executions: 2
--:: dynamo
SELECT dynamo.scan_page('shop', 'quantity > :q AND #s = :s', '{":q": {"N": "15"}, ":s": {"S": "OPEN"}}', '{"#s": "status"}', page_size => 20000)
--:: SQL over jsonb in order of the key
SELECT array_agg(item) FROM (SELECT item FROM raw_shop ORDER BY pk, sk LIMIT 20000) s WHERE (item ->> 'quantity')::numeric > 15 AND item ->> 'status' = 'OPEN'
