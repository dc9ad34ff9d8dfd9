#!/usr/bin/perl
# Random models changed into others: a table with items of one document gets another one by
# dynamo.apply_model, and then the first one again.  A change succeeds, and then nothing differs from
# the document, all keys, entries, copies and totals of the items are right, and the same document makes
# the same model where nothing is, also by dynamo.import_model; or it fails, and the model is what it was.
# Documents that move items are applied in steps: dynamo.migrate_entity for each entity, then the rest.
# Half of the tables belong to a role without other rights.  SEED repeats a run, CASES sets the number of pairs; LONG makes it greater.  psql finds the server through the usual environment variables;
# a database of its own is created there and dropped at the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use TestDatabase;

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 600 : 15);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_models_$$";
my $json = JSON::PP->new->canonical;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

# ---- documents ----

my %types = (
	customer_id => ['text'], name => ['text', 'varchar(40)'], email => ['text'], order_id => ['int', 'bigint', 'numeric'], line => ['int', 'numeric'],
	status => ['text'], total => ['numeric', 'numeric(10,2)', 'int'], placed_at => ['timestamptz', 'date'], region => ['text'],
	orders => ['int'], spent => ['numeric'], customer_name => ['text'], half => ['numeric'],
);

sub new_index
{
	my ($n) = @_;
	my %index = (index_name => "g$n", partition_key => "G${n}P");
	$index{sort_key} = "G${n}S" if chance(.7);
	$index{storage} = 'table' if chance(.3);
	if (chance(.2)) { $index{shards} = pick(2, 3); $index{storage} = 'table' }
	$index{projection} = 'KEYS_ONLY' if chance(.15);
	if (chance(.15)) { $index{projection} = 'INCLUDE'; $index{non_key_attributes} = [pick('total', 'status')] }
	return \%index;
}

# An index whose keys are also those of another, of the table, or not composed.
sub other_index
{
	return {index_name => 'other', partition_key => pick('G1P', 'SK', 'region'), chance(.5) ? (sort_key => pick('PK', 'G2S', 'name')) : ()} if chance(.6);
	return {index_name => 'other', partition_key => ['region', 'status'], sort_key => ['name', 'PK']} if chance(.5);
	return {index_name => 'other', partition_key => 'PK', sort_key => pick('name', 'G1S'), local => JSON::PP::true, projection => pick('ALL', 'KEYS_ONLY')};
}

my %base_keys = (
	customer => sub { return (PK => pick('CUSTOMER#{customer_id}', 'C#{customer_id}'), SK => pick('METADATA', 'M')) },
	order => sub { return (PK => pick('CUSTOMER#{customer_id}', 'C#{customer_id}'), SK => pick('ORDER#{order_id:06}', 'O#{order_id:08}')) },
	line => sub { return (PK => pick('ORDER#{order_id:06}', 'L#{order_id:06}'), SK => pick('LINE#{line:03}', 'N#{line:03}')) },
);
my %attributes = (
	customer => [qw(customer_id name email region)],
	order => [qw(customer_id order_id status total placed_at region)],
	line => [qw(order_id line total status customer_id)],
);
my %index_parts = (
	customer => ['{email}', 'MAIL#{email}', 'REGION#{region}'],
	order => ['STATUS#{status}', 'S#{status}', 'REGION#{region}', '{placed_at:date}', 'CUSTOMER#{customer_id}'],
	line => ['STATUS#{status}', 'CUSTOMER#{customer_id}', 'ORDER#{order_id:06}'],
);
my %index_sorts = (
	customer => ['{name}', 'C#{customer_id}'],
	order => ['{order_id:06}', 'O#{order_id:08}', '{placed_at:date}#{order_id:06}', '{total:08.2}'],
	line => ['{line:03}', '{order_id:06}#{line:03}'],
);

sub new_attribute
{
	my ($name) = @_;
	my $type = chance(.8) ? $types{$name}[0] : pick(@{$types{$name}});
	return $type if chance(.7);
	my %attribute = (type => $type);
	$attribute{required} = JSON::PP::true if chance(.2) && $name !~ /customer_name|spent|orders/;
	$attribute{default} = 'OPEN' if $name eq 'status' && chance(.6);
	$attribute{enum} = [qw(OPEN PAID SENT)] if $name eq 'status' && chance(.3);
	$attribute{default} = 1 if $name eq 'total' && chance(.3);
	$attribute{read_only} = JSON::PP::true if $name eq 'placed_at' && chance(.3);
	return keys %attribute == 1 && chance(.5) ? $type : \%attribute;
}

