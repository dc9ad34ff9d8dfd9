-- GetItem: answers, messages, capacity
CREATE SCHEMA t_request_get_item;
SET search_path = t_request_get_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('bin', 'b', partition_key_type => 'B');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
INSERT INTO tab (item) VALUES ('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1"}, "m": {"M": {"a": {"S": "A"}, "b": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}]}}}}');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'big', 'sk', 's', 'x', repeat('x', 5000));
CREATE FUNCTION get(key text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT req('GetItem', '{"TableName": "tab", "Key": ' || key || more || '}') $$;

SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "2"}}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ConsistentRead": true, "ProjectionExpression": "x, m.b[2], m.b[0], nothing"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "nothing"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "#m.#a", "ExpressionAttributeNames": {"#m": "m", "#a": "a"}');

-- keys
SELECT get('{}');
SELECT get('{"pk": {"S": "a"}}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1"}}');
SELECT get('{"pk": {"S": "a"}, "sk": {"N": "1"}}');
SELECT get('{"pk": {"S": "a"}, "other": {"S": "1"}}');
SELECT get('{"pk": {"S": ""}, "sk": {"S": "1"}}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": ""}}');
SELECT get(format('{"pk": {"S": "%s"}, "sk": {"S": "1"}}', repeat('x', 2049)));
SELECT get(format('{"pk": {"S": "a"}, "sk": {"S": "%s"}}', repeat('x', 1025)));
SELECT get('{"pk": {"S": "a"}, "sk": {}}');
SELECT get('{"pk": {"S": "a", "N": "1"}, "sk": {"S": "1"}}');
SELECT req('GetItem', '{"TableName": "bin", "Key": {"b": {"B": ""}}}');
SELECT req('GetItem', '{"TableName": "none", "Key": {"b": {"B": ""}}}');

-- parameters
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ExpressionAttributeNames": {"#a": "a"}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "x", "AttributesToGet": ["x"]');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "x", "ExpressionAttributeNames": {}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "x", "ExpressionAttributeNames": {"#a": "a"}');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": ""');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "x y"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "abort"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "#a"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "m.a, m"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "m.a, m[0]"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "pk.x"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ProjectionExpression": "g[0]"');

-- capacity: units of 4 KB, half as many for eventually consistent reads
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "1"}}', ', "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "x"');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "2"}}', ', "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true');
SELECT get('{"pk": {"S": "big"}, "sk": {"S": "s"}}', ', "ReturnConsumedCapacity": "INDEXES", "ProjectionExpression": "pk"');
SELECT get('{"pk": {"S": "big"}, "sk": {"S": "s"}}', ', "ReturnConsumedCapacity": "INDEXES", "ProjectionExpression": "pk", "ConsistentRead": true');
SELECT get('{"pk": {"S": "a"}, "sk": {"S": "2"}}', ', "ReturnConsumedCapacity": "NONE"');

SET client_min_messages = warning;
DROP SCHEMA t_request_get_item CASCADE;
