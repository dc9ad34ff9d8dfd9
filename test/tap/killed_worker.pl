# killed_worker.pl: one HTTP worker dies by a signal while answers are held.
# The postmaster starts all processes anew, as after the death of any backend.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IO::Select;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('killed', $port, 2, "restart_after_crash = on\n", allows_streaming => 1);

sub request
{
	my ($operation, $id) = @_;
	my $member = $operation eq 'PutItem' ? 'Item' : 'Key';

	return signed_request($operation, qq({"TableName":"kept","$member":{"id":{"S":"$id"}}}));
}

sub workers
{
	return split /\n/, $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http' ORDER BY pid});
}

# All workers are there and serve: as many connections are spread over them.
sub wait_for_endpoint
{
	$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
	wait_until(
		sub {
			my @sockets = map { connect_http($port) } 1 .. 4;
			return !grep { !$_ || (api($_, 'ListTables', {}))[0] != 200 } @sockets;
		}) or die 'no endpoint';
}

# Kills one worker, and waits until others have taken the place of all.
sub kill_worker
{
	my ($killed, $other) = workers();

	kill 'KILL', $killed;
	$node->poll_query_until('postgres', qq{SELECT count(*) = 2 AND count(*) FILTER (WHERE pid IN ($killed, $other)) = 0
		FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
}

sub set_standby
{
	my ($name) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = '$name'");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT current_setting('synchronous_standby_names') = '$name'");
	reload_workers($node);
}

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SET ROLE app;
SELECT dynamo.create_table('kept', 'id');
});
wait_for_endpoint();
is(exchange(connect_http($port), request('PutItem', 'answered'))->{status}, 200, 'a write is answered');

# ---- answers that wait for a standby ----

set_standby('gone');
my @clients = map { connect_http($port) } 1 .. 4;
send_raw($clients[$_], request('PutItem', "held $_") . request('GetItem', 'answered')) for 0 .. 3;
ok($node->poll_query_until('postgres', 'SELECT count(*) = 5 FROM kept'), 'writes of four connections are committed');
my $reader = connect_http($port);
is(exchange($reader, request('GetItem', 'answered'))->{body}, '{"Item":{"id": {"S": "answered"}}}', 'reads go on');
ok(!IO::Select->new(@clients)->can_read(0.5), 'none of the writes is answered');
kill_worker();
ok(is_closed($clients[$_]), "connection $_ is closed without an answer") for 0 .. 3;
ok(is_closed($reader), 'so is one without a request');
wait_for_endpoint();
is(exchange(connect_http($port), request('GetItem', 'answered'))->{body}, '{"Item":{"id": {"S": "answered"}}}',
	'what was answered is there');
my $client = connect_http($port);
send_raw($client, request('PutItem', 'held again'));
ok(!IO::Select->new($client)->can_read(0.5), 'new workers hold answers, too');
set_standby('');
is(read_answer($client)->{status}, 200, 'and send them');

# ---- under load ----

my %answered;
for my $round (1 .. 3)
{
	my @asked;
	my $n = 0;
	my $until = time + 0.2 + 0.2 * $round;

	@clients = map { connect_http($port) } 1 .. 6;
	my $ask = sub {
		my ($i) = @_;
		$asked[$i] = "load $round $i " . $n++;
		send_raw($clients[$i], request('PutItem', $asked[$i]));
	};
	# an answer is to what was asked last, or there is none
	my $hear = sub {
		my ($i) = @_;
		my $answer = read_answer($clients[$i]) or return 0;
		is("$answer->{status} $answer->{body}", '200 {}', $asked[$i]) if $answer->{status} != 200 || $answer->{body} ne '{}';
		return $answered{ $asked[$i] } = 1;
	};

	$ask->($_) for 0 .. $#clients;
	while (time < $until)
	{
		for my $socket (IO::Select->new(@clients)->can_read(0.01))
		{
			my ($i) = grep { $clients[$_] == $socket } 0 .. $#clients;
			$ask->($i) if $hear->($i);
		}
	}
	kill_worker();
	$hear->($_) for 0 .. $#clients;
	ok(is_closed($clients[$_], 0), "round $round: connection $_ is closed") for 0 .. $#clients;
	wait_for_endpoint();
	my %there = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', 'SELECT id FROM kept');
	is(join(',', grep { !$there{$_} } sort keys %answered), '', 'every write that was answered is there: ' . keys(%answered));
}

$node->stop;
done_testing();
