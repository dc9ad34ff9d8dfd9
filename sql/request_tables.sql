-- DescribeTable, DeleteTable, ListTables
CREATE SCHEMA t_request_tables;
SET search_path = t_request_tables;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SELECT dynamo.create_table(n, 'id') FROM unnest('{Zebra,apple,Beta,x.y}'::text[]) n;

-- names in byte order; at most as many as requested
SELECT dynamo.request('ListTables', '{}');
SELECT dynamo.request('ListTables', '{"Limit": 2}');
SELECT dynamo.request('ListTables', '{"Limit": 2, "ExclusiveStartTableName": "Zebra"}');
SELECT dynamo.request('ListTables', '{"ExclusiveStartTableName": "Zeb"}');
SELECT dynamo.request('ListTables', '{"Limit": 4}');
SELECT dynamo.request_safe('ListTables', '{"Limit": 0}') #>> '{body,message}';
SELECT dynamo.request_safe('ListTables', '{"Limit": 101}') #>> '{body,message}';
SELECT dynamo.request_safe('ListTables', '{"ExclusiveStartTableName": "a"}') #>> '{body,message}';
-- only tables that a name without schema finds
SET search_path = pg_catalog;
SELECT dynamo.request('ListTables', '{}');
SELECT dynamo.request('DescribeTable', '{"TableName": "t_request_tables.apple"}') #>> '{Table,TableName}';
SET search_path = t_request_tables;

