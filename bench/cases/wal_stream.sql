-- title: WAL of an update with a stream of both images
-- setup: streamed
-- kind: value
-- unit: bytes
-- note: each write is a transaction, as a client's; all run twice and the second time is measured
--:: a stream
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT dynamo.build_item('PK', item -> 'PK', 'SK', item -> 'SK') AS key FROM (SELECT item FROM stream_source LIMIT 10000) s LOOP PERFORM dynamo.update_item('streamed', r.key, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}'); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
--:: an outbox in PL/pgSQL
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT dynamo.build_item('PK', item -> 'PK', 'SK', item -> 'SK') AS key FROM (SELECT item FROM stream_source LIMIT 10000) s LOOP PERFORM dynamo.update_item('outboxed', r.key, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}'); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
--:: no record at all
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT dynamo.build_item('PK', item -> 'PK', 'SK', item -> 'SK') AS key FROM (SELECT item FROM stream_source LIMIT 10000) s LOOP PERFORM dynamo.update_item('unstreamed', r.key, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}'); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
