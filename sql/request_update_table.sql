-- UpdateTable: indexes, billing, streams, other settings, and all messages
CREATE SCHEMA t_request_update;
SET search_path = t_request_update;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION req(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN regexp_replace(regexp_replace((r -> 'body')::text,
			'"(\w*DateTime)":\d+\.\d+', '"\1":<time>', 'g'), '[0-9a-f]{8}-[-0-9a-f]{27}', '<id>', 'g')
		ELSE regexp_replace(r #>> '{body,__type}', '.*#', '') || ': ' || (r #>> '{body,message}') END
	FROM dynamo.request_safe(operation, request) r
$$;
CREATE FUNCTION update_tab(change jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT req('UpdateTable', ('{"TableName": "tab"}'::jsonb || change)::json) $$;
-- one part of the answer of DescribeTable
CREATE FUNCTION described(member text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace((dynamo.request('DescribeTable', '{"TableName": "tab"}') #> ARRAY['Table', member])::text,
		'":(\d+\.\d+|"20\d\d-[^"]*")', '":<time>', 'g') $$;

SELECT dynamo.create_table('tab', 'pk', 'sk');
INSERT INTO tab (item) VALUES ('{"pk": {"S": "p"}, "sk": {"S": "s"}, "g": {"S": "x"}}');

-- creating an index: it is CREATING in the answer and then ACTIVE; unused definitions are ignored
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}, {"AttributeName": "unused", "AttributeType": "N"}, {"AttributeName": "pk", "AttributeType": "N"}],
	"GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "gsi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
	"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}}}]}');
SELECT described('GlobalSecondaryIndexes');
SELECT described('AttributeDefinitions');
SELECT g, sk FROM tab;

-- messages about indexes
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}, "Update": {"IndexName": "gsi"}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}, {"Update": {"IndexName": "gsi"}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}, {"Delete": {"IndexName": "gsi2"}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi2"}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "gsi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT update_tab('{"AttributeDefinitions": [], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"},
	"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]}');
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": false}, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "nope", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]}');
-- local indexes cannot be dropped
SELECT dynamo.create_table('withlocal', 'pk', 'sk', indexes => '[{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l"}]');
SELECT req('UpdateTable', '{"TableName": "withlocal", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "lsi"}}]}');
SELECT req('UpdateTable', '{"TableName": "withlocal", "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "lsi"}}]}');

-- billing
SELECT update_tab('{"BillingMode": "PROVISIONED"}');
SELECT update_tab('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT update_tab('{"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT update_tab('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3}}');
SELECT update_tab('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3},
	"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 4, "WriteCapacityUnits": 5}}}]}') LIKE '%UPDATING%';
SELECT described('ProvisionedThroughput'), described('BillingModeSummary'), described('GlobalSecondaryIndexes');
SELECT update_tab('{"ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3}}');
-- the answer contains the previous provisioned units, and the time of the change
SELECT u ~ '"TableStatus":"UPDATING"', u ~ '"IndexStatus":"UPDATING"', regexp_matches(u, '"ProvisionedThroughput":({[^}]*})', 'g') FROM
	update_tab('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 3}, "BillingMode": "PROVISIONED",
	"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 5}}}]}') u;
SELECT described('ProvisionedThroughput'), described('GlobalSecondaryIndexes') ~ '"ReadCapacityUnits":7';
SELECT regexp_matches(update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 5}}}]}'), '"ProvisionedThroughput":({[^}]*})', 'g');
SELECT update_tab('{"BillingMode": "PAY_PER_REQUEST"}') LIKE '%UPDATING%';
SELECT described('ProvisionedThroughput'), described('BillingModeSummary'), described('GlobalSecondaryIndexes') LIKE '%"ReadCapacityUnits":0%';

-- deleting an index: the answer still contains it; its definitions are removed with it
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}') ~ '"IndexStatus":"DELETING"';
SELECT described('GlobalSecondaryIndexes') IS NULL, described('AttributeDefinitions');

-- streams
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": true}}');
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "NEW_IMAGE"}}');
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": false}}');
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}') LIKE '%UPDATING%';
SELECT described('StreamSpecification'), described('LatestStreamLabel') IS NOT NULL;
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}');
SELECT update_tab('{"StreamSpecification": {"StreamEnabled": false}}') LIKE '%UPDATING%';
SELECT described('StreamSpecification') IS NULL, described('LatestStreamArn') IS NOT NULL;

