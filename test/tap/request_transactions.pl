# request_transactions.pl: transactions as requests, under load and across a crash.
#
# 16 sessions move units between 100 accounts while others add all of them up: the
# total is the same in every transactional read.  Then the server is killed after a
# transaction with a ClientRequestToken was committed, and before another was.  Sent
# again, the first has no effect and the second has its effect.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('request_transactions', "fsync = on\nmax_connections = 50\ndeadlock_timeout = 100ms\n");

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('accounts', partition_key => 'id');
INSERT INTO accounts (item) SELECT jsonb_build_object('id', 'a' || n, 'units', 100) FROM generate_series(1, 100) n;
CREATE TABLE outcomes (status text, message text);

-- all accounts in one TransactGetItems
CREATE FUNCTION total() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum((r #>> '{Item,units,N}')::bigint)
	FROM json_array_elements(dynamo.request('TransactGetItems', json_build_object('TransactItems',
		(SELECT json_agg(json_build_object('Get', json_build_object('TableName', 'accounts',
			'Key', json_build_object('id', json_build_object('S', 'a' || n))))) FROM generate_series(1, 100) n))) -> 'Responses') r $$;

CREATE FUNCTION add_units(account int, units int) RETURNS json LANGUAGE sql AS $$
	SELECT json_build_object('Update', json_build_object('TableName', 'accounts',
		'Key', json_build_object('id', json_build_object('S', 'a' || account)),
		'UpdateExpression', 'ADD units :n', 'ConditionExpression', 'units >= :least',
		'ExpressionAttributeValues', json_build_object(':n', json_build_object('N', units::text),
			':least', json_build_object('N', greatest(-units, 0)::text)))) $$;

CREATE FUNCTION move(source int, target int, units int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO outcomes SELECT r ->> 'status', r #>> '{body,Message}' FROM dynamo.request_safe('TransactWriteItems',
		json_build_object('TransactItems', json_build_array(add_units(source, -units), add_units(target, units)))) r $$;

CREATE FUNCTION check_total() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF total() <> 10000 THEN RAISE EXCEPTION 'the total is %', total(); END IF;
END $$});

my $directory = PostgreSQL::Test::Utils::tempdir();

append_to_file("$directory/move.sql", <<'SQL');
\set source random(1, 100)
\set target (:source + random(0, 98)) % 100 + 1
\set units random(1, 60)
\set off random(0, 1)
\if :off
SET dynamo.direct_access = off;
\else
SET dynamo.direct_access = on;
\endif
SELECT move(:source, :target, :units);
SQL
append_to_file("$directory/check.sql", "SELECT check_total();\n");

my ($out, $err) = ('', '');
my $readers = start([ 'pgbench', '-n', '-c', '2', '-T', '8', '-f', "$directory/check.sql", '-d', $node->connstr('postgres') ],
	'>', \$out, '2>', \$err);

$node->command_ok([ 'pgbench', '-n', '-c', '16', '-j', '2', '-T', '6', '-f', "$directory/move.sql", 'postgres' ], '16 sessions move units');
$readers->finish;
is($readers->result(0), 0, 'the total is the same in every transactional read') or diag($err);
is($node->safe_psql('postgres', 'SELECT total()'), 10000, 'no unit is lost');
is($node->safe_psql('postgres', q{SELECT count(*) FROM outcomes WHERE status <> '200' AND message !~ '\[.*ConditionalCheckFailed.*\]'}),
	0, 'all errors are expected');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM outcomes WHERE status = '200'}), '>', 100, 'units were moved');

# ---- a token across a crash ----

sub tokened
{
	my ($token) = @_;

	return qq{SELECT dynamo.request('TransactWriteItems', json_build_object('ClientRequestToken', '$token',
		'TransactItems', json_build_array(add_units(1, 7))))};
}

sub units { return $node->safe_psql('postgres', q{SELECT item OPERATOR(dynamo.->>) 'units' FROM accounts WHERE id = 'a1'}) }

my $before = units();

$node->safe_psql('postgres', tokened('committed'));
$node->stop('immediate');
$node->start;
is(units(), $before + 7, 'the committed transaction survived');
$node->safe_psql('postgres', tokened('committed'));
is(units(), $before + 7, 'the committed transaction has no effect when it is sent again');

my $session = $node->background_psql('postgres');
$session->query_safe('BEGIN');
$session->query_safe(tokened('lost'));
$node->stop('immediate');
eval { $session->quit };
$node->start;
is(units(), $before + 7, 'the uncommitted transaction was lost');
$node->safe_psql('postgres', tokened('lost'));
is(units(), $before + 14, 'the uncommitted transaction has its effect when it is sent again');

$node->stop;
done_testing();
