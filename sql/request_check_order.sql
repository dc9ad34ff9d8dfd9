-- The order in which several errors of one request are reported
CREATE SCHEMA t_request_check_order;
SET search_path = t_request_check_order;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- returns the message of a request; a series of requests, each with one error fewer
CREATE FUNCTION messages(operation text, VARIADIC requests text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT coalesce(r #>> '{body,message}', r #>> '{body,Message}', r::text)
	FROM unnest(requests) WITH ORDINALITY AS u(request, o), dynamo.request_safe(operation, request::json) r ORDER BY o
$$;

-- mixed parameters, names, values, the item, ReturnValues, its size, Expected
SELECT messages('PutItem',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "Expected": {}, "ConditionExpression": "", "ExpressionAttributeNames": {}, "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ExpressionAttributeNames": {}, "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeNames": {}, "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeNames": {"a": "b"}, "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeNames": {"#a": ""}, "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeNames": {"#a": "b"}, "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ExpressionAttributeValues": {}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeValues": {":a": {}, "b": {}}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeValues": {"": {"S": "a"}}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"N": "b"}}}',
	'{"TableName": "none", "Item": {"a": {}}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeValues": {":a": {"S": "a"}}}',
	'{"TableName": "none", "Item": {}, "ReturnValues": "ALL_NEW", "ConditionExpression": "", "ExpressionAttributeValues": {":a": {"S": "a"}}}',
	'{"TableName": "none", "Item": {}, "ConditionExpression": "", "ExpressionAttributeValues": {":a": {"S": "a"}}}',
	'{"TableName": "none", "Item": {}, "ConditionExpression": "#a = :b", "ExpressionAttributeNames": {"#a": "b", "#c": "d"}, "ExpressionAttributeValues": {":a": {"S": "a"}}}',
	'{"TableName": "none", "Item": {}, "ConditionExpression": "#a = :a", "ExpressionAttributeNames": {"#a": "b", "#c": "d"}, "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"S": "a"}}}',
	'{"TableName": "none", "Item": {}, "ConditionExpression": "#a = :a", "ExpressionAttributeNames": {"#a": "b"}, "ExpressionAttributeValues": {":a": {"S": "a"}, ":b": {"S": "a"}}}',
	'{"TableName": "none", "Item": {}, "ConditionExpression": "#a = :a", "ExpressionAttributeNames": {"#a": "b"}, "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT messages('PutItem',
	json_build_object('TableName', 'none', 'Item', json_build_object('a', json_build_object('S', repeat('x', 409600))), 'ReturnValues', 'ALL_NEW', 'Expected', '{"a": {}}'::json)::text,
	json_build_object('TableName', 'none', 'Item', json_build_object('a', json_build_object('S', repeat('x', 409600))), 'Expected', '{"a": {}}'::json)::text,
	json_build_object('TableName', 'none', 'Item', json_build_object('a', json_build_object('S', repeat('x', 409600))), 'ConditionalOperator', 'OR')::text,
	'{"TableName": "none", "Item": {}, "ConditionalOperator": "OR"}',
	'{"TableName": "none", "Item": {}, "Expected": {"a": {}}}');

-- an attribute value with several types
SELECT messages('PutItem',
	'{"TableName": "none", "Item": {"a": {"N": "x", "S": 1}}}',
	'{"TableName": "none", "Item": {"a": {"N": "x", "SS": []}}}',
	'{"TableName": "none", "Item": {"a": {"N": "1", "S": "a", "SS": []}}}',
	'{"TableName": "none", "Item": {"a": {"N": "1", "S": null, "L": [{"M": {"b": {"NULL": true, "X": {}, "BOOL": true}}}]}}}');
SELECT messages('DeleteItem',
	'{"TableName": "none", "Key": {}, "Expected": {"a": {"Value": {}}, "b": {}}}',
	'{"TableName": "none", "Key": {}, "Expected": {"a": {"Value": {}}, "b": {"Exists": false}}}');

-- the key and the changes, Expected
SELECT messages('UpdateItem',
	'{"TableName": "none", "Key": {"a": {}}, "UpdateExpression": "SET", "ExpressionAttributeValues": {":a": {"SS": []}}}',
	'{"TableName": "none", "Key": {"a": {}}, "AttributeUpdates": {"a": {"Value": {"SS": []}}}, "Expected": {"a": {}}}',
	'{"TableName": "none", "Key": {}, "AttributeUpdates": {"a": {"Value": {"SS": []}}}, "Expected": {"a": {}}}',
	'{"TableName": "none", "Key": {}, "AttributeUpdates": {"a": {"Value": {"S": "a"}}}, "Expected": {"a": {}}}',
	'{"TableName": "none", "Key": {}, "UpdateExpression": "SET a", "ConditionExpression": "a"}',
	'{"TableName": "none", "Key": {}, "UpdateExpression": "SET a = a", "ConditionExpression": "a"}');
