# durability.pl: answers of HTTP commits, with a synchronous standby and with one
# that has stopped.
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
use Time::HiRes qw(sleep);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('primary', $port, 1, "dynamo.http_idle_timeout = 0\n", allows_streaming => 1);

sub wait_for_endpoint
{
	wait_until(
		sub {
			my $socket = connect_http($port);
			return $socket && (api($socket, 'ListTables', {}))[0] == 200;
		}) or die 'no endpoint';
}

sub put
{
	my ($id) = @_;

	return signed_request('PutItem', qq({"TableName":"kept","Item":{"id":{"S":"$id"}}}));
}

# Sends a write on a separate connection, and waits until it is committed.
sub send_put
{
	my ($id) = @_;
	my $socket = connect_http($port);

	send_raw($socket, put($id));
	ok(!IO::Select->new($socket)->can_read(1.5), "$id: not answered while the standby is stopped");
	return $socket;
}

sub reload
{
	my (%settings) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET $_ = $settings{$_}") for sort keys %settings;
	reload_workers($node);
}

sub signal_worker
{
	my ($function) = @_;

	$node->safe_psql('postgres', "SELECT $function(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'");
}

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SET ROLE app;
SELECT dynamo.create_table('kept', 'id');
});
wait_for_endpoint();
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "dynamo.http_port = 0\n");
$standby->start;
reload(synchronous_standby_names => 'standby');
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'});

my $client = connect_http($port);
is(exchange($client, put('confirmed'))->{status}, 200, 'a write that the standby has confirmed is answered');
is($standby->safe_psql('postgres', 'SELECT count(*) FROM kept'), 1, 'the standby has the write');

# ---- the standby has stopped ----

$standby->stop;
$client = send_put('patient');
my $reader = connect_http($port);
my $get = signed_request('GetItem', '{"TableName":"kept","Key":{"id":{"S":"confirmed"}}}');
is(exchange($reader, $get)->{status}, 200, 'reads continue without the standby');
$node->safe_psql('postgres', 'SET synchronous_commit = local; ALTER ROLE app SET synchronous_commit = local');
reload_workers($node);
is(exchange($reader, put('local'))->{status}, 200, 'writes that need no standby continue');
$node->safe_psql('postgres', 'SET synchronous_commit = local; ALTER ROLE app RESET synchronous_commit');
reload_workers($node);
signal_worker('pg_cancel_backend');
ok(!IO::Select->new($client)->can_read(0.5), 'a waiting write cannot be canceled');
$standby->start;
is(read_answer($client)->{status}, 200, 'the standby comes back: the write is answered');
$standby->stop;

my $second = connect_http($port);
send_raw($second, put('first') . $get . put('second'));
$client = send_put('unconfirmed');
reload(synchronous_standby_names => "''");
is(read_answer($client)->{status}, 200, 'a standby is not required any more: the write is answered');
is(join(' ', map { read_answer($second)->{body} } 1 .. 3), '{} {"Item":{"id": {"S": "confirmed"}}} {}',
	'pipelined requests are answered in their order');
reload(synchronous_standby_names => 'standby');

$client = send_put('abandoned');
shutdown($client, 1);
is(exchange($reader, $get)->{status}, 200, 'a client that closes its side does not delay others');
close($client);

$client = send_put('terminated');
signal_worker('pg_terminate_backend');
ok(is_closed($client), 'a worker that is terminated closes its connections without an answer');
wait_for_endpoint();

$client = send_put('stopped');
$node->stop('fast');
ok(is_closed($client), 'a fast stop closes connections without an answer');
$node->start;
wait_for_endpoint();

$client = send_put('orphaned');
my $worker = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
$node->kill9;
ok(is_closed($client), 'the death of the postmaster closes connections without an answer');
wait_until(sub { !kill 0, $worker });
$node->start;
wait_for_endpoint();
is($node->safe_psql('postgres', q{SELECT count(*) FROM kept}), 10, 'all writes exist');
reload(synchronous_standby_names => "''", wal_writer_delay => "'10s'");

# ---- a crash between commit and flush ----

sub pid_of
{
	my ($type) = @_;

	return $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = '$type'");
}

# Keeps all processes from flushing: an idle connection keeps the worker from
# doing it.
sub stop_flushing
{
	my $idle = connect_http($port);
	my @pids = map { pid_of($_) } 'dynamo flusher', 'walwriter', 'checkpointer';

	is(exchange($idle, $get)->{status}, 200, 'an idle connection');
	kill 'STOP', @pids;
	return ($idle, @pids);
}

