-- Limits: size of expressions, operators, IN operands, depth of paths, list
-- indexes, placeholders, all names and values together, size and depth of
-- updated items.
CREATE SCHEMA t_expr_limits;
SET search_path = t_expr_limits;
\set VERBOSITY terse
\set v '''{":v": {"N": "1"}}'''

-- 4096 bytes
SELECT dynamo.matches('{}', rpad('a = :v', 4096), :v) AS most;
SELECT dynamo.matches('{}', rpad('a = :v', 4097), :v);
SELECT dynamo.apply_update('{}', repeat('#', 5000), :v);
-- the limit counts bytes, not characters
SELECT dynamo.project('{}', repeat('é', 2049));
-- 300 operators: comparators, BETWEEN, IN, AND, OR, NOT
SELECT dynamo.matches('{}', 'NOT ' || repeat('a=:v OR ', 149) || 'a=:v', :v) AS most;
SELECT dynamo.matches('{}', 'NOT ' || 'NOT ' || repeat('a=:v OR ', 149) || 'a=:v', :v);
SELECT dynamo.matches('{}', repeat('a=:v OR ', 400) || 'a=:v', :v);
SELECT dynamo.matches('{}', repeat('NOT ', 300) || 'contains(a, b)') AS nested_most;
SELECT dynamo.matches('{}', repeat('NOT ', 301) || 'contains(a, b)');
-- functions and parentheses do not count
SELECT dynamo.matches('{}', repeat('(contains(a,b)) OR ', 150) || 'contains(a, b)') AS calls;
-- parentheses can be nested as deeply as the length of the text allows
SELECT dynamo.matches('{}', repeat('(', 2000) || 'a = b' || repeat(')', 2000));
SELECT dynamo.matches('{}', repeat('(', 2000));
-- IN with 100 operands
SELECT dynamo.matches('{"a": {"N": "1"}}', 'a IN (' || repeat('b, ', 99) || ':v)', :v) AS most;
SELECT dynamo.matches('{"a": {"N": "1"}}', 'a IN (' || repeat('b, ', 100) || ':v)', :v);
-- 32 steps of a path
SELECT dynamo.matches('{}', 'attribute_exists(a' || repeat('.b', 31) || ')') AS most;
SELECT dynamo.matches('{}', 'attribute_exists(a' || repeat('.b', 32) || ')');
SELECT dynamo.project('{}', 'x, a' || repeat('[0]', 40));
-- list indexes
SELECT dynamo.project('{"a": {"L": [{"N": "1"}]}}', 'a[2147483647]') AS most;
SELECT dynamo.project('{}', 'a[2147483648]');
SELECT dynamo.project('{}', 'a[' || repeat('9', 50) || ']');
-- placeholders of 255 bytes
SELECT dynamo.matches('{}', 'a = :' || repeat('v', 254), ('{":' || repeat('v', 254) || '": {"N": "1"}}')::dynamo.item) AS most;
SELECT dynamo.project('{}', '#' || repeat('n', 255));
-- 2 MB of names and values
SELECT dynamo.matches('{}', 'a = :v', ('{":v": {"S": "' || repeat('x', 2097140) || '"}}')::dynamo.item) AS most;
SELECT dynamo.matches('{}', 'a = :v', ('{":v": {"S": "' || repeat('x', 2097152) || '"}}')::dynamo.item);
-- an item of 400 KB
SELECT octet_length(dynamo.apply_update('{}', 'SET abc = :v', ('{":v": {"S": "' || repeat('x', 409597) || '"}}')::dynamo.item)::text) AS most;
SELECT dynamo.apply_update('{}', 'SET abc = :v', ('{":v": {"S": "' || repeat('x', 409598) || '"}}')::dynamo.item);
-- a large list that is assigned often is too large at once
SET statement_timeout = '10s';
CREATE FUNCTION append_often() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.apply_update(item, 'SET ' || (SELECT string_agg('b' || i || '=list_append(a,a)', ',') FROM generate_series(1, 150) i))
	FROM (SELECT ('{"a": {"L": [{"NULL": true}' || repeat(', {"NULL": true}', 190000) || ']}}')::dynamo.item) AS large (item);
	RETURN 'done';
EXCEPTION WHEN SQLSTATE 'KV001' THEN
	RETURN sqlerrm;
END $$;
SELECT DISTINCT append_often() FROM generate_series(1, 10);
RESET statement_timeout;
SELECT dynamo.apply_update('{}', 'ADD a :v, b :v', (SELECT '{":v": {"NS": ["' || string_agg(i::text, '", "') || '"]}}' FROM generate_series(1, 60000) i)::dynamo.item);
SELECT dynamo.item_size(dynamo.apply_update('{}', 'ADD a :v, b :v', (SELECT '{":v": {"NS": ["' || string_agg(i::text, '", "') || '"]}}' FROM generate_series(1, 53000) i)::dynamo.item)) AS below;
-- 32 levels of containers, the item itself included
CREATE FUNCTION nested(levels int) RETURNS dynamo.item LANGUAGE sql AS
	$$SELECT ('{":v": ' || repeat('{"L": [', levels) || '{"N": "1"}' || repeat(']}', levels) || '}')::dynamo.item$$;
SELECT dynamo.apply_update('{}', 'SET a = :v', nested(31)) IS NOT NULL AS most,
	dynamo.apply_update('{"m": {"M": {}}}', 'SET m.a = :v', nested(30)) IS NOT NULL AS most_inside;
SELECT dynamo.apply_update('{"m": {"M": {}}}', 'SET m.a = :v', nested(31));
SELECT dynamo.apply_update('{"m": {"L": []}}', 'SET m[0] = :v', nested(31));
SELECT dynamo.apply_update('{"m": {"L": []}, "n": {"M": {"k": {"M": {}}}}}', 'SET n.k.z = list_append(m, :v)', nested(30));

-- many targets and many names at the same time
SELECT length(dynamo.apply_update('{}', 'SET ' || string_agg('a' || i || '=:v', ',' ORDER BY i * 7 % 500), :v)::text) AS chars
FROM generate_series(0, 399) i;
SELECT length(dynamo.project(('{' || string_agg('"a' || i || '": {"N": "1"}', ',') || '}')::dynamo.item,
	string_agg('a' || i, ',' ORDER BY i * 7 % 500))::text) AS chars
FROM generate_series(0, 499) i;

SET client_min_messages = warning;
DROP SCHEMA t_expr_limits CASCADE;
