#!/usr/bin/perl
# Several sessions write items that reference others, and those that are referenced,
# through every door at once: references that are checked at once, at the end of the
# transaction, or that delete what references; savepoints rolled back; every
# isolation level.  Then each item that references another one must have it, and no
# value that is unique may be there twice.  SEED repeats the statements of a run, CASES sets
# their number in each session.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use TestDatabase;

my $seed = $ENV{SEED} // (time() ^ $$) % 1000000;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 5000 : 500);
my $sessions = 4;
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_references_$$";
my $dir = File::Temp->newdir;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- items ----

# A customer has orders, an order has lines, a note is about another note.  There are few
# of each, so that they often meet.
sub items_key
{
	my $n = int rand 5;
	my $kind = rand;

	return ("CUSTOMER#$n", 'M') if $kind < 0.35;
	return ("CUSTOMER#" . int(rand 5), "ORDER#$n") if $kind < 0.65;
	return ("LINE#$n", 'M') if $kind < 0.85;
	return ("NOTE#$n", 'M');
}

sub item
{
	my ($pk, $sk) = @_ ? @_ : items_key();
	my %item = (PK => $pk, SK => $sk);

	$item{customer} = chance(0.8) ? $pk =~ s/.*#//r : int(rand 5) if $sk =~ /^ORDER/ && chance(0.9);
	($item{parent}, $item{number}) = (int(rand 5), int(rand 5)) if $pk =~ /^LINE/ && chance(0.9);
	$item{about} = int(rand 5) if $pk =~ /^NOTE/ && chance(0.7);
	$item{email} = 'e' . int(rand 12) if $pk =~ /^CUSTOMER/ && $sk eq 'M';
	$item{v} = 'v' x int(rand 4) if chance(0.3);
	return \%item;
}

sub json { my ($item) = @_; return '{' . join(', ', map { "\"$_\": {\"S\": \"$item->{$_}\"}" } sort keys %$item) . '}' }
sub key { my ($item) = @_; return json({PK => $item->{PK}, SK => $item->{SK}}) }
sub where { my ($item) = @_; return "\"PK\" = '$item->{PK}' AND \"SK\" = '$item->{SK}'" }
sub put { return '{"Put": {"TableName": "shop", "Item": ' . json($_[0]) . '}}' }
sub removal { return '{"Delete": {"TableName": "shop", "Key": ' . key($_[0]) . '}}' }

my @doors = (
	(sub { "SELECT dynamo.put_item('shop', '" . json(item()) . "');" }) x 4,
	(sub { "SELECT dynamo.delete_item('shop', '" . key(item()) . "');" }) x 2,
	sub { "SELECT dynamo.update_item('shop', '" . key(item()) . "', 'SET v = :v', expression_attribute_values => '{\":v\": {\"S\": \"w\"}}');" },
	sub { "SELECT dynamo.update_item('shop', '" . key(item()) . "', 'SET " . pick('customer', 'parent', 'about') . " = :v', expression_attribute_values => '{\":v\": {\"S\": \"" . int(rand 5) . "\"}}');" },
	sub { "SELECT dynamo.batch_write_item('shop', ARRAY['" . json(item('CUSTOMER#' . int(rand 5), 'M')) . "', '" . json(item('LINE#' . int(rand 5), 'M')) . "']::dynamo.item[]);" },
	sub { "SELECT dynamo.transact_write_items('[" . put(item('NOTE#' . int(rand 5), 'M')) . ', ' . pick(\&put, \&removal)->(item('CUSTOMER#' . int(rand 5), 'M')) . "]');" },
	sub { "INSERT INTO shop (item) VALUES ('" . json(item()) . "') ON CONFLICT (\"PK\", \"SK\") DO UPDATE SET item = excluded.item;" },
	sub { "INSERT INTO shop (item) VALUES ('" . json(item()) . "'), ('" . json(item()) . "') ON CONFLICT (\"PK\", \"SK\") DO NOTHING;" },
	(sub { 'UPDATE shop SET item = item WHERE "PK" = \'' . item()->{PK} . "';" }) x 2,
	sub { my $i = json(item()); "SELECT dynamo.put_item('shop', i), dynamo.put_item('shop', i) FROM (VALUES ('$i'::dynamo.item)) v(i);" },
	sub { my $i = item(); "UPDATE shop SET item = '" . json($i) . "' WHERE " . where($i) . ';' },
	sub { my $i = item(); "UPDATE shop SET item = '" . json(item()) . "' WHERE " . where($i) . ';' },
	sub { 'DELETE FROM shop WHERE ' . where(item()) . ' OR ' . where(item()) . ';' },
	sub { my $i = item(); "MERGE INTO shop USING (SELECT '" . json($i) . "'::dynamo.item AS new) s ON " . where($i) .
		' WHEN MATCHED AND random() < 0.3 THEN DELETE WHEN MATCHED THEN UPDATE SET item = new WHEN NOT MATCHED THEN INSERT (item) VALUES (new);' });

sub statement { return pick(@doors)->() }
sub deferral { return chance(0.5) ? 'SET CONSTRAINTS ALL ' . pick('DEFERRED', 'IMMEDIATE') . ';' : () }

