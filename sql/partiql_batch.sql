-- PartiQL: BatchExecuteStatement, whose statements succeed or fail separately
CREATE SCHEMA t_partiql_batch;
SET search_path = t_partiql_batch;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the responses of a batch, one per line, and the rest of the answer; for an error its type and the rest
CREATE FUNCTION bq(statements text[], more text DEFAULT '') RETURNS SETOF text LANGUAGE sql AS $$
	SELECT unnest(CASE WHEN r ->> 'status' = '200' THEN
			ARRAY(SELECT e::text FROM json_array_elements(r -> 'body' -> 'Responses') e) || array_remove(ARRAY[(r -> 'body' -> 'ConsumedCapacity')::text], NULL)
		ELSE ARRAY[regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2')] END)
	FROM dynamo.request_safe('BatchExecuteStatement', ('{"Statements": [' ||
		(SELECT coalesce(string_agg(CASE WHEN s LIKE '{%' THEN s ELSE '{"Statement": ' || to_json(s) || '}' END, ',' ORDER BY n), '') FROM unnest(statements) WITH ORDINALITY u (s, n)) || ']' || more || '}')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}]');
SELECT dynamo.create_table('other', 'id', partition_key_type => 'N');

-- writes of different items
INSERT INTO other (item) VALUES ('{"id": {"N": "5"}, "n": {"N": "1"}}');
SELECT bq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'a', 'sk': '1', 'n': 1}$$, $$INSERT INTO other VALUE {'id': ?}$$, $$INSERT INTO other VALUE {'id': 1}$$, $$INSERT INTO other VALUE {'id': 5}$$]);
SELECT bq(ARRAY[$$UPDATE tab SET n = n + 1 WHERE pk = 'a' AND sk = '1' RETURNING MODIFIED NEW *$$, $$UPDATE other SET n = n + 's' WHERE id = 5$$]);
SELECT bq(ARRAY[$$UPDATE tab SET n = n + 1 WHERE pk = 'a' AND sk = '1' AND n = 1$$]);
SELECT bq(ARRAY[$${"Statement": "UPDATE tab SET n = ? WHERE pk = 'a' AND sk = '1' AND n = ?", "Parameters": [{"N": "1"}, {"N": "1"}], "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}$$]);
SELECT bq(ARRAY[$$UPDATE tab SET g = 1 WHERE pk = 'a' AND sk = '1'$$,
	$$UPDATE tab SET n = 1 WHERE pk = 'a'$$,
	$$DELETE FROM other WHERE id = 4$$,
	$$DELETE FROM nothing WHERE id = 1$$,
	$$DELETE FROM "tab" WHERE pk = 'a' AND sk = '2' AND x = 1$$,
	$$DELETE FROM other WHERE id = 5$$,
	$$nonsense$$,
	$$EXISTS(SELECT * FROM tab WHERE pk = 'a' AND sk = '1' AND n = 1)$$]);
SELECT item FROM tab;
SELECT item FROM other;
-- the same in SQL
SET dynamo.direct_access = off;
SELECT bq(ARRAY[$$INSERT INTO tab VALUE {'pk': 'b', 'sk': '1', 'n': 1}$$, $$INSERT INTO tab VALUE {'pk': 'a', 'sk': '1'}$$]);
SELECT bq(ARRAY[$$UPDATE tab SET n = n + 1 WHERE pk = 'b' AND sk = '1' RETURNING ALL NEW *$$, $$DELETE FROM tab WHERE pk = 'a' AND sk = '1' AND n = 9$$]);
SELECT bq(ARRAY[$$DELETE FROM tab WHERE pk = 'b' AND sk = '1' AND n = 2 RETURNING ALL OLD *$$]);
RESET dynamo.direct_access;
-- two statements for one item fail the batch, whatever other errors there are
SELECT bq(ARRAY[$$INSERT INTO other VALUE {'id': 7}$$, $$DELETE FROM other WHERE id = 7.0$$]);
SELECT bq(ARRAY[$$INSERT INTO other VALUE {'id': 8}$$, $$nonsense$$, $$SELECT * FROM nothing$$, $$DELETE FROM t_partiql_batch.other WHERE id = 8$$]);
SELECT bq(ARRAY[$$INSERT INTO other VALUE {'id': 8}$$, $$nonsense$$, $$DELETE FROM nothing WHERE id = 8$$, $$DELETE FROM "t_partiql_batch.other" WHERE id = 8$$]);
SELECT bq(ARRAY[$$SELECT * FROM tab WHERE pk = 'a' AND sk = '1'$$, $$SELECT n FROM tab WHERE sk = '1' AND pk = 'a' AND n > 1$$]);
SELECT bq(ARRAY[$$INSERT INTO other VALUE {'n': 8}$$, $$INSERT INTO other VALUE {'n': 8}$$]);
SELECT count(*) FROM other WHERE id IN (7, 8);

-- reads of single items
INSERT INTO tab (item) VALUES ('{"pk": {"S": "a"}, "sk": {"S": "3"}, "n": {"N": "1"}}');
SELECT bq(ARRAY[$$SELECT * FROM tab WHERE pk = 'a' AND sk = '1'$$,
	$$SELECT n, sk FROM tab WHERE sk = '3' AND pk = 'a' AND n > 0$$,
	$${"Statement": "SELECT * FROM other WHERE id = ?", "Parameters": [{"N": "1.0"}], "ConsistentRead": true}$$,
	$$SELECT * FROM other WHERE id = 2$$,
	$$SELECT * FROM other WHERE id = '2'$$,
	$$SELECT * FROM tab WHERE pk = 'a'$$,
	$$SELECT * FROM tab$$,
	$$SELECT * FROM tab WHERE pk = 'a' AND sk IN ['1']$$,
	$$SELECT * FROM tab.gsi WHERE pk = 'a' AND sk = '1'$$,
	$$SELECT * FROM tab WHERE pk = 'a' AND sk = '4' AND pk.x = 1$$,
	$$SELECT * FROM nothing WHERE id = 2$$]);
SELECT bq(ARRAY[$$SELECT n FROM tab WHERE sk = '1' AND pk = 'a' AND n > 100$$]);
DELETE FROM tab WHERE sk = '3';
-- reads and writes cannot be mixed
SELECT bq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$DELETE FROM other WHERE id = 1$$]);
SELECT count(*) FROM other;
-- capacity of the successful statements
SELECT bq(ARRAY[$$SELECT * FROM other WHERE id = 1$$, $$SELECT * FROM tab$$, $${"Statement": "SELECT * FROM other WHERE id = 7", "ConsistentRead": true}$$], ', "ReturnConsumedCapacity": "TOTAL"');
SELECT bq(ARRAY[$$UPDATE tab SET g = 'g' WHERE pk = 'a' AND sk = '1'$$, $$DELETE FROM tab WHERE pk = 'a'$$, $$DELETE FROM other WHERE id = 7$$], ', "ReturnConsumedCapacity": "INDEXES"');

-- privileges are those of the table: AccessDenied for one statement
CREATE ROLE regress_partiql_batch;
GRANT USAGE ON SCHEMA t_partiql_batch TO regress_partiql_batch;
GRANT SELECT, INSERT, UPDATE ON tab TO regress_partiql_batch;
SET ROLE regress_partiql_batch;
SELECT bq(ARRAY[$$UPDATE tab SET n = 100 WHERE pk = 'a' AND sk = '1' RETURNING MODIFIED NEW *$$, $$DELETE FROM tab WHERE pk = 'a' AND sk = '2'$$, $$DELETE FROM other WHERE id = 1$$]);
SELECT bq(ARRAY[$$SELECT n FROM tab WHERE pk = 'a' AND sk = '1'$$, $$SELECT * FROM other WHERE id = 1$$]);
RESET ROLE;
-- the same for row security
ALTER TABLE tab ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON tab TO regress_partiql_batch USING ("pk" <> 'a');
SET ROLE regress_partiql_batch;
SELECT bq(ARRAY[$$SELECT n FROM tab WHERE pk = 'a' AND sk = '1'$$]);
SELECT bq(ARRAY[$$UPDATE tab SET n = 0 WHERE pk = 'a' AND sk = '1'$$, $$INSERT INTO tab VALUE {'pk': 'a', 'sk': '2'}$$, $$INSERT INTO tab VALUE {'pk': 'b', 'sk': '2'}$$]);
SELECT dynamo.request('ExecuteStatement', '{"Statement": "SELECT pk, sk FROM tab"}');
RESET ROLE;

-- limits
SELECT bq('{}');
SELECT left(string_agg(b, ''), 40), right(string_agg(b, ''), 95) FROM bq((SELECT array_agg('SELECT * FROM other WHERE id = ' || i) FROM generate_series(1, 26) i)) b;
SELECT count(*) FROM bq((SELECT array_agg('SELECT * FROM other WHERE id = ' || i) FROM generate_series(1, 25) i));
-- an error of the calling transaction is not the error of a statement
BEGIN;
SELECT bq(ARRAY[$$DELETE FROM other WHERE id = 1$$, $$DELETE FROM other WHERE id = 'x'$$]);
SELECT count(*) FROM other;
ROLLBACK;
SELECT count(*) FROM other;

SET client_min_messages = warning;
DROP SCHEMA t_partiql_batch CASCADE;
DROP ROLE regress_partiql_batch;
