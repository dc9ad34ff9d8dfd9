-- text input and output of dynamo.item and dynamo.value
CREATE SCHEMA t_item_io;
SET search_path = t_item_io, dynamo;

-- all ten types; output is canonical
SELECT '{"s": {"S": "text"}, "n": {"N": "1.50"}, "b": {"B": "AQID"},
	"t": {"BOOL": true}, "f": {"BOOL": false}, "z": {"NULL": true},
	"l": {"L": [{"S": "a"}, {"N": "1"}, {"L": []}]},
	"m": {"M": {"y": {"S": "2"}, "x": {"S": "1"}}},
	"ss": {"SS": ["b", "a", ""]}, "ns": {"NS": ["10", "9", "-1", "0.5"]},
	"bs": {"BS": ["/w==", "", "AA=="]}}'::item;
SELECT '{}'::item, ' { } '::item, '{"S":"v"}'::value, '{"M":{"a":{"M":{}}}}'::value;

-- white space, empty strings and empty containers
SELECT E'\t{ "a" :\n{ "S" : "" } ,\r"b":{"B":""} ,"c":{"M":{}}, "d":{"L":[ ]}}'::item;

-- strings: escapes, surrogate pairs, U+0000, other control characters
SELECT '{"a": {"S": "q\" b\\ s\/ \b\f\n\r\t \u0000 \u001f \u007f \u00e9 \u20ac \ud83d\ude00"}}'::item;
SELECT '{"\u0061\"\n": {"S": "é € 😀 long enough for more than one word of eight bytes"}}'::item;

-- names are sorted by bytes; the last of two equal names wins
SELECT '{"b": {"S": "1"}, "a": {"S": "2"}, "B": {"S": "3"}, "ab": {"S": "4"}, "é": {"S": "5"}}'::item;
SELECT '{"a": {"S": "1"}, "b": {"S": "2"}, "a": {"N": "3"}}'::item;

-- a member with JSON null is absent
SELECT '{"a": null, "b": {"S": null, "N": "1"}}'::item;

-- strings that the service accepts as booleans
SELECT '{"a": {"BOOL": "true"}, "b": {"BOOL": "No"}, "c": {"NULL": "1"}}'::item;

-- output can be read as input
CREATE TABLE t (i item);
INSERT INTO t VALUES
	('{"k": {"S": "a"}, "l": {"L": [{"NS": ["1", "2"]}, {"M": {"x": {"NULL": true}}}]}}'),
	('{"k": {"S": "\u0000\\"}, "b": {"BS": ["AQ==", "AAEC"]}}');
SELECT i::text::item = i AS same FROM t;

-- escapes at every position of strings of many lengths, compared with PostgreSQL's JSON
SELECT count(*), count(*) FILTER (WHERE i::text <> '{"a": {"S": ' || to_json(s)::text || '}}') AS wrong,
	count(*) FILTER (WHERE i::text::item <> i) AS lost
FROM generate_series(0, 50) len, generate_series(0, 49) place,
	unnest(ARRAY['"', '\', E'\x01', E'\x1f', E'\n', ' ', '!', '#', '[', ']', '~', E'\x7f', 'é', '€']) c,
	overlay(repeat('x', len) PLACING c FROM place + 1) s, build_item('a', s) i
WHERE place < greatest(len, 1);

SET client_min_messages = warning;
DROP SCHEMA t_item_io CASCADE;
