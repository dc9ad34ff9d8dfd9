# container.pl: the script that starts the container, outside a container: its directories are
# replaced, everything else is as it is.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'bash is not installed' if system('bash -c true') != 0;

my $place = PostgreSQL::Test::Utils::tempdir_short();
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $script = slurp_file("$FindBin::RealBin/../../packaging/container/dynamo-start");

$script =~ s{/var/lib/dynamo}{$place/volume}g;
$script =~ s{PGHOST=/tmp}{PGHOST=$place};
mkdir($_) for "$place/volume", "$place/bin";
write_script('dynamo-start', $script);
my $bindir = `pg_config --bindir`;
chomp $bindir;

delete @ENV{grep { /^PG/ } keys %ENV};
local $ENV{PATH} = "$place/bin:$bindir:$ENV{PATH}";
local $ENV{DYNAMO_AUTHENTICATION} = 'none';

sub write_script
{
	my ($name, $text) = @_;

	unlink "$place/bin/$name";
	append_to_file("$place/bin/$name", $text);
	chmod(0755, "$place/bin/$name") or die "$place/bin/$name: $!";
	return;
}

my $output = '';

sub start
{
	return IPC::Run::start([ 'bash', "$place/bin/dynamo-start", '-c', "dynamo.http_port=$port", '-c', 'dynamo.http_workers=1', '-c', 'fsync=off' ],
		'<', '/dev/null', '>&', \$output, IPC::Run::timeout(180));
}

# Starts it, and returns whether the endpoint answers before the script ends.
sub starts
{
	my $run = start();
	my $answers = 0;

	for (1 .. 1200)
	{
		my $socket = connect_http($port);

		IPC::Run::pump_nb($run);
		$answers = defined $socket;
		last if $answers || !$run->pumpable;
		select(undef, undef, undef, 0.1);
	}
	$run->signal('INT');
	$run->finish;
	return $answers;
}

# What a kill leaves in the middle of making the cluster.
write_script('initdb', <<'END');
#!/bin/sh
while [ "$1" != -D ] && [ $# -gt 0 ]; do shift; done
mkdir -p "${2:-$PGDATA}"
echo 15 >"${2:-$PGDATA}/PG_VERSION"
kill -KILL $PPID
END
start()->finish;
unlink "$place/bin/initdb";
ok(starts(), 'it starts after it was killed while it made the cluster') or diag($output);
ok(starts(), 'and again');
append_to_file("$place/volume/data/postgresql.conf", "no_such_setting = on\n");
$output = '';
ok(!starts(), 'not with a configuration that is not valid');
like($output, qr/^dynamo-start: the server does not start: .*unrecognized configuration parameter "no_such_setting"/ms, 'and says why');

done_testing();
