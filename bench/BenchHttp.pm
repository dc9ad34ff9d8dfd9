# BenchHttp.pm: what the commands share that measure the HTTP endpoint.
package BenchHttp;

use strict;
use warnings;
use Bench;
use Exporter 'import';
use IO::Socket::INET;
use lib "$ENV{BENCH_DIR}/../test/tap";
use HttpClient;

our @EXPORT = qw(free_ports restart_with_endpoint run_http_client write_signed);

my $work = $ENV{BENCH_WORK};

sub free_ports
{
	my @sockets = map { IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') } 1 .. shift;

	return map { $_->sockport } @sockets;
}

# Starts the server again with the endpoint on a port and with other settings, and
# waits for it.  The access key is that of HttpClient.
sub restart_with_endpoint
{
	my ($port, @settings) = @_;
	my $settings = join ' ', map { "-c $_" } 'shared_preload_libraries=dynamo', "dynamo.http_port=$port",
	  'dynamo.http_listen_addresses=127.0.0.1', 'dynamo.database=bench', @settings;

	run_script("CREATE EXTENSION IF NOT EXISTS dynamo; SELECT dynamo.create_access_key('postgres', 'TESTKEY', 'TESTSECRET')");
	system('pg_ctl', '-D', "$work/data", '-l', "$work/data/server.log", '-s', '-w', '-m', 'fast', '-o', $settings, 'restart') == 0
	  or die "cannot start the server again\n";
	for (1 .. 100)
	{
		return if connect_http($port);
		select(undef, undef, undef, 0.1);
	}
	die "nobody listens on port $port\n";
}

# Writes bodies as signed requests into a file of the client; good for 15 minutes.
sub write_signed
{
	my ($file, $operation, $bodies, %option) = @_;

	open(my $out, '>', $file) or die "$file: $!";
	for my $body (@$bodies)
	{
		my $request = signed_request($operation, $body, %option);
		print $out length($request), "\n", $request;
	}
	close($out) or die "$file: $!";
	return $file;
}

# What the client measured: rate, processor time, times of requests, its own load.
sub run_http_client
{
	my ($file, @arguments) = @_;

	open(my $in, '-|', "$work/http_client", '-h', '127.0.0.1', @arguments, $file) or die "http_client: $!";
	my $answer = <$in>;
	close($in) or die "HTTP: failed\n";
	my %result;
	@result{qw(rate cpu p50 p90 p99 p999 longest busy)} = split ' ', $answer;
	return \%result;
}

1;
