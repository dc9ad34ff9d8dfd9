#!/usr/bin/perl
# Random PartiQL statements against the requests that mean the same: SELECT
# against Query and Scan, page by page, and INSERT, UPDATE and DELETE, alone, in
# a batch and in a transaction, against PutItem, UpdateItem, DeleteItem and
# TransactWriteItems.  Items, the keys where pages end, capacity, errors and
# what is stored afterwards must be the same, by the direct path and by SQL in
# turn.  SEED repeats a run, CASES sets the number of statements.  psql finds the
# server through the usual environment variables; a database of its own is
# created there and dropped at the end.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use List::Util qw(sum0);
use MIME::Base64 qw(encode_base64);
use Test::More;
use TestDatabase;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output todo_output);

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 20000 : 1500);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_statement_requests_$$";
my $json = JSON::PP->new->canonical->utf8(0)->allow_nonref;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- values ----

my @texts = ('', 'a', 'ab', 'abc', 'b', "it's", "''", 'é', "\x{1F600}", '"', '\\', '?', '--', '/*', "x\ny");
my @numbers = ('0', '1', '2', '-1', '10', '2.5', '-0.25', '100', '1e2', '-5', '9.9999999999999999999999999999999999999E+125',
	'1E-130', '-12345678901234567890123456789012345678', '.5', '5.0');
my @blobs = map { encode_base64($_, '') } ('', 'a', 'ab', "\x00", "\xff\x00");
our @names = ('a', 'b', 'c', 'd', 'size', 'x.y', 'ü', '_u', '$d', 'q"q', 'A', 'select', "it's", 'a b');

sub true { return JSON::PP::true }
sub number { return {N => pick(@numbers)} }

sub set_value
{
	my $type = pick('S', 'S', 'N', 'N', 'B');
	my @from = $type eq 'S' ? @texts : $type eq 'N' ? ('0', '1', '2', '-1', '2.5', '100') : @blobs;
	my %members = map { pick(@from) => 1 } 0 .. rand 3;
	return {"${type}S" => [sort keys %members]};
}

sub scalar_value
{
	my $r = rand;
	return number() if $r < .35;
	return {S => pick(@texts)} if $r < .7;
	return {B => pick(@blobs)} if $r < .8;
	return {NULL => true()} if $r < .88;
	return {BOOL => chance(.5) ? JSON::PP::true : JSON::PP::false};
}

sub value
{
	my ($depth) = @_;
	my $r = rand;
	return {L => [map { value($depth - 1) } 1 .. rand 4]} if $depth > 0 && $r < .2;
	return {M => {map { pick(@names) => value($depth - 1) } 1 .. rand 4}} if $depth > 0 && $r < .4;
	return set_value() if $r < .55;
	return scalar_value();
}

sub item
{
	my %item = ((map { pick(@names) => value(2) } 0 .. rand 7), pk => {S => pick('p', 'q', 'r')}, sk => {N => '' . int rand 6});
	$item{gk} = {S => pick('g', 'h')} if chance(.7);
	$item{lk} = {S => pick('l', 'm', 'mm')} if chance(.7);
	return \%item;
}

# ---- both languages ----

# What is written so far: parameters of the statement, <n?> in its text, names and values of the expressions.
my (@parameters, %placeholders, %values);

sub new_case { (@parameters, %placeholders, %values) = () }

sub space { return chance(.93) ? ' ' : pick("\n", "\t ", '/* ? \' */', "-- it's ?\n") }
sub keyword { my ($word) = @_; return chance(.8) ? $word : pick(lc $word, ucfirst lc $word) }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

sub name_of
{
	my ($name) = @_;
	my $bare = $name =~ /^[abcdA_\$][\w\$]*$|^[psgl]k$/a && chance(.7);
	my $quoted = $name =~ s/"/""/gr;
	return $bare ? $name : "\"$quoted\"";
}

sub placeholder
{
	my ($name) = @_;
	for my $known (keys %placeholders) { return $known if $placeholders{$known} eq $name }
	my $new = '#n' . keys %placeholders;
	$placeholders{$new} = $name;
	return $new;
}

