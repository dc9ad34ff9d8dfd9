-- access patterns: declared questions as SQL functions
CREATE SCHEMA t_pattern;
SET search_path = t_pattern, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_day", "partition_key": "GSI2PK", "sort_key": "GSI2SK", "storage": "table"},
	{"index_name": "by_size", "partition_key": "status", "sort_key": "total", "sort_key_type": "N"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": "text", "name": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}",
		"GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms:desc}", "GSI2PK": "{placed_at:date}", "GSI2SK": "{order_id:06}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": {"type": "text", "default": "OPEN"}, "total": "numeric"}',
	type_attribute => 'kind', view_name => 'orders');
SELECT create_entity('shop', 'line', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}#LINE#{product}"}',
	'{"customer_id": "text", "order_id": "int", "product": "text", "quantity": "int"}', type_attribute => 'kind', view_name => 'lines');
INSERT INTO customers (customer_id, name) VALUES ('c1', 'Ann'), ('c2', 'Bob');
INSERT INTO orders (customer_id, order_id, placed_at, total, status)
SELECT 'c' || 1 + i % 2, i, '2026-01-01'::timestamptz + i * interval '7 hours', i * 10, CASE WHEN i % 3 = 0 THEN 'SENT' ELSE 'OPEN' END FROM generate_series(1, 40) i;
INSERT INTO lines (customer_id, order_id, product, quantity)
SELECT 'c' || 1 + i % 2, i, p, i FROM generate_series(1, 40) i, unnest('{keyboard,mouse}'::text[]) p;
ANALYZE shop;

-- rows of a view: bounds that are not given are open
SELECT create_access_pattern('shop', 'orders_of_customer', 'customer_id = :customer AND order_id BETWEEN :first AND :last', view_name => 'orders',
	parameters => '{"first": {"default": null}, "last": {"default": null}}', description => 'orders of a customer by number');
SELECT order_id, total FROM orders_of_customer('c1', 30, 36);
SELECT count(*) FROM orders_of_customer('c1', last => 9);
SELECT count(*), min(order_id), max(order_id) FROM orders_of_customer('c2');
SELECT count(*) FROM orders_of_customer(NULL);
SELECT count(*) FROM orders_of_customer('c#1');
SELECT * FROM orders_of_customer('c1', 10000000);
EXPLAIN (COSTS OFF) SELECT order_id FROM orders_of_customer('c1', 30, 36) WHERE total > 10;
PREPARE latest(text) AS SELECT order_id FROM orders_of_customer($1, 38);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE latest('c1');
EXECUTE latest('c1');
RESET plan_cache_mode;
EXPLAIN (COSTS OFF) SELECT c.name, o.total FROM customers c, orders_of_customer(c.customer_id, 39) o;
SELECT c.name, o.total FROM customers c, orders_of_customer(c.customer_id, 39) o ORDER BY 1, 2;

-- the latest of an index, whose times come in reverse; in order, without a sort
SELECT create_access_pattern('shop', 'latest_orders', '#s = :status AND placed_at > :since', view_name => 'orders', index_name => 'by_status',
	expression_attribute_names => '{"#s": "status"}', parameters => '{"since": {"default": null}}', max_items => 3);
SELECT order_id, placed_at FROM latest_orders('SENT');
SELECT order_id FROM latest_orders('SENT', '2026-01-12 09:00+00');
EXPLAIN (COSTS OFF) SELECT * FROM latest_orders('SENT');
SELECT create_access_pattern('shop', 'first_orders', '#s = :status AND placed_at < :before', view_name => 'orders', index_name => 'by_status',
	expression_attribute_names => '{"#s": "status", "#t": "total"}', scan_index_forward => false, filter_expression => '#t <> :not', parameters => '{"not": "numeric"}');
SELECT order_id, placed_at FROM first_orders('OPEN', '2026-02-01', 10) LIMIT 2;
-- of an index that is a table of its own, and of a number
SELECT create_access_pattern('shop', 'orders_of_day', 'placed_at = :day AND order_id >= :first', view_name => 'orders', index_name => 'by_day',
	parameters => '{"day": "date", "first": {"default": 0}}');
