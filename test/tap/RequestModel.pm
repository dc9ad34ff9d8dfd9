# RequestModel.pm: the models of inputs in src/request/, read from the sources.
#
#	my $model = RequestModel->new($top);
#	$model->members('GetItem', sub { my ($path) = @_; ... });		Key, TableName, ...
#	$model->walk('GetItem', $json, sub { my ($path, $structure, $member) = @_; ... });
package RequestModel;
use strict;
use warnings;
use PostgreSQL::Test::Utils;

sub new
{
	my ($class, $top) = @_;
	my $self = bless { list => {}, shape => {}, input => {} }, $class;

	for my $file (glob "$top/src/request/*.c")
	{
		my $text = slurp_file($file);

		$text =~ s{/\*.*?\*/}{}gs;
		while ($text =~ /\bMember (\w+)\[\] = \{(.*?)\n?\};/gs)
		{
			my ($name, $body) = ($1, $2);

			my ($common) = $text =~ /#define TRANSACT_COMMON ((?:[^\n]*\\\n)*[^\n]*\n)/;
			$body =~ s/\bTRANSACT_COMMON\b/$common/;
			$body =~ s/\bWRITTEN_TABLE\b/{"TableName", &written_table, true}/;
			push @{ $self->{list}{$name} }, [ $1, $2 ] while $body =~ /"(\w+)",\s*&?(\w+)/g;
		}
		while ($text =~ /\bShape (\w+) =\s*(.*?);/gs)
		{
			my ($name, $body) = ($1, $2);

			$self->{shape}{$name} = $body =~ /(?:STRUCTURE|WRITE_INPUT)\("\w+",\s*(\w+)/ || $body =~ /\.members = (\w+)/ ? { members => $1 }
			  : $body =~ /\.element = &(\w+)/ || $body =~ /LIST_OF\((\w+)\)/ ? { element => $1 } : {};
			$self->{shape}{$name} = {} if $name eq 'model_value' || $body =~ /\.raw = true/;
		}
		$self->{input}{$1} = $2 while $text =~ /\bOPERATION\((\w+), &(\w+)/g;
	}
	return $self;
}

sub operations { return sort keys %{ $_[0]->{input} } }

# All members of an operation's input: "Member.Member".
sub members
{
	my ($self, $operation) = @_;
	my %found;
	my $walk;

	$walk = sub {
		my ($name, $path, $depth) = @_;
		my $found = $self->{shape}{$name} or return;

		return if $depth > 12;
		$walk->($found->{element}, $path, $depth + 1) if $found->{element};
		for my $member (@{ $self->{list}{ $found->{members} // '' } || [] })
		{
			$found{"$path$member->[0]"} = 1;
			$walk->($member->[1], "$path$member->[0].", $depth + 1);
		}
	};
	$walk->($self->{input}{$operation}, '', 0);
	return sort keys %found;
}

# Calls the function for each member of a request that is there, with the structure that contains it.
sub walk
{
	my ($self, $operation, $request, $call) = @_;
	my $walk;

	$walk = sub {
		my ($name, $path, $value) = @_;
		my $found = $self->{shape}{$name} or return;

		if ($found->{element})
		{
			$walk->($found->{element}, $path, $_) for ref $value eq 'HASH' ? map { $value->{$_} } sort keys %$value : @{ $value || [] };
		}
		for my $member (@{ $self->{list}{ $found->{members} // '' } || [] })
		{
			next unless ref $value eq 'HASH' && exists $value->{ $member->[0] };
			$call->("$path$member->[0]", $value, $member->[0]);
			$walk->($member->[1], "$path$member->[0].", $value->{ $member->[0] }) if ref $value->{ $member->[0] };
		}
	};
	$walk->($self->{input}{$operation}, '', $request);
	return;
}

1;
