# clients.pl: clients of dynamo.generate_client, generated, type-checked and run.
#
# For the five systems of the examples, and the tables of test/sdk/clients/tables.sql.  DYNAMO_SDK
# names a directory in which `npm install typescript @types/node @aws-sdk/client-dynamodb pg
# @types/pg zod` was run; tsc may also be that of the system.  Python needs boto3 or psycopg, and
# mypy for the check of types; Go needs the AWS SDK among its sources, as Debian's packages
# install it.  Nothing is downloaded; tests of what is missing are skipped.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $scripts = "$FindBin::RealBin/../sdk/clients";
my $examples = "$FindBin::RealBin/../../examples";
my $sdk = $ENV{DYNAMO_SDK} // '';
my $modules = "$sdk/node_modules";
my $gopath = $ENV{GOPATH} // '/usr/share/gocode';
my $go_sdk = "$gopath/src/github.com/aws/aws-sdk-go-v2/service/dynamodb";
my $directory = PostgreSQL::Test::Utils::tempdir();
my @systems = qw(ecommerce shop schools customers books organizations tickets stores hr_oe);
my %table = (desk => 'desk', nasty => 'nasty-table', words => 'words', map { $_ => "dynamo_examples.$_" } @systems);
my @languages = qw(typescript typescript-pg python python-psycopg go zod json-schema);
my %file = (typescript => '%s.ts', 'typescript-pg' => '%s_pg.ts', zod => '%s_zod.ts', python => '%s_aws.py', 'python-psycopg' => '%s_pg.py',
	go => 'go/src/clients/%s/%s.go', 'json-schema' => '%s.json');

sub output_of
{
	my ($where, @command) = @_;
	my $output = '';
	my $done = eval { IPC::Run::run(\@command, '<', '/dev/null', '>&', \$output, init => sub { chdir $where }, IPC::Run::timeout(1200)) };

	return ($done, $output);
}

sub has { return (output_of('/', @_))[0] }

sub succeeds
{
	my ($name, $where, @command) = @_;
	my ($done, $output) = output_of($where, @command);

	ok($done, $name) or diag($output);
	return $done;
}

sub works
{
	my ($name, @command) = @_;
	my ($done, $output) = output_of($directory, @command);

	ok($done && $output eq "ok\n", $name) or diag($output);
}

# ---- the server ----

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('clients', $port, 2);
my @client = ("http://127.0.0.1:$port", 'TESTKEY', 'TESTSECRET');

$node->safe_psql('postgres', q{ALTER DATABASE postgres SET search_path = public, dynamo_examples, dynamo});
load_file($node, 'postgres', "$examples/$_.sql") for qw(shop_hierarchy shop_patterns schools one_to_many hr_order_entry access_patterns);
load_file($node, 'postgres', "$scripts/tables.sql");
$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT USAGE ON SCHEMA dynamo_examples TO app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public, dynamo_examples TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});
$node->restart;

# ---- the text ----

my $text = decode_json($node->safe_psql('postgres', sprintf(
	q{SELECT json_object_agg(l || ' ' || n, dynamo.generate_client(t, l)) FROM unnest('{%s}'::text[]) l, unnest('{%s}'::text[], '{%s}'::text[]) x(n, t)},
	join(',', @languages), join(',', sort keys %table), join(',', map { $table{$_} } sort keys %table))));

mkdir "$directory/$_" for qw(go go/src go/src/clients);
for my $key (sort keys %$text)
{
	my ($language, $name) = split / /, $key;
	my $file = "$directory/" . ($file{$language} =~ s/%s/$name/gr);

	mkdir "$directory/go/src/clients/$name" if $language eq 'go';
	open(my $out, '>:encoding(UTF-8)', $file) or die "cannot write $file: $!";
	print $out $text->{$key};
	close $out;
}
is(scalar(keys %$text), @languages * keys %table, 'clients are generated');
ok(eval { JSON::PP->new->decode($text->{"json-schema $_"}) }, "the JSON Schema of $_ is JSON") for sort keys %table;

