/*
 * parser.c
 *	  Parses HTTP/1.1 requests.
 */
#include "postgres.h"

#include "http/parser.h"

#define MAX_CHUNK_LINE	256
#define MAX_TRAILERS	8192

static HttpStep
FailHead(HttpHead *head, int status, const char *reason)
{
	head->status = status;
	head->reason = reason;
	return HTTP_FAILED;
}

/* ---- characters ---- */

/* The tchar of RFC 9110, a bit for each: letters, digits, !#$%&'*+-.^_`|~ */
#define TOKEN_BYTES_LOW		UINT64CONST(0x03FF6CFA00000000)
#define TOKEN_BYTES_HIGH	UINT64CONST(0x57FFFFFFC7FFFFFE)

static bool
IsTokenByte(unsigned char c)
{
	if (c < 64)
		return (TOKEN_BYTES_LOW >> c) & 1;
	return c < 128 && ((TOKEN_BYTES_HIGH >> (c - 64)) & 1);
}

static bool
IsToken(Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		if (!IsTokenByte((unsigned char) text.data[i]))
			return false;
	}
	return text.len > 0;
}

static char
LowerByte(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

bool
HttpSameSlice(Slice a, Slice b)
{
	if (a.len != b.len)
		return false;
	for (uint32 i = 0; i < a.len; i++)
	{
		if (LowerByte(a.data[i]) != LowerByte(b.data[i]))
			return false;
	}
	return true;
}

bool
HttpSame(Slice text, const char *other)
{
	return HttpSameSlice(text, (Slice) {other, (uint32) strlen(other)});
}

bool
HttpFindHeader(const HttpHead *head, const char *data, const char *name, Slice *value)
{
	Slice		wanted = {name, (uint32) strlen(name)};

	for (int i = 0; i < head->nheaders; i++)
	{
		if (HttpSameSlice(HttpText(data, head->headers[i].name), wanted))
		{
			*value = HttpText(data, head->headers[i].value);
			return true;
		}
	}
	return false;
}

/* ---- the end of the head ---- */

/* Returns the problem of a line that ends with LF, or NULL. */
static const char *
FindLineProblem(const char *line, uint32 len)
{
	const char *cr = memchr(line, '\r', len);

	if (cr == NULL)
		return "line feed without carriage return";
	return cr == line + len - 2 ? NULL : "carriage return without line feed";
}

/* Whether the bytes begin a TLS connection: a handshake record. */
static bool
IsTls(const char *data, uint32 len)
{
	return len >= 2 && data[0] == 0x16 && data[1] == 0x03;
}

/*
 * Looks for the empty line.  Every line must end with CR LF, and neither may
 * stand elsewhere; nor may a NUL stand anywhere, which is told of before the
 * line ends: what speaks TLS waits for an answer.
 */
static HttpStep
ScanHead(HttpHead *head, HttpScan *scan, const char *data, uint32 len)
{
	uint32		limit = Min(len, HTTP_MAX_HEAD);

	while (scan->at < limit)
	{
		const char *start = data + scan->at;
		const char *lf = memchr(start, '\n', limit - scan->at);
		uint32		n = lf == NULL ? limit - scan->at : (uint32) (lf - start) + 1;
		const char *problem;

		if (memchr(start, '\0', n) != NULL)
			return FailHead(head, 400, IsTls(data, len) ?
							"TLS is off at this port; set \"dynamo.http_tls\", or use http://" :
							"NUL in the request header");
		scan->at += n;
		if (lf == NULL)
			break;
		problem = FindLineProblem(data + scan->line, scan->at - scan->line);
		if (problem != NULL)
			return FailHead(head, 400, problem);
		if (scan->at - scan->line == 2)
			return HTTP_DONE;
		scan->line = scan->at;
	}
	return len > limit ? FailHead(head, 431, "request header is too long") : HTTP_MORE;
}

/* ---- the request line ---- */

/* Reads the bytes up to the next space; returns false if there is none before end. */
static bool
NextWord(const char *data, uint32 *at, uint32 end, HttpSpan *word)
{
	const char *space = memchr(data + *at, ' ', end - *at);

	if (space == NULL)
		return false;
	word->at = *at;
	word->len = (uint32) (space - data) - *at;
	*at += word->len + 1;
	return word->len > 0;
}

/* Returns the position of the path in "http://host/path"; 0 if the text has another form. */
static uint32
AbsoluteFormPath(Slice target)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; i < lengthof(schemes); i++)
	{
		uint32		len = (uint32) strlen(schemes[i]);

		if (target.len > len && HttpSame((Slice) {target.data, len}, schemes[i]))
		{
			const char *slash = memchr(target.data + len, '/', target.len - len);

			return slash == NULL ? 0 : (uint32) (slash - target.data);
		}
	}
	return 0;
}

