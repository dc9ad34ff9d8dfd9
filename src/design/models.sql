/*
 * models.sql
 *	  Designs as JSON documents: export, import of our own and of other tools', the plan
 *	  from what is there to what a document says.  make puts this file into the install
 *	  script, where dynamo--1.0.sql names it.
 *
 * A document is taken apart into parts (dynamo_internal.model_parts), each with a kind, a
 * name and its definition in one form, whoever wrote the document.  A plan compares the
 * parts of two documents: of the given one, and of dynamo.export_model.
 */

CREATE FUNCTION dynamo_internal.line_of_json(document json) RETURNS json
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_line_of_json';
COMMENT ON FUNCTION dynamo_internal.line_of_json(json) IS 'returns a document in one line';

-- A call of a function of the extension, with those members of an object that are
-- its parameters; all values are literals.
CREATE FUNCTION dynamo_internal.call_statement(function_name text, table_name text, arguments json) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT format('SELECT dynamo.%I(%s)', $1, string_agg(format('%I => %L%s', p.name, COALESCE(v.text, $2),
	CASE WHEN f.proname = 'create_index' AND p.name ~ '^(partition|sort)_key' AND f.proargtypes[(p.n - 1)::int4] = 'pg_catalog.text[]'::regtype
		THEN '::pg_catalog.text[]' END), ', ' ORDER BY p.n))
FROM pg_proc f
	CROSS JOIN LATERAL unnest(f.proargnames) WITH ORDINALITY p(name, n)
	LEFT JOIN json_each($3) a ON a.key = p.name
	CROSS JOIN LATERAL (SELECT CASE
		WHEN json_typeof(a.value) = 'string' THEN a.value #>> '{}'
		WHEN json_typeof(a.value) = 'array' AND f.proargtypes[(p.n - 1)::int4] = 'pg_catalog.text[]'::regtype
		THEN ARRAY(SELECT json_array_elements_text(a.value))::text
		WHEN json_typeof(a.value) <> 'null' THEN dynamo_internal.line_of_json(a.value)::text END AS text) v
WHERE f.pronamespace = 'dynamo'::regnamespace AND f.proname = $1
	AND 'pg_catalog.regclass'::regtype <> ALL (f.proargtypes::oid[])	-- no overload
	AND (f.proname <> 'create_index' OR ('pg_catalog.text[]'::regtype = f.proargtypes[2]) = (json_typeof($3 -> 'partition_key') = 'array'))
	AND (v.text IS NOT NULL OR p.name = 'table_name');
END;
COMMENT ON FUNCTION dynamo_internal.call_statement(text, text, json) IS 'returns a call of a function with the members of an object as arguments';

-- ---- NoSQL Workbench ----

-- The template of keys from samples: what they begin with, without digits, and a part.
CREATE FUNCTION dynamo_internal.infer_template(keys text[], part text) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN k.least = k.greatest AND k.least !~ '[0-9]' THEN replace(replace(k.least, '{', '{{'), '}', '}}')
			ELSE concat(replace(replace(b.beginning, '{', '{{'), '}', '}}'), '{', regexp_replace(COALESCE($2, 'id'), '[^A-Za-z0-9_]+', '_', 'g'), '}') END
FROM (SELECT min(t.text) AS least, max(t.text) AS greatest FROM unnest($1) t(text)) k
	CROSS JOIN LATERAL (SELECT left(k.least, max(n.n)) AS common FROM generate_series(0, length(k.least)) n(n)
						WHERE starts_with(k.greatest, left(k.least, n.n))) c
	CROSS JOIN LATERAL (SELECT COALESCE(substring(c.common, '^(?:[^0-9#]*#)+'), '') AS beginning) b;
END;
COMMENT ON FUNCTION dynamo_internal.infer_template(text[], text) IS 'returns a template that may have composed the keys';

