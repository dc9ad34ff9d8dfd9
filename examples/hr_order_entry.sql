-- Human resources and order entry: a relational schema as an adjacency list.
-- Every entity is an item; every relation is an edge item in the collection of
-- one of its ends.  SK is the other end, or what kind of edge it is.
--
--   PK               SK                 item
--   HR-EMPLOYEE<n>   <name>             employee
--   HR-EMPLOYEE<n>   HR-CONFIDENTIAL    hire date and salary
--   HR-EMPLOYEE<n>   JH#<date>          a job held since that date
--   HR-EMPLOYEE<n>   <job title>        the job held now
--   HR-EMPLOYEE<n>   OE-WAREHOUSE<n>    the place of work
--   HR-EMPLOYEE<n>   <year>-Q<n>        total of the orders of a quarter
--   HR-REGION<n>, HR-COUNTRY<n>, HR-LOCATION<n>, HR-JOB<n>, HR-DEPARTMENT<n>
--                    <name>             the entity
--   OE-CUSTOMER<n>   HR-EMPLOYEE<n>     customer, with the account representative
--   OE-ORDER<n>      OE-CUSTOMER<n>     order
--   OE-ORDER<n>      HR-EMPLOYEE<n>     order's account representative
--   OE-ORDER<n>      OE-PRODUCT<n>      item of an order
--   OE-PRODUCT<n>    <name>             product
--   OE-PRODUCT<n>    OE-WAREHOUSE<n>    inventory of a product in a warehouse
--   OE-PRODUCT<n>    OE-PRODUCT<n>      inventory of a product in all warehouses
--   OE-WAREHOUSE<n>  HR-REGION<n>       warehouse
--
-- GSI1 reads the edges from their other end; its partition key holds a name, an
-- id, a title, a quarter or a status, as the item needs it.  GSI2 holds all
-- orders under one key, spread over shards, for one key alone would be hot.
--
-- Run it with: psql -f examples/hr_order_entry.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

DROP TABLE IF EXISTS hr_oe;

\echo 'Shards for 3 million orders, a fifth of them open, 250 bytes each'
SELECT dynamo.recommend_shards(items => 600000, item_bytes => 250);

