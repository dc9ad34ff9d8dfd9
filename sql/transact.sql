-- transact_write_items and transact_get_items
CREATE SCHEMA t_transact;
SET search_path = t_transact;
SELECT dynamo.create_table('accounts', partition_key => 'id');
SELECT dynamo.create_table('orders', partition_key => 'PK', sort_key => 'SK');
INSERT INTO accounts (item) VALUES (jsonb_build_object('id', 'ann', 'balance', 100)), (jsonb_build_object('id', 'bob', 'balance', 10));

-- all four kinds of action, two tables
SELECT dynamo.transact_write_items('[
	{"Update": {"TableName": "accounts", "Key": {"id": {"S": "ann"}},
		"UpdateExpression": "SET balance = balance - :n", "ConditionExpression": "balance >= :n",
		"ExpressionAttributeValues": {":n": {"N": "30"}}}},
	{"Update": {"TableName": "accounts", "Key": {"id": {"S": "bob"}},
		"UpdateExpression": "ADD #b :n", "ExpressionAttributeNames": {"#b": "balance"},
		"ExpressionAttributeValues": {":n": {"N": "30"}}}},
	{"Put": {"TableName": "orders", "Item": {"PK": {"S": "o1"}, "SK": {"S": "meta"}},
		"ConditionExpression": "attribute_not_exists(PK)"}},
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "cid"}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"Delete": {"TableName": "orders", "Key": {"PK": {"S": "o1"}, "SK": {"S": "none"}}}}]');
SELECT item FROM accounts ORDER BY id;
SELECT item FROM orders;

-- conditions: every false one is reported, with the item if requested
SELECT dynamo.transact_write_items('[
	{"Update": {"TableName": "accounts", "Key": {"id": {"S": "ann"}},
		"UpdateExpression": "SET balance = balance - :n", "ConditionExpression": "balance >= :n",
		"ExpressionAttributeValues": {":n": {"N": "1000"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "dan"}}}},
	{"Put": {"TableName": "orders", "Item": {"PK": {"S": "o1"}, "SK": {"S": "meta"}},
		"ConditionExpression": "attribute_not_exists(PK)"}}]');
-- a false condition hides the error of its update; otherwise the error is reported
SELECT dynamo.transact_write_items('[
	{"Update": {"TableName": "accounts", "Key": {"id": {"S": "nobody"}},
		"UpdateExpression": "SET balance = balance - :n", "ConditionExpression": "balance >= :n",
		"ExpressionAttributeValues": {":n": {"N": "1"}}}}]');
SELECT dynamo.transact_write_items('[
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "dan"}}}},
	{"Update": {"TableName": "accounts", "Key": {"id": {"S": "nobody"}},
		"UpdateExpression": "SET balance = balance - :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]');
-- it comes before false conditions of other actions
SELECT dynamo.transact_write_items('[
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "ann"}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"Update": {"TableName": "accounts", "Key": {"id": {"S": "nobody"}},
		"UpdateExpression": "SET balance = balance - :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]');
-- a put comes before the check in the order of keys: the error undoes it, also for who goes on after the error
DO $$
BEGIN
	PERFORM dynamo.transact_write_items('[
		{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "bob"}}, "ConditionExpression": "attribute_not_exists(id)"}},
		{"Put": {"TableName": "accounts", "Item": {"id": {"S": "ann"}, "balance": {"N": "0"}}}},
		{"Put": {"TableName": "accounts", "Item": {"id": {"S": "aaa"}}}}]');
EXCEPTION WHEN SQLSTATE 'KV005' THEN
	RAISE NOTICE '%', SQLERRM;
END $$;
SELECT item FROM accounts ORDER BY id;
-- of an item that is put, what was there before is not read
SELECT dynamo.transact_write_items('[
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "bob"}}, "ConditionExpression": "attribute_exists(id)"}},
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "aaa"}, "n": {"N": "1"}}}},
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "zoe"}}}}]');
SELECT dynamo.transact_write_items('[
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "aaa"}, "n": {"N": "2"}}}},
	{"Delete": {"TableName": "accounts", "Key": {"id": {"S": "zoe"}}}}]');
