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
-- Every kind of item is an entity, which the attribute Kind names.  The database
-- composes the keys of the table and of both indexes: when an order is closed, it
-- moves in GSI1 and in GSI2.
--
-- Run it with: psql -f examples/hr_order_entry.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS hr_oe CASCADE;
COMMIT;

\echo 'Shards for 3 million orders, a fifth of them open, 250 bytes each'
SELECT dynamo.recommend_shards(items => 600000, item_bytes => 250);

SELECT dynamo.create_table('hr_oe', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('hr_oe', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('hr_oe', 'GSI2', 'GSI2PK', 'GSI2SK', storage => 'table', shards => 15);

SELECT dynamo.create_entity('hr_oe', e.name, e.keys, type_attribute => 'Kind')
FROM (VALUES
	('region', '{"PK": "HR-REGION{RegionId}", "SK": "{Name}", "GSI1PK": "{Name}", "GSI1SK": "HR-REGION{RegionId}"}'::jsonb),
	('country', '{"PK": "HR-COUNTRY{CountryId}", "SK": "{Name}", "GSI1PK": "{Name}", "GSI1SK": "HR-COUNTRY{CountryId}"}'),
	('location', '{"PK": "HR-LOCATION{LocationId}", "SK": "{Country}", "GSI1PK": "{Country}", "GSI1SK": "HR-LOCATION{LocationId}"}'),
	('job', '{"PK": "HR-JOB{JobId}", "SK": "{Title}", "GSI1PK": "{Title}", "GSI1SK": "HR-JOB{JobId}"}'),
	('department', '{"PK": "HR-DEPARTMENT{DepartmentId}", "SK": "{Name}", "GSI1PK": "{Name}", "GSI1SK": "HR-DEPARTMENT{DepartmentId}"}'),
	('warehouse', '{"PK": "OE-WAREHOUSE{WarehouseId}", "SK": "HR-REGION{RegionId}",
		"GSI1PK": "HR-REGION{RegionId}", "GSI1SK": "OE-WAREHOUSE{WarehouseId}"}'),
	('employee', '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "{Name}", "GSI1PK": "{Name}", "GSI1SK": "HR-EMPLOYEE{EmployeeId}"}'),
	('customer', '{"PK": "OE-CUSTOMER{CustomerId}", "SK": "HR-EMPLOYEE{RepId}", "GSI1PK": "HR-EMPLOYEE{RepId}", "GSI1SK": "CUSTOMER#{Name}"}'),
	('product', '{"PK": "OE-PRODUCT{ProductId}", "SK": "{Name}", "GSI1PK": "{Name}", "GSI1SK": "OE-PRODUCT{ProductId}"}'),
	-- edges
	('contract', '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "HR-CONFIDENTIAL", "GSI1PK": "HR-CONFIDENTIAL", "GSI1SK": "{Hired:date}"}'),
	('job_history', '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "JH#{Since:date}"}'),
	('current_job', '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "{Title}", "GSI1PK": "{Title}", "GSI1SK": "EMPLOYEE#{Name}"}'),
	('workplace', '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "OE-WAREHOUSE{WarehouseId}",
		"GSI1PK": "OE-WAREHOUSE{WarehouseId}", "GSI1SK": "EMPLOYEE#{Name}"}'),
	('quota', '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "{Quarter}", "GSI1PK": "{Quarter}", "GSI1SK": "{Total:010}"}'),
	('inventory', '{"PK": "OE-PRODUCT{ProductId}", "SK": "OE-WAREHOUSE{WarehouseId}",
		"GSI1PK": "OE-PRODUCT{ProductId}", "GSI1SK": "INVENTORY#OE-WAREHOUSE{WarehouseId}"}'),
	('total_inventory', '{"PK": "OE-PRODUCT{ProductId}", "SK": "OE-PRODUCT{ProductId}"}'),
	('order_item', '{"PK": "OE-ORDER{OrderId}", "SK": "OE-PRODUCT{ProductId}",
		"GSI1PK": "OE-PRODUCT{ProductId}", "GSI1SK": "ORDERITEM#{Date:date}"}')
) AS e (name, keys);

-- An order has two items: one in the customer's name and in GSI2, one in the
-- representative's.
SELECT dynamo.create_entity('hr_oe', 'order', type_attribute => 'Kind', view_name => 'orders_of_customers',
	keys => '{"PK": "OE-ORDER{OrderId}", "SK": "OE-CUSTOMER{CustomerId}",
		"GSI1PK": "OE-CUSTOMER{CustomerId}", "GSI1SK": "{Status}#{Date:date}", "GSI2PK": "ORDERS", "GSI2SK": "{Status}#{Date:date}"}',
	attributes => '{"OrderId": "int", "CustomerId": "text", "Status": {"type": "text", "default": "OPEN"}, "Date": "date", "Total": "numeric"}');
SELECT dynamo.create_entity('hr_oe', 'order_of_rep', type_attribute => 'Kind', view_name => 'orders_of_reps',
	keys => '{"PK": "OE-ORDER{OrderId}", "SK": "HR-EMPLOYEE{RepId}", "GSI1PK": "HR-EMPLOYEE{RepId}", "GSI1SK": "{Status}#{Date:date}"}',
	attributes => '{"OrderId": "int", "RepId": "text", "Status": {"type": "text", "default": "OPEN"}, "Date": "date", "Total": "numeric"}');

SELECT count(*) AS items_put
FROM (VALUES
	('{"Kind": "region", "RegionId": 1, "Name": "Europe"}'::jsonb),
	('{"Kind": "country", "CountryId": 1, "Name": "Germany", "Region": "HR-REGION1"}'),
	('{"Kind": "location", "LocationId": 1, "Country": "Germany", "City": "Munich"}'),
	('{"Kind": "job", "JobId": 1, "Title": "Account Manager"}'),
	('{"Kind": "job", "JobId": 2, "Title": "Stock Clerk"}'),
	('{"Kind": "department", "DepartmentId": 1, "Name": "Sales", "Location": "HR-LOCATION1"}'),
	('{"Kind": "warehouse", "WarehouseId": 1, "RegionId": 1, "City": "Munich"}'),
	('{"Kind": "warehouse", "WarehouseId": 2, "RegionId": 1, "City": "Lyon"}'),
	('{"Kind": "employee", "EmployeeId": 1, "Name": "Karen Colmenares", "Email": "karen@example.com"}'),
	('{"Kind": "employee", "EmployeeId": 2, "Name": "John Russell", "Email": "john@example.com"}'),
	('{"Kind": "employee", "EmployeeId": 3, "Name": "Alyssa Hutton", "Email": "alyssa@example.com"}'),
	('{"Kind": "customer", "CustomerId": 1, "RepId": 2, "Name": "Garner"}'),
	('{"Kind": "customer", "CustomerId": 2, "RepId": 2, "Name": "Roberts"}'),
	('{"Kind": "customer", "CustomerId": 3, "RepId": 3, "Name": "Sutherland"}'),
	('{"Kind": "product", "ProductId": 1, "Name": "Monitor", "Price": 249}'),
	('{"Kind": "product", "ProductId": 2, "Name": "Keyboard", "Price": 49}'),
	('{"Kind": "contract", "EmployeeId": 1, "Hired": "2025-11-03", "Salary": 2500}'),
	('{"Kind": "contract", "EmployeeId": 2, "Hired": "2019-10-01", "Salary": 14000}'),
	('{"Kind": "contract", "EmployeeId": 3, "Hired": "2026-02-16", "Salary": 8800}'),
	('{"Kind": "job_history", "EmployeeId": 1, "Since": "2025-11-03", "Job": "HR-JOB2", "Title": "Stock Clerk"}'),
	('{"Kind": "job_history", "EmployeeId": 2, "Since": "2019-10-01", "Job": "HR-JOB2", "Title": "Stock Clerk"}'),
	('{"Kind": "job_history", "EmployeeId": 2, "Since": "2022-04-01", "Job": "HR-JOB1", "Title": "Account Manager"}'),
	('{"Kind": "job_history", "EmployeeId": 3, "Since": "2026-02-16", "Job": "HR-JOB1", "Title": "Account Manager"}'),
	('{"Kind": "current_job", "EmployeeId": 1, "Title": "Stock Clerk", "Name": "Karen Colmenares"}'),
	('{"Kind": "current_job", "EmployeeId": 2, "Title": "Account Manager", "Name": "John Russell"}'),
	('{"Kind": "current_job", "EmployeeId": 3, "Title": "Account Manager", "Name": "Alyssa Hutton"}'),
	('{"Kind": "workplace", "EmployeeId": 1, "WarehouseId": 1, "Name": "Karen Colmenares"}'),
	('{"Kind": "quota", "EmployeeId": 2, "Quarter": "2026-Q1", "Total": 596}'),
	('{"Kind": "quota", "EmployeeId": 3, "Quarter": "2026-Q1", "Total": 1245}'),
	('{"Kind": "inventory", "ProductId": 1, "WarehouseId": 1, "Quantity": 12}'),
	('{"Kind": "inventory", "ProductId": 1, "WarehouseId": 2, "Quantity": 30}'),
	('{"Kind": "total_inventory", "ProductId": 1, "Quantity": 42}'),
	('{"Kind": "inventory", "ProductId": 2, "WarehouseId": 1, "Quantity": 5}'),
	('{"Kind": "total_inventory", "ProductId": 2, "Quantity": 5}'),
	('{"Kind": "order_item", "OrderId": 1, "ProductId": 1, "Date": "2026-01-10", "Quantity": 2, "Price": 249}'),
	('{"Kind": "order_item", "OrderId": 1, "ProductId": 2, "Date": "2026-01-10", "Quantity": 2, "Price": 49}'),
	('{"Kind": "order_item", "OrderId": 4, "ProductId": 1, "Date": "2026-03-15", "Quantity": 5, "Price": 249}')
) AS data (item), dynamo.put_item('hr_oe', data.item);

INSERT INTO orders_of_customers ("OrderId", "CustomerId", "Status", "Date", "Total") VALUES
	(1, 1, 'SHIPPED', '2026-01-10', 596), (2, 1, 'OPEN', '2026-02-20', 49), (3, 2, 'OPEN', '2026-03-05', 98),
	(4, 3, 'OPEN', '2026-03-15', 1245), (5, 1, 'OPEN', '2026-05-01', 249);
INSERT INTO orders_of_reps ("OrderId", "RepId", "Status", "Date", "Total") VALUES
	(1, 2, 'SHIPPED', '2026-01-10', 596), (2, 2, 'OPEN', '2026-02-20', 49), (3, 2, 'OPEN', '2026-03-05', 98),
	(4, 3, 'OPEN', '2026-03-15', 1245), (5, 2, 'OPEN', '2026-05-01', 249);

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
SELECT dynamo.get_item('hr_oe', dynamo.entity_key('hr_oe', 'inventory', '{"ProductId": 1, "WarehouseId": 2}'::jsonb)) ->> 'Quantity' AS quantity;

\echo '13. The inventory of a product in all warehouses'
SELECT dynamo.get_item('hr_oe', dynamo.entity_key('hr_oe', 'total_inventory', '{"ProductId": 1}'::jsonb)) ->> 'Quantity' AS quantity;

\echo '14. Account representatives ranked by the total of their orders in a quarter'
SELECT item ->> 'PK' AS rep, item ->> 'Total' AS total
FROM dynamo.query('hr_oe', 'GSI1PK = :quarter', '{":quarter": {"S": "2026-Q1"}}',
				  index_name => 'GSI1', scan_index_forward => false) AS item;

\echo '15. An order is closed: it leaves the OPEN orders of its customer, of its representative and of all'
UPDATE orders_of_customers SET "Status" = 'CLOSED' WHERE "OrderId" = 3 RETURNING "PK", "SK", "Status";
UPDATE orders_of_reps SET "Status" = 'CLOSED' WHERE "OrderId" = 3;
SELECT item ->> 'PK' AS "order", item ->> 'GSI2SK' AS status_and_date
FROM dynamo.query('hr_oe', 'GSI2PK = :orders', '{":orders": {"S": "ORDERS"}}', index_name => 'GSI2') AS item;
