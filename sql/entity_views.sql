-- views of entities: typed, writable, and read by keys
CREATE SCHEMA t_entity_view;
SET search_path = t_entity_view, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET enable_memoize = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET random_page_cost = 1;

SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_day", "partition_key": "GSI2PK", "sort_key": "GSI2SK"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": "text", "name": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}",
		"GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms:desc}", "GSI2PK": "{placed_at:date}", "GSI2SK": "{order_id:06}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": {"type": "text", "default": "OPEN"},
	  "total": "numeric(10,2)", "tags": "text[]"}',
	type_attribute => 'kind', index_conditions => '{"by_day": "attribute_exists(#t)"}', expression_attribute_names => '{"#t": "total"}', view_name => 'orders');
-- PostgreSQL 15 qualifies the columns
SELECT regexp_replace(pg_get_viewdef('customers'::regclass), '\mt\.', '', 'g') AS view;

-- writing: keys are composed; changing a part moves the item
INSERT INTO customers (customer_id, name) VALUES ('c1', 'Ann'), ('c2', 'Bob') RETURNING *;
INSERT INTO orders (customer_id, order_id, placed_at, total)
SELECT 'c' || i % 50, i, '2026-01-01'::timestamptz + i * interval '1 hour', i FROM generate_series(1, 2000) i;
INSERT INTO orders (customer_id, order_id, placed_at) VALUES ('c7', 5000, '2026-07-07 12:00+02') RETURNING *;
UPDATE orders SET order_id = 5001, status = 'PAID' WHERE customer_id = 'c7' AND order_id = 5000 RETURNING *;
SELECT item FROM shop WHERE "SK" = 'ORDER#005001';
DELETE FROM orders WHERE customer_id = 'c7' AND order_id = 5001 RETURNING "SK";
INSERT INTO orders (customer_id, order_id) VALUES ('c7', 1000000);
INSERT INTO orders (order_id) VALUES (1);
INSERT INTO orders ("SK", customer_id, order_id) VALUES ('ORDER#x', 'c7', 1);
-- a part that an item does not have is read from its key
SELECT put_item('shop', '{"kind": {"S": "order"}, "PK": {"S": "CUSTOMER#c3"}, "SK": {"S": "ORDER#009999"}}');
SELECT customer_id, order_id, status FROM orders WHERE "SK" = 'ORDER#009999';
ANALYZE shop;

-- the view knows the entity of a new item, though by its parts it could be another's
SELECT create_table('places', 'PK', 'SK');
SELECT create_entity('places', 'city', '{"PK": "{country:upper}", "SK": "CITY#{city}"}', '{"country": "text", "city": {"type": "text", "default": "Capital"}}', view_name => 'cities');
SELECT create_entity('places', 'street', '{"PK": "{country:upper}", "SK": "STREET#{city}#{street}"}', '{"country": "text", "city": "text", "street": "text"}', view_name => 'streets');
SELECT put_item('places', '{"country": "de", "city": "Bonn", "street": "Am Hof"}'::jsonb);
INSERT INTO streets (country, city, street) VALUES ('de', 'Bonn', 'Am Hof') RETURNING "PK", "SK";
INSERT INTO cities (country, city) VALUES ('de', 'Bonn'), ('fr', DEFAULT) RETURNING *;
INSERT INTO cities (city) VALUES ('Bonn');
SELECT * FROM check_entity('places');
-- without an entity the view is of all items
SELECT create_entity_view('all_places', 'places', '{"city": "text"}');
INSERT INTO all_places ("PK", "SK", city) VALUES ('x', 'y', 'z') RETURNING *;
SELECT * FROM all_places ORDER BY 1, 2;

