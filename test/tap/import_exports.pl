# import_exports.pl: full and incremental exports as the service writes them, in the order of
# their times, and copies of them that lack something.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Digest::MD5 qw(md5 md5_base64 md5_hex);
use DynamoNode;
use IO::Compress::Gzip qw(gzip $GzipError);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $archive = PostgreSQL::Test::Utils::tempdir();
my $node = new_dynamo_node('imports', qq{
dynamo.archive_directory = '$archive'
dynamo.housekeeping_interval = 0
});
my $json = JSON::PP->new->canonical->allow_nonref;

sub sql { return $node->safe_psql('postgres', $_[0]) }

# The error of a statement; empty if it has none.
sub error_of
{
	my ($result, $out, $err) = $node->psql('postgres', $_[0]);

	return $err;
}

sub write_file
{
	my ($name, $bytes) = @_;

	system('mkdir', '-p', $1) if $name =~ m{(.*)/};
	open(my $out, '>:raw', $name) or die "cannot write $name: $!";
	print $out $bytes;
	close $out;
	return;
}

sub iso
{
	my ($seconds) = @_;
	my @t = gmtime($seconds);

	return sprintf('%04d-%02d-%02dT%02d:%02d:%02d.000Z', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0]);
}

my $day = 1_700_000_000;
my $number = 0;

# Writes an export with these data files, each a list of lines, as the service does: a full one as of a
# time, or an incremental one from a time to another.  Returns its directory.
sub export_to
{
	my ($top, $files, $from, $to, %more) = @_;
	my $id = sprintf('%014d-%08x', ($to // $from) * 1000, ++$number);
	my $key = 'AWSDynamoDB/' . (defined $to ? 'data' : "$id/data");
	my ($list, $count) = ('', 0);

	write_file("$top/AWSDynamoDB/$id/_started", '');
	for my $lines (@$files)
	{
		my $name = sprintf('%026d.json.gz', ++$number) =~ tr/0-9/a-j/r;
		my ($plain, $data) = (join('', map { "$_\n" } @$lines), undef);

		gzip(\$plain, \$data) or die $GzipError;
		write_file("$top/$key/$name", $data);
		$list .= $json->encode({ itemCount => 0 + @$lines, md5Checksum => md5_base64($data) . '==', etag => md5_hex(md5($data)) . '-1', dataFileS3Key => "daily/$key/$name" }) . "\n";
		$count += @$lines;
	}
	my %times = defined $to ? (version => '2023-08-01', exportType => 'INCREMENTAL_EXPORT', exportFromTime => iso($from), exportToTime => iso($to), outputView => 'NEW_AND_OLD_IMAGES') :
	  (version => '2020-06-30', exportType => 'FULL_EXPORT', exportTime => iso($from));
	my $summary = $json->encode({ exportArn => "arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/export/$id", tableArn => 'arn:aws:dynamodb:eu-west-1:123456789012:table/Orders',
		s3Bucket => 'bucket', s3Prefix => 'daily', s3SseKmsKeyId => undef, itemCount => $count, outputFormat => 'DYNAMODB_JSON', %times, %more });
	write_file("$top/AWSDynamoDB/$id/manifest-files.json", $list);
	write_file("$top/AWSDynamoDB/$id/manifest-files.checksum", md5_base64($list) . '==');
	write_file("$top/AWSDynamoDB/$id/manifest-summary.json", $summary);
	write_file("$top/AWSDynamoDB/$id/manifest-summary.checksum", md5_base64($summary) . '==');
	return "$top/AWSDynamoDB/$id";
}

sub item { my ($id, $v) = @_; return { id => { S => $id }, v => { N => "$v" } } }
sub line { return $json->encode({ Item => item(@_) }) }

# A change: of a new, a changed or (without a value) a deleted item.
sub change
{
	my ($time, $id, $v, $old) = @_;

	return $json->encode({ Metadata => { WriteTimestampMicros => ($day + $time) * 1_000_000 . '' }, Keys => { id => { S => $id } },
		defined $v ? (NewImage => item($id, $v)) : (), defined $old ? (OldImage => item($id, $old)) : () });
}

# What the table has, as "id=v ...".
sub items { return sql("SELECT coalesce(string_agg(id || '=' || (item OPERATOR(dynamo.->>) 'v'), ' ' ORDER BY id), '') FROM $_[0]") }

sub import_to
{
	my ($table, $path, $skip) = @_;

	sql("DROP TABLE IF EXISTS $table; SELECT dynamo.create_table('$table', 'id')");
	return sql("SELECT imported || ' ' || failed FROM dynamo.import_items('$table', '$path'" . ($skip ? ', true' : '') . ')');
}

sub imported
{
	my ($table, $prefix) = @_;
	my $input = $json->encode({ InputFormat => 'DYNAMODB_JSON', InputCompressionType => 'GZIP', S3BucketSource => { S3Bucket => 'bucket', S3KeyPrefix => $prefix },
		TableCreationParameters => { TableName => $table, BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ],
			KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ] } });
	my $arn = $json->decode(sql("SELECT dynamo.request('ImportTable', '$input')"))->{ImportTableDescription}{ImportArn};

	for (1 .. 3600)
	{
		my $now = $json->decode(sql(qq{SELECT dynamo.request('DescribeImport', '{"ImportArn": "$arn"}')}))->{ImportTableDescription};

		return $now if $now->{ImportStatus} ne 'IN_PROGRESS';
		sleep(0.05);
	}
	die 'the import does not end';
}

