-- models as JSON documents: export and import of our own, import of others
SET client_min_messages = warning;
CREATE SCHEMA t_model;
CREATE SCHEMA t_model_copy;
SET search_path = t_model, dynamo;
\set SHOW_CONTEXT never
SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_day", "partition_key": "day", "sort_key": "n", "sort_key_type": "N", "storage": "table", "shards": 3, "projection": "INCLUDE", "non_key_attributes": ["total"]}]');
SELECT update_time_to_live('shop', 'expires');
SELECT create_entity('shop', 'customer', '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
	'{"name": "text", "customer_id": "text", "email": {"type": "text", "required": true}, "level": {"type": "int", "default": 1}}', type_attribute => 'kind', view_name => 'customers');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
	'{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "status": "text", "total": "numeric"}', type_attribute => 'kind', type_value => 'O',
	index_conditions => '{"by_status": "#t > :t"}', expression_attribute_values => '{":t": {"N": "0"}}', expression_attribute_names => '{"#t": "total"}',
	on_mismatch => 'replace', view_name => 'orders');
SELECT create_access_pattern('shop', 'orders_of', 'customer_id = :customer AND order_id BETWEEN :first AND :last', view_name => 'orders',
	parameters => '{"first": {"default": null}, "last": {"default": 999}}', max_items => 5, scan_index_forward => false, description => 'orders, ''newest'' first');
SELECT create_access_pattern('shop', 'all_of', 'customer_id = :customer', '{customer,order}', filter_expression => 'attribute_exists(#n)', expression_attribute_names => '{"#n": "name"}');
SELECT export_model('shop');

-- the statements, and what they make
SELECT * FROM import_model(export_model('shop'), 'other''s');
SET search_path = t_model_copy, dynamo;
SELECT * FROM import_model(export_model('t_model.shop'), 'shop')
\gexec
SELECT export_model('t_model.shop')::text = export_model('t_model_copy.shop')::text AS same;
-- a checksum: of what programs know
SELECT model_checksum('t_model.shop') = model_checksum('t_model_copy.shop') AS same, length(model_checksum('shop'));
SELECT model_checksum('shop') AS sum \gset
GRANT SELECT ON shop TO PUBLIC;
ALTER TABLE shop SET (fillfactor = 70);
SELECT model_checksum('shop') = :'sum' AS same;
SELECT create_access_pattern('shop', 'customer_by_id', 'customer_id = :customer', view_name => 'customers');
SELECT model_checksum('shop') = :'sum' AS same;
SELECT drop_access_pattern('customer_by_id');
SELECT model_checksum('shop') = :'sum' AS same;
SELECT update_time_to_live('shop', 'expires', false);
SELECT model_checksum('shop') = :'sum' AS same;
SELECT update_time_to_live('shop', 'expires');
-- every session and every role sees the same model, whatever its settings; a pattern is the table's, whatever settings it was declared with
CREATE DOMAIN grade AS text;
SELECT create_entity_view('graded', 'shop', '{"grade": "grade", "customer_id": "text", "t": "timestamptz"}', entity_name => 'customer');
SET quote_all_identifiers = on;
SELECT create_access_pattern('shop', 'quoted', 'customer_id = :customer', '{customer,order}');
RESET quote_all_identifiers;
SELECT pattern, problem FROM check_access_patterns('shop') WHERE pattern::text LIKE '%quoted%';
SELECT item ->> 'name' AS name FROM quoted('c1') item;
SELECT model_checksum('shop') AS sum, md5(export_model('shop')::text) AS document \gset
SET quote_all_identifiers = on;
SELECT model_checksum('shop') = :'sum' AS same, md5(export_model('shop')::text) = :'document' AS same_document;
RESET quote_all_identifiers;
SET search_path = dynamo, pg_catalog;
SELECT model_checksum('t_model_copy.shop') = :'sum' AS same, md5(export_model('t_model_copy.shop')::text) = :'document' AS same_document;
SET search_path = t_model_copy, dynamo;
CREATE ROLE t_model_reader;
GRANT USAGE, CREATE ON SCHEMA t_model_copy TO t_model_reader;
SET ROLE t_model_reader;
SELECT create_access_pattern('shop', 'of_reader', 'customer_id = :customer', '{customer,order}');
SELECT create_entity_view('of_reader_too', 'shop', entity_name => 'customer');
SELECT model_checksum('shop') = :'sum' AS same, export_model('shop') #> '{tables,0,omitted}' AS omitted, md5(export_model('shop')::text) AS document \gset
SELECT :'same' AS same, :'omitted' AS omitted;
RESET ROLE;
SELECT model_checksum('shop') = :'sum' AS same, md5(export_model('shop')::text) = :'document' AS same_document;
SELECT drop_access_pattern('quoted'), drop_access_pattern('of_reader');
DROP VIEW graded;
DROP OWNED BY t_model_reader;
DROP ROLE t_model_reader;
SELECT model_checksum('none');
INSERT INTO customers (customer_id, name, email) VALUES ('c1', 'Ann', 'a@example.com');
INSERT INTO orders (customer_id, order_id, total) SELECT 'c1', i, i FROM generate_series(1, 7) i;
SELECT order_id FROM orders_of('c1');
SELECT item ->> 'name' AS name FROM all_of('c1') item;

