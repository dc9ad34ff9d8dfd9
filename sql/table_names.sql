-- The table of a name is looked up again whenever it may have changed
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_names, t_names_a, t_names_b CASCADE;
DROP ROLE IF EXISTS names_user;
RESET client_min_messages;
CREATE SCHEMA t_names;
CREATE SCHEMA t_names_a;
CREATE SCHEMA t_names_b;
CREATE FUNCTION t_names.where_is(name text) RETURNS text LANGUAGE sql
	AS $$ SELECT dynamo.get_item(name, '{"id": {"S": "x"}}') OPERATOR(dynamo.->>) 'at' $$;
CREATE FUNCTION t_names.where_is_b(name text) RETURNS text LANGUAGE sql SET search_path = t_names_b
	AS $$ SELECT dynamo.get_item(name, '{"id": {"S": "x"}}') OPERATOR(dynamo.->>) 'at' $$;
CREATE FUNCTION t_names.add(schema text, name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('search_path', schema, true);
	PERFORM dynamo.create_table(name, 'id');
	PERFORM dynamo.put_item(name, jsonb_build_object('id', 'x', 'at', schema));
END $$;
SELECT FROM t_names.add('t_names_b', 'tab');
SET search_path = t_names_a, t_names_b;
SELECT t_names.where_is('tab');
-- another table in an earlier schema: rolled back, created, dropped
BEGIN;
SELECT FROM t_names.add('t_names_a', 'tab');
SET LOCAL search_path = t_names_a, t_names_b;
SELECT t_names.where_is('tab');
ROLLBACK;
SELECT t_names.where_is('tab');
SELECT FROM t_names.add('t_names_a', 'tab');
SELECT t_names.where_is('tab'), t_names.where_is_b('tab'), t_names.where_is('tab'), t_names.where_is('t_names_b.tab');
ALTER TABLE t_names_a.tab RENAME TO other;
SELECT t_names.where_is('tab'), t_names.where_is('other');
ALTER TABLE t_names_a.other RENAME TO tab;
SELECT t_names.where_is('tab');
SET search_path = t_names_b, t_names_a;
SELECT t_names.where_is('tab');
SET search_path = t_names_a, t_names_b;
-- a temporary table comes first
CREATE TEMPORARY TABLE tab (LIKE t_names_a.tab);
SELECT t_names.where_is('tab');
DROP TABLE pg_temp.tab;
SELECT t_names.where_is('tab');
-- a renamed schema, and a schema that may not be used
ALTER SCHEMA t_names_b RENAME TO t_names_c;
SELECT t_names.where_is('tab'), t_names.where_is_b('tab');
ALTER SCHEMA t_names_c RENAME TO t_names_b;
CREATE ROLE names_user;
GRANT USAGE ON SCHEMA t_names, t_names_a, t_names_b TO names_user;
GRANT SELECT ON t_names_a.tab, t_names_b.tab TO names_user;
SET ROLE names_user;
SELECT t_names.where_is('tab');
RESET ROLE;
REVOKE USAGE ON SCHEMA t_names_a FROM names_user;
SET ROLE names_user;
SELECT t_names.where_is('tab');
RESET ROLE;
SELECT t_names.where_is('tab');
-- names of indexes and composite types are not tables
CREATE TYPE t_names_a.composite AS (a int);
SELECT name, operation, dynamo.request_safe(operation, json_build_object('TableName', name, 'Key', '{"id": {"S": "a"}}'::json)) ->> 'status' AS status
	FROM unnest(ARRAY['tab_pkey', 't_names_a.tab_pkey', 'composite']) name, unnest(ARRAY['DescribeTable', 'GetItem']) operation;
SELECT t_names.where_is('tab_pkey');
-- more names than are remembered
SELECT FROM generate_series(1, 12) n, t_names.add('t_names_a', 'tab' || n);
SELECT count(t_names.where_is('tab' || n % 12 + 1)) FROM generate_series(1, 50) n;
DROP TABLE t_names_a.tab;
SELECT t_names.where_is('tab');
DROP TABLE t_names_b.tab;
SELECT t_names.where_is('tab');

SET client_min_messages = warning;
DROP SCHEMA t_names, t_names_a, t_names_b CASCADE;
DROP ROLE names_user;
