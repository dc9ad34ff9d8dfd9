# Bench.pm: what run.pl and growth.pl share: SQL, the client, medians.
package Bench;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(run_script rows_to_file rate median spread progress);

my $work = $ENV{BENCH_WORK};

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

# Executions per second of a statement, and microseconds of the server's
# processor time for each.  Options: as the client's letters.
sub rate
{
	my ($statement, %option) = @_;
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

1;
