# functional.pl: statements of the regression files run on tables that Citus distributes,
# through the coordinator or a worker, by turns, and give what they give on one
# server.  What defines tables and what Citus cannot route (INSERT without key columns)
# runs on the coordinator, on tables that are brought back for that.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/../..";

# Left out are files that define, alter or inspect tables of one server (access_*, entity_*,
# index_*, sqldoor_*, stream_*, table_*, vectors_* and others), those without a table, scan,
# because shards have another order (distributed.pl has scans), and partiql_paging, which
# compares with tables of the coordinator.
my @files = qw(put_item get_item delete_item update_item batch expr_return_values
	query_string query_number_binary query_paging query_errors
	partiql_select partiql_transaction partiql_batch
	request_put_item request_get_item request_update_item request_delete_item request_query request_scan
	request_batch_get_item request_batch_write_item request_transact_get_items request_transact_write_items request_legacy transact);

# What is refused by name, or needs a connection.
my $refused = qr/is not supported on distributed tables|cannot use ClientRequestToken for distributed table|is not permitted to log in/;

# Statements that may differ: a part of their text, in which file, why.
my %known = (
	put_item => [ q{'scratch'} ],	# a temporary table, which the session of the test has not created
	get_item => [ 'OFFSET 0) s' ],	# a get on another node sees what the same statement has put
	delete_item => [ 'FROM stock' ],	# Citus runs a function in a SELECT from a table on the nodes with its shards,
	query_string => [ 'FROM users WHERE', 'LATERAL dynamo.query' ],	# or does not run it
	request_put_item => [ '"num"', 'INTO num' ],	# a trigger of the table keeps its rows from being copied to shards
	request_scan => [ '"TotalSegments": 4', '"CapacityUnits":0.5' ],	# three shards are three segments; another order
	transact => [ '"parted"', 'FROM parted', 'FROM forms',	# a partitioned and a plain table, which stay on the coordinator,
		'"zoe"}}, "ConditionExpression": "attribute_not_exists(id)"', q{locktype = 'advisory'} ],	# a NOTICE on another node, locks of places
	partiql_transaction => [ 'SELECT item FROM other;', 'c = 5', q{pk = 'b' AND sk = '1'} ],	# after a token that a worker refuses
);

# ---- reading the files ----

sub lines_of
{
	my ($file) = @_;

	return map { /^\\i :include/ ? lines_of("$top/test/include/request.sql") : $_ } split /\n/, slurp_file($file);
}

