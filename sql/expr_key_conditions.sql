-- Key conditions: every operator with operands in both orders, keys of several
-- attributes, and conditions that are not allowed.
CREATE SCHEMA t_expr_key;
SET search_path = t_expr_key, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('tab', 'pk', 'sk', sort_key_type => 'N');
SELECT dynamo.create_index('tab', 'multi', ARRAY['g1', 'g2'], ARRAY['r1', 'r2']);
SELECT count(dynamo.put_item('tab', ('{"pk": {"S": "p"}, "sk": {"N": "' || i || '"}, "g1": {"S": "a"}, "g2": {"S": "b"}, "r1": {"S": "' ||
	i % 2 || '"}, "r2": {"S": "r' || i || '"}}')::dynamo.item)) FROM generate_series(1, 6) i;
-- the sort keys found
CREATE FUNCTION q(condition text, v dynamo.item DEFAULT NULL, names jsonb DEFAULT NULL) RETURNS text[]
	LANGUAGE sql AS $$SELECT array_agg(i ->> 'sk') FROM (SELECT dynamo.query('tab', condition, v, names)) x (i)$$;
CREATE FUNCTION qi(condition text, v dynamo.item DEFAULT NULL) RETURNS text[]
	LANGUAGE sql AS $$SELECT array_agg(i ->> 'sk') FROM (SELECT dynamo.query('tab', condition, v, index_name => 'multi')) x (i)$$;

SELECT op, q('pk = :p AND sk ' || op || ' :s', '{":p": {"S": "p"}, ":s": {"N": "3"}}') AS key_left,
	q(':s ' || op || ' sk AND :p = pk', '{":p": {"S": "p"}, ":s": {"N": "3"}}') AS key_right
FROM unnest(ARRAY['=', '<', '<=', '>', '>=']) op;
SELECT q('sk BETWEEN :a AND :b AND pk = :p', '{":p": {"S": "p"}, ":a": {"N": "2"}, ":b": {"N": "4"}}') AS between_first,
	q('(pk = :p) AND (sk > :a)', '{":p": {"S": "p"}, ":a": {"N": "4"}}') AS parentheses,
	q('(pk = :p AND (sk > :a))', '{":p": {"S": "p"}, ":a": {"N": "4"}}') AS nested,
	q('#p = :p and #s <= :a', '{":p": {"S": "p"}, ":a": {"N": "2"}}', '{"#p": "pk", "#s": "sk"}') AS names,
	q('pk = :p', '{":p": {"S": "none"}}') AS nothing;

-- conditions that an index cannot answer
SELECT q('pk = :p AND NOT sk = :p', '{":p": {"S": "p"}}');
SELECT q('pk = :p AND (sk = :p OR sk = :p)', '{":p": {"S": "p"}}');
SELECT q('attribute_exists(pk)');
SELECT q('pk = :p AND attribute_type(sk, :p)', '{":p": {"S": "S"}}');
SELECT q('size(pk) = :p', '{":p": {"N": "1"}}');
SELECT q('pk = :p AND begins_with(sk[0], :p)', '{":p": {"S": "p"}}');
SELECT q(':p = :q', '{":p": {"S": "p"}, ":q": {"S": "q"}}');
SELECT q('pk = :p AND begins_with(:p, :q)', '{":p": {"S": "p"}, ":q": {"S": "q"}}');
SELECT q('pk = sk');
SELECT q('pk = :p AND sk BETWEEN pk AND :p', '{":p": {"S": "p"}}');
SELECT q('pk = :p AND :p BETWEEN sk AND :p', '{":p": {"S": "p"}}');
SELECT q('pk = :p AND begins_with(:p, sk)', '{":p": {"S": "p"}}');
SELECT q('pk = :p AND begins_with(sk, :s)', '{":p": {"S": "p"}, ":s": {"N": "1"}}');
SELECT q('pk = :p AND sk BETWEEN :s AND :p', '{":p": {"S": "p"}, ":s": {"N": "1"}}');
SELECT q('pk = :p AND sk BETWEEN :s AND :t', '{":p": {"S": "p"}, ":s": {"N": "2"}, ":t": {"N": "1"}}');
SELECT q('pk = :p AND sk > :t', '{":p": {"S": "p"}, ":t": {"BOOL": true}}');
SELECT q('pk = :p AND sk = :t', '{":p": {"S": "p"}, ":t": {"BOOL": true}}');
SELECT q('pk = :p AND begins_with(sk, :s)', '{":p": {"S": "p"}, ":s": {"S": "1"}}');
-- the general rules of conditions apply, too
SELECT q('pk = :p AND ((sk = :p))', '{":p": {"S": "p"}}');
SELECT q('pk = :p AND name = :p', '{":p": {"S": "p"}}');
SELECT q('pk = :p AND nope(sk)', '{":p": {"S": "p"}}');

-- keys of several attributes: equality from the left, a range on the last one
SELECT qi('g1 = :a AND g2 = :b', '{":a": {"S": "a"}, ":b": {"S": "b"}}') AS partition,
	qi('r1 = :z AND g2 = :b AND g1 = :a', '{":a": {"S": "a"}, ":b": {"S": "b"}, ":z": {"S": "0"}}') AS one_sort,
	qi('g1 = :a AND g2 = :b AND r1 = :z AND r2 > :r', '{":a": {"S": "a"}, ":b": {"S": "b"}, ":z": {"S": "0"}, ":r": {"S": "r2"}}') AS both,
	qi('g1 = :a AND g2 = :b AND begins_with(r1, :z)', '{":a": {"S": "a"}, ":b": {"S": "b"}, ":z": {"S": "1"}}') AS prefix;
SELECT qi('g1 = :a', '{":a": {"S": "a"}}');
SELECT qi('r1 = :a', '{":a": {"S": "a"}}');
SELECT qi('g1 = :a AND g2 > :a', '{":a": {"S": "a"}}');
SELECT qi('g1 = :a AND g2 = :a AND r2 = :a', '{":a": {"S": "a"}}');
SELECT qi('g1 = :a AND g2 = :a AND r1 > :a AND r2 = :a', '{":a": {"S": "a"}}');
SELECT qi('g1 = :a AND g2 = :a AND pk = :a', '{":a": {"S": "a"}}');

SET client_min_messages = warning;
DROP SCHEMA t_expr_key CASCADE;
