-- numbers: 38 digits, canonical text, order, arithmetic with numeric
CREATE SCHEMA t_item_numbers;
SET search_path = t_item_numbers, dynamo;
-- returns the canonical text of a number, or the error
CREATE FUNCTION n(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN jsonb_build_object('n', jsonb_build_object('N', t))::text::item ->> 'n';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
\pset format unaligned

-- syntax and canonical text
SELECT t, n(t) FROM unnest(ARRAY[
	'0', '-0', '+0', '0.0', '00', '1', '+1', '-1', '007', '.5', '5.', '-.5', '1.50', '1e3', '1E3', '1e+3',
	'1e-3', '12e-1', '100', '1000000', '99', '101', '9999', '10001', '0.01', '0.001', '0.10', '123.456',
	'-123.456', '1234567890123456789', '12345678901234567890', '9223372036854775807', '9223372036854775808',
	'-9223372036854775808', '999999999999999999', '0000000000000000000000000000000000000000000001',
	'1.0000000000000000000000000000000000000000000000000000000000000',
	'1000000000000000000000000000000000000000000000000000000000000',
	'12345678901234567890123456789012345678', '0.12345678901234567890123456789012345678',
	'1234567890123456789.0123456789012345678', '0e125', '0.0e126', '0e-130']) t;

-- invalid numbers
SELECT t, n(t) FROM unnest(ARRAY[
	'', ' ', '1 ', ' 1', 'x', '-', '+', '.', 'e5', '1e', '1e+', '1e5x', '1.2.3', '--1', '0x10', 'NaN',
	'Infinity', '-Infinity', '1_000', '1,5', '१']) t;

-- range and precision
SELECT t, n(t) FROM unnest(ARRAY[
	'9.9999999999999999999999999999999999999e125', '-9.9999999999999999999999999999999999999e125',
	'1e-130', '-1e-130', '1.5e-130', '1.2345678901234567890123456789012345678e-130', '1e125', '1e126', '-1e126',
	'10e125', '0.1e126', '0.1e127', '1e-131', '-1e-131', '10e-131', '0.9e-130', '1e99999999999999999999',
	'1e-99999999999999999999', '0e126', '0e-131', '0.0e-130',
	'123456789012345678901234567890123456789', '1.23456789012345678901234567890123456789',
	'10000000000000000000000000000000000000.1', '100000000000000000000000000000000000000000000000000001']) t;

-- order by value, which compares encoded bytes
CREATE TABLE numbers (v value);
INSERT INTO numbers SELECT to_value(t::numeric) FROM unnest(ARRAY[
	'0', '1', '-1', '2', '10', '9', '99', '100', '101', '-100', '-101', '-99.5', '0.5', '0.05', '-0.5', '1e-130',
	'-1e-130', '9e125', '-9e125', '1.01', '1.001', '1.0101', '-1.01', '-1.0101', '10.1', '123456789', '1e20',
	'12345678901234567890.5']) t;
SELECT string_agg(v::numeric::text, ' ' ORDER BY v) FROM numbers WHERE abs(v::numeric) BETWEEN 1e-3 AND 1e20;
SELECT count(*) AS wrong FROM numbers a, numbers b
	WHERE (a.v < b.v) <> (a.v::numeric < b.v::numeric) OR (a.v = b.v) <> (a.v::numeric = b.v::numeric);

-- the same compared with numeric, for many numbers of both signs, lengths and scales
WITH sample AS (
	SELECT (CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END * (i * 7919 % 100003) * 10::numeric ^ ((i % 41) - 20))::numeric AS x
	FROM generate_series(1, 2000) i)
SELECT count(*) AS n,
	count(*) FILTER (WHERE to_value(x)::numeric <> x) AS changed,
	count(*) FILTER (WHERE (to_value(x) #>> '{}')::numeric <> x) AS changed_in_text,
	count(*) FILTER (WHERE (SELECT to_value(lag) < to_value(x)) <> (lag < x)) AS misordered
FROM (SELECT x, lag(x) OVER () AS lag FROM sample) s;
SELECT count(*) AS changed FROM generate_series(-20000, 20000, 7) i
	WHERE to_value(i)::integer <> i OR to_value(i)::numeric <> i OR to_value(i::numeric) <> to_value(i);

-- equal numbers are one value, however they were written
SELECT '{"N": "1.0"}'::value = '{"N": "1"}'::value AS eq, '{"N": "1e2"}'::value = '{"N": "100.00"}'::value AS eq,
	'{"S": "1"}'::value = '{"N": "1"}'::value AS different;

-- numeric has the digits of the text, for fractions of all lengths and scales
SELECT count(*), count(*) FILTER (WHERE v::numeric::text <> v #>> '{}') AS changed, count(*) FILTER (WHERE v::numeric <> x) AS unequal
FROM (SELECT x, to_value(x) AS v FROM (
	SELECT (CASE WHEN i % 3 = 0 THEN -1 ELSE 1 END * left((i * 982451653::bigint * 7919)::text || '9081726354', n)::numeric) * 10::numeric ^ (-s) AS x
	FROM generate_series(1, 15) i, generate_series(1, 22) n, generate_series(1, 45) s) r) q;
SELECT v::numeric FROM unnest('{0.1,-0.01,12.50,100.001,-9999999999.99999999,999999999.999999999,0.000000000000000000000000000000000001,1e-38,1.5e-39,123456789012345678.9}'::numeric[]) t, to_value(t) v;

-- casts: numeric, bigint, integer, float8, and numbers that do not fit
SELECT '{"N": "12.5"}'::value::numeric, '{"N": "12.5"}'::value::integer, '{"N": "12.5"}'::value::bigint,
	'{"N": "12.5"}'::value::float8, '{"N": "9223372036854775807"}'::value::bigint;
SELECT '{"N": "9223372036854775808"}'::value::bigint;
SELECT '{"N": "2147483648"}'::value::integer;
SELECT to_value('NaN'::float8);
SELECT to_value('Infinity'::numeric);
SELECT to_value(1e200::float8);
SELECT to_value(0.1::float4), to_value(1e-7::float8), to_value(32767::smallint);

SET client_min_messages = warning;
DROP SCHEMA t_item_numbers CASCADE;
