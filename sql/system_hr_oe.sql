-- Reference system 5, human resources and order entry: the example, its access
-- patterns in plain SQL, and the cost of one ordered read of all shards.
SET client_min_messages = warning;
CREATE SCHEMA t_system_5;
SET search_path = t_system_5;
\i test/agree.sql
\i examples/hr_order_entry.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_system_5, dynamo;

SELECT count(*) FROM generate_series(1, 400) i,
	dynamo.put_item('hr_oe', jsonb_build_object('PK', 'OE-ORDER9' || i, 'SK', 'OE-CUSTOMER9', 'GSI1PK', 'OE-CUSTOMER9',
		'GSI1SK', 'CLOSED#2026-01-01', 'GSI2PK', 'ORDERS', 'GSI2SK', 'CLOSED#' || 1000 + i));	-- of no entity

-- by id and in the collection of an entity: 1, 3, 12, 13
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'PK = :id', '{":id": {"S": "HR-EMPLOYEE1"}}')$$,
	$$SELECT item FROM hr_oe WHERE "PK" = 'HR-EMPLOYEE1' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'PK = :id AND begins_with(SK, :j)', '{":id": {"S": "HR-EMPLOYEE2"}, ":j": {"S": "JH#"}}', scan_index_forward => false, max_items => 1)$$,
	$$SELECT item FROM hr_oe WHERE "PK" = 'HR-EMPLOYEE2' AND dynamo.begins_with("SK", 'JH#') ORDER BY "SK" DESC LIMIT 1$$);
SELECT agree($$SELECT dynamo.get_item('hr_oe', '{"PK": {"S": "OE-PRODUCT1"}, "SK": {"S": "OE-WAREHOUSE2"}}')$$,
	$$SELECT item FROM hr_oe WHERE "PK" = 'OE-PRODUCT1' AND "SK" = 'OE-WAREHOUSE2'$$);
-- from the other end of an edge, GSI1: 2, 6, 7, 8, 9, 11, 14
SELECT key, agree(format($f$SELECT * FROM dynamo.query('hr_oe', 'GSI1PK = :k', jsonb_build_object(':k', %L), index_name => 'GSI1')$f$, key),
	format($f$SELECT item FROM hr_oe WHERE "GSI1PK" = %L ORDER BY "GSI1SK", "PK", "SK"$f$, key))
FROM unnest(ARRAY['Karen Colmenares', 'OE-WAREHOUSE1', 'OE-PRODUCT1', 'HR-EMPLOYEE2', 'Account Manager', '2026-Q1']) key;
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'GSI1PK = :k AND GSI1SK > :d', '{":k": {"S": "HR-CONFIDENTIAL"}, ":d": {"S": "2025-01-01"}}', index_name => 'GSI1')$$,
	$$SELECT item FROM hr_oe WHERE "GSI1PK" = 'HR-CONFIDENTIAL' AND "GSI1SK" > '2025-01-01' ORDER BY "GSI1SK"$$);
-- by status and date: 4, 10, and 5 over all shards, also backwards and from a position
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'GSI1PK = :c AND GSI1SK BETWEEN :a AND :b', '{":c": {"S": "OE-CUSTOMER1"}, ":a": {"S": "OPEN#2026-01-01"}, ":b": {"S": "OPEN#2026-03-31"}}', index_name => 'GSI1')$$,
	$$SELECT item FROM hr_oe WHERE "GSI1PK" = 'OE-CUSTOMER1' AND "GSI1SK" BETWEEN 'OPEN#2026-01-01' AND 'OPEN#2026-03-31' ORDER BY "GSI1SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'GSI2PK = :o AND GSI2SK BETWEEN :a AND :b', '{":o": {"S": "ORDERS"}, ":a": {"S": "OPEN#2026-02-01"}, ":b": {"S": "OPEN#2026-03-31"}}', index_name => 'GSI2')$$,
	$$SELECT item FROM hr_oe WHERE "GSI2PK" = 'ORDERS' AND "GSI2SK" BETWEEN 'OPEN#2026-02-01' AND 'OPEN#2026-03-31' ORDER BY "GSI2SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'GSI2PK = :o', '{":o": {"S": "ORDERS"}}', index_name => 'GSI2', scan_index_forward => false)$$,
	$$SELECT item FROM hr_oe WHERE "GSI2PK" = 'ORDERS' ORDER BY "GSI2SK" DESC, "PK" DESC, "SK" DESC$$);
