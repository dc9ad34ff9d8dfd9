# http_patterns.pl: the random test of access patterns, with their requests over HTTP.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('patterns', $port, 2, qq{
dynamo.database = 'patterns'
dynamo.http_authentication = none
dynamo.http_role = '@{[ scalar getpwuid $> ]}'
dynamo.http_allow_superuser = on
});

local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres', HTTP_PORT => $port, PATTERNS_DATABASE => 'patterns', MODELS => $ENV{LONG} ? 40 : 8);
my $output = `$^X $FindBin::RealBin/../differential/patterns.pl 2>&1`;
is($?, 0, 'patterns over HTTP return what was asked') or diag($output);
like($output, qr/^ok \d+ - requests over HTTP return what was asked$/m, 'requests were sent');
$node->stop;
done_testing();
