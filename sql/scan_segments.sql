-- Segments of a scan: each item is in exactly one, and each segment costs its share, with and without ANALYZE
CREATE SCHEMA t_segments;
SET search_path = t_segments, dynamo;
SET dynamo.segment_ranges = on;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SELECT create_table('big', 'PK', 'SK', sort_key_type => 'N');
INSERT INTO big (item)
SELECT build_item('PK', md5((i / 3)::text), 'SK', i, 'a', 'a' || i % 10, 'b', i / 4, 'raw', sha256(i::text::bytea), 'rare', CASE WHEN i % 4 = 0 THEN 'r' || i END) FROM generate_series(1, 8000) i;
UPDATE big SET item = item - 'rare' WHERE (item -> 'rare') = '{"NULL": true}';
SELECT create_index('big', 'several', ARRAY['a', 'b'], partition_key_type => ARRAY['S', 'N']);
SELECT create_index('big', 'kept', 'raw', 'rare', 'B', storage => 'table', projection => 'KEYS_ONLY');
ALTER TABLE big SET (autovacuum_enabled = false);
SELECT create_index('big', 'sharded', 'rare', 'SK', sort_key_type => 'N', storage => 'table', shards => 3);

-- whether n segments of the table and of every index contain each item exactly once
CREATE FUNCTION exact(totals int[]) RETURNS TABLE (index_name text, wrong int[]) LANGUAGE sql AS $$
	SELECT name, array_agg(total ORDER BY total) FILTER (WHERE NOT same)
	FROM unnest('{NULL,several,kept,sharded}'::text[]) name, unnest(totals) total,
		LATERAL (SELECT (SELECT array_agg(i ORDER BY i) FROM dynamo.scan('t_segments.big', index_name => name) i) =
			(SELECT array_agg(i ORDER BY i) FROM generate_series(0, total - 1) s,
				LATERAL dynamo.scan('t_segments.big', index_name => name, segment => s, total_segments => total) i) AS same) x
	GROUP BY name
$$;
-- the items of each of five segments
CREATE FUNCTION map() RETURNS text LANGUAGE sql AS $$
	SELECT md5(string_agg(format('%s %s %s', name, s, i), ',' ORDER BY name, s, i))
	FROM unnest('{NULL,several,kept,sharded}'::text[]) name, generate_series(0, 4) s,
		LATERAL dynamo.scan('t_segments.big', index_name => name, segment => s, total_segments => 5) i
$$;
-- buffers read by a segment, as a fraction of those of a whole scan
CREATE FUNCTION cost(name text, s int, total int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	call text := format('SELECT count(*) FROM dynamo.scan(''t_segments.big'', index_name => %L%s)', name,
		CASE WHEN total > 1 THEN format(', segment => %s, total_segments => %s', s, total) END);
	plan json;
BEGIN
	EXECUTE call;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || call INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::numeric + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::numeric;
END $$;
CREATE FUNCTION cheap(total int) RETURNS TABLE (index_name text, cheap boolean) LANGUAGE sql AS $$
	SELECT name, max(t_segments.cost(name, s, total)) < 1.5 * t_segments.cost(name, 0, 1) / total
	FROM unnest('{NULL,several,kept,sharded}'::text[]) name, generate_series(0, total - 1) s GROUP BY name
$$;
-- whether four segments of the table have about the same number of items
CREATE FUNCTION even() RETURNS boolean LANGUAGE sql AS $$
	SELECT max(n) < 1.5 * avg(n) FROM generate_series(0, 3) s, LATERAL (SELECT count(*) AS n FROM dynamo.scan('t_segments.big', segment => s, total_segments => 4)) x
$$;
-- the keys that have ranges
CREATE FUNCTION ranges() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(coalesce(v ->> 'index', 'table'), ' ' ORDER BY v ->> 'index' NULLS FIRST)
	FROM pg_statistic, unnest(stavalues2::text::dynamo.item[]) v
	WHERE starelid = 't_segments.big'::regclass AND stakind2 = 27451
$$;

-- waits for sessions that have ended but still hold their locks
CREATE PROCEDURE wait_for_others() LANGUAGE plpgsql AS $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 3 AND pid <> pg_backend_pid()) LOOP
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;

