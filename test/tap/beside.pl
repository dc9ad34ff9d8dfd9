# beside.pl: the extension beside other libraries that servers load, before and after
# it: audit lines and statistics are what an administrator expects of its operations,
# and its own tests have the same results.
#
# LONG=1 runs all regression files and the other tests of the endpoint there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my ($id, $secret) = ('BESIDE', 'secretofthetestbeside1234');
my @signer = (key => $id, secret => $secret);
my $role = 'auditor';
my $source = "$FindBin::RealBin/../..";

# What is loaded with the server, and the extension to create: [library, extension].
my @all = (
	[ 'pgaudit', 'pgaudit' ], [ 'pg_stat_statements', 'pg_stat_statements' ], [ 'auto_explain', undef ], [ 'hypopg', 'hypopg' ],
	[ 'pg_cron', 'pg_cron' ], [ 'pg_partman_bgw', 'pg_partman' ], [ 'postgis-3', 'postgis' ]);
my ($libdir, $sharedir) = map { my ($dir) = run_command([ 'pg_config', $_ ]); chomp $dir; $dir } '--pkglibdir', '--sharedir';
my @others = grep { -e "$libdir/$_->[0].so" && (!defined $_->[1] || -e "$sharedir/extension/$_->[1].control") } @all;
my %has = map { $_->[0] => 1 } @others;

plan skip_all => 'no other extension is installed' if !@others;
for my $other (grep { !$has{ $_->[0] } } @all)
{
	SKIP: { skip "$other->[0] is not installed", 1 }
}

my $settings = '';
$settings .= "pgaudit.log = 'read, write, ddl, function'\npgaudit.log_parameter = on\n" if $has{pgaudit};
$settings .= "pg_stat_statements.track = 'all'\n" if $has{pg_stat_statements};
$settings .= "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\nauto_explain.log_nested_statements = on\n" if $has{auto_explain};
$settings .= "cron.database_name = 'postgres'\n" if $has{pg_cron};
$settings .= "pg_partman_bgw.dbname = 'postgres'\n" if $has{pg_partman_bgw};

# Returns what the server has logged since a place, once the pattern occurs.
sub logged
{
	my ($node, $from, $pattern) = @_;
	my $log;

	wait_until(
		sub {
			$log = substr(slurp_file($node->logfile), $from);
			return $log =~ $pattern;
		});
	return $log;
}

# The operations of the endpoint, with the statement that an audit shows.
my %k = (TableName => 'orders', Key => { id => { S => 'a' } });
my @requests = (
	[ 'PutItem', { TableName => 'orders', Item => { id => { S => 'a' } } }, 'WRITE,INSERT', 'INSERT INTO public.orders' ],
	[ 'GetItem', \%k, 'READ,SELECT', 'SELECT FROM public.orders' ],
	[ 'UpdateItem', { %k, UpdateExpression => 'SET a = :a', ExpressionAttributeValues => { ':a' => { N => '1' } } }, 'WRITE,INSERT', 'INSERT INTO public.orders' ],
	[ 'Query', { TableName => 'orders', KeyConditionExpression => 'id = :i', ExpressionAttributeValues => { ':i' => { S => 'a' } } },
		'READ,SELECT', 'SELECT FROM public.orders' ],
	[ 'Scan', { TableName => 'orders' }, 'READ,SELECT', 'SELECT FROM public.orders' ],
	[ 'BatchGetItem', { RequestItems => { orders => { Keys => [ $k{Key} ] } } }, 'READ,SELECT', 'SELECT FROM public.orders' ],
	[ 'BatchWriteItem', { RequestItems => { orders => [ { PutRequest => { Item => { id => { S => 'b' } } } } ] } }, 'WRITE,INSERT', 'INSERT INTO public.orders' ],
	[ 'TransactWriteItems', { TransactItems => [ { Delete => { TableName => 'orders', Key => { id => { S => 'b' } } } } ] }, 'WRITE,DELETE', 'DELETE FROM public.orders' ],
	[ 'TransactGetItems', { TransactItems => [ { Get => \%k } ] }, 'READ,SELECT', 'SELECT FROM public.orders' ],
	[ 'ExecuteStatement', { Statement => q{SELECT * FROM orders WHERE id = 'a'} }, 'READ,SELECT', 'SELECT FROM public.orders' ],
	[ 'DeleteItem', \%k, 'WRITE,DELETE', 'DELETE FROM public.orders' ]);

