# replication.pl: logical replication to a second server that has the
# extension, of one table and of all tables, and reads on a physical standby.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $definition = q{
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'inline', 'G', 'SK');
SELECT dynamo.create_index('shop', 'kept', 'G', 'SK', storage => 'table');
SELECT dynamo.create_index('shop', 'sharded', 'G', 'SK', storage => 'table', shards => 2);
SELECT dynamo.create_vector_index('shop', 'near', 'emb', 2, 'EUCLIDEAN', partition_key => 'G');
};

my $publisher = new_dynamo_node('publisher', "wal_level = logical\n", allows_streaming => 'logical');
$publisher->safe_psql('postgres', $definition);
$publisher->safe_psql('postgres', q{
SELECT count(dynamo.put_item('shop', jsonb_build_object('PK', 'p' || i % 5, 'SK', 's' || i, 'G', 'g' || i % 3, 'emb', jsonb_build_array(i, 0.5))))
FROM generate_series(1, 60) i});

# Changes of all kinds, through functions and plain SQL.
my $changes = q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "p1"}, "SK": {"S": "s1"}, "G": {"S": "moved"}}');
SELECT dynamo.update_item('shop', '{"PK": {"S": "p2"}, "SK": {"S": "s2"}}', 'REMOVE G');
SELECT dynamo.delete_item('shop', '{"PK": {"S": "p3"}, "SK": {"S": "s3"}}');
SELECT dynamo.update_item('shop', '{"PK": {"S": "p2"}, "SK": {"S": "s7"}}', 'SET emb[1] = :y', expression_attribute_values => '{":y": {"N": "9"}}');
SELECT dynamo.update_item('shop', '{"PK": {"S": "p0"}, "SK": {"S": "s10"}}', 'REMOVE emb');
UPDATE shop SET item = dynamo.set_attribute(item, 'n', dynamo.to_value(1)) WHERE "PK" = 'p4';
UPDATE shop SET item = dynamo.set_attribute(item, 'SK', dynamo.to_value('new key'::text)) WHERE "SK" = 's5';
INSERT INTO shop (item) SELECT dynamo.build_item('PK', 'big', 'SK', i::text, 'G', 'g1', 'text', repeat(md5(i::text), 500))
FROM generate_series(1, 5) i;
BEGIN; DELETE FROM shop; ROLLBACK;
};

# The nearest items of a partition.
my $search = q{
SELECT item OPERATOR(dynamo.->>) 'SK', score FROM dynamo.search_vectors('shop', 'near', '{8.25,0.5}', 5, 'G = :g', '{":g": {"S": "g1"}}')};

# Checks that a copy has the publisher's items and that its indexes agree with them.
sub same_as_publisher
{
	my ($node, $what) = @_;

	is(items_of($node, 'postgres', 'shop'), items_of($publisher, 'postgres', 'shop'), "$what: items");
	for my $index ('inline', 'kept', 'sharded')
	{
		is($node->safe_psql('postgres', "SELECT * FROM dynamo.verify_index('shop', '$index')"), '',
			"$what: index $index agrees with its table");
		is($node->safe_psql('postgres', qq{
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => '$index')}),
			$publisher->safe_psql('postgres', q{SELECT count(*) FROM shop WHERE "G" = 'g1'}),
			"$what: a query on $index");
	}
	is($node->safe_psql('postgres', q{SELECT * FROM dynamo.verify_index('shop', 'near')}), '', "$what: the vector index agrees with its table");
	is($node->safe_psql('postgres', $search), $publisher->safe_psql('postgres', $search), "$what: a search");
}

# ---- logical: one table, then all tables ----

