#!/usr/bin/perl
# Random requests of the operations that have ReturnConsumedCapacity, whose units
# a model in Perl computes from the sizes of its own items: writes that add,
# change, remove or leave entries of every kind of index, conditions that fail,
# batches, transactions and their repetition, pages, PartiQL.  ItemCollectionMetrics
# beside them.  At the end, the statistics must have counted the same units, and
# what is stored must be what the model has.  The direct path and SQL answer in
# turn.  SEED repeats a run, CASES sets the number of requests.  psql finds the
# server through the usual environment variables; a database of its own is
# created there and dropped at the end.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use List::Util qw(max sum0 shuffle);
use Test::More;
use TestDatabase;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output todo_output);

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 10000 : 700);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_capacity_$$";
my $json = JSON::PP->new->canonical->ascii;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }
sub literal { return quoted($json->encode($_[0])) }

# ---- values and their sizes by the service's rules ----

sub utf8_length { my ($text) = @_; utf8::encode($text); return length $text }

# The canonical decimal digits of a number, and the exponent of the first of them.
sub digits
{
	my ($text) = @_;
	my ($sign, $whole, $fraction, $exponent) = $text =~ /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/ or die $text;
	my $digits = $whole . $fraction;
	my $first = length($whole) - 1 + ($exponent // 0);

	$digits =~ s/^(0*)// and $first -= length $1;
	$digits =~ s/0+$//;
	return $digits eq '' ? ('', '0', 0) : ($sign eq '-' ? '-' : '', $digits, $first);
}

sub number_size
{
	my ($sign, $digits, $first) = digits($_[0]);
	my $pairs = 0;

	return 1 if $digits eq '0';
	$digits = "0$digits" if $first % 2 == 0;	# pairs stand on both sides of the point
	return 1 + int((length($digits) + 1) / 2) + ($sign ? 1 : 0);
}

sub value_size
{
	my ($v) = @_;
	my ($type) = keys %$v;
	my $c = $v->{$type};

	return utf8_length($c) if $type eq 'S';
	return number_size($c) if $type eq 'N';
	return length($c) / 4 * 3 - ($c =~ tr/=//) if $type eq 'B';
	return 1 if $type =~ /^(BOOL|NULL)$/;
	return sum0 map { value_size({substr($type, 0, 1) => $_}) } @$c if $type =~ /^.S$/;
	return 3 + sum0 map { 1 + value_size($_) } @$c if $type eq 'L';
	return 3 + sum0 map { 1 + utf8_length($_) + value_size($c->{$_}) } keys %$c;
}

sub item_size { my ($item) = @_; return sum0 map { utf8_length($_) + value_size($item->{$_}) } keys %$item }

# The same text for equal values.
sub canonical
{
	my ($v) = @_;
	return 'none' if !$v;
	my ($type) = keys %$v;
	my $c = $v->{$type};
	return 'N' . join('|', digits($c)) if $type eq 'N';
	return 'L[' . join(',', map { canonical($_) } @$c) . ']' if $type eq 'L';
	return 'M{' . join(',', map { quotemeta($_) . canonical($c->{$_}) } sort keys %$c) . '}' if $type eq 'M';
	return "$type(" . join(',', sort map { canonical({substr($type, 0, 1) => $_}) } @$c) . ')' if $type =~ /^.S$/;
	return $type . quotemeta($type =~ /^(BOOL|NULL)$/ ? ($c ? 1 : 0) : $c);
}

sub same { return canonical($_[0]) eq canonical($_[1]) }

# ---- what values there are: sizes about 1 and 4 KB, equal ones in other forms ----

sub number { return {N => pick('0', '-0', '1', '1.0', '10e-1', '-1', '100', '1e2', '0.5', '12345', '-12345.678', '1e125', '1e-130', '99999999999999999999999999999999999999', '-0.00000000000000000000000000000000000001')} }

sub bulk
{
	my $size = pick(0, 1, 10, 100, 700, 760, 900 + int rand 140, 1000 + int rand 60, 2020 + int rand 60, 4000 + int rand 150, 8100 + int rand 150);
	return {S => 'x' x $size} if chance(0.5);
	return {S => 'é' x ($size / 2)} if chance(0.3);
	return {B => 'AAAA' x ($size / 3)} if chance(0.3);
	return {L => [map { {BOOL => chance(0.5) ? JSON::PP::true : JSON::PP::false} } 1 .. $size / 4]} if chance(0.3);
	return {L => [map { number() } 1 .. $size / 10]} if chance(0.5);
	return {M => {map { ("k$_" => chance(0.5) ? number() : {S => 'é'}) } 1 .. $size / 20}} if chance(0.5);
	return {NS => [map { "$_" . pick('', '.0', '.5') } 1 .. $size / 3 + 1]};
}

sub other
{
	return pick(\&number, \&bulk)->() if chance(0.5);
	return pick({BOOL => JSON::PP::true}, {NULL => JSON::PP::true}, {SS => [shuffle('a', 'b')]}, {NS => [shuffle('1', pick('2', '2.0'))]},
		{L => [{N => pick('1', '1.0')}]}, {M => {a => {N => pick('1', '1.0')}, b => {SS => [shuffle('x', 'y')]}}});
}

# Values of index keys are few, so that they stay the same at times.
sub index_value
{
	my ($type) = @_;
	return {N => pick('1', '1.0', '2', '-3')} if $type eq 'N';
	return {S => pick('a', 'b', 'c' x 300)} if $type eq 'S';
	return {B => pick('AA==', '/w==')};
}

# ---- tables ----

my $long_name = 'a_rather_long_name_of_an_attribute_' . 'z' x 50;
my @others = ('x', 'y', 'é', $long_name, 'i1', 'i2');
my (%tables, $setup);

sub projection
{
	my ($kind) = @_;
	return {ProjectionType => $kind, $kind eq 'INCLUDE' ? (NonKeyAttributes => ['i1', 'i2']) : ()};
}

sub schema
{
	my ($partition, @sort) = @_;
	return [(map { {AttributeName => $_, KeyType => 'HASH'} } @$partition), map { {AttributeName => $_, KeyType => 'RANGE'} } @sort];
}

# indexes: [name, local, [partition attributes], [sort attributes], projection]
sub new_table
{
	my ($name, $types, $key, @indexes) = @_;
	my %used = map { $_ => 1 } @$key, map { @{$_->[2]}, @{$_->[3]} } @indexes;
	my %request = (TableName => $name, BillingMode => 'PAY_PER_REQUEST', KeySchema => schema([$key->[0]], @$key[1 .. $#$key]),
		AttributeDefinitions => [map { {AttributeName => $_, AttributeType => $types->{$_}} } sort keys %used]);

	for my $index (@indexes) {
		my ($index_name, $local, $partition, $sort, $projected) = @$index;
		push @{$request{$local ? 'LocalSecondaryIndexes' : 'GlobalSecondaryIndexes'}},
		  {IndexName => $index_name, KeySchema => schema($partition, @$sort), Projection => projection($projected)};
	}
	$setup .= "SELECT dynamo.request('CreateTable', " . literal(\%request) . ");\n";
	$tables{$name} = {name => $name, types => $types, key => $key, items => {},
		indexes => {map { $_->[0] => {name => $_->[0], local => $_->[1], partition => $_->[2], key => [@{$_->[2]}, @{$_->[3]}], projection => $_->[4]} } @indexes}};
}

# An index of the function, which has more kinds of storage.
sub add_index
{
	my ($name, $index, $partition, $sort, $projected, $options) = @_;
	my $table = $tables{$name};
	my $array = sub { quoted('{' . join(',', @_) . '}') . '::text[]' };

	$setup .= "SELECT dynamo.create_index('$name', '$index', " . $array->(@$partition) . ', ' . (@$sort ? $array->(@$sort) : 'NULL')
	  . ', partition_key_type => ' . $array->(map { $table->{types}{$_} } @$partition)
	  . (@$sort ? ', sort_key_type => ' . $array->(map { $table->{types}{$_} } @$sort) : '')
	  . ", projection => '$projected'" . ($projected eq 'INCLUDE' ? ", non_key_attributes => '{i1,i2}'" : '') . "$options);\n";
	$table->{indexes}{$index} = {name => $index, partition => $partition, key => [@$partition, @$sort], projection => $projected};
}

my %types = (p => 'S', s => 'S', g => 'S', n => 'N', b => 'B', l => 'S');
new_table('plain', \%types, ['p']);
new_table('numbers', {%types, p => 'N'}, ['p'], ['gall', 0, ['g'], [], 'ALL'], ['gkeys', 0, ['n'], ['g'], 'KEYS_ONLY'], ['gsome', 0, ['b'], [], 'INCLUDE']);
new_table('locals', \%types, ['p', 's'], ['lall', 1, ['p'], ['l'], 'ALL'], ['lkeys', 1, ['p'], ['n'], 'KEYS_ONLY'], ['lsome', 1, ['p'], ['g'], 'INCLUDE'],
	['gall', 0, ['g'], ['l'], 'ALL'], ['gsome', 0, ['n'], [], 'INCLUDE'], ['inverted', 0, ['s'], ['p'], 'KEYS_ONLY']);
new_table('kinds', \%types, ['p', 's'], ['many', 0, ['g', 'l'], ['n', 'b'], 'INCLUDE']);
add_index('kinds', 'stored', ['g'], ['n'], 'INCLUDE', ", storage => 'table'");
add_index('kinds', 'sharded', ['g'], ['l'], 'KEYS_ONLY', ', shards => 4');
add_index('kinds', 'whole', ['l'], [], 'ALL', ", storage => 'table'");

sub key_of { my ($table, $item) = @_; return {map { $_ => $item->{$_} } @{$table->{key}}} }
sub place { my ($table, $item) = @_; return join '/', map { canonical($item->{$_}) } @{$table->{key}} }
sub stored { my ($table, $item) = @_; return $table->{items}{place($table, $item)} }

# Few keys, so that most of them are met again.
sub new_key
{
	my ($table) = @_;
	my %key = (p => $table->{types}{p} eq 'N' ? {N => pick('1', '1.0', '2', '3e0', '-4')} : {S => pick('a', 'b', 'c', 'd' x 1000)});
	$key{s} = {S => pick('a', 'b', 'c', 'd', 'e' x 500)} if @{$table->{key}} > 1;
	return \%key;
}

sub new_item
{
	my ($table) = @_;
	my $item = new_key($table);
	for my $name (qw(g n b l)) { $item->{$name} = index_value($table->{types}{$name}) if chance(0.6) }
	for my $name (@others) { $item->{$name} = $name eq 'x' ? bulk() : other() if chance(0.4) }
	return $item;
}

# ---- units ----

sub blocks { my ($size, $block) = @_; return max(1, int(($size + $block - 1) / $block)) }
sub read_units { my ($size, $consistent) = @_; return blocks($size, 4096) * ($consistent ? 1 : 0.5) }

# What an index has of an item; undef if it has nothing of it.
sub entry
{
	my ($table, $index, $item) = @_;
	return undef if !$item || grep { !$item->{$_} } @{$index->{key}};
	return $item if $index->{projection} eq 'ALL';
	my %kept = map { $_ => 1 } @{$index->{key}}, @{$table->{key}}, ($index->{projection} eq 'INCLUDE' ? ('i1', 'i2') : ());
	return {map { $_ => $item->{$_} } grep { $kept{$_} } keys %$item};
}

# Units by the place of where they are consumed: '' is the table.
sub write_units
{
	my ($table, $old, $new) = @_;
	my %units = ('' => max(map { blocks($_ ? item_size($_) : 0, 1024) } $old, $new));

	for my $index (values %{$table->{indexes}}) {
		my ($from, $to) = map { entry($table, $index, $_) } $old, $new;
		my ($before, $after) = map { $_ ? blocks(item_size($_), 1024) : 0 } $from, $to;
		my $u = !$from || !$to || (grep { !same($from->{$_}, $to->{$_}) } @{$index->{key}}) ? $before + $after
		  : same({M => $from}, {M => $to}) ? 0 : max($before, $after);
		$units{$index->{name}} = $u if $u;
	}
	return \%units;
}

sub add_units
{
	my ($sum, $units) = @_;
	$sum->{$_} += $units->{$_} for keys %$units;
}

# ConsumedCapacity of one table; kind: of the units in a transaction.
sub consumed
{
	my ($table, $units, $detail, $kind) = @_;
	my %units = %$units;
	my $written = sub { return {CapacityUnits => 0 + $_[0], $kind ? ("${kind}CapacityUnits" => 0 + $_[0]) : ()} };
	my $result;

	$units{''} *= 2 if $kind;
	$result = {TableName => $table->{name}, %{$written->(sum0 values %units)}};
	return $result if $detail ne 'INDEXES';
	$result->{Table} = $written->(delete $units{''});
	$result->{$table->{indexes}{$_}{local} ? 'LocalSecondaryIndexes' : 'GlobalSecondaryIndexes'}{$_} = $written->($units{$_}) for keys %units;
	return $result;
}

# What the statistics must have at the end: [read units, write units] by table and index.
my %counted;

sub count
{
	my ($table, $units, $i, $transaction) = @_;
	$counted{"$table->{name}/$_"}[$i] += $units->{$_} * ($transaction && $_ eq '' ? 2 : 1) for keys %$units;
}

# ---- requests, and what they must answer ----

my @requests;	# [operation, request, what is expected of the answer]

sub metric { my ($item) = @_; return {ItemCollectionKey => {p => $item->{p}}, SizeEstimateRangeGB => [0, 1]} }
sub has_local { my ($table) = @_; return scalar grep { $_->{local} } values %{$table->{indexes}} }

sub add_request
{
	my ($operation, $request, $expected) = @_;
	push @requests, [$operation, $request, $expected];
}

sub set_item
{
	my ($table, $key, $item) = @_;
	$item ? $table->{items}{place($table, $key)} = $item : delete $table->{items}{place($table, $key)};
}

# An action on one item: the members of its request, and the item after it.
sub new_action
{
	my ($table, @kinds) = @_;
	my $kind = pick(@kinds);
	my $item = new_item($table);
	my $old = stored($table, $item);
	my %action = (kind => $kind, table => $table, key => key_of($table, $item), old => $old, holds => 1);

	if ($kind eq 'Put') {
		# often the same item, or nearly
		$item = {%$old, chance(0.5) ? (pick(@others) => other()) : ()} if $old && chance(0.4);
		$item = {%$item, %{key_of($table, $old)}} if $old;
		@action{qw(key new request)} = (key_of($table, $item), $item, {Item => $item});
	}
	elsif ($kind eq 'Update') { update(\%action) }
	else {
		@action{qw(new request)} = ($kind eq 'Delete' ? undef : $old, {Key => $action{key}});
	}
	return \%action;
}

# A random UpdateExpression.
sub update
{
	my ($action) = @_;
	my ($table, $old) = @$action{qw(table old)};
	my %new = %{$old // $action->{key}};
	my (@set, @remove, %names, %values);
	my $n = 0;

	for my $name (grep { chance(0.3) } @others, qw(g n b l)) {
		my $value = $table->{types}{$name} ? index_value($table->{types}{$name}) : $name eq 'x' ? bulk() : other();
		my $place = '#n' . $n;

		$value = $old->{$name} if $old && $old->{$name} && chance(0.3);
		$names{$place} = $name;
		if (chance(0.6)) {
			push @set, "$place = :v$n";
			$values{":v$n"} = $new{$name} = $value;
		}
		else {
			push @remove, $place;
			delete $new{$name};
		}
		$n++;
	}
	my $text = join ' ', @set ? 'SET ' . join(', ', @set) : (), @remove ? 'REMOVE ' . join(', ', @remove) : ();
	# removing something from nothing leaves nothing
	$action->{new} = $old || @set || !@remove ? \%new : undef;
	$action->{text} = [\@set, \@remove, \%names, \%values];
	$action->{request} = {Key => $action->{key}, $text ne '' ? (UpdateExpression => $text) : (),
		%names ? (ExpressionAttributeNames => \%names) : (), %values ? (ExpressionAttributeValues => \%values) : ()};
}

sub add_condition
{
	my ($action) = @_;
	my $exists = chance(0.5);
	my $request = $action->{request};

	$request->{ConditionExpression} = $exists ? 'attribute_exists(p)' : 'attribute_not_exists(p)';
	$action->{holds} = !!$action->{old} == $exists;
}

my %failed = (status => 400);

sub common { return (ReturnConsumedCapacity => $_[0], ReturnItemCollectionMetrics => 'SIZE') }
sub any_table { return $tables{pick(sort keys %tables)} }

sub single_write
{
	my $table = any_table();
	my $action = new_action($table, qw(Put Put Update Update Delete));
	my $detail = pick('TOTAL', 'INDEXES', 'INDEXES', 'NONE');
	my %expected = (status => 200);

	add_condition($action) if chance(0.3);
	count($table, $action->{holds} ? of_write($action) : failed_units($action), 1);
	if (!$action->{holds}) { %expected = %failed }
	else {
		$expected{capacity} = consumed($table, write_units($table, @$action{qw(old new)}), $detail) if $detail ne 'NONE';
		$expected{metrics} = metric($action->{key}) if has_local($table);
		set_item($table, @$action{qw(key new)});
	}
	add_request("$action->{kind}Item", {TableName => $table->{name}, common($detail), %{$action->{request}}}, \%expected);
}

sub of_write { my ($action) = @_; return write_units($action->{table}, @$action{qw(old new)}) }

# Those of a false condition are of the item that it has seen.
sub failed_units { my ($action) = @_; return write_units({indexes => {}}, ($action->{old}) x 2) }

# A canceled transaction takes nothing of indexes, and of its tables what it would have taken.
sub canceled_units { my ($action) = @_; return $action->{holds} ? {'' => of_write($action)->{''}} : failed_units($action) }

# Actions on different items.
sub new_actions
{
	my ($n, @kinds) = @_;
	my (%seen, @actions);
	for (1 .. $n) {
		my $action = new_action(any_table(), @kinds);
		push @actions, $action if !$seen{"$action->{table}{name} " . place($action->{table}, $action->{key})}++;
	}
	return @actions;
}

# The units of actions by table, as a list of ConsumedCapacity.
sub of_actions
{
	my ($actions, $detail, $kind, $units) = @_;
	my %sum;
	add_units($sum{$_->{table}{name}} //= {}, $units->($_)) for @$actions;
	count($tables{$_}, $sum{$_}, ($kind // 'Write') eq 'Read' ? 0 : 1, $kind) for keys %sum;
	return $detail eq 'NONE' ? undef : [map { consumed($tables{$_}, $sum{$_}, $detail, $kind) } sort keys %sum];
}

# A collection has one entry in a request, however many of its items were written.
sub collections
{
	my (@actions) = @_;
	my (%metrics, %seen);
	for my $action (grep { $_->{kind} ne 'ConditionCheck' && has_local($_->{table}) } @actions) {
		my $name = $action->{table}{name};
		push @{$metrics{$name}}, metric($action->{key}) if !$seen{"$name " . canonical($action->{key}{p})}++;
	}
	return %metrics ? \%metrics : undef;
}

sub batch_write
{
	my @actions = new_actions(int(rand 6) + 1, qw(Put Put Delete));
	my $detail = pick('TOTAL', 'INDEXES');
	my %items;

	push @{$items{$_->{table}{name}}}, {"$_->{kind}Request" => $_->{request}} for @actions;
	my $expected = {status => 200, capacity => of_actions(\@actions, $detail, undef, \&of_write), metrics => collections(@actions)};
	set_item(@$_{qw(table key new)}) for @actions;
	add_request('BatchWriteItem', {RequestItems => \%items, common($detail)}, $expected);
}

my $token = 0;

sub transact_write
{
	my @actions = new_actions(int(rand 6) + 1, qw(Put Update Delete ConditionCheck));
	my $detail = pick('TOTAL', 'INDEXES');

	for my $action (@actions) {
		add_condition($action) if chance(0.1);
		if ($action->{kind} eq 'ConditionCheck') {
			$action->{request}{ConditionExpression} = 'attribute_exists(p)' . ($action->{old} || chance(0.1) ? '' : ' OR attribute_not_exists(p)');
			$action->{holds} = 1;
			$action->{holds} = !!$action->{old} if $action->{request}{ConditionExpression} eq 'attribute_exists(p)';
		}
		$action->{request}{UpdateExpression} //= 'REMOVE x' if $action->{kind} eq 'Update';
		if ($action->{kind} eq 'Update' && $action->{request}{UpdateExpression} eq 'REMOVE x' && !%{$action->{request}{ExpressionAttributeNames} // {}}) {
			$action->{new} = $action->{old} ? {%{$action->{old}}} : undef;
			delete $action->{new}{x} if $action->{new};
		}
	}
	my $holds = !grep { !$_->{holds} } @actions;
	my $request = {TransactItems => [map { {$_->{kind} => {TableName => $_->{table}{name}, %{$_->{request}}}} } @actions], common($detail),
		ClientRequestToken => 'token' . $token++};

	if (!$holds) {
		of_actions(\@actions, $detail, 'Write', \&canceled_units);
		return add_request('TransactWriteItems', $request, {%failed});
	}
	my $expected = {status => 200, capacity => of_actions(\@actions, $detail, 'Write', \&of_write), metrics => collections(@actions)};
	set_item(@$_{qw(table key new)}) for @actions;
	add_request('TransactWriteItems', $request, $expected);
	return if !chance(0.3);
	add_request('TransactWriteItems', $request, {status => 200, metrics => collections(@actions),
		capacity => of_actions(\@actions, $detail, 'Read', sub { my $item = stored($_[0]{table}, $_[0]{key}); return {'' => read_units($item ? item_size($item) : 0, 1)} })});
}

sub size_at { my ($table, $key) = @_; my $item = stored($table, $key); return $item ? item_size($item) : 0 }
sub projected_names { return chance(0.4) ? (ProjectionExpression => pick('p', 'x', 'i1, y')) : () }

sub get
{
	my $table = any_table();
	my $key = new_key($table);
	my $consistent = chance(0.5);
	my $detail = pick('TOTAL', 'INDEXES');
	my $units = {'' => read_units(size_at($table, $key), $consistent)};

	count($table, $units, 0);
	add_request('GetItem', {TableName => $table->{name}, Key => $key, projected_names(), ReturnConsumedCapacity => $detail, $consistent ? (ConsistentRead => JSON::PP::true) : ()},
		{status => 200, capacity => consumed($table, $units, $detail)});
}

# Different keys of several tables: [table, key].
sub new_keys
{
	my %seen;
	return grep { !$seen{$_->[0]{name} . place(@$_)}++ } map { my $table = any_table(); [$table, new_key($table)] } 1 .. 1 + rand 6;
}

sub batch_get
{
	my @keys = new_keys();
	my $detail = pick('TOTAL', 'INDEXES');
	my (%items, %units);

	for (@keys) {
		my ($table, $key) = @$_;
		my $request = $items{$table->{name}} //= {chance(0.5) ? (ConsistentRead => JSON::PP::true) : (), projected_names(), Keys => []};
		push @{$request->{Keys}}, $key;
		$units{$table->{name}}{''} += read_units(size_at($table, $key), $request->{ConsistentRead});
	}
	count($tables{$_}, $units{$_}, 0) for keys %units;
	add_request('BatchGetItem', {RequestItems => \%items, ReturnConsumedCapacity => $detail},
		{status => 200, capacity => [map { consumed($tables{$_}, $units{$_}, $detail) } sort keys %units]});
}

sub transact_get
{
	my @actions = map { {table => $_->[0], key => $_->[1]} } new_keys();
	my $detail = pick('TOTAL', 'INDEXES');

	add_request('TransactGetItems', {ReturnConsumedCapacity => $detail,
		TransactItems => [map { {Get => {TableName => $_->{table}{name}, Key => $_->{key}, projected_names()}} } @actions]},
		{status => 200, capacity => of_actions(\@actions, $detail, 'Read', sub { return {'' => read_units(size_at(@{$_[0]}{qw(table key)}), 1)} })});
}

sub compare
{
	my ($x, $y) = map { my ($text) = values %$_; $text } @_;	# copies: JSON writes what was a number as one
	return exists $_[0]{N} ? $x <=> $y : $x cmp $y;
}

# The units of a page of items of a table or index; fetch: from the table, too.
sub page_units
{
	my ($table, $index, $items, $consistent, $fetch) = @_;
	my $size = sum0 map { item_size($index ? entry($table, $index, $_) : $_) } @$items;
	my %units = ($index ? $index->{name} : '' => read_units($size, $consistent));

	$units{''} = sum0 map { read_units(item_size($_), $consistent) } @$items if $index;
	$units{''} = 0 if $index && !$fetch;
	return \%units;
}

sub read_page
{
	my $table = any_table();
	my $index = %{$table->{indexes}} && chance(0.7) ? $table->{indexes}{pick(sort keys %{$table->{indexes}})} : undef;
	my $consistent = (!$index || $index->{local}) && chance(0.5);
	my $detail = pick('TOTAL', 'INDEXES');
	my %request = (TableName => $table->{name}, $index ? (IndexName => $index->{name}) : (), ReturnConsumedCapacity => $detail,
		$consistent ? (ConsistentRead => JSON::PP::true) : ());
	my @key = $index ? @{$index->{key}} : @{$table->{key}};
	my $partition = $index ? $index->{partition} : [$key[0]];
	my @items = grep { $index ? entry($table, $index, $_) : 1 } values %{$table->{items}};
	my $scan = chance(0.2);
	my $fetch = 0;

	if (!$scan) {
		my %wanted = map { $_ => $_ eq 'p' || $_ eq 's' ? new_key($table)->{$_} : index_value($table->{types}{$_}) } @$partition;
		my @conditions = map { "$_ = :$_" } @$partition;
		for my $name (@$partition) { @items = grep { same($_->{$name}, $wanted{$name}) } @items }
		my %seen;
		my @order = grep { !$seen{$_}++ } @key, @{$table->{key}};
		@items = sort { my $r = 0; for (@order) { last if $r = compare($a->{$_}, $b->{$_}) } $r } @items;
		@request{qw(KeyConditionExpression ExpressionAttributeValues)} = (join(' AND ', @conditions), {map { (":$_" => $wanted{$_}) } @$partition});
		if (chance(0.3)) { $request{ScanIndexForward} = JSON::PP::false; @items = reverse @items }
		$request{Limit} = 1 + int rand 4 if (@{$table->{key}} > 1 || $index) && chance(0.4);
		splice @items, $request{Limit} if $request{Limit} && @items > $request{Limit};
	}
	my $others = $index && $index->{projection} ne 'ALL' && $index->{local};
	my $kind = rand;
	if ($kind < 0.2) { $request{Select} = 'COUNT' }
	elsif ($kind < 0.4 && (!$index || $index->{local} || $index->{projection} eq 'ALL')) {
		$request{Select} = 'ALL_ATTRIBUTES';
		$fetch = $others;
	}
	elsif ($kind < 0.6 && $others) {
		$request{ProjectionExpression} = pick('p, x', 'y', 'x.a');
		$fetch = 1;
	}
	elsif ($kind < 0.8) { $request{ProjectionExpression} = 'p' }
	if (chance(0.3) && (!$index || $index->{projection} eq 'ALL')) {
		$request{FilterExpression} = 'attribute_exists(x)';
	}
	my $units = page_units($table, $index, \@items, $consistent, $fetch);
	# of the table nothing is counted where nothing was fetched
	count($table, $units, 0);
	add_request($scan ? 'Scan' : 'Query', \%request, {status => 200, scanned => scalar @items, capacity => consumed($table, $units, $detail)});
}

# ---- PartiQL ----

sub where { my ($table, $key) = @_; return (join(' AND ', map { "$_ = ?" } @{$table->{key}}), map { $key->{$_} } @{$table->{key}}) }

# A statement that writes, with its action.
sub write_statement
{
	my ($checks) = @_;
	my $table = any_table();
	my $action = new_action($table, qw(Put Update Delete), $checks ? 'ConditionCheck' : ());
	my ($where, @key) = where($table, $action->{key});

	$action->{statement} = {Statement => "DELETE FROM $table->{name} WHERE $where", Parameters => \@key};
	if ($action->{kind} eq 'Put') {
		$action->{statement} = {Statement => "INSERT INTO $table->{name} VALUE {" . join(', ', map { quoted($_) . ': ?' } sort keys %{$action->{new}}) . '}',
			Parameters => [map { $action->{new}{$_} } sort keys %{$action->{new}}]};
		$action->{holds} = !$action->{old};
		# the statistics count an item that is in the way only where it was read
		return write_statement($checks) if $action->{old} && !$checks;
	}
	if ($action->{kind} eq 'Update') {
		my $name = pick(@others, qw(g n b l));
		my $value = $table->{types}{$name} ? index_value($table->{types}{$name}) : other();
		my $removes = chance(0.3);

		$action->{statement} = {Statement => "UPDATE $table->{name} " . ($removes ? "REMOVE \"$name\"" : "SET \"$name\" = ?") . " WHERE $where", Parameters => [$removes ? () : $value, @key]};
		$action->{new} = $action->{old} && {%{$action->{old}}, $removes ? () : ($name => $value)};
		delete $action->{new}{$name} if $removes && $action->{new};
		$action->{holds} = !!$action->{old};
	}
	if ($action->{kind} eq 'ConditionCheck') {
		$action->{statement} = {Statement => "EXISTS(SELECT * FROM $table->{name} WHERE $where AND p IS NOT MISSING)", Parameters => \@key};
		$action->{holds} = !!$action->{old};
	}
	return $action;
}

sub statement_write
{
	my $action = write_statement();
	my $table = $action->{table};
	my $detail = pick('TOTAL', 'INDEXES');
	my %expected = (status => 400);

	count($table, $action->{holds} ? of_write($action) : failed_units($action), 1);
	if ($action->{holds}) {
		%expected = (status => 200, capacity => consumed($table, of_write($action), $detail));
		set_item($table, @$action{qw(key new)});
	}
	add_request('ExecuteStatement', {%{$action->{statement}}, ReturnConsumedCapacity => $detail}, \%expected);
}

sub distinct
{
	my %seen;
	return grep { !$seen{"$_->{table}{name} " . place($_->{table}, $_->{key})}++ } @_;
}

sub statement_batch
{
	my @actions = distinct(map { write_statement() } 1 .. 1 + rand 5);
	my $detail = pick('TOTAL', 'INDEXES');
	my @capacity;

	for my $action (@actions) {
		count($action->{table}, $action->{holds} ? of_write($action) : failed_units($action), 1);
		next if !$action->{holds};
		push @capacity, consumed($action->{table}, of_write($action), $detail);
		set_item(@$action{qw(table key new)});
	}
	add_request('BatchExecuteStatement', {Statements => [map { $_->{statement} } @actions], ReturnConsumedCapacity => $detail}, {status => 200, capacity => \@capacity});
}

sub statement_transaction
{
	my @actions = distinct(map { write_statement(1) } 1 .. 1 + rand 3);
	my $detail = pick('TOTAL', 'INDEXES');
	my $request = {TransactStatements => [map { $_->{statement} } @actions], ReturnConsumedCapacity => $detail, ClientRequestToken => 'token' . $token++};

	if (grep { !$_->{holds} } @actions) {
		count($_->{table}, canceled_units($_), 1, 1) for @actions;
		return add_request('ExecuteTransaction', $request, {%failed});
	}
	count($_->{table}, of_write($_), 1, 1) for @actions;
	my $expected = {status => 200, capacity => [map { consumed($_->{table}, of_write($_), $detail, 'Write') } @actions]};
	set_item(@$_{qw(table key new)}) for @actions;
	add_request('ExecuteTransaction', $request, $expected);
	return if !chance(0.3);
	my @units = map { {'' => read_units(size_at(@$_{qw(table key)}), 1)} } @actions;
	count($actions[$_]{table}, $units[$_], 0, 1) for 0 .. $#actions;
	add_request('ExecuteTransaction', $request, {status => 200, capacity => [map { consumed($actions[$_]{table}, $units[$_], $detail, 'Read') } 0 .. $#actions]});
}

sub statement_reads
{
	my @keys = new_keys();
	my $operation = pick(qw(ExecuteStatement BatchExecuteStatement ExecuteTransaction));
	my $detail = pick('TOTAL', 'INDEXES');
	my (@statements, @capacity);

	splice @keys, 1 if $operation eq 'ExecuteStatement';
	for (@keys) {
		my ($table, $key) = @$_;
		my ($where, @values) = where(@$_);
		my $transaction = $operation eq 'ExecuteTransaction';
		my $consistent = !$transaction && chance(0.5);
		my $units = {'' => read_units(size_at(@$_), $consistent || $transaction)};

		count($table, $units, 0, $transaction);
		push @capacity, consumed($table, $units, $detail, $transaction ? 'Read' : undef);
		push @statements, {Statement => 'SELECT ' . pick('*', 'p', 'x') . " FROM $table->{name} WHERE $where", Parameters => \@values, $consistent ? (ConsistentRead => JSON::PP::true) : ()};
	}
	my %list = $operation eq 'ExecuteStatement' ? %{$statements[0]} : (($operation =~ /^B/ ? 'Statements' : 'TransactStatements') => \@statements);
	add_request($operation, {%list, ReturnConsumedCapacity => $detail}, {status => 200, capacity => $operation eq 'ExecuteStatement' ? $capacity[0] : \@capacity});
}

# A selection that is a query or a scan of a table or an index.
sub statement_query
{
	my $table = any_table();
	my @indexes = grep { @{$_->{partition}} == 1 && @{$_->{key}} <= 2 } map { $table->{indexes}{$_} } sort keys %{$table->{indexes}};
	my $index = @indexes && chance(0.6) ? pick(@indexes) : undef;
	my $consistent = (!$index || $index->{local}) && chance(0.5);
	my $detail = pick('TOTAL', 'INDEXES');
	my ($name) = $index ? @{$index->{partition}} : 'p';
	my $fetch = $index && $index->{local} && $index->{projection} ne 'ALL' && chance(0.5);
	my @wanted = map { $name eq 'p' || $name eq 's' ? new_key($table)->{$name} : index_value($table->{types}{$name}) } 1 .. pick(0, 1, 1, 2);
	my @items = grep { my $item = $_; (!$index || entry($table, $index, $item)) && (!@wanted || grep { same($item->{$name}, $_) } @wanted) } values %{$table->{items}};
	my $units = page_units($table, $index, \@items, $consistent, $fetch);

	count($table, $units, 0);
	add_request('ExecuteStatement', {Statement => 'SELECT ' . ($fetch ? 'x' : 'p') . ' FROM ' . ($index ? qq("$table->{name}"."$index->{name}") : $table->{name})
		. (@wanted ? " WHERE $name IN [" . join(', ', ('?') x @wanted) . ']' : ''), @wanted ? (Parameters => \@wanted) : (),
		ReturnConsumedCapacity => $detail, $consistent ? (ConsistentRead => JSON::PP::true) : ()},
		{status => 200, items => scalar @items, capacity => consumed($table, $units, $detail)});
}

# ---- run ----

my @kinds = ((\&single_write) x 6, \&batch_write, \&batch_write, \&transact_write, \&transact_write, \&get, \&batch_get, \&transact_get, (\&read_page) x 5,
	\&statement_write, \&statement_write, \&statement_batch, \&statement_transaction, \&statement_reads, \&statement_query);
while (@requests < $cases) { pick(@kinds)->() }

my $functions = <<'SQL';
CREATE FUNCTION answer(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('status', r -> 'status', 'capacity', r #> '{body,ConsumedCapacity}', 'metrics', r #> '{body,ItemCollectionMetrics}',
		'scanned', r #> '{body,ScannedCount}', 'items', json_array_length(r #> '{body,Items}'), 'last', r #> '{body,LastEvaluatedKey}', 'error', r #>> '{body,__type}',
		'message', coalesce(r #>> '{body,message}', r #>> '{body,Message}'))::text
	FROM dynamo.request_safe(operation, request) r
$$;
SQL

create_database($database, $setup);
my ($status, $output) = psql($database, $functions . "SELECT 1 FROM dynamo.stat_reset();\n" . join '', map {
	(chance(0.02) ? 'SET dynamo.direct_access = ' . pick('on', 'off') . ";\n" : '') . 'SELECT answer(' . quoted($_->[0]) . ', ' . literal($_->[1]) . ");\n"
} @requests);
is($status, 0, 'requests run') or diag(substr $output, 0, 2000);
my @lines = split /\n/, $output;
shift @lines;
is(scalar @lines, scalar @requests, 'every request is answered') or BAIL_OUT(substr $output, 0, 2000);

# Numbers and texts of JSON compare as texts.
sub plain
{
	my ($v) = @_;
	return 'none' if !defined $v;
	return '{' . join(',', map { "$_:" . plain($v->{$_}) } sort keys %$v) . '}' if ref $v eq 'HASH';
	return '[' . join(',', map { plain($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return $v =~ /^-?\d+(\.\d+)?$/ ? 0 + $v : $v;
}

# Without the order of tables in a list, and of collections.
sub sorted { my ($list) = @_; return ref $list eq 'ARRAY' ? [sort { plain($a) cmp plain($b) } @$list] : $list }

my $failures = 0;
my %kinds_seen;
for my $i (0 .. $#requests) {
	my ($operation, $request, $expected) = @{$requests[$i]};
	my $answer = $json->decode($lines[$i]);
	my @wrong;

	$kinds_seen{$operation}++ if $answer->{status} == 200;
	$answer->{metrics} = {map { $_ => sorted($answer->{metrics}{$_}) } keys %{$answer->{metrics}}} if $operation =~ /^(Batch|Transact)Write/ && $answer->{metrics};
	$expected->{metrics} = {map { $_ => sorted($expected->{metrics}{$_}) } keys %{$expected->{metrics}}} if $operation =~ /^(Batch|Transact)Write/ && $expected->{metrics};
	for my $part (qw(status capacity metrics), grep { exists $expected->{$_} } qw(scanned items)) {
		my ($got, $want) = map { $_->{$part} } $answer, $expected;
		($got, $want) = map { sorted($_) } $got, $want if $part eq 'capacity' && $operation !~ /Statement|ExecuteTransaction/;
		push @wrong, "$part is " . plain($got) . ' not ' . plain($want) if plain($got) ne plain($want);
	}
	next if !@wrong;
	diag("request $i: " . join("\n", @wrong) . "\n$operation " . substr($json->encode($request), 0, 1500) . "\n" . ($answer->{message} // '')) if $failures++ < 5;
}
is($failures, 0, scalar(@requests) . ' requests agree with the model');
is(scalar keys %kinds_seen, 13, 'every operation was executed') or diag(join ' ', sort keys %kinds_seen);

# what is stored is what the model has
for my $name (sort keys %tables) {
	my ($failed, $text) = psql($database, "SELECT dynamo.item_size(item) FROM $name ORDER BY 1;");
	is($text =~ s/\n/ /gr, join('', map { "$_ " } sort { $a <=> $b } map { item_size($_) } values %{$tables{$name}{items}}), "items of $name");
}

# the statistics have counted the same units
SKIP: {
	my ($failed, $text) = psql($database, 'SELECT count(*) FROM dynamo.stat_operations;');
	skip 'dynamo is not preloaded', 1 if $text eq "0\n";
	($failed, $text) = psql($database, "SELECT table_name || '/', coalesce(read_units, 0)::float8, coalesce(write_units, 0)::float8 FROM dynamo.stat_tables
		UNION ALL SELECT table_name || '/' || index_name, coalesce(read_units, 0)::float8, coalesce(write_units, 0)::float8 FROM dynamo.stat_indexes;");
	my @want = map { my $table = $_; map { "$table->{name}/$_" } '', keys %{$table->{indexes}} } values %tables;
	is(join("\n", sort split /\n/, $text), join("\n", sort map { join '|', $_, map { $_ // 0 } @{$counted{$_} // []}[0, 1] } @want), 'units of the statistics');
}

done_testing();
