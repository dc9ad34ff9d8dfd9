# build_worker.pl: the worker that builds indexes has the rights of the table's
# owner, whoever requested it and however; the build of one table does not prevent
# builds of others; builds continue after a crash.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('build_worker', q{
shared_preload_libraries = 'dynamo'
max_worker_processes = 16
max_prepared_transactions = 5
dynamo.in_place_build_limit = 0
dynamo.build_delay = 0
});

sub query
{
	my ($sql, %options) = @_;

	return $node->safe_psql($options{database} // 'postgres', $sql, extra_params => [ '-U', $options{user} // getpwuid($<) ]);
}

sub until_true
{
	my ($sql, $name, $database) = @_;

	ok($node->poll_query_until($database // 'postgres', $sql), $name);
}

# Waits until every index of a table is ACTIVE.
sub until_built
{
	my ($table, $name, $database) = @_;

	until_true(qq{SELECT bool_and(status = 'ACTIVE') FROM dynamo.indexes WHERE schema_name || '.' || table_name = '$table'},
		$name, $database);
}

# Creates a table of ten items with the attributes g and h.
sub create_table
{
	my ($table, %options) = @_;
	my ($schema, $name) = split /\./, $table;

	query(qq{
SET search_path = $schema;
SELECT dynamo.create_table('$name', 'PK');
INSERT INTO $name (item) SELECT jsonb_build_object('PK', 'k' || i, 'g', 'x', 'h', 'x') FROM generate_series(1, 10) i}, %options);
}

query(q{
CREATE ROLE owner;
CREATE ROLE mallory LOGIN;
CREATE ROLE other LOGIN;
CREATE SCHEMA o AUTHORIZATION owner;
CREATE SCHEMA m AUTHORIZATION mallory;
CREATE SCHEMA x AUTHORIZATION other});

# Code of mallory for others to run: an expression that changes its result and logs
# the role whose rights it has.
query(q{
CREATE FUNCTION m.try(what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	EXECUTE what;
	RAISE LOG 'tripwire: %', what;
EXCEPTION WHEN OTHERS THEN NULL; END $$;
CREATE FUNCTION m.tag(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
	RAISE LOG 'tagged by %', current_user;
	PERFORM m.try('ALTER ROLE mallory SUPERUSER');
	PERFORM m.try('RESET ROLE');
	PERFORM m.try('SET ROLE pg_monitor');
	PERFORM m.try('RESET SESSION AUTHORIZATION');
	PERFORM m.try('SET SESSION AUTHORIZATION other');
	PERFORM m.try('CREATE TEMP TABLE t (i int)');
	RETURN value; END $$;
CREATE FUNCTION m.twice(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'x'::text FROM (VALUES (1)) v LIMIT 1 $$},
	user => 'mallory');

# ---- rights of the worker ----

create_table('m.shop', user => 'mallory');
query(q{
SET client_min_messages = error;
CREATE INDEX ON m.shop (m.tag("PK"));
CREATE INDEX ON m.shop ((m.tag('constant') || "PK"));
CREATE INDEX ON m.shop ("PK") WHERE m.tag('predicate') <> '';
CREATE INDEX ON m.shop ((m.twice('constant') || "PK"))}, user => 'mallory');
my $log_start = -s $node->logfile;
query(q{SELECT dynamo.create_index('m.shop', 'inline', 'g')});
until_built('m.shop', 'a superuser creates an index for another, whose indexes have expressions in SQL and PL/pgSQL');
query(q{SELECT dynamo.create_index('m.shop', 'own', 'g', storage => 'table', shards => 2)});
until_built('m.shop', 'a superuser creates an index with an index table for another role');
query(q{SELECT dynamo.reshard_index('m.shop', 'own', 3)});
until_built('m.shop', 'a superuser replaces the index with the index table');
my $log = substr slurp_file($node->logfile), $log_start;
like($log, qr/tagged by mallory/, 'expressions were evaluated');
unlike($log, qr/tagged by (?!mallory)/, 'only the owner evaluated expressions');
unlike($log, qr/tripwire/, 'the owner got no other rights');
is(query('SELECT count(*) FROM dynamo.indexes i, dynamo.verify_index(i.schema_name || $$.$$ || i.table_name, i.index_name)'), '0',
	'indexes agree with their table');
is(query(q{SELECT string_agg(DISTINCT pg_get_userbyid(relowner), ' ') FROM pg_class WHERE relname LIKE 'shop$%'}), 'mallory',
	'relations of the index belong to the owner');

create_table('o.shop');
query(q{ALTER TABLE o.shop OWNER TO owner; SELECT dynamo.create_index('o.shop', 'inline', 'g')});
until_built('o.shop', 'the owner need not be able to log in');

# ---- users who request a build ----

create_table('m.asked', user => 'mallory');
query(q{
GRANT USAGE ON SCHEMA m TO other;
CREATE FUNCTION m.ask() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$ SELECT dynamo.create_index('m.asked', 'definer', 'g') $$},
	user => 'mallory');
query('SELECT m.ask()', user => 'other');
until_built('m.asked', 'requested in a function with the rights of its owner');
query(q{BEGIN; SET LOCAL ROLE mallory; SELECT dynamo.create_index('m.asked', 'local', 'PK', 'g'); RESET ROLE; COMMIT});
until_built('m.asked', 'requested after SET LOCAL ROLE');
query(q{BEGIN; SELECT dynamo.create_index('m.asked', 'prepared', 'g', 'PK'); PREPARE TRANSACTION 'built later'});
query(q{COMMIT PREPARED 'built later'});
until_built('m.asked', 'requested in a transaction that was prepared');
query(q{BEGIN; SELECT dynamo.create_index('m.asked', 'never', 'PK', 'PK2'); PREPARE TRANSACTION 'not built'});
query(q{ROLLBACK PREPARED 'not built'});
until_true(q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dynamo index build'},
	'the worker of a transaction that is rolled back ends');

# ---- code that runs while others maintain a table starts no build ----

# An index that is to be built, in a definition written by hand.
sub plant
{
	my ($table, $index, $user, $storage) = @_;
	my ($schema, $name) = split /\./, $table;

	$storage //= 'inline';
	query(qq{
ALTER TABLE $table ADD COLUMN IF NOT EXISTS h text COLLATE "C";
DO \$\$ BEGIN EXECUTE format('CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
	'{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "h", "type": "S", "column": "h"}], "partition": ["PK"], "sort": [], "indexes": [{"name": "$index", "local": false, "partition": ["h"], "sort": [], "projection": "ALL", "non_key_attributes": [], "storage": "$storage", "shards": 0, "shard_by": null, "relation": "$name\$$index", "status": "CREATING"}]}'); END \$\$},
		user => $user);
}

create_table('m.waiting', user => 'mallory');
plant('m.waiting', 'planted', 'mallory');
query(q{
CREATE FUNCTION m.analyzed(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
	IF session_user <> 'mallory' THEN
		RAISE LOG 'analyzed by %', current_user;
		PERFORM dynamo.request('DescribeTable', '{"TableName": "m.waiting"}');
		PERFORM m.try($_$SELECT dynamo.create_index('m.shop', 'more', 'PK', 'g')$_$);
		PERFORM m.try($_$SELECT dynamo.reindex('m.shop', 'inline')$_$);
	END IF;
	RETURN value; END $$;
CREATE TABLE m.analyze (value text);
CREATE INDEX ON m.analyze (m.analyzed(value));
INSERT INTO m.analyze SELECT i FROM generate_series(1, 100) i}, user => 'mallory');
query('ANALYZE m.analyze');
$log = slurp_file($node->logfile);
like($log, qr/analyzed by mallory/, 'ANALYZE evaluates expressions as the owner');
unlike($log, qr/tripwire: SELECT dynamo.create_index/, 'code in ANALYZE cannot start a build');
is(query(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo index build'}), '0', 'no worker was started');
is(query(q{SELECT status FROM dynamo.indexes WHERE index_name = 'planted'}), 'CREATING', 'the waiting index still waits');

# ---- one invalid table among many ----

# "planted" can be built, "taken" has another relation with its name, "torn" has no
# column to fill, and the rows of "held" are locked.
create_table("x.$_", user => 'other') for qw(good held);
create_table("m.$_", user => 'mallory') for qw(taken torn);
plant('m.taken', 'planted', 'mallory');
plant('m.torn', 'planted', 'mallory', 'table');
plant('x.good', 'planted', 'other');
plant('x.held', 'planted', 'other');
query('CREATE TABLE m.taken$planted (i int)', user => 'mallory');
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN');
$holder->query_safe('SELECT 1 FROM x.held FOR UPDATE');
my ($out, $said, $timed_out);
$node->psql('postgres', 'CALL dynamo.build_indexes()', stdout => \$out, stderr => \$said, timeout => 180, timed_out => \$timed_out);
ok(!$timed_out, 'CALL dynamo.build_indexes() ends');
is(query(q{SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM dynamo.indexes WHERE index_name = 'planted' AND status = 'ACTIVE'}),
	'good waiting', 'CALL dynamo.build_indexes() builds what can be built');
like($said, qr/WARNING:  building index "planted" of table "m.taken" stopped: relation "taken\$planted" already exists/, 'CALL dynamo.build_indexes() reports errors');
like($said, qr/WARNING:  building index "planted" of table "m.torn" stopped: /, 'CALL dynamo.build_indexes() reports every kind of error');
like($said, qr/WARNING:  the indexes of table "x.held" are still being built/, 'CALL dynamo.build_indexes() reports builds that wait');
is(query(q{SELECT string_agg(table_name || ': ' || left(error, 30), ', ' ORDER BY table_name) FROM dynamo.index_progress WHERE error IS NOT NULL}),
	'taken: relation "taken$planted" alrea, torn: index "planted" of table "torn', 'errors are recorded');
is($node->psql('postgres', q{CALL dynamo.build_indexes('m.taken')}, stderr => \$said, timeout => 180), 3, 'CALL dynamo.build_indexes() for one table ends');
like($said, qr/ERROR:  building index "planted" stopped: relation "taken\$planted" already exists/, 'an error of one table is raised');
query('DROP TABLE m.taken$planted', user => 'mallory');
until_built('m.taken', 'the worker tries again without a request');
$holder->query_safe('COMMIT');
until_built('x.held', 'the waiting worker continues');
query('SELECT dynamo.drop_table($$m.torn$$)', user => 'mallory');

# ---- the extension is dropped while a worker waits for its next attempt ----

my $dropped = new_database($node, 1);
query(q{
SELECT dynamo.create_table('plain', 'PK');
INSERT INTO plain (item) SELECT jsonb_build_object('PK', 'k' || i, 'g', 'x') FROM generate_series(1, 10) i;
BEGIN;
SELECT dynamo.create_index('plain', 'g', 'g');
CREATE TABLE plain$g ();
COMMIT}, database => $dropped);
until_true(q{SELECT error LIKE '%already exists' FROM dynamo.index_progress}, 'a build has failed', $dropped);
query('DROP EXTENSION dynamo CASCADE', database => $dropped);
until_true(qq{SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = '$dropped'}, 'its worker ends');

# ---- the builds of one role leave workers for others ----

# Builds wait for the end of older snapshots.
my $old_snapshot = $node->background_psql('postgres');
$old_snapshot->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1');
for my $i (1 .. 8)
{
	create_table("m.many$i", user => 'mallory');
	query(qq{SELECT dynamo.create_index('m.many$i', 'inline', 'g')}, user => 'mallory');
}
create_table('x.one', user => 'other');
query(q{SELECT dynamo.create_index('x.one', 'inline', 'g')}, user => 'other');
my $building = q{SELECT count(*) FROM dynamo.index_progress WHERE worker_pid IS NOT NULL AND schema_name = };
until_true(qq{SELECT ($building 'x') = 1}, 'a worker builds for another role');
until_true(q{SELECT count(*) = 4 FROM pg_stat_activity WHERE backend_type = 'dynamo index build'}, 'three workers build for one role');
is(query("$building 'm'"), '3', 'each worker builds another table');
# a role that asks again and again has no more of them
query(q{
CREATE TABLE seen (workers bigint);
CREATE PROCEDURE ask() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 30 LOOP
		CALL dynamo.build_indexes('m.many' || 1 + i % 8, false);
		COMMIT;
		INSERT INTO seen SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo index build';
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
CALL ask()});
cmp_ok(query('SELECT max(workers) FROM seen'), '<', 9, 'asking for builds leaves workers, too');
$old_snapshot->query_safe('COMMIT');
$old_snapshot->quit;
until_true(q{SELECT count(*) = 9 FROM dynamo.indexes WHERE (table_name LIKE 'many%' OR table_name = 'one') AND status = 'ACTIVE'},
	'the other indexes are built later');

# ---- one worker for all tables of a role ----

$node->append_conf('postgresql.conf', 'dynamo.max_build_workers_per_role = 1');
$node->reload;
my $single = new_database($node, 1);
my $one_worker = qq{SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = '$single' AND backend_type = };
query(q{SELECT dynamo.create_table(t, 'PK') FROM unnest('{first,second}'::text[]) t;
INSERT INTO first (item) SELECT jsonb_build_object('PK', 'k' || i, 'g', 'x') FROM generate_series(1, 10) i;
INSERT INTO second (item) SELECT item FROM first}, database => $single);
my ($reader, $locker) = map { $node->background_psql($single) } 1 .. 2;
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1');
query(qq{SELECT dynamo.create_index('$_', 'one', 'g')}, database => $single) for qw(first second);
until_true("$one_worker 'dynamo index build'", 'another worker has not waited long');
$locker->query_safe('BEGIN');
$locker->query_safe('SELECT 1 FROM second FOR UPDATE');
$reader->query_safe('COMMIT');
until_built('public.first', 'the first table', $single);
query(q{SELECT dynamo.create_index('first', 'two', 'g', 'PK')}, database => $single);
until_true("$one_worker 'dynamo index build'", 'the worker builds the second table');
$locker->query_safe('COMMIT');
until_built("public.$_", "the worker comes back to tables: $_", $single) for qw(first second);

# migrations
query(q{SELECT dynamo.create_table(t, 'PK'), dynamo.create_entity(t, 'thing', keys => '{"PK": "a#{n}"}', attributes => '{"n": "int"}')
FROM unnest('{move1,move2,move3}'::text[]) t;
SELECT dynamo.put_item(t, jsonb_build_object('n', i)) FROM unnest('{move1,move2,move3}'::text[]) t, generate_series(1, 10) i}, database => $single);
$reader->query_safe('BEGIN; SELECT count(*) FROM move1, move2, move3');
query(qq{SELECT dynamo.migrate_entity('$_', 'thing', keys => '{"PK": "b#{n}"}')}, database => $single) for qw(move1 move2 move3);
until_true("$one_worker 'dynamo migration'", 'one worker moves items');
is(query(q{SELECT count(worker_pid), count(*) FROM dynamo.migrations}, database => $single), '1|3', 'of one of three tables');
$reader->query_safe('COMMIT');
until_true(q{SELECT bool_and(phase = 'complete') FROM dynamo.migrations}, 'it moves those of the others, too', $single);
is(query(q{SELECT count(*) FROM (TABLE move1 UNION ALL TABLE move2 UNION ALL TABLE move3) i WHERE "PK" LIKE 'b#%'}, database => $single), '30', 'all have been moved');
$_->quit for $reader, $locker;
$node->append_conf('postgresql.conf', 'dynamo.max_build_workers_per_role = 3');
$node->reload;

# ---- after a crash ----

my $elsewhere = new_database($node, 1);
for my $database ('postgres', $elsewhere)
{
	query(q{
SELECT dynamo.create_table('interrupted', 'PK'), dynamo.create_table('cancelled', 'PK');
INSERT INTO interrupted (item) SELECT jsonb_build_object('PK', 'k' || i, 'g', 'x') FROM generate_series(1, 10) i;
INSERT INTO cancelled (item) SELECT item FROM interrupted}, database => $database);
}
$holder->query_safe(q{BEGIN ISOLATION LEVEL REPEATABLE READ});
$holder->query_safe(q{SELECT count(*) FROM pg_class});
for my $database ('postgres', $elsewhere)
{
	my $other_holder = $node->background_psql($elsewhere);

	$other_holder->query_safe(q{BEGIN ISOLATION LEVEL REPEATABLE READ});
	$other_holder->query_safe(q{SELECT count(*) FROM pg_class});
	query(qq{SELECT dynamo.create_index('$_', 'idx', 'g')}, database => $database) for qw(interrupted cancelled);
	until_true(q{SELECT count(*) = 2 FROM dynamo.index_progress WHERE index_name = 'idx' AND phase = 'building' AND worker_pid IS NOT NULL},
		"builds have begun in $database", $database);
	query(q{SELECT pg_cancel_backend(worker_pid) FROM dynamo.index_progress WHERE table_name = 'cancelled'}, database => $database);
	until_true(q{SELECT worker_pid IS NULL AND error LIKE 'cancel%' FROM dynamo.index_progress WHERE table_name = 'cancelled'},
		'one was cancelled', $database);
	push @main::holders, $other_holder;
}
crash_node($node);
eval { $_->quit } for $holder, @main::holders;
$node->start;
for my $database ('postgres', $elsewhere)
{
	until_built('public.interrupted', "the build in $database goes on by itself after a crash", $database);
	is(query(q{SELECT status FROM dynamo.indexes WHERE table_name = 'cancelled'}, database => $database), 'CREATING',
		'the canceled build is not resumed');
	query(q{CALL dynamo.build_indexes('cancelled')}, database => $database);
	until_built('public.cancelled', 'until somebody asks for it', $database);
}

# a build that stops the server is not repeated without end
query(q{INSERT INTO cancelled (item) VALUES ('{"PK": {"S": "new"}, "last": {"S": "x"}}');
BEGIN; SELECT dynamo.create_index('cancelled', 'last', 'last'); UPDATE dynamo_internal.index_builds SET attempts = 10 WHERE index_name = 'last';
PREPARE TRANSACTION 'interrupted'});
$node->restart;
query(q{COMMIT PREPARED 'interrupted'});
$node->restart;
until_true(q{SELECT error = 'the build ended 10 times without an error' FROM dynamo.index_progress WHERE index_name = 'last'},
	'a build that repeatedly ends with the server is given up');
query(q{CALL dynamo.build_indexes('cancelled')});
until_built('public.cancelled', 'the build is not started again without a request');

$node->stop;
done_testing();
