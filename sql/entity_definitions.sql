-- entities: declaring kinds of items and distinguishing them
CREATE SCHEMA t_entity_def;
SET search_path = t_entity_def, dynamo;
\set SHOW_CONTEXT never

SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_total", "partition_key": "GSI1PK", "sort_key": "total", "sort_key_type": "N"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": {"type": "text", "required": true}, "name": "text", "tier": {"type": "text", "default": "basic"}}');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}",
		"GSI1PK": "OPEN", "GSI1SK": "{placed_at:ms}#{order_id}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": "text"}',
	index_conditions => '{"GSI1": "#s = :open"}', expression_attribute_values => '{":open": {"S": "OPEN"}}',
	expression_attribute_names => '{"#s": "status"}');
SELECT entity_name, type_attribute, type_value, keys, attributes, on_mismatch FROM entities WHERE schema_name = 't_entity_def';
SELECT jsonb_pretty(describe_entity('shop', 'order'));

-- invalid declarations
SELECT create_entity('shop', 'order', '{"PK": "A", "SK": "B"}');
SELECT create_entity('none', 'x', '{"PK": "A", "SK": "B"}');
SELECT create_entity('shop', NULL, '{"PK": "A", "SK": "B"}');
SELECT create_entity('shop', '', '{"PK": "A", "SK": "B"}');
SELECT create_entity('shop', 'x');
SELECT create_entity('shop', 'x', '{"PK": "A"}');
SELECT create_entity('shop', 'x', '["PK"]');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": 1}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B", "other": "C"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B", "total": "{n}"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{n}"}', '{"m": "int"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{at}"}', '{"at": "timestamptz"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{n}"}', '{"n": "no_such_type"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{n}"}', '{"n": 1}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{n}"}', '{"n": {"type": "int", "requird": true}}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{n}"}', '{"n": {"required": "yes"}}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{PK}"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "{n}"}', '{"n": {"constant": 1, "default": 2}}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B"}', '{"SK": {"default": "x"}}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B"}', index_conditions => '{"none": "a = b"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B", "GSI1PK": "C"}', index_conditions => '{"GSI1": "a ="}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B", "GSI1PK": "C"}', index_conditions => '{"GSI1": "a = :b"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B", "GSI1PK": "C"}',
	index_conditions => '{"GSI1": "attribute_exists(a)", "by_total": "attribute_exists(b)"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B"}', index_conditions => '{"GSI1": "attribute_exists(a)"}');
SELECT create_entity('shop', 'x', type_attribute => 'kind', index_conditions => '{"GSI1": "attribute_exists(a)"}');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B"}', type_value => 'x');
SELECT create_entity('shop', 'x', '{"PK": "A", "SK": "B"}', on_mismatch => 'ignore');
-- a number format that does not sort
SELECT create_entity('shop', 'visit', '{"PK": "VISIT", "SK": "{n}"}', '{"n": "int"}');
SELECT drop_entity('shop', 'visit');
SELECT drop_entity('shop', 'visit');
SELECT describe_entity('shop', 'visit');
-- conditions of indexes that share keys with the table: the table's key has none
SELECT create_table('shared', 'PK', 'SK', indexes => '[
	{"index_name": "by_city", "partition_key": "city_key", "sort_key": "SK"},
	{"index_name": "by_day", "partition_key": "PK", "sort_key": "day_key", "local": true},
	{"index_name": "by_name", "partition_key": "name", "sort_key": "SK"},
	{"index_name": "by_size", "partition_key": "name", "sort_key": "day_key"}]');
SELECT create_entity('shared', 'visit', '{"PK": "V#{id}", "SK": "V#{n:02}"}', index_conditions => '{"by_name": "attribute_exists(opened)"}');
SELECT create_entity('shared', 'visit', '{"PK": "V#{id}", "SK": "V#{n:02}", "city_key": "C#{city}", "day_key": "{day}"}',
	index_conditions => '{"by_city": "attribute_exists(opened)", "by_day": "attribute_exists(day)"}');
