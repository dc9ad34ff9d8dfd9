-- Tables partitioned by hash of the partition key: create_table(..., partitions => n)
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_hash CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_hash;
SET search_path = t_hash, dynamo;

SELECT dynamo.create_table('none', 'PK', partitions => 0);
SELECT dynamo.create_table('none', 'PK', partitions => 1025);
SELECT dynamo.create_table('shop', 'PK', 'SK', partitions => 4, fillfactor => 80,
    indexes => '[{"index_name": "inl", "partition_key": "G", "sort_key": "SK"},
                 {"index_name": "own", "partition_key": "G", "storage": "table"}]');
SELECT c.oid::regclass, pg_get_expr(c.relpartbound, c.oid), c.reloptions
FROM pg_class c JOIN pg_inherits ON inhrelid = c.oid WHERE inhparent = 'shop'::regclass ORDER BY 1;
SELECT partition_key, sort_key, indexes FROM dynamo.tables WHERE relation = 'shop'::regclass;

-- every operation finds its partition
SELECT count(dynamo.put_item('shop', jsonb_build_object('PK', 'p' || i % 20, 'SK', 's' || i, 'G', 'g' || i % 3)))
FROM generate_series(1, 200) i;
SELECT count(*), count(DISTINCT tableoid) FROM shop;
SELECT count(*) FROM shop WHERE dynamo.get_item('shop', jsonb_build_object('PK', "PK", 'SK', "SK")) IS DISTINCT FROM item;
SELECT dynamo.get_item('shop', '{"PK": {"S": "p3"}, "SK": {"S": "s3"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "absent"}, "SK": {"S": "s3"}}');
SELECT item ->> 'SK' FROM dynamo.query('shop', 'PK = :p AND begins_with(SK, :s)', '{":p": {"S": "p3"}, ":s": {"S": "s1"}}') item;
SELECT item ->> 'SK' FROM dynamo.query('shop', 'PK = :p', '{":p": {"S": "p3"}}', scan_index_forward => false, max_items => 3) item;
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'inl');
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'own');
SELECT count(*) FROM dynamo.scan('shop');
SELECT count(*) FROM generate_series(0, 2) s, dynamo.scan('shop', segment => s, total_segments => 3);
SELECT dynamo.put_item('shop', '{"PK": {"S": "p3"}, "SK": {"S": "s3"}, "G": {"S": "moved"}}', return_values => 'ALL_OLD');
SELECT dynamo.put_item('shop', '{"PK": {"S": "p3"}, "SK": {"S": "s3"}}', 'attribute_not_exists(PK)');
SELECT dynamo.update_item('shop', '{"PK": {"S": "p4"}, "SK": {"S": "s4"}}', 'SET n = :n REMOVE G', NULL, '{":n": {"N": "1"}}', return_values => 'ALL_NEW');
SELECT dynamo.update_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "s4"}}', 'SET n = :n', NULL, '{":n": {"N": "1"}}', return_values => 'ALL_NEW');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "p5"}, "SK": {"S": "s5"}}', return_values => 'ALL_OLD');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "p5"}, "SK": {"S": "s5"}}', return_values => 'ALL_OLD');
SELECT dynamo.transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "t1"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
  {"Delete": {"TableName": "shop", "Key": {"PK": {"S": "p6"}, "SK": {"S": "s6"}}}},
  {"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "t2"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
  {"Update": {"TableName": "shop", "Key": {"PK": {"S": "p7"}, "SK": {"S": "s7"}}, "UpdateExpression": "SET G = :g", "ExpressionAttributeValues": {":g": {"S": "t"}}}}]');
SELECT count(*) FROM dynamo.batch_get_item('shop', ARRAY['{"PK": {"S": "t1"}, "SK": {"S": "a"}}', '{"PK": {"S": "p6"}, "SK": {"S": "s6"}}', '{"PK": {"S": "p7"}, "SK": {"S": "s7"}}']::item[]);
SELECT i.index_name, v.* FROM dynamo.indexes i, LATERAL dynamo.verify_index('shop', i.index_name) v WHERE table_name = 'shop' AND schema_name = 't_hash';

-- two writes in one statement, and a rolled back one
SELECT dynamo.put_item('shop', jsonb_build_object('PK', 'twice', 'SK', 'a', 'n', i)) FROM generate_series(1, 2) i;
BEGIN;
SELECT dynamo.put_item('shop', '{"PK": {"S": "twice"}, "SK": {"S": "a"}}');
ROLLBACK;
SELECT "PK", item FROM shop WHERE "PK" = 'twice';

-- how it is read
SET dynamo.direct_access = on;
SELECT dynamo.explain_query('shop', 'PK = :p', '{":p": {"S": "p3"}}');
RESET dynamo.direct_access;

-- a stream, and a time to live
SELECT dynamo.enable_stream('shop') IS NOT NULL;
SELECT dynamo.update_time_to_live('shop', 'ttl', true);
SELECT dynamo.put_item('shop', jsonb_build_object('PK', 'old', 'SK', 'a', 'ttl', extract(epoch FROM now())::bigint - 60));
SELECT dynamo.delete_expired('shop');
SELECT event_name, keys FROM dynamo.read_stream('shop');
SELECT dynamo.disable_stream('shop');

