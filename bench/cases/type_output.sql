-- title: item output to its own text
-- setup: types
-- modes: pipeline
-- target: >= 1.3
--:: item
SELECT count(item::text) FROM type_item
--:: jsonb
SELECT count(item::text) FROM type_jsonb
