# index_builds.pl: indexes of all kinds are created, changed, built, canceled,
# repaired and dropped at random while sessions write in all ways.  As soon as an
# index is built its contents must be right: verify_index must find nothing, and the
# index's results are compared with the table item by item, both with one
# snapshot.
#
# SEED repeats the choices, but not the timing; DYNAMO_BUILD_SECONDS is the
# duration.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $seed = $ENV{SEED} // int(time() * 1000 + $$) % 1000000;
my $seconds = $ENV{DYNAMO_BUILD_SECONDS} || ($ENV{LONG} ? 18 : 9);
note("SEED=$seed DYNAMO_BUILD_SECONDS=$seconds");
srand($seed);

my $node = new_dynamo_node('index_builds', q{
fsync = off
log_min_messages = warning
log_statement = none
max_prepared_transactions = 10
max_worker_processes = 20
deadlock_timeout = 50ms
dynamo.in_place_build_limit = 0
dynamo.build_batch_size = 20
}, allows_streaming => 'logical');

# ---- the table, and writes by sessions ----

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('tab', 'PK', 'SK');
ALTER TABLE tab ADD COLUMN note text;

CREATE FUNCTION pick(n int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT floor(random() * n)::int $$;
-- attributes: g, h, i and j are keys of indexes, and sometimes missing; p is projected by some indexes, q only by projection ALL
CREATE FUNCTION some_item(pk text, sk text) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object('PK', pk, 'SK', sk, 'g', CASE pick(5) WHEN 0 THEN NULL ELSE 'g' || pick(4) END,
		'h', CASE pick(5) WHEN 0 THEN NULL ELSE pick(20) END, 'i', CASE pick(5) WHEN 0 THEN NULL ELSE 'i' || pick(3) END,
		'j', CASE pick(5) WHEN 0 THEN NULL ELSE pick(9) END, 'e', CASE pick(2) WHEN 0 THEN 4000000000 + pick(9) END, 'p', pick(3), 'q', repeat('q', pick(300)))) $$;
CREATE FUNCTION with_value(item dynamo.item, name text, value jsonb) RETURNS dynamo.item LANGUAGE sql AS $$
	SELECT (jsonb_strip_nulls(item::jsonb || jsonb_build_object(name, value)))::dynamo.item $$;
INSERT INTO tab (item, note)
SELECT some_item('p' || i % 20, 's' || i / 20), repeat('n', pick(400)) FROM generate_series(0, 1999) i;

CREATE PROCEDURE write_once() LANGUAGE plpgsql AS $$
DECLARE
	pk text := 'p' || pick(20);
	sk text := 's' || pick(100);
	undo boolean := pick(8) = 0;
