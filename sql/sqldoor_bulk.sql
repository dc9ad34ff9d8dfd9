-- import and export of JSON lines, and COPY
CREATE SCHEMA t_bulk;
SET search_path = t_bulk, dynamo;
SELECT current_setting('data_directory') || '/t_bulk.jsonl' AS file \gset

SELECT dynamo.create_table('orders', 'PK', 'SK',
	indexes => '[{"index_name": "GSI1", "partition_key": "GSI1PK", "sort_key": "GSI1SK"}]');

-- a single line, imported and exported
SELECT dynamo.import_line('{"Item": {"PK": {"S": "a"}, "SK": {"N": "01.50"}}}');
SELECT dynamo.import_line(' { "Extra": [1], "Item" : {"PK":{"S":"\u00e9"}} } ');
SELECT dynamo.export_line('{"PK": {"S": "a"}, "tags": {"SS": ["y", "x"]}}');
SELECT dynamo.import_line('{"PK": {"S": "a"}}');
SELECT dynamo.import_line('{"Item": {"PK": {"S": "a"}}} trailing');
SELECT dynamo.import_line('{"Item": {"PK": {"X": "a"}}}');
SELECT dynamo.import_line('');
-- a byte order mark, with which files of other systems begin
SELECT dynamo.import_line(U&'\FEFF{"Item": {"PK": {"S": "\FEFF"}}}') OPERATOR(dynamo.->>) 'PK' = U&'\FEFF' AS mark_in_item_kept;
SELECT dynamo.import_line(U&'{"Item": \FEFF{"PK": {"S": "a"}}}');
BEGIN;
SELECT * FROM dynamo.import_lines('orders', ARRAY[U&'\FEFF{"Item": {"PK": {"S": "bom"}, "SK": {"S": "1"}}}', U&'\FEFF\000D']);
COPY (SELECT convert_from('\xEFBBBF', 'UTF8') || '{"Item": {"PK": {"S": "bom"}, "SK": {"S": "2"}}}') TO :'file';
SELECT * FROM dynamo.import_items('orders', :'file');
SELECT "SK" FROM orders WHERE "PK" = 'bom' ORDER BY 1;
ROLLBACK;

-- lines from the client: items with existing keys are replaced, blank lines skipped
SELECT * FROM dynamo.import_lines('orders', ARRAY[
	'{"Item": {"PK": {"S": "C#1"}, "SK": {"S": "O#1"}, "n": {"N": "1"}, "GSI1PK": {"S": "g"}, "GSI1SK": {"S": "1"}}}',
	'', NULL,
	'{"Item": {"PK": {"S": "C#1"}, "SK": {"S": "O#2"}, "n": {"N": "2"}}}',
	'{"Item": {"PK": {"S": "C#1"}, "SK": {"S": "O#1"}, "n": {"N": "3"}, "GSI1PK": {"S": "g"}, "GSI1SK": {"S": "2"}}}']);
SELECT "PK", "SK", "GSI1PK", "GSI1SK", item FROM orders ORDER BY 1, 2;

-- an invalid line ends the import with an error that names it
SELECT * FROM dynamo.import_lines('orders', ARRAY[
	'{"Item": {"PK": {"S": "C#2"}, "SK": {"S": "O#1"}}}',
	'{"Item": {"PK": {"S": "C#2"}}}']);
SELECT count(*) FROM orders;

-- with skip_errors it is counted
ALTER TABLE orders ADD CHECK ("SK" <> 'forbidden');
SELECT * FROM dynamo.import_lines('orders', ARRAY[
	'{"Item": {"PK": {"S": "C#3"}, "SK": {"S": "O#1"}}}',
	'{"Item": {"PK": {"S": "C#3"}}}',
	'not json',
	'{"Item": {"PK": {"S": "C#3"}, "SK": {"S": "forbidden"}}}',
	'{"Item": {"PK": {"S": "C#3"}, "SK": {"S": "O#2"}, "GSI1PK": {"N": "1"}}}',
	'{"Item": {"PK": {"S": "C#3"}, "SK": {"S": "O#2"}}}'], skip_errors => true);
SELECT "PK", "SK" FROM orders ORDER BY 1, 2;

-- more invalid lines than are shown, in more than one batch
SELECT dynamo.create_table('many', 'id', partition_key_type => 'N');
SELECT imported, failed FROM dynamo.import_lines('many', ARRAY(
	SELECT CASE WHEN i % 100 = 0 THEN 'bad' ELSE format('{"Item": {"id": {"N": "%s"}}}', i) END
	FROM generate_series(1, 2500) i), skip_errors => true);
SELECT count(*), min(id), max(id) FROM many;

