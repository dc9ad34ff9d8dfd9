# transactions.pl: random transactions on a distributed table, from every node in turn, do what they do on
# one server: each statement returns the same, and afterwards items, entries of indexes and
# records of the stream are the same.  SEED and CASES, the number of transactions, may be given.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{SEED} // 1;
my $cases = $ENV{CASES} // 100;

srand($seed);

my @nodes = new_citus_cluster();
my $coordinator = $nodes[0];
my $alone = PostgreSQL::Test::Cluster->new('alone');

$alone->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$alone->append_conf('postgresql.conf', "fsync = off\njit = off\nmax_prepared_transactions = 10\n");
$alone->start;
$alone->safe_psql('postgres', 'CREATE EXTENSION dynamo');

my $definition = q{SELECT dynamo.create_table('t', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('t', 'inside', 'G', 'n:N', storage => 'inline');
SELECT dynamo.create_index('t', 'beside', 'H', 'SK', storage => 'table');
SELECT dynamo.enable_stream('t', 'NEW_AND_OLD_IMAGES')};

value_of($_, $definition) for $alone, $coordinator;
# the coordinator has shards, too
value_of($coordinator, sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, $coordinator->host, $coordinator->port);
value_of($coordinator, q{SELECT dynamo.distribute_table('t', shards => 5)});

# ---- sessions ----

sub session_on
{
	my ($node) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query($_) for '\set VERBOSITY sqlstate', 'SET search_path = public, dynamo', 'SET client_min_messages = error';
	return $session;
}

# What a statement returns, or its SQLSTATE.  Rows have no order.
sub result_of
{
	my ($session, $statement) = @_;

	$session->{stderr} = '';
	my $out = $session->query($statement);
	my ($state) = $session->{stderr} =~ /ERROR:  (\w{5})/;

	$session->{stderr} = '';
	return defined $state ? "error $state" : join "\n", sort split /\n/, $out;
}

# ---- statements ----

sub pick
{
	return $_[ int rand @_ ];
}

sub chance
{
	return rand() < $_[0];
}

sub key
{
	return sprintf '{"PK": {"S": "%s"}, "SK": {"S": "%s"}}', pick('a' .. 'f'), pick('a' .. 'c');
}

sub attributes
{
	my @attributes = sprintf '"n": {"N": "%d"}', int rand 5;

	push @attributes, sprintf '"G": {"S": "%s"}', pick('x', 'y') if chance(0.5);
	push @attributes, sprintf '"H": {"S": "%s"}', pick('x', 'y') if chance(0.5);
	push @attributes, sprintf '"long": {"S": "%s"}', pick('l', 'm') x 9000 if chance(0.05);
	push @attributes, '"G": {"N": "1"}' if chance(0.02) && !grep { /^"G"/ } @attributes;
	return join ', ', @attributes;
}

sub item
{
	return key() =~ s/\}$//r . ', ' . attributes() . '}';
}

my @conditions = ('attribute_not_exists(PK)', 'attribute_exists(PK)', 'n < :two', 'attribute_not_exists(G) OR G = :x');
my @updates = ('ADD n :two', 'SET G = :x, n = :two', 'REMOVE G', 'SET H = :x', 'SET H = :y REMOVE n', 'SET PK = :x', 'SET n = n + :two');

# The names and values of placeholders that an expression has.
sub values_of
{
	my ($text) = @_;
	my @used = grep { $text =~ /$_\b/ } ':two', ':x', ':y';
	my %all = (':two' => '{"N": "2"}', ':x' => '{"S": "x"}', ':y' => '{"S": "y"}');

	return @used ? '{' . join(', ', map { qq{"$_": $all{$_}} } @used) . '}' : undef;
}

sub quoted
{
	return defined $_[0] ? "'" . $_[0] =~ s/'/''/gr . "'" : 'NULL';
}

