# extension.pl: the extension itself: update, entity views and constraints in dumps,
# crashes with unlogged tables, removal.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('extension');

sub value
{
	my ($query, $database) = @_;

	return $node->safe_psql($database || 'postgres', $query);
}

sub error_of
{
	my ($query, $database) = @_;
	my ($status, $out, $error) = $node->psql($database || 'postgres', $query);

	return $status == 0 ? '' : $error;
}

# ---- update: a step that no release contains ----

my $version = value(q{SELECT extversion FROM pg_extension WHERE extname = 'dynamo'});
my $step = `pg_config --sharedir`;
chomp $step;
$step .= "/extension/dynamo--$version--$version.test.sql";

END { unlink $step if defined $step }

SKIP:
{
	open(my $out, '>', $step) or skip 'the directory of extensions is not writable', 4;
	print $out <<'SQL';
CREATE FUNCTION dynamo.added_by_test() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
SQL
	close($out);
	value(q{SELECT dynamo.create_table('before', 'id', indexes => '[
		{"index_name": "kept", "partition_key": "G", "storage": "table"}]');
		SELECT dynamo.put_item('before', '{"id": {"S": "a"}, "G": {"S": "g"}}')});
	value("ALTER EXTENSION dynamo UPDATE TO '$version.test'");
	is(value(q{SELECT extversion FROM pg_extension WHERE extname = 'dynamo'}), "$version.test", 'updated');
	is(value('SELECT dynamo.added_by_test()'), '1', 'the step was executed');
	is(value(q{SELECT dynamo.get_item('before', '{"id": {"S": "a"}}', 'id')}), '{"id": {"S": "a"}}', 'the items exist after the update');
	value(q{SELECT dynamo.put_item('before', '{"id": {"S": "b"}, "G": {"S": "g"}}')});
	is(value(q{SELECT count(*) FROM dynamo.query('before', 'G = :g', '{":g": {"S": "g"}}', index_name => 'kept')}), '2',
		'indexes are kept after the update');
}

# ---- what the operators need is said to whoever creates the extension ----

