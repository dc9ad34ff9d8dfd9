# words.pl: errors of requests in both wordings of dynamo.error_wording.
#
# test/words/cases.jsonl has a request in each line, with the type and the message of its error in both
# wordings: "classic" and "current" ("classic_type" where the types differ).  They are what was recorded of
# the service, and not what the extension said.  "from" is the section of the notes of these recordings.  A
# message that begins with ~ is a regular expression.  A string <n> in a request means n letters x.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use Encode;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $file = "$FindBin::RealBin/../words/cases.jsonl";
my $json = JSON::PP->new->utf8;
my @cases = map { $json->decode($_) } split /\n/, slurp_file($file);

cmp_ok(scalar(@cases), '>=', 300, 'there are cases');

# ---- all requests, in both wordings ----

sub literal
{
	my ($text) = @_;

	$text =~ s/'/''/g;
	return "'$text'";
}

sub expanded
{
	my ($request) = @_;
	my $text = JSON::PP->new->encode($request);

	$text =~ s/"<(\d+)>"/'"' . 'x' x $1 . '"'/ge;
	return $text;
}

# All answers, one in a line.
sub answers
{
	my ($node, $wording) = @_;
	my $script = "\\encoding UTF8\nSET dynamo.error_wording = '$wording';\n";

	for my $case (@cases)
	{
		$script .= 'SELECT dynamo.request_safe(' . literal($case->{operation}) . ', ' .
			literal(expanded($case->{request})) . ");\n";
	}
	append_to_file($node->basedir . "/$wording.sql", Encode::encode('UTF-8', $script));
	my ($code, $out, $err) = $node->psql('postgres', '', extra_params => [ '-f', $node->basedir . "/$wording.sql" ]);
	return map { $json->decode($_) } grep { /^\{/ } split /\n/, $out;
}

my $node = new_dynamo_node('words');

$node->safe_psql('postgres', q{
	SELECT dynamo.create_table('tab', 'pk', sort_key => 'sk');
	SELECT dynamo.create_index('tab', 'gsi', partition_key => 'g', projection => 'KEYS_ONLY');
});
for my $wording (qw(current classic))
{
	my @answers = answers($node, $wording);
	my %failed;

	is(scalar(@answers), scalar(@cases), "$wording: an answer to every request");
	for my $i (0 .. $#cases)
	{
		my $case = $cases[$i];
		my $body = $answers[$i]{body};
		my $message = $body->{message} // $body->{Message} // '';
		my $type = ($body->{__type} // 'none') =~ s/.*#//r;
		my $wanted = $case->{$wording};
		my $wanted_type = $wording eq 'classic' && $case->{classic_type} || $case->{type};
		my $same = $wanted =~ /^~(.*)/s ? $message =~ /$1/ : $message eq $wanted;

		next if $same && $type eq $wanted_type;
		$failed{ $case->{from} }++;
		diag("$wording, line " . ($i + 1) . ", $case->{from}, $case->{operation}:\n  got    $type: " .
			substr($message, 0, 400) . "\n  wanted $wanted_type: " . substr($wanted, 0, 400));
	}
	is(join(', ', map { "$_: $failed{$_}" } sort keys %failed), '', "$wording: no case fails");
}
done_testing();
