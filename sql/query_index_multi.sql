-- Indexes whose keys have several attributes
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_multi CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_multi;
SET search_path = t_index_multi, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('games', 'id');
SELECT dynamo.create_index('games', 'multi', '{t,r}'::text[], '{round,score,tag}'::text[], sort_key_type => '{S,N,B}');
INSERT INTO games (item)
SELECT format('{"id": {"S": "%s"}, "t": {"S": "t%s"}, "r": {"S": "eu"}, "round": {"S": "%s"}, "score": {"N": "%s"}, "tag": {"B": "%s"}}',
	to_char(n, 'FM00'), n % 2, (ARRAY['final', 'semi', 'semi2'])[n % 3 + 1], n / 6, encode(int2send(n::int2), 'base64'))::dynamo.item
FROM generate_series(0, 35) n;
-- items that are not in the index: any key attribute is missing
INSERT INTO games (item) VALUES
	('{"id": {"S": "no1"}, "t": {"S": "t1"}, "r": {"S": "eu"}, "round": {"S": "semi"}, "score": {"N": "3"}}'),
	('{"id": {"S": "no2"}, "t": {"S": "t1"}, "r": {"S": "eu"}, "round": {"S": "semi"}, "tag": {"B": "AA=="}}'),
	('{"id": {"S": "no3"}, "t": {"S": "t1"}, "r": {"S": "eu"}, "score": {"N": "3"}, "tag": {"B": "AA=="}}'),
	('{"id": {"S": "no4"}, "t": {"S": "t1"}, "round": {"S": "semi"}, "score": {"N": "3"}, "tag": {"B": "AA=="}}'),
	('{"id": {"S": "no5"}, "r": {"S": "eu"}, "round": {"S": "semi"}, "score": {"N": "3"}, "tag": {"B": "AA=="}}');

CREATE FUNCTION ids(condition text, vals jsonb DEFAULT '{}', forward boolean DEFAULT true) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(i ->> 'id', ' ' ORDER BY n)
	FROM dynamo.query('games', 't = :t AND r = :r' || condition,
		('{":t": {"S": "t1"}, ":r": {"S": "eu"}}'::jsonb || vals)::text::dynamo.item,
		index_name => 'multi', scan_index_forward => forward) WITH ORDINALITY q(i, n)
$$;
SELECT ids('');
SELECT ids('', '{}', false);
SELECT ids(' AND round = :a', '{":a": {"S": "semi"}}');
SELECT ids(' AND begins_with(round, :a)', '{":a": {"S": "semi"}}');
SELECT ids(' AND round > :a', '{":a": {"S": "final"}}', false);
SELECT ids(' AND round = :a AND score >= :b', '{":a": {"S": "semi"}, ":b": {"N": "3"}}');
SELECT ids(' AND round = :a AND score BETWEEN :b AND :c', '{":a": {"S": "semi"}, ":b": {"N": "1"}, ":c": {"N": "3"}}', false);
SELECT ids(' AND score = :b AND round = :a', '{":a": {"S": "final"}, ":b": {"N": "4"}}');
SELECT ids(' AND round = :a AND score = :b AND begins_with(tag, :c)', '{":a": {"S": "final"}, ":b": {"N": "4"}, ":c": {"B": "AA=="}}');
SELECT ids(' AND round = :a AND score = :b AND tag < :c', '{":a": {"S": "final"}, ":b": {"N": "4"}, ":c": {"B": "AA=="}}');

-- pages: start keys with six attributes, both directions, between rows without some attribute
CREATE FUNCTION paged(size int, forward boolean) RETURNS text LANGUAGE sql AS $$
	WITH RECURSIVE pages AS (
		SELECT 1 AS n, p.* FROM dynamo.query_page('games', 't = :t AND r = :r', '{":t": {"S": "t1"}, ":r": {"S": "eu"}}',
			index_name => 'multi', page_size => size, scan_index_forward => forward) p
		UNION ALL
		SELECT n + 1, p.* FROM pages, dynamo.query_page('games', 't = :t AND r = :r', '{":t": {"S": "t1"}, ":r": {"S": "eu"}}',
			index_name => 'multi', page_size => size, scan_index_forward => forward, exclusive_start_key => pages.last_evaluated_key) p
		WHERE pages.last_evaluated_key IS NOT NULL)
	SELECT string_agg(i ->> 'id', ' ' ORDER BY n, o) FROM pages, unnest(items) WITH ORDINALITY u(i, o)
$$;
SELECT size, paged(size, true) = ids('') AS forwards, paged(size, false) = ids('', '{}', false) AS backwards
FROM unnest(ARRAY[1, 2, 5, 18, 100]) size;
SELECT last_evaluated_key FROM dynamo.query_page('games', 't = :t AND r = :r AND round = :a',
	'{":t": {"S": "t1"}, ":r": {"S": "eu"}, ":a": {"S": "semi"}}', index_name => 'multi', page_size => 2);
SELECT count(*) FROM dynamo.scan('games', index_name => 'multi');

-- requirements for the key condition
SELECT dynamo.query('games', 't = :t', '{":t": {"S": "t1"}}', index_name => 'multi');
SELECT ids(' AND score = :b', '{":b": {"N": "4"}}');
SELECT ids(' AND round > :a AND score = :b', '{":a": {"S": "final"}, ":b": {"N": "4"}}');
SELECT ids(' AND round = :a', '{":a": {"N": "4"}}');

SET client_min_messages = warning;
DROP SCHEMA t_index_multi CASCADE;
