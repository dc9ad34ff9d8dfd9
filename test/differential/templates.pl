#!/usr/bin/perl
# Random templates of keys and random items against the model in
# TemplateModel.pm: the keys that are composed and what they tell, under random
# settings of time and date; and whether the keys of each format that has an
# order sort as its values.  SEED repeats a run, CASES sets the number of cases.
# psql finds the server through the usual environment variables; a database of
# its own is created there and dropped at the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Math::BigFloat;
use TemplateModel;
use TestDatabase;
use Test::More;

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 40000 : 2500);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_templates_$$";
create_database($database, '');

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- values ----

sub digits { my ($n) = @_; return join '', map { int rand 10 } 1 .. $n }

# As numbers are written: no zeros in front, none behind a point.
sub number
{
	my ($longest) = @_;
	my $whole = digits(1 + int rand $longest) =~ s/^0+(?=\d)//r;
	my $fraction = chance(0.4) ? digits(1 + int rand 3) =~ s/0+\z//r : '';
	my $text = $whole . ($fraction eq '' ? '' : ".$fraction");
	return ($text ne '0' && chance(0.3) ? '-' : '') . $text;
}

sub instant
{
	my $date = sprintf '%04d-%02d-%02d', pick(1, 1969, 1970, 1900, 2000, 2023, 2024, 2026, 9999, 1 + int rand 9999), 1 + int rand 12,
		1 + int rand(chance(0.1) ? 31 : 28);
	return $date if chance(0.1);
	my $fraction = chance(0.5) ? '.' . digits(pick(1, 3, 6, 9)) : '';
	my $seconds = chance(0.9) ? sprintf(':%02d%s', rand 60, $fraction) : '';
	return $date . pick('T', ' ', 'T') . sprintf('%02d:%02d%s', rand 24, rand 60, $seconds) .
		pick('Z', 'Z', '', '+02', '-05:30', '+0545', '+14:00');
}

sub word { return join '', map { pick('a' .. 'e', 'A' .. 'E', 0 .. 9, '-', '_', '.', '@') } 1 .. 1 + int rand 5 }
sub text { return join '', map { pick('a' .. 'c', 'A' .. 'C', '#', '##', '|', '#X#', "\x{e9}", '{', ' ', "'") } 1 .. 1 + int rand 4 }

sub value
{
	return [ 'S', '' ] if chance(0.02);
	return chance(0.5) ? [ 'N', number(pick(3, 8)) ] : [ 'S', number(4) ] if chance(0.3);
	return chance(0.2) ? [ 'N', (chance(0.3) ? '-' : '') . (1 + int rand 2_000_000_000) . (chance(0.5) ? '.' . digits(pick(2, 8)) . '1' : '') ]
		: [ 'S', instant() ] if chance(0.5);
	return [ 'S', chance(0.5) ? word() : text() ];
}

sub item { return { map { chance(0.95) ? ($_ => value()) : () } qw(a b c d) } }

# ---- templates ----

sub part
{
	my $p = { name => pick(qw(a b c d)) };
	my $kind = pick(qw(text text number time shard));
	return { %$p, kind => $kind, shards => pick(2, 10, 11, 100, 1000, 13) } if $kind eq 'shard';
	return { %$p, kind => $kind, unit => pick(qw(date s ms us)), desc => chance(0.3) } if $kind eq 'time';
	return { %$p, kind => $kind, digits => pick(1, 4, 8), decimals => pick(0, 0, 2), sign => chance(0.5), desc => chance(0.3) }
		if $kind eq 'number';
	return { %$p, kind => $kind, word => chance(0.2), pick(qw(upper lower x y z)) => 1 };
}

sub template
{
	my @pieces = chance(0.8) ? (pick('P#', 'ORDER#', "\x{e9}{", '#')) : ();
	my $n = 1 + int rand 4;
	for my $i (1 .. $n)
	{
		push @pieces, part();
		push @pieces, pick('#', '##', '#X#', '|', '}') if $i < $n ? ($pieces[-1]{kind} eq 'text' || chance(0.5)) : chance(0.2);
	}
	my @texts = grep { ref $pieces[$_] && $pieces[$_]{kind} eq 'text' } 0 .. $#pieces;
	my $marked = pick(@texts, -1);
	if (chance(0.3) && $marked >= 0 && !grep { $_ > $marked && ref $pieces[ $_ - 1 ] } @texts)
	{
		delete $pieces[$marked]{word};
		$pieces[$marked]{any} = 1;
	}
	return @pieces;
}

# ---- as SQL ----

