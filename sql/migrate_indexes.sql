-- dynamo.migrate_entity and the keys of indexes: those that are parts of the table's key, and those
-- that items cannot get.
CREATE SCHEMA t_migrate_indexes;
SET search_path = t_migrate_indexes, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET client_min_messages = warning;

-- an index whose key is the table's the other way round: while items are moved, they are in it under either key
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "inverted", "partition_key": "SK", "sort_key": "PK"}]');
SELECT create_table('apart', 'PK', 'SK', indexes => '[{"index_name": "inverted", "partition_key": "SK", "sort_key": "GSI1SK", "storage": "table"}]');
SELECT create_entity(t, 'order', '{"PK": "CUSTOMER#{c}", "SK": "ORDER#{o}"}'::jsonb || CASE t WHEN 'apart' THEN '{"GSI1SK": "{n:04}"}'::jsonb ELSE '{}' END,
	'{"c": "text", "o": "int", "n": "int"}', type_attribute => 'kind', view_name => t || '_orders') FROM unnest('{shop,apart}'::text[]) t;
INSERT INTO shop_orders (c, o, n) SELECT 'c' || o % 100, o, o FROM generate_series(1, 2000) o;
INSERT INTO apart_orders (c, o, n) SELECT 'c' || o % 100, o, o FROM generate_series(1, 2000) o;
SELECT put_item(t, '{"PK": "C#c7", "SK": "ORDER#00000007"}'::jsonb) FROM unnest('{shop,apart}'::text[]) t;
ANALYZE shop, apart;
SELECT migrate_entity(t, 'order', '{"PK": "C#{c}", "SK": "ORDER#{o:08}"}') FROM unnest('{shop,apart}'::text[]) t;
CALL await_migration('shop');
CALL await_migration('apart');
UPDATE shop_orders SET n = n + 10000 WHERE o IN (5, 6);
UPDATE apart_orders SET n = n + 1000 WHERE o IN (5, 6);
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END $$;
SET enable_seqscan = off;
SELECT plan !~ 'Seq Scan' AND plan ~ 'inverted' AND plan ~ 'Index Cond: [^\n]*ORDER#00000005' AND plan ~ 'Index Cond: [^\n]*ORDER#5\M'
FROM unnest(ARRAY['SELECT c FROM shop_orders WHERE o = 5', 'SELECT c FROM apart_orders WHERE o = 5 AND n = 1005']) q, plan_of(q) plan;
SELECT "PK", "SK", n FROM shop_orders WHERE o IN (5, 6, 7) ORDER BY n;
SELECT "PK", "SK", n FROM shop_orders WHERE o = 5;
SELECT "PK", "SK", n FROM shop_orders WHERE o = 7;
SELECT "PK", "SK", n FROM apart_orders WHERE o = 6 AND n = 1006;
SELECT "PK", "SK", n FROM apart_orders WHERE o = 7 AND n = 7;
PREPARE of_order(int) AS SELECT "PK", n FROM shop_orders WHERE o = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE of_order(5);
EXECUTE of_order(8);
RESET enable_seqscan;
-- a query by parts would have to read both
SELECT query('shop', 'kind = :k AND o = :o', '{":k": {"S": "order"}, ":o": {"N": "8"}}', index_name => 'inverted');
SELECT delete_item(t, '{"PK": "C#c7", "SK": "ORDER#00000007"}'::jsonb) FROM unnest('{shop,apart}'::text[]) t;
SELECT count(*) FROM shop_orders WHERE o = 7;
SELECT resume_migration(t, 'order') FROM unnest('{shop,apart}'::text[]) t;
CALL await_migration('shop');
CALL await_migration('apart');
EXECUTE of_order(5);
EXECUTE of_order(8);
SELECT query('shop', 'kind = :k AND o = :o', '{":k": {"S": "order"}, ":o": {"N": "8"}}', index_name => 'inverted') ->> 'PK';
SELECT "PK", "SK", n FROM apart_orders WHERE o = 7 AND n = 7;
SELECT count(*) FROM check_entity('shop');
SELECT count(v) FROM unnest('{shop,apart}'::text[]) t, verify_index(t, 'inverted') v;
DROP TABLE shop, apart CASCADE;

-- an item that cannot get its new key in an index stops the migration: at its end, all items are found by it
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_state", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{c}", "SK": "ORDER#{o}", "GSI1PK": "STATUS#{s}", "GSI1SK": "{n}"}',
	'{"c": "text", "o": "int", "n": "int", "s": "text"}', type_attribute => 'kind', view_name => 'orders');
INSERT INTO orders (c, o, n, s) SELECT 'c' || o % 10, o, CASE o WHEN 7 THEN 123456 ELSE o END, 's' || o % 3 FROM generate_series(1, 200) o;
ANALYZE shop;
SELECT migrate_entity('shop', 'order', '{"GSI1PK": "STATE#{s}", "GSI1SK": "{n:04}"}');
CALL await_migration('shop');
SELECT count(*), max(n) FROM orders WHERE s = 's1';
SELECT needs_move(tableoid, item) FROM shop WHERE "PK" = 'CUSTOMER#c7' AND "SK" = 'ORDER#7';
UPDATE orders SET n = 1234 WHERE c = 'c7' AND o = 7;
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT count(*), max(n) FROM orders WHERE s = 's1';
SELECT * FROM check_entity('shop');
-- and so back
SELECT migrate_entity('shop', 'order', '{"GSI1SK": "{n:03}"}');
CALL await_migration('shop');
SELECT cancel_migration('shop', 'order');
CALL await_migration('shop');
SELECT phase, error FROM dynamo.migrations;
SELECT count(*), count(*) FILTER (WHERE "GSI1SK" = lpad(n::text, 4, '0')) FROM orders JOIN shop USING ("PK", "SK");

-- so does one whose move a trigger undoes
CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD."SK" = 'ORDER#7' THEN OLD ELSE NEW END; END $$;
CREATE TRIGGER "~undo" BEFORE UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION undo();
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
CALL await_migration('shop');
SELECT "PK", "SK" FROM orders WHERE c = 'c7' AND o = 7;
DROP TRIGGER "~undo" ON shop;
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SELECT "PK", "SK" FROM orders WHERE c = 'c7' AND o = 7;
DROP SCHEMA t_migrate_indexes CASCADE;
