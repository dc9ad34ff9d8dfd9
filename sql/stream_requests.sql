-- ListStreams, DescribeStream, GetShardIterator, GetRecords
CREATE SCHEMA t_stream_requests;
SET search_path = t_stream_requests;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- times, labels and values derived from them are masked, as are iterators
CREATE FUNCTION req(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
		CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END,
		'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}', '<label>', 'g'), 'shardId-\d{20}-[0-9a-f]{8}', '<shard>', 'g'),
		'ApproximateCreationDateTime":\d{10},|CreationRequestDateTime":\d{10}\.\d{3},', 'DateTime":<time>,', 'g'), '"eventID":"[0-9a-f]{32}"', '"eventID":"<id>"', 'g'),
		'\|1\|[A-Za-z0-9+/=]+"', '|<iterator>"', 'g')
	FROM dynamo.request_safe(operation, request) r
$$;
CREATE FUNCTION arn(name text DEFAULT 'tab') RETURNS text LANGUAGE sql AS
	'SELECT arn FROM dynamo.streams WHERE table_name = name AND schema_name = ''t_stream_requests'' ORDER BY label DESC LIMIT 1';
CREATE FUNCTION shard(name text DEFAULT 'tab') RETURNS text LANGUAGE sql AS
	$$SELECT dynamo.request('DescribeStream', json_build_object('StreamArn', arn(name))) #>> '{StreamDescription,Shards,0,ShardId}'$$;
CREATE FUNCTION iterator(type text, number text DEFAULT NULL, name text DEFAULT 'tab') RETURNS text LANGUAGE sql AS
	$$SELECT dynamo.request('GetShardIterator', json_build_object('StreamArn', arn(name), 'ShardId', shard(name),
		'ShardIteratorType', type, 'SequenceNumber', number)) ->> 'ShardIterator'$$;
-- the numbers of the records, and whether there are more
CREATE FUNCTION numbers(iterator text, max int DEFAULT 1000) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', (SELECT string_agg(substr(r #>> '{dynamodb,SequenceNumber}', 2)::bigint::text, ' ') FROM json_array_elements(b -> 'Records') r),
		CASE WHEN b ->> 'NextShardIterator' IS NULL THEN 'end' END)
	FROM dynamo.request('GetRecords', json_build_object('ShardIterator', iterator, 'Limit', max)) b
$$;

SELECT req('CreateTable', '{"TableName": "tab", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "s", "AttributeType": "N"}],
	"KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}}') ~ '"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"LatestStreamLabel":"<label>","LatestStreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/<label>"';
SELECT req('DynamoDBStreams_20120810.ListStreams', '{"TableName": "tab"}');
SELECT req('DescribeStream', json_build_object('StreamArn', arn()));
SELECT length(shard());
SELECT numbers(iterator('TRIM_HORIZON')), numbers(iterator('LATEST'));
SELECT iterator('LATEST') AS latest \gset

SELECT req('PutItem', '{"TableName": "tab", "Item": {"p": {"S": "a"}, "s": {"N": "1"}, "t": {"S": "New item!"}}}');
SELECT req('UpdateItem', '{"TableName": "tab", "Key": {"p": {"S": "a"}, "s": {"N": "1"}}, "UpdateExpression": "REMOVE t SET l = :l", "ExpressionAttributeValues": {":l": {"L": [{"NULL": true}]}}}');
SELECT req('DeleteItem', '{"TableName": "tab", "Key": {"p": {"S": "a"}, "s": {"N": "1"}}}');
SELECT req('GetRecords', json_build_object('ShardIterator', :'latest', 'Limit', 1));
SELECT req('GetRecords', json_build_object('ShardIterator', iterator('AFTER_SEQUENCE_NUMBER', '100000000000000000001'), 'Limit', 1));
SELECT req('GetRecords', json_build_object('ShardIterator', iterator('AT_SEQUENCE_NUMBER', '100000000000000000003')));
-- positions of readers
SELECT numbers(:'latest'), numbers(iterator('LATEST')), numbers(iterator('TRIM_HORIZON')), numbers(iterator('AFTER_SEQUENCE_NUMBER', '100000000000000000003'));
SELECT dynamo.request('GetRecords', json_build_object('ShardIterator', iterator('TRIM_HORIZON'), 'Limit', 2)) ->> 'NextShardIterator' AS next \gset
SELECT numbers(:'next'), numbers(:'next');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"p": {"S": "b"}, "s": {"N": "1"}}}');
SELECT numbers(:'next');
-- a name that belongs to the other service
SELECT req('DynamoDB_20120810.ListStreams', '{}'), req('DynamoDBStreams_20120810.ListTables', '{}');

