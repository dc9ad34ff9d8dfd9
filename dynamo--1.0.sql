/* dynamo--1.0.sql: the extension's objects, in the order of their dependencies */

-- Refuse to run in psql without CREATE EXTENSION.
\echo Use "CREATE EXTENSION dynamo" to load this file. \quit

-- Bodies that are parsed here find PostgreSQL's functions and operators without their
-- schema.  Those in quotes, which are parsed in sessions, name it.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Definitions of functions are read below, and changed as texts.
SET LOCAL quote_all_identifiers = off;

DO $$
BEGIN
	IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
		RAISE EXCEPTION 'dynamo needs a database with encoding UTF8'
			USING ERRCODE = 'feature_not_supported',
			HINT = $hint$CREATE DATABASE ... TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' makes one.$hint$;
	END IF;
END $$;

-- A role that can create objects in the schema could add functions and operators
-- to the extension's.  Default privileges on schemas, or an existing schema, could
-- allow it.
DO $$
DECLARE
	other record;
BEGIN
	SELECT r.rolname INTO other
	FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
	WHERE n.nspname OPERATOR(pg_catalog.=) 'dynamo'
		AND NOT r.rolsuper AND r.rolname OPERATOR(pg_catalog.<>) CURRENT_USER;
	IF FOUND THEN
		RAISE EXCEPTION 'schema "dynamo" already exists and belongs to role "%"', other.rolname
			USING ERRCODE = 'insufficient_privilege',
				DETAIL = 'The owner of the schema could replace functions that all users of the extension call.',
				HINT = 'Drop the schema, or rename it: ALTER SCHEMA dynamo RENAME TO ...';
	END IF;

	SELECT pg_catalog.pg_describe_object(d.classid, d.objid, 0) AS object, r.rolname INTO other
	FROM pg_catalog.pg_depend d
		JOIN pg_catalog.pg_shdepend o ON o.classid OPERATOR(pg_catalog.=) d.classid AND o.objid OPERATOR(pg_catalog.=) d.objid
		JOIN pg_catalog.pg_database b ON b.oid OPERATOR(pg_catalog.=) o.dbid
		JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) o.refobjid
	WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass
		AND d.refobjid OPERATOR(pg_catalog.=) 'dynamo'::pg_catalog.regnamespace
		AND b.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
		AND o.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_authid'::pg_catalog.regclass
		AND o.deptype OPERATOR(pg_catalog.=) 'o'
		AND NOT r.rolsuper AND r.rolname OPERATOR(pg_catalog.<>) CURRENT_USER
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'schema "dynamo" already exists and contains objects of other roles'
			USING ERRCODE = 'insufficient_privilege',
				DETAIL = pg_catalog.format('Role "%s" owns %s.', other.rolname, other.object),
				HINT = 'Drop these objects, or rename the schema: ALTER SCHEMA dynamo RENAME TO ...';
	END IF;
END $$;

-- Objects that users do not call.  Schema dynamo_internal, which only superusers may use,
-- has the support of types, operators and planner, event triggers, and tables of settings.
-- Its functions rely on that: some return what only a view may filter, or take the caller
-- as an argument.  Schema dynamo_system has the functions that every role must be able to
-- name: what triggers, views, indexes and access patterns call, because dumps of users' tables
-- contain these names, and what nodes of Citus call on each other as the role of the statement.
DO $$
DECLARE
	other record;
BEGIN
	SELECT n.nspname INTO other FROM pg_catalog.pg_namespace n
	WHERE n.nspname OPERATOR(pg_catalog.=) ANY ('{dynamo_internal,dynamo_system}');
	IF FOUND THEN
		RAISE EXCEPTION 'schema "%" already exists', other.nspname
			USING ERRCODE = 'duplicate_schema',
				DETAIL = 'The extension creates this schema.',
				HINT = pg_catalog.format('Drop the schema, or rename it: ALTER SCHEMA %s RENAME TO ...', other.nspname);
	END IF;
	CREATE SCHEMA dynamo_internal;
	COMMENT ON SCHEMA dynamo_internal IS 'internal objects of the extension dynamo';
	CREATE SCHEMA dynamo_system;
	COMMENT ON SCHEMA dynamo_system IS 'functions of the extension dynamo that triggers, views, indexes, access patterns, nodes of Citus and its own statements call';

	FOR other IN
		SELECT DISTINCT n.nspname, a.grantee
		FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
		WHERE n.nspname OPERATOR(pg_catalog.=) ANY ('{dynamo,dynamo_internal,dynamo_system}') AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner
	LOOP
		EXECUTE pg_catalog.concat('REVOKE ALL ON SCHEMA ', other.nspname, ' FROM ',
			CASE WHEN other.grantee OPERATOR(pg_catalog.=) 0 THEN 'PUBLIC'
				ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(other.grantee)) END, ' CASCADE');
	END LOOP;
END $$;

CREATE FUNCTION dynamo.version() RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_version';
COMMENT ON FUNCTION dynamo.version() IS 'returns the version of the extension''s library';

--
-- Item and value types: input and output, casts, operators, operator classes
--

CREATE TYPE dynamo.item;

