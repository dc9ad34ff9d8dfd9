--
-- Key conditions on the parts of an entity's keys.
--
\set SHOW_CONTEXT never
CREATE SCHEMA query_by_parts;
SET search_path = query_by_parts, public, dynamo;
SET timezone = 'UTC';

SELECT create_table('shop', partition_key => 'PK', sort_key => 'SK',
    indexes => '[{"index_name": "by_status", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}, {"index_name": "by_number", "partition_key": "GSI2PK", "sort_key": "order_id", "sort_key_type": "N"}]');
SELECT create_entity('shop', 'customer',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "METADATA"}',
    attributes => '{"customer_id": "text", "name": "text"}', type_attribute => 'kind');
SELECT create_entity('shop', 'order',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}",
              "GSI1PK": "STATUS#{status}", "GSI1SK": "{placed_at:ms}", "GSI2PK": "ORDERS#{region}#{kind}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "placed_at": "timestamptz", "kind": "text",
                    "region": {"type": "text", "constant": "eu"}, "status": {"type": "text", "default": "OPEN"}}',
    type_attribute => 'kind');
SELECT create_entity('shop', 'line',
    keys => '{"PK": "CUSTOMER#{customer_id}", "SK": "ORDER#{order_id:08}#LINE#{line:03}"}',
    attributes => '{"customer_id": "text", "order_id": "int", "line": "int"}', type_attribute => 'kind');

