/*
 * sigv4_read.c
 *	  What a request says of its signature, and its canonical form.
 */
#include "postgres.h"

#include <time.h>

#include "errors.h"
#include "http/sigv4.h"

#define MAX_SKEW	(15 * 60)
#define TIME_LEN	16			/* of 20260131T235959Z */
#define MAX_PARAMETERS	100

/* ---- errors ---- */

/* The text with bytes that are no printable ASCII replaced. */
static char *
Printable(Slice text)
{
	char	   *copy = palloc(text.len + 1);

	for (uint32 i = 0; i < text.len; i++)
		copy[i] = text.data[i] >= ' ' && text.data[i] <= '~' ? text.data[i] : '?';
	copy[text.len] = '\0';
	return copy;
}

static void Incomplete(const char *message) pg_attribute_noreturn();
static void Invalid(const char *message) pg_attribute_noreturn();

static void
Incomplete(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INCOMPLETE_SIGNATURE),
			 errmsg_internal("%s", message)));
}

static void
Invalid(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INVALID_SIGNATURE),
			 errmsg_internal("%s", message)));
}

static char *
Format(const char *format, Slice text)
{
	StringInfoData out;

	initStringInfo(&out);
	for (const char *c = format; *c != '\0'; c++)
	{
		if (*c == '@')
			appendStringInfoString(&out, Printable(text));
		else
			appendStringInfoChar(&out, *c);
	}
	return out.data;
}

/* ---- query strings ---- */

typedef struct Parameter
{
	Slice		name;			/* decoded */
	Slice		value;
} Parameter;

static int
HexValue(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Without percent-encoding; what is none is left as it is. */
static Slice
Decode(Slice text)
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

/* Splits a query string, decoded; returns how many parameters there are. */
static int
ReadParameters(Slice query, Parameter *parameters)
{
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
			Invalid("Too many query-string parameters.");
		parameters[n].name = Decode((Slice) {start, name});
		parameters[n].value = equals == NULL ? (Slice) {"", 0} :
			Decode((Slice) {equals + 1, len - name - 1});
		n++;
	}
	return n;
}

static bool
SliceIs(Slice text, const char *other)
{
	return text.len == strlen(other) && memcmp(text.data, other, text.len) == 0;
}

static bool
FindParameter(const Parameter *parameters, int n, const char *name, Slice *value)
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

/* ---- the two places of a signature ---- */

static bool
IsMissing(Slice text)
{
	return text.len == 0;
}

static Slice
Trim(Slice text)
{
	while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
	{
		text.data++;
		text.len--;
	}
	while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
		text.len--;
	return text;
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

/* "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=..." */
static void
SplitHeader(Signature *signature, Slice header)
{
	const char *space = memchr(header.data, ' ', header.len);
	uint32		at = space == NULL ? header.len : (uint32) (space - header.data);

	signature->algorithm = (Slice) {header.data, at};
	while (at < header.len)
	{
		const char *start = header.data + at;
		const char *comma = memchr(start, ',', header.len - at);
		uint32		len = comma == NULL ? header.len - at : (uint32) (comma - start);
		Slice		part = Trim((Slice) {start, len});
		const char *equals = memchr(part.data, '=', part.len);

		if (equals != NULL)
		{
			uint32		name = (uint32) (equals - part.data);

			SetPart(signature, (Slice) {part.data, name},
					(Slice) {equals + 1, part.len - name - 1});
		}
		at += len + 1;
	}
}

static void
ReadHeader(Signature *signature, const HttpRequest *request, Slice header)
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
		appendStringInfo(&missing, "Authorization=%s", Printable(header));
		Incomplete(missing.data);
	}
}

static void
ReadQuery(Signature *signature, const Parameter *parameters, int n)
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
	(void) FindParameter(parameters, n, "X-Amz-Expires", &signature->expires);
	initStringInfo(&missing);
	for (size_t i = 0; i < lengthof(parts); i++)
	{
		(void) FindParameter(parameters, n, parts[i].name, parts[i].value);
		if (IsMissing(*parts[i].value))
			appendStringInfo(&missing, "AWS query-string parameters must include '%s'. ", parts[i].name);
	}
	if (missing.len > 0)
	{
		appendStringInfoString(&missing, "Re-examine the query-string parameters.");
		Incomplete(missing.data);
	}
}

/* ---- time ---- */

/* Digits at a place; -1 if there are others. */
static int
Digits(Slice text, uint32 at, uint32 n)
{
	int			value = 0;

	for (uint32 i = at; i < at + n; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return -1;
		value = value * 10 + (text.data[i] - '0');
	}
	return value;
}

