-- Indexes of tables that are too large to be locked during a build: the
-- index is CREATING until a background worker has built it.
CREATE SCHEMA t_online;
SET search_path = t_online;
-- Nothing is printed that depends on how long a build takes.
SET client_min_messages = error;
SET dynamo.in_place_build_limit = 0;

SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
INSERT INTO shop (item)
SELECT jsonb_build_object('PK', 'c#' || i % 10, 'SK', 'o#' || lpad(i::text, 4, '0'),
	'grp', CASE WHEN i % 100 = 0 THEN to_jsonb(i) ELSE to_jsonb('S' || i % 3) END, 'total', i)
FROM generate_series(1, 1000) i;

-- What other sessions see until the worker is done, seen in the transaction.
BEGIN;
SELECT dynamo.create_index('shop', 'byGroup', 'grp', 'total', sort_key_type => 'N');
SELECT index_name, status, relation_name FROM dynamo.indexes WHERE schema_name = 't_online';
SELECT index_name, status, phase, rows_done, skipped, worker_pid, error
FROM dynamo.index_progress WHERE schema_name = 't_online';
SELECT i ->> 'index_name' AS name, i ->> 'index_status' AS status, i ->> 'index_size_bytes' AS bytes
FROM jsonb_array_elements(dynamo.describe_table('shop') -> 'global_secondary_indexes') i;
SELECT dynamo.request('DescribeTable', '{"TableName": "shop"}')::jsonb -> 'Table' ->> 'TableStatus' AS status,
	i ->> 'IndexStatus' AS index_status, i ->> 'Backfilling' AS backfilling
FROM jsonb_array_elements(dynamo.request('DescribeTable', '{"TableName": "shop"}')::jsonb
	-> 'Table' -> 'GlobalSecondaryIndexes') i;
SAVEPOINT s;
SELECT * FROM dynamo.query('shop', 'grp = :s', '{":s": {"S": "S1"}}', index_name => 'byGroup');
ROLLBACK TO s;
SELECT dynamo.create_index('shop', 'second', 'SK');
ROLLBACK TO s;
SELECT dynamo.change_index('shop', 'byGroup', projection => 'KEYS_ONLY');
ROLLBACK TO s;
SELECT dynamo.reindex('shop', 'byGroup');
ROLLBACK TO s;
CALL dynamo.build_indexes('shop');
ROLLBACK TO s;
-- writes set the columns, and an unusable key is refused
SELECT dynamo.put_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "n"}, "grp": {"N": "1"}}');
ROLLBACK TO s;
SELECT dynamo.put_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "n"}, "grp": {"S": "S1"}, "total": {"N": "1"}}');
SELECT "SK", grp, total FROM shop WHERE "SK" IN ('n', 'o#0001');
-- the last statement drops the index, and nothing remains
SELECT dynamo.drop_index('shop', 'byGroup');
SELECT count(*) FROM dynamo.index_progress WHERE schema_name = 't_online';
ROLLBACK;

-- Created and built.
SELECT dynamo.create_index('shop', 'byGroup', 'grp', 'total', sort_key_type => 'N');
CALL dynamo.build_indexes('shop');
SELECT index_name, status, relation_name FROM dynamo.indexes WHERE schema_name = 't_online';
SELECT index_name, status, phase, rows_done >= 1000 AS rows_done, skipped, jsonb_pretty(skipped_items -> 0) AS first,
	jsonb_array_length(skipped_items) AS named, worker_pid, error
FROM dynamo.index_progress WHERE schema_name = 't_online';
SELECT problem, count(*) FROM dynamo.verify_index('shop', 'byGroup') GROUP BY 1;
SELECT count(*) FROM dynamo.query('shop', 'grp = :s', '{":s": {"S": "S1"}}', index_name => 'byGroup');
SELECT indexdef FROM pg_indexes WHERE schemaname = 't_online' AND indexname = 'shop$byGroup';

-- The keys of items that the index leaves out are long.
SELECT dynamo.create_table('long', partition_key => 'PK');
INSERT INTO long (item)
SELECT jsonb_build_object('PK', (SELECT string_agg(md5(i || '.' || j), '') FROM generate_series(1, 60) j), 'grp', i) FROM generate_series(1, 6) i;
CALL dynamo.create_index_and_wait('long', 'byGroup', 'grp');
CALL dynamo.create_index_and_wait('long', 'table', 'grp', storage => 'table');
SELECT index_name, status, skipped >= 6 AS skipped, pg_column_size(skipped_items) > 9000 AS long
FROM dynamo.index_progress WHERE schema_name = 't_online' AND table_name = 'long' ORDER BY 1;
DROP TABLE long;

