-- What attributes of entities may be, and what makes them: enum, read_only, default
-- functions and computed attributes, at every door.
CREATE SCHEMA entity_rules;
SET search_path = entity_rules, public, dynamo;
SET timezone = 'UTC';

SELECT create_table('rules', partition_key => 'pk', sort_key => 'sk', indexes =>
	'[{"index_name": "by_quarter", "partition_key": "g1", "sort_key": "g2"}]');
SELECT create_entity('rules', 'order', '{"pk": "C#{customer}", "sk": "O#{id}", "g1": "Q#{quarter}", "g2": "{status}#{customer}"}',
	'{"customer": {"type": "text", "read_only": true}, "id": {"type": "uuid", "default_function": "uuid"},
	  "status": {"type": "text", "enum": ["OPEN", "PAID", "it''s; \"DROP\"/*", "SENT"], "default": "OPEN"},
	  "priority": {"type": "int", "enum": [1, 2, 3]},
	  "placed": {"type": "date", "default_function": "now", "read_only": true},
	  "at": {"type": "timestamptz", "default_function": "now"}, "seconds": {"type": "bigint", "default_function": "now"},
	  "price": "numeric", "amount": "int",
	  "quarter": {"type": "text", "computed": "extract(year FROM placed) || ''Q'' || extract(quarter FROM placed)"},
	  "total": {"type": "numeric", "computed": "round(price * coalesce(amount, 1), 2)"}}',
	type_attribute => 'kind', view_name => 'orders');

-- ---- what is made ----

SELECT put_item('rules', '{"kind": "order", "customer": "c1", "price": 2.505, "amount": 2}'::jsonb);
SELECT item ->> 'pk' AS pk, item ->> 'sk' ~ '^O#[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' AS sk,
	item ->> 'status' AS status, item -> 'total' AS total, (item ->> 'placed')::date = now()::date AS placed,
	(item ->> 'at')::timestamptz - now() < interval '1 minute' AS at, extract(epoch FROM now()) - (item ->> 'seconds')::bigint < 60 AS seconds,
	item ->> 'quarter' = to_char(now(), 'YYYY"Q"Q') AS quarter, item ->> 'g1' = 'Q#' || to_char(now(), 'YYYY"Q"Q') AS g1
FROM rules;
DELETE FROM rules;
INSERT INTO orders (customer, id, placed, price) VALUES ('c1', '00000000-0000-4000-8000-000000000001', '2026-02-03', 1);
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000002", "placed": "2026-05-01", "price": 3, "quarter": "wrong", "total": 99}'::jsonb);
INSERT INTO rules (item) VALUES ('{"kind": {"S": "order"}, "customer": {"S": "c1"}, "id": {"S": "00000000-0000-4000-8000-000000000003"}, "placed": {"S": "2026-12-31"}}');
SELECT batch_write_item('rules', ARRAY['{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000004", "placed": "2025-12-31", "at": "2026-01-01T00:00:00Z"}'::jsonb::item]);
SELECT request('PutItem', '{"TableName": "rules", "Item": {"kind": {"S": "order"}, "customer": {"S": "c1"}, "id": {"S": "00000000-0000-4000-8000-000000000005"}, "placed": {"S": "2024-07-01"}}}');
CREATE VIEW brief AS SELECT right(item ->> 'sk', 1) AS id, item ->> 'placed' AS placed, item ->> 'quarter' AS quarter, item -> 'total' AS total,
	item ->> 'g1' AS g1, item ->> 'g2' AS g2, item ->> 'priority' AS priority FROM rules ORDER BY 1;
