/* dynamo--1.0.sql: the extension's objects, in the order they depend on each other */

-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION dynamo" to load this file. \quit

--
-- Item and value types: input and output, casts, operators, operator classes
--

DO $$
BEGIN
	IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
		RAISE EXCEPTION 'dynamo needs a database with encoding UTF8'
			USING ERRCODE = 'feature_not_supported';
	END IF;
END $$;

-- Who may create in the schema could put functions and operators beside ours.
-- Default privileges of schemas may allow it, and so may a schema that was there
-- before.
DO $$
DECLARE
	other record;
BEGIN
	SELECT r.rolname INTO other
	FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
	WHERE n.nspname OPERATOR(pg_catalog.=) 'dynamo'
		AND NOT r.rolsuper AND r.rolname OPERATOR(pg_catalog.<>) CURRENT_USER;
	IF FOUND THEN
		RAISE EXCEPTION 'schema "dynamo" exists already and belongs to role "%"', other.rolname
			USING ERRCODE = 'insufficient_privilege',
				DETAIL = 'The owner of the schema could replace what all users of the extension call.',
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
		RAISE EXCEPTION 'schema "dynamo" exists already and contains objects of other roles'
			USING ERRCODE = 'insufficient_privilege',
				DETAIL = pg_catalog.format('Role "%s" owns %s.', other.rolname, other.object),
				HINT = 'Drop them, or rename the schema: ALTER SCHEMA dynamo RENAME TO ...';
	END IF;

	FOR other IN
		SELECT DISTINCT a.grantee
		FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
		WHERE n.nspname OPERATOR(pg_catalog.=) 'dynamo' AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner
	LOOP
		EXECUTE pg_catalog.concat('REVOKE ALL ON SCHEMA dynamo FROM ',
			CASE WHEN other.grantee OPERATOR(pg_catalog.=) 0 THEN 'PUBLIC'
				ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(other.grantee)) END, ' CASCADE');
	END LOOP;
END $$;

CREATE TYPE item;

CREATE FUNCTION item_in(cstring) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_item_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_out(item) RETURNS cstring
	AS 'MODULE_PATHNAME', 'dynamo_item_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_recv(internal) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_item_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_send(item) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dynamo_item_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE item (
	INPUT = item_in, OUTPUT = item_out, RECEIVE = item_recv, SEND = item_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended
);

CREATE TYPE value;

CREATE FUNCTION value_in(cstring) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_out(value) RETURNS cstring
	AS 'MODULE_PATHNAME', 'dynamo_value_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_recv(internal) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_send(value) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dynamo_value_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE value (
	INPUT = value_in, OUTPUT = value_out, RECEIVE = value_recv, SEND = value_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended
);

COMMENT ON TYPE item IS 'DynamoDB item: a map of attributes';
COMMENT ON TYPE value IS 'DynamoDB attribute value of any of the ten types';
COMMENT ON FUNCTION item_in(cstring) IS 'input of dynamo.item';
COMMENT ON FUNCTION item_out(item) IS 'output of dynamo.item';
COMMENT ON FUNCTION item_recv(internal) IS 'binary input of dynamo.item';
COMMENT ON FUNCTION item_send(item) IS 'binary output of dynamo.item';
COMMENT ON FUNCTION value_in(cstring) IS 'input of dynamo.value';
COMMENT ON FUNCTION value_out(value) IS 'output of dynamo.value';
COMMENT ON FUNCTION value_recv(internal) IS 'binary input of dynamo.value';
COMMENT ON FUNCTION value_send(value) IS 'binary output of dynamo.value';

CREATE CAST (item AS value) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (item AS value) IS 'an item is a value of type M';
CREATE FUNCTION value_to_item(value) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_value_to_item' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS item) WITH FUNCTION value_to_item(value);
COMMENT ON FUNCTION value_to_item(value) IS 'cast from value to item';
COMMENT ON CAST (value AS item) IS 'a map as an item';

CREATE FUNCTION item_eq(item, item) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_ne(item, item) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_lt(item, item) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_le(item, item) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_gt(item, item) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_ge(item, item) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_cmp(item, item) RETURNS integer
	AS 'MODULE_PATHNAME', 'dynamo_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_hash(item) RETURNS integer
	AS 'MODULE_PATHNAME', 'dynamo_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION item_hash_extended(item, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dynamo_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
	LEFTARG = item, RIGHTARG = item, FUNCTION = item_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = item, RIGHTARG = item, FUNCTION = item_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = item, RIGHTARG = item, FUNCTION = item_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = item, RIGHTARG = item, FUNCTION = item_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = item, RIGHTARG = item, FUNCTION = item_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = item, RIGHTARG = item, FUNCTION = item_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);

-- Equal values have the same bytes, so that an index keeps them once (btequalimage).
CREATE OPERATOR CLASS item_ops DEFAULT FOR TYPE item USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 item_cmp(item, item), FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
CREATE OPERATOR CLASS item_ops DEFAULT FOR TYPE item USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 item_hash(item),
	FUNCTION 2 item_hash_extended(item, bigint);

COMMENT ON OPERATOR CLASS item_ops USING btree IS 'order of items';
COMMENT ON OPERATOR CLASS item_ops USING hash IS 'equality of items';
COMMENT ON OPERATOR FAMILY item_ops USING btree IS 'order of items';
COMMENT ON OPERATOR FAMILY item_ops USING hash IS 'equality of items';
COMMENT ON FUNCTION item_eq(item, item) IS 'implementation of = operator';
COMMENT ON FUNCTION item_ne(item, item) IS 'implementation of <> operator';
COMMENT ON FUNCTION item_lt(item, item) IS 'implementation of < operator';
COMMENT ON FUNCTION item_le(item, item) IS 'implementation of <= operator';
COMMENT ON FUNCTION item_gt(item, item) IS 'implementation of > operator';
COMMENT ON FUNCTION item_ge(item, item) IS 'implementation of >= operator';
COMMENT ON FUNCTION item_cmp(item, item) IS 'less-equal-greater';
COMMENT ON FUNCTION item_hash(item) IS 'hash';
COMMENT ON FUNCTION item_hash_extended(item, bigint) IS 'hash';
COMMENT ON OPERATOR = (item, item) IS 'equal';
COMMENT ON OPERATOR <> (item, item) IS 'not equal';
COMMENT ON OPERATOR < (item, item) IS 'less than';
COMMENT ON OPERATOR <= (item, item) IS 'less than or equal';
COMMENT ON OPERATOR > (item, item) IS 'greater than';
COMMENT ON OPERATOR >= (item, item) IS 'greater than or equal';

