# locks.pl: HTTP requests that meet a lock, and what becomes of the others.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IO::Select;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('locks', $port, 1);

for (1 .. 100)
{
	last if connect_http($port);
	sleep(0.1);
}
$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SET ROLE app;
SELECT dynamo.create_table('kept', 'id');
SELECT dynamo.put_item('kept', '{"id": {"S": "locked"}, "by": {"L": []}}');
SELECT dynamo.put_item('kept', '{"id": {"S": "free"}}');
});

my $locker = $node->background_psql('postgres', on_error_stop => 1);
sub hold { $locker->query_safe("BEGIN; $_[0]") }
sub let_go { $locker->query_safe('COMMIT') }

sub append
{
	my ($who) = @_;

	return signed_request('UpdateItem', encode_json({ TableName => 'kept', Key => { id => { S => 'locked' } },
		UpdateExpression => 'SET #by = list_append(#by, :who)', ExpressionAttributeNames => { '#by' => 'by' },
		ExpressionAttributeValues => { ':who' => { L => [ { S => $who } ] } } }));
}

sub get
{
	my ($id) = @_;

	return signed_request('GetItem', qq({"TableName":"kept","Key":{"id":{"S":"$id"}}}));
}

sub writers
{
	return join '', map { $_->{S} } @{ decode_json(exchange(connect_http($port), get('locked'))->{body})->{Item}{by}{L} };
}

sub error_of
{
	my ($answer) = @_;

	return "$answer->{status} " . ((decode_json($answer->{body})->{__type} // '') =~ s/.*#//r);
}

# ---- a row ----

hold(q{UPDATE kept SET item = item WHERE id = 'locked'});
my @clients;
for my $who ('a' .. 'h')
{
	push @clients, connect_http($port);
	send_raw($clients[-1], append($who));
	sleep(0.05);
}
my $other = connect_http($port);
my @times;
for (1 .. 100)
{
	my $start = time;
	is($_->{status}, 200, 'another request') for grep { $_->{status} != 200 } exchange($other, get('free'));
	push @times, time - $start;
	sleep(0.005);
}
@times = sort { $a <=> $b } @times;
cmp_ok($times[94], '<', 0.1, 'other requests are served: ' . $times[94]);
ok(!IO::Select->new(@clients)->can_read(0), 'those that wait are not answered');
let_go();
is(join(' ', map { read_answer($_)->{status} } @clients), '200 200 200 200 200 200 200 200', 'the lock is free: they are answered');
is(writers(), 'abcdefgh', 'the first comer first');

# ---- the time is over ----

hold(q{UPDATE kept SET item = item WHERE id = 'locked'});
my $start = time;
is(error_of(exchange($clients[0], append('late'))), '400 TransactionConflictException', 'two seconds later');
my $took = time - $start;
ok($took > 1.9 && $took < 5, "not earlier, not much later: $took");
is(error_of(exchange($clients[1], signed_request('TransactWriteItems', encode_json({ TransactItems => [ { Put => {
	TableName => 'kept', Item => { id => { S => 'locked' } } } } ] })))), '400 TransactionCanceledException', 'a transaction');
$node->safe_psql('postgres', q{ALTER ROLE app SET lock_timeout = '300ms'});
$node->reload;
sleep(0.5);
$start = time;
is(error_of(exchange($clients[2], append('later'))), '400 TransactionConflictException', 'a limit of the role');
cmp_ok(time - $start, '<', 1.8, 'is kept');
$node->safe_psql('postgres', q{ALTER ROLE app RESET lock_timeout});
$node->reload;
sleep(0.5);

# pipelined requests of a connection wait for each other; a client that leaves
# is forgotten
send_raw($clients[3], append('x') . append('y') . get('free'));
send_raw($clients[4], append('gone'));
sleep(0.2);
close($clients[4]);
is(exchange($other, get('free'))->{status}, 200, 'others go on');
let_go();
is(join(' ', map { read_answer($clients[3])->{status} } 1 .. 3), '200 200 200', 'pipelined requests');
like(writers(), qr/\Aabcdefgh.*x.*y/, 'in their order');

# ---- a table ----

hold('LOCK kept');
send_raw($clients[0], get('free'));
send_raw($clients[1], append('z'));
is(exchange($other, signed_request('ListTables', '{}'))->{status}, 200, 'a locked table holds no other requests up');
ok(!IO::Select->new(@clients[ 0, 1 ])->can_read(0.3), 'reads and writes of it wait');
let_go();
is(join(' ', map { read_answer($_)->{status} } @clients[ 0, 1 ]), '200 200', 'it is free: they are answered');

# a worker that ends
hold(q{UPDATE kept SET item = item WHERE id = 'locked'});
send_raw($clients[5], append('lost'));
sleep(0.1);
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
ok(is_closed($clients[5]), 'a worker that ends closes those that wait');
let_go();
unlike($node->safe_psql('postgres', q{SELECT item FROM kept WHERE id = 'locked'}), qr/lost/, 'and has not executed them');
$locker->quit;
$node->stop;
done_testing();
