-- plans: a document against what is there; nothing is left out of a document
SET client_min_messages = warning;
CREATE SCHEMA t_plan;
CREATE SCHEMA t_plan_copy;
CREATE ROLE regress_plan_reader;
CREATE ROLE "regress plan writer";
SET search_path = t_plan, dynamo;
\set SHOW_CONTEXT never
SELECT create_table('shop', 'PK', 'SK', fillfactor => 80, indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_day", "partition_key": "day", "sort_key": "n", "sort_key_type": "N", "storage": "table", "shards": 3, "shard_by": "SK", "projection": "INCLUDE", "non_key_attributes": ["total"]},
	{"index_name": "by_game", "partition_key": ["game", "region"], "sort_key": ["round", "bracket"], "partition_key_type": ["S", "N"]},
	{"index_name": "by_level", "partition_key": "PK", "sort_key": "rank", "local": true, "projection": "KEYS_ONLY"}]');
ALTER TABLE shop SET (autovacuum_vacuum_scale_factor = 0.1);
SELECT update_time_to_live('shop', 'expires');
SELECT enable_stream('shop', 'KEYS_ONLY') IS NOT NULL AS enabled;
SELECT create_vector_index('shop', 'near', 'embedding', 3, distance => 'EUCLIDEAN', filters => '{level}', filter_types => '{N}');
CREATE DOMAIN email AS text CHECK (value LIKE '%@%');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"name": "text", "customer_id": "text", "email": {"type": "email", "required": true}, "level": {"type": "int", "default": 1}}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": "text", "total": "numeric(10,2)", "version": {"type": "int", "constant": 2}}',
	type_attribute => 'kind', type_value => 'O', index_conditions => '{"by_status": "#t > :t"}', expression_attribute_values => '{":t": {"N": "0"}}',
	expression_attribute_names => '{"#t": "total"}', on_mismatch => 'replace', check_types => true, view_name => 'orders');
SELECT create_entity_view('order_totals', 'shop', '{"order_id": "int", "amount": {"type": "numeric", "attribute": "total"}}', entity_name => 'order', invalid_values => 'null');
SELECT add_unique_constraint('shop', 'one_email', '{email}', kind_attributes => '{"kind": {"S": "customer"}}');
SELECT add_unique_constraint('shop', 'one_name', '{name,level}', '{"SK": "METADATA"}', condition_expression => '#l > :l', expression_attribute_values => '{":l": {"N": "5"}}',
	expression_attribute_names => '{"#l": "level"}', is_deferrable => true, initially_deferred => true);
SELECT create_table('goods', 'PK');
SELECT add_reference('shop', 'order_customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', key_prefix => '{"SK": "ORDER#"}');
SELECT add_reference('shop', 'order_goods', '{"PK": "GOODS#{goods}"}', 'goods', condition_expression => 'attribute_exists(goods)', on_delete => 'CASCADE', is_deferrable => true);
SELECT create_copy('shop', 'customer_name', 'customer', 'order', '{"customer_name": "name"}', hidden_parent => 'use');
SELECT create_total('shop', 'spent', 'customer', 'order', '{"orders": "count", "spent": "sum(total)"}');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :customer AND order_id BETWEEN :first AND :last', view_name => 'orders',
	parameters => '{"first": {"default": null}, "last": {"default": 999}}', max_items => 5, scan_index_forward => false, description => 'orders, ''newest'' first');
SELECT create_access_pattern('shop', 'all_of', 'customer_id = :customer', '{customer,order}', filter_expression => 'attribute_exists(#n)', expression_attribute_names => '{"#n": "name"}');
SELECT create_access_pattern('shop', 'orders_by_status', '#s = :status', view_name => 'orders', index_name => 'by_status', expression_attribute_names => '{"#s": "status"}');
GRANT SELECT, INSERT ON shop TO regress_plan_reader;
GRANT UPDATE ON shop TO "regress plan writer" WITH GRANT OPTION;
GRANT SELECT (customer_id, order_id), UPDATE (status) ON orders TO "regress plan writer";
GRANT SELECT ON customers TO PUBLIC;
REVOKE EXECUTE ON FUNCTION orders_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orders_of TO regress_plan_reader;
CREATE INDEX by_hand ON shop ((item ->> 'x'));
ALTER TABLE shop ADD CONSTRAINT short CHECK (item_size(item) < 100000);
SELECT export_model('shop');

