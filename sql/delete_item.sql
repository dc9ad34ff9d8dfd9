-- delete_item: deletes one item by its key
CREATE SCHEMA t_delete;
SET search_path = t_delete;
SELECT dynamo.create_table('stock', partition_key => 'id');
INSERT INTO stock (item) SELECT jsonb_build_object('id', 'p' || g, 'n', g) FROM generate_series(1, 6) g;

SELECT dynamo.delete_item('stock', '{"id": {"S": "p1"}}');
SELECT dynamo.delete_item('stock', '{"id": {"S": "p2"}}', return_values => 'ALL_OLD');
-- a missing item is not an error
SELECT dynamo.delete_item('stock', '{"id": {"S": "p2"}}', return_values => 'ALL_OLD');
SELECT id FROM stock ORDER BY id;

-- conditions
SELECT dynamo.delete_item('stock', '{"id": {"S": "p3"}}', 'n > :n', '{":n": {"N": "3"}}');
SELECT dynamo.delete_item('stock', '{"id": {"S": "p3"}}', 'n > :n', '{":n": {"N": "3"}}', return_values_on_condition_check_failure => 'ALL_OLD');
SELECT dynamo.delete_item('stock', '{"id": {"S": "none"}}', 'attribute_exists(id)');
SELECT dynamo.delete_item('stock', '{"id": {"S": "none"}}', 'attribute_not_exists(id)', return_values => 'ALL_OLD');
SELECT dynamo.delete_item('stock', '{"id": {"S": "p3"}}', '#n BETWEEN :a AND :b', '{":a": {"N": "3"}, ":b": {"N": "4"}}', '{"#n": "n"}', 'ALL_OLD');
SELECT id FROM stock ORDER BY id;

-- errors
SELECT dynamo.delete_item('stock', '{"id": {"S": "p4"}}', return_values => 'UPDATED_NEW');
SELECT dynamo.delete_item('stock', '{"id": {"S": "p4"}, "n": {"N": "1"}}');
SELECT dynamo.delete_item('stock', '{"id": {"N": "4"}}');
SELECT dynamo.delete_item('stock', '{}');
SELECT dynamo.delete_item('stock', NULL);
SELECT dynamo.delete_item('stock', '{"id": {"S": "p4"}}', expression_attribute_values => '{":v": {"N": "2"}}');

-- several deletes of one key in one statement, and deletes of all items
SELECT dynamo.delete_item('stock', '{"id": {"S": "p4"}}', return_values => 'ALL_OLD') FROM generate_series(1, 2);
SELECT dynamo.delete_item('stock', jsonb_build_object('id', id), return_values => 'ALL_OLD') FROM stock ORDER BY id;
SELECT count(*) FROM stock;

SET client_min_messages = warning;
DROP SCHEMA t_delete CASCADE;
