-- The extension's own statements with settings that change the meaning of statements
CREATE SCHEMA t_settings;
SET search_path = t_settings;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on

-- a backslash is an escape: DDL of all objects
-- (which PostgreSQL 19 refuses)
DO $$ BEGIN SET standard_conforming_strings = off; EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL; END $$;
CREATE TABLE plain (i int);
CREATE INDEX plain_i ON plain (i);
CREATE VIEW view AS TABLE plain;
ALTER TABLE plain ADD j int;
DROP INDEX plain_i;
DROP VIEW view;
DROP TABLE plain;
CREATE SCHEMA t_settings_2;
DROP SCHEMA t_settings_2;
-- names and texts with backslashes and quotes, which become parts of statements
SELECT dynamo.create_table('odd', $$P'K\$$, 'SK', indexes => $$[
	{"index_name": "near", "partition_key": "G\\'"}, {"index_name": "far", "partition_key": "G\\'", "storage": "table"}]$$);
SELECT dynamo.enable_stream('odd') IS NOT NULL;
SELECT dynamo.update_time_to_live('odd', $$t'\$$);
SELECT dynamo.create_entity('odd', $$e\'$$, $${"SK": "A#\\{a\\'}", "G\\'": "{n\\'}"}$$, $${"a\\'": "int", "n\\'": "text"}$$,
	type_attribute => $$T\$$, type_value => $$'\$$, index_conditions => $${"near": "#n <> :v"}$$,
	expression_attribute_names => $${"#n": "n\\'"}$$, expression_attribute_values => $${":v": {"S": "'\\"}}$$, view_name => 'odd_view');
INSERT INTO odd_view VALUES ($$\'$$, DEFAULT, 1) RETURNING *;
SELECT dynamo.add_unique_constraint('odd', $$u\'$$, ARRAY[$$u\'$$], key_prefix => $${"P'K\\": "\\"}$$);
SELECT dynamo.put_item('odd', $${"P'K\\": {"S": "\\'"}, "SK": {"S": "'"}, "G\\'": {"S": "\\"}}$$);
SET dynamo.direct_access = off;
SELECT dynamo.query('odd', '#g = :g', $${":g": {"S": "\\"}}$$, $${"#g": "G\\'"}$$, 'far');
SELECT dynamo.verify_index('odd', 'near'), dynamo.verify_index('odd', 'far');
RESET dynamo.direct_access;
ALTER TABLE odd RENAME TO "\";
SELECT table_name, indexes FROM dynamo.tables WHERE schema_name = 't_settings';
SELECT table_name, status FROM dynamo.streams WHERE schema_name = 't_settings';
DROP TABLE "\" CASCADE;
SELECT table_name, status FROM dynamo.streams WHERE schema_name = 't_settings';
DROP SCHEMA t_settings CASCADE;
