-- Entities: the model of a single table is declared, and the database composes
-- the keys.  A shop with a hierarchy and two overloaded indexes, and the key
-- schemes of two client libraries, whose tables can be adopted as they are.
--
-- Run it with: psql -f examples/entities.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;
SET client_min_messages = warning;
DROP TABLE IF EXISTS modelled, electrodb, onetable CASCADE;
RESET client_min_messages;

-- ---- a shop ----
--
--   entity    PK                       SK                               by_status              by_product
--   customer  CUSTOMER#{customer_id}   METADATA
--   order     CUSTOMER#{customer_id}   ORDER#{order_id}                 STATUS#{status}, time
--   line      CUSTOMER#{customer_id}   ORDER#{order_id}#LINE#{product}                         PRODUCT#{product}, time

SELECT create_table('modelled', partition_key => 'PK', sort_key => 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_product", "partition_key": "GSI2PK", "sort_key": "GSI2SK"}]');

SELECT create_entity('modelled', 'customer', type_attribute => 'entity', view_name => 'customers',
	keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	attributes => '{"customer_id": "text", "name": "text", "email": {"type": "text", "required": true}}');
SELECT create_entity('modelled', 'order', type_attribute => 'entity', view_name => 'orders',
	keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:s}"}',
	attributes => '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "total": "numeric",
		"status": {"type": "text", "default": "OPEN"}}');
SELECT create_entity('modelled', 'line', type_attribute => 'entity', view_name => 'lines',
	keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}#LINE#{product}",
		"GSI2PK": "PRODUCT#{product}", "GSI2SK": "{placed_at:s}"}',
	attributes => '{"customer_id": "text", "order_id": "int", "product": "text", "placed_at": "timestamptz", "quantity": "int", "price": "numeric"}');

-- Written by rows of the views, and by items; nobody composes a key.
INSERT INTO customers (customer_id, name, email) VALUES ('c7', 'Alice Smith', 'alice@example.com'), ('c8', 'Bob Jones', 'bob@example.com');
INSERT INTO orders (customer_id, order_id, placed_at, total)
VALUES ('c7', 2, '2026-01-27 10:00Z', 150.75), ('c7', 10, '2026-02-02 16:20Z', 49.90), ('c8', 3, '2026-01-28 08:30Z', 50);
SELECT put_item('modelled', line::item) AS line
FROM (VALUES
	('{"entity": "line", "customer_id": "c7", "order_id": 2, "product": "mouse", "quantity": 1, "price": 25, "placed_at": "2026-01-27T10:00:00Z"}'::jsonb),
	('{"entity": "line", "customer_id": "c7", "order_id": 2, "product": "keyboard", "quantity": 1, "price": 125.75, "placed_at": "2026-01-27T10:00:00Z"}'),
	('{"entity": "line", "customer_id": "c8", "order_id": 3, "product": "mouse", "quantity": 2, "price": 25, "placed_at": "2026-01-28T08:30:00Z"}')) v(line);
SELECT "PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK" FROM modelled ORDER BY "PK", "SK";

\echo '1. A customer by id: the key is composed for get_item'
SELECT get_item('modelled', entity_key('modelled', 'customer', '{"customer_id": "c7"}'::jsonb)) ->> 'name' AS name;

\echo '2. The orders of a customer with their lines, in one query of the key'
SELECT kind_of('modelled', item) AS kind, key_parts('modelled', item) - 'placed_at' - 'status' AS parts
FROM query('modelled', 'PK = :c AND begins_with(SK, :o)', '{":c": {"S": "CUSTOMER#c7"}, ":o": {"S": "ORDER#"}}') item;

\echo '3. One order, by its parts; numbers sort as numbers'
SELECT order_id, status, total FROM orders WHERE customer_id = 'c7' AND order_id = 10;
SELECT order_id FROM orders WHERE customer_id = 'c7' ORDER BY "SK";

\echo '4. Lines of a product in January, from its index'
SELECT customer_id, order_id, quantity FROM lines
WHERE product = 'mouse' AND placed_at >= '2026-01-01Z' AND placed_at < '2026-02-01Z' ORDER BY placed_at;

\echo '5. A status changes, and the order is found under the new one and not under the old'
SELECT update_item('modelled', entity_key('modelled', 'order', '{"customer_id": "c7", "order_id": 2}'::jsonb),
	'SET #s = :sent', expression_attribute_values => '{":sent": {"S": "SENT"}}', expression_attribute_names => '{"#s": "status"}');
SELECT order_id FROM orders WHERE status = 'SENT';
SELECT order_id FROM orders WHERE status = 'OPEN' ORDER BY 1;

-- ---- a table of ElectroDB ----
--
-- Keys "$taskapp#team_green" and "$tasks_1#employee_tyler#project_12345", in
-- lower case; __edb_e__ tells the entity, __edb_v__ its version.

SELECT create_table('electrodb', partition_key => 'pk', sort_key => 'sk');
SELECT create_entity('electrodb', 'tasks', type_attribute => '__edb_e__', view_name => 'tasks',
	keys => '{"pk": "$taskapp#team_{team:lower}", "sk": "$tasks_1#employee_{employee:lower}#project_{project:lower}"}',
	attributes => '{"team": "text", "employee": "text", "project": "text", "points": "int", "__edb_v__": {"constant": "1"}}');
\echo '6. The library goes on sending its keys; a stale one is refused'
SELECT put_item('electrodb', '{"pk": "$taskapp#team_green", "sk": "$tasks_1#employee_tyler#project_12345", "__edb_e__": "tasks", "__edb_v__": "1",
	"team": "Green", "employee": "Tyler", "project": "12345", "points": 3}'::jsonb) AS put;
INSERT INTO tasks (team, employee, project) VALUES ('Green', 'Ada', '12346') RETURNING pk, sk;

-- ---- a table of OneTable ----
--
-- Value templates "account:${id}" and "user:${email}", a type field _type.

SELECT create_table('onetable', partition_key => 'pk', sort_key => 'sk',
	indexes => '[{"index_name": "gs1", "partition_key": "gs1pk", "sort_key": "gs1sk"}]');
SELECT create_entity('onetable', 'Account', type_attribute => '_type',
	keys => '{"pk": "account:{id}", "sk": "account:"}', attributes => '{"id": "text", "name": {"type": "text", "required": true}}');
SELECT create_entity('onetable', 'User', type_attribute => '_type', view_name => 'users',
	keys => '{"pk": "account:{accountId}", "sk": "user:{email}", "gs1pk": "user:{email}", "gs1sk": "user:"}',
	attributes => '{"accountId": "text", "email": "text", "name": "text"}');
INSERT INTO users ("accountId", email, name) VALUES ('42', 'ann@example.com', 'Ann');
\echo '7. A user by email, from the index'
SELECT "accountId", name FROM users WHERE email = 'ann@example.com';
SELECT item FROM onetable;
