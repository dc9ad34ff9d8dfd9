/*
 * prefix.c
 *	  The lowest value above all values that have a prefix.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "item/prefix.h"

#define UNICODE_LAST			0x10FFFF
#define SURROGATE_FIRST			0xD800	/* not a character */
#define SURROGATE_LAST			0xDFFF

/*
 * UTF-8 byte order is code point order, so the bound is the prefix with its
 * last character replaced by the next one.  A last character that has no next
 * one is removed first, since no character is greater.
 */
struct varlena *
PrefixUpperText(const struct varlena *prefix)
{
	const unsigned char *start = (const unsigned char *) VARDATA_ANY(prefix);
	Size		len = VARSIZE_ANY_EXHDR(prefix);

	while (len > 0)
	{
		pg_wchar	c;

		do
		{
			len--;
		} while (len > 0 && (start[len] & 0xC0) == 0x80);

		c = utf8_to_unicode(start + len);
		if (c < UNICODE_LAST)
		{
			struct varlena *result = palloc(VARHDRSZ + len + MAX_MULTIBYTE_CHAR_LEN);
			unsigned char *last = (unsigned char *) VARDATA(result) + len;

			c = (c + 1 == SURROGATE_FIRST) ? SURROGATE_LAST + 1 : c + 1;
			memcpy(VARDATA(result), start, len);
			unicode_to_utf8(c, last);
			SET_VARSIZE(result, VARHDRSZ + len + pg_utf_mblen(last));
			return result;
		}
	}
	return NULL;
}

struct varlena *
PrefixUpperBytea(const struct varlena *prefix)
{
	const uint8 *start = (const uint8 *) VARDATA_ANY(prefix);
	Size		len = VARSIZE_ANY_EXHDR(prefix);
	struct varlena *result;

	while (len > 0 && start[len - 1] == 0xFF)
		len--;
	if (len == 0)
		return NULL;

	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	memcpy(VARDATA(result), start, len);
	((uint8 *) VARDATA(result))[len - 1]++;
	return result;
}