SELECT dynamo.create_table('hr_oe', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('hr_oe', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('hr_oe', 'GSI2', 'GSI2PK', 'GSI2SK', storage => 'table', shards => 15);

SELECT count(*) AS entities_put
FROM (VALUES
	('{"PK": "HR-REGION1", "SK": "Europe", "GSI1PK": "Europe", "GSI1SK": "HR-REGION1"}'::jsonb),
	('{"PK": "HR-COUNTRY1", "SK": "Germany", "GSI1PK": "Germany", "GSI1SK": "HR-COUNTRY1", "Region": "HR-REGION1"}'),
	('{"PK": "HR-LOCATION1", "SK": "Germany", "GSI1PK": "Germany", "GSI1SK": "HR-LOCATION1", "City": "Munich"}'),
	('{"PK": "HR-JOB1", "SK": "Account Manager", "GSI1PK": "Account Manager", "GSI1SK": "HR-JOB1"}'),
	('{"PK": "HR-JOB2", "SK": "Stock Clerk", "GSI1PK": "Stock Clerk", "GSI1SK": "HR-JOB2"}'),
	('{"PK": "HR-DEPARTMENT1", "SK": "Sales", "GSI1PK": "Sales", "GSI1SK": "HR-DEPARTMENT1", "Location": "HR-LOCATION1"}'),
	('{"PK": "OE-WAREHOUSE1", "SK": "HR-REGION1", "GSI1PK": "HR-REGION1", "GSI1SK": "OE-WAREHOUSE1", "City": "Munich"}'),
	('{"PK": "OE-WAREHOUSE2", "SK": "HR-REGION1", "GSI1PK": "HR-REGION1", "GSI1SK": "OE-WAREHOUSE2", "City": "Lyon"}'),
	('{"PK": "HR-EMPLOYEE1", "SK": "Karen Colmenares", "GSI1PK": "Karen Colmenares", "GSI1SK": "HR-EMPLOYEE1", "Email": "karen@example.com"}'),
	('{"PK": "HR-EMPLOYEE2", "SK": "John Russell", "GSI1PK": "John Russell", "GSI1SK": "HR-EMPLOYEE2", "Email": "john@example.com"}'),
	('{"PK": "HR-EMPLOYEE3", "SK": "Alyssa Hutton", "GSI1PK": "Alyssa Hutton", "GSI1SK": "HR-EMPLOYEE3", "Email": "alyssa@example.com"}'),
	('{"PK": "OE-CUSTOMER1", "SK": "HR-EMPLOYEE2", "GSI1PK": "HR-EMPLOYEE2", "GSI1SK": "CUSTOMER#Garner", "Name": "Garner"}'),
	('{"PK": "OE-CUSTOMER2", "SK": "HR-EMPLOYEE2", "GSI1PK": "HR-EMPLOYEE2", "GSI1SK": "CUSTOMER#Roberts", "Name": "Roberts"}'),
	('{"PK": "OE-CUSTOMER3", "SK": "HR-EMPLOYEE3", "GSI1PK": "HR-EMPLOYEE3", "GSI1SK": "CUSTOMER#Sutherland", "Name": "Sutherland"}'),
	('{"PK": "OE-PRODUCT1", "SK": "Monitor", "GSI1PK": "Monitor", "GSI1SK": "OE-PRODUCT1", "Price": 249}'),
	('{"PK": "OE-PRODUCT2", "SK": "Keyboard", "GSI1PK": "Keyboard", "GSI1SK": "OE-PRODUCT2", "Price": 49}')
) AS data (item), dynamo.put_item('hr_oe', data.item);

SELECT count(*) AS edges_put
FROM (VALUES
	('{"PK": "HR-EMPLOYEE1", "SK": "HR-CONFIDENTIAL", "GSI1PK": "HR-CONFIDENTIAL", "GSI1SK": "2025-11-03", "Salary": 2500}'::jsonb),
	('{"PK": "HR-EMPLOYEE2", "SK": "HR-CONFIDENTIAL", "GSI1PK": "HR-CONFIDENTIAL", "GSI1SK": "2019-10-01", "Salary": 14000}'),
	('{"PK": "HR-EMPLOYEE3", "SK": "HR-CONFIDENTIAL", "GSI1PK": "HR-CONFIDENTIAL", "GSI1SK": "2026-02-16", "Salary": 8800}'),
	('{"PK": "HR-EMPLOYEE1", "SK": "JH#2025-11-03", "Job": "HR-JOB2", "Title": "Stock Clerk"}'),
	('{"PK": "HR-EMPLOYEE2", "SK": "JH#2019-10-01", "Job": "HR-JOB2", "Title": "Stock Clerk"}'),
	('{"PK": "HR-EMPLOYEE2", "SK": "JH#2022-04-01", "Job": "HR-JOB1", "Title": "Account Manager"}'),
	('{"PK": "HR-EMPLOYEE3", "SK": "JH#2026-02-16", "Job": "HR-JOB1", "Title": "Account Manager"}'),
	('{"PK": "HR-EMPLOYEE1", "SK": "Stock Clerk", "GSI1PK": "Stock Clerk", "GSI1SK": "EMPLOYEE#Karen Colmenares"}'),
	('{"PK": "HR-EMPLOYEE2", "SK": "Account Manager", "GSI1PK": "Account Manager", "GSI1SK": "EMPLOYEE#John Russell"}'),
	('{"PK": "HR-EMPLOYEE3", "SK": "Account Manager", "GSI1PK": "Account Manager", "GSI1SK": "EMPLOYEE#Alyssa Hutton"}'),
	('{"PK": "HR-EMPLOYEE1", "SK": "OE-WAREHOUSE1", "GSI1PK": "OE-WAREHOUSE1", "GSI1SK": "EMPLOYEE#Karen Colmenares"}'),
	('{"PK": "HR-EMPLOYEE2", "SK": "2026-Q1", "GSI1PK": "2026-Q1", "GSI1SK": "0000000596", "Total": 596}'),
	('{"PK": "HR-EMPLOYEE3", "SK": "2026-Q1", "GSI1PK": "2026-Q1", "GSI1SK": "0000001245", "Total": 1245}'),
	('{"PK": "OE-PRODUCT1", "SK": "OE-WAREHOUSE1", "GSI1PK": "OE-PRODUCT1", "GSI1SK": "INVENTORY#OE-WAREHOUSE1", "Quantity": 12}'),
	('{"PK": "OE-PRODUCT1", "SK": "OE-WAREHOUSE2", "GSI1PK": "OE-PRODUCT1", "GSI1SK": "INVENTORY#OE-WAREHOUSE2", "Quantity": 30}'),
	('{"PK": "OE-PRODUCT1", "SK": "OE-PRODUCT1", "Quantity": 42}'),
	('{"PK": "OE-PRODUCT2", "SK": "OE-WAREHOUSE1", "GSI1PK": "OE-PRODUCT2", "GSI1SK": "INVENTORY#OE-WAREHOUSE1", "Quantity": 5}'),
	('{"PK": "OE-PRODUCT2", "SK": "OE-PRODUCT2", "Quantity": 5}'),
	('{"PK": "OE-ORDER1", "SK": "OE-PRODUCT1", "GSI1PK": "OE-PRODUCT1", "GSI1SK": "ORDERITEM#2026-01-10", "Quantity": 2, "Price": 249}'),
	('{"PK": "OE-ORDER1", "SK": "OE-PRODUCT2", "GSI1PK": "OE-PRODUCT2", "GSI1SK": "ORDERITEM#2026-01-10", "Quantity": 2, "Price": 49}'),
	('{"PK": "OE-ORDER4", "SK": "OE-PRODUCT1", "GSI1PK": "OE-PRODUCT1", "GSI1SK": "ORDERITEM#2026-03-15", "Quantity": 5, "Price": 249}')
) AS data (item), dynamo.put_item('hr_oe', data.item);

-- Orders: one item in the customer's name and in GSI2, one in the representative's.
SELECT count(*) AS orders_put
FROM (VALUES
	('OE-ORDER1', 'OE-CUSTOMER1', 'HR-EMPLOYEE2', 'SHIPPED', '2026-01-10', 596),
	('OE-ORDER2', 'OE-CUSTOMER1', 'HR-EMPLOYEE2', 'OPEN', '2026-02-20', 49),
	('OE-ORDER3', 'OE-CUSTOMER2', 'HR-EMPLOYEE2', 'OPEN', '2026-03-05', 98),
	('OE-ORDER4', 'OE-CUSTOMER3', 'HR-EMPLOYEE3', 'OPEN', '2026-03-15', 1245),
	('OE-ORDER5', 'OE-CUSTOMER1', 'HR-EMPLOYEE2', 'OPEN', '2026-05-01', 249)
) AS o (id, customer, rep, status, day, total),
	LATERAL (VALUES
		(jsonb_build_object('PK', id, 'SK', customer, 'Total', total, 'Status', status, 'Date', day,
							'GSI1PK', customer, 'GSI1SK', status || '#' || day,
							'GSI2PK', 'ORDERS', 'GSI2SK', status || '#' || day)),
		(jsonb_build_object('PK', id, 'SK', rep, 'Total', total,
							'GSI1PK', rep, 'GSI1SK', status || '#' || day))
	) AS data (item), dynamo.put_item('hr_oe', data.item);

\echo '1. An employee by id'
SELECT item ->> 'SK' AS "SK"
FROM dynamo.query('hr_oe', 'PK = :id', '{":id": {"S": "HR-EMPLOYEE1"}}') AS item;

\echo '2. An employee by name'
SELECT item ->> 'PK' AS id, item ->> 'Email' AS email
FROM dynamo.query('hr_oe', 'GSI1PK = :name', '{":name": {"S": "Karen Colmenares"}}', index_name => 'GSI1') AS item;

\echo '3. The current job of an employee'
SELECT item ->> 'SK' AS since, item ->> 'Title' AS title
FROM dynamo.query('hr_oe', 'PK = :id AND begins_with(SK, :jobs)',
				  '{":id": {"S": "HR-EMPLOYEE2"}, ":jobs": {"S": "JH#"}}',
				  scan_index_forward => false, max_items => 1) AS item;

\echo '4. The orders of a customer in a range of dates, of every status'
SELECT status, item ->> 'PK' AS "order", item ->> 'Date' AS date
FROM unnest(ARRAY['OPEN', 'SHIPPED', 'CLOSED']) AS status,
	dynamo.query('hr_oe', 'GSI1PK = :customer AND GSI1SK BETWEEN :from AND :to',
				 jsonb_build_object(':customer', 'OE-CUSTOMER1',
									':from', status || '#2026-01-01', ':to', status || '#2026-03-31'),
				 index_name => 'GSI1') AS item;

\echo '5. All OPEN orders in a range of dates, of every customer: one ordered read of all shards'
SELECT item ->> 'GSI2SK' AS status_and_date, item ->> 'PK' AS "order", item ->> 'SK' AS customer
FROM dynamo.query('hr_oe', 'GSI2PK = :orders AND GSI2SK BETWEEN :from AND :to',
				  '{":orders": {"S": "ORDERS"}, ":from": {"S": "OPEN#2026-02-01"}, ":to": {"S": "OPEN#2026-03-31"}}',
				  index_name => 'GSI2') AS item;

\echo '6. Employees hired recently'
SELECT item ->> 'PK' AS employee, item ->> 'GSI1SK' AS hired
FROM dynamo.query('hr_oe', 'GSI1PK = :class AND GSI1SK > :date',
				  '{":class": {"S": "HR-CONFIDENTIAL"}, ":date": {"S": "2025-01-01"}}', index_name => 'GSI1') AS item;

\echo '7. The employees of a warehouse'
SELECT item ->> 'PK' AS employee, item ->> 'GSI1SK' AS name
FROM dynamo.query('hr_oe', 'GSI1PK = :warehouse', '{":warehouse": {"S": "OE-WAREHOUSE1"}}',
				  index_name => 'GSI1') AS item;

\echo '8. The order items of a product, with its inventory in each warehouse'
SELECT item ->> 'PK' AS "PK", item ->> 'SK' AS "SK", item ->> 'GSI1SK' AS what, item ->> 'Quantity' AS quantity
FROM dynamo.query('hr_oe', 'GSI1PK = :product', '{":product": {"S": "OE-PRODUCT1"}}',
				  index_name => 'GSI1') AS item;

\echo '9. The customers of an account representative'
SELECT item ->> 'PK' AS customer, item ->> 'Name' AS name
FROM dynamo.query('hr_oe', 'GSI1PK = :rep AND begins_with(GSI1SK, :customers)',
				  '{":rep": {"S": "HR-EMPLOYEE2"}, ":customers": {"S": "CUSTOMER#"}}', index_name => 'GSI1') AS item;

\echo '10. The orders of an account representative by date'
SELECT item ->> 'PK' AS "order", item ->> 'GSI1SK' AS status_and_date, item ->> 'Total' AS total
FROM unnest(ARRAY['OPEN', 'SHIPPED']) AS status,
	dynamo.query('hr_oe', 'GSI1PK = :rep AND begins_with(GSI1SK, :status)',
				 jsonb_build_object(':rep', 'HR-EMPLOYEE2', ':status', status || '#'),
				 index_name => 'GSI1') AS item;

\echo '11. The employees with a job title'
SELECT item ->> 'PK' AS employee, item ->> 'GSI1SK' AS name
FROM dynamo.query('hr_oe', 'GSI1PK = :title AND begins_with(GSI1SK, :employees)',
				  '{":title": {"S": "Account Manager"}, ":employees": {"S": "EMPLOYEE#"}}', index_name => 'GSI1') AS item;

\echo '12. The inventory of a product in a warehouse'
SELECT dynamo.get_item('hr_oe', '{"PK": {"S": "OE-PRODUCT1"}, "SK": {"S": "OE-WAREHOUSE2"}}') ->> 'Quantity' AS quantity;

\echo '13. The inventory of a product in all warehouses'
SELECT dynamo.get_item('hr_oe', '{"PK": {"S": "OE-PRODUCT1"}, "SK": {"S": "OE-PRODUCT1"}}') ->> 'Quantity' AS quantity;

\echo '14. Account representatives ranked by the total of their orders in a quarter'
SELECT item ->> 'PK' AS rep, item ->> 'Total' AS total
FROM dynamo.query('hr_oe', 'GSI1PK = :quarter', '{":quarter": {"S": "2026-Q1"}}',
				  index_name => 'GSI1', scan_index_forward => false) AS item;
