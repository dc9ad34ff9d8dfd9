# copies.pl: eight sessions write parents and children by every door, in every
# isolation level, with rollbacks to savepoints; the server is killed in
# between.  Copies and totals are always what plain SQL computes.
# A dump, a load of data only, and a subscriber have them too, and count nothing
# twice.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('copies', "deadlock_timeout = 50ms\nfsync = on\nlog_min_messages = panic\n", allows_streaming => 'logical');

# An author has books, a book has reviews: a copy of a copy, and a total of a
# total.
$node->safe_psql('postgres', q{
SELECT dynamo.create_table('library', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('library', 'by_author', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('library', 'kept', 'GSI2PK', storage => 'table');
SELECT dynamo.create_entity('library', 'author', '{"PK": "AUTHOR#{author_id}", "SK": "AUTHOR"}', type_attribute => 'kind');
SELECT dynamo.create_entity('library', 'book', type_attribute => 'kind', view_name => 'books',
	keys => '{"PK": "BOOK#{isbn}", "SK": "BOOK", "GSI1PK": "AUTHOR#{written_by}", "GSI1SK": "BOOK#{isbn}", "GSI2PK": "NAME#{author_name}"}',
	attributes => '{"isbn": "text", "written_by": "text", "author_name": "text", "price": "numeric", "reviews": "bigint", "stars": "bigint"}');
SELECT dynamo.create_entity('library', 'review', '{"PK": "BOOK#{isbn}", "SK": "REVIEW#{reader}"}', type_attribute => 'kind');
SELECT dynamo.create_copy('library', 'author_name', 'author', 'book', '{"author_name": "name"}', '{"author_id": "written_by"}', 'by_author');
SELECT dynamo.create_total('library', 'books', 'author', 'book',
	'{"books": "count", "cheapest": "min(price)", "dearest": "max(price)", "stars": "sum(stars)"}', '{"author_id": "written_by"}', 'by_author');
SELECT dynamo.create_copy('library', 'review_author', 'book', 'review', '{"about": "author_name"}');
SELECT dynamo.create_total('library', 'reviews', 'book', 'review', '{"reviews": "count", "stars": "sum(stars)"}');

CREATE FUNCTION any_of(n int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT 1 + (random() * 1000000)::int % n $$;
CREATE FUNCTION any_item() RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	CASE any_of(6)
		WHEN 1 THEN RETURN jsonb_build_object('kind', 'author', 'author_id', 'a' || any_of(4), 'name', 'N' || any_of(5), 'books', 99);
		WHEN 2, 3, 4 THEN RETURN jsonb_build_object('kind', 'book', 'isbn', 'b' || any_of(10), 'written_by', 'a' || any_of(4), 'price', any_of(9), 'author_name', 'forged');
		ELSE RETURN jsonb_build_object('kind', 'review', 'isbn', 'b' || any_of(10), 'reader', 'r' || any_of(4), 'stars', any_of(5));
	END CASE;
END $$;
CREATE FUNCTION key_of(item jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT dynamo.entity_key('library', item ->> 'kind', item)::jsonb $$;
CREATE FUNCTION put_request(item jsonb) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('Put', jsonb_build_object('TableName', 'library', 'Item', (item || key_of(item))::dynamo.item::text::jsonb)) $$;

CREATE FUNCTION write_any(door int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE i jsonb := any_item(); k jsonb := key_of(i); j jsonb := any_item();
BEGIN
	CASE door
		WHEN 1 THEN PERFORM dynamo.put_item('library', i);
		WHEN 2 THEN PERFORM dynamo.delete_item('library', k);
		WHEN 3 THEN PERFORM dynamo.update_item('library', k, 'SET price = :p, stars = :s, #n = :n', expression_attribute_values =>
			jsonb_build_object(':p', any_of(9), ':s', any_of(5), ':n', 'N' || any_of(5)), expression_attribute_names => '{"#n": "name"}')
			FROM library WHERE "PK" = k ->> 'PK' AND "SK" = k ->> 'SK';
		WHEN 4 THEN INSERT INTO library (item) VALUES (i) ON CONFLICT ("PK", "SK") DO UPDATE SET item = EXCLUDED.item;
		WHEN 5 THEN INSERT INTO library (item) SELECT any_item() FROM generate_series(1, 6) ON CONFLICT DO NOTHING;
		WHEN 6 THEN UPDATE library SET item = item::jsonb || jsonb_build_object('price', any_of(9), 'written_by', 'a' || any_of(4), 'stars', any_of(5))
			WHERE "PK" = ANY (ARRAY['BOOK#b' || any_of(10), 'BOOK#b' || any_of(10)]);
		WHEN 7 THEN DELETE FROM library WHERE "PK" IN ('BOOK#b' || any_of(10), 'AUTHOR#a' || any_of(4));
		WHEN 8 THEN UPDATE library SET item = (item::jsonb - 'PK' - 'SK') || jsonb_build_object('author_id', 'a' || any_of(4)) WHERE "PK" = 'AUTHOR#a' || any_of(4);
		WHEN 9 THEN PERFORM dynamo.batch_write_item('library', ARRAY(SELECT DISTINCT ON (key_of(x)) x::dynamo.item FROM (SELECT any_item() FROM generate_series(1, 4)) g(x)));
		WHEN 10 THEN PERFORM dynamo.transact_write_items((CASE WHEN key_of(j) = k THEN jsonb_build_array(put_request(i)) ELSE jsonb_build_array(put_request(i), put_request(j)) END)::json);
		WHEN 11 THEN PERFORM dynamo.request('ExecuteStatement', json_build_object('Statement',
			format('UPDATE library SET price = %s WHERE PK = ''BOOK#b%s'' AND SK = ''BOOK''', any_of(9), any_of(10))));
		WHEN 12 THEN PERFORM dynamo.request('PutItem', json_build_object('TableName', 'library', 'Item', (i || k)::dynamo.item::text::json));
		WHEN 13 THEN UPDATE books SET price = any_of(9), written_by = 'a' || any_of(4) WHERE isbn = 'b' || any_of(10);
		WHEN 14 THEN EXECUTE format('COPY library (item) FROM PROGRAM %L',
			'echo ''' || replace((i || k)::dynamo.item::text, '\', '\\') || '''');
		WHEN 15 THEN MERGE INTO library t USING (SELECT any_item() AS i, any_of(2) AS n) s ON t."PK" = key_of(s.i) ->> 'PK' AND t."SK" = key_of(s.i) ->> 'SK'
			WHEN MATCHED AND n = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET item = s.i WHEN NOT MATCHED THEN INSERT (item) VALUES (s.i);
		WHEN 16 THEN WITH gone AS (DELETE FROM library WHERE "PK" = 'BOOK#b' || any_of(10) RETURNING 1)
			INSERT INTO library (item) SELECT any_item() FROM generate_series(1, 3) ON CONFLICT DO NOTHING;
		WHEN 17 THEN IF dynamo.repair_copies('library') > 0 THEN RAISE EXCEPTION 'something was wrong'; END IF;
	END CASE;
END $$;

-- Some writes are rolled back to where they began.  Doors that have worked are noted.
CREATE TABLE doors (door int);
CREATE FUNCTION write_some() RETURNS void LANGUAGE plpgsql AS $$
DECLARE door int;
BEGIN
	FOR n IN 1 .. any_of(3) LOOP
		BEGIN
			door := any_of(17);
			PERFORM write_any(door);
			INSERT INTO doors VALUES (door);
			IF any_of(5) = 1 THEN RAISE EXCEPTION SQLSTATE 'ZZ001'; END IF;
		EXCEPTION
			WHEN SQLSTATE 'ZZ001' OR unique_violation OR SQLSTATE 'KV001' OR SQLSTATE 'KV002' OR cardinality_violation THEN NULL;
		END;
	END LOOP;
END $$;
CREATE FUNCTION write_retried() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM write_some();
EXCEPTION WHEN serialization_failure OR deadlock_detected OR SQLSTATE 'KV005' OR SQLSTATE 'KV007' THEN NULL;
END $$;

-- What is kept is compared with what plain SQL computes.
CREATE VIEW wrong AS
WITH i AS (SELECT item::jsonb AS i FROM library),
	authors AS (SELECT i FROM i WHERE i ->> 'kind' = 'author'), books_ AS (SELECT i FROM i WHERE i ->> 'kind' = 'book'),
	reviews AS (SELECT i FROM i WHERE i ->> 'kind' = 'review')
SELECT 'author' AS what, a.i FROM authors a,
	LATERAL (SELECT count(*) AS n, min((b.i ->> 'price')::numeric), max((b.i ->> 'price')::numeric), coalesce(sum((b.i ->> 'stars')::numeric), 0) AS stars
			 FROM books_ b WHERE b.i ->> 'written_by' = a.i ->> 'author_id') b
WHERE ((a.i ->> 'books')::numeric, (a.i ->> 'cheapest')::numeric, (a.i ->> 'dearest')::numeric, (a.i ->> 'stars')::numeric)
	IS DISTINCT FROM (b.n::numeric, b.min, b.max, b.stars)
UNION ALL
SELECT 'book', b.i FROM books_ b,
	LATERAL (SELECT count(*) AS n, coalesce(sum((r.i ->> 'stars')::numeric), 0) AS stars FROM reviews r WHERE r.i ->> 'isbn' = b.i ->> 'isbn') r
WHERE ((b.i ->> 'reviews')::numeric, (b.i ->> 'stars')::numeric, b.i ->> 'author_name') IS DISTINCT FROM
	(r.n::numeric, r.stars, (SELECT a.i ->> 'name' FROM authors a WHERE a.i ->> 'author_id' = b.i ->> 'written_by'))
UNION ALL
SELECT 'review', r.i FROM reviews r
WHERE r.i ->> 'about' IS DISTINCT FROM (SELECT b.i ->> 'author_name' FROM books_ b WHERE b.i ->> 'isbn' = r.i ->> 'isbn');
});

sub is_right
{
	my ($at, $when, $database) = @_;

	$database //= 'postgres';
	is($at->safe_psql($database, 'SELECT * FROM wrong'), '', "$when: plain SQL computes the same");
	is($at->safe_psql($database, "SELECT * FROM dynamo.check_copies('library')"), '', "$when: check_copies finds nothing");
	is($at->safe_psql($database, "SELECT * FROM dynamo.check_entity('library')"), '', "$when: check_entity finds nothing");
	is($at->safe_psql($database, "SELECT * FROM dynamo.verify_index('library', 'by_author') UNION ALL SELECT * FROM dynamo.verify_index('library', 'kept')"),
		'', "$when: the indexes are right");
	return;
}

my $script = PostgreSQL::Test::Utils::tempdir() . "/write.sql";
append_to_file($script, <<'END');
\set level random(1, 3)
\set path random(0, 1)
\if :path
SET dynamo.direct_access = off;
\else
SET dynamo.direct_access = on;
\endif
\if :level = 1
SET default_transaction_isolation = 'serializable';
\elif :level = 2
SET default_transaction_isolation = 'repeatable read';
\else
SET default_transaction_isolation = 'read committed';
\endif
SELECT write_retried();
END

my @bench = ('pgbench', '-n', '-c', '8', '-j', '2', '--max-tries', '10', '-f', $script);

# One session first: what is wrong then is no race.
$node->command_ok([ 'pgbench', '-n', '-t', '300', '-f', $script, '--max-tries', '10', 'postgres' ], 'one session writes');
is_right($node, 'one session');
$node->command_ok([ @bench, '-t', '150', 'postgres' ], 'eight sessions write');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT door) FROM doors'), 17, 'all doors have been used');
is_right($node, 'eight sessions');

# Killed while they write.
for my $round (1 .. 2)
{
	my $before = $node->safe_psql('postgres', "SELECT pg_current_wal_lsn()");
	my $writers = start([ @bench, '-T', '60', '-d', $node->connstr('postgres') ], '<', '/dev/null', '>', '/dev/null', '2>', '/dev/null');

	$node->poll_query_until('postgres', "SELECT pg_current_wal_lsn() - '$before' > 300000") or die 'nothing was written';
	crash_node($node);
	$writers->finish;
	$node->start;
	is_right($node, "after crash $round");
}

# A subscriber gets the items as they are; then it writes itself.
my $subscriber = PostgreSQL::Test::Cluster->new('copies_subscriber');
my $dump = "${PostgreSQL::Test::Utils::tmp_check}/copies.sql";

$subscriber->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$subscriber->append_conf('postgresql.conf', "wal_retrieve_retry_interval = 100ms\n");
$subscriber->start;
$node->command_ok([ 'pg_dump', '-s', '-d', $node->connstr('postgres'), '-f', $dump ], 'the schema is dumped');
load_file($subscriber, 'postgres', $dump);
$node->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE library');
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '" . $node->connstr . " dbname=postgres' PUBLICATION p");
$subscriber->wait_for_subscription_sync($node, 's');
$node->command_ok([ @bench, '-t', '30', 'postgres' ], 'eight sessions write for the subscriber');
$node->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT * FROM library ORDER BY 1, 2'), $node->safe_psql('postgres', 'SELECT * FROM library ORDER BY 1, 2'),
	'the subscriber has the same items');
is_right($subscriber, 'subscriber');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION s');
$subscriber->command_ok([ 'pgbench', '-n', '-t', '50', '-f', $script, '--max-tries', '10', 'postgres' ], 'the subscriber is written');
is_right($subscriber, 'subscriber that is written');
$subscriber->stop;

# A dump, and data that is loaded into the schema: nothing is counted twice.
dump_database($node, 'postgres', $dump);
my $whole = new_database($node);
load_file($node, $whole, $dump);
is(items_of($node, $whole, 'library'), items_of($node, 'postgres', 'library'), 'a dump has the items');
is_right($node, 'dump', $whole);
$node->command_ok([ 'pgbench', '-n', '-t', '50', '-f', $script, '--max-tries', '10', $whole ], 'the restored database is written');
is_right($node, 'dump that is written', $whole);

dump_database($node, 'postgres', $dump, '-s');
my $parts = new_database($node);
load_file($node, $parts, $dump);
dump_database($node, 'postgres', $dump, '-a', '-t', 'library');
load_file($node, $parts, $dump);
is(items_of($node, $parts, 'library'), items_of($node, 'postgres', 'library'), 'data alone has the items');
is_right($node, 'data alone', $parts);

$node->stop;
done_testing();
