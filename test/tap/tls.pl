# tls.pl: TLS of the HTTP endpoint, certificates of clients, and their change under load.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub runs
{
	my @command = @_;

	return eval { IPC::Run::run(\@command, '<', '/dev/null', '>', '/dev/null', '2>', '/dev/null') };
}

plan skip_all => 'there is no openssl' if !runs('openssl', 'version');
plan skip_all => 'there is no Python with ssl' if !runs('python3', '-c', 'import ssl');

# ---- certificates ----

my $dir = PostgreSQL::Test::Utils::tempdir();

sub openssl
{
	my @arguments = @_;
	my $said = '';

	IPC::Run::run([ 'openssl', @arguments ], '<', '/dev/null', '>', '/dev/null', '2>', \$said) or die "openssl @arguments: $said";
	return;
}

sub authority
{
	my ($name) = @_;

	openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', 10, '-subj', "/CN=$name",
		'-addext', 'keyUsage = critical, keyCertSign, cRLSign', '-keyout', "$dir/$name.key", '-out', "$dir/$name.crt");
	return;
}

sub certificate
{
	my ($file, $name, $authority) = @_;

	openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', "/CN=$name",
		'-keyout', "$dir/$file.key", '-out', "$dir/$file.csr");
	append_to_file("$dir/$file.ext", "subjectAltName = DNS:localhost, IP:127.0.0.1\n" .
			"subjectKeyIdentifier = hash\nauthorityKeyIdentifier = keyid\n");
	openssl('x509', '-req', '-in', "$dir/$file.csr", '-CA', "$dir/$authority.crt", '-CAkey', "$dir/$authority.key", '-CAcreateserial',
		'-days', 10, '-extfile', "$dir/$file.ext", '-out', "$dir/$file.crt");
	chmod(0600, "$dir/$file.key");
	return;
}

authority($_) for 'ours', 'others';
certificate('server', 'localhost', 'ours');
certificate('server2', 'localhost', 'ours');
certificate('app', 'app', 'ours');
certificate('nobody', 'nobody', 'ours');
certificate('stranger', 'app', 'others');

# ---- a client in Python ----

append_to_file("$dir/client.py", <<'PYTHON');
import http.client, json, ssl, sys
def context(certificate=None, minimum=None, maximum=None, alpn=None):
	c = ssl.create_default_context(cafile=sys.argv[1] + "/ours.crt")
	if certificate: c.load_cert_chain(sys.argv[1] + "/" + certificate + ".crt", sys.argv[1] + "/" + certificate + ".key")
	if maximum: c.maximum_version = maximum
	if alpn: c.set_alpn_protocols(alpn)
	return c
def connect(**options):
	c = http.client.HTTPSConnection("localhost", int(sys.argv[2]), timeout=180, context=context(**options))
	c.connect()
	return c
def request(c, operation, body, headers={}):
	c.request("POST", "/", body if isinstance(body, bytes) else json.dumps(body), {"X-Amz-Target": "DynamoDB_20120810." + operation,
		"Content-Type": "application/x-amz-json-1.0", **headers})
	answer = c.getresponse()
	return answer.status, json.loads(answer.read() or b"null")
PYTHON

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('tls', $port, 2, qq{
dynamo.http_tls = require
dynamo.http_authentication = certificate
dynamo.http_client_timeout = 3s
ssl_cert_file = '$dir/server.crt'
ssl_key_file = '$dir/server.key'
ssl_ca_file = '$dir/ours.crt'
ssl_min_protocol_version = 'TLSv1.2'
});

# What a program prints, or what went wrong.
sub python
{
	my ($program) = @_;
	my ($out, $said) = ('', '');
	my $file = "$dir/program.py";

	unlink($file);
	append_to_file($file, "import sys; sys.path.insert(0, sys.argv[1])\nfrom client import *\n$program");
	IPC::Run::run([ 'python3', '-B', $file, $dir, $port ], '<', '/dev/null', '>', \$out, '2>', \$said, IPC::Run::timeout(600));
	chomp($out, $said);
	return $said ne '' ? (split /\n/, $said)[-1] : $out;
}

sub reload
{
	my ($settings) = @_;

	$node->append_conf('postgresql.conf', $settings);
	reload_workers($node);
	return;
}

wait_until(sub { connect_http($port) });
$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
GRANT CREATE ON SCHEMA public TO app;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
});

# ---- with a certificate ----

is(python(<<'P'), '200 200 200', 'a certificate stands for its role');
c = connect(certificate="app")
print(request(c, "CreateTable", {"TableName": "tab", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})[0], request(c, "PutItem", {"TableName": "tab", "Item": {"pk": {"S": "a"}}})[0],
	request(c, "GetItem", {"TableName": "tab", "Key": {"pk": {"S": "a"}}})[0])
P
is($node->safe_psql('postgres', q{SELECT owner FROM dynamo.tables WHERE table_name = 'tab'}), 'app', 'who owns the table');
is(python(<<'P'), '400 com.amazon.coral.service#MissingAuthenticationTokenException', 'no certificate');
s, b = request(connect(), "ListTables", {})
print(s, b["__type"])
P
is(python(<<'P'), '400 com.amazon.coral.service#UnrecognizedClientException', 'of no role');
s, b = request(connect(certificate="nobody"), "ListTables", {})
print(s, b["__type"])
P
like(python(<<'P'), qr/ssl\.SSL|Connection(Reset|Aborted)|BrokenPipe|RemoteDisconnected/, 'of another authority');
print(request(connect(certificate="stranger"), "ListTables", {}))
P

