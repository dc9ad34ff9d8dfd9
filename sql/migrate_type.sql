-- dynamo.migrate_entity(type_value | split | merge => ...): other values of the type attribute
CREATE SCHEMA t_migrate_type;
SET search_path = t_migrate_type, public, dynamo;

SELECT create_table('shop', partition_key => 'pk', sort_key => 'sk', indexes =>
	'[{"index_name": "by_city", "partition_key": "g1", "sort_key": "sk", "projection": "INCLUDE", "non_key_attributes": ["kind"]}]');
SELECT create_entity('shop', 'customer', '{"pk": "C#{customer_id}", "sk": "C", "g1": "{city}"}', '{"customer_id": "int", "city": "text", "vat": "text", "orders": "int", "status": "text"}',
	type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"pk": "C#{customer_id}", "sk": "O#{n:04}", "g1": "{city}"}', '{"customer_id": "int", "n": "int", "amount": "int", "city": "text"}',
	type_attribute => 'kind', view_name => 'orders');
SELECT create_entity('shop', 'note', '{"pk": "C#{id}", "sk": "{n}"}', '{"id": "int", "n": "text"}', view_name => 'notes');
SELECT create_total('shop', 'counts', 'customer', 'order', '{"orders": "count"}');
INSERT INTO customers (customer_id, city, vat) SELECT n, 'c' || n % 2, CASE WHEN n % 3 = 0 THEN 'DE' || n END FROM generate_series(1, 9) n;
INSERT INTO orders (customer_id, n, amount, city) SELECT n, m, 10 * m, 'c' || n % 2 FROM generate_series(1, 3) n, generate_series(1, 2) m;
INSERT INTO notes (id, n) VALUES (1, 'hello');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :c', view_name => 'orders');
SELECT create_access_pattern('shop', 'order_items', 'customer_id = :c', entities => '{order}', returns => 'items');
SELECT create_access_pattern('shop', 'all_of', 'customer_id = :c', entities => '{order,customer}', returns => 'items');
SELECT create_access_pattern('shop', 'order_page', 'customer_id = :c', entities => '{order}');
SELECT create_access_pattern('shop', 'notes_of', 'id = :c', view_name => 'notes');
SELECT create_access_pattern('shop', 'in_city', 'city = :c', view_name => 'orders', index_name => 'by_city');
CREATE VIEW kinds AS SELECT item ->> 'kind' AS kind, count(*) FROM shop GROUP BY 1 ORDER BY 1;
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.sk IN ('O#0001', 'C') AND OLD.pk = 'C#3' AND OLD.item OPERATOR(dynamo.->>) 'kind' <> NEW.item OPERATOR(dynamo.->>) 'kind' THEN
		RAISE EXCEPTION 'held';
	END IF;
	RETURN NEW;
END $$;

-- ---- what is refused ----

\set VERBOSITY terse
SELECT migrate_entity('shop', 'order');
SELECT migrate_entity('shop', 'order', type_value => 'sale', merge => 'customer');
SELECT migrate_entity('shop', 'order', split => 'sale');
SELECT migrate_entity('shop', 'order', condition_expression => 'amount > :a');
SELECT migrate_entity('shop', 'order', type_value => 'sale', expression_attribute_values => '{":a": {"N": "1"}}');
SELECT migrate_entity('shop', 'order', type_value => '');
SELECT migrate_entity('shop', 'none', type_value => 'sale');
SELECT migrate_entity('shop', 'note', type_value => 'sale');
SELECT migrate_entity('shop', 'order', type_value => 'order');
SELECT migrate_entity('shop', 'order', type_value => 'customer');

