# streams.pl: streams with dumps of all kinds, replication, crashes and prepared
# transactions, and a reader beside many writers, which misses no record and sees
# the changes of each item in order.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = new_dynamo_node('streams', "wal_level = logical\nmax_prepared_transactions = 4\nfsync = on\n",
	allows_streaming => 'logical');
my $dir = PostgreSQL::Test::Utils::tempdir();
my $records = q{SELECT sequence_number, event_name, keys, new_image, old_image, created_at, event_id FROM dynamo.read_stream('shop', max_records => NULL)};

# ---- dumps ----

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', q{
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('shop', 'PK', 'SK');
INSERT INTO shop (item) SELECT dynamo.build_item('PK', 'before', 'SK', i::text) FROM generate_series(1, 10) i;
SELECT dynamo.enable_stream('shop');
INSERT INTO shop (item) SELECT dynamo.build_item('PK', 'p', 'SK', i::text, 'n', i, 'text', repeat(md5(i::text), i * 10)) FROM generate_series(1, 100) i;
UPDATE shop SET item = dynamo.set_attribute(item, 'n', dynamo.to_value(0)) WHERE "SK" < '2';
DELETE FROM shop WHERE "SK" > '8';
SELECT dynamo.create_table('old', 'id');
SELECT dynamo.enable_stream('old', 'KEYS_ONLY');
INSERT INTO old (item) VALUES ('{"id": {"S": "x"}}');
SELECT dynamo.disable_stream('old');
});
my $recorded = $node->safe_psql('source', $records);
my $streams = $node->safe_psql('source', 'SELECT * FROM dynamo.streams ORDER BY label');

# The records are those of the source, and the next change appends another.
sub same_stream
{
	my ($database, $what) = @_;

	is($node->safe_psql($database, $records), $recorded, "$what: the same records");
	$node->safe_psql($database, q{SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "new"}}')});
	is($node->safe_psql($database, q{
SELECT count(*), bool_and(keys OPERATOR(dynamo.->>) 'PK' = 'new')
FROM dynamo.read_stream('shop', (SELECT max(sequence_number) FROM dynamo.read_stream('shop', max_records => NULL) WHERE keys OPERATOR(dynamo.->>) 'PK' <> 'new'))}),
		'1|t', "$what: a change appends one record, after all others");
}

dump_database($node, 'source', "$dir/all.sql");
my $copy = new_database($node, 0);
load_file($node, $copy, "$dir/all.sql");
is($node->safe_psql($copy, 'SELECT * FROM dynamo.streams ORDER BY label'), $streams, 'whole database: streams');
same_stream($copy, 'whole database');
is($node->safe_psql($copy, q{SELECT event_name, keys FROM dynamo.read_stream('old')}), 'INSERT|{"id": {"S": "x"}}', 'whole database: a closed stream');

dump_database($node, 'source', "$dir/all.dump", '-Fc');
$copy = new_database($node, 0);
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', $node->connstr($copy), "$dir/all.dump" ], 'pg_restore -j2');
same_stream($copy, 'custom format');

dump_database($node, 'source', "$dir/one.sql", '-t', 'shop', '-t', 'shop$*');
$copy = new_database($node, 1);
load_file($node, $copy, "$dir/one.sql");
same_stream($copy, 'one table');

dump_database($node, 'source', "$dir/clean.sql", '--clean', '-t', 'shop', '-t', 'shop$*');
load_file($node, $copy, "$dir/clean.sql");
same_stream($copy, 'one table, repeated with --clean');

dump_database($node, 'source', "$dir/alone.sql", '-t', 'shop');
$copy = new_database($node, 1);
load_file($node, $copy, "$dir/alone.sql");
my ($status, $out, $error) = $node->psql($copy, q{SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "new"}}')});
like($error, qr/is not the stream of table "shop"/, 'a table without its stream refuses changes');
is($node->safe_psql($copy, q{
SELECT dynamo.disable_stream('shop');
SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "new"}}');
SELECT count(*) FROM shop WHERE "PK" = 'new'}), "\n\n1", 'the table accepts changes when the stream is disabled');

