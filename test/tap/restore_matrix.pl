# restore_matrix.pl: every way to dump and restore a database whose table has every
# feature.  Source and target have the same items, columns, entries, copies, totals,
# stream records with their sequence numbers, settings and tags, and the target goes on.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('matrix', "fsync = off\n");
my $dir = PostgreSQL::Test::Utils::tempdir();

# ---- the source ----

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', <<'SQL');
CREATE EXTENSION dynamo;
SET search_path = public, dynamo;
SELECT create_table('tab', 'PK', 'SK');
SELECT create_index('tab', 'inl', 'G', 'SK');
SELECT create_index('tab', 'own', 'G', 'SK', storage => 'table', projection => 'KEYS_ONLY');
SELECT create_index('tab', 'shd', 'G', 'SK', storage => 'table', shards => 3);
SELECT create_vector_index('tab', 'vec', 'at', 2, 'EUCLIDEAN');
CREATE DOMAIN size AS int CHECK (VALUE > 0);
SELECT create_entity('tab', 'customer', '{"PK": "C#{cid}", "SK": "M"}', '{"cid": "text", "name": "text", "email": "text"}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('tab', 'order', '{"PK": "C#{cid}", "SK": "O#{oid:04}", "G": "G#{state}"}',
	'{"cid": "text", "oid": "int", "state": "text", "amount": "numeric", "cname": "text", "size": "smallint"}', type_attribute => 'kind', view_name => 'orders', check_types => true);
SELECT create_entity('tab', 'parcel', '{"PK": "P#{pid}", "SK": "P"}', '{"pid": "int", "size": "size"}', type_attribute => 'kind', check_types => true);
SELECT create_entity_view('orders_or_null', 'tab', entity_name => 'order', invalid_values => 'null');
SELECT create_copy('tab', 'names', 'customer', 'order', '{"cname": "name"}');
SELECT create_total('tab', 'sums', 'customer', 'order', '{"orders": "count", "total": "sum(amount)", "most": "max(amount)"}');
SELECT request('UpdateTimeToLive', '{"TableName": "tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "until"}}');
SELECT request('TagResource', jsonb_build_object('ResourceArn', request('DescribeTable', '{"TableName": "tab"}') #>> '{Table,TableArn}',
	'Tags', '[{"Key": "stage", "Value": "test"}]'::jsonb));