# ---- a full export and incremental ones, written in another order than that of their times ----

my $top = "$archive/bucket/daily";
my $second = export_to($top, [ [ change(7300, 'b', 3, 2), change(7400, 'c', undef, 1) ], [ change(7500, 'e', 1) ], [] ], $day + 7200, $day + 10800);
my $full = export_to($top, [ [ map { line($_, 1) } qw(a b c) ], [ line('d', 1) ] ], $day);
my $first = export_to($top, [ [ change(20, 'b', 2, 1), change(30, 'd', undef, 1), change(40, 'c', 5, 1) ] ], $day, $day + 7200);
my $older = export_to($top, [ [ change(-10, 'a', 99), change(-9, 'z', 99) ] ], $day - 3600, $day);

is(import_to('whole', $top), '10 0', 'a full export and the incremental ones after it are imported');
is(items('whole'), 'a=1 b=3 e=1', 'in the order of their times, and what was deleted is not there');
like(error_of("SELECT * FROM dynamo.import_items('whole', '$top')"), qr/NOTICE:  export "\Q$older\E" is left out, because the full export "\Q$full\E" is later/, 'an older one is left out');
is(import_to('whole', "$top/AWSDynamoDB"), '10 0', 'the directory of the service is as good');
is(import_to('one', $full), '4 0', 'so is one full export');
is(sql("SELECT imported FROM dynamo.import_items('one', '$first') UNION ALL SELECT imported FROM dynamo.import_items('one', '$second/')"), "3\n3", 'incremental exports are imported into a table that exists');
is(items('one'), 'a=1 b=3 e=1', 'one after another');
my $import = imported('requested', 'daily/');
is("$import->{ImportStatus} $import->{ImportedItemCount} $import->{ErrorCount}", 'COMPLETED 10 0', 'ImportTable imports them');
is(items('requested'), 'a=1 b=3 e=1', 'in the same order');
is(imported('requested_one', 'daily/AWSDynamoDB/' . ($full =~ s{.*/}{}r) . '/data/')->{ImportedItemCount}, 4, 'data files of a full export are imported as the service does');

# Several changes of an item count in the order of their times, whatever the files.
my $shuffled = export_to("$archive/shuffled", [ [ change(30, 'x', 3, 2), change(10, 'x', 1), change(50, 'y', undef, 1) ], [ change(20, 'x', 2, 1), change(40, 'y', 1) ] ], $day, $day + 3600);
is(import_to('shuffled', $shuffled), '5 0', 'changes of one item in several files');
is(items('shuffled'), 'x=3', 'count in the order of their times');

# ---- the table's own rules hold ----

sql(q{
CREATE ROLE writer LOGIN IN ROLE pg_read_server_files;
SELECT dynamo.create_table('owned', 'id');
SELECT dynamo.put_item('owned', '{"id": {"S": "c"}, "v": {"N": "1"}}');
GRANT SELECT, INSERT, UPDATE ON owned TO writer});
like(error_of("SET ROLE writer; SELECT * FROM dynamo.import_items('owned', '$second')"), qr/permission denied for table owned/, 'changes need the right to delete');
is(items('owned'), 'c=1', 'and change nothing without it');
sql('GRANT DELETE ON owned TO writer');
is(sql("SET ROLE writer; SELECT imported FROM dynamo.import_items('owned', '$second')"), '3', 'with it they are imported');
is(items('owned'), 'b=3 e=1', 'and delete');
my $wrong = export_to("$archive/wrong", [ [ change(10, 'ok', 1), '{"Metadata":{"WriteTimestampMicros":"1"},"Keys":{"id":{"S":"p"}},"NewImage":{"id":{"S":"q"}}}', '{"Keys":{"other":{"S":"p"}}}', 'no json', '{"NewImage":{"id":{"S":"q"}}}' ] ], $day, $day + 3600);
sql(q{SELECT dynamo.create_table('wrong', 'id')});
like(error_of("SELECT * FROM dynamo.import_items('wrong', '$wrong')"), qr/ERROR:.*\nCONTEXT:  line \d of file "\Q$archive\E.*\.json\.gz"/s, 'a wrong change ends the import');
is(items('wrong'), '', 'which imports nothing');
is(import_to('wrong', $wrong, 1), '1 4', 'unless errors are skipped');
is(items('wrong'), 'ok=1', 'and the others are imported');

