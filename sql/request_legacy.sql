-- Legacy parameters: meaning and messages
CREATE SCHEMA t_request_legacy;
SET search_path = t_request_legacy;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"}]');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'a', 'sk', 's' || i, 'x', i, 'g', 'g', 'n', i, 'a.b', i, 'l', jsonb_build_array('p', i)) FROM generate_series(1, 5) i;
INSERT INTO tab (item) VALUES ('{"pk": {"S": "a"}, "sk": {"S": "s6"}, "x": {"S": "text"}, "ss": {"SS": ["p", "q"]}, "nul": {"NULL": true}}');

-- filters: which of the six items remain
CREATE FUNCTION scan(filter text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((SELECT string_agg(i #>> '{sk,S}', ' ' ORDER BY i #>> '{sk,S}') FROM json_array_elements(r #> '{body,Items}') i), r #>> '{body,message}')
	FROM dynamo.request_safe('Scan', ('{"TableName": "tab", "ScanFilter": ' || filter || more || '}')::json) r
$$;
SELECT scan('{}');
SELECT scan('{"x": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "2.0"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "NE", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"nothing": {"ComparisonOperator": "NE", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "2"}]}}'), scan('{"x": {"ComparisonOperator": "LE", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "4"}]}}'), scan('{"x": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "4"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}, {"N": "3"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "2"}, {"N": "5"}, {"N": "9"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "te"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "ex"}]}}'), scan('{"ss": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "q"}]}}'), scan('{"l": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"N": "3"}]}}');
SELECT scan('{"l": {"ComparisonOperator": "NOT_CONTAINS", "AttributeValueList": [{"N": "3"}]}}');
SELECT scan('{"g": {"ComparisonOperator": "NULL"}}'), scan('{"g": {"ComparisonOperator": "NOT_NULL"}}'), scan('{"nul": {"ComparisonOperator": "NOT_NULL", "AttributeValueList": []}}');
-- names are used literally; conditions are joined by AND or OR
SELECT scan('{"a.b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "LE", "AttributeValueList": [{"N": "2"}]}, "n": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "LE", "AttributeValueList": [{"N": "1"}]}, "n": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "5"}]}}', ', "ConditionalOperator": "OR"');
-- messages
SELECT scan('{"x": {"ComparisonOperator": "EQ"}}');
SELECT scan('{"x": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "NULL", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "IN", "AttributeValueList": []}}');
SELECT scan('{"x": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "2"}, {"S": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "LT", "AttributeValueList": [{"SS": ["2"]}]}}');
SELECT scan('{"x": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"SS": ["2"]}]}}');
SELECT scan('{"x": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "3"}, {"N": "2"}]}}');
SELECT scan('{"x": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}}');
SELECT scan('{}', ', "ConditionalOperator": "OR"');
SELECT scan('{"x": {"ComparisonOperator": "NULL"}}', ', "ConditionalOperator": "OR"');

-- KeyConditions and QueryFilter
CREATE FUNCTION q(conditions text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((SELECT string_agg(i #>> '{sk,S}', ' ') FROM json_array_elements(r #> '{body,Items}') i), r #>> '{body,message}')
	FROM dynamo.request_safe('Query', ('{"TableName": "tab", "KeyConditions": ' || conditions || more || '}')::json) r
$$;
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "sk": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "s2"}, {"S": "s4"}]}}', ', "ScanIndexForward": false');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "sk": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "s5"}]}}');
SELECT q('{"g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "g"}]}, "n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "3"}]}}', ', "IndexName": "gsi"');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "QueryFilter": {"x": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "3"}]}}, "AttributesToGet": ["sk", "x"]');
-- with a filter expression and a projection expression
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "FilterExpression": "x = :x", "ExpressionAttributeValues": {":x": {"N": "4"}}, "ProjectionExpression": "sk"');
SELECT q('{}');
SELECT q('{"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "c": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}');
SELECT q('{"pk": {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "a"}]}}');
SELECT q('{"pk": {"ComparisonOperator": "GT", "AttributeValueList": [{"S": "a"}]}}');
SELECT q('{"sk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}}');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "QueryFilter": {"sk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "3"}]}}');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "Select": "COUNT", "AttributesToGet": ["x"]');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "Select": "ALL_ATTRIBUTES", "AttributesToGet": ["x"]');
SELECT q('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "FilterExpression": "x = :x", "QueryFilter": {}');

-- AttributesToGet
SELECT req('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s1"}}, "AttributesToGet": ["x", "a.b", "nothing"]}');
SELECT req('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s1"}}, "AttributesToGet": ["x", "y", "x"]}');
SELECT req('BatchGetItem', '{"RequestItems": {"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}], "AttributesToGet": ["x"]}}}');
SELECT right(req('GetItem', json_build_object('TableName', 'tab', 'Key', '{}'::json, 'AttributesToGet', (SELECT json_agg('a' || i) FROM generate_series(1, 256) i))::text), 110);

-- KeyConditions for an index with several key attributes
SELECT dynamo.create_table('games', 'id', indexes => '[{"index_name": "multi", "partition_key": ["a", "b"], "sort_key": ["c", "d"], "sort_key_type": ["S", "N"]}]');
SELECT dynamo.put_item('games', jsonb_build_object('id', 'i' || i, 'a', 'A', 'b', 'B', 'c', 'C' || i / 4, 'd', i)) FROM generate_series(0, 7) i;
CREATE FUNCTION multi(conditions text, more text DEFAULT ', "IndexName": "multi"', tab text DEFAULT 'games') RETURNS text LANGUAGE sql AS $$
	SELECT req('Query', '{"TableName": "' || tab || '", "Select": "COUNT", "KeyConditions": ' || conditions || more || '}') $$;
SELECT multi('{"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}}');
SELECT multi('{"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}, "c": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "C1"}]}}');
SELECT multi('{"d": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "5"}, {"N": "6"}]}, "a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}, "c": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "C1"}]}}');
SELECT multi('{"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}, "d": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "5"}]}}');
SELECT multi('{"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}}');
SELECT multi('{"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}, "x": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}}');
-- the table's key has at most two attributes, another index can have more
SELECT multi('{"a": {"ComparisonOperator": "NOT_NULL"}, "b": {"ComparisonOperator": "NOT_NULL"}, "c": {"ComparisonOperator": "NOT_NULL"}}', '');
SELECT multi('{"g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "B"}]}, "c": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "C1"}]}}', ', "IndexName": "gsi"', 'tab');
SELECT multi((SELECT json_object_agg('a' || i, '{"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "A"}]}'::json) FROM generate_series(1, 9) i)::text);
SELECT multi('{}');
-- an operator that keys do not support: reported after table, index and start key
SELECT multi('{"a": {"ComparisonOperator": "NOT_NULL"}}');
SELECT multi('{"a": {"ComparisonOperator": "NOT_NULL"}}', '', 'none');
SELECT multi('{"a": {"ComparisonOperator": "NOT_NULL"}}', ', "IndexName": "nope"');
SELECT multi('{"a": {"ComparisonOperator": "NOT_NULL"}}', ', "IndexName": "multi", "ConsistentRead": true');
SELECT multi('{"a": {"ComparisonOperator": "NOT_NULL"}}', ', "IndexName": "multi", "ExclusiveStartKey": {"a": {"S": "A"}}');

-- Expected
CREATE FUNCTION del(expected text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT req('DeleteItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "none"}}, "Expected": ' || expected || more || '}') $$;
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "e"}, "sk": {"S": "1"}, "v": {"N": "1"}}, "Expected": {"pk": {"Exists": false}}}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "e"}, "sk": {"S": "1"}, "v": {"N": "1"}}, "Expected": {"pk": {"Exists": false}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "e"}, "sk": {"S": "1"}, "v": {"N": "2"}}, "Expected": {"v": {"Value": {"N": "1"}}}, "ReturnValues": "ALL_OLD"}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "e"}, "sk": {"S": "1"}, "v": {"N": "3"}}, "Expected": {"v": {"ComparisonOperator": "GT", "Value": {"N": "1"}}, "w": {"ComparisonOperator": "NOT_NULL"}}, "ConditionalOperator": "OR"}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "e"}, "sk": {"S": "1"}, "v": {"N": "4"}}, "Expected": {"v": {"Exists": true, "Value": {"N": "3"}}, "w": {"Exists": false}}}');
SELECT del('{"x": {"Value": {"N": "1"}, "AttributeValueList": [{"N": "1"}]}}');
SELECT del('{"x": {"ComparisonOperator": "EQ", "Exists": true, "Value": {"N": "1"}}}');
SELECT del('{"x": {"ComparisonOperator": "EQ"}}');
SELECT del('{"x": {"AttributeValueList": [{"N": "1"}]}}');
SELECT del('{"x": {}}');
SELECT del('{"x": {"Exists": true}}');
SELECT del('{"x": {"Exists": false, "Value": {"N": "1"}}}');
SELECT del('{"x": {"ComparisonOperator": "BETWEEN", "Value": {"N": "1"}}}');
SELECT del('{"x": {"ComparisonOperator": "NULL", "Value": {"N": "1"}}}');
SELECT del('{"": {"Exists": false}}');
SELECT del('{}', ', "ConditionalOperator": "AND"');
SELECT del('{"x": {"Exists": false}}', ', "ConditionalOperator": "AND"');
SELECT del('{"x": {"Exists": false}}');

