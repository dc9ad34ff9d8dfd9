# http_sdk.pl: unmodified AWS SDKs with the HTTP endpoint, after the steps of the README.
#
# boto3 is used if Python has it.  DYNAMO_SDK names a directory in which
# `npm install @aws-sdk/client-dynamodb @aws-sdk/lib-dynamodb` was run.  Nothing
# is downloaded; tests of missing SDKs are skipped.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $scripts = "$FindBin::RealBin/../sdk";
my $directory = $ENV{DYNAMO_SDK} // '';
my %client;
my $beside;

sub runs
{
	my @command = @_;

	return eval { IPC::Run::run(\@command, '<', '/dev/null', '>', '/dev/null', '2>', '/dev/null') };
}

if (runs('python3', '-c', 'import boto3'))
{
	$client{boto3} = [ 'python3', "$scripts/python.py" ];
	$client{'model of botocore'} = [ 'python3', "$scripts/model.py" ];
	$client{'boto3 with keys by parts'} = [ 'python3', "$scripts/parts.py" ];
}
if (-d "$directory/node_modules/\@aws-sdk/lib-dynamodb" && runs('node', '--version'))
{
	# a module finds other modules beside it
	$beside = PostgreSQL::Test::Utils::tempdir();

	symlink("$directory/node_modules", "$beside/node_modules");
	append_to_file("$beside/$_", slurp_file("$scripts/$_")) for 'javascript.mjs', 'parts.mjs';
	$client{'SDK for JavaScript'} = [ 'node', '--no-warnings', "$beside/javascript.mjs" ];
	$client{'SDK for JavaScript with keys by parts'} = [ 'node', '--no-warnings', "$beside/parts.mjs" ];
}
plan skip_all => 'no AWS SDK is installed' if !%client;
SKIP: { skip 'boto3 is not installed', 1 if !$client{boto3} }
SKIP: { skip 'the AWS SDK for JavaScript is not installed: DYNAMO_SDK names its directory', 1 if !$client{'SDK for JavaScript'} }

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('http_sdk', $port, 2);

# The SQL of the README, from its top to its end, prepares the server.  It has the role, a
# place for the tables that the programs create, and the access key.
my $readme = slurp_file("$FindBin::RealBin/../../README.md");
my $page = slurp_file("$FindBin::RealBin/../../docs/http.md");
my ($id, $secret) = last_access_key(join "\n", $readme =~ /^```sql\n(.*?)^```$/msg);

# Runs SQL that ends with a new access key, and returns the key and its secret.
sub last_access_key
{
	my ($sql) = @_;
	my $answer = $node->safe_psql('postgres', $sql);

	return $answer =~ /^(DYNA\w+)\|(\S+)$/m;
}

# A program as a page has it, with the server's address and an access key in their places.
sub program_with_key
{
	my ($text, $key, $key_secret) = @_;

	return $text =~ s/http:\/\/localhost:8000/http:\/\/127.0.0.1:$port/r =~ s/"DYNA\.\.\."/"$key"/r =~ s/"\.\.\."/"$key_secret"/r;
}

# Runs a program, and tests what it prints.
sub program_prints
{
	my ($command, $expected, $name) = @_;
	my ($stdout, $stderr) = ('', '');

	IPC::Run::run($command, '<', '/dev/null', '>', \$stdout, '2>', \$stderr, IPC::Run::timeout(1200));
	is($stdout, $expected, $name) or diag($stderr);
}

# what the programs use that never name a key attribute
$node->safe_psql('postgres', q{
SET ROLE app;
SET search_path = app, dynamo;
SELECT create_table('sdk_parts', partition_key => 'PK', sort_key => 'SK',
    indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('sdk_parts', 'customer', type_attribute => 'kind',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', attributes => '{"customer_id": "text", "name": "text"}');
SELECT create_entity('sdk_parts', 'order', type_attribute => 'kind',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": {"type": "text", "default": "OPEN"}}');
SELECT create_access_pattern('sdk_parts', 'orders_of_customer', 'customer_id = :customer AND order_id >= :first',
    entities => '{order}', parameters => '{"first": {"default": null}}')});
for my $name (sort keys %client)
{
	my ($stdout, $stderr) = ('', '');
	my $result = IPC::Run::run([ @{ $client{$name} }, "http://127.0.0.1:$port", $id, $secret ],
		'<', '/dev/null', '>', \$stdout, '2>', \$stderr, IPC::Run::timeout(1200));

	ok($result && $stdout eq "ok\n", "$name works") or diag($stderr);
}

# ---- the programs of the pages ----

my ($web, $web_secret) = last_access_key($page =~ /^```sql\n(CREATE EXTENSION.*?)^```$/ms);

if ($beside)
{
	append_to_file("$beside/readme.mjs",
		program_with_key(join("\n", $readme =~ /^```js\n(.*?)^```$/msg), $id, $secret) . "console.log(Items.length);\n");
	program_prints([ 'node', '--no-warnings', "$beside/readme.mjs" ], "51\n", 'the program of the README reads what its SQL has written');
	append_to_file("$beside/music.mjs", program_with_key($page =~ /^```js\n(.*?)^```$/ms, $web, $web_secret));
	program_prints([ 'node', '--no-warnings', "$beside/music.mjs" ],
		"{ Artist: 'Acme Band', SongTitle: 'Happy Day', Year: 1984 }\n", 'the program of docs/http.md for JavaScript');
}
if ($client{boto3})
{
	program_prints([ 'python3', '-c', program_with_key($page =~ /^```python\n(.*?)^```$/ms, $web, $web_secret) ],
		"{'Artist': 'Acme Band', 'SongTitle': 'Happy Day', 'Year': Decimal('1984')}\n", 'the program of docs/http.md for Python');
}

$node->stop;
done_testing();
