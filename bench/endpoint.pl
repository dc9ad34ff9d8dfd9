# endpoint.pl: the HTTP endpoint under load.  Started by bench/endpoint.
#
# The disk counts here: fsync is on.  Both sides of a row run in turns; a ratio
# is the median of the rounds' ratios.
use strict;
use warnings;
use Bench;
use BenchHttp;
use Getopt::Long;
use IO::Select;
use JSON::PP;
use lib "$ENV{BENCH_DIR}/../test/tap";
use HttpClient;

my $work = $ENV{BENCH_WORK};
my $json = JSON::PP->new->canonical;
my %option = (rounds => 5, seconds => 1);
GetOptions(\%option, 'rounds=i', 'seconds=f') or exit 2;
my $items = 10000;
my ($port, $sql_port) = free_ports(2);
my $item = '{"EntityType": "Order", "name": "Customer number 1", "email": "customer1@example.com", "status": "PAID", "total": 79.19, "quantity": 1, "active": true}';

# ---- both sides ----

sub key { return { PK => { S => "$_[0]" . int($_[1] / 10) }, SK => { S => "O$_[1]" } } }

sub order
{
	my ($prefix, $i) = @_;

	return { %{ key($prefix, $i) }, EntityType => { S => 'Order' }, name => { S => 'Customer number 1' },
		email => { S => 'customer1@example.com' }, status => { S => 'PAID' }, total => { N => '79.19' },
		quantity => { N => '1' }, active => { BOOL => JSON::PP::true } };
}

sub write_requests
{
	my ($name, $operation, $n, $body) = @_;

	return write_signed("$work/$name", $operation, [ map { $json->encode($body->($_)) } 1 .. $n ]);
}

