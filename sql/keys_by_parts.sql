--
-- Keys by parts: the key of an item given as what its entity composes it of.
--
\set SHOW_CONTEXT never
CREATE SCHEMA keys_by_parts;
SET search_path = keys_by_parts, public, dynamo;
SET timezone = 'UTC';

SELECT create_table('shop', partition_key => 'PK', sort_key => 'SK',
    indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('shop', 'customer',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
    attributes => '{"customer_id": "text", "name": "text", "email": {"type": "text", "required": true}}',
    type_attribute => 'kind');
SELECT create_entity('shop', 'order',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}",
              "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz",
                    "version": {"type": "int", "constant": 1},
                    "status": {"type": "text", "required": true, "default": "OPEN"}}',
    type_attribute => 'kind');
SELECT create_entity('shop', 'invoice',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "INVOICE#{order_id:08}"}', type_attribute => 'kind');

SELECT put_item('shop', '{"kind": "customer", "customer_id": "c7", "name": "Ann", "email": "ann@example.com"}'::jsonb);
SELECT put_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 42, "placed_at": "2026-01-31T12:00:00Z"}'::jsonb);
SELECT put_item('shop', '{"kind": "invoice", "customer_id": "c7", "order_id": 42, "total": 5}'::jsonb);

-- an item is found by its parts, with the type attribute or without
SELECT get_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 42}'::jsonb) ->> 'SK' AS sk;
SELECT get_item('shop', '{"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "4.2e1"}}') ->> 'SK' AS sk;
SELECT get_item('shop', '{"customer_id": "c7"}'::jsonb) ->> 'SK' AS sk;
SELECT get_item('shop', '{"kind": "order", "customer_id": "c8", "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"kind": "invoice", "customer_id": "c7", "order_id": 42}'::jsonb, 'SK, #t', '{"#t": "total"}');
SELECT get_item('shop', '{"PK": "CUSTOMER#c7", "SK": "METADATA"}'::jsonb) ->> 'name' AS name;

-- what is no key by parts is refused as before, or with what is missing
SELECT get_item('shop', '{"customer_id": "c7", "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"kind": "order", "customer_id": "c7"}'::jsonb);
SELECT get_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 42, "version": 1}'::jsonb);
SELECT get_item('shop', '{"kind": "ordre", "customer_id": "c7", "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"kind": 7, "customer_id": "c7", "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"kind": "order"}'::jsonb);
SELECT get_item('shop', '{"order_id": 42}'::jsonb);
SELECT get_item('shop', '{"PK": "CUSTOMER#c7", "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"PK": "CUSTOMER#c7", "SK": "METADATA", "kind": "customer"}'::jsonb);
SELECT get_item('shop', '{"PK": "CUSTOMER#c7"}'::jsonb);
SELECT get_item('shop', '{"PK": "CUSTOMER#c7", "SK": 7}'::jsonb);
SELECT get_item('shop', '{"total": 5}'::jsonb);
SELECT get_item('shop', '{}'::jsonb);

-- values that compose no key
SELECT get_item('shop', '{"kind": "order", "customer_id": "", "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"kind": "order", "customer_id": null, "order_id": 42}'::jsonb);
SELECT get_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": "42"}'::jsonb);
SELECT get_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": -1}'::jsonb);
SELECT get_item('shop', '{"kind": "order", "customer_id": ["c7"], "order_id": 1}'::jsonb);
SELECT get_item('shop', ('{"kind": "order", "customer_id": "' || repeat('x', 2050) || '", "order_id": 1}')::jsonb);
SELECT get_item('shop', '{"kind": {"S": "order"}, "customer_id": {"S": "a\u0000"}, "order_id": {"N": "1"}}');

-- an update of a missing item creates one of the entity
SELECT jsonb_pretty(update_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 43}'::jsonb, 'SET placed_at = :p',
    expression_attribute_values => '{":p": {"S": "2026-02-01T08:00:00Z"}}', return_values => 'ALL_NEW')::jsonb);
SELECT update_item('shop', '{"customer_id": "c8"}'::jsonb, 'SET email = :e',
    expression_attribute_values => '{":e": {"S": "bob@example.com"}}', return_values => 'ALL_NEW');
SELECT update_item('shop', '{"customer_id": "c9"}'::jsonb, 'SET #n = :n',
    expression_attribute_names => '{"#n": "name"}', expression_attribute_values => '{":n": {"S": "Carol"}}');
SELECT update_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 43}'::jsonb, 'SET #s = :s',
    expression_attribute_names => '{"#s": "status"}', expression_attribute_values => '{":s": {"S": "PAID"}}', return_values => 'UPDATED_NEW');
