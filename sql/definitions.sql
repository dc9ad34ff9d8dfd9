-- Definitions are arguments of triggers, which any user can write.  An invalid
-- definition is refused.  One that exists nevertheless harms no other table
-- than its own.
CREATE SCHEMA t_definitions;
SET search_path = t_definitions, dynamo, dynamo_internal;
\set SHOW_CONTEXT never
SET client_min_messages = warning;

CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN left(SQLSTATE || ' ' || COALESCE(NULLIF(detail, ''), SQLERRM), 120);
END $$;

-- a definition in which every member has a value, and changes of it
CREATE TABLE tab ("PK" text COLLATE "C" NOT NULL, "SK" numeric NOT NULL, g text COLLATE "C", h bytea, item item NOT NULL, PRIMARY KEY ("PK", "SK"));
CREATE FUNCTION whole() RETURNS jsonb LANGUAGE sql AS $$ SELECT '{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "SK", "type": "N", "column": "SK"},
		{"name": "g", "type": "S", "column": "g"}, {"name": "h", "type": "B", "column": "h"}],
	"partition": ["PK"], "sort": ["SK"], "indexes": [
		{"name": "one", "local": false, "partition": ["g"], "sort": ["h"], "projection": "INCLUDE", "non_key_attributes": ["a", "b"],
		 "storage": "table", "shards": 4, "shard_by": "g", "relation": "tab$one", "status": "ACTIVE"},
		{"name": "one$new", "local": false, "partition": ["g"], "sort": ["h"], "projection": "ALL", "non_key_attributes": [],
		 "storage": "table", "shards": 0, "shard_by": null, "relation": "tab$new", "status": "CREATING", "replaces": "one"},
		{"name": "two", "local": true, "partition": ["PK"], "sort": ["g"], "projection": "KEYS_ONLY", "non_key_attributes": [],
		 "storage": "inline", "shards": 0, "shard_by": null, "relation": "tab$two", "status": "ACTIVE"}]}'::jsonb $$;