sub http
{
	my ($file, $connections, $seconds) = @_;

	return run_http_client($file, '-p', $port, '-c', $connections, '-t', $seconds // $option{seconds});
}

# Transactions a second, over TCP as the other side's requests.
sub sql
{
	my ($script, $clients) = @_;
	my $seconds = $option{seconds} < 1 ? 1 : int($option{seconds});

	open(my $out, '>', "$work/pgbench.sql") or die $!;
	print $out $script;
	close($out);
	my $output = `pgbench -h 127.0.0.1 -n -M prepared -c $clients -j 2 -T $seconds -D 'item=$item' -f $work/pgbench.sql bench 2>&1`;
	$output =~ /tps = ([\d.]+) \(without/ or die "pgbench: $output";
	return $1;
}

sub row
{
	my ($title, $value, $target, @ratios) = @_;

	printf "| %s | %s | **%.2f** | %s | %s |\n", $title, $value, median(@ratios), spread(@ratios), $target;
	STDOUT->flush;
}

# HTTP against SQL at a number of connections, each round after the statements of
# $before.
sub compare
{
	my ($title, $file, $script, $connections, $target, $before) = @_;
	my (@rates, @ratios);

	progress("$title, $connections\n");
	for (1 .. $option{rounds})
	{
		run_script($before) if $before;
		push @rates, http($file, $connections)->{rate};
		push @ratios, $rates[-1] / sql($script, $connections);
	}
	row("$title, $connections connections", sprintf('%.0f a second', median(@rates)), $target, @ratios);
}

# ---- durable writes ----

my $pick = "\\set i random(0, 9999)\n";
my $key = "pk = 'C' || (:i / 10) AND sk = 'O' || :i";
my $put = "INSERT INTO raw VALUES ('C' || (:i / 10), 'O' || :i, :item) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;\n";

sub writes
{
	my @cases = (
		[ 'durable put', write_requests('put', 'PutItem', 5000, sub { { TableName => 'kept', Item => order('C', $_[0] * 7919 % $items) } }), $pick . $put ],
		[ 'durable update', write_requests('update', 'UpdateItem', 5000, sub { { TableName => 'kept', Key => key('C', $_[0] * 7919 % $items),
					UpdateExpression => 'ADD quantity :q', ExpressionAttributeValues => { ':q' => { N => '1' } } } }),
			"${pick}UPDATE raw SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::numeric + 1)) WHERE $key;\n" ],
		[ 'durable put of a new key', write_requests('new', 'PutItem', int(30000 * $option{seconds}), sub { { TableName => 'kept', Item => order('N', int(rand(2e9))) } }),
			"\\set i random(1, 2000000000)\nINSERT INTO raw VALUES ('N' || (:i / 10), 'O' || :i, :item);\n",
			q{DELETE FROM kept WHERE "PK" LIKE 'N%'; DELETE FROM raw WHERE pk LIKE 'N%'; VACUUM kept, raw; CHECKPOINT} ]);

	for my $case (@cases)
	{
		my ($title, $file, $script, $before) = @$case;

		compare($title, $file, $script, $_, $_ == 64 ? '>= 2.0' : '>= 1.0', $before) for 1, 8, 64;
	}
}

# ---- transactions with tokens ----

sub tokens
{
	my $n = 0;
	my $file = write_requests('tokens', 'TransactWriteItems', 30000, sub {
			my @i = map { ($_[0] * 7919 + $_ * 31) % $items } 0 .. 2;
			{ ClientRequestToken => sprintf('%08d-%d-%d', $n++, $$, rand(1e9)), TransactItems => [
					{ ConditionCheck => { TableName => 'kept', Key => key('C', $i[0]), ConditionExpression => 'attribute_exists(PK)' } },
					map { { Put => { TableName => 'kept', Item => order('C', $_) } } } @i[ 1, 2 ] ] } });
	my $second = $put =~ s/:i\b/:j/gr;
	my $script = "${pick}\\set j random(0, 9999)\n\\set k random(0, 9999)\nBEGIN;\nSELECT FROM raw WHERE pk = 'C' || (:k / 10) AND sk = 'O' || :k FOR UPDATE;\n$put${second}COMMIT;\n";

	# one at a time: in a random order, SQL's transactions would wait for each other in circles
	compare('TransactWriteItems with a token, a check and two puts', $file, $script, 1, '>= 0.8');
}

# ---- reads beside others ----

my $get;

# A process that does something until it is stopped.
sub beside
{
	my ($work, $do) = @_;
	my $pid = fork // die "fork: $!";

	if ($pid == 0)
	{
		open(STDOUT, '>', '/dev/null');
		$work->();
		exit 0;
	}
	select(undef, undef, undef, 0.5);
	my $result = eval { $do->() };
	my $error = $@;
	kill 'TERM', $pid;
	waitpid $pid, 0;
	die $error if $error;
	return $result;
}

# Sends a request on each connection, again whenever it is answered, with whatever.
sub keep_asking
{
	my ($connections, $request) = @_;
	my $select = IO::Select->new;

	for (1 .. $connections)
	{
		my $socket = connect_http($port);
		send_raw($socket, $request->());
		$select->add($socket);
	}
	while (my @ready = $select->can_read)
	{
		for my $socket (@ready)
		{
			read_answer($socket) or return;
			send_raw($socket, $request->());
		}
	}
}

sub reads_beside
{
	my ($title, $target, $field, $load) = @_;
	my (@with, @ratios);

	progress("$title\n");
	for (1 .. $option{rounds})
	{
		my $idle = http($get, 8, 2)->{$field};

		push @with, beside($load, sub { http($get, 8, 2) })->{$field};
		push @ratios, $with[-1] / $idle;
	}
	row($title, $field eq 'rate' ? sprintf('%.0f a second', median(@with)) : sprintf('%.2f ms', median(@with) / 1000), $target, @ratios);
}

sub lock
{
	my $request = signed_request('UpdateItem', $json->encode({ TableName => 'kept', Key => key('C', 5), UpdateExpression => 'ADD quantity :q',
				ExpressionAttributeValues => { ':q' => { N => '1' } } }));

	# a prepared transaction holds the row without a session
	run_script(q{BEGIN; UPDATE kept SET item = item WHERE "PK" = 'C0' AND "SK" = 'O5'; PREPARE TRANSACTION 'holder'});
	reads_beside('GetItem of 8 while 16 fight for a row that SQL holds, 99 %', '<= 2', 'p99', sub { keep_asking(16, sub { $request }) });
	run_script(q{ROLLBACK PREPARED 'holder'});
}

sub scans
{
	my $request = signed_request('Scan', $json->encode({ TableName => 'kept', FilterExpression => 'quantity = :q', ExpressionAttributeValues => { ':q' => { N => '-1' } } }));

	reads_beside('GetItem of 8 while 4 scan with a filter, 99 %', '<= 3', 'p99', sub { keep_asking(4, sub { $request }) });
}

sub standby
{
	my $request = signed_request('PutItem', $json->encode({ TableName => 'kept', Item => order('C', 5) }));
	my @load = (q{ALTER SYSTEM SET synchronous_standby_names = 'gone'}, q{ALTER SYSTEM RESET synchronous_standby_names});
	my (@rates, @ratios);

	progress("standby\n");
	for (1 .. $option{rounds})
	{
		my $before = http($get, 8, 2)->{rate};

		run_script("$load[0]; SELECT pg_reload_conf()");
		push @rates, beside(sub { keep_asking(8, sub { $request }) }, sub { http($get, 8, 2) })->{rate};
		push @ratios, $rates[-1] / $before;
		run_script("$load[1]; SELECT pg_reload_conf()");
	}
	row('GetItem of 8 while 8 writes wait for a standby that is gone', sprintf('%.0f a second', median(@rates)), '>= 0.9', @ratios);
}

# ---- start ----

sub start
{
	restart_with_endpoint($port, 'listen_addresses=127.0.0.1', "port=$sql_port", 'fsync=on', 'synchronous_commit=on',
		'full_page_writes=on', 'max_connections=100', 'max_prepared_transactions=2');
	$ENV{PGPORT} = $sql_port;
	run_script(qq{SELECT dynamo.create_table('kept', 'PK', 'SK');
CREATE TABLE raw (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL, PRIMARY KEY (pk, sk)) WITH (fillfactor = 90);
INSERT INTO raw SELECT 'C' || (i / 10), 'O' || i, '$item' FROM generate_series(0, $items - 1) i;
INSERT INTO kept (item) SELECT item || jsonb_build_object('PK', pk, 'SK', sk) FROM raw;
});
	$get = write_requests('get', 'GetItem', 2000, sub { { TableName => 'kept', Key => key('C', $_[0] * 7919 % $items) } });
}

require IO::Handle;
my %cases = (writes => \&writes, tokens => \&tokens, lock => \&lock, scans => \&scans, standby => \&standby);
my @cases = @ARGV ? @ARGV : qw(writes tokens lock scans standby);
exists $cases{$_} or die "no case $_\n" for @cases;
start();
print "| measured | value | ratio | spread | target |\n|---|---|---|---|---|\n";
$cases{$_}->() for @cases;