SELECT migrate_entity('shop', 'order', split => 'customer', condition_expression => 'amount > :a', expression_attribute_values => '{":a": {"N": "1"}}');
SELECT migrate_entity('shop', 'order', split => 'sale', condition_expression => 'amount > :a', expression_attribute_values => '{":a": {"N": "1"}}');
SELECT migrate_entity('shop', 'order', merge => 'order');
SELECT migrate_entity('shop', 'order', merge => 'customer');
SELECT migrate_entity('shop', 'order', merge => 'none');
-- an item of no entity has the value already
SELECT put_item('shop', '{"pk": "stray", "sk": "1", "kind": "sale"}'::jsonb);
\set VERBOSITY default
SELECT migrate_entity('shop', 'order', type_value => 'sale');
\set VERBOSITY terse
SELECT delete_item('shop', '{"pk": "stray", "sk": "1"}'::jsonb);
-- what depends on the value
CREATE FUNCTION try(statement text, entity_name text DEFAULT 'order') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	EXECUTE $s$SELECT dynamo.migrate_entity('shop', $1, type_value => 'sale')$s$ USING entity_name;
	RAISE EXCEPTION 'was not refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLERRM, hint);
END $$;
SELECT try($$SELECT create_entity('shop', 'order', '{"pk": "C#{customer_id}", "sk": "O#{n:04}", "g1": "{kind}"}', '{"kind": "text", "customer_id": "int", "n": "int", "amount": "int", "city": "text"}', type_attribute => 'kind', replace => true)$$);
SELECT try($$SELECT create_entity('shop', 'order', '{"pk": "C#{customer_id}", "sk": "O#{n:04}", "g1": "{city}"}', '{"customer_id": "int", "n": "int", "amount": "int", "city": {"type": "text", "computed": "kind"}, "kind": "text"}', type_attribute => 'kind', replace => true)$$);
SELECT try($$SELECT create_index('shop', 'gifts', partition_key => 'g2'), create_entity('shop', 'gift', '{"pk": "G#{id}", "sk": "G", "g2": "{id}"}', '{"id": "int"}', type_attribute => 'kind',
	index_conditions => '{"gifts": "kind = :k"}', expression_attribute_values => '{":k": {"S": "gift"}}')$$, 'gift');
SELECT try($$SELECT add_unique_constraint('shop', 'one', '{amount}', kind_attributes => '{"kind": {"S": "none"}}')$$);
SELECT try($$SELECT add_reference('shop', 'of_customer', '{"pk": "C#{customer_id}", "sk": "C"}', kind_attributes => '{"kind": {"S": "order"}}')$$);
SELECT try($$SELECT create_copy('shop', 'kinds', 'customer', 'order', '{"customer_kind": "kind"}')$$, 'customer');
SELECT try($$SELECT create_access_pattern('shop', 'by_kind', 'customer_id = :c', entities => '{order}', filter_expression => 'kind = :k', parameters => '{"k": "text"}')$$);
SELECT try($$SELECT create_index('shop', 'by_kind', partition_key => 'kind')$$);
CREATE ROLE regress_migrate_type;
GRANT USAGE, CREATE ON SCHEMA t_migrate_type TO regress_migrate_type;
GRANT SELECT ON shop, orders TO regress_migrate_type;
SET ROLE regress_migrate_type;
SELECT migrate_entity('shop', 'order', type_value => 'sale');
SELECT create_access_pattern('shop', 'their_orders', 'customer_id = :c', view_name => 'orders');
RESET ROLE;
\set VERBOSITY default

-- ---- another value ----

