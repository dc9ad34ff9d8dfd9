# turns.pl: a worker serves other clients while one reads a long page.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('turns', $port, 1);

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SET ROLE app;
SELECT dynamo.create_table('long', 'pk', 'sk', indexes => '[{"index_name": "by_n", "partition_key": "g", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "apart", "partition_key": "g", "sort_key": "n", "sort_key_type": "N", "storage": "table", "shards": 2}]');
INSERT INTO long (item) SELECT jsonb_build_object('pk', 'p' || i % 3, 'sk', 's' || i, 'g', 'g' || i % 2, 'n', i, 'text', repeat('x', i % 100))
FROM generate_series(1, 12000) i;
});
wait_until(sub { connect_http($port) });

my %reads = (
	scan => [ 'Scan', '{"TableName":"long","ReturnConsumedCapacity":"TOTAL"}' ],
	limit => [ 'Scan', '{"TableName":"long","Limit":5000}' ],
	filter => [ 'Scan', '{"TableName":"long","FilterExpression":"n > :n","ExpressionAttributeValues":{":n":{"N":"6000"}},"ReturnConsumedCapacity":"TOTAL"}' ],
	nothing => [ 'Scan', '{"TableName":"long","FilterExpression":"n < :n","ExpressionAttributeValues":{":n":{"N":"0"}}}' ],
	count => [ 'Scan', '{"TableName":"long","Select":"COUNT"}' ],
	start => [ 'Scan', '{"TableName":"long","ExclusiveStartKey":{"pk":{"S":"p0"},"sk":{"S":"s300"}},"ProjectionExpression":"sk, n"}' ],
	segment => [ 'Scan', '{"TableName":"long","Segment":1,"TotalSegments":2}' ],
	query => [ 'Query', '{"TableName":"long","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p1"}},"ScanIndexForward":false}' ],
	index => [ 'Query', '{"TableName":"long","IndexName":"by_n","KeyConditionExpression":"g = :g AND n > :n","ExpressionAttributeValues":{":g":{"S":"g1"},":n":{"N":"7"}},"Limit":5400}' ],
	shards => [ 'Query', '{"TableName":"long","IndexName":"apart","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"S":"g1"}}}' ]);
my $get = signed_request('GetItem', '{"TableName":"long","Key":{"pk":{"S":"p1"},"sk":{"S":"s1"}},"ProjectionExpression":"n"}');
my @readers = map { connect_http($port) } 1 .. 2;
my @others = map { connect_http($port) } 1 .. 3;

# A part of a read that is interrupted rolls back; nothing else here does.
sub rollbacks
{
	$node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()');
	return $node->safe_psql('postgres', q{SELECT xact_rollback FROM pg_stat_database WHERE datname = 'postgres'});
}

# What is wrong with the answers to two reads while others ask all the time.
sub wrong_answers
{
	my ($request, $expected) = @_;
	my @wrong;

	send_raw($_, $get x 50) for @others;
	send_raw($_, $request . $get) for @readers;
	for my $reader (@readers)
	{
		my $answer = read_answer($reader, 120);
		push @wrong, $answer ? "$answer->{status} " . length $answer->{body} : 'none' if !$answer || $answer->{body} ne $expected;
		push @wrong, 'the answer behind it' if read_answer($reader, 120)->{body} ne '{"Item":{"n": {"N": "1"}}}';
	}
	for my $other (@others)
	{
		push @wrong, 'a get' for grep { read_answer($other, 120)->{body} ne '{"Item":{"n": {"N": "1"}}}' } 1 .. 50;
	}
	return @wrong;
}

my $before = rollbacks();
for my $name (sort keys %reads)
{
	# by SQL nothing is interrupted
	my $expected = $node->safe_psql('postgres', "SET ROLE app; SELECT dynamo.request('$reads{$name}[0]', '$reads{$name}[1]')");
	my @wrong = map { wrong_answers(signed_request(@{ $reads{$name} }), $expected) } 1 .. 5;

	is(join(', ', @wrong), '', "$name: the same answer as alone");
}
ok($node->poll_query_until('postgres', "SELECT xact_rollback > $before FROM pg_stat_database WHERE datname = 'postgres'"),
	'reads have been interrupted');

# clients that leave, and a worker that ends, in the middle of a read
for (1 .. 5)
{
	my $gone = connect_http($port);

	send_raw($_, $get x 50) for @others;
	send_raw($gone, signed_request(@{ $reads{scan} }));
	close($gone);
	is(scalar(grep { read_answer($_, 120)->{status} != 200 } map { ($_) x 50 } @others), 0, 'one has left');
}
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
ok(is_closed($readers[0]), 'the worker has ended');
$node->stop;
done_testing();