/* Days from the epoch to a date of the Gregorian calendar. */
static int64
DaysOf(int year, int month, int day)
{
	/* years that begin in March: the leap day is the last one */
	int			y = month <= 2 ? year - 1 : year;
	int			m = month <= 2 ? month + 9 : month - 3;

	return (int64) y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/* 20260131T235959Z to epoch seconds. */
static bool
ReadTime(Slice text, int64 *seconds)
{
	int			year;
	int			month;
	int			day;
	int			hour;
	int			minute;
	int			second;

	if (text.len != TIME_LEN || text.data[8] != 'T' || text.data[15] != 'Z')
		return false;
	year = Digits(text, 0, 4);
	month = Digits(text, 4, 2);
	day = Digits(text, 6, 2);
	hour = Digits(text, 9, 2);
	minute = Digits(text, 11, 2);
	second = Digits(text, 13, 2);
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
		return false;
	*seconds = ((DaysOf(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
	return true;
}

static char *
TimeText(int64 seconds)
{
	time_t		t = (time_t) seconds;
	struct tm	tm;
	char	   *text = palloc(TIME_LEN + 16);

	if (gmtime_r(&t, &tm) == NULL || strftime(text, TIME_LEN + 16, "%Y%m%dT%H%M%SZ", &tm) == 0)
		elog(ERROR, "could not format a time");
	return text;
}

/* How long a signature holds: less in a query that says so. */
static int64
Validity(const Signature *signature)
{
	if (signature->expires.len > 0 && signature->expires.len <= 6)
	{
		int			seconds = Digits(signature->expires, 0, signature->expires.len);

		if (seconds >= 0)
			return Min(seconds, MAX_SKEW);
	}
	return MAX_SKEW;
}

static void
CheckTime(const Signature *signature, int64 now)
{
	int64		signed_at;
	int64		validity = Validity(signature);

	if (!ReadTime(signature->time, &signed_at))
		Incomplete(Format("Date must be in ISO-8601 'basic format'. Got '@'. "
						  "See http://en.wikipedia.org/wiki/ISO_8601", signature->time));
	if (signed_at < now - validity)
		Invalid(psprintf("Signature expired: %s is now earlier than %s (%s - %d %s.)",
						 Printable(signature->time), TimeText(now - validity), TimeText(now),
						 (int) (validity == MAX_SKEW ? validity / 60 : validity),
						 validity == MAX_SKEW ? "min" : "sec"));
	if (signed_at > now + MAX_SKEW)
		Invalid(psprintf("Signature not yet current: %s is still later than %s (%s + %d min.)",
						 Printable(signature->time), TimeText(now + MAX_SKEW), TimeText(now),
						 MAX_SKEW / 60));
}

/* ---- the other checks ---- */

/* The next of the signed headers; false at the end. */
static bool
NextSigned(const Signature *signature, uint32 *at, Slice *name)
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

	while (NextSigned(signature, &at, &name))
	{
		if (HttpSame(name, header))
			return true;
	}
	return false;
}

/*
 * Host, and what tells which operation it is: a signature that does not cover
 * it would be one for every operation.
 */
static void
CheckSignedHeaders(const Signature *signature, const HttpRequest *request)
{
	Slice		target;

	if (!IsSigned(signature, "host"))
		Invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
	if (HttpFindHeader(request->head, request->data, "x-amz-target", &target) &&
		!IsSigned(signature, "x-amz-target"))
		Invalid("'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
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
		Incomplete(Format("Credential must have exactly 5 slash-delimited elements, "
						  "e.g. keyid/date/region/service/term, got '@'", signature->credential));
}

static void
CheckScope(const Signature *signature, const char *region)
{
	Slice		day = {signature->time.data, 8};
	StringInfoData wrong;

	initStringInfo(&wrong);
	if (!SliceIs(signature->region, region))
		appendStringInfoString(&wrong, Format("Credential should be scoped to a valid region, not '@'. ",
											  signature->region));
	if (!SliceIs(signature->service, "dynamodb"))
		appendStringInfoString(&wrong, "Credential should be scoped to correct service: 'dynamodb'. ");
	if (!SliceIs(signature->terminator, "aws4_request"))
		appendStringInfoString(&wrong, Format("Credential should be scoped with a valid terminator: "
											  "'aws4_request', not '@'. ", signature->terminator));
	if (SliceCompare(signature->date, day) != 0)
		appendStringInfo(&wrong, "Date in Credential scope does not match YYYYMMDD from ISO-8601 "
						 "version of date from HTTP: '%s' != '%s', from '%s'.",
						 Printable(signature->date), Printable(day), Printable(signature->time));
	if (wrong.len > 0)
		Invalid(wrong.data);
}

/* Where the signature is, and its parts. */
static void
FindSignature(Signature *signature, const HttpRequest *request)
{
	Parameter  *parameters = palloc(MAX_PARAMETERS * sizeof(Parameter));
	int			n = ReadParameters(HttpText(request->data, request->head->query), parameters);
	Slice		header;
	Slice		algorithm;
	bool		in_header = HttpFindHeader(request->head, request->data, "authorization", &header);
	bool		in_query = FindParameter(parameters, n, "X-Amz-Algorithm", &algorithm);

	if (in_header && in_query)
		Invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
	if (in_query)
		ReadQuery(signature, parameters, n);
	else if (in_header && header.len >= 5 && memcmp(header.data, "AWS4-", 5) == 0)
		ReadHeader(signature, request, header);
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
	CheckTime(signature, now);
	CheckSignedHeaders(signature, request);
	if (!SliceIs(signature->algorithm, "AWS4-HMAC-SHA256"))
		Incomplete(Format("Unsupported AWS 'algorithm': '@' (only AWS4-HMAC-SHA256 for now). ",
						  signature->algorithm));
	SplitCredential(signature);
	CheckScope(signature, region);
}

/* ---- the canonical form ---- */

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
	int			by_name = SliceCompare(((const Parameter *) a)->name, ((const Parameter *) b)->name);

	return by_name != 0 ? by_name :
		SliceCompare(((const Parameter *) a)->value, ((const Parameter *) b)->value);
}

/* Sorted and encoded, without the signature itself. */
static void
AppendQuery(StringInfo out, Slice query)
{
	Parameter  *parameters;
	int			n;
	bool		first = true;

	if (query.len == 0)
		return;
	parameters = palloc(MAX_PARAMETERS * sizeof(Parameter));
	n = ReadParameters(query, parameters);
	qsort(parameters, n, sizeof(Parameter), CompareParameters);
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
	while (NextSigned(signature, &at, &name))
		AppendHeader(out, request, name);
	appendStringInfoChar(out, '\n');
	appendBinaryStringInfo(out, signature->signed_headers.data, (int) signature->signed_headers.len);
	appendStringInfo(out, "\n%s", body_digest);
}
