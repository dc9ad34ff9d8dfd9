# HostileTables.pm: random tables whose rows and definitions were never checked.
#
# A table is created by dynamo.create_table with a random key and random indexes.
# Then rows are stored without triggers in all its relations: the table, its index
# tables, its stream.  Attributes and columns are chosen independently of each
# other: of the right type, of another one, missing, empty, too long, null.  The
# definition may be changed in one place.  An owner can do all of this who fills a
# table before it gets its triggers.
package HostileTables;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP;
use MIME::Base64;

our @EXPORT = qw(seed chance pick json key_of random_item random_value hostile_table plant_statements altered mutated quote_literal);

my $json = JSON::PP->new->canonical->allow_nonref;

# ---- choices ----

sub seed { srand($_[0]) }
sub chance { rand() < $_[0] }
sub pick { $_[ rand @_ ] }
sub json { $json->encode($_[0]) }

sub quote_literal
{
	my ($text) = @_;

	return 'NULL' if !defined $text;
	$text =~ s/'/''/g;
	return $text =~ s/\\/\\\\/g ? "E'$text'" : "'$text'";
}

# ---- values ----

my @numbers = ('0', '1', '2', '-1', '1.5', '1E125', '-9.99E-130', '12345678901234567890123456789012345678', '17000000000');
my @strings = ('a', 'b', 'g', 'a#1', "\x{e9}", 'x' x 40, 'item', '1');

# The extension's text contains only ASCII characters: JSON escapes the others.
$json->ascii;

sub binary { encode_base64(pick('a', "\0", "\xff\xfe", "\xe0" x pick(1, 30, 3000)), '') }

sub random_value
{
	my ($type) = @_;

	return { S => pick(@strings) } if $type eq 'S';
	return { N => pick(@numbers) } if $type eq 'N';
	return { B => binary() } if $type eq 'B';
	return { BOOL => pick(JSON::PP::true, JSON::PP::false) } if $type eq 'BOOL';
	return { NULL => JSON::PP::true } if $type eq 'NULL';
	return { L => [ map { random_value(any_type()) } 1 .. rand 3 ] } if $type eq 'L';
	return { M => { map { pick(@strings) => random_value(any_type()) } 1 .. rand 3 } } if $type eq 'M';
	return { SS => [ 'a', 'b' ] } if $type eq 'SS';
	return { NS => [ '1', '2.5' ] } if $type eq 'NS';
	return { BS => [ encode_base64("\xff", '') ] };
}

sub any_type { pick(qw(S S S N N B BOOL NULL L M SS NS BS)) }

# Returns a value of the type that is invalid as a key, or a valid one.
sub odd_value
{
	my ($type) = @_;

	return { $type => '' } if $type ne 'N' && chance(0.3);
	return { S => pick('x' x 1025, 'x' x 2049, 'x' x 40000) } if $type eq 'S' && chance(0.5);
	return { S => "a\0b" } if $type eq 'S';
	return { B => encode_base64("\xe0" x pick(1025, 2049, 40000), '') } if $type eq 'B';
	return random_value($type);
}

# Returns an attribute that mostly has this type; undef if there is none.
sub random_attribute
{
	my ($type, $share) = @_;

	return random_value($type) if !chance($share);
	return undef if chance(0.3);
	return chance(0.5) ? random_value(any_type()) : odd_value($type);
}

sub random_item
{
	my ($table) = @_;
	my %item;

	for my $name (sort keys %{ $table->{attributes} })
	{
		my $value = random_attribute($table->{attributes}{$name}, $table->{odd});

		$item{$name} = $value if defined $value;
	}
	$item{ pick(qw(z expires other)) } = random_value(any_type()) if chance(0.3);
	$item{expires} = { N => pick('1', '1700000000', '4000000000', '1E30') } if chance(0.3);
	$item{big} = { L => [ map { { S => 'y' x 500 } } 1 .. pick(5, 100) ] } if chance(0.1);
	return \%item;
}

# Returns the key attributes of an item, or others if it has no valid ones.
sub key_of
{
	my ($table, $item) = @_;
	my %key;

	return random_item($table) if chance(0.05);
	for my $name (@{ $table->{key} })
	{
		my ($type, $value) = ($table->{attributes}{$name}, $item->{$name});

		next if chance(0.03);
		$key{$name} = defined $value && (exists $value->{$type} || chance(0.1)) ? $value : random_value($type);
	}
	return \%key;
}

