-- The results of queries of an index: projections, Select, items fetched by local indexes
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_proj CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_proj;
SET search_path = t_index_proj, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('tab', 'PK', 'SK');
SELECT dynamo.create_index('tab', 'gAll', 'gp', 'gs');
SELECT dynamo.create_index('tab', 'gKeys', 'gp', 'gs', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('tab', 'gSome', 'gp', 'gs', projection => 'INCLUDE', non_key_attributes => '{a,m}');
SELECT dynamo.create_index('tab', 'lKeys', 'PK', 'ls', projection => 'KEYS_ONLY', local => true);
SELECT dynamo.create_index('tab', 'lSome', 'PK', 'ls', projection => 'INCLUDE', non_key_attributes => '{a}', local => true);
INSERT INTO tab (item) VALUES
	('{"PK": {"S": "p"}, "SK": {"S": "1"}, "gp": {"S": "g"}, "gs": {"S": "x"}, "ls": {"S": "k"}, "a": {"N": "1"}, "b": {"N": "2"}, "m": {"M": {"x": {"S": "deep"}, "y": {"S": "also"}}}}'),
	('{"PK": {"S": "p"}, "SK": {"S": "2"}, "gp": {"S": "g"}, "gs": {"S": "y"}, "ls": {"S": "j"}, "b": {"N": "3"}}');

-- by default the attributes that the index projects
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gAll');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gKeys');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gSome');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p"}}', index_name => 'lKeys');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p"}}', index_name => 'lSome');
SELECT dynamo.scan('tab', index_name => 'gSome');
-- an expression selects from them; an item with none of them becomes empty
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gAll', projection_expression => 'b, m.y');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gSome', projection_expression => 'm.x, SK');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gSome', projection_expression => 'a');
-- a global index has no other attributes
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gKeys', projection_expression => 'a, SK, m.x, b');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}}', index_name => 'gSome', projection_expression => 'a, b');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}, ":one": {"N": "1"}}', index_name => 'gSome', filter_expression => 'a = :one OR b = :one');
SELECT dynamo.scan('tab', 'b = :one', '{":one": {"N": "1"}}', index_name => 'gSome');
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}, ":one": {"N": "1"}}', index_name => 'gSome', filter_expression => 'a = :one');
-- in the filter of a scan such an attribute is missing, whatever the storage of the index
SELECT dynamo.create_index('tab', 'gTable', 'gp', 'gs', projection => 'KEYS_ONLY', storage => 'table');
SELECT dynamo.create_index('tab', 'gShards', 'gp', 'gs', projection => 'KEYS_ONLY', shards => 2);
CREATE FUNCTION filtered(filter text) RETURNS TABLE (index text, sql text, page text, request text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH index IN ARRAY ARRAY['gKeys', 'gTable', 'gShards'] LOOP
		SELECT string_agg(item ->> 'SK', ' ') INTO sql FROM dynamo.scan('tab', filter, '{":n": {"N": "2"}}', index_name => index) item;
		SELECT concat_ws(' of ', count, scanned_count) INTO page FROM dynamo.scan_page('tab', filter, '{":n": {"N": "2"}}', index_name => index);
		SELECT concat_ws(' of ', r -> 'Count', r -> 'ScannedCount') INTO request FROM CAST(dynamo.request('Scan', json_build_object('TableName', 'tab',
			'IndexName', index, 'FilterExpression', filter, 'ExpressionAttributeValues', '{":n": {"N": "2"}}'::json)) AS json) r;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM filtered('b = :n');
SELECT * FROM filtered('b <> :n');
SELECT * FROM filtered('NOT b = :n AND gs > SK OR attribute_exists(a)');
SELECT index, dynamo.request('ExecuteStatement', json_build_object('Statement', format('SELECT * FROM "tab"."%s" WHERE b = 2', index)))
FROM unnest(ARRAY['gKeys', 'gTable', 'gShards']) index;
SELECT index, dynamo.request('Scan', json_build_object('TableName', 'tab', 'IndexName', index, 'ScanFilter', '{"b": {"ComparisonOperator": "NULL"}}'::json, 'Select', 'COUNT'))
FROM unnest(ARRAY['gKeys', 'gTable', 'gShards']) index;
SELECT dynamo.query('tab', 'gp = :g', '{":g": {"S": "g"}, ":one": {"N": "1"}}', index_name => 'gTable', filter_expression => 'b = :one');
SELECT dynamo.request('ExecuteStatement', '{"Statement": "SELECT * FROM \"tab\".\"gTable\" WHERE gp = ''g'' AND b = 2"}');
SELECT dynamo.scan('tab', index_name => 'gTable', projection_expression => 'b');
SELECT dynamo.drop_index('tab', 'gTable');
SELECT dynamo.drop_index('tab', 'gShards');
-- a local index fetches the attribute from the table
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p"}}', index_name => 'lKeys', projection_expression => 'a, m.x');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p"}, ":n": {"N": "2"}}', index_name => 'lSome', filter_expression => 'b = :n');

