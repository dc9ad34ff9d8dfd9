# hostile_rows.pl: rows and definitions that were never checked do no harm.
#
# Random tables (HostileTables.pm) are filled without their triggers.  Then every
# SQL function of the extension, every operation of the API and plain SQL
# (HostileStatements.pm) run on them, as their owner and as a superuser, with and
# without the direct path.  Whatever the results, the server keeps running, no error
# is an internal one (XX000), nothing runs forever, text columns contain text, and
# objects of other users do not change.
#
# HOSTILE_SECONDS: duration (10, with LONG 20).  HOSTILE_SEED: the first table; each table is
# created from its own number, which a failure reports.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HostileStatements;
use HostileTables;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{HOSTILE_SECONDS} || ($ENV{LONG} ? 20 : 10);
my $first_seed = $ENV{HOSTILE_SEED} || 1;
my $begin = time;
my $node = new_dynamo_node(
	'hostile_rows', q{
restart_after_crash = on
statement_timeout = 60s
log_error_verbosity = verbose
log_min_error_statement = panic
});

# ---- running statements ----

my $file = "$PostgreSQL::Test::Utils::tmp_check/hostile_rows.sql";

# Runs a script as a user; returns psql's status, its output and its errors.
sub run
{
	my ($user, $sql) = @_;
	my ($stdout, $stderr) = ('', '');

	open my $script, '>:utf8', $file or die "$file: $!";
	print $script $sql;
	close $script;
	my $status = $node->psql('postgres', "\\i $file", stdout => \$stdout, stderr => \$stderr, on_error_stop => 0, extra_params => [ '-U', $user ]);
	return ($status, $stdout, $stderr);
}

sub superuser
{
	my ($sql) = @_;
	my ($status, $stdout, $stderr) = run('postgres', $sql);

	die "$stderr\n$sql\n" if $status != 0 || $stderr =~ /ERROR/;
	return $stdout;
}

# ---- state of the database ----

my @functions = sql_functions($node);
my @operations = slurp_file("$FindBin::RealBin/../../src/request/operations.c") =~ /^\tX\((\w+)\)/mg;

cmp_ok(scalar(@operations), '>', 30, 'all operations of the API are listed');

superuser(q{
CREATE ROLE attacker LOGIN;
CREATE ROLE victim LOGIN;
CREATE SCHEMA v AUTHORIZATION victim;
CREATE FUNCTION walk(table_name text, index_name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	page record;
	last dynamo.item;
	pages bigint := 0;
BEGIN
	LOOP
		SELECT * INTO page FROM dynamo.scan_page(table_name, index_name => index_name, page_size => 1, exclusive_start_key => last);
		EXIT WHEN page.last_evaluated_key IS NULL;
		last := page.last_evaluated_key;
		pages := pages + 1;
		IF pages > 500 THEN
			RAISE EXCEPTION 'the pages do not end' USING ERRCODE = 'internal_error';
		END IF;
	END LOOP;
	RETURN pages;
END $$;
SET ROLE victim;
SET search_path = v, dynamo;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "one", "partition_key": "g"}, {"index_name": "two", "partition_key": "h", "storage": "table"}]');
SELECT enable_stream('shop');
SELECT update_time_to_live('shop', 'expires');
SELECT put_item('shop', ('{"PK": {"S": "a"}, "SK": {"S": "' || i || '"}, "g": {"S": "g"}, "h": {"S": "h"}, "expires": {"N": "4000000000"}}')::item) FROM generate_series(1, 20) i;
});

my $victims = q{
SELECT 'SELECT ' || quote_literal(oid::regclass) || ', count(*), md5(array_agg(t::text ORDER BY t::text)::text) FROM ' || oid::regclass || ' t'
FROM pg_class WHERE relnamespace = 'v'::regnamespace AND relkind = 'r' ORDER BY 1
\gexec
SELECT relname, relkind, relowner::regrole, (SELECT count(*) FROM pg_trigger WHERE tgrelid = c.oid AND tgenabled = 'A')
FROM pg_class c WHERE relnamespace = 'v'::regnamespace ORDER BY 1;
SELECT rolname, rolsuper FROM pg_roles WHERE rolname IN ('attacker', 'victim') ORDER BY 1};
my $untouched = superuser($victims);