-- ---- before ANALYZE: by hash only ----
SELECT ranges();
SELECT * FROM exact('{1,2,7}');
-- a session that reads segments prevents changes of the ranges
SELECT map() AS before \gset
ANALYZE big;
SELECT map() = :'before' AS same, ranges();
-- releasing all advisory locks ends this
SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND classid = 'big'::regclass AND objsubid = 3;
DISCARD ALL;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 't_segments.big'::regclass;
SET search_path = t_segments, dynamo;
SET dynamo.segment_ranges = on;
SELECT map() = :'before' AS same;

-- ---- another session runs ANALYZE ----
\c -
SET search_path = t_segments, dynamo;
SET dynamo.segment_ranges = on;
CALL wait_for_others();
BEGIN;
ANALYZE big;
COMMIT;
SELECT ranges();
ANALYZE big;
SELECT ranges();
SELECT * FROM exact('{1,2,3,7,16,100}');
SET dynamo.direct_access = on;
SELECT * FROM cheap(4);
SELECT * FROM cheap(7);
SET dynamo.direct_access = off;
SELECT * FROM cheap(4);
SELECT * FROM exact('{3,16}');
SELECT map() AS off \gset
RESET dynamo.direct_access;
SELECT map() = :'off' AS same;
-- a partition is in one segment, and twice as many segments divide it further
SELECT count(*) FROM (SELECT 1 FROM generate_series(0, 6) s, LATERAL scan('big', segment => s, total_segments => 7) i
	GROUP BY i ->> 'PK' HAVING count(DISTINCT s) > 1) split;
SELECT bool_and(same) FROM (VALUES (4), (7), (33)) v(n), LATERAL (
	SELECT (SELECT array_agg(i ORDER BY i) FROM scan('big', segment => 1, total_segments => n) i)
		= (SELECT array_agg(i ORDER BY i) FROM generate_series(2, 3) s, LATERAL scan('big', segment => s, total_segments => 2 * n) i) AS same) x;
-- pages of a segment, and the start key of another segment
CREATE FUNCTION pages(name text, s int, total int) RETURNS SETOF item LANGUAGE plpgsql AS $$
DECLARE
	page record;
	start item;
BEGIN
	LOOP
		SELECT * INTO page FROM scan_page('big', index_name => name, page_size => 77, segment => s, total_segments => total, exclusive_start_key => start);
		RETURN QUERY SELECT unnest(page.items);
		start := page.last_evaluated_key;
		EXIT WHEN start IS NULL;
	END LOOP;
END $$;
SELECT name, (SELECT array_agg(i) FROM pages(name, 2, 5) i) = (SELECT array_agg(i) FROM scan('big', index_name => name, segment => 2, total_segments => 5) i) AS same
FROM unnest('{NULL,several,kept,sharded}'::text[]) name;
SELECT last_evaluated_key AS key FROM scan_page('big', segment => 2, total_segments => 5, page_size => 1) \gset
SELECT scan('big', segment => 3, total_segments => 5, exclusive_start_key => :'key');
-- items that are written, moved and deleted meanwhile
SELECT map() AS before \gset
DELETE FROM big WHERE "SK" % 5 = 0;
SELECT count(*) FROM (SELECT update_item('big', build_item('PK', "PK", 'SK', "SK"), 'SET filler = :f', expression_attribute_values => build_item(':f', repeat('x', 900))) FROM big) x;
VACUUM FULL big;
ANALYZE big;
SELECT * FROM exact('{2,3}');
UPDATE big SET item = item - 'filler';
INSERT INTO big (item) SELECT build_item('PK', md5((i / 3)::text), 'SK', i, 'a', 'a' || i % 10, 'b', i / 4, 'raw', sha256(i::text::bytea)) FROM generate_series(5, 8000, 5) i;
UPDATE big SET item = item || build_item('rare', 'r' || "SK") WHERE "SK" % 4 = 0;
SELECT map() = :'before' AS same;

