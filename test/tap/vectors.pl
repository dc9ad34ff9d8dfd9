# vectors.pl: vector indexes after a dump, a crash and on a standby; built online
# while others write; searched over HTTP by requests of an SDK.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('vectors', $port, 1, '', allows_streaming => 1);
my $search = q{SELECT string_agg((item OPERATOR(dynamo.->>) 'pk') || ' ' || round(score::numeric, 2), ', ')
	FROM dynamo.search_vectors('docs', 'vec', '{3.25,0}', 4, 'tenant = :t', '{":t": "t1"}'::jsonb)};
my $found = 'd3 0.25, d4 0.75, d2 1.25, d5 1.75';

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('docs', 'pk');
SELECT dynamo.create_vector_index('docs', 'vec', 'emb', 2, 'EUCLIDEAN', partition_key => 'tenant', filters => ARRAY['lang']);
SELECT count(dynamo.put_item('docs', jsonb_build_object('pk', 'd' || i, 'tenant', 't' || i % 2, 'emb', jsonb_build_array(i, 0)))) FROM generate_series(1, 5) i;
SELECT count(dynamo.update_item('docs', jsonb_build_object('pk', 'd' || i), 'SET tenant = :t', expression_attribute_values => '{":t": "t1"}'::jsonb)) FROM generate_series(1, 5) i;
});

# The same by an HNSW index, of all partitions.
my $hnsw = has_pgvector($node);
my $search_near = q{SELECT string_agg((item OPERATOR(dynamo.->>) 'pk') || ' ' || round(score::numeric, 2), ', ')
	FROM dynamo.search_vectors('docs', 'near', '{3.25,0}', 2)};

SKIP: { skip 'pgvector is not installed', 1 if !$hnsw }
$node->safe_psql('postgres', q{CREATE EXTENSION vector; SELECT dynamo.create_vector_index('docs', 'near', 'emb', 2, 'EUCLIDEAN', method => 'hnsw')}) if $hnsw;

# Checks that an HNSW index finds these items and agrees with its table.
sub near_is
{
	my ($node, $database, $expected, $what) = @_;

	return if !$hnsw;
	is($node->safe_psql($database, $search_near), $expected, "$what: the HNSW index");
	is($node->safe_psql($database, q{SELECT * FROM dynamo.verify_index('docs', 'near')}), '', "$what: what it is made of");
}

sub found_in
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, $search);
}

sub problems_in
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, q{SELECT * FROM dynamo.verify_index('docs', 'vec')});
}

is(found_in($node, 'postgres'), $found, 'a search returns the nearest items');
near_is($node, 'postgres', 'd3 0.25, d4 0.75', 'a search');

# ---- dump and restore ----

for my $options ([], ['--format=custom'])
{
	my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
	my $copy = 'copy' . @$options;

	$node->safe_psql('postgres', "CREATE DATABASE $copy");
	command_ok([ 'pg_dump', @$options, '-f', $file, $node->connstr('postgres') ], "dump @$options");
	if (@$options) { command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), $file ], 'restore') }
	else { command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($copy), '-f', $file ], 'restore') }
	is(found_in($node, $copy), $found, 'a restored table can be searched');
	is(problems_in($node, $copy), '', 'a restored vector index matches its items');
	near_is($node, $copy, 'd3 0.25, d4 0.75', 'the copy');
	$node->safe_psql($copy, q{SELECT dynamo.delete_item('docs', '{"pk": "d3"}'::jsonb)});
	is(found_in($node, $copy) =~ s/,.*//r, 'd4 0.75', 'a restored vector index is maintained');
	near_is($node, $copy, 'd4 0.75, d2 1.25', 'the copy without an item');
	is($node->safe_psql($copy, q{SELECT attstorage, attstattarget FROM pg_attribute WHERE attname = 'dynamo_vector' AND attrelid = '"docs$vec"'::regclass}), 'm|0',
		'its vectors stay in their rows, and ANALYZE does not read them');
}

