# identity.pl: data that a client or a session keeps can outlive its table.
#
# A client collects last evaluated keys, tokens and shard iterators of a random
# table; a session runs, prepares and caches statements on it.  Then another session
# gives the table's name, or the names of its indexes, to objects of another shape.
# All of it is used again, by the old session and by a new one.
# Both must get the same answer, an error or the present data, and neither may stop
# the server or get an internal error.
#
# IDENTITY_SECONDS: duration (10).  IDENTITY_SEED: the number of the first
# table; a failure reports its own.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HostileStatements;
use HostileTables;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'time';

my $seconds = $ENV{IDENTITY_SECONDS} || 10;
my $first_seed = $ENV{IDENTITY_SEED} || 1;
my $begin = time;
my $node = new_dynamo_node(
	'identity', q{
statement_timeout = 60s
log_error_verbosity = verbose
log_min_error_statement = panic
plan_cache_mode = force_generic_plan
});
my $directory = $PostgreSQL::Test::Utils::tmp_check;
my $decoder = JSON::PP->new->utf8(0)->canonical;
my @functions = grep { $_->{name} ne 'expression_cache_stats' } sql_functions($node);
my @faults;

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');

# ---- sessions ----

my $output = "$directory/identity.out";

# Writes a script in which each statement prints its rows to the output, and its
# SQLSTATE to the errors; returns its path.
sub write_script
{
	my (@statements) = @_;
	my $path = "$directory/identity.sql";

	open my $script, '>:utf8', $path or die "$path: $!";
	print $script "\\set VERBOSITY sqlstate\nSET client_min_messages = error;\nSET search_path = a, dynamo, public;\n\\o $output\n";
	print $script "\\qecho \@\@ $_\n\\warn \@\@ $_\n$statements[$_];\n" for 0 .. $#statements;
	print $script "\\qecho \@\@ end\n\\warn \@\@ end\n\\o\n";
	close $script;
	return $path;
}

# Returns the output of each statement of the script, or its SQLSTATE.
sub answers_of
{
	my ($stderr) = @_;
	my %answers = slurp_file($output) =~ /^@@ (\d+)\n(.*?)(?=^@@ )/msg;
	my %errors = "$stderr\n" =~ /^@@ (\d+)\n(.*?)(?=^@@ )/msg;

	for my $i (keys %errors)
	{
		$answers{$i} = $1 if $errors{$i} =~ /(?:ERROR|FATAL):\s+(\w{5})/;
	}
	return map { $answers{$_} } sort { $a <=> $b } keys %answers;
}

# Removes from an answer what differs between times or processes.
sub constant_part
{
	my ($answer) = @_;

	$answer =~ s/(?<="NextShardIterator":")[^"]*//g;
	$answer =~ s/(?<=_size_bytes": |SizeBytes":)\d+//g;
	$answer =~ s/\d{4}-\d\d-\d\dT[\d:.]+//g;
	return $answer;
}

# Opens a session that runs statements as the owner of the table.
sub open_session
{
	return $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
}

sub run_in
{
	my ($session, @statements) = @_;
	my $path = write_script(@statements);

	$session->{stderr} = '';
	eval { $session->query("\\i $path") };
	return answers_of($session->{stderr});
}

