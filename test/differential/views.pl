#!/usr/bin/perl
# Random queries on views of entities, whose conditions become conditions on
# composed keys, against the same queries on plain tables with the views' rows.
# SEED repeats a run, CASES sets the number of queries, VIEWS that of views; LONG
# makes both greater.  psql finds the server through the usual environment
# variables; a database of its own is created there and dropped at the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use utf8;
use JSON::PP;
use Test::More;
use TestDatabase;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output todo_output);

my $seed = $ENV{SEED} // time() ^ $$;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 20000 : 1500);
my $views = $ENV{VIEWS} // ($ENV{LONG} ? 150 : 12);
srand($seed);
note("SEED=$seed CASES=$cases VIEWS=$views");

my $database = "dynamo_views_$$";
my $json = JSON::PP->new->canonical->utf8(0);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

# ---- attributes ----

# Values are few, so that conditions often hold.  Those in items are written in
# several forms, as clients do.
my @texts = ('a', 'b', 'ab', 'B', 'é', 'a-b', 'a_%', 'Ab');
my @times = ('2026-01-31 12:00:00.5', '2026-01-31 12:00:00', '2026-01-31 23:30:00', '2026-02-01 00:00:00', '1969-12-31 23:59:59.999999', '2026-01-31 12:00:00.123456');

my %pools = (
	text => {
		type => 'text', formats => ['', '', '', ':word', ':upper', ':lower', ':any'], shard => 1,
		values => [@texts, ''], nonempty => [@texts]},
	varchar => {
		type => 'varchar', formats => ['', ':lower'], shard => 1, values => [@texts, ''], nonempty => [@texts]},
	short => {type => 'varchar(4)', formats => [''], values => [@texts, '', 'abcdef', 'abcdeg', 'abcd'], nonempty => ['a', 'abcd']},
	char => {type => 'char(4)', formats => [''], values => ['a', 'b', 'ab', 'Ab'], nonempty => ['a']},
	int => {
		type => 'int', formats => ['', ':06', ':+06', ':06:desc', ':+06:desc'],
		values => [0, 1, 2, 9, 10, 42, 100, 999, -1, -42]},
	bigint => {
		type => 'bigint', formats => ['', ':+012', ':+012:desc'], values => [0, 1, 2, 10, 5_000_000_000, -7]},
	numeric => {
		type => 'numeric', formats => ['', ':+06.3', ':+06.3:desc', ':+08.2'],
		values => ['0', '1', '1.5', '1.25', '-1.5', '10', '99.999']},
	price => {
		type => 'numeric(6,2)', formats => ['', ':06.2', ':+06.2:desc', ':+06.3'],
		values => ['0', '1', '1.5', '1.25', '10', '99.99', '1.255']},
	uuid => {
		type => 'uuid', formats => [''],
		values => ['00000000-0000-0000-0000-000000000001', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'ffffffff-ffff-ffff-ffff-ffffffffffff']},
	at => {
		type => 'timestamptz', formats => [':s', ':ms', ':us', ':date', ':s:desc', ':ms:desc', ':us:desc', ':date:desc'],
		values => [@times]},
	second => {type => 'timestamptz(0)', formats => [':s', ':us:desc'], values => [@times]},
	moment => {
		type => 'timestamp', formats => [':s', ':us', ':us:desc', ':date'], values => [@times]},
	day => {
		type => 'date', formats => [':date', ':date:desc', ':s'], values => ['2026-01-31', '2026-02-01', '1969-12-31', '2000-02-29']},
);
my @kinds = sort keys %pools;

sub is_text { return $_[0]->{type} =~ /text|char/ }
sub plain_type { return $_[0]->{type} =~ s/^(\w+)\(.*/$1 eq 'char' ? 'bpchar' : $1/er }
sub is_number { return $_[0]->{type} =~ /int|numeric/ }
sub is_time { return $_[0]->{type} =~ /time|date/ }

sub new_attribute
{
	my ($name, $kind) = @_;
	return {%{$pools{$kind}}, name => $name, kind => $kind, format => pick(@{$pools{$kind}{formats}}), required => chance(.15)};
}

# How an item has a value.
sub item_value
{
	my ($attribute, $value) = @_;
	if (is_time($attribute)) {
		(my $iso = $value) =~ s/ /T/;
		return $iso if $attribute->{type} eq 'date';
		return pick($iso, $iso . 'Z', $iso . '+00:00');
	}
	return is_number($attribute) ? $value + 0 : $value;
}

# A literal means the same time whatever TimeZone is.
sub literal
{
	my ($attribute, $value) = @_;
	return 'NULL' if !defined $value;
	return quoted($attribute->{type} =~ /^timestamptz/ ? "$value+00" : $value);
}

# ---- entities ----

sub part
{
	my ($attribute) = @_;
	return "{#" . pick(3, 13) . ":$attribute->{name}}" if $attribute->{shard} && chance(.1);
	my $format = chance(.8) ? $attribute->{format} : pick(@{$attribute->{formats}});
	return "{$attribute->{name}$format}";
}

# One part may be marked, and it is not read together with another one.
sub template
{
	my ($literal, @attributes) = @_;
	my $marked;
	my @parts = map { part($_) } @attributes;
	for (@parts) {
		s/:any\}// && ($_ .= '}') if $marked;
		$marked = 1 if /:any\}/;
	}
	return join '', map { pick("$literal#", "#", '##') . $parts[$_] } 0 .. $#parts;
}

