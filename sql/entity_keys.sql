-- keys and attributes of items whose entity is declared anew, and of items that an update creates
CREATE SCHEMA t_keys;
SET search_path = t_keys, dynamo;
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- an attribute in the key of an index that an item may have in its own key alone
SELECT create_table('owned', 'PK', 'SK', indexes => '[{"index_name": "by_customer", "partition_key": "customer_id"}]');
SELECT create_entity('owned', 'order', keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id}"}', attributes => '{"customer_id": "text", "order_id": "text", "total": "numeric"}', view_name => 'owned_orders');
SELECT put_item('owned', '{"PK": "CUSTOMER#12345", "SK": "ORDER#98765", "order_id": "98765", "total": 150.75}'::jsonb);
INSERT INTO owned_orders (customer_id, order_id, total) VALUES ('7', '1', 2) RETURNING customer_id;
SELECT customer_id, order_id FROM owned_orders WHERE customer_id = '12345';
SELECT customer_id, order_id FROM owned_orders WHERE customer_id IS NULL;
UPDATE owned_orders SET total = 1 WHERE customer_id = '12345' RETURNING customer_id, total;
UPDATE owned_orders SET total = 3 WHERE customer_id = '7' RETURNING customer_id, total;
SELECT customer_id, total FROM owned_orders ORDER BY 1;

