/*
 * collation.c
 *	  Determines which collations order text by bytes, as in keys.
 *
 * utils/pg_locale.h could answer this, but requires the headers of ICU, which
 * are not installed with those of PostgreSQL.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "table/collation.h"

/*
 * A value of pg_collation.collprovider since PostgreSQL 17.  All its locales
 * order by bytes.
 */
#define PROVIDER_BUILTIN	'b'

/*
 * Returns the provider and locale name of a collation; false if it has none.
 */
static bool
CollationLocale(Oid collation, char *provider, char **locale)
{
	bool		is_default = (collation == DEFAULT_COLLATION_OID);
	HeapTuple	tuple;
	Datum		name;
	bool		isnull;

	if (is_default)
		tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	else
		tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		return false;

	if (is_default)
	{
		*provider = ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider;
		name = SysCacheGetAttr(DATABASEOID, tuple, Anum_pg_database_datcollate, &isnull);
	}
	else
	{
		*provider = ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
		name = SysCacheGetAttr(COLLOID, tuple, Anum_pg_collation_collcollate, &isnull);
	}
	*locale = isnull ? pstrdup("") : TextDatumGetCString(name);
	ReleaseSysCache(tuple);
	return true;
}

/*
 * Whether the C library orders by bytes with this collation.  Compares texts
 * at the points where other orders would differ; the last element is the
 * sentinel.  Some old C libraries order "C.UTF-8" differently.
 */
static bool
CollationComparesBytes(Oid collation)
{
	static const char *const ascending[] = {
		"", " ", "#", "-", "0", "A", "Z", "_", "a", "a ", "aA", "aa", "z", "~",
		"\xC2\x80", "\xC3\xA9", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
		"\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
		"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF", "\xFF"
	};

	for (size_t i = 1; i < lengthof(ascending); i++)
	{
		const char *low = ascending[i - 1];
		const char *high = ascending[i];

		if (varstr_cmp(low, strlen(low), high, strlen(high), collation) >= 0)
			return false;
	}
	return true;
}

bool
CollationOrdersByBytes(Oid collation)
{
	char		provider;
	char	   *locale;

	if (collation == C_COLLATION_OID)
		return true;
	if (!OidIsValid(collation) || !CollationLocale(collation, &provider, &locale))
		return false;

	if (provider == PROVIDER_BUILTIN)
		return true;
	if (provider == COLLPROVIDER_DEFAULT || provider == COLLPROVIDER_ICU)
		return false;
	if (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
		return true;
	return pg_strncasecmp(locale, "C.", 2) == 0 && CollationComparesBytes(collation);
}