SELECT item FROM accounts ORDER BY id;
DELETE FROM accounts WHERE id = 'aaa';
-- invalid keys and items cancel before any condition is evaluated
SELECT dynamo.transact_write_items('[
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "ann"}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"Put": {"TableName": "orders", "Item": {"PK": {"N": "1"}, "SK": {"S": "meta"}}}},
	{"Delete": {"TableName": "orders", "Key": {"PK": {"S": "1"}}}}]');

-- errors of the whole request
SELECT dynamo.transact_write_items(NULL);
SELECT dynamo.transact_write_items('[]');
SELECT dynamo.transact_write_items('{"Put": {}}');
SELECT dynamo.transact_write_items('[{"Put": {}, "Delete": {}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "typo"}}, "Condition": "attribute_exists(id)"}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "typo"}}, "UpdateExpression": "REMOVE a"}}]');
SELECT * FROM dynamo.transact_get_items('[{"Get": {"TableName": "accounts", "Key": {"id": {"S": "ann"}}, "projection": "id"}}]');
SELECT dynamo.transact_write_items('[{"Get": {"TableName": "accounts"}}]');
SELECT dynamo.transact_write_items('[{"Put": {"Item": {"id": {"S": "a"}}}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts"}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": "a"}}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": ""}}}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "nowhere", "Item": {"id": {"S": "a"}}}}]');
SELECT dynamo.transact_write_items('[{"Update": {"TableName": "accounts", "Key": {"id": {"S": "a"}}}}]');
SELECT dynamo.transact_write_items('[{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "a"}}}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "a"}}, "ConditionExpression": "a ="}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "a"}}, "ReturnValuesOnConditionCheckFailure": "ALL_NEW"}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": [], "ConditionExpression": "a = :a"}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": 1}}]');
SELECT dynamo.transact_write_items('[{"Put": []}]');
SELECT dynamo.transact_write_items('[{}]');
SELECT dynamo.transact_write_items('["Put"]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "a"}}, "ExpressionAttributeNames": {"#a": 1}}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "a"}}, "ExpressionAttributeNames": ["#a"]}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": null}}]');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "\ud800"}}}}]');
-- null is as good as absent; of two members the last counts
BEGIN;
SELECT dynamo.transact_write_items('[
	{"Put": {"Item": {"id": {"S": "a"}}, "TableName": "nowhere", "Item": {"id": {"S": "twice"}, "n": {"N": "1"}, "n": {"N": "2"}},
		"ConditionExpression": "attribute_exists(id)", "ExpressionAttributeNames": null, "ExpressionAttributeValues": null,
		"ConditionExpression": null, "ReturnValuesOnConditionCheckFailure": null, "TableName": "accounts"}}]');
SELECT item FROM accounts WHERE id = 'twice';
ROLLBACK;
SELECT dynamo.transact_write_items('[
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "a"}}}},
	{"Delete": {"TableName": "t_transact.accounts", "Key": {"id": {"S": "a"}}}}]');
SELECT item FROM accounts ORDER BY id;

-- reading: in the order of the list, NULL for missing items
SELECT * FROM dynamo.transact_get_items('[
	{"Get": {"TableName": "orders", "Key": {"PK": {"S": "o1"}, "SK": {"S": "meta"}}}},
	{"Get": {"TableName": "accounts", "Key": {"id": {"S": "nobody"}}}},
	{"Get": {"TableName": "accounts", "Key": {"id": {"S": "ann"}}, "ProjectionExpression": "#b", "ExpressionAttributeNames": {"#b": "balance"}}}]');
SELECT dynamo.transact_get_items('[
	{"Get": {"TableName": "accounts", "Key": {"id": {"S": "ann"}}}},
	{"Get": {"TableName": "accounts", "Key": {"id": {"S": "ann"}}}}]');
SELECT dynamo.transact_get_items('[{"Put": {"TableName": "accounts", "Item": {"id": {"S": "ann"}}}}]');

