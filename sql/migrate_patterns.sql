-- dynamo.migrate_entity and access patterns that read the keys which change: they read both versions while
-- items are moved, and the new keys alone afterwards.
CREATE SCHEMA t_migrate_patterns;
SET search_path = t_migrate_patterns, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "inverted", "partition_key": "SK", "sort_key": "PK"}, {"index_name": "by_day", "partition_key": "GSI2PK", "storage": "table"},
	{"index_name": "by_n", "partition_key": "n", "partition_key_type": "N", "sort_key": "PK"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{c}", "SK": "CUSTOMER"}', '{"c": "text", "name": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{c}", "SK": "ORDER#{o}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{n:04}", "GSI2PK": "DAY#{n}"}',
	'{"c": "text", "o": "int", "n": "int", "status": "text"}', type_attribute => 'kind', view_name => 'orders');
INSERT INTO customers (c, name) SELECT 'c' || c, 'name ' || c FROM generate_series(0, 4) c;
INSERT INTO orders (c, o, n, status) SELECT 'c' || o % 5, o, o * 7 % 100, 's' || o % 3 FROM generate_series(1, 60) o;
SELECT put_item('shop', '{"kind": "order", "PK": "CUSTOMER#c9", "SK": "ORDER#7"}'::jsonb);
ANALYZE shop;
SELECT create_access_pattern('shop', 'of_customer', 'c = :c', entities => '{order}', view_name => 'orders');
SELECT create_access_pattern('shop', 'one', 'c = :c AND o = :o', entities => '{order}', view_name => 'orders', parameters => '{"o": {"type": "int", "default": 5}}', description => 'an order');
SELECT create_access_pattern('shop', 'last_items', 'c = :c', entities => '{order}', filter_expression => 'n > :n', scan_index_forward => false, parameters => '{"n": "int"}');
SELECT create_access_pattern('shop', 'by_number', 'o = :o', entities => '{order}', index_name => 'inverted', view_name => 'orders');
SELECT create_access_pattern('shop', 'in_state', 'status = :s AND n BETWEEN :from AND :to', entities => '{order}', view_name => 'orders', index_name => 'by_status');
SELECT create_access_pattern('shop', 'customer_page', 'c = :c', entities => '{customer}', returns => 'page');
SELECT create_access_pattern('shop', 'of_customers', 'c IN (:cs)', entities => '{order}', view_name => 'orders');
SELECT create_access_pattern('shop', 'numbered', 'c = :c AND o IN (:os)', entities => '{order}', filter_expression => 'n >= :n', parameters => '{"n": "int"}');
SELECT create_access_pattern('shop', 'last_in_states', 'status IN (:states) AND n <= :to', entities => '{order}', view_name => 'orders', index_name => 'by_status',
	parameters => '{"to": {"default": null}}', scan_index_forward => false, max_items => 7);