SELECT agree($$SELECT * FROM dynamo.query('hr_oe', 'GSI2PK = :o AND GSI2SK > :s', '{":o": {"S": "ORDERS"}, ":s": {"S": "CLOSED#1395"}}', index_name => 'GSI2', max_items => 7)$$,
	$$SELECT item FROM hr_oe WHERE "GSI2PK" = 'ORDERS' AND "GSI2SK" > 'CLOSED#1395' ORDER BY "GSI2SK" LIMIT 7$$);

-- the ranges of the patterns that are queries
SELECT pattern, plan_of(dynamo.explain_query('hr_oe', condition, vals, index_name => idx, scan_index_forward => forward)) AS plan
FROM (VALUES
	(1, 'PK = :k', '{":k": {"S": "HR-EMPLOYEE1"}}'::item, NULL, true),
	(2, 'GSI1PK = :k', '{":k": {"S": "Karen Colmenares"}}', 'GSI1', true),
	(3, 'PK = :k AND begins_with(SK, :p)', '{":k": {"S": "HR-EMPLOYEE2"}, ":p": {"S": "JH#"}}', NULL, false),
	(4, 'GSI1PK = :k AND GSI1SK BETWEEN :a AND :b', '{":k": {"S": "OE-CUSTOMER1"}, ":a": {"S": "OPEN#1"}, ":b": {"S": "OPEN#2"}}', 'GSI1', true),
	(5, 'GSI2PK = :k AND GSI2SK BETWEEN :a AND :b', '{":k": {"S": "ORDERS"}, ":a": {"S": "OPEN#1"}, ":b": {"S": "OPEN#2"}}', 'GSI2', true),
	(6, 'GSI1PK = :k AND GSI1SK > :d', '{":k": {"S": "HR-CONFIDENTIAL"}, ":d": {"S": "2025-01-01"}}', 'GSI1', true),
	(9, 'GSI1PK = :k AND begins_with(GSI1SK, :p)', '{":k": {"S": "HR-EMPLOYEE2"}, ":p": {"S": "CUSTOMER#"}}', 'GSI1', true),
	(14, 'GSI1PK = :k', '{":k": {"S": "2026-Q1"}}', 'GSI1', false)
) AS patterns (pattern, condition, vals, idx, forward) ORDER BY pattern;

-- the orders are distributed over the shards
SELECT count(*) AS shards_in_use, sum(n) AS entries
FROM (SELECT tableoid, count(*) AS n FROM "hr_oe$GSI2" GROUP BY tableoid) s WHERE n > 0;