-- AttributeUpdates
CREATE FUNCTION upd(updates text, returned text DEFAULT 'ALL_NEW', sk text DEFAULT 'u') RETURNS text LANGUAGE sql AS $$
	SELECT req('UpdateItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "' || sk || '"}}, "ReturnValues": "' || returned || '", "AttributeUpdates": ' || updates || '}') $$;
SELECT upd('{"v": {"Value": {"N": "1"}}, "w.x": {"Action": "PUT", "Value": {"S": "w"}}, "s": {"Action": "ADD", "Value": {"SS": ["a"]}}, "l": {"Action": "ADD", "Value": {"L": [{"N": "1"}]}}}');
SELECT upd('{"v": {"Action": "ADD", "Value": {"N": "5"}}, "w.x": {"Action": "DELETE"}, "s": {"Action": "ADD", "Value": {"SS": ["b"]}}, "l": {"Action": "ADD", "Value": {"L": [{"N": "2"}]}}}');
SELECT upd('{"s": {"Action": "DELETE", "Value": {"SS": ["a"]}}, "nothing": {"Action": "DELETE"}}', 'UPDATED_NEW');
SELECT upd('{"v": {"Value": {"N": "0"}}}', 'UPDATED_OLD');
SELECT upd('{}', 'ALL_NEW', 'new'), upd('{}', 'UPDATED_NEW');
SELECT upd('{"v": {"Action": "PUT"}}');
SELECT upd('{"v": {"Action": "DELETE", "Value": {"N": "1"}}}');
SELECT upd('{"v": {"Action": "ADD", "Value": {"S": "1"}}}');
SELECT upd('{"v": {"Action": "ADD", "Value": {"SS": ["1"]}}}');
SELECT upd('{"v": {"Action": "DELETE", "Value": {"SS": ["1"]}}}');
SELECT upd('{"": {"Value": {"N": "1"}}}');
SELECT upd('{"pk": {"Value": {"S": "1"}}}');
SELECT upd('{"g": {"Value": {"N": "1"}}}');
SELECT req('UpdateItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "u"}}, "ReturnValues": "ALL_NEW", "AttributeUpdates": {"v": {"Value": {"N": "7"}}}, "Expected": {"v": {"Value": {"N": "0"}}}}');
-- many attributes are updated in reasonable time
SET statement_timeout = '10s';
SELECT left(req('UpdateItem', format('{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "many"}}, "AttributeUpdates": {%s}}',
	(SELECT string_agg(format('"%s": {"Value": {"NULL": true}}', reverse(to_hex(i))), ', ' ORDER BY i) FROM generate_series(1, 60000) i))), 60);
RESET statement_timeout;

SET client_min_messages = warning;
DROP SCHEMA t_request_legacy CASCADE;
