-- Every change of an item is recorded once, whatever the way of writing
CREATE SCHEMA t_stream_changes;
SET search_path = t_stream_changes, dynamo;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "far", "partition_key": "G", "storage": "table"}]');
SELECT enable_stream('shop') ~ '^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$';

-- the records since the last call, abbreviated
CREATE TABLE seen (number numeric);
INSERT INTO seen VALUES (NULL);
CREATE FUNCTION news(name text DEFAULT 'shop') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE r record; last numeric := (SELECT number FROM seen);
BEGIN
	FOR r IN SELECT * FROM dynamo.read_stream(name, last) LOOP
		RETURN NEXT pg_catalog.format('%s %s/%s: %s -> %s%s', r.event_name, r.keys ->> 'PK', r.keys ->> 'SK',
			COALESCE(r.old_image ->> 'n', '-'), COALESCE(r.new_image ->> 'n', '-'), CASE WHEN r.expired THEN ', expired' END);
		UPDATE seen SET number = r.sequence_number;
	END LOOP;
END $$;

-- functions
SELECT put_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "1"}, "n": {"N": "1"}}');
SELECT put_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "1"}, "n": {"N": "2"}}');
SELECT update_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "1"}}', 'SET n = n + :one', expression_attribute_values => '{":one": {"N": "1"}}');
SELECT update_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "2"}}', 'SET n = :one', expression_attribute_values => '{":one": {"N": "1"}}');
SELECT delete_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "2"}}');
SELECT news();
-- statements that change nothing, and statements that fail
SELECT put_item('shop', '{"n": {"N": "3.0"}, "PK": {"S": "f"}, "SK": {"S": "1"}}');
SELECT update_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "1"}}', 'SET n = n + :zero REMOVE nothing', expression_attribute_values => '{":zero": {"N": "0"}}');
SELECT delete_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "2"}}');
UPDATE shop SET item = item;
DELETE FROM shop WHERE "PK" = 'nobody';
SELECT put_item('shop', '{"PK": {"S": "f"}, "SK": {"S": "1"}}', 'attribute_not_exists(PK)');
SELECT put_item('shop', '{"PK": {"S": "f"}}');
SELECT news();

-- plain SQL
INSERT INTO shop (item) SELECT build_item('PK', 's', 'SK', i::text, 'n', i) FROM generate_series(1, 3) i;
UPDATE shop SET item = set_attribute(item, 'n', to_value(n * 10)) FROM generate_series(2, 3) n WHERE "SK" = n::text AND "PK" = 's';
INSERT INTO shop (item) VALUES (build_item('PK', 's', 'SK', '1', 'n', 0)) ON CONFLICT DO NOTHING;
INSERT INTO shop (item) VALUES (build_item('PK', 's', 'SK', '1', 'n', 9)) ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item;
MERGE INTO shop USING (VALUES ('1'), ('4')) v(sk) ON "PK" = 's' AND "SK" = v.sk
	WHEN MATCHED THEN DELETE
	WHEN NOT MATCHED THEN INSERT (item) VALUES (build_item('PK', 's', 'SK', v.sk, 'n', 4));
SELECT news();
-- an item with another key is another item
UPDATE shop SET item = set_attribute(item, 'SK', to_value('moved'::text)) WHERE "PK" = 's' AND "SK" = '2';
COPY shop (item) FROM stdin;
{"PK": {"S": "c"}, "SK": {"S": "1"}, "n": {"N": "1"}}
{"PK": {"S": "c"}, "SK": {"S": "2"}, "n": {"N": "2"}}
\.
SELECT news();
-- an entity view
SELECT create_entity_view('things', 'shop', '{"PK": "text", "SK": "text", "n": "int"}');
INSERT INTO things VALUES ('v', '1', 1);
UPDATE things SET n = 2 WHERE "PK" = 'v';
DELETE FROM things WHERE "PK" = 'v';
SELECT news();

