# view_statements.pl: statements of odd shapes that write through entity views of distributed
# tables do what they do on one server, or are refused; with the rights of the same role.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use CitusCluster;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $settings = "restart_after_crash = off\nlog_statement = none\n";
my ($coordinator, $worker, $other) = new_citus_cluster(coordinator => $settings, worker1 => $settings, worker2 => $settings);
my @nodes = ($coordinator, $worker, $other);

# Errors of Citus itself: a view WHERE false, a rule that inserts what a view shows into a table, and names that only this node knows.
my $of_citus = qr/invalid attnum -6 for rangetable entry|could not find attribute 3 in subquery targetlist|function public.plain_bump_dist/;

# The result of statements of a role, with their errors, without places.
sub run_as
{
	my ($node, $role, $sql) = @_;
	my ($out, $error) = ('', '');

	$node->psql('postgres', "\\set VERBOSITY verbose\nSET client_min_messages = warning; SET search_path = public, dynamo;\n$sql", stdout => \$out, stderr => \$error, on_error_stop => 0, extra_params => [ '-U', $role ]);
	my @internal = grep { !/$of_citus/ } $error =~ /^.*(?:XX000|server closed).*$/mg;

	is(join("\n", @internal), '', $node->name . ", $role: no internal error: $sql");
	return ($out, $error);
}

sub setup
{
	my ($table) = @_;

	return qq{SELECT dynamo.create_table('$table', 'PK', 'SK');
SELECT dynamo.create_entity('$table', 'order', '{"PK": "C#{c}", "SK": "O#{o}"}', '{"c": "text", "o": "text", "n": "int", "status": "text"}', type_attribute => 'kind', view_name => '${table}_orders');
GRANT SELECT ON ${table}_orders TO attacker; GRANT SELECT, UPDATE (n) ON ${table}_orders TO editor; GRANT SELECT, UPDATE, DELETE ON $table TO editor};
}