$node->safe_psql('postgres', q{
CREATE ROLE hasty LOGIN;
GRANT ALL ON kept TO hasty;
ALTER ROLE hasty SET synchronous_commit = off;
SELECT dynamo.create_access_key('hasty', 'HASTYKEY', 'TESTSECRET');
CREATE FUNCTION hurry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN SET LOCAL synchronous_commit = off; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER hurry AFTER INSERT ON kept DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.id = 'hurried') EXECUTE FUNCTION hurry();
CREATE TABLE other (i int);
});
my ($idle, @pids) = stop_flushing();
$reader = connect_http($port);
is((api($reader, 'PutItem', { TableName => 'public.kept', Item => { id => { S => 'hasty' } } }, key => 'HASTYKEY'))[0], 200,
	'a role with synchronous_commit = off is answered before the flush');
is(exchange($reader, put('hurried'))->{status}, 200, 'a transaction whose trigger changes synchronous_commit is not answered before the flush');
is(exchange($reader, $get)->{status}, 200, 'a read is answered before the flush');
$client = connect_http($port);
send_raw($client, put('lost'));
ok(!IO::Select->new($client)->can_read(1), 'a write that is not on disk is not answered');
is($node->safe_psql('postgres', q{SELECT count(*) FROM kept WHERE id = 'lost'}), 1, 'the write that is not on disk is committed');
send_raw($reader, signed_request('GetItem', '{"TableName":"kept","Key":{"id":{"S":"lost"}}}'));
ok(!IO::Select->new($reader)->can_read(1), 'a read that saw the write is not answered');
my $condition = connect_http($port);
send_raw($condition, signed_request('PutItem',
	'{"TableName":"kept","Item":{"id":{"S":"lost"}},"ConditionExpression":"attribute_not_exists(id)"}'));
ok(!IO::Select->new($condition)->can_read(1), 'an error that shows the write is not answered');
is(exchange(connect_http($port), "GET / HTTP/1.1\r\nHost: x\r\n\r\n")->{status}, 200, 'the worker continues');
crash_node($node);
ok(is_closed($_), 'a crash closes the connection without an answer') for $client, $reader, $condition;
$node->start;
wait_for_endpoint();
is($node->safe_psql('postgres', q{SELECT count(*) FROM kept WHERE id = 'lost'}), 0, 'no answer showed what the crash undid');

# the flusher continues
($idle, @pids) = stop_flushing();
$client = connect_http($port);
send_raw($client, put('later'));
ok(!IO::Select->new($client)->can_read(1), 'not answered while the flusher is stopped');
kill 'CONT', @pids;
is(read_answer($client)->{status}, 200, 'answered after the flush');

# the flusher is stopped for a while
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo flusher'});
is(exchange($client, put("alone $_"))->{status}, 200, 'workers flush without the flusher') for 1 .. 2;
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dynamo flusher'}),
	'the flusher is started again');

# ---- crashes at random times ----

my %answered;
for my $round (1 .. 3)
{
	my @clients = map { connect_http($port) } 1 .. 6;
	my @asked;
	my $until = Time::HiRes::time() + 0.3 + 0.37 * $round;
	my $n = 0;

	for my $i (0 .. $#clients)
	{
		$asked[$i] = "crash $round $i " . $n++;
		send_raw($clients[$i], put($asked[$i]));
	}
	while (Time::HiRes::time() < $until)
	{
		for my $socket (IO::Select->new(@clients)->can_read(0.01))
		{
			my ($i) = grep { $clients[$_] == $socket } 0 .. $#clients;
			my $answer = read_answer($socket) or next;
			$answered{$asked[$i]} = 1 if $answer->{status} == 200;
			$asked[$i] = "crash $round $i " . $n++;
			send_raw($socket, put($asked[$i]));
		}
	}
	crash_node($node);
	for my $i (0 .. $#clients)
	{
		my $answer = read_answer($clients[$i]);
		$answered{$asked[$i]} = 1 if $answer && $answer->{status} == 200;
	}
	$node->start;
	wait_for_endpoint();
	my %there = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', q{SELECT id FROM kept});
	is(join(',', grep { !$there{$_} } sort keys %answered), '', 'every write that was answered is there: ' . keys(%answered));
}

$node->stop;
done_testing();
