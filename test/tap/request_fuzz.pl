# request_fuzz.pl: damaged requests are answered, never with status 500.
#
# Requests of all kinds are damaged at random: members are replaced by values of
# other types, pieces are cut out, tokens are inserted into expressions.  Those that
# are still JSON are sent.  The server must answer each with 200 or 400 and keep
# running.  REQUESTS and SEED set the number of requests and the random seed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $requests = $ENV{REQUESTS} || 30000;
my $seed = $ENV{SEED} || 0.42;
my $node = new_dynamo_node('request_fuzz');

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "projection": "KEYS_ONLY"}]');
CREATE TABLE corpus (n serial, operation text, request text);
CREATE TABLE failures (operation text, request text, answer text);
CREATE TABLE answers (status text);
INSERT INTO corpus (operation, request) VALUES
('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "l": {"S": "x"}, "g": {"S": "g"}, "b": {"B": "AAE="}, "n": {"NS": ["1", "2"]}, "m": {"M": {"q": {"L": [{"NULL": true}, {"BOOL": false}]}}}},
	"ConditionExpression": "attribute_not_exists(pk) OR #n > :n", "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":n": {"N": "1.5e3"}}, "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}'),
('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "ProjectionExpression": "m.q[0], #g", "ExpressionAttributeNames": {"#g": "g"}, "ConsistentRead": true}'),
('DeleteItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "2"}}, "Expected": {"x": {"Exists": false}, "y": {"Value": {"N": "1"}}}, "ReturnValues": "ALL_OLD"}'),
('UpdateItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "UpdateExpression": "SET x = if_not_exists(x, :o) + :o, m.q[1] = :o REMOVE b ADD n :s", "ExpressionAttributeValues": {":o": {"N": "1"}, ":s": {"NS": ["7"]}}, "ReturnValues": "UPDATED_NEW"}'),
('UpdateItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "AttributeUpdates": {"x": {"Action": "ADD", "Value": {"N": "1"}}, "y": {"Action": "DELETE"}, "z": {"Value": {"S": "q"}}}, "Expected": {"x": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "0"}]}}, "ConditionalOperator": "OR"}'),
('Query', '{"TableName": "tab", "IndexName": "lsi", "KeyConditionExpression": "pk = :p AND begins_with(l, :l)", "FilterExpression": "contains(m.q, :p) OR size(x) BETWEEN :a AND :a", "ExpressionAttributeValues": {":p": {"S": "a"}, ":l": {"S": "x"}, ":a": {"N": "3"}},
	"ProjectionExpression": "pk, m.q[0]", "Limit": 3, "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "0"}, "l": {"S": "x"}}, "ReturnConsumedCapacity": "INDEXES", "ScanIndexForward": false}'),
('Query', '{"TableName": "tab", "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "sk": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "0"}, {"S": "9"}]}}, "QueryFilter": {"x": {"ComparisonOperator": "NOT_NULL"}}, "AttributesToGet": ["pk", "x"]}'),
('Scan', '{"TableName": "tab", "Segment": 0, "TotalSegments": 2, "FilterExpression": "x IN (:a, :b)", "ExpressionAttributeValues": {":a": {"N": "1"}, ":b": {"SS": ["a", "b"]}}, "Select": "COUNT", "IndexName": "gsi"}'),
('BatchGetItem', '{"RequestItems": {"tab": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "1"}}, {"pk": {"S": "a"}, "sk": {"S": "2"}}], "ProjectionExpression": "pk"}}, "ReturnConsumedCapacity": "TOTAL"}'),
('BatchWriteItem', '{"RequestItems": {"tab": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"S": "2"}}}}]}, "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}'),
('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "tab", "Item": {"pk": {"S": "t"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Update": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}, {"Delete": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "4"}}}},
	{"ConditionCheck": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "3"}}, "ConditionExpression": "attribute_not_exists(pk)"}}], "ClientRequestToken": "abc", "ReturnConsumedCapacity": "INDEXES"}'),
