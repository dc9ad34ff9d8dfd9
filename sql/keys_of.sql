-- dynamo.keys_of: the key columns of an item, for INSERTs that must name them.
CREATE SCHEMA t_keys_of;
SET search_path = t_keys_of, dynamo;

-- key attributes of all types
SELECT create_table('strings', 'PK', 'SK');
SELECT create_table('numbers', 'n', 'm', partition_key_type => 'N', sort_key_type => 'N');
SELECT create_table('bytes', 'b', partition_key_type => 'B');
SELECT * FROM keys_of('strings', '{"PK": {"S": "a"}, "SK": {"S": "b"}, "x": {"N": "1"}}');
SELECT * FROM keys_of('numbers', '{"n": {"N": "1.50"}, "m": {"N": "-2e3"}}');
SELECT * FROM keys_of('bytes', '{"b": {"B": "AAH/"}}');
INSERT INTO strings ("PK", "SK", item)
SELECT k.partition_key, k.sort_key, k.item FROM generate_series(1, 2) i, keys_of('strings', build_item('PK', 'p' || i, 'SK', 's')) k;
INSERT INTO numbers (n, m, item)
SELECT k.partition_key::numeric, k.sort_key::numeric, k.item FROM generate_series(1, 2) i, keys_of('numbers', build_item('n', i, 'm', -i)) k;
INSERT INTO bytes (b, item) SELECT k.partition_key::bytea, k.item FROM keys_of('bytes', build_item('b', '\x0001'::bytea)) k;
SELECT "PK", "SK", item FROM strings ORDER BY 1;
SELECT n, m, item FROM numbers ORDER BY 1;
SELECT b, item FROM bytes;

-- keys that an entity composes, in a partitioned table, whose rows need them to find their partition
SELECT create_table('parts', 'PK', 'SK', partitions => 3, indexes => '[{"index_name": "by_status", "partition_key": "G"}]');
SELECT create_entity('parts', 'order', '{"PK": "C#{c}", "SK": "O#{o:04}", "G": "{status}"}',
	attributes => '{"c": "text", "o": "int", "status": {"type": "text", "default": "OPEN"}}');
SELECT * FROM keys_of('parts', '{"c": "1", "o": 7}'::jsonb);
CREATE TABLE loaded (item item);
INSERT INTO loaded SELECT build_item('c', (i % 2)::text, 'o', i) FROM generate_series(1, 4) i;
INSERT INTO parts (item) SELECT item FROM loaded;
INSERT INTO parts ("PK", "SK", item) SELECT k.partition_key, k.sort_key, k.item FROM loaded l, keys_of('parts', l.item) k;
SELECT "PK", "SK", "G", item FROM parts ORDER BY 1, 2;
-- a second time, as puts
INSERT INTO parts ("PK", "SK", item)
SELECT k.partition_key, k.sort_key, k.item FROM loaded l, keys_of('parts', set_attribute(l.item, 'status', to_value('SENT'::text))) k
ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item;
SELECT "SK", "G" FROM parts ORDER BY 1;

-- the keys given by the item must be those composed
SELECT * FROM keys_of('parts', '{"c": "1", "o": 7, "PK": "C#1", "SK": "O#0007"}'::jsonb);
SELECT * FROM keys_of('parts', '{"c": "1", "o": 7, "PK": "C#2", "SK": "O#0007"}'::jsonb);
-- items that no write would accept
SELECT * FROM keys_of('parts', '{"c": "1"}'::jsonb);
SELECT * FROM keys_of('strings', '{"PK": {"S": "a"}}');
SELECT * FROM keys_of('strings', '{"PK": {"S": "a"}, "SK": {"N": "1"}}');
SELECT * FROM keys_of('strings', '{"PK": {"S": ""}, "SK": {"S": "b"}}');
SELECT * FROM keys_of('strings', NULL);
SELECT * FROM keys_of(NULL, '{}');
SELECT * FROM keys_of('none', '{}');
SELECT * FROM keys_of('loaded', '{}');

-- like the catalogs that contain definitions, it is for everyone
CREATE ROLE regress_keys_of;
GRANT USAGE ON SCHEMA t_keys_of TO regress_keys_of;
SET ROLE regress_keys_of;
SELECT partition_key, sort_key FROM keys_of('parts', '{"c": "1", "o": 7}'::jsonb);
SELECT count(*) FROM parts;
RESET ROLE;

DROP OWNED BY regress_keys_of;
DROP ROLE regress_keys_of;
DROP SCHEMA t_keys_of CASCADE;
