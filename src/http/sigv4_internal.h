/*
 * sigv4_internal.h
 *	  What the files that read a signature share.
 */
#ifndef DYNAMO_SIGV4_INTERNAL_H
#define DYNAMO_SIGV4_INTERNAL_H

#include "http/sigv4.h"

/* ---- sigv4_error.c ---- */

/* A copy of the text with bytes that are no printable ASCII replaced. */
extern char *SignaturePrintable(Slice text);

/* The message with the text, made printable, for every @. */
extern char *SignatureFormat(const char *format, Slice text);

/* IncompleteSignatureException: a part is missing or has no such form. */
extern void SignatureIncomplete(const char *message) pg_attribute_noreturn();

/* InvalidSignatureException: the parts are there, and wrong. */
extern void SignatureInvalid(const char *message) pg_attribute_noreturn();

/* ---- sigv4_query.c ---- */

/* Both without percent-encoding. */
typedef struct QueryParameter
{
	Slice		name;
	Slice		value;
} QueryParameter;

/* The parameters of a query string; raises an error if there are too many. */
extern QueryParameter *SignatureReadQuery(Slice query, int *count);

/* The value of the first parameter of this name; false if there is none. */
extern bool SignatureFindParameter(const QueryParameter *parameters, int n, const char *name,
								   Slice *value);

/* ---- sigv4_time.c ---- */

/* Raises an error unless the signature holds at this time (epoch seconds). */
extern void SignatureCheckTime(const Signature *signature, int64 now);

/* ---- sigv4_read.c ---- */

/* The next of the signed headers from *at, zero at first; false at the end. */
extern bool SignatureNextSigned(const Signature *signature, uint32 *at, Slice *name);

#endif							/* DYNAMO_SIGV4_INTERNAL_H */
