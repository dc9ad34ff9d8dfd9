# migrate_entity.pl: the items of an entity get other keys while four sessions write them by
# every door and two read them, and the server is killed meanwhile.  A row of another table
# tells in every snapshot what each item must be, so each read is checked: no item is
# missing, or there twice, and no change is lost.
#
# MIGRATE_ITEMS is the number of items, and MIGRATE_WAIT the seconds that no read or write may
# exceed.  scripts/test uses few items to save time, and allows for slow machines; by hand:
#
#	MIGRATE_ITEMS=1000000 MIGRATE_WAIT=1 prove -v ... test/tap/migrate_entity.pl
#
# which also prints what each part has cost the sessions.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $items = $ENV{MIGRATE_ITEMS} || 6000;
my $wait = $ENV{MIGRATE_WAIT} || 20;
my $customers = int($items / 120) || 1;
my $node = new_dynamo_node('migrate_entity', q{
log_min_messages = warning
dynamo.build_delay = 20
shared_preload_libraries = dynamo
dynamo.http_port = 0
});

$node->safe_psql('postgres', qq{
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK',
	indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
				 {"index_name": "by_group", "partition_key": "GSI2PK", "storage": "table"},
				 {"index_name": "by_customer", "partition_key": "GSI3PK"}]');
SELECT dynamo.create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT dynamo.create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id}", "GSI1PK": "S#{status}", "GSI1SK": "{v:08}", "GSI2PK": "G#{grp}", "GSI3PK": "CUSTOMER#{customer_id}"}',
	'{"customer_id": "text", "order_id": "int", "v": "int", "status": "text", "grp": "text"}', type_attribute => 'kind', view_name => 'orders');
