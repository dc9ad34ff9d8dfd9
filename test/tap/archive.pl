# archive.pl: exports, imports, backups and restores by requests: the files of the
# service, hostile names, missing rights, crashes, cancellation, a full disk.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Digest::MD5 qw(md5_base64 md5_hex);
use DynamoNode;
use HttpClient;
use IO::Compress::Gzip qw(gzip $GzipError);
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $archive = PostgreSQL::Test::Utils::tempdir();
my $node = new_http_node('archive', $port, 1, qq{
dynamo.archive_directory = '$archive'
dynamo.housekeeping_interval = 0
max_prepared_transactions = 2
log_min_messages = log
});
my $superuser = getpwuid($<);
my $json = JSON::PP->new->canonical->allow_nonref->ascii;

sub sql { return $node->safe_psql('postgres', @_) }

# The answer of a request by a role: the body, or "Exception: message".
sub request
{
	my ($operation, $input, $role) = @_;
	my $text = $json->encode($input);

	$text =~ s/'/''/g;
	my $answer = $json->decode($node->safe_psql('postgres', "SELECT dynamo.request_safe('$operation', '$text')",
		extra_params => [ '-U', $role // $superuser ]));
	return $answer->{body} if $answer->{status} == 200;
	my ($type) = $answer->{body}{__type} =~ /#(.*)/;
	return "$type: " . ($answer->{body}{message} // $answer->{body}{Message});
}

sub arn { return 'arn:aws:dynamodb:us-east-1:000000000000:table/' . join('/', @_) }

# Waits until an export or import has ended; returns its description.
sub ended
{
	my ($kind, $arn, $role) = @_;

	for (1 .. 3600)
	{
		my $answer = request("Describe$kind", { "${kind}Arn" => $arn }, $role);
		my ($description) = values %$answer;

		return $description if $description->{"${kind}Status"} ne 'IN_PROGRESS';
		sleep(0.05);
	}
	return { "${kind}Status" => 'still IN_PROGRESS' };
}

sub exported
{
	my ($input, $role) = @_;
	my $answer = request('ExportTableToPointInTime', { TableArn => arn('types'), S3Bucket => 'bucket', %$input }, $role);

	return ref $answer ? ended('Export', $answer->{ExportDescription}{ExportArn}, $role) : $answer;
}

my %new_table = (
	AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' } ],
	KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' } ],
	BillingMode => 'PAY_PER_REQUEST');

sub import_input
{
	my ($table, $prefix, %more) = @_;
	my %source = (S3Bucket => 'bucket', S3KeyPrefix => $prefix);

	return { InputFormat => 'DYNAMODB_JSON', S3BucketSource => \%source,
		TableCreationParameters => { %new_table, TableName => $table }, %more };
}

sub imported
{
	my $answer = request('ImportTable', import_input(@_));

	return ref $answer ? ended('Import', $answer->{ImportTableDescription}{ImportArn}) : $answer;
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

sub backup_of
{
	my ($table, $name, $role) = @_;
	my $answer = request('CreateBackup', { TableName => $table, BackupName => $name }, $role);

	return $answer if !ref $answer;
	my $arn = $answer->{BackupDetails}{BackupArn};
	for (1 .. 3600)
	{
		my $now = request('DescribeBackup', { BackupArn => $arn }, $role);

		return $arn if !ref $now || $now->{BackupDescription}{BackupDetails}{BackupStatus} ne 'CREATING';
		sleep(0.05);
	}
	return 'still CREATING';
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

sub files_below
{
	my ($directory) = @_;
	my @files = map { s{^\Q$directory\E/}{}r } split /\n/, `find '$directory' -type f`;

	return sort @files;
}

sub same_items
{
	my ($one, $other, $name) = @_;

	is(sql("SELECT count(*) FROM $one a FULL JOIN $other b USING (pk) WHERE a.item::text IS DISTINCT FROM b.item::text"), '0', $name);
	cmp_ok(sql("SELECT count(*) FROM $other"), '>', 0, "$name: there are items");
	return;
}

mkdir "$archive/bucket";

# ---- every type of attribute ----

my @items = (
	{ pk => { S => 'scalars' }, s => { S => "\x{e9}\x{1f600}\n\"\\" }, n => { N => '-1.5' }, t => { BOOL => JSON::PP::true },
		f => { BOOL => JSON::PP::false }, z => { NULL => JSON::PP::true }, b => { B => 'AAH//g==' }, e => { S => '' } },
	{ pk => { S => 'numbers' }, big => { N => '12345678901234567890123456789012345678' }, tiny => { N => '0.' . '0' x 120 . '1' },
		huge => { N => '9' x 38 . '0' x 80 } },
	{ pk => { S => 'sets' }, ss => { SS => [ 'a', 'b' ] }, ns => { NS => [ '1', '2.5', '-3' ] }, bs => { BS => [ 'AA==', 'AQI=' ] } },
	{ pk => { S => 'nested' }, l => { L => [ { M => { x => { L => [] }, y => { M => {} } } }, { N => '0' } ] } });
request('CreateTable', { %new_table, TableName => 'types' });
request('PutItem', { TableName => 'types', Item => $_ }) for @items;
request('UpdateContinuousBackups', { TableName => 'types', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });

my $export = exported({ S3Prefix => 'some/prefix', ClientToken => 'token1' });
is($export->{ExportStatus}, 'COMPLETED', 'an export completes');
is($export->{ItemCount}, scalar @items, 'an export counts its items');
my ($id) = $export->{ExportArn} =~ m{/export/(\d{14}-[0-9a-f]{8})$};
my $tree = "some/prefix/AWSDynamoDB/$id";
is($export->{ExportManifest}, "$tree/manifest-summary.json", 'an export names its manifest');
my @names = files_below("$archive/bucket/$tree");
like(join(' ', @names), qr{^_started data/\w{26}\.json\.gz manifest-files\.checksum manifest-files\.json manifest-summary\.checksum manifest-summary\.json$},
	'the files are those of the service');
my ($file) = map { $json->decode($_) } split /\n/, slurp_file("$archive/bucket/$tree/manifest-files.json");
my $data = slurp_file("$archive/bucket/$file->{dataFileS3Key}");
is("$file->{md5Checksum} $file->{etag} $file->{itemCount}", md5_base64($data) . '== ' . md5_hex($data) . ' ' . @items, 'checksums of the data are right');
for my $manifest ('files', 'summary')
{
	is(slurp_file("$archive/bucket/$tree/manifest-$manifest.checksum"), md5_base64(slurp_file("$archive/bucket/$tree/manifest-$manifest.json")) . '==',
		"checksum of manifest-$manifest.json is right");
}
my $summary = $json->decode(slurp_file("$archive/bucket/$tree/manifest-summary.json"));
is($summary->{manifestFilesS3Key}, "$tree/manifest-files.json", 'the summary names the other manifest');
is($summary->{exportArn}, $export->{ExportArn}, 'the summary names the export');
my $lines;
gunzip(\$data, \$lines) or die $GunzipError;
is_deeply([ sort map { $json->decode($_)->{Item}{pk}{S} } split /\n/, $lines ], [ sort map { $_->{pk}{S} } @items ], 'the lines of an export contain the items');

is(exported({ S3Prefix => 'some/prefix', ClientToken => 'token1' })->{ExportArn}, $export->{ExportArn}, 'a repeated token returns the same export');
like(exported({ S3Prefix => 'other', ClientToken => 'token1' }), qr/^ExportConflictException: /, 'a repeated token with other parameters is a conflict');

my $import = imported('again', "$tree/data/", InputCompressionType => 'GZIP');
is($import->{ImportStatus}, 'COMPLETED', 'the export is imported');
is("$import->{ImportedItemCount} $import->{ProcessedItemCount} $import->{ErrorCount}", '4 4 0', 'an import counts its items');
same_items('types', 'again', 'an import is what was exported');

# tables that are read by a statement, and more than one file
request('CreateTable', { %new_table, TableName => 'secured' });
sql(q{SELECT dynamo.put_item('secured', '{"pk": {"S": "a"}}'); ALTER TABLE secured ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	SELECT dynamo.create_table('big', 'pk'); SELECT count(dynamo.put_item('big', dynamo.build_item('pk', n::text, 'x', repeat('x', 390000)))) FROM generate_series(1, 350) n});
for (['secured', 1, 1], ['big', 350, 2])
{
	my ($table, $count, $files) = @$_;
	mkdir "$archive/of_$table";
	is(sql("SELECT dynamo.export_items('$table', '$archive/of_$table')"), $count, "export_items writes $table to a directory");
	my ($written) = glob("$archive/of_$table/AWSDynamoDB/*");
	is(scalar(my @found = glob("$written/data/*")), $files, "in $files files");
	is(sql("BEGIN; DELETE FROM $table; SELECT imported FROM dynamo.import_items('$table', '$written'); ROLLBACK"), $count, 'which import_items reads');
}

# ---- the service's layout, made by hand ----

my $sample = "$FindBin::RealBin/../include/export";
system('cp', '-r', "$sample/AWSDynamoDB", "$archive/bucket/") == 0 or die;
my ($sample_file) = glob("$archive/bucket/AWSDynamoDB/*/data/*.json");
my $plain = slurp_file($sample_file);
gzip(\$plain, "$sample_file.gz") or die $GzipError;
unlink $sample_file;
# the compressed file has other bytes than the service's, which the manifest describes
my $manifest = $sample_file =~ s{/data/[^/]*$}{/manifest-files.json}r;
my $checksum = md5_base64(slurp_file("$sample_file.gz")) . '==';
(my $described = slurp_file($manifest)) =~ s/(?<="md5Checksum":")[^"]*/$checksum/;
put_file(substr($manifest, length("$archive/")), $described);
my ($sample_id) = $sample_file =~ m{/(\d{14}-[0-9a-f]{8})/};
is(imported('service', "AWSDynamoDB/$sample_id/data", InputCompressionType => 'GZIP')->{ImportStatus}, 'COMPLETED', 'an export of the service is imported');
same_items('types', 'service', 'with every type of attribute');
sql(q{SELECT dynamo.create_table('existing', 'pk')});
is(sql("SELECT imported, failed FROM dynamo.import_items('existing', '$archive/bucket/AWSDynamoDB/$sample_id')"), '4|0', 'import_items reads a directory');
same_items('types', 'existing', 'into an existing table');
mkdir "$archive/own";
is(sql("SELECT dynamo.export_items('types', '$archive/own')"), '4', 'export_items writes to a directory');
my ($own) = glob("$archive/own/AWSDynamoDB/*");
is(sql("DELETE FROM existing; SELECT imported FROM dynamo.import_items('existing', '$own')"), '4', 'import_items reads the files of export_items');
same_items('types', 'existing', 'and nothing is lost');

# ---- copies of exports that are not complete ----

# Copies the export of the table big, with two data files, changes it, and imports it by both doors.
my ($whole) = glob("$archive/of_big/AWSDynamoDB/*");

sub damaged
{
	my ($name, $change, $problem) = @_;
	my $copy = "$archive/bucket/$name/AWSDynamoDB/export";

	system('mkdir', '-p', $copy);
	system('cp', '-r', "$whole/.", $copy) == 0 or die;
	$change->($copy, sort glob("$copy/data/*"));
	my ($result, $out, $err) = $node->psql('postgres', "DELETE FROM existing; SELECT imported FROM dynamo.import_items('existing', '$copy')");
	like($err, $problem, "$name: import_items");
	is(sql('SELECT count(*) FROM existing'), 0, "$name: import_items imports nothing");
	my $import = imported('copy_' . $name =~ s/\W/_/gr, "$name/AWSDynamoDB/export/data/", InputCompressionType => 'GZIP');
	is($import->{ImportStatus}, 'FAILED', "$name: ImportTable");
	like($import->{FailureMessage}, $problem, "$name: and says so");
	return;
}

damaged('missing', sub { unlink $_[2] }, qr/data file ".*" of the export is missing/);
damaged('cut', sub { truncate($_[1], (-s $_[1]) - 1) }, qr/does not have the checksum/);
damaged('stray', sub { system('cp', $_[1], "$_[0]/data/zzz.json.gz") }, qr/file ".*zzz\.json\.gz" is not in the manifest of its export/);
damaged('listless', sub { unlink "$_[0]/manifest-files.json" }, qr/manifest ".*manifest-files\.json" of the export is missing/);
damaged('shortened', sub { truncate("$_[0]/manifest-files.json", 40) }, qr/manifest|json/i);
is(imported('copy_entire', 'entire/AWSDynamoDB/export/data/', InputCompressionType => 'GZIP')->{ImportedItemCount}, 350, 'the whole export is imported')
  if system('mkdir', '-p', "$archive/bucket/entire/AWSDynamoDB/export") == 0 && system('cp', '-r', "$whole/.", "$archive/bucket/entire/AWSDynamoDB/export") == 0;

# ---- exports with a filter ----

sql(q{SELECT dynamo.create_table('filtered', 'pk', 'sk'); SELECT count(dynamo.put_item('filtered', dynamo.build_item('pk', 'p' || n % 3, 'sk', lpad(n::text, 4, '0'), 'v', n, 'size', 'x'))) FROM generate_series(1, 300) n});
request('UpdateContinuousBackups', { TableName => 'filtered', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });

# The items that an export with a filter writes, or its error.
sub filtered_items
{
	my ($filter) = @_;
	my $export = exported({ TableArn => arn('filtered'), S3Prefix => 'filtered', FilterSpecification => $filter });
	my @items;

	return $export if !ref $export;
	is_deeply($export->{FilterSpecification}, $filter, 'an export returns its filter');
	my ($id) = $export->{ExportArn} =~ m{([^/]*)$};
	for my $file (glob("$archive/bucket/filtered/AWSDynamoDB/$id/data/*"))
	{
		my $lines;

		gunzip($file, \$lines) or die $GunzipError;
		push @items, map { $json->decode($_)->{Item} } split /\n/, $lines;
	}
	is($export->{ItemCount}, scalar @items, 'and counts the items that it has');
	return join(' ', map { my $i = $_; join(',', map { "$_=" . (values %{ $i->{$_} })[0] } sort keys %$i) } sort { $json->encode($a) cmp $json->encode($b) } @items);
}

is(filtered_items({ FilterExpression => 'v < :v AND pk <> :p', ExpressionAttributeValues => { ':v' => { N => '5' }, ':p' => { S => 'p0' } }, ProjectionExpression => 'v' }), 'v=1 v=2 v=4', 'a filter and a projection');
is(filtered_items({ KeyConditionExpression => 'pk = :p AND sk > :s', FilterExpression => '#s = :x', ExpressionAttributeNames => { '#s' => 'size' },
	ExpressionAttributeValues => { ':p' => { S => 'p1' }, ':s' => { S => '0294' }, ':x' => { S => 'x' } } }), 'pk=p1,size=x,sk=0295,v=295 pk=p1,size=x,sk=0298,v=298', 'a key condition');
is(filtered_items({ FilterExpression => 'attribute_exists(nothing)' }), '', 'nothing that matches');
for ([ { FilterExpression => 'v <' }, qr/Invalid FilterExpression: Syntax error/ ], [ { FilterExpression => 'v < :v' }, qr/Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute value: :v/ ],
	[ { KeyConditionExpression => 'v = :v', ExpressionAttributeValues => { ':v' => { N => '1' } } }, qr/Query condition missed key schema element: pk/ ],
	[ { KeyConditionExpression => 'pk = :v', FilterExpression => 'sk = :v', ExpressionAttributeValues => { ':v' => { S => '1' } } }, qr/Filter Expression can only contain non-primary key attributes: Primary key attribute: sk/ ],
	[ { ProjectionExpression => 'a,' }, qr/Invalid ProjectionExpression/ ], [ { FilterExpression => 'v = :v', ExpressionAttributeValues => { ':v' => { N => '1' }, ':w' => { N => '1' } } }, qr/unused in expressions/ ])
{
	my ($filter, $problem) = @$_;

	like(filtered_items($filter), qr/^ValidationException: .*$problem/, $json->encode($filter) . ' is refused');
}

# ---- formats ----

put_file('bucket/csv/a.csv', qq{pk,name,note\n1,"a, ""b""",\n2,"two\nlines",x\r\n});
is(imported('csv', 'csv/', InputFormat => 'CSV')->{ImportStatus}, 'COMPLETED', 'CSV is imported');
is(sql('SELECT item FROM csv ORDER BY pk'), qq({"name": {"S": "a, \\"b\\""}, "pk": {"S": "1"}}\n{"name": {"S": "two\\nlines"}, "note": {"S": "x"}, "pk": {"S": "2"}}),
	'with quotes, line breaks and empty fields');
put_file('bucket/inch/a.csv', qq{pk\n5" pipe\n6" pipe\n"7"" pipe"\n});
imported('inch', 'inch/', InputFormat => 'CSV');
is(sql('SELECT pk FROM inch ORDER BY pk'), qq(5" pipe\n6" pipe\n7" pipe), 'a quote within a field that is not quoted is a character');
is(sql('SELECT count(*) FROM inch'), '3', 'and opens nothing');
put_file('bucket/tsv/a', "1\tb\n");
my $tsv = import_input('tsv', 'tsv/', InputFormat => 'CSV', InputFormatOptions => { Csv => { Delimiter => "\t", HeaderList => [ 'pk', 'v' ] } });
$tsv->{TableCreationParameters}{AttributeDefinitions} = [ { AttributeName => 'pk', AttributeType => 'N' } ];
is(ended('Import', request('ImportTable', $tsv)->{ImportTableDescription}{ImportArn})->{ImportedItemCount}, 1, 'an import uses the given delimiter and header');
is(sql('SELECT pk, item FROM tsv'), '1|{"pk": {"N": "1"}, "v": {"S": "b"}}', 'an import of CSV converts key attributes to their types');
put_file('bucket/bad/a.json', join("\n", (map { qq({"Item":{"pk":{"S":"$_"}}}) } 1 .. 9), '{"Item":{"x":{"S":"no key"}}}'));
$import = imported('bad', 'bad/');
is(join(' ', map { $import->{$_} } qw(ImportStatus FailureCode ProcessedItemCount ImportedItemCount ErrorCount)),
	'FAILED ItemValidationError 10 9 1', 'bad items are counted');
is(sql('SELECT count(*) FROM bad'), '9', 'an import keeps the other items of a file with a bad one');
like(slurp_file($node->logfile), qr{LOG:  line 10 of file ".*/bucket/bad/a\.json" skipped: .*Missing the key pk}, 'the log names the line of a bad item');
put_file('bucket/broken/a.json.gz', substr($data, 0, 40));
is(imported('broken', 'broken/', InputCompressionType => 'GZIP')->{ImportStatus}, 'FAILED', 'a damaged file fails');
is(imported('nothing', 'no/such/', InputCompressionType => 'GZIP')->{ImportStatus}, 'COMPLETED', 'an import of a prefix without files creates an empty table');
put_file('bucket/open/a.csv', qq{pk,v\n1,a\n2,"b\n3,c\n4,d\n});
$import = imported('open_quote', 'open/', InputFormat => 'CSV');
is("$import->{ImportStatus} $import->{ImportedItemCount} $import->{ErrorCount}", 'FAILED 1 1', 'a quote that is never closed ends a CSV file');
my $bomb;
gzip(\('{"Item":{"pk":{"S":"a"},"x":{"S":"' . 'x' x (33 * 1024 * 1024)), \$bomb) or die $GzipError;
cmp_ok(length $bomb, '<', 100_000, 'a small file can have a long line');
put_file('bucket/bomb/a.json.gz', $bomb);
like(imported('bomb', 'bomb/', InputCompressionType => 'GZIP')->{FailureMessage}, qr{/bucket/bomb/a\.json\.gz" has a line or record of more than 32 MB}, 'which is not read into memory');

# ---- zstd ----

# A frame of zstd with blocks that are not compressed, and one that repeats a byte.
sub zstd
{
	my ($text, $repeated) = @_;
	my @blocks = $text =~ /(.{1,60000})/gs;
	my $frame = "\x28\xB5\x2F\xFD\xA0" . pack('V', length($text) + ($repeated // 0));

	for my $i (0 .. $#blocks)
	{
		my $last = $i == $#blocks && !$repeated ? 1 : 0;
		$frame .= substr(pack('V', $last | length($blocks[$i]) << 3), 0, 3) . $blocks[$i];
	}
	for (my $left = $repeated // 0; $left > 0; $left -= 100000)
	{
		$frame .= substr(pack('V', ($left <= 100000 ? 1 : 0) | 1 << 1 | ($left < 100000 ? $left : 100000) << 3), 0, 3) . 'x';
	}
	return $frame;
}

sub zstd_lines { return join '', map { sprintf qq({"Item":{"pk":{"S":"z%d"},"x":{"S":"%s"}}}\n), $_, 'y' x 300 } @_ }

SKIP:
{
	my $whole = zstd(zstd_lines(1 .. 2000));

	put_file('bucket/zstd/whole', $whole);
	my $import = imported('zstd', 'zstd/', InputCompressionType => 'ZSTD');
	if (!ref $import && $import =~ /built without libzstd/)
	{
		pass('zstd is refused');
		skip 'the extension is built without libzstd', 6;
	}
	is("$import->{ImportStatus} $import->{ImportedItemCount} $import->{InputCompressionType}", 'COMPLETED 2000 ZSTD', 'zstd is read');
	put_file('bucket/zstd_two/frames', zstd(zstd_lines(1 .. 3)) . zstd(zstd_lines(4 .. 700)));
	is(imported('zstd_two', 'zstd_two/', InputCompressionType => 'ZSTD')->{ImportedItemCount}, 700, 'with several frames');
	is(sql("SELECT imported FROM dynamo.import_items('zstd_two', '$archive/bucket/zstd/whole')"), 2000, 'import_items knows it by its beginning');
	put_file('bucket/zstd_cut/x', substr($whole, 0, -1));
	like(imported('zstd_cut', 'zstd_cut/', InputCompressionType => 'ZSTD')->{FailureMessage}, qr/could not decompress file/, 'a file that ends too early');
	put_file('bucket/zstd_bad/x', 'no zstd at all');
	like(imported('zstd_bad', 'zstd_bad/', InputCompressionType => 'ZSTD')->{FailureMessage}, qr/could not decompress file/, 'a file of something else');
	put_file('bucket/zstd_plain/x', $whole);
	like(imported('zstd_plain', 'zstd_plain/')->{FailureMessage}, qr/is compressed/, 'is not read as text');
	put_file('bucket/zstd_bomb/x', zstd('{"Item":{"pk":{"S":"', 33 * 1024 * 1024));
	like(imported('zstd_bomb', 'zstd_bomb/', InputCompressionType => 'ZSTD')->{FailureMessage}, qr/has a line or record of more than 32 MB/, 'and a small file is not read into memory');
}

my $lost = import_input('lost', '');
$lost->{S3BucketSource} = { S3Bucket => 'missing' };
is(ended('Import', request('ImportTable', $lost)->{ImportTableDescription}{ImportArn})->{FailureCode}, 'S3NoSuchBucket', 'a bucket must exist');
for ([ InputFormat => 'ION' ], [ InputFormatOptions => { Csv => { Delimiter => ';' } } ])
{
	like(imported('refused', 'x', @$_), qr/^ValidationException: Invalid Request: /, "$_->[0] is refused");
}
like(imported('csv', 'csv/', InputFormat => 'CSV'), qr/^ResourceInUseException: Table already exists: csv/, 'a table must be new');
for ([ ExportFormat => 'ION' ], [ S3SseAlgorithm => 'KMS' ], [ S3SseKmsKeyId => 'x' ])
{
	like(exported({@$_}), qr/^ValidationException: /, "$_->[0] $_->[1] is refused");
}
like(exported({ ExportTime => time - 3600 }), qr/^InvalidExportTimeException: /, 'an export of the past is refused');
like(exported({ ExportTime => time + 60 }), qr/^InvalidExportTimeException: /, 'an export of the future is refused');
is(exported({ ExportTime => time - 1 })->{ExportStatus}, 'COMPLETED', 'an export of the present is accepted');
like(request('ExportTableToPointInTime', { TableArn => arn('again'), S3Bucket => 'bucket' }), qr/^PointInTimeRecoveryUnavailableException: /, 'an export requires point-in-time recovery');
like(request('ExportTableToPointInTime', { TableArn => arn('none'), S3Bucket => 'bucket' }), qr/^TableNotFoundException: /, 'a table must exist');

# ---- hostile names ----

my @before = files_below($archive);
for my $bucket ('..', '.', '.backups', 'a/b', '/etc', 'bucket/', "b\x{e9}", '-', '', 'a' x 256)
{
	like(exported({ S3Bucket => $bucket }), qr/^ValidationException: /, "bucket '" . substr($bucket =~ s/\W/?/gr, 0, 10) . "' is refused");
}
for my $prefix ('../x', 'a/../../x', '/etc', 'a//b', '.', 'a/./b', "a\nb", 'a\\b', 'a' x 300, '..')
{
	like(exported({ S3Prefix => $prefix }), qr/^ValidationException: /, 'prefix ' . substr($prefix =~ s/\n/?/r, 0, 10) . ' is refused');
	like(imported('hostile', $prefix), qr/^ValidationException: /, 'an import with this prefix is refused');
}
symlink('/', "$archive/bucket/link");
symlink('/etc', "$archive/linked");
symlink('/etc/passwd', "$archive/bucket/bad/passwd");
is(exported({ S3Prefix => 'link/tmp' })->{ExportStatus}, 'FAILED', 'a link is not followed in an export');
is(exported({ S3Bucket => 'linked' })->{FailureCode}, 'S3AccessDenied', 'a link is not followed as a bucket');
is(imported('linked', 'link/etc/')->{ImportStatus}, 'FAILED', 'a link is not followed in an import');
is(imported('linked_file', 'bad/')->{ProcessedItemCount}, 10, 'a linked file is skipped');
is_deeply([ files_below($archive) ], \@before, 'no refused request has written a file');
symlink("$archive/own", "$archive/bucket/planted");
is(exported({ S3Prefix => 'planted' })->{ExportStatus}, 'FAILED', 'a planted link does not lead into another bucket');

# ---- rights ----

sql(q{
CREATE ROLE app LOGIN; CREATE ROLE other LOGIN; CREATE ROLE reader LOGIN;
GRANT CREATE ON SCHEMA public TO app, other;
GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO other;
SET ROLE app;
SELECT dynamo.create_table('apps', 'pk');
SELECT dynamo.put_item('apps', '{"pk": {"S": "a"}}');
GRANT ALL ON apps TO other});
my $denied = qr/^AccessDeniedException: permission denied to use the archive directory/;
like(backup_of('apps', 'backup', 'app'), $denied, 'a backup requires the right to the archive directory');
like(request('ImportTable', import_input('mine', 'csv/'), 'app'), $denied, 'an import requires the right to the archive directory');
like(request('CreateBackup', { TableName => 'apps', BackupName => 'backup' }, 'other'), qr/^AccessDeniedException: must be owner/, 'a backup requires ownership of the table');
sql('GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO app');
my $backup = backup_of('apps', 'backup', 'app');
like($backup, qr/backup/, 'an owner with the right makes a backup');
for ([ 'DescribeBackup', BackupArn => $backup ], [ 'DeleteBackup', BackupArn => $backup ],
	[ 'RestoreTableFromBackup', BackupArn => $backup, TargetTableName => 'stolen' ])
{
	my ($operation, %input) = @$_;
	like(request($operation, \%input, 'other'), qr/^BackupNotFoundException: /, "$operation does not find another role's backup");
}
is_deeply(request('ListBackups', {}, 'other'), { BackupSummaries => [] }, 'ListBackups omits backups of other roles');
like(request('DescribeExport', { ExportArn => $export->{ExportArn} }, 'other'), qr/^ExportNotFoundException: /, 'DescribeExport does not find exports of other roles');
my (undef, undef, $stderr) = $node->psql('postgres', q{SET dynamo.archive_directory = '/tmp'}, extra_params => [ '-U', 'other' ]);
like($stderr, qr/permission denied to set parameter/, 'only a superuser can set the directory');
like(sql(q{SET dynamo.archive_directory = ''; SELECT dynamo.request_safe('CreateBackup', '{"TableName": "apps", "BackupName": "backup"}')}),
	qr/ValidationException.*dynamo\.archive_directory/, 'without it the error says so');

# code of the owner runs as the owner, and cannot become the worker's role
sql(q{
SET ROLE app;
CREATE FUNCTION gain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	statement text;
BEGIN
	FOREACH statement IN ARRAY ARRAY['RESET ROLE', 'RESET SESSION AUTHORIZATION', 'SET SESSION AUTHORIZATION DEFAULT',
		'ALTER ROLE app SUPERUSER', 'GRANT pg_read_server_files TO app', 'CREATE TEMPORARY TABLE later (i int)']
	LOOP
		BEGIN
			EXECUTE statement;
			RAISE LOG 'gained by %', statement;
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
	END LOOP;
	RAISE LOG 'the trigger runs as %', current_user;
	RETURN NEW;
END$$});
my $hostile = $json->encode(import_input('hostile', 'bad/'));
my $running = $json->decode($node->safe_psql('postgres', qq{
BEGIN;
SELECT dynamo.request('ImportTable', '$hostile');
CREATE TRIGGER a_gain BEFORE INSERT ON hostile FOR EACH ROW EXECUTE FUNCTION gain();
COMMIT}, extra_params => [ '-U', 'app' ]));
is(ended('Import', $running->{ImportTableDescription}{ImportArn}, 'app')->{ImportedItemCount}, 9, 'a table with triggers is imported');
like(slurp_file($node->logfile), qr/the trigger runs as app/, 'triggers of an imported table run as its owner');
unlike(slurp_file($node->logfile), qr/LOG:  gained by/, 'triggers of an imported table gain no rights');
is(sql(q{SELECT rolsuper FROM pg_roles WHERE rolname = 'app'}), 'f', 'the owner did not become a superuser');

# ---- backups ----

request('CreateTable', { TableName => 'full', BillingMode => 'PROVISIONED', ProvisionedThroughput => { ReadCapacityUnits => 5, WriteCapacityUnits => 6 },
	AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(pk sk g l) ],
	KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' }, { AttributeName => 'sk', KeyType => 'RANGE' } ],
	LocalSecondaryIndexes => [ { IndexName => 'local', KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' }, { AttributeName => 'l', KeyType => 'RANGE' } ],
		Projection => { ProjectionType => 'KEYS_ONLY' } } ],
	GlobalSecondaryIndexes => [ { IndexName => 'global', KeySchema => [ { AttributeName => 'g', KeyType => 'HASH' } ],
		Projection => { ProjectionType => 'INCLUDE', NonKeyAttributes => [ 'x', 'y' ] }, ProvisionedThroughput => { ReadCapacityUnits => 1, WriteCapacityUnits => 2 } } ] });
sql(q{SELECT count(*) FROM generate_series(1, 3000) i, LATERAL dynamo.put_item('full', jsonb_build_object('pk', i::text, 'sk', 's', 'g', (i % 7)::text, 'l', 'l')) p});
my $full = backup_of('full', 'first');
my $first = request('DescribeBackup', { BackupArn => $full })->{BackupDescription};
is("$first->{BackupDetails}{BackupStatus} $first->{SourceTableDetails}{ItemCount}", 'AVAILABLE 3000', 'a backup is available');
is($first->{SourceTableFeatureDetails}{GlobalSecondaryIndexes}[0]{IndexName}, 'global', 'a backup describes the indexes of its table');
sql(q{SELECT dynamo.drop_table('full')});
my $answer = request('RestoreTableFromBackup', { BackupArn => $full, TargetTableName => 'whole' });
is("$answer->{TableDescription}{TableStatus} $answer->{TableDescription}{RestoreSummary}{RestoreInProgress}", 'CREATING 1', 'a restore begins');
my $restored = active('whole');
ok(!exists $restored->{RestoreSummary}, 'a restore ends');
is(sql('SELECT count(*), count(g), count(l) FROM whole'), '3000|3000|3000', 'a restored table has all items and key columns');
is(join(' ', map { "$_->{IndexName}:$_->{Projection}{ProjectionType}" } @{ $restored->{LocalSecondaryIndexes} }, @{ $restored->{GlobalSecondaryIndexes} }),
	'local:KEYS_ONLY global:INCLUDE', 'and indexes');
is("$restored->{ProvisionedThroughput}{ReadCapacityUnits} $restored->{GlobalSecondaryIndexes}[0]{ProvisionedThroughput}{WriteCapacityUnits}", '5 2', 'a restored table has the throughput of its source');
like(request('RestoreTableFromBackup', { BackupArn => $full, TargetTableName => 'whole' }), qr/^TableAlreadyExistsException: Table already exists: whole/, 'a restore to an existing table is refused');
request('RestoreTableFromBackup', { BackupArn => $full, TargetTableName => 'less', BillingModeOverride => 'PAY_PER_REQUEST', LocalSecondaryIndexOverride => [],
	GlobalSecondaryIndexOverride => [ { IndexName => 'renamed', KeySchema => [ { AttributeName => 'g', KeyType => 'HASH' } ],
		Projection => { ProjectionType => 'INCLUDE', NonKeyAttributes => [ 'y', 'x' ] } } ] });
my $less = active('less');
is("$less->{BillingModeSummary}{BillingMode} $less->{GlobalSecondaryIndexes}[0]{IndexName} " . (exists $less->{LocalSecondaryIndexes} ? 1 : 0),
	'PAY_PER_REQUEST renamed 0', 'overrides change the table');
like(request('RestoreTableFromBackup', { BackupArn => $full, TargetTableName => 'more', GlobalSecondaryIndexOverride => [ { IndexName => 'new',
	KeySchema => [ { AttributeName => 'l', KeyType => 'HASH' } ], Projection => { ProjectionType => 'ALL' } } ] }),
	qr/^ValidationException: Invalid Request: Index new does not match/, 'but make no new index');
is(join(' ', map { $_->{BackupName} } @{ request('ListBackups', {})->{BackupSummaries} }), 'first backup', 'backups are listed');
is(request('ListBackups', { Limit => 1 })->{LastEvaluatedBackupArn}, $full, 'ListBackups returns pages');
is(request('ListBackups', { ExclusiveStartBackupArn => $full })->{BackupSummaries}[0]{BackupArn}, $backup, 'ListBackups continues after a page');

# vector indexes
request('CreateTable', { TableName => 'vectors', %new_table, VectorIndexes => [ { IndexName => 'near', VectorAttribute => { AttributeName => 'v' }, Dimensions => 2,
	DistanceFunction => 'COSINE', Projection => { ProjectionType => 'ALL' } } ] });
request('PutItem', { TableName => 'vectors', Item => { pk => { S => 'a' }, v => { L => [ { N => '1' }, { N => '0' } ] } } });
my $vectors = backup_of('vectors', 'vectors');
request('RestoreTableFromBackup', { BackupArn => $vectors, TargetTableName => 'vectors2' });
is(active('vectors2')->{VectorIndexes}[0]{IndexName}, 'near', 'vector indexes are restored');
is(ref request('SearchVectors', { TableName => 'vectors2', IndexName => 'near', SearchVector => [ { N => '1' }, { N => '1' } ], TopK => 1 }), 'HASH', 'restored vector indexes can be searched');
request('RestoreTableFromBackup', { BackupArn => $vectors, TargetTableName => 'vectors3', VectorIndexOverride => [] });
ok(!exists active('vectors3')->{VectorIndexes}, 'a restore can omit vector indexes');
request('DeleteBackup', { BackupArn => $vectors });

# entities, copies and totals; items from before the entities were declared do not fit them
sql(q{SELECT dynamo.create_table('model', 'pk', 'sk', indexes => '[{"index_name": "by_name", "partition_key": "g"}]')});
sql(q{SELECT dynamo.put_item('model', '{"pk": {"S": "C#old"}, "sk": {"S": "C"}, "id": {"S": "other"}, "kind": {"S": "customer"}}')});
sql(q{SELECT dynamo.create_entity('model', 'customer', '{"pk": "C#{id}", "sk": "C", "g": "{name}"}', '{"id": "text", "name": "text"}', type_attribute => 'kind');
	SELECT dynamo.create_entity('model', 'order', '{"pk": "C#{id}", "sk": "O#{n:03}"}', '{"id": "text", "n": "int"}', type_attribute => 'kind');
	SELECT dynamo.create_total('model', 'orders', 'customer', 'order', '{"orders": "count", "sum": "sum(price)"}');
	SELECT dynamo.create_copy('model', 'names', 'customer', 'order', '{"customer_name": "name"}');
	SELECT dynamo.put_item('model', '{"id": {"S": "1"}, "name": {"S": "Ann"}, "kind": {"S": "customer"}}');
	SELECT count(dynamo.put_item('model', jsonb_build_object('id', '1', 'n', n, 'price', n, 'kind', 'order'))) FROM generate_series(1, 5) n});
my $model = backup_of('model', 'model');
my $contents = q{SELECT string_agg(item::text, ' ' ORDER BY pk, sk) FROM };
my $definition = q{SELECT (SELECT definition -> 'entities' FROM dynamo.tables WHERE table_name = '%1$s'), jsonb_agg(to_jsonb(c) - 'table_name' ORDER BY copy_name)
	FROM dynamo.copies c WHERE table_name = '%1$s'};
my ($items, $defined) = (sql($contents . 'model'), sql(sprintf $definition, 'model'));
my $wrong = sql(q{SELECT key, problem FROM dynamo.check_copies('model')});
sql(q{SELECT dynamo.drop_table('model')});
request('RestoreTableFromBackup', { BackupArn => $model, TargetTableName => 'remodel' });
active('remodel');
is(sql($contents . 'remodel'), $items, 'a table with entities and totals is restored as it was');
is(sql(sprintf $definition, 'remodel'), $defined, 'with its entities, copies and totals');
like($defined, qr/"orders".*"sum\(price\)"/, 'which it had');
is(sql(q{SELECT key, problem FROM dynamo.check_copies('remodel')}), $wrong, 'what was wrong is as it was, and no more');
sql(q{SELECT dynamo.put_item('remodel', '{"id": {"S": "1"}, "n": {"N": "6"}, "price": {"N": "10"}, "kind": {"S": "order"}}')});
is(sql(q{SELECT item OPERATOR(dynamo.->>) 'orders', item OPERATOR(dynamo.->>) 'sum', (SELECT item OPERATOR(dynamo.->>) 'customer_name' FROM remodel WHERE sk = 'O#006') FROM remodel WHERE pk = 'C#1' AND sk = 'C'}),
	'6|25|Ann', 'and work from then on');
request('RestoreTableFromBackup', { BackupArn => $model, TargetTableName => 'without', GlobalSecondaryIndexOverride => [] });
is(ref active('without'), 'HASH', 'without the index of an entity');
request('DeleteBackup', { BackupArn => $model });

# how a table is stored, its views, access patterns, indexes and constraints of SQL: all of it when its owner restores it in its place
my $with_path = sub { return sql("SET search_path = public, dynamo; SET client_min_messages = warning; SET ROLE app; $_[0]") };
$with_path->(q{
SELECT create_table('shop', 'pk', 'sk', fillfactor => 70, indexes => '[{"index_name": "stored", "partition_key": "a", "storage": "table"},
	{"index_name": "spread", "partition_key": "b", "shards": 3}, {"index_name": "calculated", "partition_key": "c", "shards": 2, "shard_by": "d"}, {"index_name": "inline", "partition_key": "e"}]');
SELECT create_entity('shop', 'order', '{"pk": "C#{customer}", "sk": "O#{n:03}", "e": "S#{status}"}', '{"customer": "text", "n": "int", "status": "text"}', type_attribute => 'kind', view_name => 'orders');
SELECT create_entity_view('chosen', 'shop', entity_name => 'order', columns => '{"client": {"type": "varchar(20)", "attribute": "customer"}, "amount": "numeric"}');
SELECT create_access_pattern('shop', 'orders_of', 'customer = :customer AND n >= :first', view_name => 'orders', parameters => '{"first": {"default": null}}', description => '100% of %s');
SELECT create_access_pattern('shop', 'orders_in', '#s = :status', entities => '{order}', index_name => 'inline', expression_attribute_names => '{"#s": "status"}');
SELECT add_unique_constraint('shop', 'one_email', ARRAY['email'], key_prefix => '{"pk": "C#"}');
SELECT add_unique_constraint('shop', 'one_name', ARRAY['name'], is_deferrable => true);
CREATE INDEX "words; in"" items" ON shop USING gin ((item::jsonb));
ALTER TABLE shop ADD CONSTRAINT small CHECK (item_size(item) < 1000);
SELECT put_item('shop', jsonb_build_object('customer', 'c1', 'n', n, 'status', 'OPEN', 'kind', 'order', 'email', n::text, 'a', 'x', 'b', 'x', 'c', 'x', 'd', 'x')) FROM generate_series(1, 5) n});
my $parts = q{SELECT dynamo_internal.backup_parts('shop')};
my $shop_parts = sql($parts);
my $shop_items = sql(q{SELECT string_agg(item::text, ' ' ORDER BY sk) FROM shop});
my $shop = backup_of('shop', 'shop', 'app');
like(request('RestoreTableFromBackup', { BackupArn => $shop, TargetTableName => 'beside' }, 'app')->{TableDescription}{TableStatus}, qr/CREATING/, 'a table can be restored beside its source');
active('beside');
is(sql(q{SELECT string_agg(concat_ws(' ', index_name, storage, shards, shard_by), ', ' ORDER BY index_name) FROM dynamo.indexes WHERE table_name = 'beside'}),
	'calculated table 2 d, inline inline, spread table 3, stored table', 'with indexes stored as they were, but without what its name belongs to');
is(sql(q{SELECT count(*) FROM dynamo.access_patterns WHERE table_name = 'public.beside'}), '0', 'what has the name of something else is not restored');
$with_path->(q{SELECT drop_table('beside'); SELECT drop_table('shop')});
request('RestoreTableFromBackup', { BackupArn => $shop, TargetTableName => 'shop' }, 'app');
active('shop');
is(sql($parts), $shop_parts, 'a table that is restored in its place is the same table');
like($shop_parts, qr/"one_email".*"one_name"/, 'with its constraints');
is(sql(q{SELECT string_agg(item::text, ' ' ORDER BY sk) FROM shop}), $shop_items, 'and items');
is($with_path->(q{SELECT string_agg(n::text, ' ') FROM orders_of('c1', first => 4)}), '4 5', 'its access patterns return its items');
is(sql(q{SELECT string_agg(concat_ws(' ', client, "sk"), ', ' ORDER BY "sk") FROM chosen WHERE "sk" < 'O#003'}), 'c1 O#001, c1 O#002', 'its views show its items');
is(sql(q{SELECT count(*) FROM dynamo.verify_index('shop', 'stored') UNION ALL SELECT count(*) FROM dynamo.verify_index('shop', 'spread') UNION ALL SELECT count(*) FROM dynamo.verify_index('shop', 'calculated')}), "0\n0\n0", 'its index tables are right');
my (undef, undef, $refused) = $node->psql('postgres', q{SELECT dynamo.put_item('shop', '{"pk": {"S": "C#2"}, "sk": {"S": "x"}, "email": {"S": "3"}}')});
like($refused, qr/one_email/, 'its unique constraints hold');

# Code of the owner is not given to a superuser who restores the backup of a table.
$with_path->(q{SELECT drop_table('shop')});
my (undef, undef, $notices) = $node->psql('postgres', qq{SELECT dynamo.request('RestoreTableFromBackup', '{"BackupArn": "$shop", "TargetTableName": "shop"}')});
like($notices, qr/NOTICE:  index "one_email" was not restored\nDETAIL:  Only the owner of the backup can restore it\./, 'another role does not get code of the owner');
active('shop');
is(sql(q{SELECT count(*) FROM pg_class WHERE relname IN ('orders', 'chosen', 'one_email')}), '0', 'nor views of it');
is(sql(q{SELECT storage FROM dynamo.indexes WHERE table_name = 'shop' AND index_name = 'spread'}), 'table', 'but how the table is stored');
is(sql('SELECT count(*) FROM shop'), '5', 'and items');
sql(q{SELECT dynamo.drop_table('shop')});
request('DeleteBackup', { BackupArn => $shop });

# partitions, and what is omitted
$with_path->(q{SELECT create_table('parts', 'pk', partitions => 3); SELECT put_item('parts', '{"pk": {"S": "a"}}')});
sql(q{SELECT dynamo.add_reference('parts', 'self', '{"pk": "{parent}"}'); ALTER TABLE parts ENABLE ROW LEVEL SECURITY});
(undef, undef, $notices) = $node->psql('postgres', q{SELECT dynamo.request('CreateBackup', '{"TableName": "parts", "BackupName": "parts"}')});
like($notices, qr/NOTICE:  the backup of table "parts" omits references, row security$/m, 'a backup tells what it omits');
$parts = backup_of('parts', 'parts2', 'app');
request('RestoreTableFromBackup', { BackupArn => $parts, TargetTableName => 'parts2' }, 'app');
active('parts2');
is(sql(q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'parts2'::regclass UNION ALL SELECT count(*) FROM parts2}), "3\n1", 'partitions are restored');
request('DeleteBackup', { BackupArn => $_->{BackupArn} }) for @{ request('ListBackups', { TableName => 'parts' })->{BackupSummaries} };

# what a rollback keeps
sql("BEGIN; SELECT dynamo.request('DeleteBackup', '{\"BackupArn\": \"$full\"}'); ROLLBACK");
sql("BEGIN; SAVEPOINT s; SELECT dynamo.request('DeleteBackup', '{\"BackupArn\": \"$full\"}'); ROLLBACK TO s; COMMIT");
(undef, undef, $refused) = $node->psql('postgres', "BEGIN; SELECT dynamo.request('DeleteBackup', '{\"BackupArn\": \"$full\"}'); PREPARE TRANSACTION 'deletes'");
like($refused, qr/cannot PREPARE a transaction that removes files of backups or exports/, 'nor is it prepared: the files would remain');
request('RestoreTableFromBackup', { BackupArn => $full, TargetTableName => 'kept' });
is(ref active('kept'), 'HASH', 'a deletion that is rolled back keeps the files');

# ---- dumps ----

dump_database($node, 'postgres', "$archive/dump.sql");
my $copy = new_database($node);
load_file($node, $copy, "$archive/dump.sql");
is($node->safe_psql($copy, q{SELECT string_agg(DISTINCT status, ' ' ORDER BY status) FROM dynamo_internal.archive_jobs}), 'completed failed', 'a dump contains the jobs that have ended');
like($node->safe_psql($copy, "SELECT dynamo.request('RestoreTableFromBackup', '{\"BackupArn\": \"$full\", \"TargetTableName\": \"from_dump\"}')"), qr/RestoreInProgress/,
	'a backup can be restored in a copy of the database');

# ---- owners are roles, not names ----

sub backups_seen { return scalar @{ request('ListBackups', { TableName => 'of_alice' }, $_[0])->{BackupSummaries} } }

sql(q{CREATE ROLE alice LOGIN; CREATE SCHEMA alice AUTHORIZATION alice; ALTER ROLE alice SET search_path = alice, dynamo;
GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO alice});
$node->safe_psql('postgres', q{SELECT create_table('of_alice', 'pk'), put_item('of_alice', '{"pk": {"S": "private"}}')}, extra_params => [ '-U', 'alice' ]);
my $private = request('CreateBackup', { TableName => 'of_alice', BackupName => 'first' }, 'alice')->{BackupDetails}{BackupArn};
$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM dynamo_internal.archive_jobs WHERE status IN ('queued', 'running'))});
is(backups_seen('alice'), 1, 'a role sees its backup');
sql('ALTER ROLE alice RENAME TO bob');
is(backups_seen('bob'), 1, 'also when it is renamed');
sql('CREATE ROLE alice LOGIN; GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO alice');
is(backups_seen('alice'), 0, 'but not another role with the old name');
like(request('DescribeBackup', { BackupArn => $private }, 'alice'), qr/^BackupNotFoundException/, 'which cannot describe it');
sql('DROP OWNED BY bob CASCADE; DROP ROLE bob; DROP OWNED BY alice; DROP ROLE alice; CREATE ROLE bob LOGIN; GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO bob');
is(backups_seen('bob'), 0, 'nor a new role with the name of a dropped one');
is(backups_seen(), 1, 'a superuser sees it');

# in a dump: of this server, as it was; of another server, by the name, if there is one
dump_database($node, 'postgres', "$archive/owners.sql", '--data-only', '-t', 'dynamo_internal.archive_jobs');
my ($here) = $node->safe_psql('postgres', 'SELECT system_identifier FROM pg_control_system()');
my $rows = "SELECT count(*) FILTER (WHERE owner = 'alice'), count(*) FILTER (WHERE owner = 'alice' AND owner_role = 0), bool_and(owner_server = $here), " .
	"count(*) FILTER (WHERE owner <> 'alice' AND owner_role <> (SELECT r.oid FROM pg_roles r WHERE r.rolname = owner)) FROM dynamo_internal.archive_jobs";
for my $server ($here, 4711)
{
	my $dump = slurp_file("$archive/owners.sql") =~ s/\b$here\b/$server/gr;
	my $target = new_database($node, 1);

	append_to_file("$archive/of_$server.sql", $dump);
	load_file($node, $target, "$archive/of_$server.sql");
	is($node->safe_psql($target, $rows), $server == $here ? '1|0|t|0' : '1|1|t|0', "the owners of jobs in a dump of server $server");
}
request('DeleteBackup', { BackupArn => $private });
sql('DROP OWNED BY bob; DROP ROLE bob');

# ---- limits ----

sql(q{SELECT dynamo.create_table('limits', 'pk')});
my $create = q{SELECT dynamo.request_safe('CreateBackup', '{"TableName": "limits", "BackupName": "many"}') ->> 'status'};
is(sql("BEGIN; $create; $create; $create; ROLLBACK"), "200\n200\n400", 'a role has two jobs at the same time');
like(sql("BEGIN; $create; $create; SELECT dynamo.request_safe('CreateBackup', '{\"TableName\": \"limits\", \"BackupName\": \"many\"}') -> 'body'; ROLLBACK"),
	qr/LimitExceededException.*too many exports, imports, backups and restores of the role/, 'and is told so');
sql(q{SELECT dynamo.drop_table('limits')});

# ---- errors and crashes ----

# Returns the process that works on a table on which every insert lasts.
sub wait_for_worker
{
	my $pid = '';

	for (1 .. 3600)
	{
		$pid = sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo archive job' AND wait_event = 'PgSleep'});
		last if $pid ne '';
		sleep(0.05);
	}
	return $pid;
}

# Requests a job on a new table on which every insert lasts; returns the answer.
sub slow_request
{
	my ($operation, $table, $input) = @_;
	my $text = $json->encode($input);

	return $json->decode(sql(qq{
BEGIN;
SELECT dynamo.request('$operation', '$text');
CREATE TRIGGER a_pause BEFORE INSERT ON $table FOR EACH ROW EXECUTE FUNCTION pause();
COMMIT}));
}

sql(q{CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_catalog.pg_sleep(60); RETURN NEW; END$$});
my $slow = slow_request('ImportTable', 'slow1', import_input('slow1', 'bad/'))->{ImportTableDescription}{ImportArn};
my $pid = wait_for_worker();
is(request('DescribeTable', { TableName => 'slow1' })->{Table}{TableStatus}, 'CREATING', 'a table is CREATING while it is imported');
like(request('DeleteTable', { TableName => 'slow1' }), qr/^ResourceInUseException: /, 'a table cannot be deleted while it is imported');
is(request('DescribeImport', { ImportArn => $slow })->{ImportTableDescription}{ImportStatus}, 'IN_PROGRESS', 'the import is in progress');
sql("SELECT pg_cancel_backend($pid)");
is(ended('Import', $slow)->{ImportStatus}, 'FAILED', 'a cancelled import fails');
is(sql('SELECT count(*) FROM slow1'), '0', 'a cancelled import stores no items');
$slow = slow_request('ImportTable', 'slow0', import_input('slow0', 'bad/'))->{ImportTableDescription}{ImportArn};
$pid = wait_for_worker();
sql("SELECT pg_terminate_backend($pid, 20000)");
is(ended('Import', $slow)->{ImportStatus}, 'FAILED', 'an import fails with its worker');

$slow = slow_request('ImportTable', 'slow2', import_input('slow2', 'bad/'))->{ImportTableDescription}{ImportArn};
wait_for_worker();
slow_request('RestoreTableFromBackup', 'slow3', { BackupArn => $full, TargetTableName => 'slow3' });
like(request('DeleteBackup', { BackupArn => $full }), qr/^BackupInUseException: /, 'a backup that is being restored cannot be deleted');
crash_node($node);
$node->_update_pid(-1);
$node->start;
is(ended('Import', $slow)->{ImportStatus}, 'FAILED', 'an import fails with the server');
is(request('DescribeTable', { TableName => 'slow2' })->{Table}{TableStatus}, 'ACTIVE', 'the table of a failed import remains, empty');
sql('ALTER TABLE slow3 DISABLE TRIGGER a_pause');
is(request('DescribeTable', { TableName => 'slow3' })->{Table}{TableStatus}, 'CREATING', 'a restore continues after a crash');
active('slow3');
is(sql('SELECT count(*) FROM slow3'), '3000', 'a restore that continues after a crash is complete');

my ($data_file) = glob("$archive/.backups/AWSDynamoDB/" . ($full =~ m{([^/]*)$})[0] . '/data/*');
truncate($data_file, 100);
# a table whose name is the schema and the name of the other
sql('CREATE TABLE "public.damaged" ()');
# the worker ends while it drops the table
sql(q{CREATE FUNCTION pause_drop() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_catalog.pg_sleep(3600); END';
CREATE EVENT TRIGGER pause_drop ON sql_drop EXECUTE FUNCTION pause_drop()});
request('RestoreTableFromBackup', { BackupArn => $full, TargetTableName => 'damaged' });
$pid = wait_for_worker();
sql("SELECT pg_terminate_backend($pid, 20000)");
sql('DROP EVENT TRIGGER pause_drop; DROP FUNCTION pause_drop()');
is(request('DescribeTable', { TableName => 'damaged' })->{Table}{TableStatus}, 'CREATING', 'a table that could not be restored is not shown until it is dropped');
like(active('damaged'), qr/^ResourceNotFoundException: /, 'a table that cannot be restored is dropped');
is(ref request('DeleteBackup', { BackupArn => $full }), 'HASH', 'a backup is deleted');
ok(!-e $data_file, 'DeleteBackup removes the files');
like(request('DescribeBackup', { BackupArn => $full }), qr/^BackupNotFoundException: /, 'DescribeBackup does not find a deleted backup');

# ---- backups and exports that a crash has interrupted: a row says running, and files remain ----

sql(q{SELECT dynamo.create_table('cut', 'pk'); SELECT dynamo.put_item('cut', '{"pk": {"S": "a"}}')});

# Makes a backup or an export whose row and files are as after a crash; returns its ARN, its id and its files.
sub interrupted
{
	my ($kind) = @_;
	my $arn = $kind eq 'Backup' ? request('CreateBackup', { TableName => 'cut', BackupName => 'cut' })->{BackupDetails}{BackupArn} :
		request('ExportTableToPointInTime', { TableArn => arn('types'), S3Bucket => 'bucket', S3Prefix => 'cut/off' })->{ExportDescription}{ExportArn};
	my ($id) = $arn =~ m{([^/]*)$};

	$node->poll_query_until('postgres', "SELECT status = 'completed' FROM dynamo_internal.archive_jobs WHERE id = '$id'");
	$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dynamo archive job')});
	sql("UPDATE dynamo_internal.archive_jobs SET status = 'running' WHERE id = '$id'");
	my ($files) = glob($kind eq 'Backup' ? "$archive/.backups/AWSDynamoDB/$id" : "$archive/bucket/cut/off/AWSDynamoDB/$id");
	return ($arn, $id, $files);
}

my ($cut, $cut_id, $cut_files) = interrupted('Backup');
ok(-d $cut_files, 'an interrupted backup has left files');
like(request('DescribeBackup', { BackupArn => $cut }), qr/^BackupNotFoundException: /, 'it does not exist for clients');
is(ref request('DeleteBackup', { BackupArn => $cut }), 'HASH', 'who may delete it');
is(sql("SELECT count(*) FROM dynamo_internal.archive_jobs WHERE id = '$cut_id'"), '0', 'its row is gone');
ok(!-e $cut_files, 'and so are its files');
for my $kind ('Backup', 'Export')
{
	my ($arn, $id, $files) = interrupted($kind);

	ok(-d $files, "an interrupted $kind");
	request('CreateBackup', { TableName => 'cut', BackupName => 'next' });
	is(sql("SELECT status, failure_code FROM dynamo_internal.archive_jobs WHERE id = '$id'"), 'failed|InternalServerError', 'has failed as soon as the next job begins');
	ok(!-e $files, 'which removes the files');
}
$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dynamo archive job')});

# ---- a full disk ----

SKIP:
{
	my $mounted = $> == 0 && system("mkdir -p '$archive/tiny' && mount -t tmpfs -o size=64k tmpfs '$archive/tiny' 2>/dev/null") == 0;

	skip 'no file system can be mounted', 2 if !$mounted;
	is(exported({ S3Bucket => 'tiny' })->{ExportStatus}, 'FAILED', 'an export to a full disk fails');
	is(join(' ', files_below("$archive/tiny")), '', 'an export to a full disk leaves no files');
	system('umount', "$archive/tiny");
}
SKIP:
{
	skip 'there is no /dev/full', 1 if !-e '/dev/full';
	my (undef, undef, $error) = $node->psql('postgres', q{SELECT dynamo.export_items('types', '/dev/full')});
	like($error, qr/could not (?:write|close).*No space left/, 'export_items reports a full disk');
}

# ---- boto3 ----

SKIP:
{
	skip 'boto3 is not installed', 1 if system(q{python3 -c 'import boto3' 2>/dev/null}) != 0;
	sql(q{SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});
	my ($stdout, $error) = ('', '');
	my $done = IPC::Run::run([ 'python3', "$FindBin::RealBin/../sdk/archive.py", "http://127.0.0.1:$port", 'TESTKEY', 'TESTSECRET' ],
		'<', '/dev/null', '>', \$stdout, '2>', \$error, IPC::Run::timeout(600));
	ok($done && $stdout eq "ok\n", 'boto3 exports, imports, backs up and restores') or diag($error);
}

done_testing();
