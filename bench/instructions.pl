# instructions.pl: instructions of one execution of each side of the cases.
# Started by bench/instructions.
#
# The data is prepared by the server as it is.  Then the server runs under
# callgrind, which writes a profile for each process as that ends.  Starting a
# backend and filling its caches costs millions of instructions: two runs of
# different length are subtracted.
use strict;
use warnings;
use Bench;
use Getopt::Long;

my $work = $ENV{BENCH_WORK};
my ($count, $functions) = (300, 0);
GetOptions('count=i' => \$count, 'functions=i' => \$functions) or exit 2;
my $warm_up = 100;
my $profiles = "$work/profiles";
my $server;

sub stop_server
{
	system('pg_ctl', '-D', "$work/data", '-w', '-s', '-m', 'fast', 'stop') == 0
	  or die "cannot stop the server\n";
}

sub start_under_callgrind
{
	mkdir $profiles;
	$server = fork // die "fork: $!";
	if ($server == 0)
	{
		chdir $profiles;
		open(STDOUT, '>', "$work/callgrind.log");
		open(STDERR, '>&', \*STDOUT);
		my ($postgres) = map { "$_/postgres" } grep { -x "$_/postgres" } split /:/, $ENV{PATH};
		exec('valgrind', '--tool=callgrind', "--callgrind-out-file=$profiles/%p",
			$postgres, '-D', "$work/data", '-c', 'max_parallel_workers=0') or die "valgrind: $!";
	}
	for (1 .. 120)
	{
		return if system('pg_isready -q') == 0;
		sleep 1;
	}
	die "the server does not start under callgrind\n";
}

# The profile of a backend that executes a statement this often, and its sum.
sub profile
{
	my ($side, $n) = @_;
	my %option = (c => 1, w => 32, n => $n);

	run_script($side->{before}) if $side->{before};
	unlink glob("$profiles/*");
	$option{p} = $side->{file} if $side->{file};
	my (undef, undef, $pid) = rate($side->{sql}, %option);
	for (1 .. 100)
	{
		select(undef, undef, undef, 0.2);
		open(my $in, '<', "$profiles/$pid") or next;
		my ($sum) = map { /^(?:summary|totals): (\d+)/ ? $1 : () } <$in>;
		return ("$profiles/$pid", $sum) if defined $sum;
	}
	die "no profile\n";
}

# Our functions, dearest first, with what they call, start of the backend included.
sub print_functions
{
	my ($file) = @_;
	my $n = 0;

	for my $line (`callgrind_annotate --inclusive=yes --auto=no --threshold=100 $file 2>/dev/null`)
	{
		my ($sum, $function) = $line =~ m{^\s*([\d,]+) \(.*/src/(\w+/\w+\.[ch]:\S+)} or next;
		printf "    %15s  %s\n", $sum, $function;
		last if ++$n == $functions;
	}
}

sub count_case
{
	my ($case) = @_;
	my $ours;

	for my $side (@{ $case->{sides} })
	{
		my (undef, $few) = profile($side, $warm_up);
		my ($file, $many) = profile($side, $warm_up + $count);
		my $each = ($many - $few) / $count / ($side->{weight} || 1);
		my $ratio = '';
		$ratio = sprintf('**%.2f**', $each / $ours) if defined $ours;
		printf "| %s | %s | %d | %s |\n", $case->{title}, $side->{title}, $each, $ratio;
		print_functions($file) if $functions && !defined $ours;
		$ours //= $each;
		STDOUT->flush;
	}
}

require IO::Handle;
my @cases = grep { ($_->{kind} || 'rate') eq 'rate' && $_->{params} } read_cases(@ARGV);
prepare_common();
for my $case (@cases)
{
	prepare_case($case);
}
run_script('CHECKPOINT');
stop_server();
start_under_callgrind();
print "| measured | side | instructions | ratio |\n|---|---|---|---|\n";
for my $case (@cases)
{
	progress("$case->{name}\n");
	count_case($case);
}
kill 'INT', $server;
waitpid $server, 0;