-- progress, as seen by a trigger of the table during the import
CREATE TABLE seen (command text, type text, bytes boolean, items bigint, skipped bigint);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO seen SELECT command, type, bytes_processed > 0, tuples_processed, tuples_excluded
	FROM pg_stat_progress_copy WHERE relid = TG_RELID AND pid = pg_backend_pid();
	RETURN NULL;
END $$;
CREATE TRIGGER look AFTER INSERT ON many FOR EACH ROW WHEN (NEW.id = 10000) EXECUTE FUNCTION look();
SELECT imported, failed FROM dynamo.import_lines('many', ARRAY(
	SELECT format('{"Item": {"id": {"N": "%s"}}}', i) FROM generate_series(8001, 10500) i));
SELECT * FROM seen;
DROP TRIGGER look ON many;
DELETE FROM many WHERE id > 8000;

-- errors that are not caused by a line are raised
\set SHOW_CONTEXT never
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = 'insufficient_privilege'; END $$;
CREATE TRIGGER refuse AFTER INSERT ON many FOR EACH ROW EXECUTE FUNCTION refuse();
SELECT * FROM dynamo.import_lines('many', ARRAY['{"Item": {"id": {"N": "0"}}}'], true);
SELECT count(*) FROM many;
DROP TRIGGER refuse ON many;

-- export to a file, import from it
SELECT dynamo.export_items('many', :'file');
SELECT count(*), md5(string_agg(line, '' ORDER BY line)) =
	(SELECT md5(string_agg(dynamo.export_line(item), '' ORDER BY dynamo.export_line(item))) FROM many) AS same
FROM regexp_split_to_table(rtrim(pg_read_file(:'file'), E'\n'), E'\n') line;
SELECT dynamo.create_table('copy', 'id', partition_key_type => 'N');
SELECT * FROM dynamo.import_items('copy', :'file');
SELECT count(*) FROM many m FULL JOIN copy c USING (id) WHERE m.item IS DISTINCT FROM c.item;
SELECT * FROM dynamo.import_items('copy', 'relative.jsonl');
SELECT dynamo.export_items('nothing', :'file');
SELECT dynamo.import_items('copy', '/nonexistent/items.jsonl');

-- server files require the server's roles; lines do not
CREATE ROLE bulk_user;
GRANT USAGE ON SCHEMA t_bulk TO bulk_user;
GRANT SELECT, INSERT, UPDATE ON many TO bulk_user;
SET ROLE bulk_user;
SELECT dynamo.import_items('many', :'file');
SELECT dynamo.export_items('many', :'file');
SELECT * FROM dynamo.import_lines('many', ARRAY['{"Item": {"id": {"N": "-1"}}}']);
SELECT * FROM dynamo.import_lines('copy', ARRAY['{"Item": {"id": {"N": "-1"}}}'], true);
RESET ROLE;
GRANT pg_read_server_files, pg_write_server_files TO bulk_user;
SET ROLE bulk_user;
SELECT * FROM dynamo.import_items('many', :'file');
SELECT dynamo.export_items('copy', :'file');
RESET ROLE;

-- COPY of the item column, in text and binary format
COPY orders (item) FROM STDIN WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
{"PK": {"S": "C#9"}, "SK": {"S": "with \"quotes\" and \\"}}
\.
COPY (SELECT item FROM orders WHERE "PK" = 'C#9') TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');
COPY (SELECT dynamo.export_line(item) FROM orders WHERE "PK" = 'C#9') TO STDOUT;

-- a zero byte affects only its own line
SELECT dynamo.create_table('zero', 'PK', 'SK');
SELECT lo_from_bytea(0, convert_to(dynamo.export_line('{"PK": {"S": "a"}, "SK": {"S": "b"}}'), 'UTF8') || '\x000a000a'
	|| convert_to(dynamo.export_line('{"PK": {"S": "c"}, "SK": {"S": "d"}}'), 'UTF8')) AS file_oid \gset
SELECT lo_export(:file_oid, :'file'), lo_unlink(:file_oid);
SELECT * FROM dynamo.import_items('zero', :'file', true);
SELECT "PK" FROM zero;
-- a compressed file that is damaged; the path is on this server
SELECT lo_from_bytea(0, '\x1f8b0800') AS file_oid \gset
SELECT lo_export(:file_oid, :'file'), lo_unlink(:file_oid);
\set VERBOSITY sqlstate
SELECT * FROM dynamo.import_items('zero', :'file', true);
\set VERBOSITY default
COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; rm -f t_bulk.jsonl' WITH (FORMAT binary);
SET client_min_messages = warning;
DROP SCHEMA t_bulk CASCADE;
DROP ROLE bulk_user;
