# drivers.pl: the programs of docs/drivers.md and docs/orm.md, each in a separate database.
#
# A program is the block after a comment that names its file.  Programs for drivers
# that are not installed are skipped: python3-psycopg, python3-psycopg2,
# python3-sqlalchemy; node-pg, or pg and drizzle-orm from npm in the directory DYNAMO_SDK; a JDK and
# libpostgresql-jdbc-java.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = join '', map { slurp_file("$FindBin::RealBin/../../docs/$_.md") } qw(drivers orm);
my %programs = $page =~ /^<!-- program: (\S+) -->\n```\w+\n(.*?)^```$/msg;
my $jar = '/usr/share/java/postgresql.jar';
my $modules = defined $ENV{DYNAMO_SDK} ? "$ENV{DYNAMO_SDK}/node_modules" : '/usr/share/nodejs';

# How to detect a program's driver, and how to run the program.
my %ways = (
	'psycopg.py' => [ '/usr/bin/python3 -c "import psycopg"', '/usr/bin/python3 psycopg_program.py' ],
	'psycopg2.py' => [ '/usr/bin/python3 -c "import psycopg2"', '/usr/bin/python3 psycopg2_program.py' ],
	'sqlalchemy.py' => [ '/usr/bin/python3 -c "import sqlalchemy, psycopg2"', '/usr/bin/python3 sqlalchemy_program.py' ],
	'sqlalchemy_views.py' => [ '/usr/bin/python3 -c "import sqlalchemy, psycopg2"', '/usr/bin/python3 sqlalchemy_views_program.py' ],
	# an ECMAScript module looks for others beside itself, not in NODE_PATH
	'drizzle.mjs' => [ "test -d '$modules/pg' && test -d '$modules/drizzle-orm' && node -e 1", "ln -s '$modules' node_modules && node drizzle_program.mjs" ],
	'pg.cjs' => [ "test -d '$modules/pg' && node -e 1", "NODE_PATH='$modules' node pg_program.cjs" ],
	'Jdbc.java' => [ "test -f $jar && java -version", "java -cp $jar Jdbc.java" ],
);

is(join(' ', sort keys %programs), join(' ', sort keys %ways), 'the programs of the pages');

my $node = new_dynamo_node('drivers');
my $port = PostgreSQL::Test::Cluster::get_free_port();
$node->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'\nport = $port\n");
$node->stop;
$node->append_conf('pg_hba.conf', "host all all 127.0.0.1/32 trust\n");
{
	no warnings 'redefine';
	$node->{_port} = $port;
}
$node->start;
my $user = $node->safe_psql('postgres', 'SELECT current_user');

for my $name (sort keys %ways)
{
	my ($probe, $command) = @{ $ways{$name} };
	my $directory = PostgreSQL::Test::Utils::tempdir();
	# a file must not have the name of the module that it imports
	my $file = $name =~ s/\.(py|cjs|mjs)$/_program.$1/r;

	SKIP:
	{
		skip "no driver for $name", 1 if system("($probe) >/dev/null 2>&1") != 0;
		my $database = new_database($node, 1);

		append_to_file("$directory/$file", $programs{$name});
		local $ENV{PGHOST} = '127.0.0.1';
		local $ENV{PGPORT} = $port;
		local $ENV{PGUSER} = $user;
		local $ENV{PGDATABASE} = $database;
		local $ENV{JDBC_URL} = "jdbc:postgresql://127.0.0.1:$port/$database?user=$user";
		my $output = `cd '$directory' && $command 2>&1`;
		is($output, '', $name);
		is($?, 0, "$name: status");
	}
}

$node->stop;
done_testing();
