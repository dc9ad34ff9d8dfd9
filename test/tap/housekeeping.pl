# housekeeping.pl: the worker beside the HTTP endpoint that removes expired
# items and old records of streams.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_dynamo_node(
	'housekeeping', qq{
shared_preload_libraries = 'dynamo'
dynamo.http_port = $port
dynamo.http_workers = 1
dynamo.http_listen_addresses = '127.0.0.1'
dynamo.housekeeping_interval = 0
}, allows_streaming => 1);

sub reload
{
	my (%settings) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET dynamo.$_ = '$settings{$_}'") for sort keys %settings;
	$node->reload;
}

sub query
{
	return $node->safe_psql('postgres', $_[0]);
}

# The test sets the limit of the worker's statements; those of the test have none.
$ENV{PGOPTIONS} = '-c statement_timeout=0';

# Waits until a query is true.
sub until_true
{
	my ($query, $name) = @_;

	ok($node->poll_query_until('postgres', $query), $name);
}

# The owner cannot log in, a trigger reports its user, and names need quotes.  Of
# five items three have expired.
query(q{
CREATE ROLE owner;
CREATE ROLE villain;
GRANT CREATE ON SCHEMA public TO owner, villain;
CREATE TABLE fired (by name, session name);
GRANT INSERT ON fired TO PUBLIC;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.fired VALUES (current_user, session_user); RETURN OLD; END';
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
SET ROLE owner;
SELECT dynamo.create_table('The.Table', 'id');
SELECT dynamo.update_time_to_live('The.Table', 'e');
SELECT dynamo.enable_stream('The.Table');
CREATE TRIGGER tell BEFORE DELETE ON "The.Table" FOR EACH ROW EXECUTE FUNCTION tell();
INSERT INTO "The.Table" (item) SELECT jsonb_build_object('id', i::text, 'e', floor(extract(epoch FROM now())) + (i - 3) * 1000) FROM generate_series(1, 5) i;
SELECT dynamo.create_table('many', 'id');
SELECT dynamo.update_time_to_live('many', 'e');
INSERT INTO many (item) SELECT jsonb_build_object('id', i::text, 'e', floor(extract(epoch FROM now())) - i) FROM generate_series(1, 2500) i;
SET ROLE villain;
SELECT dynamo.create_table('broken', 'id');
SELECT dynamo.update_time_to_live('broken', 'e');
CREATE TRIGGER a_fail BEFORE DELETE ON broken FOR EACH ROW EXECUTE FUNCTION fail();
CREATE TRIGGER tell BEFORE DELETE ON broken FOR EACH ROW EXECUTE FUNCTION tell();
INSERT INTO broken (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1));
});
until_true("SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dynamo housekeeping'", 'the worker runs');
is(query('SELECT count(*) FROM "The.Table"'), '5', 'the worker does nothing if it is disabled');

my $offset = -s $node->logfile;
reload(housekeeping_interval => '1s');
until_true('SELECT count(*) = 2 FROM "The.Table"', 'expired items are deleted');
until_true('SELECT count(*) = 0 FROM many', 'deletions take more than one transaction');
is(query('SELECT DISTINCT by, session FROM fired'), 'owner|owner', 'deletions have the rights of the owner');
is(query(q{SELECT count(*) FROM dynamo.read_stream('The.Table') WHERE expired}), '3', 'stream records name time to live as the cause');
ok($node->wait_for_log(qr/WARNING:  1 expired item of table "public.broken" could not be deleted\n.*DETAIL:  not this one/, $offset), 'failures are logged');
is(query('SELECT count(*) FROM broken'), '1', 'an item that cannot be deleted remains');
query('DROP TRIGGER a_fail ON broken');
until_true('SELECT count(*) = 0 FROM broken', 'the item is deleted when nothing prevents it any more');
is(query(q{SELECT DISTINCT by FROM fired WHERE by <> 'owner'}), 'villain', 'the second table is processed as its own owner');
is(scalar(() = slurp_file($node->logfile, $offset) =~ /not this one/g), 1, 'the failure was logged once');

