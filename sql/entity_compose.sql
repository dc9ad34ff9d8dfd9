-- entities: keys are composed by every way of writing
CREATE SCHEMA t_entity;
SET search_path = t_entity, dynamo;
\set SHOW_CONTEXT never
SET timezone = 'America/New_York';

SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_org", "partition_key": "org_key", "storage": "table"}]');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}",
		"GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:s}", "org_key": "ORG#{address.org:lower}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": {"type": "timestamptz", "required": true}, "address": "jsonb",
	  "status": {"type": "text", "default": "OPEN"}, "format": {"type": "int", "constant": 2}, "note": "text"}',
	type_attribute => '_et', index_conditions => '{"by_org": "attribute_exists(address)"}');
SELECT create_entity('shop', 'tag', '{"PK": "TAG#{tag}", "SK": "TAG#{tag}"}');
CREATE FUNCTION new_order(n int, more jsonb DEFAULT '{}') RETURNS item LANGUAGE sql
RETURN (jsonb_build_object('_et', 'order', 'customer_id', 'c7', 'order_id', n, 'placed_at', '2026-01-31T12:00:00+02:00') || more)::item;
CREATE VIEW orders AS SELECT "PK", "SK", "GSI1PK", "GSI1SK", org_key, item - 'PK' - 'SK' - 'GSI1PK' - 'GSI1SK' - 'org_key' AS item FROM shop;

-- functions
SELECT put_item('shop', new_order(1, '{"address": {"org": "ACME"}}'));
SELECT batch_write_item('shop', ARRAY[new_order(2)]);
SELECT transact_write_items(json_build_array(
	json_build_object('Put', json_build_object('TableName', 'shop', 'Item', new_order(3)::text::json))));
SELECT * FROM orders ORDER BY 1, 2;
TABLE "shop$by_org";

-- requests and PartiQL
SELECT request('PutItem', jsonb_build_object('TableName', 'shop', 'ReturnItemCollectionMetrics', 'SIZE', 'Item', new_order(4)::text::jsonb)::json);
SELECT request('BatchWriteItem', jsonb_build_object('RequestItems', jsonb_build_object('shop', jsonb_build_array(
	jsonb_build_object('PutRequest', jsonb_build_object('Item', new_order(5)::text::jsonb)))))::json);
SELECT request('TransactWriteItems', jsonb_build_object('TransactItems', jsonb_build_array(
	jsonb_build_object('Put', jsonb_build_object('TableName', 'shop', 'Item', new_order(6)::text::jsonb)),
	jsonb_build_object('Update', jsonb_build_object('TableName', 'shop', 'Key', entity_key('shop', 'order', new_order(5))::text::jsonb,
		'UpdateExpression', 'SET #s = :s', 'ExpressionAttributeNames', '{"#s": "status"}'::jsonb, 'ExpressionAttributeValues', '{":s": {"S": "PAID"}}'::jsonb))))::json);
SELECT request('ExecuteStatement', '{"Statement": "INSERT INTO shop VALUE {''_et'': ''order'', ''customer_id'': ''c7'', ''order_id'': 7, ''placed_at'': ''2026-02-01''}"}');
SELECT request('ExecuteStatement', '{"Statement": "UPDATE shop SET status = ''SENT'' WHERE PK = ''CUSTOMER#c7'' AND SK = ''ORDER#000007''"}');

