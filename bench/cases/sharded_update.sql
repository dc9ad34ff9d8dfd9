-- title: an index of 8 shards: update_item, the index key stays
-- setup: sharded8
-- params: SELECT bench_key(json_text::jsonb), pk, sk FROM sharded8_sample WHERE turn = 1
-- modes: pipeline
--:: dynamo
-- use: 1
-- before: VACUUM sharded8
SELECT dynamo.update_item('sharded8', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: expert's shard number in the row
-- use: 2,3
-- before: VACUUM raw_sharded8
UPDATE raw_sharded8 SET item = jsonb_set(item, '{quantity}', to_jsonb((item ->> 'quantity')::numeric + 1)) WHERE pk = $1 AND sk = $2
