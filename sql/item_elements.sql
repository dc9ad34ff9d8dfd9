-- elements of lists and sets, min and max, items from maps, plain JSON through json functions
CREATE SCHEMA t_item_elements;
SET search_path = t_item_elements, dynamo;
CREATE TABLE t (i item);
INSERT INTO t VALUES ('{"id": {"S": "a"}, "n": {"N": "10"}, "pay": {"L": [{"M": {"sum": {"N": "1.50"}}}, {"M": {"sum": {"N": "20"}}}, {"NULL": true}]},
	"ss": {"SS": ["y", "x"]}, "ns": {"NS": ["10", "-2", "0.5"]}, "bs": {"BS": ["AQ==", "AA=="]}, "m": {"M": {"e": {"S": "f"}}}, "z": {"NULL": true}}');
INSERT INTO t VALUES ('{"id": {"S": "b"}, "n": {"N": "9"}, "pay": {"L": []}, "m": {"M": {}}}');
INSERT INTO t VALUES ('{"id": {"S": "c"}, "n": {"N": "-100"}}');

-- lists in their order, sets in storage order; null, an empty list and NULL have no elements
SELECT i ->> 'id' AS id, place, e, e -> 'sum' AS sum FROM t, elements(i -> 'pay') WITH ORDINALITY AS p (e, place);
SELECT elements(i -> 'ss') AS ss, elements(i -> 'ns') AS ns, elements(i -> 'bs') AS bs FROM t WHERE i ->> 'id' = 'a';
SELECT sum((e ->> 'sum')::numeric) FROM t, elements(i -> 'pay') e;
SELECT count(*) FROM t, elements(i -> 'z');
SELECT elements(i -> 'n') FROM t;
SELECT elements(i) FROM t;

-- the order of values; nulls are ignored
SELECT min(i -> 'n'), max(i -> 'n'), min(i -> 'none') AS none FROM t;
SELECT min(v) AS least, max(v) AS greatest FROM t, each(i) AS e (n, v) WHERE i ->> 'id' = 'a';
SELECT i ? 'pay' AS pay, max(i -> 'n') FROM t GROUP BY 1 ORDER BY 1;
CREATE INDEX ON t ((i -> 'n'));
SET enable_seqscan = off;
DO $$
DECLARE
	line text;
BEGIN
	FOR line IN EXPLAIN (COSTS OFF) SELECT max(i -> 'n') FROM t LOOP
		IF line ~ 'Scan' THEN RAISE NOTICE '%', trim(line, ' ->'); END IF;
	END LOOP;
END $$;
RESET enable_seqscan;

-- a cast from a map to an item
SELECT (i -> 'm')::item, matches((i -> 'm')::item, 'attribute_exists(e)') AS e FROM t;
SELECT (i -> 'z')::item IS NULL AS z FROM t WHERE i ? 'z';
SELECT (i -> 'n')::item FROM t;
SELECT ('{"S": "x"}'::value)::item;

-- json functions return plain JSON, not text
SELECT i::json AS json, i::jsonb = i::json::jsonb AS same FROM t WHERE i ->> 'id' <> 'c' ORDER BY i ->> 'id';
SELECT to_jsonb(i) AS item, to_json(i -> 'n') AS n, to_jsonb(i -> 'ns') AS set FROM t WHERE i ->> 'id' = 'a';
SELECT row_to_json(t) FROM t WHERE i ->> 'id' = 'c';
SELECT jsonb_agg(i -> 'n' ORDER BY i -> 'n'), jsonb_build_object('n', max(i -> 'n')) FROM t;
SELECT jsonb_object_agg(i ->> 'id', i -> 'n')::item FROM t;
SELECT to_value(array_agg(i -> 'n' ORDER BY i -> 'n')) AS list FROM t;

-- U+0000 in json functions
SELECT '{"a": {"S": "\u0000"}}'::item::json;

SET client_min_messages = warning;
DROP SCHEMA t_item_elements CASCADE;