CREATE FUNCTION define(definition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN try(format('CREATE OR REPLACE TRIGGER k BEFORE INSERT OR UPDATE ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys(%L)', definition));
END $$;
SELECT define(whole()::text);
SELECT table_definition(convert_to(whole()::text, 'UTF8') || '\x00') = whole() AS same;

CREATE TABLE changes (position serial, path text[], value jsonb);
INSERT INTO changes (path, value) VALUES
	('{version}', '2'), ('{version}', '"1"'), ('{version}', 'null'), ('{version}', '1e400'),
	('{other}', '1'), ('{attributes,0,other}', '1'), ('{indexes,0,other}', 'null'),
	('{table}', '"short"'), ('{table}', to_jsonb(repeat('é', 100))), ('{table}', to_jsonb(repeat('x', 256))), ('{table}', to_jsonb(repeat('x', 64))),
	('{time_to_live}', '""'), ('{time_to_live}', to_jsonb(repeat('x', 256))), ('{time_to_live}', '5'),
	('{attributes}', '[]'), ('{attributes}', '{}'), ('{attributes}', '5'), ('{attributes}', 'null'), ('{attributes,0}', '"PK"'),
	('{attributes,1,name}', '"PK"'), ('{attributes,1,column}', '"PK"'), ('{attributes,3,type}', '"NS"'), ('{attributes,3,type}', '""'),
	('{attributes,3,name}', '""'), ('{attributes,3,name}', to_jsonb(repeat('x', 256))), ('{attributes,3,name}', '5'), ('{attributes,3,name}', 'null'),
	('{attributes,3,column}', '"item"'), ('{attributes,3,column}', '"dynamo_expires_at"'), ('{attributes,3,column}', '""'),
	('{attributes,3,column}', to_jsonb(repeat('x', 64))), ('{attributes,3,column}', '"ctid"'), ('{attributes,3,column}', '"missing"'),
	('{attributes,3,type}', '"S"'), ('{attributes,1,type}', '"S"'),
	('{partition}', '[]'), ('{partition}', '["PK", "SK"]'), ('{partition}', '"PK"'), ('{partition}', '["other"]'), ('{partition}', '[null]'), ('{partition}', '[["PK"]]'),
	('{sort}', '["PK"]'), ('{sort}', '["SK", "g"]'), ('{sort}', '[]'),
	('{indexes}', '5'), ('{indexes,0}', '[]'), ('{indexes,0,name}', '""'), ('{indexes,0,name}', '"two"'), ('{indexes,0,name}', to_jsonb(repeat('x', 256))),
	('{indexes,0,name}', '"a b"'), ('{indexes,2,name}', '"two$new"'), ('{indexes,0,local}', 'true'), ('{indexes,0,local}', '"false"'),
	('{indexes,0,partition}', '[]'), ('{indexes,0,partition}', '["g", "g"]'), ('{indexes,0,sort}', '["g"]'), ('{indexes,0,sort}', '["PK", "SK", "h", "h", "h"]'),
	('{indexes,0,projection}', '"NONE"'), ('{indexes,0,projection}', '"ALL"'), ('{indexes,2,projection}', '"INCLUDE"'),
	('{indexes,0,non_key_attributes}', '["a", "a"]'), ('{indexes,0,non_key_attributes}', '[""]'), ('{indexes,0,non_key_attributes}', '[5]'),
	('{indexes,0,non_key_attributes}', (SELECT jsonb_agg('a' || i) FROM generate_series(1, 21) i)),
	('{indexes,0,storage}', '"inline"'), ('{indexes,0,storage}', '"INLINE"'), ('{indexes,0,shards}', '-1'), ('{indexes,0,shards}', '1000000'),
	('{indexes,0,shards}', '99999999999'), ('{indexes,0,shards}', '1.5'), ('{indexes,0,shards}', '"4"'), ('{indexes,0,shards}', '0'),
	('{indexes,0,shard_by}', '""'), ('{indexes,1,shard_by}', '"g"'), ('{indexes,2,shards}', '2'),
	('{indexes,0,relation}', '""'), ('{indexes,0,relation}', '"tab$two"'), ('{indexes,0,relation}', to_jsonb(repeat('x', 64))),
	('{indexes,0,status}', '"DONE"'), ('{indexes,0,status}', '""'),
	('{indexes,1,replaces}', '"two"'), ('{indexes,1,replaces}', '"one$new"'), ('{indexes,1,replaces}', '"missing"'), ('{indexes,1,replaces}', 'null'),
	('{indexes,1,status}', '"ACTIVE"'), ('{indexes,1,partition}', '["h"]'), ('{indexes,1,local}', 'true'), ('{indexes,0,replaces}', '"one$new"'),
	('{indexes,2,sort}', '[]'), ('{indexes,2,partition}', '["g"]');
SELECT path, left(value::text, 30) AS value, define(jsonb_set(whole(), path, value)::text) AS result,
	table_definition(convert_to(jsonb_set(whole(), path, value)::text, 'UTF8')) IS NOT NULL AS readable
FROM changes ORDER BY position;
-- members that are missing
SELECT m, define((whole() - m)::text) FROM unnest('{version,attributes,partition,sort,indexes}'::text[]) m;
SELECT m, define((whole() #- ARRAY['indexes', '0', m])::text) FROM jsonb_object_keys(whole() #> '{indexes,0}') m ORDER BY 1;
-- text of other kinds, deeply nested and large; nothing takes long
SELECT left(d, 20) AS definition, define(d), table_definition(convert_to(d, 'UTF8')) IS NULL AS unreadable
FROM (VALUES (''), ('x'), ('5'), ('null'), ('[]'), ('{}'), ('"a"'), ('{"version": 1'), ('{"version": 1}'), ('{"a": "\u0000"}'),
	(repeat('[', 100000) || repeat(']', 100000)), ('{"a": "' || repeat('x', 5000000) || '"}')) v(d);
SELECT define(jsonb_set(whole(), '{attributes}', (SELECT '[' || string_agg('{"name": "a' || i || '", "type": "S", "column": "a' || i || '"}', ', ') || ']' FROM generate_series(1, 20000) i)::jsonb)::text);
SELECT define(jsonb_set(whole(), '{indexes}', (SELECT jsonb_agg(whole() #> '{indexes,2}') FROM generate_series(1, 10000) i))::text);
SELECT table_definition(convert_to(jsonb_set(whole(), '{indexes}', (SELECT jsonb_agg(jsonb_set(jsonb_set(whole() #> '{indexes,2}', '{name}', to_jsonb('two' || i)), '{relation}', to_jsonb('two' || i)))
	FROM generate_series(1, 2002) i))::text, 'UTF8')) IS NOT NULL AS many_indexes;
-- bytes that are not text
SELECT table_definition(convert_to(replace(whole()::text, '"g"', '"q@"'), 'UTF8')) IS NULL AS unreadable,
	table_definition(decode(replace(encode(convert_to(replace(whole()::text, '"g"', '"q@"'), 'UTF8'), 'hex'), encode('q@', 'hex'), '71ff'), 'hex')) IS NULL AS unreadable_bytes;

-- streams
CREATE TABLE plain (a int);
CREATE FUNCTION guard(definition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN try(format('CREATE OR REPLACE TRIGGER g BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream(%L)', definition));
END $$;
CREATE FUNCTION stream() RETURNS jsonb LANGUAGE sql AS $$
	SELECT '{"version": 1, "table": "shop", "label": "2026-11-21T11:20:47.123", "view": "NEW_AND_OLD_IMAGES", "partition": "PK", "sort": "SK", "closed": "2026-11-21T12:00:00.000"}'::jsonb $$;
SELECT guard(stream()::text), stream_definition(convert_to(stream()::text, 'UTF8') || '\x00') = stream() AS same;
SELECT m, v, guard(jsonb_set(stream(), ARRAY[m], v)::text), stream_definition(convert_to(jsonb_set(stream(), ARRAY[m], v)::text, 'UTF8')) IS NOT NULL AS readable
FROM (VALUES ('version', '2'::jsonb), ('other', '1'), ('table', '""'), ('table', '5'), ('table', 'null'), ('relation', '""'), ('label', '"infinity"'),
	('label', '"2026-11-21T11:20:47.12"'), ('label', '"2026-13-41T11:20:47.123"'), ('label', '"0000-00-00T00:00:00.000"'), ('label', '"now"'), ('closed', '5'), ('closed', '"x"'), ('closed', 'null'),
	('view', '"ALL"'), ('partition', '""'), ('partition', '"SK"'), ('partition', '[]'), ('sort', 'null')) v(m, v);
SELECT d, guard(d), stream_definition(convert_to(d, 'UTF8')) IS NULL AS unreadable FROM (VALUES (''), ('x'), ('[]'), ('{}'), ('5')) v(d);
SELECT a, try(format('CREATE OR REPLACE TRIGGER c AFTER INSERT ON tab FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes(%s)', a))
FROM (VALUES (''), ($$'a'$$), ($$'a', 'ALL', '2026-11-21T11:20:47.123'$$), ($$'a', 'KEYS_ONLY', 'now'$$), ($$'a', 'KEYS_ONLY', '2026-11-21T11:20:47.123'$$)) v(a);

-- columns that cannot contain the item
CREATE TABLE made (a text COLLATE "C" PRIMARY KEY, b text COLLATE "C" GENERATED ALWAYS AS (a) STORED, item item NOT NULL);
SELECT try($t$CREATE TRIGGER k BEFORE INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "b", "type": "S", "column": "b"}], "partition": ["b"], "sort": [], "indexes": []}')$t$);
CREATE TABLE made_item ("PK" text COLLATE "C" PRIMARY KEY, item item NOT NULL GENERATED ALWAYS AS ('{"PK": {"S": "a"}}'::item) STORED);
SELECT try($t$CREATE TRIGGER k BEFORE INSERT OR UPDATE ON made_item FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}], "partition": ["PK"], "sort": [], "indexes": []}')$t$);

-- invalid definitions that exist because they were created without event triggers
SET client_min_messages = error;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
SELECT create_table('good', 'PK', 'SK', indexes => '[{"index_name": "GSI", "partition_key": "g"}]');
SELECT enable_stream('good') IS NOT NULL AS enabled;
CREATE TABLE bad (LIKE tab INCLUDING ALL);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON bad FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"time_to_live": "x", "indexes": 5}');
CREATE TABLE worse (LIKE tab INCLUDING ALL);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON worse FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('x');
CREATE TRIGGER c AFTER INSERT ON worse FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('a', 'b', 'c');
CREATE TABLE stream (LIKE "good$stream" INCLUDING ALL);
CREATE TRIGGER g BEFORE INSERT ON stream FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('x');
CREATE TABLE stream2 (LIKE "good$stream" INCLUDING ALL);
CREATE TRIGGER g BEFORE INSERT ON stream2 FOR EACH ROW EXECUTE FUNCTION dynamo_system.guard_stream('{"table": 1, "label": "x", "closed": {}}');
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
SELECT table_name, partition_key, sort_key_type, indexes, definition IS NULL AS invalid FROM tables WHERE schema_name = 't_definitions' ORDER BY 1;
SELECT table_name, index_name FROM indexes WHERE schema_name = 't_definitions' ORDER BY 1, 2;
SELECT table_name, index_name FROM index_progress WHERE schema_name = 't_definitions' ORDER BY 1, 2;
SELECT table_name, stream_relation FROM streams WHERE schema_name = 't_definitions' ORDER BY 1;
SELECT request('ListTables', '{}');
SELECT request('ListStreams', '{}') -> 'Streams' -> 0 ->> 'TableName' AS stream;
CALL build_indexes();
SELECT trim_streams();
-- maintenance of all tables continues after another user's invalid definition
SELECT update_time_to_live('good', 'ends');
SELECT put_item('good', '{"PK": {"S": "a"}, "SK": {"S": "b"}, "ends": {"N": "1700000000"}}');
CREATE ROLE definitions_other;
ALTER EVENT TRIGGER dynamo_ddl_command_end DISABLE;
CREATE TABLE broken (LIKE tab INCLUDING ALL);
CREATE TRIGGER k BEFORE INSERT OR UPDATE ON broken FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"time_to_live": "x", "indexes": [{"status": "CREATING"}]}');
ALTER TABLE broken OWNER TO definitions_other;
ALTER EVENT TRIGGER dynamo_ddl_command_end ENABLE ALWAYS;
SELECT delete_expired();
CALL build_indexes();
SELECT get_item('good', '{"PK": {"S": "a"}, "SK": {"S": "b"}}') IS NULL AS deleted;
DROP TABLE broken;
DROP ROLE definitions_other;
DROP TRIGGER k ON tab;
DROP TABLE tab;
SELECT event_name, expired FROM read_stream('good');
SELECT put_item('bad', '{"PK": {"S": "a"}}');
INSERT INTO worse (item) VALUES ('{}');
ALTER TABLE good RENAME TO better;
DROP TABLE better;
DROP TABLE plain;
-- an invalid definition can be corrected or dropped
CREATE OR REPLACE TRIGGER k BEFORE INSERT OR UPDATE ON bad FOR EACH ROW EXECUTE FUNCTION dynamo_system.derive_keys('{"version": 1,
	"attributes": [{"name": "PK", "type": "S", "column": "PK"}, {"name": "SK", "type": "N", "column": "SK"}], "partition": ["PK"], "sort": ["SK"], "indexes": []}');
SELECT put_item('bad', '{"PK": {"S": "a"}, "SK": {"N": "1"}}');
DROP TABLE bad, worse, stream, stream2;

SET client_min_messages = warning;
DROP SCHEMA t_definitions CASCADE;
