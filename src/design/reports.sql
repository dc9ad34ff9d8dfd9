/*
 * reports.sql
 *	  Reports on a design: checks of access patterns, outline, advice, drawing.  make puts this
 *	  file into the install script, where dynamo--1.0.sql names it.
 */

--
-- Access patterns against the data: samples, checks
--

-- Some items: of a large table from a hundred places, so that large collections do not
-- prevail.  Segments that are ranges lead to these places.  Of an index the first ones, for it may have so few partitions that most places
-- have none.
CREATE FUNCTION dynamo_internal.sample_items(table_name regclass, index_name text, items integer) RETURNS SETOF dynamo.item
	LANGUAGE sql STABLE SET dynamo.segment_ranges = on
	BEGIN ATOMIC
SELECT i.item
FROM (SELECT LEAST(100, GREATEST($3 / 10, 1)) AS places,
			 CASE WHEN $2 IS NULL THEN LEAST(COALESCE(t.item_count, 0) / GREATEST($3, 1), 10000)::int4 ELSE 0 END AS times
	  FROM dynamo.tables t WHERE t.relation = $1) t
	CROSS JOIN LATERAL generate_series(0, CASE WHEN t.times > 1 THEN t.places - 1 ELSE 0 END) s(n)
	CROSS JOIN LATERAL (SELECT dynamo.scan($1, index_name => $2, max_items => CASE WHEN t.times > 1 THEN GREATEST($3 / t.places, 1) ELSE $3 END,
		segment => CASE WHEN t.times > 1 THEN s.n * t.times END,
		total_segments => CASE WHEN t.times > 1 THEN t.places * t.times END)) i(item);
END;
COMMENT ON FUNCTION dynamo_internal.sample_items(regclass, text, integer) IS 'returns some items of a table or index';

-- The first items of one kind in a table or index, which may be few among many others.
CREATE FUNCTION dynamo_internal.items_of_kind(table_name regclass, index_name text, entity_name text, items integer) RETURNS SETOF dynamo.item
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT i.item
FROM (SELECT dynamo.scan($1, index_name => $2) AS item OFFSET 0) i
WHERE dynamo.kind_of($1, i.item) = $3
LIMIT $4;
END;
COMMENT ON FUNCTION dynamo_internal.items_of_kind(regclass, text, text, integer) IS 'returns some items of one entity in a table or index';

-- Some items of one kind.  Of a large table only items near the first key that its
-- template allows: no index tells kinds.
CREATE FUNCTION dynamo_internal.some_of_kind(table_name regclass, entity_name text, items integer) RETURNS SETOF dynamo.item
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT i.item
FROM dynamo.tables t CROSS JOIN LATERAL dynamo_internal.items_of_kind($1, NULL, $2, $3) i(item)
WHERE t.relation = $1 AND t.item_count <= 200000
UNION ALL
(SELECT i.item
FROM dynamo.tables t
	JOIN dynamo.entities e ON e.schema_name = t.schema_name AND e.table_name = t.table_name AND e.entity_name = $2
	CROSS JOIN LATERAL (SELECT substring(e.keys ->> t.partition_key FROM '^[^{]+') AS beginning) b
	CROSS JOIN LATERAL (SELECT dynamo.to_value(b.beginning) AS partition, CASE t.sort_key_type WHEN 'S' THEN dynamo.to_value(chr(1))
		WHEN 'N' THEN dynamo.to_value(-1e125) WHEN 'B' THEN dynamo.to_value(decode('00', 'hex')) END AS sort) k
	CROSS JOIN LATERAL (SELECT dynamo.scan($1, max_items => 1000, exclusive_start_key => CASE WHEN t.sort_key IS NULL
		THEN dynamo.build_item(t.partition_key, k.partition) ELSE dynamo.build_item(t.partition_key, k.partition, t.sort_key, k.sort) END)
		WHERE t.item_count > 200000 AND t.partition_key_type = 'S' AND b.beginning IS NOT NULL) i(item)
WHERE t.relation = $1 AND dynamo.kind_of($1, i.item) = $2
LIMIT $3);
END;
COMMENT ON FUNCTION dynamo_internal.some_of_kind(regclass, text, integer) IS 'returns some items of one entity; of a large table those that its keys lead to';

CREATE FUNCTION dynamo_internal.buffers_used() RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dynamo_buffers_used';
COMMENT ON FUNCTION dynamo_internal.buffers_used() IS 'returns the number of buffers that this session has read or found in memory';

CREATE FUNCTION dynamo_internal.refuse_findings(table_name text, findings text) RETURNS boolean
	LANGUAGE C VOLATILE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_refuse_findings';
COMMENT ON FUNCTION dynamo_internal.refuse_findings(text, text) IS 'raises an error with these findings; true if they are null';

-- The patterns of a table that its owner or the caller has declared: those of others
-- say nothing about it.
CREATE FUNCTION dynamo_internal.patterns_of(table_name regclass, caller oid DEFAULT NULL, OUT pattern regproc, OUT declared jsonb) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT f.oid::regproc, p.declared
FROM pg_class c
	JOIN pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_proc f ON f.proowner = c.relowner
		OR CASE WHEN $2 IS NULL THEN pg_has_role(f.proowner, 'USAGE') ELSE pg_has_role($2, f.proowner, 'USAGE') END
	JOIN pg_language l ON l.oid = f.prolang AND l.lanname = 'sql'
	CROSS JOIN LATERAL (SELECT dynamo_internal.access_pattern(f.prosrc) AS declared
						WHERE starts_with(f.prosrc, '/* dynamo access pattern ') OFFSET 0) p
WHERE c.oid = $1::oid AND p.declared ->> 'relation_schema' = n.nspname::text AND p.declared ->> 'relation_name' = c.relname::text
ORDER BY f.proname, f.oid;
END;
COMMENT ON FUNCTION dynamo_internal.patterns_of(regclass, oid) IS 'returns the access patterns of a table that its owner or the caller has declared';

-- Why a pattern is not what would be declared now, or cannot find all items; null if there is no reason.
CREATE FUNCTION dynamo_internal.stale_problem(table_name regclass, declared jsonb) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE WHEN $2 ->> 'changed' IS NOT NULL THEN 'its function is not the one that was declared'
	WHEN $2 ->> 'basis' IS NULL THEN 'it does not tell what it was made of'
	ELSE dynamo_internal.pattern_problem($1, $2 ->> 'basis') END;
END;
COMMENT ON FUNCTION dynamo_internal.stale_problem(regclass, jsonb) IS 'returns why an access pattern must be declared anew';

-- Parameters of a pattern, drawn from an item: parts of keys and attributes.
CREATE FUNCTION dynamo_internal.parameters_of(table_name regclass, declared jsonb, item dynamo.item) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE WHEN $2 -> 'draws' = '[]'::jsonb THEN '{}' ELSE
	(SELECT json_object_agg(a.parameter, CASE WHEN v.value IS NOT NULL THEN format('%s', v.value)::json END)::text
	 FROM (SELECT dynamo.key_parts($1, $3) AS parts OFFSET 0) k
		CROSS JOIN LATERAL jsonb_to_recordset($2 -> 'draws') a(parameter text, attribute text)
		CROSS JOIN LATERAL (SELECT COALESCE(k.parts OPERATOR(dynamo.->) a.attribute, $3 OPERATOR(dynamo.->) a.attribute) AS value) v
	 WHERE a.parameter <> ''
	 HAVING bool_and(v.value IS NOT NULL)) END;
