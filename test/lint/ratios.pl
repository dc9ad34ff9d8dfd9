# ratios.pl: the comparison of ratios with those recorded finds what is worse, and nothing else.
use strict;
use warnings;
use FindBin;
use File::Temp;
use Test::More;
use lib "$FindBin::RealBin/../../bench";
use Bench;

my $file = File::Temp->new;
print $file "# a comment\n\nget\tSQL\t1.000\nput\tSQL\t0.500\nput\tanother side\t2.000\n";
close $file;
my %recorded = read_ratios("$file");

is_deeply(\%recorded, { "get\tSQL" => '1.000', "put\tSQL" => '0.500', "put\tanother side" => '2.000' }, 'the file is read');
is_deeply([ worse_ratios(\%recorded, {%recorded}) ], [], 'as recorded');
is_deeply([ worse_ratios(\%recorded, { %recorded, "get\tSQL" => 0.985, "put\tSQL" => 0.9 }) ], [], 'a little worse, and better');
is_deeply([ worse_ratios(\%recorded, { %recorded, "put\tanother side" => 1.95 }) ], ['put against another side: 1.950, recorded 2.000'], 'worse');
is_deeply([ worse_ratios(\%recorded, { "get\tSQL" => 1 }) ], [ map { "$_: not measured" } 'put against SQL', 'put against another side' ], 'not measured');
write_ratios("$file", "$file.new", { %recorded, "get\tSQL" => 1.2344 });
open(my $in, '<', "$file.new") or die $!;
is(join('', <$in>), "# a comment\n\nget\tSQL\t1.234\nput\tSQL\t0.500\nput\tanother side\t2.000\n", 'the file is written');
unlink "$file.new";

# each case that is recorded exists, with its sides
my %real = read_ratios("$FindBin::RealBin/../../bench/ratios");
cmp_ok(scalar keys %real, '>', 10, 'ratios are recorded');
for my $recorded (sort keys %real)
{
	my ($case, $side) = split /\t/, $recorded;
	open(my $sql, '<', "$FindBin::RealBin/../../bench/cases/$case.sql") or die "$case: $!";
	ok((grep { $_ eq "--:: $side\n" } <$sql>), "$case against $side exists");
}
done_testing();
