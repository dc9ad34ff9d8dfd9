# locks.pl: HTTP requests that wait for a lock, and requests of other clients.
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

wait_until(sub { connect_http($port) });
$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
ALTER ROLE app SET lock_timeout = '120s';
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

# Changes the timeout of requests; that of the endpoint is two seconds.
sub set_timeout
{
	$node->safe_psql('postgres', "ALTER ROLE app $_[0] lock_timeout $_[1]");
	reload_workers($node);
	return;
}

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
my $other = connect_http($port);
my (@clients, @served);
for my $who ('a' .. 'h')
{
	push @clients, connect_http($port);
	send_raw($clients[-1], append($who));
	push @served, exchange($other, get('free'))->{status};	# the only worker has read both
}
push @served, exchange($other, get('free'))->{status} for 1 .. 100;
is(scalar(grep { $_ == 200 } @served), 108, 'other requests are served');
ok(!IO::Select->new(@clients)->can_read(0), 'waiting requests are not answered');
let_go();
is(join(' ', map { read_answer($_)->{status} } @clients), '200 200 200 200 200 200 200 200', 'waiting requests are answered when the lock is released');
is(writers(), 'abcdefgh', 'requests are answered in the order of arrival');

# ---- timeouts ----

set_timeout('RESET', '');
hold(q{UPDATE kept SET item = item WHERE id = 'locked'});
my $start = time;
is(error_of(exchange($clients[0], append('late'))), '400 TransactionConflictException', 'a request times out after two seconds');
my $took = time - $start;
cmp_ok($took, '>', 1.9, 'and not before');
is(error_of(exchange($clients[1], signed_request('TransactWriteItems', encode_json({ TransactItems => [ { Put => {
	TableName => 'kept', Item => { id => { S => 'locked' } } } } ] })))), '400 TransactionCanceledException', 'a transaction');
set_timeout('SET', q{= '4s'});
$start = time;
is(error_of(exchange($clients[2], append('later'))), '400 TransactionConflictException', 'a timeout set for the role');
cmp_ok(time - $start, '>', 3.9, 'the timeout of the role applies');
set_timeout('SET', q{= '120s'});

# pipelined requests of a connection wait for each other; those of a client that
# disconnects are dropped
send_raw($clients[3], append('x') . append('y') . get('free'));
send_raw($clients[4], append('gone'));
sleep(0.2);
close($clients[4]);
is(exchange($other, get('free'))->{status}, 200, 'other clients continue');
let_go();
is(join(' ', map { read_answer($clients[3])->{status} } 1 .. 3), '200 200 200', 'pipelined requests');
like(writers(), qr/\Aabcdefgh.*x.*y/, 'pipelined requests are answered in order');

# ---- a table ----

hold('LOCK kept');
send_raw($clients[0], get('free'));
send_raw($clients[1], append('z'));
is(exchange($other, signed_request('ListTables', '{}'))->{status}, 200, 'a locked table does not delay other requests');
ok(!IO::Select->new(@clients[ 0, 1 ])->can_read(0.3), 'reads and writes of a locked table wait');
let_go();
is(join(' ', map { read_answer($_)->{status} } @clients[ 0, 1 ]), '200 200', 'reads and writes are answered when the table is unlocked');

# a worker that stops
hold(q{UPDATE kept SET item = item WHERE id = 'locked'});
send_raw($clients[5], append('lost'));
sleep(0.1);
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
ok(is_closed($clients[5]), 'a worker that stops closes waiting connections');
let_go();
unlike($node->safe_psql('postgres', q{SELECT item FROM kept WHERE id = 'locked'}), qr/lost/, 'a worker that stops has not executed waiting requests');
$locker->quit;
$node->stop;
done_testing();
