# map.pl: src/README.md names files, functions and folders that exist, floors in
# the order that scripts/include-graph checks, and how large the wings are, to a tenth.
#
# `op/write.c`: `WriteItem()`, `WriteRow()` says that these functions are defined in that file,
# to the end of the paragraph, the entry of a list or the row of a table, and so does
# `WriteItem()` in `op/write.c` of one function.  A header need only declare them.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use Source;
use Test::More;

my $project = "$FindBin::RealBin/../..";

sub text_of
{
	my ($path) = @_;

	open(my $in, '<', $path) or die "cannot open $path: $!";
	return do { local $/; <$in> };
}

# The functions and macros with arguments that a file defines, or that a header declares.
my %in_file;

sub names_in
{
	my ($file) = @_;
	my $text = text_of("$project/src/$file");
	my @names = ($text =~ /^#define (\w+)\(/mg, map { $_->{function} } c_tokens($text));

	push @names, $text =~ /\b(\w+)\(/g if $file =~ /[.]h$/;
	return $in_file{$file} //= { map { $_ => 1 } @names };
}

my @sources = map { substr $_, length("$project/src/") } sort glob("$project/src/*.[ch] $project/src/*/*.[ch]");
my %by_name = map { basename($_) => $_ } @sources;
my %is_source = map { $_ => 1 } @sources;
my %exists = map { %{ names_in($_) } } grep { /[.]c$/ } @sources;

$exists{$_} = 1 for map { text_of("$project/src/$_") =~ /(?:^#define |^)(\w+)\(/mg } grep { /[.]h$/ } @sources;

# The path of a source file that is named, with or without its folder.
sub path_of
{
	my ($name) = @_;

	return $name =~ m{/} ? ($is_source{$name} ? $name : undef) : $by_name{$name};
}

# The paragraphs, entries and rows of a text.
sub pieces_of { return split /\n\s*\n|\n(?=\s*(?:[-*|]|\d+[.]) ?)/, $_[0] }

my $source = qr{(?:\w+/)?[a-z]\w*[.][ch]};

# What is wrong with the names of functions in a piece of text.
sub wrong_functions
{
	my ($piece) = @_;
	my ($file, @wrong);

	while ($piece =~ /`($source)`:|`(\w+)\(\)`(?=(?:\s+(?:in|of)\s+`($source)`)?)/g)
	{
		my ($function, $other) = ($2, $3);

		if (defined $1) { $file = path_of($1) }
		else
		{
			my $place = defined $other ? path_of($other) : $file;

			push @wrong, !$exists{$function} ? "no function $function" :
				defined $place && !names_in($place)->{$function} ? "$function is not in $place" : ();
		}
	}
	return @wrong;
}

# What is wrong with a name of a file or a folder.
sub wrong_place
{
	my ($name) = @_;

	return () if $name =~ m{^x_|[*<]};
	return defined path_of($name) ? () : "no file $name" if $name =~ m{^$source$};
	return -d "$project/src/$name" || -d "$project/$name" ? () : "no folder $name" if $name =~ m{^[\w/]+/$};
	return -e "$project/$name" ? () : "no file $name" if $name =~ m{^(?:test|scripts|docs|sql|bench)/};
	return ();
}

sub wrong_names
{
	my ($text) = @_;

	return map { (wrong_functions($_), map { wrong_place($_) } /`([^`\s]+)`/g) } pieces_of($text);
}

# The floors of the picture, and of the script.
sub floors_of
{
	my ($text) = @_;
	my ($picture) = $text =~ /^```floors\n(.*?)^```/ms or return ();

	return map { /^(\w+)/ ? $1 : () } split /\n/, $picture;
}

# The wings whose number of lines in the table is not that of their folders in the picture.
sub wrong_sizes
{
	my ($text, %lines) = @_;
	my ($picture) = $text =~ /^```floors\n(.*?)^```/ms;
	my (%size, @wrong);

	$size{$2} += $lines{$1} // 0 while $picture =~ /^(\w+) .* ([A-Z]+)$/mg;
	while ($text =~ /^\| ([A-Z]+) \| ([\d,]+) \|/mg)
	{
		my ($wing, $told) = ($1, $2);

		$told =~ tr/,//d;
		push @wrong, "$wing has $size{$wing} lines" if abs($told - $size{$wing}) > $size{$wing} / 10;
	}
	return @wrong;
}

my %lines;
$lines{ m{^(\w+)/} ? $1 : 'base' } += () = text_of("$project/src/$_") =~ /\n/g for grep { $_ ne 'dynamo.c' } @sources;

my ($order) = text_of("$project/scripts/include-graph") =~ /^my \@order = \(\n(.*?)^\);/ms;
$order = join ' ', $order =~ /qw\((.*?)\)/g;
my $map = text_of("$project/src/README.md");

is_deeply([ wrong_names("1. `op/write.c`: `WriteItem()`,\n   `WriteRow()`; `StoreOpen()` in\n   `store/open.c`, `RaiseConditionFailed()`\n2. `StoreOpen()`, `CALL_FEATURES()`") ], [], 'functions that exist');
is_deeply([ wrong_names('`item/`, `sql/`, `problem.h`, `op/write.c`, `test/README.md`, `x_sql.c`, `problem.h`: `NoteInvalid()`') ], [], 'files that exist');
is_deeply([ wrong_names('`op/wrote.c` and `wrote.c`, `store/write.c`') ], [ 'no file op/wrote.c', 'no file wrote.c', 'no file store/write.c' ], 'files');
is_deeply([ wrong_names('`WriteNoItem()` in `nowhere/` and `test/nowhere.pl`') ], [ 'no function WriteNoItem', 'no folder nowhere/', 'no file test/nowhere.pl' ], 'functions, folders and tests');
is_deeply([ wrong_names('`op/write.c`: `WriteItem()`, `StoreOpen()`') ], ['StoreOpen is not in op/write.c'], 'a function of another file');
is_deeply([ wrong_names('`op/write.c`: `StoreOpen()` of `op/read.c`') ], ['StoreOpen is not in op/read.c'], 'a function named before its file');
is_deeply([ wrong_names("- `op/write.c`: `WriteItem()`\n- `StoreOpen()`") ], [], 'another entry of a list');
is_deeply([ floors_of("a\n```floors\ndynamo.c\nhttp  listens\n  and more\nbase\n```\n") ], [qw(dynamo http base)], 'floors');

is_deeply([ wrong_sizes("```floors\na  one  UP\nb  two UP\nc  low  DOWN\n```\n| UP | 1,200 | x |\n| DOWN | 10 | y |\n", a => 600, b => 700, c => 12) ], ['DOWN has 12 lines'], 'sizes of wings');

is(join("\n", wrong_names($map)), '', 'the map names what exists');
is(join(' ', floors_of($map)), $order, 'the floors are those that scripts/include-graph checks');
is(join(' ', grep { index($map, "`$_/`") < 0 } map { basename($_) } grep { -d } glob "$project/src/*"), '', 'the map has every folder');
is(join("\n", wrong_sizes($map, %lines)), '', 'the wings are as large as the map says');
done_testing();