-- nothing differs
SELECT * FROM plan_model(export_model('shop'));
SELECT apply_model(export_model('shop'));
SELECT * FROM plan_model('{"tables": [{"table_name": "shop", "partition_key": "PK", "sort_key": "SK"}]}');
SELECT * FROM plan_model('{"tables": [{"table_name": "shop", "partition_key": "PK", "sort_key": "SK", "indexes": [{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_day", "partition_key": "day", "sort_key": "n", "sort_key_type": "N", "shards": 3, "shard_by": "SK", "projection": "INCLUDE", "non_key_attributes": ["total"]},
	{"index_name": "by_game", "partition_key": ["game", "region"], "sort_key": ["round", "bracket"], "partition_key_type": ["S", "N"]},
	{"index_name": "by_level", "partition_key": "PK", "sort_key": "rank", "local": true, "projection": "KEYS_ONLY"}],
	"copies": [{"copy_name": "customer_name", "parent": "customer", "child": "order", "attributes": {"customer_name": "name"}, "hidden_parent": "use"}],
	"access_patterns": [{"pattern_name": "orders_of", "key_condition": "customer_id = :customer AND order_id BETWEEN :first AND :last", "view_name": "orders", "parameters": {"first": {"default": null}, "last": {"default": 999}},
		"max_items": 5, "scan_index_forward": false, "description": "orders, ''newest'' first"},
	{"pattern_name": "all_of", "key_condition": "customer_id = :customer", "entities": ["customer", "order"], "filter_expression": "attribute_exists(#n)", "expression_attribute_names": {"#n": "name"}},
	{"pattern_name": "orders_by_status", "key_condition": "#s = :status", "view_name": "orders", "index_name": "by_status", "expression_attribute_names": {"#s": "status"}, "scan_index_forward": true}]}]}');

-- a round trip: into an empty schema
CREATE TABLE kept AS SELECT export_model('shop')::jsonb #- '{tables,0,omitted}' AS model, export_model('goods')::jsonb AS goods;
SET search_path = t_plan_copy, dynamo;
SELECT step, model_table, object, change, statement, items, locks, problem FROM plan_model((SELECT goods::json FROM t_plan.kept));
SELECT apply_model((SELECT goods::json FROM t_plan.kept));
CREATE DOMAIN email AS text CHECK (value LIKE '%@%');
SELECT step, object, change, statement FROM plan_model(export_model('t_plan.shop'));
SELECT apply_model(export_model('t_plan.shop'));
SELECT export_model('shop')::jsonb #- '{tables,0,omitted}' = model AS same FROM t_plan.kept;
SELECT export_model('shop')::jsonb -> 'tables' -> 0 -> 'omitted' AS omitted;
SELECT split_part(l.line, '"', 2) AS line FROM regexp_split_to_table(export_model('shop')::text, '\n') l(line)
EXCEPT ALL SELECT split_part(l.line, '"', 2) FROM regexp_split_to_table(export_model('t_plan.shop')::text, '\n') l(line);

-- every kind of difference is named, and a plan that was executed leaves none
SET search_path = t_plan, dynamo;
INSERT INTO customers (customer_id, name, email) SELECT i::text, 'n', concat(i, '@x') FROM generate_series(1, 3) i;
INSERT INTO orders (customer_id, order_id, status, placed_at, total) SELECT i::text, n, 'OPEN', '2026-01-01Z', n FROM generate_series(1, 3) i, generate_series(1, 5) n;
CREATE FUNCTION planted(edit text, OUT object text, OUT change text, OUT detail text, OUT items bigint, OUT problem text, OUT applied text) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	model json;
	steps record;
