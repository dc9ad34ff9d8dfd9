/* dynamo--1.0.sql: the extension's objects, in the order they depend on each other */

-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION dynamo" to load this file. \quit

--
-- Item and value types: input and output, casts, operators, operator classes
--

--
-- Item functions: building, reading, measuring
--

--
-- Expressions over items
--

--
-- Tables: the key trigger, definitions, settings, views
--

--
-- Operations on items
--

--
-- Reading: query and scan
--

--
-- Secondary indexes: index tables, building, verification
--

--
-- Plain SQL: planner support, entity views, constraints, import and export
--

-- Privileges on a table decide what its users may do; the functions are for
-- everyone.
GRANT USAGE ON SCHEMA dynamo TO PUBLIC;

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

--
-- Requests in DynamoDB's JSON
--
