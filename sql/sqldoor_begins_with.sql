-- dynamo.begins_with: index ranges for constants, parameters and joins,
-- and the right rows for every prefix
CREATE SCHEMA t_begins_with;
SET search_path = t_begins_with;

-- results
SELECT dynamo.begins_with('ORDER#1', 'ORDER#') AS yes,
	dynamo.begins_with('ORDER', 'ORDER#') AS shorter,
	dynamo.begins_with('order#1', 'ORDER#') AS other_case,
	dynamo.begins_with('x', '') AS empty_prefix,
	dynamo.begins_with('x', NULL) AS null_prefix,
	dynamo.begins_with('\x0102ff'::bytea, '\x0102'::bytea) AS bytes,
	dynamo.begins_with('\x0102ff'::bytea, '\x02'::bytea) AS other_bytes;

-- upper bounds: the successor of the last character, or of an earlier one if it has none
SELECT convert_to(p, 'UTF8') AS prefix, convert_to(dynamo_system.prefix_upper(p), 'UTF8') AS upper
FROM (VALUES ('ORDER#'), ('a~'), (U&'a\007F'), (U&'\00E9'), (U&'a\D7FF'),
	(U&'a\+10FFFF'), (U&'b\+10FFFF\+10FFFF'), (U&'\+10FFFF'), ('')) v(p);
SELECT p, dynamo_system.prefix_upper(p) AS upper
FROM (VALUES ('\x00'::bytea), ('\x01fe'), ('\x01ff'), ('\x01ffff'), ('\xffff'), ('')) v(p);

-- key columns like those of a dynamo table
CREATE TABLE items (pk text COLLATE "C", sk text COLLATE "C", PRIMARY KEY (pk, sk));
INSERT INTO items SELECT 'C#' || c, s FROM generate_series(1, 50) c,
	LATERAL (SELECT 'METADATA' UNION ALL SELECT 'ORDER#' || o || part
		FROM generate_series(1, 20) o, (VALUES (''), ('#ITEM#A'), ('#ITEM#B')) p(part)) e(s);
ANALYZE items;
SET enable_seqscan = off;
SET enable_bitmapscan = off;

-- constants
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, 'ORDER#1#');
SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, 'ORDER#1#') ORDER BY sk;
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, '');
-- PostgreSQL 19 also shows what is replaced
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line !~ 'Replaces:' THEN
			RETURN NEXT line;
		END IF;
	END LOOP;
END $$;
SELECT plan_of($$SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, NULL)$$);
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE pk = 'C#7'
	AND dynamo.begins_with(sk, current_setting('application_name'));
-- a column of the same row and a volatile prefix give no range
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, pk);
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, random()::text);

-- parameters, custom and generic
PREPARE orders(text, text) AS SELECT count(*) FROM items WHERE pk = $1 AND dynamo.begins_with(sk, $2);
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE orders('C#7', 'ORDER#2');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE orders('C#7', 'ORDER#2');
EXECUTE orders('C#7', 'ORDER#2');
EXECUTE orders('C#7', '');
EXECUTE orders('C#7', NULL);
RESET plan_cache_mode;

-- joins: a nested loop over the index, from another table and laterally
CREATE TABLE wanted (pk text, prefix varchar);
INSERT INTO wanted VALUES ('C#3', 'ORDER#5'), ('C#4', ''), ('C#5', NULL), ('C#6', 'METADATA');
ANALYZE wanted;
RESET enable_seqscan;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT * FROM wanted w JOIN items i ON i.pk = w.pk AND dynamo.begins_with(i.sk, w.prefix);
SELECT w.pk, prefix, count(i.sk) FROM wanted w
	LEFT JOIN items i ON i.pk = w.pk AND dynamo.begins_with(i.sk, w.prefix) GROUP BY 1, 2 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT o.sk, l.sk FROM items o JOIN items l
	ON l.pk = o.pk AND dynamo.begins_with(l.sk, o.sk || '#ITEM#') WHERE o.pk = 'C#9' AND o.sk = 'ORDER#2';

-- estimates: from the histogram, and from the statistics of the prefixes
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END $$;
CREATE TABLE spread (sk text COLLATE "C");
INSERT INTO spread SELECT to_char(i, 'FM00000') FROM generate_series(0, 19999) i;
CREATE TABLE tens (prefix text);
INSERT INTO tens SELECT to_char(i, 'FM000') FROM generate_series(0, 199) i;
ANALYZE spread, tens;
SELECT estimate($$SELECT * FROM spread WHERE dynamo.begins_with(sk, '')$$) = 20000 AS everything,
	estimate($$SELECT * FROM spread WHERE dynamo.begins_with(sk, '1')$$) BETWEEN 9000 AND 11000 AS half,
	estimate($$SELECT * FROM spread WHERE dynamo.begins_with(sk, '123')$$) BETWEEN 50 AND 200 AS hundred,
	estimate($$SELECT * FROM spread WHERE dynamo.begins_with(sk, '12345')$$) BETWEEN 1 AND 20 AS one,
	estimate($$SELECT * FROM spread, tens WHERE dynamo.begins_with(sk, prefix)$$) BETWEEN 10000 AND 40000 AS joined;

