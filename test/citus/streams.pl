# streams.pl: streams of distributed tables.  Each shard of the table has a shard of the stream
# beside it, which is written in the same transaction and moves with it; every node reads all.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use HttpClient;
use JSON::PP;
use Math::BigInt;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @ports = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 3;
my @settings = map { endpoint_settings($_, 'postgres', 'dynamo.housekeeping_interval = 0') } @ports;
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings[0], worker1 => $settings[1], worker2 => $settings[2]);
my @nodes = ($coordinator, $worker, $other);

# All records of a stream, by item; the times differ from those of nothing else.
sub records
{
	my ($node, $table, $more) = @_;

	return value_of($node, qq{SELECT keys, sequence_number, event_name, new_image ->> 'n', old_image ->> 'n', expired, event_id
FROM dynamo.read_stream('$table', max_records => NULL} . ($more // '') . q{) ORDER BY keys, sequence_number});
}

sub same_on_all_nodes
{
	my ($table, $name, $more) = @_;
	my $expected = records($coordinator, $table, $more);

	is(records($_, $table, $more), $expected, $_->name . ": $name") for $worker, $other;
	return $expected;
}

sub ask
{
	my ($node, $operation, $request) = @_;

	return decode_json(value_of($node, sprintf q{SELECT dynamo.request('%s', '%s')}, $operation, encode_json($request)));
}

# ---- distributing a table with a stream ----

value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.enable_stream('kvs');
SELECT dynamo.put_item('kvs', jsonb_build_object('PK', 'p' || i, 'SK', 's', 'n', i)) FROM generate_series(1, 20) i});
my $old = value_of($coordinator, q{SELECT label FROM dynamo.streams WHERE table_name = 'kvs'});
value_of($coordinator, q{SELECT dynamo.distribute_table('kvs', shards => 6)});
is(value_of($coordinator, q{SELECT status FROM dynamo.streams WHERE table_name = 'kvs' ORDER BY label}), "DISABLED\nENABLED",
	'distributing ends the stream and begins the next one');
is(value_of($coordinator, qq{SELECT count(*) FROM dynamo.read_stream('kvs', label => '$old')}), 20, 'the records of the ended stream stay');
is(value_of($_, q{SELECT count(*), count(DISTINCT label) FROM dynamo.streams WHERE status = 'ENABLED'}), '1|1', $_->name . ' lists one stream')
	for @nodes;
is(value_of($_, q{SELECT count(*), count(DISTINCT s) FROM dynamo.stream_shards('kvs') s}), '6|6', $_->name . ': a shard for each of the table')
	for @nodes;
is(records($coordinator, 'kvs'), '', 'the items that were there are not new');

for my $node (@nodes)
{
	my $name = $node->name;

	value_of($node, qq{SELECT dynamo.put_item('kvs', jsonb_build_object('PK', '$name' || i, 'SK', 's', 'n', i)) FROM generate_series(1, 10) i;
SELECT dynamo.put_item('kvs', jsonb_build_object('PK', '$name' || i, 'SK', 's', 'n', i)) FROM generate_series(1, 3) i;
SELECT dynamo.update_item('kvs', '{"PK": {"S": "${name}1"}, "SK": {"S": "s"}}', 'SET n = :n', NULL, '{":n": {"N": "100"}}');
SELECT dynamo.delete_item('kvs', '{"PK": {"S": "${name}2"}, "SK": {"S": "s"}}');
INSERT INTO kvs ("PK", "SK", item) VALUES ('${name}11', 's', '{"PK": {"S": "${name}11"}, "SK": {"S": "s"}, "n": {"N": "11"}}');
BEGIN; SELECT dynamo.put_item('kvs', jsonb_build_object('PK', '$name' || i, 'SK', 'gone', 'n', i)) FROM generate_series(1, 10) i; ROLLBACK});
}
my $all = same_on_all_nodes('kvs', 'the same records');
is(scalar(() = $all =~ /^/mg), 39, 'one for each change');
like($all, qr/"worker11"\}, "SK".*INSERT\|1\|\|f\|.*\n.*MODIFY\|100\|1\|f\|/, 'in the order of changes');
unlike($all, qr/gone/, 'none of a transaction that was rolled back');
is(value_of($coordinator, q{SELECT count(*) = count(DISTINCT event_id) FROM dynamo.read_stream('kvs')}), 't', 'ids of events are unique');

