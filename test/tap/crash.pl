# crash.pl: the server is killed while items are loaded through functions and with
# plain SQL.  Afterwards every confirmed write exists completely, and no other write
# exists in part.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $rounds = 3;
my $node = new_dynamo_node('crash', "fsync = on\nsynchronous_commit = on\n");

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('load', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('load', 'inline', 'SK', 'n', sort_key_type => 'N');
SELECT dynamo.create_index('load', 'kept', 'SK', 'n', sort_key_type => 'N', storage => 'table', shards => 2)});

# Endless loops, one transaction each, which report after each commit.
# Every write puts two items, of which both must exist or neither.
my %loader = (
	function => q{
CREATE PROCEDURE load_function(round int) LANGUAGE plpgsql AS $$
DECLARE i int := 0;
BEGIN
	LOOP
		i := i + 1;
		PERFORM dynamo.put_item('load', jsonb_build_object('PK', 'function' || round, 'SK', 'a' || i, 'n', i % 50, 'text', repeat('x', i % 500)));
		PERFORM dynamo.put_item('load', jsonb_build_object('PK', 'function' || round, 'SK', 'b' || i, 'n', i % 50, 'text', repeat('x', i % 500)));
		COMMIT;
		RAISE NOTICE 'done % ', i;
	END LOOP;
END $$},
	plain => q{
CREATE PROCEDURE load_plain(round int) LANGUAGE plpgsql AS $$
DECLARE i int := 0;
BEGIN
	LOOP
		i := i + 1;
		INSERT INTO load (item)
		SELECT jsonb_build_object('PK', 'plain' || round, 'SK', letter || i, 'n', i % 50, 'text', repeat('x', i % 500))
		FROM unnest(ARRAY['a', 'b']) letter;
		COMMIT;
		RAISE NOTICE 'done % ', i;
	END LOOP;
END $$});

for my $door (sort keys %loader)
{
	$node->safe_psql('postgres', $loader{$door});
}

for my $round (1 .. $rounds)
{
	my (%session, %said);

	for my $door (sort keys %loader)
	{
		$said{$door} = '';
		$session{$door} = start(
			[ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', "CALL load_$door($round)" ],
			'<', '/dev/null', '>', '/dev/null', '2>', \$said{$door});
	}
	my $until = time + 300;
	while (time < $until && grep { $said{$_} !~ /done 200 / } keys %session)
	{
		$_->pump_nb for values %session;
		sleep(0.02);
	}
	sleep(rand(0.3));
	crash_node($node);
	$_->finish for values %session;
	$node->start;

	for my $door (sort keys %session)
	{
		my ($last) = (sort { $b <=> $a } $said{$door} =~ /done (\d+) /g)[0];
		ok($last >= 200, "round $round: $door wrote until the crash");
		is( $node->safe_psql('postgres', qq{
SELECT count(*) FROM generate_series(1, $last) i, unnest(ARRAY['a', 'b']) letter
WHERE dynamo.get_item('load', jsonb_build_object('PK', '$door$round', 'SK', letter || i)) IS NULL}),
			'0', "round $round: every confirmed write of $door exists");
		is( $node->safe_psql('postgres', qq{
SELECT count(*) FROM load WHERE "PK" = '$door$round' AND "SK" LIKE 'a%'
AND NOT EXISTS (SELECT 1 FROM load b WHERE b."PK" = load."PK" AND b."SK" = 'b' || substr(load."SK", 2))}),
			'0', "round $round: $door left no partial write");
	}
	for my $index ('inline', 'kept')
	{
		is($node->safe_psql('postgres', "SELECT * FROM dynamo.verify_index('load', '$index')"),
			'', "round $round: index $index agrees with its table");
	}
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM load WHERE item OPERATOR(dynamo.->>) 'PK' <> "PK" OR item OPERATOR(dynamo.->>) 'SK' <> "SK"}),
	'0', 'keys and items agree');

$node->stop;
done_testing();
