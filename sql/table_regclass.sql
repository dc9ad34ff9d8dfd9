-- Functions that take a table take a regclass, too, which keeps its table
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_rc, t_rc_first CASCADE;
CREATE SCHEMA t_rc;
CREATE SCHEMA t_rc_first;
SET search_path = t_rc, dynamo;
\pset format unaligned
\pset tuples_only on
-- every function with a name has one overload, which is like it
SELECT p.oid::regprocedure AS without_overload
FROM pg_proc p WHERE p.pronamespace = 'dynamo'::regnamespace AND 'table_name' = ANY (p.proargnames) AND NOT 'regclass'::regtype = ANY (p.proargtypes::oid[])
	AND NOT EXISTS (SELECT FROM pg_proc o WHERE o.pronamespace = p.pronamespace AND o.proname = p.proname AND (o.prosrc = p.prosrc OR o.prolang <> p.prolang OR p.prosrc = '')
		AND 'regclass'::regtype = ANY (o.proargtypes::oid[]) AND o.pronargs = p.pronargs AND o.proargnames = p.proargnames)
ORDER BY p.proname COLLATE "C";
SELECT p.oid::regprocedure AS differs
FROM pg_proc p JOIN pg_proc o ON o.pronamespace = p.pronamespace AND o.proname = p.proname AND o.prosrc = p.prosrc AND o.oid <> p.oid
WHERE p.pronamespace = 'dynamo'::regnamespace AND 'table_name' = ANY (p.proargnames) AND NOT 'regclass'::regtype = ANY (p.proargtypes::oid[])
	AND 'regclass'::regtype = ANY (o.proargtypes::oid[])
	AND ((p.provolatile, p.proisstrict, p.proparallel, p.procost, p.prorows, p.prosupport, p.proretset, p.prorettype, p.prokind, p.proacl::text, obj_description(p.oid))
		IS DISTINCT FROM (o.provolatile, o.proisstrict, o.proparallel, o.procost, o.prorows, o.prosupport, o.proretset, o.prorettype, o.prokind, o.proacl::text, obj_description(o.oid)));
