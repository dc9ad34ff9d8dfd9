# setup.sh: a private, optimised server for measurements.  Sourced by the commands.
#
# --help prints the comment at the top of the command instead.

for argument in "$@"
do
	if [[ $argument == --help || $argument == -h ]]
	then
		sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
		exit
	fi
done

for program in ${bench_programs:-}
do
	command -v "$program" >/dev/null || { echo "${0##*/}: $program is missing" >&2; exit 1; }
done

source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
temporary_notes dynamo-bench

cleanup()
{
	trap - EXIT INT TERM HUP
	kill_below "$work"
	rm -rf "$notes"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Settings that take the disk and background work out of the measurement.
bench_cluster()
{
	new_cluster <<-CONF
		shared_buffers = ${BENCH_BUFFERS:-1GB}
		fsync = off
		synchronous_commit = off
		full_page_writes = off
		autovacuum = off
		jit = off
		max_wal_size = 16GB
		checkpoint_timeout = 1h
		max_connections = 40
		dynamo.http_allow_superuser = on
	CONF
}

# Progress goes to standard error: standard output is the table alone.
{
	need_packages
	own
	# an image in which the extension is installed, of a test
	if [[ -n ${BENCH_IMAGE:-} ]]; then
		as_server cp -R "$BENCH_IMAGE" "$work/image"
	else
		make_image
	fi
	use_image
	copy_source
	if "$pg_config" --configure | grep -q -- --enable-cassert; then
		die "$pg_config is a build with assertions: its figures mean nothing"
	fi
	[[ -n ${BENCH_IMAGE:-} ]] || step "Building" build
	as_server gcc -O2 -I"$("$pg_config" --includedir)" -o "$work/client" "$work/src/bench/client.c" \
		-L"$("$pg_config" --libdir)" -lpq
	step "Creating a cluster" bench_cluster
	start_cluster
	as_server createdb -h "$work/socket" -U postgres bench
	as_server psql -X -q -h "$work/socket" -U postgres -d bench -c "ALTER DATABASE bench SET search_path = public, dynamo"
} >&2

run_perl()
{
	as_server env PGHOST="$work/socket" PGUSER=postgres PGDATABASE=bench \
		BENCH_WORK="$work" BENCH_DIR="$work/src/bench" perl -I "$work/src/bench" "$@"
}
