#!/usr/bin/perl
# Random access patterns against a simple model: in all forms, as queries and statements by parts, on tables and indexes of
# each storage, with shards and every format of ranges, with lists, parts that are absent
# and limits, in both directions, whole and by pages.  What they must
# return is decided here, by the attributes of the items.  SEED repeats a run, MODELS sets
# the number of tables; LONG makes it greater.  psql finds the server through the usual
# environment variables; a database of its own is created there and dropped at the end.
# HTTP_PORT is that of an endpoint, without authentication, which serves the database that
# PATTERNS_DATABASE names (test/tap/http_patterns.pl); then requests are sent to it, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../tap";
use HttpClient;
use JSON::PP;
use Test::More;
use TestDatabase;

my $seed = $ENV{SEED} // time() ^ $$;
my $models = $ENV{MODELS} // ($ENV{LONG} ? 300 : 25);
srand($seed);
note("SEED=$seed MODELS=$models");

my $database = $ENV{PATTERNS_DATABASE} // "dynamo_patterns_$$";
my $json = JSON::PP->new->canonical;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub quoted { my ($text) = @_; return 'NULL' if !defined $text; $text =~ s/'/''/g; return "'$text'" }

# ---- attributes ----

my @times = ('2026-01-31T12:00:00.500000Z', '2026-01-31T12:00:00.000000Z', '2026-01-31T23:30:00.123456Z', '2026-01-31T23:30:00.123999Z',
	'2026-02-01T00:00:00.000000Z', '1969-12-31T23:59:59.999999Z');
my %ranged = (
	num => {type => 'int', values => [0, 1, 2, 9, 10, 42, 100, 999], formats => [':06', ':06:desc', ':+06', ':+06:desc']},
	delta => {type => 'int', values => [-42, -1, 0, 1, 9, 10, 77], formats => [':+06', ':+06:desc']},
	price => {type => 'numeric', values => ['0', '0.5', '1', '1.25', '10', '99.99'], formats => [':06.2', ':06.2:desc', ':+06.3', ':+08.2:desc']},
	loss => {type => 'numeric', values => ['-10', '-1.5', '-1.25', '0', '2'], formats => [':+06.2', ':+06.2:desc']},
	moment => {type => 'timestamptz', values => \@times, formats => [map { (":$_", ":$_:desc") } qw(s ms us date)]},
);
my @texts = qw(a b ab Ab c1 c2);
my %plain = map { $_ => {type => 'text', values => \@texts} } qw(customer area phase);

# What a format keeps of a value: equal, less and greater keys are those of these.
sub kept
{
	my ($name, $format, $value) = @_;
	return $value if $ranged{$name}{type} ne 'timestamptz';
	my %length = (date => 10, s => 19, ms => 23, us => 26);
	my ($unit) = $format =~ /^:(\w+)/;
	return substr $value, 0, $length{$unit};
}

sub compare
{
	my ($name, $format, $x, $y) = @_;
	return $ranged{$name}{type} eq 'timestamptz' ? kept($name, $format, $x) cmp kept($name, $format, $y) : $x <=> $y;
}

# ---- models ----

my $setup = "SET client_min_messages = error;\nSET timezone = 'Asia/Tokyo';\n";
my @checks;
my @requests;					# to be sent: SQL that returns the body, and what the answer is compared with

# A template of attributes for equalities, and of one for ranges.
sub new_key
{
	my ($prefix) = @_;
	my @equal = (sort { rand() <=> .5 } sort keys %plain)[0 .. int rand 2];
	my $range = pick(sort keys %ranged);
	my $format = pick(@{$ranged{$range}{formats}});
	my @leading = chance(.3) ? grep { my $n = $_; !grep { $_ eq $n } @equal } pick(sort keys %plain) : ();
	my @shards = chance(.35) ? grep { my $n = $_; !grep { $_ eq $n } @equal, @leading } pick(sort keys %plain) : ();
	my %key = (equal => \@equal, leading => \@leading, shards => \@shards, range => $range, format => $format);
	$key{partition} = $prefix . join('', map { "#{$_}" } @equal) . join('', map { '#{#' . pick(2, 3, 7) . ":$_}" } @shards);
	$key{sort} = pick('', 'x#') . join('', map { "{$_}#" } @leading) . "{$range$format}";
	$key{tail} = chance(.3);
	return \%key;
}

sub new_model
{
	my ($n) = @_;
	my @kinds = map { "kind$_" } 1 .. 2 + int rand 2;
	my %templates;
	my @places;

	for my $i (0 .. 2) {
		my $key = new_key("g$i");
		push @places, {%$key, number => $i, index => $i == 0 ? undef : "gsi$i"};
		for my $kind (@kinds) {
			next if $i > 0 && chance(.15);
			my $sort = chance(.15) ? "$kind#$key->{sort}" : $key->{sort};
			$sort .= '#{id}' if $i == 0 || $key->{tail};
			$templates{$kind}{$i == 0 ? 'PK' : "G${i}P"} = $key->{partition};
			$templates{$kind}{$i == 0 ? 'SK' : "G${i}S"} = $sort;
			$places[-1]{sorts}{$kind} = $sort;
		}
	}
	$setup .= "SELECT dynamo.create_table('table$n', 'PK', 'SK'" . (chance(.15) ? ', partitions => 2' : '') . ");\n"
		. join '', map { "SELECT dynamo.create_index('table$n', 'gsi$_', 'G${_}P', 'G${_}S'" . pick('', '', ", storage => 'table'", ', shards => 3') . ");\n" } 1, 2;
	my %types = (id => 'text', map { $_ => {%plain, %ranged}->{$_}{type} } keys %plain, keys %ranged);
	$setup .= "SELECT dynamo.create_entity('table$n', '$_', " . quoted($json->encode($templates{$_})) . ', ' . quoted($json->encode(\%types))
		. ", type_attribute => 'kind', view_name => 'v${n}_$_');\n" for @kinds;
	my @items = map { new_item($_, \@kinds, $places[0]) } 1 .. 60;
	$setup .= "SELECT dynamo.put_item('table$n', " . quoted($json->encode($_->{stored})) . "::jsonb);\n" for @items;
	new_pattern($n, $_, \@kinds, \@places, \@items) for 1 .. 8;
}

sub new_item
{
	my ($id, $kinds, $base) = @_;
	my %item = (kind => pick(@$kinds), id => "i$id");
	my %needed = map { $_ => 1 } @{$base->{equal}}, @{$base->{leading}}, @{$base->{shards}}, $base->{range};
	for my $name (sort(keys %plain), sort keys %ranged) {
		next if !$needed{$name} && chance(.1);
		$item{$name} = pick(@{{%plain, %ranged}->{$name}{values}});
	}
	my %stored = %item;
	for my $name (grep { exists $stored{$_} && $ranged{$_}{type} ne 'timestamptz' } keys %ranged) { $stored{$name} += 0 }
	$item{stored} = \%stored;
	return \%item;
}

# ---- patterns ----

sub holds
{
	my ($op, $order) = @_;
	return $op eq '=' ? $order == 0 : $op eq '<' ? $order < 0 : $op eq '<=' ? $order <= 0 : $op eq '>' ? $order > 0 : $order >= 0;
}

# Whether the item is in the table or index that a pattern reads.
sub is_there
{
	my ($place, $item) = @_;
	return 0 if !$place->{sorts}{$item->{kind}};
	return !grep { !exists $item->{$_} } @{$place->{equal}}, @{$place->{leading}}, @{$place->{shards}}, $place->{range};
}

# A list of some texts, one of which is that of the sample; some are there twice or nowhere.
sub new_list
{
	my ($value) = @_;
	return [sort { rand() <=> .5 } $value, map { pick(@texts, 'nowhere') } 1 .. int rand 3];
}

# A value as an argument in SQL, and in a request.
sub argument { my ($value) = @_; return ref $value ? quoted('{' . join(',', @$value) . '}') : quoted($value) }
sub attribute
{
	my ($value, $number) = @_;
	return {L => [map { attribute($_) } @$value]} if ref $value;
	return $number ? {N => "$value"} : {S => "$value"};
}

sub new_pattern
{
	my ($n, $number, $kinds, $places, $items) = @_;
	my $place = pick(@$places);
	my @present = grep { $place->{sorts}{$_} } @$kinds or return;
	my @asked = chance(.6) ? (pick(@present)) : @present;
	my @asked_sorts = map { $place->{sorts}{$_} } @asked;
	my $same = !grep { $_ ne $asked_sorts[0] } @asked_sorts;
	my @names = (@{$place->{equal}}, @{$place->{shards}}, $same ? @{$place->{leading}} : ());
	my $op = $same ? pick('', '', '<', '<=', '>', '>=', 'BETWEEN', 'BETWEEN', '=') : '';
	my $sample = pick(grep { is_there($place, $_) } @$items) // $items->[0];
	my @bounds = sort { compare($place->{range}, $place->{format}, $a, $b) || $a cmp $b } map { pick(@{$ranged{$place->{range}}{values}}) } 1, 2;
	my @parts = map { {name => $_, op => '=', parameters => [$_], values => [$sample->{$_} // pick(@texts)]} } @names;
	push @parts, {name => $place->{range}, op => $op, ranged => 1, parameters => $op eq 'BETWEEN' ? ['low', 'high'] : ['bound'],
		values => $op eq 'BETWEEN' ? \@bounds : [$bounds[0]]} if $op;
	my $form = @asked == 1 ? pick(qw(items rows page document)) : pick(qw(items page document));
	my $limit = $form ne 'page' && chance(.3) ? 1 + int rand 6 : 0;
	my $backward = ($form ne 'document' || $limit) && chance(.5);

	# the last parts of the sort key that are compared by "=" may be absent
	my @last = grep { my $p = $_; $p->{op} eq '=' && ($p->{ranged} || grep { $_ eq $p->{name} } @{$place->{leading}}) } @parts;
	@last = () if !$same || ($op && $op ne '=') || chance(.6);
	my $absent = @last ? int rand(@last + 1) : 0;
	$_->{optional} = 1 for @last;
	$_->{absent} = 1 for @last[@last - $absent .. $#last];

	# one of the others is one of a list
	my ($listed) = sort { rand() <=> .5 } grep { my $p = $_; $p->{op} eq '=' && !$p->{ranged} && !$p->{optional} && !grep { $_ eq $p->{name} } @{$place->{shards}} } @parts;
	$listed = undef if $form eq 'document' || chance(.5);
	$listed->{values} = [new_list($listed->{values}[0])] if $listed;

	my @given = grep { !$_->{absent} } @parts;
	my $meets = sub {
		my ($item, $part) = @_;
		my $value = $item->{$part->{name}};
		return !!grep { $_ eq $value } ref $part->{values}[0] ? @{$part->{values}[0]} : $part->{values}[0] if !$part->{ranged};
		my ($low, $high) = map { compare($place->{range}, $place->{format}, $value, $_) } @{$part->{values}};
		return $part->{op} eq 'BETWEEN' ? $low >= 0 && $high <= 0 : holds($part->{op}, $low);
	};
	my @expected = grep {
		my $item = $_;
		(grep { $_ eq $item->{kind} } @asked) && is_there($place, $item) && !grep { !$meets->($item, $_) } @given
	} @$items;

	# the order is that of the range's attribute if all parts before it are known
	my $known = $same && !grep { my $n = $_; !grep { $_->{name} eq $n && !ref $_->{values}[0] } @given } @{$place->{leading}};
	my $sign = ($place->{format} =~ /desc/ ? -1 : 1) * ($backward ? -1 : 1);
	$limit = 0 if !$known;
	my $name = "p${n}_$number";
	my $condition = join ' AND ', map {
		my $p = $_;
		my @v = map { ":$_" } @{$p->{parameters}};
		ref $p->{values}[0] ? "$p->{name} IN ($v[0])" : "$p->{name} $p->{op} " . join ' AND ', @v;
	} @parts;
	my %defaults = map { map { $_ => {default => undef} } @{$_->{parameters}} } grep { $_->{optional} } @parts;
	$setup .= "SELECT declare('table$n', '$name', " . join(', ', quoted($condition || undef),
		$form eq 'rows' ? 'NULL' : quoted('{' . join(',', @asked) . '}'), $form eq 'rows' ? "'v${n}_$asked[0]'" : 'NULL',
		quoted($place->{index}), $backward ? 'false' : 'true', "'$form'", @{$place->{shards}} ? 'true' : 'false', $limit || 'NULL',
		%defaults ? quoted($json->encode(\%defaults)) : 'NULL') . ");\n";
	my @arguments = map { my $p = $_; map { [$p->{parameters}[$_], $p->{values}[$_], $p->{ranged} && $ranged{$p->{name}}{type} ne 'timestamptz'] } 0 .. $#{$p->{parameters}} } @given;
	my $arguments = join ', ', map { "\"$_->[0]\" => " . argument($_->[1]) } @arguments;
	my $found = {
		items => "SELECT i ->> 'id' FROM $name($arguments) i",
		rows => "SELECT id FROM $name($arguments)",
		page => "SELECT by_pages(" . quoted("$name(" . join(', ', $arguments || (), 'page_size => ' . (1 + int rand 9), 'start_key => $1') . ')') . ')',
		document => "SELECT d #>> '{}' FROM jsonb_path_query($name($arguments), 'strict \$.**.id', silent => true) d",
	}->{$form};
	my %request = map { $_->[0] => $_->[2] ? $_->[1] + 0 : $_->[1] } @arguments;
	my %named = (TableName => "table$n", IndexName => "pattern:$name", %request ? (ExpressionAttributeValues => {map { (":$_->[0]" => attribute($_->[1], $_->[2])) } @arguments}) : ());
	my $named = quoted($json->encode(\%named));
	my $body = $listed ? "$named\::json" : "dynamo.access_pattern_request('$name', " . quoted($json->encode(\%request)) . '::jsonb)';
	my $requested = "SELECT i #>> '{id,S}' FROM json_array_elements(dynamo.request('Query', $body) -> 'Items') i";
	my $ids = quoted('{' . join(',', map { $_->{id} } @expected) . '}');
	my %rank = map { $_->{id} => rank($place, $_) } @expected;
	my $against = "$ids, " . quoted($json->encode(\%rank)) . ', ';
	my $ordered = $against . ($known ? $sign : 0) . ', ' . ($limit || 'NULL');
	push @checks, "SELECT compare('$name', '$form', " . quoted($found) . ", $against" . ($known && ($limit || $form ne 'document') ? $sign : 0) . ', ' . ($limit || 'NULL') . ");\n",
		"SELECT compare('$name', 'request', " . quoted($requested) . ", $ordered);\n";
	push @checks, "SELECT compare('$name', 'requests', " . quoted('SELECT by_requests(' . $named . '::jsonb, ' . (1 + int rand 9) . ')') . ", $ordered);\n" if !$limit;
	push @requests, {name => $name, body => "SELECT body('$name', " . quoted("SELECT encode(convert_to((${body})::text, 'UTF8'), 'hex')") . ");\n", against => $ordered};

	new_query_by_parts($n, $place, $name, $asked[0], \@given, $backward, "$ids, " . quoted($json->encode(\%rank)) . ', ' . ($known ? $sign : 0) . ', NULL')
		if @asked == 1 && !$listed;
	new_statement_by_parts($n, $name, $place, $asked[0], \@given, $items) if @asked == 1 && !$listed;

	# The views' rows: what a key keeps of a time is less than what the column has.
	return if (grep { $_->{ranged} } @given) && $ranged{$place->{range}}{type} eq 'timestamptz';
	my $conditions = join ' AND ', (map { "\"$_\" IS NOT NULL" } @{$place->{equal}}, @{$place->{leading}}, @{$place->{shards}}, $place->{range}),
		map { ref $_->{values}[0] ? "$_->{name} = ANY (" . argument($_->{values}[0]) . ')' : "$_->{name} $_->{op} " . join ' AND ', map { quoted($_) } @{$_->{values}} } @given;
	my $viewed = join ' UNION ALL ', map { "SELECT id FROM v${n}_$_ WHERE $conditions" } @asked;
	push @checks, "SELECT compare('$name', 'view', " . quoted($viewed) . ", $ids, '{}', 0, NULL);\n";
}

# The same as a key condition on the parts of the entity's keys, which is the only one with this kind.
sub new_query_by_parts
{
	my ($n, $place, $name, $kind, $given, $backward, $against) = @_;
	my @clauses = ({name => 'kind', op => '=', values => [$kind]}, @$given);
	my (@conditions, %names, %values);

	for my $i (0 .. $#clauses) {
		my ($clause, @placeholders) = ($clauses[$i], map { ":v${i}_$_" } 0 .. $#{$clauses[$i]{values}});
		$names{"#n$i"} = $clause->{name};
		$values{$placeholders[$_]} = attribute($clause->{values}[$_], $clause->{ranged} && $ranged{$clause->{name}}{type} ne 'timestamptz') for 0 .. $#placeholders;
		push @conditions, "#n$i $clause->{op} " . join ' AND ', @placeholders;
	}
	my $condition = join ' AND ', sort { rand() <=> .5 } @conditions;
	my $query = sprintf q{SELECT i ->> 'id' FROM dynamo.query('table%d', %s, %s::dynamo.item, %s::jsonb, index_name => %s, scan_index_forward => %s) i},
		$n, quoted($condition), quoted($json->encode(\%values)), quoted($json->encode(\%names)), quoted($place->{index}), $backward ? 'false' : 'true';
	push @checks, "SELECT compare('$name', 'parts', " . quoted($query) . ", $against);\n";
}

# A statement that selects items of this kind with some attributes, which may be parts of their key.
sub new_statement_by_parts
{
	my ($n, $name, $place, $kind, $given, $items) = @_;
	my $index = $place->{index} && chance(.5);
	my @clauses = grep { !$_->{ranged} || $ranged{$_->{name}}{type} ne 'timestamptz' } @$given;
	my @conditions = "kind = '$kind'";
	my @expected = grep { $_->{kind} eq $kind && (!$index || is_there($place, $_)) } @$items;

	for my $clause (@clauses) {
		my ($attribute, $op, @values) = ($clause->{name}, $clause->{op}, @{$clause->{values}});
		push @conditions, "$attribute $op " . join ' AND ', map { $clause->{ranged} ? $_ : "'$_'" } @values;
		@expected = grep {
			my $value = $_->{$attribute};
			defined $value && (!$clause->{ranged} ? $value eq $values[0] : $op eq 'BETWEEN' ? $value >= $values[0] && $value <= $values[1] : holds($op, $value <=> $values[0]));
		} @expected;
	}
	my $statement = qq{SELECT id FROM "table$n"} . ($index ? qq{."$place->{index}"} : '') . ' WHERE ' . join ' AND ', sort { rand() <=> .5 } @conditions;
	push @checks, "SELECT compare('$name', " . quoted($statement) . ', ' . quoted('SELECT by_statement(' . quoted($statement) . ', ' . (1 + int rand 9) . ')')
		. ', ' . quoted('{' . join(',', map { $_->{id} } @expected) . '}') . ", '{}', 0, NULL);\n";
}

# The place of an item among the values of the range's attribute.
sub rank
{
	my ($place, $item) = @_;
	return scalar grep { compare($place->{range}, $place->{format}, $_, $item->{$place->{range}}) < 0 } @{$ranged{$place->{range}}{values}};
}

my $functions = <<'SQL';
CREATE TABLE refused (name text PRIMARY KEY, expected boolean);
CREATE FUNCTION declare(t text, name text, condition text, kinds text[], view text, i text, forward boolean, form text, has_shards boolean, max_items int, parameters json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.create_access_pattern(t, name, condition, kinds, view, i, scan_index_forward => forward, returns => form, max_items => declare.max_items, parameters => declare.parameters);
EXCEPTION WHEN invalid_parameter_value THEN
	-- of an attribute that an item may have in a key alone, the pattern's key has only the shard; a limit and a filter exclude each other
	IF NOT (has_shards AND sqlerrm ~ '^the key has only the shard of') AND NOT (declare.max_items IS NOT NULL AND sqlerrm = 'max_items cannot be combined with a filter') THEN
		RAISE;
	END IF;
	INSERT INTO refused VALUES (name, sqlerrm ~ '^max_items');
END $$;
CREATE FUNCTION body(name text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := '-';
BEGIN
	IF NOT EXISTS (SELECT FROM refused r WHERE r.name = body.name) THEN
		EXECUTE query INTO result;
	END IF;
	RETURN result;
END $$;
CREATE FUNCTION by_pages(call text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	page record;
	start dynamo.item;
BEGIN
	LOOP
		EXECUTE 'SELECT * FROM ' || call INTO page USING start;
		RETURN QUERY SELECT i ->> 'id' FROM unnest(page.items) i;
		start := page.last_evaluated_key;
		EXIT WHEN start IS NULL;
	END LOOP;
END $$;
CREATE FUNCTION by_requests(body jsonb, size int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	answer json;
BEGIN
	body := body || jsonb_build_object('Limit', size);
	LOOP
		answer := dynamo.request('Query', body::json);
		RETURN QUERY SELECT i #>> '{id,S}' FROM json_array_elements(answer -> 'Items') i;
		EXIT WHEN answer -> 'LastEvaluatedKey' IS NULL;
		body := body || jsonb_build_object('ExclusiveStartKey', answer -> 'LastEvaluatedKey');
	END LOOP;
END $$;
CREATE FUNCTION by_statement(statement text, size int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	answer json;
	token text;
BEGIN
	LOOP
		answer := dynamo.request('ExecuteStatement', json_strip_nulls(json_build_object('Statement', statement, 'Limit', size, 'NextToken', token)));
		RETURN QUERY SELECT i #>> '{id,S}' FROM json_array_elements(answer -> 'Items') i;
		token := answer ->> 'NextToken';
		EXIT WHEN token IS NULL;
	END LOOP;
END $$;
-- The first items of an order may be any that have their ranks; a document may have its own item besides.
CREATE FUNCTION first_of(got text[], expected text[], ranks jsonb, sign int, n int, besides boolean) RETURNS boolean LANGUAGE sql AS $$
	SELECT got <@ expected AND cardinality(got) = (SELECT count(DISTINCT g) FROM unnest(got) g) AND EXISTS (
		SELECT FROM unnest(CASE WHEN besides THEN got || NULL::text ELSE ARRAY[NULL::text] END) left_out
		WHERE ARRAY(SELECT (ranks ->> g)::int * sign FROM unnest(got) g WHERE g IS DISTINCT FROM left_out ORDER BY 1)
			= ARRAY(SELECT (ranks ->> e)::int * sign FROM unnest(expected) e ORDER BY 1 LIMIT n))
$$;
CREATE FUNCTION compare(name text, form text, query text, expected text[], ranks jsonb, sign int, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	got text[];
BEGIN
	IF EXISTS (SELECT FROM refused r WHERE r.name = compare.name) THEN
		RETURN NULL;
	END IF;
	EXECUTE 'SELECT ARRAY(' || query || ')' INTO got;
	IF n IS NOT NULL AND NOT first_of(got, expected, ranks, sign, n, form = 'document') THEN
		RETURN format('%s by %s: %s are not the first %s of %s by %s, request %s', name, form, got, n, expected, ranks, (SELECT request FROM dynamo.access_patterns WHERE pattern = name::regproc));
	END IF;
	IF n IS NULL AND ARRAY(SELECT unnest(got) ORDER BY 1) <> ARRAY(SELECT unnest(expected) ORDER BY 1) THEN
		RETURN format('%s by %s: missing %s, extra %s, request %s', name, form, ARRAY(SELECT unnest(expected) EXCEPT ALL SELECT unnest(got)),
			ARRAY(SELECT unnest(got) EXCEPT ALL SELECT unnest(expected)), (SELECT request FROM dynamo.access_patterns WHERE pattern = name::regproc));
	END IF;
	IF form <> 'document' AND EXISTS (SELECT FROM (SELECT r, lag(r) OVER (ORDER BY i) AS before FROM unnest(got) WITH ORDINALITY f(id, i), LATERAL (SELECT (ranks ->> f.id)::int * sign AS r) v) o WHERE o.before > o.r) THEN
		RETURN format('%s by %s: wrong order %s', name, form, got);
	END IF;
	RETURN NULL;
END $$;
SQL

# ---- requests over HTTP ----

# Sends a request; returns the statement that compares the answer.
sub sent
{
	my ($socket, $request, $body) = @_;
	my ($code, $answer) = api($socket, 'Query', pack 'H*', $body);
	my @ids = map { $_->{id}{S} } @{$answer->{Items} // []};

	return "SELECT 'HTTP: " . ($answer->{message} // 'no answer') =~ s/'/''/gr . "';\n" if $code != 200;
	return "SELECT compare('$request->{name}', 'HTTP', " . quoted('SELECT unnest(' . quoted('{' . join(',', @ids) . '}') . '::text[])') . ", $request->{against});\n";
}

# The endpoint serves the database as soon as it exists.
sub await_endpoint
{
	for (1 .. 150) {
		my $socket = connect_http($ENV{HTTP_PORT});
		my ($code) = $socket ? api($socket, 'ListTables', {}) : 0;
		return $socket if $code && $code == 200;
		select undef, undef, undef, 0.2;
	}
	BAIL_OUT('no endpoint');
}

sub check_http
{
	my $socket = await_endpoint();
	my ($status, $bodies) = psql($database, join '', map { $_->{body} } @requests);
	my @bodies = split /\n/, $bodies;
	is($status || scalar @bodies, scalar @requests, 'a request for each pattern') or diag(substr $bodies, -1500), return;
	my @sent = map { $bodies[$_] eq '-' ? () : sent($socket, $requests[$_], $bodies[$_]) } 0 .. $#requests;
	($status, my $output) = psql($database, join '', @sent);
	is($status, 0, 'answers over HTTP');
	is($output =~ s/^\n+//gmr, '', 'requests over HTTP return what was asked');
	return;
}

# ---- run ----

new_model($_) for 1 .. $models;
create_database($database, $functions . $setup);
my ($status, $output) = psql($database, "SET client_min_messages = error;\nSET timezone = 'Asia/Tokyo';\n" . join '', @checks);
is($status, 0, 'patterns run') or diag(substr $output, 0, 3000);
is($output =~ s/^\n+//gmr, '', @requests . " patterns of $models tables return what was asked");
check_http() if $ENV{HTTP_PORT};
($status, $output) = psql($database, 'SELECT count(*) FROM refused WHERE NOT expected;');
cmp_ok($output, '<', @requests / 10 + 6, 'few patterns are refused');
($status, $output) = psql($database, join '', map { "SELECT pattern, problem FROM dynamo.check_access_patterns('table$_', samples => 3) WHERE problem IS NOT NULL AND problem !~ '^(of .* items read|no item has)';\n" } 1 .. $models);
is($status, 0, 'the check runs') or diag(substr $output, 0, 3000);
is($output =~ s/^\n+//gmr, '', 'the check has nothing to say');

done_testing();
