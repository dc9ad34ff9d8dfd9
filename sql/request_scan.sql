-- Scan: answers, segments, messages, capacity
CREATE SCHEMA t_request_scan;
SET search_path = t_request_scan;
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
CREATE FUNCTION scan(more text) RETURNS text LANGUAGE sql AS $$
	SELECT req('Scan', '{"TableName": "tab"' || more || '}') $$;
-- the items of every page of a scan, and the number of pages
CREATE FUNCTION pages(more text, OUT items int, OUT pages int) LANGUAGE plpgsql AS $$
DECLARE
	r json; k text := '';
BEGIN
	items := 0; pages := 0;
	LOOP
		r := dynamo.request('Scan', ('{"TableName": "tab"' || more || k || '}')::json);
		pages := pages + 1;
		items := items + (r ->> 'Count')::int;
		EXIT WHEN r -> 'LastEvaluatedKey' IS NULL;
		k := ', "ExclusiveStartKey": ' || (r -> 'LastEvaluatedKey');
	END LOOP;
END $$;

SELECT (scan('')::json ->> 'Count'), scan(', "Select": "COUNT"');
SELECT scan(', "FilterExpression": "pk = :b", "ExpressionAttributeValues": {":b": {"S": "b"}}');
SELECT scan(', "IndexName": "few", "FilterExpression": "y = :y", "ExpressionAttributeValues": {":y": {"S": "y3"}}');
SELECT * FROM pages(', "Limit": 1');
SELECT * FROM pages(', "Limit": 3, "IndexName": "gsi"');
SELECT * FROM pages(', "Limit": 100');
-- each item is in exactly one segment
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'p' || i, 'sk', 's') FROM generate_series(1, 100) i;
SELECT sum(items) = 107, count(*) FILTER (WHERE items > 10) FROM generate_series(0, 3) i, LATERAL pages(', "Limit": 7, "TotalSegments": 4, "Segment": ' || i);
-- limit of 1 MB
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'big' || i, 'sk', 's', 'x', repeat('x', 300000)) FROM generate_series(1, 5) i;
SELECT * FROM pages('');

-- messages
SELECT scan(', "Segment": 1');
SELECT scan(', "TotalSegments": 1');
SELECT scan(', "Segment": 4, "TotalSegments": 4');
SELECT scan(', "Select": "SPECIFIC_ATTRIBUTES"');
SELECT scan(', "Select": "COUNT", "ProjectionExpression": "x"');
SELECT scan(', "Select": "ALL_PROJECTED_ATTRIBUTES"');
SELECT scan(', "ExpressionAttributeNames": {"#x": "x"}');
SELECT scan(', "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "ProjectionExpression": "x", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "x = :x", "ScanFilter": {}, "AttributesToGet": ["a"]');
SELECT scan(', "FilterExpression": ""');
SELECT scan(', "FilterExpression": "x = :x"');
SELECT scan(', "FilterExpression": "((x = :x))", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "if_not_exists(x, :x)", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "size(x)", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "x = x"');
SELECT scan(', "FilterExpression": "x < :x", "ExpressionAttributeValues": {":x": {"BOOL": true}}');
SELECT scan(', "FilterExpression": "x BETWEEN :x AND :y", "ExpressionAttributeValues": {":x": {"S": "x"}, ":y": {"N": "1"}}');
SELECT scan(', "FilterExpression": "x BETWEEN :x AND :y", "ExpressionAttributeValues": {":x": {"S": "x"}, ":y": {"S": "a"}}');
SELECT scan(', "FilterExpression": "attribute_type(x, :x)", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "attribute_type(x, y)"');
SELECT scan(', "FilterExpression": "attribute_exists(:x)", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "x[100000000000] = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "x' || repeat('.x', 32) || ' = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "FilterExpression": "' || repeat('x = :x OR ', 155) || 'x = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}');
SELECT scan(', "IndexName": "nope"');
SELECT scan(', "IndexName": "gsi", "ConsistentRead": true');
SELECT scan(', "IndexName": "few", "Select": "ALL_ATTRIBUTES"');
SELECT scan(', "ExclusiveStartKey": {"pk": {"S": "a"}}');
SELECT scan(', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "1"}}');
SELECT scan(', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "s"}}, "TotalSegments": 2, "Segment": ' || i) LIKE '%correct Segment%' FROM generate_series(0, 1) i ORDER BY 1;
SELECT req('Scan', '{"TableName": "none"}');

-- capacity
SELECT scan(', "Select": "COUNT", "Limit": 3, "ReturnConsumedCapacity": "TOTAL"') ~ '"CapacityUnits":0.5';
SELECT scan(', "Select": "COUNT", "IndexName": "few", "ReturnConsumedCapacity": "INDEXES"');
SELECT req('Scan', '{"TableName": "hash", "ReturnConsumedCapacity": "INDEXES", "ConsistentRead": true}');

SET client_min_messages = warning;
DROP SCHEMA t_request_scan CASCADE;
