# http.pl: requests over HTTP, a second and each.  Started by bench/http.
#
# Both endpoints get a table of their own through the API, the same items and
# the same requests, signed with the same credentials.
use strict;
use warnings;
use Bench;
use BenchHttp;
use Compress::Zlib;
use Getopt::Long;
use JSON::PP;
use lib "$ENV{BENCH_DIR}/../test/tap";
use HttpClient;

my $work = $ENV{BENCH_WORK};
my $table = "bench_http_$$";
my $json = JSON::PP->new->canonical;
my %option = (rounds => 5, seconds => 1, connections => 16, workers => 2, items => 10000);
GetOptions(\%option, 'rounds=i', 'seconds=f', 'connections=i', 'workers=i', 'items=i', 'against=s', 'against-pid=s',
	'no-authentication', 'tls') or exit 2;
my $requests = 2000;

# ---- what is asked ----

# DynamoDB's JSON of an order: two key attributes and ten others, ten orders a
# customer.  The same as bench_order of setup/common.sql.
sub order
{
	my ($i) = @_;
	my $customer = int($i / 10);

	return {
		PK => { S => sprintf 'CUSTOMER#%08d', $customer },
		SK => { S => sprintf 'ORDER#%010d', $i },
		EntityType => { S => 'Order' },
		name => { S => "Customer number $customer" },
		email => { S => "customer$customer\@example.com" },
		status => { S => (qw(OPEN PAID SHIPPED CLOSED RETURNED))[ $i % 5 ] },
		total => { N => '' . ($i * 7919 % 100000) / 100 },
		quantity => { N => '' . $i % 17 },
		active => { BOOL => $i % 3 == 0 ? JSON::PP::true : JSON::PP::false },
		created_at => { S => sprintf '2026-%02d-%02dT10:00:00Z', $i % 12 + 1, $i % 28 + 1 },
		address => { M => { street => { S => ($i % 500) . ' Long Street' }, city => { S => 'Springfield' },
				geo => { M => { lat => { N => '51.5' }, lng => { N => '0.12' } } } } },
		tags => { L => [ map { { S => $_ } } qw(new gift export) ] },
	};
}

sub key
{
	my $order = order(@_);

	return { PK => $order->{PK}, SK => $order->{SK} };
}

# Twenty-five different ones.
sub some
{
	my ($i) = @_;

	return map { ($i + $_) % $option{items} } 0 .. 24;
}

sub collection
{
	return { KeyConditionExpression => 'PK = :p', ExpressionAttributeValues => { ':p' => key($_[0])->{PK} } };
}

sub batch
{
	return { RequestItems => { $table => [ map { { PutRequest => { Item => order($_) } } } some($_[0]) ] } };
}

# The last member of some: what is compressed, the request or the answer.
my @operations = (
	[ 'GetItem', '', sub { { Key => key($_[0]) } } ],
	[ 'PutItem', 'over an existing key', sub { { Item => order($_[0]) } } ],
	[ 'UpdateItem', 'ADD with a condition', sub {
			{ Key => key($_[0]), UpdateExpression => 'ADD quantity :q', ConditionExpression => 'attribute_exists(PK)',
				ExpressionAttributeValues => { ':q' => { N => '1' } } } } ],
	[ 'Query', '10 items', \&collection ],
	[ 'Query', '10 items, compressed answer', \&collection, 'answer' ],
	[ 'Scan', 'a page of 1 MB', sub { {} } ],
	[ 'Scan', 'a page of 1 MB, compressed answer', sub { {} }, 'answer' ],
	[ 'BatchGetItem', '25 keys', sub { { RequestItems => { $table => { Keys => [ map { key($_) } some($_[0]) ] } } } } ],
	[ 'BatchWriteItem', '25 items', \&batch ],
	[ 'BatchWriteItem', '25 items, compressed request', \&batch, 'request' ],
);

# Requests as the client reads them.
sub write_requests
{
	my ($operation, $bodies, $compressed) = @_;
	my %header = $compressed eq 'answer' ? ('accept-encoding' => 'gzip') : $compressed ? ('content-encoding' => 'gzip') : ();

	my @texts = map { $_->{TableName} = $table if !$_->{RequestItems}; $json->encode($_) } @$bodies;
	@texts = map { Compress::Zlib::memGzip($_) } @texts if $compressed eq 'request';
	write_signed("$work/requests", $operation, \@texts, header => \%header);
}

# ---- endpoints ----

sub call
{
	my ($side, $operation, $input) = @_;

	my $socket = connect_http($side->{port}, $side->{host}) or die "nobody listens on $side->{host}:$side->{port}\n";
	my ($status, $output) = api($socket, $operation, $input);
	die "$side->{name}: $operation: ", $output ? $json->encode($output) : 'no answer', "\n" if $status != 200;
	return $output;
}

sub measure
{
	my ($side, @count) = @_;

	return run_http_client("$work/requests", $side->{tls} ? '-T' : (), '-h', $side->{host}, '-p', $side->{port}, '-P', $side->{processes}, @count);
}