-- in a transaction that has already written the rows; placeholders leave nothing
BEGIN;
SELECT dynamo.delete_item('accounts', '{"id": {"S": "ann"}}');
SELECT dynamo.transact_write_items('[
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "ann"}, "again": {"BOOL": true}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "zoe"}}, "ConditionExpression": "attribute_not_exists(id)"}}]');
SELECT dynamo.put_item('accounts', '{"id": {"S": "zoe"}}', 'attribute_not_exists(id)');
SELECT item FROM accounts ORDER BY id;
ROLLBACK;
SELECT count(*) FROM accounts;

-- no trigger fires for a placeholder
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% %', TG_OP, COALESCE(NEW.item, OLD.item); RETURN NULL; END $$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION tell();
SELECT dynamo.transact_write_items('[
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "zoe"}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"Put": {"TableName": "accounts", "Item": {"id": {"S": "eve"}}}}]');
SET dynamo.direct_access = off;
SELECT dynamo.transact_write_items('[
	{"ConditionCheck": {"TableName": "accounts", "Key": {"id": {"S": "zoe"}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"Delete": {"TableName": "accounts", "Key": {"id": {"S": "eve"}}, "ConditionExpression": "attribute_exists(id)"}}]');

RESET dynamo.direct_access;
-- thousands of checks of missing keys in one transaction leave no named locks
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT count(dynamo.transact_write_items(
	(SELECT json_agg(jsonb_build_object('ConditionCheck', jsonb_build_object('TableName', 'accounts',
		'Key', jsonb_build_object('id', jsonb_build_object('S', 'none' || 100 * j + i)), 'ConditionExpression', 'attribute_not_exists(id)')))
	 FROM generate_series(1, 100) i)))
FROM generate_series(1, 50) j;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
COMMIT;
SET dynamo.direct_access = off;

-- partitions: rows are in other tables, keys are locked by name
CREATE TABLE parted (id text COLLATE "C" NOT NULL, item dynamo.item NOT NULL, PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON parted FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(
	'{"version": 1, "attributes": [{"name": "id", "type": "S", "column": "id"}], "partition": ["id"], "sort": [], "indexes": []}');
RESET dynamo.direct_access;
SELECT dynamo.transact_write_items('[
	{"Put": {"TableName": "parted", "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)"}},
	{"Update": {"TableName": "parted", "Key": {"id": {"S": "b"}}, "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}},
	{"ConditionCheck": {"TableName": "parted", "Key": {"id": {"S": "c"}}, "ConditionExpression": "attribute_not_exists(id)"}}]');
SELECT item FROM parted ORDER BY id;

-- items with all types and names in any order equal their text form
CREATE TABLE forms (item jsonb);
INSERT INTO forms VALUES
	('{"id": {"S": "scalars"}, "bb": {"BOOL": true}, "a": {"N": "-1.50"}, "aaa": {"NULL": true}, "c": {"S": "\u00e9\n"}}'),
	('{"id": {"S": "binary"}, "bb": {"B": "aGk="}}'),
	('{"id": {"S": "nested"}, "z": {"L": []}, "m": {"M": {}}, "l": {"L": [{"S": ""}, {"M": {"bb": {"N": "1e3"}, "a": {"L": [{"BOOL": false}]}}}, {"N": "2"}]}}'),
	('{"id": {"S": "sets"}, "n": {"NS": ["2", "1"]}, "s": {"SS": ["b", "a"]}, "l": {"L": [{"BS": ["aGk="]}]}}'),
	('{"id": {"S": "lenient"}, "gone": null, "f": {"BOOL": "false"}, "n": {"S": null, "N": "7"}}');
SELECT dynamo.transact_write_items((SELECT json_agg(jsonb_build_object('Put', jsonb_build_object('TableName', 'accounts', 'Item', item))) FROM forms));
SELECT a.item, a.item OPERATOR(dynamo.=) f.item::text::dynamo.item AS same FROM forms f JOIN accounts a ON a.id = f.item #>> '{id,S}' ORDER BY a.id;

SET client_min_messages = warning;
DROP SCHEMA t_transact CASCADE;
