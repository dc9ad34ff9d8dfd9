-- dynamo.migrate_entity: other keys for the items of an entity, while the table is in use.
CREATE SCHEMA t_migrate_entity;
SET search_path = t_migrate_entity, dynamo;
SET TimeZone = 'UTC';
\set SHOW_CONTEXT never

SELECT create_table('shop', partition_key => 'PK', sort_key => 'SK',
	indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
				 {"index_name": "by_day", "partition_key": "GSI2PK", "storage": "table"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": "text", "name": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order',
	'{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}", "GSI2PK": "{placed_at:date}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": {"type": "text", "required": true, "default": "OPEN"}, "amount": "numeric"}',
	type_attribute => 'kind', view_name => 'orders');
SELECT enable_stream('shop', 'NEW_AND_OLD_IMAGES') IS NOT NULL AS enabled;
INSERT INTO customers (customer_id, name) SELECT 'c' || c, 'name ' || c FROM generate_series(1, 5) c;
INSERT INTO orders (customer_id, order_id, placed_at, amount)
SELECT 'c' || (o % 5 + 1), o, '2026-01-01Z'::timestamptz + o * interval '1 hour', o FROM generate_series(1, 100) o;
-- with the key alone
SELECT put_item('shop', '{"kind": "order", "PK": "CUSTOMER#c9", "SK": "ORDER#7"}'::jsonb);

-- what cannot be migrated
\set VERBOSITY default
SELECT migrate_entity('shop', 'order');
SELECT migrate_entity('shop', 'nobody', '{"PK": "X"}');
SELECT migrate_entity('shop', 'order', '{"GSI3PK": "X"}');
SELECT migrate_entity('shop', 'order', '{"SK": 1}');
SELECT migrate_entity('shop', 'order', '{"SK": "ORDER#{order_id}"}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{order_id:08}#{amount}"}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#"}');
SELECT migrate_entity('shop', 'order', '{"SK": "{order_id}"}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{#10:order_id}"}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{"}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{order_id}"}', rename => '{"amount": "total"}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{order_id}"}', attributes => '{"order_id": "int"}');
SELECT cancel_migration('shop', 'order');
SELECT pause_migration('shop', 'order');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :c', entities => '{order}', returns => 'page');
SELECT migrate_entity('shop', 'order', '{"PK": "C#{customer_id}"}');
DROP FUNCTION orders_of;
SELECT create_access_pattern('shop', 'by_state', 'status = :s', entities => '{order}', index_name => 'by_status', projection_expression => 'amount');
SELECT migrate_entity('shop', 'order', '{"GSI1PK": "STATE#{status}"}');
SELECT create_total('shop', 'orders', 'customer', 'order', '{"orders": "count"}');
SELECT migrate_entity('shop', 'order', '{"PK": "C#{customer_id}"}');
SELECT drop_total('shop', 'orders');
SELECT add_unique_constraint('shop', 'one_name', '{name}', key_prefix => '{"SK": "META"}');
SELECT migrate_entity('shop', 'order', '{"PK": "C#{customer_id}"}');
DROP INDEX one_name;
SELECT add_reference('shop', 'of_customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', kind_attributes => '{"kind": {"S": "order"}}');
SELECT migrate_entity('shop', 'customer', '{"SK": "CUSTOMER"}');
SELECT drop_constraint('shop', 'of_customer');

-- prepared, and paused: each item is under the old key, and found by either
BEGIN;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{customer_id}", "SK": "ORDER#{order_id:08}"}');
SELECT pause_migration('shop', 'order');
COMMIT;
SELECT entity_name, phase, paused, keys, other_keys, items_moved, error FROM dynamo.migrations;
SELECT count(*), sum(amount) FROM orders;
SELECT "PK", "SK", order_id FROM orders WHERE customer_id = 'c9';
SELECT get_item('shop', '{"PK": "C#c9", "SK": "ORDER#00000007"}'::jsonb) -> 'SK' AS found;
SELECT get_item('shop', '{"kind": "order", "customer_id": "c9", "order_id": 7}'::jsonb) -> 'SK' AS found;
SELECT put_item('shop', '{"PK": "C#c1", "SK": "ORDER#00000200", "kind": "order", "customer_id": "c1", "order_id": 200, "amount": 200}'::jsonb);
SELECT "PK", "SK" FROM orders WHERE customer_id = 'c1' AND order_id = 200;
SELECT migrate_entity('shop', 'order', '{"SK": "O#{order_id}"}');
SELECT migrate_entity('shop', 'customer', '{"SK": "CUSTOMER"}');
SELECT create_entity('shop', 'order', '{"PK": "X#{customer_id}"}', type_attribute => 'kind', replace => true);
SELECT drop_entity('shop', 'order');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :c', entities => '{order}');
SELECT create_total('shop', 'orders', 'customer', 'order', '{"orders": "count"}');
SELECT add_unique_constraint('shop', 'one_name', '{name}', key_prefix => '{"SK": "META"}');
SELECT add_reference('shop', 'of_customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', kind_attributes => '{"kind": {"S": "order"}}');
CALL await_migration('shop');
-- canceled before anything was moved
SELECT cancel_migration('shop', 'order');
SELECT phase, items_moved FROM dynamo.migrations;
SELECT describe_entity('shop', 'order') ? 'moves' AS moves;
CALL await_migration('shop');

-- stopped by an item that has the new key of another one: nothing is moved yet
SELECT put_item('shop', '{"PK": "C#c2", "SK": "ORDER#00000001", "note": "of no entity"}'::jsonb);
SELECT migrate_entity('shop', 'order', '{"PK": "C#{customer_id}", "SK": "ORDER#{order_id:08}"}');
CALL await_migration('shop');
SELECT phase, paused, items_moved, error FROM dynamo.migrations;
SELECT count(*), sum(amount), count(*) FILTER (WHERE "PK" LIKE 'C#%') AS moved FROM orders;
CREATE VIEW places AS SELECT count(*) FILTER (WHERE "SK" LIKE 'ORDER#________') AS new, count(*) FILTER (WHERE "SK" NOT LIKE 'ORDER#________') AS old FROM orders;

-- readers by either key, by parts, of the view; the plan reads both ranges
SELECT get_item('shop', '{"PK": "CUSTOMER#c4", "SK": "ORDER#3"}'::jsonb) ->> 'amount' AS by_old,
	   get_item('shop', '{"PK": "C#c4", "SK": "ORDER#00000003"}'::jsonb) ->> 'amount' AS by_new,
	   get_item('shop', '{"PK": "C#c4", "SK": "ORDER#00000003"}'::jsonb, 'amount') AS projected,
	   get_item('shop', '{"kind": "order", "customer_id": "c4", "order_id": 3}'::jsonb) ->> 'amount' AS by_parts;
SELECT batch_get_item('shop', ARRAY['{"PK": "C#c4", "SK": "ORDER#00000003"}'::jsonb::dynamo.item, '{"PK": "CUSTOMER#c4", "SK": "METADATA"}'::jsonb::dynamo.item], projection_expression => 'PK, SK');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT amount FROM orders WHERE customer_id = 'c4' AND order_id = 3;
-- since 18 as one scan of both keys
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END $$;
SELECT plan !~ 'Seq Scan' AS by_index, plan ~ 'Index Cond: [^\n]*\mC#c4' AND plan ~ 'Index Cond: [^\n]*CUSTOMER#c4' AS both_keys,
	plan ~ 'Index Cond: [^\n]*"SK" >= ''ORDER#''[^\n]*"SK" < ''ORDER\$''' AS by_range
FROM plan_of($$SELECT amount FROM orders WHERE customer_id = 'c4'$$) plan;
SELECT order_id, amount FROM orders WHERE customer_id = 'c4' AND order_id = 3;
SELECT count(*) FROM orders WHERE customer_id = 'c4';
SELECT count(*) FROM orders WHERE customer_id = ANY ('{c4,c5}') AND order_id = 3;
SELECT c.name, count(o.order_id) FROM customers c LEFT JOIN orders o USING (customer_id) GROUP BY c.name ORDER BY 1;
SELECT count(*) FROM orders WHERE status = 'OPEN' AND placed_at < '2026-01-02Z';
RESET enable_seqscan;
SELECT kind_of('shop', item), key_parts('shop', item) FROM shop WHERE "PK" = 'CUSTOMER#c9';
SELECT * FROM check_entity('shop', 'order');
SELECT apply_entity('shop', 'order');
-- a query by parts of the table's key would have to read both ranges
SELECT query('shop', 'kind = :k AND customer_id = :c', '{":c": {"S": "c4"}, ":k": {"S": "order"}}');

-- writers: each write moves the item
SELECT update_item('shop', '{"PK": "C#c4", "SK": "ORDER#00000003"}'::jsonb, 'SET amount = amount + :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'ALL_NEW') ->> 'amount' AS amount;
SELECT update_item('shop', '{"PK": "CUSTOMER#c5", "SK": "ORDER#4"}'::jsonb, 'SET amount = amount + :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'ALL_NEW') AS by_old_key;
SELECT update_item('shop', '{"PK": "CUSTOMER#c5", "SK": "ORDER#4"}'::jsonb, 'SET amount = amount + :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'UPDATED_NEW') AS again_by_old_key;
SELECT update_item('shop', '{"kind": "order", "customer_id": "c1", "order_id": 5}'::jsonb, 'SET amount = amount + :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'UPDATED_NEW');
SELECT update_item('shop', '{"PK": "CUSTOMER#c8", "SK": "ORDER#800"}'::jsonb, 'SET amount = :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'ALL_NEW') AS new_by_old_key;
SELECT put_item('shop', '{"kind": "order", "customer_id": "c2", "order_id": 6, "amount": 60}'::jsonb, return_values => 'ALL_OLD') ->> 'amount' AS replaced;
SELECT put_item('shop', '{"kind": "order", "PK": "CUSTOMER#c3", "SK": "ORDER#7", "customer_id": "c3", "order_id": 7, "amount": 70}'::jsonb, return_values => 'ALL_OLD') ->> 'amount' AS replaced_by_old_key;
SELECT put_item('shop', '{"kind": "order", "customer_id": "c4", "order_id": 8}'::jsonb, 'attribute_not_exists(PK)');
SELECT put_item('shop', '{"kind": "order", "PK": "CUSTOMER#c4", "SK": "ORDER#9", "customer_id": "c4", "order_id": 8}'::jsonb);
SELECT delete_item('shop', '{"PK": "C#c5", "SK": "ORDER#00000009"}'::jsonb, return_values => 'ALL_OLD') ->> 'amount' AS deleted;
SELECT delete_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#10"}'::jsonb, return_values => 'ALL_OLD') ->> 'amount' AS deleted_by_old_key;
SELECT get_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#10"}'::jsonb), get_item('shop', '{"PK": "C#c1", "SK": "ORDER#00000010"}'::jsonb);
SELECT * FROM places;
SELECT transact_write_items('[{"Put": {"TableName": "shop", "Item": {"kind": {"S": "order"}, "customer_id": {"S": "c2"}, "order_id": {"N": "11"}, "amount": {"N": "110"}}}},
	{"Update": {"TableName": "shop", "Key": {"PK": {"S": "CUSTOMER#c3"}, "SK": {"S": "ORDER#12"}}, "UpdateExpression": "SET amount = :a", "ExpressionAttributeValues": {":a": {"N": "120"}}}},
	{"Delete": {"TableName": "shop", "Key": {"PK": {"S": "C#c4"}, "SK": {"S": "ORDER#00000013"}}}},
	{"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "C#c5"}, "SK": {"S": "ORDER#00000014"}}, "ConditionExpression": "attribute_exists(PK)"}}]');
SELECT transact_write_items('[{"Delete": {"TableName": "shop", "Key": {"PK": {"S": "C#c1"}, "SK": {"S": "ORDER#00000015"}}}},
	{"Delete": {"TableName": "shop", "Key": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#15"}}}}]');
SELECT batch_write_item('shop', ARRAY['{"kind": "order", "customer_id": "c2", "order_id": 16, "amount": 160}'::jsonb::dynamo.item], ARRAY['{"PK": "CUSTOMER#c3", "SK": "ORDER#17"}'::jsonb::dynamo.item]);
SELECT * FROM places;
-- statements
UPDATE orders SET amount = 180 WHERE customer_id = 'c4' AND order_id = 18 RETURNING "PK", "SK", amount;
UPDATE orders SET order_id = 519 WHERE customer_id = 'c5' AND order_id = 19 RETURNING "PK", "SK", amount;
UPDATE orders SET order_id = 14 WHERE customer_id = 'c5' AND order_id = 519;
UPDATE orders SET customer_id = 'c1' WHERE customer_id = 'c5' AND order_id = 519 RETURNING "PK", "SK", order_id;
UPDATE orders SET customer_id = 'c1', order_id = 25 WHERE customer_id = 'c1' AND order_id = 519;
DELETE FROM orders WHERE customer_id = 'c2' AND order_id = 21 RETURNING "PK", "SK";
INSERT INTO orders (customer_id, order_id, amount) VALUES ('c3', 22, 1);
INSERT INTO shop (item) VALUES ('{"kind": {"S": "order"}, "customer_id": {"S": "c4"}, "order_id": {"N": "23"}}');
INSERT INTO shop (item) VALUES ('{"kind": {"S": "order"}, "PK": {"S": "CUSTOMER#c4"}, "SK": {"S": "ORDER#23"}, "customer_id": {"S": "c4"}, "order_id": {"N": "23"}}');
INSERT INTO orders (customer_id, order_id, amount) VALUES ('c3', 322, 1) RETURNING "PK", "SK";
UPDATE shop SET item = item || '{"note": {"S": "x"}}' WHERE "PK" = 'CUSTOMER#c5' AND "SK" = 'ORDER#24' RETURNING "PK", "SK";
UPDATE orders SET placed_at = now() WHERE customer_id = 'c9' RETURNING "PK", "SK", order_id, status;
SELECT count(*), count(DISTINCT (customer_id, order_id)) FROM orders;
SELECT * FROM places;
SELECT * FROM verify_index('shop', 'by_status');
SELECT * FROM verify_index('shop', 'by_day');

-- corrected, resumed
SELECT resume_migration('shop', 'customer');
SELECT delete_item('shop', '{"PK": "C#c2", "SK": "ORDER#00000001"}'::jsonb);
SELECT get_item('shop', '{"PK": "C#c2", "SK": "ORDER#00000001"}'::jsonb);
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, paused, keys, other_keys, error FROM dynamo.migrations;
SELECT describe_entity('shop', 'order') ? 'moves' AS moves;
SELECT count(*), count(DISTINCT (customer_id, order_id)) FROM orders;
SELECT * FROM places;
SELECT * FROM check_entity('shop', 'order');
SELECT * FROM verify_index('shop', 'by_status');
SELECT * FROM verify_index('shop', 'by_day');
SELECT "PK", "SK", order_id FROM orders WHERE customer_id = 'c9';
-- as any other entity: the former key is a mismatch, and finds nothing
SELECT put_item('shop', '{"kind": "order", "PK": "CUSTOMER#c3", "SK": "ORDER#7", "customer_id": "c3", "order_id": 7}'::jsonb);
SELECT get_item('shop', '{"PK": "CUSTOMER#c3", "SK": "ORDER#7"}'::jsonb);
SELECT query('shop', 'kind = :k AND customer_id = :c AND order_id < :o', '{":c": {"S": "c3"}, ":k": {"S": "order"}, ":o": {"N": "8"}}') ->> 'amount' AS amount;
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE customer_id = 'c4' AND order_id = 3;

-- the stream has a removal and an insertion of each item that was moved
SELECT event_name, count(*) FILTER (WHERE (keys ->> 'PK') LIKE 'CUSTOMER#%') > 80 AS old, count(*) FILTER (WHERE (keys ->> 'PK') LIKE 'C#%') > 80 AS new
FROM read_stream('shop', max_records => 1000) WHERE keys ->> 'SK' LIKE 'ORDER#%' GROUP BY 1 ORDER BY 1;

-- canceled halfway: what was moved goes back
SELECT put_item('shop', '{"PK": "ORDERS#c2", "SK": "ORDER#00000001", "note": "of no entity"}'::jsonb);
SELECT migrate_entity('shop', 'order', '{"PK": "ORDERS#{customer_id}"}');
CALL await_migration('shop');
UPDATE orders SET amount = amount + 1 WHERE customer_id = 'c3';
SELECT count(*) FILTER (WHERE "PK" LIKE 'ORDERS#%') AS new, count(*) FILTER (WHERE "PK" LIKE 'C#%') AS old FROM orders;
SELECT cancel_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, keys ->> 'PK' AS template, error FROM dynamo.migrations;
SELECT count(*) FILTER (WHERE "PK" LIKE 'ORDERS#%') AS new, count(*) FILTER (WHERE "PK" LIKE 'C#%') AS old FROM orders;
SELECT * FROM check_entity('shop', 'order');

-- only keys of indexes
DROP FUNCTION by_state;
SELECT count(*) FROM orders WHERE status = 'OPEN';
SELECT migrate_entity('shop', 'order', '{"GSI1PK": "STATE#{status}#{customer_id}", "GSI2PK": "DAY#{placed_at:date}"}');
CALL await_migration('shop');
SELECT phase, keys, error FROM dynamo.migrations;
SELECT count(*), count(*) FILTER (WHERE "GSI1PK" = 'STATE#OPEN#' || (item ->> 'customer_id')) AS composed FROM shop WHERE item ->> 'placed_at' < '2027' AND item ->> 'customer_id' IS NOT NULL;
SELECT * FROM verify_index('shop', 'by_day');
-- whether an autovacuum has analyzed the table decides between this scan and others
SET enable_bitmapscan = off;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE status = 'OPEN' AND customer_id = 'c1' AND placed_at < '2026-01-02Z';
RESET enable_bitmapscan;
RESET enable_seqscan;

-- without type attribute; the table's key and one of an index at once, and a shard
SELECT create_table('notes', partition_key => 'PK', sort_key => 'SK', indexes => '[{"index_name": "by_tag", "partition_key": "GSI1PK"}]');
SELECT create_entity('notes', 'note', '{"PK": "NOTE#{author}", "SK": "{at:ms}", "GSI1PK": "{tag}"}', '{"author": "text", "at": "timestamptz", "tag": "text"}', view_name => 'note_view');
INSERT INTO note_view (author, at, tag) SELECT 'a' || i % 7, '2026-01-01Z'::timestamptz + i * interval '1 minute', 't' || i % 3 FROM generate_series(1, 50) i;
SELECT put_item('notes', '{"PK": "NOTE#b", "SK": "2026-01-01T00:00:00.000Z"}'::jsonb);
SELECT migrate_entity('notes', 'note', '{"PK": "NOTES#{#4:author}#{author}", "SK": "AT#{at:ms}", "GSI1PK": "TAG#{tag}"}');
CALL await_migration('notes');
SELECT count(*), count(*) FILTER (WHERE "PK" LIKE 'NOTES#_#a%' AND "GSI1PK" LIKE 'TAG#t%') AS moved FROM notes;
SELECT "PK", "SK", author, at FROM note_view WHERE author = 'b';
SELECT * FROM check_entity('notes');
DROP TABLE shop, notes CASCADE;
SELECT * FROM dynamo.migrations;

-- references, but for those that name the keys which change
SELECT create_table('sold', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('sold', 'customer', '{"PK": "CUSTOMER#{c}", "SK": "METADATA"}', '{"c": "text"}', type_attribute => 'kind', view_name => 'sold_customers');
SELECT create_entity('sold', 'order', '{"PK": "CUSTOMER#{c}", "SK": "ORDER#{o}"}', '{"c": "text", "o": "int"}', type_attribute => 'kind', view_name => 'sold_orders');
INSERT INTO sold_customers (c) VALUES ('a'), ('b'), ('z');
INSERT INTO sold_orders (c, o) SELECT chr(97 + o % 2), o FROM generate_series(1, 20) o;
SELECT add_reference('sold', 'of_customer', '{"PK": "CUSTOMER#{c}", "SK": "METADATA"}', kind_attributes => '{"kind": {"S": "order"}}');
SELECT add_reference('sold', 'of_order', '{"PK": "CUSTOMER#{c}", "SK": "ORDER#{o}"}', kind_attributes => '{"kind": {"S": "payment"}}');
SELECT migrate_entity('sold', 'order', '{"SK": "O#{o:08}"}');
SELECT drop_constraint('sold', 'of_order');
SELECT add_reference('sold', 'of_order', '{"PK": "CUSTOMER#{c}", "SK": "METADATA"}', key_prefix => '{"SK": "ORDER#1"}');
SELECT migrate_entity('sold', 'order', '{"SK": "O#{o:08}"}');
SELECT drop_constraint('sold', 'of_order');
SELECT add_reference('sold', 'of_order', '{"PK": "CUSTOMER#{c}", "SK": "METADATA"}', key_prefix => '{"PK": "CUSTOMER#b"}');
SELECT put_item('sold', '{"PK": "CUSTOMER#a", "SK": "O#00000002"}'::jsonb);
SELECT migrate_entity('sold', 'order', '{"SK": "O#{o:08}"}');
CALL await_migration('sold');
INSERT INTO sold_orders (c, o) VALUES ('none', 1);
SELECT put_item('sold', '{"kind": "order", "c": "b", "o": 21}'::jsonb);
UPDATE sold_orders SET c = 'none' WHERE c = 'b' AND o = 1;
UPDATE sold_orders SET c = 'a' WHERE c = 'b' AND o = 1 RETURNING "PK", "SK";
DELETE FROM sold_customers WHERE c = 'b';
DELETE FROM sold_customers WHERE c = 'z';
SELECT count(*) FILTER (WHERE "SK" LIKE 'ORDER#%') AS old, count(*) FILTER (WHERE "SK" LIKE 'O#%') AS new FROM sold_orders;
SELECT delete_item('sold', '{"PK": "CUSTOMER#a", "SK": "O#00000002"}'::jsonb);
SELECT resume_migration('sold', 'order');
CALL await_migration('sold');
SELECT count(*) FILTER (WHERE "SK" LIKE 'ORDER#%') AS old, count(*) FILTER (WHERE "SK" LIKE 'O#%') AS new FROM sold_orders;
DELETE FROM sold_customers WHERE c = 'a';
DROP TABLE sold CASCADE;

-- a table of somebody without other rights; its policies do not hide items from the worker
SET client_min_messages = warning;
CREATE ROLE regress_migrate_owner;
GRANT USAGE, CREATE ON SCHEMA t_migrate_entity TO regress_migrate_owner;
SET ROLE regress_migrate_owner;
SELECT create_table('own', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('own', 'order', '{"PK": "C#{c}", "SK": "O#{o}"}', '{"c": "text", "o": "int"}', type_attribute => 'kind', view_name => 'own_orders');
INSERT INTO own_orders (c, o) SELECT 'c' || o % 3, o FROM generate_series(1, 30) o;
ALTER TABLE own ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY few ON own USING ("SK" < 'O#2');
SELECT migrate_entity('own', 'order', '{"SK": "O#{o:08}"}');
ALTER TABLE own NO FORCE ROW LEVEL SECURITY;
BEGIN;
SELECT migrate_entity('own', 'order', '{"SK": "O#{o:08}"}');
ALTER TABLE own FORCE ROW LEVEL SECURITY;
COMMIT;
CALL await_migration('own');
ALTER TABLE own NO FORCE ROW LEVEL SECURITY;
-- nor is it a partition meanwhile
CREATE TABLE whole (LIKE own) PARTITION BY LIST ("PK");
ALTER TABLE whole ATTACH PARTITION own DEFAULT;
SELECT resume_migration('own', 'order');
CALL await_migration('own');
ALTER TABLE whole DETACH PARTITION own;
SELECT resume_migration('own', 'order');
CALL await_migration('own');
SELECT phase FROM migrations WHERE table_name = 'own';
SELECT count(*), count(*) FILTER (WHERE "SK" = 'O#' || lpad(o::text, 8, '0')) AS moved FROM own_orders;
SELECT count(*) FROM check_entity('own');
RESET ROLE;
DROP SCHEMA t_migrate_entity CASCADE;
DROP ROLE regress_migrate_owner;
