# HostileStatements.pm: statements on a table of HostileTables.pm.
#
# Calls of every SQL function of the extension, by the names and types of its
# arguments; requests of every operation of the API; and plain SQL.  Most of
# them are valid, but the data that they read is not.
package HostileStatements;

use strict;
use warnings;
use Exporter 'import';
use HostileTables;
use JSON::PP;

our @EXPORT = qw(sql_functions function_statements request_of request_sql request_statements plain_statements last_statements superuser_statements);

my ($true, $false) = (JSON::PP::true, JSON::PP::false);

# ---- parts of statements ----

sub item_literal { quote_literal(json($_[0])) . '::dynamo.item' }

sub index_name { chance(0.1) ? 'none' : pick(map { $_->{index_name} } @{ $_[0]{indexes} }) }

sub stored_item { pick(@{ $_[0]{items} }) }

sub some_key { key_of($_[0], stored_item($_[0])) }

# Positions at which a page of the table or of an index may have ended.
sub start_key
{
	my ($table, $index_name) = @_;
	my $item = stored_item($table);
	my ($index) = grep { $_->{index_name} eq ($index_name // '') } @{ $table->{indexes} };
	my @names = grep { defined } @$index{qw(partition_key sort_key)} if $index;

	return { (map { $_ => $item->{$_} // random_value($table->{attributes}{$_}) } @names), %{ key_of($table, $item) } };
}

my @conditions = ('attribute_exists(PK)', 'attribute_not_exists(z)', 'begins_with(g, :g)', 'g = :g', 'NOT g = :h');
my @updates = ('SET z = :g', 'REMOVE g', 'REMOVE z', 'ADD n :n', 'SET g = :h, h = :g', 'SET i = if_not_exists(i, :i)', 'SET g = :g');

# Returns a condition on the key of the table or of an index, and the index's name.
sub key_condition
{
	my ($table) = @_;
	my $index = chance(0.5) ? pick(@{ $table->{indexes} }) : undef;
	my ($partition, $sort) = $index ? @$index{qw(partition_key sort_key)} : @{ $table->{key} };
	my @operators = ("$sort > :\L$sort", "$sort <= :\L$sort", "$sort = :\L$sort") if defined $sort;

	push @operators, "begins_with($sort, :\L$sort)" if defined $sort && $table->{attributes}{$sort} ne 'N';
	return ("$partition = :\L$partition" . (@operators && chance(0.5) ? ' AND ' . pick(@operators) : ''), $index && $index->{index_name});
}

# The values of an item that expressions use: all given values must be used.
sub used_values
{
	my ($table, @expressions) = @_;
	my %item = (n => { N => '1' }, %{ stored_item($table) });
	my $text = join ' ', grep { defined } @expressions;
	my @names = grep { $text =~ /:\L$_\E\b/ } 'n', keys %{ $table->{attributes} };

	return { map { (":\L$_" => $item{$_} // random_value($table->{attributes}{$_})) } @names };
}

# Values on which the arguments of a call must agree.
sub random_expressions
{
	my ($table, $function) = @_;
	my ($condition, $index) = key_condition($table);

	$index = $function =~ /^create/ ? 'new' : $function =~ /^scan/ && chance(0.5) ? undef : index_name($table) if $function !~ /query/;
	return {
		function => $function,
		index_name => $index,
		segment => chance(0.5) ? 'NULL' : pick(0 .. 3),
		key_condition_expression => $condition,
		condition_expression => pick(@conditions),
		filter_expression => chance(0.3) ? pick(@conditions) : undef,
		update_expression => pick(@updates) };
}

# ---- arguments ----

# Arguments by name, for a table and the expressions of the call.
my %by_name = (
	table_name => sub { quote_literal("a.$_[0]{name}") },
	referenced_table => sub { quote_literal("a.$_[0]{name}") },
	index_name => sub { quote_literal($_[1]{index_name}) },
	key => sub { item_literal(some_key($_[0])) },
	exclusive_start_key => sub { item_literal(start_key($_[0], $_[1]{index_name})) },
	item => sub { item_literal(random_item($_[0])) },
	keys => sub { $_[2] eq 'jsonb' ? 'NULL' : 'ARRAY[' . join(', ', map { item_literal(some_key($_)) } @_[ 0, 0 ]) . ']' },
	put_items => sub { 'ARRAY[' . item_literal(random_item($_[0])) . ']' },
	delete_keys => sub { 'ARRAY[' . item_literal(some_key($_[0])) . ']' },
	projection_expression => sub { quote_literal(pick('PK', 'g, h', 'z[0], big[1]')) },
	max_items => sub { pick(1, 1000) },
	page_size => sub { pick(1, 2, 100) },
	segment => sub { $_[1]{segment} },
	total_segments => sub { $_[1]{segment} eq 'NULL' ? 'NULL' : 4 },
	shard => sub { chance(0.9) ? 'NULL' : 0 },
	shard_value => sub { 'NULL' },
	shard_by => sub { 'NULL' },
	shards => sub { pick('NULL', 1, 3) },
	return_values => sub { quote_literal(pick('NONE', 'ALL_OLD')) },
	return_values_on_condition_check_failure => sub { quote_literal(pick('NONE', 'ALL_OLD')) },
	select_attributes => sub { quote_literal(pick('COUNT', 'ALL_ATTRIBUTES')) },
	partition_key => sub { quote_literal(pick('g', 'h', 'z')) },
	sort_key => sub { quote_literal(pick('i', 'other')) },
	partition_key_type => sub { quote_literal(pick('S', 'N')) },
	sort_key_type => sub { quote_literal(pick('S', 'N')) },
	storage => sub { pick('NULL', "'inline'", "'table'") },
	projection => sub { quote_literal(pick('ALL', 'KEYS_ONLY')) },
	non_key_attributes => sub { 'NULL' },
	local => sub { 'false' },
	fillfactor => sub { pick('NULL', 70) },
	on_delete => sub { quote_literal(pick('NO ACTION', 'CASCADE')) },
	constraint_name => sub { quote_literal('some') },
	referenced_key => sub { quote_literal(json({ map { $_ => '{g}' } @{ $_[0]{key} } })) . '::jsonb' },
	attribute_name => sub { quote_literal('expires') },
	attributes => sub { $_[2] eq 'text[]' ? "'{g,h}'" : "'{\"z\": {\"S\": \"a\"}}'" },
	kind_attributes => sub { "'{\"z\": {\"S\": \"a\"}}'" },
	view_name => sub { quote_literal('view_' . int(rand 1e9)) },
	columns => sub { quote_literal('{"g": "text", "h": "text"}') . '::json' },
	lines => sub { 'ARRAY[' . join(', ', map { quote_literal(json({ Item => random_item($_) })) } @_[ 0, 0 ]) . ']' },
	line => sub { quote_literal(json({ Item => random_item($_[0]) })) },
	retention => sub { quote_literal('0') },
	after => sub { pick('NULL', '100000000000000000000', '100000000000000000003', "'NaN'") },
	label => sub { 'NULL' },
	view_type => sub { quote_literal('NEW_AND_OLD_IMAGES') },
	transact_items => sub { quote_literal(json([ { $_[1]{function} =~ /get/ ? 'Get' : 'Delete' => { TableName => "a.$_[0]{name}", Key => some_key($_[0]) } } ])) . '::jsonb' },
	template => sub { quote_literal('{PK}#{g}') });

for my $expression (qw(key_condition_expression condition_expression filter_expression update_expression))
{
	$by_name{$expression} = sub { $_[1]{used}{$expression} = 1; quote_literal($_[1]{$expression}) };
}

my %by_type = (
	'dynamo.item' => sub { item_literal(random_item($_[0])) },
	'dynamo.value' => sub { quote_literal(json(random_value(pick('S', 'N', 'L', 'M')))) . '::dynamo.value' },
	text => sub { quote_literal(pick('PK', 'g', 'big', '')) },
	'text[]' => sub { "'{big,0}'" },
	'bytea[]' => sub { "'{\"\\\\x61\"}'" },
	'numeric[]' => sub { "'{1,-2.5}'" },
	boolean => sub { pick('true', 'false') },
	integer => sub { pick(0, 1, -1) },
	bigint => sub { pick(0, 1, 1000) },
	bytea => sub { "'\\x61'::bytea" },
	numeric => sub { pick('1', "'NaN'") },
	'double precision' => sub { '0.5' },
	interval => sub { "'0'" },
	record => sub { 'ROW(1)' },
	'"any"' => sub { "'a'::text" });

# Returns name => value, or the value alone if it must be positional.
sub argument_of
{
	my ($function, $i, $table, $expressions) = @_;
	my ($name, $type) = ($function->{names}[$i] // '', $function->{types}[$i]);
	my $value = ($by_name{$name} // $by_type{$type} // sub { 'NULL' })->($table, $expressions, $type);

	$value = "ARRAY[$value]" if $type eq 'text[]' && $value =~ /^'\w+'$/;
	return $name eq '' || $function->{variadic} ? $value : "$name => $value";
}

# ---- functions ----

sub call_of
{
	my ($function, $table) = @_;
	my $expressions = random_expressions($table, $function->{name});
	my ($types, $names) = @$function{qw(types names)};
	my $required = @$types - $function->{defaults};
	my @given = grep { ($names->[$_] // '') !~ /^expression_attribute/ && ($_ < $required || $names->[$_] =~ /segment|^index_name/ || chance(0.5)) } 0 .. $#$types;
	my @arguments = map { argument_of($function, $_, $table, $expressions) } @given;

	$arguments[-1] = "VARIADIC $arguments[-1]" if $function->{variadic};
	if (grep { ($_ // '') eq 'expression_attribute_values' } @$names)
	{
		my $values = used_values($table, @$expressions{ keys %{ $expressions->{used} } });

		push @arguments, 'expression_attribute_values => ' . item_literal($values) if %$values;
	}
	return ($function->{kind} eq 'p' ? 'CALL' : 'SELECT') . " $function->{schema}.$function->{name}(" . join(', ', @arguments) . ')';
}

# The function that returns all items of the table.
sub call_of_stored
{
	my ($function, $table) = @_;
	my $expressions = random_expressions($table, $function->{name});
	my $required = @{ $function->{types} } - $function->{defaults};
	my @arguments = ('item', map { argument_of({ %$function, variadic => 1 }, $_, $table, $expressions) } 1 .. $required - 1);

	$arguments[-1] = "VARIADIC $arguments[-1]" if $function->{variadic};
	return "SELECT $function->{schema}.$function->{name}(" . join(', ', @arguments) . ") FROM a.$table->{name}";
}

# Returns the functions of the server's extension, except those that need more than a
# table (a role, a file, a request) and those on values only.
sub sql_functions
{
	my ($node) = @_;

	return map { decode_json($_) } split /\n/, $node->safe_psql('postgres', q{
SELECT json_build_object('schema', pronamespace::regnamespace, 'name', proname, 'kind', prokind, 'defaults', pronargdefaults, 'variadic', provariadic <> 0,
	'types', COALESCE((SELECT json_agg(t::regtype ORDER BY i) FROM unnest(proargtypes) WITH ORDINALITY AS a(t, i)), '[]'),
	'names', COALESCE((SELECT json_agg(n ORDER BY i) FROM unnest(proargnames, proargmodes) WITH ORDINALITY AS a(n, m, i) WHERE m IS NULL OR m IN ('i', 'b', 'v')), '[]'))
FROM pg_proc WHERE pronamespace IN ('dynamo'::regnamespace, 'dynamo_system'::regnamespace) AND prokind IN ('f', 'p')
	AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
	AND NOT proargtypes::oid[] && ARRAY['internal'::regtype::oid, 'cstring'::regtype::oid]
	AND proname NOT IN ('create_access_key', 'drop_access_key', 'encrypt_access_keys', 'import_items', 'export_items', 'request', 'request_safe')
	AND proname !~ '^(value|secret)_'
ORDER BY oid::regprocedure::text});
}

# Returns calls of the functions, each with its own arguments, and of all items.
sub function_statements
{
	my ($table, @functions) = @_;
	my @calls;

	for my $function (@functions)
	{
		my $times = (grep { ($_ // '') eq 'table_name' } @{ $function->{names} }) ? 2 : 1;

		push @calls, call_of($function, $table) for 1 .. $times;
		push @calls, call_of_stored($function, $table) if ($function->{types}[0] // '') eq 'dynamo.item';
	}
	return @calls;
}

# ---- requests ----

my $arn = 'arn:aws:dynamodb:us-east-1:000000000000:table';

sub of_table { (TableName => "a.$_[0]{name}") }

sub of_item { (of_table($_[0]), Key => some_key($_[0])) }

sub of_write { (ReturnValues => pick('NONE', 'ALL_OLD'), ReturnConsumedCapacity => 'INDEXES', ReturnItemCollectionMetrics => 'SIZE') }

sub of_update
{
	my ($table) = @_;
	my $update = pick(@updates);
	my $values = used_values($table, $update);

	return (of_item($table), UpdateExpression => $update, %$values ? (ExpressionAttributeValues => $values) : ());
}

sub of_read
{
	my ($table, $index) = @_;
	my %request = (of_table($table), ReturnConsumedCapacity => 'INDEXES');

	$request{Limit} = pick(1, 2) if chance(0.6);
	$request{IndexName} = $index if defined $index;
	$request{ExclusiveStartKey} = start_key($table, $index) if chance(0.3);
	$request{Select} = 'COUNT' if chance(0.2);
	return %request;
}

sub of_query
{
	my ($table) = @_;
	my ($condition, $index) = key_condition($table);

	return (
		of_read($table, $index),
		KeyConditionExpression => $condition,
		ExpressionAttributeValues => used_values($table, $condition),
		ScanIndexForward => pick($true, $false));
}

sub partiql_value
{
	my ($type, $value) = %{ $_[0] };

	return "'$value'" if $type eq 'S' && $value !~ /['\0]/;
	return $value if $type eq 'N';
	return "'g'";
}

sub partiql
{
	my ($table, $writes) = @_;
	my $item = stored_item($table);
	my %value = map { $_ => partiql_value($item->{$_} // random_value($table->{attributes}{$_})) } keys %{ $table->{attributes} };
	my $name = qq{"a.$table->{name}"};
	my $where = join ' AND ', map { "$_ = $value{$_}" } @{ $table->{key} };
	my $index = pick(@{ $table->{indexes} });
	my $key = $index->{partition_key};

	return pick(
		qq{UPDATE $name SET z = 1 WHERE $where RETURNING ALL NEW *}, qq{DELETE FROM $name WHERE $where RETURNING ALL OLD *},
		qq{UPDATE $name SET g = $value{g} WHERE $where}, qq{INSERT INTO $name VALUE {'PK': $value{PK}, 'SK': $value{SK}}}) if $writes;
	return pick(
		qq{SELECT * FROM $name WHERE $where}, qq{SELECT * FROM $name},
		qq{SELECT * FROM $name WHERE PK IN [$value{PK}, } . partiql_value(random_value($table->{attributes}{PK})) . ']' . (@{ $table->{key} } > 1 ? ' ORDER BY SK' : ''),
		qq{SELECT * FROM $name."$index->{index_name}" WHERE $key = $value{$key}},
		qq{SELECT * FROM $name."$index->{index_name}" WHERE $key IN [$value{$key}, } . partiql_value(random_value($table->{attributes}{$key})) . ']'
		  . (defined $index->{sort_key} ? " ORDER BY $index->{sort_key} DESC" : ''));
}

my %requests = (
	BatchExecuteStatement => sub { my $writes = chance(0.5); (Statements => [ map { +{ Statement => partiql($_, $writes) } } @_[ 0, 0 ] ]) },
	BatchGetItem => sub { (RequestItems => { "a.$_[0]{name}" => { Keys => [ map { some_key($_) } @_[ 0, 0 ] ] } }, ReturnConsumedCapacity => 'INDEXES') },
	BatchWriteItem => sub {
		(RequestItems => { "a.$_[0]{name}" => [ { PutRequest => { Item => random_item($_[0]) } }, { DeleteRequest => { Key => some_key($_[0]) } } ] },
			ReturnConsumedCapacity => 'INDEXES', ReturnItemCollectionMetrics => 'SIZE') },
	CreateTable => sub {
		(TableName => 'a.created', BillingMode => 'PAY_PER_REQUEST', AttributeDefinitions => [ { AttributeName => 'PK', AttributeType => 'S' } ],
			KeySchema => [ { AttributeName => 'PK', KeyType => 'HASH' } ]) },
	DeleteItem => sub { (of_item($_[0]), of_write()) },
	DescribeStream => sub { (StreamArn => $_[0]{stream_arn}) },
	ExecuteStatement => sub { (Statement => partiql($_[0], chance(0.3)), Limit => pick(1, 5), ReturnConsumedCapacity => 'TOTAL') },
	ExecuteTransaction => sub { (TransactStatements => [ { Statement => partiql($_[0], 1) } ], ReturnConsumedCapacity => 'TOTAL') },
	GetItem => sub { (of_item($_[0]), ReturnConsumedCapacity => 'TOTAL') },
	GetRecords => sub { (ShardIterator => 'iterator') },
	GetShardIterator => sub { (StreamArn => $_[0]{stream_arn}, ShardId => $_[0]{shard_id}, ShardIteratorType => pick('LATEST', 'TRIM_HORIZON')) },
	PutItem => sub { (of_table($_[0]), of_write(), Item => random_item($_[0])) },
	Query => \&of_query,
	Scan => sub { (of_read($_[0], chance(0.5) ? index_name($_[0]) : undef), chance(0.4) ? (Segment => pick(0 .. 3), TotalSegments => 4) : ()) },
	TagResource => sub { (ResourceArn => "$arn/a.$_[0]{name}", Tags => [ { Key => 'k', Value => 'v' } ]) },
	TransactGetItems => sub { (TransactItems => [ map { +{ Get => { of_item($_) } } } @_[ 0, 0 ] ], ReturnConsumedCapacity => 'TOTAL') },
	TransactWriteItems => sub {
		(ReturnConsumedCapacity => 'INDEXES', ReturnItemCollectionMetrics => 'SIZE', ClientRequestToken => pick('a', 'b', 'c'),
			TransactItems => [ pick({ Put => { of_table($_[0]), Item => random_item($_[0]) } }, { Update => { of_update($_[0]) } }, { Delete => { of_item($_[0]) } }),
				{ Put => { of_table($_[0]), Item => random_item($_[0]) } } ]) },
	UntagResource => sub { (ResourceArn => "$arn/a.$_[0]{name}", TagKeys => ['k']) },
	UpdateItem => sub { (of_update($_[0]), of_write(), ReturnValues => pick('NONE', 'ALL_OLD', 'UPDATED_NEW', 'ALL_NEW')) },
	UpdateTable => sub {
		(of_table($_[0]), AttributeDefinitions => [ { AttributeName => 'other', AttributeType => 'S' } ],
			GlobalSecondaryIndexUpdates => [ pick(
				{ Create => { IndexName => 'created', KeySchema => [ { AttributeName => 'other', KeyType => 'HASH' } ], Projection => { ProjectionType => 'ALL' } } },
				{ Delete => { IndexName => index_name($_[0]) } }) ]) },
	UpdateTimeToLive => sub { (of_table($_[0]), TimeToLiveSpecification => { AttributeName => 'expires', Enabled => pick($true, $false) }) });

# Returns a decoded request of the operation for the table.
sub request_of
{
	my ($operation, $table) = @_;
	my $request = $requests{$operation} // sub { (of_table($_[0]), ResourceArn => "$arn/a.$_[0]{name}") };

	return { $request->($table) };
}

sub request_sql
{
	my ($operation, $request) = @_;

	return "SELECT dynamo.request('$operation', " . quote_literal(json($request)) . '::json)';
}

sub request_statements
{
	my ($table, @operations) = @_;
	my @statements;

	for my $operation (@operations)
	{
		push @statements, request_sql($operation, request_of($operation, $table)) for 1 .. ($requests{$operation} ? 3 : 1);
	}
	return (@statements, map { records_statement($table, $_) } 'TRIM_HORIZON', 'LATEST');
}

# Returns all records of the table's streams.
sub records_statement
{
	my ($table, $type) = @_;

	return qq{SELECT dynamo.request('GetRecords', pg_catalog.json_build_object('ShardIterator', dynamo.request('GetShardIterator',
	pg_catalog.json_build_object('StreamArn', arn, 'ShardIteratorType', '$type', 'ShardId',
		dynamo.request('DescribeStream', pg_catalog.json_build_object('StreamArn', arn)) #>> '{StreamDescription,Shards,0,ShardId}')) ->> 'ShardIterator'))
FROM dynamo.streams WHERE table_name = '$table->{name}'};
}

# ---- plain SQL ----

# walk(): the driver's function that reads all pages.
sub plain_statements
{
	my ($table) = @_;
	my $name = "a.$table->{name}";

	return (
		"UPDATE $name SET item = item", "DELETE FROM $name", "TRUNCATE $name", "DELETE FROM $name WHERE dynamo.begins_with(\"PK\"::text, 'a')",
		"UPDATE $name SET item = dynamo.set_attribute(item, 'z', '{\"N\": \"1\"}')", "INSERT INTO $name (item) SELECT item FROM $name ON CONFLICT DO NOTHING",
		"CREATE TABLE a.copied AS SELECT * FROM $name", "SELECT DISTINCT item FROM $name ORDER BY item", "SELECT * FROM $name WHERE item @> '{\"PK\": {\"S\": \"a\"}}'",
		"MERGE INTO $name t USING $name s ON t.ctid = s.ctid WHEN MATCHED THEN UPDATE SET item = s.item WHEN NOT MATCHED THEN INSERT (item) VALUES (s.item)",
		"CREATE INDEX ON $name USING gin (item)", "CREATE INDEX ON $name (item)", "ANALYZE $name", "SELECT item::jsonb FROM $name",
		"SELECT * FROM dynamo.tables, dynamo.indexes, dynamo.index_progress, dynamo.streams", "ALTER TABLE $name RENAME TO renamed", "ALTER TABLE $name SET UNLOGGED",
		"ALTER TABLE $name ADD COLUMN more int", "DROP TABLE $name", "DROP TABLE $name CASCADE", "DELETE FROM $name WHERE ctid = '(0,1)'",
		"ALTER TABLE $name RENAME TO renamed; SELECT dynamo.scan_page('a.renamed', page_size => 1)", "SELECT walk('$name', NULL)",
		map { my $index = "'$name', '$_->{index_name}'"; ("SELECT walk($index)", "SELECT dynamo.verify_index($index)", "SELECT dynamo.reindex($index)") } @{ $table->{indexes} });
}

# Statements of a superuser on the tables of others.
sub superuser_statements
{
	my ($table, @functions) = @_;

	return (
		plain_statements($table),
		'SELECT dynamo.delete_expired()', "SELECT dynamo.trim_streams(retention => '0')", 'SELECT dynamo.build_statements()',
		function_statements($table, grep { $_->{name} =~ /_index$|stream$|^delete_expired/ } @functions));
}

# Statements that cannot run in a transaction block.
sub last_statements
{
	my ($table) = @_;

	return (
		(map { qq{VACUUM FULL a."$_"} } sort keys %{ $table->{relations} }), "CALL dynamo.build_indexes('a.$table->{name}')",
		"CALL dynamo.create_index_and_wait('a.$table->{name}', 'waited', 'g', 'i')", 'CALL dynamo.build_indexes()',
		'SELECT dynamo.delete_expired()', "SELECT dynamo.trim_streams(retention => '0')");
}

1;
