# workers.pl: the workers run whenever the library is preloaded, whatever becomes of the
# HTTP port, and the report on a table says where none runs.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IO::Socket::INET;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $expired = q{SELECT dynamo.create_table('short', 'id'); SELECT dynamo.update_time_to_live('short', 'e');
INSERT INTO short (item) SELECT jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1000)};
my $problem = q{SELECT evidence FROM dynamo.advise('short') WHERE rule = 'no worker'};

sub expires
{
	my ($node, $name) = @_;

	ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM short'), $name);
	return;
}

sub reload
{
	my ($node, $setting) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET $setting");
	$node->reload;
	return;
}

# ---- no library, then no port ----

my $node = new_dynamo_node('without', '');
$node->safe_psql('postgres', $expired);
is($node->safe_psql('postgres', $problem), 'no worker deletes expired items: dynamo is not in shared_preload_libraries', 'without the library');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dynamo'\ndynamo.housekeeping_interval = 0\n");
$node->restart;
is($node->safe_psql('postgres', "SELECT string_agg(backend_type, ' ' ORDER BY backend_type) FROM pg_stat_activity WHERE backend_type LIKE 'dynamo%'"),
	'dynamo housekeeping', 'without a port, housekeeping runs');
is($node->safe_psql('postgres', $problem), 'no worker deletes expired items: dynamo.housekeeping_interval is 0', 'the interval may be 0');
reload($node, "dynamo.housekeeping_interval = '1s'");
expires($node, 'items expire without a port');
ok($node->poll_query_until('postgres', "SELECT NOT EXISTS ($problem)"), 'no advice where the worker runs');
is($node->safe_psql('postgres', "CREATE ROLE reader; GRANT SELECT ON short TO reader; SET ROLE reader; $problem"), '', 'nor for a role that may not see the worker');

# as when no background worker can be had, or its database does not exist
my $other = new_database($node, 1);
$node->safe_psql($other, $expired);
is($node->safe_psql($other, $problem), 'no worker deletes expired items: the worker serves the database of dynamo.database, "postgres"', 'in another database');

# nor need there be other workers
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
$node->restart;
my $start = time;
$node->safe_psql('postgres', q{INSERT INTO short (item) SELECT jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1000)});
expires($node, 'items expire where no other worker is free');
cmp_ok(time - $start, '<', 45, 'soon');
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
is($node->safe_psql('postgres', $problem), 'no worker deletes expired items: the worker does not run', 'a worker that could not start');
$node->stop;

# ---- names before 1.0 ----

$node = new_dynamo_node('former', q{
shared_preload_libraries = 'dynamo'
dynamo.http_housekeeping_interval = '2s'
dynamo.http_stream_retention = '1h'
dynamo.stream_retention = '2h'
});
is($node->safe_psql('postgres', 'SHOW dynamo.housekeeping_interval'), '2s', 'the former name of a setting counts');
is($node->safe_psql('postgres', 'SHOW dynamo.stream_retention'), '2h', 'the new name goes first');
like(slurp_file($node->logfile), qr/WARNING:  setting "dynamo.http_housekeeping_interval" is called "dynamo.housekeeping_interval" now/, 'a warning tells the new name');
$node->stop;

# ---- a port that another process holds ----

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $metrics = PostgreSQL::Test::Cluster::get_free_port();
my @holders = map { IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $_, Listen => 1, ReuseAddr => 1) or die "port $_: $!" } $port, $metrics;
$node = new_http_node('held', $port, 2, qq{
dynamo.housekeeping_interval = '1s'
dynamo.metrics_port = $metrics
dynamo.metrics_listen_addresses = '127.0.0.1'
});
$node->safe_psql('postgres', $expired);
expires($node, 'items expire while the port is held');
ok($node->wait_for_log(qr/WARNING:  cannot listen at port $port for HTTP/), 'a warning names the port');
ok($node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND query = 'waiting for the HTTP port'"),
	'the workers wait for it');
my $offset = -s $node->logfile;
sleep(12);
unlike(slurp_file($node->logfile, $offset), qr/cannot listen|could not bind/, 'attempts in between are not logged');
shift(@holders)->close;
ok($node->wait_for_log(qr/listening on IPv4 address "127.0.0.1", port $port, for HTTP/, $offset), 'the endpoint takes the port when it is free');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND query = 'waiting for the HTTP port'"),
	'by all workers');
ok(connect_http($port), 'clients can connect');
ok($node->wait_for_log(qr/WARNING:  cannot listen at port $metrics for metrics/, $offset), 'a warning names the port of metrics');
shift(@holders)->close;
ok($node->wait_for_log(qr/listening on IPv4 address "127.0.0.1", port $metrics, for metrics/, $offset), 'which is taken later');

# a worker that ends leaves the port to those that listen, and takes it again
$offset = -s $node->logfile;
$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'");
ok($node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND query = ''"), 'workers that ended come back');
ok(connect_http($port), 'at their port');
unlike(slurp_file($node->logfile, $offset), qr/cannot listen/, 'without a warning');
$node->stop;

done_testing();