CREATE FUNCTION value_eq(value, value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_ne(value, value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_lt(value, value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_le(value, value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_gt(value, value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_ge(value, value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_cmp(value, value) RETURNS integer
	AS 'MODULE_PATHNAME', 'dynamo_value_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_hash(value) RETURNS integer
	AS 'MODULE_PATHNAME', 'dynamo_value_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_hash_extended(value, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dynamo_value_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
	LEFTARG = value, RIGHTARG = value, FUNCTION = value_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = value, RIGHTARG = value, FUNCTION = value_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = value, RIGHTARG = value, FUNCTION = value_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = value, RIGHTARG = value, FUNCTION = value_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = value, RIGHTARG = value, FUNCTION = value_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = value, RIGHTARG = value, FUNCTION = value_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR CLASS value_ops DEFAULT FOR TYPE value USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 value_cmp(value, value), FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
CREATE OPERATOR CLASS value_ops DEFAULT FOR TYPE value USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 value_hash(value),
	FUNCTION 2 value_hash_extended(value, bigint);

COMMENT ON OPERATOR CLASS value_ops USING btree IS 'order of values';
COMMENT ON OPERATOR CLASS value_ops USING hash IS 'equality of values';
COMMENT ON OPERATOR FAMILY value_ops USING btree IS 'order of values';
COMMENT ON OPERATOR FAMILY value_ops USING hash IS 'equality of values';
COMMENT ON FUNCTION value_eq(value, value) IS 'implementation of = operator';
COMMENT ON FUNCTION value_ne(value, value) IS 'implementation of <> operator';
COMMENT ON FUNCTION value_lt(value, value) IS 'implementation of < operator';
COMMENT ON FUNCTION value_le(value, value) IS 'implementation of <= operator';
COMMENT ON FUNCTION value_gt(value, value) IS 'implementation of > operator';
COMMENT ON FUNCTION value_ge(value, value) IS 'implementation of >= operator';
COMMENT ON FUNCTION value_cmp(value, value) IS 'less-equal-greater';
COMMENT ON FUNCTION value_hash(value) IS 'hash';
COMMENT ON FUNCTION value_hash_extended(value, bigint) IS 'hash';
COMMENT ON OPERATOR = (value, value) IS 'equal';
COMMENT ON OPERATOR <> (value, value) IS 'not equal';
COMMENT ON OPERATOR < (value, value) IS 'less than';
COMMENT ON OPERATOR <= (value, value) IS 'less than or equal';
COMMENT ON OPERATOR > (value, value) IS 'greater than';
COMMENT ON OPERATOR >= (value, value) IS 'greater than or equal';

CREATE FUNCTION value_smaller(value, value) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_smaller' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION value_larger(value, value) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_larger' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE AGGREGATE min(value) (
	SFUNC = value_smaller, STYPE = value, COMBINEFUNC = value_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE AGGREGATE max(value) (
	SFUNC = value_larger, STYPE = value, COMBINEFUNC = value_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON FUNCTION value_smaller(value, value) IS 'smaller of two';
COMMENT ON FUNCTION value_larger(value, value) IS 'larger of two';
COMMENT ON AGGREGATE min(value) IS 'minimum value in the order of values';
COMMENT ON AGGREGATE max(value) IS 'maximum value in the order of values';

-- plain JSON, as the SDKs marshall and unmarshall it
CREATE FUNCTION item_from_jsonb(jsonb) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_item_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (jsonb AS item) WITH FUNCTION item_from_jsonb(jsonb) AS IMPLICIT;
COMMENT ON FUNCTION item_from_jsonb(jsonb) IS 'cast from jsonb to item';
COMMENT ON CAST (jsonb AS item) IS 'plain JSON, as the SDKs marshall it';
-- not implicit: it would give json the operators of items, = among them.  By a
-- call and not by the cast, on which pg_upgrade would see no dependency
CREATE FUNCTION item_from_json(json) RETURNS item
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN dynamo.item_from_jsonb($1::pg_catalog.jsonb);
CREATE CAST (json AS item) WITH FUNCTION item_from_json(json) AS ASSIGNMENT;
COMMENT ON FUNCTION item_from_json(json) IS 'cast from json to item';
COMMENT ON CAST (json AS item) IS 'plain JSON, as the SDKs marshall it';
CREATE FUNCTION value_from_jsonb(jsonb) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (jsonb AS value) WITH FUNCTION value_from_jsonb(jsonb) AS IMPLICIT;
COMMENT ON FUNCTION value_from_jsonb(jsonb) IS 'cast from jsonb to value';
COMMENT ON CAST (jsonb AS value) IS 'plain JSON, as the SDKs marshall it';
CREATE FUNCTION item_to_jsonb(item) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'dynamo_value_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (item AS jsonb) WITH FUNCTION item_to_jsonb(item) AS ASSIGNMENT;
COMMENT ON FUNCTION item_to_jsonb(item) IS 'cast from item to jsonb';
COMMENT ON CAST (item AS jsonb) IS 'plain JSON, as the SDKs unmarshall it';
CREATE FUNCTION value_to_jsonb(value) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'dynamo_value_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS jsonb) WITH FUNCTION value_to_jsonb(value) AS ASSIGNMENT;
COMMENT ON FUNCTION value_to_jsonb(value) IS 'cast from value to jsonb';
COMMENT ON CAST (value AS jsonb) IS 'plain JSON, as the SDKs unmarshall it';
CREATE FUNCTION item_to_json(item) RETURNS json
	AS 'MODULE_PATHNAME', 'dynamo_value_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (item AS json) WITH FUNCTION item_to_json(item) AS ASSIGNMENT;
COMMENT ON FUNCTION item_to_json(item) IS 'cast from item to json';
COMMENT ON CAST (item AS json) IS 'plain JSON, as the SDKs unmarshall it';
CREATE FUNCTION value_to_json(value) RETURNS json
	AS 'MODULE_PATHNAME', 'dynamo_value_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS json) WITH FUNCTION value_to_json(value) AS ASSIGNMENT;
COMMENT ON FUNCTION value_to_json(value) IS 'cast from value to json';
COMMENT ON CAST (value AS json) IS 'plain JSON, as the SDKs unmarshall it';

-- scalars: the type must be the right one
CREATE FUNCTION value_to_text(value) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_value_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS text) WITH FUNCTION value_to_text(value) AS ASSIGNMENT;
COMMENT ON FUNCTION value_to_text(value) IS 'cast from value to text';
COMMENT ON CAST (value AS text) IS 'content of a value of type S';
CREATE FUNCTION value_to_bytea(value) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dynamo_value_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS bytea) WITH FUNCTION value_to_bytea(value);
COMMENT ON FUNCTION value_to_bytea(value) IS 'cast from value to bytea';
COMMENT ON CAST (value AS bytea) IS 'content of a value of type B';
CREATE FUNCTION value_to_boolean(value) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_value_to_boolean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS boolean) WITH FUNCTION value_to_boolean(value);
COMMENT ON FUNCTION value_to_boolean(value) IS 'cast from value to boolean';
COMMENT ON CAST (value AS boolean) IS 'content of a value of type BOOL';
CREATE FUNCTION value_to_numeric(value) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dynamo_value_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS numeric) WITH FUNCTION value_to_numeric(value);
COMMENT ON FUNCTION value_to_numeric(value) IS 'cast from value to numeric';
COMMENT ON CAST (value AS numeric) IS 'content of a value of type N';
CREATE FUNCTION value_to_bigint(value) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dynamo_value_to_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS bigint) WITH FUNCTION value_to_bigint(value);
COMMENT ON FUNCTION value_to_bigint(value) IS 'cast from value to bigint';
COMMENT ON CAST (value AS bigint) IS 'content of a value of type N';
CREATE FUNCTION value_to_integer(value) RETURNS integer
	AS 'MODULE_PATHNAME', 'dynamo_value_to_integer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS integer) WITH FUNCTION value_to_integer(value);
COMMENT ON FUNCTION value_to_integer(value) IS 'cast from value to integer';
COMMENT ON CAST (value AS integer) IS 'content of a value of type N';
CREATE FUNCTION value_to_float8(value) RETURNS double precision
	AS 'MODULE_PATHNAME', 'dynamo_value_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (value AS double precision) WITH FUNCTION value_to_float8(value);
COMMENT ON FUNCTION value_to_float8(value) IS 'cast from value to double precision';
COMMENT ON CAST (value AS double precision) IS 'content of a value of type N';
CREATE FUNCTION value_from_bytea(bytea) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS value) WITH FUNCTION value_from_bytea(bytea) AS ASSIGNMENT;
COMMENT ON FUNCTION value_from_bytea(bytea) IS 'cast from bytea to value';
COMMENT ON CAST (bytea AS value) IS 'a value of type B';
CREATE FUNCTION value_from_boolean(boolean) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_from_boolean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (boolean AS value) WITH FUNCTION value_from_boolean(boolean) AS ASSIGNMENT;
COMMENT ON FUNCTION value_from_boolean(boolean) IS 'cast from boolean to value';
COMMENT ON CAST (boolean AS value) IS 'a value of type BOOL';
CREATE FUNCTION value_from_numeric(numeric) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (numeric AS value) WITH FUNCTION value_from_numeric(numeric) AS ASSIGNMENT;
COMMENT ON FUNCTION value_from_numeric(numeric) IS 'cast from numeric to value';
COMMENT ON CAST (numeric AS value) IS 'a value of type N';
CREATE FUNCTION value_from_bigint(bigint) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_from_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bigint AS value) WITH FUNCTION value_from_bigint(bigint) AS ASSIGNMENT;
COMMENT ON FUNCTION value_from_bigint(bigint) IS 'cast from bigint to value';
COMMENT ON CAST (bigint AS value) IS 'a value of type N';
CREATE FUNCTION value_from_integer(integer) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_value_from_integer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (integer AS value) WITH FUNCTION value_from_integer(integer) AS ASSIGNMENT;
COMMENT ON FUNCTION value_from_integer(integer) IS 'cast from integer to value';
COMMENT ON CAST (integer AS value) IS 'a value of type N';

-- parts of items and values
CREATE FUNCTION item_attribute(item, text) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR -> (LEFTARG = item, RIGHTARG = text, FUNCTION = item_attribute);
COMMENT ON FUNCTION item_attribute(item, text) IS 'implementation of -> operator';
COMMENT ON OPERATOR -> (item, text) IS 'get attribute';
CREATE FUNCTION item_attribute_text(item, text) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ->> (LEFTARG = item, RIGHTARG = text, FUNCTION = item_attribute_text);
COMMENT ON FUNCTION item_attribute_text(item, text) IS 'implementation of ->> operator';
COMMENT ON OPERATOR ->> (item, text) IS 'get attribute as text';
CREATE FUNCTION item_path(item, text[]) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_get_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR #> (LEFTARG = item, RIGHTARG = text[], FUNCTION = item_path);
COMMENT ON FUNCTION item_path(item, text[]) IS 'implementation of #> operator';
COMMENT ON OPERATOR #> (item, text[]) IS 'get value at path';
CREATE FUNCTION item_path_text(item, text[]) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_get_path_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR #>> (LEFTARG = item, RIGHTARG = text[], FUNCTION = item_path_text);
COMMENT ON FUNCTION item_path_text(item, text[]) IS 'implementation of #>> operator';
COMMENT ON OPERATOR #>> (item, text[]) IS 'get value at path as text';
CREATE FUNCTION item_exists(item, text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_has_attribute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = item, RIGHTARG = text, FUNCTION = item_exists);
COMMENT ON FUNCTION item_exists(item, text) IS 'implementation of ? operator';
COMMENT ON OPERATOR ? (item, text) IS 'attribute exists';
CREATE FUNCTION value_attribute(value, text) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR -> (LEFTARG = value, RIGHTARG = text, FUNCTION = value_attribute);
COMMENT ON FUNCTION value_attribute(value, text) IS 'implementation of -> operator';
COMMENT ON OPERATOR -> (value, text) IS 'get map entry';
CREATE FUNCTION value_attribute_text(value, text) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_get_attribute_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ->> (LEFTARG = value, RIGHTARG = text, FUNCTION = value_attribute_text);
COMMENT ON FUNCTION value_attribute_text(value, text) IS 'implementation of ->> operator';
COMMENT ON OPERATOR ->> (value, text) IS 'get map entry as text';
CREATE FUNCTION value_element(value, integer) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_get_element' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR -> (LEFTARG = value, RIGHTARG = integer, FUNCTION = value_element);
COMMENT ON FUNCTION value_element(value, integer) IS 'implementation of -> operator';
COMMENT ON OPERATOR -> (value, integer) IS 'get list element';
CREATE FUNCTION value_element_text(value, integer) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_get_element_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ->> (LEFTARG = value, RIGHTARG = integer, FUNCTION = value_element_text);
COMMENT ON FUNCTION value_element_text(value, integer) IS 'implementation of ->> operator';
COMMENT ON OPERATOR ->> (value, integer) IS 'get list element as text';
CREATE FUNCTION value_path(value, text[]) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_get_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR #> (LEFTARG = value, RIGHTARG = text[], FUNCTION = value_path);
COMMENT ON FUNCTION value_path(value, text[]) IS 'implementation of #> operator';
COMMENT ON OPERATOR #> (value, text[]) IS 'get value at path';
CREATE FUNCTION value_path_text(value, text[]) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_get_path_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR #>> (LEFTARG = value, RIGHTARG = text[], FUNCTION = value_path_text);
COMMENT ON FUNCTION value_path_text(value, text[]) IS 'implementation of #>> operator';
COMMENT ON OPERATOR #>> (value, text[]) IS 'get value at path as text';
CREATE FUNCTION value_exists(value, text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_has_attribute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = value, RIGHTARG = text, FUNCTION = value_exists);
COMMENT ON FUNCTION value_exists(value, text) IS 'implementation of ? operator';
COMMENT ON OPERATOR ? (value, text) IS 'map entry exists';

-- changed items
CREATE FUNCTION merge_items(item, item) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_merge_items' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR || (LEFTARG = item, RIGHTARG = item, FUNCTION = merge_items);
COMMENT ON FUNCTION merge_items(item, item) IS 'implementation of || operator';
COMMENT ON OPERATOR || (item, item) IS 'merge items; the right one wins';
CREATE FUNCTION item_minus_name(item, text) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_remove_attribute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR - (LEFTARG = item, RIGHTARG = text, FUNCTION = item_minus_name);
COMMENT ON FUNCTION item_minus_name(item, text) IS 'implementation of - operator';
COMMENT ON OPERATOR - (item, text) IS 'remove attribute';
CREATE FUNCTION item_minus_names(item, text[]) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_remove_attributes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR - (LEFTARG = item, RIGHTARG = text[], FUNCTION = item_minus_names);
COMMENT ON FUNCTION item_minus_names(item, text[]) IS 'implementation of - operator';
COMMENT ON OPERATOR - (item, text[]) IS 'remove attributes';

--
-- Item functions: building, reading, measuring
--

CREATE FUNCTION item_size(item item) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dynamo_item_size' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION item_size(item) IS 'size of an item in bytes by DynamoDB''s rules';

CREATE FUNCTION value_type(value value) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_value_type' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION value_type(value) IS 'type of a value: S, N, B, BOOL, NULL, L, M, SS, NS or BS';

CREATE FUNCTION attribute_names(item item) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'dynamo_attribute_names' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION attribute_names(item) IS 'names of an item''s attributes';

CREATE FUNCTION each(item item, OUT name text, OUT value value) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dynamo_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION each(item) IS 'attributes of an item as rows';

CREATE FUNCTION elements(value value) RETURNS SETOF value
	AS 'MODULE_PATHNAME', 'dynamo_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION elements(value) IS 'elements of a list or members of a set as rows';

CREATE FUNCTION set_attribute(item item, name text, value value) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_set_attribute' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION set_attribute(item, text, value) IS 'item with an attribute set or replaced';

CREATE FUNCTION remove_attribute(item item, VARIADIC names text[]) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_remove_attributes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION remove_attribute(item, text[]) IS 'item without these attributes';

CREATE FUNCTION to_value("any") RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_to_value' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION to_value("any") IS 'value from SQL data of any type';

CREATE FUNCTION build_item(VARIADIC "any") RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_build_item' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION build_item("any") IS 'item from attribute names and values in turn';

CREATE FUNCTION build_item() RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_build_item_noargs' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION build_item() IS 'item without attributes';

CREATE FUNCTION row_to_item("row" record) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_row_to_item' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION row_to_item(record) IS 'item with an attribute for every column that is not null';

CREATE FUNCTION string_set(VARIADIC members text[]) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_string_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION string_set(text[]) IS 'value of type SS';

CREATE FUNCTION number_set(VARIADIC members numeric[]) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_number_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION number_set(numeric[]) IS 'value of type NS';

CREATE FUNCTION binary_set(VARIADIC members bytea[]) RETURNS value
	AS 'MODULE_PATHNAME', 'dynamo_binary_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION binary_set(bytea[]) IS 'value of type BS';

--
-- Expressions over items
--

CREATE FUNCTION matches(
	item item,
	condition_expression text,
	expression_attribute_values item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL
) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dynamo_matches' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION project(
	item item,
	projection_expression text,
	expression_attribute_names jsonb DEFAULT NULL
) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_project' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION apply_update(
	item item,
	update_expression text,
	expression_attribute_values item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL
) RETURNS item
	AS 'MODULE_PATHNAME', 'dynamo_apply_update' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION expression_cache_stats(
	OUT hits bigint,
	OUT misses bigint,
	OUT evictions bigint,
	OUT entries integer,
	OUT capacity integer
) RETURNS record
	AS 'MODULE_PATHNAME', 'dynamo_expression_cache_stats' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

