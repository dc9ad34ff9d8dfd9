# added_node.pl: a node that is added to the cluster when tables exist, a table that is
# brought back to one server and distributed again, and one that is restored from a backup.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $directory = PostgreSQL::Test::Utils::tempdir;
my @nodes = new_citus_cluster(coordinator => "dynamo.archive_directory = '$directory'");
my ($coordinator, $worker, $later) = @nodes;

# ---- a node that is added later ----

value_of($coordinator, sprintf q{SELECT citus_remove_node('%s', %d)}, $later->host, $later->port);
value_of($coordinator, q{SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid = 0});
value_of($coordinator, q{CREATE ROLE reader LOGIN; SELECT create_table('grown', 'PK', 'SK'); SELECT create_index('grown', 'inl', 'G'); SELECT create_index('grown', 'gsi', 'H', storage => 'table');
SELECT enable_stream('grown'); SELECT distribute_table('grown', 6)});
value_of($coordinator, q{SELECT create_entity('grown', 'thing', '{"PK": "T#{t}", "SK": "S"}', attributes => '{"t": "text", "n": "int"}', view_name => 'grown_things');
GRANT SELECT, UPDATE (n) ON grown_things TO reader; GRANT SELECT, UPDATE ON grown TO reader; INSERT INTO grown_things (t, n) SELECT 'i' || i, i FROM generate_series(1, 5) i});
value_of($coordinator, sprintf q{SELECT citus_add_node('%s', %d)}, $later->host, $later->port);
refuses($later, q{SELECT complete_entity_views()}, 'entity views are completed from the Citus coordinator');
value_of($coordinator, q{SELECT complete_entity_views(); SELECT complete_entity_views()});
value_of($coordinator, q{SELECT rebalance_table_shards('grown', shard_transfer_mode => 'block_writes')});
isnt(scalar(shards_on($later, 'grown')), 0, 'the node has shards');
is(value_of($later, q{INSERT INTO grown_things (t, n) VALUES ('later', 1); UPDATE grown_things SET n = n + 1 WHERE t = 'later' RETURNING n; SET ROLE reader;
UPDATE grown_things SET n = n + 1 WHERE t = 'i5' RETURNING n}), "2\n6", 'views can be written there, with their privileges');
my $absent = value_of($coordinator, q{SELECT dynamo_internal.item_send('{"PK": {"S": "absent"}, "SK": {"S": "s"}}')});
value_of($_, qq{SET ROLE reader; UPDATE grown_things SET n = n + 1; SELECT dynamo_system.row_on_shard(5, 'public', 'grown', 4, '$absent')}) for @nodes;
refuses($_, qq{SET ROLE reader; SELECT dynamo_system.row_on_shard(5, 'public', 'grown', 5, '$absent')}, 'permission denied for table grown') for @nodes;
is(value_of($later, q{SELECT sum(n) FROM grown_things; SELECT count(*) FROM scan('grown')}), "36\n6", 'the right to update is enough to update, on any node, and not to insert');
refuses($later, q{SET ROLE reader; UPDATE grown_things SET t = 'x'}, 'permission denied for view grown_things');
value_of($coordinator, q{SELECT put_item('grown', build_item('PK', 'p' || i, 'SK', 'later')) FROM generate_series(1, 20) i; SELECT create_index('grown', 'third', 'SK', storage => 'table');
SELECT create_index('grown', 'fourth', 'SK'); SELECT update_time_to_live('grown', 'ttl', true); SELECT disable_stream('grown'); SELECT enable_stream('grown')});
value_of($later, q{SELECT put_item('grown', build_item('PK', 'q' || i, 'SK', 'later', 'ttl', (extract(epoch FROM now()) - 5)::int8)) FROM generate_series(1, 20) i});
value_of($coordinator, q{SELECT wait_for_index('grown', 'third')});
is(value_of($later, qq{SELECT count(*) FROM query('grown', 'SK = :s', '{":s": {"S": "later"}}', index_name => '$_')}), 40, "index $_") for 'third', 'fourth';
is(value_of($later, q{SELECT count(*) FROM read_stream('grown'); SELECT delete_expired('grown'); SELECT count(*) FROM scan('grown')}), "20\n20\n26", 'the stream, and time to live');

# ---- back to one server, and again ----

value_of($coordinator, q{SELECT create_table('back', 'PK', 'SK'); SELECT create_index('back', 'first', 'G', storage => 'table'); SELECT create_index('back', 'second', 'H', storage => 'table');
SELECT create_index('back', 'inl', 'G'); SELECT update_time_to_live('back', 'ttl', true); SELECT enable_stream('back');
SELECT create_entity('back', 'thing', '{"PK": "T#{t}", "SK": "S#{s}", "G": "G#{g}", "H": "H#{g}"}', attributes => '{"t": "text", "s": "text", "g": "text", "ttl": "bigint"}', view_name => 'back_things');
SELECT distribute_table('back')});
value_of($_, sprintf q{INSERT INTO back_things (t, s, g, ttl) SELECT '%s' || i, 's', i %% 2, extract(epoch FROM now())::int8 + 1000 FROM generate_series(1, 4) i}, $_->name) for @nodes;
for my $round (1, 2)
{
	my ($status, $out, $warnings) = $coordinator->psql('postgres', q{SELECT dynamo.undistribute_table('back')});

	unlike($warnings, qr/WARNING|ERROR/, 'a table comes back');
	is(value_of($coordinator, qq{SELECT count(*) FROM verify_index('back', '$_')}), 0, "index $_ is complete") for 'first', 'second', 'inl';
	is(value_of($coordinator, q{SELECT count(*) FROM scan('back'); SELECT count(*) FROM query('back', 'H = :h', '{":h": {"S": "H#1"}}', index_name => 'second'); SELECT count(*) FROM back_things;
SELECT count(*) FROM streams WHERE table_name = 'back' AND status = 'ENABLED'; SELECT definition ->> 'time_to_live' FROM tables WHERE table_name = 'back'}),
		"12\n6\n12\n1\nttl", 'it is complete');
	value_of($coordinator, q{SELECT distribute_table('back', 2)});
	is(value_of($_, q{UPDATE back_things SET g = g WHERE t = 'worker11' RETURNING s; SELECT count(*) FROM back_things}), "s\n12", $_->name . ': distributed again') for @nodes;
}

