-- filters on items in parallel workers: plans, and the same results as without workers
SELECT set_config('search_path', 'public, dynamo', false) \g /dev/null
SELECT create_table('par', 'PK', sort_key => 'SK') \g /dev/null
SELECT create_entity('par', 'order', '{"PK": "C#{c}", "SK": "O#{n:06}"}',
	'{"c": "text", "n": "int", "total": "numeric", "note": "text", "day": "date", "vip": "boolean"}',
	type_attribute => 'kind', view_name => 'par_v') \g /dev/null
INSERT INTO par_v (c, n, total, note, day, vip)
SELECT 'c' || i % 300, i, i % 97, 'n' || i, date '2026-01-01' + i % 50, i % 2 = 0 FROM generate_series(1, 5000) i;
INSERT INTO par (item) SELECT build_item('PK', 'other', 'SK', i::text, 'note', i) FROM generate_series(1, 100) i;
ANALYZE par;
SELECT create_entity_view('par_null', 'par', '{"total": "numeric"}', entity_name => 'order', invalid_values => 'null') \g /dev/null
CREATE DOMAIN par_amount AS numeric CHECK (VALUE >= 0);
SELECT create_entity_view('par_domain', 'par', '{"total": "par_amount"}', entity_name => 'order') \g /dev/null
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_indexscan = off;
SET enable_bitmapscan = off;

-- how many workers take part, and whether the results are those of one process
CREATE FUNCTION par_both(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	workers text;
	line text;
	different boolean;
	alone jsonb;
BEGIN
	SET LOCAL max_parallel_workers_per_gather = 2;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		workers := COALESCE(workers, substring(line FROM 'Workers Planned: \d'));
	END LOOP;
	EXECUTE format('CREATE TEMP TABLE par_found AS SELECT jsonb_agg(q ORDER BY q::text) AS rows FROM (%s) q', query);
	SET LOCAL max_parallel_workers_per_gather = 0;
	EXECUTE format('SELECT jsonb_agg(q ORDER BY q::text) FROM (%s) q', query) INTO alone;
	SELECT rows IS DISTINCT FROM alone INTO different FROM par_found;
	DROP TABLE par_found;
	RETURN CASE WHEN different THEN 'DIFFERENT: ' ELSE '' END ||
		COALESCE(workers, 'no workers') || ', ' || COALESCE(jsonb_array_length(alone), 0) || ' rows';
END $$;
SELECT query, par_both(query) FROM (VALUES
	(1, 'SELECT item FROM par WHERE item ->> ''note'' = ''n5'''),
	(2, 'SELECT item FROM par WHERE (item -> ''total'')::numeric > 90'),
	(3, 'SELECT item FROM par WHERE item @> ''{"vip": {"BOOL": true}, "total": {"N": "7"}}'''),
	(4, 'SELECT count(*) FROM par WHERE item ? ''total'''),
	(5, 'SELECT item FROM par WHERE matches(item, ''#t > :t AND begins_with(note, :n)'', ''{":t": {"N": "50"}, ":n": {"S": "n12"}}'', ''{"#t": "total"}'')'),
	(6, 'SELECT item FROM par WHERE begins_with("SK", ''O#0001'')'),
	(7, 'SELECT * FROM par_v WHERE total > 90 AND vip'),
	(8, 'SELECT day, count(*), sum(total), max(note) FROM par_v GROUP BY day'),
	(9, 'SELECT sum(item_size(item)) FROM par'),
	(10, 'SELECT p.day, count(*) FROM par_v p JOIN par_v q ON q.c = p.c AND q.n = p.n + 300 GROUP BY p.day'),
	(11, 'SELECT kind, count(*) FROM (SELECT item ->> ''kind'' AS kind FROM par) s GROUP BY kind'),
	(12, 'SELECT sum(total) FROM par_domain WHERE "SK" < ''O#000100'''),
	(13, 'SELECT sum(total) FROM par_null'),
	(14, 'SELECT count(*) FROM scan(''par'', ''#t > :t'', ''{":t": {"N": "50"}}'', ''{"#t": "total"}'')')) q(i, query) ORDER BY i;
EXPLAIN (COSTS OFF) SELECT count(*), sum(total) FROM par_v WHERE vip;

-- functions that read or write rows, or run what a type's owner wrote, are not executed in workers
SELECT p.proname, p.proparallel, count(*) FROM pg_proc p
WHERE p.proname IN ('scan', 'query', 'get_item', 'put_item', 'is_entity', 'matches', 'typed_attribute', 'typed_attribute_or_null', 'typed_attribute_restricted')
	AND p.pronamespace IN ('dynamo'::regnamespace, 'dynamo_system'::regnamespace)
GROUP BY p.proname, p.proparallel ORDER BY p.proname COLLATE "C";

DROP FUNCTION par_both;
DROP VIEW par_domain, par_null;
DROP DOMAIN par_amount;
SELECT drop_table('par') \g /dev/null