SELECT create_access_pattern('shop', 'with_numbers', 'n IN (:ns) AND c = :c', entities => '{order}', index_name => 'by_n');
GRANT EXECUTE ON FUNCTION one TO pg_monitor;
CREATE VIEW answers AS
	SELECT 'of_customer' AS pattern, (SELECT count(*) || ' ' || md5(string_agg(o || ':' || c || ':' || coalesce(n::text, ''), ',' ORDER BY o)) FROM unnest('{c0,c1,c3,c9}'::text[]) x, of_customer(x)) AS answer
	UNION ALL SELECT 'one', (SELECT string_agg(o || ':' || coalesce(n::text, ''), ',' ORDER BY o) FROM generate_series(1, 9) x, one('c' || CASE x WHEN 7 THEN 9 ELSE x % 5 END, x))
	UNION ALL SELECT 'default', (SELECT string_agg(o || ':' || n, ',') FROM one('c0'))
	UNION ALL SELECT 'last_items', (SELECT count(*) || ' ' || md5(string_agg(i ->> 'o', ',' ORDER BY i ->> 'o')) FROM last_items('c2', 40) i)
	UNION ALL SELECT 'by_number', (SELECT string_agg(o || ':' || c, ',' ORDER BY o) FROM generate_series(4, 8) x, by_number(x))
	UNION ALL SELECT 'in_state', (SELECT count(*) || ' ' || string_agg(n::text, ',') FROM in_state('s1', 10, 60))
	UNION ALL SELECT 'null', (SELECT count(*)::text FROM of_customer(NULL))
	UNION ALL SELECT 'null filter', (SELECT count(*)::text FROM last_items('c2', NULL))
	UNION ALL SELECT 'list', (SELECT count(*) || ' ' || md5(string_agg(o || ':' || c || ':' || coalesce(n::text, ''), ',' ORDER BY o)) FROM of_customers('{c0,c1,c0,c3,NULL,none,c9}'))
	UNION ALL SELECT 'list of sort keys', (SELECT string_agg(i ->> 'o', ',' ORDER BY (i ->> 'o')::int) FROM numbered('c2', '{7,17,7,18,32,12,2}', 20) i)
	UNION ALL SELECT 'limited list', (SELECT string_agg(n::text, ',') FROM last_in_states('{s2,s0,s2}', 70))
	UNION ALL SELECT 'list of numbers', (SELECT string_agg(i ->> 'o', ',' ORDER BY i ->> 'o') FROM with_numbers('{7,14,14.0,84,0}', 'c2') i)
	UNION ALL SELECT 'no list', (SELECT count(*)::text FROM (SELECT FROM of_customers('{}') UNION ALL SELECT FROM of_customers(NULL) UNION ALL SELECT FROM numbered('c2', NULL, 1)
		UNION ALL SELECT FROM numbered('c2', '{2}', NULL) UNION ALL SELECT FROM with_numbers('{NULL}', 'c2')) n)
	UNION ALL SELECT 'page', (SELECT count::text FROM customer_page('c1'));
CREATE TABLE before AS TABLE answers;
TABLE before;

-- what cannot read both
SELECT create_access_pattern('shop', 'refused', 'c = :c', entities => '{order}', returns => 'page');
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
SELECT create_access_pattern('shop', 'refused_too', 'c = :c', entities => '{order}', returns => 'document');
DROP FUNCTION refused;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
DROP FUNCTION refused_too;
SELECT create_access_pattern('shop', 'refused', 'c = :c', entities => '{customer,order}');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{o}"}');
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
DROP FUNCTION refused;
SELECT create_access_pattern('shop', 'refused', 'c = :c', entities => '{order}', projection_expression => 'n');
SELECT migrate_entity('shop', 'order', '{"SK": "O#{o}"}');
DROP FUNCTION refused;
SELECT create_access_pattern('shop', 'refused', 'n = :n', entities => '{order}', index_name => 'by_day', view_name => 'orders');
SELECT migrate_entity('shop', 'order', '{"GSI2PK": "D#{n}"}');
DROP FUNCTION refused;
SELECT create_access_pattern('shop', 'refused', 'c = :c AND o = :o', keys => '{"PK": "CUSTOMER#{c}", "SK": "ORDER#{o}"}');
SELECT migrate_entity('shop', 'order', '{"SK": "ORDER#{o:08}"}');
DROP FUNCTION refused;
SELECT create_access_pattern('shop', 'refused', 'c IN (:cs)', entities => '{order}', returns => 'page');
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
DROP FUNCTION refused;
-- the new keys do not answer the condition; old and new keys could be the same
SELECT migrate_entity('shop', 'order', '{"GSI1PK": "STATUS#{c}"}');
SELECT migrate_entity('shop', 'order', '{"GSI1PK": "STATUS#{status}S"}');
-- records that somebody has written
DO $$ BEGIN
	EXECUTE (SELECT format('CREATE FUNCTION of_table(c text) RETURNS SETOF orders LANGUAGE sql STABLE AS %L', replace(prosrc, 't_migrate_patterns.orders"}} */', 't_migrate_patterns.shop"}} */'))
		FROM pg_proc WHERE oid = 'of_customer'::regproc);
	EXECUTE (SELECT format('CREATE FUNCTION of_others(c text) RETURNS SETOF orders LANGUAGE sql STABLE AS %L', replace(prosrc, 't_migrate_patterns.orders"}} */', 't_migrate_patterns.customers"}} */'))
		FROM pg_proc WHERE oid = 'of_customer'::regproc);
	EXECUTE (SELECT format('CREATE FUNCTION of_no_key(c text) RETURNS SETOF orders LANGUAGE sql STABLE AS %L', replace(prosrc, '"keys": {"L": [{"M": {"attribute": {"S": "PK"}', '"keys": {"L": [{"M": {"attribute": {"S": "none"}'))
		FROM pg_proc WHERE oid = 'of_customer'::regproc);
	EXECUTE (SELECT format('CREATE FUNCTION of_nothing(c text) RETURNS SETOF orders LANGUAGE sql STABLE AS %L', replace(prosrc, '"condition": {"S": "c = :c"}, ', ''))
		FROM pg_proc WHERE oid = 'of_customer'::regproc);
