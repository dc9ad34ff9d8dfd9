# point_in_time.pl: RestoreTableToPointInTime, compared with what the table was at many times; the
# stream behind it, which requests do not show; times that cannot be reached; crashes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $seed = $ENV{SEED} // 1;
srand($seed);
note("SEED=$seed");
my $node = new_dynamo_node('times', qq{
dynamo.housekeeping_interval = 0
max_worker_processes = 12
dynamo.max_archive_workers_per_role = 4
dynamo.max_archive_workers = 4
});
my $json = JSON::PP->new->canonical->allow_nonref;
my ($true, $false) = (JSON::PP::true, JSON::PP::false);
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET search_path = public, dynamo');

sub sql { my ($statement, $role) = @_; return $node->safe_psql('postgres', $statement, defined $role ? (extra_params => [ '-U', $role ]) : ()) }

# The answer of a request: the body, or "Exception: message".
sub request
{
	my ($operation, $input, $role) = @_;
	my $text = $json->encode($input) =~ s/'/''/gr;
	my $answer = $json->decode(sql("SELECT dynamo.request_safe('$operation', '$text')", $role));

	return $answer->{body} if $answer->{status} == 200;
	my ($type) = $answer->{body}{__type} =~ /#(.*)/;
	return "$type: " . ($answer->{body}{message} // $answer->{body}{Message});
}

sub recovery
{
	my ($table, $enabled, $role) = @_;
	my $answer = defined $enabled ?
	  request('UpdateContinuousBackups', { TableName => $table, PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => $enabled } }, $role) :
	  request('DescribeContinuousBackups', { TableName => $table }, $role);

	return ref $answer ? $answer->{ContinuousBackupsDescription}{PointInTimeRecoveryDescription} : $answer;
}

sub restore
{
	my ($source, $target, $time, $role, %more) = @_;

	return request('RestoreTableToPointInTime', { SourceTableName => $source, TargetTableName => $target,
		defined $time ? (RestoreDateTime => 0 + $time) : (UseLatestRestorableTime => $true), %more }, $role);
}

# Waits until a table is ACTIVE or gone; returns its description.
sub active
{
	my ($table) = @_;

	for (1 .. 3600)
	{
		my $answer = request('DescribeTable', { TableName => $table });

		return $answer if !ref $answer;
		return $answer->{Table} if $answer->{Table}{TableStatus} eq 'ACTIVE';
		sleep(0.05);
	}
	return 'still CREATING';
}

sub contents { return sql("SELECT coalesce(string_agg(item::text, ' ' ORDER BY pk, sk), '') FROM $_[0]") }
sub now { return sql('SELECT extract(epoch FROM clock_timestamp())') }

