# entity_writes.pl: eight sessions write items of entities at random, by every
# door: functions, batches, transactions, PartiQL, requests, HTTP, INSERT, UPDATE,
# MERGE, COPY, imports, entity views, and triggers of a user; a subscriber applies
# them.  The server is killed in between.  Afterwards no key is stale, by the
# extension's own checks and by expressions that do not use its templates.
#
# ENTITY_WRITES is their number, 20,000 if all is to be tried; ENTITY_SEED repeats
# their choices.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IPC::Run qw(start);
use JSON::PP;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $writes = $ENV{ENTITY_WRITES} || 3000;
my $seed = $ENV{ENTITY_SEED} // int(rand(1_000_000));
my $sessions = 8;
my $rounds = 2;					# the server is killed in the first

srand($seed);
note("ENTITY_SEED=$seed");

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('entity_writes', $port, 2,
	"wal_level = logical\ndeadlock_timeout = 100ms\nmax_connections = 40\ndynamo.http_authentication = none\ndynamo.http_role = web\n",
	allows_streaming => 'logical');
my $subscriber = new_dynamo_node('entity_subscriber');

# An inline index, an index table, and a sharded one; entities by a type
# attribute, of which one replaces what is given.
my $definition = q{
SET search_path = public, dynamo;
SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_org", "partition_key": "org_key", "sort_key": "org_sort", "storage": "table"},
	{"index_name": "spread", "partition_key": "GSI2PK", "sort_key": "GSI2SK", "storage": "table", "shards": 3}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"customer_id": "text", "orders": "int"}', type_attribute => '_et', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}",
		"GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}", "org_key": "ORG#{org:lower}", "org_sort": "{order_id:06:desc}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "org": "text", "open": "boolean",
	  "status": {"type": "text", "default": "OPEN"}, "version": {"constant": 1}}',
	type_attribute => '_et', index_conditions => '{"by_org": "attribute_exists(#o)"}', expression_attribute_names => '{"#o": "open"}',
	view_name => 'orders');
SELECT create_entity('shop', 'ticket', '{"PK": "TICKET#{order_id:06}", "SK": "{customer_id:upper}", "GSI2PK": "ALL", "GSI2SK": "{status}#{placed_at:date}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": {"type": "text", "default": "NEW"}}',
	type_attribute => '_et', on_mismatch => 'replace', view_name => 'tickets', check_types => true);
};

$node->safe_psql('postgres', $definition . q{
-- triggers of a user, one of which changes what keys are composed of, and one writes another item
CREATE FUNCTION flip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.item ->> 'note' = 'flip' THEN
		NEW.item := apply_update(NEW.item, 'SET #s = :s REMOVE note', '{":s": {"S": "FLIPPED"}}', '{"#s": "status"}');
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER flip BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION flip();
CREATE FUNCTION count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM update_item('shop', entity_key('shop', 'customer', jsonb_build_object('customer_id', NEW.item ->> 'customer_id')),
		'ADD orders :one SET #t = if_not_exists(#t, :t)', expression_attribute_values => '{":one": {"N": "1"}, ":t": {"S": "customer"}}',
		expression_attribute_names => '{"#t": "_et"}');
	RETURN NULL;
END $$;
CREATE TRIGGER count_orders AFTER INSERT ON shop FOR EACH ROW WHEN (NEW.item ->> 'note' = 'count') EXECUTE FUNCTION count_orders();
-- the server and sessions come back to these
ALTER FUNCTION flip() SET search_path = public, dynamo;
ALTER FUNCTION count_orders() SET search_path = public, dynamo;
ALTER DATABASE postgres SET search_path = public, dynamo;
CREATE ROLE web LOGIN;
GRANT SELECT, INSERT, UPDATE, DELETE ON shop TO web;
ALTER ROLE web SET search_path = public, dynamo;
CREATE PUBLICATION writes FOR TABLE shop});
$subscriber->safe_psql('postgres', $definition);
$subscriber->safe_psql('postgres', sprintf(
	q{CREATE SUBSCRIPTION writes CONNECTION '%s' PUBLICATION writes}, $node->connstr . ' dbname=postgres'));

# ---- random writes ----