BEGIN
	EXECUTE format('SELECT jsonb_set(m, ''{tables,0}'', %s) FROM (SELECT m, m #> ''{tables,0}'' AS t FROM (SELECT dynamo.export_model(''t_plan.shop'')::jsonb) e(m)) e', edit) INTO model;
	applied := 'nothing differs';
	FOR steps IN SELECT array_agg(p.statement ORDER BY p.step) AS statements, jsonb_agg(to_jsonb(p) ORDER BY p.step) AS list FROM dynamo.plan_model(model) p HAVING count(*) > 0 LOOP
		BEGIN
			FOR i IN 1 .. cardinality(steps.statements) LOOP
				EXECUTE COALESCE(steps.statements[i], 'SELECT ''no statement''::int');
			END LOOP;
			RAISE EXCEPTION USING ERRCODE = 'ZZ001', MESSAGE = concat(cardinality(steps.statements), ' steps',
				CASE WHEN EXISTS (SELECT FROM dynamo.plan_model(model)) THEN ' still differs' END, CASE WHEN EXISTS (SELECT FROM dynamo.check_copies('t_plan.shop'))
					OR EXISTS (SELECT FROM dynamo.check_entity('t_plan.shop') e WHERE e.problem LIKE 'key %') THEN ' wrong items' END);
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN applied := SQLERRM;
			WHEN OTHERS THEN applied := concat('refused: ', SQLERRM);
		END;
		FOR object, change, detail, items, problem IN SELECT p.object, p.change, p.detail, p.items, p.problem 
			FROM jsonb_to_recordset(steps.list) p(step bigint, object text, change text, detail text, items bigint, problem text) ORDER BY p.step LOOP
			RETURN NEXT;
			applied := NULL;
		END LOOP;
	END LOOP;
	IF applied IS NOT NULL THEN
		RETURN NEXT;
	END IF;
END $$;
CREATE FUNCTION t_plan.at(list jsonb, name text) RETURNS text LANGUAGE sql AS $$
	SELECT (n - 1)::text FROM jsonb_array_elements($1) WITH ORDINALITY e(e, n)
	WHERE $2 IN (e ->> 'index_name', e ->> 'entity_name', e ->> 'view_name', e ->> 'constraint_name', e ->> 'copy_name', e ->> 'total_name', e ->> 'pattern_name') LIMIT 1 $$;
