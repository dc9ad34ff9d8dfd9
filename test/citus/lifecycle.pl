# lifecycle.pl: what happens to a distributed table, its index tables and its stream by
# ordinary statements, on nodes that are all alike: the coordinator has shards, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @nodes = new_citus_cluster();
my ($coordinator, @workers) = @nodes;

value_of($coordinator, q{SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid = 0});
value_of($coordinator, q{CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner; CREATE SCHEMA other; CREATE SCHEMA gone; GRANT ALL ON SCHEMA other TO owner});

# ---- one transaction ----

# Whatever follows distribute_table in its transaction, also after items were written.
my @later = (q{enable_stream('%s')}, q{create_index('%s', 'inl', 'G')}, q{create_index('%s', 'gsi', 'G', storage => 'table')},
	q{update_time_to_live('%s', 'ttl', true)}, q{create_entity('%s', 'thing', '{"PK": "T#{t}"}', attributes => '{"t": "text"}', view_name => '%s_things')},
	q{create_access_pattern('%s', 'of_%s', 'PK = :p')}, q{put_item('%s', '{"PK": {"S": "T#x"}, "t": {"S": "x"}}')}, q{undistribute_table('%s')});

for my $items (0, 12)
{
	for my $i (0 .. $#later)
	{
		my $table = "one_${items}_$i";

		value_of($coordinator, sprintf q{BEGIN; SELECT create_table('%s', 'PK'); SELECT put_item('%s', build_item('PK', 'T#' || i, 't', i::text)) FROM generate_series(1, %d) i;
SELECT distribute_table('%s'); SELECT %s; SELECT put_item('%s', '{"PK": {"S": "T#last"}, "t": {"S": "last"}}'); COMMIT},
			$table, $table, $items, $table, $later[$i] =~ s/%s/$table/gr, $table);
		is(value_of($coordinator, "SELECT count(*) FROM scan('$table')"), $items + 1 + ($later[$i] =~ /^put/), "$later[$i] after distributing $items items");
	}
}
is(value_of($coordinator, q{DO $$ BEGIN PERFORM create_table('in_do', 'PK'); PERFORM create_index('in_do', 'gsi', 'G', storage => 'table'); PERFORM distribute_table('in_do'); PERFORM enable_stream('in_do');
PERFORM put_item('in_do', '{"PK": {"S": "a"}}'); END $$; SELECT count(*) FROM read_stream('in_do')}), 1, 'in one DO');

# ---- ordinary statements ----

sub create_items
{
	my ($table) = @_;

	value_of($coordinator, qq{SELECT create_table('$table', 'PK', 'SK'); SELECT create_index('$table', 'inl', 'G'); SELECT create_index('$table', 'gsi', 'H', storage => 'table');
SELECT enable_stream('$table'); SELECT distribute_table('$table')});
	value_of($coordinator, qq{SELECT put_item('$table', build_item('PK', 'p' || i, 'SK', 's', 'G', 'g', 'H', 'h' || i % 3)) FROM generate_series(1, 15) i});
	return;
}

# Rows, items, entries of both indexes after a put on each node, and records of the stream.
sub all_is_there
{
	my ($table, $when) = @_;

	value_of($_, sprintf q{SELECT put_item('%s', '{"PK": {"S": "%s"}, "SK": {"S": "s"}, "G": {"S": "g"}, "H": {"S": "h1"}}')}, $table, $_->name) for @nodes;
	value_of($coordinator, "SELECT wait_for_index('$table', 'gsi')");
	is(value_of($_, qq{SELECT (SELECT count(*) FROM $table), (SELECT count(*) FROM scan('$table')), (SELECT count(*) FROM query('$table', 'G = :g', '{":g": {"S": "g"}}', index_name => 'inl')),
(SELECT sum((SELECT count(*) FROM query('$table', 'H = :h', build_item(':h', 'h' || i), index_name => 'gsi'))) FROM generate_series(0, 2) i),
(SELECT count(*) FROM read_stream('$table'))}), '18|18|18|18|18', $_->name . ": $when") for @nodes;
	is(value_of($coordinator, qq{SELECT count(*) FROM verify_index('$table', 'gsi'); SELECT count(*) FROM verify_index('$table', 'inl')}), "0\n0", "$when: the indexes are complete");
	return;
}

my @statements = ([ 'ALTER TABLE %s ADD COLUMN more int DEFAULT 5 NOT NULL' ], [ 'CREATE INDEX ON %s ((item OPERATOR(dynamo.->>) \'x\'))' ], [ 'CLUSTER %s USING %s_pkey' ],
	[ 'ALTER TABLE %s DISABLE TRIGGER ALL' ], [ 'ALTER TABLE %s ADD CHECK ("PK" <> \'never\')' ], [ 'VACUUM (FULL, ANALYZE) %s' ], [ 'ALTER TABLE %s ENABLE ROW LEVEL SECURITY' ], [ 'ALTER TABLE %s OWNER TO owner' ],
	[ 'ALTER TABLE %s SET UNLOGGED' ], [ 'ALTER TABLE %s RENAME TO %s_renamed', '%s_renamed' ], [ 'ALTER TABLE %s SET SCHEMA other', 'other.%s' ]);
for my $i (0 .. $#statements)
{
	my $table = "stated_$i";
	my ($sql, $name) = @{ $statements[$i] };

	create_items($table);
	$coordinator->safe_psql('postgres', $sql =~ s/%s/$table/gr);
	all_is_there(($name // '%s') =~ s/%s/$table/r, $sql);
}
is(value_of($_, q{SELECT count(*), count(DISTINCT relnamespace) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'stated_10%'}), '4|1', $_->name . ': the tables of a table are in its schema') for @nodes;

create_items('refusing');
refuses($coordinator, $_->[0], $_->[1]) for
	[ 'ALTER TABLE refusing DROP COLUMN item', 'table "refusing" has no column "item" for the item' ],
	[ 'ALTER TABLE refusing RENAME COLUMN "PK" TO key', 'table "refusing" has no column "PK" for key attribute PK' ],
	[ 'ALTER TABLE refusing ALTER COLUMN "G" TYPE varchar(10)', 'column "G" of table "refusing" differs in type from key attribute G' ],
	[ 'TRUNCATE refusing', 'TRUNCATE of a table with (a stream|index tables) is not supported on distributed tables' ],
	[ 'TRUNCATE "refusing$gsi"', 'cannot truncate index table' ],
	[ 'DROP TABLE "refusing$gsi"', 'cannot drop "refusing\$gsi" because it contains index "gsi"' ],
	[ 'DROP TABLE "refusing$changes"', 'cannot drop the table with changes' ],
	[ 'DROP TABLE "refusing$stream"', 'cannot drop "refusing\$stream" because it contains the stream' ],
	[ 'DROP INDEX "refusing$inl"', 'cannot drop "refusing\$inl" because it contains index "inl"' ];
refuses($workers[0], $_, 'operation is not allowed on this node') for 'DROP TABLE refusing', 'ALTER TABLE refusing ADD COLUMN more int', q{SELECT drop_table('refusing')};
all_is_there('refusing', 'after what is refused');

# ---- dropped tables ----

my $tables_left = q{SET citus.override_table_visibility = off; SELECT string_agg(regexp_replace(relname, '_\d+$', ''), ' ' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'dropped%'};

create_items('without_stream');
value_of($coordinator, q{SELECT disable_stream('without_stream'); SELECT drop_table('without_stream')});
is(value_of($workers[0], $tables_left =~ s/dropped/without_stream/r . q{ AND relname NOT LIKE '%$stream%'}), '', 'nothing is left of a table without a stream');

for my $sql ('DROP TABLE dropped', 'DROP TABLE dropped CASCADE', q{SELECT drop_table('dropped')}, 'ALTER TABLE dropped SET SCHEMA gone; DROP SCHEMA gone CASCADE')
{
	create_items('dropped');
	value_of($coordinator, $sql);
	is(value_of($_, "$tables_left AND relname NOT LIKE '%\$stream%'"), '', $_->name . ": nothing is left after $sql") for @nodes;
}
isnt(value_of($workers[0], $tables_left), '', 'but the streams that have ended');

stop_citus_cluster(@nodes);
done_testing();
