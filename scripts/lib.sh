# lib.sh: what scripts/test, scripts/demo and bench/run share.  For bash, to be
# sourced.
#
# PostgreSQL refuses to run as root and its packages put a server's files where
# only root may write.  So the packages are installed (by root or sudo, and only
# those that are missing), then the installation is copied into a private
# directory that the server's user owns.  The server finds its files relative to
# its program, so `make install` into that copy and a cluster beside it need no
# rights and disturb no server of the machine.
#
# Two directories: $notes is the caller's, with what the commands write themselves;
# $work, in it, is the server's user's.  Whatever is below $work is read and written as
# that user (as_server): to root it may be a link to anything.

set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${log:=/dev/null}"

say()
{
	printf '%s\n' "$*"
}

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# step TEXT COMMAND...: runs the command, its output in $log, and shows that
# something goes on.  Shows the end of the output if the command fails.
step()
{
	local text=$1 from start=$SECONDS last=0 pid status=0

	shift
	from=$(($(stat -c %s "$log") + 1))
	printf '%s ...' "$text"
	"$@" >>"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.1
		if ((SECONDS - start >= last + 5)); then
			last=$((SECONDS - start))
			printf ' %ds' "$last"
		fi
	done
	wait "$pid" || status=$?
	if ((status != 0)); then
		printf ' FAILED\n'
		tail -c "+$from" "$log" | tail -n 60 >&2
		return "$status"
	fi
	printf ' done\n'
}

# ---- packages ----

as_root()
{
	if ((EUID == 0)); then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "neither root nor sudo" >&2
		return 1
	fi
}

