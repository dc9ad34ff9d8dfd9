# draw.pl: the document of dynamo.draw, in a browser: it loads without an error, its
# tabs work, nothing in the data becomes markup, and many items stay quick.
# Skipped without Chromium.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($browser) = grep { -x } map { "$_/chromium" } split /:/, "$ENV{PATH}:/usr/bin";

plan skip_all => 'no chromium' if !$browser;

my $node = new_dynamo_node('draw');
my $dir = PostgreSQL::Test::Utils::tempdir();

# What would run if it became markup, in every position that text can have.
my $evil = q{</script><script>document.documentElement.dataset.hacked='yes'</script><img src=x onerror="document.documentElement.dataset.hacked='yes'">"'&lt;@DATA@\\};

# The document of a table after its scripts have run, with one more script in it.
sub drawn
{
	my ($call, $script) = @_;
	my $file = "$dir/page.html";

	$node->safe_psql('postgres', "\\copy (SELECT dynamo.draw($call)) TO '$file'");
	my $page = slurp_file($file);
	ok($page !~ /\\|\n./, "$call: COPY has nothing to escape");
	$page =~ s{</body>}{<script>$script</script></body>};
	unlink $file;
	append_to_file($file, $page);
	my ($out, $error) = ('', '');
	IPC::Run::run([ $browser, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', "--user-data-dir=$dir/profile",
		'--dump-dom', "file://$file" ], '<', '/dev/null', '>', \$out, '2>', \$error, IPC::Run::timeout(300));
	return $out;
}

# Clicks each tab, and notes which panels are seen.
my $clicks = q{
	const seen = [...document.querySelectorAll('[role=tab]')].map(tab => { tab.click();
		return [...document.querySelectorAll('[role=tabpanel]')].map(p => p.hidden ? 0 : 1).join('') + (tab.getAttribute('aria-selected')); });
	document.documentElement.dataset.seen = seen.join(' ');
	document.documentElement.dataset.rows = document.querySelectorAll('#panel0 tbody tr').length;
	document.documentElement.dataset.text = document.getElementById('panels').textContent.includes('</scr' + 'ipt><scr' + 'ipt>') ? 'shown' : 'missing';};

$node->safe_psql('postgres', q{
SET search_path = public, dynamo;
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "SK"}]');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:04}", "GSI1PK": "{status}"}',
	'{"customer_id": "text", "order_id": "int", "status": "text"}', type_attribute => 'kind', view_name => 'orders');
INSERT INTO orders (customer_id, order_id, status) SELECT 'c' || i % 10, i, 'OPEN' FROM generate_series(1, 1000) i;
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :c', view_name => 'orders')});

my $page = drawn("'shop', sample => 1000", $clicks);
ok($page =~ /data-drawn="yes"/, 'drawn without an error');
ok($page =~ /data-seen="10000true 01000true 00100true 00010true 00001true"/, 'each tab shows its panel');
ok($page =~ /data-rows="1000"/, '1000 items');
ok($page =~ /orders_of/, 'the access pattern is in it');

# ---- text stays text ----

my $text = $evil =~ s/'/''/gr;
my $json = $evil =~ s/(["\\])/\\$1/gr =~ s/'/''/gr;
$node->safe_psql('postgres', qq{
SET search_path = public, dynamo;
SELECT create_table('odd', 'PK', 'SK');
SELECT create_entity('odd', '$text', '{"PK": "{id}", "SK": "{sort}"}', '{"id": "text", "sort": "text"}', type_attribute => 'kind', type_value => '$text');
SELECT put_item('odd', '{"kind": {"S": "$json"}, "id": {"S": "$json"}, "sort": {"S": "$json"}, "$json": {"S": "$json"}, "nul": {"S": "a\\u0000b"},
	"list": {"L": [{"S": "$json"}]}, "map": {"M": {"$json": {"S": "$json"}}}, "set": {"SS": ["$json"]}, "__proto__": {"S": "x"}, "null": {"NULL": true}}');
SELECT create_access_pattern('odd', '<img src=x onerror="hacked()">', 'id = :x', ARRAY['$text'], description => '$text')});
$page = drawn(q{'odd'}, $clicks);
ok($page =~ /data-drawn="yes"/, 'odd texts: drawn without an error');
ok($page !~ /data-hacked/, 'odd texts: nothing in the data runs');
ok($page =~ /data-text="shown"/, 'odd texts: they are shown as they are');
is(() = $page =~ /<img/g, 0, 'odd texts: no element is made of them');

# ---- hidden values ----

$node->safe_psql('postgres', q{SELECT dynamo.put_item('shop', '{"PK": {"S": "secret-1"}, "SK": {"S": "secret-2"}, "GSI1PK": {"S": "secret-3"}, "note": {"S": "secret-4"}}')});
$page = drawn("'shop', sample => 2000, redact => true", $clicks);
ok($page =~ /data-drawn="yes"/, 'redacted: drawn without an error');
ok($page !~ /secret|CUSTOMER#c|OPEN/, 'redacted: no value is in it');
ok($page =~ /note/, 'redacted: names of attributes are');

$node->stop;
done_testing();
