-- title: update_item with a stream of both images
-- setup: streamed
-- params: SELECT json_build_object('PK', json_build_object('S', item::dynamo.item ->> 'PK'), 'SK', json_build_object('S', item::dynamo.item ->> 'SK')) FROM stream_sample WHERE turn = 1
-- modes: pipeline
--:: a stream
-- use: 1
-- before: VACUUM streamed; VACUUM "streamed$stream"
SELECT dynamo.update_item('streamed', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: an outbox in PL/pgSQL
-- use: 1
-- before: VACUUM outboxed; VACUUM outbox
-- target: >= 1.1
SELECT dynamo.update_item('outboxed', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
--:: no record at all
-- use: 1
-- before: VACUUM unstreamed
-- target: >= 0.5
SELECT dynamo.update_item('unstreamed', $1, 'ADD quantity :one', expression_attribute_values => '{":one": {"N": "1"}}')