# The statements of a file.  psql's commands, of which only formats matter here, are left out.
sub statements_of
{
	my ($file) = @_;
	my @statements;
	my $text = '';

	for my $line (lines_of($file))
	{
		next if $text eq '' && $line =~ /^(--|\\|\s*$)/;
		$text .= "$line\n";
		next if $line !~ /(;|\\g\w*.*)\s*(--.*)?$/ || (() = $text =~ /\$\w*\$/g) % 2 || (() = $text =~ /'/g) % 2;
		push @statements, $text;
		$text = '';
	}
	return @statements;
}

# ---- servers and sessions ----

my ($coordinator, $worker, $other) = new_citus_cluster();
my $alone = PostgreSQL::Test::Cluster->new('alone');

$alone->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$alone->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$alone->start;
$alone->safe_psql('postgres', 'CREATE EXTENSION dynamo');

sub session_on
{
	my ($node) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query('\set VERBOSITY terse');
	$session->query('\set SHOW_CONTEXT never');
	return $session;
}

# What a statement returns and reports, without what names a place.
sub result_of
{
	my ($session, $statement) = @_;

	$session->{stderr} = '';
	my $out = $session->query($statement);
	my $error = $session->{stderr} =~ s/^psql:<stdin>:\d+: //mgr;

	$session->{stderr} = '';
	return join "\n", grep { $_ ne '' } $out, $error =~ s/\n+$//r;
}

# ---- home and away ----

my $admin = session_on($coordinator);
my $away;

sub bring_home
{
	return if !$away;
	$admin->query(q{SELECT dynamo.undistribute_table(format('%I.%I', schema_name, table_name)) FROM dynamo.tables JOIN pg_dist_partition ON logicalrelid = relation});
	$away = 0;
	return;
}

# Distributes what can be distributed; returns how many tables are.
sub send_away
{
	return if $away;
	$admin->query(q{SET citus.shard_count = 3; DO $$
DECLARE t text;
BEGIN
	FOR t IN SELECT format('%I.%I', schema_name, table_name) FROM dynamo.tables
		WHERE relation NOT IN (SELECT logicalrelid FROM pg_dist_partition) AND schema_name LIKE 't\_%' LOOP
		BEGIN PERFORM dynamo.distribute_table(t); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', t, SQLERRM; END;
	END LOOP;
END $$});
	$away = 1;
	return;
}

# ---- running a file ----

sub is_known
{
	my ($file, $statement, $result) = @_;

	return $result =~ $refused || scalar grep { index($statement, $_) >= 0 } @{ $known{$file} // [] };
}

# Rows have an order only if the statement or its kind gives them one.
sub is_same
{
	my ($statement, $expected, $result) = @_;

	return 1 if $expected eq $result;
	return 0 if $statement =~ /ORDER BY/;
	return join("\n", sort split /\n/, $expected) eq join("\n", sort split /\n/, $result);
}

sub run_file
{
	my ($file, $node) = @_;
	my ($oracle, $definer, $runner) = map { session_on($_) } $alone, $coordinator, $node;
	my $in_block = 0;
	my $same = 0;
	my $aborted = 0;
	my @different;

	for my $statement (statements_of("$top/sql/$file.sql"))
	{
		my $expected = result_of($oracle, $statement);
		my $result;

		if ($statement =~ /^(SET|RESET)\b/ && !$in_block)
		{
			result_of($_, $statement) for $definer, $runner;
			next;
		}
		if (!$in_block && $statement =~ /^(CREATE(?! TEMP)|ALTER|DROP|GRANT|REVOKE|INSERT INTO|TRUNCATE|VACUUM|ANALYZE|COPY|DO)\b|create_(table|index|entity)\(/)
		{
			bring_home();
			$result = result_of($definer, $statement);
			result_of($runner, "SET citus.enable_ddl_propagation = off; $statement; RESET citus.enable_ddl_propagation")
				if $statement =~ /^CREATE (OR REPLACE )?(FUNCTION|PROCEDURE)/ && $node->name ne 'coordinator';
		}
		else
		{
			send_away() if !$in_block;
			$result = result_of($runner, $statement);
			$same++ if is_same($statement, $expected, $result);
		}
		$aborted ||= $in_block && $result =~ $refused;
		$in_block = 1 if $statement =~ /^BEGIN\b/;
		$in_block = $aborted = 0 if $statement =~ /^(COMMIT|ROLLBACK|END)\b(?! TO)/;
		push @different, "$statement-- one server:\n$expected\n-- here:\n$result\n"
			if !$aborted && !is_same($statement, $expected, $result) && !is_known($file, $statement, $result);
	}
	bring_home();
	$_->quit for $oracle, $definer, $runner;
	my @shown = @different > 5 ? @different[0 .. 4] : @different;

	is(join("\n", @shown), '', $node->name . ": $file, $same statements, " . @different . ' different');
	for my $server ($alone, $coordinator)
	{
		$server->psql('postgres', q{SELECT format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace WHERE nspname LIKE 't\_%' \gexec});
	}
}

# One node for each file, or with LONG both.
my @turns = ($coordinator, $worker);
for my $file ($ENV{FILES} ? split(/ /, $ENV{FILES}) : @files)
{
	run_file($file, $_) for $ENV{LONG} || $ENV{FILES} ? @turns : $turns[0];
	@turns = reverse @turns;
}

$alone->stop('immediate');
stop_citus_cluster($coordinator, $worker, $other);
done_testing();
