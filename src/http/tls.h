/*
 * tls.h
 *	  TLS for connections of the HTTP endpoint, by OpenSSL.
 *
 * Certificate, key, certificate authorities, revocation lists, ciphers, curves and
 * protocol versions are those of PostgreSQL (ssl_cert_file and so on).  They are
 * read when a worker starts and when the configuration is reloaded; connections
 * keep what they began with.
 */
#ifndef DYNAMO_HTTP_TLS_H
#define DYNAMO_HTTP_TLS_H

/* The first byte of a TLS connection: the record type of a handshake. */
#define TLS_FIRST_BYTE	0x16

/*
 * The maximum size of a decrypted record.  A read with this much room leaves
 * nothing in the session, for which no event on the socket would occur.
 */
#define TLS_MAX_RECORD	16384

typedef struct TlsSession TlsSession;

typedef enum TlsStep
{
	TLS_DONE,
	TLS_WANTS_READ,
	TLS_WANTS_WRITE,
	TLS_FAILED
} TlsStep;

/*
 * Reads certificates and settings again.  Logs an error and keeps the previous
 * ones if that fails.
 */
extern void TlsLoad(void);

/* Begins a session on a socket; NULL if no certificate could be loaded. */
extern TlsSession *TlsOpen(pgsocket fd);

/* Continues the handshake.  *problem: static or palloc'd text if it has failed. */
extern TlsStep TlsHandshake(TlsSession *session, const char **problem);

/*
 * The common name in the verified certificate of the client, palloc'd; NULL if the
 * client has sent none.
 */
extern char *TlsClientName(TlsSession *session);

/*
 * Like recv and send on a socket that does not block.  size of TlsRead is at least
 * TLS_MAX_RECORD; a call of TlsWrite that returned EAGAIN must be repeated with
 * the same bytes, and perhaps further ones.
 */
extern ssize_t TlsRead(TlsSession *session, char *bytes, size_t size);
extern ssize_t TlsWrite(TlsSession *session, const char *bytes, size_t size);

/* Tells the client that no more data follows, if the socket accepts it. */
extern void TlsShutdown(TlsSession *session);

/* Frees the session; the socket remains open. */
extern void TlsClose(TlsSession *session);

#endif							/* DYNAMO_HTTP_TLS_H */
