# workers.pl: how HTTP connections are distributed over the workers.
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
my $node = new_http_node('workers', $port, 4, "max_worker_processes = 12\n", allows_streaming => 1);

sub wait_for_workers
{
	$node->poll_query_until('postgres', "SELECT count(*) = 4 FROM pg_stat_activity WHERE backend_type = 'dynamo http'");
	for (1 .. 100)
	{
		last if connect_http($port);
		sleep(0.1);
	}
	sleep(1);
}

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SET ROLE app;
SELECT dynamo.create_table('kept', 'id');
CREATE TABLE seen (worker int);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (pg_backend_pid()); RETURN NULL; END $$;
CREATE TRIGGER see AFTER INSERT OR UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION see();
});
wait_for_workers();

# Returns the number of connections of each worker, the largest first.
sub spread
{
	my @sockets = @_;

	$node->safe_psql('postgres', 'TRUNCATE seen');
	for my $i (0 .. $#sockets)
	{
		my ($status) = api($sockets[$i], 'PutItem', { TableName => 'kept', Item => { id => { S => "$i" } } });
		is($status, 200, "connection $i") if $status != 200;
	}
	return $node->safe_psql('postgres',
		q{SELECT string_agg(n::text, ' ' ORDER BY n DESC) FROM (SELECT count(*) n FROM seen GROUP BY worker) s});
}

my @sockets = map { connect_http($port) } 1 .. 8;
is(spread(@sockets), '2 2 2 2', 'eight connections');
push @sockets, map { connect_http($port) } 1 .. 72;
is(spread(@sockets), '20 20 20 20', 'eighty');

# ended connections make room
close($_) for splice(@sockets, 3);
sleep(0.5);
push @sockets, map { connect_http($port) } 1 .. 9;
is(spread(@sockets), '3 3 3 3', 'new connections replace ended ones');

# a worker that stops ends its connections, and gets new ones when it is back
my $pid = $node->safe_psql('postgres', q{SELECT max(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
sleep(1);
@sockets = grep { !is_closed($_, 0) } @sockets;
is(scalar @sockets, 9, 'the connections of a stopped worker are closed');
push @sockets, map { connect_http($port) } 1 .. 3;
is(spread(@sockets), '4 4 4', 'the other workers get new connections');
wait_for_workers();
push @sockets, map { connect_http($port) } 1 .. 4;
is(spread(@sockets), '4 4 4 4', 'the restarted worker gets new connections');
close($_) for @sockets;

# all workers at the same time
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
sleep(1);
wait_for_workers();
@sockets = map { connect_http($port) } 1 .. 8;
is(spread(@sockets), '2 2 2 2', 'eight after all workers were started again');

# a base backup does not contain sockets
$node->command_checks_all([ 'pg_basebackup', '-D', $node->basedir . '/copy', '-d', $node->connstr('postgres'), '--no-sync', '-c', 'fast' ],
	0, [], [ qr/\A(?!.*special file)/s ], 'a base backup');

# ---- the number of workers ----

my $processors = `getconf _NPROCESSORS_ONLN` + 0;
for my $most (8, 64)
{
	my $wanted = $processors > 4 ? $processors : 4;

	$wanted = $most / 2 if $wanted > $most / 2;
	$node->append_conf('postgresql.conf', "dynamo.http_workers = 0\nmax_worker_processes = $most\n");
	$node->restart;
	ok($node->poll_query_until('postgres', "SELECT count(*) = $wanted FROM pg_stat_activity WHERE backend_type = 'dynamo http'"),
		"$wanted workers by default, of $most background workers");
}
$node->stop;
done_testing();
