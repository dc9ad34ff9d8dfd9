# global_indexes.pl: index tables of distributed tables.  They are distributed by their own
# partition key, and follow the table: in order, exactly once, also while shards move and
# after a node was killed.
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
my $by_hand = "dynamo.index_changes_interval = 0\n";
my $unrecovered = "citus.recover_2pc_interval = -1\n";
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $by_hand . $unrecovered, worker2 => $unrecovered, worker1 => $unrecovered . endpoint_settings($http_port, 'shopkeeper'));
my @nodes = ($coordinator, $worker, $other);

# ---- the table and its indexes ----

# Not a superuser: everything between nodes happens as the owner.
value_of($coordinator, q{CREATE ROLE shopkeeper LOGIN; CREATE ROLE other LOGIN; GRANT CREATE ON SCHEMA public TO shopkeeper});
my $indexes = q{
SELECT dynamo.create_index('%1$s', 'all', 'G', 'H', storage => 'table');
SELECT dynamo.create_index('%1$s', 'some', 'N', partition_key_type => 'N', projection => 'INCLUDE', non_key_attributes => '{data}', storage => 'table');
SELECT dynamo.create_index('%1$s', 'keys', 'H', projection => 'KEYS_ONLY', storage => 'table');
SELECT dynamo.create_index('%1$s', 'inl', 'G')};

sub create_table
{
	my ($table) = @_;

	return "SET ROLE shopkeeper; SELECT dynamo.create_table('$table', partition_key => 'PK', sort_key => 'SK');" . sprintf $indexes, $table;
}

# An item for each of some numbers.
sub items
{
	my ($from, $to, $more) = @_;

	return qq{SELECT (dynamo.put_item('shop', jsonb_strip_nulls(jsonb_build_object('PK', 'p' || i % 20, 'SK', 's' || i, 'G', CASE WHEN i % 10 <> 0 THEN 'g' || i % 7 END,
	'H', 'h' || i, 'N', i % 5, 'data', 'd' || i $more)))) FROM generate_series($from, $to) i};
}

# What an index must contain is computed from the table, in the same order.
my @projected = (
	[ all => q{item::text}, q{item ? 'G' AND item ? 'H'} ],
	[ some => q{concat_ws(',', item ->> 'PK', item ->> 'SK', item ->> 'N', item ->> 'data')}, q{item ? 'N'} ],
	[ keys => q{concat_ws(',', item ->> 'PK', item ->> 'SK', item ->> 'H')}, q{item ? 'H'} ]);

sub check_indexes
{
	my ($what, $table) = @_;

	$table //= 'shop';
	for my $index (@projected)
	{
		my ($name, $shown, $has) = @$index;
		my $rows = value_of($coordinator, qq{SELECT $shown FROM $table WHERE $has ORDER BY 1});
		my $entries = value_of($coordinator, qq{SELECT $shown FROM dynamo.scan('$table', index_name => '$name') item ORDER BY 1});

		is($entries, $rows, "$what: index $name has the same as the table");
	}
}

sub apply_all
{
	1 while value_of($coordinator, q{SELECT dynamo.apply_index_changes('shop', 100)}) > 0;
}

value_of($coordinator, create_table('shop'));
value_of($coordinator, items(1, 300, ''));
refuses($coordinator, q{SELECT dynamo.apply_index_changes('shop')}, 'table "shop" is not distributed');
is(value_of($coordinator, q{SELECT dynamo.wait_for_index('shop', 'all')}), 't', 'an index of one server has every change');
value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.distribute_table('shop', shards => 6)});
check_indexes('distributed filled');
is(value_of($coordinator, q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid::text ~ '^"?shop\$all'}), 6, 'an index table has the shards of its table');
is(value_of($coordinator, q{SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE logicalrelid IN ('shop'::regclass, '"shop$changes"'::regclass)}),
	1, 'changes are beside the items');
is(value_of($_, q{SELECT tableowner FROM pg_tables WHERE tablename = 'shop$changes'}), 'shopkeeper', $_->name . ': changes belong to the owner') for @nodes;

