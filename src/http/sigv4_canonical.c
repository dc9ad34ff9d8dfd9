/*
 * sigv4_canonical.c
 *	  The canonical form of a request, which is what is signed.
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
AppendQuery(StringInfo out, Slice query)
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

/* Runs of blanks are one. */
static void
AppendValue(StringInfo out, Slice value)
{
	for (uint32 i = 0; i < value.len; i++)
	{
		bool		blank = value.data[i] == ' ' || value.data[i] == '\t';

		if (!blank)
			appendStringInfoChar(out, value.data[i]);
		else if (out->data[out->len - 1] != ' ')
			appendStringInfoChar(out, ' ');
	}
}

/* A line for a header; fields of one name are joined by commas. */
static void
AppendHeader(StringInfo out, const HttpRequest *request, Slice name)
{
	char	   *wanted = pnstrdup(name.data, name.len);
	bool		first = true;

	for (uint32 i = 0; i < name.len; i++)
		appendStringInfoChar(out, name.data[i] >= 'A' && name.data[i] <= 'Z' ?
							 name.data[i] + ('a' - 'A') : name.data[i]);
	appendStringInfoChar(out, ':');
	for (int i = 0; i < request->head->nheaders; i++)
	{
		const HttpHeader *header = &request->head->headers[i];

		if (!HttpSame(HttpText(request->data, header->name), wanted))
			continue;
		if (!first)
			appendStringInfoChar(out, ',');
		AppendValue(out, HttpText(request->data, header->value));
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
	AppendQuery(out, HttpText(request->data, request->head->query));
	appendStringInfoChar(out, '\n');
	while (SignatureNextSigned(signature, &at, &name))
		AppendHeader(out, request, name);
	appendStringInfoChar(out, '\n');
	appendBinaryStringInfo(out, signature->signed_headers.data, (int) signature->signed_headers.len);
	appendStringInfo(out, "\n%s", body_digest);
}