sub run_anew
{
	my (@statements) = @_;
	my $path = write_script(@statements);
	my $stderr = '';

	$node->psql('postgres', "\\i $path", stderr => \$stderr, on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
	return answers_of($stderr);
}

# ---- shapes ----

# Creates a random table with items of its own shape; returns its description.
sub shape
{
	my $table = hostile_table('tab');

	$table->{odd} = 0;
	$table->{items} = [ map { random_item($table) } 1 .. 15 ];
	return $table;
}

sub literal { quote_literal(json($_[0])) . '::dynamo.item' }

sub made
{
	my ($table) = @_;

	return ($table->{create} =~ s/;\n$//r =~ s/;\n/; /gr, map { "SELECT dynamo.put_item('tab', " . literal($_) . ')' } @{ $table->{items} });
}

# Statements that give names of the old shape to the new one.
sub index_sql
{
	my ($index) = @_;
	my @arguments = map { my $value = $index->{$_}; "$_ => " . (ref $value eq 'ARRAY' ? "'{" . join(',', @$value) . "}'" : quote_literal($value)) }
	  grep { $_ !~ /^local$/ } sort keys %$index;

	return "SELECT dynamo.create_index('tab', " . join(', ', @arguments, 'local => ' . ($index->{local} ? 'true' : 'false')) . ')';
}

sub changes
{
	my ($old, $new) = @_;
	my @indexes = map { $_->{index_name} } @{ $old->{indexes} };
	my %same = map { $_->{index_name} => { %$_, partition_key_type => $old->{attributes}{ $_->{partition_key} } // 'S' } } @{ $new->{indexes} };

	for my $index (values %same)
	{
		$index->{sort_key_type} = $old->{attributes}{ $index->{sort_key} } if defined $index->{sort_key};
	}
	return pick(
		[ 'SELECT dynamo.drop_table($$tab$$)', made($new) ], [ 'DROP TABLE tab CASCADE', made($new) ],
		[ 'ALTER TABLE tab RENAME TO old', made($new) ],
		[ 'BEGIN', 'SELECT dynamo.drop_table($$tab$$)', made($new), 'COMMIT' ],
		[ (map { "SELECT dynamo.drop_index('tab', '$_')" } @indexes), map { index_sql($_) } values %same ],
		[ map { ("SELECT dynamo.drop_index('tab', '$_')", index_sql($same{$_})) } grep { $same{$_} } @indexes ],
		[ "SELECT dynamo.disable_stream('tab')", "SELECT dynamo.enable_stream('tab', 'KEYS_ONLY')" ],
		[ 'ALTER TABLE tab ALTER COLUMN "PK" TYPE ' . pick('numeric USING length("PK"::text)', 'bytea USING decode(md5("PK"::text), $$hex$$)', 'text COLLATE "en-x-icu"') ],
		[ 'ALTER TABLE tab DROP COLUMN "PK" CASCADE' ], [ 'ALTER TABLE tab ALTER item TYPE jsonb' ]);
}

# ---- data that is kept ----

my %start = (LastEvaluatedKey => 'ExclusiveStartKey', NextToken => 'NextToken');

# Returns requests for the next page, given requests for the first.
sub next_pages
{
	my ($requests, @answers) = @_;
	my @next;

	for my $i (0 .. $#answers)
	{
		my $answer = eval { $decoder->decode($answers[$i]) } or next;
		my ($operation, $request) = @{ $requests->[$i] };

		push @next, map { [ $operation, { %$request, $start{$_} => $answer->{$_} } ] } grep { defined $answer->{$_} } keys %start;
	}
	return @next;
}

# Statements with the shard iterators of a stream, of each type.
sub iterator_statements
{
	my ($session) = @_;
	my ($arn) = run_in($session, q{SELECT arn FROM dynamo.streams WHERE table_name = 'tab'});

	chomp $arn;
	return () if $arn !~ /^arn/;
	my ($described) = run_in($session, request_sql('DescribeStream', { StreamArn => $arn }));
	my $shard = $decoder->decode($described)->{StreamDescription}{Shards}[0]{ShardId};
	my @iterators = map { eval { $decoder->decode($_)->{ShardIterator} } } run_in($session,
		map { request_sql('GetShardIterator', { StreamArn => $arn, ShardId => $shard, ShardIteratorType => $_ }) } 'TRIM_HORIZON', 'LATEST');

	return ((map { request_sql('GetRecords', { ShardIterator => $_ }) } grep { defined } @iterators),
		request_sql('DescribeStream', { StreamArn => $arn }), "SELECT dynamo.read_stream('tab', 100000000000000000001)");
}

sub is_query { $_[0] =~ /^(?:SELECT|UPDATE|DELETE|INSERT)/ && $_[0] !~ /;/ }

# Returns a statement whose effects are not kept.
sub undone { "BEGIN\\; $_[0];\nROLLBACK" }

# ---- tokens ----

# Returns requests that put items of the table, each with its own token.
sub token_requests
{
	my ($table) = @_;
	my @items = @{ $table->{items} }[ 0 .. 4 ];

	return map { request_sql('TransactWriteItems', { ClientRequestToken => "token$_", TransactItems => [ { Put => { TableName => 'a.tab', Item => $items[$_] } } ] }) } 0 .. $#items;
}

# A request that succeeds has its own effect, even if its token was used before.
sub check_tokens
{
	my ($place, $table) = @_;
	my @requests = token_requests($table);
	my @answers = run_anew(map { "BEGIN\\; $requests[$_]\\; SELECT 'found' FROM a.tab WHERE item = " . literal($table->{items}[$_]) . ";\nROLLBACK" } 0 .. $#requests);

	for my $i (0 .. $#answers)
	{
		fault($place, 'the item was not put', $requests[$i]) if $answers[$i] =~ /^\{/ && $answers[$i] !~ /^found/m;
	}
	return;
}

# ---- a round ----

my $oid = q{SELECT to_regclass('a.tab')::oid};
my ($rounds, $runs) = (0, 0);

sub fault
{
	my ($place, $what, $statement) = @_;

	push @faults, "$place: $what in: $statement";
	return;
}

# Compares the answers of the old session with those of a new one.  An old plan may
# report that its result type has changed.
sub compare
{
	my ($place, $statements, $old, $new) = @_;

	for my $i (0 .. $#$statements)
	{
		my ($before, $after) = map { constant_part($_->[$i] // 'no answer') } $old, $new;

		fault($place, "the session's answer is $before, a new one's $after", $statements->[$i]) if $before ne $after && $before !~ /^0A000/;
		fault($place, $after, $statements->[$i]) if $after =~ /^(?:XX000|57014|no answer)/;
	}
	$runs += @$statements;
	return;
}

# Returns statements with the data that a client keeps of a table.
sub kept_statements
{
	my ($session, $table) = @_;
	my @requests = map { my $operation = pick(qw(Query Scan ExecuteStatement)); [ $operation, { %{ request_of($operation, $table) }, Limit => 1 } ] } 1 .. 30;
	my @next = next_pages(\@requests, run_in($session, map { request_sql(@$_) } @requests));

	return ((map { request_sql(@$_) } @requests, @next), iterator_statements($session), token_requests($table));
}

# Returns the session's prepared statements, and the same for a new session.
sub prepared_statements
{
	my ($session, $table) = @_;
	my @statements = grep { is_query($_) } function_statements($table, @functions), plain_statements($table);
	my @answers = run_in($session, map { "PREPARE p$_ AS $statements[$_]" } 0 .. $#statements);
	my @valid = grep { $answers[$_] eq '' } 0 .. $#statements;

	return ([ map { undone("EXECUTE p$_") } @valid ], [ map { undone($statements[$_]) } @valid ]);
}

sub run_round
{
	my ($seed) = @_;

	seed($seed);
	$node->safe_psql('postgres', 'DROP SCHEMA IF EXISTS a CASCADE; CREATE SCHEMA a AUTHORIZATION owner');
	my ($table, $other) = (shape(), shape());
	my $session = open_session();

	run_in($session, made($table), token_requests($table));
	my @kept = map { undone($_) } kept_statements($session, $table);
	my ($prepared, $fresh) = prepared_statements($session, $table);
	my ($before) = run_anew($oid);
	my $changes = changes($table, $other);
	my $place = "table $seed, $changes->[0]";

	run_in($session, @kept, @$prepared);
	run_anew(@$changes);
	compare($place, \@kept, [ run_in($session, @kept) ], [ run_anew(@kept) ]);
	compare($place, $fresh, [ run_in($session, @$prepared) ], [ run_anew(@$fresh) ]);
	check_tokens($place, $table) if $before ne (run_anew($oid))[0];
	eval { $session->quit };
	$rounds++;
	return;
}

for (my $seed = $first_seed; $seed == $first_seed || (time - $begin < $seconds && @faults < 20); $seed++)
{
	run_round($seed);
}
note("$rounds tables, $runs statements in " . int(time - $begin) . ' s');

is(join("\n", @faults), '', 'kept data lead to an error or to the present data');
unlike(slurp_file($node->logfile), qr/was terminated by signal|TRAP:|AddressSanitizer|runtime error:|XX000:/, 'the server keeps running');

$node->stop;
done_testing();
