# sdk_effects.pl: every member of a request has an effect, and every member of the SDKs' models is in an answer.
#
# test/sdk/requests.jsonl has a request in each line: first those that make tables ("set", whose answers may be
# kept: "save"; or statements: "sql"), then requests that are executed and undone, after the requests "before" it.
#
# Each member of such a request is left out in turn.  If neither the answer nor what requests see afterwards
# changes for any request, the member has no effect: test/sdk/effects.txt must say why.  All members of the
# answers are compared with the outputs in the models of the SDKs: what no answer contains must be in
# test/sdk/outputs.txt with the reason, and no answer may contain what the newest model does not know.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RequestModel;
use Test::More;

my $top = "$FindBin::RealBin/../..";
my $json = JSON::PP->new->utf8->canonical;
my @cases = map { $json->decode($_) } split /\n/, slurp_file("$top/test/sdk/requests.jsonl");
my $model = RequestModel->new($top);

# What is decided: "Operation Member reason", with * for any; "Operation Member = Operation Member": the members
# inside are written as those of another operation.
my @same;

sub decisions
{
	my ($name) = @_;
	my %decided;

	for (split /\n/, slurp_file("$top/test/sdk/$name"))
	{
		next if /^(#|$)/;
		if (/^(\w+ \w+) = (\w+ \w+)$/)
		{
			push @same, [ $1, $2 ];
			next;
		}
		my ($operation, $member, $reason) = /^([\w*]+) ([\w.*]+)\s+(\S.*)$/ or BAIL_OUT("$name: $_");
		$decided{ quotemeta("$operation $member") =~ s/\\\*/.*/gr } = $reason;
	}
	return \%decided;
}

sub decision
{
	my ($decided, $member) = @_;

	return (grep { $member =~ /^$_(\.|$)/ } keys %$decided)[0];
}

# ---- the server ----

my $node = new_dynamo_node('effects');
$node->safe_psql('postgres', q{

	-- executes requests and undoes them; returns all answers
	CREATE FUNCTION attempt(requests jsonb) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answers text := '';
		r jsonb;
	BEGIN
		FOR r IN SELECT * FROM jsonb_array_elements(requests) LOOP
			answers := answers || dynamo.request_safe(r ->> 0, (r -> 1)::json)::text || E'\n';
		END LOOP;
		RAISE EXCEPTION USING ERRCODE = 'XX999', MESSAGE = answers;
	EXCEPTION WHEN SQLSTATE 'XX999' THEN
		RETURN SQLERRM;
	END $$});
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('SET client_min_messages = error');

sub literal
{
	my ($text) = @_;

	return "E'" . $text =~ s/([\\'])/\\$1/gr . "'";
}

my %saved;

# Replaces "$name" by what was saved.
sub filled
{
	my ($value) = @_;

	return { map { $_ => filled($value->{$_}) } keys %$value } if ref $value eq 'HASH';
	return [ map { filled($_) } @$value ] if ref $value eq 'ARRAY';
	return !ref $value && defined $value && $value =~ /^\$(\w+)$/ && exists $saved{$1} ? $saved{$1} : $value;
}

# What requests see of all that they can change.
my @seen = (
	(map { [ 'DescribeTable', { TableName => $_ } ] } qw(tab made prov vec)),
	(map { [ 'DescribeTimeToLive', { TableName => $_ } ] } qw(tab prov)),
	(map { [ 'ListTagsOfResource', { ResourceArn => "arn:aws:dynamodb:us-east-1:000000000000:table/$_" } ],
		   [ 'GetResourcePolicy', { ResourceArn => "arn:aws:dynamodb:us-east-1:000000000000:table/$_" } ] } qw(tab made)),
	[ 'DescribeKinesisStreamingDestination', { TableName => 'tab' } ], [ 'ListContributorInsights', {} ], [ 'Scan', { TableName => 'tab' } ]);

sub execute
{
	my ($case, $request) = @_;
	my @after = $case->{op} =~ /^(Get|Query|Scan|List|Describe|BatchGet|TransactGet|Search)/ ? () : @seen;
	my @requests = (@{ $case->{before} || [] }, [ $case->{op}, $request ], @after);
	my $text = $json->encode(filled(\@requests));
	my @answers = split /\n/, $session->query_safe('SELECT attempt(' . literal($text) . '::jsonb)');

	return @answers[ scalar(@{ $case->{before} || [] }) .. $#answers ];
}

# Answers without what differs from one moment to the next.
sub lasting
{
	my $text = join "\n", @_;

	$text =~ s/\b1\d{9}(\.\d+)?\b/TIME/g;
	$text =~ s/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/UUID/g;
	$text =~ s/\d{4}-\d\d-\d\dT[\d:.]+/LABEL/g;
	$text =~ s/"((?:Next)?ShardIterator)":"[^"]*"/"$1":"ITERATOR"/g;
	$text =~ s/"RevisionId":"\d+"/"RevisionId":"REVISION"/g;
	return $text;
}

# ---- execution ----

my (%effective, %answered, @failed, @unstable);

# Notes the members of an answer; the names in the model tell structures from maps.
sub note_members
{
	my ($known, $operation, $path, $value) = @_;

	if (ref $value eq 'ARRAY')
	{
		note_members($known, $operation, $path, $_) for @$value;
		return;
	}
	return unless ref $value eq 'HASH' && (!length $path || $known->{"$operation $path"});
	my @names = sort keys %$value;
	my @members = grep { $known->{ "$operation $path" . (length $path ? '.' : '') . $_ } } @names;

	# the names of a map are no members
	if (length $path && !@members)
	{
		return unless grep { /^\Q$operation $path.\E/ } keys %$known;
		note_members($known, $operation, $path, $value->{$_}) for @names;
		return;
	}
	for (@names)
	{
		my $member = $path . (length $path ? '.' : '') . $_;

		$answered{"$operation $member"} = 1;
		note_members($known, $operation, $member, $value->{$_});
	}
}

my %known;

sub note_answer
{
	my ($operation, $answer) = @_;
	my $decoded = $json->decode($answer);

	note_members(\%known, $operation, '', $decoded->{body}) if $decoded->{status} == 200;
}

sub without_member
{
	my ($case) = @_;
	my $text = lasting(execute($case, $case->{in}));
	my $n = 0;

	note("$case->{op}: " . substr($text, 0, 700));
	push @unstable, "$case->{op} " . $json->encode($case->{in}) if lasting(execute($case, $case->{in})) ne $text;
	$model->walk($case->{op}, $case->{in}, sub { $n++ });
	for my $left_out (0 .. $n - 1)
	{
		my $copy = $json->decode($json->encode($case->{in}));
		my $at = 0;
		my @found;

		# the walk reads the structure after the call, so that the member is removed behind it
		$model->walk($case->{op}, $copy, sub { @found = @_ if $at++ == $left_out });
		next if $effective{"$case->{op} $found[0]"};
		delete $found[1]->{ $found[2] };
		$effective{"$case->{op} $found[0]"} = 1 if lasting(execute($case, $copy)) ne $text;
	}
}

# The newest model of outputs that is installed.
my $modules = ($ENV{DYNAMO_SDK} // '') . '/node_modules';
my $python = -x '/usr/bin/python3' ? '/usr/bin/python3' : 'python3';
my ($out, $err, %sdk);

if (-d "$modules/\@aws-sdk/client-dynamodb-streams")
{
	my $beside = PostgreSQL::Test::Utils::tempdir();

	symlink($modules, "$beside/node_modules");
	system('cp', "$top/test/sdk/members.mjs", $beside);
	IPC::Run::run([ 'node', '--preserve-symlinks', '--preserve-symlinks-main', "$beside/members.mjs", 'output' ], '>', \$out, '2>', \$err) or diag($err);
	$sdk{'SDK for JavaScript'} = [ split /\n/, $out ];
}
if (IPC::Run::run([ $python, '-c', 'import botocore' ], '>', \$out, '2>', \$err))
{
	IPC::Run::run([ $python, "$top/test/sdk/members.py", 'output' ], '>', \$out, '2>', \$err) or diag($err);
	$sdk{'botocore'} = [ split /\n/, $out ];
}
%known = map { $_ => 1 } map { @$_ } values %sdk;

for my $case (@cases)
{
	if ($case->{sql})
	{
		$session->query_safe($case->{sql});
	}
	elsif ($case->{set})
	{
		my $text = $json->encode(filled($case->{in}));
		my $answer = $session->query_safe("SELECT dynamo.request_safe('$case->{op}', " . literal($text) . '::json)');
		my $body = $json->decode($answer)->{body};

		push @failed, "$case->{op} $text: $answer" if $json->decode($answer)->{status} != 200;
		note_answer($case->{op}, $answer);
		for my $name (keys %{ $case->{save} || {} })
		{
			my $value = $body;

			$value = ref $value eq 'ARRAY' ? $value->[$_] : $value->{$_} for split /\./, $case->{save}{$name};
			$saved{$name} = $value;
		}
	}
	else
	{
		my ($answer, @after) = execute($case, $case->{in});

		note_answer($case->{op}, $answer);
		note_answer($seen[$_]->[0], $after[$_]) for 0 .. $#after;
		without_member($case);
	}
}
is(join("\n", @failed), '', 'the requests that make tables succeed');
is(join("\n", @unstable), '', 'answers are the same if a request is the same');

# ---- inputs ----

my $no_effect = decisions('effects.txt');
my @members = map { my $operation = $_; map { "$operation $_" } $model->members($operation) } $model->operations;

is(join("\n", grep { !$effective{$_} && !defined decision($no_effect, $_) } @members), '', 'every member of a request has an effect, or is decided');
is(join("\n", grep { defined decision($no_effect, $_) } sort keys %effective), '', 'no member that has an effect is listed as one that has none');

# ---- outputs ----

my $not_sent = decisions('outputs.txt');

my %of_one = map { $_ => 1 } grep { !/^\.\*/ } keys %$not_sent;

is(join("\n", grep { defined decision(\%of_one, $_) } sort keys %answered), '', 'no member that is in an answer is listed as one that is never sent');
# Whether no answer has a member, nor the same member of another operation, and nobody has decided so.
sub lacks
{
	my ($member) = @_;
	my @all = $member;

	for (@same)
	{
		my ($from, $to) = @$_;

		push @all, $to . substr($member, length $from) if $member =~ /^\Q$from\E(\.|$)/;
	}
	return !grep { $answered{$_} || defined decision($not_sent, $_) } @all;
}

SKIP:
{
	skip 'no SDK is installed', 1 unless %sdk;
	for my $name (sort keys %sdk)
	{
		is(join("\n", grep { lacks($_) } @{ $sdk{$name} }), '', "$name: every member of an output is in an answer, or decided");
	}
}
SKIP:
{
	skip 'the SDK for JavaScript is not installed', 1 unless $sdk{'SDK for JavaScript'};
	is(join("\n", grep { !$known{$_} } sort keys %answered), '', 'no answer contains what the models do not know');
}

$session->quit;
$node->stop;
done_testing();