SELECT query('shop', 'GSI1PK = :p', '{":p": {"S": "STATUS#PAID"}}', index_name => 'by_status') ->> 'SK' AS paid;
SELECT update_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 44}'::jsonb, 'SET kind = :k',
    expression_attribute_values => '{":k": {"S": "invoice"}}');
SELECT update_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 44}'::jsonb, 'SET order_id = :k',
    expression_attribute_values => '{":k": {"N": "45"}}');
SELECT update_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 43}'::jsonb, 'SET order_id = :k',
    expression_attribute_values => '{":k": {"N": "45"}}');
SELECT update_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 44}'::jsonb, 'SET note = :k', 'attribute_exists(PK)',
    expression_attribute_values => '{":k": {"N": "45"}}');
SELECT count(*) FROM shop WHERE item ->> 'order_id' = '44';

SELECT delete_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 43.0}'::jsonb, 'version = :v',
    '{":v": {"N": "2"}}');
SELECT delete_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 43.0}'::jsonb, 'version = :v',
    '{":v": {"N": "1"}}', return_values => 'ALL_OLD') ->> 'SK' AS deleted;

-- batches: keys that compose the same key are duplicates
SELECT batch_get_item('shop', ARRAY['{"kind": "order", "customer_id": "c7", "order_id": 42}'::jsonb::item,
    '{"PK": "CUSTOMER#c8", "SK": "METADATA"}'::jsonb::item, '{"customer_id": "c0"}'::jsonb::item]) ->> 'SK' AS sk;
SELECT batch_get_item('shop', ARRAY['{"kind": "order", "customer_id": "c7", "order_id": 42}'::jsonb::item,
    '{"PK": "CUSTOMER#c7", "SK": "ORDER#00000042"}'::jsonb::item]);
SELECT batch_write_item('shop', ARRAY['{"kind": "order", "customer_id": "c7", "order_id": 50}'::jsonb::item],
    ARRAY['{"kind": "order", "customer_id": "c7", "order_id": 50}'::jsonb::item]);
SELECT batch_write_item('shop', ARRAY['{"kind": "order", "customer_id": "c7", "order_id": 50}'::jsonb::item],
    ARRAY['{"kind": "invoice", "customer_id": "c7", "order_id": 42}'::jsonb::item]);
