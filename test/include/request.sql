-- request.sql: what tests of the request door include, in their own schema.
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- the body of an answer; of an error its type and the rest of its body; ARN/ in a request begins a table's ARN
CREATE FUNCTION req(operation text, request text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::text
		ELSE regexp_replace((r -> 'body')::text, '^."__type":"[^#]*#(\w+)",?(.*).$', '\1 \2') END
	FROM dynamo.request_safe(operation, replace(request, 'ARN/', 'arn:aws:dynamodb:us-east-1:000000000000:table/')::json) r
$$;
