-- Privileges to read, enable and trim a stream
CREATE SCHEMA t_stream_priv;
SET search_path = t_stream_priv;
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE ROLE stream_owner;
CREATE ROLE stream_reader;
CREATE ROLE stream_writer;
CREATE ROLE stream_nobody;
GRANT USAGE ON SCHEMA t_stream_priv TO PUBLIC;
GRANT CREATE ON SCHEMA t_stream_priv TO stream_owner;
SET ROLE stream_owner;
SELECT dynamo.create_table('tab', 'p');
SELECT dynamo.enable_stream('tab') IS NOT NULL;
GRANT SELECT ON tab TO stream_reader;
GRANT SELECT, INSERT, UPDATE, DELETE, TRIGGER ON tab TO stream_writer;
-- users who may write the table need no privilege on the stream for its records
SET ROLE stream_writer;
SELECT dynamo.put_item('tab', '{"p": {"S": "a"}}');
INSERT INTO tab (item) VALUES ('{"p": {"S": "b"}}');
INSERT INTO "tab$stream" (created_at, horizon, event) VALUES (now(), '1', 'I');
SELECT * FROM "tab$stream";
SELECT dynamo.disable_stream('tab');
SELECT dynamo.trim_streams('tab', '0');
-- users with only the TRIGGER privilege cannot create the extension's triggers
RESET ROLE;
CREATE TABLE other (a int);
GRANT ALL ON other TO stream_writer;
SET ROLE stream_writer;
CREATE TRIGGER t AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION dynamo_system.capture_changes('tab$stream', 'NEW_IMAGE', 'x');
SET ROLE stream_reader;
SELECT event_name, keys FROM dynamo.read_stream('tab');
SELECT dynamo.request_safe('DescribeStream', json_build_object('StreamArn', (SELECT arn FROM dynamo.streams WHERE schema_name = 't_stream_priv'))) ->> 'status';
SET ROLE stream_nobody;
SELECT event_name, keys FROM dynamo.read_stream('tab');
SELECT dynamo.request_safe('DescribeStream', json_build_object('StreamArn', (SELECT arn FROM dynamo.streams WHERE schema_name = 't_stream_priv'))) #>> '{body,__type}';
SELECT table_name, status FROM dynamo.streams WHERE schema_name = 't_stream_priv';

-- row security: a stream contains the rows of all users
SET ROLE stream_owner;
ALTER TABLE tab ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON tab USING (p <> 'b');
SELECT count(*) FROM dynamo.read_stream('tab');
SET ROLE stream_reader;
SELECT count(*) FROM dynamo.read_stream('tab');
SET ROLE stream_writer;
SELECT dynamo.put_item('tab', '{"p": {"S": "c"}}');
SET ROLE stream_owner;
ALTER TABLE tab FORCE ROW LEVEL SECURITY;
SELECT count(*) FROM dynamo.read_stream('tab');
ALTER TABLE tab NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tab DISABLE ROW LEVEL SECURITY;
SELECT count(*) FROM dynamo.read_stream('tab');

-- not even the owner can forge or remove records
DELETE FROM "tab$stream";
UPDATE "tab$stream" SET event = 'R';
INSERT INTO "tab$stream" (created_at, horizon, event) VALUES (now(), '1', 'I');
SELECT count(*) FROM dynamo.read_stream('tab');
-- a closed stream can be read by those who can read its table, until the table is dropped
SELECT dynamo.disable_stream('tab');
SET ROLE stream_reader;
SELECT count(*) FROM dynamo.read_stream('tab');
SET ROLE stream_owner;
DROP TABLE tab;
SELECT count(*) FROM dynamo.read_stream('tab');
SELECT dynamo.create_table('tab', 'p');
GRANT SELECT ON tab TO stream_reader, stream_nobody;
SET ROLE stream_reader;
SELECT count(*) FROM dynamo.read_stream('tab');
SET ROLE stream_owner;
GRANT SELECT ON "tab$stream" TO stream_reader;
SET ROLE stream_reader;
SELECT count(*) FROM dynamo.read_stream('tab');
-- row security also hides the stream of a table that is dropped, and streams that were disabled before
SET ROLE stream_owner;
SELECT dynamo.create_table('secured', 'p'), dynamo.enable_stream('secured') IS NOT NULL;
SELECT dynamo.put_item('secured', '{"p": {"S": "a"}}');
SELECT dynamo.disable_stream('secured'), dynamo.enable_stream('secured') IS NOT NULL;
SELECT dynamo.put_item('secured', '{"p": {"S": "b"}}');
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
SELECT relname, relrowsecurity FROM pg_class WHERE relname LIKE 'secured%' AND relkind = 'r' ORDER BY 1;
ALTER TABLE secured DISABLE ROW LEVEL SECURITY;
SELECT relname, relrowsecurity FROM pg_class WHERE relname LIKE 'secured%' AND relkind = 'r' ORDER BY 1;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON secured, "secured$stream", "secured$stream$2" TO stream_reader;
SET ROLE stream_reader;
SELECT count(*) FROM "secured$stream";
SET ROLE stream_owner;
DROP TABLE secured;
SELECT count(*) FROM dynamo.read_stream('secured');
SET ROLE stream_reader;
SELECT count(*) FROM dynamo.read_stream('secured');
-- trimming: only the user's own streams
SELECT dynamo.trim_streams('tab', '0');
SELECT dynamo.trim_streams('t_stream_priv.tab', '0');
SELECT dynamo.trim_streams(retention => '0');
SET ROLE stream_owner;
SELECT dynamo.trim_streams(retention => '0');

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA t_stream_priv CASCADE;
DROP ROLE stream_owner, stream_reader, stream_writer, stream_nobody;
