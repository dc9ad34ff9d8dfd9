-- dynamo.query on number and binary keys
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS t_query_nb CASCADE;
RESET client_min_messages;
CREATE SCHEMA t_query_nb;
SET search_path = t_query_nb, dynamo;

-- numbers: found and ordered by value, however they are written
SELECT dynamo.create_table('readings', 'sensor', 'at', 'N', 'N');
INSERT INTO readings (item)
SELECT format('{"sensor": {"N": "7"}, "at": {"N": "%s"}}', at)::dynamo.item
FROM unnest(ARRAY['-1e125', '-100', '-99.5', '-1', '-1e-130', '0', '1e-130', '0.5', '1', '2', '9.99',
	'10', '100', '12345678901234567890123456789012345678', '9e125']) at;
INSERT INTO readings (item) VALUES ('{"sensor": {"N": "70"}, "at": {"N": "1"}}');

CREATE FUNCTION ats(condition text, vals dynamo.item, forward boolean DEFAULT true)
RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(left(i ->> 'at', 12), ' ' ORDER BY n)
	FROM dynamo.query('readings', condition, vals,
		expression_attribute_names => '{"#a": "at"}', scan_index_forward => forward)
		WITH ORDINALITY q(i, n)
$$;
SELECT ats('sensor = :s AND #a > :a', '{":s": {"N": "7.0"}, ":a": {"N": "-1e125"}}');
SELECT ats('sensor = :s AND #a >= :a', '{":s": {"N": "07"}, ":a": {"N": "-9e125"}}', false);
SELECT ats('sensor = :s AND #a = :a', '{":s": {"N": "7e0"}, ":a": {"N": "1.00"}}');
SELECT ats('sensor = :s AND #a < :a', '{":s": {"N": "7"}, ":a": {"N": "0"}}');
SELECT ats('sensor = :s AND #a <= :a', '{":s": {"N": "7"}, ":a": {"N": "-0"}}', false);
SELECT ats('sensor = :s AND #a BETWEEN :a AND :b',
	'{":s": {"N": "7"}, ":a": {"N": "1e-130"}, ":b": {"N": "10.0"}}');
SELECT ats('sensor = :s AND #a BETWEEN :a AND :b',
	'{":s": {"N": "7"}, ":a": {"N": "2.1"}, ":b": {"N": "9.9"}}');
SELECT ats('sensor = :s AND #a = :a',
	'{":s": {"N": "7"}, ":a": {"N": "12345678901234567890123456789012345678"}}');
-- a number has no prefixes
SELECT ats('sensor = :s AND begins_with(#a, :a)', '{":s": {"N": "7"}, ":a": {"N": "1"}}');

-- binary: unsigned bytes, shorter before longer
SELECT dynamo.create_table('blobs', 'h', 'b', 'B', 'B');
INSERT INTO blobs (item)
SELECT format('{"h": {"B": "AQ=="}, "b": {"B": "%s"}}', encode(b, 'base64'))::dynamo.item
FROM unnest(ARRAY['\x00', '\x0000', '\x0001', '\x01', '\x7f', '\x80', '\x80ff', '\x80ffff', '\x81',
	'\xfe', '\xff', '\xff00', '\xffff', '\xffff00']::bytea[]) b;
CREATE FUNCTION bytes(condition text, vals dynamo.item, forward boolean DEFAULT true)
RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(encode(decode(i ->> 'b', 'base64'), 'hex'), ' ' ORDER BY n)
	FROM dynamo.query('blobs', condition, vals, scan_index_forward => forward)
		WITH ORDINALITY q(i, n)
$$;
SELECT bytes('h = :h', '{":h": {"B": "AQ=="}}');
SELECT bytes('h = :h', '{":h": {"B": "AQ=="}}', false);
-- > 80, < 80, >= 80, between 80 and ff
SELECT bytes('h = :h AND b > :b', '{":h": {"B": "AQ=="}, ":b": {"B": "gA=="}}');
SELECT bytes('h = :h AND b < :b', '{":h": {"B": "AQ=="}, ":b": {"B": "gA=="}}');
SELECT bytes('h = :h AND b >= :b', '{":h": {"B": "AQ=="}, ":b": {"B": "gA=="}}', false);
SELECT bytes('h = :h AND b BETWEEN :b AND :c', '{":h": {"B": "AQ=="}, ":b": {"B": "gA=="}, ":c": {"B": "/w=="}}');
-- prefixes 00, 80, 80ff, ff, ffff
SELECT bytes('h = :h AND begins_with(b, :b)', '{":h": {"B": "AQ=="}, ":b": {"B": "AA=="}}');
SELECT bytes('h = :h AND begins_with(b, :b)', '{":h": {"B": "AQ=="}, ":b": {"B": "gA=="}}');
SELECT bytes('h = :h AND begins_with(b, :b)', '{":h": {"B": "AQ=="}, ":b": {"B": "gP8="}}', false);
SELECT bytes('h = :h AND begins_with(b, :b)', '{":h": {"B": "AQ=="}, ":b": {"B": "/w=="}}');
SELECT bytes('h = :h AND begins_with(b, :b)', '{":h": {"B": "AQ=="}, ":b": {"B": "//8="}}', false);

SET client_min_messages = warning;
DROP SCHEMA t_query_nb CASCADE;
