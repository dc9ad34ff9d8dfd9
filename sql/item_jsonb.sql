-- plain JSON: casts between jsonb and items, and what is lost
CREATE SCHEMA t_item_jsonb;
SET search_path = t_item_jsonb, dynamo;

-- to an item, implicit: a function of an item accepts jsonb
SELECT '{"id": "a", "n": 1.50, "big": 12345678901234567890123456789012345678, "t": true, "f": false, "z": null,
	"l": [1, "x", [], {}], "m": {"a": {"b": [null]}}}'::jsonb::item;
SELECT item_size(jsonb_build_object('id', 'a', 'n', 1));
SELECT '"x"'::jsonb::value, '1'::jsonb::value, 'null'::jsonb::value, 'true'::jsonb::value, '[1, [2]]'::jsonb::value,
	'{}'::jsonb::value;

-- json is cast only on assignment
SELECT json_build_object('id', 'a', 'n', 1.50, 'n', 2)::item;
\set VERBOSITY terse
SELECT item_size(json_build_object('id', 'a'));
SELECT '{}'::json = '{}'::json;
\set VERBOSITY default
CREATE TABLE assigned (item item);
INSERT INTO assigned SELECT row_to_json(r) FROM (SELECT 'a' AS id, ARRAY[1, 2] AS l) r RETURNING item;

-- values that are not items
SELECT '[1]'::jsonb::item;
SELECT '"x"'::jsonb::item;
SELECT 'null'::jsonb::item;
SELECT '{"a": {"b": [1, 1e126]}}'::jsonb::item;
SELECT '{"a": [123456789012345678901234567890123456789]}'::jsonb::item;
SELECT '{"a": 1e-131}'::jsonb::item;
SELECT '{"a": {"": 1}}'::jsonb::item;
SELECT (repeat('[', 31) || repeat(']', 31))::jsonb::value IS NOT NULL AS legal;
SELECT (repeat('[', 32) || repeat(']', 32))::jsonb::value;

-- to jsonb, on assignment: sets become arrays, binary values base64
SELECT '{"s": {"S": "é\""}, "n": {"N": "1.50"}, "b": {"B": "AQID"}, "t": {"BOOL": true}, "z": {"NULL": true},
	"l": {"L": [{"S": "x"}, {"L": []}, {"M": {}}]}, "m": {"M": {"k": {"N": "-1e-3"}}},
	"ss": {"SS": ["b", "a"]}, "ns": {"NS": ["2", "1"]}, "bs": {"BS": ["AQ=="]}}'::item::jsonb;
SELECT '{"S": "x"}'::value::jsonb, '{"N": "1"}'::value::jsonb, '{"NULL": true}'::value::jsonb,
	'{"B": "AQ=="}'::value::jsonb, '{"SS": ["x"]}'::value::jsonb, '{"M": {"a": {"BOOL": false}}}'::value::jsonb;
CREATE TABLE plain (j jsonb);
INSERT INTO plain SELECT '{"a": {"S": "x"}}'::item;
SELECT * FROM plain;

-- plain JSON does not change in both directions
SELECT j::item::jsonb = j AS same FROM (VALUES
	('{}'::jsonb), ('{"a": [1, 2.5, "x", null, true, {"b": {}}], "zz": "", "b": {"a": 1}}'), ('{"é": "😀"}')) v(j);

-- U+0000 is valid in an item, but not in jsonb and text
SELECT '{"a": {"S": "x\u0000y"}}'::item::jsonb;
SELECT '{"a\u0000": {"S": "x"}}'::item::jsonb;
SELECT '{"a": {"S": "x\u0000y"}}'::item ->> 'a';
SELECT attribute_names('{"a\u0000": {"S": "x"}}');

SET client_min_messages = warning;
DROP SCHEMA t_item_jsonb CASCADE;
