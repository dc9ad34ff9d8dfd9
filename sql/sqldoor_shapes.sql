-- Relations that a definition written by hand uses as an index table, a btree or a
-- stream, although they have another shape: errors for that table, and the server
-- keeps running.
CREATE SCHEMA t_shapes;
SET search_path = t_shapes, dynamo;
\set SHOW_CONTEXT never
SET client_min_messages = warning;

CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	IF statement NOT LIKE 'SELECT%' THEN
		EXECUTE statement;
		RETURN 'done';
	END IF;
	EXECUTE statement INTO result;
	RETURN COALESCE(NULLIF(left(result, 90), ''), 'done');
EXCEPTION WHEN OTHERS THEN
	RETURN left(SQLSTATE || ' ' || SQLERRM, 110);
END $$;

-- table "tab" with an index GSI on g, whose relation is "fake"
CREATE FUNCTION define(storage text, shards int, relation text DEFAULT 'fake') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
		format('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "g", "type": "S", "column": "g"}],
			"partition": ["PK"], "sort": [], "indexes": [{"name": "GSI", "local": false, "partition": ["g"], "sort": [], "projection": "ALL",
			"non_key_attributes": [], "storage": %s, "shards": %s, "relation": %s, "status": "ACTIVE"}]}', to_json(storage), shards, to_json(relation)));
	CREATE OR REPLACE TRIGGER "~dynamo_maintain_indexes" AFTER INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.maintain_indexes();
END $$;
-- creates the relation with a row, then its definition; returns the result of each operation; drops everything
CREATE FUNCTION shape(make text, storage text DEFAULT 'table', shards int DEFAULT 0, fill text DEFAULT NULL, relation text DEFAULT 'fake')
RETURNS TABLE (operation text, result text) LANGUAGE plpgsql AS $$
DECLARE results text[] = '{}'; operations CONSTANT text[] = ARRAY[
	'SELECT count(*) FROM scan(''tab'', index_name => ''GSI'')',
	'SELECT query(''tab'', ''g = :g'', build_item('':g'', ''x''), index_name => ''GSI'')',
	'SELECT count(items) FROM scan_page(''tab'', index_name => ''GSI'', page_size => 1, segment => 0, total_segments => 3)',
	'SELECT put_item(''tab'', build_item(''PK'', ''b'', ''g'', ''x''))',
	'SELECT delete_item(''tab'', build_item(''PK'', ''a''))',
	'SELECT string_agg(DISTINCT problem, '','') FROM verify_index(''tab'', ''GSI'')',
	'SELECT count(*) FROM scan(''tab'')',
	'TRUNCATE tab', 'SELECT reindex(''tab'', ''GSI'')', 'SELECT change_index(''tab'', ''GSI'', storage => ''inline'')', 'SELECT drop_table(''tab'')'];
