-- Updates: syntax, static errors in their order of importance, errors that
-- depend on the item.
CREATE SCHEMA t_expr_update_errors;
SET search_path = t_expr_update_errors;
\set VERBOSITY terse

CREATE TABLE t (item dynamo.item);
INSERT INTO t VALUES ('{"n": {"N": "10"}, "s": {"S": "x"}, "m": {"M": {"k": {"N": "1"}}},
	"l": {"L": [{"S": "a"}]}, "ss": {"SS": ["a", "b"]}, "big": {"N": "9.9E125"}, "fine": {"N": "1e-130"}}');
CREATE FUNCTION u(expression text, v dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL) RETURNS dynamo.item
	LANGUAGE sql AS 'SELECT dynamo.apply_update(item, expression, v, names) FROM t';

-- syntax
SELECT u('a = :v');
SELECT u('SET');
SELECT u('SET a');
SELECT u('SET a = ');
SELECT u('SET a = :v,');
SELECT u('SET a = :v + :v + :v');
SELECT u('SET a = (:v + :v) - :v');
SELECT u('SET a = list_append(:v + :v, :v)');
SELECT u('SET a = :v b = :w');
SELECT u('SET a == :v');
SELECT u('SET :v = a');
SELECT u('REMOVE');
SELECT u('REMOVE a = b');
SELECT u('ADD a b');
SELECT u('ADD a = :v');
SELECT u('DELETE a');
SELECT u('DELETE a size(b)');
SELECT u('SET a = :v, REMOVE b');
SELECT u('SET a = :v REMOVE b AND c');
SELECT u('');
-- reserved words come before all other static errors
SELECT u('SET a = nope(:v), name = :v SET b = :v');
SELECT u('REMOVE a.item');
-- unknown and misused functions, then repeated sections
SELECT u('SET a = nope(:v) SET b = :v');
SELECT u('SET a = If_Not_Exists(a, :v)');
SELECT u('SET a = size(b)');
SELECT u('SET a = attribute_exists(b)');
SELECT u('SET a = list_append(list_append(l, l), l)');
SELECT u('SET a = if_not_exists(a, list_append(l, l))');
SELECT u('SET a = :v SET b = #q');
SELECT u('REMOVE a REMOVE b ADD n :v');
-- undefined names, then undefined values, wherever they are
SELECT u('SET a = :q, b = #q');
SELECT u('SET a = list_append(:q), a = :q');
SELECT u('ADD n :q DELETE n :q');
-- overlaps and conflicts of targets in all sections
SELECT u('SET a = n, a = n');
SELECT u('SET a.b = n REMOVE a');
SELECT u('REMOVE a ADD a.b[1] :v', '{":v": {"N": "1"}}');
SELECT u('SET #a = n REMOVE a', NULL, '{"#a": "a"}');
SELECT u('SET a.b = n REMOVE a[1]');
SELECT u('SET a.b = n, a[1] = n, c = n, c.d = n');
SELECT u('SET m.a = n, m.b = n, l[0] = n, l[1] = n REMOVE s, big, fine') AS siblings;
-- operand types of ADD and DELETE, then of functions
SELECT u('ADD a :v SET b = list_append(:v, l)', '{":v": {"S": "x"}}');
SELECT u('ADD a :v', '{":v": {"B": ""}}');
SELECT u('ADD a :v', '{":v": {"BOOL": true}}');
SELECT u('ADD a :v', '{":v": {"NULL": true}}');
SELECT u('ADD a :v', '{":v": {"L": []}}');
SELECT u('ADD a :v', '{":v": {"M": {}}}');
SELECT u('DELETE a :v', '{":v": {"N": "1"}}');
SELECT u('DELETE a :v', '{":v": {"S": "1"}}');
SELECT u('SET a = n + :v', '{":v": {"S": "x"}}');
SELECT u('SET a = :v - n', '{":v": {"NS": ["1"]}}');
SELECT u('SET a = list_append(l, :v)', '{":v": {"SS": ["x"]}}');
SELECT u('SET a = list_append(l, l) + n');
SELECT u('SET a = list_append(l)');
SELECT u('SET a = if_not_exists(a, n, n)');
SELECT u('SET a = if_not_exists(:v, n)', '{":v": {"S": "x"}}');
-- a missing attribute on the right
SELECT u('SET a = q');
SELECT u('SET a = n + q');
SELECT u('SET a = m.q'), u('SET a = l[1]');
SELECT u('SET a = list_append(q, l)');
SELECT dynamo.apply_update(NULL, 'SET a = b');
-- a wrong type
SELECT u('SET a = n + s');
SELECT u('SET a = list_append(l, n)');
SELECT u('SET a = if_not_exists(q, :v) + n', '{":v": {"S": "x"}}');
SELECT u('ADD s :v', '{":v": {"N": "1"}}');
SELECT u('ADD n :v', '{":v": {"SS": ["a"]}}');
SELECT u('ADD ss :v', '{":v": {"NS": ["1"]}}');
SELECT u('DELETE n :v', '{":v": {"SS": ["a"]}}');
SELECT u('DELETE ss :v', '{":v": {"BS": ["YQ=="]}}');
-- the parent of the target is missing, or has the wrong type
SELECT u('SET q.a = n');
SELECT u('SET s.a = n');
SELECT u('SET m[0] = n');
SELECT u('SET l.a = n');
SELECT u('SET m.q.z = n');
SELECT u('SET l[1].a = n');
SELECT u('REMOVE q.a');
SELECT u('REMOVE s.a');
SELECT u('REMOVE l[1].a');
SELECT u('ADD q.a :v', '{":v": {"N": "1"}}');
SELECT u('DELETE q.a :v', '{":v": {"SS": ["a"]}}');
SELECT dynamo.apply_update(NULL, 'SET a.b = :v', '{":v": {"N": "1"}}');
SELECT dynamo.apply_update(NULL, 'REMOVE a.b ADD c.d :v', '{":v": {"N": "1"}}');
-- numbers out of range
SELECT u('ADD big :v', '{":v": {"N": "9.9E125"}}');
SELECT u('SET a = :v - fine', '{":v": {"N": "1.1e-130"}}');
SELECT u('SET a = :v + fine', '{":v": {"N": "1"}}');
-- position and reason, for SQL users
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT u('SET m.q.z = n');
SELECT u('SET a = n - m.q');
SELECT u('SET m.z = n - m');
SELECT u('ADD l[0] :v', '{":v": {"SS": ["a"]}}');
SELECT u('SET a = :v REMOVE ' || E'\n' || '  b[1], b.x', '{":v": {"N": "1"}}');

SET client_min_messages = warning;
DROP SCHEMA t_expr_update_errors CASCADE;
