#!/usr/bin/perl
# Several sessions write the same few items through every door at once:
# functions, INSERT ... ON CONFLICT, UPDATE, MERGE, COPY, DELETE, savepoints
# rolled back, index builds and rebuilds in between.  Then every index must
# agree with the table, by verify_index and by a count of its own.  SEED
# repeats the statements of a run, CASES sets their number in each session.
# psql finds the server through the usual environment variables; a database of
# its own is created there and dropped at the end.
use strict;
use warnings;
use File::Temp;
use Test::More;

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 4000 : 400);
my $sessions = 4;
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_doors_$$";
my $dir = File::Temp->newdir;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

sub psql
{
	my ($db, $sql) = @_;
	my $file = "$dir/one.sql";

	open my $out, '>', $file or die $!;
	print $out $sql;
	close $out;
	my $result = `psql -XqAt -v ON_ERROR_STOP=1 -d $db -f $file 2>&1`;
	die "$sql: $result" if $?;
	chomp $result;
	return $result;
}

# ---- random statements ----

# An item, its attributes sometimes there: a map of name to typed value.
sub item
{
	my %item = (PK => '{"S": "' . pick('a' .. 'd') . '"}', SK => '{"N": "' . int(rand 4) . '"}');

	$item{G} = '{"S": "g' . int(rand 3) . '"}' if chance(0.7);
	$item{n} = '{"N": "' . int(rand 5) . '"}' if chance(0.7);
	$item{cust} = '{"S": "' . pick('x', 'y', 'z') . '"}' if chance(0.8);
	$item{v} = '{"S": "' . 'v' x (1 + int(rand 40)) . '"}' if chance(0.5);
	return \%item;
}

sub json { my ($item) = @_; return '{' . join(', ', map { "\"$_\": $item->{$_}" } sort keys %$item) . '}' }

sub key_json { my ($item) = @_; return json({ PK => $item->{PK}, SK => $item->{SK} }) }

sub where
{
	my ($item) = @_;
	my ($pk) = $item->{PK} =~ /: "(.*)"/;
	my ($sk) = $item->{SK} =~ /: "(.*)"/;

	return "\"PK\" = '$pk' AND \"SK\" = $sk";
}

my @doors = (
	sub { "SELECT dynamo.put_item('tab', '" . json(item()) . "');" },
	sub { "SELECT dynamo.delete_item('tab', '" . key_json(item()) . "');" },
	sub { "SELECT dynamo.update_item('tab', '" . key_json(item())
			. "', 'SET G = :g, v = :v', expression_attribute_values => '{\":g\": {\"S\": \"u" . int(rand 3)
			. "\"}, \":v\": {\"S\": \"w\"}}');" },
	sub { "SELECT dynamo.update_item('tab', '" . key_json(item()) . "', 'REMOVE " . pick('G', 'n', 'cust') . "');" },
	sub { "INSERT INTO tab (item) VALUES ('" . json(item()) . "') ON CONFLICT (\"PK\", \"SK\") DO UPDATE SET item = excluded.item;" },
	sub { "INSERT INTO tab (item) VALUES ('" . json(item()) . "') ON CONFLICT DO NOTHING;" },
	sub { my $i = item(); "UPDATE tab SET item = '" . json($i) . "' WHERE " . where($i) . ";" },
	sub { my $i = item(); "UPDATE tab SET item = '" . json(item()) . "' WHERE " . where($i) . ";" },
	sub { my $i = item(); "DELETE FROM tab WHERE " . where($i) . ";" },
	sub { my $i = item(); "MERGE INTO tab USING (SELECT '" . json($i) . "'::dynamo.item AS new) s ON " . where($i)
			. " WHEN MATCHED AND random() < 0.3 THEN DELETE WHEN MATCHED THEN UPDATE SET item = new"
			. " WHEN NOT MATCHED THEN INSERT (item) VALUES (new);" },
	sub { "INSERT INTO tab (item) VALUES ('" . json(item()) . "'), ('{\"PK\": {\"S\": \"a\"}, \"SK\": {\"N\": \"1\"}, \"G\": {\"N\": \"1\"}}');" },
);

sub statement { return pick(@doors)->() }

