# libraries.pl: what knows Citus, DynamoDB's requests and the endpoint are libraries of their
# own, which only sessions that call their functions have, and their workers; nobody has that of
# faults unless the server names it. What one library offers to another is listed in test/exports.
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

my $directory = `$ENV{PG_CONFIG} --pkglibdir` =~ s/\s+\z//r;

# The names that a library defines or needs, without those of fmgr, the server and libc.
sub symbols
{
	my ($library, $which) = @_;
	my @names = map { /\s(?:[A-Z] )(\S+)$/ ? $1 : () } `nm -D --$which-only $directory/$library.so`;
	my %function = map { /^pg_finfo_(\w+)$/ ? ($1 => 1) : () } @names;
	return grep { !$function{$_} && !/^(?:pg_finfo_|_PG_init$|Pg_magic_func$|dynamo_\w+_main$|_[\w.]+$)/ } @names;
}

my @libraries = qw(dynamo dynamo_citus dynamo_api dynamo_http dynamo_faults);
my (%listed, $of, @shared);
for (grep { !/^#/ } split /\n/, slurp_file("$FindBin::RealBin/../exports"))
{
	if (/^\[(\w+) to (\w+)\]$/) { $of = $listed{$1}{$2} = {} }
	else { $of->{$_} = 1 }
}

for my $from (@libraries)
{
	my %offered = map { $_ => 1 } symbols($from, 'defined');
	my %in_list = map { %$_ } values %{ $listed{$from} };
	is(join(' ', sort grep { !$in_list{$_} } keys %offered), '', "$from offers what test/exports lists");
	for my $to (@libraries)
	{
		my %needed = map { $offered{$_} ? ($_ => 1) : () } map { s/@.*//r } symbols($to, 'undefined');
		my %may = %{ $listed{$from}{$to} // {} };
		is(join(' ', sort keys %needed), join(' ', sort keys %may), "$to needs of $from what test/exports lists");
	}
}

# A process looks for a name in the libraries that it has loaded, in their order: nothing that
# the server or another extension defines may have the name of a function of ours.
my %ours = map { %$_ } map { values %$_ } values %listed;
my @others = (`$ENV{PG_CONFIG} --bindir` =~ s{\s+\z}{/postgres}r, glob("$directory/*.so"));
for my $other (grep { !m{/dynamo\w*\.so$} } @others)
{
	my @same = grep { $ours{$_} } map { /\s[A-Z] ([^\s@]+)/ ? $1 : () } `nm -D --defined-only $other 2>/dev/null`;
	push @shared, map { "$_ of $other" } @same;
}
is(join(' ', @shared), '', 'no other library has a function of such a name');

# Whether a process has mapped a library.
sub has_library
{
	my ($pid, $library) = @_;
	return slurp_file("/proc/$pid/maps") =~ m{/\Q$library\E\.so$}m ? 1 : 0;
}

# A session runs statements; returns which of the libraries it has at the end.
sub libraries_of
{
	my ($node, $statements) = @_;
	my ($in, $out) = ('', '');
	my $session = IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, IPC::Run::timeout(180));
	$in .= "$statements;\nSELECT 'pid ' || pg_backend_pid();\n";
	$session->pump until $out =~ /^pid (\d+)$/m;
	my $pid = $1;
	my $has = join ' ', map { has_library($pid, $_) } @libraries;
	$in .= "\\q\n";
	$session->finish;
	return $has;
}

my $put = q{SELECT dynamo.put_item('songs', '{"id": "a"}'::jsonb)};
my $key = q{SELECT dynamo.create_access_key('app', 'KEYOFTHEAPP', 'SECRETSECRET')};

my $node = new_dynamo_node('plain', '');
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; SELECT dynamo.create_table('songs', 'id')});
is(libraries_of($node, $put), '1 0 0 0 0', 'a session that writes items has neither requests nor the endpoint');
is(libraries_of($node, q{SELECT dynamo.request('ListTables', '{}')}), '1 0 1 0 0', 'one that executes a request has no endpoint');
is(libraries_of($node, $key), '1 0 1 1 0', 'one that makes an access key has it, and the others with it');
is(libraries_of($node, "LOAD 'dynamo_api'; $put"), '1 0 1 0 0', 'the library of requests brings dynamo along');
is(libraries_of($node, "LOAD 'dynamo_http'; $put"), '1 0 1 1 0', 'and that of the endpoint both');
is(libraries_of($node, "LOAD 'dynamo_citus'; $put"), '1 1 0 0 0', 'that for Citus only dynamo');
is($node->safe_psql('postgres', q{LOAD 'dynamo'; SET dynamo.new_table_shards = 4; SHOW dynamo.index_changes_interval}), '500ms', 'whose settings are known without it');

# A database whose tables Citus has distributed, on a server that does not load Citus.
$node->safe_psql('postgres', q{CREATE DATABASE cluster});
$node->safe_psql('cluster', q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('songs', 'id'); SET allow_system_table_mods = on;
	CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid oid, partmethod "char", partkey text, colocationid int);
	INSERT INTO pg_catalog.pg_dist_partition VALUES ('songs'::regclass, 'h')});
like(($node->psql('cluster', q{SELECT dynamo.add_unique_constraint('songs', 'one', ARRAY['title'])}))[2], qr/is not supported on distributed tables/, 'no table of another library is taken for one of this server');
$node->safe_psql('cluster', q{SET allow_system_table_mods = on; SELECT dynamo.create_table('songs_102008', 'id');
	CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid oid, shardid bigint CONSTRAINT pg_dist_shard_shardid_index PRIMARY KEY);
	INSERT INTO pg_catalog.pg_dist_shard VALUES ('songs'::regclass, 102008)});
is($node->safe_psql('cluster', q{SELECT dynamo_internal.is_shard('songs_102008'::regclass), dynamo_internal.is_shard('songs'::regclass)}), 't|f', 'nor is a shard');
is($node->safe_psql('postgres', q{LOAD 'dynamo'; SET dynamo.region = 'eu-west-1'; ALTER ROLE app SET dynamo.account_id = '111111111111'; SHOW dynamo.region}),
	'eu-west-1', 'settings of requests are known without their library');
like(($node->psql('postgres', q{LOAD 'dynamo'; SET dynamo.account_id = '1'}))[2], qr/An account id is twelve digits/, 'and checked');
$node->stop;

my $port = PostgreSQL::Test::Cluster::get_free_port();
$node = new_http_node('endpoint', $port, 1, '');
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; SELECT dynamo.create_table('songs', 'id'); GRANT ALL ON songs TO app});
is(libraries_of($node, $put), '1 0 0 0 0', 'nor has a session beside the endpoint');
is(has_library($node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = '$_->[0]'"), 'dynamo_http'), $_->[1], "$_->[0]: $_->[1]")
	for ['dynamo http', 1], ['dynamo flusher', 1], ['dynamo housekeeping', 0], ['checkpointer', 0];
is(has_library($node->safe_psql('postgres', q{SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)}), 'dynamo_api'), 0, 'nor has the postmaster requests');
is(has_library($node->safe_psql('postgres', q{SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)}), 'dynamo_http'), 0, 'postmaster: 0');
$node->safe_psql('postgres', q{SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});
is((api(connect_http($port), 'GetItem', { TableName => 'songs', Key => { id => { S => 'a' } } }))[0], 200, 'requests are served');
$node->stop;

done_testing();
