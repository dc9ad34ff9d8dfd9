-- The bare form: keys are composed by whoever writes the items.  This is the
-- shop of shop_hierarchy.sql as a client of DynamoDB would write it; there the
-- database composes the same keys.  The sort key's prefix says what an item is and
-- where it belongs:
--
--   PK              SK                      entity
--   CUSTOMER#<id>   METADATA                customer
--   CUSTOMER#<id>   ORDER#<id>              order
--   CUSTOMER#<id>   ORDER#<id>#ITEM#<id>    item of an order
--
-- Run it with: psql -f examples/bare_keys.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

DROP TABLE IF EXISTS bare_ecommerce;

SELECT dynamo.create_table('bare_ecommerce', partition_key => 'PK', sort_key => 'SK');

-- Items may be written as plain JSON: a jsonb becomes an item.
SELECT count(*) AS items_put
FROM (VALUES
	('{"PK": "CUSTOMER#12345", "SK": "METADATA",
	   "customer_id": "12345", "name": "Alice Smith", "email": "alice.smith@example.com"}'::jsonb),
	('{"PK": "CUSTOMER#12345", "SK": "ORDER#98765",
	   "order_id": "98765", "order_date": "2023-10-27T10:00:00Z", "total_amount": 150.75}'),
	('{"PK": "CUSTOMER#12345", "SK": "ORDER#98765#ITEM#ABC",
	   "product_name": "Wireless Mouse", "quantity": 1, "price": 25.00}'),
	('{"PK": "CUSTOMER#12345", "SK": "ORDER#98765#ITEM#DEF",
	   "product_name": "Mechanical Keyboard", "quantity": 1, "price": 125.75}'),
	('{"PK": "CUSTOMER#12345", "SK": "ORDER#98801",
	   "order_id": "98801", "order_date": "2023-11-02T16:20:00Z", "total_amount": 49.90}'),
	('{"PK": "CUSTOMER#12345", "SK": "ORDER#98801#ITEM#GHI",
	   "product_name": "Desk Lamp", "quantity": 1, "price": 49.90}'),
	('{"PK": "CUSTOMER#67890", "SK": "METADATA",
	   "customer_id": "67890", "name": "Bob Jones", "email": "bob.jones@example.com"}'),
	('{"PK": "CUSTOMER#67890", "SK": "ORDER#98770",
	   "order_id": "98770", "order_date": "2023-10-28T08:30:00Z", "total_amount": 50.00}'),
	('{"PK": "CUSTOMER#67890", "SK": "ORDER#98770#ITEM#ABC",
	   "product_name": "Wireless Mouse", "quantity": 2, "price": 25.00}')
) AS data (item), dynamo.put_item('bare_ecommerce', data.item);

\echo '1. A customer by id'
SELECT dynamo.get_item('bare_ecommerce', '{"PK": {"S": "CUSTOMER#12345"}, "SK": {"S": "METADATA"}}');

\echo '2. Everything of a customer'
SELECT item ->> 'SK' AS "SK", item - '{PK,SK}'::text[] AS attributes
FROM dynamo.query('bare_ecommerce', 'PK = :pk',
				  '{":pk": {"S": "CUSTOMER#12345"}}') AS item;

\echo '3. All orders of a customer with their items'
SELECT item ->> 'SK' AS "SK", item ->> 'total_amount' AS total, item ->> 'product_name' AS product
FROM dynamo.query('bare_ecommerce', 'PK = :pk AND begins_with(SK, :prefix)',
				  '{":pk": {"S": "CUSTOMER#12345"}, ":prefix": {"S": "ORDER#"}}') AS item;

\echo '4. Only the orders, latest first, without their items'
SELECT item ->> 'order_id' AS order_id, item ->> 'order_date' AS order_date, item ->> 'total_amount' AS total
FROM dynamo.query('bare_ecommerce', 'PK = :pk AND begins_with(SK, :prefix)',
				  '{":pk": {"S": "CUSTOMER#12345"}, ":prefix": {"S": "ORDER#"}}',
				  filter_expression => 'attribute_exists(order_id)',
				  scan_index_forward => false) AS item;