SELECT key ->> 'SK' AS sk FROM (SELECT item AS key FROM shop WHERE "PK" = 'CUSTOMER#c7' ORDER BY "SK") i;
CREATE FUNCTION failure(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    RETURN dynamo.request(operation, request);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN detail;
END $$;

-- the same in requests; the message says what is missing
SELECT failure('GetItem', '{"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "42"}}, "ProjectionExpression": "SK"}');
SELECT failure('GetItem', '{"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}}}');
SELECT failure('GetItem', '{"TableName": "shop", "Key": {"customer_id": {"S": "c7"}, "order_id": {"N": "42"}}}');
SELECT failure('GetItem', '{"TableName": "shop", "Key": {"total": {"N": "5"}}}');
SELECT failure('BatchGetItem', '{"RequestItems": {"shop": {"ProjectionExpression": "SK", "Keys": [{"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "42"}}, {"customer_id": {"S": "c8"}}]}}}');
SELECT failure('BatchGetItem', '{"RequestItems": {"shop": {"Keys": [{"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "42"}}, {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "42.0"}}]}}}');
SELECT failure('BatchGetItem', '{"RequestItems": {"shop": {"Keys": [{"PK": {"S": "CUSTOMER#c7"}, "SK": {"S": "METADATA"}}, {"customer_id": {"S": "c7"}}]}}}');
SELECT failure('BatchWriteItem', '{"RequestItems": {"shop": [{"DeleteRequest": {"Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "50"}}}}, {"DeleteRequest": {"Key": {"PK": {"S": "CUSTOMER#c7"}, "SK": {"S": "ORDER#00000050"}}}}]}}');
SELECT failure('BatchWriteItem', '{"RequestItems": {"shop": [{"DeleteRequest": {"Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "50"}}}}]}}');
SELECT failure('UpdateItem', '{"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "51"}}, "ReturnValues": "ALL_NEW", "ReturnConsumedCapacity": "TOTAL"}');
SELECT failure('UpdateItem', '{"TableName": "shop", "Key": {"customer_id": {"S": "c10"}}, "ReturnValues": "ALL_NEW"}');
SELECT failure('DeleteItem', '{"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "51"}}, "ConditionExpression": "attribute_not_exists(PK)"}');
SELECT failure('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "shop", "Key": {"customer_id": {"S": "c7"}}, "ProjectionExpression": "SK"}}, {"Get": {"TableName": "shop", "Key": {"customer_id": {"S": "c0"}}}}]}');
SELECT failure('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "shop", "Key": {"customer_id": {"S": "c7"}}}}, {"Get": {"TableName": "shop", "Key": {"kind": {"S": "order"}}}}]}');
SELECT failure('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "shop", "Key": {"customer_id": {"S": "c7"}}}}, {"ConditionCheck": {"TableName": "shop", "Key": {"PK": {"S": "CUSTOMER#c7"}, "SK": {"S": "METADATA"}}, "ConditionExpression": "attribute_exists(PK)"}}]}');
SELECT failure('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "52"}}, "UpdateExpression": "ADD hits :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}, {"ConditionCheck": {"TableName": "shop", "Key": {"customer_id": {"S": "c7"}}, "ConditionExpression": "attribute_exists(email)"}}]}');
SELECT failure('GetItem', '{"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "52"}}, "ProjectionExpression": "SK, hits, #s, version, GSI1PK", "ExpressionAttributeNames": {"#s": "status"}}');
SELECT transact_write_items('[{"Delete": {"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "52"}}}}]');
SELECT transact_get_items('[{"Get": {"TableName": "shop", "Key": {"kind": {"S": "order"}, "customer_id": {"S": "c7"}, "order_id": {"N": "42"}}}}]') ->> 'SK' AS sk;

-- item collections are those of the composed key
SELECT create_table('collected', partition_key => 'PK', sort_key => 'SK',
    indexes => '[{"index_name": "local", "partition_key": "PK", "sort_key": "LSI", "local": true}]');
SELECT create_entity('collected', 'order', '{"PK": "C#{customer}", "SK": "O#{n:04}"}');
SELECT failure('UpdateItem', '{"TableName": "collected", "Key": {"customer": {"S": "a"}, "n": {"N": "1"}}, "ReturnItemCollectionMetrics": "SIZE"}');
SELECT failure('BatchWriteItem', '{"RequestItems": {"collected": [{"DeleteRequest": {"Key": {"customer": {"S": "a"}, "n": {"N": "1"}}}}, {"PutRequest": {"Item": {"customer": {"S": "a"}, "n": {"N": "2"}}}}]}, "ReturnItemCollectionMetrics": "SIZE"}');

-- templates of one attribute, of nested ones, with formats; a key attribute without a template
SELECT create_table('odd', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('odd', 'place', '{"PK": "{address.country}", "SK": "CITY#{address.city:upper}"}', type_attribute => 'type');
SELECT create_entity('odd', 'reading', '{"SK": "READING#{at:ms}"}', '{"at": "timestamptz"}', type_attribute => 'type');
SELECT create_entity('odd', 'tenant', '{"PK": "{tenant}", "SK": "{type}#{region:word}#{#4:device}#{device}"}',
    '{"region": {"type": "text", "constant": "eu"}, "type": "text", "tenant": "text", "device": "text"}', type_attribute => 'type', type_value => 'TENANT');
SELECT update_item('odd', '{"address": {"country": "no", "city": "Oslo"}}'::jsonb, return_values => 'ALL_NEW');
SELECT get_item('odd', '{"address": {"country": "no", "city": "oSLO"}}'::jsonb) ->> 'SK' AS sk;
SELECT get_item('odd', '{"address": {"country": "no"}}'::jsonb);
SELECT update_item('odd', '{"PK": "meter", "at": "2026-01-01T00:00:00+01:00"}'::jsonb, return_values => 'ALL_NEW');
SELECT get_item('odd', '{"type": "reading", "PK": "meter", "at": 1767222000}'::jsonb) ->> 'at' AS at;
SELECT get_item('odd', '{"type": "reading", "PK": 7, "at": 1767222000}'::jsonb);
SELECT get_item('odd', '{"type": "reading", "at": 1767222000}'::jsonb);
SELECT update_item('odd', '{"tenant": "t", "device": "a#b"}'::jsonb, return_values => 'ALL_NEW');
SELECT get_item('odd', '{"type": "TENANT", "tenant": "t", "device": "a#b", "region": "eu"}'::jsonb) ->> 'SK' AS sk;
SELECT get_item('odd', '{"type": "TENANT", "tenant": "t", "device": "a#b", "region": "us"}'::jsonb);

-- parts that contain separators, and an item whose type attribute names another entity
SELECT create_table('hostile', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('hostile', 'line', '{"PK": "O#{order}", "SK": "L#{sku}#{n}"}', type_attribute => 't');
SELECT create_entity('hostile', 'note', '{"PK": "N#{order}", "SK": "L#{text}"}', type_attribute => 't');
SELECT get_item('hostile', '{"order": "1#L#2", "sku": "a#b", "n": "1"}'::jsonb);
SELECT update_item('hostile', '{"order": "1", "sku": "a", "n": "b#c"}'::jsonb, return_values => 'ALL_NEW') ->> 'SK' AS sk;
SET session_replication_role = replica;
INSERT INTO hostile (item) VALUES ('{"PK": "O#9", "SK": "L#a#1", "t": "note"}'::jsonb);
RESET session_replication_role;
SELECT get_item('hostile', '{"t": "line", "order": 9, "sku": "a", "n": 1}'::jsonb);
SELECT update_item('hostile', '{"t": "line", "order": 9, "sku": "a", "n": 1}'::jsonb, 'SET x = :x', expression_attribute_values => '{":x": {"N": "1"}}',
    return_values => 'ALL_NEW');
SELECT get_item('hostile', '{"t": "note", "order": 9, "text": "a#1"}'::jsonb);

-- a number in two spellings is one number, a string is not
SELECT get_item('hostile', '{"t": {"S": "line"}, "order": {"N": "9.0"}, "sku": {"S": "a"}, "n": {"N": "1e0"}}') ->> 'x' AS x;
SELECT get_item('hostile', '{"t": {"S": "line"}, "order": {"S": "9.0"}, "sku": {"S": "a"}, "n": {"N": "1e0"}}') ->> 'x' AS x;

-- entities without a type attribute
SELECT create_table('bare', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('bare', 'user', '{"PK": "U#{id}", "SK": "U"}');
SELECT create_entity('bare', 'team', '{"PK": "T#{id}", "SK": "T"}');
SELECT create_entity('bare', 'no_key', '{}', '{"x": "text"}', type_attribute => 'type');
SELECT get_item('bare', '{"id": "1"}'::jsonb);
SELECT get_item('bare', '{"x": "1"}'::jsonb);
SELECT get_item('bare', '{"type": "no_key", "x": "1"}'::jsonb);
SELECT get_item('bare', '{"type": "no_key", "id": "1"}'::jsonb);

-- the key is the one that dynamo.entity_key composes, for all kinds of values
SELECT create_table('many', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('many', 'a', '{"PK": "A#{t}", "SK": "{n:+06.2}#{at:s:desc}#{u:any}#{w:word}"}', type_attribute => 'e');
SELECT create_entity('many', 'b', '{"PK": "A#{t:upper}#{#7:u}", "SK": "{at:date}{n:+06.2}{u}"}', type_attribute => 'e');
CREATE TABLE given AS SELECT jsonb_build_object('e', e, 't', t, 'n', n, 'at', a, 'u', u) || CASE e WHEN 'a' THEN jsonb_build_object('w', 'w-' || u) ELSE '{}' END AS parts, e
FROM unnest('{a,b}'::text[]) e, unnest('{x,X,x.y,y-z,7}'::text[]) t, unnest('{0,-1.5,99999.99,12}'::numeric[]) n,
    unnest('{2026-01-31,2026-01-31T23:59:59.9Z,2026-02-01T01:30:00+02:00}'::text[]) a, unnest('{u,U,5}'::text[]) u;
SELECT count(*), count(DISTINCT entity_key('many', e, parts::item)::text) AS keys FROM given;
SELECT count(update_item('many', parts::item, 'ADD hits :one', expression_attribute_values => '{":one": {"N": "1"}}', return_values => 'NONE')) FROM given;
SELECT count(*), sum((item ->> 'hits')::int) AS hits FROM many;
SELECT parts FROM given WHERE get_item('many', parts::item)::text IS DISTINCT FROM get_item('many', entity_key('many', e, parts::item))::text
    OR get_item('many', parts::item) IS NULL;
SELECT count(item) FROM many WHERE entity_problem('many'::regclass, item, item ->> 'e') IS NOT NULL;

-- a table without entities
SELECT create_table('plain', partition_key => 'PK', sort_key => 'SK');
SELECT get_item('plain', '{"kind": "order", "customer_id": "c7"}'::jsonb);

-- row security sees the composed key
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
CREATE ROLE keys_by_parts_reader;
GRANT USAGE ON SCHEMA keys_by_parts TO keys_by_parts_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON shop TO keys_by_parts_reader;
CREATE POLICY c8 ON shop USING ("PK" = 'CUSTOMER#c8');
SET ROLE keys_by_parts_reader;
SELECT get_item('shop', '{"customer_id": "c8"}'::jsonb) ->> 'email' AS email;
SELECT get_item('shop', '{"customer_id": "c7"}'::jsonb) ->> 'email' AS email;
SELECT delete_item('shop', '{"customer_id": "c7"}'::jsonb, return_values => 'ALL_OLD');
SELECT update_item('shop', '{"customer_id": "c11"}'::jsonb, 'SET email = :e', expression_attribute_values => '{":e": {"S": "x"}}');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA keys_by_parts CASCADE;
DROP ROLE keys_by_parts_reader;
