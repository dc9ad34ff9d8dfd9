# move_answers.pl: dynamo-move before an endpoint that is scripted: shards that split, answers
# that lie, tables made again, private certificates, and the places where credentials are.
use strict;
use warnings;
use Digest::MD5 qw(md5_base64);
use Digest::SHA qw(sha256_hex);
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IO::Socket::INET;
use IPC::Run;
use JSON::PP;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $top = "$FindBin::RealBin/../..";
my $work = PostgreSQL::Test::Utils::tempdir();
my $program = "$work/dynamo-move";

for my $header (qw(curl/curl.h jansson.h openssl/evp.h zlib.h))
{
	plan skip_all => "there is no $header" if system("echo '#include <$header>' | gcc -E - >/dev/null 2>&1") != 0;
}
my $sanitize = $ENV{MOVE_PLAIN} ? '' : '-fsanitize=address,undefined -fno-sanitize-recover=all';
my $built = `make -s -C '$top' move MOVE_PROGRAM='$program' MOVE_CFLAGS='-O1 -g $sanitize' COPT=-Werror 2>&1`;
is($?, 0, 'the program is built') or BAIL_OUT($built);

# A certificate of an authority that nobody knows.
sub openssl { system("openssl @_ >/dev/null 2>&1") == 0 or die "openssl @_" }
openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 10 -subj /CN=ours -addext keyUsage=critical,keyCertSign -keyout $work/ca.key -out $work/ca.crt");
openssl("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout $work/server.key -out $work/server.csr");
append_to_file("$work/server.ext", "subjectAltName = DNS:localhost\n");
openssl("x509 -req -in $work/server.csr -CA $work/ca.crt -CAkey $work/ca.key -CAcreateserial -days 10 -extfile $work/server.ext -out $work/server.crt");
chmod 0600, "$work/server.key";

my $target_port = PostgreSQL::Test::Cluster::get_free_port();
my $target = new_http_node('target', $target_port, 2, qq{
autovacuum = off
dynamo.http_tls = allow
ssl_cert_file = '$work/server.crt'
ssl_key_file = '$work/server.key'
});
$target->safe_psql('postgres', q{
	CREATE ROLE mover LOGIN;
	CREATE SCHEMA mover AUTHORIZATION mover;
	GRANT CREATE ON DATABASE postgres TO mover;
	SELECT dynamo.create_access_key('mover', 'MOVERKEY', 'moversecret/+=')});
sub mover_sql { return $target->safe_psql('postgres', "SET ROLE mover; SET search_path = mover, dynamo; $_[0]") }

# ---- the endpoint: what it answers is in files ----

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $log = "$work/requests";

# Sets what the endpoint does: a name in "mode", the table's number in "table".
sub set
{
	my ($name, $value) = @_;

	unlink "$work/$name";
	append_to_file("$work/$name", $value);
}
set(mode => '');
set(table => 1);
set(log => '');

# The shards, children before their parents; each item is changed in several of them.
my %records = (
	'shard-1' => [ [ 'item1', 101 ], [ 'item2', 102 ] ],
	'shard-2' => [ [ 'item1', 201 ] ],
	'shard-3' => [ [ 'item2', 202 ], [ 'new', 203 ] ],
	'shard-4' => [ [ 'item1', 301 ] ]);
my @shards = ([ 'shard-4', 'shard-2', 0 ], [ 'shard-3', 'shard-1', 0 ], [ 'shard-2', 'shard-1', 1 ], [ 'shard-1', undef, 1 ]);

sub table_of
{
	my ($name) = @_;
	my $made = slurp_file("$work/table");

	return { TableName => $name, TableId => "table-$made", TableStatus => 'ACTIVE', ItemCount => 12, TableSizeBytes => 1000,
		KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' } ], AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'S' } ],
		StreamSpecification => { StreamEnabled => JSON::PP::true, StreamViewType => 'NEW_AND_OLD_IMAGES' },
		LatestStreamArn => 'arn:stream' };
}

# Answers of a test, instead of those below: for an operation, or for an operation and a table, an
# answer or a list of them, of which the last one stays.
sub plant
{
	my (%answers) = @_;

	unlink "$work/plant", glob "$work/planted.*";
	append_to_file("$work/plant", encode_json(\%answers)) if %answers;
}

