-- batch_get_item and batch_write_item
CREATE SCHEMA t_batch;
SET search_path = t_batch;
SELECT dynamo.create_table('parts', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N');

SELECT dynamo.batch_write_item('parts', ARRAY(SELECT jsonb_build_object('PK', 'p' || g % 3, 'SK', g, 'v', g * 10)::dynamo.item FROM generate_series(1, 9) g));
SELECT "PK", "SK", item OPERATOR(dynamo.->>) 'v' AS v FROM parts ORDER BY 1, 2;

-- puts and deletes in one call; deleting a missing item is not an error
SELECT dynamo.batch_write_item('parts',
	put_items => ARRAY['{"PK": {"S": "p0"}, "SK": {"N": "3"}, "new": {"BOOL": true}}', '{"PK": {"S": "p9"}, "SK": {"N": "1"}}']::dynamo.item[],
	delete_keys => ARRAY['{"PK": {"S": "p1"}, "SK": {"N": "1.0"}}', '{"PK": {"S": "none"}, "SK": {"N": "1"}}']::dynamo.item[]);
SELECT item FROM parts WHERE "PK" IN ('p0', 'p9') OR ("PK", "SK") = ('p1', 1) ORDER BY "PK", "SK";
SELECT dynamo.batch_write_item('parts');

-- reading: items in the order of the keys, without missing ones
SELECT * FROM dynamo.batch_get_item('parts', ARRAY[
	'{"PK": {"S": "p2"}, "SK": {"N": "8"}}', '{"PK": {"S": "none"}, "SK": {"N": "8"}}', '{"PK": {"S": "p0"}, "SK": {"N": "3"}}']::dynamo.item[]);
SELECT dynamo.batch_get_item('parts', ARRAY(SELECT jsonb_build_object('PK', "PK", 'SK', "SK")::dynamo.item FROM parts ORDER BY 1), '#v', '{"#v": "v"}') LIMIT 3;
SELECT count(*) FROM dynamo.batch_get_item('parts', ARRAY[]::dynamo.item[]);
SELECT count(*) FROM dynamo.batch_get_item('parts', ARRAY(SELECT jsonb_build_object('PK', 'p' || g % 3, 'SK', g)::dynamo.item FROM generate_series(1, 300) g));

-- everything is checked before anything is written
SELECT dynamo.batch_write_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}', '{"PK": {"S": "x"}, "SK": {"N": "1.0"}}']::dynamo.item[]);
SELECT dynamo.batch_write_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}']::dynamo.item[], ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}']::dynamo.item[]);
SELECT dynamo.batch_write_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}', '{"PK": {"S": "x"}}']::dynamo.item[]);
SELECT dynamo.batch_write_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}', '{"PK": {"S": "x"}, "SK": {"S": "1"}}']::dynamo.item[]);
SELECT dynamo.batch_write_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}', '{"PK": {"S": ""}, "SK": {"N": "1"}}']::dynamo.item[]);
SELECT dynamo.batch_write_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}', NULL]::dynamo.item[]);
SELECT dynamo.batch_write_item('parts', NULL, ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}, "a": {"S": "b"}}']::dynamo.item[]);
-- also with nothing to write
SELECT dynamo.batch_write_item('none', '{}');
SELECT dynamo.batch_write_item('pg_catalog.pg_class', NULL, '{}');
SELECT dynamo.batch_write_item('nowhere', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}']::dynamo.item[]);
SELECT count(*) FROM parts WHERE "PK" = 'x';
SELECT dynamo.batch_get_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}', '{"PK": {"S": "x"}, "SK": {"N": "1"}}']::dynamo.item[]);
SELECT dynamo.batch_get_item('parts', ARRAY['{"PK": {"S": "x"}}']::dynamo.item[]);
SELECT dynamo.batch_get_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}']::dynamo.item[], 'SK[0]');
SELECT dynamo.batch_get_item('parts', ARRAY['{"PK": {"S": "x"}, "SK": {"N": "1"}}']::dynamo.item[], 'a.');

SET client_min_messages = warning;
DROP SCHEMA t_batch CASCADE;
