-- binary input and output: COPY, and messages that are not valid items
CREATE SCHEMA t_item_binary;
SET search_path = t_item_binary, dynamo;
\getenv abs_builddir PG_ABS_BUILDDIR
\cd :abs_builddir
\set file results/item_binary.data

CREATE TABLE t (id int, i item, v value);
INSERT INTO t VALUES
	(1, '{}', '{"NULL": true}'),
	(2, '{"s": {"S": "\u0000é"}, "n": {"N": "-1.5"}, "b": {"B": "AAEC"}, "t": {"BOOL": true}, "z": {"NULL": true}}', '{"L": []}'),
	(3, '{"l": {"L": [{"M": {"x": {"L": [{"S": "deep"}]}}}]}, "ss": {"SS": ["b", "a"]}}', '{"NS": ["1e125", "-1e-130", "0"]}'),
	(4, build_item('big', (SELECT jsonb_object_agg('key' || i, repeat('x', i)) FROM generate_series(1, 400) i)),
		to_value((SELECT array_agg(i) FROM generate_series(1, 5000) i))),
	(5, NULL, '{"BS": ["", "/w=="]}');
CREATE TABLE copied (LIKE t);
COPY t TO STDOUT (FORMAT binary) \g :file
\copy copied FROM results/item_binary.data (FORMAT binary)
SELECT id, t.i IS NOT DISTINCT FROM c.i AND t.v IS NOT DISTINCT FROM c.v AS same FROM t JOIN copied c USING (id) ORDER BY id;
TRUNCATE copied;
COPY t TO STDOUT \g :file
\copy copied FROM results/item_binary.data
SELECT id, t.i IS NOT DISTINCT FROM c.i AND t.v IS NOT DISTINCT FROM c.v AS same FROM t JOIN copied c USING (id) ORDER BY id;

-- the bytes of an item: version, tag, count, ends, names and values
SELECT dynamo_internal.item_send('{"a": {"S": "xy"}, "b": {"N": "1"}}');

-- what is stored on disk by 1.0, which every later 1.x reads: each type, and each width of the table of ends; equal values have equal bytes
SELECT name, CASE WHEN length(bytes) <= 40 THEN bytes::text ELSE length(bytes) || ' bytes, sha256 ' || left(encode(sha256(bytes), 'hex'), 16) END AS bytes
FROM (VALUES ('S', '{"a": {"S": "é\u0000"}}'), ('N', '{"a": {"N": "-12.5"}}'), ('N, 0', '{"a": {"N": "0"}}'), ('N, largest', '{"a": {"N": "9.9999999999999999999999999999999999999E+125"}}'),
	('N, smallest', '{"a": {"N": "1e-130"}}'), ('B', '{"a": {"B": "AP+A"}}'), ('BOOL', '{"a": {"BOOL": true}, "b": {"BOOL": false}}'), ('NULL', '{"a": {"NULL": true}}'),
	('L', '{"a": {"L": [{"S": "x"}, {"N": "1"}]}}'), ('M', '{"a": {"M": {"é": {"S": "x"}, "b": {"M": {}}}}}'), ('SS', '{"a": {"SS": ["é", "a"]}}'),
	('NS', '{"a": {"NS": ["2", "-3"]}}'), ('BS', '{"a": {"BS": ["gA==", "fw=="]}}'),
	('2 bytes', jsonb_build_object('a', jsonb_build_object('S', repeat('x', 300)))::text), ('4 bytes', jsonb_build_object('a', jsonb_build_object('S', repeat('x', 70000)))::text))
	i (name, json), dynamo_internal.item_send(json::item) bytes;

-- a COPY file with one column of these bytes, which recv reads
CREATE TABLE files (file oid);
CREATE FUNCTION as_file(message bytea) RETURNS oid LANGUAGE sql AS $$
	INSERT INTO files SELECT lo_from_bytea(0, '\x5047434f50590aff0d0a000000000000000000'::bytea || '\x0001'::bytea ||
		int4send(length(message)) || message || '\xffff'::bytea) RETURNING file $$;
CREATE TABLE received (i item);
CREATE TABLE received_value (v value);
\pset tuples_only
-- well-formed
SELECT as_file('\x010601050161007879') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- empty message
SELECT as_file('\x') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- version only
SELECT as_file('\x01') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- unknown version
SELECT as_file('\x020600') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- not a map
SELECT as_file('\x010078') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- unknown type
SELECT as_file('\x010a') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- reserved bits of the tag
SELECT as_file('\x014600') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- flag in a tag that has none
SELECT as_file('\x011078') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- true null
SELECT as_file('\x0114') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- null with a payload
SELECT as_file('\x010400') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- offset width of 8 bytes
SELECT as_file('\x013600') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- offset table wider than necessary
SELECT as_file('\x01160105000161007879') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- count with more bytes than necessary
SELECT as_file('\x01068000') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- count without end
SELECT as_file('\x0106ffffffffff') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- count beyond the message
SELECT as_file('\x0106ffffffff0f') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- bytes after the last element
SELECT as_file('\x01060105016100787900') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- last element cut off
SELECT as_file('\x0106010501610078') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- descending offsets
SELECT as_file('\x010502020104') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- element without a tag
SELECT as_file('\x01050100') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- name longer than its entry
SELECT as_file('\x01060103056104') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- empty name
SELECT as_file('\x010601020004') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- names out of order
SELECT as_file('\x0106020306016204016104') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- name twice
SELECT as_file('\x0106020306016104016104') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- invalid UTF-8
SELECT as_file('\x0100c3') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- invalid UTF-8 after a NUL
SELECT as_file('\x01006100ff') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- overlong UTF-8 in a name
SELECT as_file('\x0106010402c08004') AS file \gset
\lo_export :file results/item_binary.data
\copy received FROM results/item_binary.data (FORMAT binary)
-- number without bytes
SELECT as_file('\x0101') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- number with a leading zero pair
SELECT as_file('\x0101c10102') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- number with a trailing zero pair
SELECT as_file('\x0101c10201') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- pair beyond 99
SELECT as_file('\x0101c165') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- negative number without its end
SELECT as_file('\x01013e64') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- number of 39 digits
SELECT as_file('\x0101d4020d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- zero pair at the lowest exponent
SELECT as_file('\x01018001') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- empty set
SELECT as_file('\x010700') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- set out of order
SELECT as_file('\x01070201026261') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- set member twice
SELECT as_file('\x0108020204c102c102') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
-- 33 levels of lists
SELECT as_file('\x0105015c05015905015605015305015005014d05014a05014705014405014105013e05013b05013805013505013205012f05012c05012905012605012305012005011d05011a05011705011405011105010e05010b0501080501050501020500') AS file \gset
\lo_export :file results/item_binary.data
\copy received_value FROM results/item_binary.data (FORMAT binary)
\pset tuples_only
SELECT * FROM received;
SELECT * FROM received_value;

SET client_min_messages = warning;
SELECT bool_and(lo_unlink(file) = 1) AS unlinked FROM files;
DROP SCHEMA t_item_binary CASCADE;