-- reading: conditions on all parts are conditions on the key, on the leading ones a range
EXPLAIN (COSTS OFF) SELECT total FROM orders WHERE customer_id = 'c7' AND order_id = 1007;
SELECT total FROM orders WHERE customer_id = 'c7' AND 1007 = order_id;
EXPLAIN (COSTS OFF) SELECT total FROM orders WHERE customer_id = 'c7';
EXPLAIN (COSTS OFF) SELECT total FROM orders WHERE customer_id = 'c7' AND order_id > 500 AND order_id <= 900;
EXPLAIN (COSTS OFF) SELECT total FROM orders WHERE status = 'OPEN' AND placed_at >= '2026-02-01' AND placed_at < '2026-02-02';
EXPLAIN (COSTS OFF) SELECT total FROM orders WHERE total = 7;
-- parameters in generic plans
SET plan_cache_mode = force_generic_plan;
PREPARE one(text, int) AS SELECT total FROM orders WHERE customer_id = $1 AND order_id = $2;
EXPLAIN (COSTS OFF) EXECUTE one('c7', 1007);
EXECUTE one('c7', 1007);
EXECUTE one('c#7', 1007);
EXECUTE one('c7', -1);
EXECUTE one('c7', NULL);
PREPARE below(text, int) AS SELECT count(*) FROM orders WHERE customer_id = $1 AND order_id < $2;
EXECUTE below('c7', 508);
EXECUTE below('c7', 100000000);
EXECUTE below('c7', -100000000);
RESET plan_cache_mode;
-- columns of other tables, in joins of any kind, and in subqueries
CREATE TABLE wanted (c text, o bigint);
INSERT INTO wanted VALUES ('c7', 1007), ('c8', 1008), ('c8', 1), ('none', 1), (NULL, 1);
ANALYZE wanted;
EXPLAIN (COSTS OFF) SELECT w.*, o.total FROM wanted w JOIN orders o ON o.customer_id = w.c AND o.order_id = w.o;
EXPLAIN (COSTS OFF) SELECT w.*, o.total FROM wanted w LEFT JOIN orders o ON o.customer_id = w.c AND o.order_id = w.o;
EXPLAIN (COSTS OFF) UPDATE orders SET total = 1 WHERE customer_id = 'c7' AND order_id = 1007;
EXPLAIN (COSTS OFF) SELECT total FROM (SELECT * FROM orders OFFSET 0) o WHERE customer_id = 'c7' AND order_id = 1007;

-- the same answers as without conditions on keys, which OFFSET 0 keeps away
CREATE FUNCTION same(query text, view_name text DEFAULT 'orders') RETURNS TABLE (rows bigint, same boolean, by_key boolean) LANGUAGE plpgsql AS $$
DECLARE
	plain text := regexp_replace(query, format('\m%s\M', view_name), format('(SELECT * FROM %s OFFSET 0)', view_name), 'g');
	plan json;
BEGIN
	EXECUTE format('SELECT count(*) FROM (%s) q', query) INTO rows;
	EXECUTE format('SELECT NOT EXISTS ((%1$s) EXCEPT ALL (%2$s)) AND NOT EXISTS ((%2$s) EXCEPT ALL (%1$s))', query, plain) INTO same;
	EXECUTE format('EXPLAIN (FORMAT JSON) %s', query) INTO plan;
	by_key := plan::text ~ 'Index Cond[^\n]*(compose_key|CUSTOMER#|STATUS#|ROOM#|T#|CLASS#|OPEN#)';
	RETURN NEXT;
END $$;
SELECT w AS condition, s.* FROM (VALUES
	('customer_id = ''c7'' AND order_id = 7'), ('customer_id = ''c3'' AND order_id > 1900'), ('customer_id = ''c7'' AND order_id >= 7 AND order_id < 107'),
	('customer_id = ''c7'' AND order_id BETWEEN 7 AND 107'), ('customer_id = ''c7'' AND order_id < 0'), ('customer_id = ''c7'' AND order_id > -5'),
	('customer_id = ''c7'' AND order_id < 99999999'), ('customer_id = ''c7'' AND order_id > 99999999'), ('customer_id = ''c7'' OR order_id = 7'),
	('customer_id IN (''c7'', ''c8'') AND order_id = 7'), ('customer_id = ''c7'' AND order_id = 7.0'), ('customer_id = ''c7'' AND order_id = 7::smallint'),
	('customer_id = ''c7'' AND NOT order_id = 7'), ('customer_id = ''C7'' COLLATE "C"'), ('customer_id > ''c7'' AND order_id = 9'), ('customer_id = ''''' ),
	('status = ''OPEN'' AND placed_at > ''2026-03-01'''), ('status = ''OPEN'' AND placed_at = ''2026-01-02 00:00'''), ('status = ''OPEN'' AND placed_at <= ''2026-01-01 05:00:00.0004'''),
	('status = ''OPEN'' AND placed_at BETWEEN ''2026-01-31'' AND ''2026-02-01'''), ('placed_at = ''2026-01-02 00:00'''), ('status IS NULL'), ('total = 7')) v(w),
	LATERAL same('SELECT order_id FROM orders o WHERE ' || w) s;
