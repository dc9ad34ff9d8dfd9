-- 20,000 new orders in no order, and empty tables of each kind to take them.
SELECT dynamo.create_table('shop_new', partition_key => 'PK', sort_key => 'SK');
CREATE TABLE raw_new (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE TABLE raw_item_new (pk text COLLATE "C", sk text COLLATE "C", item dynamo.item NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE TABLE new_sample AS
SELECT doc ->> 'PK' AS pk, doc ->> 'SK' AS sk, doc::dynamo.item::text AS item_text, doc::text AS json_text
FROM generate_series(1, 20000) i, bench_order(i) doc ORDER BY random();
VACUUM ANALYZE;
