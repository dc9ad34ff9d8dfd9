# vectors.pl: vector indexes against pgvector, and approximate searches against
# exact ones.  Started by bench/vectors; embeddings.c makes the data.
use strict;
use warnings;
use Bench;
use Getopt::Long;
use IO::Handle;
use Time::HiRes qw(time);

my ($rounds, $seconds, $items, $dimensions) = (5, 2, 100_000, 768);
GetOptions('rounds=i' => \$rounds, 'seconds=f' => \$seconds, 'items=i' => \$items, 'dimensions=i' => \$dimensions)
  or exit 2;
my $work = $ENV{BENCH_WORK};
my $searches = 100;
my $partition = 1000;
my $per_put_round = 500;

# ---- data ----

# Fills a table with embeddings of these numbers.
sub embed
{
	my ($table, $from, $to) = @_;

	run_script("CREATE TABLE $table (i int PRIMARY KEY, emb real[])");
	system(qq{$work/embeddings $dimensions $from $to | psql -X -q -v ON_ERROR_STOP=1 -c "COPY $table FROM STDIN"}) == 0
	  or die "no embeddings\n";
}

# The items of embeddings as the extension takes them.
sub item
{
	my ($alias) = @_;
	return "jsonb_build_object('pk', $alias.i::text, 'tenant', 't' || $alias.i % greatest($items / $partition, 1), 'emb', to_jsonb($alias.emb))";
}

sub load_exact
{
	run_script(q{
SELECT dynamo.create_table('docs', 'pk');
INSERT INTO docs (item) SELECT } . item('e') . qq{ FROM embeddings e;
SET dynamo.in_place_build_limit = $items;
SELECT dynamo.create_vector_index('docs', 'whole', 'emb', $dimensions, projection => 'KEYS_ONLY');
SELECT dynamo.create_vector_index('docs', 'of_tenant', 'emb', $dimensions, partition_key => 'tenant', projection => 'KEYS_ONLY');
VACUUM ANALYZE docs; VACUUM ANALYZE "docs\$whole"; VACUUM ANALYZE "docs\$of_tenant"});
}

# pgvector's default is to keep such vectors beside their rows.
sub load_vectors
{
	my ($table, $storage) = @_;

	run_script(qq{
CREATE TABLE $table (pk text COLLATE "C" PRIMARY KEY, tenant text COLLATE "C", embedding vector($dimensions));
ALTER TABLE $table ALTER embedding SET STORAGE $storage;
INSERT INTO $table SELECT i, 't' || i % greatest($items / $partition, 1), emb::vector FROM embeddings;
CREATE INDEX ON $table (tenant);
VACUUM ANALYZE $table});
}

# The milliseconds in which each side builds an HNSW index over all rows.
my @builds;

sub timed
{
	my ($script) = @_;
	my $begin = time;

	run_script("SET maintenance_work_mem = '2GB'; $script");
	push @builds, 1000 * (time - $begin);
}

sub load_near
{
	run_script(q{SELECT dynamo.create_table('near', 'pk'); INSERT INTO near (item) SELECT } . item('e') . ' FROM embeddings e');
	timed("SET dynamo.in_place_build_limit = -1; SELECT dynamo.create_vector_index('near', 'near', 'emb', $dimensions, projection => 'KEYS_ONLY', method => 'hnsw')");
	run_script(q{VACUUM ANALYZE near; VACUUM ANALYZE "near$near"});
	run_script(qq{
CREATE TABLE vectors_near (pk text COLLATE "C" PRIMARY KEY, embedding vector($dimensions));
ALTER TABLE vectors_near ALTER embedding SET STORAGE PLAIN;
INSERT INTO vectors_near SELECT i, emb::vector FROM embeddings});
	timed('CREATE INDEX ON vectors_near USING hnsw (embedding vector_cosine_ops)');
	run_script('VACUUM ANALYZE vectors_near');
}

my %loaded;
my %load = (
	exact => [ 'index tables', \&load_exact ],
	inline => [ 'vectors of pgvector in their rows', sub { load_vectors('vectors', 'PLAIN') } ],
	beside => [ 'vectors of pgvector beside their rows', sub { load_vectors('vectors_beside', 'EXTERNAL') } ],
	near => [ 'HNSW indexes', \&load_near ]);

sub load
{
	for my $name (grep { !$loaded{$_}++ } @_)
	{
		progress("Loading $load{$name}[0]\n");
		$load{$name}[1]->();
	}
}

# ---- measurements ----

sub row
{
	print '| ', join(' | ', @_), " |\n";
	STDOUT->flush;
}