-- keys of a template that an entity had
SELECT create_table('former', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK"}, {"index_name": "by_day", "partition_key": "GSI2PK"}]');
CREATE FUNCTION declare(more text) RETURNS void LANGUAGE sql AS $$
SELECT create_entity('former', 'e', keys => ('{"PK": "C#{c}", "SK": "M"' || more || '}')::jsonb, attributes => '{"c": "text", "s": "text", "d": "text"}', type_attribute => 'kind', replace => true) $$;
SELECT declare(', "GSI1PK": "S#{s}", "GSI2PK": "D#{d}"');
SELECT put_item('former', format('{"kind": "e", "c": "%s", "s": "OPEN", "d": "mon"}', n)::jsonb) FROM generate_series(1, 4) n;
SELECT declare(', "GSI2PK": "D#{d}"');
SELECT describe_entity('former', 'e') -> 'former';
SELECT declare('');
SELECT describe_entity('former', 'e') -> 'former';
SELECT declare(', "GSI2PK": "D#{d}"');
SELECT describe_entity('former', 'e') -> 'former';
SELECT key ->> 'PK' AS pk, problem FROM check_entity('former') ORDER BY 1;
SELECT rule FROM advise('former') WHERE rule = 'stale key';
-- an update of what they were composed of removes them; a put may give one of its own
SELECT update_item('former', '{"PK": "C#1", "SK": "M"}'::jsonb, 'SET s = :s', expression_attribute_values => '{":s": {"S": "DONE"}}');
SELECT put_item('former', '{"kind": "e", "c": "6", "GSI1PK": "my own"}'::jsonb);
SELECT item ->> 'PK' AS pk, item ->> 'GSI1PK' AS gsi1pk FROM former ORDER BY 1;
SELECT apply_entity('former', 'e');
SELECT item ->> 'PK' AS pk, item ->> 'GSI1PK' AS gsi1pk, item ->> 'GSI2PK' AS gsi2pk FROM former ORDER BY 1;
SELECT * FROM check_entity('former');
SELECT describe_entity('former', 'e') - 'attributes' - 'keys';

-- defaults are for new items
SELECT create_table('defaults', 'PK', 'SK', indexes => '[{"index_name": "by_b", "partition_key": "GSI1PK"}]');
SELECT create_entity('defaults', 'e', keys => '{"PK": "A#{a}", "SK": "X"}', attributes => '{"a": "text", "b": "text", "status": {"type": "text", "default": "NEW"}}', type_attribute => 'kind');
SELECT put_item('defaults', '{"kind": "e", "a": "1", "b": "x"}'::jsonb);
SELECT update_item('defaults', '{"PK": "A#1", "SK": "X"}'::jsonb, 'REMOVE #s', expression_attribute_names => '{"#s": "status"}');
SELECT create_entity('defaults', 'e', keys => '{"PK": "A#{a}", "SK": "X", "GSI1PK": "Q#{b}"}', attributes => '{"a": "text", "b": "text", "status": {"type": "text", "default": "NEW"}, "v": {"type": "int", "constant": 1}}', type_attribute => 'kind', replace => true);
SELECT apply_entity('defaults', 'e');
SELECT item FROM defaults;
-- a copied attribute has none
SELECT create_table('copied', 'PK', 'SK');
SELECT create_entity('copied', 'parent', keys => '{"PK": "A#{a}", "SK": "P"}', attributes => '{"a": "text", "x": "text", "n": {"type": "int", "default": 0}}', type_attribute => 'kind');
SELECT create_entity('copied', 'child', keys => '{"PK": "A#{a}", "SK": "C"}', attributes => '{"a": "text", "x": {"type": "text", "default": "def"}}', type_attribute => 'kind');
SELECT create_copy('copied', 'c', 'parent', 'child', '{"x": "x"}');
SELECT create_total('copied', 't', 'parent', 'child', '{"n": "count"}');
SELECT create_entity('copied', 'child', keys => '{"PK": "A#{a}", "SK": "C"}', attributes => '{"a": "text", "x": "text"}', type_attribute => 'kind', replace => true);
SELECT create_copy('copied', 'c', 'parent', 'child', '{"x": "x"}');
SELECT create_entity('copied', 'child', keys => '{"PK": "A#{a}", "SK": "C"}', attributes => '{"a": "text", "x": {"type": "text", "default": "def"}}', type_attribute => 'kind', replace => true);
SELECT put_item('copied', '{"kind": "child", "a": "1"}'::jsonb);
SELECT * FROM check_copies('copied');

-- an update that creates an item: its key tells of which entity it is
SELECT create_table('upserts', 'PK', 'SK', indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK"}]');
SELECT create_entity('upserts', 'counter', keys => '{"PK": "C#{c}", "SK": "M", "GSI1PK": "S#{s}"}', type_attribute => 'kind', view_name => 'counters',
	attributes => '{"c": "text", "s": {"type": "text", "default": "NEW"}, "v": {"type": "int", "constant": 1}, "n": "int"}');
SELECT create_entity('upserts', 'person', keys => '{"PK": "R#{c}", "SK": "M"}', attributes => '{"c": "text", "nick": {"type": "text", "required": true}}', type_attribute => 'kind');
SELECT create_entity('upserts', e, keys => '{"PK": "A#{c}", "SK": "M"}', attributes => '{"c": "text"}', type_attribute => 'kind') FROM unnest('{left,right}'::text[]) e;
SELECT update_item('upserts', '{"PK": "C#1", "SK": "M"}'::jsonb, 'ADD n :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'ALL_NEW');
SELECT update_item('upserts', '{"PK": "C#1", "SK": "M"}'::jsonb, 'ADD n :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'UPDATED_NEW');
SELECT update_item('upserts', '{"PK": "R#1", "SK": "M"}'::jsonb, 'SET x = :one', expression_attribute_values => '{":one": {"N": "1"}}');
SELECT update_item('upserts', '{"PK": "R#1", "SK": "M"}'::jsonb, 'SET nick = :one', expression_attribute_values => '{":one": {"S": "Ann"}}');
SELECT update_item('upserts', '{"PK": "A#1", "SK": "M"}'::jsonb, 'SET x = :one', expression_attribute_values => '{":one": {"N": "1"}}');
SELECT update_item('upserts', '{"PK": "A#1", "SK": "M"}'::jsonb, 'SET kind = :one', expression_attribute_values => '{":one": {"S": "right"}}');
SELECT update_item('upserts', '{"PK": "X#1", "SK": "M"}'::jsonb, 'SET x = :one', expression_attribute_values => '{":one": {"N": "1"}}');
SELECT request('UpdateItem', '{"TableName": "upserts", "Key": {"PK": {"S": "C#2"}, "SK": {"S": "M"}}}');
SELECT request('UpdateItem', '{"TableName": "upserts", "Key": {"PK": {"S": "C#3"}, "SK": {"S": "M"}}, "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "3"}}}}');
SELECT request('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "upserts", "Key": {"PK": {"S": "C#4"}, "SK": {"S": "M"}}, "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]}');
SELECT item FROM upserts ORDER BY "PK";
SELECT c, s, v, n FROM counters ORDER BY 1;

-- Infinity and NaN are no numbers of items; a bound that does not fit leaves the range open
SELECT create_table('prices', 'PK', 'SK', indexes => '[{"index_name": "by_price", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('prices', 'p', keys => '{"PK": "P", "SK": "{price:06.2}", "GSI1PK": "P", "GSI1SK": "{price:+06.2:desc}"}', attributes => '{"price": "numeric"}', type_attribute => 'kind', view_name => 'price_rows');
INSERT INTO price_rows (price) VALUES (1), (2.5);
CREATE FUNCTION found(op text, v numeric) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM t_keys.price_rows WHERE price %s %L', op, v) INTO n;
	RETURN n;
END $$;
SELECT o.op, v.v, found(o.op, v.v) AS n,
	(SELECT count(*) FROM (VALUES (1::numeric), (2.5)) p(price) WHERE CASE o.op WHEN '<' THEN p.price < v.v WHEN '<=' THEN p.price <= v.v WHEN '=' THEN p.price = v.v WHEN '>=' THEN p.price >= v.v ELSE p.price > v.v END) AS plain
FROM unnest('{<,<=,=,>=,>}'::text[]) o(op), unnest('{Infinity,-Infinity,NaN,99999999,-5,2.501}'::numeric[]) v(v);
SELECT count(*) FROM price_rows WHERE price = ANY ('{Infinity,1,NaN}');
SELECT create_access_pattern('prices', 'cheaper', 'price <= :p', view_name => 'price_rows');
SELECT count(*) FROM cheaper('Infinity');
SELECT count(*) FROM cheaper(2);

-- what belongs to a table takes its name
SELECT create_table('old', 'PK', 'SK', partitions => 2, indexes => '[{"index_name": "stored", "partition_key": "A", "storage": "table"},
	{"index_name": "shards", "partition_key": "A", "shards": 2}, {"index_name": "inline", "partition_key": "A"}]');
SELECT enable_stream('old') IS NOT NULL AS enabled;
SELECT put_item('old', '{"PK": "1", "SK": "2", "A": "x"}'::jsonb);
CREATE TABLE "new$stored" (x int);
CREATE TABLE plain (x int) PARTITION BY RANGE (x);
CREATE TABLE "plain$1" PARTITION OF plain DEFAULT;
ALTER TABLE plain RENAME TO other;
ALTER TABLE old RENAME TO new;
CREATE VIEW names AS SELECT relname FROM pg_class WHERE relnamespace = 't_keys'::regnamespace AND relname ~ '^(old|new|plain|other|lll|mmm|sho)' AND relkind IN ('r', 'p') ORDER BY 1;
SELECT * FROM names;
SELECT query('new', 'A = :a', '{":a": {"S": "x"}}', index_name => i) FROM unnest('{stored,shards,inline}'::text[]) i;
SELECT put_item('new', '{"PK": "2", "SK": "2", "A": "x"}'::jsonb);
SELECT v.* FROM unnest('{stored,shards,inline}'::text[]) i, verify_index('new', i) v;
DROP TABLE "new$stored";
ALTER INDEX new RENAME TO old;
SELECT * FROM names;
ALTER TABLE "old$stored$r1" RENAME TO "old$mine";
ALTER TABLE old RENAME TO new;
SELECT * FROM names;
SELECT drop_table('new');
SELECT create_table(repeat('l', 60), 'PK', 'SK', indexes => '[{"index_name": "stored", "partition_key": "A", "storage": "table"}, {"index_name": "shards", "partition_key": "A", "shards": 2}]');
DO $$ BEGIN EXECUTE format('ALTER TABLE %I RENAME TO short', repeat('l', 60)); END $$;
SELECT * FROM names;
DO $$ BEGIN EXECUTE format('ALTER TABLE short RENAME TO %I', repeat('m', 63)); END $$;
SELECT count(*) FROM names WHERE relname ~ '^mmm';
SELECT put_item(repeat('m', 63), '{"PK": "1", "SK": "2", "A": "x"}'::jsonb);
SELECT count(*) FROM verify_index(repeat('m', 63), 'shards');
SET client_min_messages = error;
SELECT drop_table(repeat('m', 63));
DROP SCHEMA t_keys CASCADE;
