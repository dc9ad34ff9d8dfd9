-- get_item: one item by its key
CREATE SCHEMA t_get;
SET search_path = t_get;
SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
INSERT INTO shop (item) VALUES
	('{"PK": {"S": "c#1"}, "SK": {"S": "meta"}, "name": {"S": "Alice"}, "address": {"M": {"street": {"S": "Main"}, "zip": {"N": "12345"}}}, "tags": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]}}'),
	('{"PK": {"S": "c#1"}, "SK": {"S": "order"}}');

SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "order"}}');
SELECT dynamo.get_item(key => jsonb_build_object('PK', 'c#1', 'SK', 'order'), table_name => 'shop');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "none"}}') IS NULL AS absent;

-- projections
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', 'PK, address.zip, tags[2], tags[0], nope');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', '#n, #a.#s', '{"#n": "name", "#a": "address", "#s": "street"}');
-- without a matching attribute the result is an empty item, not NULL
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', 'nope');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "none"}}', 'nope') IS NULL AS absent;
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', 'a, a.b');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', 'PK.a');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', NULL, '{"#n": "name"}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}}', 'PK', '{"#n": "name"}');

-- keys
SELECT dynamo.get_item('shop', NULL);
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "meta"}, "x": {"S": "y"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"N": "1"}}');
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": ""}}');
SELECT dynamo.get_item('nowhere', '{"PK": {"S": "c#1"}}');

-- a large, toasted item
SELECT dynamo.put_item('shop', jsonb_build_object('PK', 'c#2', 'SK', 'big', 'd',
	(SELECT string_agg(md5(g::text), '') FROM generate_series(1, 5000) g)));
SELECT dynamo.item_size(dynamo.get_item('shop', '{"PK": {"S": "c#2"}, "SK": {"S": "big"}}'));
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#2"}, "SK": {"S": "big"}}', 'PK, SK');

-- STABLE: a statement uses one snapshot; the next one sees later writes
SELECT count(dynamo.get_item('shop', jsonb_build_object('PK', 'new', 'SK', g::text)))
FROM (SELECT g, dynamo.put_item('shop', jsonb_build_object('PK', 'new', 'SK', g::text)) FROM generate_series(1, 3) g OFFSET 0) s;
SELECT count(dynamo.get_item('shop', jsonb_build_object('PK', 'new', 'SK', g::text))) FROM generate_series(1, 3) g;

-- reading is allowed in read-only transactions
BEGIN READ ONLY;
SELECT dynamo.get_item('shop', '{"PK": {"S": "c#1"}, "SK": {"S": "order"}}');
COMMIT;

SET client_min_messages = warning;
DROP SCHEMA t_get CASCADE;
