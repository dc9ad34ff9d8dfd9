#!/usr/bin/perl
# Random vectors, changes and searches against a model: scores computed in Perl's
# double precision from numbers rounded to single precision, and the order by
# them.  Some tables are partitioned, some searches are made by a role that sees
# a part of the rows.  With pgvector, HNSW indexes must return as many items with
# right scores, and most of the nearest.  SEED repeats a run, CASES sets the
# number of searches.  psql finds the server
# through the usual environment variables; a database of its own is created there
# and dropped at the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0 min max);
use TestDatabase;
use Test::More;

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 2000 : 200);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_vectors_$$";
create_database($database, '');

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- the model ----

my $greatest = 3.4028234663852886e38;

sub single { return map { unpack 'f', pack 'f', $_ } @_ }

sub product { my ($p, $q) = @_; return sum0 map { $p->[$_] * $q->[$_] } 0 .. $#$p }

my %score = (
	COSINE => sub {
		my ($p, $q) = @_;
		my $lengths = sqrt(product($p, $p)) * sqrt(product($q, $q));
		return $lengths == 0 ? 1 : 1 - max(min(product($p, $q) / $lengths, 1), -1);
	},
	EUCLIDEAN => sub {
		my ($p, $q) = @_;
		return min(sqrt(sum0 map { ($p->[$_] - $q->[$_])**2 } 0 .. $#$p), $greatest);
	},
	DOT_PRODUCT => sub {
		return max(min(product(@_), $greatest), -$greatest);
	});

# ---- vectors ----

# As text, with digits that single precision loses, and as far as it reaches.
sub number
{
	return '0' if chance(0.1);
	my $text = sprintf '%s%d.%s', pick('', '-'), rand pick(1, 10, 1000), join '', map { int rand 10 } 1 .. pick(1, 3, 7, 12, 20);
	return chance(0.03) ? $text . 'e' . pick(-60, -45, -38, -20, 20, 30, 34) : $text;
}

sub vector
{
	my ($n) = @_;
	return map { '0' } 1 .. $n if chance(0.03);
	return map { number() } 1 .. $n;
}

# ---- tables ----

my @dimensions = (1, 2, 3, 7, 8, 9, 16, 33, 700, 1900);
my %items;						# of each table, by pk
my $pgvector = (psql($database, q{SELECT count(*) FROM pg_available_extension_versions WHERE name = 'vector' AND string_to_array(version, '.')::int[] >= '{0,8}'}))[1] > 0;

sub new_item
{
	my ($n, $pk) = @_;
	return { pk => $pk, part => pick('a', 'b'), tag => int rand 3, emb => [ vector($n) ] };
}

sub list { return '{"L": [' . join(', ', map { "{\"N\": \"$_\"}" } @_) . ']}' }

sub literal
{
	my ($item) = @_;
	my @members = ("\"pk\": {\"S\": \"$item->{pk}\"}");
	push @members, "\"part\": {\"S\": \"$item->{part}\"}" if defined $item->{part};
	push @members, "\"tag\": {\"N\": \"$item->{tag}\"}" if defined $item->{tag};
	push @members, '"emb": ' . list(@{ $item->{emb} }) if $item->{emb};
	return "'{" . join(', ', @members) . "}'";
}

sub run
{
	my ($sql, $what) = @_;
	my ($status, $output) = psql($database, $sql);
	is($status, 0, $what) or BAIL_OUT($output);
}

my $schema = "partition_key => 'part', filters => ARRAY['tag'], filter_types => ARRAY['N']";
my $setup = 'CREATE ROLE ' . $database . '_reader; GRANT USAGE ON SCHEMA public TO ' . $database . "_reader;\n";

for my $n (@dimensions)
{
	my $partitions = $n % 2 ? ', partitions => 2' : '';

	$setup .= "SELECT dynamo.create_table('vec$n', 'pk'$partitions);\n";
	$setup .= "SELECT dynamo.create_vector_index('vec$n', '$_', 'emb', $n, '$_', $schema);\n" for qw(COSINE EUCLIDEAN);
	for my $i (1 .. ($n > 100 ? 30 : 120))
	{
		my $item = $items{$n}{"i$i"} = new_item($n, "i$i");

		$setup .= "SELECT dynamo.put_item('vec$n', " . literal($item) . ");\n";
	}
	# one index is older than half of its items, one younger than all
	$setup .= "SELECT dynamo.create_vector_index('vec$n', 'DOT_PRODUCT', 'emb', $n, 'DOT_PRODUCT', $schema);\n";
	$setup .= "ALTER TABLE vec$n ENABLE ROW LEVEL SECURITY; GRANT SELECT ON vec$n TO ${database}_reader; CREATE POLICY most ON vec$n USING (pk !~ '7');\n";
}
run($setup, 'tables');
END { system('psql', '-Xq', '-d', $database, '-c', "DROP OWNED BY ${database}_reader; DROP ROLE ${database}_reader") if %items }

# ---- changes ----

# Each returns a statement, and changes the model.
my @changes = (
	sub {
		my ($table, $items, $n, $pk) = @_;
		$items->{$pk} = new_item($n, $pk);
		delete $items->{$pk}{ pick('emb', 'part', 'tag') } if chance(0.3);
		return "SELECT dynamo.put_item('$table', " . literal($items->{$pk}) . ')' if chance(0.5);
		return "INSERT INTO $table (pk, item) VALUES ('$pk', " . literal($items->{$pk}) . ') ON CONFLICT (pk) DO UPDATE SET item = excluded.item';
	},
	sub {
		my ($table, $items, $n, $pk) = @_;
		my @emb = vector($n);
		$items->{$pk} = { %{ $items->{$pk} // { pk => $pk } }, emb => \@emb };
		return "SELECT dynamo.update_item('$table', '{\"pk\": {\"S\": \"$pk\"}}', 'SET emb = :v', expression_attribute_values => '{\":v\": " . list(@emb) . "}')";
	},
	sub {
		my ($table, $items, $n, $pk) = @_;
		my $name = pick('emb', 'part', 'tag');
		return undef if !$items->{$pk};
		delete $items->{$pk}{$name};
		return "SELECT dynamo.update_item('$table', '{\"pk\": {\"S\": \"$pk\"}}', 'REMOVE $name')";
	},
	sub {
		my ($table, $items, $n, $pk) = @_;
		delete $items->{$pk};
		return chance(0.5) ? "DELETE FROM $table WHERE pk = '$pk'" : "SELECT dynamo.delete_item('$table', '{\"pk\": {\"S\": \"$pk\"}}')";
	},
	# what is refused or rolled back changes nothing
	sub {
		my ($table, $items, $n, $pk) = @_;
		return "DO \$\$ BEGIN PERFORM dynamo.put_item('$table', " . literal(new_item($n + pick(-1, 1), $pk)) .
			"); RAISE 'stored'; EXCEPTION WHEN SQLSTATE 'KV001' THEN NULL; END \$\$";
	},
	sub {
		my ($table, $items, $n, $pk) = @_;
		return "BEGIN; SAVEPOINT s; DELETE FROM $table WHERE pk ~ '1'; SELECT dynamo.put_item('$table', " . literal(new_item($n, $pk)) .
			'); ROLLBACK TO s; ' . pick('COMMIT', 'ROLLBACK');
	});

sub change
{
	my ($table, $n, $count) = @_;
	my $items = $items{$n};
	my $known = keys %$items;

	return join '', map { "$_;\n" } grep { defined } map { pick(@changes)->($table, $items, $n, 'i' . (1 + int rand 1.3 * $known)) } 1 .. $count;
}

# ---- searches ----

my $failures = 0;

sub close_to
{
	my ($got, $want) = @_;
	return abs($got - $want) <= 1e-9 * max(1, abs $got, abs $want);
}

sub failed
{
	my ($what) = @_;
	diag($what) if $failures++ < 5;
}

# Returns the keys and scores that a search finds.
sub search
{
	my ($table, $distance, $query, $count, $condition, $values, $settings) = @_;
	my $more = $condition ne '' ? ", '$condition', '$values'::jsonb" : '';
	my ($state, $got) = psql($database, $settings . sprintf "SELECT (item OPERATOR(dynamo.->>) 'pk') || ' ' || score FROM dynamo.search_vectors('$table', '$distance', '{%s}', $count$more)",
		join ',', map { sprintf '%.9g', $_ } @$query);

	failed("$distance of $table: $got") if $state != 0;
	return map { [ split / / ] } split /\n/, $got;
}

sub best_first
{
	my ($distance, @scores) = @_;
	return sort { $distance eq 'DOT_PRODUCT' ? $b <=> $a : $a <=> $b } @scores;
}

# The scores of the items that a search may return.
sub expected
{
	my ($distance, $query, @items) = @_;
	return map { $_->{pk} => $score{$distance}->([ single(@{ $_->{emb} }) ], $query) } grep { $_->{emb} } @items;
}

sub search_case
{
	my $n = pick(@dimensions);
	my $distance = pick(sort keys %score);
	my $count = pick(1, 5, 100);
	my $part = pick('a', 'b');
	my $tag = chance(0.5) ? int rand 3 : undef;
	my $hidden = chance(0.3);
	my $like = pick(grep { $_->{emb} } map { $items{$n}{$_} } sort keys %{ $items{$n} });
	my @query = single(chance(0.2) ? @{ $like->{emb} } : vector($n));
	my %expected = expected($distance, \@query, grep { ($_->{part} // '') eq $part && (!defined $tag || ($_->{tag} // -1) == $tag) && !($hidden && $_->{pk} =~ /7/) } values %{ $items{$n} });
	my @best = best_first($distance, values %expected);
	my @rows = search("vec$n", $distance, \@query, $count, 'part = :p' . (defined $tag ? ' AND tag = :t' : ''), "{\":p\": \"$part\"" . (defined $tag ? ", \":t\": $tag" : '') . '}',
		($hidden ? "SET ROLE ${database}_reader; " : '') . (chance(0.2) ? 'SET dynamo.direct_access = off; ' : '') . (chance(0.2) ? 'BEGIN ISOLATION LEVEL REPEATABLE READ; ' : ''));

	failed("$distance of $n: " . @rows . ' rows') if @rows != min($count, scalar @best);
	for my $i (0 .. $#rows)
	{
		my ($pk, $score) = @{ $rows[$i] };

		failed("$distance of $n: $pk has $score, not " . ($expected{$pk} // 'in the partition')) if !defined $expected{$pk} || !close_to($score, $expected{$pk});
		failed("$distance of $n: row $i has $score, not $best[$i]") if !close_to($score, $best[$i]);
	}
}

sub verify
{
	my ($what) = @_;

	for my $n (@dimensions)
	{
		my ($state, $got) = psql($database, "SELECT i, problem, key, detail FROM unnest(ARRAY['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT']) i, dynamo.verify_index('vec$n', i)");
		is($got, '', "indexes of vec$n $what");
	}
}

search_case() for 1 .. $cases / 2;
run(join('', map { change("vec$_", $_, 60) } @dimensions), 'changes');
search_case() for 1 .. $cases / 2;
is($failures, 0, "$cases searches");
verify('after changes');

# ---- HNSW indexes ----

my $near = 8;
my ($right, $wanted) = (0, 0);

# Without a partition and with more than 2,000 entries, so that no search is exact because there are few.
sub near_case
{
	my $distance = pick(sort keys %score);
	my $count = pick(1, 10, 100);
	my $tag = chance(0.6) ? int rand 3 : undef;
	my @query = single(map { rand() - 0.5 } 1 .. $near);
	my %expected = expected($distance, \@query, grep { !defined $tag || ($_->{tag} // -1) == $tag } values %{ $items{near} });
	my @best = (best_first($distance, values %expected))[ 0 .. min($count, scalar keys %expected) - 1 ];
	my @rows = search('near', $distance, \@query, $count, defined $tag ? ('tag = :t', "{\":t\": $tag}") : ('', ''), '');
	my @scores = map { $_->[1] } @rows;

	failed("near $distance: " . @rows . ' rows') if @rows != @best;
	for my $row (@rows) { failed("near $distance: $row->[0] has $row->[1]") if !defined $expected{ $row->[0] } || !close_to($row->[1], $expected{ $row->[0] }) }
	failed("near $distance: wrong order") if "@scores" ne join ' ', best_first($distance, @scores);
	$wanted += @best;
	$right += grep { close_to($_, $best[-1]) || (best_first($distance, $_, $best[-1]))[0] == $_ } @scores;
}

SKIP: {
	skip('pgvector is not installed', 1) if !$pgvector;
	my @columns = map { [ map { (rand() - 0.5) } 1 .. $near ] } 1 .. 3000;

	$items{near} = { map { ("i$_" => { pk => "i$_", tag => chance(0.02) ? 2 : int rand 2, emb => [ map { sprintf '%.6f', $_ } @{ $columns[ $_ - 1 ] } ] }) } 1 .. 3000 };
	run("SET client_min_messages = warning; CREATE EXTENSION vector; SELECT dynamo.create_table('near', 'pk');\n" .
		join('', map { "SELECT dynamo.create_vector_index('near', '$_', 'emb', $near, '$_', filters => ARRAY['tag'], filter_types => ARRAY['N'], method => 'hnsw');\n" } qw(COSINE EUCLIDEAN)) .
		join('', map { "SELECT dynamo.put_item('near', " . literal($items{near}{$_}) . ");\n" } sort keys %{ $items{near} }) .
		"SELECT dynamo.create_vector_index('near', 'DOT_PRODUCT', 'emb', $near, 'DOT_PRODUCT', filters => ARRAY['tag'], filter_types => ARRAY['N'], method => 'hnsw');\n", 'HNSW indexes');
	near_case() for 1 .. $cases / 4;
	for my $pk (grep { chance(0.3) } sort keys %{ $items{near} }) { delete $items{near}{$pk} }
	run("DELETE FROM near WHERE NOT pk = ANY ('{" . join(',', keys %{ $items{near} }) . "}')", 'deletes');
	near_case() for 1 .. $cases / 4;
	cmp_ok($right, '>=', 0.95 * $wanted, "recall $right of $wanted");
	is($failures, 0, 'searches through HNSW indexes');
}
done_testing();
