# captors.pl: nobody takes the place of a table that somebody else names.
#
# A stranger may create in public, which is first in everybody's search path, and has
# temporary tables.  For each relation of a victim, the stranger creates relations with
# its name, and with the name "schema.relation", in both places: tables with an item
# that gives them away, and with triggers and policies that write to the log.  Functions
# and operators of the stranger have the names and arguments of those that statements
# use.  Then a superuser, the victim, and definer functions of the victim call every
# function that takes a table, by its qualified name and as a regclass, and workers do
# their work.  Nothing of the stranger's is read, written or run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('captors', $port, 1, q{
dynamo.housekeeping_interval = 1
dynamo.stream_retention = 3600
dynamo.build_delay = 0
max_worker_processes = 16
log_min_messages = log
});
my $superuser = getpwuid($<);
my $directory = PostgreSQL::Test::Utils::tempdir();
chmod 0777, $directory;

# Whoever runs it may have another path, in which the stranger comes first.
my $path = 'SET client_min_messages = error; SET search_path = public, pg_catalog, dynamo;';

sub query
{
	my ($sql, $user) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $sql, extra_params => [ '-U', $user // $superuser ], on_error_stop => 1);

	return $status ? "error: $error" : $out;
}

sub succeeds
{
	my ($sql, $user, $name) = @_;
	my $result = query($sql, $user);

	unlike($result, qr/^error:/, $name);
	return $result;
}

# ---- the victim ----

succeeds(q{
CREATE ROLE victim LOGIN; CREATE ROLE stranger LOGIN;
CREATE SCHEMA v AUTHORIZATION victim; GRANT USAGE ON SCHEMA v TO PUBLIC;
GRANT CREATE, USAGE ON SCHEMA public TO stranger, victim;
GRANT pg_read_server_files, pg_write_server_files TO victim}, undef, 'two roles');
my $shop = q{
SET client_min_messages = error; SET search_path = v, dynamo;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK", "storage": "table"}, {"index_name": "inl", "partition_key": "GSI1PK"}]');
SELECT create_entity('shop', 'customer', keys => '{"PK": "C#{customer_id}", "SK": "METADATA"}', attributes => '{"customer_id": "text", "name": "text", "orders": "int"}', type_attribute => 'kind', type_value => 'customer', view_name => 'customers');
SELECT create_entity('shop', 'order', keys => '{"PK": "C#{customer_id}", "SK": "ORDER#{order_id:08}"}', attributes => '{"customer_id": "text", "order_id": "integer", "cname": "text"}', type_attribute => 'kind', type_value => 'order', view_name => 'orders');
SELECT create_copy('shop', 'names', 'customer', 'order', '{"cname": "name"}');
SELECT enable_stream('shop');
SELECT update_time_to_live('shop', 'expires');
SELECT create_table('other', 'id');
SELECT create_access_pattern('shop', 'as_items', 'customer_id = :c', entities => '{customer,order}');
SELECT create_access_pattern('shop', 'as_page', 'customer_id = :c', entities => '{customer,order}', returns => 'page');
SELECT create_access_pattern('shop', 'as_document', 'customer_id = :c', entities => '{customer,order}', returns => 'document');
SELECT create_access_pattern('shop', 'as_rows', 'customer_id = :c', view_name => 'orders');
INSERT INTO customers (customer_id, name) VALUES ('c1', 'Alice'), ('c2', 'Bob');
INSERT INTO orders (customer_id, order_id) VALUES ('c1', 1), ('c1', 2);
CREATE FUNCTION bare(k text) RETURNS item LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM dynamo.put_item('v.other', dynamo.build_item('id', k)); RETURN dynamo.get_item('v.other', dynamo.build_item('id', k)); END $$;
CREATE FUNCTION hardened(k text) RETURNS item LANGUAGE plpgsql SECURITY DEFINER SET search_path = v, pg_temp AS $$ BEGIN PERFORM dynamo.put_item('v.other', dynamo.build_item('id', k)); RETURN dynamo.get_item('other', dynamo.build_item('id', k)); END $$;
CREATE FUNCTION atomic() RETURNS SETOF item SECURITY DEFINER BEGIN ATOMIC SELECT dynamo.scan('v.other'::regclass); END;
};
succeeds($shop, 'victim', 'the tables of the victim');
my @patterns = map { "v.$_" } qw(as_items as_page as_document as_rows);
succeeds(join('', map { "ALTER FUNCTION $_ SECURITY DEFINER;" } @patterns), 'victim', 'patterns with the rights of the victim');

# ---- the stranger ----

# Names of everything in the schema, alone and after the schema.
my @names = grep { !/^(?:as_|bare|hardened)/ } split /\n/, query(q{SELECT relname FROM pg_class WHERE relnamespace = 'v'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1});
cmp_ok(scalar @names, '>=', 6, "relations to be captured: @names");
my $attributes = q{"PK" text, "SK" text, "GSI1PK" text, "GSI1SK" text, id text, item dynamo.item};

sub captors
{
	my ($place) = @_;
	my $sql = 'SET client_min_messages = error; SET search_path = pg_catalog;';

	for my $name (map { ($_, "v.$_") } @names)
	{
		$sql .= qq{
CREATE TABLE $place."$name" ($attributes);
INSERT INTO $place."$name" VALUES ('C#c1', 'METADATA', 'x', 'y', 'captor', '{"PK": {"S": "C#c1"}, "SK": {"S": "METADATA"}, "id": {"S": "captor"}}');
CREATE TRIGGER captured BEFORE INSERT OR UPDATE OR DELETE ON $place."$name" FOR EACH ROW EXECUTE FUNCTION public.captured();
CREATE POLICY captured ON $place."$name" USING (public.captured_too('policy'));
ALTER TABLE $place."$name" ENABLE ROW LEVEL SECURITY;
GRANT ALL ON $place."$name" TO PUBLIC;
};
	}
	return $sql;
}

my $code = q{
CREATE FUNCTION public.captured() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE LOG 'CAPTURED by % as %', TG_TABLE_NAME, current_user; RETURN COALESCE(NEW, OLD); END $$;
CREATE FUNCTION public.captured_too(what text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE LOG 'CAPTURED by % as %', what, current_user; RETURN true; END $$;
};
# With the arguments of the functions and operators that statements call, and better ones.
for my $f ('lower(text)', 'concat(text, text)', 'length(text)', 'array_position(name[], name)', 'format(text, name, name)', 'to_regclass(text)', 'current_schemas(boolean)', 'unnest(text[])')
{
	$code .= "CREATE FUNCTION public.$f RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RAISE LOG 'CAPTURED by function as %', current_user; RETURN NULL; END \$\$;\n";
}
for my $type (qw(text name oid int4 int8 bool timestamptz bytea))
{
	$code .= "CREATE FUNCTION public.captured_op(a $type, b $type) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE LOG 'CAPTURED by operator as %', current_user; RETURN NULL; END \$\$;\n";
	$code .= "CREATE OPERATOR public.$_ (LEFTARG = $type, RIGHTARG = $type, FUNCTION = public.captured_op);\n" for '=', '<>', '<', '>', '<=', '>=';
}
$code .= q{CREATE TYPE public.item AS (captor text); CREATE DOMAIN public.regclass AS text; CREATE DOMAIN public.jsonb AS text;};
succeeds("SET client_min_messages = error; $code", 'stranger', 'functions, operators and types of the stranger');
succeeds(captors('public'), 'stranger', 'relations of the stranger in public');

# They log if they are met: otherwise the rest says nothing.
my $offset = -s $node->logfile;
query(q{INSERT INTO public."v.shop" VALUES (); SELECT 'a'::pg_catalog.text OPERATOR(public.=) 'b'::pg_catalog.text; INSERT INTO public."v.shop" DEFAULT VALUES});
query(q{INSERT INTO public."v.shop" DEFAULT VALUES});
like(substr(slurp_file($node->logfile), $offset), qr/CAPTURED by v\.shop as \Q$superuser\E/, 'a captor that is met says so');
$offset = -s $node->logfile;

# ---- every function ----

my $k = q{'{"PK": {"S": "C#c1"}, "SK": {"S": "METADATA"}}'};
my $i = q{'{"PK": {"S": "C#c9"}, "SK": {"S": "METADATA"}, "customer_id": {"S": "c9"}, "kind": {"S": "customer"}, "expires": {"N": "1"}}'};
my $q = q{'PK = :p', '{":p": {"S": "C#c1"}}'};
my @calls = (
	"put_item(#, $i)", "get_item(#, $k)", "update_item(#, $k, 'SET x = :x', expression_attribute_values => '{\":x\": {\"N\": \"1\"}}')", "delete_item(#, $i - 'kind')",
	"batch_get_item(#, ARRAY[$k]::dynamo.item[])", "batch_write_item(#, ARRAY[$i]::dynamo.item[])", "query(#, $q)", "scan(#)", "query_page(#, $q)", "query_each(#, 'PK = :p', ARRAY['{\":p\": {\"S\": \"a\"}}']::dynamo.item[])", "query_each_page(#, 'PK = :p', ARRAY['{\":p\": {\"S\": \"a\"}}']::dynamo.item[])", "scan_page(#)", "explain_query(#, $q)",
	"describe_table(#)", "create_index(#, 'more', 'w', storage => 'table')", "verify_index(#, 'GSI1')", "verify_index(#, 'inl')", "reindex(#, 'GSI1')", "change_index(#, 'inl', storage => 'table')", "reshard_index(#, 'more', 2)",
	"CALL build_indexes(#)", "build_statements(#)", "drop_index(#, 'more')", "CALL create_index_and_wait(#, 'waited', 'z')", "create_vector_index(#, 'vec', 'embedding', 2)",
	"search_vectors(#, 'vec', '{1,2}')", "drop_vector_index(#, 'vec')",
	"create_entity(#, 'third', keys => '{\"PK\": \"T#{t}\", \"SK\": \"T\"}', attributes => '{\"t\": \"text\"}')", "describe_entity(#, 'order')",
	"migrate_entity(#, 'third', '{\"PK\": \"U#{t}\"}')", "pause_migration(#, 'third')", "resume_migration(#, 'third')", "cancel_migration(#, 'third')", "CALL await_migration(#)", "drop_attribute(#, 'third', 't')", "drop_entity(#, 'third')", "entity_key(#, 'customer', '{\"customer_id\": {\"S\": \"c1\"}}')",
	"keys_of(#, $i)", "kind_of(#, $i)", "key_parts(#, $i)", "check_entity(#)", "apply_entity(#)", "nest_items(#, 'customer', ARRAY[$i]::dynamo.item[])",
	"create_access_pattern(#, 'fresh', 'customer_id = :c', entities => '{customer}', replace => true)", "drop_copy(#, 'names')", "create_copy(#, 'names', 'customer', 'order', '{\"cname\": \"name\"}')",
	"create_total(#, 'sums', 'customer', 'order', '{\"orders\": \"count\"}')", "check_copies(#)", "repair_copies(#)", "drop_total(#, 'sums')", "create_entity_view('again', #, entity_name => 'order')",
	"add_unique_constraint(#, 'uni', '{u}')", "add_reference(#, 'ref', '{\"PK\": \"{rp}\", \"SK\": \"{rs}\"}')", "drop_constraint(#, 'ref')",
	"import_lines(#, ARRAY['{\"Item\": ' || $i || '}'])", "export_items(#, '$directory/items~')", "import_items(#, '$directory/items~')",
	"disable_stream(#)", "enable_stream(#)", "read_stream(#)", "stream_shards(#)", "trim_streams(#, '0')", "apply_index_changes(#)", "wait_for_index(#, 'GSI1')",
	"update_time_to_live(#, 'expires', enabled => false)", "update_time_to_live(#, 'expires')", "delete_expired(#)",
	"outline(#)", "advise(#)", "check_access_patterns(#)", "draw(#)", "export_model(#)", "model_checksum(#)",
	"generate_client(#, 'go')");
# What only Citus has
my %elsewhere = map { $_ => 1 } qw(distribute_table undistribute_table drop_table);
# a migration may have ended before it is paused or cancelled
my %may_fail = map { $_ => 1 } qw(pause_migration resume_migration cancel_migration drop_attribute create_vector_index search_vectors drop_vector_index apply_index_changes wait_for_index change_index reshard_index delete_item create_index_and_wait);
my %called = map { /(\w+)\(/ ? ($1 => 1) : () } @calls;

is(join(' ', grep { !$called{$_} && !$elsewhere{$_} } split /\n/, query(q{SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'dynamo'::regnamespace AND 'table_name' = ANY (proargnames)
	AND 'regclass'::regtype = ANY (proargtypes::oid[]) ORDER BY 1})), '', 'every function that takes a table is called');

# The order of names in the path is the worst one; temporary captors are those of the session.
sub try_call
{
	my ($call, $table, $user) = @_;
	my ($procedure, $function) = $call =~ /^(CALL )?(\w+)/;
	my $statement = $procedure ? "CALL dynamo.$call" =~ s/dynamo\.CALL /dynamo./r : "SELECT dynamo.$call";
	my $result = query($path . ($statement =~ s/#/$table/r), $user);

	unlike($result, qr/captor|permission denied|ambiguous|must be owner/i, "$function of $table as $user gives nothing of a captor");
	unlike($result, qr/^error/, "$function of $table works") unless $may_fail{$function};
}
for my $round ([ $superuser, q{'v.shop'} ], [ 'victim', q{'v.shop'::pg_catalog.regclass} ])
{
	my ($user, $table) = @$round;

	query('SET client_min_messages = error; DROP SCHEMA v CASCADE; DROP FUNCTION IF EXISTS public.fresh; CREATE SCHEMA v AUTHORIZATION victim; GRANT USAGE ON SCHEMA v TO PUBLIC');
	succeeds($shop, 'victim', 'the tables once more');
	try_call($_ =~ s/~/$user/r, $table, $user) for @calls;
}
succeeds(join('', map { "ALTER FUNCTION $_ SECURITY DEFINER;" } @patterns), 'victim', 'patterns with the rights of the victim');

# ---- definer functions and patterns, called by the stranger ----

for my $prelude ($path, 'SET client_min_messages = error; SET search_path = pg_temp, public, dynamo;' . captors('pg_temp') . 'SET search_path = pg_temp, public, pg_catalog, dynamo;')
{
	for my $call ((map { "SELECT * FROM $_('c1')" } @patterns), q{SELECT v.bare('x')}, q{SELECT v.hardened('y')}, 'SELECT v.atomic()')
	{
		my $result = query("$prelude $call", 'stranger');

		unlike($result, qr/captor|^error/i, "$call" . ($prelude =~ /pg_temp/ ? ', temporary captors' : ''));
	}
}
is(query('SELECT count(*) FROM v.other', 'victim'), '2', 'definer functions wrote to the table of the victim');

# ---- workers: expired items, trimmed streams, a build, while captors are there ----

succeeds(q{SELECT dynamo.put_item('v.shop', pg_catalog.jsonb_build_object('PK', 'C#late', 'SK', 'METADATA', 'customer_id', 'late', 'kind', 'customer', 'expires', extract(epoch FROM now())::int - 100))}, 'victim', 'an expired item');
succeeds(q{SELECT dynamo.create_index('v.shop', 'built', 'customer_id', storage => 'table')}, 'victim', 'an index to be built');
ok(wait_until(sub { query(q{SELECT count(*) FROM v.shop WHERE "PK" = 'C#late'}) eq '0' }), 'the worker deletes expired items');
ok(wait_until(sub { query(q{SELECT status FROM dynamo.indexes WHERE index_name = 'built'}) eq 'ACTIVE' }), 'the worker builds the index');

# ---- HTTP: names of clients ----

succeeds(q{CREATE ROLE client LOGIN; GRANT ALL ON v.other TO client; SELECT dynamo.create_access_key('client', 'CLIENT', 'S');
SELECT dynamo.create_access_key('stranger', 'STRANGER', 'S')}, undef, 'keys');
my $socket = connect_http($port);
my @client = (key => 'CLIENT', secret => 'S');
my $put = sub {
	my ($table, @key) = @_;
	my ($status, $answer) = api($socket, 'PutItem', { TableName => $table, Item => { id => { S => 'http' } } }, @key);

	return join ' ', $status, ($answer->{__type} // '') =~ s/.*#//r;
};
is($put->('v.other', @client), '200 ', 'a name with a schema');
succeeds(q{SET search_path = public; SELECT dynamo.create_table('squatted', 'id'); GRANT ALL ON squatted TO PUBLIC;
CREATE TRIGGER captured BEFORE INSERT ON squatted FOR EACH ROW EXECUTE FUNCTION public.captured()}, 'stranger', 'a table that a client could mean');
is($put->('squatted', @client), '400 ResourceNotFoundException', 'it is not meant without its schema');
succeeds(q{CREATE SCHEMA client AUTHORIZATION client}, undef, 'a schema of the client');
is((api($socket, 'CreateTable', { TableName => 'squatted', KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ], AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ],
	BillingMode => 'PAY_PER_REQUEST' }, @client))[0], 200, 'the client can create its own');
is($put->('squatted', @client), '200 ', 'and use it');
is(query(q{SELECT count(*) FROM client.squatted}), '1', 'the item is there');
is((api($socket, 'CreateTable', { TableName => 'v.fresh', KeySchema => [ { AttributeName => 'id', KeyType => 'HASH' } ], AttributeDefinitions => [ { AttributeName => 'id', AttributeType => 'S' } ],
	BillingMode => 'PAY_PER_REQUEST' }, key => 'STRANGER', secret => 'S'))[0], 400, 'a stranger creates nothing in the schema');
is(query(q{SELECT count(*) FROM pg_class WHERE relname ~ 'fresh'}), '0', 'nor elsewhere with its name');

my $log = substr slurp_file($node->logfile), $offset;
is(join("\n", $log =~ /^.*CAPTURED.*$/mg), '', 'nothing of the stranger ran');
is(query(join ' UNION ALL ', map { my $n = $_; qq{SELECT '$n' FROM public."$n" WHERE id IS DISTINCT FROM 'captor' AND "PK" IS NOT NULL} } map { ($_, "v.$_") } @names), '', 'nothing was written to a captor');

# ---- a superuser vouches for a schema ----

succeeds(q{GRANT ALL ON public.squatted TO client; DROP TRIGGER captured ON public.squatted; DROP TABLE client.squatted; ALTER ROLE client SET dynamo.http_schemas = 'public'; SELECT pg_reload_conf()}, undef, 'dynamo.http_schemas');
ok(wait_until(sub { $put->('squatted', @client) eq '200 ' }), 'its tables are meant');
like(query(q{ALTER ROLE client SET dynamo.http_schemas = 'v'}, 'client'), qr/permission denied/, 'only a superuser can');

$node->stop;
done_testing();
