/*
 * compression.c
 *	  Content codings of requests and answers: gzip and deflate, by zlib.
 */
#include "postgres.h"

#include "http/compression.h"
#include "http/parser.h"
#include "transfer/zstream.h"

/* For zlib: 15 bits of window, and the kind of header. */
#define ZLIB_WINDOW		MAX_WBITS

/*
 * The level: answers are sent once, so compression must not cost more than it
 * saves.
 */
#define LEVEL			Z_BEST_SPEED
#define MEMORY_LEVEL	8

/* The maximum weight of a coding, in thousandths. */
#define FULL_WEIGHT		1000
#define NOT_NAMED		(-1)

static int
WindowOf(HttpCoding coding)
{
	return coding == CODING_GZIP ? GZIP_WINDOW : ZLIB_WINDOW;
}

/* ---- names and weights ---- */

static bool
IsCodingBlank(char c)
{
	return c == ' ' || c == '\t';
}

static Slice
TrimBlanks(Slice text)
{
	while (text.len > 0 && IsCodingBlank(text.data[0]))
		text = (Slice) {text.data + 1, text.len - 1};
	while (text.len > 0 && IsCodingBlank(text.data[text.len - 1]))
		text.len--;
	return text;
}

/* Returns the text before a separator, trimmed; *rest is the text after it. */
static Slice
TakeBefore(char separator, Slice text, Slice *rest)
{
	const char *at = text.len > 0 ? memchr(text.data, separator, text.len) : NULL;
	uint32		len = at != NULL ? (uint32) (at - text.data) : text.len;
	uint32		behind = at != NULL ? len + 1 : len;

	*rest = (Slice) {text.data + behind, text.len - behind};
	return TrimBlanks((Slice) {text.data, len});
}

static HttpCoding
CodingOfName(Slice name)
{
	if (HttpSame(name, "gzip") || HttpSame(name, "x-gzip"))
		return CODING_GZIP;
	if (HttpSame(name, "deflate"))
		return CODING_DEFLATE;
	if (HttpSame(name, "identity"))
		return CODING_IDENTITY;
	return CODING_UNKNOWN;
}

HttpCoding
CodingOfRequest(Slice content_encoding)
{
	return content_encoding.len == 0 ? CODING_IDENTITY : CodingOfName(TrimBlanks(content_encoding));
}

Slice
CodingName(HttpCoding coding)
{
	switch (coding)
	{
		case CODING_GZIP:
			return SliceOf("gzip");
		case CODING_DEFLATE:
			return SliceOf("deflate");
		default:
			return (Slice) {NULL, 0};
	}
}

/* Reads a weight: "0" or "1", and up to three digits after a point. */
static int
ReadWeight(Slice text)
{
	int			weight;
	int			unit = 100;

	if (text.len == 0 || text.len > 5 || (text.data[0] != '0' && text.data[0] != '1') ||
		(text.len > 1 && text.data[1] != '.'))
		return 0;
	weight = (text.data[0] - '0') * FULL_WEIGHT;
	for (uint32 i = 2; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return 0;
		weight += (text.data[i] - '0') * unit;
		unit /= 10;
	}
	return Min(weight, FULL_WEIGHT);
}

/* Returns the weight in the parameters of a coding. */
static int
WeightOf(Slice parameters)
{
	while (parameters.len > 0)
	{
		Slice		value;
		Slice		name = TakeBefore('=', TakeBefore(';', parameters, &parameters), &value);

		if (HttpSame(name, "q"))
			return ReadWeight(TrimBlanks(value));
	}
	return FULL_WEIGHT;
}

