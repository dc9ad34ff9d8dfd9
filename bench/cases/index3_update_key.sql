-- title: three inline indexes: update_item of the key attribute of one
-- setup: indexed
-- params: SELECT key, pk, sk, 'STATUS#' || turn * 1000 + block, json_build_object(':s', json_build_object('S', 'STATUS#' || turn * 1000 + block)) FROM indexed_sample, generate_series(1, 2) turn ORDER BY block, turn
-- modes: pipeline
--:: dynamo
-- use: 1,5
-- before: VACUUM shop3
SELECT dynamo.update_item('shop3', $1, 'SET GSI2PK = :s', expression_attribute_values => $2)
--:: UPDATE with jsonb_set
-- use: 2,3,4
-- before: VACUUM raw_shop3
UPDATE raw_shop3 SET item = jsonb_set(item, '{GSI2PK}', to_jsonb($3::text)) WHERE pk = $1 AND sk = $2
