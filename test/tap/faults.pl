# faults.pl: the library dynamo_faults, which lets a test server fail as the service sometimes does.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $setup = q{
CREATE ROLE app LOGIN;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SELECT dynamo.create_table('songs', 'artist', 'song');
SELECT dynamo.create_index('songs', 'inline', 'genre', 'song');
SELECT dynamo.create_index('songs', 'apart', 'genre', 'song', storage => 'table');
SELECT dynamo.create_table('other', 'artist', 'song');
GRANT ALL ON songs, other TO app};

# ---- a server without the library ----

my $node = new_http_node('plain', $port, 1);
$node->safe_psql('postgres', $setup);
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name LIKE 'dynamo\_faults.%'}), '0', 'a server without the library has no such setting');
like(($node->psql('postgres', 'SHOW dynamo_faults.throttle'))[2], qr/unrecognized configuration parameter/, 'not even by its name');
like(($node->psql('postgres', q{LOAD 'dynamo_faults'}))[2], qr/must be named by "shared_preload_libraries"/, 'and cannot load it');
$node->append_conf('postgresql.conf', "dynamo_faults.throttle = 1\ndynamo_faults.seed = 1\n");
$node->restart;
wait_until(sub { connect_http($port) });
is((api(connect_http($port), 'PutItem', { TableName => 'songs', Item => { artist => { S => 'a' }, song => { S => '1' } } }))[0], 200, 'what its configuration says of them does nothing');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo stale reads'}), '0', 'it has no worker for it');
$node->stop;

# ---- a server with it ----

$node = new_http_node('faults', $port, 2, "include_if_exists = 'faults.conf'\n");
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dynamo_faults, dynamo'\n");
$node->restart;
$node->safe_psql('postgres', $setup);

# Sets these faults and no others; the workers know of them when it returns.
sub faults
{
	my %faults = (seed => 1, @_);
	my $before = $node->safe_psql('postgres', 'SELECT pg_conf_load_time()');
	my $file = $node->data_dir . '/faults.conf';

	unlink $file;
	append_to_file($file, join '', map { "dynamo_faults.$_ = '$faults{$_}'\n" } sort keys %faults);
	$node->reload;
	$node->poll_query_until('postgres', "SELECT pg_conf_load_time() > '$before'") or die 'the configuration is not read';
}

