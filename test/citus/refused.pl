# refused.pl: dynamo tables under Citus.  What works on a table that is distributed
# by a key attribute has the same result on every node; whatever would succeed with a
# wrong result is an error that says why.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $http_port = PostgreSQL::Test::Cluster::get_free_port();
my ($coordinator, $worker, $other) = new_citus_cluster(worker1 => endpoint_settings($http_port, 'postgres'));

sub run_all
{
	value_of($coordinator, $_) for @_;
}

my $operation = 'this operation is not supported on distributed tables';

# ---- what works ----

run_all(q{SELECT dynamo.create_table('kvt', partition_key => 'PK', sort_key => 'SK')},
	q{SELECT dynamo.create_index('kvt', 'inl', 'G', 'SK')},
	q{SELECT create_distributed_table('kvt', 'PK')},
	q{SELECT dynamo.create_table('plain', partition_key => 'PK', sort_key => 'SK')},
	q{SELECT dynamo.create_index('plain', 'inl', 'G', 'SK')});
for my $table ('kvt', 'plain')
{
	my $node = $table eq 'kvt' ? $worker : $coordinator;

	value_of($coordinator, qq{SELECT dynamo.put_item('$table', jsonb_build_object('PK', 'p' || i % 7, 'SK', 's' || i, 'G', 'g' || i % 3))
FROM generate_series(1, 40) i});
	value_of($node, qq{SELECT dynamo.update_item('$table', '{"PK": {"S": "p1"}, "SK": {"S": "s1"}}', 'SET n = :n', NULL, '{":n": {"N": "1"}}');
SELECT dynamo.delete_item('$table', '{"PK": {"S": "p2"}, "SK": {"S": "s2"}}');
SELECT dynamo.request('BatchWriteItem', '{"RequestItems": {"$table": [{"PutRequest": {"Item": {"PK": {"S": "b1"}, "SK": {"S": "x"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "b2"}, "SK": {"S": "x"}}}}, {"DeleteRequest": {"Key": {"PK": {"S": "p3"}, "SK": {"S": "s3"}}}}]}}')});
}
for my $read (q{SELECT dynamo.get_item('%s', '{"PK": {"S": "p1"}, "SK": {"S": "s1"}}')},
	q{SELECT * FROM dynamo.query('%s', 'PK = :p AND begins_with(SK, :s)', '{":p": {"S": "p1"}, ":s": {"S": "s"}}')},
	q{SELECT * FROM dynamo.query('%s', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'inl')},
	q{SELECT item FROM dynamo.scan('%s') item ORDER BY 1},
	q{SELECT item FROM generate_series(0, 2) s, dynamo.scan('%s', segment => s, total_segments => 3) item ORDER BY 1},
	q{SELECT "PK", "SK", item FROM %s ORDER BY 1, 2},
	q{SELECT dynamo.request('Query', '{"TableName": "%s", "Select": "COUNT", "KeyConditionExpression": "PK = :p",
		"ExpressionAttributeValues": {":p": {"S": "p1"}}}')})
{
	my $expected = value_of($coordinator, sprintf $read, 'plain');

	isnt($expected, '', 'there is something to read');
	is(value_of($_, sprintf $read, 'kvt'), $expected, $_->name . ": $read") for $coordinator, $worker;
}
refuses($_, q{SELECT dynamo.put_item('kvt', '{"PK": {"S": "p1"}, "SK": {"S": "s1"}}', 'attribute_not_exists(PK)')},
	'The conditional request failed') for $coordinator, $worker;

# ---- keys that decide on the shard ----

sub set_attribute_sql
{
	my ($table, $attribute, $where) = @_;

	return "UPDATE $table SET item = dynamo.set_attribute(item, '$attribute', dynamo.to_value('moved'::text)) WHERE $where";
}

for my $node ($coordinator, $worker)
{
	refuses($node, set_attribute_sql('kvt', 'PK', q{"PK" = 'p1'}),
		'cannot change key attribute "PK" of an item of distributed table "kvt"');
}
is(value_of($worker, q{SELECT count(*) FROM kvt WHERE "PK" = 'p1' AND item ->> 'PK' = 'p1'}), 6, 'no item has changed');
value_of($coordinator, set_attribute_sql('kvt', 'SK', q{"PK" = 'b1'}));
is(value_of($worker, q{SELECT dynamo.get_item('kvt', '{"PK": {"S": "b1"}, "SK": {"S": "moved"}}')}),
	'{"PK": {"S": "b1"}, "SK": {"S": "moved"}}', 'the other key attribute can change');

my $long = 'a_table_with_a_name_that_is_as_long_as_the_name_of_a_relation_x';
run_all(qq{SELECT dynamo.create_table('$long', partition_key => 'PK')},
	qq{SELECT create_distributed_table('$long', 'PK')},
	qq{INSERT INTO $long ("PK", item) VALUES ('a', '{"PK": {"S": "a"}}')});
refuses($coordinator, set_attribute_sql($long, 'PK', q{"PK" = 'a'}), 'cannot change key attribute "PK"');
run_all(q{SELECT dynamo.create_table('by_sort', partition_key => 'PK', sort_key => 'SK')},
	q{SELECT create_distributed_table('by_sort', 'SK')},
	q{SELECT dynamo.put_item('by_sort', '{"PK": {"S": "a"}, "SK": {"S": "a"}}')});
refuses($coordinator, set_attribute_sql('by_sort', 'SK', q{"PK" = 'a'}), 'cannot change key attribute "SK"');
value_of($coordinator, set_attribute_sql('by_sort', 'PK', q{"SK" = 'a'}));
is(value_of($worker, q{SELECT dynamo.get_item('by_sort', '{"PK": {"S": "moved"}, "SK": {"S": "a"}}') IS NOT NULL}),
	't', 'a table distributed by its sort key');

# ---- entities and their views ----

run_all(q{SELECT dynamo.create_table('ent', partition_key => 'PK', sort_key => 'SK')},
	q{SELECT dynamo.create_entity('ent', 'order', keys => '{"PK": "C#{c}", "SK": "O#{o}"}',
		attributes => '{"c": "text", "o": "text", "n": "int"}', view_name => 'orders')},
	q{SELECT create_distributed_table('ent', 'PK')},
	q{SELECT dynamo.put_item('ent', '{"c": "1", "o": "1", "n": 5}'::jsonb)});
is(value_of($worker, q{SELECT "PK", "SK", item ->> 'n' FROM ent}), 'C#1|O#1|5', 'an entity composes keys');
my ($key, $wrong) = map { value_of($coordinator, qq{SELECT dynamo_internal.item_send('{"PK": {"S": "C#1"}, "SK": {"S": "O#1"}$_}')}) } '', ', "o": {"S": "2"}';
my ($holder) = grep { value_of($_, qq{SELECT dynamo_system.row_on_shard(0, 'public', 'ent', 2, '$key')}) ne '\x6d' } $coordinator, $worker, $other;
refuses($holder, qq{SELECT dynamo_system.row_on_shard(5, 'public', 'ent', 15, '$wrong')}, 'One or more parameter values were invalid: Key attribute SK is not what entity order composes', 'no node stores an item with other keys than its entity makes');
is(value_of($coordinator, q{SELECT c, o, n FROM orders WHERE c = '1' AND o = '1'}), '1|1|5', 'its view reads');

# ---- shards ----

my ($shard) = shards_on($worker, 'kvt');
refuses($worker, qq{SELECT dynamo.put_item('$shard', '{"PK": {"S": "p1"}, "SK": {"S": "s1"}}')},
	'writing to a shard is not supported on distributed tables');
refuses($worker, qq{SELECT dynamo.create_index('$shard', 'late', 'H')}, $operation);
run_all(q{SELECT dynamo.create_table('year_2026', partition_key => 'PK')},
	q{SELECT dynamo.put_item('year_2026', '{"PK": {"S": "a"}}')});
is(value_of($coordinator, 'SELECT count(*) FROM year_2026'), 1, 'a table that is named like a shard');

# ---- definitions ----

my $storage = 'changing an index with a table, or to one, is not supported on distributed tables';
my %changes = (
	"SELECT dynamo.create_index('kvt', 'late', 'H')" => undef,
	"SELECT dynamo.create_index('kvt', 'late', 'H', storage => 'table')" => undef,
	"CALL dynamo.create_index_and_wait('kvt', 'late', 'H')" => undef,
	"SELECT dynamo.drop_index('kvt', 'inl')" => undef,
	"SELECT dynamo.reindex('kvt', 'inl')" => undef,
	"SELECT dynamo.update_time_to_live('kvt', 'ttl', true)" => undef,
	"SELECT dynamo.enable_stream('kvt')" => undef,
	"SELECT dynamo.change_index('kvt', 'inl', storage => 'table')" => $storage,
	"SELECT dynamo.reshard_index('kvt', 'inl', 2)" => $storage);
for my $sql (sort keys %changes)
{
	refuses($worker, $sql, 'cannot change distributed table "kvt" on a worker node of Citus');
	refuses($coordinator, $sql, $changes{$sql}) if defined $changes{$sql};
}
is(value_of($coordinator, q{SELECT count(*) FROM dynamo.indexes WHERE table_name = 'kvt'}), 1, 'nothing was created');

# ---- transactions ----

# Reference tables are the same on all nodes, and not what transactions know to lock.
run_all(q{SELECT dynamo.create_table('copied', partition_key => 'PK')}, q{SELECT create_reference_table('copied')});
my $get = '"Key": {"PK": {"S": "p1"}}';
my $put = '{"Put": {"TableName": "copied", "Item": {"PK": {"S": "t"}}}}';
for my $node ($coordinator, $worker)
{
	refuses($node, qq{SELECT dynamo.transact_get_items('[{"Get": {"TableName": "copied", $get}}]')},
		'a read transaction is not supported on distributed tables');
	refuses($node, qq{SELECT dynamo.transact_write_items('[$put]')},
		'a write transaction is not supported on distributed tables');
	for my $request ([ 'TransactWriteItems', qq({"TransactItems": [$put]}) ],
		[ 'TransactGetItems', qq({"TransactItems": [{"Get": {"TableName": "copied", $get}}]}) ],
		[ 'ExecuteTransaction', q({"TransactStatements": [{"Statement": "INSERT INTO copied VALUE {''PK'': ''t''}"}]}) ],
		[ 'ExecuteTransaction', q({"TransactStatements": [{"Statement": "SELECT * FROM copied WHERE PK = ''t''"}]}) ])
	{
		like(value_of($node, "SELECT dynamo.request_safe('$request->[0]', '$request->[1]')"),
			qr/ValidationException","[mM]essage":"a (read|write) transaction is not supported on distributed tables/,
			$node->name . ": $request->[0]");
	}
}
is(value_of($coordinator, q{SELECT count(*) FROM copied WHERE "PK" = 't'}), 0, 'nothing was written');
like(value_of($worker, qq{SELECT dynamo.request_safe('TransactWriteItems', '{"ClientRequestToken": "once", "TransactItems": [{"Put":
	{"TableName": "kvt", "Item": {"PK": {"S": "t"}, "SK": {"S": "t"}}}}]}')}),
	qr/ValidationException.*cannot use ClientRequestToken for distributed table .*kvt.* on a worker node of Citus/, 'a token on a worker');

# With row security, the absence of an item is locked where triggers and constraints do not see it.
run_all(q{SELECT dynamo.create_table('checked', partition_key => 'PK')}, q{ALTER TABLE checked ADD CHECK ("PK" <> 'never')},
	q{ALTER TABLE checked ENABLE ROW LEVEL SECURITY},
	q{SELECT dynamo.distribute_table('checked')});
value_of($_, sprintf q{SELECT dynamo.transact_write_items('[{"ConditionCheck": {"TableName": "checked", "Key": {"PK": {"S": "never"}},
	"ConditionExpression": "attribute_not_exists(PK)"}}, {"Put": {"TableName": "checked", "Item": {"PK": {"S": "%s"}}}}]')}, $_->name) for $coordinator, $worker, $other;
is(value_of($other, 'SELECT count(*) FROM checked'), 3, 'new items in transactions of a table with row security and a constraint');

# ---- what a table has before it is distributed ----

my %parts = (
	'an index table of one server' => q{SELECT dynamo.create_index('%s', 'own', 'G', storage => 'table')},
	'a stream of one server' => q{SELECT dynamo.enable_stream('%s')},
	'a reference between items' => q{SELECT dynamo.add_reference('%s', 'refers', '{"PK": "A#{a}"}', 'referenced',
	key_prefix => '{"PK": "B#"}', create_index => false)});

# Citus copies constraint triggers only if the other table exists on the workers.
value_of($coordinator, q{SELECT dynamo.create_table('referenced', partition_key => 'PK'); SELECT dynamo.create_table('base', partition_key => 'PK')});
value_of($_, 'CREATE TABLE referenced (); CREATE TABLE base ()') for $worker, $other;
for my $part (sort keys %parts)
{
	(my $table = $part) =~ tr/ /_/;

	run_all("SELECT dynamo.create_table('$table', partition_key => 'PK')", sprintf($parts{$part}, $table));
	# distribute_table would distribute the index table and the stream, too
	refuses($coordinator, "SELECT dynamo.distribute_table('$table')", qq{cannot distribute table "$table", which has $part})
		if $part !~ /index table|stream/;
	run_all("SELECT create_distributed_table('$table', 'PK')");
	for my $node ($coordinator, $worker)
	{
		refuses($node, "SELECT $_", "$part is not supported on distributed tables")
			for "dynamo.put_item('$table', '{\"PK\": {\"S\": \"a\"}, \"G\": {\"S\": \"g\"}}')",
			"dynamo.get_item('$table', '{\"PK\": {\"S\": \"a\"}}')", "count(*) FROM dynamo.scan('$table')";
		refuses($node, qq{INSERT INTO $table ("PK", item) VALUES ('B#1', '{"PK": {"S": "B#1"}, "b": {"S": "1"}, "a": {"S": "1"}, "G": {"S": "g"}}')},
			"$part is not supported on distributed tables");
	}
}
my %indexes = (
	'a sharded index' => q{SELECT dynamo.create_index('%s', 'own', 'G', storage => 'table', shards => 2)},
	'a local index in an index table' => q{SELECT dynamo.create_index('%s', 'own', 'PK', 'L', local => true, storage => 'table')},
	'a vector index' => q{SELECT dynamo.create_vector_index('%s', 'own', 'v', 2)});
for my $part (sort keys %indexes)
{
	(my $table = $part) =~ tr/ /_/;

	run_all("SELECT dynamo.create_table('$table', partition_key => 'PK', sort_key => 'SK')", sprintf($indexes{$part}, $table));
	refuses($coordinator, "SELECT dynamo.distribute_table('$table')", qq{cannot distribute table "$table", which has $part});
}

# ---- tables that the extension writes itself ----

run_all(q{SELECT dynamo.create_index('base', 'own', 'G', storage => 'table')}, q{SELECT dynamo.enable_stream('base')},
	q{SELECT dynamo.put_item('base', '{"PK": {"S": "a"}}')});
my $index_table = value_of($coordinator, q{SELECT dynamo.index_relation('base', 'own')});
run_all(qq{SELECT create_distributed_table('$index_table', 'G')});
my $must_not = 'table "[^"]*" of the extension dynamo must not be distributed';
refuses($coordinator, q{SELECT dynamo.put_item('base', '{"PK": {"S": "b"}, "G": {"S": "g"}}')}, $must_not);
refuses($coordinator, q{INSERT INTO base (item) VALUES ('{"PK": {"S": "b"}, "G": {"S": "g"}}')}, $must_not);
refuses($coordinator, q{SELECT * FROM dynamo.query('base', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own')}, $must_not);
refuses($coordinator, q{SELECT * FROM dynamo.verify_index('base', 'own')}, $must_not);
run_all(q{SELECT dynamo.drop_index('base', 'own')}, q{SELECT dynamo.create_index('base', 'own', 'G', storage => 'table')},
	q{SELECT dynamo.put_item('base', '{"PK": {"S": "b"}, "G": {"S": "g"}}')});
is(value_of($coordinator, q{SELECT * FROM dynamo.verify_index('base', 'own');
SELECT count(*) FROM dynamo.query('base', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own')}), 1, 'an index that was created again');

my $stream = value_of($coordinator, q{SELECT stream_relation FROM dynamo.streams WHERE table_name = 'base'});
run_all(qq{SELECT create_reference_table('$stream')});
refuses($coordinator, q{SELECT dynamo.put_item('base', '{"PK": {"S": "c"}}')}, $must_not);
refuses($coordinator, q{SELECT * FROM dynamo.read_stream('base')}, $must_not);
run_all(q{SELECT dynamo.disable_stream('base')}, q{SELECT dynamo.put_item('base', '{"PK": {"S": "c"}}')});

# ---- nodes ----

refuses($worker, q{SELECT dynamo.create_table('elsewhere', partition_key => 'PK')},
	'cannot create a dynamo table on a worker node of Citus');
my $create = '{"TableName": "elsewhere", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
	"AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}]}';
my $socket = connect_http($http_port);
my $answer = exchange($socket, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.CreateTable\r\n" .
	"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($create) . "\r\n\r\n$create");
is($answer->{status}, 400, 'CreateTable over HTTP on a worker is refused');
like($answer->{body}, qr/ValidationException.*cannot create a dynamo table on a worker node of Citus/, 'with the reason');
like(value_of($worker, qq{SELECT dynamo.request_safe('$_->[0]', '$_->[1]')}),
	qr/ValidationException.*cannot access the settings of distributed table .*kvt.* on a worker node of Citus/, "worker: $_->[0]")
	for [ DescribeTable => '{"TableName": "kvt"}' ],
	[ UpdateTable => '{"TableName": "kvt", "DeletionProtectionEnabled": true}' ],
	[ DeleteTable => '{"TableName": "kvt"}' ];
like(value_of($coordinator, q{SELECT dynamo.request_safe('UpdateTable', '{"TableName": "kvt", "DeletionProtectionEnabled": true}')}),
	qr/"DeletionProtectionEnabled":true/, 'coordinator: UpdateTable');
run_all(q{SET citus.enable_schema_based_sharding = on; CREATE SCHEMA tenant});
refuses($coordinator, q{SET search_path = tenant; SELECT dynamo.create_table('tenants', partition_key => 'PK')},
	'cannot create a dynamo table in distributed schema "tenant"');

# ---- other kinds of tables ----

run_all(q{SELECT dynamo.create_table('everywhere', partition_key => 'PK')}, q{SELECT create_reference_table('everywhere')});
value_of($worker, q{SELECT dynamo.put_item('everywhere', '{"PK": {"S": "a"}}')});
is(value_of($_, q{SELECT dynamo.get_item('everywhere', '{"PK": {"S": "a"}}')}), '{"PK": {"S": "a"}}', 'a reference table on ' . $_->name)
	for $coordinator, $worker, $other;
value_of($coordinator, set_attribute_sql('everywhere', 'PK', q{"PK" = 'a'}));
is(value_of($other, q{SELECT "PK" FROM everywhere}), 'moved', 'whose keys can change');
refuses($coordinator, q{SELECT citus_add_local_table_to_metadata('year_2026')}, 'cannot rename trigger "~dynamo_derive_keys"');

# ---- after a move, and back ----

my $move = value_of($coordinator, sprintf q{SELECT format('SELECT citus_move_shard_placement(%%s, %%L, %%s, %%L, %%s, %%L)', shardid,
	nodename, nodeport, '%s', %d, 'block_writes') FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
WHERE logicalrelid = 'kvt'::regclass AND nodeport = %d ORDER BY shardid LIMIT 1}, $other->host, $other->port, $worker->port);
value_of($coordinator, $move);
is(scalar shards_on($other, 'kvt'), 3, 'a shard has moved');
is(value_of($worker, q{SELECT count(*) FROM kvt}), value_of($coordinator, q{SELECT count(*) FROM plain}), 'with its rows');
refuses($coordinator, set_attribute_sql('kvt', 'PK', 'true'), 'cannot change key attribute "PK"');
run_all(q{SELECT undistribute_table('kvt')});
is(value_of($coordinator, q{SELECT * FROM dynamo.verify_index('kvt', 'inl'); SELECT count(*) FROM kvt}),
	value_of($coordinator, q{SELECT count(*) FROM plain}), 'the items and their index came back');
run_all(q{SELECT dynamo.create_index('kvt', 'late', 'H')}, q{SELECT create_distributed_table('kvt', 'PK')},
	q{SELECT dynamo.drop_table('kvt')}, q{DROP TABLE by_sort});
is(value_of($worker, q{SELECT count(*) FROM pg_class WHERE relname IN ('kvt', 'by_sort')}), 0, 'a dropped table is gone on every node');

stop_citus_cluster($coordinator, $worker, $other);
done_testing();
