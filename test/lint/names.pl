# names.pl: no two source files define a function of the same name, so that gdb,
# perf and readers can tell static functions apart.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Source;
use Test::More;

my $top = "$FindBin::RealBin/../..";

# PostgreSQL calls the same function of each library.
my %of_each_library = map { $_ => 1 } qw(_PG_init);

# The functions that a C text defines, each once.
sub functions_of
{
	my ($text) = @_;
	my @tokens = c_tokens($text);
	my %found;

	for my $i (1 .. $#tokens)
	{
		my $t = $tokens[$i];

		$found{ $t->{function} } = 1
			if $t->{text} eq '{' && $t->{kind} eq 'other' && $tokens[ $i - 1 ]{function} eq '' && $tokens[ $i - 1 ]{text} eq ')';
	}
	return sort keys %found;
}

# The names that several of these files (path => text) define: "Name: a.c b.c".
sub repeated_names
{
	my (%files) = @_;
	my %places;

	for my $file (sort keys %files)
	{
		push @{ $places{$_} }, $file for grep { !$of_each_library{$_} } functions_of($files{$file});
	}
	return map { "$_: @{ $places{$_} }" } grep { @{ $places{$_} } > 1 } sort keys %places;
}

is_deeply([ functions_of("static int\nAdd(int a)\n{\n\tif (a)\n\t{\n\t\tCall();\n\t}\n}\n\nvoid\nSay(void (*f) (int))\n{\n}\n") ],
	[qw(Add Say)], 'functions are found');
is_deeply([ functions_of("typedef struct Pair\n{\n\tint a;\n} Pair;\nstatic const Pair pairs[] = {\n\t{1}\n};\n#define TRY(a) do { Run(a); } while (0)\nextern int Add(int a);\n") ],
	[], 'types, variables, macros and declarations are none');
is_deeply([ functions_of("static void F(void)\n{\n\tSay(\")\"); Say(\"{\"); Say('{');\n}\nint G(int a)\n{\n}\n") ], [qw(F G)], 'braces in texts are none');
is_deeply([ repeated_names('op/a.c' => 'static int F(void) { }', 'op/b.c' => 'static void F(char *s) { } int G(void) { F(""); }', 'op/c.c' => 'static int G(void) { }') ],
	[ 'F: op/a.c op/b.c', 'G: op/b.c op/c.c' ], 'static functions of one name');
is_deeply([ repeated_names('a.h' => 'static inline int F(void) { }', 'b.c' => 'static int F(void) { }') ], ['F: a.h b.c'], 'an inline function of a header');
is_deeply([ repeated_names('a.c' => 'static int F(void) { } int G(void) { F(); }', 'b.c' => 'extern int G(void); int H(void) { G(); }', 'b.h' => 'int H(void);') ],
	[], 'calls and declarations');

my %sources;

for my $path (glob "$top/src/*.[ch] $top/src/*/*.[ch]")
{
	open(my $in, '<', $path) or die "cannot open $path: $!";
	$sources{ substr $path, length("$top/src/") } = do { local $/; <$in> };
}
is(join("\n", repeated_names(%sources)), '', 'every function has a name of its own');
done_testing();
