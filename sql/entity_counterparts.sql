-- Attributes that are computed from each other: the one that a write changes makes the other,
-- at every door.
CREATE SCHEMA entity_counterparts;
SET search_path = entity_counterparts, public, dynamo;

SELECT create_table('accounts', partition_key => 'pk', sort_key => 'sk', indexes => '[{"index_name": "by_mail", "partition_key": "g1"}]');
SELECT create_entity('accounts', 'account', '{"pk": "A#{id}", "sk": "A", "g1": "MAIL#{mail}"}',
	'{"id": "text", "mail": {"type": "text", "computed": "email"}, "email": {"type": "text", "computed": "mail"},
	  "price": {"type": "numeric", "computed": "cents / 100.0"}, "cents": {"type": "int", "computed": "price * 100"},
	  "plan": {"type": "text", "computed": "tier", "enum": ["FREE", "PAID"]}, "tier": {"type": "text", "computed": "plan", "default": "FREE"},
	  "tags": {"type": "jsonb", "computed": "labels"}, "labels": {"type": "jsonb", "computed": "tags"}}',
	type_attribute => 'kind', view_name => 'account_view');
CREATE FUNCTION shown(key text) RETURNS text LANGUAGE sql AS
$$ SELECT item - 'kind' - 'sk' FROM entity_counterparts.accounts WHERE pk = 'A#' || key AND sk = 'A' $$;

-- ---- a new item ----

SELECT put_item('accounts', '{"kind": "account", "id": "a1", "mail": "x", "cents": 150}'::jsonb);
SELECT shown('a1');
SELECT put_item('accounts', '{"kind": "account", "id": "a2", "email": "y", "price": 2.5, "plan": "PAID"}'::jsonb);
SELECT shown('a2');
-- values that belong together, though one cannot be computed back
SELECT put_item('accounts', '{"kind": "account", "id": "a3", "price": 1.005, "cents": 101, "mail": "z", "email": "z"}'::jsonb);
SELECT shown('a3');
SELECT put_item('accounts', '{"kind": "account", "id": "a4", "mail": "z", "email": "other"}'::jsonb);
SELECT put_item('accounts', '{"kind": "account", "id": "a4", "price": 1, "cents": 7}'::jsonb);
SELECT put_item('accounts', '{"kind": "account", "id": "a4", "tier": "GOLD"}'::jsonb);
INSERT INTO account_view (id, email) VALUES ('a4', 'z') RETURNING mail, tier, plan, price;
INSERT INTO account_view (id, mail, email) VALUES ('a5', 'one', 'two');
-- a name copies what there is, whatever its type
INSERT INTO accounts (item) VALUES ('{"kind": {"S": "account"}, "id": {"S": "a5"}, "tags": {"SS": ["a", "b"]}}');
SELECT shown('a5');

-- ---- a put over an item: the replaced item tells what was changed ----

SELECT put_item('accounts', '{"kind": "account", "id": "a1", "mail": "x", "email": "new", "cents": 175, "price": 1.5}'::jsonb);
SELECT shown('a1');
SELECT put_item('accounts', '{"kind": "account", "id": "a1", "mail": "newer", "email": "new"}'::jsonb);
SELECT shown('a1');
SELECT put_item('accounts', '{"kind": "account", "id": "a1", "mail": "one", "email": "two"}'::jsonb);
SELECT put_item('accounts', '{"kind": "account", "id": "a1", "mail": "both", "email": "both"}'::jsonb);
SELECT put_item('accounts', '{"kind": "account", "id": "a1", "email": "alone"}'::jsonb);
SELECT shown('a1');
SELECT put_item('accounts', '{"kind": "account", "id": "a1"}'::jsonb, return_values => 'ALL_OLD') ->> 'mail' AS old;
SELECT shown('a1');

-- ---- updates ----

