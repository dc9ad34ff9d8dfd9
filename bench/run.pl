# run.pl: runs the comparisons of bench/cases, interleaved (A B A B ...), and
# prints a table of ratios: the median of the rounds' ratios and their spread.
# Started by bench/run; bench/README.md describes the files.
use strict;
use warnings;
use Bench;
use Getopt::Long;

my ($rounds, $seconds, $list) = (7, 1.0, 0);
GetOptions('rounds=i' => \$rounds, 'seconds=f' => \$seconds, 'list' => \$list)
  or exit 2;

my %mode = (
	pipeline => { text => '1 client, pipelined', c => 1, w => 32 },
	clients => { text => '2 clients', c => 2, w => 1 });

# One measurement of one side: executions a second and processor time of each,
# or the number it prints.
sub measure
{
	my ($case, $side, $mode) = @_;

	run_script($side->{before}) if $side->{before};
	if ($case->{kind} eq 'value')
	{
		return (split /\n/, run_script($side->{sql}))[-1];
	}
	my %option = (c => $mode->{c}, w => $mode->{w}, t => $seconds, settings => $side->{settings});
	$option{p} = $side->{file} if $side->{file};
	$option{b} = $side->{batch} if $side->{batch};
	$option{n} = $case->{count} if $case->{count};
	my ($rate, $cpu) = rate($side->{sql}, %option);
	my $weight = ($side->{weight} || 1) * ($side->{batch} || 1);
	return ($rate * $weight, $cpu / $weight);
}

sub meets
{
	my ($target, $ratio) = @_;
	my ($sign, $bound) = $target =~ /^([<>]=) *([\d.]+)/ or die "target: $target\n";

	return $sign eq '>=' ? $ratio >= $bound : $ratio <= $bound;
}

# Ratios by time; ratios of processor time, larger is better, if known.
sub print_row
{
	my ($case, $other, $mode, $values, $ratios, $cpu_ratios) = @_;
	my $target = $other->{target} || $case->{target} || '';
	my $ratio = median(@$ratios);
	my $cpu = @$cpu_ratios ? median(@$cpu_ratios) : 0;
	my $met = '';

	$met = meets($target, $ratio) ? 'yes' : $cpu && meets($target, $cpu) ? 'by CPU' : 'no'
	  if $target;
	printf "| %s | %s | %s | %s | **%.2f** | %s | %s | %s | %s |\n",
	  $case->{title}, $other->{title},
	  $case->{kind} eq 'value' ? $case->{unit} || '' : $mode->{text},
	  (median(@$values) < 10 ? sprintf('%.2f', median(@$values)) : sprintf('%.0f', median(@$values))),
	  $ratio, @$ratios > 1 ? spread(@$ratios) : '', $cpu ? sprintf('**%.2f**', $cpu) : '',
	  $target, $met;
	STDOUT->flush;
}

sub run_mode
{
	my ($case, $mode) = @_;
	my ($ours, @others) = @{ $case->{sides} };
	my $turns = $case->{rounds} || ($case->{kind} eq 'value' ? 1 : $rounds);
	my (%rate, %cpu);

	for my $round (1 .. $turns)
	{
		for my $side (@{ $case->{sides} })
		{
			my ($rate, $cpu) = measure($case, $side, $mode);
			push @{ $rate{ $side->{title} } }, $rate;
			push @{ $cpu{ $side->{title} } }, $cpu if $cpu;
		}
	}
	for my $other (@others)
	{
		my ($a, $b) = map { $rate{ $_->{title} } } $ours, $other;
		my ($x, $y) = map { $cpu{ $_->{title} } || [] } $ours, $other;
		print_row($case, $other, $mode, $a, [ map { $a->[$_] / ($b->[$_] || 1e-9) } 0 .. $#$a ],
			@$x == @$a && @$y == @$b ? [ map { $y->[$_] / $x->[$_] } 0 .. $#$x ] : []);
	}
}

sub run_case
{
	my ($case) = @_;
	my @modes = split ' ', $case->{modes} || 'pipeline clients';

	progress("$case->{name}\n");
	prepare_case($case);
	@modes = ('pipeline') if $case->{kind} eq 'value';
	for my $name (@modes)
	{
		run_mode($case, $mode{$name} || die "unknown mode $name\n");
	}
	run_script($case->{after}) if $case->{after};
}

my @cases = grep { $_->{kind} ne 'instructions' } read_cases(@ARGV);
if ($list)
{
	print "$_->{name}: $_->{title}\n" for @cases;
	exit 0;
}
prepare_common();
require IO::Handle;
print "$rounds rounds of $seconds s, interleaved; ", run_script('SHOW server_version'), "\n\n";
print "| measured | against | how | per second, or value | ratio | spread | CPU ratio | target | met |\n";
print "|---|---|---|---|---|---|---|---|---|\n";
STDOUT->flush;
my @failed;
for my $case (@cases)
{
	eval { run_case($case); 1 } or do
	{
		progress($@);
		push @failed, $case->{name};
	};
}
die "failed: @failed\n" if @failed;
