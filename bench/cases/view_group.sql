-- title: GROUP BY over an entity view of 210,000 rows
-- setup: shop entity
-- modes: pipeline
-- executions: 1
--:: entity view
SELECT active, count(*), sum(total) FROM order_view GROUP BY active
--:: jsonb expressions
SELECT (item ->> 'active')::boolean, count(*), sum((item ->> 'total')::numeric) FROM raw_shop WHERE item ->> 'EntityType' = 'Order' GROUP BY 1