HttpCoding
CodingForAnswer(Slice accept_encoding)
{
	int			weights[] = {[CODING_IDENTITY] = NOT_NAMED, [CODING_GZIP] = NOT_NAMED,
	[CODING_DEFLATE] = NOT_NAMED, [CODING_UNKNOWN] = NOT_NAMED};
	int			others = 0;
	HttpCoding	best;

	while (accept_encoding.len > 0)
	{
		Slice		parameters;
		Slice		name = TakeBefore(';', TakeBefore(',', accept_encoding, &accept_encoding), &parameters);

		if (SliceIs(name, "*"))
			others = WeightOf(parameters);
		else
			weights[CodingOfName(name)] = WeightOf(parameters);
	}
	for (HttpCoding coding = CODING_GZIP; coding <= CODING_DEFLATE; coding++)
	{
		if (weights[coding] == NOT_NAMED)
			weights[coding] = others;
	}
	best = weights[CODING_GZIP] >= weights[CODING_DEFLATE] ? CODING_GZIP : CODING_DEFLATE;
	return weights[best] > 0 && weights[best] >= weights[CODING_IDENTITY] ? best : CODING_IDENTITY;
}

/* ---- decoding ---- */

/* Makes room after the decoded bytes, within the limit. */
static void
GrowOutput(z_stream *z, char **out, uint32 *size, uint32 limit)
{
	uint32		used = *size - z->avail_out;

	/* one byte more than the limit shows that it is exceeded */
	*size = Min(2 * *size, limit + 1);
	*out = repalloc(*out, *size);
	z->next_out = (Bytef *) *out + used;
	z->avail_out = *size - used;
}

/*
 * Returns Z_STREAM_END at the end of the last piece; other values are
 * failures.
 */
static int
InflateAll(z_stream *z, char **out, uint32 *size, uint32 limit)
{
	for (;;)
	{
		int			result = inflate(z, Z_NO_FLUSH);

		if (result == Z_STREAM_END && z->avail_in > 0)
			result = inflateReset(z);
		if (z->avail_out == 0 && (result == Z_OK || result == Z_BUF_ERROR))
		{
			if (*size > limit)
				return Z_OK;
			GrowOutput(z, out, size, limit);
		}
		else if (result != Z_OK || z->avail_in == 0)
			return result == Z_OK ? Z_BUF_ERROR : result;
	}
}

InflateResult
Inflate(HttpCoding coding, Slice data, uint32 limit, Slice *decoded)
{
	z_stream   *z = ZStreamCreate();
	uint32		size = Min(4 * (Size) data.len + 64, (Size) limit + 1);
	char	   *out = palloc(size);
	int			result;

	z->next_in = (Bytef *) unconstify(char *, data.data);
	z->avail_in = data.len;
	z->next_out = (Bytef *) out;
	z->avail_out = size;
	if (inflateInit2(z, WindowOf(coding)) != Z_OK)
		elog(ERROR, "could not initialize zlib");
	result = InflateAll(z, &out, &size, limit);
	decoded->data = out;
	decoded->len = size - z->avail_out;
	(void) inflateEnd(z);
	if (decoded->len > limit)
		return INFLATE_TOO_LONG;
	return result == Z_STREAM_END ? INFLATE_OK : INFLATE_BAD;
}

/* ---- encoding ---- */

Slice
Deflate(HttpCoding coding, Slice data)
{
	z_stream   *z = ZStreamCreate();
	uLong		size;
	char	   *out;

	if (deflateInit2(z, LEVEL, Z_DEFLATED, WindowOf(coding), MEMORY_LEVEL,
					 Z_DEFAULT_STRATEGY) != Z_OK)
		elog(ERROR, "could not initialize zlib");
	size = deflateBound(z, data.len);
	out = palloc(size);
	z->next_in = (Bytef *) unconstify(char *, data.data);
	z->avail_in = data.len;
	z->next_out = (Bytef *) out;
	z->avail_out = (uInt) size;
	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		elog(ERROR, "could not compress data: %s", z->msg != NULL ? z->msg : "no room");
	size = z->total_out;
	(void) deflateEnd(z);
	return (Slice) {out, (uint32) size};
}
