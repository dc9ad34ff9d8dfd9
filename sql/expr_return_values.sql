-- UPDATED_OLD and UPDATED_NEW: the updated paths with their hierarchy.
CREATE SCHEMA t_expr_return;
SET search_path = t_expr_return, dynamo;
SELECT create_table('tab', 'id');
SELECT put_item('tab', '{"id": {"S": "i"}, "n": {"N": "1"}, "ss": {"SS": ["a", "b"]},
	"a": {"M": {"b": {"N": "2"}, "c": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}, {"S": "3"}]}, "d": {"S": "d"}}}}');
-- the results of both modes for an update of this item
CREATE FUNCTION r(update text, v item DEFAULT NULL, OUT updated_old item, OUT updated_new item) LANGUAGE plpgsql AS $$
DECLARE
	before item;
BEGIN
	before := get_item('tab', '{"id": {"S": "i"}}');
	updated_old := update_item('tab', '{"id": {"S": "i"}}', update, expression_attribute_values => v, return_values => 'UPDATED_OLD');
	PERFORM put_item('tab', before);
	updated_new := update_item('tab', '{"id": {"S": "i"}}', update, expression_attribute_values => v, return_values => 'UPDATED_NEW');
	PERFORM put_item('tab', before);
END $$;

-- top level: changed, new, removed, unchanged
SELECT * FROM r('SET n = :v, q = :v', '{":v": {"N": "5"}}');
SELECT * FROM r('REMOVE n, q');
SELECT * FROM r('SET n = n');
SELECT * FROM r('ADD n :v DELETE ss :s', '{":v": {"N": "5"}, ":s": {"SS": ["a"]}}');
SELECT * FROM r('DELETE ss :s', '{":s": {"SS": ["a", "b"]}}');
-- nested: only the updated leaves
SELECT * FROM r('SET a.b = :v, a.e = :v', '{":v": {"N": "5"}}');
-- list elements, without gaps
SELECT * FROM r('SET a.c[1] = :v', '{":v": {"N": "5"}}');
SELECT * FROM r('SET a.c[3] = :v, a.c[1] = :v REMOVE n', '{":v": {"N": "5"}}');
-- Paths are looked up as written: there is nothing past the end of a list, and
-- after a removal the next element is in its place.
SELECT * FROM r('SET a.c[100] = :v', '{":v": {"N": "5"}}');
SELECT * FROM r('REMOVE a.c[1]');
SELECT * FROM r('REMOVE a.c[3]');
-- a new item, and no item
SELECT update_item('tab', '{"id": {"S": "new"}}', 'SET x = :v', expression_attribute_values => '{":v": {"N": "5"}}', return_values => 'UPDATED_OLD');
SELECT update_item('tab', '{"id": {"S": "new2"}}', 'SET x = :v', expression_attribute_values => '{":v": {"N": "5"}}', return_values => 'UPDATED_NEW');
SELECT update_item('tab', '{"id": {"S": "new3"}}', 'REMOVE x', return_values => 'ALL_NEW');
SELECT get_item('tab', '{"id": {"S": "new3"}}');
-- the whole item
SELECT update_item('tab', '{"id": {"S": "i"}}', 'SET n = n + n REMOVE a', return_values => 'ALL_NEW');

SET client_min_messages = warning;
DROP SCHEMA t_expr_return CASCADE;
