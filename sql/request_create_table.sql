-- CreateTable: answers, all messages, stored settings
CREATE SCHEMA t_request_create;
SET search_path = t_request_create;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- answers with ids and times masked; errors as type and message
CREATE FUNCTION req(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN regexp_replace(regexp_replace((r -> 'body')::text,
			'"(\w*DateTime)":\d+\.\d+', '"\1":<time>', 'g'), '[0-9a-f]{8}-[-0-9a-f]{27}', '<id>', 'g')
		ELSE regexp_replace(r #>> '{body,__type}', '.*#', '') || ': ' || (r #>> '{body,message}') END
	FROM dynamo.request_safe(operation, request) r
$$;
-- changes some members of a request
CREATE FUNCTION create_with(change jsonb, base jsonb DEFAULT '{"TableName": "tab",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}')
RETURNS text LANGUAGE sql AS $$ SELECT req('CreateTable', jsonb_strip_nulls(base || change)::json) $$;

SELECT create_with('{}');
SELECT create_with('{}');
SELECT req('DeleteTable', '{"TableName": "tab"}');
-- provisioned, with both kinds of indexes and a stream
SELECT req('CreateTable', '{"TableName": "Music", "TableClass": "STANDARD_INFREQUENT_ACCESS",
	"AttributeDefinitions": [{"AttributeName": "Year", "AttributeType": "N"}, {"AttributeName": "Song", "AttributeType": "S"},
		{"AttributeName": "Artist", "AttributeType": "S"}, {"AttributeName": "Cover", "AttributeType": "B"}],
	"KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Song", "KeyType": "RANGE"}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"LocalSecondaryIndexes": [{"IndexName": "ByYear", "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"},
		{"AttributeName": "Year", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}],
	"GlobalSecondaryIndexes": [{"IndexName": "Multi", "KeySchema": [{"AttributeName": "Year", "KeyType": "HASH"},
		{"AttributeName": "Song", "KeyType": "HASH"}, {"AttributeName": "Cover", "KeyType": "RANGE"}],
		"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["z", "b"]},
		"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
	"DeletionProtectionEnabled": true}') ~ '"StreamViewType":"NEW_AND_OLD_IMAGES"},"LatestStreamLabel":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d.\d\d\d"';
SELECT regexp_replace(req('DescribeTable', '{"TableName": "Music"}'), '20\d\d-\d\d-\d\dT[0-9:.]+', '<label>', 'g');
SELECT indexdef FROM pg_indexes WHERE schemaname = 't_request_create' ORDER BY 1;
SELECT table_id ~ '^[0-9a-f-]{36}$', on_demand, read_capacity_units, write_capacity_units, deletion_protection, table_class
	FROM dynamo_internal.table_settings WHERE relation IN (SELECT oid FROM pg_class WHERE relnamespace = 't_request_create'::regnamespace);

-- constraints of the model
SELECT create_with('{"TableName": "ab"}');
SELECT create_with('{"TableName": "a;b", "KeySchema": null}');
SELECT create_with(jsonb_build_object('TableName', repeat('x', 256))) LIKE '%at ''tableName'' failed to satisfy constraint: Member must have length less than or equal to 255';
-- an ARN in place of the name
SELECT create_with('{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/by-arn", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}') ~ '"TableName":"by-arn".*"StreamViewType":"KEYS_ONLY"';
SELECT create_with('{"TableName": "arn:aws:dynamodb:us-east-2:000000000000:table/by-arn"}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "c", "KeyType": "RANGE"}]}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "SS"}], "BillingMode": "FREE"}');
SELECT create_with('{"ProvisionedThroughput": {"ReadCapacityUnits": 0}}');
SELECT create_with('{"LocalSecondaryIndexes": [{}]}');

-- billing
SELECT create_with('{"BillingMode": null}');
SELECT create_with('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT create_with('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1}}');
-- keys and definitions
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "HASH"}],
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}]}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "N"}]}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}, {"AttributeName": "y", "KeyType": "RANGE"}]}');
-- encryption uses a key: that of the account, or the given one
SELECT substring(create_with('{"TableName": "encrypted", "SSESpecification": {"Enabled": true}}') from '"SSEDescription":({[^}]*})');
SELECT substring(create_with('{"TableName": "encrypted2", "SSESpecification": {"SSEType": "KMS", "KMSMasterKeyId": "alias/mine"}}') from '"SSEDescription":({[^}]*})');
SELECT substring(create_with('{"TableName": "encrypted3", "SSESpecification": {"SSEType": "KMS", "KMSMasterKeyId": "mine"}}') from '"SSEDescription":({[^}]*})');
-- streams and tags
SELECT create_with('{"StreamSpecification": {"StreamEnabled": true}}');
SELECT create_with('{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "NEW_IMAGE"}}');
SELECT create_with('{"Tags": [{"Key": "aws:x", "Value": ""}]}');