SELECT put_item('shared', '{"id": "1", "n": 1, "city": "Bern", "day": "Mon"}'::jsonb);
SELECT put_item('shared', '{"id": "1", "n": 2, "city": "Bern", "opened": true}'::jsonb);
SELECT "PK", "SK", city_key, day_key FROM shared ORDER BY "SK";
-- by_size has the same key attribute as by_day
SELECT jsonb_path_query(export_model('shared')::jsonb, 'strict $.**.index_conditions');
SELECT drop_table('shared');

-- kinds that cannot be distinguished
SELECT create_entity('shop', 'x', '{"PK": "CUSTOMER#{id}", "SK": "META{rest}"}');
SELECT create_entity('shop', 'x', '{"PK": "CUSTOMER#{id}", "SK": "ORDER#{a}{b:02}"}');
SELECT create_entity('shop', 'x', '{"PK": "CUSTOMER#{id}", "SK": "ORDER#{a:02}{b}"}');
SELECT create_entity('shop', 'x', '{"PK": "CUSTOMER#{id}", "SK": "ORDER#{at:date}"}');
SELECT drop_entity('shop', 'x');
SELECT create_entity('shop', 'x', '{"PK": "{pk}", "SK": "{sk}"}');
SELECT create_entity('shop', 'item', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}#ITEM#{sku}"}');
CREATE TABLE pairs AS
SELECT * FROM (VALUES ('A#{x}', 'A#{y}'), ('A#{x}', 'B#{y}'), ('A#{x:word}', 'A#{y:word}#B'), ('A#{x}#', '{y}##'), ('{x}#A', '{y}#B'),
	('{x:04}', '{x:05}'), ('{x:04}', '{y:word}'), ('{x:+04}', 'p{y}'), ('{x:s}', '{x:ms}'), ('{x:s}', '2026-{y}'), ('{x:date}', '{y:s:desc}'),
	('{#10:x}', '{y:01}'), ('{#10:x}', '{y:02}'), ('{x:upper}', 'abc{y}'), ('{x:upper}', 'ABC{y}'), ('{x}#ITEM#{y}', 'A#{z:word}'),
	('{x}#ITEM#{y}', 'A#{z}'), ('{x}#{y}', '{x:any}#{y}'), ('{x:any}#A', '{y}#{z}#A'), ('{x}##', 'a#{y}'), ('é{x}', 'è{x}'), ('{x}', '{{')) v(a, b);
DO $$
DECLARE
	pair record;
BEGIN
	PERFORM dynamo.create_table('one', 'PK');
	FOR pair IN SELECT * FROM pairs LOOP
		PERFORM dynamo.create_entity('one', 'a', jsonb_build_object('PK', pair.a));
		BEGIN
			PERFORM dynamo.create_entity('one', 'b', jsonb_build_object('PK', pair.b));
			RAISE NOTICE '% and %: different', pair.a, pair.b;
			PERFORM dynamo.drop_entity('one', 'b');
		EXCEPTION WHEN invalid_object_definition THEN
			DECLARE
				detail text;
				example text;
			BEGIN
				GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
				example := substring(detail from '"(.*)"');
				RAISE NOTICE '% and %: % %', pair.a, pair.b, detail,
					dynamo.parse_key(example, pair.a) IS NOT NULL AND dynamo.parse_key(example, pair.b) IS NOT NULL;
			END;
		END;
		PERFORM dynamo.drop_entity('one', 'a');
	END LOOP;
END $$;