sub literal { my ($text) = @_; return "'" . $text =~ s/'/''/gr . "'" }

# Characters of templates and items are bytes to the model.
sub bytes { my ($text) = @_; utf8::encode($text); return $text }

sub typed_json
{
	my ($item) = @_;
	my @members = map { my ($type, $text) = @{ $item->{$_} }; "\"$_\": {\"$type\": \"" . $text =~ s/(["\\])/\\$1/gr . '"}' } sort keys %$item;
	return '{' . join(', ', @members) . '}';
}

sub in_bytes
{
	my (@pieces) = @_;
	return map { ref $_ ? $_ : bytes($_) } @pieces;
}

sub show { my ($text) = @_; return defined $text ? unpack('H*', $text) : '-' }

my (@sql, @expected);
for my $n (1 .. $cases)
{
	my @pieces = template();
	my $item = item();
	my $byte_item = { map { $_ => [ $item->{$_}[0], bytes($item->{$_}[1]) ] } keys %$item };
	my $key = compose($byte_item, in_bytes(@pieces));
	my %best;
	push @sql, "SET TimeZone = '" . pick('UTC', 'America/New_York', 'Asia/Kathmandu') . "'; SET DateStyle = '" . pick('ISO', 'SQL, DMY', 'German') . "';\n"
		if $n % 50 == 1;
	my $template = template_text(@pieces);
	push @sql, sprintf "SELECT coalesce(encode(convert_to(render_key(%s, %s), 'UTF8'), 'hex'), '-') AS key;\n", literal(typed_json($item)), literal($template);
	push @expected, [ "render_key(" . typed_json($item) . ", $template)", show($key) ];

	# sometimes a key that is nearly one
	$key = join '', map { chance(0.1) ? () : $_ } split //, $key if defined $key && chance(0.2);
	my $broken = defined $key ? $key : next;
	next if !utf8::decode($broken);
	my $told = take_apart(bytes($broken), in_bytes(@pieces));
	my %names;
	$names{ $_->{name} }++ for grep { ref } @pieces;
	next if grep { $_ > 1 } values %names;		# which of the two tells is tested in SQL
	push @sql, sprintf "SELECT coalesce(encode(convert_to(parse_key(%s, %s)::text, 'UTF8'), 'hex'), '-') AS parts;\n", literal($broken), literal($template);
	push @expected, [ "parse_key($broken, $template)", show(defined $told ? typed_json($told) : undef) ];
}

my ($status, $output) = psql($database, join '', @sql);
is($status, 0, 'all templates can be read') or BAIL_OUT($output);
my @lines = split /\n/, $output;
is(scalar @lines, scalar @expected, 'as many answers as questions');
my @wrong = grep { ($lines[$_] // '') ne $expected[$_][1] } 0 .. $#expected;
my $composed = grep { $_->[0] =~ /^render/ && $_->[1] ne '-' } @expected;
my $told = grep { $_->[0] =~ /^parse/ && $_->[1] ne '-' } @expected;
ok($composed > $cases / 10 && $told > $cases / 20, "keys are composed ($composed) and taken apart ($told)");
is(scalar @wrong, 0, 'keys and parts are those of the model')
	or diag(join "\n", map { utf8::encode(my $what = $expected[$_][0]); "$what\n got      $lines[$_]\n expected $expected[$_][1]" } @wrong[ 0 .. ($#wrong > 4 ? 4 : $#wrong) ]);

# ---- order ----

# Keys in byte order, as a query returns them, against values in their own.
sub order_ok
{
	my ($format, $compare, @values) = @_;
	my %seen;
	@values = grep { !$seen{"@$_"}++ } @values;
	my $list = join ",\n", map { "(" . literal(typed_json({ v => $_ })) . "::dynamo.item)" } @values;
	my ($status, $output) = psql($database, "SELECT item ->> 'v' FROM (VALUES $list) v(item) WHERE render_key(item, '{v:$format}') IS NOT NULL " .
			"ORDER BY render_key(item, '{v:$format}') COLLATE \"C\", item ->> 'v' COLLATE \"C\";\n");
	my @got = split /\n/, $output;
	my @broken = grep { $compare->($got[ $_ - 1 ], $got[$_]) > 0 } 1 .. $#got;
	ok($status == 0 && @got > @values / 10 && !@broken, "{v:$format} sorts as its values (" . @got . ')')
		or diag(@broken ? "$got[$broken[0] - 1] before $got[$broken[0]]" : $output);
	return;
}

sub by_number { my ($x, $y) = @_; return Math::BigFloat->new($x)->bcmp(Math::BigFloat->new($y)) }

for my $format ('08', '08.3', '+08', '+08.3', '038', '+030.3')
{
	my @values = map { [ 'N', number(8) ] } 1 .. 300;
	order_ok($format, \&by_number, @values);
	order_ok("$format:desc", sub { by_number($_[1], $_[0]) }, @values);
}
my %length = (date => 86400 * 1_000_000, s => 1_000_000, ms => 1000, us => 1);
for my $format (qw(date s ms us))
{
	my $by_time = sub { my ($x, $y) = map { int(parse_time($_) / $length{$format}) } @_; return $x <=> $y };
	my @values = map { [ 'S', instant() ] } 1 .. 400;
	order_ok($format, $by_time, @values);
	order_ok("$format:desc", sub { $by_time->(reverse @_) }, @values);
}
done_testing();
