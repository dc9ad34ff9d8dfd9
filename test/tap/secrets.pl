# secrets.pl: secrets of access keys are encrypted with a key that a command prints.
# The server's files do not contain them; a wrong key, a missing key and a command that
# fails give errors that say so, and never a wrong signature.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use DynamoNode;
use HttpClient;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my ($old, $new, $other) = ('a1' x 32, 'W' x 42 . '0=', 'C3' x 32);
my $keys = PostgreSQL::Test::Utils::tempdir() . '/keys';
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $node = new_http_node('secrets', $port, 1, '', allows_streaming => 1);

sub value
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

# Returns the error of a statement.
sub failure
{
	my ($query, $role) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $query, extra_params => [ defined $role ? ('-U', $role) : () ]);

	return $status == 0 ? '' : $error;
}

# Lets the command print these lines, and waits until no process remembers that it failed.
sub print_keys
{
	my (@lines) = @_;

	unlink $keys;
	append_to_file($keys, "$_\n") for @lines;
	sleep(1.1);
}

# Sets the command and waits until the worker has read it.
sub set_command
{
	my ($command) = @_;

	value("ALTER SYSTEM SET dynamo.http_secret_key_command = '$command'");
	reload_workers($node);
	sleep(1.1);
}

# Makes the worker read access keys from the table again.
sub reread
{
	reload_workers($node);
}

sub create
{
	my ($id) = @_;

	value("SELECT dynamo.create_access_key('app', '$id', 'SECRET/OF/$id')");
}