# ---- one shard after another ----

refuses($coordinator, q{SELECT * FROM dynamo.read_stream('kvs', 100000000000000000001)}, 'sequence numbers of stream "kvs.*" belong to its shards');
refuses($worker, q{SELECT * FROM dynamo.read_stream('kvs', shard_id => 'none')}, 'Requested resource not found: Shard does not exist');
for my $node (@nodes)
{
	is(value_of($node, q{SELECT count(*), bool_and(r.n = (SELECT count(*) FROM dynamo.read_stream('kvs', r.first, shard_id => s)) + 1)
FROM dynamo.stream_shards('kvs') s, LATERAL (SELECT count(*) AS n, min(sequence_number) AS first FROM dynamo.read_stream('kvs', shard_id => s)) r}),
		'6|t', $node->name . ' continues in a shard');
}

my $arn = value_of($coordinator, q{SELECT arn FROM dynamo.streams WHERE table_name = 'kvs' AND status = 'ENABLED'});

# Reads a shard by requests until there is nothing more; returns records and the next iterator.
sub read_shard
{
	my ($node, $iterator, $limit) = @_;
	my @records;

	while (defined $iterator)
	{
		my $answer = ask($node, GetRecords => { ShardIterator => $iterator, Limit => $limit + 0 });

		push @records, @{ $answer->{Records} };
		$iterator = $answer->{NextShardIterator};
		last if !@{ $answer->{Records} };
	}
	return (\@records, $iterator);
}

sub iterator
{
	my ($node, $shard, $type, $number) = @_;

	return ask($node, GetShardIterator => { StreamArn => $arn, ShardId => $shard, ShardIteratorType => $type,
		defined $number ? (SequenceNumber => $number) : () })->{ShardIterator};
}

for my $node (@nodes)
{
	my $description = ask($node, DescribeStream => { StreamArn => $arn })->{StreamDescription};
	my @shards = map { $_->{ShardId} } @{ $description->{Shards} };
	my $half = ask($node, DescribeStream => { StreamArn => $arn, Limit => 2 })->{StreamDescription};
	my $rest = ask($node, DescribeStream => { StreamArn => $arn, ExclusiveStartShardId => $half->{LastEvaluatedShardId} })->{StreamDescription};
	my @numbers;
	my %events;

	is(scalar @shards, 6, $node->name . ': DescribeStream has all shards');
	is_deeply([ map { $_->{ShardId} } @{ $half->{Shards} }, @{ $rest->{Shards} } ], \@shards, 'also page by page');
	is(scalar @{ ask($node, ListStreams => { TableName => 'kvs' })->{Streams} }, $node == $coordinator ? 2 : 1, 'ListStreams');
	for my $shard (@shards)
	{
		my ($records, $next) = read_shard($node, iterator($node, $shard, 'TRIM_HORIZON'), 2);
		my @of_shard = map { $_->{dynamodb}{SequenceNumber} } @$records;

		is_deeply(\@of_shard, [ sort @of_shard ], 'numbers increase');
		$events{ $_->{eventID} }++ for @$records;
		ok(defined $next, 'an open shard has no end');
		is(scalar @{ (read_shard($node, iterator($node, $shard, 'LATEST'), 10))[0] }, 0, 'nothing after the latest');
		next if @of_shard < 2;
		is(scalar @{ (read_shard($node, iterator($node, $shard, 'AT_SEQUENCE_NUMBER', $of_shard[1]), 10))[0] }, @of_shard - 1, 'at a number');
		is(scalar @{ (read_shard($node, iterator($node, $shard, 'AFTER_SEQUENCE_NUMBER', $of_shard[1]), 10))[0] }, @of_shard - 2, 'after a number');
	}
	is(scalar(keys %events), 39, 'all records once');
}

