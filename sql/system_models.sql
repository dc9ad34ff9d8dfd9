-- The five systems as models: no key is composed by hand, no attribute that another item
-- has is written by a client, and every access pattern is proved on 40,000 items.
CREATE SCHEMA t_system_models;
SET search_path = t_system_models, dynamo;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';
SET client_min_messages = warning;
\set ECHO errors
\o /dev/null

-- ---- 1. a shop as a hierarchy ----
SELECT create_table('ecommerce', 'PK', 'SK', indexes => '[{"index_name": "orders", "partition_key": "orders_of", "sort_key": "order_key"}]');
SELECT create_entity('ecommerce', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', '{"customer_id": "text", "name": "text", "email": "text"}',
	type_attribute => 'kind', view_name => 'e_customers');
SELECT create_entity('ecommerce', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:word}", "orders_of": "CUSTOMER#{customer_id}", "order_key": "{order_date:s}"}',
	'{"customer_id": "text", "order_id": "text", "order_date": "timestamptz"}', type_attribute => 'kind', view_name => 'e_orders');
SELECT create_entity('ecommerce', 'item', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:word}#ITEM#{product_id}"}',
	'{"customer_id": "text", "order_id": "text", "product_id": "text", "product_name": "text", "quantity": "int", "price": "numeric",
	  "amount": {"type": "numeric", "computed": "price * quantity"}}', type_attribute => 'kind', view_name => 'e_items');
SELECT create_total('ecommerce', 'total_amount', 'order', 'item', '{"total_amount": "sum(amount)", "items": "count"}');
SELECT create_total('ecommerce', 'order_count', 'customer', 'order', '{"orders": "count"}');
SELECT create_access_pattern('ecommerce', 'e_customer', 'customer_id = :c', view_name => 'e_customers'),
	create_access_pattern('ecommerce', 'e_collection', 'customer_id = :c', '{customer,order,item}'),
	create_access_pattern('ecommerce', 'e_document', 'customer_id = :c', '{customer,order,item}', returns => 'document'),
	create_access_pattern('ecommerce', 'e_orders_with_items', 'customer_id = :c', '{order,item}'),
	create_access_pattern('ecommerce', 'e_items_of_order', 'customer_id = :c AND order_id = :o', view_name => 'e_items'),
	create_access_pattern('ecommerce', 'e_only_orders', 'customer_id = :c', view_name => 'e_orders', index_name => 'orders', scan_index_forward => false);

-- ---- 2. a shop with ten access patterns ----
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}, {"index_name": "GSI2", "partition_key": "GSI2PK", "sort_key": "GSI2SK"}]');
SELECT create_entity('shop', e.name, e.keys, e.attributes, type_attribute => 'EntityType', view_name => e.view)
FROM (VALUES
	('customer', 's_customers', '{"PK": "c#{CustomerId}", "SK": "c#{CustomerId}"}'::jsonb, '{"CustomerId": "text", "Name": "text"}'::json),
	('product', 's_products', '{"PK": "p#{ProductId}", "SK": "p#{ProductId}"}', '{"ProductId": "text", "Name": "text", "Price": "numeric"}'),
	('order', 's_orders', '{"PK": "o#{OrderId}", "SK": "c#{CustomerId}"}', '{"OrderId": "text", "CustomerId": "text", "Date": "timestamptz"}'),
	('orderItem', 's_order_items', '{"PK": "o#{OrderId}", "SK": "p#{ProductId}", "GSI1PK": "p#{ProductId}", "GSI1SK": "{Date:s}", "GSI2PK": "c#{CustomerId}", "GSI2SK": "p#{Date:date}#p#{ProductId}"}',
	 '{"OrderId": "text", "ProductId": "text", "CustomerId": "text", "Date": "timestamptz", "Quantity": "int", "Price": "numeric", "Amount": {"type": "numeric", "computed": "\"Price\" * \"Quantity\""}}'),
	('invoice', 's_invoices', '{"PK": "o#{OrderId}", "SK": "i#{InvoiceId}", "GSI1PK": "i#{InvoiceId}", "GSI1SK": "i#{InvoiceId}", "GSI2PK": "c#{CustomerId}", "GSI2SK": "i#{Date:date}#i#{InvoiceId}"}',
	 '{"OrderId": "text", "InvoiceId": "text", "CustomerId": "text", "Date": "date", "Payments": {"type": "jsonb", "default": []}}')
) AS e (name, view, keys, attributes);
SELECT create_copy('shop', 'date_of_order', 'order', 'orderItem', '{"Date": "Date"}');
SELECT create_total('shop', 'amount_of_order', 'order', 'orderItem', '{"Amount": "sum(Amount)"}');
SELECT create_copy('shop', 'amount_of_invoice', 'order', 'invoice', '{"Amount": "Amount"}');
SELECT create_access_pattern('shop', 's1', 'CustomerId = :c', view_name => 's_customers'), create_access_pattern('shop', 's2', 'ProductId = :p', view_name => 's_products'),
	create_access_pattern('shop', 's3', 'OrderId = :o', '{order,orderItem,invoice}'), create_access_pattern('shop', 's4', 'OrderId = :o', view_name => 's_order_items'),
	create_access_pattern('shop', 's5', 'OrderId = :o', view_name => 's_invoices'),
	create_access_pattern('shop', 's6', 'ProductId = :p AND Date BETWEEN :since AND :until', view_name => 's_order_items', index_name => 'GSI1'),
	create_access_pattern('shop', 's7', 'InvoiceId = :i', view_name => 's_invoices', index_name => 'GSI1'),
	create_access_pattern('shop', 's8', 'InvoiceId = :i', '{invoice}', index_name => 'GSI1', projection_expression => 'Payments'),
	create_access_pattern('shop', 's9', 'CustomerId = :c AND Date BETWEEN :since AND :until', view_name => 's_invoices', index_name => 'GSI2'),
	create_access_pattern('shop', 's10', 'CustomerId = :c AND Date BETWEEN :since AND :until', view_name => 's_order_items', index_name => 'GSI2');