CREATE FUNCTION dynamo_internal.workbench_entities(model_table json) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT json_agg(json_build_object('entity_name', f.facet ->> 'FacetName', 'keys', (
		SELECT json_object_agg(k.name, dynamo_internal.infer_template(k.samples, COALESCE(k.alias, k.name)))
		FROM (SELECT $1 #>> ARRAY['KeyAttributes', p.part, 'AttributeName'] AS name, f.facet #>> ARRAY['KeyAttributeAlias', concat(p.part, 'Alias')] AS alias,
					 ARRAY(SELECT i #>> ARRAY[$1 #>> ARRAY['KeyAttributes', p.part, 'AttributeName'], 'S'] FROM json_array_elements(f.facet -> 'TableData') i) AS samples
			  FROM unnest('{PartitionKey,SortKey}'::text[]) p(part)
			  WHERE $1 #>> ARRAY['KeyAttributes', p.part, 'AttributeType'] = 'S') k
		WHERE cardinality(array_remove(k.samples, NULL)) > 0)) ORDER BY f.n)
FROM json_array_elements($1 -> 'TableFacets') WITH ORDINALITY f(facet, n)
WHERE json_array_length(COALESCE(f.facet -> 'TableData', '[]'::json)) > 0;
END;
COMMENT ON FUNCTION dynamo_internal.workbench_entities(json) IS 'returns the entities that facets of NoSQL Workbench suggest';

CREATE FUNCTION dynamo_internal.workbench_model(document json) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT json_build_object('format', 'dynamo:1', 'tables', json_agg(json_build_object(
	'table_name', t.t ->> 'TableName',
	'partition_key', t.t #>> '{KeyAttributes,PartitionKey,AttributeName}', 'partition_key_type', t.t #>> '{KeyAttributes,PartitionKey,AttributeType}',
	'sort_key', t.t #>> '{KeyAttributes,SortKey,AttributeName}', 'sort_key_type', t.t #>> '{KeyAttributes,SortKey,AttributeType}',
	'indexes', (SELECT json_agg(json_build_object('index_name', g ->> 'IndexName',
			'partition_key', g #>> '{KeyAttributes,PartitionKey,AttributeName}', 'partition_key_type', g #>> '{KeyAttributes,PartitionKey,AttributeType}',
			'sort_key', g #>> '{KeyAttributes,SortKey,AttributeName}', 'sort_key_type', g #>> '{KeyAttributes,SortKey,AttributeType}',
			'projection', g #>> '{Projection,ProjectionType}',
			'non_key_attributes', CASE WHEN g #>> '{Projection,ProjectionType}' = 'INCLUDE' THEN g #> '{Projection,NonKeyAttributes}' END))
		FROM json_array_elements(t.t -> 'GlobalSecondaryIndexes') g),
	'entities', dynamo_internal.workbench_entities(t.t),
	'items', (SELECT json_agg(s.i) FROM (SELECT json_array_elements(t.t -> 'TableData') AS i
		UNION ALL SELECT json_array_elements(f -> 'TableData') FROM json_array_elements(t.t -> 'TableFacets') f) s)) ORDER BY t.n))
FROM json_array_elements($1 -> 'DataModel') WITH ORDINALITY t(t, n);
END;
COMMENT ON FUNCTION dynamo_internal.workbench_model(json) IS 'converts a model of NoSQL Workbench to the format of dynamo.export_model';

-- ---- OneTable ----

CREATE FUNCTION dynamo_internal.onetable_entity(document json, model_name text, fields json) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH key AS (
	SELECT DISTINCT k.name FROM json_each($1 -> 'indexes') i CROSS JOIN LATERAL unnest(ARRAY[i.value ->> 'hash', i.value ->> 'sort']) k(name) WHERE k.name IS NOT NULL)
SELECT json_build_object('entity_name', $2, 'type_value', $2, 'type_attribute', COALESCE($1 #>> '{params,typeField}', '_type'),
	'keys', json_object_agg(f.key, regexp_replace(regexp_replace(f.value ->> 'value', '[$][{]([^}:]+):([0-9]+)(:0)?[}]', E'{\\1:0\\2}', 'g'), '[$][{]([^}]+)[}]', E'{\\1}', 'g'))
		FILTER (WHERE f.is_key AND f.value ->> 'value' IS NOT NULL),
	'attributes', json_object_agg(f.key, json_build_object('type', CASE
			WHEN f.value ->> 'type' = 'number' THEN 'numeric' WHEN f.value ->> 'type' = 'boolean' THEN 'boolean'
			WHEN f.value ->> 'type' = 'date' THEN CASE WHEN $1 #>> '{params,isoDates}' = 'true' THEN 'timestamptz' ELSE 'numeric' END
			WHEN f.value ->> 'type' = ANY ('{object,array}'::text[]) THEN 'jsonb' WHEN f.value ->> 'type' = 'set' THEN 'text[]'
			WHEN f.value ->> 'type' = 'binary' THEN 'bytea' ELSE 'text' END,
		'required', COALESCE(f.value ->> 'required', 'false')::bool) ORDER BY f.n) FILTER (WHERE NOT f.is_key))
FROM (SELECT j.key, j.value, j.n, EXISTS (SELECT FROM key k WHERE k.name = j.key) AS is_key
	  FROM json_each($3) WITH ORDINALITY j(key, value, n)
	  WHERE j.key <> COALESCE($1 #>> '{params,typeField}', '_type')) f;
END;
COMMENT ON FUNCTION dynamo_internal.onetable_entity(json, text, json) IS 'converts a model of OneTable to an entity';

CREATE FUNCTION dynamo_internal.onetable_model(document json, table_name text) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT json_build_object('format', 'dynamo:1', 'tables', json_build_array(json_build_object(
	'table_name', $2, 'partition_key', $1 #>> '{indexes,primary,hash}', 'sort_key', $1 #>> '{indexes,primary,sort}',
	'indexes', (SELECT json_agg(json_build_object('index_name', COALESCE(i.value ->> 'name', i.key),
			'partition_key', COALESCE(i.value ->> 'hash', $1 #>> '{indexes,primary,hash}'), 'sort_key', i.value ->> 'sort',
			'local', i.value ->> 'hash' IS NULL,
			'projection', CASE WHEN json_typeof(i.value -> 'project') = 'array' THEN 'INCLUDE' WHEN i.value ->> 'project' = 'keys' THEN 'KEYS_ONLY' ELSE 'ALL' END,
			'non_key_attributes', CASE WHEN json_typeof(i.value -> 'project') = 'array' THEN i.value -> 'project' END))
		FROM json_each($1 -> 'indexes') i WHERE i.key <> 'primary'),
	'entities', (SELECT json_agg(dynamo_internal.onetable_entity($1, m.key, m.value)) FROM json_each($1 -> 'models') m))));
END;
COMMENT ON FUNCTION dynamo_internal.onetable_model(json, text) IS 'converts a schema of OneTable to the format of dynamo.export_model';

-- ---- documents and their parts ----

CREATE FUNCTION dynamo_internal.lines_of_json(document json) RETURNS json
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_lines_of_json';
COMMENT ON FUNCTION dynamo_internal.lines_of_json(json) IS 'returns a document with a line for each object or list that contains no other';

-- The names of a table that may be missing: for functions, and for SQL.
CREATE FUNCTION dynamo_internal.model_place(table_name text, OUT relation regclass, OUT call_name text, OUT sql_name text, OUT schema_name text)
	LANGUAGE C STABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_model_place';
COMMENT ON FUNCTION dynamo_internal.model_place(text) IS 'returns the relation of a table, NULL if it does not exist, its qualified names and its schema';

CREATE FUNCTION dynamo_internal.given(object json) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT COALESCE(json_object_agg(m.key, m.value ORDER BY m.n), '{}'::json)
FROM json_each($1) WITH ORDINALITY m(key, value, n) WHERE json_typeof(m.value) <> 'null';
END;
COMMENT ON FUNCTION dynamo_internal.given(json) IS 'returns an object without its members that are null';

CREATE FUNCTION dynamo_internal.with_member(object json, member text, member_value json) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT json_object_agg(m.key, m.value ORDER BY m.n)
FROM (SELECT e.key, e.value, e.n FROM json_each($1) WITH ORDINALITY e(key, value, n) WHERE e.key <> $2
	  UNION ALL SELECT $2, $3, 1000000) m;
END;
COMMENT ON FUNCTION dynamo_internal.with_member(json, text, json) IS 'returns an object with a member';

-- An argument that was given as a text: as its type, so that documents say true and not "t".
CREATE FUNCTION dynamo_internal.typed_argument(type_oid oid, value text) RETURNS json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE $1::oid
	WHEN 'pg_catalog.bool'::regtype THEN to_json($2::bool)
	WHEN 'pg_catalog.int4'::regtype THEN to_json($2::int4)
	WHEN 'pg_catalog.text[]'::regtype THEN to_json(CASE WHEN left($2, 1) = '[' THEN ARRAY(SELECT jsonb_array_elements_text($2::jsonb)) ELSE $2::text[] END)
	WHEN 'pg_catalog.json'::regtype THEN $2::json
	WHEN 'pg_catalog.jsonb'::regtype THEN $2::json
	WHEN 'dynamo_internal.json_text'::regtype THEN $2::json
	ELSE to_json($2) END;
END;
COMMENT ON FUNCTION dynamo_internal.typed_argument(oid, text) IS 'returns the text of an argument as JSON';

CREATE FUNCTION dynamo_internal.model_pattern(pattern_name text, schema_name text, arguments jsonb) RETURNS json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT json_object_agg(a.name, a.value ORDER BY a.n)
FROM (SELECT 0 AS n, 'pattern_name' AS name, to_json($1) AS value
	  UNION ALL SELECT 1, 'schema_name', to_json($2) WHERE $2 IS NOT NULL
	  UNION ALL
	  SELECT p.n + 1, p.name, dynamo_internal.typed_argument(f.proargtypes[(p.n - 1)::int4], g.value)
	  FROM pg_proc f CROSS JOIN LATERAL unnest(f.proargnames) WITH ORDINALITY p(name, n) JOIN jsonb_each_text($3) g ON g.key = p.name
	  WHERE f.pronamespace = 'dynamo'::regnamespace AND f.proname = 'create_access_pattern' AND 'pg_catalog.regclass'::regtype <> ALL (f.proargtypes::oid[])
		AND NOT (p.name = 'scan_index_forward' AND g.value::bool)) a;
END;
COMMENT ON FUNCTION dynamo_internal.model_pattern(text, text, jsonb) IS 'returns the arguments of an access pattern for a document';

-- A type in one form, whatever its name in a document.
CREATE FUNCTION dynamo_internal.model_type(type_name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT COALESCE(concat(format_type(to_regtype($1)::oid, NULL), replace(substring($1, '[(][^)]*[)]'), ' ', '')), $1);
END;
COMMENT ON FUNCTION dynamo_internal.model_type(text) IS 'returns a type as format_type does, with its modifier';

CREATE FUNCTION dynamo_internal.model_attributes(attributes json) RETURNS jsonb
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT COALESCE(jsonb_object_agg(a.key, CASE WHEN d.declared ->> 'type' IS NULL THEN d.declared
		ELSE jsonb_set(d.declared, '{type}', to_jsonb(dynamo_internal.model_type(d.declared ->> 'type'))) END), '{}'::jsonb)
FROM json_each($1) a(key, value)
	CROSS JOIN LATERAL (SELECT CASE WHEN json_typeof(a.value) = 'string' THEN jsonb_build_object('type', a.value #>> '{}')
		ELSE (SELECT COALESCE(jsonb_object_agg(m.key, m.value), '{}'::jsonb) FROM json_each(a.value) m(key, value)
			  WHERE NOT (m.key IN ('required', 'read_only') AND m.value::text = 'false') AND NOT (m.key = 'type' AND json_typeof(m.value) = 'null')) END AS declared) d;
END;
COMMENT ON FUNCTION dynamo_internal.model_attributes(json) IS 'returns the declared attributes of an entity in one form';

-- A member that is an object, or the text of one.
CREATE FUNCTION dynamo_internal.model_object(member json) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN json_typeof($1) = 'string' THEN ($1 #>> '{}')::jsonb WHEN json_typeof($1) <> 'null' THEN $1::jsonb END;
END;
COMMENT ON FUNCTION dynamo_internal.model_object(json) IS 'returns an object that is given as such, or as a text';

-- Declared attributes that are reserved words may stand in conditions; they are stored with names.
CREATE FUNCTION dynamo_internal.named_conditions(entity jsonb, expression_attribute_names jsonb) RETURNS jsonb
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_named_conditions';
COMMENT ON FUNCTION dynamo_internal.named_conditions(jsonb, jsonb) IS 'returns the conditions of an entity in a document, and the names in them, as dynamo.create_entity stores them';

CREATE FUNCTION dynamo_internal.model_entity(entity json) RETURNS jsonb
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT e.entity || CASE WHEN jsonb_typeof(e.entity -> 'index_conditions') = 'object'
	THEN dynamo_internal.named_conditions(e.entity, e.entity -> 'expression_attribute_names') ELSE '{}'::jsonb END
FROM (SELECT jsonb_strip_nulls(jsonb_build_object('keys', COALESCE($1 -> 'keys', '{}'::json), 'type_attribute', $1 -> 'type_attribute',
		'type_value', CASE WHEN $1 ->> 'type_attribute' IS NOT NULL THEN COALESCE($1 ->> 'type_value', $1 ->> 'entity_name') END,
		'index_conditions', dynamo_internal.model_object($1 -> 'index_conditions'),
		'expression_attribute_values', dynamo_internal.model_object($1 -> 'expression_attribute_values'),
		'expression_attribute_names', dynamo_internal.model_object($1 -> 'expression_attribute_names'),
		'on_mismatch', COALESCE($1 ->> 'on_mismatch', 'error'), 'check_types', COALESCE(($1 ->> 'check_types')::bool, false)))
	|| jsonb_build_object('attributes', dynamo_internal.model_attributes(NULLIF(($1 -> 'attributes')::text, 'null')::json)) AS entity) e;
END;
COMMENT ON FUNCTION dynamo_internal.model_entity(json) IS 'returns the declaration of an entity in one form';

CREATE FUNCTION dynamo_internal.model_list(member json) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE COALESCE(json_typeof($1), 'null') WHEN 'array' THEN $1::jsonb WHEN 'null' THEN '[]'::jsonb ELSE jsonb_build_array($1) END;
END;
COMMENT ON FUNCTION dynamo_internal.model_list(json) IS 'returns a list, or the list of a single value';

-- The types of key attributes that a document gives anywhere.
CREATE FUNCTION dynamo_internal.model_key_types(model_table json) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT COALESCE(jsonb_object_agg(k.name, k.type), '{}'::jsonb)
FROM (SELECT $1 ->> 'partition_key' AS name, COALESCE($1 ->> 'partition_key_type', 'S') AS type
	  UNION ALL SELECT $1 ->> 'sort_key', COALESCE($1 ->> 'sort_key_type', 'S')
	  UNION ALL
	  SELECT a.name, y.type
	  FROM json_array_elements(NULLIF(($1 -> 'indexes')::text, 'null')::json) i CROSS JOIN LATERAL unnest('{partition_key,sort_key}'::text[]) p(part)
		CROSS JOIN LATERAL jsonb_array_elements_text(dynamo_internal.model_list(i -> p.part)) WITH ORDINALITY a(name, n)
		JOIN LATERAL jsonb_array_elements_text(dynamo_internal.model_list(i -> concat(p.part, '_type'))) WITH ORDINALITY y(type, n) ON y.n = a.n) k
WHERE k.name IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo_internal.model_key_types(json) IS 'returns the types of the key attributes of a table and its indexes';

CREATE FUNCTION dynamo_internal.model_index(key_types jsonb, index json) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT jsonb_strip_nulls(jsonb_build_object('partition_key', dynamo_internal.model_list($2 -> 'partition_key'), 'sort_key', dynamo_internal.model_list($2 -> 'sort_key'),
	'types', (SELECT jsonb_object_agg(a.name, COALESCE($1 ->> a.name, 'S'))
			  FROM jsonb_array_elements_text(dynamo_internal.model_list($2 -> 'partition_key') || dynamo_internal.model_list($2 -> 'sort_key')) a(name) WHERE a.name IS NOT NULL),
	'local', COALESCE(($2 ->> 'local')::bool, false), 'projection', COALESCE($2 ->> 'projection', 'ALL'),
	'non_key_attributes', (SELECT jsonb_agg(a.name ORDER BY a.name COLLATE "C") FROM json_array_elements_text(NULLIF(($2 -> 'non_key_attributes')::text, 'null')::json) a(name)),
	'storage', COALESCE($2 ->> 'storage', CASE WHEN ($2 ->> 'shards')::int4 > 0 THEN 'table' ELSE 'inline' END),
	'shards', NULLIF(($2 ->> 'shards')::int4, 0), 'shard_by', $2 -> 'shard_by'));
END;
COMMENT ON FUNCTION dynamo_internal.model_index(jsonb, json) IS 'returns the declaration of an index in one form';

CREATE FUNCTION dynamo_internal.model_columns(columns json) RETURNS jsonb
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT jsonb_object_agg(c.key, jsonb_build_object('type', dynamo_internal.model_type(COALESCE(c.value ->> 'type', c.value #>> '{}')),
	'attribute', COALESCE(c.value ->> 'attribute', c.key)))
FROM (SELECT e.key, CASE WHEN json_typeof(e.value) = 'string' THEN json_build_object('type', e.value) ELSE e.value END AS value
	  FROM json_each(NULLIF($1::text, 'null')::json) e(key, value)) c;
END;
COMMENT ON FUNCTION dynamo_internal.model_columns(json) IS 'returns the columns of an entity view in one form';

-- The members of a document's table that say which parts there are.  What is absent, a
-- document says nothing about.
CREATE FUNCTION dynamo_internal.model_kinds(OUT member text, OUT kind text, OUT step integer, OUT maker text, OUT name_member text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
VALUES ('options', 'option', 21, NULL, NULL), ('indexes', 'index', 22, 'create_index', 'index_name'),
	('vector_indexes', 'vector index', 23, 'create_vector_index', 'index_name'), ('time_to_live', 'time to live', 24, NULL, NULL),
	('entities', 'entity', 30, 'create_entity', 'entity_name'), ('views', 'view', 40, 'create_entity_view', 'view_name'),
	('unique_constraints', 'unique constraint', 50, 'add_unique_constraint', 'constraint_name'), ('references', 'reference', 51, 'add_reference', 'constraint_name'),
	('copies', 'copy', 52, 'create_copy', 'copy_name'), ('totals', 'total', 53, 'create_total', 'total_name'),
	('access_patterns', 'access pattern', 60, 'create_access_pattern', 'pattern_name'), ('stream', 'stream', 65, NULL, NULL), ('grants', 'grant', 70, NULL, NULL);
END;
COMMENT ON FUNCTION dynamo_internal.model_kinds() IS 'returns the kinds of parts of a model, and the functions that make them';

CREATE FUNCTION dynamo_internal.model_grant_name(grant_ json) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT concat($1 ->> 'privilege', (SELECT concat(' (', string_agg(c.name, ', ' ORDER BY c.name COLLATE "C"), ')')
									  FROM json_array_elements_text(NULLIF(($1 -> 'columns')::text, 'null')::json) c(name) HAVING count(*) > 0),
	' on ', CASE WHEN $1 ->> 'view_name' IS NOT NULL THEN format('view "%s"', $1 ->> 'view_name')
			WHEN $1 ->> 'pattern_name' IS NOT NULL THEN format('access pattern "%s"', $1 ->> 'pattern_name') ELSE 'the table' END,
	' to ', $1 ->> 'role', CASE WHEN ($1 ->> 'grant_option')::bool THEN ' with grant option' END);
END;
COMMENT ON FUNCTION dynamo_internal.model_grant_name(json) IS 'returns a right in words';

-- The definition of a part in one form: with what was left out, and in lists what has no order.
CREATE FUNCTION dynamo_internal.model_form(kind text, key_types jsonb, part json) RETURNS jsonb
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE $1
	WHEN 'index' THEN dynamo_internal.model_index($2, $3)
	WHEN 'entity' THEN dynamo_internal.model_entity($3)
	WHEN 'vector index' THEN '{"distance": "COSINE", "method": "exact", "projection": "ALL"}'::jsonb || g.given
	WHEN 'view' THEN jsonb_strip_nulls(jsonb_build_object('entity_name', $3 -> 'entity_name', 'invalid_values', COALESCE($3 ->> 'invalid_values', 'error'),
		'columns', dynamo_internal.model_columns($3 -> 'columns')))
	WHEN 'unique constraint' THEN jsonb_build_object('is_deferrable', COALESCE(($3 ->> 'initially_deferred')::bool, false)) || g.given
	WHEN 'reference' THEN jsonb_build_object('on_delete', 'NO ACTION', 'create_index', true, 'is_deferrable', COALESCE(($3 ->> 'initially_deferred')::bool, false)) || g.given
	WHEN 'access pattern' THEN '{"scan_index_forward": true}'::jsonb || g.given
	WHEN 'copy' THEN '{"hidden_parent": "refuse"}'::jsonb || g.given
	WHEN 'total' THEN '{"hidden_parent": "refuse"}'::jsonb || g.given
	ELSE $3::jsonb END
FROM (SELECT dynamo_internal.given(CASE WHEN json_typeof($3) = 'object' THEN $3 ELSE '{}'::json END)::jsonb - '{replace,fill}'::text[] AS given) g;
END;
COMMENT ON FUNCTION dynamo_internal.model_form(text, jsonb, json) IS 'returns the definition of a part in one form, in which equal definitions are equal';

-- A view has the columns of the table's key, whether they are named or not.
CREATE FUNCTION dynamo_internal.model_view(model_table json, key_types jsonb, form jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN $3 -> 'columns' IS NULL THEN $3 ELSE jsonb_set($3, '{columns}', COALESCE(
	(SELECT jsonb_object_agg(c.key, c.value) FROM jsonb_each($3 -> 'columns') c
	 WHERE NOT (c.key IN ($1 ->> 'partition_key', COALESCE($1 ->> 'sort_key', $1 ->> 'partition_key')) AND c.value = jsonb_build_object('attribute', c.key, 'type',
		CASE $2 ->> c.key WHEN 'N' THEN 'numeric' WHEN 'B' THEN 'bytea' ELSE 'text' END))), '{}'::jsonb)) END;
END;
COMMENT ON FUNCTION dynamo_internal.model_view(json, jsonb, jsonb) IS 'returns the definition of a view without the columns of the table''s key';

-- The key attributes of an index; of the table if it has no name.
CREATE FUNCTION dynamo_internal.model_key_attributes(model_table json, index_name text) RETURNS text[]
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT ARRAY(SELECT a.name FROM (
		SELECT $1 AS place WHERE $2 IS NULL
		UNION ALL SELECT i FROM json_array_elements($1 -> 'indexes') i WHERE i ->> 'index_name' = $2) p
	CROSS JOIN unnest('{partition_key,sort_key}'::text[]) k(part)
	CROSS JOIN LATERAL jsonb_array_elements_text(dynamo_internal.model_list(p.place -> k.part)) a(name));
END;
COMMENT ON FUNCTION dynamo_internal.model_key_attributes(json, text) IS 'returns the key attributes of an index in a document, or of the table';

-- Conditions are stored with key attributes, which indexes can share: {"g1": c} may mean {"g1": c, "g2": c}.
CREATE FUNCTION dynamo_internal.model_conditions(indexed json, form jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN $2 -> 'index_conditions' IS NULL THEN $2 ELSE jsonb_set($2, '{index_conditions}', COALESCE((
	SELECT jsonb_object_agg(COALESCE(a.name, concat('index ', c.key)), c.value)
	FROM jsonb_each($2 -> 'index_conditions') c LEFT JOIN LATERAL unnest(dynamo_internal.model_key_attributes($1, c.key)) a(name)
		ON $2 -> 'keys' ? a.name AND a.name <> ALL (dynamo_internal.model_key_attributes($1, NULL))), '{}'::jsonb)) END;
END;
COMMENT ON FUNCTION dynamo_internal.model_conditions(json, jsonb) IS 'returns the definition of an entity with conditions by key attributes, not by indexes';

-- The parts of a document's table; indexed is the table whose indexes it has.
CREATE FUNCTION dynamo_internal.model_parts(model_table json, indexed json, OUT kind text, OUT name text, OUT n bigint, OUT part json, OUT form jsonb) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH listed AS (
	SELECT k.kind, CASE WHEN k.kind = 'grant' THEN dynamo_internal.model_grant_name(p.part)
			ELSE concat(CASE WHEN k.kind IN ('view', 'access pattern') THEN p.part ->> 'schema_name' || '.' END, p.part ->> k.name_member) END AS name, p.n, p.part
	FROM dynamo_internal.model_kinds() k CROSS JOIN LATERAL (SELECT $1 -> k.member AS list) l
		CROSS JOIN LATERAL json_array_elements(CASE WHEN json_typeof(l.list) = 'array' THEN l.list END) WITH ORDINALITY e(element, n)
		-- a member that is null is left out
		CROSS JOIN LATERAL (SELECT CASE WHEN json_typeof(e.element) = 'object' THEN dynamo_internal.given(e.element) ELSE e.element END AS part, e.n) p
	UNION ALL
	SELECT 'view', e.entity ->> 'view_name', e.n, json_build_object('view_name', e.entity ->> 'view_name', 'entity_name', e.entity ->> 'entity_name')
	FROM json_array_elements(CASE WHEN json_typeof($1 -> 'entities') = 'array' THEN $1 -> 'entities' END) WITH ORDINALITY e(entity, n)
	WHERE e.entity ->> 'view_name' IS NOT NULL
		AND NOT EXISTS (SELECT FROM json_array_elements(CASE WHEN json_typeof($1 -> 'views') = 'array' THEN $1 -> 'views' END) v
						WHERE v ->> 'view_name' = e.entity ->> 'view_name' AND v ->> 'schema_name' IS NULL)
	UNION ALL
	SELECT 'option', o.key, o.n, o.value FROM json_each(CASE WHEN json_typeof($1 -> 'options') = 'object' THEN $1 -> 'options' END) WITH ORDINALITY o(key, value, n)
	UNION ALL
	SELECT 'option', 'fillfactor', 0, to_json($1 ->> 'fillfactor') WHERE $1 ->> 'fillfactor' IS NOT NULL
	UNION ALL
	SELECT 'time to live', '', 1, $1 -> 'time_to_live' WHERE $1 ->> 'time_to_live' IS NOT NULL
	UNION ALL
	SELECT 'stream', '', 1, $1 -> 'stream' WHERE $1 ->> 'stream' IS NOT NULL)
SELECT l.kind, l.name, l.n, l.part, CASE WHEN l.kind = 'option' THEN to_jsonb(l.part #>> '{}')
	WHEN l.kind = 'view' THEN dynamo_internal.model_view($1, t.types, dynamo_internal.model_form(l.kind, t.types, l.part))
	WHEN l.kind = 'entity' THEN dynamo_internal.model_conditions($2, dynamo_internal.model_form(l.kind, t.types, l.part)) ELSE dynamo_internal.model_form(l.kind, t.types, l.part) END
FROM listed l CROSS JOIN LATERAL (SELECT dynamo_internal.model_key_types($1) AS types OFFSET 0) t;
END;
COMMENT ON FUNCTION dynamo_internal.model_parts(json, json) IS 'returns the parts of a table in a document: indexes, entities and so on, each with its definition as it is written and in one form';

-- ---- statements ----

CREATE FUNCTION dynamo_internal.model_grant(verb text, sql_name text, schema_name text, grant_ json) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT format('%s %s%s ON %s %s %s%s', $1, upper($4 ->> 'privilege'),
	(SELECT concat(' (', string_agg(quote_ident(c.name), ', ' ORDER BY c.name COLLATE "C"), ')')
	 FROM json_array_elements_text(NULLIF(($4 -> 'columns')::text, 'null')::json) c(name) HAVING count(*) > 0),
	CASE WHEN $4 ->> 'pattern_name' IS NOT NULL THEN format('FUNCTION %I.%I', COALESCE($4 ->> 'schema_name', $3), $4 ->> 'pattern_name')
		WHEN $4 ->> 'view_name' IS NOT NULL THEN format('%I.%I', COALESCE($4 ->> 'schema_name', $3), $4 ->> 'view_name') ELSE $2 END,
	CASE WHEN $1 = 'GRANT' THEN 'TO' ELSE 'FROM' END, CASE WHEN lower($4 ->> 'role') = 'public' AND $4 ->> 'role' <> 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident($4 ->> 'role') END,
	CASE WHEN $1 = 'GRANT' AND ($4 ->> 'grant_option')::bool THEN ' WITH GRANT OPTION' END)
WHERE upper($4 ->> 'privilege') = ANY ('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER,MAINTAIN,EXECUTE}'::text[]);
END;
COMMENT ON FUNCTION dynamo_internal.model_grant(text, text, text, json) IS 'returns a GRANT or REVOKE; NULL if there is no such privilege';

-- create_index has one form for keys of one attribute, and one for keys of several.
CREATE FUNCTION dynamo_internal.model_index_arguments(index json) RETURNS json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT json_object_agg(m.key, CASE WHEN m.key ~ '^(partition|sort)_key' AND l.lists THEN dynamo_internal.model_list(m.value)::json
	WHEN m.key ~ '^(partition|sort)_key' AND json_typeof(m.value) = 'array' THEN m.value -> 0 ELSE m.value END ORDER BY m.n)
FROM json_each(dynamo_internal.given($1)) WITH ORDINALITY m(key, value, n)
	CROSS JOIN (SELECT GREATEST(jsonb_array_length(dynamo_internal.model_list($1 -> 'partition_key')), jsonb_array_length(dynamo_internal.model_list($1 -> 'sort_key'))) > 1 AS lists) l
WHERE NOT (m.key = 'shards' AND m.value::text = '0');
END;
COMMENT ON FUNCTION dynamo_internal.model_index_arguments(json) IS 'returns the arguments of dynamo.create_index for an index of a document';

CREATE FUNCTION dynamo_internal.model_create(kind text, name text, part json, call_name text, sql_name text, schema_name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE $1
	WHEN 'option' THEN format('ALTER TABLE %s SET (%I = %L)', $5, $2, $3 #>> '{}')
	WHEN 'time to live' THEN format('SELECT dynamo.update_time_to_live(%L, %L)', $4, $3 #>> '{}')
	WHEN 'stream' THEN format('SELECT dynamo.enable_stream(%L, %L)', $4, $3 #>> '{}')
	WHEN 'grant' THEN dynamo_internal.model_grant('GRANT', $5, $6, $3)
	WHEN 'index' THEN dynamo_internal.call_statement('create_index', $4, dynamo_internal.model_index_arguments($3))
	WHEN 'entity' THEN dynamo_internal.call_statement('create_entity', $4, dynamo_internal.with_member($3, 'view_name', 'null'))
	ELSE (SELECT dynamo_internal.call_statement(k.maker, $4, $3) FROM dynamo_internal.model_kinds() k WHERE k.kind = $1) END;
END;
COMMENT ON FUNCTION dynamo_internal.model_create(text, text, json, text, text, text) IS 'returns the statement that makes a part of a model';

CREATE FUNCTION dynamo_internal.model_drop(kind text, name text, part json, call_name text, sql_name text, schema_name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE $1
	WHEN 'option' THEN format('ALTER TABLE %s RESET (%I)', $5, $2)
	WHEN 'time to live' THEN format('SELECT dynamo.update_time_to_live(%L, %L, false)', $4, $3 #>> '{}')
	WHEN 'stream' THEN format('SELECT dynamo.disable_stream(%L)', $4)
	WHEN 'grant' THEN dynamo_internal.model_grant('REVOKE', $5, $6, $3)
	WHEN 'index' THEN format('SELECT dynamo.drop_index(%L, %L)', $4, $2)
	WHEN 'vector index' THEN format('SELECT dynamo.drop_vector_index(%L, %L)', $4, $2)
	WHEN 'entity' THEN format('SELECT dynamo.drop_entity(%L, %L)', $4, $2)
	WHEN 'view' THEN format('DROP VIEW %I.%I', COALESCE($3 ->> 'schema_name', $6), $3 ->> 'view_name')
	WHEN 'copy' THEN format('SELECT dynamo.drop_copy(%L, %L)', $4, $2)
	WHEN 'total' THEN format('SELECT dynamo.drop_total(%L, %L)', $4, $2)
	WHEN 'access pattern' THEN format('SELECT dynamo.drop_access_pattern(%L)', format('%I.%I', COALESCE($3 ->> 'schema_name', $6), $3 ->> 'pattern_name'))
	ELSE format('SELECT dynamo.drop_constraint(%L, %L)', $4, $2) END;
END;
COMMENT ON FUNCTION dynamo_internal.model_drop(text, text, json, text, text, text) IS 'returns the statement that removes a part of a model';

-- Views and access patterns are created in the current schema.
CREATE FUNCTION dynamo_internal.in_schema(statement text, schema_name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE WHEN $2 = current_schema() THEN $1
	ELSE format('SELECT pg_catalog.set_config(''search_path'', %L, true); %s; SELECT pg_catalog.set_config(''search_path'', %L, true)',
				concat(quote_ident($2), ', ', NULLIF(current_setting('search_path'), '')), $1, current_setting('search_path')) END;
END;
COMMENT ON FUNCTION dynamo_internal.in_schema(text, text) IS 'returns a statement that is executed with another schema as the current one';

-- The argument indexes of create_table holds all of them, and fillfactor is an argument.
CREATE FUNCTION dynamo_internal.model_create_table(model_table json, call_name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo_internal.call_statement('create_table', $2, (SELECT json_object_agg(j.key, j.value) FROM (
	SELECT m.key, m.value FROM json_each(dynamo_internal.given($1)) m(key, value) WHERE m.key NOT IN ('table_name', 'fillfactor') AND NOT (m.key = 'indexes' AND m.value::text = '[]')
	UNION ALL
	SELECT 'fillfactor', v.value FROM (SELECT COALESCE($1 ->> 'fillfactor', $1 #>> '{options,fillfactor}')) f(text) CROSS JOIN LATERAL (SELECT to_json(f.text::int4)) v(value)
	WHERE f.text IS NOT NULL AND f.text <> '90' AND $1 ->> 'partitions' IS NULL) j));
END;
COMMENT ON FUNCTION dynamo_internal.model_create_table(json, text) IS 'returns the statement that creates a table of a model';

-- ---- DescribeTable ----

-- The attributes of a key with a role, and their types: values if there is one, lists if there are several.
CREATE FUNCTION dynamo_internal.described_key(described json, key_schema json, key_type text, OUT names json, OUT types json) RETURNS record
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN count(*) = 1 THEN json_agg(k.k -> 'AttributeName') -> 0 ELSE json_agg(k.k -> 'AttributeName' ORDER BY k.n) END,
	CASE WHEN count(*) = 1 THEN json_agg(a.type) -> 0 ELSE json_agg(a.type ORDER BY k.n) END
FROM json_array_elements($2) WITH ORDINALITY k(k, n)
	LEFT JOIN LATERAL (SELECT d -> 'AttributeType' AS type FROM json_array_elements($1 -> 'AttributeDefinitions') d WHERE d ->> 'AttributeName' = k.k ->> 'AttributeName') a ON true
WHERE k.k ->> 'KeyType' = $3;
END;
COMMENT ON FUNCTION dynamo_internal.described_key(json, json, text) IS 'returns the attributes of a key of DescribeTable''s output, and their types';

CREATE FUNCTION dynamo_internal.described_indexes(described json, local boolean) RETURNS SETOF json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT dynamo_internal.given(json_build_object('index_name', i.i -> 'IndexName', 'partition_key', p.names, 'partition_key_type', p.types,
	'sort_key', s.names, 'sort_key_type', s.types, 'local', CASE WHEN $2 THEN true END, 'projection', i.i #> '{Projection,ProjectionType}',
	'non_key_attributes', CASE WHEN i.i #>> '{Projection,ProjectionType}' = 'INCLUDE' THEN i.i #> '{Projection,NonKeyAttributes}' END))
FROM json_array_elements($1 -> CASE WHEN $2 THEN 'LocalSecondaryIndexes' ELSE 'GlobalSecondaryIndexes' END) WITH ORDINALITY i(i, n)
	CROSS JOIN LATERAL dynamo_internal.described_key($1, i.i -> 'KeySchema', 'HASH') p
	CROSS JOIN LATERAL dynamo_internal.described_key($1, i.i -> 'KeySchema', 'RANGE') s
ORDER BY i.n;
END;
COMMENT ON FUNCTION dynamo_internal.described_indexes(json, boolean) IS 'returns the indexes of DescribeTable''s output in the format of dynamo.export_model';

CREATE FUNCTION dynamo_internal.described_model(described json) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT json_build_object('format', 'dynamo:1', 'tables', json_build_array(dynamo_internal.given(json_build_object(
	'table_name', $1 -> 'TableName', 'partition_key', p.names, 'partition_key_type', p.types, 'sort_key', s.names, 'sort_key_type', s.types,
	'stream', CASE WHEN $1 #>> '{StreamSpecification,StreamEnabled}' = 'true' THEN $1 #> '{StreamSpecification,StreamViewType}' END,
	'indexes', (SELECT json_agg(i.i) FROM (SELECT dynamo_internal.described_indexes($1, true) AS i UNION ALL SELECT dynamo_internal.described_indexes($1, false)) i)))))
FROM dynamo_internal.described_key($1, $1 -> 'KeySchema', 'HASH') p CROSS JOIN dynamo_internal.described_key($1, $1 -> 'KeySchema', 'RANGE') s;
END;
COMMENT ON FUNCTION dynamo_internal.described_model(json) IS 'converts DescribeTable''s output, or CreateTable''s input, to the format of dynamo.export_model';

-- Volatile: an immutable function of a constant may be called when a CASE is planned, whatever its conditions.
CREATE FUNCTION dynamo_internal.refuse_model(document json) RETURNS json
	LANGUAGE C VOLATILE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_refuse_model';
COMMENT ON FUNCTION dynamo_internal.refuse_model(json) IS 'raises the error for a document that is not a model';

CREATE FUNCTION dynamo_internal.model_of_document(document json, table_name text) RETURNS SETOF json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT t.t
FROM (SELECT CASE WHEN json_typeof($1 -> 'DataModel') = 'array' THEN json_strip_nulls(dynamo_internal.workbench_model($1))
			 WHEN starts_with($1 ->> 'format', 'onetable') THEN json_strip_nulls(dynamo_internal.onetable_model($1, $2))
			 WHEN json_typeof(d.described -> 'KeySchema') = 'array' THEN dynamo_internal.described_model(d.described)
			 WHEN json_typeof($1 -> 'tables') = 'array' THEN $1
			 WHEN $1 IS NOT NULL THEN dynamo_internal.refuse_model($1) END AS model
	  FROM (SELECT COALESCE($1 -> 'Table', $1 -> 'TableDescription', $1) AS described) d) m
	CROSS JOIN LATERAL json_array_elements(m.model -> 'tables') e(e)
	CROSS JOIN LATERAL (SELECT CASE WHEN json_typeof(e.e) = 'object' THEN e.e ELSE dynamo_internal.refuse_model($1) END) t(t);
END;
COMMENT ON FUNCTION dynamo_internal.model_of_document(json, text) IS 'returns the tables of a document of any format';

CREATE FUNCTION dynamo.import_model(document json, table_name text DEFAULT NULL) RETURNS SETOF text
	LANGUAGE sql STABLE
	SET quote_all_identifiers = off SET jit = off
	BEGIN ATOMIC
WITH named AS (
	SELECT t.t, t.n, COALESCE($2, t.t ->> 'table_name') AS name
	FROM dynamo_internal.model_of_document($1, $2) WITH ORDINALITY t(t, n))
SELECT s.statement
FROM (SELECT n.n, 20 AS step, 1::int8 AS part, dynamo_internal.model_create_table(n.t, n.name) AS statement
	  FROM named n
	  UNION ALL
	  SELECT n.n, k.step, p.n, dynamo_internal.model_create(p.kind, p.name, p.part, n.name, l.sql_name, l.schema_name)
	  FROM named n CROSS JOIN LATERAL dynamo_internal.model_place(n.name) l
		CROSS JOIN LATERAL dynamo_internal.model_parts(n.t, n.t) p JOIN dynamo_internal.model_kinds() k ON k.kind = p.kind
	  WHERE p.kind <> 'index' AND NOT (p.kind = 'option' AND p.name = 'fillfactor')
	  UNION ALL
	  SELECT n.n, 80, i.n, format('SELECT dynamo.put_item(%L, %L)', n.name, i.item)
	  FROM named n CROSS JOIN LATERAL json_array_elements(n.t -> 'items') WITH ORDINALITY i(item, n)) s
ORDER BY s.n, s.step, s.part;
END;
COMMENT ON FUNCTION dynamo.import_model(json, text) IS
	'returns the statements that create the tables, with all of their parts and items, of a model of dynamo.export_model, NoSQL Workbench or OneTable, or of a table as DescribeTable returns it';

-- ---- export ----

-- Rights to a relation or a function and its columns, except those of its owner.
CREATE FUNCTION dynamo_internal.model_rights(object jsonb, owner oid, acl aclitem[], relation oid) RETURNS SETOF json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT json_strip_nulls(json_build_object('view_name', $1 -> 'view_name', 'pattern_name', $1 -> 'pattern_name', 'schema_name', $1 -> 'schema_name',
	'role', r.role, 'privilege', r.privilege_type, 'columns', to_json(r.columns), 'grant_option', CASE WHEN r.is_grantable THEN true END))
FROM (SELECT CASE WHEN a.grantee = 0 THEN 'public' ELSE pg_get_userbyid(a.grantee)::text END AS role, a.privilege_type, a.is_grantable, NULL::text[] AS columns
	  FROM aclexplode($3) a WHERE a.grantee <> $2
	  UNION ALL
	  SELECT CASE WHEN a.grantee = 0 THEN 'public' ELSE pg_get_userbyid(a.grantee)::text END, a.privilege_type, a.is_grantable,
		  array_agg(c.attname::text ORDER BY c.attname::text COLLATE "C")
	  FROM pg_attribute c CROSS JOIN LATERAL aclexplode(c.attacl) a
	  WHERE c.attrelid = $4 AND c.attnum > 0 AND NOT c.attisdropped AND a.grantee <> $2
	  GROUP BY a.grantee, a.privilege_type, a.is_grantable) r;
END;
COMMENT ON FUNCTION dynamo_internal.model_rights(jsonb, oid, aclitem[], oid) IS 'returns rights for a document';

-- The definition in the comment of an index or a constraint of dynamo.add_unique_constraint.
CREATE FUNCTION dynamo_internal.unique_definition(object_comment text) RETURNS jsonb
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_unique_definition';
COMMENT ON FUNCTION dynamo_internal.unique_definition(text) IS 'returns with what dynamo.add_unique_constraint was called, from the comment of what it has made; NULL if that is another comment';

-- What dynamo.add_unique_constraint and add_reference have stored of kinds of items.
CREATE FUNCTION dynamo_internal.model_kind_members(stored jsonb) RETURNS json
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT json_build_object(
	'key_prefix', (SELECT json_object_agg(m.key, m.value -> 'S' ORDER BY m.key COLLATE "C") FROM jsonb_each($1 #> '{prefix,M}') m(key, value)),
	'kind_attributes', $1 #> '{attributes,M}', 'condition_expression', $1 #> '{condition,S}', 'expression_attribute_values', $1 #> '{values,M}',
	'expression_attribute_names', (SELECT json_object_agg(m.key, m.value -> 'S' ORDER BY m.key COLLATE "C") FROM jsonb_each($1 #> '{names,M}') m(key, value)));
END;
COMMENT ON FUNCTION dynamo_internal.model_kind_members(jsonb) IS 'returns the arguments that select the items of a constraint, for a document';

CREATE FUNCTION dynamo_internal.model_uniques(relation regclass, OUT object oid, OUT name text, OUT part json) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT x.oid, x.relname::text, dynamo_internal.given(json_build_object('constraint_name', x.relname,
	'attributes', (SELECT json_agg(a -> 'S' ORDER BY a.n) FROM jsonb_array_elements(d.stored #> '{unique,L}') WITH ORDINALITY a(a, n)),
	'key_prefix', k.k -> 'key_prefix', 'kind_attributes', k.k -> 'kind_attributes', 'condition_expression', k.k -> 'condition_expression',
	'expression_attribute_values', k.k -> 'expression_attribute_values', 'expression_attribute_names', k.k -> 'expression_attribute_names',
	'is_deferrable', CASE WHEN c.condeferrable THEN true END, 'initially_deferred', CASE WHEN c.condeferred THEN true END))
FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
	LEFT JOIN pg_constraint c ON c.conindid = x.oid AND c.conrelid = i.indrelid
	CROSS JOIN LATERAL (SELECT dynamo_internal.unique_definition(CASE WHEN c.oid IS NULL THEN obj_description(x.oid, 'pg_class')
		ELSE obj_description(c.oid, 'pg_constraint') END) AS stored OFFSET 0) d
	CROSS JOIN LATERAL (SELECT dynamo_internal.model_kind_members(d.stored) AS k) k
WHERE i.indrelid = $1::oid AND (i.indisunique OR i.indisexclusion) AND NOT i.indisprimary AND d.stored IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo_internal.model_uniques(regclass) IS 'returns the unique constraints of a table for a document';

CREATE FUNCTION dynamo_internal.model_references(relation regclass, OUT object oid, OUT name text, OUT part json) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT x.oid, g.tgname::text, dynamo_internal.given(json_build_object('constraint_name', g.tgname,
	'referenced_key', (SELECT json_object_agg(m.key, m.value -> 'S' ORDER BY m.key COLLATE "C") FROM jsonb_each(d.stored #> '{keys,M}') m(key, value)),
	'referenced_table', CASE WHEN g.tgconstrrelid <> g.tgrelid THEN
		CASE WHEN o.schema_name = t.schema_name THEN o.table_name ELSE concat('"', replace(o.schema_name::text, '"', '""'), '"."', replace(o.table_name, '"', '""'), '"') END END,
	'key_prefix', k.k -> 'key_prefix', 'kind_attributes', k.k -> 'kind_attributes', 'condition_expression', k.k -> 'condition_expression',
	'expression_attribute_values', k.k -> 'expression_attribute_values', 'expression_attribute_names', k.k -> 'expression_attribute_names',
	'on_delete', CASE WHEN (d.stored #>> '{cascade,BOOL}')::bool THEN 'CASCADE' END,
	'is_deferrable', CASE WHEN g.tgdeferrable THEN true END, 'initially_deferred', CASE WHEN g.tginitdeferred THEN true END))
FROM pg_trigger g JOIN dynamo.tables t ON t.relation::oid = g.tgrelid LEFT JOIN dynamo.tables o ON o.relation::oid = g.tgconstrrelid
	LEFT JOIN pg_index i ON i.indrelid = g.tgrelid AND NOT i.indisunique
		AND EXISTS (SELECT FROM pg_class y WHERE y.oid = i.indexrelid AND y.relname::text = concat(left(g.tgname::text, 59), '_key'))
	LEFT JOIN pg_class x ON x.oid = i.indexrelid
	CROSS JOIN LATERAL (SELECT convert_from(substring(g.tgargs, 1, length(g.tgargs) - 1), 'UTF8')::jsonb AS stored OFFSET 0) d
	CROSS JOIN LATERAL (SELECT dynamo_internal.model_kind_members(d.stored) AS k) k
WHERE t.relation = $1 AND g.tgfoid = 'dynamo_system.check_reference()'::regprocedure AND g.tgnargs = 1;
END;
COMMENT ON FUNCTION dynamo_internal.model_references(regclass) IS 'returns the references of a table for a document';

CREATE FUNCTION dynamo_internal.model_views(relation regclass, OUT object oid, OUT name text, OUT part json) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT v.oid, v.relname::text, dynamo_internal.given(json_build_object('view_name', v.relname,
	'schema_name', CASE WHEN v.relnamespace <> t.relnamespace THEN n.nspname END, 'entity_name', d.definition #> '{entity,S}',
	'invalid_values', CASE WHEN d.definition #>> '{invalid,S}' = 'null' THEN 'null' END,
	'columns', CASE WHEN COALESCE(d.definition #>> '{declared,BOOL}', 'false') <> 'true' THEN
		(SELECT json_object_agg(a.attname, json_build_object('type', format_type(a.atttypid, a.atttypmod), 'attribute', c.c #> '{M,attribute,S}') ORDER BY c.n)
		 FROM json_array_elements(d.definition #> '{columns,L}') WITH ORDINALITY c(c, n)
			JOIN pg_attribute a ON a.attrelid = v.oid AND a.attnum = c.n) END))
FROM pg_class t CROSS JOIN pg_class v JOIN pg_namespace n ON n.oid = v.relnamespace
	JOIN pg_trigger g ON g.tgrelid = v.oid AND g.tgfoid = 'dynamo_system.entity_view_write()'::regprocedure
	CROSS JOIN LATERAL (SELECT convert_from(substring(g.tgargs, 1, length(g.tgargs) - 1), 'UTF8')::json AS definition OFFSET 0) d
WHERE t.oid = $1::oid AND v.relkind = 'v' AND v.relowner = t.relowner
	AND EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
				WHERE r.ev_class = v.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = t.oid);
END;
COMMENT ON FUNCTION dynamo_internal.model_views(regclass) IS 'returns the entity views of a table for a document';

CREATE FUNCTION dynamo_internal.model_patterns(relation regclass, OUT object oid, OUT name text, OUT part json) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT f.oid, f.proname::text, dynamo_internal.model_pattern(f.proname::text, CASE WHEN f.pronamespace <> t.relnamespace THEN n.nspname::text END, p.declared -> 'arguments')
FROM pg_class t CROSS JOIN LATERAL dynamo_internal.patterns_of($1, t.relowner) p
	JOIN pg_proc f ON f.oid = p.pattern::oid AND f.proowner = t.relowner JOIN pg_namespace n ON n.oid = f.pronamespace
WHERE t.oid = $1::oid;
END;
COMMENT ON FUNCTION dynamo_internal.model_patterns(regclass) IS 'returns the access patterns of a table for a document';

CREATE FUNCTION dynamo_internal.model_grants(relation regclass) RETURNS SETOF json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo_internal.model_rights('{}', c.relowner, c.relacl, c.oid) FROM pg_class c WHERE c.oid = $1::oid
UNION ALL
SELECT dynamo_internal.model_rights(v.part::jsonb, c.relowner, c.relacl, c.oid)
FROM dynamo_internal.model_views($1) v JOIN pg_class c ON c.oid = v.object
UNION ALL
SELECT dynamo_internal.model_rights(p.part::jsonb - 'view_name'::text, f.proowner, COALESCE(f.proacl, acldefault('f', f.proowner)), NULL)
FROM dynamo_internal.model_patterns($1) p JOIN pg_proc f ON f.oid = p.object;
END;
COMMENT ON FUNCTION dynamo_internal.model_grants(regclass) IS 'returns the rights to a table, its views and its access patterns for a document';

-- Entities keep the templates of attributes that have been keys of an index; what composes no key belongs in no document.
CREATE FUNCTION dynamo_internal.model_entities(definition jsonb) RETURNS SETOF json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo_internal.given(json_build_object('entity_name', e.entity ->> 'name',
	'type_attribute', e.entity #> '{type,attribute}', 'type_value', e.entity #> '{type,value}',
	'keys', (SELECT json_object_agg(k.k ->> 'attribute', k.k -> 'template' ORDER BY k.n) FROM jsonb_array_elements(e.keys) WITH ORDINALITY k(k, n)),
	'attributes', (SELECT json_object_agg(a.a ->> 'name', CASE WHEN a.a -> 'qualified' IS NULL THEN a.a - '{name,holds}'::text[]
						ELSE jsonb_set(a.a - '{name,holds,qualified}'::text[], '{type}', a.a -> 'qualified') END ORDER BY a.n)
				   FROM jsonb_array_elements(e.entity -> 'attributes') WITH ORDINALITY a(a, n)),
	'index_conditions', (SELECT json_object_agg(i.i ->> 'name', c.condition ORDER BY i.i ->> 'name' COLLATE "C")
		FROM jsonb_array_elements($1 -> 'indexes') i(i),
			LATERAL (SELECT min(k ->> 'condition') FROM jsonb_array_elements(e.keys) k
					 WHERE (i.i -> 'partition') || (i.i -> 'sort') ? (k ->> 'attribute') AND NOT ($1 -> 'partition') || ($1 -> 'sort') ? (k ->> 'attribute')
					 HAVING bool_and(k ->> 'condition' IS NOT NULL)) c(condition)),
	'expression_attribute_values', (SELECT max(k ->> 'values')::json FROM jsonb_array_elements(e.keys) k),
	'expression_attribute_names', (SELECT max((k -> 'names')::text)::json FROM jsonb_array_elements(e.keys) k),
	'on_mismatch', e.entity -> 'on_mismatch', 'check_types', e.entity -> 'check_types'))
FROM (SELECT j.entity, (SELECT jsonb_agg(k.k ORDER BY k.n) FROM jsonb_array_elements(j.entity -> 'keys') WITH ORDINALITY k(k, n)
						WHERE (k.k ->> 'attribute') = ANY (a.names)) AS keys
	  FROM jsonb_array_elements($1 -> 'entities') j(entity) CROSS JOIN (
		SELECT ARRAY(SELECT p.name FROM (SELECT $1 AS place UNION ALL SELECT jsonb_array_elements($1 -> 'indexes')) l
			CROSS JOIN LATERAL jsonb_array_elements_text((l.place -> 'partition') || (l.place -> 'sort')) p(name)) AS names) a) e
ORDER BY e.entity ->> 'name' COLLATE "C";
END;
COMMENT ON FUNCTION dynamo_internal.model_entities(jsonb) IS 'returns the entities of a table''s definition for a document';

CREATE FUNCTION dynamo_internal.model_indexes(definition jsonb, vector boolean) RETURNS SETOF json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo_internal.given(CASE WHEN $2 THEN json_build_object('index_name', i.i -> 'name', 'vector_attribute', i.i #> '{vector,attribute}',
		'dimensions', i.i #> '{vector,dimensions}', 'distance', i.i #> '{vector,distance}', 'method', i.i #> '{vector,method}',
		'partition_key', i.i #> '{partition,0}', 'partition_key_type', y.types -> (i.i #>> '{partition,0}'),
		'filters', (SELECT json_agg(f -> 'name') FROM jsonb_array_elements(i.i #> '{vector,filters}') f),
		'filter_types', (SELECT json_agg(f -> 'type') FROM jsonb_array_elements(i.i #> '{vector,filters}') f),
		'projection', i.i -> 'projection', 'non_key_attributes', CASE WHEN i.i ->> 'projection' = 'INCLUDE' THEN i.i -> 'non_key_attributes' END)
	ELSE json_build_object('index_name', i.i -> 'name',
		'partition_key', CASE WHEN jsonb_array_length(i.i -> 'partition') = 1 THEN i.i #> '{partition,0}' ELSE i.i -> 'partition' END,
		'partition_key_type', CASE WHEN jsonb_array_length(i.i -> 'partition') = 1 THEN y.types -> (i.i #>> '{partition,0}')
			ELSE (SELECT jsonb_agg(y.types -> a.name ORDER BY a.n) FROM jsonb_array_elements_text(i.i -> 'partition') WITH ORDINALITY a(name, n)) END,
		'sort_key', CASE jsonb_array_length(i.i -> 'sort') WHEN 0 THEN NULL WHEN 1 THEN i.i #> '{sort,0}' ELSE i.i -> 'sort' END,
		'sort_key_type', CASE jsonb_array_length(i.i -> 'sort') WHEN 0 THEN NULL WHEN 1 THEN y.types -> (i.i #>> '{sort,0}')
			ELSE (SELECT jsonb_agg(y.types -> a.name ORDER BY a.n) FROM jsonb_array_elements_text(i.i -> 'sort') WITH ORDINALITY a(name, n)) END,
		'local', i.i -> 'local', 'projection', i.i -> 'projection',
		'non_key_attributes', CASE WHEN i.i ->> 'projection' = 'INCLUDE' THEN i.i -> 'non_key_attributes' END,
		'storage', i.i -> 'storage', 'shards', CASE WHEN i.i ->> 'shards' <> '0' THEN i.i -> 'shards' END, 'shard_by', i.i -> 'shard_by') END)
FROM jsonb_array_elements($1 -> 'indexes') i(i)
	CROSS JOIN (SELECT jsonb_object_agg(a ->> 'name', a -> 'type') AS types FROM jsonb_array_elements($1 -> 'attributes') a) y
WHERE i.i ->> 'replaces' IS NULL AND (i.i -> 'vector' IS NOT NULL) = $2
ORDER BY i.i ->> 'name' COLLATE "C";
END;
COMMENT ON FUNCTION dynamo_internal.model_indexes(jsonb, boolean) IS 'returns the indexes of a table''s definition for a document';

-- What belongs to a table and cannot be said in a document.
CREATE FUNCTION dynamo_internal.model_omitted(relation regclass) RETURNS SETOF text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH made AS MATERIALIZED (
	SELECT dynamo.index_relation($1, d ->> 'name')::oid AS object FROM dynamo.tables t CROSS JOIN LATERAL jsonb_array_elements(t.definition -> 'indexes') d WHERE t.relation = $1
	UNION ALL SELECT u.object FROM dynamo_internal.model_uniques($1) u
	UNION ALL SELECT u.object FROM dynamo_internal.model_references($1) u)
SELECT format('index "%s"', x.relname)
FROM dynamo.tables t JOIN pg_index i ON i.indrelid = t.relation::oid AND NOT i.indisprimary JOIN pg_class x ON x.oid = i.indexrelid
WHERE t.relation = $1
	AND NOT EXISTS (SELECT FROM made m WHERE m.object = x.oid)
	AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.relation::oid AND a.attname = 'dynamo_expires_at' AND a.attnum = ANY (i.indkey))
UNION ALL
SELECT format('constraint "%s"', k.conname) FROM pg_constraint k WHERE k.contype IN ('c', 'f') AND k.conrelid = $1::oid
UNION ALL
SELECT format('trigger "%s"', g.tgname)
FROM pg_trigger g JOIN pg_proc f ON f.oid = g.tgfoid
WHERE g.tgrelid = $1::oid AND NOT g.tgisinternal
	AND f.pronamespace <> ALL (ARRAY['dynamo'::regnamespace, 'dynamo_system'::regnamespace, 'dynamo_internal'::regnamespace]::oid[])
UNION ALL
SELECT format('view "%s" of role "%s"', v.relname, pg_get_userbyid(v.relowner))
FROM pg_class c CROSS JOIN pg_class v JOIN pg_trigger g ON g.tgrelid = v.oid AND g.tgfoid = 'dynamo_system.entity_view_write()'::regprocedure
WHERE c.oid = $1::oid AND v.relkind = 'v' AND v.relowner <> c.relowner
	AND EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
				WHERE r.ev_class = v.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = c.oid)
UNION ALL
SELECT format('access pattern "%s" of role "%s"', f.proname, pg_get_userbyid(f.proowner))
FROM pg_class c CROSS JOIN LATERAL dynamo_internal.patterns_of($1, c.relowner) p JOIN pg_proc f ON f.oid = p.pattern::oid AND f.proowner <> c.relowner
WHERE c.oid = $1::oid
UNION ALL
SELECT 'row security' FROM pg_class c WHERE c.oid = $1::oid AND (c.relrowsecurity OR EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))
UNION ALL
SELECT 'the distribution by Citus' FROM dynamo.tables t WHERE t.relation = $1 AND (t.definition ->> 'distributed')::bool
UNION ALL
SELECT format('column "%s"', a.attname)
FROM dynamo.tables t JOIN pg_attribute a ON a.attrelid = t.relation::oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL ('{item,dynamo_expires_at}'::name[])
WHERE t.relation = $1 AND NOT EXISTS (SELECT FROM jsonb_array_elements(t.definition -> 'attributes') d WHERE d ->> 'column' = a.attname::text);
END;
COMMENT ON FUNCTION dynamo_internal.model_omitted(regclass) IS 'returns what belongs to a table and is not in its document';

-- Planned with the statement that calls it (src/design/model.c).
CREATE FUNCTION dynamo_system.model_of_table(table_name regclass) RETURNS SETOF json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT json_build_object('table_name', t.table_name, 'partition_key', t.partition_key, 'partition_key_type', t.partition_key_type,
	'sort_key', t.sort_key, 'sort_key_type', t.sort_key_type,
	'partitions', (SELECT count(*) FROM pg_partitioned_table p JOIN pg_inherits h ON h.inhparent = p.partrelid WHERE p.partrelid = c.oid HAVING count(*) > 0),
	'options', COALESCE((SELECT json_object_agg(o.option_name, o.option_value ORDER BY o.option_name COLLATE "C") FROM pg_options_to_table(c.reloptions) o), '{}'::json),
	'time_to_live', t.definition -> 'time_to_live',
	'stream', (SELECT max(split_part(encode(g.tgargs, 'escape'), concat(chr(92), '000'), 2)) FROM pg_trigger g
			   WHERE g.tgrelid = c.oid AND g.tgname = '!dynamo_capture_changes' AND NOT g.tgisinternal),
	'indexes', COALESCE((SELECT json_agg(i.i) FROM dynamo_internal.model_indexes(t.definition, false) i(i)), '[]'::json),
	'vector_indexes', COALESCE((SELECT json_agg(i.i) FROM dynamo_internal.model_indexes(t.definition, true) i(i)), '[]'::json),
	'entities', COALESCE((SELECT json_agg(e.e) FROM dynamo_internal.model_entities(t.definition) e(e)), '[]'::json),
	'views', COALESCE((SELECT json_agg(v.part ORDER BY v.name COLLATE "C", v.part ->> 'schema_name' COLLATE "C" NULLS FIRST) FROM dynamo_internal.model_views($1) v), '[]'::json),
	'unique_constraints', COALESCE((SELECT json_agg(u.part ORDER BY u.name COLLATE "C") FROM dynamo_internal.model_uniques($1) u), '[]'::json),
	'references', COALESCE((SELECT json_agg(dynamo_internal.with_member(r.part, 'create_index', CASE WHEN r.object IS NULL THEN 'false'::json ELSE 'true' END)
		ORDER BY r.name COLLATE "C") FROM dynamo_internal.model_references($1) r), '[]'::json),
	'copies', COALESCE((SELECT json_agg(dynamo_internal.given(json_build_object('copy_name', d.copy_name, 'parent', d.parent, 'child', d.child, 'attributes', d.attributes,
		'refers', d.refers, 'index_name', d.index_name, 'hidden_parent', d.hidden_parent)) ORDER BY d.copy_name COLLATE "C")
		FROM dynamo.copies d WHERE d.schema_name = t.schema_name AND d.table_name = t.table_name AND d.kind = 'copy'), '[]'::json),
	'totals', COALESCE((SELECT json_agg(dynamo_internal.given(json_build_object('total_name', d.copy_name, 'parent', d.parent, 'child', d.child, 'totals', d.attributes,
		'refers', d.refers, 'index_name', d.index_name, 'hidden_parent', d.hidden_parent)) ORDER BY d.copy_name COLLATE "C")
		FROM dynamo.copies d WHERE d.schema_name = t.schema_name AND d.table_name = t.table_name AND d.kind = 'total'), '[]'::json),
	'access_patterns', COALESCE((SELECT json_agg(p.part ORDER BY p.name COLLATE "C", p.part ->> 'schema_name' COLLATE "C" NULLS FIRST) FROM dynamo_internal.model_patterns($1) p), '[]'::json),
	'grants', COALESCE((SELECT json_agg(g.g ORDER BY dynamo_internal.model_grant_name(g.g) COLLATE "C") FROM dynamo_internal.model_grants($1) g(g)), '[]'::json),
	'omitted', COALESCE((SELECT json_agg(o.what ORDER BY o.what COLLATE "C") FROM dynamo_internal.model_omitted($1) o(what)), '[]'::json))
FROM (SELECT d.relation, d.schema_name, d.table_name, d.partition_key, d.partition_key_type, d.sort_key, d.sort_key_type, d.definition
	  FROM dynamo.tables d WHERE d.relation = $1 OFFSET 0) t	-- computes the definition once
	JOIN pg_class c ON c.oid = t.relation::oid;
END;
COMMENT ON FUNCTION dynamo_system.model_of_table(regclass) IS 'returns a table, with all of its parts, as dynamo_internal.model_table does, with a plan for each call';

-- The same for every session and every role, and nobody else can change it: views and patterns are those of the table's
-- owner, and names of types do not depend on settings.
CREATE FUNCTION dynamo_internal.model_table(table_name regclass) RETURNS json
	LANGUAGE C STABLE
	SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off
	AS 'MODULE_PATHNAME', 'dynamo_model_table';
COMMENT ON FUNCTION dynamo_internal.model_table(regclass) IS 'returns a table, with all of its parts, for a document';

CREATE FUNCTION dynamo.export_model(table_name regclass) RETURNS json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo_internal.lines_of_json(json_build_object('format', 'dynamo:1', 'tables', json_build_array(m.t)))
FROM dynamo_internal.model_table($1) m(t) WHERE m.t IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo.export_model(regclass) IS
	'returns a table with all that belongs to it as a JSON document, which dynamo.plan_model, apply_model and import_model read';

CREATE FUNCTION dynamo.export_model(table_name text) RETURNS json
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo.export_model(dynamo.table_relation($1));
END;
COMMENT ON FUNCTION dynamo.export_model(text) IS
	'returns a table with all that belongs to it as a JSON document, which dynamo.plan_model, apply_model and import_model read';

-- What programs depend on: not rights, storage, or what a document leaves out.
CREATE FUNCTION dynamo.model_checksum(table_name regclass) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT encode(sha256(convert_to((m.t::jsonb - '{options,partitions,grants,omitted}'::text[])::text, 'UTF8')), 'hex')
FROM dynamo_internal.model_table($1) m(t) WHERE m.t IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo.model_checksum(regclass) IS
	'returns a checksum of what dynamo.export_model returns, but for rights and storage: it tells whether a program knows the model as it is';

CREATE FUNCTION dynamo.model_checksum(table_name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo.model_checksum(dynamo.table_relation($1));
END;
COMMENT ON FUNCTION dynamo.model_checksum(text) IS
	'returns a checksum of what dynamo.export_model returns, but for rights and storage: it tells whether a program knows the model as it is';

-- ---- plan ----

-- What a table cannot change.
CREATE FUNCTION dynamo_internal.model_key(model_table json) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT jsonb_strip_nulls(jsonb_build_object('partition_key', $1 -> 'partition_key', 'partition_key_type', COALESCE($1 ->> 'partition_key_type', 'S'),
	'sort_key', $1 -> 'sort_key', 'sort_key_type', CASE WHEN $1 ->> 'sort_key' IS NOT NULL THEN COALESCE($1 ->> 'sort_key_type', 'S') END, 'partitions', $1 -> 'partitions'));
END;
COMMENT ON FUNCTION dynamo_internal.model_key(json) IS 'returns what a table of a document cannot change';

-- What differs between two definitions: the names of members, of attributes those that differ.
CREATE FUNCTION dynamo_internal.model_difference(was jsonb, must jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN jsonb_typeof($1) = 'object' AND jsonb_typeof($2) = 'object' THEN
	(SELECT string_agg(CASE WHEN k.key IN ('attributes', 'keys', 'columns', 'totals') AND jsonb_typeof(COALESCE($1 -> k.key, '{}')) = 'object'
								AND jsonb_typeof(COALESCE($2 -> k.key, '{}')) = 'object' THEN
			(SELECT string_agg(concat(k.key, '.', a.key), ', ' ORDER BY a.key COLLATE "C")
			 FROM (SELECT jsonb_object_keys($1 -> k.key) AS key UNION SELECT jsonb_object_keys($2 -> k.key)) a
			 WHERE $1 #> ARRAY[k.key, a.key] IS DISTINCT FROM $2 #> ARRAY[k.key, a.key]) ELSE k.key END, ', ' ORDER BY k.key COLLATE "C")
	 FROM (SELECT jsonb_object_keys($1) AS key UNION SELECT jsonb_object_keys($2)) k
	 WHERE $1 -> k.key IS DISTINCT FROM $2 -> k.key)
	WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN format('%s, not %s', $1 #>> '{}', $2 #>> '{}') END;
END;
COMMENT ON FUNCTION dynamo_internal.model_difference(jsonb, jsonb) IS 'returns what differs between two definitions of a part of a model';

-- The parts of a table that exist and those that a document wants.  What it says nothing
-- about is wanted as it is.
CREATE FUNCTION dynamo_internal.model_changes(model_table json, existing json, OUT kind text, OUT name text, OUT n bigint, OUT change text,
	OUT was json, OUT was_form jsonb, OUT must json, OUT must_form jsonb) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH silent AS (
	SELECT k.kind FROM dynamo_internal.model_kinds() k WHERE $1 -> k.member IS NULL AND $2 IS NOT NULL),
old AS MATERIALIZED (
	SELECT p.kind, p.name, p.n, p.part, p.form FROM dynamo_internal.model_parts($2, $2) p WHERE $2 IS NOT NULL),
said AS MATERIALIZED (
	SELECT p.kind, p.name, p.n, p.part, p.form FROM dynamo_internal.model_parts($1, CASE WHEN $1 -> 'indexes' IS NULL THEN $2 ELSE $1 END) p),
new AS MATERIALIZED (
	SELECT p.kind, p.name, p.n, p.part, p.form FROM said p
	UNION ALL
	SELECT o.kind, o.name, o.n, o.part, o.form FROM old o
	WHERE (o.kind IN (SELECT s.kind FROM silent s) OR (o.kind = 'option' AND o.name = 'fillfactor' AND $1 #> '{options,fillfactor}' IS NULL))
		AND NOT EXISTS (SELECT FROM said p WHERE p.kind = o.kind AND p.name = o.name))
SELECT COALESCE(o.kind, w.kind), COALESCE(o.name, w.name), COALESCE(w.n, o.n),
	CASE WHEN o.kind IS NULL THEN 'add' WHEN w.kind IS NULL THEN 'remove' WHEN o.form <> w.form THEN 'change' ELSE 'keep' END,
	o.part, o.form, w.part, w.form
FROM old o FULL JOIN new w ON w.kind = o.kind AND w.name = o.name;
END;
COMMENT ON FUNCTION dynamo_internal.model_changes(json, json) IS 'returns the parts of a table as they are and as a document wants them';

-- The key attributes that items of an entity get in another way: by another template, or under another condition.
CREATE FUNCTION dynamo_internal.model_changed_keys(was jsonb, must jsonb) RETURNS text[]
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT ARRAY(
	SELECT k.key FROM (SELECT jsonb_object_keys($1 -> 'keys') AS key UNION SELECT jsonb_object_keys($2 -> 'keys')) k
	WHERE $1 #> ARRAY['keys', k.key] IS DISTINCT FROM $2 #> ARRAY['keys', k.key]
	UNION
	SELECT c.key FROM (SELECT jsonb_object_keys($1 -> 'index_conditions') AS key UNION SELECT jsonb_object_keys($2 -> 'index_conditions')) c
	WHERE $1 #> ARRAY['index_conditions', c.key] IS DISTINCT FROM $2 #> ARRAY['index_conditions', c.key]
		OR $1 -> 'expression_attribute_values' IS DISTINCT FROM $2 -> 'expression_attribute_values'
		OR $1 -> 'expression_attribute_names' IS DISTINCT FROM $2 -> 'expression_attribute_names');
END;
COMMENT ON FUNCTION dynamo_internal.model_changed_keys(jsonb, jsonb) IS 'returns the key attributes that items of a changed entity get in another way';

-- What becomes of each part: whether it is removed before the rest changes, because it is
-- unwanted, cannot be changed in place, or depends on what is removed; whether it is made
-- afterwards; and whether it is changed in place.
CREATE FUNCTION dynamo_internal.model_fates(model_table json, existing json, populated text[], OUT kind text, OUT name text, OUT n bigint, OUT change text,
	OUT was json, OUT was_form jsonb, OUT must json, OUT must_form jsonb, OUT goes boolean, OUT comes boolean, OUT moves boolean, OUT shifts boolean) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH told AS MATERIALIZED (
	SELECT m.kind, m.name, m.n, m.change, m.was, m.was_form, m.must, m.must_form,
		-- the key of the table, or what tells the entity
		m.kind = 'entity' AND m.change = 'change' AND (m.was_form -> 'type_attribute' IS DISTINCT FROM m.must_form -> 'type_attribute'
			OR m.was_form -> 'type_value' IS DISTINCT FROM m.must_form -> 'type_value'
			OR EXISTS (SELECT FROM unnest(ARRAY[$1 ->> 'partition_key', $1 ->> 'sort_key']) k(name)
					   WHERE m.was_form #> ARRAY['keys', k.name] IS DISTINCT FROM m.must_form #> ARRAY['keys', k.name])) AS tells,
		m.kind = 'entity' AND m.change = 'change' AND (m.was_form -> 'keys' <> m.must_form -> 'keys'
			OR m.was_form -> 'index_conditions' IS DISTINCT FROM m.must_form -> 'index_conditions'
			OR m.was_form -> 'expression_attribute_values' IS DISTINCT FROM m.must_form -> 'expression_attribute_values'
			OR m.was_form -> 'expression_attribute_names' IS DISTINCT FROM m.must_form -> 'expression_attribute_names') AS shifts,
		CASE WHEN m.kind = 'entity' AND m.change = 'change' THEN
			dynamo_internal.model_changed_keys(m.was_form, m.must_form) END AS changed_keys,
		m.kind = 'entity' AND (m.change = 'remove' OR m.change = 'change' AND EXISTS (
			SELECT FROM jsonb_each(m.was_form -> 'attributes') a WHERE a.value ->> 'type' IS NOT NULL
				AND a.value -> 'type' IS DISTINCT FROM m.must_form #> ARRAY['attributes', a.key, 'type'])) AS narrows
	FROM dynamo_internal.model_changes($1, $2) m),
c AS MATERIALIZED (
	SELECT t.kind, t.name, t.n, t.change, t.was, t.was_form, t.must, t.must_form, t.tells AND t.name = ANY ($3) AS moves,
		t.shifts AND NOT (t.tells AND t.name = ANY ($3)) OR t.tells AND t.name <> ALL ($3) AS shifts, t.narrows,
		t.tells, t.changed_keys
	FROM told t),
first AS MATERIALIZED (
	SELECT c.kind, c.name, c.was,
		c.change = 'remove' OR c.change = 'change' AND CASE c.kind
			WHEN 'entity' THEN false WHEN 'option' THEN false
			WHEN 'index' THEN (c.was_form - '{projection,non_key_attributes,storage,shards,shard_by}'::text[]) <> (c.must_form - '{projection,non_key_attributes,storage,shards,shard_by}'::text[])
				OR (c.was_form -> 'shards' IS NOT NULL AND c.must_form -> 'shards' IS NULL) OR (c.was_form -> 'shard_by' IS NOT NULL AND c.must_form -> 'shard_by' IS NULL)
			WHEN 'access pattern' THEN (c.was_form - '{description,filter_expression,max_items,scan_index_forward,expression_attribute_names}'::text[])
				<> (c.must_form - '{description,filter_expression,max_items,scan_index_forward,expression_attribute_names}'::text[])
			ELSE true END AS goes
	FROM c WHERE c.change <> 'add'),
second AS MATERIALIZED (
	SELECT f.kind, f.name, f.was, f.goes
		OR f.kind = 'view' AND f.was -> 'columns' IS NULL AND EXISTS (SELECT FROM c WHERE c.narrows AND c.name = f.was ->> 'entity_name')
		OR f.kind = 'view' AND EXISTS (SELECT FROM first e WHERE e.goes AND e.kind = 'entity' AND e.name = f.was ->> 'entity_name')
		-- copies find parents by the table's key, and children by that of their index
		OR f.kind IN ('copy', 'total') AND EXISTS (SELECT FROM c WHERE c.shifts AND c.name IN (f.was ->> 'parent', f.was ->> 'child')
			AND (c.tells OR c.changed_keys && dynamo_internal.model_key_attributes($2, NULL)
				OR c.name = f.was ->> 'child' AND c.changed_keys && dynamo_internal.model_key_attributes($2, f.was ->> 'index_name')))
		OR f.kind IN ('copy', 'total') AND EXISTS (SELECT FROM first i WHERE i.goes AND i.kind = 'index' AND i.name = f.was ->> 'index_name') AS goes
	FROM first f),
third AS MATERIALIZED (
	SELECT s.kind, s.name, s.was, s.goes OR s.kind = 'access pattern' AND EXISTS (SELECT FROM second v WHERE v.goes AND v.kind = 'view' AND v.name = s.was ->> 'view_name') AS goes
	FROM second s),
gone AS MATERIALIZED (
	SELECT t.kind, t.name, t.goes OR t.kind = 'grant' AND EXISTS (SELECT FROM third o WHERE o.goes
		AND o.kind = CASE WHEN t.was ->> 'view_name' IS NOT NULL THEN 'view' WHEN t.was ->> 'pattern_name' IS NOT NULL THEN 'access pattern' END
		AND o.name = concat(t.was ->> 'schema_name' || '.', COALESCE(t.was ->> 'view_name', t.was ->> 'pattern_name'))) AS goes
	FROM third t)
SELECT c.kind, c.name, c.n, c.change, c.was, c.was_form, c.must, c.must_form, COALESCE(g.goes, false),
	c.must IS NOT NULL AND (c.was IS NULL OR g.goes), c.moves, c.shifts
FROM c LEFT JOIN gone g ON g.kind = c.kind AND g.name = c.name;
END;
COMMENT ON FUNCTION dynamo_internal.model_fates(json, json, text[]) IS 'returns what becomes of each part of a table in a plan: goes, comes, or neither';

-- The statements that change an index in place.
CREATE FUNCTION dynamo_internal.model_change_index(call_name text, name text, was jsonb, must jsonb) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE WHEN $3 - '{shards,shard_by}'::text[] = $4 - '{shards,shard_by}'::text[] AND $4 ->> 'storage' = 'table' AND $3 ->> 'shards' IS NOT NULL
	THEN dynamo_internal.call_statement('reshard_index', $1, dynamo_internal.given(json_build_object('index_name', $2, 'shards', $4 -> 'shards', 'shard_by', $4 -> 'shard_by')))
	ELSE dynamo_internal.call_statement('change_index', $1, (SELECT json_object_agg(m.key, m.value) FROM (
		SELECT 'index_name' AS key, to_json($2) AS value
		UNION ALL SELECT j.key, j.value::json FROM jsonb_each($4) j
		WHERE j.key IN ('projection', 'non_key_attributes', 'storage', 'shards', 'shard_by') AND (j.value IS DISTINCT FROM $3 -> j.key)) m)) END;
END;
COMMENT ON FUNCTION dynamo_internal.model_change_index(text, text, jsonb, jsonb) IS 'returns the statement that changes an index in place';

CREATE FUNCTION dynamo_internal.model_locks(kind text, verb text, large boolean) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE
	WHEN $2 = 'apply' OR $2 = 'repair' THEN 'the items that change'
	WHEN $2 = 'migrate' THEN 'ACCESS EXCLUSIVE for moments; items in batches'
	WHEN $1 IN ('index', 'vector index') AND $2 <> 'remove' THEN CASE WHEN $3 THEN 'ACCESS EXCLUSIVE for moments; built while the table is in use'
		ELSE 'ACCESS EXCLUSIVE while it is built' END
	WHEN $1 IN ('unique constraint', 'reference') AND $2 = 'add' THEN 'SHARE ROW EXCLUSIVE while all items are read'
	WHEN $1 IN ('copy', 'total') AND $2 = 'add' OR $1 = 'stream' AND $2 = 'add' THEN 'SHARE ROW EXCLUSIVE for a moment'
	WHEN $1 = 'option' THEN 'SHARE UPDATE EXCLUSIVE for a moment'
	WHEN $1 IN ('grant', 'access pattern') THEN 'none'
	WHEN $1 = 'view' THEN CASE $2 WHEN 'add' THEN 'none' ELSE 'ACCESS EXCLUSIVE on the view for a moment' END
	ELSE 'ACCESS EXCLUSIVE for a moment' END;
END;
COMMENT ON FUNCTION dynamo_internal.model_locks(text, text, boolean) IS 'returns which locks a step of a plan takes';

CREATE FUNCTION dynamo_internal.plan_table(model_table json, table_name text, OUT step integer, OUT part bigint, OUT object text, OUT change text, OUT detail text,
	OUT statement text, OUT items bigint, OUT bytes bigint, OUT locks text, OUT problem text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH place AS MATERIALIZED (
	SELECT p.relation, p.call_name, p.sql_name, p.schema_name FROM dynamo_internal.model_place($2) p),
existing AS MATERIALIZED (
	SELECT dynamo_internal.model_table(p.relation) AS t FROM place p),
size AS MATERIALIZED (
	SELECT o.entity, sum(o.items)::int8 AS items, sum(o.bytes)::int8 AS bytes
	FROM place p CROSS JOIN LATERAL dynamo.outline(p.call_name) o
	WHERE p.relation IS NOT NULL AND o.index_name IS NULL
		AND EXISTS (SELECT FROM existing e WHERE e.t::jsonb <> $1::jsonb)
	GROUP BY o.entity),
populated AS MATERIALIZED (
	SELECT COALESCE(array_agg(s.entity) FILTER (WHERE s.entity IS NOT NULL), '{}'::text[]) AS entities FROM size s),
f AS MATERIALIZED (
	SELECT m.kind, m.name, m.n, m.change, m.was, m.was_form, m.must, m.must_form, m.goes, m.comes, m.moves, m.shifts,
		CASE WHEN m.kind IN ('time to live', 'stream') THEN m.kind WHEN m.kind = 'grant' THEN m.name ELSE format('%s "%s"', m.kind, m.name) END AS object
	FROM existing e CROSS JOIN populated o CROSS JOIN LATERAL dynamo_internal.model_fates($1, e.t, o.entities) m),
-- templates of what is no key in the document
stray AS MATERIALIZED (
	SELECT f.name, format('%s: no key attribute of the table or its indexes', string_agg(format('"%s"', k.key), ', ' ORDER BY k.key COLLATE "C")) AS problem
	FROM existing e CROSS JOIN LATERAL (SELECT CASE WHEN $1 -> 'indexes' IS NULL THEN e.t ELSE $1 END AS indexed) i
		CROSS JOIN f CROSS JOIN LATERAL jsonb_object_keys(f.must_form -> 'keys') k(key)
	WHERE f.kind = 'entity' AND f.must IS NOT NULL AND $1 -> 'entities' IS NOT NULL
		AND NOT EXISTS (SELECT FROM (SELECT NULL AS index_name UNION ALL
			SELECT j ->> 'index_name' FROM json_array_elements(CASE WHEN json_typeof(i.indexed -> 'indexes') = 'array' THEN i.indexed -> 'indexes' END) j) n
			WHERE k.key = ANY (dynamo_internal.model_key_attributes(CASE WHEN n.index_name IS NULL THEN $1 ELSE i.indexed END, n.index_name)))
	GROUP BY f.name),
whole AS MATERIALIZED (
	SELECT COALESCE(sum(s.items), 0)::int8 AS items, COALESCE(sum(s.bytes), 0)::int8 AS bytes FROM size s),
large AS MATERIALIZED (
	SELECT pg_relation_size(p.relation) > pg_size_bytes(current_setting('dynamo.in_place_build_limit')) AS large FROM place p),
stale AS MATERIALIZED (
	SELECT concat(CASE WHEN n.nspname <> p.schema_name THEN n.nspname || '.' END, r.proname) AS name, d.declared, w.problem
	FROM place p CROSS JOIN LATERAL dynamo_internal.patterns_of(p.relation) d
		JOIN pg_proc r ON r.oid = d.pattern::oid JOIN pg_namespace n ON n.oid = r.pronamespace
		CROSS JOIN LATERAL (SELECT dynamo_internal.stale_problem(p.relation, d.declared) AS problem OFFSET 0) w
	WHERE w.problem IS NOT NULL),
entity AS MATERIALIZED (
	SELECT f.name, f.n, f.object, f.was_form, f.must_form, f.must, f.was_form -> 'type_value' IS DISTINCT FROM f.must_form -> 'type_value' AS is_named_anew, f.moves AS migrates,
		f.shifts OR EXISTS (SELECT FROM jsonb_each(f.was_form -> 'attributes' || (f.must_form -> 'attributes')) a
							WHERE (f.was_form #> ARRAY['attributes', a.key] ? 'computed' OR f.must_form #> ARRAY['attributes', a.key] ? 'computed')
								AND f.was_form -> 'attributes' <> f.must_form -> 'attributes') AS shifts, COALESCE(s.items, 0) AS items, COALESCE(s.bytes, 0) AS bytes
	FROM f LEFT JOIN size s ON s.entity = f.name
	WHERE f.kind = 'entity' AND f.change = 'change'),
step AS (
	-- the table itself
	SELECT 20 AS step, 0::int8 AS n, format('table "%s"', $2) AS object, 'add' AS change, NULL AS detail,
		dynamo_internal.model_create_table($1, p.call_name) AS statement, 0::int8 AS items, 0::int8 AS bytes, 'none' AS locks,
		CASE WHEN $2 IS NULL THEN 'the document does not name the table: give table_name' END AS problem
	FROM place p WHERE p.relation IS NULL
	UNION ALL
	SELECT 20, 0, format('table "%s"', $2), 'change', d.difference, NULL, 0, 0, NULL, 'a table keeps its key and its partitions: create another table and copy the items'
	FROM existing e CROSS JOIN LATERAL (SELECT dynamo_internal.model_difference(dynamo_internal.model_key(e.t),
		CASE WHEN $1 -> 'partitions' IS NULL THEN jsonb_strip_nulls(dynamo_internal.model_key($1) || jsonb_build_object('partitions', e.t -> 'partitions'))
		ELSE dynamo_internal.model_key($1) END) AS difference OFFSET 0) d
	WHERE e.t IS NOT NULL AND d.difference IS NOT NULL
	UNION ALL
	SELECT 1, min(p.n), format('%s "%s"', p.kind, p.name), 'add', NULL, NULL, 0, 0, NULL, 'the document has it more than once'
	FROM dynamo_internal.model_parts($1, $1) p WHERE p.kind NOT IN ('grant', 'option') GROUP BY p.kind, p.name HAVING count(*) > 1
	UNION ALL
	-- what goes
	SELECT CASE f.kind WHEN 'grant' THEN 1 WHEN 'access pattern' THEN 2 WHEN 'total' THEN 3 WHEN 'copy' THEN 3 WHEN 'reference' THEN 4 WHEN 'unique constraint' THEN 4
			WHEN 'view' THEN 5 WHEN 'entity' THEN 6 WHEN 'index' THEN CASE WHEN f.comes THEN 8 ELSE 35 END WHEN 'vector index' THEN 8 ELSE 7 END,
		f.n, f.object, 'remove', CASE WHEN f.change = 'change' THEN dynamo_internal.model_difference(f.was_form, f.must_form) WHEN f.change = 'keep' THEN 'made anew below' END,
		dynamo_internal.model_drop(f.kind, f.name, f.was, p.call_name, p.sql_name, p.schema_name), 0, 0, dynamo_internal.model_locks(f.kind, 'remove', false), NULL
	FROM f CROSS JOIN place p
	WHERE f.goes AND NOT (f.kind = 'grant' AND EXISTS (SELECT FROM f o WHERE o.goes
		AND o.kind = CASE WHEN f.was ->> 'view_name' IS NOT NULL THEN 'view' WHEN f.was ->> 'pattern_name' IS NOT NULL THEN 'access pattern' END
		AND o.name = concat(f.was ->> 'schema_name' || '.', COALESCE(f.was ->> 'view_name', f.was ->> 'pattern_name'))))
	UNION ALL
	-- functions are for everybody when they are made
	SELECT 69, f.n, format('EXECUTE on %s to public', f.object), 'remove', NULL,
		format('REVOKE EXECUTE ON FUNCTION %I.%I FROM PUBLIC', COALESCE(f.must ->> 'schema_name', p.schema_name), f.must ->> 'pattern_name'), 0, 0, 'none', NULL
	FROM f CROSS JOIN place p
	WHERE f.kind = 'access pattern' AND f.comes AND ($1 -> 'grants' IS NOT NULL OR p.relation IS NOT NULL AND f.was IS NOT NULL)
		AND NOT EXISTS (SELECT FROM f g WHERE g.kind = 'grant' AND g.must ->> 'pattern_name' = f.must ->> 'pattern_name' AND g.must ->> 'role' = 'public')
	UNION ALL
	-- what comes
	SELECT k.step, f.n, f.object, 'add', CASE WHEN f.change = 'change' THEN dynamo_internal.model_difference(f.was_form, f.must_form) END,
		CASE WHEN f.kind IN ('view', 'access pattern') THEN dynamo_internal.in_schema(c.made, COALESCE(f.must ->> 'schema_name', p.schema_name)) ELSE c.made END,
		CASE WHEN f.kind IN ('index', 'vector index', 'unique constraint', 'reference') THEN w.items ELSE 0 END,
		CASE WHEN f.kind IN ('index', 'vector index', 'unique constraint', 'reference') THEN w.bytes ELSE 0 END,
		dynamo_internal.model_locks(f.kind, 'add', l.large), CASE WHEN c.made IS NULL THEN format('there is no privilege "%s"', f.must ->> 'privilege')
			WHEN f.kind = 'entity' THEN (SELECT s.problem FROM stray s WHERE s.name = f.name)
			WHEN f.kind = 'grant' AND o.kind IS NOT NULL AND NOT EXISTS (SELECT FROM f e WHERE e.kind = o.kind AND e.must IS NOT NULL AND e.name = o.name)
			THEN format('the document has no %s "%s"', o.kind, o.name) END
	FROM f CROSS JOIN place p CROSS JOIN whole w CROSS JOIN large l JOIN dynamo_internal.model_kinds() k ON k.kind = f.kind
		CROSS JOIN LATERAL (SELECT dynamo_internal.model_create(f.kind, f.name, CASE WHEN f.kind IN ('copy', 'total') AND w.items > 0
			THEN dynamo_internal.with_member(f.must, 'fill', 'false') ELSE f.must END, p.call_name, p.sql_name, p.schema_name) AS made OFFSET 0) c
		CROSS JOIN LATERAL (SELECT CASE WHEN f.must ->> 'view_name' IS NOT NULL THEN 'view' WHEN f.must ->> 'pattern_name' IS NOT NULL THEN 'access pattern' END AS kind,
			concat(f.must ->> 'schema_name' || '.', COALESCE(f.must ->> 'view_name', f.must ->> 'pattern_name')) AS name WHERE f.kind = 'grant'
			UNION ALL SELECT NULL, NULL WHERE f.kind <> 'grant') o
	WHERE f.comes AND NOT (p.relation IS NULL AND (f.kind = 'index' OR f.kind = 'option' AND f.name = 'fillfactor'))
	UNION ALL
	-- items of new entities that are there, and of changed ones
	SELECT 31, f.n, f.object, 'apply', 'composes the keys of its items', format('SELECT dynamo.apply_entity(%L, %L, NULL)', p.call_name, f.name),
		s.items, s.bytes, dynamo_internal.model_locks(f.kind, 'apply', false), NULL
	FROM f JOIN size s ON s.entity = f.name CROSS JOIN place p
	WHERE f.kind = 'entity' AND EXISTS (SELECT FROM entity e WHERE e.name = f.name AND e.shifts AND NOT e.migrates)
	UNION ALL
	SELECT 31, f.n, f.object, 'apply', 'composes the keys of items that are there', format('SELECT dynamo.apply_entity(%L, %L, NULL)', p.call_name, f.name),
		w.items, w.bytes, dynamo_internal.model_locks(f.kind, 'apply', false), NULL
	FROM f CROSS JOIN place p CROSS JOIN whole w
	WHERE f.kind = 'entity' AND f.change = 'add' AND w.items > 0
	UNION ALL
	-- and of those of whose older items a pattern does not know that they have the keys that it reads
	SELECT 31, f.n, f.object, 'apply', 'composes the keys of items that are there', format('SELECT dynamo.apply_entity(%L, %L, NULL)', p.call_name, f.name),
		w.items, w.bytes, dynamo_internal.model_locks(f.kind, 'apply', false), NULL
	FROM f CROSS JOIN place p CROSS JOIN whole w
	WHERE f.kind = 'entity' AND f.must IS NOT NULL AND (f.change = 'keep' OR NOT f.moves AND NOT f.shifts)
		AND CASE WHEN EXISTS (SELECT FROM stale s WHERE s.declared -> 'entities' ? f.name AND s.declared ->> 'index' IS NOT NULL)
			THEN NOT dynamo.describe_entity(p.call_name, f.name) ?| '{composed,applied}' ELSE false END
	UNION ALL
	SELECT 54, f.n, f.object, 'repair', 'of the items that are there', format('SELECT dynamo.repair_copies(%L, %L, NULL)', p.call_name, f.name),
		s.items, s.bytes, dynamo_internal.model_locks(f.kind, 'repair', false), NULL
	FROM f JOIN size s ON s.entity = f.must ->> CASE f.kind WHEN 'copy' THEN 'child' ELSE 'parent' END CROSS JOIN place p
	WHERE f.kind IN ('copy', 'total') AND f.comes
	UNION ALL
	-- what changes in place
	SELECT 30, f.n, f.object, 'change', NULL, NULL, 0, 0, NULL, s.problem
	FROM f JOIN stray s ON s.name = f.name WHERE f.kind = 'entity' AND f.change = 'keep'
	UNION ALL
	SELECT 30, e.n, e.object, 'change', dynamo_internal.model_difference(e.was_form, e.must_form), c.made, CASE WHEN e.migrates THEN e.items ELSE 0 END,
		CASE WHEN e.migrates THEN e.bytes ELSE 0 END, dynamo_internal.model_locks('entity', CASE WHEN e.migrates THEN 'migrate' ELSE 'change' END, false),
		CASE WHEN EXISTS (SELECT FROM stray s WHERE s.name = e.name) THEN (SELECT s.problem FROM stray s WHERE s.name = e.name)
			WHEN c.made IS NULL THEN format('%s items have the former type attribute, and no function gives them another', e.items)
			WHEN e.migrates THEN 'moves items in the background: execute this statement alone, and apply the model when dynamo.migrations says complete' END
	FROM entity e CROSS JOIN place p CROSS JOIN LATERAL (SELECT CASE WHEN e.migrates THEN
			(SELECT dynamo_internal.call_statement('migrate_entity', p.call_name, CASE WHEN e.is_named_anew
				THEN json_build_object('entity_name', e.name, 'type_value', COALESCE(e.must ->> 'type_value', e.name))
				ELSE json_build_object('entity_name', e.name, 'keys', e.must -> 'keys') END)
			 WHERE e.was_form -> 'type_attribute' IS NOT DISTINCT FROM e.must_form -> 'type_attribute')
		ELSE dynamo_internal.call_statement('create_entity', p.call_name, dynamo_internal.with_member(dynamo_internal.with_member(e.must, 'view_name', 'null'), 'replace', 'true')) END AS made) c
	UNION ALL
	SELECT 22, f.n, f.object, 'change', dynamo_internal.model_difference(f.was_form, f.must_form), dynamo_internal.model_change_index(p.call_name, f.name, f.was_form, f.must_form),
		w.items, w.bytes, dynamo_internal.model_locks(f.kind, 'change', l.large), NULL
	FROM f CROSS JOIN place p CROSS JOIN whole w CROSS JOIN large l
	WHERE f.kind = 'index' AND f.change = 'change' AND NOT f.goes
	UNION ALL
	SELECT 21, f.n, f.object, 'change', dynamo_internal.model_difference(f.was_form, f.must_form),
		dynamo_internal.model_create(f.kind, f.name, f.must, p.call_name, p.sql_name, p.schema_name), 0, 0, dynamo_internal.model_locks(f.kind, 'change', false), NULL
	FROM f CROSS JOIN place p WHERE f.kind = 'option' AND f.change = 'change'
	UNION ALL
	-- access patterns know what they were made of
	SELECT 60, f.n, f.object, CASE f.change WHEN 'change' THEN 'change' ELSE 'declare anew' END,
		COALESCE(dynamo_internal.model_difference(f.was_form, f.must_form), s.problem, 'entities or its index change'),
		dynamo_internal.in_schema(dynamo_internal.call_statement('create_access_pattern', p.call_name, dynamo_internal.with_member(f.must, 'replace', 'true')),
			COALESCE(f.must ->> 'schema_name', p.schema_name)), 0, 0, 'none', NULL
	FROM f CROSS JOIN place p LEFT JOIN stale s ON f.kind = 'access pattern' AND s.name = f.name
	WHERE f.kind = 'access pattern' AND f.must IS NOT NULL AND NOT f.comes
		AND (f.change = 'change' OR s.name IS NOT NULL OR EXISTS (SELECT FROM f o WHERE o.kind = 'entity' AND (o.goes OR o.comes OR o.shifts)
				OR o.kind = 'entity' AND o.change = 'change' AND NOT o.moves AND o.was_form -> 'attributes' <> o.must_form -> 'attributes'
					AND EXISTS (SELECT FROM f v WHERE v.kind = 'view' AND v.name = f.must ->> 'view_name' AND v.must ->> 'entity_name' = o.name)
				-- parameters have the types of attributes
				OR o.kind = 'entity' AND o.change = 'change' AND NOT o.moves AND COALESCE(f.must::jsonb -> 'entities' ? o.name, true)
					AND EXISTS (SELECT FROM jsonb_each(o.must_form -> 'attributes') a
								WHERE (o.was_form -> 'attributes' ? a.key OR o.was_form -> 'attributes' = '{}')
									AND a.value -> 'type' IS DISTINCT FROM o.was_form #> ARRAY['attributes', a.key, 'type'])
				OR o.kind = 'index' AND o.change = 'change' AND o.name = f.must ->> 'index_name')))
SELECT s.step, s.n, s.object, s.change, s.detail, s.statement, s.items, s.bytes, s.locks, s.problem FROM step s;
END;
COMMENT ON FUNCTION dynamo_internal.plan_table(json, text) IS 'returns the steps from a table as it is to what a document says';

-- Planned with the statement that calls it (src/design/model.c).
CREATE FUNCTION dynamo_system.plan_of_model(document json, table_name text, OUT step bigint, OUT model_table text, OUT object text, OUT change text, OUT detail text,
	OUT statement text, OUT items bigint, OUT bytes bigint, OUT locks text, OUT problem text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT row_number() OVER (ORDER BY s.step, n.n, s.part, s.object COLLATE "C", s.statement COLLATE "C"), n.name, s.object, s.change, s.detail, s.statement, s.items, s.bytes, s.locks, s.problem
FROM (SELECT t.t, t.n, COALESCE($2, t.t ->> 'table_name') AS name FROM dynamo_internal.model_of_document($1, $2) WITH ORDINALITY t(t, n)) n
	CROSS JOIN LATERAL dynamo_internal.plan_table(n.t, n.name) s
ORDER BY 1;
END;
COMMENT ON FUNCTION dynamo_system.plan_of_model(json, text) IS 'returns what dynamo.plan_model does, with a plan for each call';

CREATE FUNCTION dynamo.plan_model(document json, table_name text DEFAULT NULL, OUT step bigint, OUT model_table text, OUT object text, OUT change text, OUT detail text,
	OUT statement text, OUT items bigint, OUT bytes bigint, OUT locks text, OUT problem text) RETURNS SETOF record
	LANGUAGE C STABLE
	SET quote_all_identifiers = off SET jit = off
	AS 'MODULE_PATHNAME', 'dynamo_plan_model';
COMMENT ON FUNCTION dynamo.plan_model(json, text) IS
	'compares a document of dynamo.export_model with what is there; returns the statements that make the difference, in their order, with what each costs';

CREATE FUNCTION dynamo.apply_model(document json, table_name text DEFAULT NULL) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_apply_model';
COMMENT ON FUNCTION dynamo.apply_model(json, text) IS
	'executes the statements of dynamo.plan_model until nothing differs; returns their number';
