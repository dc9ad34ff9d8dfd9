-- an entity is declared anew: its views, their rights and what depends on them stay
CREATE SCHEMA t_entity_replace;
SET search_path = t_entity_replace, dynamo;
\set SHOW_CONTEXT never
SET enable_seqscan = off;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "SK"}]');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}"}',
	'{"customer_id": "text", "order_id": "int", "status": "text"}', type_attribute => 'kind', view_name => 'orders');
SELECT create_entity_view('few', 'shop', '{"number": {"type": "int", "attribute": "order_id"}}', entity_name => 'order');
INSERT INTO orders (customer_id, order_id, status) SELECT 'c1', i, 'OPEN' FROM generate_series(1, 3) i;
CREATE ROLE regress_replace;
GRANT USAGE ON SCHEMA t_entity_replace TO regress_replace;
GRANT SELECT (order_id, status), UPDATE (status) ON orders TO regress_replace;
ALTER VIEW orders SET (security_invoker = false, security_barrier = false);
ALTER VIEW orders RENAME COLUMN status TO state;
ALTER VIEW orders ALTER COLUMN state SET DEFAULT 'NEW';
COMMENT ON VIEW orders IS 'typed orders';
CREATE VIEW open_orders AS SELECT order_id FROM orders WHERE state = 'OPEN';

-- a new attribute, and a default of an old one
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}"}',
	'{"customer_id": "text", "order_id": "int", "status": "text", "note": {"type": "text", "default": "none"}}', type_attribute => 'kind', view_name => 'orders');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}"}',
	'{"customer_id": "text", "note": {"type": "text", "default": "none"}, "order_id": "int", "status": "text"}', type_attribute => 'kind', view_name => 'orders', replace => true);
INSERT INTO orders (customer_id, order_id) VALUES ('c1', 4) RETURNING *;
UPDATE orders SET note = 'gift' WHERE customer_id = 'c1' AND order_id = 1 RETURNING *;
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 't_entity_replace' AND table_name IN ('orders', 'few') ORDER BY table_name, ordinal_position;
SELECT reloptions, obj_description(oid) FROM pg_class WHERE oid = 'orders'::regclass;
SELECT * FROM open_orders ORDER BY 1;
SET ROLE regress_replace;
UPDATE orders SET state = 'PAID' WHERE order_id = 2 RETURNING order_id, state;
SELECT note FROM orders;
RESET ROLE;
-- its index keys are what they were: views go on using them
SELECT describe_entity('shop', 'order') -> 'applied' AS applied;
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE state = 'PAID';

-- access patterns of its rows are declared anew, too, and keep their rights
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :customer_id', view_name => 'orders', description => 'by number');
REVOKE EXECUTE ON FUNCTION orders_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orders_of TO regress_replace;
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}"}',
	'{"customer_id": "text", "note": "text", "order_id": "int", "status": "text", "gift": "boolean"}', type_attribute => 'kind', replace => true);
SELECT * FROM orders_of('c1');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :customer_id', view_name => 'orders', max_items => 2);
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :customer_id', view_name => 'orders', max_items => 2, replace => true);
SELECT * FROM orders_of('c1');
SELECT has_function_privilege('regress_replace', 'orders_of(text)', 'EXECUTE') AS granted, proacl::text LIKE '%{=X%' AS public, obj_description(oid) FROM pg_proc WHERE proname = 'orders_of';
CREATE FUNCTION by_hand(customer_id text) RETURNS SETOF orders LANGUAGE sql AS 'SELECT * FROM t_entity_replace.orders';
SELECT create_access_pattern('shop', 'by_hand', 'customer_id = :customer_id', view_name => 'orders', replace => true);
SELECT create_access_pattern('shop', 'new_one', 'customer_id = :customer_id', view_name => 'orders', replace => true);
DROP FUNCTION by_hand, new_one, orders_of;

-- other keys: those of older items are applied before they are used
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "S#{status}"}',
	'{"customer_id": "text", "order_id": "int", "status": "text", "note": "text", "gift": "boolean"}', type_attribute => 'kind', replace => true);
