# move.pl: dynamo-move between two servers, with writers beside, kills of every party,
# throttling and lost answers.  The program is built with sanitizers.  MOVE_ITEMS (2,000) is the
# number of items.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IO::Select;
use IO::Socket::INET;
use IPC::Run;
use JSON::PP;
use POSIX ':sys_wait_h';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $items = $ENV{MOVE_ITEMS} || 2000;
my $seed = $ENV{SEED} || int(rand(1e9));
srand($seed);
note "SEED=$seed";

my $top = "$FindBin::RealBin/../..";
my $program = PostgreSQL::Test::Utils::tempdir() . '/dynamo-move';

for my $header (qw(curl/curl.h jansson.h openssl/evp.h zlib.h))
{
	plan skip_all => "there is no $header" if system("echo '#include <$header>' | gcc -E - >/dev/null 2>&1") != 0;
}
my $sanitize = $ENV{MOVE_PLAIN} ? '' : '-fsanitize=address,undefined -fno-sanitize-recover=all';
my $built = `make -s -C '$top' move MOVE_PROGRAM='$program' MOVE_CFLAGS='-O1 -g $sanitize' COPT=-Werror 2>&1`;
is($?, 0, 'the program is built') or BAIL_OUT($built);

# ---- two servers ----

my ($source_port, $target_port) = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 2;
my $settings = "synchronous_commit = on\nautovacuum = off\n";
my $source = new_http_node('source', $source_port, 4, $settings);
my $target = new_http_node('target', $target_port, 4, $settings);

for my $node ($source, $target)
{
	$node->safe_psql('postgres', q{
		CREATE ROLE mover LOGIN;
		CREATE SCHEMA mover AUTHORIZATION mover;
		GRANT CREATE ON DATABASE postgres TO mover;
		SELECT dynamo.create_access_key('mover', 'MOVERKEY', 'moversecret/+=')});
}
delete @ENV{ grep { /^(AWS_|PG)/ } keys %ENV };
my $home = PostgreSQL::Test::Utils::tempdir();
our %aws = (HOME => $home, AWS_ACCESS_KEY_ID => 'MOVERKEY', AWS_SECRET_ACCESS_KEY => 'moversecret/+=', AWS_REGION => 'us-east-1',
	ASAN_OPTIONS => 'detect_leaks=1', UBSAN_OPTIONS => 'print_stacktrace=1');
my $conninfo = $target->connstr('postgres') . ' user=mover';
my @from = ('--endpoint-url', "http://127.0.0.1:$source_port");
my @into = ('--target', $conninfo);

# Starts the program.
sub start_move
{
	my ($out, $err, @args) = @_;
	local %ENV = (%ENV, %aws);

	return IPC::Run::start([ $program, @args ], '<', \undef, '>', $out, '2>', $err);
}

# Runs it; returns status and output.
sub move
{
	my (@args) = @_;
	my ($out, $err) = ('', '');
	my $h = start_move(\$out, \$err, @args);

	$h->finish;
	note "@args[0 .. 2]: $err" if $err ne '';
	return ($h->full_results ? ($h->full_results)[0] >> 8 : 0, $out, $err);
}

sub move_ok
{
	my ($name, @args) = @_;
	my ($status, $out, $err) = move(@args);

	is($status, 0, $name) or diag("$out\n$err");
	return ($out, $err);
}

# All items of a table, as one digest, and their number.
sub table_digest
{
	my ($node, $table) = @_;

	return $node->safe_psql('postgres', qq{SELECT count(*) || ' ' || coalesce(md5(string_agg(item::text, E'\\n' ORDER BY item::text COLLATE "C")), '')
		FROM mover."$table"});
}

