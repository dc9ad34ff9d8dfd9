# site.pl: scripts/site creates a site in which every page can be reached, every link
# has a target, the search finds words, and, where there are Chromium and Node.js, no page is
# wider than a phone (narrow.mjs).
use strict;
use warnings;
use File::Basename;
use FindBin;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my $project = "$FindBin::RealBin/../..";
my $site = PostgreSQL::Test::Utils::tempdir() . '/site';

plan skip_all => 'there is no mkdocs' if system('command -v mkdocs >/dev/null 2>&1') != 0;

my $output = `'$project/scripts/site' '$site' 2>&1`;
is($output, '', 'no warnings');
is($?, 0, 'the site was created');

# Returns the pages of the site with their anchors.
my %anchors;

for my $page (split /\n/, `find '$site' -name '*.html'`)
{
	my $html = slurp_file($page);

	$anchors{$page} = { map { $_ => 1 } $html =~ /\bid="([^"]+)"/g };
}
cmp_ok(scalar keys %anchors, '>', 15, 'pages');
for my $file (map { glob "$project/$_" } qw(docs/*.md docs/internals/*.md src/README.md))
{
	my $page = substr($file, length($project) + 1) =~ s/\.md$//r;
	my $place = $page =~ s{/README$}{/(?:README|index)}r;

	ok(slurp_file("$site/index.html") =~ m{href="$place\.html"}, "the menu has $page.md");
}

# resolves dir/a/../b to dir/b
sub clean_path
{
	my ($path) = @_;

	1 while $path =~ s{/\./}{/} || $path =~ s{/[^/]+/\.\.(?=/|$)}{};
	return $path;
}

my @dead;

for my $page (sort keys %anchors)
{
	next if $page =~ m{/404\.html$};
	for my $link (slurp_file($page) =~ /<a\b[^>]*\bhref="([^"]*)"/g)
	{
		next if $link =~ /^(?:\w+:|\/\/)/;
		my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
		my $target = clean_path($path eq '' ? $page : dirname($page) . "/$path");

		$target .= '/index.html' if -d $target;
		$anchor =~ s/%([0-9A-F]{2})/chr hex $1/gei if defined $anchor;
		if (!-e $target)
		{
			push @dead, substr($page, length $site) . " -> $link";
		}
		elsif (defined $anchor && $anchor ne '' && exists $anchors{$target} && !$anchors{$target}{$anchor})
		{
			push @dead, substr($page, length $site) . " -> $link (no such heading)";
		}
	}
}
is(join("\n", @dead), '', 'no dead links');

my $index = decode_json(slurp_file("$site/search/search_index.json"));
my %words = map { $_ => 1 } map { split /$index->{config}{separator}/, $_->{text} } @{ $index->{docs} };
ok($words{$_}, "the search finds $_") for qw(create_access_key http_port ConsistentRead psycopg2);
SKIP:
{
	my ($browser) = grep { -x } map { "$_/chromium" } split /:/, "$ENV{PATH}:/usr/bin";
	my ($out, $error) = ('', '');

	skip 'no chromium', 1 if !$browser;
	skip 'no node', 1 if system('command -v node >/dev/null 2>&1') != 0;
	IPC::Run::run([ 'node', "$FindBin::RealBin/narrow.mjs", $browser, $site, 390 ], '<', '/dev/null', '>', \$out, '2>', \$error, IPC::Run::timeout(300));
	is($out, "all pages\n", 'no page is wider than 390 pixels') or diag($error);
}

done_testing();
