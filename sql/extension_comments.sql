-- every object of the extension has a comment; types of arrays and of rows need none
SELECT pg_describe_object(classid, objid, 0) AS "without a comment"
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo')
	AND deptype = 'e' AND obj_description(objid, classid::regclass::name) IS NULL
	AND NOT (classid = 'pg_class'::regclass AND (SELECT relkind FROM pg_class WHERE oid = objid) NOT IN ('r', 'v'))
	AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory = 'A' OR typrelid <> 0 FROM pg_type WHERE oid = objid))
ORDER BY 1;
