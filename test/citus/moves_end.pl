# moves_end.pl: writes that begin while a move of their shard is prepared on all nodes, and end
# when some nodes have committed it and others not.  Each is issued on the node that commits last.
# What is acknowledged is in the new place of the shard, and nothing else is.
#
# A node commits when it no longer waits for a synchronous standby, which does not exist.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, $worker, $other) = new_citus_cluster();
my @nodes = ($coordinator, $worker, $other);

value_of($coordinator, sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)},
	$coordinator->host, $coordinator->port);
value_of($coordinator, q{SELECT create_table('kvs', partition_key => 'PK'); SELECT create_index('kvs', 'inl', 'G');
SELECT distribute_table('kvs', shards => 6)});

# ---- a move that ends when the test says so ----

# Starts to move the shard of a key; it is then prepared on the workers, and committed on the
# coordinator, which has not told anybody yet.
sub prepare_move
{
	my ($key, $from, $to, $last) = @_;
	my $move;

	set_standby($last, 'nobody');
	$move = start_session($coordinator, sprintf q{SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('kvs', '%s'),
	'%s', %d, '%s', %d, 'block_writes')}, $key, $from->host, $from->port, $to->host, $to->port);
	wait_for($last, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'PREPARE'});
	wait_for($_, q{SELECT count(*) > 0 FROM pg_prepared_xacts}) for $worker, $other;
	set_standby($coordinator, 'nobody');
	wait_for($coordinator, q{SHOW synchronous_standby_names}, 'nobody');
	set_standby($last, '');
	wait_for($coordinator, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'citus_move'});
	return $move;
}

# All nodes commit the move except the last one.
sub commit_elsewhere
{
	my ($last) = @_;
	my ($between) = grep { $_ != $last } $worker, $other;

	set_standby($last, 'nobody');
	wait_for($last, q{SHOW synchronous_standby_names}, 'nobody');
	set_standby($coordinator, '');
	wait_for($between, q{SELECT count(*) = 0 FROM pg_prepared_xacts});
	wait_for($last, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query ~ 'COMMIT PREPARED'});
}

sub wait_for
{
	my ($node, $condition, $value) = @_;

	$node->poll_query_until('postgres', $condition, $value // 't') or BAIL_OUT($node->name . " does not come to: $condition");
}

# Waits until a session waits for the lock of a shard's place, on any node.
sub wait_until_blocked
{
	my ($n) = @_;
	my $waiting = q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted};

	my $sum = 0;

	for (1 .. 100)
	{
		$sum = 0;
		$sum += $_->safe_psql('postgres', $waiting) for @nodes;
		return if $sum >= $n;
		select undef, undef, undef, 0.1;
	}
	diag("$sum sessions wait, not $n");
}

# ---- writes ----

my $key = q~'{"PK": {"S": "%s"}}'~;
my $add = qq~SELECT 'value ' || (update_item('kvs', $key, 'ADD n :n', NULL, '{":n": {"N": "1"}}', return_values => 'UPDATED_NEW') ->> 'n')~;
my %writes = (
	statement => $add,
	whole => qq~SELECT update_item('kvs', $key, 'ADD n :n', NULL, '{":n": {"N": "1"}}')~,
	put => qq~SELECT 'old ' || (put_item('kvs', '{"PK": {"S": "%s"}, "n": {"N": "2"}, "G": {"S": "g"}}', return_values => 'ALL_OLD') ->> 'n')~,
	delete => qq~SELECT 'old ' || (delete_item('kvs', $key, return_values => 'ALL_OLD') ->> 'n')~,
	transaction => q~SELECT count(*) FROM transact_write_items('[{"Update": {"TableName": "kvs", "Key": {"PK": {"S": "%s"}},
	"UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]')~,
	batch => q~SELECT batch_write_item('kvs', ARRAY['{"PK": {"S": "%s"}, "n": {"N": "2"}}'::item])~,
	request => q~SELECT request('UpdateItem', '{"TableName": "kvs", "Key": {"PK": {"S": "%s"}},
	"UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}')~,
	partiql => q~SELECT request('ExecuteStatement', '{"Statement": "UPDATE kvs SET n = n + 1 WHERE PK = ''%s''"}')~,
	block => "BEGIN;\n$add;\nCOMMIT",
	read_first => "BEGIN;\nSELECT 'read ' || (get_item('kvs', $key) ->> 'n');\n$add;\nCOMMIT",
	sql => q~UPDATE kvs SET item = item || '{"n": {"N": "2"}}' WHERE "PK" = '%s'~,
);

# What each leaves of an item with n = 1, and its error.  Citus goes on to use the connection to the
# old place if a transaction has read the shard there.
my %left = ((map { $_ => 2 } keys %writes), delete => 'none', read_first => 1);
my %error = ((map { $_ => qr/^$/ } keys %writes),
	read_first => qr/ERROR:  could not serialize access due to the move of a shard\n/);

sub write_during_move
{
	my ($from, $to, $last) = @_;
	my %keys = keys_of_shard($from, sort keys %writes);
	my $what = sprintf '%s to %s, on %s', map { $_->name } $from, $to, $last;

	value_of($coordinator, join ';', map { sprintf q~SELECT put_item('kvs', '{"PK": {"S": "%s"}, "n": {"N": "1"}, "G": {"S": "g"}}')~, $_ } values %keys);
	my $move = prepare_move($keys{put}, $from, $to, $last);
	my %sessions = map { $_ => start_session($last, $writes{$_} =~ s/%s/$keys{$_}/gr) } keys %writes;

	wait_until_blocked(scalar keys %writes);
	commit_elsewhere($last);
	set_standby($last, '');
	$_->{run}->finish for $move, values %sessions;
	is($move->{err}, '', "$what: the shard was moved");
	my @names = sort keys %writes;
	my @now = split /\n/, value_of($coordinator, join ';',
		map { sprintf "SELECT '$_ ' || coalesce(get_item('kvs', $key) ->> 'n', 'none')", $keys{$_} } @names), -1;

	like($sessions{$_}{err}, $error{$_}, "$what, $_: how it ends") for @names;
	is_deeply(\@now, [ map { "$_ $left{$_}" } @names ], "$what: what is in the new place");
	is(value_of($_, q{SELECT count(*) FROM query('kvs', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inl')}),
		value_of($coordinator, q{SELECT count(*) FROM kvs WHERE item ->> 'G' = 'g'}), "$what: the index has the same, on " . $_->name) for @nodes;
}

# Some keys in one shard of a node, by name.
sub keys_of_shard
{
	my ($node, @names) = @_;
	my $first = key_on($node, 'kvs', 1);
	my @keys = split /\n/, value_of($node, sprintf q{SELECT k FROM generate_series(1, 100000) i, LATERAL (SELECT 'p' || i AS k) k
WHERE get_shard_id_for_distribution_column('kvs', k) = get_shard_id_for_distribution_column('kvs', '%s') LIMIT %d}, $first, scalar @names);
	my %keys;

	@keys{@names} = @keys;
	return %keys;
}

write_during_move($worker, $coordinator, $other);
write_during_move($coordinator, $worker, $other);
write_during_move($other, $coordinator, $worker);
write_during_move($coordinator, $other, $worker);

stop_citus_cluster(@nodes);
done_testing();
