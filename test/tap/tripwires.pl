# tripwires.pl: owners' code runs as its owner, whoever maintains the owner's
# tables.
#
# A role has code in every place where PostgreSQL runs an owner's code.  Each piece
# logs the role whose rights it has, and tries to gain more, to leave something
# behind for later and to access objects of a victim.  Superusers and roles with
# predefined roles then call every function that maintains tables; PostgreSQL and
# the workers run their own maintenance.
#
# To add a place, an attempt or a function, add a line to one of the lists below; a
# function of the extension that is in none of them fails the test.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $port = PostgreSQL::Test::Cluster::get_free_port();
# what models are planned with is not compiled where users call it (beside.pl)
my $node = new_http_node('tripwires', $port, 1, q{
jit = off
dynamo.housekeeping_interval = 0
dynamo.build_delay = 0
max_worker_processes = 16
autovacuum = off
autovacuum_naptime = 1s
log_min_messages = log
});
my $superuser = getpwuid($<);
my $directory = PostgreSQL::Test::Utils::tempdir();
chmod 0777, $directory;

sub query
{
	my ($sql, %options) = @_;

	return $node->safe_psql('postgres', $sql, extra_params => [ '-U', $options{user} // $superuser ]);
}

sub log_since
{
	my ($offset) = @_;

	return slurp_file($node->logfile, $offset);
}

# ---- actions of the code ----

# None of these may ever succeed.
my @gains = (
	'ALTER ROLE attacker SUPERUSER',
	'GRANT pg_execute_server_program TO attacker',
	q{DO 'BEGIN RESET ROLE; IF current_user = $_$attacker$_$ THEN RAISE $_$no$_$; END IF; END'},
	q{DO 'BEGIN RESET SESSION AUTHORIZATION; IF current_user = $_$attacker$_$ THEN RAISE $_$no$_$; END IF; END'},
	'SET ROLE victim',
	'SET SESSION AUTHORIZATION victim',
	'SET session_replication_role = replica',
	q{COPY (SELECT 1) TO PROGRAM 'true'},
	q{SELECT pg_catalog.pg_read_file('postgresql.conf')},
	'SELECT * FROM pg_catalog.pg_authid',
	'TABLE v.shop',
	'DELETE FROM v.shop',
	'DROP TABLE v.shop',
	'ALTER TABLE v.shop OWNER TO attacker',
	q{SELECT dynamo.put_item('v.shop', '{"PK": {"S": "b"}}')},
	q{SELECT dynamo.query('v.shop', 'PK = :p', '{":p": {"S": "a"}}')},
	q{SELECT dynamo.create_index('v.shop', 'NEW', 'g')},
	q{SELECT dynamo.reindex('v.shop', 'TSI')},
	q{SELECT dynamo.disable_stream('v.shop')},
	q{SELECT dynamo.drop_table('v.shop')},
	q{SELECT * FROM dynamo.read_stream('v.shop')},
	q{SELECT dynamo.request('DeleteTable', '{"TableName": "v.shop"}')},
);

# The same in a session of another user, who has returned when they take effect.
my @delays = (
	'INSERT INTO a.later VALUES (1)',
	q{DECLARE later CURSOR WITH HOLD FOR SELECT a.tripwire('cursor WITH HOLD')},
	q{PREPARE later AS SELECT a.tripwire('prepared statement')},
	'CREATE TEMPORARY TABLE later (i int)',
	'LISTEN later',
	'DISCARD ALL',
	q{SELECT dynamo.create_index('a.waiting', 'NEW', 'g')},
);

# Settings that the code changes: they must be restored after the call.
my %settings = (
	search_path => 'a, pg_catalog',
	# PostgreSQL 19 has no other literals
	(query('SHOW server_version_num') < 190000 ? (standard_conforming_strings => 'off') : ()),
	row_security => 'off',
	check_function_bodies => 'off',
	statement_timeout => '7s',
	client_min_messages => 'error',
	'dynamo.direct_access' => 'off',
	'dynamo.in_place_build_limit' => '-1',
);

my ($gains, $delays) = map { join(",\n", map { "\$try\$$_\$try\$" } @$_) } \@gains, \@delays;
my $settings = join(', ', map { "pg_catalog.set_config('$_', '$settings{$_}', false)" } sort keys %settings);

query(qq{
CREATE ROLE attacker LOGIN;
CREATE ROLE victim LOGIN;
CREATE SCHEMA a AUTHORIZATION attacker;
CREATE SCHEMA v AUTHORIZATION victim;
GRANT ALL ON SCHEMA a TO victim;
GRANT ALL ON SCHEMA v TO attacker;
CREATE ROLE member LOGIN IN ROLE attacker;
GRANT pg_read_all_data, pg_write_all_data TO member;
GRANT CREATE ON SCHEMA public TO member});

my @predefined = split /\n/, query(q{SELECT rolname FROM pg_roles WHERE rolname LIKE 'pg\_%' AND rolname <> 'pg_database_owner'});
query("CREATE ROLE with_$_ LOGIN IN ROLE $_; GRANT USAGE ON SCHEMA a, v TO with_$_") for @predefined;

# A table of the victim, with all kinds of dependent objects.
query(q{
SET search_path = v, dynamo;
SELECT create_table('shop', 'PK', indexes => '[{"index_name": "TSI", "partition_key": "g", "storage": "table"}, {"index_name": "GSI", "partition_key": "h"}]');
SELECT enable_stream('shop');
SELECT put_item('shop', '{"PK": {"S": "a"}, "g": {"S": "b"}, "h": {"S": "b"}}');
SELECT create_index('shop', 'late', 'i')}, user => 'victim');

# Attempts of one piece of code do not run other pieces.
query(qq{
CREATE FUNCTION a.tripwire(place text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
	what text;
BEGIN
	IF pg_catalog.current_setting('tripwire.inside', true) = 'yes' THEN
		RETURN place;
	END IF;
	RAISE LOG 'tripwire "%" as % for %', place, current_user, session_user;
	PERFORM pg_catalog.set_config('tripwire.inside', 'yes', true);
	FOREACH what IN ARRAY CASE WHEN session_user = 'attacker' THEN ARRAY[$gains] ELSE ARRAY[$gains, $delays] END LOOP
		-- the commit would not end
		CONTINUE WHEN place = 'deferred trigger' AND what LIKE 'INSERT INTO a.later %';
		BEGIN
			EXECUTE what;
			RAISE LOG 'tripwire "%" escaped: %', place, what;
		EXCEPTION WHEN OTHERS THEN NULL;
		END;
	END LOOP;
	IF session_user <> 'attacker' THEN
		PERFORM $settings;
	END IF;
	PERFORM pg_catalog.set_config('tripwire.inside', 'no', true);
	RETURN place;
END \$\$;
CREATE FUNCTION a.fixed(place text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RETURN a.tripwire(place); END \$\$;
CREATE FUNCTION a.of_row(place text, value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RETURN a.tripwire(place) || value; END \$\$;
CREATE FUNCTION a.holds(place text, value text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RETURN a.tripwire(place) <> ''; END \$\$;
CREATE FUNCTION a.fire() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN
	PERFORM a.tripwire(TG_ARGV[0]);
	IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
	RETURN NEW;
END \$\$;
CREATE TABLE a.later (i int);
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON a.later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION a.fire('deferred trigger');
CREATE OPERATOR a.<<>> (LEFTARG = text, RIGHTARG = text, FUNCTION = a.holds);
CREATE DOMAIN a.checked AS text CHECK (a.holds('domain', VALUE) AND a.fixed('constant in a domain') <> '');
CREATE TYPE a.pair AS (place text);
CREATE FUNCTION a.cast_pair(a.pair) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$ SELECT a.tripwire((\$1).place) \$\$;
CREATE CAST (a.pair AS text) WITH FUNCTION a.cast_pair(a.pair)}, user => 'attacker');

# ---- places of code ----

# On a table and its dependent objects: <table>, with a column or an expression
# <text>.
my @places = (
	[ 'constant in an index', q{CREATE INDEX ON <table> ((a.fixed('<place>') || <text>))} ],
	[ 'index expression', q{CREATE INDEX ON <table> (a.of_row('<place>', <text>))} ],
	[ 'constant in an index predicate', q{CREATE INDEX ON <table> ((<text>)) WHERE a.fixed('<place>') <> ''} ],
	[ 'index predicate', q{CREATE INDEX ON <table> ((<text>)) WHERE a.holds('<place>', <text>)} ],
	[ 'operator in an index', q{CREATE INDEX ON <table> (('<place>'::text OPERATOR(a.<<>>) <text>))} ],
	[ 'cast in an index', q{CREATE INDEX ON <table> ((ROW('<place>')::a.pair::text || <text>))} ],
	[ 'constant in statistics', q{CREATE STATISTICS a.<unique> ON (a.fixed('<place>') || <text>) FROM <table>} ],
	[ 'statistics', q{CREATE STATISTICS a.<unique> ON (a.of_row('<place>', <text>)) FROM <table>} ],
	[ 'CHECK', q{ALTER TABLE <table> ADD CHECK (a.holds('<place>', <text>))} ],
	[ 'policy', q{CREATE POLICY p ON <table> USING (a.holds('<place>', <text>))} ],
	[ 'BEFORE TRUNCATE', q{CREATE TRIGGER trip_bt_<unique> BEFORE TRUNCATE ON <table> EXECUTE FUNCTION a.fire('<place>')} ],
	[ 'AFTER TRUNCATE', q{CREATE TRIGGER trip_at_<unique> AFTER TRUNCATE ON <table> EXECUTE FUNCTION a.fire('<place>')} ],
	[ 'BEFORE', q{CREATE TRIGGER trip_b_<unique> BEFORE INSERT OR UPDATE OR DELETE ON <table> FOR EACH ROW EXECUTE FUNCTION a.fire('<place>')} ],
	[ 'AFTER', q{CREATE TRIGGER trip_a_<unique> AFTER INSERT OR UPDATE OR DELETE ON <table> FOR EACH ROW EXECUTE FUNCTION a.fire('<place>')} ],
	[ 'BEFORE STATEMENT', q{CREATE TRIGGER trip_bs_<unique> BEFORE INSERT OR UPDATE OR DELETE ON <table> EXECUTE FUNCTION a.fire('<place>')} ],
	[ 'AFTER STATEMENT', q{CREATE TRIGGER trip_as_<unique> AFTER INSERT OR UPDATE OR DELETE ON <table> EXECUTE FUNCTION a.fire('<place>')} ],
);

# On a table only, whose columns its owner defines.
my @table_places = (
	[ 'default', q{ALTER TABLE <table> ADD COLUMN by_default text DEFAULT a.tripwire('<place>')} ],
	[ 'generated column', q{ALTER TABLE <table> ADD COLUMN generated text GENERATED ALWAYS AS (a.of_row('<place>', <text>)) STORED} ],
	[ 'domain', q{ALTER TABLE <table> ADD COLUMN of_domain a.checked DEFAULT 'x'} ],
	[ 'index of a generated column', q{CREATE INDEX ON <table> (a.of_row('<place>', generated))} ],
	[ 'view', q{CREATE VIEW a.of_<name> AS SELECT "PK", a.fixed('<place>') FROM <table>} ],
	[ 'INSTEAD OF', q{CREATE TRIGGER instead INSTEAD OF INSERT OR UPDATE OR DELETE ON a.of_<name> FOR EACH ROW EXECUTE FUNCTION a.fire('<place>')} ],
);

my $unique = 0;

sub arm_relation
{
	my ($name, $relation, $text, @list) = @_;
	my $sql = "SET client_min_messages = error;\n";

	for (@list)
	{
		my ($place, $statement) = @$_;

		$statement =~ s/<place>/$place of $relation/g;
		$statement =~ s/<unique>/'u' . ++$unique/e;
		$statement =~ s/<text>/$text/g;
		$statement =~ s/<name>/$name/g;
		$statement =~ s/<table>/a."$relation"/g;
		$sql .= "$statement;\n";
	}
	query($sql, user => 'attacker');
}

# Tables <table> are created in several ways; a second statement runs after all code is in place.
my $definition = q{dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}], "partition": ["PK"], "sort": [], "indexes": []}')};
my %tables = (
	plain => [ q{SELECT create_table('<table>', 'PK')} ],
	forced => [ q{SELECT create_table('<table>', 'PK')}, q{ALTER TABLE <table> ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY} ],
	partitioned => [ qq{
CREATE TABLE <table> ("PK" text COLLATE "C" PRIMARY KEY, item item NOT NULL) PARTITION BY HASH ("PK");
CREATE TABLE <table>_0 PARTITION OF <table> FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE <table>_1 PARTITION OF <table> FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON <table> FOR EACH ROW EXECUTE FUNCTION $definition} ],
);

# Without a primary key, which is not possible with an expression in the partition
# key, and created while the extension's event triggers are disabled.
my $by_expression = qq{
CREATE TABLE a.<table> ("PK" text COLLATE "C" NOT NULL, item dynamo.item NOT NULL) PARTITION BY LIST ((a.fixed('partition key') || left("PK", 0)));
CREATE TABLE a.<table>_0 PARTITION OF a.<table> DEFAULT;
CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON a.<table> FOR EACH ROW EXECUTE FUNCTION $definition;
CREATE TRIGGER "~dynamo_guard_index" BEFORE INSERT OR UPDATE ON a.<table> FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_index('plain', 'GSI')};

# A table with all kinds of dependent objects, and code in every place.
sub make_table
{
	my ($kind, $name) = @_;
	my ($create, $after) = map { s/<table>/$name/gr } @{ $tables{$kind} };
	my $items = q{jsonb_build_object('PK', 'k' || i, 'g', 'x', 'h', 'y', 'v', jsonb_build_array(i, 1), 'until', floor(extract(epoch FROM now())) + (i - 2) * 1000)};

	query(qq{
SET search_path = a, dynamo;
SET client_min_messages = error;
$create;
INSERT INTO $name ("PK", item) SELECT 'k' || i, $items FROM generate_series(1, 3) i;
SELECT create_index('$name', 'GSI', 'g');
SELECT create_index('$name', 'TSI', 'g', storage => 'table');
SELECT create_index('$name', 'SSI', 'g', shards => 2);
SELECT create_vector_index('$name', 'VSI', 'v', 2);
SELECT enable_stream('$name');
SELECT update_time_to_live('$name', 'until')}, user => 'attacker');
	arm_relation($name, $name, '"PK"', @places, @table_places);
	arm_relation($name, "$name\$$_", '"PK"', @places) for qw(TSI SSI SSI$0 VSI);
	arm_relation($name, "$name\$stream", 'number::text', @places);
	query(qq{SET search_path = a, dynamo;
SELECT put_item('$name', $items) FROM generate_series(1, 3) i;
} . ($after // ''), user => 'attacker');
}

# ---- users who maintain the table ----

# Run in this order.  <table> is the table, <beside X> a dependent object.
my @actions = (
	[ 'create_index, inline', q{SELECT dynamo.create_index('<table>', 'NEW1', 'h')} ],
	[ 'create_index, table', q{SELECT dynamo.create_index('<table>', 'NEW2', 'h', storage => 'table')} ],
	[ 'create_index, sharded', q{SELECT dynamo.create_index('<table>', 'NEW3', ARRAY['h', 'g'], shards => 2)} ],
	[ 'create_vector_index', q{SELECT dynamo.create_vector_index('<table>', 'VEC1', 'v', 2, partition_key => 'h')} ],
	[ 'search_vectors', q{SELECT * FROM dynamo.search_vectors('<table>', 'VSI', '{1,2}', 3)} ],
	[ 'drop_vector_index', q{SELECT dynamo.drop_vector_index('<table>', 'VEC1')} ],
	(map { [ "verify_index, $_", qq{SELECT * FROM dynamo.verify_index('<table>', '$_')} ] } qw(GSI TSI SSI VSI)),
	(map { [ "reindex, $_", qq{SELECT dynamo.reindex('<table>', '$_')} ] } qw(GSI TSI SSI VSI)),
	[ 'change_index, projection', q{SELECT dynamo.change_index('<table>', 'NEW2', projection => 'KEYS_ONLY')} ],
	[ 'change_index, storage', q{SELECT dynamo.change_index('<table>', 'NEW2', storage => 'inline')} ],
	[ 'reshard_index', q{SELECT dynamo.reshard_index('<table>', 'NEW3', 3)} ],
	(map { [ "drop_index, $_", qq{SELECT dynamo.drop_index('<table>', '$_')} ] } qw(NEW1 NEW2 NEW3)),
	[ 'update_time_to_live, off', q{SELECT dynamo.update_time_to_live('<table>', 'until', false)} ],
	[ 'update_time_to_live, on', q{SELECT dynamo.update_time_to_live('<table>', 'until')} ],
	[ 'delete_expired', q{SELECT dynamo.delete_expired('<table>', 1)} ],
	[ 'delete_expired, all', q{SELECT dynamo.delete_expired()} ],
	[ 'trim_streams', q{SELECT dynamo.trim_streams('<table>', '0', 2)} ],
	[ 'trim_streams, all', q{SELECT dynamo.trim_streams(retention => '0')} ],
	[ 'disable_stream', q{SELECT dynamo.disable_stream('<table>')} ],
	[ 'enable_stream', q{SELECT dynamo.enable_stream('<table>')} ],
	[ 'add_reference', q{SELECT dynamo.add_reference('<table>', 'ref', '{"PK": "{PK}"}', on_delete => 'CASCADE')} ],
	[ 'drop_constraint, reference', q{SELECT dynamo.drop_constraint('<table>', 'ref')} ],
	[ 'add_unique_constraint', q{SELECT dynamo.add_unique_constraint('<table>', 'uniq', '{PK}')} ],
	[ 'add_unique_constraint, deferrable', q{SELECT dynamo.add_unique_constraint('<table>', 'deferrable', '{PK}', is_deferrable => true)} ],
	[ 'drop_constraint', q{SELECT dynamo.drop_constraint('<table>', 'uniq'), dynamo.drop_constraint('<table>', 'deferrable')} ],
	[ 'create_entity', q{SELECT dynamo.create_entity('<table>', 'kind', '{"PK": "k{n}", "g": "{h:upper}"}')} ],
	[ 'check_entity', q{SELECT * FROM dynamo.check_entity('<table>')} ],
	[ 'apply_entity', q{SELECT dynamo.apply_entity('<table>', 'kind')} ],
	[ 'migrate_entity', q{DO $$ BEGIN PERFORM dynamo.migrate_entity('<table>', 'kind', '{"g": "M{h:upper}"}'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state THEN NULL; END $$} ],
	[ 'pause_migration', q{DO $$ BEGIN PERFORM dynamo.pause_migration('<table>', 'kind'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state THEN NULL; END $$} ],
	[ 'resume_migration', q{DO $$ BEGIN PERFORM dynamo.resume_migration('<table>', 'kind'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state THEN NULL; END $$} ],
	[ 'cancel_migration', q{DO $$ BEGIN PERFORM dynamo.cancel_migration('<table>', 'kind'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state THEN NULL; END $$} ],
	[ 'await_migration', q{CALL dynamo.await_migration('<table>')} ],
	[ 'drop_attribute', q{DO $$ BEGIN PERFORM dynamo.migrate_entity('<table>', 'kind', rename => '{"h": "h2"}'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state OR object_in_use THEN NULL; END $$; CALL dynamo.await_migration('<table>'); DO $$ BEGIN PERFORM dynamo.drop_attribute('<table>', 'kind', 'h2'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state OR object_in_use THEN NULL; END $$; CALL dynamo.await_migration('<table>')} ],
	[ 'export_model', q{SELECT dynamo.import_model(dynamo.export_model('<table>'))} ],
	[ 'model_checksum', q{SELECT dynamo.model_checksum('<table>')} ],
	[ 'generate_client', q{SELECT dynamo.generate_client('<table>', 'typescript-pg')} ],
	[ 'plan_model', q{SELECT statement FROM dynamo.plan_model(replace(dynamo.export_model('<table>')::text, '"fillfactor": "90"', '"fillfactor": "80"')::json, '<table>') WHERE statement IS NULL} ],
	[ 'model_of_table', q{SELECT dynamo_system.model_of_table('<table>')} ],
	[ 'plan_of_model', q{SELECT statement FROM dynamo_system.plan_of_model(replace(dynamo.export_model('<table>')::text, '"fillfactor": "90"', '"fillfactor": "80"')::json, '<table>') WHERE statement IS NULL} ],
	[ 'apply_model', q{SELECT dynamo.apply_model(replace(dynamo.export_model('<table>')::text, '"fillfactor": "90"', '"fillfactor": "80"')::json, '<table>')} ],
	[ 'outline', q{SELECT * FROM dynamo.outline('<table>')} ],
	[ 'advise', q{SELECT rule FROM dynamo.advise('<table>') WHERE rule IS NULL} ],
	[ 'check_access_patterns', q{SELECT dynamo.create_access_pattern('<table>', 'of_kind', 'PK = :k'); SELECT * FROM dynamo.check_access_patterns('<table>'); SELECT dynamo.drop_access_pattern('of_kind')} ],
	[ 'draw', q{SELECT length(dynamo.draw('<table>'))} ],
	[ 'create_total', q{SELECT dynamo.create_total('<table>', 'total', 'kind', 'kind', '{"t": "count"}')} ],
	[ 'create_copy', q{SELECT dynamo.create_copy('<table>', 'copy', 'kind', 'kind', '{"c": "x"}')} ],
	[ 'check_copies', q{SELECT * FROM dynamo.check_copies('<table>')} ],
	[ 'repair_copies', q{SELECT dynamo.repair_copies('<table>')} ],
	[ 'drop_total', q{SELECT dynamo.drop_total('<table>', 'total'), dynamo.drop_copy('<table>', 'copy')} ],
	[ 'drop_entity', q{SELECT dynamo.drop_entity('<table>', 'kind')} ],
	[ 'migrate_entity, type', q{SELECT dynamo.create_entity('<table>', 'typed', '{"PK": "t{n}"}', type_attribute => 'kind'); DO $$ BEGIN PERFORM dynamo.migrate_entity('<table>', 'typed', type_value => 'other'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state OR object_in_use OR dependent_objects_still_exist THEN NULL; END $$; CALL dynamo.await_migration('<table>')} ],
	[ 'migrate_entity, split', q{DO $$ BEGIN PERFORM dynamo.migrate_entity('<table>', 'typed', split => 'second', condition_expression => 'attribute_exists(h)'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state OR object_in_use OR dependent_objects_still_exist THEN NULL; END $$; CALL dynamo.await_migration('<table>')} ],
	[ 'migrate_entity, merge', q{DO $$ BEGIN PERFORM dynamo.migrate_entity('<table>', 'typed', merge => 'second'); EXCEPTION WHEN feature_not_supported OR undefined_object OR object_not_in_prerequisite_state OR object_in_use OR dependent_objects_still_exist THEN NULL; END $$; CALL dynamo.await_migration('<table>'); SELECT dynamo.drop_entity('<table>', 'typed')} ],
	[ 'create_entity_view', q{SELECT dynamo.create_entity_view('entity', '<table>', '{"h": "text"}'); DROP VIEW entity} ],
	[ 'export_items', q{SELECT dynamo.export_items('<table>', '<file>')} ],
	[ 'import_items', q{SELECT dynamo.import_items('<table>', '<file>')} ],
	[ 'import_lines', q{SELECT dynamo.import_lines('<table>', ARRAY['{"Item": {"PK": {"S": "k1"}, "g": {"S": "z"}}}'], true)} ],
	[ 'describe_table', q{SELECT dynamo.describe_table('<table>')} ],
	[ 'build_statements', q{SELECT dynamo.build_statements('<table>')} ],
	[ 'request, UpdateTable', q{SELECT dynamo.request('UpdateTable', '{"TableName": "<table>", "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}],
		"GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "RSI", "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}')} ],
	[ 'request, DescribeTable', q{SELECT dynamo.request('DescribeTable', '{"TableName": "<table>"}')} ],
	[ 'create_index_and_wait', q{SET dynamo.in_place_build_limit = 0; CALL dynamo.create_index_and_wait('<table>', 'WAIT1', 'h'); RESET dynamo.in_place_build_limit} ],
	[ 'create_index_and_wait, sharded', q{SET dynamo.in_place_build_limit = 0; CALL dynamo.create_index_and_wait('<table>', 'WAIT2', 'h', shards => 2); RESET dynamo.in_place_build_limit} ],
	[ 'reshard_index, while in use', q{SET dynamo.in_place_build_limit = 0; SELECT dynamo.reshard_index('<table>', 'WAIT2', 3); CALL dynamo.build_indexes('<table>'); RESET dynamo.in_place_build_limit} ],
	[ 'build_indexes', q{CALL dynamo.build_indexes()} ],
	# refused where there is no Citus; test/citus has the others
	(map { [ $_, "DO \$\$ BEGIN PERFORM dynamo.$_('<table>'); EXCEPTION WHEN OTHERS THEN NULL; END \$\$" ] } qw(distribute_table undistribute_table apply_index_changes)),
	[ 'wait_for_index', q{SELECT dynamo.wait_for_index('<table>', 'TSI')} ],
	# PostgreSQL's own maintenance, and the extension's event triggers after it
	[ 'ANALYZE', 'ANALYZE <table>, <beside TSI>, <beside stream>' ],
	[ 'VACUUM', 'VACUUM (FREEZE, ANALYZE) <table>, <beside TSI>, <beside stream>' ],
	[ 'VACUUM FULL', 'VACUUM FULL <table>' ],
	[ 'REINDEX', 'REINDEX TABLE <table>; REINDEX TABLE <beside TSI>' ],
	[ 'CLUSTER', 'CLUSTER <table> USING <name>_pkey' ],
	[ 'ADD COLUMN', 'ALTER TABLE <table> ADD COLUMN more int' ],
	[ 'SET UNLOGGED', 'ALTER TABLE <table> SET UNLOGGED; ALTER TABLE <table> SET LOGGED' ],
	[ 'ROW LEVEL SECURITY', 'ALTER TABLE <table> ENABLE ROW LEVEL SECURITY; ALTER TABLE <table> DISABLE ROW LEVEL SECURITY' ],
	[ 'RENAME', 'ALTER TABLE <table> RENAME TO renamed; ALTER TABLE a.renamed RENAME TO <name>' ],
	[ 'SET SCHEMA', 'ALTER TABLE <table> SET SCHEMA public; ALTER TABLE public.<name> SET SCHEMA a' ],
	[ 'OWNER', 'ALTER TABLE <table> OWNER TO CURRENT_USER; ALTER TABLE <table> OWNER TO attacker' ],
	[ 'drop_index, RSI', q{SELECT dynamo.drop_index('<table>', 'RSI')} ],
	[ 'drop_table', q{DROP VIEW a.of_<name>; SELECT dynamo.drop_table('<table>')} ],
);

# A function that is a user's own statement, like INSERT and SELECT, runs the
# triggers and the expressions of the table as that user.
my @own_statements = qw(
  batch_get_item batch_write_item create_access_pattern create_table delete_item describe_entity entity_key explain_query get_item
  key_parts keys_of kind_of nest_items put_item query query_each query_each_page query_page read_stream
  scan scan_page stream_arn stream_shards table_relation update_item write_on_shard);

# ---- checks afterwards ----

sub state_of_others
{
	my ($out, $error);

	$node->psql('postgres', q{
SELECT rolname FROM pg_roles WHERE rolsuper ORDER BY 1;
SELECT member::regrole, roleid::regrole FROM pg_auth_members ORDER BY 1, 2;
SELECT relname, relowner::regrole, relfilenode, relacl::text FROM pg_class WHERE relnamespace = 'v'::regnamespace ORDER BY 1;
SELECT pg_get_triggerdef(oid), tgenabled FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'v'::regnamespace) ORDER BY 1;
SELECT count(*) FROM v.shop; SELECT count(*) FROM v."shop$TSI"; SELECT count(*) FROM v."shop$stream"},
		stdout => \$out, stderr => \$error);
	return $out . $error;
}

my $others = state_of_others();

# Returns entries of the log and the catalogs that must not exist.
sub traces
{
	my ($offset) = @_;
	my @traces = log_since($offset) =~ /(tripwire "[^\n]*" (?:as (?!attacker )|escaped: )[^\n]*)/g;

	push @traces, 'the roles or the victim differ' if state_of_others() ne $others;
	return join "\n", @traces;
}

# Returns changes of the session, except for the results of the action.
my $session = q{
SELECT '--';
SELECT 'setting ' || name || ': ' || b.setting || ', now ' || s.setting FROM pg_settings s JOIN pg_temp.before b USING (name) WHERE s.setting <> b.setting;
SELECT 'user ' || current_user WHERE current_user <> session_user;
SELECT 'cursor ' || name FROM pg_cursors WHERE name = 'later';
SELECT 'statement ' || name FROM pg_prepared_statements WHERE name = 'later';
SELECT 'channel ' || c FROM pg_listening_channels() c};

sub run_action
{
	my ($sql, $name, %options) = @_;
	my ($out, $error);

	$sql =~ s/<table>/a.$name/g;
	$sql =~ s/<name>/$name/g;
	$sql =~ s{<file>}{$directory/items}g;
	$sql =~ s/<beside (\w+)>/a."$name\$$1"/g;
	$node->psql('postgres', "SET client_min_messages = warning;
CREATE TEMPORARY TABLE before AS SELECT name, setting FROM pg_settings;
$sql;
$session", stdout => \$out, stderr => \$error, on_error_stop => 0, extra_params => [ '-U', $options{user} // $superuser ]);
	$out =~ s/.*^--$//ms;
	return ($out, $error);
}

# errors: whether actions may fail.
sub check_actions
{
	my ($table, %options) = @_;
	my $who = $options{user} // 'superuser';

	for (@actions)
	{
		my ($name, $sql) = @$_;
		my $offset = -s $node->logfile;
		my ($left, $error) = run_action($sql, $table, %options);

		$error = '' if $options{errors};
		is($error . $left . traces($offset), '', "$name of $table by $who");
	}
}

# ---- all functions are listed ----

my $known = join ',', @own_statements, map { $_->[1] =~ /dynamo(?:_system)?\.(\w+)/g } @actions;
is(query(qq{SELECT string_agg(DISTINCT proname, ' ') FROM pg_proc WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_system'::regnamespace)
	AND 'table_name' = ANY (proargnames) AND NOT proname = ANY (string_to_array('$known', ','))}), '',
	'every function on a table is listed');

# ---- a superuser, and a member of the owner's role ----

for my $name (sort keys %tables)
{
	make_table($name, $name);
	check_actions($name, errors => $name eq 'partitioned');
}

# Only places that were reached are checked.
my %reached = map { $_ => 1 } slurp_file($node->logfile) =~ /tripwire "([^"]*)" as attacker for $superuser/g;

for (@places, @table_places)
{
	my ($place) = @$_;
	my $relation = $place =~ /TRUNCATE/ ? 'plain$TSI' : 'plain';

	ok($reached{"$place of $relation"}, "$place was reached") unless $place =~ /^(policy|domain|view|INSTEAD OF)$/;
}

query("ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE");
query($by_expression =~ s/<table>/by_expression/gr, user => 'attacker');
query("ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS");
check_actions($_, errors => 1) for qw(by_expression_0 by_expression);

make_table('plain', 'of_group');
check_actions('of_group', errors => 1, user => 'member');

# ---- roles with predefined roles, which should not run the code ----

make_table('plain', 'left_alone');
my $files = q{SELECT oid, relfilenode FROM pg_class WHERE relname LIKE 'left_alone%' ORDER BY 1};
my $before = query($files);

# except imports and deletions of expired items, which are INSERTs and DELETEs of their own
my $calls = join ";\n", grep { /\bdynamo\./ && !/import|delete_expired/ } map { $_->[1] } @actions;

for my $role (@predefined)
{
	my $offset = -s $node->logfile;
	my ($left) = run_action($calls, 'left_alone', user => "with_$role");
	my ($left_by_victim) = run_action($calls =~ s/a\.<name>|<table>/v.shop/gr, 'shop', user => "with_$role");
	is($left . $left_by_victim . traces($offset), '', "a role with $role");
}
is(query($files), $before, 'no index was built');

# ---- PostgreSQL and the workers ----

my $offset = -s $node->logfile;

query(q{
ALTER TABLE a.left_alone SET (autovacuum_analyze_threshold = 1, autovacuum_analyze_scale_factor = 0, autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);
UPDATE a.left_alone SET item = item}, user => 'attacker');
query('ALTER SYSTEM SET autovacuum = on');
query('ALTER SYSTEM SET dynamo.housekeeping_interval = 1');
query('ALTER SYSTEM SET dynamo.stream_retention = 1');
$node->reload;
{
	local $ENV{PGUSER} = 'attacker';	# a user who reads runs the code of the table

	ok($node->poll_query_until('postgres', $_), $_)
	  for q{SELECT autoanalyze_count > 0 AND autovacuum_count > 0 FROM pg_stat_user_tables WHERE relid = 'a.left_alone'::regclass},
	  q{SELECT count(*) = 0 FROM a.left_alone WHERE dynamo_expires_at < extract(epoch FROM now())},
	  q{SELECT count(*) = 0 FROM a."left_alone$stream" WHERE event <> 'T' AND created_at < now() - interval '5s'};
}
query('ALTER SYSTEM RESET ALL');
$node->reload;
is(traces($offset), '', 'autovacuum and housekeeping');

# Without a worker an index is built in the session that requests it.
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
$node->restart;
for my $how ('CALL dynamo.create_index_and_wait(\'<table>\', \'WAIT\', \'h\', shards => 2)', 'SELECT dynamo.reshard_index(\'<table>\', \'WAIT\', 3); CALL dynamo.build_indexes(\'<table>\')')
{
	$offset = -s $node->logfile;
	my ($left, $error) = run_action("SET dynamo.in_place_build_limit = 0; $how; RESET dynamo.in_place_build_limit", 'left_alone');
	is($error . $left . traces($offset), '', "$how in this session");
}

$node->stop;
done_testing();
