-- a failed build is repeated after a pause, for which DDL does not wait
CREATE SCHEMA t_stopped;
SET search_path = t_stopped;
SET statement_timeout = '180s';
SELECT dynamo.create_table('shop', 'PK');
SELECT dynamo.put_item('shop', '{"PK": {"S": "a"}, "G": {"S": "g"}}');
BEGIN;
SET LOCAL dynamo.in_place_build_limit = 0;
SELECT dynamo.create_index('shop', 'byG', 'G');
-- the name is taken when the worker starts
CREATE TABLE "shop$byG" ();
COMMIT;
DO $$
BEGIN
	WHILE NOT EXISTS (SELECT FROM dynamo.index_progress WHERE schema_name = 't_stopped' AND error IS NOT NULL AND worker_pid IS NOT NULL) LOOP
		PERFORM pg_sleep(0.01);
		COMMIT;
	END LOOP;
END $$;
SELECT index_name, status, error FROM dynamo.index_progress WHERE schema_name = 't_stopped';
-- stops the worker during its pause
SELECT dynamo.drop_index('shop', 'byG');
SELECT index_name FROM dynamo.indexes WHERE schema_name = 't_stopped';
SELECT dynamo.drop_table('shop');
DROP SCHEMA t_stopped CASCADE;
