# undermined.pl: owners' code that changes its table during maintenance of the
# table.
#
# The constant part of an index expression is evaluated as soon as the index is
# opened, and changes the table during the function that has opened it.  The function
# may fail; the server keeps running, and the table can be repaired or dropped.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('undermined', q{
shared_preload_libraries = 'dynamo'
autovacuum = off
dynamo.build_delay = 0
});

my @changes = (
	'DROP TABLE a.tab CASCADE',
	'DROP TABLE a."tab$TSI"',
	'DROP INDEX a."tab$GSI"',
	'DROP INDEX a.trap',
	'DROP TABLE a."tab$stream"',
	q{SELECT dynamo.drop_table('a.tab')},
	q{SELECT dynamo.drop_index('a.tab', 'TSI')},
	q{SELECT dynamo.drop_index('a.tab', 'GSI')},
	q{SELECT dynamo.reindex('a.tab', 'TSI')},
	q{SELECT dynamo.create_index('a.tab', 'MORE', 'h')},
	q{SELECT dynamo.change_index('a.tab', 'TSI', storage => 'inline')},
	q{SELECT dynamo.disable_stream('a.tab')},
	q{SELECT dynamo.update_time_to_live('a.tab', 'until', false)},
	q{SELECT dynamo.delete_expired('a.tab')},
	q{SELECT dynamo.put_item('a.tab', '{"PK": {"S": "k1"}, "g": {"S": "new"}}')},
	'ALTER TABLE a.tab DROP COLUMN item CASCADE',
	'ALTER TABLE a.tab DROP COLUMN g',
	'ALTER TABLE a.tab ADD COLUMN more int DEFAULT 1',
	'ALTER TABLE a.tab ALTER COLUMN extra TYPE bigint',
	'ALTER TABLE a.tab RENAME TO renamed',
	'ALTER TABLE a.tab RENAME COLUMN extra TO other',
	'ALTER TABLE a."tab$TSI" RENAME TO renamed',
	'ALTER TABLE a.tab DISABLE TRIGGER ALL',
	'ALTER TABLE a.tab SET UNLOGGED',
	'ALTER TABLE a.tab ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
	'DROP TRIGGER "~dynamo_derive_keys" ON a.tab',
	'CREATE INDEX more ON a.tab (extra)',
	'REINDEX TABLE a.tab',
	'CLUSTER a.tab USING tab_pkey',
	'TRUNCATE a.tab',
	'TRUNCATE a."tab$TSI"',
	'UPDATE a.tab SET extra = 2',
	'DELETE FROM a.tab',
	q{INSERT INTO a.tab (item) VALUES ('{"PK": {"S": "new"}, "g": {"S": "new"}}')},
);

# Places of the code, and functions that run it there.
my %traps = (
	'CREATE INDEX trap ON a.tab ((a.change() || "PK"))' => [
		q{SELECT dynamo.create_index('a.tab', 'NEW', 'h')},
		q{SELECT dynamo.create_index('a.tab', 'NEW', 'h', storage => 'table')},
		q{SELECT count(*) FROM dynamo.verify_index('a.tab', 'GSI')},
		q{SELECT dynamo.reindex('a.tab', 'GSI')},
		q{SELECT dynamo.reindex('a.tab', 'TSI')},
		q{SELECT dynamo.update_time_to_live('a.tab', 'until', false), dynamo.update_time_to_live('a.tab', 'until')},
		q{SELECT dynamo.delete_expired('a.tab')},
		q{SELECT dynamo.add_reference('a.tab', 'ref', '{"PK": "{g}"}')},
		q{SELECT dynamo.import_lines('a.tab', ARRAY['{"Item": {"PK": {"S": "k1"}, "g": {"S": "z"}}}'])},
	],
	'CREATE INDEX trap ON a."tab$TSI" ((a.change() || "PK"))' => [
		q{SELECT count(*) FROM dynamo.verify_index('a.tab', 'TSI')},
		q{SELECT dynamo.reindex('a.tab', 'TSI')},
		q{SELECT dynamo.reshard_index('a.tab', 'TSI', 2)},
		q{SELECT dynamo.delete_expired('a.tab')},
		q{SELECT dynamo.import_lines('a.tab', ARRAY['{"Item": {"PK": {"S": "k1"}, "g": {"S": "z"}}}'])},
	],
	'CREATE INDEX trap ON a."tab$stream" ((a.change() || number::text))' => [
		q{SELECT dynamo.trim_streams('a.tab', '0', 2)},
		q{SELECT dynamo.delete_expired('a.tab')},
		q{SELECT dynamo.import_lines('a.tab', ARRAY['{"Item": {"PK": {"S": "k1"}, "g": {"S": "z"}}}'])},
	],
	'CREATE TRIGGER trap BEFORE TRUNCATE ON a."tab$TSI" EXECUTE FUNCTION a.change_for_trigger()' => [
		q{SELECT dynamo.reindex('a.tab', 'TSI')},
	],
);

