# distributed.pl: tables that dynamo.distribute_table distributes.  Operations run
# directly on shards of the node that they reach, and through Citus on others, with
# the same results.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, $worker, $other) = new_citus_cluster();

# ---- distributing a filled table ----

value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('kvs', 'inl', 'G', 'SK');
SELECT dynamo.create_table('plain', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('plain', 'inl', 'G', 'SK');
SELECT dynamo.put_item(t, jsonb_build_object('PK', 'p' || i % 50, 'SK', 's' || i, 'G', 'g' || i % 3)) FROM generate_series(1, 500) i, unnest(ARRAY['kvs', 'plain']) t});
refuses($worker, q{SELECT dynamo.distribute_table('kvs')}, 'tables are distributed on the Citus coordinator');
refuses($coordinator, q{SELECT dynamo.distribute_table('kvs', shards => 0)}, 'shards must be between 1 and 64000');
refuses($coordinator, q{SELECT dynamo.distribute_table('none')}, 'Requested resource not found');
refuses($coordinator, q{SELECT dynamo.undistribute_table('kvs')}, 'table "kvs" is not distributed');
value_of($coordinator, q{SELECT dynamo.distribute_table('kvs', shards => 6)});
is(value_of($coordinator, q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'kvs'::regclass}), 6, 'a table has the given number of shards');
refuses($coordinator, q{SELECT dynamo.distribute_table('kvs')}, 'table "kvs" is already distributed');
is(value_of($coordinator, q{SELECT pg_relation_size('kvs')}), 0, 'no rows remain in the distributed table itself');
for my $node ($coordinator, $worker, $other)
{
	is(value_of($node, q{SELECT item FROM dynamo.scan('kvs') item ORDER BY 1}),
		value_of($coordinator, q{SELECT item FROM dynamo.scan('plain') item ORDER BY 1}), $node->name . ': all items are there');
}

# ---- where a key is, and how it is reached ----

my $here = key_on($worker, 'kvs', 1000);
my $there = key_on($other, 'kvs', 1000);

my %operations = (
	put => q{SELECT dynamo.put_item('kvs', '{"PK": {"S": "%s"}, "SK": {"S": "a"}, "n": {"N": "1"}}')},
	get => q{SELECT dynamo.get_item('kvs', '{"PK": {"S": "%s"}, "SK": {"S": "a"}}')},
	update => q{SELECT dynamo.update_item('kvs', '{"PK": {"S": "%s"}, "SK": {"S": "b"}}', 'ADD n :n', NULL, '{":n": {"N": "1"}}')},
	query => q{SELECT * FROM dynamo.query('kvs', 'PK = :p', '{":p": {"S": "%s"}}')},
	delete => q{SELECT dynamo.delete_item('kvs', '{"PK": {"S": "%s"}, "SK": {"S": "a"}}', 'attribute_exists(n)')});

for my $operation (qw(put get update query delete))
{
	is(through_citus($worker, sprintf $operations{$operation}, $here), 'no', "$operation of a key here is direct");
	is(through_citus($worker, sprintf("BEGIN; $operations{$operation}; ROLLBACK", $there)), $operation =~ /get|query/ ? 'no' : 'yes', "$operation of a key elsewhere in a block");
	is(through_citus($worker, sprintf($operations{$operation}, $there)), 'no', "$operation of a key elsewhere");
}
is(value_of($coordinator, qq{SELECT "PK", "SK", item ->> 'n' FROM kvs WHERE "PK" IN ('$here', '$there') ORDER BY "PK" = '$here' DESC}),
	"$here|b|1\n$there|b|1", 'with the same results');
is(through_citus($worker, "SET dynamo.direct_access = off; " . sprintf $operations{get}, $here), 'yes', 'operations go through Citus without direct access');

# ---- queries of a key, through any node ----

