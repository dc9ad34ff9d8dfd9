# scale.pl: large tables, upkeep, bulk loads, memory.  Started by bench/scale.
use strict;
use warnings;
use Bench;
use BenchHttp;
use Getopt::Long;
use IO::Handle;
use JSON::PP;
use Time::HiRes ();

my $work = $ENV{BENCH_WORK};
my $json = JSON::PP->new->canonical;
my %option = (bytes => 200, seconds => 10);
my $what = shift // '';
GetOptions(\%option, 'bytes=i', 'seconds=f', 'pause') or exit 2;
my ($port) = free_ports(1);
my $sampled = 20000;

# ---- items ----

# Ten items a partition, twenty an entry of the index.
my $functions = q{
CREATE OR REPLACE FUNCTION scale_item(i bigint, bytes int) RETURNS dynamo.item LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT jsonb_build_object('PK', 'C#' || lpad((i / 10)::text, 8, '0'), 'SK', 'O#' || lpad(i::text, 10, '0'),
	'GSI1PK', 'P#' || (i * 7919 % 1000003) / 20, 'GSI1SK', lpad((i % 100000)::text, 6, '0'), 'quantity', i % 17,
	'note', repeat('x', greatest(bytes - 90, 0)))::dynamo.item
$$};

sub table { return "scale_$_[0]" }

sub key { return { PK => { S => sprintf 'C#%08d', int($_[0] / 10) }, SK => { S => sprintf 'O#%010d', $_[0] } } }

sub item
{
	my ($i, %other) = @_;

	return { %{ key($i) }, GSI1PK => { S => 'P#' . int($i * 7919 % 1000003 / 20) }, GSI1SK => { S => sprintf '%06d', $i % 100000 },
		quantity => { N => '' . $i % 17 }, note => { S => 'x' x ($option{bytes} - 90) }, %other };
}

sub seconds
{
	my ($do) = @_;
	my $from = Time::HiRes::time();

	$do->();
	return Time::HiRes::time() - $from;
}

# Two processes, as many as the cores of the machine that the figures are from.
sub fill
{
	my ($table, $n) = @_;
	my @children;

	for my $part (0, 1)
	{
		my ($from, $to) = ($part ? (int($n / 2), $n - 1) : (0, int($n / 2) - 1));
		my $pid = fork // die "fork: $!";
		if ($pid == 0)
		{
			exec('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-c', "INSERT INTO $table (item) SELECT scale_item(i, $option{bytes}) FROM generate_series($from, $to) i");
		}
		push @children, $pid;
	}
	for my $pid (@children)
	{
		waitpid $pid, 0;
		die "filling $table failed\n" if $?;
	}
}

sub make
{
	my ($table, $indexes) = @_;

	run_script("SELECT dynamo.create_table('$table', partition_key => 'PK', sort_key => 'SK')");
	run_script("SELECT dynamo.create_index('$table', 'GSI$_', 'GSI1PK', 'GSI1SK')") for 1 .. $indexes;
}

sub line
{
	print '| ', join(' | ', @_), " |\n";
}

sub head
{
	line(@_);
	line(map { '---' } @_);
}

sub rate_of
{
	my ($n, $seconds) = @_;

	return sprintf '%.0f a second', $n / $seconds;
}

# ---- latency ----