sub test_requests
{
	my ($node, $port, $when) = @_;

	for my $request (@requests)
	{
		my ($operation, $input, $class, $statement) = @$request;
		my $from = -s $node->logfile;
		my ($status, $body) = api(connect_http($port), $operation, $input, @signer);
		my $audit = qr{AUDIT: SESSION,\d+,\d+,$class,,,$statement /\* DynamoDB_20120810\.$operation \*/,};

		is($status, 200, "$when: $operation") or diag(explain($body));
		next if !$has{pgaudit};
		like(logged($node, $from, $audit), $audit, "$when: $operation is in the audit");
	}
}

# One row more than the check of privileges knows: hooks outside of a statement.
sub test_sessions
{
	my ($node, $when) = @_;
	my $from = -s $node->logfile;
	my ($status, $out, $err) = $node->psql('postgres', q{
SELECT dynamo.put_item('orders', '{"id": {"S": "s"}}');
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT item FROM dynamo.query('orders', 'id = :i', '{":i": {"S": "s"}}') item;
COMMIT;
FETCH held;
CREATE FUNCTION read_at_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM dynamo.get_item('orders', '{"id": {"S": "s"}}'); RETURN NULL; END $$;
CREATE TABLE plain (a int);
CREATE CONSTRAINT TRIGGER at_end AFTER INSERT ON plain DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION read_at_end();
INSERT INTO plain VALUES (1);
SELECT count(*) FROM orders, LATERAL dynamo.get_item('orders', jsonb_build_object('id', id)::dynamo.item);
DO $$ BEGIN PERFORM dynamo.put_item('none', '{"id": {"S": "s"}}'); EXCEPTION WHEN OTHERS THEN NULL; END $$;
SET dynamo.direct_access = off;
SELECT dynamo.put_item('orders', '{"id": {"S": "t"}}');
DROP TABLE plain;
DROP FUNCTION read_at_end()}, extra_params => [ '-q' ]);
	my $log = logged($node, $from, qr/DROP FUNCTION,/);

	is("$status $err", '0 ', "$when: operations in held cursors, deferred triggers, subtransactions");
	return if !$has{pgaudit};
	like($log, qr{WRITE,INSERT,,,INSERT INTO public\.orders,}, "$when: put_item is in the audit as a write");
	like($log, qr{READ,SELECT,,,SELECT FROM public\.orders,}, "$when: query is in the audit as a read");
}

# The role whose grants choose what is audited.
sub test_object_audit
{
	my ($node, $port, $when) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET pgaudit.role = '$role'; ALTER SYSTEM SET pgaudit.log = 'none'; GRANT DELETE ON orders TO $role; SELECT pg_reload_conf()");
	reload_workers($node);
	my $from = -s $node->logfile;
	for my $request (grep { $_->[0] =~ /^(GetItem|PutItem|DeleteItem)$/ } @requests)
	{
		api(connect_http($port), @$request[ 0, 1 ], @signer);
	}
	my $log = logged($node, $from, qr/AUDIT: OBJECT/);
	my @lines = $log =~ /AUDIT: (OBJECT.*?) \/\*/g;

	is_deeply([ map { s/,\d+,\d+,/,/r } @lines ], ['OBJECT,WRITE,DELETE,TABLE,public.orders,DELETE FROM public.orders'],
		"$when: only what is granted to the audit's role");
	$node->safe_psql('postgres', "ALTER SYSTEM RESET pgaudit.role; ALTER SYSTEM RESET pgaudit.log; REVOKE DELETE ON orders FROM $role; SELECT pg_reload_conf()");
}

