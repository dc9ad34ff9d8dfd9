/*
 * setup.sql
 *	  dynamo.check_setup: whether a server is set up for use.  make puts this file into the
 *	  install script, where dynamo--1.0.sql names it.
 *
 * Each function returns one check: its subject, 'ok' or how bad it is, what is the case, and
 * what to do.  They run as the caller, whom a view shows no more than elsewhere.
 */

CREATE FUNCTION dynamo_internal.certificate_expires(OUT expires timestamptz, OUT problem text) RETURNS record
	LANGUAGE C VOLATILE PARALLEL SAFE
	AS '$libdir/dynamo_http', 'dynamo_certificate_expires';
COMMENT ON FUNCTION dynamo_internal.certificate_expires() IS 'returns when the server''s TLS certificate expires, or why it cannot be read';

-- The settings that checks ask for.  Those of the endpoint exist only where the library is preloaded.
CREATE FUNCTION dynamo_internal.setup_settings(OUT preloaded boolean, OUT port integer, OUT workers integer, OUT local boolean,
	OUT tls text, OUT authentication text, OUT database text) RETURNS record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT EXISTS (SELECT FROM regexp_split_to_table(current_setting('shared_preload_libraries'), ',') l(name)
			   WHERE regexp_replace(btrim(l.name, ' "'), '^.*/', '') IN ('dynamo', 'dynamo.so')),
	   COALESCE(substring(current_setting('dynamo.http_port', true) FROM '^[0-9]{1,9}$'), '0')::int4,
	   COALESCE(substring(current_setting('dynamo.http_workers', true) FROM '^[0-9]{1,9}$'), '0')::int4,
	   NOT EXISTS (SELECT FROM regexp_split_to_table(COALESCE(current_setting('dynamo.http_listen_addresses', true), ''), ',') a(address)
				   WHERE btrim(a.address) NOT IN ('', 'localhost', '127.0.0.1', '::1')),
	   COALESCE(current_setting('dynamo.http_tls', true), 'off'),
	   COALESCE(current_setting('dynamo.http_authentication', true), 'sigv4'),
	   COALESCE(current_setting('dynamo.database', true), 'postgres');
END;
COMMENT ON FUNCTION dynamo_internal.setup_settings() IS 'returns the settings that dynamo.check_setup asks for';