# ---- backups ----

sub request
{
	my ($operation, $input) = @_;

	return value_of($coordinator, qq{SET dynamo.new_table_shards = 3; SELECT request('$operation', '$input')});
}

my ($backup) = request('CreateBackup', '{"TableName": "back", "BackupName": "kept"}') =~ /"BackupArn":"([^"]*)"/;
my $is_there = q{SELECT dynamo.request('%s', '{"%s": "%s"}')::text LIKE '%%"%s":"%s"%%'};

$coordinator->poll_query_until('postgres', sprintf $is_there, 'DescribeBackup', 'BackupArn', $backup, 'BackupStatus', 'AVAILABLE');
request('RestoreTableFromBackup', qq({"BackupArn": "$backup", "TargetTableName": "restored"}));
$coordinator->poll_query_until('postgres', sprintf $is_there, 'DescribeTable', 'TableName', 'restored', 'TableStatus', 'ACTIVE');
is(value_of($coordinator, q{SELECT wait_for_index('restored', 'second'); SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'restored'::regclass}), "t\n3", 'a restored table is distributed');
is(value_of($_, q{SELECT count(*) FROM scan('restored'); SELECT count(*) FROM query('restored', 'H = :h', '{":h": {"S": "H#1"}}', index_name => 'second');
SELECT put_item('restored', '{"t": "back", "s": "1", "g": "3"}'::jsonb) IS NULL; SELECT count(*) FROM delete_item('restored', '{"PK": {"S": "T#back"}, "SK": {"S": "S#1"}}')}),
	"12\n6\nt\n1", $_->name . ': and complete, with its entity') for @nodes;

# ---- a dump ----

# Changes that are recorded in the dump and not applied are missing in the index.
value_of($coordinator, q{ALTER SYSTEM SET dynamo.index_changes_interval = 0; SELECT pg_reload_conf()});
value_of($coordinator, q{SELECT wait_for_index('back', 'second')});

sub in_database
{
	my ($database, $sql) = @_;
	my ($status, $out, $error) = $coordinator->psql($database, "SET search_path = public, dynamo; SET client_min_messages = error; $sql");

	return $error ne '' ? $error : $out;
}

for my $changes (0, 1)
{
	my $database = "dumped$changes";
	my $file = "$directory/$database.sql";

	value_of($worker, q{SELECT put_item('back', '{"t": "dumped", "s": "1", "g": "1"}'::jsonb)}) if $changes;
	command_ok([ 'pg_dump', '-d', $coordinator->connstr('postgres'), '-t', 'back*', '-f', $file ], 'a dump');
	$coordinator->safe_psql('postgres', "CREATE DATABASE $database");
	$coordinator->safe_psql($database, $_) for 'CREATE EXTENSION citus', 'CREATE EXTENSION dynamo';
	$coordinator->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $coordinator->connstr($database), '-f', $file ], 'is restored');
	is(in_database($database, q{SELECT count(*) FROM scan('back'); SELECT count(*) FROM verify_index('back', 'second'); SELECT count(*) FROM verify_index('back', 'inl')}), (12 + $changes) . "\n$changes\n0", 'as a table of one server');
	like(in_database($database, q{SELECT put_item('back', '{"t": "x", "s": "1", "g": "1"}'::jsonb)}), qr/stream "back\$stream\S*" of a distributed table is not distributed/, 'whose stream cannot go on');
	in_database($database, q{SELECT disable_stream('back'); SELECT put_item('back', '{"t": "x", "s": "1", "g": "1"}'::jsonb)});
	if ($changes)
	{
		like(in_database($database, q{SELECT distribute_table('back', 2)}), qr/cannot distribute table "back", whose index tables lack changes/, 'with changes that are not applied');
		is(in_database($database, q{SELECT reindex('back', 'first'); SELECT reindex('back', 'second'); DROP TABLE "back$changes"; SELECT count(*) FROM verify_index('back', 'second')}), "\n\n0", 'repaired');
	}
	in_database($database, sprintf q{SELECT citus_set_coordinator_host('%s', %d); SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node}, $coordinator->host, $coordinator->port);
	is(in_database($database, q{SELECT distribute_table('back', 2)}), '', 'it can be distributed');
	is(in_database($database, q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'back'::regclass; SELECT count(*) FROM scan('back')}), "2\n" . (13 + $changes), 'distributed again');
}

stop_citus_cluster(@nodes);
done_testing();
