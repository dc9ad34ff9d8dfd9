/*
 * secret_key.h
 *	  The keys that encrypt the secrets of access keys.
 *
 * A command that only the server's configuration can set prints one or two keys,
 * each as a line of 64 hexadecimal digits or of the base64 of 32 bytes: the
 * current one, then the previous one.  New secrets are encrypted with the
 * current key; both decrypt.  Keys stay in the memory of a process; they are
 * never stored and never part of a message.
 */
#ifndef DYNAMO_SECRET_KEY_H
#define DYNAMO_SECRET_KEY_H

#define SECRET_KEY_LEN		32
#define SECRET_KEY_ID_LEN	7

typedef struct SecretKey
{
	uint8		id[SECRET_KEY_ID_LEN];	/* computed from the bytes, and not secret */
	uint8		bytes[SECRET_KEY_LEN];
} SecretKey;

/* Whether a command is set. */
extern bool SecretKeysAreSet(void);

/*
 * Runs the command and copies the current key.  Returns false if no command is
 * set; raises an error if it fails.
 */
extern bool SecretKeyCurrent(SecretKey *key);

/*
 * Copies the key with this id; a command must be set.  The command is run if
 * the key is not in memory, but at most once a second, because clients can ask
 * for a key as often as they like.  Returns false if the command does not print
 * the key; raises an error if it fails.
 */
extern bool SecretKeyFind(const uint8 *id, SecretKey *key);

#endif							/* DYNAMO_SECRET_KEY_H */