TABLE brief;
-- an update computes anew what uses the attributes that it changes
SELECT update_item('rules', entity_key('rules', 'order', '{"customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb),
	'SET amount = :a, #t = :a', expression_attribute_values => '{":a": {"N": "7"}}', expression_attribute_names => '{"#t": "total"}');
UPDATE orders SET price = 10, amount = 3 WHERE id = '00000000-0000-4000-8000-000000000002';
UPDATE orders SET price = NULL WHERE id = '00000000-0000-4000-8000-000000000003';
TABLE brief;
SELECT id FROM orders WHERE quarter = '2026Q2';
EXPLAIN (COSTS OFF) SELECT id FROM orders WHERE quarter = '2026Q2';
SELECT create_access_pattern('rules', 'of_quarter', 'quarter = :quarter', view_name => 'orders', index_name => 'by_quarter');
SELECT id, quarter FROM of_quarter('2024Q3');
SELECT pattern, problem FROM check_access_patterns('rules', strict => true);
SELECT * FROM check_entity('rules');
-- a value that cannot be computed
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "price": "dear"}'::jsonb);
UPDATE rules SET item = set_attribute(item, 'placed', '{"S": "yesterday"}') WHERE item ->> 'sk' = 'O#00000000-0000-4000-8000-000000000003';

-- ---- what an expression may be, and whom a change concerns ----

\set VERBOSITY terse
SELECT create_table('exprs', partition_key => 'pk');
SELECT create_entity('exprs', 'e', '{"pk": "E#{id}"}', '{"id": "text", "n": "int", "double": {"type": "text", "computed": "U&\"\\006E\" * 2"}}', type_attribute => 'kind');
SELECT put_item('exprs', '{"kind": "e", "id": "1", "n": 1}'::jsonb);
SELECT update_item('exprs', '{"pk": "E#1"}'::jsonb, 'SET n = :n', expression_attribute_values => '{":n": {"N": "2"}}', return_values => 'ALL_NEW') ->> 'double' AS double;
SELECT create_entity('exprs', 'f', '{"pk": "F#{id}"}', json_build_object('id', 'text', 'f', 'float8', 'b', 'bytea', 't', 'timestamp', 'c', json_build_object('type', type, 'computed', computed)))
	FROM (VALUES ('text', 'f || id'), ('text', 'b::text'), ('text', '(t - make_timestamp(2026, 1, 1, 0, 0, 0))::text')) e(type, computed);
SELECT create_entity('exprs', 'f', '{"pk": "F#{id}"}', json_build_object('id', 'text', 't', 'timestamp', 'c', json_build_object('type', 'interval', 'computed', 't - make_timestamp(2026, 1, 1, 0, 0, 0)')));
SELECT create_entity('exprs', 'f', '{"pk": "F#{id}"}', '{"id": "text", "f": "float8", "c": {"type": "float8[]", "computed": "ARRAY[f, f]"}}');

-- items without the computed part of their keys, in a parallel plan
SELECT create_entity('exprs', 'g', '{"pk": "G#{id}#{double}"}', '{"id": "text", "n": "int", "double": {"type": "text", "computed": "n * 2"}}', type_attribute => 'kind', view_name => 'exprs_g');
SET session_replication_role = replica;
INSERT INTO exprs (item) SELECT build_item('pk', 'G#' || n || '#' || n * 2, 'kind', 'g', 'id', n::text, 'n', n) FROM generate_series(1, 3) n;
RESET session_replication_role;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT id, n FROM exprs_g WHERE n > 1 ORDER BY id;
SELECT id, get_item('exprs', jsonb_build_object('kind', 'g', 'id', id, 'n', n)) ->> 'pk' AS pk FROM exprs_g WHERE n > 1 ORDER BY id;
SELECT item ->> 'id' AS id, entity_problem(tableoid, item, 'g') FROM exprs ORDER BY 1, 2 NULLS FIRST;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET enable_indexscan;
RESET enable_bitmapscan;
DROP TABLE exprs CASCADE;
\set VERBOSITY default

-- ---- enum ----

