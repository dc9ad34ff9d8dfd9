-- definitions of copies and totals: what is refused, and what they refuse
CREATE SCHEMA t_copy_defs;
SET search_path = t_copy_defs, dynamo;
\set SHOW_CONTEXT never
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "kept", "partition_key": "GSI2PK", "storage": "table"}, {"index_name": "plain", "partition_key": "author_id"}, {"index_name": "by_number", "partition_key": "n", "partition_key_type": "N"}]');
SELECT create_entity('shop', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR"}', type_attribute => 'kind');
SELECT create_entity('shop', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{author_id}", "GSI1SK": "{title}", "GSI2PK": "AUTHOR#{author_id}"}', type_attribute => 'kind',
	attributes => '{"isbn": "text", "author_id": "text", "title": "text", "fixed": {"constant": 1}, "author_name": "text", "name": "text"}');
SELECT create_entity('shop', 'event', '{"PK": "AUTHOR#{author_id}", "SK": "EVENT#{at:s}"}', type_attribute => 'kind');
SELECT create_entity('shop', 'day', '{"PK": "AUTHOR#{author_id}", "SK": "DAY#{at:date}"}', type_attribute => 'kind');

-- arguments
SELECT create_copy('shop', 'c', 'author', 'none', '{"a": "b"}');
SELECT create_copy('none', 'c', 'author', 'book', '{"a": "b"}');
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": "b"}', index_name => 'none');
SELECT create_copy('shop', 'c', 'author', 'book', '{}');
SELECT create_copy('shop', 'c', 'author', 'book', NULL);
SELECT create_copy('shop', NULL, 'author', 'book', '{"a": "b"}');
SELECT create_copy('shop', 'c', 'author', 'book', '["a"]');
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": 1}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": ""}', index_name => 'by_author');
SELECT create_total('shop', 't', 'author', 'book', '{"a": "avg(b)"}', index_name => 'by_author');
SELECT create_total('shop', 't', 'author', 'book', '{"a": "sum()"}', index_name => 'by_author');
-- children that cannot be found
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": "b"}');
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": "b"}', index_name => 'kept');
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": "b"}', index_name => 'by_number');
SELECT create_copy('shop', 'c', 'author', 'book', '{"a": "b"}', '{"author_id": "writer"}', 'by_author');
SELECT create_copy('shop', 'c', 'day', 'event', '{"a": "b"}', '{"at": "on"}', index_name => 'by_author');
-- attributes that tell what an item is, or whose
SELECT create_copy('shop', 'c', 'author', 'book', '{"isbn": "b"}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"title": "b"}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"author_id": "b"}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"kind": "b"}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"fixed": "b"}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"GSI2PK": "b"}', index_name => 'by_author');
SELECT create_total('shop', 't', 'author', 'book', '{"SK": "count"}', index_name => 'by_author');
-- a circle, twice the same
SELECT create_copy('shop', 'c', 'author', 'book', '{"author_name": "name"}', index_name => 'by_author');
SELECT create_copy('shop', 'c', 'author', 'book', '{"x": "name"}', index_name => 'by_author');
SELECT create_total('shop', 'c', 'author', 'book', '{"x": "count"}', index_name => 'by_author');
SELECT create_copy('shop', 'd', 'author', 'book', '{"author_name": "other"}', index_name => 'by_author');
SELECT create_total('shop', 't', 'author', 'book', '{"name": "max(author_name)"}', index_name => 'by_author');
-- both ways is no circle: totals that are copied
SELECT create_total('shop', 't', 'author', 'book', '{"books": "count"}', index_name => 'plain');
SELECT create_copy('shop', 'u', 'author', 'book', '{"of_books": "books"}', index_name => 'by_author');
INSERT INTO shop (item) VALUES ('{"kind": "author", "author_id": "a", "name": "Ann"}'::jsonb);
INSERT INTO shop (item) SELECT jsonb_build_object('kind', 'book', 'author_id', 'a', 'isbn', i::text, 'title', 't') FROM generate_series(1, 3) i;
INSERT INTO shop (item) VALUES ('{"kind": "book", "author_id": "a", "isbn": "4"}'::jsonb);
SELECT "PK", item ->> 'books', item ->> 'of_books', item ->> 'author_name' FROM shop ORDER BY 1;
SELECT * FROM check_copies('shop');
SELECT * FROM copies WHERE schema_name = 't_copy_defs';

