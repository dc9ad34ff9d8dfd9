#!/usr/bin/perl
# Random Query and Scan requests, page by page to the end, against a model in
# Perl that has the whole list of items: key conditions, filters, projections,
# both directions, every kind of storage, keys at the ends of their types.  The
# direct path and SQL must answer alike, and the functions return what the
# requests do.  SEED repeats a run, CASES sets the number of reads.  psql finds
# the server through the usual environment variables; a database of its own is
# created there and dropped at the end.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use List::Util qw(shuffle sum0);
use Math::BigFloat;
use MIME::Base64 qw(encode_base64 decode_base64);
use Test::More;
use ExpressionModel;
use TestDatabase;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output todo_output);

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 8000 : 400);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_pages_$$";
my $json = JSON::PP->new->canonical->ascii;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- key values: few, at the ends of their types, prefixes of each other ----

my @letters = ('a', 'b', '#', "\x01", "\x7f", "\x{80}", 'é', "\x{d7ff}", "\x{e000}", "\x{ffff}", "\x{10000}", "\x{10ffff}");
my @numbers = ('0', '-0', '0.00', '1', '1.0', '10e-1', '-1', '10', '1e1', '-10', '0.5', '99999999999999999999999999999999999999',
	'99999999999999999999999999999999999998', '-99999999999999999999999999999999999999', '1.0000000000000000000000000000000000001',
	'0.00000000000000000000000000000000000001', '1e-130', '-1e-130', '1.1e-129', '9.9999999999999999999999999999999999999e125',
	'-9.9999999999999999999999999999999999999e125', '1e125', '123456789012345678', '9007199254740993', '9007199254740992');
my @bytes = ("\x00", "\x01", "\x7f", "\x80", "\xfe", "\xff");

sub key_value
{
	my ($type) = @_;
	return {N => pick(@numbers)} if $type eq 'N';
	return {S => join('', map { pick(@letters) } 0 .. rand 3) . (chance(0.03) ? 'x' x 300 : '')} if $type eq 'S';
	return {B => encode_base64(join('', map { pick(@bytes) } 0 .. rand 3), '')};
}

# ---- the order of keys ----

my %big;
sub big { return $big{$_[0]} //= Math::BigFloat->new($_[0] =~ s/^-(?=[0.]+$)//r) }

sub compare
{
	my ($x, $y) = @_;
	return big($x->{N})->bcmp(big($y->{N})) if exists $x->{N};
	return ExpressionModel::bytes($x) cmp ExpressionModel::bytes($y);
}

sub begins { return index(ExpressionModel::bytes($_[0]), ExpressionModel::bytes($_[1])) == 0 }

# A text that is the same for equal values: numbers without their form, sets without their order.
sub canonical
{
	my ($v) = @_;
	my ($type) = keys %$v;
	my $c = $v->{$type};
	return 'N' . big($c)->bnstr if $type eq 'N';
	return 'L[' . join(',', map { canonical($_) } @$c) . ']' if $type eq 'L';
	return 'M{' . join(',', map { quotemeta($_) . canonical($c->{$_}) } sort keys %$c) . '}' if $type eq 'M';
	return "$type(" . join(',', sort map { canonical({substr($type, 0, 1) => $_}) } @$c) . ')' if $type =~ /^.S$/;
	return $type . quotemeta($type =~ /^(BOOL|NULL)$/ ? ($c ? 1 : 0) : $c);
}

sub text { return canonical({M => $_[0]}) }

# ---- tables ----

my @tables;
my $setup = '';

sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }
sub literal { return quoted($json->encode($_[0])) }
sub array { return quoted('{' . join(',', @_) . '}') . '::text[]' }

# The order of a table or an index: its key, then what it lacks of the table's.
sub position_attributes
{
	my ($table, $index) = @_;
	my %seen;
	return grep { !$seen{$_}++ } ($index ? @{$index->{key}} : ()), @{$table->{key}};
}

