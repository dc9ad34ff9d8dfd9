-- Sharded index tables
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_index_shards CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_index_shards;
SET search_path = t_index_shards, dynamo;

SELECT dynamo.create_table('orders', 'PK', indexes => '[
	{"index_name": "spread", "partition_key": "status", "sort_key": "date", "shards": 4, "projection": "KEYS_ONLY"},
	{"index_name": "by_customer", "partition_key": "status", "sort_key": "date", "shards": 4, "shard_by": "customer",
	 "projection": "INCLUDE", "non_key_attributes": ["customer"]}]');
\d "orders$spread"
INSERT INTO orders (item)
SELECT format('{"PK": {"S": "o%s"}, "status": {"S": "%s"}, "date": {"S": "2026-01-%s"}, "customer": {"S": "c%s"}}',
	i, CASE WHEN i % 4 = 0 THEN 'OPEN' ELSE 'DONE' END, to_char(i % 28 + 1, 'FM00'), i % 10)::dynamo.item
FROM generate_series(1, 400) i;
INSERT INTO orders (item) VALUES ('{"PK": {"S": "no customer"}, "status": {"S": "OPEN"}, "date": {"S": "2026-02-01"}}');

-- the numbers are stored on disk: they must never change
SELECT dynamo_shard, count(*) FROM "orders$spread" GROUP BY 1 ORDER BY 1;
SELECT item -> 'customer' AS customer, array_agg(DISTINCT dynamo_shard) FROM "orders$by_customer" GROUP BY 1 ORDER BY 1;
SELECT dynamo_shard FROM "orders$spread" WHERE "PK" IN ('o1', 'o2', 'o3') ORDER BY "PK";

-- an entry moves to another shard, or stays in its shard
SELECT tableoid::regclass, item FROM "orders$by_customer" WHERE "PK" = 'o1';
UPDATE orders SET item = '{"PK": {"S": "o1"}, "status": {"S": "DONE"}, "date": {"S": "2026-01-02"}, "customer": {"S": "c4"}}' WHERE "PK" = 'o1';
SELECT tableoid::regclass, item FROM "orders$by_customer" WHERE "PK" = 'o1';
UPDATE orders SET item = '{"PK": {"S": "o1"}, "status": {"S": "DONE"}, "date": {"S": "2026-03-02"}, "customer": {"S": "c4"}}' WHERE "PK" = 'o1';
SELECT tableoid::regclass, item FROM "orders$by_customer" WHERE "PK" = 'o1';
DELETE FROM orders WHERE "PK" = 'o1';
SELECT count(*) FROM "orders$by_customer" WHERE "PK" = 'o1';
SELECT count(*) FROM "orders$spread";
-- every shard has a guard of its own: a parallel pg_restore could create an inherited one before it copies the rows
SELECT count(*) FILTER (WHERE tgparentid <> 0) AS inherited, count(*) FILTER (WHERE tgparentid = 0) AS own FROM pg_trigger
WHERE tgrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '"orders$spread"'::regclass) AND tgname = '~dynamo_guard_index';
DELETE FROM "orders$spread";
DELETE FROM "orders$spread$0";
INSERT INTO "orders$spread$1" SELECT 1, status, date, 'x', item FROM "orders$spread$1";
SELECT count(*) FROM "orders$spread";
TRUNCATE orders;
SELECT (SELECT count(*) FROM "orders$spread"), (SELECT count(*) FROM "orders$by_customer");

-- a sharded index on a table with items
INSERT INTO orders (item) SELECT format('{"PK": {"S": "o%s"}, "day": {"N": "%s"}}', i, i % 3)::dynamo.item FROM generate_series(1, 100) i;
SELECT dynamo.create_index('orders', 'late', 'day', partition_key_type => 'N', shards => 2);
SELECT dynamo_shard, count(*) FROM "orders$late" GROUP BY 1 ORDER BY 1;
-- a single shard cannot be removed
DROP TABLE "orders$late$1";
SELECT dynamo.drop_index('orders', 'late');
SELECT dynamo.drop_index('orders', 'spread');
SELECT relname FROM pg_class WHERE relnamespace = 't_index_shards'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1;

SELECT dynamo.create_index('orders', 'many', 'status', shards => 100000);
SELECT dynamo.create_index('orders', 'many', 'status', shards => -1);
SELECT dynamo.create_index('orders', 'many', 'status', shards => 0);
-- one shard is allowed
SELECT dynamo.create_index('orders', 'one', 'day', partition_key_type => 'N', shards => 1);
SELECT dynamo_shard, count(*) FROM "orders$one" GROUP BY 1;
SELECT dynamo.drop_table('orders');
SELECT count(*) FROM pg_class WHERE relnamespace = 't_index_shards'::regnamespace;

SET client_min_messages = warning;
DROP SCHEMA t_index_shards CASCADE;
