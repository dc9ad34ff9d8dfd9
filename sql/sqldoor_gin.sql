-- containment of items, and the GIN operator class
CREATE SCHEMA t_gin;
SET search_path = t_gin, dynamo;

-- containment of all kinds of values
SELECT a, b, a::item @> b::item AS contains, b::item <@ a::item AS commuted
FROM (VALUES
	('{"a": {"S": "x"}, "b": {"N": "1"}}', '{}'),
	('{}', '{"a": {"S": "x"}}'),
	('{"a": {"S": "x"}, "b": {"N": "1"}}', '{"b": {"N": "1.0"}}'),
	('{"a": {"S": "1"}}', '{"a": {"N": "1"}}'),
	('{"a": {"BOOL": true}}', '{"a": {"BOOL": false}}'),
	('{"a": {"NULL": true}}', '{"a": {"NULL": true}}'),
	('{"m": {"M": {"x": {"S": "1"}, "y": {"S": "2"}}}}', '{"m": {"M": {"y": {"S": "2"}}}}'),
	('{"m": {"M": {"x": {"S": "1"}}}}', '{"m": {"M": {}}}'),
	('{"m": {"L": []}}', '{"m": {"M": {}}}'),
	('{"l": {"L": [{"S": "a"}, {"M": {"k": {"N": "1"}, "n": {"N": "2"}}}]}}', '{"l": {"L": [{"M": {"n": {"N": "2"}}}]}}'),
	('{"l": {"L": [{"S": "a"}]}}', '{"l": {"L": [{"S": "a"}, {"S": "a"}]}}'),
	('{"l": {"L": [{"S": "a"}]}}', '{"l": {"S": "a"}}'),
	('{"s": {"SS": ["a", "b", "c"]}}', '{"s": {"SS": ["c", "a"]}}'),
	('{"s": {"SS": ["a", "b"]}}', '{"s": {"SS": ["a", "d"]}}'),
	('{"s": {"NS": ["1", "2"]}}', '{"s": {"NS": ["2.0"]}}'),
	('{"s": {"SS": ["1"]}}', '{"s": {"NS": ["1"]}}'),
	('{"b": {"B": "AQI="}}', '{"b": {"B": "AQI="}}')) v(a, b);

SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'item_gin_ops';

-- the index returns the same rows as a scan
CREATE TABLE items (id int, item item);
INSERT INTO items SELECT i, build_item('id', i, 'status', (ARRAY['open', 'paid', 'sent'])[1 + i % 3],
	'address', build_item('city', 'city' || i % 20, 'lines', jsonb_build_array('l' || i % 7, i % 5)),
	'flag', i % 2 = 0, 'tags', string_set('t' || i % 11, 'u' || i % 13))
	|| CASE WHEN i % 10 = 0 THEN build_item('rare', 'x', 'empty', build_item()) ELSE build_item() END
FROM generate_series(1, 1000) i;
INSERT INTO items VALUES (0, NULL), (-1, '{}');
CREATE TABLE searches AS SELECT row_number() OVER () AS n, s::item FROM (VALUES
	('{}'), ('{"status": {"S": "open"}}'), ('{"status": {"S": "none"}}'), ('{"id": {"N": "7"}}'),
	('{"flag": {"BOOL": true}, "status": {"S": "paid"}}'), ('{"address": {"M": {"city": {"S": "city3"}}}}'),
	('{"address": {"M": {"lines": {"L": [{"N": "2"}]}}}}'), ('{"address": {"M": {"lines": {"L": [{"N": "2"}, {"S": "l3"}]}}}}'),
	('{"tags": {"SS": ["t3"]}}'), ('{"tags": {"SS": ["t3", "u4"]}}'), ('{"tags": {"L": [{"S": "t3"}]}}'),
	('{"empty": {"M": {}}}'), ('{"address": {"M": {}}}'), ('{"rare": {"S": "x"}, "flag": {"BOOL": false}}'),
	('{"city": {"S": "city3"}}')) v(s);
CREATE TABLE by_scan AS SELECT n, count(id) AS found, sum(id) FROM searches LEFT JOIN items ON item @> s GROUP BY n;
CREATE INDEX items_gin ON items USING gin (item);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM items WHERE item @> '{"status": {"S": "open"}}';
EXPLAIN (COSTS OFF) SELECT id FROM items WHERE item ? 'rare';
CREATE FUNCTION search(s item, OUT hits bigint, OUT total bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT count(id), sum(id) INTO hits, total FROM items WHERE item @> s;
END $$;
SELECT s, b.found, b.found = i.hits AND b.sum IS NOT DISTINCT FROM i.total AS same
FROM searches JOIN by_scan b USING (n), search(s) i ORDER BY n;
SELECT name, count(id) FROM (VALUES ('rare'), ('status'), ('city'), ('none')) v(name)
LEFT JOIN items ON item ? name GROUP BY name ORDER BY name;
UPDATE items SET item = set_attribute(item, 'status', to_value('late'::text)) WHERE id = 7;
SELECT id FROM items WHERE item @> '{"status": {"S": "late"}}';

SET client_min_messages = warning;
DROP SCHEMA t_gin CASCADE;
