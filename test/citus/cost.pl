# cost.pl: what operations cost in a cluster, in processor time of all its servers, as
# a ratio to a server without Citus.  Not a test of anything unless COST=seconds is set;
# COST_OF names some of the operations.  Servers take turns, ROUNDS times; the result is
# the median round.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use File::Temp;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{COST};
my $rounds = $ENV{ROUNDS} // 1;
plan skip_all => 'COST names no number of seconds' if !$seconds;

# The settings of a server's endpoint, whose port is kept by the server's name.
my %port;

sub endpoint
{
	my ($name) = @_;

	$port{$name} = PostgreSQL::Test::Cluster::get_free_port();
	return endpoint_settings($port{$name}, 'postgres');
}

my ($coordinator, $worker, $other) = new_citus_cluster(map { $_ => endpoint($_) } qw(worker1 worker2));
my $alone = PostgreSQL::Test::Cluster->new('alone');

$alone->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$alone->append_conf('postgresql.conf', "shared_preload_libraries = 'dynamo'\nfsync = off\njit = off\n" . endpoint('alone'));
$alone->start;
$alone->safe_psql('postgres', 'CREATE EXTENSION dynamo');
$_->safe_psql('postgres', "ALTER SYSTEM SET log_statement = 'none'; SELECT pg_reload_conf()") for $coordinator, $worker, $other, $alone;

