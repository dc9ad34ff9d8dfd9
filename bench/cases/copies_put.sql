-- title: put_item of a new child, with one copy and one total
-- setup: copies
-- params: SELECT item::dynamo.item::text, dynamo.build_item('PK', pk, 'SK', 'CUSTOMER')::text, total, item, pk, sk FROM copied_sample
-- count: 10000
--:: dynamo
-- use: 1
-- before: SELECT fresh_customers()
SELECT dynamo.put_item('copied', $1)
--:: update_item and put_item in a function
-- use: 2,1,3
-- before: SELECT fresh_customers()
-- target: >= 0.8
SELECT put_order_by_hand($1, $2, $3)
--:: UPDATE and INSERT of jsonb in one statement
-- use: 4,3,5,6
-- before: SELECT fresh_customers()
-- target: >= 0.5
WITH customer AS (UPDATE raw_copied SET item = item || jsonb_build_object('orders', (item ->> 'orders')::int + 1, 'spent', (item ->> 'spent')::numeric + $2::numeric)
	WHERE pk = $3 AND sk = 'CUSTOMER' RETURNING item ->> 'name' AS name)
INSERT INTO raw_copied SELECT $3, $4, $1::jsonb || jsonb_build_object('customer_name', name) FROM customer
