#!/bin/bash
# move.sh: moves a table of 100,000 items between two servers while it is written, and back.
#
#	make move && examples/move.sh [ITEMS]
#
# Starts two private servers with the extension, which must be installed for the server of
# PG_CONFIG; one plays DynamoDB at an HTTP port.  Writers put, update and delete items all the
# time.  At each station, source and target are compared twice: by dynamo-move, and by a digest
# of all items in SQL.  Not as root, because PostgreSQL does not run as root.
set -euo pipefail

items=${1:-100000}
bin=$(${PG_CONFIG:-pg_config} --bindir)
move=${DYNAMO_MOVE:-$(cd "$(dirname "$0")/.." && pwd)/dynamo-move}
[[ -x $move ]] || move=$(command -v dynamo-move)
work=$(mktemp -d "${TMPDIR:-/tmp}/dynamo-move.XXXXXX")
port=${PORT:-18400}
unset "${!PG@}" "${!AWS_@}"
export AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any
writers=()

cleanup()
{
	trap - EXIT
	kill $(jobs -p) 2>/dev/null || true
	for name in source target; do
		"$bin/pg_ctl" -s -D "$work/$name" -m immediate stop 2>/dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

sql() { PGOPTIONS='-c search_path=public,dynamo' "$bin/psql" -X -q -At -v ON_ERROR_STOP=1 -h "$work" -p "$1" -U postgres -d postgres -c "$2"; }
say() { printf '%6.1f s  %s\n' "$(bc <<<"$(date +%s.%N) - $begun")" "$*"; }

serve()
{
	"$bin/initdb" -D "$work/$1" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >"$work/log"
	cat >>"$work/$1/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$work'
		port = $2
		shared_buffers = 256MB
		max_wal_size = 4GB
		shared_preload_libraries = 'dynamo'
		dynamo.http_port = $3
		dynamo.http_authentication = none
		dynamo.http_role = postgres
		dynamo.http_allow_superuser = on
	CONF
	"$bin/pg_ctl" -s -w -D "$work/$1" -l "$work/$1.log" start
	sql "$2" 'CREATE EXTENSION dynamo' 2>"$work/log"
}

# write PORT: a writer until there is a table "stop"
write()
{
	sql "$1" "DO \$\$
		BEGIN
			WHILE to_regclass('public.stop') IS NULL LOOP
				FOR i IN 1 .. 5 LOOP
					DECLARE
						n int := floor(random() * $items * 1.1) + 1;
						k item := build_item('pk', 'CUSTOMER#' || n % 1000, 'sk', 'ORDER#' || lpad(n::text, 8, '0'));
					BEGIN
						IF random() < 0.2 THEN
							PERFORM delete_item('orders', k);
						ELSE
							PERFORM update_item('orders', k, 'SET #t = :t', expression_attribute_values => jsonb_build_object(':t', random()),
								expression_attribute_names => jsonb_build_object('#t', 'total'));
						END IF;
					END;
				END LOOP;
				COMMIT;
				PERFORM pg_sleep(0.005);
			END LOOP;
		END \$\$" &
	writers+=($!)
}

stop_writers()
{
	sql "$1" 'CREATE TABLE stop ()'
	wait "${writers[@]}"
	writers=()
	sql "$1" 'DROP TABLE stop'
}

digest() { sql "$1" "SELECT count(*) || ' items, ' || md5(string_agg(item::text, E'\n' ORDER BY pk, sk)) FROM orders"; }

equal()
{
	local ours theirs

	ours=$(digest $port) theirs=$(digest $((port + 1)))
	[[ $ours == "$theirs" ]] || { say "DIFFERENT: $ours / $theirs"; exit 1; }
	say "equal: $ours"
}

begun=$(date +%s.%N)
serve source "$port" $((port + 2))
serve target $((port + 1)) $((port + 3))
sql "$port" "SELECT create_table('orders', partition_key => 'pk', sort_key => 'sk');
	INSERT INTO orders (item) SELECT build_item('pk', 'CUSTOMER#' || n % 1000, 'sk', 'ORDER#' || lpad(n::text, 8, '0'), 'customer_id', n % 1000,
		'order_id', n, 'total', n / 7.0, 'note', repeat('x', n % 400)) FROM generate_series(1, $items) n;
	ANALYZE orders" >"$work/log"
common=(--table orders --endpoint-url "http://localhost:$((port + 2))" --target "host=$work port=$((port + 1)) dbname=postgres user=postgres")
run() { "$move" "$@" "${common[@]}"; }

say "a table of $items items; two writers begin"
write "$port"
write "$port"
run plan --rate 5000 --sample 1000
run copy --create --enable-stream
say "copied"
"$move" follow --quiet "${common[@]}" &
follower=$!
sleep 5
run compare --settle 120
say "compared while it is written and followed"
stop_writers "$port"
kill "$follower"
wait "$follower" || true
run switch --until-quiet 3
say "switched"
equal
write $((port + 1))
"$move" reverse --quiet "${common[@]}" &
follower=$!
sleep 5
stop_writers $((port + 1))
kill "$follower"
wait "$follower" || true
run switch --back --until-quiet 3
say "switched back"
equal
sql $((port + 1)) "SELECT count(*) || ' changes went back' FROM read_stream('orders', max_records => 10000000)"
