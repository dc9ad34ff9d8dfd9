-- dynamo.migrate_entity(rename => ...) and dynamo.drop_attribute: attributes with two names for a time
CREATE SCHEMA t_migrate_rename;
SET search_path = t_migrate_rename, public, dynamo;

SELECT create_table('accounts', partition_key => 'pk', sort_key => 'sk', indexes =>
	'[{"index_name": "by_mail", "partition_key": "g1"}, {"index_name": "some", "partition_key": "g2", "sort_key": "pk", "projection": "INCLUDE", "non_key_attributes": ["nick"]}]');
SELECT create_entity('accounts', 'account', '{"pk": "A#{id}", "sk": "A", "g1": "MAIL#{mail}", "g2": "CITY#{address.city}"}',
	'{"id": "int", "mail": {"type": "text", "required": true, "default": "none"}, "address": "jsonb", "nick": "text", "tags": "jsonb", "total": "int"}',
	type_attribute => 'kind', view_name => 'account_view');
SELECT create_entity('accounts', 'entry', '{"pk": "A#{id}", "sk": "E#{n}"}', '{"id": "int", "n": "int", "amount": "int"}', type_attribute => 'kind', view_name => 'entries');
SELECT create_total('accounts', 'totals', 'account', 'entry', '{"total": "sum(amount)"}');
INSERT INTO account_view (id, mail, address, nick) SELECT n, 'm' || n, jsonb_build_object('city', 'c' || n % 2), 'k' FROM generate_series(1, 6) n;
UPDATE accounts SET item = item || '{"tags": {"SS": ["a", "b"]}}'::item WHERE pk = 'A#1' AND sk = 'A';
INSERT INTO entries (id, n, amount) VALUES (1, 1, 10);
SELECT create_access_pattern('accounts', 'by_mail', 'mail = :mail', view_name => 'account_view', index_name => 'by_mail');
SELECT create_access_pattern('accounts', 'account_of', 'id = :id', view_name => 'account_view');
SELECT enable_stream('accounts') IS NOT NULL AS enabled;

-- ---- what cannot be renamed ----

\set VERBOSITY terse
SELECT migrate_entity('accounts', 'account');
SELECT migrate_entity('accounts', 'account', keys => '{"pk": "B#{id}"}', rename => '{"mail": "email"}');
SELECT migrate_entity('accounts', 'account', attributes => '{"id": "int"}');
SELECT migrate_entity('accounts', 'account', rename => '{}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": 1}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": ""}');
SELECT migrate_entity('accounts', 'account', rename => '{"missing": "x"}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "nick"}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "pk"}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "g1"}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "kind"}');
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "x", "nick": "x"}');
SELECT migrate_entity('accounts', 'account', rename => '{"total": "sum"}');
SELECT drop_attribute('accounts', 'account', 'mail');
SELECT drop_attribute('accounts', 'account', 'missing');
CREATE ROLE regress_migrate_rename;
GRANT USAGE ON SCHEMA t_migrate_rename TO regress_migrate_rename;
GRANT ALL ON accounts TO regress_migrate_rename;
SET ROLE regress_migrate_rename;
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "email"}');
SELECT drop_attribute('accounts', 'account', 'mail');
RESET ROLE;
\set VERBOSITY default

-- ---- both names ----

BEGIN;
SELECT migrate_entity('accounts', 'account', rename => '{"mail": "E-mail", "id": "number", "address": "place", "tags": "labels"}');
SELECT pause_migration('accounts', 'account');
COMMIT;
SELECT phase, keys = other_keys AS keys_stay FROM dynamo.migrations WHERE table_name = 'accounts';
-- items that the worker has not seen yet, or has
SELECT id, mail, number, "E-mail", address, place FROM account_view ORDER BY id;
SELECT id, "E-mail" FROM by_mail('m2');
SELECT number, mail FROM account_of(3);
SELECT get_item('accounts', '{"kind": "account", "number": 4}'::jsonb) ->> 'mail' AS mail;
SELECT update_item('accounts', '{"kind": "account", "number": 4}'::jsonb, 'SET #e = :e', expression_attribute_values => '{":e": "new"}'::jsonb,
	expression_attribute_names => '{"#e": "E-mail"}', return_values => 'ALL_NEW');
