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

# Lines are imported in batches; of those with one key, the last counts.
my $lines = q{(SELECT array_agg(export_line(build_item(%s)) ORDER BY i) FROM generate_series(1, 2500) i)};
for my $node (@nodes)
{
	my $name = $node->name;
	my %import = (
		shop => sprintf($lines, q{'PK', 'i' || i % 30, 'SK', 's' || i % 700, 'n', i}),
		numbers => sprintf($lines, q{'n', i % 1200, 'm', i}),
		bytes => sprintf($lines, q{'b', convert_to('i' || i % 90, 'UTF8'), 'm', i % 7, 'n', i}));

	value_of($coordinator, "DELETE FROM $_") for sort keys %import;
	is(value_of($node, "SELECT * FROM import_lines('$_', $import{$_}); SELECT * FROM import_lines('$_', $import{$_})"), "2500|0\n2500|0", "$name: import into $_")
		for sort keys %import;
	is(value_of($node, q{SELECT count(*), sum((item ->> 'n')::int) FROM shop; SELECT count(*), sum((item ->> 'm')::int) FROM numbers; SELECT count(*), sum((item ->> 'n')::int) FROM bytes}),
		value_of($coordinator, q{SELECT count(*), sum(n) FROM (SELECT max(i) AS n FROM generate_series(1, 2500) i GROUP BY i % 30, i % 700) x;
SELECT count(*), sum(n) FROM (SELECT max(i) AS n FROM generate_series(1, 2500) i GROUP BY i % 1200) x;
SELECT count(*), sum(n) FROM (SELECT max(i) AS n FROM generate_series(1, 2500) i GROUP BY i % 90, i % 7) x}), "$name: the last item with a key counts");
	is(value_of($node, q{SELECT * FROM import_lines('shop', ARRAY['{"Item": {"PK": {"S": "ok"}, "SK": {"S": "1"}}}', 'bad', '{"Item": {"PK": {"S": "no sort key"}}}',
'{"Item": {"PK": {"S": "ok"}, "SK": {"S": "2"}}}'], true); SELECT count(*) FROM query('shop', 'PK = :p', '{":p": {"S": "ok"}}')}), "2|2\n2", "$name: lines that are skipped");
}

# ---- entity views ----

my $declare = q{SELECT create_entity('%1$s', 'order', keys => '{"PK": "C#{c}", "SK": "O#{o}"}', type_attribute => 'kind',
	attributes => '{"c": "text", "o": "text", "n": "int", "at": "timestamptz", "tags": "jsonb", "status": {"type": "text", "default": "OPEN"}}', view_name => '%1$s_orders')};

value_of($coordinator, q{CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN});
for my $table ('ents', 'plain')
{
	value_of($coordinator, "SELECT create_table('$table', 'PK', 'SK')");
	value_of($coordinator, sprintf $declare, $table);
	value_of($coordinator, qq{ALTER VIEW ${table}_orders ALTER COLUMN n SET DEFAULT 3;
INSERT INTO ${table}_orders (c, o, n) SELECT 'c' || i, 'first', i FROM generate_series(1, 12) i;
CREATE VIEW ${table}_open AS SELECT * FROM ${table}_orders WHERE status = 'OPEN';
GRANT SELECT, UPDATE (n, tags) ON ${table}_orders TO reader WITH GRANT OPTION; GRANT SELECT, INSERT, UPDATE, DELETE ON $table TO reader});
}
value_of($coordinator, q{SELECT distribute_table('ents', 4); ANALYZE ents});

my $trigger = q{SELECT count(*) FROM pg_trigger t JOIN pg_depend d ON d.objid = t.oid AND d.deptype = 'x' WHERE tgrelid = 'ents_orders'::regclass};
my $rights = q{SELECT has_table_privilege('reader', 'ents_orders', 'SELECT WITH GRANT OPTION'), has_column_privilege('reader', 'ents_orders', 'tags', 'UPDATE'),
has_column_privilege('reader', 'ents_orders', 'c', 'UPDATE'), has_table_privilege('stranger', 'ents_orders', 'SELECT')};
is(value_of($_, $trigger), 1, 'the view can be written on ' . $_->name) for @nodes;
is(value_of($_, $rights), 't|t|f|f', 'and has its privileges on ' . $_->name) for @nodes;

