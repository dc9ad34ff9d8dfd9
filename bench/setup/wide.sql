-- 50,000 orders in collections of a hundred.
SELECT dynamo.create_table('wide', partition_key => 'PK', sort_key => 'SK');
INSERT INTO wide (item)
SELECT bench_order(i) || jsonb_build_object('PK', 'CUSTOMER#' || lpad((i / 100)::text, 8, '0'))
FROM generate_series(0, 49999) i;
VACUUM ANALYZE;
