# archive_disturbed.pl: exports, imports, backups and restores that others disturb: a table that is
# rewritten, transactions that last, links in place of directories, errors after the last file.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IO::Compress::Gzip qw(gzip $GzipError);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $archive = PostgreSQL::Test::Utils::tempdir();
my $node = new_dynamo_node('disturbed', qq{
dynamo.archive_directory = '$archive'
dynamo.housekeeping_interval = 0
max_worker_processes = 16
dynamo.max_archive_workers_per_role = 6
dynamo.max_archive_workers = 6
});
my $json = JSON::PP->new->canonical->allow_nonref;
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET search_path = public, dynamo');
mkdir "$archive/bucket";

sub sql { my ($statement, $role) = @_; return $node->safe_psql('postgres', $statement, defined $role ? (extra_params => [ '-U', $role ]) : ()) }

sub request_text
{
	my ($operation, $input) = @_;

	return sprintf(q{SELECT dynamo.request_safe('%s', '%s')}, $operation, $json->encode($input) =~ s/'/''/gr);
}

# The answer of a request: the body, or "Exception: message".
sub request
{
	my ($operation, $input, $role) = @_;
	my $answer = $json->decode(sql(request_text($operation, $input), $role));

	return $answer->{body} if $answer->{status} == 200;
	my ($type) = $answer->{body}{__type} =~ /#(.*)/;
	return "$type: " . ($answer->{body}{message} // $answer->{body}{Message});
}

# The row of the last job of a kind, when it has ended.
sub last_job
{
	my ($kind, $columns) = @_;
	my $of = "FROM dynamo_internal.archive_jobs WHERE id = (SELECT max(id) FROM dynamo_internal.archive_jobs WHERE kind = '$kind')";

	wait_until(sub { sql("SELECT status $of") =~ /^(completed|failed)$/ });
	return sql("SELECT $columns $of");
}

sub status
{
	my ($table, $role) = @_;
	my $answer = request('DescribeTable', { TableName => $table }, $role);

	return ref $answer ? $answer->{Table}{TableStatus} : $answer =~ s/:.*//sr;
}

sub no_worker { return sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'}) eq '0' }
sub files_below { my ($directory) = @_; return join(' ', sort map { s{^\Q$directory\E/}{}r } split /\n/, `find '$directory' -type f`) }

my %new_table = (AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' } ], KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' } ],
	BillingMode => 'PAY_PER_REQUEST');

sub import_input
{
	my ($table, $prefix, %more) = @_;

	return { InputFormat => 'DYNAMODB_JSON', S3BucketSource => { S3Bucket => 'bucket', S3KeyPrefix => $prefix },
		TableCreationParameters => { %new_table, TableName => $table }, %more };
}

# ---- a table that is rewritten while the worker waits for it: to an older snapshot it is empty ----

sub waiting { my ($backend) = @_; return sql("SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.backend_type = '$backend'") eq '1' }

# Requests a job in a transaction.  A statement, which waits for it unless it is on a partition, is then executed by another one that is open when the worker begins.
sub while_rewritten
{
	my ($statement, $request, $waits) = @_;
	my $requester = $node->background_psql('postgres', on_error_stop => 1);
	my $writer = $node->background_psql('postgres', on_error_stop => 1);

	$requester->query_safe("BEGIN; SET LOCAL client_min_messages = error; $request");
	$writer->query_safe('BEGIN');
	$writer->query_until(qr/begins/, "\\echo begins\n$statement;\n\\echo written\n");
	ok(wait_until(sub { waiting('client backend') }), 'a rewrite waits for the request') if $waits;
	$writer->query_safe('SELECT') if !$waits;
	$requester->query_safe('COMMIT');
	ok(wait_until(sub { waiting('dynamo archive job') }), 'the worker waits for the rewrite');
	$writer->query_safe('COMMIT');
	$_->quit for $requester, $writer;
	return;
}

sql(q{SELECT create_table('whole', 'pk'); SELECT create_table('parts', 'pk', partitions => 2);
	SELECT count(put_item('whole', build_item('pk', n::text))), count(put_item('parts', build_item('pk', n::text))) FROM generate_series(1, 100) n});
my ($partition) = sql(q{SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'parts'::regclass ORDER BY 1 LIMIT 1});
while_rewritten('ALTER TABLE whole ADD COLUMN more uuid DEFAULT gen_random_uuid()', request_text('CreateBackup', { TableName => 'whole', BackupName => 'rewritten' }), 1);
is(last_job('backup', 'status, items'), 'completed|100', 'a backup of a table that was rewritten has all items');
while_rewritten("ALTER TABLE $partition SET UNLOGGED", request_text('CreateBackup', { TableName => 'parts', BackupName => 'rewritten' }));
is(last_job('backup', 'status, items'), 'completed|100', 'so has one whose partition was rewritten');
sql("ALTER TABLE $partition SET LOGGED");
request('UpdateContinuousBackups', { TableName => 'whole', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
while_rewritten('ALTER TABLE whole ADD COLUMN again uuid DEFAULT gen_random_uuid()',
	request_text('RestoreTableToPointInTime', { SourceTableName => 'whole', TargetTableName => 'whole_now', UseLatestRestorableTime => JSON::PP::true }), 1);
is(last_job('restore', 'status, items'), 'completed|100', 'so has a copy of its past');
while_rewritten('ALTER TABLE whole ADD COLUMN more_yet uuid DEFAULT gen_random_uuid()', request_text('ExportTableToPointInTime',
	{ TableArn => 'arn:aws:dynamodb:us-east-1:000000000000:table/whole', S3Bucket => 'bucket', FilterSpecification => { FilterExpression => 'attribute_exists(pk)' } }), 1);
is(last_job('export', 'status, items'), 'completed|100', 'and an export with a filter');
request('UpdateContinuousBackups', { TableName => 'parts', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
sql(q{LOAD 'dynamo'; ALTER SYSTEM SET dynamo.direct_access = off; SELECT pg_reload_conf()});
while_rewritten("ALTER TABLE $partition SET UNLOGGED", request_text('ExportTableToPointInTime',
	{ TableArn => 'arn:aws:dynamodb:us-east-1:000000000000:table/parts', S3Bucket => 'bucket', FilterSpecification => { FilterExpression => 'attribute_exists(pk)' } }), 1);
is(last_job('export', 'status, items'), 'completed|100', 'also by a statement on partitions');
sql("ALTER TABLE $partition SET LOGGED");
sql('ALTER SYSTEM RESET dynamo.direct_access; SELECT pg_reload_conf()');

# export_items has the snapshot of its statement
mkdir "$archive/exported";
my $writer = $node->background_psql('postgres', on_error_stop => 1);
my $exporter = $node->background_psql('postgres', on_error_stop => 1);
$writer->query_safe("BEGIN; ALTER TABLE $partition SET UNLOGGED");
$exporter->query_until(qr/begins/, "\\echo begins\nSELECT 'items', dynamo.export_items('parts', '$archive/exported');\n");
ok(wait_until(sub { waiting('client backend') }), 'export_items waits for a partition');
$writer->query_safe('COMMIT');
is($exporter->query_safe(q{SELECT 'done'}) =~ s/.*items\|(\d+)\n.*/$1/sr, '100', 'and has all items');
$_->quit for $writer, $exporter;

# ---- transactions that last ----

sql(q{CREATE ROLE app LOGIN; GRANT CREATE ON SCHEMA public TO app; GRANT EXECUTE ON FUNCTION dynamo.archive_directory() TO app;
	SET ROLE app; SELECT create_table('theirs', 'pk'); SELECT put_item('theirs', build_item('pk', 'a'))});
ok(wait_until(\&no_worker), 'all workers have ended');
my $backup = request('CreateBackup', { TableName => 'whole', BackupName => 'lost' })->{BackupDetails}{BackupArn};
last_job('backup', 'status');
ok(wait_until(\&no_worker), 'its worker has ended');
sql(q{UPDATE dynamo_internal.archive_jobs SET status = 'running' WHERE id = (SELECT max(id) FROM dynamo_internal.archive_jobs WHERE kind = 'backup');
	UPDATE dynamo_internal.archive_jobs SET started = 1 WHERE kind = 'export'});
my $lasting = $node->background_psql('postgres', on_error_stop => 1);
$lasting->query_safe('BEGIN; SET LOCAL client_min_messages = error; ' . request_text('CreateBackup', { TableName => 'whole', BackupName => 'lasts' }));
my ($result, $out, $error) = $node->psql('postgres', q{SET statement_timeout = '20s'; } . request_text('CreateBackup', { TableName => 'theirs', BackupName => 'theirs' }),
	extra_params => [ '-U', 'app' ]);
like($out, qr/"CREATING"/, 'a request does not wait for one that records lost jobs and deletes old ones');
ok(wait_until(sub { sql(q{SELECT status FROM dynamo_internal.archive_jobs WHERE table_name = 'theirs'}) eq 'completed' }), 'nor does its worker');
$lasting->query_safe('COMMIT');
$lasting->quit;
like(request('DescribeBackup', { BackupArn => $backup }), qr/^BackupNotFoundException/, 'the lost one is recorded');
is(sql(q{SELECT count(*) FROM dynamo_internal.archive_jobs WHERE kind = 'export'}), '0', 'the old one is gone');

last_job('backup', 'status');
sql('BEGIN; ' . request_text('CreateBackup', { TableName => 'whole', BackupName => 'late' }) .
	q{; UPDATE dynamo_internal.archive_jobs SET started = started - 61000000 WHERE status = 'queued'; COMMIT});
is(last_job('backup', 'status, items, failure_message'), 'completed|100|', 'a job that is committed a minute after its request is executed');

# ---- tables that could not be restored ----

sql(q{CREATE ROLE heir LOGIN; CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_catalog.pg_sleep(3600); RETURN NEW; END$$});
$backup = request('CreateBackup', { TableName => 'theirs', BackupName => 'good' }, 'app')->{BackupDetails}{BackupArn};
last_job('backup', 'status');

# Has app restore a table, together with a statement of a superuser on it; returns how the job ends.
sub restored_with
{
	my ($table, $statement, $columns) = @_;

	sql('BEGIN; SET LOCAL ROLE app; ' . request_text('RestoreTableFromBackup', { BackupArn => $backup, TargetTableName => $table }) . "; RESET ROLE; $statement; COMMIT");
	return defined $columns ? last_job('restore', $columns) : '';
}

# What readers and writers of a table get.
sub uses
{
	my ($table, $role) = @_;
	my @got;

	for ([ GetItem => Key => { pk => { S => 'a' } } ], [ Scan => () ], [ PutItem => Item => { pk => { S => 'b' } } ])
	{
		my ($operation, %input) = @$_;
		my $answer = request($operation, { TableName => $table, %input }, $role);

		push @got, ref $answer ? 'done' : $answer =~ s/:.*//sr;
	}
	my ($result, undef, $error) = $node->psql('postgres', "INSERT INTO $table (item) VALUES (build_item('pk', 'c'))", extra_params => [ '-U', $role ]);
	push @got, $result == 0 ? 'done' : $error =~ /ERROR:  .*: (.*)/ ? $1 : $error;
	return join(' ', @got);
}

sub refused { return 'ResourceNotFoundException ResourceNotFoundException ResourceNotFoundException ' . "$_[0] is being restored" }

is(restored_with('inherited', 'ALTER TABLE inherited OWNER TO heir', 'status, failure_message'), 'failed|The owner of table inherited has changed', 'a restore whose table gets another owner fails');
ok(wait_until(\&no_worker), 'its worker has ended');
is(status('inherited', 'heir'), 'CREATING', 'and the table remains, but is not shown as restored');
is(uses('inherited', 'heir'), refused('inherited'), 'nor read or written');
like(request('StartBulkPutItems', { TableName => 'inherited', InputS3Configuration => { S3Bucket => 'bucket', InputFormat => 'DYNAMODB_JSON' },
	OutputS3Configuration => { S3Bucket => 'bucket', OutputType => ['ERROR'] } }), qr/^ResourceInUseException/, 'by no operation');
request('CreateBackup', { TableName => 'inherited', BackupName => 'nothing' });
like(last_job('backup', 'status, failure_message'), qr/^failed\|.*inherited is being restored/, 'and no backup is made of it');
is(ref request('DeleteTable', { TableName => 'inherited' }, 'heir'), 'HASH', 'its owner can delete it');
is(status('inherited', 'heir'), 'ResourceNotFoundException', 'and it is gone');

my ($of_app) = $backup =~ m{([^/]*)$};
rename("$archive/.backups/AWSDynamoDB/$of_app/data", "$archive/away") or die;
is(restored_with('seen', 'CREATE VIEW sees AS SELECT * FROM seen', 'status'), 'failed', 'a restore whose files are missing fails');
ok(wait_until(\&no_worker), 'its worker has ended');
is(status('seen'), 'CREATING', 'and the table, on which a view depends, is not shown as restored');
sql('DROP VIEW sees; SELECT drop_table($$seen$$)');
restored_with('unseen', 'SELECT', 'status');
ok(wait_until(sub { status('unseen') eq 'ResourceNotFoundException' }), 'one that can be dropped is gone');
rename("$archive/away", "$archive/.backups/AWSDynamoDB/$of_app/data") or die;

# a worker that is lost
restored_with('interrupted', 'CREATE TRIGGER a_wait BEFORE INSERT ON interrupted FOR EACH ROW EXECUTE FUNCTION wait()');
ok(wait_until(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job' AND wait_event = 'PgSleep'}) eq '1' }), 'a restore lasts');
sql(q{SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'});
sql('DROP TRIGGER a_wait ON interrupted');
is(uses('interrupted', 'app'), refused('interrupted'), 'nobody writes what the restore would overwrite or drop when it goes on');
is(status('interrupted'), 'CREATING', 'it goes on');
is(last_job('restore', 'status, items'), 'completed|1', 'and ends');
is(uses('interrupted', 'app'), 'done done done done', 'and the table is used');

# a worker that is always lost
restored_with('endless', 'CREATE TRIGGER a_wait BEFORE INSERT ON endless FOR EACH ROW EXECUTE FUNCTION wait()');
my $lost = 0;
for (1 .. 10)
{
	my $waits = q{FROM pg_stat_activity WHERE backend_type = 'dynamo archive job' AND wait_event = 'PgSleep'};

	wait_until(sub { sql("SELECT count(*) $waits") eq '1' }) or last;
	$lost += sql("SELECT count(pg_terminate_backend(pid, 20000)) $waits");
	status('endless');
}
is($lost, 10, 'a restore goes on ten times');
is(last_job('restore', 'status, failure_message'), 'failed|the server or the worker has stopped 10 times before the operation was complete', 'and not again and again');
is(status('endless'), 'ResourceNotFoundException', 'and leaves no table');
restored_with('other', 'SELECT', 'status');
sql('DROP TABLE other');

# a job with the number of a table that it has not created, as one that comes from another server has
sql(q{UPDATE dynamo_internal.archive_jobs SET status = 'running', relation = 'theirs'::regclass::oid, prefix = 'AWSDynamoDB/nothing/'
	WHERE id = (SELECT max(id) FROM dynamo_internal.archive_jobs WHERE kind = 'restore'); UPDATE theirs SET item = item || build_item('kept', 1)});
is(status('theirs', 'app'), 'ACTIVE', 'a table that no restore has created is ACTIVE');
ok(wait_until(\&no_worker), 'whatever a job tells of it');
is(sql('SELECT item ->> $$kept$$ FROM theirs'), '1', 'and keeps its items');
sql(q{DELETE FROM dynamo_internal.archive_jobs WHERE kind = 'restore'});

# partitions
sql(q{SET ROLE app; SELECT create_table('split', 'pk', partitions => 2); SELECT put_item('split', build_item('pk', n::text)) FROM generate_series(1, 20) n});
$backup = request('CreateBackup', { TableName => 'split', BackupName => 'split' }, 'app')->{BackupDetails}{BackupArn};
last_job('backup', 'status');
is(restored_with('split_again', 'SELECT', 'status, items'), 'completed|20', 'a partitioned table is restored');
is(uses('split_again', 'app'), 'done done done done', 'and used');

# ---- items that an index has left out, since they are older than it ----

sql(q{SELECT create_table('older', 'pk', 'sk'); SELECT put_item('older', build_item('pk', 'a', 'sk', '1', 'g', 5, 'h', 5)), put_item('older', build_item('pk', 'b', 'sk', '1', 'g', '', 'h', '')),
	put_item('older', build_item('pk', 'c', 'sk', '1', 'g', 'x', 'h', 'x')), put_item('older', build_item('pk', 'd', 'sk', '1', 'l', 'x', 'more', repeat('x', 390000)));
	SELECT create_index('older', 'inline', 'g'), create_index('older', 'aside', 'h', storage => 'table'), create_index('older', 'local', 'pk', 'l', local => true)});
request('UpdateContinuousBackups', { TableName => 'older', PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
sub differences { my ($table) = @_; return sql(join ' UNION ALL ', map { "SELECT string_agg(problem, ',' ORDER BY problem) FROM verify_index('$table', '$_')" } qw(inline aside local)) }
my $left_out = differences('older');
my $time = sql('SELECT extract(epoch FROM clock_timestamp())');
sleep(0.01);
$backup = request('CreateBackup', { TableName => 'older', BackupName => 'older' })->{BackupDetails}{BackupArn};
is(last_job('backup', 'status, items'), 'completed|4', 'a backup has the items that its indexes leave out');
sql(q{UPDATE older SET item = build_item('pk', pk, 'sk', sk, 'g', 'y', 'h', 'y') WHERE pk < 'c'});
for my $direct ('on', 'off')
{
	sql("LOAD 'dynamo'; ALTER SYSTEM SET dynamo.direct_access = $direct; SELECT pg_reload_conf()");
	ok($node->poll_query_until('postgres', "LOAD 'dynamo'; SHOW dynamo.direct_access", "LOAD\n$direct"), "direct access is $direct");
	request('RestoreTableFromBackup', { BackupArn => $backup, TargetTableName => "of_backup_$direct" });
	is(last_job('restore', 'status, items, failure_message'), 'completed|4|', 'its restore has them, too');
	request('RestoreTableToPointInTime', { SourceTableName => 'older', TargetTableName => "of_time_$direct", RestoreDateTime => 0 + $time });
	is(last_job('restore', 'status, items, failure_message'), 'completed|4|', 'and so has one to a time');
	for my $table ("of_backup_$direct", "of_time_$direct")
	{
		is(sql("SELECT string_agg(item ->> 'g', ',' ORDER BY pk), string_agg(g, ',' ORDER BY pk), string_agg(h, ',' ORDER BY pk) FROM $table"), '5,,x|x|x', 'as they were');
		is(differences($table), $left_out, 'and the indexes leave them out');
		like(request('PutItem', { TableName => $table, Item => { pk => { S => 'new' }, sk => { S => '1' }, g => { N => '5' } } }), qr/^ValidationException/, 'but no new one');
	}
}
sql('ALTER SYSTEM RESET dynamo.direct_access; SELECT pg_reload_conf()');

# ---- links in place of directories ----

my $elsewhere = PostgreSQL::Test::Utils::tempdir();
append_to_file("$elsewhere/precious", 'x');
$backup = request('CreateBackup', { TableName => 'whole', BackupName => 'linked' })->{BackupDetails}{BackupArn};
my ($id) = $backup =~ m{([^/]*)$};
last_job('backup', 'status');
rename("$archive/.backups/AWSDynamoDB/$id", "$archive/moved") or die;
symlink($elsewhere, "$archive/.backups/AWSDynamoDB/$id");
is(ref request('DeleteBackup', { BackupArn => $backup }), 'HASH', 'a backup whose directory was replaced by a link is deleted');
is(files_below($elsewhere), 'precious', 'and nothing where the link leads to');
mkdir "$archive/bucket/through";
sql("SELECT dynamo.export_items('whole', '$archive/exported')");
symlink("$archive/exported/AWSDynamoDB", "$archive/bucket/through/AWSDynamoDB");
request('ImportTable', import_input('through', 'through/', InputCompressionType => 'GZIP'));
like(last_job('import', 'status, failure_message'), qr/^failed\|.*AWSDynamoDB" is a symbolic link/, 'a link in place of the directory of exports is not followed');

# ---- paths that are longer than PostgreSQL's functions of directories can take ----

my $started = sql('SELECT pg_postmaster_start_time()');
for my $length (900, 1022 .. 1025, 1040)
{
	my $prefix = '';
	my $left = $length - length("$archive/bucket//AWSDynamoDB/$id");

	$prefix .= ($prefix eq '' ? '' : '/') . 'q' x ($left - length($prefix) > 200 ? 100 : $left - length($prefix) - ($prefix eq '' ? 0 : 1)) while length($prefix) < $left;
	sql("SELECT create_table('long$length', 'pk')");
	request('UpdateContinuousBackups', { TableName => "long$length", PointInTimeRecoverySpecification => { PointInTimeRecoveryEnabled => JSON::PP::true } });
	sql('BEGIN; ' . request_text('ExportTableToPointInTime', { TableArn => "arn:aws:dynamodb:us-east-1:000000000000:table/long$length", S3Bucket => 'bucket', S3Prefix => $prefix,
		FilterSpecification => { FilterExpression => 'attribute_exists(pk)' } }) . "; SELECT drop_table('long$length'); COMMIT");
	like(last_job('export', 'status, failure_message'), $length < 1000 ? qr/^failed\|.*not found/ : qr/^failed\|the path of the directory .* is too long/, "an export to a path of $length bytes fails");
}
is(sql('SELECT pg_postmaster_start_time()'), $started, 'and the server is up');
unlike(slurp_file($node->logfile), qr/terminated by signal/, 'and has been so');

# ---- a job of another server, whose table of jobs is replicated to this one ----

request('CreateBackup', { TableName => 'whole', BackupName => 'elsewhere' });
$id = last_job('backup', 'id');
ok(wait_until(\&no_worker), 'its worker has ended');
sql("UPDATE dynamo_internal.archive_jobs SET status = 'running', owner_server = 4711 WHERE id = '$id';
	CREATE TEMP TABLE moved AS SELECT * FROM dynamo_internal.archive_jobs WHERE id = '$id';
	DELETE FROM dynamo_internal.archive_jobs WHERE id = '$id'; INSERT INTO dynamo_internal.archive_jobs SELECT * FROM moved");
request('CreateBackup', { TableName => 'whole', BackupName => 'here' });
last_job('backup', 'status');
is(sql("SELECT status, owner_server FROM dynamo_internal.archive_jobs WHERE id = '$id'"), 'running|4711', 'is left to it');
ok(-e "$archive/.backups/AWSDynamoDB/$id/manifest-summary.json", 'with its files');

# ---- a bulk operation that cannot write its report ----

sql(q{SELECT create_table('puts', 'pk')});
mkdir "$archive/bucket/puts";
append_to_file("$archive/bucket/puts/lines", join('', map { $_ == 2500 ? "no item\n" : qq({"Item": {"pk": {"S": "$_"}}}\n) } 1 .. 3000));
my $starter = $node->background_psql('postgres', on_error_stop => 1);
my $bulk = $starter->query_safe('BEGIN; ' . request_text('StartBulkPutItems', { TableName => 'puts', InputS3Configuration => { S3Bucket => 'bucket', S3KeyPrefix => 'puts/', InputFormat => 'DYNAMODB_JSON' },
	OutputS3Configuration => { S3Bucket => 'bucket', S3KeyPrefix => 'report', OutputType => ['ERROR'] } }));
($bulk) = $bulk =~ /"BulkOperationArn":"([^"]*)"/;
($id) = $bulk =~ m{([^/]*)$};
system('mkdir', '-p', "$archive/bucket/report/AWSDynamoDB/$id/error.lines");
$starter->query_safe('COMMIT');
$starter->quit;
like(last_job('bulk-operation', 'status, failure_message'), qr/^failed\|.*error\.lines" is not a regular file/, 'a bulk operation that cannot write its report fails');
$bulk = request('DescribeBulkOperation', { BulkOperationArn => $bulk })->{BulkOperationDescription};
is("$bulk->{ProcessedItemCount} $bulk->{FailedItemCount} " . sql('SELECT count(*) FROM puts'), '2000 0 2000', 'and counts the batches that were committed');

# ---- reports of a bulk operation beside exports ----

mkdir "$archive/bucket/beside";
mkdir "$archive/bucket/one_put";
append_to_file("$archive/bucket/one_put/x", qq({"Item": {"pk": {"S": "one"}}}\n));
sql("SELECT create_table('beside', 'pk'); SELECT put_item('beside', build_item('pk', 'a')); SELECT dynamo.export_items('beside', '$archive/bucket/beside')");
request('StartBulkPutItems', { TableName => 'beside', InputS3Configuration => { S3Bucket => 'bucket', S3KeyPrefix => 'one_put/', InputFormat => 'DYNAMODB_JSON' },
	OutputS3Configuration => { S3Bucket => 'bucket', S3KeyPrefix => 'beside', OutputType => ['ERROR'] } });
is(last_job('bulk-operation', 'status, items'), 'completed|1', 'a bulk operation writes its reports beside an export');
request('ImportTable', import_input('beside_again', 'beside/', InputCompressionType => 'GZIP'));
is(last_job('import', 'status, items, failure_message'), 'completed|1|', 'which can be imported still');

# ---- an error after the last file ----

sql(q{CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'refused'; END$$;
	CREATE TRIGGER a_refuse BEFORE UPDATE ON dynamo_internal.archive_jobs FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION refuse()});
my $before = files_below($archive);
request('CreateBackup', { TableName => 'whole', BackupName => 'refused' });
is(last_job('backup', 'status, failure_message'), 'failed|refused', 'a backup whose end cannot be recorded fails');
ok(wait_until(\&no_worker), 'its worker has ended');
is(files_below($archive), $before, 'and leaves no files');
request('ExportTableToPointInTime', { TableArn => 'arn:aws:dynamodb:us-east-1:000000000000:table/older', S3Bucket => 'bucket', S3Prefix => 'changes', ExportType => 'INCREMENTAL_EXPORT',
	IncrementalExportSpecification => { ExportFromTime => int $time } });
is(last_job('export', 'status, failure_message'), 'failed|refused', 'so does an incremental export');
ok(wait_until(\&no_worker), 'its worker has ended');
is(files_below($archive), $before, 'and leaves none in the directory that such exports share');
sql('DROP TRIGGER a_refuse ON dynamo_internal.archive_jobs');

# ---- a small file that is read for long ----

SKIP:
{
	my $blocks = "\x28\xB5\x2F\xFD\x00\x58" . join('', map { substr(pack('V', 2 | 131072 << 3), 0, 3) . "\n" } 1 .. 200_000) . "\x01\x00\x00";

	append_to_file("$archive/bucket/lines/x", '') if mkdir "$archive/bucket/lines";
	open(my $file, '>:raw', "$archive/bucket/lines/x") or die;
	print $file $blocks;
	close $file;
	my $answer = request('ImportTable', import_input('lines', 'lines/', InputCompressionType => 'ZSTD'));
	skip 'the extension is built without libzstd', 7 if !ref $answer;
	ok(wait_until(sub { !no_worker() }), 'a file of 26 GB of empty lines is imported');
	sleep(1);
	my $began = time;
	sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo archive job'});
	is(last_job('import', 'status'), 'failed', 'and can be cancelled');
	cmp_ok(time - $began, '<', 5, 'at once');
	ok(wait_until(\&no_worker), 'its worker has ended');
	my $arn = request('StartBulkPutItems', { TableName => 'lines', InputS3Configuration => { S3Bucket => 'bucket', S3KeyPrefix => 'lines/', InputFormat => 'DYNAMODB_JSON', InputCompressionType => 'ZSTD' },
		OutputS3Configuration => { S3Bucket => 'bucket', S3KeyPrefix => 'report', OutputType => ['ERROR'] } })->{BulkOperationDescription}{BulkOperationArn};
	ok(wait_until(sub { !no_worker() }), 'so does a bulk operation');
	sleep(1);
	$began = time;
	request('CancelBulkOperation', { BulkOperationArn => $arn });
	ok(wait_until(sub { request('DescribeBulkOperation', { BulkOperationArn => $arn })->{BulkOperationDescription}{BulkOperationStatus} eq 'CANCELLED' }), 'which a request can cancel');
	cmp_ok(time - $began, '<', 10, 'soon');
}

# ---- CSV files: a byte order mark before a first field that is quoted, a long header ----

mkdir "$archive/bucket/marked";
append_to_file("$archive/bucket/marked/x.csv", qq{\xEF\xBB\xBF"a,",1\r\n"b",2\r\n"c",3\r\n});
request('ImportTable', import_input('marked', 'marked/', InputFormat => 'CSV', InputFormatOptions => { Csv => { HeaderList => [ 'pk', 'v' ] } }));
is(last_job('import', 'status, items') . ' ' . sql(q{SELECT string_agg(pk || '=' || (item ->> 'v'), ' ' ORDER BY pk) FROM marked}), 'completed|3 a,=1 b=2 c=3', 'the lines after it are records');
mkdir "$archive/bucket/names";
append_to_file("$archive/bucket/names/x.csv", 'pk' . ',a' x 250_000 . "\n1\n");
request('ImportTable', import_input('names', 'names/', InputFormat => 'CSV'));
like(last_job('import', 'status, failure_message'), qr/^failed\|the header of a CSV file has more than 204800 attribute names/, 'a header that no item needs is not read into memory');

# ---- settings of the database that would end the worker ----

SKIP:
{
	skip 'there is no transaction_timeout', 1 if sql('SHOW server_version_num') < 170000;
	sql(q{CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_catalog.pg_sleep(3); RETURN NEW; END$$;
		ALTER DATABASE postgres SET transaction_timeout = '2s'});
	append_to_file("$archive/bucket/slow_one", '{"Item": {"pk": {"S": "a"}}}');
	sql('BEGIN; ' . request_text('ImportTable', import_input('slow', 'slow_one')) . '; CREATE TRIGGER a_pause BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION pause(); COMMIT');
	is(last_job('import', 'status, items'), 'completed|1', 'a worker may take longer than transaction_timeout');
}

$node->stop;
done_testing();