SELECT put_item('accounts', '{"kind": "account", "id": 7, "mail": "old client"}'::jsonb);
SELECT create_entity('accounts', 'account', '{"pk": "A#{id}", "sk": "A"}', '{"id": "int"}', type_attribute => 'kind', replace => true);
SELECT migrate_entity('accounts', 'entry', rename => '{"amount": "cents"}');
SELECT resume_migration('accounts', 'account');
CALL await_migration('accounts');
SELECT phase, error FROM dynamo.migrations WHERE table_name = 'accounts';
SELECT item FROM accounts ORDER BY pk, sk;
SELECT * FROM check_entity('accounts', 'account');
SELECT create_access_pattern('accounts', 'by_email', '#e = :email', view_name => 'account_view', index_name => 'by_mail', expression_attribute_names => '{"#e": "E-mail"}');
SELECT id, mail FROM by_email('new');
SELECT count(DISTINCT keys ->> 'pk') FROM read_stream('accounts') WHERE event_name = 'MODIFY' AND new_image -> 'number' IS NOT NULL;

-- ---- one name goes ----

SELECT drop_attribute('accounts', 'account', 'mail');
DROP FUNCTION by_mail;
CREATE INDEX account_mails ON accounts ((item ->> 'mail'));
SELECT drop_attribute('accounts', 'account', 'mail');
DROP INDEX account_mails;
SELECT update_time_to_live('accounts', 'mail', true);
SELECT drop_attribute('accounts', 'account', 'mail');
SELECT update_time_to_live('accounts', 'mail', false);
-- what others have made of the table stops nobody; a NOTICE names what would find nothing
GRANT CREATE ON SCHEMA t_migrate_rename TO regress_migrate_rename;
GRANT USAGE ON SCHEMA dynamo TO regress_migrate_rename;
SET ROLE regress_migrate_rename;
SELECT create_entity_view('their_accounts', 'accounts', '{"id": "int", "mail": "text"}', entity_name => 'account');
SELECT create_access_pattern('accounts', 'their_key', 'mail = :mail', entities => '{account}', index_name => 'by_mail');
SELECT create_access_pattern('accounts', 'their_filter', 'id = :id', entities => '{account}', filter_expression => 'mail = :mail', parameters => '{"mail": "text"}');
SELECT create_access_pattern('accounts', 'their_name', 'id = :id', entities => '{account}', filter_expression => '#m = :mail', parameters => '{"mail": "text"}', expression_attribute_names => '{"#m": "mail"}');
SELECT create_access_pattern('accounts', 'their_id', 'id = :id', entities => '{account}', filter_expression => 'nick = :nick', parameters => '{"nick": "text"}');
SELECT count(*) FROM their_filter(1, 'm1');
RESET ROLE;
BEGIN;
SELECT drop_attribute('accounts', 'account', 'mail');
-- the worker has not changed an item yet
SELECT pause_migration('accounts', 'account');
COMMIT;
SELECT count(*) FROM their_key('m1');
DROP VIEW their_accounts;
DROP FUNCTION their_key, their_filter, their_name, their_id;
REVOKE USAGE ON SCHEMA dynamo FROM regress_migrate_rename;
SELECT keys FROM dynamo.entities WHERE table_name = 'accounts' AND entity_name = 'account';
-- no write keeps the old name
UPDATE account_view SET "E-mail" = 'e5' WHERE id = 5 RETURNING mail, "E-mail";
UPDATE account_view SET mail = 'e6' WHERE id = 6 RETURNING mail, "E-mail";
SELECT put_item('accounts', '{"kind": "account", "id": 7, "mail": "old client", "E-mail": "whole item with another value"}'::jsonb);
SELECT item ->> 'mail' AS mail, item ->> 'E-mail' AS "E-mail" FROM accounts WHERE sk = 'A' ORDER BY pk;
SELECT resume_migration('accounts', 'account');
CALL await_migration('accounts');
SELECT phase, error FROM dynamo.migrations WHERE table_name = 'accounts';
SELECT item ->> 'mail' AS mail, item ->> 'E-mail' AS "E-mail", item ->> 'g1' AS g1 FROM accounts WHERE sk = 'A' ORDER BY pk;
SELECT id, mail FROM by_email('e5');
SELECT pattern, problem FROM check_access_patterns('accounts') ORDER BY 1;
-- the key by which children find their parent
SELECT drop_attribute('accounts', 'account', 'id');
SELECT drop_attribute('accounts', 'account', 'number');
CALL await_migration('accounts');
-- sets stay sets
SELECT drop_attribute('accounts', 'account', 'tags');
CALL await_migration('accounts');
SELECT item -> 'labels' AS labels, item -> 'tags' AS tags FROM accounts WHERE pk = 'A#1' AND sk = 'A';
SELECT drop_attribute('accounts', 'account', 'address');
CALL await_migration('accounts');
SELECT keys, attributes FROM dynamo.entities WHERE table_name = 'accounts' AND entity_name = 'account';
INSERT INTO account_view (id, "E-mail", place) VALUES (8, 'e8', '{"city": "c"}') RETURNING address;
SELECT item ->> 'g1' AS g1, item ->> 'total' AS total FROM accounts WHERE sk = 'A' AND pk IN ('A#1', 'A#8') ORDER BY pk;

