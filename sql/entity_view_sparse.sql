-- views of entities return items that lack a part of an index's key, or have it as an empty text
CREATE SCHEMA t_sparse;
SET search_path = t_sparse, dynamo;
\set SHOW_CONTEXT never
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_indexscan = on;

SELECT dynamo.create_table('shop', partition_key => 'PK', sort_key => 'SK');
SELECT dynamo.create_index('shop', 'GSI1', 'GSI1PK', 'GSI1SK');
SELECT dynamo.create_index('shop', 'GSI2', 'GSI2PK', 'GSI2SK', storage => 'table');
SELECT dynamo.create_entity('shop', 'order',
    keys => '{"PK": "C#{c}", "SK": "O#{o:08}", "GSI1PK": "S#{status}", "GSI1SK": "W#{ware}#{n:04}", "GSI2PK": "T#{tag}", "GSI2SK": "W#{ware}"}',
    attributes => '{"c": "text", "o": "int", "status": "text", "tag": "text", "ware": "text", "n": "int"}', view_name => 'orders');
INSERT INTO orders (c, o, status, tag, ware, n) VALUES
    ('a', 1, 'x', 'x', NULL, NULL), ('a', 2, 'x', 'x', 'm', NULL), ('a', 3, 'x', 'x', 'm', 7),
    ('a', 4, '', '', 'm', 7), ('a', 5, NULL, NULL, 'm', 7), ('a', 6, 'x', 'x', '', 7);

-- the sort key restricts only items that have it
SELECT o, ware, n FROM orders WHERE status = 'x' ORDER BY o;
EXPLAIN (COSTS OFF) SELECT o FROM orders WHERE status = 'x';
SELECT o, ware, n FROM orders WHERE status = 'x' AND ware = 'm' ORDER BY o;
SELECT o, ware, n FROM orders WHERE status = 'x' AND ware = 'm' AND n < 10 ORDER BY o;
EXPLAIN (COSTS OFF) SELECT o FROM orders WHERE status = 'x' AND ware = 'm' AND n < 10;
SELECT o, ware FROM orders WHERE tag = 'x' ORDER BY o;

-- an empty text is missing in a key
SELECT o FROM orders WHERE status = '';
SELECT o FROM orders WHERE tag = '';
SELECT o FROM orders WHERE status = ''::varchar;
SELECT o FROM orders WHERE status = ANY ('{"", y}');
SELECT o FROM orders WHERE tag = ANY (ARRAY['y', NULL, '']);
SELECT o FROM orders WHERE status = 'x' AND ware = '';
SET plan_cache_mode = force_custom_plan;
PREPARE by_status(text) AS SELECT o FROM orders WHERE status = $1 ORDER BY o;
EXECUTE by_status('');
EXECUTE by_status('x');
SELECT o FROM orders WHERE c = '';

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_sparse CASCADE;
