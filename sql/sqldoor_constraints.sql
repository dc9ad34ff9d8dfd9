-- constraints across items: unique attributes, references
CREATE SCHEMA t_constraints;
SET search_path = t_constraints, dynamo;
\set SHOW_CONTEXT never

SELECT create_table('shop', 'PK', 'SK');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}');

-- unique among customers only, and only if the attribute is present
SELECT add_unique_constraint('shop', 'customer_email', '{email}', key_prefix => '{"PK": "CUSTOMER#", "SK": "METADATA"}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "METADATA"}, "email": {"S": "b@x"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "NOTE"}, "email": {"S": "a@x"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#3"}, "SK": {"S": "METADATA"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#4"}, "SK": {"S": "METADATA"}}');
-- with every way of writing
SELECT update_item('shop', '{"PK": {"S": "CUSTOMER#3"}, "SK": {"S": "METADATA"}}', 'SET email = :e',
	expression_attribute_values => '{":e": {"S": "a@x"}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "CUSTOMER#5"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}');
UPDATE shop SET item = set_attribute(item, 'email', to_value('a@x'::text)) WHERE "PK" = 'CUSTOMER#3';
COPY shop (item) FROM STDIN WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
{"PK": {"S": "CUSTOMER#5"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}
\.
SELECT * FROM import_lines('shop', ARRAY['{"Item": {"PK": {"S": "CUSTOMER#5"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}}'], true);
-- values of different types are different
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#3"}, "SK": {"S": "METADATA"}, "email": {"N": "1"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#4"}, "SK": {"S": "METADATA"}, "email": {"S": "1"}}');

-- deferrable: two customers exchange values
SELECT drop_constraint('shop', 'customer_email');
SELECT add_unique_constraint('shop', 'customer_email', '{email}',
	condition_expression => 'begins_with(PK, :c) AND SK = :m',
	expression_attribute_values => '{":c": {"S": "CUSTOMER#"}, ":m": {"S": "METADATA"}}', is_deferrable => true);
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}');
BEGIN;
SET CONSTRAINTS customer_email DEFERRED;
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}, "email": {"S": "b@x"}}');
COMMIT;
BEGIN;
SET CONSTRAINTS customer_email DEFERRED;
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}, "email": {"S": "a@x"}}');
COMMIT;
SELECT item ->> 'email' AS email, "PK" FROM shop WHERE "SK" = 'METADATA' ORDER BY 2;
SELECT add_unique_constraint('shop', 'none', '{}');
SELECT add_unique_constraint('shop', 'none', '{a}', key_prefix => '{"b": "c"}');
SELECT drop_constraint('shop', 'none');

-- references: an order's customer must exist
SELECT put_item('shop', '{"PK": {"S": "ORDER#1"}, "SK": {"S": "METADATA"}, "customer_id": {"N": "9"}}');
SELECT add_reference('shop', 'order_customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', key_prefix => '{"PK": "ORDER#"}');
SELECT delete_item('shop', '{"PK": {"S": "ORDER#1"}, "SK": {"S": "METADATA"}}');
SELECT add_reference('shop', 'order_customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', key_prefix => '{"PK": "ORDER#"}');
SELECT put_item('shop', '{"PK": {"S": "ORDER#1"}, "SK": {"S": "METADATA"}, "customer_id": {"N": "9"}}');
SELECT put_item('shop', '{"PK": {"S": "ORDER#1"}, "SK": {"S": "METADATA"}, "customer_id": {"N": "1"}}');
SELECT put_item('shop', '{"PK": {"S": "ORDER#2"}, "SK": {"S": "METADATA"}}');
SELECT update_item('shop', '{"PK": {"S": "ORDER#2"}, "SK": {"S": "METADATA"}}', 'SET customer_id = :c',
	expression_attribute_values => '{":c": {"S": "8"}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "ORDER#3"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "8"}}');
UPDATE shop SET item = set_attribute(item, 'customer_id', to_value(8)) WHERE "PK" = 'ORDER#1';
UPDATE shop SET item = set_attribute(item, 'customer_id', to_value(2)) WHERE "PK" = 'ORDER#1';
-- and must not be removed: by functions, by SQL, by another key
SELECT delete_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "METADATA"}}');
DELETE FROM shop WHERE "PK" = 'CUSTOMER#2';
UPDATE shop SET item = set_attribute(item, 'PK', to_value('CUSTOMER#22'::text)) WHERE "PK" = 'CUSTOMER#2' AND "SK" = 'METADATA';
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#2"}, "SK": {"S": "METADATA"}, "replaced": {"BOOL": true}}');
SELECT delete_item('shop', '{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}}');
-- removing both together is allowed; so is a table without orders
BEGIN;
DELETE FROM shop WHERE "PK" IN ('CUSTOMER#2', 'ORDER#1');
ROLLBACK;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM shop t WHERE render_key(t.item, 'CUSTOMER#{customer_id}') = 'CUSTOMER#2';
RESET enable_seqscan;