sub any { return $_[ int(rand(@_)) ] }
sub json { return encode_json($_[0]) }
sub literal { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

# Attributes of a random item, plain; keys now and then, right or wrong.
sub attributes
{
	my %item = (
		_et => any('order', 'order', 'ticket'), customer_id => any('c1' .. 'c5'), order_id => 1 + int(rand(30)),
		placed_at => sprintf('2026-%02d-%02dT%02d:00:00.5%s', 1 + int(rand(12)), 1 + int(rand(28)), int(rand(24)), any('Z', '+02:00', '-05:30')));

	$item{org} = any('Acme', 'Initech', 'ACME') if rand() < 0.5;
	$item{open} = JSON::PP::true if rand() < 0.5;
	$item{status} = any('OPEN', 'PAID', 'SENT') if rand() < 0.7;
	$item{note} = any('flip', 'count', 'x') if rand() < 0.3;
	$item{PK} = "CUSTOMER#$item{customer_id}" if $item{_et} eq 'order' && rand() < 0.2;
	$item{GSI1PK} = any('STATUS#OPEN', 'STATUS#PAID') if rand() < 0.05;
	return \%item;
}

sub typed
{
	my ($plain) = @_;
	my %item;

	$item{$_} = ref $plain->{$_} ? { BOOL => $plain->{$_} } : $plain->{$_} =~ /^\d+$/ ? { N => "$plain->{$_}" } : { S => $plain->{$_} } for keys %$plain;
	return \%item;
}

sub key_of
{
	my ($item) = @_;

	return $item->{_et} eq 'order'
		? { PK => "CUSTOMER#$item->{customer_id}", SK => sprintf('ORDER#%06d', $item->{order_id}) }
		: { PK => sprintf('TICKET#%06d', $item->{order_id}), SK => uc $item->{customer_id} };
}

# A change of parts of index keys, as an update expression with its values.
sub change
{
	return any(
		[ 'SET #s = :v', { ':v' => any('OPEN', 'PAID', 'SENT') } ], [ 'REMOVE #s', undef ],
		[ 'SET placed_at = :v', { ':v' => any('2026-02-03', '2027-01-01T00:00:00+09:00') } ], [ 'REMOVE #o', undef ],
		[ 'SET org = :v', { ':v' => any('Umbrella', 'ACME') } ], [ 'SET note = :v', { ':v' => any('flip', 'y') } ],
		[ 'SET order_id = :v', { ':v' => '7' } ]);
}

sub names_in
{
	my ($expression) = @_;
	my %names = ('#s' => 'status', '#o' => 'open');

	delete $names{$_} for grep { $expression !~ /\Q$_\E/ } keys %names;
	return %names ? \%names : undef;
}

# DynamoDB's request of a random write.
sub request
{
	my $item = attributes();
	my $key = typed(key_of($item));
	my ($expression, $values) = @{ change() };
	my %update = (TableName => 'shop', Key => $key, UpdateExpression => $expression);
	my $names = names_in($expression);

	$update{ExpressionAttributeNames} = $names if $names;
	$update{ExpressionAttributeValues} = typed($values) if $values;
	my @requests = (
		[ 'PutItem', { TableName => 'shop', Item => typed($item) } ], [ 'UpdateItem', \%update ],
		[ 'DeleteItem', { TableName => 'shop', Key => $key } ],
		[ 'BatchWriteItem', { RequestItems => { shop => [ { PutRequest => { Item => typed($item) } } ] } } ],
		[ 'TransactWriteItems', { TransactItems => [ { Put => { TableName => 'shop', Item => typed(attributes()) } }, { Update => \%update } ] } ],
		[ 'ExecuteStatement', { Statement => sprintf(q{UPDATE shop SET status = '%s' WHERE PK = '%s' AND SK = '%s'}, any('PQL', 'OPEN'), $key->{PK}{S}, $key->{SK}{S}) } ],
		[ 'ExecuteStatement', { Statement => sprintf(q{INSERT INTO shop VALUE {'_et': 'order', 'customer_id': '%s', 'order_id': %d, 'placed_at': '2026-02-01'}}, $item->{customer_id}, $item->{order_id}) } ]);
	return any(@requests);
}

# One write in SQL, which may be several statements.
sub statement
{
	my $item = attributes();
	my $text = literal(json(typed($item)));
	my $key = key_of($item);
	my $where = qq{"PK" = '$key->{PK}' AND "SK" = '$key->{SK}'};
	my ($expression, $values) = @{ change() };
	my $view = "$item->{_et}s";
	my ($typed, $names) = ($values && typed($values), names_in($expression));
	my $set = 'apply_update(%s, ' . join(', ', literal($expression), map { $_ ? literal(json($_)) : 'NULL' } $typed, $names) . ')';
	my $request = request();

	return any(
		"SELECT put_item('shop', $text)",
		"SELECT batch_write_item('shop', ARRAY[$text, " . literal(json(typed(attributes()))) . "]::item[])",
		"SELECT request('$request->[0]', " . literal(json($request->[1])) . ')',
		"SELECT request('$request->[0]', " . literal(json($request->[1])) . ')',
		"INSERT INTO shop (item) VALUES ($text)",
		qq{INSERT INTO shop (item) VALUES ($text) ON CONFLICT ("PK", "SK") DO UPDATE SET item = } . sprintf($set, 'shop.item'),
		"UPDATE shop SET item = " . sprintf($set, 'item') . " WHERE $where",
		"UPDATE shop SET item = set_attribute(item, 'order_id', to_value(" . (1 + int(rand(30))) . ")) WHERE $where",
		"MERGE INTO shop USING (VALUES ($text\::item)) v(item) ON shop.$where WHEN MATCHED THEN UPDATE SET item = " . sprintf($set, 'shop.item') .
			" WHEN NOT MATCHED THEN INSERT (item) VALUES (v.item)",
		"COPY shop (item) FROM stdin WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02');\n" . json(typed($item)) . "\n\\.\n",
		"SELECT import_lines('shop', ARRAY[" . literal(json({ Item => typed($item) })) . "])",
		"INSERT INTO $view (customer_id, order_id, placed_at) VALUES ('$item->{customer_id}', $item->{order_id}, '$item->{placed_at}')",
		"UPDATE $view SET status = '" . any('VIEW', 'OPEN') . "' WHERE customer_id = '$item->{customer_id}' AND order_id = $item->{order_id}",
		"UPDATE $view SET order_id = " . (1 + int(rand(30))) . " WHERE customer_id = '$item->{customer_id}' AND order_id = $item->{order_id}",
		"DELETE FROM $view WHERE customer_id = '$item->{customer_id}' AND order_id = $item->{order_id}");
}

# ---- sessions ----

my $tmp = PostgreSQL::Test::Utils::tempdir();

sub start_psql
{
	my ($n, $count) = @_;
	my $script = "$tmp/writes$n.sql";
	my %session = (out => '', err => '');

	open(my $file, '>', $script) or die "cannot write $script: $!";
	for my $i (1 .. $count)
	{
		print $file 'SET dynamo.direct_access = ' . any('on', 'off') . ";\n" if $i % 20 == 1;
		print $file "SET TimeZone = '" . any('UTC', 'Asia/Tokyo', 'America/New_York') . "';\n" if $i % 20 == 1;
		my $write = statement();
		print $file $write, $write =~ /\n\z/ ? '' : ";\n";
		print $file "\\echo done $i\n" if $i % 10 == 0;
	}
	close($file);
	$session{run} = start([ 'psql', '-X', '-q', '-At', '-d', $node->connstr('postgres'), '-f', $script ],
		'<', '/dev/null', '>', \$session{out}, '2>', \$session{err});
	return \%session;
}

# The statuses of the answers, in a file.
sub start_http
{
	my ($count) = @_;
	my $pid = fork() // die "cannot fork: $!";

	return { pid => $pid } if $pid != 0;
	open(my $file, '>', "$tmp/http") or POSIX::_exit(1);
	$file->autoflush(1);
	my $socket = connect_http($port);
	for (1 .. $count)
	{
		my $request = request();
		my $answer = $socket && exchange($socket, signed_request($request->[0], json($request->[1])));

		last if !$answer;
		print $file "$answer->{status} $answer->{body}\n";
		$file->flush;
	}
	close($file);
	POSIX::_exit(0);
}

# What may go wrong: keys that are taken, concurrent writes, what entities refuse.
my $expected = qr/duplicate\ key|could\ not\ serialize|deadlock\ detected|Key\ attribute|Cannot\ update\ attribute|is\ not\ what\ entity
	|Transaction\ cancelled|The\ conditional\ request\ failed|Duplicate\ primary\ key|import_lines|line\ 1|transaction\ conflict|TransactionConflict
	|multiple\ operations\ on\ one\ item|contains\ duplicates/x;

for my $round (1 .. $rounds)
{
	my $count = int($writes / $sessions / ($round == 1 ? 2 : 1));
	my $http = start_http($count);

	# the crash follows soon
	wait_until(sub { -s "$tmp/http" });
	my @psql = map { start_psql($_, $count) } 1 .. $sessions - 1;

	if ($round == 1)
	{
		my $half = 10 * int($count / 20) || 10;
		my $until = time + 300;
		while (time < $until && grep { $_->{out} !~ /^done $half$/m } @psql[ 0 .. 2 ])
		{
			$_->{run}->pump_nb for @psql;
			sleep(0.02);
		}
		crash_node($node);
	}
	$_->{run}->finish for @psql;
	waitpid($http->{pid}, 0);
	$node->start if $round == 1;

	my $said = join('', map { $_->{err} } @psql);
	my @unexpected = grep { /ERROR:/ && !/$expected/ } split /\n/, $said;
	is(join("\n", @unexpected[ 0 .. ($#unexpected < 4 ? $#unexpected : 4) ]), '', "round $round: no error but those of taken keys and refused writes");
	my $answers = -s "$tmp/http" ? slurp_file("$tmp/http") : '';
	ok($answers =~ /^200 /m, "round $round: HTTP wrote");
	unlike($answers, qr/^5\d\d /m, "round $round: and failed never");
	check_copy($node, "round $round");
}

# ---- what must hold ----

sub check_copy
{
	my ($copy, $what) = @_;

	for my $entity ('customer', 'order', 'ticket')
	{
		cmp_ok($copy->safe_psql('postgres', "SELECT count(*) FROM ${entity}s"), '>', 0, "$what: there are items of $entity");
		is($copy->safe_psql('postgres', "SELECT * FROM dynamo.check_entity('shop', '$entity')"), '', "$what: check_entity of $entity");
	}
	# an update of a key that is not there makes an item with the type, but not with the parts of its key
	is($copy->safe_psql('postgres', q{SELECT count(*) FROM shop WHERE dynamo.kind_of('shop', item) IS DISTINCT FROM item OPERATOR(dynamo.->>) '_et'}), '0',
		"$what: all items with a type are of its entity");
	for my $index ('by_status', 'by_org', 'spread')
	{
		is($copy->safe_psql('postgres', "SELECT * FROM dynamo.verify_index('shop', '$index')"), '', "$what: verify_index of $index");
	}
	# the keys once more, without the templates
	is( $copy->safe_psql('postgres', q{
SET search_path = public, dynamo; SET TimeZone = 'UTC';
WITH o AS (SELECT *, item ->> 'customer_id' AS c, (item ->> 'order_id')::int AS n, item ->> 'status' AS s, (item ->> 'placed_at') AS at FROM shop),
	t AS (SELECT *, (CASE WHEN at !~ 'Z$|[+-]\d\d:\d\d$' THEN at || 'Z' ELSE at END)::timestamptz AS instant FROM o)
SELECT "PK", "SK", item FROM t WHERE
	CASE item ->> '_et'
	WHEN 'order' THEN c IS NOT NULL AND ("PK", "SK", "GSI1PK", "GSI1SK", org_key, org_sort) IS DISTINCT FROM ('CUSTOMER#' || c, 'ORDER#' || lpad(n::text, 6, '0'),
		'STATUS#' || s, to_char(instant, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
		CASE WHEN item ? 'open' THEN 'ORG#' || lower(item ->> 'org') END, CASE WHEN item ? 'open' THEN lpad((999999 - n)::text, 6, '0') END)
		OR item ->> 'version' <> '1'
	WHEN 'ticket' THEN ("PK", "SK", "GSI2PK", "GSI2SK") IS DISTINCT FROM
		('TICKET#' || lpad(n::text, 6, '0'), upper(c), 'ALL', s || '#' || to_char(instant, 'YYYY-MM-DD'))
	WHEN 'customer' THEN ("PK", "SK") IS DISTINCT FROM ('CUSTOMER#' || c, 'METADATA') AND c IS NOT NULL
	END}), '', "$what: keys by expressions of SQL");
}

$subscriber->wait_for_subscription_sync($node, 'writes');
$node->wait_for_catchup('writes');
is(items_of($subscriber, 'postgres', 'shop'), items_of($node, 'postgres', 'shop'), 'the subscriber has the same items and keys');
check_copy($subscriber, 'subscriber');

$subscriber->stop;
$node->stop;
done_testing();
