# library_upgrade.pl: a version whose libraries alone are new, and then one with an SQL change,
# are installed while sessions and clients of the endpoint write: what was acknowledged is there
# after the restart, sessions of before work until then, and whoever has the old library and
# needs another one of the new version is told what to do.
#
# The server runs from a copy of its files, because the libraries are replaced.  The newer ones
# are those of this version with another number in them, or those of LIBRARIES, a directory
# where another version has been built.  Then the older ones are installed again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use File::Path;
use HttpClient;
use IPC::Run;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# ---- a copy of the server ----

sub pg_config
{
	my ($program, $what) = @_;
	return `$program --$what` =~ s/\s+\z//r;
}

my $copy = PostgreSQL::Test::Utils::tempdir();
my %directory = map { $_ => pg_config('pg_config', $_) } qw(bindir pkglibdir sharedir libdir);
for my $name (qw(bindir pkglibdir sharedir))
{
	File::Path::make_path("$copy$directory{$name}");
	# the bitcode of functions is large, and not used
	system('sh', '-c', 'cd "$1" && tar -cf - --dereference --exclude=./bitcode . | tar -C "$2" -xf -', 'sh', $directory{$name}, "$copy$directory{$name}") == 0
		or die "cannot copy $directory{$name}";
}
my $libraries = pg_config("$copy$directory{bindir}/pg_config", 'pkglibdir');
plan skip_all => 'a copy of the server does not find its own files' if $libraries ne "$copy$directory{pkglibdir}" || !-f "$libraries/dynamo.so";

# The version that a directory's sources have.
sub version_of
{
	return slurp_file("$_[0]/src/version.h") =~ /DYNAMO_VERSION "(.*)"/ ? $1 : die "no version in $_[0]";
}

my $old = version_of("$FindBin::RealBin/../..");
my $new = $ENV{LIBRARIES} ? version_of($ENV{LIBRARIES}) : $old =~ s/(\d)\z/($1 + 1) % 10/er;
my %new_library;
for my $file (glob(($ENV{LIBRARIES} // $libraries) . '/dynamo*.so'))
{
	my ($name) = $file =~ m{([^/]*)\z};
	$new_library{$name} = slurp_file($file);
	next if $ENV{LIBRARIES};
	$new_library{$name} =~ s/(?<!\d)\Q$old\E\0/$new\0/g or die "no version in $name";
}

my %old_library = map { m{([^/]*)\z} ? ($1 => slurp_file($_)) : () } glob("$libraries/dynamo*.so");

# As make install and packages do: another file takes the name, and who has mapped the old one keeps it.
sub install_libraries
{
	my ($library) = @_;

	for my $name (sort keys %$library)
	{
		open(my $out, '>', "$libraries/$name.new") or die;
		binmode $out;
		print $out $library->{$name};
		close($out) or die;
		chmod 0755, "$libraries/$name.new";
		rename "$libraries/$name.new", "$libraries/$name" or die;
	}
}

# ---- the server ----

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = PostgreSQL::Test::Cluster->new('main', install_path => "$copy$directory{bindir}" =~ s{/[^/]*\z}{}r);
$node->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'dynamo'
dynamo.http_port = $port
dynamo.http_workers = 2
dynamo.http_listen_addresses = '127.0.0.1'
});
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION dynamo;
ALTER DATABASE postgres SET search_path = public, dynamo;
CREATE ROLE app LOGIN;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SELECT dynamo.create_table('load', 'PK');
SELECT dynamo.create_index('load', 'inline', 'G', 'PK');
SELECT dynamo.create_index('load', 'kept', 'G', 'PK', storage => 'table');
SELECT dynamo.enable_stream('load');
SELECT dynamo.create_entity('load', 'thing', '{"PK": "thing#{n:04}"}', '{"n": "int", "name": "text"}', type_attribute => 'kind', view_name => 'things');
INSERT INTO things (n) SELECT i FROM generate_series(1, 100) i;
GRANT ALL ON load TO app});
is($node->safe_psql('postgres', 'SELECT dynamo.version()'), $old, 'the version of before');

# ---- those who write ----

# The keys that were acknowledged, one in each line of a file.
my %writer;

END
{
	kill 'KILL', grep { defined } map { $_->{pid} } values %writer;
}

sub start_writer
{
	my ($name, $write) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$name";
	my $pid = fork // die;

	if ($pid == 0)
	{
		open(my $out, '>', $file) or POSIX::_exit(1);
		$out->autoflush(1);
		local $SIG{PIPE} = 'IGNORE';
		for (my $i = 1; !-e "$file.end"; $i++)
		{
			eval { $write->("$name.$i") } ? print $out "$name.$i\n" : sleep(0.02);
		}
		POSIX::_exit(0);
	}
	$writer{$name} = { pid => $pid, file => $file };
}

sub acknowledged
{
	return split /\n/, slurp_file($writer{ $_[0] }{file});
}

# Waits until each of them has written some more.
sub all_write
{
	my ($when) = @_;
	my %before = map { $_ => scalar(acknowledged($_)) } keys %writer;

	is(join(' ', grep { my $name = $_; !wait_until(sub { acknowledged($name) >= $before{$name} + 5 }) } sort keys %writer), '', "all write: $when");
}

