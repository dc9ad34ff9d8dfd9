/*
 * fuzz_compression.c
 *	  Any bytes as compressed bodies, as bodies to compress, and as the headers
 *	  that name codings.
 */
#include "postgres.h"

#include "fuzz.h"
#include "http/compression.h"

#define LIMIT	(64 * 1024)

static void
TestInflate(HttpCoding coding, Slice data)
{
	Slice		decoded;
	InflateResult result = Inflate(coding, data, LIMIT, &decoded);

	FUZZ_CHECK(result != INFLATE_OK || decoded.len <= LIMIT);
	FUZZ_CHECK(result != INFLATE_TOO_LONG || decoded.len == LIMIT + 1);
}

/* What is compressed, twice in a row, comes back twice; cut off, it is bad. */
static void
TestRoundTrip(HttpCoding coding, Slice data)
{
	Slice		encoded = Deflate(coding, data);
	char	   *twice = palloc(2 * encoded.len);
	Slice		decoded;

	memcpy(twice, encoded.data, encoded.len);
	memcpy(twice + encoded.len, encoded.data, encoded.len);
	FUZZ_CHECK(Inflate(coding, (Slice) {twice, 2 * encoded.len}, LIMIT, &decoded) == INFLATE_OK);
	FUZZ_CHECK(decoded.len == 2 * data.len);
	FUZZ_CHECK(memcmp(decoded.data, data.data, data.len) == 0);
	FUZZ_CHECK(memcmp(decoded.data + data.len, data.data, data.len) == 0);
	FUZZ_CHECK(Inflate(coding, (Slice) {encoded.data, encoded.len - 1}, LIMIT, &decoded) == INFLATE_BAD);
	FUZZ_CHECK(data.len < 2 ||
			   Inflate(coding, encoded, data.len - 1, &decoded) == INFLATE_TOO_LONG);
	FUZZ_CHECK(Inflate(coding, encoded, data.len, &decoded) == INFLATE_OK);
}

static void
Test(const uint8 *data, size_t size)
{
	Slice		bytes = {(const char *) data, (uint32) size};

	FUZZ_CHECK(CodingForAnswer(bytes) <= CODING_DEFLATE);
	FUZZ_CHECK(CodingOfRequest(bytes) <= CODING_UNKNOWN);
	TestInflate(CODING_GZIP, bytes);
	TestInflate(CODING_DEFLATE, bytes);
	TestRoundTrip(CODING_GZIP, bytes);
	TestRoundTrip(CODING_DEFLATE, bytes);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzRun(Test, data, size);
	return 0;
}