CREATE TRIGGER hold BEFORE UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION hold();
SELECT enable_stream('shop', 'NEW_AND_OLD_IMAGES') IS NOT NULL AS enabled;
BEGIN;
SELECT migrate_entity('shop', 'order', type_value => 'sale');
SELECT pause_migration('shop', 'order');
COMMIT;
SELECT entity_name, phase, type_value, other_type_value FROM dynamo.migrations;
-- preparing: a writer that knows the new value gets the old one
SELECT put_item('shop', '{"kind": "sale", "customer_id": 2, "n": 7, "amount": 70, "city": "c0"}'::jsonb);
SELECT * FROM kinds;
SELECT count(*) FROM orders_of(2);
-- one came by replication
SET session_replication_role = replica;
INSERT INTO shop (pk, sk, item) VALUES ('stray', '1', '{"pk": {"S": "stray"}, "sk": {"S": "1"}, "kind": {"S": "sale"}}');
RESET session_replication_role;
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, error FROM dynamo.migrations;
DELETE FROM shop WHERE pk = 'stray';
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, error FROM dynamo.migrations;
-- some have the one, and some the other
UPDATE orders SET amount = amount + 1 WHERE customer_id = 1;
SELECT update_item('shop', '{"pk": "C#2", "sk": "O#0001"}'::jsonb, 'SET note = :n', expression_attribute_values => '{":n": {"S": "moved"}}', return_values => 'ALL_NEW');
SELECT put_item('shop', '{"kind": "order", "customer_id": 2, "n": 8, "amount": 80, "city": "c0"}'::jsonb);
INSERT INTO orders (customer_id, n, amount, city) VALUES (2, 9, 90, 'c0');
UPDATE shop SET item = item || '{"kind": {"S": "order"}}'::item WHERE pk = 'C#1' AND sk = 'O#0002';
SELECT * FROM kinds;
SELECT item ->> 'kind' AS kind, count(*), count(*) FILTER (WHERE needs_move(tableoid, item)) AS moves FROM shop WHERE sk LIKE 'O#%' GROUP BY 1 ORDER BY 1;
SELECT customer_id, n, amount FROM orders ORDER BY customer_id, n;
SELECT get_item('shop', '{"kind": "order", "customer_id": 1, "n": 1}'::jsonb, 'kind') AS by_old, get_item('shop', '{"kind": "sale", "customer_id": 3, "n": 1}'::jsonb, 'kind') AS by_new;
SELECT get_item('shop', '{"kind": "other", "customer_id": 3, "n": 1}'::jsonb, 'kind');
SELECT n FROM orders_of(1);
SELECT n FROM orders_of(2);
SELECT i ->> 'n' AS n FROM order_items(1) i;
SELECT i ->> 'n' AS n FROM order_items(3) i;
SELECT i ->> 'sk' AS sk FROM all_of(1) i;
SELECT count(*) FROM in_city('c0');
SELECT order_page(2) ->> 'sk';
SELECT n FROM notes_of(1);
SELECT n FROM their_orders(1);
SELECT customer_id, orders FROM customers WHERE customer_id < 4 ORDER BY customer_id;
SELECT count(*) FROM dynamo.query('shop', 'kind = :k AND customer_id = :c AND n > :n', '{":k": {"S": "sale"}, ":c": {"N": "3"}, ":n": {"N": "0"}}');
SELECT count(*) FROM dynamo.query('shop', 'kind = :k AND customer_id = :c AND n > :n', '{":k": {"S": "order"}, ":c": {"N": "1"}, ":n": {"N": "0"}}');
SELECT create_entity('shop', 'sale', '{"pk": "S#{id}", "sk": "S"}', '{"id": "int"}', type_attribute => 'kind');
SELECT drop_entity('shop', 'order');
DROP TRIGGER hold ON shop;
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, type_value, other_type_value, error FROM dynamo.migrations;
SELECT * FROM kinds;
SELECT n FROM orders_of(1);
SELECT i ->> 'n' AS n FROM order_items(3) i;
SELECT order_page(1) ->> 'kind';
SELECT customer_id, orders FROM customers WHERE customer_id < 4 ORDER BY customer_id;
SELECT get_item('shop', '{"kind": "order", "customer_id": 1, "n": 1}'::jsonb, 'kind') IS NULL AS gone;
SELECT count(*), count(*) FILTER (WHERE event_name = 'MODIFY') AS modified FROM read_stream('shop') WHERE new_image ->> 'kind' = 'sale' AND old_image ->> 'kind' = 'order';
SELECT dynamo.describe_entity('shop', 'order') ? 'moves' AS moves;
-- and back
CREATE TRIGGER hold BEFORE UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION hold();
SELECT migrate_entity('shop', 'order', type_value => 'order');
CALL await_migration('shop');
UPDATE orders SET amount = amount + 1 WHERE customer_id = 1;
BEGIN;
SELECT cancel_migration('shop', 'order');
SELECT pause_migration('shop', 'order');
COMMIT;
SELECT phase, type_value, other_type_value FROM dynamo.migrations;
SELECT put_item('shop', '{"kind": "order", "customer_id": 2, "n": 10, "amount": 1, "city": "c0"}'::jsonb);
SELECT count(*) FROM orders_of(2);
SELECT n FROM orders_of(1);
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, type_value, error FROM dynamo.migrations;
SELECT * FROM kinds;
SELECT count(*) FROM orders_of(2);