BEGIN
	CASE pick(16)
	-- changes that do not affect some or all indexes, although the rows move
	WHEN 0, 1, 2 THEN UPDATE tab SET note = repeat('m', pick(800)) WHERE "PK" = pk AND "SK" = sk;
	WHEN 3 THEN UPDATE tab SET note = repeat('m', pick(800)) WHERE "PK" = pk;
	WHEN 4 THEN UPDATE tab SET item = with_value(item, 'q', to_jsonb(repeat('r', pick(600)))) WHERE "PK" = pk AND "SK" = sk;
	WHEN 5 THEN PERFORM dynamo.update_item('tab', jsonb_build_object('PK', pk, 'SK', sk), 'SET q = :q',
		condition_expression => 'attribute_exists(PK)', expression_attribute_values => jsonb_build_object(':q', repeat('s', pick(600))));
	WHEN 6 THEN UPDATE tab SET item = with_value(item, 'p', to_jsonb(pick(3))), note = repeat('m', pick(800)) WHERE "PK" = pk AND "SK" = sk;
	-- changes of the keys
	WHEN 7 THEN UPDATE tab SET item = with_value(item, 'g', CASE pick(4) WHEN 0 THEN NULL ELSE to_jsonb('g' || pick(4)) END) WHERE "PK" = pk AND "SK" = sk;
	WHEN 8 THEN UPDATE tab SET item = with_value(item, 'h', to_jsonb(pick(20))) WHERE "PK" = pk AND "SK" > sk;
	WHEN 9 THEN
		UPDATE tab SET item = with_value(item, 'g', NULL), note = repeat('m', pick(800)) WHERE "PK" = pk AND "SK" = sk;
		UPDATE tab SET item = with_value(item, 'g', '"g1"') WHERE "PK" = pk AND "SK" = sk;
	-- rows are inserted, deleted and inserted again
	WHEN 10 THEN
		WITH gone AS (DELETE FROM tab WHERE "PK" = pk AND "SK" = sk RETURNING item)
		INSERT INTO tab (item, note) SELECT with_value(item, 'q', '"again"'), repeat('m', pick(400)) FROM gone WHERE false;
		INSERT INTO tab (item, note) VALUES (some_item(pk, sk), repeat('m', pick(400)));
	WHEN 11 THEN PERFORM dynamo.delete_item('tab', jsonb_build_object('PK', pk, 'SK', sk));
	WHEN 12 THEN PERFORM dynamo.put_item('tab', some_item(pk, sk));
	WHEN 13 THEN INSERT INTO tab (item) VALUES (some_item(pk, sk)) ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item, note = repeat('m', pick(800));
	WHEN 14 THEN MERGE INTO tab USING (VALUES (pk, sk), (pk, sk || 'm')) v(pk, sk) ON tab."PK" = v.pk AND tab."SK" = v.sk
		WHEN MATCHED AND pick(4) = 0 THEN DELETE
		WHEN MATCHED THEN UPDATE SET item = with_value(item, 'h', to_jsonb(pick(20)))
		WHEN NOT MATCHED THEN INSERT (item) VALUES (some_item(v.pk, v.sk));
	ELSE
		-- another key of the table
		UPDATE tab SET item = some_item("PK", "SK" || 'k') WHERE "PK" = pk AND "SK" = sk;
	END CASE;
	IF undo THEN RAISE EXCEPTION 'undone'; END IF;
EXCEPTION WHEN raise_exception OR serialization_failure OR deadlock_detected OR unique_violation OR SQLSTATE 'KV002' THEN
	NULL;
END $$;
CREATE PROCEDURE write_always(seed float8) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setseed(seed);
	LOOP
		PERFORM set_config('default_transaction_isolation', CASE pick(5) WHEN 0 THEN 'repeatable read' ELSE 'read committed' END, false);
		COMMIT;
		FOR i IN 0 .. pick(3) LOOP CALL write_once(); END LOOP;
		IF random() < 0.05 THEN PERFORM pg_sleep(0.03); END IF;
		IF random() < 0.1 THEN ROLLBACK; END IF;
	END LOOP;
END $$;

-- items that are in the index and not in the table, or the other way round
CREATE FUNCTION differences(index_name text, partition text[], sort text[], projection text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	condition text := (SELECT string_agg(format('%s = :%s', k, k), ' AND ') FROM unnest(partition) k);
BEGIN
	CREATE TEMP TABLE items ON COMMIT DROP AS SELECT item, item::jsonb AS plain FROM tab WHERE item::jsonb ?& (partition || sort);
	CREATE TEMP TABLE expected ON COMMIT DROP AS
		SELECT CASE WHEN projection IS NULL THEN item ELSE dynamo.project(item, array_to_string(projection, ', ')) END::text AS entry FROM items;
	CREATE TEMP TABLE found ON COMMIT DROP AS
		SELECT item::text AS entry FROM dynamo.scan('tab', index_name => index_name) item;
	RETURN QUERY SELECT 'not in the index: ' || e FROM (TABLE expected EXCEPT ALL TABLE found) e
		UNION ALL SELECT 'not in the table: ' || f FROM (TABLE found EXCEPT ALL TABLE expected) f LIMIT 3;
	RETURN QUERY SELECT format('queries find %s items of %s', q.n, e.n)
		FROM (SELECT count(*) AS n FROM expected) e,
			(SELECT count(*) AS n FROM (SELECT DISTINCT (SELECT jsonb_object_agg(':' || k, plain -> k) FROM unnest(partition) k) AS value FROM items) v,
				dynamo.query('tab', condition, v.value, index_name => index_name)) q
		WHERE q.n <> e.n;
	DROP TABLE items, expected, found;
END $$;
});

