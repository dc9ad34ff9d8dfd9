# surface.pl: what users can depend on is what the file test/surface lists: see docs/versioning.md.
# A change of it is thereby seen in review.  WRITE_PAGE=FILE writes the file again, after
# a change that is meant.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $project = "$FindBin::RealBin/../..";
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $metrics_port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('surface', $port, 2, "shared_preload_libraries = 'dynamo, dynamo_faults'\ndynamo.metrics_port = $metrics_port\ndynamo.metrics_listen_addresses = '127.0.0.1'\n");
my $head = <<'HEAD';
# What docs/versioning.md promises for 1.x.  A line that goes or changes breaks somebody's program.
# After a change that is meant: WRITE_PAGE=test/surface prove ... test/tap/surface.pl (test/README.md)
HEAD

# The schema of each thing is named, but for PostgreSQL's own.
my $catalog = <<'SQL';
SET search_path = pg_catalog;
SET client_min_messages = warning;
LOAD 'dynamo';
WITH public (schema) AS (VALUES ('dynamo'::regnamespace), ('dynamo_system'::regnamespace)),
line (line) AS (
	SELECT format('%s %s.%s(%s)%s', CASE prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END,
		pronamespace::regnamespace, proname, pg_get_function_arguments(oid), ' returns ' || pg_get_function_result(oid))
	FROM pg_proc JOIN public ON schema = pronamespace
	UNION ALL
	SELECT format('%s %s.%s.%s %s', CASE relkind WHEN 'v' THEN 'view' WHEN 'r' THEN 'table' ELSE 'relation' END, relnamespace::regnamespace, relname, attname,
		format_type(atttypid, atttypmod))
	FROM pg_class JOIN public ON schema = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
	WHERE relkind NOT IN ('i', 'S', 't')
	UNION ALL
	SELECT format('type %s.%s', typnamespace::regnamespace, typname) FROM pg_type JOIN public ON schema = typnamespace
	WHERE typcategory <> 'A' AND NOT EXISTS (SELECT FROM pg_class WHERE oid = typrelid AND relkind <> 'c')
	UNION ALL
	SELECT format('operator %s %s.%s %s returns %s', coalesce(nullif(oprleft, 0)::regtype::text, ''), oprnamespace::regnamespace, oprname, oprright::regtype, oprresult::regtype)
	FROM pg_operator JOIN public ON schema = oprnamespace
	UNION ALL
	SELECT format('operator class %s.%s for %s using %s%s', opcnamespace::regnamespace, opcname, opcintype::regtype, amname, CASE WHEN opcdefault THEN ', default' ELSE '' END)
	FROM pg_opclass JOIN public ON schema = opcnamespace JOIN pg_am ON pg_am.oid = opcmethod
	UNION ALL
	SELECT format('cast %s as %s%s', castsource::regtype, casttarget::regtype, CASE castcontext WHEN 'i' THEN ', implicit' WHEN 'a' THEN ', in assignments' ELSE '' END)
	FROM pg_cast WHERE EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_cast'::regclass AND objid = pg_cast.oid AND deptype = 'e'
		AND refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo'))
	UNION ALL
	SELECT format('setting %s %s%s, %s', name, vartype, ' (' || array_to_string(enumvals, ', ') || ')', context) FROM pg_settings WHERE name ~ '^dynamo(_faults)?[.]'
)
SELECT line FROM line ORDER BY line COLLATE "C";
SQL

# What a pattern finds in a source.
sub in_source
{
	my ($what, $path, $pattern) = @_;
	my %found = map { $_ => 1 } slurp_file("$project/src/$path") =~ /$pattern/g;

	cmp_ok(scalar keys %found, '>', 5, "found in src/$path: $what");
	return map { "$what $_" } sort keys %found;
}

# The SQLSTATEs, each with the exception that it means.
sub states
{
	my %state = slurp_file("$project/src/errors.h") =~ /#define (ERRCODE_\w+)\s+MAKE_SQLSTATE\(([^)]*)\)/g;
	my %exception = slurp_file("$project/src/errors.c") =~ /^\t\{(ERRCODE_DYNAMO_\w+), "(\w+)"/mg;

	return map { ($state{$_} =~ tr/', //dr) . ($exception{$_} ? " $exception{$_}" : '') } keys %state;
}

# The text of all metrics, also of those that have no value yet.
sub metrics_text
{
	my $socket;

	wait_until(sub { $socket = connect_http($metrics_port) });
	send_raw($socket, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	return read_answer($socket)->{body};
}

# The names of all metrics with their types and labels, on a server where each of them counts something.
sub metrics
{
	my $text;
	my $has_value = sub { my ($name) = @_; $text =~ /^\Q$name\E(?:_bucket)?[{ ]/m };

	$node->safe_psql('postgres', <<'SQL');
SELECT dynamo.create_table('songs', 'id');
SELECT dynamo.enable_stream('songs');
SELECT dynamo.request('UpdateTimeToLive', '{"TableName": "songs", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "until"}}');
SELECT dynamo.request('UpdateContributorInsights', '{"TableName": "songs", "ContributorInsightsAction": "ENABLE"}');
SELECT dynamo.request('PutItem', '{"TableName": "songs", "Item": {"id": {"S": "a"}}}');
SELECT dynamo.request('GetItem', '{"TableName": "songs", "Key": {"id": {"S": "a"}}}');
SQL
	wait_until(sub { $text = metrics_text(); !grep { !$has_value->($_) } $text =~ /^# TYPE (\w+)/mg });
	is(join(' ', grep { !$has_value->($_) } $text =~ /^# TYPE (\w+)/mg), '', 'each metric has a value');
	my @metrics;
	for (sort { $a->[0] cmp $b->[0] } map { [ split ' ' ] } $text =~ /^# TYPE (dynamo_\w+ \w+)$/mg)
	{
		my ($name, $type) = @$_;
		my ($labels) = $text =~ /^\Q$name\E(?:_bucket)?\{(.*)\} /m;
		push @metrics, "$name $type" . (defined $labels ? ' (' . join(', ', $labels =~ /(\w+)="(?:[^"\\]|\\.)*"/g) . ')' : '');
	}
	return @metrics;
}

my $objects = $node->safe_psql('postgres', $catalog);
my @states = states();
my @metrics = metrics();

cmp_ok(scalar @states, '>', 30, 'SQLSTATEs');
cmp_ok(scalar @metrics, '>', 15, 'metrics');
my $surface = join("\n", $objects, (map { "SQLSTATE $_" } sort @states), (map { "metric $_" } @metrics),
	in_source('request', 'request/operations.c', qr/^\tX\((\w+)\)/m));

if ($ENV{WRITE_PAGE})
{
	open(my $out, '>', $ENV{WRITE_PAGE}) or die "$ENV{WRITE_PAGE}: $!";
	print $out "$head\n$surface\n";
	close($out);
}
my %written = map { $_ => 1 } grep { !/^(#|$)/ } split /\n/, slurp_file("$project/test/surface");
my %present = map { $_ => 1 } split /\n/, $surface;
my $regenerate = 'after a change that is meant: WRITE_PAGE=test/surface, see test/README.md';
is(join("\n", grep { !$present{$_} } sort keys %written), '', 'all that test/surface lists is there') or diag($regenerate);
is(join("\n", grep { !$written{$_} } sort keys %present), '', 'test/surface lists all that is there') or diag($regenerate);
my %internal = map { $_ => 1 } $objects =~ /\bdynamo_internal\.(\w+)/g;
is(join(' ', sort keys %internal), 'json_text', 'no internal type is seen, but for that which takes json and jsonb');
$node->stop;
done_testing();
