-- agree.sql: what the tests of the reference systems share.

-- Tables of a few rows: the planner would rather read them whole and sort.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;

-- Both queries return one column; the same rows in the same order?
CREATE FUNCTION agree(by_function text, by_sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a text[];
	b text[];
BEGIN
	EXECUTE 'SELECT array_agg(r::text) FROM (' || by_function || ') AS s (r)' INTO a;
	EXECUTE 'SELECT array_agg(r::text) FROM (' || by_sql || ') AS s (r)' INTO b;
	RETURN CASE WHEN a IS NOT DISTINCT FROM b THEN coalesce(cardinality(a), 0) || ' items'
		ELSE 'DIFFERENT' || chr(10) || coalesce(a::text, '') || chr(10) || coalesce(b::text, '') END;
END $$;

-- How many items a query returns and how many entries of an index PostgreSQL
-- counted for it.
CREATE FUNCTION reads(query text, VARIADIC indexes regclass[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	items bigint;
	entries bigint;
BEGIN
	SELECT sum(pg_stat_get_xact_tuples_returned(i)) INTO entries FROM unnest(indexes) i;
	EXECUTE 'SELECT count(item) FROM (' || query || ') AS s (item)' INTO items;
	SELECT sum(pg_stat_get_xact_tuples_returned(i)) - entries INTO entries FROM unnest(indexes) i;
	RETURN items || ' items, ' || entries || ' entries read';
END $$;

-- What dynamo.explain_query says is read, on one line and without the path.
CREATE FUNCTION plan_of(explanation text) RETURNS text LANGUAGE sql AS $$
SELECT replace(replace(substring(explanation FROM 'reads: (.*)'), ', by SQL statements', ''), E'\n', '; ')
$$;

-- The same of a table's primary key, indexes, index tables and shards by
-- themselves, so that nothing read can be missed: entries read and rows fetched of
-- each one read, and rows that were scanned without an index.  A merge of shards
-- has one row of each at hand: of these at most so many more than are returned.
CREATE FUNCTION counters(tab text)
RETURNS TABLE (kind text, part text, shards bigint, read bigint, fetched bigint) LANGUAGE sql VOLATILE AS $$
WITH index_table AS (
	SELECT relation_name AS name, quote_ident(relation_name)::regclass AS rel FROM dynamo.indexes
	WHERE schema_name = current_schema AND table_name = tab AND storage = 'table'),
heap AS (
	SELECT quote_ident(tab)::regclass AS rel, NULL AS name, 0 AS shard
	UNION ALL SELECT rel, name, 0 FROM index_table
	UNION ALL SELECT inhrelid, name, 1 FROM index_table JOIN pg_inherits ON inhparent = rel)
SELECT 'whole', coalesce(name, tab), sum(shard), sum(pg_stat_get_xact_tuples_returned(rel)), 0
FROM heap GROUP BY 2
UNION ALL
SELECT 'index', coalesce(name, relname), sum(shard), sum(pg_stat_get_xact_tuples_returned(indexrelid)),
	sum(pg_stat_get_xact_tuples_fetched(indexrelid))
FROM heap JOIN pg_index ON indrelid = rel JOIN pg_class c ON c.oid = indexrelid GROUP BY 2
$$;

CREATE FUNCTION counted(query text, tab text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	items bigint;
	before jsonb;
	result text;
BEGIN
	SELECT jsonb_agg(c) INTO before FROM counters(tab) c;
	EXECUTE 'SELECT count(item) FROM (' || query || ') AS s (item)' INTO items;
	SELECT string_agg(part || CASE
		WHEN kind = 'whole' THEN ': ' || read || ' rows without an index'
		WHEN shards > 0 AND fetched = read AND read BETWEEN items AND items + shards
			THEN ': at most one more a shard'
		ELSE ': ' || read || ' entries, ' || fetched || ' rows' END, '; ' ORDER BY kind, part)
	INTO result
	FROM (SELECT kind, part, a.shards, a.read - b.read AS read, a.fetched - b.fetched AS fetched
		  FROM counters(tab) a
		  JOIN jsonb_to_recordset(before) b (kind text, part text, shards bigint, read bigint, fetched bigint)
		  USING (kind, part)) d
	WHERE read > 0 OR fetched > 0;
	RETURN items || ' items; ' || coalesce(result, 'nothing read');
END $$;

-- A query in short.
CREATE FUNCTION query_of(tab text, condition text, vals jsonb, idx text DEFAULT NULL, forward boolean DEFAULT true, max_items int DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT * FROM dynamo.query(%L, %L, %L::jsonb, index_name => %L, scan_index_forward => %L, max_items => %s)',
	tab, condition, vals, idx, forward, coalesce(max_items::text, 'NULL'))
$$;
