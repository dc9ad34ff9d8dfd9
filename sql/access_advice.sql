-- what the data say of a design: checks of access patterns, outline, advice
SET client_min_messages = warning;
CREATE SCHEMA t_advice;
SET search_path = t_advice, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_name", "partition_key": "name", "sort_key": "SK", "storage": "table"},
	{"index_name": "unread", "partition_key": "status", "sort_key": "SK"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": "text", "name": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": {"type": "text", "default": "OPEN"}, "total": "numeric"}',
	type_attribute => 'kind', view_name => 'orders');
ALTER TABLE shop SET (autovacuum_enabled = false);
INSERT INTO customers (customer_id, name) SELECT 'c' || i, 'name ' || i FROM generate_series(1, 3) i;
INSERT INTO orders (customer_id, order_id, placed_at, total)
SELECT 'c' || 1 + i % 3, i, '2026-01-01'::timestamptz + i * interval '7 hours', i FROM generate_series(1, 60) i;
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :c', view_name => 'orders');
SELECT create_access_pattern('shop', 'latest', '#s = :s', view_name => 'orders', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}',
	scan_index_forward => false, max_items => 5);

-- a sound design: costs, and nothing to find
SELECT pattern, runs, items_read, items_returned, bytes, capacity_units, buffers > 0 AS buffers, milliseconds > 0 AS time, problem FROM check_access_patterns('shop');
SELECT pattern FROM check_access_patterns('shop', strict => true);
SELECT * FROM outline('shop');
SELECT * FROM outline('shop', sample => 20) WHERE entity = 'customer';
SELECT * FROM advise('shop');

-- a pattern that discards, one of a missing index, one without data
SELECT create_access_pattern('shop', 'large_orders', 'customer_id = :c', view_name => 'orders', filter_expression => '#t = :total AND attribute_exists(gift)',
	expression_attribute_names => '{"#t": "total"}', parameters => '{"total": "numeric"}');
SELECT create_access_pattern('shop', 'names', '#n = :n', '{customer}', index_name => 'by_name', expression_attribute_names => '{"#n": "name"}', projection_expression => 'customer_id');
SELECT create_access_pattern('shop', 'of_nobody', 'nobody = :c', keys => '{"PK": "NOBODY#{nobody}"}');
INSERT INTO orders (customer_id, order_id, placed_at, total) SELECT 'c9', i, '2026-01-01', 1000 FROM generate_series(100, 150) i;
SELECT pattern, runs > 0 AS runs, problem FROM check_access_patterns('shop');
SELECT rule, severity, object, evidence, fix FROM advise('shop');
SELECT drop_access_pattern('of_nobody');
SELECT drop_index('shop', 'by_status');
SELECT pattern, runs, problem FROM check_access_patterns('shop', strict => true);
SELECT rule, severity, object, evidence, fix FROM advise('shop') WHERE rule = 'missing index';
-- the function of somebody else says nothing of the table
CREATE ROLE regress_dynamo_adviser;
GRANT USAGE, CREATE ON SCHEMA t_advice TO regress_dynamo_adviser;
SET ROLE regress_dynamo_adviser;
SELECT create_access_pattern('shop', 'theirs', 'customer_id = :c', view_name => 'orders');
SELECT * FROM outline('shop');
SELECT * FROM check_access_patterns('shop');
RESET ROLE;
GRANT SELECT ON shop TO regress_dynamo_adviser;
SET ROLE regress_dynamo_adviser;
SELECT pattern, runs FROM check_access_patterns('shop') WHERE pattern = 'theirs'::regproc;
SELECT count(*) > 0 AS outline FROM outline('shop');
SELECT count(*) > 0 AS advice FROM advise('shop');
RESET ROLE;
ALTER FUNCTION theirs OWNER TO regress_dynamo_adviser;
SET ROLE pg_read_all_data;
SELECT pattern FROM check_access_patterns('t_advice.shop') WHERE pattern = 't_advice.theirs'::regproc;
RESET ROLE;