sub create_table
{
	my ($side) = @_;

	progress("  filling $side->{name}\n");
	call($side, 'CreateTable', {
			TableName => $table, BillingMode => 'PAY_PER_REQUEST',
			AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } qw(PK SK) ],
			KeySchema => [ { AttributeName => 'PK', KeyType => 'HASH' }, { AttributeName => 'SK', KeyType => 'RANGE' } ] });
	for (1 .. 60)
	{
		last if call($side, 'DescribeTable', { TableName => $table })->{Table}{TableStatus} eq 'ACTIVE';
		sleep 1;
	}
	for (my $i = 0; $i < $option{items}; $i += 25)
	{
		my $output = call($side, 'BatchWriteItem', { RequestItems => { $table => [ map { { PutRequest => { Item => order($_) } } } some($i) ] } });
		die "$side->{name}: items were not taken\n" if %{ $output->{UnprocessedItems} || {} };
	}
}

# A certificate, and the settings for clients with and without TLS.
sub tls_settings
{
	system("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -days 2 " .
		  "-keyout $work/data/server.key -out $work/data/server.crt 2>$work/openssl.log") == 0 or die "openssl failed\n";
	chmod 0600, "$work/data/server.key";
	return 'dynamo.http_tls=allow';
}

# Our own endpoint, which needs the server started again.
sub start_endpoint
{
	my ($port) = free_ports(1);
	my $processes = '';

	restart_with_endpoint($port, "dynamo.http_workers=$option{workers}",
		$option{'no-authentication'} ? ('dynamo.http_authentication=none', 'dynamo.http_role=postgres') : (), $option{tls} ? tls_settings() : ());
	for (1 .. 100)
	{
		$processes = run_script("SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE backend_type = 'dynamo http'");
		last if split(/,/, $processes) == $option{workers};
		select(undef, undef, undef, 0.1);
	}
	return { name => 'dynamo', host => '127.0.0.1', port => $port, processes => $processes };
}

sub other_endpoint
{
	my ($host, $port) = $option{against} =~ m{\Ahttp://([\w.]+):(\d+)/?\z} or die "not http://HOST:PORT: $option{against}\n";

	$host = '127.0.0.1' if $host eq 'localhost';
	return { name => $option{against}, host => $host, port => $port, processes => $option{'against-pid'} || '' };
}

# ---- the table ----

sub ms
{
	my ($results, $time) = @_;

	return sprintf '%.2f', median(map { $_->{$time} } @$results) / 1000;
}

sub columns
{
	my ($results) = @_;
	my $cpu = median(map { $_->{cpu} } @$results);

	return (sprintf('%.0f', median(map { $_->{rate} } @$results)), map({ ms($results, $_) } qw(p50 p99 longest)),
		$cpu ? sprintf('%.1f', $cpu) : '');
}

# How many times as fast the first side is, and by processor time.
sub ratios
{
	my ($ours, $theirs) = @_;
	my @rates = map { $ours->[$_]{rate} / $theirs->[$_]{rate} } 0 .. $#$ours;
	my $cpu = $theirs->[0]{cpu} ? sprintf('**%.1f**', median(map { $theirs->[$_]{cpu} / $ours->[$_]{cpu} } 0 .. $#$ours)) : '';

	return (sprintf('**%.1f**', median(@rates)), spread(@rates), $cpu);
}

sub measure_operation
{
	my ($operation, $detail, $body, $compressed, @sides) = @_;
	my @results;

	progress("$operation\n");
	write_requests($operation, [ map { $body->($_ * 7919 % $option{items}) } 1 .. $requests ], $compressed);
	for my $round (1 .. $option{rounds})
	{
		for my $i (0 .. $#sides)
		{
			my $result = measure($sides[$i], '-c', $option{connections}, '-t', $option{seconds});
			progress("  the client was busy: its time limits $sides[$i]{name}\n") if $result->{busy} > 0.9;
			push @{ $results[$i] }, $result;
		}
	}
	my @cells = map { columns($_) } @results;
	push @cells, ratios(@results) if @sides > 1;
	print '| ', join(' | ', $detail ? "$operation, $detail" : $operation, @cells), " |\n";
	STDOUT->flush;
}

require IO::Handle;
my @sides = start_endpoint();
push @sides, other_endpoint() if $option{against};
create_table($_) for @sides;
@sides = ({ %{ $sides[0] }, name => 'dynamo with TLS', tls => 1 }, @sides) if $option{tls};
my @titles = ('a second', 'median ms', '99 % ms', 'longest ms', 'CPU us');
push @titles, map({ "other: $_" } @titles), 'ratio', 'spread', 'CPU ratio' if @sides > 1;
print '| operation | ', join(' | ', @titles), " |\n", '|---' x (@titles + 1), "|\n";
for my $operation (@operations)
{
	my $name = $operation->[0];
	measure_operation(@$operation[ 0 .. 2 ], $operation->[3] // '', @sides) if !@ARGV || grep { $_ eq $name } @ARGV;
}
call($_, 'DeleteTable', { TableName => $table }) for grep { !$_->{tls} } @sides;
