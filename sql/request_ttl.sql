-- Time to live: requests, SQL functions, deleted items
CREATE SCHEMA t_request_ttl;
SET search_path = t_request_ttl;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
-- one current time for the whole test
CREATE TABLE moment AS SELECT floor(extract(epoch FROM now()))::bigint AS t;
CREATE FUNCTION now_plus(seconds bigint) RETURNS bigint LANGUAGE sql AS $$ SELECT t + seconds FROM moment $$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}, {"index_name": "far", "partition_key": "g", "storage": "table"}]');
SELECT req('DescribeTimeToLive', '{"TableName": "tab"}');

-- items older than the setting count, too
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'old', 'sk', 's' || i, 'exp', now_plus(i * 1000), 'g', 'g') FROM generate_series(-2, 1) i;
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "exp"}}');
SELECT req('DescribeTimeToLive', '{"TableName": "tab"}');
SELECT sk, dynamo_expires_at - now_plus(0) < 0 FROM tab ORDER BY sk;
SELECT indexdef FROM pg_indexes WHERE schemaname = 't_request_ttl' AND indexdef LIKE '%expires%';

-- values of any type can be stored; only numbers in the last five years expire
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "odd"}, "sk": {"S": "string"}, "exp": {"S": "1"}}}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "odd"}, "sk": {"S": "map"}, "exp": {"M": {}}}}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "odd"}, "sk": {"S": "huge"}, "exp": {"N": "1e100"}}}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "odd"}, "sk": {"S": "ancient"}, "exp": {"N": "86400"}}}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "odd"}, "sk": {"S": "fraction"}, "exp": {"N": "' || now_plus(-5) || '.75"}}}');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "odd"}, "sk": {"S": "none"}}}');
SELECT sk, dynamo_expires_at IS NULL AS ignored FROM tab WHERE pk = 'odd' ORDER BY sk;
-- an expired item exists until it is deleted, and its time can be changed
SELECT req('UpdateItem', '{"TableName": "tab", "Key": {"pk": {"S": "old"}, "sk": {"S": "s-1"}}, "UpdateExpression": "SET #e = :e", "ExpressionAttributeNames": {"#e": "exp"}, "ExpressionAttributeValues": {":e": {"N": "' || now_plus(9999) || '"}}}');
-- plain SQL cannot change the column directly
INSERT INTO tab (item, dynamo_expires_at) VALUES (jsonb_build_object('pk', 'sql', 'sk', 'a', 'exp', now_plus(-7)), 5);
UPDATE tab SET dynamo_expires_at = 7 WHERE pk = 'sql';
SELECT dynamo_expires_at - now_plus(0) FROM tab WHERE pk = 'sql';

SELECT dynamo.delete_expired('tab');
SELECT pk, sk FROM tab ORDER BY 1, 2;
SELECT count(*) FROM "tab$far";
SELECT dynamo.delete_expired('tab');

-- with a limit, and for all tables
SELECT dynamo.create_table('other', 'id');
SELECT dynamo.update_time_to_live('other', 'e');
INSERT INTO other (item) SELECT jsonb_build_object('id', i::text, 'e', now_plus(-i)) FROM generate_series(1, 2500) i;
-- a table without indexes also updates the column: the time changes or is removed
SELECT dynamo.put_item('other', jsonb_build_object('id', 'moved', 'e', now_plus(-7)));
SELECT dynamo.put_item('other', jsonb_build_object('id', 'moved', 'e', now_plus(8)));
SELECT dynamo_expires_at - now_plus(0) FROM other WHERE id = 'moved';
SELECT dynamo.update_item('other', '{"id": {"S": "moved"}}', 'SET e = e + :n', expression_attribute_values => '{":n": {"N": "1"}}');
SELECT dynamo_expires_at - now_plus(0) FROM other WHERE id = 'moved';
SELECT dynamo.update_item('other', '{"id": {"S": "moved"}}', 'REMOVE e');
SELECT dynamo_expires_at FROM other WHERE id = 'moved';
SELECT dynamo.update_item('other', '{"id": {"S": "moved"}}', 'SET e = :e', expression_attribute_values => jsonb_build_object(':e', now_plus(7000)));
SELECT dynamo_expires_at - now_plus(0) FROM other WHERE id = 'moved';
SELECT dynamo.delete_expired('other', 10), dynamo.delete_expired('other', 0);
INSERT INTO tab (item) VALUES (jsonb_build_object('pk', 'sql', 'sk', 'b', 'exp', now_plus(-7)));
SELECT dynamo.delete_expired(max_items => 2000), dynamo.delete_expired(), dynamo.delete_expired();
SELECT dynamo.delete_expired('other', -1);
SELECT dynamo.delete_expired('none');

-- messages
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "exp"}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "e"}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "e"}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": ""}}');
SELECT req('UpdateTimeToLive', '{"TableName": "none", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "exp"}}');
SELECT req('DescribeTimeToLive', '{"TableName": "none"}');
-- one change per 31 minutes; other errors come first
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "exp"}}');
SELECT req('DescribeTimeToLive', '{"TableName": "tab"}');
UPDATE dynamo_internal.table_settings SET time_to_live_changed_at = now() - interval '30 min' WHERE relation = 't_request_ttl.tab'::regclass;
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "exp"}}');
UPDATE dynamo_internal.table_settings SET time_to_live_changed_at = now() - interval '32 min' WHERE relation = 't_request_ttl.tab'::regclass;
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "exp"}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "exp"}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "exp"}}');
SET dynamo.ttl_change_interval = 0;
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "exp"}}');
SELECT req('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "exp"}}');
SELECT req('DescribeTimeToLive', '{"TableName": "tab"}');
SELECT attname FROM pg_attribute WHERE attrelid = 'tab'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
-- another attribute, even if it is the key of an index
SELECT dynamo.update_time_to_live('tab', 'g');
SELECT req('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "k"}, "sk": {"S": "1"}, "g": {"S": "x"}}}');
-- an attribute with the name of the column
SELECT dynamo.create_table('names', 'dynamo_expires_at', partition_key_type => 'N');
SELECT dynamo.update_time_to_live('names', 'dynamo_expires_at');
SELECT req('PutItem', '{"TableName": "names", "Item": {"dynamo_expires_at": {"N": "' || now_plus(-1) || '"}}}');
SELECT dynamo.delete_expired('names');

-- both write paths
SET dynamo.direct_access = off;
SELECT req('PutItem', '{"TableName": "other", "Item": {"id": {"S": "x"}, "e": {"N": "' || now_plus(-1) || '"}}}');
SELECT req('UpdateItem', '{"TableName": "other", "Key": {"id": {"S": "x"}}, "UpdateExpression": "SET e = e - :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}');
SELECT dynamo_expires_at - now_plus(0) FROM other WHERE id = 'x';
SELECT dynamo.delete_expired('other');

SET client_min_messages = warning;
DROP SCHEMA t_request_ttl CASCADE;
