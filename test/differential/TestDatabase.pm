# TestDatabase.pm: a database of a test's own, made on the server that psql
# finds through the usual environment variables, and dropped at the end.
package TestDatabase;
use strict;
use warnings;
use Exporter 'import';
use File::Temp;
use Test::More;

our @EXPORT = qw(psql create_database);

my $created;

END { system('psql', '-Xq', '-d', 'postgres', '-c', 'SET client_min_messages = warning', '-c', "DROP DATABASE IF EXISTS $created WITH (FORCE)") if $created }

# Runs a script, text in and out; returns psql's exit code and what it printed,
# without the empty lines, other characters than ASCII as \x{...}.
sub psql
{
	my ($db, $sql) = @_;
	my $file = File::Temp->new(SUFFIX => '.sql');
	utf8::encode($sql);
	print $file $sql;
	close $file;
	my $output = `psql -XqAt -v ON_ERROR_STOP=1 -d $db -f $file 2>&1`;
	my $status = $? >> 8;
	utf8::decode($output);
	$output =~ s/^\n//mg;
	$output =~ s/([^\x20-\x7e\n])/sprintf '\\x{%x}', ord $1/ge;
	return ($status, $output);
}

# Creates the database with the extension, then what the script says.
sub create_database
{
	my ($name, $setup) = @_;

	$created = $name;
	my ($status, $output) = psql('postgres', "CREATE DATABASE $name ENCODING 'UTF8' TEMPLATE template0;");
	is($status, 0, 'database') or BAIL_OUT($output);
	($status, $output) = psql($name, "CREATE EXTENSION dynamo;\nALTER DATABASE $name SET search_path = public, dynamo;\n");
	is($status, 0, 'extension') or BAIL_OUT($output);
	($status, $output) = psql($name, "\\o /dev/null\n$setup");
	is($status, 0, 'tables') or BAIL_OUT($output);
	return;
}

1;
