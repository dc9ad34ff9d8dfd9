# upgrade.pl: pg_upgrade keeps tables, indexes of every storage, views, constraints
# and the extension.  It upgrades to the same major version, because there is only
# one installation.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $old = new_dynamo_node('old');
$old->safe_psql('postgres', <<'SQL');
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'inline', 'G', 'SK');
SELECT dynamo.create_index('shop', 'kept', 'G', 'SK', storage => 'table', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('shop', 'sharded', 'G', 'SK', shards => 3);
SELECT dynamo.create_table('numbers', 'id', 'at', partition_key_type => 'N', sort_key_type => 'B');
INSERT INTO shop (item) SELECT dynamo.build_item('PK', 'p' || i % 7, 'SK', 's' || i, 'G', 'g' || i % 3, 'customer_id', i, 'text', repeat('long ', i))
FROM generate_series(1, 100) i;
SELECT dynamo.put_item('numbers', '{"id": {"N": "1e-3"}, "at": {"B": "/w=="}}');
SELECT dynamo.create_entity_view('customers', 'shop', '{"customer_id": "int", "text": "text"}');
SELECT dynamo.add_unique_constraint('shop', 'customer_id_is_unique', '{customer_id}');
SELECT dynamo.request('TagResource', json_build_object('ResourceArn',
	dynamo.request('DescribeTable', '{"TableName": "shop"}') #>> '{Table,TableArn}', 'Tags', '[{"Key": "k", "Value": "v"}]'::json));
CREATE INDEX any_attribute ON shop USING gin (item);
SELECT dynamo.create_table('library', 'PK', 'SK', indexes => '[{"index_name": "by_author", "partition_key": "GSI1PK"}]');
SELECT dynamo.create_entity('library', 'author', '{"PK": "A#{author_id}", "SK": "A"}', type_attribute => 'kind');
SELECT dynamo.create_entity('library', 'book', '{"PK": "B#{isbn:04}", "SK": "B", "GSI1PK": "A#{author_id}"}', '{"isbn": "int", "author_id": "text", "author_name": "text"}',
	type_attribute => 'kind', view_name => 'books');
SELECT dynamo.create_copy('library', 'author_name', 'author', 'book', '{"author_name": "name"}', index_name => 'by_author');
SELECT dynamo.create_total('library', 'books', 'author', 'book', '{"books": "count"}', index_name => 'by_author');
SELECT dynamo.put_item('library', '{"kind": "author", "author_id": "a", "name": "Ann"}'::jsonb);
INSERT INTO books (isbn, author_id) SELECT i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 20) i;
CREATE ROLE librarian;
ALTER VIEW books SET (security_invoker = false);
GRANT SELECT (isbn, author_id), UPDATE (author_id) ON books TO librarian;
CREATE ROLE app LOGIN;
SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET');
SELECT dynamo.create_table('docs', 'pk');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 2, 'EUCLIDEAN', partition_key => 'tenant');
SELECT count(dynamo.put_item('docs', jsonb_build_object('pk', 'd' || i, 'tenant', 't' || i % 2, 'emb', jsonb_build_array(i, 0)))) FROM generate_series(1, 20) i;
SELECT dynamo.create_table('parts', 'PK', partitions => 2, indexes => '[{"index_name": "own", "partition_key": "G", "storage": "table"}]');
SELECT count(dynamo.put_item('parts', jsonb_build_object('PK', 'p' || i, 'G', 'g'))) FROM generate_series(1, 10) i;
ANALYZE;
SQL
my %searches = (vec => [ q{3.25,0}, q{'tenant = :t', '{":t": "t1"}'::jsonb} ]);
if (has_pgvector($old))
{
	$old->safe_psql('postgres', q{CREATE EXTENSION vector; SELECT dynamo.create_vector_index('docs', 'near', 'emb', 2, 'EUCLIDEAN', method => 'hnsw')});
	$searches{near} = [ q{3.25,0}, 'NULL' ];
}
my %before = map { $_ => items_of($old, 'postgres', $_) } 'shop', 'numbers', 'library', 'docs', 'parts', 'dynamo_internal.table_tags';
my $definitions = definitions_of($old, 'postgres');
my $event_triggers = 'SELECT evtname, evtevent, evtenabled, evtfoid::regproc FROM pg_event_trigger ORDER BY 1';
my $triggers_before = $old->safe_psql('postgres', $event_triggers);
my $members = q{SELECT count(*) FROM pg_depend WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo')};
my $members_before = $old->safe_psql('postgres', $members);
my $waiting = q{SELECT t.tgname, d.refobjid::regclass FROM pg_depend d JOIN pg_trigger t ON t.oid = d.objid
WHERE d.classid = 'pg_trigger'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'n' AND t.tgrelid = 'parts'::regclass ORDER BY 2};
my $waiting_before = $old->safe_psql('postgres', $waiting);
is($waiting_before, "~dynamo_maintain_indexes|\"parts\$p0\"\n~dynamo_maintain_indexes|\"parts\$p1\"", 'a trigger of a partitioned table follows the rows of its partitions');
$old->stop;

my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
my $bindir = `pg_config --bindir`;
chomp $bindir;
chdir PostgreSQL::Test::Utils::tempdir();
command_ok(
	[ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bindir, '-B', $bindir,
	  '-s', $new->host, '-p', $old->port, '-P', $new->port ],
	'pg_upgrade');
my $port = PostgreSQL::Test::Cluster::get_free_port();
$new->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'dynamo'
dynamo.http_port = $port
dynamo.http_listen_addresses = '127.0.0.1'
});
$new->start;

