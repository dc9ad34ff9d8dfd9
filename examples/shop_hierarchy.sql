-- A shop as a hierarchy: customer, order and order item in one table, without
-- any secondary index.  The sort key's prefix says what an item is and where
-- it belongs.  Each kind is declared as an entity, and the database composes the
-- keys (bare_keys.sql is the same without entities):
--
--   PK              SK                      entity
--   CUSTOMER#<id>   METADATA                customer
--   CUSTOMER#<id>   ORDER#<id>              order
--   CUSTOMER#<id>   ORDER#<id>#ITEM#<id>    item of an order
--
-- Run it with: psql -f examples/shop_hierarchy.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS ecommerce CASCADE;
COMMIT;

SELECT dynamo.create_table('ecommerce', partition_key => 'PK', sort_key => 'SK');

-- The attribute kind tells what an item is.  An order_id is a word, without "#": so no
-- key of an order is that of an item.
SELECT dynamo.create_entity('ecommerce', 'customer', type_attribute => 'kind', view_name => 'ecommerce_customers',
	keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	attributes => '{"customer_id": "text", "name": "text", "email": "text"}');
SELECT dynamo.create_entity('ecommerce', 'order', type_attribute => 'kind', view_name => 'ecommerce_orders',
	keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:word}"}',
	attributes => '{"customer_id": "text", "order_id": "text", "order_date": "timestamptz", "total_amount": "numeric"}');
SELECT dynamo.create_entity('ecommerce', 'item', type_attribute => 'kind', view_name => 'ecommerce_items',
	keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:word}#ITEM#{product_id}"}',
	attributes => '{"customer_id": "text", "order_id": "text", "product_id": "text",
		"product_name": "text", "quantity": "int", "price": "numeric",
		"amount": {"type": "numeric", "computed": "price * quantity"}}');

-- The total of an order is that of its items: the database keeps it, whatever writes them.
SELECT dynamo.create_total('ecommerce', 'total_amount', parent => 'order', child => 'item',
	totals => '{"total_amount": "sum(amount)"}');

-- Rows of the views become items.
INSERT INTO ecommerce_customers (customer_id, name, email) VALUES
	('12345', 'Alice Smith', 'alice.smith@example.com'),
	('67890', 'Bob Jones', 'bob.jones@example.com');
INSERT INTO ecommerce_orders (customer_id, order_id, order_date) VALUES
	('12345', '98765', '2023-10-27 10:00Z'),
	('12345', '98801', '2023-11-02 16:20Z'),
	('67890', '98770', '2023-10-28 08:30Z');

-- So do items as plain JSON, in any other way of writing.
SELECT count(*) AS items_put
FROM (VALUES
	('{"kind": "item", "customer_id": "12345", "order_id": "98765", "product_id": "ABC",
	   "product_name": "Wireless Mouse", "quantity": 1, "price": 25.00}'::jsonb),
	('{"kind": "item", "customer_id": "12345", "order_id": "98765", "product_id": "DEF",
	   "product_name": "Mechanical Keyboard", "quantity": 1, "price": 125.75}'),
	('{"kind": "item", "customer_id": "12345", "order_id": "98801", "product_id": "GHI",
	   "product_name": "Desk Lamp", "quantity": 1, "price": 49.90}'),
	('{"kind": "item", "customer_id": "67890", "order_id": "98770", "product_id": "ABC",
	   "product_name": "Wireless Mouse", "quantity": 2, "price": 25.00}')
) AS data (item), dynamo.put_item('ecommerce', data.item);
SELECT "PK", "SK" FROM ecommerce ORDER BY 1, 2;

\echo '1. A customer by id'
SELECT dynamo.get_item('ecommerce', dynamo.entity_key('ecommerce', 'customer', '{"customer_id": "12345"}'::jsonb));

\echo '2. Everything of a customer'
SELECT dynamo.kind_of('ecommerce', item) AS kind, item - '{PK,SK,kind}'::text[] AS attributes
FROM dynamo.query('ecommerce', 'PK = :pk',
				  '{":pk": {"S": "CUSTOMER#12345"}}') AS item;

\echo '3. All orders of a customer with their items'
SELECT item ->> 'SK' AS "SK", item ->> 'total_amount' AS total, item ->> 'product_name' AS product
FROM dynamo.query('ecommerce', 'PK = :pk AND begins_with(SK, :prefix)',
				  '{":pk": {"S": "CUSTOMER#12345"}, ":prefix": {"S": "ORDER#"}}') AS item;

\echo '4. The items of one order: a range of the key'
SELECT product_name, quantity, price FROM ecommerce_items WHERE customer_id = '12345' AND order_id = '98765';

\echo '5. Only the orders, latest first, without their items'
SELECT order_id, order_date AT TIME ZONE 'UTC' AS order_date, total_amount
FROM ecommerce_orders WHERE customer_id = '12345' ORDER BY "SK" DESC;

\echo '6. Upwards: every customer who ordered a product'
-- What this model cannot answer in DynamoDB is plain SQL over the same rows.
CREATE INDEX ecommerce_product ON ecommerce ((item ->> 'product_name'), "PK")
	WHERE item ? 'product_name';

SELECT c.name AS customer, sum((bought.item ->> 'quantity')::int) AS pieces
FROM ecommerce AS bought
JOIN ecommerce_customers AS c ON c.customer_id = bought.item ->> 'customer_id'
WHERE bought.item ? 'product_name' AND bought.item ->> 'product_name' = 'Wireless Mouse'
GROUP BY c.customer_id, c.name
ORDER BY customer;
