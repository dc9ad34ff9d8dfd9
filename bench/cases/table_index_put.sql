-- title: three index tables: put_item, every index key changes
-- setup: table_indexed
-- params: SELECT item FROM (SELECT moved_item AS item, 1 AS turn, ctid AS place FROM table_sample UNION ALL SELECT same_item, 2, ctid FROM table_sample) s ORDER BY turn, place
-- modes: pipeline
-- target: >= 1.5
--:: maintained from C
-- use: 1
-- before: VACUUM tabled
SELECT dynamo.put_item('tabled', $1)
--:: maintained by PL/pgSQL
-- use: 1
-- before: VACUUM triggered
SELECT dynamo.put_item('triggered', $1)
