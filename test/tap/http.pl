# http.pl: the HTTP endpoint, over plain sockets.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IO::Select;
use JSON::PP;
use POSIX qw(strftime);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node(
	'http', $port, 1, qq{
dynamo.database = 'postgres'
restart_after_crash = on
max_prepared_transactions = 2
}, allows_streaming => 1);

# Runs a setting and waits until the workers have read it.
sub reload
{
	my (%settings) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET $_ = $settings{$_}") for sort keys %settings;
	reload_workers($node);
}

# The checksum of zlib, bit by bit.
sub crc32
{
	my ($bytes) = @_;
	my $crc = 0xFFFFFFFF;

	for my $byte (unpack 'C*', $bytes)
	{
		$crc ^= $byte;
		$crc = ($crc >> 1) ^ ($crc & 1 ? 0xEDB88320 : 0) for 1 .. 8;
	}
	return $crc ^ 0xFFFFFFFF;
}

sub worker_pid
{
	return $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http'");
}

sub error_of
{
	my ($status, $body) = @_;

	return "$status " . (($body->{__type} // 'none') =~ s/.*#//r);
}

ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dynamo http'"), 'a worker runs');
wait_until(sub { connect_http($port) });

$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
CREATE ROLE other LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SELECT dynamo.create_access_key('other', 'OTHERKEY', 'OTHERSECRET');
});

# ---- before requests ----