COMMENT ON FUNCTION matches(item, text, item, jsonb)
	IS 'whether an item satisfies a condition expression';
COMMENT ON FUNCTION project(item, text, jsonb)
	IS 'the parts of an item that a projection expression names';
COMMENT ON FUNCTION apply_update(item, text, item, jsonb)
	IS 'an item with an update expression applied';
COMMENT ON FUNCTION expression_cache_stats()
	IS 'counters of this session''s cache of parsed expressions';

--
-- Tables: the key trigger, definitions, settings, views
--

-- Sets the key columns of a row from its item.  Its argument is the table's
-- definition; dynamo.create_table makes the trigger.
CREATE FUNCTION dynamo.derive_keys() RETURNS trigger
AS 'MODULE_PATHNAME', 'dynamo_derive_keys' LANGUAGE C;
COMMENT ON FUNCTION dynamo.derive_keys() IS
	'trigger function: derives key columns from the item and checks it';

CREATE FUNCTION dynamo.create_table(table_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT 'S',
	sort_key_type text DEFAULT 'S', indexes jsonb DEFAULT NULL,
	fillfactor integer DEFAULT NULL)
RETURNS regclass
AS 'MODULE_PATHNAME', 'dynamo_create_table' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.create_table(text, text, text, text, text, jsonb, integer) IS
	'creates a table for items in the current schema';

CREATE FUNCTION dynamo.drop_table(table_name text) RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_drop_table' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.drop_table(text) IS
	'drops a table, its items and its indexes';

CREATE FUNCTION dynamo.describe_table(table_name text) RETURNS jsonb
AS 'MODULE_PATHNAME', 'dynamo_describe_table' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.describe_table(text) IS
	'keys, indexes, estimated number of items and size of a table';

CREATE FUNCTION dynamo.table_relation(table_name text) RETURNS regclass
AS 'MODULE_PATHNAME', 'dynamo_table_relation' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.table_relation(text) IS
	'the relation that holds a table, found as the operations find it';

-- Definitions are arguments of triggers, which every kind of dump keeps.  Whoever
-- owns a table may write one: the views of all tables take one that is not
-- valid for none.
CREATE FUNCTION dynamo.table_definition(trigger_arguments bytea) RETURNS jsonb
AS 'MODULE_PATHNAME', 'dynamo_table_definition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dynamo.table_definition(bytea) IS
	'the definition of a table in pg_trigger.tgargs of its key trigger; null if it is not valid';

