# function_fuzz.pl: every SQL function that everybody may execute survives every
# argument.
#
# A role without rights calls all functions of the extension's schemas with NULLs and
# with random values of their arguments' types: names of its own and of another's
# tables, damaged JSON, expressions and binary values, numbers at the limits.  The
# calls may fail.  In half of the sessions the definitions of its tables, which are
# arguments of triggers, are damaged as well.  No error is an internal one (XX000), the
# server keeps running, and what belongs to others does not change.  CALLS and SEED set
# the number of calls and the first seed; each session has a seed of its own, which a
# failure reports.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant CALLS_PER_SESSION => 250;

my $calls = $ENV{CALLS} || 3000;
my $first_seed = $ENV{SEED} || 1;
my $node = new_dynamo_node('function_fuzz', q{
shared_preload_libraries = 'dynamo'
restart_after_crash = off
log_min_error_statement = panic
});
my $directory = PostgreSQL::Test::Utils::tempdir();

sub sql { return $node->safe_psql('postgres', @_) }

sub pick { return $_[ int(rand(@_)) ] }

sub literal { return "'" . ($_[0] =~ s/'/''/gr) . "'" }

# ---- the functions ----

# Arguments of a pseudo-type that no value has are not called: of triggers, "internal".
my @functions = map { [ split /\t/, $_, -1 ] } split /\n/, sql(q{
SELECT format(E'%I.%I\t%s\t%s', n.nspname, f.proname, f.prokind,
	(SELECT string_agg(concat_ws(' ', format_type(t, NULL), '/' || f.proargnames[i]), ';' ORDER BY i) FROM unnest(f.proargtypes) WITH ORDINALITY u(t, i)))
FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
WHERE n.nspname IN ('dynamo', 'dynamo_internal', 'dynamo_system') AND has_function_privilege('public', f.oid, 'EXECUTE') AND f.prokind IN ('f', 'a')
	AND f.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
	AND NOT 'internal'::regtype = ANY (f.proargtypes)
ORDER BY 1});
cmp_ok(scalar(@functions), '>', 150, 'the functions are found');

# ---- values ----

my @names = ('mine', 'a.mine', 'v.theirs', 'theirs', 'distributed', 'stored', 'inline', 'near', 'orders', 'order', 'orders_of', 'mine$stored', '', '.', 'a.', '..', 'pg_class', 'pg_catalog.pg_class',
	'dynamo_internal.archive_jobs', 'none', "a\nb", "x'; DROP TABLE v.theirs; --", '"', '%s%n', "\x{e9}\x{1f600}", 'a' x 70, 'x' x 300, 'pk', 'SK', 'kind', 'S', 'ALL', 'table', 'attacker');
my @expressions = ('pk = :p', 'pk = :p AND begins_with(sk, :s)', 'attribute_exists(a)', 'SET a = a + :n, b[0] = if_not_exists(c, :p) REMOVE d', '#n.#n[3] <> :p', 'a, b.c[9], #n', 'size(a) > :n AND NOT (x IN (:p, :s))',
	'(' x 2000, 'a[99999999999999]', 'SET ', 'CUSTOMER#{id}#{n:08}', '{a:ms:desc}', '{#13:a}', '{', '{{}}', 'SELECT * FROM "mine" WHERE pk = ?', "INSERT INTO mine VALUE {'pk': 'x'}", 'rate(1)', 'arn:aws:dynamodb:us-east-1:000000000000:table/mine/backup/01693685827463-2d8752fd');
my @documents = ('{}', '[]', 'null', '1', '"x"', '{"pk": {"S": "a"}}', '{"pk": {"S": "a"}, "sk": {"S": "b"}, "v": {"L": [{"N": "1"}, {"N": "0"}]}}', '{":p": {"S": "a"}, ":n": {"N": "1e125"}, ":s": {"S": "\u0000"}}', '{"#n": "kind"}', '{"pk": "{a}", "sk": "b"}',
	'{"a": {"B": "AAH//g=="}, "b": {"NS": ["1", "2"]}, "c": {"SS": []}}', '{"pk": {"N": "9"}}', '{"TableName": "mine", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}}', '{"TableName": "v.theirs"}', '[{"index_name": "x", "partition_key": "p"}]',
	'{"x": {"type": "int", "default": null}}', '{"orders": "count", "a": "sum(b)"}', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}', '[[1, true, "DROP TABLE v.theirs"]]',
	'{"options": [{"name": "fillfactor", "value": "1"}], "constraints": [{"name": "c", "definition": "x"}]}', '{"a": ' x 3000);
my @numbers = (0, -1, 1, 2, 3, 10, 1000, -32768, 32767, 2147483647, -2147483648);
my @relations = ('mine', 'v.theirs', 'distributed', 'pg_catalog.pg_class', 'pg_catalog.pg_class_oid_index', 'orders', 'mine_pkey');

sub text_value
{
	my $kind = rand;
	my $text = $kind < 0.5 ? pick(@names) : $kind < 0.75 ? pick(@expressions) : $kind < 0.95 ? pick(@documents) : join '', map { chr(1 + int(rand(1000))) } 1 .. rand(40);

	substr($text, rand(length $text), rand(4), pick('', '"', '}', ':', "\x{7f}", '9', '#')) if rand() < 0.15 && length $text;
	return literal($text);
}

# The binary form of an item, or of a row, with some bytes changed.
sub bytes_value
{
	my $bytes = rand() < 0.5 ? join('', map { chr(int(rand(256))) } 1 .. rand(60)) : pack('H*', sql(q{SELECT encode(dynamo_internal.item_send('{"pk": {"S": "a"}, "sk": {"S": "b"}, "l": {"L": [{"N": "1"}, {"M": {"x": {"BOOL": true}}}]}}'), 'hex')}));

	substr($bytes, rand(length $bytes), 1, chr(int(rand(256)))) for 1 .. rand(4);
	return "'\\x" . unpack('H*', $bytes) . "'::bytea";
}

my @bytes = map { bytes_value() } 1 .. 40;

my %known = (table_name => 'mine', index_name => 'stored', entity_name => 'order', view_name => 'orders', copy_name => 'names', total_name => 'orders');

# Returns the literal of a value of a type; one that may not be valid.  Most names are
# those of something that exists.
sub value
{
	my ($type, $name) = split m{ /}, $_[0];

	return literal($known{$name}) if defined $name && exists $known{$name} && rand() < 0.7;

	return 'NULL' if rand() < 0.12;
	return 'ARRAY[' . join(', ', map { value($1) } 1 .. rand(4)) . "]::$type" if $type =~ /^(.*)\[\]$/;
	return text_value() . "::$type" if $type =~ /^(?:text|name|cstring|character varying|"?char"?)$/;
	return literal(pick(@documents)) . "::$type" if $type =~ /^(?:json|jsonb|dynamo\.item|dynamo\.value|item|value)$/;
	return pick(@numbers) . "::text::$type" if $type =~ /^(?:integer|bigint|smallint|numeric)$/;
	return literal(pick(@numbers, 'NaN', 'Infinity', '1e300', '1e-300')) . "::$type" if $type =~ /^(?:real|double precision)$/;
	return pick('true', 'false') if $type eq 'boolean';
	return pick(@bytes) if $type eq 'bytea';
	return literal(pick('now', 'infinity', '-infinity', '1900-01-01', '294276-12-31')) . "::$type" if $type =~ /^timestamp/;
	return literal(pick(@relations)) . '::regclass' if $type eq 'regclass';
	return pick(literal(pick(@relations)) . '::regclass::oid', '0::oid', '4294967295::oid', '1259::oid') . "::$type" if $type =~ /^(?:oid|reg\w+|xid)$/;
	return pick(text_value() . '::text', '1', 'true', "'2020-01-01'::date", literal(pick(@documents)) . '::jsonb') if $type =~ /^any/;
	return "NULL::$type";
}

sub call
{
	my ($name, $kind, $types) = @{ pick(@functions) };
	my $arguments = join ', ', map { value($_) } split /;/, $types;

	return $kind eq 'a' ? "SELECT $name($arguments) FROM generate_series(1, 3);" : "SELECT * FROM $name($arguments) LIMIT 20;";
}

# ---- what belongs to others ----

sql(q{
CREATE ROLE attacker LOGIN; CREATE ROLE victim LOGIN;
CREATE SCHEMA v AUTHORIZATION victim; GRANT USAGE ON SCHEMA v TO PUBLIC;
GRANT USAGE ON SCHEMA dynamo_internal TO attacker;
SELECT dynamo.create_access_key('victim', 'VICTIM', 'SECRET');
SET ROLE victim; SET search_path = v, dynamo;
SELECT create_table('theirs', 'pk', indexes => '[{"index_name": "stored", "partition_key": "g", "storage": "table"}]');
SELECT enable_stream('theirs');
SELECT put_item('theirs', '{"pk": {"S": "a"}, "g": {"S": "g"}}')});

my $others = q{
SELECT 'role', rolname, rolsuper, rolcreaterole, rolbypassrls FROM pg_roles ORDER BY 2;
SELECT 'member', roleid, member FROM pg_auth_members ORDER BY 2, 3;
SELECT 'class', oid, relname, relowner, relacl, relhastriggers, relrowsecurity FROM pg_class WHERE relowner <> 'attacker'::regrole AND relnamespace <> 'pg_toast'::regnamespace ORDER BY 2;
SELECT 'function', oid, proname, proowner, proacl, md5(prosrc) FROM pg_proc WHERE proowner <> 'attacker'::regrole ORDER BY 2;
SELECT 'trigger', t.oid, tgname, tgenabled, md5(tgargs) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relowner <> 'attacker'::regrole ORDER BY 2;
SELECT 'item', pk, item FROM v.theirs ORDER BY 2;
SELECT 'key', access_key_id, role FROM dynamo_internal.access_key_secrets ORDER BY 2;
SELECT 'job', count(*) FROM dynamo_internal.archive_jobs};
my $before = sql($others);

# ---- damaged definitions ----

# A definition with a value changed, or a piece removed, doubled or exchanged.
sub damaged
{
	my ($text) = @_;
	my @values = ('""', '"mine"', '"pk"', '"near"', '"order"', '"N"', '"S"', '"COSINE"', '"hnsw"', '"count"', '"sum(x)"', '"{id}#{n:03}"', 0, -1, 1e9, 4, 'null', 'true', '[]', '{}', '["pk"]', '[{}]', '[[]]');

	for (1 .. 1 + rand(3))
	{
		my @places = map { $_ } $text =~ /("(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\[[^\[\]{}]*\]|\{[^{}]*\})/g or last;
		my $place = quotemeta(pick(@places));
		my $kind = rand;

		$kind < 0.7 ? $text =~ s/(?<=[:\[,])(\s*)$place/$1 . pick(@values)/e
			: $kind < 0.85 ? $text =~ s/,\s*"\w+":\s*$place//
			: substr($text, rand(length $text), 1 + rand(20), '');
	}
	return $text;
}

sub damage_definitions
{
	for (split /\n/, sql(q{SELECT t.oid, encode(tgargs, 'hex') FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relowner = 'attacker'::regrole AND tgnargs = 1 ORDER BY c.relname, tgname}))
	{
		my ($oid, $hex) = split /\|/;
		my $argument = pack('H*', $hex);

		next if rand() < 0.6;
		$argument = damaged($argument =~ s/\0\z//r) . "\0";
		sql("SET allow_system_table_mods = on; UPDATE pg_trigger SET tgargs = '\\x" . unpack('H*', $argument) . "' WHERE oid = $oid");
	}
	sql(q{DO $$ DECLARE r regclass; BEGIN FOR r IN SELECT oid FROM pg_class WHERE relowner = 'attacker'::regrole AND relkind IN ('r', 'v') LOOP
		UPDATE pg_class SET relname = relname WHERE oid = r; END LOOP; END $$});
	return;
}

# Statements that are valid before the damage.
my @valid = (
	q{SELECT put_item('mine', '{"kind": {"S": "order"}, "c": {"S": "a"}, "n": {"N": "7"}, "x": {"N": "5"}, "s": {"S": "t"}, "h": {"S": "y"}}');},
	q{SELECT put_item('mine', '{"kind": {"S": "customer"}, "c": {"S": "b"}, "name": {"S": "Bo"}}');},
	q{SELECT put_item('mine', '{"pk": {"S": "other"}, "sk": {"S": "b"}, "v": {"L": [{"N": "1"}, {"N": "0"}]}, "f": {"S": "1"}, "ttl": {"N": "1"}}');},
	q{SELECT update_item('mine', '{"pk": {"S": "C#a"}, "sk": {"S": "C"}}', 'SET #n = :n', expression_attribute_names => '{"#n": "name"}', expression_attribute_values => '{":n": {"S": "New"}}');},
	q{SELECT delete_item('mine', '{"pk": {"S": "C#a"}, "sk": {"S": "O#002"}}');},
	q{SELECT query('mine', 'pk = :p', '{":p": {"S": "C#a"}}');}, q{SELECT query('mine', 'h = :p', '{":p": {"S": "y"}}', index_name => 'stored');}, q{SELECT scan('mine', index_name => 'inline');},
	q{SELECT * FROM search_vectors('mine', 'near', ARRAY[1, 0]::real[], 3);}, q{SELECT * FROM search_vectors('mine', 'near', ARRAY[0, 1]::real[], 100, 'f = :f', '{":f": {"S": "1"}}');},
	q{SELECT request_safe('SearchVectors', '{"TableName": "mine", "IndexName": "near", "SearchVector": [{"N": "1"}, {"N": "2"}], "TopK": 2}');},
	q{SELECT request_safe('DescribeTable', '{"TableName": "mine"}');}, q{SELECT request_safe('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "mine", "Key": {"pk": {"S": "C#a"}, "sk": {"S": "O#003"}}}}]}');},
	q{SELECT * FROM orders WHERE c = 'a';}, q{INSERT INTO orders (c, n, s) VALUES ('a', 99, 'x');}, q{UPDATE orders SET s = 'z' WHERE c = 'a';}, q{DELETE FROM orders WHERE n = 4;}, q{SELECT * FROM orders_of('a');},
	q{UPDATE mine SET item = set_attribute(item, 'x', to_value(9));}, q{DELETE FROM mine WHERE sk = 'O#005';}, q{INSERT INTO mine (item) VALUES ('{"pk": {"S": "s"}, "sk": {"S": "q"}}');}, q{TABLE mine;},
	q{SELECT * FROM check_copies('mine');}, q{SELECT repair_copies('mine');}, q{SELECT * FROM check_entity('mine');}, q{SELECT apply_entity('mine', 'order');}, q{SELECT * FROM verify_index('mine', 'near');},
	q{SELECT reindex('mine', 'stored');}, q{SELECT export_model('mine');}, q{SELECT * FROM advise('mine');}, q{SELECT * FROM outline('mine');}, q{SELECT * FROM copies;}, q{SELECT * FROM entities;}, q{SELECT * FROM vector_indexes;},
	q{SELECT delete_expired('mine');}, q{SELECT * FROM read_stream('mine');}, q{CREATE INDEX ON mine (pk);}, q{TRUNCATE mine;});

# ---- a session ----

# Makes the role's own schema anew: calls may have dropped what was in it.
sub prepare
{
	sql(q{
SET client_min_messages = error;
DROP OWNED BY attacker CASCADE;
GRANT USAGE ON SCHEMA dynamo_internal TO attacker;
CREATE SCHEMA a AUTHORIZATION attacker;
SET ROLE attacker; SET search_path = a, dynamo;
SELECT create_table('mine', 'pk', 'sk', indexes => '[{"index_name": "inline", "partition_key": "g"}, {"index_name": "stored", "partition_key": "h", "storage": "table"}]');
SELECT create_vector_index('mine', 'near', 'v', 2, filters => '{f}', filter_types => '{S}');
SELECT create_table('distributed', 'pk');
SELECT update_time_to_live('mine', 'ttl');
SELECT create_entity('mine', 'customer', '{"pk": "C#{c}", "sk": "C"}', '{"c": "text", "name": "text"}', type_attribute => 'kind');
SELECT create_entity('mine', 'order', '{"pk": "C#{c}", "sk": "O#{n:03}", "g": "S#{s}"}', '{"c": "text", "n": "int", "s": "text"}', type_attribute => 'kind', view_name => 'orders');
SELECT create_access_pattern('mine', 'orders_of', 'c = :c', view_name => 'orders');
SELECT enable_stream('mine');
SELECT create_total('mine', 'orders', 'customer', 'order', '{"orders": "count", "sum": "sum(x)"}');
SELECT create_copy('mine', 'names', 'customer', 'order', '{"name": "name"}');
SELECT put_item('mine', '{"kind": "customer", "c": "a", "name": "Al"}'::jsonb);
SELECT put_item('mine', jsonb_build_object('kind', 'order', 'c', 'a', 'n', n, 's', 'x', 'h', 'y', 'v', jsonb_build_array(n, 1))) FROM generate_series(1, 20) n});
	return;
}

# Each call is a transaction; errors have their SQLSTATE.
sub session
{
	my ($seed) = @_;

	srand($seed);
	my $script = "$directory/$seed.sql";
	open(my $out, '>:utf8', $script) or die "cannot write $script: $!";
	print $out "\\set VERBOSITY verbose\nSET search_path = a, dynamo;\nSET statement_timeout = '5s';\n", map { rand() < 0.25 ? pick(@valid) . "\n" : call() . "\n" } 1 .. CALLS_PER_SESSION;
	close $out;
	my ($stdout, $stderr) = ('', '');
	my $status = $node->psql('postgres', "\\i $script", stdout => \$stdout, stderr => \$stderr, on_error_stop => 0, extra_params => [ '-U', 'attacker' ]);
	my @internal = $stderr =~ /^.*(?:XX000|XX002|server closed the connection).*$/mg;

	is(join("\n", $status, @internal), '0', "seed $seed: no internal error") or diag("SEED=$seed CALLS=@{[CALLS_PER_SESSION]}");
	return $stderr =~ tr/\n//;
}

for my $seed ($first_seed .. $first_seed + int($calls / CALLS_PER_SESSION) - 1)
{
	srand($seed);
	prepare();
	damage_definitions() if $seed % 2 == 0;
	session($seed);
	last if $node->psql('postgres', 'SELECT 1') != 0;
}
is(sql($others), $before, 'what belongs to others has not changed');
unlike(slurp_file($node->logfile), qr/was terminated by signal|TRAP:|PANIC/, 'no process has crashed');

done_testing();