-- ---- 3. schools, courses, pupils ----
SELECT create_table('schools', 'PK', 'SK', indexes => '[{"index_name": "inverted", "partition_key": "SK", "sort_key": "PK"}]');
SELECT create_entity('schools', e.name, e.keys, e.attributes, type_attribute => 'kind', view_name => e.view)
FROM (VALUES
	('school', 'c_schools', '{"PK": "SCHOOL#{school_id}", "SK": "#METADATA#{school_id}"}'::jsonb, '{"school_id": "text", "city": "text"}'::json),
	('course', 'c_courses', '{"PK": "SCHOOL#{school_id}", "SK": "COURSE#{course_id}"}', '{"school_id": "text", "course_id": "text", "title": "text"}'),
	('person', 'c_persons', '{"PK": "PUPIL#{pupil_id:06}", "SK": "PUPIL#{pupil_id:06}"}', '{"pupil_id": "int", "name": "text"}'),
	('pupil', 'c_pupils', '{"PK": "SCHOOL#{school_id}", "SK": "PUPIL#{pupil_id:06}"}', '{"school_id": "text", "pupil_id": "int", "name": "text"}'),
	('attendance', 'c_attendance', '{"PK": "COURSE#{course_id}", "SK": "PUPIL#{pupil_id:06}"}', '{"course_id": "text", "pupil_id": "int", "name": "text", "since": "date"}')
) AS e (name, view, keys, attributes);
SELECT create_copy('schools', 'name_in_school', 'person', 'pupil', '{"name": "name"}', index_name => 'inverted'),
	create_copy('schools', 'name_in_course', 'person', 'attendance', '{"name": "name"}', index_name => 'inverted'),
	create_total('schools', 'pupils', 'school', 'pupil', '{"pupils": "count"}');
SELECT create_access_pattern('schools', 'c_school', 'school_id = :s', view_name => 'c_schools'), create_access_pattern('schools', 'c_courses_of', 'school_id = :s', view_name => 'c_courses'),
	create_access_pattern('schools', 'c_pupils_of', 'school_id = :s', view_name => 'c_pupils'), create_access_pattern('schools', 'c_all_of', 'school_id = :s', '{school,course,pupil}'),
	create_access_pattern('schools', 'c_pupils_of_course', 'course_id = :c', view_name => 'c_attendance'),
	create_access_pattern('schools', 'c_courses_of_pupil', 'pupil_id = :p', view_name => 'c_attendance', index_name => 'inverted'),
	create_access_pattern('schools', 'c_schools_of_pupil', 'pupil_id = :p', view_name => 'c_pupils', index_name => 'inverted');