-- ---- back ----

SELECT migrate_entity('accounts', 'account', rename => '{"nick": "alias"}');
CALL await_migration('accounts');
SELECT drop_attribute('accounts', 'account', 'nick');
SELECT drop_attribute('accounts', 'account', 'alias');
CALL await_migration('accounts');
BEGIN;
SELECT migrate_entity('accounts', 'account', rename => '{"nick": "short"}');
SELECT pause_migration('accounts', 'account');
COMMIT;
SELECT cancel_migration('accounts', 'account');
SELECT resume_migration('accounts', 'account');
CALL await_migration('accounts');
SELECT phase FROM dynamo.migrations WHERE table_name = 'accounts';
SELECT count(*) FILTER (WHERE item -> 'short' IS NOT NULL) AS short, count(*) FILTER (WHERE item -> 'nick' IS NOT NULL) AS nick FROM accounts;
SELECT id, nick, short, alias FROM account_view WHERE id < 3 ORDER BY id;

-- an item that has the new name already, with another value
SELECT update_item('accounts', '{"kind": "account", "id": 2}'::jsonb, 'SET title = :t', expression_attribute_values => '{":t": "its own"}'::jsonb);
SELECT migrate_entity('accounts', 'account', rename => '{"nick": "title"}');
CALL await_migration('accounts');
SELECT cancel_migration('accounts', 'account');
CALL await_migration('accounts');
SELECT item ->> 'title' AS title, item ->> 'nick' AS nick FROM accounts WHERE sk = 'A' ORDER BY pk;

-- a key whose template and condition name the attribute
SELECT create_table('orders', partition_key => 'pk', indexes => '[{"index_name": "open", "partition_key": "g"}]');
SELECT create_entity('orders', 'order', '{"pk": "O#{id}", "g": "{status}"}', '{"id": "text", "status": "text"}', type_attribute => 'kind',
	index_conditions => '{"open": "status = :open"}', expression_attribute_values => '{":open": {"S": "OPEN"}}');
SELECT put_item('orders', '{"kind": "order", "id": "a", "status": "OPEN"}'::jsonb), put_item('orders', '{"kind": "order", "id": "b", "status": "PAID"}'::jsonb);
SELECT migrate_entity('orders', 'order', rename => '{"status": "state"}');
CALL await_migration('orders');
SELECT drop_attribute('orders', 'order', 'status');
SELECT create_entity('orders', 'order', '{"pk": "O#{id}", "g": "{status}"}', '{"id": "text", "status": {"type": "text", "computed": "state"}, "state": {"type": "text", "computed": "status"}}',
	type_attribute => 'kind', replace => true, index_conditions => '{"open": "#s = :open"}', expression_attribute_names => '{"#s": "state"}', expression_attribute_values => '{":open": {"S": "OPEN"}}');
SELECT drop_attribute('orders', 'order', 'status');
CALL await_migration('orders');
SELECT item FROM orders ORDER BY pk;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_migrate_rename CASCADE;
DROP ROLE regress_migrate_rename;
