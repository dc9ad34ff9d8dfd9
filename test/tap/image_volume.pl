# image_volume.pl: from PostgreSQL 18 on, the extension's files may be in a directory of their
# own, named by settings, as in an image volume of CloudNativePG.  All its libraries and
# the background workers come from there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use File::Copy;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# What pg_config says.
sub pg_config
{
	return `$ENV{PG_CONFIG} --$_[0]` =~ s/\s+\z//r;
}

my ($major) = pg_config('version') =~ /(\d+)/;
plan skip_all => 'there is no extension_control_path' if $major < 18;
plan skip_all => 'there is no /proc/self/maps' if !-r '/proc/self/maps';

my $volume = PostgreSQL::Test::Utils::tempdir_short();
mkdir "$volume/$_" or die for qw(lib share share/extension);
my %directory = (lib => pg_config('pkglibdir'), 'share/extension' => pg_config('sharedir') . '/extension');
for my $to (sort keys %directory)
{
	copy($_, "$volume/$to/") or die "cannot copy $_: $!" for glob("$directory{$to}/dynamo*");
}

# The extension's libraries in a process, each with its directory.
sub libraries_of
{
	my %mapped = map { m{(/\S*/)(dynamo\w*)\.so$} ? ("$2 in " . ($1 eq "$volume/lib/" ? 'the volume' : $1) => 1) : () } split /\n/, slurp_file("/proc/$_[0]/maps");
	return join ', ', sort keys %mapped;
}

# Those of the session that runs statements.
sub libraries_after
{
	my ($node, $statements) = @_;
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_safe($statements);
	my $libraries = libraries_of($pid);
	$session->quit;
	return $libraries;
}

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('volume', $port, 1, qq{
extension_control_path = '$volume/share'
dynamic_library_path = '$volume/lib:\$libdir'
});
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; SELECT dynamo.create_table('songs', 'id'); GRANT ALL ON songs TO app;
	SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET'); SELECT dynamo.put_item('songs', '{"id": "a"}'::jsonb)});
is((api(connect_http($port), 'GetItem', { TableName => 'songs', Key => { id => { S => 'a' } } }))[0], 200, 'requests are served');

my ($kernel, $citus, $api, $http) = map { "$_ in the volume" } qw(dynamo dynamo_citus dynamo_api dynamo_http);
is(libraries_of($node->{_pid}), $kernel, 'the preloaded library');
is(libraries_after($node, q{SELECT dynamo.request('ListTables', '{}')}), "$kernel, $api", 'that of requests');
is(libraries_after($node, q{SELECT dynamo.create_access_key('app', 'OTHERKEY', 'TESTSECRET')}), "$kernel, $api, $http", 'that of the endpoint');
is(libraries_after($node, q{LOAD 'dynamo_citus'}), "$kernel, $citus", 'that for Citus');
is(libraries_of($node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http'})), "$kernel, $api, $http", 'those of a worker');
$node->stop;

done_testing();
