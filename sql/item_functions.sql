-- functions that build items and take them apart
CREATE SCHEMA t_item_functions;
SET search_path = t_item_functions, dynamo;
SET TimeZone = 'UTC';

-- values from SQL data of any type
CREATE TYPE mood AS ENUM ('happy');
CREATE TYPE pair AS (x int, y text);
CREATE DOMAIN small AS int CHECK (VALUE < 10);
SELECT to_value('literal'), to_value('text'::text), to_value('c'::char(3)), to_value('v'::varchar), to_value('n'::name);
SELECT to_value(1::smallint), to_value(-7), to_value(9223372036854775807), to_value(1.50), to_value(0.1::float8),
	to_value(3::small);
SELECT to_value(true), to_value(NULL::int), to_value('\xff00'::bytea), to_value('happy'::mood);
SELECT to_value(date '2020-02-29'), to_value(timestamp '2020-02-29 12:34:56.7'), to_value(timestamptz '2020-02-29 12:00+02');
SELECT to_value('00000000-0000-0000-0000-000000000001'::uuid), to_value('[1,2)'::int4range);
SELECT to_value('{"a": [1]}'::jsonb), to_value('{"a": [1, null]}'::json);
SELECT to_value(ARRAY[1, NULL, 3]), to_value(ARRAY[['a', 'b'], ['c', 'd']]), to_value(ARRAY[]::int[]);
SELECT to_value(ROW(1, 'x', NULL)::record), to_value((1, 'y')::pair), to_value(ARRAY[(1, 'y')::pair]);
SELECT to_value('{"S": "x"}'::value), to_value('{"a": {"SS": ["x"]}}'::item), to_value(ARRAY['{"S": "x"}'::value]);

-- items from names and values
SELECT build_item('PK', 'USER#1', 'age', 42, 'tags', string_set('a', 'b'), 'none', NULL);
SELECT build_item(), build_item('a', 1, 'a', 2), build_item(VARIADIC ARRAY['a', 'x', 'b', 'y']);
SELECT build_item('a');
SELECT build_item(NULL, 1);
SELECT build_item('', 1);
SELECT build_item('x', build_item('y', ARRAY['NaN'::numeric]));

-- items from rows: a null column becomes no attribute
CREATE TABLE users (id text, name text, age int, address pair);
INSERT INTO users VALUES ('u1', 'Ann', NULL, (1, NULL)), ('u2', NULL, 5, NULL);
SELECT row_to_item(users) FROM users;
ALTER TABLE users DROP COLUMN name;
SELECT row_to_item(u) FROM (SELECT id AS "PK", age FROM users) u;
SELECT row_to_item(users) FROM users;
SELECT row_to_item(ROW()), row_to_item(NULL::users) IS NULL AS null;

-- setting and removing attributes
SELECT set_attribute('{"a": {"S": "1"}, "c": {"S": "3"}}', 'b', '{"N": "2"}');
SELECT set_attribute('{"a": {"S": "1"}, "c": {"S": "3"}}', 'a', to_value(5)), set_attribute('{}', 'z', NULL),
	set_attribute('{}', 'j', '[1]'::jsonb), set_attribute(NULL, 'a', '{"S": "x"}') IS NULL AS null;
SELECT set_attribute('{}', NULL, '{"S": "x"}');
SELECT set_attribute('{}', '', '{"S": "x"}');
SELECT set_attribute('{}', 'a', ('{"a": ' || repeat('{"L": [', 31) || repeat(']}', 31) || '}')::item);
SELECT remove_attribute('{"a": {"S": "1"}, "b": {"S": "2"}, "c": {"S": "3"}}', 'a', 'c', 'x'),
	remove_attribute('{"a": {"S": "1"}}', VARIADIC ARRAY['a']);

-- numbers are stored with all of their digits, whatever clients want to see
SET extra_float_digits = -5;
SELECT to_value(0.1::float8 + 0.2::float8), to_value(1.0::float8 / 3), to_value((1.0 / 3)::float4), to_value(ARRAY[1e22::float8, 1e-7, -0.0]), build_item('f', 123456789.123456789::float8);
RESET extra_float_digits;
SELECT to_value(0.1::float8 + 0.2::float8), to_value(1.0::float8 / 3), to_value((1.0 / 3)::float4), to_value(ARRAY[1e22::float8, 1e-7, -0.0]), build_item('f', 123456789.123456789::float8);
SELECT to_value('NaN'::float8);
SELECT to_value('-Infinity'::float4);

-- attributes as rows
SELECT * FROM each('{"b": {"N": "1"}, "a": {"SS": ["x"]}, "c": {"M": {"d": {"S": "y"}}}}');
SELECT attribute_names('{"b": {"N": "1"}, "a": {"S": "x"}}');
SELECT count(*) FROM each('{}');
SELECT id, name, value FROM (SELECT id, build_item('id', id, 'age', age) AS i FROM users) u, each(u.i) ORDER BY 1, 2;

-- the type of a value
SELECT string_agg(value_type(value), ' ' ORDER BY name) FROM each('{"a": {"S": ""}, "b": {"N": "1"}, "c": {"B": ""},
	"d": {"BOOL": true}, "e": {"NULL": true}, "f": {"L": []}, "g": {"M": {}}, "h": {"SS": ["x"]}, "i": {"NS": ["1"]},
	"j": {"BS": [""]}}');

SET client_min_messages = warning;
DROP SCHEMA t_item_functions CASCADE;
