-- operators and casts: parts of items, and SQL forms of values
CREATE SCHEMA t_item_operators;
SET search_path = t_item_operators, dynamo;
CREATE TABLE t (i item);
INSERT INTO t VALUES ('{"s": {"S": "text"}, "n": {"N": "1.50"}, "b": {"B": "AQID"}, "t": {"BOOL": true},
	"z": {"NULL": true}, "l": {"L": [{"S": "zero"}, {"M": {"k": {"L": [{"N": "7"}]}}}]},
	"m": {"M": {"a": {"M": {"b": {"S": "deep"}}}, "0": {"S": "digit"}}}, "ss": {"SS": ["x", "y"]}, "": {"S": "x"}}');
INSERT INTO t VALUES ('{"s": {"S": "text"}, "n": {"N": "1.50"}, "b": {"B": "AQID"}, "t": {"BOOL": true},
	"z": {"NULL": true}, "l": {"L": [{"S": "zero"}, {"M": {"k": {"L": [{"N": "7"}]}}}]},
	"m": {"M": {"a": {"M": {"b": {"S": "deep"}}}, "0": {"S": "digit"}}}, "ss": {"SS": ["x", "y"]}}');

-- -> and ->> by name
SELECT i -> 's' AS s, i -> 'n' AS n, i -> 'z' AS z, i -> 'none' AS none, i -> '' AS empty, i -> NULL AS null FROM t;
SELECT i ->> 's' AS s, i ->> 'n' AS n, i ->> 'b' AS b, i ->> 't' AS t, i ->> 'z' IS NULL AS z,
	i ->> 'ss' AS ss, i ->> 'none' IS NULL AS none FROM t;
SELECT i ->> 'l' AS l, i ->> 'm' AS m FROM t;

-- in values: maps by name, lists by position, counted from the end if negative
SELECT i -> 'm' -> '0' AS digit, i -> 'm' ->> '0' AS text, i -> 'm' -> 0 IS NULL AS no_list FROM t;
SELECT i -> 'l' -> 0 AS first, i -> 'l' ->> -2 AS first, i -> 'l' -> 1 -> 'k' -> 0 AS deep,
	i -> 'l' -> 2 IS NULL AS behind, i -> 'l' -> -3 IS NULL AS before, i -> 'l' -> '0' IS NULL AS no_map FROM t;

-- by path
SELECT i #> '{m,a,b}' AS deep, i #>> '{m,a,b}' AS text, i #>> '{m,0}' AS digit, i #>> '{l,1,k,0}' AS seven,
	i #>> '{l,-1,k,-1}' AS seven, i #> '{}' = i AS whole FROM t;
SELECT i #> '{m,x,y}' IS NULL AS a, i #> '{s,x}' IS NULL AS b, i #> '{l,x}' IS NULL AS c, i #> '{l,1x}' IS NULL AS d,
	i #> '{l,99999999999999999999}' IS NULL AS e, i #> ARRAY['m', NULL] IS NULL AS f, i #> '{ss,0}' IS NULL AS g FROM t;
SELECT i #> '{{m,a},{b,c}}' FROM t;
SELECT (i -> 'm') #>> '{a,b}' AS deep FROM t;

-- ?
SELECT i ? 's' AS yes, i ? 'z' AS null_exists, i ? 'none' AS no, (i -> 'm') ? 'a' AS yes, (i -> 's') ? 's' AS no FROM t;

-- casts: the right type, the NULL type, a wrong one
SELECT (i -> 's')::text, (i -> 'n')::numeric, (i -> 't')::boolean, (i -> 'b')::bytea, (i -> 'z')::text IS NULL AS z,
	(i -> 'z')::numeric IS NULL AS z, (i -> 'l')::jsonb FROM t;
SELECT (i -> 'n')::text FROM t;
SELECT (i -> 's')::numeric FROM t;
SELECT (i -> 's')::integer FROM t;
SELECT (i -> 's')::bigint FROM t;
SELECT (i -> 's')::float8 FROM t;
SELECT (i -> 'n')::boolean FROM t;
SELECT (i -> 's')::bytea FROM t;

-- an item is a value; scalars become values on assignment
CREATE TABLE v (v value);
INSERT INTO v SELECT i FROM t;
INSERT INTO v VALUES (1), (1.5), (true), ('\x01'::bytea), (10000000000), ('[1]'::jsonb), ('{"S": "typed"}');
SELECT value_type(v), v FROM v WHERE value_type(v) <> 'M';

-- || and -
SELECT '{"a": {"S": "1"}, "c": {"S": "3"}}'::item || '{"b": {"S": "2"}, "c": {"N": "3"}, "d": {"S": "4"}}'::item;
SELECT '{}'::item || '{}'::item, '{"a": {"S": "1"}}'::item || '{}'::item, '{}'::item || '{"a": {"S": "1"}}'::item,
	'{"a": {"S": "1"}}'::item || '{"n": 1}'::jsonb;
SELECT '{"a": {"S": "1"}, "b": {"S": "2"}, "c": {"S": "3"}}'::item - 'b' AS one,
	'{"a": {"S": "1"}, "b": {"S": "2"}, "c": {"S": "3"}}'::item - ARRAY['a', 'c', 'x', NULL] AS more,
	'{"a": {"S": "1"}}'::item - 'x' AS none;

SET client_min_messages = warning;
DROP SCHEMA t_item_operators CASCADE;
