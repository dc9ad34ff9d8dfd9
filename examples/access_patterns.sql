-- The access patterns of the five systems, declared: each becomes a function that
-- reads one range of one index.
--
-- It needs the tables of shop_hierarchy.sql, shop_patterns.sql, schools.sql,
-- one_to_many.sql and hr_order_entry.sql: run these first.
--
-- Run it with: psql -f examples/access_patterns.sql

SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
SELECT count(drop_access_pattern(pattern)) AS dropped FROM access_patterns WHERE starts_with(table_name, 'dynamo_examples.')
\gset
COMMIT;

-- ---- 1. A shop as a hierarchy ----

SELECT create_access_pattern('ecommerce', 'customer_by_id', 'customer_id = :customer', view_name => 'ecommerce_customers',
	description => 'a customer by id');
SELECT create_access_pattern('ecommerce', 'customer_collection', 'customer_id = :customer', '{customer,order,item}',
	description => 'everything of a customer');
SELECT create_access_pattern('ecommerce', 'customer_document', 'customer_id = :customer', '{customer,order,item}', returns => 'document',
	description => 'a customer with the orders and their items as one document');
SELECT create_access_pattern('ecommerce', 'orders_with_items', 'customer_id = :customer', '{order,item}',
	description => 'all orders of a customer with their items');
SELECT create_access_pattern('ecommerce', 'items_of_order', 'customer_id = :customer AND order_id = :order', view_name => 'ecommerce_items',
	description => 'the items of one order');
-- The keys of the order's items are between those of the orders: these are filtered out.
SELECT create_access_pattern('ecommerce', 'latest_orders', 'customer_id = :customer', view_name => 'ecommerce_orders', scan_index_forward => false,
	description => 'only the orders of a customer, latest first');

\echo '1. A shop as a hierarchy'
SELECT name, email FROM customer_by_id('12345');
SELECT kind_of('ecommerce', item) AS kind, item ->> 'SK' AS sk FROM customer_collection('67890') AS item;
SELECT jsonb_pretty(customer_document('67890'));
SELECT item ->> 'SK' AS sk FROM orders_with_items('12345') AS item;
SELECT product_name, price FROM items_of_order('12345', '98765');
SELECT order_id, total_amount FROM latest_orders('12345');

-- ---- 2. A shop with ten access patterns ----

SELECT create_access_pattern('shop', 'shop_customer', 'CustomerId = :customer', view_name => 'shop_customers',
	description => '1. customer by id');
SELECT create_access_pattern('shop', 'shop_product', 'ProductId = :product', view_name => 'shop_products',
	description => '2. product by id');
SELECT create_access_pattern('shop', 'shop_order_details', 'OrderId = :order', '{order,orderItem,invoice}',
	description => '3. all details of an order');
SELECT create_access_pattern('shop', 'shop_products_of_order', 'OrderId = :order', view_name => 'shop_order_items',
	description => '4. products of an order');
SELECT create_access_pattern('shop', 'shop_invoice_of_order', 'OrderId = :order', view_name => 'shop_invoices',
	description => '5. invoice of an order');
SELECT create_access_pattern('shop', 'shop_orders_of_product', 'ProductId = :product AND Date BETWEEN :since AND :until', view_name => 'shop_order_items',
	index_name => 'GSI1',
	description => '6. orders of a product in a date range');
SELECT create_access_pattern('shop', 'shop_invoice', 'InvoiceId = :invoice', view_name => 'shop_invoices', index_name => 'GSI1',
	description => '7. invoice by id');
SELECT create_access_pattern('shop', 'shop_payments', 'InvoiceId = :invoice', '{invoice}', index_name => 'GSI1', projection_expression => 'Payments',
	description => '8. payments of an invoice');
SELECT create_access_pattern('shop', 'shop_invoices_of_customer', 'CustomerId = :customer AND Date BETWEEN :since AND :until', view_name => 'shop_invoices',
	index_name => 'GSI2',
	description => '9. invoices of a customer in a date range');
