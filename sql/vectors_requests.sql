-- vector indexes as requests: tables, SearchVectors, capacity, transactions, PartiQL
CREATE SCHEMA t_vectors_requests;
SET search_path = t_vectors_requests, dynamo;
\i test/include/request.sql
CREATE FUNCTION vector_index(name text, change jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('IndexName', name, 'VectorAttribute', '{"AttributeName": "emb"}'::jsonb, 'Dimensions', 4,
		'DistanceFunction', 'COSINE', 'Projection', '{"ProjectionType": "ALL"}'::jsonb) || change $$;
CREATE FUNCTION create_tab(change jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(req('CreateTable', ('{"TableName": "tab", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
		"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "lang", "AttributeType": "S"}]}'::jsonb || change)::text),
		'"CreationDateTime":[\d.]+', '"CreationDateTime":<time>'), '[0-9a-f]{8}-[-0-9a-f]{27}', '<id>') $$;
CREATE FUNCTION update_tab(change jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((answer #> '{TableDescription,VectorIndexes}')::text || (answer #>> '{TableDescription,TableStatus}'), text) FROM
		(SELECT t.text, CASE WHEN t.text LIKE '{%' THEN t.text::jsonb END FROM req('UpdateTable', ('{"TableName": "tab"}'::jsonb || change)::text) t(text)) a(text, answer) $$;
CREATE FUNCTION described(member text) RETURNS text LANGUAGE sql AS $$
	SELECT dynamo.request('DescribeTable', '{"TableName": "tab"}') #>> ARRAY['Table', member] $$;
CREATE FUNCTION search(change jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT req('SearchVectors', (jsonb_strip_nulls('{"TableName": "tab", "IndexName": "vec", "TopK": 5, "SearchVector": [{"N": "1"}, {"N": "0"}, {"N": "0"}, {"N": "0"}],
		"SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"S": "t1"}}}'::jsonb || change))::text) $$;
CREATE FUNCTION item(pk text, tenant text, lang text, VARIADIC emb numeric[]) RETURNS text LANGUAGE sql AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object('pk', pk, 'tenant', tenant, 'lang', lang, 'emb', to_jsonb(emb)))::dynamo.item::text $$;
CREATE FUNCTION put(item text) RETURNS text LANGUAGE sql AS $$
	SELECT req('PutItem', '{"TableName": "tab", "ReturnConsumedCapacity": "INDEXES", "Item": ' || item || '}') $$;
\set schema '"SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "lang", "SearchSchemaElementType": "INLINE_FILTER"}]'

-- CreateTable: what is refused
SELECT create_tab('{"VectorIndexes": []}');
SELECT create_tab('{"VectorIndexes": [{"IndexName": "vec"}]}');
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vx'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"Dimensions": 0}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"DistanceFunction": "L1"}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"SearchSchema": []}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"Dimensions": 4097}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"Dimensions": 99999999999}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"SearchSchema": [{"AttributeName": "other", "SearchSchemaElementType": "HASH"}]}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', '{"SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "lang", "SearchSchemaElementType": "HASH"}]}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', ('{' || :'schema' || '}')::jsonb), vector_index('vec'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', ('{' || :'schema' || '}')::jsonb), vector_index('other', '{"Dimensions": 5}'))));
SELECT create_tab(jsonb_build_object('VectorIndexes', (SELECT jsonb_agg(vector_index('vec' || i, ('{' || :'schema' || '}')::jsonb)) FROM generate_series(1, 6) i)));
SELECT create_tab(jsonb_build_object('BillingMode', 'PROVISIONED', 'ProvisionedThroughput', '{"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}'::jsonb,
	'VectorIndexes', jsonb_build_array(vector_index('vec', ('{' || :'schema' || '}')::jsonb))));
-- and what is not
SELECT create_tab(jsonb_build_object('VectorIndexes', jsonb_build_array(vector_index('vec', ('{' || :'schema' || '}')::jsonb))));
SELECT described('VectorIndexes');
SELECT described('AttributeDefinitions');
SELECT described('GlobalSecondaryIndexes');

-- writes, and what they are charged: bytes of the vector and of the projected attributes
SELECT put(item('b1', 't1', 'de', 1, 0, 0, 0));
SELECT put(item('b1', 't1', 'de', 1, 0, 0, 0));
SELECT put(item('b1', 't1', 'de', 1, 1, 0, 0));
SELECT put(item('b1', 't2', 'de', 1, 1, 0, 0));
SELECT put('{"pk": {"S": "b1"}, "tenant": {"S": "t2"}, "lang": {"S": "de"}}');
SELECT put(item('b1', 't1', 'de', 1, 0, 0, 0));
SELECT put(item('b2', 't1', 'en', 0.7071, 0.7071, 0, 0));
SELECT put(item('b3', 't1', NULL, -1, 0, 0, 0));
SELECT put(item('b4', 't2', 'en', 0, 0, 0, 0));
SELECT put('{"pk": {"S": "b5"}, "tenant": {"S": "t2"}, "emb": {"L": [{"N": "0"}, {"N": "0"}, {"N": "0"}, {"N": "0"}]}, "blob": {"S": "' || repeat('x', 2000) || '"}}');
SELECT req('DeleteItem', '{"TableName": "tab", "ReturnConsumedCapacity": "INDEXES", "Key": {"pk": {"S": "b5"}}}');
SELECT req('PutItem', '{"TableName": "tab", "ReturnConsumedCapacity": "TOTAL", "Item": ' || item('b4', 't2', 'en', 1, 0, 0, 0) || '}');
SELECT req('TransactWriteItems', '{"ReturnConsumedCapacity": "INDEXES", "TransactItems": [{"Put": {"TableName": "tab", "Item": ' || item('b6', 't6', 'en', 1, 0, 0, 0) || '}}]}');

-- searches
SELECT search('{}');
SELECT search('{"TopK": 1, "ReturnConsumedCapacity": "TOTAL"}');
SELECT search('{"TopK": 1, "ReturnConsumedCapacity": "INDEXES", "ProjectionExpression": "pk, emb"}');
SELECT search('{"SearchConditionExpression": "tenant = :t AND #l = :l", "ExpressionAttributeNames": {"#l": "lang"}, "ExpressionAttributeValues": {":t": {"S": "t1"}, ":l": {"S": "en"}}}');
SELECT search('{"ExpressionAttributeValues": {":t": {"S": "none"}}}');
SELECT search('{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/tab", "TopK": 1}');

-- in the service's order: each request has all later errors, too
\set bad '"TopK": 0, "SearchConditionExpression": "tenant >", "TableName": "none"'
SELECT search(('{"IndexName": "x", "SearchVector": [], ' || :'bad' || '}')::jsonb);
SELECT search(('{"SearchVector": [], ' || :'bad' || '}')::jsonb);
SELECT search(('{"SearchVector": [{"N": "1"}, {"L": [{"N": "1"}]}], ' || :'bad' || '}')::jsonb);
SELECT search(('{"SearchVector": [{"N": "1E39"}], ' || :'bad' || '}')::jsonb);
SELECT search(('{"SearchVector": [{"N": "NaN"}], ' || :'bad' || '}')::jsonb);
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": "vec", "SearchVector": [null], "TopK": 1}');
SELECT search(('{"SearchVector": [{"N": "1"}], ' || :'bad' || '}')::jsonb);
SELECT search('{"SearchVector": [{"N": "1"}], "TopK": 101, "SearchConditionExpression": "tenant >", "TableName": "none"}');
SELECT search('{"SearchVector": [{"N": "1"}], "SearchConditionExpression": "tenant >", "TableName": "none"}');
SELECT search('{"SearchVector": [{"N": "1"}], "TableName": "none", "IndexName": "none"}');
SELECT search('{"SearchVector": [{"N": "1"}], "IndexName": "none"}');
SELECT search('{"SearchVector": [{"N": "1"}], "SearchConditionExpression": "x = :t"}');
SELECT search('{"SearchConditionExpression": "x = :t"}');
SELECT search('{"SearchConditionExpression": "lang = :t", "ExpressionAttributeValues": {":t": {"N": "1"}}}');
SELECT search('{"ExpressionAttributeValues": {":t": {"N": "1"}}}');
SELECT search('{"ExpressionAttributeValues": {":t": {"S": ""}}}');
SELECT search('{"SearchConditionExpression": null, "ExpressionAttributeValues": null}');
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": "vec", "SearchVector": [{"N": "1"}], "TopK": 3.5}');
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": "vec", "SearchVector": [{"N": "1"}], "TopK": "3"}');
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": "vec", "SearchVector": {"N": "1"}, "TopK": 3}');
SELECT req('SearchVectors', '{}');
SELECT req('SearchVectors', '{"TableName": "tab"}');
SELECT req('SearchVectors', '{"IndexName": "x"}');
-- null is no absent member here
SELECT req('SearchVectors', '{"TableName": null, "IndexName": "x"}');
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": null}');
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": "x", "SearchVector": null}');
SELECT req('SearchVectors', '{"TableName": "tab", "IndexName": "x", "TopK": null}');
SELECT search('{"TopK": 1}') = req('SearchVectors', '{"TableName": "tab", "IndexName": "vec", "TopK": 1, "SearchVector": [{"N": "1"}, {"N": "0"}, {"N": "0"}, {"N": "0"}],
	"SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"S": "t1"}}, "ProjectionExpression": null, "ReturnConsumedCapacity": null}') AS optional_members_may_be_null;

-- a number of a vector takes four bytes of a write, once for all indexes, and its own of a read
SELECT dynamo.create_table('wide', 'pk');
SELECT dynamo.create_vector_index('wide', 'one', 'emb', 1024);
SELECT dynamo.create_vector_index('wide', 'two', 'emb', 1024, 'EUCLIDEAN');
CREATE FUNCTION wide(n int) RETURNS text LANGUAGE sql AS $$
	SELECT format('{"TableName": "wide", "ReturnConsumedCapacity": "INDEXES", "Item": {"pk": {"S": "a"}, "other": {"S": "%s"}, "emb": {"L": [%s]}}}', repeat('x', n),
		(SELECT string_agg(format('{"N": "0.%s1"}', 1000000000 + i), ', ') FROM generate_series(1, 1024) i))
$$;
SELECT req('PutItem', wide(0));
SELECT req('PutItem', wide(1013));
SELECT req('PutItem', wide(1014));
SELECT req('GetItem', '{"TableName": "wide", "Key": {"pk": {"S": "a"}}, "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "pk"}');
SELECT req('DeleteItem', '{"TableName": "wide", "Key": {"pk": {"S": "a"}}, "ReturnConsumedCapacity": "TOTAL"}');

-- vectors that are refused: as reasons in transactions, but empty keys as errors
SELECT put('{"pk": {"S": "b7"}, "emb": {"L": [{"N": "1"}]}}');
SELECT req('BatchWriteItem', '{"RequestItems": {"tab": [{"PutRequest": {"Item": {"pk": {"S": "b7"}, "emb": {"S": "x"}}}}]}}');
SELECT req('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "tab", "Item": ' || item('b8', 't1', 'en', 1, 0, 0, 0) || '}}, {"Put": {"TableName": "tab", "Item": {"pk": {"S": "b7"}, "emb": {"L": [{"S": "x"}, {"N": "1"}, {"N": "1"}, {"N": "1"}]}}}}]}');
SELECT req('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "tab", "Key": {"pk": {"S": "b1"}}, "UpdateExpression": "SET lang = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]}');
SELECT req('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "tab", "Item": {"pk": {"S": "b7"}, "tenant": {"S": ""}}}}]}');
SELECT req('GetItem', '{"TableName": "tab", "Key": {"pk": {"S": "b8"}}}');
SELECT req('ExecuteStatement', '{"Statement": "INSERT INTO \"tab\" VALUE {''pk'': ''b7'', ''emb'': [1, 2]}"}');
SELECT req('ExecuteStatement', '{"Statement": "INSERT INTO \"tab\" VALUE {''pk'': ''b7'', ''tenant'': ''t7'', ''emb'': [1, 2, 3, 4]}"}');
SELECT search('{"ExpressionAttributeValues": {":t": {"S": "t7"}}}');
SELECT req('Query', '{"TableName": "tab", "IndexName": "vec", "KeyConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"S": "t1"}}}');
SELECT req('Scan', '{"TableName": "tab", "IndexName": "vec"}');
SELECT req('ExecuteStatement', '{"Statement": "SELECT * FROM \"tab\".\"vec\" WHERE tenant = ''t1''"}');

-- UpdateTable
SELECT update_tab('{"VectorIndexUpdates": []}');
SELECT update_tab('{"VectorIndexUpdates": [{}]}');
SELECT update_tab('{"VectorIndexUpdates": [{"Delete": {"IndexName": "none"}}]}');
SELECT update_tab(jsonb_build_object('VectorIndexUpdates', jsonb_build_array(jsonb_build_object('Create', vector_index('vec')))));
SELECT update_tab(jsonb_build_object('VectorIndexUpdates', jsonb_build_array(jsonb_build_object('Create', vector_index('vec1')), jsonb_build_object('Create', vector_index('vec2')))));
SELECT update_tab(jsonb_build_object('VectorIndexUpdates', jsonb_build_array(jsonb_build_object('Create', vector_index('euc', ('{' || :'schema' || '}')::jsonb)))));
SELECT update_tab(jsonb_build_object('VectorIndexUpdates', jsonb_build_array(jsonb_build_object('Create', vector_index('euc', '{"DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["lang"]}}')))));
SELECT search('{"IndexName": "euc", "SearchConditionExpression": null, "ExpressionAttributeValues": null, "TopK": 2, "SearchVector": [{"N": "-1"}, {"N": "0"}, {"N": "0"}, {"N": "0"}]}');
SELECT update_tab('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "euc"}}]}');
SELECT update_tab('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT update_tab('{"VectorIndexUpdates": [{"Delete": {"IndexName": "euc"}}]}');
SELECT search('{"IndexName": "euc"}');
SELECT update_tab('{"VectorIndexUpdates": [{"Delete": {"IndexName": "vec"}}]}');
SELECT described('VectorIndexes');
SELECT described('AttributeDefinitions');
SELECT left(req('DeleteTable', '{"TableName": "tab"}'), 20);
DROP SCHEMA t_vectors_requests CASCADE;
