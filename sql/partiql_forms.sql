-- PartiQL: FROM before SET, functions that are compared, types after IS, branches of OR, comments
CREATE SCHEMA t_partiql_forms;
SET search_path = t_partiql_forms;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the items of an answer; for an error its message
CREATE FUNCTION pq(statement text, params text DEFAULT NULL, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body' -> 'Items')::text
		ELSE regexp_replace(r -> 'body' ->> '__type', '.*#', '') || ': ' || (r -> 'body' ->> 'message') END
	FROM dynamo.request_safe('ExecuteStatement', ('{"Statement": ' || to_json(statement) || coalesce(', "Parameters": ' || params, '') || more || '}')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', sort_key => 'sk');
SELECT dynamo.put_item('tab', '{"pk": "a", "sk": "1", "n": 1, "b": true, "s": "x", "m": {"inner": 1}, "z": null}'::jsonb);
SELECT dynamo.put_item('tab', '{"pk": "a", "sk": "2", "n": 2, "b": false, "l": [1], "ss": "none"}'::jsonb);
SELECT dynamo.put_item('tab', '{"pk": "b", "sk": "1", "n": 3}'::jsonb);

-- an update that begins with FROM
SELECT pq($$FROM "tab" WHERE pk = 'a' AND sk = '1' SET n = n + 1$$);
SELECT pq($$from tab where pk = 'a' and sk = '1' set n = n + 1 set s = 'y' remove b returning all new *$$);
SELECT pq($$FROM "tab" WHERE pk = ? AND sk = ? AND n = ? SET n = ? RETURNING MODIFIED OLD *$$, '[{"S": "a"}, {"S": "1"}, {"N": "3"}, {"N": "1"}]');
SELECT pq($$FROM "tab" WHERE pk = 'a' AND sk = '1' REMOVE s, z SET b = TRUE RETURNING MODIFIED NEW *$$);
SELECT pq($$UPDATE "tab" SET s = 'x' SET z = NULL REMOVE q WHERE pk = 'a' AND sk = '1' RETURNING ALL NEW *$$);
SELECT pq($$FROM "tab" WHERE pk = 'a' AND sk = '9' SET n = 1$$);
SELECT pq($$FROM "tab" WHERE pk = 'a' AND sk = '1' AND n = 9 SET n = 1$$);
SELECT pq($$FROM "tab" WHERE pk = 'a' SET n = 1$$);
SELECT pq($$FROM "tab" SET n = 1$$);
SELECT pq($$FROM "tab" SET n = 1 WHERE pk = 'a' AND sk = '1'$$);
SELECT pq($$FROM "tab" WHERE pk = 'a' AND sk = '1'$$);
SELECT pq($$FROM "tab" t WHERE pk = 'a' AND sk = '1' SET n = 1$$);
SELECT pq($$FROM "nothing" WHERE pk = 'a' AND sk = '1' SET n = 1$$);
SELECT dynamo.request_safe('BatchExecuteStatement', $${"Statements": [
	{"Statement": "FROM tab WHERE pk = 'a' AND sk = '2' SET n = n + 10 RETURNING MODIFIED NEW *"},
	{"Statement": "FROM tab WHERE pk = 'a' AND sk = '9' SET n = n + 10"},
	{"Statement": "FROM tab WHERE pk = 'b' AND sk = '1' REMOVE nothing RETURNING MODIFIED OLD *"}]}$$);
SELECT dynamo.request_safe('ExecuteTransaction', $${"TransactStatements": [
	{"Statement": "FROM tab WHERE pk = 'a' AND sk = '2' SET n = n - ?", "Parameters": [{"N": "10"}]},
	{"Statement": "UPDATE tab SET n = 3 REMOVE q SET s = 'b' WHERE pk = 'b' AND sk = '1'"}]}$$);
SELECT dynamo.request_safe('ExecuteTransaction', $${"TransactStatements": [
	{"Statement": "FROM tab WHERE pk = 'a' AND sk = '2' SET n = 1 RETURNING ALL OLD *"}]}$$);
SELECT item FROM tab ORDER BY item;

-- functions in any case, compared with booleans, parameters, attributes and each other
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND ATTRIBUTE_EXISTS(l) = true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND Attribute_Exists(l) = false$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(l) <> true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND true = attribute_exists("l")$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(l) = ?$$, '[{"BOOL": true}]');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(l) = ?$$, '[{"BOOL": false}]');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(l) = ?$$, '[{"S": "true"}]');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(s) = b$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(s) = attribute_exists(l)$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(s) <> attribute_exists(l)$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(m."inner") = true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(m.inner) = true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND contains(s, 'x') = true AND NOT BEGINS_WITH(s, 'y') = true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(l) < true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND (n = 1) = true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(l) = (n = 1)$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND (n = 1) <> attribute_exists(l)$$);
-- comparisons inside each other, which would double with each level
SELECT pq('SELECT sk FROM tab WHERE ' || repeat('attribute_exists(l) = (', 190) || 'attribute_exists(l)' || repeat(')', 190));
SELECT pq($$UPDATE tab SET n = 5 WHERE pk = 'a' AND sk = '1' AND attribute_exists(l) = true$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists(?)$$, '[{"S": "l"}]');
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND attribute_exists()$$);