-- faults of items
SELECT create_table('plain', 'id', 'sort', indexes => '[{"index_name": "by_at", "partition_key": "kind", "sort_key": "at"}]');
SELECT update_time_to_live('plain', 'expires');
SELECT count(put_item('plain', jsonb_build_object('id', 'a', 'sort', 'V#' || i, 'kind', 'x', 'at', '2026-01-01T10:00:' || lpad(i::text, 2, '0') || CASE WHEN i = 12 THEN '.5' ELSE '' END || 'Z', 'expires', 1800000000)))
FROM generate_series(9, 12) i;
SELECT * FROM put_item('plain', jsonb_build_object('id', 'b', 'sort', 'long', 'text', repeat('x', 310000), 'expires', 1800000000000));
SELECT * FROM put_item('plain', '{"id": "c", "sort": "V#1", "expires": "2027-01-01T00:00:00Z"}'::jsonb);
SELECT rule, severity, object, evidence, fix FROM advise('plain') WHERE rule <> 'no worker';
UPDATE t_advice.plain SET item = dynamo.set_attribute(item, 'expires', dynamo.to_value(floor((item OPERATOR(dynamo.->>) 'expires')::numeric / 1000))) WHERE dynamo.matches(item, '#t > :t', '{":t": {"N": "100000000000"}}', '{"#t": "expires"}');
UPDATE t_advice.plain SET item = dynamo.set_attribute(item, 'expires', dynamo.to_value(floor(extract(epoch FROM (item OPERATOR(dynamo.->>) 'expires')::timestamptz)))) WHERE dynamo.value_type(item OPERATOR(dynamo.->) 'expires') = 'S';
SELECT rule FROM advise('plain') WHERE rule <> 'no worker';
-- stale keys, and items of no entity
SELECT create_table('old', 'PK', indexes => '[{"index_name": "by_name", "partition_key": "name_key"}]');
SELECT put_item('old', '{"PK": {"S": "P#1"}, "id": {"S": "1"}, "name": {"S": "Ann"}, "name_key": {"S": "stale"}}');
SELECT put_item('old', '{"PK": {"S": "Q#1"}}');
SELECT create_entity('old', 'person', '{"PK": "P#{id}", "name_key": "N#{name}"}', '{"id": "text", "name": "text"}');
SELECT rule, severity, object, evidence, fix FROM advise('old');
SELECT dynamo.apply_entity('old', 'person');
SELECT rule FROM advise('old');

-- faults that statistics tell
-- statements read keys, too
SET dynamo.direct_access = on;
SELECT create_table('busy', 'id', indexes => '[{"index_name": "by_counter", "partition_key": "counter", "partition_key_type": "N"}, {"index_name": "by_state", "partition_key": "state"}]');
ALTER TABLE busy SET (autovacuum_enabled = false);
SELECT count(put_item('busy', jsonb_build_object('id', i::text, 'counter', i, 'state', 'OPEN'))) FROM generate_series(1, 1000) i;
SELECT count(update_item('busy', jsonb_build_object('id', i::text), 'ADD #c :one', expression_attribute_values => '{":one": 1000}'::jsonb, expression_attribute_names => '{"#c": "counter"}'))
FROM generate_series(1, 1000) i;
ANALYZE busy;
SELECT pg_stat_force_next_flush();
SELECT 1;
-- that nobody reads an index tells something only when the table is in use
SELECT rule FROM advise('busy');
SELECT count(get_item('busy', jsonb_build_object('id', (i % 1000)::text))) FROM generate_series(1, 3500) i;
SELECT pg_stat_force_next_flush();
SELECT 1;
SELECT rule, severity, object, regexp_replace(evidence, '\d+ (kB|bytes)', '? \1') AS evidence, fix FROM advise('busy');
UPDATE pg_class SET reltuples = 50000000 WHERE oid = 'busy'::regclass;
SELECT rule, object, regexp_replace(evidence, '\d+ (kB|bytes)', '? \1') AS evidence, fix FROM advise('busy') WHERE rule = 'index without shards';
RESET dynamo.direct_access;
SELECT create_table('one', 'id', 'n', sort_key_type => 'N');
ALTER TABLE one SET (autovacuum_enabled = false);
SELECT count(put_item('one', jsonb_build_object('id', 'same', 'n', i))) FROM generate_series(1, 100) i;
ANALYZE one;
UPDATE pg_class SET reltuples = 50000000 WHERE oid = 'one'::regclass;
SELECT rule, severity, object, regexp_replace(evidence, '\d+ (kB|bytes)', '? \1') AS evidence, fix FROM advise('one');