SET enable_seqscan = off;

-- every prefix of up to two of the characters at the edges of UTF-8, against
-- texts of up to three, by brute force
CREATE TABLE edge (c text);
INSERT INTO edge SELECT chr(c) FROM unnest(ARRAY[1, 97, 127, 128, 2047, 2048, 55295, 57344, 65535, 65536, 1114111]) c;
CREATE TABLE prefixes AS SELECT ''::text AS p UNION ALL SELECT c FROM edge
	UNION ALL SELECT a.c || b.c FROM edge a, edge b;
CREATE TABLE texts AS SELECT p::text COLLATE "C" AS v FROM prefixes
	UNION ALL SELECT p || c FROM prefixes, edge WHERE length(p) = 2;
ALTER TABLE texts ADD v_pattern text, ADD v_basic text COLLATE ucs_basic, ADD v_default text;
UPDATE texts SET v_pattern = v, v_basic = v, v_default = v;
CREATE INDEX ON texts (v);
CREATE INDEX ON texts (v_pattern text_pattern_ops);
CREATE INDEX ON texts (v_basic);
CREATE INDEX ON texts (v_default);
VACUUM ANALYZE texts;
CREATE FUNCTION differences(col text, mode text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE p text; got bigint; expected bigint; wrong bigint := 0;
BEGIN
	PERFORM set_config('plan_cache_mode', mode, true);
	EXECUTE format('PREPARE find(text) AS SELECT count(*) FROM texts WHERE dynamo.begins_with(%I, $1)', col);
	FOR p IN SELECT prefixes.p FROM prefixes LOOP
		EXECUTE format('EXECUTE find(%L)', p) INTO got;
		SELECT count(*) INTO expected FROM texts WHERE left(v, length(p)) = p;
		wrong := wrong + (got IS DISTINCT FROM expected)::int;
	END LOOP;
	DEALLOCATE find;
	RETURN wrong;
END $$;
SELECT col, differences(col, 'force_custom_plan') AS custom, differences(col, 'force_generic_plan') AS generic
FROM unnest(ARRAY['v', 'v_pattern', 'v_basic', 'v_default']) col;
EXPLAIN (COSTS OFF) SELECT * FROM texts WHERE dynamo.begins_with(v_pattern, 'a');
EXPLAIN (COSTS OFF) SELECT * FROM texts WHERE dynamo.begins_with(v_basic, 'a');
SELECT count(*) FROM prefixes JOIN texts ON dynamo.begins_with(texts.v, p);
SELECT count(*) FROM prefixes JOIN texts ON left(texts.v, length(p)) = p;

-- binary keys
CREATE TABLE blobs AS SELECT decode(lpad(to_hex(a), 2, '0') || b || c, 'hex') AS v
	FROM unnest(ARRAY[0, 1, 127, 254, 255]) a, unnest(ARRAY['', '00', '7f', 'fe', 'ff', 'ffff']) b,
	unnest(ARRAY['', '00', 'ff']) c;
INSERT INTO blobs VALUES (''), (decode(repeat('ff', 3000), 'hex'));
CREATE INDEX ON blobs (v);
VACUUM ANALYZE blobs;
EXPLAIN (COSTS OFF) SELECT * FROM blobs WHERE dynamo.begins_with(v, '\x01ff');
EXPLAIN (COSTS OFF) SELECT * FROM blobs WHERE dynamo.begins_with(v, '\xffff');
EXPLAIN (COSTS OFF) SELECT * FROM blobs p JOIN blobs b ON dynamo.begins_with(b.v, p.v) WHERE p.v = '\xff';
SELECT count(*) FROM blobs p JOIN blobs b ON dynamo.begins_with(b.v, p.v);
SELECT count(*) FROM blobs p JOIN blobs b ON substr(b.v, 1, length(p.v)) = p.v;

-- an index with another collation is not used, if this server has one
DO $$
DECLARE line text; plan text := '';
BEGIN
	IF NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'en-x-icu') THEN RETURN; END IF;
	CREATE TABLE english (v text COLLATE "en-x-icu");
	CREATE INDEX english_v ON english (v);
	FOR line IN EXPLAIN SELECT * FROM english WHERE dynamo.begins_with(v, 'a') LOOP
		plan := plan || line;
	END LOOP;
	ASSERT plan NOT LIKE '%Cond:%', plan;
END $$;

-- row security does not prevent its use with the index: the function is leakproof
CREATE ROLE begins_with_reader;
GRANT USAGE ON SCHEMA t_begins_with TO begins_with_reader;
GRANT SELECT ON items TO begins_with_reader;
CREATE POLICY mine ON items USING (length(pk) = 3);
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
SET ROLE begins_with_reader;
EXPLAIN (COSTS OFF) SELECT * FROM items WHERE pk = 'C#7' AND dynamo.begins_with(sk, 'ORDER#1#');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA t_begins_with CASCADE;
DROP ROLE begins_with_reader;
