# release.pl: all that names the version names the same one, and a tag's version
# has a date in the changelog.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use Test::More;

chdir "$FindBin::RealBin/../..";

sub slurp
{
	my ($path) = @_;

	open(my $in, '<', $path) or die "cannot open $path: $!";
	local $/;
	return scalar <$in>;
}

# The first match in a file.
sub in_file
{
	my ($path, $pattern) = @_;

	return slurp($path) =~ $pattern ? $1 : 'none';
}

my $meta = decode_json(slurp('META.json'));
my $version = $meta->{version};

is($meta->{provides}{dynamo}{version}, $version, 'META.json: what it provides');
is(in_file('src/version.h', qr/#define DYNAMO_VERSION "(.*)"/), $version, 'src/version.h');
is(in_file('packaging/postgresql-dynamo.spec', qr/^Version: *(\S+)$/m), $version, 'the RPM spec');
is(in_file('debian/changelog', qr/^\S+ \((.*)-\d+\)/), $version, 'debian/changelog');
is(in_file('CHANGELOG.md', qr/^## (\S+)/m), $version, 'CHANGELOG.md');

# What nobody may depend on yet is not called stable.
is($meta->{release_status}, slurp('CHANGELOG.md') =~ /^## \Q$version\E \(unreleased\)$/m ? 'testing' : 'stable', 'META.json: the status');

my $default = in_file('dynamo.control', qr/^default_version = '(.*)'/m);
like($version, qr/^\Q$default\E(\.|$)/, 'dynamo.control');
ok(-f "dynamo--$default.sql", "the install script of $default");
is($meta->{provides}{dynamo}{file}, "dynamo--$default.sql", 'META.json: the install script');

# The archive of `make dist` has no repository.
for my $tag (grep { /^v\d/ } split /\n/, `git tag --points-at HEAD 2>/dev/null`)
{
	is($tag, "v$version", 'the tag');
	like(slurp('CHANGELOG.md'), qr/^## \Q$version\E \(\d{4}-\d\d-\d\d\)$/m, 'its date in CHANGELOG.md');
}
done_testing();
