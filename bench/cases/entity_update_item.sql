-- title: update_item of an attribute in no template of its entity
-- setup: entities
-- params: SELECT key, item_text FROM composed_sample
-- count: 10000
-- target: >= 0.97
--:: dynamo
-- use: 1
-- before: TRUNCATE shop_composed; INSERT INTO shop_composed (item) SELECT item_text::dynamo.item FROM composed_sample
SELECT dynamo.update_item('shop_composed', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: update_item of a table without entities
-- use: 1
-- before: TRUNCATE shop_supplied; INSERT INTO shop_supplied (item) SELECT item_text::dynamo.item FROM composed_sample
SELECT dynamo.update_item('shop_supplied', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
