-- title: item input from its own text
-- setup: types
-- executions: 2
-- modes: pipeline
-- target: >= 1.2
--:: item
SELECT count(item_text::dynamo.item) FROM type_text
--:: jsonb
SELECT count(json_text::jsonb) FROM type_text
