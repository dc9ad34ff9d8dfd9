-- views of entities read index tables by the parts of their keys
CREATE SCHEMA t_entries;
SET search_path = t_entries, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET enable_memoize = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_seqscan = off;
SET random_page_cost = 1;

SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_courier", "partition_key": "GSI2PK", "sort_key": "GSI2SK"}]');
SELECT create_index('shop', 'open', 'GSI3PK', 'GSI3SK', projection => 'KEYS_ONLY', storage => 'table', shards => 3);
SELECT create_index('shop', 'by_weight', 'GSI4PK', 'weight', sort_key_type => 'N', storage => 'table');
SELECT create_index('shop', 'inverted', 'SK', 'PK', storage => 'table');
SELECT change_index('shop', 'by_status', projection => 'KEYS_ONLY', storage => 'table');
SELECT change_index('shop', 'by_courier', storage => 'table', shards => 4, shard_by => 'courier');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}",
		"GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}", "GSI2PK": "COURIER#{courier}", "GSI2SK": "{sent_at:ms:desc}#{order_id:06}",
		"GSI3PK": "OPEN#{class}", "GSI3SK": "{customer_id}#{order_id:06}", "GSI4PK": "CLASS#{class}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": {"type": "timestamptz", "required": true}, "status": {"type": "text", "required": true, "default": "OPEN"},
	  "courier": "text", "sent_at": "timestamptz", "class": "text", "weight": "int", "note": "text"}',
	type_attribute => 'kind', view_name => 'orders', index_conditions => '{"open": "#s = :open"}',
	expression_attribute_values => '{":open": {"S": "OPEN"}}', expression_attribute_names => '{"#s": "status"}');
INSERT INTO orders (customer_id, order_id, placed_at, status, courier, sent_at, class, weight, note)
SELECT 'c' || i % 50, i, '2026-01-01'::timestamptz + i * interval '1 hour', COALESCE((ARRAY['OPEN', 'PAID', 'SENT'])[1 + i % 50], 'DONE' || i % 25),
	CASE WHEN i % 50 > 1 THEN 'u' || i % 40 END, CASE WHEN i % 50 > 2 THEN '2026-01-02'::timestamptz + i * interval '1 hour' END,
	(ARRAY['A', 'B', 'C'])[1 + i % 3], CASE WHEN i % 7 > 0 THEN i % 30 END, 'note ' || i
FROM generate_series(1, 2000) i;
VACUUM ANALYZE shop;
ANALYZE "shop$by_status", "shop$by_courier", "shop$open", "shop$by_weight", "shop$inverted";

-- a range of entries, and the row of each
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE status = 'SENT' AND placed_at = '2026-01-01 02:00';
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE status = 'SENT' AND placed_at >= '2026-02-01' AND placed_at < '2026-02-02';
SELECT note FROM orders WHERE status = 'SENT' AND placed_at >= '2026-02-01' AND placed_at < '2026-02-02';
-- as few pages as that takes
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE query;
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) %s', query) INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks';
END $$;
SELECT pages($$SELECT note FROM orders WHERE status = 'SENT' AND placed_at = '2026-01-01 02:00'$$) <= 7 AS by_entries,
	pages($$SELECT note FROM (SELECT * FROM orders OFFSET 0) o WHERE status = 'SENT' AND placed_at = '2026-01-01 02:00'$$) > 50 AS without;
