-- title: three inline indexes: WAL of an update that changes no index key
-- setup: indexed
-- kind: value
-- unit: bytes
-- target: <= 0.8
-- note: each update runs twice, and the second run is measured: no full page images
--:: dynamo
SELECT count(dynamo.update_item('shop3', key::dynamo.item, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')) FROM indexed_sample;
VACUUM shop3; SELECT pg_current_wal_insert_lsn() AS before \gset
SELECT count(dynamo.update_item('shop3', key::dynamo.item, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')) FROM indexed_sample;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), :'before') / 20000
--:: expert's expression indexes
UPDATE raw_shop3 r SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::numeric + 1)) FROM indexed_sample s WHERE r.pk = s.pk AND r.sk = s.sk;
VACUUM raw_shop3; SELECT pg_current_wal_insert_lsn() AS before \gset
UPDATE raw_shop3 r SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::numeric + 1)) FROM indexed_sample s WHERE r.pk = s.pk AND r.sk = s.sk;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), :'before') / 20000