sub block
{
	my $kind = rand;

	return statement() if $kind < 0.4;
	return "COPY shop (item) FROM stdin;\n" . json(item()) . "\n" . json(item('CUSTOMER#' . int(rand 5), 'M')) . "\n\\." if $kind < 0.45;
	return join "\n", 'BEGIN;', deferral(), (map { statement() } 0 .. rand 4), deferral(), pick('COMMIT;', 'COMMIT;', 'COMMIT;', 'ROLLBACK;') if $kind < 0.7;
	return join "\n", 'BEGIN;', deferral(), statement(), 'SAVEPOINT s;', statement(), statement(), pick('ROLLBACK TO s;', 'RELEASE s;'), statement(), 'COMMIT;' if $kind < 0.88;
	return join "\n", 'BEGIN ISOLATION LEVEL ' . pick('REPEATABLE READ', 'SERIALIZABLE') . ';', deferral(), map({ statement() } 0 .. rand 3), 'COMMIT;' if $kind < 0.99;
	return 'SET dynamo.direct_access = ' . pick('on', 'off') . ';';
}

# ---- the run ----

create_database($database, <<'SQL');
SELECT dynamo.create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_about", "partition_key": "about", "storage": "table"}]');
SELECT dynamo.add_reference('shop', 'of_customer', '{"PK": "CUSTOMER#{customer}", "SK": "M"}', key_prefix => '{"SK": "ORDER#"}', is_deferrable => true);
SELECT dynamo.add_reference('shop', 'of_order', '{"PK": "CUSTOMER#{parent}", "SK": "ORDER#{number}"}', key_prefix => '{"PK": "LINE#"}', on_delete => 'CASCADE');
SELECT dynamo.add_reference('shop', 'about_note', '{"PK": "NOTE#{about}", "SK": "M"}', key_prefix => '{"PK": "NOTE#"}', initially_deferred => true);
SELECT dynamo.add_unique_constraint('shop', 'one_email', ARRAY['email'], key_prefix => '{"PK": "CUSTOMER#"}', is_deferrable => true);
CREATE FUNCTION lost() RETURNS SETOF text LANGUAGE sql AS $$
SELECT format('%s/%s has no %s', s."PK", s."SK", r.pk) FROM shop s CROSS JOIN LATERAL (VALUES
	('CUSTOMER#' || (s.item ->> 'customer'), 'M', s."SK" LIKE 'ORDER#%'),
	('CUSTOMER#' || (s.item ->> 'parent'), 'ORDER#' || (s.item ->> 'number'), s."PK" LIKE 'LINE#%'),
	('NOTE#' || (s.item ->> 'about'), 'M', s."PK" LIKE 'NOTE#%')) r(pk, sk, applies)
WHERE r.applies AND r.pk || r.sk IS NOT NULL AND NOT EXISTS (SELECT FROM shop o WHERE o."PK" = r.pk AND o."SK" = r.sk)
UNION ALL SELECT 'twice: ' || (item ->> 'email') FROM shop WHERE "PK" LIKE 'CUSTOMER#%' GROUP BY item ->> 'email' HAVING count(item ->> 'email') > 1 $$;
SQL

my @children;
for my $n (1 .. $sessions) {
	open my $out, '>', "$dir/$n.sql" or die $!;
	print $out "SET deadlock_timeout = '10ms';\n", map { ($_ % 20 ? '' : "SELECT 'LOST', lost();\n") . block() . "\n" } 1 .. $cases;
	close $out;
	my $pid = fork // die $!;
	exec "psql -XqAt -d $database -f $dir/$n.sql >$dir/$n.out 2>$dir/$n.err" unless $pid;
	push @children, $pid;
}
for my $pid (@children) {
	waitpid($pid, 0);
	is($?, 0, 'a session ended well');
}

my @expected = ('duplicate key value violates unique constraint "shop_pkey"', 'conflicting key value violates exclusion constraint "one_email"',
	'violates reference', 'could not serialize access', 'deadlock detected', 'current transaction is aborted', 'savepoint "s" does not exist');
my %errors = (violates => 0);
for my $n (1 .. $sessions) {
	open my $in, '<', "$dir/$n.err" or die $!;
	my @errors = grep { /ERROR|FATAL|PANIC/ } <$in>;
	my @odd = grep { my $line = $_; !grep { index($line, $_) >= 0 } @expected } @errors;
	is(join('', @odd), '', 'no other error');
	$errors{violates} += grep { /violates reference/ } @errors;
	open $in, '<', "$dir/$n.out" or die $!;
	is(join('', grep { /LOST/ } <$in>), '', 'no snapshot has an item without what it references');
}
cmp_ok($errors{violates}, '>', $cases / 10, 'references refuse writes');
is((psql($database, 'SELECT lost()'))[1], '', 'every item has what it references');
is((psql($database, "SELECT * FROM dynamo.verify_index('shop', 'by_about')"))[1], '', 'the index agrees with its table');
cmp_ok((psql($database, "SELECT count(*) FROM shop WHERE item ? 'customer' OR item ? 'parent' OR item ? 'about'"))[1], '>', 0, 'there are items that reference');
done_testing();
