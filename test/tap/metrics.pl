# metrics.pl: statistics of requests, metrics for Prometheus, and the endpoint's health.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use JSON::PP;
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
like(get('/metrics')->{body}, qr/^dynamo_build_info\{version="\d+\.\d+[^"]*"\} 1$/m, 'the version');
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
my %offered = map { $_ => 1 } $metrics->{body} =~ /^(?:# TYPE )?(dynamo_\w+)/mg;
my %used = map { $_ => 1 } grep { $_ ne 'dynamo' } $dashboard =~ /\b(dynamo_\w+)/g;
is(join(' ', grep { !$offered{$_} } sort keys %used), '', 'the dashboard uses metrics that exist');
cmp_ok(scalar(keys %used), '>', 10, 'and most of them');

# So do the alert rules.
my $rules = slurp_file("$FindBin::RealBin/../../packaging/prometheus/dynamo.rules.yml");
my %asked = map { $_ => 1 } map { /\b(dynamo_\w+)/g } $rules =~ /^ *expr: (.*)$/mg;
is(join(' ', grep { !$offered{s/_bucket$//r} } sort keys %asked), '', 'alert rules use metrics that exist');
cmp_ok(scalar(keys %asked), '>', 7, 'and not few');

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

# ---- capacity, beside what the answers say ----

my %told;

# Adds up what an answer says about the tables and indexes in it.
sub note_capacity
{
	my ($told, $kind, $consumed) = @_;

	for my $of (ref $consumed eq 'ARRAY' ? @$consumed : $consumed)
	{
		my %indexes = (%{ $of->{GlobalSecondaryIndexes} // {} }, %{ $of->{LocalSecondaryIndexes} // {} });

		$told->{"$of->{TableName} $kind"} += $of->{Table}{CapacityUnits};
		$told->{"$of->{TableName}.$_ $kind"} += $indexes{$_}{CapacityUnits} for keys %indexes;
	}
	return;
}

sub capacity
{
	my ($kind, $operation, $request) = @_;
	my ($status, $answer) = api($socket, $operation, { %$request, ReturnConsumedCapacity => 'INDEXES' });

	is($status, 200, $operation);
	note_capacity(\%told, $kind, $answer->{ConsumedCapacity});
	return;
}

$node->safe_psql('postgres', q{
SET ROLE app;
SET search_path = 'a "quoted" schema';
SELECT dynamo.create_table('one', 'pk', 'sk', indexes => '[{"index_name": "gsi", "partition_key": "g"},
	{"index_name": "lsi", "partition_key": "pk", "sort_key": "s", "local": true, "projection": "KEYS_ONLY"},
	{"index_name": "own", "partition_key": "g", "sort_key": "s", "storage": "table"}]');
SELECT dynamo.create_table('two', 'pk');
RESET ROLE;
SELECT dynamo.stat_reset()});
my $long = 'x' x 1500;
my %s = map { $_ => { S => $_ } } 'a' .. 'f';
my %of = (TableName => 'one');

capacity(write => PutItem => { %of, Item => { pk => $s{a}, sk => $s{a}, g => $s{a}, s => $s{a}, long => { S => $long } } });
capacity(write => PutItem => { %of, Item => { pk => $s{a}, sk => $s{a}, g => $s{a}, s => $s{a}, n => { N => '1' } } });
capacity(write => PutItem => { %of, Item => { pk => $s{a}, sk => $s{a}, g => $s{a}, s => $s{a}, n => { N => '1' } } });
capacity(write => UpdateItem => { %of, Key => { pk => $s{a}, sk => $s{a} }, UpdateExpression => 'SET g = :g', ExpressionAttributeValues => { ':g' => $s{b} } });
capacity(write => PutItem => { %of, Item => { pk => $s{a}, sk => $s{b}, g => $s{c} } });
capacity(write => BatchWriteItem => { RequestItems => { one => [ { PutRequest => { Item => { pk => $s{b}, sk => $s{b}, g => $s{b} } } } ],
	two => [ { PutRequest => { Item => { pk => $s{a}, long => { S => $long x 5 } } } } ] } });
capacity(write => TransactWriteItems => { TransactItems => [ { Put => { %of, Item => { pk => $s{c}, sk => $s{c}, g => $s{c} } } },
	{ Update => { TableName => 'two', Key => { pk => $s{a} }, UpdateExpression => 'SET n = :n', ExpressionAttributeValues => { ':n' => { N => '1' } } } },
	{ ConditionCheck => { %of, Key => { pk => $s{a}, sk => $s{a} }, ConditionExpression => 'attribute_exists(g)' } } ] });
capacity(write => ExecuteStatement => { Statement => q{INSERT INTO "two" VALUE {'pk': 'd'}} });
capacity(write => DeleteItem => { %of, Key => { pk => $s{a}, sk => $s{b} } });
capacity(read => GetItem => { TableName => 'two', Key => { pk => $s{a} } });
capacity(read => GetItem => { TableName => 'two', Key => { pk => $s{a} }, ConsistentRead => JSON::PP::true });
capacity(read => GetItem => { TableName => 'two', Key => { pk => $s{a} }, ProjectionExpression => 'n', ConsistentRead => JSON::PP::true });
capacity(read => GetItem => { TableName => 'two', Key => { pk => $s{f} } });
capacity(read => Query => { %of, KeyConditionExpression => 'pk = :a', ExpressionAttributeValues => { ':a' => $s{a} } });
capacity(read => Query => { %of, IndexName => $_, KeyConditionExpression => 'g = :a', ExpressionAttributeValues => { ':a' => $s{b} } }) for 'gsi', 'own';
capacity(read => Query => { %of, IndexName => 'lsi', KeyConditionExpression => 'pk = :a', Select => 'ALL_ATTRIBUTES', ExpressionAttributeValues => { ':a' => $s{a} } });
capacity(read => Scan => { TableName => 'two', FilterExpression => 'attribute_exists(nothing)' });
capacity(read => BatchGetItem => { RequestItems => { one => { Keys => [ { pk => $s{a}, sk => $s{a} }, { pk => $s{f}, sk => $s{f} } ] },
	two => { Keys => [ { pk => $s{a} } ], ConsistentRead => JSON::PP::true } } });
capacity(read => TransactGetItems => { TransactItems => [ map { { Get => { TableName => 'two', Key => { pk => $s{$_} } } } } 'a', 'd' ] });
capacity(read => ExecuteStatement => { Statement => q{SELECT * FROM "two" WHERE pk IN ['a', 'd']} });
capacity(read => ExecuteTransaction => { TransactStatements => [ map { { Statement => qq{SELECT * FROM "two" WHERE pk = '$_'} } } 'a', 'd' ] });
capacity(write => ExecuteTransaction => { TransactStatements => [ { Statement => q{UPDATE "two" SET n = 2 WHERE pk = 'a'} } ] });
capacity(read => BatchExecuteStatement => { Statements => [ { Statement => q{SELECT * FROM "two" WHERE pk = 'a'}, ConsistentRead => JSON::PP::true } ] });
# once more, without asking for it
done(200, 'PutItem', { %of, Item => { pk => $s{e}, sk => $s{e}, g => $s{e} } });
note_capacity(\%told, 'write', { %of, Table => { CapacityUnits => 1 }, GlobalSecondaryIndexes => { map { $_ => { CapacityUnits => 1 } } qw(gsi) } });

my %counted;
for my $row (split /\n/, $node->safe_psql('postgres', q{
SELECT table_name, read_units, write_units FROM dynamo.stat_tables WHERE table_name IN ('one', 'two')
UNION ALL SELECT table_name || '.' || index_name, read_units, write_units FROM dynamo.stat_indexes WHERE table_name IN ('one', 'two')}))
{
	my ($name, $read, $write) = split /\|/, $row;

	$counted{"$name read"} = $read if $read;
	$counted{"$name write"} = $write if $write;
}
delete $told{$_} for grep { !$told{$_} } keys %told;
is_deeply(\%counted, \%told, 'capacity of tables and indexes is what the answers say') or diag(explain(\%counted, \%told));
is($node->safe_psql('postgres', q{SELECT sum(read_units), sum(write_units) FROM dynamo.stat_operations}),
	join('|', map { my $kind = $_; my $sum = 0; $sum += $told{$_} for grep { /^\w+ $kind$/ } keys %told; $sum } 'read', 'write'), 'and of operations');
$node->safe_psql('postgres', 'SELECT dynamo.stat_reset()');
done(400, 'PutItem', { TableName => 'two', Item => { pk => $s{a} }, ConditionExpression => 'attribute_not_exists(pk)' });
is($node->safe_psql('postgres', q{SELECT requests, condition_failures, write_units FROM dynamo.stat_operations}), '1|1|8', 'a failed condition consumes capacity');
done(400, 'TransactWriteItems', { TransactItems => [ { Put => { %of, Item => { pk => $s{f}, sk => $s{f}, g => $s{f} } } },
	{ Update => { TableName => 'two', Key => { pk => $s{a} }, UpdateExpression => 'SET n = :n', ConditionExpression => 'n = :n', ExpressionAttributeValues => { ':n' => $s{a} } } } ] });
is($node->safe_psql('postgres', q{SELECT table_name, requests, canceled, write_units FROM dynamo.stat_operations WHERE operation = 'TransactWriteItems' ORDER BY 1}),
	"one|0|0|2\ntwo|0|0|16\n|1|1|0", 'so does a canceled transaction, of its tables');
is($node->safe_psql('postgres', q{SELECT coalesce(sum(write_units), 0) FROM dynamo.stat_indexes}), '0', 'and not of indexes');
done(200, 'Query', { %of, IndexName => 'gsi', KeyConditionExpression => 'g = :a', ExpressionAttributeValues => { ':a' => $s{b} } });
like(get('/metrics')->{body}, qr/^\Qdynamo_consumed_read_capacity_units_total{operation="Query",schema="a \"quoted\" schema",table="one",index="gsi"} 0.5\E$/m, 'capacity of an index');
like(get('/metrics')->{body}, qr/^dynamo_consumed_write_capacity_units_total\{operation="PutItem",.*table="two",index=""\} 8\.0$/m, 'capacity of a table');
is($node->safe_psql('postgres', q{SELECT operation, items_read, items_returned, read_bytes > 0 FROM dynamo.stat_operations WHERE table_name = 'one' AND operation = 'Query'}), 'Query|2|2|t', 'items and bytes read');

# ---- how far behind ----

$node->safe_psql('postgres', q{
SET ROLE app;
SET search_path = 'a "quoted" schema';
SELECT dynamo.create_table('behind', 'pk');
SELECT dynamo.update_time_to_live('behind', 'ttl');
SELECT dynamo.enable_stream('behind');
INSERT INTO behind (item) SELECT jsonb_build_object('pk', t::text, 'ttl', floor(extract(epoch FROM now())) - t) FROM unnest(ARRAY[1000, 5000, -5000]) t;
});
my $of_behind = q{schema="a \"quoted\" schema",table="behind"};

sub metric
{
	my ($name) = @_;

	return get('/metrics')->{body} =~ /^\Q$name\E.* ([0-9.e+-]+)$/m ? $1 : undef;
}

cmp_ok(metric("dynamo_time_to_live_lag_seconds{$of_behind}"), '>=', 5000, 'the oldest expired item');
cmp_ok(metric("dynamo_time_to_live_lag_seconds{$of_behind}"), '<', 5100, 'and no other');
is(metric("dynamo_stream_lag_seconds{$of_behind"), '0', 'readers of the stream wait for nothing');
cmp_ok(metric("dynamo_stream_oldest_record_age_seconds{$of_behind"), '>', 0, 'the oldest record');
my $writer = $node->background_psql('postgres');
$writer->query_safe(q{BEGIN; INSERT INTO "a ""quoted"" schema".behind (item) VALUES ('{"pk": {"S": "open"}}')});
select(undef, undef, undef, 0.2);
cmp_ok(metric("dynamo_stream_lag_seconds{$of_behind"), '>=', 0.2, 'readers wait for an open transaction');
my $waiting = connect_http($port);
send_raw($waiting, signed_request('PutItem', encode_json({ TableName => 'behind', Item => { pk => { S => 'open' } } })));
my $queue;
wait_until(sub { $queue = metric('dynamo_http_waiting_for_lock') });
is($queue, 1, 'a request that waits for a lock');
$writer->query_safe('ROLLBACK');
is(read_answer($waiting)->{status}, 200, 'until it has it');
is(metric('dynamo_http_waiting_for_lock'), 0, 'then none waits');
is(metric("dynamo_stream_lag_seconds{$of_behind"), '0', 'neither do readers');
$writer->query_safe(q{BEGIN; LOCK TABLE "a ""quoted"" schema".behind});
is(metric("dynamo_time_to_live_lag_seconds{$of_behind}"), undef, 'nothing is known of a locked table');
is(metric('dynamo_in_recovery'), 0, 'which hides nothing else');
$writer->query_safe('ROLLBACK');
$writer->quit;
$node->safe_psql('postgres', q{SELECT dynamo.delete_expired()});
is(metric("dynamo_time_to_live_lag_seconds{$of_behind}"), '0', 'no expired items');
is(metric("dynamo_time_to_live_deleted_item_count_total{$of_behind}"), 2, 'deleted ones');
is($node->safe_psql('postgres', q{SET ROLE app; SELECT items_expired, lag FROM dynamo.stat_time_to_live}), '2|0', 'in SQL');
is($node->safe_psql('postgres', q{SET ROLE app; SELECT table_name, status, lag, oldest_record > 0, total_bytes > 0 FROM dynamo.stat_streams}),
	'behind|ENABLED|0|t|t', 'streams in SQL');

# Nor is anything hidden, or not answered, by an owner who locks a stream, by settings of the role
# whose requests a worker has executed, or by an index that is dropped.
$writer = $node->background_psql('postgres');
$writer->query_safe(q{SET ROLE app; SET search_path = 'a "quoted" schema'; BEGIN; LOCK TABLE "behind$stream"});
is(get('/metrics')->{status}, 200, 'metrics while a stream is locked');
is(metric("dynamo_stream_lag_seconds{$of_behind"), undef, 'of which nothing is known');
is(metric("dynamo_time_to_live_lag_seconds{$of_behind}"), '0', 'unlike others');
$writer->query_safe('ROLLBACK');
$writer->query_safe('RESET ROLE; BEGIN; LOCK TABLE dynamo_internal.index_builds');
is(get('/metrics')->{status}, 500, 'an error is an answer');
is(get('/health/ready')->{status}, 200, 'and nothing else has it');
$writer->query_safe('ROLLBACK');
$writer->quit;

# An owner's code in an index is not run by whoever looks: it could take as long as it likes.
$node->safe_psql('postgres', q{
SET ROLE app;
SET search_path = 'a "quoted" schema';
CREATE SEQUENCE calls;
CREATE FUNCTION trap() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN nextval('"a ""quoted"" schema".calls') * 0; END $$;
CREATE INDEX trap ON behind (dynamo_expires_at) WHERE dynamo_expires_at IS NOT NULL AND trap() = 0});
# that other index comes first
my $other = $node->safe_psql('postgres', q{SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '"a ""quoted"" schema".behind'::regclass
	AND pg_get_indexdef(indexrelid, 1, false) = 'dynamo_expires_at' AND indexrelid <> '"a ""quoted"" schema".trap'::regclass});
$node->safe_psql('postgres', "REINDEX INDEX CONCURRENTLY $other");
my $calls = q{SELECT last_value FROM "a ""quoted"" schema".calls};
my $before = $node->safe_psql('postgres', $calls);
$node->safe_psql('postgres', 'SELECT lag FROM dynamo.stat_time_to_live');
is(metric("dynamo_time_to_live_lag_seconds{$of_behind}"), '0', 'a table with code of its owner in an index');
is($node->safe_psql('postgres', $calls), $before, 'which is not run');
$node->safe_psql('postgres', q{DROP INDEX "a ""quoted"" schema".trap});

# ---- what is gone ----

$node->safe_psql('postgres', q{
SET ROLE app;
SET search_path = 'a "quoted" schema';
SELECT dynamo.drop_index('one', 'gsi'), dynamo.drop_index('one', 'own');
BEGIN;
SELECT dynamo.create_table('never', 'pk');
SELECT dynamo.request('GetItem', '{"TableName": "never", "Key": {"pk": {"S": "a"}}}');
ROLLBACK});
$node->psql('postgres', q{SELECT dynamo.request_safe('GetItem', '{"TableName": "never", "Key": {"pk": {"S": "a"}}}')});
my %seen;
$seen{$_}++ for map { s/ \S+$//r } grep { !/^#/ } split /\n/, get('/metrics')->{body};
is(join("\n", grep { $seen{$_} > 1 } sort keys %seen), '', 'each sample is there once');

# There is room for tables that exist, whatever others have left.
$node->append_conf('postgresql.conf', 'dynamo.stat_max = 1000');
$node->restart;
$node->safe_psql('postgres', q{
SET search_path = 'a "quoted" schema';
DO $$
BEGIN
	FOR i IN 1 .. 1100 LOOP
		BEGIN
			PERFORM dynamo.create_table('never', 'pk');
			PERFORM dynamo.request('GetItem', '{"TableName": "never", "Key": {"pk": {"S": "a"}}}');
			RAISE 'never';
		EXCEPTION WHEN raise_exception THEN NULL;
		END;
	END LOOP;
END $$});
$node->safe_psql('postgres', q{
SET search_path = 'a "quoted" schema';
SELECT dynamo.request('Query', '{"TableName": "two", "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}')}) for 1 .. 3;
is($node->safe_psql('postgres', q{SELECT requests > 0 FROM dynamo.stat_operations WHERE table_name = 'two' AND operation = 'Query'}), 't', 'requests of a table are counted');

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

# ---- refusals ----

sub refused
{
	my ($reason) = @_;
	my ($n) = get('/metrics')->{body} =~ /^dynamo_http_refused_total\{reason="$reason"\} (\d+)$/m;

	return $n;
}

my @reasons = ('unknown access key', 'signature', 'malformed', 'access denied', 'too many clients', 'foreign host or origin', 'TLS');
my @before = map { refused($_) } @reasons;
$socket = connect_http($port);
api($socket, 'GetItem', \%key, key => 'NOKEY', secret => 'TESTSECRET');
api($socket, 'GetItem', \%key, key => 'TESTKEY', secret => 'WRONG') for 1 .. 3;
my $nonsense = connect_http($port);
send_raw($nonsense, "nonsense\r\n\r\n");
read_answer($nonsense);
is(join(' ', map { refused($reasons[$_]) - $before[$_] } 0 .. $#reasons), '1 3 1 0 0 0 0', 'refusals are counted, by their reasons');

$node->stop;
done_testing();
