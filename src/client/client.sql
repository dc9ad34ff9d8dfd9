/*
 * client.sql
 *	  dynamo.generate_client: typed clients, made of the document of a model and of nothing
 *	  else.  make puts this file, and those of the languages, into the install script.
 *
 * The document becomes a description of a client: entities, attributes and access patterns
 * with names and types of the language.  The file of a language has its data (styles of names,
 * reserved words, types) and its template (client.h), in one function.
 */

CREATE FUNCTION dynamo_internal.client_text(template text, description jsonb) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_client_text';
COMMENT ON FUNCTION dynamo_internal.client_text(text, jsonb) IS 'fills in a template of a client';

CREATE FUNCTION dynamo_internal.client_names(style text, reserved text[], names text[]) RETURNS text[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_client_names';
COMMENT ON FUNCTION dynamo_internal.client_names(text, text[], text[]) IS 'returns names in a program, all different, for any names';

CREATE FUNCTION dynamo_internal.client_parts(template text) RETURNS text[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_client_parts';
COMMENT ON FUNCTION dynamo_internal.client_parts(text) IS 'returns the attributes that a template names, each after a letter for what it is';

CREATE FUNCTION dynamo_internal.client_language_known(language text, known text[]) RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_client_language_known';
COMMENT ON FUNCTION dynamo_internal.client_language_known(text, text[]) IS 'returns a language if clients can be generated in it; otherwise an error';

-- ---- kinds of values ----

-- What the generated code does with values of an SQL type; followed by [] for lists.
CREATE FUNCTION dynamo_internal.client_kind(type_name text) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN $1 IS NULL THEN 'any' ELSE concat(CASE
	WHEN b.base IN ('text', 'varchar', 'character varying', 'char', 'character', 'bpchar', 'name', 'uuid', 'date', 'interval', 'citext', 'inet', 'cidr')
		OR b.base ~ '^time(stamp)?(tz)?( with(out)? time zone)?$' THEN 'text'
	WHEN b.base IN ('int', 'integer', 'int4', 'smallint', 'int2') THEN 'int'
	WHEN b.base IN ('bigint', 'int8') THEN 'bigint'
	WHEN b.base IN ('numeric', 'decimal') THEN 'numeric'
	WHEN b.base IN ('real', 'float4', 'float8', 'double precision', 'float') THEN 'float'
	WHEN b.base IN ('boolean', 'bool') THEN 'bool'
	WHEN b.base = 'bytea' THEN 'binary'
	ELSE 'any' END, CASE WHEN $1 ~ '[]]$' THEN '[]' END) END
FROM (SELECT regexp_replace(regexp_replace(btrim(lower($1)), '([[][0-9]*[]])+$', ''), ' *[(][^)]*[)]', '') AS base) b;
END;
COMMENT ON FUNCTION dynamo_internal.client_kind(text) IS 'returns the kind of values of an SQL type in generated clients';

-- The entry of a map of kinds; lists have the format "list".
CREATE FUNCTION dynamo_internal.client_of_kind(map jsonb, kind text) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE WHEN right($2, 2) = '[]' THEN replace($1 ->> 'list', '%s', $1 ->> left($2, -2)) ELSE $1 ->> $2 END;
END;
COMMENT ON FUNCTION dynamo_internal.client_of_kind(jsonb, text) IS 'returns what a language has for a kind of values';

CREATE FUNCTION dynamo_internal.client_texts(list jsonb) RETURNS text[]
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT ARRAY(SELECT jsonb_array_elements_text($1));
END;
COMMENT ON FUNCTION dynamo_internal.client_texts(jsonb) IS 'returns a list of texts as an array';

-- ---- entities ----

-- The attributes of an entity: those declared, in their order, then those that only its keys name.
CREATE FUNCTION dynamo_internal.client_attributes(model_table json, entity json, OUT n bigint, OUT name text, OUT kind text, OUT declared json,
	OUT key_n bigint, OUT kept boolean) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH key AS (SELECT k.n, k.attribute, k.attribute_type, $2 -> 'keys' ->> k.attribute AS template
	FROM (VALUES (1, $1 ->> 'partition_key', $1 ->> 'partition_key_type'), (2, $1 ->> 'sort_key', $1 ->> 'sort_key_type')) k(n, attribute, attribute_type)
	WHERE k.attribute IS NOT NULL),
part AS (
	SELECT right(p.p, -1) AS name, left(p.p, 1) AS letter, COALESCE(k.n, 3) AS rank, row_number() OVER (ORDER BY COALESCE(k.n, 3), t.n, p.n) AS n, k.n IS NOT NULL AS of_key
	FROM json_each_text($2 -> 'keys') WITH ORDINALITY t(attribute, template, n) LEFT JOIN key k ON k.attribute = t.attribute
		CROSS JOIN LATERAL unnest(dynamo_internal.client_parts(t.template)) WITH ORDINALITY p(p, n)
	UNION ALL
	SELECT k.attribute, k.attribute_type, k.n, 1000 + k.n, true FROM key k WHERE k.template IS NULL),
named AS (SELECT DISTINCT ON (p.name) p.name, p.letter, p.n, p.rank, p.of_key FROM part p ORDER BY p.name, p.rank, p.n),
declared AS (SELECT a.n, a.name, CASE json_typeof(a.declared) WHEN 'string' THEN json_build_object('type', a.declared #>> '{}') ELSE a.declared END AS declared
	FROM json_each($2 -> 'attributes') WITH ORDINALITY a(name, declared, n)),
entry AS (
	SELECT d.n, d.name, d.declared, p.letter, CASE WHEN p.of_key THEN p.rank * 100000 + p.n END AS key_n FROM declared d LEFT JOIN named p ON p.name = d.name
	UNION ALL
	SELECT 100000 + p.n, p.name, '{}'::json, p.letter, CASE WHEN p.of_key THEN p.rank * 100000 + p.n END FROM named p
	WHERE NOT EXISTS (SELECT FROM declared d WHERE d.name = p.name))
SELECT row_number() OVER (ORDER BY e.n), e.name, CASE WHEN e.declared ->> 'type' IS NOT NULL THEN dynamo_internal.client_kind(e.declared ->> 'type')
		ELSE CASE e.letter WHEN 'S' THEN 'text' WHEN 'I' THEN 'int' WHEN 'N' THEN 'numeric' WHEN 'B' THEN 'binary' ELSE 'any' END END,
	e.declared, e.key_n,
	EXISTS (SELECT FROM json_array_elements($1 -> 'copies') c WHERE c ->> 'child' = $2 ->> 'entity_name' AND c -> 'attributes' -> e.name IS NOT NULL)
	OR EXISTS (SELECT FROM json_array_elements($1 -> 'totals') t WHERE t ->> 'parent' = $2 ->> 'entity_name' AND t -> 'totals' -> e.name IS NOT NULL)
FROM entry e
WHERE e.name IS DISTINCT FROM $2 ->> 'type_attribute'
ORDER BY 1;
END;
COMMENT ON FUNCTION dynamo_internal.client_attributes(json, json) IS 'returns the attributes of an entity in a document, with their kinds; key_n orders those of which the table''s key is composed';

CREATE FUNCTION dynamo_internal.client_notes(kind text, declared json, key_n bigint, kept boolean) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT concat_ws(', ', COALESCE($2 ->> 'type', CASE $1 WHEN 'text' THEN 'text' WHEN 'int' THEN 'integer' WHEN 'numeric' THEN 'number' WHEN 'binary' THEN 'binary' ELSE 'any type' END), CASE WHEN $3 IS NOT NULL THEN 'part of the key' WHEN $2 ->> 'required' = 'true' THEN 'required' END,
	CASE WHEN $2 ->> 'read_only' = 'true' THEN 'read-only' END, 'always ' || ($2 ->> 'constant'), 'by default ' || ($2 ->> 'default'),
	'by default made by ' || ($2 ->> 'default_function'), CASE WHEN $2 ->> 'computed' IS NOT NULL THEN 'computed by the database' END,
	CASE WHEN $4 THEN 'kept by the database' END,
	'one of ' || (SELECT string_agg(v.v, ', ' ORDER BY v.n) FROM json_array_elements_text($2 -> 'enum') WITH ORDINALITY v(v, n)));
END;
COMMENT ON FUNCTION dynamo_internal.client_notes(text, json, bigint, boolean) IS 'describes an attribute in a line';

CREATE FUNCTION dynamo_internal.client_entity_attributes(model_table json, entity json, language jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH attribute AS (SELECT a.* FROM dynamo_internal.client_attributes($1, $2) a),
field AS (SELECT f.field, f.n FROM unnest(dynamo_internal.client_names($3 #>> '{styles,field}', dynamo_internal.client_texts($3 #> '{reserved,field}'),
		ARRAY(SELECT a.name FROM attribute a ORDER BY a.n))) WITH ORDINALITY f(field, n)),
flag AS (SELECT a.*, f.field, a.declared -> 'constant' IS NOT NULL AS constant, a.declared -> 'computed' IS NOT NULL AS computed,
		 EXISTS (SELECT FROM attribute b WHERE b.name <> a.name AND strpos(a.declared ->> 'computed', b.name) > 0
			AND strpos(b.declared ->> 'computed', a.name) > 0) AS counterpart,
		 a.declared -> 'default' IS NOT NULL OR a.declared -> 'default_function' IS NOT NULL AS defaults,
		 COALESCE(a.declared ->> 'required' = 'true', false) OR a.key_n IS NOT NULL AS required
	FROM attribute a JOIN field f ON f.n = a.n)
SELECT COALESCE(jsonb_agg(jsonb_build_object('name', a.name, 'field', a.field, 'kind', a.kind,
	'type', dynamo_internal.client_of_kind($3 -> 'types', a.kind), 'input', dynamo_internal.client_of_kind(($3 -> 'types') || ($3 -> 'inputs'), a.kind),
	'optional', dynamo_internal.client_of_kind(CASE WHEN right(a.kind, 2) = '[]' THEN $3 -> 'types' ELSE ($3 -> 'types') || COALESCE($3 -> 'optionals', '{}') END, a.kind), 'nilable', a.kind IN ('any', 'binary') OR right(a.kind, 2) = '[]',
	'codec', dynamo_internal.client_of_kind($3 -> 'codecs', a.kind), 'is_number', a.kind IN ('int', 'bigint', 'numeric', 'float'),
	'enum', CASE WHEN a.kind = 'text' THEN COALESCE((SELECT jsonb_agg(v.v) FROM json_array_elements_text(a.declared -> 'enum') v(v)), '[]') ELSE '[]' END,
	'has_enum', a.kind = 'text' AND a.declared -> 'enum' IS NOT NULL,
	'notes', dynamo_internal.client_notes(a.kind, a.declared, a.key_n, a.kept),
	'present', a.required, 'given', a.required AND NOT (a.defaults OR a.constant OR a.computed OR a.kept), 'writable', NOT (a.constant OR (a.computed AND NOT a.counterpart) OR a.kept),
	'changeable', NOT (a.constant OR (a.computed AND NOT a.counterpart) OR a.kept OR a.key_n IS NOT NULL OR COALESCE(a.declared ->> 'read_only' = 'true', false)),
	'key_n', CASE WHEN NOT a.constant THEN a.key_n END) ORDER BY a.n), '[]')
FROM flag a;
END;
COMMENT ON FUNCTION dynamo_internal.client_entity_attributes(json, json, jsonb) IS 'describes the attributes of an entity for templates';

CREATE FUNCTION dynamo_internal.client_choose(attributes jsonb, member text) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT COALESCE(jsonb_agg(a.a ORDER BY a.n), '[]') FROM jsonb_array_elements($1) WITH ORDINALITY a(a, n) WHERE a.a -> $2 = 'true';
END;
COMMENT ON FUNCTION dynamo_internal.client_choose(jsonb, text) IS 'returns the elements of a list of which a member is true';

-- The names of types, or of methods, of the client, of entities and of access patterns in a program; all of a kind are in one list, so that they differ.
CREATE FUNCTION dynamo_internal.client_made_names(model_table json, language jsonb, kind text, OUT name text, OUT role text, OUT made text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH thing AS (
	SELECT 0::bigint AS n, 'client'::text AS sort, ''::text AS name, $1 ->> 'table_name' AS called
	UNION ALL
	SELECT e.n, 'entity', e.e ->> 'entity_name', e.e ->> 'entity_name' FROM json_array_elements($1 -> 'entities') WITH ORDINALITY e(e, n)
	UNION ALL
	SELECT 1000000 + p.n, 'pattern', concat(p.p ->> 'schema_name', '.', p.p ->> 'pattern_name'), p.p ->> 'pattern_name'
	FROM json_array_elements($1 -> 'access_patterns') WITH ORDINALITY p(p, n)),
wanted AS (
	SELECT t.n, r.n AS r, t.name, r.role, concat(r.before, t.called, r.after) AS wanted
	FROM thing t JOIN (VALUES ('type', 'client', 1, 'client', '', ' Client'),
		('type', 'entity', 1, '', '', ' '), ('type', 'entity', 2, 'Input', '', ' Input'), ('type', 'entity', 3, 'Key', '', ' Key'), ('type', 'entity', 4, 'Changes', '', ' Changes'),
		('type', 'pattern', 1, 'Parameters', '', ' Parameters'),
		('method', 'entity', 1, 'get', 'get ', ''), ('method', 'entity', 2, 'put', 'put ', ''), ('method', 'entity', 3, 'update', 'update ', ''), ('method', 'entity', 4, 'delete', 'delete ', ''), ('method', 'entity', 5, 'check', 'check ', ''),
		('method', 'pattern', 1, 'pattern', '', '')) r(kind, sort, n, role, before, after) ON r.kind = $3 AND r.sort = t.sort),
numbered AS (SELECT w.*, row_number() OVER (ORDER BY w.n, w.r) AS i FROM wanted w)
SELECT w.name, w.role, m.made
FROM numbered w JOIN unnest(dynamo_internal.client_names($2 #>> ARRAY['styles', $3], dynamo_internal.client_texts($2 #> ARRAY['reserved', $3]),
		ARRAY(SELECT x.wanted FROM numbered x ORDER BY x.i))) WITH ORDINALITY m(made, i) ON m.i = w.i;
END;
COMMENT ON FUNCTION dynamo_internal.client_made_names(json, jsonb, text) IS 'returns the names of types or methods in a program';

CREATE FUNCTION dynamo_internal.client_entities(model_table json, language jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH entity AS (SELECT e.n, e.e, e.e ->> 'entity_name' AS name, a.a AS attributes
	FROM json_array_elements($1 -> 'entities') WITH ORDINALITY e(e, n)
		CROSS JOIN LATERAL dynamo_internal.client_entity_attributes($1, e.e, $2) a(a)),
type_name AS (SELECT t.name, jsonb_object_agg(concat('type_', lower(t.role)), t.made) AS names FROM dynamo_internal.client_made_names($1, $2, 'type') t GROUP BY t.name),
method_name AS (SELECT m.name, jsonb_object_agg(concat('method_', m.role), m.made) AS names FROM dynamo_internal.client_made_names($1, $2, 'method') m GROUP BY m.name)
SELECT COALESCE(jsonb_agg(jsonb_build_object('name', e.name, 'attributes', e.attributes,
	'type', e.e ->> 'type_attribute' IS NOT NULL, 'type_attribute', e.e ->> 'type_attribute', 'type_value', COALESCE(e.e ->> 'type_value', e.name),
	'index', e.n - 1, 'count', jsonb_array_length(e.attributes) + 1, 'open', NOT EXISTS (SELECT FROM json_each(e.e -> 'attributes')),
	'key', (SELECT COALESCE(jsonb_agg(a.a ORDER BY (a.a ->> 'key_n')::bigint), '[]') FROM jsonb_array_elements(e.attributes) a(a) WHERE a.a ->> 'key_n' IS NOT NULL),
	'writable', dynamo_internal.client_choose(e.attributes, 'writable'), 'changeable', dynamo_internal.client_choose(e.attributes, 'changeable'),
	'numbers', dynamo_internal.client_choose(dynamo_internal.client_choose(e.attributes, 'changeable'), 'is_number'),
	'required', CASE WHEN e.e ->> 'type_attribute' IS NOT NULL THEN jsonb_build_array(e.e -> 'type_attribute') ELSE '[]' END
		|| (SELECT COALESCE(jsonb_agg(a.a -> 'name' ORDER BY a.n), '[]') FROM jsonb_array_elements(e.attributes) WITH ORDINALITY a(a, n) WHERE a.a -> 'present' = 'true'),
	'has_changeable', EXISTS (SELECT FROM jsonb_array_elements(e.attributes) a(a) WHERE a.a -> 'changeable' = 'true'),
	'has_numbers', EXISTS (SELECT FROM jsonb_array_elements(e.attributes) a(a) WHERE a.a -> 'changeable' = 'true' AND a.a -> 'is_number' = 'true'),
	'ref', concat('#/$defs/', t.names ->> 'type_'),
	'composed', (SELECT COALESCE(jsonb_agg(k.name ORDER BY k.n), '[]') FROM json_each(e.e -> 'keys') WITH ORDINALITY k(name, template, n)
				 WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(e.attributes) a(a) WHERE a.a ->> 'name' = k.name)))
	|| t.names || m.names ORDER BY e.n), '[]')
FROM entity e JOIN type_name t ON t.name = e.name JOIN method_name m ON m.name = e.name;
END;
COMMENT ON FUNCTION dynamo_internal.client_entities(json, jsonb) IS 'describes the entities of a document for templates';

-- ---- access patterns ----

-- What the parameters of an access pattern are compared with, as far as the text of its condition says.
CREATE FUNCTION dynamo_internal.client_compared(condition text, OUT attribute text, OUT parameter text, OUT prefix boolean) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT m[1], m[2], false FROM regexp_matches($1, '([#A-Za-z_][A-Za-z0-9_]*)[A-Za-z0-9_.]*[[:space:]]*(?:=|<>|<=|>=|<|>)[[:space:]]*:([A-Za-z0-9_]+)', 'g') m
UNION ALL
SELECT m[1], p.p, false FROM regexp_matches($1, '([#A-Za-z_][A-Za-z0-9_]*)[A-Za-z0-9_.]*[[:space:]]+between[[:space:]]+:([A-Za-z0-9_]+)[[:space:]]+and[[:space:]]+:([A-Za-z0-9_]+)', 'gi') m CROSS JOIN unnest(m[2:3]) p(p)
UNION ALL
SELECT m[1], p.p, false FROM regexp_matches($1, '([#A-Za-z_][A-Za-z0-9_]*)[A-Za-z0-9_.]*[[:space:]]+in[[:space:]]*[(]([^()]*)[)]', 'gi') m CROSS JOIN LATERAL regexp_split_to_table(regexp_replace(m[2], '[:[:space:]]', '', 'g'), ',') p(p)
UNION ALL
SELECT m[1], m[2], true FROM regexp_matches($1, 'begins_with[[:space:]]*[(][[:space:]]*([#A-Za-z_][A-Za-z0-9_]*)[^,)]*,[[:space:]]*:([A-Za-z0-9_]+)', 'gi') m;
END;
COMMENT ON FUNCTION dynamo_internal.client_compared(text) IS 'returns the attributes with which a condition compares its parameters';

-- The entities of which a pattern returns items; empty: of any.
CREATE FUNCTION dynamo_internal.client_entities_of_pattern(model_table json, pattern json) RETURNS SETOF text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT e.e FROM json_array_elements_text($2 -> 'entities') e(e)
UNION ALL
SELECT v.v ->> 'entity_name' FROM json_array_elements($1 -> 'views') v(v)
WHERE v.v ->> 'view_name' = $2 ->> 'view_name' AND v.v ->> 'entity_name' IS NOT NULL
	AND $2 ->> 'view_name' IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo_internal.client_entities_of_pattern(json, json) IS 'returns the entities of which an access pattern returns items';

-- attributes: of all entities, with the number of each; entities: those of which the pattern returns items.
CREATE FUNCTION dynamo_internal.client_parameters(attributes jsonb, entities text[], pattern json, language jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH condition AS (SELECT concat_ws(' AND ', $3 ->> 'key_condition', $3 ->> 'filter_expression') AS text),
named AS (SELECT m[1] AS name, min(m.n) AS n FROM condition c CROSS JOIN LATERAL regexp_matches(c.text, ':([A-Za-z0-9_]+)', 'g') WITH ORDINALITY m(m, n) GROUP BY 1),
given AS (SELECT g.key AS name, CASE json_typeof(g.value) WHEN 'string' THEN json_build_object('type', g.value #>> '{}') ELSE g.value END AS declared
	FROM json_each($3 -> 'parameters') g(key, value)),
attribute AS (
	SELECT a.name, a.kind, CASE WHEN a.entity = ANY ($2) THEN 1 ELSE 2 END AS rank, a.n
	FROM jsonb_to_recordset($1) a(entity text, n bigint, name text, kind text)
	WHERE $3 -> 'keys' IS NULL
	UNION ALL
	SELECT right(p.p, -1), CASE left(p.p, 1) WHEN 'I' THEN 'int' WHEN 'N' THEN 'numeric' ELSE 'text' END, 3, 0
	FROM json_each_text($3 -> 'keys') k CROSS JOIN LATERAL unnest(dynamo_internal.client_parts(k.value)) p(p)),
compared AS (
	SELECT DISTINCT ON (c.parameter) c.parameter, CASE WHEN c.prefix THEN 'text' ELSE a.kind END AS kind
	FROM condition t CROSS JOIN LATERAL dynamo_internal.client_compared(t.text) c
		CROSS JOIN LATERAL (SELECT CASE WHEN left(c.attribute, 1) = '#' THEN $3 -> 'expression_attribute_names' ->> c.attribute ELSE c.attribute END AS name) x
		LEFT JOIN attribute a ON a.name = x.name
	ORDER BY c.parameter, a.rank NULLS LAST, a.n),
parameter AS (
	SELECT row_number() OVER (ORDER BY g.declared -> 'default' IS NOT NULL, p.n) AS n, p.name, g.declared -> 'default' IS NOT NULL AS optional,
		   COALESCE(CASE WHEN g.declared ->> 'type' IS NOT NULL THEN dynamo_internal.client_kind(g.declared ->> 'type') END,
					concat(COALESCE(c.kind, 'text'), CASE WHEN $3 ->> 'key_condition' ~* concat('[[:space:]]in[[:space:]]*[(][[:space:]]*:', p.name, '[[:space:]]*[)]') THEN '[]' END)) AS kind, g.declared ->> 'type' AS type
	FROM named p LEFT JOIN given g ON g.name = p.name LEFT JOIN compared c ON c.parameter = p.name)
SELECT COALESCE(jsonb_agg(jsonb_build_object('name', p.name, 'field', f.field, 'kind', p.kind, 'optional', p.optional, 'given', NOT p.optional,
	'input', dynamo_internal.client_of_kind(($4 -> 'types') || ($4 -> 'inputs'), p.kind), 'type', dynamo_internal.client_of_kind($4 -> 'types', p.kind), 'optional_type', dynamo_internal.client_of_kind(CASE WHEN right(p.kind, 2) = '[]' THEN $4 -> 'types' ELSE ($4 -> 'types') || COALESCE($4 -> 'optionals', '{}') END, p.kind),
	'nilable', p.kind IN ('any', 'binary') OR right(p.kind, 2) = '[]', 'codec', dynamo_internal.client_of_kind($4 -> 'codecs', p.kind), 'argument', quote_ident(p.name)) ORDER BY p.n), '[]')
FROM parameter p JOIN unnest(dynamo_internal.client_names($4 #>> '{styles,field}', dynamo_internal.client_texts($4 #> '{reserved,field}'),
		ARRAY(SELECT x.name FROM parameter x ORDER BY x.n))) WITH ORDINALITY f(field, n) ON f.n = p.n;
END;
COMMENT ON FUNCTION dynamo_internal.client_parameters(jsonb, text[], json, jsonb) IS 'describes the parameters of an access pattern for templates';

CREATE FUNCTION dynamo_internal.client_patterns(model_table json, language jsonb, entities jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
WITH attribute AS MATERIALIZED (
	SELECT jsonb_agg(jsonb_build_object('entity', e.e -> 'name', 'n', e.n, 'name', a.a -> 'name', 'kind', a.a -> 'kind')) AS list
	FROM jsonb_array_elements($3) WITH ORDINALITY e(e, n) CROSS JOIN LATERAL jsonb_array_elements(e.e -> 'attributes') a(a)),
pattern AS MATERIALIZED (
	SELECT p.n, p.p, concat(p.p ->> 'schema_name', '.', p.p ->> 'pattern_name') AS name, dynamo_internal.client_parameters(a.list, x.names, p.p, $2) AS parameters,
		-- other attributes than those of entities, or only some of them
		p.p ->> 'projection_expression' IS NOT NULL
			OR EXISTS (SELECT FROM json_array_elements($1 -> 'indexes') i WHERE i ->> 'index_name' = p.p ->> 'index_name' AND COALESCE(i ->> 'projection', 'ALL') <> 'ALL') AS partial,
		x.names,
		COALESCE(p.p ->> 'returns', CASE WHEN p.p ->> 'view_name' IS NOT NULL THEN 'rows' ELSE 'items' END) AS returns
	FROM attribute a CROSS JOIN json_array_elements($1 -> 'access_patterns') WITH ORDINALITY p(p, n)
		CROSS JOIN LATERAL (SELECT ARRAY(SELECT dynamo_internal.client_entities_of_pattern($1, p.p)) AS names) x),
found AS (
	SELECT p.*, (SELECT COALESCE(jsonb_agg(jsonb_build_object('type_', e.e -> 'type_', 'name', e.e -> 'name', 'index', e.n - 1,
			'type_attribute', e.e -> 'type_attribute', 'type_value', e.e -> 'type_value') ORDER BY e.n), '[]')
		FROM jsonb_array_elements($3) WITH ORDINALITY e(e, n)
		WHERE NOT p.partial AND (cardinality(p.names) = 0 OR e.e ->> 'name' = ANY (p.names)) AND (cardinality(p.names) = 1 OR e.e -> 'type' = 'true')) AS entities,
		p.partial OR cardinality(p.names) <> 1 OR cardinality(p.names) = 0 AS mixed
	FROM pattern p)
SELECT COALESCE(jsonb_agg(jsonb_build_object('name', p.p ->> 'pattern_name', 'description', COALESCE(p.p ->> 'description', concat('the access pattern ', p.p ->> 'pattern_name')),
	'condition', COALESCE(p.p ->> 'key_condition', ''), 'request', concat('pattern:', p.p ->> 'schema_name' || '.', p.p ->> 'pattern_name'),
	'method', m.made, 'type_parameters', t.made, 'parameters', p.parameters, 'has_parameters', jsonb_array_length(p.parameters) > 0,
	'needs_parameters', EXISTS (SELECT FROM jsonb_array_elements(p.parameters) a(a) WHERE a.a -> 'given' = 'true'),
	'any', NOT p.partial AND cardinality(p.names) = 0, 'union', jsonb_array_length(p.entities) > 0, 'takes_keywords', $2 #> '{options,aws}' = 'true' OR p.returns = 'page' OR jsonb_array_length(p.parameters) > 0,
	'entities', p.entities, 'one', CASE WHEN NOT p.mixed THEN p.entities -> 0 END,
	'other', p.partial OR cardinality(p.names) = 0 OR jsonb_array_length(p.entities) < cardinality(p.names),
	'schema', p.p ->> 'schema_name', 'function', quote_ident(p.p ->> 'pattern_name'), 'own_order', p.p ->> 'max_items' IS NOT NULL,
	'rows', p.returns = 'rows', 'items', p.returns = 'items', 'page', p.returns = 'page', 'document', p.returns = 'document') ORDER BY p.n), '[]')
FROM found p JOIN dynamo_internal.client_made_names($1, $2, 'method') m ON m.name = p.name AND m.role = 'pattern'
	JOIN dynamo_internal.client_made_names($1, $2, 'type') t ON t.name = p.name AND t.role = 'Parameters';
END;
COMMENT ON FUNCTION dynamo_internal.client_patterns(json, jsonb, jsonb) IS 'describes the access patterns of a document for templates';