-- ---- split ----

\set VERBOSITY terse
SELECT migrate_entity('shop', 'customer', split => 'company', condition_expression => 'attribute_exists(vat)');
SELECT drop_total('shop', 'counts');
SELECT migrate_entity('shop', 'customer', split => 'company', condition_expression => 'attribute_exists(');
SELECT migrate_entity('shop', 'customer', split => 'company', condition_expression => 'attribute_exists(vat) AND kind = :k', expression_attribute_values => '{":k": {"S": "x"}}');
SELECT migrate_entity('shop', 'customer', split => 'company', condition_expression => 'vat = :k');
SELECT migrate_entity('shop', 'customer', split => 'company', type_value => 'sale', condition_expression => 'attribute_exists(vat)');
SELECT migrate_entity('shop', 'customer', split => '', condition_expression => 'attribute_exists(vat)');
\set VERBOSITY default
SELECT create_access_pattern('shop', 'customers_in', 'city = :c', view_name => 'customers', index_name => 'by_city');
SELECT create_access_pattern('shop', 'customer_items', 'customer_id = :c', entities => '{customer}', returns => 'items');
SELECT migrate_entity('shop', 'customer', split => 'company', condition_expression => 'attribute_exists(vat) AND status <> :closed', expression_attribute_values => '{":closed": {"S": "closed"}}');
CALL await_migration('shop');
UPDATE customers SET vat = 'DE1', status = 'open' WHERE customer_id IN (1, 2);
UPDATE customers SET status = 'closed' WHERE customer_id = 2;
INSERT INTO customers (customer_id, city, vat, status) VALUES (10, 'c0', 'DE10', 'open'), (11, 'c0', NULL, 'open');
SELECT put_item('shop', '{"kind": "company", "customer_id": 12, "city": "c0"}'::jsonb);
SELECT entity_name, phase, type_value, other_type_value FROM dynamo.migrations WHERE entity_name = 'customer';
SELECT * FROM kinds;
-- all are customers until it is complete
SELECT count(*) FROM customers;
SELECT count(*) FROM customers_in('c0');
SELECT i ->> 'kind' AS kind FROM customer_items(10) i;
SELECT entity_name FROM dynamo.entities WHERE table_name = 'shop' ORDER BY 1;
SELECT cancel_migration('shop', 'customer');
DROP TRIGGER hold ON shop;
CALL await_migration('shop');
SELECT * FROM kinds;
SELECT phase FROM dynamo.migrations WHERE entity_name = 'customer';
SELECT migrate_entity('shop', 'customer', split => 'company', type_value => 'firm', condition_expression => 'attribute_exists(vat) AND status <> :closed', expression_attribute_values => '{":closed": {"S": "closed"}}');
CALL await_migration('shop');
SELECT phase, error FROM dynamo.migrations WHERE entity_name = 'customer';
SELECT * FROM kinds;
SELECT entity_name, type_value, keys FROM dynamo.entities WHERE table_name = 'shop' ORDER BY 1;
SELECT create_entity_view('companies', 'shop', entity_name => 'company');
SELECT customer_id, vat FROM companies ORDER BY customer_id;
SELECT count(*) FROM customers;
SELECT count(*) FROM customers_in('c0');
SELECT count(*) FROM customer_items(10);
INSERT INTO companies (customer_id, city) VALUES (13, 'c1');
SELECT create_access_pattern('shop', 'companies_in', 'city = :c', view_name => 'companies', index_name => 'by_city');
SELECT count(*) FROM companies_in('c1');
-- the name is taken meanwhile: the migration stops at its end
BEGIN;
SELECT migrate_entity('shop', 'customer', split => 'closed', condition_expression => 'status = :closed', expression_attribute_values => '{":closed": {"S": "closed"}}');
SELECT create_entity('shop', 'closed', '{"pk": "X#{x}", "sk": "X"}', '{"x": "int"}', type_attribute => 'kind', type_value => 'x');
COMMIT;
CALL await_migration('shop');
SELECT drop_entity('shop', 'closed');
SELECT resume_migration('shop', 'customer');
CALL await_migration('shop');
SELECT * FROM kinds;