sub literal_of
{
	my ($v) = @_;
	my ($type) = keys %$v;
	my $c = $v->{$type};
	if ($type =~ /^B|SS|NS/ ? chance(.4) || $type =~ /^BS?$/ : chance(.3)) {
		push @parameters, $v;
		return "<$#parameters?>";
	}
	return quoted($c) if $type eq 'S';
	return $c =~ /^-/ && chance(.1) ? $c =~ s/^-/- /r : chance(.05) && $c !~ /^-/ ? "+$c" : $c if $type eq 'N';
	return keyword($c ? 'TRUE' : 'FALSE') if $type eq 'BOOL';
	return keyword('NULL') if $type eq 'NULL';
	return '[' . join(',' . space(), map { literal_of($_) } @$c) . ']' if $type eq 'L';
	return '{' . join(', ', map { quoted($_) . space() . ':' . space() . literal_of($c->{$_}) } sort keys %$c) . '}' if $type eq 'M';
	return '<<' . join(', ', map { literal_of({substr($type, 0, 1) => $_}) } @$c) . '>>';
}

sub value_pair
{
	my ($v) = @_;
	my $name = ':v' . keys %values;
	$values{$name} = $v;
	return (literal_of($v), $name);
}

# A path, as text of both languages.
sub path_of
{
	my @steps = @_;
	my ($one, $two) = ('', '');
	for my $step (@steps) {
		if (ref $step) { $_ .= "[$$step]" for $one, $two }
		else {
			$one .= ($one eq '' ? '' : '.') . name_of($step);
			$two .= ($two eq '' ? '' : '.') . placeholder($step);
		}
	}
	return ($one, $two);
}

our $like;						# an item that paths are often taken from

