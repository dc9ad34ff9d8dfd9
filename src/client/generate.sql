/*
 * generate.sql
 *	  The languages, and dynamo.generate_client.
 */

CREATE FUNCTION dynamo_internal.client_language(language text) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT CASE dynamo_internal.client_language_known($1, '{typescript,typescript-pg,python,python-psycopg,go,zod,json-schema}'::text[])
	WHEN 'typescript' THEN dynamo_internal.client_typescript('{"aws": true}')
	WHEN 'typescript-pg' THEN dynamo_internal.client_typescript('{"pg": true}')
	WHEN 'python' THEN dynamo_internal.client_python('{"aws": true}')
	WHEN 'python-psycopg' THEN dynamo_internal.client_python('{"pg": true}')
	WHEN 'go' THEN dynamo_internal.client_go('{"aws": true}')
	WHEN 'zod' THEN dynamo_internal.client_zod()
	WHEN 'json-schema' THEN dynamo_internal.client_json_schema() END;
END;
COMMENT ON FUNCTION dynamo_internal.client_language(text) IS 'returns the data and the template of a language';

CREATE FUNCTION dynamo_internal.client_of_document(document json, checksum text, schema_name text, language text) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT dynamo_internal.client_text(l.l ->> 'template', (l.l -> 'options') || jsonb_build_object('table', t.t ->> 'table_name', 'schema', $3, 'checksum', $2, 'language', $4,
	'partition_key', t.t ->> 'partition_key', 'package', replace((dynamo_internal.client_names('snake', dynamo_internal.client_texts(l.l #> '{reserved,package}'), ARRAY[t.t ->> 'table_name']))[1], '_', ''), 'client', (SELECT n.made FROM dynamo_internal.client_made_names(t.t, l.l, 'type') n WHERE n.role = 'client'),
	'comment', concat('Items of the entities, made by dynamo.generate_client; checksum of the model: ', $2), 'entities', e.e, 'has_entities', jsonb_array_length(e.e) > 0, 'patterns', dynamo_internal.client_patterns(t.t, l.l, e.e)))
FROM dynamo_internal.client_language($4) l(l) CROSS JOIN LATERAL (SELECT $1 #> '{tables,0}' AS t) t CROSS JOIN LATERAL dynamo_internal.client_entities(t.t, l.l) e(e);
END;
COMMENT ON FUNCTION dynamo_internal.client_of_document(json, text, text, text) IS 'returns a typed client of the table in a document of dynamo.export_model';

CREATE FUNCTION dynamo.generate_client(table_name regclass, language text) RETURNS text
	LANGUAGE sql STABLE
	SET jit = off
	BEGIN ATOMIC
SELECT dynamo_internal.client_of_document(dynamo.export_model($1), dynamo.model_checksum($1), t.schema_name, $2)
FROM dynamo.tables t WHERE t.relation = $1;
END;
COMMENT ON FUNCTION dynamo.generate_client(regclass, text) IS
	'returns a program, as text, with the types of a table''s entities and functions for them and for its access patterns; in typescript, python, go, zod and others';

CREATE FUNCTION dynamo.generate_client(table_name text, language text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
SELECT dynamo.generate_client(dynamo.table_relation($1), $2);
END;
COMMENT ON FUNCTION dynamo.generate_client(text, text) IS
	'returns a program, as text, with the types of a table''s entities and functions for them and for its access patterns; in typescript, python, go, zod and others';
