# slow_requests.pl: slow requests in the server log, and what the log says about a request.
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
my $node = new_http_node('slow', $port, 1, "logging_collector = on\ndynamo.log_min_request_duration = 200\nlog_min_messages = warning\n");

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
CREATE SCHEMA app AUTHORIZATION app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
ALTER ROLE app SET search_path = app;
SET ROLE app;
SET search_path = app;
SELECT dynamo.create_table('tab', 'pk', 'sk');
CREATE FUNCTION app.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
CREATE TRIGGER wait AFTER INSERT ON app.tab FOR EACH ROW WHEN (NEW.pk LIKE 'slow%') EXECUTE FUNCTION app.wait();
CREATE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'failed, as it was asked to' USING ERRCODE = 'XX000'; END $$;
CREATE TRIGGER fail AFTER INSERT ON app.tab FOR EACH ROW WHEN (NEW.pk = 'fails') EXECUTE FUNCTION app.fail();
});

my $socket = connect_http($port);

sub request
{
	my ($operation, $request) = @_;

	return exchange($socket, signed_request($operation, encode_json($request)));
}

sub put { my ($pk) = @_; return request('PutItem', { TableName => 'tab', Item => { pk => { S => $pk }, sk => { S => 'sortkey' } } }) }

sub query { my ($sql) = @_; return $node->safe_psql('postgres', $sql) }

sub log_text { return slurp_file($node->data_dir . '/' . query('SELECT pg_current_logfile()')) }

# ---- what is logged ----

my $fast = put('fast');
is($fast->{status}, 200, 'a fast request succeeds');
my $slow = put('slow-secret');
is($slow->{status}, 200, 'a slow request succeeds');
my $id = $slow->{header}{'x-amzn-requestid'};
my ($pk, $sk) = split /\|/, query(q{SELECT dynamo.key_hash('{"S": "slow-secret"}'), dynamo.key_hash('{"S": "sortkey"}')});
like($pk, qr/^[0-9a-f]{16}$/, 'key_hash returns 64 bits');
isnt($pk, $sk, 'of each attribute');
my $log = log_text();
like($log, qr/LOG:  duration: [2-9]\d\d\.\d{3} ms  slow request: PutItem, table "app\.tab", key \Q$pk:$sk\E, request id \Q$id\E$/m, 'a slow request is logged');
unlike($log, qr/\Q$fast->{header}{'x-amzn-requestid'}\E/, 'a fast request is not logged');
unlike(join('', grep { /slow request/ } split /^/, $log), qr/slow-secret|sortkey/, 'the entry does not contain the key');

request('BatchWriteItem', { RequestItems => { tab => [ map { { PutRequest => { Item => { pk => { S => "slow$_" }, sk => { S => 'x' } } } } } 1 .. 2 ] } });
like(log_text(), qr/slow request: BatchWriteItem, table "app\.tab", key [0-9a-f]{16}:[0-9a-f]{16} and 1 more, request id/, 'a slow request with several keys is logged');
query($_) for 'ALTER SYSTEM SET dynamo.log_min_request_duration = 0', 'SELECT pg_reload_conf()';
$node->poll_query_until('postgres', q{SELECT current_setting('dynamo.log_min_request_duration') = '0'});
request('ListTables', {});    # workers read settings between requests
$id = request('Query', { TableName => 'tab', KeyConditionExpression => 'pk = :p AND sk > :s', ExpressionAttributeValues => { ':p' => { S => 'slow-secret' }, ':s' => { S => 'a' } } })->{header}{'x-amzn-requestid'};
like(log_text(), qr/slow request: Query, table "app\.tab", key \Q$pk\E, request id \Q$id\E$/m, 'a query has the hash of its partition');
$id = request('GetItem', { TableName => 'none', Key => { pk => { S => 'a' } } })->{header}{'x-amzn-requestid'};
like(log_text(), qr/slow request: GetItem, request id \Q$id\E, error KV\w{3}$/m, 'a slow request with an error is logged');
my $log_before = () = log_text() =~ /slow request/g;
exchange($socket, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}");
my $log_after = () = log_text() =~ /slow request/g;
is($log_after, $log_before, 'requests without a valid signature are not logged');

# ---- requests in SQL ----

query(q{SET dynamo.log_min_request_duration = 0; SET search_path = app; SELECT dynamo.request('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "slow-secret"}, "sk": {"S": "sortkey"}}}');
SELECT dynamo.request_safe('GetItem', '{"TableName": "tab"}')});
like(log_text(), qr/slow request: GetItem, table "app\.tab", key \Q$pk:$sk\E$/m, 'a slow request by dynamo.request is logged');
like(log_text(), qr/slow request: GetItem, error KV\w{3}$/m, 'a slow request by dynamo.request_safe is logged');
my ($status, undef, $said) = $node->psql('postgres', 'SET ROLE app; SET dynamo.log_min_request_duration = 0');
like($said, qr/permission denied to set parameter/, 'a role cannot change the setting');

# ---- what the log says about a request ----

$id = put('fails')->{header}{'x-amzn-requestid'};
my $found = query(qq{SELECT dynamo.log_entries('$id')});
like($found, qr/ERROR:  failed, as it was asked to\n/, 'log_entries returns the entry of an error');
like($found, qr/CONTEXT:.*HTTP request \Q$id\E of client/s, 'log_entries returns the context of an error');
is(query(qq{SELECT count(*) FROM dynamo.log_entries('$id') e WHERE e NOT LIKE '%$id%'}), '0', 'log_entries returns no other entries');
# the statement is logged, too
is(query(q{SELECT count(*) FROM dynamo.log_entries(repeat('A', 52))}), '0', 'log_entries returns nothing for a request that was not logged');
is(query(q{SELECT count(*) FROM dynamo.log_entries(NULL)}), '0', 'log_entries returns nothing for null');
($status, undef, $said) = $node->psql('postgres', q{SELECT dynamo.log_entries('%')});
like($said, qr/"%" is not a request id/, 'log_entries refuses a text that is not a request id');
($status, undef, $said) = $node->psql('postgres', qq{SET ROLE app; SELECT dynamo.log_entries('$id')});
like($said, qr/permission denied/, 'log_entries requires a privilege');
($status, undef, $said) = $node->psql('postgres', qq{GRANT EXECUTE ON FUNCTION dynamo.log_entries TO app; SET ROLE app; SELECT dynamo.log_entries('$id', '/etc/hostname')});
like($said, qr/permission denied to read the server log/, 'log_entries requires the right to read server files');

# Every format; the message of the error has lines and quotes.
query(q{CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE E'failed "again",\nLOG:  "as asked"' USING ERRCODE = 'XX000'; END $$});
for my $format ('csvlog', 'jsonlog')
{
	query($_) for "ALTER SYSTEM SET log_destination = '$format'", 'SELECT pg_reload_conf()';
	$node->poll_query_until('postgres', "SELECT pg_current_logfile('$format') IS NOT NULL AND pg_current_logfile() = pg_current_logfile('$format')");
	put('fails');
	$id = put('fails')->{header}{'x-amzn-requestid'};
	put('fails');
	# a pattern that does not match this statement, which is logged with the id, too
	$found = query(qq{SELECT e FROM dynamo.log_entries('$id') e WHERE e ~ 'f[a]iled.*again'});
	like($found, qr/^[^\n]*failed .{1,2}again.*as asked.*HTTP request \Q$id\E of client/s, "$format: the entry of an error");
	my $others = () = $found =~ /failed/g;
	is($others, 1, "$format: and no others");
}

$node->stop;
done_testing();
