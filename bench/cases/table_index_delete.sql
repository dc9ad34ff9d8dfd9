-- title: three index tables: delete_item
-- setup: table_indexed
-- params: SELECT bench_key(item::jsonb) FROM table_deleted
-- count: 5000
-- modes: pipeline
-- target: >= 1.5
--:: maintained from C
-- use: 1
-- before: INSERT INTO tabled (item) SELECT item FROM table_deleted ON CONFLICT DO NOTHING; VACUUM tabled
SELECT dynamo.delete_item('tabled', $1)
--:: maintained by PL/pgSQL
-- use: 1
-- before: INSERT INTO triggered (item) SELECT item FROM table_deleted ON CONFLICT DO NOTHING; VACUUM triggered
SELECT dynamo.delete_item('triggered', $1)
