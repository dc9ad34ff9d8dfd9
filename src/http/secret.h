/*
 * secret.h
 *	  dynamo.secret: a text that C code alone gets to see.
 *
 * A signature is verified with the secret itself, so it is stored as it is,
 * and roles that may read every relation (pg_read_all_data, with BYPASSRLS row
 * security is none) may read its row.  What SQL gets of a value is a mask,
 * whoever asks: as text, in binary, in COPY, a dump, statistics or logical
 * replication.  There is no cast, no comparison and no function that takes
 * one.  Only the mask can be put in, as a value that holds nothing.
 *
 * SQL does compare the bytes of any type in the operators of record images
 * (*=, *<), and who has a key can choose its secret.  So random bytes come
 * first: those decide every comparison.  All values have the same size.
 */
#ifndef DYNAMO_SECRET_H
#define DYNAMO_SECRET_H

#include "compat.h"

#define SECRET_SALT_LEN	16
#define SECRET_MAX_LEN	128

/* As it is stored; INTERNALLENGTH of the type. */
typedef struct Secret
{
	uint8		salt[SECRET_SALT_LEN];
	char		text[SECRET_MAX_LEN];	/* zeros behind it; all zeros: none */
} Secret;

StaticAssertDecl(sizeof(Secret) == 144, "dynamo--1.0.sql has the size, too");

/* Bytes that nobody can guess. */
extern void RandomBytes(void *bytes, int n);

/* A new value with a text of 1 to SECRET_MAX_LEN bytes. */
extern Secret *SecretMake(const char *text);

/* A copy of the text; NULL if the value holds none. */
extern char *SecretText(const Secret *secret);

#endif							/* DYNAMO_SECRET_H */
