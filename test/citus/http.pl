# http.pl: clients of a worker node's endpoint create, use and drop a distributed table.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @ports = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 3;
my @settings = map { endpoint_settings($_, 'postgres', 'dynamo.new_table_shards = 4') } @ports;
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings[0], worker1 => $settings[1], worker2 => $settings[2]);

$coordinator->safe_psql('postgres', q{SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid = 0});

my %socket = map { $_ => connect_http($_) } @ports;

# The answer of a node to a request: its status and its body.
sub ask
{
	my ($port, $operation, $json) = @_;
	my $answer = exchange($socket{$port}, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($json) . "\r\n\r\n$json");

	return "$answer->{status} $answer->{body}";
}

my ($at_coordinator, $at_worker, $at_other) = @ports;
my $create = '{"TableName": "orders", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"},
	{"AttributeName": "SK", "KeyType": "RANGE"}], "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"},
	{"AttributeName": "SK", "AttributeType": "S"}, {"AttributeName": "G", "AttributeType": "S"}],
	"GlobalSecondaryIndexes": [{"IndexName": "ByG", "KeySchema": [{"AttributeName": "G", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}';

# ---- tables ----

like(ask($at_worker, CreateTable => $create), qr/^200 .*"TableName":"orders"/, 'a worker creates a table');
like(ask($at_other, CreateTable => $create), qr/^400 .*ResourceInUseException/, 'a table that exists is not created again');
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'orders'::regclass}), 4, 'the created table has shards');
like(ask($_, DescribeTable => '{"TableName": "orders"}'), qr/^200 .*"TableStatus":"ACTIVE"/, "node at $_: the table is active") for @ports;
is(ask($_, ListTables => '{}'), '200 {"TableNames":["orders"]}', "node at $_: ListTables lists the table, not its shards") for @ports;
unlike($coordinator->safe_psql('postgres', q{CREATE ROLE clerk; SELECT line FROM dynamo.iam_policy_to_sql('{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
	"Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/orders*"}]}', 'clerk')}), qr/orders_/, 'a policy means the table, not its shards');
like(ask($at_worker, CreateTable => '{"TableName": 1}'), qr/^400 .*SerializationException/, 'a worker refuses an invalid request');
like(ask($at_worker, CreateTable => '{"TableName": "orders"'), qr/^400 .*SerializationException/, 'a worker refuses invalid JSON');
like(ask($at_worker, DescribeTable => q({"TableName": "it's"})), qr/^400 .*ValidationException/, 'a worker refuses a name with a quote');
like(ask($at_worker, CreateTable => $create =~ s/"orders"/"streams"/r =~ s/^\{/{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}, /r),
	qr/^200 .*"LatestStreamLabel"/, 'a table with a stream');
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM dynamo.streams WHERE table_name = 'streams'}), 1, 'has one stream');

# ---- items, through one node after another ----

