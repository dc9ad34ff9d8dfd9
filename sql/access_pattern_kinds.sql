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

-- kinds that only keys tell from each other: rows, which are no request
SELECT create_table('plain', 'PK', 'SK');
SELECT create_entity('plain', 'order', '{"PK": "C#{customer}", "SK": "O#{order_id:06}"}', '{"customer": "text", "order_id": "int"}', view_name => 'plain_orders');
SELECT create_entity('plain', 'line', '{"PK": "C#{customer}", "SK": "O#{order_id:06}#{product}"}', '{"customer": "text", "order_id": "int", "product": "text"}', view_name => 'plain_lines');
INSERT INTO plain_orders (customer, order_id) SELECT c, n FROM unnest('{c1,c2}'::text[]) c, generate_series(1, 3) n;
INSERT INTO plain_lines (customer, order_id, product) SELECT c, n, p FROM unnest('{c1,c2}'::text[]) c, generate_series(1, 3) n, unnest('{book,pen}'::text[]) p;
SELECT create_access_pattern('plain', 'plain_orders_of', 'customer = :c', view_name => 'plain_orders', scan_index_forward => false),
	create_access_pattern('plain', 'plain_orders_of_each', 'customer IN (:c) AND order_id >= :o', view_name => 'plain_orders'),
	create_access_pattern('plain', 'plain_order', 'customer = :c AND order_id = :o', view_name => 'plain_orders');
SELECT customer, order_id FROM plain_orders_of('c1');
SELECT customer, order_id FROM plain_orders_of_each('{c2,c1}', 2);
SELECT order_id FROM plain_order('c1', 3);
SELECT pattern, runs > 0 AS ran, problem FROM check_access_patterns('plain', strict => true);
SELECT access_pattern_request('plain_orders_of', '{"c": "c1"}'::jsonb);
SELECT request('Query', '{"TableName": "plain", "IndexName": "pattern:plain_orders_of", "ExpressionAttributeValues": {":c": {"S": "c1"}}}');
SELECT create_entity('plain', 'note', '{"PK": "C#{customer}", "SK": "O#{order_id:06}!{note}"}', '{"customer": "text", "order_id": "int", "note": "text"}', view_name => 'plain_notes');
INSERT INTO plain_notes (customer, order_id, note) VALUES ('c1', 1, 'n');
SELECT customer, order_id FROM plain_orders_of('c1');
SELECT create_access_pattern('plain', 'no', 'customer = :c', '{order}');
SELECT create_access_pattern('plain', 'no', 'customer = :c', view_name => 'plain_orders', max_items => 2);

-- a query by parts leaves the same out
SELECT create_table('parts', 'PK', 'SK');
SELECT create_entity('parts', 'order', '{"PK": "C#{customer}", "SK": "O#{order_id:06}"}', '{"customer": "text", "order_id": "int"}');
SELECT create_entity('parts', 'line', '{"PK": "C#{buyer}", "SK": "O#{line_of:06}#{product}"}', '{"buyer": "text", "line_of": "int", "product": "text"}', type_attribute => 'kind');
SELECT count(put_item('parts', i::jsonb)) FROM unnest(ARRAY['{"customer": "c1", "order_id": 1}', '{"customer": "c1", "order_id": 2}', '{"kind": "line", "buyer": "c1", "line_of": 1, "product": "pen"}']) i;
SELECT query('parts', 'customer = :c AND order_id >= :o', '{":c": "c1", ":o": 1}'::jsonb) ->> 'SK';

-- the type attribute in a key: its value is the entity's, unless the condition compares it
SELECT create_table('typed', 'PK', 'SK', indexes => '[{"index_name": "all", "partition_key": "GP", "sort_key": "GS"}]');
SELECT create_entity('typed', e, '{"PK": "{customer}", "SK": "{kind}#{n:03}", "GP": "ALL#{kind}", "GS": "{day:date}"}', '{"kind": "text", "customer": "text", "n": "int", "day": "date"}',
	type_attribute => 'kind', type_value => v, view_name => 'typed_' || e) FROM (VALUES ('order', 'order'), ('bill', '{bill}')) e(e, v);
INSERT INTO typed_order (customer, n, day) SELECT 'c', n, '2026-01-01'::date + n FROM generate_series(1, 3) n;
INSERT INTO typed_bill (customer, n, day) SELECT 'c', n, '2026-01-01'::date + n FROM generate_series(1, 3) n;
SELECT create_access_pattern('typed', 'typed_orders', 'customer = :c AND n >= :n', view_name => 'typed_order'),
	create_access_pattern('typed', 'typed_bill_of', 'customer = :c AND n = :n', view_name => 'typed_bill'),
	create_access_pattern('typed', 'typed_latest', 'day >= :d', view_name => 'typed_bill', index_name => 'all', scan_index_forward => false, max_items => 2),
	create_access_pattern('typed', 'typed_all', NULL, '{order}', index_name => 'all'),
	create_access_pattern('typed', 'typed_any', 'kind = :kind AND day >= :d', '{order,bill}', index_name => 'all'),
	create_access_pattern('typed', 'typed_each', 'kind IN (:kinds) AND day >= :d', '{order,bill}', index_name => 'all');
SELECT n FROM typed_orders('c', 2);
SELECT kind, n FROM typed_bill_of('c', 2);
SELECT n FROM typed_latest('2026-01-01');
SELECT item ->> 'n' FROM typed_all() item;
SELECT item ->> 'kind', item ->> 'n' FROM typed_any('{bill}', '2026-01-03') item;
SELECT item ->> 'kind', item ->> 'n' FROM typed_each('{order,"{bill}"}', '2026-01-03') item;
SELECT pattern, key_condition, filter_expression FROM access_patterns WHERE relation = 't_pattern_kinds.typed' ORDER BY 1;
SELECT pattern, runs > 0 AS ran, problem FROM check_access_patterns('typed', strict => true);
SELECT i #>> '{SK,S}' FROM json_array_elements(request('Query', access_pattern_request('typed_latest', '{"d": "2026-01-01"}'::jsonb)) -> 'Items') i;
-- in no key: a filter
SELECT create_access_pattern('shop', 'of_kind', 'customer = :c AND kind = :kind', '{line,note}');
SELECT item ->> 'SK' FROM of_kind('c1', 'remark') item UNION ALL SELECT count(*)::text FROM of_kind('c1', 'line');
SELECT create_access_pattern('shop', 'no', 'customer = :c AND kind IN (:kinds)', '{line,note}');
SELECT create_access_pattern('shop', 'no', 'customer = :c AND kind > :kind', '{line,note}');
SELECT create_access_pattern('shop', 'no', 'customer = :c AND kind = :kind', '{order,note}');
DROP SCHEMA t_pattern_kinds CASCADE;
