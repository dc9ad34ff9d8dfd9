-- title: by SQL statements: transact_write_items of 4 puts
-- setup: shop
-- params: SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'shop', 'Item', item_text::json))), min(pk), min(sk), min(json_text), min(item_text), json_build_object('TransactItems', json_agg(json_build_object('Put', json_build_object('TableName', 'shop', 'Item', item_text::json)))) FROM (SELECT *, (row_number() OVER () - 1) / 4 AS batch FROM shop_sample) s GROUP BY batch
-- modes: pipeline
-- target: >= 1.1
--:: direct
-- use: 1
-- weight: 4
-- before: VACUUM shop
SELECT dynamo.transact_write_items($1)
--:: dynamo.direct_access = off
-- settings: dynamo.direct_access=off
-- use: 1
-- weight: 4
-- before: VACUUM shop
SELECT dynamo.transact_write_items($1)
