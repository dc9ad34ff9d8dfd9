-- A view of orders as rows.
SELECT dynamo.create_entity('shop', 'Order', type_attribute => 'EntityType');
SELECT dynamo.create_entity_view('order_view', 'shop', entity_name => 'Order',
	columns => '{"customer": {"type": "text", "attribute": "name"}, "total": "numeric", "quantity": "int", "active": "boolean", "created_at": "timestamptz"}');
