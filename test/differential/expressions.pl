#!/usr/bin/perl
# Random items and random expressions: the extension's evaluators against
# ExpressionModel.  SEED repeats a run, CASES sets the number of cases of each
# kind.  psql finds the server through the usual environment variables; a
# database of its own is created there and dropped at the end.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use JSON::PP;
use MIME::Base64 qw(encode_base64);
use Test::More;
use ExpressionModel;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output todo_output);

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 100000 : 6000);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_expressions_$$";
my $json = JSON::PP->new->canonical->utf8(0);

# ---- random values and items ----

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

my @texts = ('', 'a', 'ab', 'abc', 'b', 'z', 'é', '☃', 'x y', "\x{1F600}");
my @numbers = ('0', '1', '2', '-1', '10', '2.5', '-0.25', '100', '99.99', '3', '1.0', '-5');
my @blobs = map { encode_base64($_, '') } ('', 'a', 'ab', "\x00", "\xff\x00", 'abc');
my @names = ('a', 'b', 'c', 'd', 'e', 'size', 'x.y', 'ü', '_u');

sub number { return {N => pick(@numbers)} }

sub distinct
{
	my ($type, @from) = @_;
	my %members;
	for my $member (map { pick(@from) } 1 .. 1 + rand 4) {
		$members{ExpressionModel::canonical({$type => $member})} //= $member;
	}
	return {"${type}S" => [values %members]};
}

sub scalar_value
{
	my $r = rand;
	return number() if $r < .35;
	return {S => pick(@texts)} if $r < .7;
	return {B => pick(@blobs)} if $r < .82;
	return {NULL => JSON::PP::true} if $r < .88;
	return {BOOL => chance(.5) ? JSON::PP::true : JSON::PP::false};
}

sub set_value
{
	my $r = rand;
	return $r < .4 ? distinct('S', @texts) : $r < .8 ? distinct('N', @numbers) : distinct('B', @blobs);
}

sub list_value { my ($depth) = @_; return {L => [map { value($depth - 1) } 1 .. rand 5]} }
sub map_value { my ($depth) = @_; return {M => {map { pick(@names) => value($depth - 1) } 1 .. rand 5}} }

sub value
{
	my ($depth) = @_;
	my $r = rand;
	return list_value($depth) if $depth > 0 && $r < .22;
	return map_value($depth) if $depth > 0 && $r < .44;
	return set_value() if $r < .58;
	return scalar_value();
}

sub item { return {map { pick(@names) => value(3) } 0 .. rand 7} }

# ---- random expressions ----

my ($item, %values, %placeholders);

sub new_case
{
	($item, %values, %placeholders) = (item());
}

sub literal
{
	my ($v) = @_;
	my $name = ':v' . keys %values;
	$values{$name} = $v;
	return ['value', $name, $v];
}

