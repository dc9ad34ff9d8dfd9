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

CREATE OPERATOR CLASS item_ops DEFAULT FOR TYPE item USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 item_cmp(item, item);
CREATE OPERATOR CLASS item_ops DEFAULT FOR TYPE item USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 item_hash(item),
	FUNCTION 2 item_hash_extended(item, bigint);

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
	FUNCTION 1 value_cmp(value, value);
CREATE OPERATOR CLASS value_ops DEFAULT FOR TYPE value USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 value_hash(value),
	FUNCTION 2 value_hash_extended(value, bigint);

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

--
-- Item functions: building, reading, measuring
--

CREATE FUNCTION item_size(item item) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dynamo_item_size' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION item_size(item) IS 'size of an item in bytes by DynamoDB''s rules';

CREATE FUNCTION value_type(value value) RETURNS text
	AS 'MODULE_PATHNAME', 'dynamo_value_type' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION value_type(value) IS 'type of a value: S, N, B, BOOL, NULL, L, M, SS, NS or BS';

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

-- Definitions are arguments of triggers, which every kind of dump keeps.
CREATE VIEW dynamo.tables AS
SELECT n.nspname AS schema_name,
	   COALESCE(d.definition ->> 'table', c.relname::text) AS table_name,
	   c.oid::regclass AS relation,
	   pg_catalog.pg_get_userbyid(c.relowner) AS owner,
	   d.definition #>> '{partition,0}' AS partition_key,
	   (SELECT a ->> 'type' FROM pg_catalog.jsonb_array_elements(d.definition -> 'attributes') a
		WHERE a ->> 'name' = d.definition #>> '{partition,0}') AS partition_key_type,
	   d.definition #>> '{sort,0}' AS sort_key,
	   (SELECT a ->> 'type' FROM pg_catalog.jsonb_array_elements(d.definition -> 'attributes') a
		WHERE a ->> 'name' = d.definition #>> '{sort,0}') AS sort_key_type,
	   pg_catalog.jsonb_array_length(d.definition -> 'indexes') AS indexes,
	   GREATEST(c.reltuples, 0)::bigint AS item_count,
	   d.definition
FROM pg_catalog.pg_trigger t
	JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	CROSS JOIN LATERAL (SELECT pg_catalog.convert_from(
		pg_catalog.rtrim(t.tgargs, '\x00'::bytea), 'UTF8')::jsonb AS definition) d
WHERE t.tgfoid = 'dynamo.derive_keys()'::regprocedure
	AND NOT t.tgisinternal AND t.tgnargs = 1 AND NOT c.relispartition;
COMMENT ON VIEW dynamo.tables IS 'tables made by dynamo.create_table';

CREATE VIEW dynamo.indexes AS
SELECT t.schema_name,
	   t.table_name,
	   i.index ->> 'name' AS index_name,
	   (i.index ->> 'local')::boolean AS local,
	   ARRAY(SELECT pg_catalog.jsonb_array_elements_text(i.index -> 'partition')) AS partition_key,
	   ARRAY(SELECT pg_catalog.jsonb_array_elements_text(i.index -> 'sort')) AS sort_key,
	   i.index ->> 'projection' AS projection,
	   ARRAY(SELECT pg_catalog.jsonb_array_elements_text(i.index -> 'non_key_attributes')) AS non_key_attributes,
	   i.index ->> 'storage' AS storage,
	   NULLIF((i.index ->> 'shards')::integer, 0) AS shards,
	   i.index ->> 'shard_by' AS shard_by,
	   i.index ->> 'relation' AS relation_name,
	   i.index ->> 'status' AS status
FROM dynamo.tables t
	CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(t.definition -> 'indexes')
		WITH ORDINALITY AS i(index, position)
ORDER BY t.schema_name, t.table_name, i.position;
COMMENT ON VIEW dynamo.indexes IS 'secondary indexes of tables made by dynamo.create_table';
GRANT SELECT ON dynamo.tables, dynamo.indexes TO PUBLIC;

-- Ordinary DDL must not take away what a definition names.
CREATE FUNCTION dynamo.ddl_command_end() RETURNS event_trigger
AS 'MODULE_PATHNAME', 'dynamo_ddl_command_end' LANGUAGE C;
COMMENT ON FUNCTION dynamo.ddl_command_end() IS
	'event trigger function: keeps tables and their definitions in step';

CREATE EVENT TRIGGER dynamo_ddl_command_end ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'CREATE TRIGGER')
	EXECUTE FUNCTION dynamo.ddl_command_end();

--
-- Operations on items
--

--
-- Reading: query and scan
--

--
-- Secondary indexes: index tables, building, verification
--

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

CREATE FUNCTION dynamo.request(operation text, request json) RETURNS json
	AS 'MODULE_PATHNAME', 'dynamo_request' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.request(text, json) IS
	'executes a request of the DynamoDB API; errors are raised with the error body as DETAIL';

CREATE FUNCTION dynamo.request_safe(operation text, request json) RETURNS json
	AS 'MODULE_PATHNAME', 'dynamo_request_safe' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.request_safe(text, json) IS
	'executes a request of the DynamoDB API; returns {"status": HTTP status, "body": answer or error}';