sub verdict
{
	my ($target, $ratio, $cpu) = @_;

	return '' if !defined $target;
	return $ratio >= $target ? 'yes' : $cpu >= $target ? 'by CPU' : 'no';
}

# Compares two statements by turns; each is a hash: sql, file, settings; parallel if processor time
# is that of several processes, which is not known; puts: the number of executions, with a file a round.
# A ratio of more than 1 means that the first one is faster.
sub compare
{
	my ($title, $against, $target, @sides) = @_;
	my (@times, @ratios, @cpu_ratios, @cpu);

	for my $round (1 .. $rounds)
	{
		my @results;
		for my $side (@sides)
		{
			my %option = (p => $side->{file}, settings => $side->{settings});

			if ($side->{puts}) { $option{p} .= ".$round"; $option{n} = $side->{puts} }
			else { $option{t} = $seconds }
			push @results, [ rate($side->{sql}, %option) ];
		}
		push @times, [ map { 1000 / $_->[0] } @results ];
		push @cpu, [ map { $_->[1] / 1000 } @results ];
	}
	my @medians = map { my $i = $_; median(map { $_->[$i] } @times) } 0 .. $#sides;
	my $own_cpu = median(map { $_->[0] } @cpu);
	if (@sides == 1)
	{
		row($title, sprintf('%.2f', $medians[0]), sprintf('%.2f', $own_cpu), $against, '', '', '', '', '');
		return $medians[0];
	}
	my $ratio = median(map { $_->[1] / $_->[0] } @times);
	my $cpu_ratio = median(map { $_->[1] / $_->[0] } @cpu);
	row($title, sprintf('%.2f', $medians[0]), sprintf('%.2f', $own_cpu), $against, sprintf('%.2f', $medians[1]),
		sprintf('**%.2f**', $ratio), spread(map { $_->[1] / $_->[0] } @times), $sides[1]{parallel} ? '' : sprintf('**%.2f**', $cpu_ratio),
		defined $target ? sprintf('>= %.2f: %s', $target, verdict($target, $ratio, $cpu_ratio)) : '');
}

my $whole = { sql => q{SELECT item, score FROM dynamo.search_vectors('docs', 'whole', $1, 10)}, file => "$work/searches" };
my $of_tenant = { sql => q{SELECT item, score FROM dynamo.search_vectors('docs', 'of_tenant', $1, 10, 'tenant = :t', $2)}, file => "$work/partitions" };
my $near = { sql => q{SELECT item, score FROM dynamo.search_vectors('near', 'near', $1, 10)}, file => "$work/searches" };

