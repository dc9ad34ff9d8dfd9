-- item sizes by the service's rules, and sizes on disk
CREATE SCHEMA t_item_size;
SET search_path = t_item_size, dynamo;

-- one attribute "a": its name takes one byte
SELECT v, item_size(set_attribute('{}', 'a', v::value)) - 1 AS bytes FROM unnest(ARRAY[
	'{"S": ""}', '{"S": "abc"}', '{"S": "é€😀"}', '{"S": "\u0000"}', '{"B": ""}', '{"B": "AAEC"}', '{"BOOL": true}', '{"NULL": true}',
	'{"N": "0"}', '{"N": "1"}', '{"N": "-1"}', '{"N": "10"}', '{"N": "100"}', '{"N": "123"}', '{"N": "1234"}', '{"N": "12345"}',
	'{"N": "0.1"}', '{"N": "0.01"}', '{"N": "0.001"}', '{"N": "1.5"}', '{"N": "12.5"}', '{"N": "1e125"}', '{"N": "-1e-130"}',
	'{"N": "12345678901234567890123456789012345678"}', '{"N": "-1234567890123456789.0123456789012345678"}',
	'{"SS": ["a", "bc", ""]}', '{"NS": ["1", "100", "-5"]}', '{"BS": ["", "AAE="]}',
	'{"L": []}', '{"L": [{"S": "a"}, {"N": "1"}, {"L": []}]}', '{"M": {}}', '{"M": {"k": {"S": "a"}, "key": {"M": {}}}}']) v;

-- pairs of digits: ceil(d/2) + (d even and e even ? 1 : 0), for d digits and exponent e of the first
SELECT count(*) AS checked, count(*) FILTER (WHERE got <> expected) AS wrong FROM (
	SELECT item_size(build_item('a', (repeat('1', d) || 'e' || (e - d + 1))::numeric)) - 1 AS got,
		1 + ceil(d / 2.0) + CASE WHEN d % 2 = 0 AND e % 2 = 0 THEN 1 ELSE 0 END AS expected
	FROM generate_series(1, 38) d, generate_series(-20, 20) e) s;

-- the size of a name is its number of bytes
SELECT item_size('{}') AS none, item_size('{"é": {"S": "x"}, "long name": {"NULL": true}}') AS names;

-- a stored item is at most as large as jsonb of its plain form
SELECT pg_column_size(i) AS item, pg_column_size(i::jsonb) AS jsonb, pg_column_size(i) <= pg_column_size(i::jsonb) AS smaller
FROM (VALUES
	('{}'::item),
	(build_item('PK', 'CUSTOMER#12345', 'SK', 'ORDER#98765', 'order_date', '2023-10-27T10:00:00Z', 'total', 150.75)),
	('{"a": {"M": {"b": {"L": [{"N": "1"}, {"BOOL": true}, {"S": "x"}]}}}}'),
	(build_item('text', repeat('0123456789', 100))),
	(build_item('list', (SELECT array_agg(i) FROM generate_series(1, 1000) i)))) v(i);

-- large items: wide offset tables, compressed and out of line
CREATE TABLE t (i item);
INSERT INTO t SELECT build_item('n', n, 'map', (SELECT jsonb_object_agg('key' || i, repeat(md5(i::text), n)) FROM generate_series(1, n) i))
	FROM unnest(ARRAY[1, 5, 50, 100]) n;
SELECT (i ->> 'n')::int AS n, item_size(i), i = i::text::item AS same, i::jsonb::item = i AS same,
	i #>> '{map,key1}' = repeat(md5('1'), (i ->> 'n')::int) AS found FROM t;
ALTER TABLE t ALTER i SET STORAGE external;
UPDATE t SET i = i || '{}';
SELECT count(*) FROM t WHERE i #>> '{map,key1}' = repeat(md5('1'), (i -> 'n')::int);

SET client_min_messages = warning;
DROP SCHEMA t_item_size CASCADE;