# Items that cannot be deleted do not delay others: a trigger fails for one, a
# reference keeps one until the end of the transaction, a trigger never ends for
# one, another transaction has locked a row that references one.
$offset = -s $node->logfile;
query('ALTER SYSTEM SET statement_timeout = \'2s\'');
reload();
query(q{
SET ROLE villain;
SELECT dynamo.create_table('hard', 'id');
SELECT dynamo.update_time_to_live('hard', 'e');
CREATE FUNCTION hard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.id = 'i7' THEN RAISE 'item 7 stays'; END IF;
	IF OLD.id = 'i9' THEN PERFORM pg_sleep(3600); END IF;
	RETURN OLD;
END $$;
CREATE TRIGGER hard BEFORE DELETE ON hard FOR EACH ROW EXECUTE FUNCTION hard();
CREATE TABLE refers (id text COLLATE "C" REFERENCES hard DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO refers VALUES ('i8');
INSERT INTO hard (item) SELECT jsonb_build_object('id', 'i' || i, 'e', floor(extract(epoch FROM now())) - i) FROM generate_series(1, 20) i;
COMMIT});
until_true(q{SELECT string_agg(id, ' ' ORDER BY id) = 'i7 i8 i9' FROM hard}, 'items that cannot be deleted do not delay others');
sleep(3);
my $log = slurp_file($node->logfile, $offset);
is(scalar(() = $log =~ /$_/g), 1, "logged once: $_") for 'DETAIL:  item 7 stays', 'violates foreign key constraint "refers_id_fkey"';
query('DROP TRIGGER hard ON hard; DELETE FROM hard; ALTER SYSTEM RESET statement_timeout') if query('DELETE FROM refers RETURNING id');
reload();

# A trigger that never ends.
query('ALTER SYSTEM SET statement_timeout = \'1s\'');
query(q{
SET ROLE villain;
CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN OLD; END $$;
CREATE TRIGGER a_hang BEFORE DELETE ON broken FOR EACH ROW EXECUTE FUNCTION hang();
INSERT INTO broken (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1));
SET ROLE owner;
INSERT INTO many (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1))});
$offset = -s $node->logfile;
reload();
ok($node->wait_for_log(qr/ERROR:  canceling statement due to statement timeout/, $offset), 'a deletion that takes too long is canceled');
until_true('SELECT count(*) = 0 FROM many', 'the other items are deleted');
query('DROP TRIGGER a_hang ON broken; ALTER SYSTEM RESET statement_timeout');
reload();
until_true('SELECT count(*) = 0 FROM broken', 'the item is deleted without the trigger');
my $pid = query(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo housekeeping'});
query("SELECT pg_cancel_backend($pid)");
sleep(2);
is(query(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo housekeeping'}), $pid, 'canceling an idle worker does nothing');

# Code of a villain that goes on after it was canceled, whether before the commit or at it, and
# code whose error looks like a cancellation: the other tables are processed nevertheless.
query('ALTER SYSTEM SET statement_timeout = \'1s\'');
query(q{
SET ROLE owner;
SELECT dynamo.create_table(n, 'id'), dynamo.update_time_to_live(n, 'e') FROM unnest('{good1,good2,good3,good4,good5,good6}'::text[]) n;
SET ROLE villain;
SELECT dynamo.create_table(n, 'id'), dynamo.update_time_to_live(n, 'e') FROM unnest('{deaf,deferred,pretends}'::text[]) n;
CREATE FUNCTION deaf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END;
	END LOOP;
END $$;
CREATE FUNCTION pretend() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not canceled' USING ERRCODE = 'query_canceled'; END $$;
CREATE TRIGGER a_deaf BEFORE DELETE ON deaf FOR EACH ROW EXECUTE FUNCTION deaf();
CREATE CONSTRAINT TRIGGER a_hang AFTER DELETE ON deferred DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.hang();
CREATE CONSTRAINT TRIGGER a_pretend AFTER DELETE ON pretends DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pretend()});
$offset = -s $node->logfile;
reload();
query(qq{INSERT INTO $_ (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1))})
  for 'deaf', 'deferred', 'pretends', map { "good$_" } 1 .. 6;
ok($node->wait_for_log(qr/LOG:  the last housekeeping worker ended at relation \d+, which is left alone for \d+ seconds/, $offset),
	'a worker whose table goes on after its cancellation ends');
until_true('SELECT count(*) = 0 FROM (' . join(' UNION ALL ', map { "SELECT 1 FROM good$_" } 1 .. 6) . ') i', 'the items of other tables are deleted');
ok($node->wait_for_log(qr/ERROR:  not canceled/, $offset), 'an error that looks like a cancellation');
is(query('SELECT count(*) FROM deferred'), '1', 'a deferred trigger that takes too long keeps its item');
query('DROP TABLE deaf, deferred, pretends; ALTER SYSTEM RESET statement_timeout');
reload();

# Nobody else can read temporary tables.
my $session = $node->background_psql('postgres');
$session->query_safe(q{
SET search_path = pg_temp, public;
CREATE TEMPORARY TABLE first (i int);
SELECT dynamo.create_table('mine', 'id'), dynamo.enable_stream('mine');
SELECT dynamo.update_time_to_live('mine', 'e');
INSERT INTO mine (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1))});
$offset = -s $node->logfile;
query('SELECT dynamo.delete_expired()');
query(q{SELECT dynamo.trim_streams(NULL, interval '1 day')});
query(q{INSERT INTO good1 (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1))});
until_true('SELECT count(*) = 0 FROM good1', 'beside a temporary table');
sleep(2);
unlike(slurp_file($node->logfile, $offset), qr/cannot access temporary tables/, 'temporary tables of sessions are left to them');
is($session->query_safe('SELECT dynamo.delete_expired()'), '1', 'which delete the expired items');
$session->quit;

