-- A shop with ten access patterns: one table, two overloaded indexes.
--
--   PK          SK                entity
--   c#<id>      c#<id>            customer
--   p#<id>      p#<id>            product
--   o#<id>      c#<id>            order
--   o#<id>      p#<id>            order item (quantity, price, date)
--   o#<id>      i#<id>            invoice (with its payments)
--
-- GSI1 finds the orders of a product by date, and an invoice by its id; GSI2 what
-- a customer was invoiced and what was bought, by date.  An item without the key
-- attributes of an index is not in it.
--
-- Run it with: psql -f examples/shop_patterns.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

DROP TABLE IF EXISTS shop;

SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('shop', 'GSI2', 'GSI2PK', 'GSI2SK');

SELECT count(*) AS items_put
FROM (VALUES
	('{"PK": "c#12345", "SK": "c#12345", "EntityType": "customer", "Name": "Dana", "Email": "dana@example.com"}'::jsonb),
	('{"PK": "c#67890", "SK": "c#67890", "EntityType": "customer", "Name": "Eli", "Email": "eli@example.com"}'),
	('{"PK": "p#12345", "SK": "p#12345", "EntityType": "product", "Name": "Tea pot", "Price": 24.50}'),
	('{"PK": "p#99887", "SK": "p#99887", "EntityType": "product", "Name": "Tea, 500 g", "Price": 9.80}'),
	('{"PK": "o#12345", "SK": "c#12345", "EntityType": "order", "Date": "2023-04-18", "Status": "paid"}'),
	('{"PK": "o#12345", "SK": "p#12345", "EntityType": "orderItem", "Quantity": 1, "Price": 24.50, "Date": "2023-04-18",
	   "GSI1PK": "p#12345", "GSI1SK": "2023-04-18T09:12:00", "GSI2PK": "c#12345", "GSI2SK": "p#2023-04-18#p#12345"}'),
	('{"PK": "o#12345", "SK": "p#99887", "EntityType": "orderItem", "Quantity": 3, "Price": 9.80, "Date": "2023-04-18",
	   "GSI1PK": "p#99887", "GSI1SK": "2023-04-18T09:12:00", "GSI2PK": "c#12345", "GSI2SK": "p#2023-04-18#p#99887"}'),
	('{"PK": "o#12345", "SK": "i#55443", "EntityType": "invoice", "Date": "2023-04-19", "Amount": 53.90,
	   "Payments": [{"Date": "2023-04-20", "Amount": 50, "Method": "card"},
					{"Date": "2023-04-25", "Amount": 3.90, "Method": "voucher"}],
	   "GSI1PK": "i#55443", "GSI1SK": "i#55443", "GSI2PK": "c#12345", "GSI2SK": "i#2023-04-19#i#55443"}'),
	('{"PK": "o#12399", "SK": "c#67890", "EntityType": "order", "Date": "2023-04-28", "Status": "open"}'),
	('{"PK": "o#12399", "SK": "p#99887", "EntityType": "orderItem", "Quantity": 1, "Price": 9.80, "Date": "2023-04-28",
	   "GSI1PK": "p#99887", "GSI1SK": "2023-04-28T17:40:00", "GSI2PK": "c#67890", "GSI2SK": "p#2023-04-28#p#99887"}'),
	('{"PK": "o#12399", "SK": "i#55471", "EntityType": "invoice", "Date": "2023-04-29", "Amount": 9.80, "Payments": [],
	   "GSI1PK": "i#55471", "GSI1SK": "i#55471", "GSI2PK": "c#67890", "GSI2SK": "i#2023-04-29#i#55471"}'),
	('{"PK": "o#12500", "SK": "c#12345", "EntityType": "order", "Date": "2023-05-02", "Status": "open"}'),
	('{"PK": "o#12500", "SK": "p#99887", "EntityType": "orderItem", "Quantity": 2, "Price": 9.80, "Date": "2023-05-02",
	   "GSI1PK": "p#99887", "GSI1SK": "2023-05-02T08:00:00", "GSI2PK": "c#12345", "GSI2SK": "p#2023-05-02#p#99887"}'),
	('{"PK": "o#12500", "SK": "i#55502", "EntityType": "invoice", "Date": "2023-05-03", "Amount": 19.60, "Payments": [],
	   "GSI1PK": "i#55502", "GSI1SK": "i#55502", "GSI2PK": "c#12345", "GSI2SK": "i#2023-05-03#i#55502"}')
) AS data (item), dynamo.put_item('shop', data.item);