-- Select
CREATE FUNCTION selected(index text, what text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT unnest(items)::text FROM dynamo.query_page('tab',
		CASE WHEN index LIKE 'g%' THEN 'gp = :v' ELSE 'PK = :v' END,
		CASE WHEN index LIKE 'g%' THEN '{":v": {"S": "g"}}' ELSE '{":v": {"S": "p"}}' END::dynamo.item,
		index_name => index, select_attributes => what)
$$;
SELECT selected('gAll', 'ALL_ATTRIBUTES') EXCEPT SELECT selected('gAll', NULL);
SELECT selected('gSome', 'ALL_ATTRIBUTES');
SELECT selected('gSome', 'ALL_PROJECTED_ATTRIBUTES') EXCEPT SELECT selected('gSome', NULL);
SELECT selected('lSome', 'ALL_ATTRIBUTES');
SELECT selected('lSome', 'ALL_PROJECTED_ATTRIBUTES');
SELECT items, count FROM dynamo.query_page('tab', 'gp = :v', '{":v": {"S": "g"}}', index_name => 'gSome', select_attributes => 'COUNT');
-- key attributes are not documents
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "p"}}', projection_expression => 'gs.x');
SELECT dynamo.scan('tab', 'attribute_exists(ls[0])');

-- the description of what is read
SET dynamo.direct_access = on;
SELECT dynamo.explain_query('tab', 'PK = :p', '{":p": {"S": "p"}}', index_name => 'lKeys', projection_expression => 'a');
SELECT dynamo.explain_query('tab', 'PK = :p', '{":p": {"S": "p"}}', index_name => 'lSome', projection_expression => 'a',
	exclusive_start_key => '{"PK": {"S": "p"}, "SK": {"S": "1"}, "ls": {"S": "k"}}');

-- large items; their keys have entries of dead row versions before those of the live ones
SELECT dynamo.create_table('large', 'PK', 'SK', indexes =>
	'[{"index_name": "lKeys", "partition_key": "PK", "sort_key": "ls", "local": true, "projection": "KEYS_ONLY", "storage": "table"}]');
CREATE INDEX ON large ((item ->> 'b'));	-- no update is HOT
INSERT INTO large (item) SELECT jsonb_build_object('PK', 'p', 'SK', i::text, 'ls', i::text, 'b', i, 'text', repeat('x', 20000))
	FROM generate_series(0, 9) i;
UPDATE large SET item = dynamo.apply_update(item, 'SET b = b + :n', '{":n": {"N": "10"}}');
SELECT count(*), sum(length(found ->> 'text')) FROM dynamo.query('large', 'PK = :p', '{":p": {"S": "p"}}',
	index_name => 'lKeys', projection_expression => '#t', expression_attribute_names => '{"#t": "text"}') found;

SET client_min_messages = warning;
DROP SCHEMA t_index_proj CASCADE;
