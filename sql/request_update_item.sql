-- UpdateItem: answers, messages, capacity
CREATE SCHEMA t_request_update_item;
SET search_path = t_request_update_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('bin', 'b', partition_key_type => 'B');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
CREATE FUNCTION upd(more text, key text DEFAULT '{"pk": {"S": "a"}, "sk": {"S": "1"}}') RETURNS text LANGUAGE sql AS $$
	SELECT req('UpdateItem', '{"TableName": "tab", "Key": ' || key || ', ' || more || '}') $$;

-- creating, changing, what is returned
SELECT upd('"UpdateExpression": "SET x = :one, m = :m", "ExpressionAttributeValues": {":one": {"N": "1"}, ":m": {"M": {"l": {"L": [{"N": "0"}, {"N": "1"}]}}}}, "ReturnValues": "ALL_NEW"');
SELECT upd('"UpdateExpression": "SET x = x + :one, y = if_not_exists(y, :s)", "ExpressionAttributeValues": {":one": {"N": "1"}, ":s": {"S": "y"}}, "ReturnValues": "UPDATED_OLD"');
SELECT upd('"UpdateExpression": "SET x = x - :one, m.l[1] = :one", "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "UPDATED_NEW"');
SELECT upd('"UpdateExpression": "REMOVE m.l[0] SET z = :one ADD s :ss", "ExpressionAttributeValues": {":one": {"N": "1"}, ":ss": {"SS": ["a", "b"]}}, "ReturnValues": "ALL_OLD"');
SELECT upd('"UpdateExpression": "DELETE s :ss", "ExpressionAttributeValues": {":ss": {"SS": ["a", "b"]}}, "ReturnValues": "ALL_NEW"');
SELECT upd('"UpdateExpression": "REMOVE nothing", "ReturnValues": "UPDATED_NEW"');
SELECT upd('"UpdateExpression": "REMOVE x"');
SELECT upd('"ReturnValues": "ALL_NEW"', '{"pk": {"S": "new"}, "sk": {"S": "1"}}');
SELECT upd('"ReturnValues": "ALL_NEW", "UpdateExpression": "REMOVE x"', '{"pk": {"S": "gone"}, "sk": {"S": "1"}}');
SELECT upd('"ReturnValues": "ALL_OLD", "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"S": ""}}', '{"pk": {"S": "b"}, "sk": {"S": "1"}}');
SELECT upd('"UpdateExpression": "SET x = :x", "ConditionExpression": "x = :y", "ExpressionAttributeValues": {":x": {"S": ""}, ":y": {"S": "1"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"', '{"pk": {"S": "b"}, "sk": {"S": "1"}}');

-- static errors
SELECT upd('"UpdateExpression": ""');
SELECT upd(format('"UpdateExpression": "%s"', repeat('x', 4097)));
SELECT upd('"UpdateExpression": "SET x"');
SELECT upd('"UpdateExpression": "SET x = 1"');
SELECT upd('"UpdateExpression": "SET name = :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = foo(:x)", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = attribute_exists(y)"');
SELECT upd('"UpdateExpression": "SET x = y SET z = y"');
SELECT upd('"UpdateExpression": "SET #x = y"');
SELECT upd('"UpdateExpression": "SET x = :y"');
SELECT upd('"UpdateExpression": "SET x = y, x.z = y"');
SELECT upd('"UpdateExpression": "SET x.y = y, x[0] = y"');
SELECT upd('"UpdateExpression": "ADD x :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "DELETE x :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET x = y + :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = if_not_exists(:x, :x)", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET x = list_append(y)"');
SELECT upd('"UpdateExpression": "SET x = list_append(list_append(y, y), y)"');
SELECT upd('"UpdateExpression": "SET x[100000000000] = y"');
SELECT upd('"ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"ExpressionAttributeNames": {"#x": "x"}');
SELECT upd('"UpdateExpression": "SET x = y", "AttributeUpdates": {}, "Expected": {}');

-- keys and index keys
SELECT upd('"UpdateExpression": "SET pk = :x", "ExpressionAttributeValues": {":x": {"S": "a"}}');
SELECT upd('"UpdateExpression": "REMOVE sk"');
SELECT upd('"UpdateExpression": "SET pk.x = :x", "ExpressionAttributeValues": {":x": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET g.x = :x", "ExpressionAttributeValues": {":x": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET g = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET g = :x", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET g = x"');
SELECT upd('"UpdateExpression": "SET g = if_not_exists(nothing, :x)", "ExpressionAttributeValues": {":x": {"S": ""}}');
SELECT upd('"UpdateExpression": "SET g = if_not_exists(nothing, :x)", "ExpressionAttributeValues": {":x": {"S": "' || repeat('x', 2049) || '"}}');
SELECT upd('"UpdateExpression": "SET g = :x", "ConditionExpression": "attribute_exists(nothing)", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET x = :x"', '{"pk": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}', '{"pk": {"S": "a"}}');
SELECT upd('"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}', '{"pk": {"S": ""}, "sk": {"S": "1"}}');

-- application errors, which a failed condition hides
SELECT upd('"UpdateExpression": "SET x = nothing"');
SELECT upd('"UpdateExpression": "SET x = y + :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET nothing.x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "ADD y :x", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "ADD z :x", "ExpressionAttributeValues": {":x": {"N": "1E38"}}');
SELECT upd('"UpdateExpression": "SET nothing.x = :x", "ConditionExpression": "attribute_exists(nothing)", "ExpressionAttributeValues": {":x": {"N": "1"}}');
SELECT upd('"UpdateExpression": "SET x = :x, w = :x", "ExpressionAttributeValues": {":x": {"S": "' || repeat('x', 210000) || '"}}');
SELECT req('UpdateItem', '{"TableName": "none", "Key": {"a": {"S": "a"}}}');

-- capacity
SELECT upd('"UpdateExpression": "SET x = :x, g = :g, n = :n", "ExpressionAttributeValues": {":x": {"N": "1"}, ":g": {"S": "a"}, ":n": {"N": "1"}}, "ReturnConsumedCapacity": "INDEXES"');
SELECT upd('"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}, "ReturnConsumedCapacity": "INDEXES"');
SELECT upd('"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}, "ReturnConsumedCapacity": "INDEXES"');
SELECT upd('"UpdateExpression": "REMOVE n", "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"');
SELECT upd('"UpdateExpression": "REMOVE n", "ReturnConsumedCapacity": "TOTAL"', '{"pk": {"S": "gone"}, "sk": {"S": "1"}}');

SET client_min_messages = warning;
DROP SCHEMA t_request_update_item CASCADE;
