-- Comparators, BETWEEN and IN with every pair of types, and with missing
-- operands.
CREATE SCHEMA t_expr_operators;
SET search_path = t_expr_operators;
\set VERBOSITY terse

-- one attribute of each type, and its neighbors
CREATE TABLE t (item dynamo.item);
INSERT INTO t VALUES ('{
	"s": {"S": "b"}, "n": {"N": "10"}, "b": {"B": "Yg=="}, "t": {"BOOL": true}, "z": {"NULL": true},
	"l": {"L": [{"N": "1"}, {"S": "x"}]}, "m": {"M": {"k": {"N": "1"}}},
	"ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["YQ==", "Yg=="]}}');
CREATE FUNCTION is(condition text, v dynamo.item DEFAULT NULL) RETURNS boolean
	LANGUAGE sql AS 'SELECT dynamo.matches(item, condition, v) FROM t';

-- = is deep equality of one type; numbers by value, sets in any order
SELECT is('s = :v', '{":v": {"S": "b"}}') AS s, is('n = :v', '{":v": {"N": "1e1"}}') AS n,
	is('b = :v', '{":v": {"B": "Yg=="}}') AS b, is('t = :v', '{":v": {"BOOL": true}}') AS bool,
	is('z = :v', '{":v": {"NULL": true}}') AS "null",
	is('l = :v', '{":v": {"L": [{"N": "1.0"}, {"S": "x"}]}}') AS l,
	is('m = :v', '{":v": {"M": {"k": {"N": "1"}}}}') AS m,
	is('ss = :v', '{":v": {"SS": ["b", "a"]}}') AS ss, is('ns = :v', '{":v": {"NS": ["2.0", "1"]}}') AS ns,
	is('bs = :v', '{":v": {"BS": ["Yg==", "YQ=="]}}') AS bs;
SELECT is('s = :v', '{":v": {"B": "Yg=="}}') AS s_b, is('n = :v', '{":v": {"S": "10"}}') AS n_s,
	is('t = :v', '{":v": {"BOOL": false}}') AS bool, is('l = :v', '{":v": {"L": [{"S": "x"}, {"N": "1"}]}}') AS l,
	is('ss = :v', '{":v": {"SS": ["a"]}}') AS ss, is('m = :v', '{":v": {"M": {"k": {"S": "1"}}}}') AS m,
	is('s = :v', '{":v": {"S": "B"}}') AS letter;
-- <> is the negation of =, also for other types and missing operands
SELECT is('s <> :v', '{":v": {"S": "b"}}') AS same, is('s <> :v', '{":v": {"N": "1"}}') AS type,
	is('q <> :v', '{":v": {"N": "1"}}') AS missing, is('q <> r') AS both_missing,
	is('q = :v', '{":v": {"NULL": true}}') AS is_null, is('q = r') AS both_equal;
-- order: S and B by bytes, N by value
SELECT op, is('s ' || op || ' :v', '{":v": {"S": "a"}}') AS s_a, is('s ' || op || ' :v', '{":v": {"S": "b"}}') AS s_b,
	is('s ' || op || ' :v', '{":v": {"S": "ba"}}') AS s_ba, is('s ' || op || ' :v', '{":v": {"S": "é"}}') AS s_e,
	is('n ' || op || ' :v', '{":v": {"N": "9"}}') AS n_9, is('n ' || op || ' :v', '{":v": {"N": "10.0"}}') AS n_10,
	is('n ' || op || ' :v', '{":v": {"N": "-11"}}') AS n_neg, is('b ' || op || ' :v', '{":v": {"B": "/w=="}}') AS b_ff,
	is('n ' || op || ' :v', '{":v": {"S": "9"}}') AS other, is('q ' || op || ' :v', '{":v": {"S": "9"}}') AS missing
FROM unnest(ARRAY['<', '<=', '>', '>=']) op;
-- values on the left, attributes on both sides
SELECT is(':v < n', '{":v": {"N": "9"}}'), is('l[0] < n'), is('n < l[0]'), is('m.k = l[0]'), is('l[1] > s');
-- stored attributes of a type without order do not match
SELECT a, is(a || ' < :v', '{":v": {"N": "1"}}') OR is(a || ' >= n') AS ordered
FROM unnest(ARRAY['t', 'z', 'l', 'm', 'ss', 'ns', 'bs']) a;
-- an operand of such a type in the expression is an error
SELECT is('n < :v', '{":v": {"BOOL": true}}');
SELECT is(':v <= n', '{":v": {"NULL": true}}');
SELECT is('n > :v', '{":v": {"L": []}}');
SELECT is('n >= :v', '{":v": {"M": {}}}');
SELECT is('n < :v', '{":v": {"SS": ["a"]}}');
SELECT is('n < :v', '{":v": {"NS": ["1"]}}');
SELECT is('n < :v', '{":v": {"BS": ["YQ=="]}}');

-- BETWEEN is inclusive
SELECT is('n BETWEEN :a AND :b', '{":a": {"N": "10"}, ":b": {"N": "10"}}') AS same,
	is('n BETWEEN :a AND :b', '{":a": {"N": "1"}, ":b": {"N": "9"}}') AS above,
	is('s BETWEEN :a AND :b', '{":a": {"S": "a"}, ":b": {"S": "c"}}') AS s,
	is('b BETWEEN :a AND :b', '{":a": {"B": ""}, ":b": {"B": "/w=="}}') AS b,
	is('n BETWEEN :a AND :b', '{":a": {"S": "1"}, ":b": {"S": "99"}}') AS other_type,
	is('q BETWEEN :a AND :b', '{":a": {"S": "1"}, ":b": {"S": "99"}}') AS missing,
	is('n BETWEEN q AND :b', '{":b": {"N": "99"}}') AS missing_bound,
	is(':a BETWEEN l[0] AND n', '{":a": {"N": "5"}}') AS value_first,
	is('t BETWEEN n AND s') AS unordered;
SELECT is('n BETWEEN :a AND :b', '{":a": {"N": "1"}, ":b": {"S": "9"}}');
SELECT is('n BETWEEN :a AND :b', '{":a": {"N": "1.50"}, ":b": {"N": "-1"}}');
SELECT is('s BETWEEN :a AND :b', '{":a": {"S": "b"}, ":b": {"S": "a"}}');
SELECT is('b BETWEEN :a AND :b', '{":a": {"B": "Yg=="}, ":b": {"B": "YQ=="}}');
SELECT is('n BETWEEN :a AND :b', '{":a": {"BOOL": true}, ":b": {"BOOL": true}}');
-- bounds that are attributes may be in the wrong order
SELECT is('n BETWEEN s AND l[0]');

-- IN: operands of different types
SELECT is('n IN (:a, :b)', '{":a": {"S": "10"}, ":b": {"N": "10"}}') AS mixed,
	is('n IN (:a)', '{":a": {"S": "10"}}') AS type, is('q IN (:a)', '{":a": {"S": "10"}}') AS missing,
	is('q IN (r)') AS both_missing, is('m.k IN (s, l[0])') AS paths,
	is('l IN (:a)', '{":a": {"L": [{"N": "1"}, {"S": "x"}]}}') AS deep,
	is('NOT n IN (:a)', '{":a": {"N": "1"}}') AS negated;

-- without an item, only conditions for absence are true
SELECT dynamo.matches('{}', 'a <> :v', '{":v": {"N": "1"}}'), dynamo.matches('{}', 'NOT a = :v', '{":v": {"N": "1"}}'),
	dynamo.matches('{}', 'a = :v', '{":v": {"N": "1"}}');

SET client_min_messages = warning;
DROP SCHEMA t_expr_operators CASCADE;