\set VERBOSITY terse
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "status": "LOST"}'::jsonb);
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "status": null}'::jsonb);
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "priority": "1"}'::jsonb);
INSERT INTO orders (customer, status) VALUES ('c1', 'open');
INSERT INTO rules (item) VALUES ('{"kind": {"S": "order"}, "customer": {"S": "c1"}, "priority": {"N": "4"}}');
UPDATE orders SET status = 'LOST';
UPDATE rules SET item = set_attribute(item, 'priority', '{"N": "0"}');
SELECT update_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb,
	'SET priority = :p', expression_attribute_values => '{":p": {"N": "5"}}');
SELECT update_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb,
	'SET priority = :p', expression_attribute_values => '{":p": {"N": "3.0"}}');
SELECT batch_write_item('rules', ARRAY['{"kind": "order", "customer": "c1", "status": "LOST"}'::jsonb::item]);
SELECT transact_write_items('[{"Put": {"TableName": "rules", "Item": {"kind": {"S": "order"}, "customer": {"S": "c1"}, "status": {"S": "LOST"}}}}]');
SELECT request_safe('PutItem', '{"TableName": "rules", "Item": {"kind": {"S": "order"}, "customer": {"S": "c1"}, "status": {"S": "LOST"}}}');
SELECT request_safe('ExecuteStatement', '{"Statement": "INSERT INTO rules VALUE {''kind'': ''order'', ''customer'': ''c1'', ''status'': ''LOST''}"}');
SELECT request_safe('UpdateItem', '{"TableName": "rules", "Key": {"pk": {"S": "C#c1"}, "sk": {"S": "O#00000000-0000-4000-8000-000000000001"}},
	"UpdateExpression": "SET #s = :s", "ExpressionAttributeNames": {"#s": "status"}, "ExpressionAttributeValues": {":s": {"S": "LOST"}}}');
UPDATE orders SET status = 'it''s; "DROP"/*' WHERE right(id::text, 1) = '1';
TABLE brief;
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = 'orders'::regclass AND col_description(attrelid, attnum) IS NOT NULL ORDER BY attnum;

COMMENT ON COLUMN orders.priority IS 'ours';
SELECT create_entity('rules', 'order', keys, (SELECT json_object_agg(a.key, CASE a.key WHEN 'status' THEN
		'{"type": "text", "enum": ["OPEN", "PAID", "it''s; \"DROP\"/*"], "default": "OPEN"}' WHEN 'priority' THEN '"int"' ELSE a.value END)
	FROM json_each(export_model('rules') #> '{tables,0,entities,0,attributes}') a), type_attribute => 'kind', replace => true) FROM entities WHERE table_name = 'rules';
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute
WHERE attrelid = 'orders'::regclass AND col_description(attrelid, attnum) IS NOT NULL ORDER BY attnum;

-- ---- read_only ----

SELECT update_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb,
	'SET placed = :p', expression_attribute_values => '{":p": {"S": "2026-03-03"}}');
SELECT update_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb, 'REMOVE placed');
SELECT update_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb,
	'SET placed = :p', expression_attribute_values => '{":p": {"S": "2026-02-03"}}');	-- as it is
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001", "placed": "2026-03-03"}'::jsonb);
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001", "placed": "2026-03-03"}'::jsonb, 'attribute_exists(pk)');
SELECT put_item('rules', '{"kind": "other", "pk": "C#c1", "sk": "O#00000000-0000-4000-8000-000000000001"}'::jsonb);
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001", "placed": "2026-02-03", "price": 5}'::jsonb);
SELECT batch_write_item('rules', ARRAY['{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001", "placed": "2026-03-03"}'::jsonb::item]);
SELECT transact_write_items('[{"Put": {"TableName": "rules", "Item": {"kind": {"S": "order"}, "customer": {"S": "c1"}, "id": {"S": "00000000-0000-4000-8000-000000000001"}, "placed": {"S": "2026-03-03"}}}}]');
SELECT transact_write_items('[{"Update": {"TableName": "rules", "Key": {"pk": {"S": "C#c1"}, "sk": {"S": "O#00000000-0000-4000-8000-000000000001"}},
	"UpdateExpression": "SET placed = :p", "ExpressionAttributeValues": {":p": {"S": "2026-03-03"}}}}]');
