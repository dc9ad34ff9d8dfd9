-- 100 items of 100 kB and 20 of 380 kB, compressed or not.
CREATE FUNCTION bench_large(i int, kilobytes int) RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_build_object('PK', 'DOC#' || i, 'SK', 'V0', 'author', 'Author ' || i, 'version', 1,
	'body', (SELECT string_agg(md5((i * 1000 + n)::text) || ' the quick brown fox jumps over', '') FROM generate_series(1, kilobytes * 16) n),
	'title', 'Title ' || i)
$$;
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY '{large,large_plain,huge}'::text[] LOOP
		PERFORM dynamo.create_table(t, partition_key => 'PK', sort_key => 'SK');
		EXECUTE format('CREATE TABLE raw_%s (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL, PRIMARY KEY (pk, sk)) WITH (fillfactor = 90)', t);
		IF t = 'large_plain' THEN
			EXECUTE format('ALTER TABLE %s ALTER item SET STORAGE EXTERNAL', t);
			EXECUTE format('ALTER TABLE raw_%s ALTER item SET STORAGE EXTERNAL', t);
		END IF;
		EXECUTE format('INSERT INTO raw_%s SELECT doc ->> ''PK'', doc ->> ''SK'', doc FROM generate_series(1, %s) i, bench_large(i, %s) doc', t,
			CASE t WHEN 'huge' THEN 20 ELSE 100 END, CASE t WHEN 'huge' THEN 380 ELSE 100 END);
		EXECUTE format('INSERT INTO %s (item) SELECT item::dynamo.item FROM raw_%1$s', t);
	END LOOP;
END $$;
VACUUM ANALYZE;
