-- Queries and scans of inline indexes: order, ranges, positions, missing attributes
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_query_index CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_query_index;
SET search_path = t_query_index, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('shop', 'PK', 'SK');
SELECT dynamo.create_index('shop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('shop', 'inverted', 'SK', 'PK');
SELECT dynamo.create_index('shop', 'byDay', 'day');
SELECT dynamo.create_index('shop', 'byPrice', 'PK', 'price', sort_key_type => 'N', local => true);
INSERT INTO shop (item) VALUES
	('{"PK": {"S": "o#1"}, "SK": {"S": "p#1"}, "GSI1PK": {"S": "p#1"}, "GSI1SK": {"S": "2024-01-01"}, "price": {"N": "10"}, "day": {"S": "mon"}}'),
	('{"PK": {"S": "o#1"}, "SK": {"S": "p#2"}, "GSI1PK": {"S": "p#2"}, "GSI1SK": {"S": "2024-01-01"}, "price": {"N": "9.5"}}'),
	('{"PK": {"S": "o#1"}, "SK": {"S": "p#3"}, "GSI1PK": {"S": "p#1"}, "price": {"N": "-1"}}'),
	('{"PK": {"S": "o#2"}, "SK": {"S": "p#1"}, "GSI1PK": {"S": "p#1"}, "GSI1SK": {"S": "2024-01-01"}, "price": {"N": "100"}, "day": {"S": "mon"}}'),
	('{"PK": {"S": "o#2"}, "SK": {"S": "p#2"}, "GSI1PK": {"S": "p#1"}, "GSI1SK": {"S": "2024-02-01"}}'),
	('{"PK": {"S": "o#3"}, "SK": {"S": "p#1"}, "GSI1PK": {"S": "p#1"}, "GSI1SK": {"S": "2024-01-15"}, "day": {"S": "tue"}}'),
	('{"PK": {"S": "o#3"}, "SK": {"S": "p#2"}, "GSI1SK": {"S": "2024-01-15"}, "price": {"N": "10"}}');

CREATE FUNCTION found(index text, condition text, vals dynamo.item, forward boolean DEFAULT true)
RETURNS text LANGUAGE sql AS $$
	SELECT string_agg((i ->> 'PK') || '/' || (i ->> 'SK'), ' ' ORDER BY n)
	FROM dynamo.query('shop', condition, vals, index_name => index,
		expression_attribute_names => CASE WHEN condition LIKE '%#%' THEN '{"#d": "day"}'::jsonb END,
		scan_index_forward => forward)
		WITH ORDINALITY q(i, n)
$$;
-- items without the sort attribute are not in the index
SELECT found('GSI1', 'GSI1PK = :p', '{":p": {"S": "p#1"}}');
SELECT found('GSI1', 'GSI1PK = :p', '{":p": {"S": "p#1"}}', false);
SELECT found('GSI1', 'GSI1PK = :p AND GSI1SK = :s', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01-01"}}');
SELECT found('GSI1', 'GSI1PK = :p AND GSI1SK = :s', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01-01"}}', false);
SELECT found('GSI1', 'GSI1PK = :p AND GSI1SK > :s', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01-01"}}');
SELECT found('GSI1', 'GSI1PK = :p AND GSI1SK <= :s', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01-15"}}', false);
SELECT found('GSI1', 'GSI1PK = :p AND begins_with(GSI1SK, :s)', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01"}}');
SELECT found('GSI1', 'GSI1PK = :p AND GSI1SK BETWEEN :s AND :t', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01-02"}, ":t": {"S": "2024-02-01"}}');
SELECT found('inverted', 'SK = :p', '{":p": {"S": "p#1"}}');
SELECT found('inverted', 'SK = :p AND PK > :s', '{":p": {"S": "p#2"}, ":s": {"S": "o#1"}}', false);
SELECT found('byDay', '#d = :p', '{":p": {"S": "mon"}}');
-- local: numbers by value; equal numbers of different orders are separate
SELECT found('byPrice', 'PK = :p', '{":p": {"S": "o#1"}}');
SELECT found('byPrice', 'PK = :p AND price < :s', '{":p": {"S": "o#1"}, ":s": {"N": "10"}}', false);
-- an item that loses a key attribute leaves the index
UPDATE shop SET item = item - 'GSI1SK' WHERE "PK" = 'o#3' AND "SK" = 'p#1';
SELECT found('GSI1', 'GSI1PK = :p', '{":p": {"S": "p#1"}}');
DELETE FROM shop WHERE "PK" = 'o#2' AND "SK" = 'p#2';
SELECT found('GSI1', 'GSI1PK = :p', '{":p": {"S": "p#1"}}');

-- positions: attributes of the index key and the table key, each once
SELECT last_evaluated_key FROM dynamo.query_page('shop', 'GSI1PK = :p', '{":p": {"S": "p#1"}}', index_name => 'GSI1', page_size => 1);
SELECT last_evaluated_key FROM dynamo.query_page('shop', 'SK = :p', '{":p": {"S": "p#1"}}', index_name => 'inverted', page_size => 1);
SELECT last_evaluated_key FROM dynamo.query_page('shop', 'PK = :p', '{":p": {"S": "o#1"}}', index_name => 'byPrice', page_size => 1);
SELECT last_evaluated_key FROM dynamo.query_page('shop', '#d = :p', '{":p": {"S": "mon"}}', '{"#d": "day"}', index_name => 'byDay', page_size => 1);

-- paging through equal sort keys in both directions returns each entry once
INSERT INTO shop (item)
SELECT format('{"PK": {"S": "x#%s"}, "SK": {"S": "%s"}, "GSI1PK": {"S": "same"}, "GSI1SK": {"S": "%s"}}', n % 3, n, n % 2)::dynamo.item
FROM generate_series(10, 29) n;
CREATE FUNCTION paged(size int, forward boolean) RETURNS text LANGUAGE sql AS $$
	WITH RECURSIVE pages AS (
		SELECT 1 AS n, p.* FROM dynamo.query_page('shop', 'GSI1PK = :p', '{":p": {"S": "same"}}', index_name => 'GSI1',
			page_size => size, scan_index_forward => forward) p
		UNION ALL
		SELECT n + 1, p.* FROM pages, dynamo.query_page('shop', 'GSI1PK = :p', '{":p": {"S": "same"}}', index_name => 'GSI1',
			page_size => size, scan_index_forward => forward, exclusive_start_key => pages.last_evaluated_key) p
		WHERE pages.last_evaluated_key IS NOT NULL)
	SELECT string_agg(i ->> 'SK', ' ' ORDER BY n, o) FROM pages, unnest(items) WITH ORDINALITY u(i, o)
$$;
SELECT found('GSI1', 'GSI1PK = :p', '{":p": {"S": "same"}}');
SELECT paged(1, true) = paged(100, true) AND paged(3, true) = paged(100, true) AS forwards,
	paged(1, false) = paged(100, false) AND paged(7, false) = paged(100, false) AS backwards;
SELECT paged(6, true);
SELECT paged(6, false);

-- scans return the items of the index, also in segments
SELECT count(*) FROM dynamo.scan('shop', index_name => 'GSI1');
SELECT count(*) FROM dynamo.scan('shop', index_name => 'byDay');
SELECT count(*) FROM generate_series(0, 4) s, LATERAL dynamo.scan('shop', index_name => 'GSI1', segment => s, total_segments => 5);
SELECT count(*) FROM dynamo.scan('shop', index_name => 'GSI1', exclusive_start_key =>
	'{"GSI1PK": {"S": "same"}, "GSI1SK": {"S": "0"}, "PK": {"S": "x#1"}, "SK": {"S": "16"}}');
-- filters: attributes of the table key are allowed unless the index key has them
SELECT dynamo.query('shop', 'GSI1PK = :p', '{":p": {"S": "same"}, ":s": {"S": "12"}}', index_name => 'GSI1', filter_expression => 'SK = :s');
SELECT dynamo.query('shop', 'GSI1PK = :p', '{":p": {"S": "same"}, ":s": {"S": "12"}}', index_name => 'GSI1', filter_expression => 'GSI1SK = :s');

-- invalid start keys
SELECT dynamo.query('shop', 'GSI1PK = :p', '{":p": {"S": "same"}}', index_name => 'GSI1',
	exclusive_start_key => '{"GSI1PK": {"S": "same"}, "GSI1SK": {"S": "0"}}');
SELECT dynamo.query('shop', 'GSI1PK = :p', '{":p": {"S": "same"}}', index_name => 'GSI1',
	exclusive_start_key => '{"GSI1PK": {"S": "other"}, "GSI1SK": {"S": "0"}, "PK": {"S": "x#1"}, "SK": {"S": "16"}}');
SELECT dynamo.query('shop', 'GSI1PK = :p AND GSI1SK > :s', '{":p": {"S": "same"}, ":s": {"S": "0"}}', index_name => 'GSI1',
	exclusive_start_key => '{"GSI1PK": {"S": "same"}, "GSI1SK": {"S": "0"}, "PK": {"S": "x#1"}, "SK": {"S": "16"}}');
SELECT dynamo.query('shop', 'PK = :p', '{":p": {"S": "same"}}', index_name => 'GSI1');
SELECT dynamo.query('shop', 'GSI1PK = :p', '{":p": {"S": "same"}}', index_name => 'gsi1');

-- the description of what is read
SET dynamo.direct_access = on;
SELECT dynamo.explain_query('shop', 'GSI1PK = :p AND begins_with(GSI1SK, :s)', '{":p": {"S": "p#1"}, ":s": {"S": "2024-01"}}', index_name => 'GSI1',
	scan_index_forward => false, filter_expression => 'attribute_exists(price)');

SET client_min_messages = warning;
DROP SCHEMA t_query_index CASCADE;