# ---- following ----

value_of($worker, items(301, 340, ''));
is(value_of($coordinator, q{SELECT pending_changes, oldest_change <= now() FROM dynamo.index_progress WHERE table_name = 'shop' AND index_name = 'all'}), '40|t', 'the lag is visible');
is(value_of($other, q{SELECT count(*) FROM dynamo.query('shop', 'G = :g AND H = :h', '{":g": {"S": "g0"}, ":h": {"S": "h301"}}', index_name => 'all')}), 0, 'an index follows later');
is(value_of($other, q{SELECT dynamo.wait_for_index('shop', 'all', '100 ms')}), 'f', 'waiting ends after its time');
is(value_of($other, q{SELECT dynamo.wait_for_index('shop', 'inl', '100 ms')}), 't', 'inline indexes have every change');
is(value_of($coordinator, q{SELECT dynamo.apply_index_changes('shop')}), 40, 'changes are applied');
is(value_of($coordinator, q{SELECT pending_changes, oldest_change IS NULL FROM dynamo.index_progress WHERE table_name = 'shop' AND index_name = 'all'}), '0|t', 'nothing is left');
is(value_of($other, q{SELECT dynamo.wait_for_index('shop', 'all')}), 't', 'and there is nothing to wait for');
is(value_of($_, q{SELECT item ->> 'data' FROM dynamo.query('shop', 'G = :g AND H = :h', '{":g": {"S": "g0"}, ":h": {"S": "h301"}}', index_name => 'all') item}),
	'd301', $_->name . ': the index has the item') for @nodes;
check_indexes('puts');

# Keys of entries that move, items without entries, and items that go, before the changes are applied.
value_of($worker, items(1, 60, q{|| i, 'more', i}));
value_of($_, q{SELECT dynamo.update_item('shop', format('{"PK": {"S": "p%s"}, "SK": {"S": "s%s"}}', i % 20, i)::item, 'SET G = :g, H = :h, N = N + :n', NULL,
	format('{":g": {"S": "moved%s"}, ":h": {"S": "%s"}, ":n": {"N": "1"}}', i % 3, i)::item) FROM generate_series(50, 90) i}) for $worker, $other, $coordinator;
value_of($other, q{SELECT dynamo.update_item('shop', format('{"PK": {"S": "p%s"}, "SK": {"S": "s%s"}}', i % 20, i)::item, 'REMOVE G, N') FROM generate_series(80, 120) i});
value_of($worker, q{SELECT dynamo.delete_item('shop', format('{"PK": {"S": "p%s"}, "SK": {"S": "s%s"}}', i % 20, i)::item) FROM generate_series(110, 140) i});
value_of($coordinator, items(130, 150, q{|| 'again'}));
value_of($worker, q{SELECT dynamo.transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "t1"}, "SK": {"S": "a"}, "G": {"S": "t"}, "H": {"S": "1"}}}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "t2"}, "SK": {"S": "b"}, "G": {"S": "t"}, "H": {"S": "2"}}}},
	{"Delete": {"TableName": "shop", "Key": {"PK": {"S": "p1"}, "SK": {"S": "s1"}}}}]')});
value_of($coordinator, q{UPDATE shop SET item = dynamo.set_attribute(item, 'SK', dynamo.to_value('renamed'::text)) WHERE "PK" = 'p3' AND "SK" = 's3';
DELETE FROM shop WHERE "PK" = 'p4' AND "SK" IN ('s4', 's24');
INSERT INTO shop ("PK", "SK", item) VALUES ('sql', 'a', '{"PK": {"S": "sql"}, "SK": {"S": "a"}, "G": {"S": "s"}, "H": {"S": "s"}}');
BEGIN; SELECT dynamo.put_item('shop', '{"PK": {"S": "gone"}, "SK": {"S": "a"}, "G": {"S": "s"}, "H": {"S": "s"}}'); ROLLBACK});
apply_all();
check_indexes('many changes');
is(value_of($coordinator, q{SELECT count(*) FROM "shop$changes"}), 0, 'no changes remain');