sub same_items
{
	my ($name, $table, $other) = @_;
	my ($ours, $theirs) = (table_digest($source, $table), table_digest($target, $other // $table));

	return is($theirs, $ours, $name);
}

sub mover_sql { my ($node, $sql) = @_; return $node->safe_psql('postgres', "SET ROLE mover; SET search_path = mover, dynamo; $sql") }

# A table with items of all types.
sub fill
{
	my ($table, $count, $stream) = @_;

	mover_sql($source, qq{
		SELECT create_table('$table', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N',
			indexes => '[{"index_name": "by_v", "partition_key": "v", "partition_key_type": "N"}]');
		INSERT INTO "$table" (item) SELECT jsonb_build_object('PK', jsonb_build_object('S', 'p#' || n % 97), 'SK', jsonb_build_object('N', n::text),
			'v', jsonb_build_object('N', (n % 50)::text), 'text', jsonb_build_object('S', E'a"b\\\\\\\\c\\n\\t\\u00e9,\\x02' || repeat('x', n % 300)),
			'tags', jsonb_build_object('SS', jsonb_build_array('b' || n, 'a,b')), 'numbers', '{"NS": ["1e5", "-0.50", "3"]}'::jsonb,
			'raw', '{"B": "AAEC/w=="}'::jsonb, 'deep', '{"M": {"a.b": {"L": [{"NULL": true}, {"BOOL": false}, {"BS": ["AQ==", "Ag=="]}]}}}'::jsonb)::text::item
			FROM generate_series(1, $count) n;
		INSERT INTO "$table" (item) VALUES ('{"PK": {"S": "nul"}, "SK": {"N": "-1.5e-7"}, "z": {"S": "a\\\\u0000b\\\\u2028"}}');
	} . ($stream ? "SELECT enable_stream('$table');" : ''));
}

# Writers in the database: puts, updates and deletes, new items and old ones.
sub start_writer
{
	my ($node, $table, $count) = @_;

	return IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', 'SET ROLE mover', '-c', 'SET search_path = mover, dynamo', '-c', qq{
		DO \$\$
		BEGIN
			WHILE to_regclass('mover.stop') IS NULL LOOP
				FOR i IN 1 .. 10 LOOP
					DECLARE
						n int := floor(random() * $count * 1.2) + 1;
						key item := jsonb_build_object('PK', jsonb_build_object('S', 'p#' || n % 97), 'SK', jsonb_build_object('N', n::text))::text::item;
					BEGIN
						IF random() < 0.25 THEN
							PERFORM delete_item('$table', key);
						ELSE
							PERFORM update_item('$table', key, 'SET x = :x, v = :v', expression_attribute_values =>
								jsonb_build_object(':x', random()::text, ':v', floor(random() * 50))) ;
						END IF;
					END;
				END LOOP;
				COMMIT;
				PERFORM pg_sleep(0.003);
			END LOOP;
		END \$\$} ], '<', \undef, '>', \my $out, '2>', \my $err);
}

sub stop_writers
{
	my ($node, @writers) = @_;

	mover_sql($node, 'CREATE TABLE mover.stop ()');
	$_->finish for @writers;
	mover_sql($node, 'DROP TABLE mover.stop');
}

# ---- a move into PostgreSQL, with kills of every party ----

fill('Shop', $items, 1);
mover_sql($source, q{ANALYZE "Shop"});
my @shop = ('--table', 'Shop', @from, @into, '--patience', '120');
my @writers = map { start_writer($source, 'Shop', $items) } 1 .. 2;

my ($status, $out, $err) = move('copy', @shop);
like("$status $err", qr/^2 .*the target has no table "Shop"/s, 'a missing table is reported');

my ($copy_out, $copy_err, $follow_out, $follow_err) = ('') x 4;
my $rate = $items / 100;
my ($copies, $follows) = (0, 0);
my $copy = start_move(\$copy_out, \$copy_err, 'copy', @shop, '--create', '--rate', $rate);
wait_until(sub { $target->safe_psql('postgres', q{SELECT to_regclass('dynamo_move.state') IS NOT NULL}) eq 't' &&
	$target->safe_psql('postgres', q{SELECT count(*) FROM dynamo_move.state WHERE name = 'move'}) == 1 });
my $follow = start_move(\$follow_out, \$follow_err, 'follow', @shop);
my $kills = 0;
for my $round (1 .. 40)
{
	sleep(0.2 + rand(0.4));
	$copy->kill_kill(grace => 0), $copy->finish if $copy->pumpable && $round % 2;
	if ($kills++ == 3) { $target->stop('immediate'); $target->start }
	if ($kills == 6) { $source->stop('immediate'); $source->start; push @writers, start_writer($source, 'Shop', $items) }
	$follow->kill_kill(grace => 0), $follow->finish, $follow = start_move(\$follow_out, \$follow_err, 'follow', @shop) if $round % 3 == 0;
	last if $target->safe_psql('postgres', q{SELECT value LIKE '%"phase":"copied"%' FROM dynamo_move.state WHERE move = 'Shop' AND name = 'move'}) eq 't';
	$copy = start_move(\$copy_out, \$copy_err, 'copy', @shop, '--rate', $rate), $copies++ if $round % 2;
}
$copy->finish;
note "$copies further starts of copy: $copy_err";
move_ok('the copy is complete', 'copy', @shop);
cmp_ok($copies, q{>}, 0, 'the copy was interrupted');
stop_writers($source, @writers);
$follow->kill_kill(grace => 0);
$follow->finish;
unlike("$copy_err$follow_err", qr/Sanitizer|runtime error/, 'no error of memory');
move_ok('the rest of the changes', 'follow', @shop, '--until-quiet', 1.5);
same_items('source and target are equal', 'Shop');
($out) = move_ok('the comparison agrees', 'compare', @shop);
like($out, qr/, 0 differences; \d+ read units/, 'and says so');
is($target->safe_psql('postgres', q{SELECT count(*) FROM dynamo_move.touched}), '0', 'notes of keys are removed');

