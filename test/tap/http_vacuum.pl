# http_vacuum.pl: requests that change a table do not fail because of an automatic vacuum, which
# PostgreSQL ends for a session that waits for it, and not for one that gives up after 10 ms.
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
my $node = new_http_node('vacuum', $port, 1, q{
dynamo.database = 'postgres'
dynamo.http_authentication = 'none'
dynamo.http_role = 'app'
autovacuum = on
autovacuum_naptime = 1s
log_autovacuum_min_duration = 0
});

# A vacuum of these tables takes minutes.
my $slow = 'autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1, autovacuum_analyze_threshold = 100000000';
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; CREATE SCHEMA app AUTHORIZATION app; ALTER ROLE app SET search_path = app, dynamo});

sub run_request
{
	my ($operation, $request) = @_;
	my $answer = exchange(connect_http($port), "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($request) . "\r\n\r\n$request");

	return "$answer->{status} $answer->{body}";
}

# Starts a vacuum of a table that does not end; the query tells on which relation.
sub start_vacuum
{
	my ($table) = @_;

	$node->safe_psql('postgres', qq{SET search_path = app, dynamo; SET ROLE app;
SELECT create_table('$table', 'pk'); SELECT enable_stream('$table'); SELECT update_time_to_live('$table', 'ttl', true);
ALTER TABLE $table SET ($slow);
INSERT INTO $table (item) SELECT jsonb_build_object('pk', 'p' || i, 'pad', repeat('x', 1000)) FROM generate_series(1, 3000) i;
DELETE FROM $table WHERE pk ~ '[05]\$'});
	like(run_request('UpdateContinuousBackups', qq({"TableName": "$table", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}})), qr/^200/,
		"$table: recovery");
	$node->poll_query_until('postgres', qq{SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND query ~ 'VACUUM.* app\.$table\\M'})
		or die 'no vacuum has begun';
	return;
}

for (1 .. 100)
{
	last if connect_http($port);
	select(undef, undef, undef, 0.1);
}
start_vacuum('deleted');
like(run_request('DeleteTable', '{"TableName": "deleted"}'), qr/^200 /, 'DeleteTable ends the vacuum');
start_vacuum('changed');
like(run_request('UpdateTimeToLive', '{"TableName": "changed", "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": false}}'), qr/^200 /,
	'UpdateTimeToLive ends the vacuum');
ok($node->log_contains('canceling autovacuum task'), 'the log says so');

$node->stop;
done_testing();