my $socket = connect_http($port);
my $answer = exchange($socket, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
is($answer->{status}, 200, 'health check');
is($answer->{body}, 'healthy: dynamodb.us-east-1.amazonaws.com ', 'body of the health check');
like($answer->{header}{'x-amzn-requestid'}, qr/\A[A-Z0-9]{52}\z/, 'request id of the health check');
like($answer->{header}{date}, qr/\A\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\z/, 'date');

$answer = exchange($socket, "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://page\r\n"
	. "Access-Control-Request-Headers: a, b\r\nAccess-Control-Request-Method: POST\r\n\r\n");
is($answer->{status}, 200, 'preflight');
is_deeply([ map { $answer->{header}{"access-control-$_"} } 'allow-origin', 'allow-headers', 'allow-methods', 'max-age' ],
	[ '*', 'a, b', 'POST', '172800' ], 'headers of an answer');
is($answer->{header}{'access-control-expose-headers'}, 'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date,x-amz-crc32',
	'headers that a page may read');
is($answer->{header}{server}, 'Server', 'the Server header of the service');
is(exchange($socket, "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n")->{status}, 404, 'OPTIONS without Origin');
$answer = exchange($socket, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
is("$answer->{status} $answer->{body}", "404 <UnknownOperationException/>\n", 'another method');
is(exchange($socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}")->{status}, 404, 'another content type');
is(exchange($socket, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")->{status}, 404, 'another path');
send_raw($socket, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
is(read_answer($socket, 20, 1)->{status}, 404, 'HEAD has no body');
is(error_of(api($socket, 'NoSuch', {})), '400 UnknownOperationException', 'unknown operation');
is(error_of(api($socket, 'NoSuch', 'invalid JSON is reported first')), '400 SerializationException', 'what is no JSON is told of first');
is(error_of(api($socket, 'GetItem', '{"a"', key => 'NOBODY')), '400 SerializationException', 'unknown operation, before the signature');
is(error_of(api($socket, 'GetItem', '', key => 'NOBODY')), '400 UnrecognizedClientException', 'an empty body, after the signature');
is(error_of(api($socket, 'GetItem', '')), '400 SerializationException', 'an empty body');
is(error_of(api($socket, 'Elsewhere_1.GetItem', {})), '400 UnknownOperationException', 'another target');
is(exchange($socket, signed_request('GetItem', '{"a":"' . "\xff" . '"}'))->{status}, 400, 'bytes that are not UTF-8');

# ---- requests ----

my ($status, $body) = api($socket, 'CreateTable', {
	TableName => 'Music', BillingMode => 'PAY_PER_REQUEST',
	AttributeDefinitions => [ { AttributeName => 'Artist', AttributeType => 'S' } ],
	KeySchema => [ { AttributeName => 'Artist', KeyType => 'HASH' } ] });
is($status, 200, 'CreateTable');
is($node->safe_psql('postgres', q{SELECT tableowner FROM pg_tables WHERE tablename = 'Music'}), 'app', 'the table belongs to its creator');
my $arn = $body->{TableDescription}{TableArn};
is((api($socket, 'PutItem', { TableName => 'Music', Item => { Artist => { S => 'A' }, n => { N => '1' } } }))[0], 200, 'PutItem');
$answer = exchange($socket, signed_request('GetItem', '{"TableName":"Music","Key":{"Artist":{"S":"A"}}}'));
is_deeply(decode_json($answer->{body}), { Item => { Artist => { S => 'A' }, n => { N => '1' } } }, 'GetItem');
is($answer->{header}{'content-type'}, 'application/x-amz-json-1.0', 'content type');
$answer = exchange($socket, signed_request('GetItem', '{"TableName":"Music","Key":{"Artist":{"S":"none"}}}',
	header => { 'content-type' => 'application/json; charset=utf-8', origin => 'x' }));
is($answer->{body}, '{}', 'an answer');
is($answer->{header}{'content-type'}, 'application/json', 'the other content type');
is($answer->{header}{'x-amz-crc32'}, 2745614147, 'CRC-32');
is($answer->{header}{'access-control-allow-origin'}, '*', 'headers for pages');
my @bodies = map {
	exchange($socket, signed_request('PutItem', encode_json({ TableName => 'Music', ReturnValues => 'ALL_OLD', Item => { Artist => { S => 'A' }, n => { N => '1' }, s => { S => 'x' x $_ } } })))
} 0 .. 40;
is_deeply([ map { $_->{header}{'x-amz-crc32'} } @bodies ], [ map { crc32($_->{body}) } @bodies ], 'CRC-32 of texts of any length');
api($socket, 'UpdateItem', { TableName => 'Music', Key => { Artist => { S => 'A' } }, UpdateExpression => 'REMOVE s' });
$answer = exchange($socket, signed_request('TagResource', encode_json({ ResourceArn => $arn, Tags => [ { Key => 'k', Value => 'v' } ] })));
is("$answer->{status} $answer->{header}{'content-length'} $answer->{header}{'x-amz-crc32'}", '200 0 0', 'TagResource has an empty answer');
is(error_of(api($socket, 'GetItem', { TableName => 'Nothing', Key => { a => { S => 'a' } } })), '400 ResourceNotFoundException', 'an error');
# types that an entity declares
$node->safe_psql('postgres', q{SET search_path = public, dynamo;
SET ROLE app; SELECT create_table('Typed', 'pk'); SELECT create_entity('Typed', 'o', '{"pk": "O#{id}"}', '{"id": "int", "qty": "int", "due": "timestamptz"}', check_types => true)});
my $untyped = sub { "com.amazon.coral.validate#ValidationException: One or more parameter values were invalid: Attribute $_[0] of entity o cannot be cast to $_[1]" };
my $refused = sub { my ($status, $body) = api($socket, @_); "$body->{__type}: $body->{message}" };
is($refused->('PutItem', { TableName => 'Typed', Item => { pk => { S => 'O#1' }, id => { N => '1' }, qty => { S => 'now()' } } }), $untyped->('qty', 'int'), 'PutItem of a value without the declared type');
is((api($socket, 'PutItem', { TableName => 'Typed', Item => { pk => { S => 'O#1' }, id => { N => '1' }, qty => { S => '1' } } }))[0], 200, 'PutItem of one that can be cast');
is($refused->('UpdateItem', { TableName => 'Typed', Key => { pk => { S => 'O#1' } }, UpdateExpression => 'SET due = :t', ExpressionAttributeValues => { ':t' => { S => 'yesterday-ish' } } }), $untyped->('due', 'timestamptz'), 'UpdateItem');
is($refused->('ExecuteStatement', { Statement => q{UPDATE Typed SET qty = 1.5 WHERE pk = 'O#1'} }), $untyped->('qty', 'int'), 'ExecuteStatement');
is((api($socket, 'TransactWriteItems', { TransactItems => [ { Put => { TableName => 'Typed', Item => { pk => { S => 'O#2' }, qty => { N => '1.5' } } } } ] }))[1]{CancellationReasons}[0]{Code}, 'ValidationError', 'TransactWriteItems');

is_deeply(
	[ api($socket, 'PutItem', { TableName => 'Music', Item => { Artist => { S => 'A' } }, ConditionExpression => 'attribute_not_exists(Artist)', ReturnValuesOnConditionCheckFailure => 'ALL_OLD' }) ],
	[ 400, { __type => 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', message => 'The conditional request failed', Item => { Artist => { S => 'A' }, n => { N => '1' } } } ],
	'an error with data');
($status, $body) = api($socket, 'TransactWriteItems', { TransactItems => [
	{ Put => { TableName => 'Music', Item => { Artist => { S => 'T' } } } },
	{ ConditionCheck => { TableName => 'Music', Key => { Artist => { S => 'none' } }, ConditionExpression => 'attribute_exists(Artist)' } } ] });
is(error_of($status, $body), '400 TransactionCanceledException', 'a transaction');
is($body->{CancellationReasons}[1]{Code}, 'ConditionalCheckFailed', 'reasons of the canceled transaction');
is($node->safe_psql('postgres', q{SELECT count(*) FROM "Music" WHERE "Artist" = 'T'}), '0', 'the transaction was rolled back');
$answer = exchange($socket, signed_request('GetItem', '{"TableName":"Nothing"}', header => { 'content-type' => 'application/json' }));
is("$answer->{status} $answer->{header}{'content-type'}", '400 application/json', 'an error has the content type of its request');
is_deeply(scalar api($socket, 'DescribeEndpoints', {}, header => { host => 'db.example:8000' }),
	{ Endpoints => [ { Address => 'db.example:8000', CachePeriodInMinutes => 1440 } ] }, 'TableEndpoint is the addressed endpoint');
is_deeply(scalar api($socket, 'DescribeEndpoints', {}, header => { host => 'no "host"' }),
	{ Endpoints => [ { Address => 'dynamodb.us-east-1.amazonaws.com', CachePeriodInMinutes => 1440 } ] }, 'an invalid endpoint is ignored');

# Errors of the server: the log contains them with the id in the client's answer.
$node->safe_psql('postgres', q{
CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE '%', NEW.item OPERATOR(dynamo.->>) 'text' USING ERRCODE = NEW.item OPERATOR(dynamo.->>) 'code'; END $$;
SELECT dynamo.create_table('Fails', partition_key => 'PK');
ALTER TABLE "Fails" OWNER TO app;
CREATE TRIGGER fail BEFORE INSERT ON "Fails" FOR EACH ROW EXECUTE FUNCTION public.fail()});
my $failing = sub {
	my ($code) = @_;
	return { PK => { S => 'a' }, code => { S => $code }, text => { S => qq{could not open file "base/1/$code"} } };
};
for my $code ('58P01', 'XX000', '53100', 'XX001', '57014')
{
	$answer = exchange($socket, signed_request('PutItem', encode_json({ TableName => 'Fails', Item => $failing->($code) })));
	is_deeply([ $answer->{status}, decode_json($answer->{body}) ],
		[ 500, { __type => 'com.amazonaws.dynamodb.v20120810#InternalServerError', message => 'Internal server error' } ],
		"an error of the server, $code: the client gets no details");
	ok($node->log_contains(qr{ERROR:  could not open file "base/1/$code"\n.*HTTP request $answer->{header}{'x-amzn-requestid'} of client 127}s),
		'the log contains the details');
}
($status, $body) = api($socket, 'BatchExecuteStatement', { Statements => [
	{ Statement => q{INSERT INTO "Fails" VALUE {'PK': 'a', 'code': '58P01', 'text': 'could not open file "base/1/batch"'}} } ] });
is_deeply($body->{Responses}[0]{Error}, { Code => 'InternalServerError', Message => 'Internal server error' }, 'errors in a batch of statements are logged, too');
for my $code ('P0001', '22012', '23P01')
{
	is_deeply([ api($socket, 'PutItem', { TableName => 'Fails', Item => $failing->($code) }) ],
		[ 400, { __type => 'com.amazon.coral.validate#ValidationException', message => qq{could not open file "base/1/$code"} } ],
		"an error of a table's own code, $code");
}
$node->safe_psql('postgres', q{SELECT dynamo.drop_table('Fails')});

# ---- HTTP ----

my $get = signed_request('GetItem', '{"TableName":"Music","Key":{"Artist":{"S":"A"}}}');
send_raw($socket, $get x 50);
is(scalar(grep { defined $_ && $_->{status} == 200 } map { read_answer($socket) } 1 .. 50), 50, '50 requests at once');
send_raw($socket, $_) for split //, $get;
is(read_answer($socket)->{status}, 200, 'a request byte by byte');

my $chunked = $get =~ s/content-length: \d+\r\n/transfer-encoding: chunked\r\n/ir;
$chunked =~ s/\r\n\r\n(.*)\z/"\r\n\r\n" . join('', map { sprintf("%x;ext=1\r\n%s\r\n", length $_, $_) } $1 =~ m{.{1,7}}gs) . "0\r\nTrailer: x\r\n\r\n"/es;
is(exchange($socket, $chunked)->{status}, 200, 'a chunked body');
send_raw($socket, $_) for split //, $chunked;
is(read_answer($socket)->{status}, 200, 'a chunked body byte by byte');
send_raw($socket, "$chunked$get");
is(join(' ', map { read_answer($socket)->{status} } 1 .. 2), '200 200', 'another request after a chunked body');

my ($head, $content) = $get =~ /\A(.*?\r\n)\r\n(.*)\z/s;
send_raw($socket, "${head}Expect: 100-continue\r\n\r\n");
is(read_answer($socket)->{status}, 100, '100 Continue');
is(exchange($socket, $content)->{status}, 200, 'then the answer');

send_raw($socket, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
is(read_answer($socket)->{header}{connection}, 'close', 'Connection: close');
ok(is_closed($socket), 'the server closes');
$socket = connect_http($port);
is(exchange($socket, "GET / HTTP/1.0\r\n\r\n")->{status}, 200, 'HTTP/1.0');
ok(is_closed($socket), 'the server closes');
$socket = connect_http($port);
is(exchange($socket, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")->{header}{connection}, 'keep-alive', 'the connection stays open if requested') for 1 .. 2;
is(exchange($socket, "GET http://somewhere/?x=1 HTTP/1.1\r\nHost: x\r\n\r\n")->{status}, 200, 'absolute form');

my $line = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
my %malformed = (
	'bare line feeds' => [ 400, "GET / HTTP/1.1\nHost: x\n\n" ],
	'bare carriage return' => [ 400, "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n" ],
	'NUL' => [ 400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\0\r\n\r\n" ],
	'NUL in the target' => [ 400, "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n" ],
	'folded field' => [ 400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n" ],
	'space before the colon' => [ 400, "GET / HTTP/1.1\r\nHost : x\r\n\r\n" ],
	'space before the first field' => [ 400, "GET / HTTP/1.1\r\n Host: x\r\n\r\n" ],
	'field without a name' => [ 400, "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n" ],
	'no Host' => [ 400, "GET / HTTP/1.1\r\n\r\n" ],
	'two Hosts' => [ 400, "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" ],
	'two spaces' => [ 400, "GET  / HTTP/1.1\r\nHost: x\r\n\r\n" ],
	'no version' => [ 400, "GET /\r\n\r\n" ],
	'another version' => [ 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" ],
	'TLS' => [ 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" ],
	'length and coding' => [ 400, "${line}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" ],
	'two signatures' => [ 400, $get =~ s/^(authorization: .*\r\n)/${1}Authorization: AWS4-HMAC-SHA256 b\r\n/mr ],
	'two operations' => [ 400, "${line}X-Amz-Target: DynamoDB_20120810.GetItem\r\nX-Amz-Target: DynamoDB_20120810.DeleteItem\r\nContent-Length: 2\r\n\r\n{}" ],
	'two dates' => [ 400, "${line}X-Amz-Date: 20260101T000000Z\r\nx-amz-date: 20260101T000000Z\r\nContent-Length: 2\r\n\r\n{}" ],
	'two content types' => [ 400, "${line}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" ],
	'two origins' => [ 400, "${line}Origin: http://localhost\r\nOrigin: http://page\r\nContent-Length: 2\r\n\r\n{}" ],
	'two session tokens' => [ 400, "${line}X-Amz-Security-Token: a\r\nX-Amz-Security-Token: b\r\nContent-Length: 2\r\n\r\n{}" ],
	'two lengths' => [ 400, "${line}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" ],
	'a list of lengths' => [ 400, "${line}Content-Length: 2, 2\r\n\r\n{}" ],
	'a length with a sign' => [ 400, "${line}Content-Length: +2\r\n\r\n{}" ],
	'a hexadecimal length' => [ 400, "${line}Content-Length: 0x2\r\n\r\n{}" ],
	'no length' => [ 400, "${line}Content-Length: \r\n\r\n{}" ],
	'a huge length' => [ 413, "${line}Content-Length: 99999999999999999999999999\r\n\r\n{}" ],
	'a length that wraps' => [ 413, "${line}Content-Length: 18446744073709551618\r\n\r\n{}" ],
	'another coding' => [ 501, "${line}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" ],
	'coding twice' => [ 400, "${line}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" ],
	'coding in HTTP/1.0' => [ 400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" ],
	'chunk size' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n" ],
	'empty chunk size' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n\r\n\r\n" ],
	'chunk size with a sign' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" ],
	'chunk line' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n" ],
	'chunk end' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n2\r\n{}x0\r\n\r\n" ],
	'huge chunk' => [ 413, "${line}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" ],
	'endless chunk extension' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n1;" . 'x' x 500 ],
	'blank before the colon of a trailer' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n0\r\nA : b\r\n\r\n" ],
	'blank in the name of a trailer' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n0\r\nA b: c\r\n\r\n" ],
	'trailer without a colon' => [ 400, "${line}Transfer-Encoding: chunked\r\n\r\n0\r\nAb\r\n\r\n" ],
	'endless trailer' => [ 431, "${line}Transfer-Encoding: chunked\r\n\r\n0\r\n" . "A: b\r\n" x 5000 ],
	'expectation' => [ 417, "${line}Expect: wonders\r\nContent-Length: 2\r\n\r\n" ],
	'long header' => [ 431, "GET / HTTP/1.1\r\nHost: x\r\nA: " . 'x' x 40000 ],
	'many fields' => [ 431, "GET / HTTP/1.1\r\nHost: x\r\n" . "A: b\r\n" x 200 . "\r\n" ],
	'large body' => [ 413, "${line}Content-Length: 16777217\r\n\r\n" ],
);
for my $name (sort keys %malformed)
{
	my ($expected, $bytes) = @{ $malformed{$name} };
	my $s = connect_http($port);

	$answer = exchange($s, $bytes);
	is($answer && $answer->{status}, $expected, "malformed: $name");
	like($answer->{header}{'x-amzn-requestid'}, qr/\A[A-Z0-9]{52}\z/, 'the answer has a request id');
	like(decode_json($answer->{body})->{__type}, qr/Exception\z/, 'the answer has a type');
	like(decode_json($answer->{body})->{message}, qr/\S/, 'the answer has a message');
	ok(is_closed($s), 'the connection is closed after a malformed request');
}

# The log says why TLS fails. It has at most one line a second about malformed requests.
ok(wait_until(sub {
	exchange(connect_http($port), $malformed{TLS}[1]);
	return slurp_file($node->logfile) =~
	  m{invalid HTTP request from client 127[.]0[.]0[.]1:[0-9]+: TLS is off at this port; set "dynamo[.]http_tls", or use http://};
}), 'the log says how to turn TLS on');

# The client can read an answer that arrives while it is still sending.
$socket = connect_http($port);
send_raw($socket, "${line}Content-Length: 17000000\r\n\r\n" . 'x' x 3_000_000);
is(read_answer($socket)->{status}, 413, 'an answer to a body that is too large arrives while the body is sent');
$socket = connect_http($port);
my $large = encode_json({ TableName => 'Music', Item => { Artist => { S => 'L' }, pad => { S => 'x' x 399_000 } } });
is(error_of(exchange($socket, signed_request('PutItem', $large))->{status}, {}), '200 none', 'a large item');
my $filler = ' ' x (16 * 1024 * 1024 - length $large);
is(exchange($socket, signed_request('PutItem', "$large$filler"))->{status}, 200, 'a body of 16 MB');
is(exchange($socket, $get)->{status}, 200, 'the connection continues');

# ---- signatures ----

my $sign = sub { error_of(api(connect_http($port), 'ListTables', {}, @_)) };
my $message = sub { (api(connect_http($port), 'ListTables', {}, @_))[1]{message} };

is($sign->(), '200 none', 'a signature');
is($sign->(query => 1), '200 none', 'a signature in the query string');
is($sign->(query => 1, parameters => { 'X-Amz-Expires' => '60', 'other' => "a b/\x{e9}" }), '200 none', 'a signature in the query string with more parameters');
is($sign->(header => { 'x-amz-meta' => 'a   b  c' }), '200 none', 'a query parameter with blanks');
for my $between (' ', ',', "\t", ' , ')
{
	my $bytes = signed_request('ListTables', '{}') =~ s/^(authorization: )(\S+) (.*)$/"$1$2 " . ($3 =~ s{, }{$between}gr)/mer;
	is(exchange(connect_http($port), $bytes)->{status}, 200, "parts of the signature with '$between' between them");
}
is($sign->(secret => 'wrong'), '400 InvalidSignatureException', 'wrong secret');
like($message->(secret => 'wrong'), qr/\AThe request signature we calculated does not match.*The Canonical String for this request should have been\n'POST\n/s, 'message for a wrong secret');
is($sign->(query => 1, secret => 'wrong'), '400 InvalidSignatureException', 'wrong secret in the query string');
is($sign->(key => 'OTHERKEY'), '400 InvalidSignatureException', 'the key of another user');
is($sign->(key => 'NOBODY'), '400 UnrecognizedClientException', 'unknown key');
is($message->(key => 'NOBODY'), 'The security token included in the request is invalid.', 'message for an unknown key');
is($sign->(query => 1, key => 'role app'), '400 UnrecognizedClientException', 'a role name is not a key');
is($sign->(token => 'session'), '400 UnrecognizedClientException', 'session token');
like($message->(token => 'session'), qr/session token.*Give the client an access key of this server/, 'message for a session token');
my @token_in_query = (query => 1, parameters => { 'X-Amz-Security-Token' => 'session' });
is($sign->(@token_in_query), '400 UnrecognizedClientException', 'session token in the query string');
reload('dynamo.http_ignore_session_tokens' => 'on');
is($sign->(token => 'session'), '200 none', 'session token that is ignored');
is($sign->(@token_in_query), '200 none', 'session token in the query string that is ignored');
is($sign->(token => 'session', secret => 'wrong'), '400 InvalidSignatureException', 'a wrong secret with a token that is ignored');
is($sign->(token => 'session', key => 'NOBODY'), '400 UnrecognizedClientException', 'an unknown key with a token that is ignored');
like($message->(token => 'session', key => 'NOBODY'), qr/temporary credentials of AWS/, 'message for an unknown key with a token');
reload('dynamo.http_ignore_session_tokens' => 'off');
is($sign->(token => 'session'), '400 UnrecognizedClientException', 'session tokens are refused again');
is($sign->(authorization => undef), '400 MissingAuthenticationTokenException', 'no signature');
is($sign->(authorization => 'Basic YTpi'), '400 MissingAuthenticationTokenException', 'another scheme');
is($sign->(query => 1, header => { authorization => 'AWS4-HMAC-SHA256 x' }), '400 InvalidSignatureException', 'two signatures');
is($message->(authorization => 'AWS4-HMAC-SHA256 Credential=a', header => { 'x-amz-date' => undef }),
	"Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. "
	. "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-HMAC-SHA256 Credential=a", 'missing parts');
is($message->(authorization => 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c', header => { 'x-amz-date' => 'today' }),
	"Date must be in ISO-8601 'basic format'. Got 'today'. See http://en.wikipedia.org/wiki/ISO_8601", 'date');
like($message->(time => time - 1000), qr/\ASignature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 15 min\.\)\z/, 'an old signature');
like($message->(time => time + 1000), qr/\ASignature not yet current: /, 'a signature from the future');
is($sign->(query => 1, parameters => { 'X-Amz-Expires' => '5' }, time => time - 60), '400 InvalidSignatureException', 'an expired signature');
is($sign->(query => 1, parameters => { 'X-Amz-Expires' => $_ }), '400 IncompleteSignatureException', "a signature that expires after '$_' seconds") for '-1', '-0', '1e3', ' 60';
is($sign->(query => 1, parameters => { 'X-Amz-Expires' => '0' }, time => time - 2), '400 InvalidSignatureException', 'a signature that has expired at once');
is($message->(signed => ['x-amz-date']), "'Host' must be a 'SignedHeader' in the AWS Authorization.", 'Host not signed');
is($message->(signed => [ 'host', 'x-amz-date' ]), "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.", 'operation not signed');
# Each name is a line of the canonical form, which the answer to a wrong signature contains.
my $scope_of_today = strftime('%Y%m%d', gmtime) . '/us-east-1/dynamodb/aws4_request';
my $names = sub { $message->(header => { 'x-long' => 'x' x 10_000 }, authorization => "AWS4-HMAC-SHA256 Credential=TESTKEY/$scope_of_today, SignedHeaders=" . join(';', 'host', 'x-amz-target', @_) . ', Signature=c') };
is($names->(@$_), "'SignedHeaders' must name at most 100 headers, each of them once.", scalar(@$_) . ' more signed headers') for [ 'x-long', 'x-long' ], [ 'X-Long', 'x-long' ], [ ('x-long') x 3000 ], [ map { "x$_" } 1 .. 99 ], [ map { "x$_" } 1 .. 3000 ];
like($names->('x-long', map { "x$_" } 1 .. 97), qr/\AThe request signature we calculated does not match/, '100 signed headers');
is($message->(authorization => 'AWS4-HMAC-SHA512 Credential=a, SignedHeaders=host, Signature=c'),
	"Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512' (only AWS4-HMAC-SHA256 for now). ", 'algorithm');
is($message->(authorization => 'AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c'),
	"Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b'", 'credential');
is($message->(region => 'eu-west-1', service => 's3'),
	"Credential should be scoped to a valid region, not 'eu-west-1'. Credential should be scoped to correct service: 'dynamodb'. ", 'scope');
is($message->(scope => '20200101/us-east-1/dynamodb/aws4_request') =~ s/\d{8}(?:T\d{6}Z)?'(?=,|\.)/<now>'/gr,
	"Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20200101' != '<now>', from '<now>'.", 'date of the scope');
ok($node->log_contains(qr/HTTP authentication failed for client 127\.0\.0\.1:\d+\n.*DETAIL:  Access key "NOBODY" does not exist\./), 'failures of authentication are logged');

my $changed = signed_request('GetItem', '{"TableName":"Music","Key":{"Artist":{"S":"A"}}}');
is(error_of(400, decode_json(exchange(connect_http($port), $changed =~ s/"A"/"B"/r)->{body})), '400 InvalidSignatureException', 'a changed body');
is(error_of(400, decode_json(exchange(connect_http($port), $changed =~ s/GetItem/DeleteItem/r)->{body})), '400 InvalidSignatureException', 'a changed operation');

# ---- roles ----

my @other = (key => 'OTHERKEY', secret => 'OTHERSECRET');
$socket = connect_http($port);
my $read = sub { error_of(api($socket, 'GetItem', { TableName => 'Music', Key => { Artist => { S => 'A' } } }, @_)) };
is($read->(@other), '400 ResourceNotFoundException', 'a table of a stranger, where strangers create, is not meant');
my ($denied) = (api($socket, 'GetItem', { TableName => 'Music', Key => { Artist => { S => 'A' } } }, @other))[1];
like($denied->{message} // $denied->{Message} // '',
	qr/^Requested resource not found: table Music of role app in schema public is found as public\.Music only/, 'the message says how it is');
is(error_of(api($socket, 'GetItem', { TableName => 'public.Music', Key => { Artist => { S => 'A' } } }, @other)), '400 AccessDeniedException', 'with its schema it is');
$node->safe_psql('postgres', 'REVOKE CREATE ON SCHEMA public FROM app');
is($read->(@other), '400 AccessDeniedException', 'another role has no privilege');
is($read->(), '200 none', 'the owner has the privilege');
$node->safe_psql('postgres', 'GRANT SELECT ON "Music" TO other');
is($read->(@other), '200 none', 'a granted privilege');
is(error_of(api($socket, 'PutItem', { TableName => 'Music', Item => { Artist => { S => 'B' } } }, @other)), '400 AccessDeniedException', 'a privilege to read is not one to write');

# A trigger that tries to become another role and to leave something behind.
$node->safe_psql('postgres', q{
CREATE TABLE seen (session_user_name text, current_user_name text, attempt text, outcome text);
GRANT INSERT ON seen TO PUBLIC;
CREATE FUNCTION public.intrude() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE attempt text; outcome text;
BEGIN
	FOREACH attempt IN ARRAY ARRAY['SET ROLE postgres', 'RESET ROLE', 'SET SESSION AUTHORIZATION postgres', 'RESET SESSION AUTHORIZATION', 'SET LOCAL ROLE other',
		'SELECT dynamo.create_access_key(current_user::regrole, ''STOLEN'')', 'SELECT dynamo.drop_access_key(''TESTKEY'')'] LOOP
		BEGIN
			EXECUTE attempt;
			outcome := 'done';
		EXCEPTION WHEN OTHERS THEN
			outcome := SQLERRM;
		END;
		INSERT INTO public.seen VALUES (session_user, current_user, attempt, outcome);
	END LOOP;
	PERFORM pg_catalog.set_config('search_path', 'nowhere', false);
	IF pg_catalog.to_regclass('pg_temp."Music"') IS NULL THEN
		CREATE TEMP TABLE "Music" (a int);
		CREATE TEMP TABLE other_temp (a int);
	END IF;
	RETURN NEW;
END $$;
CREATE TABLE other_own (a int);
SELECT dynamo.create_table('Trap', partition_key => 'PK');
ALTER TABLE "Trap" OWNER TO app;
CREATE TRIGGER intrude BEFORE INSERT ON "Trap" FOR EACH ROW EXECUTE FUNCTION public.intrude();
});
is((api($socket, 'PutItem', { TableName => 'public.Trap', Item => { PK => { S => 'x' } } }))[0], 200, 'a write with a trigger');
is($node->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE outcome = \'done\'), min(session_user_name), max(current_user_name) FROM seen'),
	'7|0|app|app', 'no trigger becomes another role');
is($read->(@other), '200 none', 'changes of the session do not affect another role');
is($read->(), '200 none', 'changes of the session do not affect the same role later');
# Triggers that leave things behind, and look for them first.
$node->safe_psql('postgres', q{
CREATE TABLE left_over (key text, kind text, found text);
CREATE SEQUENCE left_sequence;
GRANT INSERT ON left_over TO PUBLIC;
GRANT USAGE, SELECT ON left_sequence TO PUBLIC;
CREATE FUNCTION public.tried(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
	EXECUTE statement INTO found;
	RETURN NULLIF(found, '');
EXCEPTION WHEN object_not_in_prerequisite_state THEN RETURN NULL;
END $$;
CREATE FUNCTION public.leave_something() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.left_over SELECT NEW."PK", kind, public.tried('SELECT ' || source) FROM (VALUES
		('temporary table', $x$pg_catalog.to_regclass('pg_temp.left_table')$x$),
		('setting', $x$setting FROM pg_catalog.pg_settings WHERE name = 'work_mem' AND setting <> reset_val$x$),
		('setting of its own', $x$pg_catalog.current_setting('left.behind', true)$x$),
		('prepared statement', $x$name FROM pg_catalog.pg_prepared_statements$x$),
		('cursor', $x$name FROM pg_catalog.pg_cursors WHERE is_holdable$x$),
		('advisory lock', $x$max(objid) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objsubid < 3 AND pid = pg_catalog.pg_backend_pid()$x$),
		('value of a sequence', $x$pg_catalog.currval('public.left_sequence')$x$),
		('last value', $x$pg_catalog.lastval()$x$)) AS kinds (kind, source);
	CREATE TEMP TABLE IF NOT EXISTS left_table (a int);
	PERFORM pg_catalog.set_config('left.behind', 'here', false), pg_catalog.set_config('work_mem', '65kB', false);
	PERFORM pg_catalog.nextval('public.left_sequence'), pg_catalog.pg_advisory_lock(1), pg_catalog.pg_advisory_lock(1), pg_catalog.pg_advisory_lock_shared(2, 2);
	EXECUTE 'PREPARE left_statement AS SELECT 1';
	EXECUTE 'DECLARE left_cursor CURSOR WITH HOLD FOR SELECT 1';
	IF NEW."PK" LIKE 'fail%' THEN
		RAISE EXCEPTION 'failed';
	END IF;
	RETURN NEW;
END $$;
CREATE FUNCTION public.leave_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.left_over VALUES (NEW."PK", 'late setting', NULLIF(pg_catalog.current_setting('left.late', true), '')),
		(NEW."PK", 'setting that the same request has not kept', NULLIF(pg_catalog.current_setting('work_mem'), '65kB'));
	PERFORM pg_catalog.set_config('left.late', 'here', false), pg_catalog.pg_advisory_lock(3);
	RETURN NULL;
END $$;
SELECT dynamo.create_table('Leave', partition_key => 'PK');
ALTER TABLE "Leave" OWNER TO app;
CREATE TRIGGER leave_something BEFORE INSERT ON "Leave" FOR EACH ROW EXECUTE FUNCTION public.leave_something();
CREATE CONSTRAINT TRIGGER leave_late AFTER INSERT ON "Leave" INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.leave_late();
});
my @answers = map { (api($socket, 'PutItem', { TableName => 'public.Leave', Item => { PK => { S => $_ } } }))[0] } qw(a b fail-1 fail-2 c);
is("@answers", '200 200 400 400 200', 'writes with triggers that leave something in the session, some of which fail');
is($node->safe_psql('postgres', 'SELECT count(*), string_agg(key || \': \' || kind || \' \' || found, \', \') FROM left_over'), '30|', 'nothing of it is there in the next request of the same role');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid < 3}), '0', 'and no lock of it after the request');
# Locks of segments stay.
$node->safe_psql('postgres', 'ALTER ROLE app SET dynamo.segment_ranges = on');
reload();
@answers = map { (api($socket, @$_))[0] } [ Scan => { TableName => 'public.Leave', Segment => 0, TotalSegments => 2 } ],
	map { [ PutItem => { TableName => 'public.Leave', Item => { PK => { S => $_ } } } ] } qw(d e f);
is("@answers", '200 200 200 200', 'writes by a session that reads segments');
is($node->safe_psql('postgres', 'SELECT count(*), string_agg(key || \': \' || kind || \' \' || found, \', \') FROM left_over'), '60|', 'nothing is there, either');
is($node->safe_psql('postgres', q{SELECT string_agg(objsubid::text, ' ') FROM pg_locks WHERE locktype = 'advisory'}), '3', 'the session still reads the segments, and has no other lock');
$node->safe_psql('postgres', 'ALTER ROLE app RESET dynamo.segment_ranges');
reload();
$node->safe_psql('postgres', 'DROP TABLE "Leave", left_over; DROP SEQUENCE left_sequence; DROP FUNCTION public.leave_something(), public.leave_late(), public.tried(text)');

$node->safe_psql('postgres', q{
CREATE SCHEMA elsewhere AUTHORIZATION other;
ALTER ROLE other SET search_path = elsewhere, dynamo;
ALTER ROLE other SET default_transaction_read_only = on});
ok(wait_until(sub { $read->(@other) eq '400 ResourceNotFoundException' }), 'settings of the role apply after some seconds');
is($read->(), '200 none', 'settings of a role apply only to the role');
is($read->(@other), '400 ResourceNotFoundException', 'again');
$node->safe_psql('postgres', 'ALTER ROLE other SET search_path = public, dynamo; GRANT INSERT, UPDATE ON "Music" TO other');
reload();
is($read->(@other), '200 none', 'changed settings apply at once after a reload');
is(error_of(api($socket, 'PutItem', { TableName => 'Music', Item => { Artist => { S => 'B' } } }, @other)), '400 AccessDeniedException', 'a read-only role');
$node->safe_psql('postgres', 'ALTER ROLE other NOLOGIN');
is($read->(@other), '400 UnrecognizedClientException', 'a role that may not log in');
$node->safe_psql('postgres', 'ALTER ROLE other LOGIN; ALTER ROLE other RESET ALL');
is($read->(@other), '200 none', 'a role that may log in again');
$node->safe_psql('postgres', 'REVOKE CONNECT ON DATABASE postgres FROM PUBLIC');
is($read->(@other), '400 UnrecognizedClientException', 'a role that may not connect');
$node->safe_psql('postgres', 'GRANT CONNECT ON DATABASE postgres TO PUBLIC');
$node->safe_psql('postgres', q{SELECT dynamo.drop_access_key('OTHERKEY')});
is($read->(@other), '400 UnrecognizedClientException', 'a dropped key');
$node->safe_psql('postgres', q{
CREATE ROLE brief LOGIN; SELECT dynamo.create_access_key('brief', 'BRIEF', 'S'); GRANT SELECT ON "Music" TO brief});
is($read->(key => 'BRIEF', secret => 'S'), '200 none', 'a new key');
$node->safe_psql('postgres', 'REVOKE SELECT ON "Music" FROM brief; DROP ROLE brief');
is($read->(key => 'BRIEF', secret => 'S'), '400 UnrecognizedClientException', 'a dropped role');
$node->safe_psql('postgres', 'GRANT CREATE ON SCHEMA public TO app');

# An error at the end of the transaction is an answer, too.
$node->safe_psql('postgres', q{
CREATE FUNCTION public.forbid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE 'not at the end' USING ERRCODE = 'check_violation'; END $$;
CREATE CONSTRAINT TRIGGER forbid AFTER INSERT ON "Music" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.forbid()});
is_deeply([ api($socket, 'PutItem', { TableName => 'Music', Item => { Artist => { S => 'late' } } }) ],
	[ 400, { __type => 'com.amazon.coral.validate#ValidationException', message => 'not at the end' } ], 'an error at commit');
is_deeply([ api($socket, 'GetItem', { TableName => 'Music', Key => { Artist => { S => 'late' } } }) ], [ 200, {} ], 'a transaction that failed at commit wrote nothing');
$node->safe_psql('postgres', 'DROP TRIGGER forbid ON "Music"');

# ---- waiting, canceling, timeouts of requests ----

my $put = { TableName => 'Music', Item => { Artist => { S => 'A' }, n => { N => '2' } } };
# a lock that no session needs to hold
$node->safe_psql('postgres', q{BEGIN; SELECT FROM "Music" WHERE "Artist" = 'A' FOR UPDATE; PREPARE TRANSACTION 'holder'});
my $started = time;
is(error_of(api($socket, 'PutItem', $put)), '400 TransactionConflictException', 'a locked item');
cmp_ok(time - $started, '<', 15, 'the wait for a lock is short');
$node->safe_psql('postgres', 'ALTER ROLE app SET lock_timeout = 0; ALTER ROLE app SET statement_timeout = \'1s\'');
reload();
is(error_of(api($socket, 'PutItem', $put)), '500 InternalServerError', 'statement_timeout');

# The timer ends with the request, whatever a trigger does to the setting.
$node->safe_psql('postgres', q{
ALTER ROLE app RESET lock_timeout;
DROP TRIGGER intrude ON "Trap";
CREATE FUNCTION public.unlimit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_catalog.set_config('statement_timeout', '0', false); RETURN NEW; END $$;
CREATE TRIGGER unlimit BEFORE INSERT ON "Trap" FOR EACH ROW EXECUTE FUNCTION public.unlimit()});
reload();
is((api($socket, 'PutItem', { TableName => 'public.Trap', Item => { PK => { S => 'y' } } }))[0], 200, 'a request that lifts the limit');
is(error_of(api($socket, 'PutItem', $put)), '500 InternalServerError', 'the next request has the limit');
is((api($socket, 'PutItem', { TableName => 'public.Trap', Item => { PK => { S => 'z' } } }))[0], 200, 'a request that lifts the limit again');
$node->safe_psql('postgres', 'ALTER ROLE app SET statement_timeout = 0');
reload();
is(error_of(api($socket, 'PutItem', $put)), '400 TransactionConflictException', 'the next request is not canceled');

# A timeout that would end the worker, from PostgreSQL 17 on: neither a role nor a trigger can set it.
SKIP:
{
	skip 'there is no transaction_timeout', 3 if $node->safe_psql('postgres', 'SHOW server_version_num') < 170000;
	my $worker = worker_pid();

	$node->safe_psql('postgres', q{ALTER ROLE app SET transaction_timeout = '1ms'; CREATE OR REPLACE FUNCTION public.unlimit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_catalog.set_config('transaction_timeout', '1ms', true), pg_catalog.pg_sleep(0.1); RETURN NEW; END $$});
	reload();
	is((api($socket, 'PutItem', { TableName => 'Music', Item => { Artist => { S => 'B' } } }))[0], 200, 'a role with transaction_timeout');
	is((api($socket, 'PutItem', { TableName => 'public.Trap', Item => { PK => { S => 'w' } } }))[0], 500, 'a trigger that sets it');
	is(worker_pid(), $worker, 'the worker goes on');
	$node->safe_psql('postgres', 'ALTER ROLE app RESET transaction_timeout');
}
$node->safe_psql('postgres', 'ALTER ROLE app SET lock_timeout = 0');
$node->safe_psql('postgres', 'ALTER ROLE app SET statement_timeout = 0');
reload();
send_raw($socket, signed_request('PutItem', encode_json($put)));
sleep(1);
ok(!IO::Select->new($socket)->can_read(0), 'without a limit a request waits for its lock');
is($node->safe_psql('postgres', q{SELECT DISTINCT state FROM pg_stat_activity WHERE backend_type = 'dynamo http'}), 'idle', 'the worker does not wait');
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
$answer = read_answer($socket);
is($answer->{status}, 500, 'a canceled request');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'holder'});
is((api($socket, 'PutItem', $put))[0], 200, 'the connection continues');
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
is($read->(), '200 none', 'canceling an idle worker does nothing');
is($node->safe_psql('postgres', q{SELECT state, backend_xmin IS NULL, application_name FROM pg_stat_activity WHERE backend_type = 'dynamo http'}),
	'idle|t|dynamo http', 'an idle worker has no open transaction');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE (locktype, objsubid) IS DISTINCT FROM ('advisory', 3) AND pid = } . worker_pid()),
	'0', 'an idle worker has no lock but those of segments');
$node->safe_psql('postgres', 'ALTER ROLE app RESET ALL');

# ---- many clients, slow clients ----

my @clients = map { connect_http($port) } 1 .. 100;
send_raw($_, $get) for @clients;
is(scalar(grep { $_ && $_->{status} == 200 } map { read_answer($_) } @clients), 100, '100 clients');

# Clients that send half a request, or do not read their answers, do not delay others.
my @slow = map { connect_http($port) } 1 .. 20;
send_raw($_, substr($get, 0, 100)) for @slow;
my $big = encode_json({ TableName => 'Music', Key => { Artist => { S => 'L' } } });
my @deaf = map { connect_http($port) } 1 .. 5;
for my $client (@deaf)
{
	send_raw($client, signed_request('GetItem', $big) x 40);
}
$started = time;
is(exchange($clients[0], $get)->{status}, 200, 'a client among slow ones');
cmp_ok(time - $started, '<', 25, 'the client does not wait for slow ones');
send_raw($_, substr($get, 100)) for @slow;
is(scalar(grep { $_ && $_->{status} == 200 } map { read_answer($_) } @slow), 20, 'slow clients get their answers');
is(scalar(grep { length $_->{body} > 399_000 } map { read_answer($deaf[0]) } 1 .. 40), 40, 'clients that read late get their answers');

reload('dynamo.http_client_timeout' => '1000', 'dynamo.http_idle_timeout' => '2000');
my $half = connect_http($port);
send_raw($half, 'POST / HT');
is(read_answer($half)->{status}, 408, 'a request that never ends');
ok(is_closed($half), 'the connection of an unfinished request is closed');
ok(is_closed($clients[1]), 'an idle connection is closed');
ok(wait_until(sub { slurp_file($node->logfile) =~ /HTTP client 127\.0\.0\.1:\d+ took too long to receive an answer/ }), 'a connection that does not accept its answer is closed');
close($_) for @clients, @slow, @deaf;

# While the worker waits for a lock, data from clients is received in time.
$node->safe_psql('postgres', q{ALTER ROLE app SET lock_timeout = '6s'});
reload('dynamo.http_client_timeout' => '4000');
$node->safe_psql('postgres', q{BEGIN; SELECT FROM "Music" WHERE "Artist" = 'A' FOR UPDATE; PREPARE TRANSACTION 'holder'});
my ($busy, $patient) = map { connect_http($port) } 1 .. 2;
send_raw($patient, substr($get, 0, 100));
sleep(0.3);
send_raw($busy, signed_request('PutItem', encode_json($put)));
sleep(0.1);
send_raw($patient, substr($get, 100));
is(read_answer($busy)->{status}, 400, 'a request that takes longer than the client timeout');
is(read_answer($patient)->{status}, 200, 'the rest of another request arrived meanwhile');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'holder'; ALTER ROLE app RESET lock_timeout});
close($_) for $busy, $patient;
reload('dynamo.http_client_timeout' => '600000', 'dynamo.http_idle_timeout' => '0', 'dynamo.http_max_connections' => '3');
my @idle = map { connect_http($port) } 1 .. 3;
exchange($_, $get) for @idle, $idle[0];
$socket = connect_http($port);
is(exchange($socket, $get)->{status}, 200, 'one more client than allowed');
ok(is_closed($idle[1]), 'the new client replaces the one that was idle longest');
is(exchange($idle[0], $get)->{status}, 200, 'the first client is not replaced');
# until the worker has read its first bytes, a client is idle and can be replaced; then it comes again
@slow = ();
ok(wait_until(sub {
	for my $client (grep { !$slow[$_] || is_closed($slow[$_], 0) } 0 .. 2)
	{
		$slow[$client] = connect_http($port);
		send_raw($slow[$client], 'POST / HT');
	}
	my $answer = read_answer(connect_http($port), 5);
	return $answer && $answer->{status} == 503;
}), 'a client is refused if no other one is idle');
# it can read that, although it is still sending
for my $size (0, 4_000_000)
{
	my $refused = connect_http($port);
	sleep(0.2);
	ok(send_raw($refused, "${line}Content-Length: $size\r\n\r\n" . ' ' x $size), "$size bytes are sent");
	is(read_answer($refused)->{status}, 503, 'the refused client reads its answer');
	ok(is_closed($refused), 'the refused connection is closed');
}
my @refused = map { connect_http($port) } 1 .. 100;
is(scalar(grep { read_answer($_)->{status} == 503 } @refused), 100, 'many refused connections are closed');
close($_) for @refused;
close($_) for @slow, @idle;
reload('dynamo.http_client_timeout' => '30000', 'dynamo.http_max_connections' => '250', 'dynamo.http_buffer_memory' => "'20MB'");
@slow = map { connect_http($port) } 1 .. 3;
my @statuses;
for my $client (@slow)
{
	send_raw($client, "${line}Content-Length: 15000000\r\n\r\n" . ' ' x 14_000_000);
}
my ($answered) = IO::Select->new(@slow)->can_read(180);
is($answered && read_answer($answered)->{status}, 503, 'memory for incoming requests is limited');
close($_) for @slow;
$socket = connect_http($port);
is($read->(), '200 none', 'other requests continue');
reload('dynamo.http_buffer_memory' => "'64MB'");

# ---- log entries caused by strangers ----

sleep(1.1);
my $log_start = -s $node->logfile;
my $since = time;
for (1 .. 100)
{
	exchange(connect_http($port), "NONSENSE\r\n\r\n");
	exchange($socket, signed_request('ListTables', '{}', secret => 'WRONG'));
}
my $seconds = int(time - $since) + 2;
for my $message ('invalid HTTP request from client', 'HTTP authentication failed for client')
{
	my $lines = () = slurp_file($node->logfile, $log_start) =~ /$message/g;

	ok($lines >= 1 && $lines <= $seconds, "\"$message\" is logged $lines times in $seconds seconds");
}
sleep(1.1);
exchange(connect_http($port), "NONSENSE\r\n\r\n");
like(slurp_file($node->logfile, $log_start), qr/invalid HTTP request from client [^ ]*: [^\n]* \(\d\d more since the last message\)/, 'the next message contains the number of the others');

# ---- memory ----

SKIP:
{
	skip 'no /proc', 2 if !-r '/proc/self/statm';
	my $pid = worker_pid();
	my $size = sub { (split ' ', slurp_file("/proc/$pid/statm"))[1] * 4 };
	my $descriptors = sub { scalar(() = glob("/proc/$pid/fd/*")) };
	my $round = sub {
		my $s = connect_http($port);
		my @all = (
			$get, signed_request('GetItem', $big),
			signed_request('PutItem', encode_json({ TableName => 'Music', Item => { Artist => { N => '1' } } })),
			signed_request('PutItem', encode_json({ %$put, ConditionExpression => 'attribute_not_exists(Artist)' })),
			signed_request('Query', '{"TableName":"Music"}'), signed_request('Query', '{'), signed_request('X', '{}'),
			signed_request('GetItem', '{}', secret => 'wrong'), signed_request('GetItem', '{}', key => 'NOBODY'),
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n");
		send_raw($s, $_) && read_answer($s) for @all;
		close($s);
	};
	$round->() for 1 .. 100;
	my ($before, $before_fds) = ($size->(), $descriptors->());
	$round->() for 1 .. 300;
	cmp_ok($size->() - $before, '<', 2048, 'errors do not leak memory') or diag("$before kB, then " . $size->());
	cmp_ok($descriptors->() - $before_fds, '<', 5, 'errors do not leak file descriptors');
}

# ---- without authentication ----

reload('dynamo.http_authentication' => 'none');
$socket = connect_http($port);
is(error_of(api($socket, 'ListTables', {}, key => 'any', secret => 'any')), '400 AccessDeniedException', 'a role must be named');
reload('dynamo.http_role' => 'app');
is($read->(key => 'any', secret => 'any', token => 'x'), '200 none', 'any credentials are accepted');

# Returns the result of a request from a host or page: the status, and whether the page may read it.
sub visit
{
	my ($host, $origin, $method) = @_;
	my $request = ($method // 'POST') . " / HTTP/1.1\r\nHost: $host\r\n" . (defined $origin ? "Origin: $origin\r\n" : '')
	  . "Content-Type: application/json\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}";
	my $got = exchange($socket, $request);

	is(decode_json($got->{body})->{__type}, 'com.amazon.coral.service#AccessDeniedException', 'refused hosts get access denied') if $got->{status} == 400;
	return $got->{status} . (defined $got->{header}{'access-control-allow-origin'} ? ' readable' : '');
}

is(visit($_), '200', "host $_") for 'localhost', "localhost:$port", 'LOCALHOST', 'db.localhost:1', '127.0.0.1', '127.1.2.3:80', '[::1]', "[::1]:$port";
is(visit($_), '400', "host $_") for 'page.example', "page.example:$port", 'localhost.page.example', 'xlocalhost', '.example', '127.0.0.1.page.example',
  '10.0.0.1', '[::2]', '[::1', '[::1]x', 'localhost:x', '127.1', 'null', '';
ok($node->log_contains(qr/refused HTTP request from client 127\.0\.0\.1:\d+: host "page\.example" is not allowed/), 'refused hosts are logged');
is(visit('localhost', $_), '200 readable', "a page of $_") for 'http://localhost:3000', 'https://localhost', 'http://127.0.0.1:8080', 'http://[::1]:3000';
is(visit('localhost', $_), '400', "a page of $_") for 'http://page.example', 'https://localhost.page.example', 'null', 'http://', 'localhost', '*',
  'file://', 'http://page.example/://localhost';
is(visit('localhost', 'http://localhost:3000', 'OPTIONS'), '200 readable', 'a page may send a preflight request');
is(visit('localhost', 'http://page.example', 'OPTIONS'), '404', 'a page may omit the preflight request');
is(visit('page.example', undef, 'GET'), '200', 'health checks need no host');
reload('dynamo.http_allow_origin' => "'http://page.example'");
is(visit('localhost', 'http://page.example'), '200 readable', 'the allowed origin');
is(visit('localhost', 'http://other.example'), '400', 'another');
is(visit('page.example'), '400', 'an origin is not a host');
reload('dynamo.http_allow_origin' => "''", 'dynamo.http_allowed_hosts' => "'db.example, 10.0.0.1'");
is(visit($_), '200', "host $_ is allowed") for 'db.example:8000', 'DB.example', '10.0.0.1';
is(visit('other.example'), '400', 'other hosts are refused');
is(visit('localhost', 'http://db.example'), '200', 'pages of an allowed host are served without CORS headers');
reload('dynamo.http_allowed_hosts' => "'*'", 'dynamo.http_allow_origin' => "'*'");
is(visit('page.example', 'http://other.example'), '200 readable', 'all hosts can be allowed');
is(visit('x', 'null'), '200 readable', 'all hosts are allowed, whatever their names');
for my $value ('http://db.example', 'db.example:8000', '[::1]', 'a b')
{
	my ($result, $out, $error) = $node->psql('postgres', "LOAD 'dynamo'; ALTER SYSTEM SET dynamo.http_allowed_hosts = '$value'");
	like($error, qr/invalid value for parameter/, "$value is not a host");
}
reload('dynamo.http_authentication' => 'sigv4', 'dynamo.http_role' => "''", 'dynamo.http_allowed_hosts' => "''");
is($sign->(header => { host => 'page.example', origin => 'http://page.example' }), '200 none', 'signatures include the host, so all hosts are served');

# ---- a standby ----

my $standby_port = PostgreSQL::Test::Cluster::get_free_port();
my $standby = PostgreSQL::Test::Cluster->new('http_standby');
$node->backup('standby');
$standby->init_from_backup($node, 'standby', has_streaming => 1);
$standby->append_conf('postgresql.conf', "dynamo.http_port = $standby_port\n");
$standby->start;
ok(wait_until(sub { connect_http($standby_port) }), 'a standby serves');
$socket = connect_http($standby_port);
is($read->(), '200 none', 'reads');
is(error_of(api($socket, 'PutItem', $put)), '400 AccessDeniedException', 'a standby refuses writes');
for my $token ({}, { ClientRequestToken => 'once' })
{
	my %key = (TableName => 'Music', Key => { Artist => { S => 'A' } });

	for my $action ({ Put => $put }, { Delete => \%key }, { ConditionCheck => { %key, ConditionExpression => 'attribute_exists(n)' } })
	{
		is(error_of(api($socket, 'TransactWriteItems', { TransactItems => [$action], %$token })), '400 AccessDeniedException',
			join(' ', 'and transactions:', keys %$action, keys %$token));
	}
	is(error_of(api($socket, 'ExecuteTransaction', { TransactStatements => [ { Statement => q(DELETE FROM "Music" WHERE "Artist" = 'A') } ], %$token })),
		'400 AccessDeniedException', join(' ', 'and statements:', keys %$token));
}
$standby->promote;
ok(wait_until(sub { error_of(api($socket, 'PutItem', $put)) eq '200 none' }), 'a promoted standby accepts writes');
$standby->stop;

# ---- extension, database and server are dropped or stopped, and come back ----

$node->safe_psql('postgres', 'SELECT dynamo.drop_table(\'Trap\'); SET client_min_messages = error; DROP EXTENSION dynamo CASCADE; DROP TABLE "Music"');
is($sign->(), '400 AccessDeniedException', 'requests fail without the extension');
$node->safe_psql('postgres', q{CREATE EXTENSION dynamo; SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});
is($sign->(), '200 none', 'requests succeed with the extension again');

my $pid = worker_pid();
$socket = connect_http($port);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
ok(is_closed($socket), 'a terminated worker closes its connections');
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND pid <> $pid AND state = 'idle'"), 'another worker is started');
ok(wait_until(sub { my $s = connect_http($port); $s && ($sign->() eq '200 none') }), 'the new worker serves requests');

kill 'KILL', worker_pid();
ok(wait_until(sub { my $s = connect_http($port); $s && eval { $sign->() eq '200 none' } }), 'a worker is started after a crash');
ok($node->poll_query_until('postgres', 'SELECT true'), 'the whole server was restarted');

$node->safe_psql('postgres', q{CREATE DATABASE brief});
$node->safe_psql('brief', q{CREATE EXTENSION dynamo; SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});
reload('dynamo.database' => 'brief', 'dynamo.http_workers' => '3');
$node->restart;
ok(wait_until(sub { my $s = connect_http($port); $s && $sign->() eq '200 none' }), 'another database');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND datname = 'brief'"), '3', 'more workers are started');
my $all = 0;
for (1 .. 60)
{
	$all++ if exchange(connect_http($port), "GET / HTTP/1.1\r\nHost: x\r\n\r\n")->{status} == 200;
}
is($all, 60, 'connections are distributed');
$node->safe_psql('postgres', 'DROP DATABASE brief WITH (FORCE)');
ok(wait_until(sub { slurp_file($node->logfile) =~ /FATAL:  database "brief" does not exist/ }), 'requests fail when the database is dropped');
ok(wait_until(sub { !connect_http($port) }), 'no process listens any more');
$node->safe_psql('postgres', 'CREATE DATABASE brief');
ok(wait_until(sub { connect_http($port) }), 'the endpoint returns with the database');
is($sign->(), '400 AccessDeniedException', 'the new database has no extension');

# ---- two servers, one port ----

my $second = PostgreSQL::Test::Cluster->new('http_second');
$second->init;
$second->append_conf('postgresql.conf', "shared_preload_libraries = 'dynamo'\ndynamo.http_port = $port\ndynamo.http_listen_addresses = '127.0.0.1'\n");
$second->start;
ok($second->wait_for_log(qr/Is another server already running on port $port\?.*WARNING:  cannot listen at port $port for HTTP/s), 'the port of another server is not used');
ok($second->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND query <> 'waiting for the HTTP port'"),
	'workers wait for a used port');
$second->stop;

$socket = connect_http($port);
$node->stop('fast');
ok(is_closed($socket), 'a shutdown closes connections');
ok(slurp_file($node->logfile) !~ /PANIC:|TRAP:|signal (?!9)/, 'no error occurred');

done_testing();
