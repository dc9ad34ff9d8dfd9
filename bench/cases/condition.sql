-- title: a five-operator condition on 20,000 items
-- setup: types
-- modes: pipeline
-- target: >= 1.2
--:: dynamo.matches
SELECT count(*) FROM type_item WHERE dynamo.matches(item, 'EntityType = :t AND quantity > :q AND (attribute_exists(email) OR active = :a) AND #total < :m', '{":t": {"S": "Order"}, ":q": {"N": "3"}, ":a": {"BOOL": true}, ":m": {"N": "900"}}', '{"#total": "total"}')
--:: jsonb expressions
SELECT count(*) FROM type_jsonb WHERE item ->> 'EntityType' = 'Order' AND (item ->> 'quantity')::numeric > 3 AND (item ? 'email' OR item -> 'active' = 'true') AND (item ->> 'total')::numeric < 900