UPDATE orders SET placed = '2026-03-03' WHERE right(id::text, 1) = '1';
UPDATE orders SET customer = 'c2' WHERE right(id::text, 1) = '1';
UPDATE orders SET placed = '2026-02-03', amount = 4 WHERE right(id::text, 1) = '1';
UPDATE rules SET item = remove_attribute(item, 'placed') WHERE right(sk, 1) = '1';
INSERT INTO rules (item) VALUES ('{"kind": {"S": "order"}, "customer": {"S": "c1"}, "id": {"S": "00000000-0000-4000-8000-000000000001"}, "placed": {"S": "2026-03-03"}}')
ON CONFLICT (pk, sk) DO UPDATE SET item = EXCLUDED.item;
SELECT request_safe('PutItem', '{"TableName": "rules", "Item": {"kind": {"S": "order"}, "customer": {"S": "c1"}, "id": {"S": "00000000-0000-4000-8000-000000000001"}, "placed": {"S": "2026-03-03"}}}');
SELECT request_safe('ExecuteStatement', '{"Statement": "UPDATE rules SET placed = ''2026-03-03'' WHERE pk = ''C#c1'' AND sk = ''O#00000000-0000-4000-8000-000000000001''"}');
SELECT import_lines('rules', ARRAY['{"Item": {"kind": {"S": "order"}, "customer": {"S": "c1"}, "id": {"S": "00000000-0000-4000-8000-000000000001"}, "placed": {"S": "2026-03-03"}}}']);
TABLE brief;
-- nor does it become an item of another entity first, or of none
SELECT update_item('rules', '{"pk": "C#c1", "sk": "O#00000000-0000-4000-8000-000000000001"}'::jsonb, 'SET kind = :k', expression_attribute_values => '{":k": {"S": "other"}}');
SELECT update_item('rules', '{"pk": "C#c1", "sk": "O#00000000-0000-4000-8000-000000000001"}'::jsonb, 'REMOVE kind');
SELECT put_item('rules', '{"kind": "other", "pk": "C#c1", "sk": "O#00000000-0000-4000-8000-000000000001", "customer": "c1", "placed": "2026-02-03"}'::jsonb);
UPDATE rules SET item = set_attribute(item, 'kind', to_value('other'::text)) WHERE right(sk, 1) = '1';
SELECT transact_write_items('[{"Update": {"TableName": "rules", "Key": {"pk": {"S": "C#c1"}, "sk": {"S": "O#00000000-0000-4000-8000-000000000001"}},
	"UpdateExpression": "REMOVE kind"}}]');
SELECT import_lines('rules', ARRAY['{"Item": {"kind": {"S": "other"}, "pk": {"S": "C#c1"}, "sk": {"S": "O#00000000-0000-4000-8000-000000000001"}, "customer": {"S": "c1"}, "placed": {"S": "2026-02-03"}}}']);
-- an item without entity becomes one
SELECT put_item('rules', '{"pk": "C#c9", "sk": "O#00000000-0000-4000-8000-000000000009"}'::jsonb);
SELECT update_item('rules', '{"pk": "C#c9", "sk": "O#00000000-0000-4000-8000-000000000009"}'::jsonb, 'SET kind = :k, placed = :p', expression_attribute_values => '{":k": {"S": "order"}, ":p": {"S": "2026-02-03"}}');
DELETE FROM rules WHERE pk = 'C#c9';
-- entities that are told by their keys
SELECT create_table('told', partition_key => 'pk');
SELECT create_entity('told', 'a', '{"pk": "A#{id:word}"}', '{"id": "text", "fixed": {"type": "text", "read_only": true}}', view_name => 'told_a');
SELECT create_entity('told', 'b', '{"pk": "B#{id:word}"}', '{"id": "text", "fixed": "text"}');
INSERT INTO told_a (id, fixed) VALUES ('1', 'x');
UPDATE told SET item = set_attribute(item - 'id', 'pk', to_value('B#1'::text));
SELECT put_item('told', '{"id": "1", "pk": "A#1", "fixed": "x", "n": 1}'::jsonb);
UPDATE told_a SET id = '2';
SELECT item FROM told;
DROP TABLE told CASCADE;
-- deleted and created again, it may be another
SELECT delete_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001"}'::jsonb);
SELECT put_item('rules', '{"kind": "order", "customer": "c1", "id": "00000000-0000-4000-8000-000000000001", "placed": "2026-03-03"}'::jsonb);

