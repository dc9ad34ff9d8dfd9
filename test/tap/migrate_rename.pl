# migrate_rename.pl: an attribute gets another name while sessions write it under the old one, then
# under either, then under the new one, and the server is killed meanwhile.  A row of another
# table tells in every snapshot what each item must be, so each read is checked.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $items = $ENV{RENAME_ITEMS} || 3000;
my $node = new_dynamo_node('migrate_rename', q{
log_min_messages = warning
dynamo.build_delay = 20
shared_preload_libraries = dynamo
dynamo.http_port = 0
});

$node->safe_psql('postgres', qq{
SELECT dynamo.create_table('counters', partition_key => 'pk', indexes => '[{"index_name": "by_n", "partition_key": "g1", "sort_key": "g2"}]');
SELECT dynamo.create_entity('counters', 'counter', '{"pk": "C#{id}", "g1": "ALL", "g2": "{n:08}"}', '{"id": "int", "n": {"type": "int", "required": true, "default": 0}}',
	type_attribute => 'kind', view_name => 'view');
INSERT INTO view (id) SELECT generate_series(1, $items);
CREATE TABLE truth (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO truth SELECT i, 0 FROM generate_series(1, $items) i;
CREATE TABLE control (name text PRIMARY KEY);
VACUUM ANALYZE;
} . q{
CREATE FUNCTION key_of(id int) RETURNS dynamo.item LANGUAGE sql RETURN jsonb_build_object('kind', 'counter', 'id', id)::dynamo.item;

-- writes under a name until the control row is gone
CREATE PROCEDURE write_under(name text, items int) LANGUAGE plpgsql AS $$
DECLARE
	i int;
	next int;
	door int;
BEGIN
	WHILE EXISTS (SELECT FROM control c WHERE c.name = write_under.name) LOOP
		i := 1 + floor(random() * items);
		door := floor(random() * 5);
		UPDATE truth SET v = v + 1 WHERE id = i RETURNING v INTO next;
		IF door = 0 THEN
			PERFORM dynamo.update_item('counters', key_of(i), 'SET #n = #n + :one', expression_attribute_values => '{":one": {"N": "1"}}',
				expression_attribute_names => jsonb_build_object('#n', name));
		ELSIF door = 1 THEN
			PERFORM dynamo.put_item('counters', jsonb_build_object('kind', 'counter', 'id', i, name, next));
		ELSIF door = 2 THEN
			-- as a client that reads an item, changes it, and writes it whole
			PERFORM dynamo.put_item('counters', dynamo.get_item('counters', key_of(i)) OPERATOR(dynamo.||) jsonb_build_object(name, next)::dynamo.item OPERATOR(dynamo.-) 'g2');
		ELSIF door = 3 THEN
			EXECUTE format('UPDATE view SET %1$I = %1$I + 1 WHERE id = $1', name) USING i;
		ELSE
			UPDATE counters SET item = item OPERATOR(dynamo.||) jsonb_build_object(name, next)::dynamo.item WHERE pk = 'C#' || i;
		END IF;
		COMMIT;
	END LOOP;
END $$;

-- reads by a name until the control row is gone; raises an error for a wrong answer
CREATE PROCEDURE check_under(name text, stored bool) LANGUAGE plpgsql AS $$
DECLARE
	wrong text;
	n int := 0;
BEGIN
	WHILE EXISTS (SELECT FROM control c WHERE c.name = check_under.name) LOOP
		EXECUTE format('SELECT string_agg(t.id || '' has '' || COALESCE(v.%1$I::text, ''nothing'') || '' not '' || t.v, '', '') FROM truth t FULL JOIN view v USING (id) WHERE v.%1$I IS DISTINCT FROM t.v', name) INTO wrong;
		IF wrong IS NULL AND stored THEN
			SELECT string_agg(t.id || ' has ' || (c.item)::text || ' not ' || t.v, ', ') INTO wrong
			FROM truth t FULL JOIN counters c ON c.pk = 'C#' || t.id WHERE (c.item OPERATOR(dynamo.->>) name)::int IS DISTINCT FROM t.v OR c.g2 IS DISTINCT FROM lpad(t.v::text, 8, '0');
		END IF;
		IF wrong IS NOT NULL THEN
			RAISE EXCEPTION 'wrong: %', left(wrong, 300);
		END IF;
		n := n + 1;
		COMMIT;
	END LOOP;
	RAISE NOTICE 'checked % times', n;
END $$;

CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'held'; END $$;
});

sub session
{
	my ($sql) = @_;
	my %session = (out => '', err => '');

	$session{run} = start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $sql ], \undef, \$session{out}, \$session{err});
	return \%session;
}

