-- A view of orders as rows.
SELECT dynamo.create_entity_view('order_view', 'shop',
	columns => '{"customer": {"type": "text", "attribute": "name"}, "total": "numeric", "quantity": "int", "active": "boolean", "created_at": "timestamptz"}',
	attributes => '{"EntityType": {"S": "Order"}}');
