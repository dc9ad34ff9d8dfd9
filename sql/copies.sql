-- copies and totals: an author's name on the books, the number and sum of
-- orders on the customer
CREATE SCHEMA t_copies;
SET search_path = t_copies, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('shop', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR"}', type_attribute => 'kind');
SELECT create_entity('shop', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{author_id}", "GSI1SK": "BOOK#{isbn}"}', type_attribute => 'kind', view_name => 'books',
	attributes => '{"isbn": "text", "author_id": "text", "author_name": "text", "title": "text"}');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "CUSTOMER"}', type_attribute => 'kind');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}"}', type_attribute => 'kind');
SELECT create_copy('shop', 'author_name', 'author', 'book', '{"author_name": "name"}', index_name => 'by_author');
SELECT create_total('shop', 'orders', 'customer', 'order', '{"orders": "count", "spent": "sum(amount)", "first": "min(at)", "last": "max(at)"}');
SELECT * FROM copies WHERE schema_name = 't_copies';

CREATE VIEW names AS SELECT "PK", item ->> 'author_id' AS author, COALESCE(item ->> 'author_name', '-') AS name FROM shop WHERE "SK" = 'BOOK' ORDER BY 1;
CREATE VIEW totals AS SELECT "PK", item - 'PK' - 'SK' - 'kind' - 'customer_id' AS totals FROM shop WHERE "SK" = 'CUSTOMER' ORDER BY 1;
CREATE FUNCTION orders(customer text, first int, last int) RETURNS SETOF item LANGUAGE sql AS $$
	SELECT jsonb_build_object('kind', 'order', 'customer_id', customer, 'order_id', i, 'amount', i, 'at', '2026-01-' || lpad(i::text, 2, '0'))::dynamo.item
	FROM generate_series(first, last) i $$;

-- a copy: the source comes later, changes, goes
SELECT put_item('shop', '{"kind": "book", "isbn": "1", "author_id": "a", "title": "x", "author_name": "forged"}'::jsonb);
SELECT put_item('shop', '{"kind": "book", "isbn": "9", "title": "of nobody", "author_name": "anonymous"}'::jsonb);
TABLE names;
SELECT put_item('shop', '{"kind": "author", "author_id": "a", "name": "Ann"}'::jsonb);
INSERT INTO shop (item) VALUES ('{"kind": "book", "isbn": "2", "author_id": "a", "title": "y"}'::jsonb) RETURNING item ->> 'author_name';
INSERT INTO books (isbn, author_id, author_name, title) VALUES ('3', 'b', 'forged', 'z');
TABLE names;
SELECT update_item('shop', '{"PK": "AUTHOR#a", "SK": "AUTHOR"}'::jsonb, 'SET #n = :n', expression_attribute_values => '{":n": "Anna"}'::jsonb, expression_attribute_names => '{"#n": "name"}');
UPDATE books SET author_id = 'a' WHERE isbn = '3';
TABLE names;
-- what others write there is not kept
UPDATE books SET author_name = 'forged' WHERE isbn = '2' RETURNING author_name;
SELECT update_item('shop', '{"PK": "BOOK#1", "SK": "BOOK"}'::jsonb, 'REMOVE author_name', return_values => 'ALL_NEW') ->> 'author_name';
-- the source loses the attribute, becomes another kind of item, goes
UPDATE shop SET item = item - 'name' WHERE "SK" = 'AUTHOR';
TABLE names;
UPDATE shop SET item = item || build_item('name', 'Anne') WHERE "SK" = 'AUTHOR';
UPDATE shop SET item = item || build_item('kind', 'ghost') WHERE "SK" = 'AUTHOR';
TABLE names;
UPDATE shop SET item = item || build_item('kind', 'author') WHERE "SK" = 'AUTHOR';
TABLE names;
SELECT delete_item('shop', '{"PK": "AUTHOR#a", "SK": "AUTHOR"}'::jsonb);
TABLE names;
-- moves to where books of another author wait
INSERT INTO shop (item) VALUES ('{"kind": "author", "author_id": "c", "name": "Cleo"}'::jsonb);
UPDATE shop SET item = (item - 'PK') || build_item('author_id', 'a') WHERE "SK" = 'AUTHOR';
TABLE names;
-- in one statement, whatever comes first
DELETE FROM shop;
INSERT INTO shop (item) VALUES ('{"kind": "book", "isbn": "1", "author_id": "a"}'::jsonb), ('{"kind": "author", "author_id": "a", "name": "Ann"}'::jsonb),
	('{"kind": "book", "isbn": "2", "author_id": "a"}'::jsonb);
