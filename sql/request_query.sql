-- Query: answers, positions, messages, capacity
CREATE SCHEMA t_request_query;
SET search_path = t_request_query;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "few", "partition_key": "g", "projection": "INCLUDE", "non_key_attributes": ["y"]},
	{"index_name": "multi", "partition_key": ["g", "h"], "sort_key": ["i", "j"]},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
SELECT dynamo.create_table('hash', 'pk');
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'a', 'sk', 's' || i, 'x', i, 'y', 'y' || i, 'g', 'g' || i % 2, 'n', i, 'l', 'l' || 9 - i) FROM generate_series(1, 6) i;
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'b', 'sk', 's1');
INSERT INTO hash (item) SELECT jsonb_build_object('pk', 'a');
CREATE FUNCTION q(more text, val text DEFAULT '{":p": {"S": "a"}}', tab text DEFAULT 'tab') RETURNS text LANGUAGE sql AS $$
	SELECT req('Query', '{"TableName": "' || tab || '", ' || coalesce('"ExpressionAttributeValues": ' || val || ', ', '') || more || '}') $$;

-- answers
SELECT q('"KeyConditionExpression": "pk = :p"');
SELECT q('"KeyConditionExpression": "pk = :p", "ScanIndexForward": false, "Limit": 2, "ProjectionExpression": "sk"');
SELECT q('"KeyConditionExpression": "pk = :p", "ScanIndexForward": false, "Limit": 2, "ProjectionExpression": "sk", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "s5"}}');
SELECT q('"KeyConditionExpression": "pk = :p AND sk BETWEEN :a AND :b", "ProjectionExpression": "sk"', '{":p": {"S": "a"}, ":a": {"S": "s2"}, ":b": {"S": "s3"}}');
SELECT q('"KeyConditionExpression": "begins_with(sk, :a) AND pk = :p", "ProjectionExpression": "sk", "FilterExpression": "x > :n"', '{":p": {"S": "a"}, ":a": {"S": "s"}, ":n": {"N": "4"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "COUNT"');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "COUNT", "Limit": 2, "FilterExpression": "x > :n"', '{":p": {"S": "a"}, ":n": {"N": "4"}}');
SELECT q('"KeyConditionExpression": "pk = :p"', '{":p": {"S": "nobody"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "Limit": 6, "ProjectionExpression": "nothing"');
-- indexes and their positions
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p AND n > :n", "Limit": 1', '{":p": {"S": "g0"}, ":n": {"N": "2"}}');
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p", "ExclusiveStartKey": {"g": {"S": "g0"}, "n": {"N": "4"}, "pk": {"S": "a"}, "sk": {"S": "s4"}}, "ProjectionExpression": "n"', '{":p": {"S": "g0"}}');
SELECT q('"IndexName": "lsi", "KeyConditionExpression": "pk = :p AND l <= :l", "Limit": 1, "ConsistentRead": true', '{":p": {"S": "a"}, ":l": {"S": "l4"}}');
SELECT q('"IndexName": "lsi", "KeyConditionExpression": "pk = :p AND l <= :l", "ProjectionExpression": "x"', '{":p": {"S": "a"}, ":l": {"S": "l4"}}');
SELECT q('"IndexName": "few", "KeyConditionExpression": "g = :p", "Select": "ALL_PROJECTED_ATTRIBUTES", "Limit": 1', '{":p": {"S": "g0"}}');
-- a page ends with the item that reaches 1 MB
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'big', 'sk', 's' || i, 'l', 'l' || i, 'x', repeat('x', 300000)) FROM generate_series(1, 5) i;
SELECT q('"KeyConditionExpression": "pk = :p", "ProjectionExpression": "sk", "ReturnConsumedCapacity": "TOTAL"', '{":p": {"S": "big"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ProjectionExpression": "sk", "ReturnConsumedCapacity": "TOTAL", "ExclusiveStartKey": {"pk": {"S": "big"}, "sk": {"S": "s4"}}', '{":p": {"S": "big"}}');
-- items that a local index fetches from the table count, too
SELECT q('"IndexName": "lsi", "KeyConditionExpression": "pk = :p", "ReturnConsumedCapacity": "INDEXES"', '{":p": {"S": "big"}}');
SELECT q('"IndexName": "lsi", "KeyConditionExpression": "pk = :p", "ProjectionExpression": "sk, y", "ReturnConsumedCapacity": "INDEXES"', '{":p": {"S": "big"}}');

