# dump_restore.pl: pg_dump's output restores tables, definitions, triggers and
# items: the whole database, one table, schema only, data only.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('dump');
my $dir = PostgreSQL::Test::Utils::tempdir();

# ---- the source ----

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', <<'SQL');
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_table('My.Readings', partition_key => 'id', sort_key => 'at',
						   partition_key_type => 'B', sort_key_type => 'N');
SELECT dynamo.create_table('parts', 'PK', partitions => 3, indexes => '[{"index_name": "inl", "partition_key": "G"}]');
SELECT count(dynamo.put_item('parts', jsonb_build_object('PK', 'p' || i, 'G', 'g'))) FROM generate_series(1, 9) i;
SELECT dynamo.create_index('shop', 'inline', 'GSI1PK', 'SK');
SELECT dynamo.create_index('shop', 'kept', 'GSI1PK', 'SK', storage => 'table', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('shop', 'sharded', 'GSI1PK', 'SK', storage => 'table', shards => 3);
SELECT dynamo.create_entity('shop', 'event', '{"PK": "EVENT#{event}", "SK": "{at:s}"}', '{"event": "text", "at": "timestamptz"}', type_attribute => 'kind', view_name => 'events');
SELECT dynamo.create_access_pattern('shop', 'events_of', 'event = :event AND #at >= :since', view_name => 'events', expression_attribute_names => '{"#at": "at"}',
	parameters => '{"since": {"default": null}}', description => 'what happened');
SELECT dynamo.put_item('shop', '{"PK": {"S": "a"}, "SK": {"S": "1"}, "n": {"N": "1.50"},
	"b": {"B": "AAEC"}, "t": {"BOOL": true}, "z": {"NULL": true}, "nul": {"S": "x\u0000y"},
	"l": {"L": [{"S": ""}, {"N": "-0"}]}, "m": {"M": {"k": {"S": "a\\b\n"}}},
	"ss": {"SS": ["b", "a"]}, "ns": {"NS": ["10", "9"]}, "bs": {"BS": ["AQ==", "AA=="]}}');
SELECT count(dynamo.put_item('shop', jsonb_build_object('PK', 'p' || i % 7, 'SK', 's' || i,
	'GSI1PK', 'g' || i % 3, 'text', repeat('long ', i)))) FROM generate_series(1, 300) i;
SELECT dynamo.put_item('My.Readings', '{"id": {"B": "/w=="}, "at": {"N": "1e-3"}}');
SELECT dynamo.create_table('library', 'PK', 'SK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK"}]');
SELECT dynamo.create_entity('library', 'author', '{"PK": "A#{author_id}", "SK": "A"}', type_attribute => 'kind');
SELECT dynamo.create_entity('library', 'book', '{"PK": "B#{isbn:04}", "SK": "B", "GSI1PK": "A#{author_id}"}', '{"isbn": "int", "author_id": "text", "author_name": "text"}',
	type_attribute => 'kind', view_name => 'books');
SELECT dynamo.create_copy('library', 'author_name', 'author', 'book', '{"author_name": "name"}', index_name => 'by_author');
SELECT dynamo.create_total('library', 'books', 'author', 'book', '{"books": "count", "last": "max(isbn)"}', index_name => 'by_author');
SELECT count(dynamo.put_item('library', jsonb_build_object('kind', 'author', 'author_id', 'a' || i, 'name', 'Author ' || i))) FROM generate_series(1, 3) i;
INSERT INTO books (isbn, author_id) SELECT i, 'a' || i % 5 FROM generate_series(1, 50) i;
CREATE ROLE librarian;
ALTER VIEW books SET (security_invoker = false);
GRANT SELECT (isbn, author_id), UPDATE (author_id) ON books TO librarian;
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.item OPERATOR(dynamo.?) 'move' THEN
		NEW.item := (NEW.item::text::jsonb || '{"at": {"N": "7"}}')::text::dynamo.item;
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER "~later" BEFORE INSERT OR UPDATE ON "My.Readings" FOR EACH ROW EXECUTE FUNCTION later();
SQL

# relations can have any name
$node->safe_psql('source', q{
ALTER TABLE "shop$kept" RENAME TO "shop$renamed";
ALTER INDEX "shop$inline" RENAME TO "shop$btree";
SELECT dynamo.enable_stream('shop')});

my @tables = ('shop', '"My.Readings"', 'parts', 'library');
my %items = map { $_ => items_of($node, 'source', $_) } @tables;
my $definitions = definitions_of($node, 'source');
like($definitions, qr/derive_keys/, 'the source has its triggers');

# Checks that copies and totals of a restored table are right, and follow writes,
# also those of a role with rights to columns.
sub copies_follow
{
	my ($database, $what) = @_;

	is($node->safe_psql($database, q{SELECT * FROM dynamo.check_entity('library') UNION ALL SELECT * FROM dynamo.check_copies('library')}),
		'', "$what: keys, copies and totals");
	is($node->safe_psql($database, q{
SET ROLE librarian;
UPDATE books SET author_id = 'a1' WHERE isbn = 5 RETURNING author_id;
RESET ROLE;
UPDATE library SET item = item OPERATOR(dynamo.||) dynamo.build_item('name', 'New') WHERE "PK" = 'A#a1';
SELECT count(*), max(author_name) FROM books WHERE author_id = 'a1';
SELECT item OPERATOR(dynamo.->>) 'books' FROM library WHERE "PK" = 'A#a1';
SELECT count(*) FROM dynamo.check_copies('library')}), "a1\n11|New\n11\n0", "$what: copies, totals and rights to columns");
	my ($status, $out, $error) = $node->psql($database, q{SET ROLE librarian; UPDATE books SET author_name = 'x'});
	like($error, qr/permission denied for view books/, "$what: no other columns");
}

# Checks that a copy is equal and works: the functions find it, its trigger fires.
sub same_copy
{
	my ($database, $what, @only) = @_;
	my $relations = $what eq 'inserts into a new table' ? undef :
		'inline kept sharded|shop$btree shop$renamed shop$sharded';

	for my $table (@only ? @only : @tables)
	{
		is(items_of($node, $database, $table), $items{$table}, "$what: items of $table");
	}
	is($node->safe_psql($database, q{SELECT dynamo.get_item('shop', '{"PK": {"S": "p1"}, "SK": {"S": "s1"}}') OPERATOR(dynamo.->>) 'text'}),
		'long ', "$what: get_item");
	for my $index ('inline', 'kept', 'sharded')
	{
		is($node->safe_psql($database, "SELECT * FROM dynamo.verify_index('shop', '$index')"), '',
			"$what: index $index agrees with its table");
		is($node->safe_psql($database, qq{
SELECT count(*) FROM dynamo.query('shop', 'GSI1PK = :g', '{":g": {"S": "g1"}}', index_name => '$index')}),
			'100', "$what: a query on $index");
	}
	$node->safe_psql($database, q{SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "new"}, "GSI1PK": {"S": "g9"}}')});
	is($node->safe_psql($database, q{
SELECT count(*) FROM dynamo.query('shop', 'GSI1PK = :g', '{":g": {"S": "g9"}}', index_name => 'sharded')}),
		'1', "$what: the indexes follow");
	is($node->safe_psql($database, q{INSERT INTO shop (item) VALUES ('{"kind": {"S": "event"}, "event": {"S": "e"}, "at": {"S": "2026-01-01"}}')
			ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item RETURNING "PK", "SK"}),
		'EVENT#e|2026-01-01T00:00:00Z', "$what: an entity composes keys") if $what !~ /new table/;
	is($node->safe_psql($database, 'SELECT string_agg(index_name, $$ $$ ORDER BY index_name), string_agg(relation_name, $$ $$ ORDER BY relation_name)' .
		" FROM dynamo.indexes WHERE schema_name = 'public' AND table_name = 'shop'"),
		$relations, "$what: relations of the indexes") if $relations;
	my ($status, $out, $error) = $node->psql($database, q{INSERT INTO shop (item) VALUES ('{"PK": {"S": "x"}}')});
	isnt($status, 0, "$what: an item without its key is refused");
	return if @only;
	copies_follow($database, $what);
	is($node->safe_psql($database, q{SELECT count(*) FROM parts WHERE dynamo.get_item('parts', jsonb_build_object('PK', "PK")) IS NOT NULL;
SELECT count(*) FROM dynamo.query('parts', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inl')}), "9\n9", "$what: a partitioned table");
	($status, $out, $error) = $node->psql($database, q{INSERT INTO "My.Readings" (item) VALUES ('{"id": {"B": "AA=="}, "at": {"N": "1"}, "move": {"BOOL": true}}')});
	like($error, qr/contradicts the item after other triggers have fired/, "$what: a key changed after the columns were derived is refused");
}

# ---- the whole database ----

dump_database($node, 'source', "$dir/all.sql");
my $copy = new_database($node, 0);
load_file($node, $copy, "$dir/all.sql");
is(definitions_of($node, $copy), $definitions, 'whole database: definitions');
same_copy($copy, 'whole database');
my $patterns = "SELECT pattern, table_name, key_condition, description FROM dynamo.access_patterns";
is($node->safe_psql($copy, $patterns), $node->safe_psql('source', $patterns), 'whole database: access patterns');
is($node->safe_psql($copy, q{SELECT "SK" FROM events_of('e', '2025-01-01Z')}), '2026-01-01T00:00:00Z', 'whole database: an access pattern reads');

dump_database($node, 'source', "$dir/all.dump", '-Fc');
$copy = new_database($node, 0);
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', $node->connstr($copy), "$dir/all.dump" ], 'pg_restore -j2');
is(definitions_of($node, $copy), $definitions, 'custom format: definitions');
same_copy($copy, 'custom format');

# ---- over existing tables: --clean, from a script and from an archive ----

dump_database($node, 'source', "$dir/clean.sql", '--clean');
$node->safe_psql($copy, q{DELETE FROM shop WHERE "PK" < 'p3'});
my ($clean_out, $clean_error) = run_command([ 'psql', '-X', '-q', '-d', $node->connstr($copy), '-f', "$dir/clean.sql" ]);
my @complaints = grep { /ERROR/ && !/cannot drop inherited constraint/ } split /\n/, $clean_error;
is("@complaints", '', '--clean: triggers, indexes and tables can be dropped one by one');
is(definitions_of($node, $copy), $definitions, '--clean: definitions');
same_copy($copy, '--clean');
run_command([ 'pg_restore', '--clean', '--if-exists', '-d', $node->connstr($copy), "$dir/all.dump" ]);
is(definitions_of($node, $copy), $definitions, 'pg_restore --clean: definitions');
same_copy($copy, 'pg_restore --clean');

# ---- one table, with its index tables ----

dump_database($node, 'source', "$dir/one.sql", '-t', 'shop', '-t', 'shop$*');
$copy = new_database($node, 1);
load_file($node, $copy, "$dir/one.sql");
same_copy($copy, 'one table', 'shop');

# ---- without a schema, and only one schema ----

$node->safe_psql('source', q{
CREATE SCHEMA other;
SET search_path = other;
SELECT dynamo.create_table('shop', 'PK', indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
SELECT dynamo.put_item('shop', '{"PK": {"S": "a"}, "G": {"S": "g"}}')});
dump_database($node, 'source', "$dir/without.sql", '-N', 'other');
$copy = new_database($node, 0);
load_file($node, $copy, "$dir/without.sql");
is(definitions_of($node, $copy), $definitions, 'without a schema: definitions');
same_copy($copy, 'without a schema');
dump_database($node, 'source', "$dir/alone_schema.sql", '-n', 'other');
$copy = new_database($node, 1);
load_file($node, $copy, "$dir/alone_schema.sql");
is($node->safe_psql($copy, q{SET search_path = other;
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own');
SELECT count(*) FROM dynamo.verify_index('shop', 'own')}), "1\n0", 'one schema alone');
$node->safe_psql('source', 'SET client_min_messages = warning; DROP SCHEMA other CASCADE');

# ---- schema only, then data only ----

dump_database($node, 'source', "$dir/schema.sql", '--schema-only');
dump_database($node, 'source', "$dir/data.sql", '--data-only');
dump_database($node, 'source', "$dir/data_disabled.sql", '--data-only', '--disable-triggers');
for my $data ('data.sql', 'data_disabled.sql')
{
	$copy = new_database($node, 0);
	load_file($node, $copy, "$dir/schema.sql");
	is(definitions_of($node, $copy), $definitions, 'schema only: definitions');
	is($node->safe_psql($copy, 'SELECT count(*) FROM shop'), '0', 'schema only: no items');
	load_file($node, $copy, "$dir/$data");
	is(definitions_of($node, $copy), $definitions, "$data: triggers have not changed");
	same_copy($copy, $data);
}

# ---- data of the table only: its index tables are filled from it ----

dump_database($node, 'source', "$dir/alone.sql", '--data-only', '--disable-triggers', '-t', 'shop');
$copy = new_database($node, 0);
load_file($node, $copy, "$dir/schema.sql");
load_file($node, $copy, "$dir/alone.sql");
same_copy($copy, 'data of the table alone', 'shop');

# ---- inserts with column names ----

dump_database($node, 'source', "$dir/inserts.sql", '--data-only', '--column-inserts', '-t', 'shop');
$copy = new_database($node, 1);
$node->safe_psql($copy, q{
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'inline', 'GSI1PK', 'SK');
SELECT dynamo.create_index('shop', 'kept', 'GSI1PK', 'SK', storage => 'table', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('shop', 'sharded', 'GSI1PK', 'SK', storage => 'table', shards => 3)});
load_file($node, $copy, "$dir/inserts.sql");
same_copy($copy, 'inserts into a new table', 'shop');

# ---- a partitioned table with references, in steps of which one has several jobs ----

$node->safe_psql('postgres', 'CREATE DATABASE referring');
$node->safe_psql('referring', q{
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('parts', 'PK', 'SK', partitions => 4);
SELECT dynamo.create_index('parts', 'own', 'G', storage => 'table');
SELECT count(dynamo.put_item('parts', jsonb_build_object('PK', 'C#' || i, 'SK', 'M'))) FROM generate_series(1, 20) i;
SELECT count(dynamo.put_item('parts', jsonb_build_object('PK', 'O#' || i, 'SK', 'O', 'G', 'g', 'customer', i))) FROM generate_series(1, 20) i;
SELECT dynamo.add_reference('parts', 'ordered_by', '{"PK": "C#{customer}", "SK": "M"}', key_prefix => '{"SK": "O"}')});
dump_database($node, 'referring', "$dir/referring", '-Fd');
$copy = new_database($node, 0);
for my $section ('pre-data', 'data', 'post-data')
{
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), "--section=$section", $section eq 'data' ? ('-j', 4) : (), "$dir/referring" ],
		"references: section $section");
}
is(items_of($node, $copy, 'parts'), items_of($node, 'referring', 'parts'), 'references: items');
is(definitions_of($node, $copy), definitions_of($node, 'referring'), 'references: definitions');
is($node->safe_psql($copy, q{SELECT count(*) FROM dynamo.verify_index('parts', 'own')}), '0', 'references: index table');
my (undef, undef, $refused) = $node->psql($copy, q{SELECT dynamo.put_item('parts', '{"PK": "O#x", "SK": "O", "customer": 21}'::jsonb)});
like($refused, qr/ordered_by/, 'references: hold');

$node->stop;
done_testing();
