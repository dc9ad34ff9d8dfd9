-- joins and analytics on one table, as in docs/sql.md
CREATE SCHEMA t_analytics;
SET search_path = t_analytics, dynamo;

SELECT create_table('shop', partition_key => 'PK', sort_key => 'SK',
	indexes => '[{"index_name": "by_product", "partition_key": "product", "sort_key": "PK"}]');
INSERT INTO shop (item)
SELECT build_item('PK', 'CUSTOMER#' || c, 'SK', 'METADATA', 'customer_id', c::text,
	'name', (ARRAY['Alice', 'Bob', 'Carol'])[c], 'email', 'c' || c || '@example.com')
FROM generate_series(1, 3) c;
INSERT INTO shop (item)
SELECT build_item('PK', 'CUSTOMER#' || c, 'SK', 'ORDER#' || o, 'customer_id', c::text, 'order_id', o,
	'order_date', '2026-0' || o || '-01T12:00:00Z', 'amount', c * 10 + o)
FROM generate_series(1, 3) c, generate_series(1, 4) o WHERE c + o < 6;
INSERT INTO shop (item)
SELECT build_item('PK', 'CUSTOMER#' || c, 'SK', 'ORDER#' || o || '#ITEM#' || p, 'product', p, 'quantity', c)
FROM generate_series(1, 3) c, generate_series(1, 4) o, (VALUES ('mouse'), ('keyboard')) v(p)
WHERE c + o < 6 AND (p = 'mouse' OR c = 2);
-- more items, so that indexes are worthwhile
INSERT INTO shop (item) SELECT build_item('PK', 'CUSTOMER#' || c, 'SK', 'METADATA') FROM generate_series(1000, 4000) c;
ANALYZE shop;

-- a prefix as a parameter, in a generic plan
SET plan_cache_mode = force_generic_plan;
PREPARE items_of_order(text, text) AS
SELECT item FROM shop WHERE "PK" = $1 AND begins_with("SK", $2) ORDER BY "SK";
EXPLAIN (COSTS OFF) EXECUTE items_of_order('CUSTOMER#2', 'ORDER#1#ITEM#');
EXECUTE items_of_order('CUSTOMER#2', 'ORDER#1#ITEM#');
RESET plan_cache_mode;

-- orders and their items: one index range for each order
SELECT o."SK", i.item ->> 'product' AS product
FROM shop o JOIN shop i ON i."PK" = o."PK" AND begins_with(i."SK", o."SK" || '#ITEM#')
WHERE o."PK" = 'CUSTOMER#2' AND o.item ? 'order_id' ORDER BY 1, 2;

-- in the other direction: who ordered a product
SELECT DISTINCT c.item ->> 'name' AS customer
FROM shop i JOIN shop c ON c."PK" = i."PK" AND c."SK" = 'METADATA'
WHERE i.product = 'keyboard';

-- totals by window
SELECT "PK", "SK", (item ->> 'amount')::numeric AS amount,
	sum((item ->> 'amount')::numeric) OVER (PARTITION BY "PK" ORDER BY item ->> 'order_date') AS running,
	rank() OVER (ORDER BY (item ->> 'amount')::numeric DESC) AS place
FROM shop WHERE item ? 'order_id' AND begins_with("SK", 'ORDER#') AND item ? 'amount'
ORDER BY "PK", "SK";

-- an item collection as one document
SELECT jsonb_pretty((c.item - 'PK'::text - 'SK'::text)::jsonb || jsonb_build_object('orders', (
	SELECT jsonb_agg((o.item - 'PK'::text - 'SK'::text)::jsonb || jsonb_build_object('items', (
		SELECT jsonb_agg((i.item - 'PK'::text - 'SK'::text)::jsonb ORDER BY i."SK")
		FROM shop i WHERE i."PK" = o."PK" AND begins_with(i."SK", o."SK" || '#ITEM#')))
		ORDER BY o."SK")
	FROM shop o WHERE o."PK" = c."PK" AND begins_with(o."SK", 'ORDER#') AND o.item ? 'amount')))
FROM shop c WHERE c."PK" = 'CUSTOMER#3' AND c."SK" = 'METADATA';

-- a join with an ordinary table
CREATE TABLE products (code text PRIMARY KEY, title text, price numeric);
INSERT INTO products VALUES ('mouse', 'Wireless mouse', 25), ('keyboard', 'Mechanical keyboard', 125.75);

SELECT p.title, sum((i.item ->> 'quantity')::int) AS sold, sum((i.item ->> 'quantity')::int * p.price) AS revenue
FROM products p JOIN shop i ON i.product = p.code
GROUP BY p.title ORDER BY revenue DESC;

SELECT q ->> 'SK' AS item, p.price
FROM query('shop', 'PK = :p AND begins_with(SK, :s)', jsonb_build_object(':p', 'CUSTOMER#2', ':s', 'ORDER#1#')) q
JOIN products p ON p.code = q ->> 'product' ORDER BY 1;

SET client_min_messages = warning;
DROP SCHEMA t_analytics CASCADE;