SELECT q AS query, s.* FROM (VALUES
	('SELECT w.*, o.total FROM wanted w JOIN orders o ON o.customer_id = w.c AND o.order_id = w.o'),
	('SELECT w.*, o.total FROM wanted w LEFT JOIN orders o ON o.customer_id = w.c AND o.order_id = w.o'),
	('SELECT w.*, o.total FROM wanted w LEFT JOIN orders o ON o.customer_id = w.c AND o.order_id = w.o WHERE o.total IS NULL'),
	('SELECT w.*, o.total FROM wanted w LEFT JOIN orders o ON o.customer_id = w.c WHERE o.order_id = 8 OR o.order_id IS NULL'),
	('SELECT w.*, o.order_id FROM orders o LEFT JOIN wanted w ON o.customer_id = w.c AND o.order_id = w.o'),
	('SELECT w.*, o.order_id FROM orders o RIGHT JOIN wanted w ON o.customer_id = w.c AND o.order_id = w.o'),
	('SELECT w.*, o.order_id FROM orders o FULL JOIN wanted w ON o.customer_id = w.c AND o.order_id = w.o'),
	('SELECT w.*, o.order_id FROM (orders o FULL JOIN wanted w ON o.order_id = w.o) WHERE o.customer_id = ''c7'''),
	('SELECT * FROM wanted w WHERE EXISTS (SELECT FROM orders o WHERE o.customer_id = w.c AND o.order_id = w.o)'),
	('SELECT * FROM wanted w WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer_id = w.c AND o.order_id = w.o)'),
	('SELECT o.order_id FROM orders o WHERE NOT EXISTS (SELECT FROM wanted w WHERE o.customer_id = w.c AND o.order_id = w.o)'),
	('SELECT o.order_id FROM orders o WHERE EXISTS (SELECT FROM wanted w WHERE o.customer_id = w.c AND o.order_id = w.o)'),
	('SELECT w.*, (SELECT o.total FROM orders o WHERE o.customer_id = w.c AND o.order_id = w.o) FROM wanted w'),
	('SELECT w.*, o.total FROM wanted w, LATERAL (SELECT * FROM orders o WHERE o.customer_id = w.c AND o.order_id <= w.o ORDER BY order_id DESC LIMIT 2) o'),
	('SELECT a.order_id FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND a.order_id = b.order_id + 50 WHERE b.customer_id = ''c7'' AND b.order_id < 300'),
	('SELECT order_id FROM orders o WHERE customer_id = (SELECT min(c) FROM wanted) AND order_id = 7'),
	('SELECT customer_id, count(*) FROM orders o GROUP BY customer_id HAVING customer_id = ''c7''')) v(q),
	LATERAL same(q) s;

-- a comparison that a whole key of the table tells is not made again; where the key
-- tells less than the attribute, it is, and where another part of the query needs it
SELECT create_table('logins', 'PK', 'SK');
SELECT create_entity('logins', 'login', '{"PK": "{email:lower}#{site}", "SK": "{at:s}#{site}#{n:04.1}"}',
	'{"email": "text", "site": "text", "at": "timestamptz", "n": "numeric"}', type_attribute => 'kind', view_name => 'logins_view');
INSERT INTO logins_view (email, site, at, n)
SELECT (ARRAY['ann@x', 'Ann@x', 'ANN@x'])[1 + i % 3], 's' || i % 5, '2026-01-01'::timestamptz + i * interval '0.4 seconds', i + 0.5 FROM generate_series(1, 300) i;
ANALYZE logins;
EXPLAIN (COSTS OFF) SELECT n FROM logins_view WHERE email = 'Ann@x' AND site = 's1' AND at = '2026-01-01 00:00:00.4' AND n = 1.5;
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE customer_id = 'c7' AND order_id = 1007 ORDER BY customer_id, total;
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE customer_id = 'c7' AND customer_id = 'c8';
-- subplans have other names since PostgreSQL 19
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		RETURN NEXT replace(line, 'expr_1', '1');
	END LOOP;