my %operation = (
	'get' => [ 'GetItem', q{SELECT dynamo.get_item('%s', $1)}, \&key, sub { { Key => $_[0] } } ],
	'put, existing key' => [ 'PutItem', q{SELECT dynamo.put_item('%s', $1)}, sub { item($_[0], quantity => { N => '99' }) }, sub { { Item => $_[0] } } ],
	'put, new key' => [ 'PutItem', q{SELECT dynamo.put_item('%s', $1)}, sub { item($_[0], SK => { S => 'N#' . int(rand(1e12)) }) }, sub { { Item => $_[0] } } ],
	'query, 10 items' => [ 'Query', q{SELECT dynamo.query('%s', 'PK = :k', $1, max_items => 10)},
		sub { { ':k' => key($_[0])->{PK} } }, sub { { KeyConditionExpression => 'PK = :k', ExpressionAttributeValues => $_[0], Limit => 10 } } ],
	'index query, 20 items' => [ 'Query', q{SELECT dynamo.query('%s', 'GSI1PK = :k', $1, index_name => 'GSI1', max_items => 20)},
		sub { { ':k' => item($_[0])->{GSI1PK} } },
		sub { { IndexName => 'GSI1', KeyConditionExpression => 'GSI1PK = :k', ExpressionAttributeValues => $_[0], Limit => 20 } } ]);
my @order = ('get', 'query, 10 items', 'index query, 20 items', 'put, existing key', 'put, new key');

sub by_sql
{
	my ($table, $statement, $parameters) = @_;

	open(my $out, '>', "$work/parameters") or die $!;
	print $out $json->encode($_), "\n" for @$parameters;
	close($out);
	my @measured = rate(sprintf($statement, $table), c => 1, t => $option{seconds}, p => "$work/parameters");
	return sprintf('%.0f', $measured[0]), map { sprintf '%.3f', $measured[$_] / 1000 } 3, 4;
}

sub by_request
{
	my ($table, $operation, $body, $parameters) = @_;
	my $file = write_signed("$work/requests", $operation, [ map { $json->encode({ TableName => $table, %{ $body->($_) } }) } @$parameters ]);
	my $measured = run_http_client($file, '-p', $port, '-c', 8, '-t', $option{seconds});

	return sprintf('%.0f', $measured->{rate}), map { sprintf '%.3f', $measured->{$_} / 1000 } qw(p50 p99);
}

sub latency
{
	my @sizes = @_ ? @_ : (100_000, 1_000_000, 10_000_000);
	my (%load, %bytes);

	for my $n (@sizes)
	{
		progress("loading $n items\n");
		make(table($n), 1);
		$load{$n} = seconds(sub { fill(table($n), $n) });
		run_script('VACUUM ANALYZE ' . table($n) . '; CHECKPOINT');
		$bytes{$n} = run_script("SELECT pg_total_relation_size('" . table($n) . "') / $n");
	}
	if ($option{pause})
	{
		progress("loaded; a line to go on\n");
		<STDIN>;
	}
	head('items', 'operation', 'SQL a second', 'median ms', '99 % ms', 'HTTP a second', 'median ms', '99 % ms');
	for my $n (@sizes)
	{
		for my $name (@order)
		{
			my ($operation, $statement, $parameter, $body) = @{ $operation{$name} };
			my @parameters = map { $parameter->(int(rand($n))) } 1 .. $sampled;
			my @sql = by_sql(table($n), $statement, \@parameters);

			# keys that are new again
			@parameters = map { $parameter->(int(rand($n))) } 1 .. $sampled if $name =~ /new/;
			line($n, $name, @sql, by_request(table($n), $operation, $body, \@parameters));
		}
		line($n, 'loaded with one index', rate_of($n, $load{$n}), ('') x 5);
		line($n, 'bytes on disk an item', $bytes{$n}, ('') x 5);
	}
}

# ---- upkeep ----

sub wait_for_index
{
	my ($table, $index) = @_;

	Time::HiRes::sleep(0.1) until run_script("SELECT status FROM dynamo.indexes WHERE table_name = '$table' AND index_name = '$index'") eq 'ACTIVE';
}

