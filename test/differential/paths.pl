#!/usr/bin/perl
# Random sequences of writes, by the direct path and by SQL: the same results,
# the same errors, the same tables and indexes afterwards.  SEED repeats a run,
# CASES sets the number of operations.  psql finds the server through the usual
# environment variables; a database of its own is created there and dropped at
# the end.
use strict;
use warnings;
use File::Temp;
use Test::More;

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 30000 : 2000);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_paths_$$";

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- values ----

sub scalar_value
{
	return pick(
		'{"S": "' . pick('', 'a', 'b', 'long ' x 20, 'x' x 3000) . '"}',
		'{"N": "' . pick(0, 1, -1, 7, '1.50', '1e20') . '"}',
		'{"BOOL": ' . pick('true', 'false') . '}',
		'{"NULL": true}',
		'{"B": "' . pick('', 'AAEC', '/w==') . '"}');
}

sub attribute_value
{
	return pick(
		scalar_value(), scalar_value(),
		'{"L": [' . join(', ', map { scalar_value() } 1 .. rand 3) . ']}',
		'{"M": {"x": ' . scalar_value() . '}}',
		'{"SS": ["a", "' . pick('b', 'c') . '"]}',
		'{"NS": ["' . pick(1, 2) . '"]}');
}

# keys: few, so that operations meet; now and then a bad one
sub pk { return chance(0.02) ? pick('{"N": "1"}', '{"S": ""}') : '{"S": "p' . int(rand 4) . '"}' }
sub sk { return chance(0.02) ? '{"S": "1"}' : '{"N": "' . pick(0, 1, '1.0', 2, -3) . '"}' }
sub key { return '"PK": ' . pk() . (chance(0.02) ? '' : ', "SK": ' . sk()) }

sub index_key
{
	return () if chance(0.2);
	return '"' . pick('G1', 'G2') . '": ' . (chance(0.03) ? '{"N": "1"}' : '{"S": "g' . int(rand 3) . '"}');
}

sub attributes
{
	my %seen;
	my @list = grep { /^"(\w+)"/ and not $seen{$1}++ }
		(index_key(), index_key(), index_key(), '"n": {"N": "' . int(rand 20) . '"}',
		 map { '"' . pick('a', 'b', 'c') . '": ' . attribute_value() } 1 .. rand 4);
	return join '', map { ", $_" } @list;
}

sub item { return '{' . key() . attributes() . '}' }

# ---- expressions ----

sub condition
{
	return () if chance(0.5);
	return ['a ='] if chance(0.03);
	return pick(
		['attribute_not_exists(PK)'], ['attribute_exists(PK)'], ['n > :c', ':c'], ['n <> :c OR attribute_exists(b)', ':c'],
		['size(a) > :c', ':c'], ['contains(a, :c)', ':c'], ['PK.x = :c', ':c']);
}

sub update
{
	return pick(
		['ADD n :u', ':u'], ['ADD n :u SET a = if_not_exists(a, :v)', ':u', ':v'], ['SET a = :v, b.x = :v', ':v'],
		['REMOVE a, c[0]'], ['SET G1 = :v', ':v'], ['REMOVE G1 SET G2 = :g', ':g'], ['SET n = n + :u', ':u'],
		['SET PK = :v', ':v'], ['SET c = list_append(if_not_exists(c, :l), :l)', ':l'], ['DELETE a :s', ':s'], ['SET a = b']);
}

sub values_for
{
	my %value = (
		':c' => '{"N": "' . int(rand 20) . '"}', ':u' => '{"N": "' . pick(1, -1, 5) . '"}',
		':v' => attribute_value(), ':g' => '{"S": "g1"}', ':l' => '{"L": [{"S": "l"}]}', ':s' => '{"SS": ["a"]}');
	my %names = map { $_ => 1 } @_;
	return 'NULL' unless %names;
	return "'{" . join(', ', map { "\"$_\": $value{$_}" } sort keys %names) . "}'";
}

