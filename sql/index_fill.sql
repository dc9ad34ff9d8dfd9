-- Creating an index on a table that has items
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_fill CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_fill;
SET search_path = t_index_fill;
SELECT dynamo.create_table('orders', 'PK');
INSERT INTO orders (item)
SELECT format('{"PK": {"S": "o%s"}, "status": {"S": "%s"}, "total": {"N": "%s"}}', i,
	CASE WHEN i % 5 = 0 THEN 'OPEN' ELSE 'DONE' END, i)::dynamo.item
FROM generate_series(1, 1000) i;
-- unusable keys of all kinds
INSERT INTO orders (item) VALUES
	('{"PK": {"S": "bad type"}, "status": {"N": "1"}, "total": {"N": "1"}}'),
	('{"PK": {"S": "bad empty"}, "status": {"S": ""}}'),
	('{"PK": {"S": "bad zero"}, "status": {"S": "a\u0000b"}}'),
	('{"PK": {"S": "bad list"}, "status": {"S": "OPEN"}, "total": {"L": []}}'),
	('{"PK": {"S": "absent"}}');
INSERT INTO orders (item) SELECT format('{"PK": {"S": "bad long"}, "status": {"S": "%s"}}', repeat('x', 2049))::dynamo.item;

-- a user's trigger does not fire, and row security does not apply
CREATE TABLE log (message text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO log VALUES (TG_OP); RETURN NULL; END $$;
CREATE TRIGGER note AFTER UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION note();

SELECT dynamo.create_index('orders', 'by_status', 'status', 'total', sort_key_type => 'N');
SELECT count(*) FROM log;
SELECT count(*), count(status), count(total), count(*) FILTER (WHERE status = 'OPEN') FROM orders;
SELECT "PK", status, total FROM orders WHERE "PK" LIKE 'bad%' OR "PK" = 'absent' ORDER BY 1;
-- the index returns the entries
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT "PK" FROM orders WHERE status = 'OPEN' AND total BETWEEN 20 AND 40 ORDER BY total;
SELECT "PK" FROM orders WHERE status = 'OPEN' AND total BETWEEN 20 AND 40 ORDER BY total;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- stored items with unusable keys can get other keys, but cannot be written unchanged
ALTER TABLE orders ADD COLUMN note text;
UPDATE orders SET note = 'seen' WHERE "PK" LIKE 'bad%';
UPDATE orders SET item = item WHERE "PK" LIKE 'bad%';
SELECT "PK", status, note FROM orders WHERE "PK" LIKE 'bad%' ORDER BY 1;
UPDATE orders SET item = '{"PK": {"S": "bad type"}, "status": {"N": "2"}}' WHERE "PK" = 'bad type';
UPDATE orders SET item = '{"PK": {"S": "bad type"}, "status": {"S": "good"}}' WHERE "PK" = 'bad type';
SELECT "PK", status FROM orders WHERE "PK" = 'bad type';
UPDATE orders SET status = 'x' WHERE "PK" = 'absent';

-- a second index on an attribute that already has a column
SELECT dynamo.create_index('orders', 'by_total', 'total', partition_key_type => 'N');
SELECT dynamo.drop_index('orders', 'by_status');
SELECT count(total) FROM orders;
SELECT attname FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;

-- in a transaction that is rolled back
BEGIN;
SELECT dynamo.create_index('orders', 'by_status', 'status');
ROLLBACK;
INSERT INTO orders (item) VALUES ('{"PK": {"S": "after"}, "status": {"N": "1"}}');
SELECT "PK", total FROM orders WHERE "PK" = 'after';

-- only the owner may create an index
CREATE ROLE t_index_fill_other;
GRANT USAGE ON SCHEMA t_index_fill TO t_index_fill_other;
GRANT ALL ON orders TO t_index_fill_other;
SET ROLE t_index_fill_other;
SELECT dynamo.create_index('orders', 'mine', 'PK');
SELECT dynamo.drop_index('orders', 'by_total');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA t_index_fill CASCADE;
DROP ROLE t_index_fill_other;
