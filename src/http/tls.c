/*
 * tls.c
 *	  TLS for connections of the HTTP endpoint, by OpenSSL.
 *
 * Settings are applied as be-secure-openssl.c does for sessions.
 */
#include "postgres.h"

#include "http/tls.h"

#ifdef USE_OPENSSL

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "common/openssl.h"

/*
 * This file does not need GSSAPI, whose headers the server's development
 * package requires but does not install.
 */
#undef ENABLE_GSS
#include "libpq/libpq.h"
#include "utils/guc.h"

#include "compat.h"

/* The only application protocol within TLS (RFC 7301). */
static const unsigned char http_protocol[] = "\010http/1.1";

static SSL_CTX *context;

static SSL *
GetSsl(TlsSession *session)
{
	return (SSL *) session;
}

/* ---- errors ---- */

static const char *
OpensslError(void)
{
	unsigned long code = ERR_get_error();
	const char *reason = code != 0 ? ERR_reason_error_string(code) : NULL;

	return reason != NULL ? reason : "unknown error";
}

/* Logs why the settings cannot be applied. */
static bool
LogTlsFailure(const char *setting, const char *value)
{
	ereport(LOG,
			(errcode(ERRCODE_CONFIG_FILE_ERROR),
			 errmsg("could not set up TLS for HTTP with \"%s\" = \"%s\": %s",
					setting, value, OpensslError())));
	return false;
}

/* ---- settings ---- */

static const char *
GetSetting(const char *name)
{
	return GetConfigOption(name, false, false);
}

/*
 * The callback for the passphrase of PostgreSQL's key, which never asks at a
 * terminal.
 */
static int
ReadPassphrase(char *buf, int size, int rwflag, void *userdata)
{
	if (ssl_passphrase_command[0] == '\0')
		return 0;
	return RunPassphraseCommand("Enter PEM pass phrase:", buf, size);
}

static bool
LoadCertificate(SSL_CTX *ctx)
{
	SSL_CTX_set_default_passwd_cb(ctx, ReadPassphrase);
	if (SSL_CTX_use_certificate_chain_file(ctx, ssl_cert_file) != 1)
		return LogTlsFailure("ssl_cert_file", ssl_cert_file);
	if (!check_ssl_key_file_permissions(ssl_key_file, false))
		return false;
	if (SSL_CTX_use_PrivateKey_file(ctx, ssl_key_file, SSL_FILETYPE_PEM) != 1 ||
		SSL_CTX_check_private_key(ctx) != 1)
		return LogTlsFailure("ssl_key_file", ssl_key_file);
	return true;
}

static int
VersionForOpenssl(int setting)
{
	switch (setting)
	{
		case PG_TLS1_VERSION:
			return TLS1_VERSION;
		case PG_TLS1_1_VERSION:
			return TLS1_1_VERSION;
		case PG_TLS1_2_VERSION:
			return TLS1_2_VERSION;
		case PG_TLS1_3_VERSION:
			return TLS1_3_VERSION;
		default:
			return 0;			/* no limit */
	}
}

static bool
LimitProtocol(SSL_CTX *ctx)
{
	const char *ciphers = GetSetting("ssl_ciphers");
	const char *curves = GetSetting("ssl_ecdh_curve");

	if (SSL_CTX_set_min_proto_version(ctx, VersionForOpenssl(ssl_min_protocol_version)) != 1)
		return LogTlsFailure("ssl_min_protocol_version", GetSetting("ssl_min_protocol_version"));
	if (SSL_CTX_set_max_proto_version(ctx, VersionForOpenssl(ssl_max_protocol_version)) != 1)
		return LogTlsFailure("ssl_max_protocol_version", GetSetting("ssl_max_protocol_version"));
	if (SSL_CTX_set_cipher_list(ctx, ciphers) != 1)
		return LogTlsFailure("ssl_ciphers", ciphers);
	if (curves[0] != '\0' && SSL_CTX_set1_groups_list(ctx, curves) != 1)
		return LogTlsFailure("ssl_ecdh_curve", curves);
	if (SSLPreferServerCiphers)
		SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE);
	return true;
}

static bool
LoadRevocations(SSL_CTX *ctx)
{
	const char *file = ssl_crl_file[0] != '\0' ? ssl_crl_file : NULL;
	const char *dir = ssl_crl_dir[0] != '\0' ? ssl_crl_dir : NULL;
	X509_STORE *store = SSL_CTX_get_cert_store(ctx);

	if (file == NULL && dir == NULL)
		return true;
	if (X509_STORE_load_locations(store, file, dir) != 1)
		return LogTlsFailure(file != NULL ? "ssl_crl_file" : "ssl_crl_dir", file != NULL ? file : dir);
	X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
	return true;
}

/* Verifies the client's certificate, which is optional but must be valid. */
static bool
LoadAuthorities(SSL_CTX *ctx)
{
	STACK_OF(X509_NAME) *names;

	if (ssl_ca_file[0] == '\0')
		return true;
	names = SSL_load_client_CA_file(ssl_ca_file);
	if (names == NULL || SSL_CTX_load_verify_locations(ctx, ssl_ca_file, NULL) != 1)
		return LogTlsFailure("ssl_ca_file", ssl_ca_file);
	SSL_CTX_set_client_CA_list(ctx, names);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_CLIENT_ONCE, NULL);
	return LoadRevocations(ctx);
}