# ---- tables ----

my @attributes = qw(PK SK g h i);

sub random_index
{
	my ($table, $n) = @_;
	my $local = @{ $table->{key} } > 1 && chance(0.2);
	my @names = grep { $_ ne 'PK' } keys %{ $table->{attributes} };
	my @key = $local ? ('PK', pick(sort grep { $_ ne 'SK' } @names)) : (pick(sort @names, 'PK'));
	my %index = (index_name => "index$n", local => $local ? JSON::PP::true : JSON::PP::false);

	push @key, pick(grep { $_ ne $key[0] } sort @names) if !$local && chance(0.5);
	$index{partition_key} = $key[0];
	$index{partition_key_type} = $table->{attributes}{ $key[0] };
	@index{qw(sort_key sort_key_type)} = ($key[1], $table->{attributes}{ $key[1] }) if @key > 1;
	if (chance(0.5))
	{
		$index{storage} = 'table';
		$index{shards} = pick(1, 2, 5) if !$local && chance(0.5);
		$index{shard_by} = pick('g', 'z') if $index{shards} && chance(0.5);
	}
	@index{qw(projection non_key_attributes)} = ('INCLUDE', ['z']) if chance(0.2);
	$index{projection} = 'KEYS_ONLY' if !$index{projection} && chance(0.2);
	return \%index;
}

# Returns the description of a random table, and the owner's statements that create it.
# odd is the share of wrong attributes and columns.
sub hostile_table
{
	my ($name) = @_;
	my $table = { name => $name, odd => pick(0, 0.02, 0.1, 0.4), attributes => { map { $_ => pick('S', 'S', 'N', 'B') } @attributes } };

	$table->{key} = chance(0.7) ? [ 'PK', 'SK' ] : ['PK'];
	$table->{indexes} = [ map { random_index($table, $_) } 1 .. 1 + rand 3 ];
	my ($sort, $sort_type) = @{ $table->{key} } > 1 ? ("'SK'", "'$table->{attributes}{SK}'") : ('NULL', "'S'");
	$table->{create} = "SELECT dynamo.create_table('$name', 'PK', $sort, '$table->{attributes}{PK}', $sort_type, "
	  . quote_literal(json($table->{indexes})) . "::jsonb);\n";
	$table->{create} .= "SELECT dynamo.enable_stream('$name', '" . pick('NEW_AND_OLD_IMAGES', 'KEYS_ONLY', 'NEW_IMAGE') . "');\n"
	  if chance(0.7);
	$table->{create} .= "SELECT dynamo.update_time_to_live('$name', 'expires');\n" if chance(0.4);
	return $table;
}

# ---- rows ----

# Returns the content of a column with the key type for a value, or anything else.
sub column_value
{
	my ($type, $value, $odd) = @_;

	if (defined $value && !chance($odd))
	{
		return quote_literal($value->{S}) if $type eq 'text' && defined $value->{S} && $value->{S} !~ /\0/;
		return "'$value->{N}'" if $type eq 'numeric' && defined $value->{N};
		return "'\\x" . unpack('H*', decode_base64($value->{B})) . "'::bytea" if $type eq 'bytea' && defined $value->{B};
	}
	return quote_literal(pick('', @strings)) if $type eq 'text';
	return "'" . pick('NaN', '1' x 60, '1E200', @numbers) . "'" if $type eq 'numeric';
	return "'\\x" . pick('', '00', 'fffe') . "'::bytea";
}

sub random_column
{
	my ($table, $column, $item) = @_;
	my ($name, $type, $notnull) = @$column{qw(name type notnull)};

	return 'NULL' if !$notnull && chance($table->{odd} / 2);
	return quote_literal(json(chance($table->{odd}) ? random_item($table) : $item)) if $type eq 'item';
	return column_value($type, $item->{$name}, $table->{odd}) if $type =~ /^(text|numeric|bytea)$/;
	return int(rand 5) if $type eq 'int4';
	return pick(1 .. 20, 9223372036854775807, -3, 0) if $type eq 'int8';
	return quote_literal(pick('2026-01-01', 'infinity', '-infinity', '2000-01-01')) if $type eq 'timestamptz';
	return quote_literal(pick('I', 'M', 'R', 'E', 'T', 'Z', '')) if $type eq 'char';
	return pick("'1'", "'18446744073709551615'") if $type eq 'xid8';
	return 'NULL';
}