# ---- operations ----

sub text { return defined $_[0] ? "'$_[0]'" : 'NULL' }

sub put
{
	my ($condition, @names) = @{condition() // []};
	return "dynamo.put_item('tab', '" . item() . "', " . text($condition) . ', ' . values_for(@names) .
		", return_values => '" . pick('NONE', 'ALL_OLD', 'ALL_OLD', chance(0.1) ? 'ALL_NEW' : 'NONE') . "'" .
		", return_values_on_condition_check_failure => '" . pick('NONE', 'ALL_OLD') . "')";
}

sub delete_one
{
	my ($condition, @names) = @{condition() // []};
	return "dynamo.delete_item('tab', '{" . key() . "}', " . text($condition) . ', ' . values_for(@names) .
		", return_values => '" . pick('NONE', 'ALL_OLD') . "')";
}

sub update_one
{
	my ($condition, @names) = @{condition() // []};
	my ($update, @more) = chance(0.05) ? (undef) : @{update()};
	return "dynamo.update_item('tab', '{" . key() . "}', " . text($update) . ', ' . text($condition) . ', ' .
		values_for(@names, @more) . ", return_values => '" .
		pick('NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW') . "')";
}

sub batch
{
	return "dynamo.batch_write_item('tab', ARRAY[" . join(', ', map { "'" . item() . "'" } 1 .. rand 4) . ']::dynamo.item[], ARRAY[' .
		join(', ', map { "'{" . key() . "}'" } 1 .. rand 3) . ']::dynamo.item[])';
}

sub action
{
	my ($condition, @names) = @{condition() // []};
	my $kind = pick('Put', 'Update', 'Delete', 'ConditionCheck');
	my $body = '"TableName": "tab"';
	$body .= $kind eq 'Put' ? ', "Item": ' . item() : ', "Key": {' . key() . '}';
	if ($kind eq 'Update')
	{
		my ($update, @more) = @{update()};
		$body .= ", \"UpdateExpression\": \"$update\"";
		push @names, @more;
	}
	$body .= ", \"ConditionExpression\": \"$condition\"" if defined $condition;
	$body .= ', "ExpressionAttributeValues": ' . (values_for(@names) =~ s/^'|'$//gr) if @names;
	$body .= ', "ReturnValuesOnConditionCheckFailure": "ALL_OLD"' if chance(0.3);
	return "{\"$kind\": {$body}}";
}

sub transact
{
	return "dynamo.transact_write_items('[" . join(', ', map { action() } 0 .. rand 3) . "]')";
}

sub call { return pick(\&put, \&put, \&update_one, \&update_one, \&delete_one, \&batch, \&transact)->() }

# A statement: one call, the same call again and again, or several calls.
sub statement
{
	return 'SELECT ' . call() . ' FROM generate_series(1, 3);' if chance(0.1);
	return 'SELECT ' . join(', ', map { call() } 1 .. 3) . ';' if chance(0.1);
	return 'SELECT ' . call() . ';';
}

sub transaction
{
	my @lines = ('BEGIN ISOLATION LEVEL ' . pick('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE') . ';');
	for (0 .. rand 5)
	{
		push @lines, 'SAVEPOINT s;', statement(), statement(),
			pick('ROLLBACK TO s;', 'ROLLBACK TO s;', 'RELEASE s;');
		push @lines, statement();
	}
	push @lines, pick('COMMIT;', 'COMMIT;', 'ROLLBACK;');
	return @lines;
}

# What a user may add to a table; the last one makes SQL take over.
my @furniture = (
	'SELECT 1;',
	"ALTER TABLE tab ADD CHECK ((item ->> 'n')::numeric < 18);",
	"CREATE TRIGGER log AFTER INSERT OR UPDATE OR DELETE ON tab FOR EACH ROW EXECUTE FUNCTION log_row();",
	"CREATE TRIGGER change BEFORE INSERT OR UPDATE ON tab FOR EACH ROW EXECUTE FUNCTION change_row();",
	"ALTER TABLE tab ADD COLUMN own int, ADD UNIQUE (own); CREATE INDEX ON tab ((item ->> 'n'));",
	"CREATE TRIGGER statement AFTER INSERT OR UPDATE OR DELETE ON tab EXECUTE FUNCTION log_statement();");

sub run
{
	my ($schema, $direct, $furniture, $storage, $operations) = @_;
	my $file = File::Temp->new(SUFFIX => '.sql');
	print $file <<"SQL";
\\set QUIET on
\\set SHOW_CONTEXT never
\\set ON_ERROR_ROLLBACK on
\\pset format unaligned
SET dynamo.direct_access = $direct;
SET client_min_messages = warning;
CREATE SCHEMA $schema;
SET search_path = $schema, dynamo;
CREATE TABLE log (n serial, entry text);
CREATE FUNCTION log_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log (entry) VALUES (concat_ws('' '', TG_OP, OLD, ''->'', NEW)); RETURN NULL; END';
CREATE FUNCTION log_statement() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log (entry) VALUES (TG_OP); RETURN NULL; END';
CREATE FUNCTION change_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.item = dynamo.apply_update(NEW.item, ''ADD seen :one'', ''{":one": {"N": "1"}}''); RETURN NEW; END';
SQL
	print $file "SELECT dynamo.create_table('tab', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N');\n";
	print $file "SELECT dynamo.create_index('tab', 'one', 'G1', 'G2', storage => '$storage');\n";
	print $file "$furniture\n";
	print $file map { "\\echo $_\n" =~ s/'/''/gr =~ s/\\echo (.*)/\\echo '$1'/r, "$_\n" } @$operations;
	print $file <<"SQL";
\\echo table
SELECT * FROM tab ORDER BY "PK", "SK";
SELECT * FROM log ORDER BY n;
\\echo index
SELECT dynamo.scan('tab', index_name => 'one');
DROP SCHEMA $schema CASCADE;
SQL
	close $file;
	my $output = `psql -X -d $database -f $file 2>&1`;
	$output =~ s/psql:\S+?:\d+: //g;
	$output =~ s/"?$schema"?\b/schema/g;
	return $output;
}

sub first_difference
{
	my @a = split /\n/, $_[0];
	my @b = split /\n/, $_[1];
	my $i = 0;
	$i++ while $i < @a && $i < @b && $a[$i] eq $b[$i];
	my $from = $i < 8 ? 0 : $i - 8;
	return join "\n", "direct:", @a[$from .. ($i < $#a ? $i + 1 : $#a)], "sql:", @b[$from .. ($i < $#b ? $i + 1 : $#b)];
}

system("psql -X -q -d postgres -c 'CREATE DATABASE $database' && psql -X -q -d $database -c 'CREATE EXTENSION dynamo'") == 0
	or BAIL_OUT('no server');

my $done = 0;
while ($done < $cases)
{
	my $furniture = $furniture[($done / 100) % @furniture];
	my $storage = pick('inline', 'inline', 'table');
	my @operations;
	while (@operations < 100) { push @operations, chance(0.15) ? transaction() : statement() }
	$done += @operations;

	my $direct = run('paths_on', 'on', $furniture, $storage, \@operations);
	if ($ENV{DUMP}) { open my $f, ">>", $ENV{DUMP}; print $f $direct; close $f; }
	my $sql = run('paths_off', 'off', $furniture, $storage, \@operations);
	unlike($direct, qr/server closed the connection|internal error|stub/, 'the server stays up');
	ok($direct eq $sql, "$storage, $furniture") or diag(first_difference($direct, $sql));
}

system("psql -X -q -d postgres -c 'DROP DATABASE $database'");
done_testing();