sub upkeep
{
	my $n = shift // 10_000_000;
	my $t = table($n);
	my $tenth = int($n / 10);
	my $report = sub {
		my ($title, $count, $do) = @_;
		progress("$title\n");
		my $seconds = seconds($do);
		line($title, sprintf('%.1f', $seconds), rate_of($count, $seconds));
	};
	my $change = sub {
		run_script("UPDATE $t SET item = item || '$_[0]'::jsonb::dynamo.item WHERE right(\"SK\", 1) = '7'");
	};

	make($t, 1);
	head('measured', 'seconds', 'rate');
	$report->("INSERT of $n items, one index", $n, sub { fill($t, $n) });
	$report->('VACUUM ANALYZE after it', $n, sub { run_script("VACUUM ANALYZE $t") });
	$report->('create_index online until ACTIVE', $n, sub { run_script("SELECT dynamo.create_index('$t', 'late', 'GSI1SK', 'PK')"); wait_for_index($t, 'late') });
	$report->('verify_index', $n, sub { my $found = run_script("SELECT count(*) FROM dynamo.verify_index('$t', 'late')"); die "$found problems\n" if $found });
	$report->("UPDATE of $tenth items", $tenth, sub { $change->('{"quantity": 100}') });
	$report->('VACUUM after it', $tenth, sub { run_script("VACUUM $t") });
	$report->("UPDATE of $tenth items to an expiry time", $tenth, sub { $change->(sprintf '{"expires": %d}', time - 3600) });
	$report->('update_time_to_live', $n, sub { run_script("SELECT dynamo.update_time_to_live('$t', 'expires')") });
	$report->("delete_expired() of $tenth items, 10,000 a call", $tenth, sub {
			1 while run_script("SELECT dynamo.delete_expired('$t')") > 0;
			my $left = run_script("SELECT count(*) FROM $t");
			die "$left items left\n" if $left != $n - $tenth });
	run_script("SELECT dynamo.update_time_to_live('$t', 'expires', false); SELECT dynamo.enable_stream('$t')");
	$report->("UPDATE of $tenth items with a stream of both images", $tenth, sub {
			run_script("UPDATE $t SET item = item || '{\"quantity\": 101}'::jsonb::dynamo.item WHERE right(\"SK\", 1) = '5'") });
	$report->('read_stream of them, 10,000 a call', $tenth, sub { read_all($t, $tenth) });
	$report->('trim_streams of them', $tenth, sub { 1 while run_script("SELECT dynamo.trim_streams('$t', '0 seconds')") > 0 });
}

sub read_all
{
	my ($t, $expected) = @_;
	my ($after, $read) = ('NULL', 0);

	for (;;)
	{
		my ($n, $last) = split /\|/, run_script("SELECT count(*), max(sequence_number) FROM dynamo.read_stream('$t', $after, 10000)");
		last if $n == 0;
		($after, $read) = ($last, $read + $n);
	}
	die "$read of $expected records\n" if $read != $expected;
}

# ---- bulk ----

sub bulk
{
	my $n = shift // 1_000_000;

	run_script("COPY (SELECT scale_item(i, $option{bytes}) FROM generate_series(0, $n - 1) i) TO '$work/items'");
	head('measured', 'seconds', 'rate');
	for my $indexes (0, 1, 3)
	{
		my $t = "bulk_$indexes";

		progress("COPY with $indexes indexes\n");
		make($t, $indexes);
		my $seconds = seconds(sub { run_script("COPY $t (item) FROM '$work/items'") });
		line("COPY of $n items, $indexes indexes", sprintf('%.1f', $seconds), rate_of($n, $seconds));
	}
	my $seconds = seconds(sub { run_script("SELECT dynamo.export_items('bulk_0', '$work/exported')") });
	line("export_items of $n items", sprintf('%.1f', $seconds), rate_of($n, $seconds));
	make('imported', 0);
	$seconds = seconds(sub { run_script("SELECT dynamo.import_items('imported', '$work/exported')") });
	line("import_items of $n items", sprintf('%.1f', $seconds), rate_of($n, $seconds));
	my $differ = run_script(q{SELECT count(*) FROM bulk_0 b FULL JOIN imported i USING ("PK", "SK") WHERE b.item IS DISTINCT FROM i.item});
	die "$differ items differ\n" if $differ;
}

