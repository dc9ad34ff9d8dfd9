/*
 * sigv4_read.c
 *	  Reads the signature of a request and its parameters.
 */
#include "postgres.h"

#include "errors.h"
#include "http/sigv4_internal.h"

/* ---- the two places of a signature ---- */

static bool
IsMissing(Slice text)
{
	return text.len == 0;
}

static void
SetPart(Signature *signature, Slice name, Slice value)
{
	if (SliceIs(name, "Credential"))
		signature->credential = value;
	else if (SliceIs(name, "SignedHeaders"))
		signature->signed_headers = value;
	else if (SliceIs(name, "Signature"))
		signature->given = value;
}

static bool
IsSeparator(char c)
{
	return c == ',' || c == ' ' || c == '\t';
}

/*
 * "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...", with
 * commas, blanks or both between the parts.
 */
static void
SplitHeader(Signature *signature, Slice header)
{
	const char *space = memchr(header.data, ' ', header.len);
	uint32		at = space == NULL ? header.len : (uint32) (space - header.data);

	signature->algorithm = (Slice) {header.data, at};
	while (at < header.len)
	{
		Slice		part = {header.data + at, 0};
		const char *equals;

		while (at + part.len < header.len && !IsSeparator(part.data[part.len]))
			part.len++;
		equals = memchr(part.data, '=', part.len);
		if (equals != NULL)
		{
			uint32		name = (uint32) (equals - part.data);

			SetPart(signature, (Slice) {part.data, name},
					(Slice) {equals + 1, part.len - name - 1});
		}
		at += part.len + 1;
	}
}

static void
ReadAuthorization(Signature *signature, const HttpRequest *request, Slice header)
{
	StringInfoData missing;

	SplitHeader(signature, header);
	if (!HttpFindHeader(request->head, request->data, "x-amz-date", &signature->time))
		(void) HttpFindHeader(request->head, request->data, "date", &signature->time);
	initStringInfo(&missing);
	if (IsMissing(signature->credential))
		appendStringInfoString(&missing, "Authorization header requires 'Credential' parameter. ");
	if (IsMissing(signature->given))
		appendStringInfoString(&missing, "Authorization header requires 'Signature' parameter. ");
	if (IsMissing(signature->signed_headers))
		appendStringInfoString(&missing, "Authorization header requires 'SignedHeaders' parameter. ");
	if (IsMissing(signature->time))
		appendStringInfoString(&missing, "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ");
	if (missing.len > 0)
	{
		appendStringInfo(&missing, "Authorization=%s", SignaturePrintable(header));
		SignatureIncomplete(missing.data);
	}
}

static void
ReadQuery(Signature *signature, const QueryParameter *parameters, int n)
{
	const struct
	{
		const char *name;
		Slice	   *value;
	}			parts[] = {
		{"X-Amz-Algorithm", &signature->algorithm},
		{"X-Amz-Credential", &signature->credential},
		{"X-Amz-Signature", &signature->given},
		{"X-Amz-SignedHeaders", &signature->signed_headers},
		{"X-Amz-Date", &signature->time},
	};
	StringInfoData missing;

	signature->in_query = true;
	(void) SignatureFindParameter(parameters, n, "X-Amz-Expires", &signature->expires);
	initStringInfo(&missing);
	for (size_t i = 0; i < lengthof(parts); i++)
	{
		(void) SignatureFindParameter(parameters, n, parts[i].name, parts[i].value);
		if (IsMissing(*parts[i].value))
			appendStringInfo(&missing, "AWS query-string parameters must include '%s'. ", parts[i].name);
	}
	if (missing.len > 0)
	{
		appendStringInfoString(&missing, "Re-examine the query-string parameters.");
		SignatureIncomplete(missing.data);
	}
}

/* ---- the other checks ---- */

bool
SignatureNextSigned(const Signature *signature, uint32 *at, Slice *name)
{
	const char *start = signature->signed_headers.data + *at;
	const char *end;

	if (*at >= signature->signed_headers.len)
		return false;
	end = memchr(start, ';', signature->signed_headers.len - *at);
	*name = (Slice) {start, end == NULL ? signature->signed_headers.len - *at : (uint32) (end - start)};
	*at += name->len + 1;
	return true;
}

static bool
IsSigned(const Signature *signature, const char *header)
{
	uint32		at = 0;
	Slice		name;

	while (SignatureNextSigned(signature, &at, &name))
	{
		if (HttpSame(name, header))
			return true;
	}
	return false;
}

static void
CheckHostSigned(const Signature *signature)
{
	if (!IsSigned(signature, "host"))
		SignatureInvalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
}

/*
 * What tells which operation it is: a signature that does not cover it would
 * be one for every operation.  The service has no such check, so it comes
 * after those that it has.
 */