-- what is needed stays
SELECT drop_entity('shop', 'author');
SELECT drop_entity('shop', 'book');
SELECT drop_entity('shop', 'event');
SELECT drop_index('shop', 'by_author');
SELECT change_index('shop', 'plain', storage => 'table');
DROP TRIGGER "~dynamo_copy" ON shop;
ALTER TABLE shop DISABLE TRIGGER "~dynamo_spread_copies";
ALTER TRIGGER "~dynamo_collect_copies" ON shop RENAME TO x;
ALTER TABLE shop DISABLE TRIGGER ALL;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'shop'::regclass AND tgfoid = 'dynamo_system.keep_copies'::regproc ORDER BY 1;
SELECT drop_copy('shop', 't');
SELECT drop_total('shop', 'c');
SELECT drop_copy('shop', 'none');
SELECT check_copies('shop', 'none');
-- renamed, and in another schema
ALTER TABLE shop RENAME TO store;
INSERT INTO store (item) VALUES ('{"kind": "book", "author_id": "a", "isbn": "5", "title": "t"}'::jsonb) RETURNING item ->> 'author_name';
SELECT item ->> 'books' FROM store WHERE "SK" = 'AUTHOR';
SELECT drop_copy('store', 'c'), drop_copy('store', 'u');
SELECT drop_total('store', 't');

-- tables of more than one part
SELECT create_table('parts', 'PK', 'SK');
SELECT create_entity('parts', 'p', '{"PK": "P#{id}", "SK": "P"}', type_attribute => 'kind');
SELECT create_entity('parts', 'c', '{"PK": "P#{id}", "SK": "C#{n}"}', type_attribute => 'kind');
CREATE TABLE whole (LIKE parts) PARTITION BY HASH ("PK");
SELECT create_total('parts', 't', 'p', 'c', '{"n": "count"}', hidden_parent => 'use');
ALTER TABLE whole ATTACH PARTITION parts FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO parts (item) VALUES ('{"kind": "p", "id": "1"}'::jsonb);
ALTER TABLE whole DETACH PARTITION parts;
INSERT INTO parts (item) VALUES ('{"kind": "p", "id": "1"}'::jsonb);

-- rights: who may write the children need have none on the parents' columns
CREATE ROLE t_copy_writer;
CREATE ROLE t_copy_owner;
GRANT USAGE ON SCHEMA t_copy_defs TO t_copy_writer, t_copy_owner;
GRANT CREATE ON SCHEMA t_copy_defs TO t_copy_owner;
ALTER TABLE parts OWNER TO t_copy_owner;
GRANT INSERT ON parts TO t_copy_writer;
ALTER TABLE parts ENABLE ROW LEVEL SECURITY;
ALTER TABLE parts FORCE ROW LEVEL SECURITY;
CREATE POLICY children ON parts FOR INSERT TO t_copy_writer WITH CHECK (begins_with("SK", 'C#'));
SET ROLE t_copy_writer;
INSERT INTO parts (item) VALUES ('{"kind": "c", "id": "1", "n": "1"}'::jsonb);
INSERT INTO parts (item) VALUES ('{"kind": "p", "id": "2"}'::jsonb);
SELECT create_total('parts', 'u', 'p', 'c', '{"m": "count"}');
SELECT drop_total('parts', 't');
SELECT * FROM check_copies('parts');
SELECT repair_copies('parts');
CREATE TRIGGER mine AFTER INSERT ON parts FOR EACH ROW EXECUTE FUNCTION dynamo_system.keep_copies('[]');
RESET ROLE;
SELECT item FROM parts WHERE "SK" = 'P';

-- the owner's code runs as the one who writes, as in a plain statement
CREATE FUNCTION who() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.item = NEW.item OPERATOR(dynamo.||) dynamo.build_item('by', current_user::text, 'depth', pg_trigger_depth());
	RETURN NEW;
END $$;
CREATE TRIGGER who BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION who();
SET ROLE t_copy_writer;
INSERT INTO parts (item) VALUES ('{"kind": "c", "id": "1", "n": "2"}'::jsonb);
RESET ROLE;
SELECT "SK", item - 'PK' - 'SK' FROM parts ORDER BY 1;
DROP TRIGGER who ON parts;

