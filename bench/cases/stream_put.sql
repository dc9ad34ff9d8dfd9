-- title: put_item over an existing key, with a stream of both images
-- setup: streamed
-- params: SELECT item FROM stream_sample ORDER BY turn, ctid
-- modes: pipeline
--:: a stream
-- use: 1
-- before: VACUUM streamed; VACUUM "streamed$stream"
SELECT dynamo.put_item('streamed', $1)
--:: an outbox in PL/pgSQL
-- use: 1
-- before: VACUUM outboxed; VACUUM outbox
-- target: >= 1.1
SELECT dynamo.put_item('outboxed', $1)
--:: no record at all
-- use: 1
-- before: VACUUM unstreamed
-- target: >= 0.5
SELECT dynamo.put_item('unstreamed', $1)