CREATE FUNCTION dynamo.stream_definition(trigger_arguments bytea) RETURNS jsonb
AS 'MODULE_PATHNAME', 'dynamo_stream_definition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dynamo.stream_definition(bytea) IS
	'the definition of a stream in pg_trigger.tgargs of its guard; null if it is not valid';

CREATE VIEW dynamo.tables AS
SELECT n.nspname AS schema_name,
	   COALESCE(d.definition OPERATOR(pg_catalog.->>) 'table', c.relname::pg_catalog.text) AS table_name,
	   c.oid::pg_catalog.regclass AS relation,
	   pg_catalog.pg_get_userbyid(c.relowner) AS owner,
	   d.definition OPERATOR(pg_catalog.#>>) '{partition,0}' AS partition_key,
	   (SELECT a OPERATOR(pg_catalog.->>) 'type' FROM pg_catalog.jsonb_array_elements(d.definition OPERATOR(pg_catalog.->) 'attributes') a
		WHERE a OPERATOR(pg_catalog.->>) 'name' OPERATOR(pg_catalog.=) (d.definition OPERATOR(pg_catalog.#>>) '{partition,0}')) AS partition_key_type,
	   d.definition OPERATOR(pg_catalog.#>>) '{sort,0}' AS sort_key,
	   (SELECT a OPERATOR(pg_catalog.->>) 'type' FROM pg_catalog.jsonb_array_elements(d.definition OPERATOR(pg_catalog.->) 'attributes') a
		WHERE a OPERATOR(pg_catalog.->>) 'name' OPERATOR(pg_catalog.=) (d.definition OPERATOR(pg_catalog.#>>) '{sort,0}')) AS sort_key_type,
	   CASE WHEN d.definition IS NOT NULL THEN
			(SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_array_elements(d.definition OPERATOR(pg_catalog.->) 'indexes') i
			 WHERE (i OPERATOR(pg_catalog.->>) 'replaces') IS NULL)::pg_catalog.int4 END AS indexes,
	   CASE WHEN pg_catalog.has_table_privilege(c.oid, 'SELECT') AND NOT pg_catalog.row_security_active(c.oid)
			THEN GREATEST(c.reltuples, 0)::pg_catalog.int8 END AS item_count,
	   d.definition
FROM pg_catalog.pg_trigger t
	JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid
	JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
	CROSS JOIN LATERAL (SELECT dynamo.table_definition(t.tgargs) AS definition OFFSET 0) d
WHERE t.tgfoid OPERATOR(pg_catalog.=) 'dynamo.derive_keys()'::pg_catalog.regprocedure
	AND NOT t.tgisinternal AND t.tgnargs OPERATOR(pg_catalog.=) 1 AND NOT c.relispartition;
COMMENT ON VIEW dynamo.tables IS
	'tables made by dynamo.create_table; key and indexes are null where the definition is not valid';

CREATE VIEW dynamo.indexes AS
SELECT t.schema_name,
	   t.table_name,
	   i.index OPERATOR(pg_catalog.->>) 'name' AS index_name,
	   (i.index OPERATOR(pg_catalog.->>) 'local')::pg_catalog.bool AS local,
	   ARRAY(SELECT pg_catalog.jsonb_array_elements_text(i.index OPERATOR(pg_catalog.->) 'partition')) AS partition_key,
	   ARRAY(SELECT pg_catalog.jsonb_array_elements_text(i.index OPERATOR(pg_catalog.->) 'sort')) AS sort_key,
	   i.index OPERATOR(pg_catalog.->>) 'projection' AS projection,
	   ARRAY(SELECT pg_catalog.jsonb_array_elements_text(i.index OPERATOR(pg_catalog.->) 'non_key_attributes')) AS non_key_attributes,
	   i.index OPERATOR(pg_catalog.->>) 'storage' AS storage,
	   CASE WHEN i.index OPERATOR(pg_catalog.->>) 'shards' OPERATOR(pg_catalog.<>) '0' THEN (i.index OPERATOR(pg_catalog.->>) 'shards')::pg_catalog.int4 END AS shards,
	   i.index OPERATOR(pg_catalog.->>) 'shard_by' AS shard_by,
	   i.index OPERATOR(pg_catalog.->>) 'relation' AS relation_name,
	   i.index OPERATOR(pg_catalog.->>) 'status' AS status
FROM dynamo.tables t
	CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(t.definition OPERATOR(pg_catalog.->) 'indexes')
		WITH ORDINALITY AS i(index, position)
WHERE (i.index OPERATOR(pg_catalog.->>) 'replaces') IS NULL
ORDER BY t.schema_name, t.table_name, i.position;
COMMENT ON VIEW dynamo.indexes IS 'secondary indexes of tables made by dynamo.create_table';

-- Ordinary DDL must not take away what a definition names, nor a trigger or
-- an index table.  Always: also in sessions that only replicate.
CREATE FUNCTION dynamo.ddl_command_start() RETURNS event_trigger
AS 'MODULE_PATHNAME', 'dynamo_ddl_command_start' LANGUAGE C;
COMMENT ON FUNCTION dynamo.ddl_command_start() IS
	'event trigger function: refuses to take index tables apart and triggers away';

CREATE EVENT TRIGGER dynamo_ddl_command_start ON ddl_command_start
	WHEN TAG IN ('ALTER TABLE', 'CREATE TABLE', 'CREATE FOREIGN TABLE', 'DROP INDEX', 'DROP TABLE', 'DROP TRIGGER',
		'ALTER TRIGGER')
	EXECUTE FUNCTION dynamo.ddl_command_start();
ALTER EVENT TRIGGER dynamo_ddl_command_start ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dynamo_ddl_command_start IS 'refuses to take index tables apart and triggers away';

CREATE FUNCTION dynamo.ddl_command_end() RETURNS event_trigger
AS 'MODULE_PATHNAME', 'dynamo_ddl_command_end' LANGUAGE C;
COMMENT ON FUNCTION dynamo.ddl_command_end() IS
	'event trigger function: keeps tables and their definitions in step';

CREATE EVENT TRIGGER dynamo_ddl_command_end ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER INDEX', 'ALTER SCHEMA', 'CREATE SCHEMA', 'CREATE TABLE', 'CREATE TRIGGER',
		'ALTER TRIGGER')
	EXECUTE FUNCTION dynamo.ddl_command_end();
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dynamo_ddl_command_end IS 'keeps tables and their definitions in step';

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
	return_values_on_condition_check_failure text DEFAULT 'NONE')
RETURNS dynamo.item
AS 'MODULE_PATHNAME', 'dynamo_put_item'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo.put_item(text, dynamo.item, text, dynamo.item, jsonb, text, text) IS
'stores an item, replacing the one with the same key; returns the old item if return_values is ALL_OLD';

CREATE FUNCTION dynamo.get_item(
	table_name text,
	key dynamo.item,
	projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL)
RETURNS dynamo.item
AS 'MODULE_PATHNAME', 'dynamo_get_item'
LANGUAGE C STABLE PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo.get_item(text, dynamo.item, text, jsonb) IS
'the item with this key, or NULL';

CREATE FUNCTION dynamo.update_item(
	table_name text,
	key dynamo.item,
	update_expression text DEFAULT NULL,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE',
	return_values_on_condition_check_failure text DEFAULT 'NONE')
RETURNS dynamo.item
AS 'MODULE_PATHNAME', 'dynamo_update_item'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo.update_item(text, dynamo.item, text, text, dynamo.item, jsonb, text, text) IS
'changes attributes of the item with this key, creating it if it is not there; returns what return_values asks for';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	key dynamo.item,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE',
	return_values_on_condition_check_failure text DEFAULT 'NONE')
RETURNS dynamo.item
AS 'MODULE_PATHNAME', 'dynamo_delete_item'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo.delete_item(text, dynamo.item, text, dynamo.item, jsonb, text, text) IS
'deletes the item with this key, if there is one; returns the old item if return_values is ALL_OLD';

CREATE FUNCTION dynamo.batch_get_item(
	table_name text,
	keys dynamo.item[],
	projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL)
RETURNS SETOF dynamo.item
AS 'MODULE_PATHNAME', 'dynamo_batch_get_item'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 25;

COMMENT ON FUNCTION dynamo.batch_get_item(text, dynamo.item[], text, jsonb) IS
'the items with these keys, without those that are not there';

CREATE FUNCTION dynamo.batch_write_item(
	table_name text,
	put_items dynamo.item[] DEFAULT NULL,
	delete_keys dynamo.item[] DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_batch_write_item'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo.batch_write_item(text, dynamo.item[], dynamo.item[]) IS
'stores and deletes many items of one table';

CREATE FUNCTION dynamo.transact_write_items(transact_items jsonb)
RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_transact_write_items'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo.transact_write_items(jsonb) IS
'puts, updates, deletes and checks many items of any tables, all or none';

CREATE FUNCTION dynamo.transact_get_items(transact_items jsonb)
RETURNS SETOF dynamo.item
AS 'MODULE_PATHNAME', 'dynamo_transact_get_items'
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 10;

COMMENT ON FUNCTION dynamo.transact_get_items(jsonb) IS
'many items of any tables, in the order of the list, NULL for one that is not there';

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
	shard_value dynamo.value DEFAULT NULL)
RETURNS SETOF dynamo.item
LANGUAGE C STABLE PARALLEL RESTRICTED COST 100 ROWS 10
AS 'MODULE_PATHNAME', 'dynamo_query';

COMMENT ON FUNCTION dynamo.query(text, text, dynamo.item, jsonb, text, boolean, integer, dynamo.item, text, text, integer, dynamo.value) IS
'items of one partition of a table or index, in sort key order';

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
	total_segments integer DEFAULT NULL)
RETURNS SETOF dynamo.item
LANGUAGE C STABLE PARALLEL RESTRICTED COST 100 ROWS 1000
AS 'MODULE_PATHNAME', 'dynamo_scan';

COMMENT ON FUNCTION dynamo.scan(text, text, dynamo.item, jsonb, text, text, integer, dynamo.item, integer, integer) IS
'all items of a table or index, or of one of its segments';

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
'one page of a query: at most page_size items evaluated or 1 MB read, and where the next page begins';

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
'one page of a scan: at most page_size items evaluated or 1 MB read, and where the next page begins';

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
	shard_value dynamo.value DEFAULT NULL)
RETURNS text
LANGUAGE C STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_explain_query';

COMMENT ON FUNCTION dynamo.explain_query(text, text, dynamo.item, jsonb, text, boolean, integer, dynamo.item, text, text, integer, dynamo.value) IS
'what a query reads: the index, the range of its keys and the path, in words';

--
-- Secondary indexes: index tables, building, verification
--

CREATE FUNCTION dynamo.sql_drop() RETURNS event_trigger
AS 'MODULE_PATHNAME', 'dynamo_sql_drop' LANGUAGE C;
COMMENT ON FUNCTION dynamo.sql_drop() IS
	'event trigger function: drops index tables with their table';

CREATE EVENT TRIGGER dynamo_sql_drop ON sql_drop
	WHEN TAG IN ('DROP TABLE', 'DROP INDEX', 'DROP OWNED', 'DROP SCHEMA', 'DROP TRIGGER')
	EXECUTE FUNCTION dynamo.sql_drop();
ALTER EVENT TRIGGER dynamo_sql_drop ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER dynamo_sql_drop IS 'drops index tables with their table, and forgets its settings';

-- On a table with index tables: keeps their entries.
CREATE FUNCTION dynamo.maintain_indexes() RETURNS trigger
AS 'MODULE_PATHNAME', 'dynamo_maintain_indexes' LANGUAGE C;
COMMENT ON FUNCTION dynamo.maintain_indexes() IS
	'trigger function: writes the entries of index tables';

-- On an index table: keeps all other writes out.
CREATE FUNCTION dynamo.guard_index() RETURNS trigger
AS 'MODULE_PATHNAME', 'dynamo_guard_index' LANGUAGE C;
COMMENT ON FUNCTION dynamo.guard_index() IS
	'trigger function: skips writes to an index table that index maintenance did not make';

-- One attribute for each key, or several: exactly two overloads.
CREATE FUNCTION dynamo.create_index(table_name text, index_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT NULL,
	sort_key_type text DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_create_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.create_index(text, text, text, text, text, text, text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index and fills it';

CREATE FUNCTION dynamo.create_index(table_name text, index_name text, partition_key text[],
	sort_key text[] DEFAULT NULL, partition_key_type text[] DEFAULT NULL,
	sort_key_type text[] DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_create_index_multi' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.create_index(text, text, text[], text[], text[], text[], text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index with keys of several attributes and fills it';

CREATE FUNCTION dynamo.drop_index(table_name text, index_name text) RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_drop_index' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.drop_index(text, text) IS
	'drops a secondary index and the columns that only it used';

-- Building on tables in use

-- How far a build has come.  What is lost here is done again.
CREATE TABLE dynamo.index_builds (
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
COMMENT ON TABLE dynamo.index_builds IS
	'how far the building of indexes has come; written by index builds only';
-- It names this server's OIDs and pages: a subscription to all tables must not
-- write it.
CREATE FUNCTION dynamo.skip_replicated_write() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_skip_replicated_write';
COMMENT ON FUNCTION dynamo.skip_replicated_write() IS
	'trigger function: keeps out what logical replication writes';
CREATE TRIGGER skip_replicated_write BEFORE INSERT OR UPDATE OR DELETE ON dynamo.index_builds
	FOR EACH ROW EXECUTE FUNCTION dynamo.skip_replicated_write();
ALTER TABLE dynamo.index_builds ENABLE REPLICA TRIGGER skip_replicated_write;

-- Items and messages are for those who may use the table.
CREATE VIEW dynamo.index_progress AS
SELECT t.schema_name,
	   t.table_name,
	   COALESCE(i.index OPERATOR(pg_catalog.->>) 'replaces', i.index OPERATOR(pg_catalog.->>) 'name') AS index_name,
	   i.index OPERATOR(pg_catalog.->>) 'status' AS status,
	   CASE WHEN i.index OPERATOR(pg_catalog.->>) 'status' OPERATOR(pg_catalog.=) 'DELETING' THEN 'removing'
			ELSE COALESCE(b.phase, CASE WHEN i.index OPERATOR(pg_catalog.->>) 'status' OPERATOR(pg_catalog.=) 'ACTIVE' THEN 'complete' ELSE 'filling' END)
			END AS phase,
	   CASE WHEN v.all_rows THEN COALESCE(b.rows_done, 0) END AS rows_done,
	   CASE WHEN NOT v.all_rows THEN NULL
			WHEN b.block OPERATOR(pg_catalog.>) 0 AND b.phase OPERATOR(pg_catalog.=) 'filling'
			THEN (b.rows_done::pg_catalog.numeric OPERATOR(pg_catalog.*) b.blocks OPERATOR(pg_catalog./) b.block)::pg_catalog.int8
			ELSE GREATEST(b.rows_done, t.item_count) END AS rows_estimated,
	   CASE WHEN v.all_rows THEN COALESCE(b.skipped, 0) END AS skipped,
	   CASE WHEN pg_catalog.pg_has_role(t.owner, 'USAGE') THEN b.skipped_items END AS skipped_items,
	   (SELECT l.pid FROM pg_catalog.pg_locks l
		WHERE l.locktype OPERATOR(pg_catalog.=) 'object' AND l.granted
			AND l.database OPERATOR(pg_catalog.=) (SELECT oid FROM pg_catalog.pg_database
							  WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database())
			AND l.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
			AND l.objid OPERATOR(pg_catalog.=) t.relation AND l.objsubid OPERATOR(pg_catalog.=) 1::pg_catalog.int2
			AND l.mode OPERATOR(pg_catalog.=) 'ShareUpdateExclusiveLock'
			AND i.index OPERATOR(pg_catalog.->>) 'status' OPERATOR(pg_catalog.<>) 'ACTIVE' LIMIT 1) AS worker_pid,
	   CASE WHEN pg_catalog.pg_has_role(t.owner, 'USAGE') THEN b.error END AS error,
	   b.started_at,
	   b.updated_at
FROM dynamo.tables t
	CROSS JOIN LATERAL (SELECT pg_catalog.pg_has_role(t.owner, 'USAGE')
		OR pg_catalog.has_table_privilege(t.relation, 'SELECT')
			AND NOT pg_catalog.row_security_active(t.relation)) AS v(all_rows)
	CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(t.definition OPERATOR(pg_catalog.->) 'indexes') AS i(index)
	LEFT JOIN dynamo.index_builds b
		ON b.relation OPERATOR(pg_catalog.=) t.relation AND b.index_name OPERATOR(pg_catalog.=) (i.index OPERATOR(pg_catalog.->>) 'name')
WHERE b.relation IS NOT NULL OR i.index OPERATOR(pg_catalog.->>) 'status' OPERATOR(pg_catalog.<>) 'ACTIVE';
COMMENT ON VIEW dynamo.index_progress IS
	'builds of secondary indexes: how far they are, what they left out, what stopped them';

CREATE PROCEDURE dynamo.build_indexes(table_name text DEFAULT NULL, wait boolean DEFAULT true)
AS 'MODULE_PATHNAME', 'dynamo_build_indexes' LANGUAGE C;
COMMENT ON PROCEDURE dynamo.build_indexes(text, boolean) IS
	'builds the indexes of a table, or of all, that wait to be built';

CREATE FUNCTION dynamo.build_statements(table_name text DEFAULT NULL) RETURNS SETOF text
AS 'MODULE_PATHNAME', 'dynamo_build_statements' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.build_statements(text) IS
	'statements that build the indexes that wait to be built, where no background worker can';

CREATE PROCEDURE dynamo.create_index_and_wait(table_name text, index_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT NULL,
	sort_key_type text DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
AS 'MODULE_PATHNAME', 'dynamo_create_index_and_wait' LANGUAGE C;
COMMENT ON PROCEDURE dynamo.create_index_and_wait(text, text, text, text, text, text, text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index and waits until it is built';

CREATE PROCEDURE dynamo.create_index_and_wait(table_name text, index_name text, partition_key text[],
	sort_key text[] DEFAULT NULL, partition_key_type text[] DEFAULT NULL,
	sort_key_type text[] DEFAULT NULL, projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL, local boolean DEFAULT false,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
AS 'MODULE_PATHNAME', 'dynamo_create_index_and_wait_multi' LANGUAGE C;
COMMENT ON PROCEDURE dynamo.create_index_and_wait(text, text, text[], text[], text[], text[], text,
		text[], boolean, text, integer, text) IS
	'creates a secondary index with keys of several attributes and waits until it is built';

CREATE FUNCTION dynamo.reshard_index(table_name text, index_name text, shards integer,
	shard_by text DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_reshard_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.reshard_index(text, text, integer, text) IS
	'gives an index another number of shards, or other shards, while it is used';

CREATE FUNCTION dynamo.change_index(table_name text, index_name text,
	projection text DEFAULT NULL, non_key_attributes text[] DEFAULT NULL,
	storage text DEFAULT NULL, shards integer DEFAULT NULL, shard_by text DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_change_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.change_index(text, text, text, text[], text, integer, text) IS
	'changes the projection or the storage of an index while it is used';

CREATE FUNCTION dynamo.verify_index(table_name text, index_name text,
	OUT problem text, OUT key item, OUT detail text) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dynamo_verify_index' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.verify_index(text, text) IS
	'differences between a secondary index and its table';

CREATE FUNCTION dynamo.reindex(table_name text, index_name text) RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_reindex' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.reindex(text, text) IS
	'builds a secondary index again from its table';

-- In predicates of indexes: the result must not change.
CREATE FUNCTION dynamo.fits_index(partition_attributes integer, sort_attributes integer,
	VARIADIC key_columns "any")
RETURNS boolean
AS 'MODULE_PATHNAME', 'dynamo_fits_index' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.fits_index(integer, integer, "any") IS
	'whether key columns are within the limits of an index';

CREATE FUNCTION dynamo.recommend_shards(items bigint, item_bytes integer,
	fraction double precision DEFAULT 1, padding double precision DEFAULT 0)
RETURNS integer
AS 'MODULE_PATHNAME', 'dynamo_recommend_shards' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.recommend_shards(bigint, integer, double precision, double precision) IS
	'number of shards for reading a fraction of so many items of this size each second';

--
-- Plain SQL: planner support, entity views, constraints, import and export
--

-- Containment, and a GIN operator class for it and for the existence of names.
CREATE FUNCTION dynamo.item_contains(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_contains';
COMMENT ON FUNCTION dynamo.item_contains(dynamo.item, dynamo.item) IS
	'implementation of @> operator';
CREATE FUNCTION dynamo.item_contained(dynamo.item, dynamo.item) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_contained';
COMMENT ON FUNCTION dynamo.item_contained(dynamo.item, dynamo.item) IS
	'implementation of <@ operator';
CREATE OPERATOR dynamo.@> (LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo.item_contains, COMMUTATOR = OPERATOR(dynamo.<@),
	RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR dynamo.@> (dynamo.item, dynamo.item) IS 'contains';
CREATE OPERATOR dynamo.<@ (LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo.item_contained, COMMUTATOR = OPERATOR(dynamo.@>),
	RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR dynamo.<@ (dynamo.item, dynamo.item) IS 'is contained by';

CREATE FUNCTION dynamo.gin_extract_item(dynamo.item, internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_extract_item';
COMMENT ON FUNCTION dynamo.gin_extract_item(dynamo.item, internal) IS 'GIN support';
CREATE FUNCTION dynamo.gin_extract_item_query(dynamo.item, internal, smallint, internal,
	internal, internal, internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_extract_item_query';
COMMENT ON FUNCTION dynamo.gin_extract_item_query(dynamo.item, internal, smallint, internal,
	internal, internal, internal) IS 'GIN support';
CREATE FUNCTION dynamo.gin_consistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal, internal) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_consistent_item';
COMMENT ON FUNCTION dynamo.gin_consistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION dynamo.gin_triconsistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal) RETURNS "char"
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_gin_triconsistent_item';
COMMENT ON FUNCTION dynamo.gin_triconsistent_item(internal, smallint, dynamo.item, integer,
	internal, internal, internal) IS 'GIN support';
CREATE OPERATOR CLASS dynamo.item_gin_ops DEFAULT FOR TYPE dynamo.item USING gin AS
	OPERATOR 7 dynamo.@> (dynamo.item, dynamo.item),
	OPERATOR 9 dynamo.? (dynamo.item, text),
	FUNCTION 1 btint4cmp(integer, integer),
	FUNCTION 2 dynamo.gin_extract_item(dynamo.item, internal),
	FUNCTION 3 dynamo.gin_extract_item_query(dynamo.item, internal, smallint, internal,
		internal, internal, internal),
	FUNCTION 4 dynamo.gin_consistent_item(internal, smallint, dynamo.item, integer,
		internal, internal, internal, internal),
	FUNCTION 6 dynamo.gin_triconsistent_item(internal, smallint, dynamo.item, integer,
		internal, internal, internal),
	STORAGE integer;
COMMENT ON OPERATOR CLASS dynamo.item_gin_ops USING gin IS
	'containment and existence of attributes';
COMMENT ON OPERATOR FAMILY dynamo.item_gin_ops USING gin IS
	'containment and existence of attributes';

-- Statistics on items: attribute names and how many items have them.
CREATE FUNCTION dynamo.item_typanalyze(internal) RETURNS boolean
	LANGUAGE C STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_item_typanalyze';
COMMENT ON FUNCTION dynamo.item_typanalyze(internal) IS
	'analysis of item columns: attribute names and their frequencies';
ALTER TYPE dynamo.item SET (ANALYZE = dynamo.item_typanalyze);

CREATE FUNCTION dynamo.exists_selectivity(internal, oid, internal, integer)
	RETURNS double precision
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_exists_selectivity';
COMMENT ON FUNCTION dynamo.exists_selectivity(internal, oid, internal, integer) IS
	'selectivity of item ? name';
ALTER OPERATOR dynamo.? (dynamo.item, text) SET (RESTRICT = dynamo.exists_selectivity);

CREATE FUNCTION dynamo.query_support(internal) RETURNS internal
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_query_support';
COMMENT ON FUNCTION dynamo.query_support(internal) IS
	'planner support of dynamo.query: rows, cost, arguments at their defaults';
ALTER FUNCTION dynamo.query(text, text, dynamo.item, jsonb, text, boolean, integer,
	dynamo.item, text, text, integer, dynamo.value) SUPPORT dynamo.query_support;

CREATE FUNCTION dynamo.scan_support(internal) RETURNS internal
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_scan_support';
COMMENT ON FUNCTION dynamo.scan_support(internal) IS
	'planner support of dynamo.scan: rows, cost, arguments at their defaults';
ALTER FUNCTION dynamo.scan(text, text, dynamo.item, jsonb, text, text, integer,
	dynamo.item, integer, integer) SUPPORT dynamo.scan_support;

CREATE FUNCTION dynamo.begins_with_support(internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_begins_with_support';
COMMENT ON FUNCTION dynamo.begins_with_support(internal) IS
	'planner support of dynamo.begins_with: index ranges and selectivity';

-- Leakproof: bytes are compared, nothing can fail, so that row security and
-- security barriers do not keep the planner from the index.
CREATE FUNCTION dynamo.begins_with(value text, prefix text) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	SUPPORT dynamo.begins_with_support
	AS 'MODULE_PATHNAME', 'dynamo_begins_with';
COMMENT ON FUNCTION dynamo.begins_with(text, text) IS
	'whether a text begins with a prefix; an index range on columns in byte order';

CREATE FUNCTION dynamo.begins_with(value bytea, prefix bytea) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	SUPPORT dynamo.begins_with_support
	AS 'MODULE_PATHNAME', 'dynamo_begins_with';
COMMENT ON FUNCTION dynamo.begins_with(bytea, bytea) IS
	'whether binary data begins with a prefix; an index range';

CREATE FUNCTION dynamo.prefix_upper(prefix text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_prefix_upper_text';
COMMENT ON FUNCTION dynamo.prefix_upper(text) IS
	'least text, in byte order, above every text that begins with a prefix; NULL if there is none';

CREATE FUNCTION dynamo.prefix_upper(prefix bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_prefix_upper_bytea';
COMMENT ON FUNCTION dynamo.prefix_upper(bytea) IS
	'least binary value above every value that begins with a prefix; NULL if there is none';

CREATE FUNCTION dynamo.render_key(item dynamo.item, template text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_render_key';
COMMENT ON FUNCTION dynamo.render_key(dynamo.item, text) IS
	'a key composed of an item''s attributes by a template such as ORDER#{order_id}; NULL if one is missing';

CREATE FUNCTION dynamo.entity_view_write() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_entity_view_write';
COMMENT ON FUNCTION dynamo.entity_view_write() IS
	'trigger function: writes through views made by dynamo.create_entity_view';

CREATE FUNCTION dynamo.create_entity_view(view_name text, table_name text, columns json,
	keys jsonb DEFAULT NULL, key_prefix jsonb DEFAULT NULL,
	attributes dynamo.item DEFAULT NULL, condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL)
	RETURNS regclass
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_create_entity_view';
COMMENT ON FUNCTION dynamo.create_entity_view(text, text, json, jsonb, jsonb,
	dynamo.item, text, dynamo.item, jsonb) IS
	'creates a typed, updatable view of one kind of items in a table';

CREATE FUNCTION dynamo.add_unique_constraint(table_name text, constraint_name text,
	attributes text[], key_prefix jsonb DEFAULT NULL,
	kind_attributes dynamo.item DEFAULT NULL, condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	is_deferrable boolean DEFAULT false, initially_deferred boolean DEFAULT false)
	RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_add_unique_constraint';
COMMENT ON FUNCTION dynamo.add_unique_constraint(text, text, text[], jsonb, dynamo.item,
	text, dynamo.item, jsonb, boolean, boolean) IS
	'makes attributes unique within one kind of items';

CREATE FUNCTION dynamo.check_reference() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_check_reference';
COMMENT ON FUNCTION dynamo.check_reference() IS
	'trigger function: an item that is referenced must exist';

CREATE FUNCTION dynamo.check_referenced() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_check_referenced';
COMMENT ON FUNCTION dynamo.check_referenced() IS
	'trigger function: an item that is referenced must not go';

CREATE FUNCTION dynamo.add_reference(table_name text, constraint_name text,
	referenced_key jsonb, referenced_table text DEFAULT NULL,
	key_prefix jsonb DEFAULT NULL, kind_attributes dynamo.item DEFAULT NULL,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL, on_delete text DEFAULT 'NO ACTION',
	is_deferrable boolean DEFAULT false, initially_deferred boolean DEFAULT false,
	create_index boolean DEFAULT true)
	RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_add_reference';
COMMENT ON FUNCTION dynamo.add_reference(text, text, jsonb, text, jsonb, dynamo.item,
	text, dynamo.item, jsonb, text, boolean, boolean, boolean) IS
	'requires that the item one kind of items refers to exists';

CREATE FUNCTION dynamo.drop_constraint(table_name text, constraint_name text) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_drop_constraint';
COMMENT ON FUNCTION dynamo.drop_constraint(text, text) IS
	'drops a unique constraint or a reference';

CREATE FUNCTION dynamo.import_line(line text) RETURNS dynamo.item
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_import_line';
COMMENT ON FUNCTION dynamo.import_line(text) IS
	'the item in a line of an export, such as {"Item":{"PK":{"S":"a"}}}';

CREATE FUNCTION dynamo.export_line(item dynamo.item) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_export_line';
COMMENT ON FUNCTION dynamo.export_line(dynamo.item) IS
	'an item as a line of an export, {"Item":{...}}';

CREATE FUNCTION dynamo.import_items(table_name text, file_name text,
	skip_errors boolean DEFAULT false, OUT imported bigint, OUT failed bigint)
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_import_items';
COMMENT ON FUNCTION dynamo.import_items(text, text, boolean) IS
	'puts the items of a server file of JSON lines into a table';

CREATE FUNCTION dynamo.import_lines(table_name text, lines text[],
	skip_errors boolean DEFAULT false, OUT imported bigint, OUT failed bigint)
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_import_lines';
COMMENT ON FUNCTION dynamo.import_lines(text, text[], boolean) IS
	'puts the items of JSON lines into a table';

CREATE FUNCTION dynamo.export_items(table_name text, file_name text) RETURNS bigint
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_export_items';
COMMENT ON FUNCTION dynamo.export_items(text, text) IS
	'writes the items of a table to a server file of JSON lines; returns how many';

--
-- Streams: capturing changes, reading and trimming them
--

-- On a table with a stream: appends records.  Arguments: stream, view, label.
CREATE FUNCTION dynamo.capture_changes() RETURNS trigger
AS 'MODULE_PATHNAME', 'dynamo_capture_changes' LANGUAGE C;
COMMENT ON FUNCTION dynamo.capture_changes() IS
	'trigger function: records the changes of items in a stream';

-- On a stream: keeps all other writes out.  Its argument is the definition.
CREATE FUNCTION dynamo.guard_stream() RETURNS trigger
AS 'MODULE_PATHNAME', 'dynamo_guard_stream' LANGUAGE C;
COMMENT ON FUNCTION dynamo.guard_stream() IS
	'trigger function: skips writes to a stream that are no changes of items';

CREATE FUNCTION dynamo.stream_arn(table_name text, label text) RETURNS text
AS 'MODULE_PATHNAME', 'dynamo_stream_arn' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.stream_arn(text, text) IS
	'the resource name of a stream, as requests know it';

-- Definitions are arguments of triggers, as those of tables are.
CREATE VIEW dynamo.streams AS
SELECT n.nspname AS schema_name,
	   d.definition OPERATOR(pg_catalog.->>) 'table' AS table_name,
	   c.oid::pg_catalog.regclass AS stream_relation,
	   pg_catalog.pg_get_userbyid(c.relowner) AS owner,
	   d.definition OPERATOR(pg_catalog.->>) 'label' AS label,
	   d.definition OPERATOR(pg_catalog.->>) 'view' AS view_type,
	   CASE WHEN (d.definition OPERATOR(pg_catalog.->>) 'closed') IS NULL THEN 'ENABLED' ELSE 'DISABLED' END AS status,
	   (d.definition OPERATOR(pg_catalog.->>) 'label' OPERATOR(pg_catalog.||) '+00')::pg_catalog.timestamptz AS enabled_at,
	   (d.definition OPERATOR(pg_catalog.->>) 'closed' OPERATOR(pg_catalog.||) '+00')::pg_catalog.timestamptz AS disabled_at,
	   dynamo.stream_arn(d.definition OPERATOR(pg_catalog.->>) 'table', d.definition OPERATOR(pg_catalog.->>) 'label') AS arn
FROM pg_catalog.pg_trigger t
	JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid
	JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
	CROSS JOIN LATERAL (SELECT dynamo.stream_definition(t.tgargs) AS definition OFFSET 0) d
WHERE t.tgfoid OPERATOR(pg_catalog.=) 'dynamo.guard_stream()'::pg_catalog.regprocedure
	AND NOT t.tgisinternal AND t.tgnargs OPERATOR(pg_catalog.=) 1 AND (t.tgtype OPERATOR(pg_catalog.&) 32::pg_catalog.int2) OPERATOR(pg_catalog.=) 0 AND NOT c.relispartition
	AND d.definition IS NOT NULL;
COMMENT ON VIEW dynamo.streams IS 'streams, open and closed, of tables that may be dropped';

CREATE FUNCTION dynamo.enable_stream(table_name text,
	view_type text DEFAULT 'NEW_AND_OLD_IMAGES') RETURNS text
AS 'MODULE_PATHNAME', 'dynamo_enable_stream' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.enable_stream(text, text) IS
	'begins a stream of the changes of a table; returns its label';

CREATE FUNCTION dynamo.disable_stream(table_name text) RETURNS void
AS 'MODULE_PATHNAME', 'dynamo_disable_stream' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.disable_stream(text) IS
	'ends the stream of a table; its records remain until they are trimmed';

CREATE FUNCTION dynamo.read_stream(table_name text, after numeric DEFAULT NULL,
	max_records bigint DEFAULT 1000, label text DEFAULT NULL,
	OUT sequence_number numeric, OUT event_name text, OUT keys dynamo.item,
	OUT new_image dynamo.item, OUT old_image dynamo.item, OUT created_at timestamptz,
	OUT expired boolean, OUT event_id text) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dynamo_read_stream' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.read_stream(text, numeric, bigint, text) IS
	'changes of a table in their order, after a sequence number';

CREATE FUNCTION dynamo.trim_streams(table_name text DEFAULT NULL,
	retention interval DEFAULT '24 hours', max_records bigint DEFAULT 1000000) RETURNS bigint
AS 'MODULE_PATHNAME', 'dynamo_trim_streams' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.trim_streams(text, interval, bigint) IS
	'deletes old records of the streams of one''s own tables; returns how many';

--
-- Requests in DynamoDB's JSON
--

-- What the API knows of tables beyond their definition.  Tables without a row
-- have defaults, so that nothing breaks when a dump leaves these out.
CREATE TABLE dynamo.table_settings (
	schema_name text COLLATE "C" NOT NULL,
	table_name text COLLATE "C" NOT NULL,
	table_id text NOT NULL,
	created_at timestamptz,
	on_demand boolean NOT NULL,
	on_demand_since timestamptz,
	read_capacity_units bigint NOT NULL,
	write_capacity_units bigint NOT NULL,
	increased_at timestamptz,
	decreased_at timestamptz,
	decreases bigint NOT NULL,
	max_read_request_units bigint NOT NULL,
	max_write_request_units bigint NOT NULL,
	warm_read_units bigint NOT NULL,
	warm_write_units bigint NOT NULL,
	stream_label text,
	deletion_protection boolean NOT NULL,
	table_class text,
	table_class_changed_at timestamptz,
	sse_type text,
	sse_key text,
	time_to_live_changed_at timestamptz,
	PRIMARY KEY (schema_name, table_name)
);
COMMENT ON TABLE dynamo.table_settings IS
	'what requests have set on tables: billing, streams, protection; written by requests only';

CREATE TABLE dynamo.index_settings (
	schema_name text COLLATE "C" NOT NULL,
	table_name text COLLATE "C" NOT NULL,
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
	PRIMARY KEY (schema_name, table_name, index_name)
);
COMMENT ON TABLE dynamo.index_settings IS
	'throughput that requests have set on global indexes; written by requests only';

CREATE TABLE dynamo.table_tags (
	schema_name text COLLATE "C" NOT NULL,
	table_name text COLLATE "C" NOT NULL,
	tag_key text COLLATE "C" NOT NULL,
	tag_value text NOT NULL,
	PRIMARY KEY (schema_name, table_name, tag_key)
);
COMMENT ON TABLE dynamo.table_tags IS 'tags of tables; written by requests only';

SELECT pg_catalog.pg_extension_config_dump('dynamo.table_settings', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo.index_settings', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo.table_tags', '');

CREATE TABLE dynamo.request_tokens (
	owner text COLLATE "C" NOT NULL,
	token text COLLATE "C" NOT NULL,
	digest bytea NOT NULL,
	completed_at timestamptz NOT NULL,
	PRIMARY KEY (owner, token)
);
CREATE INDEX request_tokens_completed_at ON dynamo.request_tokens (completed_at);
COMMENT ON TABLE dynamo.request_tokens IS
	'ClientRequestTokens of the last ten minutes; written by TransactWriteItems';

-- A subscription to all tables must not stop at settings that are there.
CREATE FUNCTION dynamo.skip_replicated_duplicate() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_skip_replicated_duplicate';
COMMENT ON FUNCTION dynamo.skip_replicated_duplicate() IS
	'trigger function: keeps a row that logical replication would insert again';
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo.table_settings
	FOR EACH ROW EXECUTE FUNCTION dynamo.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo.index_settings
	FOR EACH ROW EXECUTE FUNCTION dynamo.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo.table_tags
	FOR EACH ROW EXECUTE FUNCTION dynamo.skip_replicated_duplicate();
CREATE TRIGGER skip_replicated_duplicate BEFORE INSERT ON dynamo.request_tokens
	FOR EACH ROW EXECUTE FUNCTION dynamo.skip_replicated_duplicate();
ALTER TABLE dynamo.table_settings ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo.index_settings ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo.table_tags ENABLE REPLICA TRIGGER skip_replicated_duplicate;
ALTER TABLE dynamo.request_tokens ENABLE REPLICA TRIGGER skip_replicated_duplicate;

CREATE FUNCTION dynamo.request(operation text, request json) RETURNS json
	AS 'MODULE_PATHNAME', 'dynamo_request' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.request(text, json) IS
	'executes a request of the DynamoDB API; errors are raised with the error body as DETAIL';

CREATE FUNCTION dynamo.request_safe(operation text, request json) RETURNS json
	AS 'MODULE_PATHNAME', 'dynamo_request_safe' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.request_safe(text, json) IS
	'executes a request of the DynamoDB API; returns {"status": HTTP status, "body": answer or error}';

-- Time to live.
CREATE FUNCTION dynamo.update_time_to_live(table_name text, attribute_name text,
	enabled boolean DEFAULT true) RETURNS void
	AS 'MODULE_PATHNAME', 'dynamo_update_time_to_live' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.update_time_to_live(text, text, boolean) IS
	'names the attribute that says, in epoch seconds, when an item expires';

CREATE FUNCTION dynamo.delete_expired(table_name text DEFAULT NULL, max_items bigint DEFAULT 10000)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'dynamo_delete_expired' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.delete_expired(text, bigint) IS
	'deletes expired items of a table, or of all; returns how many';

--
-- The HTTP endpoint
--

-- Signatures are verified with the secrets themselves, so they are kept as
-- they are, in a type that shows a mask to whoever reads it.
CREATE TYPE dynamo.secret;
CREATE FUNCTION dynamo.secret_in(cstring) RETURNS dynamo.secret
	AS 'MODULE_PATHNAME', 'dynamo_secret_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dynamo.secret_out(dynamo.secret) RETURNS cstring
	AS 'MODULE_PATHNAME', 'dynamo_secret_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dynamo.secret_recv(internal) RETURNS dynamo.secret
	AS 'MODULE_PATHNAME', 'dynamo_secret_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dynamo.secret_send(dynamo.secret) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dynamo_secret_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE dynamo.secret (
	INPUT = dynamo.secret_in, OUTPUT = dynamo.secret_out,
	RECEIVE = dynamo.secret_recv, SEND = dynamo.secret_send,
	INTERNALLENGTH = 144, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE dynamo.secret IS 'secret that no statement can read';
COMMENT ON FUNCTION dynamo.secret_in(cstring) IS 'input of dynamo.secret: the mask';
COMMENT ON FUNCTION dynamo.secret_out(dynamo.secret) IS 'output of dynamo.secret: a mask';
COMMENT ON FUNCTION dynamo.secret_recv(internal) IS 'binary input of dynamo.secret: the mask';
COMMENT ON FUNCTION dynamo.secret_send(dynamo.secret) IS 'binary output of dynamo.secret: a mask';

-- Left out of dumps, as passwords are: roles and secrets are one server's own.
CREATE TABLE dynamo.access_key_secrets (
	access_key_id text COLLATE "C" PRIMARY KEY,
	secret_access_key dynamo.secret NOT NULL,
	role oid NOT NULL,
	created_at timestamptz NOT NULL
) USING heap WITH (vacuum_truncate = off);
COMMENT ON TABLE dynamo.access_key_secrets IS
	'access keys of the HTTP endpoint with their secrets; written by dynamo.create_access_key only';

-- Who writes a row becomes its role.  No privilege is enough for that.
CREATE FUNCTION dynamo.guard_access_keys() RETURNS trigger
	LANGUAGE C
	AS 'MODULE_PATHNAME', 'dynamo_guard_access_keys';
COMMENT ON FUNCTION dynamo.guard_access_keys() IS
	'trigger function: refuses what statements write to the table of access keys';
CREATE TRIGGER guard_access_keys BEFORE INSERT OR UPDATE OR DELETE ON dynamo.access_key_secrets
	FOR EACH ROW EXECUTE FUNCTION dynamo.guard_access_keys();
CREATE TRIGGER guard_access_keys_truncate BEFORE TRUNCATE ON dynamo.access_key_secrets
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo.guard_access_keys();
ALTER TABLE dynamo.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys;
ALTER TABLE dynamo.access_key_secrets ENABLE ALWAYS TRIGGER guard_access_keys_truncate;

CREATE VIEW dynamo.access_keys WITH (security_barrier) AS
	SELECT access_key_id, role::pg_catalog.regrole AS role, created_at
	FROM dynamo.access_key_secrets
	WHERE pg_catalog.pg_has_role(role, 'USAGE');
COMMENT ON VIEW dynamo.access_keys IS
	'access keys of the HTTP endpoint whose roles the user has the privileges of';

CREATE FUNCTION dynamo.create_access_key(role regrole,
	INOUT access_key_id text DEFAULT NULL, INOUT secret_access_key text DEFAULT NULL) RETURNS record
	AS 'MODULE_PATHNAME', 'dynamo_create_access_key' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.create_access_key(regrole, text, text) IS
	'makes an access key for the HTTP endpoint, whose requests have the rights of the role; returns it with its secret';

CREATE FUNCTION dynamo.drop_access_key(access_key_id text) RETURNS void
	AS 'MODULE_PATHNAME', 'dynamo_drop_access_key' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.drop_access_key(text) IS 'drops an access key of the HTTP endpoint';

--
-- Privileges: the whole of them, so whatever is granted is granted here
--

-- What ALTER DEFAULT PRIVILEGES has given to somebody or taken from everybody is
-- undone: it is meant for what a role makes itself.
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

-- Privileges on a table decide what its users may do; the functions are for
-- everyone, as PostgreSQL has it.
GRANT USAGE ON SCHEMA dynamo TO PUBLIC;
GRANT SELECT ON dynamo.tables, dynamo.indexes, dynamo.index_progress, dynamo.streams, dynamo.access_keys TO PUBLIC;
