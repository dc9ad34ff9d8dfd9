-- Every object of the extension has a comment; array types and row types need none
SELECT pg_describe_object(classid, objid, 0) AS "without a comment"
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo')
	AND deptype = 'e' AND obj_description(objid, classid::regclass::name) IS NULL
	AND NOT (classid = 'pg_class'::regclass AND (SELECT relkind FROM pg_class WHERE oid = objid) NOT IN ('r', 'v'))
	AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory = 'A' OR typrelid <> 0 FROM pg_type WHERE oid = objid))
ORDER BY 1;

-- the schema that users see contains no functions that only PostgreSQL, triggers, nodes of Citus or what the extension generates call
CREATE FUNCTION pg_temp.is_of_generated(pg_proc) RETURNS boolean LANGUAGE sql AS $$
	SELECT $1.proname ~ '^(entity_filter|is_entity|typed_attribute(_or_null|_restricted)?|prefix_upper|fits_index|vector_sketch|has_type|pattern_(holds|key|list|order))$'
$$;
CREATE FUNCTION pg_temp.is_of_nodes(pg_proc) RETURNS boolean LANGUAGE sql AS $$
	SELECT obj_description($1.oid, 'pg_proc') ~ '(another|this) node of Citus|_on_shard'
		OR $1.proname ~ '_on_shard' OR $1.proargnames[1:$1.pronargs] && '{relation_name,shard_name}'
$$;
SELECT p.oid::regprocedure AS internal
FROM pg_proc p
WHERE pronamespace = 'dynamo'::regnamespace AND (pg_temp.is_of_nodes(p) OR pg_temp.is_of_generated(p)
	OR prorettype IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'event_trigger'::regtype) OR 'internal'::regtype = ANY (proargtypes)
	OR EXISTS (SELECT FROM pg_operator WHERE oprcode = p.oid) OR EXISTS (SELECT FROM pg_cast WHERE castfunc = p.oid)
	OR EXISTS (SELECT FROM pg_amproc WHERE amproc = p.oid));
SELECT oid::regclass AS internal FROM pg_class WHERE relnamespace = 'dynamo'::regnamespace AND relkind = 'r';

-- and all of the schema for them are called by triggers, views, indexes and patterns of users' tables, by nodes of Citus or by statements that C prepares, for every role
SELECT p.oid::regprocedure AS misplaced
FROM pg_proc p
WHERE pronamespace = 'dynamo_system'::regnamespace AND (prorettype <> 'trigger'::regtype AND NOT pg_temp.is_of_nodes(p) AND NOT pg_temp.is_of_generated(p)
		AND obj_description(p.oid, 'pg_proc') !~ 'with a plan for each call'
	OR prosecdef OR NOT has_function_privilege('public', oid, 'EXECUTE') OR NOT has_schema_privilege('public', pronamespace, 'USAGE'));
SELECT pg_describe_object(classid, objid, 0) AS misplaced FROM pg_depend
WHERE refclassid = 'pg_namespace'::regclass AND refobjid = 'dynamo_system'::regnamespace AND classid <> 'pg_proc'::regclass;
