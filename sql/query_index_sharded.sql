-- Sharded indexes: one ordered stream, or one shard if it is known
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_sharded CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_sharded;
SET search_path = t_sharded, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('orders', 'PK', 'SK');
SELECT dynamo.create_index('orders', 'status', 'status', 'date');
SELECT dynamo.create_index('orders', 'spread', 'status', 'date', shards => 16);
SELECT dynamo.create_index('orders', 'byCustomer', 'status', 'date', shards => 8, shard_by => 'PK');
SELECT dynamo.create_index('orders', 'byDate', 'status', 'date', shards => 4, shard_by => 'date');
INSERT INTO orders (item)
SELECT format('{"PK": {"S": "c%s"}, "SK": {"S": "o%s"}, "status": {"S": "%s"}, "date": {"S": "%s"}}', n % 50, n,
	(ARRAY['OPEN', 'OPEN', 'DONE'])[n % 3 + 1], to_char(date '2024-01-01' + n * 7 % 300, 'YYYY-MM-DD'))::dynamo.item
FROM generate_series(1, 3000) n;
VACUUM ANALYZE orders;

-- the order is that of an index without shards, in both directions and for every range
CREATE FUNCTION read(index text, condition text, vals dynamo.item, forward boolean) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(i ->> 'SK' ORDER BY n)
	FROM dynamo.query('orders', '#s = :s' || condition, vals, '{"#s": "status", "#d": "date"}', index_name => index, scan_index_forward => forward)
		WITH ORDINALITY q (i, n)
$$;
SELECT index, forward, cardinality(read(index, condition, vals::dynamo.item, forward)),
	read(index, condition, vals::dynamo.item, forward) = read('status', condition, vals::dynamo.item, forward) AS same
FROM unnest(ARRAY['spread', 'byCustomer', 'byDate']) index, unnest(ARRAY[true, false]) forward,
	(VALUES (' AND #d > :d', '{":s": {"S": "OPEN"}, ":d": {"S": "2024-01-20"}}'),
		(' AND #d BETWEEN :d AND :e', '{":s": {"S": "DONE"}, ":d": {"S": "2024-01-20"}, ":e": {"S": "2024-02-20"}}'),
		(' AND begins_with(#d, :d)', '{":s": {"S": "OPEN"}, ":d": {"S": "2024-03"}}')) c (condition, vals)
ORDER BY index, forward, 3;

-- continued after any page
CREATE FUNCTION paged(index text, size int, forward boolean) RETURNS text[] LANGUAGE sql AS $$
	WITH RECURSIVE pages AS (
		SELECT 1 AS n, p.* FROM dynamo.query_page('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}',
			index_name => index, page_size => size, scan_index_forward => forward) p
		UNION ALL
		SELECT n + 1, p.* FROM pages, dynamo.query_page('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}',
			index_name => index, page_size => size, scan_index_forward => forward, exclusive_start_key => pages.last_evaluated_key) p
		WHERE pages.last_evaluated_key IS NOT NULL)
	SELECT array_agg(i ->> 'SK' ORDER BY n, o) FROM pages, unnest(items) WITH ORDINALITY u (i, o)
$$;
SELECT forward, cardinality(paged('spread', 300, forward)),
	paged('spread', 300, forward) = paged('status', 300, forward) AS same,
	paged('byCustomer', 77, forward) = paged('status', 1000, forward) AS by_customer
FROM unnest(ARRAY[true, false]) forward;
SELECT last_evaluated_key FROM dynamo.query_page('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', page_size => 10);

-- scans and segments
SELECT (SELECT array_agg(i ->> 'SK' ORDER BY n) FROM dynamo.scan('orders', index_name => 'spread') WITH ORDINALITY q (i, n))
	= (SELECT array_agg(i ->> 'SK' ORDER BY n) FROM dynamo.scan('orders', index_name => 'status') WITH ORDINALITY q (i, n)) AS same;
SELECT count(*) FROM generate_series(0, 2) s, LATERAL dynamo.scan('orders', index_name => 'spread', segment => s, total_segments => 3);
-- shard by shard: every entry is in one of them, and all shards are used
SELECT sum(c), min(c) > 0 AS all_used FROM (SELECT count(i) AS c FROM generate_series(0, 15) s,
	LATERAL dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', shard => s) i GROUP BY s) x;

-- the shard is known from a value, or from the condition
SET dynamo.direct_access = on;
SELECT dynamo.explain_query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread');
SELECT dynamo.explain_query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', shard => 3);
SELECT dynamo.explain_query('orders', '#s = :s', '{":s": {"S": "OPEN"}, ":c": {"S": "c7"}}', '{"#s": "status"}', index_name => 'byCustomer',
	shard_value => '{"S": "c7"}', filter_expression => 'PK = :c');
SELECT dynamo.explain_query('orders', '#s = :s AND #d = :d', '{":s": {"S": "OPEN"}, ":d": {"S": "2024-03-01"}}', '{"#s": "status", "#d": "date"}', index_name => 'byDate');
SELECT (SELECT count(*) FROM dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}, ":c": {"S": "c7"}}', '{"#s": "status"}', index_name => 'byCustomer',
		shard_value => '{"S": "c7"}', filter_expression => 'PK = :c')),
	(SELECT count(*) FROM orders WHERE "PK" = 'c7' AND item ->> 'status' = 'OPEN');
SELECT read('byDate', ' AND #d = :d', '{":s": {"S": "OPEN"}, ":d": {"S": "2024-03-01"}}', true)
	= read('status', ' AND #d = :d', '{":s": {"S": "OPEN"}, ":d": {"S": "2024-03-01"}}', true) AS same;

-- only the entries for the merge are read: one in advance in each of 16 shards
CREATE FUNCTION entries_read() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(pg_stat_get_xact_tuples_fetched(indexrelid)) FROM pg_inherits JOIN pg_index ON indrelid = inhrelid
	WHERE inhparent = '"orders$spread"'::regclass
$$;
BEGIN;
SELECT entries_read() AS before \gset
SELECT count(*) FROM (SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread') LIMIT 10) q;
SELECT entries_read() - :before AS entries_read;
COMMIT;
BEGIN;
SELECT entries_read() AS before \gset
SELECT count(*) FROM (SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', shard => 5) LIMIT 10) q;
SELECT entries_read() - :before AS entries_read;
COMMIT;

-- errors
SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', shard => 16);
SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', shard => -1);
SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'spread', shard_value => '{"S": "c7"}');
SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'byCustomer', shard => 1, shard_value => '{"S": "c7"}');
SELECT dynamo.query('orders', '#s = :s', '{":s": {"S": "OPEN"}}', '{"#s": "status"}', index_name => 'status', shard => 0);

SET client_min_messages = warning;
DROP SCHEMA t_sharded CASCADE;