/* Splits the target; "*" is a path, too. */
static bool
ReadTarget(HttpHead *head, const char *data, HttpSpan target)
{
	Slice		text = HttpText(data, target);
	uint32		start = 0;
	const char *mark;

	for (uint32 i = 0; i < text.len; i++)
	{
		if (text.data[i] <= ' ' || text.data[i] > '~' || text.data[i] == '#')
			return false;
	}
	if (text.data[0] != '/' && !(text.len == 1 && text.data[0] == '*'))
	{
		start = AbsoluteFormPath(text);
		if (start == 0)
			return false;
	}
	head->path = (HttpSpan) {target.at + start, target.len - start};
	mark = memchr(text.data + start, '?', text.len - start);
	if (mark != NULL)
	{
		head->path.len = (uint32) (mark - text.data) - start;
		head->query.at = head->path.at + head->path.len + 1;
		head->query.len = target.at + target.len - head->query.at;
	}
	return true;
}

static HttpStep
ReadVersion(HttpHead *head, Slice version)
{
	if (version.len != 8 || memcmp(version.data, "HTTP/", 5) != 0 ||
		version.data[5] < '0' || version.data[5] > '9' || version.data[6] != '.' ||
		version.data[7] < '0' || version.data[7] > '9')
		return FailHead(head, 400, "invalid HTTP version");
	if (version.data[5] != '1')
		return FailHead(head, 505, "unsupported HTTP version");
	head->old = version.data[7] == '0';
	head->keep_alive = !head->old;
	return HTTP_DONE;
}

static HttpStep
ReadRequestLine(HttpHead *head, const char *data, uint32 end)
{
	uint32		at = 0;
	HttpSpan	target;

	if (!NextWord(data, &at, end, &head->method) ||
		!NextWord(data, &at, end, &target) ||
		!IsToken(HttpText(data, head->method)) ||
		!ReadTarget(head, data, target))
		return FailHead(head, 400, "invalid request line");
	return ReadVersion(head, (Slice) {data + at, end - at});
}

/* ---- header fields ---- */

static bool
IsBlank(char c)
{
	return c == ' ' || c == '\t';
}

/* One field, from at to end without the line's end. */
static HttpStep
ReadHeaderField(HttpHead *head, const char *data, uint32 at, uint32 end)
{
	const char *colon = memchr(data + at, ':', end - at);
	HttpHeader *header = &head->headers[head->nheaders];
	uint32		from;

	if (head->nheaders == HTTP_MAX_HEADERS)
		return FailHead(head, 431, "too many header fields");
	if (colon == NULL || !IsToken((Slice) {data + at, (uint32) (colon - data) - at}))
		return FailHead(head, 400, "invalid header field");
	from = (uint32) (colon - data) + 1;
	header->name = (HttpSpan) {at, from - 1 - at};
	while (from < end && IsBlank(data[from]))
		from++;
	while (end > from && IsBlank(data[end - 1]))
		end--;
	for (uint32 i = from; i < end; i++)
	{
		unsigned char c = (unsigned char) data[i];

		if ((c < ' ' && c != '\t') || c == 0x7F)
			return FailHead(head, 400, "control character in a header field");
	}
	header->value = (HttpSpan) {from, end - from};
	head->nheaders++;
	return HTTP_DONE;
}

/* All lines after the first; the last one is empty. */
static HttpStep
ReadFields(HttpHead *head, const char *data, uint32 at)
{
	while (head->len - at > 2)
	{
		const char *line_end = memchr(data + at, '\r', head->len - at);
		uint32		end = (uint32) (line_end - data);
		HttpStep	step = ReadHeaderField(head, data, at, end);

		if (step != HTTP_DONE)
			return step;
		at = end + 2;
	}
	return HTTP_DONE;
}

/* ---- what the fields mean for the message ---- */

/* Returns the number of fields with a name; *value is the value of the last one. */
static int
CountFields(const HttpHead *head, const char *data, const char *name, Slice *value)
{
	Slice		wanted = {name, (uint32) strlen(name)};
	int			n = 0;

	for (int i = 0; i < head->nheaders; i++)
	{
		if (HttpSameSlice(HttpText(data, head->headers[i].name), wanted))
		{
			*value = HttpText(data, head->headers[i].value);
			n++;
		}
	}
	return n;
}

static HttpStep
ReadContentLength(HttpHead *head, Slice value)
{
	uint64		length = 0;

	if (value.len == 0)
		return FailHead(head, 400, "invalid Content-Length");
	for (uint32 i = 0; i < value.len; i++)
	{
		if (value.data[i] < '0' || value.data[i] > '9')
			return FailHead(head, 400, "invalid Content-Length");
		/* stays beyond the limit once it is there */
		length = Min(length * 10 + (uint64) (value.data[i] - '0'), (uint64) HTTP_MAX_BODY + 1);
	}
	if (length > HTTP_MAX_BODY)
		return FailHead(head, 413, HTTP_BODY_TOO_LONG);
	head->content_length = (uint32) length;
	return HTTP_DONE;
}

