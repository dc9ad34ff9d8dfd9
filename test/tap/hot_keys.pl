# hot_keys.pl: the hottest partition keys: contributor insights, dynamo.stat_keys, metrics.
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
my $metrics_port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('hot_keys', $port, 1,
	"dynamo.metrics_port = $metrics_port\ndynamo.metrics_listen_addresses = '127.0.0.1'\ndynamo.hot_keys_max = 3\nlog_statement = none\n");

sub value { return $node->safe_psql('postgres', $_[0]) }

$node->safe_psql('postgres', q{
CREATE FUNCTION insights(t text, action text, index text DEFAULT NULL, mode text DEFAULT NULL) RETURNS json LANGUAGE sql AS $$
	SELECT dynamo.request('UpdateContributorInsights', json_strip_nulls(json_build_object('TableName', t, 'IndexName', index,
		'ContributorInsightsAction', action, 'ContributorInsightsMode', mode))) $$;
CREATE FUNCTION get(t text, key text) RETURNS dynamo.item LANGUAGE sql AS $$
	SELECT dynamo.get_item(t, json_build_object('pk', json_build_object('S', key))::text::dynamo.item) $$;
SELECT dynamo.create_table('tab', 'pk', indexes => '[{"index_name": "gsi", "partition_key": ["g", "h"]}]');
SELECT dynamo.create_table('other', 'pk');
SELECT dynamo.put_item('tab', json_build_object('pk', json_build_object('S', i::text), 'g', json_build_object('S', 'x'),
	'h', json_build_object('S', 'y'))::text::dynamo.item) FROM generate_series(1, 200) i});

# ---- only if it is enabled; sessions that know the table notice ----

my $session = $node->background_psql('postgres');

$session->query_safe("SELECT get('tab', '1'), get('other', '1')");
is(value('SELECT count(*) FROM dynamo.stat_keys'), 0, 'nothing is counted');
value("SELECT insights('tab', 'ENABLE')");
$session->query_safe("SELECT get('tab', '1'), get('other', '1')");
is(value('SELECT table_name, index_name, key_hash = dynamo.key_hash(\'{"S": "1"}\'), partition_key, accesses, max_error, share FROM dynamo.stat_keys'),
	'tab||t|{"S": "1"}|1|0|1', 'one access to one key of the table');

# ---- the sketch: more keys than counters ----

value('SELECT dynamo.stat_reset()');
is(value('SELECT count(*) FROM dynamo.stat_keys'), 0, 'reset');
value(q{SELECT count(get('tab', CASE WHEN i % 5 = 0 THEN 'hot' WHEN i % 5 = 1 THEN 'warm' || i % 3 ELSE (i * 7919 % 3000)::text END))
	FROM generate_series(1, 10000) i});
is(value(q{SELECT partition_key FROM dynamo.stat_keys ORDER BY accesses DESC LIMIT 1}), '{"S": "hot"}', 'the hottest key is first');
is(value(q{SELECT string_agg(partition_key ->> 'S', ' ' ORDER BY partition_key ->> 'S') FROM (SELECT * FROM dynamo.stat_keys ORDER BY accesses DESC LIMIT 4) k}),
	'hot warm0 warm1 warm2', 'so are the next ones');
is(value(q{SELECT bool_and(2000 BETWEEN accesses - max_error AND accesses) FROM dynamo.stat_keys WHERE partition_key ->> 'S' = 'hot'}), 't',
	'the true number is between the count and the count without the greatest error');
is(value(q{SELECT count(*) <= 128 AND sum(accesses) = 10000 FROM dynamo.stat_keys}), 't', 'no access is lost, and memory is limited');
is(value(q{SELECT abs(share - accesses / 10000.0) < 0.0001 FROM dynamo.stat_keys ORDER BY accesses DESC LIMIT 1}), 't', 'shares');

# ---- operations, and indexes with keys of several attributes ----

