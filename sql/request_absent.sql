-- Unsupported features that tools query: replicas, insights, policies; backups and exports where there is none
CREATE SCHEMA t_request_absent;
SET search_path = t_request_absent;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the body of an answer; for an error its type and the rest of the body
CREATE FUNCTION req(operation text, request text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END
	FROM dynamo.request_safe(operation, replace(request, 'ARN', 'arn:aws:dynamodb:us-east-1:000000000000:table')::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l"}]');

-- lists
SELECT req('ListBackups', '{}');
SELECT req('ListBackups', '{"TableName": "tab", "BackupType": "ALL", "Limit": 100, "TimeRangeLowerBound": 1.5}');
SELECT req('ListBackups', '{"BackupType": "all", "Limit": 101}');
SELECT req('ListExports', '{"TableArn": "ARN/tab", "MaxResults": 25}');
SELECT req('ListImports', '{"PageSize": 26}');
SELECT req('ListImports', '{}');
SELECT req('ListGlobalTables', '{"Limit": 0}');
SELECT req('ListGlobalTables', '{"RegionName": "us-east-1"}');
SELECT req('ListContributorInsights', '{"TableName": "tab"}');

-- for a table, by name and by ARN
SELECT req('DescribeContinuousBackups', '{"TableName": "tab"}');
SELECT req('DescribeContinuousBackups', '{"TableName": "ARN/tab"}');
SELECT req('DescribeContinuousBackups', '{"TableName": "none"}');
SELECT req('DescribeContinuousBackups', '{"TableName": "pg_class"}');
SELECT req('DescribeContinuousBackups', '{}');
SELECT req('DescribeKinesisStreamingDestination', '{"TableName": "tab"}');
SELECT req('DescribeKinesisStreamingDestination', '{"TableName": "none"}');
SELECT req('DescribeContributorInsights', '{"TableName": "tab"}');
SELECT req('DescribeContributorInsights', '{"TableName": "tab", "IndexName": "lsi"}');
SELECT req('DescribeContributorInsights', '{"TableName": "tab", "IndexName": "none"}');
SELECT req('DescribeContributorInsights', '{"TableName": "none", "IndexName": "x"}');
SELECT req('DescribeTableReplicaAutoScaling', '{"TableName": "tab"}');
SELECT req('DescribeTableReplicaAutoScaling', '{"TableName": "none"}');

-- nothing to disable
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "none", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "DISABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "IndexName": "gsi", "ContributorInsightsAction": "DISABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "IndexName": "none", "ContributorInsightsAction": "DISABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "ENABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "PAUSE"}');

-- objects that do not exist
SELECT req(o, format('{"%s": "ARN/tab/%s/01489602797149-73d8d5bc"}', m, k)) FROM (VALUES ('DescribeBackup', 'BackupArn', 'backup'),
	('DeleteBackup', 'BackupArn', 'backup'), ('DescribeExport', 'ExportArn', 'export'), ('DescribeImport', 'ImportArn', 'import')) v(o, m, k);
SELECT req('DescribeBackup', '{"BackupArn": "short"}');
SELECT req('DescribeGlobalTable', '{"GlobalTableName": "tab"}');

-- no table has a policy
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab/stream/2026-10-09T00:29:04.041"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/none"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab/index/gsi"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "tab"}');
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/tab"}');
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/none", "ExpectedRevisionId": "1"}');
-- operations that would configure these features are unknown
SELECT req('PutResourcePolicy', '{"ResourceArn": "ARN/tab", "Policy": "{}"}');
SELECT req('CreateBackup', '{"TableName": "tab", "BackupName": "bak"}');
SELECT req(repeat('long "name" ', 10), '{}');

SET client_min_messages = warning;
DROP SCHEMA t_request_absent CASCADE;
