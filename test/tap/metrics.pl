# metrics.pl: statistics of requests, metrics for Prometheus, and the endpoint's health.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $metrics_port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('metrics', $port, 2, "dynamo.metrics_port = $metrics_port\ndynamo.metrics_listen_addresses = '127.0.0.1'\n",
	allows_streaming => 1);

sub get
{
	my ($path, $at) = @_;
	my $socket;

	for (1 .. 100)
	{
		last if $socket = connect_http($at // $metrics_port);
		select(undef, undef, undef, 0.1);
	}
	send_raw($socket, "GET $path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	return read_answer($socket);
}

# ---- before the extension is there ----

$node->safe_psql('postgres', 'DROP EXTENSION dynamo');
is(get('/health/live')->{status}, 200, 'alive');
is(get('/health/ready')->{status}, 503, 'not ready without the extension');
is(get('/metrics')->{status}, 200, 'metrics without the extension');
$node->safe_psql('postgres', 'CREATE EXTENSION dynamo');
is(get($_)->{status}, 200, $_) for '/health/live', '/health/ready', '/health/primary';
is(get($_, $port)->{status}, 200, "$_ at the port of requests") for '/health/live', '/health/ready', '/health/primary', '/any';
is(get('/other')->{status}, 404, 'nothing else at the port of metrics');
like(get('/health/ready')->{body}, qr/^ok$/, 'a text');

# ---- requests over HTTP ----

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
CREATE SCHEMA "a ""quoted"" schema" AUTHORIZATION app;
ALTER ROLE app SET search_path = 'a "quoted" schema';
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SELECT dynamo.stat_reset()});

my $socket = connect_http($port);
my %key = (TableName => 'tab', Key => { pk => { S => 'a' } });

sub done
{
	my ($status, $operation, $request) = @_;
	my ($got) = api($socket, $operation, $request);

	is($got, $status, $operation);
	return;
}

done(200, 'CreateTable', { TableName => 'tab', BillingMode => 'PAY_PER_REQUEST',
	AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' } ], KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' } ] });
done(200, 'PutItem', { TableName => 'tab', Item => { pk => { S => 'a' }, n => { N => '1' } } });
done(200, 'PutItem', { TableName => 'tab', Item => { pk => { S => 'b' }, n => { N => '2' } } });
done(400, 'PutItem', { TableName => 'tab', Item => { pk => { S => 'a' } }, ConditionExpression => 'attribute_not_exists(pk)' });
done(400, 'PutItem', { TableName => 'tab', Item => { wrong => { S => 'a' } } });
done(200, 'GetItem', \%key) for 1 .. 3;
done(200, 'Scan', { TableName => 'tab', FilterExpression => 'n > :n', ExpressionAttributeValues => { ':n' => { N => '1' } } });
done(400, 'GetItem', { %key, TableName => 'none' });
done(400, 'TransactWriteItems', { TransactItems => [ { ConditionCheck => { %key, ConditionExpression => 'attribute_not_exists(pk)' } } ] });
done(400, 'NoSuchOperation', {});

my $counts = q{SELECT operation, schema_name, table_name, requests, user_errors, condition_failures, canceled, conflicts, system_errors, items_returned, items_read
FROM dynamo.stat_operations ORDER BY operation, table_name NULLS FIRST};
my $expected = <<'ROWS';
CreateTable|a "quoted" schema|tab|1|0|0|0|0|0|0|0
GetItem|||1|1|0|0|0|0|0|0
GetItem|a "quoted" schema|tab|3|0|0|0|0|0|3|3
PutItem|a "quoted" schema|tab|4|1|1|0|0|0|0|0
Scan|a "quoted" schema|tab|1|0|0|0|0|0|1|2
TransactWriteItems|a "quoted" schema|tab|1|0|0|1|0|0|0|0
unknown|||1|1|0|0|0|0|0|0
ROWS
is($node->safe_psql('postgres', $counts) . "\n", $expected, 'requests by operation and table');
is($node->safe_psql('postgres', q{SELECT bool_and(requests = (SELECT sum(n) FROM unnest(durations) n) AND total_time > 0 AND mean_time <= total_time AND stats_reset < now()
	AND array_length(durations, 1) = 16) FROM dynamo.stat_operations}), 't', 'durations');
is($node->safe_psql('postgres', q{SELECT min(request_bytes) > 50, min(response_bytes) > 50 FROM dynamo.stat_operations WHERE operation = 'GetItem' AND table_name = 'tab'}),
	't|t', 'bytes');
is($node->safe_psql('postgres', q{SELECT requests, errors FROM dynamo.stat_tables WHERE table_name = 'tab'}), '10|3', 'requests of a table');

# ---- the text ----

my $metrics = get('/metrics');

