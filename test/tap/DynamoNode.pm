# DynamoNode.pm: a server with the extension, for the tests beside this file.
package DynamoNode;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep);

our @EXPORT = qw(wait_until reload_workers new_dynamo_node new_http_node new_database dump_database load_file crash_node start_sessions stop_sessions unexpected_lines items_of
	definitions_of has_pgvector);

# Waits until a test succeeds, for as long as PostgreSQL's own tests wait; returns
# whether it did.
sub wait_until
{
	my ($test) = @_;
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;

	while (!$test->())
	{
		return 0 if time > $end;
		sleep(0.05);
	}
	return 1;
}

# Lets a server read its configuration again, and waits until all workers of the endpoint
# have done so that do not execute a request.  It shows in their application_name, which is
# another one for a moment.
sub reload_workers
{
	my ($node) = @_;

	for ([ q{SET application_name = 'reloaded'}, 'reloaded' ], [ 'RESET application_name', 'dynamo http' ])
	{
		my ($change, $name) = @$_;

		$node->safe_psql('postgres', "ALTER SYSTEM $change");
		$node->reload;
		$node->poll_query_until('postgres', qq{SELECT count(*) = 0 FROM pg_stat_activity
			WHERE backend_type = 'dynamo http' AND state IS DISTINCT FROM 'active' AND application_name <> '$name'})
			or die 'the workers do not read their settings';
	}
}

# Returns a running server whose database postgres has the extension.  Settings are
# lines for postgresql.conf; init options are those of PostgreSQL::Test::Cluster.  Where scripts/test
# runs the tests, the cluster is a copy of one that it has made.
sub new_dynamo_node
{
	my ($name, $settings, %init) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $template = $init{extra} ? '' : $ENV{DYNAMO_TEMPLATE} // '';

	$init{extra} = [ @{ $init{extra} || [] }, '--encoding=UTF8', '--locale=C.UTF-8' ];
	{
		local $ENV{TEMPLATE_CLUSTER} = $template;
		$node->init(%init);
	}
	$node->append_conf('postgresql.conf', $settings) if defined $settings;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION dynamo') if $template eq '';
	return $node;
}

# Returns such a server with the HTTP endpoint at a port.  beside.pl has other libraries
# loaded, with their settings.
sub new_http_node
{
	my ($name, $port, $workers, $settings, %init) = @_;

	return new_dynamo_node(
		$name, qq{
shared_preload_libraries = '@{[ $ENV{DYNAMO_PRELOAD} // 'dynamo' ]}'
@{[ $ENV{DYNAMO_SETTINGS} // '' ]}
dynamo.http_port = $port
dynamo.http_workers = $workers
dynamo.http_listen_addresses = '127.0.0.1'
} . ($settings // ''), %init);
}

# Creates an empty database, copy1 and so on, with the extension if requested;
# returns its name.
my $databases = 0;

sub new_database
{
	my ($node, $extension) = @_;
	my $name = 'copy' . ++$databases;

	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0");
	$node->safe_psql($name, 'CREATE EXTENSION dynamo') if $extension;
	return $name;
}

# Runs two tests: pg_dump writes the file, and psql runs it without an error.
sub dump_database
{
	my ($node, $database, $path, @options) = @_;

	$node->command_ok([ 'pg_dump', '-d', $node->connstr($database), '-f', $path, @options ], "pg_dump @options");
}

sub load_file
{
	my ($node, $database, $path) = @_;
	my ($name) = $path =~ m{([^/]*)$};

	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', $path ],
		"$name loads");
}

# Kills every process of the server at once, so that none of them can clean up.
# Killing only the postmaster would not suffice, because busy backends outlive it.
sub crash_node
{
	my ($node) = @_;
	my $postmaster = $node->{_pid};

	# it starts nobody who is not in the list
	kill 'STOP', $postmaster;
	my @pids = children_of($postmaster);
	$node->kill9;
	kill 'KILL', @pids;
	wait_until(sub { !grep { kill 0, $_ } $postmaster, @pids });
}

# Starts a psql for each statement.  What it says goes to an element of the list $said, line by line.
sub start_sessions
{
	my ($node, $said, @statements) = @_;

	@$said = ('') x @statements;
	return map {
		IPC::Run::start([ 'psql', '-X', '-q', '-A', '-t', '-v', 'VERBOSITY=terse', '-d', $node->connstr('postgres'), '-c', $statements[$_] ],
			'<', '/dev/null', '>', '/dev/null', '2>', \$said->[$_])
	} 0 .. $#statements;
}

# Ends the sessions whose statements are like a pattern.
sub stop_sessions
{
	my ($node, $pattern, @sessions) = @_;

	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '$pattern'");
	$_->finish for @sessions;
	return;
}

# The lines that sessions said besides notices, what is like some other patterns, and the loss of the
# connection, when the server is killed or they are stopped.
sub unexpected_lines
{
	my ($said, @others) = @_;
	my $expected = join '|', @others, 'server closed the connection', 'terminating connection', 'connection to server', 'no connection',
		'This probably means', 'before or while processing', 'the database system is', '^HINT', '^NOTICE', '^DETAIL', '^CONTEXT', '^\s*$',
		'^(SQL|PL/pgSQL) (function|statement|expression)';

	return join "\n", grep { !/$expected/ } map { split /\n/ } @$said;
}

# The processes that a process has started.
sub children_of
{
	my ($parent) = @_;
	my @children;

	for my $file (glob('/proc/[0-9]*/stat'))
	{
		open(my $in, '<', $file) or next;
		my ($pid, $its_parent) = (<$in> // '') =~ /^(\d+) \(.*\) \S (\d+) /s;

		push @children, $pid if defined $its_parent && $its_parent == $parent;
	}
	return @children;
}

# Returns every row of a table with its key columns in order, to compare copies.
sub items_of
{
	my ($node, $database, $table) = @_;

	return $node->safe_psql($database, "SELECT t.* FROM $table t ORDER BY 1, 2");
}

# Returns catalog data about a database's tables and indexes.
sub definitions_of
{
	my ($node, $database) = @_;

	return $node->safe_psql(
		$database, q{
SELECT pg_catalog.format('%s %s %s %s', tgrelid::regclass, tgname, tgenabled, pg_get_triggerdef(oid))
FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1;
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN (SELECT tgrelid FROM pg_trigger) ORDER BY 1});
}

# Whether HNSW indexes can be tested on a server.
sub has_pgvector
{
	my ($node) = @_;

	return $node->safe_psql('postgres', q{
SELECT count(*) FROM pg_available_extension_versions WHERE name = 'vector' AND string_to_array(version, '.')::int[] >= '{0,8}'}) > 0;
}

1;