# The answer to a request: its status, and the exception or undef, and the body.
sub request
{
	my ($operation, $input) = @_;
	my ($status, $output) = api(connect_http($port), $operation, $input);
	my ($type) = ($output->{__type} // '') =~ /#(\w+)$/;

	return ($status, $type, $output);
}

sub song { return { artist => { S => $_[0] }, song => { S => $_[1] }, genre => { S => 'rock' } } }
sub key { return { artist => { S => $_[0] }, song => { S => $_[1] } } }
sub put { return (request('PutItem', { TableName => $_[2] // 'songs', Item => song(@_[ 0, 1 ]) }))[0] }
sub songs { return $node->safe_psql('postgres', q{SELECT string_agg(artist || song, ' ' ORDER BY artist, song) FROM songs}) }

wait_until(sub { connect_http($port) });
is(put('a', '1'), 200, 'without a setting there is no fault');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name LIKE 'dynamo\_faults.%'}), '13', 'the settings');

my $refused = sub { return ($node->psql('postgres', "SET dynamo_faults.$_[0]"))[2] };
like($refused->("operations = 'PutItem, Putitem'"), qr/There is no operation "Putitem"/, 'an operation that does not exist');
like($refused->('throttle = 2'), qr/is outside the valid range/, 'no fraction');
like($refused->('stale_reads = 1'), qr/cannot be changed now/, 'a setting of the server');
like($refused->('trottle = 1'), qr/"dynamo_faults" is a reserved prefix/, 'no setting');

# ---- throttling ----

faults(throttle => 1);
my ($status, $type, $output) = request('PutItem', { TableName => 'songs', Item => song('a', '2') });
is("$status $type", '400 ProvisionedThroughputExceededException', 'throttled');
is($output->{message}, 'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.',
	'in the words of the service');
for ([ 'UpdateItem', { TableName => 'songs', Key => key('a', '1'), UpdateExpression => 'SET x = :x', ExpressionAttributeValues => { ':x' => { N => '1' } } } ],
	[ 'DeleteItem', { TableName => 'songs', Key => key('a', '1') } ],
	[ 'BatchWriteItem', { RequestItems => { songs => [ { DeleteRequest => { Key => key('a', '1') } }, { PutRequest => { Item => song('a', '3') } } ] } } ],
	[ 'TransactWriteItems', { TransactItems => [ { Put => { TableName => 'songs', Item => song('a', '4') } }, { Delete => { TableName => 'songs', Key => key('a', '1') } } ] } ],
	[ 'ExecuteStatement', { Statement => q{DELETE FROM songs WHERE artist = 'a' AND song = '1'} } ],
	[ 'ExecuteTransaction', { TransactStatements => [ { Statement => q{DELETE FROM songs WHERE artist = 'a' AND song = '1'} } ] } ],
	[ 'GetItem', { TableName => 'songs', Key => key('a', '1') } ], [ 'Query', { TableName => 'songs', KeyConditionExpression => 'artist = :a', ExpressionAttributeValues => { ':a' => { S => 'a' } } } ])
{
	is((request(@$_))[1], 'ProvisionedThroughputExceededException', "$_->[0]: throttled");
}
is($node->safe_psql('postgres', 'SELECT item FROM songs'), '{"artist": {"S": "a"}, "genre": {"S": "rock"}, "song": {"S": "1"}}', 'nothing was written');
is((request('DescribeTable', { TableName => 'songs' }))[0], 200, 'requests that are about no items are not throttled');
faults(throttle => 1, operations => 'DescribeTable', throttle_error => 'ThrottlingException');
is((request('DescribeTable', { TableName => 'songs' }))[1], 'ThrottlingException', 'unless they are named');
is(put('a', '2'), 200, 'and then no others');
faults(throttle => 1, tables => 'other, another');
is_deeply([ put('a', '2'), put('a', '2', 'other'), (request('TransactWriteItems', { TransactItems => [ map { { Put => { TableName => $_, Item => song('t', '1') } } } 'songs', 'other' ] }))[0],
	(request('BatchGetItem', { RequestItems => { other => { Keys => [ key('a', '1') ] } } }))[0] ], [ 200, 400, 400, 400 ], 'one table');
faults(throttle => 1, count => 3);
is_deeply([ map { put('a', '2') } 1 .. 6 ], [ 400, 400, 400, 200, 200, 200 ], 'the first three requests');
faults(throttle => 1, count => 3);
is_deeply([ map { put('a', '2') } 1 .. 4 ], [ 400, 400, 400, 200 ], 'and three again, after the same settings are read again');
faults(throttle => 0.3, seed => 7);
my @first = map { put('a', '2') } 1 .. 40;
faults(throttle => 0.3, seed => 7);
is_deeply([ map { put('a', '2') } 1 .. 40 ], \@first, 'a seed repeats the choice of requests');
my $throttled = grep { $_ == 400 } @first;
ok($throttled > 2 && $throttled < 25, 'which is a part of them') or diag($throttled);
faults(throttle => 0.3, seed => 8);
isnt(join(' ', map { put('a', '2') } 1 .. 40), join(' ', @first), 'another seed makes another choice');
is($node->safe_psql('postgres', q{SET dynamo_faults.throttle = 0.5; SET dynamo_faults.seed = 3;
	CREATE TEMPORARY TABLE answers (n int, status int);
	INSERT INTO answers SELECT n, (dynamo.request_safe('ListTables', '{}')->>'status')::int FROM generate_series(1, 20) n;
	SET dynamo_faults.operations = 'ListTables';
	INSERT INTO answers SELECT 100 + n, (dynamo.request_safe('ListTables', '{}')->>'status')::int FROM generate_series(1, 20) n;
	SET dynamo_faults.seed = 3;
	INSERT INTO answers SELECT 200 + n, (dynamo.request_safe('ListTables', '{}')->>'status')::int FROM generate_series(1, 20) n;
	SELECT count(*) FILTER (WHERE n < 100 AND status = 400), count(*) FILTER (WHERE n > 200 AND status = 400) BETWEEN 3 AND 17,
		array_agg(status ORDER BY n) FILTER (WHERE n BETWEEN 101 AND 200) = array_agg(status ORDER BY n) FILTER (WHERE n > 200) FROM answers}), '0|t|t', 'a session has its own settings');
faults();
is(put('a', '2'), 200, 'no fault again');

# ---- errors ----

faults(internal_error => 1);
($status, $type, $output) = request('PutItem', { TableName => 'songs', Item => song('a', '3') });
is("$status $type $output->{message}", '500 InternalServerError Internal server error', 'internal errors');
faults(transaction_conflict => 1);
for my $operation ('PutItem', 'UpdateItem', 'DeleteItem')
{
	my %input = $operation eq 'PutItem' ? (Item => song('a', '3')) : (Key => key('a', '1'));
	($status, $type, $output) = request($operation, { TableName => 'songs', %input });
	is("$status $type $output->{message}", '400 TransactionConflictException Transaction is ongoing for the item', "$operation: a conflict");
}
for ([ 'TransactWriteItems', { TransactItems => [ map { { Put => { TableName => 'songs', Item => song('a', "3$_") } } } 1 .. 3 ] } ],
	[ 'TransactGetItems', { TransactItems => [ map { { Get => { TableName => 'songs', Key => key('a', "$_") } } } 1 .. 3 ] } ],
	[ 'ExecuteTransaction', { TransactStatements => [ map { { Statement => qq{DELETE FROM songs WHERE artist = 'a' AND song = '$_'} } } 1 .. 3 ] } ])
{
	($status, $type, $output) = request(@$_);
	is("$status $type", '400 TransactionCanceledException', "$_->[0]: canceled");
	is(join(' ', sort map { $_->{Code} } @{ $output->{CancellationReasons} }), 'None None TransactionConflict', 'by one of its actions');
}
is((request('ExecuteStatement', { Statement => q{DELETE FROM songs WHERE artist = 'a' AND song = '1'} }))[1], 'TransactionConflictException', 'a statement that writes');
is((request('ExecuteStatement', { Statement => q{ select * FROM songs WHERE artist = 'a' AND song = '1'} }))[0], 200, 'one that reads has none');
is((request('GetItem', { TableName => 'songs', Key => key('a', '1') }))[0], 200, 'nor has a read');
is(songs(), 'a1 a2', 'nothing was written');

# ---- pages ----

faults();
put('p', sprintf '%02d', $_) for 1 .. 10;
faults(page_items => 3);
my $pages = sub {
	my ($operation, %input) = @_;
	my ($start, @pages, @songs);

	do
	{
		my (undef, undef, $page) = request($operation, { %input, defined $start ? (ExclusiveStartKey => $start) : () });
		push @pages, $page->{ScannedCount};
		push @songs, map { $_->{song}{S} } @{ $page->{Items} };
		$start = $page->{LastEvaluatedKey};
	} while (defined $start);
	return "@pages: @songs";
};
my %query = (TableName => 'songs', KeyConditionExpression => 'artist = :a', ExpressionAttributeValues => { ':a' => { S => 'p' } });
is($pages->('Query', %query), '3 3 3 1: 01 02 03 04 05 06 07 08 09 10', 'pages of three items');
is($pages->('Query', %query, Limit => 2), '2 2 2 2 2 0: 01 02 03 04 05 06 07 08 09 10', 'Limit, if that is less');
is($pages->('Query', %query, Limit => 5), '3 3 3 1: 01 02 03 04 05 06 07 08 09 10', 'and not if it is more');
is($pages->('Query', %query, ScanIndexForward => JSON::PP::false, FilterExpression => 'genre <> :g', ExpressionAttributeValues => { ':a' => { S => 'p' }, ':g' => { S => 'rock' } }),
	'3 3 3 1: ', 'items that the filter leaves out count');
is($pages->('Query', TableName => 'songs', IndexName => 'apart', KeyConditionExpression => 'genre = :g AND song > :s', ExpressionAttributeValues => { ':g' => { S => 'rock' }, ':s' => { S => '07' } }),
	'3 2: 08 09 1 10 2', 'an index');
like($pages->('Scan', TableName => 'songs'), qr/^3 3 3 3( 0)?: /, 'Scan');
(undef, undef, $output) = request('ExecuteStatement', { Statement => q{SELECT * FROM songs WHERE artist = 'p'} });
is(@{ $output->{Items} } . ($output->{NextToken} ? ' more' : ''), '3 more', 'ExecuteStatement');

# ---- batches ----

faults(unprocessed => 1);
(undef, undef, $output) = request('BatchWriteItem', { ReturnConsumedCapacity => 'TOTAL', RequestItems => {
	songs => [ { PutRequest => { Item => song('UnprocessedItems', '1') } }, { DeleteRequest => { Key => key('p', '02') } }, { PutRequest => { Item => song('b', "2 \"\\\x{e9}") } } ],
	other => [ { PutRequest => { Item => song('b', '3') } } ] } });
is_deeply($output->{UnprocessedItems}, { songs => [ { DeleteRequest => { Key => key('p', '02') } }, { PutRequest => { Item => song('b', "2 \"\\\x{e9}") } } ] }, 'what is unprocessed comes back');
is_deeply({ map { $_->{TableName} => $_->{CapacityUnits} } @{ $output->{ConsumedCapacity} } }, { songs => 3, other => 1 }, 'only the rest is counted');
is($node->safe_psql('postgres', q{SELECT (SELECT string_agg(artist || song, ' ' ORDER BY artist, song) FROM songs WHERE artist <> 'p' OR song <= '02'), (SELECT string_agg(artist || song, ' ') FROM other)}),
	'UnprocessedItems1 a1 a2 p01 p02|b3', 'and was not executed');
my %read = (ConsistentRead => JSON::PP::true, ProjectionExpression => '#s', ExpressionAttributeNames => { '#s' => 'song' });
(undef, undef, $output) = request('BatchGetItem', { RequestItems => { songs => { %read, Keys => [ map { key('p', sprintf '%02d', $_) } 1 .. 4 ] }, other => { Keys => [ key('b', '3') ] } } });
is_deeply($output->{Responses}, { songs => [ { song => { S => '01' } } ], other => [ song('b', '3') ] }, 'the first key of each table is processed');
is_deeply($output->{UnprocessedKeys}, { songs => { %read, Keys => [ map { key('p', sprintf '%02d', $_) } 2 .. 4 ] } }, 'the others come back with the rest of the request');
faults(unprocessed => 0.5);
my ($left, %seen, $rounds) = ({ songs => { Keys => [ map { key('p', sprintf '%02d', $_) } 1 .. 10 ] } });
for ($rounds = 0; %$left; $rounds++)
{
	(undef, undef, $output) = request('BatchGetItem', { RequestItems => $left });
	$seen{ $_->{song}{S} }++ for @{ $output->{Responses}{songs} };
	$left = $output->{UnprocessedKeys};
}
is(join(' ', map { "$_:$seen{$_}" } sort keys %seen), join(' ', map { sprintf '%02d:1', $_ } 1 .. 10), 'who asks again gets each item once');
cmp_ok($rounds, '>', 1, 'in several rounds');
faults(unprocessed => 1);
$node->safe_psql('postgres', q{INSERT INTO other (item) SELECT jsonb_build_object('artist', 'large', 'song', n::text, 'text', repeat('x', 390000))::dynamo.item FROM generate_series(1, 60) n});
(undef, undef, $output) = request('BatchGetItem', { RequestItems => { other => { Keys => [ map { key('large', "$_") } 1 .. 60 ] }, songs => { Keys => [ map { key('p', $_) } '01', '02' ] } } });
my $returned = map { @$_ } values %{ $output->{Responses} };
my $unprocessed = map { @{ $_->{Keys} } } values %{ $output->{UnprocessedKeys} };
is($returned + $unprocessed, 2 + 60, 'each key is answered once');

# ---- what SDKs do ----

my %program;
my $runs = sub { my @command = @_; return eval { IPC::Run::run(\@command, '<', '/dev/null', '>', '/dev/null', '2>', '/dev/null') } };
my $directory = $ENV{DYNAMO_SDK} // '';

$program{boto3} = [ 'python3', "$FindBin::RealBin/../sdk/retries.py" ] if $runs->('python3', '-c', 'import boto3');
if (-d "$directory/node_modules/\@aws-sdk/lib-dynamodb" && $runs->('node', '--version'))
{
	# a module finds other modules beside it
	my $beside = PostgreSQL::Test::Utils::tempdir();

	symlink("$directory/node_modules", "$beside/node_modules");
	append_to_file("$beside/retries.mjs", slurp_file("$FindBin::RealBin/../sdk/retries.mjs"));
	$program{'the SDK for JavaScript'} = [ 'node', '--no-warnings', "$beside/retries.mjs" ];
}
for my $sdk ('boto3', 'the SDK for JavaScript')
{
	my $run = sub {
		my ($output, $errors) = ('', '');

		IPC::Run::run([ @{ $program{$sdk} }, "http://127.0.0.1:$port", 'TESTKEY', 'TESTSECRET', @_ ], '<', '/dev/null', '>', \$output, '2>', \$errors);
		diag($errors) if $errors ne '';
		return $output =~ s/\n\z//r;
	};

	SKIP:
	{
		skip "$sdk is not installed" . ($sdk eq 'boto3' ? '' : ': DYNAMO_SDK names its directory'), 1 if !$program{$sdk};
		for my $fault ([ throttle => 'ProvisionedThroughputExceededException' ], [ throttle => 'ThrottlingException', throttle_error => 'ThrottlingException' ],
			[ internal_error => 'InternalServerError' ])
		{
			my ($setting, $exception, @more) = @$fault;

			faults($setting => 1, @more, count => 2);
			is($run->('put'), 'stored at attempt 3', "$sdk: sends a request again after $exception");
			next if $exception eq 'ThrottlingException';
			faults($setting => 1, @more);
			is($run->('put'), "$exception at attempt 3", 'and gives up at last');
		}
		faults(unprocessed => 0.5);
		is($run->('batch'), $sdk eq 'boto3' ? '60 items' : '25 items', "$sdk: what is unprocessed is sent again");
		faults(page_items => 4);
		is($run->('pages'), '[4, 4, 2]', "$sdk: pages");
	}
}

# ---- delays ----

faults(latency => 300);
my $begin = Time::HiRes::time();
put('a', '1');
cmp_ok(Time::HiRes::time() - $begin, '>=', 0.3, 'a delay');

# ---- stale reads ----

# Whether a read finds an item, or how many.
sub has
{
	my ($operation, %input) = @_;
	my (undef, undef, $answer) = request($operation, { TableName => 'songs', %input });

	return $operation eq 'GetItem' ? ($answer->{Item} ? 1 : 0) : $answer->{Count};
}

sub stale_query
{
	my ($song, $index, %more) = @_;

	return has('Query', %more, ($index ? (IndexName => $index) : ()), KeyConditionExpression => ($index ? 'genre' : 'artist') . ' = :a AND song = :s',
		ExpressionAttributeValues => { ':a' => { S => $index ? 'rock' : 'stale' }, ':s' => { S => $song } });
}

faults(stale_reads => 500);
# Writes an item and reads it before it is as old as it must be, and then until it is seen.
my $written_songs = 0;
sub unseen
{
	my ($what, $read) = @_;

	for (1 .. 20)
	{
		my $song = 'song' . ++$written_songs;
		my $written = Time::HiRes::time();

		put('stale', $song);
		my $seen = $read->($song);
		next if Time::HiRes::time() - $written > 0.47;	# a busy machine
		is($seen, 0, "$what does not see the latest write");
		ok(wait_until(sub { $read->($song) }), 'but sees it later');
		return;
	}
	fail("$what: the machine is too busy");
}
unseen('GetItem', sub { has('GetItem', Key => key('stale', $_[0])) });
unseen('Query', sub { stale_query($_[0]) });
for my $index ('inline', 'apart')
{
	unseen("Query of the index $index", sub { stale_query($_[0], $index) });
}
unseen('Scan', sub { has('Scan', FilterExpression => 'song = :s', ExpressionAttributeValues => { ':s' => { S => $_[0] } }) });
unseen('BatchGetItem', sub { scalar @{ (request('BatchGetItem', { RequestItems => { songs => { Keys => [ key('stale', $_[0]) ] } } }))[2]{Responses}{songs} } });
unseen('ExecuteStatement', sub { scalar @{ (request('ExecuteStatement', { Statement => "SELECT * FROM songs WHERE artist = 'stale' AND song = '$_[0]'" }))[2]{Items} } });
put('stale', 'last');
is(has('GetItem', Key => key('stale', 'last'), ConsistentRead => JSON::PP::true), 1, 'a consistent read sees it');
is(stale_query('last', undef, ConsistentRead => JSON::PP::true), 1, 'a consistent query');
is((request('TransactGetItems', { TransactItems => [ { Get => { TableName => 'songs', Key => key('stale', 'last') } } ] }))[2]{Responses}[0]{Item}{song}{S}, 'last', 'a transaction');
is((request('UpdateItem', { TableName => 'songs', Key => key('stale', 'last'), UpdateExpression => 'ADD n :n', ConditionExpression => 'attribute_exists(song)',
	ExpressionAttributeValues => { ':n' => { N => '1' } } }))[0], 200, 'and a condition');

# What an old snapshot shows is still there after updates of the item and a vacuum.
put('stale', 'versions');
wait_until(sub { has('GetItem', Key => key('stale', 'versions')) });
my $versions = 1;
my $end = time + 4;
while (time < $end)
{
	request('UpdateItem', { TableName => 'songs', Key => key('stale', 'versions'), UpdateExpression => 'ADD n :n', ExpressionAttributeValues => { ':n' => { N => '1' } } });
	$node->safe_psql('postgres', 'VACUUM songs') if $versions % 50 == 0;
	$versions += has('GetItem', Key => key('stale', 'versions'));
	my $by_index = stale_query('versions', $versions % 2 ? 'inline' : 'apart');
	BAIL_OUT('an item has vanished from an index') if !$by_index;
}
cmp_ok($versions, '>', 10, 'every read finds a version of the item');
(undef, undef, $output) = request('CreateTable', { TableName => 'fresh', BillingMode => 'PAY_PER_REQUEST',
	AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ], KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ] })
	if $node->safe_psql('postgres', 'GRANT CREATE ON SCHEMA public TO app; SELECT 1');
