# kills.pl: a node is killed while a transaction is prepared on some nodes and not
# committed on all.  After recovery the transaction is there as a whole or not at
# all, and whatever was acknowledged is there.  PREPARE TRANSACTION and the commit that
# decides both wait for synchronous standbys after they have been written: naming
# one that does not exist holds a transaction exactly there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %settings = map { $_ => "citus.recover_2pc_interval = -1\n" } qw(coordinator worker1 worker2);
my ($coordinator, $worker, $other) = new_citus_cluster(%settings);
my @nodes = ($coordinator, $worker, $other);
my %group = map { $_->name => scalar $_->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group') } @nodes;
my $factor = $ENV{MOVES} ? 5 : 1;

value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('kvs', 'inl', 'G', 'SK'); SELECT dynamo.distribute_table('kvs', shards => 4)});

# Partition keys on both workers.
my @partitions = map { split /\n/, value_of($_, q{SELECT k FROM generate_series(1, 1000) i, LATERAL (SELECT 't' || i AS k) k,
	pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
WHERE s.logicalrelid = 'kvs'::regclass AND hashtext(k) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int
	AND p.groupid = (SELECT groupid FROM pg_dist_local_group) LIMIT 2}) } $worker, $other;

# ---- the load ----

# Transactions of a node, each of which writes its name to an item of every partition,
# and a new item to each.
sub transactions
{
	my ($node, $round, $times) = @_;
	my $name = $round . $node->name;

	return join ";\n", map {
		my $n = $_;
		my $actions = join ', ', map { my $p = $_;
			map { qq({"Put": {"TableName": "kvs", "Item": {"PK": {"S": "$p"}, "SK": {"S": "$_"}, "n": {"S": "${name}_$n"}}}}) } 'now_' . $node->name, "w_${name}_$n" } @partitions;
		qq~\\echo at ${name}_$n\nSELECT 'done ${name}_$n' FROM dynamo.transact_write_items('[$actions]')~
	} 1 .. $times;
}

# Transactions that read what those of a node write; prints the different names.
sub reads
{
	my ($node, $times) = @_;
	my $sk = 'now_' . $node->name;
	my $actions = join ', ', map { qq({"Get": {"TableName": "kvs", "Key": {"PK": {"S": "$_"}, "SK": {"S": "$sk"}}}}) } @partitions;

	return join ";\n", (qq~SELECT 'read ' || string_agg(DISTINCT m[1], ' ') FROM regexp_matches(
	dynamo.request('TransactGetItems', '{"TransactItems": [$actions]}')::text, '"n": \\{"S": "([^"]*)"\\}', 'g') m~) x $times;
}

# What is read meanwhile is not what the transactions of $initiator write: a reader that
# is held would keep them from being prepared.
sub start_load
{
	my ($round, $initiator) = @_;
	my @others = grep { $_->name ne $initiator->name } @nodes;

	return ((map { start_session($_, count_up($round . $_->name, 1500 * $factor)) } @nodes),
		(map { start_session($_, transactions($_, $round, 250 * $factor)) } @nodes),
		(map { start_session($others[0], reads($_, 100 * $factor)) } @others));
}

# ---- holding ----

# Waits until transactions of a node are prepared on others, and, if they are to be
# committed, until its own commit is written.
sub wait_for_prepared
{
	my ($initiator, $written, @participants) = @_;

	$_->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_prepared_xacts WHERE gid LIKE 'citus\\_$group{$initiator->name}\\_%'")
		or die 'nothing was prepared' for @participants;
	return if !$written;
	$initiator->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'transact_write_items'})
		or die 'nothing was committed';
}

