# hostile.pl: users of a cluster who attack each other's tables, on every node.
#
# The attacker has a role, may create tables in the same schema, and may choose the
# numbers of the shards of these tables, and their names on one node.  Nothing of the
# victim's is read or changed, no node crashes, and no error is an internal one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $settings = "restart_after_crash = off\n";
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings, worker1 => $settings, worker2 => $settings);
my @nodes = ($coordinator, $worker, $other);

# The result of statements of a role, or their last error.
sub try_as
{
	my ($node, $role, $sql) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "SET client_min_messages = warning; SET search_path = public, dynamo; $sql",
		on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);

	unlike($error, qr/ERROR:  XX000|server closed the connection/, "no internal error: $sql");
	return "$out|$error";
}

value_of($coordinator, q{CREATE ROLE attacker LOGIN; CREATE ROLE victim LOGIN; GRANT CREATE ON SCHEMA public TO attacker, victim});
value_of($coordinator, sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, $coordinator->host, $coordinator->port);

# ---- a table that has the name of a shard ----

my $item = q{'{"PK": {"S": "p%s"}, "v": {"S": "secret"}}'};

sub put_secrets
{
	my ($table) = @_;

	return join ';', map { sprintf "SELECT put_item('$table', $item)", $_ } 1 .. 20;
}

value_of($coordinator, q{SET ROLE attacker; SET citus.next_shard_id = 2024;
SELECT create_table('bait', partition_key => 'PK'); SELECT distribute_table('bait', shards => 6)});
my ($shard) = shards_on($coordinator, 'bait');
my $number = $shard =~ s/.*_//r;
value_of($coordinator, qq{SET ROLE victim; SELECT create_table('events_$number', partition_key => 'PK')});
value_of($coordinator, q{SET ROLE victim; } . put_secrets("events_$number"));
my $before = value_of($coordinator, qq{SELECT item FROM events_$number ORDER BY "PK"});
try_as($coordinator, 'attacker', q{SET citus.enable_ddl_propagation = off; ALTER TABLE bait RENAME TO events});
for my $statement (q{get_item('events', %s)}, q{delete_item('events', %s)}, q{put_item('events', '{"PK": %s, "v": {"S": "changed"}}')},
	q{update_item('events', %s, 'SET v = :v', NULL, '{":v": {"S": "changed"}}')}, q{query('events', 'PK = :p', NULL, '{":p": %s}')})
{
	my $key = $statement =~ /"PK": |":p"/ ? '{"S": "p%d"}' : q{'{"PK": {"S": "p%d"}}'};

	unlike(try_as($coordinator, 'attacker', join ';', map { 'SELECT ' . sprintf($statement, sprintf $key, $_) } 1 .. 20), qr/secret/, "$statement does not read it");
}
unlike(try_as($coordinator, 'attacker', q{SELECT scan('events')}), qr/secret/, 'scan does not read it');
is(value_of($coordinator, qq{SELECT item FROM events_$number ORDER BY "PK"}), $before, 'and nobody has changed it');


# A table of the victim that only looks like a shard of the attacker's table.
value_of($coordinator, q{SET ROLE victim; SELECT create_table('log_770', partition_key => 'PK'); SELECT create_index('log_770', 'stored', 'G', storage => 'table');
SELECT enable_stream('log_770'); SELECT create_table('log_771', partition_key => 'PK')});
try_as($coordinator, 'attacker', q{SELECT create_table('log', partition_key => 'PK'); SELECT create_index('log', 'stored', 'G', storage => 'table'); SELECT enable_stream('log');
SET citus.enable_ddl_propagation = off; ALTER TABLE log RENAME TO logs; SET citus.enable_ddl_propagation = on;
SET citus.next_shard_id = 770; SELECT distribute_table('logs', shards => 2); SET citus.enable_ddl_propagation = off; ALTER TABLE logs RENAME TO log});
is(value_of($coordinator, q{SELECT logicalrelid FROM pg_dist_shard WHERE shardid = 770}), 'log', 'the attacker has a shard of this number');
for my $table (qw(log_770 log_771))
{
	like(try_as($coordinator, 'victim', qq{SELECT put_item('$table', '{"PK": {"S": "a"}, "G": {"S": "g"}}'); SELECT get_item('$table', '{"PK": {"S": "a"}}') ->> 'G'; SELECT update_time_to_live('$table', 'ttl');
SELECT * FROM verify_index('$table', 'stored')}), qr/^\ng\n/, "the owner uses $table");
}
is(value_of($coordinator, q{SELECT count(*) FROM read_stream('log_770')}), 1, 'its stream records it');
is(value_of($coordinator, q{SELECT dynamo_internal.is_shard('log_770'::regclass), dynamo_internal.is_shard('log_771'::regclass)}), 'f|f', 'these are no shards');

