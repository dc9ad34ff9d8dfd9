/*
 * base64.h
 *	  Strict base64, the service's text form of binary values.
 */
#ifndef DYNAMO_BASE64_H
#define DYNAMO_BASE64_H

#include "lib/stringinfo.h"

#include "item/item.h"
#include "exported.h"

/* Maximum number of decoded bytes for this number of characters. */
#define BASE64_DECODED_MAX(len)	((len) / 4 * 3)

typedef enum Base64Status
{
	BASE64_OK,
	BASE64_BAD_LENGTH,			/* not a multiple of four */
	BASE64_BAD_CHARACTER,
	BASE64_BAD_TAIL				/* unused bits that are not zero */
} Base64Status;

/* Decodes text to out, which has room for BASE64_DECODED_MAX bytes. */
extern DYNAMO_EXPORT Base64Status Base64Decode(const char *text, uint32 len,
								 char *out, uint32 *out_len);

/* The service's message for text that cannot be decoded. */
extern DYNAMO_EXPORT char *Base64Problem(Base64Status status, Slice text);

/* Appends bytes as padded base64. */
extern DYNAMO_EXPORT void Base64Append(StringInfo out, const char *bytes, uint32 len);

#endif							/* DYNAMO_BASE64_H */