END;
COMMENT ON FUNCTION dynamo_internal.parameters_of(regclass, jsonb, dynamo.item) IS 'returns parameters for an access pattern from an item; NULL if it lacks one';

CREATE FUNCTION dynamo_internal.draw_parameters(table_name regclass, declared jsonb, items dynamo.item[], samples integer) RETURNS SETOF dynamo.item
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT s.parameters::dynamo.item
FROM (SELECT DISTINCT dynamo_internal.parameters_of($1, $2, i.item) AS parameters FROM unnest($3) i(item)) s
WHERE s.parameters IS NOT NULL
ORDER BY md5(s.parameters)
LIMIT $4;
END;
COMMENT ON FUNCTION dynamo_internal.draw_parameters(regclass, jsonb, dynamo.item[], integer) IS 'returns parameters for an access pattern from items';

-- The table and its indexes, with the names of their key attributes.
CREATE FUNCTION dynamo_internal.places_of(table_name regclass, OUT place integer, OUT index_name text, OUT keys text[], OUT projection text, OUT projected text[])
	RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 0, NULL::text, array_remove(ARRAY[t.partition_key, t.sort_key], NULL), 'ALL', NULL::text[]
FROM dynamo.tables t WHERE t.relation = $1
UNION ALL
SELECT row_number() OVER (ORDER BY i.index_name COLLATE "C")::int4, i.index_name, i.partition_key || i.sort_key, i.projection, i.non_key_attributes
FROM dynamo.tables t JOIN dynamo.indexes i ON i.schema_name = t.schema_name AND i.table_name = t.table_name
WHERE t.relation = $1;
END;
COMMENT ON FUNCTION dynamo_internal.places_of(regclass) IS 'returns a table and its indexes';

CREATE FUNCTION dynamo_internal.key_of(table_name regclass, item dynamo.item) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT string_agg($2 OPERATOR(dynamo.->>) k.name, ' / ' ORDER BY k.n)
FROM dynamo_internal.places_of($1) p CROSS JOIN LATERAL unnest(p.keys) WITH ORDINALITY k(name, n) WHERE p.place = 0;
END;
COMMENT ON FUNCTION dynamo_internal.key_of(regclass, dynamo.item) IS 'returns the key of an item for readers';

-- What is wrong with the answer to a request of a table with these key attributes, which is a list in DynamoDB JSON: an item that was
-- not asked for or, if the answer is complete, one that is missing.
CREATE FUNCTION dynamo_internal.answer_problem(keys text[], pattern regproc, parameters dynamo.item, items dynamo.item[], answer json, complete boolean) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH answered AS MATERIALIZED (
	SELECT v.item, concat_ws(' / ', v.item OPERATOR(dynamo.->>) $1[1], v.item OPERATOR(dynamo.->>) $1[2]) AS key
	FROM json_array_elements($5) i CROSS JOIN LATERAL (SELECT i.value::text::dynamo.item AS item OFFSET 0) v),
wanted AS MATERIALIZED (
	SELECT concat_ws(' / ', i.item OPERATOR(dynamo.->>) $1[1], i.item OPERATOR(dynamo.->>) $1[2]) AS key
	FROM unnest($4) i(item)
	WHERE $6 AND dynamo_internal.pattern_meets($2, i.item, $3))
SELECT COALESCE(
	(SELECT format('it returns item %s, which was not asked for', a.key) FROM answered a
	 WHERE NOT dynamo_internal.pattern_meets($2, a.item, $3) ORDER BY a.key LIMIT 1),
	(SELECT format('it does not return item %s', w.key) FROM wanted w
	 WHERE w.key <> ALL (SELECT a.key FROM answered a) ORDER BY w.key LIMIT 1));
END;
COMMENT ON FUNCTION dynamo_internal.answer_problem(text[], regproc, dynamo.item, dynamo.item[], json, boolean) IS 'returns what is wrong with the answer to an access pattern''s request; NULL if nothing is';

-- Each pattern is made into requests, which the caller sends: no function of
-- anybody is called.  The items that it may ask for are those of each of its entities, in its index and, for
-- items that are missing there, in the table; several patterns ask for those of one entity.  json cannot hold U+0000, which items can.
CREATE FUNCTION dynamo_internal.report_check(table_name regclass, strict boolean, samples integer, caller oid,
	OUT pattern regproc, OUT runs integer, OUT items_read bigint, OUT items_returned bigint, OUT bytes bigint,
	OUT capacity_units numeric, OUT buffers bigint, OUT milliseconds numeric, OUT problem text) RETURNS SETOF record
	LANGUAGE sql VOLATILE SET jit = off
	BEGIN ATOMIC
WITH place AS MATERIALIZED (SELECT p.index_name, p.keys FROM dynamo_internal.places_of($1) p),
declared AS MATERIALIZED (
	SELECT p.pattern, p.declared, CASE WHEN p.declared ->> 'index' IS NOT NULL AND p.declared ->> 'index' NOT IN (SELECT i.index_name FROM place i WHERE i.index_name IS NOT NULL) THEN format('index "%s" does not exist', p.declared ->> 'index')
		WHEN p.declared ->> 'changed' IS NOT NULL THEN 'its function is not the one that was declared: declare it anew'
		WHEN p.declared ->> 'basis' IS NULL THEN 'it does not tell what it was made of: declare it anew'
		ELSE dynamo_internal.pattern_problem($1, p.declared ->> 'basis') END AS problem
	FROM dynamo_internal.patterns_of($1, $4) p),
kind AS MATERIALIZED (
	SELECT k.index_name, k.name, ARRAY(SELECT dynamo_internal.items_of_kind($1, k.index_name, k.name, 300)) AS items
	FROM (SELECT DISTINCT i.name AS index_name, e.name
		  FROM declared d CROSS JOIN LATERAL jsonb_array_elements_text(d.declared -> 'entities') e(name)
			CROSS JOIN LATERAL (VALUES (d.declared ->> 'index'), (NULL)) i(name)
		  WHERE d.problem IS NULL) k),
spread AS MATERIALIZED (
	SELECT i.item, dynamo.kind_of($1, i.item) AS kind FROM dynamo_internal.sample_items($1, NULL, 300) i(item)),
sampled AS MATERIALIZED (
	SELECT d.pattern, ARRAY(
		SELECT i.item FROM kind k CROSS JOIN unnest(k.items) i(item)
		WHERE d.declared -> 'entities' ? k.name AND (k.index_name IS NULL OR k.index_name = d.declared ->> 'index')
		UNION ALL SELECT dynamo_internal.sample_items($1, d.declared ->> 'index', 300) WHERE d.declared -> 'entities' = '[]'::jsonb
		UNION ALL SELECT s.item FROM spread s WHERE d.declared -> 'entities' = '[]'::jsonb OR d.declared -> 'entities' ? s.kind) AS items
	FROM declared d WHERE d.problem IS NULL),
