-- the checksum of a table's model over requests, where an index has its name
CREATE SCHEMA t_model_read;
SET search_path = t_model_read, dynamo;
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SELECT create_table('shop', 'PK', 'SK');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}', '{"customer_id": "text"}', type_attribute => 'kind');
CREATE FUNCTION checksum(more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
SELECT request('Query', jsonb_build_object('TableName', 't_model_read.shop', 'IndexName', 'model:checksum') || more)::jsonb #>> '{Items,0,checksum,S}' $$;
SELECT checksum() = model_checksum('shop') AS same;
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id}"}', '{"customer_id": "text", "order_id": "text"}', type_attribute => 'kind');
SELECT checksum() = model_checksum('shop') AS same;
-- what else a Query may say
SELECT request('Query', '{"TableName": "shop", "IndexName": "model:checksum", "Select": "COUNT"}');
SELECT checksum('{"Limit": 1, "ScanIndexForward": false, "ConsistentRead": true, "ReturnConsumedCapacity": "TOTAL"}') = model_checksum('shop') AS same;
SELECT checksum('{"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "x"}}}');
SELECT checksum('{"ExclusiveStartKey": {"PK": {"S": "x"}, "SK": {"S": "x"}}}');
SELECT checksum('{"TableName": "nothing"}');
CREATE VIEW no_items AS SELECT 1 AS one;
SELECT checksum('{"TableName": "t_model_read.no_items"}');
SELECT checksum('{"IndexName": "model:other"}');
SELECT request('Scan', '{"TableName": "shop", "IndexName": "model:checksum"}');
-- whoever may read the items
CREATE ROLE regress_model_read;
GRANT USAGE ON SCHEMA t_model_read TO regress_model_read;
SET ROLE regress_model_read;
SELECT checksum();
RESET ROLE;
GRANT SELECT ON shop TO regress_model_read;
SELECT model_checksum('shop') AS sum \gset
SET ROLE regress_model_read;
SET search_path = dynamo;
SELECT t_model_read.checksum() = :'sum' AS same;
RESET ROLE;
RESET search_path;
DROP SCHEMA t_model_read CASCADE;
DROP ROLE regress_model_read;