-- ---- merge ----

\set VERBOSITY terse
SELECT migrate_entity('shop', 'customer', merge => 'company');
DROP VIEW companies;
DROP FUNCTION companies_in;
DROP VIEW companies;
SELECT create_entity('shop', 'company', '{"pk": "C#{customer_id}", "sk": "C", "g1": "{city}"}', '{"customer_id": "int", "city": "text", "vat": "text", "orders": "int", "status": {"type": "text", "required": true}}',
	type_attribute => 'kind', type_value => 'firm', replace => true);
SELECT migrate_entity('shop', 'customer', merge => 'company');
SELECT create_entity('shop', 'company', '{"g1": "{city}", "pk": "C#{customer_id}", "sk": "C"}', '{"customer_id": "int", "city": "text", "vat": "text", "orders": "int", "status": "text"}',
	type_attribute => 'kind', type_value => 'firm', replace => true);
SELECT create_access_pattern('shop', 'company_of', 'customer_id = :c', entities => '{company}', returns => 'items');
SELECT migrate_entity('shop', 'customer', merge => 'company');
DROP FUNCTION company_of;
\set VERBOSITY default
CREATE TRIGGER hold BEFORE UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION hold();
-- canceled before items move
BEGIN;
SELECT migrate_entity('shop', 'customer', merge => 'company');
SELECT pause_migration('shop', 'customer');
COMMIT;
SELECT entity_name FROM dynamo.entities WHERE table_name = 'shop' ORDER BY 1;
SELECT count(*) FROM customers;
SELECT count(*) FROM customers_in('c0');
UPDATE customers SET status = 'new' WHERE customer_id IN (1, 3);
SELECT * FROM kinds;
SELECT cancel_migration('shop', 'customer');
CALL await_migration('shop');
SELECT entity_name, type_value FROM dynamo.entities WHERE table_name = 'shop' ORDER BY 1;
SELECT count(*) FROM customers;
SELECT count(*) FROM customers_in('c0');
-- and whole; another role has a view of the entity that ends
SET ROLE regress_migrate_type;
SELECT create_entity_view('their_companies', 'shop', entity_name => 'company');
RESET ROLE;
UPDATE shop SET item = item || '{"kind": {"S": "firm"}}'::item WHERE pk = 'C#3' AND sk = 'C';
SELECT migrate_entity('shop', 'customer', merge => 'company');
CALL await_migration('shop');
SELECT cancel_migration('shop', 'customer');
SELECT count(*) FROM customers;
SET ROLE regress_migrate_type;
SELECT count(*) FROM their_companies;
RESET ROLE;
UPDATE customers SET status = 'newer' WHERE customer_id = 13;
SELECT get_item('shop', '{"kind": "firm", "customer_id": 13}'::jsonb, 'kind') AS found;
SELECT count(*) FROM customers_in('c1');
DROP TRIGGER hold ON shop;
SELECT resume_migration('shop', 'customer');
CALL await_migration('shop');
SELECT phase, error FROM dynamo.migrations WHERE entity_name = 'customer';
SELECT * FROM kinds;
SELECT count(*) FROM customers_in('c1');
SELECT entity_name FROM dynamo.entities WHERE table_name = 'shop' ORDER BY 1;

DROP OWNED BY regress_migrate_type;
DROP ROLE regress_migrate_type;
SET client_min_messages = warning;
DROP SCHEMA t_migrate_type CASCADE;
