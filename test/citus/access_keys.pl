# access_keys.pl: an access key of the coordinator is valid on every node, whose
# clients cannot find out more than that a key is unknown; secrets stay where they are.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex);
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use HttpClient;
use POSIX qw(strftime);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my @ports = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 2;
my ($for_coordinator, $for_worker) = map { endpoint_settings($_, undef, q{log_statement = 'all'}) } @ports;
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $for_coordinator, worker1 => $for_worker);
my ($at_coordinator, $at_worker) = map { connect_http($_) } @ports;

$coordinator->safe_psql('postgres', q{CREATE ROLE before_web LOGIN; CREATE ROLE web LOGIN;
SELECT dynamo.create_table('kvs', partition_key => 'PK'); GRANT SELECT ON kvs TO web; SELECT dynamo.distribute_table('kvs', shards => 4);
SELECT dynamo.put_item('kvs', '{"PK": {"S": "a"}}')});

# What a node answers to a client with an access key: the status, and the type of the error.
sub answer_with
{
	my ($socket, $id, $secret) = @_;
	my ($status, $output) = api($socket, 'GetItem', { TableName => 'kvs', Key => { PK => { S => 'a' } } }, key => $id, secret => $secret);

	return $output->{__type} ? "$status " . $output->{__type} =~ s/.*#//r : $output->{Item} ? "$status with the item" : $status;
}

sub wait_for
{
	my ($expected, $name, @arguments) = @_;
	my $answer = '';

	for (1 .. 1800)
	{
		$answer = answer_with(@arguments);
		last if $answer eq $expected;
		sleep 0.1;
	}
	is($answer, $expected, $name);
}

# ---- a key of the coordinator ----

my ($id, $secret) = split /\|/, $coordinator->safe_psql('postgres', q{SELECT * FROM dynamo.create_access_key('web')});

is(answer_with($at_coordinator, $id, $secret), '200 with the item', 'the coordinator accepts a key');
is(answer_with($at_worker, $id, $secret), '200 with the item', 'and so does a worker');
is(answer_with($at_worker, $id, 'wrong'), '400 InvalidSignatureException', 'which checks the secret');
is($worker->safe_psql('postgres', 'SELECT count(*) FROM dynamo_internal.access_key_secrets'), 0, 'and stores nothing');
$worker->safe_psql('postgres', q{SELECT dynamo.create_access_key('before_web', 'own', 'owned')});
is(answer_with($at_worker, 'own', 'owned'), '400 AccessDeniedException', 'a key of the worker is valid there, too');
is(answer_with($at_coordinator, 'own', 'owned'), '400 UnrecognizedClientException', 'but not on the coordinator');

$coordinator->safe_psql('postgres', 'ALTER ROLE web NOLOGIN');
wait_for('400 UnrecognizedClientException', 'a role that may no longer log in', $at_worker, $id, $secret);
$coordinator->safe_psql('postgres', 'ALTER ROLE web LOGIN');
wait_for('200 with the item', 'and may again', $at_worker, $id, $secret);

my $new = $coordinator->safe_psql('postgres', "SELECT dynamo.rotate_access_key('$id')");

wait_for('200 with the item', 'a new secret', $at_worker, $id, $new);
is(answer_with($at_worker, $id, $secret), '200 with the item', 'and the previous one');
$coordinator->safe_psql('postgres', "SELECT dynamo.drop_previous_secret('$id')");
wait_for('400 InvalidSignatureException', 'which is dropped', $at_worker, $id, $secret);
$secret = $new;

# ---- guessing ----

my $start = -s $coordinator->logfile;
my %guesses;

for (1 .. 500)
{
	$guesses{answer_with($at_worker, "guess$_", 'x')}++;
	last if $_ > 60 && $guesses{'400 ProvisionedThroughputExceededException'};
}
is(join(', ', sort keys %guesses), '400 ProvisionedThroughputExceededException, 400 UnrecognizedClientException', 'guesses are refused');
my $asked = () = slurp_file($coordinator->logfile, $start) =~ /signing_key\('guess/g;
is($asked, $guesses{'400 UnrecognizedClientException'}, 'without a question for each');
is(answer_with($at_worker, $id, $secret), '200 with the item', 'a known key still works');
wait_for('400 UnrecognizedClientException', 'a new guess, later', $at_worker, 'again', 'x');
$start = -s $coordinator->logfile;
is(answer_with($at_worker, 'again', 'x'), '400 UnrecognizedClientException', 'the same again') for 1 .. 3;
unlike(slurp_file($coordinator->logfile, $start), qr/signing_key/, 'is known to be unknown');
is(answer_with($at_worker, $_, 'x'), '400 UnrecognizedClientException', 'an id that no key can have') for "it's", 'x' x 200;

# ---- who may ask ----

for my $node ($coordinator, $worker)
{
	my ($status, $out, $error) = $node->psql('postgres', q{SET ROLE web; SELECT dynamo_internal.signing_key('a', '20261122', 'us-east-1')});

	like($error, qr/permission denied for schema dynamo_internal/, $node->name . ': no role may ask');
}
$coordinator->safe_psql('postgres', 'GRANT USAGE ON SCHEMA dynamo_internal TO web');
my ($status, $out, $error) = $coordinator->psql('postgres', q{SET ROLE web; SELECT dynamo_internal.signing_key('a', '20261122', 'us-east-1')});
like($error, qr/only other nodes of Citus may ask for signing keys/, 'nor with privileges on the schema');

# ---- without the coordinator, and after the drop ----

$coordinator->stop('fast');
sleep 11;
is(answer_with($at_worker, 'new', 'x'), '400 ProvisionedThroughputExceededException', 'without the coordinator, an unknown key is for later');
is(answer_with($at_worker, $id, $secret), '200 with the item', 'a key that was verified goes on');
$coordinator->start;
$coordinator->safe_psql('postgres', "SELECT dynamo.drop_access_key('$id')");
wait_for('400 UnrecognizedClientException', 'a worker learns of the drop', $at_worker, $id, $secret);

# ---- what is written down ----

my $day = strftime('%Y%m%d', gmtime);
my $key = hmac_sha256('aws4_request', hmac_sha256('dynamodb', hmac_sha256('us-east-1', hmac_sha256($day, "AWS4$secret"))));
for my $node ($coordinator, $worker)
{
	my $log = slurp_file($node->logfile);

	is(index($log, $_), -1, $node->name . ': neither the secret nor what is derived from it is in the log') for $secret, unpack('H*', $key);
}

stop_citus_cluster($coordinator, $worker, $other);
done_testing();
