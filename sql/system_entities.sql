-- The example of entities: results and plans
CREATE SCHEMA t_system_entities;
SET search_path = t_system_entities, dynamo;
SET client_min_messages = warning;
SET timezone = 'UTC';
SET enable_bitmapscan = off;
SET enable_seqscan = off;
\i examples/entities.sql
SET client_min_messages = warning;
EXPLAIN (COSTS OFF) SELECT total FROM orders WHERE customer_id = 'c7' AND order_id = 10;
EXPLAIN (COSTS OFF) SELECT quantity FROM lines WHERE product = 'mouse' AND placed_at >= '2026-01-01Z' AND placed_at < '2026-02-01Z';
EXPLAIN (COSTS OFF) SELECT name FROM users WHERE email = 'ann@example.com';
SELECT put_item('electrodb', '{"pk": "$taskapp#team_red", "sk": "$tasks_1#employee_tyler#project_12345", "__edb_e__": "tasks", "__edb_v__": "1",
	"team": "Green", "employee": "Tyler", "project": "12345"}'::jsonb);
DROP SCHEMA t_system_entities, dynamo_examples CASCADE;