SELECT create_access_pattern('shop', 'shop_products_of_customer', 'CustomerId = :customer AND Date BETWEEN :since AND :until',
	view_name => 'shop_order_items', index_name => 'GSI2',
	description => '10. products ordered by a customer in a date range');

\echo '2. A shop with ten access patterns'
SELECT "Name" FROM shop_customer('12345');
SELECT "Name", "Price" FROM shop_product('99887');
SELECT kind_of('shop', item) AS kind, item ->> 'SK' AS sk FROM shop_order_details('12345') AS item;
SELECT "ProductId", "Quantity" FROM shop_products_of_order('12345');
SELECT "InvoiceId", "Amount" FROM shop_invoice_of_order('12345');
SELECT "OrderId", "Quantity" FROM shop_orders_of_product('99887', '2023-04-15Z', '2023-04-30Z');
SELECT "OrderId", "Amount" FROM shop_invoice('55443');
SELECT item FROM shop_payments('55443') AS item;
SELECT "InvoiceId", "Amount" FROM shop_invoices_of_customer('12345', '2023-04-15', '2023-04-30');
SELECT "ProductId", "Quantity" FROM shop_products_of_customer('12345', '2023-04-15Z', '2023-04-30Z');

-- ---- 3. Schools, courses, pupils ----

SELECT create_access_pattern('schools', 'school', 'school_id = :school', view_name => 'school_rows',
	description => 'a school by id');
SELECT create_access_pattern('schools', 'courses_of_school', 'school_id = :school', view_name => 'course_rows',
	description => 'the courses of a school');
SELECT create_access_pattern('schools', 'pupils_of_school', 'school_id = :school', view_name => 'pupil_rows',
	description => 'the pupils of a school');
SELECT create_access_pattern('schools', 'school_collection', 'school_id = :school', '{school,course,pupil}',
	description => 'everything of a school in one read');
SELECT create_access_pattern('schools', 'pupils_of_course', 'course_id = :course', view_name => 'attendance_rows',
	description => 'the pupils of a course');
SELECT create_access_pattern('schools', 'courses_of_pupil', 'pupil_id = :pupil', view_name => 'attendance_rows', index_name => 'inverted',
	description => 'the courses of a pupil');
SELECT create_access_pattern('schools', 'schools_of_pupil', 'pupil_id = :pupil', view_name => 'pupil_rows', index_name => 'inverted',
	description => 'the schools of a pupil');

\echo '3. Schools, courses, pupils'
SELECT name, city FROM school('1');
SELECT course_id, title FROM courses_of_school('1');
SELECT pupil_id, name FROM pupils_of_school('1');
SELECT kind_of('schools', item) AS kind, item ->> 'SK' AS sk FROM school_collection('2') AS item;
SELECT pupil_id, since FROM pupils_of_course('MUS');
SELECT course_id, since FROM courses_of_pupil(101);
SELECT school_id, enrolled FROM schools_of_pupil(101);

-- ---- 4. One-to-many, five strategies ----

SELECT create_access_pattern('customers', 'customer_with_addresses', 'CustomerId = :customer',
	description => '1. a customer with every address');
SELECT create_access_pattern('books', 'books_of_author', 'AuthorName = :author',
	description => '2. the books of an author, with the facts of the author');
SELECT create_access_pattern('organizations', 'organization', 'Org = :org', view_name => 'organization_rows',
	description => '3. an organization');
SELECT create_access_pattern('organizations', 'organization_with_users', 'Org = :org', '{organization,user}',
	description => '3. an organization with its users');
SELECT create_access_pattern('organizations', 'users_of_organization', 'Org = :org', view_name => 'organization_users',
	description => '3. the users of an organization');
SELECT create_access_pattern('organizations', 'organization_user', 'Org = :org AND UserId = :id', view_name => 'organization_users',
	description => '3. one user');
SELECT create_access_pattern('tickets', 'user_with_latest_tickets', 'Org = :org AND UserId = :id', '{user,ticket}', index_name => 'GSI1',
	scan_index_forward => false, max_items => 3, description => '4. a user and the two latest tickets');
SELECT create_access_pattern('tickets', 'ticket_with_comments', 'TicketId = :ticket', '{ticket,comment}',
	description => '4. a ticket with its comments');
