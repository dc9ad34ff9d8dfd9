-- 200,000 orders in two files in the data directory, and empty tables with three
-- indexes to take them.
SELECT dynamo.create_table('copy3', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('copy3', 'GSI' || n, 'GSI' || n || 'PK', 'GSI' || n || 'SK')
FROM generate_series(1, 3) n;
CREATE TABLE raw_copy3 (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE INDEX ON raw_copy3 ((item ->> 'GSI1PK') COLLATE "C", (item ->> 'GSI1SK') COLLATE "C");
CREATE INDEX ON raw_copy3 ((item ->> 'GSI2PK') COLLATE "C", (item ->> 'GSI2SK') COLLATE "C");
CREATE INDEX ON raw_copy3 ((item ->> 'GSI3PK') COLLATE "C", (item ->> 'GSI3SK') COLLATE "C");
COPY (SELECT doc::dynamo.item FROM generate_series(1, 200000) i, bench_indexed_order(i) doc)
	TO PROGRAM 'cat > copy_item.txt';
COPY (SELECT doc ->> 'PK', doc ->> 'SK', doc FROM generate_series(1, 200000) i, bench_indexed_order(i) doc)
	TO PROGRAM 'cat > copy_raw.txt';
