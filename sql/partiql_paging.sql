-- PartiQL: pages and tokens; the same answers as Query and Scan
CREATE SCHEMA t_partiql_paging;
SET search_path = t_partiql_paging;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION req(operation text, request jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT CASE WHEN r ->> 'status' = '200' THEN (r -> 'body')::jsonb ELSE jsonb_build_object('error', r -> 'body' -> 'message') END
	FROM dynamo.request_safe(operation, request::json) r
$$;
SELECT dynamo.create_table('tab', 'pk', 'sk', indexes => '[
	{"index_name": "gsi", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "own", "partition_key": "g", "sort_key": "n", "sort_key_type": "N", "storage": "table", "projection": "KEYS_ONLY"},
	{"index_name": "byh", "partition_key": "h", "sort_key": "j"}]');
SELECT dynamo.create_table('hash', 'id', partition_key_type => 'N');
INSERT INTO hash (item) SELECT jsonb_build_object('id', i) FROM generate_series(1, 9) i;
-- many equal sort keys in the indexes
INSERT INTO tab (item) SELECT jsonb_build_object('pk', 'p' || i % 5, 'sk', 's' || i / 5 % 8, 'x', i, 'g', 'g' || i % 3, 'n', i % 4, 'h', 'h' || i % 2, 'i', 'i' || i % 2, 'j', 'j' || i % 3)
	FROM generate_series(1, 60) i ON CONFLICT DO NOTHING;

-- all pages of a statement as one list, and their number
CREATE FUNCTION walk(statement text, page_limit int, parameters jsonb DEFAULT NULL, OUT items jsonb, OUT pages int) LANGUAGE plpgsql AS $$
DECLARE
	request jsonb := jsonb_strip_nulls(jsonb_build_object('Statement', statement, 'Limit', page_limit, 'Parameters', parameters));
	answer jsonb;
BEGIN
	items := '[]';
	pages := 0;
	LOOP
		answer := req('ExecuteStatement', request);
		IF answer ? 'error' THEN
			RAISE EXCEPTION '%', answer ->> 'error';
		END IF;
		items := items || (answer -> 'Items');
		pages := pages + 1;
		EXIT WHEN NOT answer ? 'NextToken';
		IF pages > 200 THEN
			RAISE EXCEPTION 'no end of pages';
		END IF;
		request := request || jsonb_build_object('NextToken', answer -> 'NextToken');
	END LOOP;
END $$;
CREATE TABLE statements (n serial, statement text);
INSERT INTO statements (statement) VALUES
($$SELECT * FROM tab$$),
($$SELECT sk, x FROM tab WHERE x > 20$$),
($$SELECT * FROM tab WHERE pk = 'p1'$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4']$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] AND sk > 's1' AND sk < 's6' ORDER BY pk DESC, sk DESC$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] ORDER BY sk$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] ORDER BY sk DESC, pk DESC$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] AND sk = 's3' ORDER BY sk$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] AND begins_with(sk, 's') AND x <> 7 ORDER BY sk$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] AND sk < 's5' ORDER BY sk$$),
($$SELECT * FROM tab WHERE pk IN ['p3','p1','p4'] AND sk >= 's2' ORDER BY sk DESC$$),
($$SELECT * FROM tab.gsi WHERE g IN ['g0','g1','g2'] ORDER BY n$$),
($$SELECT * FROM tab.gsi WHERE g IN ['g0','g1','g2'] AND n BETWEEN 1 AND 2 ORDER BY n DESC$$),
($$SELECT * FROM tab.own WHERE g IN ['g0','g1','g2'] AND n > 0 ORDER BY n DESC$$),
($$SELECT * FROM tab.own WHERE g IN ['g0','g1','g2']$$),
($$SELECT * FROM tab.byh WHERE h IN ['h0','h1'] ORDER BY j$$),
($$SELECT * FROM tab.byh WHERE h IN ['h0','h1'] AND j >= 'j1' ORDER BY j DESC$$),
($$SELECT * FROM tab WHERE pk = 'p1' AND sk = 's3'$$),
($$SELECT * FROM hash WHERE id = 3$$),
($$SELECT * FROM hash WHERE id IN [3, 11, 4, 0, 9] ORDER BY id DESC$$),
($$SELECT * FROM hash$$);

-- pages of any size give the same answer
SELECT n, jsonb_array_length((w).items), bool_and((walk(statement, l)).items = (w).items), max((walk(statement, l)).pages) > 1
	FROM (SELECT n, statement, walk(statement, NULL) w FROM statements OFFSET 0) s, unnest('{1,2,3,7,1000}'::int[]) l GROUP BY 1, 2 ORDER BY 1;
SET dynamo.direct_access = off;
SELECT count(*) FILTER (WHERE (walk(statement, l)).items <> (walk(statement, NULL)).items) FROM statements, unnest('{1,4}'::int[]) l;
CREATE TABLE by_sql AS SELECT n, (walk(statement, NULL)).items FROM statements;
RESET dynamo.direct_access;
SELECT count(*) FROM by_sql b JOIN statements s USING (n) WHERE b.items IS DISTINCT FROM (walk(s.statement, NULL)).items;

-- merged rows are the rows of the partitions, sorted
SELECT (walk($$SELECT x FROM tab WHERE pk IN ['p3','p1','p4'] ORDER BY sk DESC, pk DESC$$, 4)).items =
	(SELECT jsonb_agg(jsonb_build_object('x', jsonb_build_object('N', item OPERATOR(dynamo.->>) 'x')) ORDER BY sk DESC, pk DESC) FROM tab WHERE pk IN ('p3', 'p1', 'p4'));
SELECT (walk($$SELECT n, g FROM tab.gsi WHERE g IN ['g2','g1'] ORDER BY n$$, 3)).items =
	(SELECT jsonb_agg(jsonb_build_object('n', jsonb_build_object('N', n::text), 'g', jsonb_build_object('S', g)) ORDER BY n, g) FROM tab WHERE g IN ('g2', 'g1'));

-- the same request as Query and as Scan
CREATE FUNCTION same(statement text, operation text, request jsonb) RETURNS boolean LANGUAGE sql AS $$
	SELECT s - 'NextToken' = r - '{Count,ScannedCount}'::text[] FROM
	req('ExecuteStatement', jsonb_build_object('Statement', statement, 'Limit', 3, 'ReturnConsumedCapacity', 'INDEXES')) s,
	req(operation, '{"TableName": "tab", "Limit": 3, "ReturnConsumedCapacity": "INDEXES"}' || request) r $$;
SELECT same($$SELECT * FROM tab WHERE pk = 'p1' AND sk > 's2' AND x < 30$$, 'Query', '{"KeyConditionExpression": "pk = :p AND sk > :s", "FilterExpression": "x < :x",
	"ExpressionAttributeValues": {":p": {"S": "p1"}, ":s": {"S": "s2"}, ":x": {"N": "30"}}}');
SELECT same($$SELECT x, sk FROM tab.gsi WHERE g = 'g1' AND n BETWEEN 1 AND 2 ORDER BY n DESC$$, 'Query', '{"IndexName": "gsi", "ScanIndexForward": false, "KeyConditionExpression": "g = :g AND n BETWEEN :a AND :b",
	"ProjectionExpression": "x, sk", "ExpressionAttributeValues": {":g": {"S": "g1"}, ":a": {"N": "1"}, ":b": {"N": "2"}}}');
SELECT same($$SELECT * FROM tab WHERE contains(sk, '3') OR size(h) < 2 OR NOT x IN [1, 2]$$, 'Scan', '{"FilterExpression": "contains(sk, :s) OR size(h) < :n OR NOT x IN (:a, :b)",
	"ExpressionAttributeValues": {":s": {"S": "3"}, ":n": {"N": "2"}, ":a": {"N": "1"}, ":b": {"N": "2"}}}');
SELECT same($$SELECT * FROM tab.own$$, 'Scan', '{"IndexName": "own"}');

-- after the last row of a table without sort key there is no token
SELECT req('ExecuteStatement', '{"Statement": "SELECT * FROM hash WHERE id = 3", "Limit": 1}');
SELECT req('ExecuteStatement', '{"Statement": "SELECT * FROM hash WHERE id IN [4, 3]", "Limit": 1}') - 'NextToken';

-- a token is valid only for its statement and parameters
SELECT req('ExecuteStatement', '{"Statement": "SELECT sk FROM tab WHERE pk = ?", "Parameters": [{"S": "p1"}], "Limit": 2}') - 'NextToken';
SELECT req('ExecuteStatement', '{"Statement": "SELECT sk FROM tab WHERE pk = ?", "Parameters": [{"S": "p1"}], "Limit": 2}') ->> 'NextToken' AS token \gset
CREATE FUNCTION next_page(statement text, parameter text, token text) RETURNS jsonb LANGUAGE sql AS $$
	SELECT req('ExecuteStatement', jsonb_build_object('Statement', statement, 'Parameters', jsonb_build_array(jsonb_build_object('S', parameter)), 'NextToken', token)) $$;
SELECT next_page('SELECT sk FROM tab WHERE pk = ?', 'p1', :'token');
SELECT next_page('SELECT sk FROM tab WHERE pk = ? ', 'p1', :'token');
SELECT next_page('SELECT sk FROM tab WHERE pk = ?', 'p2', :'token');
SELECT next_page('SELECT sk FROM tab WHERE pk = ?', 'p1', 'x');
SELECT next_page('SELECT sk FROM tab WHERE pk = ?', 'p1', '');
SELECT next_page('UPDATE tab SET a = ? WHERE pk = ''p1'' AND sk = ''s1''', 'p1', :'token');
SELECT count(*) FROM generate_series(1, length(:'token')) i WHERE next_page('SELECT sk FROM tab WHERE pk = ?', 'p1', overlay(:'token' PLACING 'A' FROM i)) ? 'error'
	IS DISTINCT FROM (substr(:'token', i, 1) <> 'A');

-- a local index that is a table of its own: conditions on attributes that it lacks
SELECT dynamo.create_table('near', 'pk', 'sk', indexes => '[
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "l", "storage": "table", "projection": "KEYS_ONLY"}]');
INSERT INTO near (item) SELECT jsonb_build_object('pk', 'p' || i % 2, 'sk', 's' || i, 'l', 'l' || 9 - i, 'x', i) FROM generate_series(1, 6) i;
SELECT req('ExecuteStatement', '{"Statement": "SELECT * FROM near.lsi WHERE pk = ''p1'' AND x = 3"}');
SELECT req('ExecuteStatement', '{"Statement": "SELECT * FROM near.lsi WHERE x = 3"}');
SELECT req('ExecuteStatement', '{"Statement": "SELECT x FROM near.lsi WHERE x IS MISSING AND sk = ''s4''"}');
SELECT req('ExecuteStatement', '{"Statement": "SELECT sk, x FROM near.lsi WHERE pk = ''p1'' AND l < ''l7''"}');

SET client_min_messages = warning;
DROP SCHEMA t_partiql_paging CASCADE;
