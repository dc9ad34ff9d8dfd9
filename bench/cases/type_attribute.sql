-- title: one attribute of ten, as text
-- setup: types
-- modes: pipeline
-- target: >= 1.3
--:: item ->>
SELECT count(item ->> 'email') FROM type_item
--:: jsonb ->>
SELECT count(item ->> 'email') FROM type_jsonb
