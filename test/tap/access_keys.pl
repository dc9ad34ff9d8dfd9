# access_keys.pl: secrets, and the right to act as a role, are not accessible through
# predefined roles, grants, default privileges and replication; an access key of a
# superuser works only if a setting allows it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $secret = 'wJalrXUtnFEMI+K7MDENG+bPxRfiCYEXAMPLEKEY';
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('access_keys', $port, 1, "wal_level = logical\nmax_prepared_transactions = 1\n", allows_streaming => 'logical');

sub value
{
	my ($query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

# Returns all that a role reads by a statement: rows and messages.
sub as_role
{
	my ($role, $query, $database) = @_;
	my ($status, $out, $error) = $node->psql($database // 'postgres', $query, extra_params => [ '-U', $role ]);

	return "$out\n$error";
}

# Runs a setting and waits until the workers have read it.
sub reload
{
	my (%settings) = @_;

	value("ALTER SYSTEM SET $_ = $settings{$_}") for sort keys %settings;
	reload_workers($node);
}

# ---- default privileges ----

# Returns every object of the extension with its effective privileges.
my $privileges = q{
SELECT i.type, i.identity, (SELECT string_agg(a, ' ' ORDER BY a) FROM (
	SELECT grantee::regrole || '=' || privilege_type || is_grantable
	FROM aclexplode(COALESCE(o.acl, acldefault(o.kind, o.owner)))) p (a))
FROM (SELECT tableoid, oid, 'r'::"char" AS kind, relowner AS owner, relacl AS acl FROM pg_class
	  UNION ALL SELECT tableoid, oid, 'f', proowner, proacl FROM pg_proc
	  UNION ALL SELECT tableoid, oid, 'T', typowner, typacl FROM pg_type
	  UNION ALL SELECT tableoid, oid, 'n', nspowner, nspacl FROM pg_namespace) o
	CROSS JOIN LATERAL pg_identify_object(o.tableoid, o.oid, 0) i
WHERE i.schema IN ('dynamo', 'dynamo_internal', 'dynamo_system') AND o.kind <> 'r'
	OR o.oid IN (SELECT oid FROM pg_class WHERE relnamespace IN (to_regnamespace('dynamo'), to_regnamespace('dynamo_internal'), to_regnamespace('dynamo_system')) AND relkind IN ('r', 'v'))
	OR o.oid IN (to_regnamespace('dynamo'), to_regnamespace('dynamo_internal'), to_regnamespace('dynamo_system'))
ORDER BY 1, 2};

value(q{CREATE ROLE attacker LOGIN; CREATE ROLE "an other" LOGIN; CREATE DATABASE opened});
my $defaults = q{
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO attacker WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO "an other";
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO attacker;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TYPES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM CURRENT_USER;
CREATE ROLE app LOGIN;
};
value($defaults . 'CREATE EXTENSION dynamo', 'opened');
is(value($privileges, 'opened'), value($privileges), 'default privileges do not apply to the extension');
cmp_ok(scalar(split /\n/, value($privileges)), '>', 150, 'all objects of the extension were checked');
value(qq{SELECT dynamo.create_access_key('app', 'KEY', '$secret')}, 'opened');
like(as_role('attacker', 'SELECT * FROM dynamo_internal.access_key_secrets', 'opened'), qr/permission denied/, 'keys cannot be read');
for my $table ('access_key_secrets', 'request_tokens', 'table_settings', 'index_settings', 'table_tags', 'table_attachments', 'index_builds')
{
	like(as_role('attacker', "DELETE FROM dynamo_internal.$table", 'opened'), qr/permission denied/, "$table cannot be written");
}
like(as_role('attacker', 'CREATE FUNCTION dynamo.mine() RETURNS int LANGUAGE sql RETURN 1', 'opened'), qr/permission denied/,
	'nothing can be added to the schema');

# A schema that already existed.
value(q{DROP EXTENSION dynamo; DROP SCHEMA dynamo; CREATE SCHEMA dynamo;
GRANT ALL ON SCHEMA dynamo TO PUBLIC; GRANT ALL ON SCHEMA dynamo TO attacker WITH GRANT OPTION;
SET ROLE attacker; GRANT CREATE ON SCHEMA dynamo TO "an other"; RESET ROLE;
CREATE EXTENSION dynamo}, 'opened');
is(value($privileges, 'opened'), value($privileges), 'dropping the extension removes the privileges on the schema');
value('DROP DATABASE opened');

# ---- predefined roles ----

value(qq{
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'KEY', '$secret');
ANALYZE dynamo_internal.access_key_secrets});
my $keys = q{SELECT access_key_id, role::oid::regrole FROM dynamo_internal.access_key_secrets ORDER BY 1};
my $keys_before = value($keys);

# Statements that try every way of reading.
my @reading = (
	'SELECT * FROM dynamo_internal.access_key_secrets',
	'SELECT row_to_json(k) FROM dynamo_internal.access_key_secrets k',
	'COPY dynamo_internal.access_key_secrets TO STDOUT',
	'COPY dynamo_internal.access_key_secrets TO STDOUT (FORMAT binary)',
	'CREATE TABLE copied AS SELECT * FROM dynamo_internal.access_key_secrets; SELECT * FROM copied; '
	  . 'ALTER TABLE copied ALTER secret_access_key TYPE text USING secret_access_key::text; SELECT * FROM copied',
	'CREATE VIEW seen AS SELECT * FROM dynamo_internal.access_key_secrets; SELECT * FROM seen',
	'CREATE FUNCTION shown() RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE k record; BEGIN '
	  . 'FOR k IN SELECT * FROM dynamo_internal.access_key_secrets LOOP RETURN NEXT k; END LOOP; END $$; SELECT shown()',
	q{SELECT * FROM pg_stats WHERE schemaname = 'dynamo'},
	q{SELECT * FROM pg_statistic WHERE starelid = 'dynamo_internal.access_key_secrets'::regclass},
	q{SELECT query_to_xml('SELECT * FROM dynamo_internal.access_key_secrets', true, true, '')},
	q{SELECT table_to_xml('dynamo_internal.access_key_secrets', true, true, '')},
);
my @writing = (
	q{INSERT INTO dynamo_internal.access_key_secrets (access_key_id, secret_access_key, role, created_at) VALUES ('EVIL', 'evil', 10, now())},
	q{INSERT INTO dynamo_internal.access_key_secrets (access_key_id, secret_access_key, role, created_at) VALUES ('EVIL', '********', 10, now())},
	q{INSERT INTO dynamo_internal.access_key_secrets SELECT 'EVIL', secret_access_key, 10, now() FROM dynamo_internal.access_key_secrets},
	q{INSERT INTO dynamo_internal.access_key_secrets (access_key_id, role, created_at) VALUES ('KEY', 10, now())
	  ON CONFLICT (access_key_id) DO UPDATE SET role = 10},
	'UPDATE dynamo_internal.access_key_secrets SET role = 10',
	'UPDATE dynamo.access_keys SET role = 10',
	q{UPDATE dynamo.access_keys SET access_key_id = 'EVIL'},
	'DELETE FROM dynamo.access_keys',
	'DELETE FROM dynamo_internal.access_key_secrets',
	'WITH d AS (DELETE FROM dynamo_internal.access_key_secrets RETURNING *) SELECT * FROM d',
	'TRUNCATE dynamo_internal.access_key_secrets',
	q{MERGE INTO dynamo_internal.access_key_secrets k USING (VALUES ('KEY')) v (id) ON k.access_key_id = v.id WHEN MATCHED THEN DELETE},
	"COPY dynamo_internal.access_key_secrets (access_key_id, secret_access_key, role, created_at) FROM STDIN;\nEVIL\t********\t10\t2026-01-01\n\\.\n",
	'ALTER TABLE dynamo_internal.access_key_secrets DISABLE TRIGGER ALL; DELETE FROM dynamo_internal.access_key_secrets',
	'SET session_replication_role = replica; DELETE FROM dynamo_internal.access_key_secrets',
	'DROP TABLE dynamo_internal.access_key_secrets',
	'CREATE PUBLICATION stolen FOR TABLE dynamo_internal.access_key_secrets',
	q{SELECT dynamo.create_access_key('postgres', 'EVIL')},
	q{SELECT dynamo.create_access_key('app', 'EVIL')},
	q{SELECT dynamo.drop_access_key('KEY')},
	q{SELECT dynamo.rotate_access_key('KEY', 'evil', '0')},
	q{SELECT dynamo.rotate_access_key('KEY'), dynamo.drop_previous_secret('KEY')},
);

# Returns the results of all of these for a role.
sub attack
{
	my ($role, $what) = @_;
	my ($read, $refused) = ('', 0);
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$role.sql";

	value("CREATE SCHEMA AUTHORIZATION $role");
	for my $statement (@reading)
	{
		$read .= as_role($role, "SET search_path = $role, dynamo; $statement");
	}
	unlike($read, qr/\Q$secret\E/, "$what: no secret is read");
	for my $statement (@writing)
	{
		$refused++ if as_role($role, $statement) =~ /ERROR/ || value($keys) eq $keys_before;
	}
	is($refused, scalar @writing, "$what: no key is written");
	PostgreSQL::Test::Utils::run_log([ 'pg_dump', '-U', $role, '-d', $node->connstr('postgres'), '-f', $file, @$_ ])
	  for [], [ '--table=dynamo_internal.access_key_secrets' ], [ '--enable-row-security', '--inserts' ];
	unlike(-e $file ? slurp_file($file) : '', qr/\Q$secret\E/, "$what: pg_dump reads no secret");
	is(value($keys), $keys_before, "$what: the keys have not changed");
	value("DROP SCHEMA $role CASCADE");
}

my $predefined = value(q{SELECT string_agg(rolname, ' ') FROM pg_roles WHERE rolname LIKE 'pg\_%'
	AND rolname !~ 'server_(files|program)$' AND rolname <> 'pg_database_owner'});
for my $granted (split / /, $predefined)
{
	value("CREATE ROLE with_$granted LOGIN; GRANT $granted TO with_$granted");
	attack("with_$granted", $granted);
}
value('CREATE ROLE with_all LOGIN BYPASSRLS CREATEROLE; GRANT ' . ($predefined =~ s/ /, /gr) . ' TO with_all;'
	  . 'GRANT ALL ON ALL TABLES IN SCHEMA dynamo TO with_all; GRANT CREATE ON DATABASE postgres TO with_all;'
	  . 'GRANT SET ON PARAMETER session_replication_role TO with_all');
attack('with_all', 'all predefined roles, every privilege, BYPASSRLS and CREATEROLE');

# ---- dumps of a superuser ----

my $file = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
dump_database($node, 'postgres', $file);
unlike(slurp_file($file), qr/\Q$secret\E/, 'a dump contains no secrets');
my $copy = new_database($node, 0);
load_file($node, $copy, $file);
is(value('SELECT count(*) FROM dynamo_internal.access_key_secrets', $copy), '0', 'a dump contains no keys');
is(value($privileges, $copy), value($privileges), 'privileges have not changed');

# ---- logical replication ----

SKIP:
{
	skip 'there is no test_decoding', 1
	  if $node->psql('postgres', q{SELECT pg_create_logical_replication_slot('decoded', 'test_decoding')}) != 0;
	value(qq{SELECT dynamo.create_access_key('app', 'DECODED', '$secret')});
	unlike(value(q{SELECT data FROM pg_logical_slot_get_changes('decoded', NULL, NULL)}), qr/\Q$secret\E/, 'decoding shows no secret');
	value(q{SELECT pg_drop_replication_slot('decoded')});
}
my $subscriber = new_dynamo_node('access_keys_subscriber');
$subscriber->safe_psql('postgres', q{CREATE ROLE own LOGIN; SELECT dynamo.create_access_key('own', 'KEY', 'OWN')});
my $own_keys = $subscriber->safe_psql('postgres', $keys);
value('CREATE PUBLICATION everything FOR ALL TABLES');
$subscriber->safe_psql('postgres',
	sprintf(q{CREATE SUBSCRIPTION everything CONNECTION '%s dbname=postgres' PUBLICATION everything}, $node->connstr));
$subscriber->wait_for_subscription_sync($node, 'everything');
value(q{CREATE ROLE here_only LOGIN; SELECT dynamo.create_access_key('here_only', 'LATER'); SELECT dynamo.drop_access_key('KEY')});
$node->wait_for_catchup('everything');
is($subscriber->safe_psql('postgres', $keys), $own_keys, 'a subscription to all tables does not change the keys');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION everything');
$subscriber->stop;
value(qq{DROP PUBLICATION everything; SELECT dynamo.drop_access_key('LATER'); DROP ROLE here_only;
	SELECT dynamo.create_access_key('app', 'KEY', '$secret')});

# Returns the result of a request that is signed with a key.
sub outcome
{
	my ($key) = @_;
	my $socket;

	wait_until(sub { $socket = connect_http($port) });
	my ($status, $body) = api($socket, 'ListTables', {}, key => $key, secret => $secret);
	return $status . ($status == 200 ? '' : ' ' . ($body->{__type} =~ s/.*#//r));
}

is(outcome('KEY'), '200', 'an ordinary role');

# ---- locks ----

# Roles that may write all tables can lock them.  Requests of known clients continue,
# and others make nobody wait.
value(q{SELECT dynamo.create_access_key('app', 'UNUSED', 'U')});
is(outcome('KEY'), '200', 'a request before the lock');
as_role('with_pg_write_all_data', q{BEGIN; LOCK TABLE dynamo_internal.access_key_secrets; PREPARE TRANSACTION 'locked'});
is(value(q{SELECT count(*) FROM pg_locks WHERE relation = 'dynamo_internal.access_key_secrets'::regclass}), '1', 'the table of keys is locked');
is(outcome('KEY'), '200', 'a key used before is served while the table of keys is locked');
sleep(6);
is(outcome('KEY'), '200', 'a key used before is served some seconds later');
my $started = time;
is(outcome('UNUSED'), '500 InternalServerError', 'a key not used before cannot be checked: the client can retry');
cmp_ok(time - $started, '<', 20, 'the answer comes at once: others are served');
value(q{ROLLBACK PREPARED 'locked'; SELECT dynamo.drop_access_key('UNUSED')});

# ---- superusers ----

value('ALTER ROLE app SUPERUSER');
is(outcome('KEY'), '400 UnrecognizedClientException', 'the key of a role that became a superuser is refused');
ok($node->log_contains(qr/Access key "KEY" is for role \d+, which is a superuser, and "dynamo.http_allow_superuser" is off\./), 'the log gives the reason');
my ($status, $out, $error) = $node->psql('postgres', q{SELECT dynamo.create_access_key('app', 'SECOND')});
like($error, qr/role "app" is a superuser\n.*HINT:.*dynamo.http_allow_superuser/s, 'a new key for a superuser');
reload('dynamo.http_allow_superuser' => 'on');
is(outcome('KEY'), '200', 'a new key for a superuser, where it is allowed');
value(qq{SELECT dynamo.create_access_key('postgres', 'SECOND', '$secret')});
is(outcome('SECOND'), '200', 'a new key works');
reload('dynamo.http_allow_superuser' => 'off');
is(outcome('SECOND'), '400 UnrecognizedClientException', 'the key is refused when it is not allowed any more');
reload('dynamo.http_authentication' => 'none', 'dynamo.http_role' => 'postgres');
my ($code, $body) = api(connect_http($port), 'ListTables', {});
is("$code $body->{Message}", '400 role "postgres" of "dynamo.http_role" is a superuser, and "dynamo.http_allow_superuser" is off',
	'without authentication');
reload('dynamo.http_role' => 'nobody_here');
($code, $body) = api(connect_http($port), 'ListTables', {});
is("$code $body->{Message}", '400 role "nobody_here" of "dynamo.http_role" does not exist', 'a key for a role that does not exist');

$node->stop;
done_testing();
