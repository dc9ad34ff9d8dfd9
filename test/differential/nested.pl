#!/usr/bin/perl
# Triggers and functions that change, in the middle of a statement, rows of the
# table that the statement changes, at random and in random places: events fire
# in another order than changes were made.  After every transaction all indexes
# must agree with the table, and the stream, replayed, must: each record begins
# where the last one of its item ended.  SEED repeats a run, CASES sets the
# number of transactions.  psql finds the server through the usual environment
# variables; a database of its own is created there and dropped at the end.
use strict;
use warnings;
use File::Temp;
use Test::More;

my $seed = $ENV{SEED} // (time() ^ $$) % 1000000;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 15000 : 1000);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_nested_$$";
my $dir = File::Temp->newdir;

sub psql
{
	my ($db, $sql) = @_;
	my $file = "$dir/one.sql";

	open my $out, '>', $file or die $!;
	print $out $sql;
	close $out;
	my $result = `psql -XqAt -v ON_ERROR_STOP=1 -d $db -f $file 2>&1`;
	chomp $result;
	return $result;
}

psql('postgres', "CREATE DATABASE $database ENCODING 'UTF8' TEMPLATE template0");
is(psql($database, <<'SQL'), '', 'the table and its triggers');
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dynamo;
SET search_path = public, dynamo;
DO $$ BEGIN
PERFORM dynamo.create_table('tab', 'id', indexes => '[
	{"index_name": "inline", "partition_key": "g", "sort_key": "h"},
	{"index_name": "own", "partition_key": "g", "storage": "table", "projection": "INCLUDE", "non_key_attributes": ["p"]},
	{"index_name": "spread", "partition_key": "g", "sort_key": "h", "shards": 3},
	{"index_name": "calculated", "partition_key": "g", "shards": 4, "shard_by": "p", "projection": "KEYS_ONLY"}]');
PERFORM dynamo.enable_stream('tab');
END $$;

