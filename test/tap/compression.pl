# compression.pl: compressed requests and answers of the HTTP endpoint.
use strict;
use warnings;
use Compress::Zlib;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('compression', $port, 1);

wait_until(sub { connect_http($port) });
$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SET ROLE app;
SELECT dynamo.create_table('kept', 'id');
SELECT dynamo.put_item('kept', jsonb_build_object('id', 'long', 'text', repeat('text ', 2000)));
SELECT dynamo.put_item('kept', jsonb_build_object('id', 'limit', 'text', repeat('t', 4000)));
});
my $socket = connect_http($port);

sub put
{
	my ($id) = @_;

	return encode_json({ TableName => 'kept', Item => { id => { S => $id }, text => { S => 'x' x 1000 } } });
}

sub request
{
	my ($operation, $body, %header) = @_;

	return exchange($socket, signed_request($operation, $body, header => \%header));
}

sub count { return $node->safe_psql('postgres', 'SELECT count(*) FROM kept') }

# ---- requests ----

my $json = put('gzip');
is(request('PutItem', Compress::Zlib::memGzip($json), 'content-encoding' => 'gzip')->{status}, 200, 'gzip');
is(request('PutItem', compress(put('deflate')), 'content-encoding' => 'Deflate')->{status}, 200, 'deflate, in upper or lower case');
is(request('PutItem', put('plain'), 'content-encoding' => 'identity')->{status}, 200, 'identity');
$json = put('pieces');
is(request('PutItem', Compress::Zlib::memGzip(substr($json, 0, 20)) . Compress::Zlib::memGzip(substr($json, 20)), 'content-encoding' => 'gzip')->{status},
	200, 'several pieces');
is(count(), '6', 'compressed requests were executed');
my $good = Compress::Zlib::memGzip(put('bad'));
my %bad = (
	'cut off' => [ substr($good, 0, -1), 'gzip' ],
	'with something behind' => [ "$good.", 'gzip' ],
	'damaged' => [ substr($good, 0, 20) . "\xff\xff" . substr($good, 22), 'gzip' ],
	'no compressed data' => [ put('bad'), 'gzip' ],
	'of another format' => [ $good, 'deflate' ],
	'in an unknown coding' => [ put('bad'), 'br' ],
	'in two codings' => [ $good, 'gzip, gzip' ],
	'empty' => [ '', 'gzip' ]);
for my $name (sort keys %bad)
{
	my $answer = request('PutItem', $bad{$name}[0], 'content-encoding' => $bad{$name}[1]);

	is($answer->{status} . (decode_json($answer->{body})->{__type} // '') =~ s/.*#/ /r, '500 InternalServerError', "a body $name");
}
is(request('PutItem', Compress::Zlib::memGzip(' ' x (16 * 1024 * 1024 + 1)), 'content-encoding' => 'gzip')->{status}, 413, 'a body that is too long when it is decompressed');
is(request('PutItem', Compress::Zlib::memGzip((' ' x (15 * 1024 * 1024)) . put('white')), 'content-encoding' => 'gzip')->{status}, 200, 'a body that is not too long when it is decompressed');
is(count(), '7', 'no other request was executed');
my $answer = exchange($socket, signed_request('PutItem', 'no gzip', secret => 'WRONG', header => { 'content-encoding' => 'gzip' }));
like($answer->{body}, qr/InvalidSignatureException/, 'a body without a valid signature is not decompressed');
is(exchange(connect_http($port), signed_request('PutItem', put('twice')) =~ s/\r\n/\r\nContent-Encoding: gzip\r\nContent-Encoding: identity\r\n/r)->{status},
	400, 'two codings in two fields');

# ---- answers ----

sub get
{
	my ($id, $accept) = @_;

	return request('GetItem', qq({"TableName":"kept","Key":{"id":{"S":"$id"}}}), defined $accept ? ('accept-encoding' => $accept) : ());
}

my $long = get('long')->{body};
my %accepted = (
	'gzip' => 'gzip', 'deflate' => 'deflate', 'gzip, deflate' => 'gzip', 'deflate, gzip' => 'gzip', 'GZIP' => 'gzip',
	'gzip;q=0.5, deflate;q=0.8' => 'deflate', 'gzip; q=0.001' => 'gzip', 'gzip;q=0' => '', 'gzip;q=0.000, *' => 'deflate', '*' => 'gzip',
	'*;q=0' => '', 'identity' => '', 'identity, gzip;q=0.9' => '', 'identity;q=0.9, gzip' => 'gzip', 'identity;q=0, *;q=0' => '',
	'br, zstd' => '', 'br, deflate ;Q=0.3' => 'deflate', 'gzip;q=2' => '', 'gzip;q=x' => '', ',, ;;,gzip,' => 'gzip', 'gzip;level=1;q=0' => '', '' => '');
for my $accept (sort keys %accepted)
{
	my $answer = get('long', $accept);
	my $coding = $answer->{header}{'content-encoding'} // '';
	my $body = $coding eq 'gzip' ? Compress::Zlib::memGunzip("$answer->{body}") : $coding eq 'deflate' ? uncompress($answer->{body}) : $answer->{body};

	is($coding, $accepted{$accept}, "Accept-Encoding: $accept");
	ok($body eq $long && crc32($answer->{body}) == $answer->{header}{'x-amz-crc32'} && ($coding eq '' || length $answer->{body} < length($long) / 10), 'a long answer is compressed');
}
is(get('limit', 'gzip')->{header}{'content-encoding'}, undef, 'a short answer is not compressed');
is(request('GetItem', '{}', 'accept-encoding' => 'gzip')->{status}, 400, 'an error is compressed');
$node->stop;
done_testing();
