-- PartiQL: INSERT, UPDATE, DELETE, their conditions and results
CREATE SCHEMA t_partiql_write;
SET search_path = t_partiql_write;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the body of an answer; for an error its type and the rest of the body
CREATE FUNCTION pq(statement text, params text DEFAULT NULL, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END
	FROM dynamo.request_safe('ExecuteStatement', ('{"Statement": ' || to_json(statement) || coalesce(', "Parameters": ' || params, '') || more || '}')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}]');

-- INSERT: every kind of value, unchanged
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 's1', 'n': -12345678901234567890.123456789012345678, 'e': 1.50E+3, 'list': [1, + 2, 'x', null, TRUE, false, [], {}],
	'map': {'in': <<'a', 'b'>>, 'it''s "so"': 'it''s'}, 'ns': <<1, 2.50>>, 'empty': '', 'ü': 'ÿ€😀'}$$);
SELECT pq($$INSERT INTO "tab" VALUE {'pk': ?, 'sk': ?, 'b': ?, 'm': {'k': ?, 'l': [?, 'x', ?]}, 's': <<?, ?>>}$$,
	'[{"S": "a"}, {"S": "s2"}, {"B": "AAE="}, {"SS": ["p"]}, {"NULL": true}, {"M": {"q": {"N": "1"}}}, {"B": "AQ=="}, {"B": "AA=="}]');
SELECT pq($$INSERT INTO tab VALUE ?$$, '[{"M": {"pk": {"S": "a"}, "sk": {"S": "s3"}}}]', ', "ReturnConsumedCapacity": "INDEXES"');
SELECT item FROM tab ORDER BY pk, sk;
-- an existing item is not replaced
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 's3', 'x': 1}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 's3', 'x': 1}$$, NULL, ', "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
-- by SQL, with another unique index, a constraint, and a snapshot that is kept
SET dynamo.direct_access = off;
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 's3', 'x': 1}$$);
RESET dynamo.direct_access;
SELECT dynamo.create_table('strict', 'pk');
CREATE UNIQUE INDEX "other" ON strict ((item OPERATOR(dynamo.->>) 'n'));
SELECT pq($$INSERT INTO strict VALUE {'pk': 'a', 'n': 1}$$);
SELECT pq($$INSERT INTO strict VALUE {'pk': 'b', 'n': 1}$$);
ALTER TABLE strict ADD CHECK (item OPERATOR(dynamo.->>) 'n' <> '3');
SELECT pq($$INSERT INTO strict VALUE {'pk': 'a', 'n': 2}$$);
DROP INDEX other;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pq($$INSERT INTO strict VALUE {'pk': 'a', 'n': 2}$$);
SELECT pq($$INSERT INTO strict VALUE {'pk': 'c', 'n': 2}$$);
SELECT pq($$INSERT INTO strict VALUE {'pk': 'c', 'n': 2}$$);
COMMIT;
TABLE strict;

SELECT pq($$INSERT INTO tab VALUE {'pk': 'a'}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 1}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': ''}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'g', 'g': 1}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': 1, 'a': 2}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': <<>>}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': <<1, 'a'>>}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': <<1, 1.0>>}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': <<<<1>>>>}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', '': 1}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': 123456789012345678901234567890123456789}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': 1e126}$$);
SELECT pq($$INSERT INTO tab VALUE ?$$, '[{"S": "a"}]');
SELECT pq(format($$INSERT INTO tab VALUE {'pk': 'a', 'sk': 'x', 'a': %s1%s}$$, repeat('[', 32), repeat(']', 32)));

-- UPDATE: all clauses form one update of the old item
SELECT pq($$UPDATE tab SET a = 1, b = list_append(['y'], list) SET c = set_add(c, <<1>>) REMOVE e, map."in" SET ns = set_delete(ns, <<1, 7>>), list[1] = a2
	WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = 1, b = list_append(['y'], list) SET c = set_add(c, <<1>>) REMOVE e, map."in" SET ns = set_delete(ns, <<1, 7>>), list[1] = empty
	WHERE pk = 'a' AND sk = 's1' RETURNING MODIFIED NEW *$$);
SELECT pq($$UPDATE tab SET a = a + ?, d = a, c = set_add(c, ?), ns = set_delete(ns, <<2.5>>), z = if_not_exists(zz, 0) - 7 WHERE 's1' = sk AND pk = 'a' RETURNING MODIFIED OLD *$$,
	'[{"N": "0.5"}, {"NS": ["1", "5"]}]');