like($untouched, qr/v\.shop/, 'a table of another role has rows');

# The columns of all relations with rows in the attacker's schema.
sub relations
{
	my %relations;

	for my $line (split /\n/, superuser(q{
SELECT c.relname || '|' || a.attname || '|' || t.typname || '|' || a.attnotnull FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relnamespace = 'a'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, a.attnum}))
	{
		my ($relation, $name, $type, $notnull) = split /\|/, $line;

		push @{ $relations{$relation} }, { name => $name, type => $type, notnull => $notnull eq 'true' };
	}
	return \%relations;
}

# ---- creating a table ----

# Runs all statements that can run, without the extension's triggers.
sub past_triggers
{
	my ($sql) = @_;
	my ($status, undef, $stderr) = run('postgres', qq{
BEGIN;
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
DO \$\$ DECLARE t regclass; BEGIN
	FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'a'::regnamespace AND relkind IN ('r', 'p') LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t); END LOOP;
END \$\$;
\\set ON_ERROR_ROLLBACK on
$sql
\\set ON_ERROR_ROLLBACK off
DO \$\$ DECLARE t record; BEGIN
	FOR t IN SELECT tgrelid::regclass AS rel, tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = 'a'::regnamespace AND NOT tgisinternal AND NOT c.relispartition
	LOOP EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.rel, t.tgname); END LOOP;
END \$\$;
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
COMMIT;
});

	die "$stderr\n" if $status != 0;
	return;
}