sub block
{
	my $kind = rand;

	return statement() if $kind < 0.55;
	return "COPY tab (item) FROM stdin;\n" . json(item()) . "\n\\." if $kind < 0.6;
	return join "\n", 'BEGIN;', (map { statement() } 0 .. rand 3), pick('COMMIT;', 'COMMIT;', 'ROLLBACK;')
		if $kind < 0.75;
	return join "\n", 'BEGIN;', statement(), 'SAVEPOINT s;', statement(), statement(),
		'ROLLBACK TO s;', statement(), 'COMMIT;' if $kind < 0.9;
	return join "\n", 'BEGIN ISOLATION LEVEL ' . pick('REPEATABLE READ', 'SERIALIZABLE') . ';',
		statement(), statement(), 'COMMIT;' if $kind < 0.96;
	return "SET dynamo.direct_access = " . pick('on', 'off') . ';' if $kind < 0.99;
	return "SELECT dynamo.reindex('tab', '" . pick('inline', 'own', 'spread') . "');";
}

sub script
{
	my ($n) = @_;
	my $file = "$dir/session$n.sql";

	open my $out, '>', $file or die $!;
	print $out "SET search_path = public, dynamo;\nSET deadlock_timeout = '10ms';\n";
	for my $i (1 .. $cases)
	{
		print $out block(), "\n";
		next if $n != 1 || $i % 100 != 50;
		print $out "SELECT dynamo.create_index('tab', 'late', 'v', storage => '", pick('inline', 'table'),
			"');\nSELECT dynamo.drop_index('tab', 'late');\n";
	}
	close $out;
	return $file;
}

# ---- the run ----

psql('postgres', "CREATE DATABASE $database ENCODING 'UTF8' TEMPLATE template0");
psql($database, <<'SQL');
CREATE EXTENSION dynamo;
SELECT dynamo.create_table('tab', 'PK', 'SK', sort_key_type => 'N', indexes => '[
	{"index_name": "inline", "partition_key": "G", "sort_key": "n", "sort_key_type": "N"},
	{"index_name": "local", "partition_key": "PK", "sort_key": "n", "sort_key_type": "N", "local": true, "storage": "table", "projection": "KEYS_ONLY"},
	{"index_name": "own", "partition_key": "G", "storage": "table", "projection": "INCLUDE", "non_key_attributes": ["v"]},
	{"index_name": "spread", "partition_key": "G", "sort_key": "n", "sort_key_type": "N", "shards": 3},
	{"index_name": "calculated", "partition_key": "G", "shards": 4, "shard_by": "cust", "projection": "KEYS_ONLY"}]');
SQL

my @scripts = map { script($_) } 1 .. $sessions;
my @children;

for my $file (@scripts)
{
	my $pid = fork // die $!;

	exec "psql -XqAt -d $database -f $file >$file.out 2>$file.err" unless $pid;
	push @children, $pid;
}
for my $pid (@children)
{
	waitpid($pid, 0);
	is($?, 0, 'a session ended well');
}

# what may go wrong: races, and the items made to be refused
my %expected = map { $_ => 1 } ('duplicate key value violates unique constraint "tab_pkey"',
	'could not serialize access', 'deadlock detected', 'current transaction is aborted',
	'Type mismatch for Index Key G', 'savepoint "s" does not exist');
for my $file (@scripts)
{
	open my $in, '<', "$file.err" or die $!;
	my @odd = grep {
		my $line = $_;
		$line =~ /ERROR|FATAL|PANIC/ && !grep { index($line, $_) >= 0 } keys %expected
	} <$in>;
	is(join('', @odd), '', 'no other error');
}

for my $index ('inline', 'local', 'own', 'spread', 'calculated')
{
	is(psql($database, "SELECT * FROM dynamo.verify_index('tab', '$index')"), '', "index $index agrees with its table");
}
is(psql($database, q{SELECT count(*) FROM (SELECT "G", "PK", "SK", item OPERATOR(dynamo.->) 'v' FROM tab WHERE "G" IS NOT NULL
	EXCEPT SELECT "G", "PK", "SK", item OPERATOR(dynamo.->) 'v' FROM "tab$own") d}), '0', 'no entry is missing');
is(psql($database, q{SELECT (SELECT count(*) FROM tab WHERE "G" IS NOT NULL AND n IS NOT NULL) - count(*) FROM "tab$spread"}),
	'0', 'as many entries as items');
isnt(psql($database, 'SELECT count(*) FROM "tab$own"'), '0', 'there are entries');

psql('postgres', "DROP DATABASE $database");
done_testing();
