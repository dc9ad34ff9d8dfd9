-- Checks of requests against the model: JSON types, constraints
CREATE SCHEMA t_request_model;
SET search_path = t_request_model;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
-- JSON types
CREATE FUNCTION types(operation text, VARIADIC requests text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT r || ' -> ' || coalesce(dynamo.request_safe(operation, r::json) #>> '{body,Message}',
								   dynamo.request_safe(operation, r::json)::text)
	FROM unnest(requests) WITH ORDINALITY AS u(r, o) ORDER BY o
$$;
SELECT types('PutItem', '[]', '"a"', 'null', '1',
	'{"TableName": true}', '{"TableName": false}', '{"TableName": 1}', '{"TableName": 1.5}',
	'{"TableName": []}', '{"TableName": {}}',
	'{"Item": "a"}', '{"Item": 1}', '{"Item": []}',
	'{"Item": {"a": "b"}}', '{"Item": {"a": []}}', '{"Item": {"a": true}}',
	'{"Expected": []}', '{"Expected": {"a": []}}', '{"Expected": {"a": {"Exists": 1}}}',
	'{"Expected": {"a": {"Exists": "maybe"}}}', '{"Expected": {"a": {"AttributeValueList": {}}}}',
	'{"Expected": {"a": {"AttributeValueList": "x"}}}',
	'{"Expected": {"a": {"Value": "x"}}}', '{"Expected": {"a": "x"}}', '{"Expected": {"a": {"AttributeValueList": ["x"]}}}',
	'{"ExpressionAttributeNames": []}', '{"ExpressionAttributeNames": {"#a": 1}}');
-- attribute values at any depth
SELECT types('PutItem',
	'{"Item": {"a": {"S": 1}}}', '{"Item": {"a": {"S": true}}}', '{"Item": {"a": {"S": []}}}', '{"Item": {"a": {"S": {}}}}',
	'{"Item": {"a": {"N": 1}}}', '{"Item": {"a": {"N": 1.5}}}',
	'{"Item": {"a": {"B": 1}}}', '{"Item": {"a": {"B": true}}}', '{"Item": {"a": {"B": []}}}', '{"Item": {"a": {"B": {}}}}',
	'{"Item": {"a": {"B": "abc"}}}', '{"Item": {"a": {"B": "ab!="}}}', '{"Item": {"a": {"BS": ["", "a=bc"]}}}', '{"Item": {"a": {"B": "YR=="}}}',
	'{"Item": {"a": {"BOOL": 1}}}', '{"Item": {"a": {"BOOL": "x"}}}', '{"Item": {"a": {"BOOL": []}}}',
	'{"Item": {"a": {"NULL": 1}}}',
	'{"Item": {"a": {"SS": "x"}}}', '{"Item": {"a": {"SS": {}}}}', '{"Item": {"a": {"SS": [1]}}}', '{"Item": {"a": {"NS": [1]}}}',
	'{"Item": {"a": {"BS": ["a"]}}}',
	'{"Item": {"a": {"L": {}}}}', '{"Item": {"a": {"L": [1]}}}', '{"Item": {"a": {"M": []}}}',
	'{"Item": {"a": {"M": {"b": {"L": [{"M": {"c": {"S": false}}}]}}}}}');
-- numbers and booleans in the parameters of requests
SELECT types('Query', '{"Limit": "1"}', '{"Limit": true}', '{"Limit": []}', '{"Limit": {}}', '{"Limit": 3000000000}',
	'{"ConsistentRead": 1}', '{"ConsistentRead": "2"}', '{"KeyConditions": {"a": 1}}');
SELECT types('BatchWriteItem', '{"RequestItems": []}', '{"RequestItems": {"t": {}}}', '{"RequestItems": {"t": 1}}',
	'{"RequestItems": {"t": [[]]}}', '{"RequestItems": {"t": [{"PutRequest": []}]}}');
SELECT types('CreateTable', '{"KeySchema": [{"KeyType": 1}]}', '{"ProvisionedThroughput": {"ReadCapacityUnits": "1"}}');

-- the first wrong type in the text is reported; JSON types come before the model
SELECT types('PutItem', '{"Item": {"a": {"S": 1}}, "TableName": true}', '{"TableName": true, "Item": {"a": {"S": 1}}}');


-- the model: violations in the service's order, in one message
SELECT req('PutItem', '{}');
SELECT req('PutItem', '{"TableName": "a b", "Item": {}, "ReturnValues": "x", "ReturnConsumedCapacity": "y", "ReturnItemCollectionMetrics": "",
	"ConditionalOperator": "z", "Expected": {"a": {"ComparisonOperator": "Q"}}, "ReturnValuesOnConditionCheckFailure": "ALL"}');
SELECT req('DeleteItem', '{"TableName": "abc", "Key": {}, "ReturnValues": "x", "ReturnConsumedCapacity": "y"}');
-- an empty table name hides all other violations, also a ReturnValues of UpdateItem
SELECT req('UpdateItem', '{"TableName": "", "Key": {}, "ReturnValues": "x", "ReturnConsumedCapacity": "y"}');
SELECT req('DeleteItem', '{"TableName": "", "ReturnConsumedCapacity": "y"}');
SELECT req('DeleteItem', '{"TableName": ";", "ReturnConsumedCapacity": "y"}');
SELECT req('GetItem', '{"TableName": "", "Key": {}, "ReturnConsumedCapacity": "y"}');
SELECT req('UpdateItem', '{"TableName": "abc", "Key": {}, "ReturnValues": "x", "ReturnConsumedCapacity": "y", "AttributeUpdates": {"a": {"Action": "SET"}}}');
SELECT req('GetItem', '{"TableName": "a b", "AttributesToGet": []}');
-- names have at most 255 characters, ARNs 1024
SELECT right(req(op, json_build_object('TableName', repeat('x', 256), item, json_build_object())::text), 100)
	FROM (VALUES ('GetItem', 'Key'), ('PutItem', 'Item'), ('Scan', 'ScanFilter')) AS v (op, item);
SELECT req('Scan', json_build_object('TableName', repeat('x', 255))::text);
SELECT right(req('BatchGetItem', json_build_object('RequestItems', json_build_object(repeat('x', 256), json_build_object('Keys', '[{}]'::json)))::text), 200);
SELECT right(req('TransactGetItems', json_build_object('TransactItems', json_build_array(json_build_object('Get', json_build_object('TableName', repeat('x', 256), 'Key', '{}'::json))))::text), 130);
SELECT right(req('Scan', json_build_object('TableName', 'arn:aws:dynamodb:us-east-1:000000000000:table/' || repeat('x', 255))::text), 60);
SELECT right(req('Scan', json_build_object('TableName', 'arn:' || repeat('x', 1021))::text), 100);
SELECT right(req('BatchGetItem', json_build_object('RequestItems', json_build_object('arn:' || repeat('x', 1021), json_build_object('Keys', '[{}]'::json)))::text), 200);
SELECT req('Query', '{"TableName": "abc", "Limit": 0, "Select": "x", "IndexName": "a", "KeyConditions": {"a": {"ComparisonOperator": "x"}, "b": {}}}');
SELECT req('Scan', '{"TableName": "abc", "Segment": -1, "TotalSegments": 0, "Limit": -5}');
SELECT req('Scan', '{"TableName": "abc", "Segment": 1000000, "TotalSegments": 1000001}');
-- at most ten violations are reported
SELECT req('Query', json_build_object('TableName', 'abc', 'KeyConditions', (SELECT json_object_agg('k' || i, '{}'::json) FROM generate_series(10, 30) i))::text) ~ '"message":"10 validation errors detected: ';
-- fractions are truncated, the last of two equal members counts, null is absent
SELECT req('Scan', '{"TableName": "abc", "Limit": 0.9}');
SELECT req('Scan', '{"TableName": "abc", "Limit": 0, "Limit": 1, "Segment": null, "TotalSegments": -1}');
SELECT req('Scan', '{"TableName": "abc", "ConsistentRead": "YES"}');
-- a member's name with text after U+0000 is another name
SELECT req('GetItem', '{"TableName": "abc", "TableName\u0000": [], "Key": {}, "Key\u0000": []}');
-- the last of several entries of a map with one name counts, in small and large maps
SELECT req('GetItem', '{"TableName": "abc", "Key": {}, "ProjectionExpression": "#a",
	"ExpressionAttributeNames": {"#a": "", "#b": "b", "#a": "", "#a": "x"}}');
SELECT req('GetItem', format('{"TableName": "abc", "Key": {}, "ProjectionExpression": "#a",
	"ExpressionAttributeNames": {"#a": "", %s, "#b": "", "#a": "x", "#b": "b"}}', (SELECT string_agg(format('"#n%s": "n"', i), ', ') FROM generate_series(1, 9) i)));
-- large maps are read in reasonable time
SET statement_timeout = '20s';
SELECT left(req('GetItem', json_build_object('TableName', 'abc', 'Key', json_build_object(), 'ProjectionExpression', 'a', 'ExpressionAttributeNames',
	(SELECT json_object_agg('#n' || i % 190000, '') FROM generate_series(1, 190001) i))::text), 120);
RESET statement_timeout;
-- so are names whose hashes are neighbors
CREATE TABLE neighbors AS SELECT json_object_agg('#' || to_hex(i), '') AS names FROM generate_series(1, 970000) i WHERE hashtext('#' || to_hex(i)) & 131071 < 8192;
SET statement_timeout = '3s';
SELECT left(req('GetItem', format('{"TableName": "abc", "Key": {}, "ProjectionExpression": "a", "ExpressionAttributeNames": %s}', names)), 100) FROM neighbors;
RESET statement_timeout;
-- a request has at most 200000 values, which take much memory, and 10000 in a list; items count as one value
SELECT left(req('TransactWriteItems', format('{"TransactItems": [{}%s]}', repeat(', {}', 9999))), 60);
SELECT req('TransactWriteItems', format('{"TransactItems": [{}%s]}', repeat(', {}', 10000)));
SELECT req('TransactWriteItems', format('{"TransactItems": [null%s]}', repeat(', null', 10000)));
SELECT req('SearchVectors', format('{"TableName": "abc", "IndexName": "vec", "TopK": 1, "SearchVector": [{}%s]}', repeat(', {}', 10000)));
SELECT left(req('GetItem', format('{"TableName": "abc", "Key": {}, "ExpressionAttributeNames": {"#a": ""%s}}', repeat(', "#a": ""', 199995))), 120);
SELECT req('GetItem', format('{"TableName": "abc", "Key": {}, "ExpressionAttributeNames": {"#a": ""%s}}', repeat(', "#a": ""', 199996)));
SELECT req('PutItem', format('{"TableName": "abc", "Item": {"a": {"L": [{"S": ""}%s]}}}', repeat(', {"S": ""}', 200000)));

-- structures in the service's form; attribute values as a hash, which is equal for equal values
SELECT req('TransactWriteItems', '{"TransactItems": []}');
SELECT regexp_replace(regexp_replace(req('BatchWriteItem', json_build_object('RequestItems', json_build_object('tab',
	'[{"PutRequest": {"Item": {"a": {"S": "secret"}, "b": {"L": [{"N": "1"}]}}}}]'::jsonb || (SELECT jsonb_agg('{"DeleteRequest": {"Key": {"a": {"S": "secret"}}}}'::jsonb) FROM generate_series(1, 25))))::text),
	'(, WriteRequest.putRequest=null[^,]*, [^,]*){25}', ', <25 times> \1'), '@[0-9a-f]+', '@<hash>', 'g');
-- the classic wording shows the keys, by their hashes
SET dynamo.error_wording = 'classic';
SELECT count(DISTINCT m[1]) FROM regexp_matches(req('BatchGetItem', json_build_object('RequestItems', json_build_object('tab', json_build_object('Keys',
	(SELECT json_agg(json_build_object('a', json_build_object('S', 'x' || i % 3))) FROM generate_series(1, 101) i))))::text), 'AttributeValue(@\w+)', 'g') m;
RESET dynamo.error_wording;

SET client_min_messages = warning;
DROP SCHEMA t_request_model CASCADE;