SELECT order_id, placed_at, total FROM orders_of_day('2026-01-05');
SELECT order_id FROM orders_of_day('2026-01-05', 16);
SELECT create_access_pattern('shop', 'large_orders', '#s = :status AND #t >= :least', entities => '{order}', index_name => 'by_size',
	expression_attribute_names => '{"#s": "status", "#t": "total"}', projection_expression => 'order_id, #t');
SELECT * FROM large_orders('SENT', 350);

-- items of several kinds, in one request; others in the range are filtered out
SELECT create_access_pattern('shop', 'customer_and_orders', 'customer_id = :customer_id', '{customer,order}', max_items => 3);
SELECT create_access_pattern('shop', 'customer_and_orders', 'customer_id = :customer_id', '{customer,order}');
SELECT kind_of('shop', item) AS kind, item ->> 'SK' AS sk FROM customer_and_orders('c1') item LIMIT 3;
SELECT create_access_pattern('shop', 'order_with_lines', 'customer_id = :c AND order_id = :o', '{order,line}');
SELECT item ->> 'SK' AS sk FROM order_with_lines('c1', 2) item;
SELECT create_access_pattern('shop', 'lines_of_order', 'customer_id = :c AND order_id = :o', view_name => 'lines');
SELECT product, quantity FROM lines_of_order('c1', 2);
SELECT create_access_pattern('shop', 'lines_like', 'customer_id = :c AND order_id = :o AND begins_with(product, :p)', '{line}');
SELECT item ->> 'product' AS product FROM lines_like('c1', 2, 'mo') item;
SELECT * FROM lines_like('c1', NULL, 'mo');
-- items in the range that are not of the entity do not become rows
SELECT put_item('shop', build_item('PK', 'CUSTOMER#c9'::text, 'SK', 'ORDER#000001'::text, 'order_id', 'no number'::text));
SELECT put_item('shop', build_item('kind', 'order'::text, 'customer_id', 'c9'::text, 'order_id', 2, 'total', 20));
SELECT order_id, total FROM orders_of_customer('c9');
SELECT delete_item('shop', key) FROM (VALUES (1), (2)) n(i), build_item('PK', 'CUSTOMER#c9'::text, 'SK', format('ORDER#00000%s', i)) AS key;
SELECT dynamo_system.has_type('{"kind": {"S": "order"}}', 'kind', 'order') AS is, dynamo_system.has_type('{"kind": {"S": "line"}}', 'kind', 'order') AS other,
	dynamo_system.has_type('{"kind": {"N": "1"}}', 'kind', '1') AS number, dynamo_system.has_type('{}', 'kind', 'order') AS missing, dynamo_system.has_type(NULL, 'kind', 'order') AS no_item;
-- an entity without type attribute is known by its key
SELECT create_table('visits', 'PK', 'SK');
SELECT create_entity('visits', 'visit', '{"PK": "PAGE#{page}", "SK": "{visitor}#{n:03}"}', '{"page": "text", "visitor": "text", "n": "int"}', view_name => 'visit_rows');
INSERT INTO visit_rows (page, visitor, n) VALUES ('p1', 'v1', 7), ('p1', 'v1', 8), ('p1', 'v2', 9);
SELECT put_item('visits', build_item('PK', 'PAGE#p1'::text, 'SK', 'v1#other'::text));
SELECT create_access_pattern('visits', 'visits_of', 'page = :page AND visitor = :visitor', view_name => 'visit_rows');
SELECT n FROM visits_of('p1', 'v1');
EXPLAIN (COSTS OFF) SELECT n FROM visits_of('p1', 'v1');
SELECT drop_table('visits');
-- a page and where it goes on
SELECT create_access_pattern('shop', 'pages', 'customer_id = :c', '{order,line}', returns => 'page');
SELECT count, scanned_count, last_evaluated_key FROM pages('c1', 5);
SELECT p.count, p.items[1] ->> 'SK' AS first FROM pages('c1', 5, (SELECT last_evaluated_key FROM pages('c1', 5))) p;
-- a document
SELECT create_access_pattern('shop', 'customer_document', 'customer_id = :c', '{customer,order,line}', returns => 'document');
SELECT d ->> 'name' AS name, jsonb_array_length(d -> 'order') AS orders, d #> '{order,0,line}' AS lines FROM customer_document('c1') d;
SELECT customer_document('none');
-- keys as they are, and templates of the pattern's own
SELECT create_table('plain', 'id', 'n', sort_key_type => 'N');
SELECT put_item('plain', build_item('id', 'DOC#a', 'n', i)) FROM generate_series(1, 5) i;
SELECT create_access_pattern('plain', 'versions', 'doc = :doc AND n <= :last', keys => '{"id": "DOC#{doc}"}', scan_index_forward => false);
SELECT item ->> 'n' AS n FROM versions('a', 3) item;