my %keys = (BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' }, { AttributeName => 'sk', AttributeType => 'N' } ],
	KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' }, { AttributeName => 'sk', KeyType => 'RANGE' } ]);

# ---- what the setting means ----

request('CreateTable', { %keys, TableName => 'orders' });
is(recovery('orders')->{PointInTimeRecoveryStatus}, 'DISABLED', 'recovery is off');
like(restore('orders', 'none'), qr/^PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'orders'/, 'and there is no restore');
sql(q{SELECT put_item('orders', '{"pk": "before", "sk": 1}'::jsonb)});
my $before = now();
sleep(0.01);
my $on = recovery('orders', $true);
is($on->{PointInTimeRecoveryStatus}, 'ENABLED', 'recovery is on');
cmp_ok($on->{EarliestRestorableDateTime}, '>=', $before, 'since it was turned on');
cmp_ok($on->{LatestRestorableDateTime}, '>=', $on->{EarliestRestorableDateTime}, 'until now');
my $description = active('orders');
ok(!exists $description->{$_}, "DescribeTable does not show $_ of the stream behind it") for qw(StreamSpecification LatestStreamArn LatestStreamLabel);
is(sql(q{SELECT view_type || ' ' || status FROM dynamo.streams WHERE table_name = 'orders'}), 'NEW_AND_OLD_IMAGES ENABLED', 'SQL does');
is_deeply([ @{ recovery('orders', $true) }{qw(PointInTimeRecoveryStatus EarliestRestorableDateTime)} ], [ 'ENABLED', $on->{EarliestRestorableDateTime} ], 'turning it on again changes nothing');

# ---- random changes, and the table as it was between them ----

my @doors = (
	sub { my ($pk, $sk) = @_; return "SELECT put_item('orders', '{\"pk\": \"$pk\", \"sk\": $sk, \"v\": " . int(rand(1000)) . "}'::jsonb)" },
	sub { my ($pk, $sk) = @_; return "SELECT update_item('orders', '{\"pk\": {\"S\": \"$pk\"}, \"sk\": {\"N\": \"$sk\"}}', 'ADD n :n', expression_attribute_values => '{\":n\": {\"N\": \"1\"}}')" },
	sub { my ($pk, $sk) = @_; return "SELECT delete_item('orders', '{\"pk\": {\"S\": \"$pk\"}, \"sk\": {\"N\": \"$sk\"}}')" },
	sub { my ($pk) = @_; return "DELETE FROM orders WHERE pk = '$pk' AND sk < 3" },
	sub { my ($pk) = @_; return "UPDATE orders SET item['w'] = '7'::jsonb WHERE pk = '$pk'" },
	sub { my ($pk) = @_; return "INSERT INTO orders (item) SELECT build_item('pk', '$pk', 'sk', n) FROM generate_series(100, 103) n ON CONFLICT DO NOTHING" },
	sub { return rand() < 0.2 ? 'TRUNCATE orders' : 'SELECT' });

my @moments;
for my $n (1 .. 40)
{
	my @statements = map { $doors[ int rand @doors ]->('c' . int rand(4), int rand(6)) } 1 .. 1 + int rand 4;
	my $transaction = join('; ', @statements);

	$transaction = "BEGIN; $transaction; SAVEPOINT s; " . $doors[1]->('c0', 1) . '; ROLLBACK TO s; COMMIT' if rand() < 0.4;
	$transaction = "BEGIN; $transaction; ROLLBACK" if rand() < 0.1;
	sql($transaction);
	sleep(0.002);
	push @moments, [ now(), contents('orders') ];
	sleep(0.002);
}
my $describe = recovery('orders');
my $wrong = 0;
for my $n (0 .. $#moments)
{
	my ($time, $wanted) = @{ $moments[$n] };
	my $answer = restore('orders', "at$n", $time);

	is($answer->{TableDescription}{TableStatus}, 'CREATING', 'a restored table is being created') if $n == 0;
	is_deeply([ sort keys %{ $answer->{TableDescription}{RestoreSummary} } ], [ qw(RestoreDateTime RestoreInProgress SourceTableArn) ], 'with a summary of its restore') if $n == 0;
	if (!ref $answer || !ref active("at$n"))
	{
		diag("moment $n: " . $json->encode($answer));
		$wrong++;
		next;
	}
	next if contents("at$n") eq $wanted;
	$wrong++;
	diag("moment $n ($time): " . contents("at$n") . " instead of $wanted");
}
is($wrong, 0, 'the table is restored as it was at every moment');
cmp_ok(scalar(grep { $_->[1] eq '' } @moments), '<', 30, 'and seldom was empty');
is(ref restore('orders', 'latest'), 'HASH', 'the latest time');
ok(!exists active('latest')->{RestoreSummary}, 'is restored');
is(contents('latest'), contents('orders'), 'to what the table is');
restore('orders', 'earliest', $on->{EarliestRestorableDateTime});
active('earliest');
is(contents('earliest'), '{"pk": {"S": "before"}, "sk": {"N": "1"}}', 'the earliest time is restored');
restore('orders', 'second', int $on->{EarliestRestorableDateTime});
active('second');
is(contents('second'), contents('earliest'), 'so is its second, which clients have of it');
is(recovery('earliest')->{PointInTimeRecoveryStatus}, 'DISABLED', 'a restored table has no recovery');

# ---- times that cannot be reached, and other errors ----

my $bounds = qr/^InvalidRestoreTimeException: RestoreDateTime must be between EarliestRestorableDateTime [\d.]+ and LatestRestorableDateTime [\d.]+/;
like(restore('orders', 'xxx', int($on->{EarliestRestorableDateTime}) - 1), $bounds, 'a time before recovery was turned on');
like(restore('orders', 'xxx', time + 60), $bounds, 'a time that is to come');
like(restore('orders', 'xxx', $_), $bounds, "the time $_") for (0, -5);
like(request('RestoreTableToPointInTime', { SourceTableName => 'orders', TargetTableName => 'xxx' }), qr/^ValidationException: Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime/, 'no time');
like(restore('orders', 'xxx', time, undef, UseLatestRestorableTime => $true), qr/^ValidationException: Invalid Request: Either one of/, 'two times');
like(restore('orders', 'xxx', undef, undef, SourceTableArn => 'arn:aws:dynamodb:us-east-1:000000000000:table/orders'), qr/^ValidationException: Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName/, 'two sources');
like(restore('nothing', 'xyz'), qr/^TableNotFoundException: Table not found: nothing/, 'no source');
like(restore('orders', 'latest'), qr/^TableAlreadyExistsException: Table already exists: latest/, 'a table that exists');
like(restore('latest', 'latest'), qr/^PointInTimeRecoveryUnavailableException/, 'recovery is asked for before the target');
sql(q{CREATE ROLE other LOGIN; GRANT CREATE ON SCHEMA public TO other; GRANT SELECT ON orders TO other});
like(restore('orders', 'stolen', undef, 'other'), qr/^AccessDeniedException: must be owner/, 'a restore needs ownership of the source');
like(recovery('orders', $false, 'other'), qr/^AccessDeniedException: must be owner/, 'so does the setting');
sql(q{SET ROLE other; SELECT create_table('theirs', 'pk', 'sk'); SELECT put_item('theirs', '{"pk": "a", "sk": "1"}'::jsonb)});
recovery('theirs', $true, 'other');
sql(q{SELECT put_item('theirs', '{"pk": "b", "sk": "1"}'::jsonb)}, 'other');
is(ref restore('theirs', 'theirs2', undef, 'other'), 'HASH', 'an owner who is no superuser restores');
active('theirs2');
is(contents('theirs2'), contents('theirs'), 'their table');
is(ref restore('theirs', 'ours'), 'HASH', 'so does a superuser');
active('ours');
is(contents('ours'), contents('theirs'), 'to a table of their own');

# ---- streams that requests show ----

sub stream
{
	my ($table, $enabled, $view) = @_;

	return request('UpdateTable', { TableName => $table, StreamSpecification => { StreamEnabled => $enabled, defined $view ? (StreamViewType => $view) : () } });
}

my $past = now();
sleep(0.01);
like(stream('orders', $false), qr/^ValidationException: Table has no stream to disable: TableName: orders/, 'a stream that is not shown is not disabled');
like(stream('orders', $true, 'KEYS_ONLY'), qr/^ValidationException: Invalid Request: StreamViewType KEYS_ONLY is not possible while/, 'a stream without old images is refused');
is(stream('orders', $true, 'NEW_AND_OLD_IMAGES')->{TableDescription}{StreamSpecification}{StreamViewType}, 'NEW_AND_OLD_IMAGES', 'a stream is enabled');
like(active('orders')->{LatestStreamArn}, qr{table/orders/stream/}, 'and shown');
is(ref restore('orders', 'through', $past), 'HASH', 'the past can still be reached');
active('through');
is(contents('through'), contents('orders'), 'and is right');
ok(!exists stream('orders', $false)->{TableDescription}{StreamSpecification}, 'a stream is disabled, for requests');
sql(q{SELECT put_item('orders', '{"pk": "later", "sk": 1}'::jsonb)});
is(ref restore('orders', 'through2', $past), 'HASH', 'and changes are recorded still');
active('through2');
is(contents('through2'), contents('through'), 'the past is the same');
is(recovery('orders', $false)->{PointInTimeRecoveryStatus}, 'DISABLED', 'recovery is turned off');
is(sql(q{SELECT count(*) FROM dynamo.streams WHERE table_name = 'orders' AND status = 'ENABLED'}), '0', 'and the stream with it');
request('CreateTable', { %keys, TableName => 'keyed', StreamSpecification => { StreamEnabled => $true, StreamViewType => 'NEW_IMAGE' } });
like(recovery('keyed', $true), qr/^ContinuousBackupsUnavailableException: .*keyed\. Its stream has the view type NEW_IMAGE/, 'a table with a stream without old images cannot be recovered');
request('CreateTable', { %keys, TableName => 'old', StreamSpecification => { StreamEnabled => $true, StreamViewType => 'OLD_IMAGE' } });
is(recovery('old', $true)->{PointInTimeRecoveryStatus}, 'ENABLED', 'old images are enough');
is(active('old')->{StreamSpecification}{StreamViewType}, 'OLD_IMAGE', 'and the stream is shown');
recovery('old', $false);
is(active('old')->{StreamSpecification}{StreamViewType}, 'OLD_IMAGE', 'also afterwards');

# A stream that SQL has ended, or trimmed, does not reach back, and the answers agree.
recovery('old', $true);
sql(q{SELECT put_item('old', '{"pk": "a", "sk": 1}'::jsonb); SELECT put_item('old', '{"pk": "b", "sk": 1}'::jsonb)});
my $reached = now();
sleep(0.01);
sql(q{SELECT put_item('old', '{"pk": "c", "sk": 1}'::jsonb)});
is(ref restore('old', 'old1', $reached), 'HASH', 'a time that is recorded');
active('old1');
is(sql('SELECT count(*) FROM old1'), '2', 'is restored');
sleep(1.1);
sql(q{SELECT dynamo.trim_streams('old', '0')});
like(restore('old', 'old2', $reached), $bounds, 'a time from which records were trimmed');
cmp_ok(recovery('old')->{EarliestRestorableDateTime}, '>', $reached, 'is not promised');
sleep(1.1);
my $quiet = now();
is(ref restore('old', 'old3', $quiet), 'HASH', 'a time after that, without any change');
active('old3');
is(sql('SELECT count(*) FROM old3'), '3', 'is restored');
sql(q{SELECT dynamo.disable_stream('old')});
my $ended = recovery('old');
is($ended->{EarliestRestorableDateTime}, $ended->{LatestRestorableDateTime}, 'without a stream there is only the latest time');
like(restore('old', 'old4', $quiet), $bounds, 'and no other');
is(ref restore('old', 'old4'), 'HASH', 'the latest');
active('old4');
is(sql('SELECT count(*) FROM old4'), '3', 'is restored');

# ---- keys, indexes, entities; overrides ----

sql(q{SELECT create_table('shop', 'pk', 'sk', indexes => '[{"index_name": "by_total", "partition_key": "client", "sort_key": "total", "sort_key_type": "N"}]');
SELECT create_entity('shop', 'order', keys => '{"pk": "C#{client}", "sk": "O#{n:03}"}', attributes => '{"client": "text", "n": "int", "total": "numeric"}', view_name => 'shop_orders');
INSERT INTO shop_orders (client, n, total) VALUES ('c1', 1, 10), ('c1', 2, 20)});
recovery('shop', $true);
my $shop = contents('shop');
my $shop_time = now();
sleep(0.01);
sql(q{UPDATE shop_orders SET total = 99 WHERE n = 1; DELETE FROM shop_orders WHERE n = 2});
is(ref restore('shop', 'shop_then', $shop_time, undef, GlobalSecondaryIndexOverride => []), 'HASH', 'a table with entities, without its index');
is(active('shop_then')->{GlobalSecondaryIndexes}, undef, 'which the request leaves out');
is(contents('shop_then'), $shop, 'has the items of then');
restore('shop', 'shop_whole', $shop_time);
active('shop_whole');
is(sql(q{SELECT count(*) FROM query('shop_whole', 'client = :c AND #t > :t', '{":c": {"S": "c1"}, ":t": {"N": "15"}}', expression_attribute_names => '{"#t": "total"}', index_name => 'by_total')}), '1', 'an index has its entries');
is(sql(q{SELECT count(*) FROM dynamo.verify_index('shop_whole', 'by_total')}), '0', 'and is right');
sql(q{SELECT put_item('shop_whole', '{"client": "c2", "n": 3, "total": 5}'::jsonb)});
is(sql(q{SELECT sk FROM shop_whole WHERE pk = 'C#c2'}), 'O#003', 'and entities compose keys');
sql(q{SELECT create_table('parts', 'pk', 'sk', partitions => 3)});
recovery('parts', $true);
sql(q{SELECT count(put_item('parts', build_item('pk', n::text, 'sk', 's'))) FROM generate_series(1, 30) n});
my $parts_time = now();
sleep(0.01);
sql('DELETE FROM parts WHERE pk < $$2$$; TRUNCATE parts');
restore('parts', 'parts_then', $parts_time);
active('parts_then');
is(sql('SELECT count(*), count(DISTINCT tableoid) FROM parts_then'), '30|3', 'a partitioned table is restored');

# ---- a transaction in progress, and one that is prepared, are not restored ----

sql(q{SELECT create_table('busy', 'pk', 'sk'); SELECT put_item('busy', '{"pk": "a", "sk": "1"}'::jsonb)});
recovery('busy', $true);
my $open = $node->background_psql('postgres', on_error_stop => 1);
$open->query_safe(q{SET search_path = public, dynamo; BEGIN; SELECT put_item('busy', '{"pk": "open", "sk": "1"}'::jsonb); DELETE FROM busy WHERE pk = 'a'});
my $during = now();
restore('busy', 'busy_then', $during);
active('busy_then');
is(sql('SELECT string_agg(pk, $$ $$) FROM busy_then'), 'a', 'what is not committed is not restored');
$open->query_safe('COMMIT');
$open->quit;
restore('busy', 'busy_later', $during);
active('busy_later');
is(sql('SELECT string_agg(pk, $$ $$) FROM busy_later'), 'open', 'what was written until then and is committed now is restored');

# ---- the worker or the server stops in the middle ----

my $many = q{SELECT count(put_item('busy', build_item('pk', n::text, 'sk', 's'))) FROM generate_series(1, 300) n};
sql(q{CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_catalog.pg_sleep(60); RETURN NEW; END$$});
sql($many);
my $cut_time = now();
sleep(0.01);
sql('DELETE FROM busy WHERE pk <> $$7$$');

# Begins a restore whose first insert lasts; waits until the worker is there.
sub slow_restore
{
	my ($target) = @_;
	my $input = $json->encode({ SourceTableName => 'busy', TargetTableName => $target, RestoreDateTime => 0 + $cut_time });

	sql(qq{BEGIN; SELECT dynamo.request('RestoreTableToPointInTime', '$input');
		CREATE TRIGGER a_pause BEFORE INSERT ON $target FOR EACH ROW EXECUTE FUNCTION pause(); COMMIT});
	ok(wait_until(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job' AND wait_event = 'PgSleep'}) eq '1' }), "the restore of $target has begun");
	return;
}

slow_restore('cut');
like(request('DeleteTable', { TableName => 'cut' }), qr/^ResourceInUseException/, 'a table that is being restored is not deleted');
crash_node($node);
$node->_update_pid(-1);
$node->start;
is(sql('SELECT count(*) FROM cut'), '0', 'nothing of a restore that a crash has interrupted is there');
sql('ALTER TABLE cut DISABLE TRIGGER a_pause');
is(request('DescribeTable', { TableName => 'cut' })->{Table}{TableStatus}, 'CREATING', 'it goes on when the table is described');
is(ref active('cut'), 'HASH', 'and ends');
is(sql(q{SELECT count(*) FROM cut}), '301', 'with all items of its time');
slow_restore('trimmed');
crash_node($node);
$node->_update_pid(-1);
$node->start;
sleep(1.1);
ok($node->poll_query_until('postgres', q{SELECT dynamo.trim_streams('busy', '0') > 0}), 'records are trimmed');
request('DescribeTable', { TableName => 'trimmed' });
like(active('trimmed'), qr/^ResourceNotFoundException/, 'a restore that cannot reach its time any more leaves no table');
like(slurp_file($node->logfile), qr/The changes of the table since the time to restore are not recorded any more/, 'and the log says why');
is(ref restore('busy', 'at_once'), 'HASH', 'the latest time can be restored as soon as records were trimmed');
is(ref active('at_once'), 'HASH', 'and is');
sleep(1.1);
$cut_time = now();
slow_restore('cancelled');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'});
like(active('cancelled'), qr/^ResourceNotFoundException/, 'a restore that is cancelled leaves no table');

$node->stop;
done_testing();