# Changes the definition of the table, or of its stream, in one place.
sub mutation
{
	my ($table) = @_;
	my ($function, $relation, $events) = chance(0.8) || !$table->{relations}{"$table->{name}\$stream"}
	  ? ('derive_keys', $table->{name}, 'INSERT OR UPDATE')
	  : ('guard_stream', "$table->{name}\$stream", 'INSERT OR UPDATE OR DELETE');
	my ($status, $line) = run('postgres', qq{SELECT tgname || ' ' || encode(tgargs, 'escape') FROM pg_trigger
WHERE tgrelid = 'a."$relation"'::regclass AND tgfoid = 'dynamo_system.$function'::regproc AND tgtype & 32 = 0});
	my ($name, $text) = $line =~ /^(\S+) (.*)\\000$/s or return '';
	my $definition = json(mutated(decode_json($text)));

	return qq{CREATE OR REPLACE TRIGGER "$name" BEFORE $events ON a."$relation" FOR EACH ROW EXECUTE FUNCTION dynamo_system.$function(} . quote_literal($definition) . ");\n";
}

# The ARN and the shard of the table's stream, if there is one.
sub stream_of
{
	my ($arn) = split /\n/, superuser(q{SELECT arn FROM dynamo.streams WHERE table_name = 'tab'});
	my ($status, $shard) = run('postgres', "SELECT dynamo.request('DescribeStream', json_build_object('StreamArn', '" . ($arn // '') . "')) #>> '{StreamDescription,Shards,0,ShardId}'");

	return ($arn // 'arn:aws:dynamodb:us-east-1:000000000000:table/tab/stream/2026-01-01T00:00:00.000', $shard || 'shardId-00000000000000000000-00000000');
}

# Creates a table in an empty schema; undef if its key and indexes contradict.
sub make_table
{
	my ($seed) = @_;

	seed($seed);
	superuser('DROP SCHEMA IF EXISTS a CASCADE; CREATE SCHEMA a AUTHORIZATION attacker;');
	my $table = hostile_table('tab');
	run('attacker', "SET search_path = a;\n$table->{create}");
	$table->{seed} = $seed;
	$table->{relations} = relations();
	return undef if !$table->{relations}{tab};
	past_triggers(plant_statements($table, $table->{relations}));
	past_triggers(altered($table->{relations})) if chance(0.3);
	past_triggers(mutation($table)) if chance(0.3);
	$table->{items} = [ random_item($table), map { decode_json($_) } split /\n/, (run('postgres', 'SELECT item FROM a.tab WHERE item IS NOT NULL'))[1] ];
	@$table{qw(stream_arn shard_id)} = stream_of();
	return $table;
}

# ---- a round ----

my ($rounds, $runs) = (0, 0);
my @faults;
my $log_at = 0;

# Returns the server's log since the last call.
sub new_log
{
	my $log = slurp_file($node->logfile, $log_at);

	$log_at += length $log;
	return $log;
}

# Each statement is rolled back if it can run in a transaction block; its number is
# printed before its error.
sub script_of
{
	my ($direct, $block, @statements) = @_;
	my ($before, $after) = $block ? ('BEGIN\; ', '\; SET CONSTRAINTS ALL IMMEDIATE;' . "\nROLLBACK") : ('', '');

	return "\\set VERBOSITY sqlstate\n\\o /dev/null\nSET client_min_messages = error;\nSET search_path = a, dynamo, public;\nSET dynamo.direct_access = $direct;\nSET dynamo.in_place_build_limit = " . pick(0, 100) . ";\n"
	  . join('', map { "\\warn \@\@ $_\n$before$statements[$_]$after;\n" } 0 .. $#statements);
}

# Returns the statements whose errors are faults, each with the SQLSTATE.
sub faults_of
{
	my ($stderr, @statements) = @_;
	my @found;

	for my $part (split /^@@ /m, $stderr)
	{
		push @found, "$2 in: $statements[$1]" if $part =~ /^(\d+).*(?:ERROR|FATAL|PANIC):\s+(XX000|57014)/s;
	}
	return @found;
}

sub wait_for_restart
{
	wait_until(sub { eval { $node->psql('postgres', 'SELECT') == 0 } }) or die 'the server did not start again';
}

# Runs only some of the statements, to leave time for more tables.
sub check_script
{
	my ($table, $user, $direct, $block, @all) = @_;
	my @statements = grep { chance(0.4) } @all;
	my ($status, undef, $stderr) = run($user, script_of($direct, $block, @statements));
	my $log = new_log();
	my @found = faults_of($stderr, @statements);

	$runs += @statements;
	if ($status == 2 || $log =~ /was terminated by signal|TRAP:|AddressSanitizer|runtime error:/)
	{
		my ($last) = $stderr =~ /.*^@@ (\d+)/ms;

		push @found, 'the server ended in: ' . $statements[ $last // 0 ];
		wait_for_restart();
	}
	push @found, $log =~ /((?:ERROR|FATAL|PANIC):  (?:XX000|57014): [^\n]*)/g if @found;
	push @faults, map { "table $table->{seed}, $user, direct access $direct: $_" } @found;
	return;
}

sub check_text
{
	my ($table) = @_;
	my $relations = relations();

	for my $relation (sort keys %$relations)
	{
		for my $column (grep { $_->{type} eq 'text' } @{ $relations->{$relation} })
		{
			my (undef, undef, $stderr) = run('postgres', qq{SELECT count(convert_to("$column->{name}", 'UTF8')) FROM a."$relation"});

			push @faults, "table $table->{seed}: $relation, column $column->{name}: $stderr" if $stderr ne '';
		}
	}
	return;
}

sub run_round
{
	my ($seed) = @_;
	my $table = make_table($seed) or return;

	for my $direct ('on', 'off')
	{
		check_script($table, 'attacker', $direct, 1, function_statements($table, @functions), request_statements($table, @operations), plain_statements($table));
		check_script($table, 'postgres', $direct, 1, superuser_statements($table, @functions));
	}
	check_script($table, 'attacker', pick('on', 'off'), 0, last_statements($table));
	check_text($table);
	$rounds++;
	return;
}

for (my $seed = $first_seed; $seed == $first_seed || (time - $begin < $seconds && @faults < 20); $seed++)
{
	run_round($seed);
}
note("$rounds tables, $runs statements in " . int(time - $begin) . ' s');

is(join("\n", @faults), '', 'no statement stops the server, runs forever or raises an internal error');
is(superuser($victims), $untouched, 'no object of another role has changed');
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$PostgreSQL::Test::Utils::tmp_check/hostile.sql" ], 'the database can be dumped');

$node->stop;
done_testing();