-- what there is
SELECT pattern, entities, index_name, key_condition, filter_expression, returns, description FROM access_patterns WHERE table_name LIKE 't_pattern.%' ORDER BY pattern::text;
SELECT jsonb_pretty(request), jsonb_pretty(parameters) FROM access_patterns WHERE pattern = 'latest_orders'::regproc;
SELECT access_pattern_request('first_orders', '{"status": "OPEN", "before": "2026-02-01T00:00:00Z", "not": 10}'::jsonb);
SELECT (request('Query', access_pattern_request('first_orders', '{"status": "OPEN", "before": "2026-02-01T00:00:00Z", "not": 10}'::jsonb)) ->> 'Count');
SELECT access_pattern_request('first_orders', '{"status": "OPEN"}'::jsonb);
SELECT access_pattern_request('version', '{}');
\sf lines_of_order

-- what is no range of an index
SELECT create_access_pattern('shop', 'no', 'order_id = :o', view_name => 'orders');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c AND placed_at > :t', view_name => 'orders');
SELECT create_access_pattern('shop', 'no', 'customer_id > :c', view_name => 'orders');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c OR order_id = :o', view_name => 'orders');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c AND order_id = :o AND product < :p', view_name => 'lines');
SELECT create_access_pattern('shop', 'no', '#s = :s', view_name => 'orders', index_name => 'none');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', view_name => 'shop');
SELECT create_table('other_shop', 'PK');
SELECT create_entity('other_shop', 'order', '{"PK": "CUSTOMER#{customer_id}"}', type_attribute => 'kind', view_name => 'other_orders');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', view_name => 'other_orders');
SELECT drop_table('other_shop');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{line}', view_name => 'orders');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{none}');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', returns => 'rows');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', returns => 'tree');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', parameters => '{"x": "text"}');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', parameters => '{"c": {"typ": "text"}}');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', filter_expression => 'quantity > :t');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', filter_expression => 'total >');
SELECT create_access_pattern('shop', 'no', 'customer_id = :c', '{order}', max_items => 0);
SELECT create_access_pattern('none', 'no', 'customer_id = :c');
SELECT create_access_pattern('shop', NULL, 'customer_id = :c');
SELECT create_access_pattern('shop', repeat('x', 64), 'customer_id = :c', '{order}');
SELECT create_access_pattern('shop', 'lines_of_order', 'customer_id = :c AND order_id = :o', view_name => 'lines');
SELECT dynamo_system.pattern_key('=', 'A#{x}', 'x'::text, 7), dynamo_system.pattern_key('prefix', 'A#{x}#{y}', 'x'::text, 'b'::text), dynamo_system.pattern_key('=', 'A#{x}', 'x'::text, NULL::text), dynamo_system.pattern_key('>', '{x:03}#{y}', 'x'::text, 7) = '007' || U&'\+10FFFF';
SELECT dynamo_system.pattern_key('<', '{x:03}', 'x'::text, 8) < '008', dynamo_system.pattern_key('<', '{x:03}', 'x'::text, 8) > '007#', dynamo_system.pattern_key('<=', 'A{x:03}', 'x'::text, NULL::int) > 'A999', dynamo_system.pattern_key('>=', '{x:03}', 'x'::text, NULL::int) < '0';
SELECT dynamo_system.pattern_key('~', 'A#{x}', 'x'::text, 7);
SELECT dynamo_system.pattern_key('=', 'A#{x}', 'x'::text, 'untyped');
SELECT dynamo_system.pattern_key('=', 'A#{x}', 'x', 'untyped name'::text);
SELECT dynamo_system.pattern_key('=', 'A#{x}', 7, 'x');
SELECT dynamo_system.pattern_key('=', 'A#{x}', 'x'::text);
SELECT dynamo_system.pattern_key('<', '{x}', 'x'::text, 'a'::text);
SELECT dynamo_system.pattern_key('<', '{x}', 'y'::text, 'a'::text);