-- NoSQL Workbench: facets become entities, to be looked at
\set workbench `cat test/models/workbench.json`
SELECT * FROM import_model(:'workbench');
SELECT * FROM import_model(:'workbench') s WHERE s NOT LIKE '%create_entity%'
\gexec
SELECT item FROM wb_shop;
SELECT item FROM wb_plain;
-- OneTable
\set onetable `cat test/models/onetable.json`
SELECT * FROM import_model(:'onetable', 'accounts');
SELECT * FROM import_model(:'onetable', 'accounts')
\gexec
SELECT put_item('accounts', '{"_type": "Invoice", "accountId": "a1", "number": 42, "paid": true}'::jsonb);
SELECT item FROM accounts;
-- DescribeTable, with members that a model has no use for
CREATE TEMP TABLE described AS SELECT '{"Table": {"TableName": "Music-prod.v2", "TableStatus": "ACTIVE", "ItemCount": 7, "TableArn": "arn:aws:dynamodb:eu-west-1:1:table/Music-prod.v2",
	"BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}, "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "NumberOfDecreasesToday": 0},
	"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}, {"AttributeName": "region", "AttributeType": "S"},
		{"AttributeName": "b", "AttributeType": "B"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "by_b", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
		"Projection": {"ProjectionType": "KEYS_ONLY"}, "IndexSizeBytes": 5, "ItemCount": 7, "IndexArn": "x"}],
	"GlobalSecondaryIndexes": [{"IndexName": "by_region", "IndexStatus": "ACTIVE", "KeySchema": [{"AttributeName": "region", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "HASH"},
		{"AttributeName": "n", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]}, "ProvisionedThroughput": {"ReadCapacityUnits": 0}}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}, "LatestStreamLabel": "2026"}}'::json AS document;
SELECT import_model(document) FROM described;
SELECT s FROM described, import_model(document) s WHERE s NOT LIKE '%enable_stream%'
\gexec
SELECT object, problem FROM described, plan_model(document) WHERE object <> 'stream';
SELECT index_name, partition_key, sort_key, projection FROM indexes WHERE schema_name = 't_model_copy' AND table_name = 'Music-prod.v2' ORDER BY 1;
SELECT import_model(document -> 'Table', 'other') FROM described;
-- and what DescribeTable returns here
SELECT object FROM plan_model(request('DescribeTable', '{"TableName": "Music-prod.v2"}')::json);
SELECT apply_model('{"TableDescription": {"TableName": "plain", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}}');
-- what is not a model
SELECT * FROM import_model('{"foo": 1}');
SELECT * FROM import_model('5');
SELECT * FROM import_model('{"tables": [1]}');
SELECT * FROM import_model('{"DataModel": 1}');
SELECT * FROM import_model('{"tables": []}');
SELECT * FROM import_model(NULL);
SELECT * FROM import_model('{}');
SELECT * FROM import_model('[1]');
SELECT * FROM import_model('{"tables": 1}');
SELECT * FROM import_model('{"tables": [{"table_name": "x''); DROP TABLE shop; --", "partition_key": "a\"b", "unknown": 1, "entities": [{"entity_name": 7, "keys": "x"}]}]}');
SELECT export_model('none');
RESET search_path;
DROP SCHEMA t_model, t_model_copy CASCADE;
