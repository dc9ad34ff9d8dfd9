# sdk_members.pl: no member of a request is ignored unless somebody has decided so.
#
# Walks every member of every operation's input in the models of the SDKs: that of the SDK for JavaScript if
# it is installed beside the sources (http_sdk.pl), and botocore's.  A member must be in the model of a request
# in src/request/, whose operation executes or refuses it, or in test/sdk/members.txt with the reason why it is
# not; and what stands there must be in no model of ours.  A new version of an SDK fails here until somebody
# decides.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use IPC::Run;
use Test::More;
use RequestModel;

my $top = "$FindBin::RealBin/../..";
my $model = RequestModel->new($top);
my %ours;

for my $operation ($model->operations)
{
	$ours{"$operation $_"} = 1 for $model->members($operation);
}
cmp_ok(scalar(keys %ours), '>', 300, 'the models of the sources are found');

# ---- the decisions ----

my %decided;

for (split /\n/, slurp_file("$top/test/sdk/members.txt"))
{
	next if /^(#|$)/;
	my ($operation, $member, $reason) = /^(\w+|\*) ([\w.*]+)\s+(\S.*)$/ or BAIL_OUT("members.txt: $_");
	my $pattern = quotemeta("$operation $member") =~ s/\\\*/.*/gr;

	$decided{$pattern} = $reason;
}

sub decision
{
	my ($member) = @_;

	return (grep { $member =~ /^$_(\.|$)/ } keys %decided)[0];
}

is(join("\n", grep { defined decision($_) } sort keys %ours), '', 'no member that requests read is listed as one that has no effect');

# ---- the models of the SDKs ----

sub compare
{
	my ($what, @members) = @_;

	cmp_ok(scalar(@members), '>', 300, "$what: the model is found");
	is(join("\n", grep { !$ours{$_} && !defined decision($_) } @members), '', "$what: every member is known or decided");
}

my $modules = ($ENV{DYNAMO_SDK} // '') . '/node_modules';
my ($out, $err);

SKIP:
{
	skip 'the SDK for JavaScript is not installed', 2 unless -d "$modules/\@aws-sdk/client-dynamodb-streams";
	my $beside = PostgreSQL::Test::Utils::tempdir();

	symlink($modules, "$beside/node_modules");
	system('cp', "$top/test/sdk/members.mjs", $beside);
	IPC::Run::run([ 'node', '--preserve-symlinks', '--preserve-symlinks-main', "$beside/members.mjs", 'input' ], '>', \$out, '2>', \$err) or diag($err);
	compare('SDK for JavaScript', split /\n/, $out);
}
SKIP:
{
	my $python = -x '/usr/bin/python3' ? '/usr/bin/python3' : 'python3';

	skip 'botocore is not installed', 2 unless IPC::Run::run([ $python, '-c', 'import botocore' ], '>', \$out, '2>', \$err);
	IPC::Run::run([ $python, "$top/test/sdk/members.py", 'input' ], '>', \$out, '2>', \$err) or diag($err);
	compare('botocore', split /\n/, $out);
}
done_testing();
