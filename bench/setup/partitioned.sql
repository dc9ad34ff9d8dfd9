-- The items of shop in a table with 16 partitions by hash of the partition key.
SELECT dynamo.create_table('parts', partition_key => 'PK', sort_key => 'SK', partitions => 16);
INSERT INTO parts ("PK", "SK", item) SELECT pk, sk, item FROM raw_item;
VACUUM ANALYZE parts;
