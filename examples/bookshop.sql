-- Authors, books, customers and orders: attributes that a query of one partition
-- would have to join are kept on the items that it reads, and so are counts and
-- sums.
--
--   PK               SK           GSI1PK         GSI2PK         entity
--   AUTHOR#<id>      AUTHOR                                     author, with the number of books
--   BOOK#<isbn>      BOOK         AUTHOR#<id>                   book, with the author's name
--   CUSTOMER#<id>    CUSTOMER                                   customer, with what was ordered in all
--   CUSTOMER#<id>    ORDER#<no>                  BOOK#<isbn>    order, with the book's title and author
--
-- An author's name goes to the books, and from these to the orders: a copy of a copy.
--
-- Run it with: psql -f examples/bookshop.sql

CREATE EXTENSION IF NOT EXISTS dynamo;

-- The tables of the examples have a schema of their own.  The operators of items
-- (->, ->>, ?) are in the extension's schema.
CREATE SCHEMA IF NOT EXISTS dynamo_examples;
SET search_path = dynamo_examples, dynamo;

BEGIN;
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS bookshop CASCADE;
COMMIT;

SELECT dynamo.create_table('bookshop', partition_key => 'PK', sort_key => 'SK',
	indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK", "sort_key": "SK"},
				 {"index_name": "by_book", "partition_key": "GSI2PK", "sort_key": "SK"}]');

SELECT dynamo.create_entity('bookshop', e.name, e.keys, e.attributes, type_attribute => 'kind', view_name => e.view)
FROM (VALUES
	('author', 'authors', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR"}'::jsonb,
	 '{"author_id": "text", "name": "text", "books": "int"}'::json),
	('book', 'books', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{author_id}"}',
	 '{"isbn": "text", "author_id": "text", "title": "text", "price": "numeric", "author_name": "text"}'),
	('customer', 'customers', '{"PK": "CUSTOMER#{customer_id}", "SK": "CUSTOMER"}',
	 '{"customer_id": "text", "name": "text", "orders": "int", "spent": "numeric", "last_order": "date"}'),
	('order', 'orders', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_no:06}", "GSI2PK": "BOOK#{isbn}"}',
	 '{"customer_id": "text", "order_no": "int", "isbn": "text", "amount": "numeric", "day": "date", "title": "text", "author_name": "text"}')
) AS e (name, view, keys, attributes);

-- What is kept where.  The children of a parent are found in an index, or by the key.
SELECT dynamo.create_copy('bookshop', 'author_of_book', parent => 'author', child => 'book', index_name => 'by_author',
	attributes => '{"author_name": "name"}');
SELECT dynamo.create_copy('bookshop', 'book_of_order', parent => 'book', child => 'order', index_name => 'by_book',
	attributes => '{"title": "title", "author_name": "author_name"}');
SELECT dynamo.create_total('bookshop', 'books_of_author', parent => 'author', child => 'book', index_name => 'by_author',
	totals => '{"books": "count"}');
SELECT dynamo.create_total('bookshop', 'orders_of_customer', parent => 'customer', child => 'order',
	totals => '{"orders": "count", "spent": "sum(amount)", "last_order": "max(day)"}');

-- Nobody writes a copy or a total.
INSERT INTO authors (author_id, name) VALUES ('le-guin', 'U. K. Le Guin'), ('lem', 'Stanislaw Lem');
INSERT INTO books (isbn, author_id, title, price) VALUES
	('1', 'le-guin', 'The Dispossessed', 12), ('2', 'le-guin', 'The Lathe of Heaven', 9.50), ('3', 'lem', 'Solaris', 11);
INSERT INTO customers (customer_id, name) VALUES ('ann', 'Ann'), ('bob', 'Bob');
INSERT INTO orders (customer_id, order_no, isbn, amount, day) VALUES
	('ann', 1, '1', 12, '2026-03-01'), ('ann', 2, '3', 11, '2026-03-04'), ('bob', 1, '2', 9.50, '2026-03-02');

\echo '1. A customer with all orders, in one read of one partition'
SELECT item ->> 'SK' AS "SK", coalesce(item ->> 'title', item ->> 'name') AS what, item ->> 'author_name' AS author,
	coalesce(item ->> 'spent', item ->> 'amount') AS amount, item ->> 'orders' AS orders
FROM dynamo.query('bookshop', 'PK = :c', dynamo.build_item(':c', 'CUSTOMER#ann')) AS item;

\echo '2. The books of an author, with the name'
SELECT title, author_name FROM books WHERE author_id = 'le-guin' ORDER BY title;

\echo '3. An author takes another name: books and orders follow, in the same transaction'
UPDATE authors SET name = 'Ursula K. Le Guin' WHERE author_id = 'le-guin';
SELECT title, author_name FROM books WHERE author_id = 'le-guin' ORDER BY title;
SELECT customer_id, title, author_name FROM orders ORDER BY customer_id, order_no;

\echo '4. An order is cancelled, another one changed: the totals follow'
DELETE FROM orders WHERE customer_id = 'ann' AND order_no = 2;
UPDATE orders SET amount = 10 WHERE customer_id = 'ann' AND order_no = 1;
SELECT customer_id, orders, spent, last_order FROM customers ORDER BY customer_id;

\echo '5. A book turns out to be by somebody else: its name and both counts change'
UPDATE books SET author_id = 'lem' WHERE isbn = '2';
SELECT author_id, name, books FROM authors ORDER BY author_id;
SELECT customer_id, title, author_name FROM orders WHERE customer_id = 'bob';

\echo '6. The same through the API, and undone with its transaction'
BEGIN;
SELECT dynamo.request('PutItem', '{"TableName": "bookshop",
	"Item": {"kind": {"S": "order"}, "customer_id": {"S": "bob"}, "order_no": {"N": "2"}, "isbn": {"S": "1"}, "amount": {"N": "100"}}}');
SELECT orders, spent FROM customers WHERE customer_id = 'bob';
ROLLBACK;
SELECT orders, spent FROM customers WHERE customer_id = 'bob';

\echo '7. Nothing is out of step'
SELECT * FROM dynamo.check_copies('bookshop');
