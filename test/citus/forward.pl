# forward.pl: requests of clients whose item is on another node are executed there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use DynamoNode qw(wait_until);
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @ports = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 3;
my @settings = map { endpoint_settings($_, 'app', q{log_line_prefix = '%a: '}) } @ports;
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings[0], worker1 => $settings[1], worker2 => $settings[2]);
my ($at_coordinator, $at_worker, $at_other) = @ports;
my %socket = map { $_ => connect_http($_) } @ports;

sub send_request
{
	my ($port, $operation, $json) = @_;

	send_raw($socket{$port}, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($json) . "\r\n\r\n$json");
	return;
}

# The answer of a node to a request: its status and its body.
sub ask
{
	my ($port, $operation, $json) = @_;

	send_request($port, $operation, $json);
	my $answer = read_answer($socket{$port});
	return defined $answer ? "$answer->{status} $answer->{body}" : 'closed';
}

# The first role and table; Citus creates roles on all nodes.
value_of($coordinator, q{CREATE ROLE app LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO app});
value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK'); GRANT ALL ON kvs TO app;
SELECT dynamo.create_table('secrets', partition_key => 'PK');
SELECT dynamo.distribute_table('kvs', shards => 6); SELECT dynamo.distribute_table('secrets', shards => 6)});

# The sessions of other nodes in a node, and what they executed last.
sub links
{
	my ($node) = @_;

	return value_of($node, q{SELECT string_agg(usename || ' ' || query, ', ') FROM pg_stat_activity WHERE application_name = 'dynamo'});
}

my $here = key_on($worker, 'kvs', 1);
my $there = key_on($other, 'kvs', 1);