-- ---- 4. one-to-many, five strategies ----
SELECT create_table('many', 'PK', 'SK', indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('many', e.name, e.keys, e.attributes, type_attribute => 'kind', view_name => e.view)
FROM (VALUES
	('customer', 'm_customers', '{"PK": "CUSTOMER#{customer}", "SK": "CUSTOMER"}'::jsonb, '{"customer": "text", "addresses": "jsonb"}'::json),
	('author', 'm_authors', '{"PK": "AUTHOR#{author}", "SK": "AUTHOR"}', '{"author": "text", "born": "date"}'),
	('book', 'm_books', '{"PK": "AUTHOR#{author}", "SK": "BOOK#{title}"}', '{"author": "text", "title": "text", "author_born": "date"}'),
	('organization', 'm_organizations', '{"PK": "ORG#{org:upper}", "SK": "METADATA#{org:upper}"}', '{"org": "text", "plan": "text"}'),
	('user', 'm_users', '{"PK": "ORG#{org:upper}", "SK": "USER#{login:upper}", "GSI1PK": "ORG#{org:upper}#USER#{login:upper}", "GSI1SK": "USER#{login:upper}"}', '{"org": "text", "login": "text", "name": "text"}'),
	('ticket', 'm_tickets', '{"PK": "TICKET#{opened:s}-{hash}", "SK": "TICKET", "GSI1PK": "ORG#{org:upper}#USER#{login:upper}", "GSI1SK": "TICKET#{opened:s}-{hash}"}',
	 '{"opened": "timestamptz", "hash": "text", "org": "text", "login": "text"}'),
	('store', 'm_stores', '{"PK": "STORE#{country}", "SK": "{state}#{city}#{zip}"}', '{"country": "text", "state": "text", "city": "text", "zip": "text"}')
) AS e (name, view, keys, attributes);
SELECT create_copy('many', 'born', 'author', 'book', '{"author_born": "born"}'), create_total('many', 'users', 'organization', 'user', '{"users": "count"}'),
	create_total('many', 'tickets', 'user', 'ticket', '{"tickets": "count", "latest": "max(opened)"}', index_name => 'GSI1');
SELECT create_access_pattern('many', 'm_customer', 'customer = :c', view_name => 'm_customers'), create_access_pattern('many', 'm_books_of', 'author = :a', view_name => 'm_books'),
	create_access_pattern('many', 'm_organization', 'org = :o', view_name => 'm_organizations'), create_access_pattern('many', 'm_organization_with_users', 'org = :o', '{organization,user}'),
	create_access_pattern('many', 'm_users_of', 'org = :o', view_name => 'm_users'), create_access_pattern('many', 'm_user', 'org = :o AND login = :l', view_name => 'm_users'),
	create_access_pattern('many', 'm_user_with_latest', 'org = :o AND login = :l', '{user,ticket}', index_name => 'GSI1', scan_index_forward => false, max_items => 3),
	create_access_pattern('many', 'm_document', 'org = :o AND login = :l', '{user,ticket}', index_name => 'GSI1', scan_index_forward => false, max_items => 3, returns => 'document'),
	create_access_pattern('many', 'm_stores_in', 'country = :country AND state = :state AND city = :city AND zip = :zip', view_name => 'm_stores',
		parameters => '{"state": {"default": null}, "city": {"default": null}, "zip": {"default": null}}');

-- ---- 5. human resources and order entry ----
SELECT create_table('hr', 'PK', 'SK', indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}, {"index_name": "GSI3", "partition_key": "GSI3PK", "sort_key": "GSI3SK"}]');
SELECT create_index('hr', 'GSI2', 'GSI2PK', 'GSI2SK', storage => 'table', shards => 13);
SELECT create_entity('hr', e.name, e.keys, e.attributes, type_attribute => 'kind', view_name => 'h_' || e.name)
FROM (VALUES
	('region', '{"PK": "HR-REGION{region}", "SK": "REGION", "GSI1PK": "NAME#{name}", "GSI1SK": "HR-REGION{region}"}'::jsonb, '{"region": "int", "name": "text"}'::json),
	('country', '{"PK": "HR-COUNTRY{country}", "SK": "COUNTRY", "GSI1PK": "NAME#{name}", "GSI1SK": "HR-COUNTRY{country}"}', '{"country": "int", "name": "text", "region": "int"}'),
	('location', '{"PK": "HR-LOCATION{location}", "SK": "LOCATION", "GSI1PK": "NAME#{city}", "GSI1SK": "HR-LOCATION{location}"}', '{"location": "int", "city": "text", "country": "int"}'),
	('job', '{"PK": "HR-JOB{job}", "SK": "JOB", "GSI1PK": "JOB#{title}", "GSI1SK": "HR-JOB{job}"}', '{"job": "int", "title": "text"}'),
	('department', '{"PK": "HR-DEPARTMENT{department}", "SK": "DEPARTMENT", "GSI1PK": "NAME#{name}", "GSI1SK": "HR-DEPARTMENT{department}"}', '{"department": "int", "name": "text"}'),
	('warehouse', '{"PK": "OE-WAREHOUSE{warehouse}", "SK": "HR-REGION{region}", "GSI1PK": "HR-REGION{region}", "GSI1SK": "OE-WAREHOUSE{warehouse}"}', '{"warehouse": "int", "region": "int"}'),
	('employee', '{"PK": "HR-EMPLOYEE{employee}", "SK": "EMPLOYEE", "GSI1PK": "NAME#{name}", "GSI1SK": "HR-EMPLOYEE{employee}"}', '{"employee": "int", "name": "text"}'),
	('contract', '{"PK": "HR-EMPLOYEE{employee}", "SK": "HR-CONFIDENTIAL", "GSI1PK": "HR-CONFIDENTIAL", "GSI1SK": "{hired:date}"}', '{"employee": "int", "hired": "date"}'),
	('job_held', '{"PK": "HR-EMPLOYEE{employee}", "SK": "JH#{since:date}"}', '{"employee": "int", "since": "date", "title": "text"}'),
	('current_job', '{"PK": "HR-EMPLOYEE{employee}", "SK": "TITLE", "GSI1PK": "TITLE#{title}", "GSI1SK": "EMPLOYEE#{name}"}', '{"employee": "int", "title": "text", "name": "text"}'),
	('workplace', '{"PK": "HR-EMPLOYEE{employee}", "SK": "OE-WAREHOUSE{warehouse}", "GSI1PK": "OE-WAREHOUSE{warehouse}", "GSI1SK": "EMPLOYEE#{name}"}', '{"employee": "int", "warehouse": "int", "name": "text"}'),
	('quota', '{"PK": "HR-EMPLOYEE{rep}", "SK": "QUOTA#{quarter}", "GSI1PK": "QUOTA#{quarter}", "GSI1SK": "{total:012.2}"}', '{"rep": "int", "quarter": "text", "total": "numeric"}'),
	('customer', '{"PK": "OE-CUSTOMER{customer}", "SK": "CUSTOMER", "GSI1PK": "HR-EMPLOYEE{rep}", "GSI1SK": "CUSTOMER#{name}"}', '{"customer": "int", "rep": "int", "name": "text"}'),
	('order', '{"PK": "OE-ORDER{order_id}", "SK": "ORDER", "GSI1PK": "OE-CUSTOMER{customer}", "GSI1SK": "{status}#{day:date}", "GSI2PK": "ORDERS", "GSI2SK": "{status}#{day:date}",
		"GSI3PK": "HR-EMPLOYEE{rep}", "GSI3SK": "{status}#{day:date}"}',
	 '{"order_id": "int", "customer": "int", "rep": "int", "day": "date", "status": {"type": "text", "default": "OPEN", "enum": ["OPEN", "PAID", "SHIPPED"]}, "total": "numeric",
	   "quarter": {"type": "text", "computed": "extract(year FROM day) || ''-Q'' || extract(quarter FROM day)"}}'),
	('order_item', '{"PK": "OE-ORDER{order_id}", "SK": "OE-PRODUCT{product}", "GSI1PK": "OE-PRODUCT{product}", "GSI1SK": "ORDERITEM#{day:date}"}',
	 '{"order_id": "int", "product": "int", "day": "date", "quantity": "int", "price": "numeric", "amount": {"type": "numeric", "computed": "price * quantity"}}'),
	('product', '{"PK": "OE-PRODUCT{product}", "SK": "OE-PRODUCT{product}", "GSI1PK": "NAME#{name}", "GSI1SK": "OE-PRODUCT{product}"}', '{"product": "int", "name": "text"}'),
	('inventory', '{"PK": "OE-PRODUCT{product}", "SK": "OE-WAREHOUSE{warehouse}", "GSI1PK": "OE-PRODUCT{product}", "GSI1SK": "INVENTORY#{warehouse}"}', '{"product": "int", "warehouse": "int", "quantity": "int"}')
) AS e (name, keys, attributes);
SELECT create_copy('hr', 'name_of_job', 'employee', 'current_job', '{"name": "name"}'), create_copy('hr', 'name_at_work', 'employee', 'workplace', '{"name": "name"}'),
	create_copy('hr', 'day_of_item', 'order', 'order_item', '{"day": "day"}'), create_total('hr', 'total_of_order', 'order', 'order_item', '{"total": "sum(amount)"}'),
	create_total('hr', 'stock', 'product', 'inventory', '{"stock": "sum(quantity)"}'),
	create_total('hr', 'ranking', 'quota', 'order', '{"total": "sum(total)"}', index_name => 'GSI3');
