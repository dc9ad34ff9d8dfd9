#!/usr/bin/perl
# Random vectors and searches against a model: scores computed in Perl's double
# precision from numbers rounded to single precision, and the order by them.
# SEED repeats a run, CASES sets the number of searches.  psql finds the server
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
my $cases = $ENV{CASES} // 200;
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
my %items;
my $setup = '';

for my $n (@dimensions)
{
	my $count = $n > 100 ? 30 : 120;

	$setup .= "SELECT dynamo.create_table('vec$n', 'pk');\n";
	$setup .= "SELECT dynamo.create_vector_index('vec$n', '$_', 'emb', $n, '$_', partition_key => 'part', filters => ARRAY['tag'], filter_types => ARRAY['N']);\n"
		for qw(COSINE EUCLIDEAN);
	for my $i (1 .. $count)
	{
		my $item = { pk => "i$i", part => pick('a', 'b'), tag => int rand 3, emb => [ vector($n) ] };

		push @{ $items{$n} }, $item;
		$setup .= sprintf "SELECT dynamo.put_item('vec$n', '{\"pk\": {\"S\": \"%s\"}, \"part\": {\"S\": \"%s\"}, \"tag\": {\"N\": \"%d\"}, \"emb\": {\"L\": [%s]}}');\n",
			@$item{qw(pk part tag)}, join ', ', map { "{\"N\": \"$_\"}" } @{ $item->{emb} };
	}
	# one index is older than half of its items, one younger than all
	$setup .= "SELECT dynamo.create_vector_index('vec$n', 'DOT_PRODUCT', 'emb', $n, 'DOT_PRODUCT', partition_key => 'part', filters => ARRAY['tag'], filter_types => ARRAY['N']);\n";
}
my ($status, $output) = psql($database, $setup);
is($status, 0, 'tables') or BAIL_OUT($output);

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

for my $case (1 .. $cases)
{
	my $n = pick(@dimensions);
	my $distance = pick(sort keys %score);
	my $count = pick(1, 5, 100);
	my $part = pick('a', 'b');
	my $tag = chance(0.5) ? int rand 3 : undef;
	my @query = single(chance(0.2) ? @{ pick(@{ $items{$n} })->{emb} } : vector($n));
	my $condition = 'part = :p' . (defined $tag ? ' AND tag = :t' : '');
	my $values = "{\":p\": \"$part\"" . (defined $tag ? ", \":t\": $tag" : '') . '}';
	my %expected = map { $_->{pk} => $score{$distance}->([ single(@{ $_->{emb} }) ], \@query) }
		grep { $_->{part} eq $part && (!defined $tag || $_->{tag} == $tag) } @{ $items{$n} };
	my @best = sort { $distance eq 'DOT_PRODUCT' ? $b <=> $a : $a <=> $b } values %expected;
	my ($state, $got) = psql($database, sprintf "SELECT (item OPERATOR(dynamo.->>) 'pk') || ' ' || score FROM dynamo.search_vectors('vec$n', '$distance', '{%s}', $count, '$condition', '$values'::jsonb)",
		join ',', map { sprintf '%.9g', $_ } @query);
	my @rows = map { [ split / / ] } split /\n/, $got;

	failed("$distance of $n: $got") if $state != 0;
	failed("$distance of $n: " . @rows . ' rows') if @rows != min($count, scalar @best);
	for my $i (0 .. $#rows)
	{
		my ($pk, $score) = @{ $rows[$i] };

		failed("$distance of $n: $pk has $score, not " . ($expected{$pk} // 'in the partition')) if !defined $expected{$pk} || !close_to($score, $expected{$pk});
		failed("$distance of $n: row $i has $score, not $best[$i]") if !close_to($score, $best[$i]);
	}
}
is($failures, 0, "$cases searches");
for my $n (@dimensions)
{
	my ($state, $got) = psql($database, "SELECT i, problem, key, detail FROM unnest(ARRAY['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT']) i, dynamo.verify_index('vec$n', i)");
	is($got, '', "indexes of vec$n");
}
done_testing();
