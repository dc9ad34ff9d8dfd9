/*
 * secret.h
 *	  dynamo_internal.secret: a text that only C code can read.
 *
 * Verifying a signature requires the secret itself, so that it is stored
 * unencrypted, and roles that may read every relation can read its row
 * (pg_read_all_data; with BYPASSRLS, despite row security).  SQL therefore
 * gets only a mask of a value, for every user: as text, in binary form, in
 * COPY, dumps, statistics and logical replication.  There are no casts,
 * comparisons or functions for the type.  The only possible input is the mask,
 * which creates an empty value.
 *
 * SQL can compare the bytes of any type with the operators of record images
 * (*=, *<), and the owner of a key can choose its secret.  A value therefore
 * starts with random bytes, which decide every comparison.  All values have
 * the same size.
 */
#ifndef DYNAMO_SECRET_H
#define DYNAMO_SECRET_H

#include "compat.h"

#define SECRET_SALT_LEN	16
#define SECRET_MAX_LEN	128

/* The stored form, of the type's INTERNALLENGTH. */
typedef struct Secret
{
	uint8		salt[SECRET_SALT_LEN];
	char		text[SECRET_MAX_LEN];	/* padded with zeros; empty if all zeros */
} Secret;

StaticAssertDecl(sizeof(Secret) == 144, "dynamo--1.0.sql has the size, too");

/* Generates unpredictable random bytes. */
extern void RandomBytes(void *bytes, int n);

/* Creates a value from a text of 1 to SECRET_MAX_LEN bytes. */
extern Secret *SecretMake(const char *text);

/* Returns a copy of the text; NULL if the value is empty. */
extern char *SecretText(const Secret *secret);

#endif							/* DYNAMO_SECRET_H */
