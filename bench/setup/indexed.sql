-- 100,000 orders with three indexes: a dynamo table with inline storage, and the
-- table an expert writes by hand, jsonb with three expression indexes.
SELECT dynamo.create_table('shop3', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop3', 'GSI' || n, 'GSI' || n || 'PK', 'GSI' || n || 'SK')
FROM generate_series(1, 3) n;
CREATE TABLE raw_shop3 (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE INDEX ON raw_shop3 ((item ->> 'GSI1PK') COLLATE "C", (item ->> 'GSI1SK') COLLATE "C");
CREATE INDEX ON raw_shop3 ((item ->> 'GSI2PK') COLLATE "C", (item ->> 'GSI2SK') COLLATE "C");
CREATE INDEX ON raw_shop3 ((item ->> 'GSI3PK') COLLATE "C", (item ->> 'GSI3SK') COLLATE "C");

CREATE TABLE indexed_source AS
SELECT doc AS item, doc::dynamo.item AS dynamo_item
FROM generate_series(1, 100000) i, bench_indexed_order(i) doc;
INSERT INTO raw_shop3 SELECT item ->> 'PK', item ->> 'SK', item FROM indexed_source;
INSERT INTO shop3 (item) SELECT dynamo_item FROM indexed_source;

CREATE TABLE indexed_sample AS
SELECT bench_key(same.doc) AS key, same.doc ->> 'PK' AS pk, same.doc ->> 'SK' AS sk,
	(same.doc || '{"quantity": 99}')::dynamo.item::text AS same_item,
	(same.doc || '{"quantity": 99}')::text AS same_json,
	(same.doc || '{"quantity": 98}')::dynamo.item::text AS other_item,
	(same.doc || '{"quantity": 98}')::text AS other_json,
	moved.doc::dynamo.item::text AS moved_item, moved.doc::text AS moved_json,
	same.doc ->> 'GSI1PK' AS gsi1pk,
	block
FROM (SELECT i, (row_number() OVER () - 1) / 1000 AS block
	  FROM (SELECT i FROM generate_series(1, 100000) i ORDER BY random() LIMIT 20000) AS chosen) AS sample,
	bench_indexed_order(i) AS same (doc), bench_indexed_order(i, 3) AS moved (doc);

-- Every write must change its item, or none of the indexes of the other side
-- would be written: a thousand items are written in one way, then in the other.
CREATE VIEW indexed_updates AS
SELECT pk, sk, CASE turn WHEN 1 THEN same_item ELSE other_item END AS item,
	CASE turn WHEN 1 THEN same_json ELSE other_json END AS json
FROM indexed_sample, generate_series(1, 2) AS turn ORDER BY block, turn;
CREATE VIEW indexed_moves AS
SELECT pk, sk, CASE turn WHEN 1 THEN moved_item ELSE same_item END AS item,
	CASE turn WHEN 1 THEN moved_json ELSE same_json END AS json
FROM indexed_sample, generate_series(1, 2) AS turn ORDER BY block, turn;

-- 10,000 more, and empty tables to take them.
SELECT dynamo.create_table('shop3_new', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop3_new', 'GSI' || n, 'GSI' || n || 'PK', 'GSI' || n || 'SK')
FROM generate_series(1, 3) n;
CREATE TABLE raw_shop3_new (LIKE raw_shop3 INCLUDING ALL) WITH (fillfactor = 90);
CREATE TABLE indexed_new AS
SELECT doc ->> 'PK' AS pk, doc ->> 'SK' AS sk, doc::dynamo.item::text AS item_text, doc::text AS json_text
FROM generate_series(1, 20000) i, bench_indexed_order(i) doc ORDER BY random();
VACUUM ANALYZE;