sub copy_program
{
	my ($from, $to) = @_;

	append_to_file("$directory/" . ($to // $from), slurp_file("$scripts/$from"));
}

# ---- TypeScript ----

my @tsc = -x "$modules/.bin/tsc" ? ("$modules/.bin/tsc") : ('tsc');

SKIP:
{
	skip 'no node', 1 if !has('node', '--version');
	skip 'no TypeScript: DYNAMO_SDK names its directory, or install node-typescript', 1 if !has(@tsc, '--version');
	my @missing = grep { !-d "$modules/$_" } qw(@types/node @types/pg @aws-sdk/client-dynamodb pg zod);

	skip "DYNAMO_SDK has no @missing", 1 if @missing;
	symlink($modules, "$directory/node_modules");
	copy_program($_) for qw(aws.ts pg.ts zod.ts);
	append_to_file("$directory/package.json", '{"type": "module"}');
	append_to_file("$directory/tsconfig.json", q{{"compilerOptions": {"strict": true, "target": "ES2022", "module": "nodenext", "moduleResolution": "nodenext",
		"skipLibCheck": true, "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "outDir": "js", "types": ["node"]}, "include": ["*.ts"]}});
	if (succeeds('TypeScript has the right types', $directory, @tsc, '-p', '.'))
	{
		append_to_file("$directory/js/package.json", '{"type": "module"}');
		works('TypeScript works over the AWS SDK', 'node', '--no-warnings', 'js/aws.js', @client);
		works('TypeScript works over node-postgres', 'node', '--no-warnings', 'js/pg.js', $node->connstr('postgres'), $node->host, $node->port);
		works('schemas for zod work', 'node', '--no-warnings', 'js/zod.js');
	}
}

# ---- Python ----

my ($python) = grep { has($_, '-c', 'import sys; assert sys.version_info >= (3, 11)') } '/usr/bin/python3', 'python3';

SKIP:
{
	skip 'no Python 3.11', 1 if !defined $python;
	copy_program('aws.py', 'test_aws.py');
	copy_program('pg.py', 'test_pg.py');
	SKIP:
	{
		skip 'mypy is not installed', 1 if !has('mypy', '--version');
		succeeds('Python has the right types', $directory, 'mypy', '--strict', '--ignore-missing-imports', '--cache-dir', "$directory/.mypy",
			(map { ("${_}_aws.py", "${_}_pg.py") } sort keys %table), 'test_aws.py', 'test_pg.py');
	}
	SKIP:
	{
		skip 'boto3 is not installed', 1 if !has($python, '-c', 'import boto3');
		works('Python works over boto3', $python, 'test_aws.py', @client);
	}
	SKIP:
	{
		skip 'psycopg is not installed', 1 if !has($python, '-c', 'import psycopg');
		works('Python works over psycopg', $python, 'test_pg.py', $node->connstr('postgres'));
	}
}

# ---- Go ----

SKIP:
{
	skip 'its compiler takes long: with --long', 1 if !$ENV{LONG};
	skip 'no Go', 1 if !has('go', 'version');
	skip "$gopath has no AWS SDK for Go", 1 if !-d $go_sdk;
	local $ENV{GOPATH} = "$directory/go:$gopath";
	local $ENV{GO111MODULE} = 'off';
	local $ENV{GOFLAGS} = '';
	local $ENV{GOCACHE} = $ENV{GOCACHE} // "$directory/gocache";
	local $ENV{HOME} = $directory;
	mkdir "$directory/go/src/test";
	copy_program('aws.go', 'go/src/test/aws.go');
	is((output_of("$directory/go/src", 'gofmt', '-l', 'clients'))[1], '', 'Go is formatted');
	succeeds('Go has the right types', "$directory/go/src", 'go', 'vet', 'test', (map { "clients/$_" } sort keys %table));
	works('Go works over the AWS SDK', 'go', 'run', "$directory/go/src/test/aws.go", @client);
}

# ---- a model that has changed ----

$node->safe_psql('postgres', q{SELECT dynamo.drop_access_pattern('titles')});
SKIP:
{
	skip 'no program was compiled', 1 if !-f "$directory/js/aws.js";
	works('TypeScript sees that the model has changed', 'node', '--no-warnings', 'js/aws.js', @client, 'changed');
	works('and over PostgreSQL', 'node', '--no-warnings', 'js/pg.js', $node->connstr('postgres'), $node->host, $node->port, 'changed');
}
SKIP:
{
	skip 'no Python with boto3 and psycopg', 1 if !defined $python || !has($python, '-c', 'import boto3, psycopg');
	works('Python sees it', $python, 'test_aws.py', @client, 'changed');
	works('and over PostgreSQL', $python, 'test_pg.py', $node->connstr('postgres'), 'changed');
}

$node->stop;
done_testing();
