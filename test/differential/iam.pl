#!/usr/bin/perl
# Random IAM policies, translated and executed for a role, against a model that
# evaluates them as IAM does: what the model denies, no operation may do, neither
# by the table nor by an index.  What the model allows can be refused, because an
# Allow that SQL cannot express is not granted; the counts at the end show that
# operations succeed, too.  Before that, random patterns of resources: a Deny
# must revoke a table exactly if a text exists that the pattern and the table's
# ARN, or that of an index or a stream, match.  SEED repeats a run, CASES sets the
# number of policies, ten times which there are patterns.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use TestDatabase;

my $seed = $ENV{SEED} // (time() ^ $$) % 1000000;
my $cases = $ENV{CASES} // ($ENV{LONG} ? 2000 : 40);
srand($seed);
note("SEED=$seed CASES=$cases");

my $database = "dynamo_iam_$$";
my $json = JSON::PP->new->canonical;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

# The partition keys of the tables and of their indexes, and the values of both.
my %tables = (
	game => {game => 'pk', by_g => 'g'},
	games => {games => 'pk', by_g => 'g', local => 'pk'},
	n => {n => 'pk'});
my %type = (game => 'S', games => 'S', n => 'N');
my @values = ('a', 'b', 'ab', '1', '2');
sub values_of { my ($table) = @_; return grep { $type{$table} eq 'S' || /^\d+$/ } @values }

create_database($database, <<'SQL');
SELECT dynamo.create_table('game', 'pk', 'sk', indexes => '[{"index_name": "by_g", "partition_key": "g"}]');
SELECT dynamo.create_table('games', 'pk', 'sk', indexes => '[{"index_name": "by_g", "partition_key": "g", "storage": "table", "shards": 2}, {"index_name": "local", "partition_key": "pk", "sort_key": "g"}]', partitions => 3);
SELECT dynamo.create_table('n', 'pk', 'sk', partition_key_type => 'N');
SELECT dynamo.put_item(t, jsonb_build_object('pk', p, 'sk', g, 'g', g))
FROM unnest('{game,games}'::text[]) t, unnest('{a,b,ab,1,2}'::text[]) p, unnest('{a,b,ab,1,2}'::text[]) g;
SELECT dynamo.put_item('n', jsonb_build_object('pk', p::int, 'sk', g, 'g', g)) FROM unnest('{1,2}'::text[]) p, unnest('{a,b,ab,1,2}'::text[]) g;
CREATE FUNCTION state(t text, OUT result text) LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
	IF t IS NULL THEN RETURN; END IF;
	EXECUTE format('SELECT string_agg(i, %L ORDER BY i) FROM (SELECT item::text AS i FROM %I) i', ',', t) INTO result;
