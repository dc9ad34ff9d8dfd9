-- access patterns answer what was asked, or raise an error
CREATE SCHEMA t_right;
SET search_path = t_right, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET client_min_messages = warning;

-- a range contains no kinds that were not asked for, whatever formats its keys have
SELECT create_table('shared', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "stored", "partition_key": "GSI1PK", "sort_key": "GSI1SK", "storage": "table"},
	{"index_name": "keys", "partition_key": "GSI1PK", "sort_key": "GSI1SK", "storage": "table", "projection": "KEYS_ONLY"}]');
SELECT create_entity('shared', e, keys => format('{"PK": "%s#{id}", "SK": "X", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed:s}"}', upper(e))::jsonb,
	attributes => '{"id": "text", "status": "text", "placed": "timestamptz"}', type_attribute => 'kind', view_name => e || 's') FROM unnest('{order,invoice}'::text[]) e;
INSERT INTO orders (id, status, placed) VALUES ('o1', 'OPEN', '2026-01-01'), ('o2', 'OPEN', '2026-01-03');
INSERT INTO invoices (id, status, placed) VALUES ('i1', 'OPEN', '2026-01-02');
CREATE FUNCTION declare(name text, condition text, form text, index_name text) RETURNS void LANGUAGE sql AS $$
SELECT create_access_pattern('shared', name, condition, CASE WHEN form <> 'rows' THEN '{order}'::text[] END, CASE WHEN form = 'rows' THEN 'orders' END, index_name,
	expression_attribute_names => '{"#s": "status"}', returns => form) $$;
SELECT declare(format('%s_%s_%s', form, c.name, i), c.condition, form, i)
FROM unnest('{items,rows,page,document}'::text[]) form, unnest('{by_status,stored}'::text[]) i,
	(VALUES ('all', '#s = :s'), ('since', '#s = :s AND placed >= :a'), ('before', '#s = :s AND placed < :a'), ('between', '#s = :s AND placed BETWEEN :a AND :b'), ('exact', '#s = :s AND placed = :a')) c(name, condition);
SELECT pattern::text, filter_expression FROM access_patterns WHERE table_name = 't_right.shared' AND filter_expression IS DISTINCT FROM '#_e IN (:_e0)';
SELECT c.pattern, c.problem FROM check_access_patterns('shared') c WHERE problem IS NOT NULL;
SELECT item ->> 'id' AS id FROM items_since_by_status('OPEN', '2025-01-01') item;
SELECT item ->> 'id' AS id FROM items_since_stored('OPEN', '2025-01-01') item;
SELECT id FROM rows_between_stored('OPEN', '2025-01-01', '2027-01-01');
SELECT count FROM page_since_by_status('OPEN', '2025-01-01');
SELECT document_since_by_status('OPEN', '2025-01-01');
SELECT request('Query', access_pattern_request('rows_since_by_status', '{"s": "OPEN", "a": "2025-01-01"}'::jsonb)) ->> 'Count' AS by_request;
-- an index without the attribute that distinguishes them
SELECT declare('lacks', '#s = :s AND placed >= :a', 'items', 'keys');
-- entities without type attribute are refused by a range as they are by an equality
SELECT create_table('untyped', 'PK', 'SK', indexes => '[{"index_name": "by_day", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('untyped', e, keys => format('{"PK": "%s#{id}", "SK": "X", "GSI1PK": "DAY", "GSI1SK": "{n:04}"}', upper(e))::jsonb,
	attributes => '{"id": "text", "n": "int"}') FROM unnest('{visit,call}'::text[]) e;
SELECT create_access_pattern('untyped', 'no', 'n = :n', '{visit}', index_name => 'by_day');
SELECT create_access_pattern('untyped', 'no', 'n > :n', '{visit}', index_name => 'by_day');