SELECT put_item('shop', jsonb_build_object('kind', 'customer', 'customer_id', c, 'name', upper(c))) FROM unnest('{c1,c2}'::text[]) c;
SELECT count(put_item('shop', jsonb_build_object('kind', 'order', 'customer_id', c, 'order_id', n, 'status', CASE WHEN n % 3 = 0 THEN 'PAID' ELSE 'OPEN' END,
    'placed_at', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 day'))) FROM unnest('{c1,c2}'::text[]) c, generate_series(1, 12) n;
SELECT count(put_item('shop', jsonb_build_object('kind', 'line', 'customer_id', 'c1', 'order_id', n, 'line', l))) FROM generate_series(1, 12) n, generate_series(1, 2) l;

CREATE FUNCTION found(key_condition text, expression_values jsonb, index_name text DEFAULT NULL, names jsonb DEFAULT NULL, forward boolean DEFAULT true) RETURNS text
LANGUAGE sql AS $$
SELECT count(*) || ': ' || coalesce(string_agg(item ->> 'SK', ' ' ORDER BY n), '')
FROM dynamo.query('shop', key_condition, expression_values::dynamo.item, index_name => index_name, expression_attribute_names => names, scan_index_forward => forward)
  WITH ORDINALITY AS q(item, n)
$$;

-- a partition and the kind of its items; the range of orders contains lines, which are filtered out
SELECT found('kind = :k AND customer_id = :c', '{":k": "order", ":c": "c1"}');
SELECT found('customer_id = :c AND kind = :k', '{":k": "customer", ":c": "c2"}');
SELECT found('kind = :k AND customer_id = :c AND order_id = :n', '{":k": "order", ":c": "c1", ":n": 7}');
SELECT found('kind = :k AND customer_id = :c AND order_id = :n', '{":k": "line", ":c": "c1", ":n": 7}');
SELECT found('customer_id = :c AND order_id = :n AND line = :l', '{":c": "c1", ":n": 7, ":l": 2}');
SELECT found('kind = :k AND customer_id = :c AND order_id BETWEEN :a AND :b', '{":k": "order", ":c": "c1", ":a": 3, ":b": 5}');
SELECT found('kind = :k AND customer_id = :c AND order_id > :a', '{":k": "order", ":c": "c1", ":a": 9}');
SELECT found('kind = :k AND customer_id = :c AND order_id >= :a', '{":k": "order", ":c": "c1", ":a": 9}', forward => false);
SELECT found('kind = :k AND customer_id = :c AND order_id < :a', '{":k": "order", ":c": "c1", ":a": 3}');
SELECT found('kind = :k AND customer_id = :c AND order_id <= :a', '{":k": "order", ":c": "c1", ":a": 3}');
SELECT found('kind = :k AND customer_id = :c AND order_id = :n', '{":k": "order", ":c": "c1", ":n": 99}');

-- indexes: composed of other attributes, or of a constant, the type and a number
SELECT found('#s = :s', '{":s": "PAID"}', 'by_status', '{"#s": "status"}');
SELECT found('kind = :k AND #s = :s AND placed_at >= :t', '{":k": "order", ":s": "PAID", ":t": "2026-01-08"}', 'by_status', '{"#s": "status"}');
SELECT found('#s = :s AND placed_at BETWEEN :t AND :u', '{":s": "OPEN", ":t": "2026-01-02T00:00:00Z", ":u": "2026-01-03T00:00:00+00:00"}', 'by_status', '{"#s": "status"}');
SELECT found('kind = :k AND order_id = :n', '{":k": "order", ":n": 4}', 'by_number');
SELECT found('kind = :k AND order_id < :n', '{":k": "order", ":n": 3}', 'by_number', forward => false);
SELECT found('#r = :r AND order_id < :n', '{":r": "eu", ":n": 3}', 'by_number', '{"#r": "region"}');
SELECT found('#r = :r AND order_id < :n', '{":r": "us", ":n": 3}', 'by_number', '{"#r": "region"}');
SELECT found('GSI1PK = :p', '{":p": "STATUS#PAID"}', 'by_status');

-- what is no condition on the parts of one entity
SELECT found('customer_id = :c', '{":c": "c1"}');
SELECT found('customer_id = :c AND order_id = :n', '{":c": "c1", ":n": 7}');
SELECT found('kind = :k', '{":k": "order"}');
SELECT found('kind = :k AND order_id = :n', '{":k": "order", ":n": 7}');
SELECT found('kind = :k AND customer_id > :c', '{":k": "order", ":c": "c1"}');
SELECT found('kind = :k AND customer_id = :c', '{":k": "ordre", ":c": "c1"}');
SELECT found('kind > :k AND customer_id = :c', '{":k": "order", ":c": "c1"}');
SELECT found('kind = :k AND customer_id = :c AND #s = :s', '{":k": "order", ":c": "c1", ":s": "OPEN"}', names => '{"#s": "status"}');
SELECT found('kind = :k AND customer_id = :c AND line = :l', '{":k": "line", ":c": "c1", ":l": 1}');
SELECT found('customer_id = :c', '{":c": "c1"}', 'by_status');
SELECT found('kind = :k AND #s = :s', '{":k": "line", ":s": "OPEN"}', 'by_status', '{"#s": "status"}');
SELECT found('kind = :k AND placed_at = :t', '{":k": "order", ":t": "2026-01-02"}', 'by_status');
SELECT found('amount = :k', '{":k": 1}');
SELECT found('PK = :p AND amount = :k', '{":p": "CUSTOMER#c1", ":k": 1}');
SELECT found('PK = :p AND kind = :k', '{":p": "CUSTOMER#c1", ":k": "order"}');

-- values that compose no key
SELECT found('kind = :k AND customer_id = :c', '{":k": "order", ":c": ""}');
SELECT found('kind = :k AND customer_id = :c', '{":k": "order", ":c": 7}');
SELECT found('kind = :k AND customer_id = :c AND order_id = :n', '{":k": "order", ":c": "c1", ":n": "7"}');
SELECT found('kind = :k AND customer_id = :c AND order_id = :n', '{":k": "order", ":c": "c1", ":n": -7}');
SELECT found('kind = :k AND customer_id = :c AND order_id > :n', '{":k": "order", ":c": "c1", ":n": 1234567890}');
SELECT found('kind = :k AND customer_id = :c AND order_id BETWEEN :n AND :m', '{":k": "order", ":c": "c1", ":n": 7, ":m": 3}');
SELECT found('kind = :k AND customer_id = :c AND begins_with(order_id, :n)', '{":k": "order", ":c": "c1", ":n": "0"}');
SELECT found('kind = :k AND order_id = :n', '{":k": "order", ":n": "4"}', 'by_number');

-- filter, projection, pages and the same in requests
SELECT query('shop', 'kind = :k AND customer_id = :c', '{":k": {"S": "order"}, ":c": {"S": "c1"}, ":s": {"S": "PAID"}}', '{"#s": "status"}',
    filter_expression => '#s = :s', projection_expression => 'order_id');
SELECT items, scanned_count, last_evaluated_key FROM query_page('shop', 'kind = :k AND customer_id = :c', '{":k": {"S": "order"}, ":c": {"S": "c1"}}',
    page_size => 3, projection_expression => 'order_id');
SELECT request('Query', '{"TableName": "shop", "KeyConditionExpression": "kind = :k AND customer_id = :c AND order_id > :n", "Limit": 3, "ProjectionExpression": "SK",
    "ExpressionAttributeValues": {":k": {"S": "order"}, ":c": {"S": "c1"}, ":n": {"N": "3"}}}');
SELECT request('Query', '{"TableName": "shop", "KeyConditionExpression": "kind = :k AND customer_id = :c AND order_id > :n", "Limit": 3, "ProjectionExpression": "SK",
    "ExclusiveStartKey": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#00000010"}},
    "ExpressionAttributeValues": {":k": {"S": "order"}, ":c": {"S": "c1"}, ":n": {"N": "3"}}}');
SELECT request('Query', '{"TableName": "shop", "KeyConditionExpression": "kind = :k AND customer_id = :c AND order_id > :n", "Select": "COUNT",
    "ExclusiveStartKey": {"PK": {"S": "CUSTOMER#c2"}, "SK": {"S": "ORDER#00000010"}},
    "ExpressionAttributeValues": {":k": {"S": "order"}, ":c": {"S": "c1"}, ":n": {"N": "3"}}}');
SELECT request('Query', '{"TableName": "shop", "KeyConditionExpression": "customer_id = :c", "ExpressionAttributeValues": {":c": {"S": "c1"}}}');
SELECT replace(explain_query('shop', 'kind = :k AND customer_id = :c AND order_id > :n', '{":k": {"S": "order"}, ":c": {"S": "c1"}, ":n": {"N": "3"}}'), ', by SQL statements', '') AS explain_query;

-- each condition finds what the attributes select
CREATE VIEW everything AS SELECT item, item ->> 'kind' AS kind, item ->> 'customer_id' AS customer_id, (item ->> 'order_id')::int AS order_id FROM shop;
SELECT c, op, n FROM unnest('{c1,c2,c3}'::text[]) c, unnest('{=,<,<=,>,>=}'::text[]) op, generate_series(0, 13) n,
    LATERAL (SELECT array_agg(i ->> 'SK' ORDER BY i ->> 'SK') AS sks FROM query('shop', 'kind = :k AND customer_id = :c AND order_id ' || op || ' :n',
        jsonb_build_object(':k', 'order', ':c', c, ':n', n)::item) i) q,
    LATERAL (SELECT array_agg(item ->> 'SK' ORDER BY item ->> 'SK') AS sks FROM everything e WHERE kind = 'order' AND customer_id = c
        AND CASE op WHEN '=' THEN order_id = n WHEN '<' THEN order_id < n WHEN '<=' THEN order_id <= n WHEN '>' THEN order_id > n ELSE order_id >= n END) e
WHERE q.sks IS DISTINCT FROM e.sks;

-- a shard of an attribute: the key has no more of it
SELECT create_table('sharded', partition_key => 'PK', sort_key => 'SK', indexes => '[{"index_name": "by_day", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');
SELECT create_entity('sharded', 'event', '{"PK": "E#{id}", "SK": "E", "GSI1PK": "{day:date}#{#2:source}", "GSI1SK": "{at:ms}"}',
    '{"id": "text", "source": "text", "day": "date", "at": "timestamptz"}', type_attribute => 'kind');
SELECT count(put_item('sharded', jsonb_build_object('kind', 'event', 'id', n::text, 'source', 's' || n % 5, 'day', '2026-01-01', 'at', '2026-01-01T00:00:00Z'))) FROM generate_series(1, 20) n;
SELECT count(*), min(item ->> 'source'), max(item ->> 'source') FROM query('sharded', '#d = :d AND #s = :s', '{":d": {"S": "2026-01-01"}, ":s": {"S": "s3"}}',
    '{"#d": "day", "#s": "source"}', index_name => 'by_day') AS item;

-- an index whose older items are not composed yet
SELECT put_item('sharded', '{"PK": "E#old", "SK": "E", "kind": "event", "id": "old", "code": "x"}'::jsonb);
SELECT create_index('sharded', 'by_code', partition_key => 'GSI2PK');
SELECT create_entity('sharded', 'event', '{"PK": "E#{id}", "SK": "E", "GSI2PK": "CODE#{code}"}', type_attribute => 'kind', replace => true);
SELECT query('sharded', 'code = :c', '{":c": {"S": "x"}}', index_name => 'by_code');
SELECT apply_entity('sharded', 'event');
SELECT query('sharded', 'code = :c', '{":c": {"S": "x"}}', index_name => 'by_code') ->> 'id' AS id;

-- entities without a type attribute
SELECT create_table('bare', partition_key => 'PK', sort_key => 'SK');
SELECT create_entity('bare', 'team', '{"PK": "T#{team}", "SK": "TEAM"}');
SELECT create_entity('bare', 'member', '{"PK": "T#{team}", "SK": "M#{name:word}"}');
SELECT create_entity('bare', 'badge', '{"PK": "T#{team}", "SK": "M#{name:word}#B#{badge}"}');
SELECT put_item('bare', item::jsonb) FROM unnest(ARRAY['{"PK": "T#a", "SK": "TEAM"}', '{"PK": "T#a", "SK": "M#x"}', '{"PK": "T#a", "SK": "M#x#B#1"}']) item;
SELECT query('bare', 'team = :t AND #n = :n AND badge = :b', '{":t": {"S": "a"}, ":n": {"S": "x"}, ":b": {"S": "1"}}', '{"#n": "name"}') ->> 'SK' AS sk;
SELECT query('bare', 'team = :t AND #n = :n AND badge <= :b', '{":t": {"S": "a"}, ":n": {"S": "x"}, ":b": {"S": ""}}', '{"#n": "name"}');
SELECT query('bare', 'team = :t AND #n = :n AND badge BETWEEN :b AND :b', '{":t": {"S": "a"}, ":n": {"S": "x"}, ":b": {"S": ""}}', '{"#n": "name"}');
SELECT query('bare', 'team = :t', '{":t": {"S": "a"}}');
SELECT query('bare', 'team = :t AND #n = :n', '{":t": {"S": "a"}, ":n": {"S": "x"}}', '{"#n": "name"}');

SET client_min_messages = warning;
DROP SCHEMA query_by_parts CASCADE;
