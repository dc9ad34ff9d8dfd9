# DynamoNode.pm: a server with the extension, for the tests beside this file.
package DynamoNode;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(new_dynamo_node items_of definitions_of);

# A running server whose database postgres has the extension.  Settings are
# lines for postgresql.conf; init options as PostgreSQL::Test::Cluster's.
sub new_dynamo_node
{
	my ($name, $settings, %init) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$init{extra} = [ @{ $init{extra} || [] }, '--encoding=UTF8', '--locale=C.UTF-8' ];
	$node->init(%init);
	$node->append_conf('postgresql.conf', $settings) if defined $settings;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION dynamo');
	return $node;
}

# Every row of a table with its key columns, in order: to compare copies.
sub items_of
{
	my ($node, $database, $table) = @_;

	return $node->safe_psql($database, "SELECT t.* FROM $table t ORDER BY 1, 2");
}

# What the catalogs tell of a database's tables and indexes.
sub definitions_of
{
	my ($node, $database) = @_;

	return $node->safe_psql(
		$database, q{
SELECT pg_catalog.format('%s %s %s %s', tgrelid::regclass, tgname, tgenabled, pg_get_triggerdef(oid))
FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1;
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN (SELECT tgrelid FROM pg_trigger) ORDER BY 1});
}

1;
