/*
 * base64.c
 *	  Strict base64.
 *
 * PostgreSQL's decoder skips white space and accepts any unused bits at the
 * end.  The service accepts neither, and otherwise two texts could represent
 * the same value.
 */
#include "postgres.h"

#include "common/base64.h"
#include "mb/pg_wchar.h"

#include "item/base64.h"

#define INVALID		0xFF

static inline uint8
SixBits(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint8) (c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint8) (c - 'a' + 26);
	if (c >= '0' && c <= '9')
		return (uint8) (c - '0' + 52);
	if (c == '+')
		return 62;
	return c == '/' ? 63 : INVALID;
}

/* Decodes the one, two or three bytes in the last four characters. */
static Base64Status
DecodeTail(const char *text, char *out, uint32 *out_len)
{
	uint8		a = SixBits(text[0]);
	uint8		b = SixBits(text[1]);
	uint8		c = text[2] == '=' && text[3] == '=' ? 0 : SixBits(text[2]);
	uint8		d = text[3] == '=' ? 0 : SixBits(text[3]);
	uint32		len = text[2] == '=' ? 1 : text[3] == '=' ? 2 : 3;

	if (((a | b | c | d) & 0xC0) != 0)
		return BASE64_BAD_CHARACTER;
	if ((len == 1 && (b & 0x0F) != 0) || (len == 2 && (c & 0x03) != 0))
		return BASE64_BAD_TAIL;

	out[0] = (char) (a << 2 | b >> 4);
	if (len > 1)
		out[1] = (char) (b << 4 | c >> 2);
	if (len > 2)
		out[2] = (char) (c << 6 | d);
	*out_len += len;
	return BASE64_OK;
}

Base64Status
Base64Decode(const char *text, uint32 len, char *out, uint32 *out_len)
{
	uint32		n = 0;

	*out_len = 0;
	if (len % 4 != 0)
		return BASE64_BAD_LENGTH;
	if (len == 0)
		return BASE64_OK;

	for (uint32 i = 0; i + 4 < len; i += 4)
	{
		uint8		a = SixBits(text[i]);
		uint8		b = SixBits(text[i + 1]);
		uint8		c = SixBits(text[i + 2]);
		uint8		d = SixBits(text[i + 3]);

		if (((a | b | c | d) & 0xC0) != 0)
			return BASE64_BAD_CHARACTER;
		out[n++] = (char) (a << 2 | b >> 4);
		out[n++] = (char) (b << 4 | c >> 2);
		out[n++] = (char) (c << 6 | d);
	}
	*out_len = n;
	return DecodeTail(text + len - 4, out + n, out_len);
}

/*
 * Returns the first character that is not in the base64 alphabet, or padding
 * before another character; empty if there is none.
 */
static Slice
BadCharacter(Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		const char *c = text.data + i;
		bool		pad = *c == '=';

		if (pad ? i + 1 < text.len && c[1] != '=' : SixBits(*c) == INVALID)
			return (Slice) {c, Min((uint32) pg_utf_mblen((const unsigned char *) c), text.len - i)};
	}
	return (Slice) {text.data, 0};
}

char *
Base64Problem(Base64Status status, Slice text)
{
	StringInfoData out;
	Slice		bad = BadCharacter(text);

	initStringInfo(&out);
	if (status == BASE64_BAD_LENGTH)
		appendStringInfo(&out, "Base64 encoded length is expected a multiple of 4 bytes but found: %u",
						 text.len);
	else if (status == BASE64_BAD_CHARACTER && bad.len > 0)
		appendStringInfo(&out, "Invalid Base64 character: '%.*s'", (int) bad.len, bad.data);
	else
		appendStringInfoString(&out, "Invalid last non-pad Base64 character dectected");
	return out.data;
}

void
Base64Append(StringInfo out, const char *bytes, uint32 len)
{
	int			room = pg_b64_enc_len((int) len);
	int			written;

	enlargeStringInfo(out, room);
	/* The bytes are char up to PostgreSQL 17, uint8 since 18. */
	written = pg_b64_encode((const void *) bytes, (int) len,
							(char *) out->data + out->len, room);
	Assert(written >= 0);
	out->len += written;
	out->data[out->len] = '\0';
}
