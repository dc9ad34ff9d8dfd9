# describe_table.pl: from what `aws dynamodb describe-table` prints to a table, by the ways of
# docs/migrating.md: import_model and apply_model, CreateTable with the object as it is, and
# the page's command of jq, for clients that check their input.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $json = JSON::PP->new->canonical;

sub output_of
{
	my ($command, %also) = @_;
	my ($output, $errors) = ('', '');
	my $done = eval { IPC::Run::run($command, '<', \($also{input} // ''), '>', \$output, '2>', \$errors, IPC::Run::timeout(180)) };

	diag($errors) if !$done && !$also{quiet};
	return $done ? $output : undef;
}

# What the service says of a table: on demand or with throughput, with all members that
# CreateTable does not have.
sub described
{
	my ($name, $on_demand) = @_;
	my $arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/$name";
	my %units = (NumberOfDecreasesToday => 0, map { ($_ => $on_demand ? 0 : 5) } qw(ReadCapacityUnits WriteCapacityUnits));
	my %size = (IndexSizeBytes => 4711, ItemCount => 17);
	my %warm = (WarmThroughput => { ReadUnitsPerSecond => 12000, WriteUnitsPerSecond => 4000, Status => 'ACTIVE' });

	return { Table => {
		AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => $_ eq 'total' ? 'N' : 'S' } } qw(pk sk status total) ],
		TableName => $name, TableStatus => 'ACTIVE', CreationDateTime => '2024-03-01T10:11:12.345000+01:00',
		KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' }, { AttributeName => 'sk', KeyType => 'RANGE' } ],
		ProvisionedThroughput => \%units, TableSizeBytes => 81920, ItemCount => 71, TableArn => $arn,
		TableId => '6b1ee5d1-4f8a-4e4c-9a67-000000000000', %warm,
		($on_demand ? (BillingModeSummary => { BillingMode => 'PAY_PER_REQUEST', LastUpdateToPayPerRequestDateTime => '2024-03-01T10:11:12.345000+01:00' }) : ()),
		LocalSecondaryIndexes => [ { IndexName => 'by_total', Projection => { ProjectionType => 'KEYS_ONLY' }, %size, IndexArn => "$arn/index/by_total",
			KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' }, { AttributeName => 'total', KeyType => 'RANGE' } ] } ],
		GlobalSecondaryIndexes => [ { IndexName => 'by_status', IndexStatus => 'ACTIVE', %size, %warm, IndexArn => "$arn/index/by_status", ProvisionedThroughput => \%units,
			Projection => { ProjectionType => 'INCLUDE', NonKeyAttributes => [ 'note' ] },
			KeySchema => [ { AttributeName => 'status', KeyType => 'HASH' }, { AttributeName => 'sk', KeyType => 'RANGE' } ] } ],
		StreamSpecification => { StreamEnabled => JSON::PP::true, StreamViewType => 'NEW_AND_OLD_IMAGES' },
		LatestStreamLabel => '2024-03-01T09:11:12.345', LatestStreamArn => "$arn/stream/2024-03-01T09:11:12.345",
		SSEDescription => { Status => 'ENABLED', SSEType => 'KMS', KMSMasterKeyArn => 'arn:aws:kms:eu-west-1:123456789012:key/1' },
		TableClassSummary => { TableClass => 'STANDARD' }, DeletionProtectionEnabled => JSON::PP::false } };
}

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('describe_table', $port, 2);

$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; GRANT CREATE ON SCHEMA public TO app; SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});

sub answer_of
{
	my ($operation, $input) = @_;
	my $answer = $node->safe_psql('postgres', "SET ROLE app; SELECT dynamo.request_safe('$operation', \$q\$$input\$q\$)");

	return $json->decode($answer);
}

# What matters of a table that exists.
sub table_is
{
	my ($table, $name) = @_;
	my $t = answer_of('DescribeTable', qq({"TableName": "$table"}))->{body}{Table};

	return is($json->encode([ $t->{KeySchema}, map { [ @$_{qw(IndexName KeySchema Projection)} ] } @{ $t->{LocalSecondaryIndexes} }, @{ $t->{GlobalSecondaryIndexes} } ]) .
		" $t->{StreamSpecification}{StreamViewType}",
		$json->encode([ @{ described('x')->{Table} }{KeySchema}, map { [ @$_{qw(IndexName KeySchema Projection)} ] }
			map { @{ described('x')->{Table}{"${_}SecondaryIndexes"} } } qw(Local Global) ]) . ' NEW_AND_OLD_IMAGES', $name);
}

# ---- SQL ----

for my $on_demand (0, 1)
{
	my $table = "Orders.Modelled-$on_demand";
	my $document = $json->encode(described($table, $on_demand));

	is($node->safe_psql('postgres', "SET ROLE app; SELECT dynamo.apply_model(\$q\$$document\$q\$) > 0"), 't', 'apply_model');
	table_is($table, 'keys, indexes and stream');
	is($node->safe_psql('postgres', "SET ROLE app; SELECT count(*) FROM dynamo.import_model(\$q\$$document\$q\$)") > 0, 1, 'import_model');
}

# ---- CreateTable with the object as it is ----

my $created = answer_of('CreateTable', $json->encode(described('Orders.Provisioned', 0)->{Table}));
is($created->{status}, 200, 'CreateTable ignores the other members') or diag($json->encode($created));
table_is('Orders.Provisioned', 'keys, indexes and stream');
like(answer_of('CreateTable', $json->encode(described('Orders.Demand', 1)->{Table}))->{body}{message}, qr/readCapacityUnits|ReadCapacityUnits/,
	'throughput of 0 is refused');

# ---- jq ----

my ($filter) = slurp_file("$FindBin::RealBin/../../docs/migrating.md") =~ /^jq '([^']+)' orders\.json/m;
ok($filter, 'the page has the command');
SKIP:
{
	skip 'jq is not installed', 5 if !defined output_of([ 'jq', '--version' ], quiet => 1);

	my %input = map { $_ => output_of([ 'jq', $filter ], input => $json->encode(described($_, 1))) } qw(Orders.Demand Orders.Checked);
	is($json->encode($json->decode(output_of([ 'jq', $filter ], input => '{"Table": {"TableName": "t", "KeySchema": [], "TableStatus": "ACTIVE", "AttributeDefinitions": []}}'))),
		'{"BillingMode":"PAY_PER_REQUEST","TableName":"t"}', 'what a table lacks is left out');
	is(answer_of('CreateTable', $input{'Orders.Demand'})->{status}, 200, 'CreateTable');
	table_is('Orders.Demand', 'keys, indexes and stream');

	skip 'boto3 is not installed', 2 if !defined output_of([ 'python3', '-c', 'import boto3' ], quiet => 1);
	is(output_of([ 'python3', '-c', <<"PYTHON" ], input => $input{'Orders.Checked'}), "CREATED\n", 'a client that checks its input takes it');
import boto3, json, sys
client = boto3.client("dynamodb", endpoint_url="http://127.0.0.1:$port", region_name="us-east-1",
    aws_access_key_id="TESTKEY", aws_secret_access_key="TESTSECRET")
client.create_table(**json.load(sys.stdin))
print("CREATED")
PYTHON
	table_is('Orders.Checked', 'keys, indexes and stream');
}

$node->stop;
done_testing();