# Objects on a node over the view of a table.
sub local_objects
{
	my ($table) = @_;
	my $view = "${table}_orders";

	return qq{CREATE VIEW over_$table AS SELECT * FROM $view WHERE n < 6;
CREATE VIEW over2_$table WITH (security_barrier) AS SELECT c, n, o FROM over_$table WHERE c <> 'c9' WITH CASCADED CHECK OPTION;
CREATE VIEW invoker_$table WITH (security_invoker) AS SELECT * FROM $view;
GRANT ALL ON over_$table, over2_$table, invoker_$table TO attacker;
CREATE TABLE log_$table (n int, who text);
CREATE VIEW ruled_$table AS SELECT * FROM $view;
CREATE RULE r AS ON UPDATE TO ruled_$table DO INSTEAD (INSERT INTO log_$table VALUES (NEW.n, current_user); UPDATE $view SET n = NEW.n WHERE c = OLD.c AND o = OLD.o);
CREATE VIEW ruled2_$table AS SELECT * FROM $view;
CREATE RULE r AS ON UPDATE TO ruled2_$table DO INSTEAD UPDATE $view SET n = NEW.n WHERE c = OLD.c AND o = OLD.o;
CREATE VIEW ruled3_$table AS SELECT * FROM $view;
CREATE RULE r AS ON UPDATE TO ruled3_$table DO INSTEAD INSERT INTO log_$table VALUES (NEW.n, current_user);
GRANT ALL ON ruled_$table, ruled2_$table, ruled3_$table TO attacker;
CREATE FUNCTION bump_$table(key text, by int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS \$\$ DECLARE x int; BEGIN UPDATE $view SET n = n + by WHERE c = key RETURNING n INTO x; RETURN x; END \$\$;
CREATE FUNCTION plain_bump_$table(key text, by int) RETURNS SETOF int LANGUAGE sql AS 'UPDATE $view SET n = n + by WHERE c = key RETURNING n';
CREATE FUNCTION nested_$table(key text) RETURNS int LANGUAGE plpgsql AS \$\$ DECLARE r record; s int = 0; BEGIN FOR r IN SELECT * FROM $view WHERE c > key ORDER BY c LOOP UPDATE $view SET n = r.n * 2 WHERE c = r.c; s = s + plain_bump_$table(r.c, 1); END LOOP; RETURN s; END \$\$;
CREATE TABLE source_$table (c text, n int); INSERT INTO source_$table VALUES ('c1', 70), ('c2', NULL), ('zz', 1);
CREATE FUNCTION fires_$table() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN UPDATE $view SET n = NEW.n WHERE c = NEW.c; RETURN NEW; END \$\$;
CREATE TRIGGER fires AFTER INSERT OR UPDATE ON source_$table FOR EACH ROW EXECUTE FUNCTION fires_$table();
GRANT ALL ON source_$table, log_$table TO attacker, editor};
}

$coordinator->safe_psql('postgres', q{CREATE ROLE attacker LOGIN; CREATE ROLE editor LOGIN; CREATE ROLE victim LOGIN; GRANT CREATE ON SCHEMA public TO victim, attacker});
$coordinator->safe_psql('postgres', q{SET search_path = public, dynamo; SET ROLE victim; } . setup($_)) for 'dist', 'local';
$coordinator->safe_psql('postgres', q{SET ROLE victim; SELECT dynamo.distribute_table('dist', shards => 4)});
for my $table ('dist', 'local')
{
	$coordinator->safe_psql('postgres', 'SET citus.enable_ddl_propagation = off; SET ROLE victim; ' . local_objects($table));
}
$_->safe_psql('postgres', 'SET citus.enable_ddl_propagation = off; ALTER ROLE victim SET citus.enable_ddl_propagation = off') for @nodes;

# %s is the table; what is not in RETURNING is in the state of the table after it.
my @statements = (
	q{UPDATE %s_orders o SET status = o::text WHERE n < 3}, q{UPDATE %s_orders o SET n = (SELECT max(n) FROM %s_orders) WHERE c = 'c1'}, q{UPDATE %s_orders SET n = n WHERE false RETURNING *}, q{UPDATE %s_orders SET n = n WHERE NULL}, q{DELETE FROM %s_orders WHERE true RETURNING count(*) OVER ()},
	q{UPDATE ONLY %s_orders SET n = 9 WHERE c = 'c1' RETURNING *}, q{UPDATE %s_orders SET n = 1 WHERE ctid IS NOT NULL}, q{UPDATE %s_orders SET n = 1 RETURNING tableoid}, q{UPDATE %s_orders SET n = 1 WHERE c = 'c1' RETURNING %s_orders}, q{UPDATE %s_orders a SET n = b.n FROM %s_orders b WHERE a.c = b.c AND a.o > b.o RETURNING a.n},
	q{UPDATE %s_orders a SET n = a.n + 1 FROM LATERAL (SELECT count(*) k FROM source_%s s WHERE s.c = a.c) l WHERE l.k > 0 RETURNING a.c, a.n}, q{UPDATE %s_orders SET n = DEFAULT WHERE c = 'c1' RETURNING n, status}, q{UPDATE %s_orders SET n = random()::int * 0 + 3 WHERE c = 'c2' RETURNING n},
	q{UPDATE %s_orders SET n = generate_series(1, 2)}, q{UPDATE %s_orders SET (n, status) = (4, 'x') WHERE c = 'c3' RETURNING *}, q{UPDATE %s_orders SET (n, status) = ROW (5, 'y') WHERE c = 'c3' RETURNING *}, q{UPDATE %s_orders SET n = 1, n = 2}, q{UPDATE %s_orders SET status = current_user WHERE c = 'c1' RETURNING status},
	q{DELETE FROM %s_orders USING source_%s s WHERE s.c = %s_orders.c RETURNING %s_orders.*}, q{DELETE FROM %s_orders a USING %s_orders b WHERE a.c = b.c AND a.n < b.n RETURNING a.c, a.n}, q{DELETE FROM %s_orders WHERE EXISTS (SELECT 1 FROM source_%s s WHERE s.c = c) RETURNING c}, q{WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 4) UPDATE %s_orders o SET n = 50 FROM t WHERE t.n = o.n RETURNING o.c, o.n},
	q{WITH x AS MATERIALIZED (SELECT * FROM %s_orders WHERE n > 4) UPDATE %s_orders SET status = 'big' WHERE c IN (SELECT c FROM x) RETURNING c, status}, q{INSERT INTO %s_orders (c, o, n) VALUES ('new', 'a', 1), ('new', 'b', 2) RETURNING *}, q{INSERT INTO %s_orders (c, o, n) VALUES ('c1', 'first', 1) ON CONFLICT DO NOTHING RETURNING *}, q{INSERT INTO %s_orders (c, o, n) SELECT c, 'copy', n FROM %s_orders WHERE n < 3 RETURNING c, o, n},
	q{PREPARE p AS UPDATE %s_orders SET n = $1 WHERE c = $2 RETURNING n; EXECUTE p('x', 'c1'); EXECUTE p(1); EXECUTE p(1, 2, 3); EXECUTE p(NULL, 'c1'); EXECUTE p(8, NULL); EXECUTE p('7', 'c2')}, q{SET plan_cache_mode = force_generic_plan; PREPARE p(int, text) AS DELETE FROM %s_orders WHERE n = $1 OR c = $2 RETURNING n; EXECUTE p(1, 'c2'); EXECUTE p(NULL, NULL); EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) EXECUTE p(3, 'c4') \g /dev/null},
	q{BEGIN; DECLARE k CURSOR FOR SELECT * FROM %s_orders ORDER BY c, o; FETCH 2 FROM k; UPDATE %s_orders SET n = 1 WHERE CURRENT OF k; COMMIT}, q{BEGIN; DECLARE k CURSOR FOR SELECT * FROM %s_orders ORDER BY c, o FOR UPDATE; FETCH 2 FROM k; COMMIT}, q{BEGIN; DECLARE k CURSOR WITH HOLD FOR SELECT plain_bump_%s('c1', 1); COMMIT; FETCH ALL FROM k}, q{BEGIN; SAVEPOINT s; UPDATE %s_orders SET n = 1 / (n - 1); ROLLBACK TO s; UPDATE %s_orders SET n = n + 1 WHERE c = 'c1' RETURNING n; COMMIT},
	q{UPDATE over_%s SET n = 5 WHERE c = 'c1' RETURNING *}, q{UPDATE over_%s SET n = 50 WHERE c = 'c1' RETURNING *}, q{UPDATE over2_%s SET n = 4 WHERE c = 'c1' RETURNING *}, q{UPDATE over2_%s SET n = 40 WHERE c = 'c1' RETURNING *}, q{DELETE FROM over2_%s WHERE n > 2 RETURNING *}, q{UPDATE invoker_%s SET n = 3 WHERE c = 'c1' RETURNING *}, q{UPDATE ruled_%s SET n = 33 WHERE c = 'c1'; SELECT * FROM log_%s}, q{UPDATE ruled2_%s SET n = 33 WHERE c = 'c1'}, q{UPDATE ruled3_%s SET n = 33 WHERE c = 'c1'}, q{INSERT INTO over2_%s (c, o, n) VALUES ('c9', 'o', 1)},
	q{SELECT bump_%s('c1', 5)}, q{SELECT plain_bump_%s('c1', 5)}, q{SELECT nested_%s('c3')}, q{SELECT c, bump_%s(c, 1) FROM source_%s ORDER BY c}, q{INSERT INTO source_%s VALUES ('c4', 44)}, q{UPDATE source_%s SET n = 45 WHERE c = 'c1'}, q{DO $$ BEGIN FOR i IN 1 .. 7 LOOP UPDATE %s_orders SET n = i WHERE c = 'c' || i; END LOOP; END $$}, q{DO $$ BEGIN EXECUTE 'UPDATE %s_orders SET n = $1 WHERE c = $2' USING 12, 'c1'; EXCEPTION WHEN insufficient_privilege THEN RAISE NOTICE 'denied'; END $$},
	q{EXPLAIN (COSTS OFF, VERBOSE) UPDATE %s_orders SET n = 1 \g /dev/null}, q{EXPLAIN (GENERIC_PLAN) UPDATE %s_orders SET n = $1 \g /dev/null}, q{COPY %s_orders (c, o, n) FROM PROGRAM 'true'}, q{UPDATE %s_orders SET item = NULL}, q{UPDATE %s_orders TABLESAMPLE system (10) SET n = 1}, q{UPDATE %s_orders SET n = 2147483647 + 1}, q{UPDATE %s_orders SET n = 'abc' WHERE c = 'c1'}, q{UPDATE %s_orders SET status = repeat('x', 500000) WHERE c = 'c1'},
	q{MERGE INTO %s_orders o USING source_%s s ON o.c = s.c WHEN MATCHED THEN UPDATE SET n = 1}, q{TRUNCATE %s_orders}, q{LOCK TABLE %s_orders}, q{BEGIN; UPDATE %s_orders SET n = 6 WHERE c = 'c1'; UPDATE %s_orders SET n = n + 1 WHERE n = 6 RETURNING c, n; COMMIT}, q{BEGIN ISOLATION LEVEL SERIALIZABLE; UPDATE %s_orders SET n = 6 WHERE c = 'c1' RETURNING n; COMMIT}, q{SET debug_parallel_query = on; SET force_parallel_mode = on; UPDATE %s_orders SET n = 6 WHERE c = 'c1' RETURNING n},
	q{UPDATE %s_orders SET n = (SELECT plain_bump_%s('c2', 1) LIMIT 1) WHERE c = 'c1' RETURNING n}, q{SELECT * FROM (SELECT plain_bump_%s(c, 1) FROM (VALUES ('c1'), ('c2')) x(c)) y}, q{UPDATE %s_orders SET n = x FROM unnest(ARRAY[1, 2]) x WHERE c = 'c1' AND x = 2 RETURNING n}, q{UPDATE %s_orders SET n = abs(n) WHERE c = ANY (ARRAY['c1', 'c2']) OR c IN (SELECT c FROM source_%s) RETURNING c, n}, q{UPDATE public.%s_orders AS "from" SET n = "from".n WHERE "from".c = 'c1' RETURNING "from".*});