# ---- renaming, moving ----

$node->safe_psql('copy0', q{ALTER TABLE "docs$vec" RENAME TO vectors; ALTER TABLE docs RENAME TO papers; CREATE SCHEMA s; ALTER TABLE papers SET SCHEMA s;
CREATE ROLE other; GRANT CREATE ON SCHEMA s TO other; ALTER TABLE s.papers OWNER TO other});
is($node->safe_psql('copy0', $search =~ s/'docs'/'s.papers'/r ) =~ s/,.*//r, 'd4 0.75', 'a table that was renamed, moved and given away can be searched');
$node->safe_psql('copy0', q{CLUSTER s.vectors USING "docs$vec_pkey"});
is($node->safe_psql('copy0', $search =~ s/'docs'/'s.papers'/r ) =~ s/,.*//r, 'd4 0.75', 'a search of entries in the order of their partitions');
is($node->safe_psql('copy0', q{SELECT * FROM dynamo.verify_index('s.papers', 'vec')}), '', 'CLUSTER changes no entry');
is($node->safe_psql('copy0', q{SELECT relnamespace::regnamespace || ' ' || relowner::regrole FROM pg_class WHERE relname = 'vectors'}), 's other', 'the index table follows its table to another schema and owner');

# ---- a standby ----

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('vectors_standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'dynamo.http_port = ' . PostgreSQL::Test::Cluster::get_free_port());
$standby->start;
$node->safe_psql('postgres', q{SELECT dynamo.put_item('docs', '{"pk": "d9", "tenant": "t1", "emb": [3, 0.5]}'::jsonb)});
$node->wait_for_catchup($standby);
is(found_in($standby, 'postgres'), 'd3 0.25, d9 0.56, d4 0.75, d2 1.25', 'a search on a standby returns what the primary has');
near_is($standby, 'postgres', 'd3 0.25, d9 0.56', 'a standby');
$standby->stop;

# ---- a crash ----

$node->safe_psql('postgres', q{CHECKPOINT; SELECT dynamo.delete_item('docs', '{"pk": "d9"}'::jsonb)});
$node->stop('immediate');
$node->start;
is(found_in($node, 'postgres'), $found, 'a crash loses nothing');
is(problems_in($node, 'postgres'), '', 'a vector index matches its items after a crash');
near_is($node, 'postgres', 'd3 0.25, d4 0.75', 'after a crash');

# ---- built while others write ----

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('busy', 'pk');
INSERT INTO busy (item) SELECT jsonb_build_object('pk', 'b' || i, 'emb', jsonb_build_array(i, i)) FROM generate_series(1, 3000) i;
INSERT INTO busy (item) SELECT jsonb_build_object('pk', 'short' || i, 'emb', jsonb_build_array(i)) FROM generate_series(1, 5) i;
SET dynamo.in_place_build_limit = 0;
SELECT dynamo.create_vector_index('busy', 'vec', 'emb', 2)});
my ($status, $stdout, $stderr) = $node->psql('postgres', q{SELECT * FROM dynamo.search_vectors('busy', 'vec', '{1,1}', 1)});
ok($stderr eq '' || $stderr =~ /Cannot search backfilling vector index: vec/, 'an index cannot be searched before it is built');
$node->safe_psql('postgres', q{UPDATE busy SET item = jsonb_build_object('pk', pk, 'emb', jsonb_build_array(0, 1)) WHERE pk LIKE 'b%0'; DELETE FROM busy WHERE pk LIKE 'b%1'});
$node->safe_psql('postgres', q{CALL dynamo.build_indexes('busy')});
is($node->safe_psql('postgres', q{SELECT problem, count(*) FROM dynamo.verify_index('busy', 'vec') GROUP BY 1}), 'unusable key|5', 'a built index is complete, and omits items that a write would refuse');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dynamo.search_vectors('busy', 'vec', '{0,1}', 100) WHERE score = 0}), '100', 'a built index can be searched');

