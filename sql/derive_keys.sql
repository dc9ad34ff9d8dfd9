-- Every way of writing derives the key columns from the item and checks the item
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_derive CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_derive;
SET search_path = t_derive;
SELECT dynamo.create_table('tab', 'PK', 'SK', sort_key_type => 'N');

-- INSERT, with and without the columns
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a"}, "SK": {"N": "1"}, "v": {"S": "x"}}');
INSERT INTO tab VALUES ('a', 2.0, '{"PK": {"S": "a"}, "SK": {"N": "2"}}') RETURNING "SK";
INSERT INTO tab ("PK", item) VALUES (NULL, '{"PK": {"S": "a"}, "SK": {"N": "1e2"}}') RETURNING *;
INSERT INTO tab VALUES ('{"PK": {"S": "a"}, "SK": {"N": "3"}}');
INSERT INTO tab ("PK", "SK", item) VALUES ('b', 3, '{"PK": {"S": "a"}, "SK": {"N": "3"}}');
INSERT INTO tab ("SK", item) VALUES (4, '{"PK": {"S": "a"}, "SK": {"N": "3"}}');

-- UPDATE: the item determines the columns, and a contradicting column is an error
UPDATE tab SET item = '{"PK": {"S": "a"}, "SK": {"N": "5"}}' WHERE "SK" = 2 RETURNING *;
UPDATE tab SET "SK" = 6 WHERE "SK" = 5;
UPDATE tab SET "PK" = NULL WHERE "SK" = 5;
UPDATE tab SET "SK" = 5.00 WHERE "SK" = 5 RETURNING "SK";
UPDATE tab SET "SK" = 6, item = '{"PK": {"S": "a"}, "SK": {"N": "6"}}' WHERE "SK" = 5 RETURNING *;
UPDATE tab SET "SK" = 7, item = '{"PK": {"S": "a"}, "SK": {"N": "8"}}' WHERE "SK" = 6;
UPDATE tab SET item = NULL WHERE "SK" = 6;

-- ON CONFLICT and MERGE
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a"}, "SK": {"N": "6"}, "v": {"S": "new"}}')
ON CONFLICT ("PK", "SK") DO UPDATE SET item = excluded.item RETURNING *;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a"}, "SK": {"N": "6"}}')
ON CONFLICT ("PK", "SK") DO UPDATE SET item = '{"PK": {"S": "a"}, "SK": {"S": "six"}}';
MERGE INTO tab USING (VALUES ('a', 6), ('m', 1)) AS s (p, k) ON tab."PK" = s.p AND tab."SK" = s.k
WHEN MATCHED THEN UPDATE SET item = '{"PK": {"S": "a"}, "SK": {"N": "60"}}'
WHEN NOT MATCHED THEN INSERT (item) VALUES ('{"PK": {"S": "m"}, "SK": {"N": "1"}}');
SELECT "PK", "SK" FROM tab ORDER BY 1, 2;

-- COPY
COPY tab (item) FROM stdin;
{"PK": {"S": "c"}, "SK": {"N": "1"}}
{"PK": {"S": "c"}, "SK": {"N": "2"}}
\.
COPY tab (item) FROM stdin;
{"PK": {"S": "c"}, "SK": {"N": "3"}}
{"PK": {"S": "c"}}
\.
SELECT "PK", "SK" FROM tab WHERE "PK" = 'c' ORDER BY 2;