-- the first items that a filter leaves cannot be asked for in a request
SELECT create_access_pattern('shared', 'no', '#s = :s', '{order}', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}', max_items => 3);
SELECT create_access_pattern('shared', 'no', 'id = :id', '{order}', filter_expression => 'placed > :placed', parameters => '{"placed": "text"}', max_items => 3);
SELECT create_access_pattern('shared', 'first', 'id = :id', '{order}', max_items => 1);
SELECT count(*) AS items, (SELECT request('Query', access_pattern_request('first', '{"id": "o1"}'::jsonb)) ->> 'Count') AS by_request FROM first('o1');

-- a shard of an attribute is not the attribute
SELECT create_table('sharded', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('sharded', 'order', keys => '{"PK": "ORDER#{order_id}", "SK": "ORDER", "GSI1PK": "{status}#{#3:customer}", "GSI1SK": "{n:04}"}',
	attributes => '{"order_id": "text", "customer": "text", "status": "text", "n": "int"}', type_attribute => 'kind', view_name => 'sharded_orders');
INSERT INTO sharded_orders (order_id, customer, status, n) SELECT 'o' || n, 'c' || n, 'OPEN', n FROM generate_series(1, 6) n;
SELECT create_access_pattern('sharded', 'open_of', '#s = :s AND customer = :c', view_name => 'sharded_orders', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}');
SELECT create_access_pattern('sharded', 'open_item', '#s = :s AND customer = :c AND n < :n', '{order}', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}');
SELECT order_id FROM open_of('OPEN', 'c1');
SELECT item ->> 'order_id' AS order_id FROM open_item('OPEN', 'c4', 9) item;
SELECT request('Query', access_pattern_request('open_of', '{"s": "OPEN", "c": "c1"}'::jsonb)) ->> 'Count' AS by_request;
SELECT pattern, filter_expression FROM access_patterns WHERE table_name = 't_right.sharded' ORDER BY 1;
-- an item may have it in its own key alone
SELECT create_table('lines', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK"}]');
SELECT create_entity('lines', 'line', keys => '{"PK": "CUSTOMER#{customer}", "SK": "LINE#{n}", "GSI1PK": "{status}#{#2:customer}"}',
	attributes => '{"customer": "text", "n": "text", "status": "text"}', type_attribute => 'kind', view_name => 'line_rows');
SELECT put_item('lines', format('{"kind": "line", "PK": "CUSTOMER#c%s", "SK": "LINE#1", "status": "OPEN"}', n)::jsonb) FROM generate_series(1, 6) n;
SELECT create_access_pattern('lines', 'lines_of', '#s = :s AND customer = :c', view_name => 'line_rows', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}');
SELECT customer FROM lines_of('OPEN', 'c2');
SELECT request('Query', access_pattern_request('lines_of', '{"s": "OPEN", "c": "c2"}'::jsonb)) ->> 'Count' AS by_request;
SELECT pattern, problem FROM check_access_patterns('lines') UNION ALL SELECT pattern, problem FROM check_access_patterns('sharded') ORDER BY 1;
SELECT create_entity('sharded', 'timed', keys => '{"PK": "TIME#{#2:placed}", "SK": "{n}"}', attributes => '{"placed": "timestamptz", "n": "text"}', type_attribute => 'kind');
SELECT create_access_pattern('sharded', 'no', 'placed = :at', '{timed}');

-- what a pattern was made of has changed: an error that names it
SELECT create_table('changing', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
CREATE FUNCTION declare_order(prefix text, replace boolean) RETURNS void LANGUAGE sql AS $$
SELECT create_entity('changing', 'order', keys => format('{"PK": "O#{id}", "SK": "O", "GSI1PK": "%s#{status}", "GSI1SK": "{placed:s}"}', prefix)::jsonb,
	attributes => '{"id": "text", "status": "text", "placed": "timestamptz"}', type_attribute => 'kind', view_name => 'changing_orders', replace => replace) $$;
SELECT declare_order('STATUS', false);
INSERT INTO changing_orders (id, status, placed) VALUES ('o1', 'OPEN', '2026-01-01'), ('o2', 'OPEN', '2026-01-02');
SELECT create_access_pattern('changing', 'ask_' || form, '#s = :s', CASE WHEN form <> 'rows' THEN '{order}'::text[] END, CASE WHEN form = 'rows' THEN 'changing_orders' END, 'by_status',
	expression_attribute_names => '{"#s": "status"}', returns => form) FROM unnest('{rows,items,page,document}'::text[]) form;
SELECT count(*) FROM ask_rows('OPEN');
SELECT declare_order('ST', true);
INSERT INTO changing_orders (id, status, placed) VALUES ('o3', 'OPEN', '2026-01-03');
SELECT count(*) FROM ask_rows('OPEN');
SELECT count(*) FROM ask_items('OPEN');
SELECT count FROM ask_page('OPEN');
SELECT ask_document('OPEN');
SELECT access_pattern_request('ask_rows', '{"s": "OPEN"}'::jsonb);
SELECT pattern, problem FROM check_access_patterns('changing');
SELECT rule, object, evidence FROM advise('changing') WHERE rule = 'stale pattern';
SELECT create_access_pattern('changing', 'ask_rows', '#s = :s', NULL, 'changing_orders', 'by_status', expression_attribute_names => '{"#s": "status"}', replace => true);
SELECT count(*) FROM ask_rows('OPEN');
SELECT apply_entity('changing', 'order');
SELECT count(*) FROM ask_rows('OPEN');
-- another kind comes into the range; an index gets another storage, or is dropped
SELECT create_entity('changing', 'offer', keys => '{"PK": "F#{id}", "SK": "O", "GSI1PK": "ST#{status}", "GSI1SK": "{placed:s}"}',
	attributes => '{"id": "text", "status": "text", "placed": "timestamptz"}', type_attribute => 'kind');
SELECT count(*) FROM ask_rows('OPEN');
SELECT drop_entity('changing', 'offer');
SELECT count(*) FROM ask_rows('OPEN');
SELECT change_index('changing', 'by_status', storage => 'table');
SELECT count(*) FROM ask_rows('OPEN');
SELECT drop_index('changing', 'by_status');
SELECT access_pattern_request('ask_rows', '{"s": "OPEN"}'::jsonb);
SELECT dynamo_system.pattern_holds('changing', '{"pattern": "x", "keys": [{"attribute": "PK", "known": "0"}, {"attribute": "SK", "known": "0"}]}');
SELECT dynamo_system.pattern_holds('changing', '{"pattern": "x", "keys": [{"attribute": "PK", "known": "0"}]}');
SELECT dynamo_system.pattern_holds('changing', '{"entities": [7]}');
SELECT dynamo_system.pattern_holds('changing', 'none');
SELECT dynamo_system.pattern_holds('pg_class', '{}');

-- the check names patterns that were written by hand
-- as older versions declared them
CREATE FUNCTION plant(pattern regproc, name text, variadic members text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	definition text := replace(pg_get_functiondef(pattern), format('.%s(', pattern), format('.%s(', name));
BEGIN
	FOR i IN 1 .. cardinality(members) LOOP
		definition := replace(definition, format('"%s"', members[i]), '"former"');
	END LOOP;
	EXECUTE definition;
END $$;
SELECT plant('items_since_by_status', 'foreign_kinds', 'kind_attribute', 'kinds');
SELECT plant('open_of', 'foreign_shards', 'equalities');
SELECT plant('first', 'without_basis', 'basis');
SELECT pattern, problem FROM check_access_patterns('shared') WHERE problem IS NOT NULL;
SELECT pattern, problem FROM check_access_patterns('sharded') WHERE problem IS NOT NULL;
SELECT pattern FROM check_access_patterns('shared', strict => true);
-- items of no entity in the range, and items that miss in the index
SELECT create_table('mixed', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK"}]');
SELECT create_entity('mixed', 'line', keys => '{"PK": "CUSTOMER#{customer}", "SK": "LINE#{n:03}", "GSI1PK": "S#{status}"}', attributes => '{"customer": "text", "n": "int", "status": "text"}', type_attribute => 'kind');
SELECT put_item('mixed', format('{"kind": "line", "customer": "c%s", "n": %s, "status": "OPEN"}', n / 5, n)::jsonb) FROM generate_series(1, 8) n;
SELECT create_access_pattern('mixed', 'of_customer', 'customer = :c AND n >= :n', '{line}');
SELECT create_access_pattern('mixed', 'of_status', '#s = :s', '{line}', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}', projection_expression => 'n');
SELECT pattern, problem FROM check_access_patterns('mixed') ORDER BY 1;
SELECT put_item('mixed', '{"PK": "CUSTOMER#c1", "SK": "LINE#9", "n": 9}'::jsonb);
SET session_replication_role = replica;
UPDATE mixed SET item = set_attribute(item, 'GSI1PK', to_value('S#WRONG'::text)), "GSI1PK" = 'S#WRONG' WHERE "SK" = 'LINE#003';
RESET session_replication_role;
SELECT pattern, problem FROM check_access_patterns('mixed') ORDER BY 1;
-- a statement that somebody has changed below a right record
DO $$ BEGIN EXECUTE regexp_replace(pg_get_functiondef('of_customer'::regproc), '\$function\$\s*$', ' LIMIT 1$function$'); END $$;
SELECT count(*) FROM of_customer('c0', 1);
SELECT problem FROM check_access_patterns('mixed') WHERE pattern = 'of_customer'::regproc;
SELECT rule, object, evidence FROM advise('mixed') WHERE rule = 'stale pattern';
SELECT create_access_pattern('mixed', 'of_customer', 'customer = :c AND n >= :n', '{line}', replace => true);
SELECT problem FROM check_access_patterns('mixed') WHERE pattern = 'of_customer'::regproc;
SET client_min_messages = error;
-- a part that may contain the text behind it: only whole keys tell its values
SELECT create_table('any', 'PK', 'SK', indexes => '[{"index_name": "GSI", "partition_key": "GP", "sort_key": "GS"}]');
SELECT create_entity('any', 'note', '{"PK": "{writer}", "SK": "{area:any}#{n:03}", "GP": "{writer}", "GS": "{title:any}#{n:03}"}',
	'{"writer": "text", "area": "text", "title": "text", "n": "int"}', type_attribute => 'kind', view_name => 'any_notes');
INSERT INTO any_notes (writer, area, title, n) VALUES ('w', 'a', 'a', 1), ('w', 'a', 'a', 2), ('w', 'a#0', 'a#0', 1);
SELECT create_access_pattern('any', 'any_area', 'writer = :w AND area = :a', view_name => 'any_notes');
SELECT create_access_pattern('any', 'any_area', 'writer = :w AND area = :a AND n >= :n', view_name => 'any_notes');
SELECT create_access_pattern('any', 'any_areas', 'writer = :w AND title IN (:t)', view_name => 'any_notes', index_name => 'GSI');
SELECT create_access_pattern('any', 'any_key', 'writer = :w AND area IN (:a) AND n = :n', view_name => 'any_notes'),
	create_access_pattern('any', 'any_title', 'writer = :w AND title = :t', view_name => 'any_notes', index_name => 'GSI'),
	create_access_pattern('any', 'any_titles', 'writer = :w AND title = :t AND n >= :n', '{note}', index_name => 'GSI');
SELECT create_access_pattern('any', 'any_absent', 'writer = :w AND title = :t', view_name => 'any_notes', index_name => 'GSI', parameters => '{"t": {"default": null}}');
SELECT area, n FROM any_key('w', '{a,a#0}', 1);
SELECT title, n FROM any_title('w', 'a');
SELECT item ->> 'title', item ->> 'n' FROM any_titles('w', 'a', 0) item;
SELECT pattern, filter_expression FROM access_patterns WHERE relation LIKE '%any"' ORDER BY 1;
SELECT pattern, problem FROM check_access_patterns('any');
SELECT query('any', 'writer = :w AND title = :t', '{":w": "w", ":t": "a"}'::jsonb, index_name => 'GSI') ->> 'GS';
DROP SCHEMA t_right CASCADE;
