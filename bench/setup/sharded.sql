-- 100,000 orders under one key of an index with 16 shards.
SELECT dynamo.create_table('sharded', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('sharded', 'GSI2', 'GSI2PK', 'GSI2SK', storage => 'table', shards => 16);
INSERT INTO sharded (item)
SELECT bench_order(i) || jsonb_build_object('GSI2PK', 'ORDERS', 'GSI2SK', 'OPEN#' || lpad(i::text, 8, '0'))
FROM generate_series(1, 100000) i;
VACUUM ANALYZE;
