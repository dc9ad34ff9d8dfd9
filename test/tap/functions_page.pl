# functions_page.pl: dynamo.help, and the page of all functions, which is what it returns.
# WRITE_PAGE=FILE writes the page, after a description has changed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = "$FindBin::RealBin/../../docs/functions.md";
my $node = new_dynamo_node('functions_page');

sub query
{
	return $node->safe_psql('postgres', $_[0]);
}

my $rows = query(q{SELECT string_agg(line, E'\n' ORDER BY name COLLATE "C") FROM (SELECT name,
	CASE WHEN lag(letter) OVER (ORDER BY name COLLATE "C") IS DISTINCT FROM letter THEN format(E'\n## %s\n\n| name | what it does |\n|---|---|\n', letter) ELSE '' END
	|| format('| `%s` | %s |', name, what) AS line
FROM (SELECT substr(object, 8) AS name, upper(substr(object, 8, 1)) AS letter, string_agg(DISTINCT description, '; ' ORDER BY description) AS what
	  FROM dynamo.help() GROUP BY 1, 2) h) l});
my $expected = <<"HEAD" . "$rows\n";
# Functions and views

Everything in the schema `dynamo`, from A to Z. `SELECT * FROM dynamo.help('put_item')` returns the same in a session, with the arguments;
a part of a name or a word of a description finds all that contain it. [README](README.md) lists the pages that describe them.
`\\df dynamo.*` of psql lists functions of a table twice: for its name, and for its `regclass`.
HEAD

if ($ENV{WRITE_PAGE})
{
	open(my $out, '>', $ENV{WRITE_PAGE}) or die "$ENV{WRITE_PAGE}: $!";
	print $out $expected;
	close($out);
}
is(slurp_file($page), $expected, 'docs/functions.md is what dynamo.help returns');
is(query(q{SELECT count(*) FROM dynamo.help() WHERE description IS NULL OR page IS NULL}), '0', 'everything is described');
is(query(q{SELECT object || ': ' || description || ', ' || page FROM dynamo.help('dynamo.PUT_ITEM(...)')}),
	'dynamo.put_item: stores an item and replaces an item with the same key; returns the old item if return_values is ALL_OLD, docs/functions.md#p', 'a name as it is called');
is(query(q{SELECT count(*) FROM dynamo.help('put_item')}), '1', 'one row, although a regclass is taken, too');
is(query(q{SELECT arguments ~ 'dynamo_internal|::' FROM dynamo.help('create_copy')}), 'f', 'arguments as a user writes them');
is(query(q{SELECT string_agg(object, ' ') FROM dynamo.help('total')}), 'dynamo.check_copies dynamo.copies dynamo.create_total dynamo.drop_total dynamo.repair_copies', 'a word');
is(query(q{SELECT count(*) FROM dynamo.help('no such word')}), '0', 'nothing');
$node->stop;
done_testing();
