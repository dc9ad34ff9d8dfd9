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