# ---- memory ----

# Private memory of a process in KB.
sub private_memory
{
	my ($pid) = @_;
	my $sum = 0;

	open(my $in, '<', "/proc/$pid/smaps_rollup") or die "process $pid: $!";
	while (my $line = <$in>)
	{
		$sum += $1 if $line =~ /^Private_(?:Clean|Dirty): +(\d+)/;
	}
	return $sum;
}

# One session that gets, puts, queries and updates in turn; its process.
sub begin_session
{
	my ($t, $n, $duration) = @_;
	my $statement = qq{SELECT dynamo.get_item('$t', \$1), dynamo.put_item('$t', \$2), dynamo.update_item('$t', \$1, 'ADD quantity :n', expression_attribute_values => '{":n": {"N": "1"}}'), (SELECT count(*) FROM dynamo.query('$t', 'GSI1PK = :k', \$3, index_name => 'GSI1'))};

	open(my $out, '>', "$work/session") or die $!;
	for (1 .. $sampled)
	{
		my $item = item(int(rand($n)));
		print $out join("\x1f", map { $json->encode($_) } { map { $_ => $item->{$_} } qw(PK SK) }, $item, { ':k' => $item->{GSI1PK} }), "\n";
	}
	close($out);
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open(STDOUT, '>', "$work/session.rate");
		exec("$work/client", '-t', $duration, '-p', "$work/session", $statement);
	}
	for (1 .. 100)
	{
		my $backend = run_script(q{SELECT pid FROM pg_stat_activity WHERE query LIKE '%ADD quantity%' AND pid <> pg_backend_pid() LIMIT 1});
		return ($pid, $backend) if $backend;
		Time::HiRes::sleep(0.1);
	}
	die "the session did not begin\n";
}

# Requests of each operation in turn, for some seconds.
sub load_endpoint
{
	my ($t, $n, $duration) = @_;

	for my $name (grep { !/new/ } @order)
	{
		my ($operation, undef, $parameter, $body) = @{ $operation{$name} };
		my $file = write_signed("$work/requests", $operation,
			[ map { $json->encode({ TableName => $t, %{ $body->($parameter->(int(rand($n)))) } }) } 1 .. 2000 ]);
		run_http_client($file, '-p', $port, '-c', 8, '-t', $duration / 4);
	}
}

sub memory
{
	my $duration = shift // 3600;
	my ($t, $n) = (table('memory'), 200_000);
	my @workers = split /\n/, run_script("SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http'");
	my $from;

	make($t, 1);
	fill($t, $n);
	my ($session, $backend) = begin_session($t, $n, $duration + 10);
	head('after', 'backend', map { "worker $_" } 1 .. @workers);
	$from = Time::HiRes::time();
	for my $part (0 .. 8)
	{
		# the first sample after a hundredth, then eighths; a file of requests is good for 15 minutes
		my $until = $part ? $duration * $part / 8 : $duration / 100;
		while ((my $left = $from + $until - Time::HiRes::time()) > 0)
		{
			load_endpoint($t, $n, $left < 300 ? $left : 300);
		}
		line(sprintf('%.0f s', Time::HiRes::time() - $from), map { private_memory($_) . ' KB' } $backend, @workers);
	}
	waitpid $session, 0;
	die "the session failed\n" if $?;
}

STDOUT->autoflush;
my %parts = (latency => \&latency, upkeep => \&upkeep, bulk => \&bulk, memory => \&memory);
$parts{$what} or die "latency, upkeep, bulk or memory?\n";
# expiry is measured by calls, not by the worker beside them
restart_with_endpoint($port, 'dynamo.http_workers=2', 'dynamo.housekeeping_interval=0');
run_script($functions);
print run_script('SHOW server_version'), ', shared_buffers ', run_script('SHOW shared_buffers'), ", items of about $option{bytes} bytes\n\n";
$parts{$what}->(@ARGV);
