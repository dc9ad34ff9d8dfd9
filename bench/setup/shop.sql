-- 200,000 orders in collections of ten and one collection of 10,000, in a dynamo
-- table, in the table an expert would write with jsonb, and in one of the same
-- shape that holds the same items.
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
CREATE TABLE raw_shop (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE TABLE raw_item (pk text COLLATE "C", sk text COLLATE "C", item dynamo.item NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);

INSERT INTO raw_shop
SELECT doc ->> 'PK', doc ->> 'SK', doc FROM generate_series(1, 200000) i, bench_order(i) doc;
INSERT INTO raw_shop
SELECT 'BIG', doc ->> 'SK', doc || '{"PK": "BIG"}' FROM generate_series(1, 10000) i, bench_order(i) doc;
INSERT INTO raw_item SELECT pk, sk, item FROM raw_shop;
INSERT INTO shop (item) SELECT item::dynamo.item FROM raw_shop;

-- A sample of keys and items as clients send them.
CREATE TABLE shop_sample AS
SELECT bench_key(item) AS key, pk, sk, item::dynamo.item::text AS item_text, item::text AS json_text
FROM (SELECT * FROM raw_shop WHERE pk <> 'BIG' ORDER BY random() LIMIT 20000) AS sample;
VACUUM ANALYZE;