# each write in a session of its own
start_writer('sessions', sub {
	my ($key) = @_;
	return IPC::Run::run([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-c',
		"SELECT dynamo.put_item('load', dynamo.build_item('PK', '$key', 'G', 'g'))" ], '>', \my $out, '2>', \my $errors);
});
# one session for as long as the server lets it be
my ($session, $to, $from);
start_writer('session', sub {
	my ($key) = @_;
	if (!$session)
	{
		($to, $from) = ('', '');
		$session = IPC::Run::start([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres') ], '<', \$to, '>', \$from, '2>', '/dev/null');
	}
	$to .= "SELECT dynamo.put_item('load', dynamo.build_item('PK', '$key', 'G', 'g'));\n\\echo written $key\n";
	return 1 if eval { $session->pump until $from =~ /^written \Q$key\E$/m || !$session->pumpable; $from =~ /^written \Q$key\E$/m };
	eval { $session->kill_kill };
	undef $session;
	return 0;
});
# clients of the endpoint, that connect again
for my $name ('http1', 'http2')
{
	my $socket;
	start_writer($name, sub {
		my ($key) = @_;
		$socket ||= connect_http($port) or return 0;
		my $answer = eval { exchange($socket, signed_request('PutItem', qq({"TableName": "load", "Item": {"PK": {"S": "$key"}, "G": {"S": "g"}}}))) };
		return 1 if $answer && $answer->{status} == 200;
		$socket->close;
		undef $socket;
		return 0;
	});
}

# A session runs one statement after the other.
sub open_session
{
	my ($in, $out, $errors) = ('', '', '');
	my $run = IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$errors, IPC::Run::timeout(180));
	return sub {
		my ($statement) = @_;
		($out, $errors) = ('', '');
		$in .= "$statement;\n\\echo end\n\\warn end\n";
		$run->pump until $out =~ /^end\n/m && $errors =~ /^end\n/m;
		return ($out . $errors) =~ s/^end\n//gmr =~ s/\n\z//r;
	};
}

# What a process says that has loaded one version of dynamo and needs another one of dynamo_api.
sub refusal
{
	my ($api, $kernel, $hint) = @_;
	return qr/ERROR:  library "dynamo_api" has version \Q$api\E, but "dynamo" has version \Q$kernel\E\nDETAIL:  .*\nHINT:  \Q$hint\E/;
}

# ---- libraries alone ----

my $has_all = open_session();
my $has_kernel = open_session();
my $list = q{SELECT dynamo.request('ListTables', '{}') ->> 'TableNames'};
is($has_all->($list), '["load"]', 'a session that has the library of requests');
is($has_kernel->('SELECT dynamo.version()'), $old, 'and one that does not');
all_write('before');
install_libraries(\%new_library);
all_write('while the server has the old libraries');
is($has_all->($list), '["load"]', 'a session of before executes requests');
is($has_all->('SELECT dynamo.version()'), $old, 'with the old version');
my $refusal = refusal($new, $old, 'Restart the server.');
like($has_kernel->($list), $refusal, 'one that has not loaded the library of requests is told to restart the server');
like($has_kernel->($list), $refusal, 'each time');
is($has_kernel->(q{SELECT count(*) FROM things}), '100', 'and reads and writes as before');
my $connected = open_session();
is($connected->('SELECT dynamo.version()'), $old, 'a session of now has the old library');
like($connected->($list), $refusal, 'and is told the same');
is($connected->(q{UPDATE things SET name = 'new' WHERE n = 1; SELECT count(*) FROM things WHERE name = 'new'}), '1', 'and reads and writes, too');
$node->restart;
is($node->safe_psql('postgres', 'SELECT dynamo.version()'), $new, 'the new version');
is($node->safe_psql('postgres', $list), '["load"]', 'executes requests');
all_write('after the restart');

# ---- an SQL change ----

my ($default) = slurp_file("$copy$directory{sharedir}/extension/dynamo.control") =~ /default_version = '(.*)'/;
append_to_file("$copy$directory{sharedir}/extension/dynamo--$default--$default.test.sql", q{
CREATE FUNCTION dynamo.of_the_next_version() RETURNS text LANGUAGE sql AS 'SELECT ''next''';
});
$node->safe_psql('postgres', "ALTER EXTENSION dynamo UPDATE TO '$default.test'");
is($node->safe_psql('postgres', 'SELECT dynamo.of_the_next_version()'), 'next', 'an SQL change');
all_write('after ALTER EXTENSION');

# ---- what was acknowledged ----

my $written = 0;
for my $name (sort keys %writer)
{
	append_to_file("$writer{$name}{file}.end", '');
	waitpid($writer{$name}{pid}, 0);
	delete $writer{$name}{pid};
	my @keys = acknowledged($name);
	my %there = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', qq{SELECT item ->> 'PK' FROM load WHERE item ->> 'PK' LIKE '$name.%'});
	is(join(' ', grep { !$there{$_} } @keys), '', "$name: every write that was acknowledged");
	$written += @keys;
}
note("$written writes");
is($node->safe_psql('postgres', q{SELECT string_agg(p::text, '') FROM unnest('{inline,kept}'::text[]) i, dynamo.verify_index('load', i) p}), '', 'indexes');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM dynamo.query('load', 'G = :g', '{":g": {"S": "g"}}', index_name => 'kept')) = (SELECT count(*) FROM load WHERE item ->> 'G' = 'g')}), 't', 'the index finds all of it');
is($node->safe_psql('postgres', q{SELECT count(DISTINCT keys ->> 'PK') = (SELECT count(*) FROM load) FROM dynamo.read_stream('load', max_records => 10000000)}), 't', 'the stream has each');

# ---- back, on a server that does not preload the library ----

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
my $session_of_new = open_session();
is($session_of_new->('SELECT dynamo.version()'), $new, 'a session that has loaded the newer library itself');
install_libraries(\%old_library);
like($session_of_new->($list), refusal($old, $new, 'Connect again.'), 'is told to connect again');
$connected = open_session();
is($connected->("SELECT dynamo.version(); $list"), qq($old\n["load"]), 'and a new session has the older libraries');
is($connected->(q{SELECT count(*) FROM things}), '100', 'which read what the newer ones have written');
$node->stop;

done_testing();
