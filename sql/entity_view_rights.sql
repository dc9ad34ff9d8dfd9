-- rights to some columns of an entity's view: what they allow, and what they do not
CREATE SCHEMA t_view_rights;
SET search_path = t_view_rights, dynamo;
\set SHOW_CONTEXT never
CREATE ROLE regress_rights_owner;
CREATE ROLE regress_rights_packer;
CREATE ROLE regress_rights_other;
GRANT USAGE, CREATE ON SCHEMA t_view_rights TO regress_rights_owner, regress_rights_packer, regress_rights_other;

SET ROLE regress_rights_owner;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "SK"}]');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}"}',
	'{"customer_id": "text", "order_id": "int", "status": {"type": "text", "default": "OPEN"}, "note": "text", "margin": "numeric"}',
	type_attribute => 'kind', view_name => 'orders');
INSERT INTO orders (customer_id, order_id, note, margin) SELECT 'c' || i, i, 'secret note ' || i, i FROM generate_series(1, 3) i;
GRANT SELECT (customer_id, order_id, status), UPDATE (status), INSERT (customer_id, order_id, status) ON orders TO regress_rights_packer;

-- a view as it is created uses the rights of its user
SET ROLE regress_rights_packer;
SELECT status FROM orders WHERE customer_id = 'c1' AND order_id = 1;
UPDATE orders SET status = 'SENT' WHERE customer_id = 'c1' AND order_id = 1;
SELECT get_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#000001"}'::jsonb);

-- with the rights of its owner, columns decide
SET ROLE regress_rights_owner;
ALTER VIEW orders SET (security_invoker = false);
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'SENT' WHERE customer_id = 'c1' AND order_id = 1 RETURNING customer_id, order_id, status;
INSERT INTO orders (customer_id, order_id) VALUES ('c9', 9) RETURNING status;
INSERT INTO orders (customer_id, order_id, status) VALUES ('c8', 8, 'NEW');
SELECT customer_id, order_id, status FROM orders ORDER BY 1;
-- everything else is refused
UPDATE orders SET note = 'mine' WHERE customer_id = 'c1';
UPDATE orders SET status = note;
UPDATE orders SET status = 'x' RETURNING note;
UPDATE orders SET status = 'x' WHERE margin > 1;
UPDATE orders SET customer_id = 'c2';
UPDATE orders SET "SK" = 'x';
INSERT INTO orders (customer_id, order_id, note) VALUES ('c7', 7, 'x');
INSERT INTO orders VALUES ('a', 'b', 'c', 4, 'd', 'e', 5);
DELETE FROM orders;
TRUNCATE orders;
SELECT * FROM orders;
SELECT orders FROM orders;
COPY orders TO STDOUT;
UPDATE shop SET item = item;
DELETE FROM shop;
-- functions, requests and PartiQL name the view
SELECT get_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#000001"}'::jsonb);
\set VERBOSITY terse
SELECT update_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#000001"}'::jsonb, 'SET #s = :s', expression_attribute_names => '{"#s": "status"}', expression_attribute_values => '{":s": "X"}'::jsonb);
SELECT count(*) FROM query('shop', 'PK = :p', '{":p": {"S": "CUSTOMER#c1"}}');
SELECT request_safe('GetItem', '{"TableName": "shop", "Key": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#000001"}}}') ::json -> 'body' AS body;
SELECT request('ExecuteStatement', '{"Statement": "SELECT status FROM shop"}');
\set VERBOSITY default
SET ROLE regress_rights_other;
SELECT get_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#000001"}'::jsonb);

-- errors do not show the rest of the item, which their details would
SET ROLE regress_rights_owner;
ALTER TABLE shop ADD CONSTRAINT known CHECK ((item ->> 'status') IN ('OPEN', 'SENT', 'NEW', 'PAID') OR (item ->> 'status') IS NULL);
GRANT UPDATE (order_id, "SK") ON orders TO regress_rights_packer;
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'LOST' WHERE customer_id = 'c1';
UPDATE orders SET "SK" = 'ORDER#x' WHERE customer_id = 'c1';
INSERT INTO orders (customer_id, order_id) VALUES ('c1', 1);
-- whoever may read the table sees them
SET ROLE regress_rights_owner;
GRANT SELECT ON shop TO regress_rights_packer;
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'LOST' WHERE customer_id = 'c1';
SET ROLE regress_rights_owner;
REVOKE SELECT ON shop FROM regress_rights_packer;
REVOKE UPDATE (order_id, "SK") ON orders FROM regress_rights_packer;

-- triggers of the table run as the user of the view, as in a plain statement
CREATE TABLE log (who text, path text);
GRANT INSERT ON log TO regress_rights_packer;
CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO t_view_rights.log VALUES (current_user, current_setting('search_path'));
	RETURN NEW;