SELECT describe_entity('shop', 'order') -> 'applied' AS applied;
SELECT order_id, state, note FROM orders WHERE state = 'PAID';
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE state = 'PAID';
SELECT problem FROM check_entity('shop', 'order');
SELECT apply_entity('shop', 'order');
SELECT apply_entity('shop', 'order');
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE state = 'PAID';
-- so are parts whose type was not declared
SELECT create_entity('shop', 'event', '{"PK": "EVENT#{id}", "SK": "EVENT", "GSI1PK": "{state}"}', type_attribute => 'kind');
SELECT put_item('shop', '{"kind": "event", "id": "1", "state": 7}'::jsonb);
SELECT apply_entity('shop', 'event');
SELECT describe_entity('shop', 'event') -> 'applied' AS applied;
SELECT create_entity('shop', 'event', '{"PK": "EVENT#{id}", "SK": "EVENT", "GSI1PK": "{state}"}', '{"id": "text", "state": {}}', type_attribute => 'kind', replace => true);
SELECT describe_entity('shop', 'event') -> 'applied' AS applied;
SELECT create_entity('shop', 'event', '{"PK": "EVENT#{id}", "SK": "EVENT", "GSI1PK": "{state}"}', '{"id": "text", "state": "text"}', type_attribute => 'kind', replace => true);
SELECT describe_entity('shop', 'event') -> 'applied' AS applied;
SELECT drop_entity('shop', 'event');
SELECT drop_entity('shop', 'order');
DROP VIEW open_orders;
SELECT drop_entity('shop', 'order');

-- what CREATE OR REPLACE VIEW refuses, is refused, and nothing has changed
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', '{"customer_id": "text", "order_id": "int", "note": "text"}',
	type_attribute => 'kind', view_name => 'orders', replace => true);
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', '{"customer_id": "text", "order_id": "bigint", "note": "text"}',
	type_attribute => 'kind', replace => true);
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', '{"customer_id": "text", "order_id": "int"}',
	type_attribute => 'kind', replace => true);
CREATE OR REPLACE VIEW orders AS SELECT "PK", "SK", item ->> 'customer_id' AS customer_id, (item ->> 'order_id')::int AS order_id, item ->> 'note' AS note, 1 AS by_hand FROM shop;
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', '{"customer_id": "text", "order_id": "int", "note": "text"}',
	type_attribute => 'kind', replace => true);
SELECT describe_entity('shop', 'order') -> 'attributes' -> 1 ->> 'type' AS type;
SELECT create_entity('shop', 'order', '{"PK": "{a", "SK": "x"}', replace => true);
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', replace => true, view_name => 'shop');
DROP VIEW orders;

-- another entity may not be taken its items, and copies keep their keys
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "CUSTOMER"}', type_attribute => 'kind', replace => true);
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "CUSTOMER"}', type_attribute => 'kind', type_value => 'order', replace => true);
SELECT create_total('shop', 'orders', 'customer', 'order', '{"orders": "count"}');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "O#{order_id:06}"}', type_attribute => 'kind', replace => true);
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', '{"customer_id": "text", "order_id": "int", "amount": "numeric"}',
	type_attribute => 'kind', view_name => 'orders', replace => true);
SELECT put_item('shop', '{"kind": "customer", "customer_id": "c2"}'::jsonb);
INSERT INTO orders (customer_id, order_id, amount) VALUES ('c2', 1, 5);
SELECT item ->> 'orders' AS orders FROM shop WHERE "SK" = 'CUSTOMER';
SELECT * FROM check_copies('shop');

-- only the owner of the table, and views of others stay as they are
GRANT ALL ON SCHEMA t_entity_replace TO regress_replace;
GRANT SELECT ON shop TO regress_replace;
SET ROLE regress_replace;
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}"}', replace => true);
SELECT create_entity_view('theirs', 'shop', entity_name => 'order');
RESET ROLE;
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', '{"customer_id": "text", "order_id": "int", "amount": "numeric", "more": "text"}',
	type_attribute => 'kind', replace => true);
SELECT table_name FROM information_schema.columns WHERE table_schema = 't_entity_replace' AND column_name = 'more';

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_entity_replace CASCADE;
DROP ROLE regress_replace;