END $$;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
DROP FUNCTION of_table;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
DROP FUNCTION of_others;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
DROP FUNCTION of_nothing;
BEGIN;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}"}');
SELECT count(*) FROM of_no_key('c1');
ROLLBACK;
DROP FUNCTION of_no_key;
-- another entity's items would come into the range
SELECT create_entity('shop', 'note', '{"PK": "CUSTOMER#{c}", "SK": "NOTE#{x}"}', '{"c": "text", "x": "text"}', type_attribute => 'kind');
SELECT create_access_pattern('shop', 'notes', 'c = :c', entities => '{note}');
\set VERBOSITY default
SELECT migrate_entity('shop', 'order', '{"SK": "NOTE#{o:08}"}');
\set VERBOSITY terse
DROP FUNCTION notes;
-- of another role that can read the table: its patterns and views stop nobody; a pattern does not find less than there is
CREATE ROLE regress_migrate_patterns;
GRANT USAGE, CREATE ON SCHEMA t_migrate_patterns TO regress_migrate_patterns;
GRANT USAGE ON SCHEMA dynamo TO regress_migrate_patterns;
GRANT SELECT ON shop, orders TO regress_migrate_patterns;
SET ROLE regress_migrate_patterns;
SELECT create_entity_view('theirs', 'shop', '{"c": "text", "o": "int"}', entity_name => 'order');
CREATE VIEW their_damaged AS SELECT "PK", "SK" FROM shop;
CREATE TRIGGER damaged INSTEAD OF INSERT OR UPDATE OR DELETE ON their_damaged FOR EACH ROW EXECUTE FUNCTION dynamo_system.entity_view_write('no definition');
SELECT create_access_pattern('shop', 'their_' || n, 'c = :c AND o = :o', entities => '{order}', parameters => '{"o": "int"}') FROM unnest('{items,second,third,fourth}'::text[]) n;
SELECT create_access_pattern('shop', 'their_customer', 'c = :c', entities => '{customer}');
SELECT count(*) FROM their_items('c1', 6);
RESET ROLE;
\set VERBOSITY default
SET client_min_messages = notice;
BEGIN;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}", "SK": "ORDER#{o:08}", "GSI1PK": "STATE#{status}"}');
SELECT pause_migration('shop', 'order');
COMMIT;
SET client_min_messages = warning;
DROP FUNCTION their_second, their_third, their_fourth;
DROP VIEW their_damaged;
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM their_items('c1', 6);
SELECT count(*) FROM theirs WHERE c = 'c1' AND o = 6;
RESET ROLE;
SELECT cancel_migration('shop', 'order');
CALL await_migration('shop');
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM their_items('c1', 6);
SELECT count(*) FROM theirs WHERE c = 'c1' AND o = 6;
RESET ROLE;
\set VERBOSITY terse

-- prepared and canceled: the patterns are what they were
CREATE TABLE bodies AS SELECT oid, prosrc, proacl::text, proargdefaults::text FROM pg_proc WHERE pronamespace = 't_migrate_patterns'::regnamespace;
BEGIN;
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}", "SK": "ORDER#{o:08}", "GSI1PK": "STATE#{status}"}');
SELECT pause_migration('shop', 'order');
COMMIT;
TABLE answers EXCEPT TABLE before;
SELECT proname FROM pg_proc f JOIN bodies b ON b.oid = f.oid WHERE f.prosrc <> b.prosrc ORDER BY 1;
SELECT cancel_migration('shop', 'order');
SELECT proname FROM pg_proc f JOIN bodies b ON b.oid = f.oid WHERE (f.prosrc, f.proacl::text, f.proargdefaults::text) IS DISTINCT FROM (b.prosrc, b.proacl, b.proargdefaults) ORDER BY 1;

