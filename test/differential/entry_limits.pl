#!/usr/bin/perl
# Items whose index entries are about as long as a btree allows, compressed by pglz or lz4, with
# a missing sort attribute or without.  Indexes of the same key in every storage must have the
# same items, verify_index must say why the others are left out and nothing else, and
# neither a build nor a write may fail by an error of the btree.  SEED repeats the items, CASES
# sets their number.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use TestDatabase;

my $seed = $ENV{SEED} // (time() ^ $$) % 1000000;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 2000 : 150);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_entry_limits_$$";

# By the key, the names of indexes and how they are stored.
my %indexes = (
	"'g'" => { gi => "storage => 'inline'", gt => "storage => 'table'" },
	"'g', 'h'" => { ghi => "storage => 'inline'", ght => "storage => 'table'" },
	"ARRAY['g', 'h'], ARRAY['sk']" => { mi => "storage => 'inline'", mt => "storage => 'table'" },
	"ARRAY['h'], ARRAY['g']" => { si => 'shards => 2', st => 'shards => 3' });

sub text
{
	my ($length, $alphabet) = @_;

	return join '', map { chr(97 + int rand $alphabet) } 1 .. $length;
}

# The fewer letters, the shorter it gets.
sub item
{
	my $alphabet = (26, 26, 16, 6, 3)[ rand 5 ];
	my ($pk, $sk) = (600 + int rand 1400, 1 + int(rand 130) * (1 + int rand 7));
	my $g = 2680 - $pk - $sk + int(rand 60) - 30 + ($alphabet < 26 ? 600 : 0);

	$g = $g < 1 ? 1 : $g > 2048 ? 2048 : $g;
	return sprintf q({"pk": {"S": "%s"}, "sk": {"S": "%s"}, "g": {"S": "%s"}%s}), text($pk, $alphabet), text($sk, $alphabet), text($g, $alphabet),
		rand() < 0.8 ? sprintf(q(, "h": {"S": "%s"}), text(1 + int rand 20, 26)) : '';
}

# What no item may cause.
sub puts
{
	return join '', map { "CALL put('" . item() . "');\n" } 1 .. $_[0];
}

create_database($database, q{
CREATE TABLE failed (message text);
CREATE PROCEDURE put(i dynamo.item) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM put_item('t', i);
EXCEPTION WHEN OTHERS THEN
	INSERT INTO failed SELECT SQLERRM WHERE SQLERRM !~ '^the key of an item is too long|larger than the limit|size limit|exceeds';
	INSERT INTO failed SELECT SQLERRM WHERE SQLERRM LIKE 'index row size%';
END $$;
CREATE PROCEDURE change_all() LANGUAGE plpgsql AS $$
DECLARE
	i dynamo.item;
BEGIN
	FOR i IN SELECT set_attribute(item, 'n', to_value(1)) FROM t LOOP CALL put(i); END LOOP;
END $$;
-- an index with its items, those that it leaves out, and what else verify_index says
CREATE FUNCTION contents(name text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', count(*), md5(string_agg(i::text, '' ORDER BY i::text COLLATE "C")),
		(SELECT count(*) FROM verify_index('t', name) WHERE problem = 'unusable key'),
		(SELECT count(*) FROM verify_index('t', name) WHERE problem <> 'unusable key')) FROM scan('t', index_name => name) i $$;
});

my @methods = ('pglz');
my ($status, $output) = psql($database, q{SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'});
push @methods, 'lz4' if $output =~ /^t$/m;

for my $method (@methods)
{
	for my $limit (-1, 0)
	{
		my $what = "$method, " . ($limit == 0 ? 'online' : 'in place');
		my $setup = "SET client_min_messages = error;\nSET default_toast_compression = $method;\nSET dynamo.in_place_build_limit = $limit;\n";
		my $looks = join '', map { my $key = $_; map { "SELECT '$_', contents('$_');\n" } sort keys $indexes{$key}->%* } sort keys %indexes;

		psql('postgres', "ALTER DATABASE $database SET default_toast_compression = $method");
		($status, $output) = psql($database, $setup . "\\o /dev/null\nSELECT create_table('t', 'pk', 'sk');\n" . puts($cases)
				. join('', map { my $key = $_; map { "CALL create_index_and_wait('t', '$_', "
							. "$key, $indexes{$key}{$_});\n" } sort keys $indexes{$key}->%* } sort keys %indexes));
		is($status, 0, "$what: indexes are built") or diag(substr $output, 0, 1000);
		for my $step ('CALL change_all();', puts($cases / 5), "\\o /dev/null\nSELECT reindex('t', index_name) FROM dynamo.indexes;\n\\o\n")
		{
			($status, $output) = psql($database, "$setup$step$looks");
			is($status, 0, "$what: the indexes are read") or diag(substr $output, 0, 1000);
			my %contents = $output =~ /^(\w+)\|(.*)$/mg;

			for my $key (sort keys %indexes)
			{
				my ($one, $other) = map { $contents{$_} // '' } sort keys $indexes{$key}->%*;

				is($one, $other, "$what: the indexes on $key have the same items");
				like($one, qr/ 0$/, "$what: and verify_index finds nothing");
			}
		}
		($status, $output) = psql($database, "SELECT DISTINCT message FROM failed;\n\\o /dev/null\nSELECT drop_table('t')");
		is($output, '', "$what: no write had another error");
	}
}
done_testing();
