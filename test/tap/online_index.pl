# online_index.pl: indexes are created, changed and dropped while eight sessions
# write through functions and plain SQL and one reads, and the server is killed
# meanwhile.  After each restart every ACTIVE index agrees with its table, unfinished
# builds are completed, and nothing is left over.
#
# DYNAMO_KILLS is the number of kills; scripts/test uses a small one to save time.
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

my $kills = $ENV{DYNAMO_KILLS} || 3;
my $writers = 8;
my $node = new_dynamo_node('online_index', q{
fsync = on
log_min_messages = warning
dynamo.in_place_build_limit = 0
dynamo.build_batch_size = 50
dynamo.build_delay = 1
});

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('busy', partition_key => 'PK', sort_key => 'SK');
INSERT INTO busy (item)
SELECT jsonb_build_object('PK', 'p' || i % 20, 'SK', lpad(i::text, 6, '0'), 'grp', 'g' || i % 5, 'n', i, 'text', repeat('x', 1 + i % 200))
FROM generate_series(1, 4000) i;
ALTER TABLE busy ADD COLUMN note text;
SELECT dynamo.create_index('busy', 'kept', 'grp', 'n', sort_key_type => 'N', storage => 'table', shards => 3);
CALL dynamo.build_indexes();

-- one write of any kind; sessions use the same keys and values
CREATE PROCEDURE write_once() LANGUAGE plpgsql AS $$
DECLARE
	pk text := 'p' || floor(random() * 20);
	sk text := lpad(floor(random() * 6000)::text, 6, '0');
	new_item jsonb := jsonb_build_object('PK', pk, 'SK', sk, 'n', floor(random() * 1000), 'text', repeat('y', 1 + (random() * 300)::int));
BEGIN
	IF random() < 0.8 THEN
		new_item := new_item || jsonb_build_object('grp', 'g' || floor(random() * 5));
	END IF;
	CASE floor(random() * 8)
	WHEN 0 THEN PERFORM dynamo.put_item('busy', new_item);
	WHEN 1 THEN PERFORM dynamo.delete_item('busy', jsonb_build_object('PK', pk, 'SK', sk));
	WHEN 2 THEN PERFORM dynamo.update_item('busy', jsonb_build_object('PK', pk, 'SK', sk), 'SET grp = :g, n = :n',
		expression_attribute_values => jsonb_build_object(':g', 'g' || floor(random() * 5), ':n', floor(random() * 1000)));
	WHEN 3 THEN PERFORM dynamo.update_item('busy', jsonb_build_object('PK', pk, 'SK', sk), 'REMOVE grp');
	WHEN 4 THEN INSERT INTO busy (item) VALUES (new_item) ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item;
	WHEN 5 THEN DELETE FROM busy WHERE "PK" = pk AND "SK" = sk;
	WHEN 6 THEN UPDATE busy SET note = repeat('z', 1 + (random() * 300)::int) WHERE "PK" = pk AND "SK" = sk;
	ELSE UPDATE busy SET item = new_item WHERE "PK" = pk AND "SK" = sk;
	END CASE;
	IF random() < 0.1 THEN
		ROLLBACK;
	END IF;
END $$;
CREATE PROCEDURE write_always() LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		CALL write_once();
		COMMIT;
	END LOOP;
END $$;

-- in every snapshot, the index that is never dropped has the same contents as the table, in order
CREATE PROCEDURE read_always() LANGUAGE plpgsql AS $$
DECLARE
	g text;
	expected text[];
	found text[];
	reads int := 0;
BEGIN
	LOOP
		g := 'g' || floor(random() * 5);
		SELECT (SELECT array_agg(item OPERATOR(dynamo.->>) 'n' ORDER BY (item OPERATOR(dynamo.->>) 'n')::numeric) FROM busy
				WHERE item OPERATOR(dynamo.->>) 'grp' = g AND item OPERATOR(dynamo.?) 'n'),
			(SELECT array_agg(q OPERATOR(dynamo.->>) 'n') FROM dynamo.query('busy', 'grp = :g', jsonb_build_object(':g', g), index_name => 'kept') q)
		INTO expected, found;
		IF expected IS DISTINCT FROM found THEN
			RAISE WARNING 'index and table differ: % entries, % items', cardinality(found), cardinality(expected);
		END IF;
		reads := reads + 1;
		IF reads % 10 = 0 THEN
			RAISE NOTICE 'read %', reads;
		END IF;
		COMMIT;
	END LOOP;
END $$;
});