# Returns the result of a request that is signed with a key.
sub outcome
{
	my ($id, $secret, $on) = @_;
	my $socket;

	wait_until(sub { $socket = connect_http($on // $port) });
	my ($status, $body) = api($socket, 'ListTables', {}, key => $id, secret => $secret // "SECRET/OF/$id");
	return $status . ($status == 200 ? '' : ' ' . ($body->{__type} =~ s/.*#//r));
}

# Returns the files of the server that contain a text.
sub files_with
{
	my ($text) = @_;

	value('CHECKPOINT');
	my $found = `grep -rlF -- '$text' '${\$node->data_dir}'`;
	return join ' ', map { s/.*\/pgdata\///r } split /\n/, $found;
}

# Runs a piece of code; returns what the server has logged meanwhile.
sub logged
{
	my ($code) = @_;
	my $offset = -s $node->logfile;

	$code->();
	return substr slurp_file($node->logfile), $offset;
}

my ($works, $broken) = ('200', '500 InternalServerError');

# ---- from plain to encrypted ----

value('CREATE ROLE app LOGIN');
create('PLAIN');
isnt(files_with('SECRET/OF/PLAIN'), '', 'without a key, the files contain the secret: it can be found');
like(failure('SELECT dynamo.encrypt_access_keys()'), qr/"dynamo.http_secret_key_command" is not set/, 'encrypt_access_keys requires a command');
print_keys($old);
set_command("cat $keys");
create('SEALED');
is(files_with('SECRET/OF/SEALED'), '', 'no file contains the secret of a new key: no table, no log of changes');
is(outcome('PLAIN'), $works, 'a secret that was stored before works');
is(outcome('SEALED'), $works, 'an encrypted secret works');
is(outcome('SEALED', 'SECRET/OF/PLAIN'), '400 InvalidSignatureException', 'a wrong secret is refused');
create('L' . 'x' x 117);
is(outcome('L' . 'x' x 117), $works, 'the longest secret works');
is(value(q{SELECT string_agg(DISTINCT secret_access_key::text, ' ') FROM dynamo_internal.access_key_secrets}), '********', 'statements see the mask');

is(value('SELECT dynamo.encrypt_access_keys()'), '3', 'encrypt_access_keys encrypts all secrets');
value('VACUUM FULL dynamo_internal.access_key_secrets');
my $table = value(q{SELECT pg_relation_filepath('dynamo_internal.access_key_secrets')});
unlike(files_with('SECRET/OF/PLAIN'), qr/\Q$table\E/, 'the table does not contain the old secret any more');
is(outcome('PLAIN'), $works, 'a secret that was encrypted later works');
is(failure(q{SELECT dynamo.drop_access_key('L' || repeat('x', 117))}), '', 'an encrypted key is dropped');

# What a superuser can do to the table by force.
my $log = logged(sub {
	value(q{BEGIN; ALTER TABLE dynamo_internal.access_key_secrets DISABLE TRIGGER ALL;
CREATE TEMP TABLE kept AS SELECT * FROM dynamo_internal.access_key_secrets;
UPDATE dynamo_internal.access_key_secrets SET secret_access_key = (SELECT secret_access_key FROM kept WHERE access_key_id = 'PLAIN')
WHERE access_key_id = 'SEALED';
ALTER TABLE dynamo_internal.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys;
ALTER TABLE dynamo_internal.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys_truncate; COMMIT});
	is(outcome('SEALED', 'SECRET/OF/PLAIN'), $broken, 'the encrypted secret of one access key does not work for another');
});
like($log, qr/secret of access key "SEALED" is damaged/, 'the log reports a damaged secret');
value(q{SELECT dynamo.drop_access_key('SEALED')});
create('SEALED');

# ---- who may see and do what ----

like(failure('SHOW dynamo.http_secret_key_command', 'app'), qr/must be superuser|permission denied/, 'a role without rights cannot see the command');
like(failure("LOAD 'dynamo'; SET dynamo.http_secret_key_command = 'true'"), qr/cannot be changed now/, 'a session cannot set the command');
like(failure('SELECT dynamo.encrypt_access_keys()', 'app'), qr/permission denied/, 'a role without rights cannot encrypt access keys');
value('GRANT EXECUTE ON FUNCTION dynamo.encrypt_access_keys() TO app');
like(failure('SELECT dynamo.encrypt_access_keys()', 'app'), qr/only superusers may encrypt access keys/, 'a role with the privilege that is not a superuser cannot encrypt access keys');
is(failure(q{SELECT dynamo.create_access_key('app', 'OWN', 'SECRET/OF/OWN')}, 'app'), '', 'a role creates its own key');
is(outcome('OWN'), $works, 'a key that a role created works');
is(files_with('SECRET/OF/OWN'), '', 'the secret of a key that a role created is encrypted');

# ---- another key ----

print_keys($new, $old);
create('LATER');
is(outcome('LATER'), $works, 'a worker that knows the previous key only asks for the current one');
reread();
is(outcome('SEALED'), $works, 'the previous key still decrypts');
print_keys($new);
$node->restart;
$log = logged(sub { is(outcome('SEALED'), $broken, 'without it the client gets an error of the server') });
like($log, qr/ERROR: .*secret of access key "SEALED" was encrypted with another key/, 'the log says that a secret was encrypted with another key');
is(outcome('LATER'), $works, 'other access keys work');
like(failure('SELECT dynamo.encrypt_access_keys()'), qr/secret of access key "\w+" was encrypted with another key/, 'encrypting again requires the previous key');
print_keys($new, $old);
is(value('SELECT dynamo.encrypt_access_keys()'), '4', 'with the previous key, all secrets are encrypted again');
print_keys($new);
$node->restart;
is(join(' ', map { outcome($_) } qw(PLAIN SEALED OWN LATER)), join(' ', ($works) x 4), 'the previous key is not needed any more');

# ---- two other keys within a second ----

my ($third, $fourth) = ('3' x 64, '4' x 64);
for my $change ([ $third, $new ], [ $fourth, $third ])
{
	unlink $keys;
	append_to_file($keys, "$_\n") for @$change;
	value('SELECT dynamo.encrypt_access_keys()');
	is(outcome('SEALED'), $works, 'a worker runs the command again for each key that it does not know');
}
print_keys($new, $fourth);
value('SELECT dynamo.encrypt_access_keys()');
print_keys($new);
$node->restart;

# ---- no key ----

my $failed = qr/command of "dynamo.http_secret_key_command" failed/;

print_keys($other);
$node->restart;
$log = logged(sub { is(outcome('SEALED'), $broken, 'a wrong key') });
like($log, qr/"SEALED" was encrypted with another key/, 'the log says that the key is wrong');
set_command('');
$log = logged(sub { is(outcome('SEALED'), $broken, 'no command') });
like($log, qr/secret of access key "SEALED" is encrypted, and "dynamo.http_secret_key_command" is not set/, 'the log says that the command is not set');
set_command("echo run >> $keys.runs; echo $new; exit 3");
my $started = time;
$log = logged(sub { is(outcome('SEALED'), $broken, 'a command that fails') for 1 .. 20 });
my $seconds = time - $started + 2;
like($log, qr/$failed\n.*exit code 3/, 'the log contains the status of a failed command');
cmp_ok(scalar(split /\n/, slurp_file("$keys.runs")), '<=', $seconds, 'a failed command is not run for each request');
my @errors = $log =~ /ERROR: /g;
cmp_ok(scalar @errors, '<=', $seconds, 'requests with the id of a key and no secret do not fill the log');
SKIP:
{
	skip 'the requests took too long', 1 if $seconds > 10;
	sleep(1.1);
	$log = logged(sub { outcome('SEALED') });
	like($log, qr/HTTP requests failed before their authentication \(\d+ more since the last message\)/, 'the log counts what it leaves out');
}
my $error = failure(q{SELECT dynamo.create_access_key('app', 'NOT', 'SECRET/OF/NOT')}, 'app');
like($error, $failed, 'no access key is created while secrets cannot be encrypted');
unlike($error, qr/\Q$new\E|echo/, 'neither the command nor its output is shown');
is(value(q{SELECT count(*) FROM dynamo.access_keys WHERE access_key_id = 'NOT'}), '0', 'a refused access key is not stored');
set_command('/nowhere/nothing');
like(failure(q{SELECT dynamo.create_access_key('app', 'NOT')}), qr/$failed\n.*command not found/, 'a command that does not exist is reported');
for (
	[ 'nothing', 'It has printed nothing' ],
	[ 'too much', 'more than two lines', $new, $old, $other ],
	[ 'no key', 'neither 64 hexadecimal digits', 'password' ],
	[ 'a wrong digit', 'neither 64 hexadecimal digits', 'g' . substr($old, 1) ],
	[ 'a short key', 'neither 64 hexadecimal digits', substr($old, 2) ],
	[ '31 bytes', 'neither 64 hexadecimal digits', 'W' x 41 . 'w==' ],
	[ 'a long line', 'neither 64 hexadecimal digits', $old x 100 ])
{
	my ($what, $detail, @lines) = @$_;

	print_keys(@lines ? @lines : '');
	set_command("cat $keys") if $what eq 'nothing';
	my $said = failure('SELECT dynamo.encrypt_access_keys()');
	like($said, qr/$failed\n.*\Q$detail\E/, "the command prints $what");
	unlike($said, qr/\Q$_\E/, 'the error does not show it') for grep { length } @lines;
}
print_keys($new);
reread();
is(outcome('SEALED'), $works, 'the right key works again');

# ---- copies of the server ----

my $file = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
dump_database($node, 'postgres', $file);
unlike(slurp_file($file), qr/SECRET|SEALED/, 'a dump contains no keys at all');

my $copy_port = PostgreSQL::Test::Cluster::get_free_port();
$node->backup('copy');
my $copy = PostgreSQL::Test::Cluster->new('secrets_copy');
$copy->init_from_backup($node, 'copy');
$copy->append_conf('postgresql.conf', "dynamo.http_port = $copy_port");
$copy->append_conf('postgresql.auto.conf', q{dynamo.http_secret_key_command = ''});
$copy->start;
is(outcome('SEALED', undef, $copy_port), $broken, 'a restored server without the key cannot use secrets');
$copy->append_conf('postgresql.auto.conf', "dynamo.http_secret_key_command = 'cat $keys'");
$copy->reload;
sleep(1.1);
is(outcome('SEALED', undef, $copy_port), $works, 'a restored server with the key can use secrets');
$copy->stop;

$node->stop;
done_testing();