-- what is required every item has
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE status = 'SENT';
-- an item without sent_at has no entry, so only a condition on it allows to read entries
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE courier = 'u3';
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE courier = 'u3' AND sent_at > '2026-03-01';
-- spread over shards, and with a condition: the range in each shard
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE class = 'A' AND status = 'OPEN' AND customer_id = 'c10';
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE class = 'A';
-- the table's key is preferred
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE customer_id = 'c7' AND order_id = 7 AND status = 'DONE7';
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE order_id = 7;
-- parameters in generic plans
SET plan_cache_mode = force_generic_plan;
PREPARE sent(text, timestamptz) AS SELECT note FROM orders WHERE status = $1 AND placed_at >= $2 ORDER BY order_id LIMIT 2;
EXPLAIN (COSTS OFF) EXECUTE sent('SENT', '2026-02-01');
EXECUTE sent('SENT', '2026-02-01');
EXECUTE sent('none', '2026-02-01');
EXECUTE sent(NULL, '2026-02-01');
-- columns of other tables
CREATE TABLE wanted (s text, at timestamptz);
CREATE INDEX wanted_at ON wanted (at);
INSERT INTO wanted SELECT status, placed_at FROM orders WHERE order_id IN (2, 52, 103);
INSERT INTO wanted VALUES (NULL, NULL), ('SENT', '2020-01-01');
ANALYZE wanted;
EXPLAIN (COSTS OFF) SELECT w.*, o.note FROM wanted w LEFT JOIN orders o ON o.status = w.s AND o.placed_at = w.at;
RESET plan_cache_mode;

-- the same answers as without conditions on keys, which OFFSET 0 keeps away
CREATE FUNCTION same(query text) RETURNS TABLE (rows bigint, same boolean, entries text) LANGUAGE plpgsql AS $$
DECLARE
	plain text := regexp_replace(query, '\morders\M', '(SELECT * FROM orders OFFSET 0)', 'g');
	plan text;
BEGIN
	EXECUTE format('SELECT count(*) FROM (%s) q', query) INTO rows;
	EXECUTE format('SELECT NOT EXISTS ((%1$s) EXCEPT ALL (%2$s)) AND NOT EXISTS ((%2$s) EXCEPT ALL (%1$s))', query, plain) INTO same;
	FOR plan IN EXECUTE format('EXPLAIN (COSTS OFF) %s', query) LOOP
		entries := COALESCE(entries, substring(plan from 'Index (?:Only )?Scan .* on "?shop\$(\w+?)(?:\$|"|\M)'));
	END LOOP;
	RETURN NEXT;
END $$;
SELECT w AS condition, s.* FROM (VALUES
	('status = ''SENT'''), ('status = ''SENT'' AND placed_at = ''2026-01-01 02:00'''), ('status = ''SENT'' AND placed_at < ''2026-01-13'''),
	('status IN (''SENT'', ''PAID'') AND placed_at < ''2026-01-13'''), ('status = ''SENT'' AND placed_at > now() + interval ''100 years'''),
	('status = ''SENT'' OR placed_at < ''2026-01-13'''), ('NOT status = ''SENT'''), ('status = ''OPEN'''), ('status = ''OPEN'' AND placed_at < ''2026-01-13'''),
	('courier = ''u3'''), ('courier = ''u3'' AND sent_at > ''2026-03-01'''), ('courier = ''u3'' AND sent_at IS NULL'), ('courier IS NULL AND status = ''PAID'''),
	('courier = ''u2'' AND sent_at < ''2026-03-01'''), ('courier = ''u13'' AND sent_at = ''2026-01-02 13:00'' AND order_id = 13'),
	('class = ''A'''), ('class = ''A'' AND weight = 3'), ('class = ''A'' AND weight IS NULL'), ('order_id = 7'), ('order_id = 7 AND customer_id = ''c7'''),
	('class = ''A'' AND status = ''OPEN'' AND customer_id = ''c10'''), ('class = ''A'' AND status = ''DONE7'' AND customer_id = ''c10'''), ('order_id IN (7, 8, 9)'), ('order_id = 7 AND status = ''DONE7''')) v(w),
	LATERAL same('SELECT order_id, note FROM orders o WHERE ' || w) s;
