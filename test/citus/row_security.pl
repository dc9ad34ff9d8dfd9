# row_security.pl: policies that read a custom setting of the session.  They hold on every
# node, however an operation gets there; new items in transactions need no more rights than
# others, with the triggers of the extension and of users.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $http_port = PostgreSQL::Test::Cluster::get_free_port();
my ($coordinator, $worker, $other) = new_citus_cluster(worker1 => endpoint_settings($http_port, 'web'));
my @nodes = ($coordinator, $worker, $other);

sub as_tenant
{
	my ($node, $tenant, $sql, $role) = @_;

	return value_of($node, sprintf "SET ROLE %s; SET app.tenant = '%s'; %s", $role // 'tenant', $tenant, $sql);
}

sub tenant_is_refused
{
	my ($node, $tenant, $sql, $message) = @_;

	refuses($node, "SET ROLE tenant; SET app.tenant = '$tenant'; $sql", $message, $node->name . ": $sql");
}

# ---- a table of two tenants ----

value_of($coordinator, q{SELECT dynamo.create_table('notes', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('notes', 'inl', 'G', 'SK');
SELECT dynamo.distribute_table('notes');
SELECT dynamo.create_index('notes', 'tab', 'T', 'SK', storage => 'table');
SELECT dynamo.enable_stream('notes');
CREATE ROLE tenant LOGIN; CREATE ROLE web LOGIN; GRANT tenant TO web;
GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO tenant;
CREATE POLICY own ON notes USING (item ->> 'tenant' = current_setting('app.tenant', true));
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
SELECT count(dynamo.put_item('notes', jsonb_build_object('PK', 'p' || i, 'SK', t, 'tenant', t, 'G', 'g', 'T', 't', 'n', i)))
FROM generate_series(1, 20) i, unnest('{a, b}'::text[]) t});
value_of($coordinator, q{SELECT dynamo.wait_for_index('notes', 'tab')});
value_of($worker, q{SET citus.enable_ddl_propagation = off; ALTER ROLE web SET app.tenant = 'a'});

# ---- reads ----

my %reads = (
	q{SELECT count(*) FROM dynamo.scan('notes')} => 20,
	q{SELECT count(*) FROM generate_series(0, 2) s, dynamo.scan('notes', segment => s, total_segments => 3)} => 20,
	q{SELECT count(*) FROM generate_series(1, 20) i, dynamo.query('notes', 'PK = :p', jsonb_build_object(':p', 'p' || i)) item
		WHERE item ->> 'tenant' = current_setting('app.tenant')} => 20,
	q{SELECT count(*) FROM generate_series(1, 20) i, unnest('{a, b}'::text[]) t
		WHERE dynamo.get_item('notes', jsonb_build_object('PK', 'p' || i, 'SK', t)) ->> 'tenant' = current_setting('app.tenant')} => 20,
	q{SELECT count(*) FROM generate_series(1, 20) i, unnest('{a, b}'::text[]) t
		WHERE dynamo.get_item('notes', jsonb_build_object('PK', 'p' || i, 'SK', t)) IS NOT NULL} => 20,
	q{SELECT count(*) FROM dynamo.batch_get_item('notes', ARRAY(SELECT jsonb_build_object('PK', 'p' || i, 'SK', 'a')::item FROM generate_series(1, 20) i)) item
		WHERE item IS NOT NULL} => { a => 20, b => 0 },
	q{SELECT count(*) FROM dynamo.query('notes', 'G = :g', '{":g": "g"}'::jsonb, index_name => 'inl')} => 20,
	q{SELECT count(*) FROM dynamo.query('notes', 'T = :t', '{":t": "t"}'::jsonb, index_name => 'tab')} => 20,
	q{SELECT count(*) FROM notes} => 20,
	q{SELECT count(*) FROM notes WHERE "PK" = 'p1'} => 1,
	q{SELECT count(*) FROM notes WHERE "PK" = 'p2'} => 1,
	q{SELECT count(*) FROM notes WHERE "PK" = 'p3'} => 1,
	q{SELECT dynamo.request('Query', '{"TableName": "notes", "Select": "COUNT", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p4"}}}')::jsonb ->> 'Count'} => 1,
	q{SELECT dynamo.request('Scan', '{"TableName": "notes", "Select": "COUNT"}')::jsonb ->> 'Count'} => 20,
	q{SELECT jsonb_array_length(dynamo.request('ExecuteStatement', '{"Statement": "SELECT * FROM notes"}')::jsonb -> 'Items')} => 20);
for my $read (sort keys %reads)
{
	for my $node (@nodes)
	{
		for my $tenant (qw(a b))
		{
			my $expected = ref $reads{$read} ? $reads{$read}{$tenant} : $reads{$read};

			is(as_tenant($node, $tenant, $read), $expected, $node->name . " as $tenant: $read");
		}
		is(value_of($node, "SET ROLE tenant; SET app.tenant = 'nobody'; $read"), 0, $node->name . " as nobody: $read");
	}
}

# a value may have any character, and nothing can be taken for a part of the statement
my $strange = q{a'; DROP TABLE notes; -- \\" é};
is(value_of($_, "SET ROLE tenant; SET app.tenant = E'\\x41'; SET app.other = \$x\$$strange\$x\$; SET app.tenant = 'a'; SELECT count(*) FROM notes"), 20,
	$_->name . ': strange values') for @nodes;

# ---- settings that change in a transaction ----

my $count = q{SELECT count(*) FROM dynamo.scan('notes')};
for my $node (@nodes)
{
	is(value_of($node, "SET ROLE tenant; BEGIN; SET LOCAL app.tenant = 'a'; $count; SET app.tenant = 'nobody'; $count; COMMIT; $count"), "20\n0\n0",
		$node->name . ': changed');
	is(value_of($node, "SET ROLE tenant; SET app.tenant = 'a'; BEGIN; $count; SAVEPOINT s; SET LOCAL app.tenant = 'nobody'; $count;
ROLLBACK TO s; $count; SAVEPOINT s; SET app.tenant = 'nobody'; $count; RELEASE s; SET app.tenant = 'a'; $count; COMMIT"), "20\n0\n20\n0\n20",
		$node->name . ': changed in subtransactions');
	is(value_of($node, "SET ROLE tenant; SET app.tenant = 'a'; $count; RESET app.tenant; $count; SET app.tenant = 'b'; $count"), "20\n0\n20", $node->name . ': reset');
	is(value_of($node, "SET ROLE tenant; SET app.tenant = 'a'; PREPARE q AS SELECT count(*) FROM notes; EXECUTE q; SET app.tenant = 'nobody'; EXECUTE q"), "20\n0",
		$node->name . ': a prepared statement');
	is(value_of($node, "SET ROLE tenant; SET app.tenant = 'a'; BEGIN; DECLARE c CURSOR FOR SELECT 1 FROM notes; MOVE ALL c; COMMIT; SELECT count(*) FROM notes JOIN notes o USING (\"PK\")"), 20,
		$node->name . ': a cursor, and a join');
}

# ---- writes ----

my $n = 100;
for my $node (@nodes)
{
	for my $home (@nodes)
	{
		my $name = $node->name . ' writes to ' . $home->name;
		my ($new, $second) = map { $home == $coordinator ? 'c' . $n++ : key_on($home, 'notes', $n = substr(key_on($home, 'notes', $n), 1) + 1) } 1, 2;
		my $item = qq{{"PK": {"S": "$new"}, "SK": {"S": "a"}, "tenant": {"S": "a"}, "G": {"S": "x"}, "T": {"S": "x"}}};
		my $key = qq{{"PK": {"S": "$new"}, "SK": {"S": "a"}}};
		(my $foreign = $item) =~ s/"tenant": \{"S": "a"}/"tenant": {"S": "b"}/;

		is(as_tenant($node, 'a', "SELECT dynamo.put_item('notes', '$item', return_values => 'ALL_OLD')"), '', "$name: put");
		tenant_is_refused($node, 'a', "SELECT dynamo.put_item('notes', '$foreign')", 'new row violates row-level security policy for table "notes');
		tenant_is_refused($node, 'b', "SELECT dynamo.put_item('notes', '$item')", 'new row violates row-level security policy|duplicate key value violates');
		is(as_tenant($node, 'a', "SELECT dynamo.update_item('notes', '$key', 'SET n = :n', NULL, '{\":n\": {\"N\": \"5\"}}', return_values => 'UPDATED_NEW')"), '{"n": {"N": "5"}}', "$name: update");
		is(as_tenant($node, 'b', "SELECT dynamo.delete_item('notes', '$key', return_values => 'ALL_OLD') IS NULL"), 't', "$name: not seen, not deleted");
		is(as_tenant($node, 'a', "SELECT dynamo.delete_item('notes', '$key', return_values => 'ALL_OLD') ->> 'n'"), '5', "$name: delete");

		# a new item in a transaction, and a second one that is absent
		my $write = qq{SELECT dynamo.transact_write_items('[{"Put": {"TableName": "notes", "Item": $item}},
			{"ConditionCheck": {"TableName": "notes", "Key": {"PK": {"S": "$second"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]')};
		is(as_tenant($node, 'a', "$write; SELECT dynamo.get_item('notes', '$key') ->> 'T'"), "\nx", "$name: a new item in a transaction");
		is(as_tenant($node, 'a', qq{SELECT count(*) FROM dynamo.transact_get_items('[{"Get": {"TableName": "notes", "Key": $key}},
			{"Get": {"TableName": "notes", "Key": {"PK": {"S": "$second"}, "SK": {"S": "a"}}}}]') item WHERE item IS NOT NULL}), 1, "$name: reads both in a transaction");
		tenant_is_refused($node, 'b', $write, 'duplicate key value violates unique constraint|new row violates row-level security policy');
		(my $theirs = $write) =~ s/"tenant": \{"S": "a"}/"tenant": {"S": "b"}/;
		tenant_is_refused($node, 'b', $theirs, 'duplicate key value violates unique constraint');
		is(as_tenant($node, 'a', qq{BEGIN; SELECT count(*) > 0 FROM notes; SELECT dynamo.transact_write_items('[{"Delete": {"TableName": "notes", "Key": $key}},
			{"Put": {"TableName": "notes", "Item": {"PK": {"S": "$second"}, "SK": {"S": "a"}, "tenant": {"S": "a"}, "T": {"S": "y"}}}}]'); COMMIT}), "t\n",
			"$name: after a query of all shards");
		is(as_tenant($node, 'a', qq{SELECT dynamo.delete_item('notes', '{"PK": {"S": "$second"}, "SK": {"S": "a"}}', return_values => 'ALL_OLD') ->> 'T'}), 'y',
			"$name: both are done");
	}
}

# ---- triggers and constraints of users do not see the lock of an absent item ----

value_of($coordinator, q{SET citus.enable_unsafe_triggers = on;
CREATE TABLE told (key text); GRANT INSERT ON told TO tenant; SELECT create_reference_table('told');
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'fired for %', NEW."PK"; END $$;
SELECT create_distributed_function('tell()');
CREATE TRIGGER tell AFTER INSERT ON notes FOR EACH ROW WHEN (NEW."PK" ~ '^never') EXECUTE FUNCTION tell();
ALTER TABLE notes ADD CHECK ("SK" <> 'z')});
for my $node (@nodes)
{
	my $checks = join ', ', map { qq{{"ConditionCheck": {"TableName": "notes", "Key": {"PK": {"S": "never$_"}, "SK": {"S": "z"}}, "ConditionExpression": "attribute_not_exists(PK)"}}} } 1 .. 8;

	is(as_tenant($node, 'a', "SELECT dynamo.transact_write_items('[$checks]')"), '', $node->name . ': absent items');
	refuses($node, qq{SET ROLE tenant; SET app.tenant = 'a'; SELECT dynamo.transact_write_items('[{"Put": {"TableName": "notes", "Item":
		{"PK": {"S": "never"}, "SK": {"S": "a"}, "tenant": {"S": "a"}}}}]')}, 'fired for never', $node->name . ': a trigger of a user fires for a new item');
}
value_of($coordinator, q{DROP TRIGGER tell ON notes});

# ---- privileges ----

value_of($coordinator, q{CREATE ROLE reader LOGIN; GRANT SELECT ON notes TO reader});
my $get = q{SELECT count(*) FROM dynamo.transact_get_items('[{"Get": {"TableName": "notes", "Key": {"PK": {"S": "p1"}, "SK": {"S": "a"}}}},
	{"Get": {"TableName": "notes", "Key": {"PK": {"S": "absent"}, "SK": {"S": "a"}}}}]') item WHERE item IS NOT NULL};
refuses($_, "SET ROLE reader; SET app.tenant = 'a'; $get", 'permission denied for table notes') for @nodes;
value_of($coordinator, q{GRANT UPDATE ON notes TO reader});
is(as_tenant($_, 'a', $get, 'reader'), 1, $_->name . ': a transaction of reads needs UPDATE besides SELECT') for @nodes;

# ---- the lock of an absent item ----

for my $node (@nodes)
{
	my $key = $node == $coordinator ? 'race' : key_on($worker, 'notes', 5000);
	my $write = sub { qq{SELECT dynamo.put_item('notes', '{"PK": {"S": "$key"}, "SK": {"S": "a"}, "tenant": {"S": "a"}}')} };
	my $session = start_session($node, qq{SET ROLE tenant; SET app.tenant = 'a'; BEGIN;
SELECT dynamo.transact_write_items('[{"ConditionCheck": {"TableName": "notes", "Key": {"PK": {"S": "$key"}, "SK": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT pg_sleep(4); COMMIT});

	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE state = 'active' AND query ~ '^SELECT pg_sleep'});
	refuses($other, "SET ROLE tenant; SET app.tenant = 'a'; SET statement_timeout = '400ms'; " . $write->(), 'canceling statement due to statement timeout',
		$node->name . ' has locked the absent item');
	$session->{run}->finish;
	is($session->{err}, '', $node->name . ': the transaction');
	value_of($other, "SET ROLE tenant; SET app.tenant = 'a'; " . $write->() . qq{; SELECT dynamo.delete_item('notes', '{"PK": {"S": "$key"}, "SK": {"S": "a"}}')});
}

# ---- requests over HTTP to a worker, whose role has the setting there ----

sub answer_of
{
	my ($operation, $request) = @_;
	my $answer = exchange(connect_http($http_port), "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($request) . "\r\n\r\n$request");

	return "$answer->{status} $answer->{body}";
}

value_of($coordinator, q{DELETE FROM notes WHERE "PK" !~ '^p([1-9]|1[0-9]|20)$'});
like(answer_of('Scan', '{"TableName": "notes", "Select": "COUNT"}'), qr/^200 .*"Count":20\b/, 'Scan');
for my $i (1 .. 8)
{
	my ($mine, $theirs) = map { qq{"TableName": "notes", "Key": {"PK": {"S": "p$i"}, "SK": {"S": "$_"}}} } 'a', 'b';

	like(answer_of('GetItem', "{$mine}"), qr/^200 .*"tenant": ?\{"S": ?"a"\}/, "GetItem p$i");
	is(answer_of('GetItem', "{$theirs}"), '200 {}', "GetItem p$i of another tenant");
	like(answer_of('Query', qq({"TableName": "notes", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p$i"}}})),
		qr/^200 .*"Count":1\b/, "Query p$i");
	is(answer_of('PutItem', qq({"TableName": "notes", "Item": {"PK": {"S": "h$i"}, "SK": {"S": "a"}, "tenant": {"S": "a"}}})), '200 {}', "PutItem h$i");
	is(answer_of('TransactWriteItems', qq({"TransactItems": [{"Put": {"TableName": "notes", "Item": {"PK": {"S": "i$i"}, "SK": {"S": "a"}, "tenant": {"S": "a"}}}},
		{"Update": {"TableName": "notes", "Key": {"PK": {"S": "h$i"}, "SK": {"S": "a"}}, "UpdateExpression": "SET n = :n", "ConditionExpression": "attribute_exists(PK)",
		"ExpressionAttributeValues": {":n": {"N": "1"}}}}]})), '200 {}', "TransactWriteItems, which the coordinator executes: i$i");
	like(answer_of('TransactGetItems', qq({"TransactItems": [{"Get": {$mine}}, {"Get": {$theirs}}]})), qr/^200 \{"Responses":\[\{"Item":.*\},\{\}\]/, "TransactGetItems p$i");
}
like(answer_of('ExecuteStatement', q({"Statement": "SELECT * FROM notes WHERE begins_with(PK, 'i')"})), qr/^200 /, 'ExecuteStatement');
is(value_of($coordinator, q{SELECT count(*) FROM notes WHERE item ->> 'tenant' = 'a' AND ("PK" ~ '^i' OR "PK" ~ '^h' AND item ->> 'n' = '1')}), 16, 'all was written');

# ---- the stream and the index have what ordinary roles wrote ----

is(value_of($coordinator, q{SELECT dynamo.wait_for_index('notes', 'tab'); SELECT count(*) FROM dynamo.verify_index('notes', 'tab')}), "t\n0", 'the index table is complete');
is(value_of($coordinator, q{SELECT count(*) FROM dynamo.read_stream('notes', max_records => 100000) r WHERE r::text ~ 'never|race'}), 2,
	'the locks of absent items are in no stream');

stop_citus_cluster(@nodes);
done_testing();
