/*
 * sigv4.h
 *	  AWS Signature Version 4: verifies who signed a request.
 *
 * A signature covers a canonical form of the request: method, path, query, the
 * headers chosen by the client, and a digest of the body.  It is sent in the
 * header Authorization or in the query string.  The signing key is derived
 * from the secret for a day, a region and a service.
 *
 * The checks have the service's order and messages.  All errors are raised.
 */
#ifndef DYNAMO_SIGV4_H
#define DYNAMO_SIGV4_H

#include "lib/stringinfo.h"

#include "http/parser.h"

#define SIGV4_KEY_LEN	32		/* SHA-256's */

/* Any of these may have signed a request. */
#define SIGV4_MAX_KEYS	2

typedef struct SigningKeys
{
	int			n;
	uint8		keys[SIGV4_MAX_KEYS][SIGV4_KEY_LEN];
} SigningKeys;

/* The signature of a request and its parameters. */
typedef struct Signature
{
	bool		in_query;
	bool		has_token;		/* a session token, as temporary credentials have */
	Slice		algorithm;
	Slice		credential;
	Slice		signed_headers; /* lower case, separated by semicolons */
	Slice		given;			/* the signature: hexadecimal digits */
	Slice		time;			/* 20260131T235959Z */
	Slice		expires;		/* seconds; only in the query */

	/* the parts of the credential */
	Slice		key_id;
	Slice		date;			/* 20260131 */
	Slice		region;
	Slice		service;
	Slice		terminator;
} Signature;

/* ---- sigv4_read.c and sigv4_canonical.c: no cryptography, no server ---- */

/*
 * Reads the signature's parameters and checks everything but the signature
 * itself.  now is in epoch seconds; region is the region that requests must be
 * signed for.
 */
extern void SignatureRead(Signature *signature, const HttpRequest *request,
						  int64 now, const char *region);

/* Appends the canonical form of a request whose body has this digest. */
extern void SignatureCanonical(StringInfo out, const Signature *signature,
							   const HttpRequest *request, const char *body_digest);

/* ---- sigv4.c ---- */

/* Derives the signing key for a date and a region. */
extern void SignatureDeriveKey(uint8 *key, const char *secret, Slice date, Slice region);

/*
 * Returns the number of the key that the request was signed with; raises an
 * error if it was signed with none.  The time does not depend on which it was.
 */
extern int	SignatureVerify(const Signature *signature, const HttpRequest *request,
							const SigningKeys *keys);

#endif							/* DYNAMO_SIGV4_H */