sub shuffled
{
	my @list = @_;
	for my $i (reverse 1 .. $#list) {
		my $j = int rand($i + 1);
		@list[$i, $j] = @list[$j, $i];
	}
	return @list;
}

# A time that is no part of a key is read by TimeZone.
my $session = "SET client_min_messages = error;\nSET timezone = 'Asia/Tokyo';\n";
my $setup = "${session}CREATE TABLE probes (n int, "
	. join(', ', map { "p_$_ " . plain_type($pools{$_}) } @kinds) . ");\n";
my @views;

for (1 .. 30) {
	$setup .= 'INSERT INTO probes VALUES (' . join(', ', $_, map { literal($pools{$_}, chance(.1) ? undef : pick(@{$pools{$_}{values}})) } @kinds) . ");\n";
}

my @storages = ('', '', '', ", storage => 'table'", ', shards => 3');

sub new_view
{
	my ($n) = @_;
	my @attributes = map { new_attribute("a$_", pick(@kinds)) } 1 .. 6;
	my %view = (name => "v$n", plain => "p$n", attributes => \@attributes);
	my @declared = (@attributes, new_attribute('loose', pick(grep { !is_text($pools{$_}) } @kinds)));	# the last one is in no key
	my $shows_null = $n % 2 == 1;	# for values that cannot be cast, which items then have
	my @base = grep { $_->{kind} !~ /char|short/ } @attributes;
	return new_view($n) if @base < 2;
	my @pk = (shuffled(@base))[0];
	my @sk = (shuffled(@base))[0 .. int rand 2];
	my %keys = (PK => template('P', @pk), SK => template('S', @sk));
	$view{groups} = [[@pk, @sk]];
	my (@indexes, %conditions, %condition_values);

	for my $i (1 .. 3) {
		my @parts = shuffled(@attributes);
		my $storage = pick(@storages);
		push @indexes, "SELECT dynamo.create_index('table$n', 'gsi$i', 'G${i}P'" . (chance(.8) ? ", 'G${i}S'" : '') . "$storage);\n";
		@pk = splice @parts, 0, chance(.3) ? 2 : 1;
		@sk = splice @parts, 0, 1 + int rand 2;
		$keys{"G${i}P"} = template("g$i", @pk);
		$keys{"G${i}S"} = template('x', @sk) if $indexes[-1] =~ /G${i}S/;
		push @{$view{groups}}, [@pk, @sk];
		my ($tested) = grep { $_->{kind} =~ /^(text|int)$/ } shuffled(@attributes);
		if ($tested && chance(.25)) {
			$conditions{"gsi$i"} = "$tested->{name} = :v$i";
			my $value = pick(@{$tested->{nonempty} // $tested->{values}});
			$condition_values{":v$i"} = is_text($tested) ? {S => $value} : {N => "$value"};
			$tested->{favorite} = $value;
		}
	}
	my %declared = map { $_->{name} => $_->{required} ? {type => $_->{type}, required => JSON::PP::true} : $_->{type} } @declared;
	$setup .= "SELECT dynamo.create_table('table$n', partition_key => 'PK', sort_key => 'SK'" . (chance(.15) ? ', partitions => 3' : '') . ");\n"
		. join('', @indexes)
		. "SELECT dynamo.create_entity('table$n', 'e', " . quoted($json->encode(\%keys)) . ', ' . quoted($json->encode(\%declared))
		. ", type_attribute => 'kind'" . ($shows_null ? '' : ", view_name => 'v$n'")
		. (%conditions ? ', index_conditions => ' . quoted($json->encode(\%conditions)) . ', expression_attribute_values => '
			. quoted($json->encode(\%condition_values)) : '') . ");\n"
		. ($shows_null ? "SELECT dynamo.create_entity_view('v$n', 'table$n', entity_name => 'e', invalid_values => 'null');\n" : '');
	for (1 .. 120) {
		my %item = (kind => 'e');
		for my $a (@declared) {
			next if chance(.12);
			$item{$a->{name}} = chance(.03) ? undef : $shows_null && !is_text($a) && chance(.1) ? pick('no value', 1e30, [1], JSON::PP::true) : item_value($a, chance(.1) && $a->{favorite} ? $a->{favorite} : pick(@{$a->{values}}));
		}
		$setup .= "SELECT try_put('table$n', " . quoted($json->encode(\%item)) . ");\n";
	}
	$setup .= "INSERT INTO outcomes SELECT 'an item that does not cast' FROM dynamo.check_entity('table$n') WHERE problem LIKE '% cannot be cast %';\n" if $shows_null;
	$setup .= "CREATE TABLE p$n AS SELECT * FROM v$n;\nANALYZE table$n;\n";
	push @views, \%view;
}

my $functions = <<'SQL';
CREATE FUNCTION try_put(t text, item jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.put_item(t, item);
EXCEPTION WHEN SQLSTATE 'KV001' THEN
END $$;
CREATE TABLE outcomes (outcome text);
CREATE FUNCTION results(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[];
BEGIN
	EXECUTE query INTO result;
	RETURN coalesce(result, '{}');
END $$;
CREATE FUNCTION plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		result := result || E'\n' || line;
	END LOOP;
	RETURN result;
END $$;
CREATE FUNCTION compare(types text, of_view text, of_plain text, arguments text, mode text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	by_view text[];
	by_plain text[];
	plan text;
	outcome text;
BEGIN
	PERFORM set_config('plan_cache_mode', mode, true);
	EXECUTE 'PREPARE of_view' || types || ' AS SELECT array_agg(r::text ORDER BY r::text COLLATE "C") FROM (' || of_view || ') AS r';
	EXECUTE 'PREPARE of_plain' || types || ' AS SELECT array_agg(r::text ORDER BY r::text COLLATE "C") FROM (' || of_plain || ') AS r';
	by_view := results('EXECUTE of_view' || arguments);
	by_plain := results('EXECUTE of_plain' || arguments);
	plan := plan('EXECUTE of_view' || arguments);
	DEALLOCATE of_view;
	DEALLOCATE of_plain;
	outcome := CASE WHEN by_view IS DISTINCT FROM by_plain THEN 'wrong'
		ELSE CASE WHEN plan ~ 'Cond: .*G\dP' THEN 'by an index, ' WHEN plan ~ 'Cond: .*"PK"' THEN 'by the key, ' ELSE 'otherwise, ' END
			|| CASE WHEN by_view = '{}' THEN 'empty' ELSE 'rows' END END;
	INSERT INTO outcomes VALUES (outcome);
	RETURN CASE WHEN outcome = 'wrong' THEN concat_ws(E'\n', mode, of_view, arguments,
		'missing: ' || array(SELECT unnest(by_plain) EXCEPT ALL SELECT unnest(by_view) LIMIT 2)::text,
		'extra: ' || array(SELECT unnest(by_view) EXCEPT ALL SELECT unnest(by_plain) LIMIT 2)::text, plan) END;
END $$;
SQL

# ---- queries ----

# A query has parameters, or not.
sub value
{
	my ($q, $attribute) = @_;
	my $value = chance(.03) ? undef : chance(.1) && defined $attribute->{favorite} ? $attribute->{favorite} : pick(@{$attribute->{values}});
	my $type = plain_type($attribute);
	return typed($q, $type, literal($attribute, $value) . "::$type");
}

sub typed
{
	my ($q, $type, $literal) = @_;
	return $literal unless chance($q->{parameters});
	push @{$q->{types}}, $type;
	push @{$q->{arguments}}, $literal;
	return '$' . @{$q->{types}};
}

sub array
{
	my ($q, $attribute) = @_;
	my @values = map { literal($attribute, chance(.05) ? undef : pick(@{$attribute->{values}})) } 0 .. rand 3;
	my $type = plain_type($attribute);
	return typed($q, "$type\[]", 'ARRAY[' . join(', ', @values) . "]::$type\[]");
}

sub probe { my ($attribute) = @_; return "p.p_$attribute->{kind}" }

# A condition on one attribute of the view, whose alias is v.
sub condition
{
	my ($q, $a) = @_;
	my $column = "v.$a->{name}";
	my $other = $q->{join} && chance(.6) ? probe($a) : undef;
	my $how = rand;

	return chance(.7) ? "$column = " . ($other // value($q, $a)) : ($other // value($q, $a)) . " = $column" if $how < .5;
	return "$column " . pick('<', '<=', '>', '>=') . ' ' . ($other // value($q, $a)) if $how < .65;
	return "$column BETWEEN " . value($q, $a) . ' AND ' . value($q, $a) if $how < .7;
	return chance(.5) ? "$column = ANY (" . array($q, $a) . ')' : "$column IN (" . join(', ', map { value($q, $a) } 0 .. rand 3) . ')' if $how < .83;
	return "$column IS " . pick('NULL', 'NOT NULL') if $how < .88;
	return "$column IS NOT DISTINCT FROM " . value($q, $a) if $how < .9;
	return "$column LIKE " . quoted(pick('a%', 'A%', '%', '_')) if $how < .93 && is_text($a);
	return "NOT ($column = " . value($q, $a) . ')' if $how < .95;
	return '(' . join(pick(' OR ', ' AND '), map { "v.$_->{name} = " . value($q, $_) } $a, pick(@{$q->{view}{attributes}})) . ')';
}

# Mostly on attributes of one key, from its first one on.
sub conditions
{
	my ($q) = @_;
	my @others = shuffled(@{$q->{view}{attributes}});
	my @attributes = chance(.75) ? @{pick(@{$q->{view}{groups}})} : splice(@others, 0, 2);
	$#attributes = int rand @attributes if chance(.4);
	return map { condition($q, $_) } shuffled(@attributes, chance(.2) ? $others[0] : ());
}

sub query
{
	my $view = pick(@views);
	my $q = {view => $view, parameters => pick(0, 1, 1, .5), types => [], arguments => [], join => chance(.45)};
	my @conditions = conditions($q);
	my $shape = $q->{join} ? pick(qw(inner inner left left right exists count lateral anti)) : pick(qw(plain plain plain plain self subquery));
	my $on = join ' AND ', @conditions;
	my $where = '';

	if ($shape =~ /left|right|inner/ && chance(.5)) {
		$q->{join} = 0 if $shape eq 'left';
		$where = ' WHERE ' . join ' AND ', conditions($q);
	}
	my $text = $shape eq 'plain' ? "SELECT * FROM %v v WHERE $on"
		: $shape eq 'self' ? "SELECT v.*, w.a1 AS other FROM %v v, %v w WHERE $on AND v.a1 = w.a1 AND v.a2 = w.a2"
		: $shape eq 'subquery' ? "SELECT * FROM (SELECT * FROM %v OFFSET 0) v WHERE $on"
		: $shape eq 'inner' ? (chance(.5) ? "SELECT p.n, v.* FROM probes p JOIN %v v ON $on$where" : "SELECT p.n, v.* FROM %v v, probes p WHERE $on")
		: $shape eq 'left' ? "SELECT p.n, v.* FROM probes p LEFT JOIN %v v ON $on$where"
		: $shape eq 'right' ? "SELECT p.n, v.* FROM probes p RIGHT JOIN %v v ON $on$where"
		: $shape eq 'exists' ? "SELECT p.n FROM probes p WHERE EXISTS (SELECT FROM %v v WHERE $on)"
		: $shape eq 'anti' ? "SELECT p.n FROM probes p WHERE NOT EXISTS (SELECT FROM %v v WHERE $on)"
		: $shape eq 'count' ? "SELECT p.n, (SELECT count(*) FROM %v v WHERE $on) AS c FROM probes p"
		: "SELECT p.n, l.* FROM probes p, LATERAL (SELECT * FROM %v v WHERE $on) l";
	return ($q, $text);
}

sub query_case
{
	my ($q, $text) = query();
	my $list = sub { @_ ? '(' . join(', ', @_) . ')' : '' };
	my $settings = join '', map { "SET enable_$_ = " . pick('on', 'on', 'off') . ";\n" } qw(seqscan bitmapscan indexscan hashjoin mergejoin memoize material nestloop);
	return $settings . 'SELECT compare(' . join(', ', map { quoted($_) } $list->(@{$q->{types}}),
		$text =~ s/%v/$q->{view}{name}/gr, $text =~ s/%v/$q->{view}{plain}/gr, $list->(@{$q->{arguments}}),
		pick('force_generic_plan', 'force_generic_plan', 'force_custom_plan')) . ");\n";
}

# ---- run ----

new_view($_) for 1 .. $views;
create_database($database, $functions . $setup);

my ($status, $output) = psql($database, $session . join '', map { query_case() } 1 .. $cases);
is($status, 0, 'queries run') or diag(substr $output, 0, 3000);
is($output, '', "$cases queries agree");

($status, $output) = psql($database, "SELECT count(*), outcome FROM outcomes GROUP BY 2 ORDER BY 1 DESC");
note($output);
my %count = map { /^(\d+)\|(.*)/ ? ($2 => $1) : () } split /\n/, $output;
cmp_ok($count{'by an index, rows'} // 0, '>', $cases / 50, 'many queries find rows by an index');
cmp_ok($count{'by the key, rows'} // 0, '>', $cases / 50, 'many queries find rows by the key');
cmp_ok($count{'an item that does not cast'} // 0, '>', 0, 'there are values that cannot be cast');

done_testing();