# Nothing is done twice: the target's changes since are those of the source.
mover_sql($target, q{SELECT enable_stream('Shop')});
my $before = mover_sql($source, q{SELECT coalesce(max(sequence_number), 0) FROM read_stream('Shop', max_records => 1000000)});
@writers = map { start_writer($source, 'Shop', $items) } 1 .. 2;
$follow = start_move(\$follow_out, \$follow_err, 'follow', @shop);
for my $round (1 .. 4)
{
	sleep(0.3 + rand(0.3));
	$follow->kill_kill(grace => 0);
	$follow->finish;
	if ($round == 2) { $target->stop('immediate'); $target->start }
	$follow = start_move(\$follow_out, \$follow_err, 'follow', @shop);
}
stop_writers($source, @writers);
$follow->kill_kill(grace => 0);
$follow->finish;
move_ok('following goes on after kills', 'follow', @shop, '--until-quiet', 1.5);
same_items('equal again', 'Shop');
my $changes = q{SELECT md5(string_agg(event_name || keys::text || coalesce(new_image::text, ''), ',' ORDER BY keys::text COLLATE "C", sequence_number))};
is(mover_sql($target, "$changes FROM read_stream('Shop', max_records => 1000000)"),
	mover_sql($source, "$changes FROM read_stream('Shop', after => $before, max_records => 1000000)"), 'every change was made once, in its order');

# ---- compare and repair ----

my $key = q{'{"PK": {"S": "nul"}, "SK": {"N": "-0.00000015"}}'};
mover_sql($target, qq{SELECT update_item('Shop', $key, 'SET z = :z', expression_attribute_values => '{":z": {"S": "no"}}');
	DELETE FROM "Shop" WHERE ctid = (SELECT ctid FROM "Shop" WHERE "PK" <> 'nul' LIMIT 1);
	SELECT put_item('Shop', '{"PK": {"S": "new"}, "SK": {"N": "1"}}')});
