-- PartiQL: ExecuteTransaction with reads or writes, all or none
CREATE SCHEMA t_partiql_transaction;
SET search_path = t_partiql_transaction;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the body of an answer; for an error its type and the rest of the body
CREATE FUNCTION tq(statements text[], more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END
	FROM dynamo.request_safe('ExecuteTransaction', ('{"TransactStatements": [' ||
		(SELECT coalesce(string_agg(CASE WHEN s LIKE '{%' THEN s ELSE '{"Statement": ' || to_json(s) || '}' END, ',' ORDER BY n), '') FROM unnest(statements) WITH ORDINALITY u (s, n)) || ']' || more || '}')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}]');
SELECT dynamo.create_table('other', 'id', partition_key_type => 'N');

-- writes
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '1', 'n': 1}$$, $$INSERT INTO tab VALUE {'pk': 'a', 'sk': '2', 'n': 2, 'g': 'x'}$$,
	$${"Statement": "INSERT INTO other VALUE {'id': ?}", "Parameters": [{"N": "1"}]}$$]);
SELECT tq(ARRAY[$$UPDATE tab SET n = n + 10 WHERE pk = 'a' AND sk = '1' AND n = 1$$, $$DELETE FROM tab WHERE pk = 'a' AND sk = '2' AND g = 'x'$$,
	$$EXISTS(SELECT * FROM other WHERE id = 1 AND x IS MISSING)$$, $$DELETE FROM other WHERE id = 2$$], ', "ReturnConsumedCapacity": "TOTAL"');
SELECT item FROM tab;
-- cancellation reasons: all false conditions, or the first invalid statement
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '1'}$$, $$INSERT INTO tab VALUE {'pk': 'a', 'sk': '3'}$$, $$UPDATE tab SET n = 0 WHERE pk = 'a' AND sk = '9'$$,
	$${"Statement": "DELETE FROM other WHERE id = 1 AND x = 1", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}$$,
	$$EXISTS(SELECT * FROM other WHERE id = 5 AND x IS MISSING)$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '1'}$$, $$UPDATE tab SET n = n + x WHERE pk = 'a' AND sk = '1' AND n = 3$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '1'}$$, $$UPDATE tab SET q = x WHERE pk = 'a' AND sk = '2'$$, $$DELETE FROM other WHERE id = 'x'$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '3'}$$, $$UPDATE other SET q = x WHERE id = 1$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '3', 'g': 1}$$, $$DELETE FROM other WHERE id = 1$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '3'}$$, $$nonsense$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': ?}$$]);
SELECT tq(ARRAY[$$DELETE FROM other WHERE id = 1$$, $$DELETE FROM tab WHERE pk = 'a'$$]);
SELECT tq(ARRAY[$$DELETE FROM other WHERE id = 1 RETURNING ALL OLD *$$]);
SELECT tq(ARRAY[$$EXISTS(SELECT * FROM other WHERE id = 1)$$]);
SELECT tq(ARRAY[$$EXISTS(SELECT * FROM tab WHERE pk = 'a' AND n = 1)$$]);
SELECT tq(ARRAY[$$EXISTS(SELECT * FROM tab.gsi WHERE pk = 'a' AND sk = '1' AND n = 1)$$]);
SELECT tq(ARRAY[$$EXISTS SELECT * FROM other WHERE id = 1$$]);
SELECT item FROM tab;
SELECT item FROM other;
-- invalid requests
SELECT tq(ARRAY[$$DELETE FROM other WHERE id = 1$$, $$UPDATE other SET x = 1 WHERE id = 1.0$$]);
SELECT tq(ARRAY[$$DELETE FROM other WHERE id = 1$$, $$SELECT * FROM other WHERE id = 2$$]);
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$EXISTS(SELECT * FROM other WHERE id = 2 AND x = 1)$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': ''}$$]);
SELECT tq(ARRAY[$$SELECT * FROM tab WHERE pk = 'a' AND sk = ''$$]);
SELECT tq(ARRAY[$$DELETE FROM other WHERE id = 'x'$$, $$INSERT INTO tab VALUE {'pk': 'a', 'sk': '5', 'g': ''}$$]);
SELECT tq(ARRAY[$$DELETE FROM nothing WHERE id = 1$$]);
SELECT tq('{}');
SELECT left(t, 40), right(t, 95) FROM tq((SELECT array_agg('DELETE FROM other WHERE id = ' || i) FROM generate_series(1, 101) i)) t;
SELECT tq((SELECT array_agg('DELETE FROM other WHERE id = ' || i) FROM generate_series(100, 199) i));

