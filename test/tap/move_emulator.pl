# move_emulator.pl: dynamo-move from and into dynalite, an emulator of DynamoDB that npm has.  It
# has no streams: a table is copied and compared there, and follows ours, but cannot be followed.
# DYNAMO_SDK names a directory in which `npm install dynalite` was run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $top = "$FindBin::RealBin/../..";
my $program = PostgreSQL::Test::Utils::tempdir() . '/dynamo-move';
my $emulator = ($ENV{DYNAMO_SDK} // '') . '/node_modules/dynalite/cli.js';

plan skip_all => 'dynalite is not installed: DYNAMO_SDK names its directory' if !-e $emulator;
for my $header (qw(curl/curl.h jansson.h openssl/evp.h zlib.h))
{
	plan skip_all => "there is no $header" if system("echo '#include <$header>' | gcc -E - >/dev/null 2>&1") != 0;
}

# ---- the emulator ----

my $port = PostgreSQL::Test::Cluster::get_free_port();
my @aws = ('--endpoint-url', "http://127.0.0.1:$port");
my ($said, $failed) = ('', '');
my $node_js = IPC::Run::start([ 'node', $emulator, '--host', '127.0.0.1', '--port', $port, map { ("--${_}TableMs", 50) } qw(create update delete) ],
	'<', \undef, '>', \$said, '2>', \$failed);
END { local $?; $node_js->kill_kill(grace => 0) if $node_js }
my $socket;
wait_until(sub { $socket = connect_http($port) or !$node_js->pumpable });
plan skip_all => "dynalite does not start: $failed" if !$socket;

my $sanitize = $ENV{MOVE_PLAIN} ? '' : '-fsanitize=address,undefined -fno-sanitize-recover=all';
my $built = `make -s -C '$top' move MOVE_PROGRAM='$program' MOVE_CFLAGS='-O1 -g $sanitize' COPT=-Werror 2>&1`;
is($?, 0, 'the program is built') or BAIL_OUT($built);

sub ask
{
	my ($operation, $input) = @_;
	my ($status, $output) = api(connect_http($port), $operation, $input);	# it closes a connection that is idle for long

	die "$operation: $status $output->{message}" if $status != 200;
	return $output;
}

ask(CreateTable => { TableName => 'Shop', BillingMode => 'PAY_PER_REQUEST',
	AttributeDefinitions => [ map { { AttributeName => $_->[0], AttributeType => $_->[1] } } [ 'PK', 'S' ], [ 'SK', 'N' ], [ 'v', 'N' ] ],
	KeySchema => [ { AttributeName => 'PK', KeyType => 'HASH' }, { AttributeName => 'SK', KeyType => 'RANGE' } ],
	GlobalSecondaryIndexes => [ { IndexName => 'by_v', Projection => { ProjectionType => 'ALL' }, KeySchema => [ { AttributeName => 'v', KeyType => 'HASH' } ] } ] });
wait_until(sub { ask(DescribeTable => { TableName => 'Shop' })->{Table}{TableStatus} eq 'ACTIVE' });
my @items = map { {
	PK => { S => 'p#' . $_ % 17 }, SK => { N => "$_" }, v => { N => $_ % 50 . '' }, text => { S => "a\"b\\c\n\t\x{e9}\x02" . 'x' x ($_ % 900) },
	tags => { SS => [ "b$_", 'a,b' ] }, numbers => { NS => [ '1e5', '-0.50', '3' ] }, raw => { B => 'AAEC/w==' },
	deep => { M => { 'a.b' => { L => [ { NULL => JSON::PP::true }, { BOOL => JSON::PP::false }, { BS => [ 'AQ==', 'Ag==' ] } ] } } } } } 1 .. 500;
for (my $i = 0; $i < @items; $i += 25)
{
	ask(BatchWriteItem => { RequestItems => { Shop => [ map { { PutRequest => { Item => $_ } } } @items[$i .. $i + 24] ] } });
}

# ---- into PostgreSQL ----

my $node = new_dynamo_node('move_emulator', "autovacuum = off\nwal_level = logical\n");
delete @ENV{ grep { /^(AWS_|PG)/ } keys %ENV };
my @shop = ('--table', 'Shop', @aws, '--target', $node->connstr('postgres'));

sub start_move
{
	my ($out, $err, @args) = @_;
	local %ENV = (%ENV, AWS_ACCESS_KEY_ID => 'any', AWS_SECRET_ACCESS_KEY => 'any', AWS_REGION => 'us-east-1', HOME => PostgreSQL::Test::Utils::tempdir());

	return IPC::Run::start([ $program, @args ], '<', \undef, '>', $out, '2>', $err);
}

sub move
{
	my ($out, $err) = ('', '');
	my $h = start_move(\$out, \$err, @_);

	$h->finish;
	unlike($err, qr/Sanitizer|runtime error/, "no error of memory: $_[0]");
	return (($h->full_results)[0] >> 8, $out, $err);
}

sub move_ends
{
	my ($name, $expected, $message, @args) = @_;
	my ($status, $out, $err) = move(@args);

	return like("$status\n$out$err", qr/\A$expected\n.*$message/s, $name);
}

sub items_are { my ($table, $count, $name) = @_; return is($node->safe_psql('postgres', qq{SELECT count(*) FROM "$table"}), $count, $name) }

move_ends('plan', 0, 'table Shop: partition key PK \(S\), sort key SK \(N\)\n  global index by_v: partition key v \(N\)\n.*stream: none', 'plan', @shop[0 .. 3]);

# at 5 units a second, a page has 10 items
my ($out, $err) = ('', '');
my $copy = start_move(\$out, \$err, 'copy', '--create', '--segments', 3, '--rate', 5, @shop);
ok(wait_until(sub { $node->safe_psql('postgres', q{SELECT to_regclass('public."Shop"') IS NOT NULL}) eq 't' && $node->safe_psql('postgres', 'SELECT count(*) FROM "Shop"') > 80 }),
	'a copy begins');
$copy->kill_kill(grace => 0);
$copy->finish;
my $part = $node->safe_psql('postgres', 'SELECT count(*) FROM "Shop"');
cmp_ok($part, '<', 500, 'and is killed');
move_ends('it begins again, as nobody knows what segments of an emulator are', 0, 'all 3 segments are read again.*copied \d+ items', 'copy', @shop);
items_are('Shop', 500, 'all items are there');
move_ends('compare', 0, '500 items in the source, 500 in the target, 0 differences', 'compare', @shop);
is($node->safe_psql('postgres', q{SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Shop'}), '1', 'so is the index');

ask(DeleteItem => { TableName => 'Shop', Key => { PK => $items[3]{PK}, SK => $items[3]{SK} } });
ask(UpdateItem => { TableName => 'Shop', Key => { PK => $items[4]{PK}, SK => $items[4]{SK} }, UpdateExpression => 'SET v = :v', ExpressionAttributeValues => { ':v' => { N => '77' } } });
ask(PutItem => { TableName => 'Shop', Item => { PK => { S => 'new' }, SK => { N => '-1.5e-7' } } });
move_ends('differences', 1, 'differs in v: .*, 3 differences', 'compare', '--settle', 0, @shop);
move_ends('repair', 0, '3 writes to repair them, 0 remain', 'compare', '--settle', 0, '--repair', @shop);
items_are('Shop', 500, 'repaired');

# ---- what an endpoint without streams cannot ----

move_ends('nothing to follow', 2, 'the move began without a stream', 'follow', @shop);
move_ends('no stream to start', 2, 'UpdateTable of the source: ValidationException', 'copy', '--create', '--enable-stream', @shop, '--name', 'again', '--target-table', 'Again');

# ---- from PostgreSQL, with changes ----

$node->safe_psql('postgres', q{SELECT dynamo.enable_stream('Shop')});
my @back = ('--table', 'Shop', '--source', $node->connstr('postgres'), '--target-endpoint-url', $aws[1], '--target-region', 'us-east-1', '--target-table', 'Back');
my $changes = q{SET search_path = public, dynamo;
	SELECT count(update_item('Shop', build_item('PK', "PK", 'SK', "SK"), 'SET x = :x', expression_attribute_values => build_item(':x', random()))) FROM "Shop" WHERE "SK" % 3 = 0;
	DELETE FROM "Shop" WHERE "SK" % 10 = 1};
$copy = start_move(\$out, \$err, 'copy', '--create', '--segments', 3, '--rate', 5, @back);
ok(wait_until(sub { my (undef, $state) = api($socket, Scan => { TableName => 'dynamo_move' }); grep { $_->{value}{S} =~ /"items":\d\d/ } @{ $state->{Items} || [] } }),
	'a copy with segments begins');
$copy->kill_kill(grace => 0);
$copy->finish;
$node->safe_psql('postgres', 'ANALYZE "Shop"');
move_ends('it goes on where it was', 0, 'continuing after \d+ items\n.*copied 500 items', 'copy', @back);
$node->safe_psql('postgres', $changes);
move_ends('follow', 0, 'applied \d\d\d+ changes', 'follow', '--until-quiet', 1, @back);
move_ends('compare', 0, ' 0 differences', 'compare', @back);
$node->safe_psql('postgres', $changes);
my $follow = start_move(\$out, \$err, 'follow', @back);
sleep(1);
$follow->kill_kill(grace => 0);
$follow->finish;
move_ends('follow after a kill', 0, 'applied', 'follow', '--until-quiet', 1, @back);
move_ends('compare', 0, ' 0 differences', 'compare', @back);
move_ends('no switch into what has no stream', 2, 'UpdateTable of the target: ValidationException', 'switch', '--until-quiet', 1, @back);
move_ends('nothing is switched', 0, 'applied', 'follow', '--until-quiet', 1, @back);

$node->stop;
done_testing();