-- by name and by ARN
SELECT dynamo.request('DescribeTable', '{"TableName": "apple"}') #>> '{Table,TableArn}';
SELECT dynamo.request('DescribeTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/apple"}') #>> '{Table,TableName}';
SELECT dynamo.request_safe('DescribeTable', '{"TableName": "arn:aws:dynamodb:us-east-1:999999999999:table/apple"}');
SELECT dynamo.request_safe('DescribeTable', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/apple"}') #>> '{body,message}';
SELECT dynamo.request_safe('DescribeTable', '{"TableName": "arn:aws-cn:dynamodb:us-east-1:000000000000:table/apple"}') #>> '{body,message}';
SELECT dynamo.request_safe('GetItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/apple/index/gsi", "Key": {"id": {"S": "a"}}}') #>> '{body,message}';
SELECT dynamo.request_safe('GetItem', '{"TableName": "arn:aws:s3:us-east-1:000000000000:bucket", "Key": {"id": {"S": "a"}}}') #>> '{body,message}';
SELECT dynamo.request_safe('ListTables', '{"ExclusiveStartTableName": "arn:aws:dynamodb:us-east-1:000000000000:table/Beta", "Limit": 1}') #>> '{body,message}';
SELECT dynamo.request_safe('DescribeTable', '{"TableName": "pear"}');
SELECT dynamo.request_safe('DescribeTable', '{"TableName": ""}') #>> '{body,message}';
SELECT dynamo.request_safe('DescribeTable', '{}') #>> '{body,message}';
SELECT dynamo.request_safe('DescribeTable', '{"TableName": "ab"}') #>> '{body,message}';
SELECT dynamo.request_safe('DescribeTable', json_build_object('TableName', repeat('x', 256))) #>> '{body,message}' ~ 'less than or equal to 255$';
SELECT dynamo.request_safe('GetItem', '{"TableName": "ab", "Key": {}}') #>> '{body,message}';
-- answers contain the table's name, not the ARN, except for the keys in a batch's responses
\set arn 'arn:aws:dynamodb:us-east-1:000000000000:table/apple'
SELECT dynamo.request('BatchWriteItem', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'RequestItems', json_build_object(:'arn', '[{"DeleteRequest": {"Key": {"id": {"S": "a"}}}}]'::json)));
SELECT dynamo.request('BatchGetItem', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'RequestItems', json_build_object(:'arn', '{"Keys": [{"id": {"S": "a"}}]}'::json, 'apple', '{"Keys": [{"id": {"S": "b"}}]}'::json)));
SELECT dynamo.request('TransactWriteItems', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'TransactItems', json_build_array(json_build_object('Delete', json_build_object('TableName', :'arn', 'Key', '{"id": {"S": "a"}}'::json)))));
SELECT dynamo.request('TransactGetItems', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'TransactItems', json_build_array(json_build_object('Get', json_build_object('TableName', :'arn', 'Key', '{"id": {"S": "a"}}'::json)))));
SELECT dynamo.request('Query', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'TableName', :'arn', 'KeyConditionExpression', 'id = :a', 'ExpressionAttributeValues', '{":a": {"S": "a"}}'::json)) -> 'ConsumedCapacity';
SELECT dynamo.request('BatchExecuteStatement', json_build_object('Statements', json_build_array(json_build_object('Statement', 'SELECT * FROM "' || :'arn' || '" WHERE id = ''a'''))));
-- repeated calls return the same answer
SELECT (dynamo.request('DescribeTable', '{"TableName": "apple"}'))::text = (dynamo.request('DescribeTable', '{"TableName": "apple"}'))::text;
-- items of a table that was never analyzed are counted
SELECT dynamo.create_table('few', 'id', indexes => '[{"index_name": "inline", "partition_key": "g"}, {"index_name": "stored", "partition_key": "g", "storage": "table"}]');
CREATE VIEW counts AS SELECT r #>> '{Table,ItemCount}' AS items, (r #>> '{Table,TableSizeBytes}')::int > 0 AS bytes, i ->> 'IndexName' AS index, i ->> 'ItemCount' AS entries, (i ->> 'IndexSizeBytes')::int > 0 AS index_bytes
	FROM dynamo.request('DescribeTable', '{"TableName": "few"}') r CROSS JOIN json_array_elements(r::json #> '{Table,GlobalSecondaryIndexes}') i ORDER BY 3;
SELECT * FROM counts;
INSERT INTO few (item) SELECT jsonb_build_object('id', i::text) || CASE WHEN i <= 4 THEN '{"g": "x"}'::jsonb ELSE '{}' END FROM generate_series(1, 7) i;
DELETE FROM few WHERE id = '7';
SELECT * FROM counts;
SELECT d ->> 'item_count' AS items, i ->> 'index_name' AS index, i ->> 'item_count' AS entries FROM dynamo.describe_table('few') d, jsonb_array_elements(d -> 'global_secondary_indexes') i ORDER BY 2;
-- of a larger one, those in its first pages
INSERT INTO few (item) SELECT jsonb_build_object('id', i::text, 'filler', repeat(i::text, 400)) FROM generate_series(10001, 15000) i;
SELECT (r #>> '{Table,ItemCount}')::int BETWEEN 4000 AND 6000 AS about FROM dynamo.request('DescribeTable', '{"TableName": "few"}') r;
-- partitions are added, whether they have been analyzed or not
SELECT dynamo.create_table('parts', 'id', partitions => 2);
SELECT count(dynamo.put_item('parts', jsonb_build_object('id', i::text))) FROM generate_series(1, 30) i;
SELECT dynamo.request('DescribeTable', '{"TableName": "parts"}') #>> '{Table,ItemCount}' AS items;
SELECT format('ANALYZE %s', min(inhrelid::regclass::text)) FROM pg_inherits WHERE inhparent = 'parts'::regclass
\gexec
SELECT dynamo.request('DescribeTable', '{"TableName": "parts"}') #>> '{Table,ItemCount}' AS items;
DROP VIEW counts;
DROP TABLE few, parts;

-- counts and sizes are estimates after ANALYZE
INSERT INTO apple (item) SELECT jsonb_build_object('id', i::text) FROM generate_series(1, 500) i;
ANALYZE apple;
SELECT r #>> '{Table,ItemCount}', (r #>> '{Table,TableSizeBytes}')::int > 0 FROM dynamo.request('DescribeTable', '{"TableName": "apple"}') r;

-- lost settings have default values, and the id does not change
DELETE FROM dynamo_internal.table_settings WHERE relation IN (SELECT oid FROM pg_class WHERE relnamespace = 't_request_tables'::regnamespace);
SELECT r #>> '{Table,CreationDateTime}', r #>> '{Table,BillingModeSummary,BillingMode}', length(r #>> '{Table,TableId}')
	FROM dynamo.request('DescribeTable', '{"TableName": "apple"}') r;
SELECT count(DISTINCT dynamo.request('DescribeTable', '{"TableName": "apple"}') #>> '{Table,TableId}') FROM generate_series(1, 2);

-- a table with the name of a dropped one has new settings
SELECT dynamo.request_safe('UpdateTable', '{"TableName": "apple", "DeletionProtectionEnabled": true}') ->> 'status';
DROP TABLE apple;
SELECT dynamo.create_table('apple', 'id');
SELECT dynamo.request('DescribeTable', '{"TableName": "apple"}') #>> '{Table,DeletionProtectionEnabled}';

SELECT COALESCE(array_agg(table_id), '{}') AS before FROM dynamo_internal.table_settings s WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = s.relation) \gset
SELECT dynamo.request('DeleteTable', '{"TableName": "x.y"}') #>> '{TableDescription,TableStatus}';
SELECT dynamo.request('ListTables', '{}');
SELECT dynamo.request_safe('DeleteTable', '{"TableName": "x.y"}');
SELECT count(*) FROM dynamo_internal.table_settings s WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = s.relation) AND table_id <> ALL (:'before');
SELECT dynamo.drop_table('Beta');
SELECT count(*) FROM dynamo_internal.table_settings s WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = s.relation) AND table_id <> ALL (:'before');

SET client_min_messages = warning;
DROP SCHEMA t_request_tables CASCADE;
