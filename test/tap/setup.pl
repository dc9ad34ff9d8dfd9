# setup.pl: dynamo.check_setup finds nothing on a server that is set up, and each fault that is made.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_http_node('setup', PostgreSQL::Test::Cluster::get_free_port(), 2, "fsync = on\nautovacuum = on\nautovacuum_naptime = 1d\n", has_archiving => 1, allows_streaming => 1);

sub query
{
	return $node->safe_psql('postgres', $_[0]);
}

# What is not as it should be.
sub findings
{
	return query(q{SELECT string_agg(subject || ': ' || status, ', ' ORDER BY subject) FROM dynamo.check_setup() WHERE status <> 'ok'});
}

sub changed
{
	my (%settings) = @_;

	query(defined $settings{$_} ? "ALTER SYSTEM SET $_ = '$settings{$_}'" : "ALTER SYSTEM RESET $_") for sort keys %settings;
	$node->reload;
	query("SELECT pg_sleep(0.1)");
	return findings();
}

sub row
{
	my ($subject) = @_;

	return query("SELECT detail || ' / ' || coalesce(fix, 'nothing') FROM dynamo.check_setup() WHERE subject = '$subject'");
}

$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
$node->poll_query_until('postgres', 'SELECT dynamo_internal.housekeeping_problem() IS NULL');
is(findings(), 'access keys: info, backup role: info, search_path: warning', 'a new server');
like(row('search_path'), qr/ALTER DATABASE postgres SET search_path = public, dynamo$/, 'what to do');
query(q{
CREATE ROLE app LOGIN;
CREATE ROLE backup LOGIN REPLICATION;
ALTER DATABASE postgres SET search_path = public, dynamo;
SELECT dynamo.create_access_key('app', 'DYNAMOFIRSTKEY000000')});
is(findings(), '', 'a server that is set up');
is(query(q{SELECT count(*) FROM dynamo.check_setup() WHERE fix IS NOT NULL OR detail IS NULL}), '0', 'and nothing to do');

# ---- settings ----

for ([ { fsync => 'off' }, 'durability: error' ], [ { full_page_writes => 'off' }, 'durability: error' ],
	[ { autovacuum => 'off' }, 'autovacuum: error' ],
	[ { archive_mode => 'off' }, 'restart: warning' ],
	[ { 'dynamo.http_authentication' => 'none' }, 'authentication: warning' ],
	[ { 'dynamo.http_allow_superuser' => 'on' }, 'superusers: warning' ],
	[ { 'dynamo.housekeeping_interval' => '0' }, 'housekeeping: warning' ],
	[ { archive_command => 'false' }, 'archive: warning' ])
{
	my ($settings, $expected) = @$_;
	my ($name) = keys %$settings;

	changed(%$settings);
	if ($name eq 'archive_command')
	{
		query('CREATE TABLE filled (); SELECT pg_switch_wal()');
		$node->poll_query_until('postgres', 'SELECT failed_count > 0 FROM pg_stat_archiver');
	}
	is(findings(), $expected, "$name");
	changed($name => undef);
}
ok($node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM dynamo.check_setup() WHERE status <> 'ok'}), 'all faults are mended');

# ---- TLS ----

SKIP:
{
	skip 'there is no openssl', 5 unless eval { IPC::Run::run([ 'openssl', 'version' ], '>', '/dev/null') };

	my $data = $node->data_dir;

	like(changed('dynamo.http_tls' => 'require'), qr/^TLS: error$/, 'no certificate');
	for ([ 3, 'TLS: warning' ], [ 400, '' ])
	{
		my ($days, $expected) = @$_;

		IPC::Run::run([ 'openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', $days,
			'-subj', '/CN=localhost', '-keyout', "$data/server.key", '-out', "$data/server.crt" ], '2>', '/dev/null');
		is(findings(), $expected, "a certificate for $days days");
	}
	my $end = `openssl x509 -enddate -noout -in $data/server.crt`;
	my ($time) = $end =~ /notAfter=(.*) GMT/;
	is(query("SELECT expires = '$time GMT'::timestamptz FROM dynamo_internal.certificate_expires()"), 't', 'the time at which it expires');
	append_to_file("$data/server.crt.new", "no certificate\n");
	rename("$data/server.crt.new", "$data/server.crt");
	is(findings(), 'TLS: error', 'a file without a certificate');
	changed('dynamo.http_tls' => undef);
}

# ---- keys, tables, workers ----

query(q{ALTER TABLE dynamo_internal.access_key_secrets DISABLE TRIGGER guard_access_keys;
UPDATE dynamo_internal.access_key_secrets SET created_at = now() - interval '100 days';
ALTER TABLE dynamo_internal.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys});
is(findings(), 'access keys: warning', 'an old key');
like(row('access keys'), qr/DYNAMOFIRSTKEY000000 of app/, 'it is named');
query(q{SELECT dynamo.rotate_access_key('DYNAMOFIRSTKEY000000')});
is(findings(), '', 'a new secret');
query(q{SELECT dynamo.create_table('many', 'id'); INSERT INTO many (item) SELECT dynamo.build_item('id', n::text) FROM generate_series(1, 10001) n});
ok($node->poll_query_until('postgres', q{SELECT detail ~ '1, such as many' FROM dynamo.check_setup() WHERE subject = 'statistics' AND status = 'warning'}), 'a table without statistics');
query('ANALYZE many');
ok($node->poll_query_until('postgres', q{SELECT status = 'ok' FROM dynamo.check_setup() WHERE subject = 'statistics'}), 'they have been collected');
query('CREATE DATABASE other');
is($node->safe_psql('other', q{CREATE EXTENSION dynamo; SELECT string_agg(subject, ', ' ORDER BY subject) FROM dynamo.check_setup() WHERE status <> 'ok'}),
	'access keys, endpoint, housekeeping, search_path', 'a database that the workers do not serve');

# ---- who may call it ----

my (undef, undef, $refused) = $node->psql('postgres', 'SET ROLE app; SELECT * FROM dynamo.check_setup()');

like($refused, qr/permission denied for function check_setup/, 'a stranger may not');
query('CREATE ROLE watcher IN ROLE pg_monitor');
is(query(q{SET ROLE watcher; SELECT string_agg(subject || ': ' || detail, '; ') FROM dynamo.check_setup() WHERE status <> 'ok'}),
	'access keys: there are none that you may see', 'a monitoring role sees no keys of others');

# ---- as many workers as fit the machine ----

like(row('endpoint'), qr/^2 of 2 workers run, port \d+ /, 'a number of workers that is set');
$node->append_conf('postgresql.conf', "dynamo.http_workers = 0\n");
$node->restart;
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
like(row('endpoint'), qr/^\d+ workers run, port \d+ /, 'one that is not');

# ---- before any set-up ----

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\narchive_mode = off\n");
$node->restart;
is(findings(), 'archive: warning, endpoint: error, housekeeping: warning, library: warning', 'a server that does not preload the library');
$node->stop;
done_testing();