$_->safe_psql('postgres', q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK')}) for $coordinator, $alone;
$coordinator->safe_psql('postgres', q{SELECT dynamo.distribute_table('kvs', shards => 8)});

my $key = $worker->safe_psql('postgres', q{SELECT k FROM generate_series(1, 1000) i, LATERAL (SELECT 'p' || i AS k) k,
	pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
WHERE s.logicalrelid = 'kvs'::regclass AND hashtext(k) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int
	AND p.groupid = (SELECT groupid FROM pg_dist_local_group) LIMIT 1});

$_->safe_psql('postgres', qq{SELECT dynamo.put_item('kvs', jsonb_build_object('PK', '$key', 'SK', i::text, 'data', repeat('x', 200)))
FROM generate_series(1, 1000) i}) for $worker, $alone;

# A table with many partition keys, for scans.
$_->safe_psql('postgres', q{SELECT dynamo.create_table('spread', partition_key => 'PK', sort_key => 'SK')}) for $coordinator, $alone;
$_->safe_psql('postgres', q{SELECT dynamo.put_item('spread', jsonb_build_object('PK', 'p' || i, 'SK', i::text, 'data', repeat('x', 200)))
FROM generate_series(1, 5000) i}) for $coordinator, $alone;
$coordinator->safe_psql('postgres', q{SELECT dynamo.distribute_table('spread', shards => 8)});

# A table with an index table; and a partition key of the index whose entries are on the same node.
$_->safe_psql('postgres', q{SELECT dynamo.create_table('indexed', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('indexed', 'gsi', 'G', 'SK', storage => 'table')}) for $coordinator, $alone;
$coordinator->safe_psql('postgres', q{SELECT dynamo.distribute_table('indexed', shards => 8)});

my $index_key = $worker->safe_psql('postgres', q{SELECT k FROM generate_series(1, 1000) i, LATERAL (SELECT 'i' || i AS k) k,
	pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
WHERE s.logicalrelid = '"indexed$gsi"'::regclass AND hashtext(k) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int
	AND p.groupid = (SELECT groupid FROM pg_dist_local_group) LIMIT 1});

$_->safe_psql('postgres', qq{SELECT dynamo.put_item('indexed', jsonb_build_object('PK', '$key', 'SK', i::text, 'G', '$index_key', 'data', repeat('x', 200)))
FROM generate_series(1001, 2000) i}) for $worker, $alone;

# A table with a stream.
$_->safe_psql('postgres', q{SELECT dynamo.create_table('streamed', partition_key => 'PK', sort_key => 'SK'); SELECT dynamo.enable_stream('streamed')})
	for $coordinator, $alone;
$coordinator->safe_psql('postgres', q{SELECT dynamo.distribute_table('streamed', shards => 8)});

# The processor time of a server's processes, in ticks of 1/100 s.
sub cpu_of
{
	my ($node) = @_;
	my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
	my $ticks = 0;

	for my $file (glob '/proc/[0-9]*/stat')
	{
		open(my $in, '<', $file) or next;
		my $line = <$in> // '';
		my @fields = split / /, $line =~ s/^.*\) //r;

		next if !@fields;
		$ticks += $fields[11] + $fields[12] + $fields[13] + $fields[14] if $file eq "/proc/$postmaster/stat";
		$ticks += $fields[11] + $fields[12] if $fields[1] == $postmaster;
	}
	return $ticks;
}

my %scripts = (
	get => qq{SELECT dynamo.get_item('kvs', '{"PK": {"S": "$key"}, "SK": {"S": "7"}}');\n},
	put => qq{SELECT dynamo.put_item('kvs', '{"PK": {"S": "$key"}, "SK": {"S": "7"}, "data": {"S": "@{[ 'y' x 200 ]}"}}');\n},
	batch => qq{SELECT count(*) FROM dynamo.batch_get_item('kvs', ARRAY[@{[ join ', ', map { qq('{"PK": {"S": "$key"}, "SK": {"S": "$_"}}') } 1 .. 25 ]}]::dynamo.item[]);\n},
	# other items in turn, with another key of the index each time; until the index has them
	indexput => qq{\\set n random(1, 1000)\n\\set g random(1, 200)\n\\set d random(100000, 999999)
SELECT dynamo.put_item('indexed', format('{"PK": {"S": "$key"}, "SK": {"S": "%s"}, "G": {"S": "g%s"}, "data": {"S": "@{[ 'y' x 194 ]}%s"}}', :n::int, :g::int, :d::int)::dynamo.item);\n},
	streamput => qq{\\set n random(1, 1000)\n\\set d random(100000, 999999)
SELECT dynamo.put_item('streamed', format('{"PK": {"S": "$key"}, "SK": {"S": "%s"}, "data": {"S": "@{[ 'y' x 194 ]}%s"}}', :n::int, :d::int)::dynamo.item);\n},
	indexquery => qq{SELECT count(*) FROM dynamo.query('indexed', 'G = ' || chr(58) || 'g', '{"\\u003ag": {"S": "$index_key"}}', index_name => 'gsi', max_items => 10);\n},
	# pgbench takes a colon and a name for one of its variables
	scan => qq{SELECT count(*) FROM dynamo.scan('spread');\n},
	filter => qq{SELECT count(*) FROM dynamo.scan('spread', filter_expression => 'begins_with(SK, ' || chr(58) || 's)', expression_attribute_values => '{"\\u003as": {"S": "77"}}');\n},
	segments => qq{SELECT count(*) FROM generate_series(0, 7) s, dynamo.scan('spread', segment => s, total_segments => 8);\n},
	query => qq{SELECT dynamo.query('kvs', 'PK = ' || chr(58) || 'p AND begins_with(SK, ' || chr(58) || 's)',
	'{"\\u003ap": {"S": "$key"}, "\\u003as": {"S": "77"}}');\n} =~ s/\n\t/ /r);

# Microseconds of processor time for one statement, and what the client waits.
sub cost_of
{
	my ($operation, $node, @servers) = @_;
	my $file = File::Temp->new;
	my $before = 0;
	my $after = 0;

	print $file $scripts{$operation};
	$file->flush;
	$before += cpu_of($_) for @servers;
	my $out = `pgbench -n -M prepared -c 1 -T $seconds -f @{[ $file->filename ]} '@{[ $node->connstr('postgres') ]}' 2>&1`;
	$node->safe_psql('postgres', q{SELECT dynamo.wait_for_index('indexed', 'gsi')}) if $operation eq 'indexput';
	# the time of a session that is just ending would be missed
	sleep 1;
	$after += cpu_of($_) for @servers;
	my ($n) = $out =~ /transactions actually processed: (\d+)/ or die $out;
	my ($ms) = $out =~ /latency average = ([\d.]+) ms/;
	return (($after - $before) * 10000 / $n, $ms * 1000);
}

my %requests = (
	GetItem => qq({"TableName": "kvs", "Key": {"PK": {"S": "$key"}, "SK": {"S": "7"}}}),
	PutItem => qq({"TableName": "kvs", "Item": {"PK": {"S": "$key"}, "SK": {"S": "7"}, "data": {"S": "@{[ 'y' x 200 ]}"}}}));

# The same for a request over HTTP.
sub cost_of_request
{
	my ($operation, $node, @servers) = @_;
	my $socket = connect_http($port{ $node->name });
	my $request = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($requests{$operation}) . "\r\n\r\n$requests{$operation}";
	my ($before, $after, $n, $end) = (0, 0, 0, time + $seconds);

	exchange($socket, $request)->{status} == 200 or die "$operation failed";
	$before += cpu_of($_) for @servers;
	while (time < $end)
	{
		exchange($socket, $request) for 1 .. 10;
		$n += 10;
	}
	$after += cpu_of($_) for @servers;
	return (($after - $before) * 10000 / $n, $seconds * 1e6 / $n);
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;

	return $sorted[ $#sorted / 2 ];
}

my @cluster = ($coordinator, $worker, $other);
my @places = ([ 'alone', $alone, $alone ], [ 'the right node', $worker, @cluster ], [ 'another node', $other, @cluster ]);

for my $operation (split ' ', $ENV{COST_OF} // 'get put query batch scan filter segments GetItem PutItem indexput indexquery streamput')
{
	my $measure = $requests{$operation} ? \&cost_of_request : \&cost_of;
	my (%rounds, %cost);

	for (1 .. $rounds)
	{
		push @{ $rounds{ $_->[0] } }, [ $measure->($operation, @$_[ 1 .. $#$_ ]) ] for @places;
	}
	for my $place (map { $_->[0] } @places)
	{
		$cost{$place} = median(map { $_->[0] } @{ $rounds{$place} });
		my $ratio = median(map { $rounds{$place}[$_][0] / $rounds{alone}[$_][0] } 0 .. $rounds - 1);
		diag(sprintf '%-10s %-15s %6.0f us of processor time (%.2f), %6.0f us in all', $operation, $place, $cost{$place}, $ratio,
			median(map { $_->[1] } @{ $rounds{$place} }));
	}
	# a scan reads the shards of all nodes, each once
	my ($right, $limit) = $operation =~ /scan|filter|segments/ ? ('any node', 20) : ('the right node', 2);
	cmp_ok($cost{'the right node'}, '<', $limit * $cost{alone}, "$operation on $right costs less than $limit times as much as on one server");
}

$alone->stop('immediate');
stop_citus_cluster(@cluster);
done_testing();
