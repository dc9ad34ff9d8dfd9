-- Tables of client libraries, adopted as they are: ElectroDB and OneTable compose
-- keys in the client.  Here the same schemes are declared as entities, so that the
-- database composes the keys, too: of what the library writes, which must agree, and
-- of what is written without it.
--
-- Run it with: psql -f examples/adopted_tables.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;
BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS task_app, mall_stores, onetable, onetable_orders CASCADE;
COMMIT;

-- ---- ElectroDB: a service with two entities and a collection ----
--
--   pk   "$<service>#<attribute>_<value>", sk "$<entity>_<version>#<attribute>_<value>"
--   The sort key of a collection begins with its name.  Values are in lower case.
--   __edb_e__ tells the entity, __edb_v__ its version.

SELECT create_table('task_app', partition_key => 'pk', sort_key => 'sk',
	indexes => '[{"index_name": "gsi2", "partition_key": "gsi2pk", "sort_key": "gsi2sk"}]');

-- What the library has written before; the last item has a stale key.
SELECT count(*) AS items_put
FROM (VALUES
	('{"pk": "$taskapp#organizationid_tiger_zoo", "sk": "$employees_1#employeeid_jexotic", "__edb_e__": "employees", "__edb_v__": "1",
	   "gsi2pk": "$taskapp#employeeid_jexotic", "gsi2sk": "$assignments#employees_1",
	   "organizationId": "Tiger_Zoo", "employeeId": "JExotic", "name": "Joe", "team": "jupiter"}'::jsonb),
	('{"pk": "$taskapp#projectid_feeding", "sk": "$tasks_1#taskid_t-1", "__edb_e__": "tasks", "__edb_v__": "1",
	   "gsi2pk": "$taskapp#employeeid_jexotic", "gsi2sk": "$assignments#tasks_1#projectid_feeding",
	   "taskId": "T-1", "employeeId": "JExotic", "projectId": "Feeding", "title": "Feed the tigers"}'),
	('{"pk": "$taskapp#projectid_feeding", "sk": "$tasks_1#taskid_t-2", "__edb_e__": "tasks", "__edb_v__": "1",
	   "gsi2pk": "$taskapp#employeeid_cbaskin", "gsi2sk": "$assignments#tasks_1#projectid_feeding",
	   "taskId": "T-2", "employeeId": "JExotic", "projectId": "Feeding", "title": "Buy meat"}')
) AS data (item), put_item('task_app', data.item);

SELECT create_entity('task_app', 'employees', type_attribute => '__edb_e__', view_name => 'employee_rows',
	keys => '{"pk": "$taskapp#organizationid_{organizationId:lower}", "sk": "$employees_1#employeeid_{employeeId:lower}",
		"gsi2pk": "$taskapp#employeeid_{employeeId:lower}", "gsi2sk": "$assignments#employees_1"}',
	attributes => '{"organizationId": "text", "employeeId": "text", "name": "text", "team": "text", "__edb_v__": {"constant": "1"}}');
SELECT create_entity('task_app', 'tasks', type_attribute => '__edb_e__', view_name => 'task_rows',
	keys => '{"pk": "$taskapp#projectid_{projectId:lower}", "sk": "$tasks_1#taskid_{taskId:lower}",
		"gsi2pk": "$taskapp#employeeid_{employeeId:lower}", "gsi2sk": "$assignments#tasks_1#projectid_{projectId:lower}"}',
	attributes => '{"taskId": "text", "employeeId": "text", "projectId": "text", "title": "text", "__edb_v__": {"constant": "1"}}');

\echo '1. Which items have other keys than the scheme makes'
SELECT key ->> 'sk' AS sk, problem FROM check_entity('task_app');
\echo '2. Index keys are composed anew, so many items at a time'
SELECT apply_entity('task_app', max_items => 1000);
SELECT count(*) AS problems FROM check_entity('task_app');

\echo '3. A new task, written without the library'
INSERT INTO task_rows ("taskId", "employeeId", "projectId", title) VALUES ('T-3', 'JExotic', 'Feeding', 'Count the tigers')
RETURNING pk, sk;
\echo '4. The library finds it: the collection of assignments'
SELECT item ->> '__edb_e__' AS entity, coalesce(item ->> 'title', item ->> 'name') AS what
FROM query('task_app', 'gsi2pk = :pk AND begins_with(gsi2sk, :sk)',
	'{":pk": {"S": "$taskapp#employeeid_jexotic"}, ":sk": {"S": "$assignments"}}', index_name => 'gsi2') AS item;
\echo '5. A task goes to another employee: its key in gsi2 follows'
SELECT update_item('task_app', entity_key('task_app', 'tasks', '{"projectId": "Feeding", "taskId": "T-1"}'::jsonb),
	'SET employeeId = :e', expression_attribute_values => '{":e": {"S": "CBaskin"}}', return_values => 'ALL_NEW') ->> 'gsi2pk' AS gsi2pk;

-- ---- ElectroDB: a directory of stores in malls, with two access patterns ----

SELECT create_table('mall_stores', partition_key => 'pk', sort_key => 'sk', indexes => '[
	{"index_name": "gsi1pk-gsi1sk-index", "partition_key": "gsi1pk", "sort_key": "gsi1sk"},
	{"index_name": "gsi2pk-gsi2sk-index", "partition_key": "gsi2pk", "sort_key": "gsi2sk"}]');
