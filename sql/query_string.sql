-- dynamo.query on string sort keys: every operator, both directions
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_query_string CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_query_string;
SET search_path = t_query_string, dynamo;

SELECT dynamo.create_table('orders', 'PK', 'SK');
INSERT INTO orders (item)
SELECT format('{"PK": {"S": "c#1"}, "SK": {"S": %s}, "n": {"N": "%s"}}', to_json(sk), n)::dynamo.item
FROM unnest(ARRAY['METADATA', 'ORDER#1', 'ORDER#1#ITEM#A', 'ORDER#1#ITEM#B', 'ORDER#10',
	'ORDER#2', 'ORDER#2#ITEM#A', 'Z', 'a', 'é', '😀']) WITH ORDINALITY u(sk, n);
INSERT INTO orders (item) VALUES
	('{"PK": {"S": "c#0"}, "SK": {"S": "ORDER#1"}}'),
	('{"PK": {"S": "c#10"}, "SK": {"S": "ORDER#1"}}'),
	('{"PK": {"S": "c#2"}, "SK": {"S": "ORDER#1"}}');

-- returns the sort keys that match a condition, in order
CREATE FUNCTION keys(condition text, vals dynamo.item, forward boolean DEFAULT true)
RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(i ->> 'SK', ' ' ORDER BY n)
	FROM dynamo.query('orders', condition, vals, scan_index_forward => forward)
		WITH ORDINALITY q(i, n)
$$;

SELECT keys('PK = :p', '{":p": {"S": "c#1"}}');
SELECT keys('PK = :p', '{":p": {"S": "c#1"}}', false);
SELECT keys('PK = :p AND SK = :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1"}}');
SELECT keys('PK = :p AND SK = :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1"}}', false);
SELECT keys('PK = :p AND SK < :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1#ITEM#B"}}');
SELECT keys('PK = :p AND SK < :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1#ITEM#B"}}', false);
SELECT keys('PK = :p AND SK <= :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1#ITEM#B"}}');
SELECT keys('PK = :p AND SK <= :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1#ITEM#B"}}', false);
SELECT keys('PK = :p AND SK > :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#2"}}');
SELECT keys('PK = :p AND SK > :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#2"}}', false);
SELECT keys('PK = :p AND SK >= :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#2"}}');
SELECT keys('PK = :p AND SK >= :s', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#2"}}', false);
SELECT keys('PK = :p AND SK BETWEEN :a AND :b',
	'{":p": {"S": "c#1"}, ":a": {"S": "ORDER#1"}, ":b": {"S": "ORDER#2"}}');
SELECT keys('PK = :p AND SK BETWEEN :a AND :b',
	'{":p": {"S": "c#1"}, ":a": {"S": "ORDER#1"}, ":b": {"S": "ORDER#2"}}', false);
SELECT keys('PK = :p AND begins_with(SK, :s)', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1"}}');
SELECT keys('PK = :p AND begins_with(SK, :s)', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#1"}}', false);
-- operands exchanged, conditions in another order, parentheses, name placeholders
SELECT keys(':s < SK AND :p = PK', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#2"}}');
SELECT keys('(SK > :s) AND (PK = :p)', '{":p": {"S": "c#1"}, ":s": {"S": "ORDER#2"}}');
SELECT i FROM dynamo.query('orders', '#p = :p AND #s = :s',
	'{":p": {"S": "c#1"}, ":s": {"S": "Z"}}', '{"#p": "PK", "#s": "SK"}') i;
-- conditions without matches
SELECT keys('PK = :p', '{":p": {"S": "c#"}}');
SELECT keys('PK = :p AND SK > :s', '{":p": {"S": "c#1"}, ":s": {"S": "😀"}}');
SELECT keys('PK = :p AND SK < :s', '{":p": {"S": "c#1"}, ":s": {"S": "METADATA"}}', false);
SELECT count(*) FROM dynamo.query('orders', 'PK = :p', '{":p": {"S": "none"}}');

-- a prefix that ends with the last character of its UTF-8 length, or of all lengths
SELECT dynamo.create_table('edges', 'PK', 'SK');
INSERT INTO edges (item)
SELECT format('{"PK": {"S": "e"}, "SK": {"S": %s}}', to_json(sk))::dynamo.item
FROM unnest(ARRAY[U&'a\007F', U&'a\007Fb', U&'a\0080', U&'a\D7FF', U&'a\D7FFb', U&'a\E000',
	U&'a\FFFF', U&'a\FFFFb', U&'a\+010000', U&'a\+10FFFF', U&'a\+10FFFFb', 'b',
	U&'\+10FFFF', U&'\+10FFFFb', U&'\+10FFFF\+10FFFF']) sk;
SELECT encode(convert_to(p, 'UTF8'), 'hex') AS prefix, count(i), bool_and(starts_with(i ->> 'SK', p)) AS all_right,
	(SELECT count(*) FROM edges WHERE starts_with("SK", p)) AS expected
FROM unnest(ARRAY['a', U&'a\007F', U&'a\D7FF', U&'a\FFFF', U&'a\+10FFFF', U&'\+10FFFF',
	U&'\+10FFFF\+10FFFF', 'b']) p,
	LATERAL dynamo.query('edges', 'PK = :p AND begins_with(SK, :s)',
		format('{":p": {"S": "e"}, ":s": {"S": %s}}', to_json(p))::dynamo.item) i
GROUP BY p ORDER BY p COLLATE "C";

-- in a table without sort key each partition has one item
SELECT dynamo.create_table('users', 'id');
INSERT INTO users (item) VALUES ('{"id": {"S": "u1"}, "n": {"N": "1"}}'), ('{"id": {"S": "u2"}}');
SELECT dynamo.query('users', 'id = :i', '{":i": {"S": "u1"}}');
SELECT dynamo.query('users', 'id = :i', '{":i": {"S": "u3"}}');
-- large items are stored out of line
INSERT INTO users (item) SELECT format('{"id": {"S": "big"}, "t": {"S": "%s"}}',
	string_agg(md5(n::text), ''))::dynamo.item FROM generate_series(1, 5000) n;
SELECT length(i ->> 't'), md5(i ->> 't') = (SELECT md5(item ->> 't') FROM users WHERE id = 'big')
FROM dynamo.query('users', 'id = :i', '{":i": {"S": "big"}}') i;

SET client_min_messages = warning;
DROP SCHEMA t_query_string CASCADE;