/* SSL_CTX_alpn_select_cb_func */
static int
SelectProtocol(SSL *ssl, const unsigned char **out, unsigned char *outlen,
			   const unsigned char *in, unsigned int inlen, void *arg)
{
	unsigned char *selected;

	if (SSL_select_next_proto(&selected, outlen, http_protocol, sizeof(http_protocol) - 1,
							  in, inlen) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = selected;
	return SSL_TLSEXT_ERR_OK;
}

static void
SetModes(SSL_CTX *ctx)
{
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					 SSL_MODE_RELEASE_BUFFERS);
	/* a client that sends nothing but key updates must not keep SSL_read from returning */
	SSL_CTX_clear_mode(ctx, SSL_MODE_AUTO_RETRY);
	SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_alpn_select_cb(ctx, SelectProtocol, NULL);
}

void
TlsLoad(void)
{
	SSL_CTX    *ctx;

	ERR_clear_error();
	ctx = SSL_CTX_new(TLS_server_method());
	if (ctx == NULL)
	{
		ereport(LOG,
				(errmsg("could not set up TLS for HTTP: %s", OpensslError())));
		return;
	}
	SetModes(ctx);
	if (!LoadCertificate(ctx) || !LimitProtocol(ctx) || !LoadAuthorities(ctx))
	{
		SSL_CTX_free(ctx);
		return;
	}
	if (context != NULL)
		SSL_CTX_free(context);	/* sessions keep the old context until they end */
	context = ctx;
}

/* ---- sessions ---- */

TlsSession *
TlsOpen(pgsocket fd)
{
	SSL		   *ssl;

	if (context == NULL)
		return NULL;
	ERR_clear_error();
	ssl = SSL_new(context);
	if (ssl != NULL && SSL_set_fd(ssl, fd) != 1)
	{
		SSL_free(ssl);
		ssl = NULL;
	}
	return (TlsSession *) ssl;
}

/* Describes the fault of the client's certificate, or another failure. */
static const char *
HandshakeProblem(SSL *ssl)
{
	long		verified = SSL_get_verify_result(ssl);

	return verified != X509_V_OK ? X509_verify_cert_error_string(verified) : OpensslError();
}

TlsStep
TlsHandshake(TlsSession *session, const char **problem)
{
	SSL		   *ssl = GetSsl(session);
	int			result;

	ERR_clear_error();
	result = SSL_accept(ssl);
	if (result == 1)
		return TLS_DONE;
	switch (SSL_get_error(ssl, result))
	{
		case SSL_ERROR_WANT_READ:
			return TLS_WANTS_READ;
		case SSL_ERROR_WANT_WRITE:
			return TLS_WANTS_WRITE;
		case SSL_ERROR_SSL:
			*problem = HandshakeProblem(ssl);
			return TLS_FAILED;
		default:
			*problem = "the client has closed the connection";
			return TLS_FAILED;
	}
}

/* A name with a NUL would be mistaken for another one. */
char *
TlsClientName(TlsSession *session)
{
	X509	   *certificate = SSL_get_peer_certificate(GetSsl(session));
	char		name[NAMEDATALEN];
	int			len;

	if (certificate == NULL)
		return NULL;
	len = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
									name, sizeof(name));
	X509_free(certificate);
	return len > 0 && len < NAMEDATALEN - 1 && strlen(name) == (size_t) len ? pstrdup(name) : NULL;
}

/* Converts the result of an OpenSSL call to that of recv and send. */
static ssize_t
TransferResult(SSL *ssl, int result)
{
	if (result > 0)
		return result;
	switch (SSL_get_error(ssl, result))
	{
		case SSL_ERROR_WANT_READ:
		case SSL_ERROR_WANT_WRITE:
			errno = EAGAIN;
			return -1;
		case SSL_ERROR_ZERO_RETURN:
			return 0;
		default:
			errno = ECONNRESET;
			return -1;
	}
}

ssize_t
TlsRead(TlsSession *session, char *bytes, size_t size)
{
	ERR_clear_error();
	return TransferResult(GetSsl(session), SSL_read(GetSsl(session), bytes, (int) Min(size, PG_INT32_MAX)));
}

ssize_t
TlsWrite(TlsSession *session, const char *bytes, size_t size)
{
	ssize_t		n;

	ERR_clear_error();
	n = TransferResult(GetSsl(session), SSL_write(GetSsl(session), bytes, (int) Min(size, PG_INT32_MAX)));
	if (n == 0)
	{
		errno = ECONNRESET;
		return -1;
	}
	return n;
}

void
TlsShutdown(TlsSession *session)
{
	ERR_clear_error();
	if (SSL_is_init_finished(GetSsl(session)))
		(void) SSL_shutdown(GetSsl(session));
	ERR_clear_error();
}

void
TlsClose(TlsSession *session)
{
	SSL_free(GetSsl(session));
}

#else							/* !USE_OPENSSL */

void
TlsLoad(void)
{
	ereport(LOG,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("could not set up TLS for HTTP: this server was built without OpenSSL")));
}

TlsSession *
TlsOpen(pgsocket fd)
{
	return NULL;
}

TlsStep
TlsHandshake(TlsSession *session, const char **problem)
{
	*problem = "not supported";
	return TLS_FAILED;
}

char *
TlsClientName(TlsSession *session)
{
	return NULL;
}

ssize_t
TlsRead(TlsSession *session, char *bytes, size_t size)
{
	errno = ECONNRESET;
	return -1;
}

ssize_t
TlsWrite(TlsSession *session, const char *bytes, size_t size)
{
	errno = ECONNRESET;
	return -1;
}

void
TlsShutdown(TlsSession *session)
{
}

void
TlsClose(TlsSession *session)
{
}

#endif							/* USE_OPENSSL */
