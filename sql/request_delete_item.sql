-- DeleteItem: answers, messages, capacity
CREATE SCHEMA t_request_delete_item;
SET search_path = t_request_delete_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('bin', 'b', partition_key_type => 'B');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'a', 'sk', i::text, 'x', i, 'g', 'g', 'n', 1, 'big', repeat('x', 1500)) FROM generate_series(1, 5) i;
CREATE FUNCTION del(sk int, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(req('DeleteItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "' || sk || '"}}' || more || '}'), 'x{9,}', 'xxx') $$;

SELECT del(1);
SELECT del(1);
SELECT del(1, ', "ReturnValues": "ALL_OLD"');
SELECT del(2, ', "ReturnValues": "ALL_OLD"');
SELECT del(3, ', "ConditionExpression": "x > :three", "ExpressionAttributeValues": {":three": {"N": "3"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"');
SELECT del(3, ', "ConditionExpression": "x = :three", "ExpressionAttributeValues": {":three": {"N": "3"}}');
SELECT del(3, ', "ConditionExpression": "attribute_exists(x)"');
SELECT del(4, ', "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"');
SELECT del(4, ', "ReturnConsumedCapacity": "INDEXES"');
SELECT del(5, ', "ReturnValues": "ALL_NEW"');
SELECT del(5, ', "ReturnValues": "UPDATED_OLD"');
SELECT del(5, ', "ExpressionAttributeValues": {":three": {"N": "3"}}');
SELECT del(5, ', "ConditionExpression": "x = :y", "Expected": {}');
SELECT del(5, ', "ConditionExpression": "pk.x = :y", "ExpressionAttributeValues": {":y": {"N": "3"}}');
SELECT req('DeleteItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}}}');
SELECT req('DeleteItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": ""}}}');
SELECT req('DeleteItem', '{"TableName": "none", "Key": {"pk": {"S": "a"}}}');
SELECT req('DeleteItem', '{"TableName": "none", "Key": {"pk": {"N": "a"}}}');
SELECT count(*) FROM tab;

SET client_min_messages = warning;
DROP SCHEMA t_request_delete_item CASCADE;