for my $kind ([ 'one_table', 'TABLE shop' ], [ 'all_tables', 'ALL TABLES' ])
{
	my ($name, $tables) = @$kind;
	my $subscriber = new_dynamo_node("subscriber_$name");

	$subscriber->safe_psql('postgres', $definition);
	$publisher->safe_psql('postgres', "CREATE PUBLICATION $name FOR $tables");
	$subscriber->safe_psql('postgres', sprintf(
		q{CREATE SUBSCRIPTION %s CONNECTION '%s' PUBLICATION %s}, $name, $publisher->connstr . ' dbname=postgres', $name));
	$subscriber->wait_for_subscription_sync($publisher, $name);
	same_as_publisher($subscriber, "$tables, copied");

	$publisher->safe_psql('postgres', $changes) if $name eq 'one_table';
	$publisher->safe_psql('postgres', q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "later"}, "SK": {"S": "later"}, "G": {"S": "g1"}}')}) if $name eq 'all_tables';
	# the extension's settings are in a publication of all tables
	$subscriber->safe_psql('postgres', q{SELECT dynamo.create_table('second', 'id')});
	$publisher->safe_psql('postgres', q{SELECT dynamo.create_table('second', 'id')}) if $name eq 'all_tables';
	$publisher->wait_for_catchup($name);
	same_as_publisher($subscriber, "$tables, changed");

	# index tables that are rebuilt, and a whole table that is dropped and created again
	$publisher->safe_psql('postgres', q{SELECT dynamo.reindex('shop', i) FROM unnest('{inline,kept,sharded,near}'::text[]) i});
	$publisher->wait_for_catchup($name);
	same_as_publisher($subscriber, "$tables, indexes rebuilt");
	$publisher->safe_psql('postgres', q{
CREATE TEMP TABLE kept AS SELECT item FROM shop;
TRUNCATE shop;
INSERT INTO shop (item) SELECT item FROM kept});
	$publisher->wait_for_catchup($name);
	same_as_publisher($subscriber, "$tables, truncated and filled");

	# a subscriber's trigger that changes the item after its columns were derived
	if ($name eq 'one_table')
	{
		my $log_start = -s $subscriber->logfile;

		$subscriber->safe_psql('postgres', q{
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.item := NEW.item::jsonb || '{"G": "moved"}'; RETURN NEW; END $$;
CREATE TRIGGER "~later" BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION later();
ALTER TABLE shop ENABLE ALWAYS TRIGGER "~later"});
		$publisher->safe_psql('postgres', q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "moved"}, "SK": {"S": "a"}, "G": {"S": "g1"}}')});
		$subscriber->wait_for_log(qr/column "G" of table "shop" contradicts the item after other triggers have fired/, $log_start);
		is($subscriber->safe_psql('postgres', q{SELECT count(*) FROM shop WHERE "PK" = 'moved'}), '0',
			"$tables: changes by that trigger are not stored");
		$subscriber->safe_psql('postgres', 'DROP TRIGGER "~later" ON shop; DROP FUNCTION later()');
		$publisher->wait_for_catchup($name);
		same_as_publisher($subscriber, "$tables, without that trigger");
	}

	# the progress of a build refers to pages of one server
	$publisher->safe_psql('postgres', q{
INSERT INTO dynamo_internal.index_builds VALUES (1, 'x', 'filling', 1, 7, 1, 9, 1, 0, '[]', NULL, false, 0, now(), now())
ON CONFLICT (relation, index_name) DO UPDATE SET block = index_builds.block + 1});
	$publisher->wait_for_catchup($name);
	is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM dynamo_internal.index_builds'), '0',
		"$tables: the progress of builds is not replicated");

	is($subscriber->safe_psql('postgres', q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "own"}, "SK": {"S": "own"}, "G": {"S": "own"}}');
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "own"}}', index_name => 'kept')}),
		"\n1", "$tables: the subscriber writes its own items too");
	$subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $name");
	$subscriber->stop;
}

# ---- physical standby ----

$publisher->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($publisher, 'backup', has_streaming => 1);
$standby->start;
$publisher->safe_psql('postgres', q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "standby"}, "SK": {"S": "a"}, "G": {"S": "g1"}}')});
$publisher->wait_for_catchup($standby);

