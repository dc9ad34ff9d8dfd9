-- Each function of conditions with each type.
CREATE SCHEMA t_expr_functions;
SET search_path = t_expr_functions;
\set VERBOSITY terse

CREATE TABLE t (item dynamo.item);
INSERT INTO t VALUES ('{
	"s": {"S": "häb"}, "n": {"N": "10"}, "b": {"B": "AAEC"}, "t": {"BOOL": false}, "z": {"NULL": true},
	"l": {"L": [{"N": "1"}, {"S": "x"}, {"L": []}, {"SS": ["q", "p"]}]}, "m": {"M": {"k": {"N": "1"}, "j": {"S": "x"}}},
	"ss": {"SS": ["a", "bc"]}, "ns": {"NS": ["1", "2.50", "3"]}, "bs": {"BS": ["AQ==", "Ag=="]},
	"es": {"S": ""}, "el": {"L": []}, "em": {"M": {}}}');
CREATE FUNCTION is(condition text, v dynamo.item DEFAULT NULL) RETURNS boolean
	LANGUAGE sql AS 'SELECT dynamo.matches(item, condition, v) FROM t';
CREATE TABLE types (a text);
INSERT INTO types VALUES ('s'), ('n'), ('b'), ('t'), ('z'), ('l'), ('m'), ('ss'), ('ns'), ('bs'), ('es'), ('el'), ('em'), ('q');

-- attribute_exists, attribute_not_exists: a NULL attribute exists
SELECT a, is('attribute_exists(' || a || ')') AS exists, is('attribute_not_exists(' || a || ')') AS not_exists FROM types;
SELECT is('attribute_exists(m.k)'), is('attribute_exists(m.q)'), is('attribute_exists(l[3])'), is('attribute_exists(l[4])'),
	is('attribute_exists(s.k)'), is('attribute_exists(m[0])'), is('attribute_exists(l.k)'), is('attribute_exists(ss[0])');
SELECT is('attribute_exists(:v)', '{":v": {"S": "s"}}');
SELECT is('attribute_not_exists(size(s))');
SELECT is('attribute_exists(s, n)');
SELECT is('attribute_exists()');

-- attribute_type
SELECT a, is('attribute_type(' || a || ', :v)', ('{":v": {"S": "' || CASE a WHEN 't' THEN 'BOOL' WHEN 'z' THEN 'NULL'
	WHEN 'es' THEN 'S' WHEN 'el' THEN 'L' WHEN 'em' THEN 'M' ELSE upper(a) END || '"}}')::dynamo.item) AS own,
	is('attribute_type(' || a || ', :v)', '{":v": {"S": "N"}}') AS number FROM types WHERE a <> 'q';
SELECT is('attribute_type(q, :v)', '{":v": {"S": "S"}}') AS missing,
	is('attribute_type(:w, :v)', '{":v": {"S": "L"}, ":w": {"L": []}}') AS of_value;
SELECT is('attribute_type(s, :v)', '{":v": {"S": "s"}}');
SELECT is('attribute_type(s, :v)', '{":v": {"S": "STRING"}}');
SELECT is('attribute_type(s, :v)', '{":v": {"N": "1"}}');
SELECT is('attribute_type(s, n)');
SELECT is('attribute_type(s)');

-- begins_with: both operands S, or both B
SELECT is('begins_with(s, :v)', '{":v": {"S": "hä"}}') AS s, is('begins_with(s, :v)', '{":v": {"S": "häbc"}}') AS longer,
	is('begins_with(s, :v)', '{":v": {"S": ""}}') AS empty, is('begins_with(b, :v)', '{":v": {"B": "AAE="}}') AS b,
	is('begins_with(s, :v)', '{":v": {"B": "aA=="}}') AS other, is('begins_with(q, :v)', '{":v": {"S": "a"}}') AS missing,
	is('begins_with(n, :v)', '{":v": {"S": "1"}}') AS of_number, is('begins_with(:v, es)', '{":v": {"S": "x"}}') AS of_value,
	is('begins_with(ss, :v)', '{":v": {"S": "a"}}') AS of_set, is('begins_with(s, n)') AS stored_number;
SELECT is('begins_with(s, :v)', '{":v": {"N": "1"}}');
SELECT is('begins_with(:v, s)', '{":v": {"SS": ["a"]}}');
SELECT is('begins_with(size(s), s)');
SELECT is('begins_with(s)');
SELECT is('begins_with(s, n, b)');

