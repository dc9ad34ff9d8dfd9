-- Statistics of tables and indexes; those of requests are in shared memory, see test/tap/metrics.pl
CREATE SCHEMA t_statistics;
SET search_path = t_statistics;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "inl", "partition_key": "g"},
	{"index_name": "own", "partition_key": "g", "storage": "table"}, {"index_name": "sharded", "partition_key": "g", "shards": 2},
	{"index_name": "unread", "partition_key": "h"}]');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'a', 'sk', i::text, 'g', 'g' || i % 2) FROM generate_series(1, 10) i;
SELECT count(*) FROM dynamo.query('tab', 'g = :g', '{":g": {"S": "g1"}}', index_name => 'inl');
SELECT count(*) FROM dynamo.query('tab', 'g = :g', '{":g": {"S": "g1"}}', index_name => 'own');
SELECT count(*) FROM dynamo.query('tab', 'g = :g', '{":g": {"S": "g1"}}', index_name => 'sharded');
SELECT dynamo.delete_item('tab', '{"pk": {"S": "a"}, "sk": {"S": "1"}}');
UPDATE tab SET item = (item::jsonb || '{"n": 1}')::dynamo.item WHERE "sk" = '2';
-- the collector is told at the end of a transaction
SELECT pg_stat_force_next_flush();
SELECT pg_stat_clear_snapshot();
SELECT schema_name, table_name, items_inserted, items_updated, items_deleted, total_bytes > 0 AS has_bytes
FROM dynamo.stat_tables WHERE schema_name = 't_statistics';
-- the maintenance of an index table reads it, too
SELECT table_name, index_name, storage, scans > 0 OR storage = 'table' AS is_read, entries_written >= 10 AS is_written, total_bytes > 0 AS has_bytes
FROM dynamo.stat_indexes WHERE schema_name = 't_statistics' ORDER BY index_name;

-- who sees a table: who may see all its rows, and members of pg_read_all_stats; no lock is kept
CREATE ROLE regress_statistics;
CREATE FUNCTION shown() RETURNS TABLE (view_name text, tables bigint) LANGUAGE sql AS $$
	SELECT 'stat_operations', count(*) FROM dynamo.stat_operations WHERE schema_name = 't_statistics' AND table_name = 'seen_by'
	UNION ALL SELECT 'stat_tables', count(*) FROM dynamo.stat_tables WHERE schema_name = 't_statistics' AND table_name = 'seen_by'
	UNION ALL SELECT 'stat_indexes', count(*) FROM dynamo.stat_indexes WHERE schema_name = 't_statistics' AND table_name = 'seen_by'
	UNION ALL SELECT 'stat_time_to_live', count(lag) FROM dynamo.stat_time_to_live WHERE schema_name = 't_statistics' AND table_name = 'seen_by'
	UNION ALL SELECT 'stat_streams', count(lag) FROM dynamo.stat_streams WHERE schema_name = 't_statistics' AND table_name = 'seen_by' $$;
CREATE FUNCTION locked() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
	WHERE l.pid = pg_backend_pid() AND c.relnamespace = 't_statistics'::regnamespace $$;
GRANT USAGE ON SCHEMA t_statistics TO regress_statistics;
SELECT dynamo.create_table('seen_by', 'pk', indexes => '[{"index_name": "by_g", "partition_key": "g"}]');
SELECT dynamo.update_time_to_live('seen_by', 'ttl');
SELECT dynamo.enable_stream('seen_by') IS NOT NULL;
SELECT dynamo.put_item('seen_by', '{"pk": {"S": "a"}, "ttl": {"N": "1700000000"}}');
BEGIN;
SELECT * FROM shown();
SELECT locked();
SET LOCAL ROLE regress_statistics;
SELECT * FROM shown();
SELECT locked();
ROLLBACK;
GRANT SELECT ON seen_by TO regress_statistics;
SET ROLE regress_statistics;
SELECT * FROM shown();
RESET ROLE;
ALTER TABLE seen_by ENABLE ROW LEVEL SECURITY;
SET ROLE regress_statistics;
SELECT * FROM shown();
RESET ROLE;
GRANT pg_read_all_stats TO regress_statistics;
SET ROLE regress_statistics;
SELECT * FROM shown();
RESET ROLE;
REVOKE pg_read_all_stats FROM regress_statistics;

-- who may reset
SET ROLE regress_statistics;
SELECT count(*) >= 0 AS may_read FROM dynamo.stat_operations;
SELECT dynamo.stat_reset();
RESET ROLE;
SELECT dynamo.stat_reset();
SELECT count(*) FROM dynamo.stat_operations;

-- Progress, as triggers see it that the work fires
CREATE TABLE seen (schema_name text, table_name text, command text, items bigint, bytes bigint);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO t_statistics.seen SELECT schema_name, table_name, command, items_estimated, bytes_done
	FROM dynamo.stat_progress WHERE pid = pg_backend_pid();
	RETURN NULL; END $$;
SELECT dynamo.create_table('work', 'pk');
CREATE TRIGGER look AFTER INSERT OR UPDATE OR DELETE ON work FOR EACH ROW EXECUTE FUNCTION look();
SELECT dynamo.import_lines('work', ARRAY['{"Item": {"pk": {"S": "a"}, "ttl": {"N": "' || floor(extract(epoch FROM now())) - 100 || '"}}}']);
SELECT dynamo.update_time_to_live('work', 'ttl');
SELECT dynamo.delete_expired('work');
SELECT dynamo.put_item('work', '{"pk": {"S": "b"}}');
SELECT DISTINCT * FROM seen ORDER BY command;
SELECT count(*) FROM dynamo.stat_progress WHERE pid = pg_backend_pid();
-- a pending build
BEGIN;
SET LOCAL dynamo.in_place_build_limit = 0;
SELECT dynamo.create_index('work', 'later', 'g');
SELECT table_name, index_name, command, phase, items_done FROM dynamo.stat_progress WHERE table_name = 'work';
ROLLBACK;
-- an error ends the report
SELECT dynamo.import_lines('work', ARRAY['{']);
SELECT count(*) FROM dynamo.stat_progress WHERE pid = pg_backend_pid();

SET client_min_messages = warning;
DROP SCHEMA t_statistics CASCADE;
DROP ROLE regress_statistics;