END $$;
SELECT plan_of($$SELECT order_id FROM orders o WHERE customer_id = 'c7' AND order_id = (SELECT max(order_id) FROM orders i WHERE i.customer_id = 'c7' AND i.order_id = o.order_id)$$);
SELECT w AS condition, s.rows, s.same FROM (VALUES
	('email = ''Ann@x'' AND site = ''s1'''), ('email = ''Ann@x'' AND site = ''s1'' AND at = ''2026-01-01 00:00:00.4'' AND n = 1.5'),
	('email = ''ann@x'' AND site = ''s1'' AND at = ''2026-01-01 00:00:00.4'' AND n = 1.5'), ('email = ''Ann@x'' AND site = ''s1'' AND at = ''2026-01-01 00:00:00.5'' AND n = 1.5'),
	('email = ''Ann@x'' AND site = ''s1'' AND site = ''s2'''), ('email = ''Ann@x'' AND site = ''s1'' OR n = 2.5'), ('NOT (email = ''Ann@x'' AND site = ''s1'')'),
	('email = ''Ann@x'' AND site = ''s1'' AND at = ''2026-01-01 00:00:00.4'' AND n = 1.50'), ('email = ''Ann@x'' AND site = ''s1#'''), ('site = NULL')) v(w),
	LATERAL same('SELECT email, at FROM logins_view o WHERE ' || w, 'logins_view') s;

-- arrays, dates, uuids, numbers with decimals, indexes with a condition: the same answers,
-- and as few pages as by the key itself
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE query;
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) %s', query) INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks';
END $$;
SELECT create_table('stays', 'PK', 'SK', indexes => '[
	{"index_name": "by_token", "partition_key": "token_key"}, {"index_name": "by_price", "partition_key": "class_key", "sort_key": "price_key"},
	{"index_name": "open", "partition_key": "open_key", "sort_key": "open_day"}]');
SELECT create_entity('stays', 'stay', '{"PK": "ROOM#{room}", "SK": "{day:date}", "token_key": "T#{token}", "class_key": "CLASS#{class}", "price_key": "{price:06.2}",
		"open_key": "OPEN#{class}", "open_day": "{checked_in:us}"}',
	'{"room": "int", "day": "date", "token": "uuid", "class": "text", "price": "numeric(8,2)", "state": "text", "checked_in": "timestamp"}',
	type_attribute => 'kind', index_conditions => '{"open": "#s = :open"}', expression_attribute_values => '{":open": {"S": "OPEN"}}',
	expression_attribute_names => '{"#s": "state"}', view_name => 'stays_view');
INSERT INTO stays_view (room, day, token, class, price, state, checked_in)
SELECT 100 + i % 40, '2026-01-01'::date + i / 40, md5(i::text)::uuid, (ARRAY['A', 'B', 'C'])[1 + i % 3], i + 0.25, CASE WHEN i % 10 = 0 THEN 'OPEN' ELSE 'DONE' END,
	'2026-01-01'::timestamp + i * interval '1 hour'
FROM generate_series(1, 2000) i;
-- times as other writers give them
SELECT put_item('stays', '{"kind": "stay", "room": 200, "day": "2026-01-31T23:30:00-05:00", "checked_in": 1769853600, "class": "B", "state": "OPEN"}'::jsonb);
SELECT room, day, checked_in FROM stays_view WHERE room = 200 AND day = '2026-02-01';
SELECT room, day FROM stays_view WHERE class = 'B' AND state = 'OPEN' AND checked_in = '2026-01-31 10:00';
SELECT put_item('stays', '{"kind": "stay", "room": 201, "day": "2026-01-31", "token": "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"}'::jsonb);
SELECT put_item('stays', '{"kind": "stay", "room": 201, "day": "2026-01-31", "state": 7}'::jsonb);
SELECT put_item('stays', '{"kind": "stay", "room": 201, "day": "2026-01-31", "class": "A", "price": 7.125}'::jsonb);
VACUUM ANALYZE stays;
SELECT pages($$SELECT price FROM stays_view WHERE room = 101 AND day = '2026-01-05'$$) <= 4 AS by_key,
	pages($$SELECT price FROM (SELECT * FROM stays_view OFFSET 0) s WHERE room = 101 AND day = '2026-01-05'$$) > 50 AS without;
