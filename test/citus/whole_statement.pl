# whole_statement.pl: a write in SQL that is all its transaction does is committed by the node of its item.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $settings = "log_statement = all\nlog_line_prefix = '%a: '\n";
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings, worker1 => $settings, worker2 => $settings);

value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK'); SELECT dynamo.distribute_table('kvs', shards => 6);
CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA public TO app});
value_of($worker, q{CREATE TABLE here (a int)});

my $there = key_on($other, 'kvs', 1);
my $key = qq('{"PK": {"S": "$there"}, "SK": {"S": "a"}}');
my $get = qq{SELECT dynamo.get_item('kvs', $key) ->> 'n'};

sub put
{
	my ($n, $more) = @_;

	return qq{dynamo.put_item('kvs', '{"PK": {"S": "$there"}, "SK": {"S": "a"}, "n": {"N": "$n"}}'${\ ($more // '')})};
}

# What a node executes for others while code runs: the calls and the ends of transactions.
sub executed
{
	my ($code) = @_;
	my $before = -s $other->logfile;

	$code->();
	my $log = substr(slurp_file($other->logfile), $before);
	return join ' ', $log =~ /LOG:  (?:statement|execute \w+|execute <unnamed>): (?:SELECT dynamo_system\.)?(\w+_on_shard(?=\()|COMMIT|PREPARE TRANSACTION|ROLLBACK)/g;
}

my $one_message = 'write_on_shard';
my $in_transaction = qr/^row_on_shard.* (?:COMMIT|ROLLBACK|PREPARE TRANSACTION)/;

# ---- one message ----

value_of($worker, 'SELECT ' . put(1));

sub is_whole
{
	my ($name, $sql, $result, $after) = @_;
	my $out;

	is(executed(sub { $out = value_of($worker, $sql) }), $one_message, "$name: one message");
	is($out, $result, "$name: its result");
	is(value_of($worker, $get), $after, "$name: the item");
	return;
}

is_whole('a put', 'SELECT ' . put(2), '', 2);
is_whole('one with a condition', 'SELECT ' . put(3, q{, 'n < :n', '{":n": {"N": "3"}}'}), '', 3);
is_whole('one with names', 'SELECT ' . put(4, q{, '#n < :n', '{":n": {"N": "4"}}', '{"#n": "n"}', 'ALL_OLD'}), qq({"PK": {"S": "$there"}, "SK": {"S": "a"}, "n": {"N": "3"}}), 4);
is_whole('an update', qq{SELECT dynamo.update_item('kvs', $key, 'ADD n :n', NULL, '{":n": {"N": "5"}}', return_values => 'UPDATED_NEW')}, '{"n": {"N": "9"}}', 9);
is_whole('a put whose item is computed', qq{SELECT dynamo.put_item('kvs', jsonb_build_object('PK', '$there', 'SK', lower('A'), 'n', 5 + 5)::dynamo.item)}, '', 10);
is_whole('a result with a name', 'SELECT ' . put(11) . ' AS result', '', 11);
is_whole('a delete', qq{SELECT dynamo.delete_item('kvs', $key, return_values => 'ALL_OLD')}, qq({"PK": {"S": "$there"}, "SK": {"S": "a"}, "n": {"N": "11"}}), '');
is_whole('a delete of nothing', qq{SELECT dynamo.delete_item('kvs', $key, return_values => 'ALL_OLD')}, '', '');

# The extended protocol, by pgbench.
sub pgbench
{
	my ($mode, $times, $script) = @_;
	my $file = $worker->basedir . '/script';

	append_to_file($file, $script);
	my ($out, $err);
	IPC::Run::run([ 'pgbench', '-n', '-M', $mode, '-t', $times, '-f', $file, $worker->connstr('postgres') ], '>', \$out, '2>', \$err);
	unlink $file;
	return $err;
}

my $counting = qq{\\set n 12\nSELECT dynamo.put_item('kvs', format('{"PK": {"S": "$there"}, "SK": {"S": "a"}, "n": {"N": "%s"}}', :n::int)::dynamo.item);\n};
is(executed(sub { pgbench($_, 3, $counting) }), join(' ', ($one_message) x 3), "protocol $_: one message for each") for qw(simple extended prepared);
is(value_of($worker, $get), 12, 'they have put');
is(executed(sub { pgbench('extended', 1, "\\startpipeline\nSELECT " . put(13) . ";\n\\endpipeline\n") }), $one_message, 'a pipeline of one statement');
is(value_of($worker, $get), 13, 'has put');

# ---- parts of transactions ----

sub is_part
{
	my ($name, $sql, $after) = @_;

	value_of($worker, 'SELECT ' . put(20));
	like(executed(sub { $worker->psql('postgres', "SET search_path = public, dynamo; SET client_min_messages = warning; $sql", on_error_stop => 0) }),
		$in_transaction, "$name: part of a transaction");
	is(value_of($worker, $get), $after, "$name: the item");
	return;
}

# Statements in other languages, and a trigger of a table of one server.
my $item = qq('{"PK": {"S": "$there"}, "SK": {"S": "a"}, "n": {"N": "21"}}');
value_of($worker, qq{SET citus.enable_ddl_propagation = off;
CREATE FUNCTION in_plpgsql(n int) RETURNS void LANGUAGE plpgsql AS \$\$ BEGIN PERFORM ${\ put(22)}; PERFORM 1 / n; END \$\$;
CREATE FUNCTION by_cursor(n int) RETURNS void LANGUAGE plpgsql AS \$\$ DECLARE c CURSOR FOR SELECT ${\ put(22)}; r record;
BEGIN OPEN c; FETCH c INTO r; CLOSE c; PERFORM 1 / n; END \$\$;
CREATE FUNCTION by_execute(n int) RETURNS void LANGUAGE plpgsql AS \$\$ BEGIN EXECUTE 'EXECUTE p'; PERFORM 1 / n; END \$\$;
CREATE FUNCTION notifies(t text) RETURNS text LANGUAGE plpgsql STABLE AS \$\$ BEGIN PERFORM pg_notify('c', t); RETURN t; END \$\$;
CREATE FUNCTION in_sql() RETURNS text LANGUAGE sql STABLE AS \$\$ SELECT min('kvs') FROM here \$\$;
CREATE FUNCTION puts_when_written() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN PERFORM ${\ put(30)}; RETURN NEW; END \$\$;
CREATE TRIGGER puts BEFORE INSERT ON here FOR EACH ROW EXECUTE FUNCTION puts_when_written()});

is_part('a block', 'BEGIN; SELECT ' . put(21) . '; ROLLBACK', 20);
is_part('a block that commits', 'BEGIN; SELECT ' . put(21) . '; COMMIT', 21);
is_part('a savepoint', 'BEGIN; SELECT 1; SAVEPOINT s; SELECT ' . put(21) . '; ROLLBACK TO s; COMMIT', 20);
is_part('several statements in a string, of which the last fails', 'SELECT ' . put(21) . '\; SELECT 1/0', 20);
is_part('of which it is the last', 'SELECT 1\; SELECT ' . put(21), 21);
is_part('DO', 'DO $$ BEGIN PERFORM ' . put(21) . '; PERFORM 1/0; END $$', 20);
is_part('a function that fails', 'SELECT in_plpgsql(0)', 20);
is_part('a function', 'SELECT in_plpgsql(1)', 22);
is_part('a cursor of a function that fails', 'SELECT by_cursor(0)', 20);
is_part('EXECUTE in a function that fails', 'PREPARE p AS SELECT ' . put(22) . '; SELECT by_execute(0)', 20);
is_part('a trigger', 'INSERT INTO here VALUES (1)', 30);
is_part('two calls', 'SELECT ' . put(21) . ', ' . put(22), 22);
is_part('another expression that fails', 'SELECT ' . put(21) . ', 1 / (random() * 0)::int', 20);
is_part('a call in an expression', 'SELECT 1 / (' . put(21, ", return_values => 'ALL_OLD'") . q{ ->> 'n')::int - 20}, 21);
is_part('a call in an expression that fails', 'SELECT 1 / ((' . put(21, ", return_values => 'ALL_OLD'") . q{ ->> 'n')::int - 20)}, 20);
is_part('FROM', 'SELECT ' . put(21) . ' FROM generate_series(1, 2)', 21);
is_part('FROM, which fails', 'SELECT ' . put(21) . ' FROM generate_series(0, 1) i WHERE 1 / (1 - i) = 1', 20);
is_part('WHERE', 'SELECT 1 WHERE ' . put(21) . ' IS NULL', 21);
is_part('LIMIT', 'SELECT ' . put(21) . ' LIMIT 1', 21);
is_part('VALUES', 'VALUES (' . put(21) . ')', 21);
is_part('a subquery as argument', "SELECT dynamo.put_item((SELECT 'kvs' FROM pg_class LIMIT 1), $item)", 21);
is_part('a volatile argument', "SELECT dynamo.put_item('kvs' || left(random()::text, 0), $item)", 21);
is_part('a function as argument that notifies', "SELECT dynamo.put_item(notifies('kvs'), $item)", 21);
is_part('a function in SQL as argument', "SELECT dynamo.put_item(coalesce(in_sql(), 'kvs'), $item)", 21);
is_part('a cursor', 'BEGIN; DECLARE c CURSOR FOR SELECT ' . put(21) . '; FETCH c; ROLLBACK', 20);
is_part('a cursor that is held', 'DECLARE c CURSOR WITH HOLD FOR SELECT ' . put(21), 21);
is_part('CREATE TABLE AS', 'CREATE TEMP TABLE t AS SELECT ' . put(21), 21);
is_part('EXPLAIN', 'EXPLAIN ANALYZE SELECT ' . put(21), 21);
is_part('COPY', 'COPY (SELECT ' . put(21) . ') TO STDOUT', 21);
is_part('EXECUTE', 'PREPARE p AS SELECT ' . put(21) . '; EXECUTE p', 21);
is_part('INSERT', 'INSERT INTO here SELECT 1 WHERE ' . put(21) . ' IS NULL', 30);
is_part('a repeatable read', q{SET default_transaction_isolation = 'repeatable read'; SELECT } . put(21), 21);
is_part('another encoding of the client', q{SET client_encoding = 'LATIN1'; SELECT } . put(21, ", return_values => 'ALL_OLD'"), 21);
is_part('a two-phase commit', 'BEGIN; SELECT ' . put(21) . q{; PREPARE TRANSACTION 'x'}, 20);

value_of($worker, 'SELECT ' . put(20));
like(executed(sub { pgbench('extended', 1, "\\startpipeline\nSELECT " . put(21) . ";\nSELECT 1/0;\n\\endpipeline\n") }), $in_transaction, 'a pipeline that fails: part of a transaction');
is(value_of($worker, $get), 20, 'a pipeline that fails: the item');
like(executed(sub { pgbench('extended', 1, "\\startpipeline\nSELECT 1;\nSELECT " . put(22) . ";\n\\endpipeline\n") }), $in_transaction, 'a pipeline of which it is the last: part of a transaction');
is(value_of($worker, $get), 22, 'a pipeline of which it is the last: the item');
unlike(value_of($worker, "SET transaction_read_only = on; $get"), qr/ERROR/, 'a get in a read-only session');

# ---- errors ----

sub error_of
{
	my ($sql) = @_;
	my ($status, $out, $err) = $worker->psql('postgres', "SET search_path = public, dynamo;\n\\set VERBOSITY verbose\n$sql");

	return $err =~ s/^psql:[^:]*:\d+: //mgr =~ s/^LOCATION:.*\n?//mgr;
}

# A write alone, and as part of a transaction.
for my $case (
	[ 'a failed condition', put(1, ", 'attribute_not_exists(PK)'") ],
	[ 'one that returns the item', put(1, ", 'attribute_not_exists(PK)', return_values_on_condition_check_failure => 'ALL_OLD'") ],
	[ 'a wrong expression', put(1, ", 'n <'") ],
	[ 'no number', qq{dynamo.update_item('kvs', $key, 'SET n = PK + :n', NULL, '{":n": {"N": "5"}}')} ],
	[ 'a wrong argument', put(1, ", return_values => 'ALL_NEW'") ],
	[ 'no right', put(1), 'SET ROLE app; ' ],
	[ 'a read-only transaction', put(1), 'SET default_transaction_read_only = on; ' ])
{
	my ($name, $call, $first) = @$case;
	my ($alone, $part) = map { error_of(($first // '') . $_) } "SELECT $call", "BEGIN; SELECT $call";

	like($alone, qr/^ERROR:  \w{5}: /, "$name: an error");
	is($alone, $part, "$name: the same in a transaction");
}
is(value_of($worker, $get), 22, 'nothing was written');

# Locks, timeouts and cancels.
sub link_of
{
	return value_of($other, q{SELECT string_agg(pid || ' ' || state, ', ') FROM pg_stat_activity WHERE application_name = 'dynamo'});
}

sub wait_for
{
	my ($what, $pattern) = @_;

	return ok($other->poll_query_until('postgres', qq{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '$pattern')}), $what);
}

my $blocker = $other->background_psql('postgres');
my $lock = "BEGIN; SELECT " . put(40);
$blocker->query_safe($lock);
like(error_of(q{SET lock_timeout = '300ms'; SELECT } . put(41)), qr/^ERROR:  55P03: canceling statement due to lock timeout/, 'a lock that is not granted in time');
like(error_of(q{SET statement_timeout = '300ms'; SELECT } . put(41)), qr/^ERROR:  57014: canceling statement due to statement timeout/, 'a statement timeout');
is(value_of($other, q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dynamo' AND state = 'active'}), 0, 'nobody waits on the other node any more');
my $session = start_session($worker, 'SELECT ' . put(42));
wait_for('a put waits', '%write_on_shard%');
wait_for('after a second it waits as a part of its transaction', '%row_on_shard%');
$blocker->query_safe('ROLLBACK');
$session->{run}->finish;
is(value_of($worker, $get), 42, 'and writes');

# A cancel: nothing is written, and the connection stays.
$blocker->query_safe($lock);
$session = start_session($worker, "SET application_name = 'canceled'; SELECT " . put(43) . "; $get");
wait_for('a put waits', '%write_on_shard%');
value_of($worker, q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'canceled'});
$session->{run}->finish;
like($session->{err}, qr/canceling statement due to user request/, 'a cancel');
like($session->{out}, qr/^42$/m, 'has written nothing');
$blocker->query_safe('ROLLBACK');
is(value_of($worker, $get), 42, 'later neither');

# A cancel that comes too late: a constraint goes on.  It waits for nothing else, and only a cancel
# ends its wait, so that the cancel cannot come while the write goes on.
value_of($coordinator, q{CREATE FUNCTION goes_on(item dynamo.item) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN
	IF item::text LIKE '%"70"%' THEN PERFORM pg_advisory_lock(70); END IF; RETURN true; EXCEPTION WHEN query_canceled THEN RETURN true; END $$;
ALTER TABLE kvs ADD CONSTRAINT goes_on CHECK (goes_on(item))});
$blocker->query_safe('SELECT pg_advisory_lock(70)');
$session = start_session($worker, "SET application_name = 'canceled'; SELECT " . put(70) . '; SELECT 1');
ok($other->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 70 AND objsubid = 1 AND NOT granted)}), 'a put waits in the constraint');
value_of($worker, q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'canceled'});
$session->{run}->finish;
is($session->{err}, '', 'a cancel that comes too late is no error');
is(value_of($worker, $get), 70, 'the write is executed');
$blocker->query_safe('SELECT pg_advisory_unlock(70)');
value_of($coordinator, 'ALTER TABLE kvs DROP CONSTRAINT goes_on');

# The connection is lost.
$blocker->query_safe($lock);
$session = start_session($worker, '\set VERBOSITY verbose' . "\nSELECT " . put(44));
wait_for('a put waits', '%write_on_shard%');
value_of($other, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%write_on_shard%' AND pid <> pg_backend_pid()});
$session->{run}->finish;
like($session->{err}, qr/ERROR:  08007: connection to another node of Citus was lost during a write\nDETAIL:  The write may have been executed\./, 'a lost connection');
$blocker->query_safe('ROLLBACK');
$blocker->quit;

# An error after the write: the client learns that it was executed.
my $definition = value_of($worker, q{SELECT pg_get_functiondef('dynamo_internal.item_out'::regproc)});
value_of($worker, q{SET citus.enable_ddl_propagation = off;
CREATE OR REPLACE FUNCTION dynamo_internal.item_out(dynamo.item) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'pg_node_tree_in'});
my $late = error_of('SELECT ' . put(45, ", return_values => 'ALL_OLD'"));
like($late, qr/^ERROR:  0A000: cannot accept a value of type pg_node_tree$/m, 'an error after the write');
like($late, qr/^WARNING:  08007: another node of Citus has executed the write of the failed statement$/m, 'tells that it was executed');
value_of($worker, "SET citus.enable_ddl_propagation = off; $definition");
is(value_of($worker, $get), 45, 'and it was');

# ---- a shard that moves, and other tables ----

for my $round (1 .. 2)
{
	move_shard($coordinator, 'kvs', ($round % 2 ? ($other, $worker) : ($worker, $other)), 'force_logical') for 1 .. 3;
	value_of($_, 'SELECT ' . put(50 + $round)) for $coordinator, $worker, $other;
	is(value_of($_, $get), 50 + $round, 'after a move') for $coordinator, $worker, $other;
}

value_of($coordinator, q{ALTER TABLE kvs ENABLE ROW LEVEL SECURITY; CREATE POLICY small ON kvs USING ((item ->> 'n')::numeric < 60);
GRANT ALL ON kvs TO app; GRANT ALL ON SCHEMA public TO app});
like(error_of('SET ROLE app; SELECT ' . put(60)), qr/row-level security/, 'a row that a policy does not allow');
value_of($worker, 'SET ROLE app; SELECT ' . put(59));
is(value_of($worker, $get), 59, 'one that it allows');

stop_citus_cluster($coordinator, $worker, $other);
done_testing();