# A change that no index has to know is not recorded.
value_of($worker, q{SELECT dynamo.update_item('shop', '{"PK": {"S": "sql"}, "SK": {"S": "a"}}', 'REMOVE G, H'), dynamo.update_item('shop', '{"PK": {"S": "sql"}, "SK": {"S": "a"}}', 'SET x = :x', NULL, '{":x": {"S": "1"}}')});
is(value_of($coordinator, q{SELECT count(*) FROM "shop$changes"}), 1, 'changes of items without entries are not recorded');
apply_all();

# Only the last state of an item counts, in whatever parts its changes are applied.
value_of($worker, join ';', map { qq{SELECT dynamo.update_item('shop', '{"PK": {"S": "hot"}, "SK": {"S": "a"}}', 'SET G = :g, H = :g, N = :n', NULL, '{":g": {"S": "x$_"}, ":n": {"N": "$_"}}')} } 1 .. 9);
is(value_of($coordinator, q{SELECT dynamo.apply_index_changes('shop', 4)}), 1, 'a part of the changes of an item');
is(value_of($coordinator, q{SELECT item ->> 'G' FROM dynamo.scan('shop', index_name => 'all') item WHERE item ->> 'PK' = 'hot'}), 'x4', 'in their order');
value_of($worker, q{SELECT dynamo.delete_item('shop', '{"PK": {"S": "hot"}, "SK": {"S": "a"}}')});
apply_all();
check_indexes('a hot item');

# ---- reading ----