-- indexes
CREATE FUNCTION with_index(local boolean, change jsonb, billing jsonb DEFAULT '{"BillingMode": "PAY_PER_REQUEST"}')
RETURNS text LANGUAGE sql AS $$
	SELECT create_with(billing || jsonb_build_object(CASE WHEN local THEN 'LocalSecondaryIndexes' ELSE 'GlobalSecondaryIndexes' END,
		jsonb_build_array('{"IndexName": "idx", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}],
			"Projection": {"ProjectionType": "ALL"}}'::jsonb || change)),
		'{"TableName": "tab", "BillingMode": "PAY_PER_REQUEST",
			"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}],
			"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]}')
$$;
SELECT create_with('{"GlobalSecondaryIndexes": []}');
SELECT create_with('{"LocalSecondaryIndexes": []}');
SELECT with_index(false, '{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT with_index(false, '{}', '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT with_index(false, '{"Projection": {}}');
SELECT with_index(false, '{"Projection": {"ProjectionType": "INCLUDE"}}');
SELECT with_index(false, '{"Projection": {"ProjectionType": "ALL", "NonKeyAttributes": ["x"]}}');
SELECT with_index(false, '{"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "x"]}}');
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}]}');
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "x", "KeyType": "RANGE"}]}');
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}, {"AttributeName": "y", "KeyType": "RANGE"}]}');
SELECT with_index(true, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "x", "KeyType": "RANGE"}]}');
-- errors of an index come before definitions that no key uses
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {}}');
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE"}}');
SELECT with_index(true, '{"KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT create_with(jsonb_build_object('AttributeDefinitions', jsonb_build_array(jsonb_build_object('AttributeName', 'a', 'AttributeType', 'S'), jsonb_build_object('AttributeName', 'b', 'AttributeType', 'S')),
	'GlobalSecondaryIndexes', (SELECT jsonb_agg('{"IndexName": "idx", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}'::jsonb) FROM generate_series(1, 2) i)));
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}');
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "c", "KeyType": "HASH"}]}');
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}, {"AttributeName": "b", "KeyType": "RANGE"}]}');
SELECT req('CreateTable', json_build_object('TableName', 'many', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', json_build_array(json_build_object('AttributeName', 'a1', 'KeyType', 'HASH')),
	'AttributeDefinitions', json_agg(json_build_object('AttributeName', 'a' || i, 'AttributeType', 'S')),
	'GlobalSecondaryIndexes', json_build_array(json_build_object('IndexName', 'idx', 'Projection', json_build_object('ProjectionType', 'ALL'),
		'KeySchema', json_agg(json_build_object('AttributeName', 'a' || i, 'KeyType', kind)))))) FROM generate_series(1, 5) i, unnest('{HASH}'::text[]) kind;
SELECT with_index(false, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
SELECT with_index(true, '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
SELECT with_index(true, '{"KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}');
SELECT create_with('{"LocalSecondaryIndexes": [{"IndexName": "idx", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}],
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}]}');
SELECT create_with(jsonb_build_object('GlobalSecondaryIndexes', (SELECT jsonb_agg(('{"IndexName": "idx' || i || '", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"Projection": {"ProjectionType": "ALL"}}')::jsonb) FROM generate_series(1, 21) i)));
SELECT create_with(jsonb_build_object('GlobalSecondaryIndexes', (SELECT jsonb_agg('{"IndexName": "idx", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"Projection": {"ProjectionType": "ALL"}}'::jsonb) FROM generate_series(1, 2) i)));
SELECT create_with(jsonb_build_object('AttributeDefinitions', jsonb_build_array(jsonb_build_object('AttributeName', 'a', 'AttributeType', 'S'), jsonb_build_object('AttributeName', 'b', 'AttributeType', 'S')),
	'KeySchema', jsonb_build_array(jsonb_build_object('AttributeName', 'a', 'KeyType', 'HASH'), jsonb_build_object('AttributeName', 'b', 'KeyType', 'RANGE')),
	'LocalSecondaryIndexes', (SELECT jsonb_agg(('{"IndexName": "idx' || i || '", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"Projection": {"ProjectionType": "ALL"}}')::jsonb) FROM generate_series(1, 6) i)));
SELECT with_index(true, '{}') LIKE '{"TableDescription"%';

-- DescribeTable of a table made with dynamo.create_table
SELECT dynamo.create_table('plain', 'pk', 'sk', 'S', 'N');
SELECT req('DescribeTable', '{"TableName": "plain"}');

-- a table of what DescribeTable has answered: members that CreateTable does not have are ignored; the zeros of a table on demand are refused, as by the service
CREATE FUNCTION described(name text) RETURNS jsonb LANGUAGE sql AS $$
	SELECT dynamo.request('DescribeTable', json_build_object('TableName', name))::jsonb -> 'Table' $$;
SELECT create_with('{"TableName": "units", "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}') LIKE '{"TableDescription"%';
SELECT req('CreateTable', (described('units') || '{"TableName": "units2"}')::json);
SELECT create_with('{"TableName": "demand"}') LIKE '{"TableDescription"%';
SELECT req('CreateTable', (described('demand') || '{"TableName": "demand2"}')::json);
SELECT req('CreateTable', (described('demand') - 'ProvisionedThroughput' || '{"TableName": "demand2", "BillingMode": "PAY_PER_REQUEST"}')::json);

SET client_min_messages = warning;
DROP SCHEMA t_request_create CASCADE;
