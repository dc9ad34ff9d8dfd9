# durability.pl: what HTTP clients hear of commits, with a synchronous standby
# and with one that is gone.
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
	for (1 .. 100)
	{
		my $socket = connect_http($port);
		return if $socket && (api($socket, 'ListTables', {}))[0] == 200;
		sleep(0.2);
	}
	die 'no endpoint';
}

sub put
{
	my ($id) = @_;

	return signed_request('PutItem', qq({"TableName":"kept","Item":{"id":{"S":"$id"}}}));
}

# Sends a write on a connection of its own, and waits until it is committed.
sub send_put
{
	my ($id) = @_;
	my $socket = connect_http($port);

	send_raw($socket, put($id));
	ok(!IO::Select->new($socket)->can_read(1.5), "$id: not answered while the standby is gone");
	return $socket;
}

sub reload
{
	my (%settings) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET $_ = $settings{$_}") for sort keys %settings;
	$node->reload;
	sleep(0.5);
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
is(exchange($client, put('confirmed'))->{status}, 200, 'a write that the standby has');
is($standby->safe_psql('postgres', 'SELECT count(*) FROM kept'), 1, 'the standby has it');

# ---- the standby is gone ----

$standby->stop;
$client = send_put('terminated');
signal_worker('pg_terminate_backend');
ok(is_closed($client), 'a worker that is terminated closes its connections without an answer');
wait_for_endpoint();

$client = send_put('stopped');
$node->stop('fast');
ok(is_closed($client), 'so does a fast stop');
$node->start;
wait_for_endpoint();

$client = send_put('orphaned');
my $worker = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
$node->kill9;
ok(is_closed($client), 'so does the death of the postmaster');
for (1 .. 100)
{
	last if !kill 0, $worker;
	sleep(0.1);
}
$node->start;
wait_for_endpoint();
is($node->safe_psql('postgres', q{SELECT count(*) FROM kept}), 4, 'what was written is there');

$node->stop;
done_testing();
