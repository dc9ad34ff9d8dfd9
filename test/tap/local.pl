# local.pl: the npm package dynamo-local, on this server's programs.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my $package = "$FindBin::RealBin/../../packaging/npm/dynamo-local";

sub output_of
{
	my ($output, $errors) = ('', '');
	my $result = eval { IPC::Run::run([@_], '<', '/dev/null', '>', \$output, '2>', \$errors, IPC::Run::timeout(900)) };

	diag($errors) if !$result && $errors ne '';
	return $result ? $output : undef;
}

my $version = output_of('node', '--version');
plan skip_all => 'node 18 or later is not installed' if ($version // '') !~ /^v(\d+)/ || $1 < 18;

local $ENV{TMPDIR} = PostgreSQL::Test::Utils::tempdir_short();
is(output_of('node', '--no-warnings', "$package/test/local.mjs"), <<'END', 'the package');
start, reset, clone and stop
a port that is taken
signals
SIGKILL while the server is being made
a server that is killed
a process that ends without stop()
what is missing
END

SKIP:
{
	skip 'npm is not installed', 1 if !defined output_of('npm', '--version');
	local $ENV{npm_config_cache} = PostgreSQL::Test::Utils::tempdir();
	local $ENV{npm_config_update_notifier} = 'false';
	my $packed = output_of('npm', 'pack', '--dry-run', '--json', $package);

	is_deeply([ sort map { $_->{path} } @{ decode_json($packed // '[{}]')->[0]{files} || [] } ],
		[ sort qw(LICENSE README.md cli.js index.d.ts index.js index.mjs package.json programs.js watchdog.js) ],
		'the files that npm would publish');
}
done_testing();