-- SQL
INSERT INTO shop (item) VALUES (new_order(8)) RETURNING "SK", "GSI1PK";
INSERT INTO shop ("PK", "SK", item) VALUES ('CUSTOMER#c7', 'ORDER#000009', new_order(9)) RETURNING "SK", "GSI1PK";
INSERT INTO shop ("PK", "SK", item) VALUES ('CUSTOMER#c7', 'ORDER#9', new_order(10));
INSERT INTO shop (item) VALUES (new_order(9)) ON CONFLICT ("PK", "SK") DO UPDATE SET item = set_attribute(shop.item, 'status', to_value('LATE'::text))
RETURNING "SK", "GSI1PK";
MERGE INTO shop USING (VALUES (new_order(9)), (new_order(10))) v(item) ON shop."SK" = entity_key('shop', 'order', v.item) ->> 'SK'
WHEN MATCHED THEN UPDATE SET item = set_attribute(shop.item, 'status', to_value('MERGED'::text))
WHEN NOT MATCHED THEN INSERT (item) VALUES (v.item);
COPY shop (item) FROM stdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
{"_et": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "11"}, "placed_at": {"N": "1769853600"}}
\.
SELECT * FROM import_lines('shop', ARRAY['{"Item": {"_et": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "12"}, "placed_at": {"S": "2026-02-02"}}}',
	'{"Item": {"_et": {"S": "order"}, "customer_id": {"S": "c7"}, "placed_at": {"S": "2026-02-02"}}}'], skip_errors => true);
-- an entity view
SELECT create_entity_view('order_rows', 'shop', '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": "text"}',
	entity_name => 'order');
INSERT INTO order_rows (customer_id, order_id, placed_at) VALUES ('c7', 13, '2026-03-01 00:00+00');
UPDATE order_rows SET status = 'VIEW' WHERE "SK" = 'ORDER#000013';
SELECT "PK", "SK", "GSI1PK", "GSI1SK" FROM orders ORDER BY 1, 2;

-- a user's trigger that changes attributes that are parts of keys
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.item = dynamo.set_attribute(NEW.item, 'status', dynamo.to_value('TRIGGER'::text));
	RETURN NEW;
END $$;
CREATE TRIGGER a_change BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION change();
SELECT put_item('shop', new_order(20));
SELECT put_item('shop', new_order(20, '{"status": "X"}'));
INSERT INTO shop (item) VALUES (new_order(21));
SELECT update_item('shop', entity_key('shop', 'order', new_order(8)), 'SET note = :n', expression_attribute_values => '{":n": {"S": "x"}}',
	return_values => 'ALL_NEW') ->> 'GSI1PK';
SELECT "SK", "GSI1PK" FROM shop WHERE "GSI1PK" = 'STATUS#TRIGGER' ORDER BY 1;
DROP TRIGGER a_change ON shop;
-- a user's trigger that fires too late
CREATE TRIGGER "~z_change" BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION change();
INSERT INTO shop (item) VALUES (new_order(22));
DROP TRIGGER "~z_change" ON shop;

-- updates: index keys are composed again, other attributes have no effect
SELECT update_item('shop', entity_key('shop', 'order', new_order(1)), 'SET address.org = :o, placed_at = :p REMOVE #s',
	expression_attribute_values => '{":o": {"S": "Bob & Co"}, ":p": {"S": "2026-05-05T00:00:00Z"}}', expression_attribute_names => '{"#s": "status"}', return_values => 'ALL_NEW');
SELECT update_item('shop', entity_key('shop', 'order', new_order(1)), 'REMOVE address', return_values => 'ALL_NEW') ->> 'org_key';
SELECT count(*) FROM "shop$by_org";
UPDATE shop SET item = set_attribute(item, 'status', to_value('AGAIN'::text)) WHERE "SK" = 'ORDER#000001' RETURNING "GSI1PK";
SELECT count(*) FROM query('shop', 'GSI1PK = :p', '{":p": {"S": "STATUS#AGAIN"}}', index_name => 'by_status');
-- an update that creates an item reads the parts from its key
SELECT update_item('shop', '{"PK": {"S": "CUSTOMER#c9"}, "SK": {"S": "ORDER#000001"}}', 'SET #e = :e, placed_at = :p',
	expression_attribute_values => '{":e": {"S": "order"}, ":p": {"S": "2026-05-05T00:00:00Z"}}', expression_attribute_names => '{"#e": "_et"}', return_values => 'ALL_NEW');