# ---- copies that are not complete ----

my $copies = 0;

# Copies exports, changes the copy, and imports it by both doors.
sub damaged
{
	my ($name, $from, $change, $problem) = @_;
	my $copy = "$archive/bucket/copy" . ++$copies;

	system('cp', '-r', $from, $copy) == 0 or die;
	$change->($copy);
	sql(q{DROP TABLE IF EXISTS damaged; SELECT dynamo.create_table('damaged', 'id')});
	for my $skip ('false', 'true')
	{
		like(error_of("SELECT * FROM dynamo.import_items('damaged', '$copy', $skip)"), $problem, "$name: import_items, skip_errors => $skip");
	}
	is(items('damaged'), '', "$name: imports nothing");
	my $import = imported("damaged$copies", "copy$copies/");
	is("$import->{ImportStatus} $import->{ImportedItemCount}", 'FAILED 0', "$name: ImportTable");
	like($import->{FailureMessage}, $problem, "$name: and says so");
	is(items("damaged$copies"), '', "$name: the table is empty");
	return;
}

# Rewrites a file below a directory, without its checksum.
sub rewrite
{
	my ($directory, $file, $change) = @_;
	my ($path) = glob("$directory/AWSDynamoDB/$file");
	my $text = slurp_file($path);

	$change->($text);
	write_file($path, $text);
	unlink($path =~ s/json$/checksum/r);
	return;
}

sub remove { unlink(glob("$_[0]/AWSDynamoDB/$_[1]")) or die "no $_[1]" }

