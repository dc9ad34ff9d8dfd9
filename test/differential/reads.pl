#!/usr/bin/perl
# Random ranges of random tables and indexes: dynamo.query and dynamo.scan, by
# the direct path and by SQL, against plain SQL over the table's items.  SEED
# repeats a run, CASES sets the number of reads.  psql finds the server through
# the usual environment variables; a database of its own is created there and
# dropped at the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use utf8;
use JSON::PP;
use MIME::Base64 qw(encode_base64);
use Test::More;
use TestDatabase;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output todo_output);

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 30000 : 2000);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_reads_$$";
my $json = JSON::PP->new->canonical->utf8(0);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- key values: few, with common prefixes, at the ends of their types ----

my @letters = ('a', 'b', '#', 'é', "\x{7f}", "\x{d7ff}", "\x{ffff}", "\x{10ffff}");
my @numbers = ('0', '1', '-1', '2', '10', '-10', '0.5', '1.25', '1e-130', '-1e-130', '9e125', '-9e125');
my @bytes = ("\x00", "\x01", "\x7f", "\x80", "\xff");

sub key_value
{
	my ($type) = @_;
	return {N => pick(@numbers)} if $type eq 'N';
	return {S => join '', map { pick(@letters) } 0 .. rand 3} if $type eq 'S';
	return {B => encode_base64(join('', map { pick(@bytes) } 0 .. rand 3), '')};
}

# ---- SQL ----

sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

sub item_literal { return quoted($json->encode($_[0])) . '::dynamo.item' }

sub sql_value
{
	my ($v) = @_;
	return '(' . quoted($v->{S}) . ' COLLATE "C")' if exists $v->{S};
	return quoted($v->{N}) . '::numeric' if exists $v->{N};
	return 'decode(' . quoted($v->{B}) . ", 'base64')";
}

sub sql_attribute
{
	my ($name, $type) = @_;
	my $text = "(item ->> " . quoted($name) . ")";
	return "($text COLLATE \"C\")" if $type eq 'S';
	return "$text\::numeric" if $type eq 'N';
	return "decode($text, 'base64')";
}

# The order of a table or an index: its key, then what it lacks of the table's.
sub position_attributes
{
	my ($table, $index) = @_;
	my %seen;
	return grep { !$seen{$_}++ } ($index ? @{$index->{key}} : ()), @{$table->{key}};
}

# ---- tables ----

my @tables;
my $setup = '';

sub new_table
{
	my ($name, $types, $indexes) = @_;
	my %table = (name => $name, types => {%$types, g1 => pick(qw(S N B)), g2 => pick(qw(S N B))});
	$table{key} = [sort keys %$types];
	my $key = join ', ', map { quoted($_) } @{$table{key}};
	$setup .= "SELECT dynamo.create_table('$name', $key, partition_key_type => '$types->{p}'"
		. ($types->{s} ? ", sort_key_type => '$types->{s}'" : '') . ");\n";
	for my $index (@$indexes) {
		add_index(\%table, $index);
	}
	for (1 .. 250) {
		my $item = {map { $_ => pick_value(\%table, $_) } grep { chance(/^g/ ? .85 : 1) } keys %{$table{types}}};
		$setup .= "INSERT INTO $name (item) VALUES (" . item_literal($item) . ") ON CONFLICT DO NOTHING;\n";
		push @{$table{items}}, $item;
	}
	push @tables, \%table;
}