-- A procedure creates an index and waits; an inverted index has its columns.
CALL dynamo.create_index_and_wait('shop', 'inverted', 'SK', 'PK');
CALL dynamo.create_index_and_wait('shop', 'kept', ARRAY['grp', 'PK'], ARRAY['SK'], storage => 'table', projection => 'KEYS_ONLY');
SELECT index_name, status, storage FROM dynamo.indexes WHERE schema_name = 't_online';
SELECT * FROM dynamo.verify_index('shop', 'inverted');
SELECT problem, count(*) FROM dynamo.verify_index('shop', 'kept') GROUP BY 1;
BEGIN;
CALL dynamo.create_index_and_wait('shop', 'another', 'total');
ROLLBACK;

-- Another number of shards: a query returns the same before and after.
SELECT dynamo.reshard_index('shop', 'kept', 4);
CALL dynamo.build_indexes();
SELECT index_name, status, storage, shards, relation_name FROM dynamo.indexes
WHERE schema_name = 't_online' AND index_name = 'kept';
SELECT problem, count(*) FROM dynamo.verify_index('shop', 'kept') GROUP BY 1;
SELECT dynamo.reshard_index('shop', 'kept', 3, shard_by => 'total');
CALL dynamo.build_indexes();
SELECT index_name, status, storage, shards, shard_by, relation_name FROM dynamo.indexes
WHERE schema_name = 't_online' AND index_name = 'kept';
SELECT problem, count(*) FROM dynamo.verify_index('shop', 'kept') GROUP BY 1;
SELECT dynamo.reshard_index('shop', 'kept', 0);
SELECT dynamo.reshard_index('shop', 'none', 2);
SELECT relname FROM pg_class WHERE relnamespace = 't_online'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1;

-- Projection and storage.
SELECT dynamo.change_index('shop', 'kept', storage => 'inline', projection => 'ALL');
CALL dynamo.build_indexes();
SELECT dynamo.change_index('shop', 'inverted', storage => 'table', non_key_attributes => ARRAY['total']);
CALL dynamo.build_indexes();
SELECT dynamo.change_index('shop', 'byGroup', projection => 'KEYS_ONLY');
SELECT index_name, status, storage, shards, projection, non_key_attributes FROM dynamo.indexes
WHERE schema_name = 't_online';
SELECT problem, count(*) FROM dynamo.verify_index('shop', 'kept') GROUP BY 1;
SELECT * FROM dynamo.verify_index('shop', 'inverted');
SELECT * FROM dynamo.query('shop', 'SK = :s', '{":s": {"S": "o#0007"}}', index_name => 'inverted');
SELECT dynamo.change_index('shop', 'kept', storage => 'inline', shards => 2);
SELECT dynamo.change_index('shop', 'kept', projection => 'INCLUDE');

-- Changes in place.
SET dynamo.in_place_build_limit = 8192;
SELECT dynamo.reshard_index('shop', 'inverted', 2);
SELECT index_name, status, storage, shards FROM dynamo.indexes
WHERE schema_name = 't_online' AND index_name = 'inverted';
SELECT * FROM dynamo.verify_index('shop', 'inverted');
SET dynamo.in_place_build_limit = 0;

-- Without a worker, psql can build the index.
BEGIN;
SELECT dynamo.create_index('shop', 'byTotal', 'total', partition_key_type => 'N');
SELECT * FROM dynamo.build_statements('shop');
ROLLBACK;
SELECT * FROM dynamo.build_statements();

-- A statement that interrupts a build and is rolled back does not end the build.
SELECT dynamo.create_table('many', partition_key => 'PK');
INSERT INTO many (item) SELECT jsonb_build_object('PK', i::text, 'grp', 'S' || i % 3) FROM generate_series(1, 30000) i;
SELECT dynamo.create_index('many', 'byGroup', 'grp', storage => 'table');
BEGIN;
SELECT dynamo.drop_index('many', 'byGroup');
ROLLBACK;
DO $$
BEGIN
	FOR i IN 1 .. 1800 LOOP
		EXIT WHEN (SELECT status = 'ACTIVE' FROM dynamo.indexes WHERE schema_name = 't_online' AND table_name = 'many');
		COMMIT;
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
SELECT status FROM dynamo.indexes WHERE schema_name = 't_online' AND table_name = 'many';
SELECT * FROM dynamo.verify_index('many', 'byGroup');

SET client_min_messages = warning;
DROP SCHEMA t_online CASCADE;