TABLE names;
WITH a AS (UPDATE shop SET item = item || build_item('name', 'Bea') WHERE "SK" = 'AUTHOR')
INSERT INTO shop (item) VALUES ('{"kind": "book", "isbn": "3", "author_id": "a"}'::jsonb);
TABLE names;
SELECT * FROM check_copies('shop');

-- totals: the children come first, with the parent, after it
DELETE FROM shop;
INSERT INTO shop (item) SELECT orders('c', 1, 5);
INSERT INTO shop (item) VALUES ('{"kind": "customer", "customer_id": "c", "name": "Cy", "orders": 77}'::jsonb) RETURNING item ->> 'orders';
TABLE totals;
INSERT INTO shop (item) SELECT orders('d', 1, 2) UNION ALL SELECT '{"kind": {"S": "customer"}, "customer_id": {"S": "d"}}' UNION ALL SELECT orders('d', 3, 4) UNION ALL SELECT orders('c', 6, 7);
SELECT put_item('shop', item) FROM orders('d', 8, 8) item;
TABLE totals;
-- the extremes leave, an amount changes, a child moves
DELETE FROM shop WHERE "PK" = 'CUSTOMER#c' AND "SK" IN ('ORDER#000001', 'ORDER#000007');
UPDATE shop SET item = item || build_item('amount', 100) WHERE "SK" = 'ORDER#000002';
UPDATE shop SET item = (item - 'PK') || build_item('customer_id', 'd') WHERE "PK" = 'CUSTOMER#c' AND "SK" = 'ORDER#000006';
TABLE totals;
-- replaced as a whole; totals of others are not kept
SELECT put_item('shop', '{"kind": "customer", "customer_id": "c", "name": "Cyd", "spent": 0}'::jsonb);
SELECT update_item('shop', '{"PK": "CUSTOMER#d", "SK": "CUSTOMER"}'::jsonb, 'ADD orders :one', expression_attribute_values => '{":one": 1}'::jsonb, return_values => 'UPDATED_NEW');
TABLE totals;
-- none left; values that are no numbers, and no keys
DELETE FROM shop WHERE begins_with("SK", 'ORDER#');
INSERT INTO shop (item) SELECT o - 'amount' - 'at' || i FROM orders('c', 1, 1) o, build_item('amount', '7'::text, 'at', 5) i;
INSERT INTO shop (item) SELECT o - 'amount' - 'at' || i FROM orders('c', 2, 2) o, build_item('at', true) i;
TABLE totals;
DELETE FROM shop WHERE begins_with("SK", 'ORDER#');
TABLE totals;
-- exact: 38 digits and not one more
INSERT INTO shop (item) SELECT o || build_item('amount', n) FROM (VALUES (1, 1e30), (2, 0.0000001), (3, -1e30)) v(i, n), orders('c', i, i) o;
TABLE totals;
INSERT INTO shop (item) SELECT o || build_item('amount', 1e37) FROM orders('c', 4, 4) o;
SELECT * FROM check_copies('shop');

-- all or nothing: rollbacks, conditions
BEGIN;
SAVEPOINT s;
INSERT INTO shop (item) SELECT orders('d', 1, 3);
TABLE totals;
ROLLBACK TO s;
DELETE FROM shop WHERE "SK" = 'CUSTOMER';
ROLLBACK;
SELECT put_item('shop', item, 'attribute_exists(nothing)') FROM orders('d', 1, 1) item;
INSERT INTO shop (item) SELECT orders('c', 1, 2) ON CONFLICT DO NOTHING;
INSERT INTO shop (item) SELECT orders('c', 1, 2) ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item;
TABLE totals;
SELECT * FROM check_copies('shop');