# ---- the functions of nodes have the rights of their caller ----

# What the functions do for a role, they do only if the usual ones do it, too; on each node for the items there.
# Who may delete an item may lock it.
my %grants = (nothing => 'GRANT USAGE ON SCHEMA public TO %s', reader => 'GRANT SELECT ON rights TO %s', adder => 'GRANT SELECT, INSERT ON rights TO %s', inserter => 'GRANT INSERT ON rights TO %s', putter => 'GRANT SELECT, INSERT, UPDATE ON rights TO %s',
	updater => 'GRANT SELECT, UPDATE ON rights TO %s', deleter => 'GRANT SELECT, DELETE ON rights TO %s', key_reader => 'GRANT SELECT ("PK") ON rights TO %s', item_reader => 'GRANT SELECT (item, "PK", "SK") ON rights TO %s', item_writer => 'GRANT SELECT, UPDATE (item) ON rights TO %s');
my @rights = ([ get => q{dynamo_system.row_on_shard(%d, 'public', 'rights', %d, '\x%s')}, q{get_item('rights', '%4$s')}, 0 ],
	[ lock => q{dynamo_system.row_on_shard(%d, 'public', 'rights', %d, '\x%s')}, q{1 FROM rights WHERE "PK" = '%4$s'::item ->> 'PK' FOR NO KEY UPDATE}, 1, 2, 3, 5 ],
	[ hold => q{dynamo_system.row_on_shard(%d, 'public', 'rights', %d, '\x%s')}, q{1 FROM rights WHERE "PK" = '%4$s'::item ->> 'PK' FOR NO KEY UPDATE}, 7, 8 ],
	[ put => q{dynamo_system.row_on_shard(%d, 'public', 'rights', %d, '\x%s')}, q{update_item('rights', '%4$s', 'SET x = :x', NULL, '{":x": {"S": "x"}}')}, 4 ],
	[ delete => q{dynamo_system.row_on_shard(%d, 'public', 'rights', %d, '\x%s')}, q{delete_item('rights', '%4$s')}, 6 ],
	[ rows => q{dynamo_system.rows_on_shard('public', 'rights', '\x%5$s', 0, 1, 0, 1000)}, q{count(*) FROM query('rights', 'PK = :p', ('{":p": {"S": "' || ('%4$s'::item ->> 'PK') || '"}}')::item)} ],
	[ keys => q{dynamo_system.rows_on_shard('public', 'rights', '\x%6$s', 0, 1, 0, 1000)}, q{get_item('rights', '%4$s')} ],
	[ write => q{dynamo_system.write_on_shard(0, 'rights', '%4$s', NULL, NULL, NULL, NULL, NULL, NULL)}, q{put_item('rights', '%4$s')} ],
	[ request => q{dynamo_system.request_on_shard('UpdateItem', '{"TableName": "rights", "Key": %4$s, "UpdateExpression": "REMOVE x"}')}, q{update_item('rights', '%4$s', 'REMOVE x')} ]);

# What each of some calls, in transactions of their own, does for a role: done, denied, or refused.
sub allowed
{
	my ($node, $role, @calls) = @_;
	my ($out, $error) = ('', '');

	$node->psql('postgres', join("\n", '\set VERBOSITY verbose', 'SET search_path = public, dynamo;', map { "BEGIN; SET LOCAL ROLE $role;\nSELECT $_;\n\\echo == :SQLSTATE\nROLLBACK;" } @calls), stdout => \$out, stderr => \$error, on_error_stop => 0);
	unlike($error, qr/XX000|server closed/, $node->name . ", $role: no internal error");
	return map { /42501\z/ ? 'denied' : !/00000\z/ || /^\\x6d$/m ? 'refused' : 'done' } $out =~ /(.*?== \w{5})/gs;
}