(undef, undef, $output) = request('PutItem', { TableName => 'fresh', Item => { id => { S => 'a' } } });
is((request('GetItem', { TableName => 'fresh', Key => { id => { S => 'a' } } }))[0], 200, 'a table that is newer than the snapshot can be read');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo stale reads' LIMIT 1});
unseen('GetItem, after the end of a worker,', sub { has('GetItem', Key => key('stale', $_[0])) });
faults(stale_reads => 500, stale_indexes_only => 'on');
put('stale', 'table');
is(has('GetItem', Key => key('stale', 'table')), 1, 'the table is not stale if only indexes are to be');
unseen('the index', sub { stale_query($_[0], 'apart') });
faults();
put('stale', 'end');
is(stale_query('end', 'apart'), 1, 'no read is stale again');
is($node->safe_psql('postgres', q{SELECT bool_and(t) FROM (SELECT count(*) = 0 AS t FROM pg_stat_activity WHERE backend_type = 'dynamo stale reads' AND backend_xmin IS NOT NULL) s}), 't', 'and no snapshot is held')
	if wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo stale reads' AND backend_xmin IS NOT NULL}) eq '0' });

$node->append_conf('postgresql.conf', "max_worker_processes = 6\n");
$node->restart;
wait_until(sub { connect_http($port) });
is((request('GetItem', { TableName => 'songs', Key => key('stale', 'end') }))[0], 200, 'a server without room for both workers');
faults(stale_reads => 1);
is((request('GetItem', { TableName => 'songs', Key => key('stale', 'end') }))[1], 'InternalServerError', 'refuses stale reads');
like(slurp_file($node->logfile), qr/workers keep no snapshot for "dynamo_faults.stale_reads".*?Increase "max_worker_processes"/s, 'and says why');
faults();

# ---- the documentation ----

my $page = slurp_file("$FindBin::RealBin/../../docs/test-servers.md");
is(join(' ', grep { index($page, "`$_`") < 0 } split /\n/, $node->safe_psql('postgres', q{SELECT name FROM pg_settings WHERE name LIKE 'dynamo\_faults.%' ORDER BY 1})),
	'', 'docs/test-servers.md has every setting');

$node->stop;
done_testing();