-- deferred: the order is inserted first
SELECT drop_constraint('shop', 'order_customer');
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'shop'::regclass ORDER BY 1;
SELECT add_reference('shop', 'order_customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	key_prefix => '{"PK": "ORDER#"}', initially_deferred => true, on_delete => 'cascade');
BEGIN;
SELECT put_item('shop', '{"PK": {"S": "ORDER#4"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "40"}}');
SELECT put_item('shop', '{"PK": {"S": "CUSTOMER#40"}, "SK": {"S": "METADATA"}}');
COMMIT;
BEGIN;
SELECT put_item('shop', '{"PK": {"S": "ORDER#5"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "50"}}');
SELECT put_item('shop', '{"PK": {"S": "ORDER#5"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "40"}}');
COMMIT;
BEGIN;
SELECT put_item('shop', '{"PK": {"S": "ORDER#6"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "50"}}');
COMMIT;
-- a write that changes nothing does not end the check of the one before
BEGIN;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "ORDER#7"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "50"}}');
UPDATE shop SET item = item;
COMMIT;
BEGIN;
SELECT update_item('shop', '{"PK": {"S": "ORDER#5"}, "SK": {"S": "METADATA"}}', 'SET customer_id = :c', expression_attribute_values => '{":c": {"S": "50"}}');
SAVEPOINT s;
SELECT put_item('shop', '{"PK": {"S": "ORDER#5"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "50"}}');
COMMIT;
-- cascade
DELETE FROM shop WHERE "PK" = 'CUSTOMER#40';
SELECT "PK", "SK" FROM shop ORDER BY 1, 2;

-- a part that does not fit its format, in another table
SELECT create_table('padded', 'PK');
SELECT add_reference('padded', 'padded_customer', '{"PK": "CUSTOMER#{customer_id:04}", "SK": "METADATA"}', 'shop');
SELECT put_item('padded', '{"PK": {"S": "a"}, "customer_id": {"S": "x"}}');
SELECT put_item('padded', '{"PK": {"S": "a"}, "customer_id": {"N": "2"}}');

-- to another table, by columns; renaming has no effect
SELECT create_table('customers', 'id');
SELECT create_table('tickets', 'customer', 'at');
SELECT add_reference('tickets', 'ticket_customer', '{"id": "{customer}"}', 'customers', create_index => false);
ALTER TABLE customers RENAME TO clients;
INSERT INTO tickets (item) VALUES ('{"customer": {"S": "a"}, "at": {"S": "1"}}');
INSERT INTO clients (item) VALUES ('{"id": {"S": "a"}}');
INSERT INTO tickets (item) VALUES ('{"customer": {"S": "a"}, "at": {"S": "1"}}');
DELETE FROM clients;
-- users who write need no SELECT privilege on the other table
CREATE ROLE ticket_writer;
GRANT USAGE ON SCHEMA t_constraints TO ticket_writer;
GRANT SELECT, INSERT, UPDATE ON tickets TO ticket_writer;
SET ROLE ticket_writer;
INSERT INTO tickets (item) VALUES ('{"customer": {"S": "a"}, "at": {"S": "2"}}');
INSERT INTO tickets (item) VALUES ('{"customer": {"S": "b"}, "at": {"S": "2"}}');
SELECT add_reference('tickets', 'mine', '{"id": "{customer}"}', 'clients');
RESET ROLE;
SELECT add_reference('tickets', 'bad', '{"other": "{customer}"}', 'clients');
SELECT add_reference('tickets', 'bad', '{}', 'clients');
SELECT add_reference('tickets', 'bad', '{"id": "{customer}"}', 'clients', on_delete => 'maybe');

-- TRUNCATE and DDL: as for tables with foreign keys
TRUNCATE clients;
BEGIN;
LOCK TABLE tickets;
TRUNCATE clients;
ROLLBACK;
BEGIN;
LOCK TABLE tickets;
DELETE FROM tickets;
TRUNCATE clients;
ROLLBACK;
BEGIN;
TRUNCATE tickets;
TRUNCATE clients;
ROLLBACK;
TRUNCATE clients, tickets;
SELECT tgrelid::regclass AS "table", tgname FROM pg_trigger
WHERE tgrelid IN ('clients'::regclass, 'tickets'::regclass) AND tgname NOT LIKE '~dynamo_derive%' ORDER BY 2;
DROP TABLE clients;
SELECT drop_table('clients');
DROP TRIGGER ticket_customer ON tickets;
DROP TRIGGER ticket_customer_referenced ON clients;
ALTER TABLE tickets DROP CONSTRAINT ticket_customer;
ALTER TRIGGER ticket_customer ON tickets RENAME TO other_name;
ALTER TRIGGER "~dynamo_derive_keys" ON tickets RENAME TO derive;
DROP TRIGGER "~dynamo_referenced_truncate" ON clients;
ALTER TRIGGER "~dynamo_referenced_truncate" ON clients RENAME TO other_name;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE ROLE constraints_triggers;
DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO constraints_triggers', current_schema); END $$;
GRANT TRIGGER ON clients TO constraints_triggers;
SET ROLE constraints_triggers;
CREATE OR REPLACE TRIGGER "~dynamo_referenced_truncate" AFTER TRUNCATE ON clients FOR EACH STATEMENT EXECUTE FUNCTION nothing();
RESET ROLE;
REVOKE TRIGGER ON clients FROM constraints_triggers;
DO $$ BEGIN EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM constraints_triggers', current_schema); END $$;
DROP ROLE constraints_triggers;
BEGIN;
DROP TABLE clients CASCADE;
INSERT INTO tickets (item) VALUES ('{"customer": {"S": "nobody"}, "at": {"S": "1"}}');
ROLLBACK;
BEGIN;
DROP TABLE clients, tickets;
ROLLBACK;
BEGIN;
DROP TABLE tickets;
TRUNCATE clients;
DROP TABLE clients;
ROLLBACK;
SELECT drop_constraint('tickets', 'ticket_customer');
TRUNCATE clients;
DROP TABLE clients;

SET client_min_messages = warning;
DROP SCHEMA t_constraints CASCADE;
DROP ROLE ticket_writer;