SELECT create_access_pattern('hr', 'h1', 'employee = :e', '{employee,contract,job_held,current_job,workplace}'),
	create_access_pattern('hr', 'h2', 'name = :name', view_name => 'h_employee', index_name => 'GSI1'),
	create_access_pattern('hr', 'h3', 'employee = :e', view_name => 'h_job_held', scan_index_forward => false, max_items => 1),
	create_access_pattern('hr', 'h4', 'customer = :c AND status = :status AND day BETWEEN :since AND :until', view_name => 'h_order', index_name => 'GSI1'),
	create_access_pattern('hr', 'h5', 'status = :status AND day BETWEEN :since AND :until', view_name => 'h_order', index_name => 'GSI2'),
	create_access_pattern('hr', 'h6', 'hired > :since', view_name => 'h_contract', index_name => 'GSI1'),
	create_access_pattern('hr', 'h7', 'warehouse = :w', view_name => 'h_workplace', index_name => 'GSI1'),
	create_access_pattern('hr', 'h8', 'product = :p', '{order_item,inventory}', index_name => 'GSI1'),
	create_access_pattern('hr', 'h9', 'rep = :r', view_name => 'h_customer', index_name => 'GSI1'),
	create_access_pattern('hr', 'h10', 'rep = :r AND status = :status AND day >= :since', view_name => 'h_order', index_name => 'GSI3', parameters => '{"since": {"default": null}}'),
	create_access_pattern('hr', 'h11', 'title = :t', view_name => 'h_current_job', index_name => 'GSI1'),
	create_access_pattern('hr', 'h12', 'product = :p AND warehouse = :w', view_name => 'h_inventory'),
	create_access_pattern('hr', 'h13', 'product = :p', view_name => 'h_product'),
	create_access_pattern('hr', 'h14', 'quarter = :q', view_name => 'h_quota', index_name => 'GSI1', scan_index_forward => false);

