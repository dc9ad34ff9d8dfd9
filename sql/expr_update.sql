-- Updates: the effects of SET, REMOVE, ADD and DELETE on an item.
CREATE SCHEMA t_expr_update;
SET search_path = t_expr_update;
\set VERBOSITY terse

CREATE TABLE t (item dynamo.item);
INSERT INTO t VALUES ('{"n": {"N": "10"}, "s": {"S": "x"}, "m": {"M": {"k": {"N": "1"}, "o": {"S": "other"}}},
	"l": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}, {"S": "d"}]}, "el": {"L": []}, "em": {"M": {}},
	"ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["YQ=="]}}');
-- the differences after the update: new values, null for removed attributes
CREATE FUNCTION u(expression text, v dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL) RETURNS jsonb
	LANGUAGE sql AS $$
	SELECT jsonb_object_agg(name, new.value) FROM t,
		LATERAL (SELECT dynamo.apply_update(item, expression, v, names)::text::jsonb AS after, item::text::jsonb AS before) u,
		LATERAL jsonb_object_keys(before || after) name, LATERAL (SELECT after -> name AS value) new
	WHERE before -> name IS DISTINCT FROM after -> name $$;

-- SET: new, replaced and unchanged attributes, another type
SELECT u('SET q = :v', '{":v": {"N": "1"}}'), u('SET s = :v', '{":v": {"S": "y"}}'), u('SET s = :v', '{":v": {"NULL": true}}'),
	u('SET s = :v', '{":v": {"S": "x"}}');
SELECT u('SET q = m'), u('SET q = l[1]'), u('SET m.k = n, m.z = s');
-- arithmetic
SELECT u('SET n = n + :v', '{":v": {"N": "-2.5"}}'), u('SET n = n - :v', '{":v": {"N": "10"}}'),
	u('SET q = :v + :v', '{":v": {"N": "0.1"}}'), u('SET n = :v - n', '{":v": {"N": "1"}}'),
	u('SET n = (m.k) + (n)'), u('SET n = (m.k + n)');
-- every right-hand side refers to the item before the update
SELECT u('SET n = m.k, m.k = n'), u('SET s = l[0], l[0] = s REMOVE l[1]'), u('SET q = n ADD n :v', '{":v": {"N": "1"}}');
-- if_not_exists
SELECT u('SET q = if_not_exists(q, :v)', '{":v": {"N": "1"}}'), u('SET n = if_not_exists(n, :v)', '{":v": {"N": "1"}}'),
	u('SET q = if_not_exists(q.r.s, n)'), u('SET q = if_not_exists(q, if_not_exists(r, :v))', '{":v": {"S": "z"}}'),
	u('SET q = if_not_exists(q, :z) + :n', '{":z": {"N": "0"}, ":n": {"N": "5"}}'),
	u('SET n = if_not_exists(n, q)');
-- list_append
SELECT u('SET l = list_append(l, :v)', '{":v": {"L": [{"N": "1"}]}}'), u('SET l = list_append(:v, l)', '{":v": {"L": [{"N": "1"}]}}'),
	u('SET q = list_append(if_not_exists(q, :e), :v)', '{":e": {"L": []}, ":v": {"L": [{"N": "1"}]}}'),
	u('SET el = list_append(el, el)'), u('SET el = list_append(l, el)');
-- list elements: replaced, or appended past the end in the order of their indexes, without gaps
SELECT u('SET l[1] = :v', '{":v": {"N": "1"}}'), u('SET l[9] = n, l[4] = s, l[7] = m.k'), u('SET el[3] = n');
-- nested
SELECT u('SET m.k = :v, m.#new = :v', '{":v": {"L": []}}', '{"#new": "a.b"}'), u('SET em.x = n');

-- REMOVE: leaves and elements together; indexes are those before the update
SELECT u('REMOVE s, m.k, q'), u('REMOVE l[0], l[2]'), u('REMOVE l[0], l[1], l[2], l[3]'), u('REMOVE l[4], m.q'), u('REMOVE m.k, m.o');
SELECT u('REMOVE l[1] SET l[2] = :v, l[9] = :v', '{":v": {"N": "1"}}'), u('SET l[0] = n REMOVE l[1], l[3]');
SELECT u('SET l[3] = n REMOVE l[0], l[1]');

-- ADD: numbers and sets
SELECT u('ADD n :v', '{":v": {"N": "1"}}'), u('ADD n :v', '{":v": {"N": "-10"}}'), u('ADD q :v', '{":v": {"N": "3"}}'),
	u('ADD m.k :v, m.z :v', '{":v": {"N": "1"}}'), u('ADD l[7] :v', '{":v": {"N": "1"}}');
SELECT u('ADD ss :v', '{":v": {"SS": ["c", "a", "A"]}}'), u('ADD ns :v', '{":v": {"NS": ["1.50", "2.0"]}}'),
	u('ADD bs :v', '{":v": {"BS": ["", "YQ=="]}}'), u('ADD q :v', '{":v": {"SS": ["z"]}}'), u('ADD ss :v', '{":v": {"SS": ["b"]}}');

-- DELETE: difference; removing the last member removes the attribute
SELECT u('DELETE ss :v', '{":v": {"SS": ["a", "q"]}}'), u('DELETE ss :v', '{":v": {"SS": ["b", "a"]}}'),
	u('DELETE ns :v', '{":v": {"NS": ["1.0"]}}'), u('DELETE bs :v', '{":v": {"BS": [""]}}'), u('DELETE q :v', '{":v": {"SS": ["a"]}}'),
	u('DELETE m.q :v', '{":v": {"SS": ["a"]}}');

-- all sections together, in any order and case
SELECT u('delete ss :d Add n :a SET q = :a remove s', '{":d": {"SS": ["a"]}, ":a": {"N": "1"}}');

-- no item: updates create an item, removals do not
SELECT dynamo.apply_update(NULL, 'SET a = :v ADD b :v', '{":v": {"N": "1"}}') AS created,
	dynamo.apply_update(NULL, 'REMOVE a, b.c') AS removed,
	dynamo.apply_update(NULL, 'DELETE a :v', '{":v": {"SS": ["a"]}}') AS deleted,
	dynamo.apply_update(NULL, 'SET a = if_not_exists(a, :v) REMOVE b.c[0]', '{":v": {"N": "1"}}') AS both,
	dynamo.apply_update('{}', NULL) AS no_expression;

SET client_min_messages = warning;
DROP SCHEMA t_expr_update CASCADE;
