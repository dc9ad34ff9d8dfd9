-- Orders whose keys are composed by an entity, and the same with keys that the
-- client has composed, in a table without entities.
SELECT dynamo.create_table('shop_composed', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_table('shop_supplied', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_entity('shop_composed', 'order',
	'{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}"}',
	'{"customer_id": "text", "order_id": "int"}', type_attribute => 'EntityType', type_value => 'Order');
CREATE TABLE composed_sample AS
SELECT doc::dynamo.item::text AS parts_text, (doc || keys)::dynamo.item::text AS item_text, keys::dynamo.item::text AS key
FROM (SELECT jsonb_build_object('EntityType', 'Order', 'customer_id', (i % 1000)::text, 'order_id', i, 'name', 'Customer ' || i % 1000,
			'total', round(i * 1.37, 2), 'quantity', i % 7, 'active', i % 2 = 0, 'created_at', '2026-01-31T12:00:00Z', 'note', repeat('n', 100)) AS doc,
		jsonb_build_object('PK', 'CUSTOMER#' || i % 1000, 'SK', 'ORDER#' || lpad(i::text, 8, '0')) AS keys
	  FROM generate_series(1, 20000) i) s;
SELECT dynamo.create_entity_view('composed_orders', 'shop_composed', '{"customer_id": "text", "order_id": "int", "name": "text", "total": "numeric"}',
	entity_name => 'order');
INSERT INTO shop_composed (item) SELECT item_text::dynamo.item FROM composed_sample;
CREATE TABLE lookup_sample AS SELECT item ->> 'customer_id' AS customer_id, item ->> 'order_id' AS order_id, item ->> 'PK' AS pk, item ->> 'SK' AS sk
FROM (SELECT item_text::dynamo.item::jsonb AS item FROM composed_sample) s;
ANALYZE shop_composed;
SELECT dynamo.create_access_pattern('shop_composed', 'orders_of', 'customer_id = :customer_id', view_name => 'composed_orders', max_items => 10);
SELECT dynamo.create_access_pattern('shop_composed', 'order_items_of', 'customer_id = :customer_id', '{order}', max_items => 10);
SELECT dynamo.create_access_pattern('shop_composed', 'all_orders_of', 'customer_id = :customer_id', view_name => 'composed_orders');
SELECT dynamo.create_access_pattern('shop_composed', 'orders_between', 'customer_id = :customer_id AND order_id BETWEEN :first AND :last',
	view_name => 'composed_orders');
