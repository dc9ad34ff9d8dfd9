-- invalid text: every error contains the reason and the position
CREATE SCHEMA t_item_errors;
SET search_path = t_item_errors, dynamo;
-- message, detail, hint and SQLSTATE, without the line of the function
CREATE FUNCTION try(t text, type text DEFAULT 'item') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	m text; d text; h text;
BEGIN
	EXECUTE format('SELECT %L::dynamo.%I', t, type);
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ' ' || m, nullif(d, ''),
					 CASE WHEN h LIKE '%cast from jsonb%' THEN '(hint at jsonb)' ELSE nullif(h, '') END);
END $$;
\pset format unaligned
\pset tuples_only

-- invalid JSON
SELECT try('');
SELECT try('   ');
SELECT try('{');
SELECT try('{"a"');
SELECT try('{"a": {"S": "x"}');
SELECT try('{"a": {"S": "x"}} x');
SELECT try('{"a": {"S": "x"},}');
SELECT try('{"a": {"S": "x"} "b": {"S": "y"}}');
SELECT try('{a: {"S": "x"}}');
SELECT try('{"a": {"S": tru}}');
SELECT try('{"a": {"BOOL": tru}}');
SELECT try('{"a": {"S": "x');
SELECT try('{"a": {"S": "x\');
SELECT try(E'{"a": {"S": "x\ny"}}');
SELECT try('{"a": {"S": "\x"}}');
SELECT try('{"a": {"S": "\u12g4"}}');
SELECT try('{"a": {"S": "\u12');
SELECT try('{"a": {"S": "\ud800"}}');
SELECT try('{"a": {"S": "\ud800\u0041"}}');
SELECT try('{"a": {"S": "\udc00"}}');
SELECT try('{"a": {"L": [{"S": "x"},]}}');
SELECT try('{"a": {"L": [{"S": "x"}');
SELECT try('é');

-- plain JSON and JSON of the wrong form
SELECT try('"text"');
SELECT try('[1, 2]');
SELECT try('{"id": "a", "n": 1}');
SELECT try('{"id": {"S": "a"}, "n": 1}');
SELECT try('{"id": {"S": "a"}, "l": [1]}');
SELECT try('{"id": {"name": "x"}}');
SELECT try('{"a": {"S": 1}}');
SELECT try('{"a": {"S": 1.5}}');
SELECT try('{"a": {"S": true}}');
SELECT try('{"a": {"N": 1}}');
SELECT try('{"a": {"N": ["1"]}}');
SELECT try('{"a": {"S": {}}}');
SELECT try('{"a": {"BOOL": "maybe"}}');
SELECT try('{"a": {"BOOL": 1}}');
SELECT try('{"a": {"L": "x"}}');
SELECT try('{"a": {"L": {}}}');
SELECT try('{"a": {"M": []}}');
SELECT try('{"a": {"M": "x"}}');
SELECT try('{"a": {"SS": "x"}}');
SELECT try('{"a": {"SS": ["x", 1]}}');
SELECT try('{"a": {"L": [{"S": "x"}, null]}}');

-- attribute values
SELECT try('{"a": {}}');
SELECT try('{"a": {"S": null}}');
SELECT try('{"a": {"S": "x", "N": "1"}}');
SELECT try('{"a": {"s": "x"}}');
SELECT try('{"a": {"NULL": false}}');
SELECT try('{"": {"S": "x"}}');
SELECT try('{"a": {"M": {"b": {"L": [{"S": "x"}, {"M": {"c": {"N": "x"}}}]}}}}');
SELECT try('{}', 'value');
SELECT try('{"S": "x", "SS": ["x"]}', 'value');
SELECT try('{"L": [{"N": ""}]}', 'value');

-- base64
SELECT try('{"a": {"B": "AQI"}}');
SELECT try('{"a": {"B": "AQJ="}}');
SELECT try('{"a": {"B": "AR=="}}');
SELECT try('{"a": {"B": "A Q="}}');
SELECT try('{"a": {"B": "A==="}}');
SELECT try('{"a": {"B": "AQ==AQ=="}}');
SELECT try('{"a": {"B": 1}}');
SELECT try('{"a": {"B": []}}');

-- names of 65535 and of 65536 bytes
SELECT try('{"' || repeat('n', 65535) || '": {"S": "x"}}');
SELECT left(try('{"' || repeat('n', 65536) || '": {"S": "x"}}'), 120);

-- 32 levels of maps and lists including the item are the limit; sets do not count
SELECT try('{"a": ' || repeat('{"L": [', 31) || '{"SS": ["x"]}' || repeat(']}', 31) || '}');
SELECT try('{"a": ' || repeat('{"L": [', 32) || repeat(']}', 32) || '}');
SELECT try(repeat('{"M": {"a": ', 31) || '{"S": "x"}' || repeat('}}', 31), 'value');
SELECT try(repeat('{"M": {"a": ', 32) || '{"S": "x"}' || repeat('}}', 32), 'value');
SELECT try(repeat('{"M": {"a": ', 100000), 'value');
SELECT try(repeat('[', 100000));

-- soft errors (pg_input_is_valid, COPY ... ON_ERROR) are the same; PostgreSQL has them since 16
CREATE FUNCTION soft(t text, type text DEFAULT 'item') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r text;
BEGIN
	IF current_setting('server_version_num')::int < 160000 THEN
		RETURN split_part(try(t, type), E'\n', 1);
	END IF;
	EXECUTE 'SELECT sql_error_code || '' '' || message FROM pg_input_error_info($1, $2)' INTO r USING t, 'dynamo.' || type;
	RETURN coalesce(r, 'accepted');
END $$;
SELECT soft('{"a": {"S": "x"}}');
SELECT soft('{"a": {"S": "x"}');
SELECT soft('{"a": "x"}');
SELECT soft('{"a": {"N": "x"}}');
SELECT soft('{"NS": []}', 'value');
SELECT soft('{"NS": ["1"]}', 'value');
SELECT soft(repeat('{"M": {"a": ', 100000), 'value');
-- the first of several problems, however deep the value is
SELECT split_part(try(repeat('{"S": "a", "L": [{"NS": ["x"]}, ', n) || '{}' || repeat(']}', n), 'value'), E'\n', 1) FROM unnest(ARRAY[1, 31, 200, 100000]) n;

\pset tuples_only
\pset format aligned
-- how a user sees an error
SELECT '{"PK": "a"}'::item;

SET client_min_messages = warning;
DROP SCHEMA t_item_errors CASCADE;
