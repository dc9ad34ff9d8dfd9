# index_ddl.pl: changes of the definition of a distributed table reach all nodes and shards, or
# none: time to live.  The results are those of a table of one server.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => "dynamo.index_changes_interval = 0\n");
my @nodes = ($coordinator, $worker, $other);

sub value_of
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', "SET search_path = public, dynamo; SET client_min_messages = warning; $sql");
}

sub refuses
{
	my ($node, $sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "SET search_path = public, dynamo; $sql");

	like($error, qr/ERROR:  $message/, $name // ($node->name . ": $sql"));
}

# Statements with the name of a table, on two tables with the same content: spread, which is
# distributed over all nodes, and plain.
my @tables = ('"Sp-re.ad"', 'plain');

sub on_both
{
	value_of($coordinator, "SET ROLE shopkeeper; " . join ";", map { sprintf $_[0], s/"//gr } @tables);
	return;
}

sub same_on_both
{
	my ($what, $sql) = @_;
	my @values = map { value_of($_->[0], $sql =~ s/%t/$_->[1]/gr =~ s/%n/$_->[1] =~ s{"}{}gr/ger) }
		(map { [ $_, $tables[0] ] } @nodes), [ $coordinator, $tables[1] ];

	is($values[$_], $values[3], "$what: " . $nodes[$_]->name) for 0 .. $#nodes;
	isnt($values[3], '', "$what: there is something");
	return;
}

value_of($coordinator, sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, $coordinator->host, $coordinator->port);
value_of($coordinator, q{CREATE ROLE shopkeeper LOGIN; CREATE ROLE other LOGIN; GRANT CREATE ON SCHEMA public TO shopkeeper});
on_both(q{SELECT dynamo.create_table('%s', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N')});
value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.distribute_table('Sp-re.ad', shards => 6)});
on_both(q{SELECT dynamo.put_item('%s', jsonb_build_object('PK', 'p' || i %% 23, 'SK', i, 'G', 'g' || i %% 7, 'N', i %% 5, 'ttl', 10 * i,
	'soon', extract(epoch FROM now())::int8 + CASE WHEN i %% 2 = 0 THEN -60 ELSE 3600 END)) FROM generate_series(1, 200) i});
is(join(' ', map { scalar shards_on($_, '"Sp-re.ad"') } @nodes), '2 2 2', 'shards on all nodes');

# The definition and the columns of a table and its shards, on all nodes.
sub definitions
{
	my ($table) = @_;

	return join "\n", map { value_of($_, qq{SELECT string_agg(DISTINCT concat(encode(t.tgargs, 'escape'), (SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attname)
	FROM pg_attribute WHERE attrelid = t.tgrelid AND attnum > 0 AND NOT attisdropped), (SELECT count(*) FROM pg_index WHERE indrelid = t.tgrelid), t.tgenabled), ' / ')
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname ~ '^~dynamo_derive_keys' AND c.relname ~ '^$table'}) } @nodes;
}

# Nothing of a change is left that was rolled back, or that a node could not do.
sub leaves_nothing
{
	my ($what, $sql) = @_;
	my $before = definitions('Sp-re.ad');

	is(scalar(() = $before =~ /"version"/g), 3, "$what: a definition is the same on all nodes and shards");
	value_of($coordinator, "BEGIN; $sql; ROLLBACK");
	is(definitions('Sp-re.ad'), $before, "$what: nothing is left after ROLLBACK");
	value_of($coordinator, "BEGIN; SELECT 1 FROM \"Sp-re.ad\"; SAVEPOINT a; $sql; ROLLBACK TO a; COMMIT");
	is(definitions('Sp-re.ad'), $before, "$what: nothing is left after ROLLBACK TO SAVEPOINT");
	my ($shard) = shards_on($other, '"Sp-re.ad"');
	my $blocker = start_session($other, "BEGIN; SELECT 1 FROM $shard LIMIT 1; SELECT pg_sleep(60)");
	$other->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'}) or die 'nothing blocks';
	my $ddl = start_session($coordinator, "$sql");
	$coordinator->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ '^SELECT dynamo' AND state = 'active' AND pid <> pg_backend_pid()}) or die 'nothing waits';
	$other->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}) or die 'nothing waits for the shard';
	value_of($other, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'});
	$ddl->{run}->finish;
	value_of($other, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'});
	$blocker->{run}->finish;
	like($ddl->{err}, qr/ERROR/, "$what: a node fails");
	value_of($_, 'SELECT recover_prepared_transactions()') for @nodes;
	is(definitions('Sp-re.ad'), $before, "$what: nothing is left then");
	return;
}

# Sessions on all nodes that put items, and another statement meanwhile; returns the errors of
# the sessions.  Citus may cancel one of two transactions that wait for each other.
my $round = 100_000;
sub under_writers
{
	my ($sql, $attributes) = @_;
	my $r = ++$round;
	my @load = map {
		my $name = $_->name;

		start_session($_, join ";\n", map {
			qq~SELECT 'done $name$_' FROM dynamo.put_item('Sp-re.ad', jsonb_build_object('PK', '$name$_', 'SK', $r, $attributes))~ } 1 .. 400)
	} @nodes;

	$other->poll_query_until('postgres', qq{SELECT count(*) > 20 FROM "Sp-re.ad" WHERE "SK" = $r});
	value_of($coordinator, $sql);
	my $during = value_of($coordinator, qq{SELECT count(*) FROM "Sp-re.ad" WHERE "SK" = $r});
	$_->{run}->finish for @load;
	cmp_ok($during, '<', 1200, 'the writers had more to do');
	my $done = join "\n", map { $_->{out} =~ /^done (.*)$/mg } @load;
	is(value_of($coordinator, qq{SELECT "PK" FROM "Sp-re.ad" WHERE "SK" = $r ORDER BY "PK" COLLATE "C"}), join("\n", sort split /\n/, $done), 'every acknowledged write is there');
	my $errors = join '', map { $_->{err} } @load;
	unlike($errors, qr/ERROR:  (?!.*distributed deadlock)/, 'writers fail by a deadlock only');
	value_of($coordinator, qq{DELETE FROM "Sp-re.ad" WHERE "SK" = $r});
	return;
}

# ---- time to live ----

my $enable = q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', true)};
leaves_nothing('time to live', $enable);
refuses($coordinator, "SET ROLE other; $enable", 'must be owner of table Sp-re.ad');
refuses($worker, $enable, 'cannot change distributed table "Sp-re.ad" on a worker node of Citus');
on_both(q{SELECT dynamo.update_time_to_live('%s', 'ttl', true)});
same_on_both('times of expiry', 'SELECT count(dynamo_expires_at), sum(dynamo_expires_at), max(dynamo_expires_at) FROM %t');
refuses($coordinator, $enable, 'TimeToLive is active on a different AttributeName');
on_both(q{SELECT dynamo.update_time_to_live('%s', 'ttl', false)});
under_writers($enable, q{'soon', 1});
is(value_of($coordinator, q{SELECT count(*) FROM "Sp-re.ad" WHERE dynamo_expires_at IS DISTINCT FROM (item ->> 'soon')::int8}), 0, 'each item has its time, also those that were written meanwhile');
value_of($coordinator, q{SELECT dynamo.update_time_to_live('plain', 'soon', true)});
on_both(q{SELECT dynamo.put_item('%s', jsonb_build_object('PK', 'late', 'SK', 1, 'soon', 5))});
same_on_both('later times of expiry', q{SELECT count(*), count(*) FILTER (WHERE "PK" = 'late' AND dynamo_expires_at = 5) FROM %t WHERE dynamo_expires_at IS NOT NULL});
is(value_of($worker, q{SELECT dynamo.delete_expired('Sp-re.ad')}), value_of($coordinator, q{SELECT dynamo.delete_expired('plain')}), 'as many have expired');
same_on_both('what has not expired', 'SELECT item FROM %t ORDER BY "PK", "SK"');
move_shard($coordinator, '"Sp-re.ad"', $worker, $other, 'block_writes');
on_both(q{SELECT dynamo.put_item('%s', jsonb_build_object('PK', 'p' || i, 'SK', 0, 'soon', 5 * i)) FROM generate_series(1, 40) i});
same_on_both('after a move', 'SELECT count(*), sum(dynamo_expires_at) FROM %t');
leaves_nothing('no time to live', q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', false)});
under_writers(q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', false)}, q{'soon', 1});
value_of($coordinator, q{SELECT dynamo.update_time_to_live('plain', 'soon', false)});
same_on_both('without time to live', 'SELECT item FROM %t ORDER BY "PK", "SK"');

# ---- hand-made calls ----

for my $node (@nodes)
{
	my ($shard) = map { s/"//gr } shards_on($node, '"Sp-re.ad"');

	refuses($node, qq{SET ROLE $_->[0]; SELECT dynamo.change_shard('$shard', $_->[1], '')}, $_->[2])
		for [ 'other', 0, 'must be owner of table' ], [ 'shopkeeper', 0, '.*is not a shard whose definition this transaction has changed' ];
}
refuses($coordinator, q{SET ROLE shopkeeper; BEGIN; LOCK TABLE plain; SELECT dynamo.change_shard('plain', 0, '')}, '"plain" is not a shard');

# ---- back on one server ----

value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.undistribute_table('Sp-re.ad')});
is(value_of($coordinator, q{SELECT count(*) FROM "Sp-re.ad"}), value_of($coordinator, q{SELECT count(*) FROM plain}), 'the table comes back');

stop_citus_cluster(@nodes);
done_testing();