# A subscription also writes, to its own items.
$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', q{
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('tab', 'PK', 'SK');
CREATE PUBLICATION pub FOR TABLE tab;
SELECT pg_create_logical_replication_slot('sub', 'pgoutput');
CREATE PROCEDURE write_always() LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		INSERT INTO tab (item) SELECT jsonb_build_object('PK', 'l' || i % 5, 'SK', 's' || i, 'g', 'g' || i % 3, 'h', i) FROM generate_series(0, 49) i
			ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item;
		COMMIT;
		UPDATE tab SET item = (item::jsonb || jsonb_build_object('q', repeat('l', floor(random() * 900)::int)))::dynamo.item WHERE random() < 0.3;
		COMMIT;
		DELETE FROM tab WHERE random() < 0.1;
		COMMIT;
		PERFORM pg_sleep(0.02);
	END LOOP;
END $$;
});
my $connection = $node->connstr . ' dbname=source';
$node->safe_psql('postgres', "CREATE SUBSCRIPTION sub CONNECTION '$connection' PUBLICATION pub WITH (create_slot = false, copy_data = false)");

# ---- sessions ----

# Prepared transactions, and rows from COPY, which no procedure can run.
sub script
{
	my $script = '';

	for my $i (1 .. 20000)
	{
		my ($pk, $sk) = ('p' . int(rand(20)), 's' . int(rand(100)));

		if (rand() < 0.3)
		{
			$script .= "COPY tab (item) FROM STDIN;\n"
				. join('', map { sprintf qq({"PK": {"S": "%s"}, "SK": {"S": "c%d.%d"}, "g": {"S": "g%d"}, "h": {"N": "%d"}}\n), $pk, $i, $_, rand(4), rand(20) } 1 .. 5)
				. "\\.\n";
			$script .= sprintf "DELETE FROM tab WHERE \"SK\" LIKE 'c%d.%%';\n", $i - 20;
			next;
		}
		my $write = (
			"UPDATE tab SET note = repeat('t', " . int(rand(800)) . ") WHERE \"PK\" = '$pk' AND \"SK\" = '$sk'",
			"UPDATE tab SET item = with_value(item, 'g', '\"g" . int(rand(4)) . "\"') WHERE \"PK\" = '$pk' AND \"SK\" = '$sk'",
			"DELETE FROM tab WHERE \"PK\" = '$pk' AND \"SK\" = '$sk'")[ rand 3 ];
		$script .= "BEGIN;\n$write;\nSAVEPOINT s;\n$write;\n" . (rand() < 0.3 ? "ROLLBACK TO s;\n" : '')
			. "PREPARE TRANSACTION 't$i';\nSELECT pg_sleep(" . rand(0.03) . ");\n"
			. (rand() < 0.3 ? 'ROLLBACK' : 'COMMIT') . " PREPARED 't$i';\n";
	}
	return $script;
}

my @said;

sub session
{
	my ($database, $sql) = @_;
	my $file = $node->basedir . '/session' . @said . '.sql';
	my $said = '';

	push @said, \$said;
	append_to_file($file, $sql);
	return start([ 'psql', '-X', '-q', '-A', '-t', '-d', $node->connstr($database), '-f', $file ],
		'<', '/dev/null', '>', '/dev/null', '2>', \$said);
}

