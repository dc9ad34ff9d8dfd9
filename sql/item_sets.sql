-- sets: unique members, order, equality
CREATE SCHEMA t_item_sets;
SET search_path = t_item_sets, dynamo;

-- members are returned in order: by bytes for SS and BS, by value for NS
SELECT '{"SS": ["b", "", "a", "B", "é", "ab"]}'::value;
SELECT '{"NS": ["10", "9", "-1", "1e-3", "0", "-10", "1e3"]}'::value;
SELECT '{"BS": ["/w==", "AA==", "", "AAE="]}'::value;
-- empty members are allowed, alone or mixed
SELECT '{"SS": [""]}'::value, '{"BS": [""]}'::value;

-- empty sets, duplicates and wrong members are errors
SELECT '{"a": {"SS": []}}'::item;
SELECT '{"a": {"NS": []}}'::item;
SELECT '{"a": {"BS": []}}'::item;
SELECT '{"a": {"SS": ["a", "b", "a"]}}'::item;
SELECT '{"a": {"BS": ["AQ==", "AQ=="]}}'::item;
SELECT '{"a": {"NS": ["1", "2", "1"]}}'::item;
SELECT '{"NS": ["1", "1.0"]}'::value;
SELECT '{"NS": ["1", ""]}'::value;
SELECT '{"NS": ["1", "x"]}'::value;
SELECT '{"a": {"M": {"b": {"SS": ["x", "x"]}}}}'::item;

-- equality ignores the order of members, also in nested sets
SELECT '{"SS": ["a", "b"]}'::value = '{"SS": ["b", "a"]}'::value AS eq,
	'{"L": [{"NS": ["1", "2"]}]}'::value = '{"L": [{"NS": ["2.0", "1"]}]}'::value AS eq,
	'{"SS": ["a"]}'::value = '{"SS": ["a", "b"]}'::value AS different,
	'{"L": [{"S": "a"}]}'::value = '{"SS": ["a"]}'::value AS different;

-- constructors
SELECT string_set('b', 'a'), number_set(2, 1.50, -1), binary_set('\x02', '\x01');
SELECT string_set(VARIADIC ARRAY['x', 'y']), number_set(VARIADIC ARRAY[3, 1]::int[]);
SELECT string_set('a', 'a');
SELECT number_set(1, 1.0);
SELECT string_set('a', NULL);
SELECT string_set(VARIADIC ARRAY[]::text[]);
SELECT number_set('NaN');

-- a large set, from unsorted members
SELECT count(*), min((m.e #>> '{}')::int), max((m.e #>> '{}')::int), bool_and(m.i = (m.e #>> '{}')::int) AS in_order
FROM jsonb_array_elements(number_set(VARIADIC ARRAY(SELECT (i * 7919) % 10007 FROM generate_series(1, 10006) i))::jsonb)
	WITH ORDINALITY m(e, i);

SET client_min_messages = warning;
DROP SCHEMA t_item_sets CASCADE;
