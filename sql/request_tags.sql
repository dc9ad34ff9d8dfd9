-- TagResource, UntagResource, ListTagsOfResource
CREATE SCHEMA t_request_tags;
SET search_path = t_request_tags;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION req(operation text, request text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace(r #>> '{body,__type}', '.*#', '') || ': ' || (r #>> '{body,message}') END
	FROM dynamo.request_safe(operation, replace(request, 'ARN', 'arn:aws:dynamodb:us-east-1:000000000000:table')::json) r
$$;
SELECT dynamo.create_table('tab', 'id');
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab"}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "Owner", "Value": "blue team"}, {"Key": "cost/centre", "Value": ""}, {"Key": "ключ", "Value": "a+b=c:d@e"}]}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab"}');
-- the value of an existing key is replaced
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "Owner", "Value": "red team"}]}');
-- unknown keys are not an error
SELECT req('UntagResource', '{"ResourceArn": "ARN/tab", "TagKeys": ["cost/centre", "nothing"]}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab"}');

-- at most 50 tags, all in one answer
SELECT req('TagResource', jsonb_build_object('ResourceArn', 'ARN/tab', 'Tags', (SELECT jsonb_agg(jsonb_build_object('Key', 'k' || i, 'Value', 'v')) FROM generate_series(10, 57) i))::text);
SELECT json_array_length(r -> 'Tags'), r -> 'NextToken' IS NULL FROM (SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab"}')::json) AS _ (r);
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab", "NextToken": "k10"}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "one more", "Value": ""}]}');
SELECT count(*) FROM dynamo_internal.table_tags JOIN dynamo_internal.table_settings USING (table_id) WHERE relation = 't_request_tags.tab'::regclass;
-- at most 10240 bytes for all keys and values together
SELECT dynamo.create_table('heavy', 'id');
SELECT req('TagResource', jsonb_build_object('ResourceArn', 'ARN/heavy', 'Tags', (SELECT jsonb_agg(jsonb_build_object('Key', lpad(i::text, 56, '0'), 'Value', repeat('v', 256))) FROM generate_series(1, 32) i))::text);
SELECT req('TagResource', jsonb_build_object('ResourceArn', 'ARN/heavy', 'Tags', (SELECT jsonb_agg(jsonb_build_object('Key', lpad(i::text, 56, '0'), 'Value', repeat('v', 200))) FROM generate_series(1, 40) i))::text);
SELECT req('TagResource', '{"ResourceArn": "ARN/heavy", "Tags": [{"Key": "é", "Value": ""}]}');
SELECT req('UntagResource', jsonb_build_object('ResourceArn', 'ARN/heavy', 'TagKeys', (SELECT jsonb_agg(lpad(i::text, 56, '0')) FROM generate_series(2, 40) i))::text);

-- messages
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": []}');
SELECT req('UntagResource', '{"ResourceArn": "ARN/tab", "TagKeys": []}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab"}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "a!", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "a", "Value": "x*"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "aws:a", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "a", "Value": "x"}, {"Key": "a", "Value": "y"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/none", "Tags": [{"Key": "a", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/pg_class", "Tags": [{"Key": "a", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "tab", "Tags": [{"Key": "a", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "arn:aws:s3:::bucket", "Tags": [{"Key": "a", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:thing/tab", "Tags": [{"Key": "a", "Value": "x"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Key": "a"}]}');
SELECT req('TagResource', '{"ResourceArn": "ARN/tab", "Tags": [{"Value": "a"}]}');
-- the resource is checked first
SELECT req('TagResource', '{"ResourceArn": "tab", "Tags": []}');
SELECT req('UntagResource', '{"ResourceArn": "tab", "TagKeys": []}');
SELECT req('UntagResource', '{"ResourceArn": "ARN/none", "TagKeys": ["a!"]}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab/index/gsi"}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tab/backup/1"}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/tab"}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:999999999999:table/tab"}');
SELECT req('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1"}');

-- set by CreateTable, removed by DeleteTable
SELECT req('CreateTable', '{"TableName": "tagged", "BillingMode": "PAY_PER_REQUEST", "Tags": [{"Key": "a", "Value": "b"}],
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}') LIKE '%CREATING%';
SELECT req('ListTagsOfResource', '{"ResourceArn": "ARN/tagged"}');
SELECT req('DeleteTable', '{"TableName": "tagged"}') LIKE '%DELETING%';
SELECT count(*) FROM dynamo_internal.table_tags t WHERE NOT EXISTS (SELECT FROM dynamo_internal.table_settings s WHERE s.table_id = t.table_id);

SET client_min_messages = warning;
DROP SCHEMA t_request_tags CASCADE;
