-- Errors of dynamo.query and dynamo.query_page, with the service's messages
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_query_errors CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_query_errors;
SET search_path = t_query_errors, dynamo;
\set VERBOSITY terse

SELECT dynamo.create_table('tab', 'PK', 'SK');
SELECT dynamo.create_table('num', 'PK', 'SK', sort_key_type => 'N');
SELECT dynamo.create_table('hash', 'PK');

-- required parameters, constraints of the model
SELECT dynamo.query(NULL, 'PK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', NULL, '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', max_items => 0);
SELECT dynamo.query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', page_size => 0);
SELECT dynamo.query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', select_attributes => 'count');
-- Select
SELECT dynamo.query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', select_attributes => 'SPECIFIC_ATTRIBUTES');
SELECT dynamo.query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', select_attributes => 'ALL_PROJECTED_ATTRIBUTES');
SELECT dynamo.query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', select_attributes => 'ALL_ATTRIBUTES',
	projection_expression => 'a');
SELECT dynamo.query_page('tab', 'PK = :p', '{":p": {"S": "a"}}', select_attributes => 'COUNT',
	projection_expression => 'a');
-- key conditions
SELECT dynamo.query('tab', 'PK = :p OR SK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'NOT PK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK <> :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK IN (:p)', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p AND contains(SK, :p)', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p AND SK.x = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p AND PK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p AND SK > :p AND SK < :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = SK');
SELECT dynamo.query('tab', 'SK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK > :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p AND x = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('hash', 'PK = :p AND SK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"N": "1"}}');
SELECT dynamo.query('num', 'PK = :p AND SK = :s', '{":p": {"S": "a"}, ":s": {"S": "1"}}');
SELECT dynamo.query('num', 'PK = :p AND begins_with(SK, :s)', '{":p": {"S": "a"}, ":s": {"N": "1"}}');
SELECT dynamo.query('tab', 'PK = :p AND SK BETWEEN :b AND :a', '{":p": {"S": "a"}, ":a": {"S": "a"}, ":b": {"S": "b"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": ""}}');
SELECT dynamo.query('tab', 'PK = :p AND SK > :s', '{":p": {"S": "a"}, ":s": {"S": ""}}');
SELECT dynamo.query('tab', 'PK = :p', format('{":p": {"S": "%s"}}', repeat('x', 2049))::dynamo.item);
SELECT dynamo.query('tab', 'PK = :p AND SK = :s', format('{":p": {"S": "a"}, ":s": {"S": "%s"}}', repeat('x', 1025))::dynamo.item);
-- names and values
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}, ":q": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', '{"#x": "y"}');
SELECT dynamo.query('tab', 'PK = :x', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', '#p = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p');
SELECT dynamo.query('tab', '');
-- table and index
SELECT dynamo.query('missing', 'PK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', index_name => 'GSI1');
-- start keys
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', exclusive_start_key => '{"PK": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}',
	exclusive_start_key => '{"PK": {"S": "a"}, "SK": {"S": "a"}, "x": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}',
	exclusive_start_key => '{"PK": {"S": "a"}, "SK": {"N": "1"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}',
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"S": "1"}}');
SELECT dynamo.query('tab', 'PK = :p AND SK > :p', '{":p": {"S": "a"}}',
	exclusive_start_key => '{"PK": {"S": "b"}, "SK": {"S": "1"}}');
SELECT dynamo.query('tab', 'PK = :p AND SK > :p', '{":p": {"S": "a"}}',
	exclusive_start_key => '{"PK": {"S": "a"}, "SK": {"S": "1"}}');
SELECT dynamo.query('hash', 'PK = :p', '{":p": {"S": "a"}}', exclusive_start_key => '{"PK": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', exclusive_start_key => '{"PK": {"S": "a"}, "SK": {"S": ""}}');
-- key attributes in filters and projections
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', filter_expression => 'SK = :p');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', filter_expression => 'x = :p AND PK.a = :p');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', projection_expression => 'SK.a');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', projection_expression => 'a, a');
-- only sharded indexes have shards
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', shard => 1);

-- additional information for SQL users
\set VERBOSITY default
SELECT dynamo.query('tab', 'PK = "a"');
SELECT dynamo.query('tab', 'PK = :p AND begins_with(SK, ''x'')', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', filter_expression => 'n > 5');
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}', filter_expression => 'Year > :p');
SELECT dynamo.query('tab', 'PK = :p AND amount > :p', '{":p": {"S": "a"}}');
SELECT dynamo.query('tab', 'PK = :p', 'a');
SELECT dynamo.set_attribute('{}', 'a', 'b');
\set VERBOSITY terse

-- the privileges are those of the table
SET client_min_messages = warning;
DROP ROLE IF EXISTS t_query_nobody;
CREATE ROLE t_query_nobody;
GRANT USAGE ON SCHEMA t_query_errors TO t_query_nobody;
SET ROLE t_query_nobody;
SELECT dynamo.query('tab', 'PK = :p', '{":p": {"S": "a"}}');
SELECT dynamo.scan('tab');
RESET ROLE;

DROP SCHEMA t_query_errors CASCADE;
DROP ROLE t_query_nobody;