# Few partitions, so that they have many items.
sub pick_value
{
	my ($table, $name) = @_;
	return key_value($table->{types}{$name}) if $name !~ /^(p|g1)$/;
	$table->{partitions}{$name} //= [map { key_value($table->{types}{$name}) } 1 .. 3];
	return pick(@{$table->{partitions}{$name}});
}

my %rest = (
	f => sub { return pick({N => pick('1', '2', '-3', '2.5')}, {S => pick('', 'a', 'ab', 'é')}, {B => pick('', '/w==')}, {BOOL => JSON::PP::true}) },
	h => sub { return {N => pick('1', '2', '3')} },
	m => sub { return {M => {x => {N => pick('1', '2')}, l => {L => [map { {S => pick('a', 'b')} } 1 .. 2]}}} },
	t => sub { return {SS => [pick(['a'], ['a', 'b'], ['c'])->@*]} });

sub new_item
{
	my ($table) = @_;
	my %item = map { $_ => pick_value($table, $_) } grep { !/^g/ || chance(0.85) } keys %{$table->{types}};
	$item{$_} = $rest{$_}->() for grep { chance(0.6) } sort keys %rest;
	return \%item;
}

# What an index has of an item; undef if it has nothing of it.
sub projected
{
	my ($table, $index, $item) = @_;
	return $item if !$index;
	return undef if grep { !$item->{$_} } @{$index->{key}};
	return $item if $index->{projection} eq 'ALL';
	my %kept = map { $_ => 1 } position_attributes($table, $index), ($index->{projection} eq 'INCLUDE' ? ('f', 'm') : ());
	return {map { $_ => $item->{$_} } grep { $kept{$_} } keys %$item};
}