sub put
{
	my ($key, $n, $more) = @_;

	return qq({"TableName": "kvs", "Item": {"PK": {"S": "$key"}, "SK": {"S": "a"}, "n": {"N": "$n"}, "text": {"S": "ä\\"'\\\\\\u0000"}}${\ ($more // '')}});
}

sub with_key
{
	my ($key, $more) = @_;

	return qq({"TableName": "kvs", "Key": {"PK": {"S": "$key"}, "SK": {"S": "a"}}${\ ($more // '')}});
}

sub query
{
	my ($key, $condition, $more) = @_;

	return qq({"TableName": "kvs", "KeyConditionExpression": "$condition", "ExpressionAttributeValues": {":p": {"S": "$key"}}${\ ($more // '')}});
}

# ---- the same answers ----

is(links($other), '', 'no session of another node at first');
my %answers;
for my $case (
	[ 'a put', PutItem => \&put, 1 ],
	[ 'another one, which returns the old item', PutItem => \&put, 2, ', "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "INDEXES"' ],
	[ 'a get', GetItem => \&with_key, ', "ConsistentRead": true, "ReturnConsumedCapacity": "TOTAL"' ],
	[ 'a projection', GetItem => \&with_key, ', "ProjectionExpression": "n"' ],
	[ 'an update', UpdateItem => \&with_key, ', "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "5"}}, "ReturnValues": "UPDATED_NEW"' ],
	[ 'a failed condition', PutItem => \&put, 3, ', "ConditionExpression": "attribute_not_exists(PK)"' ],
	[ 'one that returns the item', PutItem => \&put, 3, ', "ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"' ],
	[ 'a wrong expression', UpdateItem => \&with_key, ', "UpdateExpression": "ADD"' ],
	[ 'an attribute that is no number', UpdateItem => \&with_key, ', "UpdateExpression": "SET n = text + :n", "ExpressionAttributeValues": {":n": {"N": "5"}}' ],
	[ 'two ways to say a condition', DeleteItem => \&with_key, ', "ConditionExpression": "n = :n", "Expected": {}' ],
	[ 'a bad parameter', DeleteItem => \&with_key, ', "ReturnValues": "SOME"' ],
	[ 'a query', Query => \&query, 'PK = :p', ', "ReturnConsumedCapacity": "TOTAL"' ],
	[ 'a query with names', Query => \&query, ':p = #p', ', "ExpressionAttributeNames": {"#p": "PK"}, "ConsistentRead": true, "Select": "COUNT"' ],
	[ 'a page of a query', Query => \&query, 'PK = :p', ', "Limit": 1, "ScanIndexForward": false, "ProjectionExpression": "n"' ],
	[ 'a query without the key', Query => \&query, 'SK = :p' ],
	[ 'one with an unused name', Query => \&query, 'PK = :p', ', "ExpressionAttributeNames": {"#p": "PK"}' ],
	[ 'one of an index that does not exist', Query => \&query, 'PK = :p', ', "IndexName": "none"' ],
	[ 'one with the old parameters', Query => sub { qq({"TableName": "kvs", "KeyConditions": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "$_[0]"}]}}}) } ],
	[ 'a delete', DeleteItem => \&with_key, ', "ReturnValues": "ALL_OLD"' ],
	[ 'no item', GetItem => \&with_key, '' ])
{
	my ($name, $operation, $json, @args) = @$case;
	my ($direct, $sent) = map { ask($at_worker, $operation, $json->($_, @args)) =~ s/"\Q$_\E"/"key"/gr } $here, $there;

	is($sent, $direct, "$name: $direct");
}
like(links($other), qr/^app SELECT dynamo_system.request_on_shard\(\$1, \$2\)$/, 'one session as the role of the request executed them');
is(links($coordinator), '', 'none elsewhere');
is(value_of($coordinator, q{SELECT count(*) FROM pg_prepared_xacts}), 0, 'no prepared transaction');
is(slurp_file($other->logfile) =~ /ERROR/, '', 'errors of clients are not in the log');
is(value_of($other, q{SELECT sum(requests) FROM dynamo.stat_operations WHERE table_name = 'kvs' AND operation = 'PutItem'}), 4, 'the node that executes requests counts them');
is(value_of($worker, q{SELECT sum(requests) FROM dynamo.stat_operations WHERE table_name = 'kvs' AND operation = 'PutItem'}), 4, 'the other one does not');

# ---- rights ----

my $secret = qq({"TableName": "secrets", "Item": {"PK": {"S": "${\ key_on($other, 'secrets', 1)}"}}});
like(ask($at_worker, PutItem => $secret), qr/^400 .*AccessDeniedException.*permission denied for table secrets/, 'a table without rights');
value_of($coordinator, q{GRANT ALL ON secrets TO app});
is(ask($at_worker, PutItem => $secret), '200 {}', 'with rights');
value_of($coordinator, q{REVOKE ALL ON secrets FROM app});
like(ask($at_worker, PutItem => $secret), qr/^400 .*AccessDeniedException/, 'and without them again');

sub fails
{
	my ($node, $sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "SET ROLE app; SET search_path = public, dynamo; $sql");

	like($error, qr/ERROR:  $message/, $name);
}

fails($other, qq{SELECT dynamo_system.request_on_shard('PutItem', \$\$${\ put($here, 1)}\$\$)}, 'this server has no shard of table "kvs"', 'called by hand: a key of another node');
fails($other, qq{SELECT dynamo_system.request_on_shard('Query', '${\ query($here, 'PK = :p')}')}, 'this server has no shard of table "kvs"', 'a query of a key of another node');
fails($other, q{SELECT dynamo_system.request_on_shard('Scan', '{"TableName": "kvs"}')}, 'cannot execute operation Scan on a shard', 'a scan');
fails($other, q{SELECT dynamo_system.request_on_shard('DeleteTable', '{"TableName": "kvs"}')}, 'cannot execute operation DeleteTable on a shard', 'a table');
fails($other, qq{SELECT dynamo_system.request_on_shard('PutItem', '$secret')}, 'permission denied for table secrets', 'a table without rights');
is(value_of($other, qq{SET ROLE app; SELECT dynamo_system.request_on_shard('PutItem', \$\$${\ put($there, 7)}\$\$)}), '{}', 'a key of this node');

# A row, called by hand: what is here, and what is not.
sub row
{
	my ($action, $table, $access, $key) = @_;

	return qq{dynamo_system.row_on_shard($action, 'public', '$table', $access, '${\ value_of($other, qq(SELECT dynamo_internal.item_send('{"PK": {"S": "$key"}, "SK": {"S": "a"}}')))}')};
}

like(value_of($other, 'SET ROLE app; SELECT ' . row(0, 'kvs', 2, $there)), qr/^\\x6401/, 'a row of this node');
is(value_of($other, 'SET ROLE app; SELECT ' . row($_, 'kvs', 15, $here)), '\\x6d', "a row of another node, action $_") for 0 .. 6;
fails($other, 'SELECT ' . row(0, 'secrets', 2, $there), 'permission denied for table secrets', 'a table without rights');

# ---- statements ----

sub sql_item
{
	my ($n) = @_;

	return qq('{"PK": {"S": "$there"}, "SK": {"S": "a"}, "n": {"N": "$n"}}');
}

my $get = qq{dynamo.get_item('kvs', '{"PK": {"S": "$there"}, "SK": {"S": "a"}}') ->> 'n'};
is(value_of($worker, qq{BEGIN; SELECT $get; SELECT dynamo.put_item('kvs', ${\ sql_item(40)}); SELECT $get; ROLLBACK; SELECT $get}), "7\n\n40\n7", 'a put that is rolled back');
is(value_of($worker, qq{BEGIN; SELECT dynamo.put_item('kvs', ${\ sql_item(41)}); SAVEPOINT s; SELECT dynamo.put_item('kvs', ${\ sql_item(42)});
	SELECT $get; ROLLBACK TO s; SELECT $get; COMMIT; SELECT $get}), "\n\n42\n41\n41", 'and one that is rolled back to a savepoint');
is(value_of($worker, qq{DO \$\$ BEGIN
	PERFORM dynamo.put_item('kvs', ${\ sql_item(43)}, 'attribute_not_exists(PK)'); EXCEPTION WHEN OTHERS THEN PERFORM dynamo.put_item('kvs', ${\ sql_item(44)}); END \$\$;
	SELECT $get}), '44', 'a failed condition that is caught');
is(value_of($worker, qq{SELECT dynamo.put_item('kvs', ${\ sql_item(45)}) WHERE dynamo.put_item('kvs', ${\ sql_item(46)}) IS NULL; SELECT $get}), "\n45", 'two puts in one statement');
is(value_of($worker, qq{BEGIN; SELECT dynamo.put_item('kvs', ${\ sql_item(7)}); SELECT count(*) FROM kvs WHERE "PK" = '$there' AND item ->> 'n' = '7'; COMMIT;
	SELECT count(*) FROM pg_prepared_xacts}), "\n1\n0", 'statements of Citus see what was put');
is(value_of($worker, qq{BEGIN; UPDATE kvs SET item = ${\ sql_item(8)} WHERE "PK" = '$there'; SELECT $get; ROLLBACK; SELECT $get}), "8\n7", 'and the reverse');

# Row security is that of a statement.
value_of($coordinator, q{ALTER TABLE kvs ENABLE ROW LEVEL SECURITY; CREATE POLICY small ON kvs USING ((item ->> 'n')::numeric < 10)});
is(ask($at_worker, PutItem => put($there, 8)), '200 {}', 'a row that a policy allows');
like(ask($at_worker, PutItem => put($there, 11)), qr/^400 .*row-level security/, 'one that it does not');
value_of($coordinator, q{DROP POLICY small ON kvs; ALTER TABLE kvs DISABLE ROW LEVEL SECURITY});

# ---- settings of the role ----

value_of($coordinator, q{CREATE SCHEMA away; GRANT USAGE ON SCHEMA away TO app; ALTER ROLE app SET search_path = away, public});
is(ask($at_worker, PutItem => put($there, 9)), '200 {}', 'another search path');
value_of($_, q{ALTER ROLE app SET lock_timeout = '300ms'}) for $worker;
my $blocker = $other->background_psql('postgres');
$blocker->query_safe(qq{BEGIN; SELECT dynamo.put_item('kvs', '{"PK": {"S": "$there"}, "SK": {"S": "a"}}')});
like(ask($at_worker, PutItem => put($there, 10)), qr/^400 .*TransactionConflictException/, 'a lock that is not granted in time');
value_of($_, q{ALTER ROLE app RESET lock_timeout; ALTER ROLE app SET statement_timeout = '300ms'}) for $worker;
like(ask($at_worker, PutItem => put($there, 10)), qr/^(?:500 .*InternalServerError|400 .*TransactionConflictException)/, 'a statement timeout');
ok($other->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'dynamo' AND state = 'active')}),
	'nobody waits on the other node any more');
$blocker->query_safe('ROLLBACK');
value_of($_, q{ALTER ROLE app RESET statement_timeout}) for $worker;
like(ask($at_worker, GetItem => with_key($there)), qr/^200 .*"n": \{"N": "9"\}/, 'nothing was written');

# ---- a shard that moves ----

my $wanted = 20;
for my $round (1 .. 3)
{
	move_shard($coordinator, 'kvs', ($round % 2 ? ($other, $worker) : ($worker, $other)), 'force_logical');
	is(ask($_, PutItem => put($there, $wanted + $round)), '200 {}', "after a move: a put at $_") for @ports;
	like(ask($_, GetItem => with_key($there, ', "ConsistentRead": true')), qr/"N": "${\ ($wanted + $round)}"/, "a get at $_") for @ports;
}

# ---- a node that restarts ----

my $now = key_on($other, 'kvs', 1);
$other->restart;
wait_until(sub { $socket{$at_other} = connect_http($at_other) });
is(ask($at_worker, PutItem => put($now, 30)), '200 {}', 'a put after a restart of the node');
like(ask($at_worker, GetItem => with_key($now)), qr/"N": "30"/, 'was executed');
$other->stop('immediate');
like(ask($at_worker, PutItem => put($now, 31)), qr/^500 .*InternalServerError/, 'a put while the node is gone');
like(ask($at_worker, GetItem => with_key($now)), qr/^500 .*InternalServerError/, 'a get');
is(ask($at_worker, PutItem => put(key_on($worker, 'kvs', 1), 31)), '200 {}', 'keys of this node are served');
$other->start;
is(ask($at_worker, PutItem => put($now, 32)), '200 {}', 'a put after its start');

# A session that ends in the middle of a write.
value_of($worker, q{ALTER ROLE app SET lock_timeout = '60s'});
# the worker tries again to connect after a second
for (1 .. 100)
{
	is(ask($at_worker, PutItem => put($now, 32)), '200 {}', 'a longer lock timeout') if $_ == 1;
	last if links($other) =~ /request_on_shard/;
	sleep 1;
	ask($at_worker, PutItem => put($now, 32));
}
$blocker = $other->background_psql('postgres');
$blocker->query_safe(qq{BEGIN; SELECT dynamo.put_item('kvs', '{"PK": {"S": "$now"}, "SK": {"S": "a"}}')});
is(ask($at_worker, GetItem => with_key($now)) =~ /"N": "32"/, 1, 'a read does not wait');
send_request($at_worker, PutItem => put($now, 33));
ok($other->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%request_on_shard%')}), 'a put waits');
value_of($other, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%request_on_shard%' AND pid <> pg_backend_pid()});
my $unknown = read_answer($socket{$at_worker});
like(defined $unknown ? $unknown->{body} : 'closed', qr/InternalServerError/, 'its session is ended: the client learns that it is not known what was done');
$blocker->query_safe('ROLLBACK');
is(ask($at_worker, PutItem => put($now, 34)), '200 {}', 'the next put');

stop_citus_cluster($coordinator, $worker, $other);
done_testing();