value_of($coordinator, q{SET ROLE victim; SELECT create_table('rights', partition_key => 'PK', sort_key => 'SK'); SELECT distribute_table('rights', shards => 6)});
value_of($coordinator, q{SELECT put_item('rights', jsonb_build_object('PK', 'p' || i, 'SK', 's', 'v', 'secret')) FROM generate_series(1, 20) i});
value_of($coordinator, "CREATE ROLE $_ LOGIN; " . sprintf $grants{$_}, $_) for sort keys %grants;
my %kinds;
for my $secured ('', 'ALTER TABLE rights ENABLE ROW LEVEL SECURITY')
{
	value_of($coordinator, "SET ROLE victim; $secured") if $secured;
	for my $node (@nodes)
	{
		my ($key) = split /\n/, value_of($node, q{SELECT 'p' || i FROM generate_series(1, 20) i JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('rights', 'p' || i) AND groupid = (SELECT groupid FROM pg_dist_local_group)});
		my $item = qq{{"PK": {"S": "$key"}, "SK": {"S": "s"}}};
		my @bytes = map { value_of($node, "SELECT encode(dynamo_internal.item_send('$_'), 'hex')") } $item, qq({"key": {"M": {"PK": {"S": "$key"}}}}), qq({"keys": {"L": [{"M": $item}]}});

		my @calls = map { my ($kind, $call, $usual, @actions) = @$_; map { my $action = $_; map { [ $kind, sprintf($call, $action, $_, $bytes[0], $item, @bytes[ 1, 2 ]), sprintf($kind =~ /lock|hold/ && $action != 5 && $_ == 8 ? $rights[4][2] : $usual, 0, 0, $bytes[0], $item) ] } $kind =~ /rows|keys|write|request/ ? 0 : (0, 1, 2, 4, 8, 15) } @actions ? @actions : 0 } @rights;

		for my $role (sort keys %grants)
		{
			my @results = allowed($node, $role, map { ($_->[1], $_->[2]) } @calls);

			for my $call (@calls)
			{
				my ($result, $expected) = splice @results, 0, 2;

				$kinds{"$call->[0] $result"}++;
				fail($node->name . ", $role: $call->[1] is $result, but $call->[2] is $expected") if $result eq 'done' && ($expected ne 'done' || $secured && $call->[0] ne 'hold');
			}
		}
	}
}
# what only locks a row, and tells nothing of it, is done with row security, too
ok($kinds{"$_->[0] done"} && $kinds{"$_->[0] denied"} && ($kinds{"$_->[0] refused"} xor $_->[0] eq 'hold'), "$_->[0]: done for some, denied to others, refused with row security") for @rights;
note(explain(\%kinds));

# ---- a lock of one owner ----

# The attacker locks a shard with changes on a worker: those of others are applied all the same.
value_of($coordinator, sprintf q{SET ROLE %s; SELECT create_table('%s', partition_key => 'PK'); SELECT create_index('%2$s', 'stored', 'G', storage => 'table'); SELECT distribute_table('%2$s', shards => 4)}, @$_)
	for [ 'attacker', 'locked' ], [ 'victim', 'waiting' ];
my ($locked) = shards_on($worker, '"locked$changes"');
my $lock = start_session($worker, qq{SET citus.enable_manual_changes_to_shards = on; SET SESSION AUTHORIZATION attacker; BEGIN; LOCK TABLE $locked; SELECT 'locked'; SELECT pg_sleep(60)});
usleep(100_000) while $lock->{run}->pumpable && $worker->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'}) == 0;
is(try_as($coordinator, 'victim', q{SELECT 1 FROM pg_sleep(7); SELECT put_item('waiting', '{"PK": {"S": "a"}, "G": {"S": "g"}}'); SELECT wait_for_index('waiting', 'stored', '40 s')}), "1\n\nt|", 'a lock of one owner delays the indexes of others for seconds at most');
$worker->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'});
$lock->{run}->finish;

stop_citus_cluster(@nodes);
done_testing();
