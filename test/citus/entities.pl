# entities.pl: plain SQL and entities on tables that Citus distributes, from every node.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, $worker, $other) = new_citus_cluster();
my @nodes = ($coordinator, $worker, $other);

sub value_of
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', "SET search_path = public, dynamo; SET client_min_messages = warning; $sql");
}

# A test: the statement fails with this message.
sub refuses
{
	my ($node, $sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "SET search_path = public, dynamo; $sql");

	like($error, qr/ERROR:  $message/, $name // ($node->name . ": $sql"));
}

# ---- keys for INSERT ----

# The partition keys of these tables have all types; the last name has 63 bytes.
my $long = 'A-Table.whose-name-has-63-bytes.and-needs-quotes.in-SQL-1234567';
my %tables = (
	strings => q{'PK', 'SK'},
	numbers => q{'n', partition_key_type => 'N'},
	bytes => q{'b', 'm', partition_key_type => 'B', sort_key_type => 'N'},
	$long => q{'PK', 'SK'});
my %casts = (numbers => '::numeric', bytes => '::bytea');
my $quoted = qq{"$long"};

for my $table (sort keys %tables)
{
	value_of($coordinator, "SELECT dynamo.create_table('$table', $tables{$table}); SELECT dynamo.distribute_table('$table', 4)");
}
for my $node (@nodes)
{
	my $name = $node->name;

	value_of($node, qq{INSERT INTO $_->[1] ("PK", "SK", item)
SELECT k.partition_key, k.sort_key, k.item FROM generate_series(1, 10) i, keys_of('$_->[0]', build_item('PK', '$name' || i, 'SK', 's')) k})
		for [ 'strings', 'strings' ], [ $long, $quoted ];
	value_of($node, qq{INSERT INTO numbers (n, item)
SELECT k.partition_key::numeric, k.item FROM generate_series(1, 10) i, keys_of('numbers', build_item('n', i, 'by', '$name')) k
ON CONFLICT (n) DO UPDATE SET item = EXCLUDED.item});
	value_of($node, qq{INSERT INTO bytes (b, m, item)
SELECT k.partition_key::bytea, k.sort_key::numeric, k.item
FROM generate_series(1, 10) i, keys_of('bytes', build_item('b', convert_to('$name' || i, 'UTF8'), 'm', i)) k});
}
is(value_of($other, 'SELECT count(*) FROM strings; SELECT count(*) FROM bytes; SELECT count(*), min(item ->> \'by\') FROM numbers;' .
	"SELECT count(*) FROM $quoted"), "30\n30\n10|worker2\n30", 'INSERT with the keys of items, on every node');
for my $node (@nodes)
{
	is(value_of($node, q{SELECT count(get_item('strings', build_item('PK', 'worker1' || i, 'SK', 's'))),
count(get_item('numbers', build_item('n', i))), count(get_item('bytes', build_item('b', convert_to('coordinator' || i, 'UTF8'), 'm', i)))
FROM generate_series(1, 10) i}), '10|10|10', $node->name . ' finds the items by their keys');
}
refuses($_, q{INSERT INTO strings (item) VALUES ('{"PK": {"S": "a"}, "SK": {"S": "b"}}')},
	'cannot perform an INSERT without a partition column value') for @nodes;

# ---- loading ----

value_of($coordinator, q{SELECT create_table('loc', 'PK', 'SK');
INSERT INTO loc (item) SELECT build_item('PK', 'p' || i % 70, 'SK', 's' || i, 'text', e'a "b"\\\\ \n,' || i) FROM generate_series(1, 2000) i;
SELECT create_table('shop', 'PK', 'SK'); SELECT distribute_table('shop', 4)});
my $file = PostgreSQL::Test::Utils::tempdir() . '/items';
my $format = q{WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')};
value_of($coordinator, qq{COPY loc (item) TO '$file' $format});
refuses($worker, qq{COPY shop (item) FROM '$file' $format}, 'the partition column of table public.shop (cannot be NULL|should have a value)');
my $load = qq{BEGIN; CREATE TEMPORARY TABLE loaded (item item) ON COMMIT DROP; COPY loaded FROM '$file' $format;
INSERT INTO shop ("PK", "SK", item) SELECT k.partition_key, k.sort_key, k.item FROM loaded l, keys_of('shop', l.item) k};
value_of($worker, "$load; COMMIT");
is(value_of($coordinator, q{SELECT count(*) FROM shop JOIN (SELECT * FROM loc) l USING ("PK", "SK") WHERE shop.item = l.item; SELECT count(*) FROM shop}),
	"2000\n2000", 'items loaded by COPY');
refuses($coordinator, $load, 'duplicate key value', 'a second time');
value_of($coordinator, qq{$load ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item; COMMIT});
is(value_of($other, 'SELECT count(*) FROM shop'), 2000, 'or replaces them');

stop_citus_cluster(@nodes);
done_testing();
