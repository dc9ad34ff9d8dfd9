# growth.pl: the cost of operations against the size of a table with three
# inline indexes.  Started by bench/growth.
use strict;
use warnings;
use Bench;
use IO::Handle;

my $work = $ENV{BENCH_WORK};
my @sizes = @ARGV ? @ARGV : (10_000, 100_000, 1_000_000, 10_000_000);
my $chunk = 100_000;
my $rounds = 5;

sub load
{
	my ($size) = @_;

	run_script(q{
DROP TABLE IF EXISTS grow;
SELECT dynamo.create_table('grow', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('grow', 'GSI' || n, 'GSI' || n || 'PK', 'GSI' || n || 'SK') FROM generate_series(1, 3) n});
	for (my $from = 0; $from < $size; $from += $chunk)
	{
		my $to = ($from + $chunk < $size ? $from + $chunk : $size) - 1;
		progress(sprintf("\r%d items: loading %3d %%", $size, 100 * $from / $size));
		run_script("INSERT INTO grow (item) SELECT bench_indexed_order(i)::dynamo.item FROM generate_series($from, $to) i");
	}
	progress("\r$size items: measuring      \n");
	run_script('VACUUM ANALYZE grow; CHECKPOINT');
}

# Random keys, and one new item for each of them.
sub sample
{
	my ($size) = @_;
	my %query = (
		key => 'bench_key(doc)',
		columns => q{doc ->> 'PK', doc ->> 'SK'},
		item => "(doc || '{\"quantity\": 99}')::dynamo.item",
		collection => q{json_build_object(':pk', json_build_object('S', doc ->> 'PK'))},
		new => "(doc || jsonb_build_object('SK', 'NEW#' || i))::dynamo.item");

	run_script("DROP TABLE IF EXISTS grow_sample; CREATE TABLE grow_sample AS
SELECT i, bench_indexed_order(i) AS doc FROM (SELECT (random() * ($size - 1))::bigint AS i FROM generate_series(1, 20000)) s");
	rows_to_file("SELECT $query{$_} FROM grow_sample", "$work/$_") for keys %query;
}

# An index key is exchanged with another attribute, so that every update changes it.
my %operation = (
	get => [ 'key', q{SELECT dynamo.get_item('grow', $1)} ],
	'get, plain SQL' => [ 'columns', q{SELECT item FROM grow WHERE "PK" = $1 AND "SK" = $2} ],
	'put, existing key' => [ 'item', q{SELECT dynamo.put_item('grow', $1)} ],
	'put, new key' => [ 'new', q{SELECT dynamo.put_item('grow', $1)} ],
	'new key, plain SQL' => [ 'new', q{INSERT INTO grow (item) VALUES ($1) ON CONFLICT ("PK", "SK") DO UPDATE SET item = excluded.item} ],
	'query, 10 items' => [ 'collection', q{SELECT dynamo.query('grow', 'PK = :pk', $1, max_items => 10)} ],
	update => [ 'key', q{SELECT dynamo.update_item('grow', $1, 'ADD quantity :n', expression_attribute_values => '{":n": {"N": "1"}}')} ],
	'update, index key' => [ 'key', q{SELECT dynamo.update_item('grow', $1, 'SET GSI1PK = if_not_exists(former, SK), former = GSI1PK')} ]);
my @order = ('get', 'get, plain SQL', 'query, 10 items', 'update', 'put, existing key', 'put, new key', 'new key, plain SQL', 'update, index key');

# Buffers touched by a warm execution, the mean of ten.
sub buffers
{
	my ($file, $statement) = @_;
	my ($script, $sum, $n) = ('', 0, 0);
	my @rows;

	open(my $in, '<', "$work/$file") or die $!;
	while (my $row = <$in>)
	{
		chomp $row;
		push @rows, $row;
		last if @rows == 11;
	}
	$script = "PREPARE s AS $statement;\n";
	for my $row (@rows)
	{
		my $literals = join ', ', map { s/'/''/gr =~ s/(.*)/'$1'/sr } split /\x1f/, $row;
		$script .= "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) EXECUTE s($literals);\n";
	}
	my @plans = split /^(?=ProjectSet|Result|Index Scan|Insert on)/m, run_script($script);
	shift @plans;
	for my $plan (@plans)
	{
		my ($hit) = $plan =~ /Buffers: shared hit=(\d+)/;
		my ($read) = $plan =~ /Buffers: shared.* read=(\d+)/;
		$sum += ($hit || 0) + ($read || 0);
		$n++;
	}
	return $n ? $sum / $n : 0;
}

# Processor time of an operation, in microseconds.  New keys are new in every
# round.
sub cost
{
	my ($name, $file, $statement) = @_;
	my %option = (p => "$work/$file", w => 32, n => 10000);

	if ($name =~ /new key/)
	{
		run_script(q{
DELETE FROM grow USING grow_sample WHERE "PK" = doc ->> 'PK' AND "SK" = 'NEW#' || i;
VACUUM grow});
	}
	return (rate($statement, %option))[1];
}

run_script("CREATE EXTENSION IF NOT EXISTS dynamo;");
my $common = do { local $/; open(my $in, '<', "$ENV{BENCH_DIR}/setup/common.sql") or die $!; <$in> };
run_script($common);

my (%cost, %buffers, %disk);
for my $size (@sizes)
{
	load($size);
	sample($size);
	$disk{$size} = run_script("SELECT pg_total_relation_size('grow') / $size");
	for my $name (@order)
	{
		my ($file, $statement) = @{ $operation{$name} };
		$cost{$name}{$size} = median(map { cost($name, $file, $statement) } 0 .. $rounds);
		$buffers{$name}{$size} = buffers($file, $statement);
	}
}

sub row
{
	print '| ', join(' | ', @_), " |\n";
}

my $base = (grep { $_ == 100_000 } @sizes) ? 100_000 : $sizes[0];
print run_script('SHOW server_version'), ", shared_buffers ", run_script('SHOW shared_buffers'),
  "; microseconds of processor time and buffers touched, an operation\n\n";
row('items', @sizes, "largest / $base");
row('---', map { '---' } @sizes, 1);
for my $name (@order)
{
	row($name, (map { sprintf('%.1f us, %.0f', $cost{$name}{$_}, $buffers{$name}{$_}) } @sizes),
		sprintf('**%.2f**', $cost{$name}{ $sizes[-1] } / $cost{$name}{$base}));
}
row('bytes on disk per item', (map { $disk{$_} } @sizes), sprintf('%.2f', $disk{ $sizes[-1] } / $disk{$base}));