# Each statement has the result that it has on a table of one server.
my @statements = (
	q{INSERT INTO %s (c, o, tags) VALUES ('d1', 'x', '["a", {"b": 1}]'), ('d2', 'x', NULL) RETURNING *},
	q{INSERT INTO %s (c, o, n, at) SELECT c, 'second', n * 2, '2026-11-23 12:00+02' FROM %s WHERE n < 4 AND o = 'first' RETURNING c, o, n},
	q{UPDATE %s SET n = n + 100, tags = '{"x": [1]}' WHERE c = 'c1' AND o = 'first' RETURNING *},
	q{UPDATE %s SET n = n + 100 WHERE n BETWEEN 5 AND 9 RETURNING "PK", n * 2},
	q{UPDATE %s v SET n = x.n, status = NULL FROM (VALUES ('c2', 77), ('c5', 78), ('none', 79)) x(c, n) WHERE x.c = v.c},
	q{UPDATE %s SET n = NULL WHERE c IN (SELECT c FROM %s WHERE n = 77) RETURNING n},
	q{PREPARE change(text, int) AS UPDATE %s SET n = n + $2 WHERE c = $1; EXECUTE change('c3', 1); EXECUTE change('c4', 1); EXECUTE change('c3', 1);
		EXECUTE change('c3', 1); EXECUTE change('c3', 1); EXECUTE change('c3', 1); EXECUTE change('c3', 1); EXECUTE change('c4', 1)},
	q{WITH w AS (SELECT 'c6' AS c) DELETE FROM %s v USING w WHERE v.c = w.c RETURNING v.c},
	q{DELETE FROM %s WHERE c = 'c7' AND n > 5 RETURNING (c || o), n},
	q{PREPARE rid(text) AS DELETE FROM %s WHERE c = $1; EXECUTE rid('c8'); EXECUTE rid('c9')},
	q{BEGIN; DELETE FROM %s; SELECT count(*) FROM %s; ROLLBACK; SELECT count(*) FROM %s},
	q{BEGIN ISOLATION LEVEL REPEATABLE READ; UPDATE %s SET n = 1000 WHERE c = 'c11'; DELETE FROM %s WHERE c = 'c12'; COMMIT; SELECT count(*) FROM %s});

# the rows of a statement are in no order
sub sorted
{
	return join "\n", sort split /\n/, shift;
}

for my $node (@nodes)
{
	for my $direct ('on', 'off')
	{
		value_of($coordinator, qq{DELETE FROM $_; INSERT INTO ${_}_orders (c, o, n) SELECT 'c' || i, 'first', i FROM generate_series(1, 12) i}) for 'ents', 'plain';
		for my $statement (@statements)
		{
			my $set = "SET dynamo.direct_access = $direct;";

			is(sorted(value_of($node, $set . $statement =~ s/%s/ents_orders/gr)), sorted(value_of($coordinator, $set . $statement =~ s/%s/plain_orders/gr)),
				$node->name . ", direct access $direct: $statement");
		}
		is(value_of($node, 'SELECT item FROM ents ORDER BY "PK", "SK"'), value_of($coordinator, 'SELECT item FROM plain ORDER BY "PK", "SK"'), 'the items are the same');
	}
	refuses($node, $_->[0], $_->[1]) for
		[ q{INSERT INTO ents_orders (c, o) VALUES ('c1', 'first')}, 'duplicate key value violates unique constraint' ],
		[ q{INSERT INTO ents_orders (c, o, kind) VALUES ('c1', 'first', 'x')}, 'column "kind" of relation "ents_orders" does not exist' ],
		[ q{UPDATE ents_orders SET c = 'other' WHERE c = 'c1'}, 'cannot change key attribute "PK" of an item of distributed table "ents"' ],
		[ q{UPDATE ents_orders SET o = 'other' WHERE c = 'c1'}, 'cannot change key attribute "SK" of an item of distributed table "ents"' ],
		[ q{WITH d AS (DELETE FROM ents_orders RETURNING c) SELECT * FROM d}, 'a statement in WITH that writes an entity view is not supported on distributed tables' ],
		[ q{WITH d AS (DELETE FROM ents RETURNING 1) DELETE FROM ents_orders}, 'a statement in WITH that writes, with an entity view is not supported on distributed tables' ],
		[ q{UPDATE ents_orders SET (n, status) = (SELECT 1, 'x')}, 'setting several columns from a subquery of an entity view is not supported on distributed tables' ],
		[ q{UPDATE ents_orders v SET n = x.n FROM (VALUES (1)) x(n) RETURNING x.n}, 'RETURNING of columns of other tables with an entity view is not supported on distributed tables' ],
		[ q{UPDATE ents_orders SET n = 1 RETURNING (SELECT 1)}, 'RETURNING of columns of other tables with an entity view is not supported on distributed tables' ],
		[ q{SET ROLE stranger; UPDATE ents_orders SET n = 1}, 'permission denied for (table ents|view ents_orders)' ],
		[ q{SET ROLE reader; UPDATE ents_orders SET status = 'x'}, 'permission denied for view ents_orders' ],
		[ q{BEGIN READ ONLY; DELETE FROM ents_orders}, 'cannot execute DELETE in a read-only transaction' ];
	like(value_of($node, q{EXPLAIN (COSTS OFF) UPDATE ents_orders SET n = 1 WHERE c = 'c1' RETURNING n}),
		qr/^Update on ents_orders\n +->  Result\n +->  Custom Scan \(Citus Adaptive\)\n +Task Count: 1\n/, $node->name . ': only the shard with the key is read');
	like(value_of($node, q{SET ROLE reader; UPDATE ents_orders SET n = 50 WHERE c = 'c1' AND o = 'first' RETURNING n}), qr/^50$/, $node->name . ': a role with rights to the table and to columns of the view');
}

