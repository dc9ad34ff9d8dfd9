-- title: three index tables: WAL of an update that changes no index key
-- setup: table_indexed
-- kind: value
-- unit: bytes
-- note: each write is a transaction, as a client's; all run twice and the second time is measured
--:: maintained from C
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT dynamo.build_item('PK', item -> 'PK', 'SK', item -> 'SK') AS key FROM (SELECT item FROM table_source LIMIT 10000) s LOOP PERFORM dynamo.update_item('tabled', r.key, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}'); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
--:: maintained by PL/pgSQL
DO $$ DECLARE r record; BEGIN FOR turn IN 1 .. 2 LOOP CREATE TEMP TABLE IF NOT EXISTS start AS SELECT pg_current_wal_insert_lsn() AS lsn; UPDATE start SET lsn = pg_current_wal_insert_lsn(); FOR r IN SELECT dynamo.build_item('PK', item -> 'PK', 'SK', item -> 'SK') AS key FROM (SELECT item FROM table_source LIMIT 10000) s LOOP PERFORM dynamo.update_item('triggered', r.key, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}'); COMMIT; END LOOP; END LOOP; END $$;
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn) / 10000 FROM start
