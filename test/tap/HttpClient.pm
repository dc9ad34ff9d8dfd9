# HttpClient.pm: HTTP over plain sockets and AWS signatures, for http.pl and bench/.
package HttpClient;

use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use POSIX qw(strftime);
use Time::HiRes ();
use Socket qw(IPPROTO_TCP TCP_NODELAY);

our @EXPORT = qw(connect_http send_raw read_answer is_closed signed_request api exchange uri_encode);

# How long to wait for an answer, in seconds.
my $patience = $ENV{PG_TEST_TIMEOUT_DEFAULT} || 180;

# Bytes received after the last answer, by socket.
my %rest;

# A socket may have the name of one that was closed.
sub forget
{
	my ($socket) = @_;

	delete $rest{$socket};
}

sub connect_http
{
	my ($port, $host) = @_;
	my $socket = IO::Socket::INET->new(PeerAddr => $host // '127.0.0.1', PeerPort => $port, Proto => 'tcp', Timeout => $patience);

	if ($socket)
	{
		setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, 1);
		forget($socket);
	}
	return $socket;
}

sub send_raw
{
	my ($socket, $bytes) = @_;
	my $at = 0;

	local $SIG{PIPE} = 'IGNORE';
	while ($at < length $bytes)
	{
		my $n = syswrite($socket, $bytes, length($bytes) - $at, $at);
		return 0 if !defined $n;
		$at += $n;
	}
	return 1;
}

# Reads until the pattern occurs; false if the server closed or nothing arrived.
sub fill
{
	my ($socket, $enough, $timeout) = @_;
	my $until = time + $timeout;

	while (!$enough->($rest{$socket}))
	{
		return 0 if !IO::Select->new($socket)->can_read(Time::HiRes::time() < $until ? $until - time : 0);
		my $n = sysread($socket, $rest{$socket}, 65536, length $rest{$socket});
		return 0 if !$n;
	}
	return 1;
}

# Returns the next answer: {status, header => {name in lower case => value}, body};
# undef if there is none.
sub read_answer
{
	my ($socket, $timeout, $no_body) = @_;

	$timeout //= $patience;
	$rest{$socket} //= '';
	fill($socket, sub { $_[0] =~ /\r\n\r\n/ }, $timeout) or return undef;
	$rest{$socket} =~ s/\A(.*?)\r\n\r\n//s;
	my ($line, @fields) = split /\r\n/, $1;
	my ($status) = $line =~ m{\AHTTP/1\.1 (\d{3}) } or die "status line: $line";
	my %header = map { /\A([^:]+): ?(.*)\z/ ? (lc $1 => $2) : die "field: $_" } @fields;
	my $length = $status == 100 || $no_body ? 0 : $header{'content-length'};
	fill($socket, sub { length $_[0] >= $length }, $timeout) or return undef;
	my $body = substr($rest{$socket}, 0, $length, '');
	return { status => $status, header => \%header, body => $body };
}

# Whether the server closes the connection without sending another byte.
sub is_closed
{
	my ($socket, $timeout) = @_;
	my $byte;

	return 0 if length($rest{$socket} // '') || !IO::Select->new($socket)->can_read($timeout // $patience);
	return !sysread($socket, $byte, 1);
}

sub exchange
{
	my ($socket, $bytes) = @_;

	send_raw($socket, $bytes);
	return read_answer($socket);
}

sub uri_encode
{
	my ($text) = @_;

	$text =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ge;
	return $text;
}

# Returns a signed request as bytes.  Options: key, secret, region, service, time
# (epoch), header (more fields; undef removes one), method, query (signature in the
# query string instead of the header), signed (names), scope, authorization
# (instead of the right one), token (session token).
sub signed_request
{
	my ($operation, $body, %option) = @_;
	my $time = strftime('%Y%m%dT%H%M%SZ', gmtime($option{time} // time));
	my $day = substr($time, 0, 8);
	my $scope = $option{scope} // "$day/" . ($option{region} // 'us-east-1') . '/' . ($option{service} // 'dynamodb') . '/aws4_request';
	my $credential = ($option{key} // 'TESTKEY') . "/$scope";
	my %header = (
		'host' => 'localhost',
		'content-type' => 'application/x-amz-json-1.0',
		'x-amz-target' => $operation =~ /\./ ? $operation : "DynamoDB_20120810.$operation",
		($option{query} ? () : ('x-amz-date' => $time)),
		(defined $option{token} ? ('x-amz-security-token' => $option{token}) : ()),
		%{ $option{header} || {} });
	delete $header{$_} for grep { !defined $header{$_} } keys %header;
	my @signed = @{ $option{signed} || [ sort keys %header ] };
	my $signed = join ';', @signed;
	my %parameter = $option{query}
		? ('X-Amz-Algorithm' => 'AWS4-HMAC-SHA256', 'X-Amz-Credential' => $credential,
			'X-Amz-Date' => $time, 'X-Amz-SignedHeaders' => $signed, %{ $option{parameters} || {} })
		: ();
	my $query = join '&', map { uri_encode($_) . '=' . uri_encode($parameter{$_}) } sort keys %parameter;
	my $canonical = join "\n", 'POST', '/', $query,
		(map { my $v = $header{$_}; $v =~ s/ +/ /g; "$_:$v" } @signed), '', $signed, sha256_hex($body);
	my $key = 'AWS4' . ($option{secret} // 'TESTSECRET');
	my ($d, $r, $s, $t) = split m{/}, $scope;
	$key = hmac_sha256($_ // '', $key) for $d, $r, $s, $t;
	my $signature = hmac_sha256_hex("AWS4-HMAC-SHA256\n$time\n$scope\n" . sha256_hex($canonical), $key);
	if ($option{query})
	{
		$query .= "&X-Amz-Signature=$signature";
	}
	else
	{
		$header{authorization} = exists $option{authorization} ? $option{authorization}
			: "AWS4-HMAC-SHA256 Credential=$credential, SignedHeaders=$signed, Signature=$signature";
		delete $header{authorization} if !defined $header{authorization};
	}
	return "POST /" . ($query ne '' ? "?$query" : '') . " HTTP/1.1\r\n"
		. join('', map { "$_: $header{$_}\r\n" } sort keys %header)
		. "content-length: " . length($body) . "\r\n\r\n$body";
}

# Sends a signed request; returns status and decoded body.
sub api
{
	my ($socket, $operation, $input, %option) = @_;
	my $answer = exchange($socket, signed_request($operation, ref $input ? encode_json($input) : $input, %option));

	return (0, undef) if !$answer;
	my $output = $answer->{body} eq '' ? undef : decode_json($answer->{body});
	return wantarray ? ($answer->{status}, $output) : $output;
}

1;
