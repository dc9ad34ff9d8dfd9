-- The calls of infrastructure tools for a table with all they can declare: create,
-- read, change one thing after another, destroy.  Each answer must be what the tool
-- waits for.
CREATE SCHEMA t_request_infra;
SET search_path = t_request_infra;
SET dynamo.ttl_change_interval = 0;
SET client_min_messages = error;	-- not every server archives
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the parts of an answer that are the same in each run; of an error its type and message
CREATE FUNCTION req(operation text, request text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN
			regexp_replace(regexp_replace(body, '"(Table|Index)?(CreationDateTime|TableId|LastUpdate\w*)":("[^"]*"|[0-9.E]+),?|,"(Earliest|Latest)RestorableDateTime":[0-9.E]+', '', 'g'),
				'(/stream/|LatestStreamLabel":")[^"]+', '\1...', 'g')
		ELSE regexp_replace(body, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END
	FROM (SELECT r, (r -> 'body')::text AS body
		FROM dynamo.request_safe(operation, replace(request, 'ARN', 'arn:aws:dynamodb:us-east-1:000000000000:table')::json) r) x
$$;
-- what a tool reads for its plan
CREATE FUNCTION read_all() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT o || ': ' || req(o, CASE WHEN o IN ('ListTagsOfResource', 'GetResourcePolicy') THEN '{"ResourceArn": "ARN/infra"}' ELSE '{"TableName": "infra"}' END)
	FROM unnest('{DescribeTable,DescribeContinuousBackups,DescribeTimeToLive,ListTagsOfResource,DescribeKinesisStreamingDestination,DescribeContributorInsights,GetResourcePolicy}'::text[]) o
$$;

-- create
SELECT req('CreateTable', '{"TableName": "infra", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "N"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
	"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
	"SSESpecification": {"Enabled": true, "SSEType": "KMS"}, "TableClass": "STANDARD", "DeletionProtectionEnabled": true,
	"Tags": [{"Key": "team", "Value": "shop"}]}') IS NOT NULL;
SELECT req('UpdateTimeToLive', '{"TableName": "infra", "TimeToLiveSpecification": {"AttributeName": "e", "Enabled": true}}');
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}');
SELECT read_all();
-- the waiter of Terraform
SELECT d #>> '{Table,WarmThroughput,Status}', d #>> '{Table,GlobalSecondaryIndexes,0,WarmThroughput,Status}', d #>> '{Table,TableStatus}',
	d #>> '{Table,GlobalSecondaryIndexes,0,IndexStatus}' FROM dynamo.request('DescribeTable', '{"TableName": "infra"}') d;

-- update
SELECT req('UpdateContinuousBackups', '{"TableName": "ARN/infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 7}}');
SELECT req('DescribeContinuousBackups', '{"TableName": "infra"}');
-- without the member again the default
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}');
SELECT req('UpdateTable', '{"TableName": "infra", "TableClass": "STANDARD_INFREQUENT_ACCESS"}') IS NOT NULL;
SELECT req('UpdateTable', '{"TableName": "infra", "SSESpecification": {"Enabled": false}}') IS NOT NULL;
SELECT req('UpdateTable', '{"TableName": "infra", "StreamSpecification": {"StreamEnabled": false}}') IS NOT NULL;
SELECT req('UpdateTable', '{"TableName": "infra", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}') IS NOT NULL;
SELECT req('TagResource', '{"ResourceArn": "ARN/infra", "Tags": [{"Key": "cost", "Value": "1"}]}');
SELECT req('UntagResource', '{"ResourceArn": "ARN/infra", "TagKeys": ["team"]}');
SELECT req('UpdateTimeToLive', '{"TableName": "infra", "TimeToLiveSpecification": {"AttributeName": "e", "Enabled": false}}');
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false}}');
SELECT read_all();

-- refused
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 7}}');
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 36}}');
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {}}');
SELECT req('UpdateContinuousBackups', '{"TableName": "infra"}');
SELECT req('UpdateContinuousBackups', '{"TableName": "none", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}');
CREATE ROLE regress_infra;
GRANT USAGE ON SCHEMA t_request_infra TO regress_infra;
GRANT SELECT, INSERT ON infra TO regress_infra;
SET ROLE regress_infra;
SELECT req('UpdateContinuousBackups', '{"TableName": "infra", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}');
SELECT req('DescribeContinuousBackups', '{"TableName": "infra"}');
RESET ROLE;

-- destroy
SELECT req('DeleteTable', '{"TableName": "infra"}');
SELECT req('UpdateTable', '{"TableName": "infra", "DeletionProtectionEnabled": false}') IS NOT NULL;
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "infra", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"}');
SELECT req('UpdateContributorInsights', '{"TableName": "infra", "ContributorInsightsAction": "DISABLE"}');
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/infra"}');
SELECT req('DeleteTable', '{"TableName": "infra"}') IS NOT NULL;
SELECT read_all();

DROP SCHEMA t_request_infra CASCADE;
DROP ROLE regress_infra;
