-- A query reads only what it returns, as PostgreSQL's counters show
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_early CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_early;
SET search_path = t_early, dynamo;
-- the SQL path reads in batches; the rest tests the direct path
SET dynamo.direct_access = on;

SELECT dynamo.create_table('logs', 'PK', 'SK', sort_key_type => 'N');
INSERT INTO logs (item)
SELECT format('{"PK": {"S": "a"}, "SK": {"N": "%s"}, "text": {"S": "%s"}}', n, repeat('x', 300))::dynamo.item
FROM generate_series(1, 5000) n;
VACUUM (ANALYZE, FREEZE) logs;

-- returns the number of rows fetched from the table since the last call
CREATE TABLE seen (fetched bigint);
INSERT INTO seen VALUES (0);
CREATE FUNCTION fetched() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	now bigint;
	before bigint;
BEGIN
	SELECT idx_tup_fetch INTO now FROM pg_stat_user_tables WHERE relid = 'logs'::regclass;
	SELECT s.fetched INTO before FROM seen s;
	UPDATE seen SET fetched = now;
	RETURN now - before;
END $$;
-- a session reports its counters when it is idle
\set report 'SELECT pg_stat_force_next_flush() IS NULL AS flushed \\gset \\\\ SELECT fetched();'
:report

-- stopped by max_items
SELECT count(*) FROM (SELECT dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}', max_items => 7)) q;
:report
-- stopped by LIMIT, in a select list
SELECT count(*) FROM (SELECT dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}') LIMIT 7) q;
:report
SELECT count(*) FROM (SELECT dynamo.query('logs', 'PK = :p AND SK < :s', '{":p": {"S": "a"}, ":s": {"N": "4000"}}',
	scan_index_forward => false) LIMIT 7) q;
:report
-- from a start key
SELECT count(*) FROM dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}',
	exclusive_start_key => '{"PK": {"S": "a"}, "SK": {"N": "4995"}}');
:report
SELECT count(*) FROM dynamo.scan('logs', max_items => 3,
	exclusive_start_key => '{"PK": {"S": "a"}, "SK": {"N": "2000"}}');
:report
-- in FROM, PostgreSQL reads a function to its end
SELECT count(*) FROM (SELECT * FROM dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}') LIMIT 7) q;
:report
-- a page reads only its items
SELECT count FROM dynamo.query_page('logs', 'PK = :p', '{":p": {"S": "a"}}', page_size => 7);
:report
-- reading a segment does not fetch rows of the others
INSERT INTO logs (item) VALUES ('{"PK": {"S": "b"}, "SK": {"N": "1"}}');
SELECT s, count(i) FROM generate_series(0, 1) s,
	LATERAL dynamo.scan('logs', segment => s, total_segments => 2) i GROUP BY s ORDER BY s;
:report

-- a cursor that is read a little and closed
BEGIN;
DECLARE c CURSOR FOR SELECT dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}');
MOVE 5 IN c;
SELECT dynamo.query('logs', 'PK = :p', '{":p": {"S": "b"}}');
MOVE 5 IN c;
CLOSE c;
COMMIT;
:report

-- buffers: the path to a leaf of the index, and the rows
CREATE FUNCTION buffers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE query;				-- warm
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int;
END $$;
SELECT buffers($$SELECT dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}', max_items => 5)$$) < 15 AS few;
SELECT buffers($$SELECT dynamo.query('logs', 'PK = :p', '{":p": {"S": "a"}}')$$) > 150 AS many;

SET client_min_messages = warning;
DROP SCHEMA t_early CASCADE;
