# release.pl: all that names the version names the same one, a tag's version has a date
# in the changelog, META.json follows the PGXN Meta Spec, and the packages name files that exist.
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
is(in_file('packaging/postgresql-dynamo.spec', qr/^%changelog\n\* .* - (\S+)-\d+$/m), $version, 'the changelog of the RPM spec');
is(in_file('packaging/homebrew/dynamo.rb', qr{^  url ".*/dist/dynamo/(.+)/dynamo-\1\.zip"$}m), $version, 'the Homebrew formula');
is(decode_json(slurp('packaging/npm/dynamo-local/package.json'))->{version}, $version, 'the npm package');
is(in_file('debian/changelog', qr/^\S+ \((.*)-\d+\)/), $version, 'debian/changelog');
is(in_file('CHANGELOG.md', qr/^## (\S+)/m), $version, 'CHANGELOG.md');

# What nobody may depend on yet is not called stable.
is($meta->{release_status}, slurp('CHANGELOG.md') =~ /^## \Q$version\E \(unreleased\)$/m ? 'testing' : 'stable', 'META.json: the status');

# ---- META.json, as PGXN reads it ----

# The problems of a map: keys that the specification does not have, and values that are none.
sub problems
{
	my ($where, $map, %checks) = @_;
	my @problems = map { "$where: $_ is not in the specification" } grep { !$checks{$_} && !/^x_/i } sort keys %$map;

	for my $key (sort keys %checks)
	{
		my ($required, $check) = @{ $checks{$key} };
		next if !exists $map->{$key} && !$required;
		push @problems, "$where: $key" if !exists $map->{$key} || !$check->($map->{$key});
	}
	return @problems;
}

my $semver = qr/\A(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z][0-9A-Za-z.-]*)?\z/;
my $is_text = sub { !ref $_[0] && length $_[0] };
my $is_term = sub { !ref $_[0] && $_[0] =~ m{\A[^\s/\\[:cntrl:]]{2,}\z} };
my $is_version = sub { !ref $_[0] && $_[0] =~ $semver };
my $is_uri = sub { !ref $_[0] && $_[0] =~ m{\A[a-z][a-z0-9+.-]*:\S+\z} };
my $is_file = sub { !ref $_[0] && -f $_[0] };

# The keys of a map are terms, and its values pass.
sub every
{
	my ($map, $check) = @_;
	return ref $map eq 'HASH' && %$map && !grep { !$is_term->($_) || !$check->($map->{$_}) } keys %$map;
}

# Text or a list of texts, each of which passes.
sub texts
{
	my ($value, $check) = @_;
	my @values = ref $value eq 'ARRAY' ? @$value : $value;
	return @values && !grep { !$check->($_) } @values;
}

my @problems = problems(
	'META.json', $meta,
	name => [ 1, $is_term ],
	version => [ 1, $is_version ],
	abstract => [ 1, $is_text ],
	maintainer => [ 1, sub { texts($_[0], $is_text) } ],
	license => [ 1, sub { $_[0] eq 'postgresql' } ],
	provides => [ 1, sub { every($_[0], sub { ref $_[0] eq 'HASH' }) } ],
	'meta-spec' => [ 1, sub { $_[0]{version} eq '1.0.0' && $is_uri->($_[0]{url}) } ],
	description => [ 0, $is_text ],
	generated_by => [ 0, $is_text ],
	release_status => [ 0, sub { $_[0] =~ /\A(?:stable|testing|unstable)\z/ } ],
	tags => [ 0, sub { texts($_[0], sub { !ref $_[0] && $_[0] =~ m{\A[^/\\[:cntrl:]]{1,255}\z} }) } ],
	no_index => [ 0, sub { !grep { !/\A(?:file|directory)\z/ || !texts($_[0]{$_}, sub { -e $_[0] }) } keys %{ $_[0] } } ],
	prereqs => [ 0, sub {
		every($_[0], sub { every($_[0], sub { every($_[0], sub { $_[0] eq '0' || texts([ split /, */, $_[0] =~ s/(?:==|!=|>=?|<=?) *//gr ], $is_version) }) }) })
			&& !grep({ !/\A(?:configure|build|test|runtime|develop)\z/ } keys %{ $_[0] })
			&& !grep({ !/\A(?:requires|recommends|suggests|conflicts)\z/ } map { keys %$_ } values %{ $_[0] });
	} ],
	resources => [ 0, sub { ref $_[0] eq 'HASH' } ]);
push @problems, problems(
	"provides: $_", $meta->{provides}{$_},
	file => [ 1, $is_file ],
	version => [ 1, $is_version ],
	abstract => [ 0, $is_text ],
	docfile => [ 0, $is_file ])
	for sort keys %{ $meta->{provides} };
push @problems, problems(
	'resources', $meta->{resources} // {},
	homepage => [ 0, $is_uri ],
	license => [ 0, sub { texts($_[0], $is_uri) } ],
	bugtracker => [ 0, sub { !problems('', $_[0], web => [ 0, $is_uri ], mailto => [ 0, $is_text ]) } ],
	repository => [ 0, sub { !problems('', $_[0], url => [ 0, $is_uri ], web => [ 0, $is_uri ], type => [ 0, sub { $_[0] =~ /\A[a-z]+\z/ } ]) } ]);
is(join("\n", @problems), '', 'META.json follows the PGXN Meta Spec');

# ---- packages ----

# What the packages take from the sources besides what make installs.
my %named = (
	'the RPM spec' => [ map { split ' ' } slurp('packaging/postgresql-dynamo.spec') =~ /^%(?:doc|license) (.*)$/mg ],
	'debian/rules' => [ map { split ' ' } slurp('debian/rules') =~ /^(?:\tdh_install(?:docs|changelogs)(?: --\S+)*|PAGES =) (.*)$/mg ],
	'Dockerfile' => [ map { split ' ' } slurp('Dockerfile') =~ /^COPY (?!--)(.*) \S+$/mg ]);

# Of these folders the packages have a copy with the page alone.
my ($linked) = slurp('debian/rules') =~ /^LINKED = (.*)$/m;
for my $files (@named{ 'the RPM spec', 'debian/rules' })
{
	$files = [ map { s{^pages/(\w+)$}{$1/README.md}r } map { /^\$\(LINKED:/ ? map({ "$_/README.md" } split ' ', $linked) : /^\$\(PAGES\)$/ ? () : $_ } @$files ];
}

for my $package (sort keys %named)
{
	my @files = @{ $named{$package} };
	is(@files && join(' ', grep { !grep { -e } glob } @files), '', "$package: the files that it names exist");
}

for my $package ('the RPM spec', 'debian/rules')
{
	my %has = map { $_ => 1 } @{ $named{$package} };
	ok($has{"packaging/$_"}, "$package: the package has packaging/$_") for qw(grafana prometheus);

	# links between the pages of the package, all of which begin at the root of the project here
	my @pages = map { -d ? split(/\0/, `find $_ -name '*.md' -print0`) : /\.md$/ ? $_ : () } @{ $named{$package} };
	my @dead;
	for my $page (@pages)
	{
		my ($folder) = $page =~ m{^(.*/)?};
		for my $target (slurp($page) =~ /\]\(([^):#\s]+)(?:#[^)\s]*)?\)/g)
		{
			my $path = ($folder // '') . $target;
			1 while $path =~ s{(?:^|(?<=/))(?!\.\./)[^/]+/\.\./}{};
			push @dead, "$page: $target" if !grep { $path eq $_ || $path =~ m{^\Q$_\E/} } @{ $named{$package} };
		}
	}
	is(join("\n", @dead), '', "$package: links lead to pages of the package");
}

# ---- the extension ----

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
