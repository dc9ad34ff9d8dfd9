# TemplateModel.pm: key templates once more, in Perl: what src/entity/ composes
# of an item and reads from a key.  A template is a list of pieces: a text, or a
# hash of a part: name, and kind text, number, time or shard with its options.
package TemplateModel;
use strict;
use warnings;
use Exporter 'import';
use Math::BigInt;

our @EXPORT = qw(template_text compose take_apart parse_time number_parts);

# ---- the text of a template ----

sub template_text
{
	my (@pieces) = @_;

	return join '', map { ref $_ ? part_text($_) : s/([{}])/$1$1/gr } @pieces;
}

sub part_text
{
	my ($p) = @_;
	my $text = $p->{kind} eq 'shard' ? "#$p->{shards}:$p->{name}" : $p->{name};

	$text .= ':' . ($p->{sign} ? '+' : '') . "0$p->{digits}" . ($p->{decimals} ? ".$p->{decimals}" : '') if $p->{kind} eq 'number';
	$text .= ":$p->{unit}" if $p->{kind} eq 'time';
	$text .= ":$_" for grep { $p->{$_} } qw(upper lower word any desc);
	return "{$text}";
}

# ---- times: microseconds since the first of January of the year 1 ----

my @before_month = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365);

sub is_leap { my ($y) = @_; return $y % 4 == 0 && ($y % 100 != 0 || $y % 400 == 0) }

sub days_before_year { my ($y) = map { $_ - 1 } @_; return 365 * $y + int($y / 4) - int($y / 100) + int($y / 400) }

my $end = days_before_year(10000) * 86400 * 1_000_000;

