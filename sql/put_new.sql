-- Puts after many puts of new keys, which do not search for an existing item first
\set SHOW_CONTEXT never
CREATE SCHEMA t_put_new;
SET search_path = t_put_new, dynamo;
SELECT dynamo.create_table('events', partition_key => 'id');
CREATE FUNCTION item(id text, n int) RETURNS dynamo.item LANGUAGE sql AS $$ SELECT jsonb_build_object('id', id, 'n', n) $$;
CREATE PROCEDURE put_many(prefix text) LANGUAGE sql AS $$
	SELECT count(dynamo.put_item('events', item(prefix || i, i))) FROM generate_series(1, 40) i
$$;

CALL put_many('a');
SELECT count(*), sum((item ->> 'n')::int) FROM events;
-- one that exists, with its old item
SELECT dynamo.put_item('events', item('a1', 100), return_values => 'ALL_OLD');
SELECT dynamo.put_item('events', item('a1', 101), return_values => 'ALL_OLD');
-- one key several times in a statement
CALL put_many('b');
SELECT i, dynamo.put_item('events', item('c' || i / 2, i), return_values => 'ALL_OLD') FROM generate_series(1, 6) i;
-- one that was deleted before in the transaction, and one whose put was rolled back
CALL put_many('d');
BEGIN;
SELECT dynamo.delete_item('events', item('a2', 0) OPERATOR(dynamo.-) 'n');
SELECT dynamo.put_item('events', item('a2', 200), return_values => 'ALL_OLD');
SAVEPOINT s;
SELECT dynamo.put_item('events', item('e', 1), return_values => 'ALL_OLD');
ROLLBACK TO s;
SELECT dynamo.put_item('events', item('e', 2), return_values => 'ALL_OLD');
COMMIT;
-- conditions are evaluated on the existing item
CALL put_many('f');
SELECT dynamo.put_item('events', item('a3', 300), 'attribute_not_exists(id)');
SELECT dynamo.put_item('events', item('a3', 300), 'n = :n', expression_attribute_values => jsonb_build_object(':n', 3), return_values => 'ALL_OLD');
-- requests, and batches and transactions of new and existing keys
CALL put_many('g');
SELECT dynamo.request('PutItem', '{"TableName": "events", "Item": {"id": {"S": "a4"}, "n": {"N": "400"}}, "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "TOTAL"}');
CALL put_many('h');
SELECT dynamo.batch_write_item('events', ARRAY[item('a5', 500), item('i', 1), item('a6', 600)]);
CALL put_many('j');
SELECT dynamo.transact_write_items(jsonb_build_array(
	jsonb_build_object('Put', jsonb_build_object('TableName', 'events', 'Item', '{"id": {"S": "a7"}, "n": {"N": "700"}}'::jsonb)),
	jsonb_build_object('Put', jsonb_build_object('TableName', 'events', 'Item', '{"id": {"S": "k"}, "n": {"N": "1"}}'::jsonb))));
-- lines of an import
SELECT imported, failed FROM dynamo.import_lines('events', ARRAY(
	SELECT format('{"Item": {"id": {"S": "%s"}, "n": {"N": "%s"}}}', id, n)
	FROM (SELECT 'l' || i, i FROM generate_series(1, 40) i UNION ALL SELECT 'a8', 800 UNION ALL SELECT 'l41', 41) AS lines (id, n)));
-- another unique index, which an item that replaces itself does not violate
CREATE UNIQUE INDEX ON events ((item ->> 'n')) WHERE id >= 'm';
SELECT count(dynamo.put_item('events', item('m' || i, i))) FROM generate_series(1, 40) i;
SELECT dynamo.put_item('events', item('m1', 1), return_values => 'ALL_OLD');
SELECT dynamo.put_item('events', item('n1', 1));
DROP INDEX events_expr_idx;
-- every key once, in the table and in its index
SET enable_seqscan = off;
SELECT count(*) = count(DISTINCT id) AS once, count(*) FROM events WHERE id > '';
SET enable_seqscan = on;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
SELECT count(*) = count(DISTINCT id) AS once, count(*) FROM events WHERE id > '';
SELECT item FROM events WHERE id IN ('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'e', 'i', 'k') ORDER BY id;

SET client_min_messages = warning;
DROP SCHEMA t_put_new CASCADE;