CREATE FUNCTION dynamo_internal.item_in(cstring) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_in';
CREATE FUNCTION dynamo_internal.item_out(dynamo.item) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_out';
CREATE FUNCTION dynamo_internal.item_recv(internal) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_recv';
CREATE FUNCTION dynamo_internal.item_send(dynamo.item) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_send';
CREATE FUNCTION dynamo_internal.item_subscript(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_subscript';

CREATE TYPE dynamo.item (
	INPUT = dynamo_internal.item_in, OUTPUT = dynamo_internal.item_out,
	RECEIVE = dynamo_internal.item_recv, SEND = dynamo_internal.item_send,
	SUBSCRIPT = dynamo_internal.item_subscript,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended
);

CREATE TYPE dynamo.value;

CREATE FUNCTION dynamo_internal.value_in(cstring) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_in';
CREATE FUNCTION dynamo_internal.value_out(dynamo.value) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_out';
CREATE FUNCTION dynamo_internal.value_recv(internal) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_recv';
CREATE FUNCTION dynamo_internal.value_send(dynamo.value) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_send';
CREATE FUNCTION dynamo_internal.value_subscript(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_subscript';

CREATE TYPE dynamo.value (
	INPUT = dynamo_internal.value_in, OUTPUT = dynamo_internal.value_out,
	RECEIVE = dynamo_internal.value_recv, SEND = dynamo_internal.value_send,
	SUBSCRIPT = dynamo_internal.value_subscript,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended
);

COMMENT ON TYPE dynamo.item IS 'DynamoDB item: a map of attributes';
COMMENT ON TYPE dynamo.value IS 'DynamoDB attribute value of any of the ten types';
COMMENT ON FUNCTION dynamo_internal.item_in(cstring) IS 'input of dynamo.item';
COMMENT ON FUNCTION dynamo_internal.item_out(dynamo.item) IS 'output of dynamo.item';
COMMENT ON FUNCTION dynamo_internal.item_recv(internal) IS 'binary input of dynamo.item';
COMMENT ON FUNCTION dynamo_internal.item_send(dynamo.item) IS 'binary output of dynamo.item';
COMMENT ON FUNCTION dynamo_internal.item_subscript(internal) IS 'subscripts of dynamo.item';
COMMENT ON FUNCTION dynamo_internal.value_in(cstring) IS 'input of dynamo.value';
COMMENT ON FUNCTION dynamo_internal.value_out(dynamo.value) IS 'output of dynamo.value';
COMMENT ON FUNCTION dynamo_internal.value_recv(internal) IS 'binary input of dynamo.value';
COMMENT ON FUNCTION dynamo_internal.value_send(dynamo.value) IS 'binary output of dynamo.value';
COMMENT ON FUNCTION dynamo_internal.value_subscript(internal) IS 'subscripts of dynamo.value';

CREATE CAST (dynamo.item AS dynamo.value) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (dynamo.item AS dynamo.value) IS 'an item is a value of type M';
CREATE FUNCTION dynamo_internal.value_to_item(dynamo.value) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_item';
CREATE CAST (dynamo.value AS dynamo.item) WITH FUNCTION dynamo_internal.value_to_item(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_item(dynamo.value) IS 'cast from value to item';
COMMENT ON CAST (dynamo.value AS dynamo.item) IS 'a map as an item';

CREATE FUNCTION dynamo_internal.item_eq(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_eq';
CREATE FUNCTION dynamo_internal.item_ne(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_ne';
CREATE FUNCTION dynamo_internal.item_lt(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_lt';
CREATE FUNCTION dynamo_internal.item_le(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_le';
CREATE FUNCTION dynamo_internal.item_gt(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_gt';
CREATE FUNCTION dynamo_internal.item_ge(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_ge';
CREATE FUNCTION dynamo_internal.item_cmp(dynamo.item, dynamo.item) RETURNS integer
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_cmp';
CREATE FUNCTION dynamo_internal.item_hash(dynamo.item) RETURNS integer
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_hash';
CREATE FUNCTION dynamo_internal.item_hash_extended(dynamo.item, bigint) RETURNS bigint
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_hash_extended';

CREATE OPERATOR dynamo.= (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.item_eq,
	COMMUTATOR = OPERATOR(dynamo.=), NEGATOR = OPERATOR(dynamo.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR dynamo.<> (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.item_ne,
	COMMUTATOR = OPERATOR(dynamo.<>), NEGATOR = OPERATOR(dynamo.=), RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR dynamo.< (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.item_lt,
	COMMUTATOR = OPERATOR(dynamo.>), NEGATOR = OPERATOR(dynamo.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR dynamo.<= (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.item_le,
	COMMUTATOR = OPERATOR(dynamo.>=), NEGATOR = OPERATOR(dynamo.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR dynamo.> (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.item_gt,
	COMMUTATOR = OPERATOR(dynamo.<), NEGATOR = OPERATOR(dynamo.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR dynamo.>= (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.item_ge,
	COMMUTATOR = OPERATOR(dynamo.<=), NEGATOR = OPERATOR(dynamo.<), RESTRICT = scalargesel, JOIN = scalargejoinsel
);

-- Equal values have the same bytes, so that a btree can deduplicate them (btequalimage).
CREATE OPERATOR CLASS dynamo.item_ops DEFAULT FOR TYPE dynamo.item USING btree AS
	OPERATOR 1 dynamo.<, OPERATOR 2 dynamo.<=, OPERATOR 3 dynamo.=, OPERATOR 4 dynamo.>=, OPERATOR 5 dynamo.>,
	FUNCTION 1 dynamo_internal.item_cmp(dynamo.item, dynamo.item), FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
CREATE OPERATOR CLASS dynamo.item_ops DEFAULT FOR TYPE dynamo.item USING hash AS
	OPERATOR 1 dynamo.=,
	FUNCTION 1 dynamo_internal.item_hash(dynamo.item),
	FUNCTION 2 dynamo_internal.item_hash_extended(dynamo.item, bigint);

COMMENT ON OPERATOR CLASS dynamo.item_ops USING btree IS 'order of items';
COMMENT ON OPERATOR CLASS dynamo.item_ops USING hash IS 'equality of items';
COMMENT ON OPERATOR FAMILY dynamo.item_ops USING btree IS 'order of items';
COMMENT ON OPERATOR FAMILY dynamo.item_ops USING hash IS 'equality of items';
COMMENT ON FUNCTION dynamo_internal.item_eq(dynamo.item, dynamo.item) IS 'implementation of = operator';
COMMENT ON FUNCTION dynamo_internal.item_ne(dynamo.item, dynamo.item) IS 'implementation of <> operator';
COMMENT ON FUNCTION dynamo_internal.item_lt(dynamo.item, dynamo.item) IS 'implementation of < operator';
COMMENT ON FUNCTION dynamo_internal.item_le(dynamo.item, dynamo.item) IS 'implementation of <= operator';
COMMENT ON FUNCTION dynamo_internal.item_gt(dynamo.item, dynamo.item) IS 'implementation of > operator';
COMMENT ON FUNCTION dynamo_internal.item_ge(dynamo.item, dynamo.item) IS 'implementation of >= operator';
COMMENT ON FUNCTION dynamo_internal.item_cmp(dynamo.item, dynamo.item) IS 'less-equal-greater';
COMMENT ON FUNCTION dynamo_internal.item_hash(dynamo.item) IS 'hash';
COMMENT ON FUNCTION dynamo_internal.item_hash_extended(dynamo.item, bigint) IS 'hash';
COMMENT ON OPERATOR dynamo.= (dynamo.item, dynamo.item) IS 'equal';
COMMENT ON OPERATOR dynamo.<> (dynamo.item, dynamo.item) IS 'not equal';
COMMENT ON OPERATOR dynamo.< (dynamo.item, dynamo.item) IS 'less than';
COMMENT ON OPERATOR dynamo.<= (dynamo.item, dynamo.item) IS 'less than or equal';
COMMENT ON OPERATOR dynamo.> (dynamo.item, dynamo.item) IS 'greater than';
COMMENT ON OPERATOR dynamo.>= (dynamo.item, dynamo.item) IS 'greater than or equal';

CREATE FUNCTION dynamo_internal.value_eq(dynamo.value, dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_eq';
CREATE FUNCTION dynamo_internal.value_ne(dynamo.value, dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_ne';
CREATE FUNCTION dynamo_internal.value_lt(dynamo.value, dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_lt';
CREATE FUNCTION dynamo_internal.value_le(dynamo.value, dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_le';
CREATE FUNCTION dynamo_internal.value_gt(dynamo.value, dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_gt';
CREATE FUNCTION dynamo_internal.value_ge(dynamo.value, dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_ge';
CREATE FUNCTION dynamo_internal.value_cmp(dynamo.value, dynamo.value) RETURNS integer
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_cmp';
CREATE FUNCTION dynamo_internal.value_hash(dynamo.value) RETURNS integer
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_hash';
CREATE FUNCTION dynamo_internal.value_hash_extended(dynamo.value, bigint) RETURNS bigint
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_hash_extended';

CREATE OPERATOR dynamo.= (
	LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = dynamo_internal.value_eq,
	COMMUTATOR = OPERATOR(dynamo.=), NEGATOR = OPERATOR(dynamo.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR dynamo.<> (
	LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = dynamo_internal.value_ne,
	COMMUTATOR = OPERATOR(dynamo.<>), NEGATOR = OPERATOR(dynamo.=), RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR dynamo.< (
	LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = dynamo_internal.value_lt,
	COMMUTATOR = OPERATOR(dynamo.>), NEGATOR = OPERATOR(dynamo.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR dynamo.<= (
	LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = dynamo_internal.value_le,
	COMMUTATOR = OPERATOR(dynamo.>=), NEGATOR = OPERATOR(dynamo.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR dynamo.> (
	LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = dynamo_internal.value_gt,
	COMMUTATOR = OPERATOR(dynamo.<), NEGATOR = OPERATOR(dynamo.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR dynamo.>= (
	LEFTARG = dynamo.value, RIGHTARG = dynamo.value, FUNCTION = dynamo_internal.value_ge,
	COMMUTATOR = OPERATOR(dynamo.<=), NEGATOR = OPERATOR(dynamo.<), RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR CLASS dynamo.value_ops DEFAULT FOR TYPE dynamo.value USING btree AS
	OPERATOR 1 dynamo.<, OPERATOR 2 dynamo.<=, OPERATOR 3 dynamo.=, OPERATOR 4 dynamo.>=, OPERATOR 5 dynamo.>,
	FUNCTION 1 dynamo_internal.value_cmp(dynamo.value, dynamo.value), FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
CREATE OPERATOR CLASS dynamo.value_ops DEFAULT FOR TYPE dynamo.value USING hash AS
	OPERATOR 1 dynamo.=,
	FUNCTION 1 dynamo_internal.value_hash(dynamo.value),
	FUNCTION 2 dynamo_internal.value_hash_extended(dynamo.value, bigint);

COMMENT ON OPERATOR CLASS dynamo.value_ops USING btree IS 'order of values';
COMMENT ON OPERATOR CLASS dynamo.value_ops USING hash IS 'equality of values';
COMMENT ON OPERATOR FAMILY dynamo.value_ops USING btree IS 'order of values';
COMMENT ON OPERATOR FAMILY dynamo.value_ops USING hash IS 'equality of values';
COMMENT ON FUNCTION dynamo_internal.value_eq(dynamo.value, dynamo.value) IS 'implementation of = operator';
COMMENT ON FUNCTION dynamo_internal.value_ne(dynamo.value, dynamo.value) IS 'implementation of <> operator';
COMMENT ON FUNCTION dynamo_internal.value_lt(dynamo.value, dynamo.value) IS 'implementation of < operator';
COMMENT ON FUNCTION dynamo_internal.value_le(dynamo.value, dynamo.value) IS 'implementation of <= operator';
COMMENT ON FUNCTION dynamo_internal.value_gt(dynamo.value, dynamo.value) IS 'implementation of > operator';
COMMENT ON FUNCTION dynamo_internal.value_ge(dynamo.value, dynamo.value) IS 'implementation of >= operator';
COMMENT ON FUNCTION dynamo_internal.value_cmp(dynamo.value, dynamo.value) IS 'less-equal-greater';
COMMENT ON FUNCTION dynamo_internal.value_hash(dynamo.value) IS 'hash';
COMMENT ON FUNCTION dynamo_internal.value_hash_extended(dynamo.value, bigint) IS 'hash';
COMMENT ON OPERATOR dynamo.= (dynamo.value, dynamo.value) IS 'equal';
COMMENT ON OPERATOR dynamo.<> (dynamo.value, dynamo.value) IS 'not equal';
COMMENT ON OPERATOR dynamo.< (dynamo.value, dynamo.value) IS 'less than';
COMMENT ON OPERATOR dynamo.<= (dynamo.value, dynamo.value) IS 'less than or equal';
COMMENT ON OPERATOR dynamo.> (dynamo.value, dynamo.value) IS 'greater than';
COMMENT ON OPERATOR dynamo.>= (dynamo.value, dynamo.value) IS 'greater than or equal';

CREATE FUNCTION dynamo_internal.value_smaller(dynamo.value, dynamo.value) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_smaller';
CREATE FUNCTION dynamo_internal.value_larger(dynamo.value, dynamo.value) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_larger';
CREATE AGGREGATE dynamo.min(dynamo.value) (
	SFUNC = dynamo_internal.value_smaller, STYPE = dynamo.value,
	COMBINEFUNC = dynamo_internal.value_smaller, SORTOP = OPERATOR(dynamo.<), PARALLEL = SAFE
);
CREATE AGGREGATE dynamo.max(dynamo.value) (
	SFUNC = dynamo_internal.value_larger, STYPE = dynamo.value,
	COMBINEFUNC = dynamo_internal.value_larger, SORTOP = OPERATOR(dynamo.>), PARALLEL = SAFE
);
COMMENT ON FUNCTION dynamo_internal.value_smaller(dynamo.value, dynamo.value) IS 'smaller of two';
COMMENT ON FUNCTION dynamo_internal.value_larger(dynamo.value, dynamo.value) IS 'larger of two';
COMMENT ON AGGREGATE dynamo.min(dynamo.value) IS 'minimum value in the order of values';
COMMENT ON AGGREGATE dynamo.max(dynamo.value) IS 'maximum value in the order of values';

-- Conversions between items and plain JSON, like marshall and unmarshall of the SDKs
CREATE FUNCTION dynamo_internal.item_from_jsonb(jsonb) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_from_jsonb';
CREATE CAST (jsonb AS dynamo.item) WITH FUNCTION dynamo_internal.item_from_jsonb(jsonb) AS IMPLICIT;
COMMENT ON FUNCTION dynamo_internal.item_from_jsonb(jsonb) IS 'cast from jsonb to item';
COMMENT ON CAST (jsonb AS dynamo.item) IS 'plain JSON, as the SDKs marshall it';
-- The cast is not implicit, because json would then have the operators of items,
-- including =.  The function calls item_from_jsonb instead of using the cast,
-- because pg_upgrade would not see a dependency on the cast.
CREATE FUNCTION dynamo_internal.item_from_json(json) RETURNS dynamo.item
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN dynamo_internal.item_from_jsonb($1::jsonb);
CREATE CAST (json AS dynamo.item) WITH FUNCTION dynamo_internal.item_from_json(json) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.item_from_json(json) IS 'cast from json to item';
COMMENT ON CAST (json AS dynamo.item) IS 'plain JSON, as the SDKs marshall it';
CREATE FUNCTION dynamo_internal.value_from_jsonb(jsonb) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_from_jsonb';
CREATE CAST (jsonb AS dynamo.value) WITH FUNCTION dynamo_internal.value_from_jsonb(jsonb) AS IMPLICIT;
COMMENT ON FUNCTION dynamo_internal.value_from_jsonb(jsonb) IS 'cast from jsonb to value';
COMMENT ON CAST (jsonb AS dynamo.value) IS 'plain JSON, as the SDKs marshall it';
CREATE FUNCTION dynamo_internal.item_to_jsonb(dynamo.item) RETURNS jsonb
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_jsonb';
CREATE CAST (dynamo.item AS jsonb) WITH FUNCTION dynamo_internal.item_to_jsonb(dynamo.item) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.item_to_jsonb(dynamo.item) IS 'cast from item to jsonb';
COMMENT ON CAST (dynamo.item AS jsonb) IS 'plain JSON, as the SDKs unmarshall it';
CREATE FUNCTION dynamo_internal.value_to_jsonb(dynamo.value) RETURNS jsonb
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_jsonb';
CREATE CAST (dynamo.value AS jsonb) WITH FUNCTION dynamo_internal.value_to_jsonb(dynamo.value) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_to_jsonb(dynamo.value) IS 'cast from value to jsonb';
COMMENT ON CAST (dynamo.value AS jsonb) IS 'plain JSON, as the SDKs unmarshall it';
CREATE FUNCTION dynamo_internal.item_to_json(dynamo.item) RETURNS json
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_json';
CREATE CAST (dynamo.item AS json) WITH FUNCTION dynamo_internal.item_to_json(dynamo.item) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.item_to_json(dynamo.item) IS 'cast from item to json';
COMMENT ON CAST (dynamo.item AS json) IS 'plain JSON, as the SDKs unmarshall it';
CREATE FUNCTION dynamo_internal.value_to_json(dynamo.value) RETURNS json
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_json';
CREATE CAST (dynamo.value AS json) WITH FUNCTION dynamo_internal.value_to_json(dynamo.value) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_to_json(dynamo.value) IS 'cast from value to json';
COMMENT ON CAST (dynamo.value AS json) IS 'plain JSON, as the SDKs unmarshall it';

-- Casts of scalars; they raise an error for other types.
CREATE FUNCTION dynamo_internal.value_to_text(dynamo.value) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_text';
CREATE CAST (dynamo.value AS text) WITH FUNCTION dynamo_internal.value_to_text(dynamo.value) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_to_text(dynamo.value) IS 'cast from value to text';
COMMENT ON CAST (dynamo.value AS text) IS 'content of a value of type S';
CREATE FUNCTION dynamo_internal.value_to_bytea(dynamo.value) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_bytea';
CREATE CAST (dynamo.value AS bytea) WITH FUNCTION dynamo_internal.value_to_bytea(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_bytea(dynamo.value) IS 'cast from value to bytea';
COMMENT ON CAST (dynamo.value AS bytea) IS 'content of a value of type B';
CREATE FUNCTION dynamo_internal.value_to_boolean(dynamo.value) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_boolean';
CREATE CAST (dynamo.value AS boolean) WITH FUNCTION dynamo_internal.value_to_boolean(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_boolean(dynamo.value) IS 'cast from value to boolean';
COMMENT ON CAST (dynamo.value AS boolean) IS 'content of a value of type BOOL';
CREATE FUNCTION dynamo_internal.value_to_numeric(dynamo.value) RETURNS numeric
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_numeric';
CREATE CAST (dynamo.value AS numeric) WITH FUNCTION dynamo_internal.value_to_numeric(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_numeric(dynamo.value) IS 'cast from value to numeric';
COMMENT ON CAST (dynamo.value AS numeric) IS 'content of a value of type N';
CREATE FUNCTION dynamo_internal.value_to_bigint(dynamo.value) RETURNS bigint
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_bigint';
CREATE CAST (dynamo.value AS bigint) WITH FUNCTION dynamo_internal.value_to_bigint(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_bigint(dynamo.value) IS 'cast from value to bigint';
COMMENT ON CAST (dynamo.value AS bigint) IS 'content of a value of type N';
CREATE FUNCTION dynamo_internal.value_to_integer(dynamo.value) RETURNS integer
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_integer';
CREATE CAST (dynamo.value AS integer) WITH FUNCTION dynamo_internal.value_to_integer(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_integer(dynamo.value) IS 'cast from value to integer';
COMMENT ON CAST (dynamo.value AS integer) IS 'content of a value of type N';
CREATE FUNCTION dynamo_internal.value_to_float8(dynamo.value) RETURNS double precision
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_to_float8';
CREATE CAST (dynamo.value AS double precision) WITH FUNCTION dynamo_internal.value_to_float8(dynamo.value);
COMMENT ON FUNCTION dynamo_internal.value_to_float8(dynamo.value) IS 'cast from value to double precision';
COMMENT ON CAST (dynamo.value AS double precision) IS 'content of a value of type N';
CREATE FUNCTION dynamo_internal.value_from_bytea(bytea) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_from_bytea';
CREATE CAST (bytea AS dynamo.value) WITH FUNCTION dynamo_internal.value_from_bytea(bytea) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_from_bytea(bytea) IS 'cast from bytea to value';
COMMENT ON CAST (bytea AS dynamo.value) IS 'a value of type B';
CREATE FUNCTION dynamo_internal.value_from_boolean(boolean) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_from_boolean';
CREATE CAST (boolean AS dynamo.value) WITH FUNCTION dynamo_internal.value_from_boolean(boolean) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_from_boolean(boolean) IS 'cast from boolean to value';
COMMENT ON CAST (boolean AS dynamo.value) IS 'a value of type BOOL';
CREATE FUNCTION dynamo_internal.value_from_numeric(numeric) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_from_numeric';
CREATE CAST (numeric AS dynamo.value) WITH FUNCTION dynamo_internal.value_from_numeric(numeric) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_from_numeric(numeric) IS 'cast from numeric to value';
COMMENT ON CAST (numeric AS dynamo.value) IS 'a value of type N';
CREATE FUNCTION dynamo_internal.value_from_bigint(bigint) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_from_bigint';
CREATE CAST (bigint AS dynamo.value) WITH FUNCTION dynamo_internal.value_from_bigint(bigint) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_from_bigint(bigint) IS 'cast from bigint to value';
COMMENT ON CAST (bigint AS dynamo.value) IS 'a value of type N';
CREATE FUNCTION dynamo_internal.value_from_integer(integer) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_from_integer';
CREATE CAST (integer AS dynamo.value) WITH FUNCTION dynamo_internal.value_from_integer(integer) AS ASSIGNMENT;
COMMENT ON FUNCTION dynamo_internal.value_from_integer(integer) IS 'cast from integer to value';
COMMENT ON CAST (integer AS dynamo.value) IS 'a value of type N';

-- Operators that read parts of items and values
CREATE FUNCTION dynamo_internal.item_attribute(dynamo.item, text) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute';
CREATE OPERATOR dynamo.-> (LEFTARG = dynamo.item, RIGHTARG = text, FUNCTION = dynamo_internal.item_attribute);
COMMENT ON FUNCTION dynamo_internal.item_attribute(dynamo.item, text) IS 'implementation of -> operator';
COMMENT ON OPERATOR dynamo.-> (dynamo.item, text) IS 'get attribute';
CREATE FUNCTION dynamo_internal.item_attribute_text(dynamo.item, text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute_text';
CREATE OPERATOR dynamo.->> (LEFTARG = dynamo.item, RIGHTARG = text, FUNCTION = dynamo_internal.item_attribute_text);
COMMENT ON FUNCTION dynamo_internal.item_attribute_text(dynamo.item, text) IS 'implementation of ->> operator';
COMMENT ON OPERATOR dynamo.->> (dynamo.item, text) IS 'get attribute as text';
CREATE FUNCTION dynamo_internal.item_path(dynamo.item, text[]) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_path';
CREATE OPERATOR dynamo.#> (LEFTARG = dynamo.item, RIGHTARG = text[], FUNCTION = dynamo_internal.item_path);
COMMENT ON FUNCTION dynamo_internal.item_path(dynamo.item, text[]) IS 'implementation of #> operator';
COMMENT ON OPERATOR dynamo.#> (dynamo.item, text[]) IS 'get value at path';
CREATE FUNCTION dynamo_internal.item_path_text(dynamo.item, text[]) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_path_text';
CREATE OPERATOR dynamo.#>> (LEFTARG = dynamo.item, RIGHTARG = text[], FUNCTION = dynamo_internal.item_path_text);
COMMENT ON FUNCTION dynamo_internal.item_path_text(dynamo.item, text[]) IS 'implementation of #>> operator';
COMMENT ON OPERATOR dynamo.#>> (dynamo.item, text[]) IS 'get value at path as text';
CREATE FUNCTION dynamo_internal.item_exists(dynamo.item, text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_has_attribute';
CREATE OPERATOR dynamo.? (LEFTARG = dynamo.item, RIGHTARG = text, FUNCTION = dynamo_internal.item_exists);
COMMENT ON FUNCTION dynamo_internal.item_exists(dynamo.item, text) IS 'implementation of ? operator';
COMMENT ON OPERATOR dynamo.? (dynamo.item, text) IS 'attribute exists';
CREATE FUNCTION dynamo_internal.value_attribute(dynamo.value, text) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute';
CREATE OPERATOR dynamo.-> (LEFTARG = dynamo.value, RIGHTARG = text, FUNCTION = dynamo_internal.value_attribute);
COMMENT ON FUNCTION dynamo_internal.value_attribute(dynamo.value, text) IS 'implementation of -> operator';
COMMENT ON OPERATOR dynamo.-> (dynamo.value, text) IS 'get map entry';
CREATE FUNCTION dynamo_internal.value_attribute_text(dynamo.value, text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute_text';
CREATE OPERATOR dynamo.->> (LEFTARG = dynamo.value, RIGHTARG = text, FUNCTION = dynamo_internal.value_attribute_text);
COMMENT ON FUNCTION dynamo_internal.value_attribute_text(dynamo.value, text) IS 'implementation of ->> operator';
COMMENT ON OPERATOR dynamo.->> (dynamo.value, text) IS 'get map entry as text';
CREATE FUNCTION dynamo_internal.value_element(dynamo.value, integer) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_element';
CREATE OPERATOR dynamo.-> (LEFTARG = dynamo.value, RIGHTARG = integer, FUNCTION = dynamo_internal.value_element);
COMMENT ON FUNCTION dynamo_internal.value_element(dynamo.value, integer) IS 'implementation of -> operator';
COMMENT ON OPERATOR dynamo.-> (dynamo.value, integer) IS 'get list element';
CREATE FUNCTION dynamo_internal.value_element_text(dynamo.value, integer) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_element_text';
CREATE OPERATOR dynamo.->> (LEFTARG = dynamo.value, RIGHTARG = integer, FUNCTION = dynamo_internal.value_element_text);
COMMENT ON FUNCTION dynamo_internal.value_element_text(dynamo.value, integer) IS 'implementation of ->> operator';
COMMENT ON OPERATOR dynamo.->> (dynamo.value, integer) IS 'get list element as text';
CREATE FUNCTION dynamo_internal.value_path(dynamo.value, text[]) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_path';
CREATE OPERATOR dynamo.#> (LEFTARG = dynamo.value, RIGHTARG = text[], FUNCTION = dynamo_internal.value_path);
COMMENT ON FUNCTION dynamo_internal.value_path(dynamo.value, text[]) IS 'implementation of #> operator';
COMMENT ON OPERATOR dynamo.#> (dynamo.value, text[]) IS 'get value at path';
CREATE FUNCTION dynamo_internal.value_path_text(dynamo.value, text[]) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_get_path_text';
CREATE OPERATOR dynamo.#>> (LEFTARG = dynamo.value, RIGHTARG = text[], FUNCTION = dynamo_internal.value_path_text);
COMMENT ON FUNCTION dynamo_internal.value_path_text(dynamo.value, text[]) IS 'implementation of #>> operator';
COMMENT ON OPERATOR dynamo.#>> (dynamo.value, text[]) IS 'get value at path as text';
CREATE FUNCTION dynamo_internal.value_exists(dynamo.value, text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_has_attribute';
CREATE OPERATOR dynamo.? (LEFTARG = dynamo.value, RIGHTARG = text, FUNCTION = dynamo_internal.value_exists);
COMMENT ON FUNCTION dynamo_internal.value_exists(dynamo.value, text) IS 'implementation of ? operator';
COMMENT ON OPERATOR dynamo.? (dynamo.value, text) IS 'map entry exists';

-- Operators that return changed items
CREATE FUNCTION dynamo_internal.merge_items(dynamo.item, dynamo.item) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_merge_items';
CREATE OPERATOR dynamo.|| (LEFTARG = dynamo.item, RIGHTARG = dynamo.item, FUNCTION = dynamo_internal.merge_items);
COMMENT ON FUNCTION dynamo_internal.merge_items(dynamo.item, dynamo.item) IS 'implementation of || operator';
COMMENT ON OPERATOR dynamo.|| (dynamo.item, dynamo.item) IS 'merge items; the right one wins';
CREATE FUNCTION dynamo_internal.item_minus_name(dynamo.item, text) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_remove_attribute';
CREATE OPERATOR dynamo.- (LEFTARG = dynamo.item, RIGHTARG = text, FUNCTION = dynamo_internal.item_minus_name);
COMMENT ON FUNCTION dynamo_internal.item_minus_name(dynamo.item, text) IS 'implementation of - operator';
COMMENT ON OPERATOR dynamo.- (dynamo.item, text) IS 'remove attribute';
CREATE FUNCTION dynamo_internal.item_minus_names(dynamo.item, text[]) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_remove_attributes';
CREATE OPERATOR dynamo.- (LEFTARG = dynamo.item, RIGHTARG = text[], FUNCTION = dynamo_internal.item_minus_names);
COMMENT ON FUNCTION dynamo_internal.item_minus_names(dynamo.item, text[]) IS 'implementation of - operator';
COMMENT ON OPERATOR dynamo.- (dynamo.item, text[]) IS 'remove attributes';

--
-- Item functions: building, reading, measuring
--

CREATE FUNCTION dynamo.item_size(item dynamo.item) RETURNS bigint
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_size';
COMMENT ON FUNCTION dynamo.item_size(dynamo.item) IS 'size of an item in bytes by DynamoDB''s rules';

CREATE FUNCTION dynamo.value_type(value dynamo.value) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_value_type';
COMMENT ON FUNCTION dynamo.value_type(dynamo.value) IS 'type of a value: S, N, B, BOOL, NULL, L, M, SS, NS or BS';

CREATE FUNCTION dynamo.attribute_names(item dynamo.item) RETURNS SETOF text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_attribute_names';
COMMENT ON FUNCTION dynamo.attribute_names(dynamo.item) IS 'names of an item''s attributes';

CREATE FUNCTION dynamo.each(item dynamo.item, OUT name text, OUT value dynamo.value) RETURNS SETOF record
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_each';
COMMENT ON FUNCTION dynamo.each(dynamo.item) IS 'attributes of an item as rows';

CREATE FUNCTION dynamo.elements(value dynamo.value) RETURNS SETOF dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_elements';
COMMENT ON FUNCTION dynamo.elements(dynamo.value) IS 'elements of a list or members of a set as rows';

CREATE FUNCTION dynamo.set_attribute(item dynamo.item, name text, value dynamo.value) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_set_attribute';
COMMENT ON FUNCTION dynamo.set_attribute(dynamo.item, text, dynamo.value) IS 'item with an attribute set or replaced';

CREATE FUNCTION dynamo.remove_attribute(item dynamo.item, VARIADIC names text[]) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_remove_attributes';
COMMENT ON FUNCTION dynamo.remove_attribute(dynamo.item, text[]) IS 'item without these attributes';

CREATE FUNCTION dynamo.to_value("any") RETURNS dynamo.value
	LANGUAGE C STABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_to_value';
COMMENT ON FUNCTION dynamo.to_value("any") IS 'value from SQL data of any type';

CREATE FUNCTION dynamo.build_item(VARIADIC "any") RETURNS dynamo.item
	LANGUAGE C STABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_build_item';
COMMENT ON FUNCTION dynamo.build_item("any") IS 'item from pairs of attribute names and values';

CREATE FUNCTION dynamo.build_item() RETURNS dynamo.item
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_build_item_noargs';
COMMENT ON FUNCTION dynamo.build_item() IS 'item without attributes';

CREATE FUNCTION dynamo.row_to_item("row" record) RETURNS dynamo.item
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_row_to_item';
COMMENT ON FUNCTION dynamo.row_to_item(record) IS 'item with an attribute for every column that is not null';

CREATE FUNCTION dynamo.string_set(VARIADIC members text[]) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_string_set';
COMMENT ON FUNCTION dynamo.string_set(text[]) IS 'value of type SS';

CREATE FUNCTION dynamo.number_set(VARIADIC members numeric[]) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_number_set';
COMMENT ON FUNCTION dynamo.number_set(numeric[]) IS 'value of type NS';

CREATE FUNCTION dynamo.binary_set(VARIADIC members bytea[]) RETURNS dynamo.value
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_binary_set';
COMMENT ON FUNCTION dynamo.binary_set(bytea[]) IS 'value of type BS';

--
-- Expressions over items
--

CREATE FUNCTION dynamo.matches(
	item dynamo.item,
	condition_expression text,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL
) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_matches';

CREATE FUNCTION dynamo.project(
	item dynamo.item,
	projection_expression text,
	expression_attribute_names jsonb DEFAULT NULL
) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_project';

CREATE FUNCTION dynamo.apply_update(
	item dynamo.item,
	update_expression text,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL
) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_apply_update';

CREATE FUNCTION dynamo.expression_cache_stats(
	OUT hits bigint,
	OUT misses bigint,
	OUT evictions bigint,
	OUT entries integer,
	OUT capacity integer
) RETURNS record
	LANGUAGE C VOLATILE PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dynamo_expression_cache_stats';

COMMENT ON FUNCTION dynamo.matches(dynamo.item, text, dynamo.item, jsonb)
	IS 'whether an item satisfies a condition expression';
COMMENT ON FUNCTION dynamo.project(dynamo.item, text, jsonb)
	IS 'the parts of an item that a projection expression names';
COMMENT ON FUNCTION dynamo.apply_update(dynamo.item, text, dynamo.item, jsonb)
	IS 'an item with an update expression applied';
COMMENT ON FUNCTION dynamo.expression_cache_stats()
	IS 'counters of this session''s cache of parsed expressions';

--
-- Tables: the key trigger, definitions, settings, views
--

-- Derives the key columns of a row from its item.  The trigger's argument is the
-- table's definition; dynamo.create_table creates the trigger.
CREATE FUNCTION dynamo_system.derive_keys() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_derive_keys';
COMMENT ON FUNCTION dynamo_system.derive_keys() IS
	'trigger function: derives key columns from the item and checks it';

CREATE FUNCTION dynamo.create_table(table_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT 'S',
	sort_key_type text DEFAULT 'S', indexes jsonb DEFAULT NULL,
	fillfactor integer DEFAULT NULL, partitions integer DEFAULT NULL) RETURNS regclass
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_table';
COMMENT ON FUNCTION dynamo.create_table(text, text, text, text, text, jsonb, integer, integer) IS
	'creates a table for items in the current schema';

CREATE FUNCTION dynamo.drop_table(table_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_table';
COMMENT ON FUNCTION dynamo.drop_table(text) IS
	'drops a table, its items and its indexes';

CREATE FUNCTION dynamo.distribute_table(table_name text, shards integer DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_distribute_table';
COMMENT ON FUNCTION dynamo.distribute_table(text, integer) IS
	'distributes the items of a table over the nodes of Citus by the hash of their partition key';

CREATE FUNCTION dynamo.undistribute_table(table_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_undistribute_table';
COMMENT ON FUNCTION dynamo.undistribute_table(text) IS
	'moves the items of a distributed table back to the coordinator';

CREATE FUNCTION dynamo.describe_table(table_name text) RETURNS jsonb
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_describe_table';
COMMENT ON FUNCTION dynamo.describe_table(text) IS
	'returns keys, indexes, estimated item count and size of a table';

CREATE FUNCTION dynamo.table_relation(table_name text) RETURNS regclass
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_table_relation';
COMMENT ON FUNCTION dynamo.table_relation(text) IS
	'returns the relation of a table name';

CREATE FUNCTION dynamo.index_relation(table_relation regclass, index_name text) RETURNS regclass
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_index_relation';
COMMENT ON FUNCTION dynamo.index_relation(regclass, text) IS
	'returns the btree or the index table of an index; null if there is none';

-- Definitions are arguments of triggers, which every kind of dump preserves.  The
-- owner of a table can write an invalid definition; the views of all tables must
-- not fail because of it.
CREATE FUNCTION dynamo_internal.table_definition(trigger_arguments bytea) RETURNS jsonb
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_table_definition';
COMMENT ON FUNCTION dynamo_internal.table_definition(bytea) IS
	'returns the definition of a table from pg_trigger.tgargs of its key trigger; null if it is invalid';

CREATE FUNCTION dynamo_internal.stream_definition(trigger_arguments bytea) RETURNS jsonb
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_stream_definition';
COMMENT ON FUNCTION dynamo_internal.stream_definition(bytea) IS
	'returns the definition of a stream from pg_trigger.tgargs of its guard; null if it is invalid';

CREATE VIEW dynamo.tables AS
SELECT n.nspname AS schema_name,
	   COALESCE(d.definition ->> 'table', c.relname::text) AS table_name,
	   c.oid::regclass AS relation,
	   pg_get_userbyid(c.relowner) AS owner,
	   d.definition #>> '{partition,0}' AS partition_key,
	   (SELECT a ->> 'type' FROM jsonb_array_elements(d.definition -> 'attributes') a
		WHERE a ->> 'name' = (d.definition #>> '{partition,0}')) AS partition_key_type,
	   d.definition #>> '{sort,0}' AS sort_key,
	   (SELECT a ->> 'type' FROM jsonb_array_elements(d.definition -> 'attributes') a
		WHERE a ->> 'name' = (d.definition #>> '{sort,0}')) AS sort_key_type,
	   CASE WHEN d.definition IS NOT NULL THEN
			(SELECT count(*) FROM jsonb_array_elements(d.definition -> 'indexes') i
			 WHERE (i ->> 'replaces') IS NULL AND (i -> 'vector') IS NULL)::int4 END AS indexes,
	   CASE WHEN has_table_privilege(c.oid, 'SELECT') AND NOT row_security_active(c.oid)
			THEN GREATEST(c.reltuples, 0)::int8 END AS item_count,
	   d.definition
FROM pg_trigger t
	JOIN pg_class c ON c.oid = t.tgrelid
	JOIN pg_namespace n ON n.oid = c.relnamespace
	CROSS JOIN LATERAL (SELECT dynamo_internal.table_definition(t.tgargs) AS definition OFFSET 0) d
WHERE t.tgfoid = 'dynamo_system.derive_keys()'::regprocedure
	AND NOT t.tgisinternal AND t.tgnargs = 1 AND NOT c.relispartition;
COMMENT ON VIEW dynamo.tables IS
	'tables of dynamo.create_table; key and indexes are null if the definition is invalid';

CREATE VIEW dynamo.indexes AS
SELECT t.schema_name,
	   t.table_name,
	   i.index ->> 'name' AS index_name,
	   (i.index ->> 'local')::bool AS local,
	   ARRAY(SELECT jsonb_array_elements_text(i.index -> 'partition')) AS partition_key,
	   ARRAY(SELECT jsonb_array_elements_text(i.index -> 'sort')) AS sort_key,
	   i.index ->> 'projection' AS projection,
	   ARRAY(SELECT jsonb_array_elements_text(i.index -> 'non_key_attributes')) AS non_key_attributes,
	   i.index ->> 'storage' AS storage,
	   CASE WHEN i.index ->> 'shards' <> '0' THEN (i.index ->> 'shards')::int4 END AS shards,
	   i.index ->> 'shard_by' AS shard_by,
	   COALESCE((SELECT c.relname::text FROM pg_class c
				 WHERE c.oid = dynamo.index_relation(t.relation, i.index ->> 'name')),
				i.index ->> 'relation') AS relation_name,
	   i.index ->> 'status' AS status
FROM dynamo.tables t
	CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'indexes')
		WITH ORDINALITY AS i(index, position)
WHERE (i.index ->> 'replaces') IS NULL AND (i.index -> 'vector') IS NULL
ORDER BY t.schema_name, t.table_name, i.position;
COMMENT ON VIEW dynamo.indexes IS 'secondary indexes of tables of dynamo.create_table';

CREATE VIEW dynamo.vector_indexes AS
SELECT t.schema_name,
	   t.table_name,
	   i.index ->> 'name' AS index_name,
	   v.vector ->> 'attribute' AS vector_attribute,
	   (v.vector ->> 'dimensions')::int4 AS dimensions,
	   v.vector ->> 'distance' AS distance,
	   v.vector ->> 'method' AS method,
	   i.index #>> '{partition,0}' AS partition_key,
	   ARRAY(SELECT f ->> 'name' FROM jsonb_array_elements(v.vector -> 'filters') f) AS filters,
	   i.index ->> 'projection' AS projection,
	   ARRAY(SELECT jsonb_array_elements_text(i.index -> 'non_key_attributes')) AS non_key_attributes,
	   COALESCE((SELECT c.relname::text FROM pg_class c
				 WHERE c.oid = dynamo.index_relation(t.relation, i.index ->> 'name')),
				i.index ->> 'relation') AS relation_name,
	   i.index ->> 'status' AS status
FROM dynamo.tables t
	CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'indexes')
		WITH ORDINALITY AS i(index, position)
	CROSS JOIN LATERAL (SELECT i.index -> 'vector' AS vector) v
WHERE v.vector IS NOT NULL
ORDER BY t.schema_name, t.table_name, i.position;
COMMENT ON VIEW dynamo.vector_indexes IS 'vector indexes of tables of dynamo.create_table';

-- Ordinary DDL must not drop columns of a definition, triggers or index tables.
-- ENABLE ALWAYS includes sessions of logical replication.
-- ALTER INDEX can also rename tables; ALTER VIEW, MATERIALIZED VIEW, FOREIGN TABLE
-- and TYPE can rename their columns.
CREATE FUNCTION dynamo_internal.ddl_command_start() RETURNS event_trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_ddl_command_start';
COMMENT ON FUNCTION dynamo_internal.ddl_command_start() IS
	'event trigger function: refuses DDL that would detach index tables or remove triggers';

CREATE EVENT TRIGGER dynamo_ddl_command_start ON ddl_command_start
	WHEN TAG IN ('ALTER TABLE', 'CREATE TABLE', 'CREATE FOREIGN TABLE', 'DROP INDEX', 'DROP TABLE', 'DROP TRIGGER',
		'CREATE TRIGGER', 'ALTER TRIGGER', 'ALTER INDEX', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER TYPE')
	EXECUTE FUNCTION dynamo_internal.ddl_command_start();
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dynamo_ddl_command_start IS 'refuses DDL that would detach index tables or remove triggers';

CREATE FUNCTION dynamo_internal.ddl_command_end() RETURNS event_trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_ddl_command_end';
COMMENT ON FUNCTION dynamo_internal.ddl_command_end() IS
	'event trigger function: keeps tables and their definitions consistent';

CREATE EVENT TRIGGER dynamo_ddl_command_end ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER INDEX', 'CREATE SCHEMA', 'CREATE TABLE', 'CREATE TRIGGER',
		'ALTER TRIGGER', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER TYPE')
	EXECUTE FUNCTION dynamo_internal.ddl_command_end();
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dynamo_ddl_command_end IS 'keeps tables and their definitions consistent';

--
-- Operations on items
--

CREATE FUNCTION dynamo.put_item(
	table_name text,
	item dynamo.item,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE',
	return_values_on_condition_check_failure text DEFAULT 'NONE') RETURNS dynamo.item
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_put_item';

COMMENT ON FUNCTION dynamo.put_item(text, dynamo.item, text, dynamo.item, jsonb, text, text) IS
'stores an item and replaces an item with the same key; returns the old item if return_values is ALL_OLD';

CREATE FUNCTION dynamo.get_item(
	table_name text,
	key dynamo.item,
	projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL) RETURNS dynamo.item
	LANGUAGE C STABLE PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dynamo_get_item';

COMMENT ON FUNCTION dynamo.get_item(text, dynamo.item, text, jsonb) IS
'returns the item with this key, or NULL';

CREATE FUNCTION dynamo.update_item(
	table_name text,
	key dynamo.item,
	update_expression text DEFAULT NULL,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE',
	return_values_on_condition_check_failure text DEFAULT 'NONE') RETURNS dynamo.item
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_update_item';

COMMENT ON FUNCTION dynamo.update_item(text, dynamo.item, text, text, dynamo.item, jsonb, text, text) IS
'changes attributes of the item with this key, or creates it; returns the item or attributes selected by return_values';

-- put_item and query take values where update_item takes a condition.
CREATE FUNCTION dynamo.update_item(text, dynamo.item, text, dynamo.item) RETURNS dynamo.item
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_refuse_values';

COMMENT ON FUNCTION dynamo.update_item(text, dynamo.item, text, dynamo.item) IS
'raises the error for values that have been given as the condition expression';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	key dynamo.item,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE',
	return_values_on_condition_check_failure text DEFAULT 'NONE') RETURNS dynamo.item
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_delete_item';

COMMENT ON FUNCTION dynamo.delete_item(text, dynamo.item, text, dynamo.item, jsonb, text, text) IS
'deletes the item with this key, if it exists; returns the old item if return_values is ALL_OLD';

CREATE FUNCTION dynamo.batch_get_item(
	table_name text,
	keys dynamo.item[],
	projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL) RETURNS SETOF dynamo.item
	LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 25
	AS 'MODULE_PATHNAME', 'dynamo_batch_get_item';

COMMENT ON FUNCTION dynamo.batch_get_item(text, dynamo.item[], text, jsonb) IS
'returns the items with these keys; omits missing items';

CREATE FUNCTION dynamo.batch_write_item(
	table_name text,
	put_items dynamo.item[] DEFAULT NULL,
	delete_keys dynamo.item[] DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_batch_write_item';

COMMENT ON FUNCTION dynamo.batch_write_item(text, dynamo.item[], dynamo.item[]) IS
'stores and deletes many items of one table';

-- JSON text for functions that read it themselves: input like that of json would
-- read it twice, and converting it to jsonb would cost more than the rest.  What is
-- not JSON is an error of these functions.  They take json and jsonb alike.
CREATE TYPE dynamo_internal.json_text;
CREATE FUNCTION dynamo_internal.json_text_in(cstring) RETURNS dynamo_internal.json_text
	LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
	AS 'textin';
CREATE FUNCTION dynamo_internal.json_text_out(dynamo_internal.json_text) RETURNS cstring
	LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
	AS 'textout';
CREATE FUNCTION dynamo_internal.json_text_recv(internal) RETURNS dynamo_internal.json_text
	LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
	AS 'textrecv';
CREATE FUNCTION dynamo_internal.json_text_send(dynamo_internal.json_text) RETURNS bytea
	LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
	AS 'textsend';
CREATE TYPE dynamo_internal.json_text (
	INPUT = dynamo_internal.json_text_in, OUTPUT = dynamo_internal.json_text_out,
	RECEIVE = dynamo_internal.json_text_recv, SEND = dynamo_internal.json_text_send,
	INTERNALLENGTH = variable, STORAGE = extended
);
CREATE CAST (json AS dynamo_internal.json_text) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (jsonb AS dynamo_internal.json_text) WITH INOUT AS IMPLICIT;
COMMENT ON TYPE dynamo_internal.json_text IS 'JSON text, from json or jsonb';
COMMENT ON FUNCTION dynamo_internal.json_text_in(cstring) IS 'input of dynamo_internal.json_text';
COMMENT ON FUNCTION dynamo_internal.json_text_out(dynamo_internal.json_text) IS 'output of dynamo_internal.json_text';
COMMENT ON FUNCTION dynamo_internal.json_text_recv(internal) IS 'binary input of dynamo_internal.json_text';
COMMENT ON FUNCTION dynamo_internal.json_text_send(dynamo_internal.json_text) IS 'binary output of dynamo_internal.json_text';
COMMENT ON CAST (json AS dynamo_internal.json_text) IS 'cast from json to json_text';
COMMENT ON CAST (jsonb AS dynamo_internal.json_text) IS 'cast from jsonb to json_text';

CREATE FUNCTION dynamo.transact_write_items(transact_items dynamo_internal.json_text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_transact_write_items';

COMMENT ON FUNCTION dynamo.transact_write_items(dynamo_internal.json_text) IS
'puts, updates, deletes and checks many items of any tables atomically';

CREATE FUNCTION dynamo.transact_get_items(transact_items dynamo_internal.json_text) RETURNS SETOF dynamo.item
	LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_transact_get_items';

COMMENT ON FUNCTION dynamo.transact_get_items(dynamo_internal.json_text) IS
'returns many items of any tables in the order of the list; NULL for a missing item';

--
-- Reading: query and scan
--

CREATE FUNCTION dynamo.query(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	max_items integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	shard integer DEFAULT NULL,
	shard_value dynamo.value DEFAULT NULL) RETURNS SETOF dynamo.item
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 100 ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_query';

COMMENT ON FUNCTION dynamo.query(text, text, dynamo.item, jsonb, text, boolean, integer, dynamo.item, text, text, integer, dynamo.value) IS
'returns items of one partition of a table or index in sort key order';

CREATE FUNCTION dynamo.query_each(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item[],
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	max_items integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL) RETURNS SETOF dynamo.item
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 100 ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_query_each';

COMMENT ON FUNCTION dynamo.query_each(text, text, dynamo.item[], jsonb, text, boolean, integer, dynamo.item, text, text) IS
'returns items of several queries with other values in the key condition, in sort key order';

CREATE FUNCTION dynamo.query_each_page(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item[],
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	page_size integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	OUT items dynamo.item[],
	OUT count integer,
	OUT scanned_count integer,
	OUT last_evaluated_key dynamo.item)
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_query_each_page';

COMMENT ON FUNCTION dynamo.query_each_page(text, text, dynamo.item[], jsonb, text, boolean, integer, dynamo.item, text, text) IS
'returns one page of several queries with other values in the key condition, and the key after which the next page starts';

CREATE FUNCTION dynamo.scan(
	table_name text,
	filter_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	max_items integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	segment integer DEFAULT NULL,
	total_segments integer DEFAULT NULL) RETURNS SETOF dynamo.item
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 100 ROWS 1000
	AS 'MODULE_PATHNAME', 'dynamo_scan';

COMMENT ON FUNCTION dynamo.scan(text, text, dynamo.item, jsonb, text, text, integer, dynamo.item, integer, integer) IS
'returns all items of a table or index, or of one of its segments';

CREATE FUNCTION dynamo.query_page(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	page_size integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	shard integer DEFAULT NULL,
	shard_value dynamo.value DEFAULT NULL,
	select_attributes text DEFAULT NULL,
	OUT items dynamo.item[],
	OUT count integer,
	OUT scanned_count integer,
	OUT last_evaluated_key dynamo.item)
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_query_page';

COMMENT ON FUNCTION dynamo.query_page(text, text, dynamo.item, jsonb, text, boolean, integer, dynamo.item, text, text, integer, dynamo.value, text) IS
'returns one page of a query, at most page_size items or 1 MB read, and the start key of the next page';

CREATE FUNCTION dynamo.scan_page(
	table_name text,
	filter_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	page_size integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	segment integer DEFAULT NULL,
	total_segments integer DEFAULT NULL,
	select_attributes text DEFAULT NULL,
	OUT items dynamo.item[],
	OUT count integer,
	OUT scanned_count integer,
	OUT last_evaluated_key dynamo.item)
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_scan_page';

COMMENT ON FUNCTION dynamo.scan_page(text, text, dynamo.item, jsonb, text, text, integer, dynamo.item, integer, integer, text) IS
'returns one page of a scan, at most page_size items or 1 MB read, and the start key of the next page';

CREATE FUNCTION dynamo.explain_query(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	index_name text DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	max_items integer DEFAULT NULL,
	exclusive_start_key dynamo.item DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	shard integer DEFAULT NULL,
	shard_value dynamo.value DEFAULT NULL) RETURNS text
	LANGUAGE C STABLE PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dynamo_explain_query';

COMMENT ON FUNCTION dynamo.explain_query(text, text, dynamo.item, jsonb, text, boolean, integer, dynamo.item, text, text, integer, dynamo.value) IS
'describes what a query reads: the index, the key range and the access path';

--
-- Secondary indexes: index tables, building, verification
--

CREATE FUNCTION dynamo_internal.sql_drop() RETURNS event_trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_sql_drop';
COMMENT ON FUNCTION dynamo_internal.sql_drop() IS
	'event trigger function: drops index tables with their table';

CREATE EVENT TRIGGER dynamo_sql_drop ON sql_drop
	WHEN TAG IN ('DROP TABLE', 'DROP INDEX', 'DROP OWNED', 'DROP SCHEMA', 'DROP TRIGGER', 'DROP EXTENSION', 'DROP TYPE')
	EXECUTE FUNCTION dynamo_internal.sql_drop();
ALTER EVENT TRIGGER dynamo_sql_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dynamo_sql_drop IS 'drops index tables and settings with their table';

-- Trigger of a table with index tables: maintains their entries.
CREATE FUNCTION dynamo_system.maintain_indexes() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_maintain_indexes';
COMMENT ON FUNCTION dynamo_system.maintain_indexes() IS
	'trigger function: writes the entries of index tables';

-- Trigger of an index table or a stream: never fires; says to which table it
-- belongs, by which name.
CREATE FUNCTION dynamo_system.belongs_to() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_belongs_to';
COMMENT ON FUNCTION dynamo_system.belongs_to() IS
	'trigger function: links an index table or a stream to its table';

-- Trigger of an index table: skips all other writes.
CREATE FUNCTION dynamo_system.guard_index() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_guard_index';
COMMENT ON FUNCTION dynamo_system.guard_index() IS
	'trigger function: skips writes to an index table except those of index maintenance';

-- Two overloads: keys of one attribute, and keys of several attributes.
CREATE FUNCTION dynamo.create_index(table_name text, index_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT NULL,
	sort_key_type text DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_index';
COMMENT ON FUNCTION dynamo.create_index(text, text, text, text, text, text, text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index and fills it';

CREATE FUNCTION dynamo.create_index(table_name text, index_name text, partition_key text[],
	sort_key text[] DEFAULT NULL, partition_key_type text[] DEFAULT NULL,
	sort_key_type text[] DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_index_multi';
COMMENT ON FUNCTION dynamo.create_index(text, text, text[], text[], text[], text[], text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index with keys of several attributes and fills it';

CREATE FUNCTION dynamo.drop_index(table_name text, index_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_index';
COMMENT ON FUNCTION dynamo.drop_index(text, text) IS
	'drops a secondary index and the columns that only it used';

--
-- Vector indexes
--

CREATE FUNCTION dynamo.create_vector_index(table_name text, index_name text, vector_attribute text,
	dimensions integer, distance text DEFAULT 'COSINE', partition_key text DEFAULT NULL,
	partition_key_type text DEFAULT NULL, filters text[] DEFAULT NULL, filter_types text[] DEFAULT NULL,
	projection text DEFAULT 'ALL', non_key_attributes text[] DEFAULT NULL, method text DEFAULT 'exact') RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_vector_index';
COMMENT ON FUNCTION dynamo.create_vector_index(text, text, text, integer, text, text, text, text[], text[], text, text[], text) IS
	'creates a vector index and fills it';

CREATE FUNCTION dynamo.drop_vector_index(table_name text, index_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_vector_index';
COMMENT ON FUNCTION dynamo.drop_vector_index(text, text) IS
	'drops a vector index';

CREATE FUNCTION dynamo.search_vectors(table_name text, index_name text, search_vector real[],
	top_k integer DEFAULT 10, search_condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL, expression_attribute_names jsonb DEFAULT NULL,
	projection_expression text DEFAULT NULL)
	RETURNS TABLE (item dynamo.item, score double precision)
	LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10
	AS 'MODULE_PATHNAME', 'dynamo_search_vectors';
COMMENT ON FUNCTION dynamo.search_vectors(text, text, real[], integer, text, dynamo.item, jsonb, text) IS
	'returns the items of a vector index with the nearest vectors, the best first';

CREATE FUNCTION dynamo.vector(value dynamo.value) RETURNS real[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_vector';
COMMENT ON FUNCTION dynamo.vector(dynamo.value) IS
	'returns a list of numbers as an array; null if the value is not such a list';

CREATE FUNCTION dynamo.cosine_distance(value dynamo.value, vector real[]) RETURNS double precision
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	AS 'MODULE_PATHNAME', 'dynamo_cosine_distance';
COMMENT ON FUNCTION dynamo.cosine_distance(dynamo.value, real[]) IS
	'returns 1 minus the cosine of the angle between two vectors; null unless both are vectors of the same length';

CREATE FUNCTION dynamo.euclidean_distance(value dynamo.value, vector real[]) RETURNS double precision
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	AS 'MODULE_PATHNAME', 'dynamo_euclidean_distance';
COMMENT ON FUNCTION dynamo.euclidean_distance(dynamo.value, real[]) IS
	'returns the distance between two vectors; null unless both are vectors of the same length';

CREATE FUNCTION dynamo.dot_product(value dynamo.value, vector real[]) RETURNS double precision
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	AS 'MODULE_PATHNAME', 'dynamo_dot_product';
COMMENT ON FUNCTION dynamo.dot_product(dynamo.value, real[]) IS
	'returns the product of two vectors; null unless both are vectors of the same length';

CREATE FUNCTION dynamo_system.vector_sketch(vector real[], key_bytes integer) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_vector_sketch';
COMMENT ON FUNCTION dynamo_system.vector_sketch(real[], integer) IS
	'returns a short form of a vector for a btree with a key of these bytes, empty if there is none';

-- Online index builds

-- Progress of builds.  If a row is lost, the build starts again.
CREATE TABLE dynamo_internal.index_builds (
	relation oid NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	phase text NOT NULL,
	file oid NOT NULL,
	block bigint NOT NULL,
	"offset" bigint NOT NULL,
	blocks bigint NOT NULL,
	rows_done bigint NOT NULL,
	skipped bigint NOT NULL,
	skipped_items jsonb NOT NULL,
	error text,
	cancelled boolean NOT NULL DEFAULT false,
	attempts integer NOT NULL DEFAULT 0,
	started_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	PRIMARY KEY (relation, index_name)
) WITH (fillfactor = 50);
COMMENT ON TABLE dynamo_internal.index_builds IS
	'progress of index builds; written only by index builds';
-- Its OIDs and page numbers belong to one server: a subscription to all tables
-- must not write it.
CREATE FUNCTION dynamo_internal.skip_replicated_write() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_skip_replicated_write';
COMMENT ON FUNCTION dynamo_internal.skip_replicated_write() IS
	'trigger function: skips writes of logical replication';
CREATE TRIGGER skip_replicated_write BEFORE INSERT OR UPDATE OR DELETE ON dynamo_internal.index_builds
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_write();
ALTER TABLE dynamo_internal.index_builds ENABLE REPLICA TRIGGER skip_replicated_write;

CREATE FUNCTION dynamo_internal.pending_changes(relation oid, OUT pending_changes bigint, OUT oldest_change timestamptz)
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_pending_changes';
COMMENT ON FUNCTION dynamo_internal.pending_changes(oid) IS
	'changes of a distributed table that its index tables have yet to get; null if there is nothing to get, or to see';

-- Items and messages are visible only to roles with privileges on the table.
CREATE VIEW dynamo.index_progress AS
SELECT t.schema_name,
	   t.table_name,
	   COALESCE(i.index ->> 'replaces', i.index ->> 'name') AS index_name,
	   i.index ->> 'status' AS status,
	   CASE WHEN i.index ->> 'status' = 'DELETING' THEN 'removing'
			ELSE COALESCE(b.phase, CASE WHEN i.index ->> 'status' = 'ACTIVE' THEN 'complete' ELSE 'filling' END)
			END AS phase,
	   CASE WHEN v.all_rows THEN COALESCE(b.rows_done, 0) END AS rows_done,
	   CASE WHEN NOT v.all_rows THEN NULL
			WHEN b.block > 0 AND b.phase = 'filling'
			THEN (b.rows_done::numeric * b.blocks / b.block)::int8
			ELSE GREATEST(b.rows_done, t.item_count) END AS rows_estimated,
	   CASE WHEN v.all_rows THEN COALESCE(b.skipped, 0) END AS skipped,
	   CASE WHEN pg_has_role(t.owner, 'USAGE') THEN b.skipped_items END AS skipped_items,
	   (SELECT l.pid FROM pg_locks l
		WHERE l.locktype = 'object' AND l.granted
			AND l.database = (SELECT oid FROM pg_database
							  WHERE datname = current_database())
			AND l.classid = 'pg_catalog.pg_class'::regclass
			AND l.objid = t.relation AND l.objsubid = 1::int2
			AND l.mode = 'ShareUpdateExclusiveLock'
			AND i.index ->> 'status' <> 'ACTIVE' LIMIT 1) AS worker_pid,
	   CASE WHEN pg_has_role(t.owner, 'USAGE') THEN b.error END AS error,
	   b.started_at,
	   b.updated_at,
	   c.pending_changes,
	   c.oldest_change
FROM dynamo.tables t
	CROSS JOIN LATERAL (SELECT pg_has_role(t.owner, 'USAGE')
		OR has_table_privilege(t.relation, 'SELECT')
			AND NOT row_security_active(t.relation)) AS v(all_rows)
	CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'indexes') AS i(index)
	LEFT JOIN dynamo_internal.index_builds b
		ON b.relation = t.relation AND b.index_name = (i.index ->> 'name')
	CROSS JOIN LATERAL dynamo_internal.pending_changes(CASE WHEN i.index ->> 'storage' = 'table' THEN t.relation END::oid) c
WHERE b.relation IS NOT NULL OR c.pending_changes IS NOT NULL OR i.index ->> 'status' <> 'ACTIVE';
COMMENT ON VIEW dynamo.index_progress IS
	'builds of secondary indexes: progress, omitted items, errors';

CREATE PROCEDURE dynamo.build_indexes(table_name text DEFAULT NULL, wait boolean DEFAULT true)
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_build_indexes';
COMMENT ON PROCEDURE dynamo.build_indexes(text, boolean) IS
	'builds the unfinished indexes of a table, or of all tables';

CREATE FUNCTION dynamo.build_statements(table_name text DEFAULT NULL) RETURNS SETOF text
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_build_statements';
COMMENT ON FUNCTION dynamo.build_statements(text) IS
	'returns statements that build unfinished indexes if no background worker can';

CREATE PROCEDURE dynamo.create_index_and_wait(table_name text, index_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT NULL,
	sort_key_type text DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_create_index_and_wait';
COMMENT ON PROCEDURE dynamo.create_index_and_wait(text, text, text, text, text, text, text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index and waits until it is built';

CREATE PROCEDURE dynamo.create_index_and_wait(table_name text, index_name text, partition_key text[],
	sort_key text[] DEFAULT NULL, partition_key_type text[] DEFAULT NULL,
	sort_key_type text[] DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_create_index_and_wait_multi';
COMMENT ON PROCEDURE dynamo.create_index_and_wait(text, text, text[], text[], text[], text[], text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index with keys of several attributes and waits until it is built';

CREATE FUNCTION dynamo.reshard_index(table_name text, index_name text, shards integer,
	shard_by text DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_reshard_index';
COMMENT ON FUNCTION dynamo.reshard_index(text, text, integer, text) IS
	'changes the number or the attribute of shards of an index that is in use';

CREATE FUNCTION dynamo.change_index(table_name text, index_name text,
	projection text DEFAULT NULL, non_key_attributes text[] DEFAULT NULL,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_change_index';
COMMENT ON FUNCTION dynamo.change_index(text, text, text, text[], text, integer, text) IS
	'changes the projection or the storage of an index that is in use';

CREATE FUNCTION dynamo.verify_index(table_name text, index_name text,
	OUT problem text, OUT key dynamo.item, OUT detail text) RETURNS SETOF record
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_verify_index';
COMMENT ON FUNCTION dynamo.verify_index(text, text) IS
	'returns the differences between a secondary index and its table';

CREATE FUNCTION dynamo.reindex(table_name text, index_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_reindex';
COMMENT ON FUNCTION dynamo.reindex(text, text) IS
	'rebuilds a secondary index from its table';

-- Used in predicates of indexes: the result must never change.
CREATE FUNCTION dynamo_system.fits_index(partition_attributes integer, sort_attributes integer,
	VARIADIC key_columns "any") RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_fits_index';
COMMENT ON FUNCTION dynamo_system.fits_index(integer, integer, "any") IS
	'whether key columns are within the limits of an index';

CREATE FUNCTION dynamo.recommend_shards(items bigint, item_bytes integer,
	fraction double precision DEFAULT 1, padding double precision DEFAULT 0) RETURNS integer
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_recommend_shards';
COMMENT ON FUNCTION dynamo.recommend_shards(bigint, integer, double precision, double precision) IS
	'returns the number of shards needed to read a fraction of items of a given size each second';

--
-- Plain SQL: planner support, entity views, constraints, import and export
--

-- Containment, and a GIN operator class for containment and existence.
CREATE FUNCTION dynamo_internal.item_contains(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_contains';
COMMENT ON FUNCTION dynamo_internal.item_contains(dynamo.item, dynamo.item) IS
	'implementation of @> operator';
CREATE FUNCTION dynamo_internal.item_contained(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_contained';
COMMENT ON FUNCTION dynamo_internal.item_contained(dynamo.item, dynamo.item) IS
	'implementation of <@ operator';
CREATE OPERATOR dynamo.@> (LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_contains, COMMUTATOR = OPERATOR(dynamo.<@),
	RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR dynamo.@> (dynamo.item, dynamo.item) IS 'contains';
CREATE OPERATOR dynamo.<@ (LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_contained, COMMUTATOR = OPERATOR(dynamo.@>),
	RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR dynamo.<@ (dynamo.item, dynamo.item) IS 'is contained by';

CREATE FUNCTION dynamo_internal.gin_extract_item(dynamo.item, internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_extract_item';
COMMENT ON FUNCTION dynamo_internal.gin_extract_item(dynamo.item, internal) IS 'GIN support';
CREATE FUNCTION dynamo_internal.gin_extract_item_query(dynamo.item, internal, smallint, internal,
	internal, internal, internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_extract_item_query';
COMMENT ON FUNCTION dynamo_internal.gin_extract_item_query(dynamo.item, internal, smallint, internal,
	internal, internal, internal) IS 'GIN support';
CREATE FUNCTION dynamo_internal.gin_consistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal, internal) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_consistent_item';
COMMENT ON FUNCTION dynamo_internal.gin_consistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION dynamo_internal.gin_triconsistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal) RETURNS "char"
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_triconsistent_item';
COMMENT ON FUNCTION dynamo_internal.gin_triconsistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal) IS 'GIN support';
CREATE OPERATOR CLASS dynamo.item_gin_ops DEFAULT FOR TYPE dynamo.item USING gin AS
	OPERATOR 7 dynamo.@> (dynamo.item, dynamo.item),
	OPERATOR 9 dynamo.? (dynamo.item, text),
	FUNCTION 1 btint4cmp(integer, integer),
	FUNCTION 2 dynamo_internal.gin_extract_item(dynamo.item, internal),
	FUNCTION 3 dynamo_internal.gin_extract_item_query(dynamo.item, internal, smallint, internal,
		internal, internal, internal),
	FUNCTION 4 dynamo_internal.gin_consistent_item(internal, smallint, dynamo.item, integer,
		internal, internal, internal, internal),
	FUNCTION 6 dynamo_internal.gin_triconsistent_item(internal, smallint, dynamo.item, integer,
		internal, internal, internal),
	STORAGE integer;
COMMENT ON OPERATOR CLASS dynamo.item_gin_ops USING gin IS
	'containment and existence of attributes';
COMMENT ON OPERATOR FAMILY dynamo.item_gin_ops USING gin IS
	'containment and existence of attributes';

-- Statistics of items: attribute names and their frequencies.
CREATE FUNCTION dynamo_internal.item_typanalyze(internal) RETURNS boolean
	LANGUAGE C STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_typanalyze';
COMMENT ON FUNCTION dynamo_internal.item_typanalyze(internal) IS
	'typanalyze function of items: attribute names and their frequencies';
ALTER TYPE dynamo.item SET (ANALYZE = dynamo_internal.item_typanalyze);

CREATE FUNCTION dynamo_internal.exists_selectivity(internal, oid, internal, integer) RETURNS double precision
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_exists_selectivity';
COMMENT ON FUNCTION dynamo_internal.exists_selectivity(internal, oid, internal, integer) IS
	'selectivity of item ? name';
ALTER OPERATOR dynamo.? (dynamo.item, text) SET (RESTRICT = dynamo_internal.exists_selectivity);

CREATE FUNCTION dynamo_internal.query_support(internal) RETURNS internal
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_query_support';
COMMENT ON FUNCTION dynamo_internal.query_support(internal) IS
	'planner support of dynamo.query: rows, cost, removal of default arguments';
ALTER FUNCTION dynamo.query(text, text, dynamo.item, jsonb, text, boolean, integer,
	dynamo.item, text, text, integer, dynamo.value) SUPPORT dynamo_internal.query_support;

CREATE FUNCTION dynamo_internal.scan_support(internal) RETURNS internal
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_scan_support';
COMMENT ON FUNCTION dynamo_internal.scan_support(internal) IS
	'planner support of dynamo.scan: rows, cost, removal of default arguments';
ALTER FUNCTION dynamo.scan(text, text, dynamo.item, jsonb, text, text, integer,
	dynamo.item, integer, integer) SUPPORT dynamo_internal.scan_support;

CREATE FUNCTION dynamo_internal.begins_with_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_begins_with_support';
COMMENT ON FUNCTION dynamo_internal.begins_with_support(internal) IS
	'planner support of dynamo.begins_with: index ranges and selectivity';

-- Leakproof, because the functions compare bytes and cannot fail: the planner can
-- use an index for them under row security and security barriers.
CREATE FUNCTION dynamo.begins_with(value text, prefix text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT dynamo_internal.begins_with_support
	AS 'MODULE_PATHNAME', 'dynamo_begins_with';
COMMENT ON FUNCTION dynamo.begins_with(text, text) IS
	'whether a text begins with a prefix; uses indexes in byte order';

CREATE FUNCTION dynamo.begins_with(value bytea, prefix bytea) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT dynamo_internal.begins_with_support
	AS 'MODULE_PATHNAME', 'dynamo_begins_with';
COMMENT ON FUNCTION dynamo.begins_with(bytea, bytea) IS
	'whether binary data begins with a prefix; uses indexes';

CREATE FUNCTION dynamo_system.prefix_upper(prefix text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_prefix_upper_text';
COMMENT ON FUNCTION dynamo_system.prefix_upper(text) IS
	'returns the lowest text in byte order above all texts with a prefix; NULL if there is none';

CREATE FUNCTION dynamo_system.prefix_upper(prefix bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_prefix_upper_bytea';
COMMENT ON FUNCTION dynamo_system.prefix_upper(bytea) IS
	'returns the lowest binary value above all values with a prefix; NULL if there is none';

CREATE FUNCTION dynamo.render_key(item dynamo.item, template text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_render_key';
COMMENT ON FUNCTION dynamo.render_key(dynamo.item, text) IS
	'composes a key from an item''s attributes by a template such as ORDER#{order_id}; NULL if an attribute is missing or cannot be part of the key';

CREATE FUNCTION dynamo.parse_key(key text, template text) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_parse_key';
COMMENT ON FUNCTION dynamo.parse_key(text, text) IS
	'extracts attributes from a key by a template such as ORDER#{order_id}; NULL if the key does not match the template';

--
-- Entities: kinds of items whose keys compose themselves
--

CREATE FUNCTION dynamo.create_entity(table_name text, entity_name text, keys dynamo_internal.json_text DEFAULT NULL,
	attributes dynamo_internal.json_text DEFAULT NULL, type_attribute text DEFAULT NULL, type_value text DEFAULT NULL,
	index_conditions dynamo_internal.json_text DEFAULT NULL, expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL, on_mismatch text DEFAULT 'error',
	view_name text DEFAULT NULL, replace boolean DEFAULT false, check_types boolean DEFAULT false)
	RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_entity';
COMMENT ON FUNCTION dynamo.create_entity(text, text, dynamo_internal.json_text, dynamo_internal.json_text, text, text, dynamo_internal.json_text, dynamo.item, jsonb, text, text, boolean, boolean) IS
	'declares a kind of items in a table; every write then composes their keys';

CREATE FUNCTION dynamo.drop_entity(table_name text, entity_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_entity';
COMMENT ON FUNCTION dynamo.drop_entity(text, text) IS
	'drops the declaration of a kind of items and its views; the items do not change';

CREATE FUNCTION dynamo.describe_entity(table_name text, entity_name text) RETURNS jsonb
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_describe_entity';
COMMENT ON FUNCTION dynamo.describe_entity(text, text) IS
	'returns the definition of a kind of items';

CREATE FUNCTION dynamo.entity_key(table_name text, entity_name text, item dynamo.item) RETURNS dynamo.item
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_entity_key';
COMMENT ON FUNCTION dynamo.entity_key(text, text, dynamo.item) IS
	'composes the key of an item of this kind from its attributes';

CREATE FUNCTION dynamo.keys_of(table_name text, item dynamo.item,
	OUT partition_key dynamo.value, OUT sort_key dynamo.value, OUT item dynamo.item) RETURNS record
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_keys_of';
COMMENT ON FUNCTION dynamo.keys_of(text, dynamo.item) IS
	'returns the values of the key columns of an item, and the item with the keys that its entity composes';

CREATE FUNCTION dynamo.kind_of(table_name text, item dynamo.item) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_kind_of';
COMMENT ON FUNCTION dynamo.kind_of(text, dynamo.item) IS
	'returns the entity to which an item belongs; NULL if there is none';

CREATE FUNCTION dynamo.key_parts(table_name text, item dynamo.item) RETURNS dynamo.item
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_key_parts';
COMMENT ON FUNCTION dynamo.key_parts(text, dynamo.item) IS
	'returns the attributes in an item''s keys; missing ones are read from its key; NULL if the item belongs to no entity';

-- In the WHERE of an entity's view: a test, which planner support turns into
-- conditions on keys, too.  Cheap, so that it comes before casts of attributes,
-- which items of other kinds may have in another form.
CREATE FUNCTION dynamo_internal.entity_filter_support(internal) RETURNS internal
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_entity_filter_support';
COMMENT ON FUNCTION dynamo_internal.entity_filter_support(internal) IS
	'planner support of dynamo_system.entity_filter: conditions on keys';

CREATE FUNCTION dynamo_system.is_entity(relation oid, entity_name text, item dynamo.item) RETURNS boolean
	LANGUAGE C STABLE PARALLEL SAFE SUPPORT dynamo_internal.entity_filter_support
	AS 'MODULE_PATHNAME', 'dynamo_is_entity';
COMMENT ON FUNCTION dynamo_system.is_entity(oid, text, dynamo.item) IS
	'whether an item belongs to this entity and has the key that its attributes compose';

CREATE FUNCTION dynamo_system.entity_filter(relation oid, entity_name text, item dynamo.item, VARIADIC parts "any") RETURNS boolean
	LANGUAGE C STABLE PARALLEL SAFE SUPPORT dynamo_internal.entity_filter_support
	AS 'MODULE_PATHNAME', 'dynamo_is_entity';
COMMENT ON FUNCTION dynamo_system.entity_filter(oid, text, dynamo.item, "any") IS
	'dynamo_system.is_entity in the view of an entity; parts are attributes and the expressions of their columns';

CREATE FUNCTION dynamo_internal.compose_key(template text, VARIADIC parts "any") RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_compose_key';
COMMENT ON FUNCTION dynamo_internal.compose_key(text, "any") IS
	'composes a key, or its prefix, from pairs of attributes and values; NULL if a value is null or does not fit';

CREATE FUNCTION dynamo_internal.compose_keys(template text, VARIADIC parts "any") RETURNS text[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_compose_keys';
COMMENT ON FUNCTION dynamo_internal.compose_keys(text, "any") IS
	'composes a key for each element of the value that is an array';

-- Leakproof, so that the conditions hold an index scan under row security and
-- security barriers, too.
CREATE FUNCTION dynamo_internal.may_lack_key_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_may_lack_key_support';
COMMENT ON FUNCTION dynamo_internal.may_lack_key_support(internal) IS
	'planner support of dynamo_internal.may_lack_key and lowest_key_if_empty: index condition and selectivity';

CREATE FUNCTION dynamo_internal.may_lack_key(key text, VARIADIC compared "any") RETURNS boolean
	LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE SUPPORT dynamo_internal.may_lack_key_support
	AS 'MODULE_PATHNAME', 'dynamo_may_lack_key';
COMMENT ON FUNCTION dynamo_internal.may_lack_key(text, "any") IS
	'whether a compared value is an empty text, so that items equal to it are not in an index';

CREATE FUNCTION dynamo_internal.lowest_key_if_empty(VARIADIC compared "any") RETURNS text
	LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE SUPPORT dynamo_internal.may_lack_key_support
	AS 'MODULE_PATHNAME', 'dynamo_lowest_key_if_empty';
COMMENT ON FUNCTION dynamo_internal.lowest_key_if_empty("any") IS
	'the bound above which all keys are if a compared value is an empty text; otherwise NULL';

CREATE FUNCTION dynamo.parse_time("time" text) RETURNS timestamptz
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_parse_time';
COMMENT ON FUNCTION dynamo.parse_time(text) IS
	'converts an ISO 8601 text, in UTC if it has no zone, or a number of seconds since 1970 to a time; NULL if the text is empty';

CREATE FUNCTION dynamo_internal.typed_attribute_support(internal) RETURNS internal
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute_support';
COMMENT ON FUNCTION dynamo_internal.typed_attribute_support(internal) IS
	'planner support of dynamo_system.typed_attribute: no check of the null that tells a domain';

-- The columns of entity views: casts whose errors name the item.  The argument type is
-- null; the modifier -2 stands for times that dynamo.parse_time reads.  They cost more
-- than dynamo_system.is_entity, which thereby comes first: items of other kinds may not cast.
CREATE FUNCTION dynamo_system.typed_attribute(relation oid, item dynamo.item, name text, type anyelement, typmod integer) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL SAFE COST 3
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute';
COMMENT ON FUNCTION dynamo_system.typed_attribute(oid, dynamo.item, text, anyelement, integer) IS
	'returns an attribute as the column of an entity view shows it: cast to the type of an argument; the error of the cast names the item';

CREATE FUNCTION dynamo_system.typed_attribute(relation oid, item dynamo.item, name text, type anyelement, typmod integer, shown text) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL SAFE COST 3
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute';
COMMENT ON FUNCTION dynamo_system.typed_attribute(oid, dynamo.item, text, anyelement, integer, text) IS
	'dynamo_system.typed_attribute of an attribute whose text is shown, which the item''s key may tell';

CREATE FUNCTION dynamo_system.typed_attribute_restricted(relation oid, item dynamo.item, name text, type anyelement, typmod integer) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 3 SUPPORT dynamo_internal.typed_attribute_support
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute';
COMMENT ON FUNCTION dynamo_system.typed_attribute_restricted(oid, dynamo.item, text, anyelement, integer) IS
	'dynamo_system.typed_attribute for domains and types of users, whose code is not for parallel workers';

CREATE FUNCTION dynamo_system.typed_attribute_restricted(relation oid, item dynamo.item, name text, type anyelement, typmod integer, shown text) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL RESTRICTED COST 3 SUPPORT dynamo_internal.typed_attribute_support
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute';
COMMENT ON FUNCTION dynamo_system.typed_attribute_restricted(oid, dynamo.item, text, anyelement, integer, text) IS
	'dynamo_system.typed_attribute for domains and types of users, whose code is not for parallel workers';

CREATE FUNCTION dynamo_system.typed_attribute_or_null(relation oid, item dynamo.item, name text, type anyelement, typmod integer) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL UNSAFE COST 3 SUPPORT dynamo_internal.typed_attribute_support
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute_or_null';
COMMENT ON FUNCTION dynamo_system.typed_attribute_or_null(oid, dynamo.item, text, anyelement, integer) IS
	'dynamo_system.typed_attribute that is null if the attribute cannot be cast';

CREATE FUNCTION dynamo_system.typed_attribute_or_null(relation oid, item dynamo.item, name text, type anyelement, typmod integer, shown text) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL UNSAFE COST 3 SUPPORT dynamo_internal.typed_attribute_support
	AS 'MODULE_PATHNAME', 'dynamo_typed_attribute_or_null';
COMMENT ON FUNCTION dynamo_system.typed_attribute_or_null(oid, dynamo.item, text, anyelement, integer, text) IS
	'dynamo_system.typed_attribute that is null if the attribute cannot be cast';

CREATE FUNCTION dynamo_internal.old_attribute(relation oid, item dynamo.item, name text, type anyelement, typmod integer, removes boolean) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL UNSAFE COST 3
	AS 'MODULE_PATHNAME', 'dynamo_old_attribute';
COMMENT ON FUNCTION dynamo_internal.old_attribute(oid, dynamo.item, text, anyelement, integer, boolean) IS
	'dynamo_system.typed_attribute in the old row of a view, of an attribute that the statement sets and does not read';

CREATE FUNCTION dynamo_internal.old_attribute(relation oid, item dynamo.item, name text, type anyelement, typmod integer, shown text, removes boolean) RETURNS anyelement
	LANGUAGE C STABLE PARALLEL UNSAFE COST 3
	AS 'MODULE_PATHNAME', 'dynamo_old_attribute';
COMMENT ON FUNCTION dynamo_internal.old_attribute(oid, dynamo.item, text, anyelement, integer, text, boolean) IS
	'dynamo_system.typed_attribute in the old row of a view, of an attribute that the statement sets and does not read';

CREATE FUNCTION dynamo_internal.set_columns(view oid, relation oid, entity text, item dynamo.item, VARIADIC columns "any") RETURNS dynamo.item
	LANGUAGE C STABLE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_set_columns';
COMMENT ON FUNCTION dynamo_internal.set_columns(oid, oid, text, dynamo.item, "any") IS
	'returns the item with new values of the columns of an entity view, each given by its name, its old and its new value';

CREATE FUNCTION dynamo.entity_problem(relation oid, item dynamo.item, entity_name text) RETURNS text
	LANGUAGE C STABLE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_entity_problem';
COMMENT ON FUNCTION dynamo.entity_problem(oid, dynamo.item, text) IS
	'returns why an item differs from what its entity composes; NULL if it conforms, or belongs to another entity';

CREATE FUNCTION dynamo.type_problems(relation oid, item dynamo.item, entity_name text) RETURNS text[]
	LANGUAGE C STABLE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_type_problems';
COMMENT ON FUNCTION dynamo.type_problems(oid, dynamo.item, text) IS
	'returns which attributes of an item cannot be cast to the types that its entity declares; NULL if all can, or if it belongs to another entity';

CREATE FUNCTION dynamo.compose_item(relation oid, item dynamo.item) RETURNS dynamo.item
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_compose_item';
COMMENT ON FUNCTION dynamo.compose_item(oid, dynamo.item) IS
	'returns an item with the index keys that its entity composes';

CREATE FUNCTION dynamo.check_entity(table_name text, entity_name text DEFAULT NULL, OUT key dynamo.item, OUT problem text)
	RETURNS SETOF record
	LANGUAGE C STABLE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_check_entity';
COMMENT ON FUNCTION dynamo.check_entity(text, text) IS
	'returns items whose keys or required attributes differ from what their entity composes, and attributes that cannot be cast to their types; without entity_name also items of no entity';

CREATE FUNCTION dynamo.apply_entity(table_name text, entity_name text DEFAULT NULL, max_items integer DEFAULT 1000) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_apply_entity';
COMMENT ON FUNCTION dynamo.apply_entity(text, text, integer) IS
	'composes the index keys of items that are older than their entity, at most max_items at a time; returns the number of changed items';

--
-- Migrations: other keys for the items of an entity, while the table is in use
--

-- Progress of migrations.  If a row is lost, the items are looked at from the beginning.
CREATE TABLE dynamo_internal.migrations (
	relation oid NOT NULL,
	entity_name text COLLATE "C" NOT NULL,
	phase text NOT NULL DEFAULT 'preparing',
	paused boolean NOT NULL DEFAULT false,
	file oid NOT NULL DEFAULT 0,
	block bigint NOT NULL DEFAULT 0,
	blocks bigint NOT NULL DEFAULT 0,
	moved bigint NOT NULL DEFAULT 0,
	passes integer NOT NULL DEFAULT 0,
	error text,
	started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (relation, entity_name)
) WITH (fillfactor = 50);
COMMENT ON TABLE dynamo_internal.migrations IS
	'progress of migrations of entities; written only by them';
CREATE TRIGGER skip_replicated_write BEFORE INSERT OR UPDATE OR DELETE ON dynamo_internal.migrations
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_write();
ALTER TABLE dynamo_internal.migrations ENABLE REPLICA TRIGGER skip_replicated_write;

CREATE FUNCTION dynamo.needs_move(relation oid, item dynamo.item) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_needs_move';
COMMENT ON FUNCTION dynamo.needs_move(oid, dynamo.item) IS
	'whether an item has yet to get the keys of its entity, whose items are moved';

CREATE FUNCTION dynamo.migrate_entity(table_name text, entity_name text, keys dynamo_internal.json_text DEFAULT NULL,
	attributes dynamo_internal.json_text DEFAULT NULL, rename dynamo_internal.json_text DEFAULT NULL, type_value text DEFAULT NULL,
	split text DEFAULT NULL, condition_expression text DEFAULT NULL, expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names dynamo_internal.json_text DEFAULT NULL, merge text DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_migrate_entity';
COMMENT ON FUNCTION dynamo.migrate_entity(text, text, dynamo_internal.json_text, dynamo_internal.json_text, dynamo_internal.json_text, text, text, text, dynamo.item, dynamo_internal.json_text, text) IS
	'gives the items of an entity other keys, names of attributes or types, in the background, while the table is in use';

CREATE FUNCTION dynamo.drop_attribute(table_name text, entity_name text, attribute text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_attribute';
COMMENT ON FUNCTION dynamo.drop_attribute(text, text, text) IS
	'drops one of the two names of an attribute, and takes it away from the items in the background';

CREATE FUNCTION dynamo.pause_migration(table_name text, entity_name text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_pause_migration';
COMMENT ON FUNCTION dynamo.pause_migration(text, text) IS
	'stops moving the items of an entity; each is found under either key';

CREATE FUNCTION dynamo.resume_migration(table_name text, entity_name text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_resume_migration';
COMMENT ON FUNCTION dynamo.resume_migration(text, text) IS
	'continues a migration that was paused, or that an error has stopped';

CREATE FUNCTION dynamo.cancel_migration(table_name text, entity_name text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_cancel_migration';
COMMENT ON FUNCTION dynamo.cancel_migration(text, text) IS
	'gives the items of an entity back the keys, names of attributes or types that they had before a migration';

CREATE PROCEDURE dynamo.await_migration(table_name text)
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_await_migration';
COMMENT ON PROCEDURE dynamo.await_migration(text) IS
	'waits for the end of a migration of a table, and starts a worker if it has none';

CREATE VIEW dynamo.migrations AS
SELECT t.schema_name,
	   t.table_name,
	   e.entity ->> 'name' AS entity_name,
	   COALESCE(e.entity #>> '{moves,phase}', m.phase) AS phase,
	   COALESCE(m.paused, false) AS paused,
	   (SELECT jsonb_object_agg(k ->> 'attribute', k ->> 'template')
		FROM jsonb_array_elements(e.entity -> 'keys') k) AS keys,
	   (SELECT jsonb_object_agg(k ->> 'attribute', k ->> 'template')
		FROM jsonb_array_elements(e.entity #> '{moves,other,keys}') k) AS other_keys,
	   e.entity #>> '{type,value}' AS type_value,
	   e.entity #>> '{moves,type,other}' AS other_type_value,
	   CASE WHEN pg_has_role(t.owner, 'USAGE') THEN COALESCE(m.moved, 0) END AS items_moved,
	   CASE WHEN m.blocks > 0 THEN round(100.0 * LEAST(m.block, m.blocks) / m.blocks, 1) END AS percent_done,
	   (SELECT l.pid FROM pg_locks l
		WHERE l.locktype = 'object' AND l.granted
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND l.classid = 'pg_catalog.pg_class'::regclass
			AND l.objid = t.relation AND l.objsubid = 2::int2 LIMIT 1) AS worker_pid,
	   CASE WHEN pg_has_role(t.owner, 'USAGE') THEN m.error END AS error,
	   m.started_at,
	   m.updated_at
FROM dynamo.tables t
	CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'entities') e(entity)
	LEFT JOIN dynamo_internal.migrations m ON m.relation = t.relation AND m.entity_name = (e.entity ->> 'name')
WHERE m.relation IS NOT NULL OR e.entity ? 'moves';
COMMENT ON VIEW dynamo.migrations IS
	'migrations of entities to other keys, names of attributes or types: phase, progress, error';

CREATE VIEW dynamo.entities AS
SELECT t.schema_name,
	   t.table_name,
	   e.entity ->> 'name' AS entity_name,
	   e.entity #>> '{type,attribute}' AS type_attribute,
	   e.entity #>> '{type,value}' AS type_value,
	   (SELECT jsonb_object_agg(k ->> 'attribute', k ->> 'template')
		FROM jsonb_array_elements(e.entity -> 'keys') k) AS keys,
	   ARRAY(SELECT a ->> 'name'
			 FROM jsonb_array_elements(e.entity -> 'attributes') WITH ORDINALITY v(a, n) ORDER BY v.n) AS attributes,
	   e.entity ->> 'on_mismatch' AS on_mismatch
FROM dynamo.tables t
	CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'entities') e(entity);
COMMENT ON VIEW dynamo.entities IS 'kinds of items that dynamo.create_entity has declared';

--
-- Access patterns: declared questions to a table, as SQL functions
--

-- In the bodies of patterns, which dumps contain.  A plan should evaluate it once,
-- as the condition of an index, and never for each row: so it is costly.
CREATE FUNCTION dynamo_system.pattern_key(comparison text, template text, VARIADIC parts "any") RETURNS text
	LANGUAGE C STABLE PARALLEL SAFE COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_pattern_key';
COMMENT ON FUNCTION dynamo_system.pattern_key(text, text, "any") IS
	'returns the text that an access pattern compares a key with: a key composed from pairs of names and values, or a bound';

CREATE FUNCTION dynamo_system.pattern_list(list anyarray) RETURNS anyarray
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_pattern_list';
COMMENT ON FUNCTION dynamo_system.pattern_list(anyarray) IS
	'returns the list that a part is compared with; an error if it is too long for an access pattern';

CREATE FUNCTION dynamo_internal.has_type_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_has_type_support';
COMMENT ON FUNCTION dynamo_internal.has_type_support(internal) IS
	'planner support of dynamo_system.has_type: estimates its selectivity';

CREATE FUNCTION dynamo_system.has_type(item dynamo.item, type_attribute text, type_value text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT dynamo_internal.has_type_support
	AS 'MODULE_PATHNAME', 'dynamo_has_type';
COMMENT ON FUNCTION dynamo_system.has_type(dynamo.item, text, text) IS
	'whether the type attribute of an item has this value';

CREATE FUNCTION dynamo_system.pattern_holds(relation regclass, basis text) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_pattern_holds';
COMMENT ON FUNCTION dynamo_system.pattern_holds(regclass, text) IS
	'true if an access pattern still finds all items: its entities and its index are what it was made of; otherwise raises an error';

CREATE FUNCTION dynamo_system.pattern_order(relation oid, item dynamo.item, attribute text) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_pattern_order';
COMMENT ON FUNCTION dynamo_system.pattern_order(oid, dynamo.item, text) IS
	'returns a key attribute as the entity of an item composes it: the order of an access pattern while items are moved to other keys';

CREATE FUNCTION dynamo_internal.whole_items_request(pattern regproc, parameters dynamo.item) RETURNS json
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_whole_items_request';
COMMENT ON FUNCTION dynamo_internal.whole_items_request(regproc, dynamo.item) IS
	'returns what dynamo.access_pattern_request returns, without a projection';

CREATE FUNCTION dynamo_internal.pattern_meets(pattern regproc, item dynamo.item, parameters dynamo.item) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100
	AS 'MODULE_PATHNAME', 'dynamo_pattern_meets';
COMMENT ON FUNCTION dynamo_internal.pattern_meets(regproc, dynamo.item, dynamo.item) IS
	'whether an item is of an access pattern''s entities and meets its condition, whatever its filter; NULL if the item does not tell';

CREATE FUNCTION dynamo_internal.pattern_problem(relation regclass, basis text) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_pattern_problem';
COMMENT ON FUNCTION dynamo_internal.pattern_problem(regclass, text) IS
	'returns why an access pattern may not find all items; NULL if it does';

CREATE FUNCTION dynamo.nest_items(table_name text, entity_name text, items dynamo.item[], backward boolean DEFAULT false,
	own_items dynamo.item[] DEFAULT NULL) RETURNS jsonb
	LANGUAGE C STABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_nest_items';
COMMENT ON FUNCTION dynamo.nest_items(text, text, dynamo.item[], boolean, dynamo.item[]) IS
	'returns the items of a collection, given in the order of their keys or backward, as one document: the item of the entity, which may be in own_items instead, with all others nested';

CREATE FUNCTION dynamo.create_access_pattern(table_name text, pattern_name text, key_condition text DEFAULT NULL,
	entities text[] DEFAULT NULL, view_name text DEFAULT NULL, index_name text DEFAULT NULL,
	parameters dynamo_internal.json_text DEFAULT NULL, filter_expression text DEFAULT NULL, projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL, scan_index_forward boolean DEFAULT true,
	max_items integer DEFAULT NULL, returns text DEFAULT NULL, keys dynamo_internal.json_text DEFAULT NULL, description text DEFAULT NULL,
	replace boolean DEFAULT false)
	RETURNS regprocedure
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_access_pattern';
COMMENT ON FUNCTION dynamo.create_access_pattern(text, text, text, text[], text, text, dynamo_internal.json_text, text, text, jsonb, boolean, integer, text, dynamo_internal.json_text, text, boolean) IS
	'declares an access pattern: creates a function that reads one range of one index';

CREATE FUNCTION dynamo.drop_access_pattern(pattern regproc) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_access_pattern';
COMMENT ON FUNCTION dynamo.drop_access_pattern(regproc) IS
	'drops the function of an access pattern';

CREATE FUNCTION dynamo.access_pattern_request(pattern regproc, parameters dynamo.item) RETURNS json
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_access_pattern_request';
COMMENT ON FUNCTION dynamo.access_pattern_request(regproc, dynamo.item) IS
	'returns an access pattern with these parameters as the request Query; NULL if a parameter is missing or no key can contain it';

-- What a function was declared with is a comment in its body, which every kind of
-- dump preserves.  Anybody can write an invalid one; the view must not fail
-- because of it.
CREATE FUNCTION dynamo_internal.access_pattern(function_body text) RETURNS jsonb
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000
	AS 'MODULE_PATHNAME', 'dynamo_access_pattern';
COMMENT ON FUNCTION dynamo_internal.access_pattern(text) IS
	'returns the declaration of an access pattern from pg_proc.prosrc; null if the function is not an access pattern';

CREATE VIEW dynamo.access_patterns AS
SELECT p.pattern ->> 'table' AS table_name,
	   f.oid::regproc AS pattern,
	   pg_get_userbyid(f.proowner) AS owner,
	   ARRAY(SELECT jsonb_array_elements_text(p.pattern -> 'entities')) AS entities,
	   p.pattern ->> 'index' AS index_name,
	   p.pattern ->> 'condition' AS condition,
	   p.pattern ->> 'key' AS key_condition,
	   p.pattern ->> 'filter' AS filter_expression,
	   p.pattern -> 'parameters' AS parameters,
	   p.pattern ->> 'returns' AS returns,
	   obj_description(f.oid, 'pg_proc') AS description,
	   p.pattern -> 'request' AS request,
	   p.pattern ->> 'relation' AS relation
FROM pg_proc f
	JOIN pg_language l ON l.oid = f.prolang
	CROSS JOIN LATERAL (SELECT dynamo_internal.access_pattern(f.prosrc) AS pattern
						WHERE starts_with(f.prosrc, '/* dynamo access pattern ') OFFSET 0) p
WHERE l.lanname = 'sql' AND p.pattern IS NOT NULL;
COMMENT ON VIEW dynamo.access_patterns IS
	'access patterns of dynamo.create_access_pattern: what each reads, and the request Query';

--
-- Copies and totals: what items of one entity keep of items of another
--

-- Triggers of a table with copies or totals.  The argument of the one after rows is
-- their definitions.
CREATE FUNCTION dynamo_system.keep_copies() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_keep_copies';
COMMENT ON FUNCTION dynamo_system.keep_copies() IS
	'trigger function: maintains copies and totals';

CREATE FUNCTION dynamo_internal.copy_definitions(trigger_arguments bytea) RETURNS jsonb
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_copy_definitions';
COMMENT ON FUNCTION dynamo_internal.copy_definitions(bytea) IS
	'returns the definitions of copies from pg_trigger.tgargs of their trigger; null if they are invalid';

CREATE FUNCTION dynamo.create_copy(table_name text, copy_name text, parent text, child text, attributes dynamo_internal.json_text,
	refers dynamo_internal.json_text DEFAULT NULL, index_name text DEFAULT NULL, hidden_parent text DEFAULT 'refuse', fill boolean DEFAULT true) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_copy';
COMMENT ON FUNCTION dynamo.create_copy(text, text, text, text, dynamo_internal.json_text, dynamo_internal.json_text, text, text, boolean) IS
	'declares that attributes of an item are copied to the items that refer to it, and fills them';

CREATE FUNCTION dynamo.drop_copy(table_name text, copy_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_copy';
COMMENT ON FUNCTION dynamo.drop_copy(text, text) IS
	'drops the declaration of a copy; the attributes do not change';

CREATE FUNCTION dynamo.create_total(table_name text, total_name text, parent text, child text, totals dynamo_internal.json_text,
	refers dynamo_internal.json_text DEFAULT NULL, index_name text DEFAULT NULL, hidden_parent text DEFAULT 'refuse', fill boolean DEFAULT true) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_total';
COMMENT ON FUNCTION dynamo.create_total(text, text, text, text, dynamo_internal.json_text, dynamo_internal.json_text, text, text, boolean) IS
	'declares counts, sums, minimums and maximums of items on the item that they refer to, and fills them';

CREATE FUNCTION dynamo.drop_total(table_name text, total_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_total';
COMMENT ON FUNCTION dynamo.drop_total(text, text) IS
	'drops the declaration of a total; the attributes do not change';

CREATE FUNCTION dynamo.check_copies(table_name text, copy_name text DEFAULT NULL, OUT key dynamo.item, OUT problem text)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_check_copies';
COMMENT ON FUNCTION dynamo.check_copies(text, text) IS
	'returns items whose copies or totals are wrong';

CREATE FUNCTION dynamo.repair_copies(table_name text, copy_name text DEFAULT NULL, max_items integer DEFAULT 1000) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_repair_copies';
COMMENT ON FUNCTION dynamo.repair_copies(text, text, integer) IS
	'corrects the copies and totals of items that dynamo.check_copies returns, at most max_items at a time; returns the number of changed items';

CREATE VIEW dynamo.copies AS
SELECT t.schema_name,
	   t.table_name,
	   d.copy ->> 'name' AS copy_name,
	   CASE WHEN d.copy ? 'totals' THEN 'total' ELSE 'copy' END AS kind,
	   d.copy ->> 'parent' AS parent,
	   d.copy ->> 'child' AS child,
	   coalesce(d.copy -> 'totals', d.copy -> 'attributes') AS attributes,
	   d.copy -> 'refers' AS refers,
	   d.copy ->> 'index' AS index_name,
	   coalesce(d.copy ->> 'hidden_parent', 'refuse') AS hidden_parent
FROM dynamo.tables t
	JOIN pg_trigger g ON g.tgrelid = t.relation
	CROSS JOIN LATERAL (SELECT dynamo_internal.copy_definitions(g.tgargs) AS list OFFSET 0) l
	CROSS JOIN LATERAL jsonb_array_elements(l.list) d(copy)
WHERE g.tgfoid = 'dynamo_system.keep_copies()'::regprocedure
	AND NOT g.tgisinternal AND g.tgnargs = 1 AND g.tgname = '~dynamo_collect_copies'
	AND jsonb_typeof(d.copy) = 'object';
COMMENT ON VIEW dynamo.copies IS 'copies and totals that dynamo.create_copy and dynamo.create_total have declared';

CREATE FUNCTION dynamo_system.entity_view_write() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_entity_view_write';
COMMENT ON FUNCTION dynamo_system.entity_view_write() IS
	'trigger function: writes through views of dynamo.create_entity_view';

CREATE FUNCTION dynamo.create_entity_view(view_name text, table_name text, columns dynamo_internal.json_text DEFAULT NULL,
	entity_name text DEFAULT NULL, invalid_values text DEFAULT 'error') RETURNS regclass
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_entity_view';
COMMENT ON FUNCTION dynamo.create_entity_view(text, text, dynamo_internal.json_text, text, text) IS
	'creates a typed, updatable view of the items of an entity, or of all items of a table';

CREATE FUNCTION dynamo.complete_entity_views() RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_complete_entity_views';
COMMENT ON FUNCTION dynamo.complete_entity_views() IS
	'makes the entity views of distributed tables writable on nodes of Citus that were added later';

CREATE FUNCTION dynamo.add_unique_constraint(table_name text, constraint_name text,
	attributes text[], key_prefix dynamo_internal.json_text DEFAULT NULL,
	kind_attributes dynamo.item DEFAULT NULL, condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	is_deferrable boolean DEFAULT false, initially_deferred boolean DEFAULT false) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_add_unique_constraint';
COMMENT ON FUNCTION dynamo.add_unique_constraint(text, text, text[], dynamo_internal.json_text, dynamo.item,
	text, dynamo.item, jsonb, boolean, boolean) IS
	'adds a unique constraint on attributes of one kind of items';

CREATE FUNCTION dynamo_system.check_reference() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_check_reference';
COMMENT ON FUNCTION dynamo_system.check_reference() IS
	'trigger function: requires that a referenced item exists';

CREATE FUNCTION dynamo_system.check_referenced() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_check_referenced';
COMMENT ON FUNCTION dynamo_system.check_referenced() IS
	'trigger function: prevents the removal of a referenced item';

CREATE FUNCTION dynamo.add_reference(table_name text, constraint_name text,
	referenced_key dynamo_internal.json_text, referenced_table text DEFAULT NULL,
	key_prefix dynamo_internal.json_text DEFAULT NULL, kind_attributes dynamo.item DEFAULT NULL,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL, on_delete text DEFAULT 'NO ACTION',
	is_deferrable boolean DEFAULT false, initially_deferred boolean DEFAULT false,
	create_index boolean DEFAULT true) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_add_reference';
COMMENT ON FUNCTION dynamo.add_reference(text, text, dynamo_internal.json_text, text, dynamo_internal.json_text, dynamo.item,
	text, dynamo.item, jsonb, text, boolean, boolean, boolean) IS
	'adds a reference: items of one kind require that another item exists';

CREATE FUNCTION dynamo.drop_constraint(table_name text, constraint_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_constraint';
COMMENT ON FUNCTION dynamo.drop_constraint(text, text) IS
	'drops a unique constraint or a reference';

CREATE FUNCTION dynamo.import_line(line text) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_api', 'dynamo_import_line';
COMMENT ON FUNCTION dynamo.import_line(text) IS
	'returns the item of an export line, such as {"Item":{"PK":{"S":"a"}}}';

CREATE FUNCTION dynamo.export_line(item dynamo.item) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_api', 'dynamo_export_line';
COMMENT ON FUNCTION dynamo.export_line(dynamo.item) IS
	'returns an item as an export line, {"Item":{...}}';

CREATE FUNCTION dynamo.import_items(table_name text, file_name text,
	skip_errors boolean DEFAULT false, OUT imported bigint, OUT failed bigint)
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_api', 'dynamo_import_items';
COMMENT ON FUNCTION dynamo.import_items(text, text, boolean) IS
	'puts the items of a server file of JSON lines into a table';

CREATE FUNCTION dynamo.import_lines(table_name text, lines text[],
	skip_errors boolean DEFAULT false, OUT imported bigint, OUT failed bigint)
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_api', 'dynamo_import_lines';
COMMENT ON FUNCTION dynamo.import_lines(text, text[], boolean) IS
	'puts the items of JSON lines into a table';

CREATE FUNCTION dynamo.export_items(table_name text, file_name text) RETURNS bigint
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_api', 'dynamo_export_items';
COMMENT ON FUNCTION dynamo.export_items(text, text) IS
	'writes the items of a table to a server file of JSON lines; returns their number';

--
-- Streams: capture, read and trim changes
--

-- Trigger of a table with a stream: appends records.  Arguments: stream, view type,
-- label.
CREATE FUNCTION dynamo_system.capture_changes() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_capture_changes';
COMMENT ON FUNCTION dynamo_system.capture_changes() IS
	'trigger function: records the changes of items in a stream';

-- Trigger of a stream: skips all other writes.  Its argument is the definition.
CREATE FUNCTION dynamo_system.guard_stream() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_guard_stream';
COMMENT ON FUNCTION dynamo_system.guard_stream() IS
	'trigger function: skips writes to a stream except captured changes';

CREATE FUNCTION dynamo_internal.is_shard(relation oid) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_is_shard';
COMMENT ON FUNCTION dynamo_internal.is_shard(oid) IS
	'whether a relation is a shard of Citus';

CREATE FUNCTION dynamo.stream_arn(table_name text, label text) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_api', 'dynamo_stream_arn';
COMMENT ON FUNCTION dynamo.stream_arn(text, text) IS
	'returns the ARN of a stream';

-- The definition of a stream is the argument of its trigger. The triggers are found by their dependency on the function,
-- so that tables without a stream cost nothing.
CREATE VIEW dynamo.streams AS
SELECT n.nspname AS schema_name,
	   d.definition ->> 'table' AS table_name,
	   c.oid::regclass AS stream_relation,
	   pg_get_userbyid(c.relowner) AS owner,
	   d.definition ->> 'label' AS label,
	   d.definition ->> 'view' AS view_type,
	   CASE WHEN (d.definition ->> 'closed') IS NULL THEN 'ENABLED' ELSE 'DISABLED' END AS status,
	   (d.definition ->> 'label' || '+00')::timestamptz AS enabled_at,
	   (d.definition ->> 'closed' || '+00')::timestamptz AS disabled_at,
	   dynamo.stream_arn(d.definition ->> 'table', d.definition ->> 'label') AS arn
FROM pg_depend f
	JOIN pg_trigger t ON t.oid = f.objid
	JOIN pg_class c ON c.oid = t.tgrelid
	JOIN pg_namespace n ON n.oid = c.relnamespace
	CROSS JOIN LATERAL (SELECT dynamo_internal.stream_definition(t.tgargs) AS definition OFFSET 0) d
WHERE f.refclassid = 'pg_catalog.pg_proc'::regclass
	AND f.refobjid = 'dynamo_system.guard_stream()'::regprocedure
	AND f.classid = 'pg_catalog.pg_trigger'::regclass
	AND t.tgfoid = f.refobjid AND NOT t.tgisinternal AND t.tgnargs = 1 AND (t.tgtype & 32::int2) = 0 AND NOT c.relispartition
	AND d.definition IS NOT NULL AND NOT dynamo_internal.is_shard(c.oid);
COMMENT ON VIEW dynamo.streams IS 'enabled and disabled streams, including those of dropped tables';

CREATE FUNCTION dynamo.enable_stream(table_name text,
	view_type text DEFAULT 'NEW_AND_OLD_IMAGES') RETURNS text
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_enable_stream';
COMMENT ON FUNCTION dynamo.enable_stream(text, text) IS
	'starts a stream of the changes of a table; returns its label';

CREATE FUNCTION dynamo.disable_stream(table_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_disable_stream';
COMMENT ON FUNCTION dynamo.disable_stream(text) IS
	'ends the stream of a table; its records remain until they are trimmed';

CREATE FUNCTION dynamo.read_stream(table_name text, after numeric DEFAULT NULL,
	max_records bigint DEFAULT 1000, label text DEFAULT NULL, shard_id text DEFAULT NULL,
	OUT sequence_number numeric, OUT event_name text, OUT keys dynamo.item,
	OUT new_image dynamo.item, OUT old_image dynamo.item, OUT created_at timestamptz,
	OUT expired boolean, OUT event_id text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_read_stream';
COMMENT ON FUNCTION dynamo.read_stream(text, numeric, bigint, text, text) IS
	'returns the changes of a table after a sequence number, in order';

CREATE FUNCTION dynamo.stream_shards(table_name text, label text DEFAULT NULL) RETURNS SETOF text
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 32
	AS 'MODULE_PATHNAME', 'dynamo_stream_shards';
COMMENT ON FUNCTION dynamo.stream_shards(text, text) IS
	'returns the ids of the shards of a stream: one, or one for each shard of a distributed table';

-- Other nodes of Citus call this function.  It has the rights of its caller.
CREATE FUNCTION dynamo_system.stream_on_shard(schema_name text, relation_name text, shard_id text, action integer,
	number text, max_records integer, max_bytes integer) RETURNS bytea
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_stream_on_shard';
COMMENT ON FUNCTION dynamo_system.stream_on_shard(text, text, text, integer, text, integer, integer) IS
	'reads or trims a shard of a stream for another node of Citus, if it is on this node';

CREATE FUNCTION dynamo.trim_streams(table_name text DEFAULT NULL,
	retention interval DEFAULT '24 hours', max_records bigint DEFAULT 1000000) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_trim_streams';
COMMENT ON FUNCTION dynamo.trim_streams(text, interval, bigint) IS
	'deletes old stream records of the caller''s tables; returns their number';

--
-- DynamoDB requests in JSON
--

-- Settings of the API that are not part of a table's definition, by the id in it;
-- relation tells a table from a copy of its definition.  Tables without a row have
-- defaults, so that dumps may omit these tables.
CREATE TABLE dynamo_internal.table_settings (
	table_id text COLLATE "C" PRIMARY KEY,
	relation oid NOT NULL,
	created_at timestamptz,
	on_demand boolean NOT NULL,
	on_demand_since timestamptz,
	read_capacity_units bigint NOT NULL DEFAULT 0,
	write_capacity_units bigint NOT NULL DEFAULT 0,
	increased_at timestamptz,
	decreased_at timestamptz,
	decreases bigint NOT NULL DEFAULT 0,
	max_read_request_units bigint NOT NULL DEFAULT 0,
	max_write_request_units bigint NOT NULL DEFAULT 0,
	warm_read_units bigint NOT NULL DEFAULT 0,
	warm_write_units bigint NOT NULL DEFAULT 0,
	stream_label text,
	deletion_protection boolean NOT NULL DEFAULT false,
	table_class text,
	table_class_changed_at timestamptz,
	sse_type text,
	sse_key text,
	time_to_live_changed_at timestamptz,
	recovery_period_days bigint NOT NULL DEFAULT 0,
	recovery_since timestamptz,
	recovery_stream text
);
CREATE INDEX table_settings_relation ON dynamo_internal.table_settings (relation);
COMMENT ON TABLE dynamo_internal.table_settings IS
	'settings of tables made by requests: billing, streams, protection, recovery; written only by requests';

CREATE TABLE dynamo_internal.index_settings (
	table_id text COLLATE "C" NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	read_capacity_units bigint NOT NULL,
	write_capacity_units bigint NOT NULL,
	increased_at timestamptz,
	decreased_at timestamptz,
	decreases bigint NOT NULL,
	max_read_request_units bigint NOT NULL,
	max_write_request_units bigint NOT NULL,
	warm_read_units bigint NOT NULL,
	warm_write_units bigint NOT NULL,
	PRIMARY KEY (table_id, index_name)
);
COMMENT ON TABLE dynamo_internal.index_settings IS
	'throughput settings of global indexes; written only by requests';

CREATE TABLE dynamo_internal.table_tags (
	table_id text COLLATE "C" NOT NULL,
	tag_key text COLLATE "C" NOT NULL,
	tag_value text NOT NULL,
	PRIMARY KEY (table_id, tag_key)
);
COMMENT ON TABLE dynamo_internal.table_tags IS 'tags of tables; written only by requests';

-- kind: policy (name: '' or the label of the stream), insights (name: '' or that of
-- the index), kinesis (name: an ARN).
CREATE TABLE dynamo_internal.table_attachments (
	table_id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	value text NOT NULL,
	changed_at timestamptz NOT NULL,
	PRIMARY KEY (table_id, kind, name)
);
COMMENT ON TABLE dynamo_internal.table_attachments IS
	'policies, contributor insights and Kinesis destinations of tables; written only by requests';

SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.table_settings', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.index_settings', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.table_tags', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.table_attachments', '');

-- The hash is of owner and token.
CREATE TABLE dynamo_internal.request_tokens (
	hash bigint NOT NULL,
	owner text COLLATE "C" NOT NULL,	-- the OID of a role
	token text COLLATE "C" NOT NULL,
	digest bytea NOT NULL,
	completed_at timestamptz NOT NULL,
	PRIMARY KEY (hash)
);
COMMENT ON TABLE dynamo_internal.request_tokens IS
	'ClientRequestTokens of the last ten minutes; written by TransactWriteItems';

-- Existing settings must not stop a subscription to all tables.
CREATE FUNCTION dynamo_internal.skip_replicated_duplicate() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_skip_replicated_duplicate';
COMMENT ON FUNCTION dynamo_internal.skip_replicated_duplicate() IS
	'trigger function: skips rows of logical replication that already exist';
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo_internal.table_settings
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo_internal.index_settings
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo_internal.table_tags
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo_internal.table_attachments
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo_internal.request_tokens
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_duplicate();
ALTER TABLE dynamo_internal.table_settings ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo_internal.index_settings ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo_internal.table_tags ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo_internal.table_attachments ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo_internal.request_tokens ENABLE REPLICA TRIGGER skip_replicated_duplicate;

-- What the extension reads in its tables it believes.  pg_write_all_data is not
-- enough to write them.
CREATE FUNCTION dynamo_internal.guard_settings() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_guard_settings';
COMMENT ON FUNCTION dynamo_internal.guard_settings() IS
	'trigger function: refuses statements of users other than the owner of the extension''s tables';
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.table_settings
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.index_settings
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.table_tags
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.table_attachments
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.request_tokens
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.index_builds
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
ALTER TABLE dynamo_internal.table_settings ENABLE ALWAYS TRIGGER guard_settings;
ALTER TABLE dynamo_internal.index_settings ENABLE ALWAYS TRIGGER guard_settings;
ALTER TABLE dynamo_internal.table_tags ENABLE ALWAYS TRIGGER guard_settings;
ALTER TABLE dynamo_internal.table_attachments ENABLE ALWAYS TRIGGER guard_settings;
ALTER TABLE dynamo_internal.request_tokens ENABLE ALWAYS TRIGGER guard_settings;
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.migrations
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
ALTER TABLE dynamo_internal.index_builds ENABLE ALWAYS TRIGGER guard_settings;
ALTER TABLE dynamo_internal.migrations ENABLE ALWAYS TRIGGER guard_settings;

CREATE FUNCTION dynamo.request(operation text, request dynamo_internal.json_text) RETURNS json
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_api', 'dynamo_request';
COMMENT ON FUNCTION dynamo.request(text, dynamo_internal.json_text) IS
	'executes a request of the DynamoDB API; errors are raised with the error body as DETAIL';

CREATE FUNCTION dynamo.request_safe(operation text, request dynamo_internal.json_text) RETURNS json
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_api', 'dynamo_request_safe';
COMMENT ON FUNCTION dynamo.request_safe(text, dynamo_internal.json_text) IS
	'executes a request of the DynamoDB API; returns {"status": HTTP status, "body": response or error}';

CREATE FUNCTION dynamo_system.request_on_shard(operation text, request text) RETURNS text
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_api', 'dynamo_request_on_shard';
COMMENT ON FUNCTION dynamo_system.request_on_shard(text, text) IS
	'executes a request for another node of Citus; fails if its item is on no shard of this node';

CREATE FUNCTION dynamo_system.row_on_shard(action integer, schema_name text, relation_name text, access integer, item bytea) RETURNS bytea
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_row_on_shard';
COMMENT ON FUNCTION dynamo_system.row_on_shard(integer, text, text, integer, bytea) IS
	'reads or writes one row for another node of Citus, if it is on a shard of this node';

CREATE FUNCTION dynamo_system.take_settings(names text[], setting_values text[]) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_take_settings';
COMMENT ON FUNCTION dynamo_system.take_settings(text[], text[]) IS
	'sets custom settings until the end of the transaction, for a session on another node of Citus';

CREATE FUNCTION dynamo_system.rows_on_shard(schema_name text, relation_name text, range bytea, key_operator integer,
	direction integer, max_rows integer, max_bytes integer) RETURNS SETOF bytea
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_rows_on_shard';
COMMENT ON FUNCTION dynamo_system.rows_on_shard(text, text, bytea, integer, integer, integer, integer) IS
	'reads rows of one partition key, of a shard or of several keys for another node of Citus, if they are on this node';

CREATE FUNCTION dynamo_system.write_on_shard(kind integer, table_name text, item dynamo.item, update_expression text,
	condition_expression text, expression_attribute_values dynamo.item, expression_attribute_names jsonb,
	return_values text, return_values_on_condition_check_failure text) RETURNS dynamo.item
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_write_on_shard';
COMMENT ON FUNCTION dynamo_system.write_on_shard(integer, text, dynamo.item, text, text, dynamo.item, jsonb, text, text) IS
	'executes put_item (0), update_item (1) or delete_item (2) for another node of Citus; fails if the item is on no shard of this node';

-- Index tables of distributed tables
CREATE FUNCTION dynamo.apply_index_changes(table_name text, max_changes integer DEFAULT 10000) RETURNS bigint
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_apply_index_changes';
COMMENT ON FUNCTION dynamo.apply_index_changes(text, integer) IS
	'applies changes of a distributed table to its index tables, at most so many of each node; returns the number of changed items';

CREATE FUNCTION dynamo.wait_for_index(table_name text, index_name text, timeout interval DEFAULT '1 minute') RETURNS boolean
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_wait_for_index';
COMMENT ON FUNCTION dynamo.wait_for_index(text, text, interval) IS
	'waits until an index has all changes that were committed before; false if it does not have them in time';

CREATE FUNCTION dynamo_system.take_index_changes(schema_name text, relation_name text, max_changes integer) RETURNS bytea
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_take_index_changes';
COMMENT ON FUNCTION dynamo_system.take_index_changes(text, text, integer) IS
	'returns and deletes changes that were recorded on this node of Citus, for the owner of the table; with 0, tells whether there are any';

CREATE FUNCTION dynamo_system.put_index_entries(schema_name text, relation_name text, index_name text, entries bytea) RETURNS bigint
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_put_index_entries';
COMMENT ON FUNCTION dynamo_system.put_index_entries(text, text, text, bytea) IS
	'deletes and writes entries of an index table on this node of Citus, for the owner of the table';

CREATE FUNCTION dynamo_system.entry_of_item(schema_name text, relation_name text, index_name text, item dynamo.item) RETURNS dynamo.item
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_citus', 'dynamo_entry_of_item';
COMMENT ON FUNCTION dynamo_system.entry_of_item(text, text, text, dynamo.item) IS
	'for another node of Citus: the entry that an item has in an index, with the projected attributes; null if it has none';

CREATE FUNCTION dynamo_system.change_shard(shard_name text, work integer, index_name text) RETURNS text
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_citus', 'dynamo_change_shard';
COMMENT ON FUNCTION dynamo_system.change_shard(text, integer, text) IS
	'changes or searches the rows of a shard of Citus whose definition this transaction has changed, for the owner of the table';

-- IAM policies
CREATE FUNCTION dynamo.iam_policy_to_sql(policy jsonb, role_name text, schema_name text DEFAULT pg_catalog.current_schema(),
	variables jsonb DEFAULT '{}', OUT statement integer, OUT sid text, OUT kind text, OUT line text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_iam_policy_to_sql';
COMMENT ON FUNCTION dynamo.iam_policy_to_sql(jsonb, text, text, jsonb) IS
	'translates an IAM policy, or a list of all policies of a role, into GRANT, REVOKE and row security policies, as text for review';

-- Statistics of requests.  The views show a table to those who may see all its rows, and to members
-- of pg_read_all_stats; they are barriers, so that functions of the user see no hidden row.
CREATE FUNCTION dynamo_internal.may_see_statistics(relation oid) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_may_see_statistics';
COMMENT ON FUNCTION dynamo_internal.may_see_statistics(oid) IS 'whether the user may see the statistics of a table';

CREATE FUNCTION dynamo_internal.stat_requests(OUT relation oid, OUT index oid, OUT operation text, OUT requests bigint,
	OUT user_errors bigint, OUT condition_failures bigint, OUT canceled bigint, OUT conflicts bigint,
	OUT system_errors bigint, OUT items_returned bigint, OUT items_read bigint, OUT read_bytes bigint, OUT request_bytes bigint,
	OUT response_bytes bigint, OUT expired_items bigint, OUT read_units double precision, OUT write_units double precision, OUT total_time double precision, OUT durations bigint[], OUT stats_reset timestamptz)
	RETURNS SETOF record
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 100
	AS '$libdir/dynamo_api', 'dynamo_stat_requests';
COMMENT ON FUNCTION dynamo_internal.stat_requests() IS
	'statistics of requests in this database, from shared memory';
CREATE FUNCTION dynamo.stat_reset() RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	AS '$libdir/dynamo_api', 'dynamo_stat_reset';
COMMENT ON FUNCTION dynamo.stat_reset() IS 'resets the statistics of requests in this database';

CREATE FUNCTION dynamo.key_hash(value dynamo.value) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_key_hash';
COMMENT ON FUNCTION dynamo.key_hash(dynamo.value) IS
	'returns the hash of a key attribute that log entries about slow requests on this server contain';

CREATE FUNCTION dynamo.log_entries(request_id text, file text DEFAULT pg_catalog.pg_current_logfile()) RETURNS SETOF text
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_log_entries';
COMMENT ON FUNCTION dynamo.log_entries(text, text) IS
	'returns the entries of the server log about a request of the HTTP endpoint';

CREATE VIEW dynamo.stat_operations WITH (security_barrier) AS
SELECT s.operation,
	   n.nspname AS schema_name,
	   c.relname AS table_name,
	   s.requests,
	   s.user_errors,
	   s.condition_failures,
	   s.canceled,
	   s.conflicts,
	   s.system_errors,
	   s.items_returned,
	   s.items_read,
	   s.read_bytes,
	   s.request_bytes,
	   s.response_bytes,
	   s.read_units,
	   s.write_units,
	   s.total_time,
	   CASE WHEN s.requests > 0 THEN s.total_time / s.requests END AS mean_time,
	   s.durations,
	   s.stats_reset
FROM dynamo_internal.stat_requests() s
	LEFT JOIN pg_class c ON c.oid = s.relation
	LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE s.index IS NULL AND s.operation IS NOT NULL
	AND (c.oid IS NULL OR dynamo_internal.may_see_statistics(c.oid));
COMMENT ON VIEW dynamo.stat_operations IS 'statistics of requests by operation and table';

-- How far behind: of tables and streams that are locked, nothing is known.
CREATE FUNCTION dynamo_internal.stat_time_to_live(OUT relation oid, OUT lag double precision) RETURNS SETOF record
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 100
	AS 'MODULE_PATHNAME', 'dynamo_stat_time_to_live';
COMMENT ON FUNCTION dynamo_internal.stat_time_to_live() IS
	'seconds since the expiry time of the oldest expired item of each table with time to live';
CREATE FUNCTION dynamo_internal.stream_lag(stream oid, OUT lag double precision, OUT oldest_record double precision)
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_stream_lag';
COMMENT ON FUNCTION dynamo_internal.stream_lag(oid) IS
	'ages in seconds: of the oldest record that readers must wait for, and of the oldest record';

CREATE VIEW dynamo.stat_time_to_live WITH (security_barrier) AS
SELECT n.nspname AS schema_name,
	   c.relname AS table_name,
	   COALESCE(r.items, 0) AS items_expired,
	   l.lag
FROM dynamo_internal.stat_time_to_live() l
	JOIN pg_class c ON c.oid = l.relation
	JOIN pg_namespace n ON n.oid = c.relnamespace
	LEFT JOIN (SELECT q.relation, sum(q.expired_items)::int8 AS items
		FROM dynamo_internal.stat_requests() q GROUP BY q.relation) r ON r.relation = l.relation;
COMMENT ON VIEW dynamo.stat_time_to_live IS 'expired items: how many were deleted, and how late';

CREATE VIEW dynamo.stat_streams WITH (security_barrier) AS
SELECT s.schema_name,
	   s.table_name,
	   s.label,
	   s.status,
	   l.lag,
	   l.oldest_record,
	   pg_total_relation_size(s.stream_relation) AS total_bytes
FROM dynamo.streams s
	CROSS JOIN LATERAL dynamo_internal.stream_lag(s.stream_relation::oid) l
WHERE dynamo_internal.may_see_statistics(s.stream_relation::oid)
	OR EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = s.schema_name AND c.relname::text = s.table_name
			AND pg_get_userbyid(c.relowner) = s.owner
			AND dynamo_internal.may_see_statistics(c.oid));
COMMENT ON VIEW dynamo.stat_streams IS 'streams: how long readers wait for open transactions, the age of records, and their size';

-- The partitions of a table, of any depth.  pg_partition_tree would lock them until the end of the transaction.
CREATE FUNCTION dynamo_internal.partitions_of(relation oid) RETURNS SETOF oid
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
WITH RECURSIVE p AS (
	SELECT h.inhrelid FROM pg_inherits h WHERE h.inhparent = $1
	UNION ALL
	SELECT h.inhrelid FROM p JOIN pg_inherits h ON h.inhparent = p.inhrelid)
SELECT p.inhrelid FROM p;
END;
COMMENT ON FUNCTION dynamo_internal.partitions_of(oid) IS 'returns the partitions of a table';

CREATE VIEW dynamo.stat_tables WITH (security_barrier) AS
SELECT t.schema_name,
	   t.table_name,
	   r.requests,
	   r.errors,
	   r.items_returned,
	   r.items_read,
	   r.read_bytes,
	   r.response_bytes,
	   r.read_units,
	   r.write_units,
	   s.items_inserted,
	   s.items_updated,
	   s.items_deleted,
	   s.live_items,
	   s.dead_items,
	   s.last_vacuum,
	   s.last_analyze,
	   pg_total_relation_size(t.relation) AS total_bytes
FROM dynamo.tables t
	LEFT JOIN (SELECT q.relation,
			sum(q.requests)::int8 AS requests,
			sum(q.user_errors + q.condition_failures + q.canceled
				+ q.conflicts + q.system_errors)::int8 AS errors,
			sum(q.items_returned)::int8 AS items_returned,
			sum(q.items_read)::int8 AS items_read,
			sum(q.read_bytes)::int8 AS read_bytes,
			sum(q.response_bytes)::int8 AS response_bytes,
			sum(q.read_units) AS read_units,
			sum(q.write_units) AS write_units
		FROM dynamo_internal.stat_requests() q WHERE q.index IS NULL GROUP BY q.relation) r ON r.relation = t.relation
	CROSS JOIN LATERAL (SELECT
			sum(a.n_tup_ins)::int8 AS items_inserted,
			sum(a.n_tup_upd)::int8 AS items_updated,
			sum(a.n_tup_del)::int8 AS items_deleted,
			sum(a.n_live_tup)::int8 AS live_items,
			sum(a.n_dead_tup)::int8 AS dead_items,
			max(GREATEST(a.last_vacuum, a.last_autovacuum)) AS last_vacuum,
			max(GREATEST(a.last_analyze, a.last_autoanalyze)) AS last_analyze
		FROM pg_stat_all_tables a
		WHERE a.relid = t.relation
			OR a.relid = ANY (SELECT dynamo_internal.partitions_of(t.relation))) s
WHERE dynamo_internal.may_see_statistics(t.relation);
COMMENT ON VIEW dynamo.stat_tables IS 'statistics of tables of dynamo.create_table, by requests and by all writes';

-- Reads of an inline index are those of its btree; an index table has entries of its own.
CREATE VIEW dynamo.stat_indexes WITH (security_barrier) AS
SELECT t.schema_name,
	   t.table_name,
	   i.index_name,
	   i.storage,
	   s.scans,
	   s.entries_read,
	   s.entries_written,
	   r.read_units,
	   r.write_units,
	   s.total_bytes
FROM dynamo.tables t
	CROSS JOIN LATERAL (SELECT j ->> 'name' AS index_name, j ->> 'storage' AS storage
		FROM jsonb_array_elements(t.definition -> 'indexes') j
		WHERE (j ->> 'replaces') IS NULL) i
	CROSS JOIN LATERAL (SELECT dynamo.index_relation(t.relation, i.index_name)::oid AS oid) x
	LEFT JOIN (SELECT q.index, sum(q.read_units) AS read_units, sum(q.write_units) AS write_units
		FROM dynamo_internal.stat_requests() q WHERE q.index IS NOT NULL GROUP BY q.index) r ON r.index = x.oid
	CROSS JOIN LATERAL (
		SELECT a.idx_scan AS scans, a.idx_tup_read AS entries_read, NULL::int8 AS entries_written,
			pg_relation_size(a.indexrelid) AS total_bytes
		FROM pg_stat_all_indexes a
		WHERE i.storage = 'inline' AND a.indexrelid = x.oid
		UNION ALL
		SELECT sum(COALESCE(a.seq_scan, 0) + COALESCE(a.idx_scan, 0))::int8,
			sum(COALESCE(a.seq_tup_read, 0) + COALESCE(a.idx_tup_fetch, 0))::int8,
			sum(a.n_tup_ins + a.n_tup_upd + a.n_tup_del)::int8,
			sum(pg_total_relation_size(a.relid))::int8
		FROM pg_stat_all_tables a
		WHERE i.storage = 'table'
			AND (a.relid = x.oid
				OR a.relid = ANY (SELECT dynamo_internal.partitions_of(x.oid)))
		HAVING count(*) > 0) s
WHERE dynamo_internal.may_see_statistics(t.relation);
COMMENT ON VIEW dynamo.stat_indexes IS 'how often secondary indexes are read and written, and their size';

CREATE FUNCTION dynamo_internal.stat_keys(OUT relation oid, OUT index_name text, OUT key_hash text, OUT partition_key json,
	OUT accesses bigint, OUT max_error bigint, OUT all_accesses bigint) RETURNS SETOF record
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 100
	AS 'MODULE_PATHNAME', 'dynamo_stat_keys';
COMMENT ON FUNCTION dynamo_internal.stat_keys() IS
	'hottest partition keys of tables and indexes in this database, from shared memory';

CREATE VIEW dynamo.stat_keys WITH (security_barrier) AS
SELECT n.nspname AS schema_name,
	   c.relname AS table_name,
	   k.index_name,
	   k.key_hash,
	   k.partition_key,
	   k.accesses,
	   k.max_error,
	   k.accesses::float8 / k.all_accesses AS share
FROM dynamo_internal.stat_keys() k
	JOIN pg_class c ON c.oid = k.relation
	JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE dynamo_internal.may_see_statistics(k.relation);
COMMENT ON VIEW dynamo.stat_keys IS
	'partition keys that are used most, of tables with contributor insights; keys are shown to who may read the table';

-- Progress of long work.  The numbers of commands are those of stat/progress.h; the other parameters are
-- those of COPY.  Of other roles' sessions PostgreSQL shows them to members of pg_read_all_stats only.
CREATE VIEW dynamo.stat_progress AS
SELECT p.pid,
	   n.nspname AS schema_name,
	   c.relname AS table_name,
	   NULL::text AS index_name,
	   (ARRAY['import', 'export', 'fill', 'verify index', 'check copies', 'check entity', 'apply entity',
			  'delete expired items', 'trim stream'])[p.param16] AS command,
	   NULL::text AS phase,
	   p.param3 AS items_done,
	   CASE WHEN p.param17 > 0 THEN p.param17 END AS items_estimated,
	   p.param1 AS bytes_done,
	   CASE WHEN p.param2 > 0 THEN p.param2 END AS bytes_total,
	   a.xact_start AS started_at
FROM pg_stat_get_progress_info('COPY') p
	JOIN pg_stat_activity a ON a.pid = p.pid
	LEFT JOIN pg_class c ON c.oid = p.relid
	LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE p.datid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
	AND p.param16 > 0
UNION ALL
SELECT i.worker_pid,
	   i.schema_name,
	   i.table_name,
	   i.index_name,
	   'build index',
	   COALESCE(b.phase, i.phase),
	   i.rows_done,
	   i.rows_estimated,
	   NULL,
	   NULL,
	   i.started_at
FROM dynamo.index_progress i
	LEFT JOIN pg_stat_progress_create_index b ON b.pid = i.worker_pid
WHERE i.phase <> 'complete';
COMMENT ON VIEW dynamo.stat_progress IS 'progress of running work: index builds, imports, exports, checks, deletion of expired items';

-- Time to live
CREATE FUNCTION dynamo.update_time_to_live(table_name text, attribute_name text,
	enabled boolean DEFAULT true) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_update_time_to_live';
COMMENT ON FUNCTION dynamo.update_time_to_live(text, text, boolean) IS
	'sets the attribute that contains the expiry time of items in epoch seconds';

CREATE FUNCTION dynamo.delete_expired(table_name text DEFAULT NULL, max_items bigint DEFAULT 10000) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_delete_expired';
COMMENT ON FUNCTION dynamo.delete_expired(text, bigint) IS
	'deletes expired items of a table, or of all tables; returns their number';

--
-- Exports, imports, backups and restores by requests
--

-- Jobs, by the id in their ARNs; the times are microseconds since 1970.  owner_role is
-- the OID of a role on the server with the system identifier owner_server.  Dumps have
-- the finished jobs; the files of exports and backups are copied apart from the database.
CREATE TABLE dynamo_internal.archive_jobs (
	id text COLLATE "C" PRIMARY KEY,
	kind text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	owner text COLLATE "C" NOT NULL,
	owner_role bigint NOT NULL,
	owner_server bigint NOT NULL,
	relation bigint NOT NULL,
	source bigint NOT NULL,
	moment bigint NOT NULL,
	since bigint NOT NULL,
	images text,
	table_name text COLLATE "C" NOT NULL,
	table_id text NOT NULL,
	table_arn text NOT NULL,
	arn text NOT NULL,
	parameters text NOT NULL,
	details text,
	model text,
	token text COLLATE "C",
	directory text NOT NULL,
	bucket text NOT NULL,
	prefix text COLLATE "C",
	format text,
	compression text,
	delimiter text,
	header text,
	expected bigint NOT NULL,
	started bigint NOT NULL,
	ended bigint NOT NULL,
	items bigint NOT NULL,
	processed bigint NOT NULL,
	errors bigint NOT NULL,
	bytes bigint NOT NULL,
	failure_code text,
	failure_message text,
	filter text,
	output_bucket text,
	output_prefix text,
	outputs text,
	units bigint NOT NULL,
	file text COLLATE "C",
	line bigint NOT NULL,
	put_bytes bigint NOT NULL,
	error_bytes bigint NOT NULL,
	condition_bytes bigint NOT NULL,
	attempts bigint NOT NULL DEFAULT 0
);
CREATE INDEX archive_jobs_unfinished ON dynamo_internal.archive_jobs (relation)
	WHERE status OPERATOR(pg_catalog.=) ANY ('{queued,running,cancelling}');
COMMENT ON TABLE dynamo_internal.archive_jobs IS
	'exports, imports, backups, restores and bulk operations; written only by requests and their workers';
SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.archive_jobs',
	'WHERE status OPERATOR(pg_catalog.=) ANY (''{completed,failed,cancelled}'')');
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo_internal.archive_jobs
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.skip_replicated_duplicate();
ALTER TABLE dynamo_internal.archive_jobs ENABLE REPLICA TRIGGER skip_replicated_duplicate;
CREATE FUNCTION dynamo_internal.map_job_owner() RETURNS trigger
	LANGUAGE C
	AS '$libdir/dynamo_api', 'dynamo_map_job_owner';
COMMENT ON FUNCTION dynamo_internal.map_job_owner() IS
	'trigger function: gives a job of another server to the role that has the name of its owner';
CREATE TRIGGER map_job_owner BEFORE INSERT ON dynamo_internal.archive_jobs
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.map_job_owner();
ALTER TABLE dynamo_internal.archive_jobs ENABLE ALWAYS TRIGGER map_job_owner;
CREATE TRIGGER guard_settings BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.archive_jobs
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_settings();
ALTER TABLE dynamo_internal.archive_jobs ENABLE ALWAYS TRIGGER guard_settings;

CREATE FUNCTION dynamo.archive_directory() RETURNS text
	LANGUAGE C STABLE PARALLEL SAFE
	AS '$libdir/dynamo_api', 'dynamo_archive_directory';
COMMENT ON FUNCTION dynamo.archive_directory() IS
	'returns the directory of exports, imports and backups; the EXECUTE privilege is the right to use it';

--
-- Overloads with a regclass
--

-- Each function in C that takes a table by its name has an overload that takes a
-- regclass: the same function with the same attributes.  It keeps the relation, whatever
-- names mean when it is called.  Literals, and parameters without a type, are texts as
-- without overloads.  In the overload a table has no default, so that calls without one
-- are not ambiguous.
CREATE PROCEDURE dynamo_internal.overload_tables()
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	f record;
	tables text;
	name text;
BEGIN
	FOR f IN
		SELECT p.oid, p.proname, CASE WHEN p.prokind OPERATOR(pg_catalog.=) 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END AS kind,
			   pg_catalog.pg_get_functiondef(p.oid) AS definition, pg_catalog.pg_get_function_identity_arguments(p.oid) AS arguments,
			   CASE WHEN 'referenced_table' OPERATOR(pg_catalog.=) ANY (p.proargnames) THEN ARRAY['table_name', 'table_name,referenced_table']
					ELSE ARRAY['table_name'] END AS parameters
		FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
		WHERE p.pronamespace OPERATOR(pg_catalog.=) 'dynamo'::pg_catalog.regnamespace AND l.lanname OPERATOR(pg_catalog.=) 'c'
			AND 'table_name' OPERATOR(pg_catalog.=) ANY (p.proargnames)
			AND p.proname OPERATOR(pg_catalog.<>) ALL ('{create_table,table_relation,stream_arn}'::pg_catalog.text[])
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc o
							WHERE o.pronamespace OPERATOR(pg_catalog.=) p.pronamespace AND o.prosrc OPERATOR(pg_catalog.=) p.prosrc
								AND 'pg_catalog.regclass'::pg_catalog.regtype OPERATOR(pg_catalog.=) ANY (o.proargtypes::pg_catalog.oid[]))
	LOOP
		FOREACH tables IN ARRAY f.parameters LOOP
			FOREACH name IN ARRAY pg_catalog.string_to_array(tables, ',') LOOP
				f.definition := pg_catalog.replace(f.definition, pg_catalog.concat(name, ' text DEFAULT NULL::text'), pg_catalog.concat(name, ' text'));
				f.definition := pg_catalog.replace(f.definition, pg_catalog.concat(name, ' text'), pg_catalog.concat(name, ' pg_catalog.regclass'));
				f.arguments := pg_catalog.replace(f.arguments, pg_catalog.concat(name, ' text'), pg_catalog.concat(name, ' pg_catalog.regclass'));
			END LOOP;
			EXECUTE f.definition;
			EXECUTE pg_catalog.format('COMMENT ON %s dynamo.%I(%s) IS %L', f.kind, f.proname, f.arguments, pg_catalog.obj_description(f.oid, 'pg_proc'));
		END LOOP;
	END LOOP;
END $$;
CALL dynamo_internal.overload_tables();

--
-- Reports on a design.  make replaces the next line by the file that it names.
--

@src/design/reports.sql@

-- The functions above have overloads, too.
CALL dynamo_internal.overload_tables();
DROP PROCEDURE dynamo_internal.overload_tables();

--
-- Models as documents.  make replaces the next line by the file that it names.
--

@src/design/models.sql@

--
-- Typed clients, made of these documents
--

@src/client/client.sql@
@src/client/typescript.sql@
@src/client/python.sql@
@src/client/go.sql@
@src/client/schemas.sql@
@src/client/generate.sql@

--
-- What a backup keeps of a table beside items, keys, indexes and entities
--

-- The names in it are qualified, because the function's search_path is.
CREATE FUNCTION dynamo_internal.backup_parts(relation regclass) RETURNS json
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
	BEGIN ATOMIC
WITH t AS (
	SELECT t.schema_name, t.table_name, t.definition, c.oid, c.relname, c.relowner, c.relkind, c.reloptions, c.relrowsecurity
	FROM dynamo.tables t JOIN pg_class c ON c.oid = t.relation::oid
	WHERE t.relation = $1),
stored AS (
	SELECT i.index, i.n, i.index ->> 'name' AS name
	FROM t CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'indexes') WITH ORDINALITY i(index, n)
	WHERE i.index ->> 'replaces' IS NULL),
view AS (
	SELECT v.oid, v.relname, convert_from(substring(g.tgargs, 1, length(g.tgargs) - 1), 'UTF8')::json AS definition
	FROM t JOIN pg_class v ON v.relowner = t.relowner AND v.relkind = 'v'
		JOIN pg_trigger g ON g.tgrelid = v.oid AND g.tgfoid = 'dynamo_system.entity_view_write()'::regprocedure
	WHERE EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
				  WHERE r.ev_class = v.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = t.oid)),
extra AS (
	SELECT x.relname, i.indisunique, k.conname, COALESCE(pg_get_constraintdef(k.oid), substr(pg_get_indexdef(x.oid),
		length(format('CREATE %sINDEX %I ON %s%I.%I ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, x.relname, CASE WHEN t.relkind = 'p' THEN 'ONLY ' END, t.schema_name, t.relname)) + 1)) AS definition
	FROM t JOIN pg_index i ON i.indrelid = t.oid AND NOT i.indisprimary AND i.indisvalid
		JOIN pg_class x ON x.oid = i.indexrelid
		LEFT JOIN pg_constraint k ON k.conindid = x.oid AND k.conrelid = t.oid
	WHERE NOT EXISTS (SELECT FROM stored s WHERE dynamo.index_relation($1, s.name)::oid = x.oid)
		AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'dynamo_expires_at' AND a.attnum = ANY (i.indkey))
	UNION ALL
	SELECT NULL, false, k.conname, pg_get_constraintdef(k.oid)
	FROM t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'c' AND k.convalidated)
SELECT json_strip_nulls(json_build_object(
	'partitions', (SELECT CASE WHEN count(*) > 0 THEN count(*) END FROM t JOIN pg_partitioned_table p ON p.partrelid = t.oid AND p.partstrat = 'h'
		JOIN pg_inherits h ON h.inhparent = t.oid),
	'options', (SELECT json_agg(json_build_object('name', o.option_name, 'value', o.option_value)) FROM t CROSS JOIN LATERAL pg_options_to_table(t.reloptions) o),
	'indexes', (SELECT json_agg(json_build_object('index_name', s.name, 'storage', s.index ->> 'storage',
			'shards', CASE WHEN s.index ->> 'shards' <> '0' THEN s.index -> 'shards' END, 'shard_by', s.index ->> 'shard_by') ORDER BY s.n)
		FROM stored s WHERE s.index ->> 'storage' = 'table' AND s.index -> 'vector' IS NULL),
	'vector_indexes', (SELECT json_agg(json_build_object('index_name', s.name, 'vector_attribute', s.index #> '{vector,attribute}',
			'dimensions', s.index #> '{vector,dimensions}', 'distance', s.index #> '{vector,distance}', 'method', s.index #> '{vector,method}',
			'partition_key', s.index #> '{partition,0}',
			'partition_key_type', (SELECT a -> 'type' FROM t CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'attributes') a
				WHERE a -> 'name' = (s.index #> '{partition,0}')),
			'filters', (SELECT json_agg(f -> 'name') FROM jsonb_array_elements(s.index #> '{vector,filters}') f),
			'filter_types', (SELECT json_agg(f -> 'type') FROM jsonb_array_elements(s.index #> '{vector,filters}') f),
			'projection', s.index -> 'projection',
			'non_key_attributes', CASE WHEN s.index ->> 'projection' = 'INCLUDE' THEN s.index -> 'non_key_attributes' END) ORDER BY s.n)
		FROM stored s WHERE s.index #>> '{vector,method}' <> 'exact'),
	'views', (SELECT json_agg(json_build_object('view_name', v.relname, 'entity_name', v.definition #> '{entity,S}',
			'invalid_values', v.definition #> '{invalid,S}',
			'columns', CASE WHEN COALESCE(v.definition #>> '{declared,BOOL}', 'false') <> 'true' THEN
				(SELECT json_object_agg(a.attname, json_build_object('type', format_type(a.atttypid, a.atttypmod), 'attribute', c.c #> '{M,attribute,S}') ORDER BY c.n)
				 FROM json_array_elements(v.definition #> '{columns,L}') WITH ORDINALITY c(c, n)
					JOIN pg_attribute a ON a.attrelid = v.oid AND a.attnum = c.n) END) ORDER BY v.relname) FROM view v),
	'access_patterns', (SELECT json_agg(jsonb_build_object('pattern_name', f.proname) || (p.declared -> 'arguments') ORDER BY f.proname)
		FROM t CROSS JOIN LATERAL dynamo_internal.patterns_of(t.oid::regclass) p
			JOIN pg_proc f ON f.oid = p.pattern::oid AND f.proowner = t.relowner),
	'sql_indexes', (SELECT json_agg(json_build_object('name', e.relname, 'unique', e.indisunique, 'definition', e.definition) ORDER BY e.relname) FROM extra e WHERE e.conname IS NULL),
	'constraints', (SELECT json_agg(json_build_object('name', e.conname, 'definition', e.definition) ORDER BY e.conname) FROM extra e WHERE e.conname IS NOT NULL),
	'omitted', (SELECT json_agg(o.what ORDER BY o.n) FROM (
		SELECT 1 AS n, 'references' AS what WHERE EXISTS (SELECT FROM t JOIN pg_trigger g ON g.tgrelid = t.oid AND g.tgfoid = ANY (ARRAY['dynamo_system.check_reference()'::regprocedure, 'dynamo_system.check_referenced()'::regprocedure]::oid[]))
		UNION ALL
		SELECT 2, 'foreign keys' WHERE EXISTS (SELECT FROM t JOIN pg_constraint k ON k.contype = 'f' AND t.oid = ANY (ARRAY[k.conrelid, k.confrelid]))
		UNION ALL
		SELECT 3, 'constraints that are not valid' WHERE EXISTS (SELECT FROM t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'c' AND NOT k.convalidated)
		UNION ALL
		SELECT 4, 'triggers' WHERE EXISTS (SELECT FROM t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal JOIN pg_proc f ON f.oid = g.tgfoid
										 WHERE f.pronamespace <> ALL (ARRAY['dynamo'::regnamespace, 'dynamo_system'::regnamespace, 'dynamo_internal'::regnamespace]::oid[]))
		UNION ALL
		SELECT 5, 'row security' WHERE EXISTS (SELECT FROM t WHERE t.relrowsecurity)
		UNION ALL
		SELECT 6, 'columns' WHERE EXISTS (SELECT FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL ('{item,dynamo_expires_at}'::name[])
										WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(t.definition -> 'attributes') d WHERE d ->> 'column' = a.attname::text))) o)));
END;
COMMENT ON FUNCTION dynamo_internal.backup_parts(regclass) IS 'returns how a table and its indexes are stored, its entity views, access patterns, indexes and constraints of SQL, and what a backup omits';

-- Of each part what it is, whether its definition has code of the owner, and the statement that makes it.
CREATE FUNCTION dynamo_internal.restore_statements(parts json, table_name text, relation regclass) RETURNS json
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
	BEGIN ATOMIC
SELECT COALESCE(json_agg(json_build_array(s.what, s.code, s.statement) ORDER BY s.step, s.n), '[]'::json)
FROM (SELECT 1 AS step, o.n, format('option %I', o.o ->> 'name') AS what, false AS code,
		  format('ALTER TABLE %s SET (%I = %L)', $3, o.o ->> 'name', o.o ->> 'value') AS statement
	  FROM json_array_elements($1 -> 'options') WITH ORDINALITY o(o, n)
	  UNION ALL
	  SELECT 2, i.n, format('the storage of index "%s"', i.i ->> 'index_name'), false, dynamo_internal.call_statement('change_index', $2, i.i)
	  FROM json_array_elements($1 -> 'indexes') WITH ORDINALITY i(i, n)
	  UNION ALL
	  SELECT 3, i.n, format('the method of index "%s"', i.i ->> 'index_name'), false,
		  concat(dynamo_internal.call_statement('drop_vector_index', $2, i.i), '; ', dynamo_internal.call_statement('create_vector_index', $2, i.i))
	  FROM json_array_elements($1 -> 'vector_indexes') WITH ORDINALITY i(i, n)
	  UNION ALL
	  SELECT 4, v.n, format('view "%s"', v.v ->> 'view_name'), true, dynamo_internal.call_statement('create_entity_view', $2, v.v)
	  FROM json_array_elements($1 -> 'views') WITH ORDINALITY v(v, n)
	  UNION ALL
	  SELECT 5, p.n, format('access pattern "%s"', p.p ->> 'pattern_name'), true, dynamo_internal.call_statement('create_access_pattern', $2, p.p)
	  FROM json_array_elements($1 -> 'access_patterns') WITH ORDINALITY p(p, n)
	  UNION ALL
	  SELECT 6, i.n, format('index "%s"', i.i ->> 'name'), true,
		  format('CREATE %sINDEX %I ON %s %s', CASE WHEN (i.i ->> 'unique')::bool THEN 'UNIQUE ' END, i.i ->> 'name', $3, i.i ->> 'definition')
	  FROM json_array_elements($1 -> 'sql_indexes') WITH ORDINALITY i(i, n)
	  UNION ALL
	  SELECT 7, c.n, format('constraint "%s"', c.c ->> 'name'), true,
		  format('ALTER TABLE %s ADD CONSTRAINT %I %s', $3, c.c ->> 'name', c.c ->> 'definition')
	  FROM json_array_elements($1 -> 'constraints') WITH ORDINALITY c(c, n)) s;
END;
COMMENT ON FUNCTION dynamo_internal.restore_statements(json, text, regclass) IS 'returns the statements that make the parts of dynamo_internal.backup_parts for a new table';

--
-- The HTTP endpoint
--

-- Verifying a signature requires the secret itself.  Secrets are therefore stored
-- in a type whose output is a mask, and encrypted if the configuration has a key.
CREATE TYPE dynamo_internal.secret;
CREATE FUNCTION dynamo_internal.secret_in(cstring) RETURNS dynamo_internal.secret
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_http', 'dynamo_secret_in';
CREATE FUNCTION dynamo_internal.secret_out(dynamo_internal.secret) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_http', 'dynamo_secret_out';
CREATE FUNCTION dynamo_internal.secret_recv(internal) RETURNS dynamo_internal.secret
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_http', 'dynamo_secret_recv';
CREATE FUNCTION dynamo_internal.secret_send(dynamo_internal.secret) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_http', 'dynamo_secret_send';
CREATE TYPE dynamo_internal.secret (
	INPUT = dynamo_internal.secret_in, OUTPUT = dynamo_internal.secret_out,
	RECEIVE = dynamo_internal.secret_recv, SEND = dynamo_internal.secret_send,
	INTERNALLENGTH = 168, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE dynamo_internal.secret IS 'secret that no statement can read';
COMMENT ON FUNCTION dynamo_internal.secret_in(cstring) IS 'input of dynamo_internal.secret: the mask';
COMMENT ON FUNCTION dynamo_internal.secret_out(dynamo_internal.secret) IS 'output of dynamo_internal.secret: a mask';
COMMENT ON FUNCTION dynamo_internal.secret_recv(internal) IS 'binary input of dynamo_internal.secret: the mask';
COMMENT ON FUNCTION dynamo_internal.secret_send(dynamo_internal.secret) IS 'binary output of dynamo_internal.secret: a mask';

-- Like passwords, access keys are not dumped: roles and secrets belong to one
-- server.
CREATE TABLE dynamo_internal.access_key_secrets (
	access_key_id text COLLATE "C" PRIMARY KEY,
	secret_access_key dynamo_internal.secret NOT NULL,
	role oid NOT NULL,
	created_at timestamptz NOT NULL,
	rotated_at timestamptz,
	previous_secret dynamo_internal.secret,
	previous_until timestamptz
) USING heap WITH (vacuum_truncate = off);
COMMENT ON TABLE dynamo_internal.access_key_secrets IS
	'access keys of the HTTP endpoint with their secrets; written only by the functions for access keys';

-- A row gives its client the rights of a role.  No privilege may allow statements
-- to write one.
CREATE FUNCTION dynamo_internal.guard_access_keys() RETURNS trigger
	LANGUAGE C
	AS '$libdir/dynamo_http', 'dynamo_guard_access_keys';
COMMENT ON FUNCTION dynamo_internal.guard_access_keys() IS
	'trigger function: refuses writes of statements to the table of access keys';
CREATE TRIGGER guard_access_keys BEFORE INSERT OR UPDATE OR DELETE ON dynamo_internal.access_key_secrets
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.guard_access_keys();
CREATE TRIGGER guard_access_keys_truncate BEFORE TRUNCATE ON dynamo_internal.access_key_secrets
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.guard_access_keys();
ALTER TABLE dynamo_internal.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys;
ALTER TABLE dynamo_internal.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys_truncate;

CREATE FUNCTION dynamo_internal.previous_secret_used_at(access_key_id text, since timestamptz) RETURNS timestamptz
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_http', 'dynamo_previous_secret_used_at';
COMMENT ON FUNCTION dynamo_internal.previous_secret_used_at(text, timestamptz) IS
	'when a request was last signed with the previous secret of an access key, if that was after this time';

CREATE VIEW dynamo.access_keys WITH (security_barrier) AS
	SELECT access_key_id, role::regrole AS role, created_at, rotated_at,
		   CASE WHEN previous_until > statement_timestamp() THEN previous_until END AS previous_until,
		   dynamo_internal.previous_secret_used_at(access_key_id, rotated_at) AS previous_used_at
	FROM dynamo_internal.access_key_secrets
	WHERE pg_has_role(role, 'USAGE');
COMMENT ON VIEW dynamo.access_keys IS
	'access keys of the HTTP endpoint for roles whose privileges the user has';

CREATE FUNCTION dynamo.create_access_key(role regrole,
	INOUT access_key_id text DEFAULT NULL, INOUT secret_access_key text DEFAULT NULL) RETURNS record
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS '$libdir/dynamo_http', 'dynamo_create_access_key';
COMMENT ON FUNCTION dynamo.create_access_key(regrole, text, text) IS
	'creates an access key of a role for the HTTP endpoint; returns it with its secret';

CREATE FUNCTION dynamo.drop_access_key(access_key_id text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_http', 'dynamo_drop_access_key';
COMMENT ON FUNCTION dynamo.drop_access_key(text) IS 'drops an access key of the HTTP endpoint';

CREATE FUNCTION dynamo.rotate_access_key(access_key_id text, secret_access_key text DEFAULT NULL,
	keep_previous interval DEFAULT '1 day') RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS '$libdir/dynamo_http', 'dynamo_rotate_access_key';
COMMENT ON FUNCTION dynamo.rotate_access_key(text, text, interval) IS
	'gives an access key of the HTTP endpoint a new secret and returns it; the previous one is accepted for some time, or until it is dropped if that is null';

CREATE FUNCTION dynamo.drop_previous_secret(access_key_id text) RETURNS boolean
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_http', 'dynamo_drop_previous_secret';
COMMENT ON FUNCTION dynamo.drop_previous_secret(text) IS
	'ends the use of the previous secret of an access key; returns whether there was one';

CREATE FUNCTION dynamo.encrypt_access_keys() RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS '$libdir/dynamo_http', 'dynamo_encrypt_access_keys';
COMMENT ON FUNCTION dynamo.encrypt_access_keys() IS
	'encrypts the secrets of all access keys with the current key of dynamo.http_secret_key_command; returns their number';

-- Citus sends a statement that compares its column of distribution with a value, by
-- an operator that a btree operator family calls equality, to the shard of the value.
-- These operators say "is in the shard of": there, they are true for all rows.
CREATE FUNCTION dynamo_internal.same_shard(text, text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_citus', 'dynamo_same_shard';
CREATE FUNCTION dynamo_internal.same_shard(numeric, numeric) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_citus', 'dynamo_same_shard';
CREATE FUNCTION dynamo_internal.same_shard(bytea, bytea) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS '$libdir/dynamo_citus', 'dynamo_same_shard';
CREATE OPERATOR dynamo.=% (LEFTARG = text, RIGHTARG = text, FUNCTION = dynamo_internal.same_shard);
CREATE OPERATOR dynamo.=% (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = dynamo_internal.same_shard);
CREATE OPERATOR dynamo.=% (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = dynamo_internal.same_shard);
CREATE OPERATOR FAMILY dynamo.same_shard_ops USING btree;
ALTER OPERATOR FAMILY dynamo.same_shard_ops USING btree ADD
	OPERATOR 3 dynamo.=% (text, text), OPERATOR 3 dynamo.=% (numeric, numeric), OPERATOR 3 dynamo.=% (bytea, bytea);
COMMENT ON FUNCTION dynamo_internal.same_shard(text, text) IS 'implementation of =% operator';
COMMENT ON FUNCTION dynamo_internal.same_shard(numeric, numeric) IS 'implementation of =% operator';
COMMENT ON FUNCTION dynamo_internal.same_shard(bytea, bytea) IS 'implementation of =% operator';
COMMENT ON OPERATOR dynamo.=% (text, text) IS 'has Citus read the shard of a key; true for its rows';
COMMENT ON OPERATOR dynamo.=% (numeric, numeric) IS 'has Citus read the shard of a key; true for its rows';
COMMENT ON OPERATOR dynamo.=% (bytea, bytea) IS 'has Citus read the shard of a key; true for its rows';
COMMENT ON OPERATOR FAMILY dynamo.same_shard_ops USING btree IS 'for Citus: equality of shards';

CREATE FUNCTION dynamo_internal.signing_key(access_key_id text, date text, region text) RETURNS text
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS '$libdir/dynamo_http', 'dynamo_signing_key';
COMMENT ON FUNCTION dynamo_internal.signing_key(text, text, text) IS
	'for worker nodes of Citus: signing keys of an access key for a date and a region, and its role; empty if it does not exist';

@src/monitor/setup.sql@
@src/design/help.sql@
--
-- Privileges: all grants are in this section
--

-- Undo the effects of ALTER DEFAULT PRIVILEGES, which is meant for objects that a
-- role creates itself.
DO $$
DECLARE
	object record;
BEGIN
	FOR object IN
		SELECT o.kind, i.identity, o.owner::pg_catalog.regrole AS owner,
			   (SELECT pg_catalog.string_agg(DISTINCT CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0 THEN 'PUBLIC'
													  ELSE a.grantee::pg_catalog.regrole::pg_catalog.text END, ', ')
				FROM pg_catalog.aclexplode(o.acl) a) AS grantees
		FROM (SELECT 'TABLE' AS kind, tableoid, oid, relowner AS owner, relacl AS acl FROM pg_catalog.pg_class
			  UNION ALL
			  SELECT 'ROUTINE', tableoid, oid, proowner, proacl FROM pg_catalog.pg_proc
			  UNION ALL
			  SELECT 'TYPE', tableoid, oid, typowner, typacl FROM pg_catalog.pg_type) o
			JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) o.tableoid AND d.objid OPERATOR(pg_catalog.=) o.oid
			JOIN pg_catalog.pg_extension e ON d.refclassid OPERATOR(pg_catalog.=) e.tableoid AND d.refobjid OPERATOR(pg_catalog.=) e.oid
			CROSS JOIN LATERAL pg_catalog.pg_identify_object(o.tableoid, o.oid, 0) i
		WHERE o.acl IS NOT NULL AND d.deptype OPERATOR(pg_catalog.=) 'e' AND e.extname OPERATOR(pg_catalog.=) 'dynamo'
	LOOP
		IF object.grantees IS NOT NULL THEN
			EXECUTE pg_catalog.format('REVOKE ALL ON %s %s FROM %s CASCADE', object.kind, object.identity, object.grantees);
		END IF;
		EXECUTE pg_catalog.format('GRANT ALL ON %s %s TO %s', object.kind, object.identity, object.owner);
		IF object.kind OPERATOR(pg_catalog.=) ANY ('{ROUTINE,TYPE}') THEN
			EXECUTE pg_catalog.format('GRANT ALL ON %s %s TO PUBLIC', object.kind, object.identity);
		END IF;
	END LOOP;
END $$;

-- Every role may execute the functions; privileges on tables determine their
-- effect.
GRANT USAGE ON SCHEMA dynamo, dynamo_system TO PUBLIC;
GRANT SELECT ON dynamo.tables, dynamo.entities, dynamo.copies, dynamo.access_patterns, dynamo.indexes, dynamo.vector_indexes, dynamo.index_progress, dynamo.migrations, dynamo.streams, dynamo.access_keys,
	dynamo.stat_operations, dynamo.stat_tables, dynamo.stat_indexes, dynamo.stat_keys,
	dynamo.stat_time_to_live, dynamo.stat_streams, dynamo.stat_progress TO PUBLIC;
REVOKE EXECUTE ON FUNCTION dynamo.stat_reset(), dynamo.log_entries(text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION dynamo.archive_directory() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION dynamo.encrypt_access_keys() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION dynamo.check_setup() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dynamo.check_setup() TO pg_monitor;

-- A person is told what the operators need, unless they have turned notices off.  Dumps and
-- scripts say IF NOT EXISTS, and no script of an extension can show a NOTICE otherwise.
CREATE FUNCTION dynamo_internal.creator_hears_notices() RETURNS boolean
	LANGUAGE C VOLATILE
	AS 'MODULE_PATHNAME', 'dynamo_creator_hears_notices';
DO $$
BEGIN
	IF dynamo_internal.creator_hears_notices() AND pg_catalog.current_query() OPERATOR(pg_catalog.!~*) 'if +not +exists' AND
		(SELECT 'dynamo' OPERATOR(pg_catalog.<>) ALL (pg_catalog.regexp_split_to_array(g.reset_val, '[ ,"]+'))
		 FROM pg_catalog.pg_settings g WHERE g.name OPERATOR(pg_catalog.=) 'search_path') THEN
		PERFORM pg_catalog.set_config('client_min_messages', 'notice', true);
		RAISE NOTICE 'the operators of items, such as ->>, are found only with dynamo in the search_path'
			USING HINT = pg_catalog.format('For all new sessions: ALTER DATABASE %I SET search_path = public, dynamo', pg_catalog.current_database());
		PERFORM pg_catalog.set_config('client_min_messages', 'warning', true);
	END IF;
END $$;
DROP FUNCTION dynamo_internal.creator_hears_notices();