-- the owner of a function can write any record
CREATE FUNCTION forged_1() RETURNS int LANGUAGE sql AS '/* dynamo access pattern {"table": */
SELECT 1';
CREATE FUNCTION forged_2() RETURNS int LANGUAGE sql AS '/* dynamo access pattern {"table": {"S": "a\u0000"}, "returns": {"S": "items"}} */
SELECT 1';
CREATE FUNCTION forged_3() RETURNS int LANGUAGE sql AS '/* dynamo access pattern {"table": {"S": "a"}, "returns": {"S": "items"}, "keys": {"L": [{"M": {"attribute": {"S": "a"}, "operator": {"S": "BETWEEN"}, "values": {"L": [{"M": {}}]}}}]}} */
SELECT 1';
CREATE FUNCTION forged_4() RETURNS int LANGUAGE sql AS '/* dynamo access pattern {"table": {"S": "a"}, "returns": {"S": "items"}, "keys": {"L": [{"M": {"attribute": {"S": "a"}, "operator": {"S": "="}, "values": {"L": [{"M":
{"template": {"S": "{a"}, "comparison": {"S": "="}, "parts": {"L": [{"S": "a"}]}, "parameters": {"L": [{"S": "a"}]}}}]}}}]}} */
SELECT 1';
CREATE FUNCTION forged_5() RETURNS int LANGUAGE sql AS '/* dynamo access pattern {"table": {"S": "a"}, "returns": {"S": "x"}, "keys": {"L": [{"M": {"attribute": {"S": "a"}, "operator": {"S": "="}, "values": {"L": [{"M":
{"template": {"S": "a{b}"}, "comparison": {"S": "<"}, "parts": {"L": [{"S": "c"}, {"S": "d"}]}, "parameters": {"L": [{"S": "a"}, {"S": ""}]}}}]}}}]}} */
SELECT 1';
SELECT pattern, table_name, key_condition FROM access_patterns WHERE pattern::text LIKE 'forged%';
SELECT access_pattern_request('forged_5', '{"a": "x"}'::jsonb);
-- what the caller writes is in literals
SELECT create_access_pattern('shop', 'quo"ted''name', 'customer_id = :c', '{customer,order,line}',
	filter_expression => '#n <> :x', expression_attribute_names => '{"#n": "a''); DROP TABLE shop; -- */ /* $1 \\ \""}', parameters => '{"x": {"type": "text", "default": "'';--"}}');
SELECT count(*) FROM "quo""ted'name"('c1');
SELECT filter_expression, request -> 'ExpressionAttributeNames' FROM access_patterns WHERE pattern::text LIKE '%quo%';
SELECT drop_access_pattern('"quo""ted''name"');
SELECT drop_access_pattern('version');

