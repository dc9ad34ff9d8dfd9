-- access patterns in which a part of a key is one of a list
CREATE SCHEMA t_pattern_lists;
SET search_path = t_pattern_lists, dynamo;
\set SHOW_CONTEXT never
\pset format unaligned
SET timezone = 'UTC';
SELECT create_table('shop', 'PK', 'SK', indexes => '[
	{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"},
	{"index_name": "by_status_apart", "partition_key": "GSI1PK", "sort_key": "GSI1SK", "storage": "table", "shards": 3},
	{"index_name": "by_customer", "partition_key": "GSI2PK", "sort_key": "GSI2SK"},
	{"index_name": "by_size", "partition_key": "order_id", "partition_key_type": "N"}]');
SELECT create_entity('shop', 'order', '{"PK": "CUSTOMER#{customer}", "SK": "ORDER#{order_id:06}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{at:date}",
	"GSI2PK": "CUSTOMER#{customer}", "GSI2SK": "{status}#{at:date}"}',
	'{"customer": "text", "order_id": "int", "status": "text", "at": "date"}', type_attribute => 'kind', view_name => 'orders');
INSERT INTO orders (customer, order_id, status, at)
SELECT 'c' || n % 3, n, (ARRAY['OPEN', 'PAID', 'SENT'])[n / 2 % 3 + 1], '2026-01-01'::date + n % 5 FROM generate_series(1, 30) n;

-- of the partition key: all are read as one, in the order of the sort key
SELECT create_access_pattern('shop', 'latest', 'status IN (:statuses) AND at <= :until', view_name => 'orders', index_name => 'by_status',
	parameters => '{"until": {"default": null}}', scan_index_forward => false, max_items => 4);
SELECT create_access_pattern('shop', 'latest_apart', 'status IN (:statuses) AND at <= :until', entities => '{order}', index_name => 'by_status_apart',
	parameters => '{"until": {"default": null}}', scan_index_forward => false, max_items => 4);
SELECT at, status, order_id FROM latest('{OPEN,PAID}');
SELECT item ->> 'at', item ->> 'status', item ->> 'order_id' FROM latest_apart('{OPEN,PAID}') item;
SELECT count(*) FROM latest('{}') UNION ALL SELECT count(*) FROM latest(NULL) UNION ALL SELECT count(*) FROM latest('{NULL,LOST}') UNION ALL SELECT count(*) FROM latest_apart('{}');
SELECT count(*) = 4 AS each_once FROM latest(array_fill('PAID'::text, '{100}'));
SELECT * FROM latest(array_fill('PAID'::text, '{101}'));
SELECT * FROM latest_apart(array_fill('PAID'::text, '{101}'));
ANALYZE shop;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM latest('{OPEN,PAID}');
RESET enable_seqscan;
RESET enable_bitmapscan;

-- of the sort key: a range for each
SELECT create_access_pattern('shop', 'of_customer', 'customer = :customer AND status IN (:statuses) AND at >= :since', view_name => 'orders', index_name => 'by_customer');
SELECT status, at, order_id FROM of_customer('c1', '{SENT,OPEN}', '2026-01-04');
SELECT create_access_pattern('shop', 'some_orders', 'customer = :customer AND order_id IN (:numbers)', view_name => 'orders');
SELECT order_id FROM some_orders('c1', '{28,4,4,1000,5}');
SELECT c.customer, o.order_id FROM (VALUES ('c0', '{3,6}'::int[]), ('c2', '{5}')) c(customer, numbers), some_orders(c.customer, c.numbers) o ORDER BY 1, 2;
SELECT create_access_pattern('shop', 'sizes', 'order_id IN (:numbers)', entities => '{order}', index_name => 'by_size', projection_expression => 'SK');
SELECT * FROM sizes('{3,20,3}');

