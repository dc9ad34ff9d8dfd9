-- entity views: what is written through them, and by which types
CREATE SCHEMA t_entity;
SET search_path = t_entity, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'America/New_York';

SELECT create_table('shop', 'PK', 'SK',
	indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
INSERT INTO shop (item) VALUES
	('{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "1"}, "name": {"S": "Alice"}, "secret": {"S": "kept"}}'),
	('{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "ORDER#7"}, "customer_id": {"S": "1"}, "order_id": {"N": "7"}, "order_date": {"S": "2023-10-27T10:00:00Z"}, "total_amount": {"N": "150.75"}}'),
	('{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "ORDER#7#ITEM#A"}, "customer_id": {"S": "1"}, "order_id": {"N": "7"}, "sku": {"S": "A"}}');

-- keys by template: only whole orders, not their items
SELECT create_entity('shop', 'order',
	'{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:word}", "GSI1PK": "TAG#{tag}", "GSI1SK": "ORDER#{order_id:word}"}');
SELECT create_entity_view('orders', 'shop', entity_name => 'order',
	columns => '{"customer_id": "text", "order_id": "bigint",
		"ordered_at": {"type": "timestamptz", "attribute": "order_date"},
		"total": {"type": "numeric(10,2)", "attribute": "total_amount"},
		"paid": "boolean", "tags": "text[]", "details": "jsonb", "photo": "bytea"}');
\d orders
SELECT * FROM orders;

-- insert: keys are composed, also those of the indexes that apply
INSERT INTO orders (customer_id, order_id, ordered_at, total, paid, tags, details, photo)
VALUES ('1', 8, '2023-11-01 08:00-04', 20, true, '{x,y}', '{"gift": {"wrap": [1, null]}}', '\x01ff')
RETURNING "PK", "SK", order_id, total;
SELECT item FROM shop WHERE "SK" = 'ORDER#8';
SELECT ordered_at, total, paid, tags, details, photo FROM orders WHERE order_id = 8;
INSERT INTO orders (customer_id, order_id) VALUES ('1', 8);
INSERT INTO orders (order_id) VALUES (9);
INSERT INTO orders (customer_id, order_id, details) VALUES ('1', 9, '{}') RETURNING "SK";
BEGIN;
SELECT create_entity('shop', 'padded', '{"PK": "PADDED#{n:04}", "SK": "{n}"}', '{"n": "text"}', view_name => 'padded');
INSERT INTO padded (n) VALUES ('17') RETURNING *;
INSERT INTO padded (n) VALUES ('x');
ROLLBACK;
DELETE FROM orders WHERE order_id = 9;
INSERT INTO orders ("SK", customer_id, order_id) VALUES ('ORDER#10', '1', 9);

-- update: attributes that the view does not show are kept, null removes one
UPDATE shop SET item = item || '{"note": {"S": "fragile"}, "tag": {"S": "hot"}, "tags": {"SS": ["x", "y"]}}' WHERE "SK" = 'ORDER#8';
UPDATE orders SET total = total + 1, paid = NULL, tags = tags || '{z}' WHERE order_id = 8
RETURNING "SK", total, paid, tags;
SELECT item, "GSI1PK", "GSI1SK" FROM shop WHERE "SK" = 'ORDER#8';

-- changing a key's attribute moves the item; the key itself cannot be set
UPDATE orders SET order_id = 88 WHERE order_id = 8 RETURNING "SK", order_id;
SELECT "SK", item ->> 'note' AS note FROM shop ORDER BY 1;
UPDATE orders SET "SK" = 'ORDER#9' WHERE order_id = 88;
UPDATE orders SET order_id = 7 WHERE order_id = 88;
UPDATE orders SET customer_id = NULL WHERE order_id = 88;

-- delete
DELETE FROM orders WHERE order_id = 88 RETURNING order_id, total;
DELETE FROM orders WHERE order_id = 88;
SELECT "SK" FROM shop ORDER BY 1;

-- kinds told apart by a type attribute, which is a column, too; keys as plain columns
SELECT create_entity('shop', 'Vip', NULL, '{"name": "text", "level": "int", "EntityType": "text"}',
	type_attribute => 'EntityType', view_name => 'vip');
INSERT INTO vip VALUES ('CUSTOMER#2', 'METADATA', 'Bob', 3) RETURNING *;
INSERT INTO vip VALUES ('CUSTOMER#3', 'METADATA', 'Carl', 2, 'Vop');
UPDATE vip SET "EntityType" = NULL;
UPDATE vip SET "PK" = 'CUSTOMER#4', level = level + 1 RETURNING *;
SELECT item FROM shop WHERE "PK" = 'CUSTOMER#4';
MERGE INTO shop t USING vip v ON t."PK" = v."PK" WHEN MATCHED THEN DELETE;
SELECT * FROM vip;

-- what a new item has because it is of the kind is shown, whatever the column's type
SELECT create_entity('shop', 'Label', '{"PK": "LABEL#{id}", "SK": "LABEL"}',
	'{"id": "int", "version": {"constant": 1}, "tags": {"default": ["a", "b"]}}', type_attribute => 'EntityType');
SELECT create_entity_view('labels', 'shop',
	'{"id": "int", "kind": {"type": "char(7)", "attribute": "EntityType"}, "version": "int", "tags": "text[]"}', 'Label');
INSERT INTO labels (id) VALUES (1) RETURNING *;
INSERT INTO labels (id, version) VALUES (2, 1) RETURNING *;
SELECT * FROM labels ORDER BY id;
DELETE FROM labels;

-- a trigger of the table may change an item before its keys are checked
SELECT create_entity('shop', 'mark', type_attribute => 'EntityType');
SELECT create_entity_view('marks', 'shop', '{"GSI1PK": "text", "n": "int"}', 'mark');
CREATE FUNCTION strip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.item ->> 'GSI1PK' = '' THEN NEW.item := dynamo.remove_attribute(NEW.item, 'GSI1PK'); END IF;
	RETURN NEW;
END $$;
INSERT INTO marks VALUES ('MARK#1', 'MARK', 'x', 1);
UPDATE marks SET "GSI1PK" = '';
CREATE TRIGGER a_strip BEFORE UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION strip();
UPDATE marks SET "GSI1PK" = '';
SELECT * FROM marks;
DROP TRIGGER a_strip ON shop;
DELETE FROM marks;

-- what a trigger does to a row that is still to be deleted does not keep it
SELECT create_entity('shop', 'rank', NULL, '{"rank": "int"}', type_attribute => 'EntityType', view_name => 'ranks');
INSERT INTO ranks SELECT 'RANK#', n, n FROM generate_series(1, 4) n;
CREATE FUNCTION close_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE shop SET item = dynamo.apply_update(item, 'ADD #r :one', '{":one": {"N": "-1"}}', '{"#r": "rank"}')
	WHERE "PK" = 'RANK#' AND "SK" > OLD."SK";
	RETURN NULL;
END $$;
CREATE TRIGGER close_up AFTER DELETE ON shop FOR EACH ROW EXECUTE FUNCTION close_up();
DELETE FROM ranks WHERE rank <= 2 RETURNING "SK", rank;
SELECT "SK", rank FROM ranks ORDER BY "SK";
DROP TRIGGER close_up ON shop;
DELETE FROM ranks;

-- the view can use the index
SET enable_seqscan = off;
CREATE FUNCTION index_use(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Index' THEN RETURN NEXT trim(line); END IF;
	END LOOP;
END $$;
SELECT index_use($$SELECT order_id FROM orders WHERE "PK" = 'CUSTOMER#1'$$);

-- errors
SELECT create_entity_view('bad', 'shop', '{"a": "no_such_type"}');
SELECT create_entity_view('bad', 'shop', '{"a": 1}');
SELECT create_entity_view('bad', 'shop', '{"a": {"attribute": "b"}}');
SELECT create_entity_view('bad', 'shop', '{"a": "record"}');
SELECT create_entity_view('bad', 'shop', '{"a": "text", "a": "int"}');
SELECT create_entity_view('bad', 'none', '{}');
SELECT create_entity_view('bad', NULL, '{}');

-- a renamed column is the same column; one that is added is not written
SELECT create_entity('shop', 'renamed', '{"PK": "CUSTOMER#r", "SK": "RENAMED#{total}"}', '{"total": "numeric", "note": "text"}', view_name => 'renamed');
ALTER VIEW renamed RENAME COLUMN note TO remark;
ALTER VIEW renamed RENAME COLUMN "SK" TO sort;
INSERT INTO renamed (total, remark) VALUES (1, 'one') RETURNING *;
UPDATE renamed SET remark = 'first' WHERE total = 1 RETURNING *;
UPDATE renamed SET total = 2 RETURNING *;
CREATE OR REPLACE VIEW renamed WITH (security_invoker) AS
	SELECT "PK", "SK" AS sort, (item ->> 'total')::numeric AS total, item ->> 'note' AS remark, length(item ->> 'note') AS characters
	FROM shop WHERE begins_with("SK", 'RENAMED#');
UPDATE renamed SET remark = 'second';
SELECT item FROM shop WHERE begins_with("SK", 'RENAMED#');
UPDATE renamed SET characters = 3;
ALTER VIEW renamed RENAME COLUMN remark TO x;
ALTER VIEW renamed RENAME COLUMN sort TO note;
UPDATE renamed SET x = 'third';
DELETE FROM shop WHERE begins_with("SK", 'RENAMED#');

-- hostile names are only names
SELECT create_entity('shop', 'e''; DROP TABLE shop; --', NULL, '{"b''; --": "text"}', type_attribute => 'EntityType');
SELECT create_entity_view('we"ird; --', 'shop', '{"a\"; --": {"type": "text", "attribute": "b''; --"}}', 'e''; DROP TABLE shop; --');
INSERT INTO "we""ird; --" VALUES ('''; DROP TABLE shop; --1', 's', 'v') RETURNING *;
SELECT item FROM shop WHERE "SK" = 's';

-- dropped with the table
SET client_min_messages = warning;
SELECT drop_table('shop');
SELECT count(*) FROM pg_class WHERE relnamespace = 't_entity'::regnamespace AND relkind = 'v';
DROP SCHEMA t_entity CASCADE;
