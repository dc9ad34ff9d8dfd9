-- Every object of the extension has a comment; array types and row types need none
SELECT pg_describe_object(classid, objid, 0) AS "without a comment"
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo')
	AND deptype = 'e' AND obj_description(objid, classid::regclass::name) IS NULL
	AND NOT (classid = 'pg_class'::regclass AND (SELECT relkind FROM pg_class WHERE oid = objid) NOT IN ('r', 'v'))
	AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory = 'A' OR typrelid <> 0 FROM pg_type WHERE oid = objid))
ORDER BY 1;

-- the schema that users see contains no internal functions
SELECT p.oid::regprocedure AS internal
FROM pg_proc p
WHERE pronamespace = 'dynamo'::regnamespace AND (prorettype IN ('internal'::regtype, 'cstring'::regtype, 'event_trigger'::regtype)
	OR EXISTS (SELECT FROM pg_operator WHERE oprcode = p.oid) OR EXISTS (SELECT FROM pg_cast WHERE castfunc = p.oid)
	OR EXISTS (SELECT FROM pg_amproc WHERE amproc = p.oid));
SELECT oid::regclass AS internal FROM pg_class WHERE relnamespace = 'dynamo'::regnamespace AND relkind = 'r';