sub parse_time
{
	my ($text) = @_;

	my ($y, $mo, $d, $clock) = $text =~ /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](.+))?\z/ or return undef;
	return undef if $y == 0 || $mo < 1 || $mo > 12 || $d < 1;
	my $length = $before_month[$mo] - $before_month[ $mo - 1 ] + ($mo == 2 && is_leap($y) ? 1 : 0);
	return undef if $d > $length;
	my $days = days_before_year($y) + $before_month[ $mo - 1 ] + ($mo > 2 && is_leap($y) ? 1 : 0) + $d - 1;
	my $us = $days * 86400 * 1_000_000;
	return $us if !defined $clock;
	my ($h, $mi, $s, $fraction, $zone) = $clock =~ /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(.*)\z/ or return undef;
	$s //= 0;
	return undef if $h > 23 || $mi > 59 || $s > 59;
	$us += ($h * 3600 + $mi * 60 + $s) * 1_000_000 + substr(($fraction // '') . '000000', 0, 6);
	if ($zone =~ /^([+-])(\d\d)(?::?(\d\d))?\z/)
	{
		return undef if $2 > 23 || ($3 // 0) > 59;
		$us -= ($1 eq '-' ? -1 : 1) * ($2 * 3600 + ($3 // 0) * 60) * 1_000_000;
	}
	elsif ($zone !~ /^[Zz]?\z/) { return undef }
	return $us >= 0 && $us < $end ? $us : undef;
}

my $epoch = days_before_year(1970) * 86400 * 1_000_000;

# Of seconds since 1970 as a number; finer digits are cut off, downwards.
sub parse_seconds
{
	my ($number) = @_;
	my ($minus, $whole, $fraction) = number_parts($number);
	return undef if length $whole > 12;
	my $us = Math::BigInt->new($whole || 0)->bmul(1_000_000)->badd(substr("${fraction}000000", 0, 6) || 0);
	$us->bneg, $us->bsub(length $fraction > 6 ? 1 : 0) if $minus;
	$us->badd($epoch);
	return $us->bcmp(0) >= 0 && $us->bcmp($end) < 0 ? $us->numify : undef;
}

my %unit = (
	date => [86400 * 1_000_000, 7], s => [1_000_000, 12], ms => [1000, 15], us => [1, 18]);

sub print_time
{
	my ($us, $unit) = @_;
	my $days = int($us / (86400 * 1_000_000));
	my $y = int($days / 366) + 1;
	$y++ while days_before_year($y + 1) <= $days;
	my $of_year = $days - days_before_year($y);
	my @starts = map { $before_month[$_] + ($_ > 1 && is_leap($y) ? 1 : 0) } 0 .. 11;
	my ($mo) = grep { $starts[ $_ - 1 ] <= $of_year } reverse 1 .. 12;
	my $date = sprintf '%04d-%02d-%02d', $y, $mo, $of_year - $starts[ $mo - 1 ] + 1;
	return $date if $unit eq 'date';
	my $clock = $us - $days * 86400 * 1_000_000;
	my $seconds = int($clock / 1_000_000);
	my $fraction = sprintf '%06d', $clock % 1_000_000;
	return sprintf('%sT%02d:%02d:%02d', $date, int($seconds / 3600), int($seconds / 60) % 60, $seconds % 60)
		. ($unit eq 'ms' ? '.' . substr($fraction, 0, 3) : $unit eq 'us' ? ".$fraction" : '') . 'Z';
}

# ---- numbers, as plain decimal text ----

sub number_parts
{
	my ($text) = @_;
	my ($minus, $whole, $fraction) = $text =~ /^(-?)(\d+)(?:\.(\d+))?\z/ or return;
	$whole =~ s/^0+//;
	return ($minus, $whole, $fraction // '');
}

sub complement { my ($digits) = @_; return $digits =~ tr/0-9/9876543210/r }

sub print_number
{
	my ($p, $text) = @_;
	my ($minus, $whole, $fraction) = number_parts($text);
	my $decimals = $p->{decimals} // 0;

	return undef if !defined $whole || ($minus && !$p->{sign}) || length $whole > $p->{digits} || length $fraction > $decimals;
	my $digits = '0' x ($p->{digits} - length $whole) . $whole . ($decimals ? '.' . $fraction . '0' x ($decimals - length $fraction) : '');
	return $p->{desc} ? complement($digits) : $digits if !$p->{sign};
	my $below = $digits =~ /[1-9]/ && ($minus xor $p->{desc});
	return $below ? 'n' . complement($digits) : "p$digits";
}

# ---- shards ----

sub crc32
{
	my ($text) = @_;
	my $crc = 0xFFFFFFFF;

	for my $byte (unpack 'C*', $text)
	{
		$crc ^= $byte;
		$crc = $crc & 1 ? ($crc >> 1) ^ 0xEDB88320 : $crc >> 1 for 1 .. 8;
	}
	return $crc ^ 0xFFFFFFFF;
}

# ---- one part; values are [type, text] ----

sub print_part
{
	my ($p, $value) = @_;
	return undef if !defined $value || $value->[1] eq '';
	my ($type, $text) = @$value;

	# a string is a number if it is written as numbers are
	return undef if $p->{kind} eq 'number' && ($text !~ /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?\z/ || $text eq '-0');
	return print_number($p, $text) if $p->{kind} eq 'number';
	if ($p->{kind} eq 'time')
	{
		my $us = $type eq 'N' ? parse_seconds($text) : parse_time($text);
		my ($length, $digits) = @{ $unit{ $p->{unit} } };
		return undef if !defined $us;
		return print_time($us, $p->{unit}) if !$p->{desc};
		return sprintf "%0${digits}d", int($end / $length) - 1 - ($us - $us % $length) / $length;
	}
	$text =~ tr/a-z/A-Z/ if $p->{upper};
	$text =~ tr/A-Z/a-z/ if $p->{lower};
	return sprintf '%0' . length($p->{shards} - 1) . 'd', crc32($text) % $p->{shards} if $p->{kind} eq 'shard';
	return undef if $p->{word} && $text !~ /^[0-9A-Za-z_.@\x80-\xff-]*\z/;
	return $text;
}

# ---- keys ----

# The key of an item by a template, or undef.  Whether it can be taken apart is
# found out by doing so.
sub compose
{
	my ($item, @pieces) = @_;
	my @texts = map { ref $_ ? print_part($_, $item->{ $_->{name} }) : $_ } @pieces;

	return undef if grep { !defined } @texts;
	my $key = join '', @texts;
	my @apart = take_pieces($key, @pieces);
	return @apart && "@{[map { length } @apart]}" eq "@{[map { length } @texts]}" ? $key : undef;
}

# The pieces of a key: a regular expression with lazy parts before the marked
# one and greedy ones in front of those behind it.
sub take_pieces
{
	my ($key, @pieces) = @_;
	my ($marked) = grep { ref $pieces[$_] && $pieces[$_]{any} } 0 .. $#pieces;
	my @rest = @pieces;
	my (@front, @back);

	while (@rest && !(ref $rest[0] && $rest[0]{any}))
	{
		my $p = shift @rest;
		if (!ref $p) { return if substr($key, 0, length $p) ne $p; push @front, $p }
		elsif (defined(my $width = part_width($p))) { return if length $key < $width; push @front, substr($key, 0, $width) }
		else
		{
			my $at = @rest ? index($key, $rest[0]) : length $key;
			return if $at < 0;
			push @front, substr($key, 0, $at);
		}
		$key = substr($key, length $front[-1]);
	}
	if (!defined $marked) { return if $key ne ''; return checked(\@front, @pieces) }
	shift @rest;
	while (@rest)
	{
		my $p = pop @rest;
		if (!ref $p) { return if length $key < length $p || substr($key, -length $p) ne $p; unshift @back, $p }
		elsif (defined(my $width = part_width($p))) { return if length $key < $width; unshift @back, substr($key, length($key) - $width) }
		else
		{
			my $at = rindex($key, $rest[-1]);
			return if $at < 0;
			unshift @back, substr($key, $at + length $rest[-1]);
		}
		$key = substr($key, 0, length($key) - length $back[0]);
	}
	return checked([ @front, $key, @back ], @pieces);
}

sub part_width
{
	my ($p) = @_;

	return undef if $p->{kind} eq 'text';
	return length($p->{shards} - 1) if $p->{kind} eq 'shard';
	return ($p->{sign} ? 1 : 0) + $p->{digits} + ($p->{decimals} ? 1 + $p->{decimals} : 0) if $p->{kind} eq 'number';
	return $p->{desc} ? $unit{ $p->{unit} }[1] : length print_time(0, $p->{unit});
}

# The value that a part's text tells; undef if no value has this text.
sub read_part
{
	my ($p, $text) = @_;

	return undef if $text eq '';
	if ($p->{kind} eq 'number')
	{
		my $digits = $text;
		my $below = $p->{desc} ? 1 : 0;
		my $minus = '';
		if ($p->{sign})
		{
			$digits =~ s/^([pn])// or return undef;
			$below = $1 eq 'n';
			$minus = ($below xor $p->{desc}) ? '-' : '';
		}
		my $form = $p->{decimals} ? "\\d{$p->{digits}}\\.\\d{$p->{decimals}}" : "\\d{$p->{digits}}";
		return undef if $digits !~ /^$form\z/;
		$digits = complement($digits) if $below;
		return $p->{sign} && $below ? undef : [ 'N', 0 ] if $digits !~ /[1-9]/;
		$digits =~ s/^0+(?=\d)//;
		$digits =~ s/\.?0+\z// if $digits =~ /\./;
		return [ 'N', $minus . $digits ];
	}
	if ($p->{kind} eq 'time')
	{
		my $us = $p->{desc} ? undef : parse_time($text);
		if ($p->{desc})
		{
			return undef if $text !~ /^\d+\z/;
			$us = (int($end / $unit{ $p->{unit} }[0]) - 1 - $text) * $unit{ $p->{unit} }[0];
			return undef if $us < 0;
		}
		return undef if !defined $us || (!$p->{desc} && print_time($us, $p->{unit}) ne $text);
		return [ 'S', print_time($us, $p->{unit}) ];
	}
	return $text =~ /^\d+\z/ && $text < $p->{shards} ? [] : undef if $p->{kind} eq 'shard';
	return undef if $p->{word} && $text !~ /^[0-9A-Za-z_.@\x80-\xff-]*\z/;
	return undef if ($p->{upper} && $text =~ /[a-z]/) || ($p->{lower} && $text =~ /[A-Z]/);
	return $p->{upper} || $p->{lower} ? [] : [ 'S', $text ];
}

sub checked
{
	my ($texts, @pieces) = @_;

	for my $i (0 .. $#pieces)
	{
		return if ref $pieces[$i] && !defined read_part($pieces[$i], $texts->[$i]);
	}
	return @$texts;
}

# What a key tells: a hash of [type, text], or undef.
sub take_apart
{
	my ($key, @pieces) = @_;
	my @texts = take_pieces($key, @pieces) or return undef;
	my %found;

	for my $i (0 .. $#pieces)
	{
		my $value = ref $pieces[$i] ? read_part($pieces[$i], $texts[$i]) : [];
		$found{ $pieces[$i]{name} } = $value if @$value;
	}
	return \%found;
}

1;
