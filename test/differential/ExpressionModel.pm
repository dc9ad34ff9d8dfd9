# The expression language as its documentation tells it, in the simplest way
# that comes to mind.  Nothing here is fast, and nothing was taken from src/.
#
# Values are DynamoDB JSON as Perl sees it: {N => '5'}, {L => [...]}, ...
# Numbers are decimals with at most two digits behind the point, which
# integer arithmetic in hundredths does exactly.
#
# Expressions are trees, as the generator makes them:
#   path    ['path', 'a', 'b', 3]          names are strings, indexes numbers
#                                          wrapped as \3
#   value   ['value', ':v', {N => '1'}]
#   call    ['size', operand] ...
# Static errors die with a string, application errors with a hash reference.
package ExpressionModel;

use strict;
use warnings;
use Encode qw(encode);
use MIME::Base64 qw(encode_base64 decode_base64);

our $kind = '';					# "ConditionExpression", ...

# ---- values ----

# "later" is what a list under update also has.
sub type { return (grep { $_ ne 'later' } keys %{$_[0]})[0] }

sub hundredths
{
	my ($text) = @_;
	$text =~ /^(-?)(\d+)(?:\.(\d+))?$/ or die "unexpected number $text";
	return ($1 ? -1 : 1) * ($2 * 100 + substr(($3 // '') . '00', 0, 2));
}

sub number
{
	my ($hundredths) = @_;
	my $text = sprintf('%d.%02d', int(abs($hundredths) / 100), abs($hundredths) % 100);
	$text =~ s/\.?0+$// if $text =~ /\./;
	return {N => ($hundredths < 0 ? '-' : '') . $text};
}

# A text that is the same for equal values, whatever the order in sets.
sub canonical
{
	my ($v) = @_;
	my $type = type($v);
	my $c = $v->{$type};
	return "N:" . number(hundredths($c))->{N} if $type eq 'N';
	return "$type:" . ($c ? 1 : 0) if $type eq 'BOOL' || $type eq 'NULL';
	return 'L[' . join(',', map { canonical($_) } @$c) . ']' if $type eq 'L';
	return 'M{' . join(',', map { quotemeta($_) . '=' . canonical($c->{$_}) } sort keys %$c) . '}'
	  if $type eq 'M';
	return "NS(" . join(',', sort map { canonical({N => $_}) } @$c) . ')' if $type eq 'NS';
	return "$type(" . join(',', sort map { quotemeta($_) } @$c) . ')' if $type =~ /^[SB]S$/;
	return "$type:" . quotemeta($c);
}

sub equal { return canonical($_[0]) eq canonical($_[1]) }

sub bytes
{
	my ($v) = @_;
	my $text = $v->{S};
	return decode_base64($v->{B}) if exists $v->{B};
	utf8::encode($text);
	return $text;
}

# -1, 0, 1; or undef if the two have no order.
sub compare
{
	my ($x, $y) = @_;
	my $type = type($x);
	return undef if $type ne type($y) || $type !~ /^[SNB]$/;
	return hundredths($x->{N}) <=> hundredths($y->{N}) if $type eq 'N';
	return bytes($x) cmp bytes($y);
}

sub copy
{
	my ($v) = @_;
	return {map { $_ => copy($v->{$_}) } keys %$v} if ref $v eq 'HASH';
	return [map { copy($_) } @$v] if ref $v eq 'ARRAY';
	return $v;
}

# ---- paths ----

sub steps { my ($path) = @_; return @{$path}[1 .. $#$path] }

sub resolve
{
	my ($item, $path) = @_;
	my $v = {M => $item};
	for my $step (steps($path)) {
		if (ref $step) {
			return undef if type($v) ne 'L' || $$step >= @{$v->{L}};
			$v = $v->{L}[$$step];
		} else {
			return undef if type($v) ne 'M' || !exists $v->{M}{$step};
			$v = $v->{M}{$step};
		}
	}
	return $v;
}

sub path_text { return '[' . join(', ', map { ref $_ ? "[$$_]" : $_ } steps($_[0])) . ']' }

sub fail { die "Invalid $kind: $_[0]\n" }

# The first pair of paths of which one is the start of the other; then the
# first pair that goes on as a map and as a list.
sub check_targets
{
	my @paths = @_;
	for my $what ('overlap', 'conflict') {
		for my $j (1 .. $#paths) {
			my @found;
			for my $i (0 .. $j - 1) {
				my @x = map { ref $_ ? "[$$_]" : ".$_" } steps($paths[$i]);
				my @y = map { ref $_ ? "[$$_]" : ".$_" } steps($paths[$j]);
				while (@x && @y && $x[0] eq $y[0]) { shift @x; shift @y; }
				my $is = !@x || !@y ? 'overlap'
				  : substr($x[0], 0, 1) ne substr($y[0], 0, 1) ? 'conflict' : '';
				push @found, $i if $is eq $what;
			}
			next if !@found;
			my @messages = map {
				"Invalid $kind: Two document paths $what with each other; must remove or rewrite one of these paths; "
				  . 'path one: ' . path_text($paths[$_]) . ', path two: ' . path_text($paths[$j]) . "\n"
			} @found;
			# which of several earlier paths is named is not documented
			die {any => \@messages};
		}
	}
}

# ---- conditions ----

my %symbol = map { $_ => 1 } qw(= <> < <= > >=);

sub operand_error
{
	my ($operator, $type) = @_;
	fail("Incorrect operand type for operator or function; operator or function: $operator, operand type: $type");
}

sub static_type
{
	my ($operand) = @_;
	return type($operand->[2]) if $operand->[0] eq 'value';
	return 'N' if $operand->[0] eq 'size';
	return undef;
}

sub check_condition
{
	my ($c) = @_;
	my ($op, @args) = @$c;
	if ($op eq 'AND' || $op eq 'OR' || $op eq 'NOT') {
		check_condition($_) for @args;
		return;
	}
	my ($first, @rest) = @args;
	if ($op !~ /^attribute/ && $first->[0] eq 'path') {
		for my $other (@rest) {
			next if $other->[0] ne 'path' || path_text($other) ne path_text($first);
			fail("The first operand must be distinct from the remaining operands for this operator or function; "
				  . "operator: $op, first operand: " . path_text($first));
		}
	}
	for my $size (grep { $_->[0] eq 'size' && $_->[1][0] eq 'value' } @args) {
		my $type = type($size->[1][2]);
		operand_error('size', $type) if $type =~ /^(N|BOOL|NULL)$/;
	}
	my $allowed = $op =~ /^([<>]=?|BETWEEN)$/ ? qr/^[SNB]$/ : $op eq 'begins_with' ? qr/^[SB]$/ : qr//;
	for my $type (grep { defined } map { static_type($_) } @args) {
		operand_error($op, $type) if $type !~ $allowed;
	}
	check_bounds(@rest) if $op eq 'BETWEEN' && $rest[0][0] eq 'value' && $rest[1][0] eq 'value';
}

sub check_bounds
{
	my @bounds = map { $_->[2] } @_;
	my @texts = map {
		my $type = type($_);
		my $text = $type eq 'N' ? number(hundredths($_->{N}))->{N} : $_->{$type};
		"bound operand: AttributeValue: {$type:$text}"
	} @bounds;
	my $tail = "lower $texts[0], upper $texts[1]";
	my $order = compare(@bounds);
	fail("The BETWEEN operator requires same data type for lower and upper bounds; $tail")
	  if type($bounds[0]) ne type($bounds[1]);
	fail("The BETWEEN operator requires upper bound to be greater than or equal to lower bound; $tail")
	  if $order > 0;
}

sub size
{
	my ($v) = @_;
	return undef if !defined $v;
	my $type = type($v);
	return undef if $type =~ /^(N|BOOL|NULL)$/;
	return number(100 * length(bytes($v))) if $type eq 'B';
	return number(50 * length(encode('UTF-16BE', $v->{S}))) if $type eq 'S';
	return number(100 * ($type eq 'M' ? scalar keys %{$v->{M}} : scalar @{$v->{$type}}));
}

sub operand
{
	my ($item, $o) = @_;
	return $o->[2] if $o->[0] eq 'value';
	return size(operand($item, $o->[1])) if $o->[0] eq 'size';
	return resolve($item, $o);
}

sub contains
{
	my ($v, $part) = @_;
	my ($type, $part_type) = (type($v), type($part));
	return index(bytes($v), bytes($part)) >= 0 if $type eq $part_type && $type =~ /^[SB]$/;
	return scalar grep { equal($_, $part) } @{$v->{L}} if $type eq 'L';
	return $type eq "${part_type}S" && scalar grep { equal({$part_type => $_}, $part) } @{$v->{$type}};
}

sub matches
{
	my ($item, $c) = @_;
	my ($op, @args) = @$c;
	return !grep { !matches($item, $_) } @args if $op eq 'AND';
	return !!grep { matches($item, $_) } @args if $op eq 'OR';
	return !matches($item, $args[0]) if $op eq 'NOT';
	my @v = map { operand($item, $_) } @args;
	my $both = @v == 2 && defined $v[0] && defined $v[1];
	return defined $v[0] if $op eq 'attribute_exists';
	return !defined $v[0] if $op eq 'attribute_not_exists';
	return defined $v[0] && type($v[0]) eq $v[1]{S} if $op eq 'attribute_type';
	return $both && equal(@v) if $op eq '=';
	return !($both && equal(@v)) if $op eq '<>';
	if ($op eq 'IN') {
		my $tested = shift @v;
		return defined $tested && !!grep { defined $_ && equal($tested, $_) } @v;
	}
	if ($op eq 'BETWEEN') {
		return 0 if grep { !defined } @v;
		my ($low, $high) = (compare($v[1], $v[0]), compare($v[0], $v[2]));
		return defined $low && defined $high && $low <= 0 && $high <= 0;
	}
	return 0 if !$both;
	return contains(@v) if $op eq 'contains';
	return type($v[0]) eq type($v[1]) && type($v[0]) =~ /^[SB]$/ && index(bytes($v[0]), bytes($v[1])) == 0
	  if $op eq 'begins_with';
	my $order = compare(@v);
	return 0 if !defined $order;
	return $op eq '<' ? $order < 0 : $op eq '<=' ? $order <= 0 : $op eq '>' ? $order > 0 : $order >= 0;
}

# ---- projections ----

sub project
{
	my ($item, @paths) = @_;
	my @hits = grep { defined resolve($item, $_) } @paths;
	return subset({M => $item}, map { [steps($_)] } @hits)->{M};
}

# The part of a value that lists of steps lead to.
sub subset
{
	my ($v, @rests) = @_;
	return $v if grep { !@$_ } @rests;
	return {M => {}} if !@rests;
	my %below;
	for my $rest (@rests) {
		my ($step, @more) = @$rest;
		push @{$below{ref $step ? $$step : $step}}, \@more;
	}
	return {M => {map { $_ => subset($v->{M}{$_}, @{$below{$_}}) } keys %below}} if type($v) eq 'M';
	return {L => [map { subset($v->{L}[$_], @{$below{$_}}) } sort { $a <=> $b } keys %below]};
}

# ---- updates ----
# actions: ['SET', path, value], ['REMOVE', path], ['ADD', path, value], ...

my %long = (S => 'STRING', N => 'NUMBER', B => 'BINARY', BOOL => 'BOOLEAN', NULL => 'NULL', L => 'LIST', M => 'MAP');

sub check_update
{
	my @actions = @_;
	check_targets(map { $_->[1] } @actions);
	for my $a (grep { $_->[0] eq 'ADD' || $_->[0] eq 'DELETE' } @actions) {
		my $type = type($a->[2][2]);
		next if $type =~ /^[SNB]S$/ || ($a->[0] eq 'ADD' && $type eq 'N');
		fail("Incorrect operand type for operator or function; operator: $a->[0], operand type: $long{$type}");
	}
	check_set_operand($_->[2]) for grep { $_->[0] eq 'SET' } @actions;
}

# The innermost faulty operator is the first one bound.
sub check_set_operand
{
	my ($o) = @_;
	my ($op, @args) = @$o;
	return if $op eq 'path' || $op eq 'value';
	check_set_operand($_) for grep { ref $_ eq 'ARRAY' } @args;
	my $need = $op eq 'list_append' ? 'L' : $op eq 'if_not_exists' ? '' : 'N';
	for my $arg ($need ? @args : ()) {
		my $type = $arg->[0] eq 'value' ? type($arg->[2]) : $arg->[0] eq 'list_append' ? 'L' : $need;
		operand_error($op, $type) if $type ne $need;
	}
}

sub wrong_type { die {text => 'An operand in the update expression has an incorrect data type'} }
sub wrong_path { die {text => 'The document path provided in the update expression is invalid for update'} }

sub set_operand
{
	my ($item, $o) = @_;
	my ($op, @args) = @$o;
	return $o->[2] if $op eq 'value';
	if ($op eq 'path') {
		return resolve($item, $o)
		  // die {text => 'The provided expression refers to an attribute that does not exist in the item'};
	}
	return resolve($item, $args[0]) // set_operand($item, $args[1]) if $op eq 'if_not_exists';
	my ($x, $y) = map { set_operand($item, $_) } @args;
	if ($op eq 'list_append') {
		wrong_type() if type($x) ne 'L' || type($y) ne 'L';
		return {L => [@{$x->{L}}, @{$y->{L}}]};
	}
	wrong_type() if type($x) ne 'N' || type($y) ne 'N';
	my ($a, $b) = (hundredths($x->{N}), hundredths($y->{N}));
	return number($op eq '+' ? $a + $b : $a - $b);
}

# The container that the last step of a path leads into; undef if there is
# none, or none of the right kind.
sub parent
{
	my ($root, $path) = @_;
	my @steps = steps($path);
	my $last = pop @steps;
	my $v = resolve($root->{M}, ['path', @steps]);
	return undef if !defined $v || type($v) ne (ref $last ? 'L' : 'M');
	return $v;
}

# While an update runs, lists keep their positions: removed elements become
# undef, new ones behind the end wait in {later}, by their index.
sub get
{
	my ($parent, $step) = @_;
	return $parent->{M}{$step} if !ref $step;
	return $$step < @{$parent->{L}} ? $parent->{L}[$$step] : undef;
}

sub put
{
	my ($parent, $step, $v) = @_;
	if (!ref $step) { $parent->{M}{$step} = $v }
	elsif ($$step < @{$parent->{L}}) { $parent->{L}[$$step] = $v }
	else { $parent->{later}{$$step} = $v }
}

sub drop
{
	my ($parent, $step) = @_;
	if (!ref $step) { delete $parent->{M}{$step} }
	elsif ($$step < @{$parent->{L}}) { $parent->{L}[$$step] = undef }
}

# Removes the gaps of lists, and appends what waits.
sub settle
{
	my ($v) = @_;
	if (exists $v->{M}) {
		settle($_) for values %{$v->{M}};
	} elsif (exists $v->{L}) {
		my $later = delete $v->{later} // {};
		$v->{L} = [grep { defined } @{$v->{L}}];
		settle($_) for @{$v->{L}};
		push @{$v->{L}}, map { $later->{$_} } sort { $a <=> $b } keys %$later;
	}
}

sub add_to
{
	my ($old, $v) = @_;
	return $v if !defined $old;
	wrong_type() if type($old) ne type($v);
	return number(hundredths($old->{N}) + hundredths($v->{N})) if type($v) eq 'N';
	my ($type) = type($v);
	my %members = map { canonical({substr($type, 0, 1) => $_}) => $_ } @{$old->{$type}}, @{$v->{$type}};
	return {$type => [values %members]};
}

sub delete_from
{
	my ($old, $v) = @_;
	my $type = type($v);
	wrong_type() if type($old) ne $type;
	my %gone = map { canonical({substr($type, 0, 1) => $_}) => 1 } @{$v->{$type}};
	my @left = grep { !$gone{canonical({substr($type, 0, 1) => $_})} } @{$old->{$type}};
	return @left ? {$type => \@left} : undef;
}

sub apply_action
{
	my ($exists, $root, $action, $assigned) = @_;
	my ($what, $path, $operand) = @$action;
	my $last = $path->[-1];
	my $parent = parent($root, $path);
	if (!$parent) {
		return if !$exists && $what =~ /^(REMOVE|DELETE)$/;
		wrong_path();
	}
	my $old = get($parent, $last);
	if ($what eq 'SET') { put($parent, $last, $assigned) }
	elsif ($what eq 'REMOVE') { drop($parent, $last) }
	elsif ($what eq 'ADD') { put($parent, $last, add_to($old, $operand->[2])) }
	elsif (defined $old) {
		my $left = delete_from($old, $operand->[2]);
		defined $left ? put($parent, $last, $left) : drop($parent, $last);
	}
}

# The new item, or undef for none.  Dies with {text}, or with {any} of several
# texts where the documentation does not tell which failure comes first.
sub update
{
	my ($item, @actions) = @_;
	my $exists = defined $item;
	return undef if !$exists && !grep { $_->[0] =~ /^(SET|ADD)$/ } @actions;
	my $before = $item // {};
	my @assigned = map { $_->[0] eq 'SET' ? copy(set_operand($before, $_->[2])) : undef } @actions;
	my $root = {M => copy($before)};
	my %failures;
	for my $i (0 .. $#actions) {
		next if eval { apply_action($exists, $root, $actions[$i], $assigned[$i]); 1 };
		die $@ if !ref $@;
		$failures{$@->{text}} = 1;
	}
	die {any => ['', map { "$_\n" } keys %failures]} if %failures;
	settle($root);
	return $root->{M};
}

1;