# However often others wake the worker, such as by reading the configuration again.
reload(housekeeping_interval => '3s');
query(q{SET ROLE owner; INSERT INTO good1 (item) VALUES (jsonb_build_object('id', 'b', 'e', floor(extract(epoch FROM now())) - 1))});
for (1 .. 60)
{
	last if query('SELECT count(*) FROM good1') eq '0';
	query('SELECT pg_reload_conf(), pg_sleep(0.5)');
}
is(query('SELECT count(*) FROM good1'), '0', 'signals do not put housekeeping off');
reload(housekeeping_interval => '1s');

# ---- streams ----

is(query(q{SELECT count(*) FROM dynamo.read_stream('The.Table')}), '8', 'recent records are kept');
query(q{SELECT dynamo.create_table('gone', 'id'), dynamo.enable_stream('gone'); SELECT dynamo.put_item('gone', '{"id": "a"}'::jsonb)});
query('DROP TABLE gone');
is(query(q{SELECT count(*) FROM dynamo.streams WHERE table_name = 'gone'}), '1', 'the stream of a dropped table is kept');
reload(stream_retention => '0');
until_true(q{SELECT count(*) = 0 FROM dynamo.read_stream('The.Table')}, 'old records are deleted');
until_true(q{SELECT count(*) = 0 FROM dynamo.streams WHERE table_name = 'gone'}, 'streams that ended long ago are dropped');
is(query(q{SELECT status FROM dynamo.streams WHERE table_name = 'The.Table'}), 'ENABLED', 'enabled streams are kept');

# ---- the server ----

query('DROP EXTENSION dynamo CASCADE');
sleep(2);
is(query("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo housekeeping'"), '1', 'without the extension the worker waits');
query('CREATE EXTENSION dynamo');
query(q{SELECT dynamo.create_table('again', 'id'); SELECT dynamo.update_time_to_live('again', 'e');
INSERT INTO again (item) VALUES (jsonb_build_object('id', 'a', 'e', floor(extract(epoch FROM now())) - 1))});
until_true('SELECT count(*) = 0 FROM again', 'the worker continues when the extension exists');

$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('housekeeping_standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'dynamo.http_port = ' . PostgreSQL::Test::Cluster::get_free_port());
$standby->start;
is($standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo housekeeping'"), '0', 'a standby has no worker');
$standby->promote;
ok($standby->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dynamo housekeeping'"), 'a promoted standby has a worker');
$standby->stop;
$node->stop;

done_testing();