-- other settings
SELECT update_tab('{}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": []}');
SELECT update_tab('{"AttributeDefinitions": []}');
SELECT update_tab('{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}');
SELECT update_tab('{"MultiRegionConsistency": "STRONG"}');
SELECT update_tab('{"DisassociationProtectionEnabled": true}');
SELECT update_tab('{"GlobalTableWitnessUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}');
SELECT req('UpdateTable', '{"TableName": "nowhere"}');
SELECT req('UpdateTable', '{"TableName": "nowhere", "TableClass": "STANDARD"}');
SELECT update_tab('{"TableClass": "CHEAP"}');
SELECT update_tab('{"DeletionProtectionEnabled": true, "BillingMode": "PAY_PER_REQUEST"}');
SELECT update_tab('{"DeletionProtectionEnabled": true}') LIKE '%"DeletionProtectionEnabled":true%';
SELECT req('DeleteTable', '{"TableName": "tab"}');
-- changes that take the service no time appear in the answer
SELECT update_tab('{"DeletionProtectionEnabled": false}') LIKE '%"TableStatus":"ACTIVE"%';
SELECT update_tab('{"TableClass": "STANDARD_INFREQUENT_ACCESS"}') LIKE '%UPDATING%', described('TableClassSummary');

SELECT update_tab('{"SSESpecification": {"Enabled": false}}');
SELECT update_tab('{"SSESpecification": {}}');
SELECT update_tab('{"SSESpecification": {"Enabled": false, "SSEType": "KMS"}}');
SELECT update_tab('{"SSESpecification": {"Enabled": false, "KMSMasterKeyId": "key"}}');
SELECT update_tab('{"SSESpecification": {"Enabled": true, "KMSMasterKeyId": "key"}}');
SELECT update_tab('{"SSESpecification": {"Enabled": true, "SSEType": "AES256"}}');
SELECT update_tab('{"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "key"}}') LIKE '%"TableStatus":"ACTIVE"%', described('SSEDescription');
SELECT update_tab('{"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:us-east-1:000000000000:key/key"}}');
SELECT update_tab('{"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "other"}}') LIKE '%key/other%';
SELECT update_tab('{"SSESpecification": {"Enabled": false}}') LIKE '%"TableStatus":"ACTIVE"%', described('SSEDescription') IS NULL;
-- definitions are for new indexes only: they include all keys of the index, and types do not change
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT update_tab('{"TableClass": "STANDARD", "AttributeDefinitions": [{"AttributeName": "unused", "AttributeType": "N"}, {"AttributeName": "pk", "AttributeType": "N"}]}') LIKE '%UPDATING%', described('AttributeDefinitions');
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SET dynamo.max_global_indexes = 0;
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
RESET dynamo.max_global_indexes;

-- during a build the table is ACTIVE; the index can be deleted, no other index created or deleted
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "sk", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "other", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}') LIKE '%"Backfilling":false%';
SET dynamo.in_place_build_limit = 0;
BEGIN;
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "slow", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}') LIKE '%"TableStatus":"UPDATING"%';
SELECT described('TableStatus'), i ->> 'IndexName', i ->> 'IndexStatus', i ->> 'Backfilling' FROM json_array_elements(described('GlobalSecondaryIndexes')::json) i;
SELECT update_tab('{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "third", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "other"}}]}');
SELECT req('DeleteTable', '{"TableName": "tab"}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "other", "OnDemandThroughput": {"MaxReadRequestUnits": 9}}}]}') LIKE '%"IndexStatus":"UPDATING"%';
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "slow"}}]}') LIKE '%"IndexStatus":"DELETING"%';
SELECT i ->> 'IndexName', i ->> 'IndexStatus' FROM json_array_elements(described('GlobalSecondaryIndexes')::json) i;
ROLLBACK;
RESET dynamo.in_place_build_limit;

-- only the owner can change a table; every user can describe it
CREATE ROLE regress_dynamo_other;
GRANT USAGE ON SCHEMA dynamo, t_request_update TO regress_dynamo_other;
SET ROLE regress_dynamo_other;
SELECT req('UpdateTable', '{"TableName": "tab", "TableClass": "STANDARD"}') IS NULL;
SELECT dynamo.request_safe('UpdateTable', '{"TableName": "tab", "TableClass": "STANDARD"}');
SELECT dynamo.request_safe('DeleteTable', '{"TableName": "tab"}') ->> 'status';
SELECT described('TableName');
INSERT INTO dynamo_internal.table_tags VALUES ('id', 'k', 'v');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA t_request_update CASCADE;
REVOKE USAGE ON SCHEMA dynamo FROM regress_dynamo_other;
DROP ROLE regress_dynamo_other;
