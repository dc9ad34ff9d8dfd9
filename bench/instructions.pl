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
use IO::Socket::INET;
use List::Util 'min';
use lib "$ENV{BENCH_DIR}/../test/tap";
use HttpClient;

my $work = $ENV{BENCH_WORK};
my ($count, $functions) = (300, 0);
my ($check, $record, %measured);
GetOptions('count=i' => \$count, 'functions=i' => \$functions, 'check' => \$check, 'record' => \$record) or exit 2;
my $ratios = "$ENV{BENCH_DIR}/ratios";
my %recorded = $check || $record ? read_ratios($ratios) : ();
die "--check and --record take their cases from bench/ratios\n" if %recorded && @ARGV;
die "bench/ratios names no case\n" if ($check || $record) && !%recorded;
my %is_recorded = map { (split /\t/)[0] => 1 } keys %recorded;
my $warm_up = 100;
my $profiles = "$work/profiles";
my $server;
my $http_port;
my $last_worker = 0;

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
			$postgres, '-D', "$work/data", '-c', 'max_parallel_workers=0', http_settings()) or die "valgrind: $!";
	}
	for (1 .. 120)
	{
		return if system('pg_isready -q') == 0;
		sleep 1;
	}
	die "the server does not start under callgrind\n";
}

# One worker of the HTTP endpoint, on a free port, if a case needs it.
sub http_settings
{
	return () if !$http_port;
	return map { ('-c', $_) } 'shared_preload_libraries=dynamo', 'dynamo.http_workers=1',
	  'dynamo.database=bench', 'dynamo.http_listen_addresses=127.0.0.1', "dynamo.http_port=$http_port";
}

sub prepare_http
{
	my $socket = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die "no free port\n";

	$http_port = $socket->sockport;
	run_script("SELECT dynamo.create_access_key('postgres', 'TESTKEY', 'TESTSECRET')");
}

# Sends requests over one connection; then the worker ends, and another starts.
sub run_http
{
	my ($side, $n) = @_;
	my ($socket, $pid, @bodies);

	open(my $in, '<', $side->{file}) or die $!;
	while (@bodies < $n && defined(my $line = <$in>))
	{
		chomp $line;
		push @bodies, $line;
	}
	# not the worker of the last profile, which may take its time to end
	for (1 .. 120)
	{
		$pid = run_script("SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND pid <> $last_worker");
		last if $pid && ($socket = connect_http($http_port));
		sleep 1;
	}
	for my $i (0 .. $n - 1)
	{
		my $answer = exchange($socket, signed_request($side->{http}, $bodies[$i % @bodies]));
		die "HTTP request $i failed: " . ($answer ? "$answer->{status} $answer->{body}" : "none") . "\n" if !$answer || $answer->{status} != 200;
	}
	kill 'TERM', $pid;
	return $last_worker = $pid;
}

# The profile of a backend that executes a statement this often, and its sum.
sub profile
{
	my ($side, $n) = @_;
	my %option = (c => 1, w => 32, n => $n);

	run_script($side->{before}) if $side->{before};
	unlink glob("$profiles/*");
	$option{p} = $side->{file} if $side->{file};
	$option{b} = $side->{batch} if $side->{batch};
	$option{settings} = $side->{settings};
	my $pid = $side->{http} ? run_http($side, $n) : (rate($side->{sql}, %option))[2];
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
	my $executions = $case->{executions} || $count;
	my $first = $executions > 1 ? min($warm_up, $executions) : 0;
	my $ours;

	for my $side (@{ $case->{sides} })
	{
		# a worker that was started anew has more of the postmaster in it
		profile($side, 1) if $side->{http} && !$last_worker;
		my (undef, $few) = $first ? profile($side, $first) : (undef, 0);
		my ($file, $many) = profile($side, $first + $executions);
		my $each = ($many - $few) / $executions / ($side->{weight} || 1) / ($side->{batch} || 1);
		my $ratio = '';
		$ratio = sprintf('**%.2f**', $each / $ours) if defined $ours;
		$measured{"$case->{name}\t$side->{title}"} = $each / $ours if defined $ours;
		printf "| %s | %s | %d | %s |\n", $case->{title}, $side->{title}, $each, $ratio;
		print_functions($file) if $functions && !defined $ours;
		$ours //= $each;
		STDOUT->flush;
	}
}

require IO::Handle;
my @cases = grep { $_->{kind} !~ /^(value|time)$/ && ($_->{params} || $_->{executions}) } read_cases(@ARGV);
@cases = grep { $is_recorded{ $_->{name} } } @cases if %recorded;
prepare_common();
for my $case (@cases)
{
	prepare_case($case);
}
prepare_http() if grep { $_->{http} } map { @{ $_->{sides} } } @cases;
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
write_ratios($ratios, "$work/ratios", \%measured) if $record;
if ($check)
{
	my @worse = worse_ratios(\%recorded, \%measured);
	print "FAILED: $_\n" for @worse;
	print "all ratios are as recorded\n" if !@worse;
	exit(@worse > 0);
}
