# concurrent_ddl.pl: every operation while other sessions create, change, rename and
# drop tables, indexes and streams.  An error must have a reason that a user can
# know; nothing waits forever, and the remaining tables are correct.
#
# DYNAMO_DDL_SECONDS is the duration, by default 10.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{DYNAMO_DDL_SECONDS} // 10;
my $node = new_dynamo_node('concurrent_ddl', "deadlock_timeout = '100ms'\n");

$node->safe_psql('postgres', q{
CREATE SCHEMA app;
CREATE UNLOGGED TABLE public.outcome (statement text, sqlstate text, message text);
CREATE PROCEDURE public.repeat(statements text[], seconds int) LANGUAGE plpgsql AS $$
DECLARE
	stop timestamptz := clock_timestamp() + seconds * interval '1 s';
	chosen text;
	code text;
	message text;
BEGIN
	WHILE clock_timestamp() < stop LOOP
		chosen := statements[1 + floor(random() * array_length(statements, 1))];
		code := '00000';
		message := '';
		BEGIN
			EXECUTE chosen;
		EXCEPTION WHEN OTHERS THEN
			code := SQLSTATE;
			message := SQLERRM;
		END;
		INSERT INTO public.outcome VALUES (chosen, code, message);
		COMMIT;
	END LOOP;
END $$});

# Calls of functions in schema dynamo, one per line.
sub calls { return map { "SELECT dynamo.$_" } grep { /\S/ } split /\n/, $_[0] }

my $key = q{'{"PK": {"S": "a"}, "SK": {"S": "b"}}'};
my $values = q{'{":p": {"S": "a"}}'};
my @operations = calls(qq{
get_item('tab', $key)
put_item('tab', '{"PK": {"S": "a"}, "SK": {"S": "b"}, "G": {"S": "a"}, "ttl": {"N": "1900000000"}}')
update_item('tab', $key, 'ADD n :n', expression_attribute_values => '{":n": {"N": "1"}}')
delete_item('tab', $key)
query('tab', 'PK = :p', $values)
query('tab', 'G = :p', $values, index_name => 'near')
query('tab', 'G = :p', $values, index_name => 'far')
scan('tab')
scan('tab', index_name => 'far')
describe_table('tab')
delete_expired()
delete_expired('tab')
trim_streams()
read_stream('tab', max_records => 5)
verify_index('tab', 'near')
verify_index('tab', 'far')
explain_query('tab', 'PK = :p', $values)
build_statements()
export_items('tab', '/dev/null')
table_relation('tab')
batch_get_item('tab', ARRAY[$key]::dynamo.item[])
transact_write_items('[{"Put": {"TableName": "tab", "Item": {"PK": {"S": "a"}, "SK": {"S": "d"}}}}]')
request('ListTables', '{}')
request('ListStreams', '{}')
request('DescribeTable', '{"TableName": "tab"}')
request('DescribeTimeToLive', '{"TableName": "tab"}')
request('GetItem', '{"TableName": "tab", "ReturnConsumedCapacity": "TOTAL", "Key": {"PK": {"S": "a"}, "SK": {"S": "b"}}}')
request('BatchWriteItem', '{"RequestItems": {"tab": [{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "c"}}}}]}}')
request('ExecuteStatement', '{"Statement": "SELECT * FROM tab WHERE PK = ''a''"}')
});
push @operations, map { "SELECT * FROM dynamo.$_" } qw(tables indexes streams index_progress);

my @changes = (calls(q{
create_table('tab', 'PK', 'SK', indexes => '[{"index_name": "near", "partition_key": "G"}, {"index_name": "far", "partition_key": "G", "storage": "table"}]')
create_table('tab', 'PK', 'SK', indexes => '[{"index_name": "near", "partition_key": "G"}, {"index_name": "far", "partition_key": "G", "shards": 2}]')
create_table('tab', 'PK', 'SK')
drop_table('tab')
drop_table('other')
create_index('tab', 'near', 'G')
create_index('tab', 'far', 'G', storage => 'table')
drop_index('tab', 'near')
drop_index('tab', 'far')
change_index('tab', 'near', storage => 'table')
change_index('tab', 'near', storage => 'inline')
change_index('tab', 'far', projection => 'KEYS_ONLY')
reshard_index('tab', 'far', 3)
reindex('tab', 'near')
reindex('tab', 'far')
enable_stream('tab')
disable_stream('tab')
update_time_to_live('tab', 'ttl')
update_time_to_live('tab', 'ttl', false)
add_unique_constraint('tab', 'uq', '{e}')
drop_constraint('tab', 'uq')
add_reference('tab', 'ref', '{"PK": "{r}", "SK": "x"}')
drop_constraint('tab', 'ref')
create_entity_view('view', 'tab', '{"n": "int"}')
request('DeleteTable', '{"TableName": "tab"}')
request('UpdateTable', '{"TableName": "tab", "BillingMode": "PAY_PER_REQUEST"}')
}), 'DROP VIEW view', 'DROP TABLE tab CASCADE', 'ALTER TABLE tab RENAME TO other', 'ALTER TABLE other RENAME TO tab', 'TRUNCATE tab');

sub start
{
	my ($settings, $error, @statements) = @_;
	my $list = join ', ', map { "\$statement\$$_\$statement\$" } @statements;

	return IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'),
			'-c', "SET search_path = app; SET client_min_messages = error; SET statement_timeout = '${seconds}5s'; $settings",
			'-c', "CALL public.repeat(ARRAY[$list], $seconds)" ], '<', '/dev/null', '>', '/dev/null', '2>', $error);
}

my @errors = ('') x 5;
my @sessions = (
	start('', \$errors[0], @operations), start('', \$errors[1], @operations),
	start('SET dynamo.direct_access = off', \$errors[2], @operations),
	start('', \$errors[3], @changes), start('SET dynamo.in_place_build_limit = 0', \$errors[4], @changes));
$_->finish for @sessions;
is(join('', @errors), '', 'every session ends');
is($node->safe_psql('postgres', q{SELECT DISTINCT sqlstate, left(statement, 60), regexp_replace(message, '\d{3,}', '<n>', 'g')
	FROM outcome WHERE sqlstate ~ '^(XX|57|58|53|0A)'}), '', 'no internal error');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM outcome WHERE sqlstate = '00000'}), '>', 100 * $seconds, 'most statements succeed');

# running builds may finish now
$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type LIKE 'dynamo%'});
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND objsubid = 1}), '0', 'no lock of a builder remains');
is($node->safe_psql('postgres', q{SELECT i.table_name, i.index_name, v.problem FROM dynamo.indexes i,
	dynamo.verify_index(i.schema_name || '.' || i.table_name, i.index_name) v WHERE i.status = 'ACTIVE'}), '', 'indexes agree with their tables');

$node->stop;
done_testing();