# Large enough for several batches; between its partition keys it has others.
value_of($coordinator, qq{SELECT dynamo.put_item(t, jsonb_build_object('PK', k, 'SK', 's' || lpad(i::text, 4, '0'), 'n', i, 'text', repeat(md5(i::text), 20)))
FROM generate_series(1, 300) i, unnest(ARRAY['$here', '$there']) k, unnest(ARRAY['kvs', 'plain']) t;
SELECT dynamo.put_item('plain', jsonb_build_object('PK', k, 'SK', 'b', 'n', 1)) FROM unnest(ARRAY['$here', '$there']) k});

my @queries = (
	q{SELECT item FROM dynamo.query('%s', 'PK = :p', '{":p": {"S": "%s"}}') item},
	q{SELECT item FROM dynamo.query('%s', 'PK = :p', '{":p": {"S": "%s"}}', scan_index_forward => false, max_items => 7) item},
	q{SELECT dynamo.query('%s', 'PK = :p', '{":p": {"S": "%s"}}', scan_index_forward => false) LIMIT 5},
	(map { qq~SELECT item ->> 'n' FROM dynamo.query('%s', 'PK = :p AND $_', '{":p": {"S": "%s"}, ":a": {"S": "s0100"}}') item~ }
			'SK = :a', 'SK < :a', 'SK <= :a', 'SK > :a', 'SK >= :a', 'begins_with(SK, :a)'),
	q{SELECT item ->> 'n' FROM dynamo.query('%s', 'PK = :p AND SK BETWEEN :a AND :b', '{":p": {"S": "%s"}, ":a": {"S": "s0050"}, ":b": {"S": "s0201"}}',
	scan_index_forward => false, exclusive_start_key => '{"PK": {"S": "KEY"}, "SK": {"S": "s0180"}}') item},
	q{SELECT item FROM dynamo.query('%s', 'PK = :p', '{":p": {"S": "%s"}, ":n": {"N": "290"}}', filter_expression => 'n > :n',
	projection_expression => 'n, SK', max_items => 4) item},
	q{SELECT count, scanned_count, last_evaluated_key FROM dynamo.query_page('%s', 'PK = :p', '{":p": {"S": "%s"}, ":n": {"N": "90"}}', filter_expression => 'n > :n', page_size => 100)},
	q{SELECT dynamo.request('Query', '{"TableName": "%s", "KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": {"#p": "PK"},
	"ExpressionAttributeValues": {":p": {"S": "%s"}}, "Limit": 3, "ReturnConsumedCapacity": "NONE", "ScanIndexForward": false}')},
	q{SELECT dynamo.request('Query', '{"TableName": "%s", "KeyConditions": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "%s"}]}}, "Select": "COUNT"}')},
	q{SELECT dynamo.request('ExecuteStatement', '{"Statement": "SELECT SK, n FROM %s WHERE PK = ''%s'' AND SK > ''s0290''"}')});

for my $query (@queries)
{
	for my $key ($here, $there)
	{
		my $sql = $query =~ s/KEY/$key/r;
		my $expected = value_of($coordinator, sprintf $sql, 'plain', $key);
		my $result = value_of($worker, sprintf $sql, 'kvs', $key);

		isnt($expected, '', 'there is something to read');
		is($result, $expected, ($key eq $here ? 'here: ' : 'elsewhere: ') . $query);
	}
}
is(through_citus($worker, sprintf $queries[0], 'kvs', $there), 'no', 'a query of several batches elsewhere');
is(through_citus($worker, 'BEGIN ISOLATION LEVEL REPEATABLE READ; ' . sprintf($queries[0], 'kvs', $there) . '; COMMIT'), 'yes',
	'a query with the snapshot of its transaction is a statement of Citus');
is(value_of($worker, qq{BEGIN; SELECT dynamo.put_item('kvs', '{"PK": {"S": "$there"}, "SK": {"S": "s0001"}, "n": {"N": "0"}}');
	SELECT item ->> 'n' FROM dynamo.query('kvs', 'PK = :p', '{":p": {"S": "$there"}}', max_items => 2) item; ROLLBACK;
	SELECT item ->> 'n' FROM dynamo.query('kvs', 'PK = :p', '{":p": {"S": "$there"}}', max_items => 2) item}), "\n1\n0\n1\n1",
	'a query sees what its transaction has put there');
like(value_of($worker, qq{SELECT dynamo.explain_query('kvs', 'PK = :p', '{":p": {"S": "$there"}}')}), qr/, on another node/, 'explain_query says where');
value_of($coordinator, q{SELECT dynamo.create_table('counted', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N'); SELECT dynamo.distribute_table('counted', shards => 4)});
my $counted = key_on($other, 'counted', 1);
value_of($coordinator, qq{SELECT dynamo.put_item('counted', jsonb_build_object('PK', '$counted', 'SK', i, 'text', repeat('x', 1000))) FROM generate_series(-100, 100) i});
is(value_of($worker, qq~SELECT count(*), min((item ->> 'SK')::int), max((item ->> 'SK')::int) FROM dynamo.query('counted', 'PK = :p AND SK BETWEEN :a AND :b',
	'{":p": {"S": "$counted"}, ":a": {"N": "-99.5"}, ":b": {"N": "1e2"}}') item~), '200|-99|100', 'a numeric sort key, in several batches');

# The shard goes elsewhere between two batches.
my $batches = $worker->background_psql('postgres', on_error_stop => 0);
$batches->query_safe(qq{BEGIN; DECLARE c CURSOR FOR SELECT dynamo.query('counted', 'PK = :p', '{":p": {"S": "$counted"}}'); FETCH 1 FROM c});
move_shard($coordinator, 'counted', $other, $worker, 'force_logical') while key_on($other, 'counted', 1) eq $counted;
is(scalar(split /\n/, $batches->query('FETCH ALL FROM c')), 200, 'a query goes on where its shard has gone');
$batches->quit;
value_of($coordinator, q{SELECT dynamo.drop_table('counted')});
value_of($coordinator, q{DELETE FROM kvs WHERE "SK" LIKE 's0%'});

# ---- scans, one shard after another ----

my $all = value_of($coordinator, q{SELECT item FROM kvs ORDER BY 1});

for my $index ('', q{, index_name => 'inl'})
{
	for my $n (1 .. 7, 20)
	{
		my @parts = map { value_of((($coordinator, $worker, $other)[ $_ % 3 ]), "SELECT item FROM dynamo.scan('kvs', segment => $_, total_segments => $n$index) item") } 0 .. $n - 1;
		my $expected = $index eq '' ? $all : value_of($coordinator, q{SELECT item FROM kvs WHERE item ? 'G' ORDER BY 1});

		is(join("\n", sort map { split /\n/ } @parts), join("\n", sort split /\n/, $expected), "$n segments, through three nodes$index");
	}
}

# The shards that a node reads for a segment, by statements of Citus.
sub shards_read
{
	my ($node, $segment, $n) = @_;
	my ($status, $out, $error) = $node->psql('postgres', qq{SET citus.log_remote_commands = on; SET citus.log_local_commands = on;
SET dynamo.direct_access = off; SELECT count(*) FROM dynamo.scan('kvs', segment => $segment, total_segments => $n)});
	my %shards = map { $_ => 1 } $error =~ /NOTICE:  (?:issuing|executing the command locally:) SELECT .*?\bkvs_(\d+)/g;

	return keys %shards;
}

for my $n (1, 2, 3, 6)
{
	my @shards = map { shards_read($coordinator, $_, $n) } 0 .. $n - 1;

	is(scalar @shards, 6, "$n segments read six shards");
	is(keys %{ { map { $_ => 1 } @shards } }, 6, 'all of them');
}

sub pages
{
	my ($limit, @segment) = @_;
	my @members = ('"TableName": "kvs"', qq("Limit": $limit), @segment ? qq("Segment": $segment[0], "TotalSegments": $segment[1]) : ());
	my @keys;
	my $start;

	for my $page (0 .. 1000)
	{
		my $json = join ', ', @members, defined $start ? qq("ExclusiveStartKey": $start) : ();
		my $answer = value_of((($coordinator, $worker)[ $page % 2 ]), qq~SELECT dynamo.request('Scan', '{$json}')~);

		push @keys, $answer =~ /"SK": \{"S": "([^"]*)"\}/g;
		($start) = $answer =~ /"LastEvaluatedKey":\s*(\{.*?\}\})/ or return @keys;
		pop @keys;
	}
	return 'no end';
}

my @every = sort split /\n/, value_of($coordinator, q{SELECT "SK" FROM kvs});
is(join(' ', sort(pages(37))), "@every", 'pages of a scan, through two nodes by turns');
is(join(' ', sort map { pages(25, $_, 4) } 0 .. 3), "@every", 'and of four segments');
my $foreign = qq({"PK": {"S": "$here"}, "SK": {"S": "a"}});
my $refused = 0;
for my $segment (0 .. 2)
{
	$refused += value_of($worker, qq~SELECT dynamo.request_safe('Scan', '{"TableName": "kvs", "Segment": $segment, "TotalSegments": 3,
	"ExclusiveStartKey": $foreign}')~) =~ /Please use ExclusiveStartKey with correct Segment/;
}
is($refused, 2, 'a start key of another segment is refused');

value_of($coordinator, q{SELECT dynamo.create_table('numbers', partition_key => 'n', partition_key_type => 'N');
SELECT dynamo.create_table('bytes', partition_key => 'b', partition_key_type => 'B');
SELECT dynamo.distribute_table(t, shards => 5) FROM unnest(ARRAY['numbers', 'bytes']) t;
SELECT dynamo.put_item('numbers', jsonb_build_object('n', i)) FROM generate_series(1, 50) i;
SELECT dynamo.put_item('bytes', ('{"b": {"B": "' || encode(int4send(i), 'base64') || '"}}')::dynamo.item) FROM generate_series(1, 50) i});
is(value_of($worker, qq{SELECT count(*), count(DISTINCT item) FROM generate_series(0, 2) s, dynamo.scan('$_', segment => s, total_segments => 3) item}), '50|50', "table $_")
	for 'numbers', 'bytes';

# ---- shards that are split ----

value_of($coordinator, q{SELECT dynamo.create_table('halved', partition_key => 'PK'); SELECT dynamo.distribute_table('halved', shards => 2);
SELECT dynamo.put_item('halved', jsonb_build_object('PK', 'p' || i)) FROM generate_series(1, 300) i});
my $scan = q{SELECT count(*), count(DISTINCT item) FROM generate_series(0, 4) s, dynamo.scan('halved', segment => s, total_segments => 5) item};
my $reading = $coordinator->background_psql('postgres', on_error_stop => 0);

$reading->query_safe(q{BEGIN; DECLARE c CURSOR FOR SELECT dynamo.scan('halved'); FETCH 1 FROM c});
value_of($coordinator, q{SELECT citus_split_shard_by_split_points(shardid, ARRAY[((shardminvalue::int8 + shardmaxvalue::int8) / 2)::text],
	(SELECT array_agg(nodeid) FROM (SELECT nodeid FROM pg_dist_node WHERE groupid > 0 ORDER BY 1) n), 'block_writes')
FROM pg_dist_shard WHERE logicalrelid = 'halved'::regclass ORDER BY shardminvalue::int LIMIT 1});
$reading->{stderr} = '';
$reading->query('FETCH ALL FROM c');
like($reading->{stderr}, qr/could not serialize access due to the split of a shard of table "halved"/, 'a scan notices the split of the shard that it reads');
$reading->quit;
is(value_of($_, $scan), '300|300', $_->name . ': segments of a table with a shard that was split') for $coordinator, $worker;
value_of($coordinator, q{SELECT isolate_tenant_to_new_shard('halved', 'p1', shard_transfer_mode => 'block_writes')});
is(value_of($_, $scan), '300|300', $_->name . ': and with a shard for a single hash, in which no other key is found') for $coordinator, $worker;
value_of($coordinator, q{SELECT dynamo.drop_table('halved')});

# ---- in one transaction ----

is(value_of($worker, sprintf(q{BEGIN; SELECT count(*) FROM kvs; }) . sprintf($operations{put}, $here) . '; ' . sprintf($operations{put}, $there) .
	qq{; SELECT count(*) FROM kvs; SELECT count(*) FROM kvs WHERE "PK" = '$here'; ROLLBACK; SELECT count(*) FROM kvs}),
	"502\n\n\n504\n2\n502", 'a transaction sees what it wrote on both nodes, and takes it back');
is(value_of($worker, 'SET citus.enable_local_execution = off; BEGIN; ' .
	qq{UPDATE kvs SET item = item WHERE "PK" = '$here'; } . sprintf($operations{put}, $here) .
	qq{; SELECT count(*) FROM kvs WHERE "PK" = '$here'; COMMIT}), "\n2", 'rows that Citus has open through a connection are not accessed directly');
value_of($worker, sprintf($operations{put}, $here) . '; ' . sprintf($operations{delete}, $here));

# ---- a snapshot that is older than the move of a shard ----

value_of($coordinator, q{SELECT dynamo.create_table('moved', partition_key => 'PK'); SELECT dynamo.distribute_table('moved', shards => 2)});
my $moved = key_on($worker, 'moved', 1);
my $get = qq{SELECT dynamo.get_item('moved', '{"PK": {"S": "$moved"}}')};
my $old = $worker->background_psql('postgres', on_error_stop => 0);

value_of($worker, qq{SELECT dynamo.put_item('moved', '{"PK": {"S": "$moved"}}')});
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
move_shard($coordinator, 'moved', $worker, $other, 'force_logical');
move_shard($coordinator, 'moved', $other, $worker, 'force_logical') for 1 .. 2;
is(through_citus($worker, $get), 'no', 'a node that a shard has returned to reads it directly');
$old->query($get);
like($old->{stderr}, qr/could not serialize access due to the move of shard/, 'a read with a snapshot older than a move fails');
$old->quit;
value_of($coordinator, q{SELECT dynamo.drop_table('moved')});

# ---- transactions over several nodes ----

sub item
{
	my ($partition, $n) = @_;

	return qq({"PK": {"S": "$partition"}, "SK": {"S": "t"}, "n": {"N": "$n"}});
}

sub key
{
	my ($partition) = @_;

	return qq({"PK": {"S": "$partition"}, "SK": {"S": "t"}});
}

# Puts to several partitions, in one request; more members of the request.
sub puts
{
	my ($n, $more, @partitions) = @_;
	my $actions = join ', ', map { sprintf '{"Put": {"TableName": "kvs", "Item": %s}}', item($_, $n) } @partitions;

	return qq~SELECT dynamo.request('TransactWriteItems', '{$more"TransactItems": [$actions]}')~;
}

# A transaction: "A is absent: put B".
sub absent_put
{
	my ($absent, $put) = @_;

	return sprintf q~SELECT dynamo.transact_write_items('[{"ConditionCheck": {"TableName": "kvs", "Key": %s,
	"ConditionExpression": "attribute_not_exists(PK)"}}, {"Put": {"TableName": "kvs", "Item": %s}}]')~, key($absent), item($put, 1);
}

my @partitions = (key_on($coordinator, 'kvs', 2000) || (), key_on($worker, 'kvs', 2000), key_on($other, 'kvs', 2000));
my $actions = join ', ', map { sprintf '{"Get": {"TableName": "kvs", "Key": %s}}', key($_) } @partitions;
my $gets = qq~SELECT dynamo.request('TransactGetItems', '{"TransactItems": [$actions]}')~;

value_of($worker, puts(1, '', @partitions));
is(value_of($_, q{SELECT count(*) FROM kvs WHERE item ->> 'n' = '1' AND "SK" = 't'}), scalar @partitions, $_->name . ': all were written')
	for $coordinator, $other;
is(scalar(() = value_of($_, $gets) =~ /"n": \{"N": "1"\}/g), scalar @partitions, $_->name . ': all are read') for $coordinator, $worker, $other;
for my $node ($coordinator, $worker, $other)
{
	refuses($node, absent_put(@partitions[0, 1]), 'Transaction cancelled.*\[ConditionalCheckFailed, None\]');
}

# Tokens are the coordinator's.
my $once = '"ClientRequestToken": "once", ';
refuses($worker, puts(2, $once, @partitions), 'cannot use ClientRequestToken for distributed table "kvs" on a worker node of Citus');
value_of($coordinator, puts(2, $once, @partitions));
value_of($coordinator, puts(3, '', @partitions));
value_of($coordinator, puts(2, $once, @partitions));
is(value_of($worker, q{SELECT DISTINCT item ->> 'n' FROM kvs WHERE "SK" = 't'}), '3', 'a repeated token on another node executes nothing');

# "A is absent: put B", and its mirror, through two nodes.
my ($first, $second) = (key_on($worker, 'kvs', 3000), key_on($other, 'kvs', 3000));
for my $pair ([ $worker, $other ], [ $coordinator, $worker ], [ $coordinator, $other ])
{
	my $both = 0;

	for my $round (1 .. 8)
	{
		my @sessions = (start_session($pair->[0], absent_put($first, $second)), start_session($pair->[1], absent_put($second, $first)));

		$_->{run}->finish for @sessions;
		my $n = value_of($coordinator, qq{SELECT count(*) FROM kvs WHERE "PK" IN ('$first', '$second') AND "SK" = 't'});
		$both++ if $n != 1;
		diag($n, map { $_->{err} } @sessions) if $n != 1;
		value_of($coordinator, qq{DELETE FROM kvs WHERE "PK" = '$_' AND "SK" = 't'}) for $first, $second;
	}
	is($both, 0, $pair->[0]->name . ' and ' . $pair->[1]->name . ': one of two puts, each if the item of the other is absent');
}

# Readers of all items while two sessions replace all of them.
sub repeat
{
	my ($sql, $times) = @_;

	return join ";\n", ($sql) x $times;
}

my @writers = (start_session($worker, join ";\n", map { puts($_, '', @partitions) } 100 .. 250),
	start_session($other, join ";\n", map { puts($_, '', reverse @partitions) } 300 .. 450));
my @readers = map { start_session($_, repeat($gets, 150)) } $coordinator, $worker;

$_->{run}->finish for @writers, @readers;
is($_->{err} =~ s/^.*(Transaction is ongoing|TransactionConflict|deadlock).*\n//gmr, '', 'only conflicts') for @writers, @readers;
my @answers = map { split /\n/, $_->{out} } @readers;
my @torn = grep { my %n = map { $_ => 1 } /"n": \{"N": "(\d+)"/g; keys %n != 1 } @answers;
my %seen = map { /"n": \{"N": "(\d+)"/ ? ($1 => 1) : () } @answers;
cmp_ok(scalar keys %seen, '>', 10, 'read transactions see many write transactions: ' . keys %seen);
is("@torn[0 .. ($#torn > 2 ? 2 : $#torn)]", '', 'no read sees a part of a transaction');
value_of($coordinator, q{DELETE FROM kvs WHERE "SK" = 't'});

# ---- back ----

my $before = value_of($coordinator, q{SELECT item FROM dynamo.scan('kvs') item ORDER BY 1});
refuses($worker, q{SELECT dynamo.undistribute_table('kvs')}, 'tables are distributed on the Citus coordinator');
value_of($coordinator, q{SELECT dynamo.undistribute_table('kvs')});
is(value_of($coordinator, q{SELECT item FROM dynamo.scan('kvs') item ORDER BY 1}), $before, 'undistribute_table keeps all items');
is(value_of($coordinator, q{SELECT * FROM dynamo.verify_index('kvs', 'inl')}), '', 'undistribute_table keeps the index');

stop_citus_cluster($coordinator, $worker, $other);
done_testing();
