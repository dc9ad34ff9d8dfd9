# http_share.pl: what one role's long requests leave to others: workers of the endpoint,
# an end that the role cannot put off, and checks of the endpoint's health.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('share', $port, 2, q{
dynamo.database = 'postgres'
dynamo.http_statement_timeout = '60s'
restart_after_crash = off
});

# Roles whose inserts sleep, whatever limits their settings may say.
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; CREATE SCHEMA app AUTHORIZATION app; ALTER ROLE app SET search_path = app, dynamo;
SELECT dynamo.create_access_key('app', 'APPKEY', 'secretsecretsecretsecret')});
$node->safe_psql('postgres', q{SELECT create_table('tab', 'pk')}, extra_params => [ '-U', 'app' ]);
for my $hog ('hog', 'pig')
{
	$node->safe_psql('postgres', qq{CREATE ROLE $hog LOGIN; CREATE SCHEMA $hog AUTHORIZATION $hog;
ALTER ROLE $hog SET search_path = $hog, dynamo; ALTER ROLE $hog SET statement_timeout = 0;
SELECT dynamo.create_access_key('$hog', upper('${hog}key'), 'secretsecretsecretsecret')});
	$node->safe_psql('postgres', q{SELECT create_table('tab', 'pk');
CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM set_config('statement_timeout', '0', false);
	IF NEW.pk LIKE 'stubborn%' THEN
		LOOP
			BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END;
		END LOOP;
	ELSIF NEW.pk LIKE 'slow%' THEN
		PERFORM pg_sleep(60);
	ELSIF NEW.pk LIKE 'short%' THEN
		PERFORM pg_sleep(0.3);
	END IF;
	RETURN NEW; END $$;
CREATE TRIGGER pause AFTER INSERT ON tab FOR EACH ROW EXECUTE FUNCTION pause()}, extra_params => [ '-U', $hog ]);
}
wait_until(sub { connect_http($port) });

# Sends a put of a role, without waiting for its answer; returns the socket.
sub put
{
	my ($role, $pk) = @_;
	my $socket = connect_http($port);

	send_raw($socket, signed_request('PutItem', qq({"TableName": "tab", "Item": {"pk": {"S": "$pk"}}}),
		key => uc "${role}key", secret => 'secretsecretsecretsecret'));
	return $socket;
}

# The status of the answer, and of an error its type; undef if there is none in time.
sub status
{
	my ($socket, $timeout) = @_;
	my $answer = read_answer($socket, $timeout);

	return undef if !$answer;
	return $answer->{status} . ($answer->{body} =~ /#(\w+)/ ? " $1" : '');
}

sub health
{
	my ($path) = @_;
	my $socket = connect_http($port);

	send_raw($socket, "GET $path HTTP/1.1\r\nHost: localhost\r\n\r\n");
	return read_answer($socket, 20);
}

sub set_timeout
{
	$node->safe_psql('postgres', "ALTER SYSTEM SET dynamo.http_statement_timeout = '$_[0]'");
	reload_workers($node);
}

# Waits until so many workers execute a request that sleeps, and know that it is long.
sub wait_for_sleepers
{
	my ($n) = @_;

	$node->poll_query_until('postgres', "SELECT count(*) >= $n FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND wait_event = 'PgSleep'");
	sleep(1);
}

# Sends a put that sleeps, and waits until its worker is held: what comes to a worker in the
# moment before stays there.
sub hold_worker
{
	my ($role, $pk, $n) = @_;
	my $socket = put($role, $pk);

	wait_for_sleepers($n);
	return $socket;
}

# ---- one role ----

my @slow = (hold_worker('hog', 'slow1', 1), map { put('hog', "slow$_") } 2 .. 4);
is(status(put('app', "a$_"), 20), '200', "another role is served ($_)") for 1 .. 12;
is((health('/') || {})->{status}, 200, "the endpoint is healthy ($_)") for 1 .. 6;
is(status(put('hog', 'quick'), 20), '200', 'a short request of the same role is served');
# one that a worker had taken in when it was held may wait there
my @refused = grep { defined } map { status($_, 8) } @slow;
cmp_ok(scalar @refused, '>=', 1, 'long requests beyond its share are refused after some time');
is((grep { $_ !~ /^400 / } @refused), 0, 'so that clients try again');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND wait_event = 'PgSleep'}), '1',
	'its share is one of two workers');
my @answered = @refused;
for (1 .. 100)
{
	last if @answered == @slow;
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND wait_event = 'PgSleep'});
	push @answered, grep { defined } map { status($_, 0.1) } @slow;
}
is(scalar @answered, 4, 'the others are executed');
my @short = map { put('hog', "short$_") } 1 .. 5;
is(join(' ', map { status($_, 20) } @short), '200 200 200 200 200', 'requests beyond the share are executed one after the other');

# ---- roles that hold all workers together ----

set_timeout('15s');
my @held = (hold_worker('hog', 'slow', 1), hold_worker('pig', 'slow', 2));
my $from = time;
for my $path ('/', '/health/live')
{
	my $answer = health($path);

	is($answer && "$answer->{status} $answer->{body}", "200 ok\n", "$path is answered while all workers are held");
}
my $waits = put('app', 'late');
cmp_ok(time - $from, '<', 12, 'before these end');
like(status($_, 60) // '', qr/^500 /, 'a request ends at the limit that its role cannot change') for @held;
is(status($waits, 60), '200', 'and who waited is served');
like(slurp_file($node->logfile), qr/canceling request due to "dynamo\.http_statement_timeout"/, 'which the log says');

# ---- code that catches its cancellation ----

# long enough for the request to reach the code
set_timeout('5s');
my $stubborn = put('hog', 'stubborn');
is(status($stubborn, 40), undef, 'a request that goes on ends with its worker');
is(status(put('app', "b$_"), 20), '200', "the endpoint goes on ($_)") for 1 .. 4;
$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
is(status(put('app', "c$_"), 20), '200', "also when the worker is there again ($_)") for 1 .. 4;

$node->stop;
done_testing();
