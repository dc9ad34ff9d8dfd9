-- Projections: hierarchy, lists, paths that do not exist, paths that exclude
-- each other.
CREATE SCHEMA t_expr_projection;
SET search_path = t_expr_projection;
\set VERBOSITY terse

CREATE TABLE t (item dynamo.item);
INSERT INTO t VALUES ('{"PK": {"S": "p"}, "a": {"N": "1"}, "dotted.name": {"S": "d"}, "name": {"S": "reserved"},
	"m": {"M": {"x": {"M": {"y": {"N": "1"}, "z": {"N": "2"}}}, "l": {"L": [{"N": "5"}, {"N": "6"}]}, "o": {"S": "other"}}},
	"l": {"L": [{"M": {"x": {"N": "10"}, "y": {"N": "11"}}}, {"S": "one"}, {"L": [{"S": "deep"}, {"S": "er"}]}, {"S": "three"}]},
	"ss": {"SS": ["a", "b"]}, "e": {"M": {}}}');
CREATE FUNCTION p(projection text, names jsonb DEFAULT NULL) RETURNS dynamo.item
	LANGUAGE sql AS 'SELECT dynamo.project(item, projection, names) FROM t';

-- top-level attributes in any order, by name or placeholder
SELECT p('a'), p('ss, a'), p('a,PK');
SELECT p('#n, #d, a', '{"#n": "name", "#d": "dotted.name"}');
-- nested: the hierarchy is kept, siblings are in one map
SELECT p('m.x.y');
SELECT p('m.x.z, m.o, m.x.y');
SELECT p('m . x . #y', '{"#y": "y"}');
-- lists: selected elements in index order, without gaps
SELECT p('l[3], l[1]');
SELECT p('l[0].y, l[0].x');
SELECT p('l[2][1], m.l[1], l[0].x');
-- empty containers are projected like other values
SELECT p('e');
-- paths that do not exist are left out
SELECT p('q'), p('m.q'), p('m.x.y.z'), p('l[4]'), p('l[0].q'), p('l.x'), p('m[0]'), p('a.b'), p('ss[0]'), p('e.x');
SELECT p('l[9], l[1], m.q, m.o, q');
SELECT dynamo.project('{}', 'a, b.c');
-- overlap: equal paths, or one path that starts with the other
SELECT p('a, a');
SELECT p('m, m.x');
SELECT p('m.x.y, a, m.x');
SELECT p('l[1], l[1]');
SELECT p('#a, a', '{"#a": "a"}');
SELECT p('l, l[0].x');
-- conflict: one path uses a map where another uses a list
SELECT p('m.x, m[0]');
SELECT p('l[2][0], l[2].x');
-- overlaps are reported first
SELECT p('m.x, m[0], a, a');
-- a dot inside a placeholder's name does not overlap
SELECT p('#d, m.x.y', '{"#d": "m.x"}');
-- reserved words, then undefined names, then overlaps
SELECT p('a, a, #q, m.name');
SELECT p('a, a, #q');
SELECT p('item');
-- syntax
SELECT p('a,');
SELECT p('a b');
SELECT p('a, , b');
SELECT p('size(a)');
SELECT p(':v');
SELECT p('a = b');
SELECT p('');
-- nulls
SELECT dynamo.project(NULL, 'a'), dynamo.project('{}', NULL);

SET client_min_messages = warning;
DROP SCHEMA t_expr_projection CASCADE;