# An action of TransactWriteItems.
sub action
{
	my ($kind) = pick(qw(Put Put Update Update Delete ConditionCheck));
	my %members = (TableName => '"t"');
	my $condition = $kind eq 'ConditionCheck' || chance(0.4) ? pick(@conditions) : undef;
	my $text = $condition // '';

	$members{$kind eq 'Put' ? 'Item' : 'Key'} = $kind eq 'Put' ? item() : key();
	if ($kind eq 'Update')
	{
		my $update = pick(@updates);

		$members{UpdateExpression} = qq{"$update"};
		$text .= " $update";
	}
	$members{ConditionExpression} = qq{"$condition"} if defined $condition;
	$members{ExpressionAttributeValues} = values_of($text) if defined values_of($text);
	return qq({"$kind": {) . join(', ', map { qq{"$_": $members{$_}} } sort keys %members) . '}}';
}

sub write_statement
{
	my $condition = chance(0.4) ? pick(@conditions) : undef;
	my $return = chance(0.3) ? ", return_values => 'ALL_OLD'" : '';
	my $kind = int rand 9;

	return sprintf q{SELECT dynamo.put_item('t', '%s', %s, %s%s)}, item(), quoted($condition), quoted(values_of($condition // '')), $return if $kind < 2;
	if ($kind < 4)
	{
		my $update = pick(@updates);

		return sprintf q{SELECT dynamo.update_item('t', '%s', '%s', %s, %s, return_values => '%s')}, key(), $update, quoted($condition),
			quoted(values_of("$update " . ($condition // ''))), pick(qw(NONE ALL_NEW UPDATED_OLD ALL_OLD));
	}
	return sprintf q{SELECT dynamo.delete_item('t', '%s', %s, %s%s)}, key(), quoted($condition), quoted(values_of($condition // '')), $return if $kind == 4;
	return sprintf q{SELECT dynamo.transact_write_items('[%s]')}, join(', ', map { action() } 1 .. 1 + rand 3) if $kind == 5;
	return sprintf q{SELECT dynamo.request_safe('BatchWriteItem', '{"RequestItems": {"t": [%s]}}')},
		join(', ', map { chance(0.7) ? '{"PutRequest": {"Item": ' . item() . '}}' : '{"DeleteRequest": {"Key": ' . key() . '}}' } 1 .. 1 + rand 4) if $kind == 6;
	return sprintf q{INSERT INTO t ("PK", "SK", item) SELECT k.partition_key, k.sort_key, k.item FROM (VALUES ('%s'::dynamo.item)) v(item), dynamo.keys_of('t', v.item) k%s RETURNING item},
		item(), pick('', ' ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item', ' ON CONFLICT ("PK", "SK") DO NOTHING') if $kind == 7;
	return pick(sprintf(q{UPDATE t SET item = item || '{"n": {"N": "%d"}}' WHERE "PK" = '%s' RETURNING item}, int rand 5, pick('a' .. 'f')),
		sprintf(q{DELETE FROM t WHERE "PK" = '%s' AND "SK" >= '%s'}, pick('a' .. 'f'), pick('a' .. 'c')),
		sprintf(q{UPDATE t SET item = item || '{"H": {"S": "%s"}}' WHERE item ->> 'n' = '%d'}, pick('x', 'y'), int rand 5));
}

# Several writes by one statement: of several calls, of a function that goes on after an error, and of rows.
sub several_writes
{
	my @calls = map { write_statement() =~ s/^SELECT //r } 1 .. 3;

	return several_writes() if grep { !/^dynamo\./ } @calls;
	return pick("SELECT $calls[0], $calls[1]",
		"DO \$\$ BEGIN PERFORM $calls[0]; BEGIN PERFORM $calls[1]; PERFORM $calls[2]; EXCEPTION WHEN OTHERS THEN NULL; END; END \$\$",
		"WITH w AS MATERIALIZED (SELECT $calls[0] AS r) SELECT r FROM w",
		sprintf(q{SELECT dynamo.put_item('t', jsonb_build_object('PK', '%s', 'SK', 's' || i, 'n', i, 'H', 'x')::dynamo.item, return_values => 'ALL_OLD') FROM generate_series(1, 4) i}, pick('a' .. 'f')),
		sprintf(q{SELECT dynamo.request_safe('ExecuteStatement', '{"Statement": "UPDATE \"t\" SET n = %d WHERE PK = ''%s'' AND SK = ''%s''"}')}, int rand 5, pick('a' .. 'f'), pick('a' .. 'c')),
		sprintf(q{SELECT dynamo.request_safe('ExecuteTransaction', '{"TransactStatements": [{"Statement": "DELETE FROM \"t\" WHERE PK = ''%s'' AND SK = ''a''"}, {"Statement": "INSERT INTO \"t\" VALUE {''PK'': ''%s'', ''SK'': ''b'', ''G'': ''x'', ''n'': 1}"}]}')}, pick('a' .. 'f'), pick('a' .. 'f')));
}

sub read_statement
{
	return pick(
		sprintf(q{SELECT dynamo.get_item('t', '%s')}, key()),
		sprintf(q{SELECT dynamo.batch_get_item('t', ARRAY['%s', '%s', '%s']::dynamo.item[])}, key(), key(), key()),
		sprintf(q{SELECT dynamo.query('t', 'PK = :x', '{":x": {"S": "%s"}}', max_items => %s)}, pick('a' .. 'f'), pick('NULL', 2)),
		sprintf(q{SELECT dynamo.query('t', 'PK = :x AND SK > :y', '{":x": {"S": "%s"}, ":y": {"S": "a"}, ":two": {"N": "2"}}', filter_expression => 'n < :two')}, pick('a' .. 'f')),
		sprintf(q{SELECT dynamo.query('t', 'G = :x', '{":x": {"S": "%s"}}', index_name => 'inside')}, pick('x', 'y')),
		q{SELECT dynamo.scan('t')},
		sprintf(q{SELECT item FROM t WHERE "PK" = '%s'}, pick('a' .. 'f')),
		q{SELECT count(*), sum((item ->> 'n')::numeric) FROM t},
		sprintf(q{SELECT dynamo.request_safe('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "t", "Key": %s}}, {"Get": {"TableName": "t", "Key": %s}}]}')}, key(), key()));
}

# ---- transactions ----

my $oracle = session_on($alone);
my @sessions = map { session_on($_) } @nodes;
my $statements = 0;
my $errors = 0;
my @log;

# Executes a statement on both; returns its result, or undef if they differ.
sub both
{
	my ($session, $statement) = @_;
	my $expected = result_of($oracle, $statement);
	my $result = result_of($session, $statement);

	$statements++;
	$errors++ if $expected =~ /^error/;
	push @log, $statement;
	return $expected if $expected eq $result;
	diag("one server: $expected\nhere: $result");
	return undef;
}

# One transaction; false if it went otherwise than on one server.
sub transaction
{
	my ($session) = @_;
	my $savepoints = 0;

	if (chance(0.4))
	{
		return defined both($session, chance(0.7) ? chance(0.8) ? write_statement() : several_writes() : read_statement());
	}
	defined both($session, pick('BEGIN', 'BEGIN', 'BEGIN ISOLATION LEVEL REPEATABLE READ')) or return 0;
	for (1 .. 1 + rand 7)
	{
		my $what = rand;
		my $statement = $what < 0.15 ? 'SAVEPOINT s' . ++$savepoints
			: $what < 0.25 && $savepoints ? 'ROLLBACK TO s' . (1 + int rand $savepoints)
			: $what < 0.6 ? read_statement() : $what < 0.9 ? write_statement() : several_writes();
		my $result = both($session, $statement);

		return 0 if !defined $result;
		$savepoints = $1 if $statement =~ /^ROLLBACK TO s(\d+)/;
		if ($result =~ /^error/)
		{
			last if !$savepoints;
			defined both($session, "ROLLBACK TO s$savepoints") or return 0;
		}
	}
	return defined both($session, pick('COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK'));
}

# ---- what is there afterwards ----

my %contents = (
	items => q{SELECT item FROM t},
	'the inline index' => q{SELECT dynamo.scan('t', index_name => 'inside')},
	'the index table' => q{SELECT dynamo.scan('t', index_name => 'beside')},
	# the changes of each item, all of which are in one shard of the stream, in their order
	'the stream' => q{SELECT keys, string_agg(concat_ws(' ', event_name, old_image, new_image), ';' ORDER BY sequence_number)
		FROM dynamo.stream_shards('t') s, dynamo.read_stream('t', shard_id => s, max_records => 1000000) GROUP BY keys},
);

my $failed;
my $moves = 0;
for my $case (1 .. $cases)
{
	if (chance(0.03))
	{
		my $from = int rand @nodes;
		my $to = ($from + 1 + int rand(@nodes - 1)) % @nodes;

		move_shard($coordinator, 't', $nodes[$from], $nodes[$to], 'force_logical') if shards_on($nodes[$from], 't');
		$moves++;
	}
	@log = ();
	$failed = !transaction(pick(@sessions));
	if ($failed)
	{
		diag(join ";\n", @log);
		last;
	}
}
ok(!$failed, "SEED=$seed: $cases transactions of $statements statements return the same");
note("$errors errors, $moves moves");
$_->quit for $oracle, @sessions;

is(value_of($coordinator, q{SELECT dynamo.wait_for_index('t', 'beside')}), 't', 'the index table has all changes');
for my $what (sort keys %contents)
{
	my ($expected, @found) = map { join "\n", sort split /\n/, value_of($_, $contents{$what}) } $alone, @nodes;

	is($found[$_], $expected, "$what, on " . $nodes[$_]->name) for 0 .. $#nodes;
}
is(value_of($coordinator, qq{SELECT count(*) FROM dynamo.verify_index('t', '$_')}), 0, "index $_ is right") for 'inside', 'beside';

$alone->stop('immediate');
stop_citus_cluster(@nodes);
done_testing();
