# node_fuzz.pl: the functions that nodes call on each other survive every argument, and every
# state of the tables of their caller.
#
# A role without rights on the victim's table calls them by hand on every node, with messages
# that are valid, damaged or random, for its own tables, their shards and what else there is,
# and for those of the victim.  Later it also renames, drops and replaces on one node what
# belongs to its tables there.  Calls may fail.  No error is an internal one, no node crashes,
# nothing of the victim's is read or changed, and no code of the role runs as somebody else.
# CALLS and SEED set the number of calls and the first seed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant CALLS_PER_SESSION => 200;

my $calls = $ENV{CALLS} || 4800;
my $first_seed = $ENV{SEED} || 1;
my $settings = "restart_after_crash = off\nlog_min_error_statement = panic\n";
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings, worker1 => $settings, worker2 => $settings);
my @nodes = ($coordinator, $worker, $other);
my $directory = PostgreSQL::Test::Utils::tempdir();

sub sql
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', "SET search_path = public, dynamo; SET client_min_messages = warning; $sql");
}

sub pick { return $_[ int(rand(@_)) ] }

sub literal { return "'" . ($_[0] =~ s/'/''/gr) . "'" }

sub bytes_literal { return "'\\x" . unpack('H*', $_[0]) . "'::bytea" }

# ---- tables ----

# A distributed table of a role with all that the functions are about.
sub create_statements
{
	my ($role, $schema, $table) = @_;

	return qq{SET ROLE $role; SET search_path = $schema, dynamo;
SELECT create_table('$table', 'PK', 'SK', 'S', 'N');
SELECT create_index('$table', 'stored', 'G', 'H', storage => 'table'); SELECT create_index('$table', 'inline', 'G');
SELECT create_index('$table', 'keys', 'N', 'PK', 'N', projection => 'KEYS_ONLY', storage => 'table');
SELECT update_time_to_live('$table', 'ttl'); SELECT create_entity('$table', 'order', '{"G": "g{v}"}', '{"v": "text"}', type_attribute => 'kind', view_name => '${table}_orders');
SELECT enable_stream('$table'); SELECT distribute_table('$table', shards => 5);
SELECT put_item('$table', jsonb_build_object('PK', 'p' || i % 7, 'SK', i, 'G', 'g' || i % 3, 'H', 'h' || i, 'N', i % 4, 'v', 'secret')) FROM generate_series(1, 30) i};
}

sql($coordinator, q{CREATE ROLE attacker LOGIN; CREATE ROLE victim LOGIN; CREATE SCHEMA v AUTHORIZATION victim; CREATE SCHEMA a AUTHORIZATION attacker;
GRANT USAGE ON SCHEMA v TO attacker});
sql($coordinator, sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, $coordinator->host, $coordinator->port);
sql($coordinator, create_statements('victim', 'v', 'theirs'));
sql($coordinator, create_statements('attacker', 'a', 'mine'));
sql($coordinator, q{SET ROLE attacker; SET search_path = a, dynamo; SELECT create_table('plain', 'PK', 'SK', 'S', 'N'); SELECT enable_stream('plain');
CREATE TABLE a.other (a int); CREATE VIEW a.seen AS SELECT * FROM a.plain; CREATE TABLE a.divided (a int) PARTITION BY LIST (a)});
sql($coordinator, q{SELECT dynamo.apply_index_changes('v.theirs'), dynamo.apply_index_changes('a.mine')});

# What belongs to the victim, on all nodes.
sub others
{
	return join "\n", map { sql($_, q{
SELECT 'class', oid, relname, relowner, relacl, relhastriggers, relrowsecurity FROM pg_class WHERE relowner <> 'attacker'::regrole AND relnamespace <> 'pg_toast'::regnamespace AND relname !~ '^pg_dist' ORDER BY 2;
SELECT 'trigger', t.oid, tgname, tgenabled, md5(tgargs) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relowner <> 'attacker'::regrole ORDER BY 2;
SELECT 'role', rolname, rolsuper, rolcreaterole, rolbypassrls FROM pg_roles ORDER BY 2}) } @nodes;
}

sub items_of_others
{
	return sql($coordinator, q{SELECT item FROM v.theirs ORDER BY "PK", "SK"; SELECT item FROM dynamo.scan('v.theirs', index_name => 'stored') item ORDER BY item ->> 'H';
SELECT keys, new_image FROM dynamo.read_stream('v.theirs') ORDER BY keys});
}

my $before = others();
my $items_before = items_of_others();

# ---- values ----

sub send_items
{
	return map { pack 'H*', $_ } split /\n/, sql($coordinator, join ';', map { 'SELECT encode(dynamo_internal.item_send(' . literal($_) . "), 'hex')" } @_);
}

my @items = send_items('{"PK": {"S": "p1"}, "SK": {"N": "1"}}', '{"PK": {"S": "p2"}, "SK": {"N": "9"}, "G": {"S": "g1"}, "H": {"S": "h9"}, "N": {"N": "3"}, "v": {"L": [{"N": "1"}]}}',
	'{"PK": {"S": "p3"}}', '{"PK": {"N": "1"}, "SK": {"S": "x"}}', '{"PK": {"S": ""}, "SK": {"N": "0"}}', '{"G": {"S": "g1"}, "H": {"S": "h1"}, "PK": {"S": "p0"}, "SK": {"N": "1e125"}}', '{}',
	'{"N": {"N": "-1"}, "PK": {"S": "p5"}, "SK": {"N": "7"}, "x": {"M": {"y": {"SS": ["a", "b"]}}}}', '{"PK": {"S": "' . 'x' x 3000 . '"}, "SK": {"N": "1"}}');
my @known_shards = split /\n/, sql($coordinator, q{SELECT shardid FROM pg_dist_shard JOIN pg_class c ON c.oid = logicalrelid WHERE relnamespace IN ('a'::regnamespace, 'v'::regnamespace)});
my @ranges = send_items((map { my $shard = $_; qq{{"shard": {"S": "$shard"}}}, qq{{"shard": {"S": "$shard"}, "start": {"M": {"PK": {"S": "p1"}, "SK": {"N": "1"}}}}} } @known_shards),
	'{"key": {"M": {"PK": {"S": "p1"}}}}', '{"key": {"M": {"PK": {"S": "p1"}, "SK": {"N": "1"}}}, "upper": {"M": {"SK": {"N": "20"}}}}', '{"key": {"M": {"PK": {"S": "p2"}}}, "start": {"M": {"PK": {"S": "p2"}, "SK": {"N": "5"}}}}',
	'{"index": {"S": "stored"}, "key": {"M": {"G": {"S": "g1"}}}}', '{"index": {"S": "stored"}, "key": {"M": {"G": {"S": "g1"}, "H": {"S": "h"}}}, "upper": {"M": {"H": {"S": "i"}}}}',
	'{"index": {"S": "inline"}, "key": {"M": {"G": {"S": "g1"}}}}', '{"index": {"S": "keys"}, "key": {"M": {"N": {"N": "1"}, "PK": {"S": "p"}}}}', '{"index": {"S": "keys"}, "shard": {"S": "1"}}',
	'{"index": {"S": "stored"}, "key": {"M": {"G": {"S": "g1"}}}, "start": {"M": {"G": {"S": "g1"}, "H": {"S": "h1"}, "PK": {"S": "p1"}, "SK": {"N": "1"}}}}',
	'{"keys": {"L": [{"M": {"PK": {"S": "p1"}, "SK": {"N": "1"}}}, {"M": {"PK": {"S": "p2"}, "SK": {"N": "2"}}}]}}', '{"keys": {"L": [{"N": "1"}]}}', '{"keys": {"L": []}}', '{"key": {"M": {}}, "start": {"M": {}}}', '{"start": {"M": {"PK": {"S": "p1"}}}}');
my @stream_shards = split /\n/, sql($coordinator, q{SELECT dynamo.stream_shards('a.mine'); SELECT dynamo.stream_shards('v.theirs'); SELECT dynamo.stream_shards('a.plain')});
my @numbers = (0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 100, -1, 1000000, 2147483647, -2147483648);
my (@relations, @tables);

# The names of relations on a node.
sub find_names
{
	my ($node) = @_;
	my $found = q{SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname IN ('a', 'v')};

	@relations = map { [ split /\|/ ] } split /\n/, sql($node, "SET citus.override_table_visibility = off; $found AND relkind NOT IN ('c', 'i', 'I'); ($found AND relkind = 'i' LIMIT 5)");
	@tables = grep { $_->[1] =~ /^(?:mine|theirs)[0-9_]*$/ } @relations;
	return;
}

sub damaged_bytes
{
	my ($bytes) = @_;
	my $kind = rand;

	return $bytes if $kind < 0.5;
	return join '', map { chr int rand 256 } 1 .. rand 60 if $kind < 0.6;
	return substr $bytes, 0, rand length $bytes if $kind < 0.7;
	return $bytes . pick(@items) if $kind < 0.75;
	substr($bytes, rand(length $bytes), 1, chr int rand 256) for 1 .. 1 + rand 3;
	substr($bytes, rand(length $bytes), 4, pack 'N', pick(0xffffffff, 0x80000000, 0x7fffffff, 0, 1, 0x10000)) if $kind > 0.95;
	return $bytes;
}

sub pair
{
	return join '', map { my $item = pick(undef, @items); defined $item ? pack('N/a', $item) : "\xff\xff\xff\xff" } 1, 2;
}

sub number { return pick(@numbers) }

# The names of the schema and of a relation, mostly of a table of one's own.
my $mine = 'mine';

sub names
{
	my $found = rand() < 0.5 ? [ 'a', $mine ] : rand() < 0.5 ? pick(@tables) : pick(@relations);

	$found = [ pick('', 'none', 'public', 'pg_temp', 'pg_catalog', 'dynamo'), pick('mine', 'pg_class', 'tables', '', 'x' x 70, $found->[1]) ] if rand() < 0.05;
	return $found;
}

sub name { my $found = names(); return literal(join '.', @$found) }

sub both { my $found = names(); return join ', ', map { literal($_) } @$found }

my @documents = ('{"PK": {"S": "p1"}, "SK": {"N": "1"}}', '{"PK": {"S": "p2"}, "SK": {"N": "3"}, "G": {"S": "g0"}, "H": {"S": "h"}}', '{"PK": {"S": "p4"}}', '{}', '{":v": {"S": "x"}}', '{":v": {"N": "1"}}');

sub or_null { return rand() < 0.3 ? 'NULL' : $_[0] }

sub key { return sprintf '{"PK": {"S": "p%d"}, "SK": {"N": "%d"}}', rand 8, rand 31 }

my %requests = (
	GetItem => sub { return '"Key": ' . key() },
	PutItem => sub { return '"Item": ' . key() },
	DeleteItem => sub { return '"Key": ' . key() },
	UpdateItem => sub { return '"Key": ' . key() . ', "UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}' },
	Query => sub { return '"KeyConditionExpression": "' . pick('PK', 'G', 'N') . ' = :v", "ExpressionAttributeValues": {":v": {"S": "' . pick('p1', 'g1') . '"}}' . pick('', ', "IndexName": "stored"', ', "IndexName": "inline"') },
	Scan => sub { return '"Limit": 3' });

my @calls = (
	sub { return sprintf 'dynamo_system.row_on_shard(%s, %s, %s, %s)', number(), both(), number(), bytes_literal(damaged_bytes(pick(@items))) },
	sub { return sprintf 'dynamo_system.row_on_shard(%s, %s, %s, %s)', int rand 9, both(), 15, bytes_literal(pick(@items)) },
	sub { return sprintf 'dynamo_system.take_settings(%s, %s)', map { my $n = $_; 'ARRAY[' . join(', ', map { literal(pick('a.b', 'a.c', 'dynamo.direct_access', 'citus.x', 'work_mem', 'a."', '', '.', 'a.b.c', 'x' x 100)) } 1 .. $n) . ']::text[]' } 1 + int rand 3, 1 + int rand 3 },
	sub { return sprintf 'dynamo_system.rows_on_shard(%s, %s, %s, %s, %s, %s)', both(), bytes_literal(damaged_bytes(pick(@ranges))), number(), number(), number(), number() },
	sub { return sprintf 'dynamo_system.rows_on_shard(%s, %s, %s, 1, %s, 1000000)', both(), bytes_literal(pick(@ranges)), int rand 8, pick(0, 2) },
	sub { return sprintf 'dynamo_system.write_on_shard(%s, %s, %s, %s, %s, %s, NULL, %s, NULL)', pick(0 .. 2, number()), name(), or_null(literal(pick(@documents))), or_null(q{'SET v = :v'}), or_null(q{'attribute_exists(v)'}),
		or_null(literal(pick(@documents))), or_null(q{'ALL_OLD'}) },
	sub { my $operation = pick(keys %requests); return sprintf 'dynamo_system.request_on_shard(%s, %s)', literal($operation), literal(sprintf '{"TableName": "%s", %s}', join('.', @{ names() }), $requests{$operation}->()) },
	sub { return sprintf 'dynamo_system.stream_on_shard(%s, %s, %s, %s, %s, %s)', both() =~ s/'$mine'/pick(map { literal($_->[1]) } grep { $_->[1] =~ m{stream} } @relations, names())/er, literal(pick(@stream_shards, 'x')), pick(0 .. 3, number()), literal(pick(@numbers, '9e9', '9223372036854775807', '-9223372036854775808')), number(), number() },
	sub { return sprintf 'dynamo_system.take_index_changes(%s, %s)', both(), number() },
	sub { return sprintf 'dynamo_system.put_index_entries(%s, %s, %s)', both(), literal(pick('stored', 'stored', 'keys', 'inline', 'none', '')), bytes_literal(damaged_bytes(join '', map { pair() } 1 .. rand 4)) },
	sub { return sprintf 'dynamo_system.entry_of_item(%s, %s, %s)', both(), literal(pick('stored', 'keys', 'inline', 'none')), literal(pick(@documents)) },
	sub { return sprintf 'dynamo_system.change_shard(%s, %s, %s)', name(), number(), literal(pick('stored', 'inline', 'keys', '', 'none')) },
	sub { my $found = pick(grep { $_->[0] eq 'a' } @tables);
		return sprintf q{dynamo_system.change_shard('a.%s', %s, %s); COMMIT}, $found->[1], pick(0 .. 7), literal(pick('stored', 'inline', 'keys', '', 'none')) },
	sub { return sprintf 'keys_of(%s, %s)', name(), literal(pick(@documents)) },
	sub { return sprintf pick(q{wait_for_index(%s, 'stored', '10 ms')}, q{apply_index_changes(%s, 5)}, q{scan(%s)}, q{scan(%s, index_name => 'stored')}, q{query(%s, 'PK = :v', '{":v": {"S": "p1"}}')}, q{read_stream(%s)}, q{delete_expired(%s)},
		q{stream_shards(%s)}, q{trim_streams(%s, '0 s')}, q{check_entity(%s)}, q{apply_entity(%s)}, q{verify_index(%s, 'stored')}), name() });

sub call
{
	my $call = pick(@calls)->();
	my $lock = $call =~ /COMMIT/ ? 'BEGIN; LOCK TABLE ' . ($call =~ /^dynamo_system\.change_shard\('a\.([^']*)'/ ? "a.\"$1\"" : 'a.mine') . ' IN ACCESS EXCLUSIVE MODE; ' : '';

	return "${lock}SELECT * FROM $call;\n";
}

# ---- sessions ----

sub session
{
	my ($node, $seed) = @_;

	srand($seed);
	my $script = "$directory/$seed.sql";
	open(my $out, '>:utf8', $script) or die "cannot write $script: $!";
	print $out "\\set VERBOSITY verbose\nSET search_path = a, dynamo; SET client_min_messages = error;\nSET statement_timeout = '5s'; SET lock_timeout = '2s';\nSET citus.override_table_visibility = off; SET citus.enable_manual_changes_to_shards = on;\n",
		pick('', "SET application_name = 'citus_internal gpid=10000000001';\n"), pick('', '', "SET dynamo.direct_access = off;\n"), map { call() =~ s/\bFROM (\w+_\w+\()/FROM dynamo.$1/r } 1 .. CALLS_PER_SESSION;
	close $out;
	my ($stdout, $stderr) = ('', '');
	my $status = $node->psql('postgres', "\\i $script", stdout => \$stdout, stderr => \$stderr, on_error_stop => 0, extra_params => [ '-U', 'attacker' ]);
	my @internal = grep { !/a distributed query from a query on a shard|failure on connection marked as essential/ } $stderr =~ /^.*(?:XX000|XX002|server closed the connection).*$/mg;

	is(join("\n", $status, @internal), '0', $node->name . ", seed $seed: no internal error") or diag("SEED=$seed CALLS=@{[CALLS_PER_SESSION]}");
	if ($ENV{SHOW_ERRORS}) { my %n; $n{$_}++ for $stderr =~ /ERROR:  (.{0,90})/g; my $ok = () = $stdout =~ /^\(\d+ row|\S/mg; diag("$ok results\n" . join "\n", map { "$n{$_} $_" } sort { $n{$b} <=> $n{$a} } keys %n); }
	return;
}

# ---- damage ----

# Code of the role that runs as somebody else, or makes it a superuser, shows in the log, or in the list of roles.
sql($coordinator, q{SET ROLE attacker; SET search_path = a;
CREATE FUNCTION a.evil(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
	IF current_user <> 'attacker' THEN RAISE LOG 'EVIL runs as %', current_user; END IF;
	BEGIN EXECUTE 'ALTER ROLE attacker SUPERUSER'; EXCEPTION WHEN OTHERS THEN NULL; END; RETURN true; END $$;
CREATE FUNCTION a.evil_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM a.evil(1); RETURN coalesce(NEW, OLD); END $$});

# Statements that damage on one node what belongs to a table.
sub damage
{
	my ($node, $table) = @_;
	my @own = map { '"' . $_->[1] . '"' } grep { $_->[0] eq 'a' && $_->[1] =~ /^$table(?:\$\w+)?_\d+$/ } @relations;
	my ($one, $two) = (pick(@own), pick(@own));
	my $aside = '"aside' . int(rand 1e9) . '"';

	return pick(
		"ALTER TABLE a.$table RENAME TO $aside",
		"ALTER TABLE a.$table RENAME TO $aside; CREATE VIEW a.$table AS SELECT * FROM a.plain",
		"ALTER TABLE a.$one RENAME TO $aside; ALTER TABLE a.$two RENAME TO ${\ substr $one, 0}; ALTER TABLE a.$aside RENAME TO ${\ substr $two, 0}",
		(map { "ALTER TABLE a.$one RENAME TO $aside; $_" } "CREATE VIEW a.$one AS SELECT * FROM a.$aside", "CREATE TABLE a.$one (LIKE a.$aside INCLUDING ALL)", "CREATE TABLE a.$one (LIKE a.$aside) PARTITION BY LIST (item)",
			"CREATE TEMPORARY TABLE $one (LIKE a.$aside)", "CREATE TABLE a.$one (LIKE a.$aside) USING columnar", "CREATE SEQUENCE a.$one", "CREATE TABLE a.$one () INHERITS (a.$aside)", 'SELECT 1'),
		"DROP TABLE a.$one CASCADE", "TRUNCATE a.$one",
		(map { "ALTER TABLE a.$one $_" } 'DISABLE TRIGGER ALL', 'DROP CONSTRAINT "' . ($one =~ s/"//gr =~ s/_(\d+)$/_pkey_$1/r) . '"', 'DROP COLUMN item', 'ADD COLUMN more int DEFAULT 1', 'DROP COLUMN dynamo_number', 'ALTER COLUMN "SK" TYPE text', 'ALTER COLUMN "PK" TYPE bytea USING NULL',
			'ALTER COLUMN "PK" DROP NOT NULL', 'RENAME COLUMN "PK" TO "KP"', 'ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', 'SET SCHEMA pg_temp'),
		(map { "DROP TRIGGER IF EXISTS ${_}_${\ $one =~ s/\D.*_//r} ON a.$one" } qw("~dynamo_guard_index" "~dynamo_derive_keys")),
		"CREATE RULE r AS ON INSERT TO a.$one DO INSTEAD NOTHING", "CREATE POLICY p ON a.$one USING (a.evil(1)); ALTER TABLE a.$one ENABLE ROW LEVEL SECURITY");
}

# Code of the owner at a relation, wherever there can be some.
sub evil_code
{
	return join ';', map { my $name = "a.\"$_->[1]\""; ("CREATE INDEX ON $name (a.evil(tableoid::int))", "CREATE INDEX ON $name ((1)) WHERE a.evil(1)", "ALTER TABLE $name ADD CONSTRAINT evil CHECK (a.evil(1))",
		"CREATE TRIGGER evil BEFORE INSERT OR UPDATE OR DELETE ON $name FOR EACH ROW EXECUTE FUNCTION a.evil_trigger()", "CREATE TRIGGER evil_after AFTER INSERT OR UPDATE OR DELETE ON $name FOR EACH ROW EXECUTE FUNCTION a.evil_trigger()") }
		grep { $_->[0] eq 'a' && $_->[1] =~ /^$_[0](?:\$\w+)?_\d+$/ } @relations;
}

my $by_hand = "SET citus.enable_ddl_propagation = off; SET citus.enable_manual_changes_to_shards = on; SET citus.override_table_visibility = off; SET application_name = 'citus_internal gpid=10000000001';\n";

# Runs statements of a role, which may fail, but not by an internal error.
sub run_as
{
	my ($node, $role, $sql, $name) = @_;
	my ($stdout, $stderr) = ('', '');

	$node->psql('postgres', "\\set VERBOSITY verbose\nSET client_min_messages = error; SET statement_timeout = '20s'; SET lock_timeout = '2s';\n" . $sql =~ s/;\s*/;\n/gr, stdout => \$stdout, stderr => \$stderr, on_error_stop => 0, extra_params => [ '-U', $role ]);
	diag($stderr) if $ENV{SHOW_ERRORS};
	return $stderr;
}

# What superusers do with all tables.
sub maintain
{
	my ($table) = @_;

	return map { run_as($_, 'postgres', "SELECT dynamo.delete_expired(); SELECT dynamo.trim_streams('a.$table', '0 s'); SELECT * FROM dynamo.index_progress; SELECT dynamo.apply_index_changes('a.$table');
SELECT * FROM dynamo.verify_index('a.$table', 'stored'); SELECT * FROM dynamo.verify_index('a.$table', 'inline'); SELECT * FROM dynamo.check_entity('a.$table'); SELECT dynamo.apply_entity('a.$table'); SELECT dynamo.create_index('a.$table', 'more', 'M'); SELECT dynamo.create_index('a.$table', 'tables', 'M', storage => 'table');
SELECT dynamo.reindex('a.$table', 'inline'); SELECT dynamo.reindex('a.$table', 'stored'); SELECT dynamo.drop_index('a.$table', 'more'); SELECT dynamo.update_time_to_live('a.$table', NULL); SELECT * FROM dynamo.stat_tables; SELECT * FROM dynamo.stat_streams; SELECT * FROM dynamo.streams; SELECT * FROM dynamo.tables") } @nodes;
}

sub damage_round
{
	my ($seed) = @_;

	srand($seed);
	$mine = "mine$seed";
	sql($coordinator, create_statements('attacker', 'a', $mine));
	for my $node (@nodes)
	{
		find_names($node);
		run_as($node, 'attacker', $by_hand . ($seed % 2 ? evil_code($mine) : join ';', map { damage($node, $mine) } 1 .. 1 + rand 3));
	}
	run_as($_, 'attacker', join ';', map { sprintf q{SELECT dynamo.put_item('a.%s', '{"PK": {"S": "q%d"}, "SK": {"N": "1"}, "G": {"S": "g"}, "H": {"S": "h%d"}, "ttl": {"N": "1"}}')}, $mine, $_, rand 9 } 1 .. 10) for @nodes;
	for my $node (@nodes)
	{
		find_names($node);
		session($node, $seed + 1000);
	}
	my @internal = grep { /XX000|server closed/ && !/failure on connection marked as essential/ } map { split /\n/ } maintain($mine);
	is(join("\n", @internal), '', "seed $seed: maintenance of damaged tables has no internal error");
}

my $last_seed = $first_seed + int($calls / CALLS_PER_SESSION) - 1;
for my $seed ($first_seed .. $last_seed)
{
	my $node = $nodes[ $seed % @nodes ];

	find_names($node);
	session($node, $seed);
}
damage_round($_) for map { $_ + $first_seed - 1 } 1 .. ($ENV{ROUNDS} // 6);
is(items_of_others(), $items_before, 'items of others have not changed');
is(others(), $before, 'tables of others have not changed');
unlike(slurp_file($_->logfile), qr/was terminated by signal|TRAP:|PANIC|AddressSanitizer|runtime error/, $_->name . ': no process has crashed') for @nodes;
unlike(slurp_file($_->logfile), qr/EVIL runs as \w/, $_->name . ': no code of the role has run as somebody else') for @nodes;

stop_citus_cluster(@nodes);
done_testing();
