-- 50,000 orders in two files in the data directory, and empty tables with an index
-- of 8 shards to take them.
SELECT dynamo.create_table('copy8', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('copy8', 'GSI1', 'GSI1PK', 'GSI1SK', storage => 'table', shards => 8);
CREATE TABLE raw_copy8 (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	shard int GENERATED ALWAYS AS (hashtext(sk) & 7) STORED, PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
CREATE INDEX ON raw_copy8 ((item ->> 'GSI1PK') COLLATE "C", shard, (item ->> 'GSI1SK') COLLATE "C");
SELECT dynamo.create_table('imported', partition_key => 'PK', sort_key => 'SK');
CREATE TABLE raw_imported (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL,
	PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
COPY (SELECT doc::dynamo.item FROM generate_series(1, 50000) i, bench_indexed_order(i) doc)
	TO PROGRAM 'cat > copy8_item.txt';
COPY (SELECT doc ->> 'PK', doc ->> 'SK', doc FROM generate_series(1, 50000) i, bench_indexed_order(i) doc)
	TO PROGRAM 'cat > copy8_raw.txt';
COPY (SELECT dynamo.export_line(doc::dynamo.item) FROM generate_series(1, 50000) i, bench_indexed_order(i) doc)
	TO PROGRAM 'cat > import_lines.txt';