sub add_index
{
	my ($table, $index) = @_;
	my $list = sub { '{' . join(',', @_) . '}' };
	my @partition = @{$index->{key}}[0 .. $index->{partition} - 1];
	my @sort = @{$index->{key}}[$index->{partition} .. $#{$index->{key}}];
	my $types = $table->{types};
	$setup .= "SELECT dynamo.create_index('$table->{name}', '$index->{name}', "
		. quoted($list->(@partition)) . '::text[], ' . (@sort ? quoted($list->(@sort)) : 'NULL') . '::text[]'
		. ', partition_key_type => ' . quoted($list->(map { $types->{$_} } @partition)) . '::text[]'
		. (@sort ? ', sort_key_type => ' . quoted($list->(map { $types->{$_} } @sort)) . '::text[]' : '')
		. ($index->{options} // '') . ");\n";
	push @{$table->{indexes}}, $index;
}

# Few partitions, so that they have many items.
my %partitions;

sub pick_value
{
	my ($table, $name) = @_;
	return key_value($table->{types}{$name}) unless $name =~ /^(p|g1)$/;
	$partitions{$table->{name}}{$name} //= [map { key_value($table->{types}{$name}) } 1 .. 3];
	return pick(@{$partitions{$table->{name}}{$name}});
}

my @indexes = (
	{name => 'global', key => ['g1', 'g2'], partition => 1},
	{name => 'inverted', key => ['s', 'p'], partition => 1},
	{name => 'alone', key => ['g1'], partition => 1},
	{name => 'several', key => ['g1', 's', 'g2'], partition => 1},
	{name => 'both', key => ['p', 'g1', 'g2', 's'], partition => 2},
	{name => 'apart', key => ['g1', 'g2'], partition => 1, options => ", storage => 'table'"},
	{name => 'shards', key => ['g1', 'g2'], partition => 1, options => ', shards => 5'},
	{name => 'byvalue', key => ['g1', 'g2'], partition => 1, options => ", shards => 3, shard_by => 'g2'"});
for my $s (qw(S N B)) {
	new_table('by_' . lc $s, {p => pick(qw(S N B)), s => $s}, \@indexes);
}
new_table('hash_only', {p => 'S'}, [grep { !grep { $_ eq 's' } @{$_->{key}} } @indexes]);

# ---- reads ----

# The condition on one attribute, in both languages.
sub sort_condition
{
	my ($name, $type, $values) = @_;
	my ($a, $b) = (key_value($type), key_value($type));
	my $attribute = sql_attribute($name, $type);
	my $op = pick('<', '<=', '>', '>=', '=', 'between', $type eq 'N' ? () : ('begins_with') x 2);
	$values->{':a'} = $a;
	if ($op eq 'between') {
		$values->{':b'} = $b;
		return ("$name BETWEEN :a AND :b", "$attribute BETWEEN " . sql_value($a) . ' AND ' . sql_value($b));
	}
	if ($op eq 'begins_with') {
		my $v = sql_value($a);
		my $prefix = $type eq 'S' ? "left($attribute, length($v)) = $v"
			: "substring($attribute FROM 1 FOR length($v)) = $v";
		return ("begins_with($name, :a)", $prefix);
	}
	return chance(.2) && $op eq '=' ? (":a = $name", "$attribute = " . sql_value($a))
		: ("$name $op :a", "$attribute $op " . sql_value($a));
}

sub start_key
{
	my ($table, $index, $equal) = @_;
	my @names = position_attributes($table, $index);
	my $from = pick(@{$table->{items}});
	return {map { $_ => $equal->{$_} // (chance(.8) && $from->{$_} ? $from->{$_} : pick_value($table, $_)) } @names};
}

sub read_case
{
	my $table = pick(@tables);
	my $index = chance(.75) ? pick(@{$table->{indexes}}) : undef;
	my $forward = chance(.5);
	my @key = $index ? @{$index->{key}} : @{$table->{key}};
	my $partition = $index ? $index->{partition} : 1;
	my (@arguments, @where, %values, %equal, @conditions);

	push @where, map { "item ? " . quoted($_) } @key;
	if (chance(.85)) {
		for my $i (0 .. $partition - 1) {
			my $v = $equal{$key[$i]} = pick_value($table, $key[$i]);
			$values{":p$i"} = $v;
			push @conditions, "$key[$i] = :p$i";
			push @where, sql_attribute($key[$i], $table->{types}{$key[$i]}) . ' = ' . sql_value($v);
		}
		my $sort = $partition;
		while ($sort < $#key && chance(.4)) {
			my $name = $key[$sort];
			$values{":s$sort"} = $equal{$name} = pick_value($table, $name);
			push @conditions, "$name = :s$sort";
			push @where, sql_attribute($name, $table->{types}{$name}) . ' = ' . sql_value($equal{$name});
			$sort++;
		}
		if ($sort <= $#key && chance(.7)) {
			my ($condition, $where) = sort_condition($key[$sort], $table->{types}{$key[$sort]}, \%values);
			push @conditions, $condition;
			push @where, $where;
		}
		push @arguments, quoted(join ' AND ', @conditions), 'expression_attribute_values => ' . item_literal(\%values),
			'scan_index_forward => ' . ($forward ? 'true' : 'false');
	} else {
		$forward = 1;
	}
	push @arguments, 'index_name => ' . quoted($index->{name}) if $index;

	my @order = position_attributes($table, $index);
	if (chance(.4)) {
		my $start = start_key($table, $index, \%equal);
		push @arguments, 'exclusive_start_key => ' . item_literal($start);
		push @where, 'ROW(' . join(', ', map { sql_attribute($_, $table->{types}{$_}) } @order) . ')'
			. ($forward ? ' > ' : ' < ') . 'ROW(' . join(', ', map { sql_value($start->{$_}) } @order) . ')';
	}
	my $limit = chance(.4) ? 1 + int rand 40 : undef;
	push @arguments, "max_items => $limit" if $limit;

	my $function = (@conditions ? 'query' : 'scan') . "('$table->{name}'" . join('', map { ", $_" } @arguments) . ')';
	my $sql = "SELECT item FROM $table->{name} WHERE " . join(' AND ', @where) . ' ORDER BY '
		. join(', ', map { sql_attribute($_, $table->{types}{$_}) . ($forward ? '' : ' DESC') } @order)
		. ($limit ? " LIMIT $limit" : '');
	return 'SELECT compare(' . quoted("SELECT dynamo.$function") . ', ' . quoted($sql) . ");\n";
}

# ---- comparison, inside the server ----

my $compare = <<'SQL';
CREATE TABLE outcomes (outcome text);
CREATE FUNCTION results(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[];
BEGIN
	EXECUTE 'SELECT array_agg(i::text) FROM (' || query || ') AS s (i)' INTO result;
	RETURN coalesce(result, '{}');
EXCEPTION WHEN SQLSTATE 'KV001' THEN
	RETURN ARRAY['error', SQLERRM];
END $$;
CREATE FUNCTION compare(by_function text, by_sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	direct text[];
	statements text[];
	expected text[];
	outcome text;
BEGIN
	PERFORM set_config('dynamo.direct_access', 'on', false);
	direct := results(by_function);
	PERFORM set_config('dynamo.direct_access', 'off', false);
	statements := results(by_function);
	expected := CASE WHEN direct[1] = 'error' THEN direct ELSE results(by_sql) END;
	outcome := CASE WHEN direct IS DISTINCT FROM statements THEN 'paths differ'
		WHEN direct IS DISTINCT FROM expected THEN 'wrong'
		WHEN direct[1] = 'error' THEN direct[2]
		WHEN direct = '{}' THEN 'empty'
		ELSE 'rows' END;
	INSERT INTO outcomes VALUES (outcome);
	RETURN CASE WHEN outcome IN ('paths differ', 'wrong') THEN concat_ws(E'\n', outcome, by_function, by_sql, direct, statements, expected) END;
END $$;
SQL

# Each item in exactly one segment, whatever is read.
sub segment_case
{
	my $table = pick(@tables);
	my $index = chance(.5) ? pick(@{$table->{indexes}}) : undef;
	my $total = 1 + int rand 9;
	my $where = $index ? ' WHERE ' . join(' AND ', map { "item ? " . quoted($_) } @{$index->{key}}) : '';
	my $options = $index ? ', index_name => ' . quoted($index->{name}) : '';
	return 'SELECT compare(' . quoted("SELECT i FROM generate_series(0, $total - 1) n, "
			. "LATERAL dynamo.scan('$table->{name}', segment => n, total_segments => $total$options) i ORDER BY i::text COLLATE \"C\"")
		. ', ' . quoted("SELECT item FROM $table->{name}$where ORDER BY item::text COLLATE \"C\"") . ");\n";
}

# ---- run ----

create_database($database, $setup);

my $reads = join '', map { chance(.03) ? segment_case() : read_case() } 1 .. $cases;
my ($status, $output) = psql($database, $compare . $reads);
is($status, 0, 'reads run') or diag($output);
is($output, '', "$cases reads agree");

($status, $output) = psql($database, "SELECT count(*), left(outcome, 60) FROM outcomes GROUP BY 2 ORDER BY 1 DESC");
note($output);
my %count = map { /^(\d+)\|(.*)/ ? ($2 => $1) : () } split /\n/, $output;
cmp_ok($count{rows} // 0, '>', $cases / 3, 'most reads find something');

done_testing();
