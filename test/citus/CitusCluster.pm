# CitusCluster.pm: a coordinator and two workers with the extension, for the tests beside this file.
package CitusCluster;

use strict;
use warnings;
use Exporter 'import';
use File::Temp;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_citus_cluster stop_citus_cluster endpoint_settings value_of refuses through_citus
	shards_on key_on set_standby start_session move_shard move_when_clean count_up acknowledged);

# Where scripts/test runs the tests, each node is a copy of one that it has made.
sub new_citus_node
{
	my ($name, $settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $template = $ENV{CITUS_TEMPLATE} // '';

	{
		local $ENV{TEMPLATE_CLUSTER} = $template;
		$node->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
	}
	$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'citus,dynamo'
wal_level = logical
max_wal_senders = 10
max_replication_slots = 10
max_prepared_transactions = 100
max_connections = 60
fsync = off
jit = off
citus.shard_count = 4
citus.local_hostname = '${\ $node->host}'
citus.enable_unsafe_triggers = on
citus.enable_statistics_collection = off
} . ($settings // ''));
	$node->start;
	# a copy has the identity by which Citus tells nodes from each other
	$node->safe_psql('postgres', $_) for $template eq '' ? ('CREATE EXTENSION citus', 'CREATE EXTENSION dynamo')
		: q{UPDATE pg_dist_node_metadata SET metadata = jsonb_set(metadata, '{server_id}', to_jsonb(gen_random_uuid()))};
	return $node;
}

# The coordinator and its workers.  Settings are further lines for the
# configuration of one of them, by name: coordinator, worker1, worker2.
sub new_citus_cluster
{
	my (%settings) = @_;
	my ($coordinator, @workers) = map { new_citus_node($_, $settings{$_}) } qw(coordinator worker1 worker2);

	$coordinator->safe_psql('postgres', sprintf q{SELECT citus_set_coordinator_host('%s', %d)},
		$coordinator->host, $coordinator->port);
	$coordinator->safe_psql('postgres', sprintf q{SELECT citus_add_node('%s', %d)}, $_->host, $_->port)
		for @workers;
	return ($coordinator, @workers);
}

sub stop_citus_cluster
{
	$_->stop('immediate') for @_;
}

# The settings of a node's endpoint: its port; the role of all requests, if they need no
# signature; and further lines.
sub endpoint_settings
{
	my ($port, $role, @more) = @_;
	my @lines = ("dynamo.http_port = $port", 'dynamo.http_workers = 1', "dynamo.http_listen_addresses = '127.0.0.1'");

	push @lines, "dynamo.http_authentication = 'none'", "dynamo.http_role = '$role'" if defined $role;
	push @lines, 'dynamo.http_allow_superuser = on' if ($role // '') eq 'postgres';
	return join '', map { "$_\n" } @lines, @more;
}

# What statements return on a node.
sub value_of
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', "SET search_path = public, dynamo; SET client_min_messages = warning; $sql");
}

# A test: the statement fails with this message.
sub refuses
{
	my ($node, $sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "SET search_path = public, dynamo; $sql");

	like($error, qr/ERROR:  $message/, $name // ($node->name . ": $sql"));
}

# Whether Citus ran statements for the operations of a session: yes, no, or the error.
sub through_citus
{
	my ($node, $sql) = @_;
	my ($status, $out, $error) = $node->psql('postgres',
		"SET search_path = public, dynamo; SET citus.log_remote_commands = on; SET citus.log_local_commands = on; $sql");

	return $error =~ /ERROR/ ? $error : $error =~ /issuing|executing/ ? 'yes' : 'no';
}

# The names of a table's shards on a node, in the order of their numbers.
sub shards_on
{
	my ($node, $table) = @_;

	return split /\n/, $node->safe_psql('postgres', qq{
SELECT shard_name(logicalrelid, shardid) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
WHERE logicalrelid = '$table'::regclass AND groupid = (SELECT groupid FROM pg_dist_local_group) ORDER BY shardid});
}

# A partition key, of the form p1, whose shard is on a node; the numbers are tried from $from on.
sub key_on
{
	my ($node, $table, $from) = @_;

	return value_of($node, qq{SELECT k FROM generate_series($from, 100000) i, LATERAL (SELECT 'p' || i AS k) k,
	pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
WHERE s.logicalrelid = '$table'::regclass AND hashtext(k) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int
	AND p.groupid = (SELECT groupid FROM pg_dist_local_group) LIMIT 1});
}

# PREPARE TRANSACTION and the commit that decides both wait for synchronous standbys after
# they have been written: naming one that does not exist holds a session exactly there.
sub set_standby
{
	my ($node, $name) = @_;

	$node->append_conf('postgresql.conf', "synchronous_standby_names = '$name'");
	$node->reload if defined $node->{_pid};
}

# Starts psql on a node with statements, in a file, so that it does not wait for this
# program; their results are in out and err when run has finished.
sub start_session
{
	my ($node, $sql) = @_;
	my $session = { out => '', err => '', file => File::Temp->new, node => $node->name, sql => $sql };

	print { $session->{file} } "SET search_path = public, dynamo;\n\\set VERBOSITY terse\n$sql;\n";
	$session->{file}->flush;
	$session->{run} = IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-f', $session->{file}->filename ],
		'>', \$session->{out}, '2>', \$session->{err});
	return $session;
}

# Moves shards by a statement.  Citus drops what a move has left behind later, or at the next
# move: it waits one second for the locks of others, and passes over what its daemon is about to
# drop.  Until that is gone, it refuses to move the shard back.
sub move_when_clean
{
	my ($coordinator, $sql) = @_;

	for (1 .. $PostgreSQL::Test::Utils::timeout_default)
	{
		return if eval { value_of($coordinator, $sql); 1 };
		die $@ if $@ !~ /shard move failed as the orphaned shard/;
		sleep 1;
	}
	die 'a shard could not be moved';
}

# Moves the first shard of a table on a node to another one.
sub move_shard
{
	my ($coordinator, $table, $from, $to, $mode) = @_;

	move_when_clean($coordinator, sprintf q{SELECT citus_move_shard_placement(shardid, '%s', %d, '%s', %d, '%s')
FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
WHERE logicalrelid = '%s'::regclass AND nodeport = %d ORDER BY shardid LIMIT 1},
		$from->host, $from->port, $to->host, $to->port, $mode, $table, $from->port);
	return;
}

# Adds 1 to counters of 20 partitions, one statement after another, and reads each
# back; prints done or what it read instead.  Half of the writes are all that their
# statements do.
sub count_up
{
	my ($name, $times) = @_;

	return join ";\n", map {
		my $key = sprintf '{"PK": {"S": "%s_%d"}, "SK": {"S": "n"}}', $name, $_ % 20;
		my $update = sprintf q~dynamo.update_item('kvs', '%s', 'ADD n :n SET G = :g', NULL, '{":n": {"N": "1"}, ":g": {"S": "g%d"}}', return_values => 'UPDATED_NEW')~,
			$key, $_ % 3;
		my $whole = int($_ / 20) % 2;
		my $first = $whole ? "SELECT $update AS u \\gset\n" : '';
		my $from = $whole ? q~CAST(nullif(:'u', '') AS dynamo.item)~ : $update;
		sprintf q~\set done failed
\set u
%sSELECT CASE WHEN u ->> 'n' <> '' THEN 'done' ELSE 'nothing' END AS done, u ->> 'n' AS n
FROM %s u \gset
\echo :done
SELECT 'stale' WHERE dynamo.get_item('kvs', '%s') ->> 'n' IS DISTINCT FROM :'n'~, $first, $from, $key;
	} 1 .. $times;
}

sub acknowledged
{
	my (@sessions) = @_;
	my $n = 0;

	$n += () = $_->{out} =~ /^done$/mg for @sessions;
	return $n;
}

1;