-- parameters
SELECT q('"Limit": 1', NULL);
SELECT q('"Limit": 1');
SELECT q('"KeyConditionExpression": "pk = :p", "KeyConditions": {}, "AttributesToGet": ["x"]');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "SPECIFIC_ATTRIBUTES"');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "COUNT", "ProjectionExpression": "x"');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "ALL_ATTRIBUTES", "ProjectionExpression": "x"');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "ALL_PROJECTED_ATTRIBUTES"');
SELECT q('"KeyConditionExpression": ""', NULL);
SELECT q('"KeyConditionExpression": "pk = :q"');
SELECT q('"KeyConditionExpression": "pk = :p", "FilterExpression": "x = "');
-- key conditions
SELECT q('"KeyConditionExpression": "pk = :p OR sk = :p"');
SELECT q('"KeyConditionExpression": "NOT pk = :p"');
SELECT q('"KeyConditionExpression": "pk <> :p"');
SELECT q('"KeyConditionExpression": "pk IN (:p)"');
SELECT q('"KeyConditionExpression": "contains(pk, :p)"');
SELECT q('"KeyConditionExpression": "pk.x = :p"');
SELECT q('"KeyConditionExpression": "pk = :p AND size(sk) = :p"');
SELECT q('"KeyConditionExpression": "pk = :p AND pk = :p"');
SELECT q('"KeyConditionExpression": "pk = sk"', NULL);
SELECT q('"KeyConditionExpression": ":p = :p"');
SELECT q('"KeyConditionExpression": "begins_with(:p, pk)"');
SELECT q('"KeyConditionExpression": "pk = :p AND sk = :p AND x = :p"');
SELECT q('"KeyConditionExpression": "sk = :p"');
SELECT q('"KeyConditionExpression": "pk = :p AND x = :p"');
SELECT q('"KeyConditionExpression": "pk > :p"');
SELECT q('"KeyConditionExpression": "pk = :p AND sk = :p"', '{":p": {"S": "a"}}', 'hash');
SELECT q('"KeyConditionExpression": "pk = :p"', '{":p": {"N": "1"}}');
SELECT q('"KeyConditionExpression": "pk = :p"', '{":p": {"S": ""}}');
SELECT q('"KeyConditionExpression": "pk = :p AND sk BETWEEN :b AND :a"', '{":p": {"S": "a"}, ":a": {"S": "s2"}, ":b": {"S": "s3"}}');
SELECT q('"KeyConditionExpression": "pk = :p AND sk BETWEEN :b AND :a"', '{":p": {"S": "a"}, ":a": {"S": "s2"}, ":b": {"N": "3"}}');
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p AND begins_with(n, :n)"', '{":p": {"S": "a"}, ":n": {"N": "3"}}');
SELECT q('"IndexName": "multi", "KeyConditionExpression": "g = :p"');
SELECT q('"IndexName": "multi", "KeyConditionExpression": "g = :p AND h = :p AND j = :p"');
-- errors of any expression, and unused names or values, come before the rules for key conditions
SELECT q('"KeyConditionExpression": "pk <> :p", "FilterExpression": ""');
SELECT q('"KeyConditionExpression": "pk <> :p", "FilterExpression": "x = :q"');
SELECT q('"KeyConditionExpression": "pk <> :p", "ProjectionExpression": ""');
SELECT q('"KeyConditionExpression": "pk <> :p", "ProjectionExpression": "x, x"');
SELECT q('"KeyConditionExpression": "pk <> :p", "ExpressionAttributeNames": {"#x": "x"}');
SELECT q('"KeyConditionExpression": "pk <> :p"', '{":p": {"S": "a"}, ":q": {"S": "b"}}');
SELECT q('"KeyConditionExpression": "pk <> :q", "FilterExpression": ""');
SELECT q('"KeyConditionExpression": "pk <> :p"', '{":p": {"S": "a"}}', 'none');
-- filters
SELECT q('"KeyConditionExpression": "pk = :p", "FilterExpression": "sk = :p"');
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p", "FilterExpression": "n = :p"');
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p", "FilterExpression": "pk = :a", "Select": "COUNT"', '{":p": {"S": "g0"}, ":a": {"S": "a"}}');
-- indexes
SELECT q('"IndexName": "nope", "KeyConditionExpression": "pk = :p"');
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p", "ConsistentRead": true');
SELECT q('"IndexName": "few", "KeyConditionExpression": "g = :p", "Select": "ALL_ATTRIBUTES"');
SELECT q('"IndexName": "few", "KeyConditionExpression": "g = :p", "ProjectionExpression": "x, y"');
SELECT q('"IndexName": "few", "KeyConditionExpression": "g = :p", "FilterExpression": "x = :p"');
-- start keys
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "a"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "a"}, "x": {"S": "a"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "1"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "z"}, "sk": {"S": "a"}}');
SELECT q('"KeyConditionExpression": "pk = :p AND sk > :p", "ExclusiveStartKey": {"pk": {"S": "z"}, "sk": {"S": "a"}}');
SELECT q('"KeyConditionExpression": "pk = :p AND sk > :p", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "a"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "a"}}', '{":p": {"S": "a"}}', 'hash');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": ""}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "' || repeat('x', 1025) || '"}}');
SELECT q('"KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "' || repeat('x', 2049) || '"}, "sk": {"S": "a"}}');
SELECT q('"KeyConditionExpression": "pk = :p"', '{":p": {"S": "a"}}', 'none');

-- capacity
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"');
SELECT q('"KeyConditionExpression": "pk = :p", "Select": "COUNT", "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true', '{":p": {"S": "nobody"}}');
SELECT q('"IndexName": "gsi", "KeyConditionExpression": "g = :p", "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"', '{":p": {"S": "g0"}}');
SELECT q('"IndexName": "lsi", "KeyConditionExpression": "pk = :p", "ProjectionExpression": "x", "ReturnConsumedCapacity": "INDEXES"');
SELECT q('"IndexName": "lsi", "KeyConditionExpression": "pk = :p", "ProjectionExpression": "sk", "ReturnConsumedCapacity": "INDEXES", "ConsistentRead": true');

SET client_min_messages = warning;
DROP SCHEMA t_request_query CASCADE;