-- stopped by an item that has a new key
SELECT put_item('shop', '{"PK": "C#c2", "SK": "ORDER#00000007"}'::jsonb);
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}", "SK": "ORDER#{o:08}", "GSI1PK": "STATE#{status}"}');
CALL await_migration('shop');
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM their_items('c1', 6);
RESET ROLE;
TABLE answers EXCEPT TABLE before;
SELECT count(update_item('shop', jsonb_build_object('kind', 'order', 'c', c, 'o', o), 'SET seen = :s', expression_attribute_values => '{":s": {"N": "1"}}')) FROM orders WHERE o % 2 = 0 AND c <> 'c3';
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM their_items('c1', 6);
SELECT count(*) FROM theirs WHERE c = 'c1' AND o = 6;
SELECT count(*) FROM their_customer('c1');
RESET ROLE;
SELECT put_item('shop', '{"kind": "order", "PK": "CUSTOMER#c9", "SK": "ORDER#7"}'::jsonb);
SELECT count(*) FILTER (WHERE "PK" LIKE 'C#%') AS moved, count(*) FILTER (WHERE "PK" LIKE 'CUSTOMER#%') AS others FROM orders;
TABLE answers EXCEPT TABLE before;
-- in the order of the new keys
SELECT array_agg(o) FROM of_customer('c2');
SELECT array_agg(i ->> 'o') FROM last_items('c2', 0) i;
SELECT array_agg(o) FROM of_customers('{c3,c2}');
SELECT count(*) FROM of_customers(array_fill('c2'::text, '{101}'));
SET enable_seqscan = off;
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
SELECT q, plan !~ 'Seq Scan' AND plan ~ 'Index Cond: [^\n]*PK" = dynamo_system.pattern_key[^\n]*CUSTOMER#' AND plan ~ 'Index Cond: [^\n]*PK" = dynamo_system.pattern_key[^\n]*C#' AS by_index
FROM unnest(ARRAY['SELECT * FROM of_customer($x$c2$x$)', 'SELECT * FROM last_items($x$c2$x$, 3)', 'SELECT * FROM numbered($x$c2$x$, $x${2,7}$x$, 3)']) q, plan_of(q) plan;
RESET enable_seqscan;
SELECT pattern, problem FROM check_access_patterns('shop');
-- not as one request
SELECT pattern, request IS NOT NULL FROM dynamo.access_patterns WHERE pattern::text ~ '^(of_customer|one)$' ORDER BY 1;
SELECT request('Query', '{"TableName": "t_migrate_patterns.shop", "IndexName": "pattern:of_customer", "ExpressionAttributeValues": {":c": {"S": "c2"}}}');
SELECT create_access_pattern('shop', 'another', 'c = :c', entities => '{order}');
-- back
SELECT cancel_migration('shop', 'order');
CALL await_migration('shop');
TABLE answers EXCEPT TABLE before;
SELECT proname FROM pg_proc f JOIN bodies b ON b.oid = f.oid WHERE f.prosrc <> b.prosrc ORDER BY 1;
SELECT array_agg(o) FROM of_customer('c2');
SELECT pattern, problem FROM check_access_patterns('shop');
-- complete
SELECT delete_item('shop', '{"PK": "C#c2", "SK": "ORDER#00000007"}'::jsonb);
SELECT migrate_entity('shop', 'order', '{"PK": "C#{c}", "SK": "ORDER#{o:08}", "GSI1PK": "STATE#{status}"}');
CALL await_migration('shop');
TABLE answers EXCEPT TABLE before;
SELECT array_agg(o) FROM of_customer('c2');
SELECT pattern, problem FROM check_access_patterns('shop');
SELECT count(*) FROM pg_proc f JOIN bodies b ON b.oid = f.oid WHERE f.prosrc <> b.prosrc;
SELECT count(*) FROM pg_proc f WHERE pronamespace = 't_migrate_patterns'::regnamespace AND f.prosrc ~ 'pattern_order|either';
SELECT proacl::text ~ 'pg_monitor', obj_description(oid) FROM pg_proc WHERE oid = 'one'::regproc;
SELECT request('Query', '{"TableName": "t_migrate_patterns.shop", "IndexName": "pattern:one", "ExpressionAttributeValues": {":c": {"S": "c0"}}}') -> 'Count';

