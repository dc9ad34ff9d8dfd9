-- transact_write_items with triggers that write the rows it has locked
CREATE SCHEMA t_transact_triggers;
SET search_path = t_transact_triggers, dynamo, pg_catalog;
SELECT dynamo.create_table('entries', partition_key => 'id');
CREATE VIEW state AS SELECT id, item ->> 'by' AS written_by, item ->> 'n' AS n FROM entries ORDER BY id;

-- writing "a" updates, deletes, replaces and inserts other rows
CREATE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.id = 'a' AND NEW.item ->> 'by' = 'put' THEN
		UPDATE entries SET item = dynamo.set_attribute(item, 'by', '{"S": "trigger"}') WHERE id LIKE 'updated%';
		DELETE FROM entries WHERE id LIKE 'deleted%' OR id LIKE 'replaced%';
		INSERT INTO entries (item) SELECT jsonb_build_object('id', id, 'by', 'trigger')
			FROM unnest('{inserted1,inserted2,replaced1,replaced2}'::text[]) id;
	END IF;
	RETURN NULL;
END $$;

-- all keys except "a": checked, put or updated once, and deleted once
CREATE FUNCTION run() RETURNS SETOF state LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM entries;
	INSERT INTO entries (item) SELECT jsonb_build_object('id', id, 'by', 'start')
		FROM unnest('{a,updated1,updated2,deleted1,deleted2,replaced1,replaced2,same1,same2}'::text[]) id;
	PERFORM dynamo.transact_write_items('[
		{"Put": {"TableName": "entries", "Item": {"id": {"S": "a"}, "by": {"S": "put"}}}},
		{"Put": {"TableName": "entries", "Item": {"id": {"S": "updated1"}, "by": {"S": "put"}}}},
		{"Delete": {"TableName": "entries", "Key": {"id": {"S": "updated2"}}}},
		{"Put": {"TableName": "entries", "Item": {"id": {"S": "deleted1"}, "by": {"S": "put"}}}},
		{"Delete": {"TableName": "entries", "Key": {"id": {"S": "deleted2"}}}},
		{"Update": {"TableName": "entries", "Key": {"id": {"S": "replaced1"}},
			"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}},
		{"Delete": {"TableName": "entries", "Key": {"id": {"S": "replaced2"}}}},
		{"Put": {"TableName": "entries", "Item": {"id": {"S": "inserted1"}, "by": {"S": "put"}}}},
		{"Delete": {"TableName": "entries", "Key": {"id": {"S": "inserted2"}}}},
		{"Put": {"TableName": "entries", "Item": {"id": {"S": "new"}, "by": {"S": "put"}}}},
		{"Update": {"TableName": "entries", "Key": {"id": {"S": "same1"}},
			"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}},
		{"Delete": {"TableName": "entries", "Key": {"id": {"S": "same2"}}}}]');
	RETURN QUERY TABLE state;
END $$;

CREATE TRIGGER interfere AFTER INSERT OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION interfere();
SELECT * FROM run();
SET dynamo.direct_access = off;
SELECT * FROM run();
RESET dynamo.direct_access;

-- BEFORE triggers
DROP TRIGGER interfere ON entries;
CREATE FUNCTION interfere_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.id = 'a' AND NEW.item ->> 'by' = 'put' THEN
		UPDATE entries SET item = dynamo.set_attribute(item, 'by', '{"S": "trigger"}') WHERE id LIKE 'updated%';
		DELETE FROM entries WHERE id LIKE 'deleted%';
		INSERT INTO entries (item) VALUES (jsonb_build_object('id', 'inserted1', 'by', 'trigger'));
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER interfere BEFORE INSERT OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION interfere_before();
SELECT * FROM run();
SET dynamo.direct_access = off;
SELECT * FROM run();
RESET dynamo.direct_access;

-- a trigger that suppresses a write, and two calls in one transaction
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER suppress BEFORE UPDATE ON entries FOR EACH ROW WHEN (OLD.id = 'same1') EXECUTE FUNCTION suppress();
DROP TRIGGER interfere ON entries;
BEGIN;
SELECT * FROM run();
SELECT * FROM run() WHERE id LIKE 'same%';
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM run();
COMMIT;

SET client_min_messages = warning;
DROP SCHEMA t_transact_triggers CASCADE;
