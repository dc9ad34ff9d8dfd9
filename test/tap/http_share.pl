# http_share.pl: what one role's long requests leave to others: workers of the endpoint,
# an end that the role cannot put off, and checks of the endpoint's health.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IO::Select;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('share', $port, 2, q{
dynamo.database = 'postgres'
dynamo.http_statement_timeout = '1h'
restart_after_crash = off
});

# However slow the machine is: whatever is to happen is awaited so long, and no request ends by
# itself meanwhile.
my $limit = $PostgreSQL::Test::Utils::timeout_default;

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
			BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END;
		END LOOP;
	ELSIF NEW.pk LIKE 'slow%' THEN
		PERFORM pg_sleep(3600);
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
	my $answer = read_answer($socket, $timeout // $limit);

	return undef if !$answer;
	return $answer->{status} . ($answer->{body} =~ /#(\w+)/ ? " $1" : '');
}

sub health
{
	my ($path) = @_;
	my $socket = connect_http($port);

	send_raw($socket, "GET $path HTTP/1.1\r\nHost: localhost\r\n\r\n");
	return read_answer($socket, $limit);
}

sub set_timeout
{
	$node->safe_psql('postgres', "ALTER SYSTEM SET dynamo.http_statement_timeout = '$_[0]'");
	reload_workers($node);
}

sub sleepers { return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND wait_event = 'PgSleep'}) }

# The processes of the workers that are held.
sub sleeping { return $node->safe_psql('postgres', q{SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND wait_event = 'PgSleep'}) }

sub wake_sleepers
{
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http' AND wait_event = 'PgSleep'});
}

# Sends a put that sleeps, and waits until so many workers are held. What comes to a worker in the
# moment before stays there: while another worker is free, one request after the other is answered
# when that moment has passed.
sub hold_worker
{
	my ($role, $pk, $n) = @_;
	my $socket = put($role, $pk);
	my $served = 0;

	wait_until(sub { sleepers() >= $n });
	sleep(1);
	wait_until(sub { $served = defined status(put('app', 'probe'), 5) ? $served + 1 : 0; $served == 5 }) if $n < 2;
	return $socket;
}

# ---- one role ----

my @slow = (hold_worker('hog', 'slow1', 1), map { put('hog', "slow$_") } 2 .. 4);
is(status(put('app', "a$_")), '200', "another role is served ($_)") for 1 .. 12;
is((health('/') || {})->{status}, 200, "the endpoint is healthy ($_)") for 1 .. 6;
is(status(put('hog', 'quick')), '200', 'a short request of the same role is served');
# one that a worker had taken in when it was held may wait there
my @refused;
wait_until(sub { push @refused, grep { defined } map { status($_, 0.1) } @slow; @refused > 0 });
cmp_ok(scalar @refused, '>=', 1, 'long requests beyond its share are refused after some time');
is((grep { $_ !~ /^400 / } @refused), 0, 'so that clients try again');
is(sleepers(), '1', 'its share is one of two workers');
my @answered = @refused;
wait_until(sub { wake_sleepers(); push @answered, grep { defined } map { status($_, 0.1) } @slow; @answered == @slow });
is(scalar @answered, 4, 'the others are executed');
my @short = map { put('hog', "short$_") } 1 .. 5;
is(join(' ', map { status($_) } @short), '200 200 200 200 200', 'requests beyond the share are executed one after the other');

# ---- the first and the second long request of a role, whichever of the workers is held ----

sub check_second
{
	my ($first, $role, $held) = @_;
	my $second = put($role, 'slow second');
	my ($answered) = IO::Select->new($first, $second)->can_read($limit);

	is($answered && fileno $answered, fileno $second, "the second request is answered first ($role)");
	like(status($answered // $second, 1) // '', qr/^400 /, "it is refused ($role)");
	is(sleeping(), $held, "the first one goes on ($role)");
}

my $first = hold_worker('hog', 'slow', 1);
my $held = sleeping();
check_second($first, 'hog', $held);
my $other = hold_worker('pig', 'slow', 2);
$node->safe_psql('postgres', "SELECT pg_cancel_backend($held)");
like(status($first) // '', qr/^500 /, 'the first worker is free');
isnt(sleeping(), $held, 'the second one is held');
check_second($other, 'pig', sleeping());
wake_sleepers();
like(status($other) // '', qr/^500 /, 'the second worker is free, too');

# ---- roles that hold all workers together ----

my @held = (hold_worker('hog', 'slow', 1), hold_worker('pig', 'slow', 2));
for my $path ('/', '/health/live')
{
	my $answer = health($path);

	is($answer && "$answer->{status} $answer->{body}", "200 ok\n", "$path is answered while all workers are held");
}
my $waits = put('app', 'late');
is(sleepers(), '2', 'before these end');
wake_sleepers();
like(status($_) // '', qr/^500 /, 'a request that is canceled ends') for @held;
is(status($waits), '200', 'and who waited is served');

# ---- a limit ----

set_timeout('2s');
like(status(put('hog', 'slow')) // '', qr/^500 /, 'a request ends at the limit that its role cannot change');
like(slurp_file($node->logfile), qr/canceling request due to "dynamo\.http_statement_timeout"/, 'which the log says');

# ---- code that catches its cancellation ----

# long enough for the request to reach the code; otherwise longer
my $answer;
for my $seconds (5, 20, 80)
{
	set_timeout("${seconds}s");
	$answer = status(put('hog', 'stubborn'));
	last if !defined $answer;
}
is($answer, undef, 'a request that goes on ends with its worker');
set_timeout('1h');
is(status(put('app', "b$_")), '200', "the endpoint goes on ($_)") for 1 .. 4;
$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dynamo http'});
is(status(put('app', "c$_")), '200', "also when the worker is there again ($_)") for 1 .. 4;

$node->stop;
done_testing();
