-- TransactWriteItems: answers, cancellation, messages, capacity
CREATE SCHEMA t_request_transact_write_items;
SET search_path = t_request_transact_write_items;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'a', 'sk', 's' || i, 'x', i) FROM generate_series(1, 3) i;
CREATE FUNCTION tx(items text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT req('TransactWriteItems', '{"TransactItems": [' || items || ']' || more || '}') $$;

-- all four actions
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(n)"}},
	{"Update": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s1"}}, "UpdateExpression": "ADD x :ten", "ExpressionAttributeValues": {":ten": {"N": "10"}}}},
	{"Delete": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s2"}}}},
	{"ConditionCheck": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s3"}}, "ConditionExpression": "#x = :three", "ExpressionAttributeNames": {"#x": "x"}, "ExpressionAttributeValues": {":three": {"N": "3"}}}}');
SELECT item FROM tab ORDER BY sk;
SELECT item FROM num;

-- canceled: every false condition is reported, nothing is written
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(n)"}},
	{"Put": {"TableName": "num", "Item": {"n": {"N": "2"}}}},
	{"ConditionCheck": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s3"}}, "ConditionExpression": "x = :x", "ExpressionAttributeValues": {":x": {"N": "0"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Delete": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "gone"}}, "ConditionExpression": "attribute_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}');
SELECT count(*) FROM num;
DO $$
DECLARE d text;
BEGIN
	PERFORM dynamo.request('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(n)"}}]}');
EXCEPTION WHEN SQLSTATE 'KV005' THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
	RAISE NOTICE '% / %', SQLERRM, d;
END $$;
-- canceled by an invalid action: only the first one is reported
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "3"}}, "ConditionExpression": "attribute_exists(n)"}}, {"Put": {"TableName": "num", "Item": {"n": {"S": "3"}}}}, {"Put": {"TableName": "num", "Item": {}}}');
SELECT tx('{"Delete": {"TableName": "tab", "Key": {"pk": {"S": "a"}}}}');
SELECT tx('{"Delete": {"TableName": "tab", "Key": {"pk": {"S": "' || repeat('x', 2049) || '"}, "sk": {"S": "a"}}}}');
SELECT tx('{"Put": {"TableName": "tab", "Item": {"pk": {"S": "a"}, "sk": {"S": "s1"}, "g": {"N": "1"}}}}');
SELECT tx('{"Update": {"TableName": "num", "Key": {"n": {"N": "1"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"S": "' || repeat('x', 409600) || '"}}}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "9"}}}}, {"Put": {"TableName": "num", "Item": {"n": {"N": "1"}, "x": ' || repeat('{"L": [', 32) || repeat(']}', 32) || '}}}');
SELECT tx('{"Update": {"TableName": "num", "Key": {"n": {"N": "1"}}, "UpdateExpression": "SET x = y"}}');
SELECT tx('{"Update": {"TableName": "num", "Key": {"n": {"N": "1"}}, "UpdateExpression": "SET n = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}');
SELECT tx('{"Update": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s1"}}, "UpdateExpression": "SET g = x"}}');

-- messages for the whole request
SELECT tx('');
SELECT tx('{}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}}, "Delete": {"TableName": "num", "Key": {"n": {"N": "1"}}}}');
SELECT tx('{"Put": {}}, null');
SELECT tx('{"Update": {"TableName": "num", "Key": {"n": {"N": "1"}}}}');
SELECT tx('{"ConditionCheck": {"TableName": "num", "Key": {"n": {"N": "1"}}}}');
SELECT tx((SELECT string_agg('{"Delete": {"TableName": "num", "Key": {"n": {"N": "' || i || '"}}}}', ', ') FROM generate_series(1, 101) i)) ~ 'at .transactItems. failed to satisfy constraint: Member must have length less than or equal to 100';
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}}}, {"Delete": {"TableName": "num", "Key": {"n": {"N": "1.0"}}}}');
SELECT tx('{"Put": {"TableName": "none", "Item": {"n": {"N": "1"}}}}');
SELECT tx('{"Put": {"TableName": "tab", "Item": {"pk": {"S": ""}, "sk": {"S": "1"}}}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "x"}}}}');
-- an item in a Put that is too large; an empty index key, even after an action that cancels
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}, "x": {"S": "' || repeat('x', 409600) || '"}}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"S": "x"}}}}, {"Put": {"TableName": "tab", "Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "g": {"S": ""}}}}');
SELECT tx('{"Update": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "UpdateExpression": "SET g = :g", "ExpressionAttributeValues": {":g": {"S": ""}}}}');
SELECT tx('{"Update": {"TableName": "num", "Key": {"n": {"N": "1"}}, "UpdateExpression": "SET x = y"}},
	{"Update": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "UpdateExpression": "SET g = if_not_exists(y, :g)", "ExpressionAttributeValues": {":g": {"S": ""}}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"S": "x"}}}}, {"Delete": {"TableName": "tab", "Key": {"pk": {"S": ""}, "sk": {"S": "1"}}}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "n ="}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "n = :n"}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "attribute_exists(n)", "ExpressionAttributeValues": {":n": {"N": "1"}}}}');