/* Determines the length of the body.  There may be at most one field for it. */
static HttpStep
ReadFraming(HttpHead *head, const char *data)
{
	Slice		length;
	Slice		coding;
	int			nlengths = CountFields(head, data, "content-length", &length);
	int			ncodings = CountFields(head, data, "transfer-encoding", &coding);

	if (nlengths + ncodings > 1)
		return FailHead(head, 400, "ambiguous length of the request body");
	if (ncodings == 1)
	{
		if (head->old)
			return FailHead(head, 400, "Transfer-Encoding in a request of HTTP/1.0");
		if (!HttpSame(coding, "chunked"))
			return FailHead(head, 501, "unsupported Transfer-Encoding");
		head->chunked = true;
	}
	return nlengths == 1 ? ReadContentLength(head, length) : HTTP_DONE;
}

/* Connection is a list of options, over any number of fields. */
static void
ReadConnection(HttpHead *head, Slice value)
{
	uint32		at = 0;

	while (at < value.len)
	{
		uint32		end = at;
		uint32		last;

		while (end < value.len && value.data[end] != ',')
			end++;
		last = end;
		while (at < last && IsBlank(value.data[at]))
			at++;
		while (last > at && IsBlank(value.data[last - 1]))
			last--;
		if (HttpSame((Slice) {value.data + at, last - at}, "close"))
			head->keep_alive = false;
		else if (head->old && HttpSame((Slice) {value.data + at, last - at}, "keep-alive"))
			head->keep_alive = true;
		at = end + 1;
	}
}

/*
 * Fields that say who asks for what, of which one value is read: a proxy may
 * have read the other.
 */
static bool
IsAmbiguous(const HttpHead *head, const char *data)
{
	static const char *const names[] = {
		"authorization", "content-encoding", "content-type", "date", "origin", "x-amz-date",
		"x-amz-security-token", "x-amz-target"
	};
	Slice		value;

	for (size_t i = 0; i < lengthof(names); i++)
	{
		if (CountFields(head, data, names[i], &value) > 1)
			return true;
	}
	return false;
}

static HttpStep
ReadMeaning(HttpHead *head, const char *data)
{
	Slice		value;
	int			hosts = CountFields(head, data, "host", &value);

	if (hosts > 1 || (hosts == 0 && !head->old))
		return FailHead(head, 400, "request needs one Host");
	if (IsAmbiguous(head, data))
		return FailHead(head, 400, "repeated header field");
	for (int i = 0; i < head->nheaders; i++)
	{
		if (HttpSame(HttpText(data, head->headers[i].name), "connection"))
			ReadConnection(head, HttpText(data, head->headers[i].value));
	}
	if (!head->old && CountFields(head, data, "expect", &value) > 0)
	{
		if (!HttpSame(value, "100-continue"))
			return FailHead(head, 417, "unsupported expectation");
		head->expect_continue = true;
	}
	return ReadFraming(head, data);
}

HttpStep
HttpReadHead(HttpHead *head, HttpScan *scan, const char *data, uint32 len)
{
	HttpStep	step = ScanHead(head, scan, data, len);
	const char *line_end;

	if (step != HTTP_DONE)
		return step;
	memset(head, 0, offsetof(HttpHead, headers));
	head->len = scan->at;
	line_end = memchr(data, '\r', head->len);
	step = ReadRequestLine(head, data, (uint32) (line_end - data));
	if (step == HTTP_DONE)
		step = ReadFields(head, data, (uint32) (line_end - data) + 2);
	if (step == HTTP_DONE)
		step = ReadMeaning(head, data);
	return step;
}

/* ---- chunked bodies ---- */

enum
{
	CHUNK_SIZE,					/* digits of a chunk's size */
	CHUNK_EXTENSION,			/* up to the end of its line */
	CHUNK_SIZE_LF,
	CHUNK_DATA,
	CHUNK_DATA_CR,
	CHUNK_DATA_LF,
	CHUNK_TRAILER_START,
	CHUNK_TRAILER_NAME,
	CHUNK_TRAILER,
	CHUNK_TRAILER_LF,
	CHUNK_LAST_LF
};

static HttpStep
FailChunks(HttpChunks *chunks, int status, const char *reason)
{
	chunks->status = status;
	chunks->reason = reason;
	return HTTP_FAILED;
}

void
HttpChunksInit(HttpChunks *chunks, uint32 at)
{
	memset(chunks, 0, sizeof(*chunks));
	chunks->start = chunks->from = chunks->to = at;
}