SELECT create_entity('mall_stores', 'MallStore', type_attribute => '__edb_e__', view_name => 'mall_store_rows',
	keys => '{"pk": "$mallstoredirectory#cityid_{cityId:lower}#mallid_{mallId:lower}",
		"sk": "$mallstore_1#buildingid_{buildingId:lower}#storeid_{storeId:lower}",
		"gsi1pk": "$mallstoredirectory#mallid_{mallId:lower}",
		"gsi1sk": "$mallstore_1#buildingid_{buildingId:lower}#unitid_{unitId:lower}",
		"gsi2pk": "$mallstoredirectory#storeid_{storeId:lower}",
		"gsi2sk": "$mallstore_1#leaseenddate_{leaseEndDate}"}',
	attributes => '{"cityId": "text", "mallId": "text", "buildingId": "text", "storeId": "text", "unitId": "text",
		"category": "text", "leaseEndDate": "text", "rent": "numeric", "__edb_v__": {"constant": "1"}}');
SELECT put_item('mall_stores', '{"__edb_e__": "MallStore", "cityId": "Atlanta1", "mallId": "EastPointe", "buildingId": "F34",
	"storeId": "LatteLarrys", "unitId": "B47", "category": "food/coffee", "leaseEndDate": "2020-01-20", "rent": 5000}'::jsonb) AS put;
SELECT pk, sk, gsi1pk, gsi1sk, gsi2pk, gsi2sk FROM mall_stores;
\echo '6. Leases of a store that end from a date on'
SELECT item ->> 'mallId' AS mall, item ->> 'rent' AS rent
FROM query('mall_stores', 'gsi2pk = :pk AND gsi2sk >= :sk', '{":pk": {"S": "$mallstoredirectory#storeid_lattelarrys"},
	":sk": {"S": "$mallstore_1#leaseenddate_2010"}}', index_name => 'gsi2pk-gsi2sk-index') AS item;

-- ---- OneTable: value templates, the field _type ----
--
--   Account  pk account#${id}         sk account#             gs1pk account#  gs1sk account#${name}${id}
--   User     pk account#${accountId}  sk user#${email}        gs1pk user#     gs1sk user#${name}#${id}
--   Invoice  pk account#${accountId}  sk invoice#${id}        gs1pk invoice#  gs1sk invoice#${date}#${id}

SELECT create_table('onetable', partition_key => 'pk', sort_key => 'sk',
	indexes => '[{"index_name": "gs1", "partition_key": "gs1pk", "sort_key": "gs1sk"}]');
SELECT create_entity('onetable', 'User', type_attribute => '_type', view_name => 'user_rows',
	keys => '{"pk": "account#{accountId}", "sk": "user#{email}", "gs1pk": "user#", "gs1sk": "user#{name}#{id}"}',
	attributes => '{"accountId": {"type": "text", "required": true}, "email": "text", "name": {"type": "text", "required": true}, "id": "text",
		"role": {"type": "text", "default": "user"}, "status": {"type": "text", "default": "active"}, "balance": {"type": "numeric", "default": 0}}');
SELECT create_entity('onetable', 'Invoice', type_attribute => '_type', view_name => 'invoice_rows',
	keys => '{"pk": "account#{accountId}", "sk": "invoice#{id}", "gs1pk": "invoice#", "gs1sk": "invoice#{date:ms}#{id}"}',
	attributes => '{"accountId": {"type": "text", "required": true}, "id": "text", "date": "timestamptz", "product": "text", "total": "numeric"}');
-- In gs1sk of an account no text stands between name and id: the parts could not be
-- told apart.  The attribute is left to the library.
SELECT create_entity('onetable', 'Account', type_attribute => '_type', view_name => 'account_rows',
	keys => '{"pk": "account#{id}", "sk": "account#", "gs1pk": "account#"}',
	attributes => '{"id": "text", "name": {"type": "text", "required": true}, "balance": {"type": "numeric", "default": 0}}');

INSERT INTO account_rows (id, name) VALUES ('01H1', 'Acme') RETURNING pk, sk, balance;
INSERT INTO user_rows ("accountId", email, name, id) VALUES ('01H1', 'peter@example.com', 'Peter', '01H2') RETURNING pk, sk, role;
INSERT INTO invoice_rows ("accountId", id, date, product, total) VALUES
	('01H1', '01H3', '2026-03-01 10:00Z', 'anvil', 120), ('01H1', '01H4', '2026-03-09 12:30Z', 'rocket', 990);
\echo '7. What belongs to an account, by one query of the key'
SELECT kind_of('onetable', item) AS kind, item ->> 'sk' AS sk
FROM query('onetable', 'pk = :pk', '{":pk": {"S": "account#01H1"}}') AS item;
\echo '8. Invoices of March, from gs1: its partition is constant'
SELECT id, total FROM invoice_rows WHERE date >= '2026-03-05Z' AND date < '2026-04-01Z';

-- ---- OneTable: ids padded with zeros, ${id:8:0} ----

SELECT create_table('onetable_orders', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('onetable_orders', 'Order', type_attribute => '_type', view_name => 'padded_orders',
	keys => '{"PK": "account#{accountName}", "SK": "order#{id:08}"}',
	attributes => '{"accountName": "text", "id": "int", "total": "numeric"}');
SELECT put_item('onetable_orders', '{"_type": "Order", "PK": "account#Acme", "SK": "order#00000042", "accountName": "Acme", "id": 42, "total": 7}'::jsonb) AS put;
\echo '9. One order, read by its key'
SELECT total FROM padded_orders WHERE "accountName" = 'Acme' AND id = 42;