BEGIN
	BEGIN
		CREATE TABLE tab ("PK" text COLLATE "C" PRIMARY KEY, g text COLLATE "C", item item NOT NULL);
		INSERT INTO tab VALUES ('a', 'x', build_item('PK', 'a', 'g', 'x'));
		EXECUTE make;
		IF fill IS NOT NULL THEN EXECUTE 'INSERT INTO fake VALUES (' || fill || ', build_item(''PK'', ''a'', ''g'', ''x''))'; END IF;
		IF storage = 'table' AND relation = 'fake' THEN
			CREATE TRIGGER g BEFORE INSERT OR UPDATE OR DELETE ON fake FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index('tab', 'GSI');
		END IF;
		PERFORM define(storage, shards, relation);
		IF storage = 'table' AND relation <> 'seen' THEN
			EXECUTE format('CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON %I FROM tab FOR EACH ROW WHEN (false)
				EXECUTE FUNCTION dynamo_system.belongs_to(%L)', relation, relation);
		END IF;
		FOR i IN 1 .. array_length(operations, 1) LOOP results[i] = try(operations[i]); END LOOP;
		RAISE EXCEPTION 'undo';
	EXCEPTION WHEN raise_exception THEN NULL;
	END;
	RETURN QUERY SELECT regexp_replace(o, '^SELECT (.* FROM )?|\(.*$| tab$', '', 'g'), r FROM unnest(operations, results) u(o, r);
END $$;

-- columns of other types, also read by statements
SELECT * FROM shape('CREATE TABLE fake (g int, "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK"))', fill => '5, ''a''');
SELECT * FROM shape('CREATE TABLE fake (g name, "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK"))', fill => '''x'', ''a''');
SELECT * FROM shape('CREATE TABLE fake (g "char", "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK"))', fill => '''x'', ''a''');
-- a primary key with more columns
SELECT * FROM shape('CREATE TABLE fake (g text COLLATE "C", "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK") INCLUDE (item))', fill => '''x'', ''a''');
-- a shard that is partitioned itself, shards by range, and shards that are not numbers
SELECT * FROM shape('CREATE TABLE fake (dynamo_shard int, g text COLLATE "C", "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK", dynamo_shard)) PARTITION BY LIST (dynamo_shard);
	CREATE TABLE fake0 PARTITION OF fake FOR VALUES IN (0) PARTITION BY LIST (g); CREATE TABLE fake00 PARTITION OF fake0 DEFAULT', shards => 1, fill => '0, ''x'', ''a''');
SELECT * FROM shape('CREATE TABLE fake (dynamo_shard int, g text COLLATE "C", "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK", dynamo_shard)) PARTITION BY RANGE (dynamo_shard);
	CREATE TABLE fake0 PARTITION OF fake FOR VALUES FROM (0) TO (1); CREATE TABLE fake1 PARTITION OF fake DEFAULT', shards => 2, fill => '0, ''x'', ''a''');
SELECT * FROM shape('CREATE TABLE fake (dynamo_shard bool, g text COLLATE "C", "PK" text COLLATE "C", item item NOT NULL, PRIMARY KEY (g, "PK", dynamo_shard)) PARTITION BY LIST (dynamo_shard);
	CREATE TABLE fake0 PARTITION OF fake FOR VALUES IN (false); CREATE TABLE fake1 PARTITION OF fake FOR VALUES IN (true)', shards => 2, fill => 'false, ''x'', ''a''');
-- the table itself, and its partition
SELECT * FROM shape('DROP TABLE tab; CREATE TABLE tab (g text COLLATE "C" NOT NULL, "PK" text COLLATE "C" PRIMARY KEY, item item NOT NULL);
	CREATE TRIGGER g BEFORE DELETE ON tab FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index(''tab'', ''GSI'')', relation => 'tab');
SELECT * FROM shape('DROP TABLE tab; CREATE TABLE tab (g text COLLATE "C" NOT NULL, "PK" text COLLATE "C" PRIMARY KEY, item item NOT NULL) PARTITION BY LIST ("PK"); CREATE TABLE part PARTITION OF tab DEFAULT;
	CREATE TRIGGER g BEFORE DELETE ON part FOR EACH STATEMENT EXECUTE FUNCTION dynamo_system.guard_index(''tab'', ''GSI'')', relation => 'part');
-- a view, also with columns of other types
SELECT * FROM shape('CREATE VIEW seen AS SELECT 1 AS g, "PK", item FROM tab', relation => 'seen');
-- indexes that are not btrees, or not on these columns in this order
SELECT * FROM shape('CREATE INDEX fake ON tab USING hash (g)', 'inline');
SELECT * FROM shape('CREATE INDEX fake ON tab USING gin (item)', 'inline');
SELECT * FROM shape('CREATE INDEX fake ON tab (lower(g), "PK")', 'inline');
SELECT * FROM shape('CREATE INDEX fake ON tab (g, "PK") WHERE g > ''y''', 'inline');
SELECT * FROM shape('CREATE UNIQUE INDEX fake ON tab (g, "PK")', 'inline');

-- a stream whose primary key has more columns than the number
SELECT create_table('str', 'PK');
CREATE TABLE records (number bigint GENERATED ALWAYS AS IDENTITY, created_at timestamptz NOT NULL, horizon xid8 NOT NULL, event "char" NOT NULL,
	keys item, new_item item, old_item item, PRIMARY KEY (number) INCLUDE (keys, new_item));
CREATE TRIGGER g BEFORE INSERT OR UPDATE OR DELETE ON records FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream(
	'{"version": 1, "table": "str", "label": "2026-11-21T11:20:47.123", "view": "NEW_AND_OLD_IMAGES", "partition": "PK"}');
CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to" AFTER DELETE ON records FROM str FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_system.belongs_to('records');
CREATE TRIGGER c AFTER INSERT OR UPDATE OR DELETE ON str FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('records', 'NEW_AND_OLD_IMAGES', '2026-11-21T11:20:47.123');
SELECT try('SELECT put_item(''str'', build_item(''PK'', ''a''))');
SELECT try('SELECT count(*) FROM read_stream(''str'')');
SELECT disable_stream('str');
SELECT try('SELECT put_item(''str'', build_item(''PK'', ''a''))');

DROP SCHEMA t_shapes CASCADE;