-- reads
SELECT tq(ARRAY[$$SELECT * FROM tab WHERE pk = 'a' AND sk = '1'$$, $${"Statement": "SELECT n FROM tab WHERE sk = ? AND pk = 'a'", "Parameters": [{"S": "7"}]}$$,
	$$SELECT id FROM other WHERE id = 1 AND x IS MISSING$$, $$SELECT id FROM other WHERE id = 3 AND x IS NOT MISSING$$], ', "ReturnConsumedCapacity": "TOTAL", "ClientRequestToken": "read"');
SELECT tq(ARRAY[$$SELECT id FROM other WHERE id = 1 AND x = 1$$]);
SELECT tq(ARRAY[$$SELECT * FROM tab WHERE pk = 'a' AND sk = '1'$$, $${"Statement": "SELECT n FROM tab WHERE sk = ? AND pk = 'a'", "Parameters": [{"S": "7"}]}$$,
	$$SELECT id FROM other WHERE id = 1$$], ', "ReturnConsumedCapacity": "TOTAL", "ClientRequestToken": "read"');
-- an invalid parameter is reported without its statement
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $${"Statement": "SELECT * FROM other WHERE id = ?", "Parameters": [{"N": "x"}]}$$]);
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$SELECT * FROM tab WHERE pk = 'a'$$]);
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$SELECT * FROM tab.gsi WHERE pk = 'a' AND sk = '1'$$]);
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = '1'$$]);
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$SELECT id FROM other WHERE id = 1$$]);
SELECT tq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$SELECT x.y, y FROM other WHERE id = 2$$]);

-- the same token twice
SELECT tq(ARRAY[$$UPDATE other SET c = if_not_exists(c, 0) + 1 WHERE id = 1$$], ', "ClientRequestToken": "partiql-1"');
SELECT tq(ARRAY[$$UPDATE other SET c = if_not_exists(c, 0) + 1 WHERE id = 1$$], ', "ClientRequestToken": "partiql-1", "ReturnConsumedCapacity": "TOTAL"');
SELECT tq(ARRAY[$$UPDATE other SET c = if_not_exists(c, 0) + 2 WHERE id = 1$$], ', "ClientRequestToken": "partiql-1"');
SELECT tq(ARRAY[$${"Statement": "UPDATE other SET c = ? WHERE id = 1", "Parameters": [{"N": "5"}]}$$], ', "ClientRequestToken": "partiql-2"');
SELECT tq(ARRAY[$${"Statement": "UPDATE other SET c = ? WHERE id = 1", "Parameters": [{"N": "6"}]}$$], ', "ClientRequestToken": "partiql-2"');
SELECT item FROM other;
-- the same in SQL
SET dynamo.direct_access = off;
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'b', 'sk': '1'}$$, $$UPDATE other SET c = c + 1 WHERE id = 1 AND c = 5$$, $$EXISTS(SELECT * FROM tab WHERE pk = 'a' AND sk = '1' AND n > 1)$$]);
SELECT tq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'b', 'sk': '1'}$$, $$UPDATE other SET c = c + 1 WHERE id = 1 AND c = 5$$, $$EXISTS(SELECT * FROM tab WHERE pk = 'a' AND sk = '1' AND n > 100)$$]);
SELECT tq(ARRAY[$$SELECT * FROM tab WHERE pk = 'b' AND sk = '1'$$, $$SELECT c FROM other WHERE id = 1$$]);

SET client_min_messages = warning;
DELETE FROM dynamo_internal.request_tokens WHERE token LIKE 'partiql-_';
DROP SCHEMA t_partiql_transaction CASCADE;
