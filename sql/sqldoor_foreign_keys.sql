-- ordinary foreign keys on key columns, in both directions: correct or refused
CREATE SCHEMA t_foreign_keys;
SET search_path = t_foreign_keys, dynamo;
\set SHOW_CONTEXT never

-- from a dynamo table to an ordinary one
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_region", "partition_key": "region"}]');
CREATE TABLE regions (id text PRIMARY KEY, name text);
INSERT INTO regions VALUES ('eu', 'Europe'), ('us', 'America');
ALTER TABLE shop ADD FOREIGN KEY (region) REFERENCES regions ON UPDATE CASCADE;
SELECT put_item('shop', '{"PK": {"S": "C#1"}, "SK": {"S": "a"}, "region": {"S": "eu"}}');
SELECT put_item('shop', '{"PK": {"S": "C#2"}, "SK": {"S": "a"}, "region": {"S": "mars"}}');
SELECT put_item('shop', '{"PK": {"S": "C#3"}, "SK": {"S": "a"}}');
SELECT update_item('shop', '{"PK": {"S": "C#3"}, "SK": {"S": "a"}}', 'SET #r = :r',
	expression_attribute_values => '{":r": {"S": "mars"}}', expression_attribute_names => '{"#r": "region"}');
DELETE FROM regions WHERE id = 'eu';
-- the cascade would set the column and not the item: refused
UPDATE regions SET id = 'europe' WHERE id = 'eu';
UPDATE regions SET id = 'usa' WHERE id = 'us';
-- so would setting the column to null
ALTER TABLE shop DROP CONSTRAINT shop_region_fkey,
	ADD FOREIGN KEY (region) REFERENCES regions ON DELETE SET NULL;
DELETE FROM regions WHERE id = 'eu';
-- deleting the items is allowed
ALTER TABLE shop DROP CONSTRAINT shop_region_fkey,
	ADD FOREIGN KEY (region) REFERENCES regions ON DELETE CASCADE;
DELETE FROM regions WHERE id = 'eu';
SELECT item, region FROM shop;

-- from an ordinary table to a dynamo table: changing the item's key cascades
CREATE TABLE notes (pk text COLLATE "C", sk text COLLATE "C", note text,
	FOREIGN KEY (pk, sk) REFERENCES shop ON UPDATE CASCADE ON DELETE CASCADE);
INSERT INTO notes VALUES ('C#3', 'a', 'kept');
INSERT INTO notes VALUES ('C#4', 'a', 'nowhere');
UPDATE shop SET item = set_attribute(item, 'SK', to_value('b'::text));
SELECT put_item('shop', '{"PK": {"S": "C#3"}, "SK": {"S": "b"}, "replaced": {"BOOL": true}}');
SELECT * FROM notes;
SELECT delete_item('shop', '{"PK": {"S": "C#3"}, "SK": {"S": "b"}}');
SELECT * FROM notes;

-- the column itself cannot be set to another value than the item's
SELECT put_item('shop', '{"PK": {"S": "C#3"}, "SK": {"S": "a"}}');
UPDATE shop SET "SK" = 'z';
UPDATE shop SET "SK" = 'z', item = set_attribute(item, 'SK', to_value('z'::text)) RETURNING "SK", item;
INSERT INTO shop ("PK", item) VALUES ('x', '{"PK": {"S": "y"}, "SK": {"S": "a"}}');

SET client_min_messages = warning;
DROP SCHEMA t_foreign_keys CASCADE;