sub new_entity
{
	my ($kind, $indexes) = @_;
	my %keys = $base_keys{$kind}->();
	for my $index (@$indexes) {
		next if chance(.4) || $index->{index_name} eq 'other';
		$keys{$index->{partition_key}} = pick(@{$index_parts{$kind}});
		$keys{$index->{sort_key}} = pick(@{$index_sorts{$kind}}) if $index->{sort_key};
	}
	my %entity = (entity_name => $kind, type_attribute => 'kind', keys => \%keys,
		attributes => {map { $_ => new_attribute($_) } @{$attributes{$kind}}});
	$entity{attributes}{half} = {type => 'numeric', computed => 'total / 2'} if $kind eq 'order' && chance(.15);
	if ($kind eq 'customer') {
		$entity{attributes}{orders} = 'int' if chance(.3);
		$entity{attributes}{spent} = 'numeric' if chance(.3);
	}
	$entity{attributes}{customer_name} = 'text' if $kind eq 'order' && chance(.3);
	$entity{type_value} = pick('X', 'Y') . $kind if chance(.1);
	$entity{on_mismatch} = 'replace' if chance(.2);
	$entity{check_types} = JSON::PP::true if chance(.2);
	my ($first) = grep { $keys{$_->{partition_key}} } @$indexes;
	if ($kind eq 'order' && $first && chance(.2)) {
		$entity{index_conditions} = {$first->{index_name} => pick('total > :least', 'attribute_exists(region)', '#s <> :done')};
		$entity{expression_attribute_values} = {':least' => {N => pick('3', '5')}} if $entity{index_conditions}{$first->{index_name}} =~ /least/;
		if ($entity{index_conditions}{$first->{index_name}} =~ /done/) {
			$entity{expression_attribute_values} = {':done' => {S => 'SENT'}};
			$entity{expression_attribute_names} = {'#s' => 'status'};
		}
	}
	return \%entity;
}

sub new_view
{
	my ($kind) = @_;
	my %view = (view_name => "${kind}s", entity_name => $kind, $kind eq 'order' && chance(.2) ? (invalid_values => 'null') : ());
	$view{columns} = {map { $_ => pick($types{$_}[0], {type => $types{$_}[0], attribute => $_}) } grep { chance(.7) } @{$attributes{$kind}}} if chance(.15);
	delete $view{columns} if $view{columns} && !%{$view{columns}};
	return \%view;
}

sub new_copy
{
	my ($kinds, $indexes) = @_;
	return {copy_name => 'named', parent => 'customer', child => 'order', attributes => {customer_name => pick('name', 'email')}, chance(.2) ? (hidden_parent => 'use') : ()};
}

sub new_total
{
	return {total_name => 'sums', parent => 'customer', child => 'order', totals => {orders => 'count', chance(.7) ? (spent => pick('sum(total)', 'max(total)')) : ()}};
}

