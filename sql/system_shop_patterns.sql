-- Reference system 2, a shop with ten access patterns: the example, its patterns
-- in plain SQL, and the number of items they read.
SET client_min_messages = warning;
CREATE SCHEMA t_system_2;
SET search_path = t_system_2;
\i test/agree.sql
\i examples/shop_patterns.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_system_2, dynamo;

SELECT count(*) FROM generate_series(1, 300) i,
	dynamo.put_item('shop', jsonb_build_object('EntityType', 'orderItem', 'OrderId', '9' || i, 'ProductId', '99887',
		'CustomerId', '12345', 'Date', 1685577600 + i, 'Quantity', 1));

-- 6, 7, 9 and 10 on the indexes; plain SQL can use the columns
SELECT agree($$SELECT * FROM dynamo.query('shop', 'GSI1PK = :p AND GSI1SK BETWEEN :a AND :b', '{":p": {"S": "p#99887"}, ":a": {"S": "2023-04-15"}, ":b": {"S": "2023-05"}}', index_name => 'GSI1')$$,
	$$SELECT item FROM shop WHERE "GSI1PK" = 'p#99887' AND "GSI1SK" BETWEEN '2023-04-15' AND '2023-05' ORDER BY "GSI1SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('shop', 'GSI1PK = :i AND GSI1SK = :i', '{":i": {"S": "i#55443"}}', index_name => 'GSI1')$$,
	$$SELECT item FROM shop WHERE "GSI1PK" = 'i#55443' AND "GSI1SK" = 'i#55443'$$);
SELECT agree($$SELECT * FROM dynamo.query('shop', 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b', '{":c": {"S": "c#12345"}, ":a": {"S": "i#2023-04-15"}, ":b": {"S": "i#2023-04-30"}}', index_name => 'GSI2')$$,
	$$SELECT item FROM shop WHERE "GSI2PK" = 'c#12345' AND "GSI2SK" BETWEEN 'i#2023-04-15' AND 'i#2023-04-30' ORDER BY "GSI2SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('shop', 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b', '{":c": {"S": "c#12345"}, ":a": {"S": "p#2023-04-15"}, ":b": {"S": "p#2023-04-30"}}', index_name => 'GSI2')$$,
	$$SELECT item FROM shop WHERE "GSI2PK" = 'c#12345' AND "GSI2SK" BETWEEN 'p#2023-04-15' AND 'p#2023-04-30' ORDER BY "GSI2SK"$$);
-- 1 to 5 on the table
SELECT agree($$SELECT * FROM dynamo.query('shop', 'PK = :o', '{":o": {"S": "o#12345"}}')$$,
	$$SELECT item FROM shop WHERE "PK" = 'o#12345' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('shop', 'PK = :o AND begins_with(SK, :p)', '{":o": {"S": "o#12345"}, ":p": {"S": "p#"}}')$$,
	$$SELECT item FROM shop WHERE "PK" = 'o#12345' AND dynamo.begins_with("SK", 'p#') ORDER BY "SK"$$);

-- the ranges of the patterns that are queries
SELECT pattern, plan_of(dynamo.explain_query('shop', condition, vals, index_name => idx)) AS plan
FROM (VALUES
	(3, 'PK = :o', '{":o": {"S": "o#12345"}}'::item, NULL),
	(4, 'PK = :o AND begins_with(SK, :p)', '{":o": {"S": "o#12345"}, ":p": {"S": "p#"}}', NULL),
	(5, 'PK = :o AND begins_with(SK, :p)', '{":o": {"S": "o#12345"}, ":p": {"S": "i#"}}', NULL),
	(6, 'GSI1PK = :p AND GSI1SK BETWEEN :a AND :b', '{":p": {"S": "p#99887"}, ":a": {"S": "2023-04-15"}, ":b": {"S": "2023-05"}}', 'GSI1'),
	(7, 'GSI1PK = :i AND GSI1SK = :i', '{":i": {"S": "i#55443"}}', 'GSI1'),
	(9, 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b', '{":c": {"S": "c#12345"}, ":a": {"S": "i#2023-04-15"}, ":b": {"S": "i#2023-04-30"}}', 'GSI2'),
	(10, 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b', '{":c": {"S": "c#12345"}, ":a": {"S": "p#2023-04-15"}, ":b": {"S": "p#2023-04-30"}}', 'GSI2')
) AS patterns (pattern, condition, vals, idx) ORDER BY pattern;

-- every pattern reads only what it returns, by PostgreSQL's counters
SELECT pattern, counted(query, 'shop') FROM (VALUES
	(1, $$SELECT dynamo.get_item('shop', '{"PK": {"S": "c#12345"}, "SK": {"S": "c#12345"}}')$$),
	(2, $$SELECT dynamo.get_item('shop', '{"PK": {"S": "p#12345"}, "SK": {"S": "p#12345"}}')$$),
	(3, query_of('shop', 'PK = :o', '{":o": "o#12345"}')),
	(4, query_of('shop', 'PK = :o AND begins_with(SK, :p)', '{":o": "o#12345", ":p": "p#"}')),
	(5, query_of('shop', 'PK = :o AND begins_with(SK, :i)', '{":o": "o#12345", ":i": "i#"}')),
	(6, query_of('shop', 'GSI1PK = :p AND GSI1SK BETWEEN :a AND :b', '{":p": "p#99887", ":a": "2023-04-15", ":b": "2023-05"}', 'GSI1')),
	(7, query_of('shop', 'GSI1PK = :i AND GSI1SK = :i', '{":i": "i#55443"}', 'GSI1')),
	(8, $$SELECT jsonb_array_elements((item -> 'Payments')::jsonb) FROM ($$ ||
		query_of('shop', 'GSI1PK = :i AND GSI1SK = :i', '{":i": "i#55443"}', 'GSI1') || ') AS invoice (item)'),
	(9, query_of('shop', 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b', '{":c": "c#12345", ":a": "i#2023-04-15", ":b": "i#2023-04-30"}', 'GSI2')),
	(10, query_of('shop', 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b', '{":c": "c#12345", ":a": "p#2023-04-15", ":b": "p#2023-04-30"}', 'GSI2'))
) AS patterns (pattern, query) ORDER BY pattern;

-- sparse: customers, products and orders are in none of the indexes
SELECT count(*) FILTER (WHERE "GSI1PK" IS NOT NULL) AS in_gsi1, count(*) FILTER (WHERE "GSI1PK" IS NULL) AS outside FROM shop;
SELECT * FROM dynamo.verify_index('shop', 'GSI1');
SELECT * FROM dynamo.verify_index('shop', 'GSI2');

DROP SCHEMA t_system_2, dynamo_examples CASCADE;