CREATE UNIQUE INDEX tab_email ON tab ((item ->> 'email'));
SELECT count(put_item('tab', jsonb_build_object('kind', 'order', 'cid', 'c' || i % 3, 'oid', i, 'state', 's' || i % 2, 'amount', i))) FROM generate_series(1, 9) i;
SELECT count(put_item('tab', jsonb_build_object('kind', 'customer', 'cid', 'c' || i, 'name', 'Name ' || i, 'email', i || '@x', 'until', 9999999999))) FROM generate_series(0, 3) i;
SELECT enable_stream('tab') IS NOT NULL;
SELECT count(put_item('tab', jsonb_build_object('kind', 'order', 'cid', 'c' || i % 4, 'oid', i, 'state', 's' || i % 2, 'amount', i, 'at', jsonb_build_array(i, 1)))) FROM generate_series(10, 19) i;
SELECT put_item('tab', '{"kind": "customer", "cid": "c1", "name": "New", "email": "1@x"}'::jsonb);
SELECT delete_item('tab', '{"PK": {"S": "C#c2"}, "SK": {"S": "O#0010"}}');
SELECT add_reference('tab', 'ordered_by', '{"PK": "C#{cid}", "SK": "M"}', key_prefix => '{"SK": "O#"}');
SELECT create_table('parts', 'PK', 'SK', partitions => 3);
SELECT create_index('parts', 'inl', 'G', 'SK');
SELECT create_index('parts', 'own', 'G', 'SK', storage => 'table');
SELECT create_index('parts', 'shd', 'G', 'SK', storage => 'table', shards => 2);
SELECT count(put_item('parts', jsonb_build_object('PK', 'p' || i, 'SK', 's', 'G', 'g' || i % 4))) FROM generate_series(1, 20) i;
SELECT enable_stream('parts') IS NOT NULL;
SELECT count(put_item('parts', jsonb_build_object('PK', 'q' || i, 'SK', 's', 'G', 'g' || i % 4))) FROM generate_series(1, 20) i;
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
SELECT 'problem', i.index_name, p.* FROM indexes i, verify_index('tab', i.index_name) p WHERE i.table_name = 'tab';
SELECT 'item', p.* FROM parts p ORDER BY "PK";
SELECT 'entry', 'own', (e).* FROM "parts$own" e ORDER BY e::text COLLATE "C";
SELECT 'entry', 'shd', (e).* FROM "parts$shd" e ORDER BY e::text COLLATE "C";
SELECT 'record', sequence_number, event_name, keys FROM read_stream('parts') ORDER BY sequence_number;
SELECT 'problem', i.index_name, p.* FROM indexes i, verify_index('parts', i.index_name) p WHERE i.table_name = 'parts';
SELECT 'problem', p.* FROM check_copies('tab') p;
SELECT 'problem', p.* FROM check_entity('tab') p;
SELECT 'types', describe_entity('tab', 'order') -> 'check_types', describe_entity('tab', 'parcel');
SELECT 'null', o.* FROM orders_or_null o ORDER BY 2, 3;
SELECT 'ttl', request('DescribeTimeToLive', '{"TableName": "tab"}');
SELECT 'tags', request('ListTagsOfResource', jsonb_build_object('ResourceArn', request('DescribeTable', '{"TableName": "tab"}') #>> '{Table,TableArn}'));
};

# The next change: its record has the next number, its total follows.
my $next = q{
SET search_path = public, dynamo;
SELECT put_item('tab', '{"kind": "order", "cid": "c1", "oid": 100, "state": "s1", "amount": 1000}'::jsonb);
SELECT item ->> 'most' FROM tab WHERE "PK" = 'C#c1' AND "SK" = 'M';
SELECT item ->> 'cname' FROM tab WHERE "PK" = 'C#c1' AND "SK" = 'O#0100';
SELECT sequence_number, event_name FROM read_stream('tab') ORDER BY sequence_number DESC LIMIT 2;
SELECT count(*) FROM query('tab', 'G = :g AND SK = :s', '{":g": "G#s1", ":s": "O#0100"}'::jsonb, index_name => 'own');
SELECT put_item('parts', '{"PK": "next", "SK": "s", "G": "next"}'::jsonb);
SELECT count(*) FROM query('parts', 'G = :g', '{":g": "next"}'::jsonb, index_name => 'own');
SELECT count(*) FROM query('parts', 'G = :g', '{":g": "next"}'::jsonb, index_name => 'shd');
SELECT sequence_number, event_name FROM read_stream('parts') ORDER BY sequence_number DESC LIMIT 2;
};

my $expected = $node->safe_psql('source', $state);
unlike($expected, qr/^problem/m, 'the source has no problem');
like($expected, qr/^record\|/m, 'the source has records');

# The expected result of the next change, in a copy of the source.
$node->safe_psql('postgres', 'CREATE DATABASE twin TEMPLATE source');
my $expected_next = $node->safe_psql('twin', $next);

# References of data alone, row by row in the order of the dump, need --disable-triggers,
# as foreign keys do.
$node->safe_psql('postgres', 'CREATE DATABASE unreferenced TEMPLATE source');
$node->safe_psql('unreferenced', q{SELECT dynamo.drop_constraint('tab', 'ordered_by')});

# ---- the ways ----

my $dumps = 0;

# name => dumps, each followed by how it is restored: psql for a script, else pg_restore.
my @ways = (
	[ 'plain', [ [], 'psql' ] ],
	[ 'plain, one transaction', [ [], 'psql', '--single-transaction' ] ],
	[ 'custom', [ ['-Fc'], 'pg_restore' ] ],
	[ 'tar', [ ['-Ft'], 'pg_restore' ] ],
	[ 'custom, one transaction', [ ['-Fc'], 'pg_restore', '--single-transaction' ] ],
	[ 'directory, four jobs', [ [ '-Fd', '-j2' ], 'pg_restore', '-j4' ] ],
	[ 'triggers and indexes early', [ ['-Fc'], 'pg_restore', \&early ] ],
	[ 'triggers and indexes early, data from the last', [ ['-Fc'], 'pg_restore', sub { early(@_, 'last') } ] ],
	[ 'inserts', [ ['--inserts'], 'psql' ] ],
	[ 'column inserts', [ ['--column-inserts'], 'psql' ] ],
	[ 'quoted identifiers', [ ['--quote-all-identifiers'], 'psql' ] ],
	[ 'inserts without conflicts', [ [ '--inserts', '--on-conflict-do-nothing' ], 'psql' ] ],
	[ 'many rows per insert', [ ['--rows-per-insert=7'], 'psql' ] ],
	[ 'without owners and privileges', [ [ '-O', '-x' ], 'psql' ] ],
	[ 'sections', [ ['--section=pre-data'], 'psql' ], [ ['--section=data'], 'psql' ], [ ['--section=post-data'], 'psql' ] ],
	[ 'sections of an archive', (map { [ ['-Fc'], 'pg_restore', "--section=$_" ] } qw(pre-data data post-data)) ],
	[ 'two tables', [ [ '-t', 'tab', '-t', 'tab$*', '-t', 'parts', '-t', 'parts$*', '-t', 'customers', '-t', 'orders', '-t', 'orders_or_null' ], 'psql' ] ],
	[ 'schema, data', [ ['-s'], 'psql' ], [ ['-a'], 'psql' ] ],
	[ 'schema, data in one transaction', [ ['-s'], 'psql' ], [ ['-a'], 'psql', '--single-transaction' ] ],
	[ 'schema, data without triggers', [ ['-s'], 'psql' ], [ [ '-a', '--disable-triggers' ], 'psql' ] ],
	[ 'schema, inserts', [ ['-s'], 'psql' ], [ [ '-a', '--inserts' ], 'psql' ] ],
	[ 'schema, column inserts', [ ['-s'], 'psql' ], [ [ '-a', '--column-inserts' ], 'psql' ] ],
	[ 'schema, inserts without conflicts, twice', [ ['-s'], 'psql' ], (map { [ [ '-a', '--inserts', '--on-conflict-do-nothing' ], 'psql' ] } 1, 2) ],
	[ 'schema, archive of data', [ ['-s'], 'psql' ], [ [ '-a', '-Fc' ], 'pg_restore' ] ],
	[ 'schema, archive of data without triggers', [ ['-s'], 'psql' ], [ [ '-Fc' ], 'pg_restore', '-a', '--disable-triggers' ] ],
	[ 'schema, data in four jobs', [ ['-s'], 'psql' ], [ [ '-a', '-Fd', '-j2' ], 'pg_restore', '-j4' ] ],
	[ 'schema, data of two tables', [ ['-s'], 'psql' ], [ [ '-a', '-t', 'tab', '-t', 'tab$*', '-t', 'parts', '-t', 'parts$*', '-t', 'dynamo_internal.*' ], 'psql' ] ]);

# A list (-L) in which each trigger, constraint and index comes as early as a restore in
# several jobs (-j) may create it: after what it depends on, where the data of a table stand
# for the table.
sub early
{
	my ($path, $from_last) = @_;
	my ($toc, $error) = run_command([ 'pg_restore', '-l', '-v', $path ]);
	my (@pre, @data, @post, %depends, %data_of, %listed);

	die $error if $error ne '';
	for (grep { /^\d+; / } split /\n(?!;\tdepends)/, $toc)
	{
		my ($entry, $id, $what) = /^((\d+); \d+ \d+ (.*))/;
		my ($on) = /^;\tdepends on: (.*)/m;

		$depends{$id} = [ split ' ', $on // '' ];
		push @{ $what =~ /^(?:TABLE DATA|SEQUENCE SET|BLOBS?|BLOB METADATA|STATISTICS DATA) / ? \@data : @data ? \@post : \@pre }, [ $id, $entry ];
		$data_of{ $depends{$id}[0] } = $id if $what =~ /^TABLE DATA /;
	}
	die 'the archive has no data or nothing after them' if !@data || !@post;
	@data = reverse @data if $from_last;
	$listed{ $_->[0] } = 0 for @data, @post;
	my @order = @pre;
	while (@data || @post)
	{
		my ($next) = grep { my $entry = $post[$_]; !grep { !($listed{ $data_of{$_} // $_ } // 1) } @{ $depends{ $entry->[0] } } } 0 .. $#post;

		die 'entries depend on each other' if !defined $next && !@data;
		push @order, defined $next ? splice(@post, $next, 1) : shift @data;
		$listed{ $order[-1][0] } = 1;
	}
	PostgreSQL::Test::Utils::append_to_file("$path.order" . ($from_last // ''), join '', map { "$_->[1]\n" } @order);
	return ('-L', "$path.order" . ($from_last // ''));
}

sub restore
{
	my ($database, $name, $dump, $program, @options) = @_;
	my $path = "$dir/" . ($name =~ s/\W/_/gr) . '.' . ++$dumps;
	my $source = $name =~ /^schema, .*inserts/ ? 'unreferenced' : 'source';
	my @quiet = $program eq 'psql' ? ('-Xq', '-v', 'ON_ERROR_STOP=1') : '--exit-on-error';

	command_ok([ 'pg_dump', '-d', $node->connstr($source), '-f', $path, @$dump ], "$name: dump");
	@options = map { ref ? $_->($path) : $_ } @options;
	my ($out, $error) = run_command([ $program, @quiet, @options, '-d', $node->connstr($database), $program eq 'psql' ? '-f' : (), $path ]);
	is($error, '', "$name: restore");
}

for my $way (@ways)
{
	my ($name, @steps) = @$way;
	my $database = new_database($node, $name =~ /^two tables/);

	restore($database, $name, @$_) for @steps;
	my $is = $node->safe_psql($database, $state);
	my $must = $expected;
	# settings and tags are in tables of the extension
	s/^(ttl|tags)\|.*\n?//mg for $name eq 'two tables' ? ($is, $must) : ();
	is($is, $must, "$name: source and target are the same");
	is($node->safe_psql($database, $next), $expected_next, "$name: the next change");
	$node->safe_psql('postgres', "DROP DATABASE $database");
}

# ---- what an application loads is recorded and counted ----

my $database = new_database($node, 0);
restore($database, 'an application', ['-s'], 'psql');
$node->safe_psql($database, q{
SET search_path = public, dynamo;
INSERT INTO tab (item) SELECT item FROM (VALUES ('{"kind": {"S": "customer"}, "cid": {"S": "a"}}'::item), ('{"kind": {"S": "order"}, "cid": {"S": "a"}, "oid": {"N": "1"}}')) v (item);
COPY tab (item) FROM PROGRAM 'echo ''{"kind": {"S": "order"}, "cid": {"S": "a"}, "oid": {"N": "2"}}'''});
is($node->safe_psql($database, q{SELECT event_name, keys OPERATOR(dynamo.->>) 'SK', new_image OPERATOR(dynamo.->>) 'orders' FROM dynamo.read_stream('tab') ORDER BY sequence_number}),
	"INSERT|M|0\nINSERT|O#0001|\nMODIFY|M|1\nINSERT|O#0002|\nMODIFY|M|2", 'an application: its rows are recorded, and their totals');

# ---- a writer without the owner's rights cannot hide a change by the settings of a dump ----

$node->safe_psql($database, 'CREATE ROLE writer; GRANT ALL ON tab TO writer; GRANT USAGE ON SCHEMA dynamo TO PUBLIC');
$node->safe_psql($database, q{
SET ROLE writer;
SET check_function_bodies = off; SET row_security = off; SET search_path = '';
INSERT INTO public.tab (item) VALUES ('{"kind": {"S": "order"}, "cid": {"S": "a"}, "oid": {"N": "3"}}')});
is($node->safe_psql($database, q{SELECT event_name, keys OPERATOR(dynamo.->>) 'SK', new_image OPERATOR(dynamo.->>) 'orders' FROM dynamo.read_stream('tab') ORDER BY sequence_number DESC LIMIT 2}),
	"MODIFY|M|3\nINSERT|O#0003|", 'a writer with the settings of a dump is recorded');

$node->stop;
done_testing();
