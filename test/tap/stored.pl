# stored.pl: this version reads what 1.0 has written: a dump of a database with every feature, the
# files of a backup and of an export, and a document of a model, which test/stored/1.0 has.  Their items,
# definitions, index entries and stream records are the same, and the tables go on.
# WRITE_PAGE=DIRECTORY writes such files, for a new minor version; see test/README.md.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $archive = PostgreSQL::Test::Utils::tempdir();
my $node = new_dynamo_node('stored', "fsync = off\ndynamo.archive_directory = '$archive'\n");
my $files = "$FindBin::RealBin/../stored";

# ---- what is written ----

my $source = <<'SQL';
SET search_path = public, dynamo;
SELECT create_table('tab', 'PK', 'SK');
SELECT create_index('tab', 'inl', 'G', 'SK');
SELECT create_index('tab', 'own', 'G', 'SK', storage => 'table', projection => 'KEYS_ONLY');
SELECT create_index('tab', 'shd', 'G', 'SK', storage => 'table', shards => 3);
SELECT create_vector_index('tab', 'vec', 'at', 2, 'EUCLIDEAN');
SELECT create_entity('tab', 'customer', '{"PK": "C#{cid}", "SK": "M"}', '{"cid": "text", "name": "text", "email": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('tab', 'order', '{"PK": "C#{cid}", "SK": "O#{oid:04}", "G": "G#{state}"}',
	'{"cid": "text", "oid": "int", "state": "text", "amount": "numeric", "cname": "text"}', type_attribute => 'kind', view_name => 'orders', check_types => true);
SELECT create_access_pattern('tab', 'orders_of_customer', 'cid = :cid AND oid >= :first', '{order}');
SELECT create_copy('tab', 'names', 'customer', 'order', '{"cname": "name"}');
SELECT create_total('tab', 'sums', 'customer', 'order', '{"orders": "count", "total": "sum(amount)", "most": "max(amount)"}');
SELECT add_unique_constraint('tab', 'one_email', '{email}');
SELECT add_reference('tab', 'ordered_by', '{"PK": "C#{cid}", "SK": "M"}', key_prefix => '{"SK": "O#"}');
SELECT request('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "until"}}');
SELECT request('TagResource', jsonb_build_object('ResourceArn', request('DescribeTable', '{"TableName": "tab"}') #>> '{Table,TableArn}',
	'Tags', '[{"Key": "stage", "Value": "test"}]'::jsonb));
SELECT count(put_item('tab', jsonb_build_object('kind', 'customer', 'cid', 'c' || i, 'name', 'Name ' || i, 'email', i || '@x', 'until', 9999999999))) FROM generate_series(0, 3) i;
SELECT count(put_item('tab', jsonb_build_object('kind', 'order', 'cid', 'c' || i % 3, 'oid', i, 'state', 's' || i % 2, 'amount', i))) FROM generate_series(1, 9) i;
SELECT put_item('tab', '{"PK": {"S": "types"}, "SK": {"S": "all"}, "s": {"S": "é"}, "n": {"N": "-1.5E-100"}, "b": {"B": "AP8="}, "t": {"BOOL": true}, "z": {"NULL": true},
	"l": {"L": [{"M": {"deep": {"L": []}}}]}, "ss": {"SS": ["b", "a"]}, "ns": {"NS": ["2", "10"]}, "bs": {"BS": ["AA=="]}}'::item);
SELECT enable_stream('tab') IS NOT NULL;
SELECT count(put_item('tab', jsonb_build_object('kind', 'order', 'cid', 'c' || i % 4, 'oid', i, 'state', 's' || i % 2, 'amount', i, 'at', jsonb_build_array(i, 1)))) FROM generate_series(10, 19) i;
SELECT put_item('tab', '{"kind": "customer", "cid": "c1", "name": "New", "email": "1@x"}'::jsonb);
SELECT delete_item('tab', '{"PK": {"S": "C#c2"}, "SK": {"S": "O#0011"}}');
SQL

