-- title: bytes of a stored value
-- setup: types
-- kind: value
-- unit: bytes
-- target: <= 1.0
--:: item
SELECT avg(pg_column_size(item)) FROM type_item
--:: jsonb
SELECT avg(pg_column_size(item)) FROM type_jsonb