sub planted
{
	my ($operation, $request) = @_;

	return undef if !-e "$work/plant";
	my $answers = decode_json(slurp_file("$work/plant"));
	my ($name) = grep { exists $answers->{$_} } "$operation/" . ($request->{TableName} // ''), $operation;

	if (!defined $name)
	{
		my $items = $operation eq 'GetItem' ? ($answers->{"Scan/$request->{TableName}"} // $answers->{Scan} // {})->{Items} : undef;
		my ($item) = grep { ($_->{pk}{S} // '') eq $request->{Key}{pk}{S} } @{ $items // [] };

		return $items ? { $item ? (Item => $item) : () } : undef;
	}
	return $answers->{$name} if ref $answers->{$name} ne 'ARRAY';
	append_to_file("$work/planted.$operation", '.');
	my $n = -s "$work/planted.$operation";
	return $answers->{$name}[ $n > @{ $answers->{$name} } ? -1 : $n - 1 ];
}

sub answer_of
{
	my ($operation, $request, $mode) = @_;
	my $planted = planted($operation, $request);

	return $planted if $planted;
	my @items = map { { pk => { S => "item$_" }, v => { N => $_ == 1 && $mode eq 'exponent' ? '90e9223372036854775807' : "$_" } } } 1 .. 12;

	if ($operation eq 'DescribeTable' && $mode eq 'names')
	{
		my $table = table_of($request->{TableName});

		$table->{GlobalSecondaryIndexes} = [ { IndexName => "by\e[31m", KeySchema => [ { AttributeName => "at\n\x{9b}31m", KeyType => 'HASH' } ],
			Projection => { ProjectionType => 'ALL' } } ];
		push @{ $table->{AttributeDefinitions} }, { AttributeName => "at\n\x{9b}31m", AttributeType => 'S' };
		return { Table => $table };
	}
	return { Table => { %{ table_of($request->{TableName}) }, ($mode eq 'creating' ? (TableStatus => 'CREATING') : ()),
		($mode eq 'huge' ? (ItemCount => 1e300, TableSizeBytes => -1e300) : ()),
		($mode eq 'no stream' ? (StreamSpecification => { StreamEnabled => JSON::PP::false }, TableStatus => 'UPDATING') : ()) } } if $operation eq 'DescribeTable';
	return {} if $operation eq 'UpdateTable';
	return { TableNames => [ "table $mode" ], LastEvaluatedTableName => ($request->{ExclusiveStartTableName} // '') eq 'a' ? 'b' : 'a' }
		if $operation eq 'ListTables';
	return { map { (Item => $_) } grep { $_->{pk}{S} eq $request->{Key}{pk}{S} } @items } if $operation eq 'GetItem';
	return { UnprocessedItems => {} } if $operation eq 'BatchWriteItem';
	return { TimeToLiveDescription => { TimeToLiveStatus => 'DISABLED' } } if $operation eq 'DescribeTimeToLive';
	if ($operation eq 'Scan')
	{
		my ($part, $parts) = ($request->{Segment} // 0, $request->{TotalSegments} // 1);

		sleep(3) if $mode eq 'slow';
		return {} if $mode eq 'empty';
		return { Items => [], LastEvaluatedKey => { pk => { S => 'again' } } } if $mode eq 'circle';
		return { Items => [], LastEvaluatedKey => { pk => { S => ($request->{ExclusiveStartKey} // { pk => { S => 0 } })->{pk}{S} % 5 + 1 } } } if $mode eq 'long circle';
		return { Items => [], LastEvaluatedKey => $mode eq 'null' ? undef : {} } if $mode eq 'null' || $mode eq 'no key';
		return { Items => \@items, ConsumedCapacity => { CapacityUnits => $request->{ExclusiveStartKey} ? 1 : $mode eq 'costly' ? 1e300 : -1e300 },
			($request->{ExclusiveStartKey} ? () : (LastEvaluatedKey => { pk => { S => 'item9' } })) } if $mode eq 'costly' || $mode eq 'free';
		return { Items => [ grep { ($_->{pk}{S} =~ /(\d+)/)[0] % $parts == $part } @items ], ConsumedCapacity => { CapacityUnits => 1 } };
	}
	if ($operation eq 'DescribeStream')
	{
		return { StreamDescription => { Shards => [], LastEvaluatedShardId => ($request->{ExclusiveStartShardId} // '') eq 'a' ? 'b' : 'a' } } if $mode eq 'shards in a circle';
		# at first only one shard, which is open
		return { StreamDescription => { Shards => [ { ShardId => 'shard-1', SequenceNumberRange => { StartingSequenceNumber => '1' } } ] } }
			if $mode eq 'one shard';
		return { StreamDescription => { Shards => [ map { { ShardId => $_->[0], ($_->[1] ? (ParentShardId => $_->[1]) : ()),
			SequenceNumberRange => { StartingSequenceNumber => '1', ($_->[2] ? (EndingSequenceNumber => '999') : ()) } } } @shards ] } };
	}
	return { ShardIterator => "$request->{ShardId}/" . ($request->{SequenceNumber} // 0) } if $operation eq 'GetShardIterator';
	if ($operation eq 'GetRecords')
	{
		my ($id, $after) = split m{/}, $request->{ShardIterator};
		my @rest = grep { $_->[1] > $after } @{ $records{$id} };
		my $one = shift @rest;
		my $open = grep { $_->[0] eq $id && !$_->[2] } @shards;
		my %time = $mode eq 'no time' ? () : (ApproximateCreationDateTime => int(time()));

		return { Items => [] } if $mode eq 'empty';
		$one = [ 'item1', 101 ] if $mode eq 'same record';
		return { Records => [], ($open ? (NextShardIterator => "$id/$after") : ()) } if !$one;
		return { Records => [ { eventName => 'MODIFY', dynamodb => { %time, Keys => { pk => { S => $one->[0] } },
			($mode eq 'no number' ? () : (SequenceNumber => "$one->[1]")),
			NewImage => { pk => { S => $one->[0] }, v => { N => "$one->[1]" } } } } ],
			(@rest || $open ? (NextShardIterator => "$id/$one->[1]") : ()) };
	}
	return undef;
}

sub serve
{
	my ($client) = @_;
	my $buffer = '';

	while (sysread($client, my $bytes, 65536))
	{
		$buffer .= $bytes;
		next if $buffer !~ /\A(.*?)\r\n\r\n(.*)\z/s;
		my ($head, $body) = ($1, $2);
		my ($length) = $head =~ /^content-length: *(\d+)/mi;

		next if length $body < ($length // 0);
		$buffer = '';
		my ($operation) = $head =~ /^x-amz-target: *\w+\.(\w+)/mi;
		my $mode = slurp_file("$work/mode");
		my ($code, $more) = (200, '');
		my $answer = $head =~ m{\AGET /credentials} ? { AccessKeyId => 'CONTAINER', SecretAccessKey => 'containersecret', Token => 'containertoken' } :
			answer_of($operation, decode_json($body), $mode);

		append_to_file($log, ($operation // 'credentials') . " $body\n" . join("\n", grep { /^(authorization|x-amz-security)/i } split /\r\n/, $head) . "\n");
		($code, $answer) = (400, { __type => 'x#ValidationException', message => "no\e]0;title\a\e[31m\x{202e}\nswitched: write to the target" }) if !defined $answer || $mode eq 'escape';
		($code, $answer) = (400, { __type => 'x#ThrottlingException', message => 'slow down' }) if $mode eq 'throttle' && $operation eq 'Scan';
		($code, $answer) = (403, {}) if !defined $operation && $head !~ /^authorization: from a file\r?$/mi;
		my $date = POSIX::strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime);

		# a planted answer can have another status, date or body, and come late
		sleep(delete $answer->{_sleep} // 0);
		$date = slurp_file("$work/date") if -e "$work/date";
		$code = delete $answer->{_status} // $code;
		$date = delete $answer->{_date} // $date;
		my $endless = delete $answer->{_endless};
		$answer = delete $answer->{_body} // encode_json($answer);
		# one of two answers of scans is damaged on its way
		if ($mode eq 'damaged' && $operation eq 'Scan')
		{
			$more = "x-amz-crc32: " . unpack('N', pack('H*', `printf %s '$answer' | gzip -c | tail -c8 | head -c4 | od -An -tx4 | tr -d ' '`)) . "\r\n";
			if (!-e "$work/damaged") { set(damaged => 1); $answer =~ s/item7/item0/ }
		}
		$more .= "Date: $date\r\n" if $date ne '';
		if ($endless)
		{
			print $client "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" . sprintf("%x\r\n%s\r\n0\r\n", length $answer, $answer);
			1 while print $client "After: @{[ 'x' x 1000 ]}\r\n";
		}
		print $client "HTTP/1.1 $code Status\r\nContent-Type: application/x-amz-json-1.0\r\n${more}Content-Length: " . length($answer) . "\r\n\r\n$answer";
	}
}

my $fake = fork;
if ($fake == 0)
{
	my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1) or die $!;

	$SIG{TERM} = sub { POSIX::_exit(0) };
	$SIG{CHLD} = 'IGNORE';
	while (1)
	{
		my $client = $listen->accept or next;
		next if fork;
		$client->autoflush(1);
		serve($client);
		POSIX::_exit(0);
	}
}
END { kill 'TERM', $fake if $fake }
wait_until(sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) });

# ---- the program ----

delete @ENV{ grep { /^(AWS_|PG)/ } keys %ENV };
our %aws = (HOME => $work, AWS_ACCESS_KEY_ID => 'MOVERKEY', AWS_SECRET_ACCESS_KEY => 'moversecret/+=', AWS_REGION => 'us-east-1');
my @from = ('--endpoint-url', "http://127.0.0.1:$port");
my @into = ('--target', $target->connstr('postgres') . ' user=mover', '--patience', 20);
my @both = ('--table', 'Ours', @from, '--target-endpoint-url', "http://127.0.0.1:$port", '--target-region', 'us-east-1', '--target-table', 'Theirs', '--settle', 0);

sub start_move
{
	my ($out, $err, @args) = @_;
	local %ENV = (%ENV, %aws);

	return IPC::Run::start([ $program, @args ], '<', \undef, '>', $out, '2>', $err);
}

sub move
{
	my ($mode, @args) = @_;
	my ($out, $err) = ('', '');

	set(mode => $mode);
	my $h = start_move(\$out, \$err, @args);
	$h->finish;
	set(mode => '');
	unlike($err, qr/Sanitizer|runtime error/, "no error of memory: $args[0]");
	return (($h->full_results)[0] >> 8, $out, $err);
}

sub move_ok
{
	my ($name, $mode, @args) = @_;
	my ($status, $out, $err) = move($mode, @args);

	is($status, 0, $name) or diag("$out\n$err");
	return $out;
}

sub move_fails
{
	my ($name, $message, $mode, @args) = @_;
	my ($status, $out, $err) = move($mode, @args);

	like("$status $err", qr/^2 .*$message/s, $name);
	return $err;
}

sub state_sql { return $target->safe_psql('postgres', "SET search_path = dynamo_move; $_[0]") }
sub values_in { return mover_sql(qq{SELECT string_agg((item ->> 'pk') || '=' || (item ->> 'v'), ' ' ORDER BY pk) FROM "$_[0]"}) }

# ---- segments, and shards that split ----

my @split = ('--table', 'Split', @from, @into);
move_ok('copy in segments', 'one shard', 'copy', '--create', '--segments', 3, @split);
is(mover_sql('SELECT count(*) FROM "Split"'), '12', 'each segment was read');
is(join(' ', sort(slurp_file($log) =~ /^Scan .*"Segment": ?(\d)/mg)), '0 1 2', 'once');
move_ok('follow shards that split', '', 'follow', '--until-quiet', 0.5, '--jobs', 3, @split);
my %now = map { split /=/ } split / /, values_in('Split');
is("@now{qw(item1 item2 item3 new)}", '301 202 3 203', 'children come after their parents');

# ---- there and back, for days ----

sub age { $target->safe_psql('postgres', qq{UPDATE dynamo_move.state SET value = regexp_replace(value, '"at":[0-9.]+', '"at":1.0') WHERE move = 'Split' AND name LIKE '$_[0]/%'}) }
for my $round (1 .. 2)
{
	move_ok("switch $round", '', 'switch', '--no-compare', '--until-quiet', 0.5, @split);
	move_ok("reverse $round", '', 'reverse', '--no-compare', '--until-quiet', 0.5, @split);
	last if $round == 2;
	age('shard');
	move_ok("switch back $round", '', 'switch', '--back', '--no-compare', '--until-quiet', 0.5, @split);
	age('reverse');
	move_ok("follow $round", '', 'follow', '--until-quiet', 0.5, @split);
}

# ---- other tables than those of the move ----

move_fails('another table', 'is table "Split", not "Other"; use another --name', '', 'copy', '--table', 'Other', @from, @into, '--name', 'Split', '--target-table', 'Split');
set(table => 2);
move_fails("the source was made again: $_", 'of the source was dropped and created again', '', $_, @split) for qw(copy follow switch reverse);
set(table => 1);
mover_sql('SELECT drop_table(\'Split\')');
move_fails('the target is gone', 'the target has no table', '', 'copy', @split);
move_fails('the target was made again', 'of the target was dropped and created again', '', 'copy', '--create', @split);

# ---- answers that are none ----

my @new = ('--create', '--table', 'Lies', @from, @into);
move_fails('a page without items', 'an answer of Scan has no list Items', 'empty', 'copy', @new);
move_fails('a scan that goes in circles', 'the scan of table "Lies" does not go on after', 'circle', 'copy', @new);
move_fails('a scan in a longer circle', 'the scan of table "Lies" does not go on after', 'long circle', 'copy', @new);
move_fails("a key that is none: $_", 'an answer of Scan has a LastEvaluatedKey that is no key', $_, 'copy', @new) for 'null', 'no key';
move_fails('tables in a circle', 'the list of tables of "source" does not go on after', '', 'plan', @from);
move_fails('shards in a circle', 'the list of shards of stream "arn:stream" does not go on after', 'shards in a circle', 'copy', '--create', '--table', 'Circle', @from, @into);
move_fails('a table that is never ready', 'table "Stay" of the source is still UPDATING after the seconds of --patience', 'no stream', 'copy', '--create',
	'--enable-stream', '--table', 'Stay', @from, @into, '--patience', 1);
my $said = move_fails('what an endpoint says', 'ValidationException: no', 'escape', 'copy', @new);
unlike($said, qr/[\e\a]|\xe2\x80\xae/, 'has no control characters');
unlike($said, qr/^switched/m, 'nor lines of its own');
like(do { my ($status, $out, $err) = move('no stream', 'copy', '--create', '--quiet', '--table', 'Quiet', @from, @into); $err }, qr/^the source has no stream: .*\n\z/,
	'a warning is no progress');
move_ok('a damaged answer is asked for again', 'damaged', 'copy', @new);
is(mover_sql(q{SELECT count(*) FROM "Lies" WHERE pk = 'item7'}), '1', 'and the right one is stored');
# by these numbers it would wait for centuries, or not at all
for my $mode (qw(costly free))
{
	my ($status, $out, $err) = move($mode, 'copy', '--create', '--table', "a.$mode", @from, @into, '--rate', 1000, '--segments', 1);

	like("$status $err", qr/^0 .*, 2 read units/s, "a page that is $mode");
}
move_ok('sizes that are none', 'huge', 'copy', '--create', '--table', 'Huge', @from, @into, '--rate', 1000);
move_ok('the plan of these', 'huge', 'plan', '--table', 'Huge', @from, '--rate', 1000);
my ($status, $out, $err) = move('exponent', 'compare', '--table', 'Lies', @from, @into);
is($status, 1, 'an exponent that is too large differs') or diag("$out\n$err");
move_fails('records that are none', 'an answer of GetRecords has no list Records', 'empty', 'follow', '--until-quiet', 0.5, @new[1 .. $#new]);
move_fails('a record without a number', 'a record of the stream has no SequenceNumber', 'no number', 'follow', '--until-quiet', 0.5, @new[1 .. $#new]);
move_fails('a record that comes again', 'shard "shard-\d" does not go on after record 101', 'same record', 'follow', '--until-quiet', 0.5, @new[1 .. $#new]);
move_ok('records without a time', 'no time', 'follow', '--until-quiet', 0.5, @new[1 .. $#new]);
%now = map { split /=/ } split / /, values_in('Lies');
is("@now{qw(item1 item2)}", '301 202', 'are not skipped');

my $plan = move_ok('names with control characters', 'names', 'plan', '--table', 'Lies', @from);
like($plan, qr/^  global index by\\x1b\[31m: partition key at\\x0a\\x9b31m \(S\)$/m, 'are shown without them');
unlike($plan, qr/[\e\x{9b}]/, 'everywhere');

# ---- every difference is found, and nothing else ----

my $huge = '9' x 38;
my @same = (
	[ '{"N": "1"}', '{"N": "1.0"}' ], [ '{"N": "100"}', '{"N": "+1e2"}' ], [ '{"N": "-0"}', '{"N": "0.000E-5"}' ], [ '{"N": "0012.50"}', '{"N": "125e-1"}' ],
	[ qq({"N": "$huge"}), qq({"N": "${huge}.000"}) ], [ '{"N": ".5"}', '{"N": "5E-1"}' ],
	[ '{"SS": ["b", "a", ""]}', '{"SS": ["", "a", "b"]}' ], [ '{"NS": ["1e1", "2"]}', '{"NS": ["2.0", "10"]}' ], [ '{"BS": ["AQ==", "Ag=="]}', '{"BS": ["Ag==", "AQ=="]}' ],
	[ '{"M": {"a": {"L": [{"N": "1"}]}, "b": {"S": ""}}}', '{"M": {"b": {"S": ""}, "a": {"L": [{"N": "1e0"}]}}}' ]);
my @different = (
	[ '{"N": "1"}', '{"N": "10"}' ], [ '{"N": "1"}', '{"N": "-1"}' ], [ '{"N": "1"}', '{"S": "1"}' ], [ '{"S": "1"}', '{"S": "1.0"}' ], [ '{"S": ""}', '{"B": ""}' ],
	[ qq({"N": "$huge"}), qq({"N": "${huge}0"}) ], [ '{"S": "a"}', '{"S": "A"}' ], [ '{"S": "e\\u0301"}', '{"S": "\\u00e9"}' ], [ '{"S": "a\\u0000b"}', '{"S": "a\\u0000c"}' ],
	[ '{"S": ""}', '{"NULL": true}' ], [ '{"L": []}', '{"M": {}}' ], [ '{"L": []}', '{"L": [{"L": []}]}' ], [ '{"BOOL": true}', '{"BOOL": false}' ], [ '{"B": "AQ=="}', '{"B": "AQI="}' ],
	[ '{"SS": ["a,b"]}', '{"SS": ["a", "b"]}' ], [ '{"SS": ["1"]}', '{"NS": ["1"]}' ], [ '{"L": [{"S": "a"}, {"S": "b"}]}', '{"L": [{"S": "b"}, {"S": "a"}]}' ],
	[ '{"L": [{"L": [{"S": "a"}]}]}', '{"L": [{"L": []}, {"S": "a"}]}' ], [ '{"M": {"a": {"S": "b"}}}', '{"M": {"a": {"S": "b"}, "c": {"S": ""}}}' ],
	# what no endpoint should answer
	[ '{"N": "one"}', '{"N": "two"}' ], [ '{"N": "0"}', '{"N": ""}' ], [ '{"N": "1"}', '{"N": "1x"}' ], [ '{"N": "1.2"}', '{"N": "1.2.3"}' ], [ '{"N": "1e"}', '{"N": "1"}' ],
	[ '{"N": "1e1000001"}', '{"N": "1e1000002"}' ], [ '{"N": 1}', '{"N": 2}' ], [ '{"NS": [1]}', '{"NS": [2]}' ], [ '{"SS": [null]}', '{"SS": [[]]}' ], [ '{"SS": "a"}', '{"SS": ["a"]}' ],
	[ '{"M": "a"}', '{"M": {}}' ], [ '{"L": 7}', '{"L": []}' ], [ '{"BOOL": "true"}', '{"BOOL": true}' ], [ '"a"', '[]' ], [ 'null', '{}' ], [ '{"S": "a", "N": "1"}', '{"S": "a", "N": "2"}' ],
	[ '{"X": 1}', '{"X": 2}' ]);

sub items_with { return [ map { { pk => { S => "item$_" }, v => JSON::PP->new->allow_nonref->decode($_[$_]) } } 0 .. $#_ ] }
for my $side (0, 1)
{
	plant('Scan/Ours' => { Items => items_with(map { $_->[$side] } @same) }, 'Scan/Theirs' => { Items => items_with(map { $_->[1 - $side] } @same) });
	like(move_ok("equal items, $side", '', 'compare', @both), qr/, 0 differences/, 'are equal');
	plant('Scan/Ours' => { Items => items_with(map { $_->[$side] } @different) }, 'Scan/Theirs' => { Items => items_with(map { $_->[1 - $side] } @different) });
	my ($status, $out, $err) = move('', 'compare', @both, '--show', 100);
	is($status, 1, 'different items') or diag($err);
	is(join(' ', sort { $a <=> $b } $out =~ /^differs in v: .*"item(\d+)"/mg), join(' ', 0 .. $#different), 'each is found');
}
# names that look like the end of a map
plant('Scan/Ours' => { Items => [ { pk => { S => 'x' }, r => { M => { '};s' => { S => '1' } } }, t => { S => '2' } } ] },
	'Scan/Theirs' => { Items => [ { pk => { S => 'x' }, r => { M => {} }, s => { S => '1' }, '};t' => { S => '2' } } ] });
is((move('', 'compare', @both))[0], 1, 'a name cannot end a map');
plant();

# ---- items, keys and records that are none ----

my %key = (pk => { S => 'item1' });
my %item = (%key, v => { N => '1' });
my @strange = ([ 'without its key', { v => { N => '1' } } ], [ 'with a key of another type', { pk => { N => '1' } } ], [ 'with two types', { pk => { S => '1', N => '1' } } ],
	[ 'that is a text', 'item1' ], [ 'that is null', undef ]);
for (@strange)
{
	my ($name, $item) = @$_;

	plant(Scan => { Items => [ \%item, $item ] });
	move_fails("plan with an item $name", 'has no key attribute "pk" of the type S', '', 'plan', '--table', 'Ours', @from);
	move_fails("compare with an item $name", 'has no key attribute "pk" of the type S', '', 'compare', @both);
	plant('Scan/Ours' => { Items => [] }, 'Scan/Theirs' => { Items => [ \%item ] }, 'Scan/dynamo_move' => { Items => [] }, 'GetItem/Ours' => { Item => $item }, BatchWriteItem => {});
	move_fails("repair with an item $name", 'has no key attribute "pk" of the type S', '', 'compare', '--repair', @both);
}
plant('Scan/Ours' => { Items => [] }, 'Scan/Theirs' => { Items => [ \%item ] }, 'GetItem/Ours' => { Item => { %item, pk => { S => 'item2' } } });
move_fails('another item than the one that was asked for', 'has an item of another key than .*item1', '', 'compare', @both);

my @records = ('--table', 'Records', @from, @into);
plant();
move_ok('copy', '', 'copy', '--create', @records);
sub record { return { eventName => 'MODIFY', dynamodb => { SequenceNumber => '1', Keys => \%key, NewImage => \%item, @_ } } }
for (['a key of another type', 'has no key attribute', record(Keys => { pk => { N => '1' } })], ['no key', 'has no key attribute', record(Keys => undef)],
	['a key of more', 'has Keys that are no key', record(Keys => \%item)], ['an image that is none', 'has no key attribute', record(NewImage => 'item1')],
	['the image of another item', 'the image of another item', record(NewImage => { pk => { S => 'item2' } })], ['no name', 'no eventName', { %{ record() }, eventName => undef }],
	['another name', 'no eventName', { %{ record() }, eventName => 'remove' }], ['nothing', 'no SequenceNumber', 7])
{
	my ($name, $message, $record) = @$_;

	plant(GetRecords => { Records => [ $record ] });
	move_fails("a record with $name", $message, '', 'follow', '--until-quiet', 0.5, @records);
}
my %made = %{ table_of('Ours') };
for (['no key', 'no list KeySchema', KeySchema => undef], ['a key of nothing', 'a key without attributes', KeySchema => []], ['a key that is not defined', 'does not define the key attribute "pk"', AttributeDefinitions => []],
	['a key without a type', 'has no AttributeType', AttributeDefinitions => [ { AttributeName => 'pk' } ]], ['a key of another kind', 'neither HASH nor RANGE', KeySchema => [ { AttributeName => 'pk', KeyType => 'SORT' } ]])
{
	my ($name, $message, @wrong) = @$_;

	plant(DescribeTable => { Table => { %made, @wrong } });
	move_fails("a table with $name", $message, '', $_, $_ eq 'plan' ? ('--table', 'Ours', @from) : @both) for 'plan', 'compare';
}
# the same items, in a table that reads them by another key
my %theirs = %{ table_of('Theirs') };
for (['another attribute', KeySchema => [ { AttributeName => 'v', KeyType => 'HASH' } ], AttributeDefinitions => [ { AttributeName => 'v', AttributeType => 'S' } ]],
	['another type', AttributeDefinitions => [ { AttributeName => 'pk', AttributeType => 'B' } ]],
	['one attribute more', KeySchema => [ { AttributeName => 'pk', KeyType => 'HASH' }, { AttributeName => 'v', KeyType => 'RANGE' } ],
		AttributeDefinitions => [ map { { AttributeName => $_, AttributeType => 'S' } } 'pk', 'v' ]])
{
	my ($name, @other) = @$_;
	my $items = { Items => [ { pk => { S => 'a' }, v => { S => 'b' } } ] };

	plant('Scan/Ours' => $items, 'Scan/Theirs' => $items, 'DescribeTable/Theirs' => { Table => { %theirs, @other } });
	move_fails("a table with the key of $name", 'the tables have different keys', '', 'compare', @both);
}
plant(ListTables => {});
move_fails('a list of no tables', 'an answer of ListTables has no list TableNames', '', 'plan', @from);
plant(ListTables => { TableNames => [ undef ] });
move_fails('a table without a name', 'has a table without a name', '', 'plan', @from);
plant();

# ---- states: of others, of a hand, of an earlier move, of programs that start together ----

my @hand = ('--table', 'Hand', @from, @into);
move_ok('copy', '', 'copy', '--create', @hand);
move_ok('follow', '', 'follow', '--until-quiet', 0.5, @hand);
state_sql(q{CREATE TABLE kept AS SELECT * FROM state WHERE move = 'Hand'});
for (['segment/00000', $_, 'copy', 'no JSON'] , ['shard/shard-1', $_, 'follow', 'no JSON'], ['shard/shard-1', $_, 'switch', 'no JSON'], ['move', $_, 'copy', 'no JSON'])
{
	for my $value ('5', '[]', '"x"', '{"done": tr', '')
	{
		my ($name, undef, $command) = @$_;

		state_sql(q{UPDATE state s SET value = k.value FROM kept k WHERE (s.move, s.name) = (k.move, k.name)});
		state_sql(qq{UPDATE state SET value = replace(value, 'copied', 'copying') WHERE move = 'Hand' AND name = 'move'}) if $command eq 'copy';
		state_sql(qq{UPDATE state SET value = '$value' WHERE move = 'Hand' AND name = '$name'});
		move_fails("$command with $name '$value'", '(is no JSON object|is not JSON)', '', $command, @hand, '--until-quiet', 0.5, '--no-compare');
	}
}
for (['copy', 'has no number of segments', 'segments', '"4"'], ['copy', 'has no number of segments', 'segments', '0'], ['copy', 'has no number of segments', 'segments', '1.5'],
	['follow', 'has an unknown phase', 'phase', '"done"'], ['copy', 'has an unknown phase', 'phase', '"done"'], ['reverse', 'has no target_stream', 'phase', '"switched"'])
{
	my ($command, $message, $name, $value) = @$_;

	state_sql(q{UPDATE state s SET value = k.value FROM kept k WHERE (s.move, s.name) = (k.move, k.name)});
	state_sql(qq{UPDATE state SET value = (value::jsonb || '{"phase": "copying"}' || '{"$name": $value}')::text WHERE move = 'Hand' AND name = 'move'});
	move_fails("$command with $name $value", $message, '', $command, @hand, '--until-quiet', 0.5, '--no-compare');
}
state_sql('DROP TABLE kept');

# what remains of an earlier move of the name keeps no item away
move_ok('a copy that ends', '', 'copy', '--create', '--table', 'Earlier', @from, @into);
state_sql(q{DELETE FROM state WHERE move = 'Earlier' AND name NOT LIKE 'segment/%'; DELETE FROM mover."Earlier" WHERE pk = 'item4'});
move_ok('another one of its name', '', 'copy', '--table', 'Earlier', @from, @into);
is(mover_sql('SELECT count(*) FROM "Earlier"'), '12', 'has all items');
my $note = substr(sha256_hex('{2:pkS 5:item5;}'), 0, 32);
state_sql(qq{DELETE FROM state WHERE move = 'Earlier'; INSERT INTO touched VALUES ('Earlier', '$note'); DELETE FROM mover."Earlier"});
move_ok('a third one', '', 'copy', '--table', 'Earlier', @from, @into);
is(mover_sql('SELECT count(*) FROM "Earlier"'), '12', 'has all items, too');

$target->safe_psql('postgres', q{CREATE ROLE enemy; GRANT CREATE ON DATABASE postgres TO enemy; SET ROLE enemy; CREATE SCHEMA trap; GRANT ALL ON SCHEMA trap TO public; SET search_path = trap;
	CREATE TABLE state (move text, name text, value text NOT NULL, PRIMARY KEY (move, name)); CREATE TABLE touched (move text, key text, PRIMARY KEY (move, key)); CREATE TABLE caught (who text);
	CREATE FUNCTION spring() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO trap.caught VALUES (current_user); RETURN NEW; END';
	CREATE TRIGGER t BEFORE INSERT ON state FOR EACH ROW EXECUTE FUNCTION spring(); GRANT ALL ON state, touched, caught TO public});
move_fails('a schema of another role', 'the schema "trap" of the target belongs to "enemy"', '', 'copy', '--create', '--table', 'Trapped', @from, @into, '--state', 'trap');
is($target->safe_psql('postgres', 'SELECT count(*) FROM trap.caught'), '0', 'runs no function');

# a place of states that another program makes at this moment
{
	my $other = IPC::Run::start([ 'psql', '-X', '-d', $target->connstr('postgres'), '-c', 'CREATE SCHEMA together AUTHORIZATION mover; SELECT pg_sleep(2)' ],
		'<', \undef, '>', \my $o, '2>', \my $e);

	wait_until(sub { $target->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'}) eq '1' });
	move_ok('two programs make a schema', '', 'copy', '--create', '--table', 'Together', @from, @into, '--state', 'together');
	$other->finish;
}
plant('DescribeTable/together' => [ { _status => 400, __type => 'x#ResourceNotFoundException' }, { Table => table_of('together') } ],
	'CreateTable/together' => { _status => 400, __type => 'x#ResourceInUseException' }, 'GetItem/together' => {}, 'Query/together' => { Items => [] }, PutItem => {});
move_ok('two programs make a table', '', 'copy', @both, '--state', 'together');
plant();

# a transaction that is never possible ends with the patience, or with the program
move_ok('a table', '', 'copy', '--create', '--table', 'Locked', @from, @into);
$target->safe_psql('postgres', q{ALTER ROLE mover SET lock_timeout = '100ms'; DELETE FROM dynamo_move.state WHERE move = 'Locked'});
{
	my $lock = IPC::Run::start([ 'psql', '-X', '-d', $target->connstr('postgres'), '-c', 'LOCK TABLE mover."Locked" IN EXCLUSIVE MODE; SELECT pg_sleep(60)' ], '<', \undef, '>', \my $o, '2>', \my $e);

	wait_until(sub { $target->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE relation = 'mover."Locked"'::regclass AND mode = 'ExclusiveLock' AND granted}) eq '1' });
	move_fails('a table that is locked', 'could not be made for the seconds of --patience: canceling statement due to lock timeout', '', 'copy', '--table', 'Locked', @from, @into, '--patience', 1);
	my ($out, $err) = ('', '');
	my $h = start_move(\$out, \$err, 'copy', '--table', 'Locked', @from, @into);
	sleep(1.5);
	$h->signal('TERM');
	$h->finish;
	is(($h->full_results)[0] >> 8, 2, 'the program was stopped');
	like($err, qr/stopped while a transaction could not be made: canceling/, 'and says what it waited for');
	$target->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%'});
	$lock->finish;
	$target->safe_psql('postgres', 'ALTER ROLE mover RESET lock_timeout');
}

# ---- batches of which a part is not done ----

my @state_there = ('DescribeTable/dynamo_move' => { Table => table_of('dynamo_move') }, GetItem => {}, Query => { Items => [] }, PutItem => {});
sub unprocessed { return { UnprocessedItems => { $_[0] => [ map { { PutRequest => { Item => $_ } } } @_[1 .. $#_] ] } } }
unlink $log;
plant(@state_there, BatchWriteItem => [ unprocessed('Theirs', { pk => { S => 'item7' }, v => { N => '8' } }, { pk => { S => 'item9' } }), {} ]);
move_ok('a part of a batch', '', 'copy', @both);
my @again = map { decode_json($_)->{RequestItems} } slurp_file($log) =~ /^BatchWriteItem (.*)/mg;
is(scalar(@again), 2, 'is sent again');
is(join(' ', map { "$_->{PutRequest}{Item}{pk}{S}=$_->{PutRequest}{Item}{v}{N}" } @{ $again[1]{Theirs} }), 'item7=7 item9=9', 'as it was');
for (['an item that was not sent', 'names an item that was not sent: .*item77', unprocessed('Theirs', { pk => { S => 'item77' } })],
	['an item of another table', 'names an item that was not sent: .*item77', unprocessed('Other', { pk => { S => 'item77' } })],
	['no item', 'has no key attribute "pk"', { UnprocessedItems => { Theirs => [ 7 ] } }], ['no list', 'has no list Theirs', { UnprocessedItems => { Theirs => {} } }],
	['no object', 'has UnprocessedItems that are none', { UnprocessedItems => [ 'item7' ] }])
{
	my ($name, $message, $answer) = @$_;

	plant(@state_there, BatchWriteItem => [ $answer, {} ]);
	move_fails("UnprocessedItems with $name", $message, '', 'copy', @both);
}
plant();

# ---- streams that go back, in circles, or no further; clocks ----

sub shard { my ($id, @more) = @_; return { ShardId => $id, SequenceNumberRange => { StartingSequenceNumber => '1' }, @more } }
sub shards { my @list = @_; return (DescribeStream => { StreamDescription => { Shards => \@list } }) }
sub numbered { my ($item, $number, @more) = @_; return { eventName => 'MODIFY', dynamodb => { SequenceNumber => $number, Keys => { pk => { S => $item } },
	NewImage => { pk => { S => $item }, v => { N => '77' } }, @more } } }
my $streams = 0;
# a copy of a table of this name, whose stream has one shard
sub begin
{
	my (@answers) = @_;
	my @args = ('--table', 'Stream' . ++$streams, @from, @into);

	plant(shards(shard('s')), @answers);
	move_ok("copy $streams", '', 'copy', '--create', @args);
	return (@args, '--until-quiet', 0.5);
}
my @stream = begin();
for (['a shard that is its own parent', shard('s'), shard('a', ParentShardId => 'a')], ['shards that are parents of each other', shard('a', ParentShardId => 'b'), shard('s'), shard('b', ParentShardId => 'a')],
	['a child of these', shard('s'), shard('c', ParentShardId => 'a'), shard('a', ParentShardId => 'b'), shard('b', ParentShardId => 'a')])
{
	my ($name, @list) = @$_;

	plant(shards(@list), GetRecords => { Records => [], NextShardIterator => 'x' });
	move_fails($name, 'is its own ancestor', '', 'follow', @stream);
}
# the first page is applied where the second one is wrong
for (['a page that goes back', [ 9, 10 ], [ 9 ]], ['a page of older ones', [ 100 ], [ 20, 99 ]], ['records in another order', [ 1 ], [ 3, 2 ]], ['leading zeros', [ '0010' ], [ '09' ]],
	['the same record', [ 'a' ], [ 'a' ]], ['the same number', [ 10 ], [ '010' ]])
{
	my ($name, @pages) = @$_;

	@stream = begin();
	plant(shards(shard('s')), GetRecords => [ map { { Records => [ map { numbered('item1', "$_") } @$_ ], NextShardIterator => 'x' } } @pages ]);
	move_fails($name, '(does not go on after|has record 2 after record 3)', '', 'follow', @stream);
}
@stream = begin();
plant(shards(shard('s')), GetRecords => [ { Records => [ numbered('item1', '9'), numbered('item2', '9'), numbered('item3', '10') ], NextShardIterator => 'x' },
	{ Records => [ numbered('item3', '10'), numbered('item4', '00000000000000000000000000000000000011') ], NextShardIterator => 'x' }, { Records => [], NextShardIterator => 'x' } ]);
move_ok('numbers that go on', '', 'follow', @stream);
is(join(' ', values_in($stream[1]) =~ /(item\d)=77/g), 'item1 item2 item3 item4', 'are applied');
plant(shards(shard('s')), GetRecords => { Records => [], NextShardIterator => 7 });
move_fails('an iterator that is none', 'has a NextShardIterator that is none', '', 'follow', @stream);

# iterators that expire at once
plant(shards(shard('s')), GetRecords => { _status => 400, __type => 'x#ExpiredIteratorException' });
unlink $log;
{
	my ($out, $err) = ('', '');
	my $h = start_move(\$out, \$err, 'follow', @stream);

	sleep(2.5);
	$h->signal('TERM');
	$h->finish;
	cmp_ok(scalar(() = slurp_file($log) =~ /^GetRecords/mg), '<', 30, 'no storm of requests');
}

# a stream that is turned off
my %off = (DescribeStream => { StreamDescription => { StreamStatus => 'DISABLED', Shards => [ shard('s') ] } });
plant(%off, GetRecords => [ { Records => [ numbered('item1', '12') ], NextShardIterator => 'x' }, { Records => [] } ]);
move_fails('a stream that was turned off', 'the stream "arn:stream" was turned off, and what was written since is not in it', '', 'follow', @stream[0 .. $#stream - 2]);
like(values_in($stream[1]), qr/item1=77/, 'its records are applied');
move_fails('switch without a comparison', 'was turned off', '', 'switch', '--no-compare', @stream);
mover_sql(qq{UPDATE "$stream[1]" SET item = item || '{"v": {"N": "1"}}' WHERE pk = 'item1'; UPDATE "$stream[1]" SET item = item || '{"v": {"N": "2"}}' WHERE pk = 'item2';
	UPDATE "$stream[1]" SET item = item || '{"v": {"N": "3"}}' WHERE pk = 'item3'; UPDATE "$stream[1]" SET item = item || '{"v": {"N": "4"}}' WHERE pk = 'item4'});
move_ok('switch with one', '', 'switch', @stream);
move_fails('late writes that nobody can see', 'was turned off', '', 'reverse', @stream);

# another stream
@stream = begin();
plant(shards(shard('s')), GetRecords => { Records => [], NextShardIterator => 'x' }, "DescribeTable/$stream[1]" => { Table => { %{ table_of($stream[1]) }, LatestStreamArn => 'arn:other' } });
move_fails("$_ of another stream", 'the source has another stream since', '', $_, '--no-compare', @stream) for 'follow', 'switch';
plant(shards(shard('s')), GetRecords => { Records => [], NextShardIterator => 'x' }, BatchWriteItem => {});
move_ok('switch', '', 'switch', '--no-compare', @stream);
mover_sql("SELECT disable_stream('$stream[1]'); SELECT enable_stream('$stream[1]')");
move_fails('reverse of another stream', 'the target has another stream since', '', 'reverse', '--no-compare', @stream);
move_fails('switch back of another stream', 'the target has another stream since', '', 'switch', '--back', '--no-compare', @stream);

# late writes to the source are found, also after an interruption and without "reverse"
@stream = begin();
my @quiet = (shards(shard('s')), GetRecords => { Records => [], NextShardIterator => 'x' }, BatchWriteItem => {});
plant(@quiet);
move_ok('switch', '', 'switch', '--no-compare', @stream);
plant(@quiet, GetRecords => { _sleep => 2, Records => [], NextShardIterator => 'x' });
unlink $log;
{
	my ($out, $err) = ('', '');
	my $h = start_move(\$out, \$err, 'reverse', @stream);

	wait_until(sub { -e $log && slurp_file($log) =~ /^GetRecords/m });
	$h->signal('TERM');
	$h->finish;
}
my %expired = (%{ numbered('item1', '12') }, eventName => 'REMOVE', userIdentity => { Type => 'Service', PrincipalId => 'dynamodb.amazonaws.com' });
plant(@quiet, GetRecords => [ { Records => [ \%expired ], NextShardIterator => 'x' }, { Records => [ numbered('item1', '13') ], NextShardIterator => 'x' } ]);
move_fails('a late write after an interruption', 'the source was written after the switch', '', 'reverse', @stream);
plant(@quiet, GetRecords => { Records => [ numbered('item1', '14') ], NextShardIterator => 'x' });
move_fails('a late write before the way back', 'the source was written after the switch', '', 'switch', '--back', @stream);
plant(@quiet, GetRecords => [ { Records => [ { %expired, dynamodb => { %{ $expired{dynamodb} }, SequenceNumber => '15' } } ], NextShardIterator => 'x' },
	{ Records => [], NextShardIterator => 'x' } ]);
move_ok('an item that expired in the source', '', 'reverse', @stream);
plant(@quiet);
mover_sql(qq{DELETE FROM "$stream[1]" WHERE pk = 'item5'});
move_fails('a repair by another name', "the move \"$stream[1]\" has been switched: --repair would bring back old items", '', 'compare', '--repair', '--name', 'another', @stream);
move_fails('a repair on the way back', 'has been switched: --repair would bring back old items', '', 'switch', '--back', '--repair', '--settle', 0, @stream);
is(mover_sql(qq{SELECT count(*) FROM "$stream[1]" WHERE pk = 'item5'}), '0', 'is not done');

# states in a table
plant('Scan/Ours' => { Items => [ \%item ] }, 'Scan/Theirs' => { Items => [] }, 'Scan/dynamo_move' => [ { Items => [], LastEvaluatedKey => { move => { S => 'x' } } },
	{ Items => [ { move => { S => 'first' }, name => { S => 'move' }, value => { S => '{"target":"Theirs","phase":"switched"}' } } ] } ]);
move_fails('a repair by another name', 'the move "first" has been switched', '', 'compare', '--repair', '--name', 'another', @both);
plant('Scan/Ours' => { Items => [] }, 'Scan/Theirs' => { Items => [] },
	'Scan/dynamo_move' => { Items => [ { move => { S => 'first' }, name => { S => 'move' }, value => { S => '{"target":"Theirs","target_id":"earlier","phase":"switched"}' } } ] });
move_ok('a repair of a table that was made again', '', 'compare', '--repair', '--name', 'another', @both);

# a switch while tables are repaired again and again
@stream = begin();
{
	my ($out, $err) = ('', '');
	my $h = start_move(\$out, \$err, 'compare', '--repair', '--every', 1, '--settle', 0, @stream);

	wait_until(sub { $h->pump_nb; $out =~ /differences/ });
	state_sql(qq{UPDATE state SET value = replace(value, '"copied"', '"switched"') WHERE move = '$stream[1]' AND name = 'move'});
	mover_sql(qq{DELETE FROM "$stream[1]" WHERE pk = 'item5'});
	eval { local $SIG{ALRM} = sub { die "it goes on\n" }; alarm 20; $h->finish; alarm 0; 1 } or $h->kill_kill(grace => 0);
	like($err, qr/has been switched: --repair would bring back old items/, 'a repair ends with the switch');
	is(mover_sql(qq{SELECT count(*) FROM "$stream[1]" WHERE pk = 'item5'}), '0', 'and writes nothing');
}

# a shard that ended just before the copy, and one of which nobody knows any more
my @ended = (shard('old', SequenceNumberRange => { EndingSequenceNumber => '5' }), shard('last', ParentShardId => 'old', SequenceNumberRange => { EndingSequenceNumber => '9' }),
	shard('s', ParentShardId => 'last'));
@stream = begin(shards(@ended));
plant(shards(@ended), GetRecords => [ { Records => [ numbered('item1', '8', ApproximateCreationDateTime => int(time()) - 10),
	numbered('item2', '9', ApproximateCreationDateTime => int(time()) - 4000) ] }, { Records => [], NextShardIterator => 'x' } ]);
unlink $log;
move_ok('follow after a shard that ended', '', 'follow', @stream);
is(join(' ', values_in($stream[1]) =~ /(item\d)=77/g), 'item1', 'its last changes are applied');
is(join(' ', slurp_file($log) =~ /^GetShardIterator .*"ShardId": ?"(\w+)"/mg), 'last s', 'and no earlier shard is read');
@stream = begin(shards(@ended));
plant(@quiet);
move_ok('follow when that shard is gone', '', 'follow', @stream);

# no shard at first, and none read for too long
my @none = ('--table', 'NoShard', @from, @into, '--until-quiet', 0.5);
plant(shards(), GetRecords => { Records => [], NextShardIterator => 'x' });
move_ok('a stream without shards', '', 'copy', '--create', @none);
plant(@quiet);
state_sql(q{UPDATE state SET value = regexp_replace(value, '"begun":[0-9.]+', '"begun":1.0') WHERE move = 'NoShard' AND name = 'move'});
move_fails('follow it after the retention', 'the stream was read last \d+ hours ago', '', 'follow', @none);

# clocks: a date in the future, and none
set(date => 'Fri, 01 Jan 2100 00:00:00 GMT');
@stream = begin();
unlink "$work/date";
plant(@quiet, GetRecords => [ { Records => [ numbered('item1', '1', ApproximateCreationDateTime => int(time())) ], NextShardIterator => 'x' }, { Records => [], NextShardIterator => 'x' } ]);
move_ok('follow', '', 'follow', @stream);
like(values_in($stream[1]), qr/item1=77/, 'a clock that is ahead leaves nothing out');
set(date => '');
@stream = begin();
plant(@quiet);
move_ok('follow without dates', '', 'follow', @stream);
state_sql(qq{UPDATE state SET value = regexp_replace(value, '"at":[0-9.]+', '"at":' || extract(epoch FROM now() - interval '23 hours')) WHERE move = '$stream[1]' AND name LIKE 'shard/%'});
move_ok('and again after 23 hours', '', 'follow', @stream);
cmp_ok(state_sql(qq{SELECT extract(epoch FROM now()) - (value::json ->> 'at')::float8 FROM state WHERE move = '$stream[1]' AND name LIKE 'shard/%'}), '<', 60, 'it is known that it was read');
unlink "$work/date";
plant();
move_fails('a table into itself', 'are the same table', '', 'copy', '--table', 'Self', @from, '--target-endpoint-url', "http://127.0.0.1:$port", '--target-region', 'us-east-1');

# ---- the end of the program ----

for (['throttle', 'copy', '--create', '--table', 'Slow', @from, @into, '--patience', 60], ['slow', 'compare', '--table', 'Lies', @from, @into],
	['slow', 'switch', '--table', 'Lies', '--until-quiet', 0.5, @from, @into])
{
	my ($mode, @args) = @$_;
	my ($out, $err) = ('', '');

	set(mode => $mode);
	unlink $log;
	my $h = start_move(\$out, \$err, @args);
	wait_until(sub { -e $log && slurp_file($log) =~ /^Scan/m });
	my $begun = time();
	$h->signal('TERM');
	$h->finish;
	is(($h->full_results)[0] >> 8, 2, "$args[0] was stopped");
	cmp_ok(time() - $begun, '<', 30, 'soon');
	unlike($err, qr/GetItem/, 'at once') if $mode eq 'slow';
	cmp_ok(scalar(() = slurp_file($log) =~ /^Scan/mg), '<', 100, 'without a storm of requests');
	like($err, qr/^not switched: it was interrupted$/m, 'and says so') if $args[0] eq 'switch';
}
set(mode => '');
{
	my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 8) or die $!;

	move_fails('a server that says nothing', 'cannot connect to the target: .*timeout', '', 'compare', '--table', 'Lies', @from,
		'--target', 'host=127.0.0.1 user=mover port=' . $silent->sockport, '--patience', 1);
}
move_fails('too many jobs', '--jobs needs a number from 1 to 1000', '', 'copy', @new, '--jobs', '1000000000');
move_fails('half a segment', '--segments needs a whole number', '', 'copy', @new, '--segments', '1.5');

plant(DescribeTable => { Table => table_of('Lies'), _endless => 1 });
move_fails('an answer with headers without end', 'of the source to DescribeTable has headers without end', '', 'plan', '--table', 'Lies', @from);
plant();
for my $option ('--table', '--target-table', '--name')
{
	move_fails("$option that is no text", "the value of $option is not UTF-8", '', 'copy', @new, $option, "a\xff");
}
if (-w '/dev/full')
{
	local %ENV = (%ENV, %aws);
	my $out = IPC::Run::start([ $program, 'plan', '--table', 'Lies', @from ], '<', \undef, '>', '/dev/full', '2>', \my $err);

	$out->finish;
	like((($out->full_results)[0] >> 8) . " $err", qr/^2 .*cannot write to the standard output/, 'a report that is not written');
	move_fails('a model that is not written', 'cannot write "/dev/full"', '', 'plan', '--table', 'Lies', @from, '--model', '/dev/full');
}

# ---- credentials ----

mkdir "$work/.aws";
append_to_file("$work/process", "#!/bin/sh\necho '{\"Version\": 1, \"AccessKeyId\": \"PROCESS\", \"SecretAccessKey\": \"processsecret\", \"SessionToken\": \"processtoken\"}'\n");
chmod 0700, "$work/process";
append_to_file("$work/.aws/config", "[profile process]\nregion = eu-west-3\nendpoint_url = http://127.0.0.1:$port\ncredential_process = $work/process\n" .
	"[profile broken]\nregion = eu-west-3\ncredential_process = echo brokensecret; false\n");
append_to_file("$work/.aws/credentials", "[file]\naws_access_key_id = FILE\naws_secret_access_key = filesecret\naws_session_token = filetoken\n");
append_to_file("$work/token", "from a file\n");
for (['process', 'process', 'eu-west-3'], ['file', 'file', 'us-east-1'], ['container', undef, 'us-east-1'])
{
	my ($kind, $profile, $region) = @$_;
	local %aws = (HOME => $work, ($region eq 'us-east-1' ? (AWS_REGION => $region) : ()), $profile ? () : (
		AWS_CONTAINER_CREDENTIALS_FULL_URI => "http://127.0.0.1:$port/credentials", AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE => "$work/token"));

	unlink $log;
	move_ok("credentials: $kind", '', 'plan', '--table', 'Any', '--sample', 0, $profile ? ('--profile', $profile) : (), $kind eq 'process' ? () : @from);
	like(slurp_file($log), qr{^authorization: AWS4-HMAC-SHA256 Credential=\U$kind\E/\d+/$region/dynamodb/}mi, 'the key and the region');
	like(slurp_file($log), qr/^x-amz-security-token: ${kind}token$/mi, 'the token');
	unlike(slurp_file($log), qr/${kind}secret/, 'no secret');
}
unlike(move_fails('a command that fails', 'credential_process gives no credentials', '', 'plan', '--table', 'Any', '--profile', 'broken', @from), qr/brokensecret/, 'its output is not shown');
{
	local %aws = (HOME => $work, AWS_REGION => 'us-east-1', AWS_CONTAINER_CREDENTIALS_FULL_URI => 'http://localhost:x@192.0.2.1/credentials');
	move_fails('an address that looks like this machine', 'must use https, or the address of this machine', '', 'plan', '--table', 'Any', @from);
}

# ---- TLS with a private authority ----

my @tls = ('plan', '--table', 'Lies', '--sample', 0, '--endpoint-url', "https://localhost:$target_port");
like(move_ok('an authority by option', '', @tls, '--ca-bundle', "$work/ca.crt"), qr/^table Lies: /m, 'the table is described');
{
	local %aws = (%aws, AWS_CA_BUNDLE => "$work/ca.crt");
	move_ok('an authority as AWS tools find it', '', @tls);
}
move_fails('an unknown authority', 'cannot use the address of the source', '', @tls);
$tls[-1] =~ s/localhost/127.0.0.1/;
move_fails('another name than that of the certificate', 'cannot use the address of the source', '', @tls, '--ca-bundle', "$work/ca.crt");

my @secure = ('copy', '--create', '--table', 'Secure', @from, '--target-endpoint-url', "https://localhost:$target_port", '--target-region', 'us-east-1');
move_fails('an unknown authority of the target', 'cannot use the address of the target', '', @secure);
move_fails('that of the source is not that of the target', 'cannot use the address of the target', '', @secure, '--ca-bundle', "$work/ca.crt");
move_ok('an authority of the target', '', @secure, '--target-ca-bundle', "$work/ca.crt");
is(mover_sql('SELECT count(*) FROM "Secure"'), '12', 'the items are there');

# ---- exports: damaged lines, other tables, parts of a manifest ----

mkdir "$work/$_" for qw(export export/data);
# Writes an export with a file for each text; the hash is what else its summary has.
sub write_export
{
	my ($summary, @files) = @_;
	my $n = 0;

	unlink glob("$work/export/*.json"), glob("$work/export/data/*");
	append_to_file("$work/export/manifest-summary.json", encode_json({ exportTime => POSIX::strftime('%Y-%m-%dT%H:%M:%S.000Z', gmtime), %$summary }));
	append_to_file("$work/export/manifest-files.json", '');
	for my $text (@files)
	{
		append_to_file("$work/export/data/part$n", $text);
		append_to_file("$work/export/manifest-files.json", encode_json({ dataFileS3Key => "AWSDynamoDB/x/data/part$n", md5Checksum => md5_base64($text) . '==',
			itemCount => scalar(() = $text =~ /Item/g) }) . "\n");
		$n++;
	}
}
sub lines_of { return join '', map { encode_json({ Item => { pk => { S => "$_" } } }) . "\n" } @_ }
my @export = ('copy', '--create', '--table', 'Exported', @from, @into, '--export', "$work/export");

write_export({}, "\0\n");
move_fails('a damaged line', 'is not JSON', '', @export);
write_export({}, '');
system("head -c 70000000 /dev/zero | gzip -1 >'$work/export/data/part0'");
unlink "$work/export/manifest-files.json";
append_to_file("$work/export/manifest-files.json", encode_json({ dataFileS3Key => 'AWSDynamoDB/x/data/part0',
	md5Checksum => md5_base64(slurp_file("$work/export/data/part0")) . '==' }) . "\n");
move_fails('a line without an end', 'part0" has a line of more than 64 MB', '', @export, '--name', 'endless');
for (['of another table', 'the export is of another table', { tableId => 'table-2' }], ['of the future', 'the export is of the future', { exportTime => '2100-01-01T00:00:00Z' }],
	['of another time zone', 'has no exportTime', { exportTime => '2026-01-01T00:00:00+02:00' }], ['without a part of its manifest', 'have 2 items instead of 3', { itemCount => 3 }])
{
	my ($name, $message, $summary) = @$_;

	write_export($summary, lines_of(1), lines_of(2));
	move_fails("an export $name", $message, '', @export, '--name', 'other');
}
write_export({ tableId => 'table-1', itemCount => 3, exportTime => POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time() - 5)) }, lines_of(1, 2), lines_of(3));
move_ok('an export', '', @export, '--name', 'whole');
is(mover_sql('SELECT count(*) FROM "Exported"'), '3', 'its items are there');
state_sql(q{UPDATE state SET value = replace(value, '"copied"', '"copying"') WHERE move = 'whole' AND name = 'move'});
write_export({ tableId => 'table-1', itemCount => 3 }, lines_of(1, 2), lines_of(4));
move_fails('another one, to go on from', 'the copy began from another export', '', @export, '--name', 'whole');

$target->stop;
done_testing();
