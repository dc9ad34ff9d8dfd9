-- title: WAL of a put_item over an existing key
-- setup: shop
-- kind: value
-- unit: bytes
-- note: each write is a transaction, as a client's; all run twice and the second time is measured
--:: dynamo
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT item_text::dynamo.item || dynamo.build_item('turn', turn) AS item FROM shop_sample LIMIT 10000 LOOP PERFORM dynamo.put_item('shop', r.item); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
--:: SQL over jsonb
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT pk, sk, json_text::jsonb || jsonb_build_object('turn', turn) AS item FROM shop_sample LIMIT 10000 LOOP INSERT INTO raw_shop VALUES (r.pk, r.sk, r.item) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item; COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
