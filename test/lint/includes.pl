# includes.pl: scripts/include-graph finds planted arrows and names, and none in the sources.
use strict;
use warnings;
use FindBin;
use File::Temp;
use Test::More;

my $script = "$FindBin::RealBin/../../scripts/include-graph";

# What the script says is wrong with files of these contents.
sub wrong_with
{
	my (%files) = @_;
	my $dir = File::Temp->newdir;

	for my $path (keys %files)
	{
		mkdir "$dir/$1" if $path =~ m{^(\w+)/};
		open(my $out, '>', "$dir/$path") or die "cannot write $dir/$path: $!";
		print $out $files{$path};
		close $out;
	}
	my $said = `$script $dir 2>&1 >/dev/null`;
	$said = "no failure, but $said" if $said ne '' && $? == 0;
	return $said;
}

my $errors = '#include "errors.h"';

is(wrong_with('item/a.c' => $errors, 'errors.h' => '', 'view/b.c' => '#include "item/a.h"', 'item/a.h' => ''), '', 'downwards');
like(wrong_with('item/a.c' => '#include "view/b.h"', 'view/b.h' => ''), qr{^include-graph: item/a.c:1: view/b.h is higher up$}, 'upwards');
like(wrong_with('errors.c' => '#include "item/a.h"', 'item/a.h' => ''), qr{errors.c:1: item/a.h is higher up}, 'the base');
is(wrong_with('http/a.c' => '#include "request/b.h"', 'request/b.h' => ''), '', 'the top');
like(wrong_with('dynamo.c' => '#include "request/a.h"', 'request/a.h' => ''), qr{dynamo.c:1: request/a.h is higher up}, 'another library');
like(wrong_with('http/a.c' => '#include "citus/b.h"', 'citus/b.h' => ''), qr{^include-graph: http/a.c:1: citus/b.h is only for citus/$}, 'a folder that registers itself, from above');
like(wrong_with('store/a.c' => '#include "citus/b.h"', 'citus/b.h' => ''), qr{store/a.c:1: citus/b.h is only for citus/}, 'and from below');
is(wrong_with('citus/a.c' => '#include "citus/b.h"', 'citus/b.h' => '#include "store/c.h"', 'store/c.h' => ''), '', 'and by itself');
like(wrong_with('expr/a.c' => '#include "executor/spi.h"'), qr{expr/a.c:1: executor/spi.h belongs to the server}, 'SPI');
like(wrong_with('item/a.h' => '#include "utils/rel.h"'), qr{utils/rel.h belongs to the server}, 'relations');
is(wrong_with('item/a.c' => "#include \"expr.h\"\n#include \"catalog/pg_type_d.h\"", 'store/b.c' => '#include "utils/rel.h"'), '', 'what is allowed');
like(wrong_with('new/a.c' => ''), qr{folder new has no place}, 'a new folder');
like(wrong_with('view/a.h' => '#include "view/b.h"', 'view/b.h' => '#include "view/a.h"'), qr{circle: view/a.h -> view/b.h -> view/a.h}, 'a circle');
like(wrong_with('item/read.c' => '', 'op/read.c' => ''), qr{op/read.c: item/read.c has the same name}, 'one name in two folders');
is(wrong_with('item/read.c' => '', 'item/read.h' => '', 'op/read_page.c' => ''), '', 'names of their own');
is(scalar `$script 2>&1 >/dev/null`, '', 'the sources');
done_testing();
