/*
 * base64.h
 *	  Strict base64, as the service reads and writes binary values.
 */
#ifndef DYNAMO_BASE64_H
#define DYNAMO_BASE64_H

#include "lib/stringinfo.h"

#include "item/item.h"

/* Room for the decoded bytes of that many characters. */
#define BASE64_DECODED_MAX(len)	((len) / 4 * 3)

typedef enum Base64Status
{
	BASE64_OK,
	BASE64_BAD_LENGTH,			/* no multiple of four */
	BASE64_BAD_CHARACTER,
	BASE64_BAD_TAIL				/* bits left over that are not zero */
} Base64Status;

/* Decodes text to out, which has BASE64_DECODED_MAX bytes of room. */
extern Base64Status Base64Decode(const char *text, uint32 len,
								 char *out, uint32 *out_len);

/* What is wrong with a text that cannot be decoded, in the service's words. */
extern char *Base64Problem(Base64Status status, Slice text);

/* Appends bytes as padded base64. */
extern void Base64Append(StringInfo out, const char *bytes, uint32 len);

#endif							/* DYNAMO_BASE64_H */
