-- Policies of tables and of their streams
CREATE SCHEMA t_request_policies;
SET search_path = t_request_policies;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l"}]');


SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab"}');
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/tab"}');
-- the revision is a number of at least 13 digits, which stays if an equivalent policy is put
CREATE FUNCTION put(policy text, more text DEFAULT '{}', arn text DEFAULT 'ARN/tab') RETURNS text LANGUAGE sql AS $$
	SELECT req('PutResourcePolicy', (jsonb_build_object('ResourceArn', arn, 'Policy', policy) || more::jsonb)::text)
$$;
SELECT put('{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:GetItem",
	"Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "Condition": {"Bool": {"a \" b": "true"}}}]}') AS put \gset
SELECT :'put'::json ->> 'RevisionId' AS revision \gset
SELECT :'put' ~ '^{"RevisionId":"\d{13,}"}$';
SELECT replace(req('GetResourcePolicy', '{"ResourceArn": "ARN/tab"}'), :'revision', 'REVISION');
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "*", "Resource": "*"}}', '{"ExpectedRevisionId": "1"}');
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "*", "Resource": "*"}}', '{"ExpectedRevisionId": "NO_POLICY"}');
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "*", "Resource": "*"}}', jsonb_build_object('ExpectedRevisionId', :'revision')::text)::json ->> 'RevisionId' AS next \gset
SELECT :'next'::bigint > :'revision'::bigint;
SELECT put('{ "Statement":{"Resource":"*","Effect":"Allow","Action":"*", "Principal": "*"} }', '{"ConfirmRemoveSelfResourceAccess": true}')::json ->> 'RevisionId' = :'next';
SELECT replace(req('GetResourcePolicy', '{"ResourceArn": "ARN/tab"}'), :'next', 'REVISION');
SELECT req('DeleteResourcePolicy', jsonb_build_object('ResourceArn', 'ARN/tab', 'ExpectedRevisionId', :'revision')::text);
SELECT req('DeleteResourcePolicy', jsonb_build_object('ResourceArn', 'ARN/tab', 'ExpectedRevisionId', :'next')::text)::json ->> 'RevisionId' = :'next';
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/tab"}');
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "*", "Resource": "*"}}', '{"ExpectedRevisionId": "NO_POLICY"}') ~ 'RevisionId';

-- of a stream
SELECT dynamo.enable_stream('tab') IS NOT NULL;
SELECT replace((req('DescribeTable', '{"TableName": "tab"}')::json #>> '{Table,LatestStreamArn}'), 'arn:aws:dynamodb:us-east-1:000000000000:table', 'ARN') AS stream \gset
SELECT replace(req('GetResourcePolicy', jsonb_build_object('ResourceArn', :'stream')::text), split_part(:'stream', '/', 4), 'LABEL');
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "dynamodb:GetRecords", "Resource": "*"}}', '{}', :'stream') ~ 'RevisionId';
SELECT req('GetResourcePolicy', jsonb_build_object('ResourceArn', :'stream')::text)::json ->> 'Policy';
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab"}')::json ->> 'Policy';

-- resources
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab/stream/2026-10-09T00:29:04.041"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/none"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/tab/index/gsi"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "tab"}');
SELECT req('GetResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:999999999999:table/tab"}');
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/none", "ExpectedRevisionId": "1"}');
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "*", "Resource": "*"}}', '{}', 'ARN/none');

-- documents; a Deny would promise what it does not do
SELECT p, put(p) FROM (VALUES ('{}'), ('[]'), ('x'), ('{"Statement": []}'), ('{"Statement": "x"}'), ('{"Statement": ["x"]}'), ('{"Statement": {}} x'),
	('{"Version": "2020-01-01", "Statement": {}}'), ('{"Statement": {"Effect": "Maybe"}}'), ('{"Statement": {"Effect": "Allow"}}'),
	('{"Statement": {"Effect": "Allow", "Principal": "*"}}'), ('{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "*"}}'),
	('{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "*", "NotAction": "*", "Resource": "*"}}'), ('{"Statement": {"Effect": "Allow", "x": "\u0000"}}'),
	('{"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}, {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}]}')) v(p);
SELECT put('{"Statement": {"Principal": "' || repeat('x', 20480) || '"}}');
SELECT req('PutResourcePolicy', '{"ExpectedRevisionId": ""}');

-- a policy of a new table; only the owner changes one
SELECT req('CreateTable', '{"TableName": "made", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "ResourcePolicy": "{\"Statement\": {}}"}');
SELECT req('CreateTable', '{"TableName": "made", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"ResourcePolicy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"*\", \"Resource\": \"*\"}}"}') ~ 'CREATING';
SELECT req('GetResourcePolicy', '{"ResourceArn": "ARN/made"}')::json ->> 'Policy';
CREATE ROLE t_request_policies_user;
GRANT USAGE ON SCHEMA t_request_policies TO t_request_policies_user;
SET ROLE t_request_policies_user;
SELECT put('{"Statement": {"Principal": "*", "Effect": "Allow", "Action": "*", "Resource": "*"}}', '{}', 'ARN/made');
SELECT req('DeleteResourcePolicy', '{"ResourceArn": "ARN/made"}');
RESET ROLE;
SELECT req('DeleteTable', '{"TableName": "made"}') ~ 'DELETING';
SELECT dynamo.drop_table('tab');
SELECT count(*) FROM dynamo_internal.table_attachments a WHERE NOT EXISTS (SELECT FROM dynamo_internal.table_settings s WHERE s.table_id = a.table_id);

SET client_min_messages = warning;
DROP SCHEMA t_request_policies CASCADE;
DROP ROLE t_request_policies_user;
