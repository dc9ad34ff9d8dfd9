-- Shards of streams.  Without Citus, a stream has one.
\pset format unaligned
\pset tuples_only
\set SHOW_CONTEXT never
CREATE SCHEMA t_stream_shards;
SET search_path = t_stream_shards, dynamo, public;
SELECT create_table('plain', partition_key => 'PK');
SELECT enable_stream('plain') IS NOT NULL;
SELECT dynamo_system.stream_on_shard('t_stream_shards', 'plain', 'none', 0, '0', 10, 0);
SELECT dynamo_system.stream_on_shard('t_stream_shards', 'plain$stream', 'none', 0, '0', 10, 0);
SELECT dynamo_system.stream_on_shard('t_stream_shards', 'plain$stream', 'none', 4, '0', 10, 0);
SELECT dynamo_system.stream_on_shard('t_stream_shards', 'none', 'none', 0, '0', 10, 0);
SELECT count(*), min(s) LIKE 'shardId-%' FROM stream_shards('plain') s;
SELECT put_item('plain', '{"PK": {"S": "a"}}');
SELECT event_name, keys FROM stream_shards('plain') s, read_stream('plain', shard_id => s);
SELECT count(*) FROM stream_shards('plain') s, read_stream('plain', 100000000000000000001, shard_id => s);
SELECT * FROM read_stream('plain', shard_id => 'none');
SELECT * FROM stream_shards('plain', 'none');
SELECT * FROM stream_shards('none');
SELECT * FROM stream_shards(NULL);
SELECT dynamo_internal.is_shard('plain'::regclass), dynamo_internal.is_shard(0);

-- a restored stream of a distributed table, whose records were in shards
SELECT disable_stream('plain');
ALTER TABLE "plain$stream" RENAME TO restored;
CREATE TABLE beside (number int8, created_at timestamptz NOT NULL, horizon xid8 NOT NULL, event "char" NOT NULL, keys dynamo.item,
	new_item dynamo.item, old_item dynamo.item, partition_key text, PRIMARY KEY (number, partition_key));
SELECT pg_get_triggerdef(oid) AS guard FROM pg_trigger WHERE tgrelid = 'restored'::regclass AND tgfoid = 'dynamo_system.guard_stream'::regproc AND tgname = '~dynamo_guard_stream' \gset
SELECT pg_get_triggerdef(oid) AS link FROM pg_trigger WHERE tgrelid = 'restored'::regclass AND tgfoid = 'dynamo_system.belongs_to'::regproc \gset
DROP TABLE restored;
\set ECHO none
SELECT replace(:'guard', 'restored', 'beside') \gexec
SELECT replace(:'link', 'restored', 'beside') \gexec
\set ECHO all
SELECT stream_relation, status FROM dynamo.streams WHERE table_name = 'plain';
SELECT * FROM read_stream('plain');
CREATE TRIGGER "!dynamo_capture_changes" AFTER INSERT OR UPDATE OR DELETE ON plain FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('plain$stream', 'KEYS_ONLY', '2026-11-21T11:20:47.123');
SELECT put_item('plain', '{"PK": {"S": "b"}}');
SELECT disable_stream('plain');
SELECT put_item('plain', '{"PK": {"S": "b"}}');
SELECT trim_streams('plain', '0');
DROP TABLE plain;
SET client_min_messages = warning;
DROP SCHEMA t_stream_shards CASCADE;