# ---- an HNSW index, built concurrently when the index table is full, and interrupted ----

my $hnsw_indexes = q{SELECT count(*), coalesce(bool_and(indisvalid), false) FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam
	WHERE a.amname = 'hnsw' AND indrelid = '"busy$near"'::regclass};

SKIP: {
	skip('pgvector is not installed', 5) if !$hnsw;
	my $holder = $node->background_psql('postgres');

	$node->safe_psql('postgres', q{SET dynamo.in_place_build_limit = 0; SELECT dynamo.create_vector_index('busy', 'near', 'emb', 2, 'EUCLIDEAN', method => 'hnsw')});
	# the build waits for whoever has written to the index table
	$holder->query_safe(q{BEGIN});
	$holder->query_safe(q{SELECT dynamo.put_item('busy', '{"pk": "mine", "emb": [7, 7]}'::jsonb)});
	ok($node->poll_query_until('postgres', $hnsw_indexes, '1|f'), 'the HNSW index is being built');
	$node->safe_psql('postgres', q{UPDATE busy SET item = jsonb_build_object('pk', pk, 'emb', jsonb_build_array(-7, -7)) WHERE pk LIKE 'b%2'});
	crash_node($node);
	$node->start;
	eval { $holder->quit };
	$node->safe_psql('postgres', q{CALL dynamo.build_indexes('busy')});
	is($node->safe_psql('postgres', $hnsw_indexes), '1|t', 'after a crash the HNSW index is built anew');
	is($node->safe_psql('postgres', q{SELECT problem, count(*) FROM dynamo.verify_index('busy', 'near') GROUP BY 1}), 'unusable key|5', 'and the index is complete');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM dynamo.search_vectors('busy', 'near', '{-7,-7}', 100) WHERE score = 0}), '100', 'it finds what was written meanwhile');
	like($node->safe_psql('postgres', q{SET client_min_messages = warning; SET dynamo.in_place_build_limit = 0; BEGIN;
		SELECT dynamo.drop_vector_index('busy', 'near'); SELECT dynamo.create_vector_index('busy', 'near', 'emb', 2, method => 'hnsw'); SELECT * FROM dynamo.build_statements('busy')}),
		qr/CREATE INDEX CONCURRENTLY ON public."busy\$near" USING hnsw/, 'the statements of a build without a worker');
}

# ---- over HTTP ----

$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO app; SELECT dynamo.create_access_key('app', 'TESTKEY', 'TESTSECRET')});

# SDKs send searches to another host.
sub call
{
	my ($operation, $body) = @_;
	return api(connect_http($port), $operation, $body, header => { host => 'search-dynamodb.us-east-1.amazonaws.com' });
}

my $index = { IndexName => 'vec', VectorAttribute => { AttributeName => 'emb' }, Dimensions => 2, DistanceFunction => 'COSINE', Projection => { ProjectionType => 'ALL' } };
my ($code, $answer) = call('CreateTable', { TableName => 'net', BillingMode => 'PAY_PER_REQUEST', KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' } ],
	AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' } ], VectorIndexes => [$index] });
is($code, 200, 'CreateTable') or diag(explain($answer));
call('PutItem', { TableName => 'net', Item => { pk => { S => "n$_" }, emb => { L => [ { N => "$_" }, { N => '1' } ] } } }) for 1 .. 3;
($code, $answer) = call('SearchVectors', { TableName => 'net', IndexName => 'vec', TopK => 2, SearchVector => [ { N => '3' }, { N => '1' } ] });
is($code, 200, 'SearchVectors') or diag(explain($answer));
is(join(' ', map { $_->{Item}{pk}{S} } @{ $answer->{SearchResults} }), 'n3 n2', 'a search over HTTP returns the best item first');
$node->stop;
done_testing();
