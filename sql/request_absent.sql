-- Features that tools query and that are absent: replicas, Kinesis; backups and exports where there is none
CREATE SCHEMA t_request_absent;
SET search_path = t_request_absent;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l"}]');

-- lists
SELECT req('ListBackups', '{}');
SELECT req('ListBackups', '{"TableName": "tab", "BackupType": "ALL", "Limit": 100, "TimeRangeLowerBound": 1.5}');
SELECT req('ListBackups', '{"BackupType": "all", "Limit": 101}');
SELECT req('ListExports', '{"TableArn": "ARN/tab", "MaxResults": 25}');
SELECT req('ListImports', '{"PageSize": 26}');
SELECT req('ListImports', '{}');
-- tokens that no list has given
SELECT req('ListImports', '{"NextToken": "01489602797149-73d8d5bc"}');
SELECT req('ListImports', '{"NextToken": "01489602797149-73d8d5b-"}');
SELECT req('ListExports', '{"NextToken": "zzz"}');
SELECT req('ListBulkOperations', '{"NextToken": "0123456789abcdef"}');
SELECT req('ListBackups', '{"ExclusiveStartBackupArn": "ARN/tab/backup/01489602797149-73d8d5b-"}');
SELECT req('ListGlobalTables', '{"Limit": 0}');
SELECT req('ListGlobalTables', '{"RegionName": "us-east-1"}');

-- for a table, by name and by ARN
SELECT req('DescribeContinuousBackups', '{"TableName": "tab"}');
SELECT req('DescribeContinuousBackups', '{"TableName": "ARN/tab"}');
SELECT req('DescribeContinuousBackups', '{"TableName": "none"}');
SELECT req('DescribeContinuousBackups', '{"TableName": "pg_class"}');
SELECT req('DescribeContinuousBackups', '{}');
SELECT req('DescribeKinesisStreamingDestination', '{"TableName": "tab"}');
SELECT req('DescribeKinesisStreamingDestination', '{"TableName": "none"}');
SELECT req('DescribeTableReplicaAutoScaling', '{"TableName": "tab"}');
SELECT req('DescribeTableReplicaAutoScaling', '{"TableName": "none"}');

-- a destination that cannot be reached is accepted, and fails
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"}');
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "ARN/tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/t",
	"EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}');
SELECT req('DescribeKinesisStreamingDestination', '{"TableName": "tab"}');
SELECT req('UpdateKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s",
	"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MILLISECOND"}}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/t"}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/t"}');
SELECT req('DescribeKinesisStreamingDestination', '{"TableName": "tab"}');
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/t"}');
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "short",
	"EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "SECOND"}}');
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "none", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "none", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/s"}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/u"}');
SELECT req('UpdateKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/u"}');
-- a table remembers ten; one that is disabled makes room
SELECT count(req('EnableKinesisStreamingDestination', format('{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/%s"}', i))) FROM generate_series(1, 8) i;
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/9"}');
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/8"}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/8"}');
SELECT req('EnableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/9"}');
SELECT req('DisableKinesisStreamingDestination', '{"TableName": "tab", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/8"}');

-- objects that do not exist
SELECT req(o, format('{"%s": "ARN/tab/%s/01489602797149-73d8d5bc"}', m, k)) FROM (VALUES ('DescribeBackup', 'BackupArn', 'backup'),
	('DeleteBackup', 'BackupArn', 'backup'), ('DescribeExport', 'ExportArn', 'export'), ('DescribeImport', 'ImportArn', 'import')) v(o, m, k);
SELECT req('DescribeBackup', '{"BackupArn": "short"}');
-- no table has replicas; parameters are checked first
SELECT req(o, '{"GlobalTableName": "tab"}') FROM unnest(ARRAY['DescribeGlobalTable', 'DescribeGlobalTableSettings', 'UpdateGlobalTableSettings']) o;
SELECT req('UpdateGlobalTable', '{"GlobalTableName": "tab", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}]}');
SELECT req('CreateGlobalTable', '{"GlobalTableName": "tab", "ReplicationGroup": [{"RegionName": "us-west-2"}]}');
SELECT req('UpdateTableReplicaAutoScaling', '{"TableName": "tab", "ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 1}}');
SELECT req('UpdateTableReplicaAutoScaling', '{"TableName": "tab", "ReplicaUpdates": []}');
SELECT req('UpdateGlobalTableSettings', '{"GlobalTableName": "tab", "GlobalTableBillingMode": "FREE", "GlobalTableProvisionedWriteCapacityUnits": 0}');
SELECT req(o, '{}') FROM unnest(ARRAY['CreateGlobalTable', 'UpdateGlobalTable', 'DescribeGlobalTableSettings']) o;
SELECT req('UpdateTable', '{"TableName": "tab", "ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}');
SELECT req('UpdateTable', '{"TableName": "tab", "DisassociationProtectionEnabled": true}');

-- operations that the service does not have
SELECT req('CreateBackup', '{"TableName": "tab", "BackupName": "bak"}');
SELECT req(repeat('long "name" ', 10), '{}');

SET client_min_messages = warning;
DROP SCHEMA t_request_absent CASCADE;