# Regression files, whose results are those of any server.
# Reports and plans are queries of which PostgreSQL expects many rows.  None of them is
# worth compiling, which takes seconds.
sub test_reports
{
	my ($node) = @_;
	my $from = -s $node->logfile;

	$node->safe_psql('postgres', q{
SET jit = on;
SELECT dynamo.create_table('designed', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"}]');
SELECT dynamo.create_entity('designed', 'order', '{"pk": "C#{c}", "sk": "O#{o}", "g": "G#{b}"}', view_name => 'designed_orders');
SELECT dynamo.create_access_pattern('designed', 'orders_of', 'pk = :k');
SELECT dynamo.put_item('designed', jsonb_build_object('type', 'order', 'c', i % 10, 'o', i, 'b', i % 3)) FROM generate_series(1, 100) i;
SELECT dynamo.apply_model(replace(dynamo.export_model('designed')::text, '"G#', '"H#')::json);
SELECT dynamo.import_model(dynamo.export_model('designed'));
SELECT dynamo.model_checksum('designed'), dynamo.generate_client('designed', 'typescript');
SELECT dynamo.outline('designed'), dynamo.advise('designed'), dynamo.draw('designed'), dynamo.check_setup(), dynamo.help('put_item');
SELECT dynamo.check_access_patterns('designed'), dynamo.check_copies('designed'), dynamo.check_entity('designed');
TABLE dynamo.tables; TABLE dynamo.indexes; TABLE dynamo.entities; TABLE dynamo.access_patterns; TABLE dynamo.copies; TABLE dynamo.migrations;
SELECT count(*) FROM pg_class WHERE relname = 'designed'});
	my $log = logged($node, $from, qr/Query Text: SELECT count\(\*\) FROM pg_class WHERE relname = 'designed'/);
	my @compiled = grep { /^\s*JIT:/m } split /(?=duration: [\d.]+ ms  plan:)/, $log;
	is(scalar @compiled, 0, 'no report is compiled') or diag(substr $compiled[0], 0, 2000);
}

sub test_regression
{
	my ($node, $when) = @_;
	my @files = $ENV{LONG} ? map { m{([^/]*)\.sql$} } sort glob("$source/sql/*.sql") :
		qw(copies entity_views index_table put_item query_index request_transact_write_items sqldoor_constraints sqldoor_privileges stream_changes transact);
	my $output = PostgreSQL::Test::Utils::tempdir();

	local $ENV{PGOPTIONS} = '-c jit=off';
	$node->command_ok([
			$ENV{PG_REGRESS}, "--inputdir=$source", "--outputdir=$output", '--load-extension=dynamo', '--encoding=UTF8', '--no-locale',
			'--host=' . $node->host, '--port=' . $node->port, '--user=' . (getpwuid($<))[0], @files
		], "$when: regression files") or diag(-e "$output/regression.diffs" ? slurp_file("$output/regression.diffs") : '');
}

sub test_beside
{
	my ($when, $libraries) = @_;
	my $port = PostgreSQL::Test::Cluster::get_free_port();

	local $ENV{DYNAMO_PRELOAD} = $libraries;
	local $ENV{DYNAMO_SETTINGS} = $settings;
	my $node = new_http_node($when, $port, 2, "restart_after_crash = off\nmax_worker_processes = 20\ndynamo.database = 'postgres'\n");
	# PostGIS refuses to be created while pgaudit logs
	$node->safe_psql('postgres', ($has{pgaudit} ? "SET pgaudit.log = 'none'; " : '') . "CREATE EXTENSION $_->[1] CASCADE")
		for grep { defined $_->[1] } @others;
	$node->safe_psql('postgres', qq{
CREATE ROLE $role; CREATE ROLE app LOGIN;
SELECT dynamo.create_access_key('app', '$id', '$secret');
SELECT dynamo.create_table('orders', 'id');
GRANT ALL ON orders TO app});
	wait_until(sub { connect_http($port) });
	test_requests($node, $port, $when);
	test_sessions($node, $when);
	test_reports($node) if $has{auto_explain} && $when eq 'before';
	test_object_audit($node, $port, $when) if $has{pgaudit};
	test_regression($node, $when);
	$node->stop;
	if ($ENV{LONG})
	{
		command_ok([ $^X, (map { "-I$_" } @INC), "$FindBin::RealBin/$_.pl" ], "$when: $_.pl") for qw(http archive turns);
	}
}

my $libraries = join(',', map { $_->[0] } @others);
test_beside('before', "$libraries,dynamo");
test_beside('after', "dynamo,$libraries");
done_testing();