my @sessions = ((map { session('postgres', 'CALL write_always(' . rand() . ')') } 1 .. 3),
	session('postgres', script()), session('source', 'CALL write_always()'));

# ---- changes of the indexes ----

# By name: the key and the projection (undef: ALL).
my %indexes;
my $created = 0;
my %done;

sub sql_array
{
	return 'ARRAY[' . join(', ', map { "'$_'" } @_) . ']::text[]';
}

sub storage
{
	return (", storage => 'inline'", ", storage => 'table'", ', shards => ' . (1 + int rand 4), ", shards => 3, shard_by => 'p'")[ rand 4 ];
}

# A projection as an argument, and the names it adds to those of the key.
sub projection
{
	return ([ '', undef ], [ ", projection => 'KEYS_ONLY'", [] ],
		[ ", projection => 'INCLUDE', non_key_attributes => ARRAY['p']", ['p'] ])[ rand 3 ]->@*;
}

sub entry
{
	my ($partition, $sort, $others) = @_;
	my %names = map { $_ => 1 } @$partition, @$sort, 'PK', 'SK', @{ $others // [] };

	return { partition => $partition, sort => $sort, projection => $others && [ sort keys %names ] };
}

sub create
{
	my @keys = ([ ['g'], [] ], [ ['g'], ['h'] ], [ ['h'], ['SK'] ], [ ['SK'], ['PK'] ], [ [ 'g', 'h' ], ['SK'] ],
		[ ['i'], [] ], [ ['i'], ['j'] ], [ ['j'], [] ], [ ['g'], ['i'] ])[ rand 9 ]->@*;
	my @types = map { my $part = $_; sql_array(map { /[hj]/ ? 'N' : 'S' } @$part) } @keys;
	my ($projection, $others) = projection();
	my $name = 'index' . ++$created;

	$indexes{$name} = entry(@keys, $others);
	return "SELECT dynamo.create_index('tab', '$name', " . sql_array(@{ $keys[0] }) . ', ' . sql_array(@{ $keys[1] })
		. ", $types[0], $types[1]$projection" . storage() . ')';
}

sub change
{
	my ($name) = @_;
	my ($projection, $others) = projection();

	$projection = ", projection => 'ALL'" if !defined $others;
	$indexes{$name} = entry(@{ $indexes{$name} }{qw(partition sort)}, $others);
	return "SELECT dynamo.change_index('tab', '$name'$projection" . storage() . ')';
}

sub drop
{
	my ($name) = @_;

	delete $indexes{$name};
	return "SELECT dynamo.drop_index('tab', '$name')";
}

sub next_change
{
	my @names = sort keys %indexes;
	my $name = $names[ rand @names ];

	return create() if @names < 2 || (@names < 4 && rand() < 0.4);
	return drop($name) if rand() < 0.3;
	return change($name);
}

# Runs a statement that may be refused or canceled; returns its messages.
sub try_sql
{
	my ($sql) = @_;
	my ($status, $out, $said) = $node->psql('postgres', $sql);

	return $said;
}

# Drops another index than the one being built, with its columns.
sub drop_another
{
	my $name = $node->safe_psql('postgres', "SELECT index_name FROM dynamo.indexes WHERE status = 'ACTIVE' ORDER BY random() LIMIT 1");

	return if keys %indexes < 3 || $name eq '';
	delete $indexes{$name};
	$node->safe_psql('postgres', "SELECT dynamo.drop_index('tab', '$name')");
	return;
}

# Other events during a build.
my %meanwhile = (
	cancel => sub { try_sql('SELECT pg_cancel_backend(worker_pid) FROM dynamo.index_progress WHERE worker_pid IS NOT NULL') },
	terminate => sub { try_sql('SELECT pg_terminate_backend(worker_pid) FROM dynamo.index_progress WHERE worker_pid IS NOT NULL') },
	refused => sub { try_sql("SELECT dynamo.create_index('tab', 'refused', 'g'); SELECT dynamo.drop_index('tab', 'refused')") },
	reindex => sub { try_sql("SELECT dynamo.reindex('tab', index_name) FROM dynamo.indexes WHERE status = 'ACTIVE' ORDER BY random() LIMIT 1") },
	enable_ttl => sub { try_sql("SELECT dynamo.update_time_to_live('tab', 'e', true)") },
	disable_ttl => sub { try_sql("SELECT dynamo.update_time_to_live('tab', 'e', false)") },
	drop_another => sub { drop_another() },
	vacuum => sub { try_sql('VACUUM tab') },
	vacuum_full => sub { try_sql('VACUUM FULL tab') },
	truncate => sub { try_sql("TRUNCATE tab; INSERT INTO tab (item) SELECT some_item('p' || i % 20, 's' || i / 20) FROM generate_series(0, 1499) i") if rand() < 0.3 },
	sleep => sub { sleep(rand(0.3)) });
my @meanwhile = sort keys %meanwhile;

# Runs some of them; returns which.
sub meanwhile
{
	my @what;

	while (rand() < 0.5)
	{
		push @what, $meanwhile[ rand @meanwhile ];
		$meanwhile{ $what[-1] }->();
	}
	return "@what";
}

sub problems
{
	my $sql = "BEGIN ISOLATION LEVEL REPEATABLE READ;\n";

	for my $name (sort keys %indexes)
	{
		my ($partition, $sort, $projection) = @{ $indexes{$name} }{qw(partition sort projection)};

		$sql .= "SELECT '$name', v.* FROM dynamo.verify_index('tab', '$name') v LIMIT 3;\n";
		$sql .= "SELECT '$name', differences('$name', " . sql_array(@$partition) . ', ' . sql_array(@$sort) . ', '
			. (defined $projection ? sql_array(@$projection) : 'NULL') . ");\n";
	}
	return $node->safe_psql('postgres', "${sql}COMMIT;");
}

my $until = time() + $seconds;
my $rounds = 0;
my $failed = '';

while (time() < $until && $failed eq '')
{
	my $statement = next_change();

	$node->safe_psql('postgres', sprintf 'ALTER DATABASE postgres SET dynamo.build_batch_size = %d; ALTER DATABASE postgres SET dynamo.build_delay = %d',
		(5, 20, 100)[ rand 3 ], (0, 1, 3)[ rand 3 ]);
	$node->safe_psql('postgres', $statement);
	$done{ ($statement =~ /dynamo\.(\w+)/)[0] }++;
	sleep(rand(0.2));
	my $meanwhile = meanwhile();
	$node->safe_psql('postgres', 'CALL dynamo.build_indexes()');
	$failed = problems();
	is($failed, '', "round $rounds: $statement") if $failed ne '';
	$rounds++;
	note(sprintf "%.1f s: %s; meanwhile: %s", time() - $^T, $statement, $meanwhile);
	$_->pumpable && $_->pump_nb for @sessions;
}

is($failed, '', "the contents of indexes agree with the items in $rounds rounds");
note("$_: $done{$_}") for sort keys %done;
cmp_ok($done{create_index} // 0, '>', 1, 'indexes were created');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM tab WHERE "PK" LIKE 'l%'}), '>', 0, 'the subscription brought changes');

# ---- the end ----

$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
$_->finish for @sessions;
my @errors = grep { /(ERROR|FATAL|PANIC):/ && !/terminating connection|could not serialize|deadlock detected|duplicate key|prepared transaction with identifier/ }
	map { split /\n/, $$_ } @said;
is("@errors", '', 'no session had another error');
$node->safe_psql('postgres', 'ALTER SUBSCRIPTION sub DISABLE; ALTER SUBSCRIPTION sub SET (slot_name = NONE); DROP SUBSCRIPTION sub');
$node->stop;
done_testing();