-- items that are too large, at the door of another one
DELETE FROM shop;
INSERT INTO shop (item) VALUES ('{"kind": "author", "author_id": "a", "name": "Ann"}'::jsonb);
INSERT INTO shop (item) VALUES (jsonb_build_object('kind', 'book', 'isbn', '1', 'author_id', 'a', 'text', repeat('x', 409400)));
SELECT update_item('shop', '{"PK": "AUTHOR#a", "SK": "AUTHOR"}'::jsonb, 'SET #n = :n', expression_attribute_values => jsonb_build_object(':n', repeat('n', 300)), expression_attribute_names => '{"#n": "name"}');
TABLE names;

-- what others have written, without triggers
BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO shop (item) VALUES ('{"kind": "customer", "customer_id": "e", "PK": "CUSTOMER#e", "SK": "CUSTOMER"}'::jsonb);
UPDATE shop SET item = item || build_item('author_name', 'no') WHERE "SK" = 'BOOK';
SET LOCAL session_replication_role = origin;
SELECT * FROM check_copies('shop');
SELECT * FROM check_copies('shop', 'orders');
-- the first child counts all of them
INSERT INTO shop (item) SELECT orders('e', 1, 2);
TABLE totals;
SELECT * FROM check_copies('shop');
SELECT repair_copies('shop', 'orders'), repair_copies('shop', max_items => 0), repair_copies('shop'), repair_copies('shop');
TABLE names;
SELECT * FROM check_copies('shop');
ROLLBACK;

-- tables that have items already
SELECT drop_copy('shop', 'author_name'), drop_total('shop', 'orders');
DELETE FROM shop;
INSERT INTO shop (item) SELECT orders('c', 1, 3);
INSERT INTO shop (item) VALUES ('{"kind": "customer", "customer_id": "c"}'::jsonb);
SELECT create_total('shop', 'orders', 'customer', 'order', '{"orders": "count", "last": "max(order_id)"}', fill => false);
SELECT * FROM check_copies('shop');
SELECT repair_copies('shop', max_items => 1);
TABLE totals;
SELECT * FROM check_copies('shop');

-- both paths of writing
SET dynamo.direct_access = off;
SELECT put_item('shop', item) FROM orders('c', 4, 4) item;
SELECT delete_item('shop', '{"PK": "CUSTOMER#c", "SK": "ORDER#000001"}'::jsonb);
TABLE totals;
RESET dynamo.direct_access;
SELECT drop_total('shop', 'orders');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'shop'::regclass AND tgfoid = 'dynamo_system.keep_copies'::regproc;

-- index keys that are composed of copies, and come with the item as in a dump, before the source
SELECT create_table('shelf', 'PK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK"}, {"index_name": "by_name", "partition_key": "GSI2PK"}]');
SELECT create_entity('shelf', 'writer', '{"PK": "AUTHOR#{author_id}"}', type_attribute => 'kind');
SELECT create_entity('shelf', 'volume', '{"PK": "BOOK#{isbn}", "GSI1PK": "AUTHOR#{author_id}", "GSI2PK": "NAME#{author_name}"}', type_attribute => 'kind');
SELECT create_copy('shelf', 'writer_name', 'writer', 'volume', '{"author_name": "name"}', index_name => 'by_author');
INSERT INTO shelf (item) SELECT jsonb_build_object('PK', 'BOOK#1', 'GSI1PK', 'AUTHOR#a', 'GSI2PK', 'NAME#Ann', 'kind', 'volume', 'isbn', '1', 'author_id', 'a', 'author_name', 'Ann')::dynamo.item;
INSERT INTO shelf (item, "PK", "GSI1PK", "GSI2PK") SELECT jsonb_build_object('PK', 'BOOK#2', 'GSI1PK', 'AUTHOR#a', 'GSI2PK', 'NAME#Ann', 'kind', 'volume', 'isbn', '2', 'author_id', 'a', 'author_name', 'Ann')::dynamo.item, 'BOOK#2', 'AUTHOR#a', 'NAME#Ann';
SELECT item FROM shelf;
INSERT INTO shelf (item) SELECT jsonb_build_object('PK', 'AUTHOR#a', 'kind', 'writer', 'author_id', 'a', 'name', 'Anna')::dynamo.item;
SELECT item FROM shelf ORDER BY "PK";
SELECT * FROM check_copies('shelf');

DROP SCHEMA t_copies CASCADE;
