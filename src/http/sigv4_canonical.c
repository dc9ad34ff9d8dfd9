/*
 * sigv4_canonical.c
 *	  The canonical form of a request, which is signed.
 */
#include "postgres.h"

#include "http/sigv4_internal.h"

static void
AppendEncoded(StringInfo out, Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			c == '-' || c == '_' || c == '.' || c == '~')
			appendStringInfoChar(out, (char) c);
		else
			appendStringInfo(out, "%%%02X", c);
	}
}

static int
CompareParameters(const void *a, const void *b)
{
	int			by_name = SliceCompare(((const QueryParameter *) a)->name, ((const QueryParameter *) b)->name);

	return by_name != 0 ? by_name :
		SliceCompare(((const QueryParameter *) a)->value, ((const QueryParameter *) b)->value);
}

/* Sorted and encoded, without the signature itself. */
static void
AppendCanonicalQuery(StringInfo out, Slice query)
{
	QueryParameter *parameters;
	int			n;
	bool		first = true;

	if (query.len == 0)
		return;
	parameters = SignatureReadQuery(query, &n);
	qsort(parameters, n, sizeof(QueryParameter), CompareParameters);
	for (int i = 0; i < n; i++)
	{
		if (SliceIs(parameters[i].name, "X-Amz-Signature"))
			continue;
		if (!first)
			appendStringInfoChar(out, '&');
		AppendEncoded(out, parameters[i].name);
		appendStringInfoChar(out, '=');
		AppendEncoded(out, parameters[i].value);
		first = false;
	}
}

static bool
IsHeaderBlank(char c)
{
	return c == ' ' || c == '\t';
}

/* Runs of blanks are one. */
static void
AppendHeaderValue(StringInfo out, Slice value)
{
	uint32		at = 0;

	while (at < value.len)
	{
		uint32		start = at;

		while (at < value.len && !IsHeaderBlank(value.data[at]))
			at++;
		appendBinaryStringInfo(out, value.data + start, (int) (at - start));
		if (at < value.len && out->data[out->len - 1] != ' ')
			appendStringInfoChar(out, ' ');
		while (at < value.len && IsHeaderBlank(value.data[at]))
			at++;
	}
}

static void
AppendLowerCase(StringInfo out, Slice text)
{
	char	   *to;

	enlargeStringInfo(out, (int) text.len);
	to = out->data + out->len;
	for (uint32 i = 0; i < text.len; i++)
		to[i] = text.data[i] >= 'A' && text.data[i] <= 'Z' ? text.data[i] + ('a' - 'A') : text.data[i];
	out->len += (int) text.len;
	out->data[out->len] = '\0';
}

/* A line for a header; fields of one name are joined by commas. */
static void
AppendHeader(StringInfo out, const HttpRequest *request, Slice name)
{
	bool		first = true;

	AppendLowerCase(out, name);
	appendStringInfoChar(out, ':');
	for (int i = 0; i < request->head->nheaders; i++)
	{
		const HttpHeader *header = &request->head->headers[i];

		if (!HttpSameSlice(HttpText(request->data, header->name), name))
			continue;
		if (!first)
			appendStringInfoChar(out, ',');
		AppendHeaderValue(out, HttpText(request->data, header->value));
		first = false;
	}
	appendStringInfoChar(out, '\n');
}

void
SignatureCanonical(StringInfo out, const Signature *signature,
				   const HttpRequest *request, const char *body_digest)
{
	Slice		method = HttpText(request->data, request->head->method);
	Slice		path = HttpText(request->data, request->head->path);
	uint32		at = 0;
	Slice		name;

	appendBinaryStringInfo(out, method.data, (int) method.len);
	appendStringInfoChar(out, '\n');
	appendBinaryStringInfo(out, path.data, (int) path.len);
	appendStringInfoChar(out, '\n');
	AppendCanonicalQuery(out, HttpText(request->data, request->head->query));
	appendStringInfoChar(out, '\n');
	while (SignatureNextSigned(signature, &at, &name))
		AppendHeader(out, request, name);
	appendStringInfoChar(out, '\n');
	appendBinaryStringInfo(out, signature->signed_headers.data, (int) signature->signed_headers.len);
	appendStringInfoChar(out, '\n');
	appendStringInfoString(out, body_digest);
}
