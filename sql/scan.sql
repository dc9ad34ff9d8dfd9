-- dynamo.scan: all items, filters, segments, pages
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_scan CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_scan;
SET search_path = t_scan, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('things', 'PK', 'SK', sort_key_type => 'N');
INSERT INTO things (item)
SELECT format('{"PK": {"S": "p%s"}, "SK": {"N": "%s"}, "n": {"N": "%s"}}', n / 10, n % 10, n)::dynamo.item
FROM generate_series(0, 999) n;

SELECT count(*), count(DISTINCT i) FROM dynamo.scan('things') i;
SELECT (SELECT array_agg(i ->> 'n' ORDER BY i ->> 'n') FROM dynamo.scan('things') i)
	= (SELECT array_agg(item ->> 'n' ORDER BY item ->> 'n') FROM things) AS same;
SELECT dynamo.scan('things', max_items => 2);
-- any attribute can be filtered on, including keys
SELECT dynamo.scan('things', 'PK = :p AND SK > :s', '{":p": {"S": "p5"}, ":s": {"N": "7"}}');
SELECT dynamo.scan('things', '#n BETWEEN :a AND :b', '{":a": {"N": "17"}, ":b": {"N": "19"}}',
	'{"#n": "n"}', projection_expression => '#n', max_items => 2);
SELECT count(*) FROM dynamo.scan('things', 'attribute_exists(nothing)');

-- start keys and pages
SELECT dynamo.scan('things', exclusive_start_key => '{"PK": {"S": "p5"}, "SK": {"N": "8"}}', max_items => 2);
SELECT dynamo.scan('things', exclusive_start_key => '{"PK": {"S": "p5x"}, "SK": {"N": "8"}}', max_items => 1);
SELECT count(*) FROM dynamo.scan('things', exclusive_start_key => '{"PK": {"S": "p99"}, "SK": {"N": "9"}}');
WITH RECURSIVE pages AS (
	SELECT 1 AS n, p.* FROM dynamo.scan_page('things', page_size => 300) p
	UNION ALL
	SELECT n + 1, p.* FROM pages,
		dynamo.scan_page('things', page_size => 300, exclusive_start_key => pages.last_evaluated_key) p
	WHERE pages.last_evaluated_key IS NOT NULL)
SELECT n, count, scanned_count, cardinality(items), last_evaluated_key FROM pages ORDER BY n;
SELECT items, count, scanned_count, last_evaluated_key
FROM dynamo.scan_page('things', 'SK = :s', '{":s": {"N": "3"}}', select_attributes => 'COUNT');

-- segments: each item is in exactly one
SELECT total, count(*), count(DISTINCT i), count(DISTINCT segment) AS segments_used
FROM unnest(ARRAY[1, 2, 3, 7, 16]) total, generate_series(0, total - 1) segment,
	LATERAL dynamo.scan('things', segment => segment, total_segments => total) i
GROUP BY total ORDER BY total;
-- a partition is in one segment, and twice as many segments divide it further
SELECT count(*) FROM (
	SELECT i ->> 'PK' FROM generate_series(0, 6) segment,
		LATERAL dynamo.scan('things', segment => segment, total_segments => 7) i
	GROUP BY 1 HAVING count(DISTINCT segment) > 1) split;
SELECT (SELECT array_agg(i ORDER BY i) FROM dynamo.scan('things', segment => 1, total_segments => 4) i)
	= (SELECT array_agg(i ORDER BY i) FROM generate_series(2, 3) s,
		LATERAL dynamo.scan('things', segment => s, total_segments => 8) i) AS same;
-- the segments are the same on every server
SELECT string_agg(DISTINCT i ->> 'PK', ' ' ORDER BY i ->> 'PK')
FROM dynamo.scan('things', segment => 3, total_segments => 16) i;
SELECT format('{"PK": {"S": "%s"}, "SK": {"N": "%s"}}', i ->> 'PK', i ->> 'SK') AS first
FROM dynamo.scan('things', segment => 3, total_segments => 16, max_items => 1) i \gset
SELECT count(*) FROM dynamo.scan('things', segment => 3, total_segments => 16,
	exclusive_start_key => :'first');
SELECT dynamo.scan('things', segment => 4, total_segments => 16,
	exclusive_start_key => :'first');

-- errors
SELECT dynamo.scan('things', segment => 1);
SELECT dynamo.scan('things', total_segments => 1);
SELECT dynamo.scan('things', segment => 5, total_segments => 5);
SELECT dynamo.scan('things', segment => -1, total_segments => 5);
SELECT dynamo.scan('things', segment => 1, total_segments => 1000001);
SELECT dynamo.scan('things', exclusive_start_key => '{"PK": {"S": "p5"}}');
SELECT dynamo.scan('things', exclusive_start_key => '{"PK": {"S": "p5"}, "SK": {"S": "8"}}');
SELECT dynamo.scan('things', expression_attribute_values => '{":a": {"S": "x"}}');
SELECT dynamo.scan('things', expression_attribute_names => '{"#a": "x"}');
SELECT dynamo.scan('things', 'PK.a = :a', '{":a": {"S": "x"}}');
SELECT dynamo.scan('missing');
SELECT dynamo.scan_page('things', select_attributes => 'ALL_PROJECTED_ATTRIBUTES');

SET client_min_messages = warning;
DROP SCHEMA t_scan CASCADE;