-- every pattern reads only what it returns, by PostgreSQL's counters; the merge of all
-- shards reads at most one more entry of each
SELECT pattern, counted(query, 'hr_oe') FROM (VALUES
	('1', query_of('hr_oe', 'PK = :k', '{":k": "HR-EMPLOYEE1"}')),
	('2', query_of('hr_oe', 'GSI1PK = :k', '{":k": "Karen Colmenares"}', 'GSI1')),
	('3, all', query_of('hr_oe', 'PK = :k AND begins_with(SK, :p)', '{":k": "HR-EMPLOYEE2", ":p": "JH#"}', NULL, false)),
	('4, OPEN', query_of('hr_oe', 'GSI1PK = :k AND GSI1SK BETWEEN :a AND :b', '{":k": "OE-CUSTOMER1", ":a": "OPEN#2026-01-01", ":b": "OPEN#2026-03-31"}', 'GSI1')),
	('4, SHIPPED', query_of('hr_oe', 'GSI1PK = :k AND GSI1SK BETWEEN :a AND :b', '{":k": "OE-CUSTOMER1", ":a": "SHIPPED#2026-01-01", ":b": "SHIPPED#2026-03-31"}', 'GSI1')),
	('5', query_of('hr_oe', 'GSI2PK = :k AND GSI2SK BETWEEN :a AND :b', '{":k": "ORDERS", ":a": "OPEN#2026-02-01", ":b": "OPEN#2026-03-31"}', 'GSI2')),
	('6', query_of('hr_oe', 'GSI1PK = :k AND GSI1SK > :d', '{":k": "HR-CONFIDENTIAL", ":d": "2025-01-01"}', 'GSI1')),
	('7', query_of('hr_oe', 'GSI1PK = :k', '{":k": "OE-WAREHOUSE1"}', 'GSI1')),
	('8', query_of('hr_oe', 'GSI1PK = :k', '{":k": "OE-PRODUCT1"}', 'GSI1')),
	('9', query_of('hr_oe', 'GSI1PK = :k AND begins_with(GSI1SK, :p)', '{":k": "HR-EMPLOYEE2", ":p": "CUSTOMER#"}', 'GSI1')),
	('10, OPEN', query_of('hr_oe', 'GSI1PK = :k AND begins_with(GSI1SK, :p)', '{":k": "HR-EMPLOYEE2", ":p": "OPEN#"}', 'GSI1')),
	('10, SHIPPED', query_of('hr_oe', 'GSI1PK = :k AND begins_with(GSI1SK, :p)', '{":k": "HR-EMPLOYEE2", ":p": "SHIPPED#"}', 'GSI1')),
	('11', query_of('hr_oe', 'GSI1PK = :k AND begins_with(GSI1SK, :p)', '{":k": "Account Manager", ":p": "EMPLOYEE#"}', 'GSI1')),
	('12', $$SELECT dynamo.get_item('hr_oe', '{"PK": {"S": "OE-PRODUCT1"}, "SK": {"S": "OE-WAREHOUSE2"}}')$$),
	('13', $$SELECT dynamo.get_item('hr_oe', '{"PK": {"S": "OE-PRODUCT1"}, "SK": {"S": "OE-PRODUCT1"}}')$$),
	('14', query_of('hr_oe', 'GSI1PK = :k', '{":k": "2026-Q1"}', 'GSI1', false))
) AS patterns (pattern, query) ORDER BY split_part(pattern, ',', 1)::int, pattern;
-- with a limit, the direct path reads no further entry, and the SQL path reads in batches
SET dynamo.direct_access = on;
SELECT '3, latest' AS pattern, counted(query_of('hr_oe', 'PK = :k AND begins_with(SK, :p)', '{":k": "HR-EMPLOYEE2", ":p": "JH#"}', NULL, false, 1), 'hr_oe');

-- an order is closed: it moves in both indexes, by a change of its status
SELECT dynamo.update_item('hr_oe', dynamo.entity_key('hr_oe', 'order', '{"OrderId": 4, "CustomerId": "3"}'::jsonb),
	'SET #s = :s', expression_attribute_values => '{":s": {"S": "CLOSED"}}', expression_attribute_names => '{"#s": "Status"}');
SELECT item ->> 'PK' AS "order" FROM dynamo.query('hr_oe', 'GSI2PK = :o AND begins_with(GSI2SK, :s)', '{":o": {"S": "ORDERS"}, ":s": {"S": "OPEN#"}}', index_name => 'GSI2') AS item;
SELECT * FROM dynamo.verify_index('hr_oe', 'GSI1');
SELECT * FROM dynamo.check_entity('hr_oe') WHERE problem <> 'the item is of no entity';
SELECT * FROM dynamo.verify_index('hr_oe', 'GSI2');

DROP SCHEMA t_system_5, dynamo_examples CASCADE;
