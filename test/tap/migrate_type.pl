# migrate_type.pl: items of an entity get another type, some of them become items of a second
# entity, and those of the second one items of the first again, while sessions write and
# read them and the server is killed.  A row of another table tells in every snapshot what each item
# must be, so each read is checked: an item is of one entity, and all change over at once.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $items = 4000;
my $node = new_dynamo_node('migrate_type', q{
log_min_messages = warning
dynamo.build_delay = 20
shared_preload_libraries = dynamo
});

$node->safe_psql('postgres', qq{
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK', indexes => '[{"index_name": "by_city", "partition_key": "GSI1PK"}]');
SELECT dynamo.create_entity('shop', 'customer', '{"PK": "C#{id}", "SK": "CUSTOMER", "GSI1PK": "CITY#{city}"}', '{"id": "int", "city": "text", "vat": "text", "v": "int"}',
	type_attribute => 'kind', view_name => 'customers');
SELECT dynamo.create_entity('shop', 'note', '{"PK": "C#{id}", "SK": "NOTE", "GSI1PK": "CITY#{city}"}', '{"id": "int", "city": "text"}', type_attribute => 'kind', view_name => 'notes');
SELECT dynamo.create_access_pattern('shop', 'in_city', 'city = :city', view_name => 'customers', index_name => 'by_city');
SELECT dynamo.create_access_pattern('shop', 'items_in_city', 'city = :city', entities => '{customer}', returns => 'items', index_name => 'by_city');
SELECT dynamo.enable_stream('shop', 'NEW_IMAGE');
INSERT INTO customers (id, city, vat, v) SELECT i, 'c' || i % 40, CASE WHEN i % 4 = 0 THEN 'DE' || i END, 0 FROM generate_series(1, $items) i;
INSERT INTO notes (id, city) SELECT i, 'c' || i % 40 FROM generate_series(1, $items, 10) i;
CREATE TABLE truth (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO truth SELECT i, 0 FROM generate_series(1, $items) i;
VACUUM ANALYZE;
} . q{
-- one write; returns how many items it has changed
CREATE FUNCTION change(which int, next int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 1;
	vat bool := which % 4 = 0;
BEGIN
	CASE floor(random() * 4)
	WHEN 0 THEN
		n := ((dynamo.update_item('shop', jsonb_build_object('PK', 'C#' || which, 'SK', 'CUSTOMER')::dynamo.item, 'SET v = v + :one', expression_attribute_values => '{":one": {"N": "1"}}',
			condition_expression => 'attribute_exists(id)', return_values => 'ALL_OLD') OPERATOR(dynamo.->>) 'v')::int = next - 1)::int;
	WHEN 1 THEN
		UPDATE shop SET item = item OPERATOR(dynamo.||) jsonb_build_object('v', next)::dynamo.item WHERE "PK" = 'C#' || which AND "SK" = 'CUSTOMER';
		GET DIAGNOSTICS n = ROW_COUNT;
	WHEN 2 THEN
		-- a program that has the item whole, and puts it back
		PERFORM FROM shop WHERE "PK" = 'C#' || which AND "SK" = 'CUSTOMER' FOR UPDATE;
		n := ((dynamo.put_item('shop', dynamo.get_item('shop', jsonb_build_object('PK', 'C#' || which, 'SK', 'CUSTOMER')::dynamo.item) OPERATOR(dynamo.||) jsonb_build_object('v', next)::dynamo.item,
			return_values => 'ALL_OLD') OPERATOR(dynamo.->>) 'v')::int = next - 1)::int;
	ELSE
		IF vat THEN
			UPDATE shop SET item = item OPERATOR(dynamo.||) jsonb_build_object('v', next)::dynamo.item WHERE "PK" = 'C#' || which AND "SK" = 'CUSTOMER';
		ELSE
			UPDATE customers SET v = v + 1 WHERE id = which;
		END IF;
		GET DIAGNOSTICS n = ROW_COUNT;
	END CASE;
	RETURN n;
END $$;
CREATE PROCEDURE write_always(items int) LANGUAGE plpgsql AS $$
DECLARE
	which int;
	t truth;
	n int;
BEGIN
	LOOP
		which := 1 + floor(random() * (items - 1));
		-- the last one may be held
		SELECT * INTO t FROM truth WHERE id = which FOR UPDATE;
		n := change(which, t.v + 1);
		IF n <> 1 THEN
			RAISE WARNING 'wrong write of %: % items', which, n;
		END IF;
		UPDATE truth SET v = v + 1 WHERE id = which;
		IF random() < 0.05 THEN
			ROLLBACK;
		ELSE
			COMMIT;
		END IF;
	END LOOP;
END $$;

CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'held'; END $$;

-- what one snapshot shows: all customers, or those without the companies, and never some of these
CREATE PROCEDURE read_always(items int) LANGUAGE plpgsql AS $$
DECLARE
	r record;
	one record;
	which int;
	place text;
BEGIN
	LOOP
		SELECT k.customers, k.companies, (SELECT (count(*), sum(v)) FROM customers) AS shown,
			(SELECT (count(*), sum(t.v)) FROM truth t) AS all_items, (SELECT (count(*), sum(t.v)) FROM truth t WHERE t.id % 4 <> 0) AS without
		INTO r FROM (SELECT (count(*) FILTER (WHERE k = 'customer'), sum(v) FILTER (WHERE k = 'customer')) AS customers, count(*) FILTER (WHERE k = 'company') AS companies
			FROM (SELECT dynamo.kind_of('shop', s.item) AS k, (s.item OPERATOR(dynamo.->>) 'v')::int AS v FROM shop s WHERE s."SK" = 'CUSTOMER' OFFSET 0) s) k;
		IF r.shown::text <> r.customers::text OR NOT (r.shown::text = r.all_items::text AND r.companies = 0 OR r.shown::text = r.without::text AND r.companies = items / 4) THEN
			RAISE WARNING 'wrong read: %', r;
		END IF;
		COMMIT;
		place := 'c' || floor(random() * 40);
		SELECT (SELECT (count(*), sum(v)) FROM in_city(place)) AS by_pattern, (SELECT (count(*), sum((i OPERATOR(dynamo.->>) 'v')::int)) FROM items_in_city(place) i) AS by_items,
			(SELECT (count(*), sum(v)) FROM customers WHERE city = place) AS by_view,
			(SELECT (count(*), sum(t.v)) FROM truth t WHERE 'c' || t.id % 40 = place) AS all_items, (SELECT (count(*), sum(t.v)) FROM truth t WHERE 'c' || t.id % 40 = place AND t.id % 4 <> 0) AS without INTO r;
		IF r.by_pattern::text <> r.by_items::text OR r.by_pattern::text <> r.by_view::text OR r.by_view::text NOT IN (r.all_items::text, r.without::text) THEN
			RAISE WARNING 'wrong read: %', r;
		END IF;
		COMMIT;
		which := 4 * floor(random() * items / 4) + 1;
		BEGIN
			SELECT t.v, (dynamo.get_item('shop', jsonb_build_object('kind', 'customer', 'id', which)::dynamo.item) OPERATOR(dynamo.->>) 'v')::int AS found INTO one FROM truth t WHERE id = which;
			IF one.v IS DISTINCT FROM one.found THEN
				RAISE WARNING 'wrong read of %: %', which, one;
			END IF;
		EXCEPTION WHEN OTHERS THEN
			-- items have another type now
			IF EXISTS (SELECT FROM dynamo.entities WHERE type_value = 'customer') OR SQLERRM NOT LIKE '%does not match the schema' THEN
				RAISE WARNING 'wrong read of %: %', which, SQLERRM;
			END IF;
		END;
		COMMIT;
		RAISE NOTICE 'read';
	END LOOP;
END $$;
});

# ---- sessions ----

my (@sessions, @said);
my @copies;						# the types in databases made of dumps of the killed server

sub begin_sessions
{
	my @statements = (("CALL write_always($items)") x 3, ("CALL read_always($items)") x 2);

	@sessions = start_sessions($node, \@said, @statements);
	return;
}

sub await
{
	my ($query, $what) = @_;

	ok( wait_until(
			sub {
				$_->pumpable && $_->pump_nb for @sessions;
				return $node->safe_psql('postgres', $query) eq 't';
			}), $what);
	return;
}

sub check_sessions
{
	my ($when) = @_;

	ok( wait_until(
			sub {
				$_->pumpable && $_->pump_nb for @sessions;
				return !grep { !/NOTICE.*NOTICE/s } @said[ 3, 4 ];
			}), "$when: both have read") if $sessions[0]->pumpable;
	is(unexpected_lines(\@said), '', "$when: every read and write was right");
	return;
}

sub end_sessions
{
	my ($when) = @_;

	check_sessions($when);
	stop_sessions($node, 'CALL %_always%', @sessions);
	is($node->safe_psql('postgres', q{SELECT t.id FROM truth t LEFT JOIN shop s ON s."PK" = 'C#' || t.id AND s."SK" = 'CUSTOMER' WHERE (s.item OPERATOR(dynamo.->>) 'v')::int IS DISTINCT FROM t.v}),
		'', "$when: no change is lost");
	is($node->safe_psql('postgres', q{SELECT * FROM dynamo.check_entity('shop') LIMIT 5}), '', "$when: no item has a wrong key");
	return;
}

sub kinds
{
	my ($database) = @_;

	return $node->safe_psql($database // 'postgres', q{SELECT string_agg(format('%s %s', kind, n), ', ' ORDER BY kind)
		FROM (SELECT item OPERATOR(dynamo.->>) 'kind' AS kind, count(*) AS n FROM shop GROUP BY 1) k});
}

sub killed_while
{
	my ($migration, $phase, $cancel) = @_;

	begin_sessions();

	# one item stays behind
	$node->safe_psql('postgres', qq{CREATE TRIGGER hold BEFORE UPDATE ON shop FOR EACH ROW WHEN (OLD."PK" = 'C#$items') EXECUTE FUNCTION hold()});
	$node->safe_psql('postgres', "SELECT dynamo.migrate_entity('shop', 'customer', $migration)");
	await("SELECT phase = '$phase' AND error LIKE 'held%' FROM dynamo.migrations", "$migration: items are moved");
	crash_node($node);
	$_->finish for @sessions;
	check_sessions("$migration: killed");
	$node->start;
	is($node->safe_psql('postgres', 'SELECT phase FROM dynamo.migrations'), $phase, "$migration: it has not ended");
	my $copy = new_database($node, 0);
	my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
	dump_database($node, 'postgres', $dump);
	load_file($node, $copy, $dump);
	$node->safe_psql($copy, 'DROP TRIGGER hold ON shop; CALL dynamo.await_migration(\'shop\')');
	push @copies, kinds($copy);
	$node->safe_psql('postgres', "DROP DATABASE $copy");
	begin_sessions();
	$node->safe_psql('postgres', "SELECT dynamo.cancel_migration('shop', 'customer')") if $cancel;
	$node->safe_psql('postgres', q{DROP TRIGGER hold ON shop});
	$node->safe_psql('postgres', q{SELECT dynamo.resume_migration('shop', 'customer')}) if !$cancel;
	return;
}

my $notes = $items / 10;
my $companies = $items / 4;
my $others = $items - $companies;

killed_while(q{type_value => 'client'}, 'moving');
await(q{SELECT phase = 'complete' FROM dynamo.migrations}, 'another type: it goes on, and is completed');
end_sessions('another type');
is(kinds(), "client $items, note $notes", 'all have the new type');

# a program asks by the type that it knows; the following ones have the name of the entity
$node->safe_psql('postgres', q{SELECT dynamo.migrate_entity('shop', 'customer', type_value => 'customer'); CALL dynamo.await_migration('shop')});

killed_while(q{split => 'company', condition_expression => 'attribute_exists(vat)'}, 'moving', 1);
await(q{SELECT phase = 'cancelled' FROM dynamo.migrations}, 'split: it is canceled');
end_sessions('split, canceled');
is(kinds(), "customer $items, note $notes", 'none has another type');

begin_sessions();
$node->safe_psql('postgres', q{SELECT dynamo.migrate_entity('shop', 'customer', split => 'company', condition_expression => 'attribute_exists(vat)')});
await(q{SELECT phase = 'complete' FROM dynamo.migrations}, 'split: it is completed');
end_sessions('split');
is(kinds(), "company $companies, customer $others, note $notes", 'some have the other type');
is($node->safe_psql('postgres', q{SELECT count(*) FROM customers}), $others, 'the view has the others');

killed_while(q{merge => 'company'}, 'moving');
await(q{SELECT phase = 'complete' FROM dynamo.migrations}, 'merger: it goes on, and is completed');
end_sessions('merger');
is(kinds(), "customer $items, note $notes", 'all have one type');

is( $node->safe_psql('postgres', q{
SELECT count(*) FROM (SELECT DISTINCT ON (keys) new_image FROM dynamo.read_stream('shop', max_records => 10000000) ORDER BY keys, sequence_number DESC) r
WHERE r.new_image OPERATOR(dynamo.->>) 'kind' NOT IN ('customer', 'note')}), '0', 'the stream leads to these types');
is_deeply(\@copies, [ "client $items, note $notes", "company $companies, customer $others, note $notes", "customer $items, note $notes" ],
	'dumps have the migrations, which are completed elsewhere');
$node->stop;
done_testing();