apt()
{
	as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a \
		apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

apt_update()
{
	local try

	for try in 1 2 3; do
		if apt update; then
			return 0
		fi
		sleep $((try * 2))
	done
	return 1
}

# Installs packages; refreshes the lists and tries again where that fails, for
# the lists may be missing or name versions that are gone.
apt_install()
{
	apt install --no-install-recommends "$@" && return 0
	apt_update && apt install --no-install-recommends "$@" && return 0
	sleep 5
	apt install --no-install-recommends "$@"
}

# Installs a server without the cluster that Debian's packages make and start.
apt_install_server()
{
	local config=/etc/postgresql-common/createcluster.d/without-cluster.conf status=0

	as_root mkdir -p "${config%/*}"
	echo "create_main_cluster = false" | as_root tee "$config" >/dev/null
	apt_install "$@" || status=$?
	as_root rm -f "$config"
	return "$status"
}

apt_has()
{
	[[ $(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p') == [0-9]* ]]
}

can_install()
{
	command -v apt-get >/dev/null && { ((EUID == 0)) || command -v sudo >/dev/null; }
}

# ---- PostgreSQL ----

# 19 is a release candidate: chosen only where there is no other.
supported_versions="18 17 16 15 19"

# Whether a pg_config belongs to a server that can be built against and run.
# Debian's client packages bring pg_config and pgxs.mk without the headers.
usable_pg_config()
{
	local bindir pgxs headers

	bindir=$("$1" --bindir 2>/dev/null) || return 1
	pgxs=$("$1" --pgxs 2>/dev/null) || return 1
	headers=$("$1" --includedir-server 2>/dev/null) || return 1
	[[ -x $bindir/postgres && -x $bindir/initdb && -f $pgxs && -f $headers/postgres.h ]] &&
		[[ " $supported_versions " == *" $("$1" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/') "* ]]
}

# Sets pg_config to what is installed already; fails if nothing is.
installed_postgres()
{
	local v

	if [[ -n ${PG_CONFIG:-} ]]; then
		usable_pg_config "$PG_CONFIG" ||
			die "PG_CONFIG=$PG_CONFIG is not a PostgreSQL server, version 15 to 19, with its development files"
		pg_config=$PG_CONFIG
		return 0
	fi
	for v in $supported_versions; do
		pg_config=/usr/lib/postgresql/$v/bin/pg_config
		usable_pg_config "$pg_config" && return 0
	done
	pg_config=$(command -v pg_config) && usable_pg_config "$pg_config"
}

# The packages of the server to install: the version whose server is there
# without its development files, else the newest one that can be had.
postgres_packages()
{
	local v

	for v in $supported_versions; do
		if [[ -x /usr/lib/postgresql/$v/bin/postgres ]]; then
			echo "postgresql-server-dev-$v"
			return 0
		fi
	done
	for v in $supported_versions; do
		if apt_has "postgresql-$v" && apt_has "postgresql-server-dev-$v"; then
			echo "postgresql-$v postgresql-server-dev-$v"
			return 0
		fi
	done
	return 1
}

# need_packages [tests]: installs what is missing to build and run, with
# "tests" also what the Perl tests want.  Sets pg_config.
need_packages()
{
	local missing=() server

	command -v make >/dev/null || missing+=(make)
	command -v gcc >/dev/null && [[ -f /usr/include/stdio.h ]] || missing+=(gcc libc6-dev)
	echo '#include <openssl/ssl.h>' | gcc -E - >/dev/null 2>&1 || missing+=(libssl-dev)
	echo '#include <zlib.h>' | gcc -E - >/dev/null 2>&1 || missing+=(zlib1g-dev)
	if [[ ${1:-} == tests ]]; then
		command -v prove >/dev/null || missing+=(perl)
		perl -MIPC::Run -e 1 2>/dev/null || missing+=(libipc-run-perl)
	fi
	if ! installed_postgres; then
		if can_install && ! postgres_packages >/dev/null; then
			step "Refreshing the package lists" apt_update
		fi
		if ! server=$(postgres_packages); then
			! can_install || die "no package of PostgreSQL 15 to 19 can be found"
			server="postgresql-<version> postgresql-server-dev-<version> (15 to 19; or set PG_CONFIG)"
		fi
		# shellcheck disable=SC2206
		missing+=($server)
	fi
	if ((${#missing[@]} > 0)); then
		can_install || die "missing packages: ${missing[*]}"
		step "Installing ${missing[*]}" apt_install_server "${missing[@]}"
		installed_postgres || die "PostgreSQL was installed but cannot be found"
	fi
}

# The clang that PostgreSQL was built with, or any.
find_clang()
{
	local clang

	clang=$(sed -n 's/^CLANG *= *//p' "$("$pg_config" --pkglibdir)/pgxs/src/Makefile.global")
	command -v "${clang:-clang}" || command -v clang
}

# want PACKAGE...: notes packages that are missing and can be had, for install_wanted.  The tests
# with them are left out without them.
wanted_packages=()
want()
{
	local package

	can_install || return 0
	for package; do
		if ! dpkg -s "$package" >/dev/null 2>&1 && apt_has "$package"; then
			wanted_packages+=("$package")
		fi
	done
}

# install_wanted: installs them together, or where that fails those that can be installed.
install_wanted()
{
	local package

	((${#wanted_packages[@]} > 0)) || return 0
	if ! step "Installing ${wanted_packages[*]}" apt_install "${wanted_packages[@]}"; then
		for package in "${wanted_packages[@]}"; do
			step "Installing $package" apt_install "$package" || true
		done
	fi
	wanted_packages=()
}

# want_header HEADER PACKAGE: a package for a header that the compiler does not find.
want_header()
{
	echo "#include <$1>" | gcc -E - >/dev/null 2>&1 || want "$2"
}

# want_fuzzer: clang's fuzzer and sanitizers.
want_fuzzer()
{
	local clang

	clang=$(find_clang) || return 0
	compgen -G "$("$clang" -print-resource-dir)/lib/*/libclang_rt.fuzzer*" >/dev/null ||
		want "libclang-rt-$("$clang" -dumpversion | sed 's/\..*//')-dev"
}

# want_move: what dynamo-move is built with.
want_move()
{
	want_header curl/curl.h libcurl4-openssl-dev
	want_header jansson.h libjansson-dev
}

# want_clients: the AWS SDK and the drivers for Python, jq, and what checks generated clients.
want_clients()
{
	local module

	for module in boto3 psycopg psycopg2 sqlalchemy; do
		/usr/bin/python3 -c "import $module" 2>/dev/null || want "python3-$module"
	done
	want mypy jq
}

# want_neighbours: the extensions that servers often load beside this one, and pgvector, if there
# are packages of them for the server's version.
want_neighbours()
{
	local version

	version=$("$pg_config" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
	want $(printf "postgresql-$version-%s " pgaudit cron partman hypopg postgis-3 pgvector)
}

# The user that runs servers: the caller, or for root an unprivileged one.
if ((EUID == 0)); then
	server_user=postgres
else
	server_user=$(id -un)
fi

# as_server COMMAND...: as the server's user, with a small environment of our
# own, so that nothing of the caller's (PGHOST, LC_ALL) changes what is done.
as_server()
{
	local drop=()

	if ((EUID == 0)); then
		id "$server_user" >/dev/null 2>&1 || die "root cannot run PostgreSQL, and there is no user $server_user"
		drop=(setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --init-groups)
	fi
	"${drop[@]}" env -i -C / PATH="${bindir:+$bindir:}/usr/local/bin:/usr/bin:/bin" HOME="$work" \
		LANG=C.UTF-8 TZ=UTC "${server_env[@]}" "$@"
}
server_env=()

# The programs of a server with sanitizers (test/checked_server) leave memory to
# the end of the process, and measure their stack by addresses.
if [[ -n ${PG_CONFIG:-} ]] && grep -qs __asan_init "${PG_CONFIG%/*}/postgres"; then
	export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1
	server_env+=(ASAN_OPTIONS="$ASAN_OPTIONS" UBSAN_OPTIONS=print_stacktrace=1)
fi

# temporary_notes NAME [DIRECTORY]: makes $notes and $work, which cleanup removes, and sets log.
temporary_notes()
{
	notes=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/$1.XXXXXX")
	work=$notes/server
	log=$notes/log
	mkdir "$work"
	chmod 755 "$notes" "$work"
	: >"$log"
}

# copy_tree FROM TO [TAR-OPTION...]: a directory's files, to a directory of the server's user.
copy_tree()
{
	as_server mkdir -p "$2"
	tar -C "$1" "${@:3}" -cf - . | as_server tar -C "$2" -xf - --no-same-owner
}

# make_image: copies the server that pg_config names to $work/image and sets
# PG_CONFIG and bindir to the copy's.
make_image()
{
	local dir headers

	for dir in "$("$pg_config" --bindir)" "$("$pg_config" --pkglibdir)" "$("$pg_config" --sharedir)"; do
		copy_tree "$dir" "$work/image$dir" --dereference
	done
	headers=$("$pg_config" --includedir-server)
	as_server mkdir -p "$work/image${headers%/*}"
	as_server ln -sfn "$headers" "$work/image$headers"
}

use_image()
{
	bindir=$work/image$("$pg_config" --bindir)
	PG_CONFIG=$bindir/pg_config
	server_env+=(PG_CONFIG="$PG_CONFIG")
	[[ $(as_server "$PG_CONFIG" --sharedir) == "$work/image"/* ]] ||
		die "this build of PostgreSQL cannot be moved; set PG_CONFIG to another"
}

# own: gives $work to the server's user.
own()
{
	if ((EUID == 0)); then
		chown -R "$server_user:" "$work"
	fi
}

# Copies the project's files, without what was built in it, to $work/src.
copy_source()
{
	rm -rf "$work/src"
	copy_tree "$project" "$work/src" --exclude-vcs --exclude='*.o' --exclude='*.d' --exclude='*.bc' --exclude='*.so' \
		--exclude=./.demo --exclude=./.test --exclude=./.bench --exclude=./.checked --exclude=./tmp_check --exclude=./results
}

build()
{
	local debug=-g0				# nobody looks into what is not kept

	[[ -z ${KEEP:-} ]] || debug=-g
	as_server make -s -C "$work/src" -j"$(nproc)" with_llvm=no COPT="-Werror $debug" PG_CONFIG="$PG_CONFIG" install
}

# build_pgvector: from the sources in the directory PGVECTOR_SOURCE, into the
# private server, like a package: for every processor.  Its headers are left out,
# for those of the private server are the machine's.
build_pgvector()
{
	copy_tree "$PGVECTOR_SOURCE" "$work/pgvector" --exclude='*.o' --exclude='*.so'
	as_server make -s -C "$work/pgvector" -j"$(nproc)" with_llvm=no OPTFLAGS= HEADERS= PG_CONFIG="$PG_CONFIG" install
}

# ---- clusters ----

# new_cluster: makes $work/data, reachable by the socket in $work/socket alone,
# by this user (and root) alone.  Settings are read from standard input.
new_cluster()
{
	as_server mkdir -p -m 700 "$work/socket"
	as_server initdb -D "$work/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >>"$log"
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$work/socket'"
		cat
	} | as_server tee -a "$work/data/postgresql.conf" >/dev/null
}

# start_cluster [OPTIONS]: starts it, with options of postgres.
start_cluster()
{
	as_server pg_ctl -D "$work/data" -l "$work/data/server.log" -w -t 120 ${1:+-o "$1"} start >>"$log" ||
		{
			as_server tail -n 20 "$work/data/server.log" >&2
			return 1
		}
}

# kill_below DIR: ends every process that works below DIR, which servers do
# in their data directories, also those whose postmaster is gone.
kill_below()
{
	local dir signal proc

	dir=$(readlink -f "$1")
	for signal in QUIT KILL; do
		for proc in /proc/[0-9]*; do
			if [[ $(readlink "$proc/cwd" 2>/dev/null) == "$dir"/* ]]; then
				kill -"$signal" "${proc#/proc/}" 2>/dev/null || true
			fi
		done
		sleep 0.3
	done
}
