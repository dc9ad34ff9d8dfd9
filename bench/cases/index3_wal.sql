-- title: three inline indexes: WAL of an update that changes no index key
-- setup: indexed
-- kind: value
-- unit: bytes
-- target: <= 0.8
-- note: each update is a transaction, as a client's; all run twice and the second time is measured
--:: dynamo
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT key FROM indexed_sample LOOP PERFORM dynamo.update_item('shop3', r.key::dynamo.item, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}'); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 20000 FROM start
--:: expert's expression indexes
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT pk, sk FROM indexed_sample LOOP UPDATE raw_shop3 SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::numeric + 1)) WHERE pk = r.pk AND sk = r.sk; COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 20000 FROM start