static int
HexDigit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = LowerByte(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a byte of the line with the size of a chunk. */
static HttpStep
ReadSizeByte(HttpChunks *chunks, char c)
{
	int			digit = HexDigit(c);

	if (++chunks->line > MAX_CHUNK_LINE)
		return FailChunks(chunks, 400, "chunk header is too long");
	if (digit >= 0)
	{
		chunks->left = chunks->left * 16 + (uint32) digit;
		if (chunks->left > HTTP_MAX_BODY - (chunks->to - chunks->start))
			return FailChunks(chunks, 413, HTTP_BODY_TOO_LONG);
	}
	else if (chunks->line == 1 || (c != '\r' && c != ';'))
		return FailChunks(chunks, 400, "invalid chunk size");
	else
		chunks->state = c == '\r' ? CHUNK_SIZE_LF : CHUNK_EXTENSION;
	return HTTP_MORE;
}

/* Extensions mean nothing to us. */
static HttpStep
ReadExtensionByte(HttpChunks *chunks, char c)
{
	if (++chunks->line > MAX_CHUNK_LINE)
		return FailChunks(chunks, 400, "chunk header is too long");
	if (c == '\r')
		chunks->state = CHUNK_SIZE_LF;
	else if (((unsigned char) c < ' ' && c != '\t') || c == 0x7F)
		return FailChunks(chunks, 400, "control character in a chunk header");
	return HTTP_MORE;
}

/* Nor do trailers: a name, a colon without a blank before it, and a value. */
static HttpStep
ReadTrailerByte(HttpChunks *chunks, char c)
{
	if (++chunks->line > MAX_TRAILERS)
		return FailChunks(chunks, 431, "request trailer is too long");
	if (c == '\r' && chunks->state != CHUNK_TRAILER_NAME)
		chunks->state = chunks->state == CHUNK_TRAILER_START ? CHUNK_LAST_LF : CHUNK_TRAILER_LF;
	else if (chunks->state == CHUNK_TRAILER ? ((unsigned char) c >= ' ' && c != 0x7F) || c == '\t' :
			 IsTokenByte((unsigned char) c))
		chunks->state = chunks->state == CHUNK_TRAILER ? CHUNK_TRAILER : CHUNK_TRAILER_NAME;
	else if (c == ':' && chunks->state == CHUNK_TRAILER_NAME)
		chunks->state = CHUNK_TRAILER;
	else
		return FailChunks(chunks, 400, "invalid request trailer");
	return HTTP_MORE;
}

/* A byte that can only be this one; the state after it. */
static HttpStep
ReadExactByte(HttpChunks *chunks, char c, char expected, int next)
{
	if (c != expected)
		return FailChunks(chunks, 400, "invalid end of line in a chunked body");
	chunks->state = next;
	return HTTP_MORE;
}

/* A byte of framing. */
static HttpStep
ReadChunkByte(HttpChunks *chunks, char c)
{
	switch (chunks->state)
	{
		case CHUNK_SIZE:
			return ReadSizeByte(chunks, c);
		case CHUNK_EXTENSION:
			return ReadExtensionByte(chunks, c);
		case CHUNK_SIZE_LF:
			chunks->line = 0;
			return ReadExactByte(chunks, c, '\n',
								 chunks->left > 0 ? CHUNK_DATA : CHUNK_TRAILER_START);
		case CHUNK_DATA_CR:
			return ReadExactByte(chunks, c, '\r', CHUNK_DATA_LF);
		case CHUNK_DATA_LF:
			return ReadExactByte(chunks, c, '\n', CHUNK_SIZE);
		case CHUNK_TRAILER_START:
		case CHUNK_TRAILER_NAME:
		case CHUNK_TRAILER:
			return ReadTrailerByte(chunks, c);
		case CHUNK_TRAILER_LF:
			return ReadExactByte(chunks, c, '\n', CHUNK_TRAILER_START);
		default:
			return c == '\n' ? HTTP_DONE :
				FailChunks(chunks, 400, "invalid end of line in a chunked body");
	}
}

HttpStep
HttpReadChunks(HttpChunks *chunks, char *data, uint32 len)
{
	HttpStep	step = HTTP_MORE;

	while (step == HTTP_MORE && chunks->from < len)
	{
		uint32		n;

		if (chunks->state != CHUNK_DATA)
		{
			step = ReadChunkByte(chunks, data[chunks->from++]);
			continue;
		}
		n = Min(chunks->left, len - chunks->from);
		memmove(data + chunks->to, data + chunks->from, n);
		chunks->from += n;
		chunks->to += n;
		chunks->left -= n;
		if (chunks->left == 0)
			chunks->state = CHUNK_DATA_CR;
	}
	return step;
}