@statements = grep { /$ENV{ONLY}/ } @statements if $ENV{ONLY};

sub fill
{
	my ($table) = @_;

	return qq{DELETE FROM $table; INSERT INTO ${table}_orders (c, o, n, status) SELECT 'c' || i, x, i, 'NEW' FROM generate_series(1, 9) i, unnest(ARRAY['first', 'second']) x WHERE x = 'first' OR i < 4; TRUNCATE source_$table, log_$table; ALTER TABLE source_$table DISABLE TRIGGER fires;
INSERT INTO source_$table VALUES ('c1', 70), ('c2', NULL), ('zz', 1); ALTER TABLE source_$table ENABLE TRIGGER fires};
}

# The result of a statement on a table, its kinds of errors, and the rows of the table then.
sub result_of
{
	my ($node, $role, $statement, $table) = @_;

	$coordinator->safe_psql('postgres', fill($table));
	my ($out, $error) = run_as($node, $role, $statement =~ s/%s/$table/gr);
	my $rows = $coordinator->safe_psql('postgres', qq{SELECT item FROM $table ORDER BY "PK", "SK"});

	return (join("\n", sort split /\n/, $out), join(' ', $error =~ /ERROR:  (\w{5})/g), $rows, $error);
}

for my $role ('victim', 'editor', 'attacker')
{
	for my $statement (@statements)
	{
		my ($out, $codes, $rows, $error) = result_of($coordinator, $role, $statement, 'dist');
		my ($out_local, $codes_local, $rows_local) = result_of($coordinator, $role, $statement, 'local');

		s/\b(?:dist|local)\b|(?:dist|local)_/T/g for $out, $out_local, $rows, $rows_local;
		if ($codes =~ /0A000/ && $codes_local !~ /0A000/ || $error =~ $of_citus)
		{
			note("refused: $statement: " . ($error =~ /ERROR:  (.*)/)[0]);
			next;
		}
		# an expression may fail before the rights are checked
		$codes = $codes_local if $codes && $codes_local && $role eq 'attacker';
		is("$codes|$out|$rows", "$codes_local|$out_local|$rows_local", "$role: $statement");
	}
}

unlike(slurp_file($_->logfile), qr/was terminated by signal|TRAP:|PANIC|AddressSanitizer|runtime error/, $_->name . ': no process has crashed') for @nodes;
stop_citus_cluster(@nodes);
done_testing();