SELECT messages('GetItem',
	'{"TableName": "none", "Key": {"a": {}}, "ProjectionExpression": "a b", "ExpressionAttributeNames": {"a": "b"}}',
	'{"TableName": "none", "Key": {"a": {}}, "ProjectionExpression": "a b"}',
	'{"TableName": "none", "Key": {"a": {}}, "AttributesToGet": ["a", "a"]}',
	'{"TableName": "none", "Key": {}, "AttributesToGet": ["a", "a"]}');
SELECT messages('Query',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "EQ"}}, "QueryFilter": {"a": {"ComparisonOperator": "NE"}}, "ExclusiveStartKey": {"a": {}}, "AttributesToGet": ["a", "a"]}',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "EQ"}}, "ExclusiveStartKey": {"a": {}}, "AttributesToGet": ["a", "a"]}',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "EQ"}}, "AttributesToGet": ["a", "a"]}',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "EQ"}}, "Select": "ALL_PROJECTED_ATTRIBUTES"}',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "NULL"}, "b": {"ComparisonOperator": "NULL"}, "c": {"ComparisonOperator": "EQ"}}}',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "NULL"}, "b": {"ComparisonOperator": "NULL"}, "c": {"ComparisonOperator": "NULL"}}}',
	'{"TableName": "none", "KeyConditions": {"a": {"ComparisonOperator": "NULL"}, "b": {"ComparisonOperator": "NULL"}}}',
	'{"TableName": "none", "KeyConditionExpression": "a", "ExclusiveStartKey": {"a": {}}, "Select": "SPECIFIC_ATTRIBUTES", "ExpressionAttributeValues": {":a": {}}}',
	'{"TableName": "none", "KeyConditionExpression": "a", "ExclusiveStartKey": {"a": {}}, "Select": "SPECIFIC_ATTRIBUTES"}',
	'{"TableName": "none", "KeyConditionExpression": "a", "Select": "SPECIFIC_ATTRIBUTES"}',
	'{"TableName": "none", "KeyConditionExpression": "a"}');

-- the first fault in the order of the actions; in an action those of expressions, values, then the item
CREATE FUNCTION action(kind text, item text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT format('{"%s": {"TableName": "none", "%s": {"pk": %s}%s}}', kind, CASE kind WHEN 'Put' THEN 'Item' ELSE 'Key' END, item, more)
$$;
CREATE FUNCTION actions(VARIADIC text[]) RETURNS text LANGUAGE sql AS $$ SELECT '{"TransactItems": [' || array_to_string($1, ', ') || ']}' $$;
CREATE FUNCTION deep() RETURNS text LANGUAGE sql AS $$ SELECT repeat('{"L": [', 32) || repeat(']}', 32) $$;
SELECT messages('TransactWriteItems',
	actions(action('Put', deep()), action('Put', '{"S": "a"}', ', "ConditionExpression": "a b"')),
	actions(action('Put', '{"S": "a"}', ', "ConditionExpression": "a b"'), action('Put', deep())),
	actions(action('Delete', deep()), action('Put', '{"N": "x"}')),
	actions(action('Update', '{"S": "a"}', ', "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"N": "x"}}'), action('Put', deep())),
	actions(action('Update', deep(), ', "UpdateExpression": "SET a = a a", "ExpressionAttributeValues": {":a": {"N": "x"}}')),
	actions(action('Update', deep(), ', "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"N": "x"}}')),
	actions(action('Update', deep(), ', "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"N": "1"}, ":b": {"N": "1"}}')),
	actions(action('Update', '{"S": "a"}', format(', "UpdateExpression": "%s"', repeat('x', 4097)))),
	actions(action('Put', '{"S": "a"}'), action('Put', '{"S": "b"}, "x": {"S": "' || repeat('x', 409600) || '"}')));

-- unknown members of attribute values are ignored, too
SELECT dynamo.create_table('tab', 'pk');
SELECT messages('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "a", "X": [1]}, "l": {"L": [{"type": "S", "S": "b"}, {"N": "1", "s": "c"}]}}}');
SELECT item FROM tab;
SELECT messages('PutItem', '{"TableName": "tab", "Item": {"pk": {"s": "a"}}}');
SELECT '{"pk": {"S": "a", "X": "b"}}'::dynamo.item;

SET client_min_messages = warning;
DROP SCHEMA t_request_check_order CASCADE;
