-- Errors of functions that name a parameter as requests do ('indexName') name it in SQL's words in the hint
CREATE SCHEMA t_error_words;
SET search_path = t_error_words, dynamo, public;
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SELECT create_table('tab', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}]');
SELECT put_item('tab', '{"pk": {"S": "a"}, "sk": {"S": "b"}, "g": {"S": "c"}}') IS NULL;

-- values that make sense, and bad ones, by the parameter's name or type
CREATE TABLE good_value (name text, value text);
INSERT INTO good_value VALUES ('table_name', 'tab'), ('index_name', 'new'), ('key', '{"pk": {"S": "a"}, "sk": {"S": "b"}}'), ('item', '{"pk": {"S": "a"}, "sk": {"S": "b"}}'),
	('partition_key', 'pk'), ('sort_key', 'sk'), ('update_expression', 'SET a = :a'), ('expression_attribute_values', '{":a": {"S": "x"}}'),
	('key_condition_expression', 'pk = :a'), ('attribute_name', 'ttl'), ('pattern_name', 'p'), ('entity_name', 'e');
CREATE TABLE bad_value (type regtype, value text);
INSERT INTO bad_value SELECT 'text', v FROM unnest(ARRAY['', 'x', 'no', 'bad!name', repeat('x', 300), 'INVALID', '#a = :b', 'a.b', '{}', '0']) v;
INSERT INTO bad_value SELECT 'text[]', v FROM unnest(ARRAY['{}', '{x}', '{"",a}', '{a,a,a,a,a}', '{bad!name}']) v;
INSERT INTO bad_value SELECT t::regtype, v FROM unnest('{int4,int8}'::text[]) t, unnest(ARRAY['-1', '0', '2147483647']) v;
INSERT INTO bad_value SELECT t::regtype, v FROM unnest('{json,jsonb}'::text[]) t, unnest(ARRAY['{}', '[]', '"x"', '1', '[{}]', '[{"index_name": "a b"}]',
	'[{"index_name": "i", "partition_key": "pk", "projection": "x"}]', '[{"index_name": "i", "partition_key": "pk", "sort_key": "pk"}]', '[1]', '{"x": 1}']) v;
INSERT INTO bad_value SELECT 'dynamo.item', v FROM unnest(ARRAY['{}', '{"pk": {"N": "1"}}', '{"pk": {"S": ""}}', '{":a": {"S": "x"}}', '{"x": {"NULL": true}}']) v;
INSERT INTO bad_value SELECT 'dynamo.item[]', v FROM unnest(ARRAY['{}', '{NULL}', '{"{}"}']) v;
INSERT INTO bad_value VALUES ('dynamo.value', '{"NULL": true}'), ('dynamo.value', '{"S": ""}'), ('regclass', 'pg_class'), ('float8', '-1');

CREATE TABLE said (function text, sqlstate text, message text, hint text, names text[]);
-- calls a function with some arguments, and undoes what it did
CREATE PROCEDURE call(function regprocedure, names text[], types oid[], vals text[]) LANGUAGE plpgsql AS $$
DECLARE
	message text;
	hint text;
	list text;
BEGIN
	SELECT string_agg(format('%I => %L::%s', n, v, format_type(t, NULL)), ', ') INTO list FROM unnest(names, types, vals) u(n, t, v) WHERE v IS NOT NULL;
	BEGIN
		EXECUTE format('SELECT %s(%s)', (SELECT format('%I.%I', pronamespace::regnamespace, proname) FROM pg_proc WHERE oid = function), list);
		RAISE EXCEPTION USING ERRCODE = 'XX999';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
		IF SQLSTATE NOT IN ('XX999', '42883') THEN
			INSERT INTO said VALUES (function::text, SQLSTATE, message, hint, names);
		END IF;
	END;
END $$;

DO $$
DECLARE
	p record;
	b record;
	good text[];
BEGIN
	FOR p IN SELECT oid::regprocedure AS function, proargnames[1:pronargs] AS names, proargtypes::oid[] AS types FROM pg_proc
		WHERE pronamespace = 'dynamo'::regnamespace AND prokind = 'f' AND pronargs > 0 AND proargnames IS NOT NULL
			AND proname NOT IN ('request', 'request_safe', 'create_access_key') ORDER BY oid LOOP
		SELECT array_agg(g.value ORDER BY i) INTO good FROM unnest(p.names) WITH ORDINALITY n(name, i) LEFT JOIN good_value g USING (name);
		FOR b IN SELECT i, value FROM unnest(p.types) WITH ORDINALITY t(type, i) JOIN bad_value v ON v.type = t.type::regtype LOOP
			CALL call(p.function, p.names, p.types, good[:b.i - 1] || ARRAY[b.value] || good[b.i + 1:]);
		END LOOP;
	END LOOP;
END $$;
SELECT count(*) > 1000, count(DISTINCT function) > 80, bool_or(message ~ '''indexName''') FROM said;

-- a name in quotes that a parameter of the function has in SQL's words, or a part of it
CREATE FUNCTION in_words_of_sql(name text) RETURNS text LANGUAGE sql AS $$ SELECT lower(regexp_replace(name, '([A-Z])', '_\1', 'g')) $$;
SELECT DISTINCT function, left(message, 200), hint FROM said, LATERAL regexp_matches(message, '\m[a-z]+[A-Z][A-Za-z]*\M', 'g') m(words), unnest(words) word
WHERE COALESCE(hint, '') !~ ('\m(' || in_words_of_sql(word) || '|' || (SELECT string_agg(DISTINCT n, '|') FROM unnest(names) n WHERE in_words_of_sql(word) ~ n) || ')\M')
	AND EXISTS (SELECT FROM unnest(names) n WHERE in_words_of_sql(word) ~ n) ORDER BY 1, 2;
-- what a hint calls a parameter is one, or a member of an index in a list
SELECT DISTINCT function, hint FROM said, LATERAL regexp_match(hint, 'It is the parameter "(\w+)"') m(words) WHERE words IS NOT NULL AND words[1] <> ALL (names || CASE WHEN 'indexes' = ANY (names) THEN '{index_name}'::text[] END);

DROP SCHEMA t_error_words CASCADE;