dump_database($node, 'source', "$dir/schema.sql", '--schema-only');
dump_database($node, 'source', "$dir/data.sql", '--data-only');
dump_database($node, 'source', "$dir/data_disabled.sql", '--data-only', '--disable-triggers');
dump_database($node, 'source', "$dir/inserts.sql", '--data-only', '--column-inserts');
for my $data ('data.sql', 'data_disabled.sql', 'inserts.sql')
{
	$copy = new_database($node, 0);
	load_file($node, $copy, "$dir/schema.sql");
	is($node->safe_psql($copy, 'SELECT * FROM dynamo.streams ORDER BY label'), $streams, 'schema only: streams');
	load_file($node, $copy, "$dir/$data");
	same_stream($copy, $data);
}
dump_database($node, 'source', "$dir/data.dump", '-Fc', '--data-only');
$copy = new_database($node, 0);
load_file($node, $copy, "$dir/schema.sql");
$node->command_ok([ 'pg_restore', '--exit-on-error', '--data-only', '-j2', '-d', $node->connstr($copy), "$dir/data.dump" ], 'pg_restore --data-only -j2');
same_stream($copy, 'pg_restore --data-only');

# ---- prepared transactions ----

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('shop', 'PK', 'SK');
SELECT dynamo.enable_stream('shop');
BEGIN;
SELECT dynamo.put_item('shop', '{"PK": {"S": "prepared"}, "SK": {"S": "1"}}');
PREPARE TRANSACTION 'p1';
BEGIN;
SELECT dynamo.put_item('shop', '{"PK": {"S": "undone"}, "SK": {"S": "1"}}');
PREPARE TRANSACTION 'p2';
SELECT dynamo.put_item('shop', '{"PK": {"S": "after"}, "SK": {"S": "1"}}')});
my $keys = q{SELECT string_agg(keys OPERATOR(dynamo.->>) 'PK', ' ' ORDER BY sequence_number) FROM dynamo.read_stream('shop')};
is($node->safe_psql('postgres', $keys), '', 'a prepared transaction is in progress');
$node->restart;
is($node->safe_psql('postgres', $keys), '', 'the prepared transaction is in progress after a restart');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'p2'});
is($node->safe_psql('postgres', $keys), '', 'the other prepared transaction is in progress');
$node->safe_psql('postgres', q{COMMIT PREPARED 'p1'});
is($node->safe_psql('postgres', $keys), 'prepared after', 'committed: read in order, without the one that was rolled back');

# ---- logical replication ----

for my $kind ([ 'one_table', 'TABLE shop' ], [ 'all_tables', 'ALL TABLES' ])
{
	my ($name, $tables) = @$kind;
	my $subscriber = new_dynamo_node("subscriber_$name");

	$subscriber->safe_psql('postgres', q{
SELECT dynamo.create_table('shop', 'PK', 'SK');
SELECT dynamo.enable_stream('shop')});
	$node->safe_psql('postgres', "CREATE PUBLICATION $name FOR $tables");
	$subscriber->safe_psql('postgres', sprintf(
		q{CREATE SUBSCRIPTION %s CONNECTION '%s' PUBLICATION %s}, $name, $node->connstr . ' dbname=postgres', $name));
	$subscriber->wait_for_subscription_sync($node, $name);
	my $place = $subscriber->safe_psql('postgres', q{SELECT max(sequence_number) FROM dynamo.read_stream('shop')});
	$node->safe_psql('postgres', qq{
SELECT dynamo.put_item('shop', '{"PK": {"S": "$name"}, "SK": {"S": "1"}, "n": {"N": "1"}}');
SELECT dynamo.put_item('shop', '{"PK": {"S": "$name"}, "SK": {"S": "1"}, "n": {"N": "2"}}');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "$name"}, "SK": {"S": "1"}}')});
	$node->wait_for_catchup($name);
	is($subscriber->safe_psql('postgres', qq{
SELECT string_agg(event_name, ' ' ORDER BY sequence_number) FROM dynamo.read_stream('shop', $place)}),
		'INSERT MODIFY REMOVE', "$tables: every replicated change makes one record");
	$subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $name");
	$subscriber->stop;
}