-- by hand, in the triggers of the owner
SELECT drop_total('parts', 't');
ALTER TABLE parts DISABLE ROW LEVEL SECURITY;
CREATE FUNCTION plant(definition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER "~dynamo_collect_copies" AFTER INSERT ON t_copy_defs.parts FOR EACH ROW EXECUTE FUNCTION dynamo_system.keep_copies(%L)', definition);
	BEGIN
		INSERT INTO t_copy_defs.parts (item) VALUES ('{"kind": "c", "id": "3", "n": "1"}'::jsonb);
		RAISE NOTICE 'taken: %', (SELECT count(*) FROM dynamo.copies WHERE schema_name = 't_copy_defs');
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS definition = PG_EXCEPTION_DETAIL;
		RAISE NOTICE '% % %', SQLSTATE, SQLERRM, definition;
	END;
	DELETE FROM t_copy_defs.parts;
END $$;
\pset tuples_only on
SET ROLE t_copy_owner;
SELECT plant('');
SELECT plant('{}');
SELECT plant('1');
SELECT plant('[1]');
SELECT plant('[[]]');
SELECT plant('[{}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c"}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": {"n": "count"}, "attributes": {"a": "b"}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": {"n": "count"}, "more": 1}]');
SELECT plant('[{"name": "x", "parent": 1, "child": "c", "totals": {"n": "count"}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": []}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": {"n": {}}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "refers": {"a": []}, "totals": {"n": "count"}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "index": "x", "totals": {"n": "count"}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": {"PK": "count"}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "p", "attributes": {"a": "a"}}]');
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": {"n": "count"}}, {"name": "x", "parent": "p", "child": "c", "totals": {"m": "count"}}]');
SELECT plant('[' || string_agg(format('{"name": "x%s", "parent": "p", "child": "c", "totals": {"n%s": "count"}}', i, i), ',') || ']') FROM generate_series(1, 101) i;
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "attributes": {' || string_agg(format('"a%s": "b"', i), ',') || '}}]') FROM generate_series(1, 101) i;
SELECT plant('[{"name": "x", "parent": "p", "child": "p", "attributes": {' || string_agg(format('"a%s": "a%s"', i, i % 60 + 1), ',') || '}}]') FROM generate_series(1, 60) i;
SELECT plant('[{"name": "x", "parent": "p", "child": "c", "totals": {"n": "count"}}]');
-- calls of the trigger function that make no sense
RESET ROLE;
\pset tuples_only off
SELECT dynamo_system.keep_copies();
DROP TRIGGER "~dynamo_collect_copies" ON parts;
SELECT drop_total('parts', 'x');
CREATE TRIGGER planted AFTER INSERT ON parts FOR EACH ROW EXECUTE FUNCTION dynamo_system.keep_copies('[]');
INSERT INTO parts (item) VALUES ('{"kind": "c", "id": "3", "n": "1"}'::jsonb);
DROP TRIGGER planted ON parts;
CREATE TRIGGER planted AFTER TRUNCATE ON parts FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.keep_copies();
TRUNCATE parts;
DROP TRIGGER planted ON parts;
CREATE TABLE other (id int);
CREATE TRIGGER planted AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION dynamo_system.keep_copies('[]');
INSERT INTO other VALUES (1);
SELECT dynamo_internal.copy_definitions('\x5b5d00'), dynamo_internal.copy_definitions('\xff00'), dynamo_internal.copy_definitions('\x'), dynamo_internal.copy_definitions('\x3100');

-- ---- attributes that cannot be kept, and why ----
SELECT create_table('reps', partition_key => 'pk', sort_key => 'sk', indexes => '[{"index_name": "of_client", "partition_key": "g1", "sort_key": "g2"}]');
SELECT create_entity('reps', 'client', '{"pk": "C#{client}", "sk": "C"}', '{"client": "text", "name": "text", "rep": "text"}', type_attribute => 'kind');
SELECT create_entity('reps', 'rep', '{"pk": "R#{rep}", "sk": "R"}', '{"rep": "text"}', type_attribute => 'kind');
SELECT create_entity('reps', 'sale', '{"pk": "S#{sale}", "sk": "S", "g1": "C#{client}", "g2": "{client_name:any}#{sale}"}',
	'{"sale": "text", "client": "text", "client_name": "text", "rep": "text"}', type_attribute => 'kind');
SELECT create_copy('reps', 'names', 'client', 'sale', '{"client_name": "name"}', index_name => 'of_client');
SELECT create_index('reps', 'of_rep', 'h1');
SELECT create_entity('reps', 'sale', '{"pk": "S#{sale}", "sk": "S", "g1": "C#{client}", "g2": "{sale}", "h1": "R#{rep}"}',
	'{"sale": "text", "client": "text", "client_name": "text", "rep": "text"}', type_attribute => 'kind', replace => true);