\echo '1. A customer by id'
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#12345"}, "SK": {"S": "c#12345"}}');

\echo '2. A product by id'
SELECT dynamo.get_item('shop', '{"PK": {"S": "p#12345"}, "SK": {"S": "p#12345"}}');

\echo '3. All details of an order'
SELECT item ->> 'EntityType' AS entity, item ->> 'SK' AS id, item ->> 'Date' AS date
FROM dynamo.query('shop', 'PK = :order', '{":order": {"S": "o#12345"}}') AS item;

\echo '4. The products of an order'
SELECT item ->> 'SK' AS product, item ->> 'Quantity' AS quantity, item ->> 'Price' AS price, item ->> 'Date' AS date
FROM dynamo.query('shop', 'PK = :order AND begins_with(SK, :products)',
				  '{":order": {"S": "o#12345"}, ":products": {"S": "p#"}}') AS item;

\echo '5. The invoice of an order'
SELECT item ->> 'SK' AS invoice, item ->> 'Amount' AS amount
FROM dynamo.query('shop', 'PK = :order AND begins_with(SK, :invoices)',
				  '{":order": {"S": "o#12345"}, ":invoices": {"S": "i#"}}') AS item;

\echo '6. The orders of a product in a range of dates'
SELECT item ->> 'PK' AS "order", item ->> 'GSI1SK' AS ordered_at, item ->> 'Quantity' AS quantity
FROM dynamo.query('shop', 'GSI1PK = :product AND GSI1SK BETWEEN :from AND :to',
				  '{":product": {"S": "p#99887"}, ":from": {"S": "2023-04-15T00:00:00"}, ":to": {"S": "2023-04-30T23:59:59"}}',
				  index_name => 'GSI1') AS item;

\echo '7. An invoice by id'
SELECT item ->> 'PK' AS "order", item ->> 'Date' AS date, item ->> 'Amount' AS amount
FROM dynamo.query('shop', 'GSI1PK = :invoice AND GSI1SK = :invoice',
				  '{":invoice": {"S": "i#55443"}}', index_name => 'GSI1') AS item;

\echo '8. The payments of an invoice: a list of maps on the invoice'
SELECT payment ->> 'Date' AS date, (payment -> 'Amount')::numeric AS amount, payment ->> 'Method' AS method
FROM dynamo.query('shop', 'GSI1PK = :invoice AND GSI1SK = :invoice',
				  '{":invoice": {"S": "i#55443"}}', index_name => 'GSI1') AS item,
	dynamo.elements(item -> 'Payments') AS payment;

\echo '9. The invoices of a customer in a range of dates'
SELECT item ->> 'SK' AS invoice, item ->> 'Date' AS date, item ->> 'Amount' AS amount
FROM dynamo.query('shop', 'GSI2PK = :customer AND GSI2SK BETWEEN :from AND :to',
				  '{":customer": {"S": "c#12345"}, ":from": {"S": "i#2023-04-15"}, ":to": {"S": "i#2023-04-30"}}',
				  index_name => 'GSI2') AS item;

\echo '10. The products a customer ordered in a range of dates'
SELECT item ->> 'SK' AS product, item ->> 'Date' AS date, item ->> 'Quantity' AS quantity
FROM dynamo.query('shop', 'GSI2PK = :customer AND GSI2SK BETWEEN :from AND :to',
				  '{":customer": {"S": "c#12345"}, ":from": {"S": "p#2023-04-15"}, ":to": {"S": "p#2023-04-30"}}',
				  index_name => 'GSI2') AS item;