-- types
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND b IS BOOL$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND s IS STRING$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND s IS NOT STRING$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND n IS INT4 AND n IS double precision AND n IS decimal(5, 2)$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND s IS CHARACTER VARYING (10)$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND z IS NULL$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND z IS NOT MISSING$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND s IS FOO$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND s IS TIMESTAMP$$);
SELECT pq($$x IS INT4$$);

-- branches of OR that overlap on the sort key, and those that do not
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND n = 1 OR pk = 'a' AND sk = '2'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND n <> 1 OR pk = 'a' AND sk = '2'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND sk < '2' OR pk = 'a' AND sk BETWEEN '1' AND '3'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND begins_with(sk, '2') OR pk = 'a' AND '21' = sk$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND sk IN ['2', '3'] OR pk = 'a' AND sk = '3'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND sk IN ['1', '3'] OR pk = 'a' AND sk = '2'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND sk = '1' OR pk = 'a' AND sk > '1'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND begins_with(sk, '2') OR pk = 'a' AND sk < '2'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND sk = '1' OR pk = 'b' AND sk = '1'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND NOT sk = '1' OR pk = 'a' AND sk = '2'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND sk <> '1' OR pk = 'a'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND NOT begins_with(sk, 'x') OR pk = 'a' AND n = 1$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND NOT sk IN ['1'] OR pk = 'a' AND sk = '1'$$);
SELECT pq($$SELECT sk FROM tab WHERE pk = 'a' AND NOT sk > '5' OR pk = 'a' AND sk = '1'$$);

-- literals, comments, what is left over
SELECT pq($$INSERT INTO tab VALUE {'pk': 'c', 'sk': '1', 'n': [7.31e6, 7.31E+6, .73e1, -.73e1]}$$);
SELECT pq($$SELECT n FROM tab WHERE pk = 'c'$$);
SELECT pq($$-- first
	SELECT n /* the
	number */ FROM tab -- last
	WHERE pk = 'b'$$);
SELECT pq($$SELECT n FROM tab WHERE n = 1 e5$$);
SELECT pq($$SELECT n FROM tab WHERE n = 1e2147483648$$);
SELECT pq($$SELECT n FROM tab WHERE n = 1.5e-2147483647$$);
SELECT pq($$SELECT n FROM tab WHERE n = 1e126$$);
SELECT pq($$SELECT n FROM tab WHERE n = 1e-131$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'c', 'sk': '1', 'x': [1, {'y': 1e126}]}$$);
SELECT pq($$SELECT n FROM tab WHERE n = [1, 1e126]$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'c', 'sk': '1', 'x': set_add(x, <<1>>)}$$);
SELECT pq($$INSERT INTO tab t VALUE {'pk': 'c'}$$);
SELECT pq($$UPDATE tab t SET n = 1$$);
SELECT pq($$UPDATE tab AS t SET n = 1$$);
SELECT pq($$DELETE FROM tab t$$);
SELECT pq($$DELETE FROM$$);
SELECT pq($$DELETE FROM;$$);
SELECT pq($$DELETE FROM WHERE pk = 'a'$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = '1' ORDER BY sk$$);
SELECT pq($$SELECT * FROM tab ORDER BY sk WHERE pk = 'a'$$);
SELECT pq($$SELECT * FROM tab WHERE ORDER BY pk$$);
SELECT pq($$SELECT * FROM tab WHERE IS NULL$$);
SELECT pq($$SELECT * FROM tab WHERE pk = LIKE$$);
SELECT pq($$SELECT * FROM tab WHERE;$$);
SELECT pq($$SELECT * FROM tab WHERE NOT$$);
SELECT pq($$SELECT * FROM tab WHERE ($$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' OR$$);
SELECT pq($$SELECT * FROM ""$$);
SELECT pq($$SELECT * FROM "tab".""$$);
SELECT pq($$SELECT * FROM tab WHERE EXISTS(ss)$$);
SELECT pq($$SELECT * FROM tab WHERE SET_ADD(ss, <<1>>) = 1$$);
SELECT pq($$UPDATE tab SET ss = set_add(ss, <<>>) WHERE pk = 'a' AND sk = '1'$$);
SELECT pq($$UPDATE tab SET ss = set_add(ss, <<'x', 'x'>>) WHERE pk = 'a' AND sk = '1'$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = '9'$$);
SELECT pq($$UPDATE tab REMOVE nothing WHERE pk = 'a' AND sk = '1' RETURNING MODIFIED NEW *$$);

-- what a session keeps of large statements is bounded
DO $$ BEGIN
	FOR i IN 1 .. 150 LOOP
		PERFORM dynamo.request('ExecuteStatement', json_build_object('Statement', 'SELECT * FROM tab WHERE pk = ''none'' AND n = [' || i || repeat(',1', 4000) || ']'));
	END LOOP;
END $$;
SELECT sum(total_bytes) < 20 * 1024 * 1024 AS bounded FROM pg_backend_memory_contexts WHERE name = 'dynamo parse tree';

SET client_min_messages = warning;
DROP SCHEMA t_partiql_forms CASCADE;
