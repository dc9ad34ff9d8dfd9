/*
 * sigv4_internal.h
 *	  Functions that the files for reading signatures share.
 */
#ifndef DYNAMO_SIGV4_INTERNAL_H
#define DYNAMO_SIGV4_INTERNAL_H

#include "http/sigv4.h"

/* ---- sigv4_error.c ---- */

/* Copies a text and replaces bytes that are not printable ASCII. */
extern char *SignaturePrintable(Slice text);

/* Replaces every @ in a message by the text, made printable. */
extern char *SignatureFormat(const char *format, Slice text);

/* IncompleteSignatureException: a part is missing or malformed. */
extern void SignatureIncomplete(const char *message) pg_attribute_noreturn();

/* InvalidSignatureException: all parts are present but one is wrong. */
extern void SignatureInvalid(const char *message) pg_attribute_noreturn();

/* ---- sigv4_query.c ---- */

/* A query parameter; name and value are percent-decoded. */
typedef struct QueryParameter
{
	Slice		name;
	Slice		value;
} QueryParameter;

/* Parses a query string; raises an error if there are too many parameters. */
extern QueryParameter *SignatureReadQuery(Slice query, int *count);

/*
 * Returns the value of the first parameter with this name; false if there is
 * none.
 */
extern bool SignatureFindParameter(const QueryParameter *parameters, int n, const char *name,
								   Slice *value);

/* ---- sigv4_time.c ---- */

/*
 * Raises an error unless the signature is valid at this time (epoch seconds).
 */
extern void SignatureCheckTime(const Signature *signature, int64 now);

/* ---- sigv4_read.c ---- */

/*
 * Returns the next signed header, starting at *at, which is zero at first;
 * false at the end.
 */
extern bool SignatureNextSigned(const Signature *signature, uint32 *at, Slice *name);

#endif							/* DYNAMO_SIGV4_INTERNAL_H */
