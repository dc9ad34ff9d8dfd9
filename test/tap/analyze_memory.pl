# analyze_memory.pl: the memory that ANALYZE takes for the key ranges of a table depends
# neither on the number of its indexes nor on the length of its keys.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'a server with sanitizers keeps memory that was freed' if $ENV{ASAN_OPTIONS};
plan skip_all => 'there is no /proc/self/status' if !-r '/proc/self/status';

# The server's own memory is small, so that the peak of a session is nearly its own.
my $node = new_dynamo_node('analyze_memory', qq{
shared_buffers = 4MB
autovacuum = off
});

# The sample that ANALYZE takes has 30,000 rows.
$node->safe_psql(
	'postgres', q{
SELECT dynamo.create_table('many', 'PK', 'SK', indexes => (
	SELECT jsonb_agg(jsonb_build_object('index_name', 'GSI' || n, 'partition_key', 'P' || n, 'sort_key', 'SK'))
	FROM generate_series(1, 12) n));
INSERT INTO many (item)
	SELECT (jsonb_object_agg('P' || n, 'p' || n || '#' || i) || jsonb_build_object('PK', 'k' || i, 'SK', 's'))::dynamo.item
	FROM generate_series(1, 30000) i, generate_series(1, 12) n GROUP BY i;

SELECT dynamo.create_table('long', 'PK');
INSERT INTO long (item) SELECT dynamo.build_item('PK', 'k' || i || repeat('x', 1000)) FROM generate_series(1, 30000) i});

# The growth of a session's peak by ANALYZE, in MB, of which the sampled rows are a part.
sub growth
{
	my ($table) = @_;
	my $peak = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 1024};
	my ($before, $after) =
	  split /\n/, $node->safe_psql('postgres', "SELECT count(*) FROM $table \\g /dev/null\n$peak;\nANALYZE $table;\n$peak");

	return $after - $before;
}

for my $table ('many', 'long')
{
	my $growth = growth($table);

	cmp_ok($growth, '<', 100, "ANALYZE of the table $table: $growth MB");
	is($node->safe_psql(
			'postgres', "SELECT count(*) FROM pg_statistic WHERE starelid = '$table'::regclass AND 27451 IN (stakind1, stakind2)"),
		1, "the table $table has ranges");
}

done_testing();