SELECT dynamo.create_access_pattern('shop', 'orders_of', 'customer_id = :customer', view_name => 'orders');
SELECT dynamo.create_total('shop', 'orders', 'customer', 'order', '{"orders": "count", "sum_v": "sum(v)"}', index_name => 'by_customer');
INSERT INTO customers (customer_id) SELECT 'c' || c FROM generate_series(0, $customers - 1) c;
INSERT INTO orders (customer_id, order_id, v, status, grp) SELECT 'c' || i % $customers, i, 0, 'A', 'g' || i % 7 FROM generate_series(1, $items) i;
SELECT dynamo.enable_stream('shop', 'NEW_AND_OLD_IMAGES');
CREATE TABLE truth (id int PRIMARY KEY, v int NOT NULL, there bool NOT NULL);
INSERT INTO truth SELECT i, 0, true FROM generate_series(1, $items) i;
VACUUM ANALYZE;
} . q{
CREATE FUNCTION old_key(id int) RETURNS dynamo.item LANGUAGE sql RETURN jsonb_build_object('PK', 'CUSTOMER#c' || id % CUSTOMERS, 'SK', 'ORDER#' || id)::dynamo.item;
CREATE FUNCTION new_key(id int) RETURNS dynamo.item LANGUAGE sql RETURN jsonb_build_object('PK', 'C#c' || id % CUSTOMERS, 'SK', 'ORDER#' || lpad(id::text, 8, '0'))::dynamo.item;
CREATE FUNCTION parts(id int) RETURNS dynamo.item LANGUAGE sql RETURN jsonb_build_object('kind', 'order', 'customer_id', 'c' || id % CUSTOMERS, 'order_id', id)::dynamo.item;
CREATE FUNCTION whole(id int, v int) RETURNS jsonb LANGUAGE sql RETURN jsonb_build_object('kind', 'order', 'customer_id', 'c' || id % CUSTOMERS, 'order_id', id, 'v', v, 'status', chr(65 + v % 3), 'grp', 'g' || id % 7);
-- while items are moved, by either key; otherwise by parts
CREATE FUNCTION migrating() RETURNS bool LANGUAGE sql RETURN dynamo.describe_entity('shop', 'order') ? 'moves';
CREATE FUNCTION some_key(id int) RETURNS dynamo.item LANGUAGE sql RETURN CASE WHEN random() < 0.3 OR NOT migrating() THEN parts(id) WHEN random() < 0.5 THEN old_key(id) ELSE new_key(id) END;

-- one write of an item that is there; returns how many items it has changed
CREATE FUNCTION change(id int, next int, door int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 1;
	old dynamo.item;
BEGIN
	CASE door
	WHEN 0 THEN old := dynamo.update_item('shop', some_key(id), 'SET v = v + :one', expression_attribute_values => '{":one": {"N": "1"}}',
			condition_expression => 'attribute_exists(customer_id)', return_values => 'ALL_OLD');
		n := ((old OPERATOR(dynamo.->>) 'v')::int = next - 1)::int;
	WHEN 1 THEN old := dynamo.put_item('shop', whole(id, next), return_values => 'ALL_OLD');
		n := ((old OPERATOR(dynamo.->>) 'v')::int = next - 1)::int;
	WHEN 2 THEN UPDATE orders SET v = v + 1, status = chr(65 + (v + 1) % 3) WHERE customer_id = 'c' || id % CUSTOMERS AND order_id = id;
		GET DIAGNOSTICS n = ROW_COUNT;
	WHEN 3 THEN UPDATE shop SET item = item OPERATOR(dynamo.||) jsonb_build_object('v', next)::dynamo.item
			WHERE "PK" = old_key(id) OPERATOR(dynamo.->>) 'PK' AND "SK" = old_key(id) OPERATOR(dynamo.->>) 'SK'
			OR "PK" = new_key(id) OPERATOR(dynamo.->>) 'PK' AND "SK" = new_key(id) OPERATOR(dynamo.->>) 'SK';
		GET DIAGNOSTICS n = ROW_COUNT;
	WHEN 4 THEN PERFORM dynamo.transact_write_items(jsonb_build_array(jsonb_build_object('Update', jsonb_build_object('TableName', 'shop', 'Key', some_key(id)::text::jsonb,
			'UpdateExpression', 'SET v = :v', 'ConditionExpression', 'v = :o', 'ExpressionAttributeValues',
			jsonb_build_object(':v', jsonb_build_object('N', next::text), ':o', jsonb_build_object('N', (next - 1)::text))))));
	ELSE PERFORM dynamo.batch_write_item('shop', ARRAY[whole(id, next)::dynamo.item]);
	END CASE;
	RETURN n;
END $$;
CREATE FUNCTION remove(id int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 1;
BEGIN
	IF random() < 0.5 THEN
		n := (dynamo.delete_item('shop', some_key(id), return_values => 'ALL_OLD') IS NOT NULL)::int;
	ELSE
		DELETE FROM orders WHERE customer_id = 'c' || id % CUSTOMERS AND order_id = id;
		GET DIAGNOSTICS n = ROW_COUNT;
	END IF;
	RETURN n;
END $$;
CREATE FUNCTION add(id int, next int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 1;
BEGIN
	CASE floor(random() * 3)
	WHEN 0 THEN PERFORM dynamo.put_item('shop', whole(id, next), 'attribute_not_exists(PK)');
	WHEN 1 THEN INSERT INTO orders (customer_id, order_id, v, status, grp) VALUES ('c' || id % CUSTOMERS, id, next, 'A', 'g' || id % 7);
	ELSE PERFORM dynamo.update_item('shop', parts(id), 'SET v = :v', expression_attribute_values => jsonb_build_object(':v', next));
	END CASE;
	RETURN n;
END $$;
CREATE FUNCTION write_once(items int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	which int := 1 + floor(random() * items);
	t truth;
	n int;
BEGIN
	SELECT * INTO t FROM truth WHERE id = which FOR UPDATE;
	IF NOT t.there THEN
		n := add(which, t.v + 1);
	ELSIF random() < 0.15 THEN
		n := remove(which);
	ELSE
		n := change(which, t.v + 1, floor(random() * 6)::int);
	END IF;
	IF n <> 1 THEN
		RAISE EXCEPTION 'wrong write of %: % items', which, n;
	END IF;
	UPDATE truth SET v = t.v + 1, there = EXISTS (SELECT FROM orders WHERE customer_id = 'c' || which % CUSTOMERS AND order_id = which) WHERE id = which;
EXCEPTION WHEN OTHERS THEN
	-- it was by a key of before, after the end of the migration
	IF migrating() OR SQLERRM NOT SIMILAR TO '%(condition|Condition|wrong write)%' THEN
		RAISE WARNING '%', SQLERRM;
	END IF;
END $$;
CREATE PROCEDURE write_always(items int) LANGUAGE plpgsql AS $$
DECLARE
	writes int := 0;
	began timestamptz;
	slowest interval := '0';
BEGIN
	LOOP
		began := clock_timestamp();
		PERFORM write_once(items);
		IF random() < 0.05 THEN
			ROLLBACK;
		ELSE
			COMMIT;
		END IF;
		writes := writes + 1;
		slowest := greatest(slowest, clock_timestamp() - began);
		IF writes % 50 = 0 THEN
			RAISE NOTICE 'write % within % s', writes, extract(epoch FROM slowest);
			slowest := '0';
		END IF;
	END LOOP;
END $$;

-- what one snapshot shows of an item, and what it must show
CREATE FUNCTION wrong_reads(which int, OUT how text) RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
DECLARE
	t truth;
	found int;
BEGIN
	SELECT * INTO t FROM truth WHERE id = which;
	IF migrating() THEN
		FOR how, found IN
			SELECT 'old key', (dynamo.get_item('shop', old_key(which)) OPERATOR(dynamo.->>) 'v')::int
			UNION ALL SELECT 'new key', (dynamo.get_item('shop', new_key(which), 'v') OPERATOR(dynamo.->>) 'v')::int
		LOOP
			IF found IS DISTINCT FROM (CASE WHEN t.there THEN t.v END) AND migrating() THEN
				how := format('%s of %s: %s in place of %s', how, which, found, t);
				RETURN NEXT;
			END IF;
		END LOOP;
	END IF;
	FOR how, found IN
		SELECT 'parts', (dynamo.get_item('shop', parts(which)) OPERATOR(dynamo.->>) 'v')::int
		UNION ALL SELECT 'batch', (SELECT (i OPERATOR(dynamo.->>) 'v')::int FROM dynamo.batch_get_item('shop', ARRAY[parts(which)]) i)
		UNION ALL SELECT 'view', (SELECT o.v FROM orders o WHERE o.customer_id = 'c' || which % CUSTOMERS AND o.order_id = which)
		UNION ALL SELECT 'view of a customer', (SELECT o.v FROM orders o WHERE o.customer_id = 'c' || which % CUSTOMERS AND o.order_id + 0 = which)
	LOOP
		IF found IS DISTINCT FROM (CASE WHEN t.there THEN t.v END) THEN
			how := format('%s of %s: %s in place of %s', how, which, found, t);
			RETURN NEXT;
		END IF;
	END LOOP;
END $$;
CREATE PROCEDURE read_always(items int) LANGUAGE plpgsql AS $$
DECLARE
	reads int := 0;
	r record;
	began timestamptz;
	slowest interval := '0';
BEGIN
	LOOP
		began := clock_timestamp();
		FOR r IN SELECT w.how FROM wrong_reads(1 + floor(random() * items)::int) w LOOP
			RAISE WARNING 'wrong read: %', r.how;
		END LOOP;
		SELECT c.c, count(o) AS count, count(DISTINCT o.order_id) AS different,
			(SELECT (count(*), sum(t.v)) FROM truth t WHERE t.there AND t.id IN (SELECT generate_series(c.c, items, CUSTOMERS))) AS expected,
			(SELECT (coalesce((i OPERATOR(dynamo.->>) 'orders')::bigint, 0), nullif((i OPERATOR(dynamo.->>) 'sum_v')::bigint, 0)) FROM dynamo.get_item('shop', jsonb_build_object('kind', 'customer', 'customer_id', 'c' || c.c)) i) AS totals,
			(SELECT (count(*), sum(p.v)) FROM orders_of('c' || c.c) p) AS by_pattern,
			(count(o), sum(o.v)) AS found
		INTO r FROM (SELECT floor(random() * CUSTOMERS)::int AS c) c LEFT JOIN LATERAL (SELECT order_id, v FROM orders WHERE customer_id = 'c' || c.c) o ON true GROUP BY c.c;
		IF r.count <> r.different OR r.found::text IS DISTINCT FROM r.expected::text OR r.by_pattern::text IS DISTINCT FROM r.expected::text OR r.totals::text IS DISTINCT FROM replace(r.expected::text, ',0)', ',)') THEN
			RAISE WARNING 'wrong read: %', r;
		END IF;
		COMMIT;
		reads := reads + 1;
		slowest := greatest(slowest, clock_timestamp() - began);
		IF reads % 10 = 0 THEN
			RAISE NOTICE 'read % within % s', reads, extract(epoch FROM slowest);
			slowest := '0';
		END IF;
	END LOOP;
END $$;

-- the last record of each key
CREATE TABLE last_records (pk text, sk text, sequence_number numeric, event_name text, new_image dynamo.item, PRIMARY KEY (pk, sk));
CREATE PROCEDURE read_all_records() LANGUAGE plpgsql AS $$
DECLARE
	upto numeric := (SELECT max(sequence_number) FROM last_records);
	n int;
BEGIN
	LOOP
		WITH page AS MATERIALIZED (SELECT * FROM dynamo.read_stream('shop', upto, max_records => 1000)),
		stored AS (
			INSERT INTO last_records
			SELECT DISTINCT ON (p.keys) p.keys OPERATOR(dynamo.->>) 'PK', p.keys OPERATOR(dynamo.->>) 'SK', p.sequence_number, p.event_name, p.new_image
			FROM page p ORDER BY p.keys, p.sequence_number DESC
			ON CONFLICT (pk, sk) DO UPDATE SET sequence_number = EXCLUDED.sequence_number, event_name = EXCLUDED.event_name, new_image = EXCLUDED.new_image)
		SELECT count(*), coalesce(max(p.sequence_number), upto) INTO n, upto FROM page p;
		EXIT WHEN n = 0;
		COMMIT;
	END LOOP;
END $$;
} =~ s/CUSTOMERS/$customers/gr);

# ---- sessions ----

my @said;
my @sessions;
my $since;
my @seen;						# of each session, what of its text has been counted
my @slow;

sub begin_sessions
{
	my @statements = (("CALL write_always($items)") x 4, ("CALL read_always($items)") x 2);

	@sessions = start_sessions($node, \@said, @statements);
	@seen = (0) x @statements;
	$since = time;
	return;
}

# Prints what the sessions have done since the last call, and keeps what took too long.
sub tell_figures
{
	my ($what) = @_;
	my %count = (write => 0, read => 0);
	my %slowest = (write => 0, read => 0);
	my $seconds = time - $since;

	$_->pumpable && $_->pump_nb for @sessions;
	for my $n (0 .. $#said)
	{
		pos($said[$n]) = $seen[$n];
		while ($said[$n] =~ /(write|read) \d+ within ([\d.]+) s\n/g)
		{
			$count{$1} += $1 eq 'write' ? 50 : 10;
			$slowest{$1} = $2 if $2 > $slowest{$1};
			push @slow, "$what: a $1 of $2 s" if $2 > $wait;
			$seen[$n] = pos $said[$n];
		}
	}
	note(sprintf '%s: %.1f s, %d writes a second (the longest %d ms), %d reads a second (%d ms)', $what, $seconds,
		$count{write} / $seconds, $slowest{write} * 1000, $count{read} / $seconds, $slowest{read} * 1000);
	$since = time;
	return;
}

# Lets the sessions run until a query returns true; returns whether it did.
sub run_until
{
	my ($query) = @_;
	my $end = time + 300 + $items / 500;

	while (time < $end)
	{
		$_->pumpable && $_->pump_nb for @sessions;
		return 1 if $node->safe_psql('postgres', $query) eq 't';
		sleep(0.05);
	}
	return 0;
}

sub check_sessions
{
	my ($when) = @_;
	my @lines = map { split /\n/ } @said;

	is(unexpected_lines(\@said), '', "$when: every read and write was right");
	cmp_ok(scalar(grep { /write 50 / } @lines), '==', 4, "$when: all sessions have written");
	cmp_ok(scalar(grep { /read 10 / } @lines), '==', 2, "$when: both have read");
	tell_figures("$when");
	is(join("\n", @slow), '', "$when: no read or write took more than $wait s");
	@slow = ();
	return;
}

sub end_sessions
{
	stop_sessions($node, 'CALL %_always%', @sessions);
	@sessions = ();
	return;
}

sub verify
{
	my ($when, $prefix) = @_;

	is( $node->safe_psql('postgres', q{
SELECT t, o FROM truth t FULL JOIN orders o ON o.order_id = t.id AND t.there WHERE t.v IS DISTINCT FROM o.v AND (t.there OR t.id IS NULL) LIMIT 5}),
		'', "$when: all changes are there");
	is($node->safe_psql('postgres', qq{SELECT count(*) FROM orders WHERE "PK" NOT LIKE '$prefix%'}), '0', "$when: all items have the key");
	is($node->safe_psql('postgres', q{SELECT * FROM dynamo.check_entity('shop') LIMIT 5}), '', "$when: no item has a wrong key");
	is($node->safe_psql('postgres', qq{SELECT v.* FROM dynamo.verify_index('shop', '$_') v LIMIT 5}), '', "$when: index $_ agrees")
		for qw(by_status by_group by_customer);
	is($node->safe_psql('postgres', q{SELECT * FROM dynamo.check_copies('shop') LIMIT 5}), '', "$when: totals are right");
	is( $node->safe_psql('postgres', q{
CALL read_all_records();
SELECT l.pk, l.sk, l.event_name FROM last_records l LEFT JOIN shop s ON s."PK" = l.pk AND s."SK" = l.sk
WHERE (l.event_name = 'REMOVE') <> (s."PK" IS NULL) OR NOT l.new_image OPERATOR(dynamo.=) s.item LIMIT 5}),
		'', "$when: the stream leads to the table");
	return;
}

sub halfway
{
	my ($phase) = @_;

	return run_until(qq{SELECT phase = '$phase' AND percent_done > 30 FROM dynamo.migrations});
}

# ---- forward, and the server is killed ----

begin_sessions();
ok(run_until(qq{SELECT sum(v) > 500 + $items / 50 FROM truth}), 'sessions write');
tell_figures('before a migration');
$node->safe_psql('postgres', q{SELECT dynamo.migrate_entity('shop', 'order', '{"PK": "C#{customer_id}", "SK": "ORDER#{order_id:08}"}')});
ok(halfway('moving'), 'items are moved');
tell_figures('until 30 % were moved');
crash_node($node);
$_->finish for @sessions;
check_sessions('killed');
$node->start;
is($node->safe_psql('postgres', q{SELECT phase FROM dynamo.migrations}), 'moving', 'the migration has not ended');
begin_sessions();
ok(run_until(q{SELECT phase = 'complete' FROM dynamo.migrations}), 'the migration goes on, and is completed');
tell_figures('while the others were moved');
sleep(1);
$_->pumpable && $_->pump_nb for @sessions;
end_sessions();
check_sessions('completed');
verify('completed', 'C#');

# ---- the same back, canceled, and canceled in a killed server ----

begin_sessions();
$node->safe_psql('postgres', q{SELECT dynamo.migrate_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id}"}')});
ok(halfway('moving'), 'items are moved back');
tell_figures('until 30 % were moved back');
$node->safe_psql('postgres', q{SELECT dynamo.cancel_migration('shop', 'order')});
ok(run_until(q{SELECT phase = 'cancelling' AND percent_done > 10 FROM dynamo.migrations}), 'that is canceled');
crash_node($node);
$_->finish for @sessions;
check_sessions('killed while it was canceled');
$node->start;
begin_sessions();
ok(run_until(q{SELECT phase = 'cancelled' FROM dynamo.migrations}), 'the cancellation goes on');
tell_figures('until these were where they had been');
sleep(1);
$_->pumpable && $_->pump_nb for @sessions;
end_sessions();
check_sessions('canceled');
verify('canceled', 'C#');

# ---- an idle reader with an old snapshot ----

$node->safe_psql('postgres', q{
CREATE OR REPLACE FUNCTION old_key(id int) RETURNS dynamo.item LANGUAGE sql RETURN
	jsonb_build_object('PK', 'ORDERS#c' || id % CUSTOMERS, 'SK', 'ORDER#' || lpad(id::text, 8, '0'))::dynamo.item} =~ s/CUSTOMERS/$customers/r);

my ($in, $out, $err) = ("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 'has ' || count(*) FROM truth WHERE there;\n", '', '');
my $idle = start([ 'psql', '-X', '-q', '-A', '-t', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err);
$idle->pump until $out =~ /has \d+\n/;
my ($count) = $out =~ /has (\d+)/;
$node->safe_psql('postgres', q{SELECT dynamo.migrate_entity('shop', 'order', '{"PK": "ORDERS#{customer_id}"}')});
ok(run_until(q{SELECT NOT EXISTS (SELECT FROM shop WHERE "PK" LIKE 'C#%' AND "SK" LIKE 'ORDER#%') FROM dynamo.migrations WHERE phase = 'moving'}),
	'all items are moved');
begin_sessions();
ok(run_until(q{SELECT true}), 'sessions begin');
sleep(2);
$_->pumpable && $_->pump_nb for @sessions;
is($node->safe_psql('postgres', q{SELECT phase FROM dynamo.migrations}), 'moving', 'the migration waits for the reader');
$in .= "SELECT 'shows ' || count(*) FROM orders;\nSELECT 'gets ' || (SELECT count(dynamo.get_item('shop', parts(id))) FROM truth WHERE there);\nCOMMIT;\n";
$idle->pump until $out =~ /gets \d+\n/ || $err =~ /ERROR/;
is($err, '', 'the reader has no error');
like($out, qr/shows $count\ngets $count\n/, 'the reader sees all items where they were');
$in .= "\\q\n";
$idle->finish;
ok(run_until(q{SELECT phase = 'complete' FROM dynamo.migrations}), 'the migration is completed');
end_sessions();
check_sessions('beside an idle reader');
verify('beside an idle reader', 'ORDERS#');
$node->stop;
done_testing();
