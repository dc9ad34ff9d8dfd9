/*
 * secret_cipher.c
 *	  Encrypts secrets with AES-256-GCM.
 *
 * Texts are a few blocks long, so that one call of OpenSSL takes all of one.
 */
#include "postgres.h"

#ifdef USE_OPENSSL
#include <openssl/err.h>
#include <openssl/evp.h>
#endif

#include "http/secret_cipher.h"

#ifdef USE_OPENSSL

static EVP_CIPHER_CTX *
NewContext(void)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	if (context == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return context;
}

/* The default length of a nonce is SECRET_NONCE_LEN. */
static bool
EncryptWith(EVP_CIPHER_CTX *context, const SecretKey *key, const uint8 *nonce, const char *owner,
			uint8 *text, int len, uint8 *tag)
{
	int			n;

	return EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1 &&
		EVP_EncryptUpdate(context, NULL, &n, (const uint8 *) owner, (int) strlen(owner)) == 1 &&
		EVP_EncryptUpdate(context, text, &n, text, len) == 1 && n == len &&
		EVP_EncryptFinal_ex(context, text + n, &n) == 1 &&
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, SECRET_TAG_LEN, tag) == 1;
}

static bool
DecryptWith(EVP_CIPHER_CTX *context, const SecretKey *key, const uint8 *nonce, const char *owner,
			uint8 *text, int len, uint8 *tag)
{
	int			n;

	return EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1 &&
		EVP_DecryptUpdate(context, NULL, &n, (const uint8 *) owner, (int) strlen(owner)) == 1 &&
		EVP_DecryptUpdate(context, text, &n, text, len) == 1 && n == len &&
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, SECRET_TAG_LEN, tag) == 1 &&
		EVP_DecryptFinal_ex(context, text + n, &n) == 1;
}

void
SecretEncrypt(const SecretKey *key, const uint8 *nonce, const char *owner,
			  char *text, int len, uint8 *tag)
{
	EVP_CIPHER_CTX *context = NewContext();
	bool		done = EncryptWith(context, key, nonce, owner, (uint8 *) text, len, tag);

	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
	if (!done)
		elog(ERROR, "could not encrypt a secret");
}

bool
SecretDecrypt(const SecretKey *key, const uint8 *nonce, const char *owner,
			  char *text, int len, const uint8 *tag)
{
	EVP_CIPHER_CTX *context = NewContext();
	uint8		expected[SECRET_TAG_LEN];
	bool		done;

	memcpy(expected, tag, SECRET_TAG_LEN);
	done = DecryptWith(context, key, nonce, owner, (uint8 *) text, len, expected);
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
	return done;
}

#else							/* !USE_OPENSSL */

static void FailWithoutCipher(void) pg_attribute_noreturn();

static void
FailWithoutCipher(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("could not encrypt or decrypt a secret: this server was built without OpenSSL")));
}

void
SecretEncrypt(const SecretKey *key, const uint8 *nonce, const char *owner,
			  char *text, int len, uint8 *tag)
{
	FailWithoutCipher();
}

bool
SecretDecrypt(const SecretKey *key, const uint8 *nonce, const char *owner,
			  char *text, int len, const uint8 *tag)
{
	FailWithoutCipher();
}

#endif							/* USE_OPENSSL */
