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


-- so it is if the plan does not know the value
SET plan_cache_mode = force_generic_plan;
SET enable_bitmapscan = on;
SET enable_indexscan = off;
EXPLAIN (COSTS OFF) EXECUTE by_status('');
EXECUTE by_status('');
EXECUTE by_status('x');
EXECUTE by_status(NULL);
PREPARE by_statuses(varchar[]) AS SELECT o FROM orders WHERE status = ANY ($1) ORDER BY o;
EXECUTE by_statuses('{y, ""}');
EXECUTE by_statuses('{y, x}');
PREPARE by_ware(text, text) AS SELECT o, n FROM orders WHERE status = $1 AND ware = $2 AND n < 10 ORDER BY o;
EXECUTE by_ware('x', '');
EXECUTE by_ware('', 'm');
EXECUTE by_ware('x', 'm');

-- an index table has no such items at all
PREPARE by_tag(text) AS SELECT o FROM orders WHERE tag = $1 ORDER BY o;
EXECUTE by_tag('');
EXECUTE by_tag('x');

-- in joins
SET enable_hashjoin = off;
SET enable_mergejoin = off;
CREATE TABLE asked (status text);
INSERT INTO asked VALUES ('x'), (''), ('y'), (NULL);
EXPLAIN (COSTS OFF) SELECT s, o.o FROM unnest('{x, ""}'::text[]) s LEFT JOIN orders o ON o.status = s;
SELECT a.status, o.o FROM asked a LEFT JOIN orders o ON o.status = a.status ORDER BY 1, 2;
SELECT a.status, o.o FROM asked a JOIN orders o USING (status) WHERE o.ware = 'm' ORDER BY 1, 2;
SELECT status, (SELECT count(*) FROM orders o WHERE o.tag = a.status) FROM asked a ORDER BY 1;
SELECT status FROM asked a WHERE EXISTS (SELECT FROM orders o WHERE o.status = a.status) ORDER BY 1;

-- a required attribute is never an empty text: its index is read in order
SELECT dynamo.create_entity('shop', 'order',
    keys => '{"PK": "C#{c}", "SK": "O#{o:08}", "GSI1PK": "S#{status}", "GSI1SK": "W#{ware}#{n:04}", "GSI2PK": "T#{tag}", "GSI2SK": "W#{ware}"}',
    attributes => '{"c": "text", "o": "int", "status": {"type": "text", "required": true}, "tag": "text", "ware": "text", "n": "int"}',
    replace => true);
DELETE FROM orders WHERE status = '' OR status IS NULL;
SELECT dynamo.apply_entity('shop', 'order');
SET enable_indexscan = on;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) EXECUTE by_status('x');
EXECUTE by_status('x');
EXECUTE by_status('');

-- equal texts of a varchar with a length may be parts of different keys
SELECT dynamo.create_entity('shop', 'code', keys => '{"PK": "A#{c}", "SK": "S#{short}", "GSI1PK": "C#{code}", "GSI2PK": "P#{price:06.2}", "GSI2SK": "M#{moment:s}"}',
    attributes => '{"c": "text", "short": "varchar(2)", "code": "varchar(3)", "price": "numeric(6,1)", "moment": "timestamptz(0)"}', view_name => 'codes');
SELECT dynamo.put_item('shop', '{"PK": "A#a", "SK": "S#abc", "code": "abcd", "price": 1.25, "moment": "2026-01-31T12:00:00.7Z"}'::jsonb);
SET plan_cache_mode = auto;
SELECT c, short, code FROM codes WHERE code = 'abc';
SELECT c, short, code FROM codes WHERE c = 'a' AND short = 'ab';
SELECT c, short, code FROM codes WHERE price = 1.3 AND moment = '2026-01-31 12:00:01+00';

-- an empty text is no time, and a time before Christ stays one
SELECT dynamo.create_entity('shop', 'event', keys => '{"PK": "E#{c}", "SK": "E", "GSI1PK": "E#{at:s}"}',
    attributes => '{"c": "text", "at": "timestamptz", "until": "timestamptz"}', view_name => 'events');
SELECT dynamo.put_item('shop', '{"PK": "E#a", "SK": "E", "at": ""}'::jsonb);
SELECT c FROM events WHERE at = '1970-01-01 00:00:00+00';
SELECT c, at FROM events WHERE at IS NULL;
INSERT INTO events (c, until) VALUES ('b', '0044-03-15 12:00:00+00 BC');
SELECT c FROM events WHERE until = '0044-03-15 12:00:00+00 BC';
SELECT item ->> 'until' FROM shop WHERE "PK" = 'E#b';

-- what the plans call, called by hand
SELECT dynamo_internal.may_lack_key('k', 'a'::text, NULL::text), dynamo_internal.may_lack_key('k', 1, ''::varchar),
    dynamo_internal.may_lack_key('k', ARRAY['a', NULL, '']), dynamo_internal.may_lack_key(NULL, '{}'::text[]);
SELECT dynamo_internal.lowest_key_if_empty('a'::text) IS NULL AS none, dynamo_internal.lowest_key_if_empty('a'::text, ''::text) = '' AS lowest;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA t_sparse CASCADE;
