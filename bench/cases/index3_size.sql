-- title: three inline indexes: bytes on disk per item
-- setup: indexed
-- kind: value
-- unit: bytes
-- target: <= 1.3
--:: dynamo
VACUUM FULL shop3; SELECT pg_total_relation_size('shop3') / 100000.0
--:: expert's expression indexes
VACUUM FULL raw_shop3; SELECT pg_total_relation_size('raw_shop3') / 100000.0