# Holds a transaction of another node in its PREPARE.  One that was prepared before the node
# began to wait is held in its COMMIT PREPARED: it may go on, and the next one is held.
sub hold_prepare
{
	my ($held, $initiator) = @_;
	my $waiting = qq{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%s ''citus\\_$group{$initiator->name}\\_%%'};

	for (1 .. $PostgreSQL::Test::Utils::timeout_default)
	{
		my ($prepare, $commit) = map { sprintf $waiting, $_ } 'PREPARE TRANSACTION', 'COMMIT PREPARED';

		$held->poll_query_until('postgres', "SELECT ($prepare) OR ($commit)") or die 'nothing is held';
		return if $held->safe_psql('postgres', $prepare) eq 't';
		set_standby($held, '');
		$held->poll_query_until('postgres', "SELECT NOT ($commit)") or die 'a commit waits for nobody';
		set_standby($held, 'nobody');
	}
	die 'no PREPARE is held';
}

# ---- afterwards ----

sub recover
{
	value_of($_, 'SELECT recover_prepared_transactions()') for @nodes, @nodes;
	return;
}

sub check_recovered
{
	recover();
	is(value_of($_, 'SELECT count(*) FROM pg_prepared_xacts'), 0, $_->name . ': nothing is left prepared') for @nodes;
}

my $sum = q{SELECT coalesce(sum((item ->> 'n')::int), 0) FROM kvs WHERE "SK" = 'n'};

# Checks all that the load has left; returns the names of the transactions that are there.
sub check_load
{
	my ($what, $before, @load) = @_;
	my $out = join '', map { $_->{out} } @load;
	my %there = map { $_ => 1 } split /\n/, value_of($coordinator, q{SELECT DISTINCT substr("SK", 3) FROM kvs WHERE "SK" LIKE 'w\_%'});
	my @torn = grep { / .* / } $out =~ /^(read .*)$/mg;
	my @lost = grep { !$there{$_} } $out =~ /^done (\w+_\d+)$/mg;

	is(value_of($coordinator, sprintf q{SELECT count(*) FROM (SELECT "SK" FROM kvs WHERE "SK" LIKE 'w\_%%' GROUP BY "SK" HAVING count(*) <> %d) h},
		scalar @partitions), 0, "$what: no transaction is half there");
	is("@lost", '', "$what: no acknowledged transaction is lost of " . scalar(() = $out =~ /^done \w/mg));
	cmp_ok(value_of($coordinator, $sum) - $before, '>=', acknowledged(@load), "$what: no acknowledged write is lost of " . acknowledged(@load));
	is("@torn[0 .. ($#torn > 2 ? 2 : $#torn)]", '', "$what: no read is torn of " . scalar(() = $out =~ /^read /mg));
	is(value_of($worker, q{SELECT sum(n) FROM generate_series(0, 2) g,
LATERAL (SELECT sum((item ->> 'n')::int) n FROM dynamo.query('kvs', 'G = :g', jsonb_build_object(':g', 'g' || g), index_name => 'inl') item) q}),
		value_of($coordinator, $sum), "$what: the index has the same");
	return \%there;
}

# The transaction that a session was about when it lost its server.
sub last_of
{
	my ($session) = @_;

	return ($session->{out} =~ /^at (\w+)$/mg)[-1];
}

# Kills a node while transactions of an initiator are held on another node, and tells
# what became of the initiator's last one.
sub kill_while_held
{
	my ($what, $victim, $initiator, $held, $written, $expected) = @_;
	my $before = value_of($coordinator, $sum);
	my @load = start_load($what =~ s/\W//gr, $initiator);
	my ($writer) = grep { $_->{node} eq $initiator->name && $_->{sql} =~ /transact_write/ } @load;
	my @participants = $held->name eq $initiator->name ? grep { $_->name ne $initiator->name && $_->name ne 'coordinator' } @nodes : $held;

	sleep 1;
	set_standby($held, 'nobody');
	wait_for_prepared($initiator, $written, @participants);
	hold_prepare($held, $initiator) if !$written && $held->name ne $initiator->name;
	push @load, map { start_session($_, reads($initiator, 50)) } grep { $_->name ne $victim->name && $_->name ne $held->name } @nodes;
	$victim->stop('immediate');
	if ($victim->name eq $held->name)
	{
		$held->append_conf('postgresql.conf', "synchronous_standby_names = ''");
	}
	elsif ($victim->name eq $initiator->name)
	{
		set_standby($held, '');
	}
	$victim->start;
	set_standby($held, '') if $victim->name ne $held->name && $victim->name ne $initiator->name;
	recover();
	$_->{run}->finish for @load;
	check_recovered();
	my $there = check_load($what, $before, @load);

	is($there->{last_of($writer)} // 0, $expected, "$what: the transaction that was held is " . ($expected ? 'there' : 'not there')) if defined $expected;
}

kill_while_held('coordinator killed before its commit', $coordinator, $coordinator, $worker, 0, 0);
kill_while_held('coordinator killed after its commit', $coordinator, $coordinator, $coordinator, 1, 1);
kill_while_held('worker killed after its commit', $worker, $worker, $worker, 1, 1);
kill_while_held('worker killed with a prepared transaction', $other, $coordinator, $coordinator, 1, undef);

stop_citus_cluster(@nodes);
done_testing();