sub begin
{
	my ($control, @calls) = @_;

	$node->safe_psql('postgres', "INSERT INTO control VALUES ('$control') ON CONFLICT DO NOTHING");
	return map { session("CALL $_") } @calls;
}

sub finish
{
	my ($name, $control, @sessions) = @_;

	$node->safe_psql('postgres', "DELETE FROM control WHERE name = '$control'");
	$_->{run}->finish for @sessions;
	my $errors = join '', grep { !/NOTICE/ } map { split /^/, $_->{err} } @sessions;

	is($errors, '', $name);
	ok((grep { $_->{err} =~ /checked [1-9]/ } @sessions), "$name: reads were checked");
}

# the last item is only the worker's to change
my $written = $items - 1;
my $writer = "write_under('n', $written)";
my $under_new = "write_under('total', $written)";
my $phase = q{SELECT phase FROM dynamo.migrations};

# ---- the old name, with a crash ----

my @old = begin('n', $writer, $writer, "check_under('n', true)");
$node->safe_psql('postgres', q{SELECT dynamo.migrate_entity('counters', 'counter', rename => '{"n": "total"}')});
ok($node->poll_query_until('postgres', q{SELECT items_moved > 0 FROM dynamo.migrations}), 'items get the new name');
$node->stop('immediate');
eval { $_->{run}->finish } for @old;
unlike(join('', map { $_->{err} } @old), qr/wrong/, 'no answer was wrong before a crash');
$node->start;
@old = begin('n', $writer, $writer, "check_under('n', true)");
$node->safe_psql('postgres', q{CALL dynamo.await_migration('counters')});
is($node->safe_psql('postgres', $phase), 'complete', 'all items have both names');

# ---- both names ----

my @new = begin('total', $under_new, $under_new, "check_under('total', true)");
sleep 3;
finish('programs that use the old name', 'n', @old);

# ---- the new name ----

# it has not ended when it is canceled
$node->safe_psql('postgres', qq{CREATE TRIGGER hold BEFORE UPDATE ON counters FOR EACH ROW WHEN (OLD.pk = 'C#$items') EXECUTE FUNCTION hold()});
$node->safe_psql('postgres', q{SELECT dynamo.drop_attribute('counters', 'counter', 'n')});
ok($node->poll_query_until('postgres', q{SELECT items_moved > 0 AND error LIKE 'held%' FROM dynamo.migrations}), 'items lose the old name');
$node->safe_psql('postgres', q{SELECT dynamo.cancel_migration('counters', 'counter'); DROP TRIGGER hold ON counters; CALL dynamo.await_migration('counters')});
is($node->safe_psql('postgres', $phase), 'cancelled', 'and get it back');
is($node->safe_psql('postgres', q{SELECT count(*) FROM counters WHERE item OPERATOR(dynamo.->) 'n' IS NULL OR
	item OPERATOR(dynamo.->>) 'n' IS DISTINCT FROM item OPERATOR(dynamo.->>) 'total'}), '0', 'all of them');
$node->safe_psql('postgres', q{SELECT dynamo.drop_attribute('counters', 'counter', 'n'); CALL dynamo.await_migration('counters')});
sleep 1;
finish('programs that use the new name', 'total', @new);
is($node->safe_psql('postgres', q{SELECT count(*) FROM counters WHERE item OPERATOR(dynamo.->) 'n' IS NOT NULL}), '0', 'no item has the old name');
is($node->safe_psql('postgres', q{SELECT count(*) FROM truth JOIN view USING (id) WHERE truth.v <> view.total OR view.n <> view.total}), '0', 'each has its value');
is($node->safe_psql('postgres', q{SELECT count(*) FROM dynamo.check_entity('counters', 'counter')}), '0', 'and its keys');
cmp_ok($node->safe_psql('postgres', q{SELECT sum(v) FROM truth}), '>', 100, 'there were writes');

$node->stop;
done_testing();
