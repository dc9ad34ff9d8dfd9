# bulk_operations.pl: StartBulkPutItems into existing tables, with a condition for each item: reports,
# tokens, lists, rights; killed workers and servers; cancellation.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IO::Compress::Gzip qw(gzip $GzipError);
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $archive = PostgreSQL::Test::Utils::tempdir();
my $node = new_dynamo_node('bulk', qq{
dynamo.archive_directory = '$archive'
dynamo.housekeeping_interval = 0
});
my $json = JSON::PP->new->canonical->allow_nonref;
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET search_path = public, dynamo');
mkdir "$archive/in";
mkdir "$archive/out";

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

sub put_file
{
	my ($name, $bytes) = @_;

	system('mkdir', '-p', $1) if "$archive/$name" =~ m{(.*)/};
	open(my $out, '>:raw', "$archive/$name") or die "cannot write $name: $!";
	print $out $bytes;
	close $out;
	return;
}

sub start
{
	my ($table, $prefix, $in, $more, $role, $out) = @_;
	my $answer = request('StartBulkPutItems', { TableName => $table,
		InputS3Configuration => { S3Bucket => 'in', InputFormat => 'DYNAMODB_JSON', S3KeyPrefix => $prefix, %{ $in // {} } },
		OutputS3Configuration => { S3Bucket => 'out', OutputType => [ 'ERROR', 'CONDITION_CHECK_FAILURE' ], %{ $out // {} } }, %{ $more // {} } }, $role);

	return ref $answer ? $answer->{BulkOperationDescription} : $answer;
}

sub describe
{
	my ($arn, $role) = @_;
	my $answer = request('DescribeBulkOperation', { BulkOperationArn => $arn }, $role);

	return ref $answer ? $answer->{BulkOperationDescription} : $answer;
}

# Waits until an operation has ended; returns its description.
sub ended
{
	my ($arn, $role) = @_;
	my $now;

	wait_until(sub { $now = describe($arn, $role); return !ref $now || $now->{BulkOperationStatus} !~ /IN_PROGRESS|CANCELLING/ });
	return $now;
}

# The lines of a report of an operation.
sub report
{
	my ($description, $name, $prefix) = @_;
	my ($id) = $description->{BulkOperationArn} =~ m{([^/]*)$};
	my $path = "$archive/out/" . ($prefix // '') . "AWSDynamoDB/$id/$name/1.json.gz";
	my $lines = '';

	return [] if !-e $path;
	gunzip($path, \$lines) or die $GunzipError;
	return [ map { $json->decode($_) } split /\n/, $lines ];
}

sub counts { my ($d) = @_; return ref $d ? join(' ', map { $d->{$_} // '-' } qw(BulkOperationStatus ProcessedItemCount FailedItemCount)) : $d }
sub record { my ($id, $v, %more) = @_; return $json->encode({ Item => { id => { S => "$id" }, v => { N => "$v" } }, %more }) . "\n" }

my %absent = (ConditionExpression => 'attribute_not_exists(#i)', ExpressionAttributeNames => { '#i' => 'id' });

# ---- puts with conditions, and what fails ----

sql(q{SELECT create_table('items', 'id'); SELECT create_index('items', 'by_v', 'v', partition_key_type => 'N');
SELECT put_item('items', '{"id": "old", "v": 1}'::jsonb); SELECT put_item('items', '{"id": "kept", "v": 1}'::jsonb)});
put_file('in/mixed/a.json', record('new', 1) . record('old', 2) . "\n" . record('kept', 2, %absent) . record('absent', 3, %absent) .
	record('high', 5, ConditionExpression => 'v < :v', ExpressionAttributeValues => { ':v' => { N => '3' } }));
put_file('in/mixed/b.json', record('b', 1) . "no json\n" . '{"Item":{"v":{"N":"1"}}}' . "\n" . record('x', 1, ConditionExpression => 'v <') . record('y', 1, Condition => 'v') .
	'{"Item":{"id":{"N":"1"}}}' . "\n" . record('unused', 1, ExpressionAttributeValues => { ':v' => { N => '3' } }) . record('c', 1));
my $started = start('items', 'mixed/', {}, { ClientToken => 'first', MaxWriteRequestUnits => 100000 });
like($started->{BulkOperationArn}, qr{^arn:aws:dynamodb:us-east-1:000000000000:table/items/bulk-operation/\d{14}-[0-9a-f]{8}$}, 'a bulk operation begins');
is(join(' ', map { $started->{$_} } qw(BulkOperationStatus ClientToken PerformanceTier MaxWriteRequestUnits)), 'IN_PROGRESS first STANDARD 100000', 'and is described');
my $done = ended($started->{BulkOperationArn});
is(counts($done), 'COMPLETED_WITH_ERRORS 13 6', 'all lines are counted');
is(sql(q{SELECT string_agg(id || '=' || (item ->> 'v'), ' ' ORDER BY id) FROM items}), 'absent=3 b=1 c=1 kept=1 new=1 old=2', 'items whose conditions hold are put');
is(sql(q{SELECT count(*) FROM verify_index('items', 'by_v')}), '0', 'and are in the index');
is_deeply(report($done, 'condition-check-failure'), [ { Item => { id => { S => 'kept' }, v => { N => '2' } }, ExistingItem => { id => { S => 'kept' }, v => { N => '1' } } },
	{ Item => { id => { S => 'high' }, v => { N => '5' } } } ], 'conditions that do not hold are reported with what was there');
my $errors = report($done, 'error');
is(join(' ', map { "$_->{itemS3Pointer}{bucket}/$_->{itemS3Pointer}{key}:$_->{itemS3Pointer}{itemIndex}" } @$errors), join(' ', map { "in/mixed/b.json:$_" } 1 .. 6), 'lines that fail are reported with their places');
like($errors->[1]{errorMessages}[0], qr/Missing the key id in the item/, 'and why');
like($errors->[3]{errorMessages}[0], qr/unknown member "Condition" of a record/, 'a condition that would be ignored is an error');
is($done->{TotalInputBytes}, $done->{ProcessedInputBytes}, 'all bytes are counted');
is($done->{TableDetails}[0]{TableName} . ' ' . $done->{BulkOperationUsage}[0]{TableName}, 'items items', 'the table is named');
ok(!grep({ /\.lines$/ } split /\n/, `find $archive/out -type f`), 'only the reports remain');

# ---- input and output below one prefix ----

put_file('in/again/a.json', record('again', 2, %absent) . "no json\n" . record('kept', 3, %absent));
my %beside = (S3Bucket => 'in', S3KeyPrefix => 'again');
my ($first, $second) = map { ended(start('items', 'again/', {}, {}, undef, \%beside)->{BulkOperationArn}) } 1 .. 2;
is(join(', ', map { counts($_) } $first, $second), 'COMPLETED_WITH_ERRORS 3 1, COMPLETED_WITH_ERRORS 3 1', 'reports of another operation are no input');
is(sql(q{SELECT string_agg(item ->> 'v', ' ' ORDER BY id) FROM items WHERE id IN ('again', 'kept')}), '2 1', 'and put nothing that its conditions refused');
my ($folder) = $first->{BulkOperationArn} =~ m{([^/]*)$};
is(counts(ended(start('items', "again/AWSDynamoDB/$folder/condition-check-failure/", { InputCompressionType => 'GZIP' })->{BulkOperationArn})), 'COMPLETED_WITH_ERRORS 1 1',
	'a prefix that names them reads them');

# ---- tokens ----

is(start('items', 'mixed/', {}, { ClientToken => 'first', MaxWriteRequestUnits => 100000 })->{BulkOperationArn}, $started->{BulkOperationArn}, 'the same token begins nothing new');
like(start('items', 'other/', {}, { ClientToken => 'first' }), qr/^IdempotentParameterMismatchException: /, 'with other parameters it is refused');

# ---- compression, prefixes, reports that are not wanted ----

my $gzip;
gzip(\(record('zipped', 1) . record('kept', 2, %absent)), \$gzip) or die $GzipError;
put_file('in/zip/x.json.gz', $gzip);
$done = ended(start('items', 'zip/', { InputCompressionType => 'GZIP' }, {}, undef, { OutputType => [ 'ERROR' ], S3KeyPrefix => 'some/where' })->{BulkOperationArn});
is(counts($done), 'COMPLETED 2 0', 'conditions that do not hold are no errors');
is_deeply(report($done, 'condition-check-failure', 'some/where/'), [], 'a report that was not asked for is not written');
my ($summary) = glob("$archive/out/some/where/AWSDynamoDB/*/manifest-summary.json");
is($json->decode(slurp_file($summary))->{conditionCheckFailureCount}, 1, 'the manifest counts them');
is(counts(ended(start('items', 'nothing/')->{BulkOperationArn})), 'COMPLETED 0 0', 'no files are no error');

# ---- what is refused ----

for ([ { InputFormat => 'ION' }, {} ], [ {}, { S3SseAlgorithm => 'KMS' } ], [ {}, { S3SseKmsKeyId => 'key' } ], [ {}, { S3Bucket => undef } ],
	[ { S3KeyPrefix => '../x' }, {} ], [ { S3Bucket => '..' }, {} ], [ {}, { S3KeyPrefix => '/etc' } ], [ { InputFormat => 'CSV' }, {} ], [ {}, { OutputType => [] } ], [ {}, { OutputType => [ 'ALL' ] } ])
{
	my ($in, $out) = @$_;

	like(start('items', 'mixed/', $in, {}, undef, $out), qr/^ValidationException: /, $json->encode([ $in, $out ]) . ' is refused');
}
like(start('items', 'mixed/', {}, { MaxWriteRequestUnits => 1 }), qr/^ValidationException: /, 'so is a limit that is too low');
like(start('none', 'mixed/'), qr/^ResourceNotFoundException: /, 'so is a missing table');
like(start('items', 'mixed/', { S3BucketOwner => '123456789012' }), qr/^AccessDeniedException: /, 'so is a bucket of another account');
my $lost = ended(start('items', '', { S3Bucket => 'missing' })->{BulkOperationArn});
is("$lost->{BulkOperationStatus} $lost->{FailureCode}", 'FAILED S3NoSuchBucket', 'a missing bucket fails');
symlink('/etc', "$archive/in/etc");
is(ended(start('items', 'etc/')->{BulkOperationArn})->{BulkOperationStatus}, 'FAILED', 'a link is not followed');
for my $operation ('DescribeBulkOperation', 'CancelBulkOperation')
{
	like(request($operation, { BulkOperationArn => 'arn:aws:dynamodb:us-east-1:000000000000:table/items/bulk-operation/01489602797149-73d8d5bc' }), qr/^ResourceNotFoundException: /, "$operation of what does not exist");
}
sql(q{CREATE ROLE other LOGIN; GRANT ALL ON items TO other});
like(start('items', 'mixed/', {}, {}, 'other'), qr/^AccessDeniedException: permission denied to use the archive directory/, 'the right to the archive directory is needed');
sql('GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO other');
like(start('items', 'mixed/', {}, {}, 'other'), qr/^AccessDeniedException: must be owner/, 'and ownership of the table');
like(describe($started->{BulkOperationArn}, 'other'), qr/^ResourceNotFoundException: /, 'operations of others are not found');
is_deeply(request('ListBulkOperations', {}, 'other'), { BulkOperationsSummaryList => [] }, 'nor listed');
like(request('CancelBulkOperation', { BulkOperationArn => $started->{BulkOperationArn} }, 'other'), qr/^ResourceNotFoundException: /, 'nor cancelled');
is(request('CancelBulkOperation', { BulkOperationArn => $started->{BulkOperationArn} })->{BulkOperationStatus}, 'COMPLETED_WITH_ERRORS', 'what has ended is not cancelled');

# ---- the list ----

my @listed;
my $token;
do
{
	my $page = request('ListBulkOperations', { MaxResults => 2, $token ? (NextToken => $token) : () });

	push @listed, @{ $page->{BulkOperationsSummaryList} };
	$token = $page->{NextToken};
} while ($token);
is_deeply([ map { $_->{BulkOperationArn} } @listed ], [ map { $_->{BulkOperationArn} } @{ request('ListBulkOperations', { MaxResults => 25 })->{BulkOperationsSummaryList} } ], 'pages have all operations');
is($listed[-1]{BulkOperationArn}, $started->{BulkOperationArn}, 'the last ones first');
like(request('ListBulkOperations', { NextToken => 'x' }), qr/^ValidationException: .*\(\[0-9a-f\]\{16\}\)\+/, 'a token has digits');

# ---- killed, crashed, cancelled: somebody has locked an item of the third batch ----

# 5000 lines in two files: of each hundred one that fails, and one whose condition does not hold
sub many
{
	my ($table, $out) = @_;

	sql("SELECT create_table('$table', 'id'); SELECT count(put_item('$table', build_item('id', (n * 100)::text, 'v', -1))) FROM generate_series(1, 50) n");
	sql("SELECT put_item('$table', build_item('id', 'locked', 'v', -1))");
	for my $file (0 .. 1)
	{
		put_file("in/$table/$file.json", join('', map { $_ == 2250 ? record('locked', $_) : $_ % 100 == 0 ? record($_, $_, %absent) : $_ % 100 == 1 ? "wrong\n" : record($_, $_) } $file * 2500 + 1 .. $file * 2500 + 2500));
	}
	my $lock = $node->background_psql('postgres');
	$lock->query_safe("BEGIN; SELECT FROM $table WHERE id = 'locked' FOR UPDATE");
	my $arn = start($table, "$table/", {}, {}, undef, $out)->{BulkOperationArn};
	ok(wait_until(sub { describe($arn)->{ProcessedItemCount} == 2000 && sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job' AND wait_event_type = 'Lock'}) eq '1' }),
		"$table: two batches are committed, the third one waits");
	return ($lock, $arn);
}

sub check_all
{
	my ($table, $arn, $place) = @_;
	my $end = ended($arn);

	is(counts($end), 'COMPLETED_WITH_ERRORS 5000 50', "$table: all lines were taken once");
	is(sql("SELECT count(*), count(*) FILTER (WHERE (item ->> 'v')::int = -1) FROM $table"), '4950|50', "$table: all items are there");
	is(join(' ', map { $_->{itemS3Pointer}{key} . ':' . $_->{itemS3Pointer}{itemIndex} } @{ report($end, 'error', $place) }),
		join(' ', map { my $n = $_ * 100; "$table/" . ($n < 2500 ? "0.json:$n" : '1.json:' . ($n - 2500)) } 0 .. 49), "$table: each error is reported once");
	is(join(' ', map { $_->{Item}{id}{S} } @{ report($end, 'condition-check-failure', $place) }), join(' ', map { $_ * 100 } 1 .. 50), "$table: and each condition");
	return;
}

# ---- others that are in the way ----

# the worker waits for a transaction that then waits for the worker, and is the victim, which tries again
sql(q{ALTER SYSTEM SET deadlock_timeout = '5s'});
sql('SELECT pg_reload_conf()');
sql(q{SELECT create_table('contended', 'id'); SELECT put_item('contended', build_item('id', id, 'v', -1)) FROM unnest('{b1,b2}'::text[]) id});
put_file('in/contended/x.json', record('b1', 1) . record('b2', 1) . record('b3', 1));
my $client = $node->background_psql('postgres');
$client->query_safe(q{SET deadlock_timeout = '10min'; BEGIN; UPDATE contended SET item = build_item('id', 'b2', 'v', 2) WHERE id = 'b2'});
my $contended = start('contended', 'contended/')->{BulkOperationArn};
ok(wait_until(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job' AND wait_event_type = 'Lock'}) eq '1' }), 'a worker waits for a transaction');
$client->query_safe(q{UPDATE contended SET item = build_item('id', 'b1', 'v', 2) WHERE id = 'b1'; COMMIT});
$client->quit;
is(counts(ended($contended)), 'COMPLETED 3 0', 'a deadlock does not end an operation');
is(sql(q{SELECT string_agg(id || '=' || (item ->> 'v'), ' ' ORDER BY id) FROM contended}), 'b1=1 b2=1 b3=1', 'and its items are put in the end');
sql('ALTER SYSTEM RESET deadlock_timeout');
sql('SELECT pg_reload_conf()');

# ---- items that are larger than the lines whose conditions they do not meet ----

sql(q{SELECT create_table('large', 'id'); SELECT count(put_item('large', build_item('id', 'l' || n, 'text', repeat('x', 390000)))) FROM generate_series(1, 60) n});
put_file('in/large/x.json', join('', map { record("l$_", 1, %absent) . record("s$_", 1) } 1 .. 60));
my $large = ended(start('large', 'large/')->{BulkOperationArn});
is(counts($large), 'COMPLETED 120 0', 'all lines are counted');
is(join(' ', map { $_->{Item}{id}{S} . length($_->{ExistingItem}{text}{S}) } @{ report($large, 'condition-check-failure') }), join(' ', map { "l${_}390000" } 1 .. 60), 'and reported, each once');
is(sql(q{SELECT count(*), count(DISTINCT xmin::text) FROM large WHERE id LIKE 's%'}), '60|2', 'all others are put, in transactions whose reports are not long');

my ($lock, $arn) = many('killed');
sql(q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'});
$lock->query_safe('COMMIT');
$lock->quit;
is(sql(q{SELECT count(*) FROM killed WHERE (item ->> 'v')::int > 0}), 2000 - 40, 'a batch is put as a whole, or not');
is(describe($arn)->{BulkOperationStatus}, 'IN_PROGRESS', 'an operation that has lost its worker goes on when it is described');
check_all('killed', $arn);

# reports that lie below the prefix are no input of the worker that goes on
($lock, $arn) = many('beside', { S3Bucket => 'in', S3KeyPrefix => 'beside/x' });
sql(q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'});
$lock->query_safe('COMMIT');
$lock->quit;
is(describe($arn)->{BulkOperationStatus}, 'IN_PROGRESS', 'one goes on that reports beside its files');
check_all('beside', $arn, '../in/beside/x/');

($lock, $arn) = many('crashed');
crash_node($node);
$node->_update_pid(-1);
$node->start;
eval { $lock->quit };
# a transaction that did not commit may have written to a report
for my $name ('error', 'condition-check-failure')
{
	my ($id) = $arn =~ m{([^/]*)$};
	append_to_file("$archive/out/AWSDynamoDB/$id/$name.lines", "what did not happen\n");
}
is(describe($arn)->{BulkOperationStatus}, 'IN_PROGRESS', 'after a crash, too');
check_all('crashed', $arn);

($lock, $arn) = many('cancelled');
is(request('CancelBulkOperation', { BulkOperationArn => $arn })->{BulkOperationStatus}, 'CANCELLING', 'an operation is being cancelled');
$lock->query_safe('COMMIT');
$lock->quit;
my $cancelled = ended($arn);
is("$cancelled->{BulkOperationStatus} $cancelled->{FailureCode}", 'CANCELLED Cancelled', 'and is cancelled');
cmp_ok($cancelled->{ProcessedItemCount}, '<', 3001, 'after the batch that was put');
is(sql(q{SELECT count(*) FROM cancelled WHERE (item ->> 'v')::int > 0}), $cancelled->{ProcessedItemCount} - scalar(@{ report($cancelled, 'error') }) - scalar(@{ report($cancelled, 'condition-check-failure') }), 'what was put remains, and the reports tell of the others');

($lock, $arn) = many('dropped');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'});
$lock->query_safe('COMMIT');
$lock->quit;
my $failed = ended($arn);
is(counts($failed), 'FAILED 2000 20', 'an operation that an error ends keeps its counts');

$node->stop;
done_testing();
