-- copies and totals under row security: parents that the writer may not see or update
CREATE SCHEMA t_copies_hidden;
SET search_path = t_copies_hidden, dynamo;
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_hidden_owner;
CREATE ROLE regress_hidden_tenant;
GRANT USAGE, CREATE ON SCHEMA t_copies_hidden TO regress_hidden_owner;
GRANT USAGE ON SCHEMA t_copies_hidden TO regress_hidden_tenant;
SET ROLE regress_hidden_owner;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_customer", "partition_key": "CPK", "sort_key": "CSK"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{id}", "SK": "CUSTOMER"}', type_attribute => 'kind');
SELECT create_entity('shop', 'ticket', '{"PK": "TICKET#{ticket}", "SK": "TICKET", "CPK": "CUSTOMER#{id}", "CSK": "TICKET#{ticket}"}', type_attribute => 'kind');
SELECT create_copy('shop', 'name', 'customer', 'ticket', '{"cname": "name"}', index_name => 'by_customer');
INSERT INTO shop (item) VALUES ('{"kind": "customer", "id": "a1", "name": "Ann"}'::jsonb), ('{"kind": "customer", "id": "b1", "name": "Bob"}'::jsonb);
INSERT INTO shop (item) VALUES ('{"kind": "ticket", "ticket": "b-0", "id": "b1", "amount": 1}'::jsonb);
GRANT SELECT, INSERT, UPDATE, DELETE ON shop TO regress_hidden_tenant;
CREATE POLICY sees ON shop FOR SELECT TO regress_hidden_tenant USING ("PK" !~ '#b');
CREATE POLICY inserts ON shop FOR INSERT TO regress_hidden_tenant WITH CHECK ("PK" !~ '#b');
CREATE POLICY updates ON shop FOR UPDATE TO regress_hidden_tenant USING ("PK" !~ '#b' AND item ->> 'name' IS DISTINCT FROM 'Ann the fixed');
CREATE POLICY deletes ON shop FOR DELETE TO regress_hidden_tenant USING ("PK" !~ '#b');
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION ticket(number text, customer text, amount int) RETURNS item LANGUAGE sql AS $$
	SELECT jsonb_build_object('kind', 'ticket', 'ticket', number, 'id', customer, 'amount', amount)::dynamo.item $$;
CREATE VIEW shown AS SELECT "PK", item ->> 'cname' AS cname, item ->> 'tickets' AS tickets, item ->> 'paid' AS paid FROM shop ORDER BY 1;

-- a copy of one's own parent; not of a hidden one, nor of one that does not exist, which looks the same
SET ROLE regress_hidden_tenant;
SELECT put_item('shop', ticket('a-1', 'a1', 1));
SELECT put_item('shop', ticket('a-2', 'b1', 1));
SELECT put_item('shop', ticket('a-2', 'c1', 1));
INSERT INTO shop (item) VALUES (ticket('a-2', 'b1', 1));
UPDATE shop SET item = ticket('a-1', 'b1', 1) WHERE "PK" = 'TICKET#a-1';
SELECT update_item('shop', '{"PK": {"S": "TICKET#a-1"}, "SK": {"S": "TICKET"}}', 'SET id = :b', expression_attribute_values => '{":b": {"S": "b1"}}');
SELECT transact_write_items('[{"Put": {"TableName": "shop", "Item": {"kind": {"S": "ticket"}, "ticket": {"S": "a-3"}, "id": {"S": "b1"}}}}]');
MERGE INTO shop USING (VALUES (ticket('a-4', 'b1', 1))) v(i) ON false WHEN NOT MATCHED THEN INSERT (item) VALUES (v.i);
RESET ROLE;
TABLE shown;

-- a total: also not of a parent that one may see and not update
SET ROLE regress_hidden_owner;
SELECT drop_copy('shop', 'name'), create_total('shop', 'totals', 'customer', 'ticket', '{"tickets": "count", "paid": "sum(amount)"}', index_name => 'by_customer');
SELECT repair_copies('shop');
SET ROLE regress_hidden_tenant;
SELECT put_item('shop', ticket('a-2', 'a1', 10));
SELECT put_item('shop', ticket('a-3', 'b1', 1000));
SELECT put_item('shop', ticket('a-3', 'c1', 1000));
UPDATE shop SET item = ticket('a-2', 'b1', 1) WHERE "PK" = 'TICKET#a-2';
SET ROLE regress_hidden_owner;
UPDATE shop SET item = item || '{"name": "Ann the fixed"}'::jsonb::item WHERE "PK" = 'CUSTOMER#a1';
SET ROLE regress_hidden_tenant;
SELECT put_item('shop', ticket('a-3', 'a1', 1));
UPDATE shop SET item = ticket('a-2', 'a1', 11) WHERE "PK" = 'TICKET#a-2';
DELETE FROM shop WHERE "PK" = 'TICKET#a-2';
-- a child without a parent harms nobody
RESET ROLE;
INSERT INTO shop (item) VALUES (ticket('a-9', 'c1', 1));
SET ROLE regress_hidden_tenant;
UPDATE shop SET item = ticket('a-9', 'c1', 2) WHERE "PK" = 'TICKET#a-9';
DELETE FROM shop WHERE "PK" = 'TICKET#a-9';
-- without the right to update at all, or to see
RESET ROLE;
UPDATE shop SET item = item || '{"name": "Ann"}'::jsonb::item WHERE "PK" = 'CUSTOMER#a1';
REVOKE UPDATE ON shop FROM regress_hidden_tenant;
SET ROLE regress_hidden_tenant;
INSERT INTO shop (item) VALUES (ticket('a-3', 'a1', 1));
RESET ROLE;
GRANT UPDATE ON shop TO regress_hidden_tenant;
TABLE shown;
SELECT * FROM check_copies('shop');

-- the owner's choice
SET ROLE regress_hidden_owner;
SELECT drop_total('shop', 'totals');
SELECT create_total('shop', 'totals', 'customer', 'ticket', '{"tickets": "count", "paid": "sum(amount)"}', index_name => 'by_customer', hidden_parent => 'use');
SELECT create_copy('shop', 'name', 'customer', 'ticket', '{"cname": "name"}', index_name => 'by_customer', hidden_parent => 'use');
SELECT repair_copies('shop');
SELECT copy_name, hidden_parent FROM copies WHERE schema_name = 't_copies_hidden' ORDER BY 1;
SET ROLE regress_hidden_tenant;
SELECT put_item('shop', ticket('a-3', 'b1', 1000));
SELECT put_item('shop', ticket('a-4', 'c1', 1000));
-- a copy follows its parent into children that are hidden from who changes the parent, as ON UPDATE CASCADE
RESET ROLE;
TABLE shown;
SET ROLE regress_hidden_owner;
SELECT create_copy('shop', 'other', 'customer', 'ticket', '{"cother": "name"}', index_name => 'by_customer', hidden_parent => 'show');
SELECT create_copy('shop', 'other', 'customer', 'ticket', '{"cother": "name"}', index_name => 'by_customer', hidden_parent => NULL);

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_copies_hidden CASCADE;
DROP ROLE regress_hidden_owner, regress_hidden_tenant;
