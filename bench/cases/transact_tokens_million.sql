-- title: TransactWriteItems of two puts and a check, with a token
-- setup: shop tokens
-- params: SELECT left(r, -1) || ', ', left(r, -1) || ', "ClientRequestToken": "' FROM (SELECT json_build_object('TransactItems', json_agg(CASE n WHEN 0 THEN json_build_object('ConditionCheck', json_build_object('TableName', 'shop', 'Key', key::json, 'ConditionExpression', 'attribute_exists(PK)')) ELSE json_build_object('Put', json_build_object('TableName', 'shop', 'Item', item_text::json)) END))::text AS r FROM (SELECT *, (row_number() OVER () - 1) / 3 AS batch, (row_number() OVER () - 1) % 3 AS n FROM shop_sample) s GROUP BY batch) t
-- modes: pipeline
-- kind: time
--:: no other tokens
-- use: 2
-- before: VACUUM shop; SELECT bench_tokens(0)
SELECT dynamo.request('TransactWriteItems', ($1 || gen_random_uuid() || '"}')::json)
--:: after a million tokens
-- use: 2
-- target: <= 1.05
-- before: VACUUM shop; SELECT bench_tokens(1000000)
SELECT dynamo.request('TransactWriteItems', ($1 || gen_random_uuid() || '"}')::json)