SELECT update_item('accounts', '{"kind": "account", "id": "a1"}'::jsonb, 'SET email = :e, cents = :c', expression_attribute_values => '{":e": "e", ":c": 3}'::jsonb, return_values => 'ALL_NEW');
SELECT update_item('accounts', '{"kind": "account", "id": "a1"}'::jsonb, 'SET mail = :e', expression_attribute_values => '{":e": "m"}'::jsonb, return_values => 'ALL_NEW') ->> 'email' AS email;
SELECT update_item('accounts', '{"kind": "account", "id": "a1"}'::jsonb, 'SET mail = :e, email = :f', expression_attribute_values => '{":e": "m1", ":f": "m2"}'::jsonb);
SELECT update_item('accounts', '{"kind": "account", "id": "a1"}'::jsonb, 'SET mail = :e REMOVE email', expression_attribute_values => '{":e": "m3"}'::jsonb, return_values => 'ALL_NEW') ->> 'email' AS email;
SELECT update_item('accounts', '{"kind": "account", "id": "a1"}'::jsonb, 'REMOVE mail');
SELECT shown('a1');
UPDATE account_view SET mail = 'v1' WHERE id = 'a1' RETURNING mail, email;
UPDATE account_view SET email = 'v2', price = 9.99 WHERE id = 'a1' RETURNING mail, email, price, cents;
UPDATE account_view SET mail = 'v3', email = 'v4' WHERE id = 'a1';
UPDATE account_view SET email = NULL WHERE id = 'a1' RETURNING mail, email;
UPDATE accounts SET item = item || '{"mail": "sql"}'::jsonb::item WHERE pk = 'A#a1';
SELECT shown('a1');
UPDATE accounts SET item = item - 'email' WHERE pk = 'A#a1';
SELECT shown('a1');
INSERT INTO accounts (item) VALUES ('{"kind": {"S": "account"}, "id": {"S": "a1"}, "email": {"S": "conflict"}}')
	ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
SELECT shown('a1');

-- ---- batches, transactions, requests, PartiQL ----

SELECT batch_write_item('accounts', ARRAY['{"kind": {"S": "account"}, "id": {"S": "a1"}, "mail": {"S": "conflict"}, "email": {"S": "batch"}}']::item[]);
SELECT shown('a1');
SELECT transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"kind": {"S": "account"}, "id": {"S": "a1"}, "mail": {"S": "transact"}, "email": {"S": "batch"}}}},
	{"Update": {"TableName": "accounts", "Key": {"kind": {"S": "account"}, "id": {"S": "a2"}}, "UpdateExpression": "SET email = :e", "ExpressionAttributeValues": {":e": {"S": "transact"}}}}]');
SELECT shown('a1');
SELECT shown('a2');
SELECT transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"kind": {"S": "account"}, "id": {"S": "a1"}, "mail": {"S": "one"}, "email": {"S": "two"}}}}]');
SELECT request('PutItem', '{"TableName": "accounts", "Item": {"kind": {"S": "account"}, "id": {"S": "a1"}, "mail": {"S": "transact"}, "email": {"S": "request"}},
	"ReturnValues": "ALL_OLD"}');
SELECT shown('a1');
SELECT request('PutItem', '{"TableName": "accounts", "Item": {"kind": {"S": "account"}, "id": {"S": "a1"}, "mail": {"S": "one"}, "email": {"S": "two"}}}');
SELECT request('ExecuteStatement', '{"Statement": "UPDATE accounts SET email = ''partiql'' WHERE pk = ''A#a1'' AND sk = ''A'' RETURNING ALL NEW *"}');
SELECT request('ExecuteStatement', '{"Statement": "INSERT INTO accounts VALUE {''kind'': ''account'', ''id'': ''a6'', ''email'': ''inserted''}"}');
SELECT shown('a6');

-- ---- reading by either name ----

SELECT create_access_pattern('accounts', 'by_mail', 'mail = :mail', view_name => 'account_view', index_name => 'by_mail');
SELECT create_access_pattern('accounts', 'by_email', 'email = :email', view_name => 'account_view', index_name => 'by_mail');
SELECT id, mail, email FROM by_mail('partiql');
SELECT id, mail, email FROM by_email('partiql');
SELECT query('accounts', 'kind = :k AND email = :e', '{":k": "account", ":e": "partiql"}'::jsonb, index_name => 'by_mail') ->> 'id' AS id;
SELECT get_item('accounts', '{"kind": "account", "id": "a6"}'::jsonb) ->> 'mail' AS mail;
SET enable_seqscan = off;
EXPLAIN (costs off) SELECT id FROM account_view WHERE email = 'partiql';
EXPLAIN (costs off) SELECT id FROM account_view WHERE mail = 'partiql';
RESET enable_seqscan;

-- ---- items that are older than the second name ----

