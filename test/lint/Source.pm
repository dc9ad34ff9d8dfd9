# Source.pm: C and SQL cut into tokens, for the rules of sources.pl.
package Source;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(c_tokens c_calls c_texts sql_tokens sql_statements);

# The tokens of a C text, without comments: hashes of kind (word, string, other),
# text (of a string its content), line, and of the function they stand in.
my %tokens_of;

sub c_tokens
{
	my ($text) = @_;

	return @{ $tokens_of{$text} //= [ cut_c($text) ] };
}

sub cut_c
{
	my ($text) = @_;
	my (@tokens, $function, $candidate);
	my ($line, $braces, $parens) = (1, 0, 0);

	pos($text) = 0;
	while (pos($text) < length $text)
	{
		my ($kind, $value);
		my $start = $line;

		if ($text =~ m{\G(?: \s+ | \\\n | /\*.*?\*/ | //[^\n]* )}gcsx)
		{
			$line += substr($text, $-[0], $+[0] - $-[0]) =~ tr/\n//;
			next;
		}
		if ($text =~ /\G([A-Za-z_]\w*)/gc)
		{
			($kind, $value) = ('word', $1);
			$candidate = $value if !$braces && !$parens;
		}
		elsif ($text =~ /\G"((?:[^"\\]|\\.)*)"/gcs)
		{
			($kind, $value) = ('string', $1);
			$line += $value =~ tr/\n//;
			$value =~ s/\\(.)/$1 eq 'n' ? "\n" : $1 eq 't' ? "\t" : $1/ge;
		}
		else
		{
			$text =~ /\G('(?:[^'\\]|\\.)*'|\d[\w.]*|.)/gcs;
			($kind, $value) = ('other', $1);
			$line += $value =~ tr/\n//;
			if ($value eq '(') { $parens++ }
			elsif ($value eq ')') { $parens-- }
			elsif ($value eq '{') { $function = $candidate if !$braces++ }
			elsif ($value eq '}') { undef $function if !--$braces }
			elsif ($value eq ';' && !$braces) { undef $candidate }
		}
		push @tokens, { kind => $kind, text => $value, line => $start, function => $function // '' };
	}
	return @tokens;
}

# The calls of functions with a name like this: hashes of name, line, function
# (the caller), arguments (their tokens' texts, joined) and before (the names
# that the caller has called before).
sub c_calls
{
	my ($name, @tokens) = @_;
	my (@calls, %before);
	my $is_named = qr/^(?:$name)$/;

	for my $i (0 .. $#tokens - 1)
	{
		my $t = $tokens[$i];
		my ($depth, @arguments) = (0);

		next if $t->{function} eq '' || $t->{kind} ne 'word' || $tokens[ $i + 1 ]{text} ne '(';
		if ($t->{text} =~ $is_named)
		{
			for (my $j = $i + 1; $j < @tokens; $j++)
			{
				$depth += { '(' => 1, ')' => -1 }->{ $tokens[$j]{text} } // 0 if $tokens[$j]{kind} eq 'other';
				last if $depth == 0;
				push @arguments, $tokens[$j]{text} if $j > $i + 1;
			}
			push @calls, { %$t, name => $t->{text}, arguments => "@arguments", before => [ @{ $before{ $t->{function} } // [] } ] };
		}
		push @{ $before{ $t->{function} } }, $t->{text};
	}
	return @calls;
}

# The texts of string literals: neighbours are one, a macro between them a name.
# Hashes of text, line, function and call, the name of the call they stand in.
sub c_texts
{
	my (@tokens) = @_;
	my (@texts, @calls, $text);

	for my $i (0 .. $#tokens)
	{
		my $t = $tokens[$i];
		my $is_macro = $t->{kind} eq 'word' && $t->{text} =~ /^[A-Z][A-Z0-9_]+$/ && ($tokens[ $i + 1 ]{text} // '') ne '(';

		if ($t->{kind} eq 'string')
		{
			push @texts, $text = { %$t, text => '', call => $calls[-1] // '' } if !$text;
			$text->{text} .= $t->{text};
		}
		elsif ($is_macro && $text) { $text->{text} .= ' macro ' }
		else { undef $text }
		push @calls, $i ? $tokens[ $i - 1 ]{text} : '' if $t->{text} eq '(' && $t->{kind} eq 'other';
		pop @calls if $t->{text} eq ')' && $t->{kind} eq 'other';
	}
	return @texts;
}

# The tokens of SQL, without comments: hashes of kind (word, name for a quoted
# one, string, operator, other), text and line.  What a C format inserts is a
# name, and so are the places of our own formats, @ and #.
sub sql_tokens
{
	my ($text, $line) = @_;
	my @tokens;

	$line //= 1;
	while ($text =~ m{\G(?:
		(?<skip> \s+ | --[^\n]* | /\*.*?\*/ ) |
		(?<string> [Ee]?'(?:[^']|'')*' ) |
		(?<name> "[^"]*" | %(?:l*[sdu]|\.\*s) | [@\#](?=[\s.]|\z) ) |
		(?<word> [A-Za-z_]\w* ) |
		(?<other> \$\$ | \$\w+ | \d[\w.]* | :: | := | => | [(),.;\[\]:] ) |
		(?<operator> [-+*/<>=~!@\#%^&|`?]+ ) | (?<other> . ))}gsx)
	{
		my %found = %+;
		my ($kind) = grep { defined $found{$_} } qw(string name word operator other);

		push @tokens, { kind => $kind, text => $found{$kind}, line => $line } if defined $kind;
		$line += ($& =~ tr/\n//);
	}
	return @tokens;
}

# The statements of a script, each its tokens; what stands between two $$ is
# part of its statement.
sub sql_statements
{
	my (@tokens) = @_;
	my @statements = ([]);
	my $quoted = 0;

	for my $t (@tokens)
	{
		$quoted = !$quoted if $t->{text} eq '$$';
		push @{ $statements[-1] }, $t;
		push @statements, [] if $t->{text} eq ';' && !$quoted;
	}
	return grep { @$_ } @statements;
}

1;
