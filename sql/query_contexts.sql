-- dynamo.query wherever SQL allows it: cursors, loops, joins, plans
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_contexts CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_contexts;
SET search_path = t_contexts, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('tab', 'PK', 'SK', sort_key_type => 'N');
INSERT INTO tab (item)
SELECT format('{"PK": {"S": "p%s"}, "SK": {"N": "%s"}}', p, n)::dynamo.item
FROM generate_series(1, 3) p, generate_series(1, 100) n;

-- two queries in one select list, of different lengths, and with other rows
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p1"}}', max_items => 3) ->> 'SK' AS a,
	dynamo.query('tab', 'PK = :p', '{":p": {"S": "p2"}}', max_items => 2, scan_index_forward => false) ->> 'SK' AS b;
SELECT n, dynamo.query('tab', 'PK = :p AND SK = :s', format('{":p": {"S": "p1"}, ":s": {"N": "%s"}}', n)::dynamo.item) FROM generate_series(99, 102) n;
SELECT p, count(*), max((i ->> 'SK')::numeric) FROM unnest(ARRAY['p1', 'p2', 'none']) p
	LEFT JOIN LATERAL dynamo.query('tab', 'PK = :p', jsonb_build_object(':p', p)) i ON true GROUP BY p ORDER BY p;
SELECT p, (SELECT string_agg(i ->> 'SK', ',') FROM dynamo.query('tab', 'PK = :p', jsonb_build_object(':p', p), max_items => 2) i) FROM unnest(ARRAY['p1', 'p2']) p;
-- a query for each result of another query
SELECT count(*) FROM (SELECT dynamo.query('tab', 'PK = :p AND SK > :s',
	jsonb_build_object(':p', 'p2', ':s', (dynamo.query('tab', 'PK = :p', '{":p": {"S": "p1"}}', max_items => 3) ->> 'SK')::numeric))) q;
-- with sorts and aggregates
SELECT i ->> 'SK' FROM (SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p1"}}') AS i) q ORDER BY md5(i ->> 'SK') LIMIT 3;

-- cursors: separate, scrolling, held after a commit, and one left open
BEGIN;
DECLARE a CURSOR FOR SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p1"}}') ->> 'SK';
DECLARE b SCROLL CURSOR FOR SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p2"}}') ->> 'SK';
DECLARE h CURSOR WITH HOLD FOR SELECT dynamo.query('tab', 'PK = :p AND SK > :s', '{":p": {"S": "p2"}, ":s": {"N": "97"}}') ->> 'SK';
FETCH 2 FROM a;
FETCH 2 FROM b;
SAVEPOINT s;
DECLARE inner_one CURSOR FOR SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p3"}}') ->> 'SK';
FETCH 1 FROM inner_one;
SELECT dynamo.query('tab', 'SK = :p', '{":p": {"S": "p1"}}');
ROLLBACK TO s;
FETCH 2 FROM a;
FETCH BACKWARD 1 FROM b;
DELETE FROM tab WHERE "PK" = 'p1' AND "SK" > 5;
FETCH 2 FROM a;
COMMIT;
FETCH ALL FROM h;
CLOSE h;
SELECT count(*) FROM dynamo.query('tab', 'PK = :p', '{":p": {"S": "p1"}}');

-- a write in the same statement is not visible
WITH w AS (INSERT INTO tab (item) VALUES ('{"PK": {"S": "new"}, "SK": {"N": "1"}}') RETURNING item)
SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM dynamo.query('tab', 'PK = :p', '{":p": {"S": "new"}}'));
SELECT count(*) FROM dynamo.query('tab', 'PK = :p', '{":p": {"S": "new"}}');

-- loops that write the rows they read, caught errors, commits in between
DO $$
DECLARE
	i dynamo.item;
	n int := 0;
BEGIN
	FOR i IN SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p2"}}') LOOP
		n := n + 1;
		BEGIN
			PERFORM dynamo.put_item('tab', i || '{"seen": {"BOOL": true}}');
			IF n % 10 = 0 THEN
				PERFORM 1 / 0;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
		EXIT WHEN n = 50;
	END LOOP;
END $$;
SELECT count(*) FROM dynamo.scan('tab', 'attribute_exists(seen)');
DO $$
DECLARE
	i dynamo.item;
BEGIN
	FOR i IN SELECT dynamo.query('tab', 'PK = :p AND SK > :s', '{":p": {"S": "p2"}, ":s": {"N": "95"}}') LOOP
		PERFORM dynamo.put_item('tab', i || '{"late": {"BOOL": true}}');
		COMMIT;
	END LOOP;
END $$;
SELECT count(*) FROM dynamo.scan('tab', 'attribute_exists(late)');

-- prepared statements, custom and generic; parameters of every kind
PREPARE q (text, int, boolean) AS SELECT dynamo.query('tab', 'PK = :p', jsonb_build_object(':p', $1), max_items => $2, scan_index_forward => $3) ->> 'SK';
SET plan_cache_mode = force_generic_plan;
EXECUTE q('p3', 2, false);
EXECUTE q('p3', NULL, NULL) \g /dev/null
EXECUTE q('p1', 1, true);
RESET plan_cache_mode;
-- the definition changes after a statement was prepared
SELECT dynamo.create_index('tab', 'byn', 'n', 'SK', partition_key_type => 'N', sort_key_type => 'N');
EXECUTE q('p1', 1, true);
-- a function in WHERE, in a view, as a default of another query
CREATE VIEW first AS SELECT i FROM dynamo.query('tab', 'PK = :p', '{":p": {"S": "p3"}}', max_items => 2) i;
SELECT * FROM first;

-- temporary and unlogged tables
SET search_path = pg_temp, t_contexts, dynamo;
SELECT dynamo.create_table('temp_tab', 'PK', 'SK');
INSERT INTO temp_tab (item) SELECT format('{"PK": {"S": "p"}, "SK": {"S": "%s"}}', n)::dynamo.item FROM generate_series(1, 9) n;
SELECT relpersistence FROM pg_class WHERE oid = 'temp_tab'::regclass;
SELECT count(*) FROM dynamo.query('temp_tab', 'PK = :p AND SK > :s', '{":p": {"S": "p"}, ":s": {"S": "5"}}');
-- a worker could not read the table: the functions run in the leader
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT dynamo.get_item('temp_tab', '{"PK": {"S": "p"}, "SK": {"S": "5"}}');
SELECT count(*) FROM dynamo.scan('temp_tab');
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SET search_path = t_contexts, dynamo;
ALTER TABLE tab SET UNLOGGED;
SELECT count(*) FROM dynamo.query('tab', 'PK = :p', '{":p": {"S": "p3"}}');
-- a column dropped, another added: the item column is found at its new position
ALTER TABLE tab ADD COLUMN extra int;
ALTER TABLE tab DROP COLUMN extra;
ALTER TABLE tab ADD COLUMN note text;
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p3"}}', max_items => 1);
-- a table without the index of its primary key is read with SQL
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE tab DROP CONSTRAINT tab_pkey;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p3"}}', max_items => 1);
SELECT dynamo.get_item('tab', '{"PK": {"S": "p3"}, "SK": {"N": "7"}}');

SET client_min_messages = warning;
DROP SCHEMA t_contexts CASCADE;