-- ---- items that were there before ----

SELECT create_table('older', partition_key => 'pk', sort_key => 'sk', indexes => '[{"index_name": "by_quarter", "partition_key": "g1"}]');
SELECT put_item('older', '{"kind": "order", "pk": "C#c1", "sk": "O#1", "customer": "c1", "id": "1", "status": "LOST", "placed": "2026-01-01"}'::jsonb);
SELECT create_entity('older', 'order', '{"pk": "C#{customer}", "sk": "O#{id}", "g1": "Q#{quarter}"}',
	'{"customer": "text", "id": "text", "status": {"type": "text", "enum": ["OPEN"]}, "placed": "date",
	  "quarter": {"type": "int", "computed": "extract(quarter FROM placed)"}}', type_attribute => 'kind');
SELECT * FROM check_entity('older');
SELECT apply_entity('older');
SELECT item FROM older;
SELECT * FROM check_entity('older');
SELECT update_item('older', '{"kind": "order", "customer": "c1", "id": "1"}'::jsonb, 'SET x = :x', expression_attribute_values => '{":x": {"N": "1"}}');	-- as it was
SELECT create_entity('older', 'order', '{"pk": "C#{customer}", "sk": "O#{id}", "g1": "Q#{quarter}"}',
	'{"customer": "text", "id": "text", "status": {"type": "text", "enum": ["OPEN", "LOST"]}, "placed": "date",
	  "quarter": {"type": "int", "computed": "extract(quarter FROM placed) + 10"}}', type_attribute => 'kind', replace => true);