# Statements of a superuser that insert rows into relations without triggers.
# relations: name => [{name, type, notnull}, ...].
sub plant_statements
{
	my ($table, $relations) = @_;
	my $rows = pick(2, 6, 20);
	my $sql = '';

	for my $relation (sort keys %$relations)
	{
		my @columns = @{ $relations->{$relation} };

		for (1 .. $rows)
		{
			my $item = random_item($table);

			$sql .= qq{INSERT INTO a."$relation" (} . join(', ', map { qq{"$_->{name}"} } @columns) . ') OVERRIDING SYSTEM VALUE VALUES ('
			  . join(', ', map { random_column($table, $_, $item) } @columns) . ") ON CONFLICT DO NOTHING;\n";
		}
	}
	return $sql;
}

# Returns a statement that changes the shape of one of the relations.
sub altered
{
	my ($relations) = @_;
	my $relation = pick(sort keys %$relations);
	my $column = pick(@{ $relations->{$relation} })->{name};
	my ($alter, $index) = (qq{ALTER TABLE a."$relation"}, qq{a."${relation}_pkey"});

	return pick(
		(map { qq{$alter ALTER COLUMN "$column" TYPE $_ USING NULL} } 'int', 'bytea', 'text', 'text COLLATE "C"', 'numeric', 'dynamo.value', 'jsonb'),
		qq{CREATE DOMAIN a.other AS dynamo.item; $alter ALTER COLUMN "$column" TYPE a.other USING NULL},
		qq{CREATE DOMAIN a.words AS text; $alter ALTER COLUMN "$column" TYPE a.words},
		qq{$alter ALTER COLUMN "$column" DROP NOT NULL}, qq{$alter DROP COLUMN "$column" CASCADE},
		qq{$alter DROP COLUMN "$column" CASCADE, ADD COLUMN "$column" text},
		qq{$alter DROP COLUMN "$column" CASCADE, ADD COLUMN "$column" text GENERATED ALWAYS AS ('a') STORED},
		qq{$alter RENAME COLUMN "$column" TO renamed}, qq{$alter DROP CONSTRAINT "${relation}_pkey"},
		qq{$alter DROP CONSTRAINT "${relation}_pkey"; CREATE INDEX "${relation}_pkey" ON a."$relation" USING hash ("$column")},
		qq{$alter DROP CONSTRAINT "${relation}_pkey"; CREATE UNIQUE INDEX "${relation}_pkey" ON a."$relation" ("$column" DESC) WHERE "$column" IS NULL},
		qq{DROP TABLE a."$relation" CASCADE}, qq{CREATE TABLE a.child () INHERITS (a."$relation"); INSERT INTO a.child SELECT * FROM a."$relation"},
		qq{DROP INDEX a."tab\$index1"}) . ";\n";
}

# ---- definitions ----

my @odd = (undef, '', 'x', 'PK', 'item', 0, -1, 1.5, 1000000, JSON::PP::true, [], {}, ['PK'], ['PK', 'PK'], 'CREATING', 'DELETING',
	'inline', 'table', 'N', 'B', 'y' x 300, [ map { "a$_" } 1 .. 50 ]);

# Returns a copy of decoded JSON with one value changed, removed, added or repeated.
sub mutated
{
	my ($value) = @_;
	my $copy = $json->decode($json->encode($value));
	my $at = $copy;

	for (1 .. 10)
	{
		my @next = grep { ref $_ } ref $at eq 'HASH' ? map { $at->{$_} } sort keys %$at : @$at;

		last if !@next || chance(0.4);
		$at = pick(@next);
	}
	if (ref $at eq 'HASH')
	{
		my $name = pick(sort(keys %$at), 'unknown');

		chance(0.2) ? delete $at->{$name} : ($at->{$name} = pick(@odd));
	}
	elsif (@$at && chance(0.5))
	{
		chance(0.5) ? push(@$at, pick(@$at)) : splice(@$at, rand @$at, 1);
	}
	else
	{
		push @$at, pick(@odd);
	}
	return $copy;
}

1;
