# index_ddl.pl: changes of the definition of a distributed table reach all nodes and shards, or
# none: time to live, indexes.  The results are those of a table of one server.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $http_port = PostgreSQL::Test::Cluster::get_free_port();
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => "dynamo.index_changes_interval = 0\n", worker1 => endpoint_settings($http_port, 'shopkeeper'));
my @nodes = ($coordinator, $worker, $other);

# Statements with the name of a table, on two tables with the same content: spread, which is
# distributed over all nodes, and plain.
my @tables = ('"Sp-re.ad"', 'plain');

sub on_both
{
	value_of($coordinator, "SET ROLE shopkeeper; " . join ";", map { sprintf $_[0], s/"//gr } @tables);
	return;
}

sub same_on_both
{
	my ($what, $sql) = @_;
	my @values = map { value_of($_->[0], $sql =~ s/%t/$_->[1]/gr =~ s/%n/$_->[1] =~ s{"}{}gr/ger) }
		(map { [ $_, $tables[0] ] } @nodes), [ $coordinator, $tables[1] ];

	is($values[$_], $values[3], "$what: " . $nodes[$_]->name) for 0 .. $#nodes;
	isnt($values[3], '', "$what: there is something");
	return;
}

value_of($coordinator, sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, $coordinator->host, $coordinator->port);
value_of($coordinator, q{CREATE ROLE shopkeeper LOGIN; CREATE ROLE other LOGIN; GRANT CREATE ON SCHEMA public TO shopkeeper});
on_both(q{SELECT dynamo.create_table('%s', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N')});
value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.distribute_table('Sp-re.ad', shards => 6)});
on_both(q{SELECT dynamo.put_item('%s', jsonb_build_object('PK', 'p' || i %% 23, 'SK', i, 'G', 'g' || i %% 7, 'N', i %% 5, 'ttl', 10 * i,
	'soon', } . time . q{ + CASE WHEN i %% 2 = 0 THEN -60 ELSE 3600 END)) FROM generate_series(1, 200) i});
is(join(' ', map { scalar shards_on($_, '"Sp-re.ad"') } @nodes), '2 2 2', 'shards on all nodes');

# The definition and the columns of a table and its shards, on all nodes.
sub definitions
{
	my ($table) = @_;

	return join "\n", map { value_of($_, qq{SELECT string_agg(DISTINCT concat(encode(t.tgargs, 'escape'), (SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attname)
	FROM pg_attribute WHERE attrelid = t.tgrelid AND attnum > 0 AND NOT attisdropped), (SELECT count(*) FROM pg_index WHERE indrelid = t.tgrelid), t.tgenabled), ' / ')
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname ~ '^~dynamo_derive_keys' AND c.relname ~ '^$table'}) } @nodes;
}

# Nothing of a change is left that was rolled back, or that a node could not do.
sub leaves_nothing
{
	my ($what, $sql) = @_;
	my $before = definitions('Sp-re.ad');

	is(scalar(() = $before =~ /"version"/g), 3, "$what: a definition is the same on all nodes and shards");
	value_of($coordinator, "BEGIN; $sql; ROLLBACK");
	is(definitions('Sp-re.ad'), $before, "$what: nothing is left after ROLLBACK");
	value_of($coordinator, "BEGIN; SELECT dynamo.get_item('Sp-re.ad', '{\"PK\": {\"S\": \"p1\"}, \"SK\": {\"N\": \"1\"}}'); SAVEPOINT a; $sql; ROLLBACK TO a; COMMIT");
	is(definitions('Sp-re.ad'), $before, "$what: nothing is left after ROLLBACK TO SAVEPOINT");
	my ($shard) = shards_on($other, '"Sp-re.ad"');
	my $key = value_of($other, qq{SELECT jsonb_build_object('PK', "PK", 'SK', "SK")::item FROM $shard LIMIT 1});
	my $blocker = start_session($other, "BEGIN; SELECT dynamo.update_item('Sp-re.ad', '$key', 'SET x = SK'); SELECT pg_sleep(60)");
	$other->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'}) or die 'nothing blocks';
	my $ddl = start_session($coordinator, "$sql");
	$coordinator->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ '^SELECT dynamo' AND state = 'active' AND pid <> pg_backend_pid()}) or die 'nothing waits';
	$other->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}) or die 'nothing waits for the shard';
	value_of($other, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'});
	$ddl->{run}->finish;
	value_of($other, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'});
	$blocker->{run}->finish;
	like($ddl->{err}, qr/ERROR/, "$what: a node fails");
	value_of($_, 'SELECT recover_prepared_transactions()') for @nodes;
	is(definitions('Sp-re.ad'), $before, "$what: nothing is left then");
	return;
}

# Sessions on all nodes that put items, and another statement meanwhile, after which they end.  Citus may cancel one of two transactions that wait for each other.
my $odd = '1|unusable key';
my $writes = 5000;
my $directory = PostgreSQL::Test::Utils::tempdir();
my $round = 100_000;
sub under_writers
{
	my ($sql, $attributes, $check) = @_;
	my $r = ++$round;
	my $end = "$directory/end$r";
	my $unless_ended = "\\set ended `test -e $end && echo true || echo false`\n\\if :ended\n\\q\n\\endif\n";
	my @load = map {
		my $name = $_->name;

		start_session($_, join ";\n", map {
			my $of_item = $attributes =~ s/\bi\b/$_/gr;

			($_ % 10 == 0 ? $unless_ended : '') . qq~SELECT 'done $name$_' FROM dynamo.put_item('Sp-re.ad', jsonb_build_object('PK', '$name$_', 'SK', $r, $of_item))~ } 1 .. $writes)
	} @nodes;

	$other->poll_query_until('postgres', qq{SELECT count(*) > 20 FROM "Sp-re.ad" WHERE "SK" = $r});
	my $during = value_of($coordinator, qq{SELECT count(*) FROM "Sp-re.ad" WHERE "SK" = $r});
	for (1 .. 10)
	{
		my ($status, $out, $error) = $coordinator->psql('postgres', "SET client_min_messages = warning; $sql");

		is($out, $odd, 'the index is sound under load') if $sql =~ /verify_index/ && $error eq '';
		last if $error eq '';
		die $error if $error !~ /distributed deadlock/;
	}
	append_to_file($end, '');
	$_->{run}->finish for @load;
	cmp_ok($during, '<', 3 * $writes, 'the writers had more to do');
	my $done = join "\n", map { $_->{out} =~ /^done (.*)$/mg } @load;
	is(value_of($coordinator, qq{SELECT "PK" FROM "Sp-re.ad" WHERE "SK" = $r ORDER BY "PK" COLLATE "C"}), join("\n", sort split /\n/, $done), 'every acknowledged write is there');
	my $errors = join '', map { $_->{err} } @load;
	unlike($errors, qr/ERROR:  (?!.*distributed deadlock)/, 'writers fail by a deadlock only');
	$check->() if defined $check;
	value_of($coordinator, qq{DELETE FROM "Sp-re.ad" WHERE "SK" = $r});
	return;
}

# ---- deadlocks ----

# A write that began before the change, on another node, waits for it and is waited for.  The only
# node that looks for deadlocks can cancel nothing but the change, which then begins again.
my ($near, $far) = sort { $a->port <=> $b->port } $worker, $other;
for ($worker, $other)
{
	$_->append_conf('postgresql.conf', 'citus.distributed_deadlock_detection_factor = -1');
	$_->reload;
}
sub survives_deadlock
{
	my ($sql) = @_;
	my ($first, $second) = map {
		my ($shard) = shards_on($_, '"Sp-re.ad"');

		sprintf q{dynamo.update_item('Sp-re.ad', '%s', 'REMOVE x')}, value_of($_, qq{SELECT jsonb_build_object('PK', "PK", 'SK', "SK")::item FROM $shard LIMIT 1});
	} $far, $near;
	my $write = start_session($far, "BEGIN; SELECT count($first); SELECT pg_sleep(2); SELECT count($second); COMMIT");

	$far->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'}) or die 'nothing is written';
	value_of($coordinator, $sql);
	$write->{run}->finish;
	is($write->{err}, '', "a write that waits for a change: $sql");
	return;
}
survives_deadlock(q{SELECT dynamo.create_index('Sp-re.ad', 'locked', 'L', 'SK')});
survives_deadlock(q{SELECT dynamo.drop_index('Sp-re.ad', 'locked')});
survives_deadlock(q{SELECT dynamo.create_index('Sp-re.ad', 'locked', 'L', 'SK', storage => 'table')});
survives_deadlock(q{SELECT * FROM dynamo.verify_index('Sp-re.ad', 'locked')});
value_of($coordinator, q{SELECT dynamo.drop_index('Sp-re.ad', 'locked')});
for ($worker, $other)
{
	$_->append_conf('postgresql.conf', 'citus.distributed_deadlock_detection_factor = 2');
	$_->reload;
}

# ---- time to live ----

my $enable = q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', true)};
leaves_nothing('time to live', $enable);
refuses($coordinator, "SET ROLE other; $enable", 'must be owner of table Sp-re.ad');
refuses($worker, $enable, 'cannot change distributed table "Sp-re.ad" on a worker node of Citus');
on_both(q{SELECT dynamo.update_time_to_live('%s', 'ttl', true)});
same_on_both('times of expiry', 'SELECT count(dynamo_expires_at), sum(dynamo_expires_at), max(dynamo_expires_at) FROM %t');
refuses($coordinator, $enable, 'TimeToLive is active on a different AttributeName');
on_both(q{SELECT dynamo.update_time_to_live('%s', 'ttl', false)});
under_writers($enable, q{'soon', 1});
is(value_of($coordinator, q{SELECT count(*) FROM "Sp-re.ad" WHERE dynamo_expires_at IS DISTINCT FROM (item ->> 'soon')::int8}), 0, 'each item has its time, also those that were written meanwhile');
value_of($coordinator, q{SELECT dynamo.update_time_to_live('plain', 'soon', true)});
on_both(q{SELECT dynamo.put_item('%s', jsonb_build_object('PK', 'late', 'SK', 1, 'soon', 5))});
same_on_both('later times of expiry', q{SELECT count(*), count(*) FILTER (WHERE "PK" = 'late' AND dynamo_expires_at = 5) FROM %t WHERE dynamo_expires_at IS NOT NULL});
is(value_of($worker, q{SELECT dynamo.delete_expired('Sp-re.ad')}), value_of($coordinator, q{SELECT dynamo.delete_expired('plain')}), 'as many have expired');
same_on_both('what has not expired', 'SELECT item FROM %t ORDER BY "PK", "SK"');
move_shard($coordinator, '"Sp-re.ad"', $worker, $other, 'block_writes');
on_both(q{SELECT dynamo.put_item('%s', jsonb_build_object('PK', 'p' || i, 'SK', 0, 'soon', 5 * i)) FROM generate_series(1, 40) i});
same_on_both('after a move', 'SELECT count(*), sum(dynamo_expires_at) FROM %t');
leaves_nothing('no time to live', q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', false)});
under_writers(q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', false)}, q{'soon', 1});
value_of($coordinator, q{SELECT dynamo.update_time_to_live('plain', 'soon', false)});
same_on_both('without time to live', 'SELECT item FROM %t ORDER BY "PK", "SK"');

# ---- inline indexes ----

on_both(q{SELECT dynamo.put_item('%s', '{"PK": {"S": "odd"}, "SK": {"N": "1"}, "G": {"N": "7"}, "N": {"S": "x"}}')});
leaves_nothing('inline index', q{SELECT dynamo.create_index('Sp-re.ad', 'inl', 'G', 'N', sort_key_type => 'N')});
my $create = q{SELECT dynamo.create_index('%s', 'inl', 'G', 'N', sort_key_type => 'N')};
refuses($coordinator, 'SET ROLE other; ' . sprintf($create, 'Sp-re.ad'), 'must be owner of table Sp-re.ad');
refuses($worker, sprintf($create, 'Sp-re.ad'), 'cannot change distributed table "Sp-re.ad" on a worker node of Citus');
my ($status, $out, $notice) = $coordinator->psql('postgres', 'BEGIN; ' . sprintf($create, 'Sp-re.ad') . '; ROLLBACK');
like($notice, qr/index "inl" leaves out 1 item with unusable key attributes/, 'what the index leaves out is counted on the shards');
on_both($create);
my $query = q{SELECT item FROM generate_series(0, 6) g, dynamo.query('%n', 'G = :g AND N > :n', jsonb_build_object(':g', 'g' || g, ':n', 1)::item, index_name => '%i') item ORDER BY item->>'PK', item->>'SK'};
my $entries = q{SELECT item FROM dynamo.scan('%n', index_name => '%i') item ORDER BY item->>'PK', item->>'SK'};

sub same_index
{
	my ($what, $index) = @_;

	same_on_both("$what, query", $query =~ s/%i/$index/r) if $index ne 'number';
	same_on_both("$what, scan", $entries =~ s/%i/$index/r);
	return;
}

# An index has exactly what is in the table.
sub check_index
{
	my ($what, $index, $condition) = @_;
	my @columns = qw(PK SK G N);
	my $shown = join q{, }, map { "item ->> '$_'" } @columns;
	my $sum = "SELECT count(*), sum(hashtext(concat_ws(',', $shown))::int8)";

	1 while value_of($coordinator, q{SELECT CASE WHEN EXISTS (SELECT FROM pg_class WHERE relname = 'Sp-re.ad$changes') THEN dynamo.apply_index_changes('Sp-re.ad') ELSE 0 END}) > 0;
	is(value_of($other, "$sum FROM dynamo.scan('Sp-re.ad', index_name => '$index') item"),
		value_of($coordinator, qq{$sum FROM "Sp-re.ad" WHERE $condition}), "$what: the index has the same as the table");
	return;
}

my $has_both = q{item ? 'G' AND item ? 'N' AND "PK" <> 'odd'};
same_index('inline index', 'inl');
is(value_of($worker, q{SELECT problem, key FROM dynamo.verify_index('Sp-re.ad', 'inl')}), 'unusable key|{"PK": {"S": "odd"}, "SK": {"N": "1"}}', 'a sound index');
on_both(q{SELECT dynamo.drop_index('%s', 'inl')});
is(scalar(() = definitions('Sp-re.ad') =~ /\bG text|\bN numeric/g), 0, 'the columns of a dropped index are gone on all nodes');
under_writers(sprintf($create, 'Sp-re.ad'), q{'G', 'g' || i % 7, 'N', i});
value_of($coordinator, sprintf $create, 'plain');
same_index('created under load', 'inl');
is(value_of($worker, q{SELECT count(*) FROM dynamo.verify_index('Sp-re.ad', 'inl')}), 1, 'sound, too');

# ---- index tables ----

my %created = (
	glo => q{SELECT dynamo.create_index('%s', 'glo', 'G', 'N', sort_key_type => 'N', storage => 'table')},
	number => q{SELECT dynamo.create_index('%s', 'number', 'N', partition_key_type => 'N', projection => 'KEYS_ONLY', storage => 'table')});
leaves_nothing('index table', sprintf $created{glo}, 'Sp-re.ad');
is(value_of($_, q{SELECT count(*) FROM pg_class WHERE relname ~ 'Sp-re.ad[$](glo|changes)'}), 0, $_->name . ': no index table is left') for @nodes;
on_both($created{glo});
same_index('index table', 'glo');
is(value_of($coordinator, q{SELECT count(*) FROM "Sp-re.ad$changes"}), 0, 'it is filled at once');
is(value_of($coordinator, q{SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE logicalrelid IN ('"Sp-re.ad"'::regclass, '"Sp-re.ad$changes"'::regclass)}), 1, 'changes are beside the items');
is(value_of($_, q{SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables WHERE tablename ~ 'Sp-re.ad[$](changes|glo)'}), 'shopkeeper', $_->name . ': index tables belong to the owner') for @nodes;

# Changes that were recorded before the next index exists must not leave entries of old states in it.
value_of($_, q{SELECT dynamo.update_item('Sp-re.ad', jsonb_build_object('PK', 'p' || i % 23, 'SK', i)::item, 'SET N = :n', NULL, jsonb_build_object(':n', 100 + i % 3)::item) FROM generate_series(1, 49, 2) i;
	SELECT dynamo.update_item('Sp-re.ad', jsonb_build_object('PK', 'p' || i % 23, 'SK', i)::item, 'SET N = :n', NULL, jsonb_build_object(':n', 200 + i % 3)::item) FROM generate_series(1, 49, 2) i}) for $worker, $other;
cmp_ok(value_of($coordinator, q{SELECT count(*) FROM "Sp-re.ad$changes"}), '>', 10, 'changes are pending');
value_of($coordinator, sprintf $created{number}, 'Sp-re.ad');
is(value_of($coordinator, q{SELECT count(*) FROM "Sp-re.ad$changes"}), 0, 'they are applied first');
check_index('after changes', 'glo', $has_both);
is(value_of($other, q{SELECT item ->> 'PK', item ->> 'SK', item ->> 'N' FROM dynamo.scan('Sp-re.ad', index_name => 'number') item ORDER BY 1, 2}),
	value_of($coordinator, q{SELECT "PK", item ->> 'SK', item ->> 'N' FROM "Sp-re.ad" WHERE item ? 'N' AND "PK" <> 'odd' ORDER BY 1, 2}), 'another index table');
value_of($coordinator, q{SELECT dynamo.drop_index('Sp-re.ad', 'glo')});
is(value_of($coordinator, q{SELECT count(*) FROM pg_class WHERE relname ~ '^Sp-re.ad[$](glo|changes)$'}), 1, 'an index table is dropped, the changes stay for the other one');

# Items and entries are compared, whether their changes were applied or not, and while others write.
my $problems = q{SELECT count(*), min(problem) FROM dynamo.verify_index('Sp-re.ad', '%s')};
value_of($other, q{SELECT dynamo.put_item('Sp-re.ad', jsonb_build_object('PK', 'v' || i, 'SK', i, 'G', 'v', 'N', i)) FROM generate_series(1, 30) i});
is(value_of($coordinator, sprintf $problems, 'number'), $odd, 'an index table is sound');
under_writers(sprintf($problems, 'number'), q{'G', 'g' || i % 5, 'N', i}, sub { is(value_of($coordinator, sprintf $problems, 'number'), $odd, 'and after the writers') });
refuses($other, sprintf($problems, 'number'), 'index tables of distributed table "Sp-re.ad" are verified on the Citus coordinator');

# A writer that changes what the index has, while it is created and dropped.
for my $how ('created', 'dropped')
{
	under_writers($how eq 'created' ? sprintf($created{glo}, 'Sp-re.ad') : q{SELECT dynamo.drop_index('Sp-re.ad', 'number')}, q{'G', 'g' || i % 5, 'N', i}, sub { check_index("$how under load", 'glo', $has_both) });
}
check_index('without the writers', 'glo', $has_both);

# More changes of an item than are applied at once, of an attribute that had no column: each but the
# last one would leave an entry in the new index if they were applied to it.
value_of($worker, q{DO $$ BEGIN FOR i IN 1 .. 10500 LOOP
	PERFORM dynamo.update_item('Sp-re.ad', '{"PK": {"S": "hot"}, "SK": {"N": "1"}}', 'SET G = :g, N = :n, H = :h', NULL, jsonb_build_object(':g', 'hot', ':n', i, ':h', 'h' || i)::item);
	IF i % 100 = 0 THEN
		COMMIT;
	END IF;
END LOOP; END $$});
value_of($coordinator, q{SELECT dynamo.create_index('Sp-re.ad', 'hot', 'H', storage => 'table')});
is(value_of($other, q{SELECT item ->> 'H' FROM dynamo.scan('Sp-re.ad', index_name => 'hot') item}), 'h10500', 'an item with many changes has one entry');
value_of($coordinator, q{SELECT dynamo.drop_index('Sp-re.ad', 'hot'); SELECT dynamo.delete_item('Sp-re.ad', '{"PK": {"S": "hot"}, "SK": {"N": "1"}}')});
value_of($coordinator, q{CALL dynamo.create_index_and_wait('Sp-re.ad', 'waited', 'H', storage => 'table'); SELECT dynamo.drop_index('Sp-re.ad', 'waited')});

# ---- requests ----

my $update = '{"TableName": "Sp-re.ad", "AttributeDefinitions": [{"AttributeName": "H", "AttributeType": "S"}],
	"GlobalSecondaryIndexUpdates": [{"%s": {"IndexName": "requested"%s}}]}';
my $more = ', "KeySchema": [{"AttributeName": "H", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}';
like(value_of($coordinator, sprintf q{SELECT dynamo.request('UpdateTable', '%s')}, sprintf $update, 'Create', $more), qr/"IndexName":"requested"/, 'UpdateTable creates an index');
value_of($worker, q{SELECT dynamo.put_item('Sp-re.ad', '{"PK": {"S": "r"}, "SK": {"N": "1"}, "H": {"S": "h"}}')});
check_index('requested', 'requested', q{item ? 'H'});
is(value_of($other, q{SELECT item ->> 'PK' FROM dynamo.query('Sp-re.ad', 'H = :h', '{":h": {"S": "h"}}', index_name => 'requested') item}), 'r', 'which has new items');
value_of($coordinator, sprintf q{SELECT dynamo.request('UpdateTable', '%s')}, sprintf $update, 'Delete', '');
refuses($other, q{SELECT dynamo.scan('Sp-re.ad', index_name => 'requested')}, 'The table does not have the specified index');
value_of($coordinator, q{SELECT dynamo.delete_item('Sp-re.ad', '{"PK": {"S": "r"}, "SK": {"N": "1"}}')});

# A worker hands such requests to the coordinator.
sub request_to_worker
{
	my ($operation, $body) = @_;
	my $answer = exchange(connect_http($http_port), "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n" .
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: " . length($body) . "\r\n\r\n$body");

	return $answer->{body};
}

like(request_to_worker(UpdateTable => sprintf $update, 'Create', $more), qr/"IndexName":"requested"/, 'UpdateTable on a worker creates an index');
value_of($other, q{SELECT dynamo.put_item('Sp-re.ad', '{"PK": {"S": "r"}, "SK": {"N": "1"}, "H": {"S": "h"}}')});
check_index('requested on a worker', 'requested', q{item ? 'H'});
like(request_to_worker(UpdateTable => sprintf $update, 'Delete', ''), qr/"TableName":"Sp-re.ad"/, 'and drops it');
refuses($other, q{SELECT dynamo.scan('Sp-re.ad', index_name => 'requested')}, 'The table does not have the specified index');
like(request_to_worker(UpdateTimeToLive => '{"TableName": "Sp-re.ad", "TimeToLiveSpecification": {"AttributeName": "soon", "Enabled": true}}'), qr/"Enabled":true/, 'UpdateTimeToLive on a worker');
is(scalar(() = definitions('Sp-re.ad') =~ /"time_to_live": "soon"/g), 3, 'reaches all nodes and shards');
value_of($coordinator, q{SELECT dynamo.update_time_to_live('Sp-re.ad', 'soon', false)});
value_of($coordinator, q{SELECT dynamo.delete_item('Sp-re.ad', '{"PK": {"S": "r"}, "SK": {"N": "1"}}')});

# ---- moves ----

move_shard($coordinator, '"Sp-re.ad"', $other, $worker, 'block_writes');
move_shard($coordinator, '"Sp-re.ad$glo"', $other, $worker, 'block_writes');
value_of($other, q{SELECT dynamo.put_item('Sp-re.ad', jsonb_build_object('PK', 'm' || i, 'SK', i, 'G', 'g1', 'N', i)) FROM generate_series(1, 60) i});
check_index('after moves', $_, $has_both) for qw(inl glo);

# ---- repair ----

# Damages a relation on a node, as only a superuser can.
sub damage
{
	my ($node, $shard, $sql) = @_;
	my $trigger = value_of($node, qq{SELECT string_agg(format('ALTER TABLE %s %%s TRIGGER %I', tgrelid::regclass, tgname), '; ') FROM pg_trigger WHERE tgrelid = '$shard'::regclass AND tgtype & 1 = 1 AND tgname ~ 'derive_keys|guard_index'});

	value_of($node, qq{SET citus.enable_manual_changes_to_shards = on;
ALTER EVENT TRIGGER dynamo_ddl_command_start DISABLE; ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
${\ ($trigger =~ s/%s/DISABLE/gr)}; $sql; ${\ ($trigger =~ s/%s/ENABLE ALWAYS/gr)};
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS; ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS});
	return;
}

for my $node (@nodes)
{
	my ($shard) = shards_on($node, '"Sp-re.ad"');

	damage($node, $shard, qq{UPDATE $shard SET "G" = 'wrong' WHERE "G" IS NOT NULL});
}
cmp_ok(value_of($worker, q{SELECT count(*) FROM dynamo.verify_index('Sp-re.ad', 'inl')}), '>', 3, 'damage on three nodes');
cmp_ok(value_of($coordinator, q{SELECT count(*) FROM dynamo.verify_index('Sp-re.ad', 'glo') WHERE problem = 'stale column'}), '>', 3, 'columns that are wrong');
value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.reindex('Sp-re.ad', 'inl'); SELECT dynamo.reindex('Sp-re.ad', 'glo')});
is(value_of($worker, q{SELECT count(*) FROM dynamo.verify_index('Sp-re.ad', 'inl')}), 1, 'is repaired');
check_index('repaired', $_, $has_both) for qw(inl glo);
is(value_of($coordinator, sprintf $problems, 'glo'), $odd, 'as is the index table');
refuses($worker, q{SELECT dynamo.reindex('Sp-re.ad', 'inl')}, 'cannot change distributed table');

# The node and the name of a shard of the index table that has entries.
my ($place) = map { my $node = $_; map { [ $node, $_ ] } grep { value_of($node, "SELECT count(*) FROM $_") > 2 } shards_on($node, '"Sp-re.ad$glo"') } @nodes;
my ($holder, $shard) = @$place;
damage($holder, $shard, qq{UPDATE $shard SET item = dynamo.set_attribute(item, 'ttl', dynamo.to_value(-1)) WHERE "SK" = (SELECT min("SK") FROM $shard);
INSERT INTO $shard SELECT "G", "N", 'none', "SK", item FROM $shard LIMIT 1});
is(value_of($coordinator, q{SELECT problem, count(*) FROM dynamo.verify_index('Sp-re.ad', 'glo') WHERE problem <> 'unusable key' GROUP BY 1 ORDER BY 1}), "stale entry|1\nsurplus entry|1", 'entries that are wrong');
is(value_of($coordinator, q{SELECT key ->> 'PK' FROM dynamo.verify_index('Sp-re.ad', 'glo') WHERE problem = 'surplus entry'}), 'none', 'with their keys');
my $lost = value_of($holder, "SELECT count(*) - 1 FROM $shard");
damage($holder, $shard, qq{DELETE FROM $shard});
is(value_of($coordinator, q{SELECT problem, count(*) FROM dynamo.verify_index('Sp-re.ad', 'glo') WHERE problem <> 'unusable key' GROUP BY 1 ORDER BY 1}), "missing entry|$lost", 'entries that are lost');
value_of($coordinator, q{SELECT dynamo.reindex('Sp-re.ad', 'glo')});
is(value_of($coordinator, sprintf $problems, 'glo'), $odd, 'are repaired, too');
leaves_nothing('reindex', q{SELECT dynamo.reindex('Sp-re.ad', 'glo')});
check_index('after a reindex that failed', 'glo', $has_both);
value_of($coordinator, q{SELECT dynamo.change_index('Sp-re.ad', 'inl', projection => 'KEYS_ONLY')});
is(value_of($worker, q{SELECT item ? 'ttl' FROM dynamo.query('Sp-re.ad', 'G = :g', '{":g": {"S": "g1"}}', index_name => 'inl', max_items => 1) item}), 'f', 'the projection of an inline index can be changed');

# ---- what is refused ----

refuses($coordinator, "SELECT $_->[0]", "$_->[1] is not supported on distributed tables") for
	[ q{dynamo.create_index('Sp-re.ad', 'sharded', 'G', storage => 'table', shards => 2)}, 'a sharded index' ],
	[ q{dynamo.create_index('Sp-re.ad', 'loc', 'PK', 'G', local => true, storage => 'table')}, 'a local index in an index table' ],
	[ q{dynamo.create_vector_index('Sp-re.ad', 'vec', 'v', 2)}, 'a vector index' ],
	[ q{dynamo.change_index('Sp-re.ad', 'inl', storage => 'table')}, 'changing an index with a table, or to one,' ],
	[ q{dynamo.change_index('Sp-re.ad', 'glo', projection => 'KEYS_ONLY')}, 'changing an index with a table, or to one,' ];

# ---- hand-made calls ----

for my $node (@nodes)
{
	my ($shard) = map { s/"//gr } shards_on($node, '"Sp-re.ad"');

	refuses($node, qq{SET ROLE $_->[0]; SELECT dynamo_system.change_shard('$shard', $_->[1], '')}, $_->[2])
		for [ 'other', 0, 'must be owner of table' ], [ 'shopkeeper', 0, '.*is not a shard whose definition this transaction has changed' ];
}
refuses($coordinator, q{SET ROLE shopkeeper; BEGIN; LOCK TABLE plain; SELECT dynamo_system.change_shard('plain', 0, '')}, '"plain" is not a shard');

# ---- back on one server ----

value_of($coordinator, q{SET ROLE shopkeeper; SELECT dynamo.undistribute_table('Sp-re.ad')});
is(value_of($coordinator, qq{SELECT * FROM dynamo.verify_index('Sp-re.ad', '$_')}), 'unusable key|{"PK": {"S": "odd"}, "SK": {"N": "1"}}|The index leaves the item out: attribute G has type N, not S.', "$_: the table comes back with its index") for qw(inl glo);

stop_citus_cluster(@nodes);
done_testing();
