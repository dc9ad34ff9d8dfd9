-- typed clients as text; test/tap/clients.pl checks their types and runs them
SET client_min_messages = warning;
CREATE SCHEMA t_client;
SET search_path = t_client, dynamo;
\set SHOW_CONTEXT never
SELECT create_table('shop', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', '{"customer_id": "text", "name": {"type": "text", "required": true}}', type_attribute => 'kind');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}", "GSI1PK": "{status}", "GSI1SK": "{placed_at:ms}"}',
	'{"customer_id": "text", "order_id": "bigint", "placed_at": {"type": "timestamptz", "read_only": true, "default_function": "now"}, "total": "numeric(20,2)",
	  "status": {"type": "text", "enum": ["OPEN", "PAID"], "default": "OPEN"}, "labels": "text[]", "raw": "bytea", "open": {"type": "boolean", "computed": "status = ''OPEN''"}, "more": {}}',
	type_attribute => 'kind', type_value => 'O', view_name => 'orders');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :customer AND order_id BETWEEN :first AND :last', view_name => 'orders',
	parameters => '{"first": {"default": null}, "last": {"default": null}}', description => 'the orders of a customer */ ''"""');
SELECT create_access_pattern('shop', 'all_of', 'customer_id = :customer', '{customer,order}');
SELECT create_access_pattern('shop', 'in_state', 'status = :status AND placed_at >= :since', '{order}', index_name => 'by_status', filter_expression => 'total > :least',
	parameters => '{"least": "numeric"}', projection_expression => 'total');

-- what is made for this model; what stands before it is the same for all
CREATE FUNCTION made(language text, start text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT line FROM regexp_split_to_table(substring(replace(generate_client('shop', language), model_checksum('shop'), 'CHECKSUM'), '(?:' || start || ').*$'), '\n') line $$;
\pset tuples_only on
\pset format unaligned
SELECT * FROM made('typescript', '// ---- the model ----');
SELECT line FROM made('typescript-pg', '    /[*][*]\n     [*] the orders of') line;
SELECT * FROM made('python', '# ---- the model ----');
SELECT line FROM made('python-psycopg', '    def orders_of') line;
SELECT * FROM made('go', '// ---- the entity customer');
SELECT * FROM made('zod', '^');
SELECT * FROM made('json-schema', '^');
SELECT jsonb_pretty(generate_client('shop', 'json-schema')::jsonb #> '{$defs,Order,required}');
\pset tuples_only off
\pset format aligned

-- the same model is the same text; the table's name may be a relation
SELECT generate_client('shop', 'go') = generate_client('t_client.shop'::regclass, 'go') AS same;
-- a table without entities has its checksum
SELECT create_table('plain', 'PK');
SELECT language, generate_client('plain', language) ~ model_checksum('plain') AS checksum FROM unnest('{typescript,typescript-pg,python,python-psycopg,go,zod,json-schema}'::text[]) language;
SELECT generate_client('plain', 'json-schema')::jsonb -> '$defs' AS definitions;
-- what cannot be made
SELECT generate_client('shop', 'cobol');
SELECT generate_client('shop', NULL);
SELECT generate_client('none', 'go');

-- names: words, reserved ones, those that fall together, any script
SELECT style, dynamo_internal.client_names(style, '{class,Class,order_item}', ARRAY['orderItem', 'OrderItem', 'order_item', 'ORDER ITEM', 'HTTPServer', 'customerID', 'class', '1st', 'größe', '価格', '', '-', 'a"b', E'x\n*/', 'Class2', 'Class', 'Class', 'uuid'])
FROM unnest('{camel,pascal,snake,go}'::text[]) style;
SELECT dynamo_internal.client_names('kebab', '{}', '{a}');
-- templates
SELECT dynamo_internal.client_text(template, '{"name": "n", "list": [{"a": 1}, {"a": 2, "name": "own"}], "none": [], "null": null, "yes": true, "text": "a\"\\\n\u202e*/@x"}') AS text FROM (VALUES
	('@{name}'), ('@{#list}@{a}@{name}@{^-last},@{/-last}@{/list}'), ('@{#none}x@{/none}@{^none}y@{/none}'), ('@{#null}x@{/null}@{^null}y@{/null}@{#missing}z@{/missing}'),
	('@{#yes}@{name}@{/yes}'), (E'a\n  @{#yes}\nb\n  @{/yes}\nc'), ('@{text|string}'), ('/* @{text|comment} */'), ('// @{text|line}'), ('"""@{text|doc}"""'), ('@{name|property} @{text|property}'),
	('@ {name} }')) t(template);
SELECT dynamo_internal.client_text('@{missing}', '{}');
SELECT dynamo_internal.client_text('@{a|upper}', '{"a": "x"}');
SELECT dynamo_internal.client_text('@{#a}x', '{"a": "x"}');
SELECT dynamo_internal.client_text('@{a}', '{"a": [1]}');
SELECT dynamo_internal.client_text('x', '[1]');
-- thousands of names that become one, in a moment
SELECT count(DISTINCT n), (array_agg(n ORDER BY i))[1:3] AS first, (array_agg(n ORDER BY i))[3000] AS last
FROM unnest(dynamo_internal.client_names('snake', '{a,a_3}', ARRAY(SELECT 'a' || repeat('-', s) FROM generate_series(1, 3000) s))) WITH ORDINALITY AS u(n, i);
-- a hundred access patterns of a hundred entities, in a moment
SET statement_timeout = '60s';
SELECT count(*) AS lines FROM regexp_split_to_table(dynamo_internal.client_of_document(json_build_object('tables', json_build_array(json_build_object(
	'table_name', 'large', 'partition_key', 'PK', 'partition_key_type', 'S', 'indexes', '[]'::json, 'views', '[]'::json, 'copies', '[]'::json, 'totals', '[]'::json,
	'entities', (SELECT json_agg(json_build_object('entity_name', 'e' || n, 'type_attribute', 'kind', 'keys', json_build_object('PK', n || '#{x}'),
		'attributes', (SELECT json_object_agg('a' || a, 'int') FROM generate_series(1, 15) a))) FROM generate_series(1, 100) n),
	'access_patterns', (SELECT json_agg(json_build_object('pattern_name', 'p' || n, 'key_condition', 'x = :x', 'entities', json_build_array('e' || n))) FROM generate_series(1, 100) n)))),
	'checksum', 'public', 'python'), '\n') line WHERE line ~ 'def p[0-9]+[(]';
RESET statement_timeout;
-- kinds of values
SELECT type, dynamo_internal.client_kind(type) FROM unnest('{text,varchar(10),character varying,timestamptz(3),timestamp with time zone,date,int,bigint,"numeric(10,2)",double precision,bool,bytea,jsonb,text[],"numeric(3,1)[]",my.domain,NULL}'::text[]) type;
-- names that mean something in programs
\i test/sdk/clients/tables.sql
SELECT string_agg(m[1], ' ') AS names FROM regexp_matches(generate_client('nasty-table', 'typescript'), 'async ([a-zA-Z0-9_$]+)[(]', 'g') m;
SELECT string_agg(m[1], ' ') AS names FROM regexp_matches(generate_client('nasty-table', 'go'), '\n\t([A-Z][A-Za-z0-9_]*) [*\[a-zA-Z]', 'g') m;
RESET search_path;
DROP SCHEMA t_client CASCADE;