SELECT create_table('older', partition_key => 'pk', indexes => '[{"index_name": "by_mail", "partition_key": "g1"}]');
SELECT create_entity('older', 'account', '{"pk": "A#{number}", "g1": "MAIL#{mail}"}', '{"number": "int", "mail": "text"}', type_attribute => 'kind', view_name => 'older_view');
INSERT INTO older_view (number, mail) VALUES (1, 'one'), (2, 'two'), (3, 'three');
SELECT update_item('older', '{"kind": "account", "number": 3}'::jsonb, 'SET email = :e', expression_attribute_values => '{":e": "of its own"}'::jsonb);
SELECT create_access_pattern('older', 'older_by_mail', 'mail = :mail', view_name => 'older_view', index_name => 'by_mail');
SELECT create_entity('older', 'account', '{"pk": "A#{number}", "g1": "MAIL#{mail}"}',
	'{"number": {"type": "int", "computed": "no"}, "mail": {"type": "text", "computed": "email"}, "email": {"type": "text", "computed": "mail"}, "no": {"type": "int", "computed": "number"}}',
	type_attribute => 'kind', replace => true);
SELECT number, no, mail, email FROM older_view ORDER BY number;
SELECT number, no FROM older_view WHERE no = 2;
EXPLAIN (costs off) SELECT number FROM older_view WHERE no = 2;
UPDATE older_view SET email = 'changed' WHERE no = 1 RETURNING number, no, mail, email;
SELECT get_item('older', '{"kind": "account", "no": 1}'::jsonb);
SELECT * FROM check_entity('older', 'account') ORDER BY 1;
SELECT apply_entity('older', 'account');
UPDATE older_view SET email = 'three' WHERE number = 3;
SELECT apply_entity('older', 'account');
SELECT * FROM check_entity('older', 'account');
SELECT item FROM older ORDER BY pk;
SELECT number, no FROM older_by_mail('two');

-- a generated client writes either
SELECT line FROM regexp_split_to_table(generate_client('accounts', 'python'), '\n') line WHERE line ~ 'email';

-- ---- more expressions than a session keeps ----

SELECT create_table('many', partition_key => 'pk');
SELECT create_entity('many', 'pairs', '{"pk": "P#{n}"}', (SELECT json_object_agg(k, v) FROM (
	SELECT 'n' AS k, '"int"'::json AS v UNION ALL
	SELECT 'x' || i, json_build_object('type', 'int', 'computed', format('y%s + %s', i, i)) FROM generate_series(101, 220) i UNION ALL
	SELECT 'y' || i, json_build_object('type', 'int', 'computed', format('x%s - %s', i, i)) FROM generate_series(101, 220) i) a), type_attribute => 'kind');
SELECT put_item('many', (SELECT jsonb_build_object('kind', 'pairs', 'n', r) || jsonb_object_agg('x' || i, i + r) FROM generate_series(101, 220) i)) FROM generate_series(1, 3) r;
SELECT count(*), bool_and((item ->> ('y' || i))::int = (item ->> 'n')::int) AS right FROM many, generate_series(101, 220) i;

-- ---- what cannot be declared ----

\set VERBOSITY terse
CREATE FUNCTION declare(attributes text) RETURNS void LANGUAGE sql AS
$$ SELECT create_entity('older', 'x', '{"pk": "X#{n}"}', attributes::json, type_attribute => 'kind', replace => true) $$;
SELECT declare('{"n": "int", "a": {"type": "int", "computed": "b"}, "b": {"type": "int", "computed": "c"}, "c": {"type": "int", "computed": "a"}}');
SELECT declare('{"n": "int", "a": {"type": "int", "computed": "b"}, "b": {"type": "int", "computed": "a + n"}}');
SELECT declare('{"n": "int", "a": {"type": "int", "computed": "a"}}');
SELECT declare('{"n": "int", "a": {"type": "text", "computed": "''b''"}, "b": {"type": "text", "computed": "a"}}');
SELECT declare('{"n": "int", "a": {"type": "int", "computed": "b"}, "b": {"type": "int", "computed": "a"}, "c": {"type": "int", "computed": "a"}}');
SELECT declare('{"n": "int", "a": {"type": "text", "computed": "n::text || ''b''", "default": "x"}, "b": {"type": "int", "computed": "length(''a'')"}}');
SELECT declare('{"n": "int", "a": {"type": "int", "computed": "b", "read_only": true}, "b": {"type": "int", "computed": "a"}}');
SELECT declare('{"n": "int", "a": {"type": "int", "computed": "b", "constant": 1}, "b": {"type": "int", "computed": "a"}}');
SELECT declare('{"n": "int", "a": {"type": "text[]", "computed": "b"}, "b": {"type": "int", "computed": "a"}}');

\set VERBOSITY default
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA entity_counterparts CASCADE;