# An export of 20,000 items in two files of 10,000
my $large = "$archive/large";
my $large_export = export_to($large, [ map { my $file = $_; [ map { line("$file-$_", 1) } 1 .. 10000 ] } 1 .. 2 ], $day);
is(import_to('large', $large), '20000 0', 'a large export');
damaged('one of two files', $large, sub { my @data = glob("$_[0]/AWSDynamoDB/*/data/*"); unlink $data[1]; }, qr/data file ".*" of the export is missing/);
damaged('one of two files, and no manifests yet', $large, sub { my @data = glob("$_[0]/AWSDynamoDB/*/data/*"); unlink $data[1]; remove($_[0], '*/manifest*') }, qr/manifest ".*" of the export is missing/);
damaged('nothing but data, yet', $large, sub { remove($_[0], '*/manifest*'); remove($_[0], '*/_started') }, qr/manifest ".*" of the export is missing/);
damaged('no summary', $large, sub { remove($_[0], '*/manifest-summary.json') }, qr/manifest-summary\.json" of the export is missing/);
damaged('no list of files', $large, sub { remove($_[0], '*/manifest-files.json') }, qr/manifest-files\.json" of the export is missing/);
damaged('a list that was cut after a line', $large, sub { rewrite($_[0], '*/manifest-files.json', sub { $_[0] =~ s/\n.*\n/\n/ }); my @data = glob("$_[0]/AWSDynamoDB/*/data/*"); unlink $data[1]; },
	qr/the data files of the export have 10000 items instead of 20000/);
damaged('a manifest without its checksum', $large, sub { write_file((glob("$_[0]/AWSDynamoDB/*"))[0] . '/manifest-files.json', '') }, qr/manifest ".*manifest-files\.json" does not have its checksum/);
damaged('a summary without its checksum', $large, sub { write_file((glob("$_[0]/AWSDynamoDB/*"))[0] . '/manifest-summary.json', '{}') }, qr/manifest ".*manifest-summary\.json" does not have its checksum/);
damaged('a file that was cut', $large, sub { my @data = glob("$_[0]/AWSDynamoDB/*/data/*"); truncate($data[0], (-s $data[0]) / 2) }, qr/does not have the checksum/);
my $without = sub { my ($member) = @_; return sub { my ($copy) = @_; rewrite($copy, '*/manifest-files.json', sub { $_[0] =~ s/,"$member":"[^"]*"//g }) } };
damaged('a file with fewer lines, without a checksum', $large, sub { $without->('md5Checksum')->($_[0]); my @data = glob("$_[0]/AWSDynamoDB/*/data/*"); my $data; gzip(\(line('only', 1) . "\n"), \$data); write_file($data[0], $data) },
	qr/data file ".*" has 1 items instead of 10000/);
damaged('a file that does not have its etag', $large, sub { rewrite($_[0], '*/manifest-files.json', sub { $_[0] =~ s/"md5Checksum":"[^"]*"/"none":1/g; $_[0] =~ s/"etag":"[^"]*"/'"etag":"' . '0' x 32 . '"'/ge }) }, qr/does not have the checksum/);
damaged('a file of another export', $large, sub { write_file((glob("$_[0]/AWSDynamoDB/*/data"))[0] . '/zzz.json.gz', '') }, qr/zzz\.json\.gz" is not in the manifest of its export/);
damaged('an incremental export in the middle is missing', $top, sub { system('rm', '-r', $_[0] . ($first =~ s/^\Q$top//r)) }, qr/an incremental export is missing between/);
damaged('a file of an incremental export is missing', $top, sub { my ($data) = glob("$_[0]/AWSDynamoDB/data/*"); unlink $data }, qr/data file ".*" of the export is missing/);
damaged('an incremental export without a summary', $top, sub { unlink $_[0] . ($second =~ s/^\Q$top//r) . '/manifest-summary.json' }, qr/manifest-summary\.json" of the export is missing/);
my $mixed = "$archive/mixed";
export_to($mixed, [ [ line('a', 1) ] ], $day);
export_to($mixed, [ [ change(1, 'a', 2) ] ], $day, $day + 3600, tableArn => 'arn:aws:dynamodb:eu-west-1:123456789012:table/Others');
damaged('exports of two tables', $mixed, sub { }, qr/are of different tables/);
my $ion = "$archive/ion";
export_to($ion, [ [] ], $day, undef, outputFormat => 'ION');
damaged('ION', $ion, sub { }, qr/has the format ION, which is not supported/);
my $timeless = "$archive/timeless";
export_to($timeless, [ [] ], $day, $day + 1, exportToTime => undef);
damaged('no time', $timeless, sub { }, qr/has no member "exportToTime"/);
damaged('data behind a link', $large, sub { my ($data) = glob("$_[0]/AWSDynamoDB/*/data"); rename($data, "$_[0]/moved"); symlink("$_[0]/moved", $data) }, qr/is a symbolic link/);
my $escape = "$archive/escape";
export_to($escape, [ [ line('a', 1) ] ], $day);
damaged('a key that leads elsewhere', $escape, sub { rewrite($_[0], '*/manifest-files.json', sub { $_[0] =~ s{"dataFileS3Key":"[^"]*/}{"dataFileS3Key":"../../../} }); my @data = glob("$_[0]/AWSDynamoDB/*/data/*"); rename($data[0], "$_[0]/a.json.gz") },
	qr/data file ".*\/data\/\w+\.json\.gz" of the export is missing/);

# Files whose manifests were removed on purpose, in a directory of another name, are imported as they are.
system("mkdir -p '$archive/plain' && cp '$large_export'/data/* '$archive/plain'") == 0 or die;
is(import_to('plain', "$archive/plain"), '20000 0', 'files without manifests are imported as they are');
like(error_of("SELECT * FROM dynamo.import_items('plain', '$top/AWSDynamoDB/data')"), qr/line has no member "Item"\nHINT:  It is a line of an incremental export\./, 'lines of incremental exports are not taken for items');

# ---- many changes are sorted on disk ----

my $many = "$archive/many";
export_to($many, [ map { my $file = $_; [ map { change(($file * 7919 + $_ * 104729) % 100000, ($_ % 3000) . '', $file * 10000 + $_) } 1 .. 10000 ] } 1 .. 3 ], $day, $day + 100000);
sql("ALTER SYSTEM SET maintenance_work_mem = '1MB'");
sql('SELECT pg_reload_conf()');
is(import_to('many', $many), '30000 0', 'more changes than fit into memory');
my %last;
for my $file (1 .. 3)
{
	for my $n (1 .. 10000)
	{
		my $time = ($file * 7919 + $n * 104729) % 100000;
		my $id = $n % 3000;

		# of equal times the later file and line counts
		$last{$id} = [ $time, $file * 10000 + $n ] if !$last{$id} || $time >= $last{$id}[0];
	}
}
is(items('many'), join(' ', map { "$_=$last{$_}[1]" } sort keys %last), 'leave the last change of each item');

done_testing();