-- edits of a member of a part, of the list without a part, and with one more
CREATE FUNCTION t_plan.part(t jsonb, list text, name text, path text, value jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT CASE WHEN $5 IS NULL THEN $1 #- (ARRAY[$2, t_plan.at($1 -> $2, $3)] || $4::text[]) ELSE jsonb_set($1, ARRAY[$2, t_plan.at($1 -> $2, $3)] || $4::text[], $5) END $$;
CREATE FUNCTION t_plan.without(t jsonb, list text, name text) RETURNS jsonb LANGUAGE sql AS $$ SELECT $1 #- ARRAY[$2, t_plan.at($1 -> $2, $3)] $$;
CREATE FUNCTION t_plan.more(t jsonb, list text, part jsonb) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_set($1, ARRAY[$2], ($1 -> $2) || jsonb_build_array($3)) $$;
\pset format unaligned
\pset tuples_only on
-- the table
SELECT * FROM planted($$t || '{"partition_key": "X"}'$$);
SELECT * FROM planted($$t || '{"sort_key_type": "N"}'$$);
SELECT * FROM planted($$t || '{"partitions": 4}'$$);
SELECT * FROM planted($$jsonb_set(t, '{options,fillfactor}', '"70"')$$);
SELECT * FROM planted($$t #- '{options,autovacuum_vacuum_scale_factor}'$$);
SELECT * FROM planted($$jsonb_set(t, '{options,autovacuum_enabled}', '"false"')$$);
SELECT * FROM planted($$t || '{"time_to_live": "gone"}'$$);
SELECT * FROM planted($$t || '{"time_to_live": null}'$$);
SELECT * FROM planted($$t || '{"stream": "NEW_IMAGE"}'$$);
SELECT * FROM planted($$t || '{"stream": null}'$$);
-- indexes
SELECT * FROM planted($$t_plan.without(t, 'indexes', 'by_day')$$);
SELECT * FROM planted($$t_plan.without(t, 'indexes', 'by_status')$$);
SELECT * FROM planted($$t_plan.more(t, 'indexes', '{"index_name": "by_more", "partition_key": ["a", "b"]}')$$);
SELECT * FROM planted($$t_plan.more(t, 'indexes', '{"index_name": "by_more", "partition_key": "a", "sort_key": "b", "sort_key_type": "N", "shards": 2}')$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_day', '{shards}', '5')$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_day', '{shard_by}', NULL)$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_day', '{non_key_attributes}', '["total", "more"]')$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_level', '{projection}', '"ALL"')$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_status', '{storage}', '"table"')$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_game', '{partition_key_type}', '["S", "S"]')$$);
SELECT * FROM planted($$t_plan.part(t, 'indexes', 'by_game', '{sort_key}', '["round"]')$$);
SELECT * FROM planted($$t_plan.part(t, 'vector_indexes', 'near', '{distance}', '"COSINE"')$$);
SELECT * FROM planted($$t_plan.without(t, 'vector_indexes', 'near')$$);
-- entities
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{keys,SK}', '"O#{order_id:08}"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'customer', '{type_value}', '"C"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'customer', '{type_attribute}', '"sort"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{keys,GSI1PK}', '"S#{status}"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{index_conditions,by_status}', '"#t >= :t"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{expression_attribute_values,:t,N}', '"2"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{on_mismatch}', '"error"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{check_types}', NULL)$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{attributes,note}', '"text"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{attributes,grade}', '{"type": "text", "enum": ["a", "b"], "read_only": true}')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{attributes,half}', '{"type": "numeric", "computed": "total / 2"}')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{attributes,version,constant}', '3')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'customer', '{attributes,level,default}', '2')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'customer', '{attributes,email,required}', NULL)$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{attributes,total,type}', '"numeric(12,2)"')$$);
SELECT * FROM planted($$t_plan.part(t, 'entities', 'order', '{attributes,version}', NULL)$$);
SELECT * FROM planted($$t_plan.more(t, 'entities', '{"entity_name": "note", "type_attribute": "kind", "keys": {"PK": "NOTE#{note_id}", "SK": "NOTE"}, "view_name": "notes"}')$$);
SELECT * FROM planted($$t_plan.without(t, 'entities', 'order')$$);
SELECT * FROM planted($$t_plan.without(t, 'entities', 'order') || '{"views": [{"view_name": "customers", "entity_name": "customer"}], "copies": [], "totals": [], "access_patterns": [], "grants": []}'$$);
SELECT * FROM planted($$t - 'grants' || '{"views": [{"view_name": "customers", "entity_name": "customer"}], "access_patterns": []}'$$);
-- views, constraints, copies, totals
SELECT * FROM planted($$t_plan.without(t, 'views', 'order_totals')$$);
SELECT * FROM planted($$t_plan.without(t, 'views', 'orders')$$);
SELECT * FROM planted($$t_plan.part(t, 'views', 'order_totals', '{columns,amount,type}', '"numeric(5,1)"')$$);
SELECT * FROM planted($$t_plan.part(t, 'views', 'order_totals', '{invalid_values}', NULL)$$);
SELECT * FROM planted($$t_plan.more(t, 'views', '{"view_name": "everything", "columns": {"kind": "text"}}')$$);
SELECT * FROM planted($$t_plan.without(t, 'unique_constraints', 'one_email')$$);
SELECT * FROM planted($$t_plan.part(t, 'unique_constraints', 'one_name', '{attributes}', '["name"]')$$);
SELECT * FROM planted($$t_plan.part(t, 'unique_constraints', 'one_name', '{initially_deferred}', NULL)$$);
SELECT * FROM planted($$t_plan.without(t, 'references', 'order_customer')$$);
SELECT * FROM planted($$t_plan.part(t, 'references', 'order_goods', '{on_delete}', NULL)$$);
SELECT * FROM planted($$t_plan.part(t, 'references', 'order_goods', '{create_index}', 'false')$$);
SELECT * FROM planted($$t_plan.without(t, 'copies', 'customer_name')$$);
SELECT * FROM planted($$t_plan.part(t, 'copies', 'customer_name', '{attributes,customer_mail}', '"email"')$$);
SELECT * FROM planted($$t_plan.part(t, 'copies', 'customer_name', '{hidden_parent}', '"refuse"')$$);
SELECT * FROM planted($$t_plan.without(t, 'totals', 'spent')$$);
SELECT * FROM planted($$t_plan.part(t, 'totals', 'spent', '{totals,last}', '"max(order_id)"')$$);
-- access patterns and rights
SELECT * FROM planted($$t_plan.without(t, 'access_patterns', 'all_of')$$);
SELECT * FROM planted($$t_plan.part(t, 'access_patterns', 'orders_of', '{max_items}', '6')$$);
SELECT * FROM planted($$t_plan.part(t, 'access_patterns', 'orders_of', '{description}', '"oldest first"')$$);
SELECT * FROM planted($$t_plan.part(t, 'access_patterns', 'orders_of', '{scan_index_forward}', NULL)$$);
SELECT * FROM planted($$t_plan.part(t, 'access_patterns', 'orders_of', '{parameters,last,default}', '9')$$);
SELECT * FROM planted($$t_plan.part(t, 'access_patterns', 'all_of', '{returns}', '"document"')$$);
SELECT * FROM planted($$t_plan.more(t, 'access_patterns', '{"pattern_name": "customer", "key_condition": "customer_id = :customer", "view_name": "customers"}')$$);
SELECT * FROM planted($$t || '{"grants": []}'$$);
SELECT * FROM planted($$t_plan.more(t, 'grants', '{"role": "regress_plan_reader", "privilege": "DELETE"}')$$);
SELECT * FROM planted($$t_plan.more(t, 'grants', '{"role": "regress_plan_reader", "privilege": "FLY"}')$$);
SELECT * FROM planted($$t_plan.more(t, 'grants', '{"role": "x; DROP TABLE shop", "privilege": "DELETE"}')$$);
\pset tuples_only off
\pset format aligned
-- several at once
SELECT apply_model(replace(replace(export_model('shop')::text, '"STATUS#{status}"', '"S#{status}"'), '"numeric(10,2)"', '"numeric(12,2)"')::json);
SELECT "GSI1PK", count(*) FROM shop WHERE "GSI1PK" IS NOT NULL GROUP BY 1;
SELECT count(*) FROM orders_of('1');
SELECT * FROM check_copies('shop');
-- of a table that does not exist, of no table
SELECT object, problem FROM plan_model('{"tables": [{"partition_key": "PK"}]}');
SELECT apply_model('{"tables": [{"partition_key": "PK"}]}');
SELECT apply_model(NULL);
SELECT * FROM plan_model('[]');
SELECT apply_model('{"tables": [{"table_name": "kept", "partition_key": "PK"}]}');
-- all or nothing
SELECT apply_model('{"tables": [{"table_name": "made", "partition_key": "PK"}, {"table_name": "shop", "partition_key": "PK", "sort_key": "SK",
	"copies": [{"copy_name": "bad", "parent": "customer", "child": "none", "attributes": {"a": "b"}}]}]}');
