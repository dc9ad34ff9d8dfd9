-- The access patterns of the five systems: declared, run, one range of one index each
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS dynamo_examples CASCADE;
CREATE SCHEMA t_system_patterns;
SET search_path = t_system_patterns;
\set ECHO none
\o /dev/null
\i test/agree.sql
\i examples/shop_hierarchy.sql
\i examples/shop_patterns.sql
\i examples/schools.sql
\i examples/one_to_many.sql
\i examples/hr_order_entry.sql
\o
\set ECHO all
\i examples/access_patterns.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_system_patterns, dynamo;

-- declared again, as a second run of the demo does
\set ECHO none
\o /dev/null
\i examples/access_patterns.sql
\o
\set ECHO all
SELECT count(*) FROM access_patterns WHERE starts_with(table_name, 'dynamo_examples.');

-- only the one that needs a filter in DynamoDB, too, has one
SELECT pattern, filter_expression FROM access_patterns WHERE starts_with(table_name, 'dynamo_examples.') AND filter_expression IS NOT NULL;
SELECT t.table_name, count(*) AS patterns, min(c.runs) > 0 AS all_ran, bool_and(c.items_read = c.items_returned) AS without_discarding
FROM dynamo.tables t, check_access_patterns(t.table_name, strict => true) c
WHERE t.schema_name = 'dynamo_examples' GROUP BY 1 ORDER BY 1;

-- what PostgreSQL plans: a range of one index in its order, or one read by dynamo.query
CREATE FUNCTION plan_of_pattern(pattern regproc) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	parameters text := (SELECT string_agg('$' || n, ', ' ORDER BY n) FROM pg_proc p, generate_series(1, p.pronargs) n WHERE p.oid = pattern);
	line text;
	plan text;
BEGIN
	EXECUTE format('PREPARE pattern AS SELECT * FROM %s(%s)', pattern, parameters);
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) EXECUTE pattern(%s)', regexp_replace(parameters, '\$\d+', 'NULL', 'g'))
	LOOP
		plan := concat_ws(', ', nullif(plan, ''),
			substring(line FROM '(Index Scan(?: Backward)? using \S+|Seq Scan|Bitmap \w+ Scan|Sort|ProjectSet|Function Scan|Append)'));
	END LOOP;
	DEALLOCATE pattern;
	RETURN plan;
END $$;
INSERT INTO pupil_rows (school_id, pupil_id, name) SELECT s, p, 'pupil' FROM generate_series(11, 60) s, generate_series(200, 240) p;
INSERT INTO course_rows (school_id, course_id, title) SELECT s, c, 'course' FROM generate_series(11, 60) s, generate_series(1, 10) c;
ANALYZE schools;
SET plan_cache_mode = force_generic_plan;
SELECT table_name, pattern, index_name, returns, plan_of_pattern(pattern) AS plan
FROM access_patterns WHERE starts_with(table_name, 'dynamo_examples.') ORDER BY table_name, pattern::text;
RESET plan_cache_mode;

-- they go with their tables
SELECT drop_table(table_name) FROM dynamo.tables WHERE schema_name = 'dynamo_examples';
SELECT count(*) FROM access_patterns WHERE starts_with(table_name, 'dynamo_examples.');
DROP SCHEMA t_system_patterns, dynamo_examples CASCADE;
