-- row estimates of dynamo.query and dynamo.scan
CREATE SCHEMA t_read_support;
SET search_path = t_read_support, dynamo;

SELECT create_table('shop', 'PK', 'SK',
	indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_table('single', 'id');
-- 50 partitions of 80 items; every tenth item is in the index, in 4 partitions
INSERT INTO shop (item) SELECT build_item('PK', 'C#' || i % 50, 'SK', 'O#' || i) ||
	CASE WHEN i % 10 = 0 THEN build_item('GSI1PK', 'G#' || i / 10 % 4, 'GSI1SK', i::text) ELSE build_item() END
FROM generate_series(1, 4000) i;
INSERT INTO single (item) SELECT build_item('id', i::text) FROM generate_series(1, 100) i;
ANALYZE shop, single;

CREATE FUNCTION plan_rows(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO plan;
	RETURN round((plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric);
END $$;
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE sql AS $$
	SELECT plan_rows('SELECT FROM ' || query)
$$;

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

-- a large partition among small ones with a known key; it contains half of the items
SELECT create_table('skewed', 'PK', 'SK', indexes => '[{"index_name": "multi", "partition_key": ["a", "b"], "partition_key_type": ["S", "N"]}]');
INSERT INTO skewed (item) SELECT build_item('PK', CASE WHEN i % 2 = 0 THEN 'big' ELSE 'small' || i % 500 END, 'SK', i::text,
	'a', CASE WHEN i % 4 = 0 THEN 'x' ELSE i::text END, 'b', i % 2)
FROM generate_series(1, 4000) i;
ANALYZE skewed;
SELECT call, estimate(call) FROM (VALUES
	($$query('skewed', 'PK = :p', '{":p": {"S": "big"}}')$$),
	($$query('skewed', ':p = #k AND begins_with(SK, :s)', '{":p": {"S": "big"}, ":s": {"S": "1"}}', '{"#k": "PK"}')$$),
	($$query('skewed', 'PK = :p', jsonb_build_object(':p', 'bi' || 'g'))$$),
	($$query('skewed', 'PK = :p', jsonb_build_object(':p', 'small1'))$$),
	($$query('skewed', 'a = :a AND b = :b', '{":a": {"S": "x"}, ":b": {"N": "0"}}', index_name => 'multi')$$),
	-- the average one when it is not known, or cannot be
	($$(VALUES ('big'), ('small1')) AS v (k), query('skewed', 'PK = :p', jsonb_build_object(':p', k))$$),
	($$query('skewed', 'PK = :p', '{":p": {"N": "1"}}')$$),
	($$query('skewed', 'PK = :p', '{":p": {"S": "\u0000"}}')$$),
	($$query('skewed', 'PK = :q', '{":p": {"S": "big"}}')$$),
	($$query('skewed', '#k = :p', '{":p": {"S": "big"}}', '{"#k": 1}')$$),
	($$query('skewed', '#k = :p', '{":p": {"S": "big"}}', '["#k"]')$$),
	($$query('skewed', '= = PK PK = = :p; PK = :p', '{":p": {"S": "big"}}')$$)) v(call);
PREPARE known(text) AS SELECT FROM query('skewed', 'PK = :p', jsonb_build_object(':p', $1));
SET plan_cache_mode = force_custom_plan;
SELECT plan_rows($$EXECUTE known('big')$$);
SET plan_cache_mode = force_generic_plan;
SELECT plan_rows($$EXECUTE known('big')$$);
RESET plan_cache_mode;

-- a partitioned table, before and after ANALYZE of the whole table
SELECT definition - 'id' AS definition FROM tables WHERE relation = 'shop'::regclass \gset
CREATE TABLE parts ("PK" text COLLATE "C", "SK" text COLLATE "C", "GSI1PK" text COLLATE "C", "GSI1SK" text COLLATE "C",
	item item NOT NULL, PRIMARY KEY ("PK", "SK")) PARTITION BY HASH ("PK");
CREATE TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT format('CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
	(:'definition'::jsonb || '{"indexes": []}')::text) \gexec
INSERT INTO parts ("PK", "SK", item) SELECT "PK", "SK", item FROM skewed;
SELECT estimate($$query('parts', 'PK = :p', '{":p": {"S": "big"}}')$$) AS query, estimate($$scan('parts')$$) AS scan;
ANALYZE parts;
SELECT estimate($$query('parts', 'PK = :p', '{":p": {"S": "big"}}')$$) AS query, estimate($$scan('parts')$$) AS scan;

-- a join is planned with these estimates
CREATE TABLE ids (id text PRIMARY KEY);
INSERT INTO ids SELECT 'O#' || i FROM generate_series(1, 20000) i;
ANALYZE ids;
EXPLAIN (COSTS OFF) SELECT * FROM query('shop', 'PK = :p', '{":p": {"S": "C#1"}}') q JOIN ids ON id = q ->> 'SK';
EXPLAIN (COSTS OFF) SELECT * FROM scan('shop') q JOIN ids ON id = q ->> 'SK';

-- default arguments at the end of a call are not printed, others are
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

-- statistics are used only for users who may read the table
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
