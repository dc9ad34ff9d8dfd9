# Bench.pm: what the commands share: cases, SQL, the client, medians.
package Bench;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(run_script rows_to_file rate median spread progress
  read_cases prepare_common prepare_case read_ratios write_ratios worse_ratios);

my $work = $ENV{BENCH_WORK};
my $dir = $ENV{BENCH_DIR};
my %set_up;

# Runs SQL text by psql and returns its output without the last newline.
sub run_script
{
	my ($sql) = @_;
	my $file = "$work/script.sql";

	open(my $out, '>', $file) or die "$file: $!";
	print $out "SET client_min_messages = warning;\n", $sql, ";\n";
	close($out);
	my $answer = `psql -X -q -A -t -v ON_ERROR_STOP=1 -f $file`;
	die "failed:\n$sql\n" if $? != 0;
	chomp $answer;
	return $answer;
}

# Writes the rows of a query to a parameter file of the client.
sub rows_to_file
{
	my ($query, $file) = @_;

	open(my $out, '>', $file) or die "$file: $!";
	open(my $in, '-|', 'psql', '-X', '-q', '-A', '-t', '-F', "\x1f",
		'-v', 'ON_ERROR_STOP=1', '-c', $query) or die "psql: $!";
	print $out $_ while <$in>;
	close($in) or die "failed:\n$query\n";
	close($out);
}

# Executions per second of a statement, microseconds of the server's processor
# time for each, the number of its process, and the median and 99th percentile of
# the microseconds until an answer.  Options: as the client's letters.
sub rate
{
	my ($statement, %option) = @_;
	local $ENV{PGOPTIONS} = join ' ', map { "-c $_" } split ' ', delete $option{settings} // '';
	my @command = ("$work/client", map { ("-$_", $option{$_}) } sort keys %option);

	open(my $in, '-|', @command, $statement) or die "client: $!";
	my $answer = <$in>;
	close($in) or die "failed:\n$statement\n";
	return split ' ', $answer;
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	my $middle = int(@sorted / 2);

	return @sorted % 2 ? $sorted[$middle] : ($sorted[ $middle - 1 ] + $sorted[$middle]) / 2;
}

sub spread
{
	my @sorted = sort { $a <=> $b } @_;

	return sprintf('%.2f-%.2f', $sorted[0], $sorted[-1]);
}

sub progress
{
	print STDERR @_;
}

# ---- cases ----

sub slurp
{
	my ($file) = @_;
	local $/;

	open(my $in, '<', $file) or die "$file: $!";
	return scalar <$in>;
}

# The "-- key: value" lines at the head of a text, and what follows them.
sub parse_head
{
	my ($text) = @_;
	my %head;

	$head{ lc $1 } = $2 while $text =~ s/\A-- (\w+): *(.*)\n//;
	$text =~ s/\A\s+|[\s;]+\z//g;
	$head{sql} = $text;
	return \%head;
}

# A case: its head, and its sides in order; the first one is ours.
sub parse_case
{
	my ($file) = @_;
	my ($head, @sides) = split /^--:: */m, slurp($file);
	my $case = parse_head($head);

	($case->{name}) = $file =~ m{([^/]+)\.sql$};
	$case->{kind} ||= 'rate';
	for my $text (@sides)
	{
		$text =~ s/\A(.*)\n//;
		my $title = $1;
		my $side = parse_head($text);
		$side->{title} = $title;
		push @{ $case->{sides} }, $side;
	}
	die "$file: fewer than two sides\n" if @{ $case->{sides} || [] } < 2;
	return $case;
}

sub prepare_case
{
	my ($case) = @_;

	for my $name (split ' ', $case->{setup} || '')
	{
		next if $set_up{$name}++;
		progress("  preparing $name\n");
		run_script(slurp("$dir/setup/$name.sql"));
	}
	return if !$case->{params};
	rows_to_file($case->{params}, "$work/params");
	my $n = 0;
	for my $side (@{ $case->{sides} })
	{
		next if !$side->{use};
		$side->{file} = "$work/$case->{name}." . $n++;
		my @columns = map { $_ - 1 } split /[ ,]+/, $side->{use};
		open(my $in, '<', "$work/params") or die $!;
		open(my $out, '>', $side->{file}) or die $!;
		while (my $line = <$in>)
		{
			chomp $line;
			print $out join("\x1f", (split /\x1f/, $line, -1)[@columns]), "\n";
		}
		close($out);
	}
}

# The cases whose files begin with one of the names; all if there is none.
sub read_cases
{
	my $wanted = join '|', map { quotemeta } @_;
	my @files = grep { m{/(?:$wanted)[^/]*$} } sort glob("$dir/cases/*.sql");

	return map { parse_case($_) } @files;
}

sub prepare_common
{
	run_script("CREATE EXTENSION IF NOT EXISTS dynamo;\n" . slurp("$dir/setup/common.sql"));
}

# ---- ratios in a file ----

# A file of ratios: case, side and ratio, with tabs between them; # begins a comment.
sub read_ratios
{
	my ($file) = @_;

	return map { /^([^#\t]+\t[^\t]+)\t([\d.]+)$/ ? ($1 => $2) : () } split /\n/, slurp($file);
}

# Writes the ratios into a file, after the comment at the top of the old one.
sub write_ratios
{
	my ($old, $file, $measured) = @_;
	my ($comment) = slurp($old) =~ /\A((?:#.*\n|\n)*)/;

	open(my $out, '>', $file) or die "$file: $!\n";
	print $out $comment, map { sprintf "%s\t%.3f\n", $_, $measured->{$_} } sort keys %$measured;
	close($out) or die "$file: $!\n";
	return;
}

# What is worse than recorded by more than two hundredths, or was not measured.  A ratio is
# their instructions by ours.
sub worse_ratios
{
	my ($recorded, $measured) = @_;
	my @worse;

	for my $side (sort keys %$recorded)
	{
		my $text = join ' against ', split /\t/, $side;
		if (!defined $measured->{$side})
		{
			push @worse, "$text: not measured";
		}
		elsif ($measured->{$side} < $recorded->{$side} * 0.98)
		{
			push @worse, sprintf '%s: %.3f, recorded %.3f', $text, $measured->{$side}, $recorded->{$side};
		}
	}
	return @worse;
}

1;