SELECT to_regclass('made');
-- patterns that have become stale, of a document that says what is there
SELECT create_table('stale', partition_key => 'PK', sort_key => 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK"}]');
SELECT create_entity('stale', 'order', '{"PK": "C#{customer}", "SK": "O#{id:04}", "GSI1PK": "S#{status}"}', '{"customer": "text", "id": "int", "status": "text"}', type_attribute => 'kind');
SELECT create_access_pattern('stale', 'stale_status', 'status = :status', entities => '{order}', index_name => 'by_status');
SELECT create_access_pattern('stale', 'stale_customer', 'customer = :customer', entities => '{order}');
SELECT put_item('stale', '{"kind": "order", "customer": "c", "id": 1, "status": "OPEN"}'::jsonb);
SELECT count(*) FROM plan_model(export_model('stale'));
SELECT create_entity('stale', 'order', '{"PK": "C#{customer}", "SK": "O#{id:04}", "GSI1PK": "STATUS#{status}"}', '{"customer": "text", "id": "int", "status": "text"}', type_attribute => 'kind', replace => true);
SELECT stale_status('OPEN');
SELECT step, object, change, detail FROM plan_model(export_model('stale')) ORDER BY step;
SELECT apply_model(export_model('stale'));
SELECT stale_status('OPEN') ->> 'GSI1PK' AS key;
SELECT create_entity('stale', 'note', '{"PK": "C#{customer}", "SK": "{n}"}', type_attribute => 'kind');
SELECT count(*) FROM stale_customer('c');
SELECT step, object, change, detail FROM plan_model(export_model('stale')) ORDER BY step;
SELECT apply_model(export_model('stale'));
SELECT count(*) FROM stale_customer('c');
SELECT count(*) FROM plan_model(export_model('stale'));
-- for the owner, and as the caller
SET ROLE regress_plan_reader;
SELECT apply_model(export_model('t_plan.shop'));
RESET ROLE;
GRANT USAGE ON SCHEMA t_plan TO regress_plan_reader;
SET ROLE regress_plan_reader;
SELECT count(*) FROM plan_model(export_model('shop'));
SELECT apply_model('{"tables": [{"table_name": "shop", "partition_key": "PK", "sort_key": "SK", "time_to_live": null}]}');
RESET ROLE;
-- a copy is made anew only if the key changes by which it finds items
SET search_path = t_plan, dynamo;
SELECT create_table('family', 'PK', 'SK', indexes => '[{"index_name": "by_parent", "partition_key": "G1"}, {"index_name": "by_child", "partition_key": "G2"}]');
SELECT create_entity('family', 'parent', '{"PK": "P#{parent_id}", "SK": "P"}', '{"parent_id": "text", "name": "text"}');
SELECT create_entity('family', 'child', '{"PK": "C#{child_id}", "SK": "C", "G1": "P#{parent_id}", "G2": "C#{child_id}"}', '{"child_id": "text", "parent_id": "text"}');
SELECT create_copy('family', 'parent_name', 'parent', 'child', '{"parent_name": "name"}', index_name => 'by_parent');
SELECT object, change, detail FROM plan_model(replace(export_model('family')::text, '"G2": "C#', '"G2": "D#')::json);
SELECT object, change, detail FROM plan_model(replace(export_model('family')::text, '"G1": "P#', '"G1": "Q#')::json);
-- a declared attribute whose name is a reserved word, in a condition without a name
SELECT create_table('bare', 'PK', indexes => '[{"index_name": "by_day", "partition_key": "G1"}]');
SELECT apply_model('{"tables": [{"table_name": "bare", "partition_key": "PK", "entities": [{"entity_name": "sale", "type_attribute": "kind", "keys": {"PK": "S#{id}", "G1": "{day}"},
	"attributes": {"id": "text", "day": "text", "total": "int"}, "index_conditions": {"by_day": "total > :least"}, "expression_attribute_values": {":least": {"N": "5"}}}]}]}');
