# docs.pl: every ```sql block of the README and of docs/ runs, and docs/ mentions
# everything in the extension.
#
# The blocks of a page run in their order in one session of a separate database, as
# a superuser, with the extension created unless the page does so itself.
# Blocks marked ```sql error show errors: one must occur, and the page continues.
# There is no hidden preparation: readers who follow a page get the same results.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $project = "$FindBin::RealBin/../..";

# Returns the page with everything except its SQL blanked, so that line numbers do not
# change, and the ranges of lines where an error is expected.
sub sql_of_page
{
	my ($page) = @_;
	my ($script, $inside, @errors) = ('', 0);
	my $number = 0;

	open(my $in, '<', $page) or die "$page: $!";
	while (my $line = <$in>)
	{
		$number++;
		if (!$inside && $line =~ /^\s*```sql(\s+error)?\s*$/)
		{
			$inside = 1;
			push @errors, [ $number, $number ] if $1;
			$script .= $1 ? "\\set ON_ERROR_STOP 0\n" : "\n";
		}
		elsif ($inside && $line =~ /^\s*```\s*$/)
		{
			$inside = 0;
			$errors[-1][1] = $number if @errors && $errors[-1][1] == $errors[-1][0];
			$script .= "\\set ON_ERROR_STOP 1\n";
		}
		else
		{
			$script .= $inside ? $line : "\n";
		}
	}
	close($in);
	return ($script, @errors);
}

my $node = new_dynamo_node('docs', "max_worker_processes = 16\nmax_prepared_transactions = 8\nwal_level = logical\n");
my $number = 0;

for my $page ("$project/README.md", sort glob("$project/docs/*.md"))
{
	my ($script, @errors) = sql_of_page($page);
	my $name = basename($page);
	my $database = 'page' . ++$number;

	next if $script !~ /\S/;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION dynamo') if $script !~ /CREATE EXTENSION/i;

	my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.sql";
	append_to_file($file, $script);
	my ($stdout, $stderr) = ('', '');
	my $result = IPC::Run::run(
		[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', $file ],
		'<', '/dev/null', '>', \$stdout, '2>', \$stderr);

	my %failed = map { $_ => 1 } $stderr =~ /^psql:[^\n]*?:(\d+): ERROR:/mg;
	ok($result, "$name: every example runs") or diag($stderr);
	for my $range (@errors)
	{
		my ($from, $to) = @$range;
		ok((grep { $_ >= $from && $_ <= $to } keys %failed),
			"$name: the example of line $from shows an error");
	}
	$node->safe_psql('postgres', "DROP DATABASE $database WITH (FORCE)");
}

# ---- the reference is complete ----

# the list of all functions does not describe them
my $text = join '', map { slurp_file($_) } grep { !/functions\.md$/ } glob("$project/docs/*.md");
my %named = map { $_ => 1 } $text =~ /[A-Za-z0-9_.]+/g;
$named{$_} = 1 for $text =~ /\w+/g;

my $things = $node->safe_psql('postgres', q{
	LOAD 'dynamo';
	SELECT 'function ' || proname, proname::text FROM pg_proc WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_system'::regnamespace)
	UNION SELECT format('parameter of %s', proname), unnest(proargnames)
	FROM pg_proc WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_system'::regnamespace)
	UNION SELECT 'setting', name FROM pg_settings WHERE name LIKE 'dynamo.%'
	UNION SELECT 'relation', relname FROM pg_class
	WHERE relnamespace = 'dynamo'::regnamespace AND relkind IN ('r', 'v')
	UNION SELECT format('column of %s', relname), attname
	FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
	WHERE relnamespace = 'dynamo'::regnamespace AND relkind = 'v'
	UNION SELECT 'operator class', opcname FROM pg_opclass WHERE opcnamespace = 'dynamo'::regnamespace
	ORDER BY 1, 2});
my @missing = grep { !$named{ (split /\|/)[1] } } split /\n/, $things;
is("@missing", '', 'docs/ mentions every function, parameter, setting, table, view, column and operator class');

my %states = map { $_ =~ s/[',]//gr => 1 } slurp_file("$project/src/errors.h") =~ /MAKE_SQLSTATE\(([^)]+)\)/g;
is(join(' ', grep { !$named{$_} } sort keys %states), '', 'docs/ mentions every SQLSTATE');

my %operators = map { $_ => 1 } split /\n/, $node->safe_psql('postgres',
	q{SELECT DISTINCT oprname FROM pg_operator WHERE oprnamespace = 'dynamo'::regnamespace});
my $items = slurp_file("$project/docs/items.md") . slurp_file("$project/docs/sql.md");
$items =~ s/\\\|/|/g;
is(join(' ', grep { index($items, $_) < 0 } sort keys %operators), '', 'docs/ mentions every operator');

$node->stop;
done_testing();
