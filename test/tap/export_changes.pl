# export_changes.pl: incremental exports: a line for each item that has changed between two
# times, no change missing, and tables that are made of a full export and those after it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $seed = $ENV{SEED} // 1;
srand($seed);
note("SEED=$seed");
my $archive = PostgreSQL::Test::Utils::tempdir();
my $node = new_dynamo_node('export_changes', qq{
dynamo.archive_directory = '$archive'
dynamo.housekeeping_interval = 0
max_worker_processes = 12
});
my $json = JSON::PP->new->canonical->allow_nonref;
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET search_path = public, dynamo');

sub sql { return $node->safe_psql('postgres', $_[0]) }
sub now { return sql('SELECT extract(epoch FROM clock_timestamp())') }
sub arn { return "arn:aws:dynamodb:us-east-1:000000000000:table/$_[0]" }

# The answer of a request: the body, or "Exception: message".
sub request
{
	my ($operation, $input) = @_;
	my $text = $json->encode($input) =~ s/'/''/gr;
	my $answer = $json->decode(sql("SELECT dynamo.request_safe('$operation', '$text')"));

	return $answer->{body} if $answer->{status} == 200;
	my ($type) = $answer->{body}{__type} =~ /#(.*)/;
	return "$type: " . ($answer->{body}{message} // $answer->{body}{Message});
}

sub described { return request("Describe$_[0]", { "$_[0]Arn" => $_[1] }) }

sub ended
{
	my ($kind, $arn) = @_;

	for (1 .. 3600)
	{
		my ($description) = values %{ described($kind, $arn) };

		return $description if $description->{"${kind}Status"} ne 'IN_PROGRESS';
		sleep(0.05);
	}
	return { "${kind}Status" => 'still IN_PROGRESS' };
}

sub begin_export
{
	my ($table, $bucket, %more) = @_;
	my $answer = request('ExportTableToPointInTime', { TableArn => arn($table), S3Bucket => $bucket, %more });

	return ref $answer ? $answer->{ExportDescription}{ExportArn} : $answer;
}

sub incremental
{
	my ($from, $to, %more) = @_;

	return (ExportType => 'INCREMENTAL_EXPORT', IncrementalExportSpecification => { ExportFromTime => 0 + $from, defined $to ? (ExportToTime => 0 + $to) : (), %more });
}

sub exported
{
	my $arn = begin_export(@_);

	return $arn =~ /^arn:/ ? ended('Export', $arn) : $arn;
}

sub read_json { return $json->decode(slurp_file($_[0])) }

# The time of the full export in a bucket.
sub begin_of
{
	my ($bucket) = @_;
	my $time = read_json((glob("$archive/$bucket/AWSDynamoDB/*/manifest-summary.json"))[0])->{exportTime};

	return sql("SELECT extract(epoch FROM '$time'::timestamptz)");
}

# The lines of an export, by the pk of their items.
sub lines_of
{
	my ($export) = @_;
	my ($path) = "$archive/$export->{S3Bucket}/$export->{ExportManifest}" =~ m{(.*)/manifest-summary.json$};
	my %lines;

	for (map { $json->decode($_) } split /\n/, slurp_file("$path/manifest-files.json"))
	{
		my ($file, $text) = ("$archive/$export->{S3Bucket}/$_->{dataFileS3Key}");

		gunzip($file => \$text) or die $GunzipError;
		for (map { $json->decode($_) } split /\n/, $text)
		{
			my $pk = $_->{Keys}{pk}{S};

			die "two lines of $pk" if exists $lines{$pk};
			$lines{$pk} = $_;
		}
	}
	return \%lines;
}

sub import_bucket
{
	my ($bucket, $table) = @_;
	my $answer = request('ImportTable', { InputFormat => 'DYNAMODB_JSON', InputCompressionType => 'GZIP', S3BucketSource => { S3Bucket => $bucket },
		TableCreationParameters => { TableName => $table, BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' } ],
			KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' } ] } });

	return ref $answer ? ended('Import', $answer->{ImportTableDescription}{ImportArn})->{ImportStatus} : $answer;
}

sub contents { return sql("SELECT string_agg(item::text, ' ' ORDER BY pk) FROM $_[0]") }
sub put { return sql(join '', map { "SELECT put_item('items', '$_');" } @_) }

# ---- what the lines have ----

mkdir "$archive/$_" for qw(one-bucket busy-bucket many-bucket);
sql("SELECT create_table('items', 'pk')");
put('{"pk": {"S": "kept"}, "v": {"N": "0"}}', '{"pk": {"S": "changed"}, "v": {"N": "0"}}', '{"pk": {"S": "removed"}, "v": {"N": "0"}}',
	'{"pk": {"S": "replaced"}, "v": {"N": "0"}}');
is(exported('items', 'one-bucket', incremental(1)), q{PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'items'}, 'only with recovery');
request('UpdateContinuousBackups', { TableName => 'items', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
is(exported('items', 'one-bucket')->{ItemCount}, 4, 'a full export');
my $from = begin_of('one-bucket');
put('{"pk": {"S": "new"}, "v": {"N": "1"}}', '{"pk": {"S": "changed"}, "v": {"N": "1"}}', '{"pk": {"S": "changed"}, "v": {"N": "2"}}', '{"pk": {"S": "brief"}}');
sql(q{SELECT delete_item('items', '{"pk": {"S": "removed"}}'), delete_item('items', '{"pk": {"S": "brief"}}'), delete_item('items', '{"pk": {"S": "replaced"}}')});
put('{"pk": {"S": "replaced"}, "w": {"B": "AAE="}}');
sleep(0.01);
my $to = now();
sleep(0.01);
put('{"pk": {"S": "later"}}', '{"pk": {"S": "changed"}, "v": {"N": "3"}}');
my $export = exported('items', 'one-bucket', incremental($from, $to));
is($export->{ExportStatus}, 'COMPLETED', 'an incremental export') or diag(explain($export));
is_deeply([ @$export{qw(ItemCount ExportTime)}, $export->{IncrementalExportSpecification} ], [ 5, undef, { ExportFromTime => 0 + $from, ExportToTime => 0 + $to } ], 'its description');
my $lines = lines_of($export);
my %times = map { $_ => delete $lines->{$_}{Metadata}{WriteTimestampMicros} } keys %$lines;
is(scalar(grep { $_ < $from * 1e6 - 1000 || $_ >= $to * 1e6 } values %times), 0, 'times of changes are within');
my %meta = (Metadata => {});
is_deeply($lines, {
	new => { %meta, Keys => { pk => { S => 'new' } }, NewImage => { pk => { S => 'new' }, v => { N => '1' } } },
	changed => { %meta, Keys => { pk => { S => 'changed' } }, NewImage => { pk => { S => 'changed' }, v => { N => '2' } }, OldImage => { pk => { S => 'changed' }, v => { N => '0' } } },
	removed => { %meta, Keys => { pk => { S => 'removed' } }, OldImage => { pk => { S => 'removed' }, v => { N => '0' } } },
	replaced => { %meta, Keys => { pk => { S => 'replaced' } }, NewImage => { pk => { S => 'replaced' }, w => { B => 'AAE=' } }, OldImage => { pk => { S => 'replaced' }, v => { N => '0' } } },
	brief => { %meta, Keys => { pk => { S => 'brief' } } } }, 'one line for each item, with the images before and after');
my $summary = read_json("$archive/one-bucket/$export->{ExportManifest}");
is_deeply([ @$summary{qw(version exportType outputView itemCount exportTime)} ], [ '2023-08-01', 'INCREMENTAL_EXPORT', 'NEW_AND_OLD_IMAGES', 5, undef ], 'its manifest');
like("$summary->{exportFromTime} $summary->{exportToTime}", qr/^\d{4}-\d\d-\d\dT[\d:.]+Z \d{4}-\d\d-\d\dT[\d:.]+Z$/, 'its times');
is_deeply([ map { $_->{ExportType} } @{ request('ListExports', { TableArn => arn('items') })->{ExportSummaries} } ], [ 'INCREMENTAL_EXPORT', 'FULL_EXPORT' ], 'in the list');

my $second = exported('items', 'one-bucket', incremental($to, undef, ExportViewType => 'NEW_IMAGE'));
$lines = lines_of($second);
is_deeply([ map { sort keys %{ $lines->{$_} } } qw(later changed) ], [ (qw(Keys Metadata NewImage)) x 2 ], 'only new images');
is_deeply([ @{ read_json("$archive/one-bucket/$second->{ExportManifest}") }{qw(outputView itemCount)} ], [ 'NEW_IMAGE', 2 ], 'the second manifest');
is(import_bucket('one-bucket', 'copy'), 'COMPLETED', 'the full export and those after it are imported');
is(contents('copy'), contents('items'), 'and are the table');
is(exported('items', 'one-bucket', incremental($to, $to + 0.001))->{ItemCount}, 0, 'nothing has changed');

# ---- what is refused ----

my %bad = (
	'no time' => [ { ExportType => 'INCREMENTAL_EXPORT' }, 'ExportFromTime must be provided in IncrementalExportSpecification' ],
	'no from' => [ { ExportType => 'INCREMENTAL_EXPORT', IncrementalExportSpecification => { ExportToTime => 1 } }, 'ExportFromTime must be provided' ],
	'of a full one' => [ { IncrementalExportSpecification => { ExportFromTime => 1 } }, 'can only be provided with ExportType INCREMENTAL_EXPORT' ],
	'ExportTime' => [ { incremental($from), ExportTime => int $from }, 'ExportTime cannot be provided' ],
	'filter' => [ { incremental($from), FilterSpecification => {} }, 'FilterSpecification is not supported' ],
	'before recovery' => [ { incremental($from - 1000) }, 'InvalidExportTimeException: ExportFromTime must be before' ],
	'the future' => [ { incremental($from, $from + 1000) }, 'InvalidExportTimeException: ExportFromTime must be before' ],
	'backwards' => [ { incremental($to, $from) }, 'InvalidExportTimeException: ExportFromTime must be before' ],
	'no time at all' => [ { incremental('1e300') }, 'SerializationException' ],
	'a view' => [ { incremental($from, $to, ExportViewType => 'OLD_IMAGE') }, "ValidationException: .*exportViewType' failed to satisfy constraint" ]);
for my $what (sort keys %bad)
{
	my ($input, $error) = @{ $bad{$what} };

	like(begin_export('items', 'one-bucket', %$input), qr/$error/, "refused: $what");
}
sql("SELECT create_table('old_images', 'pk'), enable_stream('old_images', 'OLD_IMAGE')");
request('UpdateContinuousBackups', { TableName => 'old_images', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
like(begin_export('old_images', 'one-bucket', incremental(now())), qr/needs a stream with the view type NEW_AND_OLD_IMAGES/, 'refused: a stream without new images');

# ---- transactions that commit later ----

my $writer = $node->background_psql('postgres');
$from = now();
$writer->query_safe(q{BEGIN; SELECT dynamo.put_item('items', '{"pk": {"S": "slow"}}')});
sleep(0.01);
my $waiting = begin_export('items', 'busy-bucket', incremental($from));
like($waiting, qr/^arn:/, 'an export while a transaction writes');
ok($node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'virtualxid'}), 'waits for it');
is(described('Export', $waiting)->{ExportDescription}{ExportStatus}, 'IN_PROGRESS', 'and is in progress');
$writer->query_safe('COMMIT');
is_deeply([ keys %{ lines_of(ended('Export', $waiting)) } ], ['slow'], 'and has what it has written');
$writer->query_safe(q{BEGIN; SELECT dynamo.put_item('items', '{"pk": {"S": "undone"}}')});
sleep(0.01);
$waiting = begin_export('items', 'busy-bucket', incremental($from));
ok($node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'virtualxid'}), 'another one waits');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'virtualxid'});
is(ended('Export', $waiting)->{ExportStatus}, 'FAILED', 'until it is canceled');
is(scalar(() = glob("$archive/busy-bucket/AWSDynamoDB/*-*/manifest-summary.json")), 1, 'which leaves no files');
is(scalar(() = glob("$archive/busy-bucket/AWSDynamoDB/*-*")), 1, 'and no directory');
$writer->query_safe('ROLLBACK');
$writer->quit;

# ---- random changes in two sessions, with windows that follow each other ----

is(exported('items', 'many-bucket')->{ExportStatus}, 'COMPLETED', 'the beginning');
$from = begin_of('many-bucket');
my @sessions = map { $node->background_psql('postgres') } 1 .. 2;
for my $round (1 .. 6)
{
	for my $session (@sessions)
	{
		my @changes = map {
			my $key = sprintf '{"pk": {"S": "r%d"}%%s}', rand 40;
			rand() < 0.3 ? sprintf("SELECT dynamo.delete_item('items', '$key');", '') : sprintf("SELECT dynamo.put_item('items', '$key');", sprintf ', "v": {"N": "%d"}', rand 1000);
		} 1 .. 30;
		$session->query_safe(rand() < 0.3 ? join('', 'BEGIN;', @changes, 'ROLLBACK') : join '', @changes);
	}
	my $until = now();
	my $part = exported('items', 'many-bucket', incremental($from, $until));
	is($part->{ExportStatus}, 'COMPLETED', "round $round") or diag(explain($part));
	$from = $until;
}
$_->quit for @sessions;
is(import_bucket('many-bucket', 'summed'), 'COMPLETED', 'all parts are imported');
is(contents('summed'), contents('items'), 'and are the table');
$node->stop;
done_testing();