is($metrics->{status}, 200, 'metrics');
is($metrics->{header}{'content-type'}, 'text/plain; version=0.0.4; charset=utf-8', 'their type');
my $labels = 'operation="GetItem",schema="a \"quoted\" schema",table="tab"';
like($metrics->{body}, qr/^\Qdynamo_requests_total{$labels} 3\E$/m, 'a counter');
like($metrics->{body}, qr/^dynamo_conditional_check_failed_requests_total\{operation="PutItem",.*\} 1$/m, 'failed conditions');
like($metrics->{body}, qr/^\Qdynamo_request_latency_seconds_bucket{$labels,le="+Inf"} 3\E$/m, 'a histogram');
like($metrics->{body}, qr/^\Qdynamo_request_latency_seconds_count{$labels} 3\E$/m, 'its count');
like($metrics->{body}, qr/^dynamo_http_workers 2$/m, 'workers');
like($metrics->{body}, qr/^dynamo_http_connections [1-9]\d*$/m, 'connections');
like($metrics->{body}, qr/^dynamo_in_recovery 0$/m, 'a primary');
my @wrong = grep { !/^# (HELP|TYPE) dynamo_[a-z_]+ .+$/ && !/^dynamo_[a-z_]+(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)+\})? [0-9.e+-]+$/ } split /\n/, $metrics->{body};
is("@wrong", '', 'every line is of the format');
my %bucket;
for my $line (split /\n/, $metrics->{body})
{
	my ($of, $n) = $line =~ /^dynamo_request_latency_seconds_bucket\{(.*),le="[^"]*"\} (\d+)$/ or next;

	push @wrong, $line if $n < ($bucket{$of} // 0);
	$bucket{$of} = $n;
}
is("@wrong", '', 'buckets are cumulative');
is(scalar(keys %bucket), 7, 'of each operation');

# The dashboard asks for metrics that there are.
my $dashboard = slurp_file("$FindBin::RealBin/../../packaging/grafana/dynamo.json");
my %offered = map { $_ => 1 } $metrics->{body} =~ /^(dynamo_\w+)/mg;
my %used = map { $_ => 1 } grep { $_ ne 'dynamo' } $dashboard =~ /\b(dynamo_\w+)/g;
is(join(' ', grep { !$offered{$_} } sort keys %used), '', 'the dashboard uses metrics that exist');
cmp_ok(scalar(keys %used), '>', 10, 'and most of them');

# ---- requests by SQL ----

$node->safe_psql('postgres', 'SELECT dynamo.stat_reset()');
$node->safe_psql('postgres', q{
SET search_path = 'a "quoted" schema';
SELECT dynamo.request('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}}}');
SELECT dynamo.request_safe('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "none"}}}');
SELECT dynamo.request_safe('GetItem', '{"TableName": "tab"}');
DO $$ BEGIN PERFORM dynamo.request('GetItem', '{"TableName": "tab", "Key": {"wrong": {"S": "a"}}}'); EXCEPTION WHEN OTHERS THEN NULL; END $$;
-- a request within a request
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM dynamo.request('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}}}'); RETURN NULL; END $$;
CREATE TRIGGER note AFTER INSERT ON tab FOR EACH ROW EXECUTE FUNCTION note();
SELECT dynamo.request('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "c"}}}');
DROP TRIGGER note ON tab;
});
# one that is cancelled leaves nothing behind
$node->psql('postgres', q{
SET search_path = 'a "quoted" schema';
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(100); RETURN NULL; END $$;
CREATE TRIGGER wait AFTER INSERT ON tab FOR EACH ROW EXECUTE FUNCTION wait();
SET statement_timeout = 100;
DO $$ BEGIN PERFORM dynamo.request_safe('PutItem', '{"TableName": "tab", "Item": {"pk": {"S": "d"}}}'); EXCEPTION WHEN query_canceled THEN NULL; END $$;
RESET statement_timeout;
DROP TRIGGER wait ON tab;
SELECT dynamo.get_item('tab', '{"pk": {"S": "a"}}');
SELECT dynamo.request('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "a"}}}')});
is($node->safe_psql('postgres', q{SELECT operation, table_name, requests, user_errors, system_errors, items_returned FROM dynamo.stat_operations ORDER BY operation, table_name NULLS FIRST}),
	"GetItem||1|1|0|0\nGetItem|tab|5|1|0|3\nPutItem|tab|1|0|0|0", 'requests by SQL');
$node->safe_psql('postgres', q{SET search_path = 'a "quoted" schema'; DROP TABLE tab});
is($node->safe_psql('postgres', q{SELECT count(*) FROM dynamo.stat_operations WHERE table_name IS NOT NULL}), '0', 'a table that is dropped is forgotten');

# ---- a standby ----

$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('metrics_standby');
my ($standby_port, $standby_metrics) = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 2;

$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "dynamo.http_port = $standby_port\ndynamo.metrics_port = $standby_metrics\n");
$standby->start;
is(get('/health/ready', $standby_metrics)->{status}, 200, 'a standby is ready');
is(get('/health/primary', $standby_metrics)->{status}, 503, 'and no primary');
like(get('/metrics', $standby_metrics)->{body}, qr/^dynamo_in_recovery 1$/m, 'its metrics');
$standby->stop;

$node->stop;
done_testing();