-- ---- 8,000 items each ----
INSERT INTO e_customers (customer_id, name, email) SELECT 'c' || c, 'name' || c, c || '@example.com' FROM generate_series(1, 200) c;
INSERT INTO e_orders (customer_id, order_id, order_date) SELECT 'c' || 1 + o % 200, 'o' || o, '2026-01-01'::timestamptz + o * interval '1 hour' FROM generate_series(1, 1800) o;
INSERT INTO e_items (customer_id, order_id, product_id, product_name, quantity, price)
SELECT 'c' || 1 + i / 10 % 200, 'o' || i / 10, i % 10, 'product' || i % 10, 1 + i % 3, i % 7 + 0.5 FROM generate_series(10, 6009) i;

INSERT INTO s_customers ("CustomerId", "Name") SELECT c, 'name' || c FROM generate_series(1, 200) c;
INSERT INTO s_products ("ProductId", "Name", "Price") SELECT p, 'product' || p, p FROM generate_series(1, 200) p;
INSERT INTO s_orders ("OrderId", "CustomerId", "Date") SELECT o, 1 + o % 200, '2026-01-01'::timestamptz + o * interval '1 hour' FROM generate_series(1, 1600) o;
INSERT INTO s_order_items ("OrderId", "CustomerId", "ProductId", "Quantity", "Price")
SELECT o, 1 + o % 200, 1 + (o * 7 + n * 11) % 200, n, o % 9 + 0.25 FROM generate_series(1, 1500) o, generate_series(1, 3) n;
INSERT INTO s_invoices ("OrderId", "CustomerId", "InvoiceId", "Date") SELECT o, 1 + o % 200, o, '2026-01-02'::date + o / 24 FROM generate_series(1, 1500) o;

