-- title: three index tables: update_item, no index key changes
-- setup: table_indexed
-- params: SELECT json_build_object('PK', json_build_object('S', item::dynamo.item ->> 'PK'), 'SK', json_build_object('S', item::dynamo.item ->> 'SK')) FROM (SELECT same_item AS item FROM table_sample) s
-- modes: pipeline
-- target: >= 1.5
--:: maintained from C
-- use: 1
-- before: VACUUM tabled
SELECT dynamo.update_item('tabled', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: maintained by PL/pgSQL
-- use: 1
-- before: VACUUM triggered
SELECT dynamo.update_item('triggered', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