for my $i (0 .. 29)
{
	my $answer = ask($ports[ $i % 3 ], PutItem => qq({"TableName": "orders", "Item": {"PK": {"S": "c$i"}, "SK": {"S": "o"}, "G": {"S": "g"}, "n": {"N": "$i"}}}));

	is($answer, '200 {}', 'PutItem') if $answer ne '200 {}';
}
for my $port (@ports)
{
	my $got = 0;

	$got += ask($port, GetItem => qq({"TableName": "orders", "ConsistentRead": true, "Key": {"PK": {"S": "c$_"}, "SK": {"S": "o"}}})) =~ /"N": "$_"/ for 0 .. 29;
	is($got, 30, "node at $port: all items");
	like(ask($port, Query => '{"TableName": "orders", "IndexName": "ByG", "KeyConditionExpression": "G = :g",
	"ExpressionAttributeValues": {":g": {"S": "g"}}, "Select": "COUNT"}'), qr/"Count":30/, 'and by the index');
	like(ask($port, Scan => '{"TableName": "orders", "Select": "COUNT"}'), qr/"Count":30/, 'a scan counts the items');
	like(ask($port, PutItem => '{"TableName": "orders", "Item": {"PK": {"S": "c1"}, "SK": {"S": "o"}}, "ConditionExpression": "attribute_not_exists(PK)"}'),
		qr/^400 .*ConditionalCheckFailedException/, 'a condition');
}
$coordinator->safe_psql('postgres', 'ANALYZE orders');
like(ask($at_worker, DescribeTable => '{"TableName": "orders"}'), qr/"ItemCount":30\D.*"ItemCount":30\D/, 'DescribeTable counts the items of the table and of its index');

# A table with a stream, an index and an entity, in a session that has used many parts of Citus.
$coordinator->safe_psql('postgres', q{SELECT dynamo.create_entity('streams', 'thing', '{"PK": "T#{t}", "SK": "S#{s}", "G": "G#{t}"}', attributes => '{"t": "text", "s": "text"}')});
for my $port (@ports)
{
	for my $i (1 .. 6)
	{
		my $attributes = "'PK': 'T#$port$i', 'SK': 'S#a', 't': '$port$i', 's': 'a'";

		like(ask($port, ExecuteStatement => qq({"Statement": "SELECT SK FROM streams WHERE PK = 'T#$port$i'"})), qr/"Items":\[\]/, "node at $port: a statement reads");
		is(ask($port, ExecuteStatement => qq({"Statement": "INSERT INTO streams VALUE {$attributes}"})), '200 {"Items":[]}', 'a statement inserts');
		like(ask($port, BatchExecuteStatement => qq({"Statements": [{"Statement": "SELECT SK FROM streams WHERE PK = 'T#$port$i' AND SK = 'S#a'"}]})), qr/"SK": \{"S": "S#a"\}/, 'a batch reads');
	}
}

# ---- transactions ----

sub transaction
{
	my ($n, $token) = @_;
	my $actions = join ', ', map { qq({"Put": {"TableName": "orders", "Item": {"PK": {"S": "c$_"}, "SK": {"S": "t"}, "n": {"N": "$n"}}}}) } 0 .. 5;

	return qq({"ClientRequestToken": "$token", "TransactItems": [$actions]});
}

is(ask($at_worker, TransactWriteItems => transaction(1, 'first')), '200 {}', 'a worker executes a transaction');
is(ask($at_other, TransactWriteItems => transaction(2, 'second')), '200 {}', 'another worker executes a transaction');
is(ask($at_coordinator, TransactWriteItems => transaction(1, 'first')), '200 {}', 'a repeated token on the coordinator succeeds');
my $gets = join ', ', map { qq({"Get": {"TableName": "orders", "Key": {"PK": {"S": "c$_"}, "SK": {"S": "t"}}}}) } 0 .. 5;
is(scalar(() = ask($_, TransactGetItems => qq({"TransactItems": [$gets]})) =~ /"N": "2"/g), 6, "node at $_: it was executed once") for @ports;
like(ask($at_worker, TransactWriteItems => transaction(3, 'second')), qr/^400 .*IdempotentParameterMismatchException/, 'a token with other parameters is a mismatch');
like(ask($at_worker, TransactWriteItems => '{"TransactItems": [{"ConditionCheck": {"TableName": "orders", "Key": {"PK": {"S": "none"}, "SK": {"S": "t"}},
	"ConditionExpression": "attribute_exists(PK)"}}, {"Delete": {"TableName": "orders", "Key": {"PK": {"S": "c0"}, "SK": {"S": "t"}}}}]}'),
	qr/^400 .*TransactionCanceledException.*"CancellationReasons":\[\{"Code": "ConditionalCheckFailed"/, 'reasons of a canceled one');

# ---- the end ----

like(ask($at_worker, TagResource => '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders", "Tags": [{"Key": "a", "Value": "b"}]}'), qr/^200 $/, 'a worker sets a tag');
like(ask($at_other, ListTagsOfResource => '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders"}'), qr/"Value":"b"/, 'another worker reads the tag');
like(ask($at_worker, DeleteTable => '{"TableName": "orders"}'), qr/^200 /, 'a worker drops the table');
like(ask($_, GetItem => '{"TableName": "orders", "Key": {"PK": {"S": "c1"}, "SK": {"S": "o"}}}'), qr/^400 .*ResourceNotFoundException/, "node at $_: it is gone") for @ports;
$coordinator->stop('immediate');
like(ask($at_worker, ListTables => '{}'), qr/^500 .*InternalServerError/, 'ListTables on a worker fails without the coordinator');

stop_citus_cluster($worker, $other);
done_testing();
