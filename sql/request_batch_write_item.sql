-- BatchWriteItem: answers, messages, capacity
CREATE SCHEMA t_request_batch_write_item;
SET search_path = t_request_batch_write_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
CREATE FUNCTION put(items text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT req('BatchWriteItem', '{"RequestItems": ' || items || more || '}') $$;

SELECT put('{"tab": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "1"}}}}, {"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "2"}}}}], "num": [{"PutRequest": {"Item": {"n": {"N": "1"}}}}]}');
SELECT put('{"tab": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"N": "2"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"S": "2"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"S": "3"}}}}]}');
SELECT item FROM tab;

-- messages
SELECT put('{}');
SELECT put('null');
SELECT put('{"tab": []}');
SELECT put('{"tab": [{}]}');
SELECT put('{"tab": [{"PutRequest": {"Item": {}}, "DeleteRequest": {"Key": {}}}]}');
SELECT put('{"tab": [{"PutRequest": {}}]}');
SELECT put(json_build_object('num', (SELECT json_agg('{"DeleteRequest": {"Key": {"n": {"N": "1"}}}}'::json) FROM generate_series(1, 26)))::text) ~ '^ValidationException "message":"1 validation error detected: Value .{num=.WriteRequest.*WriteRequest.*}. at .requestItems. failed to satisfy constraint: Map value must satisfy constraint: .Member must have length less than or equal to 25, Member must have length greater than or equal to 1.';
SELECT put(json_build_object('num', w, 'tab', w)::text) FROM (SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('n', json_build_object('N', i::text))))) w FROM generate_series(1, 13) i) s;
SELECT put('{"num": [{"PutRequest": {"Item": {"n": {"N": "1"}}}}, {"DeleteRequest": {"Key": {"n": {"N": "1.0"}}}}]}');
SELECT put('{"num": [{"PutRequest": {"Item": {"x": {"N": "1"}}}}]}');
SELECT put('{"num": [{"PutRequest": {"Item": {"n": {"S": "1"}}}}]}');
SELECT put('{"num": [{"DeleteRequest": {"Key": {"n": {"S": "1"}}}}]}');
SELECT put('{"tab": [{"PutRequest": {"Item": {"pk": {"S": ""}, "sk": {"S": "1"}}}}]}');
SELECT put('{"tab": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "g": {"N": "1"}}}}]}');
SELECT put('{"tab": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "g": {"S": ""}}}}]}');
SELECT put('{"num": [{"PutRequest": {"Item": {"n": {"N": "1"}, "x": {"SS": []}}}}]}');
SELECT put('{"none": [{"PutRequest": {"Item": {"n": {"N": "1"}}}}]}');
-- one invalid write fails the whole request
SELECT put('{"num": [{"PutRequest": {"Item": {"n": {"N": "7"}}}}, {"PutRequest": {"Item": {"n": {"N": "8"}, "x": {"S": "' || repeat('x', 409600) || '"}}}}]}');
SELECT item FROM num;

-- capacity and item collections
SELECT put('{"tab": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "g": {"S": "g"}, "n": {"N": "1"}}}}, {"PutRequest": {"Item": {"pk": {"S": "b"}, "sk": {"S": "1"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "b"}, "sk": {"S": "2"}}}}], "num": [{"PutRequest": {"Item": {"n": {"N": "1"}}}}]}', ', "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"');
SELECT put('{"num": [{"PutRequest": {"Item": {"n": {"N": "1"}, "x": {"S": "' || repeat('x', 2000) || '"}}}}, {"DeleteRequest": {"Key": {"n": {"N": "2"}}}}]}', ', "ReturnConsumedCapacity": "TOTAL"');

SET client_min_messages = warning;
DROP SCHEMA t_request_batch_write_item CASCADE;