SELECT create_access_pattern('stores', 'stores_in', 'Country = :country AND State = :state AND City = :city AND Zip = :zip', view_name => 'store_rows',
	parameters => '{"state": {"default": null}, "city": {"default": null}, "zip": {"default": null}}',
	description => '5. the stores of a country, of a state, of a city or of a zip code');

\echo '4. One-to-many, five strategies'
SELECT item -> 'MailingAddresses' AS addresses FROM customer_with_addresses('alice') AS item;
SELECT item ->> 'Title' AS title, item ->> 'AuthorBirthdate' AS author_born FROM books_of_author('Stephen King') AS item;
SELECT "OrgName", "PlanType" FROM organization('microsoft');
SELECT item ->> 'SK' AS sk FROM organization_with_users('microsoft') AS item;
SELECT "UserName" FROM users_of_organization('microsoft');
SELECT "UserName", "UserType" FROM organization_user('amazon', 'JeffBezos');
SELECT item ->> 'GSI1SK' AS id, coalesce(item ->> 'UserName', item ->> 'Subject') AS what FROM user_with_latest_tickets('microsoft', 'BillGates') AS item;
SELECT item ->> 'SK' AS sk FROM ticket_with_comments('1584043200-a1') AS item;
SELECT count(*) FROM stores_in('USA');
SELECT "Place" FROM stores_in('USA', 'Nebraska');
SELECT "Place" FROM stores_in('USA', 'Nebraska', 'Omaha');
SELECT "Street" FROM stores_in('USA', 'Nebraska', 'Omaha', '68118');

-- ---- 5. Human resources and order entry ----
--
-- GSI1 has names and titles as partition keys.  A name could be any text, also
-- "OE-PRODUCT1": where kinds of items cannot be told by their keys, a pattern with
-- entities gets a filter.  Here the pattern says how its keys are composed, and has none.

SELECT create_access_pattern('hr_oe', 'hr_employee', 'EmployeeId = :employee', '{employee,contract,job_history,current_job,workplace,quota}',
	description => '1. employee by id, with all that is known');
SELECT create_access_pattern('hr_oe', 'hr_employee_by_name', 'Name = :name', index_name => 'GSI1', keys => '{"GSI1PK": "{Name}", "GSI1SK": "HR-EMPLOYEE{EmployeeId}"}',
	description => '2. employee by name');
SELECT create_access_pattern('hr_oe', 'hr_current_job', 'EmployeeId = :employee', keys => '{"PK": "HR-EMPLOYEE{EmployeeId}", "SK": "JH#{Since:date}"}',
	scan_index_forward => false, max_items => 1, description => '3. current job of an employee');
SELECT create_access_pattern('hr_oe', 'oe_orders_of_customer', 'CustomerId = :customer AND Status = :status AND Date BETWEEN :since AND :until', index_name => 'GSI1',
	keys => '{"GSI1PK": "OE-CUSTOMER{CustomerId}", "GSI1SK": "{Status}#{Date:date}"}',
	parameters => '{"since": "date", "until": "date"}',
	description => '4. orders of a customer in a date range, by status');
SELECT create_access_pattern('hr_oe', 'oe_orders_by_status', 'Status = :status AND Date BETWEEN :since AND :until', view_name => 'orders_of_customers',
	index_name => 'GSI2',
	description => '5. all orders of a status in a date range, of every customer, from all shards');
SELECT create_access_pattern('hr_oe', 'hr_hired_since', 'Hired > :since', index_name => 'GSI1',
	keys => '{"GSI1PK": "HR-CONFIDENTIAL", "GSI1SK": "{Hired:date}"}', parameters => '{"since": "date"}', description => '6. employees hired recently');
SELECT create_access_pattern('hr_oe', 'hr_employees_of_warehouse', 'WarehouseId = :warehouse', index_name => 'GSI1',
	keys => '{"GSI1PK": "OE-WAREHOUSE{WarehouseId}", "GSI1SK": "EMPLOYEE#{Name}"}', description => '7. employees of a warehouse');
