-- Reference system 1, a shop as a hierarchy: the example, its access patterns by
-- plain SQL, and the number of items they read.
SET client_min_messages = warning;
CREATE SCHEMA t_system_1;
SET search_path = t_system_1;
\i test/agree.sql
\i examples/shop_hierarchy.sql
SET client_min_messages = warning;
SET search_path = dynamo_examples, t_system_1, dynamo;

-- the keys are those of the bare form, and so is all else but what the parts add
\i examples/bare_keys.sql
SET search_path = dynamo_examples, t_system_1, dynamo;
SELECT count(*), count(*) FILTER (WHERE e.item @> b.item) AS of_the_same_content
FROM ecommerce e JOIN bare_ecommerce b USING ("PK", "SK");
SELECT count(*) FROM ecommerce;
SELECT * FROM check_entity('ecommerce');
EXPLAIN (COSTS OFF) SELECT product_name FROM ecommerce_items WHERE customer_id = '12345' AND order_id = '98765';

-- more customers, so that reading too much would show
SELECT count(*) FROM generate_series(1, 200) i, generate_series(1, 5) j,
	dynamo.put_item('ecommerce', jsonb_build_object('PK', 'CUSTOMER#' || 20000 + i, 'SK', 'ORDER#' || j));

SELECT agree($$SELECT dynamo.get_item('ecommerce', '{"PK": {"S": "CUSTOMER#12345"}, "SK": {"S": "METADATA"}}')$$,
	$$SELECT item FROM ecommerce WHERE "PK" = 'CUSTOMER#12345' AND "SK" = 'METADATA'$$);
SELECT agree($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk', '{":pk": {"S": "CUSTOMER#12345"}}')$$,
	$$SELECT item FROM ecommerce WHERE "PK" = 'CUSTOMER#12345' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk AND begins_with(SK, :p)', '{":pk": {"S": "CUSTOMER#12345"}, ":p": {"S": "ORDER#"}}')$$,
	$$SELECT item FROM ecommerce WHERE "PK" = 'CUSTOMER#12345' AND dynamo.begins_with("SK", 'ORDER#') ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk AND begins_with(SK, :p)', '{":pk": {"S": "CUSTOMER#12345"}, ":p": {"S": "ORDER#98765#ITEM#"}}')$$,
	$$SELECT item FROM ecommerce WHERE "PK" = 'CUSTOMER#12345' AND "SK" LIKE 'ORDER#98765#ITEM#%' ORDER BY "SK"$$);
SELECT agree($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk AND begins_with(SK, :p)', '{":pk": {"S": "CUSTOMER#12345"}, ":p": {"S": "ORDER#"}}', filter_expression => 'attribute_exists(order_id)', scan_index_forward => false)$$,
	$$SELECT item FROM ecommerce WHERE "PK" = 'CUSTOMER#12345' AND "SK" LIKE 'ORDER#%' AND item ? 'order_id' ORDER BY "SK" DESC$$);

-- only returned items are read; a filter also reads the items that it rejects
SELECT reads($$SELECT dynamo.get_item('ecommerce', '{"PK": {"S": "CUSTOMER#12345"}, "SK": {"S": "METADATA"}}')$$, 'ecommerce_pkey');
SELECT reads($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk', '{":pk": {"S": "CUSTOMER#12345"}}')$$, 'ecommerce_pkey');
SELECT reads($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk AND begins_with(SK, :p)', '{":pk": {"S": "CUSTOMER#12345"}, ":p": {"S": "ORDER#98765#ITEM#"}}')$$, 'ecommerce_pkey');
SELECT reads($$SELECT * FROM dynamo.query('ecommerce', 'PK = :pk AND begins_with(SK, :p)', '{":pk": {"S": "CUSTOMER#12345"}, ":p": {"S": "ORDER#"}}', filter_expression => 'attribute_exists(order_id)')$$, 'ecommerce_pkey');

-- plain SQL uses the same index; in the other direction, the index on the product
EXPLAIN (COSTS OFF) SELECT item FROM ecommerce WHERE "PK" = 'CUSTOMER#12345' AND dynamo.begins_with("SK", 'ORDER#') ORDER BY "SK";
EXPLAIN (COSTS OFF) SELECT "PK" FROM ecommerce WHERE item ? 'product_name' AND item ->> 'product_name' = 'Wireless Mouse';

DROP SCHEMA t_system_1, dynamo_examples CASCADE;
