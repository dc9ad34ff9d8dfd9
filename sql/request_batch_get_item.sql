-- BatchGetItem: answers, messages, capacity
CREATE SCHEMA t_request_batch_get_item;
SET search_path = t_request_batch_get_item;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('num', 'n', partition_key_type => 'N');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'a', 'sk', 's' || i, 'x', i, 'm', jsonb_build_object('a', i)) FROM generate_series(1, 3) i;
INSERT INTO num (item) SELECT jsonb_build_object('n', i, 'big', repeat('x', 5000)) FROM generate_series(1, 2) i;
CREATE FUNCTION get(items text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(req('BatchGetItem', '{"RequestItems": ' || items || more || '}'), 'x{9,}', 'xxx', 'g') $$;

SELECT get('{"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}, {"pk": {"S": "a"}, "sk": {"S": "none"}}, {"pk": {"S": "a"}, "sk": {"S": "s3"}}]}, "num": {"Keys": [{"n": {"N": "2.0"}}]}}');
SELECT get('{"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}], "ProjectionExpression": "#m.a, sk", "ExpressionAttributeNames": {"#m": "m"}, "ConsistentRead": true}}');
-- a table without any of the items has an empty list
SELECT get('{"num": {"Keys": [{"n": {"N": "9"}}]}}');

-- messages
SELECT get('null');
SELECT get('{}');
SELECT get('{"tab": {}}');
SELECT get('{"tab": {"Keys": []}}');
SELECT get('{"tab": null}');
SELECT get(json_build_object('num', json_build_object('Keys', (SELECT json_agg(json_build_object('n', json_build_object('N', i::text))) FROM generate_series(1, 101) i)))::text) ~ 'Value at .RequestItems.num.member.Keys. failed to satisfy constraint: Member must have length less than or equal to 100';
SELECT get(json_build_object('num', k, 'tab', k)::text) FROM (SELECT json_build_object('Keys', (SELECT json_agg(json_build_object('n', json_build_object('N', i::text))) FROM generate_series(1, 51) i)) k) s;
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}, {"n": {"N": "2"}}, {"n": {"N": "1"}}]}}');
-- keys are compared as written, before the table is looked up
SELECT get('{"num": {"ProjectionExpression": "n", "Keys": [{"n": {"N": "1"}}, {"n": {"N": "1.0"}}]}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1.0"}}, {"n": {"N": "1"}}, {"n": {"N": "1.0"}}]}}');
SELECT get('{"none": {"Keys": [{"n": {"N": "1"}}, {"n": {"N": "1"}}]}}');
SELECT get('{"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}, {"sk": {"S": "s1"}, "pk": {"S": "a"}}]}}');
SELECT get('{"bin": {"Keys": [{"b": {"B": "YQ=="}}, {"b": {"B": "YQ=="}}]}}');
SELECT get('{"num": {"Keys": [{"n": {"S": "1"}}]}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "one"}}]}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}]}, "none": {"Keys": [{"n": {"N": "1"}}]}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}], "ProjectionExpression": "a", "AttributesToGet": ["a"]}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}], "ProjectionExpression": "a"}, "tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}], "AttributesToGet": ["sk"]}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}], "ExpressionAttributeNames": {"#a": "a"}}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}], "ProjectionExpression": "a..b"}}');
SELECT get('{"num": {"Keys": [{"n": {"N": "1"}}], "ProjectionExpression": "n.x"}}');

-- capacity: each item is rounded
SELECT get('{"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}, {"pk": {"S": "a"}, "sk": {"S": "none"}}]}, "num": {"Keys": [{"n": {"N": "2"}}], "ConsistentRead": true, "ProjectionExpression": "n"}}', ', "ReturnConsumedCapacity": "TOTAL"');
SELECT get('{"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}]}}', ', "ReturnConsumedCapacity": "INDEXES"');

-- at most 16 MB: the remaining keys are unprocessed
INSERT INTO num (item) SELECT jsonb_build_object('n', i, 'x', repeat('x', 400000)) FROM generate_series(101, 150) i;
CREATE TEMP TABLE answer AS SELECT dynamo.request('BatchGetItem', json_build_object('RequestItems', json_build_object('num', json_build_object('ProjectionExpression', 'n',
	'Keys', (SELECT json_agg(json_build_object('n', json_build_object('N', i::text))) FROM generate_series(101, 150) i)))));
SELECT json_array_length(request #> '{Responses,num}'), json_array_length(request #> '{UnprocessedKeys,num,Keys}'), request #> '{UnprocessedKeys,num,Keys,0}', request #> '{UnprocessedKeys,num,ProjectionExpression}' FROM answer;
-- a table that was not reached is unprocessed as a whole and consumes nothing
SELECT r #> '{Responses,tab}', r #> '{UnprocessedKeys,tab}', r -> 'ConsumedCapacity' FROM dynamo.request('BatchGetItem', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'RequestItems', json_build_object('num', json_build_object('ProjectionExpression', 'n',
	'Keys', (SELECT json_agg(json_build_object('n', json_build_object('N', i::text))) FROM generate_series(101, 150) i)), 'tab', '{"Keys": [{"pk": {"S": "a"}, "sk": {"S": "s1"}}]}'::json))) r;
SELECT json_array_length(dynamo.request('BatchGetItem', json_build_object('RequestItems', request -> 'UnprocessedKeys')) #> '{Responses,num}') FROM answer;

SET client_min_messages = warning;
DROP SCHEMA t_request_batch_get_item CASCADE;
