--
-- Access patterns by name: as the index of a request Query, and as tables of PartiQL.
--
\set SHOW_CONTEXT never
CREATE SCHEMA query_patterns;
SET search_path = query_patterns, public, dynamo;
SET timezone = 'UTC';
SET client_min_messages = warning;

SELECT create_table('shop', partition_key => 'PK', sort_key => 'SK',
    indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('shop', 'customer', type_attribute => 'kind', keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
    attributes => '{"customer_id": "text", "name": "text"}');
SELECT create_entity('shop', 'order', type_attribute => 'kind', view_name => 'orders',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "total": "numeric", "status": {"type": "text", "default": "OPEN"}}');
SELECT create_entity('shop', 'line', type_attribute => 'kind', keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}#LINE#{line:03}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "line": "int"}');
SELECT put_item('shop', '{"kind": "customer", "customer_id": "c7", "name": "Ann"}'::jsonb);
SELECT count(put_item('shop', jsonb_build_object('kind', 'order', 'customer_id', 'c7', 'order_id', n, 'total', 10 * n,
    'placed_at', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 day'))) FROM generate_series(1, 8) n;
SELECT put_item('shop', '{"kind": "line", "customer_id": "c7", "order_id": 3, "line": 1}'::jsonb);

SELECT create_access_pattern('shop', 'orders_of_customer', 'customer_id = :customer AND order_id BETWEEN :first AND :last',
    view_name => 'orders', parameters => '{"first": {"default": 3}, "last": {"default": null}}');
SELECT create_access_pattern('shop', 'recent_orders', '#s = :status AND placed_at >= :since', view_name => 'orders', index_name => 'by_status',
    expression_attribute_names => '{"#s": "status"}', parameters => '{"since": {"default": null}}', scan_index_forward => false, max_items => 3);
SELECT create_access_pattern('shop', 'customer_and_orders', 'customer_id = :customer', entities => '{customer,order}');
SELECT create_access_pattern('shop', 'large_orders', 'customer_id = :customer', entities => '{order}', filter_expression => '#t > :least',
    expression_attribute_names => '{"#t": "total"}', parameters => '{"least": "numeric"}', projection_expression => 'order_id, #t', returns => 'page');
SELECT create_access_pattern('shop', 'customer_document', 'customer_id = :customer', entities => '{customer,order}', returns => 'document');

CREATE FUNCTION answer(operation text, request jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer jsonb := dynamo.request_safe(operation, request::json)::jsonb;
    body jsonb := answer -> 'body';
BEGIN
    IF body ? 'Items' THEN
        RETURN jsonb_set(body, '{Items}', (SELECT coalesce(jsonb_agg(coalesce(i -> 'SK' ->> 'S', i::text)), '[]') FROM jsonb_array_elements(body -> 'Items') i));
    END IF;
    RETURN coalesce(body ->> 'message', body::text);
END $$;
CREATE FUNCTION named(pattern text, parameters jsonb DEFAULT NULL, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
SELECT answer('Query', jsonb_strip_nulls(jsonb_build_object('TableName', 'shop', 'IndexName', 'pattern:' || pattern, 'ExpressionAttributeValues', parameters)) || more)
$$;

-- parameters, with defaults of which one is a constant and one an open bound
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}, ":first": {"N": "5"}, ":last": {"N": "6"}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}, ":first": {"NULL": true}, ":last": {"N": "2"}}');
SELECT named('query_patterns.customer_and_orders', '{":customer": {"S": "c7"}}');
SELECT named('large_orders', '{":customer": {"S": "c7"}, ":least": {"N": "60"}}');
SELECT named('customer_document', '{":customer": {"S": "c7"}}');
SELECT named('orders_of_customer', '{":customer": {"S": "nobody"}}');
SELECT named('orders_of_customer', '{":customer": {"S": ""}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"Select": "COUNT", "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true}');

-- pages and their order; a pattern with max_items has its own
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"Limit": 3}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"Limit": 3, "ExclusiveStartKey": {"PK": {"S": "CUSTOMER#c7"}, "SK": {"S": "ORDER#00000004"}}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"Limit": 2, "ScanIndexForward": false}');
SELECT named('recent_orders', '{":status": {"S": "OPEN"}}');
SELECT named('recent_orders', '{":status": {"S": "OPEN"}}', '{"Limit": 2, "ScanIndexForward": false}');
SELECT named('recent_orders', '{":status": {"S": "OPEN"}}', '{"Limit": 4}');
SELECT named('recent_orders', '{":status": {"S": "OPEN"}}', '{"ScanIndexForward": true}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"ExclusiveStartKey": {"PK": {"S": "CUSTOMER#c8"}, "SK": {"S": "ORDER#00000004"}}}');

-- what is refused
SELECT named('orders_of_customer');
SELECT named('orders_of_customer', '{":first": {"N": "5"}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}, ":other": {"N": "5"}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}, ":first": {"N": "1234567890"}}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"KeyConditionExpression": "PK = :customer"}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"FilterExpression": "a = :customer"}');
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}', '{"ProjectionExpression": "SK"}');
SELECT named('no_such_pattern', '{":customer": {"S": "c7"}}');
SELECT named('answer', '{":customer": {"S": "c7"}}');
SELECT named('', '{":customer": {"S": "c7"}}');
SELECT named('other.orders_of_customer', '{":customer": {"S": "c7"}}');
SELECT answer('Scan', '{"TableName": "shop", "IndexName": "pattern:orders_of_customer"}');
SELECT answer('Query', '{"TableName": "shop", "IndexName": "by:status", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "c7"}}}');