-- parts of the table's key: functions raise the service's error, SQL moves the item
SELECT update_item('shop', entity_key('shop', 'order', new_order(1)), 'SET order_id = :n', expression_attribute_values => '{":n": {"N": "99"}}');
SELECT update_item('shop', entity_key('shop', 'order', new_order(1)), 'REMOVE order_id', return_values => 'ALL_NEW');
UPDATE shop SET item = set_attribute(item, 'order_id', to_value(99)) WHERE "SK" = 'ORDER#000001' AND "PK" = 'CUSTOMER#c7' RETURNING "SK", item ->> 'SK';
UPDATE shop SET item = set_attribute(item, 'order_id', to_value(13)) WHERE "SK" = 'ORDER#000099';
UPDATE order_rows SET order_id = 98 WHERE "SK" = 'ORDER#000099';
SELECT "SK" FROM shop WHERE "SK" >= 'ORDER#000090';

-- a key is given: the same one, a different one
SELECT put_item('shop', new_order(30, '{"PK": "CUSTOMER#c7", "SK": "ORDER#000030", "GSI1PK": "STATUS#OPEN", "GSI1SK": "2026-01-31T10:00:00Z", "format": 2}'));
SELECT put_item('shop', new_order(30, '{"PK": "CUSTOMER#c7", "SK": "ORDER#31"}'));
SELECT put_item('shop', new_order(30, '{"GSI1PK": "STATUS#PAID"}'));
-- clients of requests, who see no detail, are told both keys in the message
CREATE FUNCTION body(operation text, request jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	RETURN request(operation, request::json);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END $$;
SELECT body(operation, request) FROM (SELECT new_order(30, '{"GSI1PK": "STATUS#PAID"}')::text::jsonb) i(item),
	LATERAL (VALUES ('PutItem', jsonb_build_object('TableName', 'shop', 'Item', item)),
		('BatchWriteItem', jsonb_build_object('RequestItems', jsonb_build_object('shop', jsonb_build_array(jsonb_build_object('PutRequest', jsonb_build_object('Item', item)))))),
		('TransactWriteItems', jsonb_build_object('TransactItems', jsonb_build_array(jsonb_build_object('Put', jsonb_build_object('TableName', 'shop', 'Item', item))))),
		('UpdateItem', jsonb_build_object('TableName', 'shop', 'Key', entity_key('shop', 'order', new_order(3))::text::jsonb, 'UpdateExpression', 'SET GSI1PK = :v',
			'ExpressionAttributeValues', '{":v": {"S": "STATUS#NO"}}'::jsonb)),
		('ExecuteStatement', '{"Statement": "INSERT INTO shop VALUE {''_et'': ''order'', ''customer_id'': ''c7'', ''order_id'': 30, ''placed_at'': ''2026-02-01'', ''GSI1PK'': ''STATUS#NO''}"}'::jsonb),
		('ExecuteTransaction', '{"TransactStatements": [{"Statement": "INSERT INTO shop VALUE {''_et'': ''order'', ''customer_id'': ''c7'', ''order_id'': 30, ''placed_at'': ''2026-02-01'', ''GSI1PK'': ''STATUS#NO''}"}]}'),
		('BatchExecuteStatement', '{"Statements": [{"Statement": "INSERT INTO shop VALUE {''_et'': ''order'', ''customer_id'': ''c7'', ''order_id'': 30, ''placed_at'': ''2026-02-01'', ''GSI1PK'': ''STATUS#NO''}"}]}')) r(operation, request);
SELECT put_item('shop', new_order(30, '{"org_key": "ORG#x"}'));
SELECT put_item('shop', new_order(30, '{"format": 3}'));
SELECT update_item('shop', entity_key('shop', 'order', new_order(30)), 'SET GSI1PK = :x', expression_attribute_values => '{":x": {"S": "STATUS#PAID"}}');
SELECT update_item('shop', entity_key('shop', 'order', new_order(30)), 'SET GSI1PK = :x, #s = :s',
	expression_attribute_values => '{":x": {"S": "STATUS#PAID"}, ":s": {"S": "PAID"}}', expression_attribute_names => '{"#s": "status"}');
UPDATE shop SET item = set_attribute(item, 'GSI1SK', to_value('x'::text)) WHERE "SK" = 'ORDER#000030';
SELECT request('TransactWriteItems', jsonb_build_object('TransactItems', jsonb_build_array(
	jsonb_build_object('Put', jsonb_build_object('TableName', 'shop', 'Item', new_order(30, '{"GSI1PK": "x"}')::text::jsonb))))::json);
-- missing and invalid parts
SELECT put_item('shop', '{"_et": {"S": "order"}, "customer_id": {"S": "c7"}, "placed_at": {"S": "2026-01-01"}}');
SELECT put_item('shop', new_order(30) - 'placed_at');
SELECT put_item('shop', new_order(1234567));
SELECT put_item('shop', new_order(30, '{"placed_at": "yesterday"}'));
SELECT put_item('shop', new_order(30, '{"order_id": "30"}'));
SELECT put_item('shop', new_order(30, '{"status": ["a"]}'));
SELECT put_item('shop', new_order(30, '{"address": null}'));
SELECT update_item('shop', entity_key('shop', 'order', new_order(30)), 'REMOVE placed_at');
SELECT put_item('shop', '{"unknown": {"S": "kind"}}');
SELECT put_item('shop', '{"tag": {"S": "new"}}', return_values => 'ALL_OLD');
SELECT "PK", "SK" FROM shop WHERE "PK" = 'TAG#new';
SELECT put_item('shop', '{"PK": {"S": "x"}, "SK": {"S": "y"}, "GSI1PK": {"S": "free"}}');
SELECT put_item('shop', new_order(31, jsonb_build_object('customer_id', repeat('x', 2048))));

-- replacing keys that are given
SELECT drop_entity('shop', 'tag');
SELECT create_entity('shop', 'tag', '{"PK": "TAG#{tag}", "SK": "TAG#{tag}", "GSI1PK": "TAGS", "GSI1SK": "{tag}"}', on_mismatch => 'replace');
SELECT put_item('shop', '{"PK": {"S": "TAG#a"}, "SK": {"S": "TAG#a"}, "tag": {"S": "b"}, "GSI1PK": {"S": "old"}}');
SELECT update_item('shop', '{"PK": {"S": "TAG#b"}, "SK": {"S": "TAG#b"}}', 'SET GSI1SK = :x', expression_attribute_values => '{":x": {"S": "y"}}', return_values => 'ALL_NEW');
SELECT update_item('shop', '{"PK": {"S": "TAG#b"}, "SK": {"S": "TAG#b"}}', 'SET tag = :x', expression_attribute_values => '{":x": {"S": "y"}}');

-- an item older than the entity does not change until a part of its keys changes
SELECT drop_entity('shop', 'tag');
SELECT put_item('shop', '{"PK": {"S": "TAG#old"}, "SK": {"S": "TAG#old"}, "GSI1PK": {"S": "stale"}, "tag": {"S": "old"}}');
SELECT create_entity('shop', 'tag', '{"PK": "TAG#{tag}", "SK": "TAG#{tag}", "GSI1PK": "TAGS", "GSI1SK": "{tag}"}');
SELECT update_item('shop', '{"PK": {"S": "TAG#old"}, "SK": {"S": "TAG#old"}}', 'SET n = :n', expression_attribute_values => '{":n": {"N": "1"}}', return_values => 'ALL_NEW');
UPDATE shop SET item = set_attribute(item, 'tag', to_value('older'::text)) WHERE "PK" = 'TAG#old' RETURNING "PK", "GSI1PK", "GSI1SK";

-- replicated items were composed on their own server
SET session_replication_role = replica;
INSERT INTO shop (item) VALUES ('{"PK": {"S": "TAG#r"}, "SK": {"S": "TAG#r"}, "tag": {"S": "other"}}') RETURNING "GSI1PK";
RESET session_replication_role;
SELECT i.index_name, v.* FROM indexes i, LATERAL verify_index('shop', i.index_name) v WHERE schema_name = 't_entity';

SET client_min_messages = warning;
DROP SCHEMA t_entity CASCADE;
