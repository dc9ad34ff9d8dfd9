-- 50,000 orders with three indexes as tables: kept by the extension, and kept by
-- triggers in PL/pgSQL on a dynamo table without indexes.
SELECT dynamo.create_table('tabled', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('tabled', 'GSI' || n, 'GSI' || n || 'PK', 'GSI' || n || 'SK', storage => 'table')
FROM generate_series(1, 3) n;
SELECT dynamo.create_table('triggered', partition_key => 'PK', sort_key => 'SK');

DO $$
BEGIN
	FOR n IN 1 .. 3 LOOP
		EXECUTE format('CREATE TABLE triggered_%1$s (gpk text COLLATE "C", gsk text COLLATE "C", pk text COLLATE "C", sk text COLLATE "C", item dynamo.item, PRIMARY KEY (gpk, gsk, pk, sk))', n);
	END LOOP;
END $$;

CREATE FUNCTION keep_triggered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		DELETE FROM triggered_1 WHERE gpk = OLD.item ->> 'GSI1PK' AND gsk = OLD.item ->> 'GSI1SK' AND pk = OLD."PK" AND sk = OLD."SK";
		DELETE FROM triggered_2 WHERE gpk = OLD.item ->> 'GSI2PK' AND gsk = OLD.item ->> 'GSI2SK' AND pk = OLD."PK" AND sk = OLD."SK";
		DELETE FROM triggered_3 WHERE gpk = OLD.item ->> 'GSI3PK' AND gsk = OLD.item ->> 'GSI3SK' AND pk = OLD."PK" AND sk = OLD."SK";
	END IF;
	IF TG_OP <> 'DELETE' THEN
		INSERT INTO triggered_1 VALUES (NEW.item ->> 'GSI1PK', NEW.item ->> 'GSI1SK', NEW."PK", NEW."SK", NEW.item);
		INSERT INTO triggered_2 VALUES (NEW.item ->> 'GSI2PK', NEW.item ->> 'GSI2SK', NEW."PK", NEW."SK", NEW.item);
		INSERT INTO triggered_3 VALUES (NEW.item ->> 'GSI3PK', NEW.item ->> 'GSI3SK', NEW."PK", NEW."SK", NEW.item);
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER keep AFTER INSERT OR UPDATE OR DELETE ON triggered FOR EACH ROW EXECUTE FUNCTION keep_triggered();

CREATE TABLE table_source AS SELECT bench_indexed_order(i)::dynamo.item AS item FROM generate_series(1, 50000) i;
INSERT INTO tabled (item) SELECT item FROM table_source;
INSERT INTO triggered (item) SELECT item FROM table_source;
CREATE TABLE table_sample AS
SELECT bench_indexed_order(i)::dynamo.item::text AS same_item, bench_indexed_order(i, 3)::dynamo.item::text AS moved_item
FROM (SELECT i FROM generate_series(1, 45000) i ORDER BY random() LIMIT 10000) s;
-- those that are deleted, and come back
CREATE TABLE table_deleted AS SELECT item FROM table_source WHERE item ->> 'SK' > 'ORDER#0000045000' ORDER BY random();
VACUUM ANALYZE;