-- reports do not read the table whole, and their plans are not compiled
SELECT create_table('many', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "status", "sort_key": "SK"}]');
SELECT create_access_pattern('many', 'many_of_status', '#s = :status', index_name => 'by_status', max_items => 5, expression_attribute_names => '{"#s": "status"}');
INSERT INTO many (item) SELECT build_item('PK', 'P' || i % 100, 'SK', i::text, 'status', 'S' || i % 2) FROM generate_series(1, 5000) i;
ANALYZE many;
BEGIN;
SELECT pg_stat_get_xact_numscans('many'::regclass) AS before \gset
SELECT rule, evidence FROM advise('many') WHERE rule <> 'unread index';
SELECT key_pattern, items BETWEEN 4900 AND 5100 AS estimated FROM outline('many');
SELECT runs, items_read, problem FROM check_access_patterns('many');
SELECT length(draw('many')) > 0 AS drawing;
SELECT pg_stat_get_xact_numscans('many'::regclass) - :before AS sequential_scans;
COMMIT;
SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'dynamo_internal'::regnamespace AND starts_with(proname, 'report_') ORDER BY 1;

-- kinds that are rare are found nevertheless, in large tables where their keys begin
SELECT create_table('rare', 'PK', 'SK');
SELECT create_entity('rare', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK"}', '{"isbn": "text"}', view_name => 'books');
SELECT create_entity('rare', 'loan', '{"PK": "LOAN#{id}", "SK": "LOAN"}', '{"id": "int"}', view_name => 'loans');
SELECT create_entity('rare', 'setting', '{"PK": "SETTINGS", "SK": "{name}"}', '{"name": "text"}', view_name => 'settings');
ALTER TABLE rare SET (autovacuum_enabled = false);
INSERT INTO loans (id) SELECT generate_series(1, 4000);
INSERT INTO books (isbn) VALUES ('1');
INSERT INTO settings (name) VALUES ('color'), ('size');
ANALYZE rare;
CREATE FUNCTION drawn(document text) RETURNS TABLE (entity text, items text) LANGUAGE sql AS $$
SELECT e ->> 'entity', e ->> 'items'
FROM json_array_elements(convert_from(decode(substring(document FROM 'id="data"[^>]*>([A-Za-z0-9+/=]+)<'), 'base64'), 'UTF8')::json -> 'entities') e $$;
SELECT entity, items > 3000 AS many, CASE WHEN items < 10 THEN items END AS items FROM outline('rare');
SELECT entity, items::int > 100 AS many, CASE WHEN items::int < 10 THEN items END AS items FROM drawn(draw('rare'));
UPDATE pg_class SET reltuples = 50000000 WHERE oid = 'rare'::regclass;
SELECT entity, items > 3000 AS many, CASE WHEN items < 10 THEN items END AS items FROM outline('rare');
SELECT entity, items::int > 100 AS many, CASE WHEN items::int < 10 THEN items END AS items FROM drawn(draw('rare'));

-- the five systems have no faults
\set ECHO none
\o /dev/null
SET client_min_messages = error;
DROP SCHEMA IF EXISTS dynamo_examples CASCADE;
\i examples/shop_patterns.sql
\i examples/hr_order_entry.sql
\i examples/one_to_many.sql
\i examples/schools.sql
\i examples/shop_hierarchy.sql
DROP TABLE IF EXISTS customers CASCADE;
\i examples/adopted_tables.sql
\o
\set ECHO all
SELECT count(*) AS tables FROM dynamo.tables WHERE schema_name = 'dynamo_examples';
SELECT t.table_name, a.* FROM dynamo.tables t CROSS JOIN LATERAL dynamo.advise(t.table_name) a WHERE t.schema_name = 'dynamo_examples';
SET client_min_messages = error;
RESET search_path;
DROP SCHEMA dynamo_examples, t_advice CASCADE;
DROP OWNED BY regress_dynamo_adviser;
DROP ROLE regress_dynamo_adviser;
