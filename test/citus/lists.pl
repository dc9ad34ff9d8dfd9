# lists.pl: access patterns with a list, on tables that are distributed over three nodes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use CitusCluster;
use Test::More;

my ($coordinator, @workers) = new_citus_cluster();
my @nodes = ($coordinator, @workers);

# The same items and patterns, in a table of one server and in one of all nodes.
for my $table (qw(plain spread)) {
	value_of($coordinator, qq{SELECT create_table('$table', 'PK', 'SK');
SELECT create_index('$table', 'GSI1', 'G', 'GS'); SELECT create_index('$table', 'GSI2', 'H', 'HS', storage => 'table');});
	value_of($coordinator, q{SELECT distribute_table('spread', 5)}) if $table eq 'spread';
	value_of($coordinator, qq{SELECT create_entity('$table', 'order', '{"PK": "C#{c}", "SK": "{status}#{n:03}", "G": "S#{status}", "GS": "{at:date}", "H": "A#{at:date}", "HS": "{n:03}"}',
	attributes => '{"c": "text", "status": "text", "n": "int", "at": "date"}', type_attribute => 'kind', view_name => '${table}_orders')});
	value_of($coordinator, qq{SELECT count(put_item('$table', jsonb_build_object('kind', 'order', 'c', 'c' || n % 7, 'status', (ARRAY['NEW', 'PAID', 'SENT'])[n / 7 % 3 + 1], 'n', n,
	'at', '2026-01-01'::date + n % 11), return_values => 'ALL_OLD')) FROM generate_series(1, 200) n; SELECT apply_entity('$table')});
	value_of($coordinator, q{SELECT wait_for_index('spread', 'GSI2')}) if $table eq 'spread';
	value_of($coordinator, qq{SELECT create_access_pattern('$table', '${table}_of', 'c IN (:cs)', view_name => '${table}_orders');
SELECT create_access_pattern('$table', '${table}_some', 'c = :c AND status IN (:states) AND n >= :n', view_name => '${table}_orders', max_items => 6, scan_index_forward => false);
SELECT create_access_pattern('$table', '${table}_states', 'status IN (:states)', entities => '{order}', index_name => 'GSI1');
SELECT create_access_pattern('$table', '${table}_last', 'status IN (:states) AND at <= :at', entities => '{order}', index_name => 'GSI1', max_items => 9, scan_index_forward => false);
SELECT create_access_pattern('$table', '${table}_days', 'at IN (:days) AND n < :n', view_name => '${table}_orders', index_name => 'GSI2');
SELECT create_access_pattern('$table', '${table}_pages', 'at IN (:days)', entities => '{order}', index_name => 'GSI2', returns => 'page');
SELECT create_access_pattern('$table', '${table}_pages_of', 'c IN (:cs)', entities => '{order}', returns => 'page', scan_index_forward => false);
SELECT create_access_pattern('$table', '${table}_pages_in', 'status IN (:states)', entities => '{order}', index_name => 'GSI1', returns => 'page')});
}

# All pages of a pattern, as a function or as a request.
sub pages
{
	my ($node, $pattern, $argument, $size) = @_;
	my ($found, $start) = ('', 'NULL');

	for (1 .. 300) {
		my ($items, $last) = split /\n/, value_of($node, qq{SELECT (SELECT concat_ws(' ', NULL, string_agg(i ->> 'n', ' ' ORDER BY o)) FROM unnest(p.items) WITH ORDINALITY u(i, o)), E'\\n' || p.last_evaluated_key::text
			FROM $pattern($argument, $size, $start) p}) =~ s/\|//r, 2;
		$found .= " $items" if $items ne '';
		return $found if ($last // '') eq '';
		$start = "'$last'";
	}
	return "$found ...";
}

my %calls = (
	of => [ q{'{c1,c4,c1,none,NULL}'}, q{string_agg(r.n::text, ' ')} ], some => [ q{'c3', '{SENT,NEW}', 20}, q{string_agg(r.n::text, ' ')} ],
	days => [ q{'{2026-01-03,2026-01-09,2026-01-03}', 120}, q{string_agg(r.n::text, ' ')} ], states => [ q{'{SENT,NEW}'}, q{string_agg(r ->> 'n', ' ')} ],
	last => [ q{'{SENT,NEW,SENT}', '2026-01-05'}, q{string_agg(r ->> 'n', ' ')} ]);

for my $name (sort keys %calls) {
	my ($arguments, $what) = @{ $calls{$name} };
	my $plain = value_of($coordinator, "SELECT count(*), $what FROM plain_$name($arguments) r");

	like($plain, qr/^[1-9]/, "$name: $plain");
	is(value_of($_, "SELECT count(*), $what FROM spread_$name($arguments) r"), $plain, $_->name . ": $name") for @nodes;
}
for my $pages ([ pages => q{'{2026-01-03,2026-01-09,2026-01-03}'} ], [ pages_of => q{'{c2,c0,c2}'} ], [ pages_in => q{'{PAID,SENT}'} ]) {
	my $plain = pages($coordinator, "plain_$pages->[0]", $pages->[1], 1000);

	like($plain, qr/^ \d+ /, "$pages->[0]:$plain");
	for my $size (9, 1000) {
		is(pages($_, "spread_$pages->[0]", $pages->[1], $size), $plain, $_->name . ": $pages->[0] of $size") for @nodes;
	}
}
is(value_of($coordinator, q{SELECT pattern, problem FROM check_access_patterns('spread') WHERE problem IS NOT NULL}), '', 'the check');
for my $request ([ of => 'cs', 'c1', 'c4' ], [ states => 'states', 'SENT', 'NEW' ], [ pages => 'days', '2026-01-03', '2026-01-09' ]) {
	my $query = q{SELECT string_agg(i #>> '{n,N}', ' ' ORDER BY o) FROM json_array_elements(request('Query', '{"TableName": "%s", "IndexName": "pattern:%s_%s",
		"ExpressionAttributeValues": {":%s": {"L": [{"S": "%s"}, {"S": "%s"}]}}}') -> 'Items') WITH ORDINALITY r(i, o)};
	my $plain = value_of($coordinator, sprintf $query, 'plain', 'plain', @$request);

	is(value_of($_, sprintf $query, 'spread', 'spread', @$request), $plain, $_->name . ": request $request->[0]") for @nodes;
}
value_of($coordinator, q{SELECT undistribute_table('spread')});
stop_citus_cluster(@nodes);
done_testing();
