# moves.pl: shards move and a worker is killed while all nodes write.  No write that
# was acknowledged is lost, no transaction is half there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, $worker, $other) = new_citus_cluster();
my @nodes = ($coordinator, $worker, $other);

value_of($coordinator, q{SELECT dynamo.create_table('kvs', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('kvs', 'inl', 'G', 'SK'); SELECT dynamo.distribute_table('kvs', shards => 4)});

# MOVES=20: a longer run
my $rounds = $ENV{MOVES} || 4;

my $sum = q{SELECT sum((item ->> 'n')::int) FROM kvs WHERE "SK" = 'n'};

for my $mode ('force_logical', 'block_writes')
{
	my $before = value_of($coordinator, $sum) || 0;
	my @counting = map { start_session($_, count_up($mode . $_->name, 375 * $rounds)) } @nodes;

	for my $round (1 .. $rounds)
	{
		my ($from, $to) = $round % 2 ? ($worker, $other) : ($other, $worker);

		move_shard($coordinator, 'kvs', $from, $to, $mode);
	}
	$_->{run}->finish for @counting;
	my $errors = join '', map { $_->{err} } @counting;
	my $out = join '', map { $_->{out} } @counting;

	$errors =~ s/^.*could not serialize access due to the move of a shard.*\n//mg;
	is($errors, '', "$mode: no statement failed during $rounds moves") if $mode eq 'force_logical';
	is(scalar(() = $out =~ /nothing/g), 0, "$mode: none did nothing");
	is(scalar(() = $out =~ /stale/g), 0, "$mode: every session reads what it wrote") if $mode eq 'force_logical';
	is(value_of($coordinator, $sum) - $before, acknowledged(@counting), "$mode: every write is there, once: " . acknowledged(@counting));
	is(value_of($worker, q{SELECT sum(n) FROM generate_series(0, 2) g,
LATERAL (SELECT sum((item ->> 'n')::int) n FROM dynamo.query('kvs', 'G = :g', jsonb_build_object(':g', 'g' || g), index_name => 'inl') item) q}),
		value_of($coordinator, $sum), "$mode: and in the index");
}

# ---- a worker is killed ----

sub transfers
{
	my ($from, $to) = @_;

	return join ";\n", map {
		my $n = $_;
		sprintf q~SELECT 'done' FROM dynamo.transact_write_items('[%s]')~, join ', ',
			map { sprintf '{"Put": {"TableName": "kvs", "Item": {"PK": {"S": "t%d"}, "SK": {"S": "%d"}}}}', $_, $n } 1 .. 4
	} $from .. $to;
}

my $before = value_of($coordinator, $sum);
my @working = map { start_session($_, count_up('k' . $_->name, 2500)) } $coordinator, $other;
my @transacting = (start_session($coordinator, transfers(1, 1000)), start_session($other, transfers(2001, 3000)));

$coordinator->poll_query_until('postgres', q{SELECT count(*) > 300 FROM kvs WHERE "PK" = 't1'});
$worker->stop('immediate');
sleep 1;
$worker->start;
$_->{run}->finish for @working, @transacting;
value_of($coordinator, 'SELECT recover_prepared_transactions()') for 1 .. 2;
$worker->poll_query_until('postgres', 'SELECT NOT EXISTS (SELECT FROM pg_prepared_xacts)');
my $failed = () = join('', map { $_->{err} } @working, @transacting) =~ /ERROR/g;
cmp_ok($failed, '>', 0, "statements failed while a worker was gone: $failed");
cmp_ok(value_of($coordinator, $sum) - $before, '>=', acknowledged(@working), 'no acknowledged write is lost');
my $half = q{SELECT count(*) FROM (SELECT "SK" FROM kvs WHERE "PK" ~ '^t[1-4]$' GROUP BY 1 HAVING count(*) <> 4) h};
is(value_of($coordinator, $half), 0, 'no transaction was committed in part');
cmp_ok(value_of($coordinator, q{SELECT count(DISTINCT "SK") FROM kvs WHERE "PK" ~ '^t[1-4]$'}), '>=', acknowledged(@transacting), 'no acknowledged transaction is lost');
cmp_ok(acknowledged(@transacting), '>', 200, 'there were many: ' . acknowledged(@transacting));

stop_citus_cluster(@nodes);
done_testing();