-- in a select list a pattern is planned as in FROM, with the same rows
EXPLAIN (COSTS OFF) SELECT orders_of_customer('c1', 30, 36);
SELECT orders_of_customer('c1', 38);
SELECT (orders_of_customer('c1', 38)).order_id;
SELECT 1 AS one, orders_of_customer('c1', 30) ORDER BY 2 DESC LIMIT 1;
SELECT customer_and_orders('c1') ->> 'SK' AS key;
SELECT customer_and_orders('c1') AS item LIMIT 1;
SELECT orders_of_customer('c1', 30), orders_of_customer('c1', 38) LIMIT 2;
SELECT order_id, orders_of_customer('c1', order_id, order_id) IS NOT NULL AS found FROM (VALUES (36), (37), (38)) v(order_id);
SELECT orders_of_customer('c1', generate_series(36, 38)) IS NOT NULL AS found;
SELECT orders_of_customer('c1', 38) WHERE false;
CREATE SEQUENCE asked;
SELECT orders_of_customer('c1', 36) WHERE nextval('asked') = 1;
PREPARE in_list(text) AS SELECT orders_of_customer($1, 38);
EXECUTE in_list('c1');
EXECUTE in_list(NULL);
DEALLOCATE in_list;
-- whoever writes the comment of a pattern gets what the function does
CREATE FUNCTION forged() RETURNS SETOF int LANGUAGE sql STABLE AS '/* dynamo access pattern {} */ SELECT generate_series(1, 3)';
SELECT forged();
CREATE FUNCTION forged_record() RETURNS SETOF record LANGUAGE sql STABLE AS '/* dynamo access pattern {} */ SELECT 1, 2';
SELECT forged_record();
DROP FUNCTION forged, forged_record;

-- privileges are those of whoever calls it; it belongs to whoever has made it
CREATE ROLE regress_dynamo_reader;
GRANT USAGE, CREATE ON SCHEMA t_pattern TO regress_dynamo_reader;
SET ROLE regress_dynamo_reader;
SELECT count(*) FROM orders_of_customer('c1');
SELECT * FROM customer_and_orders('c1');
SELECT orders_of_customer('c1');
SELECT create_access_pattern('shop', 'mine', 'customer_id = :c', view_name => 'customers');
SELECT drop_access_pattern('orders_of_customer');
RESET ROLE;
GRANT SELECT ON shop TO regress_dynamo_reader;
REVOKE EXECUTE ON FUNCTION orders_of_customer FROM PUBLIC;
SET ROLE regress_dynamo_reader;
SELECT orders_of_customer('c1', 38);
SELECT name FROM mine('c1');
RESET ROLE;
-- one who is no superuser drops a table of their own with its patterns
SET ROLE regress_dynamo_reader;
SELECT create_table('own', 'id');
SELECT create_access_pattern('own', 'of_own', 'id = :id');
SELECT drop_table('own');
SELECT count(*) FROM access_patterns WHERE table_name = 't_pattern.own';
RESET ROLE;
SELECT pattern, owner = 'regress_dynamo_reader' AS theirs FROM access_patterns WHERE pattern = 'mine'::regproc;
-- a table goes with its patterns, and not with those of others
SELECT drop_table('shop');
DROP FUNCTION mine;
SELECT drop_table('shop');
SELECT pattern FROM access_patterns WHERE table_name = 't_pattern.shop';
-- a session that quotes all names knows the patterns of one that does not, and the reverse
SET quote_all_identifiers = on;
SELECT create_table('quoted', 'PK', 'SK') IS NOT NULL AS created;
SELECT create_entity('quoted', 'a', '{"PK": "A#{id}", "SK": "{n:03}"}', '{"id": "text", "n": "int"}', type_attribute => 'kind');
SELECT create_access_pattern('quoted', 'quoted_pattern', 'id = :id AND n = :n', entities => '{a}') IS NOT NULL AS created;
RESET quote_all_identifiers;
SELECT create_entity('quoted', 'a', '{"PK": "A#{id}", "SK": "{n:03}"}', '{"id": "text", "n": "bigint"}', type_attribute => 'kind', replace => true);
SELECT create_access_pattern('quoted', 'quoted_pattern', 'id = :id AND n = :n', entities => '{a}', replace => true);
SET quote_all_identifiers = on;
SELECT relation = format('%I.%I', current_schema(), 'quoted') AS same, count(*) OVER () FROM access_patterns WHERE pattern = 'quoted_pattern'::regproc;
SELECT drop_table('quoted');
RESET quote_all_identifiers;
SELECT count(*) FROM pg_proc WHERE proname = 'quoted_pattern';
DROP OWNED BY regress_dynamo_reader;
DROP ROLE regress_dynamo_reader;
SET client_min_messages = warning;
DROP SCHEMA t_pattern CASCADE;
