--
-- PartiQL statements that name an entity's parts in place of key attributes, and access patterns as tables.
--
\set SHOW_CONTEXT never
CREATE SCHEMA partiql_parts;
SET search_path = partiql_parts, public, dynamo;
SET timezone = 'UTC';
-- all items that meet a condition are found, with any key
SELECT create_table('mixed', 'pk', 'sk');
SELECT create_entity('mixed', 'order', '{"pk": "C#{c}", "sk": "O#{n:04}"}', '{"c": "text", "n": "int"}', type_attribute => 'kind');
SELECT create_entity('mixed', 'line', '{"pk": "C#{c}", "sk": "L#{n:04}#{line:02}"}', '{"c": "text", "n": "int", "line": "int"}', type_attribute => 'kind');
INSERT INTO mixed (item) VALUES ('{"kind": {"S": "order"}, "c": {"S": "1"}, "n": {"N": "1"}}'), ('{"kind": {"S": "line"}, "c": {"S": "1"}, "n": {"N": "1"}, "line": {"N": "7"}}'),
	('{"pk": {"S": "x"}, "sk": {"S": "x"}, "c": {"S": "1"}, "n": {"N": "1"}}');
SELECT request('ExecuteStatement', $${"Statement": "SELECT sk FROM mixed WHERE c = '1' AND n = 1"}$$);
SELECT request('ExecuteStatement', $${"Statement": "SELECT sk FROM mixed WHERE c = '1' AND n = 1", "Limit": 10}$$);
SELECT request('ExecuteStatement', $${"Statement": "SELECT sk FROM mixed WHERE c = '1' AND n = 1 AND kind = 'order'"}$$);

SET client_min_messages = warning;