SELECT q AS query, s.* FROM (VALUES
	('SELECT w.*, o.note FROM wanted w JOIN orders o ON o.status = w.s AND o.placed_at = w.at'),
	('SELECT w.*, o.note FROM wanted w LEFT JOIN orders o ON o.status = w.s AND o.placed_at = w.at'),
	('SELECT w.*, o.note FROM wanted w LEFT JOIN orders o ON o.status = w.s AND o.placed_at = w.at WHERE o.note IS NULL'),
	('SELECT w.*, o.note FROM orders o LEFT JOIN wanted w ON o.status = w.s AND o.placed_at = w.at'),
	('SELECT w.*, o.note FROM orders o RIGHT JOIN wanted w ON o.status = w.s AND o.placed_at = w.at'),
	('SELECT w.*, o.note FROM orders o FULL JOIN wanted w ON o.status = w.s AND o.placed_at = w.at'),
	('SELECT w.*, o.note FROM wanted w FULL JOIN orders o ON o.placed_at = w.at WHERE o.status = ''SENT'''),
	('SELECT * FROM wanted w WHERE EXISTS (SELECT FROM orders o WHERE o.status = w.s AND o.placed_at = w.at)'),
	('SELECT * FROM wanted w WHERE NOT EXISTS (SELECT FROM orders o WHERE o.status = w.s AND o.placed_at = w.at)'),
	('SELECT o.note FROM orders o WHERE EXISTS (SELECT FROM wanted w WHERE o.status = w.s AND o.placed_at = w.at)'),
	('SELECT w.*, (SELECT o.note FROM orders o WHERE o.status = w.s AND o.placed_at = w.at) FROM wanted w'),
	('SELECT w.*, o.note FROM wanted w, LATERAL (SELECT * FROM orders o WHERE o.status = w.s AND o.placed_at <= w.at ORDER BY placed_at DESC LIMIT 2) o'),
	('SELECT a.note, b.note FROM orders a JOIN orders b ON a.status = b.status AND a.placed_at = b.placed_at WHERE b.status = ''SENT'' AND b.placed_at < ''2026-01-15'''),
	('SELECT status, count(*) FROM orders o GROUP BY status HAVING status = ''SENT'''),
	('SELECT min(note) FROM orders o WHERE status = ''SENT'' AND placed_at < ''2026-01-15'''),
	('SELECT note FROM orders o WHERE status = ''SENT'' AND placed_at < ''2026-01-13'' UNION ALL SELECT note FROM orders o WHERE status = ''PAID'' AND placed_at < ''2026-01-13'''),
	('WITH o AS MATERIALIZED (SELECT * FROM orders q WHERE status = ''SENT'') SELECT note FROM o WHERE placed_at < ''2026-01-13''')) v(q),
	LATERAL same(q) s;

-- writing through the view, and locking
UPDATE orders SET note = 'late' WHERE status = 'SENT' AND placed_at < '2026-01-08' RETURNING order_id, note;
DELETE FROM orders WHERE status = 'SENT' AND placed_at < '2026-01-08' AND order_id > 50 RETURNING order_id;
SELECT order_id FROM orders WHERE status = 'SENT' AND placed_at < '2026-01-08' FOR UPDATE;
BEGIN;
UPDATE orders SET status = 'LOST' WHERE status = 'SENT' AND placed_at < '2026-01-08' RETURNING order_id;
SELECT order_id FROM orders WHERE status = 'LOST';
ROLLBACK;

-- plans follow the definition
SET plan_cache_mode = force_generic_plan;
PREPARE lost(text) AS SELECT order_id FROM orders WHERE status = $1 AND placed_at < '2026-01-08';
EXECUTE lost('SENT');
SELECT change_index('shop', 'by_status', storage => 'inline');
EXECUTE lost('SENT');
EXPLAIN (COSTS OFF) EXECUTE lost('SENT');
SELECT change_index('shop', 'by_status', storage => 'table', shards => 2);
EXECUTE lost('SENT');
SELECT reshard_index('shop', 'by_status', 3);
EXECUTE lost('SENT');
EXPLAIN (COSTS OFF) EXECUTE lost('SENT');
SELECT drop_index('shop', 'by_status');
EXECUTE lost('SENT');
SELECT create_index('shop', 'by_status', 'GSI1PK', 'GSI1SK', storage => 'table', shards => 3);
EXPLAIN (COSTS OFF) EXECUTE lost('SENT');
RESET plan_cache_mode;

-- a part of a key that is required cannot be empty either
SELECT put_item('shop', '{"kind": "order", "customer_id": "c1", "order_id": 9001}'::jsonb);
SELECT put_item('shop', '{"kind": "order", "customer_id": "c1", "order_id": 9001, "placed_at": ""}'::jsonb);
SELECT update_item('shop', entity_key('shop', 'order', '{"customer_id": "c3", "order_id": 3}'::jsonb), 'SET placed_at = :e',
	expression_attribute_values => '{":e": {"S": ""}}');
