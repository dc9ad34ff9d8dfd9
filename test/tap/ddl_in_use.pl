# ddl_in_use.pl: changes of a table that an open transaction has read.  They wait, nobody
# else does for long, and nothing of them is left when they give up.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('ddl_in_use', '');

$node->safe_psql('postgres', q{
SELECT dynamo.create_table('used', 'PK', indexes => '[{"index_name": "one", "partition_key": "G"}]');
SELECT dynamo.create_entity('used', 'k', '{"PK": "K#{id}"}', '{"id": "text"}', view_name => 'v_used');
INSERT INTO v_used (id) VALUES ('a'), ('b');
});

my $reader = $node->background_psql('postgres', on_error_stop => 1);
my $ddl = $node->background_psql('postgres', on_error_stop => 0);
my $ddl_pid = $ddl->query_safe('SELECT pg_backend_pid()');

# A process that waits between two attempts, and whose attempts have ended.
sub wait_until_pausing
{
	return $node->poll_query_until('postgres', qq{SELECT state = 'active' AND wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $ddl_pid});
}

# The columns of the view, the indexes, and an item that is written by another session meanwhile.
sub others
{
	return $node->safe_psql('postgres', q{
SET statement_timeout = '60s';
SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'v_used'::regclass AND attnum > 0;
SELECT count(*) FROM v_used;
SELECT dynamo.put_item('used', '{"PK": {"S": "K#b"}, "id": {"S": "b"}}');
SELECT dynamo.get_item('used', '{"PK": {"S": "K#b"}}') IS NOT NULL;
SELECT string_agg(i->>'IndexName', ',') FROM jsonb_array_elements(dynamo.describe_table('used')::jsonb->'Table'->'GlobalSecondaryIndexes') i;
});
}

my %changes = (
	'create_entity' => q{dynamo.create_entity('used', 'k', '{"PK": "K#{id}"}', '{"id": "text", "n": "int"}', replace => true)},
	'create_index' => q{dynamo.create_index('used', 'two', 'H')},
	'drop_index' => q{dynamo.drop_index('used', 'one')},
	'update_time_to_live' => q{dynamo.update_time_to_live('used', 'expires', true)},
	'drop_entity' => q{dynamo.drop_entity('used', 'k')},
	'drop_table' => q{dynamo.drop_table('used')});

for my $name (sort keys %changes)
{
	my $before = others();

	# the caller's own limit; all is as it was
	$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT id FROM v_used');
	my ($out, $err) = ('', '');
	$node->psql('postgres', "SET lock_timeout = '300ms'; SELECT $changes{$name};", stderr => \$err);
	like($err, qr/lock timeout/, "$name ends with the lock_timeout of its session");
	is(others(), $before, "$name has left nothing");

	# the transaction ends
	$ddl->query_until(qr/begun/, "\\echo begun\nBEGIN; SELECT $changes{$name};\n\\echo done\n");
	ok(wait_until_pausing(), "$name waits");
	is(others(), $before, "nobody waits behind $name");
	$reader->query_safe('COMMIT');
	$ddl->query_until(qr/done/, "");
	unlike($ddl->query('SELECT 1'), qr/ERROR/, "$name succeeds when the reader has gone");
	$ddl->query_safe('ROLLBACK');
}

# without a limit of the caller's, half a minute
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT id FROM v_used');
my $err = '';
$node->psql('postgres', "SELECT $changes{create_entity}", stderr => \$err);
like($err, qr/a table or view that must be locked is in use.*nobody queues.*HINT:.*pg_locks/s, 'it gives up by itself');
$reader->query_safe('COMMIT');
is($node->psql('postgres', "SELECT $changes{create_entity}"), 0, 'and succeeds later');
$reader->quit;
$ddl->quit;
$node->stop;
done_testing();
