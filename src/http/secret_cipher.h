/*
 * secret_cipher.h
 *	  Encrypts secrets with AES-256-GCM, by OpenSSL, which the server must be built with.
 */
#ifndef DYNAMO_SECRET_CIPHER_H
#define DYNAMO_SECRET_CIPHER_H

#include "http/secret_key.h"

#define SECRET_NONCE_LEN	12
#define SECRET_TAG_LEN		16

/*
 * Encrypts len bytes of text in place.  A nonce must not be used twice with a
 * key.  The tag proves that key, nonce, text and owner are the same again: the
 * owner is the id of the access key, so that its secret is invalid for another key.
 */
extern void SecretEncrypt(const SecretKey *key, const uint8 *nonce, const char *owner,
						  char *text, int len, uint8 *tag);

/* Decrypts text in place; returns false if the tag does not match. */
extern bool SecretDecrypt(const SecretKey *key, const uint8 *nonce, const char *owner,
						  char *text, int len, const uint8 *tag);

#endif							/* DYNAMO_SECRET_CIPHER_H */