sub path
{
	my @steps = (chance(.8) && $like ? pick(sort grep { !/^.k$/ } keys %$like) // pick(@names) : pick(@names));
	my $v = $like ? $like->{$steps[0]} : undef;
	while (@steps < 3 && chance($v && ($v->{L} || $v->{M}) ? .7 : .1)) {
		my $list = $v && $v->{L} ? 1 : $v && $v->{M} ? 0 : chance(.5);
		my $i = int rand 3;
		my $name = $v && $v->{M} && %{$v->{M}} ? pick(sort keys %{$v->{M}}) : pick(@names);
		push @steps, $list ? \$i : $name;
		$v = !$v ? undef : $list ? ($v->{L} ? $v->{L}[$i] : undef) : ($v->{M} ? $v->{M}{$name} : undef);
	}
	return path_of(@steps);
}

sub likely
{
	my $v = $like && %$like && chance(.6) ? $like->{pick(sort keys %$like)} : undef;
	return $v // value(1);
}

sub operand
{
	my $r = rand;
	return path() if $r < .5;
	if ($r < .6) {
		my ($one, $two) = path();
		return (keyword('size') . "($one)", "size($two)");
	}
	return value_pair(likely());
}

sub ordered { return value_pair(chance(.97) ? pick(number(), {S => pick(@texts)}, {B => pick(@blobs)}) : likely()) }

# A text without the parentheses around all of it: requests refuse redundant ones.
sub bare
{
	my ($text) = @_;
	my $depth = 0;
	return $text if $text !~ /^\((.*)\)$/s;
	my $inner = $1;
	while ($inner =~ /([()])/g) {
		$depth += $1 eq '(' ? 1 : -1;
		return $text if $depth < 0;
	}
	return $inner;
}

sub wrapped { return '(' . bare($_[0]) . ')' }

sub function_call
{
	my ($name, @pairs) = @_;
	my @one = map { $pairs[2 * $_] } 0 .. $#pairs / 2;
	my @two = map { $pairs[2 * $_ + 1] } 0 .. $#pairs / 2;
	return ((chance(.8) ? $name : uc $name) . '(' . join(', ', @one) . ')', "$name(" . join(', ', @two) . ')');
}

my @types = qw(S N B BOOL NULL L M SS NS BS);
my %type_names = (S => ['STRING', 'varchar(10)', 'CHARACTER VARYING'], N => ['NUMERIC', 'INT', 'double precision', 'Decimal(5, 2)'], B => ['BLOB'],
	BOOL => ['BOOL', 'boolean'], NULL => ['NULL'], L => ['LIST'], M => ['STRUCT', 'TUPLE']);

sub call
{
	my $r = rand;
	return function_call(pick('attribute_exists', 'attribute_not_exists'), path()) if $r < .3;
	return function_call('attribute_type', path(), value_pair({S => pick(@types)})) if $r < .45;
	return function_call('contains', path(), value_pair(likely())) if $r < .75;
	return function_call('begins_with', path(), value_pair(chance(.9) ? {S => pick(@texts)} : likely()));
}

sub is_test
{
	my ($one, $two) = path();
	my $r = rand;
	return ("$one " . keyword('IS') . ' ' . keyword('MISSING'), "attribute_not_exists($two)") if $r < .25;
	return ("$one " . keyword('IS') . ' ' . keyword('NOT') . space() . keyword('MISSING'), "attribute_exists($two)") if $r < .5;
	my $type = pick(sort keys %type_names);
	my $name = ':t' . lc $type;
	$values{$name} = {S => $type};
	return ("$one " . keyword('IS') . ' ' . pick(@{$type_names{$type}}), "attribute_type($two, $name)") if $r < .75;
	return ("$one IS NOT " . pick(@{$type_names{$type}}), "(attribute_exists($two) AND NOT attribute_type($two, $name))");
}

sub predicate
{
	my $r = rand;
	if ($r < .4) {
		my ($operator) = pick('=', '=', '<>', '<', '<=', '>', '>=');
		my ($one, $two) = chance(.6) ? path() : operand();
		my ($other, $another) = $operator =~ /^(=|<>)$/ ? (chance(.7) ? value_pair(likely()) : operand()) : chance(.85) ? ordered() : path();
		return ($one . space() . ($operator eq '<>' ? pick('<>', '!=') : $operator) . space() . $other, "$two $operator $another");
	}
	if ($r < .5) {
		my @o = ((chance(.8) ? path() : operand()), ordered(), ordered());
		my $not = chance(.2);
		return ("$o[0] " . ($not ? 'NOT ' : '') . keyword('BETWEEN') . " $o[2] " . keyword('AND') . " $o[4]", ($not ? 'NOT ' : '') . "$o[1] BETWEEN $o[3] AND $o[5]");
	}
	if ($r < .6) {
		my @o = map { [operand()] } 0 .. 1 + rand 4;
		my $not = chance(.2);
		my ($first, @rest) = @o;
		my ($open, $close) = chance(.5) ? ('[', ']') : ('(', ')');
		return ("$first->[0] " . ($not ? keyword('NOT') . ' ' : '') . keyword('IN') . " $open" . join(', ', map { $_->[0] } @rest) . $close,
			($not ? 'NOT ' : '') . "$first->[1] IN (" . join(', ', map { $_->[1] } @rest) . ')');
	}
	return is_test() if $r < .75;
	my ($one, $two) = call();
	return ($one, $two) if $r < .92;
	if ($r < .96) {
		my $wanted = chance(.5);
		my $equal = chance(.5);
		my $word = keyword($wanted ? 'TRUE' : 'FALSE');
		my $test = chance(.7) ? "$one " . ($equal ? '=' : '<>') . " $word" : "$word " . ($equal ? '=' : '!=') . " $one";
		return ($test, $wanted == $equal ? $two : "NOT $two");
	}
	my ($other, $another) = call();
	return ("$one = $other", "(($two AND $another) OR (NOT $two AND NOT $another))");
}

sub condition
{
	my ($depth) = @_;
	my $r = rand;
	return predicate() if $depth == 0 || $r < .45;
	if ($r < .57) {
		my ($one, $two) = condition($depth - 1);
		return (keyword('NOT') . " ($one)", 'NOT ' . wrapped($two));
	}
	my $word = pick('AND', 'OR');
	my @parts = map { [condition($depth - 1)] } 0 .. 1 + rand 2;
	return map { my $side = $_; '(' . join(' ' . ($side ? $word : keyword($word)) . ' ', map { $_->[$side] } @parts) . ')' } 0, 1;
}

# ---- reading ----

# Removes what an expression of the request does not use.
sub expressions
{
	my ($request) = @_;
	my $text = join ' ', map { $request->{$_} } grep { /Expression$/ } keys %$request;
	my %used = map { $_ => 1 } $text =~ /([:#]\w+)/g;
	my %n = map { $_ => $placeholders{$_} } grep { $used{$_} } keys %placeholders;
	my %v = map { $_ => $values{$_} } grep { $used{$_} } keys %values;
	$request->{ExpressionAttributeNames} = \%n if %n;
	$request->{ExpressionAttributeValues} = \%v if %v;
	return $request;
}

# The statement, with the parameters in the order of its text.
sub statement_request
{
	my ($text, %more) = @_;
	my @order;
	$text =~ s/<(\d+)\?>/push @order, $parameters[$1]; '?'/ge;
	return {Statement => $text, %more, @order ? (Parameters => \@order) : ()};
}

sub select_list
{
	return ('*') if chance(.5);
	my %chosen = map { pick(@names, 'pk', 'sk') => 1 } 0 .. rand 3;
	my @pairs = map { [path_of($_)] } sort keys %chosen;
	return (join(',' . space(), map { $_->[0] } @pairs), join(', ', map { $_->[1] } @pairs));
}

# A test of a sort key, if there is one.
sub sort_test
{
	my ($name, $make) = @_;
	my ($one, $two) = path_of($name);
	my $r = rand;
	return () if $r < .3;
	if ($r < .7) {
		my $operator = pick('=', '<', '<=', '>', '>=');
		my %exchanged = ('=' => '=', '<' => '>', '<=' => '>=', '>' => '<', '>=' => '<=');
		my ($v, $w) = value_pair($make->());
		return (chance(.8) ? "$one $operator $v" : "$v $exchanged{$operator} $one", "$two $operator $w");
	}
	if ($r < .85 || exists $make->()->{N}) {
		my @bounds = sort { $a cmp $b } map { $json->encode($make->()) } 1, 2;
		my @v = map { value_pair($json->decode($_)) } @bounds;
		return ("$one BETWEEN $v[0] AND $v[2]", "$two BETWEEN $v[1] AND $v[3]");
	}
	my ($v, $w) = value_pair({S => pick('l', 'm', 'mm', '')});
	return ("begins_with($one, $v)", "begins_with($two, $w)");
}

my @sources = (['', 'pk', 'sk'], ['', 'pk', 'sk'], ['gsi', 'gk', 'sk'], ['lsi', 'pk', 'lk'], ['some', 'gk', undef], ['plain', 'lk', undef]);
my %key_value = (pk => sub { return {S => pick('p', 'q', 'r')} }, gk => sub { return {S => pick('g', 'h')} },
	lk => sub { return {S => pick('l', 'm', 'mm')} }, sk => sub { return {N => '' . int rand 6} });

# Mostly a filter, of attributes that the index has: others are missing to a
# statement, and refused in some places, but not to a request.
sub filter_of
{
	my ($index) = @_;
	return () if $index eq 'lsi' || chance(.25);
	return condition(2) if $index ne 'some';
	local @names = ('a', 'b', 'size');
	local $like = {map { $_ => $like->{$_} } grep { exists $like->{$_} } @names};
	return condition(2);
}

sub select_case
{
	my ($index, $partition, $sort) = @{pick(@sources)};
	my ($columns, $projection) = select_list();
	my ($one, $two) = filter_of($index);
	my %request = (TableName => 'tab');
	my @tests;
	my $operation = 'Scan';

	$request{IndexName} = $index if $index ne '';
	$request{FilterExpression} = bare($two) if defined $two;
	$request{ProjectionExpression} = $projection if defined $projection;
	if (chance(.6)) {
		my ($n, $m) = path_of($partition);
		my ($v, $w) = value_pair($key_value{$partition}->());
		my ($test, $range) = $sort ? sort_test($sort, $key_value{$sort}) : ();

		$operation = 'Query';
		push @tests, chance(.8) ? "$n = $v" : "$v = $n";
			push @tests, $test if defined $test;
		$request{KeyConditionExpression} = "$m = $w" . (defined $range ? " AND $range" : '');
	}
	return undef if !@tests && !defined $one && chance(.7);
	my @where = (defined $one ? ($one) : (), @tests);
	my $order = '';
	if ($operation eq 'Query' && $sort && chance(.4)) {
		my $down = chance(.5);
		$order = ' ORDER BY ' . (chance(.3) ? name_of($partition) . ($down ? ' DESC' : '') . ', ' : '') . name_of($sort) . ($down ? ' DESC' : pick('', ' ASC'));
		$request{ScanIndexForward} = JSON::PP::false if $down;
	}
	my $text = keyword('SELECT') . space() . $columns . space() . keyword('FROM') . space() . 'tab' . ($index ne '' ? '.' . name_of($index) : '')
		. (@where ? space() . keyword('WHERE') . ' ' . join(' ' . keyword('AND') . ' ', map { "($_)" } @where) : '') . $order;
	my %both = (ReturnConsumedCapacity => pick('TOTAL', 'INDEXES'));
	$both{ConsistentRead} = true() if chance(.2) && $index =~ /^(lsi)?$/;
	$both{Limit} = 1 + int rand 6 if chance(.6);
	return ['ExecuteStatement', statement_request($text, %both), $operation, expressions({%request, %both})];
}

# ---- writing ----

sub key
{
	my %key = map { $_ => $key_value{$_}->() } 'pk', 'sk';
	return \%key;
}

sub set_operand
{
	my $r = rand;
	return path() if $r < .3;
	return function_call('if_not_exists', path(), value_pair(likely())) if $r < .5;
	return value_pair(likely());
}

sub assigned
{
	my $r = rand;
	if ($r < .25) {
		my @pairs = map { chance(.5) ? value_pair(chance(.9) ? {N => pick('1', '2', '-0.5')} : likely()) : chance(.6) ? path()
			: function_call('if_not_exists', path(), value_pair({N => '7'})) } 1, 2;
		my $operator = pick('+', '-');
		return ("$pairs[0] $operator $pairs[2]", "$pairs[1] $operator $pairs[3]");
	}
	return function_call('list_append', map { chance(.5) ? path() : value_pair(chance(.8) ? {L => [value(1)]} : likely()) } 1, 2) if $r < .35;
	return set_operand();
}

my %returning = ('ALL OLD' => 'ALL_OLD', 'ALL NEW' => 'ALL_NEW', 'MODIFIED OLD' => 'UPDATED_OLD', 'MODIFIED NEW' => 'UPDATED_NEW');

# The SET and REMOVE clauses, and the update expression.
sub clauses
{
	my (@one, @set, @remove, @add, @delete, @last, %taken);
	for (0 .. rand 3) {
		my ($target, $also) = path();
		my ($attribute) = $also =~ /^(#n\d+)/;
		redo if $taken{$attribute}++ && chance(.9);
		if (chance(.3)) {
			push @one, keyword('REMOVE') . " $target";
			push @remove, $also;
			next;
		}
		if (chance(.15)) {
			my $adds = chance(.5);
			my ($members, $same) = value_pair(set_value());
			push @{$last[!$adds]}, keyword('SET') . " $target = " . keyword($adds ? 'set_add' : 'set_delete') . "($target, $members)";
			push @{$adds ? \@add : \@delete}, "$also $same";
			next;
		}
		my ($v, $w) = assigned();
		push @one, keyword('SET') . " $target = $v";
		push @set, "$also = $w";
	}
	# in the order of the expression, whose first error is the one that is reported
	push @one, map { @$_ } grep { defined } @last;
	return (join(space(), @one), join ' ', (@set ? 'SET ' . join(', ', @set) : ()), (@remove ? 'REMOVE ' . join(', ', @remove) : ()),
		(@add ? 'ADD ' . join(', ', @add) : ()), (@delete ? 'DELETE ' . join(', ', @delete) : ()));
}

# A statement that writes, as an action of TransactWriteItems and the request alone.
sub write_case
{
	my @more = @_;				# kinds that only this request has
	my $key = key();
	my @where = map { my ($n, undef) = path_of($_); [$n, $key->{$_}] } chance(.5) ? ('pk', 'sk') : ('sk', 'pk');
	my $kind = pick('UPDATE', 'UPDATE', 'DELETE', 'INSERT', 'FROM', @more);
	my ($text, %request, $name, $one, $two);

	$request{TableName} = 'tab';
	if ($kind eq 'INSERT') {
		my $item = {%{item()}, %$key};
		delete $item->{$_} for grep { chance(.2) } grep { /^[gl]k$/ } keys %$item;
		$request{Item} = $item;
		$request{ConditionExpression} = 'attribute_not_exists(pk)';
		$text = keyword('INSERT') . space() . keyword('INTO') . ' tab ' . keyword('VALUE') . space() . (literal_of({M => $item}));
		return [$text, 'Put', {%request}];
	}
	$request{Key} = $key;
	if ($kind eq 'DELETE') {
		($one, $two) = chance(.6) ? condition(1) : ();
		$request{ConditionExpression} = bare($two) if defined $two;
		$text = 'DELETE FROM tab WHERE ' . (defined $one ? "$one AND " : '');
		$text .= join ' AND ', map { "$_->[0] = " . literal_of($_->[1]) } @where;
		if (chance(.3)) {
			$text .= ' RETURNING ALL OLD *';
			$request{ReturnValues} = 'ALL_OLD';
		}
		return [$text, 'Delete', expressions({%request})];
	}
	if ($kind eq 'EXISTS') {
		($one, $two) = condition(1);
		$request{ConditionExpression} = 'attribute_exists(pk) AND ' . wrapped($two);
		$text = keyword('EXISTS') . space() . "(SELECT * FROM tab WHERE $one AND " . join(' AND ', map { "$_->[0] = " . literal_of($_->[1]) } @where) . ')';
		return [$text, 'ConditionCheck', expressions({%request})];
	}
	my $clauses;
	my $restore = sub {
		($one, $two) = chance(.4) ? condition(1) : ();
		return join ' AND ', (defined $one ? $one : ()), map { "$_->[0] = " . literal_of($_->[1]) } @where;
	};
	if ($kind eq 'FROM') {
		my $where = $restore->();
		($clauses, $request{UpdateExpression}) = clauses();
		$text = "FROM tab WHERE $where $clauses";
	} else {
		($clauses, $request{UpdateExpression}) = clauses();
		$text = "UPDATE tab $clauses WHERE " . $restore->();
	}
	$request{ConditionExpression} = 'attribute_exists(pk)' . (defined $two ? " AND " . wrapped($two) : '');
	if (chance(.4)) {
		my $what = pick(sort keys %returning);
		$text .= " RETURNING $what *";
		$request{ReturnValues} = $returning{$what};
	}
	return [$text, 'Update', expressions({%request})];
}

# Some statements of a transaction, sometimes two on the same item.
sub transaction_requests
{
	my (@statements, @actions);

	while (!@statements || chance(.5)) {
		new_case();
		my ($text, $action, $request) = @{write_case('EXISTS')};
		my $statement = statement_request($text);
		next if $request->{ReturnValues};
		$statement->{ReturnValuesOnConditionCheckFailure} = $request->{ReturnValuesOnConditionCheckFailure} = 'ALL_OLD' if chance(.4);
		push @statements, $statement;
		push @actions, {$action => $request};
	}
	return ['ExecuteTransaction', {TransactStatements => \@statements, ReturnConsumedCapacity => 'TOTAL'},
		'TransactWriteItems', {TransactItems => \@actions, ReturnConsumedCapacity => 'TOTAL'}];
}

# The shape of a write in one of three requests, and what means the same.
sub write_requests
{
	return transaction_requests() if chance(.25);
	my ($text, $action, $request) = @{write_case()};
	my %statement = %{statement_request($text)};
	my $alone = {%$request, ReturnConsumedCapacity => 'TOTAL'};
	$statement{ReturnValuesOnConditionCheckFailure} = $alone->{ReturnValuesOnConditionCheckFailure} = 'ALL_OLD' if chance(.4);
	return ['ExecuteStatement', {%statement, ReturnConsumedCapacity => 'TOTAL'}, "${action}Item", $alone] if chance(.7);
	return ['BatchExecuteStatement', {Statements => [\%statement], ReturnConsumedCapacity => 'TOTAL'}, "${action}Item", $alone];
}

# ---- comparing ----

# A text that is the same for equal answers: sets have an order.
sub canonical { return $json->encode($_[0]) }

sub exception { my ($answer) = @_; return ($answer->{body}{__type} // 'none') =~ s/.*#//r }
sub message { my ($answer) = @_; return $answer->{body}{message} // $answer->{body}{Message} // '' }

# A set function fails with the operands, ADD and DELETE with the targets.
my $invalid_path = 'The document path provided in the update expression is invalid for update';
my $wrong_type = 'An operand in the update expression has an incorrect data type';

# Messages of the two without what only one has.
sub plain_message
{
	my ($text) = @_;
	$text =~ s/$invalid_path/$wrong_type/;
	$text =~ s/^1 validation error detected: //;
	$text =~ s/(Two document paths overlap|Two document paths conflict).*/$1/;
	$text =~ s/^Invalid (FilterExpression|ConditionExpression|UpdateExpression|ProjectionExpression): //;
	$text =~ s/^The (filter|condition|update) expression.*//;
	$text =~ s/^Statement wasn't well formed, can't be processed: //;
	$text =~ s/^One or more parameter values were invalid: //;
	return $text;
}

sub same_pages
{
	my ($statement, $request) = @_;
	return 'number of pages' if @$statement != @$request;
	for my $i (0 .. $#$statement) {
		my ($one, $two) = ($statement->[$i], $request->[$i]);
		return "status $i" if $one->{status} != $two->{status};
		if ($one->{status} != 200) {
			return 'exception' if exception($one) ne exception($two);
			return plain_message(message($one)) eq plain_message(message($two)) ? undef : 'message: ' . plain_message(message($one)) . ' / ' . plain_message(message($two));
		}
		for my $member ('Items', 'LastEvaluatedKey', 'ConsumedCapacity') {
			return "$member $i" if canonical($one->{body}{$member}) ne canonical($two->{body}{$member});
		}
	}
	return undef;
}

# A reason, without what only INSERT says.
sub reason
{
	my ($reason) = @_;
	return 'failed' if $reason->{Code} eq 'DuplicateItem' || ($reason->{Code} eq 'ConditionalCheckFailed' && !$reason->{Item});
	return canonical($reason) =~ s/$invalid_path/$wrong_type/r;
}

# Of each statement, or of the table.
sub units
{
	my ($answer) = @_;
	return join ' ', map { my $member = $_; sum0(map { $_->{$member} } @{$answer->{body}{ConsumedCapacity}}) } qw(CapacityUnits WriteCapacityUnits);
}

sub same_transaction
{
	my ($one, $two) = @_;
	return 'status' if $one->{status} != $two->{status};
	return units($one) eq units($two) ? undef : 'capacity' if $one->{status} == 200;
	return 'exception' if exception($one) ne exception($two);
	my ($got, $expected) = map { $_->{body}{CancellationReasons} // [] } $one, $two;
	return 'number of reasons' if @$got != @$expected;
	for my $i (0 .. $#$got) {
		next if $got->[$i]{Code} eq 'DuplicateItem' && $expected->[$i]{Code} eq 'ConditionalCheckFailed';
		return "reason $i" if reason($got->[$i]) ne reason($expected->[$i]);
	}
	# which of several invalid statements is named depends on the order of the checks
	return undef;
}

my %batch_codes = (ConditionalCheckFailed => 'ConditionalCheckFailedException', ValidationError => 'ValidationException', DuplicateItem => 'ConditionalCheckFailedException');

sub same_write
{
	my ($operation, $one, $two) = @_;
	return 'what is stored' if canonical($one->{stored}) ne canonical($two->{stored});
	($one, $two) = ($one->{answer}, $two->{answer});
	return same_transaction($one, $two) if $operation eq 'ExecuteTransaction';
	my ($failure, $text, $item, $got);
	if ($operation eq 'BatchExecuteStatement') {
		return 'status' if $one->{status} != 200;
		my $answer = $one->{body}{Responses}[0];
		$got = $answer->{Item};
		if ($answer->{Error}) {
			($failure, $text, $item) = ($batch_codes{$answer->{Error}{Code}} // $answer->{Error}{Code}, $answer->{Error}{Message}, $answer->{Error}{Item});
		}
	} elsif ($one->{status} != 200) {
		($failure, $text, $item) = (exception($one) =~ s/DuplicateItemException/ConditionalCheckFailedException/r, message($one), $one->{body}{Item});
	} else {
		$got = $one->{body}{Items}[0];
	}
	$text = 'The conditional request failed' if ($text // '') eq 'Duplicate primary key exists in table';
	if ($two->{status} != 200) {
		return 'statement succeeds: ' . message($two) if !defined $failure;
		return "exception $failure" if $failure ne exception($two);
		return 'message: ' . plain_message($text) . ' / ' . plain_message(message($two)) if plain_message($text) ne plain_message(message($two));
		return 'item of failure' if canonical($item) ne canonical($two->{body}{Item}) && $text ne 'The conditional request failed';
		return undef;
	}
	return "statement fails: $text" if defined $failure;
	return 'returned' if canonical($got) ne canonical($two->{body}{Attributes}) && !(!defined $got && !%{$two->{body}{Attributes} // {}});
	my $capacity = $operation eq 'BatchExecuteStatement' ? $one->{body}{ConsumedCapacity}[0] : $one->{body}{ConsumedCapacity};
	return 'capacity' if canonical($capacity) ne canonical($two->{body}{ConsumedCapacity});
	return undef;
}

# ---- the run ----

my $setup = <<'SQL';
SELECT dynamo.create_table('tab', 'pk', 'sk', sort_key_type => 'N', indexes => '[
	{"index_name": "gsi", "partition_key": "gk", "sort_key": "sk", "sort_key_type": "N"},
	{"index_name": "lsi", "local": true, "partition_key": "pk", "sort_key": "lk", "projection": "KEYS_ONLY"},
	{"index_name": "some", "partition_key": "gk", "storage": "table", "projection": "INCLUDE", "non_key_attributes": ["a", "b", "size"]},
	{"index_name": "plain", "partition_key": "lk", "storage": "table"}]');
CREATE FUNCTION pages(operation text, request jsonb, continuation text, answered text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result jsonb := '[]';
	answer jsonb;
BEGIN
	FOR i IN 1 .. 100 LOOP
		answer := dynamo.request_safe(operation, request::json);
		result := result || jsonb_build_array(answer);
		EXIT WHEN answer #> ARRAY['body', answered] IS NULL;
		request := jsonb_set(request, ARRAY[continuation], answer #> ARRAY['body', answered]);
	END LOOP;
	RETURN result;
END $$;
CREATE FUNCTION undone(operation text, request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result jsonb;
BEGIN
	BEGIN
		result := jsonb_build_object('answer', dynamo.request_safe(operation, request::json),
			'stored', (SELECT jsonb_agg(item::text ORDER BY pk, sk) FROM tab));
		RAISE SQLSTATE 'ZZ999';
	EXCEPTION WHEN SQLSTATE 'ZZ999' THEN
		NULL;
	END;
	RETURN result;
END $$;
SQL

sub sql_quoted { my ($text) = @_; $text =~ s/'/''/g; $text =~ s/\\/\\\\/g; return "E'$text'" }

create_database($database, $setup);

my (%wrong, %seen);
my $number = 0;
while ($number < $cases) {
	my @items = map { item() } 1 .. 25;
	my %rows = map { ("$_->{pk}{S} $_->{sk}{N}" => $_) } @items;
	my $script = "TRUNCATE tab;\n";
	$script .= 'INSERT INTO tab (item) VALUES (' . sql_quoted($json->encode($_)) . ");\n" for values %rows;
	my @these;
	while (@these < 200) {
		new_case();
		$like = pick(@items);
		my $case = chance(.5) ? select_case() : write_requests();
		next if !$case;
		push @these, $case;
		my ($operation, $statement, $other, $request) = @$case;
		my $writes = $other !~ /^(Scan|Query)$/;
		$script .= 'SET dynamo.direct_access = ' . pick('on', 'off') . ";\n";
		$script .= 'SELECT ' . ($writes ? 'undone' : 'pages') . "('$operation', " . sql_quoted($json->encode($statement)) . ($writes ? '' : ", 'NextToken', 'NextToken'") . ");\n";
		$script .= 'SELECT ' . ($writes ? 'undone' : 'pages') . "('$other', " . sql_quoted($json->encode($request)) . ($writes ? '' : ", 'ExclusiveStartKey', 'LastEvaluatedKey'") . ");\n";
	}
	my ($status, $output) = psql($database, $script);
	is($status, 0, 'requests run') or do { diag(substr $output, -2000); last };
	$output =~ s/\\x\{([0-9a-f]+)\}/chr hex $1/ge;
	my @lines = split /\n/, $output;
	for my $case (@these) {
		my ($operation, $statement, $other, $request) = @$case;
		my ($one, $two) = map { $json->decode($_) } splice @lines, 0, 2;
		my $writes = $other !~ /^(Scan|Query)$/;
		my $problem = $writes ? same_write($operation, $one, $two) : same_pages($one, $two);
		my $first = $writes ? $two->{answer} : $two->[0];
		$number++;
		$seen{$first->{status} == 200 ? "$other ok" : "$other " . exception($first) . ' ' . plain_message(message($first)) =~ s/[:;\[].*//rs}++;
		next if !defined $problem;
		$problem =~ s/\d+:\d+:\d+/P/g;
		$problem =~ s/;[^\/]*//g;
		diag("$problem\n  $operation ", $json->encode($statement), "\n  $other ", $json->encode($request), "\n  got  ", $json->encode($writes ? $one->{answer} : $one),
			"\n  and  ", $json->encode($writes ? $two->{answer} : $two)) if ++$wrong{$problem} <= 1;
	}
}
note("$_: $seen{$_}") for sort keys %seen;
note("WRONG $_: $wrong{$_}") for sort keys %wrong;
is(join(', ', sort keys %wrong), '', "$cases statements agree (SEED=$seed)");
done_testing();
