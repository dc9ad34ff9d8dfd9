-- row estimates of dynamo.query and dynamo.scan
CREATE SCHEMA t_read_support;
SET search_path = t_read_support, dynamo;

SELECT create_table('shop', 'PK', 'SK',
	indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_table('single', 'id');
-- 50 partitions of 80 items, of which every tenth is in the index, in 4 partitions
INSERT INTO shop (item) SELECT build_item('PK', 'C#' || i % 50, 'SK', 'O#' || i) ||
	CASE WHEN i % 10 = 0 THEN build_item('GSI1PK', 'G#' || i / 10 % 4, 'GSI1SK', i::text) ELSE build_item() END
FROM generate_series(1, 4000) i;
INSERT INTO single (item) SELECT build_item('id', i::text) FROM generate_series(1, 100) i;
ANALYZE shop, single;

CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT FROM ' || query INTO plan;
	RETURN round((plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric);
END $$;

SELECT call, estimate(call) FROM (VALUES
	($$query('shop', 'PK = :p', '{":p": {"S": "C#1"}}')$$),
	($$query('shop', 'PK = :p AND begins_with(SK, :s)', '{":p": {"S": "C#1"}, ":s": {"S": "O"}}')$$),
	($$query('shop', 'PK = :p AND SK = :s', '{":p": {"S": "C#1"}, ":s": {"S": "O"}}')$$),
	($$query('shop', 'PK = :p', '{":p": {"S": "C#1"}}', max_items => 5)$$),
	($$query('shop', 'PK = :p', '{":p": {"S": "C#1"}}', filter_expression => 'a = :p')$$),
	($$query('shop', 'GSI1PK = :p', '{":p": {"S": "G#1"}}', index_name => 'GSI1')$$),
	($$query('single', 'id = :p', '{":p": {"S": "1"}}')$$),
	($$scan('shop')$$),
	($$scan('shop', index_name => 'GSI1')$$),
	($$scan('shop', segment => 0, total_segments => 4)$$),
	($$scan('shop', max_items => 7)$$),
	-- nothing is known, or nothing may be: the functions' own numbers
	($$query('none', 'PK = :p')$$),
	($$query('shop', 'nonsense(', index_name => 'none')$$),
	($$scan(current_setting('application_name'))$$),
	($$scan('pg_class')$$)) v(call);

-- a join is planned by them
CREATE TABLE ids (id text PRIMARY KEY);
INSERT INTO ids SELECT 'O#' || i FROM generate_series(1, 20000) i;
ANALYZE ids;
EXPLAIN (COSTS OFF) SELECT * FROM query('shop', 'PK = :p', '{":p": {"S": "C#1"}}') q JOIN ids ON id = q ->> 'SK';
EXPLAIN (COSTS OFF) SELECT * FROM scan('shop') q JOIN ids ON id = q ->> 'SK';

-- arguments at their defaults are left out at the end of a call, others stay
CREATE FUNCTION planned(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT json) SELECT ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' -> 'Output' ->> 0;
END $$;
SELECT planned(call) FROM (VALUES
	($$query('shop', 'PK = :p', '{":p": {"S": "C#1"}}')$$),
	($$query('shop', 'PK = :p', '{":p": {"S": "C#1"}}', scan_index_forward => false)$$),
	($$query('shop', 'PK = :p', '{":p": {"S": "C#1"}}', max_items => 3, filter_expression => NULL)$$),
	($$query('shop', NULL, shard => 1)$$),
	($$scan('shop')$$),
	($$scan(NULL)$$),
	($$scan('shop', total_segments => 1, segment => 0)$$)) v(call);
-- planned twice: in a subquery that is pulled up
SELECT count(*) FROM (SELECT query('shop', 'PK = :p', '{":p": {"S": "C#1"}}', max_items => 3) AS item) q, LATERAL (SELECT 1 WHERE item IS NOT NULL) r;

-- statistics are for those who may read the table
CREATE ROLE read_support_user;
GRANT USAGE ON SCHEMA t_read_support TO read_support_user;
SET ROLE read_support_user;
SELECT estimate($$scan('shop')$$);
RESET ROLE;
GRANT SELECT ON shop TO read_support_user;
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
SET ROLE read_support_user;
SELECT estimate($$scan('shop')$$);
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA t_read_support CASCADE;
DROP ROLE read_support_user;