# ---- over HTTP ----

sub ask_http
{
	my ($port, $operation, $request) = @_;
	my $json = encode_json($request);
	my $answer = exchange(connect_http($port), "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDBStreams_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($json) . "\r\n\r\n$json");

	return decode_json($answer->{body});
}

for my $port (@ports)
{
	my @events;

	is(scalar @{ ask_http($port, ListStreams => { TableName => 'kvs' })->{Streams} }, 2, "port $port: ListStreams");
	for my $shard (@{ ask_http($port, DescribeStream => { StreamArn => $arn })->{StreamDescription}{Shards} })
	{
		my $iterator = ask_http($port, GetShardIterator =>
			{ StreamArn => $arn, ShardId => $shard->{ShardId}, ShardIteratorType => 'TRIM_HORIZON' })->{ShardIterator};
		my $answer = ask_http($port, GetRecords => { ShardIterator => $iterator });

		push @events, map { $_->{eventID} } @{ $answer->{Records} };
		ok(exists $answer->{NextShardIterator}, 'there may be more');
	}
	is(join(' ', sort @events), join(' ', sort map { (split /\|/)[-1] } split /\n/, $all), 'GetRecords returns all records');
}

# ---- transactions in progress ----

my ($shard) = shards_on($worker, 'kvs');
my $id = value_of($worker, qq{SELECT s FROM dynamo.stream_shards('kvs') WITH ORDINALITY AS t(s, i),
	(SELECT rank() OVER (ORDER BY shardminvalue::int) AS r, shardid FROM pg_dist_shard WHERE logicalrelid = 'kvs'::regclass) q
WHERE r = i AND '$shard' LIKE '%\\_' || shardid});
my $key = value_of($worker, q{SELECT k FROM generate_series(1, 100000) i, LATERAL (SELECT 'q' || i AS k) k, pg_dist_shard s
WHERE s.logicalrelid = 'kvs'::regclass AND hashtext(k) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int AND } . qq{'$shard' LIKE '%\\_' || s.shardid LIMIT 1});
my $in_shard = qq{SELECT count(*), max(sequence_number) FROM dynamo.read_stream('kvs', shard_id => '$id')};
my ($count, $last) = split /\|/, value_of($coordinator, $in_shard);
my @put = map { qq{SELECT dynamo.put_item('kvs', '{"PK": {"S": "$key"}, "SK": {"S": "$_"}}')} } 'after1', 'after2';

value_of($worker, qq{SET citus.enable_manual_changes_to_shards = on; BEGIN;
	INSERT INTO $shard ("PK", "SK", item) VALUES ('$key', 'prepared', '{"PK": {"S": "$key"}, "SK": {"S": "prepared"}}');
	PREPARE TRANSACTION 'waiting'});
value_of($other, $put[0]);
is(value_of($_, $in_shard), "$count|$last", $_->name . ': readers stop before a prepared transaction') for @nodes;
my $latest = iterator($other, $id, 'LATEST');
my $records = ask($other, GetRecords => { ShardIterator => $latest });
is(scalar @{ $records->{Records} }, 0, 'the latest is before it');
value_of($worker, q{COMMIT PREPARED 'waiting'});
value_of($coordinator, $put[1]);
($count, $last) = ($count + 3, value_of($coordinator, $in_shard) =~ s/.*\|//r);
is(value_of($_, $in_shard), "$count|$last", $_->name . ': then they go on') for @nodes;
is(join(' ', map { $_->{dynamodb}{Keys}{SK}{S} } @{ ask($other, GetRecords => { ShardIterator => $records->{NextShardIterator} })->{Records} }),
	'prepared after1 after2', 'also from the latest');

# Numbers of rows that were aborted and vacuumed are given again, to none that has passed them.
my ($here) = grep { /^kvs\$stream/ } value_of($worker, qq{SELECT shard_name(logicalrelid, s.shardid) FROM pg_dist_shard s
WHERE logicalrelid = (SELECT stream_relation FROM dynamo.streams WHERE table_name = 'kvs' AND status = 'ENABLED')
	AND shardminvalue = (SELECT shardminvalue FROM pg_dist_shard WHERE '$shard' LIKE '%\\_' || shardid)}) =~ s/^"|"$//gr;
$latest = iterator($other, $id, 'LATEST');
value_of($worker, "BEGIN; $put[0]; " . join('; ', map { $put[0] =~ s/after1/rolled$_/r } 1 .. 5) . '; ROLLBACK');
my ($none, $after) = map { ask($other, GetRecords => { ShardIterator => $_ })->{NextShardIterator} } $latest, iterator($other, $id, 'LATEST');
value_of($worker, qq{VACUUM "$here"});
value_of($coordinator, $put[1] =~ s/after2/again/r);
is(join(' ', map { $_->{dynamodb}{Keys}{SK}{S} . $_->{dynamodb}{SequenceNumber} } @{ ask($other, GetRecords => { ShardIterator => $_ })->{Records} }),
	'again' . Math::BigInt->new($last)->badd(1), 'no reader misses what has such a number') for $none, $after;

# Both shards of a transaction on two nodes.
my %of = map { my $node = $_; $node->name => value_of($node, q{SELECT k FROM generate_series(1, 100000) i, LATERAL (SELECT 't' || i AS k) k, pg_dist_shard s JOIN pg_dist_placement USING (shardid)
WHERE s.logicalrelid = 'kvs'::regclass AND hashtext(k) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int
	AND groupid = (SELECT groupid FROM pg_dist_local_group) LIMIT 1}) } $worker, $other;
value_of($coordinator, 'SELECT dynamo.transact_write_items(' . "'[" . join(', ', map { qq({"Put": {"TableName": "kvs", "Item": {"PK": {"S": "$_"}, "SK": {"S": "both"}}}}) } values %of) . "]')");
is(value_of($coordinator, q{SELECT count(*) FROM dynamo.read_stream('kvs', max_records => NULL) WHERE keys ->> 'SK' = 'both'}), 2, 'a transaction on two nodes');

# ---- rights ----

value_of($coordinator, q{CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN; GRANT SELECT ON kvs TO reader});
my $relation = value_of($coordinator, q{SELECT stream_relation FROM dynamo.streams WHERE table_name = 'kvs' AND status = 'ENABLED'}) =~ s/"//gr;
for my $node (@nodes)
{
	is(value_of($node, q{SET ROLE reader; SELECT count(*) > 40 FROM dynamo.read_stream('kvs', max_records => NULL)}), 't', $node->name . ': a reader reads');
	refuses($node, qq{SET ROLE reader; SELECT dynamo.trim_streams('kvs', '0')}, 'must be owner of table kvs');
	refuses($node, qq{SET ROLE reader; SELECT dynamo_system.stream_on_shard('public', '$relation', '$id', 3, '0', 10, 0)}, 'must be owner of table');
	refuses($node, qq{SET ROLE reader; DELETE FROM "$relation"}, 'permission denied for table');
	refuses($node, "SET ROLE stranger; $_", 'permission denied for table kvs')
		for q{SELECT * FROM dynamo.read_stream('kvs')}, q{SELECT dynamo.stream_shards('kvs')},
		map { qq{SELECT dynamo_system.stream_on_shard('public', '$relation', '$id', $_, '0', 10, 0)} } 0 .. 3;
	refuses($node, qq{SELECT dynamo_system.stream_on_shard('public', '$relation', '$id', 4, '0', 10, 0)}, 'action must be between 0 and 3');
	refuses($node, qq{SELECT dynamo_system.stream_on_shard('public', '$relation', 'none', 0, '0', 10, 0)}, 'Requested resource not found: Shard does not exist');
	refuses($node, q{SELECT dynamo_system.stream_on_shard('public', 'kvs', 'none', 0, '0', 10, 0)}, '"kvs" is not the stream of a distributed table');
}
is(value_of($worker, qq{INSERT INTO "$relation" SELECT number + 1000, created_at, horizon, event, keys, new_item, old_item, partition_key FROM "$relation" LIMIT 1;
	SELECT max(sequence_number) < 100000000000000001000 FROM dynamo.read_stream('kvs', max_records => NULL)}), 't', 'nobody writes to a stream');

# ---- shards move and a worker is killed while all nodes write and a consumer reads ----

my @ids = split /\n/, value_of($coordinator, q{SELECT dynamo.stream_shards('kvs')});
my %position;
my @consumed;

# Reads what is new in all shards, through one node.
sub consume
{
	my ($node) = @_;
	my $n = 0;

	for my $i (@ids)
	{
		my $after = $position{$i} // 'NULL';
		my ($status, $out, $error) = $node->psql('postgres', qq{SET search_path = public, dynamo;
SELECT sequence_number, event_id, keys ->> 'PK', coalesce(new_image ->> 'n', '') FROM dynamo.read_stream('kvs', $after, 200, shard_id => '$i')});

		unlike($error, qr/(?!.*could not serialize access|.*terminating connection|.*connection)ERROR/, 'the consumer fails') if $error =~ /ERROR/;
		next if $status != 0;
		push @consumed, map { [ $i, split /\|/ ] } split /\n/, $out;
		$position{$i} = (split /\|/, (split /\n/, $out)[-1])[0] if $out ne '';
		$n += () = $out =~ /^/mg if $out ne '';
	}
	return $n;
}

my $rounds = $ENV{MOVES} || 4;

consume($coordinator);
for my $mode ('force_logical', 'block_writes', 'kill')
{
	my @counting = map { start_session($_, count_up($mode . $_->name, 250 * $rounds)) } @nodes;

	push @counting, start_session($worker, "SET dynamo.direct_access = off;\n" . count_up($mode . 'sql', 50 * $rounds));
	for my $round (1 .. $rounds)
	{
		my ($from, $to) = $round % 2 ? ($worker, $other) : ($other, $worker);

		consume($nodes[ $round % 3 ]);
		if ($mode ne 'kill')
		{
			move_shard($coordinator, 'kvs', $from, $to, $mode);
		}
		elsif ($round == 2)
		{
			$other->stop('immediate');
			$other->start;
		}
	}
	$_->{run}->finish for @counting;
	my $errors = join '', map { $_->{err} } @counting;

	$errors =~ s/^.*could not serialize access due to the move of a shard.*\n//mg;
	is($errors, '', "$mode: no statement failed") if $mode eq 'force_logical';
	value_of($coordinator, 'SELECT recover_prepared_transactions()');
	for my $round (1 .. 1000)
	{
		last if consume($nodes[ $round % 3 ]) == 0;
	}
	my $expected = value_of($coordinator, q{SELECT sum((item ->> 'n')::int) FROM kvs WHERE "SK" = 'n'});
	my (%seen, %n, $wrong);

	$seen{ $_->[2] }++ for @consumed;
	is(scalar(grep { $_ > 1 } values %seen), 0, "$mode: no record twice");
	for my $record (@consumed)
	{
		my ($in, $number, $event, $pk, $new) = @$record;

		next if $pk !~ /^(?:force_logical|block_writes|kill)/;
		$wrong .= "$pk: $new after " . ($n{$pk} // 0) . "\n" if $new != ($n{$pk} // 0) + 1;
		$n{$pk} = $new;
	}
	is($wrong, undef, "$mode: the changes of each item in their order, and none is missing");
	my $sum = 0;
	$sum += $_ for values %n;
	is($sum, $expected, "$mode: all changes: $expected");
}
is(scalar(@consumed), value_of($worker, q{SELECT count(*) FROM dynamo.read_stream('kvs', max_records => NULL)}), 'what was consumed is what is there');

# ---- time to live, trimming ----

value_of($coordinator, q{SELECT dynamo.create_table('brief', partition_key => 'PK'); SELECT dynamo.update_time_to_live('brief', 'ttl', true);
SELECT dynamo.enable_stream('brief', 'KEYS_ONLY'); SELECT dynamo.distribute_table('brief', shards => 4);
SELECT dynamo.put_item('brief', jsonb_build_object('PK', 'p' || i, 'ttl', extract(epoch FROM now())::int8 - 60)) FROM generate_series(1, 20) i});
is(value_of($coordinator, q{SELECT count(*) FROM dynamo.streams WHERE table_name = 'brief'}), 1, 'a stream without records does not stay');
is(value_of($worker, q{SELECT dynamo.delete_expired('brief')}), 20, 'items expire');
like(same_on_all_nodes('brief', 'with records'), qr/\A(?:.*INSERT\|\|\|f.*\n.*REMOVE\|\|\|t.*(?:\n|\z)){20}\z/, 'of expired items');
is(value_of($worker, q{BEGIN; SELECT dynamo.trim_streams('brief', '0', 15); ROLLBACK}), 15, 'trim_streams deletes on all nodes');
is(value_of($worker, q{SELECT dynamo.trim_streams('brief', '0', 15)}), 15, 'not more than it is told');
my $first = value_of($coordinator, q{SELECT s FROM dynamo.stream_shards('brief') s LIMIT 1});
is(value_of($other, q{SELECT dynamo.trim_streams('brief', '0')}), 25, 'and the rest');
is(records($worker, 'brief'), '', 'nothing is left');
refuses($_, qq{SELECT * FROM dynamo.read_stream('brief', 100000000000000000001, shard_id => '$first')}, 'The data you are trying to access has been trimmed') for @nodes;
value_of($other, q{SELECT dynamo.put_item('brief', jsonb_build_object('PK', 'p' || i)) FROM generate_series(1, 20) i});
is(value_of($coordinator, q{SELECT count(*), min(sequence_number) > 100000000000000000001 FROM dynamo.read_stream('brief')}), '20|t', 'numbers go on after it');
my $trimmed = 0;
$trimmed += value_of($_, q{SELECT dynamo.trim_streams(retention => '0')}) for $worker, $other;
ok($trimmed > 20, 'without a table, each node trims its own shards');
value_of($coordinator, q{SELECT dynamo.trim_streams(retention => '0')});
is(records($worker, 'brief') . records($other, 'kvs'), '', 'so that nothing is left');

# ---- enabling later, disabling, dropping, undistributing ----

my $long = 'A-table-with-a-name-that.is-as-long-as-the-name.of-a-relation.x';
for my $table (qw(S N B))
{
	my %value = (S => '{"S": "x%s"}', N => '{"N": "%s"}', B => '{"B": "AAA%s"}');
	my $name = $table eq 'S' ? $long : "by_$table";

	value_of($coordinator, qq{SELECT dynamo.create_table('$name', partition_key => 'PK', partition_key_type => '$table'); SELECT dynamo.distribute_table('$name', shards => 4)});
	refuses($worker, qq{SELECT dynamo.enable_stream('$name')}, 'cannot change distributed table');
	value_of($coordinator, qq{SELECT dynamo.enable_stream('$name')});
	refuses($coordinator, qq{SELECT dynamo.enable_stream('$name')}, 'Table already has an enabled stream');
	value_of($nodes[$_ % 3], sprintf qq{SELECT dynamo.put_item('$name', '{"PK": $value{$table}}')}, $_) for 1 .. 9;
	like(same_on_all_nodes($name, "a stream by a key of type $table"), qr/\A(?:.*INSERT.*(?:\n|\z)){9}\z/, 'that was enabled later');
	is(value_of($other, qq{SELECT dynamo.trim_streams('$name', '0')}), 9, 'trimmed');
}
refuses($worker, q{SELECT dynamo.disable_stream('by_N')}, 'cannot access the settings of distributed table');
value_of($worker, q{SELECT dynamo.put_item('by_N', '{"PK": {"N": "100"}}')});
value_of($coordinator, q{SELECT dynamo.disable_stream('by_N'); SELECT dynamo.put_item('by_N', '{"PK": {"N": "101"}}')});
like(same_on_all_nodes('by_N', 'a disabled stream'), qr/\A.*"100".*INSERT.*\z/, 'stays as it is');
$arn = value_of($coordinator, q{SELECT arn FROM dynamo.streams WHERE table_name = 'by_N'});
for my $node (@nodes)
{
	my @ended = map { (read_shard($node, iterator($node, $_->{ShardId}, 'TRIM_HORIZON'), 1))[1] }
		@{ ask($node, DescribeStream => { StreamArn => $arn })->{StreamDescription}{Shards} };

	is(join('', map { $_ // 'ended ' } @ended), 'ended ' x 4, $node->name . ': its shards end');
}
value_of($coordinator, q{SELECT dynamo.enable_stream('by_N', 'KEYS_ONLY'); SELECT dynamo.put_item('by_N', '{"PK": {"N": "102"}}'); SELECT dynamo.drop_table('by_N')});
is(value_of($_, q{SELECT count(*), count(*) FILTER (WHERE status = 'DISABLED') FROM dynamo.streams WHERE table_name = 'by_N'}), '2|2', $_->name . ': the streams of a dropped table')
	for @nodes;
is(value_of($worker, q{SELECT count(*) FROM dynamo.read_stream('by_N')}), 1, 'can be read');
value_of($coordinator, q{SELECT pg_sleep(0.01); SELECT dynamo.trim_streams('by_N', '0')});
is(value_of($_, q{SELECT count(*) FROM dynamo.streams WHERE table_name = 'by_N'}), 0, $_->name . ': until they are trimmed') for @nodes;

value_of($coordinator, q{SELECT dynamo.put_item('by_B', '{"PK": {"B": "BBBB"}}'); ALTER TABLE "by_B" RENAME TO renamed});
is(value_of($_, q{SELECT count(*) FROM dynamo.read_stream('renamed')}), 1, $_->name . ': a renamed table') for @nodes;
value_of($coordinator, q{SELECT dynamo.undistribute_table('renamed'); SELECT dynamo.put_item('renamed', '{"PK": {"B": "CCCC"}}')});
is(value_of($coordinator, q{SELECT status, (SELECT string_agg(keys ->> 'PK', ' ') FROM dynamo.read_stream('renamed', label => s.label))
FROM dynamo.streams s WHERE table_name = 'renamed' ORDER BY label}), "DISABLED|BBBB\nENABLED|CCCC", 'a table that came back has its next stream');
# A table with an index table and another owner, in another schema.
value_of($coordinator, q{CREATE SCHEMA apart; CREATE ROLE owner LOGIN; GRANT ALL ON SCHEMA apart TO owner;
SELECT dynamo.create_table('full', partition_key => 'PK', sort_key => 'SK'); SELECT dynamo.create_index('full', 'GSI', 'G', storage => 'table');
SELECT dynamo.enable_stream('full'); SELECT dynamo.distribute_table('full', shards => 4);
ALTER TABLE "full" OWNER TO owner; ALTER TABLE "full" SET SCHEMA apart; ALTER TABLE apart."full" ENABLE ROW LEVEL SECURITY});
for my $node (@nodes)
{
	my $put = '{"PK": {"S": "' . $node->name . '"}, "SK": {"S": "s"}, "G": {"S": "g"}}';

	value_of($node, qq{SET ROLE owner; SET search_path = apart; SELECT dynamo.put_item('full', '$put'); SELECT dynamo.put_item('full', '$put')});
}
is(value_of($_, q{SET ROLE owner; SET search_path = apart; SELECT count(*) FROM dynamo.read_stream('full')}), 3, $_->name . ': a table with an index table, moved to another owner and schema')
	for @nodes;
is(value_of($coordinator, q{SET ROLE owner; SET search_path = apart; SELECT dynamo.wait_for_index('full', 'GSI');
SELECT count(*) FROM dynamo.query('full', 'G = :g', '{":g": {"S": "g"}}', index_name => 'GSI')}), "t\n3", 'whose index follows');
value_of($coordinator, q{GRANT USAGE ON SCHEMA apart TO reader; GRANT SELECT ON apart."full" TO reader});
refuses($_, q{SET ROLE reader; SELECT * FROM dynamo.read_stream('apart.full')}, 'cannot read the stream of table "full" under row security') for @nodes;
value_of($coordinator, q{SET ROLE owner; SET search_path = apart; SELECT dynamo.undistribute_table('full')});
is(value_of($coordinator, q{SET ROLE owner; SET search_path = apart; SELECT status, (SELECT count(*) FROM dynamo.read_stream('full', label => s.label))
FROM dynamo.streams s WHERE table_name = 'full' ORDER BY label}), "DISABLED|3\nENABLED|0", 'and whose stream stays with its owner');

# What Citus does by itself.
my $closed = value_of($coordinator, q{SELECT stream_relation FROM dynamo.streams WHERE table_name = 'renamed' AND status = 'DISABLED'});
value_of($coordinator, qq{SELECT pg_catalog.undistribute_table('$closed')});
my $label = value_of($coordinator, q{SELECT min(label) FROM dynamo.streams WHERE table_name = 'renamed'});
refuses($coordinator, qq{SELECT * FROM dynamo.read_stream('renamed', label => '$label')}, 'cannot read the shards of stream');
value_of($coordinator, q{SELECT dynamo.create_table('alone', partition_key => 'PK'); SELECT dynamo.distribute_table('alone', shards => 4); SELECT dynamo.enable_stream('alone')});
my $beside = value_of($coordinator, q{SELECT stream_relation FROM dynamo.streams WHERE table_name = 'alone'});
refuses($coordinator, qq{SELECT pg_catalog.undistribute_table('$beside')}, 'cannot drop "alone.stream" because it contains the stream of table "alone"');

# Shards that are split have other ids, and all records.
value_of($coordinator, qq{SELECT dynamo.create_table('divided', partition_key => 'PK'); SELECT dynamo.distribute_table('divided', shards => 2);
SELECT dynamo.enable_stream('divided'); SELECT dynamo.put_item('divided', jsonb_build_object('PK', 'p' || i)) FROM generate_series(1, 100) i});
my @before = split /\n/, value_of($coordinator, qq{SELECT dynamo.stream_shards('divided')});
my $of_divided = records($coordinator, "divided");

value_of($coordinator, qq{SELECT isolate_tenant_to_new_shard('divided', 'p7', 'CASCADE', shard_transfer_mode => 'block_writes')});
is(same_on_all_nodes("divided", "a table with a shard that was split"), $of_divided, 'has all records');
is(value_of($worker, qq{SELECT count(*), count(*) FILTER (WHERE s = ANY ('{@{[join ',', @before]}}')) FROM dynamo.stream_shards('divided') s}), '4|1', 'in other shards');
value_of($worker, qq{SELECT dynamo.put_item('divided', jsonb_build_object('PK', 'p' || i, 'n', 1)) FROM generate_series(1, 100) i});
is(value_of($other, qq{SELECT count(*), count(DISTINCT event_id) FROM dynamo.read_stream('divided', max_records => NULL)}), '200|200', 'and new ones');

# ---- housekeeping ----

for my $node (@nodes)
{
	$node->append_conf('postgresql.conf', "dynamo.housekeeping_interval = 1\ndynamo.stream_retention = 0");
	$node->reload;
}
ok($coordinator->poll_query_until('postgres', q{SELECT count(*) = 0 FROM dynamo.read_stream('divided')}), 'the housekeeping of all nodes trims');
ok($coordinator->poll_query_until('postgres', q{SELECT count(*) = 0 FROM dynamo.streams WHERE status = 'DISABLED' AND table_name = 'kvs'}), 'and drops');

refuses($_, qq{TRUNCATE "$long"}, 'TRUNCATE of a table with a stream is not supported on distributed tables') for $coordinator, $worker;

stop_citus_cluster(@nodes);
done_testing();
