/*
 * sigv4_query.c
 *	  Parses the parameters of a query string.
 */
#include "postgres.h"

#include "http/sigv4_internal.h"

#define MAX_PARAMETERS	100

static int
HexValue(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes percent-encoding; leaves invalid sequences as they are. */
static Slice
DecodePercents(Slice text)
{
	char	   *out = palloc(text.len + 1);
	uint32		n = 0;

	for (uint32 i = 0; i < text.len; i++)
	{
		int			high = i + 2 < text.len && text.data[i] == '%' ? HexValue(text.data[i + 1]) : -1;
		int			low = high >= 0 ? HexValue(text.data[i + 2]) : -1;

		if (low >= 0)
		{
			out[n++] = (char) (high * 16 + low);
			i += 2;
		}
		else
			out[n++] = text.data[i];
	}
	return (Slice) {out, n};
}

QueryParameter *
SignatureReadQuery(Slice query, int *count)
{
	QueryParameter *parameters = palloc(MAX_PARAMETERS * sizeof(QueryParameter));
	int			n = 0;
	uint32		at = 0;

	while (at < query.len)
	{
		const char *start = query.data + at;
		const char *end = memchr(start, '&', query.len - at);
		uint32		len = end == NULL ? query.len - at : (uint32) (end - start);
		const char *equals = memchr(start, '=', len);
		uint32		name = equals == NULL ? len : (uint32) (equals - start);

		at += len + 1;
		if (len == 0)
			continue;
		if (n == MAX_PARAMETERS)
			SignatureInvalid("Too many query-string parameters.");
		parameters[n].name = DecodePercents((Slice) {start, name});
		parameters[n].value = equals == NULL ? (Slice) {"", 0} :
			DecodePercents((Slice) {equals + 1, len - name - 1});
		n++;
	}
	*count = n;
	return parameters;
}

bool
SignatureFindParameter(const QueryParameter *parameters, int n, const char *name, Slice *value)
{
	for (int i = 0; i < n; i++)
	{
		if (SliceIs(parameters[i].name, name))
		{
			*value = parameters[i].value;
			return true;
		}
	}
	return false;
}
