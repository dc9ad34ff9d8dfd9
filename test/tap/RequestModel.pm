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
			my @members;

			push @members, [ $1, $2 ] while $body =~ /"(\w+)",\s*&?(\w+)/g;
			$self->{list}{"$file $name"} = $self->{list}{$name} = \@members;
		}
		while ($text =~ /\bShape (\w+) =\s*(.*?);/gs)
		{
			my ($name, $body) = ($1, $2);

			$self->{shape}{$name} = $body =~ /(?:STRUCTURE|WRITE_INPUT)\("\w+",\s*(\w+)/ || $body =~ /\.members = (\w+)/ ? { members => $1 }
			  : $body =~ /\.element = &(\w+)/ || $body =~ /LIST_OF\((\w+)\)/ ? { element => $1 } : {};
			$self->{shape}{$name} = {} if $name eq 'model_value' || $body =~ /\.raw = true/;
			$self->{shape}{$name}{file} = $file;
			$self->{shape}{"$file $name"} = $self->{shape}{$name};
		}
		$self->{input}{$1} = "$file $2" while $text =~ /\bOPERATION\((\w+), &(\w+)/g;
		$self->{input}{$_} =~ s/^\S+ (?=model_)// for keys %{ $self->{input} };
	}
	return $self;
}

# A static name means that of its own file; any other is of whichever file has it.
sub _own
{
	my ($self, $kind, $file, $name) = @_;

	return $self->{$kind}{"$file $name"} // $self->{$kind}{$name};
}

sub operations { return sort keys %{ $_[0]->{input} } }

# All members of an operation's input: "Member.Member".
sub members
{
	my ($self, $operation) = @_;
	my %found;
	my $walk;

	$walk = sub {
		my ($found, $path, $depth) = @_;

		return unless $found;

		return if $depth > 12;
		$walk->($self->_own('shape', $found->{file}, $found->{element}), $path, $depth + 1) if $found->{element};
		for my $member (@{ $self->_own('list', $found->{file}, $found->{members} // '') || [] })
		{
			$found{"$path$member->[0]"} = 1;
			$walk->($self->_own('shape', $found->{file}, $member->[1]), "$path$member->[0].", $depth + 1);
		}
	};
	$walk->($self->{shape}{ $self->{input}{$operation} }, '', 0);
	return sort keys %found;
}

# Calls the function for each member of a request that is there, with the structure that contains it.
sub walk
{
	my ($self, $operation, $request, $call) = @_;
	my $walk;

	$walk = sub {
		my ($found, $path, $value) = @_;

		return unless $found;

		if ($found->{element})
		{
			$walk->($self->_own('shape', $found->{file}, $found->{element}), $path, $_) for ref $value eq 'HASH' ? map { $value->{$_} } sort keys %$value : @{ $value || [] };
		}
		for my $member (@{ $self->_own('list', $found->{file}, $found->{members} // '') || [] })
		{
			next unless ref $value eq 'HASH' && exists $value->{ $member->[0] };
			$call->("$path$member->[0]", $value, $member->[0]);
			$walk->($self->_own('shape', $found->{file}, $member->[1]), "$path$member->[0].", $value->{ $member->[0] }) if ref $value->{ $member->[0] };
		}
	};
	$walk->($self->{shape}{ $self->{input}{$operation} }, '', $request);
	return;
}

1;