# ---- values that cannot be cast ----

# They are in the way of no statement that does not use their column.
for my $node (@nodes)
{
	value_of($node, q{SELECT put_item('ents', '{"kind": "order", "c": "poison", "o": "x", "n": "many", "at": "late"}'::jsonb)});
	refuses($node, q{SELECT n FROM ents_orders WHERE c = 'poison'}, 'invalid input syntax for type integer: "many"');
	is(value_of($coordinator, q{SELECT problem FROM check_entity('ents') ORDER BY 1}) =~ s/ which cannot.*//mgr, qq{attribute at is "late",\nattribute n is "many",}, $node->name . ': check_entity');
	is(value_of($node, q{UPDATE ents_orders SET status = 'SENT' WHERE c = 'poison' RETURNING c, status}), 'poison|SENT', $node->name . ': UPDATE');
	is(value_of($node, q{SELECT item ->> 'n', item ->> 'at', item ->> 'status' FROM ents WHERE item ->> 'c' = 'poison'}), 'many|late|SENT', $node->name . ': the other attributes stay');
	is(value_of($node, q{DELETE FROM ents_orders WHERE c = 'poison' RETURNING o}), 'x', $node->name . ': DELETE');
}

# ---- concurrent changes ----

# Another session changes an attribute after a statement has read it.
for my $node (@nodes)
{
	value_of($coordinator, q{UPDATE ents_orders SET n = 1, status = 'OPEN' WHERE c = 'c1'});
	for my $case ([ 'n = n + 1', 1 ], [ q{status = 'SENT'}, 0 ])
	{
		my $first = start_session($coordinator, qq{BEGIN; UPDATE ents_orders SET n = n + 1 WHERE c = 'c1' AND o = 'first'; SELECT pg_sleep(2); COMMIT});
		$coordinator->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep')});
		my ($status, $out, $error) = $node->psql('postgres', "UPDATE ents_orders SET $case->[0] WHERE c = 'c1' AND o = 'first'");

		$first->{run}->finish;
		if ($case->[1])
		{
			like($error, qr/could not serialize access due to concurrent update.*Attribute "n" was changed by another transaction/s, $node->name . ': the attribute has changed');
		}
		else
		{
			is($error, '', $node->name . ': another attribute has changed');
		}
	}
	is(value_of($node, q{SELECT n, status FROM ents_orders WHERE c = 'c1' AND o = 'first'}), '3|SENT', 'no change is lost');
}

# ---- the table comes back ----

value_of($coordinator, q{SELECT undistribute_table('ents')});
is(value_of($coordinator, $trigger), 1, 'the view can be written');
is(value_of($coordinator, $rights), 't|t|f|f', 'and has its privileges');
is(value_of($coordinator, q{INSERT INTO ents_orders (c, o) VALUES ('back', '1') RETURNING n, status; DELETE FROM ents_open WHERE c = 'back'}), '3|OPEN', 'and its default');
value_of($coordinator, q{SELECT distribute_table('ents', 2)});
is(value_of($_, q{UPDATE ents_orders SET n = 5 WHERE c = 'c1' AND o = 'first' RETURNING n}), 5, $_->name . ': distributed again') for @nodes;

# ---- entities of a distributed table ----

value_of($coordinator, q{SELECT create_table('later', 'PK', 'SK', indexes => '[{"index_name": "GSI1", "partition_key": "G", "sort_key": "SK"}]');
SELECT create_index('later', 'GSI2', 'H', storage => 'table'); SELECT distribute_table('later', 4);
INSERT INTO later ("PK", "SK", item) SELECT k.partition_key, k.sort_key, k.item FROM generate_series(1, 40) i,
	keys_of('later', build_item('PK', 'C#c' || i, 'SK', 'O#' || i, 'c', 'c' || i, 'o', i::text, 'status', 'S' || i % 3)) k});
refuses($worker, q{SELECT create_entity('later', 'order', '{"PK": "C#{c}", "SK": "O#{o}"}')}, 'cannot change distributed table "later" on a worker node of Citus');
value_of($coordinator, q{SELECT create_entity('later', 'order', '{"PK": "C#{c}", "SK": "O#{o}", "G": "G#{status}", "H": "H#{status}"}',
	attributes => '{"c": "text", "o": "text", "status": "text", "n": "int"}', view_name => 'later_orders')});
is(value_of($coordinator, q{SELECT count(*) FROM check_entity('later'); SELECT count(*) FROM check_entity('later', 'order'); SELECT count(*) FROM query('later', 'G = :g', '{":g": {"S": "G#S1"}}', index_name => 'GSI1')}),
	"40\n40\n0", 'items that are older than the entity');
is(value_of($coordinator, q{SELECT count(*) FROM later_orders WHERE status = 'S1'}), 14, 'its view finds them without the index');
value_of($_, qq{INSERT INTO later_orders (c, o, status) VALUES ('${\ $_->name}', '1', 'S1')}) for @nodes;
is(value_of($coordinator, q{SELECT apply_entity('later', 'order', 15); SELECT apply_entity('later', 'order', 15); SELECT apply_entity('later'); SELECT apply_entity('later');
SELECT count(*) FROM check_entity('later'); SELECT wait_for_index('later', 'GSI2')}), "15\n15\n10\n0\n0\nt", 'composing the keys of older items');
is(value_of($_, q{SELECT count(*) FROM query('later', 'G = :g', '{":g": {"S": "G#S1"}}', index_name => 'GSI1'); SELECT count(*) FROM query('later', 'H = :h', '{":h": {"S": "H#S1"}}', index_name => 'GSI2');
SELECT count(*) FROM later_orders WHERE status = 'S1'; SELECT describe_entity('later', 'order') ->> 'applied'}), "17\n17\n17\ntrue", $_->name . ': the indexes have them') for @nodes;

value_of($coordinator, q{SELECT create_entity('later', 'order', '{"PK": "C#{c}", "SK": "O#{o}", "G": "{status}", "H": "H#{status}"}',
	attributes => '{"c": "text", "o": "text", "status": "text", "n": "int", "more": {"type": "int", "default": 8}}', replace => true)});
is(value_of($_, q{UPDATE later_orders SET more = COALESCE(more, 0) + 1 WHERE c = 'c1' RETURNING more}), $_->name =~ /(\d)/ ? $1 + 1 : 1, $_->name . ': declared anew, with another column') for @nodes;
is(value_of($other, q{INSERT INTO later_orders (c, o, status) VALUES ('new', '1', 'NEW') RETURNING more, "PK"; SELECT item ->> 'G' FROM later WHERE "PK" = 'C#new'}), "8|C#new\nNEW", 'new items get its keys');
is(value_of($coordinator, q{SELECT sum(apply_entity('later')) FROM generate_series(1, 3); SELECT count(*) FROM check_entity('later')}), "43\n0", 'older ones, too');

# a role that owns the table
value_of($coordinator, q{CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner});
value_of($coordinator, q{SET ROLE owner; SELECT create_table('owned', 'PK'); SELECT distribute_table('owned', 3);
SELECT create_entity('owned', 'thing', '{"PK": "T#{t}"}', attributes => '{"t": "text", "n": "int"}', view_name => 'things'); SELECT apply_entity('owned')});
is(value_of($_, qq{SET ROLE owner; INSERT INTO things (t, n) VALUES ('${\ $_->name}', 1); UPDATE things SET n = n + 1 WHERE t = '${\ $_->name}' RETURNING n}), 2, $_->name . ': an owner without other rights') for @nodes;
refuses($coordinator, q{SET ROLE reader; SELECT apply_entity('owned')}, 'must be owner of table owned');

# an index of declared attributes comes and goes beneath its views
value_of($coordinator, q{SET ROLE owner; SELECT create_index('owned', 'by_n', 'n', 't', partition_key_type => 'N');
SELECT create_entity_view('things_by_n', 'owned', '{"t": "text", "n": "int"}', entity_name => 'thing');
SELECT create_entity('owned', 'thing', '{"PK": "T#{t}"}', attributes => '{"t": "text", "n": "int", "more": "int"}', replace => true)});
my $things = q{SET ROLE owner; SELECT count(*), sum(n) FROM things_by_n; SELECT count(*), sum(n), count(more) FROM things};
is(value_of($_, $things), "3|6\n3|6|0", $_->name . ': an index') for @nodes;
value_of($coordinator, q{SET ROLE owner; SELECT drop_index('owned', 'by_n')});
is(value_of($_, $things), "3|6\n3|6|0", $_->name . ': and none') for @nodes;
is(value_of($_, qq{SET ROLE owner; UPDATE things_by_n SET n = n + 1 WHERE t = '${\ $_->name}' RETURNING n}), 3, $_->name . ': written') for @nodes;

# ---- the trigger of a view deletes where Citus distributes the table, else PostgreSQL does ----

my $deletes = q{SELECT bool_and(tgtype & 8 <> 0) FROM pg_trigger WHERE tgrelid = 'goods'::regclass};
value_of($coordinator, q{CREATE ROLE seller; GRANT CREATE ON SCHEMA public TO seller; SELECT create_table('stock', 'PK');
SELECT create_entity('stock', 'good', '{"PK": "G#{g}"}', attributes => '{"g": "text", "n": "int"}', view_name => 'goods');
INSERT INTO goods (g, n) SELECT 'g' || i, i FROM generate_series(1, 20) i; ALTER VIEW goods OWNER TO seller});
is(value_of($coordinator, $deletes), 'f', 'PostgreSQL');
value_of($coordinator, q{SELECT distribute_table('stock', 4)});
is(value_of($coordinator, $deletes), 't', 'the trigger, of a view of somebody else');
is(value_of($coordinator, q{DELETE FROM goods WHERE n IN (1, 2, 9); SELECT count(*) FROM stock}), 17, 'rows are deleted');
value_of($coordinator, q{ALTER VIEW goods OWNER TO CURRENT_USER; SELECT undistribute_table('stock')});
is(value_of($coordinator, $deletes), 'f', 'PostgreSQL again');
is(value_of($coordinator, q{DELETE FROM goods WHERE n > 10; SELECT count(*) FROM stock}), 7, 'and deletes');

# ---- access patterns ----

value_of($coordinator, q{SELECT create_access_pattern('later', 'orders_by_status', 'G = :status', index_name => 'GSI1'); SELECT create_access_pattern('later', 'orders_of', 'c = :c', view_name => 'later_orders');
GRANT EXECUTE ON FUNCTION orders_of TO reader});
is(value_of($_, q{SELECT count(*) FROM orders_by_status('S1'); SELECT o FROM orders_of('c7')}), "17\n7", $_->name . ': access patterns') for @nodes;
is(value_of($_, q{SELECT (s.r).o FROM (SELECT orders_of('c7') AS r) s; SELECT count(*) FROM orders_by_status('S1')}), "7\n17", $_->name . ': in a select list') for @nodes;
is(value_of($_, q{SELECT orders_of('c7') IS NULL}), 'f', $_->name . ': at its top') for @nodes;
is(value_of($coordinator, q{SELECT sum(items_returned) > 0, count(problem) FROM check_access_patterns('later'); SELECT drop_access_pattern('orders_by_status')}), "t|0\n", 'and their check');

value_of($coordinator, q{SELECT drop_access_pattern('orders_of'); SELECT drop_entity('later', 'order')});
is(value_of($_, q{SELECT count(*) FROM pg_views WHERE viewname = 'later_orders'; SELECT kind_of('later', '{"PK": {"S": "C#1"}, "SK": {"S": "O#1"}}') IS NULL}), "0\nt", $_->name . ': a dropped entity') for @nodes;
value_of($_, q{SELECT put_item('later', '{"PK": {"S": "C#x"}, "SK": {"S": "O#y"}, "c": {"S": "other"}}')}) for @nodes;

stop_citus_cluster(@nodes);
done_testing();
