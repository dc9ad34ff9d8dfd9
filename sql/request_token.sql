-- ClientRequestToken: a transaction that is sent twice runs once
CREATE SCHEMA t_request_token;
SET search_path = t_request_token;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
-- pages that other tests have left would be looked at, too
TRUNCATE dynamo_internal.request_tokens;
SELECT dynamo.create_table('tab', 'id');
INSERT INTO tab (item) VALUES ('{"id": {"S": "a"}, "n": {"N": "0"}}');
CREATE FUNCTION add(n int, token text, more text DEFAULT '', pairs text DEFAULT '":n": {"N": "%s"}') RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(r #>> '{body,message}', (r -> 'body')::text) FROM dynamo.request_safe('TransactWriteItems', ('{"TransactItems": [
		{"Update": {"TableName": "tab", "Key": {"id": {"S": "a"}}, "UpdateExpression": "ADD #n :n", "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {' || format(pairs, n) || '}}},
		{"Put": {"TableName": "tab", "Item": {"id": {"S": "b"}}, "ConditionExpression": "attribute_not_exists(#c)", "ExpressionAttributeNames": {"#c": "c"}}}],
		"ClientRequestToken": "' || token || '"' || more || '}')::json) r
$$;

SELECT add(1, 'one');
SELECT item OPERATOR(dynamo.->) 'n' FROM tab WHERE id = 'a';
-- repeated: success without effect; the JSON text may differ
SELECT add(1, 'one');
SELECT add(1, 'one', pairs => '":n" :   {"N": "%s.0"}');
SELECT item OPERATOR(dynamo.->) 'n' FROM tab WHERE id = 'a';
-- the repeated transaction consumes read capacity
SELECT add(1, 'two', ', "ReturnConsumedCapacity": "TOTAL"');
SELECT add(1, 'two', ', "ReturnConsumedCapacity": "TOTAL"');
-- another request with the same token
SELECT add(2, 'one');
SELECT dynamo.request_safe('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "tab", "Key": {"id": {"S": "a"}}}}], "ClientRequestToken": "one"}');
SELECT item OPERATOR(dynamo.->) 'n' FROM tab WHERE id = 'a';

-- a failed transaction is not remembered
SELECT dynamo.request_safe('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "tab", "Key": {"id": {"S": "a"}}, "ConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "7"}}}}], "ClientRequestToken": "three"}') ->> 'status';
SELECT add(1, 'three');
-- a transaction that was rolled back is not remembered either
BEGIN;
SELECT add(1, 'four');
ROLLBACK;
SELECT add(1, 'four');
SELECT item OPERATOR(dynamo.->) 'n' FROM tab WHERE id = 'a';

SELECT add(1, 'a\u0000b');
-- after ten minutes the token can be used again
UPDATE dynamo_internal.request_tokens SET completed_at = completed_at - CASE token WHEN 'three' THEN interval '9 minutes' ELSE '11 minutes' END WHERE token IN ('one', 'three', 'four');
SELECT add(5, 'one'), add(1, 'three'), add(5, 'four'), add(5, 'one'), add(5, 'four');
SELECT item OPERATOR(dynamo.->) 'n' FROM tab WHERE id = 'a';
SELECT token FROM dynamo_internal.request_tokens ORDER BY 1;
-- rows of old tokens are removed: one of 32 tokens, by a hash of it and the role's OID, looks for them
CREATE ROLE regress_dynamo_token;
GRANT USAGE ON SCHEMA dynamo, t_request_token TO regress_dynamo_token;
GRANT ALL ON tab TO regress_dynamo_token;
UPDATE dynamo_internal.request_tokens SET completed_at = completed_at - interval '11 minutes' WHERE token IN ('one', 'four');
SET ROLE regress_dynamo_token;
SELECT add(0, 'sweep ' || min(i)) FROM generate_series(1, 10000) i WHERE hashtextextended('sweep ' || i, hashtextextended('regress_dynamo_token'::regrole::oid::text, 0)) & 31 = 0;
RESET ROLE;
SELECT token FROM dynamo_internal.request_tokens WHERE token NOT LIKE 'sweep %' ORDER BY 1;
SET ROLE regress_dynamo_token;
SELECT count(add(0, 'many ' || i)) FROM generate_series(1, 500) i;
RESET ROLE;
UPDATE dynamo_internal.request_tokens SET completed_at = completed_at - interval '11 minutes' WHERE token LIKE 'many %';
SET ROLE regress_dynamo_token;
SELECT count(add(0, 'more ' || i)) FROM generate_series(1, 600) i;
RESET ROLE;
SELECT count(*) < 250 FROM dynamo_internal.request_tokens WHERE token LIKE 'many %';

-- another token with the same hash: this one must wait until the other no longer counts
SELECT add(0, 'twin');
UPDATE dynamo_internal.request_tokens SET token = 'with the hash of twin' WHERE token = 'twin';
SELECT add(9, 'twin');
UPDATE dynamo_internal.request_tokens SET completed_at = completed_at - interval '11 minutes' WHERE token = 'with the hash of twin';
SELECT add(0, 'twin');
SELECT token FROM dynamo_internal.request_tokens WHERE token LIKE '%twin';

-- tokens are separate for each user
SET ROLE regress_dynamo_token;
SELECT add(7, 'one');
SELECT count(*) FROM dynamo_internal.request_tokens;
RESET ROLE;
SELECT item OPERATOR(dynamo.->) 'n' FROM tab WHERE id = 'a';

-- A recreated table is another table, even for a token that was used with its name:
-- its key may have changed, and the effects of the transaction are gone.
SELECT dynamo.create_table('other', 'id');
CREATE FUNCTION put(tables text, token text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(r #>> '{body,message}', (r -> 'body')::text) FROM dynamo.request_safe('TransactWriteItems', ('{"TransactItems": ['
		|| (SELECT string_agg('{"Put": {"TableName": "' || t || '", "Item": {"id": {"S": "p"}, "SK": {"S": "s"}}}}', ',') FROM regexp_split_to_table(tables, ',') t)
		|| '], "ClientRequestToken": "' || token || '", "ReturnConsumedCapacity": "TOTAL", "ReturnItemCollectionMetrics": "SIZE"}')::json) r
$$;
CREATE FUNCTION insert(token text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(r #>> '{body,CancellationReasons,0,Message}', r #>> '{body,message}', (r -> 'body')::text) FROM dynamo.request_safe('ExecuteTransaction', ('{"TransactStatements": [
		{"Statement": "INSERT INTO tab VALUE {''id'': ''q''}"}], "ReturnConsumedCapacity": "TOTAL", "ClientRequestToken": "' || token || '"}')::json) r
$$;
SELECT put('tab', 'five'), put('tab,other', 'six'), insert('seven');
SELECT put('tab', 'five'), put('tab,other', 'six'), insert('seven');
SELECT dynamo.drop_table('tab');
SELECT put('tab', 'five'), put('tab,other', 'six'), insert('seven');
SELECT dynamo.create_table('tab', 'id');
SELECT put('tab', 'five'), put('tab,other', 'six'), insert('seven');
SELECT put('tab', 'five'), insert('seven'), (SELECT count(*) FROM tab);
SELECT dynamo.drop_table('tab');
SELECT dynamo.create_table('tab', 'id', 'SK', sort_key_type => 'N', indexes => '[{"index_name": "LSI", "local": true, "partition_key": "id", "sort_key": "x"}]');
SELECT put('tab', 'five'), put('tab,other', 'six'), insert('seven');
SELECT dynamo.drop_table('tab'), dynamo.drop_table('other');
SELECT dynamo.create_table('tab', 'PK'), dynamo.create_table('other', 'id');
SELECT put('tab', 'five'), put('tab,other', 'six'), insert('seven');
-- rows written by another server or another user
SELECT dynamo.create_table('tab2', 'id');
SELECT put('tab2', 'eight'), put('tab2', 'nine');
UPDATE dynamo_internal.request_tokens SET digest = set_byte(digest, 13, 255 - get_byte(digest, 13)) WHERE token = 'eight';
UPDATE dynamo_internal.request_tokens SET digest = '' WHERE token = 'nine';
SELECT put('tab2', 'eight'), put('tab2', 'nine');

-- keys that an entity composes, also when a transaction is repeated, and after the entity has been dropped
SELECT dynamo.create_table('shop', 'pk', 'sk');
SELECT dynamo.create_entity('shop', 'order', keys => '{"pk": "C#{customer_id}", "sk": "O#{order_id:04}"}', attributes => '{"customer_id": "text", "order_id": "int"}');
CREATE FUNCTION by_parts() RETURNS TABLE (answer text) LANGUAGE sql AS $$
	SELECT coalesce(r #>> '{body,message}', (r #> '{body,ConsumedCapacity}')::text) FROM dynamo.request_safe('TransactWriteItems', '{"ClientRequestToken": "parts", "ReturnConsumedCapacity": "TOTAL",
		"TransactItems": [{"Put": {"TableName": "shop", "Item": {"customer_id": {"S": "c1"}, "order_id": {"N": "5"}}}},
		{"Update": {"TableName": "shop", "Key": {"customer_id": {"S": "c2"}, "order_id": {"N": "5"}}, "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}}]}') r
	UNION ALL
	SELECT coalesce(r #>> '{body,message}', (r #> '{body,ConsumedCapacity}')::text) FROM dynamo.request_safe('ExecuteTransaction', '{"ClientRequestToken": "inserted", "ReturnConsumedCapacity": "TOTAL",
		"TransactStatements": [{"Statement": "INSERT INTO shop VALUE {''customer_id'': ''c3'', ''order_id'': 7}"}]}') r $$;
SELECT * FROM by_parts();
SELECT * FROM by_parts();
UPDATE shop SET item = dynamo.apply_update(item, 'SET x = :x', ('{":x": {"S": "' || repeat('x', 5000) || '"}}')::dynamo.item) WHERE pk <> 'C#c2';
SELECT * FROM by_parts();
SELECT dynamo.drop_entity('shop', 'order');
SELECT * FROM by_parts();
SELECT count(*) FROM shop;

-- so are keys of item collections, while there are any
SELECT dynamo.create_table('collected', 'pk', 'sk', indexes => '[{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l"}]');
SELECT dynamo.create_entity('collected', 'order', keys => '{"pk": "C#{customer_id}", "sk": "O#{order_id:04}"}', attributes => '{"customer_id": "text", "order_id": "int"}');
CREATE FUNCTION collections() RETURNS text LANGUAGE sql AS $$
	SELECT (r -> 'body')::text FROM dynamo.request_safe('TransactWriteItems', '{"ClientRequestToken": "collections", "ReturnItemCollectionMetrics": "SIZE", "TransactItems": [
		{"Put": {"TableName": "collected", "Item": {"customer_id": {"S": "c1"}, "order_id": {"N": "5"}}}}, {"Delete": {"TableName": "collected", "Key": {"pk": {"S": "C#c2"}, "sk": {"S": "x"}}}},
		{"Delete": {"TableName": "collected", "Key": {"customer_id": {"S": "c1"}, "order_id": {"N": "6"}}}}]}') r $$;
SELECT collections();
SELECT collections();
SELECT dynamo.drop_entity('collected', 'order');
SELECT collections();

SET client_min_messages = warning;
DELETE FROM dynamo_internal.request_tokens;
DROP SCHEMA t_request_token CASCADE;
REVOKE USAGE ON SCHEMA dynamo FROM regress_dynamo_token;
DROP ROLE regress_dynamo_token;
