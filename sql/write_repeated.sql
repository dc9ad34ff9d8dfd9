-- Two writes to one key in one statement and in one transaction, in every isolation
-- level, with both settings
\set SHOW_CONTEXT never
CREATE SCHEMA t_rep;
SET search_path = t_rep;
SELECT dynamo.create_table('counters', partition_key => 'id');

CREATE FUNCTION bump(id text) RETURNS dynamo.item LANGUAGE sql AS $$
	SELECT dynamo.update_item('counters', jsonb_build_object('id', id), 'ADD n :one', NULL,
		jsonb_build_object(':one', 1), return_values => 'UPDATED_NEW')
$$;

\set writes 'SELECT bump(\'a\') FROM generate_series(1, 3); WITH w AS (INSERT INTO counters (item) VALUES (jsonb_build_object(\'id\', \'b\', \'n\', 10)) RETURNING id) SELECT bump(id) FROM w; SELECT dynamo.put_item(\'counters\', jsonb_build_object(\'id\', \'a\', \'n\', 0), return_values => \'ALL_OLD\') AS put, dynamo.delete_item(\'counters\', jsonb_build_object(\'id\', \'a\'), return_values => \'ALL_OLD\') AS deleted, dynamo.put_item(\'counters\', jsonb_build_object(\'id\', \'a\', \'n\', 5), \'attribute_not_exists(id)\') AS again; SELECT bump(\'a\'); SAVEPOINT s; SELECT bump(\'a\'); SELECT dynamo.delete_item(\'counters\', jsonb_build_object(\'id\', \'b\')); ROLLBACK TO s; SELECT bump(\'a\'), bump(\'b\'); SELECT item FROM counters ORDER BY id; ROLLBACK;'

SET dynamo.direct_access = on;
BEGIN; :writes
BEGIN ISOLATION LEVEL REPEATABLE READ; :writes
BEGIN ISOLATION LEVEL SERIALIZABLE; :writes
SET dynamo.direct_access = off;
BEGIN; :writes
BEGIN ISOLATION LEVEL REPEATABLE READ; :writes
BEGIN ISOLATION LEVEL SERIALIZABLE; :writes
RESET dynamo.direct_access;

-- an outer UPDATE of the row that its own expression changes, as in SQL
INSERT INTO counters (item) VALUES (jsonb_build_object('id', 'c', 'n', 1));
UPDATE counters SET item = bump(id) WHERE id = 'c';

-- a cursor keeps its snapshot, the functions see the newest version
BEGIN;
DECLARE c CURSOR FOR SELECT item, bump(id) FROM counters, generate_series(1, 3);
FETCH 2 FROM c;
SELECT bump('c');
FETCH 1 FROM c;
COMMIT;

-- updates of an item are HOT
SELECT count(bump('hot')) FROM generate_series(1, 20);
SELECT pg_stat_force_next_flush() \gset
SELECT n_tup_hot_upd > 0 AS hot FROM pg_stat_user_tables WHERE relid = 'counters'::regclass;

-- a write in a function that fails has no effect
DO $$
BEGIN
	PERFORM bump('z');
	RAISE EXCEPTION 'undo';
EXCEPTION WHEN raise_exception THEN
	PERFORM bump('z');
END $$;
SELECT item FROM counters WHERE id = 'z';

-- replica identity; a server with a lower wal_level warns
SET client_min_messages = error;
CREATE PUBLICATION regress_dynamo_pub FOR TABLE counters;
RESET client_min_messages;
ALTER TABLE counters REPLICA IDENTITY NOTHING;
SELECT bump('c');
SELECT dynamo.delete_item('counters', jsonb_build_object('id', 'c'));
SELECT bump('new');
DROP PUBLICATION regress_dynamo_pub;

-- the contents of a dropped column are not written again
ALTER TABLE counters ADD COLUMN secret text;
INSERT INTO counters (item, secret) SELECT jsonb_build_object('id', i), repeat('x', 900) FROM unnest('{d1,d2}'::text[]) i;
ALTER TABLE counters DROP COLUMN secret;
SELECT id, pg_column_size(counters.*) > 900 AS has_secret FROM counters WHERE id LIKE 'd_' ORDER BY 1;
SELECT bump('d1');
UPDATE counters SET item = item WHERE id = 'd2';
SELECT id, pg_column_size(counters.*) > 900 AS has_secret FROM counters WHERE id LIKE 'd_' ORDER BY 1;

-- a table recreated with a key of another type: plans of the old one are not used
SET dynamo.direct_access = off;
SELECT dynamo.create_table('again', partition_key => 'PK');
SELECT dynamo.put_item('again', '{"PK": {"S": "x"}}');
SELECT dynamo.get_item('again', '{"PK": {"S": "x"}}');
DROP TABLE again;
SELECT dynamo.create_table('again', partition_key => 'PK', partition_key_type => 'N');
SELECT dynamo.put_item('again', '{"PK": {"N": "1"}}');
SELECT dynamo.get_item('again', '{"PK": {"N": "1"}}');
RESET dynamo.direct_access;

SET client_min_messages = warning;
DROP SCHEMA t_rep CASCADE;
