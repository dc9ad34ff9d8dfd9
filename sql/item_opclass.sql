-- order, equality and hash, and the operator classes that use them
CREATE SCHEMA t_item_opclass;
SET search_path = t_item_opclass, dynamo, dynamo_internal;

SELECT amname, opcname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
	WHERE opcnamespace = 'dynamo'::regnamespace ORDER BY 1, 2;

-- a value of every kind; they are ordered by type, then by content
CREATE TABLE t (id int, v value);
INSERT INTO t SELECT row_number() OVER (), v::value FROM unnest(ARRAY[
	'{"S": ""}', '{"S": "a"}', '{"S": "ab"}', '{"S": "b"}', '{"S": "é"}', '{"S": "a\u0000"}', '{"N": "-2"}', '{"N": "-1.5"}',
	'{"N": "0"}', '{"N": "0.1"}', '{"N": "10"}', '{"N": "9"}', '{"B": ""}', '{"B": "AA=="}', '{"B": "/w=="}', '{"BOOL": false}',
	'{"BOOL": true}', '{"NULL": true}', '{"L": []}', '{"L": [{"S": "a"}]}', '{"L": [{"S": "a"}, {"S": "a"}]}',
	'{"L": [{"S": "b"}]}', '{"L": [{"L": [{"N": "1"}]}]}', '{"L": [{"L": [{"N": "2"}]}]}', '{"M": {}}',
	'{"M": {"a": {"S": "x"}}}', '{"M": {"a": {"S": "y"}}}', '{"M": {"a": {"S": "x"}, "b": {"S": "x"}}}',
	'{"M": {"b": {"S": "a"}}}', '{"M": {"aa": {"S": "a"}}}', '{"SS": ["a"]}', '{"SS": ["a", "b"]}', '{"SS": ["b"]}',
	'{"NS": ["1"]}', '{"NS": ["1", "2"]}', '{"NS": ["10"]}', '{"BS": ["AA=="]}', '{"BS": ["AQ=="]}']) v;
SELECT v FROM t ORDER BY v;

-- the operators agree with the comparison function, and the order is total
SELECT count(*) AS pairs,
	bool_and((a.v < b.v) = (value_cmp(a.v, b.v) < 0) AND (a.v <= b.v) = (value_cmp(a.v, b.v) <= 0) AND
			 (a.v = b.v) = (value_cmp(a.v, b.v) = 0) AND (a.v <> b.v) = (value_cmp(a.v, b.v) <> 0) AND
			 (a.v >= b.v) = (value_cmp(a.v, b.v) >= 0) AND (a.v > b.v) = (value_cmp(a.v, b.v) > 0)) AS agree,
	bool_and((a.v = b.v) = (a.id = b.id)) AS distinct_values,
	bool_and((a.v < b.v) = (b.v > a.v)) AS antisymmetric
FROM t a, t b;
SELECT count(*) AS intransitive FROM t a, t b, t c WHERE a.v < b.v AND b.v < c.v AND NOT a.v < c.v;

-- equal values have equal hashes with any seed; the 32-bit hash is the lower half of the 64-bit one
SELECT bool_and(value_hash(v) = value_hash(value_in(value_out(v)))) AS same, count(DISTINCT value_hash(v)) AS spread,
	bool_and(value_hash_extended(v, 0) <> value_hash_extended(v, 42)) AS seeded,
	bool_and(value_hash(v)::bit(32) = value_hash_extended(v, 0)::bit(32)) AS half
FROM t;

-- indexes are used
CREATE TABLE items AS SELECT i AS id, build_item('k', i % 100, 'pad', repeat('x', 20)) AS item FROM generate_series(1, 1000) i;
CREATE INDEX items_btree ON items (item);
CREATE INDEX items_hash ON items USING hash ((item -> 'k'));
ANALYZE items;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE item < '{"a": {"S": "x"}}';
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE item -> 'k' = '{"N": "7"}';
SELECT count(*) FROM items WHERE item -> 'k' = '{"N": "7.0"}';
SELECT count(*) FROM items WHERE item = build_item('pad', repeat('x', 20), 'k', 7);
RESET enable_seqscan;

-- an index keeps equal values once
CREATE TABLE colours AS SELECT i AS id, build_item('c', (ARRAY['red', 'green', 'blue'])[i % 3 + 1], 'n', i % 2) AS item FROM generate_series(1, 10000) i;
CREATE INDEX colours_value ON colours ((item -> 'c'));
CREATE INDEX colours_item ON colours (item);
CREATE INDEX colours_id ON colours (id);
SELECT relname, pg_relation_size(oid) < pg_relation_size('colours_id') / 2 AS small FROM pg_class WHERE relname IN ('colours_value', 'colours_item') ORDER BY 1;
SELECT count(*) FROM colours WHERE item -> 'c' = '{"S": "red"}';
SELECT count(*) FROM colours WHERE item = build_item('n', 1, 'c', 'blue');

-- grouping, distinct, joins, unique
SELECT count(DISTINCT item), count(DISTINCT item -> 'k') FROM items;
SET enable_sort = off;
SELECT count(*) FROM (SELECT item FROM items GROUP BY item) s;
RESET enable_sort;
SET enable_mergejoin = off;
SELECT count(*) FROM items a JOIN items b ON a.item = b.item WHERE a.id <= 100;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_mergejoin = on;
SELECT count(*) FROM items a JOIN items b ON a.item = b.item WHERE a.id <= 100;
CREATE UNIQUE INDEX ON t (v);
INSERT INTO t VALUES (0, '{"SS": ["b", "a"]}');

-- comparisons of compressed items leak no memory: a sorted cursor still has all memory of its sort
RESET enable_hashjoin;
RESET enable_nestloop;
CREATE TABLE large AS SELECT i AS id, build_item('k', 'same', 'n', (i * 7919) % 2003, 'pad', repeat('x', 8000)) AS item
	FROM generate_series(1, 2000) i;
BEGIN;
SET LOCAL work_mem = '64MB';
DECLARE sorted CURSOR FOR SELECT item ->> 'n' AS n FROM large ORDER BY item LIMIT 2000;
FETCH 1 FROM sorted;
SELECT sum(total_bytes) < 100 * 1024 * 1024 AS moderate FROM pg_backend_memory_contexts;
COMMIT;
SELECT count(DISTINCT item), min(item ->> 'n'), count(*) FILTER (WHERE a.item = b.item) AS equal
	FROM large a JOIN large b USING (id, item);

SET client_min_messages = warning;
DROP SCHEMA t_item_opclass CASCADE;