-- distinguished by a type attribute
SELECT create_table('typed', 'PK', 'SK');
SELECT create_entity('typed', 'order', '{"PK": "ORDER#{id}", "SK": "ORDER#{id}"}', type_attribute => '_et');
SELECT create_entity('typed', 'order_line', '{"PK": "ORDER#{id}", "SK": "ORDER#{line}"}', type_attribute => '_et', type_value => 'line');
SELECT create_entity('typed', 'note', type_attribute => '_et');
SELECT create_entity('typed', 'again', type_attribute => '_et', type_value => 'line');
SELECT create_entity('typed', 'other', type_attribute => 'entity');
SELECT create_entity('typed', 'order_by_key', '{"PK": "ORDER#{id}", "SK": "ORDER#{id}"}');
SELECT item, kind_of('typed', item), key_parts('typed', item)
FROM (VALUES ('{"_et": {"S": "line"}, "PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER#2"}}'::item), ('{"_et": {"S": "note"}}'), ('{"_et": {"N": "1"}}'),
	('{"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER#1"}}'), ('{"_et": {"S": "?"}, "PK": {"S": "A"}, "SK": {"S": "B"}}'), ('{}')) v(item);

-- keys for get_item and other functions
SELECT entity_key('shop', 'order', '{"customer_id": "c7", "order_id": 42}'::jsonb);
SELECT entity_key('shop', 'order', '{"customer_id": "c7"}'::jsonb);
SELECT entity_key('shop', 'order', '{"customer_id": "c7", "order_id": "42"}'::jsonb);
SELECT entity_key('shop', 'order', '{"customer_id": "c7", "order_id": 123456789}'::jsonb);
SELECT entity_key('shop', 'none', '{}'::jsonb);
SELECT key_parts('shop', '{"PK": {"S": "CUSTOMER#c7"}, "SK": {"S": "ORDER#00000042"}}');

-- only the owner may declare entities
CREATE ROLE regress_entity;
GRANT USAGE ON SCHEMA t_entity_def TO regress_entity;
GRANT ALL ON shop TO regress_entity;
SET ROLE regress_entity;
SELECT create_entity('shop', 'mine', '{"PK": "MINE", "SK": "{x}"}');
SELECT drop_entity('shop', 'order');
SELECT kind_of('shop', '{"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "METADATA"}}');
RESET ROLE;

-- the definition is in the trigger; an invalid one harms no other table
CREATE TABLE planted (LIKE shop);
CREATE FUNCTION plant(entities text) RETURNS text LANGUAGE plpgsql SET search_path = t_entity_def, dynamo, pg_temp AS $$
DECLARE
	definition jsonb := (SELECT definition FROM dynamo.tables WHERE relation = 't_entity_def.shop'::regclass);
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER derive BEFORE INSERT OR UPDATE ON planted FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
		jsonb_set(definition, '{entities}', entities::jsonb));
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	DECLARE
		detail text;
	BEGIN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RETURN format('%s: %s %s', sqlstate, sqlerrm, detail);
	END;
END $$;
SELECT entities, plant(entities) FROM (VALUES
	('{}'), ('[1]'), ('[{}]'), ('[{"name": ""}]'), ('[{"name": 1}]'), ('[{"name": "a"}]'), ('[{"name": "a", "keys": {}}]'), ('[{"name": "a", "keys": [{}]}]'),
	('[{"name": "a", "surprise": 1}]'), ('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "keys": [{"attribute": "PK", "template": "{"}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "keys": [{"attribute": "PK", "template": "x", "condition": "a = b"}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "keys": [{"attribute": "G", "template": "x", "condition": "a ="}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "keys": [{"attribute": "G", "template": "x", "condition": "a = :b", "values": "{"}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "keys": [{"attribute": "G", "template": "x", "condition": "#a = b", "names": {"#a": 1}}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "keys": [{"attribute": "G", "template": "x"}, {"attribute": "G", "template": "y"}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "attributes": [{"name": "x"}, {"name": "x"}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "attributes": [{"name": "x", "holds": "B"}]}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}, "on_mismatch": "x"}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}}, {"name": "a", "type": {"attribute": "t", "value": "w"}}]'),
	('[{"name": "a", "type": {"attribute": "t", "value": "v"}}]')) v(entities);
SELECT count(*) > 0 AS readable FROM dynamo.entities;
SELECT definition -> 'entities' FROM dynamo.tables WHERE relation = 'planted'::regclass;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_entity_def CASCADE;
DROP ROLE regress_entity;
