-- PartiQL: the grammar, its errors and its limits
CREATE SCHEMA t_partiql_syntax;
SET search_path = t_partiql_syntax;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the body of an answer; for an error its message
CREATE FUNCTION pq(statement text, params text DEFAULT NULL, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace(r -> 'body' ->> 'message', '^Statement wasn.t well formed, can.t be processed: ', '') END
	FROM dynamo.request_safe('ExecuteStatement', ('{"Statement": ' || to_json(statement) || coalesce(', "Parameters": ' || params, '') || more || '}')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk');
SELECT dynamo.create_table('my-table.x', 'pk');
SELECT dynamo.put_item('tab', '{"pk": "a", "n": 1, "Name": "x", "year": 2, "a b": {"c\"d": [1]}, "_x$1": 7, "é": 3}'::jsonb);
SELECT dynamo.request_safe('ExecuteStatement', '{"Statement": "SELEKT"}');

-- keywords in any case, white space, comments, the semicolon
SELECT pq($$  sElEcT	N,n/* a -- comment */from"tab"-- to the end
	wHeRe pk='a'/**/oR/* * / */pk='b'  ;  -- nothing more$$);
SELECT pq($$SELECT pk FROM "my-table.x"$$);
SELECT pq($$SELECT "a b"."c""d"[ 0 ], "year", "Name", _x$1, "é" FROM tab$$);
SELECT pq($$SELECT pk FROM tab WHERE "year"=2AND n=1$$);
SELECT pq($$SELECT pk FROM tab WHERE n = -1 OR n = - 1 OR n = +1.0e0 OR n = .5E+2$$);
SELECT pq($$SELECT pk FROM tab WHERE (((n))) = ((1)) AND ((NOT (NOT n <> 1)) OR NOT NOT (n = 1))$$);
SELECT pq($$SELECT pk FROM tab WHERE n = 1 AND n = 1 OR n = 2 AND n = 3$$);
SELECT pq($$SELECT pk FROM tab WHERE n = 1 AND (n = 1 OR n = 2) AND n = 3$$);

-- errors with their positions: line, column, length
SELECT pq($$$$);
SELECT pq($$ -- nothing$$);
SELECT pq($$;$$);
SELECT pq($$DROP TABLE tab$$);
SELECT pq($$SELECT$$);
SELECT pq($$SELECT *$$);
SELECT pq($$SELECT * FROM$$);
SELECT pq($$SELECT * FROM 'tab'$$);
SELECT pq($$SELECT * FROM my-table$$);
SELECT pq($$SELECT * FROM tab.$$);
SELECT pq($$SELECT * FROM tab, tab$$);
SELECT pq($$SELECT * FROM tab.a.b$$);
SELECT pq($$SELECT * FROM tab t$$);
SELECT pq($$SELECT * FROM tab AS t$$);
SELECT pq($$SELECT pk AS x FROM tab$$);
SELECT pq($$SELECT *, pk FROM tab$$);
SELECT pq($$SELECT pk, FROM tab$$);
SELECT pq($$SELECT 'pk' FROM tab$$);
SELECT pq($$SELECT year FROM tab$$);
SELECT pq($$SELECT n.date FROM tab$$);
SELECT pq($$SELECT "" FROM tab$$);
SELECT pq($$SELECT n[] FROM tab$$);
SELECT pq($$SELECT n[a] FROM tab$$);
SELECT pq($$SELECT n[-1] FROM tab$$);
SELECT pq($$SELECT n[1.5] FROM tab$$);
SELECT pq($$SELECT n[99999999999] FROM tab$$);
SELECT pq($$SELECT n..a FROM tab$$);
SELECT pq('SELECT n' || repeat('.n', 31) || ' FROM tab');
SELECT pq('SELECT n' || repeat('[0]', 32) || ' FROM tab');
SELECT pq($$SELECT COUNT(*) FROM tab$$);
SELECT pq($$SELECT size(n) FROM tab$$);
SELECT pq($$SELECT * FROM tab; SELECT * FROM tab$$);
SELECT pq(E'SELECT *\nFROM tab\r\n  WHERE é = ''é'' !');
SELECT pq($$SELECT * FROM tab WHERE$$);
SELECT pq($$SELECT * FROM tab WHERE n$$);
SELECT pq($$SELECT * FROM tab WHERE 1$$);
SELECT pq($$SELECT * FROM tab WHERE n = $$);
SELECT pq($$SELECT * FROM tab WHERE n == 1$$);
SELECT pq($$SELECT * FROM tab WHERE n = 1 = 2$$);
SELECT pq($$SELECT * FROM tab WHERE (n = 1) = 2$$);
SELECT pq($$SELECT * FROM tab WHERE (n = 1$$);
SELECT pq($$SELECT * FROM tab WHERE n = 1)$$);
SELECT pq($$SELECT * FROM tab WHERE n AND n = 1$$);
SELECT pq($$SELECT * FROM tab WHERE n = 1 AND$$);
SELECT pq($$SELECT * FROM tab WHERE NOT n$$);
SELECT pq($$SELECT * FROM tab WHERE n IN 1$$);
SELECT pq($$SELECT * FROM tab WHERE n IN []$$);
SELECT pq($$SELECT * FROM tab WHERE n IN [1, 2)$$);
SELECT pq($$SELECT * FROM tab WHERE n IN (SELECT pk FROM tab)$$);
SELECT pq($$SELECT * FROM tab WHERE n BETWEEN 1$$);
SELECT pq($$SELECT * FROM tab WHERE n BETWEEN 2 AND 1$$);
SELECT pq($$SELECT * FROM tab WHERE n BETWEEN 'a' AND 1$$);
SELECT pq($$SELECT * FROM tab WHERE n NOT = 1$$);
SELECT pq($$SELECT * FROM tab WHERE n LIKE 'a'$$);
SELECT pq($$SELECT * FROM tab WHERE n IS$$);
SELECT pq($$SELECT * FROM tab WHERE n IS 1$$);
SELECT pq($$SELECT * FROM tab WHERE n IS NOT text$$);
SELECT pq($$SELECT * FROM tab WHERE 1 IS NULL$$);
SELECT pq($$SELECT * FROM tab WHERE n < TRUE$$);
SELECT pq($$SELECT * FROM tab WHERE n = n$$);
SELECT pq($$SELECT * FROM tab WHERE n + 1 = 2$$);
SELECT pq($$SELECT * FROM tab WHERE n = 'a$$);
SELECT pq($$SELECT * FROM tab WHERE "n = 1$$);
SELECT pq($$SELECT * FROM tab /* WHERE$$);
SELECT pq($$SELECT * FROM tab WHERE n = 1a$$);
SELECT pq($$SELECT * FROM tab WHERE n = #$$);
SELECT pq($$SELECT * FROM tab WHERE n = [1, 2$$);
SELECT pq($$SELECT * FROM tab WHERE n = [1 2]$$);
SELECT pq($$SELECT * FROM tab WHERE n = {a: 1}$$);
SELECT pq($$SELECT * FROM tab WHERE n = {'a' 1}$$);
SELECT pq($$SELECT * FROM tab WHERE n = {'a': 1 'b': 1}$$);
SELECT pq($$SELECT * FROM tab WHERE n = <<1, 2>$$);
SELECT pq($$SELECT * FROM tab WHERE n = [pk]$$);
-- functions
SELECT pq($$SELECT * FROM tab WHERE nothing(n)$$);
SELECT pq($$SELECT * FROM tab WHERE size(n)$$);
SELECT pq($$SELECT * FROM tab WHERE size(n, n) = 1$$);
SELECT pq($$SELECT * FROM tab WHERE size(size(n)) = 1$$);
SELECT pq($$SELECT * FROM tab WHERE contains(n) OR n = 1$$);
SELECT pq($$SELECT * FROM tab WHERE contains() OR n = 1$$);
SELECT pq($$SELECT * FROM tab WHERE contains(n, 1) = TRUE$$);
SELECT pq($$SELECT * FROM tab WHERE begins_with(n, 1)$$);
SELECT pq($$SELECT * FROM tab WHERE begins_with(begins_with(n, 'a'), 'a')$$);
SELECT pq($$SELECT * FROM tab WHERE attribute_type(n, 'X')$$);
SELECT pq($$SELECT * FROM tab WHERE attribute_exists('n')$$);
SELECT pq($$SELECT * FROM tab WHERE list_append(n, n) = 1$$);
SELECT pq($$SELECT * FROM tab WHERE EXISTS(SELECT * FROM tab)$$);
SELECT pq($$UPDATE tab SET n = size(n) WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = set_add(<<1>>, <<1>>) WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = set_add(n) WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = list_append(list_append(n, n), n) WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = set_add(n, <<1>>) + 1 WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = n + 1 + 1 WHERE pk = 'a'$$);
-- unsupported clauses, and clauses of other statements
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' LIMIT 1$$);
SELECT pq($$SELECT * FROM tab GROUP BY pk$$);
SELECT pq($$SELECT DISTINCT pk FROM tab$$);
SELECT pq($$SELECT * FROM tab JOIN tab$$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' ORDER pk$$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' ORDER BY pk UP$$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' ORDER BY 1$$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' RETURNING ALL OLD *$$);
SELECT pq($$INSERT INTO tab VALUES ('a')$$);
SELECT pq($$INSERT INTO tab VALUE ('a')$$);
SELECT pq($$INSERT INTO tab VALUE ['a']$$);
SELECT pq($$INSERT INTO tab <<{'pk': 'b'}>>$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'b'} RETURNING ALL OLD *$$);
SELECT pq($$UPDATE tab WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = 1$$);
SELECT pq($$UPDATE tab SET n WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = 1, WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET n = 1 WHERE pk = 'a' RETURNING OLD$$);
SELECT pq($$UPDATE tab SET n = 1 WHERE pk = 'a' RETURNING ALL NEW$$);
SELECT pq($$UPDATE tab SET n = 1 WHERE pk = 'a' RETURNING ALL NEW *, ALL OLD *$$);
SELECT pq($$DELETE FROM tab$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'a' RETURNING ALL NEW *$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'a' RETURNING MODIFIED OLD *$$);
-- parameters and limits
SELECT pq($$SELECT pk FROM tab WHERE pk = ?$$);
SELECT pq($$SELECT pk FROM tab WHERE pk = ?$$, '[{"S": "a"}, {"S": "b"}]');
SELECT pq($$SELECT pk FROM tab WHERE pk = '?'$$, '[{"S": "a"}]');
SELECT pq($$SELECT pk FROM tab$$, '[]');
SELECT pq($$SELECT pk FROM tab WHERE pk = ?$$, '[null]');
SELECT pq($$SELECT pk FROM tab WHERE pk = ?$$, '[{}]');
SELECT pq($$SELECT pk FROM tab WHERE pk = ?$$, '[{"N": "x"}]');
SELECT pq($$SELECT pk FROM tab$$, NULL, ', "Limit": 0, "ReturnConsumedCapacity": "X", "NextToken": ""');
SELECT pq(rpad($$SELECT pk FROM tab WHERE "é" = 3$$, 8192));
SELECT left(pq(rpad($$SELECT pk FROM tab WHERE "é" = 3$$, 8193)), 80);
-- U+0000 does not end a statement; the text after it counts
SELECT dynamo.request_safe('ExecuteStatement', format('{"Statement": "SELECT pk FROM tab WHERE n <> ''\u0000%s''"}', repeat('x', 8159))::json);
SELECT right(dynamo.request_safe('ExecuteStatement', format('{"Statement": "SELECT pk FROM tab WHERE n <> ''\u0000%s''"}', repeat('x', 8160))::json)::text, 120);
SELECT pq(format('SELECT pk FROM tab WHERE %sn = 1%s', repeat('(', 200), repeat(')', 200)));
SELECT pq(format('SELECT pk FROM tab WHERE %sn = 1%s', repeat('(', 201), repeat(')', 201)));
SELECT pq(format('SELECT pk FROM tab WHERE %s n = 1', repeat('NOT ', 300)));
SELECT pq(format('SELECT pk FROM tab WHERE n = %s%s', repeat('[', 300), repeat(']', 300)));
SELECT pq('SELECT pk FROM tab WHERE n = 1' || repeat(' OR n = 1', 149));
SELECT pq('SELECT pk FROM tab WHERE n = 1' || repeat(' OR n = 1', 150));

SET client_min_messages = warning;
DROP SCHEMA t_partiql_syntax CASCADE;
