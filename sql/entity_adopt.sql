-- entities of tables that already have items: check_entity, apply_entity
CREATE SCHEMA t_adopt;
SET search_path = t_adopt, dynamo;
\set SHOW_CONTEXT never

SELECT create_table('people', 'PK', indexes => '[{"index_name": "by_name", "partition_key": "name_key"},
	{"index_name": "by_city", "partition_key": "city_key", "storage": "table"}]');
INSERT INTO people (item) VALUES
	('{"PK": {"S": "P#1"}, "id": {"S": "1"}, "name": {"S": "Ann"}, "city": {"S": "Oslo"}, "name_key": {"S": "N#Ann"}, "city_key": {"S": "C#Oslo"}}'),
	('{"PK": {"S": "P#2"}, "id": {"S": "2"}, "name": {"S": "Bob"}, "name_key": {"S": "stale"}}'),
	('{"PK": {"S": "P#3"}, "name": {"S": "Eve"}, "city": {"S": "Bergen"}}'),
	('{"PK": {"S": "P#4"}, "id": {"S": "9"}, "name": {"S": "Dan"}, "city": {"S": "Bodø"}}'),
	('{"PK": {"S": "P#5"}, "id": {"S": "5"}}'),
	('{"PK": {"S": "P#6"}, "name": {"SS": ["a"]}}'),
	('{"PK": {"S": "other"}}');
INSERT INTO people (item) SELECT build_item('PK', 'P#x' || i, 'name', 'N' || i) FROM generate_series(1, 2500) i;
SELECT create_entity('people', 'person', '{"PK": "P#{id}", "name_key": "N#{name}", "city_key": "C#{city}"}',
	'{"id": "text", "name": {"type": "text", "required": true}, "city": "text"}');

SELECT count(*) FROM check_entity('people');
SELECT * FROM check_entity('people') WHERE NOT begins_with(key ->> 'PK', 'P#x') ORDER BY key ->> 'PK';
SELECT count(*) FROM check_entity('people', 'person') WHERE key ->> 'PK' = 'other';
-- in batches, until nothing changes; items that cannot be composed do not change
SELECT apply_entity('people', max_items => 2);
SELECT apply_entity('people', 'person'), apply_entity('people', 'person'), apply_entity('people', 'person'), apply_entity('people', 'person');
SELECT * FROM check_entity('people') ORDER BY key ->> 'PK';
SELECT "PK", name_key, city_key FROM people WHERE NOT begins_with("PK", 'P#x') ORDER BY 1;
SELECT i.index_name, v.* FROM indexes i, LATERAL verify_index('people', i.index_name) v WHERE i.schema_name = 't_adopt';

SELECT * FROM check_entity('none');
SELECT * FROM check_entity('people', 'none');
SELECT apply_entity('people', 'none');
SELECT * FROM check_entity(NULL);
-- with the privileges of the caller
CREATE ROLE regress_adopt;
GRANT USAGE ON SCHEMA t_adopt TO regress_adopt;
SET ROLE regress_adopt;
SELECT * FROM check_entity('people');
SELECT apply_entity('people');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA t_adopt CASCADE;
DROP ROLE regress_adopt;