SELECT pq($$UPDATE tab REMOVE list, b, n, "ü", map, empty WHERE pk = 'a' AND sk = 's1' RETURNING ALL NEW *$$);
SELECT pq($$UPDATE tab SET a = (d - a) WHERE pk = 'a' AND sk = 's1' AND a BETWEEN 1 AND 2 RETURNING ALL OLD *$$, NULL, ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pq($$UPDATE tab SET q = set_delete(q, <<1>>) WHERE pk = 'a' AND sk = 's1' RETURNING MODIFIED NEW *$$);
SELECT pq($$SELECT * FROM tab WHERE pk = 'a' AND sk = 's1'$$);
-- conditions: false conditions, and missing items
SELECT pq($$UPDATE tab SET a = 2 WHERE pk = 'a' AND sk = 's1' AND a = 1$$);
SELECT pq($$UPDATE tab SET a = 2 WHERE pk = 'a' AND sk = 's1' AND (a = 1 OR NOT d = 1)$$, NULL, ', "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
SELECT pq($$UPDATE tab SET a = 2 WHERE pk = 'a' AND sk = 'none'$$, NULL, ', "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
SELECT pq($$UPDATE tab SET a = 2 WHERE pk = 'a' AND sk = 'none' AND a IS MISSING$$);
-- errors of application, of keys and of types
SELECT pq($$UPDATE tab SET a = a + g WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = a + c WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = a + 'x' WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = set_add(a, <<1>>) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET c = set_add(c, <<'x'>>) WHERE pk = 'a' AND sk = 's1'$$);
-- the first argument is the target, the second a set
SELECT pq($$UPDATE tab SET a = set_add(c, <<'x'>>) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = 1,
	m.x = Set_Delete(m.y, <<'x'>>) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET c = set_add(c, d) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET c = set_delete(c, 1) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET c = set_add(c, ?) WHERE pk = 'a' AND sk = 's1'$$, '[{"L": []}]');
SELECT pq($$UPDATE tab SET m.s[0] = set_add(m.s[0], <<1>>) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = list_append(c, 1) WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET m.x = 1 WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = 1 REMOVE a WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a.b = 1, a[0] = 2 WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET sk = 's1' WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET g = 1 WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET g = d WHERE pk = 'a' AND sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = 1 WHERE pk = 'a' AND sk = 1$$);
SELECT pq($$UPDATE tab SET a = 1 WHERE pk = 'a' AND sk = ''$$);
SELECT pq($$UPDATE tab SET a = 1 WHERE pk = 'a'$$);
SELECT pq($$UPDATE tab SET a = 1 WHERE pk = 'a' AND sk IN ['s1']$$);
SELECT pq($$UPDATE tab SET a = 1 WHERE pk = 'a' OR sk = 's1'$$);
SELECT pq($$UPDATE tab SET a = 1 WHERE pk = 'a' AND sk > 's1'$$);
SELECT pq($$UPDATE nothing SET a = 1 WHERE pk = 'a' AND sk > 's1'$$);

-- DELETE
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = 's2' AND b = 1$$, NULL, ', "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = 's2' AND b = ? RETURNING ALL OLD *$$, '[{"B": "AAE="}]');
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = 's2' RETURNING ALL OLD *$$, NULL, ', "ReturnConsumedCapacity": "INDEXES"');
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = 's2' AND b = 1$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'a'$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'a' AND sk = 's3'$$);
SELECT pk, sk FROM tab ORDER BY pk, sk;
SELECT pq($$EXISTS(SELECT * FROM tab WHERE pk = 'a' AND sk = 's1' AND a = 1)$$);

-- the same in SQL, and compared with UpdateItem
SET dynamo.direct_access = off;
SELECT pq($$INSERT INTO tab VALUE {'pk': 'q', 'sk': '1', 'n': 1}$$);
SELECT pq($$INSERT INTO tab VALUE {'pk': 'q', 'sk': '1'}$$);
SELECT pq($$UPDATE tab SET n = n + 1 WHERE pk = 'q' AND sk = '1' AND n = 1 RETURNING ALL NEW *$$);
SELECT pq($$UPDATE tab SET n = n + 1 WHERE pk = 'q' AND sk = '1' AND n = 1$$);
SELECT pq($$UPDATE tab SET n = n + 1 WHERE pk = 'q' AND sk = '2'$$);
SELECT pq($$DELETE FROM tab WHERE pk = 'q' AND sk = '1' RETURNING ALL OLD *$$);
RESET dynamo.direct_access;
CREATE FUNCTION same(before jsonb, clauses text, update_expression text, vals json) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE a jsonb; b jsonb;
BEGIN
	PERFORM dynamo.put_item('tab', '{"pk": "e", "sk": "1"}' || before);
	a := pq('UPDATE tab ' || clauses || $q$ WHERE pk = 'e' AND sk = '1' RETURNING ALL NEW *$q$)::jsonb -> 'Items' -> 0;
	PERFORM dynamo.put_item('tab', '{"pk": "e", "sk": "1"}' || before);
	b := dynamo.request('UpdateItem', json_build_object('TableName', 'tab', 'Key', '{"pk": {"S": "e"}, "sk": {"S": "1"}}'::json,
		'UpdateExpression', update_expression, 'ExpressionAttributeValues', vals, 'ReturnValues', 'ALL_NEW'))::jsonb -> 'Attributes';
	RETURN a = b;
END $$;
SELECT same('{"a": 1, "l": [1, 2, 3]}', 'SET a = a + 1, l[5] = 7, l[0] = a REMOVE l[1]', 'SET a = a + :a, l[5] = :b, l[0] = a REMOVE l[1]', '{":a": {"N": "1"}, ":b": {"N": "7"}}');
SELECT same('{"m": {"x": 1}}', $$SET m.y = <<'a'>>, m.x = if_not_exists(m.z, [{'k': null}]) SET s = set_add(s, <<1, 2>>)$$, 'SET m.y = :a, m.x = if_not_exists(m.z, :l) ADD s :s',
	'{":a": {"SS": ["a"]}, ":l": {"L": [{"M": {"k": {"NULL": true}}}]}, ":s": {"NS": ["1", "2"]}}');

SET client_min_messages = warning;
DROP SCHEMA t_partiql_write CASCADE;