END $$;
CREATE TRIGGER a_note BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION note_write();
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'PAID' WHERE customer_id = 'c1';
SELECT current_user, current_setting('search_path');
SET ROLE regress_rights_owner;
SELECT * FROM log;
UPDATE orders SET status = 'SENT' WHERE customer_id = 'c1';
SELECT * FROM log;
DROP TRIGGER a_note ON shop;
-- row security of the table is that of the owner, who may be subject to it
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
CREATE POLICY not_c2 ON shop USING (item ->> 'customer_id' <> 'c2');
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'PAID' WHERE customer_id IN ('c2', 'c3') RETURNING customer_id;
SET ROLE regress_rights_owner;
ALTER TABLE shop FORCE ROW LEVEL SECURITY;
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'OPEN' WHERE customer_id IN ('c2', 'c3') RETURNING customer_id;
INSERT INTO orders (customer_id, order_id) VALUES ('c2', 77);
SET ROLE regress_rights_owner;
ALTER TABLE shop NO FORCE ROW LEVEL SECURITY;
ALTER TABLE shop DISABLE ROW LEVEL SECURITY;

-- triggers that are deferred fire as those of any statement
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER later AFTER UPDATE ON shop DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION nothing();
SET ROLE regress_rights_packer;
UPDATE orders SET status = 'OPEN' WHERE customer_id = 'c1';
SET ROLE regress_rights_owner;
DROP TRIGGER later ON shop;
-- a function in a condition may see granted columns of other items, unless the view is a barrier
SELECT put_item('shop', '{"PK": "CUSTOMER#c1", "SK": "ORDER#of another entity"}'::jsonb);
SET ROLE regress_rights_packer;
CREATE FUNCTION peek(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE 'sees %', $1; RETURN true; END $$;
SET ROLE regress_rights_owner;
GRANT SELECT ("PK", "SK") ON orders TO regress_rights_packer;
SET ROLE regress_rights_packer;
SELECT customer_id FROM orders WHERE "PK" = 'CUSTOMER#c1' AND peek("SK");
SET ROLE regress_rights_owner;
ALTER VIEW orders SET (security_barrier);
SET ROLE regress_rights_packer;
SELECT customer_id FROM orders WHERE "PK" = 'CUSTOMER#c1' AND peek("SK");
UPDATE orders SET status = 'OPEN' WHERE customer_id = 'c1' RETURNING status;
EXPLAIN (COSTS OFF) SELECT status FROM orders WHERE customer_id = 'c1' AND order_id = 1;
EXPLAIN (COSTS OFF) SELECT status FROM orders WHERE customer_id = 'c1' AND order_id < 100 AND peek("SK");
SET ROLE regress_rights_owner;
ALTER VIEW orders RESET (security_barrier);
REVOKE SELECT ("PK", "SK") ON orders FROM regress_rights_packer;
SET ROLE regress_rights_owner;

-- who may create triggers on the view cannot make it write other columns
GRANT TRIGGER ON orders TO regress_rights_packer;
ALTER TABLE shop DROP CONSTRAINT known;
SELECT regexp_replace(convert_from(trim('\x00'::bytea from tgargs), 'UTF8'), '("attribute": ?\{"S": ?)"status"', '\1"margin"') AS forged
FROM pg_trigger WHERE tgrelid = 'orders'::regclass \gset
SELECT :'forged' LIKE '%"margin"%"margin"%' AS forged_well;
SET ROLE regress_rights_packer;
CREATE OR REPLACE TRIGGER dynamo_entity_view INSTEAD OF INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION dynamo_system.entity_view_write(:'forged');
UPDATE orders SET status = '1000' WHERE customer_id = 'c1';
ALTER TRIGGER dynamo_entity_view ON orders DEPENDS ON EXTENSION dynamo;
SET ROLE regress_rights_owner;
SELECT create_entity_view('orders2', 'shop', entity_name => 'order');
ALTER VIEW orders2 SET (security_invoker = false);
GRANT SELECT (customer_id), UPDATE (status), TRIGGER ON orders2 TO regress_rights_packer;
SET ROLE regress_rights_packer;
UPDATE orders2 SET status = 'PAID' WHERE customer_id = 'c1';
CREATE FUNCTION change_other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.margin := 1000; RETURN NEW; END $$;
CREATE TRIGGER a_first INSTEAD OF UPDATE ON orders2 FOR EACH ROW EXECUTE FUNCTION change_other();
UPDATE orders2 SET status = 'OPEN' WHERE customer_id = 'c1';
SET ROLE regress_rights_owner;
SELECT customer_id, status, margin FROM orders2 ORDER BY 1;
DROP TRIGGER a_first ON orders2;

-- a column that the user may not read is not computed, and no error has its value
UPDATE shop SET item = item || '{"margin": "a secret text"}'::jsonb::item WHERE item ->> 'customer_id' = 'c3';
SELECT customer_id, margin FROM orders2 WHERE customer_id = 'c3';
GRANT DELETE ON orders2 TO regress_rights_packer;
SET ROLE regress_rights_packer;
UPDATE orders2 SET status = 'SENT' WHERE customer_id = 'c3' RETURNING customer_id;
PREPARE set_status AS UPDATE orders2 SET status = 'PAID' WHERE customer_id = 'c3';
EXECUTE set_status;
WITH w AS (UPDATE orders2 SET status = 'LOST' WHERE customer_id = 'c3' RETURNING customer_id) SELECT * FROM w;
UPDATE orders2 SET status = margin;
SET ROLE regress_rights_owner;
EXECUTE set_status;
SELECT item ->> 'status' AS status, item ->> 'margin' AS margin FROM shop WHERE item ->> 'customer_id' = 'c3';
SET ROLE regress_rights_packer;
DELETE FROM orders2 WHERE customer_id = 'c3';
SET ROLE regress_rights_owner;
SELECT count(*) FROM shop WHERE item ->> 'customer_id' = 'c3';
DEALLOCATE set_status;

-- a row is deleted with its entries, records and totals; the details of errors hide what the user may not read
SELECT create_table('full_shop', 'PK', 'SK', indexes => '[{"index_name": "by_state", "partition_key": "state", "storage": "table", "shards": 2}]');
SELECT create_entity('full_shop', 'client', '{"PK": "CLIENT#{client_id}", "SK": "CLIENT"}', '{"client_id": "text"}', type_attribute => 'kind', view_name => 'clients');
SELECT create_entity('full_shop', 'sale', '{"PK": "CLIENT#{client_id}", "SK": "SALE#{sale_id}"}', '{"client_id": "text", "sale_id": "text", "state": "text", "secret": "numeric"}',
	type_attribute => 'kind', view_name => 'sales');
SELECT create_total('full_shop', 'sales', 'client', 'sale', '{"sales": "count"}');
SELECT add_reference('full_shop', 'sale_client', '{"PK": "CLIENT#{client_id}", "SK": "CLIENT"}', key_prefix => '{"SK": "SALE#"}');
SELECT enable_stream('full_shop', 'NEW_AND_OLD_IMAGES') IS NOT NULL AS enabled;
INSERT INTO clients (client_id) VALUES ('c1'), ('c2');
INSERT INTO sales (client_id, sale_id, state, secret) VALUES ('c1', 's1', 'OPEN', 1), ('c1', 's2', 'OPEN', 2), ('c2', 's3', 'OPEN', 3);
UPDATE full_shop SET item = item || '{"secret": "a secret text"}'::jsonb::item WHERE "SK" = 'SALE#s1';
ALTER VIEW clients SET (security_invoker = false);
ALTER VIEW sales SET (security_invoker = false);
GRANT SELECT (client_id), DELETE ON clients TO regress_rights_packer;
GRANT SELECT (client_id, sale_id), DELETE ON sales TO regress_rights_packer;
SET ROLE regress_rights_packer;
DELETE FROM sales WHERE secret = 2;
DELETE FROM sales WHERE client_id = 'c1' AND sale_id = 's1' RETURNING sale_id;
DELETE FROM sales WHERE client_id = 'c2' RETURNING secret;
DELETE FROM clients WHERE client_id = 'c1';
DELETE FROM clients;
SET ROLE regress_rights_owner;
DELETE FROM clients WHERE client_id = 'c1';
SELECT client_id, (SELECT item ->> 'sales' FROM full_shop s WHERE s."PK" = c."PK" AND s."SK" = c."SK") AS sales FROM clients c ORDER BY 1;
SELECT verify_index('full_shop', 'by_state');
SELECT event_name, old_image ->> 'SK' AS key FROM read_stream('full_shop') WHERE event_name = 'REMOVE';
EXPLAIN (COSTS OFF) DELETE FROM sales WHERE client_id = 'c2' AND sale_id = 's3';
DELETE FROM sales s USING clients c WHERE s.client_id = c.client_id AND c.client_id = 'c1' RETURNING s.sale_id, s.secret;

-- a view of somebody else, or with somebody else's table, gives nothing
SET ROLE regress_rights_other;
SELECT create_entity_view('theirs', 'shop', entity_name => 'order');
ALTER VIEW theirs SET (security_invoker = false);
GRANT SELECT, UPDATE ON theirs TO regress_rights_packer;
UPDATE theirs SET status = 'OPEN';
SET ROLE regress_rights_packer;
UPDATE theirs SET status = 'OPEN';
-- nor does one over a table whose owner was changed
RESET ROLE;
ALTER TABLE shop OWNER TO regress_rights_other;
SET ROLE regress_rights_packer;
UPDATE orders2 SET status = 'OPEN' WHERE customer_id = 'c1';
RESET ROLE;
ALTER TABLE shop OWNER TO regress_rights_owner;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_view_rights CASCADE;
DROP ROLE regress_rights_owner, regress_rights_packer, regress_rights_other;