-- names and values without an expression are allowed here if they are not empty
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "50"}}, "ExpressionAttributeNames": {"#n": "n"}}}, {"Delete": {"TableName": "num", "Key": {"n": {"N": "51"}}, "ExpressionAttributeValues": {":n": {"N": "1"}}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"N": "50"}}, "ExpressionAttributeNames": {}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"N": "50"}}, "ExpressionAttributeValues": {}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"N": "50"}}, "ExpressionAttributeNames": {"n": "n"}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"N": "50"}}, "ExpressionAttributeValues": {":n": {}}}}');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"N": "50"}}}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}, "ReturnValuesOnConditionCheckFailure": "NEW"}}');
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}}}}', ', "ClientRequestToken": "' || repeat('x', 37) || '"');
SELECT tx((SELECT string_agg('{"Put": {"TableName": "num", "Item": {"n": {"N": "' || i || '"}, "x": {"S": "' || repeat('x', 300000) || '"}}}}', ', ') FROM generate_series(1, 15) i));
-- the limit counts items, not their text: base64 and escapes are longer
SELECT tx((SELECT string_agg('{"Put": {"TableName": "num", "Item": {"n": {"N": "' || i || '"}, "x": {"S": "' || repeat('\u0061', 400000) || '"}}}}', ', ') FROM generate_series(201, 210) i));
SELECT count(*) FROM num WHERE item OPERATOR(dynamo.->>) 'x' = repeat('a', 400000);
SELECT tx((SELECT string_agg('{"Delete": {"TableName": "num", "Key": {"n": {"N": "' || i || '"}}}}', ', ') FROM generate_series(201, 210) i));

-- capacity: twice that of a write for tables, once for indexes
SELECT tx('{"Put": {"TableName": "num", "Item": {"n": {"N": "1"}, "x": {"S": "' || repeat('x', 2000) || '"}}}},
	{"Update": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s1"}}, "UpdateExpression": "SET g = :g, n = :n", "ExpressionAttributeValues": {":g": {"S": "g"}, ":n": {"N": "1"}}}},
	{"ConditionCheck": {"TableName": "tab", "Key": {"pk": {"S": "b"}, "sk": {"S": "s3"}}, "ConditionExpression": "attribute_not_exists(pk)"}}', ', "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"');
SELECT tx('{"Delete": {"TableName": "num", "Key": {"n": {"N": "1"}}}}', ', "ReturnConsumedCapacity": "TOTAL"');
-- a condition check has no effect on item collections
SELECT tx('{"ConditionCheck": {"TableName": "tab", "Key": {"pk": {"S": "c"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}},
	{"Delete": {"TableName": "tab", "Key": {"pk": {"S": "c"}, "sk": {"S": "2"}}}}', ', "ReturnItemCollectionMetrics": "SIZE"');
SELECT tx('{"ConditionCheck": {"TableName": "tab", "Key": {"pk": {"S": "c"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}}', ', "ReturnItemCollectionMetrics": "SIZE"');

SET client_min_messages = warning;
DROP SCHEMA t_request_transact_write_items CASCADE;