EXPLAIN (COSTS OFF) SELECT price FROM stays_view WHERE room IN (101, 102, 103) AND day = '2026-01-05';
EXPLAIN (COSTS OFF) SELECT price FROM stays_view WHERE room = 101 AND day BETWEEN '2026-01-05' AND '2026-01-09';
EXPLAIN (COSTS OFF) SELECT room FROM stays_view WHERE token = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b';
EXPLAIN (COSTS OFF) SELECT room FROM stays_view WHERE class = 'A' AND price = 300.25;
EXPLAIN (COSTS OFF) SELECT room FROM stays_view WHERE class = 'A' AND state = 'OPEN' AND checked_in >= '2026-01-04' AND checked_in < '2026-01-06';
EXPLAIN (COSTS OFF) SELECT room FROM stays_view WHERE class = 'A' AND state = 'DONE' AND checked_in = '2026-01-05 10:00';
SET plan_cache_mode = force_generic_plan;
PREPARE many(int[], date) AS SELECT price FROM stays_view WHERE room = ANY ($1) AND day = $2;
EXPLAIN (COSTS OFF) EXECUTE many('{101,102,NULL,102}', '2026-01-05');
EXECUTE many('{101,102,NULL,102}', '2026-01-05');
EXECUTE many(NULL, '2026-01-05');
EXECUTE many('{}', '2026-01-05');
RESET plan_cache_mode;
CREATE TABLE rooms (room int, day date, tokens uuid[]);
INSERT INTO rooms VALUES (101, '2026-01-05', '{c4ca4238-a0b9-2382-0dcc-509a6f75849b,c81e728d-9d4c-2f63-6f06-7f89cc14862c}'), (102, '2026-01-06', NULL), (NULL, NULL, '{}');
ANALYZE rooms;
SELECT w AS condition, s.*, pages('SELECT price FROM stays_view WHERE ' || w) < 20 AS few_pages FROM (VALUES
	('room IN (101, 102, 103) AND day = ''2026-01-05'''), ('room = 101 AND day BETWEEN ''2026-01-05'' AND ''2026-01-09'''),
	('room = 101 AND day IN (''2026-01-05'', ''2026-01-06'')'), ('room IN (101, 102) AND day IN (''2026-01-05'', ''2026-01-06'')'),
	('token = ''c4ca4238-a0b9-2382-0dcc-509a6f75849b'''), ('token = ANY (''{c4ca4238-a0b9-2382-0dcc-509a6f75849b}''::uuid[])'),
	('class = ''A'' AND price = 300.25'), ('class = ''A'' AND price > 1990 AND price < 1993'), ('class = ''A'' AND price = 300.251'),
	('class = ''A'' AND state = ''OPEN'' AND checked_in >= ''2026-01-04'' AND checked_in < ''2026-01-06'''),
	('room NOT IN (101, 102) AND day = ''2026-01-05'''), ('room <> ALL (''{101}'') AND day = ''2026-01-05'''),
	('room < ANY (''{102,101}'') AND day = ''2026-01-05'''), ('class = ''A'' AND state = ''DONE'' AND checked_in < ''2026-01-02'''),
	('class = ''A'' AND checked_in < ''2026-01-02'''), ('class = ''A'' AND state IN (''OPEN'') AND checked_in < ''2026-01-02''')) v(w),
	LATERAL same('SELECT room, day FROM stays_view o WHERE ' || w, 'stays_view') s;
SELECT q AS query, s.* FROM (VALUES
	('SELECT r.*, o.price FROM rooms r JOIN stays_view o ON o.room = r.room AND o.day = r.day'),
	('SELECT r.room, o.price FROM rooms r LEFT JOIN stays_view o ON o.token = ANY (r.tokens)'),
	('SELECT r.room, o.price FROM rooms r JOIN stays_view o ON o.room IN (r.room, 103) AND o.day = r.day')) v(q), LATERAL same(q, 'stays_view') s;

-- items from before the entity: their index keys are not relied upon
SELECT create_table('old', 'PK', indexes => '[{"index_name": "by_name", "partition_key": "name_key"}]');
SELECT put_item('old', '{"PK": {"S": "P#1"}, "id": {"S": "1"}, "name": {"S": "Ann"}, "name_key": {"S": "stale"}}');
SELECT create_entity('old', 'person', '{"PK": "P#{id}", "name_key": "N#{name}"}', '{"id": "text", "name": "text"}', view_name => 'people');
SELECT id FROM people WHERE name = 'Ann';
EXPLAIN (COSTS OFF) SELECT id FROM people WHERE name = 'Ann';
-- until all have been applied
SELECT apply_entity('old', 'person', max_items => 1);
EXPLAIN (COSTS OFF) SELECT id FROM people WHERE name = 'Ann';
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT apply_entity('old', 'person');
COMMIT;
SELECT describe_entity('old', 'person') ? 'applied';
SELECT apply_entity('old');
SELECT describe_entity('old', 'person') -> 'applied';
SELECT id FROM people WHERE name = 'Ann';
EXPLAIN (COSTS OFF) SELECT id FROM people WHERE name = 'Ann';
-- an item whose key is not what its attributes make is not in the view
SELECT put_item('old', '{"PK": {"S": "P#3"}, "name": {"S": "Eve"}}');
SET session_replication_role = replica;
INSERT INTO old (item) VALUES ('{"PK": {"S": "P#2"}, "id": {"S": "9"}, "name": {"S": "Bob"}}');
RESET session_replication_role;
SELECT * FROM people;

