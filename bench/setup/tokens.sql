-- Makes the table of request tokens hold this many that count.
CREATE FUNCTION bench_tokens(n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE dynamo_internal.request_tokens;
	INSERT INTO dynamo_internal.request_tokens
	SELECT hashtextextended(i::text, 0), 'postgres', gen_random_uuid(), decode(md5(i::text), 'hex'), clock_timestamp()
	FROM generate_series(1, n) i;
END $$;
