# shard_work.pl: work on whole distributed tables runs on each shard, at its node:
# deletion of expired items, verification of inline indexes, imports.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %settings = map { $_ => endpoint_settings(PostgreSQL::Test::Cluster::get_free_port(), undef, 'dynamo.housekeeping_interval = 0') } qw(coordinator worker1 worker2);
my ($coordinator, $worker, $other) = new_citus_cluster(%settings);
my @nodes = ($coordinator, $worker, $other);

# ---- time to live ----

value_of($coordinator, q{SELECT dynamo.create_table('sessions', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.update_time_to_live('sessions', 'ttl', true);
SELECT dynamo.put_item('sessions', jsonb_build_object('PK', 'p' || i, 'SK', 'before', 'ttl', extract(epoch FROM now())::int8 - i)) FROM generate_series(1, 40) i;
SELECT dynamo.distribute_table('sessions', shards => 6)});

# Items that have expired, and others that have not, put through two nodes.
sub put_items
{
	my ($n) = @_;

	value_of($_->[0], qq{SELECT dynamo.put_item('sessions', jsonb_build_object('PK', 'p' || i, 'SK', '$_->[1]', 'n', i, 'ttl', extract(epoch FROM now())::int8 + $_->[2]))
FROM generate_series(1, $n) i}) for [ $coordinator, 'a', -60 ], [ $worker, 'b', -60 ], [ $worker, 'later', 3600 ];
	return;
}

my $count = q{SELECT count(*) FILTER (WHERE (item ->> 'ttl')::numeric < extract(epoch FROM now())), count(*) FROM sessions};

put_items(30);
is(value_of($other, $count), '100|130', 'items that have expired are still there');
is(value_of($worker, q{BEGIN; SELECT dynamo.delete_expired('sessions'); ROLLBACK}), 100, 'a node deletes those of all nodes');
is(value_of($other, $count), '100|130', 'in its transaction, which is rolled back');
is(value_of($worker, q{SELECT dynamo.delete_expired('sessions', 7)}), 7, 'not more than it is told');
is(value_of($coordinator, q{SELECT dynamo.delete_expired('sessions')}), 93, 'the rest, through the coordinator');
is(value_of($other, $count), '0|30', 'only those');
is(value_of($coordinator, q{SELECT count(*) FROM pg_prepared_xacts}), 0, 'no prepared transaction is left');
value_of($coordinator, q{CREATE ROLE reader LOGIN; GRANT SELECT ON sessions TO reader});
refuses($worker, q{SET ROLE reader; SELECT dynamo.delete_expired('sessions')}, 'permission denied for table sessions');

# Each node does its own.
put_items(30);
my %of_node = map { $_->name => value_of($_, q{SELECT dynamo.delete_expired()}) } @nodes;
is($of_node{coordinator}, 0, 'the coordinator has no shard');
cmp_ok($of_node{$_}, '>', 0, "$_ deletes from its shards") for qw(worker1 worker2);
is($of_node{worker1} + $of_node{worker2}, 60, 'together all');
is(value_of($other, $count), '0|30', 'none is left');

# A shard that has been moved away is left alone; where it is, its items are deleted.
put_items(30);
my $shards = shards_on($worker, 'sessions');
move_shard($coordinator, 'sessions', $worker, $other, 'force_logical');
is(shards_on($worker, 'sessions') - $shards, -1, 'a shard was moved');
for my $node (@nodes)
{
	$node->safe_psql('postgres', 'ALTER SYSTEM SET dynamo.housekeeping_interval = 1');
	$node->reload;
}
ok($other->poll_query_until('postgres', "SELECT count(*) = 0 FROM sessions WHERE (item OPERATOR(dynamo.->>) 'ttl')::numeric < extract(epoch FROM now())"),
	'housekeeping of each node deletes from its shards');
is(value_of($coordinator, q{SELECT count(*) FROM sessions}), 30, 'only what has expired');
unlike(slurp_file($_->logfile), qr/dynamo housekeeping.*ERROR|is not supported on distributed tables/, $_->name . ': without errors') for @nodes;
value_of($coordinator, q{SELECT dynamo.undistribute_table('sessions')});
is(value_of($coordinator, q{SELECT dynamo.put_item('sessions', '{"PK": {"S": "p1"}, "SK": {"S": "late"}, "ttl": {"N": "1"}}'); SELECT count(*) FROM sessions}), "\n31",
	'the table comes back with its time to live');

# ---- verification of indexes ----

value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK'); SELECT dynamo.create_index('kvs', 'inl', 'G', 'SK');
SELECT dynamo.distribute_table('kvs', shards => 6);
SELECT dynamo.put_item('kvs', jsonb_build_object('PK', 'p' || i % 50, 'SK', 's' || i, 'G', 'g' || i % 3)) FROM generate_series(1, 200) i});
is(value_of($_, q{SELECT * FROM dynamo.verify_index('kvs', 'inl')}), '', $_->name . ': a sound index') for @nodes;
for my $node ($worker, $other)
{
	my ($shard) = shards_on($node, 'kvs');
	my $trigger = '"~dynamo_derive_keys_' . ($shard =~ s/.*_//r) . '"';

	value_of($node, qq{SET citus.enable_manual_changes_to_shards = on;
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE; ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
ALTER TABLE $shard DISABLE TRIGGER $trigger;
UPDATE $shard SET "G" = 'wrong' WHERE "SK" = (SELECT min("SK") FROM $shard);
ALTER TABLE $shard ENABLE ALWAYS TRIGGER $trigger;
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS; ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS});
}
my $problems = value_of($coordinator, q{SELECT problem, key ->> 'PK' <> '', detail FROM dynamo.verify_index('kvs', 'inl') ORDER BY 1, 2, 3});
is($problems, join("\n", ('stale column|t|Column "G" differs from attribute "G" of the item.') x 2), 'columns that are wrong on two nodes');
is(value_of($_, q{SELECT count(*) FROM dynamo.verify_index('kvs', 'inl')}), 2, $_->name . ' finds both') for $worker, $other;
value_of($coordinator, q{DELETE FROM kvs WHERE "G" = 'wrong'});
is(value_of($worker, q{SELECT * FROM dynamo.verify_index('kvs', 'inl')}), '', 'without these rows the index is sound');
refuses($worker, q{SELECT * FROM dynamo.verify_index('kvs', 'none')}, 'Requested resource not found');
refuses($worker, q{SET ROLE reader; SELECT * FROM dynamo.verify_index('kvs', 'inl')}, 'must be owner of table kvs');

# ---- import ----

my $file = $worker->basedir . '/items.json';
open(my $out, '>', $file) or die;
print $out map { qq({"Item": {"PK": {"S": "i$_"}, "SK": {"S": "a"}, "n": {"N": "$_"}}}\n) } 1 .. 300;
close($out);
is(value_of($worker, qq{SELECT * FROM dynamo.import_items('kvs', '$file')}), '300|0', 'an import through a worker');
is(value_of($other, q{SELECT count(*), count(DISTINCT "PK"), sum((item ->> 'n')::numeric) FROM kvs WHERE "SK" = 'a'}), '300|300|45150', 'has written the items on all nodes');
is(value_of($coordinator, q{SELECT count(*) FROM generate_series(1, 300) i WHERE dynamo.get_item('kvs', jsonb_build_object('PK', 'i' || i, 'SK', 'a')) ->> 'n' = i::text}), 300,
	'each in the shard of its key');
is(value_of($worker, q~SELECT * FROM dynamo.import_lines('kvs', ARRAY['{"Item": {"PK": {"S": "j1"}, "SK": {"S": "a"}}}', 'no line', '{"Item": {"PK": {"S": "j2"}, "SK": {"S": "a"}}}'], skip_errors => true)~),
	'2|1', 'lines that are wrong are skipped');
is(value_of($worker, qq{BEGIN; SELECT dynamo.import_lines('kvs', ARRAY(SELECT dynamo.export_line(jsonb_build_object('PK', 'k' || i, 'SK', 'a')) FROM generate_series(1, 50) i)); ROLLBACK;
	SELECT count(*) FROM kvs WHERE "PK" LIKE 'k%'}), "(50,0)\n0", 'an import that is rolled back');

stop_citus_cluster(@nodes);
done_testing();
