# release_upgrade.pl: ALTER EXTENSION UPDATE upgrades a filled database of every
# release to this version: its objects are those of a new installation, and its
# items and indexes do not change, and sessions write to it meanwhile.
#
# A release is an install script beside that of this version.  The test adds its
# own, "0.test": this version without one function and with another comment, so that
# an upgrade is tested before there are releases.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('release_upgrade');
my $current = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'dynamo'});
my $directory = `pg_config --sharedir`;
chomp $directory;
$directory .= '/extension';
my @written;

END { unlink @written if @written }

sub write_script
{
	my ($name, $text) = @_;

	open(my $out, '>', "$directory/$name") or return 0;
	print $out $text;
	close($out);
	push @written, "$directory/$name";
	return 1;
}

# Returns every object of the extension with its properties.
my $objects = q{
SET search_path = '';
SELECT pg_describe_object(d.classid, d.objid, 0), obj_description(d.objid, d.classid::regclass::name),
	CASE d.classid
		WHEN 'pg_proc'::regclass THEN (SELECT CASE WHEN prokind = 'a' THEN '' ELSE pg_get_functiondef(oid) END || coalesce(proacl::text, '') FROM pg_proc WHERE oid = d.objid)
		WHEN 'pg_class'::regclass THEN (SELECT coalesce(relacl::text, '') || CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) ELSE
			(SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod) || attnotnull, ', ' ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = d.objid AND attnum > 0 AND NOT attisdropped) END FROM pg_class WHERE oid = d.objid)
		WHEN 'pg_operator'::regclass THEN (SELECT concat_ws(' ', oprcode, oprrest, oprjoin, oprcom::regoperator, oprnegate::regoperator) FROM pg_operator WHERE oid = d.objid)
		WHEN 'pg_event_trigger'::regclass THEN (SELECT concat_ws(' ', evtenabled, evtfoid::regproc, evttags) FROM pg_event_trigger WHERE oid = d.objid)
		WHEN 'pg_namespace'::regclass THEN (SELECT nspacl::text FROM pg_namespace WHERE oid = d.objid)
	END
FROM pg_depend d
WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo') AND d.deptype = 'e'
ORDER BY 1};
my $configuration = q{SELECT extconfig::regclass[], extcondition FROM pg_extension WHERE extname = 'dynamo'};

sub described
{
	my ($database) = @_;

	return $node->safe_psql($database, $objects) . "\n" . $node->safe_psql($database, $configuration);
}

# ---- a release that exists only here ----