SELECT create_table('shop', partition_key => 'PK', sort_key => 'SK',
    indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('shop', 'customer', type_attribute => 'kind', keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
    attributes => '{"customer_id": "text", "name": "text"}');
SELECT create_entity('shop', 'order', type_attribute => 'kind',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}", "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "total": "numeric", "status": {"type": "text", "default": "OPEN"}}');
SELECT put_item('shop', '{"kind": "customer", "customer_id": "c7", "name": "Ann"}'::jsonb);
SELECT count(put_item('shop', jsonb_build_object('kind', 'order', 'customer_id', 'c7', 'order_id', n, 'total', 10 * n,
    'placed_at', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 day'))) FROM generate_series(1, 8) n;
SELECT create_access_pattern('shop', 'orders_of_customer', 'customer_id = :customer AND order_id BETWEEN :first AND :last',
    entities => '{order}', parameters => '{"first": {"default": 3}, "last": {"default": null}}');
SELECT create_access_pattern('shop', 'recent_orders', '#s = :state AND placed_at >= :since', entities => '{order}', index_name => 'by_status',
    expression_attribute_names => '{"#s": "status"}', parameters => '{"since": {"default": null}}', scan_index_forward => false, max_items => 3);
SELECT create_access_pattern('shop', 'large_orders', 'customer_id = :customer', entities => '{order}', filter_expression => '#t > :least',
    expression_attribute_names => '{"#t": "total"}', parameters => '{"least": "numeric"}', projection_expression => 'order_id, #t');

CREATE FUNCTION answer(operation text, request jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    body jsonb := dynamo.request_safe(operation, request::json)::jsonb -> 'body';
BEGIN
    IF body ? 'Items' THEN
        RETURN jsonb_set(body, '{Items}', (SELECT coalesce(jsonb_agg(coalesce(i -> 'SK' ->> 'S', i::text)), '[]') FROM jsonb_array_elements(body -> 'Items') i)) - 'NextToken';
    END IF;
    RETURN coalesce(body ->> 'message', body::text);
END $$;
CREATE FUNCTION run(statement text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
SELECT answer('ExecuteStatement', jsonb_build_object('Statement', statement) || more)
$$;

-- SELECT of one item reads it by its key; with fewer parts it is a scan, as before
SELECT run('SELECT * FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 4', '{"ReturnConsumedCapacity": "TOTAL"}');
SELECT run('SELECT * FROM shop WHERE customer_id = ? AND order_id = ?', '{"Parameters": [{"S": "c7"}, {"N": "4.0"}]}');
SELECT run('SELECT total FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 4 AND total > 30');
SELECT run('SELECT total FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 4 AND total > 40');
SELECT run('SELECT * FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 99');
SELECT run('SELECT * FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id > 6');
SELECT run('SELECT * FROM shop WHERE kind = ''order'' AND order_id = 4');
SELECT run('SELECT * FROM shop WHERE kind = ''order'' AND customer_id = ''''');
SELECT run('SELECT * FROM shop WHERE PK = ''CUSTOMER#c7'' AND kind = ''customer''');

-- UPDATE and DELETE
SELECT run('UPDATE shop SET total = 45 WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 4 AND total = 40 RETURNING MODIFIED NEW *');
SELECT run('UPDATE shop SET total = 46 WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 4 AND total = 40');
SELECT run('UPDATE shop SET total = 46 WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 99');
SELECT run('UPDATE shop SET order_id = 46 WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 4');
SELECT run('UPDATE shop SET total = 46 WHERE kind = ''order'' AND customer_id = ''c7''');
SELECT run('UPDATE shop SET total = 46 WHERE total = 45');
SELECT run('UPDATE shop SET total = 46 WHERE PK = ''CUSTOMER#c7'' AND order_id = 4');
SELECT run('DELETE FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 1 AND total = 99');
SELECT run('DELETE FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 1 RETURNING ALL OLD *');
SELECT run('DELETE FROM shop WHERE customer_id = ''c0''');
SELECT run('SELECT * FROM shop WHERE kind = ''order'' AND customer_id = ''c7'' AND order_id = 1');
SELECT run('INSERT INTO shop VALUE {''kind'': ''order'', ''customer_id'': ''c7'', ''order_id'': 4}');

-- batches and transactions
SELECT answer('BatchExecuteStatement', $${"Statements": [{"Statement": "SELECT SK FROM shop WHERE kind = 'order' AND customer_id = 'c7' AND order_id = 4"},
    {"Statement": "SELECT SK FROM shop WHERE customer_id = 'c7'"}, {"Statement": "SELECT SK FROM shop WHERE kind = 'order' AND customer_id = 'c7'"}]}$$);
-- two statements of a batch concern one item, however its key is written
SELECT answer('BatchExecuteStatement', $${"Statements": [{"Statement": "SELECT SK FROM shop WHERE kind = 'order' AND customer_id = 'c7' AND order_id = 4"},
    {"Statement": "SELECT SK FROM shop WHERE PK = 'CUSTOMER#c7' AND SK = 'ORDER#00000004'"}]}$$);
SELECT answer('BatchExecuteStatement', $${"Statements": [{"Statement": "DELETE FROM shop WHERE kind = 'order' AND customer_id = 'c7' AND order_id = 50"},
    {"Statement": "INSERT INTO shop VALUE {'kind': 'order', 'customer_id': 'c7', 'order_id': 50}"}]}$$);
SELECT answer('BatchExecuteStatement', $${"Statements": [{"Statement": "INSERT INTO shop VALUE {'kind': 'order', 'customer_id': 'c7'}"},
    {"Statement": "INSERT INTO shop VALUE {'kind': 'order', 'customer_id': 'c7', 'order_id': 'x'}"}]}$$);
SELECT answer('ExecuteTransaction', $${"TransactStatements": [{"Statement": "SELECT SK FROM shop WHERE kind = 'order' AND customer_id = 'c7' AND order_id = 4"},
    {"Statement": "SELECT SK FROM shop WHERE customer_id = 'c7'"}]}$$);
SELECT answer('ExecuteTransaction', $${"TransactStatements": [{"Statement": "UPDATE shop SET total = 47 WHERE kind = 'order' AND customer_id = 'c7' AND order_id = 4"},
    {"Statement": "EXISTS(SELECT * FROM shop WHERE customer_id = 'c7' AND attribute_type(\"name\", 'S'))"}]}$$);
SELECT answer('ExecuteTransaction', $${"TransactStatements": [{"Statement": "UPDATE shop SET total = 48 WHERE kind = 'order' AND customer_id = 'c7' AND order_id = 4"},
    {"Statement": "DELETE FROM shop WHERE PK = 'CUSTOMER#c7' AND SK = 'ORDER#00000004'"}]}$$);
SELECT get_item('shop', '{"kind": "order", "customer_id": "c7", "order_id": 4}'::jsonb) ->> 'total' AS total;

-- access patterns as tables: parameters by "=", anything else is a filter
SELECT run('SELECT * FROM "shop"."pattern:orders_of_customer" WHERE customer = ''c7''');
SELECT run('SELECT * FROM "shop"."pattern:orders_of_customer" WHERE customer = ? AND "first" = ? AND "last" = ?', '{"Parameters": [{"S": "c7"}, {"N": "5"}, {"N": "6"}]}');
SELECT run('SELECT order_id FROM shop."pattern:orders_of_customer" WHERE customer = ''c7'' AND total > 60');
SELECT run('SELECT * FROM shop."pattern:partiql_parts.recent_orders" WHERE state = ''OPEN''', '{"ReturnConsumedCapacity": "INDEXES"}');
SELECT run('SELECT * FROM shop."pattern:recent_orders" WHERE state = ''OPEN''', '{"Limit": 4}');
SELECT run('SELECT * FROM shop."pattern:large_orders" WHERE customer = ''c7'' AND least = 60');
SELECT run('SELECT * FROM shop."pattern:large_orders" WHERE customer = ''c7'' AND least = 60 AND order_id < 8');
SELECT run('SELECT total FROM shop."pattern:large_orders" WHERE customer = ''c7'' AND least = 60');
SELECT run('SELECT * FROM shop."pattern:orders_of_customer" WHERE "first" = 2');
SELECT run('SELECT * FROM shop."pattern:orders_of_customer" WHERE customer = ''c7'' AND "first" > 2');
SELECT run('SELECT * FROM shop."pattern:orders_of_customer" WHERE customer = ''c7'' ORDER BY SK DESC');
SELECT run('SELECT * FROM shop."pattern:nothing" WHERE customer = ''c7''');
SELECT run('SELECT * FROM shop."pattern:" WHERE customer = ''c7''');
SELECT answer('BatchExecuteStatement', $${"Statements": [{"Statement": "SELECT * FROM shop.\"pattern:orders_of_customer\" WHERE customer = 'c7'"}]}$$);

-- page by page
DO $$
DECLARE
    answer jsonb;
    token text;
BEGIN
    LOOP
        answer := dynamo.request('ExecuteStatement', jsonb_strip_nulls(jsonb_build_object('Limit', 2, 'NextToken', token,
            'Statement', 'SELECT order_id FROM shop."pattern:orders_of_customer" WHERE customer = ''c7'''))::json);
        token := answer ->> 'NextToken';
        RAISE WARNING '%', answer -> 'Items';
        EXIT WHEN token IS NULL;
    END LOOP;
END $$;

-- the type attribute and some parts read what these parts compose; the same with conditions from which no range follows is a scan
SELECT create_table('ranges', 'pk', 'sk', indexes => '[{"index_name": "i", "partition_key": "g1", "sort_key": "g2"}, {"index_name": "t", "partition_key": "g1", "sort_key": "g2", "storage": "table"},
	{"index_name": "s", "partition_key": "g1", "sort_key": "g2", "storage": "table", "shards": 3}, {"index_name": "c", "partition_key": "h1"}]');
SELECT create_entity('ranges', 'a', '{"pk": "A#{x}", "sk": "{y:04}#{z}", "g1": "{y}#{z:upper}", "g2": "{x}", "h1": "{y}"}', '{"x": "text", "y": "int", "z": "text"}', type_attribute => 'kind',
	index_conditions => '{"c": "y > :y"}', expression_attribute_values => '{":y": {"N": "2"}}');
SELECT create_entity('ranges', 'b', '{"pk": "A#{x}", "sk": "{y:04}#{z}#{n}"}', '{"x": "text", "y": "int", "z": "text", "n": "int", "same": {"type": "text", "constant": "k"}}', type_attribute => 'kind');
SELECT count(put_item('ranges', jsonb_build_object('kind', k, 'x', x, 'y', y, 'z', z, 'n', n, 'filler', repeat('f', 400)))) FROM unnest('{a,b}'::text[]) k, unnest('{p,q}'::text[]) x, generate_series(1, 4) y, unnest('{u,U,v}'::text[]) z, generate_series(1, 2) n;
SELECT put_item('ranges', '{"pk": "A#p", "sk": "0001#w", "kind": "a"}'::jsonb), put_item('ranges', '{"pk": "A#p", "sk": "0001#x", "kind": "other", "x": "p", "y": 1}'::jsonb);
CREATE FUNCTION read_all(statement text, size int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    token text;
    body jsonb;
    found text[] := '{}';
BEGIN
    LOOP
        body := dynamo.request_safe('ExecuteStatement', jsonb_strip_nulls(jsonb_build_object('Statement', statement, 'Limit', size, 'NextToken', token))::json)::jsonb -> 'body';
        found := found || ARRAY(SELECT i::text FROM jsonb_array_elements(body -> 'Items') i);
        token := body ->> 'NextToken';
        IF token IS NULL THEN
            RETURN concat(body ->> 'message', ARRAY(SELECT unnest(found) ORDER BY 1)::text);
        END IF;
    END LOOP;
END $$;
SELECT count(*) AS statements, count(*) FILTER (WHERE r.ranged IS DISTINCT FROM r.scanned) AS wrong, count(*) FILTER (WHERE r.ranged <> '{}') AS that_find
FROM unnest('{ranges,ranges.i,ranges.t,ranges.s,ranges.c}'::text[]) f, unnest('{a,b,other}'::text[]) k, unnest(ARRAY['', ' AND x = ''p''', ' AND x = ''''', ' AND x = 1']) x,
	unnest(ARRAY['', ' AND y = 1', ' AND y = 3', ' AND y = ''1''', ' AND y > 2', ' AND y = [1]']) y, unnest(ARRAY['', ' AND z = ''u''', ' AND z = ''U'' AND n = 2', ' AND z IN [''u'', ''v'']']) z,
	unnest(ARRAY[NULL, 3]) size
	CROSS JOIN LATERAL (SELECT format('SELECT * FROM "%s"', replace(f, '.', '"."')) AS what) w
	CROSS JOIN LATERAL (SELECT read_all(format('%s WHERE kind = ''%s''%s%s%s', w.what, k, x, y, z), size) AS ranged,
		read_all(format('%s WHERE (kind = ''%s'' OR kind = ''%s'')%s%s%s', w.what, k, k, x, y, z), 1000) AS scanned) r;
SELECT w AS condition, request('ExecuteStatement', json_build_object('Statement', 'SELECT * FROM ranges' || w, 'ReturnConsumedCapacity', 'TOTAL')) #>> '{ConsumedCapacity,CapacityUnits}' AS units
FROM unnest(ARRAY['', ' WHERE kind = ''a'' AND x = ''p''', ' WHERE kind = ''a'' AND x = ''p'' AND y = 1', ' WHERE x = ''p''', ' WHERE kind = ''other'' AND x = ''p''']) WITH ORDINALITY w(w, n) ORDER BY n;

DROP SCHEMA partiql_parts CASCADE;