-- pages: of several partitions and of several ranges, forward and backward, as functions and as requests
SELECT create_access_pattern('shop', 'pages', 'status IN (:statuses)', entities => '{order}', index_name => 'by_status', returns => 'page');
SELECT create_access_pattern('shop', 'pages_apart', 'status IN (:statuses)', entities => '{order}', index_name => 'by_status_apart', returns => 'page', scan_index_forward => false);
SELECT create_access_pattern('shop', 'pages_of_customer', 'customer = :customer AND status IN (:statuses)', entities => '{order}', index_name => 'by_customer', returns => 'page', scan_index_forward => false);
SELECT create_access_pattern('shop', 'pages_of_customers', 'customer IN (:customers)', entities => '{order}', returns => 'page');
CREATE FUNCTION by_pages(pattern text, arguments text, size int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	page record;
	start item;
	found text := '';
BEGIN
	LOOP
		EXECUTE format('SELECT * FROM %I(%s, %s, $1)', pattern, arguments, size) INTO page USING start;
		found := concat_ws(' ', found, (SELECT string_agg(i ->> 'order_id', ' ' ORDER BY n) FROM unnest(page.items) WITH ORDINALITY i(i, n)));
		start := page.last_evaluated_key;
		EXIT WHEN start IS NULL;
	END LOOP;
	RETURN found;
END $$;
CREATE FUNCTION by_requests(pattern text, parameters json, size int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer json;
	found text := '';
	body jsonb := jsonb_build_object('TableName', 'shop', 'IndexName', 'pattern:' || pattern, 'Limit', size, 'ExpressionAttributeValues', parameters);
BEGIN
	LOOP
		answer := request('Query', body::json);
		found := concat_ws(' ', found, (SELECT string_agg(i #>> '{order_id,N}', ' ' ORDER BY n) FROM json_array_elements(answer -> 'Items') WITH ORDINALITY i(i, n)));
		EXIT WHEN answer -> 'LastEvaluatedKey' IS NULL;
		body := body || jsonb_build_object('ExclusiveStartKey', answer -> 'LastEvaluatedKey');
	END LOOP;
	RETURN found;
END $$;
SELECT by_pages('pages', $$'{SENT,OPEN}'$$, 100);
SELECT count(DISTINCT by_pages('pages', $$'{SENT,OPEN}'$$, n)), count(DISTINCT by_requests('pages', '{":statuses": {"L": [{"S": "OPEN"}, {"S": "SENT"}]}}', n)) FROM unnest('{1,2,3,7,100}'::int[]) n;
SELECT by_pages('pages', $$'{SENT,OPEN}'$$, 3) = by_requests('pages', '{":statuses": {"L": [{"S": "OPEN"}, {"S": "SENT"}]}}', 4) AS same;
SELECT by_pages('pages_apart', $$'{SENT,OPEN,PAID}'$$, 100);
SELECT count(DISTINCT by_pages('pages_apart', $$'{SENT,OPEN,PAID}'$$, n)) FROM unnest('{1,2,3,7,100}'::int[]) n;
SELECT by_pages('pages_of_customer', $$'c2', '{SENT,PAID}'$$, 100);
SELECT count(DISTINCT by_pages('pages_of_customer', $$'c2', '{SENT,PAID}'$$, n)) FROM unnest('{1,2,3,7,100}'::int[]) n;
SELECT by_pages('pages_of_customers', $$'{c2,c0}'$$, 100) = by_pages('pages_of_customers', $$'{c0,c2}'$$, 3) AS same;
SELECT count FROM pages('{}');
SELECT * FROM pages('{OPEN}', 1, (SELECT last_evaluated_key FROM pages('{SENT}', 1)));
SELECT * FROM pages('{OPEN,PAID}', 1, '{"PK": {"S": "x"}}');

-- a part that is in the partition key and in the sort key, and keys of several attributes: each range has bounds of its own
SELECT create_table('parts', 'PK', 'SK');
SELECT create_index('parts', 'multi', '{A,B}'::text[], '{C,D}'::text[]);
SELECT create_entity('parts', 'part', '{"PK": "P#{a}", "SK": "{a}#{n:03}", "A": "A#{a}", "B": "B#{b}", "C": "{c}", "D": "{a}#{n:03}"}'::jsonb,
	'{"a": "text", "b": "text", "c": "text", "n": "int", "order_id": "int"}', type_attribute => 'kind', view_name => 'part_rows');
INSERT INTO part_rows (a, b, c, n, order_id) SELECT chr(97 + n % 4), chr(97 + n % 2), chr(97 + n / 4 % 3), n, n FROM generate_series(1, 40) n;
SELECT create_access_pattern('parts', 'both', 'a IN (:a) AND n >= :n', '{part}', returns => 'page'),
	create_access_pattern('parts', 'both_back', 'a IN (:a) AND n BETWEEN :n AND :m', '{part}', returns => 'page', scan_index_forward => false),
	create_access_pattern('parts', 'multi_sort', 'a = :a AND b = :b AND c IN (:c) AND n >= :n', '{part}', index_name => 'multi', returns => 'page', scan_index_forward => false),
	create_access_pattern('parts', 'multi_partition', 'a IN (:a) AND b = :b AND c = :c AND n >= :n', '{part}', index_name => 'multi', returns => 'page'),
	create_access_pattern('parts', 'multi_rows', 'a IN (:a) AND b = :b AND c = :c AND n >= :n', view_name => 'part_rows', index_name => 'multi');
SELECT c.pattern, count(DISTINCT by_pages(c.pattern, c.arguments, n)) AS alike, by_pages(c.pattern, c.arguments, 100) AS found
FROM (VALUES ('both', $$'{c,a,d}', 25$$), ('both_back', $$'{d,a,b}', 10, 30$$), ('multi_sort', $$'a', 'a', '{c,a}', 10$$), ('multi_partition', $$'{a,c}', 'a', 'b', 10$$)) c(pattern, arguments),
	generate_series(1, 6) n GROUP BY c.pattern, c.arguments ORDER BY 1;
SELECT string_agg(n::text, ' ') FROM multi_rows('{a,c}', 'a', 'b', 10);
SELECT count(*) AS checked FROM check_access_patterns('parts', strict => true);

-- other doors
SELECT request('Query', '{"TableName": "shop", "IndexName": "pattern:latest", "ExpressionAttributeValues": {":statuses": {"L": [{"S": "PAID"}, {"S": "OPEN"}, {"NULL": true}]}}}') ->> 'Count';
SELECT request('Query', '{"TableName": "shop", "IndexName": "pattern:latest", "ExpressionAttributeValues": {":statuses": {"L": []}}}');
SELECT request('Query', '{"TableName": "shop", "IndexName": "pattern:latest", "ExpressionAttributeValues": {":statuses": {"S": "PAID"}}}');
SELECT request('Query', jsonb_build_object('TableName', 'shop', 'IndexName', 'pattern:latest', 'ExpressionAttributeValues', jsonb_build_object(':statuses',
	jsonb_build_object('L', array_fill('{"S": "PAID"}'::jsonb, '{101}'))))::json);
SELECT request('ExecuteStatement', '{"Statement": "SELECT order_id FROM shop.\"pattern:of_customer\" WHERE customer = ''c1'' AND statuses = [''SENT'', ''OPEN''] AND since = ''2026-01-04'' AND order_id > 10"}') -> 'Items';
SELECT access_pattern_request('latest', '{"statuses": ["PAID"]}'::jsonb)::text = access_pattern_request('latest', '{"statuses": "PAID"}'::jsonb)::text AS one;
SELECT access_pattern_request('latest', '{"statuses": ["PAID", "OPEN"]}'::jsonb);
SELECT pattern, runs > 0 AS ran, problem FROM check_access_patterns('shop', strict => true);
SELECT pattern, condition, key_condition, parameters -> 0 AS first FROM access_patterns WHERE relation = 't_pattern_lists.shop' ORDER BY 1;
SELECT item FROM query_each('shop', '#p = :p', ARRAY['{":p": {"S": "STATUS#OPEN"}}', '{":p": {"S": "STATUS#PAID"}}']::item[], '{"#p": "GSI1PK"}', 'by_status', max_items => 2, projection_expression => 'order_id') item;
SELECT count, scanned_count FROM query_each_page('shop', '#p = :p', ARRAY['{":p": {"S": "STATUS#OPEN"}}', NULL]::item[], '{"#p": "GSI1PK"}', 'by_status');
SELECT trim(line) AS line FROM regexp_split_to_table(generate_client('shop', 'typescript'), '\n') line WHERE line ~ 'listOf.(text|integer).*(statuses|numbers)' LIMIT 3;
-- in the document of a model: exported, planned and applied without loss
CREATE TABLE document AS SELECT export_model('shop') AS was;
SELECT p -> 'pattern_name' AS pattern, p -> 'key_condition' AS condition, p -> 'parameters' AS parameters FROM document, json_array_elements(was #> '{tables,0,access_patterns}') p WHERE p ->> 'pattern_name' ~ '^(latest|sizes)$';
SELECT count(*) FROM document, plan_model(was);
SELECT object, change, detail FROM document, plan_model(replace(was::text, 'order_id IN (:numbers)", "entities"', 'order_id = :numbers", "entities"')::json);
CREATE TABLE kept AS SELECT item FROM shop;
CREATE TABLE answered AS SELECT by_pages('pages', $$'{SENT,OPEN}'$$, 7) AS pages, (SELECT string_agg(order_id::text, ' ') FROM latest('{OPEN,PAID}')) AS latest,
	(SELECT string_agg(order_id::text, ' ') FROM some_orders('c1', '{28,4,4}')) AS some_orders;
SELECT drop_table('shop');
SELECT apply_model(was) > 0 AS applied FROM document;
SELECT count(*) FROM (SELECT put_item('shop', item) FROM kept OFFSET 0) p;
SELECT export_model('shop')::text = was::text AS same FROM document;
SELECT by_pages('pages', $$'{SENT,OPEN}'$$, 7) = pages AS pages, (SELECT string_agg(order_id::text, ' ') FROM latest('{OPEN,PAID}')) = latest AS latest,
	(SELECT string_agg(order_id::text, ' ') FROM some_orders('c1', '{28,4,4}')) = some_orders AS some_orders FROM answered;
CREATE ROLE t_pattern_lists_reader;
GRANT USAGE ON SCHEMA t_pattern_lists TO t_pattern_lists_reader;
SET ROLE t_pattern_lists_reader;
SELECT * FROM pages('{}');
SELECT * FROM latest('{OPEN}');
RESET ROLE;

-- what a list cannot be
SELECT create_access_pattern('shop', 'p', 'status IN (:a, :b)', view_name => 'orders', index_name => 'by_status');
SELECT create_access_pattern('shop', 'p', 'status IN (:a) AND at = :a', view_name => 'orders', index_name => 'by_status');
SELECT create_access_pattern('shop', 'p', 'status IN (:a) AND at IN (:b)', view_name => 'orders', index_name => 'by_status');
SELECT create_access_pattern('shop', 'p', 'status IN (:a)', view_name => 'orders', index_name => 'by_status', filter_expression => 'order_id = :a');
SELECT create_access_pattern('shop', 'p', 'status IN (:a)', view_name => 'orders', index_name => 'by_status', parameters => '{"a": "text"}');
SELECT create_access_pattern('shop', 'p', 'customer = :c AND status IN (:a)', view_name => 'orders', index_name => 'by_customer', parameters => '{"a": {"default": null}}');
SELECT create_access_pattern('shop', 'p', 'customer IN (:a)', entities => '{order}', returns => 'document');
SELECT create_access_pattern('shop', 'p', 'order_id IN (:a)', view_name => 'orders');
SELECT create_entity('shop', 'note', '{"PK": "NOTE#{#5:author}", "SK": "{note}"}', '{"author": "text", "note": "text"}', type_attribute => 'kind');
SELECT create_access_pattern('shop', 'p', 'author IN (:a)', entities => '{note}');
-- the key that tells an attribute of which another has only the shard would be another for each element
SELECT create_table('shards', 'PK', 'SK', indexes => '[{"index_name": "GSI", "partition_key": "GP", "sort_key": "GS"}]');
SELECT create_entity('shards', 'note', '{"PK": "{author}#{area}", "SK": "{n:03}", "GP": "{#5:author}", "GS": "{area}#{n:03}"}', '{"author": "text", "area": "text", "n": "int"}', type_attribute => 'kind', view_name => 'shard_rows');
SELECT create_access_pattern('shards', 'p', 'author = :a AND area IN (:areas)', view_name => 'shard_rows', index_name => 'GSI');
-- or none where its other part is absent
SELECT create_access_pattern('shards', 'p', 'author = :a AND area = :area', view_name => 'shard_rows', index_name => 'GSI', parameters => '{"area": {"default": null}}');
SELECT create_access_pattern('shards', 'p', 'author = :a AND area = :area', view_name => 'shard_rows', index_name => 'GSI');
DROP SCHEMA t_pattern_lists CASCADE;
DROP ROLE t_pattern_lists_reader;