my $script = slurp_file("$directory/dynamo--$current.sql");
my $added = join '', $script =~ /^(CREATE FUNCTION dynamo\.version\(\).*?;\n)(COMMENT ON FUNCTION dynamo\.version\(\).*?;\n)/ms;
isnt($added, '', 'a function to add');
(my $older = $script) =~ s/\Q$added\E//;
$older =~ s/(COMMENT ON FUNCTION dynamo\.item_size\(.*? IS) '.*?';/$1 'older';/s;
my ($comment) = $script =~ /(COMMENT ON FUNCTION dynamo\.item_size\(.*? IS .*?;)/s;
my $head = qq{\\echo Use "ALTER EXTENSION" \\quit\n};

if (!write_script('dynamo--0.test.sql', $older) || !write_script("dynamo--0.test--$current.sql", "$head$added$comment\n")
	|| !write_script('dynamo--0.worse.sql', $older) || !write_script("dynamo--0.worse--$current.sql", "$head$added"))
{
	plan skip_all => 'the directory of extensions is not writable';
}

# ---- upgrades ----

my $new = described('postgres');
my @releases = grep { $_ ne $current && $_ ne '0.worse' } map { m{dynamo--([^-]+)\.sql$} } glob("$directory/dynamo--*.sql");
my $number = 0;

sub release_database
{
	my ($version) = @_;
	my $database = 'release' . ++$number;

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE EXTENSION dynamo VERSION '$version'");
	return $database;
}

# A session that writes items, each in its own transaction, until there is a table "load_ends".
sub start_writer
{
	my ($database, $number) = @_;
	my $writer = { errors => '' };
	my $writes = "DO \$\$ BEGIN LOOP PERFORM dynamo.put_item('load', dynamo.build_item('PK', $number || '.' || clock_timestamp(), 'G', 'g')); COMMIT;
		EXIT WHEN to_regclass('load_ends') IS NOT NULL; END LOOP; END \$\$";

	$writer->{run} = IPC::Run::start([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-c', $writes ],
		'<', '/dev/null', '2>', \$writer->{errors}, IPC::Run::timeout(600));
	return $writer;
}

sub wait_for_items
{
	my ($database, $least) = @_;

	wait_until(sub { $node->safe_psql($database, "SELECT count(*) >= $least FROM load") eq 't' });
}

for my $version (@releases)
{
	my $database = release_database($version);

	$node->safe_psql($database, q{
SELECT dynamo.create_table('shop', 'PK', 'SK');
SELECT dynamo.create_index('shop', 'inline', 'G', 'SK');
SELECT dynamo.create_index('shop', 'kept', 'G', 'SK', storage => 'table');
SELECT dynamo.create_index('shop', 'sharded', 'G', 'SK', shards => 3);
SELECT dynamo.enable_stream('shop');
INSERT INTO shop (item) SELECT dynamo.build_item('PK', 'p' || i % 7, 'SK', 's' || i, 'G', 'g' || i % 3, 'n', i) FROM generate_series(1, 100) i;
SELECT dynamo.create_entity_view('things', 'shop', '{"n": "int"}');
SELECT dynamo.add_unique_constraint('shop', 'n_is_unique', '{n}');
SELECT dynamo.request('UpdateTimeToLive', '{"TableName": "shop", "TimeToLiveSpecification": {"AttributeName": "t", "Enabled": true}}');
CREATE ROLE client_of_} . $database . q{ LOGIN;
SELECT dynamo.create_access_key('client_of_} . $database . q{', 'KEY', 'SECRET')});

	my $items = items_of($node, $database, 'shop');
	my $definitions = definitions_of($node, $database);

	isnt(described($database), $new, "$version differs from the present version");
	$node->safe_psql($database, q{SELECT dynamo.create_table('load', 'PK'); SELECT dynamo.create_index('load', 'by_g', 'G', storage => 'table')});
	my @writers = map { start_writer($database, $_) } 1, 2;

	wait_for_items($database, 20);
	$node->safe_psql($database, 'ALTER EXTENSION dynamo UPDATE');
	wait_for_items($database, 20 + $node->safe_psql($database, 'SELECT count(*) FROM load'));
	$node->safe_psql($database, 'CREATE TABLE load_ends ()');
	for my $writer (@writers)
	{
		$writer->{run}->finish;
		is($writer->{errors}, '', "$version: a session writes before, during and after the upgrade");
	}
	is($node->safe_psql($database, q{SELECT string_agg(p::text, '') FROM dynamo.verify_index('load', 'by_g') p}), '', "$version: the index of what was written meanwhile");
	is($node->safe_psql($database, q{SELECT count(*) = (SELECT count(*) FROM load) FROM dynamo.query('load', 'G = :g', '{":g": {"S": "g"}}', index_name => 'by_g')}), 't',
		"$version: the index finds all of it");
	$node->safe_psql($database, q{SELECT dynamo.drop_table('load'); DROP TABLE load_ends});
	is(described($database), $new, "$version: the upgraded extension has the objects of a new installation");
	is(items_of($node, $database, 'shop'), $items, "$version: items");
	is(definitions_of($node, $database), $definitions, "$version: definitions");
	is($node->safe_psql($database, q{SELECT string_agg(p::text, '') FROM unnest('{inline,kept,sharded}'::text[]) i, dynamo.verify_index('shop', i) p}), '',
		"$version: indexes");
	is($node->safe_psql($database, q{
SELECT dynamo.put_item('shop', '{"PK": {"S": "new"}, "SK": {"S": "new"}, "G": {"S": "g9"}}');
SELECT count(*) FROM dynamo.query('shop', 'G = :g', '{":g": {"S": "g9"}}', index_name => 'sharded');
UPDATE things SET n = 1000 WHERE n = 1 RETURNING n;
SELECT count(*) FROM dynamo.read_stream('shop');
SELECT access_key_id FROM dynamo.access_keys}), "\n1\n1000\n102\nKEY", "$version: the upgraded table works");
}

# ---- an incomplete upgrade is detected ----

my $worse = release_database('0.worse');

$node->safe_psql($worse, 'ALTER EXTENSION dynamo UPDATE');
isnt(described($worse), $new, 'a missing comment is detected');

$node->stop;
done_testing();