-- the four views
CREATE FUNCTION view_of(v text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.create_table(v, 'id'), dynamo.enable_stream(v, v), dynamo.put_item(v, '{"id": {"S": "x"}, "n": {"N": "1"}}'),
		dynamo.put_item(v, '{"id": {"S": "x"}, "n": {"N": "2"}}'), dynamo.delete_item(v, '{"id": {"S": "x"}}');
	RETURN QUERY SELECT concat_ws(' ', r ->> 'eventName', d -> 'Keys', d -> 'NewImage', d -> 'OldImage', d -> 'SizeBytes', d -> 'StreamViewType')
		FROM json_array_elements(dynamo.request('GetRecords', json_build_object('ShardIterator', iterator('TRIM_HORIZON', NULL, v))) -> 'Records') r,
		LATERAL (SELECT r -> 'dynamodb' AS d) d;
END $$;
SELECT view_of(v) FROM unnest('{KEYS_ONLY,NEW_IMAGE,OLD_IMAGE,NEW_AND_OLD_IMAGES}'::text[]) v;

-- a page ends at one megabyte, or at the limit
SELECT dynamo.create_table('big', 'id');
SELECT dynamo.enable_stream('big', 'NEW_IMAGE') IS NOT NULL;
INSERT INTO big (item) SELECT jsonb_build_object('id', i::text, 'text', repeat('x', 349000)) FROM generate_series(1, 5) i;
SELECT numbers(iterator('TRIM_HORIZON', NULL, 'big'));
INSERT INTO big (item) SELECT jsonb_build_object('id', 's' || i) FROM generate_series(1, 1500) i;
SELECT array_length(string_to_array(numbers(iterator('AFTER_SEQUENCE_NUMBER', '100000000000000000005', 'big')), ' '), 1);

-- lists of streams, in pages
SELECT string_agg(s ->> 'TableName', ' ') FROM json_array_elements(dynamo.request('ListStreams', '{}') -> 'Streams') s;
SELECT dynamo.request('ListStreams', '{"Limit": 2}') ->> 'LastEvaluatedStreamArn' = arn('NEW_AND_OLD_IMAGES');
SELECT string_agg(s ->> 'TableName', ' ') FROM json_array_elements(dynamo.request('ListStreams', json_build_object('ExclusiveStartStreamArn', arn('NEW_AND_OLD_IMAGES'))) -> 'Streams') s;
SELECT req('ListStreams', '{"TableName": "none"}');
SELECT req('DescribeStream', json_build_object('StreamArn', arn(), 'ExclusiveStartShardId', shard())) ~ '"Shards":\[\]';
SELECT req('DescribeStream', json_build_object('StreamArn', arn(), 'ShardFilter', json_build_object('Type', 'CHILD_SHARDS', 'ShardId', shard()))) ~ '"Shards":\[\]';

-- disabled: the shard is closed and can be read to its end
SELECT arn() AS old \gset
SELECT req('UpdateTable', '{"TableName": "tab", "StreamSpecification": {"StreamEnabled": false}}') !~ '"StreamSpecification"';
SELECT req('PutItem', '{"TableName": "tab", "Item": {"p": {"S": "c"}, "s": {"N": "1"}}}');
SELECT req('DescribeStream', json_build_object('StreamArn', :'old'));
SELECT numbers(iterator('TRIM_HORIZON')), numbers(iterator('TRIM_HORIZON'), 4), numbers(iterator('TRIM_HORIZON'), 3), numbers(iterator('LATEST'));
SELECT dynamo.request('DescribeTable', '{"TableName": "tab"}') #>> '{Table,LatestStreamArn}' = :'old';
SELECT req('UpdateTable', '{"TableName": "tab", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}') ~ 'KEYS_ONLY';
SELECT arn() <> :'old', dynamo.request('DescribeTable', '{"TableName": "tab"}') #>> '{Table,LatestStreamArn}' = arn();
SELECT req('PutItem', '{"TableName": "tab", "Item": {"p": {"S": "d"}, "s": {"N": "1"}}}');
SELECT numbers(iterator('TRIM_HORIZON'));
SELECT json_array_length(dynamo.request('ListStreams', '{"TableName": "tab"}') -> 'Streams');
-- the stream of a dropped table
SELECT req('DeleteTable', '{"TableName": "tab"}') ~ 'DELETING';
SELECT numbers(iterator('TRIM_HORIZON')), req('DescribeStream', json_build_object('StreamArn', arn())) ~ '"StreamStatus":"DISABLED"';
SELECT json_array_length(dynamo.request('ListStreams', '{"TableName": "tab"}') -> 'Streams');

SET client_min_messages = warning;
DROP SCHEMA t_stream_requests CASCADE;