# pgvector's search of a table, of a partition or by the order of its index.
sub theirs
{
	my ($table, $settings, $file, $where) = @_;
	my $order = 'embedding <=> $1';

	return { sql => "SELECT pk, $order FROM $table " . ($where // '') . " ORDER BY $order LIMIT 10", file => "$work/$file", settings => $settings };
}

my $alone = 'max_parallel_workers_per_gather=0';
my $no_index = "$alone enable_indexscan=off";

# Of the nearest ten of each search, the fraction that a statement over queries q finds.
sub recall
{
	my ($statement) = @_;

	return run_script(qq{
SET hnsw.ef_search = 200;
SELECT round(count(*)::numeric / ($searches * 10), 3) FROM queries q CROSS JOIN LATERAL (
	SELECT s.item ->> 'pk' FROM dynamo.search_vectors('docs', 'whole', q.emb, 10) s
	INTERSECT ($statement)) r});
}

# One file of new items for each round of each side; each number is put once.
sub new_items
{
	my ($side, $columns) = @_;

	for my $round (1 .. $rounds)
	{
		my $first = $per_put_round * ($round - 1);
		rows_to_file("SELECT $columns FROM new_embeddings e ORDER BY i OFFSET $first LIMIT $per_put_round", "$work/$side.$round");
	}
}

my %case = (
	scan => sub {
		my ($pgvector) = @_;
		my $title = "exact search of $items items";

		load('exact', $pgvector ? ('inline', 'beside') : ());
		return compare($title, '', undef, $whole) if !$pgvector;
		compare($title, 'pgvector, one process, vectors in their rows', 1 / 1.15, $whole, theirs('vectors', $no_index, 'their_searches'));
		compare($title, 'pgvector, one process, default storage', undef, $whole, theirs('vectors_beside', $no_index, 'their_searches'));
		compare($title, 'pgvector, default storage and parallel workers', undef, $whole,
			{ %{ theirs('vectors_beside', 'enable_indexscan=off', 'their_searches') }, parallel => 1 });
	},
	partition => sub {
		my ($pgvector) = @_;

		load('exact', $pgvector ? 'inline' : ());
		for my $order ('in the order of writes', 'after CLUSTER')
		{
			my $title = "a partition of $partition, $order";

			if ($order =~ /CLUSTER/)
			{
				run_script(q{CLUSTER "docs$of_tenant" USING "docs$of_tenant_pkey"; VACUUM "docs$of_tenant"});
				run_script('CLUSTER vectors USING vectors_tenant_idx; VACUUM vectors') if $pgvector;
			}
			compare($title, '', undef, $of_tenant);
			compare("$title, the same one each time", '', undef, { %$of_tenant, file => "$work/one_partition" });
			compare($title, 'pgvector and an index, vectors in their rows', undef, $of_tenant,
				theirs('vectors', $alone, 'their_partitions', 'WHERE tenant = $2')) if $pgvector;
		}
	},
	hnsw => sub {
		my ($pgvector) = @_;

		return progress("Without pgvector, nothing is measured of HNSW indexes\n") if !$pgvector;
		load('exact', 'near');
		row("vector index with HNSW, filled with $items items", sprintf('%.0f', $builds[0]), '', 'CREATE INDEX of pgvector', sprintf('%.0f', $builds[1]),
			sprintf('**%.2f**', $builds[1] / $builds[0]), '', '', '');
		my $found = recall(q{SELECT s.item ->> 'pk' FROM dynamo.search_vectors('near', 'near', q.emb, 10) s});
		my $their = recall('SELECT v.pk FROM vectors_near v ORDER BY v.embedding <=> q.emb::vector LIMIT 10');
		compare("HNSW search, recall $found", 'exact search', 10, $near, $whole);
		compare("HNSW search, recall $found", "pgvector with as many candidates, recall $their", undef, $near,
			theirs('vectors_near', "$alone hnsw.ef_search=200", 'their_searches'));
	},
	put => sub {
		my ($pgvector) = @_;

		return progress("Without pgvector, nothing is measured of writes\n") if !$pgvector;
		load('near');
		embed('new_embeddings', 2_000_000, 2_000_000 + $rounds * $per_put_round - 1);
		new_items('ours', '(' . item('e') . ')::dynamo.item');
		new_items('theirs', 'i, emb::vector');
		compare('put_item with an HNSW index', 'INSERT of the vector with an HNSW index', 0.9,
			{ sql => q{SELECT dynamo.put_item('near', $1)}, file => "$work/ours", puts => $per_put_round },
			{ sql => 'INSERT INTO vectors_near VALUES ($1, $2)', file => "$work/theirs", puts => $per_put_round });
	});
my @cases = @ARGV ? @ARGV : ('scan', 'partition', 'hnsw', 'put');
for my $name (@cases) { die "unknown case $name\n" if !$case{$name} }

run_script('CREATE EXTENSION IF NOT EXISTS dynamo');
my $version = run_script(q{SELECT default_version FROM pg_available_extensions WHERE name = 'vector' AND string_to_array(default_version, '.')::int[] >= '{0,8}'});
if ($version) { run_script('CREATE EXTENSION vector') }
else { progress("pgvector 0.8 or later is not installed: nothing is compared with it\n") }
progress("Making $items embeddings\n");
embed('embeddings', 1, $items);
embed('queries', 1_000_000, 1_000_000 + $searches - 1);
my $tenant = "'t' || i % greatest($items / $partition, 1)";
rows_to_file('SELECT emb FROM queries ORDER BY i', "$work/searches");
rows_to_file("SELECT emb, jsonb_build_object(':t', jsonb_build_object('S', $tenant)) FROM queries ORDER BY i", "$work/partitions");
rows_to_file(q{SELECT emb, '{":t": {"S": "t0"}}' FROM queries ORDER BY i}, "$work/one_partition");
if ($version)
{
	rows_to_file('SELECT emb::vector FROM queries ORDER BY i', "$work/their_searches");
	rows_to_file("SELECT emb::vector, $tenant FROM queries ORDER BY i", "$work/their_partitions");
}

print run_script('SHOW server_version'), ($version ? ", pgvector $version" : ''), "; $items vectors of $dimensions dimensions, the nearest 10\n\n";
row('measured', 'ms', 'CPU ms', 'against', 'ms', 'ratio', 'spread', 'CPU ratio', 'target');
row(map { '---' } 1 .. 9);
$case{$_}->($version) for @cases;