$node->safe_psql('postgres', q{
CREATE ROLE attacker LOGIN;
CREATE SCHEMA a AUTHORIZATION attacker;
SET ROLE attacker;
CREATE TABLE a.what (statement text);
CREATE FUNCTION a.do_change() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	change text := (SELECT statement FROM a.what);
BEGIN
	IF change IS NULL OR pg_catalog.current_setting('undermined.inside', true) = 'yes' THEN
		RETURN '';
	END IF;
	PERFORM pg_catalog.set_config('undermined.inside', 'yes', true);
	BEGIN
		EXECUTE change;
		RAISE LOG 'undermined by %', change;
	EXCEPTION WHEN OTHERS THEN NULL;
	END;
	PERFORM pg_catalog.set_config('undermined.inside', 'no', true);
	RETURN '';
END $$;
CREATE FUNCTION a.change() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN a.do_change(); END $$;
CREATE FUNCTION a.change_for_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM a.do_change(); RETURN NULL; END $$;
CREATE PROCEDURE a.make(trap text) LANGUAGE plpgsql AS $$
DECLARE
	r regclass;
BEGIN
	DELETE FROM a.what;
	FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 'a'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'what'
		ORDER BY relname = 'tab' DESC, relname = 'renamed' DESC LOOP
		IF EXISTS (SELECT FROM pg_class WHERE oid = r) THEN
			EXECUTE format('DROP TABLE %s CASCADE', r);
		END IF;
	END LOOP;
	PERFORM dynamo.create_table('tab', 'PK', indexes => '[{"index_name": "GSI", "partition_key": "g"}, {"index_name": "TSI", "partition_key": "g", "storage": "table"}]');
	ALTER TABLE tab ADD COLUMN extra int;
	PERFORM dynamo.enable_stream('tab');
	PERFORM dynamo.put_item('tab', jsonb_build_object('PK', 'k' || i, 'g', 'k1', 'h', 'y', 'until', floor(extract(epoch FROM now())) - 10)) FROM generate_series(1, 4) i;
	PERFORM dynamo.update_time_to_live('tab', 'until');
	EXECUTE trap;
END $$});

# Runs a function once for every change; returns the changes that were made.
sub undermine
{
	my ($trap, $function, @list) = @_;
	my $sql = "SET client_min_messages = fatal; SET lock_timeout = '5s'; SET statement_timeout = '20s';\n";
	my $offset = -s $node->logfile;
	my ($out, $error);

	for my $change (@list)
	{
		$sql .= qq{SET ROLE attacker; SET search_path = a, dynamo; CALL make(\$_\$$trap\$_\$);
INSERT INTO what VALUES (\$_\$$change\$_\$); RESET search_path; RESET ROLE;
$function;
};
	}
	my $status = $node->psql('postgres', "$sql SELECT 'alive'", stdout => \$out, stderr => \$error, on_error_stop => 0);
	my $log = substr slurp_file($node->logfile), $offset;
	my ($last) = $out =~ /(\w*)\z/;
	my @bad = $log =~ /([^\n]*(?:was terminated by signal|PANIC|TRAP:|cache lookup failed|could not open|relcache|XX000)[^\n]*)/g;

	is(join("\n", "$status $last", @bad), '0 alive', "$function with: $trap");
	return $log =~ /undermined by ([^\n]*)/g;
}

my %made;

for my $trap (sort keys %traps)
{
	$made{$_}++ for map { undermine($trap, $_, @changes) } @{ $traps{$trap} };
}
cmp_ok(scalar keys %made, '>', 10, 'PostgreSQL refuses most changes of a table in use, but not all');

# The same in a worker.
undermine('CREATE INDEX trap ON a.tab ((a.change() || "PK"))',
	q{SET dynamo.in_place_build_limit = 0; CALL dynamo.create_index_and_wait('a.tab', 'WAIT', 'h'); RESET dynamo.in_place_build_limit},
	'DROP TABLE a.tab CASCADE', q{SELECT dynamo.drop_index('a.tab', 'WAIT')}, 'TRUNCATE a.tab');

$node->stop;
done_testing();
