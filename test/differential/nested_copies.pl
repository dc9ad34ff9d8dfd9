#!/usr/bin/perl
# Copies and totals when triggers and functions write, in the middle of a
# statement, items of the table that the statement writes, at random and in random places.
# After every transaction each copy must be what it copies, and each total that of
# the items that count.  SEED repeats a run, CASES sets the number of transactions.
# BEFORE row triggers, of which some statements fail, join in the second half.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use TestDatabase;

my $seed = $ENV{SEED} // (time() ^ $$) % 1000000;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 5000 : 400);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_nested_copies_$$";

create_database($database, <<'SQL');
SET client_min_messages = warning;
SET search_path = public, dynamo;
SELECT create_table('tab', 'PK', 'SK', indexes => '[{"index_name": "by_name", "partition_key": "of", "sort_key": "SK", "storage": "table"}]');
SELECT create_entity('tab', 'p', '{"PK": "P#{id}", "SK": "P"}', '{"id": "text", "name": "text"}', type_attribute => 'kind', view_name => 'parents');
SELECT create_entity('tab', 'c', '{"PK": "P#{id}", "SK": "C#{n:02}"}', '{"id": "text", "n": "int", "v": "int"}', type_attribute => 'kind', view_name => 'children');
SELECT create_entity('tab', 'g', '{"PK": "P#{id}", "SK": "G#{n:02}#{m}"}', '{"id": "text", "n": "int", "m": "int"}', type_attribute => 'kind', view_name => 'grandchildren');
SELECT create_total('tab', 't', 'p', 'c', '{"count": "count", "sum": "sum(v)", "min": "min(v)", "max": "max(v)"}');
SELECT create_copy('tab', 'names', 'p', 'c', '{"of": "name"}');
SELECT create_total('tab', 'u', 'c', 'g', '{"below": "count"}');
CREATE FUNCTION pick(n int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT floor(random() * n)::int $$;
CREATE FUNCTION some_id() RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'i' || pick(3) $$;
CREATE FUNCTION some_item() RETURNS item LANGUAGE sql VOLATILE AS $$
	SELECT (jsonb_strip_nulls(CASE pick(5)
		WHEN 0 THEN jsonb_build_object('kind', 'p', 'id', some_id(), 'name', 'n' || pick(2))
		WHEN 1 THEN jsonb_build_object('kind', 'g', 'id', some_id(), 'n', pick(3), 'm', pick(2))
		ELSE jsonb_build_object('kind', 'c', 'id', some_id(), 'n', pick(3), 'v', CASE pick(5) WHEN 0 THEN NULL ELSE pick(9) END) END))::item $$;
CREATE FUNCTION some_key() RETURNS item LANGUAGE sql VOLATILE AS $$ SELECT project((keys_of('tab', some_item())).item, 'PK, SK') $$;
CREATE TABLE refused (reason text PRIMARY KEY, n int DEFAULT 1);

-- one statement; those that come too late for PostgreSQL, or have no parent, are undone
CREATE FUNCTION act() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	i item := some_item();
	undo boolean := pick(5) = 0;
BEGIN
	CASE pick(13)
	WHEN 0 THEN PERFORM put_item('tab', i);
	WHEN 1 THEN PERFORM put_item('tab', i);
	WHEN 2 THEN PERFORM delete_item('tab', some_key());
	WHEN 3 THEN UPDATE children SET v = v + 1 WHERE id = i ->> 'id';
	WHEN 4 THEN INSERT INTO tab (item) SELECT some_item() FROM generate_series(0, 3) ON CONFLICT ("PK", "SK") DO NOTHING;
	WHEN 5 THEN UPDATE parents SET name = 'm' || pick(3);
	WHEN 6 THEN DELETE FROM tab WHERE "SK" <> 'P' AND pick(2) = 0;
	WHEN 7 THEN UPDATE children SET id = some_id() WHERE n = pick(3);
	WHEN 8 THEN UPDATE tab SET item = meddle(set_attribute(item, 'v', to_value(pick(9)))) WHERE "SK" LIKE 'C#%';
	WHEN 9 THEN WITH gone AS (DELETE FROM children WHERE n = pick(3) RETURNING id, n, v) INSERT INTO children (id, n, v) SELECT id, n, pick(9) FROM gone;
	WHEN 10 THEN UPDATE tab SET item = item;
	WHEN 11 THEN PERFORM batch_write_item('tab', put_items => ARRAY[i, set_attribute(i, 'id', to_value('other'::text))]);
	ELSE UPDATE children SET n = (n + 1) % 9 WHERE id = i ->> 'id';
	END CASE;
	IF undo THEN RAISE EXCEPTION 'undone'; END IF;
EXCEPTION WHEN OTHERS THEN
	IF SQLSTATE LIKE 'XX%' THEN RAISE; END IF;
	INSERT INTO refused VALUES (SQLSTATE) ON CONFLICT (reason) DO UPDATE SET n = refused.n + 1;
END $$;
CREATE FUNCTION meddle(item item) RETURNS item LANGUAGE plpgsql AS $$ BEGIN
	IF pick(3) = 0 AND pg_trigger_depth() < 2 THEN PERFORM act(); END IF;
	RETURN item;
END $$;
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF pg_trigger_depth() < 4 AND pick(TG_ARGV[0]::int) = 0 THEN PERFORM act(); END IF;
	RETURN COALESCE(NEW, OLD);
END $$;
CREATE TRIGGER first AFTER INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION meddle(6);
CREATE TRIGGER "~~last" AFTER INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION meddle(8);
CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE OR DELETE ON tab DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION meddle(16);

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
		COMMIT;
		SELECT string_agg(key::text || ': ' || problem, E'\n') INTO bad FROM check_copies('tab');
		bad := concat(bad, (SELECT string_agg(problem || ' ' || key::text, E'\n') FROM verify_index('tab', 'by_name')));
		IF bad <> '' THEN RAISE EXCEPTION 'after transaction %: %', i, bad; END IF;
		COMMIT;
	END LOOP;
END $$;
SQL

sub run
{
	my ($name, $cases) = @_;
	my ($status, $output) = psql($database, "SET client_min_messages = warning; SET search_path = public, dynamo; SET statement_timeout = '300s'; DO 'BEGIN PERFORM setseed("
		. $seed / 1000000 . "); END'; CALL run($cases)");
	is($output, '', "copies and totals are right with $name");
	return;
}

run('AFTER triggers', int($cases / 2));
psql($database, <<'SQL');
CREATE TRIGGER before BEFORE INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION meddle(20);
CREATE TRIGGER "~~before" BEFORE INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION meddle(20);
SQL
run('BEFORE triggers', int($cases / 2));
my ($status, $refused) = psql($database, 'SELECT reason, n FROM refused ORDER BY n DESC');
note($refused);
cmp_ok((psql($database, "SELECT count(*) FROM tab WHERE item ? 'count'"))[1], '>', 0, 'there are totals');
done_testing();
