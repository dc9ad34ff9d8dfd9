/*
 * help.sql
 *	  dynamo.help: what there is, from the comments and arguments of functions and views.  make
 *	  puts this file into the install script, where dynamo--1.0.sql names it.
 */
CREATE FUNCTION dynamo.help(name text DEFAULT NULL, OUT object text, OUT arguments text, OUT description text, OUT page text) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
WITH wanted AS (SELECT lower(regexp_replace(btrim(COALESCE($1, '')), '^dynamo[.]|[(].*$', '', 'gi')) AS word),
object AS (
	SELECT p.proname::text AS name, 'function' AS kind, regexp_replace(regexp_replace(replace(pg_get_function_arguments(p.oid), 'dynamo_internal.json_text', 'json'),
			'::[a-z_. ]+([[][]])?', '', 'g'), '(^|, )IN ', concat(chr(92), '1'), 'g') AS arguments, obj_description(p.oid, 'pg_proc') AS description,
		   p.prokind = 'a' AS other
	FROM pg_proc p
	WHERE p.pronamespace = 'dynamo'::regnamespace AND p.prorettype <> 'trigger'::regtype
		-- not what implements types, operators, casts and indexes, nor what takes a regclass for a name
		AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)
		AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid)
		AND NOT EXISTS (SELECT FROM pg_amproc m WHERE m.amproc = p.oid)
		AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend, t.typsubscript, t.typanalyze))
		AND 'internal'::regtype <> ALL (p.proargtypes::oid[])
		AND (p.pronargs = 0 OR p.proargtypes[0] <> 'regclass'::regtype
			 OR NOT EXISTS (SELECT FROM pg_proc q WHERE q.pronamespace = p.pronamespace AND q.proname = p.proname AND q.pronargs = p.pronargs AND q.proargtypes[0] = 'text'::regtype))
	UNION ALL
	SELECT c.relname::text, 'view', (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0),
		   obj_description(c.oid, 'pg_class'), false
	FROM pg_class c WHERE c.relnamespace = 'dynamo'::regnamespace AND c.relkind = 'v')
SELECT 'dynamo.' || o.name, o.arguments, o.description, 'docs/functions.md#' || lower(left(o.name, 1))
FROM object o CROSS JOIN wanted w
WHERE w.word = '' OR o.name = w.word
	OR NOT EXISTS (SELECT FROM object x WHERE x.name = w.word) AND (strpos(o.name, w.word) > 0 OR strpos(lower(o.description), w.word) > 0)
ORDER BY o.name COLLATE "C", o.arguments COLLATE "C";
END;
COMMENT ON FUNCTION dynamo.help(text) IS 'returns the functions and views with a name, or whose names or descriptions contain a word; all without one';