('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "tab", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}, "ProjectionExpression": "#p", "ExpressionAttributeNames": {"#p": "pk"}}}], "ReturnConsumedCapacity": "TOTAL"}'),
('CreateTable', '{"TableName": "new", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"GlobalSecondaryIndexes": [{"IndexName": "idx", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}}], "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}, "Tags": [{"Key": "a", "Value": "b"}]}'),
('UpdateTable', '{"TableName": "new", "AttributeDefinitions": [{"AttributeName": "c", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "id2", "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}'),
('UpdateTable', '{"TableName": "new", "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}, "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "idx", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}}]}'),
('DescribeTable', '{"TableName": "new"}'), ('DeleteTable', '{"TableName": "new"}'), ('ListTables', '{"Limit": 5, "ExclusiveStartTableName": "abc"}'),
('UpdateTimeToLive', '{"TableName": "new", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "x"}}'),
('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "Tags": [{"Key": "k", "Value": "v"}]}'),
('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab"}'),
('GetResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/x"}'),
('DescribeContributorInsights', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "IndexName": "gsi"}'),
('DescribeTableReplicaAutoScaling', '{"TableName": "tab"}'), ('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "S3Bucket": "bucket", "S3Prefix": "a/b", "ExportTime": 1.5, "ExportType": "FULL_EXPORT"}'),
('ImportTable', '{"S3BucketSource": {"S3Bucket": "bucket", "S3KeyPrefix": "a/"}, "InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "v"]}}, "TableCreationParameters": {"TableName": "new", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}}'),
('CreateBackup', '{"TableName": "tab", "BackupName": "bak"}'), ('RestoreTableFromBackup', '{"TargetTableName": "new", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab/backup/01489602797149-73d8d5bc", "GlobalSecondaryIndexOverride": []}'),
('StartBulkPutItems', '{"TableName": "tab", "InputS3Configuration": {"S3Bucket": "bucket", "InputFormat": "DYNAMODB_JSON", "S3KeyPrefix": "a/"}, "OutputS3Configuration": {"S3Bucket": "bucket", "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"]}, "MaxWriteRequestUnits": 1024, "PerformanceTier": "STANDARD"}'),
('DescribeBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab/bulk-operation/01489602797149-73d8d5bc"}'), ('CancelBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tab/bulk-operation/01489602797149-73d8d5bc"}'),
('ListBulkOperations', '{"MaxResults": 5, "NextToken": "30313438393630323739373134392d373364386435626300"}'),
('RestoreTableToPointInTime', '{"SourceTableName": "tab", "TargetTableName": "new", "RestoreDateTime": 1.5, "GlobalSecondaryIndexOverride": []}'),
('ListBackups', '{"TableName": "tab", "BackupType": "USER", "Limit": 5}'),
('UpdateTable', '{"TableName": "tab", "WarmThroughput": {"ReadUnitsPerSecond": 20000, "WriteUnitsPerSecond": 5000}}'),
('UpdateTable', '{"TableName": "tab", "BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": -1}}'),
('UpdateTable', '{"TableName": "tab", "SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "key"}}'),
('ExecuteStatement', '{"Statement": "SELECT pk, m.q[0] FROM \\"tab\\".\\"lsi\\" WHERE pk IN [''a'', ?] AND l BETWEEN ''a'' AND ''z'' AND (x > 1 OR m IS NOT MISSING) ORDER BY l DESC", "Parameters": [{"S": "b"}], "Limit": 2, "ReturnConsumedCapacity": "INDEXES", "ConsistentRead": true}'),
('ExecuteStatement', '{"Statement": "UPDATE tab SET x = if_not_exists(x, 0) + ?, n = set_add(n, <<1, 2>>) REMOVE b WHERE pk = ''a'' AND sk = ''1'' AND NOT contains(m.q, ?) RETURNING MODIFIED NEW *", "Parameters": [{"N": "1"}, {"S": "z"}]}'),
('BatchExecuteStatement', '{"Statements": [{"Statement": "INSERT INTO tab VALUE {''pk'': ''a'', ''sk'': ''7'', ''l'': [1, null, {''k'': ?}]}", "Parameters": [{"B": "AAE="}]}, {"Statement": "DELETE FROM tab WHERE pk = ''a'' AND sk = ''7'' RETURNING ALL OLD *"}], "ReturnConsumedCapacity": "TOTAL"}'),
('ExecuteTransaction', '{"TransactStatements": [{"Statement": "INSERT INTO tab VALUE {''pk'': ''p'', ''sk'': ''1''}"}, {"Statement": "EXISTS(SELECT * FROM tab WHERE pk = ''a'' AND sk = ''1'' AND x IS MISSING)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}], "ClientRequestToken": "abcd", "ReturnConsumedCapacity": "INDEXES"}');