sub add_index
{
	my ($table, %index) = @_;
	my @partition = @{$index{key}}[0 .. $index{partition} - 1];
	my @sort = @{$index{key}}[$index{partition} .. $#{$index{key}}];
	$index{projection} = pick(qw(ALL ALL KEYS_ONLY INCLUDE));
	$setup .= "SELECT dynamo.create_index('$table->{name}', '$index{name}', " . array(@partition) . ', ' . (@sort ? array(@sort) : 'NULL')
		. ', partition_key_type => ' . array(map { $table->{types}{$_} } @partition)
		. (@sort ? ', sort_key_type => ' . array(map { $table->{types}{$_} } @sort) : '')
		. ", projection => '$index{projection}'" . ($index{projection} eq 'INCLUDE' ? ", non_key_attributes => '{f,m}'" : '')
		. ($index{options} // '') . ");\n";
	push @{$table->{indexes}}, \%index;
}

# Numbers have many forms: an item replaces the one with an equal key.
sub fill
{
	my ($table, $n) = @_;
	my %items;
	for (1 .. $n) {
		my $item = new_item($table);
		$items{text({map { $_ => $item->{$_} } @{$table->{key}}})} = $item;
		$setup .= "SELECT dynamo.request('PutItem', " . literal({TableName => $table->{name}, Item => $item}) . ");\n";
	}
	for my $key (grep { chance(0.05) } sort keys %items) {
		my $item = delete $items{$key};
		$setup .= "SELECT dynamo.request('DeleteItem', " . literal({TableName => $table->{name}, Key => {map { $_ => $item->{$_} } @{$table->{key}}}}) . ");\n";
	}
	$table->{items} = [values %items];
}

sub new_table
{
	my ($name, $types, $options, @indexes) = @_;
	my $table = {name => $name, types => {%$types, g1 => pick(qw(S N B)), g2 => pick(qw(S N B))}, key => [sort keys %$types], indexes => []};
	$setup .= "SELECT dynamo.create_table('$name', " . join(', ', map { quoted($_) } @{$table->{key}}) . ", partition_key_type => '$types->{p}'"
		. ($types->{s} ? ", sort_key_type => '$types->{s}'" : '') . "$options);\n";
	my @late = splice @indexes, @indexes / 2;
	add_index($table, %$_) for grep { $types->{s} || !grep { $_ eq 's' } @{$_->{key}} } @indexes;
	fill($table, 200);
	add_index($table, %$_) for grep { $types->{s} || !grep { $_ eq 's' } @{$_->{key}} } @late;
	push @tables, $table;
}

my @indexes = (
	{name => 'inverted', key => ['s', 'p'], partition => 1},
	{name => 'alone', key => ['g1'], partition => 1},
	{name => 'both', key => ['p', 'g1', 'g2', 's'], partition => 2},
	{name => 'apart', key => ['g1', 'g2'], partition => 1, options => ", storage => 'table'"},
	{name => 'shards', key => ['g1', 's'], partition => 1, options => ', shards => 4'},
	{name => 'global', key => ['g1', 'g2'], partition => 1},
	{name => 'several', key => ['g1', 's', 'g2'], partition => 1},
	{name => 'few', key => ['g2'], partition => 1, options => ", storage => 'table'"},
	{name => 'byvalue', key => ['g1', 'g2'], partition => 1, options => ", shards => 3, shard_by => 'g2'"});
for my $s (qw(S N B)) {
	new_table("plain_\l$s", {p => pick(qw(S N B)), s => $s}, '', @indexes);
	new_table("parts_\l$s", {p => pick(qw(S N B)), s => $s}, ', partitions => 3', @indexes);
}
new_table('hash_only', {p => 'N'}, '', @indexes);

# ---- conditions on keys ----

# Returns the condition on a sort attribute as text, and as a function of a value.
sub sort_condition
{
	my ($name, $type, $values) = @_;
	my ($a, $b) = (key_value($type), key_value($type));
	my $op = pick('<', '<=', '>', '>=', '=', 'BETWEEN', $type eq 'N' ? () : ('begins_with') x 2);

	($a, $b) = ($b, $a) if $op eq 'BETWEEN' && compare($a, $b) > 0;
	$values->{':a'} = $a;
	return ("begins_with($name, :a)", sub { begins($_[0], $a) }) if $op eq 'begins_with';
	if ($op eq 'BETWEEN') {
		$values->{':b'} = $b;
		return ("$name BETWEEN :a AND :b", sub { compare($_[0], $a) >= 0 && compare($_[0], $b) <= 0 });
	}
	my %holds = ('<' => sub { $_[0] < 0 }, '<=' => sub { $_[0] <= 0 }, '>' => sub { $_[0] > 0 }, '>=' => sub { $_[0] >= 0 }, '=' => sub { $_[0] == 0 });
	return ("$name $op :a", sub { $holds{$op}->(compare($_[0], $a)) });
}

# ---- filters ----

# By the attribute they test: a filter on an index may test only what this projects.
my %filters = (
	f => [
		sub { my ($v) = @_; return [pick('=', '<>', '<', '<=', '>', '>='), ['path', 'f'], $v->(scalar_value())] },
		sub { return [pick('attribute_exists', 'attribute_not_exists'), ['path', 'f']] },
		sub { my ($v) = @_; return ['begins_with', ['path', 'f'], $v->({S => pick('', 'a', 'ab')})] }],
	h => [
		sub { my ($v) = @_; return ['BETWEEN', ['path', 'h'], $v->({N => '1'}), $v->({N => pick('1', '2')})] },
		sub { my ($v) = @_; return ['IN', ['path', 'h'], map { $v->({N => $_}) } '1', '3'] }],
	m => [
		sub { my ($v) = @_; return [pick('=', '<>'), ['path', 'm', 'x'], $v->({N => '1'})] },
		sub { my ($v) = @_; return ['=', ['path', 'm', 'l', \1], $v->({S => 'a'})] }],
	t => [
		sub { return [pick('attribute_exists', 'attribute_not_exists'), ['path', 't']] },
		sub { my ($v) = @_; return ['contains', ['path', 't'], $v->({S => pick('a', 'b')})] }]);

sub scalar_value { return pick({N => pick('1', '2', '2.5')}, {S => pick('', 'a', 'ab')}, {B => pick('', '/w==')}) }

sub filter
{
	my ($value, @names) = @_;
	return pick(@{$filters{pick(@names)}})->($value) if chance(0.6);
	return ['NOT', filter($value, @names)] if chance(0.3);
	return [pick('AND', 'OR'), map { filter($value, @names) } 1 .. 2];
}

sub operand_text
{
	my ($o) = @_;
	return $o->[1] if $o->[0] eq 'value';
	return join('', map { ref $_ ? "[$$_]" : ".$_" } @$o[1 .. $#$o]) =~ s/^\.//r;
}

sub filter_text
{
	my ($c) = @_;
	my ($op, @args) = @$c;
	return '(' . join(" $op ", map { filter_text($_) } @args) . ')' if $op =~ /^(AND|OR)$/;
	return 'NOT ' . filter_text($args[0]) if $op eq 'NOT';
	my ($first, @others) = map { operand_text($_) } @args;
	return "$first BETWEEN $others[0] AND $others[1]" if $op eq 'BETWEEN';
	return "$first IN (" . join(', ', @others) . ')' if $op eq 'IN';
	return "$op(" . join(', ', $first, @others) . ')' if $op =~ /^[a-z]/;
	return "$first $op $others[0]";
}

# ---- a read ----

# The steps that make a request; each adds to the request and to what the model does.
sub key_condition
{
	my ($read) = @_;
	my ($table, $index) = @$read{qw(table index)};
	my @key = $index ? @{$index->{key}} : @{$table->{key}};
	my $sort = $index ? $index->{partition} : 1;
	my @conditions;

	for my $i (0 .. $sort - 1) {
		my $v = $read->{values}{":p$i"} = pick_value($table, $key[$i]);
		push @conditions, "$key[$i] = :p$i";
		push @{$read->{tests}}, sub { compare($_[0]{$key[$i]}, $v) == 0 };
	}
	for (; $sort < $#key && chance(0.4); $sort++) {
		my $name = $key[$sort];
		my $v = $read->{values}{":s$sort"} = pick_value($table, $name);
		push @conditions, "$name = :s$sort";
		push @{$read->{tests}}, sub { compare($_[0]{$name}, $v) == 0 };
	}
	if ($sort <= $#key && chance(0.7)) {
		my $name = $key[$sort];
		my ($condition, $holds) = sort_condition($name, $table->{types}{$name}, $read->{values});
		push @conditions, $condition;
		push @{$read->{tests}}, sub { $holds->($_[0]{$name}) };
	}
	$read->{request}{KeyConditionExpression} = join ' AND ', shuffle(@conditions);
	$read->{request}{ScanIndexForward} = $read->{forward} ? JSON::PP::true : JSON::PP::false if !$read->{forward} || chance(0.3);
}

sub add_filter
{
	my ($read) = @_;
	my $n = 0;
	my @names = sort keys %{projected($read->{table}, $read->{index}, {map { $_ => 1 } keys %{$read->{table}{types}}, keys %rest})};
	my $value = sub { my $name = ':f' . $n++; $read->{values}{$name} = $_[0]; return ['value', $name, $_[0]] };
	@names = grep { $rest{$_} } @names or return;
	my $filter = $read->{filter} = filter($value, @names);

	$read->{request}{FilterExpression} = filter_text($filter);
}

sub add_projection
{
	my ($read) = @_;
	my $names = projected($read->{table}, $read->{index}, {map { $_ => 1 } 'p', 's', 'g1', 'g2', 'f', 'm'});
	my @paths = map { ['path', $_] } grep { $read->{table}{types}{$_} || /^[fm]$/ } grep { chance(0.4) } sort keys %$names;

	@paths = map { $_->[1] eq 'm' && chance(0.6) ? (['path', 'm', 'x'], ['path', 'm', 'l', \1]) : $_ } @paths;
	return if !@paths;
	$read->{paths} = \@paths;
	$read->{request}{ProjectionExpression} = join ', ', map { operand_text($_) } @paths;
}

sub new_read
{
	my $table = pick(@tables);
	my $index = chance(0.75) ? pick(@{$table->{indexes}}) : undef;
	my $read = {table => $table, index => $index, operation => chance(0.85) ? 'Query' : 'Scan', forward => 1, values => {}, tests => [],
		request => {TableName => $table->{name}, $index ? (IndexName => $index->{name}) : ()}};

	if ($read->{operation} eq 'Query') {
		$read->{forward} = chance(0.5);
		key_condition($read);
	}
	add_filter($read) if chance(0.5);
	if (chance(0.2)) { $read->{request}{Select} = 'COUNT' }
	elsif (chance(0.4)) { add_projection($read) }
	# like the service, a table without sort key refuses to continue a query
	my $continues = $index || $table->{types}{s} || $read->{operation} eq 'Scan';
	$read->{request}{Limit} = $read->{limit} = pick(1, 2, 3, 7, 20, 1000) if $continues && chance(0.7);
	$read->{request}{ExpressionAttributeValues} = $read->{values} if %{$read->{values}};
	return $read;
}

# ---- what it must return ----

# The items that are read, in order.
sub items_read
{
	my ($read) = @_;
	my @order = position_attributes(@$read{qw(table index)});
	my @items = grep { defined } map { projected(@$read{qw(table index)}, $_) } @{$read->{table}{items}};

	for my $test (@{$read->{tests}}) { @items = grep { $test->($_) } @items }
	@items = sort {
		my $result = 0;
		for my $name (@order) { $result = compare($a->{$name}, $b->{$name}) or next; last }
		$result;
	} @items;
	return $read->{forward} ? @items : reverse @items;
}

sub passes
{
	my ($read, $item) = @_;
	my %others = map { $_ => $item->{$_} } grep { $rest{$_} } keys %$item;
	return !$read->{filter} || ExpressionModel::matches(\%others, $read->{filter});
}

sub returned { my ($read, $item) = @_; return text($read->{paths} ? ExpressionModel::project($item, @{$read->{paths}}) : $item) }

# Returns what is wrong with the pages of a read, or nothing.
sub problem
{
	my ($read, @pages) = @_;
	my @order = position_attributes(@$read{qw(table index)});
	my @items = items_read($read);
	my @all = @items;
	my $ordered = $read->{operation} eq 'Query';
	my @got;
	my @want = map { returned($read, $_) } grep { passes($read, $_) } @items;

	for my $i (0 .. $#pages) {
		my $page = $pages[$i];
		my $last = $page->{LastEvaluatedKey};
		my @of_page = splice @items, 0, $page->{ScannedCount};
		my $counted = ($read->{request}{Select} // '') eq 'COUNT';

		push @got, map { text($_) } @{$page->{Items} // []};
		return "page $i has items" if $counted && $page->{Items};
		return "page $i has a wrong count" if !$counted && $page->{Count} != @{$page->{Items}};
		return "page $i reads too much" if $read->{limit} && $page->{ScannedCount} > $read->{limit};
		return "page $i reads too little" if $last && $page->{ScannedCount} != $read->{limit};
		return "page $i has a key" if !$last != ($i == $#pages);
		return "page $i counts $page->{Count}" if $ordered && $page->{Count} != grep { passes($read, $_) } @of_page;
		return "page $i ends elsewhere" if $ordered && $last && text($last) ne text({map { $_ => $of_page[-1]{$_} } @order});
		return "page $i ends with " . join ' ', keys %$last if $last && join(' ', sort keys %$last) ne join(' ', sort @order);
	}
	my $scanned = sum0 map { $_->{ScannedCount} } @pages;
	return "$scanned items read, not " . @all if $scanned != @all;
	return 'wrong total' if @want != sum0 map { $_->{Count} } @pages;
	return undef if ($read->{request}{Select} // '') eq 'COUNT';
	if (!$ordered) { @got = sort @got; @want = sort @want }
	return join("\n", @got) ne join("\n", @want) ? 'wrong items' : undef;
}

# ---- inside the server ----

# Two lines for each read: the responses, and the items of the function, in base64 as others cannot be in a line.
my $functions = <<'SQL';
CREATE FUNCTION line(text) RETURNS text LANGUAGE sql AS $$ SELECT translate(encode(convert_to($1, 'UTF8'), 'base64'), E'\n', '') $$;
CREATE FUNCTION pages(operation text, request jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	response jsonb;
	responses jsonb = '[]';
BEGIN
	FOR i IN 1 .. 1000 LOOP
		response := dynamo.request(operation, request::json);
		responses := responses || response;
		EXIT WHEN response -> 'LastEvaluatedKey' IS NULL;
		request := request || jsonb_build_object('ExclusiveStartKey', response -> 'LastEvaluatedKey');
	END LOOP;
	RETURN responses::text;
END $$;
CREATE FUNCTION read(operation text, request jsonb, function text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answers text[];
	items text;
BEGIN
	FOR i IN 1 .. 2 LOOP
		PERFORM set_config('dynamo.direct_access', CASE i WHEN 1 THEN 'on' ELSE 'off' END, false);
		EXECUTE 'SELECT jsonb_agg(i::text::jsonb) FROM (' || function || ') AS s (i)' INTO items;
		answers[i] := line(pages(operation, request)) || ' ' || line(coalesce(items, '[]'));
	END LOOP;
	RETURN CASE WHEN answers[1] = answers[2] THEN answers[1] ELSE 'the direct path and SQL differ' END;
EXCEPTION WHEN others THEN
	RETURN sqlerrm;
END $$;
SQL

sub function_call
{
	my ($read) = @_;
	my $request = $read->{request};
	my @arguments = (quoted($request->{TableName}));

	push @arguments, 'key_condition_expression => ' . quoted($request->{KeyConditionExpression}) if $request->{KeyConditionExpression};
	push @arguments, 'expression_attribute_values => ' . literal($read->{values}) . '::dynamo.item' if %{$read->{values}};
	push @arguments, 'filter_expression => ' . quoted($request->{FilterExpression}) if $request->{FilterExpression};
	push @arguments, 'projection_expression => ' . quoted($request->{ProjectionExpression}) if $request->{ProjectionExpression};
	push @arguments, 'index_name => ' . quoted($request->{IndexName}) if $request->{IndexName};
	push @arguments, 'scan_index_forward => false' if !$read->{forward};
	return "SELECT dynamo.\l$read->{operation}(" . join(', ', @arguments) . ')';
}

# ---- run ----

create_database($database, "SET dynamo.max_global_indexes = 20;\n$setup");

my @reads = map { new_read() } 1 .. $cases;
my ($status, $output) = psql($database, $functions . join '', map {
	'SELECT read(' . quoted($_->{operation}) . ', ' . literal($_->{request}) . ', ' . quoted(function_call($_)) . ");\n"
} @reads);
is($status, 0, 'reads run') or diag(substr $output, 0, 2000);
my @lines = split /\n/, $output;
is(scalar @lines, $cases, 'every read returns') or BAIL_OUT(substr $output, 0, 2000);

my ($failures, $found) = (0, 0);

sub decoded
{
	my $text = decode_base64($_[0]);
	utf8::decode($text);
	return $json->decode($text);
}

sub outcome
{
	my ($read, $line) = @_;
	my ($pages, $items) = $line =~ m{^(\S{4,}) (\S{4,})$} or return $line;
	my $problem = eval { problem($read, @{decoded($pages)}) } // $@;

	return $problem if $problem;
	$found++ if grep { $_->{Count} } @{decoded($pages)};
	return undef if ($read->{request}{Select} // '') eq 'COUNT';
	my @of_function = map { text($_) } @{decoded($items)};
	my @of_pages = map { text($_) } map { @{$_->{Items}} } @{decoded($pages)};
	return join("\n", @of_function) ne join("\n", @of_pages) ? 'the function returns other items' : undef;
}

for my $i (0 .. $#reads) {
	my $outcome = outcome($reads[$i], $lines[$i]) // next;
	diag("$outcome: $reads[$i]{operation} " . $json->encode($reads[$i]{request})) if $failures++ < 5;
}
is($failures, 0, "$cases reads agree with the model");
cmp_ok($found, '>', $cases / 4, 'many reads find something');

done_testing();
