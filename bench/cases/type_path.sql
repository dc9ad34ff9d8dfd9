-- title: a nested path, as text
-- setup: types
-- modes: pipeline
-- target: >= 1.0
--:: item #>>
SELECT count(item #>> '{address,geo,lat}') FROM type_item
--:: jsonb #>>
SELECT count(item #>> '{address,geo,lat}') FROM type_jsonb