for my $direct ('on', 'off')
{
	my $set = "SET dynamo.direct_access = $direct;";

	is($standby->safe_psql('postgres', qq{$set
SELECT dynamo.get_item('shop', '{"PK": {"S": "standby"}, "SK": {"S": "a"}}', 'SK')}),
		'{"SK": {"S": "a"}}', "standby, direct $direct: get_item");
	for my $index ('inline', 'kept', 'sharded')
	{
		is($standby->safe_psql('postgres', qq{$set
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => '$index')}),
			$publisher->safe_psql('postgres', q{SELECT count(*) FROM shop WHERE "G" = 'g1'}),
			"standby, direct $direct: query on $index");
	}
	is($standby->safe_psql('postgres', "$set $search"), $publisher->safe_psql('postgres', $search), "standby, direct $direct: search");
	is($standby->safe_psql('postgres', "$set SELECT count(*) FROM dynamo.scan('shop')"),
		$publisher->safe_psql('postgres', 'SELECT count(*) FROM shop'), "standby, direct $direct: scan");
	is($standby->safe_psql('postgres', qq{$set
SELECT dynamo.request('Query', '{"TableName": "shop", "Select": "COUNT", "KeyConditionExpression": "PK = :p",
	"ExpressionAttributeValues": {":p": {"S": "standby"}}}')}),
		'{"Count":1,"ScannedCount":1}', "standby, direct $direct: request");
	for my $write (q{dynamo.put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "x"}}')},
		q{dynamo.update_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "x"}}', 'REMOVE a')},
		q{dynamo.delete_item('shop', '{"PK": {"S": "standby"}, "SK": {"S": "a"}}')})
	{
		my ($status, $out, $error) = $standby->psql('postgres', "$set SELECT $write");

		like($error, qr/cannot execute .* in a read-only transaction/, "standby, direct $direct: $write is refused");
	}
}

# A standby cannot know what has been committed on the primary meanwhile.
my $consistent = q{"ConsistentRead": true};
my $key = q{"Key": {"PK": {"S": "standby"}, "SK": {"S": "a"}}};
my $statement = q{"Statement": "SELECT * FROM shop WHERE PK = 'standby' AND SK = 'a'"};
my %consistent_reads = (
	GetItem => qq({"TableName": "shop", $key, $consistent}),
	Query => qq({"TableName": "shop", $consistent, "KeyConditionExpression": "PK = :p",
		"ExpressionAttributeValues": {":p": {"S": "standby"}}}),
	Scan => qq({"TableName": "shop", $consistent}),
	BatchGetItem => qq({"RequestItems": {"shop": {"Keys": [{"PK": {"S": "standby"}, "SK": {"S": "a"}}], $consistent}}}),
	ExecuteStatement => qq({$statement, $consistent}),
	BatchExecuteStatement => qq({"Statements": [{$statement, $consistent}]}),
	TransactGetItems => qq({"TransactItems": [{"Get": {"TableName": "shop", $key}}]}),
	ExecuteTransaction => qq({"TransactStatements": [{$statement}]}));
for my $operation (sort keys %consistent_reads)
{
	my $request = sprintf q{SELECT dynamo.request_safe('%s', $json$%s$json$)}, $operation, $consistent_reads{$operation};
	(my $eventual = $request) =~ s/"ConsistentRead": true/"ConsistentRead": false/;

	unlike($publisher->safe_psql('postgres', $request), qr/Access|"Error"/, "primary: consistent $operation");
	like($standby->safe_psql('postgres', $request),
		$operation eq 'BatchExecuteStatement' ?
			qr/"Code":"AccessDenied","Message":"cannot execute a consistent read during recovery"/ :
			qr/#AccessDeniedException","Message":"cannot execute a consistent read during recovery"/,
		"standby: consistent $operation is refused");
	unlike($standby->safe_psql('postgres', $eventual), qr/Access|"Error"/, "standby: $operation, possibly stale")
		if $eventual ne $request;
}
is($standby->safe_psql('postgres', qq{SELECT dynamo.transact_get_items('[{"Get": {"TableName": "shop", $key}}]') IS NOT NULL}),
	't', 'standby: a snapshot of several items in SQL');

# ---- promotion ----

$standby->promote;
is($standby->safe_psql('postgres', q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "promoted"}, "SK": {"S": "a"}, "G": {"S": "promoted"}}');
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "promoted"}}', index_name => 'sharded')}),
	"\n1", 'the promoted standby writes');

$standby->stop;
$publisher->stop;
done_testing();