INSERT INTO c_schools (school_id, city) SELECT s, 'city' || s FROM generate_series(1, 40) s;
INSERT INTO c_courses (school_id, course_id, title) SELECT c % 40 + 1, c, 'course' || c FROM generate_series(1, 400) c;
INSERT INTO c_persons (pupil_id, name) SELECT p, 'pupil' || p FROM generate_series(1, 1500) p;
INSERT INTO c_pupils (school_id, pupil_id) SELECT (p + n * 13) % 40 + 1, p FROM generate_series(1, 1500) p, generate_series(0, p % 2) n;
INSERT INTO c_attendance (course_id, pupil_id, since) SELECT (p * 3 + n * 17) % 400 + 1, p, '2026-01-01'::date + p % 100 FROM generate_series(1, 1500) p, generate_series(1, 3) n WHERE p * 3 + n <= 3813;

INSERT INTO m_customers (customer, addresses) SELECT c, jsonb_build_object('home', jsonb_build_object('city', 'c' || c)) FROM generate_series(1, 500) c;
INSERT INTO m_authors (author, born) SELECT a, '1950-01-01'::date + a FROM generate_series(1, 200) a;
INSERT INTO m_books (author, title) SELECT b % 200 + 1, 'title' || b FROM generate_series(1, 1800) b;
INSERT INTO m_organizations (org, plan) SELECT 'org' || o, 'Pro' FROM generate_series(1, 100) o;
INSERT INTO m_users (org, login, name) SELECT 'org' || u % 100 + 1, 'user' || u, 'name' || u FROM generate_series(1, 900) u;
INSERT INTO m_tickets (opened, hash, org, login) SELECT '2026-01-01'::timestamptz + t * interval '1 minute', 'h' || t, 'org' || (t % 900 + 1) % 100 + 1, 'user' || t % 900 + 1 FROM generate_series(1, 2500) t;
INSERT INTO m_stores (country, state, city, zip) SELECT 'country' || s % 4, 'state' || s / 4 % 10, 'city' || s / 40 % 10, s FROM generate_series(1, 2000) s;

INSERT INTO h_region (region, name) SELECT r, 'region' || r FROM generate_series(1, 4) r;
INSERT INTO h_country (country, name, region) SELECT c, 'country' || c, c % 4 + 1 FROM generate_series(1, 20) c;
INSERT INTO h_location (location, city, country) SELECT l, 'city' || l, l % 20 + 1 FROM generate_series(1, 26) l;
INSERT INTO h_job (job, title) SELECT j, 'title' || j FROM generate_series(1, 20) j;
INSERT INTO h_department (department, name) SELECT d, 'department' || d FROM generate_series(1, 30) d;
INSERT INTO h_warehouse (warehouse, region) SELECT w, w % 4 + 1 FROM generate_series(1, 20) w;
INSERT INTO h_employee (employee, name) SELECT e, 'name' || e FROM generate_series(1, 400) e;
INSERT INTO h_contract (employee, hired) SELECT e, '2020-01-01'::date + e FROM generate_series(1, 400) e;
INSERT INTO h_job_held (employee, since, title) SELECT e, '2020-01-01'::date + 400 * n + e, 'title' || (e + n) % 20 + 1 FROM generate_series(1, 400) e, generate_series(0, 1) n;
INSERT INTO h_current_job (employee, title) SELECT e, 'title' || (e + 1) % 20 + 1 FROM generate_series(1, 400) e;
INSERT INTO h_workplace (employee, warehouse) SELECT e, e % 20 + 1 FROM generate_series(1, 400) e;
INSERT INTO h_quota (rep, quarter) SELECT r, '2026-Q' || q FROM generate_series(1, 20) r, generate_series(1, 4) q;
INSERT INTO h_customer (customer, rep, name) SELECT c, c % 20 + 1, 'customer' || c FROM generate_series(1, 200) c;
INSERT INTO h_product (product, name) SELECT p, 'product' || p FROM generate_series(1, 100) p;
INSERT INTO h_inventory (product, warehouse, quantity) SELECT p, w, p * w % 50 FROM generate_series(1, 100) p, generate_series(1, 10) w;
INSERT INTO h_order (order_id, customer, rep, day, status) SELECT o, o % 200 + 1, o % 20 + 1, '2026-01-01'::date + o % 365, (ARRAY['OPEN', 'PAID', 'SHIPPED'])[o % 3 + 1] FROM generate_series(1, 1500) o;
INSERT INTO h_order_item (order_id, product, quantity, price) SELECT o, (o * 7 + n * 31) % 100 + 1, n, o % 11 + 0.5 FROM generate_series(1, 1500) o, generate_series(1, 2) n WHERE o * 2 + n <= 2602;
ANALYZE ecommerce, shop, schools, many, hr;
\o
\set ECHO all