SELECT jsonb_path_query_array(describe_entity('older', 'order'), '$.composed'), * FROM check_entity('older');
SELECT apply_entity('older');
SELECT item ->> 'g1' AS g1 FROM older;
-- the model has all of it
SELECT a.value FROM json_each(export_model('rules') #> '{tables,0,entities,0,attributes}') a WHERE a.key IN ('placed', 'quarter', 'status', 'id') ORDER BY a.key;

-- ---- a computed part of the table's key ----

SELECT create_table('computed_keys', partition_key => 'pk', sort_key => 'sk');
SELECT create_entity('computed_keys', 'event', '{"pk": "M#{month}", "sk": "{at:ms}#{id}"}',
	'{"at": "timestamptz", "id": "text", "month": {"type": "text", "computed": "to_char(date_trunc(''month'', at AT TIME ZONE ''UTC''), ''x'') "}}');
SELECT create_entity('computed_keys', 'event', '{"pk": "M#{month}", "sk": "{at:ms}#{id}"}',
	'{"at": "timestamptz", "id": "text", "month": {"type": "int", "computed": "extract(month FROM at AT TIME ZONE ''UTC'')"}}', view_name => 'events');
SELECT put_item('computed_keys', '{"at": "2026-05-01T01:00:00+02:00", "id": "a"}'::jsonb);
SET timezone = 'Asia/Tokyo';
INSERT INTO events (at, id) VALUES ('2026-05-31 23:59Z', 'b');
RESET timezone;
SELECT item FROM computed_keys ORDER BY pk;
SELECT entity_key('computed_keys', 'event', '{"at": "2026-05-01T00:00:00Z", "id": "a"}'::jsonb);
SELECT get_item('computed_keys', '{"at": "2026-04-30T23:00:00Z", "id": "a"}'::jsonb) ->> 'id' AS id;
SELECT update_item('computed_keys', '{"at": "2026-04-30T23:00:00Z", "id": "a"}'::jsonb, 'SET #a = :a', expression_attribute_values => '{":a": {"S": "2026-06-01"}}', expression_attribute_names => '{"#a": "at"}');
SELECT update_item('computed_keys', '{"at": "2026-04-30T23:00:00Z", "id": "a"}'::jsonb, 'SET #m = :m, x = :m', expression_attribute_values => '{":m": {"N": "12"}}', expression_attribute_names => '{"#m": "month"}', return_values => 'ALL_NEW');

-- ---- what is told of a write is what it has stored, also of a random key ----

SELECT create_table('random_keys', 'pk', 'sk', indexes => '[{"index_name": "by_name", "partition_key": "pk", "sort_key": "name", "local": true}]');
SELECT create_entity('random_keys', 'thing', '{"pk": "T#{id}", "sk": "T"}', '{"id": {"type": "uuid", "default_function": "uuid"}, "name": "text"}', type_attribute => 'kind');
CREATE FUNCTION told(operation text, body jsonb, OUT n bigint, OUT there boolean) LANGUAGE plpgsql AS $$
DECLARE
	answer jsonb := request(operation, (body || '{"ReturnItemCollectionMetrics": "SIZE"}')::json);
BEGIN
	SELECT count(*), bool_and(EXISTS (SELECT FROM random_keys r WHERE r.pk = k #>> '{}')) INTO n, there
	FROM jsonb_path_query(answer, 'strict $.**.ItemCollectionKey.pk.S') k;
END $$;
SELECT * FROM told('PutItem', '{"TableName": "random_keys", "Item": {"kind": {"S": "thing"}}}');
SELECT * FROM told('PutItem', '{"TableName": "random_keys", "Item": {"kind": {"S": "thing"}}, "ReturnConsumedCapacity": "TOTAL"}');
SELECT * FROM told('BatchWriteItem', '{"RequestItems": {"random_keys": [{"PutRequest": {"Item": {"kind": {"S": "thing"}, "name": {"S": "a"}}}}, {"PutRequest": {"Item": {"kind": {"S": "thing"}, "name": {"S": "b"}}}}]}}');
SELECT * FROM told('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "random_keys", "Item": {"kind": {"S": "thing"}}}}, {"Put": {"TableName": "random_keys", "Item": {"kind": {"S": "thing"}}}}]}');
SELECT n FROM told('TransactWriteItems', '{"ClientRequestToken": "told", "TransactItems": [{"Put": {"TableName": "random_keys", "Item": {"kind": {"S": "thing"}, "id": {"S": "00000000-0000-4000-8000-000000000000"}}}}]}'), generate_series(1, 2);
SELECT * FROM told('TransactWriteItems', '{"ClientRequestToken": "told", "TransactItems": [{"Put": {"TableName": "random_keys", "Item": {"kind": {"S": "thing"}, "id": {"S": "00000000-0000-4000-8000-000000000000"}}}}]}');
DELETE FROM dynamo_internal.request_tokens WHERE token = 'told';

-- ---- hostile declarations ----

CREATE FUNCTION evil(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''evil ran''; END';
CREATE FUNCTION sneaky(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE DOMAIN evil_domain AS int CHECK (evil(VALUE) > 0);
CREATE OPERATOR @@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = pg_catalog.int4pl);
CREATE OPERATOR ### (RIGHTARG = int, FUNCTION = evil);
CREATE FUNCTION declare(attributes json, computed text) RETURNS void LANGUAGE sql AS $$
	SELECT create_entity('computed_keys', 'hostile', '{"pk": "H#{n}", "sk": "H"}', (SELECT json_object_agg(key, value) FROM
		(SELECT key, value FROM json_each('{"n": "int", "t": "text", "ts": "timestamptz", "d": "evil_domain", "iv": "interval", "untyped": {}}')
		 UNION ALL SELECT * FROM json_each($1) UNION ALL SELECT 'c', json_build_object('type', 'int', 'computed', computed) WHERE computed IS NOT NULL) a))
$$;
DO $$
DECLARE
	expression text;
BEGIN
	FOREACH expression IN ARRAY ARRAY['evil(n)', 'sneaky(n)', 'entity_rules.sneaky(n)', '1::entity_rules.evil_domain', 'd', 'iv', 'untyped',
		'n OPERATOR(entity_rules.@@@) 2', 'n @@@ 2', 'OPERATOR(entity_rules.###) n', 'now()', 'random()::int', 'length(current_user)', '(SELECT 1)', 'n + (SELECT count(*) FROM pg_class)',
		'count(*)', 'generate_series(1, 2)', 'sum(n) OVER ()', $e$nextval('s')$e$, 'pg_sleep(1)', '1; DROP TABLE rules', '1) + (1', '1, 2', '1 AS x', '1 FROM pg_class', 'DISTINCT 1', '', 'c', 'pk',
		'missing', '"n', 'n.t', '$1', ':n', 'extract(year FROM ts)::int', 'length(t || ts)', $e$length(set_config('a', 'b', true))$e$, 't', $e$lo_import('/etc/passwd')$e$,
		$e$'entity_rules.rules'::regclass::oid::int$e$, 'row(n)', 'n::entity_rules.rules', '1/0', '-- nothing', $e$length('now'::timestamptz::text)$e$, $e$extract(day FROM 'today'::date)$e$, 'extract(year FROM make_date(2026, 1, n))::int', 'N + "n"', 'CASE WHEN n > 1 THEN n END', 'n LIMIT 1', 'VALUES (1)']
	LOOP
		BEGIN
			PERFORM declare('{}', expression);
			RAISE NOTICE '%: accepted', expression;
			PERFORM drop_entity('computed_keys', 'hostile');
		EXCEPTION WHEN OTHERS THEN
			RAISE NOTICE '%: %', expression, SQLERRM;
		END;
	END LOOP;
END $$;
-- types of constants: no check of a domain runs before the expression is refused, also of one that was not declared
CREATE TYPE evil_row AS (d evil_domain);
CREATE TYPE evil_range AS RANGE (SUBTYPE = evil_domain);
CREATE FUNCTION of_evil(evil_domain[]) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE FUNCTION evil_operator(int, evil_domain[]) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE OPERATOR @@! (LEFTARG = int, RIGHTARG = evil_domain[], FUNCTION = evil_operator);
DO $$
DECLARE
	expression text;
BEGIN
	FOREACH expression IN ARRAY ARRAY[$e$('{1}'::entity_rules.evil_domain[])[1]$e$, $e$('(1)'::entity_rules.evil_row).d$e$, $e$lower('[1,2]'::entity_rules.evil_range)$e$,
		$e$entity_rules.of_evil('{1}')$e$, $e$n OPERATOR(entity_rules.@@!) '{1}'$e$, $e$cardinality(CAST('{1}' AS entity_rules.evil_domain[]))$e$, $e$coalesce(n, (entity_rules._evil_domain '{1}')[1])$e$,
		$e$length(t COLLATE entity_rules.missing)$e$, $e$1 + CASE WHEN n IN (1, entity_rules.of_evil('{1}')) THEN 1 END$e$, $e$length(substring(t FROM entity_rules.of_evil('{1}')))$e$,
		'pg_catalog.abs(n OPERATOR(pg_catalog.+) 1::pg_catalog.int4)']
	LOOP
		BEGIN
			PERFORM declare('{}', expression);
			RAISE NOTICE '%: accepted', expression;
		EXCEPTION WHEN OTHERS THEN
			RAISE NOTICE '%: %', expression, SQLERRM;
		END;
	END LOOP;
END $$;
DO $$
DECLARE
	definition text := (SELECT replace(encode(tgargs, 'escape'), '\000', '') FROM pg_trigger WHERE tgrelid = 'computed_keys'::regclass AND tgname = '~dynamo_derive_keys');
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER "~dynamo_derive_keys" BEFORE INSERT OR UPDATE ON computed_keys FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)',
		replace(definition, 'pg_catalog.abs(n OPERATOR(pg_catalog.+) 1::pg_catalog.int4)', $e$('{1}'::entity_rules.evil_domain[])[1]$e$));
	PERFORM put_item('computed_keys', '{"n": {"N": "1"}}');
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%', SQLERRM;
END $$;
SELECT drop_entity('computed_keys', 'hostile');
SELECT declare('{"e": {"type": "int", "enum": []}}', NULL);
SELECT declare('{"e": {"type": "int", "enum": [1, "two"]}}', NULL);
SELECT declare('{"e": {"type": "text", "enum": [{}]}}', NULL);
SELECT declare('{"e": {"type": "text", "enum": "OPEN"}}', NULL);
SELECT declare('{"e": {"type": "text", "enum": ["OPEN"], "default": "open"}}', NULL);
SELECT declare('{"e": {"type": "text", "enum": ["OPEN"], "constant": "open"}}', NULL);
SELECT declare('{"e": {"type": "text", "default_function": "pg_sleep"}}', NULL);
SELECT declare('{"e": {"type": "text", "default_function": 1}}', NULL);
DO $$ BEGIN PERFORM declare('{"e": {"type": "int", "default_function": "uuid"}}', NULL); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', regexp_replace(SQLERRM, '".{36}"', 'uuid'); END $$;
DO $$ BEGIN PERFORM declare('{"e": {"type": "boolean", "default_function": "now"}}', NULL); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', regexp_replace(SQLERRM, '"2.*"', 'time'); END $$;
SELECT declare('{"e": {"type": "text", "default_function": "uuid", "default": "x"}}', NULL);
SELECT declare('{"e": {"type": "text", "default_function": "uuid", "constant": "x"}}', NULL);
SELECT declare('{"e": {"type": "text", "read_only": "yes"}}', NULL);
SELECT declare('{"e": {"type": "text", "computed": "t", "read_only": true}}', NULL);
SELECT declare('{"e": {"type": "text", "computed": "t", "default": "x"}}', NULL);
SELECT declare('{"e": {"computed": "t"}}', NULL);
SELECT declare('{"e": {"type": "text", "computed": true}}', NULL);
SELECT declare('{"sk": {"type": "text", "computed": "t"}}', NULL);
SELECT declare('{"a": {"type": "text", "computed": "t"}, "b": {"type": "text", "computed": "a"}}', NULL);
-- a copy needs attributes that it can write
SELECT create_entity('computed_keys', 'parent', '{"pk": "P#{n}", "sk": "P"}', '{"n": "int", "name": "text"}', type_attribute => 'kind');
SELECT create_entity('computed_keys', 'child', '{"pk": "P#{n}", "sk": "C#{m}#{l}"}', '{"n": "int", "m": "int", "l": {"type": "int", "computed": "length(parent_name)"},
	"parent_name": "text", "fixed": {"type": "text", "read_only": true}}', type_attribute => 'kind');
SELECT create_copy('computed_keys', 'names', 'parent', 'child', '{"parent_name": "name"}');
SELECT create_copy('computed_keys', 'names', 'parent', 'child', '{"fixed": "name"}');
SELECT create_copy('computed_keys', 'names', 'parent', 'child', '{"l": "name"}');

\set VERBOSITY default
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA entity_rules CASCADE;
