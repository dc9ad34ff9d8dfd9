# grow.pl: a server with dynamo tables gets Citus and a second node, and becomes one
# server again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub new_server
{
	my ($name, $libraries) = @_;
	my $server = PostgreSQL::Test::Cluster->new($name);

	$server->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
	$server->append_conf('postgresql.conf', qq{
shared_preload_libraries = '$libraries'
wal_level = logical
max_prepared_transactions = 100
fsync = off
jit = off
});
	$server->start;
	return $server;
}

sub value_of
{
	my ($server, $sql) = @_;

	return $server->safe_psql('postgres', "SET client_min_messages = warning; $sql");
}

my $first = new_server('first', 'dynamo');

value_of($first, q{CREATE EXTENSION dynamo;
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'inl', 'G', 'SK');
SELECT dynamo.create_index('shop', 'gsi', 'G', 'SK', storage => 'table');
SELECT dynamo.create_table('small', partition_key => 'id');
SELECT dynamo.put_item('small', '{"id": {"S": "a"}}');
SELECT dynamo.put_item('shop', jsonb_build_object('PK', 'p' || i % 20, 'SK', 's' || i, 'G', 'g' || i % 3))
FROM generate_series(1, 100) i});

my @reads = (q{SELECT count(*), min(item::text) FROM shop},
	q{SELECT dynamo.get_item('shop', '{"PK": {"S": "p7"}, "SK": {"S": "s27"}}')},
	q{SELECT * FROM dynamo.query('shop', 'PK = :p', '{":p": {"S": "p3"}}')},
	q{SELECT * FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'inl')},
	q{SELECT * FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'gsi')},
	q{SELECT dynamo.get_item('small', '{"id": {"S": "a"}}')});
my %expected = map { $_ => value_of($first, $_) } @reads;

sub all_is_there
{
	my ($server, $when) = @_;

	is(value_of($server, $_), $expected{$_}, "$when, " . $server->name . ": $_")
		for grep { $server == $first || !/small/ } @reads;
}

# ---- to Citus ----

$first->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'citus,dynamo'
citus.local_hostname = '${\ $first->host}'
});
$first->restart;
value_of($first, 'CREATE EXTENSION citus');
all_is_there($first, 'with Citus');

my $second = new_server('second', 'citus,dynamo');

value_of($second, 'CREATE EXTENSION citus; CREATE EXTENSION dynamo');
value_of($first, sprintf q{SELECT citus_set_coordinator_host('%s', %d)}, $first->host, $first->port);
value_of($first, sprintf q{SELECT citus_add_node('%s', %d)}, $second->host, $second->port);
value_of($first, q{SELECT dynamo.distribute_table('shop', shards => 8)});
value_of($first, q{SET client_min_messages = error; SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node});
isnt(value_of($second, q{SELECT count(*) FROM pg_dist_shard_placement WHERE nodeport = } . $second->port), 0, 'the second server has shards');
all_is_there($_, 'distributed') for $first, $second;

# ---- and back ----

value_of($second, q{SELECT dynamo.put_item('shop', '{"PK": {"S": "p3"}, "SK": {"S": "later"}}')});
value_of($first, q{SELECT dynamo.delete_item('shop', '{"PK": {"S": "p3"}, "SK": {"S": "later"}}')});
value_of($first, q{SELECT dynamo.undistribute_table('shop')});
all_is_there($first, 'undistributed');
value_of($first, sprintf q{SELECT citus_remove_node('%s', %d)}, $second->host, $second->port);
value_of($first, 'DROP EXTENSION citus CASCADE');
$first->append_conf('postgresql.conf', "shared_preload_libraries = 'dynamo'\n");
$first->restart;
all_is_there($first, 'without Citus');
value_of($first, q{SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "s"}, "G": {"S": "g9"}}')});
is(value_of($first, q{SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g9"}}', index_name => 'gsi')}), 1, 'writes go on');
is(value_of($first, q{SELECT count(*) FROM dynamo.verify_index('shop', 'gsi')}), 0, 'the index is complete');

$_->stop('immediate') for $first, $second;
done_testing();
