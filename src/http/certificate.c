/*
 * certificate.c
 *	  When the server's TLS certificate expires, for dynamo.check_setup.
 */
#include "postgres.h"

#include "access/htup_details.h"
#ifdef USE_OPENSSL
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#endif

#include "funcapi.h"

/*
 * This file does not need GSSAPI, whose headers the server's development
 * package requires but does not install.
 */
#undef ENABLE_GSS
#include "libpq/libpq.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "compat.h"

#ifdef USE_OPENSSL

/* Returns false if there is no certificate in the file. */
static bool
ReadExpiry(const char *file, struct tm *expires)
{
	BIO		   *bio = BIO_new_file(file, "r");
	X509	   *certificate = bio != NULL ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
	bool		read = certificate != NULL && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), expires) == 1;

	X509_free(certificate);
	BIO_free(bio);
	ERR_clear_error();
	return read;
}

static TimestampTz
TimestampOfTm(const struct tm *tm)
{
	Timestamp	day = (Timestamp) (date2j(tm->tm_year + 1900, tm->tm_mon + 1, tm->tm_mday) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;

	return day + (tm->tm_hour * INT64CONST(3600) + tm->tm_min * 60 + tm->tm_sec) * USECS_PER_SEC;
}

#endif

/* certificate_expires() returns (expires timestamptz, problem text) */
DYNAMO_FUNCTION(dynamo_certificate_expires);
Datum
dynamo_certificate_expires(PG_FUNCTION_ARGS)
{
	Datum		values[2] = {0, 0};
	bool		nulls[2] = {true, true};
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
#ifdef USE_OPENSSL
	{
		struct tm	expires;

		nulls[0] = !ReadExpiry(ssl_cert_file, &expires);
		if (!nulls[0])
			values[0] = TimestampTzGetDatum(TimestampOfTm(&expires));
	}
#endif
	nulls[1] = !nulls[0];
	if (nulls[0])
		values[1] = CStringGetTextDatum("the file that ssl_cert_file names cannot be read or contains no certificate");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