SELECT (SELECT count(*) FROM ecommerce) AS ecommerce, (SELECT count(*) FROM shop) AS shop, (SELECT count(*) FROM schools) AS schools, (SELECT count(*) FROM many) AS many, (SELECT count(*) FROM hr) AS hr;
-- every pattern runs, is right, and reads only what it returns
SELECT t.name, count(*) AS patterns, min(c.runs) > 0 AS all_ran, count(*) FILTER (WHERE c.items_read > c.items_returned) AS filtering, count(c.problem) AS problems
FROM unnest('{ecommerce,shop,schools,many,hr}'::text[]) WITH ORDINALITY t(name, n), check_access_patterns(t.name, strict => true) c GROUP BY t.n, t.name ORDER BY t.n;
SELECT t.name, c.problem FROM unnest('{ecommerce,shop,schools,many,hr}'::text[]) t(name), check_copies(t.name) c;
SELECT t.name, c.problem FROM unnest('{ecommerce,shop,schools,many,hr}'::text[]) t(name), check_entity(t.name) c;

-- what one write changes elsewhere
UPDATE e_items SET quantity = quantity + 1 WHERE customer_id = 'c2' AND order_id = 'o1' AND product_id = '1';
SELECT item ->> 'total_amount' AS total, (SELECT sum(quantity * price) FROM e_items_of_order('c2', 'o1')) AS items, item ->> 'items' AS n FROM e_collection('c2') item WHERE item ->> 'order_id' = 'o1' AND item ->> 'kind' = 'order';
UPDATE s_orders SET "Date" = '2027-05-05T10:00:00Z' WHERE "OrderId" = '7';
SELECT "ProductId", "Date" FROM s10('8', '2027-05-01Z', '2027-05-31Z') ORDER BY 1;
SELECT item -> 'Amount' = (SELECT to_value(sum("Price" * "Quantity")) FROM s4('7')) AS invoiced FROM s3('7') item WHERE item ->> 'EntityType' = 'invoice';
UPDATE c_persons SET name = 'Ida' WHERE pupil_id = 7;
SELECT DISTINCT name FROM (SELECT name FROM c_courses_of_pupil(7) UNION ALL SELECT name FROM c_schools_of_pupil(7)) n;
UPDATE m_authors SET born = '1949-09-21' WHERE author = '9';
SELECT count(*), count(DISTINCT author_born), min(author_born) FROM m_books_of('9');
SELECT jsonb_array_length(m_document('org3', 'user2') -> 'ticket') AS latest, m_document('org3', 'user2') ->> 'tickets' AS tickets;
UPDATE h_employee SET name = 'Aaron' WHERE employee = 21;
SELECT employee, name FROM h7(2) LIMIT 1;
UPDATE h_order_item SET quantity = 100000 WHERE order_id = 20;
SELECT rep, quarter FROM h14('2026-Q1') LIMIT 1;
UPDATE h_inventory SET quantity = quantity + 1000 WHERE product = 5 AND warehouse = 3;
SELECT (item ->> 'stock')::numeric = (SELECT sum(quantity) FROM h_inventory WHERE product = 5) AS stock FROM hr WHERE "PK" = 'OE-PRODUCT5' AND "SK" = 'OE-PRODUCT5';
SELECT t.name, c.problem FROM unnest('{ecommerce,shop,schools,many,hr}'::text[]) t(name), check_copies(t.name) c;
DROP SCHEMA t_system_models CASCADE;
