-- apply_entity and repair_copies in batches read a table a few times, however many batches there are
CREATE SCHEMA t_linear;
SET search_path = t_linear, dynamo;
SET client_min_messages = warning;

-- entities: dynamo.entity_problem is called once for each item that is read
SET track_functions = 'all';
CREATE VIEW items_read AS SELECT COALESCE(sum(calls), 0) AS n FROM pg_stat_user_functions WHERE funcid = 'dynamo.entity_problem'::regproc;
CREATE PROCEDURE in_batches(call text, OUT calls bigint, OUT changed bigint) LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	calls := 0;
	changed := 0;
	LOOP
		EXECUTE call INTO n;
		COMMIT;
		calls := calls + 1;
		changed := changed + n;
		EXIT WHEN n = 0;
	END LOOP;
	PERFORM pg_stat_force_next_flush();
END $$;
SELECT create_table('plain', 'PK', indexes => '[{"index_name": "by_name", "partition_key": "name_key"}]');
SELECT create_table('parted', 'PK', indexes => '[{"index_name": "by_name", "partition_key": "name_key"}]', partitions => 4);
INSERT INTO plain (item) SELECT build_item('PK', 'P#' || i, 'name', 'N' || i) FROM generate_series(1, 4000) i;
INSERT INTO parted ("PK", item) SELECT "PK", item FROM plain;
SELECT create_entity(t, 'person', '{"PK": "P#{id}", "name_key": "N#{name}"}') FROM (VALUES ('plain'), ('parted')) v(t);
SELECT pg_stat_force_next_flush();
SELECT n AS before FROM items_read \gset
CALL in_batches('SELECT dynamo.apply_entity(''plain'', max_items => 50)', NULL, NULL);
SELECT (n - :before) / 4000 BETWEEN 1 AND 10 AS linear FROM items_read;
SELECT n AS before FROM items_read \gset
CALL in_batches('SELECT dynamo.apply_entity(''parted'', max_items => 50)', NULL, NULL);
SELECT (n - :before) / 4000 BETWEEN 1 AND 10 AS linear FROM items_read;
SELECT count(*) FROM plain WHERE name_key = 'N#N' || substr("PK", 3);
SELECT count(*) FROM parted WHERE name_key = 'N#N' || substr("PK", 3);
-- what becomes wrong in front of where the last call stopped is found, too
CREATE PROCEDURE spoil(number text) LANGUAGE sql BEGIN ATOMIC
	SELECT set_config('session_replication_role', 'replica', false);
	UPDATE plain SET item = item || build_item('name_key', 'wrong'), name_key = 'wrong' WHERE "PK" LIKE 'P#' || $1;
	SELECT set_config('session_replication_role', 'origin', false);
END;
CALL spoil('%');
SELECT apply_entity('plain', max_items => 3990);
CALL spoil('_');
CALL in_batches('SELECT dynamo.apply_entity(''plain'', max_items => 7)', NULL, NULL);
SELECT count(*) FROM check_entity('plain');
RESET track_functions;

-- copies: buffers
SELECT create_table('shop', 'PK', 'SK');
SELECT create_entity('shop', 'author', '{"PK": "A#{author}", "SK": "AUTHOR"}', type_attribute => 'kind');
SELECT create_entity('shop', 'book', '{"PK": "A#{author}", "SK": "B#{book:06}"}', type_attribute => 'kind');
INSERT INTO shop (item) SELECT build_item('kind', 'author', 'author', a::text, 'name', 'N') FROM generate_series(1, 20) a;
INSERT INTO shop (item) SELECT build_item('kind', 'book', 'author', (b % 20 + 1)::text, 'book', b) FROM generate_series(1, 4000) b;
SELECT create_copy('shop', 'author_name', 'author', 'book', '{"author_name": "name"}', fill => false);
SELECT dynamo_internal.buffers_used() AS before \gset
CALL in_batches('SELECT dynamo.repair_copies(''shop'', max_items => 100)', NULL, NULL);
SELECT dynamo_internal.buffers_used() - :before AS in_batches \gset
SELECT count(*) FROM check_copies('shop');
SELECT drop_copy('shop', 'author_name');
UPDATE shop SET item = item - 'author_name' WHERE item ? 'author_name';
SELECT create_copy('shop', 'author_name', 'author', 'book', '{"author_name": "name"}', fill => false);
SELECT dynamo_internal.buffers_used() AS before \gset
SELECT repair_copies('shop', max_items => NULL);
SELECT dynamo_internal.buffers_used() - :before AS at_once \gset
SELECT :in_batches < 3 * :at_once AS linear;
-- the same of a copy
SELECT drop_copy('shop', 'author_name');
UPDATE shop SET item = item - 'author_name' WHERE item ? 'author_name';
SELECT create_copy('shop', 'author_name', 'author', 'book', '{"author_name": "name"}', fill => false);
SELECT repair_copies('shop', 'author_name', 3990);
SET session_replication_role = replica;
UPDATE shop SET item = item || build_item('author_name', 'wrong') WHERE "SK" < 'B#000010' AND "PK" < 'A#3';
RESET session_replication_role;
CALL in_batches('SELECT dynamo.repair_copies(''shop'', max_items => 7)', NULL, NULL);
SELECT count(*) FROM check_copies('shop');
DROP SCHEMA t_linear CASCADE;