-- a table, and one that takes its name in an earlier schema
CREATE FUNCTION fill(place text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM create_table(place || '.tab', 'id', 'n', indexes => '[{"index_name": "byv", "partition_key": "v"}]');
	PERFORM put_item(place || '.tab', format('{"id": {"S": "a"}, "n": {"S": "1"}, "v": {"S": "%s"}}', place)::item);
END $$;
SELECT fill('t_rc');
CREATE VIEW text_view AS SELECT scan('tab') AS item;
CREATE VIEW oid_view AS SELECT scan('tab'::regclass) AS item;
CREATE FUNCTION text_body() RETURNS SETOF item BEGIN ATOMIC SELECT scan('tab'); END;
CREATE FUNCTION oid_body() RETURNS SETOF item BEGIN ATOMIC SELECT scan('tab'::regclass); END;
CREATE FUNCTION named_body() RETURNS SETOF item BEGIN ATOMIC SELECT scan(max_items => 5, table_name => 'tab'::regclass); END;
PREPARE untyped AS SELECT scan($1) ->> 'v';
PREPARE by_text(text) AS SELECT scan($1) ->> 'v';
PREPARE by_name(name) AS SELECT scan($1) ->> 'v';
PREPARE by_varchar(varchar) AS SELECT scan($1) ->> 'v';
PREPARE by_oid(regclass) AS SELECT scan($1) ->> 'v';
PREPARE literal AS SELECT scan('tab') ->> 'v';
PREPARE constant AS SELECT scan('tab'::regclass) ->> 'v';
SELECT name, parameter_types FROM pg_prepared_statements WHERE name IN ('untyped', 'by_text', 'by_oid') ORDER BY name;
CREATE FUNCTION all_of() RETURNS TABLE (what text, v text) LANGUAGE plpgsql AS $$
DECLARE
	s text;
BEGIN
	FOREACH s IN ARRAY ARRAY['SELECT item FROM t_rc.text_view', 'SELECT item FROM t_rc.oid_view', 'SELECT t_rc.text_body()', 'SELECT t_rc.oid_body()', 'SELECT t_rc.named_body()'] LOOP
		what := s;
		EXECUTE format('SELECT i ->> %L FROM (%s) x(i)', 'v', s) INTO v;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT what, v FROM all_of();
EXECUTE untyped('tab');
EXECUTE by_text('tab');
EXECUTE by_name('tab');
EXECUTE by_varchar('tab');
EXECUTE by_oid('tab');
EXECUTE literal;
EXECUTE constant;
SELECT fill('t_rc_first');
SET search_path = t_rc_first, t_rc, dynamo;
SELECT what, v FROM t_rc.all_of();
EXECUTE untyped('tab');
EXECUTE by_text('tab');
EXECUTE by_oid('t_rc.tab');
EXECUTE literal;
EXECUTE constant;
-- a regclass stays with its table when that is renamed
ALTER TABLE t_rc.tab RENAME TO moved;
SET search_path = t_rc, dynamo;
SELECT oid_body() ->> 'v', named_body() ->> 'v', (SELECT item ->> 'v' FROM oid_view);
SELECT scan('moved') ->> 'v', scan('moved'::regclass) ->> 'v', scan('moved'::regclass::oid) ->> 'v';
SELECT pg_get_viewdef('oid_view'), pg_get_viewdef('text_view');
SELECT pg_get_function_sqlbody('oid_body'::regproc);
-- calls: operations, reading, definitions, NULL, what is no table
SELECT get_item('moved'::regclass, '{"id": {"S": "a"}, "n": {"S": "1"}}') ->> 'v', count(*) FROM query('moved'::regclass, 'id = :i', '{":i": {"S": "a"}}');
SELECT put_item('moved'::regclass, '{"id": "b", "n": "1"}'::jsonb), update_item('moved'::regclass, '{"id": {"S": "b"}, "n": {"S": "1"}}', 'SET x = :x', expression_attribute_values => '{":x": {"N": "1"}}', return_values => 'UPDATED_NEW');
SELECT batch_write_item(table_name => 'moved'::regclass, delete_keys => ARRAY['{"id": {"S": "b"}, "n": {"S": "1"}}'::item]);
SELECT create_index('moved'::regclass, 'one', 'w'), create_index('moved'::regclass, 'two', '{w,x}'::text[]), drop_index('moved'::regclass, 'one');
SELECT describe_table('moved'::regclass) ->> 'table_name', enable_stream('moved'::regclass) IS NOT NULL;
SELECT put_item('moved'::regclass, '{"id": "c", "n": "1"}'::jsonb);
SELECT count(*) FROM read_stream('moved'::regclass);
SELECT trim_streams('moved'::regclass, '0'), delete_expired('moved'::regclass);
SELECT add_reference('moved'::regclass, 'self', '{"id": "{ref}", "n": "{refn}"}'), add_reference('moved'::regclass, 'other', '{"id": "{ref}", "n": "{refn}"}', 'moved'), add_reference('moved'::regclass, 'third', '{"id": "{ref}", "n": "{refn}"}', 'moved'::regclass);
SELECT create_entity('moved'::regclass, 'e', keys => '{"id": "E#{i}", "n": "N"}', view_name => 'es', attributes => '{"i": "text"}');
SELECT create_entity_view('es2', 'moved'::regclass, entity_name => 'e');
SELECT export_model('moved'::regclass)::text = export_model('moved')::text;
SELECT count(*) FROM outline('moved'::regclass);
CALL build_indexes('moved'::regclass);
CALL build_indexes('moved');
SELECT get_item(NULL::regclass, '{"id": {"S": "a"}, "n": {"S": "1"}}');
SELECT get_item(NULL, '{"id": {"S": "a"}, "n": {"S": "1"}}');
SELECT get_item(0::regclass, '{"id": {"S": "a"}, "n": {"S": "1"}}');
SELECT get_item('pg_class'::regclass, '{"id": {"S": "a"}, "n": {"S": "1"}}');
SELECT drop_index('moved'::regclass, 'none');
SELECT drop_entity('moved'::regclass, 'none');
SELECT delete_expired() >= 0;
EXPLAIN (COSTS OFF) SELECT * FROM query('moved'::regclass, 'id = :i', '{":i": {"S": "a"}}');
SELECT drop_table('moved'::regclass);
SELECT item ->> 'v' FROM oid_view;
SET client_min_messages = warning;
DROP SCHEMA t_rc, t_rc_first CASCADE;
