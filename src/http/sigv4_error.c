/*
 * sigv4_error.c
 *	  Errors of invalid signatures.
 */
#include "postgres.h"

#include "errors.h"
#include "http/sigv4_internal.h"

char *
SignaturePrintable(Slice text)
{
	char	   *copy = palloc(text.len + 1);

	for (uint32 i = 0; i < text.len; i++)
		copy[i] = text.data[i] >= ' ' && text.data[i] <= '~' ? text.data[i] : '?';
	copy[text.len] = '\0';
	return copy;
}

char *
SignatureFormat(const char *format, Slice text)
{
	StringInfoData out;

	initStringInfo(&out);
	for (const char *c = format; *c != '\0'; c++)
	{
		if (*c == '@')
			appendStringInfoString(&out, SignaturePrintable(text));
		else
			appendStringInfoChar(&out, *c);
	}
	return out.data;
}

void
SignatureIncomplete(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INCOMPLETE_SIGNATURE),
			 errmsg_internal("%s", message)));
}

void
SignatureInvalid(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INVALID_SIGNATURE),
			 errmsg_internal("%s", message)));
}
