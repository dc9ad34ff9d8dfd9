-- Inline indexes: definitions, columns, effects of writes
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_inline CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_inline;
SET search_path = t_index_inline;

SELECT dynamo.create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "LSI1", "partition_key": "PK", "sort_key": "date", "sort_key_type": "N",
	 "local": true, "projection": "INCLUDE", "non_key_attributes": ["total"]}]');
-- the id is different in every run
SELECT regexp_replace(replace(pg_get_triggerdef(oid), 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), '"id": "[^"]*", ', '') AS definition
FROM pg_trigger WHERE tgrelid = 'shop'::regclass AND tgname = '~dynamo_derive_keys' \gset
:definition;
\d shop
-- an index on attributes that the table already has, and an index with several attributes
SELECT dynamo.create_index('shop', 'inverted', 'SK', 'PK', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('shop', 'multi', ARRAY['country', 'city'], ARRAY['date', 'n', 'raw'],
	sort_key_type => ARRAY['N', 'N', 'B']);
SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = 'shop'::regclass ORDER BY 1::text COLLATE "C";
SELECT index_name, local, partition_key, sort_key, projection, non_key_attributes, storage, status
FROM dynamo.indexes WHERE schema_name = 't_index_inline';

-- writes: attributes appear, disappear and change
INSERT INTO shop (item) VALUES
	('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"S": "g"}, "GSI1SK": {"S": "h"}}'),
	('{"PK": {"S": "a"}, "SK": {"S": "2"}, "GSI1SK": {"S": "h"}, "date": {"N": "20.50"}}'),
	('{"PK": {"S": "a"}, "SK": {"S": "3"}, "country": {"S": "FI"}, "city": {"S": "Oulu"}, "n": {"N": "-1"}, "raw": {"B": "AQI="}}');
SELECT "SK", "GSI1PK", "GSI1SK", date, country, city, n, raw FROM shop ORDER BY 1;
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"S": "g2"}}' WHERE "SK" = '1';
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "2"}, "GSI1PK": {"S": "g3"}}' WHERE "SK" = '2';
SELECT "SK", "GSI1PK", "GSI1SK", date FROM shop ORDER BY 1;

-- items that the service refuses
INSERT INTO shop (item) VALUES ('{"PK": {"S": "b"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "b"}, "SK": {"S": "1"}, "date": {"NULL": true}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "b"}, "SK": {"S": "1"}, "GSI1SK": {"S": ""}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "b"}, "SK": {"S": "1"}, "raw": {"B": ""}}');
INSERT INTO shop (item) VALUES ('{"PK": {"S": "b"}, "SK": {"S": "1"}, "GSI1PK": {"S": "\u0000"}}');
INSERT INTO shop (item) SELECT format('{"PK": {"S": "b"}, "SK": {"S": "1"}, "GSI1PK": {"S": "%s"}}', repeat('x', 2049))::dynamo.item;
INSERT INTO shop (item) SELECT format('{"PK": {"S": "b"}, "SK": {"S": "1"}, "GSI1SK": {"S": "%s"}}', repeat('x', 1025))::dynamo.item;
UPDATE shop SET item = '{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"BOOL": true}}' WHERE "SK" = '1';
-- with local indexes the size limit includes their entries
INSERT INTO shop (item) SELECT format('{"PK": {"S": "b"}, "SK": {"S": "1"}, "total": {"S": "%s"}}', repeat('x', 300000))::dynamo.item;
INSERT INTO shop (item) SELECT format('{"PK": {"S": "b"}, "SK": {"S": "2"}, "date": {"N": "1"}, "total": {"S": "%s"}}', repeat('x', 300000))::dynamo.item;
SELECT dynamo.update_item('shop', '{"PK": {"S": "b"}, "SK": {"S": "1"}}', 'SET #d = :d', NULL, '{":d": {"N": "1"}}', '{"#d": "date"}');
SELECT "PK", "SK" FROM shop WHERE "PK" = 'b';

-- definitions that the service refuses
SELECT dynamo.create_index('shop', 'GSI1', 'x');
SELECT dynamo.create_index('shop', 'g22', 'GSI1PK', partition_key_type => 'N');
-- a type that is not given is taken from the known attribute
SELECT dynamo.create_table('typed', 'P', 'S', sort_key_type => 'N', indexes => '[
	{"index_name": "inverted", "partition_key": "S", "sort_key": "P"},
	{"index_name": "first", "partition_key": "x", "sort_key": "S"},
	{"index_name": "second", "partition_key": "x", "partition_key_type": "B"}]');