# What must be the same: one line for each thing.
my $state = q{
SET search_path = public, dynamo;
SELECT 'item', t.* FROM tab t ORDER BY "PK", "SK";
SELECT 'entry', 'own', (e).* FROM "tab$own" e ORDER BY e::text COLLATE "C";
SELECT 'entry', 'shd', (e).* FROM "tab$shd" e ORDER BY e::text COLLATE "C";
SELECT 'entry', 'vec', (e).* FROM "tab$vec" e ORDER BY e::text COLLATE "C";
SELECT 'record', sequence_number, event_name, keys, new_image, old_image FROM read_stream('tab') ORDER BY sequence_number;
SELECT 'index', i.index_name, i.status FROM indexes i WHERE table_name = 'tab' ORDER BY 2;
SELECT 'order', o.* FROM orders o ORDER BY 2, 3;
SELECT 'pattern', item FROM orders_of_customer('c1', 10) item;
SELECT 'ttl', request('DescribeTimeToLive', '{"TableName": "tab"}');
SELECT 'tags', request('ListTagsOfResource', jsonb_build_object('ResourceArn', request('DescribeTable', '{"TableName": "tab"}') #>> '{Table,TableArn}'));
};
my $problems = q{
SET search_path = public, dynamo;
SELECT i.index_name, p.* FROM indexes i, verify_index('tab', i.index_name) p WHERE i.table_name = 'tab';
SELECT p.* FROM check_copies('tab') p;
SELECT p.* FROM check_entity('tab') p WHERE key ->> 'PK' <> 'types';
};
# The next change: its record has the next number, its total follows, and what is not allowed is refused.
my $next = q{
SET search_path = public, dynamo;
SELECT put_item('tab', '{"kind": "order", "cid": "c1", "oid": 100, "state": "s1", "amount": 1000}'::jsonb);
SELECT item ->> 'most' FROM tab WHERE "PK" = 'C#c1' AND "SK" = 'M';
SELECT item ->> 'cname' FROM tab WHERE "PK" = 'C#c1' AND "SK" = 'O#0100';
SELECT event_name FROM read_stream('tab') ORDER BY sequence_number DESC LIMIT 2;
SELECT count(*) FROM query('tab', 'G = :g AND SK = :s', '{":g": "G#s1", ":s": "O#0100"}'::jsonb, index_name => 'own');
};
my $model = q{SET search_path = public, dynamo; SELECT jsonb_pretty(export_model('tab')::jsonb)};
my $items = q{SELECT item FROM tab ORDER BY "PK", "SK"};

if (my $to = $ENV{WRITE_PAGE})
{
	my $exported = PostgreSQL::Test::Utils::tempdir();
	$node->safe_psql('postgres', 'CREATE DATABASE source');
	$node->safe_psql('source', "CREATE EXTENSION dynamo; $source");
	chmod 0777, $exported;
	$node->safe_psql('source', "SELECT dynamo.export_items('tab', '$exported/export.jsonl')");
	my $backup = $node->safe_psql('source', q{SELECT dynamo.request('CreateBackup', '{"TableName": "tab", "BackupName": "kept"}') #>> '{BackupDetails,BackupArn}'});
	$node->poll_query_until('source', qq{SELECT dynamo.request('DescribeBackup', '{"BackupArn": "$backup"}') #>> '{BackupDescription,BackupDetails,BackupStatus}' = 'AVAILABLE'});
	command_ok([ 'pg_dump', '--no-owner', '--no-privileges', '-d', $node->connstr('source'), '-f', "$to/database.sql" ], 'a dump');
	my $dump = slurp_file("$to/database.sql") =~ s/\Q$archive\E/ARCHIVE/gr =~ s/^(?:--.*|\\(?:un)?restrict .*|SET transaction_timeout .*|)\n//gmr;
	my %written = ('database.sql' => $dump, state => $node->safe_psql('source', $state) . "\n", 'model.json' => $node->safe_psql('source', $model) . "\n");
	for my $name (sort keys %written)
	{
		open(my $out, '>', "$to/$name") or die "$to/$name: $!";
		print $out $written{$name};
		close $out;
	}
	system('cp', '-r', "$exported/export.jsonl", "$to/") == 0 && system('cp', '-r', $archive, "$to/archive") == 0 or die;
}

# ---- what is read ----

for my $version (map { m{([^/]*)\z} } $ENV{WRITE_PAGE} ? () : glob("$files/*"))
{
	my $from = "$files/$version";
	my $expected = slurp_file("$from/state") =~ s/\n\z//r;
	my $database = new_database($node);

	my $dump = PostgreSQL::Test::Utils::tempdir() . '/database.sql';
	append_to_file($dump, slurp_file("$from/database.sql") =~ s/ARCHIVE/$archive/gr);
	system('cp', '-r', "$from/archive/.", $archive) == 0 or die;
	load_file($node, $database, $dump);
	is($node->safe_psql($database, $state), $expected, "$version: items, entries, records, definitions");
	is($node->safe_psql($database, $problems), '', "$version: no problem");
	my $backup = $node->safe_psql($database, q{SELECT dynamo.request('ListBackups', '{}') #>> '{BackupSummaries,0,BackupArn}'});
	$node->safe_psql($database, qq{SELECT dynamo.request('RestoreTableFromBackup', '{"BackupArn": "$backup", "TargetTableName": "restored"}')});
	$node->poll_query_until($database, q{SELECT dynamo.request('DescribeTable', '{"TableName": "restored"}') #>> '{Table,TableStatus}' = 'ACTIVE'});
	my $restored = $items =~ s/FROM tab/FROM restored/r;
	is($node->safe_psql($database, $restored), $node->safe_psql($database, $items), "$version: the files of a backup");
	is($node->safe_psql($database, $next), "\n1000\nNew\nMODIFY\nINSERT\n1", "$version: the next change");
	for (q{"kind": "customer", "cid": "c9", "email": "1@x"}, q{"kind": "order", "cid": "nobody", "oid": 1, "state": "s1"}, q{"kind": "order", "cid": "c1", "oid": 7, "state": "s1", "amount": "x"})
	{
		isnt(($node->psql($database, "SELECT dynamo.put_item('tab', '{$_}'::jsonb)"))[0], 0, "$version: refused: $_");
	}

	$database = new_database($node, 1);
	my $document = slurp_file("$from/model.json") =~ s/\n\z//r;
	$node->safe_psql($database, "SELECT dynamo.apply_model(\$document\$$document\$document\$)");
	is($node->safe_psql($database, $model), $document, "$version: a model's document");
	$node->safe_psql($database, q{SELECT dynamo.drop_constraint('tab', 'ordered_by')});
	$node->safe_psql($database, "SELECT dynamo.import_items('tab', '$from/export.jsonl')");
	is($node->safe_psql($database, $items), join("\n", map { /^item\|.*?\|(?:.*?\|){0,4}(\{.*\})/ ? $1 : () } split /\n/, $expected), "$version: the files of an export");
}
$node->stop;
done_testing();