-- other columns and names, and errors
SELECT create_entity_view('few', 'shop', '{"number": {"type": "bigint", "attribute": "order_id"}, "customer": {"type": "text", "attribute": "customer_id"}}', entity_name => 'order');
EXPLAIN (COSTS OFF) SELECT * FROM few WHERE customer = 'c7' AND number = 7;
SELECT * FROM few WHERE customer = 'c7' AND number = 7;
SELECT create_entity_view('bad', 'shop', entity_name => 'none');
SELECT create_entity_view('bad', 'shop');
SELECT dynamo_system.is_entity('pg_class'::regclass, 'order', '{}'), dynamo_system.is_entity(0, 'order', '{}'), dynamo_system.entity_filter('shop'::regclass, 'order', '{}', 'a', 1);
SELECT dynamo_internal.compose_key('{a}#{b:03}', 'a'::text, 'x'::text), dynamo_internal.compose_key('{a}#{b:03}', 'a'::text, 'x'::text, 'b'::text, 7),
	dynamo_internal.compose_key('{a}#{b:03}', 'a'::text, 'x'::text, 'b'::text, 7777), dynamo_internal.compose_key('{a}#{b:03}', 'a'::text, NULL::text);
SELECT dynamo_internal.compose_key('{a}', 'a', 'x');
SELECT dynamo_internal.compose_key('{a}', 'a'::text);
SELECT dynamo_internal.compose_key('{a}', 'a'::text, '(1,2)'::point);
SELECT dynamo_internal.compose_key('{a}', VARIADIC ARRAY['a', 'x']);
SELECT dynamo_internal.compose_keys('{a}#{b:03}', 'a'::text, ARRAY['x', NULL, 'y#'], 'b'::text, 7), dynamo_internal.compose_keys('{a}', 'a'::text, NULL::text[]);
SELECT dynamo_internal.compose_keys('{a}', 'a'::text, 'x'::text);
SELECT dynamo_internal.compose_key('{a}', 'a'::text, ARRAY['x']);
SELECT parse_time('2026-01-31T12:00:00.5+02:00'), parse_time('1769853600'), parse_time('2026-01-31 12:00');
SELECT parse_time('tomorrow');
SELECT parse_time('') IS NULL AS missing;
SELECT parse_time('-');
-- views go with their entity; one of another role stays, and is empty
CREATE ROLE regress_entity_view;
GRANT USAGE, CREATE ON SCHEMA t_entity_view TO regress_entity_view;
SET ROLE regress_entity_view;
SELECT create_entity_view('theirs', 'shop', entity_name => 'order');
RESET ROLE;
SELECT drop_entity('shop', 'order');
SELECT relname FROM pg_class WHERE relnamespace = 't_entity_view'::regnamespace AND relkind = 'v' ORDER BY 1;
SELECT count(*) FROM theirs;
INSERT INTO theirs (customer_id, order_id) VALUES ('c7', 1);
DROP VIEW theirs;

-- the rights are those of whoever uses the view
GRANT SELECT ON customers TO regress_entity_view;
SET ROLE regress_entity_view;
SELECT name FROM customers WHERE customer_id = 'c1';
RESET ROLE;
GRANT SELECT ON shop TO regress_entity_view;
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
CREATE POLICY only_bob ON shop USING (item ->> 'name' = 'Bob');
SET ROLE regress_entity_view;
SELECT name FROM customers WHERE customer_id = 'c1';
SELECT name FROM customers WHERE customer_id = 'c2';
EXPLAIN (COSTS OFF) SELECT name FROM customers WHERE customer_id = 'c2';
RESET ROLE;