-- requests: single, batches, transactions
SELECT request('PutItem', '{"TableName": "shop", "Item": {"PK": {"S": "r"}, "SK": {"S": "1"}, "n": {"N": "1"}}}');
SELECT request('BatchWriteItem', '{"RequestItems": {"shop": [{"DeleteRequest": {"Key": {"PK": {"S": "r"}, "SK": {"S": "1"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "r"}, "SK": {"S": "2"}, "n": {"N": "2"}}}}]}}');
SELECT request('TransactWriteItems', '{"TransactItems": [
	{"Update": {"TableName": "shop", "Key": {"PK": {"S": "r"}, "SK": {"S": "2"}}, "UpdateExpression": "SET n = n + n"}},
	{"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "r"}, "SK": {"S": "9"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "r"}, "SK": {"S": "3"}, "n": {"N": "3"}}}}]}');
SELECT request_safe('TransactWriteItems', '{"TransactItems": [
	{"Delete": {"TableName": "shop", "Key": {"PK": {"S": "r"}, "SK": {"S": "2"}}}},
	{"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "r"}, "SK": {"S": "9"}}, "ConditionExpression": "attribute_exists(PK)"}}]}') ->> 'status';
SELECT request('ExecuteStatement', $${"Statement": "INSERT INTO shop VALUE {'PK': 'q', 'SK': '1', 'n': 1}"}$$);
SELECT request('ExecuteStatement', $${"Statement": "UPDATE shop SET n = n + 1 WHERE PK = 'q' AND SK = '1'"}$$);
SELECT request('ExecuteStatement', $${"Statement": "DELETE FROM shop WHERE PK = 'q' AND SK = '1'"}$$);
SELECT batch_write_item('shop', put_items => ARRAY[build_item('PK', 'b', 'SK', '1', 'n', 1)]::item[]);
SELECT news();

-- in one transaction: every change, in order; no change that is rolled back
BEGIN;
SELECT put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "n": {"N": "1"}}');
SELECT put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "n": {"N": "2"}}');
SAVEPOINT a;
SELECT put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "n": {"N": "3"}}');
ROLLBACK TO a;
SELECT put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "1"}, "n": {"N": "4"}}');
COMMIT;
BEGIN;
DELETE FROM shop;
ROLLBACK;
SELECT news();

-- cascades of references between items
SELECT create_table('child', 'PK', 'SK');
SELECT enable_stream('child', 'OLD_IMAGE') IS NOT NULL;
ALTER TABLE child ADD COLUMN parent text GENERATED ALWAYS AS (item ->> 'parent') STORED;
ALTER TABLE child ADD COLUMN parent_sk text GENERATED ALWAYS AS ('1'::text) STORED;
ALTER TABLE child ADD FOREIGN KEY (parent, parent_sk) REFERENCES shop ON DELETE CASCADE;
SELECT put_item('child', '{"PK": {"S": "k"}, "SK": {"S": "1"}, "parent": {"S": "x"}, "n": {"N": "1"}}');
DELETE FROM shop WHERE "PK" = 'x';
SELECT news();
UPDATE seen SET number = NULL;
SELECT news('child');

-- time to live
UPDATE seen SET number = (SELECT max(sequence_number) FROM read_stream('shop'));
SELECT update_time_to_live('shop', 'e');
INSERT INTO shop (item) VALUES (build_item('PK', 't', 'SK', '1', 'n', 1, 'e', floor(extract(epoch FROM now()))::bigint - 10));
SELECT delete_expired('shop');
DELETE FROM shop WHERE "PK" = 'b';
SELECT news();

-- changes of an item by a user's trigger are recorded second
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE t_stream_changes.shop SET item = dynamo.set_attribute(item, 'n', dynamo.to_value(-1)) WHERE "PK" = NEW."PK" AND "SK" = NEW."SK";
	RETURN NULL;
END $$;
CREATE TRIGGER a AFTER INSERT OR UPDATE ON shop FOR EACH ROW WHEN (NEW.item ->> 'n' <> '-1') EXECUTE FUNCTION stamp();
SELECT put_item('shop', '{"PK": {"S": "o"}, "SK": {"S": "1"}, "n": {"N": "1"}}');
INSERT INTO shop (item) SELECT build_item('PK', 'o', 'SK', i::text, 'n', i) FROM generate_series(2, 3) i;
SELECT news();
DROP TRIGGER a ON shop;

-- TRUNCATE removes every item
DELETE FROM shop WHERE "PK" NOT IN ('f', 'c');
SELECT count(*) FROM news();
BEGIN;
TRUNCATE shop CASCADE;
ROLLBACK;
SELECT news();
TRUNCATE shop CASCADE;
SELECT news();

-- large items; the SQL path of writing
SET dynamo.direct_access = off;
SELECT put_item('shop', build_item('PK', 'l', 'SK', '1', 'n', 1, 'text', repeat(md5('x'), 8000)));
SELECT put_item('shop', build_item('PK', 'l', 'SK', '1', 'n', 1, 'text', repeat(md5('x'), 8000)));
SELECT update_item('shop', '{"PK": {"S": "l"}, "SK": {"S": "1"}}', 'SET n = n + n');
SELECT news();
SELECT length(new_image ->> 'text'), length(old_image ->> 'text') FROM read_stream('shop') WHERE keys ->> 'PK' = 'l';

-- users cannot write records
INSERT INTO "shop$stream" (created_at, horizon, event) VALUES (now(), '1', 'I');
UPDATE "shop$stream" SET event = 'X';
DELETE FROM "shop$stream";
TRUNCATE "shop$stream";
SELECT count(*) > 30, count(*) = count(DISTINCT event_id), bool_and(created_at <= clock_timestamp()) FROM read_stream('shop');

DROP SCHEMA t_stream_changes CASCADE;
