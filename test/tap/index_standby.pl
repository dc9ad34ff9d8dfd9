# index_standby.pl: a reader on a hot standby whose snapshot is older than the
# filling of an index table.  The primary waits for its own readers, but not for those
# of a standby.  There, a transaction that keeps its snapshot fails instead of missing
# items, and one that takes a new snapshot reads all.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start timeout);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = new_dynamo_node('primary', q{
fsync = off
dynamo.in_place_build_limit = 0
dynamo.build_batch_size = 1
dynamo.build_delay = 500
}, allows_streaming => 1);

$primary->safe_psql('postgres', q{
SELECT dynamo.create_table('tab', partition_key => 'PK');
INSERT INTO tab (item) SELECT jsonb_build_object('PK', 'k' || i, 'G', 'g') FROM generate_series(1, 9) i});
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "hot_standby_feedback = on\n");
$standby->start;

# An open session, with functions that send to it and read from it.
sub session
{
	my ($node) = @_;
	my %s = (in => '', out => '');

	$s{run} = start([ 'psql', '-XqAt', '-d', $node->connstr('postgres') ], '<', \$s{in}, '>', \$s{out}, '2>&1', timeout(600));
	return \%s;
}

sub ask
{
	my ($s, $sql) = @_;

	$s->{out} = '';
	$s->{in} .= "$sql;\n\\echo done\n";
	$s->{run}->pump until $s->{out} =~ /^done$/m;
	return $s->{out} =~ s/^done\n//mr =~ s/\n\z//r;
}

my $query = q{SELECT count(*) FROM dynamo.query('tab', 'G = :g', '{":g": {"S": "g"}}', index_name => 'own')};
my ($reader, $other) = (session($standby), session($standby));

# The builder is slow until the reader has its snapshot.
$primary->safe_psql('postgres', "SELECT dynamo.create_index('tab', 'own', 'G', storage => 'table')");
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
ask($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM tab');
is($primary->safe_psql('postgres', "SELECT phase FROM dynamo.index_progress WHERE status = 'CREATING'"), 'filling', 'the index is being filled');
$primary->safe_psql('postgres', 'CALL dynamo.build_indexes()');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));

is(ask($other, $query), 9, 'a new snapshot sees all items through the index');
like(ask($reader, $query), qr/could not serialize access due to concurrent build of index "own"/,
	'an old snapshot cannot use the index');
ask($reader, 'ROLLBACK');
is(ask($reader, $query), 9, 'the same session with a later snapshot');

# Another change of the definition.
ask($reader, q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class WHERE relname = 'none'});
$primary->safe_psql('postgres', q{CALL dynamo.create_index_and_wait('tab', 'another', 'G', 'PK')});
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
is(ask($reader, $query), 9, 'an existing index can still be read');

$_->{in} .= "\\q\n", $_->{run}->finish for $reader, $other;
$standby->stop;
$primary->stop;
done_testing();