for my $node (@nodes)
{
	is(value_of($node, q{SELECT item ->> 'H' FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g3"}}', index_name => 'all', scan_index_forward => false) item}),
		value_of($coordinator, q{SELECT "H" FROM shop WHERE "G" = 'g3' ORDER BY "H" COLLATE "C" DESC}), $node->name . ': a query backwards');
	like(value_of($node, q{SELECT dynamo.request_safe('Query', '{"TableName": "shop", "IndexName": "all", "ConsistentRead": true, "KeyConditionExpression": "G = :g",
	"ExpressionAttributeValues": {":g": {"S": "g3"}}}')}), qr/ValidationException.*Consistent reads are not supported on global secondary indexes/, $node->name . ': ConsistentRead is refused');
}
value_of($_, 'ANALYZE') for @nodes;
is(value_of($coordinator, q{SELECT min((i ->> 'ItemCount')::int) > 100 FROM jsonb_array_elements(dynamo.request('DescribeTable', '{"TableName": "shop"}')::text::jsonb #> '{Table,GlobalSecondaryIndexes}') i}),
	't', 'DescribeTable counts entries');
my $query = '{"TableName": "shop", "IndexName": "all", "Limit": 5, "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g3"}}}';
my $answer = exchange(connect_http($http_port), "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.Query\r\n" .
	"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($query) . "\r\n\r\n$query");
like($answer->{body}, qr/"Count":5.*"LastEvaluatedKey"/, 'Query over HTTP');

# ---- rights and guards ----

refuses($coordinator, qq{SET ROLE other; SELECT $_}, 'must be owner of table shop', $_) for
	q{dynamo.apply_index_changes('shop')}, q{dynamo_system.take_index_changes('public', 'shop', 1)}, q{dynamo_system.put_index_entries('public', 'shop', 'all', '')};
refuses($coordinator, q{SET ROLE other; SELECT dynamo.wait_for_index('shop', 'all')}, 'permission denied for table shop');
refuses($worker, q{SELECT dynamo.apply_index_changes('shop')}, 'changes of indexes are applied on the Citus coordinator');
refuses($worker, "SELECT $_", 'changes of table "shop" would be lost') for
	q{dynamo_system.take_index_changes('public', 'shop', 1)}, q{dynamo_system.put_index_entries('public', 'shop', 'all', '')};
refuses($worker, "SET application_name = 'citus_internal'; SELECT dynamo_system.put_index_entries('public', 'shop', $_)", '(?!changes of)') for
	q{'none', ''}, q{'all', '\x0000000100'}, q{'all', '\x7fffffff00'}, q{'all', '\xffffffff00000003010203'};
value_of($coordinator, q{DELETE FROM "shop$all"; DELETE FROM "shop$changes"; INSERT INTO "shop$changes" ("PK", "SK", dynamo_number, dynamo_time) VALUES ('a', 'b', 1, now())});
is(value_of($coordinator, q{SELECT count(*) FROM "shop$changes"}), 0, 'changes are written by the extension alone');
check_indexes('guarded');
refuses($coordinator, q{DROP TABLE "shop$changes"}, 'cannot drop the table with changes of table "shop"');
refuses($coordinator, q{DROP TABLE "shop$all"}, 'cannot drop "shop\$all" because it contains index "all" of table "shop"');
refuses($coordinator, q{TRUNCATE shop}, 'TRUNCATE of a table with index tables is not supported on distributed tables');
is(value_of($coordinator, qq{SELECT * FROM dynamo.verify_index('shop', '$_')}), '', "index $_ is sound") for qw(all some keys);
refuses($worker, q{SELECT dynamo.verify_index('shop', 'all')}, 'index tables of distributed table "shop" are verified on the Citus coordinator');
refuses($coordinator, q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT dynamo.verify_index('shop', 'all')}, 'index tables of distributed tables are verified in isolation level READ COMMITTED');
refuses($coordinator, q{SET ROLE other; SELECT dynamo.verify_index('shop', 'all')}, 'must be owner of table shop');

# ---- other names and owners ----

value_of($coordinator, q{CREATE SCHEMA annex; GRANT USAGE, CREATE ON SCHEMA annex TO other; GRANT other TO shopkeeper; GRANT CREATE ON SCHEMA public TO other;
ALTER TABLE shop OWNER TO other; ALTER TABLE shop SET SCHEMA annex; ALTER TABLE annex.shop RENAME TO store});
is(value_of($worker, q{SELECT string_agg(concat_ws(' ', schemaname, tableowner, tablename), ', ' ORDER BY tablename) FROM pg_tables WHERE tablename ~ '^(shop.*[a-z]|store|store.*[a-z])$'}),
	'annex other store, annex other store$all, annex other store$changes, annex other store$keys, annex other store$some', 'index tables and changes follow their table');
value_of($worker, q{SELECT dynamo.put_item('annex.store', '{"PK": {"S": "annex"}, "SK": {"S": "a"}, "G": {"S": "annex"}, "H": {"S": "1"}}')});
is(value_of($coordinator, q{SELECT dynamo.apply_index_changes('annex.store')}), 1, 'a change of a table with another name');
is(value_of($other, q{SELECT count(*) FROM dynamo.query('annex.store', 'G = :g', '{":g": {"S": "annex"}}', index_name => 'all')}), 1, 'is applied');
value_of($coordinator, q{ALTER TABLE annex.store RENAME TO shop; ALTER TABLE annex.shop SET SCHEMA public; ALTER TABLE shop OWNER TO shopkeeper});
check_indexes('back under its name');

# ---- kills between prepare and commit ----

sub recover
{
	value_of($_, 'SELECT recover_prepared_transactions()') for @nodes, @nodes;
	is(value_of($_, 'SELECT count(*) FROM pg_prepared_xacts'), 0, $_->name . ': nothing is left prepared') for @nodes;
}

# Kills the coordinator while its applier waits: on another node, before the commit, or for
# its own commit.  Until the transaction is recovered, other appliers wait for it.
sub kill_applier
{
	my ($held, $from, $left) = @_;
	my $what = 'applier held on ' . $held->name;

	value_of($worker, items($from, $from + 60, q{|| 'held'}));
	my $pending = value_of($coordinator, q{SELECT count(*) FROM "shop$changes"});

	set_standby($held, 'nobody');
	my $applier = start_session($coordinator, q{SELECT dynamo.apply_index_changes('shop')});
	$held->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'}) or die 'nothing waits';
	$coordinator->stop('immediate');
	set_standby($held, '');
	$coordinator->start;
	$applier->{run}->finish;
	isnt(value_of($other, q{SELECT count(*) FROM pg_prepared_xacts}), 0, "$what: a transaction is prepared");
	refuses($coordinator, q{SET statement_timeout = '2s'; SELECT dynamo.apply_index_changes('shop')}, 'canceling (?:the transaction|statement)|statement timeout', "$what: another applier waits");
	recover();
	is(value_of($coordinator, q{SELECT count(*) FROM "shop$changes"}), $left ? $pending : 0, "$what: the changes are " . ($left ? 'still there' : 'applied'));
	apply_all();
	check_indexes($what);
}

kill_applier($other, 1, 1);
kill_applier($coordinator, 40, 0);

# ---- moves, with the worker that applies changes ----

$coordinator->append_conf('postgresql.conf', 'dynamo.index_changes_interval = 50');
$coordinator->restart;

sub caught_up
{
	my ($what) = @_;

	is(value_of($coordinator, q{SELECT dynamo.wait_for_index('shop', 'all', '60 s')}), 't', "$what: the index catches up");
}

# A session of a node that gives items new entries.
sub writes
{
	my ($node, $n) = @_;
	my $name = $node->name;

	return start_session($node, join ";\n", map {
		my ($key, $g) = ($_ % 17, $_ % 11);

		$_ % 9 == 8 ? qq~SELECT dynamo.delete_item('shop', '{"PK": {"S": "$name$key"}, "SK": {"S": "a"}}')~ :
		qq~SELECT dynamo.update_item('shop', '{"PK": {"S": "$name$key"}, "SK": {"S": "a"}}', 'SET G = :g, H = :h, N = :n', NULL, '{":g": {"S": "g$g"}, ":h": {"S": "$name$_"}, ":n": {"N": "$_"}}')~
	} 1 .. $n);
}

sub move
{
	my ($table, $mode) = @_;

	move_shard($coordinator, $table, $worker, $other, $mode);
	move_shard($coordinator, $table, $other, $worker, $mode);
}

my @load = map { writes($_, 1500) } @nodes;

for my $mode ('auto', 'block_writes')
{
	move('shop', $mode);
	move('"shop$all"', $mode);
	move('"shop$some"', $mode);
}
$_->{run}->finish for @load;
is(join('', map { $_->{err} } @load), '', 'moves are not noticed by writers');
caught_up('moves');
check_indexes('moves');
is(value_of($coordinator, qq{SELECT * FROM dynamo.verify_index('shop', '$_')}), '', "moves: index $_ is sound") for qw(all some keys);

# ---- kills ----

for my $victim ($other, $coordinator)
{
	my $what = 'kill of ' . $victim->name;

	@load = map { writes($_, 1500) } @nodes;
	sleep 1;
	$victim->stop('immediate');
	$victim->start;
	$_->{run}->finish for @load;
	value_of($_, 'SELECT recover_prepared_transactions()') for @nodes, @nodes;
	caught_up($what);
	check_indexes($what);
}

# ---- back on one server ----

value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.undistribute_table('shop')});
check_indexes('back on one server');
is(value_of($coordinator, qq{SELECT * FROM dynamo.verify_index('shop', '$_')}), '', "index $_ is the same as the table") for qw(all some keys inl);
value_of($coordinator, q{SELECT dynamo.put_item('shop', '{"PK": {"S": "back"}, "SK": {"S": "a"}, "G": {"S": "back"}, "H": {"S": "1"}}')});
is(value_of($coordinator, q{SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "back"}}', index_name => 'all')}), 1, 'and each write maintains it');
value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.distribute_table('shop')});
check_indexes('distributed again');
value_of($coordinator, q{SELECT dynamo.drop_table('shop')});
is(value_of($_, q{SELECT count(*) FROM pg_class WHERE relname LIKE 'shop%'}), 0, $_->name . ': a dropped table is gone with its index tables') for @nodes;

stop_citus_cluster(@nodes);
done_testing();