-- ---- a table that grows at one end ----
\c -
SET search_path = t_segments, dynamo;
SET dynamo.segment_ranges = on;
CALL wait_for_others();
INSERT INTO big (item) SELECT build_item('PK', 'z' || i, 'SK', i) FROM generate_series(100001, 120000) i;
SELECT * FROM exact('{3}');
SELECT even();
ANALYZE big;
SELECT even();
\c -
SET search_path = t_segments, dynamo;
SET dynamo.segment_ranges = on;
CALL wait_for_others();
ANALYZE big;
SELECT even();
SELECT * FROM exact('{3}');
-- ranges remain as long as they are even enough
DELETE FROM big WHERE "SK" % 7 = 0;
SELECT map() AS before \gset
\c -
SET search_path = t_segments, dynamo;
SET dynamo.segment_ranges = on;
CALL wait_for_others();
ANALYZE big;
SELECT map() = :'before' AS same;

-- ---- by hash, which is the rule: a pause of any length, whatever ANALYZE and other rows do meanwhile ----
\c -
SET search_path = t_segments, dynamo;
CALL wait_for_others();
SELECT * FROM exact('{3}');
CREATE FUNCTION bounds() RETURNS text LANGUAGE sql AS
	$$ SELECT md5(stavalues2::text) FROM pg_statistic WHERE starelid = 't_segments.big'::regclass AND stakind2 = 27451 $$;
SELECT map() AS before, bounds() AS bounds \gset
\c -
SET search_path = t_segments, dynamo;
CALL wait_for_others();
INSERT INTO big (item) SELECT build_item('PK', '!' || i, 'SK', i) FROM generate_series(200001, 220000) i;
ANALYZE big;
DELETE FROM big WHERE "SK" > 200000;
SELECT map() = :'before' AS same, bounds() = :'bounds' AS same_ranges;
SET dynamo.segment_ranges = on;

-- ---- ranges and statistics that do not fit ----
-- an index recreated with other keys
SET dynamo.in_place_build_limit = 1000000;
SELECT drop_index('big', 'several'), create_index('big', 'several', 'b', partition_key_type => 'N');
SELECT * FROM exact('{3}');
-- columns and expressions of users
CREATE TABLE odd (id text COLLATE "C" PRIMARY KEY, item item NOT NULL, other item);
INSERT INTO odd SELECT i::text, build_item('id', i::text) FROM generate_series(1, 3000) i;
ANALYZE odd;
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON odd FOR EACH ROW
EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "id", "type": "S", "column": "id"}], "partition": ["id"], "sort": [], "indexes": []}');
CREATE INDEX ON odd ((item || other));
ANALYZE odd;
SELECT count(*) FROM pg_statistic WHERE starelid IN ('odd'::regclass, 'odd_expr_idx'::regclass) AND stakind2 = 27451;
SELECT total, count(*) FROM (VALUES (2), (5)) v(total), LATERAL generate_series(0, total - 1) s, LATERAL scan('odd', segment => s, total_segments => total) GROUP BY 1;
-- with row security, ranges would show other users' keys
CREATE ROLE segments_reader;
GRANT USAGE ON SCHEMA t_segments TO segments_reader;
GRANT SELECT ON odd TO segments_reader;
ALTER TABLE odd ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON odd USING (length(id) < 3);
SET ROLE segments_reader;
SELECT count(*), count(DISTINCT s) FROM generate_series(0, 1) s, LATERAL scan('odd', segment => s, total_segments => 2);
SELECT s, (SELECT count(*) FROM (SELECT scan('odd', segment => s, total_segments => 8, max_items => 1)) x) FROM generate_series(0, 7) s;
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA t_segments CASCADE;
DROP ROLE segments_reader;
