-- Tables for tests of dynamo.generate_client: one with all that an attribute can be, one with
-- names that mean something in programs.  In the current schema; the search_path has dynamo.
SELECT create_table('desk', 'PK', 'SK', indexes => '[
	{"index_name": "by_state", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "keys", "partition_key": "GSI1PK", "sort_key": "GSI1SK", "projection": "KEYS_ONLY"}]');
SELECT create_entity('desk', 'team', '{"PK": "TEAM#{team}", "SK": "TEAM"}', '{"team": "text", "title": "text", "tickets": "int"}', type_attribute => 'kind', view_name => 'desk_teams');
SELECT create_entity('desk', 'ticket', '{"PK": "TEAM#{team}", "SK": "TICKET#{number:08}", "GSI1PK": "{state}", "GSI1SK": "{opened_at:ms}"}', '{
	"team": "text", "number": "int", "opened_at": {"type": "timestamptz", "default_function": "now", "read_only": true},
	"state": {"type": "text", "enum": ["NEW", "OPEN", "CLOSED"], "default": "NEW"}, "title": {"type": "text", "required": true},
	"urgent": "boolean", "cost": "numeric", "serial": "bigint", "weight": "double precision", "labels": "text[]", "sizes": "numeric[]",
	"picture": "bytea", "details": "jsonb", "anything": {}, "format": {"type": "int", "constant": 2},
	"loud": {"type": "text", "computed": "upper(title)"}}', type_attribute => 'kind', view_name => 'desk_tickets');
SELECT create_total('desk', 'tickets', parent => 'team', child => 'ticket', totals => '{"tickets": "count"}');
SELECT create_access_pattern('desk', 'tickets_of', 'team = :team AND number BETWEEN :first AND :last', view_name => 'desk_tickets',
	parameters => '{"first": {"default": null}, "last": {"default": null}}', description => 'the tickets of a team');
SELECT create_access_pattern('desk', 'ticket_pages', 'team = :team', entities => '{ticket}', returns => 'page', description => 'the same, in pages');
SELECT create_access_pattern('desk', 'in_state', 'state = :state AND opened_at >= :since', entities => '{ticket}', index_name => 'by_state',
	filter_expression => 'cost >= :least', parameters => '{"since": {"default": null}, "least": {"type": "numeric"}}');
SELECT create_access_pattern('desk', 'whole_team', 'team = :team', entities => '{team,ticket}');
SELECT create_access_pattern('desk', 'team_document', 'team = :team', entities => '{team,ticket}', returns => 'document');
SELECT create_access_pattern('desk', 'titles', 'team = :team', entities => '{ticket}', projection_expression => 'title');
SELECT create_access_pattern('desk', 'everything_of', 'team = :team', keys => '{"PK": "TEAM#{team}"}');

SELECT create_table('nasty-table', 'PK', 'SK');
SELECT create_entity('nasty-table', name, jsonb_build_object('PK', n || '#{class}', 'SK', '{"dots.in"}'), attributes, type_attribute => E'type"\n*/''')
FROM (VALUES
	(1, 'class', '{"class": "text", "dots.in": "text", "self": "text", "async": "int", "type": "text", "item": "text", "constructor": "text", "__proto__": "text"}'::json),
	(2, 'Class', '{"class": "text", "dots.in": "int", "orderId": "text", "order_id": "int", "OrderID": "numeric", "order-id": "text", "order id": "text", "Other": "text", "1st": "text"}'),
	(3, E'*/ """ ''\\ \n#{x} ${y} @{z} %s', E'{"class": "text", "dots.in": "text", "line\\nbreak": "text", "*/": "text", "\\"\\"\\"": "text", "''''''": "int", "back\\\\slash": "bytea", "${x}": "numeric", "@{x}": {}, "%s": "text[]", "`": "text", "//": "text"}')) e(n, name, attributes);
SELECT create_entity('nasty-table', 'größe 価格', '{"PK": "4#{class}", "SK": "{\"dots.in\"}"}',
	E'{"class": "text", "dots.in": "text", "größe": "numeric", "価格": "numeric", "値段": {"type": "text", "enum": ["\\"", "\\\\", "*/", "\\n", "円"]}, "\\u202e\\ufeffx": "text", "\\u2028": "text", "-": "text", "+": "text"}', type_attribute => E'type"\n*/''');
SELECT create_access_pattern('nasty-table', name, '#c = :class AND #d = :in', entities => ARRAY[entity], expression_attribute_names => '{"#c": "class", "#d": "dots.in"}', description => description)
FROM (VALUES
	('get_class', 'class', E'the */ end \n@ts-ignore """ of it \\'),
	('delete', 'Class', NULL),
	(E'"x" */ %s \n', E'*/ """ ''\\ \n#{x} ${y} @{z} %s', NULL),
	('constructor', 'größe 価格', E'\u202eright to left'),
	('put_class', 'class', 'falls together with a method')) p(name, entity, description);

-- names that the clients themselves use
SELECT create_table('words', 'PK', 'SK');
SELECT create_entity('words', name, jsonb_build_object('PK', n || '#{x}', 'SK', 's'), '{"x": "text"}', type_attribute => 'kind')
FROM unnest('{expressions,attribute value,async generator,value error,arithmetic error,table name,t}'::text[]) WITH ORDINALITY e(name, n);
SELECT create_entity('words', 'part', '{"PK": "part#{json}", "SK": "{expressions}"}', '{"json": "text", "expressions": "text", "count": "int"}', type_attribute => 'kind');
SELECT create_access_pattern('words', name, 'json = :json AND expressions = :expressions', entities => '{part}', returns => returns)
FROM unnest('{bool,bytes,dict,float,int,list,object,str,tuple}'::text[], '{items,page,document,items,page,document,items,page,document}'::text[]) p(name, returns);
SELECT create_access_pattern('words', 'parts_since', 'json = :json AND expressions >= :since', entities => '{part}', parameters => '{"since": {"default": null}}');