-- items that the service refuses
INSERT INTO tab (item) VALUES ('{"SK": {"N": "1"}}');
INSERT INTO tab (item) VALUES ('{"PK": {"N": "1"}, "SK": {"N": "1"}}');
INSERT INTO tab (item) VALUES ('{"PK": {"S": ""}, "SK": {"N": "1"}}');
INSERT INTO tab (item) VALUES ('{"PK": {"S": "a\u0000b"}, "SK": {"N": "1"}}');
INSERT INTO tab (item) SELECT format('{"PK": {"S": "%s"}, "SK": {"N": "1"}}', repeat('k', 2049))::dynamo.item;
INSERT INTO tab (item) SELECT format('{"PK": {"S": "%s"}, "SK": {"N": "1"}}', repeat('k', 2048))::dynamo.item;
INSERT INTO tab (item) SELECT format('{"PK": {"S": "big"}, "SK": {"N": "1"}, "v": {"S": "%s"}}', repeat('v', 409601))::dynamo.item;
SELECT dynamo.create_table('bytes', 'p', 's', 'B', 'B');
INSERT INTO bytes (item) VALUES ('{"p": {"B": ""}, "s": {"B": "AQ=="}}');
INSERT INTO bytes (item) SELECT format('{"p": {"B": "AQ=="}, "s": {"B": "%s"}}', translate(encode(convert_to(repeat('b', 1025), 'UTF8'), 'base64'), E'\n', ''))::dynamo.item;
-- a key that is too long for a btree entry, unless it can be compressed
CREATE FUNCTION noise(bytes int, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT translate(encode(string_agg(sha256(convert_to(seed || i, 'UTF8')), '' ORDER BY i), 'base64'), E'\n', '')
   FROM generate_series(1, bytes * 3 / 4 / 32) i $$;
SELECT dynamo.create_table('texts', 'p', 's');
INSERT INTO texts (item) SELECT format('{"p": {"S": "%s"}, "s": {"S": "%s"}}', noise(2040, 'a'), noise(1020, 'b'))::dynamo.item;
INSERT INTO texts (item) SELECT format('{"p": {"S": "%s"}, "s": {"S": "%s"}}', repeat('a', 2048), repeat('b', 1024))::dynamo.item;
-- the same in a transaction, which locks the key before there is an item
SELECT dynamo.transact_write_items(format('[{"Put": {"TableName": "texts", "Item": {"p": {"S": "%s"}, "s": {"S": "%s"}}}}]',
	noise(2040, 'a'), noise(1020, 'b'))::json);
SELECT dynamo.transact_write_items(format('[{"ConditionCheck": {"TableName": "texts", "Key": {"p": {"S": "%s"}, "s": {"S": "%s"}},
	"ConditionExpression": "attribute_not_exists(p)"}}]', noise(2040, 'a'), noise(1020, 'b'))::json);
INSERT INTO texts (item) SELECT format('{"p": {"S": "%s"}, "s": {"S": "%s"}}', noise(1600, 'a'), noise(1000, 'b'))::dynamo.item;
SELECT length(p), length(s) FROM texts ORDER BY 1;

-- a user's own trigger fires first, and its changes of the item count
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.item := '{"PK": {"S": "stamped"}, "SK": {"N": "9"}}';
	RETURN NEW;
END $$;
CREATE TRIGGER zz_stamp BEFORE INSERT ON tab FOR EACH ROW EXECUTE FUNCTION stamp();
INSERT INTO tab (item) VALUES ('{"PK": {"S": "z"}, "SK": {"N": "1"}}') RETURNING *;
DROP TRIGGER zz_stamp ON tab;

-- columns of the user, and toasted items that do not change
ALTER TABLE tab ADD COLUMN note text;
INSERT INTO tab (item) SELECT format('{"PK": {"S": "t"}, "SK": {"N": "1"}, "v": {"S": "%s"}}', noise(100000, 'v'))::dynamo.item;
UPDATE tab SET note = 'kept' WHERE "PK" = 't';
SELECT "PK", "SK", note, dynamo.item_size(item) FROM tab WHERE "PK" = 't';

-- replicated and restored rows are checked as well
SET session_replication_role = replica;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "r"}, "SK": {"N": "1"}}') RETURNING "PK", "SK";
INSERT INTO tab (item) VALUES ('{"PK": {"S": "r"}}');
RESET session_replication_role;

-- users who may write the table need no privileges on the extension's objects
CREATE ROLE t_derive_writer;
GRANT USAGE ON SCHEMA t_derive TO t_derive_writer;
GRANT INSERT ON tab TO t_derive_writer;
SET ROLE t_derive_writer;
INSERT INTO tab (item) VALUES ('{"PK": {"S": "w"}, "SK": {"N": "1"}}');
SELECT 1 FROM tab;
RESET ROLE;

-- the trigger function refuses all other uses
SELECT dynamo_system.derive_keys();
CREATE TABLE other (item dynamo.item);
CREATE TRIGGER wrong AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys();
INSERT INTO other (item) VALUES ('{"PK": {"S": "w"}, "SK": {"N": "2"}}');

SET client_min_messages = warning;
DROP SCHEMA t_derive CASCADE;
DROP ROLE t_derive_writer;
