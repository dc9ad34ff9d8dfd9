-- Start keys, limits and pages of a query
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_paging CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_paging;
SET search_path = t_paging, dynamo;

SELECT dynamo.create_table('list', 'PK', 'SK', sort_key_type => 'N');
INSERT INTO list (item)
SELECT format('{"PK": {"S": "%s"}, "SK": {"N": "%s"}, "even": {"BOOL": %s}}', pk, n, to_json(n % 2 = 0))::dynamo.item
FROM generate_series(1, 10) n, unnest(ARRAY['a', 'b', 'c']) pk;

-- max_items counts the items returned
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 2);
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 2, scan_index_forward => false);
SELECT count(*) FROM dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 100);
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}, ":t": {"BOOL": true}}', max_items => 2,
	filter_expression => 'even = :t');

-- after a key, in both directions; the item with the key may be deleted
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 2,
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "4"}}');
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 2,
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "4.0"}}', scan_index_forward => false);
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 1,
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "4.5"}}');
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}', max_items => 1,
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "4.5"}}', scan_index_forward => false);
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}',
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "10"}}');
SELECT dynamo.query('list', 'PK = :p', '{":p": {"S": "b"}}',
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "1"}}', scan_index_forward => false);
-- together with a sort key condition
SELECT count(*), min((i ->> 'SK')::numeric), max((i ->> 'SK')::numeric)
FROM dynamo.query('list', 'PK = :p AND SK BETWEEN :a AND :b',
	'{":p": {"S": "b"}, ":a": {"N": "3"}, ":b": {"N": "8"}}',
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "5"}}') i;
SELECT count(*), min((i ->> 'SK')::numeric), max((i ->> 'SK')::numeric)
FROM dynamo.query('list', 'PK = :p AND SK BETWEEN :a AND :b',
	'{":p": {"S": "b"}, ":a": {"N": "3"}, ":b": {"N": "8"}}', scan_index_forward => false,
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "5"}}') i;
SELECT count(*) FROM dynamo.query('list', 'PK = :p AND SK = :a', '{":p": {"S": "b"}, ":a": {"N": "3"}}',
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "3"}}');

-- one page: page_size counts the items evaluated
SELECT cardinality(items), count, scanned_count, last_evaluated_key
FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}, ":t": {"BOOL": true}}', page_size => 5,
	filter_expression => 'even = :t');
-- the end is known only when nothing follows
SELECT count, scanned_count, last_evaluated_key
FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}}', page_size => 10);
SELECT items, count, scanned_count, last_evaluated_key
FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}}', page_size => 10,
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"N": "10"}}');
SELECT count, scanned_count, last_evaluated_key
FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}}', page_size => 11);
-- an empty page before the last one
SELECT items, count, scanned_count, last_evaluated_key
FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}, ":t": {"BOOL": true}}', page_size => 1,
	filter_expression => 'even = :t');
SELECT items, count, scanned_count, last_evaluated_key
FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}}', select_attributes => 'COUNT');

-- all pages together contain every item once
WITH RECURSIVE pages AS (
	SELECT 1 AS n, p.* FROM dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}}', page_size => 3,
		scan_index_forward => false) p
	UNION ALL
	SELECT n + 1, p.* FROM pages,
		dynamo.query_page('list', 'PK = :p', '{":p": {"S": "b"}}', page_size => 3,
			scan_index_forward => false, exclusive_start_key => pages.last_evaluated_key) p
	WHERE pages.last_evaluated_key IS NOT NULL)
SELECT n, (SELECT string_agg(i ->> 'SK', ' ') FROM unnest(items) i) AS found, count, last_evaluated_key
FROM pages ORDER BY n;

-- a page ends with the item that reaches 1 MB
SELECT dynamo.create_table('large', 'PK', 'SK', sort_key_type => 'N');
INSERT INTO large (item)
SELECT format('{"PK": {"S": "x"}, "SK": {"N": "%s"}, "t": {"S": "%s"}}', n, repeat('x', 300000))::dynamo.item
FROM generate_series(1, 5) n;
SELECT count, scanned_count, last_evaluated_key
FROM dynamo.query_page('large', 'PK = :p', '{":p": {"S": "x"}}');
SELECT count, scanned_count, last_evaluated_key
FROM dynamo.query_page('large', 'PK = :p', '{":p": {"S": "x"}}',
	exclusive_start_key => '{"PK": {"S": "x"}, "SK": {"N": "4"}}');

SET client_min_messages = warning;
DROP SCHEMA t_paging CASCADE;
