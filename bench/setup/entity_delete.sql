-- Orders that are deleted, in a table with a view and in one with jsonb.
SELECT dynamo.create_table('shop_deleted', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_entity('shop_deleted', 'Order', type_attribute => 'EntityType');
SELECT dynamo.create_entity_view('deleted_view', 'shop_deleted', entity_name => 'Order',
	columns => '{"customer": {"type": "text", "attribute": "name"}, "total": "numeric", "quantity": "int", "active": "boolean", "created_at": "timestamptz"}');
CREATE TABLE raw_deleted (LIKE raw_shop INCLUDING ALL);
