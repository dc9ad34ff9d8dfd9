-- PutItem: answers, messages, their order, capacity
CREATE SCHEMA t_request_put_item;
SET search_path = t_request_put_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('bin', 'b', partition_key_type => 'B');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
CREATE FUNCTION put(item text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT req('PutItem', '{"TableName": "tab", "Item": ' || item || more || '}') $$;

-- answers
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "2"}}', ', "ReturnValues": "ALL_OLD"');
SELECT put('{"pk": {"S": "new"}, "sk": {"S": "1"}}', ', "ReturnValues": "ALL_OLD"');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "3"}}', ', "ReturnValues": "NONE", "ConditionExpression": "x = :two", "ExpressionAttributeValues": {":two": {"N": "2.0"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "#x = :two", "ExpressionAttributeNames": {"#x": "x"}, "ExpressionAttributeValues": {":two": {"N": "2"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
SELECT put('{"pk": {"S": "b"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
-- all types, in canonical form
SELECT put('{"pk": {"S": "t"}, "sk": {"S": "1"}, "s": {"S": ""}, "n": {"N": "+01.50e1"}, "bin": {"B": "AAE="}, "t": {"BOOL": true}, "f": {"BOOL": false}, "nul": {"NULL": true},
	"list": {"L": [{"S": "a"}, {"L": []}, {"M": {}}]}, "m": {"M": {"k": {"NS": ["2", "1.0"]}}}, "ss": {"SS": ["b", "", "a"]}, "bs": {"BS": ["/w==", ""]}, "absent": null}');
SELECT req('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "t"}, "sk": {"S": "1"}}}');

-- attribute values
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": "a", "N": "1"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": null}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"Q": "a"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"NULL": false}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": []}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"NS": []}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"BS": []}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": ["a", "b", "a"]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"NS": ["1", "1.0"]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"BS": ["YQ==", "YQ=="]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": ""}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"NS": ["1", ""]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1,5"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1e126"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1e-131"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "123456789012345678901234567890123456789"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "": {"N": "1"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": ' || repeat('{"L": [', 32) || repeat(']}', 32) || '}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": ' || repeat('{"L": [', 31) || repeat(']}', 31) || '}');
SELECT put(format('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": "%s"}}', repeat('x', 409600 - 7)));
SELECT put(format('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": "%s"}}', repeat('x', 409600 - 6)));

-- keys
SELECT put('{"sk": {"S": "1"}}');
SELECT put('{"pk": {"S": "a"}}');
SELECT put('{"pk": {"N": "1"}, "sk": {"S": "1"}}');
SELECT put('{"pk": {"S": ""}, "sk": {"S": "1"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": ""}}');
SELECT req('PutItem', '{"TableName": "bin", "Item": {"b": {"B": ""}}}');
SELECT put(format('{"pk": {"S": "%s"}, "sk": {"S": "1"}}', repeat('x', 2049)));
SELECT put(format('{"pk": {"S": "a"}, "sk": {"S": "%s"}}', repeat('x', 1025)));
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "g": {"N": "1"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "g": {"S": ""}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "n": {"NULL": true}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "l": {"M": {}}}');
SELECT req('PutItem', '{"TableName": "num", "Item": {"n": {"N": "1.0"}}}');
SELECT req('PutItem', '{"TableName": "num", "Item": {"n": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(n)"}');

-- parameters
SELECT req('PutItem', '{"TableName": "none", "Item": {"pk": {"S": "a"}}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ReturnValues": "ALL_NEW"');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ExpressionAttributeNames": {"#a": "a"}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ExpressionAttributeValues": {":a": {"S": "a"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "a = :a", "Expected": {}, "ConditionalOperator": "OR"');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeNames": {}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeNames": {"a": "a"}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {"a": {"S": "a"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"N": "x"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "pk = :b", "ExpressionAttributeValues": {":a": {"S": "a"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeNames": {"#b": "b", "#a": "a"}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {":a": {"S": "a"}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": ""');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConditionExpression": "a ="');
-- the order of errors: values of the item, ReturnValues, expressions, the table
SELECT req('PutItem', '{"TableName": "none", "Item": {"x": {"N": "x"}}, "ReturnValues": "ALL_NEW", "ConditionExpression": ""}');
SELECT req('PutItem', '{"TableName": "none", "Item": {}, "ReturnValues": "ALL_NEW", "ConditionExpression": ""}');
SELECT req('PutItem', '{"TableName": "none", "Item": {}, "ConditionExpression": ""}');
SELECT req('PutItem', '{"TableName": "none", "Item": {}}');

-- capacity
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}}', ', "ReturnConsumedCapacity": "TOTAL"');
SELECT put(format('{"pk": {"S": "cap"}, "sk": {"S": "1"}, "x": {"S": "%s"}}', repeat('x', 3000)), ', "ReturnConsumedCapacity": "TOTAL"');
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}}', ', "ReturnConsumedCapacity": "TOTAL"');
-- entries: created 1, unchanged 0, projected attribute changed 1, key changed 2, removed 1
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}, "g": {"S": "a"}, "n": {"N": "1"}, "l": {"S": "a"}}', ', "ReturnConsumedCapacity": "INDEXES"');
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}, "g": {"S": "a"}, "n": {"N": "1"}, "l": {"S": "a"}}', ', "ReturnConsumedCapacity": "INDEXES"');
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}, "g": {"S": "a"}, "n": {"N": "1"}, "l": {"S": "a"}, "x": {"S": "x"}}', ', "ReturnConsumedCapacity": "INDEXES"');
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}, "g": {"S": "b"}, "n": {"N": "1"}, "l": {"S": "b"}, "x": {"S": "x"}}', ', "ReturnConsumedCapacity": "INDEXES"');
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}, "g": {"S": "b"}}', ', "ReturnConsumedCapacity": "INDEXES"');
SELECT req('PutItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/num", "Item": {"n": {"N": "7"}}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT put('{"pk": {"S": "cap"}, "sk": {"S": "1"}}', ', "ReturnItemCollectionMetrics": "SIZE"');
SELECT req('PutItem', '{"TableName": "num", "Item": {"n": {"N": "7"}}, "ReturnItemCollectionMetrics": "SIZE"}');

-- a problem of a value is less important than a wrong JSON type after it, and than the model
SELECT put('{"pk": {"N": "x"}, "sk": {"S": 1}}');
SELECT put('{"pk": {"N": "x"}}', ', "ReturnValues": 1');
SELECT put('{"pk": {"N": "x"}}', ', "ReturnValues": "SOME"');
SELECT put('{"pk": {"SS": [null]}, "sk": {"N": "x"}}', ', "ReturnValues": "SOME"');
SELECT put('{"pk": {"SS": [null]}, "sk": {"N": "x"}}');
SELECT put('{"pk": {"N": "x"}, "sk": {"SS": [null]}}');
SELECT put('{"pk": ' || repeat('{"M": {"a": ', 40) || '{"S": 1}' || repeat('}}', 40) || '}');
SELECT put('{"pk": ' || repeat('{"L": [{"NS": ["x"]}, ', 40) || '{"S": 1}' || repeat(']}', 40) || '}');
SELECT put('{"pk": ' || repeat('{"S": "a", "L": [{"NS": ["x"]}, ', 40) || '{"S": "b"}' || repeat(']}', 40) || '}');
-- a placeholder error is more important than problems of earlier values
SELECT put('{"pk": {"N": "x"}}', ', "ConditionExpression": "x = :v", "ExpressionAttributeValues": {":v": {"N": "x"}, "v": {"N": "y"}, "w": {"S": "a"}}');
SELECT put('{"pk": {"N": "x"}}', ', "ConditionExpression": "x = :v", "ExpressionAttributeValues": {":v": {"N": "x"}, ":w": {"SS": [null]}}');
SELECT put('{"pk": {"N": "x"}}', ', "ConditionExpression": "x = :v", "ExpressionAttributeValues": {":v": {"SS": [null]}, "w": {"N": "x"}}');
SELECT put('{"pk": {"N": "x"}}', ', "ConditionExpression": "x = :v", "ExpressionAttributeValues": {"v": {"N": "x"}, ":w": {"S": 1}}');
-- a trigger can raise the error of a false condition; its detail is not an item
CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE 'The conditional request failed' USING ERRCODE = 'KV002', DETAIL = 'The shop is closed.';
END $$;
CREATE TRIGGER veto BEFORE INSERT ON num FOR EACH ROW EXECUTE FUNCTION veto();
SELECT req('PutItem', '{"TableName": "num", "Item": {"n": {"N": "77"}}}');
SELECT req('BatchExecuteStatement', '{"Statements": [{"Statement": "INSERT INTO num VALUE {''n'': 77}"}]}');
SELECT req('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "num", "Item": {"n": {"N": "77"}}}}]}');

-- members before the first repeated one are sorted, the others are as sent; many members are compared in reasonable time
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": ["c", "a", "", "d", "a", "b", "c", "b"]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"BS": ["/w==", "AA==", "", "/w==", "AA=="]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": ["b", "b", "a", "a"]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": ["b", "", "", "a", "", "a"]}}');
SELECT put('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": ["", "b", "a", "b", "", "a"]}}');
SET statement_timeout = '5s';
SELECT length(put(format('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"SS": [%s, "70000"]}}', string_agg('"' || i || '"', ',' ORDER BY hashint4(i))))) FROM generate_series(1, 70000) i;
-- problems after the first take no time and memory
SELECT put(format('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"L": [{}%s]}}', repeat(',{}', 5000000)));
SELECT put(format('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"L": [null%s]}}', repeat(',null', 5000000)));
RESET statement_timeout;

SET client_min_messages = warning;
DROP SCHEMA t_request_put_item CASCADE;
