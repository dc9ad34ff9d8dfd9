-- title: delete_item with a stream of both images
-- setup: streamed
-- params: SELECT json_build_object('PK', json_build_object('S', item::dynamo.item ->> 'PK'), 'SK', json_build_object('S', item::dynamo.item ->> 'SK')) FROM stream_sample WHERE turn = 1
-- count: 5000
-- modes: pipeline
--:: a stream
-- use: 1
-- before: INSERT INTO streamed (item) SELECT item FROM stream_source ON CONFLICT DO NOTHING; VACUUM streamed
SELECT dynamo.delete_item('streamed', $1)
--:: an outbox in PL/pgSQL
-- use: 1
-- before: INSERT INTO outboxed (item) SELECT item FROM stream_source ON CONFLICT DO NOTHING; VACUUM outboxed
-- target: >= 1.1
SELECT dynamo.delete_item('outboxed', $1)
--:: no record at all
-- use: 1
-- before: INSERT INTO unstreamed (item) SELECT item FROM stream_source ON CONFLICT DO NOTHING; VACUUM unstreamed
SELECT dynamo.delete_item('unstreamed', $1)