static void
CheckTargetSigned(const Signature *signature, const HttpRequest *request)
{
	Slice		target;

	if (HttpFindHeader(request->head, request->data, "x-amz-target", &target) &&
		!IsSigned(signature, "x-amz-target"))
		SignatureInvalid("'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
}

/*
 * The canonical form has each signed header as often as it is named.  It is
 * computed and, if the signature is wrong, returned before it is known who
 * asks, so it must not be much larger than the request.
 */
static void
CheckNamesOnce(const Signature *signature)
{
	Slice		names[HTTP_MAX_HEADERS];
	int			n = 0;
	uint32		at = 0;
	Slice		name;
	bool		valid = true;

	while (valid && SignatureNextSigned(signature, &at, &name))
	{
		for (int i = 0; i < n; i++)
			valid &= !HttpSameSlice(names[i], name);
		valid &= n < HTTP_MAX_HEADERS;
		if (valid)
			names[n++] = name;
	}
	if (!valid)
		SignatureInvalid(psprintf("'SignedHeaders' must name at most %d headers, each of them once.", HTTP_MAX_HEADERS));
}

/* keyid/date/region/service/term */
static void
SplitCredential(Signature *signature)
{
	Slice	   *parts[] = {
		&signature->key_id, &signature->date, &signature->region,
		&signature->service, &signature->terminator
	};
	Slice		rest = signature->credential;
	size_t		n = 0;

	for (;;)
	{
		const char *slash = memchr(rest.data, '/', rest.len);
		uint32		len = slash == NULL ? rest.len : (uint32) (slash - rest.data);

		if (n < lengthof(parts))
			*parts[n] = (Slice) {rest.data, len};
		n++;
		if (slash == NULL)
			break;
		rest = (Slice) {slash + 1, rest.len - len - 1};
	}
	if (n != lengthof(parts))
		SignatureIncomplete(SignatureFormat("Credential must have exactly 5 slash-delimited elements, "
											"e.g. keyid/date/region/service/term, got '@'",
											signature->credential));
}

static void
CheckScope(const Signature *signature, const char *region)
{
	Slice		day = {signature->time.data, 8};
	StringInfoData wrong;

	initStringInfo(&wrong);
	if (!SliceIs(signature->region, region))
		appendStringInfoString(&wrong, SignatureFormat("Credential should be scoped to a valid region, "
													   "not '@'. ", signature->region));
	if (!SliceIs(signature->service, "dynamodb"))
		appendStringInfoString(&wrong, "Credential should be scoped to correct service: 'dynamodb'. ");
	if (!SliceIs(signature->terminator, "aws4_request"))
		appendStringInfoString(&wrong, SignatureFormat("Credential should be scoped with a valid terminator: "
													   "'aws4_request', not '@'. ",
													   signature->terminator));
	if (SliceCompare(signature->date, day) != 0)
		appendStringInfo(&wrong, "Date in Credential scope does not match YYYYMMDD from ISO-8601 "
						 "version of date from HTTP: '%s' != '%s', from '%s'.",
						 SignaturePrintable(signature->date), SignaturePrintable(day),
						 SignaturePrintable(signature->time));
	if (wrong.len > 0)
		SignatureInvalid(wrong.data);
}

/* Where the signature is, and its parts. */
static void
FindSignature(Signature *signature, const HttpRequest *request)
{
	int			n;
	QueryParameter *parameters = SignatureReadQuery(HttpText(request->data, request->head->query), &n);
	Slice		header;
	Slice		algorithm;
	Slice		token;
	bool		in_header = HttpFindHeader(request->head, request->data, "authorization", &header);
	bool		in_query = SignatureFindParameter(parameters, n, "X-Amz-Algorithm", &algorithm);

	signature->has_token = HttpFindHeader(request->head, request->data, "x-amz-security-token", &token) ||
		SignatureFindParameter(parameters, n, "X-Amz-Security-Token", &token);
	if (in_header && in_query)
		SignatureInvalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
	if (in_query)
		ReadQuery(signature, parameters, n);
	else if (in_header && SliceBeginsWith(header, SliceOf("AWS4-")))
		ReadAuthorization(signature, request, header);
	else
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_MISSING_TOKEN),
				 errmsg("Request is missing Authentication Token")));
}

void
SignatureRead(Signature *signature, const HttpRequest *request, int64 now, const char *region)
{
	memset(signature, 0, sizeof(*signature));
	FindSignature(signature, request);
	SignatureCheckTime(signature, now);
	CheckHostSigned(signature);
	if (!SliceIs(signature->algorithm, "AWS4-HMAC-SHA256"))
		SignatureIncomplete(SignatureFormat("Unsupported AWS 'algorithm': '@' "
											"(only AWS4-HMAC-SHA256 for now). ", signature->algorithm));
	SplitCredential(signature);
	CheckScope(signature, region);
	CheckTargetSigned(signature, request);
	CheckNamesOnce(signature);
}