SELECT dynamo.enable_stream('tab');
INSERT INTO corpus (operation, request)
SELECT operation, request FROM dynamo.streams s,
	LATERAL (SELECT dynamo.request('DescribeStream', json_build_object('StreamArn', arn)) #>> '{StreamDescription,Shards,0,ShardId}' AS shard) d,
	LATERAL (SELECT dynamo.request('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', shard, 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator' AS iterator) i,
	LATERAL (VALUES ('ListStreams', json_build_object('TableName', 'tab', 'Limit', 2, 'ExclusiveStartStreamArn', arn)),
		('DescribeStream', json_build_object('StreamArn', arn, 'Limit', 2, 'ExclusiveStartShardId', shard, 'ShardFilter', json_build_object('Type', 'CHILD_SHARDS', 'ShardId', shard))),
		('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', shard, 'ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '100000000000000000001')),
		('GetRecords', json_build_object('ShardIterator', iterator, 'Limit', 10))) r(operation, request)
WHERE table_name = 'tab';

CREATE FUNCTION any_of(choices text[]) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT choices[1 + floor(random() * cardinality(choices))] $$;

CREATE FUNCTION damage(request text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	tokens text[] := '{"null",true,[],"{}",1,-1,1.5,1e999,"\"\"","\"a\"","\"S\"","\"N\"","\"L\"","\"pk\"","\"x\\u0000\"",\\u0000,"\"tab_pkey\"","\"AND\"","{\"S\":\"\"}","{\"N\":\"x\"}",",","#","(",":a","[0]"}';
	at int := 1 + floor(random() * length(request))::int;
BEGIN
	CASE floor(random() * 4)::int
		WHEN 0 THEN RETURN overlay(request PLACING any_of(tokens) FROM at FOR (random() * 6)::int);
		WHEN 1 THEN RETURN overlay(request PLACING '' FROM at FOR 1);
		WHEN 2 THEN RETURN regexp_replace(request, '"[^"]*"', any_of(tokens), at);
		ELSE RETURN regexp_replace(request, '\{[^{}]*\}', any_of(tokens), at);
	END CASE;
END $$;

CREATE PROCEDURE fuzz(seed float, requests int) LANGUAGE plpgsql AS $$
DECLARE
	c corpus; request text; answer json;
BEGIN
	PERFORM setseed(seed);
	FOR i IN 1 .. requests LOOP
		SELECT * INTO c FROM corpus WHERE n = 1 + i % (SELECT max(n) FROM corpus);
		request := c.request;
		FOR j IN 1 .. 1 + i % 3 LOOP
			request := damage(request);
		END LOOP;
		BEGIN
			PERFORM request::json;
		EXCEPTION WHEN invalid_text_representation THEN
			CONTINUE;
		END;
		answer := dynamo.request_safe(c.operation, request::json);
		INSERT INTO answers VALUES (answer ->> 'status');
		IF answer ->> 'status' NOT IN ('200', '400') THEN
			INSERT INTO failures VALUES (c.operation, request, answer::text);
		END IF;
		IF i % 500 = 0 THEN COMMIT; END IF;
	END LOOP;
END $$});

$node->safe_psql('postgres', "CALL fuzz($seed, $requests)");
is($node->safe_psql('postgres', 'SELECT operation, request, answer FROM failures LIMIT 5'), '', 'every answer is 200 or 400');
cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM answers WHERE status = '400'"), '>', $requests / 10, 'requests were refused');
cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM answers WHERE status = '200'"), '>', $requests / 50, 'requests were executed');

$node->stop;
done_testing();
