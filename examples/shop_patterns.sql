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
-- attributes of an index is not in it.  Each kind is an entity: the database
-- composes all six key attributes.
--
-- Run it with: psql -f examples/shop_patterns.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS shop CASCADE;
COMMIT;

SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('shop', 'GSI2', 'GSI2PK', 'GSI2SK');

-- EntityType tells what an item is.  An order item and an invoice have the keys of
-- both indexes; what has no template for an index is not in it.
SELECT dynamo.create_entity('shop', e.name, e.keys, e.attributes, type_attribute => 'EntityType', view_name => e.view)
FROM (VALUES
	('customer', 'shop_customers', '{"PK": "c#{CustomerId}", "SK": "c#{CustomerId}"}'::jsonb,
	 '{"CustomerId": "text", "Name": "text", "Email": "text"}'::json),
	('product', 'shop_products', '{"PK": "p#{ProductId}", "SK": "p#{ProductId}"}',
	 '{"ProductId": "text", "Name": "text", "Price": "numeric"}'),
	('order', 'shop_orders', '{"PK": "o#{OrderId}", "SK": "c#{CustomerId}"}',
	 '{"OrderId": "text", "CustomerId": "text", "Date": "text", "Status": {"type": "text", "default": "open"}}'),
	('orderItem', 'shop_order_items',
	 '{"PK": "o#{OrderId}", "SK": "p#{ProductId}", "GSI1PK": "p#{ProductId}", "GSI1SK": "{Date:s}",
	   "GSI2PK": "c#{CustomerId}", "GSI2SK": "p#{Date:date}#p#{ProductId}"}',
	 '{"OrderId": "text", "ProductId": "text", "CustomerId": "text", "Date": "timestamptz", "Quantity": "int", "Price": "numeric"}'),
	('invoice', 'shop_invoices',
	 '{"PK": "o#{OrderId}", "SK": "i#{InvoiceId}", "GSI1PK": "i#{InvoiceId}", "GSI1SK": "i#{InvoiceId}",
	   "GSI2PK": "c#{CustomerId}", "GSI2SK": "i#{Date:date}#i#{InvoiceId}"}',
	 '{"OrderId": "text", "InvoiceId": "text", "CustomerId": "text", "Date": "date", "Amount": "numeric", "Payments": "jsonb"}')
) AS e (name, view, keys, attributes);

INSERT INTO shop_customers ("CustomerId", "Name", "Email")
VALUES ('12345', 'Dana', 'dana@example.com'), ('67890', 'Eli', 'eli@example.com');
INSERT INTO shop_products ("ProductId", "Name", "Price")
VALUES ('12345', 'Tea pot', 24.50), ('99887', 'Tea, 500 g', 9.80);
INSERT INTO shop_orders ("OrderId", "CustomerId", "Date", "Status")
VALUES ('12345', '12345', '2023-04-18', 'paid'), ('12399', '67890', '2023-04-28', 'open'), ('12500', '12345', '2023-05-02', 'open');
INSERT INTO shop_order_items ("OrderId", "ProductId", "CustomerId", "Date", "Quantity", "Price")
VALUES ('12345', '12345', '12345', '2023-04-18 09:12Z', 1, 24.50), ('12345', '99887', '12345', '2023-04-18 09:12Z', 3, 9.80),
	('12399', '99887', '67890', '2023-04-28 17:40Z', 1, 9.80), ('12500', '99887', '12345', '2023-05-02 08:00Z', 2, 9.80);
INSERT INTO shop_invoices ("OrderId", "InvoiceId", "CustomerId", "Date", "Amount", "Payments")
VALUES ('12345', '55443', '12345', '2023-04-19', 53.90,
		'[{"Date": "2023-04-20", "Amount": 50, "Method": "card"}, {"Date": "2023-04-25", "Amount": 3.90, "Method": "voucher"}]'),
	('12399', '55471', '67890', '2023-04-29', 9.80, '[]'), ('12500', '55502', '12345', '2023-05-03', 19.60, '[]');
SELECT "PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK" FROM shop ORDER BY 1, 2;

\echo '1. A customer by id'
SELECT dynamo.get_item('shop', dynamo.entity_key('shop', 'customer', '{"CustomerId": "12345"}'::jsonb));

\echo '2. A product by id'
SELECT "Name", "Price" FROM shop_products WHERE "ProductId" = '12345';

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
				  '{":product": {"S": "p#99887"}, ":from": {"S": "2023-04-15"}, ":to": {"S": "2023-05"}}',
				  index_name => 'GSI1') AS item;

-- The same in SQL: a condition on attributes is one on the key of GSI1.
SELECT "OrderId", "Date" AT TIME ZONE 'UTC' AS ordered_at, "Quantity"
FROM shop_order_items WHERE "ProductId" = '99887' AND "Date" >= '2023-04-15Z' AND "Date" < '2023-05-01Z' ORDER BY "Date";

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