value('SELECT dynamo.stat_reset()');
value("SELECT insights('tab', 'ENABLE', 'gsi')");
value(q{SELECT dynamo.put_item('tab', '{"pk": {"S": "k"}}'), dynamo.update_item('tab', '{"pk": {"S": "k"}}', 'SET a = :a', expression_attribute_values => '{":a": {"S": "v"}}'),
	dynamo.delete_item('tab', '{"pk": {"S": "k"}}')});
value(q{SELECT dynamo.request('BatchGetItem', '{"RequestItems": {"tab": {"Keys": [{"pk": {"S": "k"}}, {"pk": {"S": "l"}}]}}}')});
value(q{SELECT dynamo.request('ExecuteStatement', '{"Statement": "SELECT * FROM tab WHERE pk = ''k''"}')});
value(q{SELECT dynamo.request('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "tab", "Key": {"pk": {"S": "k"}}}}]}')});
value(q{SELECT dynamo.request('Query', '{"TableName": "tab", "KeyConditionExpression": "pk = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}}')});
value(q{SELECT dynamo.request('Query', '{"TableName": "tab", "IndexName": "gsi", "KeyConditionExpression": "g = :g AND h = :h",
	"ExpressionAttributeValues": {":g": {"S": "x"}, ":h": {"S": "y"}}}')});
is(value('SELECT index_name, partition_key, accesses FROM dynamo.stat_keys ORDER BY index_name NULLS FIRST, accesses DESC'),
	qq{|{"S": "k"}|7\n|{"S": "l"}|1\ngsi|[{"S": "x"},{"S": "y"}]|1}, 'each operation counts; an index has keys of its own');
value(q{SELECT get('tab', repeat('x', 200))});
is(value(q{SELECT count(*), count(partition_key) FROM dynamo.stat_keys WHERE index_name IS NULL AND key_hash = dynamo.key_hash(json_build_object('S', repeat('x', 200))::text::dynamo.value)}),
	'1|0', 'of a long key there is only the hash');

# ---- who sees what ----

$node->safe_psql('postgres', q{
CREATE ROLE nobody LOGIN; CREATE ROLE statistician LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE part LOGIN;
GRANT pg_read_all_stats TO statistician;
GRANT SELECT ON tab TO reader, part, statistician;
REVOKE SELECT ON tab FROM statistician});

sub seen_by
{
	return value("SET ROLE $_[0]; SELECT count(*), count(partition_key) FROM dynamo.stat_keys");
}

is(seen_by('nobody'), '0|0', 'who may not see statistics sees nothing');
is(seen_by('statistician'), '4|0', 'who may see statistics sees hashes');
is(seen_by('reader'), '4|3', 'who may read the table sees keys');
value('ALTER TABLE tab ENABLE ROW LEVEL SECURITY');
is(seen_by('reader'), '0|0', 'who may see only some rows sees nothing');
value('GRANT pg_read_all_stats TO reader');
is(seen_by('reader'), '4|0', 'or, of statistics, hashes');
value('REVOKE pg_read_all_stats FROM reader');
value('ALTER TABLE tab DISABLE ROW LEVEL SECURITY');

# ---- metrics ----

sub metrics
{
	my $socket = connect_http($metrics_port);

	send_raw($socket, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	return read_answer($socket)->{body};
}

my $hash = value(q{SELECT dynamo.key_hash('{"S": "k"}')});

value(q{SELECT count(get('tab', i::text)) FROM generate_series(1, 50) i});
my $metrics = metrics();
like($metrics, qr/^dynamo_hot_key_accesses_total\{schema="public",table="tab",index="",key="$hash"\} 7$/m, 'a hot key in the metrics');
is(scalar(() = $metrics =~ /^dynamo_hot_key_accesses_total\{.*index="",/mg), 10, 'ten keys of a table');
unlike($metrics, qr/"k"|\{"S"/, 'no key itself');

# ---- room, settings, and what is forgotten ----

value("SELECT insights('other', 'ENABLE')");
value("SELECT dynamo.create_table('third', 'pk'), insights('third', 'ENABLE')");
value("SELECT get('other', 'a'), get('third', 'a')");
is(value("SELECT string_agg(DISTINCT table_name || COALESCE(index_name, ''), ' ') FROM dynamo.stat_keys"), 'other tab tabgsi', 'there is room for three');
$session->query_safe("SELECT get('other', 'a'), get('third', 'a')");
value("SELECT insights('tab', 'DISABLE', 'gsi')");
is(value("SELECT count(*) FROM dynamo.stat_keys WHERE index_name = 'gsi'"), 0, 'disabled');
value("SELECT get('third', 'b')");
is(value("SELECT partition_key FROM dynamo.stat_keys WHERE table_name = 'third'"), '{"S": "b"}', 'its place is taken by another table');
value('DROP TABLE other');
value(q{SELECT dynamo.create_table('fourth', 'pk'), insights('fourth', 'ENABLE')});
value("SELECT get('fourth', 'c')");
is(value("SELECT table_name, partition_key FROM dynamo.stat_keys WHERE table_name NOT IN ('tab', 'third')"), 'fourth|{"S": "c"}', 'so is that of a dropped table');
value("SELECT insights('fourth', 'ENABLE', mode => 'THROTTLED_KEYS'), dynamo.stat_reset()");
value("SELECT get('fourth', 'c'), get('tab', 'c')");
is(value('SELECT table_name FROM dynamo.stat_keys'), 'tab', 'of throttled keys, which there are not, nothing is counted');
value("SELECT dynamo.stat_reset()");
value("SET dynamo.track_keys = off; SELECT get('tab', 'c')");
is(value('SELECT count(*) FROM dynamo.stat_keys'), 0, 'off');
value("SET dynamo.track_keys = 'all'; SELECT get('fourth', 'c')");
is(value('SELECT table_name FROM dynamo.stat_keys'), 'fourth', 'all tables');
$session->quit;

# a new session looks up what is counted, also where a parallel plan has begun
is(value(q{CREATE TABLE keys AS SELECT 'k' || i AS k FROM generate_series(1, 1000) i; ANALYZE keys}), '', 'keys to read');
is(value(q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; 
	SELECT count(*), count(i) FROM (SELECT dynamo.get_item('third', jsonb_build_object('pk', k)) AS i FROM keys WHERE k <> 'k0' OFFSET 0) s}), '1000|0', 'reads in a parallel plan');

# ---- other databases, and a server without the library at start ----

$node->safe_psql('postgres', 'CREATE DATABASE elsewhere');
$node->safe_psql('elsewhere', 'CREATE EXTENSION dynamo');
is($node->safe_psql('elsewhere', 'SELECT count(*) FROM dynamo.stat_keys'), 0, 'each database has its own');

# the sketches of a dropped database, and of tables that were never committed, are free again
$node->safe_psql('elsewhere', q{SET dynamo.track_keys = 'all'; SELECT dynamo.create_table('t' || i, 'pk'),
	dynamo.get_item('t' || i, '{"pk": {"S": "a"}}') FROM generate_series(1, 3) i});
value("SELECT dynamo.stat_reset()");
$node->safe_psql('elsewhere', q{SET dynamo.track_keys = 'all'; SELECT dynamo.get_item('t' || i, '{"pk": {"S": "a"}}') FROM generate_series(1, 3) i});
value("SET dynamo.track_keys = 'all'; SELECT get('fourth', 'd')");
is(value('SELECT count(*) FROM dynamo.stat_keys'), 0, 'another database has taken all room');
value('DROP DATABASE elsewhere');
value(q{SET dynamo.track_keys = 'all'; BEGIN; SELECT dynamo.create_table('t' || i, 'pk'),
	dynamo.get_item('t' || i, '{"pk": {"S": "a"}}') FROM generate_series(1, 3) i; ROLLBACK});
value("SET dynamo.track_keys = 'all'; SELECT get('fourth', 'd')");
is(value('SELECT table_name FROM dynamo.stat_keys'), 'fourth', 'the room of dropped databases and of uncommitted tables is free again');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
value("SELECT get('tab', 'c')");
is(value('SELECT count(*) FROM dynamo.stat_keys'), 0, 'without shared memory there is nothing');
$node->stop;
done_testing();