-- items from before it was required may lack it
SELECT create_entity('shop', 'order', jsonb_object_agg(k ->> 'attribute', k ->> 'template'),
	'{"customer_id": "text", "order_id": "int", "placed_at": {"type": "timestamptz", "required": true}, "status": {"type": "text", "required": true, "default": "OPEN"},
	  "courier": "text", "sent_at": {"type": "timestamptz", "required": true}, "class": "text", "weight": {"type": "int", "required": true}, "note": "text"}',
	type_attribute => 'kind', index_conditions => '{"open": "#s = :open"}', replace => true,
	expression_attribute_values => '{":open": {"S": "OPEN"}}', expression_attribute_names => '{"#s": "status"}')
FROM jsonb_array_elements(describe_entity('shop', 'order') -> 'keys') k;
SELECT describe_entity('shop', 'order') ? 'applied' AS applied;
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE courier = 'u3';
SELECT count(*) FROM check_entity('shop');
UPDATE orders SET sent_at = COALESCE(sent_at, '2027-01-01'), weight = COALESCE(weight, 0), courier = COALESCE(courier, 'none') WHERE sent_at IS NULL OR weight IS NULL;
SELECT apply_entity('shop');
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE courier = 'u3';
EXPLAIN (COSTS OFF) SELECT note FROM orders WHERE class = 'A';
SELECT count(*) FROM orders WHERE class = 'A';
SELECT count(*) FROM (SELECT * FROM orders OFFSET 0) o WHERE class = 'A';

-- the view gives nobody more: neither rows nor columns, nor a glance at what is hidden
CREATE ROLE regress_entries;
GRANT USAGE, CREATE ON SCHEMA t_entries TO regress_entries;
GRANT SELECT ON shop, orders TO regress_entries;
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
CREATE POLICY one ON shop USING (item ->> 'customer_id' = 'c2');
SET ROLE regress_entries;
CREATE FUNCTION spy(anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;
SELECT count(*) FROM "shop$by_status";
SELECT order_id FROM orders WHERE status = 'SENT' AND placed_at < '2026-01-08' AND spy(note) AND spy("PK") AND spy(placed_at);
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE status = 'SENT' AND placed_at < '2026-01-08' AND spy(note);
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE status = 'SENT' AND placed_at < '2026-01-08' AND "PK" = 'CUSTOMER#c3';
RESET ROLE;
ALTER TABLE shop DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON shop, orders FROM regress_entries;
ALTER VIEW orders SET (security_invoker = false, security_barrier);
GRANT SELECT (order_id, status) ON orders TO regress_entries;
SET ROLE regress_entries;
SELECT order_id FROM orders WHERE status = 'SENT' AND spy(order_id) AND order_id < 200;
EXPLAIN (COSTS OFF) SELECT order_id FROM orders WHERE status = 'SENT';
SELECT order_id FROM orders WHERE status = 'SENT' AND placed_at < '2026-01-08';
RESET ROLE;
-- an owner who has taken the right to the index table from themselves reads the table
SET ROLE regress_entries;
SELECT create_table('own', 'PK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK"}]');
SELECT change_index('own', 'by_status', storage => 'table');
SELECT create_entity('own', 'order', '{"PK": "ORDER#{id:04}", "GSI1PK": "STATUS#{status}"}', '{"id": "int", "status": "text"}', view_name => 'own_orders');
INSERT INTO own_orders (id, status) VALUES (1, 'OPEN'), (2, 'DONE');
EXPLAIN (COSTS OFF) SELECT id FROM own_orders WHERE status = 'OPEN';
REVOKE ALL ON "own$by_status" FROM regress_entries;
EXPLAIN (COSTS OFF) SELECT id FROM own_orders WHERE status = 'OPEN';
SELECT id FROM own_orders WHERE status = 'OPEN';
RESET ROLE;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_entries CASCADE;
DROP ROLE regress_entries;
