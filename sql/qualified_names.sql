-- What a name with a dot or with quotes means, and that no stranger changes it
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_q, t_q_open, t_qv, "t_qv.a", t_q_later CASCADE;
DROP ROLE IF EXISTS q_stranger;
CREATE ROLE q_stranger;
CREATE SCHEMA t_q;
CREATE SCHEMA t_q_open;
GRANT CREATE, USAGE ON SCHEMA t_q_open TO q_stranger;
CREATE SCHEMA t_qv;
CREATE FUNCTION t_q.means(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT concat(c.relnamespace::regnamespace, ' ', c.relname) FROM pg_class c WHERE c.oid = dynamo.table_relation(name));
EXCEPTION WHEN OTHERS THEN
	RETURN concat(SQLSTATE, ' ', SQLERRM);
END $$;
\pset format unaligned
\pset tuples_only on
-- each combination: the table of the schema; one with the whole name in no schema of the
-- search path, in a closed one, in an open one, or temporary
CREATE FUNCTION t_q.combine(in_schema boolean, plain text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	SET LOCAL search_path = t_q_open, t_q;
	IF in_schema THEN CREATE TABLE t_qv.shop (id int); END IF;
	IF plain = 'closed' THEN CREATE TABLE t_q."t_qv.shop" (id int); END IF;
	IF plain = 'open' THEN CREATE TABLE t_q_open."t_qv.shop" (id int); END IF;
	IF plain = 'temporary' THEN CREATE TEMPORARY TABLE "t_qv.shop" (id int); END IF;
	result := concat(t_q.means('t_qv.shop'), E'\n    quoted: ', t_q.means('"t_qv.shop"'), ' | ', t_q.means('t_qv."shop"'), ' | ', t_q.means('"t_qv"."shop"'));
	DROP TABLE IF EXISTS t_qv.shop, t_q."t_qv.shop", t_q_open."t_qv.shop", pg_temp."t_qv.shop";
	RETURN replace(result, pg_my_temp_schema()::regnamespace::text, 'temporary');
END $$;
CREATE TEMPORARY TABLE makes_the_schema (a int);
SELECT format('schema %s, plain %s: %s', s, p, t_q.combine(s, p)) FROM unnest('{f,t}'::boolean[]) s, unnest('{none,closed,open,temporary}'::text[]) WITH ORDINALITY p(p, n) ORDER BY s, n;
-- no schema of the name: nothing else can be meant, but a temporary table
SET search_path = t_q_open, t_q;
CREATE TABLE t_q."nowhere.shop" (id int);
CREATE TEMPORARY TABLE "nowhere.shop" (id int);
SELECT t_q.means('nowhere.shop'), replace(t_q.means('"nowhere.shop"'), pg_my_temp_schema()::regnamespace::text, 'temporary');
SELECT t_q.means('nowhere.other');
DROP TABLE pg_temp."nowhere.shop";
-- the schema is made later, by whoever may: the name is refused
CREATE SCHEMA nowhere;
SELECT t_q.means('nowhere.shop'), t_q.means('"nowhere.shop"');
CREATE TABLE nowhere.shop (id int);
SELECT t_q.means('nowhere.shop'), t_q.means('nowhere."shop"');
DROP SCHEMA nowhere CASCADE;
SELECT t_q.means('nowhere.shop');
-- two schemas fit
CREATE SCHEMA "t_qv.a";
CREATE TABLE t_qv."a.b" (id int);
CREATE TABLE "t_qv.a".b (id int);
SELECT t_q.means('t_qv.a.b'), t_q.means('t_qv."a.b"'), t_q.means('"t_qv.a".b'), t_q.means('"t_qv.a"."b"');
DROP SCHEMA "t_qv.a" CASCADE;
SELECT t_q.means('t_qv.a.b');
-- temporary tables are found by their schema, if it is given, and never for another one
CREATE TABLE t_qv.shop (id int);
CREATE TEMPORARY TABLE shop (id int);
SELECT replace(t_q.means('pg_temp.shop'), pg_my_temp_schema()::regnamespace::text, 'temporary'), t_q.means('t_qv.shop'), t_q.means('pg_temp.none');
DROP TABLE pg_temp.shop;
-- the right to use the schema is not what tells schemas
SET ROLE q_stranger;
SELECT t_q.means('t_qv.shop');
RESET ROLE;
GRANT USAGE ON SCHEMA t_q TO q_stranger;
SET ROLE q_stranger;
SELECT t_q.means('t_qv.shop'), t_q.means('"t_qv"."shop"'), t_q.means('t_qv.none');
RESET ROLE;
-- forms
SELECT t_q.means(n) FROM unnest(ARRAY['"', '""', '"shop', 'shop"', 'a"b', '"a"b', '"a".', '.', '..', '.shop', 't_qv.', 't_qv..shop', '"t_qv"."shop"."x"', 'a.b."c"', E'\001' || '1259']) n;
CREATE TABLE t_qv."we""ird. ""name" (id int);
SELECT t_q.means('t_qv."we""ird. ""name"'), t_q.means('"t_qv"."we""ird. ""name"');
-- names are case-sensitive with and without quotes
SELECT t_q.means('T_QV.shop'), t_q.means('t_qv.Shop'), t_q.means('t_qv."Shop"');
-- long names are mapped in a schema, too
SELECT dynamo.create_table('t_qv.' || repeat('long', 20), 'id') IS NOT NULL, t_q.means('t_qv.' || repeat('long', 20)), t_q.means(format('"t_qv"."%s"', repeat('long', 20)));

-- ---- creating ----
SET search_path = t_q_open, t_q;
SELECT dynamo.create_table('t_qv.made', 'id'), dynamo.create_table('"t_qv.made"', 'id'), dynamo.create_table('t_qv."made.twice"', 'id'), dynamo.create_table('none.made', 'id');
SELECT t_q.means('t_qv.made'), t_q.means('"t_qv.made"'), t_q.means('t_qv."made.twice"'), t_q.means('none.made');
SELECT dynamo.create_table('t_qv.made', 'id');
SET ROLE q_stranger;
SELECT dynamo.create_table('t_qv.theirs', 'id');
RESET ROLE;
SELECT dynamo.create_table('pg_temp.made', 'id') IS NOT NULL, t_q.means('t_qv.made');
DROP TABLE pg_temp.made;
CREATE SCHEMA "t_qv.a";
SELECT dynamo.create_table('t_qv.a.made', 'id');
SELECT dynamo.create_table('t_qv."a.made"', 'id');
-- ---- lists show what requests find ----
SET search_path = t_q_open, t_q, t_qv;
SELECT dynamo.request('ListTables', '{}');
-- ---- a stranger can neither take nor withdraw a name ----
SELECT dynamo.create_table('t_qv.kept', 'id');
SET ROLE q_stranger;
SET search_path = t_q_open;
SELECT dynamo.create_table('"t_qv.kept"', 'id');
CREATE FUNCTION t_q_open.evil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of a stranger runs as %', current_user; RETURN NEW; END $$;
CREATE TRIGGER evil BEFORE INSERT ON t_q_open."t_qv.kept" FOR EACH ROW EXECUTE FUNCTION t_q_open.evil();
RESET ROLE;
SET search_path = t_q_open, t_q;
SELECT dynamo.put_item('t_qv.kept', '{"id": {"S": "a"}}') IS NULL, dynamo.request('PutItem', '{"TableName": "t_qv.kept", "Item": {"id": {"S": "b"}}}');
SELECT count(*) FROM t_qv.kept;
SELECT dynamo.drop_table('t_qv.kept');
SELECT dynamo.get_item('t_qv.kept', '{"id": {"S": "a"}}');
SELECT dynamo.request_safe('GetItem', '{"TableName": "t_qv.kept", "Key": {"id": {"S": "a"}}}') ->> 'status';
SET client_min_messages = warning;
DROP SCHEMA t_q, t_q_open, t_qv, "t_qv.a" CASCADE;
DROP ROLE q_stranger;