CREATE FUNCTION dynamo_internal.setup_of_server(OUT subject text, OUT status text, OUT detail text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'library', CASE WHEN s.preloaded THEN 'ok' ELSE 'warning' END,
	   CASE WHEN s.preloaded THEN 'preloaded' ELSE 'not preloaded: no endpoint, no worker that deletes expired items, no statistics' END,
	   'set shared_preload_libraries = ''dynamo'' in postgresql.conf, and restart the server'
FROM dynamo_internal.setup_settings() s
UNION ALL
SELECT 'restart', CASE WHEN p.names IS NULL THEN 'ok' ELSE 'warning' END, COALESCE('waiting for a restart: ' || p.names, 'no setting waits for one'), 'restart the server'
FROM (SELECT string_agg(g.name, ', ' ORDER BY g.name) AS names FROM pg_settings g
	  WHERE g.pending_restart AND (starts_with(g.name, 'dynamo.') OR g.name IN ('shared_preload_libraries', 'archive_mode', 'max_worker_processes'))) p
UNION ALL
SELECT 'version', CASE WHEN e.extversion = a.default_version THEN 'ok' ELSE 'warning' END,
	   CASE WHEN e.extversion = a.default_version THEN e.extversion ELSE format('%s, while %s is installed', e.extversion, a.default_version) END,
	   'ALTER EXTENSION dynamo UPDATE'
FROM pg_extension e JOIN pg_available_extensions a ON a.name = e.extname
WHERE e.extname = 'dynamo'
UNION ALL
SELECT 'search_path', CASE WHEN c.found THEN 'ok' ELSE 'warning' END,
	   CASE WHEN c.found THEN 'contains dynamo' ELSE 'does not contain dynamo: the operators of items, such as ->>, need the schema' END,
	   format('ALTER DATABASE %I SET search_path = public, dynamo', current_database())
FROM (SELECT 'dynamo' = ANY (current_schemas(false)) AS found) c
UNION ALL
SELECT 'durability', CASE WHEN d.off IS NULL THEN 'ok' ELSE 'error' END,
	   COALESCE(d.off || ' is off: a crash can lose or damage what was written', 'writes survive a crash'), format('set %s = on', d.off)
FROM (SELECT min(o.name) AS off FROM unnest('{fsync,full_page_writes}'::text[]) o(name) WHERE current_setting(o.name) = 'off') d
UNION ALL
SELECT 'archive', CASE WHEN a.mode = 'off' OR a.failing THEN 'warning' ELSE 'ok' END,
	   CASE WHEN a.mode = 'off' THEN 'archive_mode is off: nothing can be restored to a point in time'
	   WHEN a.failing THEN format('archiving has failed since %s', a.last_failed_time) ELSE 'WAL is archived' END,
	   CASE WHEN a.mode = 'off' THEN 'set archive_mode = on and archive_command, and restart the server' ELSE 'look in the server log for the failures of archive_command' END
FROM (SELECT current_setting('archive_mode') AS mode, v.last_failed_time,
			 COALESCE(v.last_failed_time > v.last_archived_time OR v.last_archived_time IS NULL AND v.last_failed_time IS NOT NULL, false) AS failing
	  FROM pg_stat_archiver v) a
UNION ALL
SELECT 'backup role', CASE WHEN r.name IS NULL THEN 'info' ELSE 'ok' END, COALESCE(r.name, 'backups need a superuser: no other role can take them'),
	   'CREATE ROLE backup LOGIN REPLICATION BYPASSRLS IN ROLE pg_read_all_data'
FROM (SELECT min(b.rolname) AS name FROM pg_roles b
	  WHERE b.rolcanlogin AND NOT b.rolsuper AND (b.rolreplication OR b.rolbypassrls AND pg_has_role(b.oid, 'pg_read_all_data', 'USAGE'))) r;
END;
COMMENT ON FUNCTION dynamo_internal.setup_of_server() IS 'checks of the server, for dynamo.check_setup';

CREATE FUNCTION dynamo_internal.setup_of_endpoint(OUT subject text, OUT status text, OUT detail text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql VOLATILE
	BEGIN ATOMIC
SELECT 'housekeeping', CASE WHEN h.problem IS NULL THEN 'ok' ELSE 'warning' END,
	   COALESCE('expired items stay: ' || h.problem, 'a worker deletes expired items'),
	   'let the worker run in this database (dynamo.database), or call dynamo.delete_expired regularly'
FROM dynamo_internal.housekeeping_problem() h(problem)
UNION ALL
SELECT 'endpoint', CASE WHEN s.port = 0 THEN 'info' WHEN n.alive = 0 OR s.database <> current_database() THEN 'error' WHEN n.alive < s.workers THEN 'warning' ELSE 'ok' END,
	   CASE WHEN s.port = 0 THEN 'off: the server has no HTTP port'
	   WHEN s.database <> current_database() THEN format('serves the database "%s"', s.database)
	   WHEN s.workers = 0 THEN format('%s workers run, port %s', n.alive, s.port)	-- as many as fit the machine
	   ELSE format('%s of %s workers run, port %s', n.alive, s.workers, s.port) END,
	   CASE WHEN s.port = 0 THEN 'set dynamo.http_port, if clients use DynamoDB''s API'
	   WHEN s.database <> current_database() THEN 'connect to that database, or set dynamo.database and restart the server'
	   ELSE 'look in the server log for why they do not start; raise max_worker_processes' END
FROM dynamo_internal.setup_settings() s
	CROSS JOIN (SELECT count(*) AS alive FROM pg_stat_activity a WHERE a.backend_type = 'dynamo http') n
UNION ALL
SELECT 'authentication', CASE WHEN s.authentication <> 'none' THEN 'ok' WHEN s.local THEN 'warning' ELSE 'error' END,
	   CASE WHEN s.authentication <> 'none' THEN 'requests are signed' ELSE 'anybody who reaches the port may read and write' END,
	   'set dynamo.http_authentication = sigv4, and create access keys'
FROM dynamo_internal.setup_settings() s WHERE s.port <> 0
UNION ALL
SELECT 'TLS', CASE WHEN s.tls = 'off' THEN CASE WHEN s.local THEN 'ok' ELSE 'error' END
				   WHEN c.problem IS NOT NULL OR c.expires < now() THEN 'error'
				   WHEN c.expires < now() + interval '30 days' OR s.tls = 'allow' AND NOT s.local THEN 'warning' ELSE 'ok' END,
	   CASE WHEN s.tls = 'off' THEN CASE WHEN s.local THEN 'off; the endpoint listens only on this machine' ELSE 'off, while other machines can connect: items are readable on the wire' END
			WHEN c.problem IS NOT NULL THEN c.problem
			WHEN c.expires < now() + interval '30 days' THEN format('the certificate %s on %s', CASE WHEN c.expires < now() THEN 'expired' ELSE 'expires' END, c.expires)
			WHEN s.tls = 'allow' AND NOT s.local THEN 'clients may connect without it'
			ELSE format('the certificate is valid until %s', c.expires) END,
	   CASE WHEN s.tls = 'off' OR s.tls = 'allow' AND c.problem IS NULL AND c.expires >= now() + interval '30 days' THEN 'set dynamo.http_tls = require'
			ELSE 'put a new certificate where ssl_cert_file and ssl_key_file say, and SELECT pg_reload_conf()' END
FROM dynamo_internal.setup_settings() s
	LEFT JOIN LATERAL dynamo_internal.certificate_expires() c ON s.tls <> 'off'
WHERE s.port <> 0
UNION ALL
SELECT 'superusers', CASE WHEN current_setting('dynamo.http_allow_superuser', true) = 'on' THEN 'warning' ELSE 'ok' END,
	   CASE WHEN current_setting('dynamo.http_allow_superuser', true) = 'on' THEN 'requests may be executed as superusers' ELSE 'requests are not executed as superusers' END,
	   'set dynamo.http_allow_superuser = off'
FROM dynamo_internal.setup_settings() s WHERE s.port <> 0
UNION ALL
SELECT 'access keys', CASE WHEN k.old IS NOT NULL THEN 'warning' WHEN k.keys = 0 AND s.authentication <> 'none' THEN 'info' ELSE 'ok' END,
	   CASE WHEN k.old IS NOT NULL THEN format('older than 90 days: %s', k.old) WHEN k.keys = 0 THEN 'there are none that you may see' ELSE format('%s, all younger than 90 days', k.keys) END,
	   CASE WHEN k.old IS NOT NULL THEN 'SELECT dynamo.rotate_access_key(...), and give clients the new secret' ELSE 'SELECT * FROM dynamo.create_access_key(...), for a role with few rights' END
FROM dynamo_internal.setup_settings() s
	CROSS JOIN (SELECT count(*) AS keys, string_agg(format('%s of %s', a.access_key_id, a.role), ', ' ORDER BY a.access_key_id)
					FILTER (WHERE COALESCE(a.rotated_at, a.created_at) < now() - interval '90 days') AS old
				FROM dynamo.access_keys a) k
WHERE s.port <> 0;
END;
COMMENT ON FUNCTION dynamo_internal.setup_of_endpoint() IS 'checks of the workers and the HTTP endpoint, for dynamo.check_setup';

CREATE FUNCTION dynamo_internal.setup_of_tables(OUT subject text, OUT status text, OUT detail text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'autovacuum', CASE WHEN o.off IS NULL THEN 'ok' ELSE 'error' END, COALESCE(o.off || ' is off: tables grow and plans go wrong', 'on'), format('set %s = on', o.off)
FROM (SELECT max(n.name) AS off FROM unnest('{autovacuum,track_counts}'::text[]) n(name) WHERE current_setting(n.name) = 'off') o
UNION ALL
SELECT 'statistics', CASE WHEN t.stale IS NULL THEN 'ok' ELSE 'warning' END,
	   CASE WHEN t.stale IS NULL THEN 'tables have been analyzed' ELSE format('tables that have changed much since they were analyzed: %s, such as %s', t.n, t.stale) END, format('ANALYZE %s', t.stale)
FROM (SELECT count(*) AS n, min(d.relation::text) AS stale
	  FROM dynamo.tables d
	  WHERE has_table_privilege(d.relation, 'SELECT')
		AND pg_stat_get_mod_since_analyze(d.relation) > 10000 + 0.5 * (SELECT GREATEST(c.reltuples, 0) FROM pg_class c WHERE c.oid = d.relation::oid)) t;
END;
COMMENT ON FUNCTION dynamo_internal.setup_of_tables() IS 'checks of tables, for dynamo.check_setup';

CREATE FUNCTION dynamo.check_setup(OUT subject text, OUT status text, OUT detail text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE
	BEGIN ATOMIC
SELECT c.subject, c.status, c.detail, CASE WHEN c.status <> 'ok' THEN c.fix END
FROM (SELECT 1 AS part, s.* FROM dynamo_internal.setup_of_server() s
	  UNION ALL SELECT 2, e.* FROM dynamo_internal.setup_of_endpoint() e
	  UNION ALL SELECT 3, t.* FROM dynamo_internal.setup_of_tables() t) c
ORDER BY array_position('{error,warning,info,ok}'::text[], c.status), c.part, c.subject;
END;
COMMENT ON FUNCTION dynamo.check_setup() IS 'checks whether the server is set up for use, and tells what to do; for superusers and pg_monitor';