# ---- a standby ----

$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', q{SELECT dynamo.put_item('shop', '{"PK": {"S": "first"}, "SK": {"S": "1"}}')});
my $writer = $node->background_psql('postgres');
$writer->query_safe(q{BEGIN});
$writer->query_safe(q{SELECT dynamo.put_item('shop', '{"PK": {"S": "slow"}, "SK": {"S": "1"}}')});
$node->safe_psql('postgres', q{SELECT dynamo.put_item('shop', '{"PK": {"S": "fast"}, "SK": {"S": "1"}}')});
$node->wait_for_catchup($standby);
my $newest = q{SELECT string_agg(keys OPERATOR(dynamo.->>) 'PK', ' ' ORDER BY sequence_number)
	FROM dynamo.read_stream('shop') WHERE keys OPERATOR(dynamo.->>) 'PK' IN ('first', 'slow', 'fast')};
is($standby->safe_psql('postgres', $newest), 'first', 'standby: up to the transaction in progress');
is($node->safe_psql('postgres', $newest), 'first', 'primary: the same');
$writer->query_safe(q{COMMIT});
$writer->quit;
$node->safe_psql('postgres', 'SELECT pg_current_xact_id()');
$node->wait_for_catchup($standby);
is($standby->safe_psql('postgres', $newest), 'first slow fast', 'standby: all records when the transaction has ended');
my $get = q{
SELECT json_array_length(dynamo.request('GetRecords', json_build_object('ShardIterator', dynamo.request('GetShardIterator', json_build_object(
	'StreamArn', arn, 'ShardIteratorType', 'TRIM_HORIZON', 'ShardId', dynamo.request('DescribeStream', json_build_object('StreamArn', arn)) #>> '{StreamDescription,Shards,0,ShardId}'))
	->> 'ShardIterator')) -> 'Records') FROM dynamo.streams WHERE table_name = 'shop'};
is($standby->safe_psql('postgres', $get), $node->safe_psql('postgres', $get), 'standby: requests');
for my $write (q{dynamo.trim_streams()}, q{dynamo.disable_stream('shop')})
{
	($status, $out, $error) = $standby->psql('postgres', "SELECT $write");
	like($error, qr/read-only|recovery/, "standby: $write is refused");
}
$standby->promote;
$standby->safe_psql('postgres', q{SELECT dynamo.put_item('shop', '{"PK": {"S": "first"}, "SK": {"S": "1"}, "n": {"N": "1"}}')});
is($standby->safe_psql('postgres', $newest), 'first slow fast first', 'the promoted standby appends records');
$standby->stop;

# ---- trimming while an old snapshot sees everything ----

# Deleted rows are not removed, and calls continue where the last one ended.
$node->safe_psql('postgres', q{
SELECT dynamo.create_table('long', 'id');
SELECT dynamo.update_time_to_live('long', 'e');
SELECT dynamo.enable_stream('long', 'KEYS_ONLY');
INSERT INTO long (item) SELECT dynamo.build_item('id', i::text, 'e', floor(extract(epoch FROM now())) - 100) FROM generate_series(1, 8000) i;
CREATE FUNCTION hits(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint;
END $$;
BEGIN;
SELECT pg_current_xact_id();
PREPARE TRANSACTION 'old'});
for my $call (q{dynamo.trim_streams('long', '0', 1000)}, q{dynamo.delete_expired('long', 1000)})
{
	my @hits = split /\n/, $node->safe_psql('postgres', "SELECT hits(\$\$SELECT $call\$\$);" x 7);

	shift @hits;
	cmp_ok($hits[-1], '<', 1.3 * $hits[0], "$call costs the same each time (@hits)");
}
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'old'});

# ---- a reader beside writers, and crashes ----

# Each writer changes random items, in transactions of several changes with
# pauses and rollbacks; the number of a change is in the item.
$node->safe_psql('postgres', q{
SELECT dynamo.create_table('load', 'id');
SELECT dynamo.enable_stream('load');
CREATE PROCEDURE write_load() LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		FOR i IN 1 .. 1 + random() * 3 LOOP
			BEGIN
				PERFORM set_config('lock_timeout', '200', true);
				PERFORM dynamo.update_item('load', dynamo.build_item('id', (random() * 20)::int::text), 'ADD n :one',
					expression_attribute_values => '{":one": {"N": "1"}}');
				IF random() < 0.1 THEN RAISE EXCEPTION 'undone'; END IF;
				IF random() < 0.1 THEN PERFORM dynamo.delete_item('load', dynamo.build_item('id', (random() * 20)::int::text)); END IF;
			EXCEPTION WHEN OTHERS THEN NULL;
			END;
			PERFORM pg_sleep(random() * 0.005);
		END LOOP;
		IF random() < 0.2 THEN ROLLBACK; ELSE COMMIT; END IF;
	END LOOP;
END $$;
CREATE TABLE followed (number numeric PRIMARY KEY, id text, event text, before numeric, after numeric);
CREATE PROCEDURE read_load() LANGUAGE plpgsql AS $$
DECLARE got bigint;
BEGIN
	LOOP
		INSERT INTO followed
		SELECT sequence_number, keys OPERATOR(dynamo.->>) 'id', event_name, (old_image OPERATOR(dynamo.->>) 'n')::numeric, (new_image OPERATOR(dynamo.->>) 'n')::numeric
		FROM dynamo.read_stream('load', (SELECT max(number) FROM followed), 50);
		GET DIAGNOSTICS got = ROW_COUNT;
		COMMIT;
		IF got = 0 THEN PERFORM pg_sleep(0.002); END IF;
	END LOOP;
END $$});

sub run_load
{
	my ($seconds) = @_;
	my @session = map {
		my ($call, $said) = ($_, '');
		start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', "CALL $call()" ], '<', '/dev/null', '>', '/dev/null', '2>', \$said)
	} ('read_load', ('write_load') x 5);

	sleep($seconds);
	return @session;
}

for my $round (1 .. 2)
{
	my @session = run_load(4);

	if ($round == 1)
	{
		crash_node($node);
		$_->finish for @session;
		$node->start;
	}
	else
	{
		$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE 'CALL %'});
		$_->finish for @session;
	}
	$node->safe_psql('postgres', q{
INSERT INTO followed SELECT sequence_number, keys OPERATOR(dynamo.->>) 'id', event_name, (old_image OPERATOR(dynamo.->>) 'n')::numeric, (new_image OPERATOR(dynamo.->>) 'n')::numeric
FROM dynamo.read_stream('load', (SELECT max(number) FROM followed), NULL)});
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM followed'), '>', 500, "round $round: the reader had records to follow");
	is($node->safe_psql('postgres', q{
SELECT count(*) FROM followed f FULL JOIN dynamo.read_stream('load', max_records => NULL) r ON r.sequence_number = f.number
WHERE f.number IS NULL OR r.sequence_number IS NULL}), '0', "round $round: the reader missed no record");
	is($node->safe_psql('postgres', q{
SELECT count(*) FROM (SELECT before, lag(after) OVER (PARTITION BY id ORDER BY number) AS expected FROM followed) f
WHERE before IS DISTINCT FROM expected}), '0', "round $round: each change follows the previous one");
	is($node->safe_psql('postgres', q{
SELECT count(*) FROM (SELECT DISTINCT ON (id) id, after FROM followed ORDER BY id, number DESC) f
FULL JOIN load ON load.id = f.id WHERE f.after IS DISTINCT FROM (item OPERATOR(dynamo.->>) 'n')::numeric}), '0',
		"round $round: replaying the records gives the items");
}

$node->stop;
done_testing();
