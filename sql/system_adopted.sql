-- tables of ElectroDB and OneTable: what the example answers, and by which plans
CREATE SCHEMA t_system_adopted;
SET search_path = t_system_adopted, dynamo;
SET client_min_messages = warning;
SET timezone = 'UTC';
SET enable_bitmapscan = off;
SET enable_seqscan = off;
\i examples/adopted_tables.sql
SET client_min_messages = warning;
\set SHOW_CONTEXT never
-- stale keys are refused, whoever sends them; the detail is for the client, not for the log
SELECT put_item('task_app', '{"pk": "$taskapp#projectid_feeding", "sk": "$tasks_1#taskid_t-9", "__edb_e__": "tasks", "__edb_v__": "1",
	"gsi2pk": "$taskapp#employeeid_jexotic", "gsi2sk": "$assignments#tasks_1#projectid_feeding", "taskId": "T-9", "employeeId": "CBaskin", "projectId": "Feeding"}'::jsonb);
SELECT put_item('task_app', '{"__edb_e__": "tasks", "__edb_v__": "2", "taskId": "T-9", "employeeId": "CBaskin", "projectId": "Feeding"}'::jsonb);
EXPLAIN (COSTS OFF) SELECT title FROM task_rows WHERE "projectId" = 'Feeding' AND "taskId" = 'T-1';
EXPLAIN (COSTS OFF) SELECT id FROM invoice_rows WHERE date >= '2026-03-05Z' AND date < '2026-04-01Z';
EXPLAIN (COSTS OFF) SELECT total FROM padded_orders WHERE "accountName" = 'Acme' AND id = 42;
SELECT * FROM check_entity('task_app') UNION ALL SELECT * FROM check_entity('mall_stores') UNION ALL SELECT * FROM check_entity('onetable');
SELECT * FROM verify_index('task_app', 'gsi2');
DROP SCHEMA t_system_adopted, dynamo_examples CASCADE;