sub new_pattern
{
	my ($n, $document) = @_;
	my @kinds = map { $_->{entity_name} } @{$document->{entities}};
	my $kind = pick(@kinds);
	my %pattern = (pattern_name => "p$n");
	my %conditions = (customer => 'customer_id = :c', order => pick('customer_id = :c', 'customer_id = :c AND order_id > :o', 'customer_id = :c AND order_id = :o'),
		line => pick('order_id = :o', 'order_id = :o AND line BETWEEN :a AND :b'));
	$pattern{key_condition} = $conditions{$kind};
	my ($view) = grep { $_->{entity_name} eq $kind } @{$document->{views}};
	if ($view && chance(.6)) { $pattern{view_name} = $view->{view_name} }
	else { $pattern{entities} = [$kind] }
	my @composed = grep { !ref $_->{partition_key} } @{$document->{indexes}};
	if (@composed && chance(.4)) {
		my $index = pick(@composed);
		my ($entity) = grep { $_->{entity_name} eq $kind } @{$document->{entities}};
		if (my $template = $entity->{keys}{$index->{partition_key}}) {
			my @parts = $template =~ /\{(\w+)/g;
			$pattern{index_name} = $index->{index_name};
			my %names;
			$pattern{key_condition} = join ' AND ', map { $names{"#$_"} = $_; "#$_ = :$_" } @parts;
			$pattern{expression_attribute_names} = \%names;
		}
	}
	if (!$pattern{view_name} && chance(.3)) { $pattern{returns} = pick('page', 'document', 'items') }
	if (chance(.15)) { $pattern{filter_expression} = pick('attribute_exists(region)', 'attribute_exists(#n)'); $pattern{expression_attribute_names}{'#n'} = 'name' if $pattern{filter_expression} =~ /#n/ }
	$pattern{max_items} = pick(1, 5) if chance(.2) && !$pattern{filter_expression} && ($pattern{returns} // '') ne 'page';
	$pattern{scan_index_forward} = JSON::PP::false if chance(.2);
	$pattern{description} = pick("the first", "it's 2") if chance(.2);
	return \%pattern;
}

sub new_document
{
	my @kinds = grep { chance(.85) } qw(customer order line);
	@kinds = ('order') if !@kinds;
	my %document = (table_name => 'shop', partition_key => 'PK', sort_key => 'SK', indexes => [map { new_index($_) } grep { chance(.6) } 1 .. 3]);
	push @{$document{indexes}}, other_index() if chance(.3);
	$document{entities} = [map { new_entity($_, $document{indexes}) } @kinds];
	$document{views} = [map { new_view($_) } grep { chance(.6) } @kinds];
	my %there = map { $_ => 1 } @kinds;
	$document{copies} = [$there{customer} && $there{order} && chance(.3) ? new_copy() : ()];
	$document{totals} = [$there{customer} && $there{order} && chance(.3) ? new_total() : ()];
	$document{unique_constraints} = [$there{customer} && chance(.2) ? {constraint_name => 'one_mail', attributes => ['email'], kind_attributes => {kind => {S => 'customer'}}} : ()];
	$document{references} = [$there{customer} && $there{order} && chance(.2) ?
		{constraint_name => 'of_customer', referenced_key => {PK => 'CUSTOMER#{customer_id}', SK => 'METADATA'}, kind_attributes => {kind => {S => 'order'}}, chance(.5) ? (on_delete => 'CASCADE') : ()} : ()];
	$document{access_patterns} = [map { new_pattern($_, \%document) } grep { chance(.5) } 1 .. 2];
	$document{time_to_live} = chance(.2) ? 'expires' : undef;
	$document{stream} = chance(.2) ? pick('NEW_IMAGE', 'KEYS_ONLY') : undef;
	$document{vector_indexes} = [chance(.1) ? {index_name => 'near', vector_attribute => 'place', dimensions => 2, chance(.5) ? (distance => 'EUCLIDEAN') : ()} : ()];
	$document{options} = {fillfactor => pick('70', '80')} if chance(.2);
	$document{grants} = [map { {role => 'regress_models_reader', privilege => $_} } grep { chance(.15) } qw(SELECT INSERT)];
	push @{$document{grants}}, {role => 'regress_models_reader', privilege => 'SELECT', view_name => $document{views}[0]{view_name}} if @{$document{views}} && chance(.3);
	return \%document;
}

# A document made of two: some of its lists are those of the other, some of its entities and indexes, too.
sub mixed
{
	my ($document, $other) = @_;
	my %mixed = %{$json->decode($json->encode($document))};
	for my $member (qw(views copies totals unique_constraints references access_patterns vector_indexes time_to_live stream grants)) {
		$mixed{$member} = $other->{$member} if chance(.3);
	}
	for my $list (['indexes', 'index_name'], ['entities', 'entity_name']) {
		my ($member, $name) = @$list;
		my %new = map { $_->{$name} => $_ } @{$other->{$member}};
		my @list = map { my $n = $_->{$name}; chance(.25) ? ($new{$n} // ()) : $_ } @{$mixed{$member}};
		my %have = map { $_->{$name} => 1 } @list;
		push @list, grep { !$have{$_->{$name}} && chance(.3) } @{$other->{$member}};
		$mixed{$member} = \@list;
	}
	my $copy = $json->decode($json->encode(\%mixed));
	make_consistent($copy, $document) if chance(.93);
	return $copy;
}

sub key_attributes
{
	my ($index) = @_;
	return map { ref $_ ? @$_ : $_ } grep { defined } @$index{qw(partition_key sort_key)};
}

# Takes away what a document with these entities and indexes cannot say, and mostly what would move items.
sub make_consistent
{
	my ($document, $before) = @_;
	my %keys = map { $_ => 1 } 'PK', 'SK', map { key_attributes($_) } @{$document->{indexes}};
	my %index = map { $_->{index_name} => $_ } @{$document->{indexes}};
	my %entity = map { $_->{entity_name} => $_ } @{$document->{entities}};
	my %before = map { $_->{entity_name} => $_ } @{$before->{entities}};

	for my $e (values %entity) {
		delete $e->{keys}{$_} for grep { !$keys{$_} } keys %{$e->{keys}};
		my ($conditioned) = keys %{$e->{index_conditions} // {}};
		delete @$e{qw(index_conditions expression_attribute_values expression_attribute_names)}
			if $conditioned && !($index{$conditioned} && $e->{keys}{$index{$conditioned}{partition_key}});
		my $was = $before{$e->{entity_name}};
		next if !$was || chance(.1);
		@{$e->{keys}}{qw(PK SK)} = @{$was->{keys}}{qw(PK SK)};
		delete $e->{type_value};
		$e->{type_value} = $was->{type_value} if $was->{type_value};
	}
	my %view = map { $_->{view_name} => $_ } grep { $entity{$_->{entity_name}} } @{$document->{views}};
	$document->{views} = [grep { $view{$_->{view_name}} } @{$document->{views}}];
	$document->{grants} = [grep { !$_->{view_name} || $view{$_->{view_name}} } @{$document->{grants}}];
	$document->{$_} = [grep { $entity{customer} && $entity{order} } @{$document->{$_}}] for qw(copies totals references);
	$document->{access_patterns} = [grep { is_possible($_, \%index, \%entity, \%view) } @{$document->{access_patterns}}];
	return;
}

sub is_possible
{
	my ($pattern, $index, $entity, $view) = @_;
	my $of = $pattern->{view_name} ? ($view->{$pattern->{view_name}} // return 0)->{entity_name} : $pattern->{entities}[0];

	return 0 if !$entity->{$of};
	return 1 if !$pattern->{index_name};
	my $key = $index->{$pattern->{index_name}} // return 0;
	my $template = $entity->{$of}{keys}{$key->{partition_key}} // return 0;
	return !grep { $pattern->{key_condition} !~ /#$_ = / } $template =~ /\{(\w+)/g;
}

sub new_items
{
	my ($document) = @_;
	my @items;
	for my $n (1 .. 25) {
		my $entity = pick(@{$document->{entities}});
		my %item = (kind => $entity->{type_value} // $entity->{entity_name}, customer_id => pick(qw(c1 c2 c3)), name => pick('Ann', 'Bob'), email => "m$n\@x", order_id => 1 + int rand 6,
			line => 1 + int rand 9, status => pick(qw(OPEN PAID SENT)), total => 1 + int rand 9, placed_at => pick('2026-01-31', '2026-02-01') . 'T00:00:00.000Z', region => pick(qw(eu us)));
		for my $optional (qw(name email region total placed_at status)) { delete $item{$optional} if chance(.12) }
		push @items, \%item;
	}
	return \@items;
}

# ---- what the database does with them ----

my $functions = <<'SQL';
SET client_min_messages = error;
DROP ROLE IF EXISTS regress_models_reader;
CREATE ROLE regress_models_reader;
DROP ROLE IF EXISTS regress_models_owner;
CREATE ROLE regress_models_owner;

-- the document without what it cannot say, its lists in the order of their names, and what was made of it
CREATE FUNCTION public.model(of_schema text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	t jsonb := dynamo.export_model(of_schema || '.shop')::jsonb #> '{tables,0}';
	list text;
BEGIN
	FOREACH list IN ARRAY '{indexes,entities,views,unique_constraints,references,copies,totals,access_patterns,grants,vector_indexes}'::text[] LOOP
		t := jsonb_set(t, ARRAY[list], (SELECT COALESCE(jsonb_agg(e ORDER BY e::text), '[]') FROM jsonb_array_elements(t -> list) e));
	END LOOP;
	RETURN replace((t - 'omitted')::text, of_schema || '.', '')::jsonb || jsonb_build_object(
		'functions', (SELECT jsonb_agg(f.proname || '(' || pg_get_function_arguments(f.oid) || ')' ORDER BY f.proname) FROM pg_proc f WHERE f.pronamespace = of_schema::regnamespace),
		'columns', (SELECT jsonb_agg(concat(c.relname, '.', a.attname, ' ', format_type(a.atttypid, a.atttypmod)) ORDER BY c.relname, a.attname)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = of_schema::regnamespace AND c.relkind = 'v'));
END $$;

-- what is wrong with the items
CREATE FUNCTION public.faults(OUT faults text) LANGUAGE plpgsql AS $$
DECLARE
	name text;
	found text;
BEGIN
	SELECT string_agg(to_jsonb(e)::text, ', ') INTO found FROM dynamo.check_entity('shop') e WHERE e.problem LIKE 'key %';
	faults := concat_ws('; ', faults, found);
	SELECT string_agg(to_jsonb(c)::text, ', ') INTO found FROM dynamo.check_copies('shop') c;
	faults := concat_ws('; ', faults, found);
	FOR name IN SELECT i ->> 'index_name' FROM jsonb_array_elements(dynamo.export_model('shop')::jsonb #> '{tables,0,indexes}') i LOOP
		SELECT string_agg(to_jsonb(v)::text, ', ') INTO found FROM dynamo.verify_index('shop', name) v;
		faults := concat_ws('; ', faults, name || ': ' || found);
	END LOOP;
	FOR name, found IN SELECT v ->> 'view_name', v ->> 'entity_name' FROM jsonb_array_elements(dynamo.export_model('shop')::jsonb #> '{tables,0,views}') v LOOP
		EXECUTE format('SELECT CASE WHEN count(v.row) <> (SELECT count(*) FROM shop WHERE dynamo.kind_of(''shop'', item) = %L) THEN concat(''view '', %L, '' shows '', count(v.row)) END
			FROM (SELECT v::text AS row FROM %I v) v', found, name, name) INTO found;
		faults := concat_ws('; ', faults, found);
	END LOOP;
	faults := NULLIF(faults, '');
END $$;

CREATE FUNCTION public.differences(document json) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', object, change, detail, problem), ', ') FROM dynamo.plan_model(document) $$;

-- gives the table another model; what happened, and whether it is a fault
CREATE FUNCTION public.change(document json, OUT happened text, OUT fault text) LANGUAGE plpgsql AS $$
DECLARE
	before jsonb := public.model('here');
	checksum bigint := hashtext(dynamo.model_checksum('shop')::text);
	made jsonb;
	state text;
	detail text;
BEGIN
	BEGIN
		happened := format('changed by %s statements', dynamo.apply_model(document));
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		happened := concat_ws(': ', 'refused', SQLERRM, NULLIF(detail, ''));
		state := SQLSTATE;
		IF state LIKE 'XX%' OR SQLERRM LIKE '%still differs%' THEN
			fault := 'no refusal';
		END IF;
	END;
	IF state IS NOT NULL THEN
		IF public.model('here') IS DISTINCT FROM before THEN
			fault := 'the model has changed';
		END IF;
		RETURN;
	END IF;
	fault := 'still differs: ' || public.differences(document);
	made := public.model('here');
	IF hashtext(dynamo.model_checksum('shop')::text) = checksum AND (made - '{grants,options,functions,columns}'::text[]) <> (before - '{grants,options,functions,columns}'::text[]) THEN
		fault := concat_ws('; ', fault, 'one checksum for two models');
	END IF;
	fault := concat_ws('; ', fault, 'wrong items: ' || public.faults());
	BEGIN
		PERFORM set_config('search_path', 'there, dynamo', true);
		BEGIN
			PERFORM dynamo.apply_model(document);
			IF public.model('there') IS DISTINCT FROM made THEN
				fault := concat_ws('; ', fault, format('made where nothing was, it is %s, and here %s', public.model('there'), made));
			END IF;
		EXCEPTION WHEN OTHERS THEN
			fault := concat_ws('; ', fault, 'refused where nothing was: ' || SQLERRM);
		END;
		RAISE EXCEPTION USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	fault := NULLIF(fault, '');
END $$;

CREATE FUNCTION public.pair(first json, items jsonb, second json, OUT made text, OUT happened text, OUT back text, OUT fault text) LANGUAGE plpgsql AS $$
DECLARE
	of_item jsonb;
	of_back text;
	stored json;
	statement text;
BEGIN
	BEGIN
		PERFORM set_config('search_path', 'here, dynamo', true);
		BEGIN
			made := dynamo.apply_model(first);
		EXCEPTION WHEN OTHERS THEN
			made := 'refused: ' || SQLERRM;
			IF SQLSTATE LIKE 'XX%' OR SQLERRM LIKE '%still differs%' THEN
				fault := 'no refusal';
			END IF;
			RAISE EXCEPTION USING ERRCODE = 'ZZ002';
		END;
		fault := 'first still differs: ' || public.differences(first);
		BEGIN
			PERFORM set_config('search_path', 'there, dynamo', true);
			FOR statement IN SELECT s FROM dynamo.import_model(first) s LOOP
				EXECUTE statement;
			END LOOP;
			IF public.model('there') - 'grants' IS DISTINCT FROM public.model('here') - 'grants' THEN
				fault := concat_ws('; ', fault, format('imported, it is %s, and applied %s', public.model('there'), public.model('here')));
			END IF;
			RAISE EXCEPTION USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
			WHEN OTHERS THEN fault := concat_ws('; ', fault, 'cannot be imported: ' || SQLERRM);
		END;
		FOR of_item IN SELECT * FROM jsonb_array_elements(items) LOOP
			BEGIN
				PERFORM dynamo.put_item('shop', of_item);
			EXCEPTION WHEN OTHERS THEN
				IF SQLSTATE LIKE 'XX%' THEN
					fault := concat_ws('; ', fault, 'internal error: ' || SQLERRM);
				END IF;
			END;
		END LOOP;
		stored := dynamo.export_model('shop');
		SELECT c.happened, concat_ws('; ', pair.fault, c.fault) INTO happened, fault FROM public.change(second) c;
		IF happened LIKE 'changed%' THEN
			SELECT c.happened, c.fault INTO back, of_back FROM public.change(stored) c;
			fault := concat_ws('; ', NULLIF(fault, ''), 'back: ' || of_back);
		END IF;
		RAISE EXCEPTION USING ERRCODE = 'ZZ002';
	EXCEPTION WHEN SQLSTATE 'ZZ002' THEN NULL;
	END;
	fault := NULLIF(fault, '');
END $$;
CREATE SCHEMA here AUTHORIZATION regress_models_owner;
CREATE SCHEMA there AUTHORIZATION regress_models_owner;
SQL
END { psql('postgres', 'DROP ROLE IF EXISTS regress_models_reader, regress_models_owner') if $database }

create_database($database, $functions);
my %seen;
for my $case (1 .. $cases) {
	my $first = new_document();
	my $second = mixed($first, new_document());
	my ($one, $two) = map { $json->encode({format => 'dynamo:1', tables => [$_]}) } $first, $second;
	my $call = "SELECT to_jsonb(p) FROM public.pair(" . join(', ', quoted($one), quoted($json->encode(new_items($first))), quoted($two)) . ") p;\n";
	my ($status, $output) = psql($database, "SET client_min_messages = error;\n" . (chance(.5) ? "SET ROLE regress_models_owner;\n" : '') . $call);
	my $result = $status == 0 ? eval { $json->decode($output) } : undef;
	print {*STDERR} $call if $ENV{SHOW} && ($result ? $json->encode($result) : $output) =~ /$ENV{SHOW}/;
	if (!$result || defined $result->{fault}) {
		fail("case $case");
		diag($result ? $json->encode($result) : $output);
		next;
	}
	for my $what (qw(made happened back)) { my $text = $result->{$what} // '-'; $text =~ s/\d+/N/g; $text =~ s/\n/; /g; $seen{$what}{$text}++ }
}

# ---- documents that move items ----

# The same entities with other keys, and sometimes another value of the type attribute.
sub moved
{
	my ($document) = @_;
	my $moved = $json->decode($json->encode($document));

	for my $entity (@{$moved->{entities}}) {
		next if chance(.3);
		if (chance(.25)) { $entity->{type_value} = 'Z' . $entity->{entity_name}; next }
		my %keys = $base_keys{$entity->{entity_name}}->();
		@{$entity->{keys}}{keys %keys} = values %keys;
	}
	$moved->{$_} = [grep { chance(.5) } @{$moved->{$_}}] for qw(copies totals references unique_constraints access_patterns);
	return $moved;
}

# What a migration leaves as it is.
my $attributes = q{SELECT COALESCE(jsonb_agg(i ORDER BY i), '[]') FROM (SELECT item::jsonb - '{kind,PK,SK,G1P,G1S,G2P,G2S,G3P,G3S,half,orders,spent,customer_name}'::text[] FROM shop) s(i)};

for my $case (1 .. $cases / 3) {
	my $first = new_document();
	$first->{$_} = [grep { chance(.4) } @{$first->{$_}}] for qw(copies totals references unique_constraints access_patterns);
	my $second = moved($first);
	my ($one, $two) = map { quoted($json->encode({format => 'dynamo:1', tables => [$_]})) } $first, $second;
	my $items = quoted($json->encode(new_items($first)));
	my $step = <<"SQL";
SELECT statement FROM plan_model($two) WHERE statement LIKE 'SELECT dynamo.migrate_entity(%' ORDER BY step LIMIT 1 \\gexec
SELECT 'CALL dynamo.await_migration(''shop'')' WHERE EXISTS (SELECT FROM dynamo.migrations WHERE phase NOT IN ('complete', 'cancelled')) \\gexec
SQL
	my ($status, $output) = psql($database, <<"SQL" . $step x 5 . <<"SQL");
SET client_min_messages = error;
\\o /dev/null
DROP SCHEMA IF EXISTS here CASCADE;
CREATE SCHEMA here AUTHORIZATION regress_models_owner;
SET ROLE regress_models_owner;
SET search_path = here, dynamo, public;
SELECT apply_model($one);
DO \$do\$
DECLARE of_item jsonb;
BEGIN
	FOR of_item IN SELECT * FROM jsonb_array_elements($items) LOOP
		BEGIN PERFORM dynamo.put_item('shop', of_item);
		EXCEPTION WHEN OTHERS THEN NULL;
		END;
	END LOOP;
END \$do\$;
CREATE TABLE attributes AS $attributes;
SQL
SELECT apply_model($two);
\\o
SELECT jsonb_build_object('faults', public.faults(), 'differs', public.differences($two), 'items', ($attributes) = (SELECT a FROM attributes t(a)),
	'moved', (SELECT sum(items_moved) FROM dynamo.migrations));
SQL
	my $text = $output =~ /ERROR:  (.*)/ ? "refused: $1" : $output;
	my $result = $status == 0 ? eval { $json->decode($output) } : undef;
	if ($result ? defined $result->{faults} || defined $result->{differs} || !$result->{items} : $text !~ /^refused/) {
		fail("move $case");
		diag($output);
	}
	elsif (!$result) {
		my ($ended, $faults) = psql($database, "SET search_path = here, dynamo, public;\nSELECT public.faults(), ($attributes) = (SELECT a FROM attributes t(a)), (SELECT string_agg(phase, ' ') FROM dynamo.migrations);\n");
		if ($text =~ /internal|cache lookup|unexpected/ || ($faults !~ /^\|t\|/ && $faults !~ /relation "shop" does not exist/)) {
			fail("move $case");
			diag("$text: $faults");
		}
	}
	print {*STDERR} "$one\n$two\n$output\n" if $ENV{SHOW} && $output =~ /$ENV{SHOW}/;
	$text =~ s/\d+/N/g;
	$text =~ s/\n/; /g;
	$seen{moves}{$text}++;
}
for my $what (qw(made happened back moves)) { note("$what: $seen{$what}{$_} $_") for sort { $seen{$what}{$b} <=> $seen{$what}{$a} } keys %{$seen{$what}} }
pass("$cases pairs of models");
done_testing();