-- rights to attributes: a view that reads with its owner's rights, and rights to its columns only
ALTER TABLE shop DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON shop, customers FROM regress_entity_view;
ALTER VIEW customers SET (security_invoker = false);
GRANT SELECT (customer_id) ON customers TO regress_entity_view;
SET ROLE regress_entity_view;
SELECT customer_id FROM customers WHERE customer_id = 'c1';
SELECT name FROM customers WHERE customer_id = 'c1';
SELECT count(*) FROM customers WHERE name = 'Ann';
UPDATE customers SET customer_id = 'c3';
SELECT get_item('shop', entity_key('shop', 'customer', '{"customer_id": "c1"}'::jsonb));
SELECT put_item('shop', '{"kind": "customer", "customer_id": "c9"}'::jsonb);
SELECT request('GetItem', '{"TableName": "shop", "Key": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}}, "ProjectionExpression": "customer_id"}');
SELECT count(*) FROM shop;
EXPLAIN (COSTS OFF) SELECT customer_id FROM customers WHERE customer_id = 'c1';
RESET ROLE;
-- the right to write the column is enough: the view writes with the rights of its owner, too
GRANT UPDATE (name) ON customers TO regress_entity_view;
SET ROLE regress_entity_view;
UPDATE customers SET name = 'Eve' WHERE customer_id = 'c1';
RESET ROLE;

-- an index of declared attributes comes and goes beneath views: their columns stay what they are
SELECT create_table('goods', 'PK');
SELECT create_entity('goods', 'part', '{"PK": "PART#{id}"}', '{"id": "text", "maker": "text", "size": "int", "color": "varchar(10)"}', type_attribute => 'kind', view_name => 'parts');
SELECT create_index('goods', 'by_maker', 'maker', 'size', sort_key_type => 'N');
SELECT create_index('goods', 'by_color', 'color', 'maker');
SELECT create_entity_view('by_keys', 'goods', '{"id": "text", "maker": "text", "size": "int", "color": "varchar(10)"}', entity_name => 'part');
SELECT create_entity_view('all_goods', 'goods', '{"maker": "text", "n": {"type": "int", "attribute": "size"}}');
INSERT INTO parts (id, maker, size, color) VALUES ('1', 'Orsted', 3, 'red'), ('2', 'acme', 5, 'blue'), ('3', 'Zorn', 4, NULL);
CREATE FUNCTION shown(OUT shown text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s.%s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), c.collname) FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation
	WHERE a.attrelid IN ('parts'::regclass, 'by_keys'::regclass, 'all_goods'::regclass) AND a.attname IN ('maker', 'color', 'size', 'n') ORDER BY 1 $$;
CREATE FUNCTION read_from_item(view_name text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(a, ' ') FROM unnest('{maker,size,color}'::text[]) a WHERE pg_get_viewdef($1) ~ format('item(,| ->>) ''%s''', a) $$;
CREATE TABLE before AS SELECT * FROM shown();
SELECT * FROM before;
SELECT read_from_item('by_keys'), read_from_item('parts');
SELECT create_entity('goods', 'part', '{"PK": "PART#{id}"}', '{"id": "text", "maker": "text", "size": "int", "color": "varchar(10)", "weight": "numeric"}', type_attribute => 'kind', replace => true);
SELECT id, maker, size, color, weight FROM parts WHERE maker = 'acme';
SELECT drop_index('goods', 'by_color');
SELECT read_from_item('by_keys');
SELECT drop_index('goods', 'by_maker');
SELECT read_from_item('by_keys'), read_from_item('all_goods');
SELECT * FROM shown() EXCEPT SELECT * FROM before;
SELECT id, maker, size, color FROM by_keys ORDER BY maker;
SELECT maker, n FROM all_goods WHERE n > 3 ORDER BY n;
SELECT create_index('goods', 'by_maker', 'maker', 'size', sort_key_type => 'N');
SELECT create_entity('goods', 'part', '{"PK": "PART#{id}"}', '{"id": "text", "maker": "text", "size": "int", "color": "varchar(10)", "weight": "numeric"}', type_attribute => 'kind', replace => true);
SELECT read_from_item('by_keys'), read_from_item('parts');
SELECT * FROM shown() EXCEPT SELECT * FROM before;
-- what others have made of the column stays
CREATE VIEW by_hand AS SELECT maker FROM goods;
SELECT drop_index('goods', 'by_maker');
DROP VIEW by_hand;
SELECT drop_index('goods', 'by_maker');

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_entity_view CASCADE;
DROP ROLE regress_entity_view;
