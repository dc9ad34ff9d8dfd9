/*
 * secret.h
 *	  dynamo_internal.secret: a text that only C code can read.
 *
 * Verifying a signature requires the secret itself, and roles that may read
 * every relation can read its row (pg_read_all_data; with BYPASSRLS, despite
 * row security).  SQL therefore gets only a mask of a value, for every user: as
 * text, in binary form, in COPY, dumps, statistics and logical replication.
 * There are no casts, comparisons or functions for the type.  The only possible
 * input is the mask, which creates an empty value.
 *
 * Against readers of the server's files, the text is encrypted if the
 * configuration has keys for that (secret_key.h).
 *
 * SQL can compare the bytes of any type with the operators of record images
 * (*=, *<), and the owner of a key can choose its secret.  A value therefore
 * starts with random bytes, which decide every comparison and are the nonce of
 * the encryption.  All values have the same size.
 */
#ifndef DYNAMO_SECRET_H
#define DYNAMO_SECRET_H

#include "compat.h"
#include "http/secret_cipher.h"

#define SECRET_SALT_LEN	16
#define SECRET_MAX_LEN	128

/* How the text is stored; a value that is not here is of a later version. */
#define SECRET_PLAIN		0
#define SECRET_AES_256_GCM	1

/* The stored form, of the type's INTERNALLENGTH. */
typedef struct Secret
{
	uint8		salt[SECRET_SALT_LEN];
	uint8		form;
	uint8		key_id[SECRET_KEY_ID_LEN];	/* zeros if not encrypted, as the tag */
	uint8		tag[SECRET_TAG_LEN];
	char		text[SECRET_MAX_LEN];	/* padded with zeros; empty if all zeros */
} Secret;

StaticAssertDecl(sizeof(Secret) == 168, "dynamo--1.0.sql has the size, too");
StaticAssertDecl(SECRET_NONCE_LEN <= SECRET_SALT_LEN, "the nonce is a part of the salt");

/* Generates unpredictable random bytes. */
extern void RandomBytes(void *bytes, int n);

/*
 * Creates the value of an access key from a text of 1 to SECRET_MAX_LEN bytes,
 * encrypted unless key is NULL.
 */
extern Secret *SecretMake(const char *access_key_id, const char *text, const SecretKey *key);

/*
 * Returns a copy of the text; NULL if the value is empty.  Raises an error if it
 * cannot be decrypted.
 */
extern char *SecretText(const Secret *secret, const char *access_key_id);

#endif							/* DYNAMO_SECRET_H */
