-- Contributor insights of tables and indexes
CREATE SCHEMA t_request_insights;
SET search_path = t_request_insights;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/test/include/request.sql'
\i :include
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l"}]');


SELECT dynamo.create_table('tab-2', 'pk');
-- without the time of the last update
CREATE FUNCTION timeless(body text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(body, '"LastUpdateDateTime":[0-9.]+', '"LastUpdateDateTime":TIME') $$;
SELECT req('DescribeContributorInsights', '{"TableName": "tab"}');
SELECT req('DescribeContributorInsights', '{"TableName": "tab", "IndexName": "lsi"}');
SELECT req('DescribeContributorInsights', '{"TableName": "tab", "IndexName": "none"}');
SELECT req('DescribeContributorInsights', '{"TableName": "none", "IndexName": "x"}');
SELECT req('ListContributorInsights', '{}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "ENABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "ARN/tab", "IndexName": "gsi", "ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "THROTTLED_KEYS"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab-2", "ContributorInsightsAction": "ENABLE"}');
SELECT timeless(req('DescribeContributorInsights', '{"TableName": "tab"}'));
SELECT timeless(req('DescribeContributorInsights', '{"TableName": "tab", "IndexName": "gsi"}'));
SELECT req('DescribeContributorInsights', '{"TableName": "tab", "IndexName": "lsi"}');
SELECT req('ListContributorInsights', '{}');
SELECT req('ListContributorInsights', '{"TableName": "tab"}');
-- pages
WITH RECURSIVE pages(n, body) AS (
	SELECT 1, req('ListContributorInsights', '{"MaxResults": 1}')
	UNION ALL SELECT n + 1, req('ListContributorInsights', jsonb_build_object('MaxResults', 1, 'NextToken', body::json -> 'NextToken')::text)
	FROM pages WHERE body::jsonb ? 'NextToken' AND n < 9)
SELECT * FROM pages;
SELECT req('ListContributorInsights', '{"NextToken": "zzz "}');
SELECT req('ListContributorInsights', '{"NextToken": "zzz"}');
SELECT req('ListContributorInsights', '{"MaxResults": 101}');
SELECT req('ListContributorInsights', '{"TableName": "none"}');
-- off
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "DISABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "IndexName": "none", "ContributorInsightsAction": "DISABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "PAUSE", "ContributorInsightsMode": "ALL"}');
SELECT req('ListContributorInsights', '{}');
-- an index takes its insights with it
SELECT req('UpdateTable', '{"TableName": "tab", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}') ~ 'UPDATING';
SELECT count(*) FROM dynamo_internal.table_attachments JOIN dynamo_internal.table_settings USING (table_id) WHERE relation = 'tab'::regclass;
-- by whichever statement it goes
SELECT dynamo.create_index('tab', 'by_sql', 'g');
SELECT req('UpdateTable', '{"TableName": "tab", "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "by_sql", "OnDemandThroughput": {"MaxReadRequestUnits": 5}}}]}') ~ 'UPDATING';
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "IndexName": "by_sql", "ContributorInsightsAction": "ENABLE"}');
SELECT (SELECT count(*) FROM dynamo_internal.table_attachments WHERE name = 'by_sql'), (SELECT count(*) FROM dynamo_internal.index_settings WHERE index_name = 'by_sql');
SELECT dynamo.drop_index('tab', 'by_sql');
SELECT (SELECT count(*) FROM dynamo_internal.table_attachments WHERE name = 'by_sql'), (SELECT count(*) FROM dynamo_internal.index_settings WHERE index_name = 'by_sql');
-- only the owner
CREATE ROLE t_request_insights_user;
GRANT USAGE ON SCHEMA t_request_insights TO t_request_insights_user;
SET ROLE t_request_insights_user;
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "ENABLE"}');
SELECT req('UpdateContributorInsights', '{"TableName": "tab", "ContributorInsightsAction": "DISABLE"}');
RESET ROLE;
DROP TABLE "tab-2";
SELECT count(*) FROM dynamo_internal.table_attachments a WHERE NOT EXISTS (SELECT FROM dynamo_internal.table_settings s WHERE s.table_id = a.table_id);

SET client_min_messages = warning;
DROP SCHEMA t_request_insights CASCADE;
DROP ROLE t_request_insights_user;