SELECT create_access_pattern('hr_oe', 'oe_product_items', 'ProductId = :product', index_name => 'GSI1', keys => '{"GSI1PK": "OE-PRODUCT{ProductId}"}',
	description => '8. order items of a product, with its inventories');
SELECT create_access_pattern('hr_oe', 'oe_customers_of_rep', 'RepId = :rep', index_name => 'GSI1',
	keys => '{"GSI1PK": "HR-EMPLOYEE{RepId}", "GSI1SK": "CUSTOMER#{Name}"}', description => '9. customers of an account representative');
SELECT create_access_pattern('hr_oe', 'oe_orders_of_rep', 'RepId = :rep AND Status = :status', index_name => 'GSI1',
	keys => '{"GSI1PK": "HR-EMPLOYEE{RepId}", "GSI1SK": "{Status}#{Date:date}"}',
	description => '10. orders of an account representative by date');
SELECT create_access_pattern('hr_oe', 'hr_employees_by_title', 'Title = :title', index_name => 'GSI1',
	keys => '{"GSI1PK": "{Title}", "GSI1SK": "EMPLOYEE#{Name}"}', description => '11. employees with a job title');
SELECT create_access_pattern('hr_oe', 'oe_inventory', 'ProductId = :product AND WarehouseId = :warehouse',
	keys => '{"PK": "OE-PRODUCT{ProductId}", "SK": "OE-WAREHOUSE{WarehouseId}"}', description => '12. inventory of a product in a warehouse');
SELECT create_access_pattern('hr_oe', 'oe_total_inventory', 'ProductId = :product',
	keys => '{"PK": "OE-PRODUCT{ProductId}", "SK": "OE-PRODUCT{ProductId}"}', description => '13. total inventory of a product');
SELECT create_access_pattern('hr_oe', 'hr_reps_by_total', 'Quarter = :quarter', index_name => 'GSI1', keys => '{"GSI1PK": "{Quarter}"}', scan_index_forward => false,
	description => '14. account representatives ranked by order total in a quarter');

\echo '5. Human resources and order entry'
SELECT kind_of('hr_oe', item) AS kind, item ->> 'SK' AS sk FROM hr_employee('1') AS item;
SELECT item ->> 'PK' AS employee FROM hr_employee_by_name('Karen Colmenares') AS item;
SELECT item ->> 'Title' AS title FROM hr_current_job('2') AS item;
SELECT item ->> 'PK' AS "order", item ->> 'Date' AS date FROM oe_orders_of_customer('1', 'OPEN', '2026-01-01', '2026-03-31') AS item;
SELECT "OrderId", "Date" FROM oe_orders_by_status('OPEN', '2026-02-01', '2026-03-31');
SELECT item ->> 'PK' AS employee, item ->> 'Hired' AS hired FROM hr_hired_since('2025-01-01') AS item;
SELECT item ->> 'Name' AS name FROM hr_employees_of_warehouse('1') AS item;
SELECT item ->> 'GSI1SK' AS what, item ->> 'Quantity' AS quantity FROM oe_product_items('1') AS item;
SELECT item ->> 'Name' AS name FROM oe_customers_of_rep('2') AS item;
SELECT item ->> 'PK' AS "order", item ->> 'Total' AS total FROM oe_orders_of_rep('2', 'OPEN') AS item;
SELECT item ->> 'Name' AS name FROM hr_employees_by_title('Account Manager') AS item;
SELECT item ->> 'Quantity' AS quantity FROM oe_inventory('1', '2') AS item;
SELECT item ->> 'Quantity' AS quantity FROM oe_total_inventory('1') AS item;
SELECT item ->> 'PK' AS rep, item ->> 'Total' AS total FROM hr_reps_by_total('2026-Q1') AS item;

\echo 'Every pattern against the data: each finds items, and discards few'
SELECT t.table_name, c.pattern, c.runs, c.items_read, c.items_returned, c.capacity_units
FROM unnest('{ecommerce,shop,schools,customers,books,organizations,tickets,stores,hr_oe}'::text[]) WITH ORDINALITY AS t (table_name, n),
	check_access_patterns(t.table_name, strict => true) AS c
ORDER BY t.n, c.pattern::text;