run AS MATERIALIZED (
	SELECT d.pattern, m.answer -> 'body' AS body, (m.answer ->> 'status')::int4 AS status, m.buffers,
		   (date_part('epoch', m.ended - m.began) * 1000)::numeric AS milliseconds,
		   dynamo_internal.answer_problem((SELECT p.keys FROM place p WHERE p.index_name IS NULL), d.pattern, parameters, s.items, CASE WHEN d.declared #>> '{request,ProjectionExpression}' IS NULL THEN m.answer
				ELSE dynamo.request_safe('Query', dynamo_internal.whole_items_request(d.pattern, parameters)) END #> '{body,Items}',
				m.answer #> '{body,LastEvaluatedKey}' IS NULL AND d.declared #>> '{arguments,filter_expression}' IS NULL) AS wrong
	FROM declared d
		JOIN sampled s ON s.pattern = d.pattern
		CROSS JOIN LATERAL dynamo_internal.draw_parameters($1, d.declared, s.items, $3) parameters
		CROSS JOIN LATERAL (SELECT dynamo_internal.buffers_used() AS before, clock_timestamp() AS began,
			dynamo.request_safe('Query', ('{"ReturnConsumedCapacity": "TOTAL", '
				|| substr((CASE WHEN d.declared ->> 'told_by' IS NULL THEN dynamo.access_pattern_request(d.pattern, parameters)
					ELSE dynamo_internal.whole_items_request(d.pattern, parameters) END)::text, 2))::json) AS answer,
			clock_timestamp() AS ended, dynamo_internal.buffers_used() AS after OFFSET 0) r
		CROSS JOIN LATERAL (SELECT replace(replace(r.answer::text, repeat(chr(92), 2), '//'),
			concat(chr(92), 'u0000'), '?')::json AS answer, r.began, r.ended, r.after - r.before AS buffers) m
	WHERE m.answer IS NOT NULL),
total AS (
	SELECT r.pattern, count(*)::int4 AS runs, sum((r.body ->> 'ScannedCount')::int8)::int8 AS items_read,
		   sum((r.body ->> 'Count')::int8)::int8 AS items_returned,
		   sum((SELECT sum(dynamo.item_size(i::text::dynamo.item)) FROM json_array_elements(r.body -> 'Items') i))::int8 AS bytes,
		   sum((r.body #>> '{ConsumedCapacity,CapacityUnits}')::numeric) AS capacity_units,
		   sum(r.buffers)::int8 AS buffers, round(sum(r.milliseconds), 3) AS milliseconds,
		   max(r.body ->> 'message') FILTER (WHERE r.status <> 200) AS error, min(r.wrong) AS wrong,
		   bool_or(r.body -> 'LastEvaluatedKey' IS NOT NULL) AS has_more
	FROM run r GROUP BY r.pattern),
checked AS (
	SELECT d.pattern, COALESCE(t.runs, 0) AS runs, t.items_read, t.items_returned, t.bytes, t.capacity_units, t.buffers, t.milliseconds,
		   CASE WHEN d.problem IS NOT NULL THEN d.problem
				WHEN t.runs IS NULL THEN 'no item has values for its parameters'
				WHEN t.error IS NOT NULL THEN t.error
				WHEN t.wrong IS NOT NULL THEN t.wrong
				WHEN t.items_read >= 10 AND t.items_read > (2 * t.items_returned)
				THEN format('of %s items read the filter discards %s', t.items_read, t.items_read - t.items_returned)
				WHEN t.has_more AND d.declared #> '{request,Limit}' IS NULL
				THEN 'one request cannot read all: more than 1 MB' END AS problem
	FROM declared d LEFT JOIN total t ON t.pattern = d.pattern)
SELECT c.pattern, c.runs, c.items_read, c.items_returned, c.bytes, c.capacity_units, c.buffers, c.milliseconds, c.problem
FROM checked c
WHERE NOT $2 OR dynamo_internal.refuse_findings($1::text, (SELECT string_agg(format('%s: %s', f.pattern, f.problem), '; ' ORDER BY f.pattern::text)
													  FROM checked f WHERE f.problem IS NOT NULL))
ORDER BY c.pattern::text;
END;
COMMENT ON FUNCTION dynamo_internal.report_check(regclass, boolean, integer, oid) IS 'returns what dynamo.check_access_patterns returns';

-- The reports on a design run their queries as the owner of the table, if the caller has
-- the rights of the owner.  They are planned anew at each call: compiling the plans would
-- take longer than running them.
CREATE FUNCTION dynamo.check_access_patterns(table_name text, strict boolean DEFAULT false, samples integer DEFAULT 10,
	OUT pattern regproc, OUT runs integer, OUT items_read bigint, OUT items_returned bigint, OUT bytes bigint,
	OUT capacity_units numeric, OUT buffers bigint, OUT milliseconds numeric, OUT problem text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_check_access_patterns';
COMMENT ON FUNCTION dynamo.check_access_patterns(text, boolean, integer) IS
	'tries each access pattern of a table with parameters from its items; returns its cost and problems; strict raises problems as an error';

-- What a key looks like that no template tells: CUSTOMER#*.
CREATE FUNCTION dynamo_internal.key_shape(key text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
SELECT string_agg(
	CASE WHEN p.part ~ '^[A-Z][A-Z_-]*[0-9]+$' THEN regexp_replace(p.part, '[0-9]+$', '*')
		 WHEN p.part ~ '^[A-Z_]+$' AND p.n = 1 THEN p.part
		 WHEN p.part ~ '^[A-Za-z_$]*$' AND p.n % 2 = 1
			AND strpos($1, '#') > 0 THEN p.part
		 ELSE '*' END, '#' ORDER BY p.n)
FROM regexp_split_to_table($1, '#') WITH ORDINALITY p(part, n);
END;
COMMENT ON FUNCTION dynamo_internal.key_shape(text) IS 'returns a key with * in place of the parts that distinguish items';

CREATE FUNCTION dynamo_internal.report_outline(table_name regclass, sample integer, caller oid, OUT entity text, OUT index_name text, OUT key_pattern text,
	OUT attributes text[], OUT items bigint, OUT bytes bigint) RETURNS SETOF record
	LANGUAGE sql STABLE SET jit = off
	BEGIN ATOMIC
WITH drawn AS MATERIALIZED (
	SELECT i.item, dynamo.kind_of($1, i.item) AS kind FROM dynamo_internal.sample_items($1, NULL, $2) i(item)),
scale AS MATERIALIZED (
	SELECT t.item_count, GREATEST(1, t.item_count::numeric / GREATEST((SELECT count(*) FROM drawn), 1)) AS factor
	FROM dynamo.tables t WHERE t.relation = $1),
rare AS MATERIALIZED (
	SELECT e.entity_name
	FROM dynamo.tables t JOIN dynamo.entities e ON e.schema_name = t.schema_name AND e.table_name = t.table_name
		CROSS JOIN LATERAL (SELECT count(*) AS items FROM drawn d WHERE d.kind = e.entity_name) d
	WHERE t.relation = $1 AND (d.items = 0 OR d.items < 30 AND t.item_count <= 200000)),
sampled AS MATERIALIZED (
	SELECT d.item, d.kind, s.factor FROM drawn d CROSS JOIN scale s WHERE NOT EXISTS (SELECT FROM rare r WHERE r.entity_name = d.kind)
	UNION ALL
	SELECT i.item, r.entity_name, 1 FROM rare r CROSS JOIN LATERAL dynamo_internal.some_of_kind($1, r.entity_name, 10000) i(item)),
template AS MATERIALIZED (
	SELECT e.entity_name, k.key, k.value
	FROM dynamo.tables t JOIN dynamo.entities e ON e.schema_name = t.schema_name AND e.table_name = t.table_name
		CROSS JOIN LATERAL jsonb_each_text(e.keys) k
	WHERE t.relation = $1),
placed AS MATERIALIZED (
	SELECT s.kind, s.factor, p.place, p.index_name, p.projection, p.projected, s.item,
		   (SELECT string_agg(format('%s: %s', k.name, COALESCE((SELECT t.value FROM template t WHERE t.entity_name = s.kind AND t.key = k.name),
																 dynamo_internal.key_shape(s.item OPERATOR(dynamo.->>) k.name))), ', ' ORDER BY k.n)
			FROM unnest(p.keys) WITH ORDINALITY k(name, n)) AS key_pattern
	FROM sampled s CROSS JOIN dynamo_internal.places_of($1) p
	WHERE NOT EXISTS (SELECT FROM unnest(p.keys) k(name) WHERE NOT s.item OPERATOR(dynamo.?) k.name))
SELECT p.kind, p.index_name, p.key_pattern,
	   ARRAY(SELECT DISTINCT a.name
			 FROM placed q CROSS JOIN LATERAL dynamo.attribute_names(q.item) a(name)
			 WHERE COALESCE(q.kind, '') = COALESCE(p.kind, '') AND q.place = p.place AND q.key_pattern = p.key_pattern
				AND a.name <> ALL (SELECT unnest(k.keys) FROM dynamo_internal.places_of($1) k)
				AND (p.projection = 'ALL' OR a.name = ANY (p.projected))
			 ORDER BY 1),
	   round(sum(p.factor))::int8,
	   round(sum(dynamo.item_size(p.item) * p.factor))::int8
FROM placed p
GROUP BY p.kind, p.place, p.index_name, p.projection, p.projected, p.key_pattern
ORDER BY p.place, p.kind, p.key_pattern;
END;
COMMENT ON FUNCTION dynamo_internal.report_outline(regclass, integer, oid) IS 'returns what dynamo.outline returns';

CREATE FUNCTION dynamo.outline(table_name text, sample integer DEFAULT 1000, OUT entity text, OUT index_name text, OUT key_pattern text,
	OUT attributes text[], OUT items bigint, OUT bytes bigint) RETURNS SETOF record
	LANGUAGE C STABLE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_outline';
COMMENT ON FUNCTION dynamo.outline(text, integer) IS
	'returns the kinds of items in a table and its indexes from a sample: keys, attributes, number and size';

--
-- Advice: what the data say of a design.  Each rule is a function, which tells
-- severity, object, evidence and SQL that corrects it.
--

-- An index is unread only once others of the table are read, and more often than writes look
-- for their rows: a table that was just filled tells nothing.
CREATE FUNCTION dynamo_internal.advise_unread_index(table_name regclass, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', i.index_name,
	   format('never read, although the table''s other keys are; %s items were written, and the index grew to %s',
			  w.writes, pg_size_pretty(pg_relation_size(dynamo.index_relation(t.relation, i.index_name)))),
	   format('SELECT dynamo.drop_index(%L, %L)', $1, i.index_name)
FROM dynamo.tables t
	JOIN dynamo.indexes i ON i.schema_name = t.schema_name AND i.table_name = t.table_name AND i.storage = 'inline' AND i.status = 'ACTIVE'
	CROSS JOIN LATERAL (SELECT pg_stat_get_tuples_inserted(t.relation) + pg_stat_get_tuples_updated(t.relation) AS writes,
							   pg_stat_get_tuples_deleted(t.relation) AS deletes) w
	CROSS JOIN LATERAL (SELECT sum(pg_stat_get_numscans(x.indexrelid)) AS scans FROM pg_index x WHERE x.indrelid = t.relation::oid) r
WHERE t.relation = $1 AND w.writes >= 1000 AND r.scans - w.writes - w.deletes >= 1000
	AND pg_stat_get_numscans(dynamo.index_relation(t.relation, i.index_name)) = 0;
END;
COMMENT ON FUNCTION dynamo_internal.advise_unread_index(regclass) IS 'rule: an index that is not read';

CREATE FUNCTION dynamo_internal.advise_discarding_pattern(table_name regclass, caller oid, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql VOLATILE
	BEGIN ATOMIC
SELECT 'warning', c.pattern::text, format('its filter discards %s of %s items that it reads and pays for', c.items_read - c.items_returned, c.items_read),
	   format('-- compose a key that begins with what %s filters by, and SELECT dynamo.drop_access_pattern(%L)', c.pattern, c.pattern::text)
FROM dynamo_internal.report_check($1, false, 10, $2) c
WHERE c.items_read >= 10 AND c.items_read > (10 * c.items_returned);
END;
COMMENT ON FUNCTION dynamo_internal.advise_discarding_pattern(regclass, oid) IS 'rule: a filter that discards more than nine of ten items';

CREATE FUNCTION dynamo_internal.advise_stale_pattern(table_name regclass, caller oid, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'error', p.pattern::text, format('it cannot find all items: %s', f.problem),
	   format('-- SELECT dynamo.apply_entity(%L), and declare the pattern anew: dynamo.create_access_pattern with replace => true', $1)
FROM dynamo_internal.patterns_of($1, $2) p
	CROSS JOIN LATERAL (SELECT dynamo_internal.stale_problem($1, p.declared) AS problem OFFSET 0) f
WHERE f.problem IS NOT NULL AND (p.declared ->> 'index' IS NULL OR p.declared ->> 'index' IN (SELECT i.index_name FROM dynamo_internal.places_of($1) i));
END;
COMMENT ON FUNCTION dynamo_internal.advise_stale_pattern(regclass, oid) IS 'rule: an access pattern whose entities or index have changed';

CREATE FUNCTION dynamo_internal.advise_missing_index(table_name regclass, caller oid, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'error', p.pattern::text, format('it reads index "%s", which does not exist', p.declared ->> 'index'),
	   format('SELECT dynamo.create_index(%L, %L, %L%s)', $1, p.declared ->> 'index', p.declared #>> '{request,ExpressionAttributeNames,#_k0}',
			  COALESCE(format(', %L', p.declared #>> '{request,ExpressionAttributeNames,#_k1}'), ''))
FROM dynamo_internal.patterns_of($1, $2) p
WHERE p.declared ->> 'index' IS NOT NULL AND p.declared ->> 'index' NOT IN (SELECT i.index_name FROM dynamo_internal.places_of($1) i WHERE i.index_name IS NOT NULL);
END;
COMMENT ON FUNCTION dynamo_internal.advise_missing_index(regclass, oid) IS 'rule: an access pattern whose index is missing';

-- The most frequent partition of a table or an inline index, by the statistics there are.
CREATE FUNCTION dynamo_internal.largest_partition(table_name regclass, OUT index_name text, OUT partition_value text, OUT share double precision,
	OUT items numeric, OUT bytes numeric) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT p.index_name, ((s.most_common_vals::text)::text[])[1], s.most_common_freqs[1],
	   round((s.most_common_freqs[1] * c.reltuples)::numeric),
	   round((s.most_common_freqs[1] * pg_table_size(c.oid))::numeric)
FROM dynamo_internal.places_of($1) p
	JOIN pg_class c ON c.oid = $1::oid AND c.reltuples > 0
	JOIN pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = p.keys[1] AND s.inherited = (c.relkind = 'p')
WHERE s.most_common_freqs IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo_internal.largest_partition(regclass) IS 'returns the largest partitions of a table and its indexes from statistics';

CREATE FUNCTION dynamo_internal.advise_large_partition(table_name regclass, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT CASE WHEN l.bytes > 10737418240 THEN 'error' ELSE 'warning' END, $1::text,
	   format('partition "%s" has about %s of 100 items, %s', l.partition_value, round((100 * l.share)::numeric), pg_size_pretty(l.bytes)),
	   '-- add a part to the template of the partition key, such as a month {at:date} or a shard {#16:id}'
FROM dynamo_internal.largest_partition($1) l
WHERE l.index_name IS NULL AND (l.bytes > 10737418240 OR l.share >= 0.1 AND l.items >= 1000000);
END;
COMMENT ON FUNCTION dynamo_internal.advise_large_partition(regclass) IS 'rule: a partition that is hot, or larger than 10 GB';

CREATE FUNCTION dynamo_internal.advise_shards(table_name regclass, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', l.index_name, format('partition "%s" has about %s entries of %s', l.partition_value, l.items, pg_size_pretty(l.bytes)),
	   format('SELECT dynamo.change_index(%L, %L, storage => ''table'', shards => %s)', $1, l.index_name,
			  LEAST(GREATEST(ceil(l.bytes / 10737418240), ceil(l.items / 10000000), 2), 1024))
FROM dynamo_internal.largest_partition($1) l
	JOIN dynamo.tables t ON t.relation = $1
	JOIN dynamo.indexes i ON i.schema_name = t.schema_name AND i.table_name = t.table_name AND i.index_name = l.index_name AND i.shards IS NULL
WHERE l.bytes > 10737418240 OR l.share >= 0.1 AND l.items >= 10000000;
END;
COMMENT ON FUNCTION dynamo_internal.advise_shards(regclass) IS 'rule: an index whose largest partition needs shards';

CREATE FUNCTION dynamo_internal.advise_changing_keys(table_name regclass, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', $1::text, format('of %s updates %s changed no key of an index', u.updates, u.hot),
	   '-- keep attributes that change at every update out of the keys of indexes'
FROM dynamo.tables t
	CROSS JOIN LATERAL (SELECT pg_stat_get_tuples_updated(t.relation) AS updates, pg_stat_get_tuples_hot_updated(t.relation) AS hot) u
WHERE t.relation = $1 AND u.updates >= 1000 AND u.hot * 10 < u.updates
	AND EXISTS (SELECT FROM dynamo.indexes i WHERE i.schema_name = t.schema_name AND i.table_name = t.table_name AND i.storage = 'inline');
END;
COMMENT ON FUNCTION dynamo_internal.advise_changing_keys(regclass) IS 'rule: keys of indexes that nearly every update changes';

CREATE FUNCTION dynamo_internal.advise_wide_projection(table_name regclass, caller oid, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'info', i.index_name, format('it has copies of whole items, and its access patterns read only %s', string_agg(DISTINCT a.name, ', ')),
	   format('SELECT dynamo.change_index(%L, %L, projection => ''INCLUDE'', non_key_attributes => %L)', $1, i.index_name, array_agg(DISTINCT a.name))
FROM dynamo.tables t
	JOIN dynamo.indexes i ON i.schema_name = t.schema_name AND i.table_name = t.table_name AND i.storage = 'table' AND i.projection = 'ALL'
	JOIN dynamo_internal.patterns_of($1, $2) p ON p.declared ->> 'index' = i.index_name
	CROSS JOIN LATERAL regexp_split_to_table(p.declared #>> '{request,ProjectionExpression}', ' *, *') e(path)
	CROSS JOIN LATERAL (SELECT split_part(split_part(btrim(e.path), '.', 1), '[', 1) AS name) b
	CROSS JOIN LATERAL (SELECT COALESCE(p.declared #> '{request,ExpressionAttributeNames}' ->> b.name, b.name) AS name) a
WHERE t.relation = $1
	AND NOT EXISTS (SELECT FROM dynamo_internal.patterns_of($1, $2) q
					WHERE q.declared ->> 'index' = i.index_name AND q.declared #> '{request,ProjectionExpression}' IS NULL)
	AND a.name <> ALL (ARRAY[t.partition_key, COALESCE(t.sort_key, '')] || i.partition_key || i.sort_key)
GROUP BY i.index_name;
END;
COMMENT ON FUNCTION dynamo_internal.advise_wide_projection(regclass, oid) IS 'rule: an index that projects more attributes than are read';

CREATE FUNCTION dynamo_internal.advise_large_item(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', dynamo_internal.key_of($1, i.item), format('%s of 409600 bytes, of which attribute "%s" is the largest part', dynamo.item_size(i.item),
		(SELECT e.name FROM dynamo.each(i.item) e ORDER BY dynamo.item_size(dynamo.set_attribute(dynamo.build_item(), e.name, e.value)) DESC LIMIT 1)),
	   '-- divide the item: keep large attributes in items of their own below the same partition key'
FROM unnest($2) i(item)
WHERE dynamo.item_size(i.item) > 307200;
END;
COMMENT ON FUNCTION dynamo_internal.advise_large_item(regclass, dynamo.item[]) IS 'rule: an item close to 400 KB';

CREATE FUNCTION dynamo_internal.advise_time_to_live(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'error', f.attribute, format('%s items of the sample have %s, and never expire', count(*), f.wrong),
	   format('UPDATE %s SET item = dynamo.set_attribute(item, %L, dynamo.to_value(%s)) WHERE %s', f.relation, f.attribute,
			  CASE WHEN f.wrong = 'milliseconds' THEN format('floor((item OPERATOR(dynamo.->>) %L)::numeric / 1000)', f.attribute)
			  ELSE format('floor(extract(epoch FROM (item OPERATOR(dynamo.->>) %L)::timestamptz))', f.attribute) END,
			  CASE WHEN f.wrong = 'milliseconds' THEN format('dynamo.matches(item, ''#t > :t'', ''{":t": {"N": "100000000000"}}'', ''{"#t": %s}'')', to_jsonb(f.attribute))
			  ELSE format('dynamo.value_type(item OPERATOR(dynamo.->) %L) = ''S''', f.attribute) END)
FROM (SELECT t.relation, t.definition ->> 'time_to_live' AS attribute,
			 CASE WHEN dynamo.value_type(i.item OPERATOR(dynamo.->) (t.definition ->> 'time_to_live')) = 'S' THEN 'a string'
			 WHEN dynamo.value_type(i.item OPERATOR(dynamo.->) (t.definition ->> 'time_to_live')) = 'N' THEN CASE WHEN (i.item OPERATOR(dynamo.->>) (t.definition ->> 'time_to_live'))::numeric > 100000000000 THEN 'milliseconds' END END AS wrong
	  FROM dynamo.tables t CROSS JOIN unnest($2) i(item)
	  WHERE t.relation = $1) f
WHERE f.wrong IS NOT NULL
GROUP BY f.relation, f.attribute, f.wrong;
END;
COMMENT ON FUNCTION dynamo_internal.advise_time_to_live(regclass, dynamo.item[]) IS 'rule: times to live that are not in seconds';

-- Sort keys of a sample, with the partition that each is in.
CREATE FUNCTION dynamo_internal.sort_keys(table_name regclass, items dynamo.item[], OUT index_name text, OUT attribute text, OUT partition text, OUT sort text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT p.index_name, p.keys[cardinality(p.keys)], p.place::text || '#' || (i.item OPERATOR(dynamo.->>) p.keys[1]),
	   i.item OPERATOR(dynamo.->>) p.keys[cardinality(p.keys)]
FROM dynamo_internal.places_of($1) p CROSS JOIN unnest($2) i(item)
WHERE cardinality(p.keys) > 1 AND dynamo.value_type(i.item OPERATOR(dynamo.->) p.keys[cardinality(p.keys)]) = 'S'
	AND i.item OPERATOR(dynamo.?) p.keys[1];
END;
COMMENT ON FUNCTION dynamo_internal.sort_keys(regclass, dynamo.item[]) IS 'returns the sort keys of items';

CREATE FUNCTION dynamo_internal.advise_unpadded_number(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT DISTINCT ON (f.attribute) 'error', f.attribute, format('"%s" comes after "%s"', f.before, f.sort),
	   format('-- give the number a width in the template of "%s", such as {n:08}, and SELECT dynamo.apply_entity(%L)', f.attribute, $1)
FROM (SELECT n.attribute, n.sort,
			 lag(n.sort) OVER (PARTITION BY n.attribute, n.partition, n.number[1] ORDER BY n.number[2]::numeric) AS before
	  FROM (SELECT k.attribute, k.partition, k.sort, regexp_match(k.sort, '^(|.*[^0-9])([0-9]{1,18})$') AS number
			FROM dynamo_internal.sort_keys($1, $2) k
			WHERE k.sort !~ '[0-9]{4}-[0-9]{2}-[0-9]{2}') n
	  WHERE n.number IS NOT NULL) f
WHERE f.before COLLATE "C" > f.sort COLLATE "C" AND length(f.before) <> length(f.sort)
ORDER BY f.attribute, f.sort;
END;
COMMENT ON FUNCTION dynamo_internal.advise_unpadded_number(regclass, dynamo.item[]) IS 'rule: numbers in sort keys that do not sort by their values';

CREATE FUNCTION dynamo_internal.advise_uneven_time(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', f.attribute, format('times have different forms: %s', string_agg(DISTINCT f.shape, ', ')),
	   format('-- give the time a format in the template of "%s", such as {at:ms}, and SELECT dynamo.apply_entity(%L)', f.attribute, $1)
FROM (SELECT k.index_name, k.attribute, m.match[1] AS beginning, regexp_replace(m.match[2], '[0-9]', '9', 'g') AS shape
	  FROM dynamo_internal.sort_keys($1, $2) k
		CROSS JOIN LATERAL (SELECT regexp_match(k.sort,
			'^(|.*[^0-9])([0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?)') AS match) m
	  WHERE m.match IS NOT NULL) f
GROUP BY f.index_name, f.attribute, f.beginning
HAVING count(DISTINCT f.shape) > 1;
END;
COMMENT ON FUNCTION dynamo_internal.advise_uneven_time(regclass, dynamo.item[]) IS 'rule: times in sort keys that do not sort by their values';

CREATE FUNCTION dynamo_internal.advise_no_entity(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', dynamo_internal.key_of($1, (array_agg(i.item))[1]), format('%s of %s items in the sample are of no entity', count(*), cardinality($2)),
	   format('-- declare their kind by dynamo.create_entity; SELECT * FROM dynamo.check_entity(%L) lists them', $1)
FROM unnest($2) i(item)
WHERE dynamo.kind_of($1, i.item) IS NULL
	AND EXISTS (SELECT FROM dynamo.tables t WHERE t.relation = $1 AND t.definition -> 'entities' IS NOT NULL)
HAVING count(*) > 0;
END;
COMMENT ON FUNCTION dynamo_internal.advise_no_entity(regclass, dynamo.item[]) IS 'rule: items of no entity';

CREATE FUNCTION dynamo_internal.advise_stale_key(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'error', p.kind, format('%s items in the sample, such as %s: %s', count(*), dynamo_internal.key_of($1, (array_agg(p.item))[1]), min(p.problem)),
	   format('SELECT dynamo.apply_entity(%L, %L)', $1, p.kind)
FROM (SELECT i.item, k.kind, dynamo.entity_problem($1::oid, i.item, k.kind) AS problem
	  FROM unnest($2) i(item) CROSS JOIN LATERAL (SELECT dynamo.kind_of($1, i.item) AS kind OFFSET 0) k
	  WHERE k.kind IS NOT NULL) p
WHERE p.problem IS NOT NULL
GROUP BY p.kind;
END;
COMMENT ON FUNCTION dynamo_internal.advise_stale_key(regclass, dynamo.item[]) IS 'rule: keys that differ from what their entity composes';

CREATE FUNCTION dynamo_internal.housekeeping_problem() RETURNS text
	LANGUAGE C STABLE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dynamo_housekeeping_problem';
COMMENT ON FUNCTION dynamo_internal.housekeeping_problem() IS 'why no worker deletes expired items in this database; NULL if one does';

CREATE FUNCTION dynamo_internal.advise_expiry(table_name regclass, OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT 'warning', t.definition ->> 'time_to_live', format('no worker deletes expired items: %s', p.problem),
	   format('SELECT dynamo.delete_expired(%L) -- regularly, or let the worker run', t.relation)
FROM dynamo.tables t CROSS JOIN dynamo_internal.housekeeping_problem() p(problem)
WHERE t.relation = $1 AND t.definition ->> 'time_to_live' IS NOT NULL AND p.problem IS NOT NULL;
END;
COMMENT ON FUNCTION dynamo_internal.advise_expiry(regclass) IS 'rule: items that expire where no worker runs';

CREATE FUNCTION dynamo_internal.advise_invalid_value(table_name regclass, items dynamo.item[], OUT severity text, OUT object text, OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql VOLATILE
	BEGIN ATOMIC
SELECT 'error', p.kind, format('%s items in the sample, such as %s: %s', count(*), dynamo_internal.key_of($1, (array_agg(p.item))[1]), min(p.problems[1])),
	   format('-- correct the items that SELECT * FROM dynamo.check_entity(%L, %L) lists, and declare the entity with check_types', $1, p.kind)
FROM (SELECT i.item, k.kind, dynamo.type_problems($1::oid, i.item, k.kind) AS problems
	  FROM unnest($2) i(item) CROSS JOIN LATERAL (SELECT dynamo.kind_of($1, i.item) AS kind OFFSET 0) k
	  WHERE k.kind IS NOT NULL) p
WHERE p.problems IS NOT NULL
GROUP BY p.kind;
END;
COMMENT ON FUNCTION dynamo_internal.advise_invalid_value(regclass, dynamo.item[]) IS 'rule: attributes that cannot be cast to the types that their entity declares';

CREATE FUNCTION dynamo_internal.report_advice(table_name regclass, sample integer, caller oid, OUT rule text, OUT severity text, OUT object text,
	OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE sql VOLATILE SET jit = off
	BEGIN ATOMIC
WITH s AS MATERIALIZED (SELECT ARRAY(SELECT dynamo_internal.sample_items($1, NULL, $2)) AS items)
SELECT a.rule, a.severity, a.object, a.evidence, a.fix
FROM (SELECT 'unread index' AS rule, r.* FROM dynamo_internal.advise_unread_index($1) r
	  UNION ALL SELECT 'discarding pattern', r.* FROM dynamo_internal.advise_discarding_pattern($1, $3) r
	  UNION ALL SELECT 'missing index', r.* FROM dynamo_internal.advise_missing_index($1, $3) r
	  UNION ALL SELECT 'stale pattern', r.* FROM dynamo_internal.advise_stale_pattern($1, $3) r
	  UNION ALL SELECT 'large partition', r.* FROM dynamo_internal.advise_large_partition($1) r
	  UNION ALL SELECT 'index without shards', r.* FROM dynamo_internal.advise_shards($1) r
	  UNION ALL SELECT 'changing keys', r.* FROM dynamo_internal.advise_changing_keys($1) r
	  UNION ALL SELECT 'wide projection', r.* FROM dynamo_internal.advise_wide_projection($1, $3) r
	  UNION ALL SELECT 'large item', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_large_item($1, s.items) r
	  UNION ALL SELECT 'time to live', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_time_to_live($1, s.items) r
	  UNION ALL SELECT 'no worker', r.* FROM dynamo_internal.advise_expiry($1) r
	  UNION ALL SELECT 'unpadded number', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_unpadded_number($1, s.items) r
	  UNION ALL SELECT 'uneven time', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_uneven_time($1, s.items) r
	  UNION ALL SELECT 'no entity', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_no_entity($1, s.items) r
	  UNION ALL SELECT 'stale key', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_stale_key($1, s.items) r
	  UNION ALL SELECT 'invalid value', r.* FROM s CROSS JOIN LATERAL dynamo_internal.advise_invalid_value($1, s.items) r) a
ORDER BY array_position('{error,warning,info}'::text[], a.severity), a.rule, a.object, a.evidence;
END;
COMMENT ON FUNCTION dynamo_internal.report_advice(regclass, integer, oid) IS 'returns what dynamo.advise returns';

CREATE FUNCTION dynamo.advise(table_name text, sample integer DEFAULT 1000, OUT rule text, OUT severity text, OUT object text,
	OUT evidence text, OUT fix text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_advise';
COMMENT ON FUNCTION dynamo.advise(text, integer) IS
	'returns problems of a table''s design that the data and statistics show, and the SQL that corrects them';

--
-- A drawing of a table: one HTML document
--

CREATE FUNCTION dynamo_internal.drawing() RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN '<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src ''none''; style-src ''unsafe-inline''; script-src ''unsafe-inline''">
<title>Table design</title>
<style>
:root { color-scheme: light dark; --ink: #1d2330; --back: #fff; --soft: #f1f3f7; --line: #d5dae3; --mute: #667; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --back: #14171d; --soft: #1e232c; --line: #343b48; --mute: #9aa3b2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; color: var(--ink); background: var(--back); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; }
.note { color: var(--mute); margin: 0 0 1rem; }
[role=tablist] { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
[role=tab] { font: inherit; color: inherit; background: none; border: 0; border-bottom: 3px solid transparent; padding: .4rem .8rem; cursor: pointer; }
[role=tab][aria-selected=true] { border-color: #3b7ddd; font-weight: 600; }
table { border-collapse: collapse; margin-bottom: 1.2rem; }
th, td { border: 1px solid var(--line); padding: .3rem .55rem; text-align: left; vertical-align: top; overflow-wrap: break-word; }
th { background: var(--soft); font-weight: 600; }
td.key { font-family: ui-monospace, monospace; font-size: 12.5px; }
td small { display: block; color: var(--mute); }
tr.item > td { background: color-mix(in srgb, hsl(var(--hue) 70% 55%) 13%, var(--back)); }
tr.item > td.kind { border-left: 5px solid hsl(var(--hue) 65% 50%); }
tr.item > td.partition { background: var(--soft); }
.wide { overflow-x: auto; }
.error { color: #c62828; font-weight: 600; } .warning { color: #b26a00; font-weight: 600; } .info { color: #2563a8; font-weight: 600; }
code { font-family: ui-monospace, monospace; font-size: 12.5px; }
@media print { [role=tablist] { display: none; } [role=tabpanel][hidden] { display: block !important; } .wide { overflow: visible; } tr { break-inside: avoid; } }
</style>
</head>
<body>
<h1 id="title"></h1>
<p class="note" id="note"></p>
<div role="tablist" id="tabs"></div>
<div id="panels"></div>
<noscript>This page is drawn by a script in it.</noscript>
<script type="text/plain" id="data">@DATA@</script>
<script>
"use strict";
/* All text is set as text: nothing in the data becomes markup. */
const bytes = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
const data = JSON.parse(new TextDecoder().decode(bytes));

/* A value of DynamoDB JSON as it is shown, and as it is ordered. */
function plain(value) {
  const [type, held] = Object.entries(value)[0];
  return type === "M" ? Object.fromEntries(Object.entries(held).map(([name, v]) => [name, plain(v)])) :
    type === "L" ? held.map(plain) : type === "NULL" ? null : type === "N" ? Number(held) : held;
}
for (const entry of data.items) entry.item = Object.fromEntries(Object.entries(entry.item).map(([name, v]) => [name, plain(v)]));

function make(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties || {});
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

const kinds = [...new Set([...data.entities.map(e => e.entity), ...data.items.map(i => i.kind)])];
const hue = kind => kind === null ? 0 : (kinds.indexOf(kind) * 137 + 210) % 360;

function rows(head, body) {
  return make("div", { className: "wide" }, make("table", null,
    make("thead", null, make("tr", null, ...head.map(h => make("th", { scope: "col", textContent: h })))),
    make("tbody", null, ...body)));
}

function show(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 200 ? text.slice(0, 200) + "…" : text;
}
const cell = (text, className) => make("td", { textContent: text === null || text === undefined ? "" : show(text), className: className || "" });

/* The familiar grid: a partition, its items in order, an attribute in each cell. */
function grid(place) {
  const collections = new Map();
  for (const entry of data.items) {
    if (!place.keys.every(key => Object.hasOwn(entry.item, key))) continue;
    const partition = show(entry.item[place.keys[0]]);
    if (!collections.has(partition)) collections.set(partition, []);
    collections.get(partition).push(entry);
  }
  const sort = place.keys.slice(1);
  const order = (a, b) => { for (const key of sort) { const x = a.item[key], y = b.item[key]; if (x < y) return -1; if (x > y) return 1; } return 0; };
  const body = [];
  for (const [partition, entries] of [...collections].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
    entries.sort(order);
    entries.forEach((entry, n) => {
      const attributes = Object.keys(entry.item).filter(name => !place.keys.includes(name));
      const row = make("tr", { className: "item" },
        n === 0 ? Object.assign(cell(partition, "key partition"), { rowSpan: entries.length }) : null,
        ...sort.map(key => cell(entry.item[key], "key")), cell(entry.kind, "kind"),
        ...attributes.map(name => make("td", null, make("small", { textContent: name }), show(entry.item[name]))));
      row.style.setProperty("--hue", hue(entry.kind));
      body.push(row);
    });
  }
  return body.length === 0 ? make("p", { textContent: "No items in the sample." }) : rows([...place.keys, "entity", "attributes"], body);
}

function chart() {
  const names = [...new Set(data.places.flatMap(p => p.keys))];
  return data.entities.length === 0 ? make("p", { textContent: "The table has no entities." }) :
    rows(["entity", ...names, "in the sample"], data.entities.map(e => {
      const row = make("tr", { className: "item" }, cell(e.entity, "kind"), ...names.map(name => cell((e.keys || {})[name], "key")), cell(e.items));
      row.style.setProperty("--hue", hue(e.entity));
      return row;
    }));
}

function patterns() {
  return data.patterns.length === 0 ? make("p", { textContent: "No access patterns are declared." }) :
    rows(["pattern", "index", "key condition", "filter", "runs", "read", "returned", "capacity units", "ms", "problem"], data.patterns.map(p =>
      make("tr", null, make("td", null, p.pattern, p.description ? make("small", { textContent: p.description }) : null), cell(p.index), cell(p.key, "key"), cell(p.filter, "key"),
        cell(p.runs), cell(p.items_read), cell(p.items_returned), cell(p.capacity_units), cell(p.milliseconds), cell(p.problem, p.problem ? "warning" : ""))));
}

function advice() {
  return data.advice.length === 0 ? make("p", { textContent: "No findings." }) :
    rows(["severity", "rule", "object", "evidence", "what to do"], data.advice.map(a =>
      make("tr", null, cell(a.severity, a.severity), cell(a.rule), cell(a.object), cell(a.evidence), cell(a.fix, "key"))));
}

const panels = [...data.places.map(p => [p.index_name === null ? "Table" : p.index_name, () => grid(p)]),
  ["Entities", chart], ["Access patterns", patterns], ["Advice (" + data.advice.length + ")", advice]];

document.title = data.table;
document.getElementById("title").textContent = data.table;
document.getElementById("note").textContent = data.items.length + " items shown" + (data.redacted ? ", values hidden" : "");
panels.forEach(([name, draw], n) => {
  const tab = make("button", { textContent: name, type: "button", id: "tab" + n });
  const panel = make("section", { id: "panel" + n, hidden: n !== 0 }, make("h2", { textContent: name }), draw());
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-selected", n === 0);
  tab.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  tab.addEventListener("click", () => {
    document.querySelectorAll("[role=tab]").forEach(t => t.setAttribute("aria-selected", t === tab));
    document.querySelectorAll("[role=tabpanel]").forEach(p => { p.hidden = p !== panel; });
  });
  document.getElementById("tabs").append(tab);
  document.getElementById("panels").append(panel);
});
document.documentElement.dataset.drawn = "yes";
</script>
</body>
</html>';
COMMENT ON FUNCTION dynamo_internal.drawing() IS 'returns the document of dynamo.draw without data';

-- On one line and without a backslash, so that COPY writes it as it is.  The data are
-- in base64: none of their characters is one of the document.
CREATE FUNCTION dynamo_internal.report_drawing(table_name regclass, sample integer, redact boolean, caller oid) RETURNS text
	LANGUAGE sql VOLATILE SET jit = off
	BEGIN ATOMIC
WITH drawn AS MATERIALIZED (
	SELECT i.item, dynamo.kind_of($1, i.item) AS kind FROM dynamo_internal.sample_items($1, NULL, $2) i(item)),
sampled AS MATERIALIZED (
	SELECT row_number() OVER () AS n, a.item, a.kind
	FROM (SELECT d.item, d.kind FROM drawn d
		  UNION ALL
		  SELECT i.item, e.entity_name
		  FROM dynamo.tables t JOIN dynamo.entities e ON e.schema_name = t.schema_name AND e.table_name = t.table_name
			CROSS JOIN LATERAL dynamo_internal.some_of_kind($1, e.entity_name, 3) i(item)
		  WHERE t.relation = $1 AND e.entity_name NOT IN (SELECT d.kind FROM drawn d WHERE d.kind IS NOT NULL)) a),
place AS MATERIALIZED (SELECT p.place, p.index_name, p.keys FROM dynamo_internal.places_of($1) p),
hidden AS MATERIALIZED (
	SELECT s.n, e.name, CASE WHEN EXISTS (SELECT FROM place p WHERE e.name = ANY (p.keys))
			THEN concat('#', dense_rank() OVER (PARTITION BY e.name ORDER BY e.value::json::text)) ELSE dynamo.value_type(e.value) END AS shown
	FROM sampled s CROSS JOIN LATERAL dynamo.each(s.item) e WHERE $3),
document AS (
	SELECT json_build_object('table', $1::text, 'redacted', $3,
		'places', (SELECT json_agg(json_build_object('index_name', p.index_name, 'keys', p.keys) ORDER BY p.place) FROM place p),
		'items', (SELECT COALESCE(json_agg(json_build_object('kind', s.kind, 'item', CASE WHEN $3
					THEN (SELECT json_object_agg(h.name, json_build_object('S', h.shown)) FROM hidden h WHERE h.n = s.n)
					ELSE s.item::text::json END) ORDER BY s.n), '[]'::json) FROM sampled s),
		'entities', (SELECT COALESCE(json_agg(json_build_object('entity', e.entity_name, 'keys', e.keys,
					'items', (SELECT count(*) FROM sampled s WHERE s.kind = e.entity_name)) ORDER BY e.entity_name), '[]'::json)
				FROM dynamo.tables t JOIN dynamo.entities e ON e.schema_name = t.schema_name AND e.table_name = t.table_name
				WHERE t.relation = $1),
		'patterns', (SELECT COALESCE(json_agg(json_build_object('pattern', p.pattern::text, 'description', obj_description(p.pattern::oid, 'pg_proc'),
					'index', p.declared ->> 'index', 'key', p.declared ->> 'key', 'filter', p.declared ->> 'filter', 'runs', c.runs,
					'items_read', c.items_read, 'items_returned', c.items_returned, 'capacity_units', c.capacity_units,
					'milliseconds', c.milliseconds, 'problem', c.problem) ORDER BY p.pattern::text), '[]'::json)
				FROM dynamo_internal.patterns_of($1, $4) p
					JOIN dynamo_internal.report_check($1, false, 10, $4) c ON c.pattern::oid = p.pattern::oid),
		'advice', (SELECT COALESCE(json_agg(json_build_object('severity', a.severity, 'rule', a.rule, 'fix', a.fix,
					'object', CASE WHEN NOT $3 THEN a.object END, 'evidence', CASE WHEN NOT $3 THEN a.evidence END)), '[]'::json)
				FROM dynamo_internal.report_advice($1, 1000, $4) a)) AS json)
SELECT replace(replace(dynamo_internal.drawing(), chr(10), ' '), '@DATA@',
			   replace(encode(convert_to(d.json::text, 'UTF8'), 'base64'), chr(10), ''))
FROM document d;
END;
COMMENT ON FUNCTION dynamo_internal.report_drawing(regclass, integer, boolean, oid) IS 'returns the document of dynamo.draw';

CREATE FUNCTION dynamo.draw(table_name text, sample integer DEFAULT 200, redact boolean DEFAULT false) RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dynamo_draw';
COMMENT ON FUNCTION dynamo.draw(text, integer, boolean) IS
	'returns a table and its indexes as a self-contained HTML document: items, entities, access patterns, advice; redact omits values';