# A path that mostly leads somewhere.
sub path
{
	my ($max) = @_;
	my @steps = (chance(.85) && %$item ? pick(sort keys %$item) : pick(@names));
	my $v = $item->{$steps[0]};
	while (@steps < ($max // 4)) {
		my $list = $v && exists $v->{L} ? $v->{L} : undef;
		my $map = $v && exists $v->{M} ? $v->{M} : undef;
		last if chance($list || $map ? .25 : .9);
		my $as_list = $list ? chance(.95) : $map ? chance(.05) : chance(.4);
		if ($as_list) {
			my $i = int rand(@{$list // []} + 2);
			push @steps, \$i;
			$v = $list && $i < @$list ? $list->[$i] : undef;
		} else {
			my $name = $map && %$map && chance(.85) ? pick(sort keys %$map) : pick(@names);
			push @steps, $name;
			$v = $map ? $map->{$name} : undef;
		}
	}
	return ['path', @steps];
}

# A value that some path has, or one near it.
sub likely
{
	my $v = ExpressionModel::resolve($item, path());
	return ExpressionModel::copy($v) if $v && chance(.6);
	return value(2);
}

sub operand
{
	my $r = rand;
	return path() if $r < .5;
	return ['size', chance(.9) ? path() : literal(likely())] if $r < .62;
	return literal(likely());
}

sub ordered_value { return chance(.95) ? pick(number(), {S => pick(@texts)}, {B => pick(@blobs)}) : likely() }

sub bounds
{
	my @v = (ordered_value());
	push @v, chance(.9) ? (exists $v[0]{N} ? number() : exists $v[0]{S} ? {S => pick(@texts)} : {B => pick(@blobs)})
	  : ordered_value();
	my $order = ExpressionModel::compare(@v);
	@v = reverse @v if defined $order && $order > 0 && chance(.95);
	return map { chance(.85) ? literal($_) : path() } @v;
}

# Compares a path with what it may hold.
sub about
{
	my $path = path();
	my $v = ExpressionModel::resolve($item, $path);
	my $usable = $v && (chance(.05) || (keys %$v)[0] =~ /^[SNB]$/);
	return ($path, literal($usable && chance(.6) ? ExpressionModel::copy($v) : ordered_value()));
}

sub part_of
{
	my ($v) = @_;
	return likely() if !$v || chance(.2);
	return pick(@{$v->{L}}) if $v->{L} && @{$v->{L}};
	for my $type (qw(S N B)) {
		return {$type => pick(@{$v->{"${type}S"}})} if $v->{"${type}S"};
	}
	return {S => substr($v->{S}, rand length $v->{S}, rand 3)} if exists $v->{S};
	return likely();
}

my @types = qw(S N B BOOL NULL L M SS NS BS);

sub predicate
{
	my $r = rand;
	return [pick('=', '<>'), chance(.5) ? about() : (operand(), operand())] if $r < .2;
	return [pick('<', '<=', '>', '>='), chance(.8) ? about() : (path(), path())] if $r < .4;
	return ['BETWEEN', chance(.8) ? path() : operand(), bounds()] if $r < .5;
	return ['IN', operand(), map { operand() } 0 .. rand 4] if $r < .6;
	return [pick('attribute_exists', 'attribute_not_exists'), path()] if $r < .72;
	return ['attribute_type', chance(.95) ? path() : literal(likely()), literal({S => pick(@types)})] if $r < .8;
	my $path = path();
	my $part = part_of(ExpressionModel::resolve($item, $path));
	return ['contains', $path, literal($part)] if $r < .92;
	$part = {S => pick(@texts)} if !exists $part->{S} && !exists $part->{B} && chance(.9);
	return ['begins_with', $path, literal($part)];
}

# Mostly paths of which none is the start of another.
sub targets
{
	my @paths = map { path($_[1]) } 1 .. $_[0];
	return @paths if chance(.1);
	my @kept;
	for my $path (@paths) {
		push @kept, $path if eval { ExpressionModel::check_targets(@kept, $path); 1 };
	}
	return @kept;
}

sub condition
{
	my ($depth) = @_;
	my $r = rand;
	return predicate() if $depth == 0 || $r < .4;
	return ['NOT', condition($depth - 1)] if $r < .52;
	return [pick('AND', 'OR'), map { condition($depth - 1) } 0 .. 1 + rand 2];
}

sub set_operand
{
	my ($depth) = @_;
	my $r = rand;
	return path() if $r < .35;
	return ['if_not_exists', path(), set_operand(0)] if $depth > 0 && $r < .55;
	return literal(likely());
}

sub number_operand
{
	my $r = rand;
	return literal(chance(.95) ? number() : likely()) if $r < .5;
	return ['if_not_exists', path(), literal(number())] if $r < .75;
	my @numeric = grep { exists $item->{$_}{N} } sort keys %$item;
	return @numeric && chance(.8) ? ['path', pick(@numeric)] : path();
}

sub list_operand
{
	my @lists = grep { exists $item->{$_}{L} } sort keys %$item;
	return ['path', pick(@lists)] if @lists && chance(.6);
	return ['if_not_exists', path(), literal(list_value(1))] if chance(.4);
	return literal(chance(.95) ? list_value(2) : likely());
}

sub set_value_operand
{
	my $r = rand;
	return [pick('+', '-'), number_operand(), number_operand()] if $r < .3;
	return ['list_append', list_operand(), list_operand()] if $r < .45;
	return set_operand(2);
}

# A path to an attribute of a type that ADD or DELETE can work on, often.
sub collection_target
{
	my ($pattern) = @_;
	my @fit = grep { (keys %{$item->{$_}})[0] =~ $pattern } sort keys %$item;
	return @fit && chance(.6) ? ['path', pick(@fit)] : path();
}

sub fitting
{
	my ($path) = @_;
	my $v = ExpressionModel::resolve($item, $path);
	my ($type) = $v ? keys %$v : ('');
	return set_value() if chance(.15);
	return $type eq 'N' ? number() : $type eq 'SS' ? distinct('S', @texts) : $type eq 'NS' ? distinct('N', @numbers)
	  : $type eq 'BS' ? distinct('B', @blobs) : chance(.9) ? number() : likely();
}

sub action
{
	my $r = rand;
	return ['SET', path(), set_value_operand()] if $r < .5;
	return ['REMOVE', path()] if $r < .7;
	my $path = collection_target(qr/^(N|[SNB]S)$/);
	return ['ADD', $path, literal(fitting($path))] if $r < .87;
	$path = collection_target(qr/^[SNB]S$/);
	my $v = fitting($path);
	$v = set_value() if exists $v->{N} && chance(.9);
	return ['DELETE', $path, literal($v)];
}

# ---- expressions as text ----

sub space { return chance(.9) ? ' ' : pick('', "\n", "\t ", '  ') }

sub name_text
{
	my ($name) = @_;
	return $name if $name =~ /^[a-e]$/ && chance(.7);
	for my $known (keys %placeholders) {
		return $known if $placeholders{$known} eq $name && chance(.7);
	}
	my $new = '#n' . keys %placeholders;
	$placeholders{$new} = $name;
	return $new;
}

sub path_source
{
	my ($path) = @_;
	my $text = '';
	for my $step (ExpressionModel::steps($path)) {
		my $space = chance(.97) ? '' : ' ';
		if (ref $step) { $text .= "$space\[$space$$step$space]" }
		else { $text .= ($text eq '' ? '' : "$space.$space") . name_text($step) }
	}
	return $text;
}

sub operand_source
{
	my ($o) = @_;
	my ($op, @args) = @$o;
	my $text = $op eq 'path' ? path_source($o) : $op eq 'value' ? $args[0]
	  : $op =~ /^[-+]$/ ? operand_source($args[0]) . " $op " . operand_source($args[1])
	  : "$op(" . join(',' . space(), map { operand_source($_) } @args) . ')';
	return $op !~ /^[-+]$/ && chance(.05) ? "($text)" : $text;
}

sub keyword { my ($word) = @_; return chance(.8) ? $word : pick(lc $word, ucfirst lc $word) }

my %strength = (OR => 1, AND => 2, NOT => 3);

sub condition_source
{
	my ($c, $around) = @_;
	my ($op, @args) = @$c;
	my $mine = $strength{$op} // 4;
	my $text;
	if ($op eq 'AND' || $op eq 'OR') {
		$text = join(' ' . keyword($op) . ' ', map { condition_source($_, $mine) } @args);
	} elsif ($op eq 'NOT') {
		$text = keyword('NOT') . ' ' . condition_source($args[0], $mine);
	} else {
		my @o = map { operand_source($_) } @args;
		$text = $op eq 'BETWEEN' ? "$o[0] " . keyword('BETWEEN') . " $o[1] " . keyword('AND') . " $o[2]"
		  : $op eq 'IN' ? shift(@o) . ' ' . keyword('IN') . space() . '(' . join(', ', @o) . ')'
		  : $op =~ /^\w/ ? "$op(" . join(',' . space(), @o) . ')'
		  : $o[0] . space() . $op . space() . $o[1];
	}
	my $needed = $mine < $around || ($mine == $around && $mine < 3);
	return $needed || chance(.1) ? "($text)" : $text;
}

sub update_source
{
	my @actions = @_;
	my %section;
	for my $a (@actions) {
		my ($what, $path, $operand) = @$a;
		my $text = path_source($path);
		$text .= space() . '=' . space() . operand_source($operand) if $what eq 'SET';
		$text .= " $operand->[1]" if $what eq 'ADD' || $what eq 'DELETE';
		push @{$section{$what}}, $text;
	}
	my %seen;
	return join(' ', map { keyword($_) . ' ' . join(',' . space(), @{$section{$_}}) }
		  grep { !$seen{$_}++ } map { $_->[0] } @actions);
}

# Mostly actions whose targets do not overlap.
sub apart
{
	my @actions = @_;
	return @actions if chance(.1);
	my @kept;
	for my $a (@actions) {
		push @kept, $a if eval { ExpressionModel::check_targets(map { $_->[1] } @kept, $a); 1 };
	}
	return @kept;
}

# Sections hold their actions together.
sub grouped
{
	my %first;
	$first{$_[$_][0]} //= $_ for 0 .. $#_;
	return sort { $first{$a->[0]} <=> $first{$b->[0]} } @_;
}

# ---- cases ----

# What an evaluation gives: ["ok", text], or ["error", texts].
sub outcome
{
	my ($code) = @_;
	my $result = eval { [ok => $code->()] };
	return $result if $result;
	my @texts = ref $@ ? ($@->{any} ? @{$@->{any}} : "$@->{text}\n") : $@;
	return [error => map { s/\n$//r } @texts];
}

sub item_text { return defined $_[0] ? ExpressionModel::canonical({M => $_[0]}) : 'none' }

my %make = (
	matches => sub {
		my $c = condition(3);
		$ExpressionModel::kind = 'ConditionExpression';
		return (condition_source($c, 0), outcome(sub {
			ExpressionModel::check_condition($c);
			return ExpressionModel::matches($item, $c) ? 'true' : 'false';
		}));
	},
	project => sub {
		my @paths = targets(1 + rand 4, 6);
		$ExpressionModel::kind = 'ProjectionExpression';
		return (join(',' . space(), map { path_source($_) } @paths), outcome(sub {
			ExpressionModel::check_targets(@paths);
			return item_text(ExpressionModel::project($item, @paths));
		}));
	},
	apply_update => sub {
		my @actions = grouped(apart(map { action() } 0 .. rand 5));
		my $source = update_source(@actions);
		$item = undef if chance(.05);
		$ExpressionModel::kind = 'UpdateExpression';
		return ($source, outcome(sub {
			ExpressionModel::check_update(@actions);
			return item_text(ExpressionModel::update($item, @actions));
		}));
	});

sub copy_field
{
	my ($text) = @_;
	return '\N' if !defined $text;
	$text =~ s/\\/\\\\/g;
	$text =~ s/\t/\\t/g;
	$text =~ s/\n/\\n/g;
	return $text;
}

sub sql
{
	my ($in, @statements) = @_;
	system('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $in, map { ('-c', $_) } @statements) == 0
	  or BAIL_OUT('psql failed');
}

# All cases in one round trip; results come back one a line.
sub run_cases
{
	my ($function, @rows) = @_;
	my $script = File::Temp->new;
	binmode($script, ':utf8');
	my $arguments = 'item, expression, ' . ($function eq 'project' ? '' : 'vals, ') . 'names';
	my $type = $function eq 'matches' ? 'boolean' : 'dynamo.item';
	print $script <<"SQL";
\\set ON_ERROR_STOP 1
SET search_path = public, dynamo;
CREATE TEMP TABLE cases (id int, item text, expression text, vals text, names jsonb);
CREATE FUNCTION pg_temp.run(item text, expression text, vals dynamo.item, names jsonb) RETURNS text
LANGUAGE plpgsql AS \$\$
DECLARE
	item dynamo.item := item;
	result $type;
BEGIN
	result := dynamo.$function($arguments);
	-- the same bytes as when read from text: the encoding is canonical
	IF result::text::$type <> result THEN
		RETURN 'not canonical: ' || result::text;
	END IF;
	RETURN coalesce(result::text, 'none');
EXCEPTION WHEN SQLSTATE 'KV001' THEN
	RETURN 'error ' || sqlerrm;
END \$\$;
COPY cases FROM STDIN;
SQL
	print $script join("\t", map { copy_field($_) } @$_), "\n" for @rows;
	print $script "\\.\n";
	print $script "SELECT pg_temp.run(item, expression, vals::dynamo.item, names) FROM cases ORDER BY id;\n";
	close $script;
	open my $psql, '-|', 'psql', '-XqAt', '-d', $database, '-f', "$script" or die "psql: $!";
	binmode($psql, ':utf8');
	chomp(my @lines = <$psql>);
	close $psql or BAIL_OUT("psql failed: $?");
	return @lines;
}

sub decode
{
	my ($line) = @_;
	return $line if $line !~ /^\{/;
	return item_text($json->decode($line));
}

sub agrees
{
	my ($got, $expected) = @_;
	my ($what, @texts) = @$expected;
	return decode($got) eq $texts[0] if $what eq 'ok';
	return scalar grep { $got eq "error $_" } @texts;
}

sql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8'");
sql($database, 'SET client_min_messages = warning', 'CREATE EXTENSION dynamo');
END { system('psql', '-Xq', '-d', 'postgres', '-c', "DROP DATABASE IF EXISTS $database") if $database }

for my $function (sort keys %make) {
	my (@rows, @expected, %seen);
	while (@rows < $cases) {
		new_case();
		my ($source, $expected) = $make{$function}->();
		my %used = map { $_ => 1 } $source =~ /(:v\d+)/g;
		delete @values{grep { !$used{$_} } keys %values};
		push @rows, [scalar @rows, defined $item ? $json->encode($item) : undef, $source,
			%values ? $json->encode(\%values) : undef, %placeholders ? $json->encode(\%placeholders) : undef];
		push @expected, $expected;
	}
	my @got = run_cases($function, @rows);
	my $wrong = 0;
	for my $i (0 .. $#rows) {
		$seen{$expected[$i][0] eq 'ok' ? substr($expected[$i][1], 0, 4) =~ s/^M\{.*/an item/r : $expected[$i][-1] =~ s/;.*//r}++;
		next if agrees($got[$i] // 'no answer', $expected[$i]);
		diag("$function, case $i:\n  item       ", $rows[$i][1] // 'none', "\n  expression $rows[$i][2]\n",
			"  values     ", $rows[$i][3] // 'none', "\n  names      ", $rows[$i][4] // 'none',
			"\n  got        ", $got[$i] // 'no answer', "\n  expected   @{$expected[$i]}")
		  if ++$wrong <= 5;
	}
	note("$function: $_ $seen{$_} times") for sort keys %seen;
	is($wrong, 0, "$function: " . scalar(@rows) . " cases agree with the model (SEED=$seed)");
}
done_testing();