($status, $out) = move('compare', @shop, '--settle', 0);
is($status, 1, 'differences set the exit status');
like($out, qr/^differs in z: \{"PK":\{"S":"nul"\},"SK":\{"N":"-[^"]+"\}\}$/m, 'an item that differs');
like($out, qr/^only in the source: /m, 'one that is missing');
like($out, qr/^only in the target: \{"PK":\{"S":"new"\}/m, 'one too many');
like($out, qr/, 3 differences; /, 'their number');
($out) = move_ok('repair', 'compare', @shop, '--repair', '--settle', 0);
like($out, qr/, 3 writes to repair them, 0 remain;/, 'what it did');
same_items('repaired', 'Shop');

# ---- switch, reverse, and back ----

($status, $out, $err) = move('reverse', @shop);
like("$status $err", qr/^2 .*is not switched/s, 'no way back before the switch');
mover_sql($source, q{SELECT request('UpdateTimeToLive', '{"TableName": "Shop", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "expires"}}')});
move_ok('switch', 'switch', @shop, '--until-quiet', 1.5);
is(mover_sql($target, q{SELECT request('DescribeTimeToLive', '{"TableName": "Shop"}') #>> '{TimeToLiveDescription,AttributeName}'}), 'expires', 'time to live moves');
for (['follow', 'has been switched'], ['switch', 'switched already'], ['compare', 'would bring back old items', '--repair'])
{
	my ($command, $message, @more) = @$_;

	($status, $out, $err) = move($command, @shop, @more);
	like("$status $err", qr/^2 .*$message/s, "$command after the switch");
}
@writers = start_writer($target, 'Shop', $items);
my ($reverse_out, $reverse_err) = ('', '');
my $reverse = start_move(\$reverse_out, \$reverse_err, 'reverse', @shop);
for my $round (1 .. 4)
{
	sleep(1.2 + rand(1.5));
	$reverse->kill_kill(grace => 0);
	$reverse->finish;
	if ($round == 2) { $source->stop('immediate'); $source->start }
	$reverse = start_move(\$reverse_out, \$reverse_err, 'reverse', @shop);
}
stop_writers($target, @writers);
$reverse->kill_kill(grace => 0);
$reverse->finish;
unlike($reverse_err, qr/Sanitizer|runtime error/, 'no error of memory on the way back');
move_ok('all changes go back', 'reverse', @shop, '--until-quiet', 1.5);
same_items('the source is up to date', 'Shop');
move_ok('switch back', 'switch', @shop, '--back', '--until-quiet', 1.5);
mover_sql($source, q{SELECT put_item('Shop', '{"PK": {"S": "late"}, "SK": {"N": "7"}}')});
move_ok('following again', 'follow', @shop, '--until-quiet', 1.5);
same_items('the target is up to date again', 'Shop');
move_ok('another switch', 'switch', @shop, '--until-quiet', 1.5);
mover_sql($source, q{SELECT put_item('Shop', '{"PK": {"S": "late"}, "SK": {"N": "8"}}')});
($status, $out, $err) = move('reverse', @shop);
like("$status $err", qr/^2 .*the source was written after the switch: record \d+ .*"late".*"8"/s, 'a late write to the source is not lost');

# ---- a target with the API, an endpoint that fails, credentials of a container ----

fill('Api', 300, 1);
my $fake_port = PostgreSQL::Test::Cluster::get_free_port();
my $log = PostgreSQL::Test::Utils::tempdir() . '/requests';

# An endpoint before the source that throttles, drops answers, and lets iterators expire;
# it also gives credentials as a container does.
sub fake_endpoint
{
	my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $fake_port, Listen => 64, ReuseAddr => 1) or die $!;
	my $n = 0;

	$SIG{CHLD} = "IGNORE";

	while (my $client = $listen->accept)
	{
		my $buffer = '';

		next if fork;
		$client->autoflush(1);
		while (sysread($client, my $bytes, 65536))
		{
			$buffer .= $bytes;
			next if $buffer !~ /\A(.*?)\r\n\r\n(.*)\z/s;
			my ($head, $body) = ($1, $2);
			my ($length) = $head =~ /^content-length: *(\d+)/mi;

			next if length $body < ($length // 0);
			$buffer = '';
			open(my $out, '>>', $log);
			print $out "$head\n\n";
			close $out;
			my ($answer, $code) = ('', 200);
			my ($operation) = $head =~ /^x-amz-target: *([\w.]+)/mi;

			if ($head =~ m{\AGET /credentials})
			{
				$answer = encode_json({ AccessKeyId => 'TEMPORARY', SecretAccessKey => 'tempsecret', Token => 'token/+=' x 90, Expiration => '2099-01-01T00:00:00Z' });
				$code = 403 if $head !~ /^Authorization: container token\r?$/m;
			}
			elsif (++$n % 4 == 0)
			{
				($code, $answer) = (400, encode_json({ __type => 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException', message => 'slow down' }));
			}
			elsif ($n % 7 == 0) { ($code, $answer) = (500, 'not JSON') }
			elsif ($n % 11 == 0) { last }
			elsif ($operation =~ /GetRecords/ && $n % 5 == 0)
			{
				($code, $answer) = (400, encode_json({ __type => 'com.amazonaws.dynamodb.v20120810#ExpiredIteratorException', message => 'expired' }));
			}
			else
			{
				my $socket = connect_http($source_port);
				my $reply = exchange($socket, signed_request($operation, $body, key => 'MOVERKEY', secret => 'moversecret/+='));

				($code, $answer) = ($reply->{status}, $reply->{body});
			}
			print $client "HTTP/1.1 $code Status\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($answer) . "\r\n\r\n$answer";
		}
		POSIX::_exit(0);
	}
	exit 0;
}

my $fake = fork;
if ($fake == 0)
{

	$SIG{TERM} = sub { POSIX::_exit(0) };
	fake_endpoint();
}
mkdir "$home/.aws";
append_to_file("$home/.aws/credentials", "[other]\naws_access_key_id = no\n\n[there]\naws_access_key_id = MOVERKEY\naws_secret_access_key=moversecret/+=\n");
my %container = (AWS_CONTAINER_CREDENTIALS_FULL_URI => "http://127.0.0.1:$fake_port/credentials", AWS_CONTAINER_AUTHORIZATION_TOKEN => 'container token');
my @api = ('--table', 'Api', '--endpoint-url', "http://127.0.0.1:$source_port", '--target-endpoint-url', "http://127.0.0.1:$target_port",
	'--target-profile', 'there', '--target-region', 'us-east-1');
my @fake = ('--table', 'Api', '--endpoint-url', "http://127.0.0.1:$fake_port", '--jobs', 1, @into, '--name', 'faked', '--target-table', 'Faked');

move_ok('copy to an endpoint', 'copy', '--create', @api);
@writers = start_writer($source, 'Api', 300);
sleep(1);
my $api_follow = start_move(\$follow_out, \$follow_err, 'follow', @api);
sleep(1.5);
$api_follow->kill_kill(grace => 0);
$api_follow->finish;
stop_writers($source, @writers);
move_ok('follow to an endpoint', 'follow', @api, '--until-quiet', 1.5);
same_items('both endpoints are equal', 'Api');
($out) = move_ok('compare two endpoints', 'compare', @api, '--jobs', 2);

{
	local %aws = (%aws, %container);
	my ($sink) = wait_until(sub { connect_http($fake_port) });

	delete @aws{qw(AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY)};
	move_ok('copy through failures', 'copy', '--create', '--rate', 60, @fake);
	mover_sql($source, q{SELECT put_item('Api', '{"PK": {"S": "more"}, "SK": {"N": "7"}}')});
	move_ok('follow through failures', 'follow', @fake, '--until-quiet', 2);
	same_items('equal in spite of failures', 'Api', 'Faked');
}
my $requests = slurp_file($log);
my $token = quotemeta('token/+=' x 90);
like($requests, qr/^X-Amz-Security-Token: $token\r?$/mi, 'the session token is sent');
like($requests, qr/^Authorization: AWS4-HMAC-SHA256 Credential=TEMPORARY\/.*SignedHeaders=[^,]*x-amz-security-token/mi, 'and signed');
unlike($requests, qr/tempsecret/, 'the secret is not');
kill 'TERM', $fake;
waitpid($fake, 0);

# ---- what cannot be read any more ----

mover_sql($source, q{UPDATE "Api" SET item = item || '{"w": {"N": "1"}}'; SELECT trim_streams('Api', retention => '0')});
($status, $out, $err) = move('follow', @api, '--until-quiet', 1);
like("$status $err", qr/^2 .*TrimmedDataAccessException.*changes are lost; run/s, 'a trimmed position is an error');
$target->safe_psql('postgres', q{UPDATE dynamo_move.state SET value = regexp_replace(value, '"at":[0-9.]+', '"at":1.0') WHERE move = 'faked' AND name LIKE 'shard/%'});
($status, $out, $err) = move('follow', '--table', 'Api', @from, @into, '--name', 'faked', '--target-table', 'Faked', '--until-quiet', 1);
like("$status $err", qr/^2 .*the stream was read last \d+ hours ago, and keeps changes for 24/s, 'so is a state that is too old');
mover_sql($source, q{SELECT disable_stream('Api'); SELECT enable_stream('Api')});
($status, $out, $err) = move('follow', @api, '--until-quiet', 1);
like("$status $err", qr/^2 .*another stream since/s, 'and another stream');

# ---- an export ----

my $directory = PostgreSQL::Test::Utils::tempdir() . '/export';
mkdir $directory;
$source->safe_psql('postgres', qq{SELECT dynamo.export_items('mover."Api"', '$directory')});
my ($export) = glob "$directory/AWSDynamoDB/*";
$export //= $directory;
my @export = ('--table', 'Api', @from, @into, '--name', 'exported', '--target-table', 'Exported', '--create', '--export', $export);
move_ok('copy of an export', 'copy', @export);
same_items('the export is the table', 'Api', 'Exported');
my ($data) = glob "$export/data/*";
chmod 0600, $data;
append_to_file($data, 'x');
($status, $out, $err) = move('copy', @export, '--name', 'damaged');
like("$status $err", qr/^2 .*does not have the checksum/s, 'a damaged file is found');

# ---- refusals ----

($status, $out, $err) = move('copy', '--table', 'Shop', '--target', 'host=x password=secret');
like("$status $err", qr/^2 .*can read a password in arguments/s, 'no password in arguments');
unlike($err, qr/secret/, 'nor in messages');
{
	local %aws = (%aws, AWS_SECRET_ACCESS_KEY => 'wrongsecret');
	($status, $out, $err) = move('copy', @shop, '--name', 'x');
	like("$status $err", qr/^2 .*InvalidSignatureException/s, 'a wrong secret');
	unlike($err, qr/wrongsecret/, 'which is not shown');
}
$source->stop;
$target->stop;
done_testing();