SELECT * FROM plan_model('{"tables": [{"table_name": "bare", "partition_key": "PK", "entities": [{"entity_name": "sale", "type_attribute": "kind", "keys": {"PK": "S#{id}", "G1": "{day}"},
	"attributes": {"id": "text", "day": "text", "total": "int"}, "index_conditions": {"by_day": "#t > :least"}, "expression_attribute_values": {":least": {"N": "5"}}, "expression_attribute_names": {"#t": "total"}}]}]}');
SELECT apply_model('{"tables": [{"table_name": "bare", "partition_key": "PK", "entities": [{"entity_name": "sale", "type_attribute": "kind", "keys": {"PK": "S#{id}", "G1": "{day}"},
	"attributes": {"id": "text", "day": "text", "total": "int"}, "index_conditions": {"by_day": 5}}]}]}');
-- a template of what is no key any more: in no document, and refused
SELECT drop_index('bare', 'by_day');
SELECT keys FROM dynamo.entities WHERE table_name = 'bare';
SELECT export_model('bare');
SELECT count(*) FROM plan_model(export_model('bare'));
SELECT object, change, detail, statement IS NULL AS no_statement, problem FROM plan_model('{"tables": [{"table_name": "bare", "partition_key": "PK", "entities": [{"entity_name": "sale", "type_attribute": "kind",
	"keys": {"PK": "S#{id}", "G1": "{day}", "G2": "x"}, "attributes": {"id": "text", "day": "text", "total": "int"}}, {"entity_name": "lot", "keys": {"PK": "L#{id}", "G3": "x"}}]}]}');