-- triggers: one that fires before the keys are derived may change the item
CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.item := NEW.item::jsonb || '{"marked": true}'; RETURN NEW; END $$;
CREATE TRIGGER mark BEFORE INSERT ON shop FOR EACH ROW EXECUTE FUNCTION mark();
SELECT dynamo.put_item('shop', '{"PK": {"S": "m"}, "SK": {"S": "a"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "m"}, "SK": {"S": "a"}}');
DROP TRIGGER mark ON shop;
CREATE TABLE log (op text);
CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t_hash.log VALUES (TG_OP || ' ' || TG_LEVEL); RETURN NULL; END $$;
CREATE TRIGGER logged AFTER INSERT OR UPDATE ON shop FOR EACH STATEMENT EXECUTE FUNCTION log();
SELECT dynamo.put_item('shop', '{"PK": {"S": "m"}, "SK": {"S": "a"}}');
SELECT DISTINCT op FROM log;
DROP TRIGGER logged ON shop;

-- row security is that of the table, and privileges are
CREATE ROLE regress_hash;
GRANT USAGE ON SCHEMA t_hash TO regress_hash;
GRANT USAGE ON SCHEMA dynamo TO regress_hash;
GRANT SELECT, INSERT, UPDATE ON shop TO regress_hash;
SET ROLE regress_hash;
SELECT dynamo.put_item('shop', '{"PK": {"S": "r"}, "SK": {"S": "a"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "r"}, "SK": {"S": "a"}}');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "r"}, "SK": {"S": "a"}}');
SELECT dynamo.get_item('shop$p0', '{"PK": {"S": "r"}, "SK": {"S": "a"}}');
RESET ROLE;
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON shop USING ("PK" <> 'r');
SET ROLE regress_hash;
SELECT dynamo.get_item('shop', '{"PK": {"S": "r"}, "SK": {"S": "a"}}');
SELECT dynamo.put_item('shop', '{"PK": {"S": "r"}, "SK": {"S": "b"}}');
RESET ROLE;
ALTER TABLE shop DISABLE ROW LEVEL SECURITY;

-- partitions come and go
SELECT dynamo.drop_index('shop', 'own');
ALTER TABLE shop DETACH PARTITION "shop$p1";
SELECT count(*) FROM dynamo.scan('shop') s FULL JOIN shop t ON s.s = t.item WHERE s.s IS NULL OR t.item IS NULL;
DO $$ BEGIN
    PERFORM dynamo.put_item('shop', jsonb_build_object('PK', 'p' || i, 'SK', 'x')) FROM generate_series(1, 20) i;
EXCEPTION WHEN check_violation THEN RAISE NOTICE 'no partition'; END $$;
ALTER TABLE shop ATTACH PARTITION "shop$p1" FOR VALUES WITH (MODULUS 4, REMAINDER 1);
SELECT count(dynamo.put_item('shop', jsonb_build_object('PK', 'p' || i, 'SK', 'x'))) FROM generate_series(1, 20) i;
SELECT count(*) FROM shop WHERE dynamo.get_item('shop', jsonb_build_object('PK', "PK", 'SK', "SK")) IS DISTINCT FROM item;

-- an entity and its view, whose updates may move items to other partitions
SELECT dynamo.create_table('orders', 'PK', partitions => 3);
SELECT dynamo.create_entity('orders', 'order', keys => '{"PK": "O#{o}"}', attributes => '{"o": "text", "n": "int"}', view_name => 'order_view');
SELECT dynamo.put_item('orders', jsonb_build_object('o', i::text, 'n', i)) FROM generate_series(1, 3) i;
INSERT INTO order_view (o, n) SELECT i::text, i FROM generate_series(4, 9) i;
UPDATE order_view SET o = (n + 100)::text WHERE n > 2;
UPDATE order_view SET n = n + 1000 WHERE o = '1';
DELETE FROM order_view WHERE o = '2';
SELECT "PK", item, dynamo.get_item('orders', jsonb_build_object('PK', "PK")) = item AS found FROM orders ORDER BY 1;

-- other keys and types
SELECT dynamo.create_table('numbers', 'n', partition_key_type => 'N', partitions => 3);
SELECT count(dynamo.put_item('numbers', jsonb_build_object('n', i / 2.0))) FROM generate_series(1, 30) i;
SELECT count(*), count(DISTINCT tableoid) FROM numbers WHERE dynamo.get_item('numbers', jsonb_build_object('n', n)) IS NOT NULL;
SELECT dynamo.get_item('numbers', '{"n": {"N": "1.50"}}');
SELECT dynamo.create_table('bytes', 'b', partition_key_type => 'B', partitions => 3);
SELECT dynamo.put_item('bytes', '{"b": {"B": "AAEC"}}');
SELECT dynamo.get_item('bytes', '{"b": {"B": "AAEC"}}');
-- an import goes on after the rollback of a batch that has opened partitions
\set VERBOSITY terse
SELECT * FROM dynamo.import_lines('numbers', ARRAY['{"Item": {"n": {"N": "1000"}}}', 'no line'] ||
	ARRAY(SELECT format('{"Item": {"n": {"N": "%s"}}}', i) FROM generate_series(1001, 1020) i), skip_errors => true);
SELECT count(*) FROM numbers WHERE n >= 1000;
\set VERBOSITY default
SELECT dynamo.drop_table('shop');
SELECT count(*) FROM pg_class WHERE relname LIKE 'shop%' AND relkind IN ('r', 'p') AND relnamespace = 't_hash'::regnamespace AND relname NOT LIKE '%stream%';

SET client_min_messages = warning;
DROP SCHEMA t_hash CASCADE;
REVOKE USAGE ON SCHEMA dynamo FROM regress_hash;
DROP ROLE regress_hash;