is(items_of($new, 'postgres', $_), $before{$_}, "$_ has not changed") for sort keys %before;
is(definitions_of($new, 'postgres'), $definitions, 'definitions');
is($new->safe_psql('postgres', $event_triggers), $triggers_before, 'event triggers');
is($new->safe_psql('postgres', $members), $members_before, 'objects of the extension');
for my $index ('inline', 'kept', 'sharded')
{
	is($new->safe_psql('postgres', "SELECT * FROM dynamo.verify_index('shop', '$index')"), '', "index $index");
	is($new->safe_psql('postgres', qq{
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g1"}}', index_name => '$index')}), '34', "query on $index");
}
is($new->safe_psql('postgres', q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "new"}, "G": {"S": "g9"}}');
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g9"}}', index_name => 'sharded');
UPDATE customers SET text = 'changed' WHERE "PK" = 'p1' AND "SK" = 's1' RETURNING text;
SELECT count(*) FROM shop WHERE item OPERATOR(dynamo.@>) '{"customer_id": {"N": "7"}}'}),
	"\n1\nchanged\n1", 'writes, views and searches work');
my $plan = $new->safe_psql('postgres', q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT author_name FROM books WHERE isbn = 7});
like($plan, qr/Index Cond: \(\("PK" = 'B#0007'/, q{an entity's view is read by its key});
is($new->safe_psql('postgres', q{
SET ROLE librarian;
UPDATE books SET author_id = 'a' WHERE isbn = 7 RETURNING author_id;
RESET ROLE;
SELECT "GSI1PK", author_name FROM books JOIN library USING ("PK", "SK") WHERE isbn = 7;
SELECT item OPERATOR(dynamo.->>) 'books' FROM library WHERE "PK" = 'A#a';
UPDATE library SET item = item OPERATOR(dynamo.||) dynamo.build_item('name', 'Anna') WHERE "PK" = 'A#a';
SELECT count(*) FROM books WHERE author_name = 'Anna';
SELECT count(*) FROM dynamo.check_copies('library');
SELECT count(*) FROM dynamo.check_entity('library')}), "a\nA#a|Ann\n11\n11\n0\n0", 'entities, copies, totals and rights to columns');
my ($status, $out, $error) = $new->psql('postgres', q{
INSERT INTO shop (item) VALUES ('{"PK": {"S": "x"}, "SK": {"S": "x"}, "customer_id": {"N": "1"}}')});
like($error, qr/customer_id_is_unique/, 'constraints hold');
($status, $out, $error) = $new->psql('postgres', 'DROP TABLE "shop$sharded$0"');
like($error, qr/is a shard of index "sharded"/, 'event triggers work');
my $socket;
wait_until(sub { $socket = connect_http($port) });
is((api($socket, 'ListTables', {}))[0], 200, 'access keys work');
is($new->safe_psql('postgres', q{SELECT dynamo.reshard_index('shop', 'sharded', 2); SELECT count(*) FROM dynamo.verify_index('shop', 'sharded')}),
	"\n0", 'indexes can be changed');

is($new->safe_psql('postgres', q{SELECT * FROM dynamo.verify_index('parts', 'own')}), '', 'the index table of a partitioned table');
$new->safe_psql('postgres', 'ALTER TABLE parts ENABLE ALWAYS TRIGGER "~dynamo_derive_keys"');
is($new->safe_psql('postgres', $waiting), $waiting_before, 'the trigger of the partitioned table follows the rows again');

# ---- vector indexes ----

sub found_near
{
	my ($index) = @_;
	my ($vector, $condition) = @{ $searches{$index} };

	return $new->safe_psql('postgres', qq{
SELECT string_agg((item OPERATOR(dynamo.->>) 'pk') || ' ' || score, ', ') FROM dynamo.search_vectors('docs', '$index', '{$vector}', 2, $condition)});
}

SKIP: { skip 'pgvector is not installed', 1 if !$searches{near} }
for my $index (sort keys %searches)
{
	is($new->safe_psql('postgres', "SELECT * FROM dynamo.verify_index('docs', '$index')"), '', "vector index $index");
	is(found_near($index), $index eq 'near' ? 'd3 0.25, d4 0.75' : 'd3 0.25, d5 1.75', "a search of $index");
}
$new->safe_psql('postgres', q{SELECT dynamo.put_item('docs', '{"pk": "new", "tenant": "t1", "emb": [3.25, 0]}'::jsonb)});
is(found_near($_), 'new 0, d3 0.25', "$_ is maintained") for sort keys %searches;

$new->stop;
done_testing();
