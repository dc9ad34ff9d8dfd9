-- Arguments that are json objects are json, jsonb or untyped text, and attributes that an
-- entity declares may be written bare in its conditions and patterns, also where their
-- names are reserved words.
CREATE SCHEMA bare_names;
SET search_path = bare_names, public, dynamo;

SELECT create_table('tab', partition_key => 'pk', sort_key => 'sk', indexes =>
	'[{"index_name": "by_status", "partition_key": "g1", "sort_key": "g2"}, {"index_name": "other", "partition_key": "h1"}]');

-- ---- json, jsonb and parameters without a type ----

SELECT create_entity('tab', 'a', '{"pk": "A#{id}", "sk": "A"}'::json, '{"name": "text", "id": "text"}'::jsonb, type_attribute => 'kind');
SELECT create_entity('tab', 'b', '{"pk": "B#{id}", "sk": "B"}'::jsonb, '{"name": "text", "id": "text"}'::json, type_attribute => 'kind', view_name => 'bs');
SELECT attname FROM pg_attribute WHERE attrelid = 'bs'::regclass AND attname IN ('name', 'id') ORDER BY attnum;	-- in the order of json
\set VERBOSITY terse
PREPARE untyped AS SELECT create_entity('tab', 'never', '{"pk": "N", "sk": "N"}', $1);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
SELECT create_entity('tab', 'bad', '[]'::json);
SELECT create_entity('tab', 'bad', '{"pk"');
SELECT create_entity('tab', 'bad', '{"pk": "N", "sk": "N"}', '{"a": "text"');
SELECT create_entity('tab', 'bad', '{"pk": "N", "sk": "N"}', '["a"]'::jsonb);
SELECT create_copy('tab', 'bad', 'a', 'b', '[]'::json);
SELECT add_reference('tab', 'bad', '[]'::jsonb);
SELECT create_entity_view('bad', 'tab', '[]'::jsonb);
SELECT create_entity_view('typed', 'tab', '{"name": "text"}'::jsonb);
\set VERBOSITY default

-- ---- reserved words ----

SELECT create_entity('tab', 'c', '{"pk": "C#{id}", "sk": "C#{n:04}", "g1": "S#{status}", "g2": "{at:ms}", "h1": "H#{id}"}',
	'{"id": "text", "n": "int", "status": "text", "at": "timestamptz", "name": "text", "size": "int", "and": "text", "other": "jsonb"}',
	type_attribute => 'kind', view_name => 'cs',
	index_conditions => '{"by_status": "attribute_exists(name) AND size > :zero AND NOT status IN (:gone)", "other": "attribute_exists(other.value) AND size(name) > :zero"}',
	expression_attribute_values => '{":zero": {"N": "0"}, ":gone": {"S": "GONE"}}', expression_attribute_names => '{"#size": "id"}');
SELECT k ->> 'attribute', k ->> 'condition', k -> 'names' FROM jsonb_array_elements(describe_entity('tab', 'c') -> 'keys') k WHERE k ? 'condition';
INSERT INTO cs (id, n, status, at, name, size, other) VALUES ('1', 1, 'NEW', '2026-01-01Z', 'one', 1, '{"value": 1}'), ('1', 2, 'NEW', '2026-01-02Z', 'two', 0, '{}'),
	('1', 3, 'GONE', '2026-01-03Z', 'three', 3, NULL), ('1', 4, 'NEW', '2026-01-04Z', 'four', 4, '{"value": null}');
SELECT item ->> 'n' AS n, item ->> 'g1' AS g1, item ->> 'h1' AS h1 FROM tab ORDER BY sk;

SELECT create_access_pattern('tab', 'in_status', 'status = :status AND at >= :since', view_name => 'cs', index_name => 'by_status',
	parameters => '{"since": {"default": null}}'::jsonb, filter_expression => 'size BETWEEN :least AND :most AND begins_with(name, :name)');
SELECT create_access_pattern('tab', 'in_status', 'status = :status AND at >= :since', view_name => 'cs', index_name => 'by_status',
	parameters => '{"since": {"default": null}, "least": "int", "most": "int", "name": "text"}'::jsonb,
	filter_expression => 'size BETWEEN :least AND :most AND begins_with(name, :name) AND NOT (#and = :name OR attribute_exists(other.values[0].#x))',
	expression_attribute_names => '{"#and": "and", "#x": "year"}');
SELECT n, status, size FROM in_status('NEW', 1, 10, 'f');
SELECT n, status, size FROM in_status('NEW', 1, 10, '');
SELECT condition, filter_expression FROM access_patterns WHERE pattern = 'in_status'::regproc;
SELECT access_pattern_request('in_status', '{"status": "NEW", "since": "2026-01-01", "least": 1, "most": 10, "name": "f"}'::jsonb);
SELECT request('Query', access_pattern_request('in_status', '{"status": "NEW", "since": "2026-01-01", "least": 1, "most": 10, "name": "f"}'::jsonb)) ->> 'Count' AS count;
SELECT create_access_pattern('tab', 'names', 'id = :id', entities => '{c}', projection_expression => 'name, status, at, other.value');
SELECT names('1');
SELECT create_access_pattern('tab', 'own_keys', 'name = :name', keys => '{"pk": "C#{name}"}'::json, projection_expression => 'name, n');
SELECT own_keys('1');
-- in requests, and where nothing declares them, words stay reserved
SELECT create_access_pattern('tab', 'undeclared', 'id = :id', entities => '{c}', filter_expression => 'year = :year', parameters => '{"year": "int"}');
SELECT create_access_pattern('tab', 'grammar', 'id = :id', entities => '{c}', filter_expression => 'and = :and', parameters => '{"and": "int"}');
SELECT query('tab', 'pk = :p', '{":p": {"S": "C#1"}}', filter_expression => 'status = :p');
SELECT request_safe('Query', '{"TableName": "tab", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "C#1"}}, "ProjectionExpression": "status"}');

DROP SCHEMA bare_names CASCADE;
