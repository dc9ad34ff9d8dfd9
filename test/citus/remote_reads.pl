# remote_reads.pl: queries of index tables, and scans, whose shards are on other nodes: the
# same results on every node, also while shards move, and nothing without rights.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use DynamoNode qw(wait_until);
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @ports = map { PostgreSQL::Test::Cluster::get_free_port() } 1 .. 3;
my @settings = map { endpoint_settings($_, 'reader') } @ports;
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings[0], worker1 => $settings[1], worker2 => $settings[2]);
my @nodes = ($coordinator, $worker, $other);
my %socket = map { $_ => connect_http($_) } @ports;

# The answer of a node to a request: its status and its body.
sub ask
{
	my ($port, $operation, $json) = @_;
	my $answer = exchange($socket{$port}, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($json) . "\r\n\r\n$json");

	return "$answer->{status} $answer->{body}";
}

# ---- two tables with the same items, one of them distributed ----

value_of($coordinator, q{CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN});
for my $table (qw(plain "Shop-1"))
{
	my $name = $table =~ s/^"|"$//gr =~ s/""/"/gr;

	value_of($coordinator, qq{SELECT dynamo.create_table('$name', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('$name', 'by-G', 'G', 'H', storage => 'table');
SELECT dynamo.create_index('$name', 'numbers', 'N', 'M', 'N', 'N', storage => 'table', projection => 'INCLUDE', non_key_attributes => '{data}');
SELECT dynamo.create_index('$name', 'keys', 'B', partition_key_type => 'B', storage => 'table', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('$name', 'many', ARRAY['G', 'N'], ARRAY['M', 'H'], ARRAY['S', 'N'], ARRAY['N', 'S'], storage => 'table');
SELECT dynamo.put_item('$name', jsonb_build_object('PK', 'p' || i % 30, 'SK', 's' || i, 'G', 'g' || i % 8, 'H', 'h' || lpad(i::text, 4, '0'),
	'N', i % 3, 'M', i / 100.0, 'data', repeat(md5(i::text), 12))) FROM generate_series(1, 1200) i;
SELECT dynamo.put_item('$name', format('{"PK": {"S": "b%s"}, "SK": {"S": "s"}, "B": {"B": "%s"}}', i, encode(int4send(i % 4), 'base64'))::item) FROM generate_series(1, 40) i;
GRANT ALL ON $table TO reader});
}
value_of($coordinator, q{SELECT dynamo.distribute_table('Shop-1', shards => 6)});

# ---- queries of indexes ----

my $by_g = q{'%s', 'G = :g', '{":g": {"S": "g%d"}}', index_name => 'by-G'};
my @queries = (
	qq{SELECT item FROM dynamo.query($by_g) item},
	qq{SELECT item FROM dynamo.query($by_g, scan_index_forward => false, max_items => 7) item},
	qq{SELECT dynamo.query($by_g, scan_index_forward => false) LIMIT 5},
	qq{SELECT item FROM dynamo.query($by_g, exclusive_start_key => '{"PK": {"S": "p2"}, "SK": {"S": "s602"}, "G": {"S": "gNUMBER"}, "H": {"S": "h0602"}}') item},
	qq{SELECT item FROM dynamo.query($by_g, exclusive_start_key => '{"PK": {"S": "p2"}, "SK": {"S": "s602"}, "G": {"S": "gNUMBER"}, "H": {"S": "h0602"}}', scan_index_forward => false) item},
	q{SELECT item FROM dynamo.query('%s', 'G = :g', '{":g": {"S": "g%d"}, ":m": {"N": "5"}}', index_name => 'by-G', filter_expression => 'M < :m', projection_expression => 'SK, H') item},
	q{SELECT count, scanned_count, last_evaluated_key FROM dynamo.query_page('%s', 'G = :g', '{":g": {"S": "g%d"}, ":m": {"N": "5"}}', index_name => 'by-G', filter_expression => 'M < :m', page_size => 100)},
	(map { qq~SELECT item ->> 'SK' FROM dynamo.query('%s', 'G = :g AND $_', '{":g": {"S": "g%d"}, ":a": {"S": "h0500"}}', index_name => 'by-G') item~ }
			'H = :a', 'H < :a', 'H <= :a', 'H > :a', 'H >= :a', 'begins_with(H, :a)'),
	q{SELECT item ->> 'SK' FROM dynamo.query('%s', 'G = :g AND H BETWEEN :a AND :b', '{":g": {"S": "g%d"}, ":a": {"S": "h05"}, ":b": {"S": "h07"}}', index_name => 'by-G') item},
	q{SELECT item FROM dynamo.query('%s', 'N = :n AND M > :m', '{":n": {"N": "%d"}, ":m": {"N": "9.5"}}', index_name => 'numbers') item},
	q{SELECT item FROM dynamo.query('%s', 'N = :n', '{":n": {"N": "%d"}}', index_name => 'numbers', projection_expression => 'SK', max_items => 400) item},
	q{SELECT item ->> 'SK' FROM dynamo.query('%s', 'B = :b', ('{":b": {"B": "' || encode(int4send(%d), 'base64') || '"}}')::dynamo.item, index_name => 'keys') item},
	q{SELECT item ->> 'SK' FROM dynamo.query('%s', 'G = :g AND N = :n', '{":g": {"S": "g%d"}, ":n": {"N": "1"}}', index_name => 'many') item},
	q{SELECT item ->> 'SK' FROM dynamo.query('%s', 'G = :g AND N = :n AND M = :m', '{":g": {"S": "g%d"}, ":n": {"N": "1"}, ":m": {"N": "5.2"}}', index_name => 'many') item},
	q{SELECT item ->> 'SK' FROM dynamo.query('%s', 'G = :g AND N = :n AND M BETWEEN :m AND :o', '{":g": {"S": "g%d"}, ":n": {"N": "1"}, ":m": {"N": "5"}, ":o": {"N": "6"}}', index_name => 'many', scan_index_forward => false) item},
	q{SELECT item ->> 'SK' FROM dynamo.query('%s', 'G = :g AND N = :n AND M = :m AND begins_with(H, :h)', '{":g": {"S": "g%d"}, ":n": {"N": "1"}, ":m": {"N": "5.2"}, ":h": {"S": "h"}}', index_name => 'many') item});

for my $query (@queries)
{
	my $sql = join ' UNION ALL ', map { '(' . sprintf($query =~ s/NUMBER/$_/r, 'TABLE', $_) . ')' } 0 .. 7;
	my $expected = value_of($coordinator, $sql =~ s/TABLE/plain/gr);

	isnt($expected, '', 'there is something to read');
	is(value_of($_, $sql =~ s/TABLE/Shop-1/gr), $expected, $_->name . ": $query") for @nodes;
	is(through_citus($_, $sql =~ s/TABLE/Shop-1/gr), 'no', $_->name . ': no statement of Citus') for @nodes;
}

my $all = join ' UNION ALL ', map { sprintf "($queries[0])", 'Shop-1', $_ } 0 .. 7;
is(through_citus($coordinator, "BEGIN ISOLATION LEVEL REPEATABLE READ; $all; COMMIT"), 'yes', 'with the snapshot of the transaction it is a statement of Citus');
is(through_citus($coordinator, "SET dynamo.direct_access = off; $all"), 'yes', 'and without direct access');
is(value_of($coordinator, $_ . "; $all; COMMIT"), value_of($worker, $all), "the same rows after $_")
	for 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SET dynamo.direct_access = off; BEGIN',
	q{BEGIN; UPDATE "Shop-1" SET item = item WHERE "PK" = 'p1'};
like(join(' ', map { value_of($coordinator, sprintf "SELECT dynamo.explain_query($by_g)", 'Shop-1', $_) } 0 .. 7), qr/(?:reads: index table Shop-1\$[^,]*, on another node.*){8}/s, 'explain_query says where');

# ---- requests ----

# Pages of a query, each asked from the next node that has the table.
sub pages
{
	my ($table, $more) = @_;
	my ($items, $start, $pages) = ('', undef, 0);

	for my $page (0 .. 1000)
	{
		my $json = qq({"TableName": "$table", $more) . (defined $start ? qq(, "ExclusiveStartKey": $start) : '') . '}';
		my $answer = ask($ports[ $table eq 'plain' ? 0 : $page % 3 ], Query => $json);

		$answer =~ /^200/ or return $answer;
		$items .= $answer =~ s/,?"LastEvaluatedKey".*//r . "\n";
		($start) = $answer =~ /"LastEvaluatedKey":\s*(\{.*\})\}$/ or return $items;
	}
	return 'no end';
}

for my $more (
	q("IndexName": "by-G", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g%d"}}, "Limit": 50),
	q("IndexName": "by-G", "KeyConditionExpression": ":g = #g", "ExpressionAttributeNames": {"#g": "G"}, "ExpressionAttributeValues": {":g": {"S": "g%d"}}, "Limit": 50, "ScanIndexForward": false, "ReturnConsumedCapacity": "TOTAL"),
	q("IndexName": "by-G", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g%d"}, ":m": {"N": "5"}}, "FilterExpression": "M < :m", "Select": "COUNT", "Limit": 70),
	q("IndexName": "numbers", "KeyConditionExpression": "N = :n AND M > :m", "ExpressionAttributeValues": {":n": {"N": "%d"}, ":m": {"N": "8"}}, "Limit": 33, "ProjectionExpression": "SK"),
	q("IndexName": "keys", "KeyConditionExpression": "B = :b", "ExpressionAttributeValues": {":b": {"B": "AAAAA%s=="}}),
	q("IndexName": "many", "KeyConditionExpression": "N = :n AND G = :g AND M > :m", "ExpressionAttributeValues": {":g": {"S": "g%d"}, ":n": {"N": "1"}, ":m": {"N": "5.2"}}, "Limit": 10),
	q("IndexName": "many", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g%d"}}),
	q("IndexName": "none", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g%d"}}),
	q("IndexName": "by-G", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g%d"}}, "ConsistentRead": true),
	q("IndexName": "keys", "Select": "ALL_ATTRIBUTES", "KeyConditionExpression": "B = :b", "ExpressionAttributeValues": {":b": {"B": "AAAAA%s=="}}))
{
	for my $n (0 .. 7)
	{
		my ($expected, $got) = map { pages($_, sprintf $more, $more =~ /AAAAA/ ? substr('AQgwABCD', $n, 1) : $n) =~ s/(?:plain|Shop-1)//gr } 'plain', 'Shop-1';

		is($got, $expected, "Query over HTTP: $n: $more");
	}
}
my $links = q{SELECT string_agg(DISTINCT usename || ' ' || substring(query FROM 'dynamo\w*\.\w+'), ', ') FROM pg_stat_activity WHERE application_name = 'dynamo'};

like(value_of($_, $links), qr/^(?:postgres dynamo_system.rows_on_shard, )?reader dynamo_system.request_on_shard/, $_->name . ': requests were sent here as the role of the client') for $worker, $other;

# ---- batches of keys ----

# Keys of all shards, some of which have no item, in an order that is not that of the shards.
my @keys = map { sprintf '{"PK": {"S": "p%d"}, "SK": {"S": "s%d"}}', $_ % 30, $_ == 7 ? 9999 : $_ } map { $_ * 37 % 91 } 1 .. 90;
my $keys = join ', ', map { "'$_'" } @keys;
my $batch = qq{SELECT dynamo.batch_get_item('%s', ARRAY[$keys]::dynamo.item[]%s)};

for my $node (@nodes)
{
	for my $more ('', q{, 'SK, M'})
	{
		is(value_of($node, sprintf $batch, 'Shop-1', $more), value_of($coordinator, sprintf $batch, 'plain', $more), $node->name . ": a batch of keys$more");
	}
	is(through_citus($node, sprintf $batch, 'Shop-1', ''), 'no', $node->name . ': no statement of Citus');
	is(value_of($node, sprintf("$_; $batch; ROLLBACK", 'Shop-1', '')), value_of($node, sprintf $batch, 'Shop-1', ''), $node->name . ": a batch after $_")
		for 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SET dynamo.direct_access = off; BEGIN', q{BEGIN; UPDATE "Shop-1" SET item = item WHERE "PK" = 'p1'};
	is(value_of($node, qq{BEGIN; UPDATE "Shop-1" SET item = dynamo.set_attribute(item, 'M', dynamo.to_value(77)) WHERE "SK" <> 's';
		SELECT count(*) FROM dynamo.batch_get_item('Shop-1', ARRAY[$keys]::dynamo.item[]) item WHERE item ->> 'M' = '77'; ROLLBACK}), 89, $node->name . ': a batch sees what its transaction has written');
}
for my $more ('', ', "ProjectionExpression": "SK, M"')
{
	my ($expected, @got) = map { ask($ports[$_], BatchGetItem => sprintf '{"RequestItems": {"%s": {"Keys": [%s]%s}}}', $_ < 3 ? 'Shop-1' : 'plain', join(', ', @keys), $more) =~ s/plain|Shop-1//r } 0 .. 2;

	is(scalar(() = $expected =~ /"SK"/g), 89, 'BatchGetItem over HTTP');
	is($_, $expected, 'the same from another node') for @got;
}

# One call for all keys of a node.
value_of($other, q{ALTER SYSTEM SET track_functions = 'all'; SELECT pg_reload_conf()});
$other->restart;
wait_until(sub { $socket{$ports[2]} = connect_http($ports[2]) });
value_of($worker, sprintf $batch, 'Shop-1', '');
ok($other->poll_query_until('postgres', q{SELECT calls = 1 FROM pg_stat_user_functions WHERE funcname = 'rows_on_shard'}), 'one call reads all rows of a node');
is(value_of($other, q{SELECT count(*) FROM pg_stat_user_functions WHERE funcname = 'row_on_shard'}), 0, 'none reads a single row');

# ---- scans ----

my $scan = q{SELECT md5(string_agg(item::text, ' ' ORDER BY item)), count(*) FROM dynamo.scan('%s') item};
my $expected = value_of($coordinator, sprintf $scan, 'plain');

# A key in the first shard, and the number of items after it.
my $first = q{SELECT "PK", "SK" FROM "Shop-1" WHERE get_shard_id_for_distribution_column('"Shop-1"', "PK") = (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = '"Shop-1"'::regclass ORDER BY shardminvalue::int LIMIT 1) ORDER BY "PK" COLLATE "C", "SK" COLLATE "C"};
my @in_first = split /\n/, value_of($coordinator, $first);
my $start = sprintf q('{"PK": {"S": "%s"}, "SK": {"S": "%s"}}'), split /\|/, $in_first[9];
my $rest = 1240 - 10;
my $deep = '{"L": [' x 30 . '{"S": "a"}' . ']}' x 30;
my @chosen = (
	[ q~SELECT md5(string_agg(item::text, ' ' ORDER BY item)), count(*) FROM dynamo.scan('%s', filter_expression => '#m BETWEEN :m AND :n OR attribute_exists(#b)', expression_attribute_values => '{":m": {"N": "3"}, ":n": {"N": "4"}}', expression_attribute_names => '{"#m": "M", "#b": "B"}') item~, '141' ],
	[ q~SELECT md5(string_agg(item::text, ' ' ORDER BY item)), count(*) FROM dynamo.scan('%s', projection_expression => '#d, M', expression_attribute_names => '{"#d": "data"}') item~, '1240' ],
	[ q~SELECT string_agg(item::text, ' ' ORDER BY item), count(*) FROM dynamo.scan('%s', filter_expression => 'begins_with(#d, :d)', projection_expression => '#s', expression_attribute_values => '{":d": {"S": "ab"}}', expression_attribute_names => '{"#d": "data", "#s": "SK"}') item~, '\d+' ],
	[ qq~SELECT min(item ->> 'SK'), count(*) FROM dynamo.scan('%s', filter_expression => 'M <> :v', expression_attribute_values => '{":v": $deep}') item~, '1240' ],
	[ q~SELECT count(*) FROM (SELECT dynamo.scan('%s', filter_expression => 'N = :n', expression_attribute_values => '{":n": {"N": "1"}}', max_items => 300)) s~, '300' ]);

for my $node (@nodes)
{
	is(value_of($node, sprintf $scan, 'Shop-1'), $expected, $node->name . ': a scan');
	is(through_citus($node, sprintf $scan, 'Shop-1'), 'no', $node->name . ': without statements of Citus');
	is(value_of($node, q{SELECT md5(string_agg(item::text, ' ' ORDER BY item)), count(*) FROM generate_series(0, 3) s, dynamo.scan('Shop-1', segment => s, total_segments => 4) item}),
		$expected, $node->name . ': in segments');
	is(value_of($node, q{SELECT count(*), min(item ->> 'SK') FROM dynamo.scan('Shop-1', filter_expression => 'M < :m', expression_attribute_values => '{":m": {"N": "3"}}', projection_expression => 'SK') item}),
		'299|s1', $node->name . ': with a filter');
	for my $chosen (@chosen)
	{
		my $answer = value_of($coordinator, sprintf $$chosen[0], 'plain');

		like($answer, qr/(?:^|\|)$$chosen[1]$/, 'there is something to choose');
		is(value_of($node, sprintf $$chosen[0], 'Shop-1'), $answer, $node->name . ": $$chosen[0]");
	}
	is(value_of($node, q{SELECT count(*) FROM dynamo.scan('Shop-1', max_items => 700)}), 700, $node->name . ': a part');
	is(through_citus($node, qq{SELECT dynamo.scan('Shop-1', exclusive_start_key => $start)}), 'no', $node->name . ': from a key on, through several shards');
	is(value_of($node, qq{SELECT count(*) FROM dynamo.scan('Shop-1', exclusive_start_key => $start)}), $rest, $node->name . ': what follows it');
}
is(value_of($coordinator, sprintf "$_; $scan; ROLLBACK", 'Shop-1'), $expected, "a scan after $_")
	for 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SET dynamo.direct_access = off; BEGIN', q{BEGIN; UPDATE "Shop-1" SET item = item WHERE "PK" = 'p1'};
is(value_of($worker, q{BEGIN; SELECT count(*) FROM (SELECT dynamo.put_item('Shop-1', jsonb_build_object('PK', 'new' || i, 'SK', 's')) FROM generate_series(1, 30) i) p;
	SELECT count(*) FROM dynamo.scan('Shop-1'); ROLLBACK; SELECT count(*) FROM dynamo.scan('Shop-1')}), "30\n1270\n1240", 'a scan sees what its transaction has put');

my $scanned = join ' ', map { scan_pages($_) } 0 .. 2;
is(join(' ', sort split / /, $scanned), value_of($coordinator, q{SELECT string_agg(k, ' ' ORDER BY k COLLATE "C") FROM plain, LATERAL (SELECT "PK" || '/' || "SK") AS l (k)}),
	'pages of a scan over HTTP in three segments, each page from another node');

sub scan_pages
{
	my ($segment) = @_;
	my ($start, @keys);

	for my $page (0 .. 1000)
	{
		my $answer = ask($ports[ $page % 3 ], Scan => qq({"TableName": "Shop-1", "Segment": $segment, "TotalSegments": 3, "Limit": 70, "ProjectionExpression": "PK, SK") .
			(defined $start ? qq(, "ExclusiveStartKey": $start) : '') . '}');
		my ($items) = $answer =~ /^200 .*"Items":\[(.*?)\]/ or return $answer;

		push @keys, $1 . '/' . $2 while $items =~ /\{"PK":\s*\{"S":\s*"(.*?)"\},\s*"SK":\s*\{"S":\s*"(.*?)"\}\}/g;
		($start) = $answer =~ /"LastEvaluatedKey":\s*(\{.*\})\}$/ or return @keys;
	}
	return 'no end';
}

# ---- rights ----

sub fails
{
	my ($node, $role, $sql, $message, $name) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "SET ROLE $role; SET search_path = public, dynamo; $sql");

	like($error, qr/ERROR:  $message/, $node->name . ": $name");
	is($out, '', 'and there is no row');
}

# A call by hand: of an index, of a shard, or of something else.
sub rows
{
	my ($table, $range) = @_;
	my $bytes = value_of($coordinator, "SELECT dynamo_internal.item_send('$range')");

	return "SELECT dynamo_system.rows_on_shard('public', '$table', '$bytes', 0, 1, 0, 100000)";
}

my $number = q{SELECT min(shardid) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) WHERE logicalrelid = '"%s"'::regclass AND groupid = (SELECT groupid FROM pg_dist_local_group)};
my ($shard, $index_shard) = map { value_of($other, sprintf $number, $_) } 'Shop-1', 'Shop-1$by-G';
my $of_index = '{"index": {"S": "by-G"}, "key": {"M": {"G": {"S": "g%d"}}}%s}';
my @of_indexes = map { sprintf $of_index, $_, '' } 0 .. 7;
my $of_shard = '{"shard": {"S": "%s"}%s}';

for my $node (@nodes)
{
	fails($node, 'stranger', $all, 'permission denied for table Shop-1', 'a query without rights');
	fails($node, 'stranger', q{SELECT dynamo.scan('Shop-1')}, 'permission denied for table Shop-1', 'a scan');
	fails($node, 'stranger', rows('Shop-1', $_), 'permission denied for table Shop-1', "by hand: $_") for @of_indexes, sprintf $of_shard, $shard, '';
	fails($node, 'reader', rows('Shop-1$by-G', $_), 'Requested resource not found\nDETAIL:  "Shop-1\$by-G" is not a dynamo table', "an index table, by hand: $_") for $of_indexes[0], sprintf $of_shard, $index_shard, '';
	fails($node, 'postgres', rows('pg_class', $of_indexes[0]), 'relation "public.pg_class" does not exist', 'no table');
}
my $answers = join ' ', map { value_of($other, 'SET ROLE reader; ' . rows('Shop-1', $_)) } @of_indexes;
like($answers, qr{\\x640[01](?:20)*00}, 'by hand: entries of this node');
like($answers, qr/\\x6d/, 'and none of another one');
like(value_of($other, 'SET ROLE reader; ' . rows('Shop-1', sprintf $of_shard, $shard, '')), qr/^\\x640[01]/, 'a shard of this node');
my $parts = rows('Shop-1', sprintf $of_shard, $shard, '');
is(value_of($other, "SET ROLE reader; SELECT count(*) > 3, max(length(part)) < 10000, string_agg(get_byte(part, 1)::text, '') ~ '^1+0\$' FROM ($parts) p (part)"), 't|t|t', 'in parts, of which the last one says so');
is_deeply([ $other->psql('postgres', "SET ROLE reader; SET search_path = public, dynamo; SELECT length(part) > 7000 FROM ($parts LIMIT 1) p (part)") ], [ 0, 't', '' ], 'the first of them');
my $choice = ', "filter": {"S": "#m < :m"}, "names": {"M": {"#m": {"S": "M"}}}, ":m": {"N": "%s"}, "needed": {"L": [%s]}';
is(value_of($other, 'SET ROLE reader; ' . rows('Shop-1', sprintf $of_shard, $shard, sprintf $choice, 0, '')), '\x6400', 'by hand: no row matches a filter');
like(value_of($other, "SET ROLE reader; SELECT min(position('\\x646174610078'::bytea IN part)), max(position('\\x64617461'::bytea IN part)) > 0, sum(length(part)) > 20000 FROM (" .
	rows('Shop-1', sprintf $of_shard, $shard, sprintf $choice, 99, $$_[0]) . ') p (part)'), $$_[1], "by hand: $$_[0]")
	for [ '', qr/^0\|t\|t$/ ], [ '{"S": "H"}, {"S": "G"}, {"S": "H"}', qr/^0\|f\|f$/ ], [ '{"S": "none"}, {"S": "data"}', qr/^0\|t\|t$/ ];
is(value_of($worker, 'SET ROLE reader; ' . rows('Shop-1', sprintf $of_shard, $_, '')), '\x6d', "not a shard of this table and node: $_")
	for $shard, $index_shard, 0, 'x', '-1', '99999999999999999999';
is(value_of($other, 'SET ROLE reader; ' . rows('Shop-1', sprintf $of_shard, $shard, $_)), '\x6d', "a shard with $_")
	for ', "index": {"S": "by-G"}', ', "start": {"M": {"PK": {"S": "' . value_of($worker, qq{SELECT "PK" FROM "Shop-1" WHERE get_shard_id_for_distribution_column('"Shop-1"', "PK") <> $shard LIMIT 1}) . '"}, "SK": {"S": ""}}}';
fails($other, 'reader', rows('Shop-1', $$_[0]), $$_[1], "by hand: $$_[0]") for
	[ '{"index": {"S": "none"}, "key": {"M": {}}}', 'The table does not have the specified index' ],
	[ '{"index": {"M": {}}, "key": {"M": {}}}', 'index of the range must be a string' ],
	[ '{"shard": {"N": "1"}}', 'shard of the range must be a string' ],
	[ '{"index": {"S": "by-G"}, "key": {"M": {"PK": {"S": "a"}}}}', '.*' ],
	(map { [ sprintf($of_shard, $shard, ", $$_[0]"), $$_[1] ] }
		[ '"filter": {"N": "1"}', 'filter of the range must be a string' ],
		[ '"filter": {"S": "M <"}', 'Invalid FilterExpression: .*' ],
		[ '"filter": {"S": "M < :m"}', 'Invalid FilterExpression: .*' ],
		[ '"filter": {"S": "#m < M"}, "names": {"M": {"#m": {"N": "1"}}}', 'names of the range must contain strings' ],
		[ '"needed": {"S": "a"}', 'needed of the range must be a list' ],
		[ '"needed": {"L": [{"N": "1"}]}', 'needed of the range must contain strings' ]),
	[ '{"keys": {"S": "a"}}', 'keys of the range must be a list' ],
	[ '{"keys": {"L": [{"S": "a"}]}}', '.*' ],
	[ '{"keys": {"L": [{"M": {"PK": {"S": "a"}}}]}}', '.*' ],
	[ sprintf($of_index, 1, ', "start": {"M": {"G": {"S": "g1"}}}'), '.*' ];

my ($key_here, $key_elsewhere) = map { value_of($_, qq~SELECT format('{"M": {"PK": {"S": "%s"}, "SK": {"S": "%s"}}}', "PK", "SK") FROM "Shop-1"
	WHERE get_shard_id_for_distribution_column('"Shop-1"', "PK") IN (SELECT shardid FROM pg_dist_placement WHERE groupid = (SELECT groupid FROM pg_dist_local_group)) LIMIT 1~) } $other, $worker;
my $none = $key_here =~ s/"s\d*"/"none"/r;
my $of_keys = '{"keys": {"L": [%s]}}';

like(value_of($other, 'SET ROLE reader; ' . rows('Shop-1', sprintf $of_keys, "$key_here, $none")), qr/^\\x64002020[0-9a-f]{16,}00000000$/, 'by hand: keys of this node');
like(value_of($other, 'SET ROLE reader; ' . rows('Shop-1', sprintf $of_keys, "$key_here, $key_elsewhere, $none")), qr/^\\x64002020[0-9a-f]{16,}(?<!00000000)$/, 'those before one that is elsewhere');
fails($other, 'stranger', rows('Shop-1', sprintf $of_keys, $key_here), 'permission denied for table Shop-1', 'keys, by hand, without rights');

# Row security is that of statements, and hides the entries of items.
value_of($coordinator, q{ALTER TABLE "Shop-1" ENABLE ROW LEVEL SECURITY; CREATE POLICY small ON "Shop-1" TO reader USING ((item ->> 'M')::numeric < 1)});
is(value_of($other, 'SET ROLE reader; ' . rows('Shop-1', $_)), '\x6d', "row security, by hand: $_") for @of_indexes, sprintf($of_keys, $key_here), sprintf $of_shard, $shard, '';
for my $node (@nodes)
{
	is(value_of($node, "SET ROLE reader; SELECT count(*) FROM ($all) q"), 99, $node->name . ': a query shows the entries of visible items');
	is(value_of($node, q{SET ROLE reader; SELECT count(*) FROM dynamo.scan('Shop-1')}), 99, $node->name . ': and a scan visible items');
}
like(ask($ports[$_], Query => '{"TableName": "Shop-1", "IndexName": "by-G", "KeyConditionExpression": "G = :g", "ExpressionAttributeValues": {":g": {"S": "g1"}}, "Select": "COUNT"}'),
	qr/^200 .*"Count":13,/, "over HTTP at node $_") for 0 .. 2;
value_of($coordinator, q{DROP POLICY small ON "Shop-1"; ALTER TABLE "Shop-1" DISABLE ROW LEVEL SECURITY});

# ---- shards that move ----

sub node_of
{
	my ($number) = @_;

	return value_of($coordinator, "SELECT groupid FROM pg_dist_placement WHERE shardid = $number");
}

# Moves a shard to the other worker.
sub move_away
{
	my ($number, $mode) = @_;

	move_when_clean($coordinator, qq{SELECT citus_move_shard_placement($number, s.nodename, s.nodeport, t.nodename, t.nodeport, '$mode')
FROM pg_dist_shard_placement s, pg_dist_node t WHERE s.shardid = $number AND t.groupid > 0 AND (t.nodename, t.nodeport) <> (s.nodename, s.nodeport)});
	return;
}

# A query and a scan that have read the first of several batches.
my %interrupted = (
	'a query' => [ q{dynamo.query('Shop-1', 'G = :g', '{":g": {"S": "g3"}}', index_name => 'by-G')}, 150,
		value_of($coordinator, q{SELECT get_shard_id_for_distribution_column('"Shop-1$by-G"', 'g3')}) ],
	'a scan' => [ q{dynamo.scan('large')}, 900 ]);

value_of($coordinator, q{SELECT dynamo.create_table('large', partition_key => 'PK'); SELECT dynamo.distribute_table('large', shards => 2);
SELECT dynamo.put_item('large', jsonb_build_object('PK', 'p' || i, 'data', repeat(md5(i::text), 40))) FROM generate_series(1, 900) i});
$interrupted{'a scan'}[2] = value_of($coordinator, q{SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'large'::regclass ORDER BY shardminvalue::int LIMIT 1});

# A scan whose filter matches nothing needs one call, as the other node leaves the rows out.
# Connections of endpoints stay open, and may add their counts ten seconds after a request.
sub calls_of
{
	my ($sql) = @_;
	my $closed = q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'dynamo'};

	value_of($other, q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'dynamo'});
	$other->poll_query_until('postgres', $closed) or die 'connections of endpoints were not closed';
	value_of($other, 'SELECT pg_stat_reset()');
	value_of($worker, $sql);
	$other->poll_query_until('postgres', $closed) or die 'the connection was not closed';
	return value_of($other, q{SELECT calls FROM pg_stat_user_functions WHERE funcname = 'rows_on_shard'});
}

cmp_ok(calls_of(q{SELECT count(*) FROM dynamo.scan('large')}), '>', 1, 'a scan of a large shard needs several calls');
is(calls_of(q{SELECT count(*) FROM dynamo.scan('large', filter_expression => 'attribute_exists(x)')}), 1, 'with a filter one call');
is(calls_of(q{SELECT count(*) FROM dynamo.scan('large', projection_expression => 'PK')}), 1, 'and of one attribute');

for my $what (sort keys %interrupted)
{
	my ($function, $rows, $number) = @{ $interrupted{$what} };

	for my $isolation ('READ COMMITTED', 'REPEATABLE READ')
	{
		my $reading = $coordinator->background_psql('postgres', on_error_stop => 0);

		$reading->query_safe("BEGIN ISOLATION LEVEL $isolation; DECLARE c CURSOR FOR SELECT ($function) OPERATOR(dynamo.->>) 'PK'; FETCH 1 FROM c");
		move_away($number, 'force_logical');
		$reading->{stderr} = '';
		my $rest = $reading->query('FETCH ALL FROM c');
		is(scalar(split /\n/, $rest), $rows - 1, "$what goes on where its shard has gone: $isolation") if $isolation eq 'READ COMMITTED';
		ok(scalar(split /\n/, $rest) == $rows - 1 || $reading->{stderr} =~ /could not serialize access/, "$what reads all or fails: $isolation") if $isolation ne 'READ COMMITTED';
		$reading->quit;
	}
}

# Readers of all nodes, while shards of the table and the index move to and fro.
my $counting = join "\n", map { qq{SELECT count(*) FROM dynamo.query('Shop-1', 'G = :g', '{":g": {"S": "g$_"}}', index_name => 'by-G');
SELECT count(*) - 1090 FROM dynamo.scan('Shop-1');} } (0 .. 7) x 40;
my @readers = map { start_session($_, $counting) } @nodes;

for my $round (1 .. 2)
{
	move_away($_, 'force_logical') for $shard, $index_shard, value_of($coordinator, q{SELECT get_shard_id_for_distribution_column('"Shop-1$by-G"', 'g0')});
}
for my $reader (@readers)
{
	$reader->{run}->finish;
	is($reader->{err}, '', "$reader->{node}: no read failed while shards moved");
	is(join(' ', grep { $_ != 150 } split /\n/, $reader->{out}), '', "$reader->{node}: every read saw every item");
}

stop_citus_cluster(@nodes);
done_testing();