-- contains: part of a text or of bytes, member of a set, element of a list
SELECT is('contains(s, :v)', '{":v": {"S": "äb"}}') AS s, is('contains(s, :v)', '{":v": {"S": "bä"}}') AS s_not,
	is('contains(s, :v)', '{":v": {"S": ""}}') AS empty, is('contains(es, :v)', '{":v": {"S": "a"}}') AS in_empty,
	is('contains(b, :v)', '{":v": {"B": "AQI="}}') AS b, is('contains(b, :v)', '{":v": {"S": "a"}}') AS b_s;
SELECT is('contains(ss, :v)', '{":v": {"S": "bc"}}') AS ss, is('contains(ss, :v)', '{":v": {"S": "b"}}') AS ss_part,
	is('contains(ns, :v)', '{":v": {"N": "2.5"}}') AS ns, is('contains(ns, :v)', '{":v": {"S": "1"}}') AS ns_s,
	is('contains(bs, :v)', '{":v": {"B": "Ag=="}}') AS bs, is('contains(ss, :v)', '{":v": {"SS": ["a"]}}') AS subset;
SELECT is('contains(l, :v)', '{":v": {"N": "1.0"}}') AS l_n, is('contains(l, :v)', '{":v": {"L": []}}') AS l_l,
	is('contains(l, :v)', '{":v": {"SS": ["p", "q"]}}') AS l_ss, is('contains(l, :v)', '{":v": {"S": "p"}}') AS nested,
	is('contains(el, :v)', '{":v": {"S": "p"}}') AS l_empty, is('contains(l, m.k)') AS path;
SELECT is('contains(m, :v)', '{":v": {"S": "k"}}') AS m, is('contains(n, :v)', '{":v": {"N": "1"}}') AS n,
	is('contains(t, :v)', '{":v": {"BOOL": false}}') AS bool, is('contains(q, :v)', '{":v": {"S": "k"}}') AS missing,
	is('contains(s, q)') AS missing_part, is('contains(:v, s)', '{":v": {"S": "xhäbx"}}') AS of_value;
-- a long part that nearly occurs at every place is found in reasonable time
SET statement_timeout = '10s';
SELECT dynamo.matches(item, 'contains(x, :a)' || repeat(' OR contains(x, :a)', 99) || ' OR contains(x, :b)', json_build_object(':a', json_build_object('S', repeat('a', 190000) || 'b'), ':b', json_build_object('S', repeat('a', 190000)))::text::dynamo.item) AS last,
	dynamo.matches(item, 'contains(x, :a)', json_build_object(':a', json_build_object('S', 'b' || repeat('a', 190000)))::text::dynamo.item) AS first
FROM (SELECT json_build_object('x', json_build_object('S', repeat('a', 380000)))::text::dynamo.item) AS i (item);
RESET statement_timeout;
SELECT is('contains(s)');

-- size: UTF-16 units, bytes, or number of elements; numbers and booleans have no size
SELECT a, is('size(' || a || ') = :v', ('{":v": {"N": "' || CASE a WHEN 's' THEN 3 WHEN 'b' THEN 3 WHEN 'l' THEN 4
	WHEN 'm' THEN 2 WHEN 'ss' THEN 2 WHEN 'ns' THEN 3 WHEN 'bs' THEN 2 ELSE 0 END || '"}}')::dynamo.item) AS equal,
	is('size(' || a || ') <> :v', '{":v": {"N": "7"}}') AS differs FROM types;
SELECT is('size(ss) = size(bs)'), is('size(s) BETWEEN size(ss) AND n'), is('size(m) IN (:a)', '{":a": {"N": "2"}}'),
	is('size(:v) < size(s)', '{":v": {"S": "ab"}}'), is('contains(ns, size(ss.a))'), is('size(l[3]) = l[0]');
SELECT t, dynamo.matches(jsonb_build_object('t', t), 'size(t) = :n', jsonb_build_object(':n', n)) AS equal
FROM (VALUES ('', 0), ('é', 1), ('日本', 2), ('é𝄞', 3), ('😀😀', 4)) AS v(t, n);
SELECT is('size(:v) = n', '{":v": {"N": "1"}}');
SELECT is('size(:v) = n', '{":v": {"BOOL": true}}');
SELECT is('size(:v) = n', '{":v": {"NULL": true}}');
SELECT is('size(s, n) = n');

-- where a function is allowed
SELECT is('size(s)');
SELECT is('size(s) AND n = n');
SELECT is('attribute_exists(s) = :v', '{":v": {"BOOL": true}}');
SELECT is('contains(s, begins_with(s, s))');
SELECT is('size(size(s)) = n');
SELECT is('size(contains(s, n)) = n');
SELECT is('if_not_exists(s, n) = n');
SELECT is('list_append(l, l)');
SELECT is('length(s) = n');
SELECT is('n = Size(s)');

SET client_min_messages = warning;
DROP SCHEMA t_expr_functions CASCADE;
