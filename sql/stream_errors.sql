-- Errors of the operations on streams
CREATE SCHEMA t_stream_errors;
SET search_path = t_stream_errors;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION req(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN 'answered' ELSE regexp_replace(regexp_replace((r -> 'body')::text, '^."__type":"([^#]*#\w+)",?(.*).$', '\1 \2'),
		'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}', '<label>', 'g') END
	FROM dynamo.request_safe(operation, request) r
$$;
SELECT dynamo.create_table('tab', 'p', 's');
SELECT dynamo.enable_stream('tab') AS label \gset
SELECT arn AS arn FROM dynamo.streams WHERE table_name = 'tab' AND schema_name = 't_stream_errors' \gset
SELECT dynamo.request('DescribeStream', json_build_object('StreamArn', :'arn')) #>> '{StreamDescription,Shards,0,ShardId}' AS shard \gset

-- constraints of the model
SELECT req('ListStreams', '{"TableName": "a/", "Limit": 0, "ExclusiveStartStreamArn": "arn"}');
SELECT req('ListStreams', '{"Limit": 101}');
SELECT req('ListStreams', '{"Limit": "x"}');
SELECT req('DescribeStream', '{}');
SELECT req('DescribeStream', '{"StreamArn": "x", "Limit": 0, "ExclusiveStartShardId": "x", "ShardFilter": {"Type": "PARENTS", "ShardId": "y"}}');
SELECT req('GetShardIterator', '{}');
SELECT req('GetShardIterator', '{"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "ShardId": "shard", "ShardIteratorType": "NOW", "SequenceNumber": "12345678901234567890"}');
SELECT req('GetRecords', '{}');
SELECT req('GetRecords', '{"ShardIterator": "", "Limit": 1001}');
SELECT req('GetRecords', '{"ShardIterator": 1}');

-- streams and shards that do not exist
SELECT req('DescribeStream', json_build_object('StreamArn', :'arn' || 'x'));
SELECT req('DescribeStream', json_build_object('StreamArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/no/stream/' || :'label'));
SELECT req('DescribeStream', json_build_object('StreamArn', replace(:'arn', 'us-east-1', 'eu-west-1')));
-- invalid names of streams
SELECT operation, req(operation, json_build_object(member, name, 'ShardId', :'shard', 'ShardIteratorType', 'LATEST'))
FROM (VALUES ('DescribeStream', 'StreamArn'), ('GetShardIterator', 'StreamArn'), ('ListStreams', 'ExclusiveStartStreamArn')) o(operation, member),
	unnest(ARRAY['here comes a text that is no resource name', 'arn:aws:dynamodb:us-east-1:000000000000:table/tab',
		replace(:'arn', 'dynamodb', 'kinesis')]) name;
-- a filter of shards requires both members
SELECT req('DescribeStream', json_build_object('StreamArn', :'arn', 'ShardFilter', filter::json))
FROM (VALUES ('{}'), ('{"Type": "CHILD_SHARDS"}'), ('{"ShardId": "shardId-00000000000000000000-00000000"}')) f(filter);
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard' || 'x', 'ShardIteratorType', 'LATEST'));

-- iterator types and sequence numbers
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_SEQUENCE_NUMBER'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AFTER_SEQUENCE_NUMBER'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'LATEST', 'SequenceNumber', '100000000000000000001'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON', 'SequenceNumber', '100000000000000000001'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '100000000000000000009'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '1000000000000000000010'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '1000000000000000000x1'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '199999999999999999999'));

-- iterators: malformed, of another stream, changed, expired
SELECT dynamo.request('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator' AS iterator \gset
SELECT req('GetRecords', json_build_object('ShardIterator', :'iterator')), length(:'iterator') < 2048;
SELECT req('GetRecords', json_build_object('ShardIterator', 'x'));
SELECT req('GetRecords', json_build_object('ShardIterator', :'iterator' || '='));
SELECT req('GetRecords', json_build_object('ShardIterator', replace(:'iterator', '/tab/', '/tub/')));
SELECT req('GetRecords', json_build_object('ShardIterator', replace(:'iterator', '|1|AAAAAAAA', '|1|AAAAAAAB')));
CREATE FUNCTION hmac(message bytea) RETURNS bytea LANGUAGE sql AS $$
	SELECT sha256(o.pad || sha256(i.pad || message))
	FROM (SELECT int8send(system_identifier) || decode(repeat('00', 56), 'hex') AS k FROM pg_control_system()) k,
		LATERAL (SELECT decode(string_agg(lpad(to_hex(get_byte(k, n) # x'5c'::int), 2, '0'), '' ORDER BY n), 'hex') AS pad FROM generate_series(0, 63) n) o,
		LATERAL (SELECT decode(string_agg(lpad(to_hex(get_byte(k, n) # x'36'::int), 2, '0'), '' ORDER BY n), 'hex') AS pad FROM generate_series(0, 63) n) i
$$;
CREATE FUNCTION issued(arn text, ago interval) RETURNS text LANGUAGE sql AS $$
	SELECT arn || '|1|' || encode(p || substr(hmac(convert_to(arn, 'UTF8') || p), 1, 16), 'base64')
	FROM (SELECT int8send(0) || int8send((extract(epoch FROM clock_timestamp() - ago) * 1000000)::bigint) AS p) p
$$;
SELECT req('GetRecords', json_build_object('ShardIterator', issued(:'arn', '14 minutes 50 seconds')));
SELECT req('GetRecords', json_build_object('ShardIterator', issued(:'arn', '15 minutes 1 second')));

-- trimmed
INSERT INTO tab (item) SELECT dynamo.build_item('p', 'p', 's', i::text) FROM generate_series(1, 5) i;
SELECT dynamo.request('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '100000000000000000003')) ->> 'ShardIterator' AS iterator \gset
SELECT dynamo.trim_streams(max_records => 100), dynamo.trim_streams('tab', '0', 2), dynamo.trim_streams('tab', '0', 1);
SELECT req('GetRecords', json_build_object('ShardIterator', :'iterator'));
SELECT req('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', t, 'SequenceNumber', n))
FROM (VALUES ('AT_SEQUENCE_NUMBER', '100000000000000000003'), ('AFTER_SEQUENCE_NUMBER', '100000000000000000002'), ('AFTER_SEQUENCE_NUMBER', '100000000000000000003')) v(t, n);
SELECT sequence_number, event_name FROM dynamo.read_stream('tab');
SELECT sequence_number FROM dynamo.read_stream('tab', 100000000000000000003, 1);
SELECT sequence_number FROM dynamo.read_stream('tab', 100000000000000000002);
-- the first number of a shard can always be used for reading, even if no record is left
CREATE FUNCTION first_number() RETURNS text LANGUAGE sql AS
	$$SELECT dynamo.request('DescribeStream', json_build_object('StreamArn', arn)) #>> '{StreamDescription,Shards,0,SequenceNumberRange,StartingSequenceNumber}'
	FROM dynamo.streams WHERE table_name = 'tab' AND schema_name = 't_stream_errors'$$;
CREATE FUNCTION read_from_first(arn text, shard text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(r #>> '{dynamodb,SequenceNumber}', ' '), 'nothing') FROM json_array_elements(dynamo.request('GetRecords', json_build_object('ShardIterator',
		dynamo.request('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', shard, 'ShardIteratorType', 'AT_SEQUENCE_NUMBER',
			'SequenceNumber', first_number())) ->> 'ShardIterator')) -> 'Records') r
$$;
SELECT first_number(), read_from_first(:'arn', :'shard');
SELECT dynamo.trim_streams('tab', '0');
SELECT first_number(), read_from_first(:'arn', :'shard');
SELECT dynamo.put_item('tab', '{"p": {"S": "x"}, "s": {"S": "after all were trimmed"}}');
SELECT first_number(), read_from_first(:'arn', :'shard');

-- the functions
SELECT dynamo.enable_stream('tab');
SELECT dynamo.enable_stream('none');
SELECT dynamo.disable_stream('none');
SELECT dynamo.create_table('quiet', 'p');
SELECT dynamo.enable_stream('quiet', 'new_image');
SELECT dynamo.disable_stream('quiet');
SELECT * FROM dynamo.read_stream('quiet');
SELECT * FROM dynamo.read_stream('tab', label => 'x');
SELECT * FROM dynamo.read_stream(NULL);
SELECT * FROM dynamo.read_stream('tab', 17);
SELECT * FROM dynamo.read_stream('tab', 109223372036854775807);
SELECT * FROM dynamo.read_stream('tab', max_records => -1);
SELECT dynamo.trim_streams('tab', '-1 s');
SELECT dynamo.trim_streams(max_records => -1);
SELECT dynamo.trim_streams('none');
SELECT dynamo_system.capture_changes();
CREATE TRIGGER t BEFORE INSERT ON quiet FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('a', 'KEYS_ONLY', '2026-11-21T11:20:47.123');
INSERT INTO quiet (item) VALUES ('{"p": {"S": "x"}}');
CREATE OR REPLACE TRIGGER t AFTER INSERT ON quiet FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('tab', 'NEW_IMAGE', '2026-11-21T11:20:47.123');
INSERT INTO quiet (item) VALUES ('{"p": {"S": "x"}}');

SET client_min_messages = warning;
DROP SCHEMA t_stream_errors CASCADE;