-- the function of before, put back by hand, is of no use in a migration
SELECT migrate_entity('shop', 'order', '{"PK": "CC#{c}"}');
CALL await_migration('shop');
DO $$ BEGIN
	EXECUTE (SELECT format('CREATE OR REPLACE FUNCTION by_number(o int) RETURNS SETOF orders LANGUAGE sql STABLE AS %L', prosrc) FROM bodies WHERE oid = 'by_number'::regproc);
END $$;
SELECT * FROM by_number(5);
-- and that of another role when it is declared anew
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM their_items('c1', 6);
SELECT create_access_pattern('shop', 'their_items', 'c = :c AND o = :o', entities => '{order}', parameters => '{"o": "int"}', replace => true);
SELECT count(*) FROM their_items('c1', 6);
SELECT count(*) FROM generate_series(1, 60) o, their_items('c' || o % 5, o);
RESET ROLE;
-- while items are moved back their keys are those of the pattern again, but not all of them
SELECT put_item('shop', '{"PK": "D#c2", "SK": "ORDER#00000007"}'::jsonb);
SELECT migrate_entity('shop', 'order', '{"PK": "D#{c}"}');
CALL await_migration('shop');
UPDATE orders SET n = n + 1 WHERE o % 2 = 0 AND o % 5 <> 2;
BEGIN;
SELECT cancel_migration('shop', 'order');
SELECT pause_migration('shop', 'order');
COMMIT;
SELECT count(*) FILTER (WHERE "PK" LIKE 'D#%') > 0 AS moved FROM orders;
\set VERBOSITY default
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM generate_series(1, 60) o, their_items('c' || o % 5, o);
SELECT count(*) FROM their_customer('c1');
RESET ROLE;
\set VERBOSITY terse
SELECT pattern, problem FROM check_access_patterns('shop') WHERE pattern::text ~ 'their_';
SELECT resume_migration('shop', 'order');
CALL await_migration('shop');
SET ROLE regress_migrate_patterns;
SELECT count(*) FROM generate_series(1, 60) o, their_items('c' || o % 5, o);
RESET ROLE;
-- of a list, an item whose old and new key are the same is in both ranges, and returned once
SELECT create_table('wide', 'PK', 'SK');
SELECT create_entity('wide', 'row', '{"PK": "W#{a}", "SK": "{n}"}', '{"a": "text", "n": "int"}', type_attribute => 'kind', view_name => 'wide_rows');
INSERT INTO wide_rows (a, n) SELECT 'a', n FROM generate_series(5, 15) n;
SELECT create_access_pattern('wide', 'wide_ones', 'a = :a AND n IN (:ns)', view_name => 'wide_rows');
BEGIN;
SELECT migrate_entity('wide', 'row', '{"SK": "{n:02}"}');
SELECT pause_migration('wide', 'row');
COMMIT;
UPDATE wide_rows SET a = 'b' WHERE n = 6;
SELECT string_agg(n::text, ',') FROM wide_ones('a', '{5,6,12,7,15}');
SELECT string_agg(n::text, ',') FROM wide_ones('b', '{5,6,12,7,15}');
SELECT resume_migration('wide', 'row');
CALL await_migration('wide');
SELECT string_agg(n::text, ',') FROM wide_ones('a', '{5,6,12,7,15}');
-- a view that has another name now is still that of its patterns
ALTER VIEW orders RENAME TO all_orders;
SELECT migrate_entity('shop', 'order', '{"PK": "E#{c}"}');
CALL await_migration('shop');
SELECT count(*), count(DISTINCT (o.*)::text) FROM of_customer('c1') o;
SELECT create_entity('shop', 'order', '{"PK": "E#{c}", "SK": "ORDER#{o:08}", "GSI1PK": "STATE#{status}", "GSI1SK": "{n:04}", "GSI2PK": "DAY#{n}"}',
	'{"c": "text", "o": "int", "n": "int", "status": "text", "note": "text"}', type_attribute => 'kind', view_name => 'all_orders', replace => true);
SELECT note IS NULL AS has_note FROM one('c1', 6);
DROP SCHEMA t_migrate_patterns CASCADE;
REVOKE USAGE ON SCHEMA dynamo FROM regress_migrate_patterns;
DROP ROLE regress_migrate_patterns;
