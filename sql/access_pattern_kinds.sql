-- access patterns that tell kinds of items by one another's type attribute
CREATE SCHEMA t_pattern_kinds;
SET search_path = t_pattern_kinds, dynamo;
\set SHOW_CONTEXT never
\pset format unaligned
SELECT create_table('shop', 'PK', 'SK');
SELECT create_entity('shop', 'customer', '{"PK": "C#{customer}", "SK": "A"}', '{"customer": "text", "name": "text"}', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "C#{customer}", "SK": "O#{order_id:06}"}', '{"customer": "text", "order_id": "int"}', view_name => 'orders');
SELECT create_entity('shop', 'line', '{"PK": "C#{customer}", "SK": "O#{order_id:06}#{product}"}', '{"customer": "text", "order_id": "int", "product": "text"}',
	type_attribute => 'kind', view_name => 'lines');
INSERT INTO customers (customer, name) VALUES ('c1', 'Ann');
INSERT INTO orders (customer, order_id) SELECT 'c1', n FROM generate_series(1, 3) n;
INSERT INTO lines (customer, order_id, product) SELECT 'c1', n, p FROM generate_series(1, 3) n, unnest('{book,pen}'::text[]) p;

-- orders have none, but what else is in the range has one
SELECT create_access_pattern('shop', 'orders_of', 'customer = :c', view_name => 'orders');
SELECT order_id FROM orders_of('c1');
SELECT create_access_pattern('shop', 'order_items', 'customer = :c', entities => '{customer,order}');
SELECT item ->> 'SK' FROM order_items('c1') item;
SELECT create_access_pattern('shop', 'lines_of', 'customer = :c', view_name => 'lines');
SELECT count(*) FROM lines_of('c1');
SELECT pattern, filter_expression, request #>> '{ExpressionAttributeValues,:_e0,S}' AS kind FROM access_patterns WHERE relation = 't_pattern_kinds.shop' ORDER BY 1;
SELECT i #>> '{SK,S}' FROM json_array_elements(request('Query', '{"TableName": "shop", "IndexName": "pattern:orders_of", "ExpressionAttributeValues": {":c": {"S": "c1"}}}') -> 'Items') i;
SELECT pattern, problem FROM check_access_patterns('shop');
SELECT create_access_pattern('shop', 'limited', 'customer = :c', view_name => 'orders', max_items => 1);

-- another kind in the range, which the filter does not leave out
SELECT create_entity('shop', 'note', '{"PK": "C#{customer}", "SK": "O#{order_id:06}#N#{note:03}#"}', '{"customer": "text", "order_id": "int", "note": "int"}', type_attribute => 'kind', view_name => 'notes');
SELECT order_id FROM orders_of('c1');
SELECT pattern, problem FROM check_access_patterns('shop');
SELECT count(*) FROM lines_of('c1');
SELECT create_access_pattern('shop', 'orders_of', 'customer = :c', view_name => 'orders', replace => true);
INSERT INTO notes (customer, order_id, note) VALUES ('c1', 1, 1);
SELECT order_id FROM orders_of('c1');
SELECT create_entity('shop', 'note', '{"PK": "C#{customer}", "SK": "O#{order_id:06}#N#{note:03}#"}', '{"customer": "text", "order_id": "int", "note": "int"}', type_attribute => 'kind', type_value => 'remark', replace => true);
SELECT order_id FROM orders_of('c1');

-- kinds that nothing tells from each other
SELECT create_table('plain', 'PK', 'SK');
SELECT create_entity('plain', 'order', '{"PK": "C#{customer}", "SK": "O#{order_id:06}"}', '{"customer": "text", "order_id": "int"}', view_name => 'plain_orders');
SELECT create_entity('plain', 'line', '{"PK": "C#{customer}", "SK": "O#{order_id:06}#{product}"}', '{"customer": "text", "order_id": "int", "product": "text"}');
SELECT create_access_pattern('plain', 'plain_orders_of', 'customer = :c', view_name => 'plain_orders');
SELECT create_access_pattern('plain', 'plain_order', 'customer = :c AND order_id = :o', view_name => 'plain_orders');

-- a query by parts leaves the same out
SELECT create_table('parts', 'PK', 'SK');
SELECT create_entity('parts', 'order', '{"PK": "C#{customer}", "SK": "O#{order_id:06}"}', '{"customer": "text", "order_id": "int"}');
SELECT create_entity('parts', 'line', '{"PK": "C#{buyer}", "SK": "O#{line_of:06}#{product}"}', '{"buyer": "text", "line_of": "int", "product": "text"}', type_attribute => 'kind');
SELECT count(put_item('parts', i::jsonb)) FROM unnest(ARRAY['{"customer": "c1", "order_id": 1}', '{"customer": "c1", "order_id": 2}', '{"kind": "line", "buyer": "c1", "line_of": 1, "product": "pen"}']) i;
SELECT query('parts', 'customer = :c AND order_id >= :o', '{":c": "c1", ":o": 1}'::jsonb) ->> 'SK';
DROP SCHEMA t_pattern_kinds CASCADE;
