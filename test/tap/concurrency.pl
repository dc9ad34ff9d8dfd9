# concurrency.pl: many sessions write the same few items at the same time, some by the
# direct path and some by SQL.  Counters lose no update, one put-if-absent succeeds,
# transactions neither deadlock nor lose money, and the server log contains no items.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('concurrency', "deadlock_timeout = 100ms\nwal_level = logical\n");

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('shared', partition_key => 'id');
SELECT dynamo.create_index('shared', 'kind', 'kind', 'n', sort_key_type => 'N');
CREATE TABLE won (id text, by int);

CREATE FUNCTION count_up(id text) RETURNS void LANGUAGE sql AS $$
	SELECT dynamo.update_item('shared', jsonb_build_object('id', id), 'ADD n :one SET kind = :k', NULL,
		jsonb_build_object(':one', 1, ':k', 'counter')) $$;

CREATE FUNCTION put_once(id text, by int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.put_item('shared', jsonb_build_object('id', id, 'by', by), 'attribute_not_exists(id)');
	INSERT INTO won VALUES (id, by);
EXCEPTION WHEN SQLSTATE 'KV002' THEN
	NULL;
END $$;

-- moves money between two accounts if there is enough, and sometimes
-- deletes an empty one or creates it again
CREATE FUNCTION move_money(source int, target int, amount int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF source = target THEN RETURN; END IF;
	PERFORM dynamo.transact_write_items(json_build_array(
		jsonb_build_object('Update', jsonb_build_object('TableName', 'shared',
			'Key', jsonb_build_object('id', jsonb_build_object('S', 'account' || source)),
			'UpdateExpression', 'SET balance = balance - :n', 'ConditionExpression', 'balance >= :n',
			'ExpressionAttributeValues', jsonb_build_object(':n', jsonb_build_object('N', amount::text)))),
		jsonb_build_object('Update', jsonb_build_object('TableName', 'shared',
			'Key', jsonb_build_object('id', jsonb_build_object('S', 'account' || target)),
			'UpdateExpression', 'ADD balance :n',
			'ExpressionAttributeValues', jsonb_build_object(':n', jsonb_build_object('N', amount::text)))),
		jsonb_build_object('ConditionCheck', jsonb_build_object('TableName', 'shared',
			'Key', jsonb_build_object('id', jsonb_build_object('S', 'closed')),
			'ConditionExpression', 'attribute_not_exists(id)'))));
EXCEPTION WHEN SQLSTATE 'KV005' THEN
	NULL;
END $$;

CREATE FUNCTION close_empty(account int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.delete_item('shared', jsonb_build_object('id', 'account' || account), 'balance = :z', jsonb_build_object(':z', 0));
EXCEPTION WHEN SQLSTATE 'KV002' THEN
	NULL;
END $$;

SELECT dynamo.put_item('shared', jsonb_build_object('id', 'account' || n, 'balance', 10)) FROM generate_series(1, 5) n});

my $path = "\\set off random(0, 1)\n\\if :off\nSET dynamo.direct_access = off;\n\\else\nSET dynamo.direct_access = on;\n\\endif\n";

sub pgbench
{
	my ($what, $script, @options) = @_;
	my $file = "${PostgreSQL::Test::Utils::tmp_check}/script.sql";

	append_to_file($file, '') if !-e $file;
	open(my $out, '>', $file) or die $!;
	print $out $path, $script;
	close($out);
	$node->command_ok([ 'pgbench', '-n', '-c', '8', '-j', '2', '-f', $file, @options, 'postgres' ], $what);
}

# Returns the result of a query; search_path contains the extension's operators.
sub value_of { return $node->safe_psql('postgres', "SET search_path = public, dynamo; $_[0]") }

pgbench('counters', "\\set id random(1, 3)\nSELECT count_up('c' || :id);\n", '-t', '200');
is(value_of(q{SELECT sum((item ->> 'n')::int) FROM shared WHERE kind = 'counter'}), 1600, 'counters lose no update');

{
	local $ENV{PGOPTIONS} = '-c default_transaction_isolation=repeatable\\ read';
	pgbench('counters with retries', "\\set id random(1, 3)\nSELECT count_up('r' || :id);\n", '-t', '100', '--max-tries=1000');
}
is(value_of(q{SELECT sum((item ->> 'n')::int) FROM shared WHERE id LIKE 'r%'}), 800, 'counters lose no update in REPEATABLE READ with retries');

pgbench('put if absent', "\\set id random(1, 100)\nSELECT put_once('once' || :id, :client_id);\n", '-t', '100');
is(value_of(q{SELECT count(*) = count(DISTINCT id) FROM won}), 't', 'one put-if-absent succeeds');
is(value_of(q{SELECT count(*) FROM won JOIN shared USING (id) WHERE by::text <> item ->> 'by'}), 0, 'the item of the successful put is stored');
is(value_of(q{SELECT count(*) FROM shared WHERE id LIKE 'once%'}), value_of('SELECT count(*) FROM won'), 'every item has a successful put');

pgbench('transactions', "\\set a random(1, 5)\n\\set b random(1, 5)\n\\set n random(1, 8)\n" .
	"SELECT move_money(:a, :b, :n);\nSELECT close_empty(:b);\n", '-t', '150');
is(value_of(q{SELECT sum((item ->> 'balance')::int) FROM shared WHERE id LIKE 'account%'}), 50, 'no money is lost');

my $log = slurp_file($node->logfile);
unlike($log, qr/deadlock detected/, 'no deadlocks');

# every index entry has its row, and every row its entries
is(value_of(q{SET enable_seqscan = off; SELECT count(*) FROM dynamo.query('shared', 'kind = :k', jsonb_build_object(':k', 'counter'), index_name => 'kind')}),
	6, 'the index contains each counter once');

# the written rows, and the keys that were only locked, can be decoded
$node->safe_psql('postgres', q{CREATE PUBLICATION all_tables FOR ALL TABLES; SELECT pg_create_logical_replication_slot('decoded', 'pgoutput')});
$node->safe_psql('postgres', q{SELECT dynamo.put_item('shared', jsonb_build_object('id', 'rich', 'balance', 5)); SELECT move_money(1, 2, 1), count_up('d')});
is($node->safe_psql('postgres', q{SELECT count(*) > 4 FROM pg_logical_slot_get_binary_changes('decoded', NULL, NULL, 'proto_version', '1', 'publication_names', 'all_tables')}),
	't', 'logical decoding succeeds');

# only the client gets the old item
my ($out, $err);
$node->psql('postgres', q{SET log_statement = none; SET log_min_error_statement = panic;
SELECT dynamo.put_item('shared', jsonb_build_object('id', 'secret', 'word', 'xyzzy'));
SELECT dynamo.put_item('shared', jsonb_build_object('id', 'secret'), 'attribute_not_exists(id)', return_values_on_condition_check_failure => 'ALL_OLD')},
	stdout => \$out, stderr => \$err);
like($err, qr/DETAIL:  \{"id": \{"S": "secret"\}, "word": \{"S": "xyzzy"\}\}/, 'the client gets the item');
$log = slurp_file($node->logfile);
like($log, qr/The conditional request failed/, 'the log contains the error');
unlike($log, qr/xyzzy/, 'the log does not contain the item');

# rows that a distributed engine stores elsewhere are accessed only with SQL
$node->safe_psql('postgres', q{
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
INSERT INTO pg_dist_partition VALUES ('shared')});
like(value_of(q{SELECT dynamo.explain_query('shared', 'id = :i', jsonb_build_object(':i', 'distributed tables are read with SQL'))}), qr/SQL/i, 'distributed tables are read by SQL');
is(value_of(q{SELECT dynamo.put_item('shared', jsonb_build_object('id', 'd')) IS NULL AND dynamo.update_item('shared', jsonb_build_object('id', 'd'), 'SET a = :a', NULL, jsonb_build_object(':a', 1), return_values => 'ALL_NEW') ->> 'a' = '1'}),
	't', 'a distributed table can be written');

# this is known until the next invalidation of the table
my $explain = q{SELECT dynamo.explain_query('shared', 'id = :i', jsonb_build_object(':i', 'a')) ~* 'sql';};
is(value_of(qq{SET allow_system_table_mods = on; DROP PUBLICATION all_tables; $explain
DELETE FROM pg_dist_partition; ALTER TABLE shared SET (fillfactor = 80); $explain
INSERT INTO pg_dist_partition VALUES ('shared'); ALTER TABLE shared SET (fillfactor = 90); $explain
DROP TABLE pg_dist_partition; ALTER TABLE shared SET (fillfactor = 80); $explain}),
	"t\nf\nt\nf", 'a change of a table to distributed, and back, is noticed');

$node->stop;
done_testing();
