-- Throughput: provisioned, on-demand, warm; which changes UpdateTable can combine
CREATE SCHEMA t_request_throughput;
SET search_path = t_request_throughput;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION req(operation text, request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN 'done'
		ELSE regexp_replace(regexp_replace(r #>> '{body,__type}', '.*#', '') || ': ' || (r #>> '{body,message}'), 'One or more parameter values were invalid: ', 'P: ') END
	FROM dynamo.request_safe(operation, request::json) r
$$;
CREATE FUNCTION update_tab(change jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT req('UpdateTable', '{"TableName": "tab"}'::jsonb || change) $$;
CREATE FUNCTION create_tab(change jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT req('CreateTable', '{"TableName": "new", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}'::jsonb || change) $$;
-- all throughput members of the table and its indexes
CREATE FUNCTION described(name text DEFAULT 'tab') RETURNS TABLE (what text, provisioned text, warm text, limits text) LANGUAGE sql AS $$
	WITH t AS (SELECT dynamo.request('DescribeTable', json_build_object('TableName', name)) -> 'Table' AS d)
	SELECT coalesce(d ->> 'IndexName', 'table'), regexp_replace((d -> 'ProvisionedThroughput')::text, '":\d+\.\d+', '":<time>', 'g'),
		(d -> 'WarmThroughput')::text, (d -> 'OnDemandThroughput')::text
	FROM (SELECT d FROM t UNION ALL SELECT json_array_elements(d -> 'GlobalSecondaryIndexes') FROM t) s
$$;
CREATE FUNCTION gsi(name text, change jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('IndexName', name, 'KeySchema', '[{"AttributeName": "a", "KeyType": "HASH"}]'::jsonb,
		'Projection', '{"ProjectionType": "ALL"}'::jsonb) || change $$;

-- CreateTable: maximum units are for on-demand tables
SELECT create_tab('{"OnDemandThroughput": {"MaxReadRequestUnits": 0}}');
SELECT create_tab('{"OnDemandThroughput": {"MaxWriteRequestUnits": -1}}');
SELECT create_tab('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "OnDemandThroughput": {"MaxReadRequestUnits": 5}}');
SELECT create_tab(jsonb_build_object('GlobalSecondaryIndexes', jsonb_build_array(gsi('gsi', '{"OnDemandThroughput": {"MaxReadRequestUnits": -1}}'))));
SELECT create_tab(jsonb_build_object('BillingMode', 'PROVISIONED', 'ProvisionedThroughput', '{"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}'::jsonb,
	'GlobalSecondaryIndexes', jsonb_build_array(gsi('gsi', '{"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "OnDemandThroughput": {"MaxWriteRequestUnits": 1}}'))));
SELECT create_tab('{"WarmThroughput": {"ReadUnitsPerSecond": 11999}}');
SELECT create_tab('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "WarmThroughput": {"ReadUnitsPerSecond": 5, "WriteUnitsPerSecond": 4}}');
SELECT create_tab(jsonb_build_object('GlobalSecondaryIndexes', jsonb_build_array(gsi('gsi', '{"WarmThroughput": {"WriteUnitsPerSecond": 3999}}'))));
SELECT create_tab('{"SSESpecification": {"Enabled": true, "SSEType": "AES256"}}');
SELECT create_tab('{"TableClass": "CHEAP"}');
SELECT create_tab('{"ResourcePolicy": "{}"}');
SELECT create_tab('{"GlobalTableSourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/tab"}');
-- settings are stored and returned
SELECT create_tab(jsonb_build_object('OnDemandThroughput', '{"MaxReadRequestUnits": 7}'::jsonb, 'WarmThroughput', '{"WriteUnitsPerSecond": 5000}'::jsonb,
	'GlobalSecondaryIndexes', jsonb_build_array(gsi('gsi', '{"OnDemandThroughput": {"MaxWriteRequestUnits": 8}, "WarmThroughput": {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 4000}}'))));
SELECT * FROM described('new');
-- the answer of CreateTable contains warm throughput only if requested
SELECT req('DeleteTable', '{"TableName": "new"}');
SELECT d -> 'WarmThroughput', d #> '{GlobalSecondaryIndexes,0,WarmThroughput}' IS NULL, d #> '{GlobalSecondaryIndexes,0,Backfilling}' IS NULL
FROM (SELECT dynamo.request('CreateTable', ('{"TableName": "tab", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}, "WarmThroughput": {"ReadUnitsPerSecond": 50}}'::jsonb
	|| jsonb_build_object('GlobalSecondaryIndexes', jsonb_build_array(gsi('gsi', '{"ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}'))))::json) -> 'TableDescription' AS d) s;
SELECT * FROM described();

-- provisioned: unchanged values are refused, warm throughput never decreases
SELECT update_tab('{"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}}]}');
SELECT d ->> 'TableStatus', d #>> '{GlobalSecondaryIndexes,0,IndexStatus}' FROM (SELECT dynamo.request('UpdateTable', '{"TableName": "tab", "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 30, "WriteCapacityUnits": 4}}}]}') -> 'TableDescription' AS d) s;
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 2}}}]}');
SELECT update_tab('{"ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 1}}');
SELECT update_tab('{"ProvisionedThroughput": {"ReadCapacityUnits": 4, "WriteCapacityUnits": 1}}');
SELECT * FROM described();
SELECT update_tab('{"OnDemandThroughput": {"MaxWriteRequestUnits": 5}}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxReadRequestUnits": 5}}}]}');
SELECT update_tab('{"WarmThroughput": {"ReadUnitsPerSecond": 99}}');
SELECT update_tab('{"WarmThroughput": {"ReadUnitsPerSecond": 100, "WriteUnitsPerSecond": 60}}');
SELECT update_tab(jsonb_build_object('AttributeDefinitions', '[{"AttributeName": "a", "AttributeType": "S"}]'::jsonb, 'GlobalSecondaryIndexUpdates', jsonb_build_array(jsonb_build_object('Create', gsi('gs2')))));

-- on-demand: units are removed; maximum units are set, removed one by one, and end with on-demand mode
SELECT update_tab('{"BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}}');
SELECT update_tab('{"OnDemandThroughput": {"MaxReadRequestUnits": -1}}');
SELECT update_tab('{"OnDemandThroughput": {"MaxReadRequestUnits": -2}}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxReadRequestUnits": 0}}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxReadRequestUnits": 9}}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "WarmThroughput": {"ReadUnitsPerSecond": 1}}}]}');
SELECT * FROM described();
SELECT update_tab('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 4, "WriteCapacityUnits": 1},
	"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]}');
SELECT * FROM described();

-- combinations of changes
CREATE FUNCTION together(VARIADIC members text[]) RETURNS text LANGUAGE sql AS $$
	SELECT array_to_string(members, '+') || ' -> ' || update_tab((SELECT jsonb_object_agg(m, '{
		"SSESpecification": {"Enabled": true}, "TableClass": "STANDARD", "DeletionProtectionEnabled": false,
		"WarmThroughput": {"ReadUnitsPerSecond": 20000}, "OnDemandThroughput": {"MaxReadRequestUnits": 5}, "BillingMode": "PROVISIONED",
		"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}, "AttributeDefinitions": [],
		"ProvisionedThroughput": {"ReadCapacityUnits": 9, "WriteCapacityUnits": 9}, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}'::jsonb -> m)
		FROM unnest(members) m)) $$;
SELECT together('SSESpecification', 'DeletionProtectionEnabled');
SELECT together('TableClass', 'DeletionProtectionEnabled');
SELECT together('DeletionProtectionEnabled', 'WarmThroughput');
SELECT together('WarmThroughput', 'OnDemandThroughput');
SELECT together('OnDemandThroughput', 'StreamSpecification');
SELECT together('OnDemandThroughput', 'BillingMode', 'StreamSpecification');
SELECT together('StreamSpecification', 'ProvisionedThroughput');
SELECT together('StreamSpecification', 'BillingMode');
SELECT together('GlobalSecondaryIndexUpdates', 'ProvisionedThroughput');
SELECT together('GlobalSecondaryIndexUpdates', 'StreamSpecification');
SELECT together('GlobalSecondaryIndexUpdates', 'WarmThroughput');
SELECT together('GlobalSecondaryIndexUpdates', 'TableClass');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [], "DeletionProtectionEnabled": false}');
SELECT update_tab(jsonb_build_object('WarmThroughput', '{"ReadUnitsPerSecond": 20000}'::jsonb, 'GlobalSecondaryIndexUpdates', jsonb_build_array(jsonb_build_object('Create', gsi('gs2')))));
-- an index together with the update of another index, or with a change to on-demand mode
SELECT update_tab(jsonb_build_object('BillingMode', 'PAY_PER_REQUEST', 'AttributeDefinitions', '[{"AttributeName": "a", "AttributeType": "S"}]'::jsonb, 'GlobalSecondaryIndexUpdates',
	jsonb_build_array(jsonb_build_object('Create', gsi('gs2', '{"OnDemandThroughput": {"MaxReadRequestUnits": 3}}')), '{"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxReadRequestUnits": 4}}}'::jsonb)));
SELECT update_tab('{"BillingMode": "PAY_PER_REQUEST", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}');
SELECT * FROM described();

SET client_min_messages = warning;
DROP SCHEMA t_request_throughput CASCADE;
