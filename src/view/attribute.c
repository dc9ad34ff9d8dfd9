/*
 * attribute.c
 *	  Attributes as SQL columns.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension_objects.h"
#include "item/builder.h"
#include "item/number.h"
#include "view/attribute.h"
#include "view/construct.h"
#include "view/typed_attribute.h"

/* Types that need no look at the catalogs. */
static bool
IsFrequentType(Oid type)
{
	return type == TEXTOID || type == INT4OID || type == INT8OID || type == NUMERICOID ||
		type == TIMESTAMPTZOID || type == DATEOID;
}

bool
TypeCanHoldAttribute(Oid type)
{
	Oid			base;
	Oid			element;

	if (IsFrequentType(type))
		return true;
	base = getBaseType(type);
	element = get_element_type(base);
	return get_typtype(base) != TYPTYPE_PSEUDO && base != ItemTypeOid() &&
		(!OidIsValid(element) || getBaseType(element) != BYTEAOID);
}

/* ---- reading ---- */

static char *
QualifiedType(Oid type, int32 typmod)
{
	return format_type_extended(type, typmod,
								FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* Whether casts to a type run nothing but PostgreSQL's own code. */
static bool
IsBuiltin(Oid type)
{
	return IsFrequentType(type) || (type < FirstUnpinnedObjectId && get_typtype(type) != TYPTYPE_DOMAIN) ||
		get_typtype(type) == TYPTYPE_ENUM;
}

/* Appends the call of a function of typed_attribute.c; shown may be NULL. */
static void
AppendTypedAttribute(StringInfo out, const char *attribute, Oid type, int32 typmod, InvalidValues invalid, const char *shown)
{
	appendStringInfo(out, SYSTEM_SCHEMA ".%s(t.tableoid, t.item, %s::pg_catalog.text, NULL::%s, '%d'::pg_catalog.int4%s%s)",
					 invalid == INVALID_VALUES_NULL ? TYPED_ATTRIBUTE_OR_NULL :
					 IsBuiltin(type) ? TYPED_ATTRIBUTE : TYPED_ATTRIBUTE_RESTRICTED,
					 quote_literal_cstr(attribute), QualifiedType(type, -1), typmod, shown == NULL ? "" : ", ", shown == NULL ? "" : shown);
	if (typmod >= 0)
		appendStringInfo(out, "::%s", QualifiedType(type, typmod));
}

/* Whether every text that a column can show has the type. */
static bool
HoldsAnyText(Oid type, InvalidValues invalid)
{
	return invalid == INVALID_VALUES_ERROR && (type == TEXTOID || type == VARCHAROID || type == BPCHAROID);
}

void
AppendTextAsAttribute(StringInfo out, const char *attribute, Oid type, int32 typmod, InvalidValues invalid, const char *shown)
{
	if (HoldsAnyText(type, invalid))
		appendStringInfo(out, "(%s)::%s", shown, QualifiedType(type, typmod));
	else
		AppendTypedAttribute(out, attribute, type, typmod, invalid, shown);
}

/* Values that only lack U+0000 for some casts, and json, are shown by casts, which indexes can have, too. */
void
AppendAttributeExpression(StringInfo out, const char *attribute, Oid type, int32 typmod, InvalidValues invalid)
{
	char	   *name = psprintf("%s::pg_catalog.text", quote_literal_cstr(attribute));
	char	   *cast = QualifiedType(type, typmod);

	if (getBaseType(type) == ValueTypeOid() || type == JSONBOID)
		appendStringInfo(out, "(t.item OPERATOR(dynamo.->) %s)::%s", name, cast);
	else if (type == JSONOID)
		appendStringInfo(out, "(t.item OPERATOR(dynamo.->) %s)::pg_catalog.jsonb::%s", name, cast);
	else if (HoldsAnyText(type, invalid))
		appendStringInfo(out, "(t.item OPERATOR(dynamo.->>) %s)::%s", name, cast);
	else
		AppendTypedAttribute(out, attribute, type, typmod, invalid, NULL);
}

/* ---- writing ---- */

/*
 * Writes an instant in UTC with a "Z", whatever TimeZone says.  Services write
 * times in this form, which sorts as text.
 */
static void
BuildInstant(ItemBuilder *builder, Datum datum)
{
	const int	utc = 0;
	char	   *text = JsonEncodeDateTime(NULL, datum, TIMESTAMPTZOID, &utc);
	char	   *offset = strstr(text, "+00:00");

	if (offset != NULL && strcmp(offset, "+00:00") == 0)	/* not before " BC" */
		memcpy(offset, "Z", 2);
	ItemBuilderString(builder, text, strlen(text));
}

static void
BuildScalar(ItemBuilder *builder, Datum datum, Oid base)
{
	if (base == TIMESTAMPTZOID)
		BuildInstant(builder, datum);
	else
		ItemBuilderDatum(builder, datum, base);
}

/* The builder reports empty sets, duplicates and members of another type. */
static void
BuildAttributeSet(ItemBuilder *builder, Datum datum, Oid element, ValueType set)
{
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *members;
	bool	   *nulls;
	int			n;

	get_typlenbyvalalign(element, &typlen, &typbyval, &typalign);
	deconstruct_array(DatumGetArrayTypeP(datum), element, typlen, typbyval, typalign,
					  &members, &nulls, &n);
	ItemBuilderBeginSet(builder, set);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("an array that becomes a set must not contain null")));
		BuildScalar(builder, members[i], getBaseType(element));
	}
	ItemBuilderEnd(builder);
}

/* A text or an integer, the most frequent types, without a builder. */
static ValueRef
TextValue(Datum datum)
{
	const struct varlena *text = PG_DETOAST_DATUM_PACKED(datum);
	uint32		len = VARSIZE_ANY_EXHDR(text);
	uint8	   *bytes = palloc(len + 1);

	bytes[0] = VALUE_S;
	memcpy(bytes + 1, VARDATA_ANY(text), len);
	return (ValueRef) {bytes, len + 1};
}

static ValueRef
IntegerValue(int64 n)
{
	uint8	   *bytes = palloc(NUMBER_MAX_BYTES + 1);

	bytes[0] = VALUE_N;
	return (ValueRef) {bytes, NumberFromInt64(n, bytes + 1) + 1};
}

static ValueRef
BuiltValue(Datum datum, Oid type, ValueRef old)
{
	ItemBuilder *builder = ItemBuilderCreate(1, DUPLICATE_NAME_LAST);
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);

	if (OidIsValid(element) && !ValueIsMissing(old) && ValueTypeIsSet(ValueTypeOf(old)))
		BuildAttributeSet(builder, datum, element, ValueTypeOf(old));
	else
		BuildScalar(builder, datum, base);
	return ItemRoot(ItemBuilderFinish(builder));
}

ValueRef
AttributeFromDatum(Datum datum, Oid type, ValueRef old)
{
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
			return TextValue(datum);
		case INT2OID:
			return IntegerValue(DatumGetInt16(datum));
		case INT4OID:
			return IntegerValue(DatumGetInt32(datum));
		case INT8OID:
			return IntegerValue(DatumGetInt64(datum));
	}
	return BuiltValue(datum, type, old);
}