CREATE FUNCTION pick(n int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT floor(random() * n)::int $$;
CREATE FUNCTION some_item(id text) RETURNS item LANGUAGE sql VOLATILE AS $$
	SELECT (jsonb_strip_nulls(jsonb_build_object('id', id, 'g', CASE pick(4) WHEN 0 THEN NULL ELSE 'g' || pick(2) END,
		'h', CASE pick(4) WHEN 0 THEN NULL ELSE 'h' || pick(2) END, 'p', pick(2), 'q', pick(2))))::dynamo.item $$;
CREATE FUNCTION with_id(item item, id text) RETURNS item LANGUAGE sql AS $$ SELECT (item::jsonb || jsonb_build_object('id', id))::dynamo.item $$;

-- one statement; those that come too late for PostgreSQL are undone
CREATE FUNCTION act() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	a text := 'k' || pick(5);
	b text := 'k' || pick(5);
	undo boolean := pick(5) = 0;
BEGIN
	CASE pick(11)
	WHEN 0 THEN PERFORM dynamo.put_item('tab', some_item(a));
	WHEN 1 THEN PERFORM dynamo.delete_item('tab', jsonb_build_object('id', a));
	WHEN 2 THEN PERFORM dynamo.update_item('tab', jsonb_build_object('id', a), 'SET g = :g', NULL, jsonb_build_object(':g', 'g' || pick(2)));
	WHEN 3 THEN INSERT INTO tab (item) SELECT some_item(id) FROM unnest(ARRAY['k0', 'k1', 'k2', 'k3', 'k4']) id WHERE id >= a ON CONFLICT (id) DO UPDATE SET item = EXCLUDED.item;
	WHEN 4 THEN UPDATE tab SET item = some_item(id);
	WHEN 5 THEN UPDATE tab SET item = meddle(some_item(id));
	WHEN 6 THEN DELETE FROM tab WHERE id >= a;
	WHEN 7 THEN MERGE INTO tab USING (VALUES (a), (b || '')) v(id) ON tab.id = v.id AND a <> b WHEN MATCHED AND v.id = a THEN DELETE WHEN MATCHED THEN UPDATE SET item = some_item(v.id);
	WHEN 8 THEN UPDATE tab SET item = with_id(item, b) WHERE id = a AND NOT EXISTS (SELECT FROM tab WHERE id = b);
	WHEN 9 THEN WITH gone AS (DELETE FROM tab WHERE id <= a RETURNING id) INSERT INTO tab (item) SELECT some_item(id) FROM gone;
	ELSE UPDATE tab SET item = some_item(a) WHERE id = a;
	END CASE;
	IF undo THEN RAISE EXCEPTION 'undone'; END IF;
EXCEPTION WHEN raise_exception OR triggered_data_change_violation OR unique_violation OR cardinality_violation THEN
	NULL;
END $$;
CREATE FUNCTION meddle(item item) RETURNS item LANGUAGE plpgsql AS $$
BEGIN
	IF pick(3) = 0 AND pg_trigger_depth() < 2 THEN PERFORM act(); END IF;
	RETURN item;
END $$;
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF pg_trigger_depth() < 3 AND pick(TG_ARGV[0]::int) = 0 THEN PERFORM act(); END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER first AFTER INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION meddle(4);
CREATE TRIGGER "~~last" AFTER INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION meddle(6);
CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE OR DELETE ON tab DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION meddle(16);

CREATE TABLE mirror (key item PRIMARY KEY, item item);
CREATE TABLE place (number numeric);
INSERT INTO place VALUES (NULL);
CREATE FUNCTION replay() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	was dynamo.item;
BEGIN
	FOR r IN SELECT * FROM dynamo.read_stream('tab', (SELECT number FROM place), 100000) LOOP
		SELECT item INTO was FROM mirror WHERE key = r.keys;
		IF was IS DISTINCT FROM r.old_image THEN
			RETURN NEXT format('%s %s: %s, was %s', r.event_name, r.keys, r.old_image, was);
		END IF;
		DELETE FROM mirror WHERE key = r.keys;
		INSERT INTO mirror SELECT r.keys, r.new_image WHERE r.new_image IS NOT NULL;
		UPDATE place SET number = r.sequence_number;
	END LOOP;
	RETURN QUERY SELECT format('replayed %s, not %s', m.item, t.item) FROM mirror m FULL JOIN tab t ON m.key = dynamo.project(t.item, 'id')
		WHERE m.item IS DISTINCT FROM t.item;
END $$;
CREATE PROCEDURE run(n int) LANGUAGE plpgsql AS $$
DECLARE
	bad text;
BEGIN
	FOR i IN 1 .. n LOOP
		FOR j IN 0 .. pick(3) LOOP PERFORM act(); END LOOP;
		BEGIN
			SET CONSTRAINTS ALL IMMEDIATE;
		EXCEPTION WHEN triggered_data_change_violation OR unique_violation OR cardinality_violation THEN
			NULL;
		END;
		SET CONSTRAINTS ALL DEFERRED;
		SELECT string_agg(index_name || ': ' || problem || ' ' || key, E'\n') INTO bad FROM dynamo.indexes, LATERAL dynamo.verify_index('tab', index_name);
		COMMIT;
		bad := concat(bad, (SELECT string_agg(r, E'\n') FROM replay() r));
		IF bad <> '' THEN RAISE EXCEPTION 'after transaction %: %', i, bad; END IF;
		COMMIT;
	END LOOP;
END $$;
SQL

is(psql($database, "SET search_path = public, dynamo; SET statement_timeout = '" . (120 + int($cases / 10)) . "s'; DO 'BEGIN PERFORM setseed(" . $seed / 1000000 . "); END'; CALL run($cases)"),
	'', 'indexes and stream agree with the table');
cmp_ok(psql($database, 'SELECT number - 1e20 FROM place'), '>', $cases, 'the stream has records');

psql('postgres', "DROP DATABASE $database");
done_testing();
