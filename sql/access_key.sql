-- Access keys of the HTTP endpoint: who may create them, see them and drop them.
-- Requests signed with them are tested in test/tap/http.pl.
SET client_min_messages = warning;
DROP ROLE IF EXISTS dynamo_key_app, dynamo_key_other, dynamo_key_group, dynamo_key_admin, dynamo_key_super;
RESET client_min_messages;
CREATE ROLE dynamo_key_app LOGIN;
CREATE ROLE dynamo_key_other LOGIN;
CREATE ROLE dynamo_key_group;
CREATE ROLE dynamo_key_admin LOGIN;
CREATE ROLE dynamo_key_super LOGIN SUPERUSER;
GRANT dynamo_key_app TO dynamo_key_admin WITH ADMIN OPTION;

-- a new key: an id and a secret that nobody can guess
SELECT access_key_id ~ '^DYNA[A-Z2-7]{16}$' AS id, secret_access_key ~ '^[A-Za-z0-9+/]{40}$' AS secret
FROM dynamo.create_access_key('dynamo_key_app');
SELECT count(DISTINCT (k).access_key_id) AS ids, count(DISTINCT (k).secret_access_key) AS secrets
FROM (SELECT dynamo.create_access_key('dynamo_key_app') AS k FROM generate_series(1, 20) OFFSET 0) t;

