-- The same 20,000 orders as text and as values of both types.
CREATE TABLE type_text AS
SELECT doc::text AS json_text, doc::dynamo.item::text AS item_text
FROM generate_series(1, 20000) i, bench_order(i) doc;
CREATE TABLE type_jsonb AS SELECT json_text::jsonb AS item FROM type_text;
CREATE TABLE type_item AS SELECT item_text::dynamo.item AS item FROM type_text;
VACUUM ANALYZE;
