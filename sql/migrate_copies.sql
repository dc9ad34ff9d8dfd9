-- migrations of entities that have copies and totals, whose own keys stay
CREATE SCHEMA t_migrate_copies;
SET search_path = t_migrate_copies, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}, {"index_name": "by_title", "partition_key": "GSI2PK"}]');
SELECT create_entity('shop', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR", "GSI2PK": "NAME#{name}"}', '{"author_id": "text", "name": "text"}', type_attribute => 'kind', view_name => 'authors');
SELECT create_entity('shop', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{author_id}", "GSI1SK": "BOOK#{isbn}", "GSI2PK": "TITLE#{title}"}', type_attribute => 'kind', view_name => 'books',
	attributes => '{"isbn": "int", "author_id": "text", "author_name": "text", "title": "text", "price": "numeric"}');
SELECT create_entity('shop', 'review', '{"PK": "AUTHOR#{author_id}", "SK": "REVIEW#{n}"}', '{"author_id": "text", "n": "int", "stars": "int"}', type_attribute => 'kind', view_name => 'reviews');
SELECT create_copy('shop', 'author_name', 'author', 'book', '{"author_name": "name"}', index_name => 'by_author');
SELECT create_total('shop', 'books', 'author', 'book', '{"books": "count", "worth": "sum(price)", "dearest": "max(price)"}', index_name => 'by_author');
SELECT create_total('shop', 'reviews', 'author', 'review', '{"reviews": "count"}');
INSERT INTO authors (author_id, name) VALUES ('a', 'Ann'), ('b', 'Bob'), ('c', 'Cid');
INSERT INTO books (isbn, author_id, title, price) VALUES (50, 'nobody', 't', 1);
INSERT INTO books (isbn, author_id, title, price) SELECT i, chr(97 + i % 3), 't' || i, i FROM generate_series(1, 30) i;
INSERT INTO reviews (author_id, n, stars) SELECT chr(97 + i % 3), i, i % 6 FROM generate_series(1, 9) i;
CREATE VIEW totals AS SELECT item ->> 'name' AS name, item ->> 'books' AS books, item ->> 'worth' AS worth, item ->> 'dearest' AS dearest, item ->> 'reviews' AS reviews
	FROM shop WHERE item ->> 'kind' = 'author' ORDER BY 1;
CREATE VIEW names AS SELECT author_id, author_name, count(*) FROM books GROUP BY 1, 2 ORDER BY 1, 2;

-- what a copy or total finds its items by stays
SELECT migrate_entity('shop', 'author', '{"PK": "A#{author_id}"}');
SELECT migrate_entity('shop', 'book', '{"GSI1PK": "BOOKS#{author_id}"}');
SELECT migrate_entity('shop', 'book', '{"PK": "B#{isbn:08}", "GSI1SK": "B#{isbn}"}');
SELECT migrate_entity('shop', 'review', '{"SK": "REVIEW#{n:04}"}');

-- the other keys of children are migrated, stopped by an item that has one of the new keys
SELECT put_item('shop', '{"PK": "B#00000050", "SK": "BOOK", "note": "of no entity"}'::jsonb);
SELECT migrate_entity('shop', 'book', '{"PK": "B#{isbn:08}", "GSI2PK": "T#{title}"}');
CALL await_migration('shop');
SELECT phase, items_moved FROM dynamo.migrations;
-- by either key, by parts, by the view; new, gone, to another author
SELECT put_item('shop', '{"kind": "book", "isbn": 31, "author_id": "a", "title": "new", "price": 100}'::jsonb);
INSERT INTO books (isbn, author_id, title, price, author_name) VALUES (32, 'b', 'new', 200, 'forged');
SELECT put_item('shop', '{"kind": "book", "isbn": 1, "author_id": "c", "title": "moved", "price": 1000}'::jsonb);
SELECT delete_item('shop', '{"PK": "BOOK#2", "SK": "BOOK"}'::jsonb);
SELECT delete_item('shop', '{"PK": "B#00000003", "SK": "BOOK"}'::jsonb);
SELECT update_item('shop', '{"PK": "BOOK#4", "SK": "BOOK"}'::jsonb, 'SET price = price + :p', expression_attribute_values => '{":p": {"N": "40"}}', return_values => 'UPDATED_NEW');
SELECT update_item('shop', '{"kind": "book", "isbn": 5}'::jsonb, 'REMOVE author_name', return_values => 'ALL_NEW') ->> 'author_name';
UPDATE books SET price = price + 60 WHERE isbn = 6;
UPDATE books SET author_id = 'a' WHERE isbn = 7;
TABLE totals;
TABLE names;
-- the parents change: children under both keys get it, and those that are written move
UPDATE authors SET name = 'Anna' WHERE author_id = 'a';
SELECT update_item('shop', '{"kind": "author", "author_id": "b"}'::jsonb, 'SET #n = :n', expression_attribute_names => '{"#n": "name"}', expression_attribute_values => '{":n": {"S": "Bobby"}}');
DELETE FROM authors WHERE author_id = 'c';
TABLE names;
SELECT put_item('shop', '{"kind": "author", "author_id": "c", "name": "Cidney"}'::jsonb);
TABLE totals;
TABLE names;
SELECT * FROM check_copies('shop');
SELECT * FROM verify_index('shop', 'by_author');
SELECT * FROM verify_index('shop', 'by_title');
SELECT count(*), count(DISTINCT isbn), count(*) FILTER (WHERE "PK" LIKE 'BOOK#%') > 0 AS old, count(*) FILTER (WHERE "PK" LIKE 'B#%') > 0 AS new FROM books;
-- repaired under both keys
SET session_replication_role = replica;
UPDATE shop SET item = item || '{"author_name": {"S": "wrong"}}' WHERE "PK" LIKE 'B#%4';
RESET session_replication_role;
SELECT key ->> 'PK' FROM check_copies('shop') ORDER BY 1;
SELECT repair_copies('shop');
SELECT * FROM check_copies('shop');

SELECT delete_item('shop', '{"PK": "B#00000050", "SK": "BOOK"}'::jsonb);
SELECT count(*) FROM books WHERE isbn = 50;
SELECT resume_migration('shop', 'book');
CALL await_migration('shop');
SELECT phase, error FROM dynamo.migrations;
TABLE totals;
TABLE names;
SELECT * FROM check_copies('shop');
SELECT * FROM check_entity('shop');
SELECT count(*), count(*) FILTER (WHERE "PK" = 'B#' || lpad(isbn::text, 8, '0') AND item ->> 'GSI2PK' = 'T#' || title) FROM books JOIN shop USING ("PK", "SK");

-- canceled; the other keys of parents
SELECT migrate_entity('shop', 'author', '{"GSI2PK": "N#{name}"}');
SELECT cancel_migration('shop', 'author');
CALL await_migration('shop');
SELECT migrate_entity('shop', 'author', '{"GSI2PK": "N#{name}#{books}"}');
CALL await_migration('shop');
SELECT item ->> 'GSI2PK' FROM shop WHERE item ->> 'kind' = 'author' ORDER BY 1;
INSERT INTO reviews (author_id, n, stars) VALUES ('a', 10, 5);
INSERT INTO books (isbn, author_id, title, price) VALUES (40, 'a', 'one more', 1);
SELECT item ->> 'GSI2PK' FROM shop WHERE item ->> 'kind' = 'author' ORDER BY 1;
SELECT * FROM check_copies('shop');
SELECT * FROM check_entity('shop');
DROP SCHEMA t_migrate_copies CASCADE;