SELECT create_index('bare', 'by_day', 'G1');
SELECT export_model('bare') #>> '{tables,0,entities,0,keys}' AS keys;
SELECT object, change, problem FROM plan_model((replace(export_model('bare')::text, 'by_day', 'by_date'))::json);
SELECT object, change, problem FROM plan_model(jsonb_set(export_model('bare')::jsonb, '{tables,0,indexes}', '[]')::json);
-- a part that is there twice; a view that two members name is one
SELECT object, problem FROM plan_model('{"tables": [{"table_name": "bare", "partition_key": "PK", "indexes": [{"index_name": "by_day", "partition_key": "G1"}, {"index_name": "by_day", "partition_key": "G1"}]}]}')
	WHERE problem IS NOT NULL;
SELECT apply_model('{"tables": [{"table_name": "bare", "partition_key": "PK", "entities": [{"entity_name": "sale", "type_attribute": "kind", "keys": {"PK": "S#{id}", "G1": "{day}"},
	"attributes": {"id": "text", "day": "int"}, "view_name": "sales"}], "views": [{"view_name": "sales", "entity_name": "sale"}],
	"access_patterns": [{"pattern_name": "sales_on", "key_condition": "day = :day", "index_name": "by_day", "entities": ["sale"]}]}]}');
-- a pattern whose parameters get other types is the same pattern, with its rights
REVOKE EXECUTE ON FUNCTION sales_on FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sales_on TO regress_plan_reader;
COMMENT ON FUNCTION sales_on IS 'kept';
SELECT apply_model((replace(export_model('bare')::text, '"day": {"type": "int"}', '"day": {"type": "bigint"}'))::json);
SELECT p.oid::regprocedure, p.proacl::text ~ '[{,]=X/' AS everybody, has_function_privilege('regress_plan_reader', p.oid, 'EXECUTE') AS reader, obj_description(p.oid)
FROM pg_proc p WHERE p.proname = 'sales_on';
SELECT count(*) FROM plan_model(export_model('bare'));
SELECT create_access_pattern('bare', 'sales_on', 'id = :id', entities => '{sale}');
RESET search_path;
DROP SCHEMA t_plan, t_plan_copy CASCADE;
DROP ROLE regress_plan_reader, "regress plan writer";
