# requests.pl: every example of docs/requests.md returns the documented answer.
#
# A ```sql block followed by a ```json block is an example: the JSON is the answer
# of its last statement.  "<anything>" in it represents a value that differs from
# run to run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = "$FindBin::RealBin/../../docs/requests.md";
my $json = JSON::PP->new->allow_nonref->canonical;

# Replaces values of an answer for which the page has "<...>".
sub without_placeholders
{
	my ($expected, $answer) = @_;

	return $answer if !ref($expected) && defined $expected && $expected =~ /^<\w+>$/;
	if (ref($expected) eq 'HASH' && ref($answer) eq 'HASH')
	{
		return { map { $_ => without_placeholders($expected->{$_}, $answer->{$_}) } keys %$expected };
	}
	if (ref($expected) eq 'ARRAY' && ref($answer) eq 'ARRAY')
	{
		return [ map { without_placeholders($expected->[$_], $answer->[$_]) } 0 .. $#$expected ];
	}
	return $expected;
}

my $text = slurp_file($page);
my ($script, @examples) = ("\\pset format unaligned\n\\pset tuples_only on\nSET search_path = public, dynamo;\n");

while ($text =~ /^```sql( error)?\n(.*?)\n```\n(?:\n```json\n(.*?)\n```\n)?/msg)
{
	my ($sql, $answer) = ($2, $3);

	push @examples, { sql => $sql, answer => $answer };
	$script .= "$sql\n\\echo @@ END\n";
}

my $node = new_dynamo_node('requests');
my ($stdout, $stderr) = ('', '');

$node->psql('postgres', $script, stdout => \$stdout, stderr => \$stderr, on_error_stop => 0);
my @outputs = split /^@@ END$/m, $stdout;

cmp_ok(scalar(grep { defined $_->{answer} } @examples), '>=', 20, 'the page has examples');
for my $example (@examples)
{
	my @lines = grep { /\S/ } split /\n/, shift(@outputs) // '';

	next if !defined $example->{answer};
	my $expected = $json->decode($example->{answer});
	my $answer = eval { $json->decode($lines[-1] // '') };
	my ($name) = $example->{sql} =~ /(dynamo\.request.*)\z/s;

	$name =~ s/\s+/ /g;
	is($json->encode($answer), $json->encode(without_placeholders($expected, $answer)), substr($name, 0, 70));
}

$node->stop;
done_testing();
