-- 40,000 orders under four keys of an index with 8 shards, as a dynamo table and as
-- the expert's: jsonb, a shard number in the row, one index over it.
SELECT dynamo.create_table('sharded8', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('sharded8', 'GSI2', 'GSI2PK', 'GSI2SK', storage => 'table', shards => 8);
CREATE TABLE raw_sharded8 (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	shard int GENERATED ALWAYS AS (hashtext(sk) & 7) STORED, PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE INDEX ON raw_sharded8 ((item ->> 'GSI2PK') COLLATE "C", shard, (item ->> 'GSI2SK') COLLATE "C");
CREATE TABLE sharded8_source AS
SELECT i, turn, bench_order(i) || jsonb_build_object('GSI2PK', 'ORDERS' || i % 4, 'turn', turn,
	'GSI2SK', 'OPEN#' || lpad((i + 7 * turn)::text, 8, '0')) AS item
FROM generate_series(1, 40000) i, generate_series(0, 1) turn;
INSERT INTO sharded8 (item) SELECT item FROM sharded8_source WHERE turn = 0;
INSERT INTO raw_sharded8 (pk, sk, item) SELECT item ->> 'PK', item ->> 'SK', item FROM sharded8_source WHERE turn = 0;

-- every order moves within the index, then back
CREATE TABLE sharded8_sample AS
SELECT 1 - turn AS turn, item ->> 'PK' AS pk, item ->> 'SK' AS sk, item::text AS json_text, item::dynamo.item::text AS item_text
FROM sharded8_source WHERE i % 4 = 1 ORDER BY 1, md5(i::text);
-- those that are deleted, and come back
CREATE TABLE sharded8_deleted AS SELECT item FROM sharded8_source WHERE turn = 0 AND i % 4 = 3 ORDER BY random() LIMIT 5000;
VACUUM ANALYZE;
