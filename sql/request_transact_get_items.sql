-- TransactGetItems: answers, messages, capacity
CREATE SCHEMA t_request_transact_get_items;
SET search_path = t_request_transact_get_items;
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
	SELECT regexp_replace(req('TransactGetItems', '{"TransactItems": [' || items || ']' || more || '}'), 'x{9,}', 'xxx', 'g') $$;

SELECT get('{"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s2"}}}}, {"Get": {"TableName": "num", "Key": {"n": {"N": "7"}}}}, {"Get": {"TableName": "num", "Key": {"n": {"N": "1.0"}}, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}}}');
SELECT get('{"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s2"}}, "ProjectionExpression": "nothing"}}');

-- messages
SELECT get('');
SELECT get('{}');
SELECT get('{"Get": {}}');
SELECT get((SELECT string_agg('{"Get": {"TableName": "num", "Key": {"n": {"N": "' || i || '"}}}}', ', ') FROM generate_series(1, 101) i)) ~ 'at .transactItems. failed to satisfy constraint: Member must have length less than or equal to 100';
SELECT json_array_length(get((SELECT string_agg('{"Get": {"TableName": "num", "Key": {"n": {"N": "' || i || '"}}}}', ', ') FROM generate_series(1, 100) i))::json -> 'Responses');
SELECT get('{"Get": {"TableName": "num", "Key": {"n": {"N": "1"}}}}, {"Get": {"TableName": "num", "Key": {"n": {"N": "1.0"}}}}');
SELECT get('{"Get": {"TableName": "num", "Key": {"n": {"S": "1"}}}}');
SELECT get('{"Get": {"TableName": "none", "Key": {"n": {"S": "1"}}}}');
-- canceled by the first key that does not fit its table; an empty key fails the request
SELECT get('{"Get": {"TableName": "num", "Key": {"n": {"N": "1"}}}}, {"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}}}}, {"Get": {"TableName": "num", "Key": {"n": {"S": "1"}}}}');
SELECT get('{"Get": {"TableName": "tab", "Key": {"pk": {"S": "' || repeat('x', 2049) || '"}, "sk": {"S": "a"}}}}');
SELECT get('{"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": ""}}}}');
SELECT get('{"Get": {"TableName": "num", "Key": {"n": {"N": "1"}}, "ExpressionAttributeNames": {"#n": "n"}}}');
SELECT get('{"Get": {"TableName": "num", "Key": {"n": {"N": "1"}}, "ProjectionExpression": "a, a"}}');

-- the limit is for the size of all items together, whatever is returned
INSERT INTO num (item) SELECT jsonb_build_object('n', i, 'x', repeat('x', 409595)) FROM generate_series(201, 211) i;
SELECT length(get((SELECT string_agg('{"Get": {"TableName": "num", "Key": {"n": {"N": "' || i || '"}}, "ProjectionExpression": "n"}}', ', ') FROM generate_series(201, 210) i)));
SELECT get((SELECT string_agg('{"Get": {"TableName": "num", "Key": {"n": {"N": "' || i || '"}}, "ProjectionExpression": "n"}}', ', ') FROM generate_series(201, 211) i));

-- capacity: twice that of consistent reads
SELECT get('{"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s2"}}, "ProjectionExpression": "x"}}, {"Get": {"TableName": "num", "Key": {"n": {"N": "7"}}}}, {"Get": {"TableName": "num", "Key": {"n": {"N": "1"}}, "ProjectionExpression": "n"}}', ', "ReturnConsumedCapacity": "TOTAL"');
SELECT get('{"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "s2"}}, "ProjectionExpression": "x"}}', ', "ReturnConsumedCapacity": "INDEXES"');

SET client_min_messages = warning;
DROP SCHEMA t_request_transact_get_items CASCADE;