-- a key that already exists on another system
SELECT * FROM dynamo.create_access_key('dynamo_key_app', 'AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
SELECT * FROM dynamo.create_access_key('dynamo_key_other', access_key_id => 'AKIDEXAMPLE');
SELECT access_key_id FROM dynamo.create_access_key('dynamo_key_other', access_key_id => 'other');

-- invalid keys
SELECT dynamo.create_access_key(NULL);
SELECT dynamo.create_access_key('dynamo_key_nobody');
SELECT dynamo.create_access_key(0::oid::regrole);
SELECT dynamo.create_access_key('dynamo_key_group');
SELECT dynamo.create_access_key('dynamo_key_super');
SELECT dynamo.create_access_key('dynamo_key_app', '');
SELECT dynamo.create_access_key('dynamo_key_app', 'a b');
SELECT dynamo.create_access_key('dynamo_key_app', repeat('a', 129));
SELECT dynamo.create_access_key('dynamo_key_app', 'a', '');
SELECT dynamo.create_access_key('dynamo_key_app', 'a', 'sécret');
SELECT dynamo.drop_access_key('nothing');

-- another secret: the previous one is accepted for some time
SELECT dynamo.rotate_access_key('AKIDEXAMPLE') ~ '^[A-Za-z0-9+/]{40}$' AS secret;
SELECT rotated_at >= created_at AS rotated, previous_until - rotated_at = '1 day' AS a_day, previous_used_at FROM dynamo.access_keys WHERE access_key_id = 'AKIDEXAMPLE';
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', 'next');
SELECT dynamo.drop_previous_secret('AKIDEXAMPLE');
SELECT dynamo.drop_previous_secret('AKIDEXAMPLE');
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', 'next', NULL);
SELECT previous_until FROM dynamo.access_keys WHERE access_key_id = 'AKIDEXAMPLE';
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', 'last', '0');
SELECT previous_until, previous_used_at FROM dynamo.access_keys WHERE access_key_id = 'AKIDEXAMPLE';
SELECT count(*), count(previous_secret) FROM dynamo_internal.access_key_secrets WHERE access_key_id = 'AKIDEXAMPLE';
BEGIN;
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', 'one'), dynamo.drop_previous_secret('AKIDEXAMPLE'), dynamo.rotate_access_key('AKIDEXAMPLE', 'two');
SELECT previous_until IS NOT NULL AS previous FROM dynamo.access_keys WHERE access_key_id = 'AKIDEXAMPLE';
ROLLBACK;
SELECT previous_until FROM dynamo.access_keys WHERE access_key_id = 'AKIDEXAMPLE';
SELECT dynamo.rotate_access_key(NULL);
SELECT dynamo.rotate_access_key('nothing');
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', '');
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', 'one', '-1 second');
SELECT dynamo.drop_previous_secret('nothing');
SELECT dynamo.rotate_access_key('AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');

-- the user's own keys
SET ROLE dynamo_key_other;
SELECT access_key_id FROM dynamo.create_access_key('dynamo_key_other', 'own');
SELECT dynamo.create_access_key('dynamo_key_app', 'stolen');
SELECT dynamo.create_access_key('dynamo_key_super', 'stolen');
SELECT dynamo.drop_access_key('AKIDEXAMPLE');
SELECT access_key_id, role FROM dynamo.access_keys ORDER BY 1;
SELECT * FROM dynamo_internal.access_key_secrets;
INSERT INTO dynamo_internal.access_key_secrets VALUES ('a', '********', 10, now());
SELECT dynamo.rotate_access_key('AKIDEXAMPLE');
SELECT dynamo.drop_previous_secret('AKIDEXAMPLE');
SELECT dynamo.rotate_access_key('own', 'next'), dynamo.drop_previous_secret('own');
SELECT dynamo.drop_access_key('own');

SELECT dynamo.encrypt_access_keys();

-- keys of a role that the user may grant to others
SET ROLE dynamo_key_admin;
SELECT access_key_id FROM dynamo.create_access_key('dynamo_key_app', 'given');
SELECT dynamo.create_access_key('dynamo_key_other', 'stolen');
SELECT dynamo.rotate_access_key('given', 'next'), dynamo.drop_previous_secret('given');
SELECT dynamo.rotate_access_key('other');
SELECT dynamo.drop_access_key('given');
SELECT dynamo.drop_access_key('other');
RESET ROLE;

-- code that runs for a user who maintains tables creates no keys
CREATE SCHEMA t_access_key;
CREATE FUNCTION t_access_key.steal(a int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN PERFORM dynamo.create_access_key('dynamo_key_app', 'stolen'); RETURN a; END $$;
CREATE TABLE t_access_key.bait AS SELECT 1 AS a;
ALTER TABLE t_access_key.bait OWNER TO dynamo_key_app;
GRANT USAGE ON SCHEMA t_access_key TO dynamo_key_app;
CREATE INDEX ON t_access_key.bait (t_access_key.steal(a));
CREATE OR REPLACE FUNCTION t_access_key.steal(a int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN PERFORM dynamo.rotate_access_key('AKIDEXAMPLE', 'stolen'); RETURN a; END $$;
CREATE INDEX ON t_access_key.bait (t_access_key.steal(a));

-- only the functions write keys, and nobody can read a secret
SELECT access_key_id, secret_access_key, role::regrole FROM dynamo_internal.access_key_secrets WHERE access_key_id = 'AKIDEXAMPLE';
COPY (SELECT secret_access_key FROM dynamo_internal.access_key_secrets WHERE access_key_id = 'AKIDEXAMPLE') TO STDOUT;
SELECT convert_from(dynamo_internal.secret_send(secret_access_key), 'UTF8'), pg_column_size(secret_access_key)
FROM dynamo_internal.access_key_secrets WHERE access_key_id = 'AKIDEXAMPLE';
SELECT 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'::dynamo_internal.secret;
SELECT '********'::dynamo_internal.secret;
SELECT secret_access_key::bytea FROM dynamo_internal.access_key_secrets;
\set VERBOSITY terse
SELECT max(secret_access_key) FROM dynamo_internal.access_key_secrets;
\set VERBOSITY default
SELECT DISTINCT secret_access_key FROM dynamo_internal.access_key_secrets;
INSERT INTO dynamo_internal.access_key_secrets VALUES ('a', '********', 10, now());
INSERT INTO dynamo_internal.access_key_secrets SELECT 'a', secret_access_key, role, now() FROM dynamo_internal.access_key_secrets
ON CONFLICT (access_key_id) DO UPDATE SET role = 10;
UPDATE dynamo_internal.access_key_secrets SET role = 10;
UPDATE dynamo.access_keys SET role = 'dynamo_key_super';
DELETE FROM dynamo_internal.access_key_secrets;
TRUNCATE dynamo_internal.access_key_secrets;
MERGE INTO dynamo_internal.access_key_secrets k USING (VALUES ('AKIDEXAMPLE')) v (id) ON k.access_key_id = v.id
WHEN MATCHED THEN UPDATE SET role = 10;
COPY dynamo_internal.access_key_secrets (access_key_id, secret_access_key, role, created_at) FROM STDIN;
a	********	10	2026-01-01
\.
SET session_replication_role = replica;
DELETE FROM dynamo_internal.access_key_secrets;
TRUNCATE dynamo_internal.access_key_secrets;
RESET session_replication_role;
-- nothing is encrypted without a key; with one: test/tap/secrets.pl
SHOW dynamo.http_secret_key_command;
SELECT dynamo.encrypt_access_keys();
-- stored rows do not show that keys have the same secret, nor their order
SELECT access_key_id FROM dynamo.create_access_key('dynamo_key_app', 'same', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
SELECT a OPERATOR(pg_catalog.*=) b AS same
FROM (SELECT secret_access_key FROM dynamo_internal.access_key_secrets WHERE access_key_id = 'AKIDEXAMPLE') a,
	 (SELECT secret_access_key FROM dynamo_internal.access_key_secrets WHERE access_key_id = 'same') b;
SELECT count(dynamo.create_access_key('dynamo_key_app', 'ordered' || i, repeat(chr(ascii('A') + i), 40)))
FROM generate_series(0, 25) i;
SELECT string_agg(access_key_id, ' ' ORDER BY r) = string_agg(access_key_id, ' ' ORDER BY substr(access_key_id, 8)::int) AS ordered
FROM (SELECT access_key_id, row_number() OVER (ORDER BY ROW(secret_access_key) USING OPERATOR(pg_catalog.*<)) AS r
	  FROM dynamo_internal.access_key_secrets WHERE access_key_id LIKE 'ordered%') t;

-- what a worker node of Citus asks the coordinator for (test/citus/access_keys.pl)
SELECT dynamo_internal.signing_key('AKIDEXAMPLE', '20150830', 'us-east-1');
SELECT dynamo_internal.signing_key('nothing', '20150830', 'us-east-1') = '' AS unknown;
SELECT dynamo_internal.signing_key('AKIDEXAMPLE', repeat('2', 80), 'us-east-1');
GRANT USAGE ON SCHEMA dynamo_internal TO dynamo_key_app;
SET ROLE dynamo_key_app;
SELECT dynamo_internal.signing_key('AKIDEXAMPLE', '20150830', 'us-east-1');
RESET ROLE;
REVOKE USAGE ON SCHEMA dynamo_internal FROM dynamo_key_app;

-- the keys of a dropped role are invalid, and are removed when another key is created
SELECT count(*) > 20 AS keys FROM dynamo.access_keys WHERE role = 'dynamo_key_app'::regrole;
SET client_min_messages = warning;
DROP SCHEMA t_access_key CASCADE;
RESET client_min_messages;
DROP ROLE dynamo_key_app;
SELECT access_key_id FROM dynamo.create_access_key('dynamo_key_admin', 'admin');
SELECT access_key_id, role FROM dynamo.access_keys WHERE access_key_id IN ('AKIDEXAMPLE', 'other', 'admin') ORDER BY 1;
SELECT count(*) FROM dynamo_internal.access_key_secrets WHERE role NOT IN (SELECT oid FROM pg_roles);

SELECT dynamo.drop_access_key(access_key_id) FROM dynamo.access_keys WHERE role::text LIKE 'dynamo_key_%';
DROP ROLE dynamo_key_other, dynamo_key_group, dynamo_key_admin, dynamo_key_super;