# A cluster that was made without a locale, as in containers, has another encoding.
value(q{CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'});
my ($hint) = error_of('CREATE EXTENSION dynamo', 'ascii') =~ /ERROR:  dynamo needs a database with encoding UTF8\n.*HINT:  CREATE DATABASE \.\.\. (.*) makes one\.$/m;
value("CREATE DATABASE utf8 $hint");
is(error_of('CREATE EXTENSION dynamo', 'utf8') =~ s/^psql:.*NOTICE.*\n.*HINT.*\n//mr, '', 'in a database of another encoding, the hint says how to make one that has the right one');

value('CREATE DATABASE told');
my $notice = qr/^psql:.*NOTICE:  the operators of items.*\n.*HINT:  .*ALTER DATABASE told SET search_path = public, dynamo$/;

sub notices
{
	my ($statement) = @_;
	my (undef, undef, $said) = $node->psql('told', $statement);

	return $said;
}

like(notices('CREATE EXTENSION dynamo'), $notice, 'a person is told of the search_path');
is(notices('SET client_min_messages = warning; DROP EXTENSION dynamo; RESET client_min_messages; CREATE EXTENSION IF NOT EXISTS dynamo'), '', 'a script or a dump is not');
for my $level (qw(warning error))
{
	is(notices("SET client_min_messages = $level; DROP EXTENSION dynamo; CREATE EXTENSION dynamo; SHOW client_min_messages"), '', "nor is who has turned notices off ($level)");
	is(notices("SET client_min_messages = $level; BEGIN; SET LOCAL client_min_messages = $level; DROP EXTENSION dynamo; CREATE EXTENSION dynamo; COMMIT"), '', "nor for one transaction ($level)");
}
like(notices('SET client_min_messages = debug1; SET LOCAL search_path = public; DROP EXTENSION dynamo; CREATE EXTENSION dynamo'), qr/NOTICE:  the operators of items/, 'who has set another level is');
value('ALTER DATABASE told SET search_path = "$user", public, dynamo');
is(notices('DROP EXTENSION dynamo; CREATE EXTENSION dynamo'), '', 'nor is who has set it');

# ---- the extension is the same whatever the settings of whoever creates it ----

# All that it consists of, as PostgreSQL describes it.
my $whole = q{SELECT md5(string_agg(part, chr(10) ORDER BY part COLLATE "C")) FROM (
	SELECT pg_describe_object(classid, objid, objsubid) AS part FROM pg_depend WHERE deptype = 'e'
	UNION ALL SELECT concat(pg_get_functiondef(p.oid), obj_description(p.oid, 'pg_proc'), p.proacl)
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' WHERE p.prokind <> 'a'
	UNION ALL SELECT concat(c.oid::regclass, pg_get_viewdef(c.oid), c.relacl, c.reloptions, c.relpersistence)
	FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' WHERE c.relkind = 'v'
	UNION ALL SELECT concat(c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.relpersistence)
	FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' JOIN pg_attribute a ON a.attrelid = c.oid) o};

my $expected = value("CREATE EXTENSION dynamo; $whole", do { value('CREATE DATABASE usual'); 'usual' });
# PostgreSQL 19 has no other literals.
my @literals = value('SHOW server_version_num') < 190000 ? 'standard_conforming_strings = off' : ();
for my $setting ('quote_all_identifiers = on', @literals, 'transform_null_equals = on', 'array_nulls = off',
	'check_function_bodies = off', q{bytea_output = 'escape'}, 'session_replication_role = replica', 'row_security = off', q{search_path = ''})
{
	value("ALTER DATABASE usual SET $setting");
	value('DROP EXTENSION dynamo; CREATE EXTENSION dynamo', 'usual');
	value('ALTER DATABASE usual RESET ALL');
	is(value($whole, 'usual'), $expected, $setting);
}

# ---- a schema that already existed ----

# Statements of an ordinary role in a new database, before a superuser creates the
# extension there: the expected error, or the privileges of the schema
# afterwards.
sub created_after
{
	my ($as_role, $as_superuser) = @_;

	value('DROP DATABASE IF EXISTS prepared');
	value('CREATE DATABASE prepared');
	value('GRANT CREATE ON DATABASE prepared TO stranger');
	value("SET ROLE stranger; $as_role", 'prepared');
	value($as_superuser, 'prepared');
	return error_of('CREATE EXTENSION dynamo', 'prepared') ||
		value(q{SELECT nspacl FROM pg_namespace WHERE nspname = 'dynamo'}, 'prepared');
}

my $superuser = value('SELECT current_user');
my $operator = q{
	CREATE FUNCTION dynamo.hook(oid, regprocedure) RETURNS boolean LANGUAGE sql AS 'SELECT true';
	CREATE OPERATOR dynamo.= (LEFTARG = oid, RIGHTARG = regprocedure, FUNCTION = dynamo.hook)};

value('CREATE ROLE stranger');
like(created_after('CREATE SCHEMA dynamo', ''), qr/schema "dynamo" already exists and belongs to role "stranger"/,
	"a schema of another role is refused");
like(created_after("CREATE SCHEMA dynamo; $operator", "ALTER SCHEMA dynamo OWNER TO $superuser"),
	qr/contains objects of other roles.*Role "stranger" owns (function|operator) /s, 'a schema with objects of others is refused');
is(created_after('CREATE SCHEMA dynamo', "ALTER SCHEMA dynamo OWNER TO $superuser; GRANT CREATE ON SCHEMA dynamo TO stranger, PUBLIC"),
	"{$superuser=UC/$superuser,=U/$superuser}", "an own schema is used, and others cannot create objects in it");
is(created_after('', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO stranger'),
	"{$superuser=UC/$superuser,=U/$superuser}", 'default privileges do not matter');
for my $schema ('dynamo_internal', 'dynamo_system')
{
	like(created_after("CREATE SCHEMA $schema", ''), qr/schema "$schema" already exists/, "an existing schema $schema is refused");
	like(created_after('', "CREATE SCHEMA $schema"), qr/schema "$schema" already exists/, "an existing schema $schema is refused, whoever created it");
}
is(created_after('', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO stranger') &&
	value(q{SELECT has_schema_privilege('stranger', 'dynamo_internal', 'USAGE'), has_schema_privilege('public', 'dynamo_internal', 'CREATE')}, 'prepared'),
	'f|f', 'others cannot use the schema');
is(value(q{SELECT nspacl FROM pg_namespace WHERE nspname = 'dynamo_system'}, 'prepared'),
	"{$superuser=UC/$superuser,=U/$superuser}", 'all can use the schema of triggers and nodes, and cannot create objects in it');
value('CREATE DATABASE plain');
SKIP:
{
	skip 'literals are standard', 1 unless @literals;
	is(error_of('SET standard_conforming_strings = off; SET escape_string_warning = on; CREATE EXTENSION dynamo', 'plain'),
		'', 'the extension can be created where a backslash is an escape');
}
value('DROP DATABASE prepared');

# ---- dump and restore of views and constraints ----

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
value(<<'SQL', 'source');
CREATE EXTENSION dynamo;
CREATE SCHEMA app;
SET search_path = app;
SELECT dynamo.create_table('shop', 'PK', 'SK');
SELECT dynamo.create_table('logs', 'id');
SELECT dynamo.create_entity('shop', 'order', '{"PK": "C#{customer}", "SK": "ORDER#{order_id}"}',
	'{"customer": "text", "order_id": "text", "amount": "numeric"}', view_name => 'orders');
SELECT dynamo.add_unique_constraint('shop', 'email', '{email}', key_prefix => '{"SK": "METADATA"}');
SELECT dynamo.add_unique_constraint('shop', 'phone', '{phone}', is_deferrable => true);
SELECT dynamo.add_reference('shop', 'customer', '{"PK": "{PK}", "SK": "METADATA"}', key_prefix => '{"SK": "ORDER#"}');
SELECT dynamo.add_reference('logs', 'subject', '{"PK": "{pk}", "SK": "{sk}"}', 'shop', initially_deferred => true);
-- the order sorts before its customer, so it comes first in the data
SELECT dynamo.transact_write_items('[
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "C#1"}, "SK": {"S": "METADATA"}, "email": {"S": "e"}, "phone": {"S": "p"}}}}]');
INSERT INTO orders (customer, order_id, amount) VALUES ('1', 7, 10);
UPDATE shop SET item = dynamo.set_attribute(item, 'n', dynamo.to_value(1)) WHERE "SK" = 'METADATA';
INSERT INTO logs (item) VALUES ('{"id": {"S": "a"}, "pk": {"S": "C#1"}, "sk": {"S": "METADATA"}}');
SQL

# Checks that views and constraints of a database work.
sub lives
{
	my ($database, $what) = @_;
	my $path = 'SET search_path = app; ';

	is(value($path . 'SELECT customer, order_id, amount FROM orders', $database), '1|7|10', "$what: the view shows its rows");
	is(value($path . q{BEGIN; UPDATE orders SET amount = 11 WHERE order_id = '7' RETURNING "SK", amount; ROLLBACK}, $database),
		'ORDER#7|11', "$what: the view is updatable");
	like(error_of($path . q{INSERT INTO orders ("SK", customer, order_id) VALUES ('ORDER#9', '1', 8)}, $database),
		qr/Key attribute SK is not what entity order composes/, "$what: the view's key is composed");
	like(error_of($path . q{INSERT INTO shop (item) VALUES ('{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}, "email": {"S": "e"}}')}, $database),
		qr/duplicate key value violates unique constraint "email"/, "$what: unique constraint");
	like(error_of($path . q{INSERT INTO shop (item) VALUES ('{"PK": {"S": "C#2"}, "SK": {"S": "METADATA"}, "phone": {"S": "p"}}')}, $database),
		qr/violates exclusion constraint "phone"/, "$what: deferrable unique constraint");
	like(error_of($path . q{INSERT INTO orders (customer, order_id, amount) VALUES ('2', 7, 1)}, $database),
		qr/violates reference "customer"/, "$what: reference");
	like(error_of($path . q{DELETE FROM shop WHERE "SK" = 'METADATA'}, $database),
		qr/violates reference "(customer|subject)"/, "$what: a referenced item cannot be deleted");
}

my $dir = PostgreSQL::Test::Utils::tempdir();
lives('source', 'source');
$node->command_ok([ 'pg_dump', '-d', $node->connstr('source'), '-f', "$dir/all.sql" ], 'pg_dump');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', "$dir/all.sql" ], 'restore');
lives('copy', 'whole database');

# Data only: the rows of a table are in no order that a reference could rely on.
$node->command_ok([ 'pg_dump', '-d', $node->connstr('source'), '--data-only', '--disable-triggers', '-n', 'app',
	'-f', "$dir/data.sql" ], 'pg_dump --data-only --disable-triggers');
value('TRUNCATE app.shop, app.logs', 'copy');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', "$dir/data.sql" ], 'restore of data');
lives('copy', 'data only');

# ---- a dump by the owner of the database, who is no superuser ----

value('CREATE ROLE dbo LOGIN');
for my $database ('owned', 'owned_copy')
{
	value("CREATE DATABASE $database OWNER dbo");
	value('CREATE EXTENSION dynamo', $database);
}
value(q{SET ROLE dbo; CREATE SCHEMA s; SET search_path = s, dynamo;
	SELECT create_table('shop', 'id', indexes => '[{"index_name": "kept", "partition_key": "g", "storage": "table"}]');
	SELECT update_time_to_live('shop', 'expires');
	SELECT put_item('shop', '{"id": {"S": "a"}, "g": {"S": "g"}}')}, 'owned');
my @as_owner = ('-U', 'dbo', '-d');
$node->command_fails_like([ 'pg_dump', @as_owner, $node->connstr('owned'), '-f', "$dir/none.sql" ], qr/permission denied for schema dynamo_internal/,
	'an owner of a database does not read the settings of all tables');
$node->command_ok([ 'pg_dump', @as_owner, $node->connstr('owned'), '-f', "$dir/owned.sql", '--exclude-table-data=dynamo_internal.*' ], 'and dumps all else');
$node->command_ok([ 'psql', '-X', '-q', @as_owner, $node->connstr('owned_copy'), '-f', "$dir/owned.sql" ], 'restore by the owner');
is(value(q{SELECT count(*) FROM dynamo.query('s.shop', 'g = :g', '{":g": {"S": "g"}}', index_name => 'kept')}, 'owned_copy'), '1', 'the items are there');
is(value(q{SELECT definition -> 'time_to_live' FROM dynamo.tables WHERE schema_name = 's'}, 'owned_copy'), '"expires"', 'and the definition');
is(value(q{SELECT owner FROM dynamo.tables WHERE schema_name = 's'}, 'owned_copy'), 'dbo', 'and the owner');

# ---- an unlogged table and its index tables are empty after a crash ----

value(q{
SELECT dynamo.create_table('cache', 'id');
SELECT dynamo.create_index('cache', 'kept', 'G', storage => 'table');
SELECT dynamo.create_index('cache', 'sharded', 'G', storage => 'table', shards => 2);
ALTER TABLE cache SET UNLOGGED;
INSERT INTO cache (item) SELECT dynamo.build_item('id', i::text, 'G', 'g') FROM generate_series(1, 10) i});
$node->stop('immediate');
$node->start;
is(value('SELECT count(*) FROM cache'), '0', 'unlogged: the table is empty after a crash');
for my $index ('kept', 'sharded')
{
	is(value("SELECT * FROM dynamo.verify_index('cache', '$index')"), '', "unlogged: $index is empty after a crash");
}
value(q{INSERT INTO cache (item) SELECT dynamo.build_item('id', i::text, 'G', 'g') FROM generate_series(1, 10) i});
is(value(q{SELECT count(*) FROM dynamo.query('cache', 'G = :g', '{":g": {"S": "g"}}', index_name => 'sharded')}), '10',
	'unlogged: the index tables are filled again');

# ---- a foreign partition, for which NOT NULL is not enforced ----

SKIP:
{
	skip 'there is no postgres_fdw', 4
		if value(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) eq '0';
	my ($host, $port) = ($node->host, $node->port);

	value(qq{CREATE EXTENSION postgres_fdw;
		CREATE SERVER this FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER this;
		CREATE TABLE remote ("PK" text COLLATE "C", item dynamo.item);
		INSERT INTO remote VALUES ('a', '{"PK": {"S": "a"}}');
		CREATE TABLE far ("PK" text COLLATE "C" NOT NULL, item dynamo.item NOT NULL) PARTITION BY LIST ("PK");
		CREATE FOREIGN TABLE far_part PARTITION OF far FOR VALUES IN ('a', 'z') SERVER this OPTIONS (table_name 'remote');
		CREATE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON far FOR EACH ROW
		EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1, "attributes": [{"name": "PK", "type": "S", "column": "PK"}],
			"partition": ["PK"], "sort": [], "indexes": []}')});
	is(value(q{SELECT dynamo.get_item('far', '{"PK": {"S": "a"}}')}), '{"PK": {"S": "a"}}', 'an item of a foreign partition');
	value(q{INSERT INTO remote VALUES ('z', NULL)});
	for my $call (q{get_item('far', '{"PK": {"S": "z"}}')}, q{scan('far')}, q{query('far', 'PK = :k', '{":k": {"S": "z"}}')})
	{
		like(error_of("SELECT dynamo.$call"), qr/null value in column "item"/, "a foreign key finds no item: $call");
	}
}

# ---- removal ----

like(error_of('DROP EXTENSION dynamo', 'copy'), qr/other objects depend on it/, 'the extension cannot be dropped without its tables');
is(value('SELECT count(*) FROM app.shop', 'copy'), '2', 'no item is lost');
value(q{SELECT dynamo.create_table('nested', 'PK', 'SK');
SELECT dynamo.create_entity('nested', 'customer', keys => '{"PK": "C#{cid}", "SK": "M"}', attributes => '{"cid": "text"}', type_attribute => 'kind');
SELECT dynamo.create_entity('nested', 'order', keys => '{"PK": "C#{cid}", "SK": "O#{oid}"}', attributes => '{"cid": "text", "oid": "text"}', type_attribute => 'kind');
SELECT dynamo.create_access_pattern('nested', 'items_of', 'cid = :cid', entities => ARRAY['customer', 'order'], "returns" => 'items');
SELECT dynamo.create_access_pattern('nested', 'document_of', 'cid = :cid', entities => ARRAY['customer', 'order'], "returns" => 'document')}, 'copy');
my $patterns = q{SELECT count(*) FROM pg_proc WHERE proname IN ('items_of', 'document_of')};
is(value($patterns, 'copy'), '2', 'there are access patterns');
value('DROP EXTENSION dynamo CASCADE', 'copy');
is(value($patterns, 'copy'), '0', 'DROP EXTENSION drops access patterns, those of documents, too');
is(value(q{SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
	WHERE attrelid = 'app.shop'::regclass AND attnum > 0 AND NOT attisdropped}, 'copy'), 'PK SK',
	'CASCADE keeps the key columns and drops the items');
is(value(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'app.shop'::regclass AND NOT tgisinternal}, 'copy'), '0', 'DROP EXTENSION drops the triggers');
is(value('SELECT count(*) FROM pg_event_trigger', 'copy'), '0', 'DROP EXTENSION drops the event triggers');
is(value(q{SELECT count(*) FROM pg_namespace WHERE nspname IN ('dynamo_internal', 'dynamo_system')}, 'copy'), '0', 'DROP EXTENSION drops the internal schemas');
value('CREATE EXTENSION dynamo', 'copy');
is(value(q{SELECT dynamo.create_table('again', 'id'); SELECT dynamo.put_item('again', '{"id": {"S": "a"}}');
	SELECT count(*) FROM again}, 'copy'), "again\n\n1", 'the extension can be created again');

$node->stop;
done_testing();