# A session that runs one statement until the server is killed.
sub session
{
	my ($statement, $said) = @_;

	$$said = '';
	return start([ 'psql', '-X', '-q', '-A', '-t', '-d', $node->connstr('postgres'), '-c', $statement ],
		'<', '/dev/null', '>', '/dev/null', '2>', $said);
}

# Changes the indexes endlessly; some statements start builds in the background.
my @changes = (
	"CALL dynamo.create_index_and_wait('busy', 'extra', 'n', 'grp', partition_key_type => 'N')",
	"SELECT dynamo.reshard_index('busy', 'kept', 5)",
	"CALL dynamo.build_indexes('busy')",
	"SELECT dynamo.drop_index('busy', 'extra')",
	"SELECT dynamo.change_index('busy', 'kept', projection => 'INCLUDE', non_key_attributes => ARRAY['text'])",
	"CALL dynamo.build_indexes('busy')",
	"SELECT dynamo.create_index('busy', 'extra', 'text', storage => 'table', projection => 'KEYS_ONLY')",
	"SELECT pg_sleep(0.3 * random())",
	"SELECT dynamo.drop_index('busy', 'extra')",
	"SELECT dynamo.reshard_index('busy', 'kept', 2, shard_by => 'PK')",
	"SELECT pg_sleep(0.3 * random())",
	"SELECT pg_cancel_backend(worker_pid) FROM dynamo.index_progress WHERE worker_pid IS NOT NULL",
	"CALL dynamo.build_indexes('busy')",
	"SELECT dynamo.create_index('busy', 'extra', 'grp', 'n', sort_key_type => 'N')",
	"SELECT pg_terminate_backend(worker_pid) FROM dynamo.index_progress WHERE worker_pid IS NOT NULL",
	"CALL dynamo.build_indexes('busy')",
	"SELECT dynamo.change_index('busy', 'extra', storage => 'table')",
	"CALL dynamo.build_indexes('busy')",
	"SELECT dynamo.drop_index('busy', 'extra')",
);

sub changes
{
	my ($said) = @_;
	my $script = '';
	my $from = int rand @changes;

	# starts anywhere, with the result of the last round
	$script .= "$changes[($from + $_) % @changes];\n" for 0 .. 20 * @changes;
	$$said = '';
	return start([ 'psql', '-X', '-q', '-A', '-t', '-d', $node->connstr('postgres') ],
		'<', \$script, '>', '/dev/null', '2>', $said);
}

sub unexpected
{
	return unexpected_lines(\@_, 'Only 1 online index', 'already exists', 'not found: Index', 'building index .* stopped');
}

sub verify
{
	my ($when) = @_;

	is( $node->safe_psql('postgres', q{
SELECT index_name, v.* FROM dynamo.indexes i, dynamo.verify_index('busy', index_name) v
WHERE status = 'ACTIVE' ORDER BY 1}),
		'', "$when: ACTIVE indexes agree with the table");
}

for my $round (1 .. $kills)
{
	my @said = ('') x ($writers + 2);
	my @sessions = map { session('CALL write_always()', \$said[ $_ - 1 ]) } 1 .. $writers;

	push @sessions, session('CALL read_always()', \$said[$writers]);
	push @sessions, changes(\$said[ $writers + 1 ]);
	my $until = time + 300;
	while (time < $until && $said[$writers] !~ /read 10\b/)
	{
		$_->pumpable && $_->pump_nb for @sessions;
		sleep(0.02);
	}
	$until = Time::HiRes::time() + rand(3);
	while (Time::HiRes::time() < $until)
	{
		$_->pumpable && $_->pump_nb for @sessions;
		sleep(0.02);
	}
	crash_node($node);
	$_->finish for @sessions;
	$node->start;

	is(unexpected(@said), '', "round $round: no session had an error");
	like($said[$writers], qr/read 10\b/, "round $round: the index was read");
	verify("round $round, restarted");
	$node->safe_psql('postgres', 'CALL dynamo.build_indexes()');
	is($node->safe_psql('postgres', "SELECT index_name, status FROM dynamo.indexes WHERE status <> 'ACTIVE'"),
		'', "round $round: builds were completed");
	verify("round $round, built");
	is( $node->safe_psql('postgres', q{
SELECT c.relname FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = '~dynamo_guard_truncate'
WHERE NOT c.relispartition AND c.relname NOT IN (SELECT relation_name FROM dynamo.indexes)
UNION SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid}),
		'', "round $round: nothing is left over");
}
$node->stop;
done_testing();