SELECT create_total('reps', 'sales', 'rep', 'sale', '{"sales": "count"}', index_name => 'of_rep');
SELECT create_copy('reps', 'rep_of_client', 'client', 'sale', '{"rep": "rep"}', index_name => 'of_client');
SELECT create_copy('reps', 'names', 'client', 'sale', '{"client_name": "name", "client_rep": "rep"}', index_name => 'of_client');
-- nor tell it by what is computed of the copy
SELECT create_entity('reps', 'letter', '{"pk": "R#{rep}", "sk": "L#{initial}"}', '{"rep": "text", "initial": "text"}', type_attribute => 'kind');
SELECT create_entity('reps', 'note', '{"pk": "N#{note}", "sk": "N", "g1": "C#{client}", "g2": "{note}", "h1": "R#{rep}"}',
	'{"note": "text", "client": "text", "rep": "text", "client_name": "text", "initial": {"type": "text", "computed": "left(client_name, 1)"}}', type_attribute => 'kind');
SELECT create_total('reps', 'letters', 'letter', 'note', '{"n": "count"}', index_name => 'of_rep');
SELECT create_copy('reps', 'note_names', 'client', 'note', '{"client_name": "name"}', index_name => 'of_client');

-- changes of an entity are refused only if they concern what its copies and totals need
\pset tuples_only off
SELECT create_table('lib', 'PK', 'SK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_year", "partition_key": "GSI2PK", "sort_key": "GSI2SK"}]');
SELECT create_entity('lib', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR"}', '{"author_id": "text", "name": "text"}', type_attribute => 'kind');
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{author_id}", "GSI1SK": "{title}"}',
	'{"isbn": "text", "author_id": "text", "title": "text", "year": "int"}', type_attribute => 'kind');
SELECT create_copy('lib', 'named', 'author', 'book', '{"author_name": "name"}', index_name => 'by_author');
SELECT create_total('lib', 'books', 'author', 'book', '{"books": "count"}', index_name => 'by_author');
-- an empty table: whatever can be maintained
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{isbn}", "GSI1SK": "{title}"}', type_attribute => 'kind', replace => true);
SELECT put_item('lib', '{"kind": "author", "author_id": "a", "name": "Ann"}'::jsonb), put_item('lib', '{"kind": "book", "isbn": "1", "author_id": "a", "title": "t", "year": 2020}'::jsonb);
-- attributes, a new index key, and its condition
SELECT create_entity('lib', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR", "GSI2PK": "AUTHORS", "GSI2SK": "{name}"}',
	'{"author_id": "text", "name": {"type": "text", "required": true}, "born": {"type": "int", "default": 1900}}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}", "GSI2PK": "BOOKS", "GSI2SK": "{year:04}"}',
	'{"isbn": "text", "author_id": "text", "title": "text", "year": "int", "author_name": "text"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}", "GSI2PK": "BOOKS", "GSI2SK": "{year:04}#{author_name}"}',
	'{"isbn": "text", "author_id": "text", "title": "text", "year": "int", "author_name": "text"}', type_attribute => 'kind', replace => true,
	index_conditions => '{"by_year": "year > :y"}', expression_attribute_values => '{":y": {"N": "1999"}}');
SELECT apply_entity('lib', 'book') AS books, apply_entity('lib', 'author') AS authors;
SELECT item FROM lib ORDER BY 1;
-- keys by which items are found, and which items they are
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{author_id}", "GSI1SK": "{title}"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{year:04}"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "B", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}"}', type_attribute => 'kind', type_value => 'b', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}"}', type_attribute => 'kind', replace => true,
	index_conditions => '{"by_author": "year > :y"}', expression_attribute_values => '{":y": {"N": "1999"}}');
SELECT create_entity('lib', 'author', '{"PK": "A#{author_id}", "SK": "AUTHOR"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR", "GSI2PK": "{books}"}', type_attribute => 'kind', replace => true);
SELECT create_entity('lib', 'book', '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "A#{author_id}", "GSI1SK": "{title}"}', '{"isbn": "text", "author_id": "text", "title": "text", "author_name": {"default": "x"}}', type_attribute => 'kind', replace => true);
SELECT * FROM check_copies('lib');

DROP SCHEMA t_copy_defs CASCADE;
DROP ROLE t_copy_writer;
DROP ROLE t_copy_owner;