END $$;
-- What a statement returns; one that failed, or of a write that did not change the table, null.  Writes are undone.
CREATE FUNCTION attempt(sql text, writes text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text; before text := public.state(writes);
BEGIN
	EXECUTE sql INTO result;
	RAISE EXCEPTION USING ERRCODE = 'ZZZZZ', MESSAGE = CASE WHEN before = public.state(writes) THEN 'failed' ELSE COALESCE(result, '') END;
EXCEPTION
	WHEN SQLSTATE 'ZZZZZ' THEN RETURN SQLERRM;
	WHEN OTHERS THEN RETURN NULL;
END $$;
CREATE FUNCTION apply(policy jsonb, role_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE l record;
BEGIN
	FOR l IN SELECT * FROM dynamo.iam_policy_to_sql(policy, role_name) WHERE kind = 'sql' LOOP
		EXECUTE l.line;
	END LOOP;
	RETURN 'applied';
END $$;
SQL

# ---- patterns of resources ----

sub regex_of
{
	my ($pattern, $flags) = @_;
	my $regex = join '', map { $_ eq '*' ? '.*' : $_ eq '?' ? '.' : quotemeta } split //, $pattern;
	return $flags ? qr/^$regex$/si : qr/^$regex$/s;
}

# The positions of a pattern that are reached from these by one character of a text;
# ~ and % are one of those that they stand for.
sub step
{
	my ($pattern, $positions, $character) = @_;
	my %next;

	for my $i (keys %$positions) {
		my $p = substr($pattern, $i, 1);
		if ($p eq '*') { $next{$i} = 1 }
		elsif ($p eq '?' || $p eq $character) { $next{$i + 1} = 1 }
		elsif ($character eq '~' ? $p =~ /^[^:]$/ : $character eq '%' && $p =~ /^[-0-9T:.]$/) { $next{$i + 1} = 1 }
	}
	return skip_stars($pattern, \%next);
}

sub skip_stars
{
	my ($pattern, $positions) = @_;
	my @left = keys %$positions;

	while (defined(my $i = shift @left)) {
		push @left, $i + 1 if $i < length $pattern && substr($pattern, $i, 1) eq '*' && !$positions->{$i + 1}++;
	}
	return $positions;
}

# Whether a text matches the pattern and this: ~ is any text without a colon, % a label of a stream.
sub meets
{
	my ($pattern, $other) = @_;
	my $positions = skip_stars($pattern, {0 => 1});

	for my $c (split //, $other) {
		if ($c =~ /[~%]/) {
			for (;;) {
				my $before = keys %$positions;
				my $more = step($pattern, $positions, $c);
				$positions->{$_} = 1 for keys %$more;
				last if keys %$positions == $before;
			}
		} else {
			$positions = step($pattern, $positions, $c);
		}
	}
	return $positions->{length $pattern} ? 1 : 0;
}

sub arns
{
	my ($table) = @_;
	my $arn = "arn:~:dynamodb:~:~:table/$table";
	return ($arn, (map { "$arn/index/$_" } grep { $_ ne $table } sort keys %{$tables{$table}}), "$arn/stream/%");
}

sub some_arn
{
	my $arn = pick(map { arns($_) } @_);
	$arn =~ s/~/pick('', 'aws', 'r-1', '00')/ge;
	$arn =~ s/%/pick('2026-01-01T00:00:00.000', '')/e;
	return $arn;
}

sub some_pattern
{
	my $pattern = some_arn(sort keys %tables);
	for (1 .. 1 + int rand 4) {
		my $at = int rand length $pattern;
		my $n = int rand(pick(2, 6, 30));
		substr($pattern, $at, $n) = pick('*', '*', '?', '?' x $n, '', '**', ':', 'table', '*/', ':table/');
		last if $pattern eq '';
	}
	return $pattern || '*';
}

my @patterns = map { chance(.1) ? some_arn(sort keys %tables) : some_pattern() } 1 .. 10 * $cases;
my @wrong;
my %told = (0 => 0, 1 => 0);
my $script = '';
for my $i (0 .. $#patterns) {
	my $policy = $json->encode({Statement => {Effect => 'Deny', Action => 'dynamodb:PutItem', Resource => $patterns[$i]}});
	$script .= "SELECT concat_ws(',', '$i', string_agg(substring(line FROM 'ON public.(\\w+)'), ',')) FROM dynamo.iam_policy_to_sql(" .
	  quoted($policy) . ", 'x') WHERE kind = 'sql' AND line LIKE 'REVOKE%';\n";
}
my ($status, $output) = psql($database, $script);
is($status, 0, 'patterns are translated') or diag(substr $output, 0, 1000);
for my $line (split /\n/, $output) {
	my ($i, @denied) = split /,/, $line;
	my %denied = map { $_ => 1 } @denied;

	for my $table (sort keys %tables) {
		my $pattern = $patterns[$i];
		my $model = grep { meets($pattern, $_) } arns($table);
		my $concrete = grep { some_arn($table) =~ regex_of($pattern) } 1 .. 5;
		# more is denied: a table whose name is there, whatever is around it
		my $more = $pattern =~ m{:table/([^/]*)} && $table =~ regex_of($1);
		my $right = $model ? $denied{$table} : $more || !$denied{$table};
		$told{$model ? 1 : 0}++;
		push @wrong, "$pattern: $table is " . ($denied{$table} ? '' : 'not ') . 'denied' if !$right || ($concrete && !$denied{$table});
	}
}
is_deeply([@wrong[0 .. ($#wrong < 20 ? $#wrong : 19)]], [], 'a Deny is of the tables that its pattern can mean');
cmp_ok($told{$_}, '>', $cases, "patterns that are " . ($_ ? '' : 'not ') . 'of a table') for 0, 1;

# ---- policies ----

my %class = (
	GetItem => 'read', BatchGetItem => 'read', Query => 'read', Scan => 'read', PartiQLSelect => 'read', PutItem => 'write', UpdateItem => 'write',
	PartiQLInsert => 'write', PartiQLUpdate => 'write', DeleteItem => 'remove', PartiQLDelete => 'remove', BatchWriteItem => 'batch');

sub some_list { return [ map { $_[0]->() } 1 .. 1 + int rand $_[1] ] }

sub some_action { return 'dynamodb:' . (chance(.6) ? pick(sort keys %class) : pick('*', '*Item', 'Batch*', 'P*', 'PartiQL?*', '*e*', 'getitem', 'Q*', 'D*')) }

sub some_resource
{
	return pick('*', 'arn:aws:dynamodb:*:*:*', 'arn:*', '*/index/by_g', '*:table/game*/index/*') if chance(.25);
	my $table = pick('game', 'games', 'game*', 'n', 'gam?', '*');
	return "arn:aws:dynamodb:us-east-1:1:table/$table" . (chance(.3) ? pick('/index/*', '/index/by_g', '/index/local', '/stream/*', '/*') : '');
}

sub some_condition
{
	my %condition;
	$condition{"ForAllValues:String" . pick('Equals', 'Equals', 'Like')}{'dynamodb:LeadingKeys'} = some_list(sub { pick(@values, 'a*', '?', '${x}') }, 2) if chance(.9);
	$condition{'ForAllValues:StringEquals'}{'dynamodb:Attributes'} = ['pk', 'sk', 'g'] if chance(.1);
	$condition{Bool}{'aws:MultiFactorAuthPresent'} = 'true' if chance(.1);
	return \%condition;
}

sub some_statement
{
	my %statement = (Effect => pick('Allow', 'Allow', 'Deny'));
	$statement{chance(.85) ? 'Action' : 'NotAction'} = some_list(\&some_action, 3);
	$statement{chance(.85) ? 'Resource' : 'NotResource'} = some_list(\&some_resource, 2);
	$statement{Condition} = some_condition() if chance(.6);
	return \%statement;
}

sub matches_any { my ($text, $patterns, $flags) = @_; return scalar grep { $text =~ regex_of($_, $flags) } @$patterns }

# Whether conditions hold for a request with this leading key, in doubt those of a Deny.
sub holds
{
	my ($statement, $key) = @_;
	my $deny = $statement->{Effect} eq 'Deny';

	for my $operator (keys %{$statement->{Condition} // {}}) {
		for my $name (keys %{$statement->{Condition}{$operator}}) {
			my $values = $statement->{Condition}{$operator}{$name};
			if ($name ne 'dynamodb:LeadingKeys') { return 0 unless $deny }
			elsif ($operator =~ /Like/) { return 0 if !($deny && grep { /\$/ } @$values) && !matches_any($key, $values) }
			else { return 0 if !($deny && grep { /\$/ } @$values) && !grep { $_ eq $key } @$values }
		}
	}
	return 1;
}

sub says
{
	my ($statement, $action, $arn, $key) = @_;

	return ($statement->{Action} ? matches_any("dynamodb:$action", $statement->{Action}, 1) : !matches_any("dynamodb:$action", $statement->{NotAction}, 1)) &&
	  ($statement->{Resource} ? matches_any($arn, $statement->{Resource}) : !matches_any($arn, $statement->{NotResource})) && holds($statement, $key);
}

# What IAM says of an action on an item, or on others that need the same privileges of PostgreSQL.
# Rights to an index are those to the table, and who writes an item can read it.
sub allowed
{
	my ($policy, $action, $table, $index, $class, $item) = @_;
	my $arn = "arn:aws:dynamodb:us-east-1:1:table/$table";
	my @of_index = ($index ne $table ? "$arn/index/$index" : $arn, $item->{$tables{$table}{$index}});

	return 0 if grep { $_->{Effect} eq 'Deny' && says($_, $action, @of_index) } @$policy;
	for my $other (sort keys %class) {
		next unless $class{$other} eq $class || $class eq 'read' || $class{$other} eq 'batch';
		return 1 if grep { $_->{Effect} eq 'Allow' && says($_, $other, $arn, $item->{pk}) } @$policy;
	}
	return 0;
}

my $items = sub {
	my ($table) = @_;
	return map { my $p = $_; map { {pk => $p, sk => $_, g => $_} } @values } values_of($table);
};

# Statements, each with the action, the table, the index, what it does, and the items that it reads or writes.
my @attempts;
for my $table (sort keys %tables) {
	my $value = sub { return $json->encode({$type{$table} eq 'N' && $_[0] eq 'pk' ? 'N' : 'S', $_[1]}) };
	my $of = sub { my ($i, @names) = @_; return '{' . join(', ', map { "\"$_\": " . $value->($_, $i->{$_}) } @names) . '}' };
	my $request = sub { my ($operation, $body) = @_; return sprintf 'SELECT dynamo.request(%s, %s)', quoted($operation), quoted($body) };

	for my $index (sort keys %{$tables{$table}}) {
		my $name = $index ne $table ? "\"IndexName\": \"$index\", " : '';
		my $attribute = $tables{$table}{$index};
		push @attempts, ['Scan', $table, $index, 'read', [$items->($table)], $request->('Scan', "{\"TableName\": \"$table\", $name\"ConsistentRead\": false}")];
		for my $key ($attribute eq 'g' ? @values : values_of($table)) {
			push @attempts, ['Query', $table, $index, 'read', [grep { $_->{$attribute} eq $key } $items->($table)], $request->('Query',
				"{\"TableName\": \"$table\", $name\"KeyConditionExpression\": \"$attribute = :k\", \"ExpressionAttributeValues\": {\":k\": " . $value->($attribute, $key) . '}}')];
			push @attempts, ['PartiQLSelect', $table, $index, 'read', [grep { $_->{$attribute} eq $key } $items->($table)], $request->('ExecuteStatement', $json->encode({
				Statement => "SELECT * FROM \"$table\"" . ($index ne $table ? ".\"$index\"" : '') . " WHERE $attribute = ?", Parameters => [$json->decode($value->($attribute, $key))]}))];
		}
	}
	for my $item (grep { chance(.3) } $items->($table)) {
		my $all = $of->({%$item, x => 'x'}, 'pk', 'sk', 'g', 'x');
		my $key = $of->($item, 'pk', 'sk');
		my %changed = (%$item, sk => 'new');
		my $new = $of->(\%changed, 'pk', 'sk', 'g');
		push @attempts, map { [$_->[0], $table, $table, $_->[3] // $class{$_->[0]}, [$item], $request->($_->[1], $_->[2])] } (
			['GetItem', 'GetItem', "{\"TableName\": \"$table\", \"Key\": $key}"],
			['BatchGetItem', 'BatchGetItem', "{\"RequestItems\": {\"$table\": {\"Keys\": [$key]}}}"],
			['GetItem', 'TransactGetItems', "{\"TransactItems\": [{\"Get\": {\"TableName\": \"$table\", \"Key\": $key}}]}"],
			['PutItem', 'PutItem', "{\"TableName\": \"$table\", \"Item\": $all}"], ['PutItem', 'PutItem', "{\"TableName\": \"$table\", \"Item\": $new}"],
			['BatchWriteItem', 'BatchWriteItem', "{\"RequestItems\": {\"$table\": [{\"PutRequest\": {\"Item\": $new}}]}}", 'write'],
			['BatchWriteItem', 'BatchWriteItem', "{\"RequestItems\": {\"$table\": [{\"DeleteRequest\": {\"Key\": $key}}]}}", 'remove'],
			['UpdateItem', 'UpdateItem', "{\"TableName\": \"$table\", \"Key\": $key, \"UpdateExpression\": \"SET x = pk\"}"],
			['PartiQLInsert', 'ExecuteStatement', $json->encode({Statement => "INSERT INTO \"$table\" VALUE {'pk': ?, 'sk': 'new'}", Parameters => [$json->decode($value->('pk', $item->{pk}))]})],
			['PutItem', 'TransactWriteItems', "{\"TransactItems\": [{\"Put\": {\"TableName\": \"$table\", \"Item\": $new}}]}"],
			['DeleteItem', 'DeleteItem', "{\"TableName\": \"$table\", \"Key\": $key, \"ConditionExpression\": \"attribute_exists(pk)\"}"],
			['PartiQLDelete', 'ExecuteStatement', $json->encode({Statement => "DELETE FROM \"$table\" WHERE pk = ? AND sk = ?",
				Parameters => [map { $json->decode($value->($_, $item->{$_})) } 'pk', 'sk']})]);
	}
}
note(scalar(@attempts) . ' operations');

# The items that an answer contains; a write that succeeds is of its item.
sub answered
{
	my ($attempt, $answer) = @_;
	return () if $answer eq 'failed';
	return @{$attempt->[4]} if $attempt->[3] ne 'read';
	return grep { my $i = $_; $answer =~ /"pk": ?\{"[SN]": ?"\Q$i->{pk}\E"\}/ && $answer =~ /"sk": ?\{"S": ?"\Q$i->{sk}\E"\}/ } @{$attempt->[4]} if @{$attempt->[4]} == 1;
	my $decoded = $json->decode($answer);
	my %found = map { my ($pk) = values %{$_->{pk}}; ("$pk $_->{sk}{S}" => 1) } @{$decoded->{Items}};
	return grep { $found{"$_->{pk} $_->{sk}"} } @{$attempt->[4]};
}

@wrong = ();
my ($done, $refused) = (0, 0);
my @policies = map { [map { some_statement() } 1 .. 1 + int rand 3] } 1 .. $cases;
for (my $first = 0; $first < @policies; $first += 20) {
	my $last = $first + 19 < $#policies ? $first + 19 : $#policies;
	my @chosen = map { [grep { chance(.25) } 0 .. $#attempts] } $first .. $last;
	$script = '';
	for my $p ($first .. $last) {
		my ($cut, @statements) = (int rand @{ $policies[$p] } + 1, @{ $policies[$p] });
		my @documents = map { { Version => '2012-10-17', Statement => $_ } } [ splice(@statements, 0, $cut) ], \@statements;
		my $document = $json->encode(chance(0.5) ? \@documents : {Version => '2012-10-17', Statement => $policies[$p]});
		$script .= "BEGIN; CREATE ROLE regress_iam_$$; SELECT apply(" . quoted($document) . ", 'regress_iam_$$');\nSET ROLE regress_iam_$$;\n" .
		  join('', map { 'SELECT \'>' . $p . ' ' . $_ . ' \' || COALESCE(attempt(' . quoted($attempts[$_][5]) . ', ' . ($attempts[$_][3] eq 'read' ? 'NULL' : quoted($attempts[$_][1])) . "), 'failed');\n" } @{$chosen[$p - $first]}) . "ROLLBACK;\n";
	}
	($status, $output) = psql($database, $script);
	if ($status != 0) { push @wrong, $json->encode($policies[$first]) . ": $output"; last }
	while ($output =~ /^>(\d+) (\d+) (.*)$/mg) {
		my ($policy, $attempt, $answer) = ($policies[$1], $attempts[$2], $3);
		my @got = answered($attempt, $answer);
		push @wrong, join(' ', $json->encode($policy), @$attempt[0 .. 2, 5], $json->encode($_))
		  for grep { !allowed($policy, @$attempt[0 .. 3], $_) } @got;
		$done += @got > 0;
		$refused++ unless @got;
	}
}
is_deeply([@wrong[0 .. ($#wrong < 5 ? $#wrong : 4)]], [], 'no operation does what the policy denies');
cmp_ok($done, '>', $cases, "operations that are allowed ($done) succeed");
cmp_ok($refused, '>', $cases, "others ($refused) do not");
done_testing();
