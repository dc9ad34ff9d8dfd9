# caller_code.pl: whose code runs as whom, when somebody writes to a table of
# somebody else.  SECURITY.md has the table that this file tests.
#
# The owner of a table has code in each place where a write runs it, and names
# things without their schema there, as people do.  A caller has an object of each
# such name: in pg_temp, in a schema of their own that is first in search_path.
# Each piece of code logs who has planted it and as whom it runs.  Code of a
# caller may run as that caller only; code of the owner as the owner, or as a
# caller who writes to the owner's table by a statement, never as a superuser who
# maintains it; a trigger by a role with the TRIGGER privilege as whoever writes.
#
# To add a door, add a line to one of the lists below.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_dynamo_node('caller_code', q{
autovacuum = off
log_min_messages = log
max_worker_processes = 16
});
my $superuser = getpwuid($<);

sub query
{
	my ($user, $sql) = @_;

	return $node->safe_psql('postgres', $sql, extra_params => [ '-U', $user ]);
}

query($superuser, qq{CREATE ROLE $_ LOGIN; CREATE SCHEMA s_$_ AUTHORIZATION $_; GRANT USAGE ON SCHEMA s_$_ TO PUBLIC})
	for qw(victim stranger packer planter);
query($superuser, q{
CREATE FUNCTION public.tripwire(planted_by text, place text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
	RAISE LOG 'tripwire of % "%" as % for %', planted_by, place, current_user, session_user;
	RETURN true;
END $$;
CREATE ROLE member LOGIN IN ROLE victim;
GRANT CREATE ON SCHEMA public TO victim});

# ---- the owner's tables, and code ----

# Every place names things without their schema: a table, a function, an operator, a
# domain, a cast to it, a setting, a prepared statement, a cursor.
query('victim', q{
SET search_path = s_victim, dynamo, public;
CREATE TABLE audit (what text);
GRANT INSERT ON audit TO PUBLIC;
CREATE FUNCTION helper(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION same(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same);
CREATE DOMAIN label AS text;
CREATE FUNCTION names(place text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
	PERFORM public.tripwire('victim', place);
	BEGIN INSERT INTO audit VALUES (place); EXCEPTION WHEN undefined_table OR insufficient_privilege THEN NULL; END;
	BEGIN PERFORM helper(place); EXCEPTION WHEN undefined_function THEN NULL; END;
	BEGIN PERFORM place === 'x'::text; EXCEPTION WHEN undefined_function THEN NULL; END;
	BEGIN PERFORM place::label; EXCEPTION WHEN undefined_object THEN NULL; END;
	BEGIN EXECUTE 'EXECUTE prepared'; EXCEPTION WHEN OTHERS THEN NULL; END;
	BEGIN EXECUTE 'FETCH ALL FROM opened'; EXCEPTION WHEN OTHERS THEN NULL; END;
	RETURN true;
END $$;
CREATE FUNCTION fixed(place text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM s_victim.names(place); RETURN 'x'; END $$;
CREATE FUNCTION of_item(place text, i dynamo.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM s_victim.names(place); RETURN 'x'; END $$;
CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM s_victim.names(TG_TABLE_NAME || ': ' || TG_NAME || ' ' || TG_OP);
	IF TG_OP OPERATOR(pg_catalog.=) 'DELETE' THEN RETURN OLD; END IF;
	RETURN NEW;
END $$});

my $setup = q{
SET search_path = s_victim, dynamo, public;
SET client_min_messages = warning;
SELECT create_table('<t>', 'PK', 'SK', indexes => '[{"index_name": "by_g", "partition_key": "g", "storage": "table"}, {"index_name": "by_c", "partition_key": "CPK", "sort_key": "CSK"}]');
SELECT create_entity('<t>', 'customer', keys => '{"PK": "C#{customer_id}", "SK": "C"}', attributes => '{"customer_id": "text", "name": "text"}', type_attribute => 'kind', view_name => '<t>_customers');
SELECT create_entity('<t>', 'order', keys => '{"PK": "O#{order_id}", "SK": "O", "CPK": "C#{customer_id}", "CSK": "O#{order_id}"}', attributes => '{"customer_id": "text", "order_id": "text", "status": "text", "amount": "numeric", "cname": "text"}', type_attribute => 'kind', view_name => '<t>_orders');
SELECT create_copy('<t>', 'cname', 'customer', 'order', '{"cname": "name"}', index_name => 'by_c', hidden_parent => 'use');
SELECT create_total('<t>', 'orders', 'customer', 'order', '{"orders": "count", "paid": "sum(amount)"}', index_name => 'by_c', hidden_parent => 'use');
SELECT add_unique_constraint('<t>', 'one_email_<t>', ARRAY['email']);
SELECT create_table('<t>_child', 'PK');
SELECT add_reference('<t>_child', 'ref_<t>', '{"PK": "C#{p}", "SK": "C"}', referenced_table => '<t>', on_delete => 'CASCADE');
SELECT update_time_to_live('<t>', 'ttl'), enable_stream('<t>');
ALTER VIEW <t>_orders SET (security_invoker = false);
ALTER VIEW <t>_customers SET (security_invoker = false);
};
my $code = q{
SET search_path = s_victim, dynamo, public;
CREATE TRIGGER a_before BEFORE INSERT OR UPDATE OR DELETE ON <t> FOR EACH ROW EXECUTE FUNCTION fire();
CREATE TRIGGER a_after AFTER INSERT OR UPDATE OR DELETE ON <t> FOR EACH ROW EXECUTE FUNCTION fire();
CREATE CONSTRAINT TRIGGER a_deferred AFTER INSERT OR UPDATE OR DELETE ON <t> DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fire();
CREATE TRIGGER b_before BEFORE DELETE ON <t>_child FOR EACH ROW EXECUTE FUNCTION fire();
CREATE TRIGGER b_after AFTER DELETE ON <t>_child FOR EACH ROW EXECUTE FUNCTION fire();
ALTER TABLE <t> ADD CHECK (of_item('CHECK', item) <> '');
CREATE INDEX ON <t> (of_item('index expression', item));
CREATE INDEX ON <t> ((item IS NULL)) WHERE fixed('constant in an index predicate') <> '';
DO $$ DECLARE r regclass; BEGIN
	FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 's_victim'::regnamespace AND relkind = 'r' AND relname LIKE '<t>%by\_g%' LOOP
		EXECUTE format('CREATE INDEX ON %s (of_item(%L, item))', r, 'expression in an index table');
	END LOOP;
END $$;
CREATE TABLE <t>_noted (v text DEFAULT fixed('default'), l text);
};
my %variants = (
	shop => '',
	wall => q{CREATE POLICY seen ON <t> USING (names('policy')); CREATE POLICY all_rows ON <t>_child USING (true);
ALTER TABLE <t> ENABLE ROW LEVEL SECURITY;},
	wide => q{CREATE TRIGGER c_statement AFTER INSERT OR UPDATE OR DELETE ON <t> FOR EACH STATEMENT EXECUTE FUNCTION fire();
ALTER TABLE <t> ADD COLUMN extra text DEFAULT fixed('default of a column');},
);
my $items = q{
INSERT INTO s_victim.<t> (item) VALUES ('{"kind": "customer", "customer_id": "c1", "name": "Ann"}'::jsonb), ('{"kind": "customer", "customer_id": "c2", "name": "Bob"}'::jsonb);
INSERT INTO s_victim.<t> (item) VALUES ('{"kind": "order", "order_id": "1", "customer_id": "c1", "amount": 1, "status": "NEW", "g": "x"}'::jsonb),
	('{"kind": "order", "order_id": "2", "customer_id": "c2", "amount": 1, "status": "NEW"}'::jsonb), ('{"PK": "old", "SK": "old", "ttl": 1700000000}'::jsonb);
INSERT INTO s_victim.<t>_child (item) VALUES ('{"PK": "k", "p": "c1"}'::jsonb);
};

for my $table (sort keys %variants)
{
	my $sql = $setup . $items . $code . $variants{$table};

	$sql =~ s/<t>/$table/g;
	query('victim', $sql);
	query('victim', qq{
GRANT SELECT, INSERT, UPDATE, DELETE ON s_victim.$table, s_victim.${table}_child TO stranger;
GRANT SELECT (customer_id, order_id, status), UPDATE (status), INSERT (customer_id, order_id, status), DELETE ON s_victim.${table}_orders TO packer;
GRANT SELECT (customer_id), UPDATE (name), DELETE ON s_victim.${table}_customers TO packer;
GRANT SELECT, TRIGGER, DELETE ON s_victim.$table TO planter});
	# a role with the TRIGGER privilege
	query('planter', qq{
CREATE OR REPLACE FUNCTION s_planter.fire() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
	PERFORM public.tripwire('planter', TG_NAME || ' ' || TG_OP); RETURN NULL; END \$\$;
CREATE TRIGGER z_planted AFTER INSERT OR UPDATE OR DELETE ON s_victim.$table FOR EACH ROW EXECUTE FUNCTION s_planter.fire()});
}

# ---- what a caller has ready ----

sub arsenal
{
	my ($who) = @_;

	return qq{
SET client_min_messages = error;
SET search_path = s_$who, dynamo, s_victim, public, pg_catalog;
CREATE TEMPORARY TABLE audit (what text DEFAULT public.tripwire('$who', 'default')::text);
GRANT ALL ON audit TO PUBLIC;
CREATE FUNCTION pg_temp.fire() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
	PERFORM public.tripwire('$who', 'trigger of a temporary table ' || TG_WHEN); RETURN NEW; END \$\$;
CREATE TRIGGER b BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION pg_temp.fire();
CREATE TRIGGER a AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION pg_temp.fire();
CREATE CONSTRAINT TRIGGER d AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pg_temp.fire();
ALTER TABLE audit ADD CHECK (public.tripwire('$who', 'CHECK of a temporary table') OR what <> '');
CREATE INDEX ON audit ((public.tripwire('$who', 'index of a temporary table') OR what <> ''));
CREATE DOMAIN pg_temp.label AS text CHECK (public.tripwire('$who', 'domain in pg_temp'));
SELECT 1 WHERE false;
PREPARE prepared AS SELECT public.tripwire('$who', 'prepared statement');
BEGIN;
DECLARE opened CURSOR FOR SELECT public.tripwire('$who', 'cursor');
SAVEPOINT here;
};
}

# The schema of a caller, in which everything has the names that the owner's code uses.
for my $who (qw(stranger packer planter))
{
	query($who, qq{
SET search_path = s_$who;
CREATE FUNCTION helper(text) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN PERFORM public.tripwire('$who', 'function'); RETURN \$1; END \$\$;
CREATE FUNCTION upper(text) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN PERFORM public.tripwire('$who', 'function of pg_catalog'); RETURN \$1; END \$\$;
CREATE FUNCTION same(text, text) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN PERFORM public.tripwire('$who', 'operator'); RETURN true; END \$\$;
CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same);
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = same);
CREATE FUNCTION begins(dynamo.item, text) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN PERFORM public.tripwire('$who', 'operator of dynamo'); RETURN 'x'; END \$\$;
CREATE OPERATOR ->> (LEFTARG = dynamo.item, RIGHTARG = text, FUNCTION = begins);
CREATE DOMAIN label AS text CHECK (public.tripwire('$who', 'domain'));
});
}

# ---- the doors ----

my %doors = (
	packer => [
		q{UPDATE s_victim.<t>_orders SET status = 'SENT' WHERE order_id = '1'},
		q{UPDATE s_victim.<t>_orders SET status = 'PAID' RETURNING status},
		q{INSERT INTO s_victim.<t>_orders (customer_id, order_id, status) VALUES ('c1', '9', 'NEW')},
		q{DELETE FROM s_victim.<t>_orders WHERE order_id = '2'},
		q{UPDATE s_victim.<t>_customers SET name = 'Eve' WHERE customer_id = 'c1'},
		q{DELETE FROM s_victim.<t>_customers WHERE customer_id = 'c1'},
		q{WITH w AS (DELETE FROM s_victim.<t>_orders WHERE order_id = '1' RETURNING order_id) SELECT count(*) FROM w},
		q{SELECT count(order_id) FROM s_victim.<t>_orders},
	],
	stranger => [
		q{SELECT dynamo.put_item('s_victim.<t>', '{"kind": {"S": "order"}, "order_id": {"S": "7"}, "customer_id": {"S": "c1"}, "amount": {"N": "1"}, "g": {"S": "y"}}')},
		q{SELECT dynamo.put_item('s_victim.<t>', '{"kind": {"S": "customer"}, "customer_id": {"S": "c1"}, "name": {"S": "Eve"}, "email": {"S": "e"}}')},
		q{SELECT dynamo.update_item('s_victim.<t>', '{"PK": {"S": "O#1"}, "SK": {"S": "O"}}', 'SET amount = :n, g = :g', expression_attribute_values => '{":n": {"N": "5"}, ":g": {"S": "z"}}')},
		q{SELECT dynamo.delete_item('s_victim.<t>', '{"PK": {"S": "C#c1"}, "SK": {"S": "C"}}')},
		q{SELECT dynamo.delete_item('s_victim.<t>', '{"PK": {"S": "O#1"}, "SK": {"S": "O"}}')},
		q{SELECT dynamo.transact_write_items('[{"Delete": {"TableName": "s_victim.<t>", "Key": {"PK": {"S": "O#1"}, "SK": {"S": "O"}}}}]')},
		q{SELECT dynamo.request('BatchWriteItem', '{"RequestItems": {"s_victim.<t>": [{"DeleteRequest": {"Key": {"PK": {"S": "O#1"}, "SK": {"S": "O"}}}}]}}')},
		q{SELECT dynamo.request('ExecuteStatement', '{"Statement": "DELETE FROM \"s_victim.<t>\" WHERE PK = ''O#1'' AND SK = ''O''"}')},
		q{SELECT * FROM dynamo.query('s_victim.<t>', 'g = :g', '{":g": {"S": "x"}}', index_name => 'by_g')},
		q{SELECT * FROM dynamo.scan('s_victim.<t>')},
		q{INSERT INTO s_victim.<t> (item) VALUES ('{"kind": "order", "order_id": "8", "customer_id": "c2", "amount": 1}'::jsonb)},
		q{UPDATE s_victim.<t> SET item = item WHERE "PK" = 'O#1'},
		q{DELETE FROM s_victim.<t>},
		q{SELECT dynamo.put_item('s_victim.<t>_child', '{"PK": {"S": "n"}, "p": {"S": "c2"}}')},
		q{SELECT dynamo.delete_expired('s_victim.<t>')},
		q{SELECT dynamo.delete_expired()},
		q{SELECT * FROM dynamo.stat_time_to_live},
		q{SELECT * FROM dynamo.stat_streams},
		q{SELECT * FROM dynamo.read_stream('s_victim.<t>')},
		q{SELECT dynamo.import_lines('s_victim.<t>', ARRAY['{"Item": {"PK": {"S": "i"}, "SK": {"S": "i"}}}'])},
		q{SELECT dynamo.repair_copies('s_victim.<t>')},
		q{SELECT * FROM dynamo.verify_index('s_victim.<t>', 'by_g')},
		q{SELECT dynamo.trim_streams('s_victim.<t>', '0')},
		q{SELECT dynamo.apply_entity('s_victim.<t>')},
		q{SELECT public.expire('s_victim.<t>')},
		q{SELECT public.repair('s_victim.<t>')},
	],
	planter => [
		q{DELETE FROM s_victim.<t> WHERE "PK" = 'O#1'},
		q{SELECT dynamo.delete_expired('s_victim.<t>')},
		q{SELECT dynamo.delete_item('s_victim.<t>', '{"PK": {"S": "O#1"}, "SK": {"S": "O"}}')},
	],
);

# A careless superuser lets others maintain tables.
query($superuser, q{
CREATE FUNCTION public.expire(t text) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp RETURN dynamo.delete_expired(t);
CREATE FUNCTION public.repair(t text) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp RETURN dynamo.repair_copies(t)});

# Maintenance by a superuser, who has no code of the owner run as themselves.
my @maintenance = (
	q{SELECT dynamo.delete_expired('s_victim.<t>')},
	q{SELECT dynamo.delete_expired()},
	q{SELECT * FROM dynamo.check_copies('s_victim.<t>')},
	q{SELECT dynamo.repair_copies('s_victim.<t>')},
	q{SELECT * FROM dynamo.verify_index('s_victim.<t>', 'by_g')},
	q{SELECT * FROM dynamo.verify_index('s_victim.<t>', 'by_c')},
	q{SELECT dynamo.reindex('s_victim.<t>', 'by_g')},
	q{SELECT * FROM dynamo.check_entity('s_victim.<t>')},
	q{SELECT dynamo.apply_entity('s_victim.<t>')},
	q{SELECT dynamo.import_lines('s_victim.<t>', ARRAY['{"Item": {"PK": {"S": "i"}, "SK": {"S": "i"}}}'])},
	q{SELECT dynamo.export_items('s_victim.<t>', '/dev/null')},
	q{SELECT dynamo.trim_streams('s_victim.<t>', '0')},
	q{SELECT * FROM dynamo.stat_time_to_live},
	q{SELECT * FROM dynamo.stat_streams},
	q{SELECT * FROM dynamo.stat_indexes},
);

# ---- running them ----

my %reached;

sub log_since
{
	my ($offset) = @_;

	open(my $in, '<', $node->logfile) or die "cannot read the log: $!";
	seek($in, $offset, 0);
	local $/ = undef;
	return <$in> // '';
}

# Runs a statement and rolls it back, after deferred triggers have fired; returns the
# pieces of code that ran, and the error.
sub run_door
{
	my ($user, $prelude, $statement) = @_;
	my $offset = -s $node->logfile;
	my ($out, $error) = ('', '');

	$node->psql('postgres', "$prelude$statement;\nSET CONSTRAINTS ALL IMMEDIATE;\nROLLBACK;",
		stdout => \$out, stderr => \$error, on_error_stop => 0, extra_params => [ '-U', $user ]);
	my @pieces = log_since($offset) =~ /tripwire of (\w+ "[^"]*" as \w+ for \w+)/g;

	return (\@pieces, $error);
}

sub check_door
{
	my ($user, $prelude, $statement, $allowed) = @_;
	my ($pieces, $error) = run_door($user, $prelude, $statement);
	my %wrong;

	for (@$pieces)
	{
		my ($planter, $place, $as) = /^(\w+) "([^"]*)" as (\w+)/;

		$reached{"$planter as $as"}{$place}++;
		$wrong{$_} = 1 unless $as eq $planter || $allowed->($planter, $as);
	}
	$error =~ s/psql:<stdin>:\d+: //g;
	$error =~ s/\nHINT.*|\nLINE.*|\nCONTEXT.*//s;
	is(join("\n", sort keys %wrong), '', "$user: $statement" . ($error ne '' ? " ($error)" : ''))
		or diag($error);
	unlike($error, qr/permission denied for table (?:shop|wall|wide)/, 'with the rights that it needs') if $user eq 'packer';
}

# The owner's code, and that of a role with TRIGGER, may run as whoever writes.
sub writes_self
{
	my ($user) = @_;

	return sub { my ($planter, $as) = @_; return $as eq $user && $planter =~ /^(?:victim|planter)$/ };
}

# A superuser, or a member of the owner's role, maintains as the owner.
my $as_owner = sub { my ($planter, $as) = @_; return $as eq 'victim' && $planter eq 'planter' };

for my $table (sort keys %variants)
{
	for my $direct ('on', 'off')
	{
		my $mode = "SET dynamo.direct_access = $direct;\n";

		for my $user (sort keys %doors)
		{
			for (@{ $doors{$user} })
			{
				my $statement = s/<t>/$table/gr;

				check_door($user, $mode . arsenal($user), $statement, writes_self($user));
			}
		}
		for (@maintenance)
		{
			my $statement = s/<t>/$table/gr;

			check_door($superuser, "${mode}BEGIN;\n", $statement, $as_owner);
		}
		# a member of the owner's role, and the owner
		next if $direct eq 'off';
		for (@maintenance)
		{
			my $statement = s/<t>/$table/gr;

			check_door('member', "${mode}BEGIN;\n", $statement, $as_owner);
			check_door('victim', "${mode}BEGIN;\n", $statement, writes_self('victim'));
		}
	}
}

# ---- that the test tests ----

for my $who (qw(stranger packer))
{
	my $pieces = join(', ', sort keys %{ $reached{"$who as $who"} });

	for my $place ('trigger of a temporary table BEFORE', 'trigger of a temporary table AFTER', 'default', 'function', 'operator')
	{
		ok($reached{"$who as $who"}{$place} || $place eq 'default', "code of $who is found in place of the owner's: $place")
			or diag($pieces);
	}
}
for my $place ('CHECK', 'index expression', 'expression in an index table', 'shop: a_before INSERT', 'shop: a_after UPDATE',
	'shop: a_deferred DELETE', 'shop_child: b_before DELETE', 'shop_child: b_after DELETE', 'wide: c_statement UPDATE', 'policy')
{
	ok($reached{'victim as stranger'}{$place}, "the owner's code is reached: $place");
}
ok($reached{'victim as packer'}{"shop: $_"}, "the owner's code is reached through a view: $_") for 'a_before UPDATE', 'a_after DELETE', 'a_deferred INSERT';
ok($reached{'victim as victim'}{"shop: $_"}, "the owner's code is reached by maintenance: $_") for 'a_before DELETE', 'a_after DELETE';
ok($reached{'planter as stranger'}{'z_planted INSERT'}, 'a trigger of a role with TRIGGER is reached');
ok(!$reached{"victim as $superuser"}, 'a superuser who maintains tables runs no code of their owners');

done_testing();
