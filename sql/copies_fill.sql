-- a copy or total on a table with items gives them their part in the same call
CREATE SCHEMA t_copies_fill;
SET search_path = t_copies_fill, dynamo;
\pset format unaligned
\pset tuples_only on
SELECT create_table('shop', 'PK', 'SK');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{id}", "SK": "CUSTOMER"}', type_attribute => 'kind');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{id}", "SK": "ORDER#{n:06}"}', type_attribute => 'kind');
INSERT INTO shop (item) SELECT build_item('kind', 'customer', 'id', c, 'name', 'N' || c) FROM unnest('{a,b}'::text[]) c;
-- more than one batch
INSERT INTO shop (item) SELECT build_item('kind', 'order', 'id', 'a', 'n', n, 'amount', 2) FROM generate_series(1, 20005) n;
INSERT INTO shop (item) VALUES (build_item('kind', 'order', 'id', 'ghost', 'n', 1, 'customer_name', 'of nobody'));

SELECT create_total('shop', 'orders', 'customer', 'order', '{"orders": "count", "spent": "sum(amount)"}');
SELECT item ->> 'id', item ->> 'orders', item ->> 'spent' FROM shop WHERE "SK" = 'CUSTOMER' ORDER BY 1;
SELECT create_copy('shop', 'names', 'customer', 'order', '{"customer_name": "name", "customer_orders": "orders"}');
SELECT item ->> 'customer_name', item ->> 'customer_orders', count(*) FROM shop WHERE "SK" <> 'CUSTOMER' GROUP BY 1, 2 ORDER BY 1;
SELECT * FROM check_copies('shop');
-- only the new one is filled
SET session_replication_role = replica;
UPDATE shop SET item = item || build_item('spent', 0) WHERE "PK" = 'CUSTOMER#b';
UPDATE shop SET item = item || build_item('spent', 7) WHERE "PK" = 'CUSTOMER#a' AND "SK" = 'CUSTOMER';
RESET session_replication_role;
SELECT create_total('shop', 'last', 'customer', 'order', '{"last": "max(n)"}');
SELECT item ->> 'id', item ->> 'spent', item ->> 'last' FROM shop WHERE "SK" = 'CUSTOMER' ORDER BY 1;
-- not wanted
SELECT create_total('shop', 'first', 'customer', 'order', '{"first": "min(n)"}', fill => false);
SELECT item ->> 'id', item ->> 'first' FROM shop WHERE "SK" = 'CUSTOMER' ORDER BY 1;
SELECT repair_copies('shop', 'first');
SELECT item ->> 'id', item ->> 'first' FROM shop WHERE "SK" = 'CUSTOMER' ORDER BY 1;
-- a sum that cannot be is refused, with all of it
INSERT INTO shop (item) SELECT build_item('kind', 'order', 'id', 'b', 'n', v.n, 'huge', v.huge) FROM (VALUES (1, 1e100), (2, 1)) v(n, huge);
SELECT create_total('shop', 'huge', 'customer', 'order', '{"huge": "sum(huge)"}');
SELECT count(*) FROM copies WHERE schema_name = 't_copies_fill' AND copy_name = 'huge';
DROP SCHEMA t_copies_fill CASCADE;
