-- Orders that keep their customer's name, customers that keep the number and
-- sum of their orders: kept in step, by two operations, and in plain SQL.
SELECT dynamo.create_table(name, partition_key => 'PK', sort_key => 'SK') FROM unnest(ARRAY['copied', 'by_hand']) name;
SELECT dynamo.create_entity('copied', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "CUSTOMER"}', type_attribute => 'kind');
SELECT dynamo.create_entity('copied', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}"}', type_attribute => 'kind');
SELECT dynamo.create_copy('copied', 'name', 'customer', 'order', '{"customer_name": "name"}');
SELECT dynamo.create_total('copied', 'orders', 'customer', 'order', '{"orders": "count", "spent": "sum(total)"}');
CREATE TABLE raw_copied (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL, PRIMARY KEY (pk, sk)) WITH (fillfactor = 85);

CREATE TABLE copied_customers AS
SELECT jsonb_build_object('PK', 'CUSTOMER#' || i, 'SK', 'CUSTOMER', 'kind', 'customer', 'customer_id', i::text, 'name', 'Customer ' || i, 'orders', 0, 'spent', 0) AS item
FROM generate_series(0, 999) i;
CREATE TABLE copied_sample AS
SELECT i * 1.37 AS total, 'CUSTOMER#' || i % 1000 AS pk, 'ORDER#' || lpad(i::text, 8, '0') AS sk,
	jsonb_build_object('PK', 'CUSTOMER#' || i % 1000, 'SK', 'ORDER#' || lpad(i::text, 8, '0'), 'kind', 'order',
		'customer_id', (i % 1000)::text, 'order_id', i, 'total', i * 1.37, 'note', repeat('n', 100)) AS item
FROM generate_series(1, 10000) i;

CREATE FUNCTION fresh_customers() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE copied, by_hand, raw_copied;
	INSERT INTO copied (item) SELECT item FROM copied_customers;
	INSERT INTO by_hand (item) SELECT item FROM copied_customers;
	INSERT INTO raw_copied SELECT item ->> 'PK', item ->> 'SK', item FROM copied_customers;
END $$;

-- A transaction of two operations, each planned once.
CREATE FUNCTION put_order_by_hand(customer dynamo.item, item dynamo.item, total numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE old dynamo.item;
BEGIN
	old := dynamo.update_item('by_hand', customer, 'ADD orders :one, spent :total',
		expression_attribute_values => dynamo.build_item(':one', 1, ':total', total), return_values => 'ALL_NEW');
	PERFORM dynamo.put_item('by_hand', item OPERATOR(dynamo.||) dynamo.build_item('customer_name', old OPERATOR(dynamo.->) 'name'));
END $$;
