-- Copies and totals: the example, what it reads, and what becomes of it when
-- tables, indexes, views and columns are renamed.
SET client_min_messages = warning;
CREATE SCHEMA t_bookshop;
SET search_path = t_bookshop;
\i test/agree.sql
\i examples/bookshop.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_bookshop, dynamo;

-- the totals are those that SQL computes of the items
SELECT c.customer_id, c.orders = count(o.order_no) AS orders, c.spent = coalesce(sum(o.amount), 0) AS spent, c.last_order IS NOT DISTINCT FROM max(o.day) AS last
FROM customers c LEFT JOIN orders o USING (customer_id) GROUP BY c.customer_id, c.orders, c.spent, c.last_order ORDER BY 1;
SELECT o.customer_id, o.order_no, o.title = b.title AS title, o.author_name = a.name AS author
FROM orders o JOIN books b USING (isbn) JOIN authors a USING (author_id) ORDER BY 1, 2;

-- the table, an index, a view and its columns take other names
ALTER TABLE bookshop RENAME TO books_and_orders;
ALTER INDEX "bookshop$by_author" RENAME TO authors_of_books;
ALTER VIEW books RENAME TO titles;
ALTER VIEW titles RENAME COLUMN title TO name;
INSERT INTO titles (isbn, author_id, name) VALUES ('4', 'lem', 'Fiasco') RETURNING "PK", name;
UPDATE titles SET name = 'The Invincible' WHERE isbn = '4';
SELECT author_name, item ->> 'title' AS title FROM titles JOIN books_and_orders USING ("PK", "SK") WHERE isbn = '4';
SELECT name, books FROM authors ORDER BY name;
EXPLAIN (COSTS OFF) SELECT name FROM titles WHERE isbn = '4';
UPDATE authors SET name = 'S. Lem' WHERE author_id = 'lem';
SELECT name, author_name FROM titles ORDER BY name;
SELECT * FROM check_entity('books_and_orders');
SELECT * FROM check_copies('books_and_orders');
SELECT table_name, copy_name, parent, child FROM copies WHERE schema_name = 'dynamo_examples' ORDER BY 1, 2;
-- a key attribute cannot take another name, for it is one of the items
ALTER TABLE books_and_orders RENAME COLUMN "GSI1PK" TO author_key;

DROP SCHEMA t_bookshop, dynamo_examples CASCADE;
