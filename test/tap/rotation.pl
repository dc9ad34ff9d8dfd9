# rotation.pl: two secrets of one access key over HTTP: the new one and the previous one
# are accepted until the previous is dropped, replaced or too old, encrypted or not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $keys = PostgreSQL::Test::Utils::tempdir() . '/keys';
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('rotation', $port, 2, '', allows_streaming => 1);

sub value
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

# A connection, also to a server that has just started.
sub connected
{
	my $socket;

	wait_until(sub { $socket = connect_http($port) }) or die "cannot connect\n";
	return $socket;
}

# The results of a request with each of these secrets, on connections of both workers.
sub outcomes
{
	my (@secrets) = @_;
	my @sockets = map { connected() } 1 .. 2;
	my @outcomes;

	for my $secret (@secrets)
	{
		my %seen;

		for my $socket (@sockets)
		{
			my ($status, $body) = api($socket, 'ListTables', {}, key => 'KEY', secret => $secret);

			$seen{ $status . ($status == 200 ? '' : ' ' . ($body->{__type} =~ s/.*#//r)) } = 1;
		}
		push @outcomes, join ' and ', sort keys %seen;
	}
	return join ', ', @outcomes;
}

my ($works, $wrong) = ('200', '400 InvalidSignatureException');

sub rotate
{
	my ($secret, $keep) = @_;

	return value("SELECT dynamo.rotate_access_key('KEY', '$secret'" . (defined $keep ? ", $keep" : '') . ')');
}

# What the view tells about the previous secret: until when, and whether it was used.
sub previous
{
	return value(q{SELECT CASE WHEN previous_until = 'infinity' THEN 'always' WHEN previous_until IS NULL THEN 'none' ELSE 'some time' END,
		previous_used_at > rotated_at FROM dynamo.access_keys});
}

value(q{CREATE ROLE app LOGIN; SELECT dynamo.create_access_key('app', 'KEY', 'first')});

for my $form ('plain', 'encrypted')
{
	is(outcomes('first', 'second'), "$works, $wrong", "$form: the first secret");
	is(rotate('second'), 'second', "$form: the function returns the new one");
	is(previous(), 'some time|', "$form: the previous one was not used yet");
	is(outcomes('second'), $works, "$form: the new one works at once");
	is(previous(), 'some time|', "$form: which is no use of the previous one");
	is(outcomes('first', 'second', 'third'), "$works, $works, $wrong", "$form: and so does the previous one");
	is(previous(), 'some time|t', "$form: which the view tells");
	is(value(q{SELECT dynamo.drop_previous_secret('KEY')}), 't', "$form: the previous one is dropped");
	is(outcomes('first', 'second'), "$wrong, $works", "$form: and refused at once");
	is(previous(), 'none|t', "$form: the view has none");

	rotate('third', 'NULL');
	is(previous(), 'always|', "$form: without a limit");
	is(outcomes('second', 'third'), "$works, $works", "$form: both work");
	rotate('fourth', q{'0'});
	is(outcomes('second', 'third', 'fourth'), "$wrong, $wrong, $works", "$form: one for all others");

	rotate('fifth', q{'1 second'});
	is(outcomes('fifth'), $works, "$form: the worker has read the key");
	sleep(1.5);
	is(outcomes('fourth', 'fifth'), "$wrong, $works", "$form: an old secret is refused after its time");
	is(previous(), 'none|', "$form: and not in the view");
	rotate('first');
	is(outcomes('fourth', 'fifth', 'first'), "$wrong, $works, $works", "$form: it does not hinder another rotation");
	rotate('first', q{'0'});
	next if $form eq 'encrypted';

	# from here on with a key
	append_to_file($keys, 'a1' x 32 . "\n");
	rotate('plain-new');
	value("ALTER SYSTEM SET dynamo.http_secret_key_command = 'cat $keys'");
	reload_workers($node);
	sleep(1.1);
	is(value('SELECT dynamo.encrypt_access_keys()'), '1', 'both secrets are encrypted');
	is(outcomes('first', 'plain-new'), "$works, $works", 'and work');
	rotate('first', q{'0'});
}

# ---- another key for secrets ----

rotate('SECRET-NEW');
value('CHECKPOINT');
is(`grep -rlF SECRET-NEW '${\$node->data_dir}'`, '', 'no file contains the new secret');
unlink $keys;
append_to_file($keys, 'b2' x 32 . "\n" . 'a1' x 32 . "\n");
is(value('SELECT dynamo.encrypt_access_keys()'), '1', 'both are encrypted with another key');
unlink $keys;
append_to_file($keys, 'b2' x 32 . "\n");
$node->restart;
is(outcomes('first', 'SECRET-NEW'), "$works, $works", 'and work without the key before');
is(previous(), 'some time|t', 'the server notes uses from its start');

# ---- a standby ----

my $standby_port = PostgreSQL::Test::Cluster::get_free_port();
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('rotation_standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->append_conf('postgresql.conf', "dynamo.http_port = $standby_port");
$standby->start;
my $primary_port = $port;
$port = $standby_port;
is(outcomes('first', 'SECRET-NEW'), "$works, $works", 'both work on a standby');
is($standby->safe_psql('postgres', 'SELECT previous_used_at IS NOT NULL FROM dynamo.access_keys'), 't', 'which notes uses of its own');
value(q{SELECT dynamo.drop_previous_secret('KEY')});
$node->wait_for_catchup($standby);
is(outcomes('first', 'SECRET-NEW'), "$wrong, $works", 'a secret that is dropped is refused there');
$port = $primary_port;
$standby->stop;

# ---- requests ----

value(q{CREATE SCHEMA app AUTHORIZATION app; SET ROLE app; SET search_path = app; SELECT dynamo.create_table('tab', 'pk');
CREATE FUNCTION app.steal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM dynamo.rotate_access_key('KEY', 'stolen'); RETURN NULL; END $$;
CREATE TRIGGER steal AFTER INSERT ON app.tab FOR EACH ROW EXECUTE FUNCTION app.steal()});
value('ALTER ROLE app SET search_path = app');
$node->reload;
my ($code, $answer) = api(connected(), 'PutItem', { TableName => 'tab', Item => { pk => { S => 'a' } } }, key => 'KEY', secret => 'SECRET-NEW');
is($code, 400, 'code in a request rotates no key');
like($answer->{message} // $answer->{Message}, qr/cannot change access keys within an HTTP request/, 'it is told why');

$node->stop;
done_testing();
