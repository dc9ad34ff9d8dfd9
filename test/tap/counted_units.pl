# counted_units.pl: the random test of consumed capacity on a server that counts requests, so that the
# units of the statistics are compared, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('counted', "shared_preload_libraries = 'dynamo'\n");

local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres', CASES => $ENV{LONG} ? 5000 : 500);
my $output = `$^X $FindBin::RealBin/../differential/capacity.pl 2>&1`;
is($?, 0, 'units of answers') or diag($output);
like($output, qr/^ok \d+ - units of the statistics$/m, 'units of the statistics');
$node->stop;
done_testing();
