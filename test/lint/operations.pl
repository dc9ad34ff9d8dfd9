# operations.pl: every request operation is listed, documented and known to IAM policies.
#
# An operation is defined by OPERATION() in the file of its subject.  Nothing but
# this test notices one that request/operations.c does not list.
use strict;
use warnings;
use FindBin;
use Test::More;

my $project = "$FindBin::RealBin/../..";

# In IAM, these need the actions of what they do: PutItem, PartiQLInsert, ...
my @without_action = qw(BatchExecuteStatement ExecuteStatement ExecuteTransaction TransactGetItems TransactWriteItems);

sub text_of
{
	return join '', map { open(my $in, '<', $_) or die "cannot open $_: $!"; local $/; <$in> } @_;
}

# What is in one list but not in the other.
sub lacking
{
	my ($wanted, $found) = @_;
	my %found = map { $_ => 1 } @$found;

	return join ' ', grep { !$found{$_} } @$wanted;
}

my @defined = sort(text_of(glob "$project/src/request/*.c") =~ /^OPERATION\((\w+),/mg);
my @listed = text_of("$project/src/request/operations.c") =~ /^\tX\((\w+)\)/mg;
my @actions = text_of("$project/src/iam/iam_actions.c") =~ /^\t\{"(\w+)", IAM_/mg;
my @documented = text_of(glob "$project/docs/*.md") =~ /\b([A-Z]\w+)\b/g;

cmp_ok(scalar @defined, '>', 40, 'operations are found');
is_deeply(\@listed, \@defined, 'operations.c lists all operations, in the order of their names');
is(lacking(\@defined, [ @actions, @without_action ]), '', 'IAM policies can name every operation');
is(lacking([ 'NoSuchAction' ], \@actions), 'NoSuchAction', 'a lacking action is found');
is(lacking(\@without_action, \@actions), "@without_action", 'operations without an action have none');
is(lacking(\@defined, \@documented), '', 'every operation is documented');

done_testing();
