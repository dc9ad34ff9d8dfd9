-- dynamo.request: operations that need no table, and the form of errors
CREATE SCHEMA t_request_account;
SET search_path = t_request_account;
\pset format unaligned
\pset tuples_only on

-- operations that need no table
SELECT dynamo.request('DescribeLimits', '{}');
SELECT dynamo.request('DescribeEndpoints', '{"unknown": [1, {"a": null}]}');
SELECT dynamo.request('DynamoDB_20120810.DescribeLimits', '{}');
BEGIN;
SET LOCAL dynamo.region = 'eu-central-1';
SELECT dynamo.request('DescribeEndpoints', '{}');
ROLLBACK;
SET dynamo.region = '';
SET dynamo.account_id = '12';

-- unknown operations
SELECT dynamo.request_safe('getItem', '{}');
SELECT dynamo.request_safe('', '{}');
\set SHOW_CONTEXT never
-- raised as errors: SQLSTATE, message, and the error body as detail
DO $$
DECLARE d text;
BEGIN
	PERFORM dynamo.request('Nothing', '{}');
EXCEPTION WHEN SQLSTATE 'KV013' THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
	RAISE NOTICE '% / %', SQLERRM, d;
END $$;
DO $$
DECLARE d text;
BEGIN
	PERFORM dynamo.request('DescribeLimits', '[]');
EXCEPTION WHEN SQLSTATE 'KV012' THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
	RAISE NOTICE '% / %', SQLERRM, d;
END $$;
-- text that is not JSON
SELECT dynamo.request('DescribeLimits', '{');
SELECT r, dynamo.request_safe('DescribeLimits', r::dynamo_internal.json_text) ->> 'status' AS status
FROM unnest(ARRAY['', '{"a": tru}', '{"a": "\ud800"}', '{"a": [1, }', '{} {}', '{"a": [1]}']) AS r;
SELECT dynamo.request('DescribeLimits', '{"a": 1}'::jsonb)::text = dynamo.request('DescribeLimits', '{}'::json)::text AS same;
SELECT dynamo.request(NULL, '{}') IS NULL, dynamo.request_safe('DescribeLimits', NULL) IS NULL;

DROP SCHEMA t_request_account;