SELECT dynamo.create_index('typed', 'third', 'S', 'x');
SELECT dynamo.create_index('typed', 'fourth', ARRAY['x', 'y'], ARRAY['S', 'z'], sort_key_type => ARRAY['N', 'N']);
SELECT dynamo.create_index('typed', 'fifth', 'z', 'new');
SELECT dynamo.create_index('typed', 'sixth', 'S', 'P', partition_key_type => 'S');
SELECT a ->> 'name' AS name, a ->> 'type' AS type FROM dynamo.tables t, jsonb_array_elements(t.definition -> 'attributes') a WHERE table_name = 'typed';
INSERT INTO typed (item) VALUES ('{"P": {"S": "p"}, "S": {"N": "1"}, "x": {"B": "AA=="}, "z": {"N": "7"}, "new": {"S": "n"}}');
SELECT dynamo.query('typed', 'S = :s AND x = :x', '{":s": {"N": "1"}, ":x": {"B": "AA=="}}', index_name => 'third');
SELECT dynamo.drop_table('typed');
SELECT dynamo.create_index('shop', 'g22', 'x', 'x');
SELECT dynamo.create_index('shop', '', 'x');
SELECT dynamo.create_index('shop', 'g 2', 'x');
SELECT dynamo.create_index('shop', 'g22', ARRAY['a', 'b', 'c', 'd', 'e']);
SELECT dynamo.create_index('shop', 'g22', ARRAY['a'], ARRAY['b', 'c', 'd', 'e', 'f']);
SELECT dynamo.create_index('shop', 'g22', ARRAY['a', 'b'], partition_key_type => ARRAY['N']);
SELECT dynamo.create_index('shop', 'g22', ARRAY['a', 'b', 'a']);
SELECT dynamo.create_index('shop', 'g22', ARRAY[]::text[]);
SELECT dynamo.create_index('shop', 'g22', 'x', projection => 'SOME');
SELECT dynamo.create_index('shop', 'g22', 'x', projection => 'INCLUDE');
SELECT dynamo.create_index('shop', 'g22', 'x', non_key_attributes => ARRAY['y']);
SELECT dynamo.create_index('shop', 'g22', 'x', projection => 'INCLUDE', non_key_attributes => ARRAY['y', 'y']);
SELECT dynamo.create_index('shop', 'g22', 'x', storage => 'memory');
SELECT dynamo.create_index('shop', 'g22', 'x', storage => 'inline', shards => 4);
SELECT dynamo.create_index('shop', 'g22', 'x', shard_by => 'y');
SELECT dynamo.create_index('shop', 'l22', 'GSI1PK', 'x', local => true);
SELECT dynamo.create_index('shop', 'l22', 'PK', local => true);
SELECT dynamo.create_index('missing', 'g22', 'x');
SELECT dynamo.create_index(NULL, 'g22', 'x');
SELECT dynamo.create_table('hash', 'PK', indexes => '[{"index_name": "LSI1", "partition_key": "PK", "sort_key": "x", "local": true}]');
SELECT dynamo.create_table('twice', 'PK', indexes => '[{"index_name": "G11", "partition_key": "x"}, {"index_name": "G11", "partition_key": "y"}]');
SELECT dynamo.create_table('wrong', 'PK', indexes => '[{"index_name": "G11", "partition": "x"}]');
SELECT dynamo.create_table('wrong', 'PK', indexes => '{"index_name": "G11"}');
SELECT dynamo.create_index('shop', 'typed', 'x', sort_key_type => 'N');
-- a user's column is not taken, and the attempt leaves nothing behind
ALTER TABLE shop ADD COLUMN region text;
SELECT dynamo.create_index('shop', 'by_region', 'zone', 'region');
ALTER TABLE shop RENAME COLUMN region TO my_region;
SELECT dynamo.create_index('shop', 'by_region', 'zone', 'region');
SELECT dynamo.drop_index('shop', 'by_region');
ALTER TABLE shop DROP COLUMN my_region;
SET dynamo.max_global_indexes = 3;
SELECT dynamo.create_index('shop', 'fourth', 'x');
SET dynamo.max_local_indexes = 1;
SELECT dynamo.create_index('shop', 'second', 'PK', 'x', local => true);
RESET dynamo.max_global_indexes;
RESET dynamo.max_local_indexes;

-- dropping: columns used only by this index are dropped, shared ones remain
SELECT dynamo.drop_index('shop', 'LSI1');
SELECT dynamo.drop_index('shop', 'GSI1');
SELECT dynamo.drop_index('shop', 'inverted');
SELECT dynamo.drop_index('shop', 'GSI1');
SELECT attname FROM pg_attribute WHERE attrelid = 'shop'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'shop'::regclass ORDER BY 1::text COLLATE "C";
SELECT "SK", country, city, date, n, raw FROM shop ORDER BY 1;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "c"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}, "date": {"N": "7"}}');
SELECT "SK", date FROM shop WHERE "PK" = 'c';

-- a long index name, a relation name that is taken, unusual attribute names
SELECT dynamo.create_index('shop', repeat('i', 255), repeat('k', 255), 'xmin');
CREATE TABLE "shop$taken" ();
SELECT dynamo.create_index('shop', 'taken', 'item');
SELECT length(relation_name), left(relation_name, 20) FROM dynamo.indexes
WHERE schema_name = 't_index_inline' ORDER BY 1, 2;

SET client_min_messages = warning;
DROP SCHEMA t_index_inline CASCADE;