-- of another table
SELECT create_table('other', partition_key => 'PK');
SELECT answer('Query', '{"TableName": "other", "IndexName": "pattern:orders_of_customer", "ExpressionAttributeValues": {":customer": {"S": "c7"}}}');

-- a pattern of the name in another schema; one of a stranger does not count
CREATE SCHEMA query_patterns_more;
SET search_path = query_patterns_more, query_patterns, public, dynamo;
SELECT create_access_pattern('shop', 'customer_and_orders', 'customer_id = :customer', entities => '{customer}');
SELECT named('customer_and_orders', '{":customer": {"S": "c7"}}');
SELECT named('query_patterns_more.customer_and_orders', '{":customer": {"S": "c7"}}');
CREATE ROLE query_patterns_stranger;
CREATE ROLE query_patterns_reader;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO query_patterns_stranger', current_database()); END $$;
GRANT USAGE, CREATE ON SCHEMA query_patterns TO query_patterns_stranger;
GRANT USAGE ON SCHEMA query_patterns TO query_patterns_reader;
GRANT SELECT ON shop TO query_patterns_stranger, query_patterns_reader;
SET ROLE query_patterns_stranger;
SET search_path = query_patterns, public, dynamo;
SELECT create_access_pattern('shop', 'of_stranger', 'customer_id = :customer', entities => '{order}');
SELECT named('of_stranger', '{":customer": {"S": "c7"}}');
RESET ROLE;
SELECT named('of_stranger', '{":customer": {"S": "c7"}}') AS as_superuser;
SET ROLE query_patterns_stranger;
CREATE SCHEMA query_patterns_stranger; SET search_path = query_patterns_stranger, query_patterns, public, dynamo;
SELECT create_access_pattern('shop', 'recent_orders', 'customer_id = :customer', entities => '{order}');
SET search_path = query_patterns, public, dynamo;
RESET ROLE;
SELECT named('query_patterns.recent_orders', '{":status": {"S": "OPEN"}}') = named('recent_orders', '{":status": {"S": "OPEN"}}') AS of_owner;
SET ROLE query_patterns_reader;
SELECT named('of_stranger', '{":customer": {"S": "c7"}}') AS as_reader;

-- rights: those to the function and its schema, and those to the table
SELECT named('large_orders', '{":customer": {"S": "c7"}, ":least": {"N": "70"}}');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION large_orders FROM PUBLIC;
SET ROLE query_patterns_reader;
SELECT named('large_orders', '{":customer": {"S": "c7"}, ":least": {"N": "70"}}');
SELECT named('query_patterns_more.customer_and_orders', '{":customer": {"S": "c7"}}');
RESET ROLE;
REVOKE SELECT ON shop FROM query_patterns_reader;
SET ROLE query_patterns_reader;
SELECT named('orders_of_customer', '{":customer": {"S": "c7"}}');
SELECT named('orders_of_customer', '{":customer": {"NULL": true}}');	-- not an empty answer, either
SELECT request_safe('ExecuteStatement', '{"Statement": "SELECT * FROM \"shop\".\"pattern:orders_of_customer\" WHERE customer = NULL"}') -> 'body' ->> '__type' AS type;
RESET ROLE;
SELECT named('orders_of_customer', '{":customer": {"NULL": true}}');

-- a pattern that does not find all items any more, and a function that was changed by hand
SELECT create_entity('shop', 'note', type_attribute => 'kind', keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "{text}"}');
SELECT named('customer_and_orders', '{":customer": {"S": "c7"}}');
SELECT named('query_patterns.recent_orders', '{":status": {"S": "OPEN"}}');
DO $$
DECLARE
    body text := (SELECT prosrc FROM pg_proc WHERE oid = 'query_patterns.recent_orders'::regproc);
BEGIN
    EXECUTE format('CREATE OR REPLACE FUNCTION query_patterns.recent_orders(status text, since timestamptz DEFAULT NULL) RETURNS SETOF query_patterns.orders LANGUAGE sql STABLE AS %L', body || ' OFFSET 0');
END $$;
SELECT named('recent_orders', '{":status": {"S": "OPEN"}}');

DROP SCHEMA query_patterns, query_patterns_more, query_patterns_stranger CASCADE;
DROP OWNED BY query_patterns_stranger, query_patterns_reader;
DROP ROLE query_patterns_stranger, query_patterns_reader;