# ---- what is sent ----

is(python(<<'P'), 'True 390000 True', 'large requests and answers, and many small ones in one piece');
c = connect(certificate="app")
big = "x" * 390000
ok = request(c, "PutItem", {"TableName": "tab", "Item": {"pk": {"S": "big"}, "v": {"S": big}}})[0] == 200
got = request(c, "GetItem", {"TableName": "tab", "Key": {"pk": {"S": "big"}}})[1]["Item"]["v"]["S"]
text = b'{"TableName": "tab", "Key": {"pk": {"S": "a"}}}'
one = b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)
c.sock.sendall(one * 400)
seen = b""
while seen.count(b"HTTP/1.1 200") < 400:
	more = c.sock.recv(65536)
	if not more: break
	seen += more
print(ok, len(got), seen.count(b"HTTP/1.1 200") == 400)
P
is(python(<<'P'), '100 200', 'Expect: 100-continue');
c = connect(certificate="app")
text = b'{"TableName": "tab", "Key": {"pk": {"S": "a"}}}'
c.sock.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n" % len(text))
first = c.sock.recv(1000)
c.sock.sendall(text)
print(first.split()[1].decode(), c.sock.recv(10000).split()[1].decode())
P
is(python(<<'P'), 'http/1.1 True', 'ALPN');
c = connect(certificate="app", alpn=["h2", "http/1.1"])
try:
	connect(certificate="app", alpn=["h2"])
	refused = False
except ssl.SSLError:
	refused = True
print(c.sock.selected_alpn_protocol(), refused)
P
is(python(<<'P'), 'TLSv1.3 TLSv1.2', 'versions');
print(connect().sock.version(), connect(maximum=ssl.TLSVersion.TLSv1_2).sock.version())
P

# ---- those that do not speak TLS, or not to the end ----

my $from = -s $node->logfile;
sleep(2);    # messages of a kind are logged once a second
my $plain = connect_http($port);
send_raw($plain, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
my $refusal = read_answer($plain);
is($refusal->{status}, 400, 'plain HTTP is refused');
like($refusal->{body}, qr/"message":"This port needs TLS; use https:..\"/, 'and the answer says why');
my $silent = connect_http($port);
my $half = connect_http($port);
send_raw($half, "\x16\x03\x01\x02\x00\x01");
my $garbage = connect_http($port);
send_raw($garbage, "\x16\x03\x01\x00\x05hello");
is(python('print(request(connect(certificate="app"), "ListTables", {})[0])'), '200', 'others are served meanwhile');
ok(is_closed($half), 'a handshake that does not end is given up');
$node->wait_for_log(qr/could not accept TLS connection of HTTP client .*: TLS is required/, $from);
$node->wait_for_log(qr/took too long to agree on TLS/, $from);

# ---- reload ----

my ($done, $wrong) = ('', '');
my $load = start([ 'python3', '-B', '-c', <<'P', $dir, $port ], '<', '/dev/null', '>', \$done, '2>', \$wrong);
import sys, time; sys.path.insert(0, sys.argv[1])
from client import *
old, until, n = connect(certificate="app"), time.time() + 4, 0
while time.time() < until or n < 4:
	assert request(old, "ListTables", {})[0] == 200
	assert request(connect(certificate="app"), "ListTables", {})[0] == 200
	n += 1
print("fine")
P
sleep(1);
my $serial = 'print(ssl.DER_cert_to_PEM_cert(connect().sock.getpeercert(True)))';
my $before = python($serial);
reload("ssl_cert_file = '$dir/server2.crt'\nssl_key_file = '$dir/server2.key'\n");
isnt(python($serial), $before, 'a new certificate after a reload');
my $changed = python($serial);
reload("ssl_cert_file = '$dir/none.crt'\n");
is(python($serial), $changed, 'one that cannot be read leaves the old one');
$node->wait_for_log(qr/could not set up TLS for HTTP with "ssl_cert_file"/, $from);
$load->finish;
is("$done$wrong", "fine\n", 'connections go on meanwhile');

# ---- each client chooses ----

reload("ssl_cert_file = '$dir/server2.crt'\ndynamo.http_tls = allow\ndynamo.http_authentication = sigv4\n");
my ($status) = api(connect_http($port), 'ListTables', {});
is($status, 200, 'signed and plain');
is(python('s, b = request(connect(), "ListTables", {}); print(s, b["__type"])'), '400 com.amazon.coral.service#MissingAuthenticationTokenException',
	'a certificate is not enough where signatures are wanted');
SKIP:
{
	skip 'boto3 is not installed', 1 if !runs('/usr/bin/python3', '-c', 'import boto3');
	my ($out, $said) = ('', '');
	IPC::Run::run([ '/usr/bin/python3', '-B', '-c', <<'P', "https://localhost:$port", "$dir/ours.crt" ], '<', '/dev/null', '>', \$out, '2>', \$said, IPC::Run::timeout(600));
import boto3, sys
d = boto3.resource("dynamodb", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="TESTKEY", aws_secret_access_key="TESTSECRET", verify=sys.argv[2])
t = d.Table("tab")
t.put_item(Item={"pk": "sdk", "v": "x" * 100000})
print(len(t.get_item(Key={"pk": "sdk"})["Item"]["v"]))
P
	is("$out$said", "100000\n", 'an SDK');
}

$node->stop;
done_testing();
